"""Commands survive being written down."""

from __future__ import annotations

import json

import numpy as np
import pytest

from ncpgui.core.errors import CurationError
from ncpgui.curation.commands import Assign, Merge, SetAccepted, SetLabel, from_json, split, to_json


@pytest.mark.parametrize(
    "command",
    [
        Merge((7, 3), into=12),
        SetLabel((4,), "good"),
        SetAccepted((4, 5), False),
        Assign([5, 2, 9], [1, 0, -1], [0.1, 0.25, 1.0], "moves three", (8, -1)),
    ],
)
def test_a_command_is_the_same_after_json(command: Merge | SetLabel | SetAccepted | Assign) -> None:
    value = json.loads(json.dumps(to_json(command)))
    assert to_json(from_json(value)) == to_json(command)
    assert value["words"]


def test_assign_sorts_its_spikes_with_all_that_belongs_to_them() -> None:
    command = Assign([5, 2, 9], [1, 0, -1], [0.5, 0.25, 1.0])
    assert command.spike_ids.tolist() == [2, 5, 9]
    assert command.cluster.tolist() == [0, 1, -1]
    assert command.probability.tolist() == [0.25, 0.5, 1.0]
    assert command.unit_ids == (-1, -1)


def test_splitting_is_an_assign_to_new_units() -> None:
    assert split([1, 2, 3], [0, 1, 0]).unit_ids == (-1, -1)
    assert split([1, 2, 3], [0, 1, 0]).words == "split in 2"


def test_a_large_assign_is_written_in_few_bytes() -> None:
    ids = np.arange(0, 40_000, 2)
    text = json.dumps(to_json(Assign(ids, np.zeros(len(ids)))))
    assert len(text) < 4_000


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(CurationError, match="two different units, got 1"):
        Merge((3, 3))
    with pytest.raises(CurationError, match="label must be one of good, mua, noise, unsorted, got 'fine'"):
        SetLabel((3,), "fine")
    with pytest.raises(CurationError, match="no unit is selected"):
        SetAccepted(())
    with pytest.raises(CurationError, match="names a spike twice"):
        Assign([1, 1], [0, 0])
    with pytest.raises(CurationError, match=r"local clusters must be -1 \.\. 0"):
        Assign([1, 2], [0, 1], unit_ids=(5,))
    with pytest.raises(CurationError, match="at least one spike"):
        Assign([], [])


def test_damaged_and_unknown_entries_are_refused_with_a_reason() -> None:
    with pytest.raises(CurationError, match="'explode' is not known; known: merge, assign, label, accept"):
        from_json({"do": "explode"})
    value = to_json(Assign([1], [0]))
    with pytest.raises(CurationError, match="'assign' is damaged"):
        from_json({**value, "spikes": "AAAA"})
    with pytest.raises(CurationError, match="'merge' is damaged"):
        from_json({"do": "merge"})
    with pytest.raises(CurationError, match="not known"):
        from_json([])


def test_a_command_whose_name_is_no_text_is_refused_as_one_that_is_not_known() -> None:
    with pytest.raises(CurationError, match=r"curation command '\[\]' is not known"):
        from_json({"do": [], "units": [1]})
