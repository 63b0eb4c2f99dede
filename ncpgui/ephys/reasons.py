"""What went wrong in another library, in words: the names of exceptions tell nobody anything."""

from __future__ import annotations

from pathlib import Path

_TELL_NOTHING = (
    IndexError,
    UnboundLocalError,
    NameError,
    AttributeError,
    AssertionError,
    NotImplementedError,
    StopIteration,
    EOFError,
    TypeError,
    UnicodeError,
)


def reason(error: BaseException) -> str:
    """The first line of what an error says, or what it means where it says nothing to people."""
    text = " ".join((str(error).strip().splitlines() or [""])[0].split())
    if isinstance(error, KeyError):
        return f"it lacks {text}" if text else "it lacks something that belongs there"
    if isinstance(error, OSError) and error.strerror and error.filename:
        return f"{error.strerror}: {error.filename}"
    if isinstance(error, _TELL_NOTHING) or not text:
        told = f" ({text})" if text and isinstance(error, (AssertionError, NotImplementedError)) else ""
        return f"it is not complete, or not as its reader expects it{told}"
    return text


def way_out(error: BaseException, otherwise: str) -> str:
    """What helps where a file could not be read: rights, where these are lacking."""
    return "see to it that you may read it" if isinstance(error, PermissionError) else otherwise


def no_file(path: Path) -> str:
    """What is called like a file and is none."""
    return "a folder" if path.is_dir() else "a link that leads nowhere"
