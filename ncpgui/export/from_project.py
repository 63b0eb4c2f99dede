"""From a project and a person's decisions to what is exported."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import ncpgui
from ncpgui.core.component import Component
from ncpgui.core.errors import InputError
from ncpgui.core.given import PHY, GivenSorting
from ncpgui.core.posterior import Sampler, sampler_words
from ncpgui.core.progress import Progress, portion, silent
from ncpgui.core.project import Project
from ncpgui.core.spikes import Sorting
from ncpgui.core.unit_table import Row, UnitTable, mean_by_unit, measured_units, most_frequent_by_unit
from ncpgui.curation.curated_sorting import CuratedSorting
from ncpgui.evidence.draws_by_alternative import OTHER, p_n_units
from ncpgui.evidence.units import NUMBERS, SortingNumbers, project_numbers
from ncpgui.export.bundle import ExportBundle
from ncpgui.export.features import spike_features, with_all_waveforms
from ncpgui.export.templates import templates_from_waveforms
from ncpgui.sorting.neuron_probability import unit_label

if TYPE_CHECKING:
    from ncpgui.ephys.preprocessing import Preprocessed


def bundle_of(
    project: Project,
    decisions: CuratedSorting | None = None,
    *,
    min_probability: float = 0.0,
    with_features: bool = False,
    traces: Preprocessed | None = None,
    progress: Progress = silent,
) -> ExportBundle:
    """Gather the spikes that are in a unit, with templates, probabilities and alternatives.

    Parameters
    ----------
    decisions : the sorting as a person left it; the project's own when left out. What is exported of a spike
        is P(it belongs to its unit as it stands), see `evidence.units`; units without a label get that which
        the posterior gives them
    min_probability : spikes below are left unassigned, and out of the export; unknown ones stay
    with_features : whether to compute the features of every spike, where its waveform can be had
    traces : of the recording, for waveforms that are not in the cache; without, the cache must do

    Raises
    ------
    InputError
        Arrays that do not fit the project's spikes.
    """
    own = project.unit_of_spike, project.probability
    decided = decisions or CuratedSorting(*own, {}, frozenset(), project.unit_of_spike)
    units, assigned = decided.unit_of_spike, decided.probability
    if not len(units) == len(assigned) == len(project.spikes):
        raise InputError(
            f"curation does not fit: {len(project.spikes)} spikes, {len(units)} unit ids, "
            f"{len(assigned)} probabilities; give one of each a spike"
        )
    numbers = project_numbers(project, units, assigned, decided=decided.decided)
    units = np.where(numbers.probability < min_probability, -1, units)
    if traces is not None:
        project = with_all_waveforms(project, traces, progress=portion(progress, 0, 1, 2))
    keep = np.flatnonzero(units >= 0)
    ids = np.unique(units[keep])
    of_units = numbers.units.of(ids)
    main = most_frequent_by_unit(units, project.spikes.channel)
    home = main_components(project, units)
    rate_hz = project.spikes.sampling_frequency_hz
    first = project.recording.first_sample
    sorting = Sorting(
        sample_index=project.spikes.sample_index[keep] + first,
        unit_id=units[keep],
        sampling_frequency_hz=rate_hz,
        n_samples=project.spikes.n_samples + first,
        probability=numbers.probability[keep],
        entropy=numbers.entropy[keep],
        labels={
            row["id"]: exported_label(decided.labels.get(row["id"], "unsorted"), row)
            for row in of_units.rows()
        },
        p_exists=dict(zip(of_units.ids.tolist(), of_units["p_exists"].tolist(), strict=True)),
        main_channel=main,
    )
    given = project.given
    is_phy = given is not None and given.kind == PHY
    by_name = given if given is not None and given.names and not is_phy else None
    parts = np.unique(decided.unit_before_merges[keep]).tolist()
    features = None
    if with_features:
        rest = portion(progress, 1, 2, 2)
        features = spike_features(project, keep, units[keep], main, home, traces=traces, progress=rest)
    return ExportBundle(
        sorting=sorting,
        probe=project.probe,
        recording=project.recording,
        amplitude=project.spikes.amplitude[keep],
        noise_sd=project.noise_sd,
        templates=templates_from_waveforms(project, units),
        features=features,
        unit_before_merges=decided.unit_before_merges[keep],
        numbers=of_units,
        sampler=samplers(project, units),
        ncp=ncp_block(project, home, decided.accepted, by_name),
        components=project.components,
        spikes=project.spikes,
        tags=decided.tags,
        notes=decided.notes,
        names={} if by_name is None else by_name.called([*ids.tolist(), *parts]),
        phy_names=given.called(ids.tolist()) if given is not None and is_phy and given.names else {},
    )


def project_table(
    project: Project,
    units: NDArray[np.int64],
    numbers: SortingNumbers,
    labels: Mapping[int, str] | None = None,
) -> UnitTable:
    """Table of the units of a sorting of a project: its measurements, `evidence.units.NUMBERS` and labels.

    units : (n_spikes,) unit of each spike, -1 = none; numbers : what is known of them
    labels : unit -> what a person says of it; the others get the label that the posterior gives them
    """
    known, told = units >= 0, labels or {}
    found, row = np.unique(units[known], return_inverse=True)
    table = measured_units(
        found,
        row,
        amplitude=project.spikes.amplitude[known],
        main_channel=most_frequent_by_unit(units, project.spikes.channel),
        probe=project.probe,
        duration_s=project.spikes.duration_s,
    )
    ids = table.ids.tolist()
    of_units = numbers.units.of(ids)
    label = [exported_label(told.get(row["id"], "unsorted"), row) for row in of_units.rows()]
    return table.with_columns(
        label=np.array(label, dtype=str),
        probability=mean_by_unit(row, numbers.probability[known], len(ids)),
        **of_units.some(*NUMBERS),
    )


def exported_label(by_hand: str, numbers: Row) -> str:
    """Label of a unit in an export: a person's, else that of P(neuron) and P(pure)."""
    if by_hand != "unsorted":
        return by_hand
    return unit_label(numbers["p_neuron"], numbers["p_pure"], is_beyond_cards=numbers["is_beyond_cards"])


