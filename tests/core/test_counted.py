"""A number has its noun, in the plural where there is not one."""

from __future__ import annotations

import pytest

from ncpgui.core.counted import count


@pytest.mark.parametrize(("n", "words"), [(0, "0 spikes"), (1, "1 spike"), (2, "2 spikes")])
def test_a_number_has_its_noun(n: int, words: str) -> None:
    assert count(n, "spike") == words
