"""What every benchmark shares: options, clocks, a table on the terminal, JSON and a page in ``results``.

Both say how they were made: command, date, commit of the source, seed, posterior samples, hashes of weights.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from multiprocessing import get_context
from operator import itemgetter
from pathlib import Path
from typing import Any

import torch

from ncpgui.core.source_revision import source_revision
from ncpgui.engine.device import resolve_device
from ncpgui.engine.networks.model_files import find_model, load_card

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "benchmarks" / "results"
LOAD_AT_START = os.getloadavg()[0]
REVISION = source_revision()
"""Of what runs, whatever is committed in the meantime."""
SEED = 0
"""Of the data and of all draws, where a benchmark has no option for it."""


@dataclass(frozen=True)
class Origin:
    """What figures depend on besides the machine and the command.

    seed : of data and draws; n_samples : posterior samples of each dataset, None where there are none
    models : names or files of the networks, by the name that the page shows
    """

    seed: int
    n_samples: int | None = None
    models: Mapping[str, str | Path] = field(default_factory=dict)

    def told(self) -> dict[str, Any]:
        """Return all of it as plain values: what a file of results keeps."""
        return {
            "command": command(),
            "date": date.today().isoformat(),
            "git_revision": REVISION.commit,
            "git_changed": REVISION.changed,
            "seed": self.seed,
            "n_samples": self.n_samples,
            "models": {
                name: load_card(find_model(model))["weights_sha256"] for name, model in self.models.items()
            },
        }


def command() -> str:
    """Return the command that runs, with paths as seen from the root; folders change no figure."""
    words = [word.replace(f"{ROOT}{os.sep}", "") for word in sys.argv]
    for folder in {"--out", "--cache"} & set(words):
        place = words.index(folder)
        del words[place : place + 2]
    script = Path(sys.argv[0]).resolve()
    if script.is_relative_to(ROOT / "benchmarks"):
        words[:1] = ["-m", ".".join(script.relative_to(ROOT).with_suffix("").parts)]
    else:
        words[0] = str(script.relative_to(ROOT)) if script.is_relative_to(ROOT) else script.name
    return shlex.join(["python", *words])


def made_by(origin: Origin | dict[str, Any]) -> str:
    """Say in a line of a page how its figures were made."""
    told = origin.told() if isinstance(origin, Origin) else origin
    source = "Source not in a checkout"
    if told["git_revision"]:
        changed = " and changes that are not committed" if told["git_changed"] else ""
        source = f"Source {told['git_revision'][:12]}{changed}"
    parts = [source, f"seed {told['seed']}"]
    if told["n_samples"] is not None:
        parts.append(f"{told['n_samples']} posterior samples")
    if told["models"]:
        weights = ", ".join(f"`{name}` `{digest[:12]}`" for name, digest in told["models"].items())
        parts.append(f"weights (SHA-256) {weights}")
    return f"`{told['command']}`, {told['date']}. {'; '.join(parts)}."


def options(description: str | None) -> argparse.ArgumentParser:
    """Return a parser with the options that all benchmarks have."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--device", default="cpu", help="cpu, cuda or auto  [cpu]")
    parser.add_argument("--threads", type=int, default=None, help="of torch  [all cores]")
    parser.add_argument("--quick", action="store_true", help="tiny sizes, to see that it runs; keeps nothing")
    parser.add_argument("--out", type=Path, default=None, help="folder for the results  [benchmarks/results]")
    return parser


def begin(arguments: argparse.Namespace) -> torch.device:
    """Set what `options` were given, and return the device."""
    if arguments.threads is not None:
        torch.set_num_threads(arguments.threads)
    if arguments.out is None and not arguments.quick:
        arguments.out = RESULTS
    return resolve_device(arguments.device)


def add_jobs(parser: argparse.ArgumentParser) -> None:
    """Add the option that `side_by_side` takes."""
    parser.add_argument("--jobs", type=int, default=1, help="at a time, on a core each  [1]")


@contextmanager
def side_by_side(jobs: int) -> Iterator[Callable[..., Iterator[Any]]]:
    """Give a `map` that works on so many at a time, each in a process of one thread; with 1 just `map`."""
    if jobs == 1:
        yield map
        return
    with ProcessPoolExecutor(jobs, get_context("spawn"), torch.set_num_threads, (1,)) as workers:
        yield workers.map


def machine() -> dict[str, Any]:
    """Return what a time depends on besides the code."""
    return {
        "cores": os.cpu_count(),
        "threads": torch.get_num_threads(),
        "processor": processor(),
        "gpu": torch.cuda.get_device_name() if torch.cuda.is_available() else None,
        "torch": torch.__version__,
        "load_average": LOAD_AT_START,
    }


