"""Network and encoder names -> constructors, for configurations and checkpoints."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from torch import nn

from ncpgui.core.errors import InputError
from ncpgui.core.nearest import did_you_mean
from ncpgui.engine.networks.ccp import CCP
from ncpgui.engine.networks.cluster_aware_ncp import ClusterAwareNCP
from ncpgui.engine.networks.image_encoder import ImageEncoder
from ncpgui.engine.networks.ncp import NCP
from ncpgui.engine.networks.npt import NPT, ClusterAwareNPT
from ncpgui.engine.networks.point_encoder import PointEncoder
from ncpgui.engine.networks.pointwise import ClusteringNetwork
from ncpgui.engine.networks.waveform_encoder import GeometryEncoder, ResNet1DEncoder

ENCODERS: dict[str, type[nn.Module]] = {
    "geometry": GeometryEncoder,
    "resnet1d": ResNet1DEncoder,
    "points": PointEncoder,
    "image": ImageEncoder,
}
Network = ClusteringNetwork | CCP
NETWORKS: dict[str, Callable[..., Network]] = {
    "cluster-aware-ncp": ClusterAwareNCP,
    "ncp": NCP,
    "ccp": CCP,
    "cluster-aware-npt": ClusterAwareNPT,
    "npt": NPT,
}


@dataclass(frozen=True)
class NetworkSettings:
    """Names and sizes of a network: `network` and `encoder` of the registry, with their options.

    own_u : u is a second encoder of the same kind, as in the paper; else h serves for both
    """

    network: str = "cluster-aware-ncp"
    encoder: str = "geometry"
    own_u: bool = False
    network_options: dict[str, Any] = field(default_factory=dict)
    encoder_options: dict[str, Any] = field(default_factory=dict)


def build_network(settings: NetworkSettings) -> Network:
    """Build a network with fresh weights.

    Raises
    ------
    InputError
        An unknown network or encoder, or an option that it does not have.
    """
    for kind, name, known in (
        ("network", settings.network, NETWORKS),
        ("encoder", settings.encoder, ENCODERS),
    ):
        if name not in known:
            names = ", ".join(sorted(known))
            raise InputError(f"unknown {kind} '{name}'; this version has {names}{did_you_mean(name, known)}")
    try:
        encoders = [
            ENCODERS[settings.encoder](**_tuples(settings.encoder_options)) for _ in range(1 + settings.own_u)
        ]
        return NETWORKS[settings.network](*encoders, **_tuples(settings.network_options))
    except TypeError as error:
        raise InputError(f"network settings do not fit {settings.network}: {error}") from error


def _tuples(options: dict[str, Any]) -> dict[str, Any]:
    """Lists of a TOML file as tuples."""
    return {key: tuple(value) if isinstance(value, list) else value for key, value in options.items()}
