"""A Project to and from a session file."""

from __future__ import annotations

from typing import Any

import h5py
import numpy as np

from ncpgui.core.clock import Clock
from ncpgui.core.errors import InputError, SessionFormatError
from ncpgui.core.events import Events
from ncpgui.core.given import GivenSorting
from ncpgui.core.left_out import LeftOut
from ncpgui.core.motion import Motion
from ncpgui.core.probe import Probe
from ncpgui.core.progress import Progress, silent
from ncpgui.core.project import Project, RecordingReference
from ncpgui.core.proposals import Proposal
from ncpgui.core.spikes import SpikeEvents
from ncpgui.core.stimulus import Stimulus
from ncpgui.session.codecs import (
    attribute,
    create_group,
    damaged,
    element,
    place,
    read_array,
    read_attributes,
    read_integers,
    read_json,
    read_string,
    usable,
    write_array,
    write_attributes,
    write_integers,
    write_json,
    write_string,
)
from ncpgui.session.component_codec import (
    read_components,
    write_components,
    write_waiting,
)

MAY_LACK = ("p_neuron", "lost")
"""Probabilities of each spike that are absent where they are not known."""
MOST_SAMPLES = 2**42
"""More than any recording has: four years at 30 kHz."""
OF_RECORDING = {
    "fingerprint": str,
    "n_channels": int,
    "sampling_frequency_hz": float,
    "n_samples": int,
    "first_sample": int,
    "second_0": str,
}
OF_SPIKES = {"sampling_frequency_hz": float, "n_samples": int}


def write_project(root: h5py.Group, project: Project) -> None:
    """Write everything but the waveforms, which go to the cache."""
    _write_recording(root, project.recording)
    _write_probe(root, project.probe)
    _write_spikes(root, project.spikes)
    write_array(root, "noise_sd", project.noise_sd, unit="unit of the recording")
    sorting = create_group(root, "sorting", "sorting")
    sorting.attrs["next_unit"] = project.highest + 1
    write_integers(sorting, "unit_of_spike", project.unit_of_spike)
    write_array(sorting, "probability", project.probability)
    for name in MAY_LACK:
        if (values := getattr(project, name)) is not None:
            write_array(sorting, name, values)
    if project.left_out is not None:
        write_json(sorting, "left_out", project.left_out.told())
    write_components(root, project.components)
    write_waiting(root, project.waiting)
    for name, write in (
        ("motion", _write_motion),
        ("stimulus", _write_stimulus),
        ("events", _write_events),
        ("given", _write_given),
    ):
        if (part := getattr(project, name)) is not None:
            write(root, part)
    write_json(root, "settings", project.settings)
    write_string(root, "model", project.model)
    write_json(root, "failed", {str(key): text for key, text in project.failed.items()})
    write_json(root, "history", list(project.history))


