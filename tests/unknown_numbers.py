"""Numbers that are not known are told in words, in the window and in the terminal."""

from __future__ import annotations

import re

NO_NUMBER = re.compile(r"(?<!blank-)\b(nan|inf)\b")
"""How Python writes them; `--blank-nan` is an option."""
