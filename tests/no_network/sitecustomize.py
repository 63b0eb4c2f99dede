"""Python runs this first where its folder is on PYTHONPATH: programs of the tests have no network either."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))
import only_this_machine

sys.path.pop()
only_this_machine.forbid_the_network()
