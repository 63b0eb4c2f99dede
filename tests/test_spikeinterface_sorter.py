"""``run_sorter("ncpgui", ...)``: SpikeInterface runs ncpgui as one of its sorters."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
from spikeinterface.core import (
    BaseRecording,
    BaseSorting,
    BinaryRecordingExtractor,
    generate_ground_truth_recording,
)
from spikeinterface.sorters import (
    available_sorters,
    get_default_sorter_params,
    get_sorter_params_description,
    installed_sorters,
    read_sorter_folder,
    run_sorter,
    run_sorter_jobs,
)

import ncpgui
import ncpgui.spikeinterface_sorter
from ncpgui.core.errors import InputError
from ncpgui.sorting.config import SortingConfig
from ncpgui.spikeinterface_sorting import UNIT_PROPERTIES

QUICK = {"posterior_samples": 4, "spikes_per_group": 30, "min_cluster_spikes": 5, "seed": 1}


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> BaseRecording:
    """Six seconds of three cells on four contacts, in a file, so that other processes can open it."""
    made, _ = generate_ground_truth_recording(
        durations=[6.0],
        sampling_frequency=20_000.0,
        num_channels=4,
        num_units=3,
        seed=5,
        generate_sorting_kwargs={"firing_rates": (12.0, 20.0), "refractory_period_ms": 3.0},
        noise_kwargs={"noise_levels": 4.0},
        generate_unit_locations_kwargs={"minimum_distance": 40.0, "minimum_z": 5.0, "maximum_z": 25.0},
    )
    path = tmp_path_factory.mktemp("made") / "traces.raw"
    made.get_traces().astype(np.float32).tofile(path)
    recording = BinaryRecordingExtractor(
        [path], sampling_frequency=20_000.0, dtype="float32", num_channels=4, gain_to_uV=1.0, offset_to_uV=0.0
    )
    recording.set_dummy_probe_from_locations(made.get_channel_locations())
    return recording


@pytest.fixture(scope="module")
def folder(recording: BaseRecording, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where ``run_sorter`` has written."""
    place = tmp_path_factory.mktemp("ran") / "sorted"
    run_sorter("ncpgui", recording, folder=place, **QUICK)
    return place


def _assert_same(first: BaseSorting, second: BaseSorting) -> None:
    assert first.get_num_units() > 0
    assert first.unit_ids.tolist() == second.unit_ids.tolist()
    assert first.to_spike_vector().tolist() == second.to_spike_vector().tolist()
    for name in UNIT_PROPERTIES:
        np.testing.assert_array_equal(first.get_property(name), second.get_property(name))


def test_importing_the_module_registers_the_sorter() -> None:
    assert "ncpgui" in available_sorters()
    assert "ncpgui" in installed_sorters()


def test_parameters_are_the_settings_each_with_its_description() -> None:
    params = get_default_sorter_params("ncpgui")
    settings = {item.name for item in fields(SortingConfig)}
    assert set(params) == settings | {"probe", "n_jobs", "parallel", "dask"}
    assert params["threshold_sd"] == SortingConfig().threshold_sd
    described = get_sorter_params_description("ncpgui")
    assert set(described) == set(params)
    assert all(len(words) > 10 for words in described.values())
    assert described["max_neighbours"].startswith("channels of a waveform: those within the radius")


def test_the_folder_holds_what_sort_returns(recording: BaseRecording, folder: Path) -> None:
    read = read_sorter_folder(folder)
    _assert_same(read, ncpgui.sort(recording, **QUICK))
    assert read.get_annotation("ncpgui_settings")["seed"] == 1
    assert read.sorting_info["log"]["sorter_version"] == ncpgui.__version__
    assert read.has_recording()


@pytest.mark.slow
def test_processes_and_two_jobs_give_the_same_sorting(
    recording: BaseRecording, folder: Path, tmp_path: Path
) -> None:
    found = run_sorter("ncpgui", recording, folder=tmp_path / "a", n_jobs=2, parallel="processes", **QUICK)
    _assert_same(read_sorter_folder(folder), found)


