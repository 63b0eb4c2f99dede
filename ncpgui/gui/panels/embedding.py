"""Embedding: each spike a point, near the spikes that look like it to the network."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ncpgui.app.presenters.embedding import EmbeddingView, embedding_axes, present_embedding
from ncpgui.app.presenters.lasso import under_lasso
from ncpgui.gui.items.spike_scatter import SpikeScatter
from ncpgui.gui.panels.lasso import LASSO_HELP, LassoPanel


class EmbeddingPanel(LassoPanel):
    """The spikes that the network clustered, as points; a click selects a unit."""

    title = "Embedding"
    draws = ("t-SNE",)
    plane = "embedding"

    def build(self) -> None:
        """Make plot and message."""
        self.view = EmbeddingView()
        self.scatter = SpikeScatter("Embedding of the spikes", has_names=True, is_square=True)
        for side in ("left", "bottom"):  # distances mean nothing: there is nothing to read off
            self.scatter.getAxis(side).setStyle(showValues=False)
            self.scatter.getAxis(side).setTicks([])
        self.watch(self.scatter)
        self.fill(self.scatter)
        self.note.setToolTip(
            "Spikes that look alike to the network lie close together. The fainter a point, the less\n"
            "certain its unit. A ring has the colour of the unit that the spike would leave.\n"
            f"Wheel zooms, drag moves, double click shows all. {LASSO_HELP}\n"
            "A spike that is not drawn goes with the most similar one that is."
        )

    def redraw(self) -> None:
        """Show the points of the sorting on screen."""
        self.controller.data.ask_shapes()
        self.controller.data.embedding(ask=True)
        view = self.view = present_embedding(self.workspace, self._tsne())
        self.scatter.set_labels(left=view.axes[1], bottom=view.axes[0])
        self.show_points(view)
        if self.is_other_frame(self.workspace.on_screen, view.axes, len(view.points)):
            self.scatter.show_all()
        self.scatter.settle()

    def axes(self) -> tuple[str, str]:
        """Of the method that is on screen."""
        return embedding_axes(self._tsne())

    def _tsne(self) -> NDArray[np.float32] | None:
        return under_lasso(self.workspace.lasso, self.controller.data.embedding())
