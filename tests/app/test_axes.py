"""Tooltips of axes: every name that a plot gives an axis is explained."""

from __future__ import annotations

import numpy as np
import pytest

from ncpgui.app.presenters.amplitudes import HEIGHTS, AmplitudesView
from ncpgui.app.presenters.axes import axis_help
from ncpgui.app.presenters.embedding import embedding_axes
from ncpgui.app.presenters.features import FeaturesView
from ncpgui.app.presenters.traces import TracesView

FEATURES = FeaturesView(axes=("PC 1", "PC 6", "amplitude", "time"))
NAMES = (
    *(AmplitudesView(height=height).axis for height in HEIGHTS),
    *(FEATURES.label(axis) for axis in FEATURES.axes),
    *embedding_axes(None),
    *embedding_axes(np.zeros((1, 2), np.float32)),
    TracesView().axis,
    "Hz",
    "time (s)",
)


@pytest.mark.parametrize("name", NAMES)
def test_every_axis_is_explained(name: str) -> None:
    first, *rest = axis_help(name).splitlines()
    assert first.lower() == name.lower()
    assert len(" ".join(rest)) > 20


def test_an_axis_without_a_name_has_no_tooltip() -> None:
    assert axis_help("") == ""
