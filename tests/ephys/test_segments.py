"""Segments are found by whatever name the version of SpikeInterface has for them."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from ncpgui.ephys.segments import segments_of


@pytest.mark.parametrize("name", ["segments", "_recording_segments", "_sorting_segments"])
def test_each_name_is_known(name: str) -> None:
    assert segments_of(SimpleNamespace(**{name: ("a", "b")})) == ["a", "b"]


def test_something_without_segments_is_named() -> None:
    with pytest.raises(AttributeError, match="int has no segments"):
        segments_of(3)
