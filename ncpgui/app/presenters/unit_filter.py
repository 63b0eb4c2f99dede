"""Filter expressions of the unit table, as in phy: ``fr > 1 & p_neuron > .9``, ``label == 'good'``.

An expression is parsed into Python's syntax tree and only names of columns, numbers, words in quotes,
comparisons, sums and products, and *and*, *or*, *not* are taken from it; nothing is evaluated by Python.
``&``, ``&&``, ``|``, ``||``, ``!`` and ``~`` are *and*, *or* and *not*, and bind less than comparisons, as
phy's users write them. Numbers and words without any of that search: ``12 17`` lists units 12 and 17,
``axon`` those with axon in label, tag or note. A comparison with an unknown value holds of no unit.
"""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable

from ncpgui.app.presenters.unit_columns import COLUMNS, UnitColumn, Value, column
from ncpgui.core.errors import InputError
from ncpgui.core.unit_table import Row

Test = Callable[[Row], bool]
Measure = Callable[[Row], Value]

TOKEN = re.compile(
    r"""(?P<text>'[^']*'|"[^"]*")|(?P<and>&&?)|(?P<or>\|\|?)|(?P<same>===?)|(?P<differs>!==?)|(?P<not>[!~])"""
)
WORDS = {"and": " and ", "or": " or ", "same": " == ", "differs": " != ", "not": " not "}
SEARCHED = re.compile(r"[\w.#-]+([\s,]+[\w.#-]+)*")
COMPARISONS: dict[type[ast.cmpop], Callable[[Value, Value], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
SUMS: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: lambda one, other: one / other if other else float("nan"),
}
KNOWN = {name for one in COLUMNS for name in (one.name, *one.aliases)}


def unit_filter(text: str) -> Test:
    """Return whether a unit is listed, for an expression or words to search.

    Raises
    ------
    InputError
        It is neither; the message is one line and says what is wrong, and which names there are.
    """
    text = text.strip()
    if not text:
        return lambda row: True
    if SEARCHED.fullmatch(text) and not _is_expression(text):
        return _search(re.split(r"[\s,]+", text))
    source = TOKEN.sub(lambda m: m[0] if m["text"] else WORDS[str(m.lastgroup)], text).strip()
    try:
        tree = ast.parse(source, mode="eval")
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise InputError(
            f"the filter '{text}' cannot be read; write comparisons such as fr > 1 & label == 'good'"
        ) from None
    return _test(tree.body)


def _is_expression(text: str) -> bool:
    """Whether words without operators are an expression: a column of yes or no, or with *not*."""
    words = text.split()
    return "not" in words or any(word in ("and", "or") for word in words) or text == "accepted"


def _search(words: list[str]) -> Test:
    def found(row: Row) -> bool:
        texts = (row["label"], row["tag"], row["note"])
        return any(
            str(row["id"]) == word.lstrip("#") or any(word.lower() in text.lower() for text in texts)
            for word in words
        )

    return found


def _test(node: ast.expr) -> Test:
    if isinstance(node, ast.BoolOp):
        parts = [_test(part) for part in node.values]
        over = all if isinstance(node.op, ast.And) else any
        return lambda row: over(part(row) for part in parts)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        inner = _test(node.operand)
        return lambda row: not inner(row)
    if isinstance(node, ast.Compare):
        sides = [node.left, *node.comparators]
        parts = [
            _comparison(left, op, right)
            for left, op, right in zip(sides[:-1], node.ops, sides[1:], strict=True)
        ]
        return lambda row: all(part(row) for part in parts)
    if isinstance(node, ast.Name) and _kind(node) is bool:
        value = _measure(node)
        return lambda row: bool(value(row))
    raise InputError(
        f"'{ast.unparse(node)}' in the filter is neither true nor false; compare it, as in fr > 1"
    )


def _comparison(left: ast.expr, op: ast.cmpop, right: ast.expr) -> Test:
    compare = COMPARISONS.get(type(op))
    if compare is None:
        raise InputError("a filter compares with <, <=, >, >=, == or !=; combine comparisons with & and |")
    left, right = _quoted(left, right), _quoted(right, left)
    kinds = _kind(left), _kind(right)
    if (str in kinds) and (kinds != (str, str) or type(op) not in (ast.Eq, ast.NotEq)):
        raise InputError(
            f"'{ast.unparse(left)}' and '{ast.unparse(right)}' in the filter cannot be compared so: words "
            "are compared with == or != and a word in quotes, as in label == 'good'"
        )
    one, other = _measure(left), _measure(right)
    return lambda row: _holds(compare, one(row), other(row))


def _quoted(node: ast.expr, other: ast.expr) -> ast.expr:
    """Take a word that is compared with a column of words, and is no column, as if it were in quotes."""
    is_word = isinstance(node, ast.Name) and node.id not in KNOWN
    if is_word and isinstance(other, ast.Name) and other.id in KNOWN and _kind(other) is str:
        return ast.Constant(node.id)  # type: ignore[attr-defined]
    return node


def _holds(compare: Callable[[Value, Value], bool], one: Value, other: Value) -> bool:
    if isinstance(one, str) and isinstance(other, str):
        return compare(one.lower(), other.lower())
    return not (math.isnan(float(one)) or math.isnan(float(other))) and compare(one, other)


def _kind(node: ast.expr) -> type:
    """Whether an operand is a word (str), true or false (bool), or a number (float)."""
    if isinstance(node, ast.Constant):
        return str if isinstance(node.value, str) else bool if isinstance(node.value, bool) else float
    if isinstance(node, ast.Name):
        one = _column(node.id)
        if one.name in ("name", "label", "tag", "note"):
            return str
        return bool if one.name == "accepted" else float
    return float


def _are_numbers(*nodes: ast.expr) -> bool:
    return all(_kind(node) is float for node in nodes)


def _measure(node: ast.expr) -> Measure:
    if isinstance(node, ast.Name):
        return _column(node.id).value
    if isinstance(node, ast.Constant) and isinstance(node.value, (bool, int, float, str)):
        known = node.value
        return lambda row: known
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and _kind(node.operand) is float:
        inner = _measure(node.operand)
        return lambda row: -float(inner(row))
    if isinstance(node, ast.BinOp) and type(node.op) in SUMS and _are_numbers(node.left, node.right):
        one, other, result = _measure(node.left), _measure(node.right), SUMS[type(node.op)]
        return lambda row: result(float(one(row)), float(other(row)))
    raise InputError(
        f"'{ast.unparse(node)}' is not allowed in a filter; it takes names of columns, numbers, words in "
        "quotes, + - * / and comparisons"
    )


def _column(name: str) -> UnitColumn:
    try:
        return column(name)
    except KeyError:
        names = ", ".join(one.name for one in COLUMNS)
        raise InputError(f"there is no '{name}' to filter by; there are {names}") from None
