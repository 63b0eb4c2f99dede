"""Probes are read from each kind of file with places, wiring and shanks; what is missing is named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ncpgui.core.errors import InputError, RecordingError
from ncpgui.ephys.probe_files import of_probeinterface, probe_of_file
from ncpgui.ephys.wired_probe import WiredProbe


def read(tmp_path: Path, text: str, name: str = "a.csv") -> WiredProbe:
    (tmp_path / name).write_text(text)
    return probe_of_file(tmp_path / name)


def places(found: WiredProbe) -> list[list[float]]:
    return found.probe.positions_um.tolist()


def shanks(found: WiredProbe) -> list[int]:
    assert found.probe.shank is not None
    return found.probe.shank.tolist()


def refused(tmp_path: Path, text: str, name: str) -> str:
    with pytest.raises(RecordingError) as told:
        read(tmp_path, text, name)
    return str(told.value)


# -- endings -----------------------------------------------------------------------------------------


def test_an_ending_in_capitals_is_known_and_another_is_refused_with_those_that_are(tmp_path: Path) -> None:
    assert places(read(tmp_path, "0,0\n0,20\n", "a.CSV")) == [[0, 0], [0, 20]]
    for ending in ("txt", "tsv"):
        assert len(places(read(tmp_path, "x\ty\n0\t0\n0\t20\n", f"a.{ending}"))) == 2
    assert refused(tmp_path, "", "a.yaml").endswith("use .json (probeinterface, Kilosort), .prb or .csv")
    assert refused(tmp_path, "", "a.mat").endswith("; of Kilosort's channel map, give the JSON")


# -- Kilosort ----------------------------------------------------------------------------------------

KILOSORT = {"chanMap": [2, 0, 1], "xc": [0, 0, 0], "yc": [0, 20, 40], "kcoords": [0, 0, 1], "n_chan": 5}


def kilosort(tmp_path: Path, **changes: Any) -> WiredProbe:
    values = {name: value for name, value in {**KILOSORT, **changes}.items() if value is not None}
    return read(tmp_path, json.dumps(values), "a.json")


def test_a_map_of_kilosort_has_places_by_channel_shanks_and_columns(tmp_path: Path) -> None:
    found = kilosort(tmp_path)
    assert places(found) == [[0, 20], [0, 40], [0, 0]]
    assert shanks(found) == [0, 1, 0]
    assert found.channels is not None
    assert (found.channels.tolist(), found.n_columns) == ([0, 1, 2], 5)


def test_what_a_map_of_kilosort_may_leave_out(tmp_path: Path) -> None:
    found = kilosort(tmp_path, kcoords=None, n_chan=None, chanMap=None)
    assert (places(found), shanks(found)) == ([[0, 0], [0, 20], [0, 40]], [0, 0, 0])
    assert (found.channels, found.n_columns) == (None, None)
    for odd in (0, -3, 5.5, "5"):
        assert kilosort(tmp_path, n_chan=odd).n_columns is None
    assert kilosort(tmp_path, n_chan=1).n_columns == 1
    assert places(kilosort(tmp_path, xc=[[0], [0], [0]]))[2] == [0, 0]


def test_places_of_kilosort_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="xc has 2 contacts, yc 3"):
        kilosort(tmp_path, xc=[0, 0])
    with pytest.raises(RecordingError, match="xc has 3 contacts, connected 2"):
        kilosort(tmp_path, connected=[1, 1])
    with pytest.raises(RecordingError, match=r"contact 1 of the probe is on shank 0\.5"):
        kilosort(tmp_path, kcoords=[0, 0.5, 1])


def test_contacts_of_kilosort_that_are_not_connected_have_no_channel(tmp_path: Path) -> None:
    found = kilosort(tmp_path, connected=[1, 0, 1])
    assert places(found) == [[0, 40], [0, 0]]
    assert found.channels is not None
    assert found.channels.tolist() == [1, 2]
    assert places(kilosort(tmp_path, chanMap=None, connected=[[True], [True], [False]])) == [[0, 0], [0, 20]]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_json_may_have_the_mark_of_its_encoding(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "a.json").write_bytes(json.dumps(KILOSORT).encode(encoding))
    assert places(probe_of_file(tmp_path / "a.json")) == [[0, 20], [0, 40], [0, 0]]


# -- .prb --------------------------------------------------------------------------------------------


def prb(tmp_path: Path, groups: str, more: str = "") -> WiredProbe:
    return read(tmp_path, f"{more}\nchannel_groups = {groups}\n", "a.prb")


def test_groups_are_shanks_and_places_are_by_channel_or_in_order(tmp_path: Path) -> None:
    by_channel = "{'channels': [3, 1], 'geometry': {1: (0, 0), 3: (0, 20)}}"
    in_order = "{'channels': [0, 2], 'geometry': [(0, 5), (0, 30)]}"
    found = prb(tmp_path, f"{{7: {by_channel}, 9: {in_order}}}", "total_nb_channels = 6")
    assert found.channels is not None
    assert found.channels.tolist() == [0, 1, 2, 3]
    assert places(found) == [[0, 5], [0, 0], [0, 30], [0, 20]]
    assert (shanks(found), found.n_columns) == ([1, 0, 1, 0], 6)


def test_columns_that_are_no_number_are_not_told(tmp_path: Path) -> None:
    one = "{0: {'channels': [0], 'geometry': [(0, 0)]}}"
    for text in ("", "total_nb_channels = 0", "total_nb_channels = 'a'", "total_nb_channels = -1"):
        assert prb(tmp_path, one, text).n_columns is None
    assert prb(tmp_path, one, "total_nb_channels = 1").n_columns == 1


@pytest.mark.parametrize(
    ("groups", "words"),
    [
        ("{}", "does not assign 'channel_groups' as plain values"),
        ("[1]", "does not assign 'channel_groups' as plain values"),
        ("{3: [0, 1]}", "group 3 of channel_groups has no 'channels' or no 'geometry'"),
        ("{3: {'channels': [0]}}", "group 3 of channel_groups has no 'channels' or no 'geometry'"),
        ("{3: {'channels': [0, 4], 'geometry': {0: (0, 0)}}}", "channel 4 of group 3 has no place"),
        (
            "{3: {'channels': [5, 4], 'geometry': [(0, 0)]}}",
            "channel 4 of group 3 has no place in 'geometry'",
        ),
        (
            "{0: {'channels': [0, 1], 'geometry': [(0, 0), (0, 9, 9)]}}",
            "some contacts have places in two dimensions, others in three",
        ),
        (
            "{0: {'channels': [0, -2], 'geometry': [(0, 0), (0, 9)]}}",
            "channel -2 does not exist; channels count from 0",
        ),
    ],
)
def test_groups_that_say_too_little_are_refused(tmp_path: Path, groups: str, words: str) -> None:
    with pytest.raises(RecordingError, match=words):
        prb(tmp_path, groups)


# -- probeinterface ------------------------------------------------------------------------------------


class Layout:
    """What is read of a probe of probeinterface."""

    def __init__(self, positions: Any, channels: Any = None, sides: Any = None, ids: Any = None) -> None:
        self.contact_positions = np.array(positions, float)
        self.device_channel_indices, self.contact_sides, self.shank_ids = channels, sides, ids
        self.si_units = "um"


def test_probes_beside_each_other_have_shanks_of_their_own_and_one_wiring() -> None:
    found = of_probeinterface([Layout([(0, 0), (0, 20)], [3, 0]), Layout([(0, 0), (0, 20)], [1, 2])])
    assert shanks(found) == [0, 1, 1, 0]
    assert places(found) == [[0, 20], [0, 0], [0, 20], [0, 0]]
    assert of_probeinterface([Layout([(0, 0), (0, 20)])]).channels is None


def test_sides_and_shanks_of_a_probe_are_apart() -> None:
    found = of_probeinterface([Layout([(0, 0)] * 3 + [(0, 9)], sides=["front", "back", "front", "back"],
                                      ids=["a", "a", "b", "b"])])  # fmt: skip
    assert len(set(shanks(found))) == 4


def test_a_flat_probe_lies_beside_one_in_space() -> None:
    found = of_probeinterface([Layout([(0, 0), (0, 20)]), Layout([(100, 0, 0), (100, 20, 0)])])
    assert places(found) == [[0, 0], [0, 20], [100, 0], [100, 20]]


def test_no_probe_and_one_of_several_without_a_wiring_are_refused() -> None:
    with pytest.raises(InputError, match="there is no probe in it"):
        of_probeinterface([])
    with pytest.raises(InputError, match="probe 1 of 2 has no device_channel_indices; give those of all"):
        of_probeinterface([Layout([(0, 0)], [0]), Layout([(0, 9)])])


def test_units_are_converted() -> None:
    one = Layout([(0, 0), (0, 0.02)])
    one.si_units = "mm"
    assert places(of_probeinterface([one])) == [[0, 0], [0, 20]]


# -- tables --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("wrong", [0.5, None, True, "a", 2**31, -(2**31), 2**70, [0]])
def test_a_wiring_to_what_is_no_channel_is_refused(tmp_path: Path, wrong: object) -> None:
    """probeinterface made channel 0 of half a channel."""
    probe = {"ndim": 2, "si_units": "um", "contact_positions": [[0, 0], [0, 20]]}
    probe |= {"contact_shapes": ["circle"] * 2, "contact_shape_params": [{"radius": 5}] * 2}
    probe |= {"contact_plane_axes": [[[1, 0], [0, 1]]] * 2, "device_channel_indices": [1, wrong]}
    path = tmp_path / "probe.json"
    path.write_text(json.dumps({"specification": "probeinterface", "version": "0.2", "probes": [probe]}))
    with pytest.raises(
        RecordingError, match=r"contact 1 of a probe is wired to .*; channels are whole numbers"
    ):
        probe_of_file(path)


def test_a_table_without_a_header_is_two_columns(tmp_path: Path) -> None:
    assert places(read(tmp_path, "0,0\n1,20\n")) == [[0, 0], [1, 20]]
    assert "its rows have 3 cells and no header says what they are" in refused(tmp_path, "0,0,1\n", "a.csv")


def test_columns_may_come_in_any_order_with_their_unit(tmp_path: Path) -> None:
    found = read(tmp_path, "y (mm),channel,x_mm,name\n0.02,1,0,b\n0,0,0,a\n")
    assert places(found) == [[0, 0], [0, 20]]
    assert found.channels is not None
    assert found.channels.tolist() == [0, 1]
    assert len(places(read(tmp_path, "x,y,z\n0,0,5\n0,20,5\n"))[0]) == 2


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "it is empty; write a header 'x,y'"),
        ("x,y\n1,spam\n", "'spam' is not a place; write numbers, with a point for decimals"),
        ("x,y,channel\n1,2,a\n", "'a' is not a channel"),
        ("x,channel\n1,2\n", r"its header has no columns x and y (it has x, channel)"),
        ("x_um,y_mm\n1,2\n", "its columns are in several units (um, mm); use one"),
        ("x,y,shank\n1,2,0\n1,2\n", "row 2 has 2 cells, too few for its header"),
        ("x,y,shank\n0,0,2e9\n", "contact 0 of the probe is on shank 2000000000.0; give whole numbers"),
        ("x,y,shank\n0,0,nan\n", "contact 0 of the probe is on shank nan; give whole numbers"),
        ("x,y,shank\n0,0,0.5\n", "contact 0 of the probe is on shank 0.5; give whole numbers"),
        ("x,y,unit\n0,0,mm\n0,20,um\n", "its places are in several units (mm, um); use one"),
        ("x_um,y_um,unit\n0,0,mm\n0,20,mm\n", "its places are in several units (mm, um); use one"),
        ("x,y\n0,0\n0,1e300\n", "contacts of the probe are 1e+300 um apart, which is farther than any"),
    ],
)
def test_tables_that_say_too_little_are_refused(tmp_path: Path, text: str, words: str) -> None:
    assert words in refused(tmp_path, text, "a.csv")


def test_shanks_and_sides_of_a_table_are_apart_and_numbers_stay(tmp_path: Path) -> None:
    assert shanks(read(tmp_path, "x,y,shank\n0,0,3\n0,0,7.0\n")) == [3, 7]
    assert shanks(read(tmp_path, "x,y,shank\n0,0,999999999\n")) == [999_999_999]
    assert shanks(read(tmp_path, "x,y,shank\n0,0,b\n0,0,a\n")) == [1, 0]
    assert shanks(read(tmp_path, "x,y,side\n0,0,front\n0,0,Back\n0,9,back\n")) == [1, 0, 0]
    assert len(set(shanks(read(tmp_path, "x,y,shank,side\n0,0,1,a\n0,0,1,b\n0,0,2,a\n")))) == 3
    assert shanks(read(tmp_path, "x,y\n0,0\n0,9\n")) == [0, 0]


@pytest.mark.parametrize(
    "name",
    [
        "ch",
        "chan",
        "Channel ID",
        "channel_number",
        "channels",
        "device_channel_indices",
        "Chan Nr",
        "chanMap",
    ],
)
def test_the_column_of_channels_has_many_names(tmp_path: Path, name: str) -> None:
    assert places(read(tmp_path, f"{name},x,y\n1,0,0\n0,0,20\n")) == [[0, 20], [0, 0]]


def test_the_channel_of_the_device_comes_before_other_numbers_of_channels(tmp_path: Path) -> None:
    table = "channel_id,x,y,device_channel_indices\n0,0,0,1\n1,0,20,0\n"
    assert places(read(tmp_path, table)) == [[0, 20], [0, 0]]


@pytest.mark.parametrize(
    "name", ["group", "probe_index", "Tetrode", "shank_ids", "contact_sides", "group id"]
)
def test_what_tells_contacts_apart_has_many_names(tmp_path: Path, name: str) -> None:
    assert shanks(read(tmp_path, f"x,y,{name}\n0,0,4\n0,0,7\n")) == [4, 7]


def test_probes_and_shanks_of_a_table_are_apart_together(tmp_path: Path) -> None:
    table = "x,y,probe,shank\n0,0,0,0\n0,0,0,1\n0,0,1,0\n"
    assert shanks(read(tmp_path, table)) == [0, 1, 2]


def test_a_column_may_say_the_unit(tmp_path: Path) -> None:
    assert places(read(tmp_path, "x,y,si_units\n0,0,mm\n0,2,mm\n")) == [[0, 0], [0, 2000]]


def test_columns_that_are_not_read_are_said(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    read(tmp_path, "x,y,site,radius\n0,0,7,5\n0,20,8,5\n")
    assert "a.csv: columns that are not read: site, radius" in caplog.text
