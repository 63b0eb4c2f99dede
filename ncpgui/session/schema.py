"""Names, encodings and version of the session file; ``docs/reference/session_file.md`` is the specification.

Every group and dataset carries two attributes: ``encoding``, what it is, and ``version``, the
version of that encoding. A reader refuses what it does not know instead of guessing.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ncpgui.core import arguments
from ncpgui.core.errors import SessionError
from ncpgui.core.project import SESSION_ENCODING, WAVEFORM_CACHE_ENCODING

FORMAT_VERSION = 2
"""Version of the session as a whole. It is the first that was released: none below it is read."""

CACHE_VERSION = 2
JOURNAL_VERSION = 2

SESSION = SESSION_ENCODING
WAVEFORM_CACHE = WAVEFORM_CACHE_ENCODING

ENCODINGS: dict[str, int] = {
    "array": 1,
    "integers": 1,
    "string": 1,
    "json": 1,
    "recording": 1,
    "clock": 1,
    "probe": 1,
    "spikes": 1,
    "sorting": 1,
    "motion": 1,
    "ragged": 1,
    "sampled-components": 1,
    "waiting-components": 1,
    "echoes": 1,
    "posterior": 1,
    "alternatives": 1,
    "stimulus": 1,
    "events": 1,
    "given-sorting": 1,
    "component-waveforms": 1,
}
"""Encodings with the newest version of each that this program reads."""


@dataclass(frozen=True)
class SessionPaths:
    """A session and the files beside it, each named by its whole name: no two sessions have one in common."""

    session: Path

    @classmethod
    def of(cls, path: str | Path) -> SessionPaths:
        """Those of the session that `path` leads to; a symbolic link is followed to the real file.

        Raises
        ------
        SessionError
            Links lead in a circle, or it is a path without a name, as `.` is.
        """
        given = arguments.path(path, "the session")
        if given.name in ("", ".."):
            raise SessionError(f"'{path}' is a folder, not a session; give the .h5 file")
        try:
            is_link = given.is_symlink()
        except OSError:  # of a name that no file can have; whoever opens it says so
            return cls(given)
        try:
            return cls(given.resolve() if is_link else given)
        except (OSError, RuntimeError) as error:
            raise SessionError(
                f"cannot open {given}: it is a link that leads nowhere; give the file"
            ) from error

    @property
    def journal(self) -> Path:
        """``NAME.h5.journal``: what was done since the session was saved."""
        return self._beside(".journal")

    @property
    def lock(self) -> Path:
        """``NAME.h5.lock``: who has the session open for writing."""
        return self._beside(".lock")

    @property
    def waveforms(self) -> Path:
        """``NAME.h5.waveforms``: a cache that may be deleted."""
        return self._beside(".waveforms")

    @property
    def steps(self) -> Path:
        """``NAME.h5.steps``: a folder with the finished steps of a sorting that is to write the session."""
        return self._beside(".steps")

    def _beside(self, suffix: str) -> Path:
        return self.session.with_name(self.session.name + suffix)
