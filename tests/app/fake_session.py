"""A session file that is kept in memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ncpgui.core.errors import SessionError
from ncpgui.core.project import Project


class FakeSession:
    """A session in memory: `file` is the history of the last save, `journal` what came after."""

    def __init__(self, file: list[Any] | None = None) -> None:
        self.path = Path("fake.h5")
        self.file = file or []
        self.journal: list[dict[str, Any]] = []
        self.is_full = False
        self.is_closed = False

    @property
    def n_entries(self) -> int:
        return len(self.journal)

    def append(self, entry: dict[str, Any]) -> None:
        if self.is_full:
            raise SessionError("disk full")
        self.journal.append(entry)

    def save(self, project: Project, *, n_entries: int | None = None) -> None:
        self.file = list(project.history)
        self.journal = self.journal[n_entries:] if n_entries is not None else []

    def keep_journal(self) -> Path:
        return Path("fake.h5.journal.1")

    def close(self) -> None:
        self.is_closed = True

    @property
    def everything(self) -> list[str]:
        return [entry["label"] if "label" in entry else entry["do"] for entry in (*self.file, *self.journal)]
