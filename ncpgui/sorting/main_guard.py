"""Whether the main script of this process may be imported by processes that it starts.

Each process of `multiprocessing` imports the main script first. Where the script starts processes outside of
``if __name__ == "__main__":``, each of them would do so too: none ever begins to work.
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path
from types import ModuleType

from ncpgui.core.errors import InputError


def check_main_guard() -> None:
    """Raise InputError where lines of the main script call this that its processes would run again."""
    main = sys.modules.get("__main__")
    file = getattr(main, "__file__", None)
    spec = getattr(main, "__spec__", None)
    if main is None or file is None or (spec is not None and spec.name.split(".")[-1] == "__main__"):
        return  # nothing that a process would import: typed in, or a module that is run as a program
    line = _line_of(main)
    if line is not None and not _is_guarded(file, line):
        raise InputError(
            f"processes import the script that starts them, and line {line} of {file} would start them again "
            'in each; put what the script does under if __name__ == "__main__":, or use threads'
        )


def _line_of(main: ModuleType) -> int | None:
    """Line of the main script that is being run; None on other threads."""
    frame = sys._getframe()
    while frame is not None:
        if frame.f_globals is main.__dict__ and frame.f_code.co_name == "<module>":
            return frame.f_lineno
        frame = frame.f_back  # type: ignore[assignment]
    return None


def _is_guarded(file: str, line: int) -> bool:
    """Whether a line is under an ``if`` that asks for ``__name__``; True where the file cannot be read."""
    try:
        tree = ast.parse(Path(file).read_bytes())
    except (OSError, SyntaxError, ValueError):
        return True
    return any(
        isinstance(node, ast.If)
        and any(isinstance(part, ast.Name) and part.id == "__name__" for part in ast.walk(node.test))
        and node.lineno < line <= (node.end_lineno or line)
        for node in ast.walk(tree)
    )
