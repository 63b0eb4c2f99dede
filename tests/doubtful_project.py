"""Projects of one component whose posterior is known: by hand, or because all sortings are enumerated."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ncpgui.core.alternatives import group_alternatives
from ncpgui.core.component import Alternative, Component
from ncpgui.core.partition import all_partitions
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.core.project import Project
from tests.tiny_project import tiny_project

SIZES = (60, 40, 40, 40)  # of units 0 .. 3; 2 and 3 are perhaps one


def posterior_of(n_draws: int = 400) -> PosteriorSamples:
    """Unit 0 is split in 1.5 % of the draws; 2 and 3 are one in 28 %, whatever unit 0 is."""
    rng = np.random.default_rng(5)
    unit = np.repeat(np.arange(4), SIZES)
    rows = np.repeat(unit[None], n_draws, axis=0)
    rows[np.ix_(rng.random(n_draws) < 0.28, unit == 3)] = 2
    cut = rng.permutation(np.arange(n_draws) < 6)
    rows[np.ix_(cut, np.arange(sum(SIZES)) < 30)] = 4
    return PosteriorSamples(rows, np.zeros(n_draws))


def component_of(posterior: PosteriorSamples, first: np.ndarray | None = None) -> Component:
    """A component all of whose spikes are sampled, with the sortings of its draws."""
    n = posterior.n_points
    modes = group_alternatives(posterior)
    if first is not None:
        modes.sort(key=lambda mode: not np.array_equal(mode.labels, first))
    ways = tuple(
        Alternative(
            mode.labels, np.ones(n, np.float32), mode.mass, mode.mass_se, np.ones(mode.labels.max() + 1)
        )
        for mode in modes
    )
    return Component(0, np.array([0]), np.arange(n), np.arange(n), posterior, ways)


def project_of(component: Component) -> Project:
    labels = component.alternatives[0].labels
    return replace(tiny_project({0: [labels.tolist()]}), components=(component,))


def component_of_all_partitions(n: int) -> Component:
    """All partitions of n spikes, each a sorting of its own, in use the one of n units."""
    rows = np.array(list(all_partitions(n)))
    weight = np.random.default_rng(3).dirichlet(np.ones(len(rows)))
    order = [len(rows) - 1, *range(len(rows) - 1)]
    ways = tuple(
        Alternative(
            rows[k].astype(np.int32), np.ones(n, np.float32), weight[k], 0.0, np.ones(rows[k].max() + 1)
        )
        for k in order
    )
    posterior = PosteriorSamples(rows, np.log(weight), weight)
    return Component(0, np.array([0]), np.arange(n), np.arange(n), posterior, ways)
