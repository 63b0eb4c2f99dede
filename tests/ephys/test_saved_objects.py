"""What SpikeInterface saved opens; what would run a program does not, and the program does not run."""

from __future__ import annotations

import io
import json
import pickle
import zipfile
from pathlib import Path

import numpy as np
import pytest
from spikeinterface.core import NumpySorting

from ncpgui.core.errors import RecordingError
from ncpgui.ephys.numpy_sortings import write_sorting_folder
from ncpgui.ephys.readers import open_recording, open_sorting
from tests.ephys import hostile, ways_in

REFUSED = r"names 'subprocess.run', which is not a recording or sorting of SpikeInterface"
leaves_files_open = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")


@pytest.fixture
def marker(tmp_path):
    """A folder that a hostile file makes; it must not be there in the end."""
    place = tmp_path / "was run"
    yield place
    assert not place.exists()


@pytest.mark.parametrize("kind", hostile.KINDS)
@pytest.mark.parametrize("read", [open_recording, open_sorting])
def test_a_class_that_is_a_program_is_refused_by_name(read, kind, tmp_path, marker):
    path = hostile.KINDS[kind](tmp_path, hostile.program(marker))
    if read is open_sorting and path.is_file():
        path = hostile.si_folder(tmp_path, hostile.program(marker))
    with pytest.raises(RecordingError, match=REFUSED):
        read(path)


@pytest.mark.parametrize("nested", hostile.NESTED)
@pytest.mark.parametrize("kind", ["JSON", "saved folder", "Zarr array"])
def test_a_program_inside_an_entry_is_refused(nested, kind, tmp_path, marker):
    path = hostile.KINDS[kind](tmp_path, hostile.NESTED[nested](hostile.program(marker)))
    with pytest.raises(RecordingError, match=REFUSED):
        open_recording(path)


@pytest.mark.parametrize(
    "name",
    [
        "os.system",
        "spikeinterface.core.base.importlib.import_module",
        "spikeinterface.core.load",
        "spikeinterface.core.core_tools.read_python",
        "spikeinterface.core.nothing.NoSuchRecording",
        "numpy.ndarray",
        "",
    ],
)
def test_functions_and_foreign_classes_are_refused(name, tmp_path):
    path = hostile.json_file(tmp_path, hostile.entry(name, path="x"))
    with pytest.raises(RecordingError, match=f"names '{name}', which is not a recording or sorting"):
        open_recording(path)


def test_a_module_of_another_package_and_a_class_that_is_no_name_are_refused(tmp_path):
    with pytest.raises(RecordingError, match="names the module 'os', which is not SpikeInterface"):
        open_recording(hostile.json_file(tmp_path, hostile.noise(module="os")))
    with pytest.raises(RecordingError, match=r"names '\['a'\]', which is not a recording or sorting"):
        open_recording(hostile.json_file(tmp_path, {**hostile.noise(), "class": ["a"]}))


def test_readers_that_run_or_download_are_refused_in_a_description(tmp_path, marker):
    phy = tmp_path / "phy"
    phy.mkdir()
    (phy / "params.py").write_text(f"import os\nos.mkdir({str(marker)!r})\nsample_rate = 1e4\n")
    name = "spikeinterface.extractors.phykilosortextractors.PhySortingExtractor"
    with pytest.raises(RecordingError, match=r"PhySortingExtractor', which runs the params.py of the folder"):
        open_sorting(hostile.si_folder(tmp_path, hostile.entry(name, folder_path=str(phy))))
    name = "spikeinterface.extractors.neoextractors.maxwell.MaxwellRecordingExtractor"
    with pytest.raises(RecordingError, match="which downloads a library"):
        open_recording(hostile.json_file(tmp_path, hostile.entry(name, file_path=str(tmp_path / "a.h5"))))
    name = "spikeinterface.core.zarrextractors.ZarrRecordingExtractor"
    with pytest.raises(RecordingError, match=r"'s3://bucket/a.zarr', which is on the network"):
        open_recording(hostile.json_file(tmp_path, hostile.entry(name, folder_path="s3://bucket/a.zarr")))


