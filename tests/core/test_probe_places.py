"""Places of contacts that are no numbers are refused, whichever of the two it is."""

from __future__ import annotations

import numpy as np
import pytest

from ncpgui.core.errors import InputError
from ncpgui.core.probe import Probe


@pytest.mark.parametrize("place", [(np.nan, 0.0), (0.0, np.inf), (np.nan, np.nan)])
def test_a_contact_without_a_finite_place_is_named(place: tuple[float, float]) -> None:
    with pytest.raises(InputError, match="contact 1 of the probe has no finite position"):
        Probe(np.array([(5.0, 5.0), place, (9.0, 9.0)]))
