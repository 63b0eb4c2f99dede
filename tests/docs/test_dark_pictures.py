"""On dark pages a picture of the window is a dark one, where there is one."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.docs.printed import ROOT
from tests.loose_modules import module_at


def test_a_picture_with_a_dark_one_beside_it_is_followed_by_that(tmp_path: Path) -> None:
    nodes = pytest.importorskip("docutils.nodes")
    module = module_at(ROOT / "docs" / "_ext" / "dark_pictures.py")
    for name in ("a_light.png", "a_dark.png", "b_light.png", "c.png"):
        (tmp_path / name).touch()
    page = nodes.paragraph("", "", *(nodes.image(uri=uri) for uri in ("a_light.png", "b_light.png", "c.png")))
    env = SimpleNamespace(docname="page", doc2path=lambda _: tmp_path / "page.md")
    module.add_dark(SimpleNamespace(env=env), page)
    shown = [(image["uri"], image["classes"]) for image in page.findall(nodes.image)]
    assert shown == [
        ("a_light.png", ["only-light"]),
        ("a_dark.png", ["only-dark"]),
        ("b_light.png", []),
        ("c.png", []),
    ]


def test_a_picture_without_a_dark_one_is_turned_dark_by_the_style() -> None:
    """For those who chose the dark page, and for those whose system is dark."""
    style = (ROOT / "docs" / "_static" / "site.css").read_text(encoding="utf-8")
    rules = re.findall(r"(body\S* \.content img:not\(\.only-dark\)) \{[^}]*\binvert\(", style)
    assert rules == [
        'body[data-theme="dark"] .content img:not(.only-dark)',
        'body:not([data-theme="light"]) .content img:not(.only-dark)',
    ]