def test_a_folder_that_a_description_names_is_looked_at_too(tmp_path, marker):
    inner = hostile.si_folder(tmp_path / "inner", hostile.program(marker))
    name = "spikeinterface.core.binaryfolder.BinaryFolderRecording"
    absolute = hostile.entry(name, folder_path=str(inner))
    with pytest.raises(RecordingError, match=REFUSED):
        open_recording(hostile.json_file(tmp_path, absolute))
    relative = {**hostile.entry(name, folder_path="inner/saved"), "relative_paths": True}
    with pytest.raises(RecordingError, match=REFUSED):
        open_recording(hostile.json_file(tmp_path, relative))


@leaves_files_open
def test_pickled_properties_are_refused(tmp_path, marker):
    from spikeinterface.core import generate_recording

    source = generate_recording(num_channels=2, durations=[0.1], sampling_frequency=1e4, seed=0)
    source.save(folder=tmp_path / "saved", n_jobs=1, progress_bar=False, verbose=False)

    class Program:
        def __reduce__(self):
            return (Path.mkdir, (marker,))

    np.save(tmp_path / "saved" / "properties" / "evil.npy", np.array([Program(), 1], dtype=object))
    with pytest.raises(RecordingError, match=r"evil.npy holds pickled objects"):
        open_recording(tmp_path / "saved")
    (tmp_path / "saved" / "properties" / "evil.npy").write_bytes(pickle.dumps(Program()))
    with pytest.raises(RecordingError, match=r"evil.npy holds pickled objects"):
        open_recording(tmp_path / "saved")


def test_pickles_behind_a_link_and_in_capitals_are_refused(tmp_path, marker):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "provenance.PKL").write_bytes(b"")
    folder = hostile.si_folder(tmp_path, hostile.noise())
    (folder / "properties").symlink_to(elsewhere)
    with pytest.raises(RecordingError, match=r"provenance.PKL is a pickle"):
        open_recording(folder)


def test_a_pickle_codec_of_zarr_is_refused_however_it_is_spelt(tmp_path, marker):
    import numcodecs
    import zarr

    class Program:
        def __reduce__(self):
            return (Path.mkdir, (marker,))

    root = zarr.open(str(tmp_path / "a.zarr"), mode="w")
    values = np.array([Program()], dtype=object)
    root.create_dataset("recording", data=values, object_codec=numcodecs.Pickle())
    description = tmp_path / "a.zarr" / "recording" / ".zarray"
    description.write_text(description.read_text().replace('"pickle"', '"\\u0070ickle"'))
    with pytest.raises(RecordingError, match="holds pickled objects"):
        open_recording(tmp_path / "a.zarr")


def test_the_working_folder_of_a_sorter_does_not_run_its_params(tmp_path, marker):
    folder = tmp_path / "kilosort"
    output = folder / "sorter_output"
    output.mkdir(parents=True)
    (folder / "spikeinterface_log.json").write_text(json.dumps({"error": False, "sorter_name": "kilosort4"}))
    (folder / "spikeinterface_params.json").write_text("{}")
    (output / "params.py").write_text(f"import os\nos.mkdir({str(marker)!r})\nsample_rate = 1e4\n")
    with pytest.raises(RecordingError, match=r"params.py is a program.*open .*sorter_output"):
        open_sorting(folder)


def test_nesting_without_end_is_refused(tmp_path):
    path = tmp_path / "deep.json"
    path.write_text('{"kwargs": ' + "[" * 100_000 + "]" * 100_000 + "}")
    with pytest.raises(RecordingError, match=r"deep.json is nested too deeply"):
        open_recording(path)


