"""Units whose spikes are two heaps, though the draws have them as one.

Two cells may have waveforms so alike that the network takes them for one in nearly every draw, and yet all
spikes together show two heaps. Waveforms say so by the BIC of two normal laws against one (`core.two_laws`),
and firing times by pairs that are closer than a refractory period (`evidence.hidden_trains`): a cell that
bursts or whose spikes vary in size leaves two heaps as well, but no such pairs. Where it is likely, each draw
that has the unit as one gets a draw beside it that has it as two, for as much of its weight as this is
probable. Which spike is of which is drawn by the two laws. Heaps and times of the two say nothing more, since
they are the evidence here; the stimulus does.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from ncpgui.core.partition import canonical
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.core.principal_axes import principal_scores
from ncpgui.core.seeds import stream
from ncpgui.core.two_laws import LEAST_SHARE, TwoLaws, two_laws
from ncpgui.engine import in_white_noise
from ncpgui.evidence.fields import Responses
from ncpgui.evidence.hidden_trains import hidden_train_nats
from ncpgui.sorting.config import SortingConfig

NATS, NATS_A_BIC, NATS_A_TIME, NATS_A_SHARE = -9.58, 0.058, 1.6, 21.6
"""Log odds of two cells: without anything, for each unit of BIC, for each nat of the firing times, and for
the share of the smaller heap. Fitted by logistic regression (`benchmarks/probabilities/second_cells.py`)."""
BIC, TIME_NATS, MOST_SHARE = (-20.0, 100.0), 3.0, 0.35
"""What lies beyond says no more."""
LEAST_BIC = -10.0
"""Below it waveforms do not say which spike is of which."""
MOST_NATS = 4.0
LEAST_P = 0.25
"""Units that are less probably two cells stay as they are."""
FEWEST_SPIKES = 64
N_DIMENSIONS, AT_MOST = (4, 8), 1000
"""Principal components of the unit in which two heaps are looked for, and the spikes that are looked at."""


@dataclass(frozen=True, eq=False)
class SecondCell:
    """What n spikes of a unit say.

    nats : log odds that they are of two cells
    p_second : (n,) probability that a spike is of the smaller one, if they are
    """

    nats: float
    p_second: NDArray[np.float64]


def second_cell(waveforms: NDArray[np.floating], nats_of_times: float) -> SecondCell | None:
    """Whether a unit is of two cells; None where its waveforms do not say which spike is of which.

    waveforms : (n, ...) of spikes of the unit, their noise white; nats_of_times : of `hidden_train_nats`
    """
    found = quantities(waveforms, nats_of_times)
    if found is None or found[1].bic <= LEAST_BIC:
        return None
    nats = NATS + float(found[0] @ [NATS_A_BIC, NATS_A_TIME, NATS_A_SHARE])
    return SecondCell(min(nats, MOST_NATS), np.asarray(expit(found[1].log_odds)))


def quantities(
    waveforms: NDArray[np.floating], nats_of_times: float
) -> tuple[NDArray[np.float64], TwoLaws] | None:
    """What tells two cells from one, (3,): BIC, nats of the times, and share; and the two laws.

    None of few spikes, or where all that is found are outliers. Options as of `second_cell`.
    """
    if len(waveforms) < FEWEST_SPIKES:
        return None
    flat = waveforms.reshape(len(waveforms), -1).astype(np.float64)
    points = principal_scores(flat, max(N_DIMENSIONS))
    fits = [two_laws(points, n_dimensions=d, at_most=AT_MOST, least_share=LEAST_SHARE) for d in N_DIMENSIONS]
    large = [one for one in fits if one is not None and one.share >= LEAST_SHARE]
    if not large:
        return None
    best = max(large, key=lambda one: one.bic)
    told = [np.clip(best.bic, *BIC), min(nats_of_times, TIME_NATS), min(best.share, MOST_SHARE)]
    return np.array(told, dtype=np.float64), best


def with_second_cells(
    posterior: PosteriorSamples,
    sampled: NDArray[np.int64],
    waveforms: NDArray[np.floating],
    company: NDArray[np.integer],
    fired: NDArray[np.integer],
    *,
    sampling_frequency_hz: float,
    config: SortingConfig,
    free: NDArray[np.bool_] | None = None,
    responses: Responses | None = None,
) -> PosteriorSamples:
    """The posterior with draws in which units of matching are two cells beside those that have them as one.

    A beam is left as it is, and all draws where `config` has heaps count for nothing.

    Parameters
    ----------
    sampled : (m,) positions of the posterior's points among the n spikes
    waveforms : (m, T, C) of the points, noise sd
    company : (n,) unit that matching gave each spike to, -1 = none
    fired : (n,) samples, not decreasing, as far apart as spikes were in time (`Clock.apart`)
    free : (n,) spikes that may be of either; units with others stay as they are. All when left out
    responses : of all spikes to white noise; None where there was none
    """
    if posterior.sampler != "draws" or not config.heaps:
        return posterior
    responses = responses if config.stimulus else None
    asked = []
    for group in _as_one(posterior, company[sampled]):
        members = np.isin(company, group)
        if members[sampled].sum() >= FEWEST_SPIKES and (free is None or free[members].all()):
            asked.append(members)
    if not asked:
        return posterior
    white = in_white_noise(waveforms)
    found = []
    for members in asked:
        points = np.flatnonzero(members[sampled])
        times = hidden_train_nats(fired[members], sampling_frequency_hz) if config.firing_times else 0.0
        second = second_cell(white[points], times)
        if second is not None and expit(second.nats) >= LEAST_P:
            found.append(_Hidden(points, second, _stimulus_nats(sampled[points], second, responses)))
    return _with_hidden(posterior, found, stream(config.seed, "second cells"), shown=responses is not None)


def _as_one(posterior: PosteriorSamples, company: NDArray[np.integer]) -> list[NDArray[np.int64]]:
    """Groups of units that the draws most often have as one cluster; company : (m,) unit of each point."""
    units = np.unique(company[company >= 0])
    if len(units) == 0:
        return []
    homes = np.stack([_home(posterior.rows[:, company == unit]) for unit in units], axis=1)
    patterns, row = np.unique(canonical(homes), axis=0, return_inverse=True)
    usual = patterns[np.bincount(row.reshape(-1), posterior.weight).argmax()]
    return [units[usual == cluster] for cluster in np.unique(usual)]


def _home(labels: NDArray[np.integer]) -> NDArray[np.int64]:
    """Cluster that has most of some points in each draw: (S, k) -> (S,)."""
    return np.array([np.bincount(row).argmax() for row in labels], dtype=np.int64)


def _stimulus_nats(spikes: NDArray[np.int64], second: SecondCell, responses: Responses | None) -> float:
    """What white noise says of the spikes that are of one side or the other; 0 without any."""
    if responses is None:
        return 0.0
    is_second = np.zeros(len(responses.frame), dtype=np.bool_)
    is_first = is_second.copy()
    is_second[spikes[second.p_second > 0.5]] = True
    is_first[spikes[second.p_second <= 0.5]] = True
    return responses.two_cells_nats(is_first, is_second)


@dataclass(frozen=True, eq=False)
class _Hidden:
    """A unit that may be two.

    points : (k,) of the posterior; second : what these and firing times say
    stimulus_nats : log likelihood ratio of the stimulus, two cells against one
    """

    points: NDArray[np.int64]
    second: SecondCell
    stimulus_nats: float

    @property
    def p(self) -> float:
        """P(it is two cells)."""
        return float(expit(self.second.nats + self.stimulus_nats))

    def home(self, labels: NDArray[np.integer]) -> int | None:
        """Cluster that has the unit in a draw; None where the draw has it in several."""
        sizes = np.bincount(labels[self.points])
        return int(sizes.argmax()) if sizes.max() > (1 - LEAST_SHARE) * len(self.points) else None


def _with_hidden(
    posterior: PosteriorSamples, hidden: list[_Hidden], rng: np.random.Generator, *, shown: bool
) -> PosteriorSamples:
    rows, beside, shares, stimulus = [], [], [], []
    for row, labels in enumerate(posterior.labels):
        homes = [(one, home) for one in hidden if (home := one.home(labels)) is not None]
        if not homes:
            continue
        parted = _some([one.p for one, _ in homes], rng)
        made, nats = labels.astype(np.int64), 0.0
        for (one, home), is_parted in zip(homes, parted, strict=True):
            if is_parted:
                leaves = rng.random(len(one.points)) < one.second.p_second
                made[one.points[leaves & (labels[one.points] == home)]] = made.max() + 1
                nats += one.stimulus_nats
        rows.append(row)
        beside.append(made)
        shares.append(1 - float(np.prod([1 - one.p for one, _ in homes])))
        stimulus.append(nats)
    if not rows:
        return posterior
    return posterior.with_beside(
        np.array(rows),
        np.stack(beside),
        np.array(shares),
        stimulus_nats=np.array(stimulus) if shown else None,
    )


def _some(p: list[float], rng: np.random.Generator) -> list[bool]:
    """Which of some events happen, of independent ones of which at least one does."""
    chosen: list[bool] = []
    for k, one in enumerate(p):
        none_else = float(np.prod([1 - other for other in p[k:]]))
        chosen.append(bool(rng.random() < (one if any(chosen) else one / max(1 - none_else, 1e-300))))
    return chosen
