"""What appears where a command will write is not replaced without --overwrite; the result goes beside it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tiny_project import tiny_project

from ncpgui.cli import sort as sort_module
from ncpgui.cli.sort import keep
from ncpgui.core.errors import SessionError
from ncpgui.session.session_file import create_session
from ncpgui.session.store import load, save

from .conftest import Command

PROJECT = tiny_project({0: [[0, 0, 1, 1]]})
OTHER = replace(PROJECT, model="somebody's")


def notes(path: Path) -> None:
    path.write_text("somebody's notes")


def session(path: Path) -> None:
    save(OTHER, path)


def folder(path: Path) -> None:
    path.mkdir()


@pytest.fixture(autouse=True)
def nobody_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sort_module, "somebody_answers", lambda: False)


@pytest.mark.parametrize(
    ("make", "overwrite"), [(notes, False), (session, False), (notes, True), (folder, False), (folder, True)]
)
def test_what_appeared_at_out_stays_and_the_sorting_is_beside_it(
    tmp_path: Path, make: Callable[[Path], None], overwrite: bool
) -> None:
    out = tmp_path / "s.h5"
    make(out)
    before = out.read_bytes() if out.is_file() else None
    with pytest.raises(
        SessionError, match=r"; the session is kept in .*s-1\.h5; open it with 'ncpgui .*s-1\.h5'"
    ):
        keep(PROJECT, out, overwrite=overwrite)
    assert (out.read_bytes() if out.is_file() else None) == before
    assert load(tmp_path / "s-1.h5").model == PROJECT.model


def test_a_session_that_appeared_is_replaced_with_overwrite(tmp_path: Path) -> None:
    out = tmp_path / "s.h5"
    session(out)
    assert keep(PROJECT, out, overwrite=True) == out
    assert load(out).model == PROJECT.model


@pytest.mark.parametrize("overwrite", [False, True])
def test_a_session_that_somebody_opened_meanwhile_stays(tmp_path: Path, overwrite: bool) -> None:
    out = tmp_path / "s.h5"
    with create_session(OTHER, out), pytest.raises(SessionError, match=r"kept in .*s-1\.h5"):
        keep(PROJECT, out, overwrite=overwrite)
    assert load(out).model == "somebody's"


def test_what_appears_while_the_session_is_written_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ncpgui.session import store

    out, write = tmp_path / "s.h5", store.write_project

    def appear(*arguments: object) -> None:
        monkeypatch.undo()
        monkeypatch.setattr(sort_module, "somebody_answers", lambda: False)
        notes(out)
        write(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(store, "write_project", appear)
    with pytest.raises(
        SessionError, match=r"s\.h5 appeared meanwhile and is not replaced; .* kept in .*s-1\.h5"
    ):
        keep(PROJECT, out, overwrite=False)
    assert out.read_text() == "somebody's notes"


def test_whoever_is_at_the_terminal_is_offered_the_place_beside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    offered: list[str] = []
    monkeypatch.setattr(sort_module, "somebody_answers", lambda: True)
    monkeypatch.setattr(
        sort_module.click, "prompt", lambda _, default, **__: offered.append(default) or default
    )
    notes(tmp_path / "s.h5")
    assert keep(PROJECT, tmp_path / "s.h5", overwrite=False) == tmp_path / "s-1.h5"
    assert offered == [str(tmp_path / "s-1.h5")]


@pytest.mark.parametrize("there", ["x.csv", "x_units.csv"])
def test_each_table_of_an_export_in_csv_is_replaced_only_with_overwrite(
    ncpgui: Command, tmp_path: Path, there: str
) -> None:
    save(PROJECT, tmp_path / "s.h5")
    words = ("export", tmp_path / "s.h5", "--format", "csv", "--out", tmp_path / "x")
    notes(tmp_path / there)
    assert f"{tmp_path / there} exists; give another name, or --overwrite" in ncpgui(*words).error
    assert (tmp_path / there).read_text() == "somebody's notes"
    assert ncpgui(*words, "--overwrite").code == 0
    assert "unit" in (tmp_path / there).read_text()


def test_a_posterior_that_appeared_while_spikes_were_clustered_is_not_replaced(
    ncpgui: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ncpgui import engine

    out, cluster = tmp_path / "p.npz", engine.cluster
    np.savez(tmp_path / "w.npz", waveforms=np.random.default_rng(0).normal(size=(12, 32, 2)))
    words = ("cluster", tmp_path / "w.npz", "--out", out, "--samples", "4", "--beam", "0")

    def appear(*arguments: object, **options: object) -> object:
        monkeypatch.undo()
        notes(out)
        return cluster(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(engine, "cluster", appear)
    assert ncpgui(*words).error.endswith(f"is not replaced; what was written is in {tmp_path / 'p-1.npz'}")
    assert out.read_text() == "somebody's notes"
    assert "labels" in np.load(tmp_path / "p-1.npz").files


def test_a_posterior_that_was_there_is_replaced_only_with_overwrite(ncpgui: Command, tmp_path: Path) -> None:
    out = tmp_path / "p.npz"
    np.savez(tmp_path / "w.npz", waveforms=np.random.default_rng(0).normal(size=(12, 32, 2)))
    notes(out)
    words = ("cluster", tmp_path / "w.npz", "--out", out, "--samples", "4", "--beam", "0")
    error = ncpgui(*words).error
    assert error == f"{out} exists; give another name, or --overwrite to replace it"
    assert out.read_text() == "somebody's notes"
    assert ncpgui(*words, "--overwrite").code == 0
    assert "labels" in np.load(out).files