def main_components(project: Project, units: NDArray[np.int64]) -> dict[int, int]:
    """Component with most spikes of each unit that has spikes in one."""
    return most_frequent_by_unit(units, project.component_of_spike)


def samplers(project: Project, units: NDArray[np.int64]) -> dict[int, Sampler]:
    """What the probabilities of each unit come from: a beam where one of its components was searched so."""
    found: dict[int, Sampler] = {int(unit): "draws" for unit in np.unique(units[units >= 0])}
    for component in project.components:
        if component.posterior.sampler == "beam":
            here = np.unique(units[component.spike_ids])
            found.update({unit: "beam" for unit in here.tolist() if unit >= 0})
    return found


def ncp_block(
    project: Project,
    home: Mapping[int, int],
    accepted: Collection[int],
    given: GivenSorting | None = None,
) -> dict[str, Any]:
    """Plain values about the posterior: per component P(K), alternatives and what was accepted.

    home : component with most spikes of each unit; given : says what units are called, None = their numbers
    """
    return {
        "program": f"ncpgui {ncpgui.__version__}",
        "model": project.model,
        "components": [
            _component_block(component, home, accepted, given) for component in project.components
        ],
    }


def _component_block(
    component: Component, home: Mapping[int, int], accepted: Collection[int], given: GivenSorting | None
) -> dict[str, Any]:
    def named(units: Iterable[int]) -> list[int | str]:
        every = [int(unit) for unit in units]
        names = {} if given is None else given.called(every)
        return [names.get(unit, unit) for unit in every]

    return {
        "id": int(component.id),
        "channel": component.channel,
        "channels": component.contacts.tolist(),
        "n_spikes": len(component.spike_ids),
        "n_sampled": len(component.sampled),
        "unit_ids": named(sorted(unit for unit, place in home.items() if place == component.id)),
        "given": named(component.given),
        "p_n_units": {
            "other" if k == OTHER else str(k): round(share, 6)
            for k, share in p_n_units(component.alternatives).items()
        },
        "sampler": sampler_words(component.posterior.sampler),
        "alternatives": [
            {
                "n_units": a.n_units,
                "mass": round(a.mass, 6),
                "se": None if math.isnan(a.mass_se) else round(a.mass_se, 6),
                **({"by_evidence": _rounded(a.by_evidence)} if a.by_evidence else {}),
            }
            for a in component.alternatives
        ],
        "accepted": named(sorted(int(u) for u in accepted if home.get(int(u)) == component.id)),
    }


def _rounded(shares: dict[str, float]) -> dict[str, float]:
    return {name: round(share, 6) for name, share in shares.items()}
