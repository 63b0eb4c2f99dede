"""What spikes of given units are shown with, where tissue moved: the template at their place, moved back.

Matching follows the tissue, so that a unit is the same cell at every place, and is shown with its template
at one of them. A unit that another program made need not be: what looked like it may have been one cell while
the tissue was here, and another one while it was there. Shown with one template, these would look alike, and
spikes of one cell in two units would not. So the template of a unit at each place is moved back along the
probe by interpolation between contacts, which is wrong by a part of its power, but shows what was there.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.motion import Places
from ncpgui.ephys.moved_waveforms import Mover


def moved_back(
    templates: NDArray[np.float32],
    main_channel: NDArray[np.integer],
    places: Places,
    channels_um: NDArray[np.floating],
    *,
    usual: int,
) -> NDArray[np.float32]:
    """Templates (P, K, T, C) at each place as they would be at the `usual` one: (P, K, T, C).

    main_channel : (K,) at whose depth each unit is taken to move; channels_um : (C, 2)
    """
    at_um = places.at_depth(channels_um[main_channel, places.axis])
    move = Mover(channels_um, places.axis)
    result = templates.copy()
    for place in np.flatnonzero(np.arange(places.n_places) != usual).tolist():
        for unit, template in enumerate(templates[place]):
            result[place, unit] = move(template, float(at_um[usual, unit] - at_um[place, unit]))
    return result
