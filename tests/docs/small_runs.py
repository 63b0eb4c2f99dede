"""Runs what the documents print as a reader would, in a scratch folder, with little data and short runs."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PyQt5 import QtWidgets
from spikeinterface.core import (
    BaseRecording,
    BaseSorting,
    BinaryRecordingExtractor,
    NpzSortingExtractor,
    create_sorting_analyzer,
    generate_ground_truth_recording,
)

from ncpgui.app.actions import ACTIONS
from ncpgui.app.keymap import OWN_KEYS, read_keymap
from ncpgui.app.preferences import Preferences
from ncpgui.cli.main import run
from ncpgui.core.config import from_dict, read_toml
from ncpgui.engine.diagnostics import evaluate as evaluation
from ncpgui.engine.networks.registry import build_network
from ncpgui.engine.training import presets
from ncpgui.ephys.simulation import RetinaSettings
from ncpgui.findings import draws, propagate
from ncpgui.gui.main_window import MainWindow
from ncpgui.session.session_file import create_session
from ncpgui.sorting.config import SortingConfig
from tests.docs.printed import ROOT, Block
from tests.docs.stated import check_make, check_pip, check_sigui
from tests.synthetic_project import synthetic_project

TRIAL_STARTS_S = np.arange(0.5, 8.5)
TRIAL_DEGREES = np.tile([0.0, 45.0, 90.0, 135.0], 2)
FEW = "posterior_samples = 12\nspikes_per_group = 24\nmin_cluster_spikes = 5\n"
SHORT_TRAINING = "validate_points = 20\nvalidate_datasets = 2\n"
SHORT_PRESET: dict[str, Any] = {
    "n_datasets": 2,
    "n_points": (20, 30),
    "n_points_end": (20, 30),
    "validate_points": 20,
    "validate_datasets": 2,
    "temperature_datasets": 2,
}

LITTLE = evaluation.Amount(
    n_points=8,
    orders=2,
    order_datasets=2,
    order_samples=3,
    calibration_datasets=4,
    calibration_samples=6,
    rank_datasets=10,
    rank_samples=4,
    exact_datasets=2,
    exact_points=4,
    line_positions=5,
    last_point_datasets=2,
    last_point_points=(5,),
    geweke=((5, 20),),
    weight_datasets=2,
    weight_points=6,
    weight_samples=20,
    speed_datasets=1,
    speed_sweeps=20,
)


class Reader:
    """Somebody who types what a document prints, in a folder of their own.

    What a document takes for granted (a recording, waveforms) is made when it is first named.
    """

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.values: dict[str, Any] = {}
        self.opened: list[str] = []
        monkeypatch.chdir(folder)
        monkeypatch.setattr(evaluation, "QUICK", LITTLE)
        monkeypatch.setattr(evaluation, "Amount", lambda: LITTLE)
        short = {
            name: replace(preset, config=replace(preset.config, **SHORT_PRESET))
            for name, preset in presets.PRESETS.items()
        }
        monkeypatch.setattr(presets, "PRESETS", short)
        for module in (draws, propagate):
            monkeypatch.setattr(module, "draws", few_draws)
        monkeypatch.setitem(propagate.propagate.__kwdefaults__, "bootstraps", 4)
        monkeypatch.setattr(sys, "excepthook", sys.excepthook)  # which a window replaces
        monkeypatch.setattr(QtWidgets.QApplication, "exec_", self._look)
        (folder / "few.toml").write_text(FEW, encoding="utf-8")

    def read(self, block: Block) -> None:
        """Do what a block says."""
        self._prepare(block.text)
        if block.language == "python":
            exec(compile(block.text, block.name, "exec"), self.values)
        elif block.language == "toml":
            self._settings(block.text)
        elif block.language == "sh":
            for words in block.commands:
                self.type(words)

    def type(self, words: list[str]) -> None:
        """Type one command."""
        first, *rest = words
        checks: dict[str, Callable[[list[str]], None]] = {
            "make": check_make,
            "pip": check_pip,
            "sigui": check_sigui,
        }
        if first in checks:
            checks[first](rest)
        elif first == "ncpgui":
            assert run(smaller(rest)) == 0, f"failed: {' '.join(words)}"
        elif first == "python":
            script(rest)
        else:
            raise AssertionError(f"nobody knows how to run: {' '.join(words)}")

    def _look(self, *_: object) -> int:
        """Look at the window until what it was opened with is there, then close it."""
        windows = [w for w in QtWidgets.QApplication.topLevelWidgets() if isinstance(w, MainWindow)]
        window = next(w for w in windows if w.isVisible())
        until = time.monotonic() + 60
        while window.workspace.state.project is None and time.monotonic() < until:
            QtWidgets.QApplication.processEvents()
        assert window.workspace.state.project is not None, window.banner.text.text()
        self.opened.append(window.workspace.state.project.recording.path)
        window.close()
        return 0

    def _settings(self, text: str) -> None:
        """Write a training file under the name in its first line; try keys, or settings of a sorting."""
        if text.startswith("[keys]"):
            (self.folder / OWN_KEYS).write_text(text, encoding="utf-8")
            assert read_keymap(ACTIONS, Preferences(self.folder)).problems == ()
            return
        name = text.splitlines()[0].removeprefix("# ")
        if "n_twins" in text:
            (self.folder / name).write_text(text, encoding="utf-8")
            from_dict(RetinaSettings, read_toml(self.folder / name), place=name)
            return
        if name.endswith(".toml"):
            (self.folder / name).write_text(SHORT_TRAINING + text, encoding="utf-8")
            presets.load_config(name)
            return
        path = self.folder / "settings.toml"
        path.write_text(text, encoding="utf-8")
        from_dict(SortingConfig, read_toml(path), place=path.name)

    def _prepare(self, text: str) -> None:
        """Make what the text names and a reader has."""
        makers: dict[str, Callable[[], None]] = {
            "my_recording.raw": self._make_raw,
            "my_analyzer ": lambda: make_analyzer(self.folder / "my_analyzer"),
            "my_recording ": lambda: simulate("my_recording", "--probe", "tetrode", "--cells", "3"),
            '"session.h5"': self._make_session,
            "runs/mine.safetensors": self._make_model,
            "trials.csv": self._make_trials,
            "resources/template_reservoir.npz": self._copy_reservoir,
        }
        for name, make in makers.items():
            if name in text and not (self.folder / name.strip('" ')).exists():
                make()
        if "recording" in text and "ncpgui.sort" in text and "recording" not in self.values:
            self.values["recording"] = open_recording_of_two_cells(self.folder / "two_cells.raw")
        if "recordings.items()" in text:
            self.values["recordings"] = {"monday": self.values["recording"]}
        if "waveforms" in text and "waveforms" not in self.values:
            trough = -10 * np.exp(-(((np.arange(32) - 11) / 2.0) ** 2))[None, :, None]
            noise = np.random.default_rng(0).normal(size=(40, 32, 7))
            self.values["waveforms"] = (noise + trough * np.linspace(1, 0.2, 7)).astype(np.float32)
        if "starts_s=starts" in text:
            self.values |= {"starts": TRIAL_STARTS_S, "degrees": TRIAL_DEGREES}
        if "Tracker" in text:
            self.values |= {"network": _tracking_network(), "x": 0.5, "y": -0.5, "time": 1.0}

    def _make_session(self) -> None:
        create_session(synthetic_project(5, spikes_per_unit=120), self.folder / "session.h5").close()

    def _make_raw(self) -> None:
        simulate("simulated", "--probe", "hex49", "--cells", "8")
        shutil.copy("simulated/recording.raw", "my_recording.raw")
        shutil.copy("simulated/probe.json", "my_probe.json")

    def _make_trials(self) -> None:
        rows = zip(TRIAL_STARTS_S, TRIAL_DEGREES, strict=True)
        lines = ["start_s,value", *(f"{start},{value}" for start, value in rows)]
        (self.folder / "trials.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")

    def _make_model(self) -> None:
        """The shipped model under the name of one's own."""
        (self.folder / "runs").mkdir(exist_ok=True)
        for ending in (".safetensors", ".json"):
            shutil.copy(ROOT / "trained_models" / f"spikes{ending}", f"runs/mine{ending}")

    def _copy_reservoir(self) -> None:
        (self.folder / "resources").mkdir()
        shutil.copy(ROOT / "resources" / "template_reservoir.npz", "resources")


