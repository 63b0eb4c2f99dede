"""Write the tables of keys and of training presets into their pages, from the actions and presets themselves.

python scripts/write_tables.py
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]

from marked_table import with_table  # noqa: E402

from ncpgui.app.actions import help_page  # noqa: E402
from ncpgui.engine.training.config import TrainConfig  # noqa: E402
from ncpgui.engine.training.presets import PRESETS  # noqa: E402

KEYS = ROOT / "docs" / "reference" / "keys.md"
BEGIN_KEYS = "<!-- keys: written by scripts/write_tables.py from ncpgui/app/actions.py -->\n"
END_KEYS = "<!-- end of keys -->\n"
SETTINGS = ROOT / "docs" / "method" / "training_settings.md"
BEGIN_PRESETS = "<!-- presets: from PRESETS of ncpgui/engine/training/presets.py -->\n"
END_PRESETS = "<!-- end of presets -->\n"


def key_table() -> str:
    """All actions by menu as a Markdown table."""
    lines = ["| menu | action | keys | what it does |", "|---|---|---|---|"]
    for menu, rows in help_page():
        for number, (keys, name, words) in enumerate(rows):
            shown = " · ".join(f"`{key}`" for key in keys.split(" · ")) if keys else ""
            lines.append(f"| {menu if number == 0 else ''} | {name} | {shown} | {words} |")
    return "\n".join(lines) + "\n"


def preset_table() -> str:
    """All presets as a Markdown table."""
    lines = ["| preset | what it is | network | data | length |", "|---|---|---|---|---|"]
    for name, preset in PRESETS.items():
        network, data = preset.config.architecture.network, preset.config.data.model
        lines.append(f"| `{name}` | {preset.about} | `{network}` | `{data}` | {length(preset.config)} |")
    return "\n".join(lines) + "\n"


def length(config: TrainConfig) -> str:
    """How long a run is."""
    return f"{config.steps} steps" if config.steps else f"{config.minutes:g} min"


def with_keys(text: str) -> str:
    """The page of keys with its table up to date."""
    return with_table(text, key_table(), BEGIN_KEYS, END_KEYS)


def with_presets(text: str) -> str:
    """The page of training settings with its table of presets up to date."""
    return with_table(text, preset_table(), BEGIN_PRESETS, END_PRESETS)


if __name__ == "__main__":
    for page, written in ((KEYS, with_keys), (SETTINGS, with_presets)):
        page.write_text(written(page.read_text(encoding="utf-8")), encoding="utf-8")
