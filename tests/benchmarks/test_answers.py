"""Errors of a finding as an oracle answers questions, of a project of eight spikes."""

from __future__ import annotations

import numpy as np

from benchmarks.findings.answers import _answered
from ncpgui.findings.analyses import Rates
from tests.tiny_project import tiny_project


def test_an_answer_takes_the_error_of_a_rate_away() -> None:
    """Two cells of four spikes are one unit; the other way to sort them is the truth."""
    project = tiny_project({0: [[0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 1, 1, 1, 1]]}, masses={0: [0.6, 0.4]})
    cell = np.repeat([0, 1], 4)
    hits = cell[:, None] == [0, 1]
    rate_hz = 4 / project.spikes.duration_s
    answered = _answered(
        {0: project.components[0]},
        project.unit_of_spike,
        cell,
        hits,
        np.array([4, 4]),
        Rates(),
        "rate_hz",
        [{"rate_hz": (rate_hz, rate_hz)}] * 2,
        project,
    )
    assert answered.curve([0]).tolist() == [[1.0, 1.0], [0.0, 0.0]]
