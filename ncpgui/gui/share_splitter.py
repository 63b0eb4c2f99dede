"""A splitter whose parts keep their share of the room, whatever sizes the window had in between."""

from __future__ import annotations

from collections.abc import Sequence

from PyQt5 import QtCore, QtGui, QtWidgets

GAP_PX = 8


class ShareSplitter(QtWidgets.QSplitter):
    """Sizes follow from room, shares and the least sizes of the parts alone.

    A plain splitter goes on from its last sizes, so that a part that was squeezed to its least size
    stays small when the room is back. Shares change when a person moves a border, and by `setSizes`.

    parts : widgets and their shares, in any unit
    """

    def __init__(self, direction: QtCore.Qt.Orientation, *parts: tuple[QtWidgets.QWidget, float]) -> None:
        super().__init__(direction)
        self.setHandleWidth(GAP_PX)
        self.setChildrenCollapsible(False)
        for widget, _ in parts:
            self.addWidget(widget)
        self._at_first = [float(share) for _, share in parts]
        self._shares = [*self._at_first]
        self.splitterMoved.connect(self._moved)

    def permille(self) -> list[int]:
        """Shares of the parts, adding up to about 1000."""
        return [round(1000 * share / sum(self._shares)) for share in self._shares]

    def setSizes(self, sizes: Sequence[int]) -> None:
        """Share the room out in proportion to `sizes`."""
        self._shares = [max(float(size), 0.0) for size in sizes]
        self._share_out()

    def reset(self) -> None:
        """Give every part the share that it had at first."""
        self._shares = [*self._at_first]
        self._share_out()

    def _moved(self, *_: int) -> None:
        """Take the shares of what is on screen; a hidden part keeps its own."""
        shown = [part for part in range(self.count()) if not self.widget(part).isHidden()]
        sizes, together = self.sizes(), sum(self._shares[part] for part in shown)
        for part in shown:
            self._shares[part] = together * sizes[part] / max(sum(sizes), 1)

    def _share_out(self) -> None:
        room = self.width() if self.orientation() == QtCore.Qt.Horizontal else self.height()
        super().setSizes([round(100 * room * share / max(sum(self._shares), 1e-9)) for share in self._shares])

    def resizeEvent(self, event: QtGui.QResizeEvent) -> None:
        """Share the new room out."""
        super().resizeEvent(event)
        self._share_out()

    def event(self, event: QtCore.QEvent) -> bool:
        """Share out anew when a part appears, goes, or needs another least size."""
        result = bool(super().event(event))
        if event.type() == QtCore.QEvent.LayoutRequest:
            self._share_out()
        return result
