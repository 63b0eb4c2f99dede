"""Every real file beside the shared data opens, or says in a sentence why it does not."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ncpgui.core.errors import InputError, MissingRecordingError, RecordingError
from ncpgui.ephys.given_folder import is_sorting_folder, open_reviewed
from ncpgui.ephys.probes import load_wired_probe
from ncpgui.ephys.readers import available_streams, open_recording, open_sorting, reopen

DATA = Path(os.environ.get("NCPGUI_SHARED_DATA") or Path(__file__).resolve().parents[3] / "shared" / "data")
pytestmark = [pytest.mark.shared_data, pytest.mark.filterwarnings("ignore")]
RAW = {"n_channels": 1, "sampling_frequency": 15_000.0}
OPENS: dict[str, tuple[dict[str, Any], tuple[int, float, int]]] = {
    "formats/biocam_hw3.0_fw1.6.brw": ({}, (36, 19_753.77, 19_754)),
    "formats/biocam_hw3.0_fw1.7.0.12_raw.brw": ({}, (100, 19_753.78, 5_000)),
    "formats/opx141ch1to3analogOnly003.plx": ({"stream": "WB", "probe": "linear-2"}, (2, 40_000, 318_000)),
    "formats/sampledata.rhd": ({"probe": "linear-32"}, (32, 20_000, 19_440)),
    "locust/locust_trial_01.raw": ({**RAW, "n_channels": 4, "probe": "tetrode"}, (4, 15_000, 431_548)),
    "purkinje/purkinje_cell_attached.raw": ({**RAW, "dtype": "float32"}, (1, 15_000, 850_500)),
}
"""Options, then channels, Hz and samples."""
REFUSED: dict[str, str] = {
    "formats/TestFile.Ncs": r"as a recording of Neuralynx \(No matching header open date/time",
    "formats/mearec_templates_only.h5": "is a file of MEArec without recordings: it holds no traces",
    "formats/spikegadgets_header_only.rec": "holds no traces: it has 768 channels and 0 samples",
    "formats/units_only.nwb": "NWB file without an ElectricalSeries: it holds no traces; its units can be",
    "formats/maxwell_two_recordings.raw.h5": r"choose one \(--stream\): 'rec0000/well000' \(16 channels",
    "formats/opx141ch1to3analogOnly003.plx": r"choose one \(--stream\): 'SPKC' \(2 channels at 40 kHz\), '",
    "formats/sampledata.rhd": "does not say where its 32 contacts are; give --probe",
}
OTHERS = {"kilosort_toy", "phy_template", "probes", "README.md", "locust/README.md"}


def shared(name: str) -> Path:
    path = DATA / name
    if not path.exists():
        pytest.skip(f"{name} is not beside the checkout (set NCPGUI_SHARED_DATA)")
    return path


@pytest.mark.parametrize("name", OPENS)
def test_a_real_file_opens_and_its_traces_are_read_to_the_end(name: str) -> None:
    options, (n_channels, rate, n_samples) = OPENS[name]
    recording = open_recording(shared(name), **options)
    assert (recording.n_channels, recording.n_samples) == (n_channels, n_samples)
    assert recording.sampling_frequency_hz == pytest.approx(rate, abs=0.01)
    for start in (0, n_samples // 2, n_samples - 100):
        assert np.isfinite(recording.traces(start, start + 100)).all()
    assert reopen(recording.reference).reference == recording.reference


@pytest.mark.parametrize("name", REFUSED)
def test_a_real_file_that_cannot_be_opened_as_it_is_says_why(name: str) -> None:
    with pytest.raises((RecordingError, InputError), match=REFUSED[name]) as caught:
        open_recording(shared(name))
    said = str(caught.value)
    assert not any(word in said for word in ("KeyError", "IndexError", "UnboundLocalError", "ValueError"))


def test_no_real_file_is_forgotten() -> None:
    shared("formats")
    files = [path.relative_to(DATA).as_posix() for path in DATA.rglob("*") if path.is_file()]
    known = {*OPENS, *REFUSED, *OTHERS}
    assert [file for file in files if file not in known and file.partition("/")[0] not in known] == []


def test_samples_of_plexon_are_where_their_blocks_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks have 120, 80 or 40 samples; neo alone reads half of all pieces wrongly, or fails."""
    path = shared("formats/opx141ch1to3analogOnly003.plx")
    recording = open_recording(path, stream="WB", probe="linear-2")
    extractor = recording.extractor()
    neo, columns = extractor.neo_reader, []
    for channel in neo.header["signal_channels"]:
        if channel["stream_id"] == extractor.stream_id:
            blocks = neo._data_blocks[5][np.int32(channel["id"])]
            pieces = [neo._memmap[b["pos"] : b["pos"] + b["size"]].view("int16") for b in blocks]
            columns.append(np.concatenate(pieces))
    whole = np.column_stack(columns)
    assert whole.shape == (318_000, 2)
    ends = np.random.default_rng(0).integers(0, len(whole), (300, 2))
    for start, stop in [*np.sort(ends, axis=1).tolist(), (0, len(whole)), (len(whole) - 50, len(whole))]:
        np.testing.assert_array_equal(
            recording.traces(start, min(stop, start + 3000)), whole[start:stop][:3000]
        )


def test_recordings_of_maxwell_are_told_apart() -> None:
    path = shared("formats/maxwell_two_recordings.raw.h5")
    names = [stream.name for stream in available_streams(path)]
    assert len(names) == 12
    assert {name.partition("/")[0] for name in names} == {"rec0000", "rec0001"}
    with pytest.raises(
        RecordingError, match="is compressed by MaxWell's own library, which is not installed"
    ):
        open_recording(path, stream="rec0001/well003")
    with pytest.raises(InputError, match=r"several streams; choose one \(--stream\): 'rec0001/well000'"):
        open_recording(path, stream="rec0001")


def test_folders_of_kilosort_and_phy_are_sortings_without_their_recordings() -> None:
    for folder in (shared("kilosort_toy"), shared("phy_template")):
        assert is_sorting_folder(folder)
        recording, opened = open_reviewed(folder)
        assert not recording.reference.has_traces
        assert opened.given.path == str(folder.resolve())
        with pytest.raises(MissingRecordingError, match="opened without its raw data"):
            recording.traces(0, 1)
    assert len(open_sorting(shared("phy_template"))) == 314


def test_units_of_an_nwb_file_open_without_their_recording() -> None:
    recording, opened = open_reviewed(shared("formats/units_only.nwb"))
    assert re.search("without an ElectricalSeries.*give it with --recording", recording.notes[0])
    assert not recording.reference.has_traces
    assert opened.sorting.sample_index[-1] / recording.sampling_frequency_hz == pytest.approx(1087.35, abs=1)


def test_probes_have_their_sides_and_their_groups() -> None:
    wired = load_wired_probe(shared("probes/ASSY-325D-P-1.json"))
    assert (wired.probe.n_channels, wired.probe.pitch_um) == (128, 25)
    assert np.bincount(wired.probe.shank).tolist() == [64, 64]
    wired = load_wired_probe(shared("probes/wide_mea_252.prb"))
    assert (wired.probe.n_channels, wired.n_columns, wired.probe.pitch_um) == (252, 252, 100)
    assert wired.probe.positions_um[251].tolist() == [300, 0]
