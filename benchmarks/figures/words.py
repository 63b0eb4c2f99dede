"""The page of the figures of the paper: page.md, filled with what was measured; it needs no matplotlib."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from benchmarks.common.report import made_by, table

NAMES = ("samples", "last_point", "geweke", "learning", "digits", "particles", "ncp_ccp")
MEASURED = "measured.json"
CARD = ("steps", "minutes", "date", "weights_sha256")


def page_of(out: Path) -> str:
    """Fill the words of figures/page.md with what was measured.

    Figures that were not made, or by a version that did not say how, are left out.
    """
    measured = json.loads((out / MEASURED).read_text(encoding="utf-8"))
    kept = {name: figure for name, figure in measured.items() if "origin" in figure["about"]}
    words = (Path(__file__).with_name("page.md")).read_text(encoding="utf-8")
    head, *sections = re.split(r"(?m)^(?=## )", words)
    models = {name: card for figure in kept.values() for name, card in figure["about"]["models"].items()}
    rows = [
        {
            "model": f"`{name}`",
            "steps": card["steps"],
            "minutes of training": card["minutes"],
            "of": card["date"] or "",
            "weights (SHA-256)": f"`{card['weights_sha256'][:12]}`",
        }
        for name, card in sorted(models.items())
    ]
    quick = any(figure["about"]["quick"] for figure in kept.values())
    page = [head.format(models=table(rows), quick="; some are of a quick run, and rough" if quick else "")]
    for section in sections:
        name = re.search(r"\(figures/(\w+)\.png\)", section)
        if name and name[1] in kept:
            values = {key: SimpleNamespace(**_shown(figure)) for key, figure in kept.items()}
            remake = f"{made_alone(name[1], kept[name[1]]['about'])}\n\n"
            page.append(
                section.replace("(figures/", f"({out.name}/").format(**values).rstrip() + "\n\n" + remake
            )
    return "".join(page).rstrip() + "\n"


def made_alone(name: str, about: dict[str, Any]) -> str:
    """How a figure was made; with the command for it alone, whichever others were asked for with it."""
    told = about["origin"]
    words = shlex.split(told["command"])
    started, options = words[:3], [word for word in words[3:] if word not in NAMES]  # python -m MODULE
    return made_by({**told, "command": shlex.join([*started, name, *options])})


def _shown(figure: dict[str, Any]) -> dict[str, Any]:
    """Values as the page takes them: lists of rows as tables."""
    return {
        key: table(value) if isinstance(value, list) and value and isinstance(value[0], dict) else value
        for key, value in figure.items()
    }
