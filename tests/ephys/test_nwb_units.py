"""The units of an NWB file that pynwb wrote are reviewed beside its series, or beside another recording."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from tiny_project import curated

from ncpgui.core.errors import InputError, MissingRecordingError, RecordingError
from ncpgui.core.given import SPIKEINTERFACE
from ncpgui.ephys.given_folder import is_sorting_folder, open_reviewed
from ncpgui.ephys.hdf5_formats import has_nwb_units, nwb_second_0
from ncpgui.ephys.readers import open_recording, reopen
from tests.reviewed_folder import digest_now
from tests.sorting.planted import SAMPLING_FREQUENCY_HZ, SQUARE

pynwb = pytest.importorskip("pynwb", reason="pynwb (extra nwb) is not installed")

N_SAMPLES = 2_000
START_S = 5.0
TRAINS = {4: np.array([30, 700, 1500]), 9: np.array([31, 900])}


def nwb(
    path: Path,
    trains: dict[int, np.ndarray] | None = None,
    *,
    series: tuple[str, ...] = ("raw",),
    start_s: float = START_S,
    timestamps: np.ndarray | None = None,
    **columns: list[Any],
) -> Path:
    """A file of four electrodes, series that begin at `start_s`, units; `timestamps` in place of a rate."""
    start = datetime(2020, 1, 1, tzinfo=timezone.utc)
    file = pynwb.NWBFile(session_description="about", identifier="one", session_start_time=start)
    device = file.create_device(name="probe")
    group = file.create_electrode_group(name="shank0", description="about", location="unknown", device=device)
    for x, y in SQUARE.positions_um:
        file.add_electrode(rel_x=float(x), rel_y=float(y), location="unknown", group=group)
    when: dict[str, Any] = {"rate": SAMPLING_FREQUENCY_HZ, "starting_time": start_s}
    times = start_s + np.arange(N_SAMPLES) / SAMPLING_FREQUENCY_HZ
    if timestamps is not None:
        when, times = {"timestamps": timestamps}, timestamps
    for name in series:
        region = file.create_electrode_table_region(region=[0, 1, 2, 3], description="all")
        data = np.random.default_rng(0).integers(-9, 9, (N_SAMPLES, 4)).astype("i2")
        file.add_acquisition(pynwb.ecephys.ElectricalSeries(name=name, data=data, electrodes=region, **when))
    for name in columns:
        file.add_unit_column(name, "about")
    for row, (unit, train) in enumerate((trains or {}).items()):
        told = {name: values[row] for name, values in columns.items()}
        file.add_unit(id=unit, spike_times=times[train], **told)
    with pynwb.NWBHDF5IO(str(path), "w") as io:
        io.write(file)
    return path


def trains_of(opened: Any) -> dict[int, list[int]]:
    sorting = opened.sorting
    return {unit: sorting.spike_train(unit).tolist() for unit in sorting.unit_ids.tolist()}


WANTED = {unit: train.tolist() for unit, train in TRAINS.items()}


def test_units_are_reviewed_beside_the_series_of_their_file(tmp_path: Path) -> None:
    """Spikes are seconds on the clock of the session; the series begins at 5 s."""
    path = nwb(tmp_path / "a.nwb", TRAINS, quality=["good", "mua"])
    recording, opened = open_reviewed(path)
    assert (recording.n_channels, recording.n_samples) == (4, N_SAMPLES)
    assert recording.probe.positions_um.tolist() == SQUARE.positions_um.tolist()
    assert trains_of(opened) == WANTED
    assert opened.given.labels == {4: "good", 9: "mua"}
    assert (opened.given.kind, opened.given.path) == (SPIKEINTERFACE, str(path))
    assert opened.given.names == {}
    assert digest_now(opened.given) == opened.given.digest


def test_time_stamps_with_a_gap_give_the_samples_that_were_meant(tmp_path: Path) -> None:
    timestamps = 3.0 + np.arange(N_SAMPLES) / SAMPLING_FREQUENCY_HZ
    timestamps[1000:] += 60.0
    recording, opened = open_reviewed(nwb(tmp_path / "a.nwb", TRAINS, timestamps=timestamps))
    assert trains_of(opened) == WANTED
    clock = recording.reference.clock
    np.testing.assert_allclose(clock.seconds(np.arange(N_SAMPLES)), timestamps, atol=1e-9)
    assert recording.reference.clock_words == "from 3 to 63.1 s, 1 gap (60 s)"


def test_a_series_begins_at_its_second_of_the_clock(tmp_path: Path) -> None:
    recording = open_recording(nwb(tmp_path / "a.nwb"))
    assert recording.reference.clock.start_s == START_S
    assert reopen(recording.reference).reference == recording.reference
    part = open_recording(nwb(tmp_path / "b.nwb"), time_range_s=(5.02, 5.05))
    assert (part.reference.first_sample, part.n_samples) == (400, 600)
    assert part.reference.clock.start_s == pytest.approx(5.02)
    with pytest.raises(
        InputError, match=r"0 to 1 s does not lie in the recording, which lasts from 5 to 5\.1 s"
    ):
        open_recording(tmp_path / "a.nwb", time_range_s=(0.0, 1.0))


def test_units_without_a_series_ask_for_the_recording(tmp_path: Path) -> None:
    """Which of its samples spikes are, its clock says: one begins at second 0, another at 5 as they do."""
    path = nwb(tmp_path / "units.nwb", TRAINS, series=(), start_s=0.0)
    without, alone = open_reviewed(path)
    assert re.search("does not lead to its recording.*give it with --recording", without.notes[0])
    assert len(alone.sorting) == sum(map(len, WANTED.values()))
    other = nwb(tmp_path / "raw.nwb", start_s=0.0)
    _, opened = open_reviewed(path, recording=other)
    assert trains_of(opened) == WANTED
    late = nwb(tmp_path / "late.nwb", TRAINS, series=())
    with pytest.raises(RecordingError, match=r"lies outside the recording of 2000 samples"):
        open_reviewed(late, recording=other)
    _, opened = open_reviewed(late, recording=nwb(tmp_path / "as late.nwb"))
    assert trains_of(opened) == WANTED


def test_ids_that_are_text_are_kept(tmp_path: Path) -> None:
    path = nwb(tmp_path / "a.nwb", TRAINS, unit_name=["left", "right"])
    _, opened = open_reviewed(path)
    assert opened.given.names == {0: "left", 1: "right"}
    assert list(trains_of(opened).values()) == list(WANTED.values())


def test_of_several_series_one_is_chosen(tmp_path: Path) -> None:
    path = nwb(tmp_path / "a.nwb", TRAINS, series=("raw", "filtered"))
    with pytest.raises(MissingRecordingError, match=r"several streams; choose one \(--stream\)"):
        open_reviewed(path)
    recording, opened = open_reviewed(path, stream="filtered")
    assert recording.reference.options["stream"] == "acquisition/filtered"
    assert trains_of(opened) == WANTED
    with pytest.raises(InputError, match=r"--dtype and --stream are of a --recording, which is missing"):
        open_reviewed(tmp_path, stream="filtered")


def test_a_file_that_was_changed_is_another_one(tmp_path: Path) -> None:
    path = nwb(tmp_path / "a.nwb", TRAINS)
    _, opened = open_reviewed(path)
    nwb(tmp_path / "b.nwb", {**TRAINS, 9: np.array([31, 901])}).replace(path)
    assert digest_now(opened.given) != opened.given.digest


def test_a_file_is_known_by_its_units(tmp_path: Path) -> None:
    assert is_sorting_folder(nwb(tmp_path / "units.nwb", TRAINS))
    assert not is_sorting_folder(nwb(tmp_path / "raw.nwb"))
    (tmp_path / "text.nwb").write_text("no")
    assert not is_sorting_folder(tmp_path / "text.nwb")


def test_units_that_cannot_be_read_say_so(tmp_path: Path) -> None:
    path = nwb(tmp_path / "a.nwb", TRAINS)
    with h5py.File(path, "r+") as file:
        del file["units/spike_times_index"]
    with pytest.raises(RecordingError, match=r"the units of .*a.nwb cannot be read"):
        open_reviewed(path)


def test_a_recording_knows_when_its_clock_was_0(tmp_path: Path) -> None:
    path = nwb(tmp_path / "a.nwb")
    recording = open_recording(path)
    assert recording.reference.second_0 == "2020-01-01T00:00:00+00:00"
    assert reopen(recording.reference).reference == recording.reference


@pytest.mark.parametrize(
    ("zero", "start", "known"),
    [
        ("2021-02-03T04:05:06.5-08:00", "2020-01-01T00:00:00Z", "2021-02-03T04:05:06.500000-08:00"),
        (None, "2020-01-01T00:00:00Z", "2020-01-01T00:00:00+00:00"),
        ("soon", "2020-01-01T00:00:00", ""),
        ([1.0, 2.0], None, ""),
    ],
)
def test_a_start_that_cannot_be_read_is_not_known(
    tmp_path: Path, zero: object, start: object, known: str
) -> None:
    """Times count from `timestamps_reference_time`, which is when the session began if it is left out."""
    path = tmp_path / "a.h5"
    with h5py.File(path, "w") as file:
        for name, value in (("timestamps_reference_time", zero), ("session_start_time", start)):
            if value is not None:
                file[name] = value
    assert nwb_second_0(path) == known


@pytest.mark.parametrize("times", ["a text", 3.0, np.zeros((2, 2)), np.zeros(0), None])
def test_a_table_whose_spike_times_are_no_row_of_times_holds_no_units(tmp_path: Path, times: object) -> None:
    """A single value was a TypeError; None: a group is there."""
    path = nwb(tmp_path / "a.nwb", TRAINS)
    with h5py.File(path, "r+") as file:
        del file["units/spike_times"]
        if times is None:
            file.create_group("units/spike_times")
        else:
            file["units/spike_times"] = times
    assert not has_nwb_units(path)
    assert not is_sorting_folder(path)
    with pytest.raises(RecordingError):
        open_reviewed(path)


def spikes(change: Callable[[np.ndarray], Any], name: str = "spike_times") -> Callable[[Any], None]:
    """What a change of a column of the units does to a file."""

    def put(file: Any) -> None:
        node = file[f"units/{name}"]
        told, values = dict(node.attrs), change(node[()])
        del file[f"units/{name}"]
        file[f"units/{name}"] = values
        file[f"units/{name}"].attrs.update(told)

    return put


def with_one(value: float) -> Callable[[np.ndarray], np.ndarray]:
    return lambda times: np.where(np.arange(len(times)) == 3, value, times)


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (
            spikes(with_one(np.nan)),
            "/units/spike_times has spike 3 at nan; times must be seconds on the clock",
        ),
        (spikes(with_one(np.inf)), "/units/spike_times has spike 3 at inf"),
        (spikes(with_one(-1e200)), r"/units/spike_times has spike 3 at -1e\+200"),
        (spikes(lambda times: [b"a"] * len(times)), "/units/spike_times must be numbers in a row, and is "),
        (
            spikes(lambda ends: ends[::-1], "spike_times_index"),
            "/units/spike_times_index says that the spikes of row 1 end at 3: before those of the row above",
        ),
        (
            spikes(lambda ends: ends.astype(np.int64) + 100, "spike_times_index"),
            "/units/spike_times_index says that the spikes of row 0 end at 103: .* past the 5 that there are",
        ),
        (
            spikes(lambda ends: ends + 0.5, "spike_times_index"),
            "/units/spike_times_index must be numbers in a row, and is float64",
        ),
    ],
)
def test_spikes_at_no_second_or_of_no_unit_are_named(
    tmp_path: Path, damage: Callable[[Any], None], words: str
) -> None:
    """NumPy made a sample of nan that is no matter what, and said so with a warning of its own."""
    path = nwb(tmp_path / "a.nwb", TRAINS)
    with h5py.File(path, "r+") as file:
        damage(file)
    with pytest.raises(RecordingError, match=f"{path}: {words}"):
        open_reviewed(path)


def test_units_that_were_reviewed_are_exported_with_their_ids_and_on_their_clock(tmp_path: Path) -> None:
    """Both files name the same seconds, and the second one is reviewed as the first one was."""
    from ncpgui.core.spikes import SpikeEvents
    from ncpgui.export.from_project import bundle_of
    from ncpgui.export.registry import export
    from tests.session.conftest import build

    path = nwb(tmp_path / "a.nwb", TRAINS, quality_label=["good", "mua"])
    recording, opened = open_reviewed(path)
    sorting, n = opened.sorting, len(opened.sorting)
    project = replace(
        build(n_spikes=0),
        recording=recording.reference,
        probe=recording.probe,
        noise_sd=np.ones(4, np.float32),
        spikes=SpikeEvents(
            sorting.sample_index, np.zeros(n), np.zeros(n), SAMPLING_FREQUENCY_HZ, recording.n_samples
        ),
        unit_of_spike=sorting.unit_id,
        probability=np.ones(n, np.float32),
        p_neuron=None,
        lost=None,
        components=(),
        given=opened.given,
    )
    decisions = curated(project, labels=opened.given.labels)
    written = export(bundle_of(project, decisions), "nwb", tmp_path / "b.nwb")
    with pynwb.NWBHDF5IO(str(path), "r") as first, pynwb.NWBHDF5IO(str(written), "r") as second:
        before, after = first.read(), second.read()
        assert after.session_start_time == before.session_start_time
        assert after.units.id[:].tolist() == before.units.id[:].tolist() == [4, 9]
        for row in range(2):
            np.testing.assert_allclose(after.units["spike_times"][row], before.units["spike_times"][row])
        assert list(after.units["quality_label"][:]) == ["good", "mua"]
    _, again = open_reviewed(written, recording=path)
    assert trains_of(again) == WANTED
    assert again.given.labels == {4: "good", 9: "mua"}
