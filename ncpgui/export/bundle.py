"""ExportBundle: everything that an exporter may write, checked to fit together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.component import Component
from ncpgui.core.errors import InputError
from ncpgui.core.partition import rows_of_clusters
from ncpgui.core.posterior import Sampler, sampler_words
from ncpgui.core.probe import Probe
from ncpgui.core.project import RecordingReference
from ncpgui.core.spikes import Sorting, SpikeEvents
from ncpgui.core.unit_table import UnitTable, mean_by_unit, measured_units
from ncpgui.evidence import units as units_of_posterior
from ncpgui.export.features import SpikeFeatures
from ncpgui.export.raw_file import RawFile
from ncpgui.export.unit_ids import LARGEST_CLUSTER

NUMBERS = tuple(name for name in units_of_posterior.NUMBERS if name != "p_exists")
"""Of `evidence.units`, in the order of tables; P(exists) has a column of its own."""
COLUMNS = (
    "label", "n_spikes", "rate_hz", "amplitude_sd", "channel", "x_um", "y_um", "depth_um", "shank",
    "p_exists", "probability", *NUMBERS,
)  # fmt: skip
"""Of the table of units, in the order of tables."""
NUMBER_NAME, TEXT_NAME = "si_unit_id", "unit_name"
WORDS = (NUMBER_NAME, TEXT_NAME, "tag", "note")
"""Columns of text that are there where a unit has some."""


@dataclass(frozen=True)
class ExportBundle:
    """A sorting with what other tools want to know about it.

    Parameters
    ----------
    sorting : the spikes to export, each in a unit (none unassigned); `p_exists` and `main_channel`
        for all units or for none. Samples count from the start of the recording, also where a part was sorted
    probe, recording : as sorted; its clock says the seconds of spikes
    amplitude : (n,) float32, trace at each spike on its main channel, noise sd (negative)
    noise_sd : (n_channels,) float32, unit of the recording
    templates : (n_units, n_times, n_channels) float32, noise sd, at the recording's rate, in the
        order of `sorting.unit_ids`; None when there is nothing to average
    features : of each spike, for tools that show spikes as points; None unless all have some
    unit_before_merges : (n,) int64, unit of each spike before units were merged: parts of the units of
        `sorting`; None when none were
    copy_traces : writes the traces as a flat file into a folder; None unless they shall be copied
    gain_uv : (n_channels,) float, µV that one unit of the recording's traces is; None when nobody knows
    numbers : `evidence.units.NUMBERS` of each unit; of all units or of none
    sampler : of each unit, what its probabilities come from: draws of the posterior, or a beam
    names : unit or part of one -> what the sorting that was reviewed calls it, or would; left out, its number
    phy_names : unit -> what SpikeInterface calls a cluster of the folder of Phy that was reviewed
    tags, notes : a person's own label of each unit and note on it, of those that have one
    ncp : plain values for JSON: model, alternatives and their probabilities per component
    components, spikes : posterior samples and the spikes that they are about, for formats that carry them;
        these count from `first_sample`

    Raises
    ------
    InputError
        Unassigned spikes, or arrays that do not fit.
    """

    sorting: Sorting
    probe: Probe
    recording: RecordingReference
    amplitude: NDArray[np.float32]
    noise_sd: NDArray[np.float32]
    templates: NDArray[np.float32] | None = None
    features: SpikeFeatures | None = None
    unit_before_merges: NDArray[np.int64] | None = None
    copy_traces: Callable[[Path], RawFile] | None = None
    gain_uv: NDArray[np.float64] | None = None
    numbers: UnitTable | None = None
    sampler: Mapping[int, Sampler] = field(default_factory=dict)
    ncp: dict[str, Any] = field(default_factory=dict)
    components: tuple[Component, ...] = ()
    spikes: SpikeEvents | None = None
    tags: Mapping[int, str] = field(default_factory=dict)
    notes: Mapping[int, str] = field(default_factory=dict)
    names: Mapping[int, int | str] = field(default_factory=dict)
    phy_names: Mapping[int, int | str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        n, units, channels = len(self.sorting), self.unit_ids, self.probe.n_channels
        if n and self.sorting.unit_id.min() < 0:
            raise InputError("an export takes assigned spikes only; leave out those of unit -1")
        for name, values in (
            ("amplitudes", self.amplitude),
            ("probabilities", self.sorting.probability),
            ("entropies", self.sorting.entropy),
            ("units before merges", self.unit_before_merges),
            ("features", None if self.features is None else self.features.values),
        ):
            if values is not None and len(values) != n:
                raise InputError(
                    f"export does not fit: {n} spikes but {len(values)} {name}; give one a spike"
                )
        for name, levels in (("noise levels", self.noise_sd), ("gains", self.gain_uv)):
            if levels is not None and len(levels) != channels:
                raise InputError(f"export does not fit: {channels} contacts but {len(levels)} {name}")
        if self.templates is not None:
            shape = self.templates.shape
            if self.templates.ndim != 3 or (shape[0], shape[2]) != (len(units), channels):
                raise InputError(
                    f"templates must be ({len(units)} units, n_times, {channels} channels), got shape {shape}"
                )
        given: tuple[tuple[str, Mapping[int, object]], ...] = (
            ("p_exists", self.sorting.p_exists),
            ("main_channel", self.sorting.main_channel),
            ("numbers", {} if self.numbers is None else dict.fromkeys(self.numbers.ids.tolist())),
        )
        for name, known in given:
            missing = [int(unit) for unit in units if int(unit) not in known]
            if known and missing:
                raise InputError(f"{name} lacks unit {missing[0]}; give it for every unit or for none")
        self._check_parts()

    def _check_parts(self) -> None:
        if self.unit_before_merges is None:
            return
        pairs = np.unique(np.stack([self.unit_before_merges, self.sorting.unit_id]), axis=1)
        twice = np.flatnonzero(np.diff(pairs[0]) == 0)
        if len(twice):
            (part, one), (_, other) = pairs[:, twice[0] : twice[0] + 2].T.tolist()
            raise InputError(
                f"unit {part} before merges has spikes of the units {one} and {other}; "
                "a merge takes whole units"
            )

    @property
    def first_sample(self) -> int:
        """The first sample that was sorted; spikes before it were not looked for."""
        return self.recording.first_sample

    @cached_property
    def time_s(self) -> NDArray[np.float64]:
        """(n,) seconds of the spikes, on the clock of the recording."""
        return self.recording.whole_clock.seconds(self.sorting.sample_index)

    @property
    def sorted_s(self) -> NDArray[np.float64]:
        """(g, 2) begin and end of what was sorted, in seconds; several where the recording has gaps."""
        return self.recording.clock.stretches_s(self.sorting.n_samples - self.first_sample)

    @property
    def has_own_times(self) -> bool:
        """Whether seconds are others than samples over the sampling frequency."""
        even_s = self.sorting.sample_index / self.sorting.sampling_frequency_hz
        return bool((np.abs(self.time_s - even_s) > 0.5 / self.sorting.sampling_frequency_hz).any())

    @property
    def unit_ids(self) -> NDArray[np.int64]:
        """Sorted ids of the units."""
        return self.sorting.unit_ids

    @property
    def parts(self) -> NDArray[np.int64]:
        """(n,) unit of each spike before merges; a unit that has but one part is called as it is now."""
        if self.unit_before_merges is None:
            return self.sorting.unit_id
        pairs = np.unique(np.stack([self.unit_before_merges, self.sorting.unit_id]), axis=1)
        units, n_parts = np.unique(pairs[1], return_counts=True)
        several = n_parts[np.searchsorted(units, self.sorting.unit_id)] > 1
        return np.where(several, self.unit_before_merges, self.sorting.unit_id)

    @property
    def merges(self) -> dict[int, list[int]]:
        """Parts of each unit that was merged, sorted."""
        pairs = np.unique(np.stack([self.sorting.unit_id, self.parts]), axis=1)
        found: dict[int, list[int]] = {}
        for unit, part in pairs.T.tolist():
            found.setdefault(unit, []).append(part)
        return {unit: parts for unit, parts in found.items() if len(parts) > 1}

    @property
    def unit_index(self) -> NDArray[np.int64]:
        """(n,) row of `unit_ids` of each spike."""
        return np.searchsorted(self.unit_ids, self.sorting.unit_id).astype(np.int64)

    @property
    def rows_of_units(self) -> list[NDArray[np.int64]]:
        """Rows of the spikes of each unit, in order of time."""
        return rows_of_clusters(self.unit_index, len(self.unit_ids))

    @property
    def n_spikes(self) -> NDArray[np.int64]:
        """(n_units,) spikes of each unit."""
        return np.bincount(self.unit_index, minlength=len(self.unit_ids)).astype(np.int64)

    @cached_property
    def units(self) -> UnitTable:
        """What tables say of the units: `COLUMNS` that are known, and more where one of the units has it.

        sampler : what all probabilities come from, where it is not draws for every unit
        tag, note : where a unit has one; what SpikeInterface calls clusters of Phy, as "si_unit_id" if these
        are numbers, else as "unit_name"; '' for units that have none
        """
        sorting, units = self.sorting, self.unit_ids.tolist()
        label = np.array([sorting.labels.get(unit, "unsorted") for unit in units], dtype=str)
        measured = measured_units(
            self.unit_ids,
            self.unit_index,
            amplitude=self.amplitude,
            main_channel=self._main_channels(),
            probe=self.probe,
            duration_s=(sorting.n_samples - self.first_sample) / sorting.sampling_frequency_hz,
        )
        known = {"label": label, **measured.columns}
        if sorting.p_exists:
            known["p_exists"] = np.array([sorting.p_exists[unit] for unit in units], dtype=np.float64)
        if sorting.probability is not None:
            known["probability"] = mean_by_unit(self.unit_index, sorting.probability, len(units))
        if self.numbers is not None:
            known |= self.numbers.of(units).some(*NUMBERS)
        if "beam" in self.sampler.values():
            words = [sampler_words(self.sampler.get(unit, "draws")) for unit in units]
            known["sampler"] = np.array(words, dtype=str)
        for name, written in (
            (name_column(self.phy_names.values()), self.phy_names),
            ("tag", self.tags),
            ("note", self.notes),
        ):
            if any(value != "" for value in written.values()):
                known[name] = np.array([str(written.get(unit, "")) for unit in units], dtype=str)
        return UnitTable(self.unit_ids, known)

    def _main_channels(self) -> Mapping[int, int]:
        """Those of the sorting; where it has none, the channel of the largest template, or channel 0."""
        if self.sorting.main_channel:
            return self.sorting.main_channel
        units, largest = self.unit_ids.tolist(), [0] * len(self.unit_ids)
        if self.templates is not None:
            largest = np.ptp(self.templates, axis=1).argmax(axis=1).tolist()
        return dict(zip(units, largest, strict=True))

    @property
    def unit_names(self) -> list[int | str]:
        """What each unit is called, in the order of `unit_ids`."""
        return self.called(self.unit_ids)

    def called(self, units: NDArray[np.int64]) -> list[int | str]:
        """What units, or parts of units that were merged, are called."""
        return [self.names.get(unit, unit) for unit in units.tolist()]


def name_column(names: Iterable[int | str]) -> str:
    """Column of Phy's tables for what SpikeInterface calls clusters: it reads its ids back from the first,
    and makes a table that is as long as the largest of them.
    """
    fit = all(isinstance(name, int) and 0 <= name <= LARGEST_CLUSTER for name in names)
    return NUMBER_NAME if fit else TEXT_NAME
