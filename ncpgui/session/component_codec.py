"""Components, and those that wait to be sampled, to and from a session file."""

from __future__ import annotations

import h5py
import numpy as np
from numpy.typing import NDArray

from ncpgui.core.component import Alternative, Component, Echoes, WaitingComponent
from ncpgui.core.errors import InputError
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.core.probe import Probe
from ncpgui.core.progress import Progress, reported, silent
from ncpgui.core.spikes import SpikeEvents
from ncpgui.session.codecs import (
    attribute,
    create_group,
    damaged,
    element,
    read_array,
    read_integers,
    write_array,
    write_integers,
)

MASSES_BY_LESS = ("mass_waveforms", "mass_without_stimulus", "mass_without_echoes")
"""Masses of an alternative by less evidence, absent where there is no more."""
MAY_LACK = {"drawn_weight": "", "stimulus_nats": "nats", "weight_without_echoes": ""}
"""Values of each sample that are absent where they are not known, and their units."""


def write_components(root: h5py.Group, components: tuple[Component, ...]) -> None:
    """Write sampled components."""
    parent = create_group(root, "components", "components")
    for number, component in enumerate(components):
        group = create_group(parent, str(number), "component")
        _write_place(group, component)
        write_integers(group, "sampled", component.sampled)
        if component.stands_for is not None:
            write_array(group, "stands_for", component.stands_for)
        if component.cut_from:
            write_integers(group, "cut_from", np.array(component.cut_from))
        if component.echoes:
            _write_echoes(group, component.echoes)
        _write_posterior(group, component.posterior)
        _write_alternatives(group, component.alternatives, len(component.spike_ids))


def write_waiting(root: h5py.Group, waiting: tuple[WaitingComponent, ...]) -> None:
    """Write components whose posterior is still to be sampled."""
    parent = create_group(root, "waiting", "waiting-components")
    for number, one in enumerate(waiting):
        _write_place(create_group(parent, str(number), "waiting-component"), one)


def read_components(
    root: h5py.Group, spikes: SpikeEvents, probe: Probe, *, progress: Progress = silent
) -> tuple[tuple[Component, ...], tuple[WaitingComponent, ...]]:
    """Read what `write_components` and `write_waiting` wrote.

    Raises
    ------
    SessionFormatError
        An element is missing or damaged, two components have one id, or a spike is in two of them.
    """
    parent, waiting = (
        element(root, "components", "components"),
        element(root, "waiting", "waiting-components"),
    )
    components = []
    for number in reported(range(len(parent)), progress):
        group = element(parent, str(number), "component")
        key, contacts, spike_ids = _read_place(group, spikes, probe)
        components.append(_read_component(group, key, contacts, spike_ids))
    rest = []
    for name in map(str, range(len(waiting))):
        group = element(waiting, name, "waiting-component")
        rest.append(WaitingComponent(*_read_place(group, spikes, probe)))
    _check_apart(parent, (*components, *rest), len(spikes))
    return tuple(components), tuple(rest)


def _write_place(group: h5py.Group, component: Component | WaitingComponent) -> None:
    group.attrs["id"] = int(component.id)
    write_integers(group, "contacts", component.contacts)
    write_integers(group, "spike_ids", component.spike_ids)


def _read_place(
    group: h5py.Group, spikes: SpikeEvents, probe: Probe
) -> tuple[int, NDArray[np.int64], NDArray[np.int64]]:
    """Id, contacts and spikes of a component, checked to be there."""
    contacts = read_integers(group, "contacts", np.int64, shape=(None,))
    spike_ids = read_integers(group, "spike_ids", np.int64, shape=(None,))
    if len(contacts) == 0:
        raise damaged(group, "it has no contacts")
    _check_range(group, "a contact", contacts, probe.n_channels)
    _check_range(group, "a spike", spike_ids, len(spikes))
    return attribute(group, "id", int), contacts, spike_ids


def _check_range(group: h5py.Group, what: str, values: NDArray[np.int64], stop: int) -> None:
    if len(values) and not 0 <= values.min() <= values.max() < stop:
        raise damaged(group, f"{what} outside 0 to {stop - 1}")


def _check_apart(
    parent: h5py.Group, components: tuple[Component | WaitingComponent, ...], n_spikes: int
) -> None:
    """Refuse ids that two components have, and spikes that are in two of them."""
    ids = [one.id for one in components]
    if len(set(ids)) < len(ids):
        twice = next(key for key in ids if ids.count(key) > 1)
        raise damaged(parent, f"two components have the id {twice}")
    is_taken = np.zeros(n_spikes, dtype=bool)
    for one in components:
        here = is_taken[one.spike_ids]
        is_taken[one.spike_ids] = True
        if here.any():
            raise damaged(parent, f"spike {one.spike_ids[here.argmax()]} is in two components")
    if np.count_nonzero(is_taken) < sum(len(one.spike_ids) for one in components):
        raise damaged(parent, "a component has a spike twice")


def _read_component(
    group: h5py.Group, key: int, contacts: NDArray[np.int64], spike_ids: NDArray[np.int64]
) -> Component:
    sampled = read_integers(group, "sampled", np.int64, shape=(None,))
    _check_range(group, "a sampled spike", sampled, len(spike_ids))
    return Component(
        id=key,
        contacts=contacts,
        spike_ids=spike_ids,
        sampled=sampled,
        posterior=_read_posterior(group, len(sampled)),
        alternatives=_read_alternatives(group, len(spike_ids)),
        stands_for=read_array(group, "stands_for", np.float32, shape=(len(sampled),))
        if "stands_for" in group
        else None,
        cut_from=tuple(read_integers(group, "cut_from", np.int64, shape=(None,)).tolist())
        if "cut_from" in group
        else (),
        echoes=_read_echoes(group, len(spike_ids)) if "echoes" in group else (),
    )


