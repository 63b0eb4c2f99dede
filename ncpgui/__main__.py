"""The command ``ncpgui``, also as ``python -m ncpgui``: what must hold before anything heavy is imported."""

from __future__ import annotations

import signal
import sys
from contextlib import suppress
from types import FrameType

from ncpgui.core.progress import Cancelled


def main() -> None:
    """Run the command line; Ctrl-C and SIGTERM cancel it, from the first import on."""
    signal.signal(signal.SIGTERM, _stop)  # a batch system that ends a job is a person who cancels it
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
    sys.exit(code)


def _stop(signum: int, frame: FrameType | None) -> None:
    raise Cancelled


if __name__ == "__main__":
    main()
