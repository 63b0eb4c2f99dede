"""Questions of a long recording: those that need all traces wait for the others, and are read in one pass."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from app_fakes import FakeJobs, request, start
from later import Later

from ncpgui.app.preferences import Preferences
from ncpgui.app.work import jobs
from ncpgui.app.work.recordings import Live
from ncpgui.core.component import WaitingComponent
from ncpgui.core.spikes import Sorting
from ncpgui.sorting.component_posterior import sample_components
from ncpgui.sorting.review import given_units
from tests.sorting.planted import SAMPLING_FREQUENCY_HZ, leader_clustering, planted_recording
from tests.sorting.test_pipeline import CELLS, CONFIG, N_SAMPLES

PARTS = replace(CONFIG, motion="off", measured="parts", measured_s=4.0)


def test_what_parts_a_unit_is_sampled_last_with_all_its_spikes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Units 0 and 1 are halves of one cell, unit 2 is two cells."""
    monkeypatch.setattr("ncpgui.sorting.sampling._engine_cluster", lambda: leader_clustering)
    first, second, third = (cell.times for cell in CELLS)
    trains = [third[::2], third[1::2], np.append(first, second)]
    times = np.concatenate(trains)
    order = np.argsort(times, kind="stable")
    units = np.repeat([0, 1, 2], [len(train) for train in trains])
    sorting = Sorting(times[order], units[order], SAMPLING_FREQUENCY_HZ, N_SAMPLES)
    with closing(given_units(planted_recording(CELLS, N_SAMPLES), sorting, PARTS)) as found:
        waiting = [WaitingComponent(one.id, one.contacts, one.spike_ids) for one in found.draws]
        live = Live(found, left={one.id for one in waiting})
        sampled = {one.id: jobs.sample(live, one) for one in waiting}
        (last,) = [one for one in waiting if sampled[one.id] is None]
        assert set(sorting.unit_id[last.spike_ids].tolist()) == {2}
        assert live.left == live.parting == {last.id}
        component, waveforms = jobs.sample(live, last)
        assert live.left == set()
        at_once, _ = sample_components(found, found.draws)
    for one, other in zip(component.alternatives, at_once[last.id][0].alternatives, strict=True):
        assert one.labels.tolist() == other.labels.tolist()
    assert waveforms.coordinates is not None
    assert len(waveforms.coordinates) == len(last.spike_ids)


def test_a_question_that_has_to_wait_is_asked_for_again_after_all_others(
    fake: FakeJobs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[int] = []

    def sample(live: Any, waiting: WaitingComponent, *, progress: Any) -> Any:
        tried.append(waiting.id)
        if waiting.id == 0 and tried.count(0) == 1:
            return None
        return fake.sample(live, waiting, progress=progress)

    monkeypatch.setattr(jobs, "sample", sample)
    runner = Later()
    controller, ears = start(Preferences(tmp_path / "preferences"), runner)
    controller.open_recording(request(tmp_path))
    runner.run()
    assert tried == [0, 1, 2, 0]
    assert fake.sampled == [1, 2, 0]
    assert any("3 questions sampled" in words for words in ears.told)
