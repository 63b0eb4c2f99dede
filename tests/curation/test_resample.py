"""A posterior sampled again takes the place of the one before, if it is of the same spikes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ncpgui.core.component import Alternative
from ncpgui.core.errors import CurationError
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.curation.history import History
from ncpgui.curation.resample import Resample
from tests.tiny_project import tiny_project


def way(*labels: int, n_probabilities: int | None = None) -> Alternative:
    n = len(labels) if n_probabilities is None else n_probabilities
    return Alternative(np.array(labels, np.int32), np.ones(n, np.float32), 1.0, 0.0, np.ones(2, np.float32))


def resample(component_id: int = 0, n_points: int = 3, *ways: Alternative) -> Resample:
    posterior = PosteriorSamples(np.zeros((2, n_points), np.int32), np.zeros(2))
    return Resample(component_id, (1,), posterior, ways or (way(0, 0, 1),))


@pytest.fixture
def history() -> History:
    return History.of(tiny_project({0: [[0, 0, 1]], 4: [[0, 0]]}))


def test_the_new_posterior_is_shown_under_its_condition_and_undo_brings_the_old_one_back(
    history: History,
) -> None:
    before = history.posteriors.components
    command = resample()
    change = history.do(command)
    assert (change.components, change.decides) == ((0,), False)
    assert (change.added, change.removed, change.modified) == ((), (), ())
    after = history.posteriors.get(0)
    assert after is not None
    assert after.posterior is command.posterior
    assert after.alternatives is command.alternatives
    assert after.given == (1,)
    assert history.undo_words == "sample again"
    history.undo()
    assert history.posteriors.components == before
    history.redo()
    assert history.posteriors.get(0) is after


def test_components_come_by_id_and_one_that_is_not_sampled_is_none(history: History) -> None:
    assert [one.id for one in history.posteriors.components] == [0, 4]
    history.posteriors.put(replace(history.posteriors.components[0], id=2))
    assert [one.id for one in history.posteriors.components] == [0, 2, 4]
    assert history.posteriors.get(3) is None
    assert history.posteriors.get(None) is None


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (resample(3), "component 3 is not sampled, its posterior cannot be replaced"),
        (resample(0, 2), "is of 2 spikes, component 0 has 3 sampled; use the session"),
        (resample(0, 4), "is of 4 spikes, component 0 has 3 sampled"),
        (resample(0, 3, way(0, 0, 1), way(0, 0)), "is of 2 spikes, component 0 has 3 in all"),
    ],
)
def test_a_posterior_of_other_spikes_is_refused(history: History, command: Resample, words: str) -> None:
    with pytest.raises(CurationError, match=words):
        history.do(command)
    assert history.entries == ()


@pytest.mark.parametrize(
    "wrong", [way(0, 0, n_probabilities=3), replace(way(0, 0), labels=np.zeros((1, 2), np.int32))]
)
def test_an_alternative_has_one_cluster_and_one_probability_of_each_spike(wrong: Alternative) -> None:
    for ways in ((wrong,), (way(0, 0), wrong), (wrong, way(0, 0))):
        with pytest.raises(CurationError, match="one cluster and one probability of each spike"):
            resample(0, 2, *ways)
