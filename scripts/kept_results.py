"""What benchmarks and evaluations have kept, as tables and lines of pages."""

from __future__ import annotations

import json
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results"
DEFAULT = "spikes"
"""The model that results call the default."""
Row = dict[str, Any]


def kept(name: str) -> Row:
    """What a benchmark has kept."""
    content: Row = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))
    return content


def evaluation(model: str) -> Row:
    """What ``ncpgui evaluate`` has found of a model."""
    return kept(f"evaluation/{model}.evaluation")


def is_of_earlier_model(content: Row) -> bool:
    """Whether a result was made with other weights than those that are shipped now under their name."""
    used: Row = content.get("origin", content).get("models") or {}
    return any(_shipped(DEFAULT if name == "default" else name) != weights for name, weights in used.items())


@cache
def _shipped(model: str) -> str:
    """SHA-256 of the weights of a shipped model, '' where there is none of that name."""
    path = ROOT / "trained_models" / f"{model}.safetensors"
    return sha256(path.read_bytes()).hexdigest() if path.is_file() else ""


def table(rows: list[list[str]]) -> str:
    """Rows of cells, the first one the heads, as a Markdown table."""
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join([lines[0], "|---" * len(rows[0]) + "|", *lines[1:]]) + "\n"


def made_by(name: str, content: Row) -> str:
    """Say with which command, when and from which source a result was made."""
    origin = content.get("origin", content)
    if "command" not in origin:
        return f"`{name}`, of a version whose results did not say how they were made"
    source = (origin["git_revision"] or "no checkout")[:12]
    changed = " with changes" if origin["git_changed"] else ""
    earlier = ", an earlier model" if is_of_earlier_model(content) else ""
    others = "; the other rows by earlier runs" if "--keep-others" in origin["command"] else ""
    return f"`{origin['command']}` ({origin['date']}, source {source}{changed}{earlier}{others})"


def made_by_all(*names: str) -> str:
    """A line about where figures come from."""
    told = dict.fromkeys(made_by(f"benchmarks/results/{name}.json", kept(name)) for name in names)
    return "Made by " + "; ".join(told) + ".\n"
