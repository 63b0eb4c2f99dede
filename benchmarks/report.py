"""What every benchmark prints and keeps: a table on the terminal, JSON and a page in ``results``."""

from __future__ import annotations

import json
import os
import platform
import time
from datetime import date
from pathlib import Path
from typing import Any

import torch

RESULTS = Path(__file__).parent / "results"


def machine() -> dict[str, Any]:
    """Return what a time depends on besides the code."""
    return {
        "date": date.today().isoformat(),
        "cores": os.cpu_count(),
        "threads": torch.get_num_threads(),
        "processor": platform.processor() or platform.machine(),
        "torch": torch.__version__,
        "load_average": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
    }


class Clock:
    """Wall and CPU seconds of a block: ``with Clock() as t: ...; t.wall_s, t.cpu_s``."""

    def __enter__(self) -> Clock:
        self._wall, self._cpu = time.perf_counter(), time.process_time()
        return self

    def __exit__(self, *_: object) -> None:
        self.wall_s = time.perf_counter() - self._wall
        self.cpu_s = time.process_time() - self._cpu


def table(rows: list[dict[str, Any]]) -> str:
    """Return rows of equal keys as a Markdown table."""
    if not rows:
        return ""
    cells = [list(rows[0])] + [
        [f"{value:.3g}" if isinstance(value, float) else str(value) for value in row.values()] for row in rows
    ]
    widths = [max(len(row[i]) for row in cells) for i in range(len(cells[0]))]
    lines = ["| " + " | ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)) + " |" for row in cells]
    lines.insert(1, "|" + "|".join("-" * (w + 2) for w in widths) + "|")
    return "\n".join(lines)


def keep(name: str, content: dict[str, Any], *, page: str) -> None:
    """Write ``results/NAME.json`` with the machine, and ``results/NAME.md`` with what a person reads."""
    RESULTS.mkdir(exist_ok=True)
    text = json.dumps({"machine": machine(), **content}, indent=2)
    (RESULTS / f"{name}.json").write_text(text + "\n", encoding="utf-8")
    (RESULTS / f"{name}.md").write_text(page.strip() + "\n", encoding="utf-8")
