"""Draws of many sets of waveforms, with a stand-in for the network."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ncpgui.core.errors import CheckpointError, InputError, RecordingError
from ncpgui.core.progress import silent
from ncpgui.core.seeds import stream_seed
from ncpgui.sorting import posterior_draws
from ncpgui.sorting.config import SortingConfig
from ncpgui.sorting.executors import Threads, run_all
from ncpgui.sorting.posterior_draws import posterior_seed, sets_at_once
from ncpgui.sorting.sampling import Sampling

from .planted import SQUARE, leader_clustering
from .stopping import StepsInMemory, assert_same


def test_progress_names_what_is_sampled_side_by_side_by_one_word_and_its_numbers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Channels of 6, 5 and 4 spikes, two at once, the largest first."""
    wanted = {
        channel: Sampling(waves(n_spikes), SQUARE.positions_um, 2, seed=0, cluster=leader_clustering)
        for channel, n_spikes in ((9, 4), (3, 6), (7, 5))
    }
    named: list[str] = []

    def run(tasks: Any, *, names: list[str], **options: Any) -> Any:
        named.extend(names)
        return run_all(tasks, names=names, **options)

    monkeypatch.setattr(posterior_draws, "run_all", run)
    drawn, failed = posterior_draws.draw_all(
        wanted,
        what="channel",
        workers=Threads(1),
        progress=silent,
        at_once=2,
    )
    assert sorted(drawn) == [3, 7, 9]
    assert not failed
    assert named == ["clustering 11 spikes of channels 3, 7", "clustering 4 spikes of channel 9"]


def waves(n_spikes: int) -> np.ndarray:
    return np.ones((n_spikes, 32, 4), np.float32)


def wanted(*sizes: int) -> dict[int, Sampling]:
    """Sets 0, 1, 2, ... of so many spikes."""
    return {
        number: Sampling(waves(n), SQUARE.positions_um, n_draws=2, seed=number)
        for number, n in enumerate(sizes)
    }


def draw(sets: dict[int, Sampling], cluster: Any = leader_clustering, **options: Any) -> Any:
    sets = {number: replace(one, cluster=cluster) for number, one in sets.items()}
    return posterior_draws.draw_all(sets, what="set", workers=Threads(1), progress=silent, **options)


def failing_of(*sizes: int, error: type[Exception] = ValueError, message: str = "odd") -> Any:
    """A network that fails on sets of these sizes."""

    def cluster(waveforms: np.ndarray, **options: Any) -> Any:
        if len(waveforms) in sizes:
            raise error(message)
        return leader_clustering(waveforms, **options)

    return cluster


def test_what_fails_is_told_and_the_others_are_drawn(caplog: pytest.LogCaptureFixture) -> None:
    drawn, failed = draw(wanted(4, 5, 6), failing_of(5))
    assert list(drawn) == [0, 2]
    assert failed == {1: "odd"}
    assert caplog.messages == ["set 1 could not be sampled: odd"]
    assert draw(wanted(4, 5), failing_of(5, error=MemoryError, message=""))[1] == {1: "MemoryError"}


def test_where_all_fail_in_the_first_round_it_is_an_error_and_later_it_is_not() -> None:
    with pytest.raises(InputError, match="none of the 2 sets could be sampled; the first said: odd"):
        draw(wanted(4, 5), failing_of(4, 5))
    with pytest.raises(ValueError, match=r"^odd$"):
        draw(wanted(4), failing_of(4))
    with pytest.raises(RecordingError, match=r"^gone$"):
        draw(wanted(4, 5), failing_of(4, 5, error=RecordingError, message="gone"))
    assert draw(wanted(4, 5), failing_of(4, 5), round_number=1) == ({}, {0: "odd", 1: "odd"})
    with pytest.raises(CheckpointError):
        draw(wanted(4, 5), failing_of(4, error=CheckpointError, message="no model"))


def test_batches_are_kept_as_they_are_done_but_for_those_that_failed_and_are_not_drawn_again() -> None:
    steps = StepsInMemory()
    first, _ = draw(wanted(4, 5, 6), failing_of(5), steps=steps)
    assert steps.kept == ["set-2", "set-0"]
    asked: list[int] = []

    def counted(waveforms: np.ndarray, **options: Any) -> Any:
        asked.append(len(waveforms))
        return leader_clustering(waveforms, **options)

    again, failed = draw(wanted(4, 5, 6), counted, steps=steps)
    assert (asked, failed) == ([5], {})
    assert_same(again[2], first[2])
    assert_same(again[0], first[0])
    draw(wanted(4, 5, 6), counted, steps=steps, round_number=1, at_once=2)
    assert steps.kept[3:] == ["set-2-round-1", "set-0-round-1"]


def test_seeds_of_rounds_and_components_differ_and_the_first_round_has_no_number() -> None:
    config = SortingConfig()
    seeds = {posterior_seed(config, component, number) for component in (0, 1) for number in (0, 1, 2)}
    assert len(seeds) == 6
    assert posterior_seed(config, 1) == stream_seed(config.seed, "posterior", 1)
    assert posterior_seed(config, 1, 2) == stream_seed(config.seed, "posterior", 1, 2)


def test_one_set_is_sampled_at_a_time_unless_a_beam_is_searched_on_a_gpu() -> None:
    assert sets_at_once(SortingConfig(device="cpu")) == 1
