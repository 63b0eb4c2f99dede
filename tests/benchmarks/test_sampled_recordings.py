"""Recordings that probabilities are measured on: which, and when a sorting that was kept is used again."""

from __future__ import annotations

import argparse
import pickle
from pathlib import Path

import numpy as np
import pytest

from benchmarks.probabilities import sampled_recordings
from benchmarks.probabilities.sampled_recordings import (
    KINDS,
    SampledComponents,
    SampledRecording,
    add_recordings,
    asked_recordings,
    sampled_recording,
)
from benchmarks.recordings import sorters
from benchmarks.recordings.ground_truth import GroundTruth
from ncpgui.core.errors import ExportError
from ncpgui.core.source_revision import Revision

TRUTH = GroundTruth("tetrode", 30_000.0, 3, 15.0, seed=901)
HERE, ELSEWHERE = "1" * 40, "2" * 40


@pytest.fixture
def sorted_by(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Ask for the recording with a source; returns how often it has been sorted by then."""
    n_sorted = [0]

    def sort(name: str, *_: object) -> SampledRecording:
        n_sorted[0] += 1
        nothing = SampledComponents(None, (), {})
        return SampledRecording(name, None, *[np.zeros(0)] * 3, nothing, nothing, np.zeros(0))

    monkeypatch.setattr(sampled_recordings, "_sampled", sort)
    monkeypatch.setattr(sampled_recordings, "made", lambda *_: (None, None))

    def ask(source: Revision, *, by_any_source: bool = False) -> int:
        monkeypatch.setattr(sampled_recordings, "REVISION", source)
        monkeypatch.setattr(
            sampled_recordings, "same_source", lambda commit: commit == source.commit and not source.changed
        )
        found = sampled_recording("ours", TRUTH, tmp_path, by_any_source=by_any_source)
        assert found.name == "ours"
        return n_sorted[0]

    return ask


def test_a_recording_is_sorted_once_by_one_source(sorted_by) -> None:
    assert [sorted_by(Revision(HERE, False)) for _ in range(3)] == [1, 1, 1]
    assert sorted_by(Revision(ELSEWHERE, False)) == 2


def test_a_sorting_by_a_source_that_no_commit_has_is_not_used_again(sorted_by) -> None:
    assert sorted_by(Revision(HERE, True)) == 1
    assert sorted_by(Revision(HERE, False)) == 2
    assert sorted_by(Revision(HERE, True)) == 3


def test_of_the_development_a_sorting_by_any_source_will_do(sorted_by) -> None:
    assert sorted_by(Revision(HERE, True), by_any_source=True) == 1
    assert sorted_by(Revision(ELSEWHERE, False), by_any_source=True) == 1


def test_a_file_that_could_not_be_written_is_not_there(
    tmp_path: Path, sorted_by, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError("No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(pickle, "dump", full)
        with pytest.raises(ExportError, match="No space left"):
            sorted_by(Revision(HERE, False))
    assert not list(tmp_path.rglob("*.pkl"))


def test_final_recordings_share_no_seed_with_those_of_the_development_nor_with_those_of_other_tables() -> (
    None
):
    def seeds(*words: str) -> set[int]:
        parser = argparse.ArgumentParser()
        add_recordings(parser)
        parser.set_defaults(quick=False)
        chosen = asked_recordings(parser.parse_args(["--recordings", *KINDS, *words]))
        return {truth.seed for truth in chosen.values()}

    shown = {truth.seed for truth in KINDS.values()}
    final, development = seeds(), seeds("--development")
    assert development == {seed + sorters.DEVELOPMENT for seed in shown}
    assert not final & (shown | development)
