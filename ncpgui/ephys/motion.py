"""Whether the tissue moved along the probe, and by how much: estimated where the probe can see it.

Motion is seen as spikes that wander from contact to contact, so contacts must lie close along the probe, and
there must be many. Elsewhere nothing is estimated, and the reason is said.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.json_text import parse_json
from ncpgui.core.motion import MOTION_PRESETS, Motion, Places, places_of
from ncpgui.core.probe import Probe, longer_axis
from ncpgui.core.project import Project
from ncpgui.core.steps import Packing, text_array, text_of

if TYPE_CHECKING:
    from spikeinterface.core import BaseRecording

    from ncpgui.ephys.preprocessing import Preprocessed

MIN_CONTACTS = 16
MAX_PITCH_UM = 40.0
MIN_RANGE_UM = 5.0
"""Motion over a smaller range is left alone: estimates of tissue that stands still wander about as far."""
MIN_DURATION_S = 20.0
MIN_PEAKS = 500
SHOWN_PEAKS = 20_000
NEAR_MS = 0.3
"""Within this of its time a spike that is given is deepest."""
STRETCHES_S, SHORTEST_S = 60.0, 0.2
"""Of a recording that is looked at in stretches, so much of it together, and so much of each at least."""
PLACE_REACH_UM = 3.0
"""Tissue within this of a place is at that place: templates change little."""
MAX_PLACES = 16

MOTION = Packing[Motion](
    pack=lambda motion: {**motion.arrays(), "told": text_array(json.dumps(motion.told()))},
    unpack=lambda values: Motion.restored(
        parse_json(text_of(values["told"])), {name: values[name] for name in Motion().arrays()}
    ),
)


def motion_of(
    pre: Preprocessed,
    preset: str = "auto",
    *,
    given: NDArray[np.integer] | None = None,
    peak_sign: str = "neg",
    stretches: NDArray[np.integer] | None = None,
) -> Motion:
    """Estimate the motion of a recording, and say whether it counts.

    stretches : (m, 2) of the recording, from first samples on, that are looked at; all of it when left out

    given : samples of spikes that are known, in order, with peaks of a sign: the motion is that of their
        places where large spikes in the traces do not show it
    preset : `motion` of a SortingConfig: "auto" estimates where the probe can show motion, "off" nowhere; a
        name of `MOTION_PRESETS` estimates on any probe of one shank with contacts at two depths
    """
    if preset == "off":
        return Motion(reason="Motion was not looked for: it is set to off.")
    good = pre.good_channels
    assert pre.probe.shank is not None
    axis = longer_axis(pre.probe.positions_um[good], pre.probe.shank[good])
    hidden = why_not_seen(pre.probe, good, pre.n_samples / pre.sampling_frequency_hz, asked=preset != "auto")
    if hidden:
        return Motion(axis=axis, reason=f"Motion was not looked for: {hidden}.")
    taken = MOTION_PRESETS[0] if preset == "auto" else preset
    if stretches is not None:
        return _judged(_in_stretches(pre, taken, axis, np.asarray(stretches, np.int64)))
    found = _judged(_estimated(pre, taken, axis))
    if found.displacement_um.size or given is None or len(given) < MIN_PEAKS:
        return found
    by_spikes = _judged(_fewer_shown(_by_given(pre, taken, axis, given, peak_sign)))
    if by_spikes.displacement_um.size == 0:
        return found
    return replace(
        by_spikes, reason=f"{by_spikes.reason[:-1]} (by the places of the spikes that were given)."
    )


def why_not_seen(probe: Probe, good: NDArray[np.integer], duration_s: float, *, asked: bool = False) -> str:
    """Why motion along these contacts cannot be seen; "" where it can.

    asked : somebody wants it all the same: only what makes it impossible counts
    """
    assert probe.shank is not None
    n_shanks = len(np.unique(probe.shank[good]))
    if n_shanks > 1:
        return f"the probe has {n_shanks} shanks, and each may move on its own"
    pitch = pitch_along_um(probe.positions_um[good])
    if not np.isfinite(pitch):
        return "all contacts lie at one depth"
    if asked:
        return ""
    if len(good) < MIN_CONTACTS:
        return f"a probe of {len(good)} contacts does not show it, it takes {MIN_CONTACTS}"
    if pitch > MAX_PITCH_UM:
        apart = f"contacts {pitch:.0f} µm apart along the probe"
        return f"{apart} do not show it, it takes {MAX_PITCH_UM:g} µm or less"
    if duration_s < MIN_DURATION_S:
        return f"{duration_s:.0f} s are too short, it takes {MIN_DURATION_S:g} s"
    return ""


def pitch_along_um(places_um: NDArray[np.floating]) -> float:
    """Median step from a depth at which there are contacts to the next."""
    depth = np.unique(np.round(places_um[:, longer_axis(places_um)], 1))
    return float(np.median(np.diff(depth))) if len(depth) > 1 else float("inf")


def _in_stretches(pre: Preprocessed, preset: str, axis: int, stretches: NDArray[np.int64]) -> Motion:
    """Motion by stretches of the traces, one after the other, each at its own time.

    Of each the beginning is enough, `STRETCHES_S` together: large spikes are many.
    """
    from ncpgui.ephys.stretches import one_after_the_other

    rate = pre.sampling_frequency_hz
    most = max(round(STRETCHES_S * rate) // len(stretches), round(SHORTEST_S * rate))
    stretches = np.column_stack([stretches[:, 0], np.minimum(stretches[:, 1], stretches[:, 0] + most)])
    found = _estimated(pre, preset, axis, one_after_the_other(pre.in_noise_sd, stretches))
    begin_s = np.cumsum(np.append(0, np.diff(stretches, axis=1)[:, 0])) / rate

    def at(time_s: NDArray[np.float64]) -> NDArray[np.float64]:
        row = np.clip(np.searchsorted(begin_s, time_s, side="right") - 1, 0, len(stretches) - 1)
        return np.asarray(stretches[row, 0] / rate + time_s - begin_s[row])

    return replace(found, time_s=at(found.time_s), peak_time_s=at(found.peak_time_s))


def _estimated(pre: Preprocessed, preset: str, axis: int, traces: BaseRecording | None = None) -> Motion:
    """Motion by large spikes in the traces of a recording, or in others of its good channels."""
    from ncpgui.ephys.spikeinterface_adapter import estimated_motion

    positions_um = pre.probe.positions_um[pre.good_channels]
    found = estimated_motion(pre.in_noise_sd if traces is None else traces, positions_um, preset, axis)
    if len(found.peak_time_s) < MIN_PEAKS:
        n_peaks = len(found.peak_time_s)
        return Motion(
            axis=axis,
            reason=f"Motion was not looked for: {n_peaks} large spikes are too few, it takes {MIN_PEAKS}.",
        )
    return _fewer_shown(found)


def _fewer_shown(found: Motion) -> Motion:
    """The same with at most `SHOWN_PEAKS` of its spikes."""
    step = -(-len(found.peak_time_s) // SHOWN_PEAKS) or 1
    return replace(found, peak_time_s=found.peak_time_s[::step], peak_depth_um=found.peak_depth_um[::step])


def _by_given(
    pre: Preprocessed, preset: str, axis: int, given: NDArray[np.integer], peak_sign: str
) -> Motion:
    from ncpgui.ephys.spikeinterface_adapter import motion_of_spikes

    inside = np.unique(given[(given >= 0) & (given < pre.n_samples)])
    channel, height_sd = deepest_contacts(pre, inside, peak_sign=peak_sign)
    positions_um = pre.probe.positions_um[pre.good_channels]
    return motion_of_spikes(pre.in_noise_sd, positions_um, preset, axis, inside, channel, height_sd)


def deepest_contacts(
    pre: Preprocessed, sample_index: NDArray[np.integer], *, peak_sign: str = "neg"
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Good contact at which the traces are deepest within `NEAR_MS` of each sample, and how deep they are.

    sample_index : (n,) in order

    Returns
    -------
    (n,) place of the contact among the good ones, and (n,) height there, noise sd, > 0
    """
    good = np.asarray(pre.good_channels)
    near = max(1, round(NEAR_MS * pre.sampling_frequency_hz / 1000))
    channel, height_sd = np.zeros(len(sample_index), dtype=np.int64), np.zeros(len(sample_index))
    sign = {"neg": -1.0, "pos": 1.0}.get(peak_sign)
    for start in range(0, pre.n_samples, pre.piece_samples):
        stop = min(start + pre.piece_samples, pre.n_samples)
        low, high = np.searchsorted(sample_index, [start, stop])
        if low == high:
            continue
        traces = pre.padded_traces(start - near, stop + near)[:, good]
        high_up = np.abs(traces) if sign is None else sign * traces
        first = sample_index[low:high] - start
        best = np.max([high_up[first + by] for by in range(2 * near + 1)], axis=0)
        channel[low:high], height_sd[low:high] = best.argmax(axis=1), best.max(axis=1)
    return channel, height_sd


