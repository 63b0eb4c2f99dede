"""Make one recording with MEArec: what `mearec_recordings` starts in the environment of MEArec.

    python benchmarks/recordings/mearec_apart.py JOB.json

It needs MEArec, LFPy and NEURON with a C compiler, nothing else of the benchmarks. The job says where the
contacts lie and what is made. Templates of the cells of the Blue Brain Project are simulated around these
contacts once, and kept beside the recordings. Written are `traces.raw` (int16, interleaved) and `spikes.npy`
(sample and cell of each spike).
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

PIECE = 1 << 20
"""Samples that are written at a time."""


def add_probe(name: str, positions_um: list[list[float]]) -> None:
    """Tell MEAutility of a probe by the places of its contacts, across and along."""
    import MEAutility
    import yaml

    about = {"electrode_name": name, "description": "", "pos": positions_um, "plane": "yz"}
    about |= {"size": 5.0, "shape": "circle", "type": "mea", "sortlist": None}
    folder = Path(MEAutility.__file__).parent / "electrodes"
    (folder / f"{name}.yaml").write_text(yaml.safe_dump(about))


def templates_of(job: dict[str, Any]) -> Any:
    """Templates around a probe, from the file in which they are where they have been made before."""
    import MEArec

    file = Path(job["templates"])
    if file.is_file():
        return MEArec.load_templates(file, verbose=False)
    params = MEArec.get_default_templates_params()
    params.update(probe=job["probe"], n=job["templates_per_model"], seed=job["templates_seed"])
    params.update(ncontacts=1, min_amp=job["least_uv"])
    models = MEArec.get_default_cell_models_folder()
    found = MEArec.gen_templates(
        models,
        params=params,
        templates_tmp_folder=file.parent / "intracellular",
        parallel=False,
        recompile=not (Path(models) / "mods" / "x86_64").is_dir(),
        delete_tmp=False,
        verbose=False,
    )
    MEArec.save_template_generator(found, file)
    return found


def recording_of(job: dict[str, Any], templates: Any) -> Any:
    """Generate the recording: the same cells and spikes for the same seed, whatever the noise is."""
    import MEArec

    params = MEArec.get_default_recordings_params()
    params["spiketrains"].update(n_exc=job["n_exc"], n_inh=job["n_inh"], duration=job["duration_s"])
    params["templates"].update(min_amp=job["least_uv"], max_amp=job["most_uv"], min_dist=15)
    params["seeds"].update(dict.fromkeys(params["seeds"], job["seed"]))
    params["recordings"].update(
        noise_level=job["noise_uv"],
        noise_mode="distance-correlated",
        noise_color=job["coloured"],
        color_peak=job["colour_peak_hz"],
        modulation="template",
        sdrand=0.07,
        filter=False,
        chunk_duration=20,
    )
    return MEArec.gen_recordings(params=params, tempgen=templates, verbose=False, n_jobs=1)


def main() -> None:
    """Do the job."""
    job = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    add_probe(job["probe"], job["positions_um"])
    made = recording_of(job, templates_of(job))
    out = Path(job["out"])
    rate = float(made.info["recordings"]["fs"])
    traces = made.recordings
    if traces.shape[0] == len(job["positions_um"]):
        traces = traces.T
    with (out / "traces.raw").open("wb") as file:
        for start in range(0, len(traces), PIECE):
            counts = np.round(traces[start : start + PIECE] / job["uv_per_count"])
            file.write(np.clip(counts, -32768, 32767).astype(np.int16).tobytes())
    times = [np.asarray(train.times.rescale("s").magnitude) for train in made.spiketrains]
    sample = np.concatenate([np.round(one * rate) for one in times]).astype(np.int64)
    cell = np.repeat(np.arange(len(times)), [len(one) for one in times])
    order = np.argsort(sample, kind="stable")
    np.save(out / "spikes.npy", np.column_stack([sample[order], cell[order]]).astype(np.int64))
    about = {"sampling_frequency_hz": rate, "n_samples": len(traces), "n_cells": len(times)}
    (out / "made.json").write_text(json.dumps(about), encoding="utf-8")


if __name__ == "__main__":
    main()
