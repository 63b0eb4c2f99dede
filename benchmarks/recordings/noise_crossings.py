"""How often pure noise crosses the detection threshold, by the number of channels and the common reference.

    python -m benchmarks.recordings.noise_crossings [--threshold 4.5] [--minutes 60]

White noise, band-passed and referenced as in a sorting; the threshold is in the noise sd that is measured
after it (median absolute deviation / 0.6745). Without a reference, Gaussian noise crosses 4.5 about four
times a minute and channel; whatever is more is the reference's doing.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from spikeinterface.core import BaseRecording, NumpyRecording, get_noise_levels
from spikeinterface.preprocessing import bandpass_filter, common_reference

from benchmarks.common.report import SEED, Origin, begin, keep, options, table
from ncpgui.ephys.preprocessing import FILTER_ORDER
from ncpgui.ephys.reference import MedianReferenced

RATE_HZ = 20_000.0
CHANNELS = (1, 4, 8, 9, 12, 16, 32, 64, 128, 384)
CHUNK = 40_000


def noise(n_channels: int, n_samples: int) -> BaseRecording:
    """Band-passed white noise of sd 100 counts, alone on each channel."""
    rng = np.random.default_rng(n_channels)
    traces = np.empty((n_samples, n_channels), dtype=np.int16)
    for start in range(0, n_samples, CHUNK):
        piece = traces[start : start + CHUNK]
        piece[:] = np.round(100 * rng.standard_normal(piece.shape, dtype=np.float32))
    recording = NumpyRecording([traces], RATE_HZ)
    return bandpass_filter(
        recording, freq_min=300.0, freq_max=6000.0, filter_order=FILTER_ORDER, dtype="float32"
    )


def crossings_a_minute(recording: BaseRecording, threshold_sd: float) -> float:
    """Downward crossings of the threshold, a minute and channel."""
    chunks = {"num_chunks_per_segment": 20, "chunk_size": 10_000, "seed": 0}
    sd = get_noise_levels(
        recording, return_in_uV=False, method="mad", random_slices_kwargs=chunks, n_jobs=1, progress_bar=False
    )
    crossed, n_samples = 0, recording.get_num_samples()
    for start in range(0, n_samples, CHUNK):
        low = recording.get_traces(start_frame=start, end_frame=min(start + CHUNK, n_samples))
        low = low < -threshold_sd * np.float32(sd)
        crossed += int((low[1:] & ~low[:-1]).sum())
    return crossed / recording.get_num_channels() / n_samples * RATE_HZ * 60


def main() -> None:
    """Print the table and keep it."""
    parser = options(__doc__)
    parser.add_argument("--threshold", type=float, default=4.5, help="in noise sd  [4.5]")
    parser.add_argument(
        "--minutes", type=float, default=60.0, help="channels times minutes of each row  [60]"
    )
    arguments = parser.parse_args()
    begin(arguments)
    minutes, sizes = (0.5, (1, 8)) if arguments.quick else (arguments.minutes, CHANNELS)
    rows: list[dict[str, Any]] = []
    for n_channels in sizes:
        band = noise(n_channels, int(minutes * 60 * RATE_HZ / n_channels))
        row: dict[str, Any] = {
            "channels": n_channels,
            "no reference": crossings_a_minute(band, arguments.threshold),
            "median of all": "",
            "median of the others": "",
        }
        if n_channels > 1:
            everything = common_reference(band, operator="median", dtype="float32")
            row["median of all"] = crossings_a_minute(everything, arguments.threshold)
            row["median of the others"] = crossings_a_minute(MedianReferenced(band), arguments.threshold)
        rows.append(row)
        print(table(rows[-1:]).splitlines()[-1], flush=True)
    printed = table(rows)
    print(printed)
    page = f"""
# How often noise crosses the threshold

`python -m benchmarks.recordings.noise_crossings`: crossings of {arguments.threshold:g} noise sd a minute
and channel, of white noise (band-pass 300 to 6000 Hz at {RATE_HZ:g} Hz), {minutes:g} minutes of channels in
each row.
A sorting subtracts the median of the other channels, from eight channels on.

{printed}
"""
    keep("noise_crossings", {"rows": rows}, page=page, origin=Origin(SEED), folder=arguments.out)


if __name__ == "__main__":
    main()
