"""From a recording to filtered traces in noise sd: one lazily evaluated chain of SpikeInterface.

Samples of channels that were not sampled at once are moved to one time, the band of spikes is kept, dead and
noisy channels are left out, artefacts and silence are blanked (`blanking`), the median of the other channels
is subtracted (`reference`), and each channel is divided by its noise (`noise_levels`). Nothing is computed
before it is asked for, and then once (`cached_recording`). No other traces are kept on the disk: what is made
of these, whitened or moved back, costs less to make again than to keep.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from types import TracebackType
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.errors import InputError, RecordingError
from ncpgui.core.probe import Probe
from ncpgui.core.progress import Progress, silent
from ncpgui.core.waveform_format import N_SAMPLES
from ncpgui.ephys.recording import Recording, check_range

if TYPE_CHECKING:
    from spikeinterface.core import BaseRecording

    from ncpgui.core.motion import Motion
    from ncpgui.ephys.blanking import Blanked
    from ncpgui.ephys.cached_recording import KeptRecording

log = logging.getLogger(__name__)

FILTER_ORDER = 3
MAX_LOWPASS_SHARE = 0.45
MIN_CHANNELS_FOR_REFERENCE = 8
MIN_SAMPLES = 64
N_FREQUENCIES = 4096


@dataclass(frozen=True)
class FilterSettings:
    """Band in Hz, and whether a common median reference was subtracted."""

    highpass_hz: float
    lowpass_hz: float
    reference: str

    def band_power(self, sampling_frequency_hz: float) -> NDArray[np.float64]:
        """Power that the band-pass leaves of white noise, from 0 to half the sampling frequency: (F,)."""
        from scipy.signal import butter, sosfreqz

        band = [self.highpass_hz, self.lowpass_hz]
        sections = butter(FILTER_ORDER, band, "bandpass", fs=sampling_frequency_hz, output="sos")
        response = sosfreqz(sections, np.linspace(0, np.pi, N_FREQUENCIES + 1))[1]
        return np.asarray(np.abs(response) ** 4, np.float64)  # forward and backward

    def white_density(self, sampling_frequency_hz: float) -> float:
        """Power of white noise where the band passes most of it, beside the mean over all frequencies.

        It is the variance of a matched filter of length 1 there, in filtered noise of sd 1.
        """
        power = self.band_power(sampling_frequency_hz)
        return float(power.max() / power.mean())


class Preprocessed:
    """Filtered traces in noise sd, computed when first asked for.

    in_noise_sd : the good channels as a recording of SpikeInterface, shanks far from each other;
    looked_at : the same, or parts of it one after the other: where noise is measured;
    good_channels : (n_good,) int64, rows of the probe that they are;
    bad_channels : dead and noisy channels; their traces are zero;
    noise_sd : (n_channels,) float32, of the filtered traces, in the file's unit.
    """

    def __init__(
        self,
        recording: Recording,
        kept: KeptRecording,
        blanked: Blanked,
        *,
        good: NDArray[np.int64],
        noise_sd: NDArray[np.float32],
        settings: FilterSettings,
    ) -> None:
        self.recording = recording
        self.settings = settings
        self.noise_sd = noise_sd
        self.probe: Probe = recording.probe
        self.sampling_frequency_hz = recording.sampling_frequency_hz
        self.n_samples = recording.n_samples
        self.n_channels = recording.n_channels
        self.good_channels = good
        self.bad_channels: tuple[int, ...] = tuple(
            int(c) for c in np.setdiff1d(np.arange(recording.n_channels), good)
        )
        self.in_noise_sd = kept
        self.looked_at: BaseRecording = kept
        self.piece_samples: int = kept.piece_samples
        self._blanked = blanked

    def traces(self, start: int, stop: int) -> NDArray[np.float32]:
        """Filtered samples `start` to `stop`: (stop - start, n_channels), noise sd.

        Raises
        ------
        RecordingError
            A sample is NaN or infinite; the message names it.
        """
        check_range(start, stop, self.n_samples)
        good: NDArray[np.float32] = self.in_noise_sd.get_traces(start_frame=start, end_frame=stop)
        if not self.bad_channels:
            return good
        result = np.zeros((stop - start, self.n_channels), dtype=np.float32)
        result[:, self.good_channels] = good
        return result

    def padded_traces(self, start: int, stop: int) -> NDArray[np.float32]:
        """Like `traces`, but samples outside the recording repeat the first or last one."""
        inside = self.traces(max(start, 0), min(stop, self.n_samples))
        before, after = max(0, -start), max(0, stop - self.n_samples)
        return np.pad(inside, ((before, after), (0, 0)), mode="edge") if before or after else inside

    @cached_property
    def whitening(self) -> NDArray[np.float32]:
        """What the traces of the good channels are multiplied with for `whitened`: (n_good, n_good)."""
        from ncpgui.ephys.spikeinterface_adapter import whitening_matrix

        return whitening_matrix(self.looked_at)

    @cached_property
    def whitening_in_time(self) -> NDArray[np.float32] | None:
        """Taps of the filter that these go through then (`time_whitening`); None where the noise is white."""
        from ncpgui.ephys.local_whitening import Whitened
        from ncpgui.ephys.noise_covariance import measured_covariance
        from ncpgui.ephys.time_whitening import LAGS_MS, whitening_filter

        rate = self.sampling_frequency_hz
        noise = measured_covariance(Whitened(self.looked_at, self.whitening), round(LAGS_MS * rate / 1000))
        taps = whitening_filter(noise, self.settings.band_power(rate), rate)
        if taps is not None:
            log.info("the noise is coloured: traces are whitened in time too, for matching")
        return taps

    @cached_property
    def waveform_maps(self) -> NDArray[np.float32] | None:
        """What makes noise of waveforms white (`white_waveforms`): (n_channels, 32, 32); None if it is."""
        from ncpgui.ephys.noise_covariance import measured_covariance
        from ncpgui.ephys.white_waveforms import (
            at_waveform_lags,
            band_autocorrelation,
            lags_of_waveforms,
            maps_to,
        )

        if self.whitening_in_time is None:
            return None
        rate = self.sampling_frequency_hz
        noise = measured_covariance(self.looked_at, lags_of_waveforms(rate))
        own = noise.by_lag[noise.first == noise.second, noise.n_lags - 1 :]
        measured = (own[:, 1:] != 0).any(axis=1)
        result = np.tile(np.eye(N_SAMPLES, dtype=np.float32), (self.n_channels, 1, 1))
        wanted = band_autocorrelation(self.settings.band_power(rate), rate)
        result[self.good_channels[measured]] = maps_to(at_waveform_lags(own[measured], rate), wanted)
        return result

    def whitened(self, *, where_looked_at: bool = False) -> BaseRecording:
        """Traces of the good channels with noise of sd 1 that neighbours do not share, computed when read.

        In time their noise is as that of white noise behind the band-pass.
        """
        from ncpgui.ephys.local_whitening import Whitened

        traces = self.looked_at if where_looked_at else self.in_noise_sd
        return Whitened(traces, self.whitening, self.whitening_in_time)

    def unwhitened(self, waveforms: NDArray[np.float32]) -> NDArray[np.float32]:
        """Waveforms of `whitened` traces (K, T, n_good) as they are in the filtered ones: (K, T, C)."""
        from ncpgui.ephys.time_whitening import unfiltered

        result = np.zeros((*waveforms.shape[:2], self.n_channels), np.float32)
        if len(waveforms):
            if self.whitening_in_time is not None:
                waveforms = unfiltered(waveforms, self.whitening_in_time).astype(np.float32)
            result[:, :, self.good_channels] = waveforms @ np.linalg.inv(self.whitening.astype(np.float64))
        return result

    def in_white_noise(
        self, waveforms: NDArray[np.float32], channels: NDArray[np.integer]
    ) -> NDArray[np.float32]:
        """Waveforms (n, 32, C) of channels (C,) as they would be in white noise behind the band-pass."""
        from ncpgui.ephys.white_waveforms import mapped

        maps = self.waveform_maps
        return waveforms if maps is None else mapped(waveforms, maps[channels])

    def blanked(self) -> list[str]:
        """What was blanked of the traces read so far: a sentence for each reason."""
        return self._blanked.said(self.recording.reference.clock)

    def moved_back(self, motion: Motion) -> Preprocessed:
        """Return the same recording as the contacts would see it, had the tissue stayed; close it too."""
        from ncpgui.ephys.cached_recording import KeptRecording
        from ncpgui.ephys.noise_levels import noise_levels
        from ncpgui.ephys.spikeinterface_adapter import moved_back, place_contacts, scaled

        steady = moved_back(self.in_noise_sd, motion)
        level = noise_levels(steady)
        kept = KeptRecording(scaled(steady, 1 / level), self.recording, on_disk=False)
        place_contacts(kept, self.probe, self.good_channels)
        noise_sd = self.noise_sd.copy()
        noise_sd[self.good_channels] *= level.astype(np.float32)
        return Preprocessed(
            self.recording,
            kept,
            self._blanked,
            good=self.good_channels,
            noise_sd=noise_sd,
            settings=self.settings,
        )

    def ahead(self, pieces: Iterable[int]) -> Iterator[int]:
        """Yield pieces in order; where parts of a recording are read, the next are computed meanwhile."""
        return self.in_noise_sd.ahead(pieces) if self.in_noise_sd.is_in_parts else iter(pieces)

    def look_at(self, stretches: NDArray[np.integer]) -> None:
        """Measure noise, and what follows from it, in these stretches (m, 2) of the recording alone."""
        from ncpgui.ephys.stretches import one_after_the_other

        self.looked_at = one_after_the_other(self.in_noise_sd, stretches)

    def keep_no_more(self) -> None:
        """Keep no more traces on the disk: all are gone through once."""
        self.in_noise_sd.keep_no_more()

    def close(self) -> None:
        """Drop the cached traces and their temporary file."""
        self.in_noise_sd.drop()

    def __enter__(self) -> Preprocessed:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def preprocess(
    recording: Recording,
    *,
    highpass_hz: float = 300.0,
    lowpass_hz: float = 6000.0,
    reference: str = "median",
    artefact_sd: float = 2.0,
    blank_nan: bool = False,
    kept_s: float | None = None,
    progress: Progress = silent,
) -> Preprocessed:
    """Filter a recording and measure its noise; traces are filtered when they are asked for.

    The median of the other channels is subtracted only on probes of at least
    `MIN_CHANNELS_FOR_REFERENCE` good channels: on a tetrode it would subtract the spikes themselves.

    Parameters
    ----------
    artefact_sd : 50 ms in which most channels are beyond this for two thirds of the time are blanked
    blank_nan : samples that are NaN or infinite count as zero; they are refused otherwise
    kept_s : as of `KeptRecording`

    Raises
    ------
    InputError
        A band that the sampling frequency does not allow, or an unknown reference.
    RecordingError
        NaN or infinite samples, no channel with a signal, or a recording too short to filter.
    """
    lowpass_hz = min(lowpass_hz, MAX_LOWPASS_SHARE * recording.sampling_frequency_hz)
    _check(recording, highpass_hz, lowpass_hz, reference, artefact_sd)
    from ncpgui.ephys.blanking import Blanked
    from ncpgui.ephys.cached_recording import KeptRecording
    from ncpgui.ephys.noise_levels import noise_levels
    from ncpgui.ephys.reference import MedianReferenced
    from ncpgui.ephys.said_failures import SaidFailures
    from ncpgui.ephys.spikeinterface_adapter import band_passed, in_phase, place_contacts, scaled

    progress(0, 3, "measuring noise")
    raw = SaidFailures(recording.extractor(), recording.reference.path or "the recording")
    may_be_nan = blank_nan and raw.get_dtype().kind == "f"
    source = _finite(raw) if may_be_nan else raw
    band = band_passed(in_phase(source), highpass_hz, lowpass_hz, FILTER_ORDER)
    noise = _measured(band, recording)
    progress(1, 3, "measuring noise")
    good = _good_channels(source, noise, recording)
    ids = raw.channel_ids[good]
    blanked = Blanked(
        band if len(good) == len(noise) else band.select_channels(ids),
        noise[good],
        artefact_sd=artefact_sd,
        raw=raw.select_channels(ids) if may_be_nan else None,
    )
    if len(good) < MIN_CHANNELS_FOR_REFERENCE:
        reference = "none"
    referenced = MedianReferenced(blanked) if reference == "median" else blanked
    progress(2, 3, "measuring noise")
    with np.errstate(invalid="ignore", over="ignore"):
        noise[good] = noise_levels(referenced)
    kept = KeptRecording(scaled(referenced, 1 / noise[good]), recording, kept_s=kept_s)
    place_contacts(kept, recording.probe, good)
    progress(3, 3, "measuring noise")
    return Preprocessed(
        recording,
        kept,
        blanked,
        good=good,
        noise_sd=noise.astype(np.float32),
        settings=FilterSettings(highpass_hz, lowpass_hz, reference),
    )


def _check(
    recording: Recording, highpass_hz: float, lowpass_hz: float, reference: str, artefact_sd: float
) -> None:
    if not 0 < highpass_hz < lowpass_hz:
        raise InputError(
            f"the band-pass needs 0 < high-pass < low-pass, got {highpass_hz:g} and {lowpass_hz:g} Hz "
            f"at {recording.sampling_frequency_hz:g} Hz sampling; lower highpass_hz"
        )
    if recording.n_samples < MIN_SAMPLES:
        raise RecordingError(
            f"the recording has only {recording.n_samples} samples; filtering needs at least {MIN_SAMPLES}"
        )
    if not artefact_sd > 0:
        raise InputError(f"artefact_sd must be positive, got {artefact_sd}")
    if reference not in ("median", "none"):
        raise InputError(f"reference must be 'median' or 'none', got {reference!r}")


def _finite(raw: BaseRecording) -> BaseRecording:
    """The recording with the median of each channel in place of what is NaN or infinite."""
    from ncpgui.ephys.blanking import Finite
    from ncpgui.ephys.noise_levels import raw_slices

    samples = np.asarray(raw_slices(raw), np.float64)
    samples[~np.isfinite(samples)] = np.nan
    fill = [float(np.median(known)) if len(known) else 0.0 for known in (x[~np.isnan(x)] for x in samples.T)]
    return Finite(raw, fill)


def _measured(band: BaseRecording, recording: Recording) -> NDArray[np.float64]:
    """Noise sd of each channel; raises RecordingError where a sample is not finite."""
    from ncpgui.ephys.cached_recording import raise_first_not_finite
    from ncpgui.ephys.noise_levels import noise_levels

    with np.errstate(invalid="ignore", over="ignore"):
        noise = noise_levels(band)
    if not np.isfinite(noise).all():
        raise_first_not_finite(recording, 0, recording.n_samples)
    return noise


def _good_channels(
    source: BaseRecording, noise: NDArray[np.float64], recording: Recording
) -> NDArray[np.int64]:
    """Channels that are neither dead nor noisy; says which are."""
    from ncpgui.ephys.noise_levels import NOISY_SHARE, noisy_channels, raw_slices, usable_channels

    raw = raw_slices(source)
    where = recording.reference.path or "these traces"
    if not (raw != raw[0]).any():  # the range itself may not fit into the file's integers
        raise RecordingError(
            f"all {recording.n_channels} channels of {where} are constant; "
            "check the dtype and the number of channels, or that the electrodes were connected"
        )
    usable = usable_channels(noise, raw)
    if not usable.any():
        raise RecordingError(
            f"the channels of {where} stay at one value but for a few jumps, as those of a saturated "
            "amplifier; check the gain of the recording, the dtype and the number of channels"
        )
    alive = np.flatnonzero(usable)
    noisy = noisy_channels(noise[alive])
    for words, bad in (
        ("channels without a signal", np.flatnonzero(~usable)),
        (f"channels with more than {NOISY_SHARE:g} times the usual noise", alive[noisy]),
    ):
        if len(bad):
            log.warning("%s are left out: %s", words, ", ".join(map(str, bad)))
    return alive[~noisy]
