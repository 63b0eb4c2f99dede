"""Recordings with some spikes that are known: templates of one recording, inserted into another.

As in the paper (SM D): units of a recording are chosen, their mean waveforms measured there, and put into
a second recording at the times of their own spikes. The second is simulated too, with other units, or real.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from spikeinterface.core import BaseRecording, NumpySorting, Templates, estimate_templates
from spikeinterface.generation import generate_hybrid_recording
from spikeinterface.preprocessing import astype

from benchmarks.common.kept import made_once
from benchmarks.recordings.generator import MS_AFTER, MS_BEFORE, UV_PER_COUNT, counts_of, in_file
from benchmarks.recordings.ground_truth import GroundTruth, made, probe_of, true_snr
from benchmarks.recordings.sorted_apart import OnDisk
from ncpgui.core.seeds import stream, stream_seed

MIN_SNR = 3.0
"""Of units that are inserted: smaller ones nobody would have chosen from a sorted recording."""
MIN_SPIKES = 30
AMPLITUDE_SD = 0.07
"""Of the factor that each inserted spike gets, as in the recordings that templates come from."""


@dataclass(frozen=True)
class RealHost:
    """A real recording: a file of int16, interleaved, and the probe of the same name in `ground_truth`."""

    path: Path
    probe: str
    sampling_frequency_hz: float


@dataclass(frozen=True)
class Hybrid:
    """A recording with inserted units.

    truth : their spikes, unit 0 .. K-1; peak_to_peak : (K,) of their templates, in sd of the host's noise
    rate_hz : (K,)
    """

    recording: OnDisk
    truth: NumpySorting
    peak_to_peak: NDArray[np.float64]
    rate_hz: NDArray[np.float64]


def chosen_units(
    snr: NDArray[np.floating], n_spikes: NDArray[np.integer], n_units: int, seed: int
) -> NDArray[np.int64]:
    """Return `n_units` at random of those that are large and frequent enough, in order.

    Raises
    ------
    ValueError
        There are fewer.
    """
    fit = np.flatnonzero((np.asarray(snr) >= MIN_SNR) & (np.asarray(n_spikes) >= MIN_SPIKES))
    if len(fit) < n_units:
        raise ValueError(
            f"{n_units} units are to be inserted, but {len(fit)} of {len(snr)} have an SNR of {MIN_SNR:g} "
            f"and {MIN_SPIKES} spikes; take fewer, or a recording with more units"
        )
    return np.sort(stream(seed, "inserted units").choice(fit, n_units, replace=False))


def made_hybrid(donor: GroundTruth, host: GroundTruth | RealHost, n_units: int, cache: Path) -> Hybrid:
    """Return `host` with `n_units` of `donor`, from `cache` where it has been made before."""
    about = {"donor": asdict(donor), "host": _told(host), "inserted": n_units}
    place = cache / f"hybrid-{donor.probe}-{donor.seed}"
    probe = probe_of(donor)
    made_once(place / "about.json", about, lambda: _make(donor, host, n_units, cache, place))
    rate = donor.sampling_frequency_hz
    with np.load(place / "inserted.npz") as kept:
        truth = NumpySorting.from_samples_and_labels(
            [kept["sample_index"]], [kept["unit"]], rate, unit_ids=np.arange(n_units)
        )
        sizes, rates = kept["peak_to_peak"], kept["rate_hz"]
    return Hybrid(OnDisk(place / "traces.raw", rate, UV_PER_COUNT, probe, about), truth, sizes, rates)


def _told(host: GroundTruth | RealHost) -> dict[str, Any]:
    if isinstance(host, GroundTruth):
        return asdict(host)
    return {"file": host.path.name, "probe": host.probe, "sampling_frequency_hz": host.sampling_frequency_hz}


def _make(donor: GroundTruth, host: GroundTruth | RealHost, n_units: int, cache: Path, place: Path) -> None:
    source, units = made(donor, cache)
    target = _opened(host, cache)
    counts = np.array([len(units.get_unit_spike_train(unit)) for unit in units.unit_ids])
    chosen = chosen_units(true_snr(donor, cache), counts, n_units, donor.seed)
    inserted = _within(units.select_units(chosen), target.get_num_frames())
    rate = donor.sampling_frequency_hz
    before, after = (round(ms * rate / 1000) for ms in (MS_BEFORE, MS_AFTER))
    waveforms = estimate_templates(
        source,
        inserted.to_spike_vector(),
        inserted.unit_ids,
        before,
        after,
        return_in_uV=False,
        n_jobs=1,
        progress_bar=False,
    )
    noise = noise_sd(target)
    waveforms = waveforms * (np.median(noise) / np.median(noise_sd(source)))  # as large in the host's noise
    templates = Templates(waveforms.astype(np.float32), rate, before, is_in_uV=False, probe=probe_of(donor))
    mixed, _ = generate_hybrid_recording(
        astype(target, "float32"),
        sorting=inserted,
        templates=templates,
        are_templates_scaled=False,
        amplitude_std=AMPLITUDE_SD,
        seed=stream_seed(donor.seed, "inserted amplitudes"),
    )
    with (place / "traces.raw").open("wb") as file:
        for piece in counts_of(mixed, 1.0):
            file.write(piece.tobytes())
    spikes = inserted.to_spike_vector()
    np.savez(
        place / "inserted.npz",
        sample_index=spikes["sample_index"],
        unit=spikes["unit_index"],
        peak_to_peak=(np.ptp(waveforms, axis=1) / noise).max(axis=1),
        rate_hz=np.bincount(spikes["unit_index"], minlength=n_units) * rate / target.get_num_frames(),
    )


def _within(units: NumpySorting, n_samples: int) -> NumpySorting:
    """Units with their spikes before the end of the host, numbered from 0."""
    trains = [units.get_unit_spike_train(unit) for unit in units.unit_ids]
    return NumpySorting.from_unit_dict(
        [{i: train[train < n_samples] for i, train in enumerate(trains)}], units.sampling_frequency
    )


def _opened(host: GroundTruth | RealHost, cache: Path) -> BaseRecording:
    if isinstance(host, GroundTruth):
        return made(host, cache)[0]
    probe = probe_of(GroundTruth(host.probe, host.sampling_frequency_hz, 0, 0.0))
    return in_file(host.path, host.sampling_frequency_hz, probe)


def noise_sd(recording: BaseRecording) -> NDArray[np.float64]:
    """Noise sd of each channel in steps of the file, by the median deviation of its first 20 s."""
    end = min(recording.get_num_frames(), round(20 * recording.sampling_frequency))
    traces = recording.get_traces(start_frame=0, end_frame=end).astype(np.float32)
    sd: NDArray[np.float64] = np.median(np.abs(traces - np.median(traces, axis=0)), axis=0) / 0.6745
    return sd
