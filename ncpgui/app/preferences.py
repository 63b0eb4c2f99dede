"""What the application remembers from one start to the next: theme, recent files, window layout."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

from ncpgui.core.errors import ExportError
from ncpgui.core.files import replaced_file
from ncpgui.core.json_text import parse_json
from ncpgui.core.regular_files import regular

logger = logging.getLogger(__name__)

MAX_RECENT = 8


def default_folder() -> Path:
    """Folder that the system gives to settings of this program."""
    import platformdirs

    return Path(platformdirs.user_config_dir("ncpgui", appauthor=False))


class Preferences:
    """A small JSON file; what cannot be read counts as empty, what cannot be written is logged.

    Parameters
    ----------
    folder : where ``preferences.json`` lies; the system's folder for settings when left out
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = default_folder() if folder is None else folder
        self._path = self.folder / "preferences.json"
        self._values: dict[str, Any] = self._read()

    def _read(self) -> dict[str, Any]:
        try:
            values = parse_json(regular(self._path).read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            logger.warning("preferences in %s cannot be read and are ignored: %s", self._path, error)
            return {}
        return values if isinstance(values, dict) else {}

    def get(self, name: str, default: Any = None) -> Any:
        """Value of a setting; `default` when it is missing or of another type than `default`."""
        value = self._values.get(name, default)
        return default if default is not None and not isinstance(value, type(default)) else value

    def set(self, name: str, value: Any) -> None:
        """Remember a JSON value, now and on disk."""
        if self._values.get(name) == value:
            return
        self._values[name] = value
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with replaced_file(self._path) as beside:
                beside.write_text(json.dumps(self._values, indent=1), encoding="utf-8")
        except (OSError, ExportError) as error:
            logger.warning("preferences cannot be written to %s: %s", self._path, error)

    @property
    def theme(self) -> str:
        """``"light"``, ``"dark"``, or ``"system"``: whichever of them the system has."""
        chosen = self.get("theme", "system")
        return chosen if chosen in ("light", "dark") else "system"

    @property
    def recent(self) -> list[str]:
        """Sessions and recordings opened last, the latest first."""
        return [path for path in self.get("recent", []) if isinstance(path, str)]

    def remember_file(self, path: str | Path) -> None:
        """Put a file at the top of the recent ones."""
        name = str(Path(path).absolute())
        self.set("recent", [name, *(p for p in self.recent if p != name)][:MAX_RECENT])