def _judged(found: Motion) -> Motion:
    """The same with whether it counts, and a sentence."""
    if found.displacement_um.size == 0:
        if not found.reason:
            return replace(found, reason=f"Motion could not be estimated by {found.preset}.")
        return found
    size = f"The tissue moved over {found.range_um:.0f} µm along the probe"
    if found.range_um <= MIN_RANGE_UM:
        return replace(found, reason=f"{size}; up to {MIN_RANGE_UM:g} µm are left alone.")
    return replace(found, applied=True, reason=f"{size}; templates follow it.")


def places_in(pre: Preprocessed, motion: Motion) -> Places:
    """The stretches of a recording in which the tissue stands still, for matching."""
    return places_during(motion, n_samples=pre.n_samples, sampling_frequency_hz=pre.sampling_frequency_hz)


def places_during(motion: Motion, *, n_samples: int, sampling_frequency_hz: float) -> Places:
    """The same, of a recording that is not at hand."""
    return places_of(
        motion,
        n_samples=n_samples,
        sampling_frequency_hz=sampling_frequency_hz,
        reach_um=PLACE_REACH_UM,
        most=MAX_PLACES,
    )


def places_in_project(project: Project) -> Places | None:
    """The same of the recording of a project; None where nothing is known of its motion."""
    if project.motion is None:
        return None
    n_samples, rate_hz = project.spikes.n_samples, project.spikes.sampling_frequency_hz
    return places_during(project.motion, n_samples=n_samples, sampling_frequency_hz=rate_hz)