def test_a_parameter_that_there_is_not_is_named(recording: BaseRecording, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"Invalid parameters: \['treshold_sd'\]"):
        run_sorter("ncpgui", recording, folder=tmp_path / "a", treshold_sd=4.0)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"threshold_sd": -1.0}, "threshold_sd must be positive, got -1.0"),
        ({"seed": "one"}, "the parameters of the sorter.seed must be of type int, got 'one'"),
        ({"n_jobs": np.int64(-1)}, "the number of workers must be a whole number from 1 on, got -1"),
        ({"probe": 3}, "linear-N[-PITCH], single, got 3 (int)"),
        ({"dask": 3}, "dask must be the address of a scheduler, got 3"),
        ({"n_jobs": 0}, "the number of workers must be a whole number from 1 on, got 0"),
        ({"parallel": "cores"}, "parallel must be 'threads' or 'processes', got 'cores'"),
    ],
)
def test_a_value_that_cannot_be_is_refused_before_work_begins(
    recording: BaseRecording, tmp_path: Path, wrong: dict[str, object], words: str
) -> None:
    with pytest.raises(InputError) as caught:
        run_sorter("ncpgui", recording, folder=tmp_path / "a", **wrong)
    assert words in str(caught.value)


def test_progress_is_printed_where_it_is_asked_for(
    recording: BaseRecording, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run_sorter("ncpgui", recording, folder=tmp_path / "a", verbose=True, **QUICK)
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("ncpgui: ")]
    assert lines[0].startswith("ncpgui: 0 %")
    assert lines[-1].startswith("ncpgui: 100 %")
    assert len(lines) <= 11


def test_many_recordings_one_after_the_other(recording: BaseRecording, tmp_path: Path) -> None:
    jobs = [
        {"sorter_name": "ncpgui", "recording": recording, "folder": tmp_path / name, **QUICK, "seed": seed}
        for name, seed in (("a", 1), ("b", 1), ("c", 2))
    ]
    first, second, _ = run_sorter_jobs(jobs, engine="loop", return_output=True)
    _assert_same(first, second)


@pytest.mark.slow
def test_many_recordings_in_processes_that_begin_anew(recording: BaseRecording, tmp_path: Path) -> None:
    from joblib import Parallel, delayed

    from ncpgui.spikeinterface_sorter import run_sorter as run_ours

    jobs = [{"recording": recording, "folder": tmp_path / name, **QUICK, "n_jobs": 1} for name in "ab"]
    Parallel(n_jobs=2, backend="loky")(delayed(run_ours)(**job, with_output=False) for job in jobs)
    _assert_same(*(read_sorter_folder(tmp_path / name) for name in "ab"))


def test_a_process_that_imports_the_module_only_knows_the_sorter() -> None:
    code = (
        "import ncpgui.spikeinterface_sorter\n"
        "from spikeinterface.sorters import available_sorters\n"
        "assert 'ncpgui' in available_sorters()"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_what_no_sorter_can_open_again_is_refused(tmp_path: Path) -> None:
    from spikeinterface.core import NumpyRecording

    run = ncpgui.spikeinterface_sorter.run_sorter
    with pytest.raises(
        InputError, match=r"a recording of SpikeInterface is needed, got 'file.raw'.*open the file"
    ):
        run("ncpgui", "file.raw", folder=tmp_path / "a")
    memory = NumpyRecording([np.zeros((100, 1), "i2")], 20_000.0)
    with pytest.raises(InputError, match=r"\(NumpyRecording\) is in memory.*save it first, recording = "):
        run("ncpgui", memory, folder=tmp_path / "a")
    assert not (tmp_path / "a").exists()


def test_spikeinterfaces_own_run_sorter_says_so_too_and_leaves_no_folder_in_the_way(
    recording: BaseRecording, tmp_path: Path
) -> None:
    """Whatever was done to the recording: a filter, a part, several end to end."""
    from spikeinterface.core import NumpyRecording, concatenate_recordings
    from spikeinterface.preprocessing import bandpass_filter
    from spikeinterface.sorters import run_sorter

    memory = NumpyRecording([np.zeros((9000, 1), "i2")], 20_000.0)
    several = concatenate_recordings([memory, memory])
    for one in (memory, bandpass_filter(memory), memory.frame_slice(0, 100), several):
        with pytest.raises(InputError, match=r"recording.save\(folder='my_recording'\), or sort it as it is"):
            run_sorter("ncpgui", one, folder=tmp_path / "a")
        assert not (tmp_path / "a").exists()
    made = ncpgui.spikeinterface_sorter.NcpguiSorter.initialize_folder(
        recording, tmp_path / "a", False, False
    )
    assert made == tmp_path / "a"
