"""Features: the spikes in the plane of two coordinates that a person chooses."""

from __future__ import annotations

from ncpgui.app.presenters.axes import axis_help
from ncpgui.app.presenters.features import FeaturesView, present_features
from ncpgui.gui.items.drop_down import DropDown
from ncpgui.gui.items.spike_scatter import SpikeScatter
from ncpgui.gui.panels.lasso import LASSO_HELP, LassoPanel
from ncpgui.gui.plain_text import plain


class FeaturesPanel(LassoPanel):
    """The spikes of the sorting on screen by two of their features."""

    title = "Features"
    plane = "features"

    def build(self) -> None:
        """Make plot, message and the choice of axes."""
        self.view = FeaturesView()
        self.scatter = SpikeScatter("Features")
        self.scatter.set_left_px(34)
        self.scatter.setMinimumSize(120, 68)
        self.watch(self.scatter)
        self.fill(self.scatter)
        self.choices = {name: self._choice(name) for name in ("x", "y")}
        self._wanted = {"x": "PC 1", "y": "PC 2"}
        self.note.setToolTip(
            "One point for each spike, at most 2500 of each unit. PC: principal components of the\n"
            "waveforms, or of the network's features where only these are at hand. The wheel zooms, a drag\n"
            f"moves, a double click shows all, a click selects the unit, Shift+click adds it. {LASSO_HELP}"
        )

    def _choice(self, name: str) -> DropDown:
        box = DropDown(f"{name} axis")
        box.activated[str].connect(lambda axis: self.choose(name, axis))
        self.header.addWidget(box)
        return box

    def choose(self, name: str, axis: str) -> None:
        """Put another coordinate along the axis called "x" or "y"."""
        self._wanted[name] = axis
        self.mark_dirty()

    def redraw(self) -> None:
        """Show the spikes of the sorting on screen."""
        self.controller.data.ask_shapes()
        view = self.view = present_features(self.workspace, self._wanted["x"], self._wanted["y"])
        for name, axis in (("x", view.x), ("y", view.y)):
            box = self.choices[name]
            if tuple(box.itemText(k) for k in range(box.count())) != view.axes:
                box.clear()
                box.addItems(view.axes)
            box.setCurrentText(axis)
            box.setToolTip(plain(f"Along the {name} axis: {axis_help(view.label(axis))}"))
            box.setVisible(not view.message)
        self.scatter.set_labels(left=view.label(view.y), bottom=view.label(view.x))
        self.show_points(view)
        if self.is_other_frame(self.workspace.on_screen, view.x, view.y, len(view.axes)):
            self.scatter.show_all()
        self.scatter.settle()

    def axes(self) -> tuple[str, str]:
        """The two that are on screen."""
        return self.view.x, self.view.y
