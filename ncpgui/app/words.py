"""Numbers as people read them: thousands, times, counts; messages as sentences, without options."""

from __future__ import annotations

import re
from collections.abc import Sequence

OPTIONS = {
    "--blank-nan": "blanking of missing samples",
    "--copy-traces": "copy of the traces",
    "--dtype": "sample type",
    "--n-channels": "number of channels",
    "--out": "place",
    "--peak-sign": "sign of spikes",
    "--probe": "probe",
    "--recording": "recording",
    "--sampling-frequency": "sampling frequency",
    "--settings": "settings",
    "--stream": "stream",
    "--time-range": "time range",
}
"""What options of the command line are called in the window; others are called by their own words."""
MAX_NAMED = 4
"""Units that are called by their names where there may be many of them."""


def thousands(n: int) -> str:
    """``12 345``, with thin spaces."""
    return f"{n:,}".replace(",", "\u2009")


def count(n: int, noun: str) -> str:
    """``1 unit``, ``3 units``, ``12 345 spikes``."""
    return f"{thousands(n)} {noun}{'' if n == 1 else 's'}"


def duration(seconds: float) -> str:
    """``45 s``, ``1 min 30 s``, ``20 min``, ``1 h 20 min``; to the second under ten minutes."""
    whole = max(round(seconds), 1)
    if whole >= 600:
        whole = 60 * round(seconds / 60)
    parts = ((whole // 3600, "h"), (whole // 60 % 60, "min"), (whole % 60, "s"))
    return " ".join(f"{number} {unit}" for number, unit in parts if number)


def unit_names(names: Sequence[str]) -> str:
    """``unit 23``, ``units 23 and 31``, ``units 4, 7, 9, 12 and 3 more``."""
    if len(names) == 1:
        return f"unit {names[0]}"
    shown, rest = list(names), ""
    if len(names) > MAX_NAMED + 1:
        shown, rest = shown[:MAX_NAMED], f"{len(names) - MAX_NAMED} more"
    return f"units {', '.join(shown if rest else shown[:-1])} and {rest or shown[-1]}"


def sentence(words: str) -> str:
    """`words` with a capital letter, unless they begin with a name of something, such as a file."""
    first = words.split(" ", 1)[0]
    return words[:1].upper() + words[1:] if first.isalpha() and first.islower() else words


def without_options(text: str) -> str:
    """`text` for the window: options of the command line are called what they are, or left out."""
    text = re.sub(r"; '?ncpgui [a-z-]+ --[^;.']*'?( lists all)?", "", text)
    text = re.sub(r" (\(|with )--[a-z][a-z_-]*\)?", "", text)
    return re.sub(r"(\b(?:a|an|another|its own|this|no) )?(--[a-z][a-z_-]*)", _option, text)


def _option(found: re.Match[str]) -> str:
    article, option = found.groups()
    named = OPTIONS.get(option, option.removeprefix("--").replace("-", " ").replace("_", " "))
    return f"{article or 'the '}{named}"
