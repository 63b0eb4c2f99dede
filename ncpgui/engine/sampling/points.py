"""What every sampler asks of its points before any work."""

from __future__ import annotations

import torch

from ncpgui.core.errors import InputError
from ncpgui.engine.networks.pointwise import Encoding
from ncpgui.engine.sampling.memory import check_memory


def check_points(encoding: Encoding, n_rows: int) -> None:
    """Refuse datasets that cannot be sampled with `n_rows` hypotheses.

    Raises
    ------
    InputError
        No points, points that are NaN or infinite (or so large that the network makes them so), or more
        of them than memory holds.
    """
    if encoding.features.shape[1] == 0:
        raise InputError("there are no points to cluster; give at least one")
    check_memory(n_rows, encoding.features.shape[1])
    finite = torch.isfinite(encoding.features).all(dim=-1)
    if not finite.all():
        row, n = (~finite).nonzero()[0].tolist()
        raise InputError(f"points must be finite numbers, but point {n} of dataset {row} is not; remove it")