def _write_echoes(group: h5py.Group, values: tuple[Echoes, ...]) -> None:
    """Spikes of all pairs, one pair after the other, and how many each has."""
    node = create_group(group, "echoes", "echoes")
    write_integers(node, "spikes", np.concatenate([one.spikes for one in values]))
    write_integers(node, "sources", np.concatenate([one.sources for one in values]))
    write_integers(node, "n_spikes", np.array([len(one.spikes) for one in values]))
    write_array(node, "probability", np.array([one.probability for one in values]))


def _read_echoes(group: h5py.Group, n_spikes: int) -> tuple[Echoes, ...]:
    node = element(group, "echoes", "echoes")
    probability = read_array(node, "probability", np.float64, shape=(None,))
    counts = read_integers(node, "n_spikes", np.int64, shape=(len(probability),))
    n = int(counts.sum())
    if (counts < 0).any():
        raise damaged(node, "a pair has fewer than no spikes")
    spikes, sources = (read_integers(node, name, np.int64, shape=(n,)) for name in ("spikes", "sources"))
    _check_range(node, "an echo", spikes, n_spikes)
    _check_range(node, "a source of echoes", sources, n_spikes)
    ends = np.cumsum(counts)[:-1]
    parts = zip(np.split(spikes, ends), np.split(sources, ends), probability.tolist(), strict=False)
    return tuple(Echoes(*one) for one in parts)


def _write_posterior(group: h5py.Group, value: PosteriorSamples) -> None:
    posterior = create_group(group, "posterior", "posterior")
    posterior.attrs["sampler"] = value.sampler
    write_integers(posterior, "labels", value.labels)
    write_array(posterior, "log_prob", value.log_prob, unit="nats")
    write_array(posterior, "weight", value.weight)
    for name in ("order", "echo_of"):
        if getattr(value, name) is not None:
            write_integers(posterior, name, getattr(value, name))
    for name, unit in MAY_LACK.items():
        if getattr(value, name) is not None:
            write_array(posterior, name, getattr(value, name), unit=unit)


def _read_posterior(group: h5py.Group, n_sampled: int) -> PosteriorSamples:
    node = element(group, "posterior", "posterior")
    labels = read_integers(node, "labels", None, shape=(None, n_sampled))
    each = (len(labels),)
    order = read_integers(node, "order", np.int32, shape=each) if "order" in node else None
    echo_of = read_integers(node, "echo_of", np.int64, shape=(n_sampled,)) if "echo_of" in node else None
    if echo_of is not None and n_sampled and not -1 <= echo_of.min() <= echo_of.max() < n_sampled:
        raise damaged(node, f"an echo of a spike outside -1 to {n_sampled - 1}")
    try:
        return PosteriorSamples(
            labels,
            read_array(node, "log_prob", np.float64, shape=each),
            read_array(node, "weight", np.float64, shape=each),
            order,
            sampler=attribute(node, "sampler", str),
            echo_of=echo_of,
            **{name: read_array(node, name, np.float64, shape=each) for name in MAY_LACK if name in node},
        )
    except InputError as error:
        raise damaged(node, error) from error


def _write_alternatives(group: h5py.Group, values: tuple[Alternative, ...], n_spikes: int) -> None:
    """One array for all alternatives; `p_exists` one after the other, `n_units` of each alternative."""
    node = create_group(group, "alternatives", "alternatives")
    empty = np.zeros((0, n_spikes))
    write_integers(node, "labels", np.stack([a.labels for a in values]) if values else empty.astype(int))
    write_array(
        node, "probability", np.stack([a.probability for a in values]) if values else empty.astype(np.float32)
    )
    write_array(node, "mass", np.array([a.mass for a in values], dtype=np.float64))
    write_array(node, "mass_se", np.array([a.mass_se for a in values], dtype=np.float64))
    for name in MASSES_BY_LESS:
        masses = [getattr(a, name) for a in values if getattr(a, name) is not None]
        if masses and len(masses) == len(values):
            write_array(node, name, np.array(masses, dtype=np.float64))
    write_integers(node, "n_units", np.array([len(a.p_exists) for a in values], dtype=np.int64))
    write_array(node, "p_exists", np.concatenate([np.zeros(0, np.float32), *(a.p_exists for a in values)]))


def _read_alternatives(group: h5py.Group, n_spikes: int) -> tuple[Alternative, ...]:
    node = element(group, "alternatives", "alternatives")
    labels = read_integers(node, "labels", np.int32, shape=(None, n_spikes))
    n = len(labels)
    probability = read_array(node, "probability", np.float32, shape=(n, n_spikes))
    mass = read_array(node, "mass", np.float64, shape=(n,))
    mass_se = read_array(node, "mass_se", np.float64, shape=(n,))
    n_units = read_integers(node, "n_units", np.int64, shape=(n,))
    p_exists = read_array(node, "p_exists", np.float32, shape=(int(n_units.sum()),))
    parts = np.split(p_exists, np.cumsum(n_units)[:-1]) if n else []
    by_less: dict[str, list[float]] = {
        name: read_array(node, name, np.float64, shape=(n,)).tolist()
        for name in MASSES_BY_LESS
        if name in node
    }
    return tuple(
        Alternative(
            labels[i],
            probability[i],
            float(mass[i]),
            float(mass_se[i]),
            parts[i],
            **{name: masses[i] for name, masses in by_less.items()},
        )
        for i in range(n)
    )
