"""Places of contacts have a unit, three dimensions and sides; a wiring says each channel once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ncpgui.core.errors import InputError, RecordingError
from ncpgui.ephys.probes import load_probe, load_wired_probe
from ncpgui.ephys.wired_probe import WiredProbe, wired_probe

LINE = np.array([[0.0, 0], [0, 25], [0, 50], [0, 75]])


def distances(places: np.ndarray) -> np.ndarray:
    return np.linalg.norm(places[:, None] - places[None], axis=2)


@pytest.mark.parametrize("shape", [(4,), (4, 1), (4, 4), (0, 2), (2, 2, 2)])
def test_places_in_other_than_two_or_three_dimensions_are_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(InputError) as raised:
        wired_probe(np.ones(shape))
    said = "places of contacts must be (n_contacts, 2) or (n_contacts, 3), got shape"
    assert str(raised.value) == f"{said} {shape}"


@pytest.mark.parametrize(
    ("unit", "factor"),
    [("um", 1), ("\u00b5m", 1), ("mm", 1e-3), ("m", 1e-6), ("Millimeters", 1e-3), ("nm", 1e3)],
)
def test_places_are_converted_from_their_unit(unit: str, factor: float) -> None:
    np.testing.assert_allclose(wired_probe(LINE * factor, unit=unit).probe.positions_um, LINE)


def test_an_unknown_unit_and_places_closer_than_any_are_refused() -> None:
    with pytest.raises(
        InputError, match="places of contacts are in 'inch', which is not a unit known here; use um"
    ):
        wired_probe(LINE, unit="inch")
    with pytest.raises(InputError, match=r"contacts of the probe are 0.025 um apart.*are they in mm\?"):
        wired_probe(LINE / 1000)
    assert wired_probe(LINE / 25).probe.pitch_um == 1  # places that only count contacts


@pytest.mark.parametrize("axes", [(0, 1), (1, 2), (0, 2), (2, 1)])
def test_a_coordinate_that_is_constant_is_left_out_and_the_others_stay(axes: tuple[int, int]) -> None:
    flat = np.array([[0.0, 3], [10, 7], [20, 80], [5, 100]])
    places = np.full((4, 3), 9.0)
    places[:, sorted(axes)] = flat
    assert wired_probe(places).probe.positions_um.tolist() == flat.tolist()


def test_a_slanted_plane_keeps_all_distances() -> None:
    rng = np.random.default_rng(0)
    flat = rng.uniform(0, 300, (12, 2))
    turned = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    places = np.column_stack([flat, np.zeros(12)]) @ turned + [100, 200, 300]
    np.testing.assert_allclose(distances(wired_probe(places).probe.positions_um), distances(flat), atol=1e-5)


def test_a_line_in_space_is_a_line_upwards() -> None:
    places = np.outer(np.arange(4) * 25.0, [2 / 3, 1 / 3, 2 / 3])
    got = wired_probe(places).probe.positions_um
    np.testing.assert_allclose(got[:, 0], got[0, 0], atol=1e-5)
    np.testing.assert_allclose(np.diff(got[:, 1]), 25, atol=1e-5)
    assert not np.signbit(got[got == 0]).any(), "no place is minus nought"


def test_shanks_in_parallel_planes_are_flattened_and_others_are_refused() -> None:
    near = np.array([[0.0, 0, 0], [0, 20, 0], [15, 0, 0], [15, 20, 0]])
    both = np.concatenate([near, near + np.array([0, 0, 250])])
    probe = wired_probe(both, shanks=[1] * 4 + [2] * 4).probe
    assert probe.positions_um.tolist() == both[:, :2].tolist()
    with pytest.raises(
        InputError, match=r"do not lie in one plane: contact \d is 7.5 um away from it; give pl"
    ):
        wired_probe(both)


def test_places_that_are_no_numbers_are_named() -> None:
    places = np.column_stack([LINE, [0, 0, np.nan, 0]])
    with pytest.raises(InputError, match="contact 2 of the probe has no finite position"):
        wired_probe(places)


@pytest.mark.parametrize(
    ("channels", "words"),
    [
        ([0, 1, 1, 2], "contacts 1 and 2 of the probe are both wired to channel 1"),
        ([0, 1, 2], "has 4 contacts, but 3 of them have a channel"),
        ([0, 1, 2.5, 3], r"contact 2 of the probe is wired to channel 2.5; give whole numbers"),
        ([-1, -1, -1, -1], "no contact of the probe is wired to a channel"),
        ([0, 1, np.inf, 3], "is wired to channel inf"),
    ],
)
def test_a_wiring_that_says_two_things_is_refused(channels: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        wired_probe(LINE, channels=channels)


def test_contacts_are_put_in_the_order_of_channels_and_unwired_ones_left_out() -> None:
    wired = wired_probe(LINE, channels=[5, -1, 0, 2], shanks=[7, 7, 8, 8])
    assert wired.channels is not None
    assert wired.channels.tolist() == [0, 2, 5]
    assert wired.probe.positions_um[:, 1].tolist() == [50, 75, 0]
    assert wired.probe.shank.tolist() == [8, 8, 7]
    assert wired.columns_of(6).tolist() == [0, 2, 5]
    with pytest.raises(
        InputError, match=r"wired to channel 5, and channels count from 0 to 4; correct the wir"
    ):
        wired.columns_of(5)


def test_a_probe_without_wiring_has_a_contact_for_every_channel() -> None:
    assert WiredProbe(load_probe("tetrode")).columns_of(4).tolist() == [0, 1, 2, 3]
    with pytest.raises(
        InputError, match="probe has 4 contacts but the recording has 5 channels; pass a probe of 5"
    ):
        WiredProbe(load_probe("tetrode")).columns_of(5)


# -- files --------------------------------------------------------------------------------------


def interface(path: Path, *, positions: np.ndarray = LINE, unit: str = "um", **more: Any) -> Path:
    """A probe as probeinterface writes it."""
    import probeinterface

    made = probeinterface.Probe(ndim=positions.shape[1], si_units=unit)
    axes = {} if positions.shape[1] == 2 else {"plane_axes": np.tile(np.eye(3)[:2], (len(positions), 1, 1))}
    sides = {"contact_sides": more["sides"]} if "sides" in more else {}
    made.set_contacts(positions, shapes="circle", shape_params={"radius": 5 * 1e-3}, **axes, **sides)
    if "channels" in more:
        made.set_device_channel_indices(more["channels"])
    probeinterface.write_probeinterface(path, made)
    return path


def test_probeinterface_in_millimetres_and_in_space(tmp_path: Path) -> None:
    mm = interface(tmp_path / "mm.json", positions=LINE / 1000, unit="mm")
    np.testing.assert_allclose(load_probe(mm).positions_um, LINE)
    deep = np.column_stack([np.zeros(4), LINE])
    np.testing.assert_allclose(load_probe(interface(tmp_path / "d.json", positions=deep)).positions_um, LINE)


def test_sides_of_a_probe_are_never_neighbours(tmp_path: Path) -> None:
    both = np.concatenate([LINE, LINE])
    path = interface(tmp_path / "two.json", positions=both, sides=["front"] * 4 + ["back"] * 4)
    probe = load_probe(path)
    assert probe.positions_um.tolist() == both.tolist()
    assert len(set(probe.shank[:4])) == len(set(probe.shank[4:])) == 1
    assert set(probe.neighbours(1, radius_um=30).tolist()) == {0, 1, 2}


def test_probes_that_are_wired_to_the_same_channels_are_refused(tmp_path: Path) -> None:
    one = json.loads(interface(tmp_path / "p.json", channels=[0, 1, 2, 3]).read_text())
    one["probes"] *= 2
    (tmp_path / "two.json").write_text(json.dumps(one))
    with pytest.raises(
        RecordingError, match=r"two.json: contacts 0 and 4 .* both wired to channel 0; channels"
    ):
        load_probe(tmp_path / "two.json")


def kilosort(path: Path, **changes: Any) -> Path:
    value = {
        "chanMap": [3, 0, 1, 2],
        "xc": [0] * 4,
        "yc": [75, 0, 25, 50],
        "kcoords": [0, 0, 1, 1],
        "n_chan": 6,
    }
    path.write_text(json.dumps({**value, **changes}))
    return path


def test_a_probe_of_kilosort_is_read_with_its_wiring_and_shanks(tmp_path: Path) -> None:
    wired = load_wired_probe(kilosort(tmp_path / "ks.json"))
    assert wired.n_columns == 6
    assert wired.columns_of(6).tolist() == [0, 1, 2, 3]
    assert wired.probe.positions_um[:, 1].tolist() == [0, 25, 50, 75]
    assert wired.probe.shank.tolist() == [0, 1, 1, 0]
    with pytest.raises(RecordingError, match=r"xc has 4 contacts, yc 3"):
        load_probe(kilosort(tmp_path / "bad.json", yc=[0, 1, 2]))


def test_json_of_no_probe_and_a_channel_map_of_matlab_say_what_is_read(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text('{"electrodes": []}')
    with pytest.raises(
        RecordingError, match=r"x.json: it is JSON of no probe: that of probeinterface has 'pro"
    ):
        load_probe(tmp_path / "x.json")
    (tmp_path / "chanMap.mat").write_bytes(b"MATLAB 5.0")
    with pytest.raises(RecordingError, match=r"ending '.mat'; .*of Kilosort's channel map, give the JSON"):
        load_probe(tmp_path / "chanMap.mat")


PRB = """
total_nb_channels = 6
radius = 100
channel_groups = {1: {}}
channel_groups[1]["channels"] = [4, 0, 2]
channel_groups[1]["graph"] = []
channel_groups[1]["geometry"] = {0: [0, 0], 2: [0, 20], 4: [0, 40]}
"""


def test_a_prb_that_assigns_to_its_groups_is_read(tmp_path: Path) -> None:
    (tmp_path / "p.prb").write_text(PRB)
    wired = load_wired_probe(tmp_path / "p.prb")
    assert wired.n_columns == 6
    assert wired.columns_of(6).tolist() == [0, 2, 4]
    assert wired.probe.positions_um[:, 1].tolist() == [0, 20, 40]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (
            "for c in range(3): channel_groups[1]['geometry'][c] = (0, c)",
            "line 8, 'for c in .* is not a plain value",
        ),
        ("channel_groups[1]['geometry'] = places()", "line 8, .* is not a plain value of channel_groups"),
        ("channel_groups.update({})", "line 8, .* is not a plain value of channel_groups"),
        (
            "channel_groups[2] = {'channels': [0]}",
            "group 2 of channel_groups has no 'channels' or no 'geometry'",
        ),
        ("channel_groups[1]['channels'] = [0, 9]", "channel 9 of group 1 has no place in 'geometry'"),
        (
            "channel_groups[1]['channels'] = [0, 0]",
            "contacts 0 and 1 of the probe are both wired to channel 0",
        ),
        ("channel_groups[1]['geometry'] = {0: (0, 0, 0), 2: (0, 1), 4: (0, 2)}", "others in three"),
        ("channel_groups[1].update(geometry={})", "is not a plain value of channel_groups"),
    ],
)
def test_a_prb_that_cannot_be_read_as_a_whole_is_refused(tmp_path: Path, line: str, words: str) -> None:
    (tmp_path / "p.prb").write_text(PRB + line + "\n")
    with pytest.raises(RecordingError, match=rf"p.prb.*{words}"):
        load_probe(tmp_path / "p.prb")


@pytest.mark.parametrize(
    ("text", "places", "shanks", "channels"),
    [
        ("x,y\n0,0\n0,25\n", [[0, 0], [0, 25]], [0, 0], None),
        ("x_mm,y_mm\n0,0\n0,0.025\n", [[0, 0], [0, 25]], [0, 0], None),
        ("X (mm);Y (mm)\n0;0\n0;0.025\n", [[0, 0], [0, 25]], [0, 0], None),
        ("y\tx\n25\t0\n0\t1\n", [[0, 25], [1, 0]], [0, 0], None),
        ("channel,x,y\n1,0,25\n0,0,0\n", [[0, 0], [0, 25]], [0, 0], [0, 1]),
        (",x,y,channel\n0,0,25,7\n1,0,0,2\n", [[0, 0], [0, 25]], [0, 0], [2, 7]),
        ("x,y,shank\n0,0,3\n0,0,1\n", [[0, 0], [0, 0]], [3, 1], None),
        ("x,y,shank\n0,0,A10\n0,0,A9\n", [[0, 0], [0, 0]], [1, 0], None),
        ("x,y,side\n0,0,front\n0,0,back\n", [[0, 0], [0, 0]], [1, 0], None),
        ("x,y,z\n0,0,0\n0,0,25\n", [[0, 0], [0, 25]], [0, 0], None),
        ("x um,y um\n0,0\n0,25\n", [[0, 0], [0, 25]], [0, 0], None),
    ],
)
def test_tables_are_read_by_their_columns(
    tmp_path: Path, text: str, places: list[list[float]], shanks: list[int], channels: list[int] | None
) -> None:
    (tmp_path / "p.csv").write_text(text)
    wired = load_wired_probe(tmp_path / "p.csv")
    np.testing.assert_allclose(wired.probe.positions_um, places)
    assert wired.probe.shank.tolist() == shanks
    assert (None if wired.channels is None else wired.channels.tolist()) == channels


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("0,0,0\n0,25,0\n", "rows have 3 cells and no header says what they are; write one, such as 'x,y'"),
        ("x,height\n0,0\n", r"header has no columns x and y \(it has x, height\)"),
        ("x_mm,y_um\n0,0\n", r"in several units \(mm, um\)"),
        ("x_furlong,y_furlong\n0,0\n1,1\n", "are in 'furlong', which is not a unit"),
        ("x,y\n0,0\n0\n", "row 2 has 1 cells, too few"),
        ("x;y\n0;0\n0;12,5\n", "'12,5' is not a place; write numbers, with a point for decimals"),
        ("channel,x,y\n0,0,0\n0,0,25\n", "both wired to channel 0"),
        ("x,y\n0,0\n0,0.025\n", "0.025 um apart"),
    ],
)
def test_tables_that_leave_something_open_are_refused(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "p.csv").write_text(text)
    with pytest.raises(RecordingError, match=rf"p.csv: .*{words}"):
        load_probe(tmp_path / "p.csv")
