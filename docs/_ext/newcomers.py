"""Menu and search of the site are for people who sort spikes; other pages are there by their links.

Method, notes, development, and the pages of benchmarks stay in the repository and are built as well, so that
every link holds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from docutils.nodes import document
    from sphinx.application import Sphinx

OUTSIDE = (
    "method/",
    "notes/",
    "project/",
    "copied/",
    "paper_figures",
    "reference/session_file",
    "results/single_channels",
    "results/whole_recordings",
)
"""Pages, and folders of them, that are in neither."""


def is_outside(page: str) -> bool:
    """Whether a page, such as ``method/model``, is left out of menu and search."""
    return page.startswith(OUTSIDE)


def leave_out(app: Sphinx, doctree: document) -> None:
    """After Sphinx has read a page."""
    if is_outside(app.env.docname):
        app.env.metadata[app.env.docname].update(orphan=True, nosearch=True)


def setup(app: Sphinx) -> dict[str, Any]:
    """Tell Sphinx."""
    app.connect("doctree-read", leave_out, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
