"""Do the doubtful units of the demo rank worst? Its units in the order of the queue, beside the truth.

    python -m benchmarks.probabilities.demo_units [--demo FOLDER]

The demo is simulated and sorted as `ncpgui demo` does, unless `--demo` has one that was. Of each unit: what
the window says of it, and how far it agrees with its best cell. A unit is *wrong* if it agrees by less than
0.8, and *merged* if a tenth of its spikes or more is of a second cell. AUC: the probability that a doubtful
unit (wrong or merged) ranks worse than another one.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score
from spikeinterface.core import NumpySorting

from benchmarks.common.report import Origin, begin, keep, options, table, where
from benchmarks.probabilities.sampled_recordings import RIGHT_FROM, agreements, spikes_of_cells
from ncpgui.app.demo import DemoSettings, run_demo, session_of
from ncpgui.app.model.unit_numbers import unit_numbers
from ncpgui.app.model.workspace import Workspace
from ncpgui.core.project import Project
from ncpgui.core.spikes import Sorting
from ncpgui.ephys.simulated_folder import read_truth
from ncpgui.session import store
from ncpgui.sorting.config import SortingConfig

MERGED_FROM = 0.1
QUICK = DemoSettings(duration_s=5.0)


@dataclass(frozen=True)
class DemoUnit:
    """What is said of a unit, and what is true of it.

    wrong : expected wrong assignments of its component; agreement : with its best cell; second : share of its
    spikes that are of another cell only
    """

    unit: int
    wrong: float
    p_right: float
    p_exists: float
    is_asked: bool
    agreement: float
    second: float

    @property
    def is_doubtful(self) -> bool:
        """Whether it is wrong or merged, by the truth."""
        return self.agreement < RIGHT_FROM or self.second >= MERGED_FROM

    def row(self) -> dict[str, Any]:
        """Return it as a row of the table."""
        return {
            "unit": self.unit,
            "expected wrong": round(self.wrong, 1),
            "P(right)": self.p_right,
            "P(pure and complete)": self.p_exists,
            "asked": "yes" if self.is_asked else "",
            "agreement": self.agreement,
            "of a second cell": self.second,
            "truth": "wrong" if self.agreement < RIGHT_FROM else "merged" if self.is_doubtful else "",
        }


def units_of(project: Project, truth: Sorting) -> list[DemoUnit]:
    """Units of a project in the order of its queue, those of one component the least right first."""
    workspace = Workspace(project)
    true_spikes = NumpySorting.from_samples_and_labels(
        [truth.sample_index], [truth.unit_id], truth.sampling_frequency_hz, unit_ids=truth.unit_ids
    )
    of_cell, n_true = spikes_of_cells(project.spikes.sample_index, true_spikes)
    unit = project.unit_of_spike
    best, agreement, _ = agreements(unit, of_cell, n_true)
    found = []
    for component_id in workspace.questions.queue_order():
        is_asked = not workspace.questions.status(component_id).is_settled
        here = workspace.questions.unit_doubts(component_id)
        for name in sorted(here, key=lambda one: here[one].p_right):
            own = of_cell[unit == name]
            others = np.delete(own[~own[:, best[name]]], best[name], axis=1)
            found.append(
                DemoUnit(
                    name,
                    workspace.questions.standing(component_id).n_wrong,
                    here[name].p_right,
                    unit_numbers(workspace.state, (name,))["p_exists"][0],
                    is_asked,
                    float(agreement[name]),
                    float(others.sum(axis=0).max(initial=0) / len(own)),
                )
            )
    return found


def ranks(units: list[DemoUnit]) -> list[dict[str, Any]]:
    """How well each number tells doubtful units from the others."""
    doubtful = np.array([one.is_doubtful for one in units])
    said: dict[str, NDArray[np.float64]] = {
        "expected wrong assignments": np.array([one.wrong for one in units]),
        "1 - P(right)": np.array([1 - one.p_right for one in units]),
        "1 - P(pure and complete)": np.array([1 - one.p_exists for one in units]),
    }
    some = 0 < doubtful.sum() < len(doubtful)
    return [
        {"number": name, "AUC": float(roc_auc_score(doubtful, value)) if some else float("nan")}
        for name, value in said.items()
    ]


def main() -> None:
    """Sort the demo, rank its units, and print them."""
    parser = options(__doc__)
    parser.add_argument("--demo", type=Path, help="folder of a demo that was sorted")
    arguments = parser.parse_args()
    device = begin(arguments)
    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments.demo or Path(scratch)
        if not session_of(folder).is_file():
            run_demo(folder, QUICK if arguments.quick else DemoSettings())
        project = store.load(session_of(folder))
        truth, _ = read_truth(folder / "recording")
    units = units_of(project, truth)
    rows, auc = [one.row() for one in units], ranks(units)
    n_asked = sum(one.is_asked and one.is_doubtful for one in units)
    n_doubtful = sum(one.is_doubtful for one in units)
    text = f"{table(auc)}\n\n{table(rows)}"
    print(text)
    page = f"""
# Do the doubtful units of the demo rank worst?

The {len(units)} units of `ncpgui demo` in the order of the queue. By the truth {n_doubtful} are wrong (they
agree with their best cell by less than {RIGHT_FROM:g}) or merged ({MERGED_FROM:g} of their spikes or more
are of a second cell); {n_asked} of these are asked about. AUC: the probability that of a doubtful unit and
another one the doubtful one ranks worse.

{text}

{where(device)}
"""
    origin = Origin(DemoSettings().seed, SortingConfig().posterior_samples, {"spikes": "spikes"})
    keep("demo_units", {"units": rows, "ranks": auc}, page=page, origin=origin, folder=arguments.out)


if __name__ == "__main__":
    main()
