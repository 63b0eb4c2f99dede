"""``--sampler beam`` of sort and review: its width, what is told of it, and runs that were stopped."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ncpgui.core.errors import InputError
from ncpgui.core.posterior import NOT_A_POSTERIOR

from .conftest import Command


@pytest.fixture
def beam_session(ncpgui: Command, tetrode_folder: Path, few_settings: Path, tmp_path: Path) -> Path:
    out = tmp_path / "beam.h5"
    options = ["--sampler", "beam", "--beam", 9, "--settings", few_settings]
    ran = ncpgui("sort", tetrode_folder, "--out", out, *options)
    assert ran.code == 0, ran.err
    assert f"over a beam: {NOT_A_POSTERIOR}" in ran.err
    return out


def test_a_session_of_beams_says_so_and_is_no_draws_for_a_resumed_run(
    ncpgui: Command, tetrode_folder: Path, few_settings: Path, beam_session: Path
) -> None:
    values = json.loads(ncpgui("info", beam_session, "--json").out)
    assert (values["settings"]["sampler"], values["settings"]["beam"]) == ("beam", 9)
    assert {component["sampler"] for component in values["components"]} == {"beam"}
    assert all(way["mass_se"] is None for one in values["components"] for way in one["alternatives"])
    lines = ncpgui("info", beam_session).out.splitlines()
    assert any(line.startswith("sampler: ") and NOT_A_POSTERIOR in line for line in lines)


@pytest.mark.parametrize("command", ["sort", "review"])
def test_the_width_of_a_beam_without_a_beam_is_refused(
    ncpgui: Command, tetrode_folder: Path, tmp_path: Path, command: str
) -> None:
    ran = ncpgui(command, tetrode_folder, "--out", tmp_path / "s.h5", "--beam", 9)
    assert ran.error == (
        "--beam 9 is the width of a beam, and this samples draws; add --sampler beam, or leave it out"
    )


def test_a_sampler_that_there_is_not_is_named(ncpgui: Command, tetrode_folder: Path, tmp_path: Path) -> None:
    ran = ncpgui("sort", tetrode_folder, "--out", tmp_path / "s.h5", "--sampler", "beems")
    assert ran.code == 2
    assert "'beems' is not one of 'draws', 'beam'; did you mean 'beam'?" in ran.err
    settings = tmp_path / "s.toml"
    settings.write_text('sampler = "beams"\n', encoding="utf-8")
    ran = ncpgui("sort", tetrode_folder, "--out", tmp_path / "s.h5", "--settings", settings)
    told = f"{settings}: sampler must be one of 'draws', 'beam', got 'beams'; did you mean 'beam'?"
    assert ran.error == told


@pytest.mark.parametrize("command", ["sort", "review"])
def test_the_option_or_the_file_chooses_and_the_option_wins(
    ncpgui: Command, tetrode_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    def stop(_: Any, config: Any, *__: Any, **___: Any) -> Any:
        raise InputError(f"{config.sampler} {config.beam}")

    monkeypatch.setattr("ncpgui.sorting.run.run_of", stop)
    folder = tetrode_folder
    if command == "review":
        monkeypatch.setattr("ncpgui.ephys.given_folder.open_reviewed", given)
    settings = tmp_path / "s.toml"
    settings.write_text('sampler = "beam"\nbeam = 30\n', encoding="utf-8")
    for options, expected in (
        ((), "draws 150"),
        (("--sampler", "beam"), "beam 150"),
        (("--settings", settings), "beam 30"),
        (("--settings", settings, "--beam", 40), "beam 40"),
        (("--settings", settings, "--sampler", "draws"), "draws 30"),
    ):
        ran = ncpgui(command, folder, "--out", tmp_path / "s.h5", *options)
        assert ran.error == expected


def given(*_: Any, **__: Any) -> Any:
    """A recording and a sorting of nothing."""
    from types import SimpleNamespace

    reference = SimpleNamespace(has_traces=True)
    recording = SimpleNamespace(notes=(), n_samples=1, n_channels=1, reference=reference)
    given = SimpleNamespace(proposed_merges=())
    sorting = SimpleNamespace(n_samples=1, sampling_frequency_hz=20_000.0)
    return recording, SimpleNamespace(notes=(), sorting=sorting, given=given)


def test_steps_of_draws_are_not_taken_for_those_of_a_beam(
    ncpgui: Command,
    tetrode_folder: Path,
    few_settings: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def stop(*_: Any, **__: Any) -> Any:
        raise KeyboardInterrupt

    out = tmp_path / "s.h5"
    arguments = ["sort", tetrode_folder, "--out", out, "--settings", few_settings]
    with monkeypatch.context() as patched:
        patched.setattr("ncpgui.sorting.pipeline.sample_components", stop)
        assert ncpgui(*arguments).code == 130
    refused = ncpgui(*arguments, "--resume", "--sampler", "beam")
    assert "sampler" in refused.error
    assert not out.exists()
