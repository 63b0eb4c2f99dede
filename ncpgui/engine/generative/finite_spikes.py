"""Spikes whose clusterings can be scored exactly: templates drawn from a finite set, Gaussian noise.

The spike model of Pakman et al. (ICML 2020, sec. 8 and SM D) with a finite set of templates, each in all
orientations of the layout, drawn uniformly and with replacement:

    c_1:N ~ MFM;  tau_k ~ Unif[templates x orientations];  s_i ~ Unif[shifts];
    x_i ~ N(mu(tau_{c_i}, s_i), Sigma_time (x) Sigma_space)

Templates and shifts are summed out. With L[i, tau] = log mean_s N(x_i; mu(tau, s), Sigma) the evidence of a
cluster X and the joint of a clustering are

    log m(X) = logsumexp_tau sum_{i in X} L[i, tau] - log n_tau,    p(c, x) = p(c) prod_k m(X_k) .

This is exact because templates are drawn with replacement (else clusters would depend on each other), the
noise is that of the contacts and does not turn with the templates, all spikes are there whatever their
trough (no threshold), and no spike meets another. Two clusters may have one template; they are still two.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ncpgui.core.errors import InputError
from ncpgui.core.progress import Progress, reported, silent
from ncpgui.core.waveform_format import N_SAMPLES, SAMPLING_FREQUENCY_HZ
from ncpgui.engine.generative.batch import Batch, canonical_labels, largest, shortened
from ncpgui.engine.generative.finite_templates import FiniteSpikesSettings, FiniteTemplates, draw_templates
from ncpgui.engine.generative.partition_priors import MFM
from ncpgui.engine.generative.spike_noise import SpikeNoise
from ncpgui.engine.generative.template_reservoir import TemplateReservoir

_ENTRIES = 1 << 22  # float64 numbers of an array held at a time, 32 MiB


class FiniteSpikes:
    """Draws datasets of spikes, and scores their clusterings exactly; see the module."""

    def __init__(self, prior: MFM, templates: FiniteTemplates) -> None:
        self.prior = prior
        self.templates = templates
        noise = SpikeNoise(*(tensor.double() for tensor in templates.noise))
        self._noise = noise._replace(
            time_factor=torch.linalg.cholesky(noise.time), space_factor=torch.linalg.cholesky(noise.space)
        )
        self._white = self._whitened_means()

    @classmethod
    def drawn(cls, settings: FiniteSpikesSettings, reservoir: TemplateReservoir) -> FiniteSpikes:
        """Return the model on templates cut out of cells of `reservoir`."""
        prior = MFM(settings.k_rate, settings.gamma, settings.k_max)
        return cls(prior, draw_templates(settings, reservoir))

    @property
    def n_templates(self) -> int:
        """Templates times orientations."""
        return len(self.templates.means)

    @torch.no_grad()
    def sample(self, n_datasets: int, n_points: int | tuple[int, int], generator: torch.Generator) -> Batch:
        """See `GenerativeModel`: points of `SpikeMixture`, no channel missing."""
        device = generator.device
        if self.templates.means.device != device:
            self.templates = self.templates.to(device)
        means, noise, positions = self.templates.means, self.templates.noise, self.templates.positions
        unit = self.prior.sample_units(n_datasets, largest(n_points), generator)
        shape = (n_datasets, self.prior.k_max)
        of_unit = torch.randint(len(means), shape, generator=generator, device=device)
        shift = torch.randint(means.shape[1], unit.shape, generator=generator, device=device)
        many = SpikeNoise(*(tensor.expand(n_datasets, -1, -1) for tensor in noise))
        spikes = means[of_unit.gather(1, unit), shift] + many.sample(unit.shape[1], generator)
        labels = shortened(canonical_labels(unit), n_points, generator)
        mask = torch.ones(n_datasets, len(positions), dtype=torch.bool, device=device)
        return Batch((spikes, positions.repeat(n_datasets, 1, 1), mask), labels)

    def describe(self) -> dict[str, Any]:
        """See `GenerativeModel`."""
        form = {"n_samples": N_SAMPLES, "max_channels": len(self.templates.positions)}
        units = {"sampling_frequency_hz": SAMPLING_FREQUENCY_HZ, "unit": "noise sd"}
        return {"input": {"kind": "spikes", **form, **units}, "data_sha256": self.templates.source}

    def log_likelihoods(
        self, waveforms: Tensor, *, progress: Progress = silent
    ) -> Iterator[tuple[slice, Tensor]]:
        """Yield L[i, tau] of spikes (N, 32, C), a few templates at a time: (which, (N, n) float64).

        In whitened noise the squares are |w_i|^2 - 2 w_i.m + |m|^2, a product of matrices; memory is bounded
        whatever the number of templates.

        Raises
        ------
        InputError
            Waveforms of another shape, or with values that are not finite.
        """
        x = self._whiten(self._checked(waveforms)[None])
        n_shifts, n_dims = self._white.shape[1:]
        log_scale = len(self.templates.positions) * _log_diagonal(self._noise.time_factor)
        log_scale += N_SAMPLES * _log_diagonal(self._noise.space_factor)
        constant = 0.5 * n_dims * math.log(2 * math.pi) + log_scale + math.log(n_shifts)
        own = -0.5 * x.square().sum(1, keepdim=True) - constant
        step = max(1, _ENTRIES // (n_shifts * max(len(x), n_dims)))
        for start in reported(range(0, len(self._white), step), progress):
            means = self._white[start : start + step].to(x.device, torch.float64)
            against = x @ means.flatten(0, 1).mT - 0.5 * means.square().sum(-1).flatten()
            yield slice(start, start + len(means)), against.unflatten(1, (-1, n_shifts)).logsumexp(2) + own

    def log_evidence(self, waveforms: Tensor, members: Tensor, *, progress: Progress = silent) -> Tensor:
        """log m(X) of clusters of the spikes (N, 32, C): (U,) float64.

        Parameters
        ----------
        members : (U, N) bool, the spikes of each cluster; an empty one has evidence 1
        """
        result = torch.full((len(members),), -math.inf, dtype=torch.float64, device=members.device)
        for _, table in self.log_likelihoods(waveforms, progress=progress):
            step = max(1, _ENTRIES // max(table.shape))
            for start in range(0, len(members), step):
                rows = slice(start, start + step)
                part = (members[rows].double() @ table.to(members.device)).logsumexp(1)
                result[rows] = torch.logaddexp(result[rows], part)
        return result - math.log(self.n_templates)

    def log_likelihood(self, waveforms: Tensor, labels: Tensor, *, progress: Progress = silent) -> Tensor:
        """log p(x | c) of spikes (N, 32, C) for label vectors (S, N): (S,) float64.

        A cluster that several of them have is computed once.
        """
        members, cluster = _distinct_clusters(labels)
        return self.log_evidence(waveforms, members, progress=progress)[cluster].sum(1)

    def log_joint(self, waveforms: Tensor, labels: Tensor, *, progress: Progress = silent) -> Tensor:
        """log p(c, x) of spikes (N, 32, C) for label vectors (S, N), canonical: (S,) float64."""
        return self.prior.log_prob(labels) + self.log_likelihood(waveforms, labels, progress=progress)

    def last_point(self, waveforms: Tensor, labels: Tensor) -> Tensor:
        """p(c_N = k | c_1:N-1, x) of spikes (N, 32, C) given the labels (N - 1,) of all but the last.

        Returns
        -------
        (K + 1,) float64, the last entry for a cluster of its own
        """
        choices = torch.arange(int(labels.max()) + 2 if len(labels) else 1).to(labels)
        rows = torch.cat([labels.expand(len(choices), -1), choices[:, None]], dim=1)
        return self.log_joint(waveforms, rows).softmax(0)

    def _whitened_means(self) -> Tensor:
        """Means in whitened noise: (n_tau, n_shifts, 32 * C) float32."""
        means = self.templates.means
        step = max(1, _ENTRIES // means[0].numel())
        parts = [self._whiten(part).float().unflatten(0, part.shape[:2]) for part in means.split(step)]
        return torch.cat(parts)

    def _whiten(self, waveforms: Tensor) -> Tensor:
        """(B, M, 32, C) -> (B * M, 32 * C) float64, of unit covariance."""
        noise = SpikeNoise(*(tensor.to(waveforms.device) for tensor in self._noise))
        one = waveforms.double().flatten(0, 1)[None]
        return noise.whiten(one)[0].flatten(1)

    def _checked(self, waveforms: Tensor) -> Tensor:
        shape = (N_SAMPLES, len(self.templates.positions))
        if waveforms.ndim != 3 or waveforms.shape[1:] != shape:
            raise InputError(
                f"waveforms of this model are (spikes, {shape[0]} samples, {shape[1]} contacts), "
                f"got {tuple(waveforms.shape)}"
            )
        if not bool(torch.isfinite(waveforms).all()):
            raise InputError("waveforms hold values that are not finite; leave these spikes out")
        return waveforms


def _distinct_clusters(labels: Tensor) -> tuple[Tensor, Tensor]:
    """Clusters of label vectors (S, N): members (U, N) bool, each once, and which (S, K) int64 a row has.

    A row with fewer than K clusters has the empty one instead.
    """
    n_clusters = int(labels.max()) + 1
    rows = labels.cpu().numpy()
    packed = np.stack([np.packbits(rows == k, axis=1) for k in range(n_clusters)], axis=1)  # (S, K, bytes)
    distinct, which = np.unique(packed.reshape(-1, packed.shape[2]), axis=0, return_inverse=True)
    members = np.unpackbits(distinct, axis=1, count=rows.shape[1]).astype(bool)
    index = which.reshape(len(rows), n_clusters).astype(np.int64)
    return torch.from_numpy(members).to(labels.device), torch.from_numpy(index).to(labels.device)


def _log_diagonal(factor: Tensor) -> float:
    """log det of a triangular factor (1, n, n)."""
    return float(factor.diagonal(dim1=1, dim2=2).log().sum())
