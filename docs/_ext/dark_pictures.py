"""A picture with a dark one beside it (``a_light.png``, ``a_dark.png``) is the dark one on dark pages."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from docutils import nodes

if TYPE_CHECKING:
    from sphinx.application import Sphinx

LIGHT, DARK = "_light.png", "_dark.png"


def add_dark(app: Sphinx, doctree: nodes.document) -> None:
    """Before Sphinx collects the pictures of a page."""
    folder = Path(app.env.doc2path(app.env.docname)).parent
    for image in list(doctree.findall(nodes.image)):
        dark = image["uri"].removesuffix(LIGHT) + DARK
        if image["uri"].endswith(LIGHT) and (folder / dark).is_file():
            other = image.copy()
            other["uri"] = dark
            image["classes"].append("only-light")
            other["classes"].append("only-dark")
            image.parent.insert(image.parent.index(image) + 1, other)


def setup(app: Sphinx) -> dict[str, Any]:
    """Tell Sphinx."""
    app.connect("doctree-read", add_dark, priority=100)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
