"""The command ``ncpgui``, also as ``python -m ncpgui``: what must hold before anything heavy is imported."""

from __future__ import annotations

import atexit
import gc
import logging
import os
import signal
import sys
import threading
import warnings
from contextlib import suppress
from types import BuiltinFunctionType, FrameType

from ncpgui.core.progress import Cancelled


def main() -> None:
    """Run the command line; Ctrl-C and SIGTERM cancel it, from the first import on."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # NumPy reads it when it is loaded; `core.one_core`
    signal.signal(signal.SIGTERM, _stop)  # a batch system that ends a job is a person who cancels it
    if not sys.warnoptions and "--debug" not in sys.argv:
        warnings.simplefilter("ignore")  # what libraries tell programmers; what matters is said as an error
    try:
        from ncpgui.cli.streams import open_closed_streams, show_control_characters
        from ncpgui.core.home import provide_home

        open_closed_streams()
        show_control_characters()
        provide_home()

        from ncpgui.cli.main import run

        code = run()
    except (Cancelled, KeyboardInterrupt):
        with suppress(OSError):
            sys.stderr.write("cancelled\n")
        code = 130
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)  # all is done: the end of the program needs no traceback
    _end(code)


def _end(code: int) -> None:
    """Leave the program; at once where threads still work on what nobody wants any more, or Qt still runs.

    Such threads may hold or wait for the lock of the interpreter, which then ends with an abort and not with
    `code`. PyQt deletes in no order what is left of the window, and may so end with a segmentation fault.
    """
    at_work = [one for one in threading.enumerate() if one.daemon and one is not threading.current_thread()]
    qt = sys.modules.get("PyQt5.QtCore")
    qt_runs = qt is not None and qt.QCoreApplication.instance() is not None
    if not at_work and not qt_runs:
        sys.exit(code)
    if qt_runs:
        for one in gc.get_objects():
            if isinstance(one, BuiltinFunctionType) and one.__name__ == "_qtcore_cleanup":
                atexit.unregister(one)
    atexit._run_exitfuncs()
    logging.shutdown()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):
            stream.flush()
    os._exit(code)


def _stop(signum: int, frame: FrameType | None) -> None:
    raise Cancelled


if __name__ == "__main__":
    main()
