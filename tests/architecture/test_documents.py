"""What the documents say about keys and files is so; tests/docs has the commands."""

from __future__ import annotations

import re
from pathlib import Path

import ncpgui
from ncpgui.app.actions import ACTIONS
from tests.loose_modules import script

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted(path for path in (ROOT / "docs").rglob("*.md") if "copied" not in path.parts),
]
KEYS = {"Enter" if key == "Return" else key for action in ACTIONS for key in action.keys}


def test_the_table_of_keys_is_up_to_date() -> None:
    """Otherwise run scripts/write_tables.py."""
    text = (ROOT / "docs" / "reference" / "keys.md").read_text(encoding="utf-8")
    assert script("write_tables").with_keys(text) == text


def test_the_table_of_presets_is_up_to_date() -> None:
    """Otherwise run scripts/write_tables.py."""
    text = (ROOT / "docs" / "method" / "training_settings.md").read_text(encoding="utf-8")
    assert script("write_tables").with_presets(text) == text


def test_every_key_of_the_first_steps_is_there() -> None:
    text = (ROOT / "docs" / "start.md").read_text(encoding="utf-8")
    steps = text.partition("## Make a decision")[2].partition("## Export")[0]
    named = set(re.findall(r"`([^`]+)`", steps))
    assert len(named) > 6
    assert named - KEYS == set()


def test_every_link_leads_somewhere() -> None:
    missing = [
        f"{path.relative_to(ROOT)}: {link}"
        for path in DOCUMENTS
        for link in re.findall(r"\]\(([^)#]+)[^)]*\)", path.read_text(encoding="utf-8"))
        if "://" not in link and not (path.parent / link).exists()
    ]
    assert missing == []


def test_the_citation_is_of_this_version_and_licence() -> None:
    """CITATION.cff is YAML that other programs read; what it repeats is what is said elsewhere."""
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    stated = dict(re.findall(r"^([a-z-]+): (\S.*)$", text, re.MULTILINE))
    assert stated["version"] == ncpgui.__version__
    assert stated["license"] == "GPL-3.0-or-later"
    authors = re.findall(r"family-names: (\w+)", text)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert [name for name in authors if f"{name}, " in readme] == authors
