"""Motion of the tissue as each preset of SpikeInterface estimates it: what it costs, and how far off it is.

    python -m benchmarks.recordings.motion [--recordings NAME ...] [--presets NAME ...] [--seconds 60]
        [--seed 104]

Recordings are of SpikeInterface's generator (`ground_truth.py`), one set of units on two columns of 48
contacts: still, as a zigzag over 30 µm, slowly over 40 µm, and in jumps over 20 µm. Estimates have no origin:
the error is the root mean square of what it differs by from the truth, the mean difference taken off.
"""

from __future__ import annotations

import contextlib
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common.report import Clock, Origin, begin, keep, options, table, where
from benchmarks.recordings.ground_truth import GroundTruth, made, true_displacement_um
from ncpgui.core.motion import MOTION_PRESETS
from ncpgui.ephys.motion import MIN_RANGE_UM, motion_of
from ncpgui.ephys.preprocessing import Preprocessed, preprocess
from ncpgui.ephys.readers import recording_of

SEED = 104
RECORDINGS = {
    "zigzag": GroundTruth("columns48", 30_000.0, 35, 60.0, motion="zigzag", drift_um=30.0),
    "jump": GroundTruth("columns48", 30_000.0, 35, 60.0, motion="jump", drift_um=20.0),
    "slow": GroundTruth("columns48", 30_000.0, 35, 60.0, motion="slow", drift_um=40.0),
    "still": GroundTruth("columns48", 30_000.0, 35, 60.0),
}


def row_of(name: str, preset: str, pre: Preprocessed, truth: GroundTruth) -> dict[str, Any]:
    """Estimate the motion of a recording, and return a row of the table."""
    with warnings.catch_warnings(), contextlib.redirect_stdout(None), Clock() as clock:
        warnings.simplefilter("ignore")
        found = motion_of(pre, preset)
    time_s, true_um = true_displacement_um(truth)
    true_range_um = float(np.diff(np.percentile(true_um, [1, 99]))[0])
    row: dict[str, Any] = {"recording": name, "preset": preset, "true range": round(true_range_um, 1)}
    if found.displacement_um.size == 0:
        return row | {"range": "", "rms error": "", "largest error": "", "CPU s": round(clock.cpu_s, 1)}
    depths = np.full(len(time_s), np.median(pre.probe.positions_um[:, found.axis]))
    error = found.at(time_s, depths) - true_um
    error -= error.mean()
    return row | {
        "range": round(found.range_um, 1),
        "rms error": round(float(np.sqrt((error**2).mean())), 2),
        "largest error": round(float(np.abs(error).max()), 1),
        "CPU s": round(clock.cpu_s, 1),
    }


def main() -> None:
    """Print the table and keep it."""
    parser = options(__doc__)
    parser.add_argument("--recordings", nargs="+", choices=RECORDINGS, default=list(RECORDINGS))
    parser.add_argument("--presets", nargs="+", choices=MOTION_PRESETS, default=list(MOTION_PRESETS))
    parser.add_argument("--seconds", type=float, default=60.0, help="of each recording  [60]")
    parser.add_argument("--seed", type=int, default=SEED, help=f"of all recordings  [{SEED}]")
    parser.add_argument("--cache", type=Path, default=None, help="folder that keeps the recordings")
    arguments = parser.parse_args()
    device = begin(arguments)
    names, presets = arguments.recordings, arguments.presets
    if arguments.quick:
        names, presets, arguments.seconds = ["jump"], presets[:1], 21.0
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory(prefix="ncpgui-truth-") as temporary:
        for name in names:
            truth = RECORDINGS[name].lasting(arguments.seconds).with_seed(arguments.seed)
            length = f"{arguments.seconds:g} s"  # a folder keeps one recording of each seed
            recording, _ = made(truth, (arguments.cache or Path(temporary)) / length)
            with preprocess(recording_of(recording)) as pre:
                motion_of(pre, presets[0])  # traces are filtered, programs compiled and loaded
                for preset in presets:
                    rows.append(row_of(name, preset, pre, truth))
                    print(table(rows[-1:]).splitlines()[-1], flush=True)
    page = f"""
# Motion of the tissue by preset

`python -m benchmarks.recordings.motion`: motion along the probe, estimated by SpikeInterface's presets
in recordings of its generator that last {arguments.seconds:g} s on two columns of 48 contacts, in µm.
Ranges are without the last 1 % on either side. Over an estimated range of {MIN_RANGE_UM:g} µm templates
follow the tissue. CPU seconds are without filtering.

{table(rows)}

{where(device)}
"""
    keep("motion", {"rows": rows}, page=page, origin=Origin(arguments.seed), folder=arguments.out)


if __name__ == "__main__":
    main()
