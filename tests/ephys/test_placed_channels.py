"""Which channels are read and where they lie; those without a contact are said."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ncpgui.core.errors import InputError
from ncpgui.ephys.placed_channels import columns_for, left_out, own_probe, some_columns
from ncpgui.ephys.wired_probe import wired_probe

LINE = np.column_stack([np.zeros(3), 20.0 * np.arange(3)])


@pytest.mark.parametrize(
    ("options", "columns"),
    [
        ({}, 3),
        ({"n_columns": 5}, 5),
        ({"channels": [0, 1, 2]}, 3),
        ({"channels": [2, 0, 1]}, 3),
        ({"channels": [0, 1, 3]}, None),
        ({"channels": [0, 1, 3], "n_columns": 8}, 8),
    ],
)
def test_a_probe_was_made_for_as_many_columns_as_it_says_or_has(
    options: dict[str, Any], columns: int | None
) -> None:
    assert columns_for(wired_probe(LINE, **options)) == columns


def test_channels_without_a_contact_are_said_six_by_number() -> None:
    said = "channels have no contact of the probe and are not read:"
    assert left_out([0, 1, 2], 3) == ()
    assert left_out([2, 0], 4) == (f"2 of 4 {said} 1, 3",)
    assert left_out([0], 7) == (f"6 of 7 {said} 1, 2, 3, 4, 5, 6",)
    assert left_out([0], 8) == (f"7 of 8 {said} 1, 2, 3, 4, 5, 6 ...",)


def recording(n_channels: int) -> Any:
    from spikeinterface.core import NumpyRecording

    return NumpyRecording([np.arange(4.0 * n_channels).reshape(4, n_channels)], 20_000.0)


def test_some_channels_come_in_the_order_that_is_asked_for_and_all_as_they_are() -> None:
    whole = recording(3)
    assert some_columns(whole, [0, 1, 2], Path("a")) == (whole, None)
    some, columns = some_columns(whole, [2, 0], Path("a"))
    assert columns == [2, 0]
    assert some.get_traces()[0].tolist() == [2, 0]
    assert some_columns(whole, [1, 0, 2], Path("a"))[1] == [1, 0, 2]


def test_a_recording_of_one_channel_needs_no_places_and_one_of_more_says_that_it_lacks_them() -> None:
    assert own_probe(recording(1), Path("a")).n_channels == 1
    with pytest.raises(InputError, match="a does not say where its 2 contacts are; give --probe"):
        own_probe(recording(2), Path("a"))
