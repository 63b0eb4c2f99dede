"""A Project to and from the groups of a session file."""

from __future__ import annotations

import h5py
import numpy as np

from ncpgui.core.errors import InputError, SessionFormatError
from ncpgui.core.group import Alternative, ChannelGroup
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.core.probe import Probe
from ncpgui.core.project import Project, RecordingReference
from ncpgui.core.spikes import SpikeEvents
from ncpgui.core.stimulus import Stimulus
from ncpgui.session.codecs import (
    attribute,
    create_group,
    element,
    place,
    read_array,
    read_integers,
    read_json,
    read_string,
    write_array,
    write_integers,
    write_json,
    write_string,
)


def write_project(root: h5py.Group, project: Project) -> None:
    """Write everything but the waveforms, which go to the cache."""
    _write_recording(root, project.recording)
    _write_probe(root, project.probe)
    _write_spikes(root, project.spikes)
    write_array(root, "noise_sd", project.noise_sd, unit="unit of the recording")
    sorting = create_group(root, "sorting", "sorting")
    write_integers(sorting, "unit_of_spike", project.unit_of_spike)
    write_array(sorting, "probability", project.probability)
    groups = create_group(root, "groups", "groups")
    for number, group in enumerate(project.groups):
        _write_channel_group(groups, str(number), group)
    if project.stimulus is not None:
        _write_stimulus(root, project.stimulus)
    write_json(root, "settings", project.settings)
    write_string(root, "model", project.model)
    write_json(root, "failed", {str(channel): text for channel, text in project.failed.items()})
    write_json(root, "history", list(project.history))


def read_project(root: h5py.Group) -> Project:
    """Read a project, without waveforms.

    Raises
    ------
    SessionFormatError
        An element is missing, damaged, does not fit the others, or is newer than this program.
    """
    probe = _read_probe(root)
    spikes = _read_spikes(root, probe)
    sorting = element(root, "sorting", "sorting")
    history = read_json(root, "history", list)
    if not all(isinstance(entry, dict) for entry in history):
        raise SessionFormatError(
            f"{place(root, 'history')} should hold one object a command, the file is damaged; use a backup"
        )
    groups = element(root, "groups", "groups")
    failed = read_json(root, "failed", dict)
    return Project(
        recording=_read_recording(root),
        probe=probe,
        spikes=spikes,
        noise_sd=read_array(root, "noise_sd", np.float32, shape=(probe.n_channels,)),
        groups=tuple(
            _read_channel_group(groups, str(number), spikes, probe) for number in range(len(groups))
        ),
        unit_of_spike=read_integers(sorting, "unit_of_spike", np.int64, shape=(len(spikes),)),
        probability=read_array(sorting, "probability", np.float32, shape=(len(spikes),)),
        settings=read_json(root, "settings", dict),
        model=read_string(root, "model"),
        failed={int(channel): str(text) for channel, text in failed.items()},
        stimulus=_read_stimulus(root) if "stimulus" in root else None,
        history=tuple(history),
    )


def _write_recording(root: h5py.Group, recording: RecordingReference) -> None:
    group = create_group(root, "recording", "recording")
    write_string(group, "path", recording.path)
    write_json(group, "options", recording.options)
    group.attrs["fingerprint"] = recording.fingerprint
    group.attrs["n_channels"] = recording.n_channels
    group.attrs["sampling_frequency_hz"] = float(recording.sampling_frequency_hz)
    group.attrs["n_samples"] = recording.n_samples


def _read_recording(root: h5py.Group) -> RecordingReference:
    group = element(root, "recording", "recording")
    return RecordingReference(
        path=read_string(group, "path"),
        options=read_json(group, "options", dict),
        fingerprint=attribute(group, "fingerprint", str),
        n_channels=attribute(group, "n_channels", int),
        sampling_frequency_hz=attribute(group, "sampling_frequency_hz", float),
        n_samples=attribute(group, "n_samples", int),
    )


def _write_probe(root: h5py.Group, probe: Probe) -> None:
    group = create_group(root, "probe", "probe")
    write_array(group, "positions_um", probe.positions_um, unit="um")
    assert probe.shank is not None
    write_integers(group, "shank", probe.shank)


def _read_probe(root: h5py.Group) -> Probe:
    group = element(root, "probe", "probe")
    positions = read_array(group, "positions_um", np.float64, shape=(None, 2))
    shank = read_integers(group, "shank", np.int64, shape=(len(positions),))
    try:
        return Probe(positions, shank)
    except InputError as error:
        raise _damaged(group, error) from error


