"""A project small enough to know every number of it, and what shows a panel of it.

Two contacts 30 µm apart. Channel 0 has ten spikes in 2 s: unit 0 has six (10 sd deep), unit 1 has
four (5 sd deep). The posterior says two units in 70 %, one unit in 25 %, something else in 5 %.
Channel 1 has three spikes and waits to be sampled.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from PyQt5 import QtCore, QtGui, QtWidgets

from ncpgui.analysis import receptive_field
from ncpgui.analysis.receptive_field import ReceptiveField
from ncpgui.app.controller import Controller
from ncpgui.app.model.workspace import Workspace
from ncpgui.app.preferences import Preferences
from ncpgui.app.presenters.embedding import principal_plane
from ncpgui.app.work import measures
from ncpgui.app.work.tasks import Immediate, Task
from ncpgui.core.component import Alternative, Component, ComponentWaveforms, WaitingComponent
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.core.probe import Probe
from ncpgui.core.project import Project, RecordingReference
from ncpgui.core.spikes import SpikeEvents
from ncpgui.core.stimulus import Stimulus
from ncpgui.core.waveform_format import N_SAMPLES, TROUGH_SAMPLE
from ncpgui.gui.main_window import MainWindow
from ncpgui.gui.panels.base import Panel
from ncpgui.gui.theme import LIGHT, Theme, apply_theme
from ncpgui.session.session_file import create_session
from tests.gui.windows import Press, keep_draws, press_keys, settle, shown_window
from tests.read_once import sessions_read_once
from tests.synthetic_project import synthetic_project

# sample index, channel, unit (-1 = none yet)
SPIKES = (
    (1000, 0, 0), (1010, 0, 0), (3000, 0, 1), (5000, 0, 0), (7000, 1, -1), (9000, 0, 1), (11000, 0, 0),
    (13000, 0, 1), (15000, 1, -1), (17000, 0, 0), (19000, 0, 1), (21000, 0, 0), (23000, 1, -1),
)  # fmt: skip
DEPTH = np.array([10.0, 5.0])
POINTS = np.array([[-5, -3], [-5, -1], [5, -3], [-5, 1], [5, -1], [-5, 3], [5, 1], [-5, 5], [5, 3], [-5, 7]])


def _small_project() -> Project:
    sample, channel, unit = np.array(SPIKES).T
    amplitude = np.where(unit < 0, -6.0, -DEPTH[unit])
    ids = np.flatnonzero(channel == 0)
    labels = unit[ids]
    one = np.zeros_like(labels)
    sure = np.array([0.9, 0.5], dtype=np.float32)[labels]
    ways = (
        Alternative(labels.astype(np.int32), sure, 0.70, 0.03, np.array([1.0, 0.75], np.float32)),
        Alternative(one.astype(np.int32), np.ones(len(ids), np.float32), 0.25, 0.02, np.ones(1, np.float32)),
    )
    rows = np.stack([labels, labels, labels, one])
    component = Component(
        0, np.array([0, 1]), ids, np.arange(len(ids)), PosteriorSamples(rows, np.zeros(4)), ways
    )
    shape = np.zeros((N_SAMPLES, 2), dtype=np.float32)
    shape[TROUGH_SAMPLE - 1 : TROUGH_SAMPLE + 2] = [[-0.5, -0.2], [-1.0, -0.4], [-0.5, -0.2]]
    waveforms = shape * DEPTH[labels][:, None, None].astype(np.float32)
    everywhere = np.where(unit < 0, np.float32(0), np.array([0.9, 0.5, 0], np.float32)[unit])
    spikes = SpikeEvents(sample, channel, amplitude, 20_000.0, 40_000)
    return Project(
        recording=RecordingReference("/data/two.raw", {"dtype": "int16"}, "0" * 64, 2, 20_000.0, 40_000),
        probe=Probe(np.array([[0.0, 0.0], [30.0, 0.0]])),
        spikes=spikes,
        noise_sd=np.full(2, 10.0, dtype=np.float32),
        components=(component,),
        waiting=(WaitingComponent(1, np.array([1]), np.flatnonzero(channel == 1)),),
        unit_of_spike=unit,
        probability=everywhere,
        settings={},
        model="none",
        waveforms={0: ComponentWaveforms(waveforms.astype(np.float32), POINTS.astype(np.float32))},
    )


class Held(Immediate):
    """Keeps tasks until they are let go."""

    def __init__(self) -> None:
        super().__init__()
        self.held: list[Task] = []

    def submit(self, task: Task) -> None:
        """Keep the task."""
        self.held.append(task)

    def let_go(self) -> None:
        """Run what was kept."""
        held, self.held = self.held, []
        for task in held:
            super().submit(task)


class Screen:
    """What the mouse does to a widget, and which colours are to be seen on it."""

    def __init__(self, qtbot) -> None:
        self._qtbot = qtbot

    def click(
        self, widget: QtWidgets.QWidget, point: QtCore.QPointF, *, ctrl: bool = False, shift: bool = False
    ) -> None:
        """Click with the left button."""
        keys = QtCore.Qt.ControlModifier if ctrl else QtCore.Qt.NoModifier
        keys = QtCore.Qt.ShiftModifier if shift else keys
        self._qtbot.mouseClick(widget, QtCore.Qt.LeftButton, keys, point.toPoint())

    @staticmethod
    def settle() -> None:
        """Let the panels redraw what became stale."""
        for _ in range(3):
            QtWidgets.QApplication.processEvents()

    def in_theme(self, panel: Panel, theme: Theme) -> None:
        """Show a panel as it is where the application has a theme."""
        apply_theme(QtWidgets.QApplication.instance(), theme)
        panel.set_theme(theme)
        self.settle()

    @staticmethod
    def colors(widget: QtWidgets.QWidget, place: QtCore.QRectF | None = None) -> dict[str, int]:
        """Number of pixels of each colour, ``#rrggbb``, in a part of a widget as its window shows it."""
        part = widget.rect() if place is None else place.toRect()
        part.moveTopLeft(widget.mapTo(widget.window(), part.topLeft()))
        image = widget.window().grab(part).toImage().convertToFormat(QtGui.QImage.Format_RGB32)
        bits = image.constBits()
        bits.setsize(image.sizeInBytes())
        pixels = np.frombuffer(bits, dtype=np.uint32) & 0xFFFFFF
        values, counts = np.unique(pixels, return_counts=True)
        return {f"#{value:06x}": int(n) for value, n in zip(values, counts, strict=True)}

    def pixel(self, widget: QtWidgets.QWidget, point: QtCore.QPointF) -> str:
        """Colour of one pixel."""
        return next(iter(self.colors(widget, QtCore.QRectF(point.toPoint(), QtCore.QSizeF(1, 1)))))