def processor() -> str:
    """Name of the processor, as far as the system tells."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def where(device: torch.device) -> str:
    """Say in a sentence or two where the figures come from, for a page."""
    here = machine()
    if device.type == "cuda":
        place = f"{here['gpu']}, torch {here['torch']}"
    else:
        threads = "1 thread" if here["threads"] == 1 else f"{here['threads']} threads"
        place = f"{threads} on {here['cores']} cores of {here['processor']}, torch {here['torch']}"
    busy = f"; load average at the start {LOAD_AT_START:.1f}"
    gpu = "" if device.type == "cuda" else " No GPU was at hand: `--device cuda` is untested."
    return f"{place}{busy}.{gpu}"


class Clock:
    """Wall and CPU seconds of a block: ``with Clock() as t: ...; t.wall_s, t.cpu_s``.

    device : whose queue is waited for before each reading, when it is a GPU
    """

    def __init__(self, device: torch.device | None = None) -> None:
        self._device = device

    def __enter__(self) -> Clock:
        self._wait()
        self._wall, self._cpu = time.perf_counter(), time.process_time()
        return self

    def __exit__(self, *_: object) -> None:
        self._wait()
        self.wall_s = time.perf_counter() - self._wall
        self.cpu_s = time.process_time() - self._cpu

    def _wait(self) -> None:
        if self._device is not None and self._device.type == "cuda":
            torch.cuda.synchronize(self._device)


class StepTimes:
    """CPU seconds of this process by step, as progress tells what is being done.

    steps : name of each step by the words of its messages; what other messages say belongs to the step before
    step : that is under way; what is used before the first one, '', is not counted
    """

    def __init__(self, steps: Mapping[str, str]) -> None:
        self.cpu_s = dict.fromkeys(steps.values(), 0.0)
        self.step = ""
        self._steps, self._last = steps, time.process_time()

    def __call__(self, done: int, total: int, message: str = "") -> None:
        """Count what was used since the last report to what was being done."""
        now = time.process_time()
        if self.step:
            self.cpu_s[self.step] += now - self._last
        self._last = now
        self.step = next((step for words, step in self._steps.items() if words in message), self.step)


def in_own_process(module: str, job: dict[str, Any]) -> dict[str, Any]:
    """Have a module do a job in a process of its own (`job_given`), and return its answer."""
    command = [sys.executable, "-m", module, "--job", json.dumps(job)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"a process of {module} ended with {done.returncode}: {job}")
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


def job_given() -> dict[str, Any] | None:
    """The job of `in_own_process` that this process was started for; its last line is the answer as JSON."""
    return json.loads(sys.argv[2]) if sys.argv[1:2] == ["--job"] else None


def peak_memory_mib(device: torch.device) -> float:
    """Most memory that this process has held so far: of the GPU by torch, else of the machine."""
    if device.type == "cuda":
        return torch.cuda.max_memory_allocated(device) / 2**20
    try:
        lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    except OSError:  # macOS, in bytes; on Linux getrusage would count what the parent process held
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 2**10  # KiB


def table(rows: list[dict[str, Any]]) -> str:
    """Return rows of equal keys as a Markdown table; a bar in a cell gets a backslash."""
    if not rows:
        return ""
    values = [list(rows[0])] + [
        [f"{value:.3g}" if isinstance(value, float) else str(value) for value in row.values()] for row in rows
    ]
    cells = [[value.replace("|", "\\|") for value in row] for row in values]
    widths = [max(len(row[i]) for row in cells) for i in range(len(cells[0]))]
    lines = ["| " + " | ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)) + " |" for row in cells]
    lines.insert(1, "|" + "|".join("-" * (w + 2) for w in widths) + "|")
    return "\n".join(lines)


def add_keep_others(parser: argparse.ArgumentParser) -> None:
    """Add the option for which `with_others` is."""
    parser.add_argument(
        "--keep-others", action="store_true", help="keep the rows of the page that are not made again"
    )


def with_others(rows: list[dict[str, Any]], page: Path, *columns: str) -> list[dict[str, Any]]:
    """Rows, and those of a page (its JSON) that differ from all of them in some columns, in its order.

    All say when they were `made`, so that they have the same keys.
    """
    if not page.is_file():
        return rows
    before, key = json.loads(page.read_text(encoding="utf-8")), itemgetter(*columns)
    made, again = before["origin"]["date"], {key(row) for row in rows}
    kept = [row | {"made": row.get("made", made)} for row in before["rows"] if key(row) not in again]
    new = [row | {"made": row.get("made", date.today().isoformat())} for row in rows]
    place = {key(row): number for number, row in enumerate(before["rows"])}
    return sorted([*kept, *new], key=lambda row: place.get(key(row), len(place)))


def keep_rows(
    name: str,
    rows: list[dict[str, Any]],
    columns: tuple[str, ...],
    page_of: Callable[[list[dict[str, Any]]], str],
    *,
    origin: Origin,
    place: str,
    arguments: argparse.Namespace,
) -> str:
    """Keep rows, and with ``--keep-others`` those of the page that they do not replace; return the page.

    columns : that tell a row from the others; place : where the figures come from (`where`)
    """
    if arguments.keep_others and arguments.out:
        rows = with_others(rows, arguments.out / f"{name}.json", *columns)
    page = f"{page_of(rows)}\n{place}\n"
    keep(name, {"rows": rows}, page=page, origin=origin, folder=arguments.out)
    return page


def picture_link(name: str, out: Path | None) -> str:
    """Link to the picture NAME.png from a page in the folder `out`: those that are shown lie in the docs."""
    return f"../../docs/figures/{name}.png" if out == RESULTS else f"{name}.png"


def keep_picture(name: str, draw: Callable[[], Any], origin: Origin, out: Path) -> None:
    """Draw a picture in the style of all figures, and write it where `picture_link` leads."""
    from benchmarks.figures import base

    folder = ROOT / "docs" / "figures" if out == RESULTS else out
    with base.style():
        figure = draw()
    base.save(figure, folder / f"{name}.png", made_by=made_by(origin))


def keep(
    name: str, content: dict[str, Any], *, page: str, origin: Origin, folder: Path | None = RESULTS
) -> None:
    """Write NAME.json, and NAME.md with what a person reads, both with `origin`; nothing without a folder."""
    if folder is None:
        return
    folder.mkdir(parents=True, exist_ok=True)
    told = origin.told()
    text = json.dumps({"origin": told, "machine": machine(), **content}, indent=2)
    (folder / f"{name}.json").write_text(text + "\n", encoding="utf-8")
    (folder / f"{name}.md").write_text(f"{page.strip()}\n\n{made_by(told)}\n", encoding="utf-8")
