"""Numbers on pages that no kept result and no value of the program can say, each kind with its reason."""

from __future__ import annotations

import re
from functools import cache

from tests.docs.no_figures_of_method import REASONS as OF_METHOD
from tests.docs.printed import ROOT, messages

REASONS: dict[str, str] = {
    r"Kilosort \(?2 to 4\)?|Kilosort 4|\bphy 2\.2|GPL-3\.0|NVIDIA H100|HDF5|\(ICML\)\*, 2020": "a name",
    r"format 1 or 2|\(?format 2\)?": "a name: formats of SpikeInterface's curations",
    r"\([a-zA-Z]\w*, 2\)|\(c, 2\)": "the shape of an array",
    r"[Cc]ount(?:ed|s)? from [01]": "how things are counted",
    r"near [01]\b|from 0 to 1|sum 1|slope \| 1|bias \| 0|accuracy is 0": "an end of a scale",
    r"0 without links|0 for units|more than 0 speaks|-1 is free": "an end of a scale, or a mark",
    r"clock was 0|begin at 0|second 0 of": "where a clock begins",
    r"\*\*A card has 60 %|A card of 60 % means that 60 %|\*Same in 96 %\* says that in 96 %": "an example",
    r"`[^`]*--apply 0\.9` uses each sorting that is at least 90 %": "what the command beside it says",
    r"What if spikes 3 and 17 .*? and 8 does not|after 384 others": "an example",
    r"Raise it to 5 if": "advice: a value to try",
    r"\b(?:[Tt]hree|[Ff]our) (?:things|places|kinds|scripts)|on all three\b": "what the sentence lists",
    r"\b(?:the )?(?:third|fourth)\b(?! of)": "a place in an order",
    r"step 2\b": "a heading of the page",
    r"remove half of the error|one minute of|at least four fifths": "a definition",
    r"\| \d+ minutes \||In ten minutes|first decisions: ten minutes": "a guess at the time of a reader",
    r"[Ss]ort five minutes|what five minutes of": "advice: how much to try",
    r"16-bit whole numbers": "the type that `ncpgui simulate` writes",
    r"1 is the truth, 0 is chance|P\(K = 1\)": "a definition",
    r"\(\*hard pairs\*\) \| 0\.05|separates \| 0\.08|one unit \| 0\.85": "a goal",
    r"the 90 % credible set \| 0\.85 to 0\.95|at most 0\.05 apart; 0\.80 where the tissue moves": "a goal",
    r"seeds 101 to 104": "names of recordings",
    r"true units were at 3\.2 and more": "why a number was chosen; what was measured for it was not kept",
    r"16 channels and for one that is ten times as long": "what a benchmark is given",
    r"with every cell is below 0\.5": "a definition",
    r"number must be above 0\.5": "a rule, which tests of `--apply` know",
    r"`ncpgui\.draws\([^`]*, 100\)` gives a hundred": "what the code beside it says",
}
"""Pattern of the words around a number, and why it is not looked up."""

PATTERNS = [re.compile(pattern) for pattern in REASONS]
PATTERNS_OF_METHOD = [re.compile(pattern) for patterns in OF_METHOD.values() for pattern in patterns]
"""Of pages for developers, beside those of all pages."""
QUOTED = re.compile(r'"[^"|]*"|(?<!\*)\*[^*|]+\*(?!\*)')
CODE = re.compile(r"`[^`]*`")


def equations(text: str) -> list[str]:
    """Mathematics between dollars. Numbers with a decimal point are constants all the same, and looked up."""
    return [one for one in re.findall(r"\$[^$]+\$", text) if not re.search(r"\d\.\d", one)]


@cache
def _said() -> str:
    """All messages of the program."""
    paths = sorted((ROOT / "ncpgui").rglob("*.py"))
    return "\n".join(text for path in paths for text in messages(path, docstrings=False))


def is_shown(quoted: str) -> bool:
    """Whether words that a page quotes, but for the numbers in them, are words of the program."""
    parts = [part.strip() for part in re.split(r"[^A-Za-z ]+", quoted)]
    return all(part in _said() for part in parts if len(part) > 3)


def examples(text: str) -> list[str]:
    """What a page quotes, with numbers for example, in words of the program."""
    without = CODE.sub(lambda match: " " * len(match[0]), text)
    spans = [text[slice(*match.span())] for match in QUOTED.finditer(without)]
    return [span for span in spans if re.search(r"\d", span) and is_shown(span)]
