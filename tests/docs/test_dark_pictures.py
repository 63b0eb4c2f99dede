"""On dark pages a picture of the window is a dark one, where there is one."""

from __future__ import annotations

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
