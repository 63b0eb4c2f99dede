"""What an exporter may write fits together, or is refused; what it says of units is counted by hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ncpgui.core.clock import Clock
from ncpgui.core.errors import InputError
from ncpgui.core.unit_table import UnitTable
from ncpgui.export.bundle import ExportBundle, name_column
from ncpgui.export.unit_ids import LARGEST_CLUSTER

Make = Callable[..., ExportBundle]


def of_units(make: Make, units: list[int], **changes: Any) -> ExportBundle:
    """A bundle whose spikes are of these units, about which nothing else is known."""
    one = make(n_spikes=len(units))
    sorting = replace(one.sorting, unit_id=np.array(units), labels={}, p_exists={}, main_channel={})
    return replace(one, sorting=sorting, templates=None, numbers=None, **changes)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"amplitude": np.zeros(299)}, "300 spikes but 299 amplitudes; give one a spike"),
        ({"unit_before_merges": np.zeros(301, int)}, "300 spikes but 301 units before merges"),
        ({"noise_sd": np.ones(2)}, "export does not fit: 3 contacts but 2 noise levels"),
        ({"gain_uv": np.ones(4)}, "export does not fit: 3 contacts but 4 gains"),
        (
            {"templates": np.zeros((2, 40, 3))},
            r"templates must be \(3 units, n_times, 3 channels\), got shape",
        ),
        ({"templates": np.zeros((3, 40, 2))}, r"templates must be \(3 units"),
        ({"templates": np.zeros((3, 40))}, r"templates must be \(3 units"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(
    bundle: ExportBundle, changes: dict[str, Any], words: str
) -> None:
    with pytest.raises(InputError, match=words):
        replace(bundle, **changes)


def test_unassigned_spikes_are_refused(make_bundle: Make) -> None:
    with pytest.raises(InputError, match="an export takes assigned spikes only; leave out those of unit -1"):
        of_units(make_bundle, [0, -1, 2])
    assert of_units(make_bundle, [0, 0, 2]).unit_ids.tolist() == [0, 2]


def test_what_is_known_of_units_is_known_of_all_of_them_or_of_none(bundle: ExportBundle) -> None:
    for name in ("p_exists", "main_channel"):
        known = {unit: value for unit, value in getattr(bundle.sorting, name).items() if unit != 5}
        with pytest.raises(InputError, match=f"{name} lacks unit 5; give it for every unit or for none"):
            replace(bundle, sorting=replace(bundle.sorting, **{name: known}))
        assert replace(bundle, sorting=replace(bundle.sorting, **{name: {}}))
    assert bundle.numbers is not None
    two = UnitTable(np.array([5, 40]), {name: values[1:] for name, values in bundle.numbers.columns.items()})
    with pytest.raises(InputError, match="numbers lacks unit 2"):
        replace(bundle, numbers=two)


def test_a_merge_takes_whole_units(make_bundle: Make) -> None:
    with pytest.raises(
        InputError, match="unit 4 before merges has spikes of the units 7 and 9; a merge takes"
    ):
        of_units(make_bundle, [7, 7, 9, 9], unit_before_merges=np.array([3, 4, 4, 5]))


def test_parts_are_those_of_units_that_have_several_and_merges_name_them(make_bundle: Make) -> None:
    merged = of_units(make_bundle, [7, 7, 7, 9, 9], unit_before_merges=np.array([3, 1, 1, 5, 5]))
    assert merged.parts.tolist() == [3, 1, 1, 9, 9]  # a unit of one part is called as it is now
    assert merged.merges == {7: [1, 3]}
    plain = of_units(make_bundle, [7, 7, 9])
    assert plain.parts.tolist() == [7, 7, 9]
    assert plain.merges == {}


def test_seconds_are_those_of_the_clock_of_the_whole_recording(bundle: ExportBundle) -> None:
    assert bundle.time_s[:4] == pytest.approx([50 / 24_000] * 3 + [150 / 24_000])
    assert not bundle.has_own_times
    assert bundle.sorted_s.tolist() == [[0, 1]]
    late = replace(bundle, recording=replace(bundle.recording, own_clock=Clock(24_000.0, [0], [5.0])))
    assert late.time_s[0] == pytest.approx(5 + 50 / 24_000)
    assert late.has_own_times


@pytest.mark.parametrize(("late_samples", "own"), [(0.4, False), (0.6, True), (-0.6, True)])
def test_less_than_half_a_sample_is_no_time_of_its_own(
    bundle: ExportBundle, late_samples: float, own: bool
) -> None:
    clock = Clock(24_000.0, [0], [late_samples / 24_000])
    assert replace(bundle, recording=replace(bundle.recording, own_clock=clock)).has_own_times is own


def test_times_are_the_recording_s_own_where_a_pause_moves_some_of_them(bundle: ExportBundle) -> None:
    """Spikes before the pause have the seconds of their samples, those after it have not."""
    rate = bundle.sorting.sampling_frequency_hz
    paused = Clock(rate, [0, 4999, 5000], [0.0, 4999 / rate, 5 + 5000 / rate])
    late = replace(bundle, recording=replace(bundle.recording, own_clock=paused))
    even = bundle.sorting.sample_index / rate
    assert late.time_s[0] == pytest.approx(even[0])
    assert late.time_s[-1] == pytest.approx(5 + even[-1])
    assert late.has_own_times


def test_rates_are_over_what_was_sorted(bundle: ExportBundle) -> None:
    assert bundle.units["rate_hz"].tolist() == [100, 100, 100]
    part = replace(bundle, recording=replace(bundle.recording, first_sample=12_000, n_samples=12_000))
    assert part.first_sample == 12_000
    assert part.units["rate_hz"].tolist() == [200, 200, 200]
    assert part.sorted_s.tolist() == [[0.5, 1]]


def test_the_main_channel_is_that_of_the_sorting_else_of_the_largest_template_else_0(
    bundle: ExportBundle,
) -> None:
    assert bundle.units["channel"].tolist() == [0, 1, 2]
    untold = replace(bundle, sorting=replace(bundle.sorting, main_channel={}))
    assert untold.units["channel"].tolist() == [0, 1, 2]
    assert replace(untold, templates=None).units["channel"].tolist() == [0, 0, 0]


def test_columns_are_there_where_something_is_known(bundle: ExportBundle, make_bundle: Make) -> None:
    few = of_units(make_bundle, [0, 1, 1])
    for name in ("p_exists", "p_neuron", "sampler", "tag", "note", "si_unit_id", "unit_name"):
        assert few.units.get(name) is None, name
    assert few.units["label"].tolist() == ["unsorted", "unsorted"]
    told = replace(few, tags={1: "axon"}, notes={0: ""}, sampler={1: "beam"}, phy_names={0: 3, 1: 7})
    assert told.units["tag"].tolist() == ["", "axon"]
    assert told.units.get("note") is None
    assert told.units["si_unit_id"].tolist() == ["3", "7"]
    first, second = told.units["sampler"].tolist()
    assert (first, second[:5]) == ("draws", "beam:")
    assert replace(few, sampler={0: "draws", 1: "draws"}).units.get("sampler") is None


@pytest.mark.parametrize(
    ("names", "column"),
    [
        ([0, 5], "si_unit_id"),
        ([LARGEST_CLUSTER], "si_unit_id"),
        ([LARGEST_CLUSTER + 1], "unit_name"),
        ([-1], "unit_name"),
        ([3, "a"], "unit_name"),
        ([], "si_unit_id"),
    ],
)
def test_names_that_spikeinterface_can_count_have_its_column(names: list[int | str], column: str) -> None:
    assert name_column(names) == column


def test_units_are_called_by_their_names_or_their_numbers(bundle: ExportBundle) -> None:
    named = replace(bundle, names={5: "five"})
    assert named.unit_names == [2, "five", 40]
    assert named.called(np.array([5, 7])) == ["five", 7]
    assert named.unit_index[:3].tolist() == np.searchsorted([2, 5, 40], bundle.sorting.unit_id[:3]).tolist()
