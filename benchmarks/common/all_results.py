"""Make every figure of README and docs again: all benchmarks, one after the other, then the pages.

    python -m benchmarks.common.all_results [NAME ...] [--again] [--trainings] [--list]

Steps that compare with other sorters need the environments of `scripts/set_up_peers.sh`, and are left out
without them.

A step whose result is there, made by the same command from the source as it is now, is left out: a run that
was stopped goes on where it was. A result of source with changes that are not committed never counts as
there, so commit first. What measures seconds runs alone on an idle machine, the rest two at a time, on a core
each.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.common.report import ROOT
from benchmarks.recordings.peers import PEERS, WINDOWS, how_to_set_up, without_environment
from ncpgui.core.source_revision import same_source

RESULTS = "benchmarks/results"


class Step(NamedTuple):
    """One command and the file that it writes last.

    minutes : on two idle cores; alone : whether nothing may run beside it; training : hours of it, left out
        unless asked for; peers : other programs whose environments it needs
    """

    name: str
    command: str
    result: str
    minutes: float
    alone: bool = False
    training: bool = False
    peers: tuple[str, ...] = ()


def _script(module: str, minutes: float, options: str = "", **how: Any) -> Step:
    command, name = f"python -m benchmarks.{module} {options}".strip(), module.rpartition(".")[2]
    return Step(name, command, f"{RESULTS}/{name}.json", minutes, **how)


def _evaluation(model: str, minutes: float) -> Step:
    folder = f"{RESULTS}/evaluation"
    command = f"ncpgui evaluate {model} --out {folder} --overwrite"
    return Step(f"evaluate-{model}", command, f"{folder}/{model}.evaluation.json", minutes)


BESIDE = "tridesclous2 spykingcircus2 lupin"
"""Sorters that recordings in coloured noise are sorted by too."""

STEPS = (
    _script("speed.sampling", 4, alone=True),
    _script("speed.training_step", 2, alone=True),
    _script("speed.scaling", 3, alone=True),
    _script("posterior.gibbs", 1, alone=True),
    _script("speed.groups", 2, alone=True),
    _script("clustering.clustering", 20, "--own-sets 8 6 4 --sets 2 2 1 --beam 0 --jobs 2", alone=True),
    _evaluation("gauss2d-ccp", 10),
    _evaluation("gauss2d", 3),
    _evaluation("gauss2d-alpha07", 3),
    _evaluation("spikes", 1),
    _script("posterior.known_posteriors", 1),
    _script("posterior.finite_spikes", 3),
    _script("clustering.final_sets", 80, "--role final --recordings 16 --threads 1", training=True),
    _script("clustering.failures", 1, "--sets 2 --samples 200"),
    _script("posterior.point_estimates", 6, "--own-sets 8 --sets 2"),
    _script("recordings.noise_crossings", 3),
    _script("recordings.coloured_noise", 45, "--threads 1", training=True),
    _script("recordings.neurons_in_noise", 8, "--threads 1", training=True),
    _script("speed.memory", 6),
    _script("speed.large_review", 2, "--channels 64 --units 84 --minutes 1"),
    _script("speed.dask_workers", 15),
    _script("speed.real_time", 3, alone=True),
    _script("recordings.motion", 4),
    _script("probabilities.neuron_probability", 18, "--threads 1"),
    _script("probabilities.unit_probabilities", 30, "--threads 1", training=True),
    _script("probabilities.questions", 4, "--threads 1", training=True),
    _script("findings.coverage", 60, "--recordings 20 --draws 50", training=True),
    _script("findings.answers", 20, "--recordings 20 --draws 50", training=True),
    _script("probabilities.similarity", 3, "--threads 1"),
    _script("probabilities.demo_units", 3, "--threads 1"),
    _script("probabilities.stimulus", 1),
    Step("paper_figures", "python -m benchmarks.figures.paper_figures", "docs/figures/measured.json", 6),
    Step("reservoir", "python scripts/draw_reservoir.py", f"{RESULTS}/reservoir.json", 0.2),
    Step(
        "learning",
        "python -m benchmarks.figures.paper_figures learning --retrain",
        f"{RESULTS}/learning.json",
        3,
        alone=True,
        training=True,
    ),
    _script("recordings.ablation", 14, "--recordings linear32 tetrode --threads 1"),
    _script("recordings.sorters", 120, alone=True, peers=PEERS),
    _script("recordings.receptive_fields", 25, alone=True, peers=PEERS),
    _script("recordings.hybrid", 25, alone=True, peers=PEERS),
    _script(
        "recordings.coloured_probes",
        50,
        f"--threads 1 --sorters ncpgui {BESIDE}",
        peers=tuple(BESIDE.split()),
    ),
    _script(
        "recordings.mearec", 100, f"--threads 1 --sorters ncpgui {BESIDE}", peers=("mearec", *BESIDE.split())
    ),
    _script("window.gui", 40, alone=True, peers=WINDOWS),
    _script("window.review", 12, "--development", peers=PEERS),
    _script("curation.curation", 40, "--threads 1", peers=PEERS),
    _script("speed.endurance", 260, training=True),
    _script("probabilities.heaps", 15, training=True),
    _script("recordings.twins", 30, "--recordings 10 --seed 7300 --threads 1 --jobs 1", training=True),
    _script("probabilities.second_cells", 35, training=True),
    _script("probabilities.units_in_noise", 30, "--threads 1", training=True),
)


def origins(content: dict[str, Any]) -> list[dict[str, Any]]:
    """How a result was made: one origin of a benchmark or an evaluation, one for each figure of the paper."""
    if "origin" in content:
        return [content["origin"]]
    if "git_revision" in content:
        return [content]
    return [
        figure.get("about", {}).get("origin", {}) for figure in content.values() if isinstance(figure, dict)
    ]


def is_done(step: Step, root: Path = ROOT) -> bool:
    """Whether the result is there, of this command and of the source as it is now."""
    path = root / step.result
    if not path.is_file():
        return False
    found = origins(json.loads(path.read_text(encoding="utf-8")))
    return bool(found) and all(
        one.get("command") == step.command
        and one.get("git_changed") is False
        and same_source(str(one.get("git_revision")))
        for one in found
    )


def why_not(step: Step) -> str | None:
    """Why a step cannot run here, None where it can."""
    missing = without_environment(step.peers)
    return how_to_set_up(missing) if missing else None


def run(step: Step, log: Path) -> bool:
    """Run a step and say how it went; its output goes to `log`."""
    program, *words = shlex.split(step.command)
    start = [sys.executable, *(["-m", "ncpgui"] if program == "ncpgui" else []), *words]
    threads = {} if step.alone and "--jobs" not in words else {"OMP_NUM_THREADS": "1"}
    paths = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH", "")]))
    began = time.monotonic()
    with log.open("w", encoding="utf-8") as file:
        done = subprocess.run(
            start,
            cwd=ROOT,
            stdout=file,
            stderr=subprocess.STDOUT,
            check=False,
            env={**os.environ, **threads, "PYTHONPATH": paths},
        )
    minutes = (time.monotonic() - began) / 60
    outcome = "done" if done.returncode == 0 else f"FAILED (exit {done.returncode}), see {log}"
    print(f"{step.name}: {outcome} after {minutes:.1f} min (about {step.minutes:g})", flush=True)
    return done.returncode == 0


def run_all(steps: Sequence[Step], logs: Path) -> list[str]:
    """Run those that must be alone one after the other, the rest two at a time; return what failed."""
    alone = [step for step in steps if step.alone]
    others = [step for step in steps if not step.alone]
    failed = [step.name for step in alone if not run(step, logs / f"{step.name}.log")]
    with ThreadPoolExecutor(2) as pool:
        went = pool.map(lambda step: run(step, logs / f"{step.name}.log"), others)
        failed += [step.name for step, well in zip(others, went, strict=True) if not well]
    return failed


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    names = [step.name for step in STEPS]
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(names)}  [all]")
    parser.add_argument("--again", action="store_true", help="also what is there already")
    parser.add_argument("--trainings", action="store_true", help="also steps that train for an hour")
    parser.add_argument("--list", action="store_true", help="say what would run, and stop")
    arguments = parser.parse_args()
    unknown = [name for name in arguments.names if name not in names]
    if unknown:
        parser.error(f"no step {', '.join(unknown)}; there are {', '.join(names)}")
    return arguments


def main() -> int:
    arguments = parsed()
    asked = [
        step
        for step in STEPS
        if (step.name in arguments.names if arguments.names else arguments.trainings or not step.training)
    ]
    cannot = {step.name: reason for step in asked if (reason := why_not(step))}
    for name, reason in cannot.items():
        print(f"{name} (left out): {reason}", flush=True)
    asked = [step for step in asked if step.name not in cannot]
    steps = [step for step in asked if arguments.again or not is_done(step)]
    for step in asked:
        state = f"about {step.minutes:g} min" if step in steps else "there already"
        print(f"{step.name} ({state}): {step.command}", flush=True)
    if arguments.list:
        return 0
    logs = Path(tempfile.mkdtemp(prefix="ncpgui-results-"))
    failed = run_all(steps, logs)
    if failed:
        print(f"failed: {', '.join(failed)}; the pages are as they were", file=sys.stderr)
        return 1
    subprocess.run([sys.executable, str(ROOT / "scripts" / "write_results.py")], check=True)
    print("README and docs are up to date")
    return 0


if __name__ == "__main__":
    sys.exit(main())
