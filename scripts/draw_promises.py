"""Draw the calibration plot of the README: of units with a probability, how many are what it says.

python scripts/draw_promises.py [--out docs/pictures/promises.png]

The figures are those of ``benchmarks/results/unit_probabilities.md``. Needs matplotlib (the extra `figures`).
"""

from __future__ import annotations

import argparse
import math
import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "benchmarks" / "results" / "unit_probabilities.md"
DRAWN = {
    "right": "P(right): nearly the spike train\nof one neuron",
    "pure": "P(pure): hardly a spike\nof another cell",
    "spike": "P(spike): the spike is\nof its unit",
}
"""Probabilities that are drawn, by their names on the page, each with a title."""


@dataclass(frozen=True)
class Bin:
    """Units, or spikes, that were given about the same probability: how many, its mean, and "
    "the true share.
    """

    n: int
    promised: float
    true: float

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval of the true share."""
        z = 1.96
        centre = (self.true + z**2 / (2 * self.n)) / (1 + z**2 / self.n)
        half = z * math.sqrt(self.true * (1 - self.true) / self.n + (z / (2 * self.n)) ** 2)
        half /= 1 + z**2 / self.n
        return max(0.0, centre - half), min(1.0, centre + half)


def bins(page: str, name: str) -> list[Bin]:
    """Rows of the table about one probability, all evidence counted."""
    section = page.partition(f"## {name}, all spikes and times\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\|[^|]*\| +(\d+) +\| +([\d.e-]+) +\| +([\d.e-]+) +\|$", section, flags=re.MULTILINE)
    return [Bin(int(n), float(promised), float(true)) for n, promised, true in rows]


def draw(page: str, path: Path) -> None:
    """Write the picture."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, len(DRAWN), figsize=(9.6, 3.4), sharey=True, layout="constrained")
    for ax, (name, title) in zip(axes, DRAWN.items(), strict=True):
        found = bins(page, name)
        ax.plot([0, 1], [0, 1], color="0.75", lw=1)
        for one in found:
            low, high = one.interval
            ax.plot([one.promised] * 2, [low, high], color="#3f51b5", lw=1.2)
            ax.plot(one.promised, one.true, "o", color="#3f51b5", ms=5)
            near_top = one.true > 0.9
            ax.annotate(
                f"{one.n:,}",
                (one.promised, one.true),
                xytext=(-5, -13 if near_top else 5),
                textcoords="offset points",
                ha="right",
                fontsize=7,
                color="0.35",
            )
        ax.set_title(title, fontsize=9)
        ax.set(xlim=(-0.04, 1.04), ylim=(-0.04, 1.04), aspect="equal", xlabel="probability given")
        ax.spines[["top", "right"]].set_visible(False)
    axes[0].set_ylabel("share that is so")
    figure.savefig(path, dpi=110, bbox_inches="tight", pad_inches=0.1)
    plt.close(figure)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "pictures" / "promises.png")
    arguments = parser.parse_args()
    draw(PAGE.read_text(encoding="utf-8"), arguments.out)
    print(arguments.out)
