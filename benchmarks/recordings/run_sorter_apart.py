"""Sort one recording with one sorter: what `sorted_apart` starts in the environment of the sorter.

    python -m benchmarks.recordings.run_sorter_apart JOB.json

It needs SpikeInterface and the sorter, nothing else of the benchmarks. The job says where the traces lie and
where the answer goes: `units.npz` with the spikes and what the sorter says of its units, and `run.json`.
"""

from __future__ import annotations

import json
import resource
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np

OURS = ("ncpgui", "matched")
SAID = ("p_neuron", "p_pure", "p_complete", "snr", "probability")
"""Numbers about units that are kept where the sorting has them."""


def opened(job: dict[str, Any]) -> Any:
    """Return the recording of a job."""
    from probeinterface import read_probeinterface
    from spikeinterface.core import read_binary

    recording = read_binary(
        job["traces"],
        job["sampling_frequency_hz"],
        "int16",
        job["n_channels"],
        gain_to_uV=job["gain_uv"],
        offset_to_uV=0.0,
    )
    recording.set_probegroup(read_probeinterface(job["probe"]), in_place=True)
    return recording


def found_by(sorter: str, recording: Any, settings: dict[str, Any], folder: Path) -> tuple[Any, str]:
    """Return the sorting, and the version of the sorter."""
    if sorter in OURS:
        import ncpgui

        before = {"posterior": False} if sorter == "matched" else {}
        return ncpgui.sort(recording, workers=1, **before, **settings), ncpgui.__version__
    import spikeinterface.sorters as sorters
    from spikeinterface.core import set_global_job_kwargs

    set_global_job_kwargs(n_jobs=1, progress_bar=False)
    found = sorters.run_sorter(
        sorter, recording, folder=folder, verbose=False, remove_existing_folder=True, **settings
    )
    return found, str(sorters.sorter_dict[sorter].get_sorter_version())


def peak_memory_mib() -> float:
    """Most memory that this process has held."""
    try:
        lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    except OSError:  # macOS, in bytes
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 2**10  # KiB


def main() -> None:
    """Do the job."""
    import spikeinterface

    warnings.simplefilter("ignore")
    job = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    out = Path(job["out"])
    sorting, version = found_by(job["sorter"], opened(job), job["settings"], out / "work")
    spikes = sorting.to_spike_vector()
    said = {
        f"said_{key}": np.asarray(sorting.get_property(key), float)
        for key in SAID
        if key in sorting.get_property_keys()
    }
    np.savez_compressed(
        out / "units.npz",
        sample_index=spikes["sample_index"].astype(np.int64),
        unit=spikes["unit_index"].astype(np.int32),
        n_units=sorting.get_num_units(),
        **said,
    )
    run = {"version": version, "spikeinterface": spikeinterface.__version__, "MiB": round(peak_memory_mib())}
    (out / "run.json").write_text(json.dumps(run), encoding="utf-8")


if __name__ == "__main__":
    main()
