"""The posterior of some spikes as a task: a function of arrays and numbers, which any process can run."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.component import Clamp
from ncpgui.core.errors import CheckpointError, InputError
from ncpgui.core.progress import Progress, portion, silent
from ncpgui.core.sampled import Sampled
from ncpgui.sorting.config import SortingConfig
from ncpgui.sorting.positive_spikes import by_sign

ClusterFunction = Callable[..., Any]
"""Called as `ncpgui.engine.cluster`; returns a `Sampled`."""


@dataclass(frozen=True)
class Sampling:
    """Draws of the posterior over clusterings of m spikes, or a beam of it; calling it samples.

    waveforms : (m, 32, C) float32, noise sd, main channel first; positions_um : (C, 2)
    times_s : (m,) s, when each was fired, ascending; None where nobody knows
    n_draws : how many; beam : width of the beam that is searched in the place of drawing, 0 for draws
    seed : of either
    model, device : as in `SortingConfig`
    held : what was decided of the spikes; its labels are (m,), those of `engine.cluster`'s clamped
    cluster : stands in for `ncpgui.engine.cluster`
    both_signs : spikes may be positive; they are clustered apart from the others (`positive_spikes`)
    sweeps : over the draws, as many as fit the model when left out; 0 for draws as they come
    """

    waveforms: NDArray[np.float32]
    positions_um: NDArray[np.float64]
    n_draws: int
    seed: int
    times_s: NDArray[np.float64] | None = None
    model: str | None = None
    device: str = "auto"
    held: Clamp | None = None
    cluster: ClusterFunction | None = None
    both_signs: bool = False
    sweeps: int | None = None
    beam: int = 0

    @classmethod
    def of(
        cls,
        waveforms: NDArray[np.float32],
        positions_um: NDArray[np.float64],
        times_s: NDArray[np.float64] | None,
        seed: int,
        config: SortingConfig,
        *,
        held: Clamp | None = None,
        cluster: ClusterFunction | None = None,
    ) -> Sampling:
        """Return what settings ask for."""
        return cls(
            waveforms,
            positions_um,
            config.posterior_samples,
            seed,
            times_s,
            config.model,
            config.device,
            held,
            cluster,
            both_signs=config.peak_sign != "neg",
            beam=config.beam if config.sampler == "beam" else 0,
        )

    @property
    def wanted(self) -> dict[str, int]:
        """Draws, or the width of a beam, as options of the engine."""
        return {"samples": 0 if self.beam else self.n_draws, "beam": self.beam}

    def __call__(self, progress: Progress = silent) -> Sampled:
        """Sample.

        Raises
        ------
        CheckpointError
            The model cannot be loaded.
        InputError
            The device is not there.
        """
        cluster = self.cluster or _engine_cluster()
        result = (by_sign(cluster, beam=self.beam) if self.both_signs else cluster)(
            self.waveforms,
            channel_positions=self.positions_um,
            times_s=self.times_s,
            model=self.model,
            **self.wanted,
            sweeps=self.sweeps,
            heaps=False,
            seed=self.seed,
            device=self.device,
            progress=progress,
            **_decided(self.held),
        )
        return Sampled(result.posterior, result.features, result.model, result.knows_times)


@dataclass(frozen=True)
class SideBySide:
    """Several samplings of few draws each, or beams; calling it samples all together, each as it would alone.

    All have one model, device, number of draws, of sweeps and width, and no held spikes. Where a set cannot
    be sampled, or the network is not `ncpgui.engine`'s, each is sampled alone.
    """

    parts: tuple[Sampling, ...]

    def __call__(self, progress: Progress = silent) -> list[Sampled | Exception]:
        """Sample; a set that cannot be sampled is the exception that says why."""
        from ncpgui.engine import draws_side_by_side

        if len(self.parts) > 1 and not any(one.cluster or one.both_signs for one in self.parts):
            with suppress(InputError):
                return [
                    *draws_side_by_side(
                        [one.waveforms for one in self.parts],
                        channel_positions=[one.positions_um for one in self.parts],
                        times_s=[one.times_s for one in self.parts],
                        seeds=[one.seed for one in self.parts],
                        **self.parts[0].wanted,
                        sweeps=self.parts[0].sweeps,
                        model=self.parts[0].model,
                        device=self.parts[0].device,
                        progress=progress,
                    )
                ]
        return [
            _outcome(one, portion(progress, number, number + 1, len(self.parts)))
            for number, one in enumerate(self.parts)
        ]


def _outcome(task: Sampling, progress: Progress) -> Sampled | Exception:
    try:
        return task(progress)
    except CheckpointError:
        raise
    except Exception as error:
        return error


def _decided(held: Clamp | None) -> dict[str, Any]:
    """What was decided as options of `engine.cluster`."""
    if held is None:
        return {}
    clamped = held.labels if (held.labels >= 0).any() else None
    return {"clamped": clamped, "must_link": held.must_link, "cannot_link": held.cannot_link}


def _engine_cluster() -> ClusterFunction:
    from ncpgui.engine import cluster

    return cluster
