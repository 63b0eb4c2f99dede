"""What is compiled looks at no place beyond its arrays: compiled it would not tell, run by Python it would."""

from __future__ import annotations

import numpy as np
import pytest

from ncpgui.engine.compiled import moves, ncp, options, pairs, proposals, walk, ways
from ncpgui.engine.sampling import compiled_draws, sweeps
from ncpgui.engine.sampling.posterior import ancestral_samples
from ncpgui.engine.sampling.sweeps import swept
from tests.engine.compiled.test_against_torch import encoding_of, network_of

MODULES = (moves, ncp, options, pairs, proposals, walk, ways, compiled_draws, sweeps)


@pytest.fixture
def by_python(monkeypatch):
    """Switch to the functions as they are written."""

    def switch():
        for module in MODULES:
            for name, function in vars(module).copy().items():
                written = getattr(function, "py_func", None)
                if written and not written.__module__.endswith(".logarithm"):  # that looks at bits
                    monkeypatch.setattr(module, name, written)

    return switch


@pytest.mark.parametrize("kind", ["plain", "distances and times"])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_draws_and_sweeps_keep_within_their_arrays(kind, by_python):
    network = network_of(kind)
    encoding = encoding_of(network, 30, times=kind == "distances and times")
    drawn = ancestral_samples(network, encoding, n_samples=moves._LANES + 8, seed=0)
    found = swept(network, encoding, drawn, seed=4, n_sweeps=1)
    by_python()
    again = ancestral_samples(network, encoding, n_samples=moves._LANES + 8, seed=0)
    np.testing.assert_array_equal(again.labels, drawn.labels)
    np.testing.assert_array_equal(swept(network, encoding, again, seed=4, n_sweeps=1).labels, found.labels)