def read_project(root: h5py.Group, *, progress: Progress = silent) -> Project:
    """Read a project without its waveforms.

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
    failed = read_json(root, "failed", dict)
    components, waiting = read_components(root, spikes, probe, progress=progress)
    known: dict[str, Any] = {
        name: read_array(sorting, name, np.float32, shape=(len(spikes),))
        for name in MAY_LACK
        if name in sorting
    }
    return Project(
        recording=_read_recording(root),
        probe=probe,
        spikes=spikes,
        noise_sd=read_array(root, "noise_sd", np.float32, shape=(probe.n_channels,)),
        components=components,
        waiting=waiting,
        unit_of_spike=read_integers(sorting, "unit_of_spike", np.int64, shape=(len(spikes),)),
        probability=read_array(sorting, "probability", np.float32, shape=(len(spikes),)),
        **known,
        left_out=_read_left_out(sorting) if "left_out" in sorting else None,
        motion=_read_motion(root) if "motion" in root else None,
        settings=read_json(root, "settings", dict),
        model=read_string(root, "model"),
        failed={int(key): str(text) for key, text in failed.items()},
        stimulus=_read_stimulus(root) if "stimulus" in root else None,
        events=_read_events(root) if "events" in root else None,
        given=_read_given(root, len(spikes)) if "given" in root else None,
        history=tuple(history),
        highest=attribute(sorting, "next_unit", int) - 1,
    )


def _write_recording(root: h5py.Group, recording: RecordingReference) -> None:
    group = create_group(root, "recording", "recording")
    write_string(group, "path", recording.path)
    write_json(group, "options", recording.options)
    write_attributes(group, recording, OF_RECORDING)
    if recording.own_clock is not None:
        _write_clock(group, recording.own_clock)


def _read_recording(root: h5py.Group) -> RecordingReference:
    group = element(root, "recording", "recording")
    reference = RecordingReference(
        path=read_string(group, "path"),
        options=read_json(group, "options", dict),
        own_clock=_read_clock(group) if "clock" in group else None,
        **read_attributes(group, OF_RECORDING),
    )
    if not 0 <= reference.n_samples <= MOST_SAMPLES:
        raise damaged(group, f"n_samples is {reference.n_samples}, which no recording has")
    return reference


def _write_clock(recording: h5py.Group, clock: Clock) -> None:
    group = create_group(recording, "clock", "clock")
    group.attrs["sampling_frequency_hz"] = float(clock.sampling_frequency_hz)
    write_integers(group, "sample", clock.sample, unit="samples")
    write_array(group, "time_s", clock.time_s, unit="s")
    write_integers(group, "segment_start", clock.segment_start, unit="samples")


def _read_clock(recording: h5py.Group) -> Clock:
    with usable(recording, "clock", "clock") as group:
        return Clock(
            attribute(group, "sampling_frequency_hz", float),
            read_integers(group, "sample", np.int64, shape=(None,)),
            read_array(group, "time_s", np.float64, shape=(None,)),
            read_integers(group, "segment_start", np.int64, shape=(None,)),
        )


def _read_left_out(sorting: h5py.Group) -> LeftOut:
    try:
        return LeftOut.restored(read_json(sorting, "left_out", dict))
    except InputError as error:
        raise damaged(sorting, error) from error


def _write_motion(root: h5py.Group, motion: Motion) -> None:
    group = create_group(root, "motion", "motion")
    write_json(group, "told", motion.told())
    for name, values in motion.arrays().items():
        write_array(group, name, values, unit="s" if name.endswith("_s") else "um")


def _read_motion(root: h5py.Group) -> Motion:
    group = element(root, "motion", "motion")
    told = read_json(group, "told", dict)
    shapes = {name: (None,) * values.ndim for name, values in Motion().arrays().items()}
    arrays = {name: read_array(group, name, np.float64, shape=shape) for name, shape in shapes.items()}
    try:
        return Motion.restored(told, arrays)
    except TypeError as error:
        raise SessionFormatError(
            f"{place(group, 'told')} does not describe a motion, the file is damaged; use a backup"
        ) from error


def _write_probe(root: h5py.Group, probe: Probe) -> None:
    group = create_group(root, "probe", "probe")
    write_array(group, "positions_um", probe.positions_um, unit="um")
    assert probe.shank is not None
    write_integers(group, "shank", probe.shank)


def _read_probe(root: h5py.Group) -> Probe:
    with usable(root, "probe", "probe") as group:
        positions = read_array(group, "positions_um", np.float64, shape=(None, 2))
        return Probe(positions, read_integers(group, "shank", np.int64, shape=(len(positions),)))


def _write_spikes(root: h5py.Group, spikes: SpikeEvents) -> None:
    group = create_group(root, "spikes", "spikes")
    write_attributes(group, spikes, OF_SPIKES)
    write_integers(group, "sample_index", spikes.sample_index, unit="samples")
    write_integers(group, "channel", spikes.channel)
    write_array(group, "amplitude", spikes.amplitude, unit="noise sd")


def _read_spikes(root: h5py.Group, probe: Probe) -> SpikeEvents:
    with usable(root, "spikes", "spikes") as group:
        sample_index = read_integers(group, "sample_index", np.int64, shape=(None,))
        channel = read_integers(group, "channel", np.int32, shape=(len(sample_index),))
        if len(channel) and not 0 <= channel.min() <= channel.max() < probe.n_channels:
            raise damaged(group, f"spikes on channels that the probe of {probe.n_channels} contacts lacks")
        amplitude = read_array(group, "amplitude", np.float32, shape=(len(sample_index),))
        return SpikeEvents(sample_index, channel, amplitude, **read_attributes(group, OF_SPIKES))


def _write_stimulus(root: h5py.Group, stimulus: Stimulus) -> None:
    group = create_group(root, "stimulus", "stimulus")
    group.attrs["pixel_um"] = float(stimulus.pixel_um)
    write_array(group, "frames", stimulus.frames)
    write_integers(group, "trigger_sample", stimulus.trigger_sample, unit="samples")


def _read_stimulus(root: h5py.Group) -> Stimulus:
    with usable(root, "stimulus", "stimulus") as group:
        return Stimulus(
            frames=element(group, "frames", "array")[()],
            trigger_sample=read_integers(group, "trigger_sample", np.int64, shape=(None,)),
            pixel_um=attribute(group, "pixel_um", float),
        )


def _write_events(root: h5py.Group, events: Events) -> None:
    group = create_group(root, "events", "events")
    write_array(group, "time_s", events.time_s, unit="s")
    write_integers(group, "kind", events.kind)
    write_json(group, "names", list(events.names))


def _read_events(root: h5py.Group) -> Events:
    with usable(root, "events", "events") as group:
        time_s = read_array(group, "time_s", np.float64, shape=(None,))
        return Events(
            time_s,
            read_integers(group, "kind", np.int64, shape=(len(time_s),)),
            tuple(str(name) for name in read_json(group, "names", list)),
        )


def _write_given(root: h5py.Group, given: GivenSorting) -> None:
    group = create_group(root, "given", "given-sorting")
    group.attrs["kind"] = given.kind
    group.attrs["digest"] = given.digest
    write_string(group, "path", given.path)
    write_integers(group, "rows", given.rows)
    write_json(group, "labels", {str(unit): label for unit, label in given.labels.items()})
    write_json(group, "names", {str(unit): name for unit, name in given.names.items()})
    group.attrs["highest"] = given.highest
    write_json(group, "silent", list(given.silent))
    proposals = [[one.source, one.kind, list(one.units), one.label] for one in given.proposals]
    write_json(group, "proposals", proposals)


def _read_given(root: h5py.Group, n_spikes: int) -> GivenSorting:
    group = element(root, "given", "given-sorting")
    try:
        return GivenSorting(
            path=read_string(group, "path"),
            kind=attribute(group, "kind", str),
            rows=read_integers(group, "rows", np.int64, shape=(n_spikes,)),
            digest=attribute(group, "digest", str),
            labels={int(key): str(label) for key, label in read_json(group, "labels", dict).items()},
            names={
                int(key): name if isinstance(name, int) else str(name)
                for key, name in read_json(group, "names", dict).items()
            },
            silent=tuple(int(unit) for unit in read_json(group, "silent", list)),
            highest=attribute(group, "highest", int, least=-1),
            proposals=tuple(
                Proposal(str(source), kind, tuple(int(unit) for unit in units), str(label))
                for source, kind, units, label in read_json(group, "proposals", list)
                if kind in ("merge", "label")
            ),
        )
    except (TypeError, ValueError) as error:
        raise SessionFormatError(
            f"{place(group, 'labels')} should name units by whole numbers, the file is damaged; use a backup"
        ) from error
