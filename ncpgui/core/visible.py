"""Text that came from outside, for a terminal or a log: what a terminal would obey is written out.

A name of a file, a channel or a model may hold an escape sequence that moves the cursor, renames the window,
types into the shell, or turns the direction of writing. None of them is text.
"""

from __future__ import annotations

import re

_CONTROL = re.compile(
    "[\x00-\x1f\x7f-\x9f"  # control characters of ASCII and of ISO 8859
    "\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"  # direction, not seen
    "\ud800-\udfff"  # bytes of a name that are no text
    "\U000e0000-\U000e007f]"  # tags, not seen
)
_NOT_OF_LINES = re.compile(_CONTROL.pattern.replace("\x00-\x1f", "\x00-\x08\x0b-\x1f"))


def visible(text: str) -> str:
    r"""One line of `text`: an escape character is shown as ``\x1b``, a new line as ``\n``."""
    return _CONTROL.sub(_written, text)


def visible_lines(text: str) -> str:
    """Lines of `text`, such as a traceback: new lines and tabs stay."""
    return _NOT_OF_LINES.sub(_written, text)


def _written(found: re.Match[str]) -> str:
    code = ord(found[0])
    if 0xDC80 <= code <= 0xDCFF:  # the byte itself, which Python keeps as a lone surrogate
        return f"\\x{code - 0xDC00:02x}"
    return found[0].encode("unicode_escape", "surrogatepass").decode("ascii")