@pytest.mark.filterwarnings("ignore:The extractor is not serializable:UserWarning")
@leaves_files_open
def test_what_spikeinterface_itself_wrote_opens(tmp_path, monkeypatch):
    """From any folder: the "." of a description is the folder that it lies in."""
    from spikeinterface.core import create_sorting_analyzer, generate_ground_truth_recording, load
    from spikeinterface.preprocessing import bandpass_filter, common_reference, whiten

    options = {"n_jobs": 1, "progress_bar": False, "verbose": False}
    source, sorting = generate_ground_truth_recording(
        durations=[1.0], num_channels=4, num_units=2, sampling_frequency=2e4, seed=0
    )
    saved = source.save(folder=tmp_path / "source", **options)
    sorting = sorting.save(folder=tmp_path / "sorting")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "other.pkl").write_bytes(b"not looked at")
    monkeypatch.chdir(tmp_path / "elsewhere")
    lazy = whiten(common_reference(bandpass_filter(saved, freq_max=4000.0)), seed=0)
    lazy.dump(tmp_path / "lazy.json", relative_to=tmp_path)
    lazy.save(folder=tmp_path / "lazy.zarr", format="zarr", **options)
    for name in ("lazy.json", "lazy.zarr"):
        opened = open_recording(tmp_path / name)
        base = {"base_folder": True} if name == "lazy.json" else {}
        expected = load(tmp_path / name, **base).get_traces(start_frame=100, end_frame=200)
        np.testing.assert_allclose(opened.traces(100, 200), expected, atol=1e-3)
    for place, form in ((tmp_path / "analyzer", "binary_folder"), (tmp_path / "analyzer.zarr", "zarr")):
        analyzer = create_sorting_analyzer(sorting, saved, format=form, folder=place, sparse=False)
        analyzer.compute(["random_spikes", "templates"], n_jobs=1, progress_bar=False)
        spikes = open_sorting(place)
        assert spikes.sample_index.tolist() == sorting.to_spike_vector()["sample_index"].tolist()
        assert open_recording(place).n_samples == 20_000


def test_arrays_that_announce_more_than_their_file_holds_are_refused(tmp_path):
    """One number is there, and a header of 128 bytes that says a million."""
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        header, {"descr": "<f8", "fortran_order": False, "shape": (1_000_000,)}
    )
    arrays = tmp_path / "spikes.npz"
    entry = hostile.entry("spikeinterface.core.NpzSortingExtractor", file_path=str(arrays))
    path = hostile.json_file(tmp_path, entry)
    with zipfile.ZipFile(arrays, "w") as archive:
        archive.writestr("values.npy", header.getvalue() + bytes(8))
    with pytest.raises(RecordingError, match=r"spikes.npz is refused: .*'values' announces 8000128 bytes"):
        open_recording(path)


def test_a_pickle_that_only_tells_where_a_sorting_came_from_is_not_opened(tmp_path, marker):
    """SpikeInterface leaves one up to 0.104; without the description beside it, it is refused."""
    folder = tmp_path / "saved"
    write_sorting_folder(NumpySorting.from_unit_dict([{3: np.array([5, 70])}], 1e4), folder)
    (folder / "provenance.pkl").write_bytes(pickle.dumps(ways_in.Program(marker)))
    assert open_sorting(folder).sample_index.tolist() == [5, 70]
    (folder / "si_folder.json").unlink()
    with pytest.raises(RecordingError, match=r"provenance.pkl is a pickle"):
        open_sorting(folder)


@pytest.mark.parametrize("text", ['{"format_version": "2", "unit_ids": [0]}', "[1]", "null", "no JSON"])
def test_json_that_names_no_class_is_said_to_describe_nothing(tmp_path, text):
    """SpikeInterface says that it is neither a file nor a folder."""
    file = tmp_path / "curation.json"
    file.write_text(text)
    with pytest.raises(
        RecordingError, match=r"curation\.json describes no recording or sorting of SpikeInterface"
    ):
        open_recording(file)
