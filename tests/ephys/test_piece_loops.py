"""SpikeInterface's loops over pieces leave its global options as they are, and look for no libraries."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Barrier, Thread

import numpy as np
import pytest
import threadpoolctl
from spikeinterface.core import (
    NumpyRecording,
    get_global_job_kwargs,
    reset_global_job_kwargs,
    set_global_job_kwargs,
)
from spikeinterface.sortingcomponents.peak_detection import detect_peaks

from ncpgui.ephys.piece_loops import piece_loop

LIMIT = "max_threads_per_worker"
METHOD = {"noise_levels": np.ones(2, np.float32), "exclude_sweep_ms": 2.0}


@pytest.fixture(autouse=True)
def _options_of_its_own() -> Iterator[None]:
    yield
    reset_global_job_kwargs()


def test_libraries_of_products_are_looked_for_once_however_many_loops_and_pieces_there_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Ten seconds in ten pieces, with a trough of 20 sd in each; a search takes seven milliseconds.

    A first loop imports what SpikeInterface imports when it needs it, and libraries come with modules.
    """
    searches: list[int] = []
    load = threadpoolctl.ThreadpoolController._load_libraries

    def counted(controller: threadpoolctl.ThreadpoolController) -> None:
        searches.append(1)
        load(controller)

    traces = np.zeros((10_000, 2), np.float32)
    traces[500::1000, 0] = -20.0
    recording = NumpyRecording([traces], 1000.0)
    recording.set_dummy_probe_from_locations(np.array([[0.0, 0.0], [0.0, 25.0]]))
    monkeypatch.setattr(threadpoolctl.ThreadpoolController, "_load_libraries", counted)
    for _ in range(3):
        searches_before = len(searches)
        with piece_loop(n_jobs=2) as options:
            found = detect_peaks(recording, method="by_channel", method_kwargs=METHOD, job_kwargs=options)
        assert found["sample_index"].tolist() == list(range(500, 10_000, 1000))
        assert len(searches) <= searches_before + 1
    assert len(searches) == searches_before


def test_products_keep_to_one_core_within_a_loop_and_not_after_it() -> None:
    def threads() -> set[int]:
        return {one["num_threads"] for one in threadpoolctl.threadpool_info()}

    with threadpoolctl.threadpool_limits(2):
        with piece_loop():
            assert threads() == {1}
        assert threads() == {2}


def test_options_that_somebody_set_are_theirs_again_after_loops_that_overlap() -> None:
    set_global_job_kwargs(**{LIMIT: 3})
    first_began, both_began = Barrier(2), Barrier(2)

    def first() -> None:
        with piece_loop():
            first_began.wait()
            both_began.wait()  # ends while the other goes on

    other = Thread(target=first)
    other.start()
    first_began.wait()
    with piece_loop():
        both_began.wait()
        other.join()
        assert get_global_job_kwargs()[LIMIT] is None
    assert get_global_job_kwargs()[LIMIT] == 3


def test_options_are_theirs_again_after_a_loop_that_failed() -> None:
    set_global_job_kwargs(**{LIMIT: 3})
    with pytest.raises(RuntimeError, match="in the middle"), piece_loop():
        raise RuntimeError("in the middle")
    assert get_global_job_kwargs()[LIMIT] == 3
