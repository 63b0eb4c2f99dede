"""What somebody may have meant by a name that is not known."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

_ALIKE = 0.65  # 'frobnicate' and 'locate' are alike by 0.62


def nearest(word: str, known: Iterable[str]) -> str:
    """The known name that is nearest to `word`, whatever its case and separators; '' when none is near."""
    by_plain = {_plain(name): name for name in sorted(known, reverse=True)}
    wanted = _plain(word)
    near = difflib.get_close_matches(wanted, by_plain, n=1, cutoff=_ALIKE)
    if not near and len(wanted) >= 3:  # the beginning of a longer name
        near = [name for name in sorted(by_plain, key=len) if name.startswith(wanted)]
    return by_plain[near[0]] if near else ""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """``; did you mean 'spikes'?``, to be put behind a sentence; '' when nothing is near."""
    near = nearest(word, known)
    return f"; did you mean '{near}'?" if near else ""


def _plain(name: str) -> str:
    return name.lower().replace("_", "-").replace(" ", "-")
