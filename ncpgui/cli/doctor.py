"""``ncpgui doctor``: is everything there, and what to do where it is not."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

import click
from packaging.requirements import Requirement

from ncpgui import __version__
from ncpgui.cli import options
from ncpgui.cli.commands import command, examples
from ncpgui.cli.terminal import echo, one_line, print_json, print_table
from ncpgui.core.home import is_fallback

QT_PROGRAM = "from PyQt5.QtWidgets import QApplication; QApplication([]); print('ok')"
QT_WAIT_S = 60
UNREACHABLE = re.compile(
    r"could not connect to display|cannot open display|failed to create wl_display", re.IGNORECASE
)
"""What Qt says when it has all libraries, and the display that it is told of does not answer."""
UNKNOWN_PLATFORM = re.compile(r"could not find the Qt platform plugin", re.IGNORECASE)
NOT_LOADED = re.compile(r"could not load the Qt platform plugin", re.IGNORECASE)
LIBRARIES = (
    "system libraries are missing; on Debian and Ubuntu run 'bash scripts/system_packages.sh' of the "
    "source, or: apt-get install libgl1 libegl1 libglib2.0-0 libfontconfig1 libdbus-1-3 "
    "libxkbcommon-x11-0 libxcb-icccm4 libxcb-image0 libxcb-keysyms1 libxcb-randr0 "
    "libxcb-render-util0 libxcb-shape0 libxcb-xinerama0 libxcb-xkb1 fonts-dejavu-core"
)
LITTLE_BYTES = 5e9
"""A folder for temporary files with less may not hold the filtered traces of an hour of few channels."""
EXTRAS = {
    "nwb": "exports to NWB",
    "dask": "sorting on a cluster",
    "figures": "the picture of 'ncpgui evaluate'",
    "train": "TensorBoard",
}
"""Extras that a user may want, and what each is for."""


@dataclass(frozen=True)
class Finding:
    """One thing looked at: `state` is ok, note or problem; `advice` says what to do about it."""

    name: str
    state: str
    detail: str
    advice: str = ""


@command(
    short_help="Check the installation; say what to do about what is missing.",
    epilog=examples(
        "ncpgui doctor",
        "ncpgui doctor --formats",
    ),
)
@click.option("--formats", is_flag=True, help="List the formats of recordings instead, as installed here.")
@options.as_json
def doctor(formats: bool, as_json: bool) -> int:
    """Check packages, torch and GPU, Qt, models, formats and folders; say what to do about each problem.

    The exit code is 1 if something is missing that ncpgui needs. --formats lists the formats that ncpgui
    opens, those that it knows only by name, and those that SpikeInterface reads and ncpgui does not open.
    """
    if formats:
        return _show_formats(as_json)
    findings = examine()
    if as_json:
        print_json([asdict(finding) for finding in findings])
    else:
        print_table(["", "what", "found"], [[f.state, f.name, f.detail] for f in findings])
        for finding in findings:
            if finding.advice:
                echo(f"{finding.state}: {finding.name}: {finding.advice}")
    return int(any(finding.state == "problem" for finding in findings))


def _show_formats(as_json: bool) -> int:
    from ncpgui.ephys.known_formats import STATES, known_formats

    rows = known_formats()
    if as_json:
        print_json([asdict(row) for row in rows])
        return 0
    columns = ["", "format", "known by", "reader"]
    print_table(columns, [[row.state, row.name, ", ".join(row.known_by), row.reader] for row in rows])
    for state, meaning in STATES.items():
        echo(f"{state}: {meaning}")
    return 0


def examine() -> list[Finding]:
    """Look at everything that ncpgui needs; never raises."""
    findings = [
        Finding("ncpgui", "ok", f"{__version__}, Python {platform.python_version()}, {platform.platform()}")
    ]
    checks: tuple[Callable[[], list[Finding]], ...] = (
        _packages,
        _extras,
        _device,
        _threads,
        _compiled,
        _qt,
        _models,
        _resources,
        _formats,
        _folders,
    )
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
    """All packages that are always installed, in the versions that are asked for."""
    found, wrong, advice = [], [], []
    for wanted in _required(""):
        there = _installed(wanted)
        if there is None:
            wrong.append(f"{wanted.name} is missing")
        elif there not in wanted.specifier:
            wrong.append(f"{wanted.name} {there} is installed, {wanted.specifier} is needed")
        else:
            found.append(f"{wanted.name} {there}")
            continue
        advice.append(f"'{wanted.name}{wanted.specifier}'")
    if wrong:
        return [Finding("packages", "problem", "; ".join(wrong), f"pip install {' '.join(advice)}")]
    return [Finding("packages", "ok", ", ".join(found))]


def _extras() -> list[Finding]:
    """What can be installed beside: none of it has to be there."""
    there: list[str] = []
    absent: list[str] = []
    for extra, what in EXTRAS.items():
        missing = [wanted.name for wanted in _required(extra) if _installed(wanted) is None]
        (absent if missing else there).append(f"{extra} ({what})")
    parts = [f"installed: {', '.join(there) or 'none'}"]
    if absent:
        parts.append(f"not installed: {', '.join(absent)}; README says how to add one")
    return [Finding("extras", "ok", "; ".join(parts))]


def _required(extra: str) -> Iterator[Requirement]:
    """Packages that the installed program needs; of an extra, those that it adds."""
    for line in requires("ncpgui") or ():
        wanted = Requirement(line)
        if wanted.marker is None:
            holds = not extra
        else:
            always = wanted.marker.evaluate({"extra": ""})
            holds = wanted.marker.evaluate({"extra": extra}) and bool(extra) != always
        if holds:
            yield wanted


def _installed(wanted: Requirement) -> str | None:
    try:
        return version(wanted.name)
    except PackageNotFoundError:
        return None


def _device() -> list[Finding]:
    from ncpgui.engine.device import resolve_device, tried_device

    device = resolve_device("auto")
    if device.type == "cpu":
        return [
            Finding("device", "ok", f"torch computes on the CPU, {os.cpu_count()} cores; it finds no GPU")
        ]
    try:
        return [Finding("device", "ok", f"torch uses {device}, {tried_device(device)}")]
    except RuntimeError as error:
        advice = "use --device cpu, or install the driver and the torch that belong to this GPU"
        return [Finding("device", "problem", f"torch finds {device}, but: {one_line(error)}", advice)]


def _threads() -> list[Finding]:
    from ncpgui.engine.device import n_threads
    from ncpgui.sorting.executors import default_workers, usable_cores

    cores, workers = usable_cores(), default_workers()
    return [
        Finding(
            "threads",
            "ok",
            f"{cores} of {os.cpu_count()} cores may be used; torch computes on {n_threads()}; "
            f"'ncpgui sort' samples {workers} components at a time (--jobs)",
        )
    ]


def _compiled() -> list[Finding]:
    """Where numba keeps what it compiles: where it finds no folder, nothing compiled can be imported."""
    import numba

    try:
        folder = numba.njit(cache=True)(_compiled).stats.cache_path
    except RuntimeError as error:
        advice = "set the variable NUMBA_CACHE_DIR to a folder of yours that can be written"
        return [Finding("compiled code", "problem", str(error), advice)]
    return [Finding("compiled code", "ok", f"kept in {folder}; the first sorting compiles, in some 20 s")]


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
    lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
    said = next((line for line in lines if UNREACHABLE.search(line)), None)
    if said is not None:
        return Finding(title, "note", said, _display_advice())
    said = next((line for line in lines if UNKNOWN_PLATFORM.search(line)), None)
    if said is not None:
        return Finding(title, "problem", said, "unset QT_QPA_PLATFORM, or set it to one that Qt names above")
    said = next((line for line in lines if NOT_LOADED.search(line)), None)
    return Finding(title, "problem", said or (lines or [f"exit code {done.returncode}"])[-1], LIBRARIES)


def _display_advice() -> str:
    names = [name for name in ("DISPLAY", "WAYLAND_DISPLAY") if os.environ.get(name)]
    named = " and ".join(f"{name} is {os.environ[name]}" for name in names) or "no display is named"
    return (
        f"{named}, and none answers there; no library is missing: log in with a display (ssh -X), or set the "
        "variable to one that runs. 'ncpgui sort' and 'ncpgui demo --headless' need none"
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


def _formats() -> list[Finding]:
    from ncpgui.ephys.known_formats import known_formats

    states = [row.state for row in known_formats()]
    counts = f"{states.count('read')} are read, {states.count('recognised')} more are known by their names"
    return [Finding("formats", "ok", f"{counts}; 'ncpgui doctor --formats' lists them")]


def _folders() -> list[Finding]:
    from ncpgui.app.preferences import default_folder

    places = {
        "settings folder": default_folder(),
        "temporary folder": Path(tempfile.gettempdir()),
        "working folder": Path.cwd(),
    }
    return [*_home(), *(_writable(name, path) for name, path in places.items())]


def _home() -> list[Finding]:
    """A note where another folder stands in for the home, or for the caches in it."""
    stand_ins = [
        (name, Path(os.environ[variable]), variable)
        for name, variable in (("home folder", "HOME"), ("folder of caches", "XDG_CACHE_HOME"))
        if variable in os.environ and is_fallback(Path(os.environ[variable]))
    ]
    return [
        Finding(
            name,
            "note",
            f"none that can be written; {path} is used instead",
            f"set {variable} to a folder of yours: what is in a temporary one may be lost",
        )
        for name, path, variable in stand_ins[:1]
    ]


def _writable(name: str, path: Path) -> Finding:
    existing = next(folder for folder in (path, *path.parents) if folder.exists())
    try:
        with tempfile.TemporaryFile(dir=existing):
            free = shutil.disk_usage(existing).free
    except OSError as error:
        advice = f"make {existing} writable; until then nothing is remembered there"
        return Finding(
            name, "problem" if "temporary" in name else "note", f"{path}: {error.strerror}", advice
        )
    told = f"{path}, {free / 1e9:.1f} GB free"
    if "temporary" in name and free < LITTLE_BYTES:
        advice = (
            "filtered traces are kept there while a recording is sorted; set TMPDIR to a folder with room"
        )
        return Finding(name, "note", told, advice)
    return Finding(name, "ok", told)
