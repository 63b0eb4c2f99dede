"""``ncpgui doctor`` names each problem and what to do about it."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from numba.core.caching import CacheImpl

from ncpgui.cli import doctor
from ncpgui.ephys.known_formats import known_formats

from .conftest import Command


def states(ran_out: str) -> dict[str, str]:
    """State of each finding by name."""
    return {finding["name"]: finding["state"] for finding in json.loads(ran_out)}


def test_where_all_is_there_nothing_is_a_problem(ncpgui: Command) -> None:
    ran = ncpgui("doctor", "--json")
    found = states(ran.out)
    assert ran.code == 0, ran.out
    assert {
        *("ncpgui", "packages", "extras", "device", "threads", "Qt (offscreen)", "model spikes", "resources"),
        *("compiled code", "formats", "settings folder", "temporary folder", "working folder"),
    } <= set(found)
    assert "problem" not in found.values()


def test_a_missing_package_is_named_with_the_line_to_type(
    ncpgui: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "requires", lambda _: ["numpy>=2.0", "nonesuch-package>=1"])
    monkeypatch.setattr(doctor, "_qt", list)
    ran = ncpgui("doctor")
    assert ran.code == 1
    assert "problem: packages: pip install 'nonesuch-package>=1'" in ran.out


def test_a_package_of_another_version_is_named_with_the_one_that_is_needed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(doctor, "requires", lambda _: ["spikeinterface>=0.105,<0.106"])
    monkeypatch.setattr(doctor, "version", lambda _: "0.107.1")
    (finding,) = doctor._packages()
    assert finding.state == "problem"
    assert finding.detail == "spikeinterface 0.107.1 is installed, <0.106,>=0.105 is needed"
    assert finding.advice == "pip install 'spikeinterface<0.106,>=0.105'"


def test_an_extra_that_is_not_installed_is_no_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    """What another Python needs is asked for there only."""
    wanted = [
        "numpy>=2.0",
        "tomli>=2; python_version < '3.0'",
        'pynwb<5,>=4; extra == "nwb"',
        'nonesuch; extra == "dask"',
    ]
    monkeypatch.setattr(doctor, "requires", lambda _: wanted)
    monkeypatch.setattr(doctor, "_installed", lambda one: None if one.name == "nonesuch" else "4.1")
    monkeypatch.setattr(doctor, "EXTRAS", {"nwb": "exports to NWB", "dask": "sorting on a cluster"})
    assert [one.name for one in doctor._required("")] == ["numpy"]
    assert [one.name for one in doctor._required("nwb")] == ["pynwb"]
    (finding,) = doctor._extras()
    assert finding.state == "ok"
    assert finding.detail.startswith("installed: nwb (exports to NWB); not installed: dask (sorting on a")
    assert finding.detail.endswith("README says how to add one")


def test_threads_and_formats_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    from ncpgui.sorting import executors

    monkeypatch.setattr(executors, "usable_cores", lambda: 3)
    (threads,) = doctor._threads()
    assert threads.detail.startswith("3 of ")
    assert "samples 3 components at a time" in threads.detail
    (formats,) = doctor._formats()
    n_read = int(formats.detail.split()[0])
    assert n_read == sum(row.state == "read" for row in known_formats())


def test_a_full_temporary_folder_is_noted_with_the_way_out(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    nearly_full = shutil.disk_usage(tmp_path)._replace(free=2_000_000_000)
    monkeypatch.setattr(doctor.shutil, "disk_usage", lambda _: nearly_full)
    finding = doctor._writable("temporary folder", tmp_path)
    assert (finding.state, finding.detail) == ("note", f"{tmp_path}, 2.0 GB free")
    assert "set TMPDIR" in finding.advice
    assert doctor._writable("working folder", tmp_path).state == "ok"


def test_a_missing_system_library_is_quoted_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    words = "ImportError: libGL.so.1: cannot open shared object file: No such file or directory"
    failed = subprocess.CompletedProcess([], 1, stdout="", stderr=f"Traceback ...\n{words}\n")
    monkeypatch.setattr(doctor.subprocess, "run", lambda *_, **__: failed)
    finding = doctor._start_qt("offscreen")
    assert (finding.state, finding.detail) == ("problem", words)
    assert "apt-get install libgl1" in finding.advice


@pytest.mark.parametrize(
    ("said", "state", "detail", "advice"),
    [
        (
            "qt.qpa.xcb: could not connect to display :77\nqt.qpa.plugin: Could not load the Qt platform "
            'plugin "xcb" in "" even though it was found.',
            *("note", "could not connect to display :77", "DISPLAY is :77, and none answers there"),
        ),
        (
            "Failed to create wl_display (No such file or directory)\nqt.qpa.plugin: Could not load the Qt "
            'platform plugin "wayland" in "" even though it was found.',
            *("note", "Failed to create wl_display", "no library is missing"),
        ),
        (
            'qt.qpa.plugin: Could not load the Qt platform plugin "xcb" in "" even though it was found.\n'
            "This application failed to start.\n\nAvailable platform plugins are: offscreen, xcb.",
            *("problem", 'Could not load the Qt platform plugin "xcb"', "apt-get install libgl1"),
        ),
        (
            'qt.qpa.plugin: Could not find the Qt platform plugin "foo" in ""\n\n'
            "Available platform plugins are: offscreen, xcb.",
            *("problem", 'Could not find the Qt platform plugin "foo"', "unset QT_QPA_PLATFORM"),
        ),
    ],
)
def test_a_display_that_does_not_answer_is_told_from_a_library_that_is_missing(
    said: str, state: str, detail: str, advice: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    failed = subprocess.CompletedProcess([], -6, stdout="", stderr=said)
    monkeypatch.setattr(doctor.subprocess, "run", lambda *_, **__: failed)
    monkeypatch.setenv("DISPLAY", ":77")
    finding = doctor._start_qt("")
    assert finding.state == state
    assert detail in finding.detail
    assert advice in finding.advice


def test_of_a_gpu_it_says_what_it_did_there(monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    from ncpgui.engine import device

    monkeypatch.setattr(device, "resolve_device", lambda _: torch.device("cpu"))
    (finding,) = doctor._device()
    assert finding.state == "ok"
    assert finding.detail.endswith("it finds no GPU")
    assert "faster" not in finding.detail

    def broken(_: object) -> str:
        raise RuntimeError("CUDA error: no kernel image\nis available")

    monkeypatch.setattr(device, "resolve_device", lambda _: torch.device("cuda"))
    monkeypatch.setattr(device, "tried_device", broken)
    (finding,) = doctor._device()
    assert (finding.state, finding.detail) == (
        "problem",
        "torch finds cuda, but: CUDA error: no kernel image is available",
    )
    assert "--device cpu" in finding.advice
    monkeypatch.undo()
    assert device.tried_device(torch.device("cpu")) == (
        "CPU: multiplied two small matrices, which is right; no more was tried"
    )


def test_a_folder_that_stands_in_for_the_home_is_a_note(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert doctor._home() == []
    monkeypatch.setenv("HOME", str(tmp_path / "ncpgui-home-7"))
    (finding,) = doctor._home()
    assert (finding.name, finding.state) == ("home folder", "note")
    assert "set HOME to a folder of yours" in finding.advice


def test_a_damaged_model_is_a_problem(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from ncpgui.core.resources import data_folder
    from ncpgui.engine.networks import model_files

    card = (data_folder("trained_models") / "spikes.json").read_text()
    (tmp_path / "spikes.json").write_text(card)
    (tmp_path / "spikes.safetensors").write_bytes(b"rubbish")
    monkeypatch.setattr(model_files, "data_folder", lambda _: tmp_path)
    (finding,) = [f for f in doctor._models() if f.name == "model spikes"]
    assert finding.state == "problem"
    assert "checksums differ" in finding.detail
    assert "install ncpgui again" in finding.advice


def test_a_check_that_fails_itself_does_not_end_the_examination(monkeypatch: pytest.MonkeyPatch) -> None:
    def _device() -> list[doctor.Finding]:
        raise ImportError("libtorch.so: broken")

    monkeypatch.setattr(doctor, "_device", _device)
    monkeypatch.setattr(doctor, "_qt", list)
    found = {finding.name: finding for finding in doctor.examine()}
    assert found["device"].state == "problem"
    assert "libtorch.so: broken" in found["device"].detail
    assert found["resources"].state == "ok"


def test_compiled_code_that_can_be_kept_nowhere_is_a_problem_with_the_way_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(CacheImpl, "_locator_classes", [])
    (found,) = doctor._compiled()
    assert found.state == "problem"
    assert "cannot cache function" in found.detail
    assert "NUMBA_CACHE_DIR" in found.advice


def test_a_folder_that_cannot_be_written_is_a_note(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def refuse(**_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(doctor.tempfile, "TemporaryFile", refuse)
    finding = doctor._writable("settings folder", tmp_path / "not" / "there")
    assert finding.state == "note"
    assert f"make {tmp_path} writable" in finding.advice


def test_formats_are_listed_from_what_is_installed(ncpgui: Command) -> None:
    ran = ncpgui("doctor", "--formats", "--json")
    assert ran.code == 0, ran.err
    rows = {row["name"]: row for row in json.loads(ran.out)}
    assert {row["state"] for row in rows.values()} == {"read", "recognised", "not opened"}
    assert rows["SpikeGLX"]["state"] == "read"
    assert "*.meta" in rows["SpikeGLX"]["known_by"]
    assert rows["TDT"]["state"] == "recognised"
    from spikeinterface.extractors.extractor_classes import recording_extractor_full_dict

    readers = {row["reader"] for row in rows.values()}
    for name, reader in recording_extractor_full_dict.items():
        listed = {name, getattr(reader, "__name__", "")} & (readers | set(rows))
        assert listed or name in (
            "numpy",
            "openephysbinary",
            "openephyslegacy",
            "mearec",
            "binary",
            "zarr",
        ), name
    assert rows["alphaomega"]["state"] == "not opened"  # SpikeInterface reads it and ncpgui does not


def test_formats_are_said_to_be_read_only_where_a_test_opens_one(ncpgui: Command) -> None:
    text = "".join(path.read_text() for path in Path(__file__).parents[1].glob("ephys/test_*formats.py"))
    for row in json.loads(ncpgui("doctor", "--formats", "--json").out):
        if row["state"] == "read" and row["reader"] != "ncpgui":
            name = row["name"].split()[0].split(",")[0].lower()
            assert name in text.lower().replace("_", " "), row["name"]


def test_what_the_states_of_formats_mean_is_under_the_table(ncpgui: Command) -> None:
    lines = ncpgui("doctor", "--formats").out.splitlines()
    assert any(line.startswith("read: ") for line in lines)
    assert any(line.startswith("recognised: ") for line in lines)
    assert any(line.startswith("not opened: ") for line in lines)
