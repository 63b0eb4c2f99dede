"""The README as a package index shows it, without the files beside it.

Links that lead to a file of the repository become absolute once the project has an address (`BASE`). Until
then their words stay and the link goes, and pictures are left out.
"""

from __future__ import annotations

import re

BASE = ""
"""Address under which the files of the repository are shown, with a slash at its end; none yet."""
PICTURE = re.compile(r"^!\[[^\]]*\]\((?!\w+:)[^)]*\)\n\n?", re.MULTILINE)
LINK = re.compile(r"\[((?:[^\[\]]|\[[^\]]*\])*)\]\((?![\w+.-]+:|#)([^)]*)\)")


def readme_for_index(text: str, base: str = BASE) -> str:
    """The text without relative links: absolute ones where there is an address, words where there is none."""
    if base:
        return LINK.sub(rf"[\1]({base}\2)", text)
    return LINK.sub(r"\1", PICTURE.sub("", text))
