"""Python files that hold settings (Phy ``params.py``, ``.prb`` probes): read, never executed.

Only ``name = value`` and ``name: type = value`` lines whose value is a literal are taken: numbers, strings,
lists, tuples, dictionaries, and ``range``/``list``/``sorted`` of those; ``name[key] = value`` puts one into a
dictionary. Everything else in the file is skipped. A name that a skipped line gives a value has none, and the
line is kept (`Literals.skipped`), so that nobody takes a usual value for what the file says in another way.
"""

from __future__ import annotations

import ast
import logging
import re
import warnings
from pathlib import Path
from typing import Any

from ncpgui.core.csv_text import decoded
from ncpgui.core.errors import RecordingError
from ncpgui.core.regular_files import regular
from ncpgui.ephys.reasons import way_out

log = logging.getLogger(__name__)

_MAX_BYTES = 8 * 1024 * 1024
_MAX_RANGE = 100_000
_CALLS = ("range", "list", "tuple", "sorted")
_NAME = re.compile(r"\s*(\w+)\s*=")


class Literals(dict[str, Any]):
    """Names and their values; `skipped` has the lines of names whose values are none, as they are written."""

    def __init__(self) -> None:
        super().__init__()
        self.skipped: dict[str, str] = {}

    def says(self, name: str) -> bool:
        """Whether the file has a line about a name, even if its value cannot be read."""
        return name in self or name in self.skipped

    def lacks(self, name: str) -> str:
        """Why a name has no value, for a message: its line where there is one."""
        if name in self.skipped:
            return f"{self.skipped[name]} is not a plain value"
        return f"there is no line '{name} = ...'"


def read_literals(path: Path, *, whole: str = "") -> Literals:
    """Return the names that `path` assigns literals to; nothing of the file is run.

    A file whose lines are not all Python is read line by line. Windows paths whose single backslashes Python
    would take for something else are read as they are written.

    whole : a name that has to be read as a whole: a line about it may not be skipped

    Raises
    ------
    RecordingError
        The file cannot be read or holds no such line, or a line about `whole` cannot be read.
    """
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise RecordingError(f"{path} is larger than {_MAX_BYTES >> 20} MiB: not a settings file")
        text = decoded(regular(path).read_bytes())[0].replace("\r\n", "\n").replace("\r", "\n")
    except OSError as error:
        raise RecordingError(
            f"{path} cannot be read: {error.strerror or error}; {way_out(error, 'write it again')}"
        ) from error
    except ValueError as error:
        raise _no_settings(path, error) from error
    values = Literals()
    try:
        statements = _parsed(text, path)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        lines = text.splitlines()
        if whole or not any(_NAME.match(line) for line in lines):
            raise _no_settings(path, error) from error
        for number, line in enumerate(lines, start=1):
            _read_line(line, number, path, values)
        if not values:
            raise _no_settings(path, error) from error
        return values
    for statement in statements:
        _read_statement(statement, text, path, values, whole)
    return values


def _no_settings(path: Path, error: Exception) -> RecordingError:
    return RecordingError(
        f"{path} is not a list of 'name = value' lines: {error}; write it again or remove it"
    )


def _parsed(text: str, path: Path) -> list[ast.stmt]:
    with warnings.catch_warnings():  # of backslashes
        warnings.simplefilter("ignore")
        return ast.parse(text, filename=str(path)).body


def _read_line(line: str, number: int, path: Path, values: Literals) -> None:
    """Read a line by itself; a string that Python cannot read, as it is written."""
    for written in (line, re.sub(r"=\s*(['\"])", r"= r\1", line, count=1)):
        try:
            statements = _parsed(written.strip(), path)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        for statement in statements:
            _read_statement(statement, written.strip(), path, values, "", number)
        return
    named = _NAME.match(line)
    if named is not None:
        values.pop(named[1], None)
        values.skipped[named[1]] = f"line {number}, '{line.strip()}',"
    log.warning("%s line %d is not a plain value and was skipped", path, number)


def _read_statement(
    statement: ast.stmt, text: str, path: Path, values: Literals, whole: str, number: int | None = None
) -> None:
    """Read a statement of a text; number : of its line in the file, where the text is that line alone."""
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
        return
    targets = _targets(statement)
    if targets:
        try:
            value = _literal(statement.value, text)  # type: ignore[attr-defined]
            for target in targets:
                _put(target, value, values, text)
            return
        except (ValueError, LookupError, TypeError):
            pass
    shown = (ast.get_source_segment(text, statement) or "").partition("\n")[0]
    number = statement.lineno if number is None else number
    line = f"line {number}, '{shown[:80]}',"
    if whole and any(isinstance(node, ast.Name) and node.id == whole for node in ast.walk(statement)):
        raise RecordingError(f"{path}: {line} is not a plain value of {whole}; write {whole} as plain values")
    for node in ast.walk(statement):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            values.pop(node.id, None)  # of a line above, which is not its value any more
            values.skipped[node.id] = line
    log.warning("%s line %d is not 'name = plain value' and was skipped", path, number)


def _targets(statement: ast.stmt) -> list[ast.expr]:
    """What a statement gives a value: of ``a = b = 1`` both, of ``a: int = 1`` one."""
    if isinstance(statement, ast.Assign):
        return statement.targets
    if isinstance(statement, ast.AnnAssign) and statement.value is not None:
        return [statement.target]
    return []


def _put(target: ast.expr, value: Any, values: Literals, text: str) -> None:
    """Assign to a name, or to a key of a dictionary or list that was read."""
    if isinstance(target, ast.Name):
        values[target.id] = value
    elif isinstance(target, ast.Subscript):
        keys = []
        place: ast.expr = target
        while isinstance(place, ast.Subscript):
            keys.append(_literal(place.slice, text))
            place = place.value
        if not isinstance(place, ast.Name):
            raise ValueError("an assignment to something without a name")
        held = values[place.id]
        for key in reversed(keys[1:]):
            held = held[key]
        held[keys[0]] = value
    else:
        raise ValueError("an assignment to something that is not a name")


def _literal(node: ast.expr, text: str) -> Any:
    if isinstance(node, ast.Call):
        if not isinstance(node.func, ast.Name) or node.func.id not in _CALLS or node.keywords:
            raise ValueError("a call that is not a plain range or list")
        arguments = [_literal(item, text) for item in node.args]
        return _sequence(node.func.id, arguments)
    if isinstance(node, (ast.List, ast.Tuple)):
        items = [_literal(item, text) for item in node.elts]
        return tuple(items) if isinstance(node, ast.Tuple) else items
    if isinstance(node, ast.Dict):
        if any(key is None for key in node.keys):
            raise ValueError("a dictionary that unpacks another")
        return {
            _literal(key, text): _literal(value, text)
            for key, value in zip(node.keys, node.values, strict=True)
            if key is not None
        }
    value = ast.literal_eval(node)
    return _as_written(node, value, text) if isinstance(value, str) else value


def _as_written(node: ast.expr, value: str, text: str) -> str:
    """A string in which a backslash made a control character, as it is written."""
    if not any(ord(character) < 32 for character in value):
        return value
    source = ast.get_source_segment(text, node) or ""
    if "\\" not in source or not source.startswith(("'", '"')) or source[:3] in ("'''", '"""'):
        return value
    return str(ast.literal_eval("r" + source))


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
