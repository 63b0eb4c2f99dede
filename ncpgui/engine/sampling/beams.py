"""The most probable label vectors of one dataset or many: a beam, and a stochastic one.

A beam spans a few nats around the mode. Where a person wants to see the mode and its neighbours it is the
sampler to ask; probabilities over it are normalised over the beam and mean nothing beyond it.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from ncpgui.core.errors import InputError
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.core.progress import Progress, silent
from ncpgui.core.seeds import stream_seed
from ncpgui.engine.device import one_core
from ncpgui.engine.networks.pointwise import ClusteringNetwork, Encoding
from ncpgui.engine.sampling import rules
from ncpgui.engine.sampling.links import Links, ObeyingRule, Pairs
from ncpgui.engine.sampling.memory import in_chunks, rows_at_once
from ncpgui.engine.sampling.points import check_points
from ncpgui.engine.sampling.posterior import Labels, Visit, Walker, visits_of
from ncpgui.engine.sampling.sequential import Rule

GPU_ROWS = 4096
"""Label vectors that are searched side by side on a GPU; each step then has enough to do for it."""
LEAST_BEYOND = -40.0
"""log q beyond the threshold below which 1 - exp(-q / threshold) is q / threshold to the last bit."""


def sets_at_once(device: torch.device, width: int) -> int:
    """Datasets whose beams are searched side by side: one on a CPU, which gains little; many on a GPU."""
    return max(1, GPU_ROWS // width) if device.type == "cuda" else 1


def beam_samples(
    network: ClusteringNetwork,
    encoding: Encoding,
    *,
    width: int,
    seed: int,
    clamped: Labels | None = None,
    must_link: Pairs = (),
    cannot_link: Pairs = (),
    progress: Progress = silent,
) -> PosteriorSamples:
    """Return the `width` most probable label vectors that beam search finds, the best first.

    Their weights are their probabilities, normalised over the beam: near the mode, not a posterior.

    Parameters
    ----------
    encoding : of one dataset, not finished (any order)
    clamped, must_link, cannot_link : as in `linked_samples`; every vector obeys, and log q stays that of the
        network without them

    Raises
    ------
    InputError
        `width` is below 1, or what is held or linked does not fit the points.
    """
    n_points = encoding.features.shape[1]
    links = None
    if len(must_link) or len(cannot_link):
        links = Links.of(n_points, must_link, cannot_link, clamped)
    visits = visits_of(encoding, seed, clamped=clamped, links=links)
    return _beams(network, [encoding], visits, width, links, progress)[0]


def beam_samples_of_many(
    network: ClusteringNetwork,
    encodings: Sequence[Encoding],
    *,
    width: int,
    seeds: Sequence[int],
    progress: Progress = silent,
) -> list[PosteriorSamples]:
    """Search the beams of several datasets side by side.

    Each gets the beam that `beam_samples` finds of it alone with its seed, up to rounding, by which vectors
    of one probability may change places.
    """
    visits = [visits_of(encoding, seed)[0] for encoding, seed in zip(encodings, seeds, strict=True)]
    return _beams(network, encodings, visits, width, None, progress)


def stochastic_beam_samples(
    network: ClusteringNetwork,
    encoding: Encoding,
    *,
    width: int,
    seed: int,
    clamped: Labels | None = None,
    progress: Progress = silent,
) -> PosteriorSamples:
    """Draw `width` different label vectors from q(c | x) without replacement, the most probable first.

    Given the threshold kappa, the next largest of the Gumbel-perturbed log-probabilities, a vector is
    included with probability 1 - exp(-exp(log q - kappa)) (Kool et al., ICML 2019, sec. 4.2). Weights are
    q over that probability, normalised: expectations are estimated as by importance sampling. When q has
    no more than `width` vectors, all are returned with their probabilities.

    Raises
    ------
    InputError
        `width` is below 1, or `clamped` does not fit the points.
    """
    _check_width(width)
    check_points(encoding, width)
    (visit,) = visits_of(encoding, seed, clamped=clamped)
    generator = torch.Generator().manual_seed(stream_seed(seed, "gumbel"))
    rule = rules.stochastic_beam(width + 1, generator)
    dataset = torch.zeros(width + 1, dtype=torch.int64)
    walker = Walker(network, [encoding], [[visit]])
    found = walker.walk(rule, dataset, encoding.features.device, progress)
    order = _best_first(found[1])
    labels, log_prob = found[0][order].cpu(), found[1][order].double().cpu()
    perturbed = getattr(rule, "perturbed", found[1])[order].double().cpu()
    threshold = -torch.inf
    if len(labels) > width:
        out = int(perturbed.argmin())
        threshold = float(perturbed[out])
        kept = torch.arange(len(labels)) != out
        labels, log_prob = labels[kept], log_prob[kept]
    beyond = log_prob - threshold
    log_included = (-torch.expm1(-beyond.exp())).log().where(beyond > LEAST_BEYOND, beyond)
    log_weight = log_prob - log_included
    weight = (log_weight - log_weight.max()).exp()
    return PosteriorSamples(visit.original(labels), log_prob.numpy(), weight.numpy())


def _check_width(width: int) -> None:
    if width < 1:
        raise InputError(f"a beam keeps at least one label vector, got {width}")


def _beams(
    network: ClusteringNetwork,
    encodings: Sequence[Encoding],
    visits: list[Visit],
    width: int,
    links: Links | None,
    progress: Progress,
) -> list[PosteriorSamples]:
    """Beams of datasets in the orders of `visits`; as many side by side as their device takes."""
    _check_width(width)
    for encoding in encodings:
        check_points(encoding, width * len(encodings))
    if not encodings:
        return []
    with one_core():
        walker = Walker(network, encodings, [[visit] for visit in visits])
    dataset = torch.arange(len(encodings)).repeat_interleave(width)

    def search(rows: slice, device: torch.device, report: Progress) -> tuple[Tensor, Tensor]:
        rule: Rule = rules.beam(width)
        if links is not None:
            rule = ObeyingRule(links, rule, visits[0].order)
        return walker.walk(rule, dataset[rows], device, report)

    found: list[PosteriorSamples] = []
    device = encodings[0].features.device
    for rows, (labels, log_prob) in in_chunks(
        search,
        n_rows=len(dataset),
        at_once=rows_at_once(device),
        together=width,
        device=device,
        progress=progress,
    ):
        for visit, own, score in zip(
            visits[rows.start // width : rows.stop // width],
            labels.split(width),
            log_prob.split(width),
            strict=True,
        ):
            order = _best_first(score)
            log_q = score[order].double().cpu()
            weight = (log_q - log_q.max()).exp().numpy()
            found.append(PosteriorSamples(visit.original(own[order]), log_q.numpy(), weight, sampler="beam"))
    return found


def _best_first(log_prob: Tensor) -> Tensor:
    """Rows by falling log-probability, without those that stand for vectors that there are not."""
    order = log_prob.argsort(descending=True, stable=True)
    return order[log_prob[order] > -torch.inf]
