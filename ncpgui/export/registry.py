"""Export formats by name."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol

from ncpgui.core import arguments
from ncpgui.core.arguments import instance, shown
from ncpgui.core.errors import ExportError, InputError
from ncpgui.core.files import finish_files
from ncpgui.core.home import expanded
from ncpgui.core.nearest import nearest
from ncpgui.export.bundle import ExportBundle
from ncpgui.export.csv import csv_files, export_csv
from ncpgui.export.mat import export_mat
from ncpgui.export.npz import export_npz
from ncpgui.export.nwb import export_nwb
from ncpgui.export.phy import export_phy
from ncpgui.export.spikeinterface import export_spikeinterface


class Exporter(Protocol):
    """Writes a format; what is at `path` is replaced if `replace`, else the export goes beside it."""

    def __call__(self, bundle: ExportBundle, path: Path, *, replace: bool = True) -> Path:
        """Write it and return where."""


@dataclass(frozen=True)
class ExportFormat:
    """A format that a sorting can be written in.

    title : for menus; is_folder : whether it is a folder or one file; suffix : of the file, or '';
    with_traces, with_templates, with_features : whether it names the raw file of the recording, holds
    mean waveforms of units, principal components of spikes; with_gain : whether it wants them in volts;
    counts_samples : whether it holds samples, and no seconds;
    package : that it is written with and that not everybody has; '' when none.
    """

    name: str
    title: str
    is_folder: bool
    suffix: str
    write: Exporter
    with_traces: bool = False
    with_templates: bool = False
    with_features: bool = False
    with_gain: bool = False
    counts_samples: bool = False
    package: str = ""

    def files(self, path: Path) -> tuple[Path, ...]:
        """Files that an export to `path` writes; () for a folder."""
        if self.is_folder:
            return ()
        file = self.with_suffix(path)
        return csv_files(file) if self.name == "csv" else (file,)

    def with_suffix(self, path: Path) -> Path:
        """`path`, with the suffix of the format added when it has another ending.

        Raises
        ------
        ExportError
            It is a path without a name, as `.` is.
        """
        if path.name in ("", ".."):
            raise ExportError(f"cannot write {path}: it is a folder; give the name of a file")
        return path if path.suffix == self.suffix else path.with_name(path.name + self.suffix)

    def in_the_way(self, path: Path) -> list[Path]:
        """Files that are where an export to `path` would write, after what one that was killed left to do.

        Raises
        ------
        ExportError
            That cannot be done now.
        """
        files = self.files(path)
        if len(files) > 1:
            finish_files(files)
        return [file for file in files if file.exists()]

    @property
    def lacks(self) -> str:
        """What has to be installed before this can be written, and how; '' when nothing."""
        if not self.package or find_spec(self.package) is not None:
            return ""
        return f"{self.package}, which is not installed; pip install {self.package}"

    def check_package(self) -> None:
        """Raise ExportError when a package that this is written with is not installed."""
        if self.lacks:
            raise ExportError(f"{self.title} is written with {self.lacks}")


FORMATS: dict[str, ExportFormat] = {
    item.name: item
    for item in (
        ExportFormat(
            "phy",
            "Phy folder",
            True,
            "",
            export_phy,
            with_traces=True,
            with_templates=True,
            with_features=True,
            counts_samples=True,
        ),
        ExportFormat(
            "spikeinterface",
            "SpikeInterface sorting folder",
            True,
            "",
            export_spikeinterface,
            counts_samples=True,
        ),
        ExportFormat(
            "nwb",
            "NWB file (.nwb)",
            False,
            ".nwb",
            export_nwb,
            with_templates=True,
            with_gain=True,
            package="pynwb",
        ),
        ExportFormat("mat", "MATLAB file (.mat)", False, ".mat", export_mat, with_templates=True),
        ExportFormat(
            "npz",
            "NumPy archive with posterior samples (.npz)",
            False,
            ".npz",
            export_npz,
            with_templates=True,
        ),
        ExportFormat("csv", "Tables of spikes and units (.csv)", False, ".csv", export_csv),
    )
}


def default_place(session: Path, format_name: str) -> Path:
    """Where an export goes unless somebody says otherwise: beside the session, with the begin of its name."""
    chosen = export_format(format_name)
    end = f"_{chosen.name}" if chosen.is_folder else chosen.suffix
    return session.parent / f"{session.name.split('.')[0]}{end}"


def export(bundle: ExportBundle, format_name: str, path: str | Path, *, replace: bool = True) -> Path:
    """Write `bundle` and return where (the suffix of a file is added when it lacks).

    replace : whether files that are there are replaced; else the export goes beside them. Folders say
        themselves whether they may be (`destination`)

    Raises
    ------
    InputError
        The format is not known.
    ExportError
        No spike is in a unit, or the output cannot be written. Nothing is half-written.
    """
    chosen = export_format(format_name)
    instance(bundle, ExportBundle, "what is exported", "make one of a project with bundle_of(...)")
    place = expanded(arguments.path(path, "the place of an export"))
    if len(bundle.sorting) == 0:
        raise ExportError(
            "there is nothing to export, no spike is in a unit; lower the probability below which spikes are "
            "left unassigned, or sort with a lower detection threshold"
        )
    chosen.check_package()
    return chosen.write(bundle, chosen.with_suffix(place), replace=replace)


def export_format(name: object) -> ExportFormat:
    """Return the format called `name`.

    Raises
    ------
    InputError
        There is none; the nearest is suggested.
    """
    text = name if isinstance(name, str) else shown(name)
    if text in FORMATS:
        return FORMATS[text]
    near = nearest(text, FORMATS)
    known = f"the formats are {', '.join(FORMATS)}"
    hint = f"did you mean '{near}'? ({known})" if near else known
    raise InputError(f"export format '{text}' is not known; {hint}")
