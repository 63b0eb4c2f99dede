"""Write the table of training presets in ``docs/method/training_settings.md`` from the presets themselves.

python scripts/write_preset_table.py
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]

from marked_table import with_table  # noqa: E402

from ncpgui.engine.training.config import TrainConfig  # noqa: E402
from ncpgui.engine.training.presets import PRESETS  # noqa: E402

PAGE = ROOT / "docs" / "method" / "training_settings.md"
BEGIN = "<!-- presets: from PRESETS of ncpgui/engine/training/presets.py -->\n"
END = "<!-- end of presets -->\n"


def length(config: TrainConfig) -> str:
    """How long a run is."""
    return f"{config.steps} steps" if config.steps else f"{config.minutes:g} min"


def preset_table() -> str:
    """All presets as a Markdown table."""
    lines = ["| preset | what it is | network | data | length |", "|---|---|---|---|---|"]
    for name, preset in PRESETS.items():
        network, data = preset.config.architecture.network, preset.config.data.model
        lines.append(f"| `{name}` | {preset.about} | `{network}` | `{data}` | {length(preset.config)} |")
    return "\n".join(lines) + "\n"


def with_presets(text: str) -> str:
    """The page with its table of presets up to date."""
    return with_table(text, preset_table(), BEGIN, END)


if __name__ == "__main__":
    PAGE.write_text(with_presets(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
