"""Do the probabilities of units come true in coloured noise: `unit_probabilities.py` on other recordings.

    python -m benchmarks.probabilities.units_in_noise [--noise "1/f" hum ...] [--seed 8301] [--cache DIR]

Each recording has 24 cells of SpikeInterface's generator and noise of one family (`noise_families.py`), on a
linear probe, with a seed of its own. It is sorted as `ncpgui.sort` does, and the sorting shown first is
scored.
"""

from __future__ import annotations

import contextlib
import warnings

from spikeinterface.core import read_binary

from benchmarks.common.kept import add_cache
from benchmarks.common.report import Origin, begin, keep, options, where
from benchmarks.probabilities.unit_probabilities import UNTOUCHED, Scored, scored, summary
from benchmarks.recordings.coloured_noise import recorded
from benchmarks.recordings.ground_truth import GroundTruth
from benchmarks.recordings.noise_families import SPECTRA
from ncpgui.ephys.readers import recording_of
from ncpgui.sorting.config import SortingConfig
from ncpgui.sorting.pipeline import sort_recording

SEED = 8301
CELLS = GroundTruth("linear32", 20_000.0, 24, 180.0, seed=SEED)
QUICK = GroundTruth("tetrode", 20_000.0, 3, 15.0, seed=SEED)
WAY = "all spikes and times"


def main() -> None:
    """Sort, score, and print what comes true."""
    parser = options(__doc__)
    parser.add_argument("--noise", nargs="+", choices=SPECTRA, default=list(SPECTRA), help="families  [all]")
    parser.add_argument("--seed", type=int, default=SEED, help=f"of the first recording  [{SEED}]")
    add_cache(parser, "sampled", "recordings")
    arguments = parser.parse_args()
    device = begin(arguments)
    truth, families = CELLS, arguments.noise
    if arguments.quick:
        truth, families = QUICK, families[:1]
    sets: list[Scored] = []
    for number, name in enumerate(families):
        seeded = truth.with_seed(arguments.seed + number)
        with warnings.catch_warnings(), contextlib.redirect_stdout(None):
            warnings.simplefilter("ignore")
            disk, cells = recorded(name, seeded, arguments.cache, with_cells=True)
            recording = read_binary(
                disk.traces,
                disk.sampling_frequency_hz,
                "int16",
                disk.probe.get_contact_count(),
                gain_to_uV=disk.gain_uv,
                offset_to_uV=0.0,
            )
            recording.set_probe(disk.probe)
            project = sort_recording(recording_of(recording), SortingConfig(), workers=1)
        sets.append(scored(project, cells))
        print(f"{name}: {len(sets[-1].expected)} units", flush=True)
    kept, text = summary({WAY: sets})
    print(text)
    page = f"""
# Do the probabilities of units come true in coloured noise?

Recordings of {truth.n_units} cells in noise of {len(families)} families ({", ".join(families)}), seeds
{arguments.seed} to {arguments.seed + len(families) - 1}, each sorted once. {UNTOUCHED}
What is asked is as [in white noise](unit_probabilities.md).

{text}

{where(device)}
"""
    origin = Origin(arguments.seed, SortingConfig().posterior_samples, {"spikes": "spikes"})
    keep("units_in_noise", {"ways": kept}, page=page, origin=origin, folder=arguments.out)


if __name__ == "__main__":
    main()
