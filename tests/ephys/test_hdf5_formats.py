"""An HDF5 file is looked into before a reader is chosen; nothing is downloaded for it."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
import pytest

from ncpgui.core.errors import InputError, RecordingError
from ncpgui.ephys.hdf5_formats import has_nwb_units
from ncpgui.ephys.readers import available_streams, open_recording, open_sorting, reopen


@pytest.fixture(autouse=True)
def no_download(monkeypatch):
    """Any try to download something is seen, though readers catch errors."""
    asked: list[str] = []

    def ask(url, *_, **__):
        asked.append(str(url))
        raise OSError("no network in a test")

    monkeypatch.setattr("neo.rawio.maxwellrawio.urlopen", ask)
    monkeypatch.setattr("neo.rawio.plexon2rawio.plexon2rawio.urlopen", ask)
    monkeypatch.setattr("pathlib.Path.home", lambda: Path("/nonexistent"))
    yield
    assert asked == []


def hdf5(path: Path, *names: str, **attributes: str) -> Path:
    """An HDF5 file with groups of these names and attributes of the root."""
    with h5py.File(path, "w") as file:
        for name in names:
            file.require_group(name)
        file.attrs.update(attributes)
    return path


def maxone(path: Path, **storage: object) -> Path:
    """A recording of 3 channels and 200 samples as MaxOne writes it: sample s of channel c is 10 s + c."""
    mapping = np.zeros(3, dtype=[("channel", "i4"), ("electrode", "i4"), ("x", "f8"), ("y", "f8")])
    mapping["channel"], mapping["electrode"], mapping["x"] = [0, 1, 2], [7, 8, 9], [0.0, 17.5, 35.0]
    with h5py.File(path, "w") as file:
        file["version"] = np.array([b"20160704"])
        file["mapping"] = mapping
        file["settings/lsb"] = np.array([6e-6])
        traces = (np.arange(3)[:, None] + 10 * np.arange(200)).astype("u2")
        file.create_dataset("sig", data=traces, **storage)
    return path


def test_a_maxwell_recording_opens_without_a_download(tmp_path):
    recording = open_recording(maxone(tmp_path / "a.raw.h5"))
    assert recording.traces(4, 6).tolist() == [[40, 41, 42], [50, 51, 52]]
    assert recording.probe.positions_um.tolist() == [[0, 0], [17.5, 0], [35, 0]]


def test_recordings_of_a_maxwell_file_are_streams_of_their_own(tmp_path):
    """Two recordings of two wells, one of them of one well only."""
    with h5py.File(tmp_path / "a.raw.h5", "w") as file:
        file["version"] = np.array([b"20190530"])
        for place, (well, run) in enumerate(
            [("well000", "rec0000"), ("well001", "rec0000"), ("well001", "rec0001")]
        ):
            group = file.create_group(f"wells/{well}/{run}")
            group["settings/sampling"] = np.array([10_000.0])
            group["settings/lsb"] = np.array([6e-6])
            mapping = np.zeros(3, dtype=[("channel", "i4"), ("electrode", "i4"), ("x", "f8"), ("y", "f8")])
            mapping["channel"], mapping["electrode"], mapping["x"] = [0, 1, 2], [7, 8, 9], [0.0, 17.5, 35.0]
            group["settings/mapping"] = mapping
            group["groups/routed/channels"] = np.array([0, 1, 2])
            group["groups/routed/frame_nos"] = np.arange(50)
            group["groups/routed/raw"] = (1000 * place + np.arange(3)[:, None] + 10 * np.arange(50)).astype(
                "u2"
            )
            file[f"recordings/{run}/{well}"] = group
    path = tmp_path / "a.raw.h5"
    names = [stream.name for stream in available_streams(path)]
    assert names == ["rec0000/well000", "rec0000/well001", "rec0001/well001"]
    with pytest.raises(
        InputError, match=r"several streams; choose one \(--stream\): 'rec0000/well000' \(3 chan"
    ):
        open_recording(path)
    for name, first in zip(names, (0, 1000, 2000), strict=True):
        recording = open_recording(path, stream=name)
        assert recording.traces(4, 5).tolist() == [[first + 40, first + 41, first + 42]]
        assert recording.reference.options == {"stream": name}
        assert reopen(recording.reference).reference == recording.reference
    assert open_recording(path, stream="rec0001").traces(0, 1).tolist() == [[2000, 2001, 2002]]


@pytest.mark.parametrize(
    "names", [("info", "channel_positions"), ("info", "templates"), ("info", "templates", "locations")]
)
def test_templates_of_mearec_hold_no_traces(tmp_path, names):
    with pytest.raises(RecordingError, match="is a file of MEArec without recordings: it holds no traces"):
        open_recording(hdf5(tmp_path / "a.h5", *names))


def test_a_compressed_maxwell_recording_says_which_library_it_needs(tmp_path, capfd):
    path = maxone(tmp_path / "a.raw.h5", compression="gzip", chunks=(3, 50))
    content = path.read_bytes()
    place = content.index(b"deflate") - 8  # number of the filter, in the description of the data set
    path.write_bytes(content[:place] + (32_123).to_bytes(2, "little") + content[place + 2 :])
    with pytest.raises(
        RecordingError, match=r"a.raw.h5 is compressed by MaxWell's own library.*HDF5_PLUGIN_PATH.*downloads"
    ):
        open_recording(path)
    assert capfd.readouterr().out == ""


@pytest.mark.parametrize(
    ("names", "attributes", "message"),
    [
        (
            (),
            {"encoding": "ncpgui-session"},
            r"a.h5 is a session of ncpgui, not a recording; open it with 'ncpgui",
        ),
        (
            (),
            {"encoding": "ncpgui-waveform-cache"},
            r"a.h5 is the waveform cache of a session, not a recording",
        ),
        (
            ("recordings", "spiketrains", "templates"),
            {},
            r"(SpikeInterface cannot read .*a.h5 as a recording of MEArec|a.h5 needs a package.*MEArec)",
        ),
        (("RealTimeProcessedData",), {}, r"a.h5 is a recording of SiNAPS, which"),
        (
            ("model_weights", "optimizer"),
            {},
            r"holds 'model_weights', 'optimizer'.*MaxWell, MCS, NWB, 3Brain",
        ),
        ((), {}, r"holds nothing.*MaxWell, MCS, NWB, 3Brain"),
        (("Data/Recording_0/AnalogStream",), {}, r"SpikeInterface cannot read .*a.h5 as a recording of MCS"),
        (("3BData",), {}, r"SpikeInterface cannot read .*a.h5 as a recording of 3Brain BioCAM"),
        (("acquisition",), {"nwb_version": "2.6.0"}, r"a.h5"),
    ],
)
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # SpikeInterface's MCS reader
@pytest.mark.parametrize("ending", ["h5", "hdf5"])
def test_what_is_inside_decides(tmp_path, names, attributes, message, ending):
    path = hdf5(tmp_path / f"a.{ending}", *names, **attributes)
    with pytest.raises(RecordingError, match=message.replace("a.h5", f"a.{ending}")):
        open_recording(path)


def test_a_file_that_is_no_hdf5_is_refused(tmp_path):
    (tmp_path / "a.h5").write_bytes(b"spam")
    with pytest.raises(RecordingError, match=r"a.h5 is not an HDF5 file, or damaged"):
        open_recording(tmp_path / "a.h5")


@pytest.mark.parametrize("ending", ["h5", "nwb", "brw", "raw.h5"])
@pytest.mark.parametrize("share", [0.02, 0.5, 0.95])
def test_a_file_that_is_cut_short_is_refused_whatever_it_is_called(tmp_path, ending, share):
    path = hdf5(tmp_path / f"a.{ending}", "acquisition", "units/spike_times", nwb_version="2.6.0")
    content = path.read_bytes()
    path.write_bytes(content[: int(share * len(content))])
    with pytest.raises(RecordingError, match=r"a\..* is (not an HDF5 file, or )?damaged|a\.\S* is damaged"):
        open_recording(path)
    assert not has_nwb_units(path)
    with pytest.raises(RecordingError):
        open_sorting(path)


@pytest.mark.filterwarnings("ignore")
def test_a_file_with_wrong_bytes_is_refused_or_read(tmp_path):
    """Whatever h5py raises inside is told as a damaged file."""
    path = hdf5(tmp_path / "a.nwb", "acquisition", "units/spike_times", nwb_version="2.6.0")
    content = path.read_bytes()
    rng = np.random.default_rng(0)
    for _ in range(150):
        changed = bytearray(content)
        for place in rng.integers(8, len(content), 12):
            changed[place] = rng.integers(256)
        path.write_bytes(changed)
        has_nwb_units(path)
        with pytest.raises(RecordingError):
            open_recording(path)


def test_a_plexon_file_does_not_download_the_library_of_its_maker(tmp_path):
    (tmp_path / "a.pl2").write_bytes(b"spam")
    with pytest.raises(RecordingError, match=r"a.pl2 needs Plexon's own library, PL2FileReader.*\.plx"):
        open_recording(tmp_path / "a.pl2")
