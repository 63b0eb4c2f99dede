"""A sentence for each probable echo: how many spikes, of which units, and how late."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ncpgui.core.component import Echoes
from ncpgui.core.project import Project
from ncpgui.sorting.echo_notes import echo_notes
from tests.tiny_project import tiny_project


def told(
    lag: int = 20, probability: float = 0.9, unit: list[int] | None = None, n_echoes: int = 2
) -> tuple[str, ...]:
    """Spikes 0, 2, 4 of unit 0 have echoes 1, 3, 5, which are of unit 1, `lag` samples later."""
    project: Project = tiny_project({0: [[0, 1, 0, 1, 0, 1]]})
    times = np.repeat([1000, 2000, 3000], 2)
    times[1::2] += lag
    component = replace(
        project.components[0],
        echoes=(
            Echoes(np.array([1, 3, 5])[:n_echoes], np.array([0, 2, 4])[:n_echoes], probability),
            Echoes(np.array([5]), np.array([4]), 0.1),
        ),
    )
    spikes = replace(project.spikes, sample_index=np.sort(times), n_samples=4000)
    if lag < 0:  # the echo comes first in time
        component = replace(
            component, echoes=(Echoes(np.array([0, 2])[:n_echoes], np.array([1, 3])[:n_echoes], probability),)
        )
    units = np.array(unit or ([0, 1] * 3 if lag >= 0 else [1, 0] * 3))
    return echo_notes(replace(project, spikes=spikes, components=(component,), unit_of_spike=units))


def test_echoes_are_told_with_their_units_and_their_lag() -> None:
    assert told() == ("2 of 3 spikes of unit 1 are probably echoes of unit 0, 1.0 ms after its own",)
    assert told(30)[0].endswith("1.5 ms after its own")
    assert told(-30) == ("2 of 3 spikes of unit 1 are probably echoes of unit 0, 1.5 ms before its own",)


@pytest.mark.parametrize(("lag", "words"), [(0, "at the times of its own"), (1, "0.1 ms after its own")])
def test_less_than_a_twentieth_of_a_millisecond_is_at_the_same_time(lag: int, words: str) -> None:
    """A sample is 0.05 ms."""
    assert told(lag)[0].endswith(words)


def test_echoes_are_told_from_one_half_on_and_if_there_are_any() -> None:
    assert len(told(probability=0.5)) == 1
    assert told(probability=0.49) == ()
    assert told(n_echoes=0) == ()


def test_spikes_of_no_unit_are_told_as_such() -> None:
    assert told(unit=[0, -1] * 3) == (
        "2 spikes are probably echoes of unit 0, 1.0 ms after its own; they are in no unit",
    )
    assert told(unit=[-1, 1] * 3)[0].startswith(
        "2 of 3 spikes of unit 1 are probably echoes of spikes of no unit"
    )


def test_the_unit_is_that_of_most_of_the_spikes() -> None:
    assert "spikes of unit 7 are" in told(unit=[0, 7, 0, 7, 0, 3], n_echoes=3)[0]
    assert "spikes of unit 0 are" in told(unit=[1, 0] * 3)[0]
    assert "echoes of unit 4" in told(unit=[4, 1, 0, 1, 4, 1], n_echoes=3)[0]
