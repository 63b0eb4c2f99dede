"""Options of ``ncpgui sort``: threads, processes or a Dask cluster, with one result; firing times."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ncpgui.core.errors import InputError
from ncpgui.session import store

from .conftest import Command


@pytest.mark.slow
def test_processes_write_the_session_that_threads_write(
    ncpgui: Command, tetrode_folder: Path, few_settings: Path, tmp_path: Path
) -> None:
    units = []
    for how in ("threads", "processes"):
        out = tmp_path / f"{how}.h5"
        ran = ncpgui(
            "sort", tetrode_folder, "--out", out, "--settings", few_settings, "--parallel", how, "--jobs", 2
        )
        assert ran.code == 0, ran.err
        units.append(store.load(out).unit_of_spike)
    np.testing.assert_array_equal(*units)


def test_a_way_of_sampling_that_there_is_not_is_named(
    ncpgui: Command, tetrode_folder: Path, tmp_path: Path
) -> None:
    ran = ncpgui("sort", tetrode_folder, "--out", tmp_path / "s.h5", "--parallel", "cores")
    assert ran.error == "parallel must be 'threads' or 'processes', got 'cores'"


def test_processes_and_a_cluster_exclude_each_other(
    ncpgui: Command, tetrode_folder: Path, tmp_path: Path
) -> None:
    ran = ncpgui(
        "sort", tetrode_folder, "--out", tmp_path / "s.h5", "--parallel", "processes", "--dask", "tcp://a:1"
    )
    assert "by processes of this machine or by the Dask cluster tcp://a:1; leave one out" in ran.error


@pytest.mark.parametrize(
    ("options", "name", "expected"),
    [
        ((), "firing_times", True),
        (("--no-firing-times",), "firing_times", False),
        ((), "matcher", "wobble"),
        (("--matcher", "none"), "matcher", "none"),
    ],
)
def test_firing_times_can_be_left_out_and_another_matcher_chosen(
    ncpgui: Command,
    tetrode_folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    options: tuple[str, ...],
    name: str,
    expected: object,
) -> None:
    def stop(_: Any, config: Any, **__: Any) -> None:
        raise InputError(f"{name}: {getattr(config, name)}")

    monkeypatch.setattr("ncpgui.sorting.pipeline.sort_recording", stop)
    ran = ncpgui("sort", tetrode_folder, "--out", tmp_path / "s.h5", *options)
    assert ran.error == f"{name}: {expected}"


def test_a_cluster_without_dask_says_what_to_install(
    ncpgui: Command, tetrode_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    ran = ncpgui("sort", tetrode_folder, "--out", tmp_path / "s.h5", "--dask", "tcp://127.0.0.1:8786")
    assert "pip install distributed" in ran.error
    assert not (tmp_path / "s.h5").exists()
