"""A sorter of SpikeInterface: ``import ncpgui.spikeinterface_sorter`` registers it.

``run_sorter("ncpgui", recording, folder=...)`` works from then on in this process and in those forked from
it. A process that begins anew, such as one of joblib's, of Dask's or of a batch system, must import this
module first; `run_sorter` of this module does so wherever it is called.
"""

from __future__ import annotations

import re
import sys
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from probeinterface import write_probeinterface
from spikeinterface.core import load
from spikeinterface.sorters import BaseSorter, sorterlist
from spikeinterface.sorters import run_sorter as run_any_sorter

import ncpgui
from ncpgui.core.config import from_dict
from ncpgui.core.errors import InputError
from ncpgui.core.progress import Progress, silent
from ncpgui.ephys.numpy_sortings import write_sorting_folder
from ncpgui.ephys.probes import load_probe
from ncpgui.ephys.readers import given_recording
from ncpgui.sorting.chosen_workers import check_choice, chosen_workers
from ncpgui.sorting.config import SortingConfig
from ncpgui.spikeinterface_sorting import sort

if TYPE_CHECKING:
    from spikeinterface.core import BaseRecording, BaseSorting

NAME = "ncpgui"
SORTING = "sorting"
"""Folder of the result, in that of the sorter."""
PROBE = "recording_probe.json"
"""Contacts of the recording, which SpikeInterface up to 0.104 loses where it describes a recording."""
PLACES = {
    "probe": "Where the contacts are, if the recording does not say: a file, or a name such as tetrode",
    "n_jobs": "Channels sampled at a time, same result; as many as there are cores, up to four, when None",
    "parallel": "Sample with 'threads' or 'processes', same result; threads when None",
    "dask": "Address of the scheduler of a Dask cluster that samples, same result",
}
"""Parameters that no result depends on, but for the probe."""


def _descriptions() -> dict[str, str]:
    """What each field of SortingConfig is, from its docstring."""
    text = (SortingConfig.__doc__ or "").partition("----------\n")[2].partition("\n\n")[0]
    found: dict[str, str] = {}
    for names, words in re.findall(r"^ {4}(\w[\w, ]*) : (.*(?:\n {8}.*)*)", text, re.MULTILINE):
        found |= dict.fromkeys(names.split(", "), " ".join(words.split()))
    return found


class NcpguiSorter(BaseSorter):  # type: ignore[misc]
    """`ncpgui.sort` for ``run_sorter``; parameters are the fields of `SortingConfig` and `PLACES`."""

    sorter_name = NAME
    requires_locations = False  # `probe` may say where they are
    gpu_capability = "nvidia-optional"
    sorter_description = (
        "Neural Clustering Processes: the posterior over clusterings of the spikes of each channel proposes "
        "units, whose templates are matched in the whole recording."
    )
    _default_params: dict[str, Any] = {  # noqa: RUF012 - SpikeInterface's way
        **{item.name: item.default for item in fields(SortingConfig)},
        **dict.fromkeys(PLACES),
    }
    _params_description: dict[str, str] = {**_descriptions(), **PLACES}  # noqa: RUF012

    @classmethod
    def is_installed(cls) -> bool:
        """Whether the sorter is there: where this is asked, it is."""
        return True

    @classmethod
    def get_sorter_version(cls) -> str:
        """Version of ncpgui."""
        return ncpgui.__version__

    @classmethod
    def initialize_folder(
        cls, recording: BaseRecording, output_folder: Path | None, verbose: bool, remove_existing_folder: bool
    ) -> Path:
        """Make the folder, of a recording that can be read again from files; no folder is left of another.

        Raises
        ------
        InputError
            The recording is in memory.
        """
        if not any(recording.check_serializability(kind) for kind in ("json", "pickle")):
            raise InputError(
                f"this recording ({type(recording).__name__}) is in memory, at least in part, and run_sorter "
                "reads it from files; save it first, recording = recording.save(folder='my_recording'), "
                "or sort it as it is, sorting = ncpgui.sort(recording)"
            )
        folder: Path = super().initialize_folder(recording, output_folder, verbose, remove_existing_folder)
        if recording.has_probe():
            write_probeinterface(folder / PROBE, recording.get_probegroup())
        return folder

    @classmethod
    def _check_params(
        cls, recording: BaseRecording, output_folder: Path, params: dict[str, Any]
    ) -> dict[str, Any]:
        from_dict(SortingConfig, _settings(params), place="the parameters of the sorter")
        check_choice(params["n_jobs"], parallel=params["parallel"], dask=params["dask"])
        if params["probe"] is not None:
            load_probe(params["probe"], n_channels=recording.get_num_channels())
        return params

    @classmethod
    def _check_apply_filter_in_params(cls, params: dict[str, Any]) -> bool:
        return True

    @classmethod
    def _setup_recording(
        cls, recording: BaseRecording, sorter_output_folder: Path, params: dict[str, Any], verbose: bool
    ) -> None:
        """Nothing: the recording is read where it is."""

    @classmethod
    def _run_from_folder(cls, sorter_output_folder: Path, params: dict[str, Any], verbose: bool) -> None:
        recording = cls.load_recording_from_folder(sorter_output_folder.parent)
        kept = sorter_output_folder.parent / PROBE
        is_lost = params["probe"] is None and not recording.has_probe() and kept.is_file()
        sorting = sort(
            recording,
            probe=kept if is_lost else params["probe"],
            workers=chosen_workers(params["n_jobs"], parallel=params["parallel"], dask=params["dask"]),
            progress=_printed() if verbose else silent,
            **_settings(params),
        )
        write_sorting_folder(sorting, sorter_output_folder / SORTING)

    @classmethod
    def _get_result_from_folder(cls, sorter_output_folder: Path) -> BaseSorting:
        return load(sorter_output_folder / SORTING)


def _settings(params: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in params.items() if name not in PLACES}


def _printed() -> Progress:
    """Progress in lines, one a tenth."""
    told = -1

    def report(done: int, total: int, message: str = "") -> None:
        nonlocal told
        tenth = 10 * done // max(total, 1)
        if tenth > told:
            told = tenth
            sys.stdout.write(f"ncpgui: {10 * tenth} % {message}\n")

    return report


def register() -> None:
    """Have SpikeInterface know the sorter; importing this module does it."""
    if NAME not in sorterlist.sorter_dict:
        sorterlist.sorter_full_list.append(NcpguiSorter)
    sorterlist.sorter_dict[NAME] = NcpguiSorter


def run_sorter(sorter_name: str = NAME, *arguments: Any, **options: Any) -> BaseSorting | None:
    """SpikeInterface's ``run_sorter``, for other processes: one that unpickles it registers the sorter.

    Raises
    ------
    InputError
        The recording is none of SpikeInterface, or one in memory only, which no sorter can open again.
    """
    given_recording(options.get("recording", arguments[0] if arguments else None))
    return run_any_sorter(sorter_name, *arguments, **options)


register()
