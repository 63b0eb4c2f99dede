"""The posterior of some spikes given when they were fired: that of their waveforms, weighed by their times.

Sortings weigh the draws of a component by all of its spikes; this does the same for a set of spikes that was
clustered by itself (`ncpgui cluster`), by those of the set.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ncpgui.core.alternatives import group_alternatives
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.sorting.all_spikes import Spikes, parted_nats
from ncpgui.sorting.config import SortingConfig
from ncpgui.sorting.jumped_units import with_jumps_joined

if TYPE_CHECKING:
    from ncpgui.engine.waveform_clustering import ClusterResult

_TICKS_HZ = 1e6


class GivenTimes(NamedTuple):
    """A posterior given firing times, and what waveforms alone say.

    result : alternatives, their masses and all weights given the times; its samples are as they were, and
        after them those in which parts of units that jumped are one (`jumped_units`)
    weight_alone : (S,), mass_alone : (A,) of the same samples and alternatives, by waveforms alone
    """

    result: ClusterResult
    weight_alone: NDArray[np.float64]
    mass_alone: NDArray[np.float64]


def given_firing_times(result: ClusterResult, times_s: ArrayLike) -> GivenTimes:
    """Weigh samples by the pairs of spikes that are 0.7 to 2 ms apart (`refractory`), and by `jumps`.

    times_s : (n,) s, of each spike, not decreasing, as `engine.cluster` takes them
    """
    weighed = weighed_by_times(result.posterior, times_s, known=result.knows_times)
    alone = np.zeros(weighed.n_samples)
    alone[: result.posterior.n_samples] = result.posterior.weight
    modes = group_alternatives(weighed)
    return GivenTimes(
        replace(result, posterior=weighed, modes=tuple(modes)),
        alone,
        np.array([alone[mode.members].sum() for mode in modes]),
    )


def weighed_by_times(drawn: PosteriorSamples, times_s: ArrayLike, *, known: bool) -> PosteriorSamples:
    """Samples of n spikes given their times (n,), those in which units that jumped are one after all others.

    known : whether the network that drew them has read the times; refractory periods then count by the
        power `all_spikes.SAID_TWICE`. Jumps count in full: between a draw and the one beside it in which
        their parts are one, the network's odds are left out
    """
    ticks = np.round(np.asarray(times_s, dtype=np.float64) * _TICKS_HZ).astype(np.int64)
    every, one = np.arange(len(ticks)), np.zeros(len(ticks), dtype=np.int64)
    spikes = Spikes(
        coordinates=np.zeros((len(ticks), 1), np.float32),
        fired=ticks,
        place=None,
        seen=one == 0,
        sampling_frequency_hz=_TICKS_HZ,
        config=SortingConfig(heaps=False),
        times_read=known,
    )
    both = with_jumps_joined(drawn, ticks)
    return both.weighed(parted_nats(both, every, spikes, one, every).sum(axis=1))
