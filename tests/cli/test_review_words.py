"""What ``ncpgui review`` says of units whose posterior was not sampled."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from ncpgui.cli.review import unknown


@pytest.mark.parametrize(
    ("n", "rest"),
    [
        (3, []),
        (4, ["nor of 1 other unit, for similar reasons"]),
        (9, ["nor of 6 other units, for similar reasons"]),
    ],
)
def test_the_first_three_are_said_with_their_reason_and_the_others_counted(n: int, rest: list[str]) -> None:
    waiting = [SimpleNamespace(id=one) for one in range(n)]
    project = SimpleNamespace(waiting=waiting, failed={1: "it has no spikes"})
    reasons = ["not reached", "it has no spikes", "not reached"]
    assert unknown(project) == [f"a unit has no probabilities: {one}" for one in reasons] + rest
