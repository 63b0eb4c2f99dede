"""What came of writing decisions back."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ncpgui.core.errors import ExportError, NcpguiError

OTHERWISE = "export the sorting with 'ncpgui export'"
"""What can be done where a folder cannot be written."""


@dataclass(frozen=True)
class WrittenBack:
    """What was written: `files` in `folder`, what they were is in `backup`; no file where nothing changed."""

    folder: Path
    files: tuple[str, ...]
    n_moved: int
    backup: Path | None
    note: str = ""

    @property
    def words(self) -> str:
        """What was done, in a sentence."""
        if not self.files:
            return f"nothing was decided that {self.folder} does not have; its files are as they were"
        text = f"wrote {', '.join(self.files)} in {self.folder}: {self.n_moved} spikes are in another unit"
        if self.backup is not None:
            text += f"; what was there is kept in {self.backup}"
        return text + (f"; {self.note}" if self.note else "")


def changed(folder: Path, what: str) -> ExportError:
    """The error of a folder that is not any more what was reviewed."""
    return ExportError(
        f"{folder} changed since it was reviewed (its {what} differ); put the files back (backups called "
        "before-ncpgui have those from before anything was written), review it again, or use 'ncpgui export'"
    )


def unreadable(error: NcpguiError) -> ExportError:
    """The error of a folder that is gone, or cannot be read."""
    return ExportError(
        f"decisions cannot be written back: {error}; put the folder back where it was, or {OTHERWISE}"
    )
