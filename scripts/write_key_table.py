"""Write the table of keys in ``docs/reference/keys.md`` from the registry of actions.

python scripts/write_key_table.py
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]

from marked_table import with_table  # noqa: E402

from ncpgui.app.actions import help_page  # noqa: E402

PAGE = ROOT / "docs" / "reference" / "keys.md"
BEGIN = "<!-- keys: written by scripts/write_key_table.py from ncpgui/app/actions.py -->\n"
END = "<!-- end of keys -->\n"


def key_table() -> str:
    """All actions by menu as a Markdown table."""
    lines = ["| menu | action | keys | what it does |", "|---|---|---|---|"]
    for menu, rows in help_page():
        for number, (keys, name, words) in enumerate(rows):
            shown = " · ".join(f"`{key}`" for key in keys.split(" · ")) if keys else ""
            lines.append(f"| {menu if number == 0 else ''} | {name} | {shown} | {words} |")
    return "\n".join(lines) + "\n"


def with_keys(text: str) -> str:
    """The page with its table of keys up to date."""
    return with_table(text, key_table(), BEGIN, END)


if __name__ == "__main__":
    PAGE.write_text(with_keys(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
