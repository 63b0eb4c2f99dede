"""How widgets are laid out, told in lines: columns and rows with their margins, gaps, shares and sizes.

``column 12 8 12 10, 6 apart`` has margins left, top, right, bottom. Below it, further to the right, is what
it holds: ``MassBar, at most ∞x8``, ``space 4`` and ``free 2`` (two shares of what is left). A share, a least
or a largest size, and that something is hidden, are told where they were set. After the kind
of a widget is what the style sheet knows it by: ``Label headline``. What a style decides is not told.
"""

from __future__ import annotations

from PyQt5 import QtWidgets

Style = QtWidgets.QStyle
WHOLE = 16777215
"""Qt's largest size of a widget."""


def told_layout(widget: QtWidgets.QWidget) -> list[str]:
    """The layout of a widget and of what is in it."""
    layout = widget.layout()
    return [] if layout is None else _told(layout)


def _told(layout: QtWidgets.QLayout) -> list[str]:
    rect = layout.contentsMargins()
    is_column = isinstance(layout, QtWidgets.QVBoxLayout)
    name = type(layout).__name__.removeprefix("Q").removesuffix("Layout")
    kind = {"VBox": "column", "HBox": "row"}.get(name, name.lower())
    margins = [rect.left(), rect.top(), rect.right(), rect.bottom()]
    told = "" if margins == _of_style(layout) else " " + " ".join(map(str, margins))
    if isinstance(layout, QtWidgets.QFormLayout):
        gap = f", {layout.horizontalSpacing()} and {layout.verticalSpacing()} apart"
    else:
        usual = layout.spacing() == _style(Style.PM_LayoutVerticalSpacing)
        gap = "" if usual or kind in ("grid", "stacked") else f", {layout.spacing()} apart"
    lines = [f"{kind}{told}{gap}"]
    for number in range(layout.count()):
        share = layout.stretch(number) if isinstance(layout, QtWidgets.QBoxLayout) else 0
        words = f" {share}" if share else ""
        item = layout.itemAt(number)
        inner, held = item.layout(), item.widget()
        if held is not None:
            lines.append(f"  {type(held).__name__}{_look(held)}{words}{_size(held)}")
            lines += [f"    {line}" for line in told_layout(held)]
        elif inner is not None:
            first, *rest = _told(inner)
            inner_kind = first.split(" ")[0].rstrip(",")
            lines.append(f"  {inner_kind}{words}{first.removeprefix(inner_kind)}")
            lines += [f"  {line}" for line in rest]
        else:
            hint = item.sizeHint()
            along = hint.height() if is_column else hint.width()
            lines.append(f"  space {along}" if along else f"  free{words}")
    return lines


def _of_style(layout: QtWidgets.QLayout) -> list[int]:
    """Margins where none are set: none of a layout in another one."""
    parent = layout.parentWidget()
    is_inner = parent is None or parent.layout() is not layout
    sides = (
        Style.PM_LayoutLeftMargin,
        Style.PM_LayoutTopMargin,
        Style.PM_LayoutRightMargin,
        Style.PM_LayoutBottomMargin,
    )
    return [0 if is_inner else _style(side) for side in sides]


def _style(what: QtWidgets.QStyle.PixelMetric) -> int:
    return QtWidgets.QApplication.style().pixelMetric(what)


def _look(widget: QtWidgets.QWidget) -> str:
    """What the style sheet knows it by, and whether its words wrap."""
    name = widget.objectName()
    words = f" {name}" if name and not name.startswith("qt_") else ""
    words += "".join(f" {one}" for one in ("primary", "quiet") if widget.property(one))
    return words + (" wraps" if isinstance(widget, QtWidgets.QLabel) and widget.wordWrap() else "")


def _size(widget: QtWidgets.QWidget) -> str:
    words = ""
    least, most = widget.minimumSize(), widget.maximumSize()
    if least.width() or least.height():
        words += f", at least {least.width()}x{least.height()}"
    if most.width() != WHOLE or most.height() != WHOLE:
        sides = ("∞" if side == WHOLE else str(side) for side in (most.width(), most.height()))
        words += f", at most {'x'.join(sides)}"
    return words + (", hidden" if widget.isHidden() else "")