def _write_spikes(root: h5py.Group, spikes: SpikeEvents) -> None:
    group = create_group(root, "spikes", "spikes")
    group.attrs["sampling_frequency_hz"] = float(spikes.sampling_frequency_hz)
    group.attrs["n_samples"] = int(spikes.n_samples)
    write_integers(group, "sample_index", spikes.sample_index, unit="samples")
    write_integers(group, "channel", spikes.channel)
    write_array(group, "amplitude", spikes.amplitude, unit="noise sd")


def _read_spikes(root: h5py.Group, probe: Probe) -> SpikeEvents:
    group = element(root, "spikes", "spikes")
    sample_index = read_integers(group, "sample_index", np.int64, shape=(None,))
    channel = read_integers(group, "channel", np.int32, shape=(len(sample_index),))
    if len(channel) and not 0 <= channel.min() <= channel.max() < probe.n_channels:
        raise _damaged(group, f"spikes on channels that the probe of {probe.n_channels} contacts lacks")
    try:
        return SpikeEvents(
            sample_index=sample_index,
            channel=channel,
            amplitude=read_array(group, "amplitude", np.float32, shape=(len(sample_index),)),
            sampling_frequency_hz=attribute(group, "sampling_frequency_hz", float),
            n_samples=attribute(group, "n_samples", int),
        )
    except InputError as error:
        raise _damaged(group, error) from error


def _write_channel_group(groups: h5py.Group, name: str, value: ChannelGroup) -> None:
    group = create_group(groups, name, "channel-group")
    group.attrs["channel"] = int(value.channel)
    write_integers(group, "neighbours", value.neighbours)
    write_integers(group, "spike_ids", value.spike_ids)
    write_integers(group, "sampled", value.sampled)
    posterior = create_group(group, "posterior", "posterior")
    write_integers(posterior, "labels", value.posterior.labels)
    write_array(posterior, "log_prob", value.posterior.log_prob, unit="nats")
    write_array(posterior, "weight", value.posterior.weight)
    if value.posterior.order is not None:
        write_integers(posterior, "order", value.posterior.order)
    _write_alternatives(group, value.alternatives, len(value.spike_ids))


def _read_channel_group(groups: h5py.Group, name: str, spikes: SpikeEvents, probe: Probe) -> ChannelGroup:
    group = element(groups, name, "channel-group")
    channel = attribute(group, "channel", int)
    neighbours = read_integers(group, "neighbours", np.int64, shape=(None,))
    spike_ids = read_integers(group, "spike_ids", np.int64, shape=(None,))
    sampled = read_integers(group, "sampled", np.int64, shape=(None,))
    for what, values, stop in (
        ("a channel", np.append(neighbours, channel), probe.n_channels),
        ("a spike", spike_ids, len(spikes)),
        ("a sampled spike", sampled, len(spike_ids)),
    ):
        if len(values) and not 0 <= values.min() <= values.max() < stop:
            raise _damaged(group, f"{what} outside 0 to {stop - 1}")
    node = element(group, "posterior", "posterior")
    labels = read_integers(node, "labels", np.int32, shape=(None, len(sampled)))
    try:
        posterior = PosteriorSamples(
            labels,
            read_array(node, "log_prob", np.float64, shape=(len(labels),)),
            read_array(node, "weight", np.float64, shape=(len(labels),)),
            read_integers(node, "order", np.int32, shape=(len(labels),)) if "order" in node else None,
        )
    except InputError as error:
        raise _damaged(node, error) from error
    return ChannelGroup(
        channel=channel,
        neighbours=neighbours,
        spike_ids=spike_ids,
        sampled=sampled,
        posterior=posterior,
        alternatives=_read_alternatives(group, len(spike_ids)),
    )


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
    return tuple(
        Alternative(labels[i], probability[i], float(mass[i]), float(mass_se[i]), parts[i]) for i in range(n)
    )


def _write_stimulus(root: h5py.Group, stimulus: Stimulus) -> None:
    group = create_group(root, "stimulus", "stimulus")
    group.attrs["pixel_um"] = float(stimulus.pixel_um)
    write_array(group, "frames", stimulus.frames)
    write_integers(group, "trigger_sample", stimulus.trigger_sample, unit="samples")


def _read_stimulus(root: h5py.Group) -> Stimulus:
    group = element(root, "stimulus", "stimulus")
    frames = element(group, "frames", "array")[()]
    try:
        return Stimulus(
            frames=frames,
            trigger_sample=read_integers(group, "trigger_sample", np.int64, shape=(None,)),
            pixel_um=attribute(group, "pixel_um", float),
        )
    except InputError as error:
        raise _damaged(group, error) from error


def _damaged(node: h5py.Group, reason: object) -> SessionFormatError:
    return SessionFormatError(f"{place(node)} cannot be used: {reason} (the file is damaged; use a backup)")
