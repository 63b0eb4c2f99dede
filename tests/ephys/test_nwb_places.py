"""Places of electrodes of NWB files, which are relative to their group, in two or three dimensions."""

from __future__ import annotations

import math
from datetime import datetime, timezone
from pathlib import Path

import numpy as np
import pytest

from ncpgui.core.errors import InputError
from ncpgui.ephys.readers import available_streams, open_recording, recording_of, reopen

pynwb = pytest.importorskip("pynwb", reason="pynwb (extra nwb) is not installed")
pytestmark = pytest.mark.filterwarnings("ignore")
X, Y, Z = "rel_x", "rel_y", "rel_z"


def nwb(path: Path, places: list[dict[str, float]], groups: list[str] | None = None) -> Path:
    """A file with a series of as many electrodes as `places`, which are what its table has of them."""
    start = datetime(2020, 1, 1, tzinfo=timezone.utc)
    file = pynwb.NWBFile(session_description="about", identifier="one", session_start_time=start)
    device = file.create_device(name="probe")
    names = groups or ["shank"] * len(places)
    made = {
        name: file.create_electrode_group(name=name, description="", location="", device=device)
        for name in dict.fromkeys(names)
    }
    for place, name in zip(places, names, strict=True):
        file.add_electrode(location="unknown", group=made[name], **place)
    region = file.create_electrode_table_region(region=list(range(len(places))), description="all")
    data = np.arange(100)[:, None] * 10 + np.arange(len(places))
    file.add_acquisition(
        pynwb.ecephys.ElectricalSeries(
            name="raw", data=data.astype("i2"), electrodes=region, rate=20_000.0, conversion=0.2e-6
        )
    )
    with pynwb.NWBHDF5IO(str(path), "w") as io:
        io.write(file)
    return path


@pytest.mark.parametrize(
    ("places", "wanted"),
    [
        ([{X: 0.0, Y: 0.0, Z: 25.0 * k} for k in range(3)], [[0, 0], [0, 25], [0, 50]]),
        ([{X: 0.0, Y: 5.0 * k, Z: 40.0 * (k % 2)} for k in range(3)], [[0, 0], [5, 40], [10, 0]]),
        ([{X: 5.0 * k, Y: 7.0, Z: 40.0 * k} for k in range(3)], [[0, 0], [5, 40], [10, 80]]),
        ([{X: 1.0, Y: 25.0 * k, Z: math.nan} for k in range(3)], [[1, 0], [1, 25], [1, 50]]),
        ([{X: 1.0, Y: 25.0 * k} for k in range(3)], [[1, 0], [1, 25], [1, 50]]),
    ],
)
def test_places_are_those_of_the_file(
    tmp_path: Path, places: list[dict[str, float]], wanted: list[list[float]]
) -> None:
    path = nwb(tmp_path / "a.nwb", places)
    assert [stream.n_channels for stream in available_streams(path)] == [3]
    recording = open_recording(path)
    assert recording.probe.positions_um.tolist() == wanted
    assert recording.traces(5, 6).tolist() == [[50, 51, 52]]
    assert reopen(recording.reference).probe.positions_um.tolist() == wanted
    part = open_recording(path, time_range_s=(0.001, 0.004), bad_channels=[1])
    assert part.probe.positions_um.tolist() == wanted


def test_groups_at_the_same_places_are_shanks_of_their_own(tmp_path: Path) -> None:
    places = [{X: 0.0, Y: 25.0 * (k % 2)} for k in range(4)]
    probe = open_recording(nwb(tmp_path / "a.nwb", places, ["b", "b", "a", "a"])).probe
    assert probe.positions_um[:, 1].tolist() == [0, 25, 0, 25]
    assert probe.shank.tolist() == [1, 1, 0, 0]


@pytest.mark.parametrize(
    ("places", "words"),
    [
        (
            [{X: math.nan, Y: math.nan}] * 3,
            "contact 0 of the probe has no finite position.*, or give another",
        ),
        ([{X: 0.0, Y: 0.0}] * 3, "contacts 0 and 1 of the probe share the position"),
        (
            [{X: 0.0, Y: 0.025 * k} for k in range(3)],
            r"0.025 um apart.* \(are they in mm\?\), or give another wit",
        ),
        ([{}] * 3, "does not say where its 3 contacts are; give --probe"),
        ([{"x": 1.0, "y": 2.0, "z": 25.0 * k} for k in range(3)], "does not say where its 3 contacts are"),
    ],
)
def test_places_that_are_none_are_refused_with_the_reason(
    tmp_path: Path, places: list[dict[str, float]], words: str
) -> None:
    path = nwb(tmp_path / "a.nwb", places)
    with pytest.raises(InputError, match=rf"a.nwb.*{words}"):
        open_recording(path)
    assert open_recording(path, probe="linear-3").n_channels == 3


def test_a_recording_that_spikeinterface_has_open_has_its_places_too(tmp_path: Path) -> None:
    from spikeinterface.extractors import read_nwb

    places = [{X: 5.0 * k, Y: 7.0, Z: 40.0 * k} for k in range(3)]
    recording = recording_of(read_nwb(nwb(tmp_path / "a.nwb", places)))
    assert recording.probe.positions_um.tolist() == [[0, 0], [5, 40], [10, 80]]
