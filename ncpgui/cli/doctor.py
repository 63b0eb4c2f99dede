"""``ncpgui doctor``: is everything there, and what to do where it is not."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import click

from ncpgui import __version__
from ncpgui.cli import options
from ncpgui.cli.terminal import print_json, print_table

PACKAGES = (
    "numpy",
    "scipy",
    "torch",
    "safetensors",
    "h5py",
    "spikeinterface",
    "probeinterface",
    "numba",
    "scikit-learn",
    "PyQt5",
    "pyqtgraph",
    "psygnal",
    "platformdirs",
)
QT_PROGRAM = "from PyQt5.QtWidgets import QApplication; QApplication([]); print('ok')"
QT_WAIT_S = 60


@dataclass(frozen=True)
class Finding:
    """One thing looked at: `state` is ok, note or problem; `advice` says what to do about it."""

    name: str
    state: str
    detail: str
    advice: str = ""


@click.command(short_help="Check that everything is there; say what to do where it is not.")
@click.option("--formats", is_flag=True, help="List the formats of recordings instead, as installed here.")
@options.as_json
def doctor(formats: bool, as_json: bool) -> int:
    """Check packages, torch and GPU, Qt, models and folders; say what to do about each problem.

    The exit code is 1 when something is missing that ncpgui cannot do without. --formats lists the
    recordings that are opened, those of which only the name is known, and those that SpikeInterface
    reads and that are not opened here.
    """
    if formats:
        return _show_formats(as_json)
    findings = examine()
    if as_json:
        print_json([asdict(finding) for finding in findings])
    else:
        print_table("", ["", "what", "found"], [[f.state, f.name, f.detail] for f in findings])
        for finding in findings:
            if finding.advice:
                click.echo(f"{finding.state}: {finding.name}: {finding.advice}")
    return int(any(finding.state == "problem" for finding in findings))


def _show_formats(as_json: bool) -> int:
    from ncpgui.ephys.known_formats import STATES, known_formats

    rows = known_formats()
    if as_json:
        print_json([asdict(row) for row in rows])
        return 0
    columns = ["", "format", "known by", "reader"]
    print_table("", columns, [[row.state, row.name, ", ".join(row.known_by), row.reader] for row in rows])
    for state, meaning in STATES.items():
        click.echo(f"{state}: {meaning}")
    return 0


def examine() -> list[Finding]:
    """Look at everything that ncpgui needs; never raises."""
    findings = [
        Finding("ncpgui", "ok", f"{__version__}, Python {platform.python_version()}, {platform.platform()}")
    ]
    checks: tuple[Callable[[], list[Finding]], ...] = (_packages, _device, _qt, _models, _resources, _folders)
    for check in checks:
        try:
            findings += check()
        except Exception as error:  # a doctor that falls ill helps nobody
            name = check.__name__.strip("_")
            findings.append(
                Finding(name, "problem", f"{type(error).__name__}: {error}", "install ncpgui again with pip")
            )
    return findings


def _packages() -> list[Finding]:
    found, missing = [], []
    for name in PACKAGES:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            missing.append(name)
    if missing:
        return [
            Finding(
                "packages", "problem", f"missing: {', '.join(missing)}", f"pip install {' '.join(missing)}"
            )
        ]
    return [Finding("packages", "ok", ", ".join(found))]


def _device() -> list[Finding]:
    from ncpgui.engine.device import resolve_device

    device = resolve_device("auto")
    if device.type == "cuda":
        return [Finding("device", "ok", f"torch uses the GPU ({device})")]
    return [
        Finding("device", "ok", f"torch uses the CPU, {os.cpu_count()} cores; a CUDA GPU would be faster")
    ]


def _qt() -> list[Finding]:
    """Start Qt in another process: where a library is missing it aborts instead of raising."""
    findings = [_start_qt("offscreen")]
    shown = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    if shown or sys.platform in ("darwin", "win32"):
        findings.append(_start_qt(os.environ.get("QT_QPA_PLATFORM", "")))
    else:
        findings.append(
            Finding(
                "display",
                "note",
                "none (DISPLAY is not set)",
                "the window needs a display; 'ncpgui sort' and 'ncpgui demo --headless' do not",
            )
        )
    return findings


def _start_qt(name: str) -> Finding:
    environment = {**os.environ, "QT_QPA_PLATFORM": name} if name else dict(os.environ)
    title = f"Qt ({name or 'display'})"
    try:
        done = subprocess.run(
            [sys.executable, "-c", QT_PROGRAM],
            env=environment,
            capture_output=True,
            text=True,
            timeout=QT_WAIT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Finding(title, "problem", f"did not start within {QT_WAIT_S} s", "check the display")
    if done.returncode == 0:
        return Finding(title, "ok", "a window can be opened")
    last = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
    return Finding(
        title,
        "problem",
        last,
        "system libraries are missing; on Debian and Ubuntu run 'bash scripts/system_packages.sh' of the "
        "source, or: apt-get install libgl1 libegl1 libglib2.0-0 libfontconfig1 libdbus-1-3 "
        "libxkbcommon-x11-0 libxcb-icccm4 libxcb-image0 libxcb-keysyms1 libxcb-randr0 "
        "libxcb-render-util0 libxcb-shape0 libxcb-xinerama0 libxcb-xkb1 fonts-dejavu-core",
    )


def _models() -> list[Finding]:
    from ncpgui import engine
    from ncpgui.core.errors import NcpguiError
    from ncpgui.engine.networks.checkpoint import load_checkpoint

    default = engine.default_model()
    findings = []
    for name in sorted({default, *(str(card["name"]) for card in engine.models())}):
        try:
            card = load_checkpoint(name).card
            detail = f"loads, {card['n_parameters']:,} parameters{', the default' if name == default else ''}"
            findings.append(Finding(f"model {name}", "ok", detail))
        except NcpguiError as error:
            advice = "install ncpgui again, or train one: ncpgui train spikes"
            findings.append(Finding(f"model {name}", "problem", str(error), advice))
    return findings


def _resources() -> list[Finding]:
    from ncpgui.core.resources import data_folder

    folder = data_folder("resources")
    names = sorted(path.name for path in folder.iterdir() if not path.name.startswith("."))
    return [Finding("resources", "ok", f"{folder}: {', '.join(names) or 'empty'}")]


def _folders() -> list[Finding]:
    from ncpgui.app.preferences import default_folder

    places = {"settings folder": default_folder(), "temporary folder": Path(tempfile.gettempdir())}
    return [_writable(name, path) for name, path in places.items()]


def _writable(name: str, path: Path) -> Finding:
    existing = next(folder for folder in (path, *path.parents) if folder.exists())
    try:
        with tempfile.TemporaryFile(dir=existing):
            return Finding(name, "ok", str(path))
    except OSError as error:
        advice = f"make {existing} writable; until then nothing is remembered there"
        return Finding(
            name, "problem" if "temporary" in name else "note", f"{path}: {error.strerror}", advice
        )
