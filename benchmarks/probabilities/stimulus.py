"""Whether P(one cell), as white noise alone says it at even odds, comes true.

    python -m benchmarks.probabilities.stimulus

Cells of a simulated retina, each split three ways: at random, by amplitude, by the order of spikes in bursts.
Beside them pairs of neighbours of one kind, whose fields overlap from fully to not at all, with as many
spikes as the parts of the splits, and pairs of an ON and an OFF cell at one place. Averages are made of
spikes on white noise; there are no traces.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.common.report import SEED, Origin, begin, keep, options, table
from benchmarks.recordings.unit_scores import calibration_error
from ncpgui.ephys import retina
from ncpgui.evidence.fields import FEWEST, Responses
from ncpgui.evidence.white_noise import WhiteNoise

RECORDINGS = ((60.0, 30.0), (120.0, 60.0), (300.0, 30.0), (600.0, 15.0))
"""Seconds and frames a second."""
N_CELLS = 200
SIDE, PIXEL_UM = 16, 30.0
RATE_HZ = (1.0, 20.0)
GAIN = 1.3
P_BURST, BURST_MS = 0.3, (4.0, 12.0)
"""Spikes of a bursting cell that are followed by another one, and after how long. Half of the cells burst."""
BURST_GAP_S = 0.015
FALL, SPREAD = 0.3, 0.1
"""Part of the amplitude that is lost right after a spike, and its sd."""
SPLITS = ("random", "amplitude", "order in bursts")
NEIGHBOURS, ON_AND_OFF = "neighbours", "ON and OFF"
BY_SPIKES = (FEWEST, 50, 100, 200, 500, 1000, np.inf)
BY_OVERLAP = (-1.0, 0.1, 0.5, 0.8, 0.95, 1.01)

Floats = NDArray[np.float64]


class Cell(NamedTuple):
    """Field (side, side), time course, rate and whether it bursts."""

    field: Floats
    course: Floats
    rate_hz: float
    bursts: bool


@dataclass(frozen=True)
class Compared:
    """Two sets of spikes: what they are, the fewer spikes, how alike the fields are, nats for two cells."""

    kind: str
    n_spikes: int
    overlap: float
    nats: float

    @property
    def is_one(self) -> bool:
        """Whether they are of one cell."""
        return self.kind in SPLITS

    @property
    def p_one(self) -> float:
        """P(one cell) at even odds."""
        return float(1 / (1 + np.exp(self.nats)))


class Retina:
    """White noise of so many seconds, and cells that respond to it."""

    def __init__(self, seconds: float, frame_hz: float, rng: np.random.Generator) -> None:
        stimulus = retina.white_noise(
            rng,
            n_frames=round(seconds * frame_hz),
            side_px=SIDE,
            first_sample=0,
            samples_per_frame=1.0,
            pixel_um=PIXEL_UM,
        )
        self.noise = WhiteNoise(stimulus.frames, stimulus)
        self.frame_hz, self.rng = frame_hz, rng

    def cell(self, kind: int, centre_px: Floats) -> Cell:
        """Draw a cell of one kind."""
        kind_of, rng = retina.CELL_TYPES[kind], self.rng
        field, _ = retina.spatial_filter(rng, kind_of, centre_px=centre_px, pixel_um=PIXEL_UM, side_px=SIDE)
        course = retina.temporal_filter(rng, kind_of, frame_ms=1000 / self.frame_hz)
        rate_hz = float(np.exp(rng.uniform(*np.log(RATE_HZ))))
        return Cell(field, course, rate_hz, bool(rng.random() < 0.5))

    def times_s(self, cell: Cell) -> Floats:
        """Spikes of a cell in order of time, s from the first frame."""
        frames, rng = self.noise.frames, self.rng
        rate = retina.firing_rate(frames, cell.field, cell.course, mean_hz=cell.rate_hz, gain=GAIN)
        times = retina.poisson_spikes(rng, rate, np.arange(len(frames) + 1) / self.frame_hz)
        if not cell.bursts:
            return times
        first = times[rng.random(len(times)) < P_BURST]
        return np.sort(np.concatenate([times, first + rng.uniform(*BURST_MS, len(first)) / 1000]))

    def nats(self, one: Floats, other: Floats) -> float:
        """Two cells against one, of two sets of times, as a component of both would be weighed."""
        frame = np.floor(np.concatenate([one, other]) * self.frame_hz).astype(np.int64)
        first = np.arange(len(frame)) < len(one)
        near = Responses(self.noise, frame).near_fields([first | ~first, first, ~first])
        return 0.0 if near is None else near.two_cells_nats(first, ~first)

    def compared(self) -> Iterator[Compared]:
        """One cell split three ways, one of its neighbours with as many spikes, and one of the other sign."""
        rng = self.rng
        kind, centre = int(rng.integers(len(retina.CELL_TYPES))), rng.uniform(5, SIDE - 6, 2)
        cell = self.cell(kind, centre)
        times = self.times_s(cell)
        sizes = []
        for name, part in self.splits(times).items():
            one, other = times[part], times[~part]
            sizes.append((len(one), len(other)))
            yield Compared(name, min(sizes[-1]), 1.0, self.nats(one, other))
        overlap, angle = rng.uniform(0.01, 1), rng.uniform(0, 2 * np.pi)
        away = retina.CELL_TYPES[kind].centre_um / PIXEL_UM * np.sqrt(-4 * np.log(overlap))
        near = self.cell(kind, centre + away * np.array([np.cos(angle), np.sin(angle)]))
        opposite = self.cell(kind ^ 1, centre)
        for name, second in ((NEIGHBOURS, near), (ON_AND_OFF, opposite)):
            n_one, n_other = sizes[int(rng.integers(len(sizes)))]
            pair = self.some(times, n_one), self.some(self.times_s(second), n_other)
            alike = float(np.tensordot(cell.field, second.field) * (cell.course @ second.course))
            yield Compared(name, min(map(len, pair)), alike, self.nats(*pair))

    def splits(self, times: Floats) -> dict[str, NDArray[np.bool_]]:
        """The spikes of one part, by the name of how they are split."""
        gap_s = np.diff(times, prepend=-1.0)
        loss = FALL * np.exp(-gap_s / BURST_GAP_S) + SPREAD * self.rng.normal(size=len(times))
        values = (self.rng.random(len(times)) < 0.5, loss > FALL / 2, gap_s < BURST_GAP_S)
        return dict(zip(SPLITS, values, strict=True))

    def some(self, times: Floats, n: int) -> Floats:
        """So many of the spikes, at most, at random."""
        return times if n >= len(times) else np.sort(self.rng.choice(times, n, replace=False))


def calibration(found: list[Compared], *, n_bins: int = 10) -> dict[str, float]:
    """Mean P(one), the share of ones, and the calibration error; the splits of a cell weigh as its pair."""
    rows = [(one.p_one, one.is_one) for one in found for _ in range(1 if one.is_one else len(SPLITS))]
    promised, true = np.array(rows).T
    error = calibration_error(promised, true, n_bins=n_bins)
    return {"said": float(promised.mean()), "true": float(true.mean()), "ECE": error}


def by_spikes(found: list[Compared]) -> Iterator[dict[str, Any]]:
    """Mean P(one) of each kind by the spikes of the smaller part; what is said of them."""
    for low, high in pairwise(BY_SPIKES):
        here = [one for one in found if low <= one.n_spikes < high]
        mean = {
            kind: [one.p_one for one in here if one.kind == kind]
            for kind in (*SPLITS, NEIGHBOURS, ON_AND_OFF)
        }
        told = [one for one in here if one.nats != 0]
        even = [one for one in told if one.kind != ON_AND_OFF]
        yield {
            "spikes": f"{low:g} to {high - 1:g}" if high < np.inf else f"{low:g} and more",
            "pairs": len(here),
            "nothing said": len(here) - len(told),
            **{f"P(one), {kind}": float(np.mean(p)) if p else "" for kind, p in mean.items()},
            "ECE": calibration(even)["ECE"] if even else "",
        }


def by_overlap(found: list[Compared]) -> Iterator[dict[str, Any]]:
    """What is said of neighbours by the correlation of their fields."""
    for low, high in pairwise(BY_OVERLAP):
        p = np.array([one.p_one for one in found if one.kind == NEIGHBOURS and low <= one.overlap < high])
        if len(p):
            yield {
                "overlap": f"below {high:g}" if low < 0 else f"{low:g} to {min(high, 1):g}",
                "pairs": len(p),
                "mean P(one)": float(p.mean()),
                "P(one) > 0.5": int((p > 0.5).sum()),
                "P(one) < 0.01": int((p < 0.01).sum()),
            }


def by_promise(found: list[Compared]) -> Iterator[dict[str, Any]]:
    """How often P(one) comes true."""
    for low, high in pairwise(np.linspace(0, 1, 11)):
        here = [one for one in found if low <= one.p_one < high]
        if here:
            figures = calibration(here)
            yield {
                "P(one)": f"{low:.1f} to {high:.1f}",
                "pairs": len(here),
                "said": figures["said"],
                "true": figures["true"],
            }


def main() -> None:
    """Compare, and print what comes true."""
    arguments = options(__doc__).parse_args()
    begin(arguments)
    n_cells, recordings = (4, RECORDINGS[:1]) if arguments.quick else (N_CELLS, RECORDINGS)
    rng = np.random.default_rng(SEED)
    every: list[Compared] = []
    for number, (seconds, frame_hz) in enumerate(recordings):
        shown = Retina(seconds, frame_hz, rng)
        for _ in range(number, n_cells, len(recordings)):
            every += shown.compared()
    told = [one for one in every if one.nats != 0]
    even = [one for one in told if one.kind != ON_AND_OFF]
    n_few = sum(one.n_spikes < FEWEST for one in every)
    tables = {
        "By the spikes of the smaller part": list(by_spikes(every)),
        "Neighbours, by the correlation of their fields": list(by_overlap(told)),
        "What was said, and what is true": list(by_promise(even)),
    }
    total = calibration(even)
    text = "\n\n".join(f"## {title}\n\n{table(rows)}" for title, rows in tables.items())
    print(text, total, sep="\n\n")
    page = f"""
# One cell or two, by white noise alone

{n_cells} cells of a simulated retina, each split three ways, {n_cells} pairs of neighbours of one kind
whose fields overlap from fully to not at all, and as many of an ON and an OFF cell at one place; on
{", ".join(f"{seconds:g} s at {hz:g} Hz" for seconds, hz in recordings)}. P(one) is that of even odds.

Calibration error of P(one), splits and neighbours with one weight, where something is said:
**{total["ECE"]:.3f}**. Nothing is said of {n_few} of {len(every)} pairs since a part has fewer than {FEWEST}
spikes, and of {len(every) - len(told) - n_few} since neither part has a clear field.

{text}
"""
    keep("stimulus", {"total": total, "tables": tables}, page=page, origin=Origin(SEED), folder=arguments.out)


if __name__ == "__main__":
    main()
