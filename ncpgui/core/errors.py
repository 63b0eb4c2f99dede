"""The exceptions of ncpgui.

::

    NcpguiError
    |- InputError(ValueError)      a value passed in cannot be used
    |  `- SeveralStreamsError      a recording has several streams, and which is meant is not said
    |- RecordingError(OSError)     a recording or sorting cannot be opened or read
    |  `- MissingRecordingError    a sorting does not lead to its recording, which has to be given
    |- CheckpointError             not a network that this version can load
    |- SessionError(OSError)
    |  |- SessionFormatError       damaged, or written by a newer version
    |  |- SessionReplacedError     another file is in the place of the session, and is left there
    |  `- SessionUnwritableError   can be opened read-only
    |     `- SessionLockedError    another process writes it
    |- WorkerError                 a process or machine that did the work was lost
    |- CurationError(ValueError)   the edit is impossible as things stand
    `- ExportError                 the output cannot be written

Every message states the rule, the value, the place and the way out. The command line prints
it as one line and exits with code 2; the window shows it across its top.
"""

from __future__ import annotations


class NcpguiError(Exception):
    """Root of every error that a user can do something about."""


class InputError(NcpguiError, ValueError):
    """A value passed in cannot be used."""


class SeveralStreamsError(InputError):
    """A recording has several streams, and which is meant is not said."""


class RecordingError(NcpguiError, OSError):
    """A recording or sorting cannot be opened or read."""


class MissingRecordingError(RecordingError):
    """A sorting does not lead to its recording, or not to one that can be read: it has to be given."""


class CheckpointError(NcpguiError):
    """A file is not a network that this version can load."""


class SessionError(NcpguiError, OSError):
    """A session cannot be read or written."""


class SessionFormatError(SessionError):
    """A session is damaged, or of a version that this program does not know."""


class SessionReplacedError(SessionError):
    """Another file is in the place of a session, which must not be overwritten."""


class SessionUnwritableError(SessionError):
    """A session cannot be opened for writing, but read-only."""


class SessionLockedError(SessionUnwritableError):
    """Another process has the session open for writing."""


class WorkerError(NcpguiError):
    """A process or machine that did a part of the work was lost, or cannot be reached."""


class CurationError(NcpguiError, ValueError):
    """An edit that is impossible as things stand."""


class ExportError(NcpguiError):
    """An export that cannot be written."""
