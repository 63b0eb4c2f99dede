"""Public functions called with what they cannot use: one clear error of ours, whatever the type."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from spikeinterface.core import NumpyRecording, NumpySorting, generate_ground_truth_recording

import ncpgui
from ncpgui import engine
from ncpgui.analysis.receptive_field import receptive_field
from ncpgui.core.alternatives import group_alternatives, same_sorting
from ncpgui.core.errors import InputError, NcpguiError
from ncpgui.core.order_agreement import trust
from ncpgui.core.partition import canonical
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.core.probe import Probe
from ncpgui.core.stimulus import Stimulus
from ncpgui.ephys.probes import load_probe
from ncpgui.ephys.readers import load_stimulus, open_recording, open_sorting, recording_of
from ncpgui.export.registry import export, export_format
from ncpgui.session.session_file import create_session, open_session
from ncpgui.session.store import load
from ncpgui.sorting.chosen_workers import checked_workers
from ncpgui.sorting.config import SortingConfig
from ncpgui.sorting.dask_workers import Dask
from ncpgui.sorting.executors import Threads
from ncpgui.sorting.process_workers import Processes

SORTING = NumpySorting.from_unit_dict([{0: np.array([1])}], 20_000.0)
WRONG: tuple[Any, ...] = (None, 3, b"x", ["a"], {"a": 1}, SORTING, np.zeros(3), object())
POSTERIOR = PosteriorSamples(np.array([[0, 0, 1], [0, 1, 1]]), np.zeros(2))
STIMULUS = Stimulus(np.random.default_rng(0).normal(size=(30, 2, 2)), np.arange(30) * 100)


def no_number(wrong: Any) -> Any:
    """The value itself, or text in place of one that is right where a number is asked for."""
    return "3" if wrong is None or isinstance(wrong, int) else wrong


TAKES_ONE: dict[str, Callable[[Any], Any]] = {
    "sort": ncpgui.sort,
    "recording_of": recording_of,
    "open_recording": open_recording,
    "open_sorting": open_sorting,
    "load_stimulus": load_stimulus,
    "load_probe": load_probe,
    "load": load,
    "open_session": open_session,
    "create_session": lambda wrong: create_session(wrong, "a.h5"),
    "export": lambda wrong: export(wrong, "csv", "a.csv"),
    "export_format": export_format,
    "group_alternatives": group_alternatives,
    "receptive_field": lambda wrong: receptive_field(wrong, np.arange(3)),
    "SortingConfig": lambda wrong: SortingConfig(threshold_sd=no_number(wrong)),
    "checked_workers": lambda wrong: checked_workers(no_number(wrong)),
    "Threads": lambda wrong: Threads(no_number(wrong)),
    "Processes": lambda wrong: Processes(no_number(wrong)),
    "Dask": Dask,
    "cluster": engine.cluster,
    "checked_model": lambda wrong: engine.checked_model("nonesuch" if wrong is None else wrong),
}


@pytest.mark.parametrize("name", TAKES_ONE)
def test_a_value_of_another_type_is_refused(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for wrong in WRONG:
        with pytest.raises(NcpguiError):
            TAKES_ONE[name](wrong)
    assert list(tmp_path.iterdir()) == []


def recording() -> NumpyRecording:
    return generate_ground_truth_recording(durations=[1.0], num_channels=4, num_units=1, seed=0)[0]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("file.raw", "got 'file.raw'.*; open the file first, such as spikeinterface.full.read_spikeglx"),
        (Path("file.raw"), "open the file first"),
        (np.zeros((9, 2)), r"got a ndarray; make one: spikeinterface.full.NumpyRecording\(\[traces\]"),
        (NumpyRecording, "open one with SpikeInterface"),
    ],
)
def test_what_is_no_recording_says_how_to_make_one(given: Any, words: str) -> None:
    with pytest.raises(InputError, match=rf"^a recording of SpikeInterface is needed, .*{words}"):
        ncpgui.sort(given)


def begins(**options: Any) -> None:
    """Sort until the first report."""

    class BegunError(Exception):
        pass

    def report(*_: Any) -> None:
        raise BegunError

    with pytest.raises(BegunError):
        ncpgui.sort(recording(), **{"progress": report, **options})


def test_options_of_a_sorting_may_be_numbers_of_numpy_and_probes_of_probeinterface() -> None:
    begins(workers=np.int64(2), posterior=np.bool_(False), seed=np.uint64(3))
    begins(threshold_sd=np.float32(4.5), posterior_samples=np.int32(5), model=Path("spikes"))
    begins(probe=recording().get_probe())
    begins(probe=recording().get_probegroup())


def test_a_sorting_without_progress_reports_to_nobody() -> None:
    silence = NumpyRecording([np.random.default_rng(0).normal(0, 9, (20_000, 1))], 20_000.0)
    with pytest.raises(InputError, match="no spikes found"):
        ncpgui.sort(silence, progress=None)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"workers": 0}, "the number of workers must be a whole number from 1 on, got 0"),
        ({"workers": -1}, "the number of workers must be a whole number from 1 on, got -1"),
        (
            {"workers": 2.0},
            "workers must be a whole number from 1 on, or Threads, Processes or Dask, got 2.0",
        ),
        ({"workers": True}, "workers must be a whole number"),
        ({"workers": Processes}, "workers must be a whole number"),
        ({"progress": True}, r"progress must be a function of \(done, total, message\), or None, got True"),
        ({"progress": lambda done: None}, "progress must be a function"),
        ({"posterior": "no"}, "posterior must be True or False, got 'no'"),
        ({"probe": 4}, "a probe is a Probe, .* got 4"),
        ({"probe": {}}, "needs positions_um"),
        ({"threshold_sd": "4"}, "threshold_sd must be of type float, got '4'"),
        ({"threshold_sd": float("inf")}, "threshold_sd must be finite, got inf"),
        ({"exclude_ms": 1e9}, r"exclude_ms must be finite and at most 100, got 1e\+09"),
        ({"highpass_hz": 1e-9}, "highpass_hz must be at least 1, got 1e-09"),
        ({"neighbour_radius_um": float("nan")}, "neighbour_radius_um must be finite, got nan"),
        ({"seed": None}, "seed must be of type int, got None"),
    ],
)
def test_an_option_that_does_not_fit_is_named_before_anything_is_read(
    options: dict[str, Any], words: str
) -> None:
    made = recording()
    made.get_traces = None  # type: ignore[method-assign]
    with pytest.raises(InputError, match=words):
        ncpgui.sort(made, **options)


@pytest.mark.parametrize("kind", [complex, bool, object, "U3"])
def test_traces_that_are_no_numbers_are_refused(kind: Any) -> None:
    with pytest.raises(InputError, match="traces must be integers or floats, got dtype"):
        ncpgui.sort(NumpyRecording([np.ones((300, 1)).astype(kind)], 20_000.0))


RAW = {"sampling_frequency": 20_000.0, "n_channels": 4, "probe": "tetrode"}


def test_a_raw_file_is_described_by_numbers_of_numpy_too(tmp_path: Path) -> None:
    path = tmp_path / "a.raw"
    np.arange(4000, dtype="<i2").tofile(path)
    plain = open_recording(path, **RAW)
    numpys = {**RAW, "sampling_frequency": np.float32(20_000), "n_channels": np.int64(4), "dtype": np.int16}
    assert open_recording(path, **numpys).reference == replace(
        plain.reference, options={**plain.reference.options, "dtype": "<i2"}
    )
    for bad in ("2", (2,), np.array([2]), {2}, 2, [2.0]):
        assert open_recording(path, **RAW, bad_channels=bad).reference.options["bad_channels"] == [2]
    part = open_recording(path, **RAW, time_range_s=np.array([0.01, 0.02]))
    assert part.n_samples == 200
    assert open_recording(path, **RAW, time_range_s=(None, None)).n_samples == 1000


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"sampling_frequency": "20000"}, "sampling_frequency must be a number, got '20000'"),
        ({"sampling_frequency": np.array([2e4])}, "sampling_frequency must be a number"),
        ({"n_channels": 4.0}, "n_channels must be a whole number, got 4.0"),
        ({"n_channels": True}, "n_channels must be a whole number, got True"),
        ({"dtype": 3}, "dtype must be a name such as int16, got 3"),
        ({"dtype": ["int16"]}, "dtype must be a name such as int16"),
        ({"stream": 0}, "stream must be a name or a part of it, got 0"),
        ({"probe": np.zeros((4, 2))}, "a probe is a Probe, .* got a ndarray"),
        ({"probe": {"positions_um": "x"}}, "contact positions must be an array of numbers, got 'x'"),
        ({"time_range_s": (0.1,)}, r"a time range is two times in seconds, \(start, end\), got \(0.1,\)"),
        ({"time_range_s": "0-1"}, "a time range is two times"),
        ({"time_range_s": 3}, "a time range is two times"),
        ({"time_range_s": ("0", "1")}, "a time of the time range must be a number, got '0'"),
        ({"bad_channels": [1.5]}, "bad_channels must be whole numbers, got 1.5"),
        ({"bad_channels": ["a"]}, "bad_channels must be an array of whole numbers"),
        ({"bad_channels": np.array([True] * 4)}, "bad_channels must be an array of whole numbers"),
    ],
)
def test_an_option_of_a_recording_that_does_not_fit_is_named(
    tmp_path: Path, options: dict[str, Any], words: str
) -> None:
    np.zeros(4000, "<i2").tofile(tmp_path / "a.raw")
    with pytest.raises(InputError, match=words):
        open_recording(tmp_path / "a.raw", **{**RAW, **options})


CALLS: dict[str, tuple[Callable[[], Any], str]] = {
    "text labels": (lambda: canonical(["a", "b"]), "labels must be an array of whole numbers"),
    "nan labels": (lambda: canonical([np.nan, 0.0]), "labels must be whole numbers, got nan"),
    "one label": (lambda: canonical(3), "labels must be a vector"),
    "ragged labels": (lambda: canonical([[0, 1], [1]]), "labels must be an array of whole numbers"),
    "two lengths": (lambda: same_sorting([0], [0, 1]), r"for the same points, got shapes \(1,\) and \(2,\)"),
    "text overlap": (lambda: same_sorting([0], [0], min_jaccard="x"), "min_jaccard must be a number"),
    "no spread": (lambda: trust(None), "the spread must be a number, got None"),
    "half a label": (
        lambda: PosteriorSamples([[0.5, 1.0]], [0.0]),
        "labels of samples must be whole numbers",
    ),
    "text weights": (lambda: PosteriorSamples([[0, 1]], [0.0], ["a"]), "weights of samples must be an array"),
    "no such sample": (lambda: POSTERIOR.subset([9]), "samples are numbers from 0 to 1"),
    "no such point": (lambda: POSTERIOR.at_points([99]), "points are numbers from 0 to 2"),
    "text point": (lambda: POSTERIOR.at_points("a"), "points are numbers from 0 to 2"),
    "no such pair": (lambda: POSTERIOR.co_assignment([0], [9]), "points are numbers from 0 to 2"),
    "half a pair": (lambda: POSTERIOR.co_assignment([0, 1, 2], [1]), "as many first points as second"),
    "no such member": (lambda: POSTERIOR.standard_error([9]), "samples are numbers from 0 to 1"),
    "text nats": (lambda: POSTERIOR.weighed("a"), "nats must be an array of numbers"),
    "text size": (lambda: POSTERIOR.p_n_clusters("a"), "min_size must be a whole number"),
    "text spikes": (
        lambda: receptive_field(STIMULUS, "a"),
        "spike_samples must be an array of whole numbers",
    ),
    "half samples": (
        lambda: receptive_field(STIMULUS, [0.5]),
        "spike_samples must be whole numbers, got 0.5",
    ),
    "text lags": (lambda: receptive_field(STIMULUS, [5], n_lags="3"), "n_lags must be a whole number"),
    "nan trigger": (
        lambda: Stimulus(np.zeros((2, 1, 1)), [0, np.nan]),
        "triggers of a stimulus must be whole",
    ),
    "text frames": (lambda: Stimulus(np.full((1, 1, 1), "a"), [0]), "frames of a stimulus must be an array"),
    "text pixel": (lambda: Stimulus(np.zeros((1, 1, 1)), [0], "a"), "pixel_um must be a number"),
    "text contacts": (lambda: Probe([["a", "b"]]), "contact positions must be an array of numbers"),
    "ragged contacts": (lambda: Probe([[0], [0, 1]]), "contact positions must be an array of numbers"),
    "text shanks": (lambda: Probe([[0, 0]], ["a"]), "shanks of contacts must be an array of whole numbers"),
}


@pytest.mark.parametrize("name", CALLS)
def test_values_that_say_nothing_are_refused_by_name(name: str) -> None:
    call, words = CALLS[name]
    with pytest.raises(InputError, match=words):
        call()


def test_lists_will_do_where_arrays_do() -> None:
    assert PosteriorSamples([[0, 1], [0, 0]], [0.0, 0.0]).n_samples == 2
    assert POSTERIOR.co_assignment([0, 0], [1, 2]).tolist() == [0.5, 0.0]
    assert POSTERIOR.subset([1]).labels.tolist() == [[0, 1, 1]]
    assert Stimulus([[[0.0]], [[1.0]]], [0.0, 5.0]).trigger_sample.tolist() == [0, 5]
    assert Probe([[0, 0], [0, 20]], [0.0, 1.0]).shank.tolist() == [0, 1]
