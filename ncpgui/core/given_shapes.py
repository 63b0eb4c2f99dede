"""What a finished sorting keeps of the shapes of its spikes: all there is to look at without raw data."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.increasing import ABSENT, rows_of

MOST_CONTACTS = 16
LEAST_HEIGHT = 0.1
"""Of the largest contact of a unit: contacts that are lower than this are not drawn."""


@dataclass(frozen=True, eq=False)
class GivenShapes:
    """Templates of a sorter, how high each spike is, and features of some spikes.

    templates : (K, 32, C) float32 at 20 kHz, on all contacts of the probe, noise sd where `in_noise_sd`
    template : (n,) int64, template of each spike of the project; scale : (n,) float32, by which it is
        multiplied to be as high as the spike
    featured : (m,) int64, increasing, spikes that have features; features : (m, P, L) float32, P numbers on
        each of L contacts; feature_contacts : (K, L) int64, which these are for each template
    """

    templates: NDArray[np.float32]
    template: NDArray[np.int64]
    scale: NDArray[np.float32]
    featured: NDArray[np.int64]
    features: NDArray[np.float32]
    feature_contacts: NDArray[np.int64]
    in_noise_sd: bool = True

    @property
    def has_features(self) -> bool:
        """Whether anything is known of single spikes but their height."""
        return len(self.featured) > 0

    def mean(self, spike_ids: NDArray[np.int64]) -> NDArray[np.float32]:
        """Mean waveform (32, C) of some spikes, as their templates have it."""
        weight = np.bincount(
            self.template[spike_ids], weights=self.scale[spike_ids], minlength=len(self.templates)
        )
        used = np.flatnonzero(weight)
        mean = np.tensordot(weight[used], self.templates[used], axes=1) / max(len(spike_ids), 1)
        return np.asarray(mean, dtype=np.float32)

    def contacts_of(self, spike_ids: NDArray[np.int64]) -> NDArray[np.int64]:
        """At most 16 contacts on which the mean of some spikes is highest, the highest first."""
        height = np.ptp(self.mean(spike_ids), axis=0)
        order = np.argsort(-height, kind="stable")[:MOST_CONTACTS]
        kept = order[height[order] >= LEAST_HEIGHT * height.max(initial=0)]
        return np.asarray(kept if height.any() else order[:1], dtype=np.int64)

    def waveforms(self, spike_ids: NDArray[np.int64], contacts: NDArray[np.int64]) -> NDArray[np.float32]:
        """Templates (k, 32, contacts) of some spikes, each as high as the spike."""
        used, row = np.unique(self.template[spike_ids], return_inverse=True)
        found = self.templates[np.ix_(used, np.arange(self.templates.shape[1]), contacts)][row]
        return np.asarray(found * self.scale[spike_ids, None, None], dtype=np.float32)

    def some_of(self, spike_ids: NDArray[np.int64]) -> NDArray[np.int64]:
        """Those of some spikes that have features; all of them where none of the sorting has any."""
        if not self.has_features:
            return spike_ids
        return spike_ids[rows_of(spike_ids, self.featured) != ABSENT]

    def features_of(self, spike_ids: NDArray[np.int64], contacts: NDArray[np.int64]) -> NDArray[np.float32]:
        """Features (k, P * contacts) of some spikes on some contacts, 0 where there are none."""
        n_numbers = self.features.shape[1]
        found = np.zeros((len(spike_ids), n_numbers, len(contacts)), np.float32)
        row = rows_of(spike_ids, self.featured)
        known = row != ABSENT
        for place, contact in enumerate(contacts.tolist() if self.has_features else ()):
            at = self.feature_contacts[self.template[spike_ids]] == contact
            here = known & at.any(axis=1)
            found[here, :, place] = self.features[row[here], :, at[here].argmax(axis=1)]
        return found.reshape(len(spike_ids), n_numbers * len(contacts))
