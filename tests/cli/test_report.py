"""``ncpgui report``: a page beside the session, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from ncpgui.session import store
from tests.cli.conftest import Command
from tests.tiny_project import tiny_project


@pytest.fixture
def session(tmp_path: Path) -> Path:
    store.save(tiny_project({0: [[0, 0, 0, 0, 1, 1, 1, 1]]}), tmp_path / "mine.h5")
    return tmp_path / "mine.h5"


def test_a_page_is_written_beside_the_session_and_replaced_when_asked(ncpgui: Command, session: Path) -> None:
    done = ncpgui("report", session, "--draws", 3)
    page = session.parent / "mine_report.html"
    assert (done.code, page.is_file()) == (0, True)
    assert f"wrote {page}: 2 units, 0 open questions, 0.0 MB" in done.err
    before = page.read_bytes()
    assert "mine_report.html exists; give another name, or --overwrite" in ncpgui("report", session).error
    assert page.read_bytes() == before
    assert ncpgui("report", session, "--draws", 3, "--overwrite").code == 0


def test_the_same_seed_gives_the_same_findings(ncpgui: Command, session: Path, tmp_path: Path) -> None:
    pages = []
    for name in ("a.html", "b.html"):
        assert ncpgui("report", session, "--draws", 3, "--seed", 1, "--out", tmp_path / name).code == 0
        text = (tmp_path / name).read_text(encoding="utf-8")
        pages.append(text.partition("<dt>made</dt>")[0] + text.partition("<h2>Units")[2])
    assert pages[0] == pages[1]


def test_a_session_of_which_nothing_was_sampled_has_a_page(ncpgui: Command, tmp_path: Path) -> None:
    project = tiny_project({0: [[0] * 8]}, sampled=False)
    store.save(replace(project, unit_of_spike=project.unit_of_spike * 0), tmp_path / "s.h5")
    assert ncpgui("report", tmp_path / "s.h5", "--draws", 2).code == 0


def test_what_cannot_be_reported_is_refused(ncpgui: Command, session: Path, tmp_path: Path) -> None:
    assert "does not exist" in ncpgui("report", tmp_path / "none.h5").error
    assert "it is the input" in ncpgui("report", session, "--out", session, "--overwrite").error
    assert "is a folder" in ncpgui("report", session, "--out", tmp_path).error
    assert "the folder" in ncpgui("report", session, "--out", tmp_path / "no" / "r.html").error
    assert "1 is not in the range x>=2" in ncpgui("report", session, "--draws", 1).error
    (tmp_path / "junk.h5").write_bytes(b"junk")
    assert "not an ncpgui session" in ncpgui("report", tmp_path / "junk.h5").error
