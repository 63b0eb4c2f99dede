"""Commands survive being written down."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest

from ncpgui.core.component import Alternative
from ncpgui.core.errors import CurationError
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.curation.clustering import Clustering
from ncpgui.curation.command_json import COMMANDS, from_json, to_json
from ncpgui.curation.commands import KINDS, Assign, Link, Merge, SetAccepted, SetLabel, SetWords, split
from ncpgui.curation.history import History
from ncpgui.curation.resample import Resample
from ncpgui.curation.state import Command


@pytest.mark.parametrize(
    "command",
    [
        Merge((7, 3), into=12),
        SetLabel((4,), "good"),
        SetAccepted((4, 5), False),
        SetWords((4, 5), "note", "an axon; µ"),
        Link((4, 5), same=False),
        Assign([5, 2, 9], [1, 0, -1], [0.1, 0.25, 1.0], "moves three", (8, -1)),
    ],
)
def test_a_command_is_the_same_after_json(command: Command) -> None:
    value = json.loads(json.dumps(to_json(command)))
    again = from_json(value)
    assert type(again) is type(command)
    assert again.words == command.words == value["words"]
    for name in (field.name for field in fields(command)):
        np.testing.assert_array_equal(getattr(again, name), getattr(command, name))


@pytest.mark.parametrize("is_whole", [True, False])
def test_a_posterior_sampled_again_comes_back_to_the_last_bit(is_whole: bool) -> None:
    """Also what no number stands for: the error of a beam, and what is not known."""
    rng = np.random.default_rng(0)
    numbers = rng.random(5)
    more = {
        "order": np.arange(5),
        "drawn_weight": numbers / 3,
        "stimulus_nats": -numbers,
        "weight_without_echoes": numbers**2,
        "echo_of": np.array([-1, 0, 2**40, -1]),
    }
    posterior = PosteriorSamples(
        rng.integers(0, 4, (5, 4)), numbers, numbers, sampler="beam", **(more if is_whole else {})
    )
    labels = np.array([0, 1, -1, 1, 0], np.int32)
    p, exists = rng.random((2, 5)).astype(np.float32)
    way = Alternative(labels, p, 0.1, np.nan, exists[:2], 0.3)
    command = Resample(7, (3, 1), posterior, (way, replace(way, mass_waveforms=None)), "search 3 by beam")
    again = from_json(json.loads(json.dumps(to_json(command), allow_nan=False)))
    assert isinstance(again, Resample)
    assert (again.component_id, again.unit_ids, again.words) == (7, (3, 1), "search 3 by beam")
    pairs = [(again.posterior, posterior), *zip(again.alternatives, command.alternatives, strict=True)]
    for one, other in pairs:
        for name in (field.name for field in fields(other)):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
            if isinstance(getattr(other, name), np.ndarray):
                assert getattr(one, name).dtype == getattr(other, name).dtype


def test_every_kind_of_command_has_a_name_of_its_own_and_plans_itself() -> None:
    assert list(COMMANDS) == [kind.name for kind in KINDS]
    assert all(callable(kind.plan) for kind in COMMANDS.values())


@pytest.mark.parametrize(
    "change",
    [{"unit_ids": 3}, {"unit_ids": ["3", 4]}, {"unit_ids": [True, 4]}, {"into": 2.5}, {"into": None}],
)
def test_values_of_another_kind_are_refused(change: dict[str, Any]) -> None:
    with pytest.raises(CurationError, match="'merge' is damaged"):
        from_json({"do": "merge", "unit_ids": [3, 4], **change})


@pytest.mark.parametrize(
    "change",
    [{"dtype": "<f8"}, {"dtype": "O"}, {"dtype": ["<i4"]}, {"shape": [3]}, {"shape": "x"}, {"data": None}],
)
def test_arrays_of_another_kind_are_refused(change: dict[str, Any]) -> None:
    value = to_json(Assign([1, 2], [0, 1]))
    with pytest.raises(CurationError, match="'assign' is damaged"):
        from_json({**value, "spike_ids": {**value["spike_ids"], **change}})


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
    with pytest.raises(CurationError, match="'explode' is not known; known: merge, assign, label"):
        from_json({"do": "explode"})
    value = to_json(Assign([1], [0]))
    with pytest.raises(CurationError, match="'assign' is damaged"):
        from_json({**value, "spike_ids": {**value["spike_ids"], "data": "AAAA"}})
    with pytest.raises(CurationError, match="'merge' is damaged"):
        from_json({"do": "merge"})
    with pytest.raises(CurationError, match="not known"):
        from_json([])


def test_a_command_whose_name_is_no_text_is_refused_as_one_that_is_not_known() -> None:
    with pytest.raises(CurationError, match=r"curation command '\[\]' is not known"):
        from_json({"do": [], "units": [1]})


# -- words and marks ---------------------------------------------------------------------------------


def test_four_units_are_named_and_more_are_not() -> None:
    assert SetLabel((3,), "good").words == "label unit 3 good"
    assert SetLabel((4, 3, 2, 1), "good", why="by itself").words == "label units 1, 2, 3, 4 good, by itself"
    assert SetAccepted((1, 2, 3, 4, 5)).words == "accept units 1, 2, 3, 4 …"
    assert SetAccepted((1,), accepted=False).words == "open again unit 1"
    assert Link((1, 2), same=True).words == "1 and 2 are one neuron"
    assert [
        SetWords((1,), kind, text).words for kind, text in (("tag", "a"), ("note", "a"), ("tag", ""))
    ] == [
        "tag unit 1 'a'",
        "note on unit 1",
        "take the tag off unit 1",
    ]


def edited(*commands: Command) -> History:
    """What is left of units 0, 0, 0, 1, 1 and 4 after some commands."""
    history = History(Clustering([0, 0, 0, 1, 1, 4]))
    for command in commands:
        history.do(command)
    return history


def units(history: History) -> list[int]:
    return history.clustering.unit_of_spike.tolist()


def test_new_units_get_numbers_above_all_that_there_were_one_after_the_other() -> None:
    assert units(edited(Assign([0, 1, 3], [1, 0, 1]))) == [6, 5, 0, 6, 1, 4]
    assert units(edited(Assign([0, 1, 3], [1, 0, 1], unit_ids=(-1, 1)))) == [1, 5, 0, 1, 1, 4]
    assert units(edited(Assign([0, 3], [-1, 0], unit_ids=(4,)))) == [-1, 0, 0, 4, 1, 4]
    assert units(edited(Merge((0, 1)), Merge((4, 5)))) == [6] * 6
    assert units(edited(Merge((0, 1), into=9))) == [9, 9, 9, 9, 9, 4]


def test_a_new_unit_has_the_mark_of_the_one_that_most_of_its_spikes_come_from_and_is_not_accepted() -> None:
    history = edited(
        SetLabel((0,), "good"), SetLabel((1,), "mua"), SetAccepted((0, 1)), Assign([0, 1, 3], [0] * 3)
    )
    assert history.labels.mark(5).label == "good"
    assert not history.labels.is_accepted(5)
    assert history.labels.is_accepted(0)
    assert edited(SetLabel((1,), "mua"), Assign([0, 3, 4], [0] * 3)).labels.label(5) == "mua"


def test_a_unit_that_spikes_move_to_keeps_its_mark() -> None:
    history = edited(SetLabel((0,), "good"), SetAccepted((4,)), Assign([0, 1], [0, 0], unit_ids=(4,)))
    assert history.labels.label(4) == "unsorted"
    assert history.labels.is_accepted(4)


def test_a_label_alone_decides_nothing_and_acceptance_and_links_do() -> None:
    history = History(Clustering([0, 0, 1, 1]))
    told = [history.do(one).decides for one in (SetLabel((0,), "good"), SetAccepted((0,)), SetAccepted((0,)))]
    assert told == [False, True, True]
    assert history.do(SetWords((1,), "note", "hm")).decides is False
    assert history.do(Link((0, 1), same=False)).decides is True


def test_spikes_without_a_cluster_or_probability_each_are_refused() -> None:
    for given in (([1, 2], [0]), ([1], [0], [0.5, 0.5]), ([], [])):
        with pytest.raises(CurationError, match="assigning needs one cluster and probability a spike"):
            Assign(*given)  # type: ignore[arg-type]
    for cluster in ([-2, 0], [0, 2]):
        with pytest.raises(CurationError, match=r"local clusters must be -1 \.\. 1, got"):
            Assign([1, 2], cluster, unit_ids=(3, 4))
