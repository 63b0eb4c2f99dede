"""A `ClusterAwareNCP` and its points as NumPy arrays, as the loops of `engine.compiled` take them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeGuard, cast

import numpy as np
import torch

from ncpgui.engine.compiled.ncp import Weights
from ncpgui.engine.compiled.options import Array
from ncpgui.engine.compiled.ways import Ways
from ncpgui.engine.networks.cluster_aware_ncp import N_OF_DISTANCE, ClusterAwareNCP
from ncpgui.engine.networks.moving_clusters import SHARE_UNIT, MovingClusters
from ncpgui.engine.networks.pointwise import ClusteringNetwork, Encoding


def is_compiled(network: object) -> bool:
    """Whether draws from a network are compiled, for a CPU."""
    return type(network) is ClusterAwareNCP


def serves(network: ClusteringNetwork, encodings: Sequence[Encoding]) -> TypeGuard[ClusterAwareNCP]:
    """Whether what is compiled can be asked about these points, not finished."""
    return is_compiled(network) and all(
        one.features.device.type == "cpu" and one.features.dtype == torch.float32 for one in encodings
    )


def tells_times(encoding: Encoding) -> bool:
    """Whether clusters of these points can be followed along their way."""
    return "along" in encoding.tables and not bool(encoding.tables["along"].isnan().all())


def weights_of(network: ClusterAwareNCP, *, timed: bool) -> Weights:
    """Weights as what is compiled takes them; timed : whether points tell their times."""
    parts, moments = [network.f_difference.weight], network.components
    spread, hidden = np.zeros(0, np.float32), cast("torch.nn.Linear", network.f_hidden[0])
    if network.components:
        parts.append(network.f_apart.weight)
    if network.whitened:
        parts.append(network.f_spread.weight)
        spread = _array(network.log_spread.exp())
    moving = network.ways() if timed else []
    parts += [one.to_f.weight for one in moving]
    if network.f_distance is not None:
        parts.append(network.f_distance.weight)
    with torch.no_grad():
        return Weights(
            (network.metric, network.hidden, moments, 2 * moments if network.whitened else 0),
            _array(torch.cat(parts, dim=1).T),
            _array(network.f_count.weight[:, 0]),
            _array(network.f_count.bias),
            _array(network.f_new),
            _array(hidden.weight.T),
            _array(hidden.bias),
            _array(network.f_out.weight[0]),
            _array(network.g_count.weight[:, 0]),
            _array(network.g_count.bias),
            _array(network.g_out.weight.T),
            spread,
            np.float32((-network.log_temperature).exp()),
            0 if network.f_distance is None else N_OF_DISTANCE,
            _ways_of(moving, network.hidden),
        )


def columns(
    network: ClusterAwareNCP, joins: torch.Tensor, count: torch.Tensor | None = None, *, timed: bool
) -> Array:
    """Return rows of sums: `joins` (..., J) and `count` (..., 1), 1 if left out.

    timed : whether points tell their times; what follows motion is left out if not
    """
    n_kept = network.n_seen if timed else network.metric + network.hidden + network.n_moments
    if count is None:
        count = torch.ones_like(joins[..., :1])
    return _array(torch.cat([joins[..., :n_kept], joins[..., network.n_seen :], count], dim=-1))


def _ways_of(moving: Sequence[MovingClusters], n_hidden: int) -> Ways:
    """Weights of these `MovingClusters`, as what is compiled takes them."""
    with torch.no_grad():
        into_g = [one.to_g.weight.T for one in moving] or [torch.zeros(0, n_hidden)]
        return Ways(
            np.array([one.n_knots for one in moving], np.int64),
            np.array([one.n_values for one in moving], np.int64),
            np.array([SHARE_UNIT * float(one.share) for one in moving], np.float32),
            np.array([float(one.log_weight.exp()) for one in moving], np.float32),
            np.ascontiguousarray(torch.cat(into_g).float().numpy()),
        )


def _array(values: torch.Tensor) -> Array:
    return np.ascontiguousarray(values.detach().float().cpu().numpy())
