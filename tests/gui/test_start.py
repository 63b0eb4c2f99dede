"""The window starts without what only sampling needs."""

from __future__ import annotations

import json
import os
import subprocess
import sys

HEAVY = ("torch", "spikeinterface", "sklearn", "h5py", "scipy", "numba", "pandas")
SCRIPT = f"""
import json, re, sys, time
from pathlib import Path
from ncpgui.gui.application import qt_application
from ncpgui.app.controller import Controller
from ncpgui.app.preferences import Preferences
from ncpgui.app.model.workspace import Workspace
from ncpgui.gui.main_window import MainWindow
from ncpgui.gui.worker import Workers
application = qt_application()
workers = Workers()
workspace = Workspace()
window = MainWindow(workspace, Controller(workspace, workers, Preferences()))
window.show()
application.processEvents()
status = Path("/proc/self/status")
memory = re.search(r"VmHWM:\\s+(\\d+)", status.read_text()) if status.exists() else None
print(json.dumps({{
    "loaded": [name for name in {HEAVY!r} if name in sys.modules],
    "cpu_s": time.process_time(),
    "mib": int(memory[1]) / 1024 if memory else float("nan"),
}}))
workers.stop()
"""


def test_the_window_opens_without_loading_torch(measured) -> None:
    environment = os.environ | {"QT_QPA_PLATFORM": "offscreen"}
    ran = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True, env=environment
    )
    found = json.loads(ran.stdout.splitlines()[-1])
    measured(f"start to a window: {found['cpu_s']:.2f} CPU-s, {found['mib']:.0f} MiB")
    assert found["loaded"] == []