def script(words: list[str]) -> None:
    """Run a script of the repository; where NEURON is missing, ask one that needs it for its options."""
    words = smaller(words)
    path = ROOT / words[0]
    can_run = find_spec("neuron") is not None or "neuron" not in path.read_text(encoding="utf-8").lower()
    done = subprocess.run(
        [sys.executable, str(path), *(words[1:] if can_run else ["--help"])],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert done.returncode == 0, done.stderr
    if not can_run:
        assert [word for word in words if word.startswith("--") and word not in done.stdout] == []


def open_recording_of_two_cells(path: Path) -> BaseRecording:
    """Fifteen seconds on four contacts, in a file that other processes can open."""
    made, _ = _two_cells()
    made.get_traces().astype(np.float32).tofile(path)
    opened = BinaryRecordingExtractor(
        [path], sampling_frequency=20_000.0, dtype="float32", num_channels=4, gain_to_uV=1.0, offset_to_uV=0.0
    )
    opened.set_probe(made.get_probe())
    return opened


def _two_cells() -> tuple[BaseRecording, BaseSorting]:
    return generate_ground_truth_recording(
        durations=[15.0], sampling_frequency=20_000.0, num_channels=4, num_units=2, seed=0
    )


def make_analyzer(folder: Path) -> None:
    """An analyzer of SpikeInterface with two units."""
    recording = open_recording_of_two_cells(folder.with_name("of_analyzer.raw"))
    _, sorting = _two_cells()
    path = folder.with_name("of_analyzer.npz")  # an analyzer warns of a sorting that no file holds
    NpzSortingExtractor.write_sorting(sorting, path)
    sorting = NpzSortingExtractor(path)
    create_sorting_analyzer(sorting, recording, format="binary_folder", folder=folder, sparse=False)


def simulate(folder: str, *options: str) -> None:
    """Four seconds of a simulated recording."""
    assert run(["simulate", "--out", folder, "--duration", "4", "--rate", "12", *options]) == 0


def few_draws(
    source: object, n: int = 100, *rest: Any, of: Callable[..., Any] = draws.draws, **more: Any
) -> Any:
    """Draws, ten of as many as are asked for."""
    return of(source, min(n, 10), *rest, **more)


def smaller(words: list[str]) -> list[str]:
    """The same command with less to do: everything that was printed stays, but lengths and numbers."""
    words = list(words)
    less = {"--minutes": "0.3", "--n-cells": "4", "--steps": "6", "--duration": "8"}
    for option, value in less.items():
        if option in words and "--resume" not in words:
            words[words.index(option) + 1] = value
    command = words[0]
    if command in ("sort", "review"):
        words += ["--settings", "few.toml"]
    elif command == "demo" and "--headless" in words:
        words += ["--duration", "8"]
    elif command == "demo":
        words += ["--duration", "5"]
    elif command == "templates":
        words += ["--min-spikes", "10"]
    elif command == "train" and not {"--minutes", "--steps"} & set(words):
        words += ["--steps", "2"]
    elif command.endswith("build_template_reservoir.py"):
        words += ["--n-cells", "4", "--out", "reservoir.npz"]
    return words


def _tracking_network() -> torch.nn.Module:
    torch.manual_seed(0)
    settings = presets.PRESETS["particles"].config.architecture
    ahead = {**settings.network_options, "sees_future": False}
    return build_network(replace(settings, network_options=ahead)).eval()