_FIELDS: dict[tuple[bytes, int], ReceptiveField] = {}


@pytest.fixture(autouse=True, scope="module")
def _fields_are_found_once() -> Iterator[None]:
    """Each window would find the receptive fields of the same units of the same project anew."""
    find = receptive_field.receptive_field

    def known(stimulus: Stimulus, spike_samples: np.ndarray, *, n_lags: int = 12) -> ReceptiveField:
        parts = (stimulus.frames, stimulus.trigger_sample, spike_samples)
        key = sha256(b"".join(np.ascontiguousarray(part).data for part in parts)).digest(), n_lags
        if key not in _FIELDS:
            _FIELDS[key] = find(stimulus, spike_samples, n_lags=n_lags)
        return _FIELDS[key]

    patch = pytest.MonkeyPatch()
    patch.setattr(receptive_field, "receptive_field", known)
    yield
    patch.undo()


@pytest.fixture(autouse=True, scope="module")
def _sessions_are_read_once() -> Iterator[None]:
    """Sessions of the same bytes."""
    with sessions_read_once():
        yield


@pytest.fixture(autouse=True)
def no_draws_in_the_background(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draws stay as they are."""
    keep_draws(monkeypatch)


@pytest.fixture(autouse=True)
def quick_embedding(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Principal components in place of t-SNE, which takes seconds; modules that say so have theirs."""
    if not getattr(request.module, "MAKES_MAPS", False):
        monkeypatch.setattr(measures, "embed", lambda features, **_: principal_plane(features))


@pytest.fixture(autouse=True)
def no_other_program_is_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    """A browser or an editor of whoever runs the tests is none of theirs."""

    def refuse(url: QtCore.QUrl) -> bool:
        raise AssertionError(f"{url.toString()} would be opened by another program")

    monkeypatch.setattr(QtGui.QDesktopServices, "openUrl", refuse)


@pytest.fixture
def screen(qtbot) -> Screen:
    return Screen(qtbot)


@pytest.fixture
def theme(qapp) -> Theme:
    apply_theme(qapp, LIGHT)
    return LIGHT


@pytest.fixture(scope="session")
def small_project() -> Project:
    return _small_project()


@pytest.fixture
def workspace(small_project: Project) -> Workspace:
    return Workspace(small_project)


@pytest.fixture
def runner() -> Held:
    return Held()


@pytest.fixture
def controller(workspace: Workspace, runner: Held, tmp_path: Path, monkeypatch) -> Controller:
    """Work waits until `runner.let_go()`; the t-SNE is `POINTS`."""
    monkeypatch.setattr(measures, "embed", lambda features, **_: POINTS.astype(np.float32))
    return Controller(workspace, runner, Preferences(tmp_path / "preferences"))


@pytest.fixture
def show(qtbot, theme: Theme, workspace: Workspace, controller: Controller) -> Iterator[Callable[..., Panel]]:
    """Make a panel, show it at a size, and draw it."""

    def make(kind: type[Panel], width: int = 460, height: int = 420) -> Panel:
        panel = kind(workspace, controller)
        qtbot.addWidget(panel)
        panel.set_theme(theme)
        panel.resize(width, height)
        panel.show()
        Screen.settle()
        return panel

    yield make
    workspace.state.close()


@pytest.fixture
def without_waveforms(small_project: Project) -> Project:
    return replace(small_project, waveforms={})


# -- the whole window -----------------------------------------------------------------------------


@pytest.fixture(scope="session")
def array_project() -> Project:
    """A project of several components."""
    return synthetic_project()


@pytest.fixture(scope="session")
def saved_array(tmp_path_factory: pytest.TempPathFactory, array_project: Project) -> Path:
    path = tmp_path_factory.mktemp("saved") / "array.h5"
    create_session(array_project, path).close()
    return path


@pytest.fixture
def session(saved_array: Path, tmp_path: Path) -> Path:
    """A session of that project, which the test may change."""
    for path in saved_array.parent.glob("array*"):
        shutil.copy(path, tmp_path)
    return tmp_path / saved_array.name


@pytest.fixture
def window(qtbot, tmp_path: Path) -> Iterator[MainWindow]:
    """The window, with nothing open."""
    with shown_window(qtbot, tmp_path) as made:
        yield made


@pytest.fixture
def opened(window: MainWindow, session: Path) -> MainWindow:
    """The window, with that session open."""
    window.open_path(session)
    assert not window.banner.isVisible(), window.banner.text.text()
    settle()
    return window


@pytest.fixture
def array_window(qtbot, tmp_path: Path, array_project: Project) -> Iterator[MainWindow]:
    """A window with that project open, which is not kept in a session."""
    with shown_window(qtbot, tmp_path) as made:
        made.workspace.state.open(array_project)
        settle(deleted=True)
        yield made


@pytest.fixture
def press(qtbot, window: MainWindow) -> Press:
    """Press keys as a person does."""
    return partial(press_keys, qtbot, window)
