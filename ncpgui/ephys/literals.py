"""Python files that hold settings (Phy ``params.py``, ``.prb`` probes): read, never executed.

Only ``name = value`` lines whose value is a literal are taken: numbers, strings, lists, tuples,
dictionaries, and ``range``/``list``/``sorted`` of those. Everything else in the file is skipped.
"""

from __future__ import annotations

import ast
import logging
from pathlib import Path
from typing import Any

from ncpgui.core.errors import RecordingError

log = logging.getLogger(__name__)

_MAX_BYTES = 8 * 1024 * 1024
_MAX_RANGE = 100_000
_CALLS = ("range", "list", "tuple", "sorted")


def read_literals(path: Path) -> dict[str, Any]:
    """Return the names that `path` assigns literals to; nothing of the file is run.

    Raises
    ------
    RecordingError
        The file cannot be read, or is not Python.
    """
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise RecordingError(f"{path} is larger than {_MAX_BYTES >> 20} MiB: not a settings file")
        tree = ast.parse(path.read_text(encoding="utf-8-sig"), filename=str(path))
    except OSError as error:
        raise RecordingError(f"{path} cannot be read: {error.strerror or error}") from error
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise RecordingError(
            f"{path} is not a list of 'name = value' lines: {error}; write it again or remove it"
        ) from error
    values: dict[str, Any] = {}
    for statement in tree.body:
        if isinstance(statement, ast.Assign) and all(isinstance(t, ast.Name) for t in statement.targets):
            try:
                value = _literal(statement.value)
            except ValueError:
                log.warning("%s line %d is not a plain value and was skipped", path, statement.lineno)
                continue
            for target in statement.targets:
                assert isinstance(target, ast.Name)
                values[target.id] = value
        elif not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)):
            log.warning("%s line %d is not 'name = value' and was skipped", path, statement.lineno)
    return values


def _literal(node: ast.expr) -> Any:
    if isinstance(node, ast.Call):
        if not isinstance(node.func, ast.Name) or node.func.id not in _CALLS or node.keywords:
            raise ValueError("a call that is not a plain range or list")
        arguments = [_literal(item) for item in node.args]
        return _sequence(node.func.id, arguments)
    if isinstance(node, (ast.List, ast.Tuple)):
        items = [_literal(item) for item in node.elts]
        return tuple(items) if isinstance(node, ast.Tuple) else items
    if isinstance(node, ast.Dict):
        if any(key is None for key in node.keys):
            raise ValueError("a dictionary that unpacks another")
        return {
            _literal(key): _literal(value)
            for key, value in zip(node.keys, node.values, strict=True)
            if key is not None
        }
    return ast.literal_eval(node)


def _sequence(name: str, arguments: list[Any]) -> list[Any]:
    if name == "range":
        if not 1 <= len(arguments) <= 3 or not all(isinstance(item, int) for item in arguments):
            raise ValueError("range of something that is not a whole number")
        numbers = range(*arguments)
        if len(numbers) > _MAX_RANGE:
            raise ValueError("a range too long for a list of channels")
        return list(numbers)
    if len(arguments) != 1 or not isinstance(arguments[0], (list, tuple)):
        raise ValueError(f"{name} of something that is not a list")
    return sorted(arguments[0]) if name == "sorted" else list(arguments[0])
