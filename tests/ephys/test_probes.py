"""Probes by name and from files; hostile or damaged files are refused."""

from __future__ import annotations

import json

import numpy as np
import pytest

from ncpgui.core.errors import InputError, RecordingError
from ncpgui.core.probe import Probe
from ncpgui.ephys.probes import describe_probe, load_probe
from ncpgui.sorting.config import SortingConfig, detection_radius_um, neighbour_radius_um


def test_hexagonal_array_has_49_contacts_and_six_nearest_neighbours():
    probe = load_probe("hex49-30")
    assert probe.n_channels == 49
    assert probe.pitch_um == pytest.approx(30)
    middle = 3 * 7 + 3
    assert len(probe.neighbours(middle, radius_um=31)) == 7


def test_named_probes_have_the_pitch_they_say():
    assert load_probe("linear-4-25").positions_um[:, 1].tolist() == [0, 25, 50, 75]
    assert load_probe("tetrode").pitch_um == 50
    assert load_probe("single").n_channels == 1


def test_unknown_name_says_which_there_are():
    with pytest.raises(RecordingError, match=r"no probe called 'octagon'.*tetrode.*hexN"):
        load_probe("octagon")
    with pytest.raises(RecordingError, match="no probe called 'xxx"):
        load_probe("x" * 300)


def test_csv_with_and_without_header(tmp_path):
    (tmp_path / "a.csv").write_text("x,y\n0,0\n10,5\n")
    (tmp_path / "b.csv").write_text("0,0\n10,5\n")
    for name in ("a.csv", "b.csv"):
        assert load_probe(tmp_path / name).positions_um.tolist() == [[0, 0], [10, 5]]


def test_probeinterface_file_is_put_in_channel_order(tmp_path):
    import probeinterface

    layout = probeinterface.Probe(ndim=2, si_units="um")
    layout.set_contacts(
        positions=np.array([[0, 0], [0, 20], [0, 40]]), shapes="circle", shape_params={"radius": 5}
    )
    layout.set_device_channel_indices([2, 0, 1])
    probeinterface.write_probeinterface(tmp_path / "p.json", layout)
    assert load_probe(tmp_path / "p.json").positions_um[:, 1].tolist() == [20, 40, 0]


def test_prb_is_read_as_literals_and_never_run(tmp_path):
    marker = tmp_path / "was run"
    (tmp_path / "p.prb").write_text(
        f"import pathlib; pathlib.Path({str(marker)!r}).touch()\n"
        "total_nb_channels = 3\n"
        "channel_groups = {0: {'channels': list(range(3)),\n"
        "    'geometry': {0: (0, 0), 1: (0, 20), 2: (0, 40)}}}\n"
    )
    assert load_probe(tmp_path / "p.prb").positions_um[:, 1].tolist() == [0, 20, 40]
    assert not marker.exists()


FOUR_D = {"ndim": 4, "si_units": "um"}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.json", "{"),
        ("a.json", json.dumps({"x": 1})),
        ("a.json", json.dumps({"specification": "probeinterface", "version": "1", "probes": [FOUR_D]})),
        ("a.csv", ""),
        ("a.csv", "x,y\n1,spam\n"),
        ("a.csv", "x,y\n1," + "2" * 200_000),
        ("a.csv", "x,y,shank\n0,0,1e300\n"),
        ("a.csv", "x,y,shank\n0,0,inf\n"),
        ("a.prb", "channel_groups = open('/etc/passwd')"),
        ("a.prb", "channel_groups = {"),
        ("a.yaml", "x: 1"),
    ],
)
def test_damaged_probe_file_is_one_clear_error(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    with pytest.raises(RecordingError, match=name):
        load_probe(tmp_path / name)


def test_contacts_at_one_place_are_refused_with_the_file(tmp_path):
    (tmp_path / "twice.csv").write_text("0,0\n0,0\n")
    with pytest.raises(RecordingError, match=r"twice.csv: contacts 0 and 1 of the probe share"):
        load_probe(tmp_path / "twice.csv")


def test_description_is_plain_and_reads_back():
    probe = Probe(np.array([[0.0, 1.0], [2.0, 3.0]]), np.array([0, 1]))
    again = load_probe(json.loads(json.dumps(describe_probe(probe))))
    assert again.positions_um.tolist() == probe.positions_um.tolist()
    assert again.shank.tolist() == [0, 1]
    assert describe_probe("hex7") == "hex7"


def test_probe_of_another_size_is_refused():
    with pytest.raises(InputError, match="probe has 4 contacts but the recording has 32 channels"):
        load_probe("tetrode", n_channels=32)


def two_tetrodes(folder) -> Probe:
    """Two tetrodes of 25 µm whose .prb gives both the same coordinates, as klusta's do."""
    square = "[(0, 0), (25, 0), (0, 25), (25, 25)]"
    (folder / "two.prb").write_text(
        "channel_groups = {\n"
        f"  0: {{'channels': [0, 1, 2, 3], 'geometry': {square}}},\n"
        f"  1: {{'channels': [4, 5, 6, 7], 'geometry': {square}}},\n"
        "}\n"
    )
    return load_probe(folder / "two.prb")


def test_tetrodes_with_the_same_coordinates_keep_their_own_distances(tmp_path):
    probe = two_tetrodes(tmp_path)
    assert probe.pitch_um == 25
    assert probe.neighbours(5, radius_um=40).tolist() == [5, 4, 7, 6]
    assert neighbour_radius_um(SortingConfig(), probe) == 40
    assert detection_radius_um(SortingConfig(), probe) == 50


def test_contacts_alone_on_their_shank_have_no_pitch():
    assert Probe(np.zeros((3, 2)), np.array([0, 1, 2])).pitch_um == 0
    mixed = Probe(np.array([[0.0, 0], [0, 30], [5, 0]]), np.array([0, 0, 1]))
    assert mixed.pitch_um == 30  # the lone contact has no neighbour


def test_shanks_at_one_place_are_drawn_side_by_side(tmp_path):
    drawn = two_tetrodes(tmp_path).drawn_positions_um
    assert drawn[:4].tolist() == [[0, 0], [25, 0], [0, 25], [25, 25]]
    assert (drawn[4:] - drawn[:4]).tolist() == [[75, 0]] * 4  # the width and two pitches


def test_shanks_that_lie_apart_are_drawn_where_they_are():
    positions = np.array([[0.0, 0], [0, 20], [200, 0], [200, 20]])
    assert Probe(positions, np.array([0, 0, 1, 1])).drawn_positions_um.tolist() == positions.tolist()


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("tetrod", "tetrode"),
        ("Tetrode", "tetrode"),
        ("tetrode_40", "tetrode-40"),
        ("lineer-16-25", "linear-16-25"),
        ("Linear 16", "linear-16"),
        ("hax49", "hex49"),
        ("singel", "single"),
        ("octagon", ""),
        ("linear-0", ""),
        ("lines/x", ""),
        ("", ""),
    ],
)
def test_a_probe_that_is_not_known_suggests_the_nearest_with_its_numbers(name: str, near: str) -> None:
    with pytest.raises((RecordingError, InputError)) as caught:
        load_probe(name)
    assert ("; did you mean" in str(caught.value)) == bool(near)
    assert str(caught.value).endswith(f"; did you mean '{near}'?" if near else "")
