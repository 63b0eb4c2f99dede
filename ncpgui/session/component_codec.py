"""Components, and those that wait to be sampled, to and from a session file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any

import h5py
import numpy as np
from numpy.typing import DTypeLike, NDArray

from ncpgui.core.component import Alternative, Component, Echoes, WaitingComponent
from ncpgui.core.errors import InputError
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.core.probe import Probe
from ncpgui.core.progress import Progress, reported, silent
from ncpgui.core.spikes import SpikeEvents
from ncpgui.session.codecs import (
    create_group,
    damaged,
    element,
    read_integers,
    read_json,
    write_integers,
    write_json,
)
from ncpgui.session.ragged import read_ragged, write_ragged

MASSES_BY_LESS = ("mass_waveforms", "mass_without_stimulus", "mass_without_echoes")
"""Masses of an alternative by less evidence, absent where there is no more."""
MAY_LACK = {"drawn_weight": "", "stimulus_nats": "nats", "weight_without_echoes": ""}
"""Values of each sample that are absent where they are not known, and their units."""


def write_components(root: h5py.Group, components: tuple[Component, ...]) -> None:
    """Write sampled components, arrays of one kind together."""
    parent = create_group(root, "components", "sampled-components")
    _write_places(parent, components)
    write_ragged(parent, "sampled", [one.sampled for one in components])
    write_ragged(parent, "stands_for", [one.stands_for for one in components])
    cut_from = [np.array(one.cut_from, dtype=np.int64) if one.cut_from else None for one in components]
    write_ragged(parent, "cut_from", cut_from)
    write_ragged(parent, "again", [one.again for one in components])
    write_ragged(parent, "elsewhere", [one.elsewhere for one in components])
    _write_echoes(parent, [one.echoes for one in components])
    _write_posteriors(parent, [one.posterior for one in components])
    _write_alternatives(parent, components)


def write_waiting(root: h5py.Group, waiting: tuple[WaitingComponent, ...]) -> None:
    """Write components whose posterior is still to be sampled."""
    _write_places(create_group(root, "waiting", "waiting-components"), waiting)


def read_components(
    root: h5py.Group, spikes: SpikeEvents, probe: Probe, *, progress: Progress = silent
) -> tuple[tuple[Component, ...], tuple[WaitingComponent, ...]]:
    """Read what `write_components` and `write_waiting` wrote.

    Raises
    ------
    SessionFormatError
        An element is missing or damaged, two components have one id, or a spike is in two of them.
    """
    parent = element(root, "components", "sampled-components")
    waiting = element(root, "waiting", "waiting-components")
    places, waiting_places = (_read_places(group, spikes, probe) for group in (parent, waiting))
    rest = [WaitingComponent(*place) for place in waiting_places]
    _check_apart(parent, [(key, ids) for key, _, ids in (*places, *waiting_places)], len(spikes))
    n_spikes = [len(ids) for _, _, ids in places]
    sampled = read_ragged(parent, "sampled", np.int64, shapes=[(None,)] * len(places))
    for (key, _, ids), own in zip(places, sampled, strict=True):
        _check_range(parent, f"a sampled spike of component {key}", own, len(ids))
    each = [(len(own),) for own in sampled]
    stands_for = read_ragged(parent, "stands_for", np.float32, shapes=each, may_lack=True)
    cut_from = read_ragged(parent, "cut_from", np.int64, shapes=[(None,)] * len(places), may_lack=True)
    again = read_ragged(parent, "again", np.int64, shapes=[(None,)] * len(places), may_lack=True)
    for (key, _, ids), own in zip(places, again, strict=True):
        if own is not None:
            _check_range(parent, f"a spike of component {key} that was found twice", own, len(ids))
    elsewhere = read_ragged(parent, "elsewhere", np.float32, shapes=[(n,) for n in n_spikes], may_lack=True)
    echoes = _read_echoes(parent, n_spikes)
    posteriors = _read_posteriors(parent, [len(own) for own in sampled])
    alternatives = _read_alternatives(parent, n_spikes)
    components = [
        Component(
            id=key,
            contacts=contacts,
            spike_ids=spike_ids,
            sampled=sampled[k],
            posterior=posteriors(k),
            alternatives=alternatives[k],
            stands_for=stands_for[k],
            cut_from=() if cut_from[k] is None else tuple(cut_from[k].tolist()),
            echoes=echoes[k],
            again=again[k],
            elsewhere=elsewhere[k],
        )
        for k, (key, contacts, spike_ids) in enumerate(reported(places, progress))
    ]
    return tuple(components), tuple(rest)


def _write_places(group: h5py.Group, components: Sequence[Component | WaitingComponent]) -> None:
    write_integers(group, "id", np.array([one.id for one in components], dtype=np.int64))
    write_ragged(group, "contacts", [one.contacts for one in components])
    write_ragged(group, "spike_ids", [one.spike_ids for one in components])


def _read_places(
    group: h5py.Group, spikes: SpikeEvents, probe: Probe
) -> list[tuple[int, NDArray[np.int64], NDArray[np.int64]]]:
    """Id, contacts and spikes of each component, checked to be there."""
    ids = read_integers(group, "id", np.int64, shape=(None,)).tolist()
    contacts, spike_ids = (
        read_ragged(group, name, np.int64, shapes=[(None,)] * len(ids)) for name in ("contacts", "spike_ids")
    )
    for key, own, of_spikes in zip(ids, contacts, spike_ids, strict=True):
        if key < 0:
            raise damaged(group, f"a component has the id {key}")
        if len(own) == 0:
            raise damaged(group, f"component {key} has no contacts")
        _check_range(group, f"a contact of component {key}", own, probe.n_channels)
        _check_range(group, f"a spike of component {key}", of_spikes, len(spikes))
    return list(zip(ids, contacts, spike_ids, strict=True))


def _check_range(group: h5py.Group, what: str, values: NDArray[np.int64], stop: int) -> None:
    if len(values) and not 0 <= values.min() <= values.max() < stop:
        raise damaged(group, f"{what} outside 0 to {stop - 1}")


def _check_apart(
    parent: h5py.Group, spikes_of: Sequence[tuple[int, NDArray[np.int64]]], n_spikes: int
) -> None:
    """Refuse ids that two components have, and spikes that are in two of them."""
    ids = [key for key, _ in spikes_of]
    if len(set(ids)) < len(ids):
        twice = next(key for key in ids if ids.count(key) > 1)
        raise damaged(parent, f"two components have the id {twice}")
    is_taken = np.zeros(n_spikes, dtype=bool)
    for _, own in spikes_of:
        here = is_taken[own]
        is_taken[own] = True
        if here.any():
            raise damaged(parent, f"spike {own[here.argmax()]} is in two components")
    if np.count_nonzero(is_taken) < sum(len(own) for _, own in spikes_of):
        raise damaged(parent, "a component has a spike twice")


def _write_echoes(parent: h5py.Group, values: Sequence[tuple[Echoes, ...]]) -> None:
    """Spikes of all pairs of a component, one pair after the other, and how many each has."""
    if not any(values):
        return
    node = create_group(parent, "echoes", "echoes")
    write_ragged(
        node, "spikes", [np.concatenate([one.spikes for one in own]) if own else None for own in values]
    )
    write_ragged(
        node, "sources", [np.concatenate([one.sources for one in own]) if own else None for own in values]
    )
    n_spikes = [np.array([len(one.spikes) for one in own]) if own else None for own in values]
    write_ragged(node, "n_spikes", n_spikes)
    write_ragged(
        node, "probability", [np.array([one.probability for one in own]) if own else None for own in values]
    )


def _read_echoes(parent: h5py.Group, n_spikes: Sequence[int]) -> list[tuple[Echoes, ...]]:
    if "echoes" not in parent:
        return [()] * len(n_spikes)
    node = element(parent, "echoes", "echoes")
    probability = read_ragged(
        node, "probability", np.float64, shapes=[(None,)] * len(n_spikes), may_lack=True
    )
    pairs = [(None if own is None else len(own),) for own in probability]
    counts = read_ragged(node, "n_spikes", np.int64, shapes=pairs, may_lack=True)
    if any(own is not None and (own < 0).any() for own in counts):
        raise damaged(node, "a pair has fewer than no spikes")
    each = [(None if own is None else int(own.sum()),) for own in counts]
    spikes, sources = (
        read_ragged(node, name, np.int64, shapes=each, may_lack=True) for name in ("spikes", "sources")
    )
    found: list[tuple[Echoes, ...]] = []
    for k, n in enumerate(n_spikes):
        arrays = (spikes[k], sources[k], probability[k], counts[k])
        if any(one is None for one in arrays):
            if any(one is not None for one in arrays):
                raise damaged(node, "a component lacks a part of its echoes")
            found.append(())
            continue
        _check_range(node, "an echo", spikes[k], n)
        _check_range(node, "a source of echoes", sources[k], n)
        ends = np.cumsum(counts[k])[:-1]
        parts = zip(
            np.split(spikes[k], ends), np.split(sources[k], ends), probability[k].tolist(), strict=False
        )
        found.append(tuple(Echoes(*one) for one in parts))
    return found


def _write_posteriors(parent: h5py.Group, values: Sequence[PosteriorSamples]) -> None:
    node = create_group(parent, "posterior", "posterior")
    write_json(node, "sampler", [one.sampler for one in values])
    write_ragged(node, "labels", [one.labels for one in values], n_axes=2)
    for name, unit in {"log_prob": "nats", "weight": "", "order": "", "echo_of": "", **MAY_LACK}.items():
        write_ragged(node, name, [getattr(one, name) for one in values], unit=unit)


def _read_posteriors(parent: h5py.Group, n_sampled: Sequence[int]) -> Callable[[int], PosteriorSamples]:
    """Read those of all components; what is returned makes that of one."""
    node = element(parent, "posterior", "posterior")
    samplers = read_json(node, "sampler", list)
    if len(samplers) != len(n_sampled) or not all(isinstance(one, str) for one in samplers):
        raise damaged(node, "it does not say of each component which sampler it is of")
    labels = read_ragged(node, "labels", None, shapes=[(None, n) for n in n_sampled])
    each = [(len(own),) for own in labels]
    known = {name: read_ragged(node, name, np.float64, shapes=each) for name in ("log_prob", "weight")}
    known["order"] = read_ragged(node, "order", np.int32, shapes=each, may_lack=True)
    known["echo_of"] = read_ragged(node, "echo_of", np.int64, shapes=[(n,) for n in n_sampled], may_lack=True)
    for name in MAY_LACK:
        known[name] = read_ragged(node, name, np.float64, shapes=each, may_lack=True)
    for own, n in zip(known["echo_of"], n_sampled, strict=True):
        if own is not None and n and not -1 <= own.min() <= own.max() < n:
            raise damaged(node, f"an echo of a spike outside -1 to {n - 1}")

    def one(k: int) -> PosteriorSamples:
        try:
            return PosteriorSamples(
                labels[k], sampler=samplers[k], **{name: values[k] for name, values in known.items()}
            )
        except InputError as error:
            raise damaged(node, error) from error

    return one


def _write_alternatives(parent: h5py.Group, components: Sequence[Component]) -> None:
    """One array for all alternatives of a component; `p_exists` one after the other, `n_units` of each."""
    node = create_group(parent, "alternatives", "alternatives")

    def of_each(value: Callable[[Alternative], Any], dtype: DTypeLike) -> list[NDArray[Any]]:
        return [np.array([value(way) for way in one.alternatives], dtype=dtype) for one in components]

    shapes = [(len(one.alternatives), len(one.spike_ids)) for one in components]
    for name, dtype in (("labels", np.int32), ("probability", np.float32)):
        arrays = of_each(attrgetter(name), dtype)
        write_ragged(
            node, name, [one.reshape(shape) for one, shape in zip(arrays, shapes, strict=True)], n_axes=2
        )
    write_ragged(node, "mass", of_each(lambda way: way.mass, np.float64))
    write_ragged(node, "mass_se", of_each(lambda way: way.mass_se, np.float64))
    for name in MASSES_BY_LESS:
        masses = [[getattr(way, name) for way in one.alternatives] for one in components]
        write_ragged(
            node, name, [None if not own or None in own else np.array(own, np.float64) for own in masses]
        )
    write_ragged(node, "n_units", of_each(lambda way: len(way.p_exists), np.int64))
    none = np.zeros(0, np.float32)
    write_ragged(
        node,
        "p_exists",
        [np.concatenate([none, *(way.p_exists for way in one.alternatives)]) for one in components],
    )


def _read_alternatives(parent: h5py.Group, n_spikes: Sequence[int]) -> list[tuple[Alternative, ...]]:
    node = element(parent, "alternatives", "alternatives")
    labels = read_ragged(node, "labels", np.int32, shapes=[(None, n) for n in n_spikes])
    shapes = [own.shape for own in labels]
    probability = read_ragged(node, "probability", np.float32, shapes=shapes)
    each = [shape[:1] for shape in shapes]
    mass, mass_se = (read_ragged(node, name, np.float64, shapes=each) for name in ("mass", "mass_se"))
    n_units = read_ragged(node, "n_units", np.int64, shapes=each)
    if any((own < 0).any() for own in n_units):
        raise damaged(node, "an alternative has fewer than no units")
    p_exists = read_ragged(node, "p_exists", np.float32, shapes=[(int(own.sum()),) for own in n_units])
    by_less = {
        name: read_ragged(node, name, np.float64, shapes=each, may_lack=True) for name in MASSES_BY_LESS
    }

    def ways(k: int) -> tuple[Alternative, ...]:
        parts = np.split(p_exists[k], np.cumsum(n_units[k])[:-1])
        known = {name: values[k].tolist() for name, values in by_less.items() if values[k] is not None}
        return tuple(
            Alternative(
                labels[k][i],
                probability[k][i],
                float(mass[k][i]),
                float(mass_se[k][i]),
                parts[i],
                **{name: masses[i] for name, masses in known.items()},
            )
            for i in range(len(labels[k]))
        )

    return [ways(k) for k in range(len(labels))]
