"""The shape in which every network sees a spike: 32 samples at 20 kHz (paper, sec. 8 and SM D).

The trough lies at `TROUGH_SAMPLE`; amplitudes are in noise sd of each channel; the main channel
comes first; a network takes at most `MAX_CHANNELS` channels.
"""

from __future__ import annotations

SAMPLING_FREQUENCY_HZ = 20_000.0
N_SAMPLES = 32
TROUGH_SAMPLE = 11
MAX_CHANNELS = 12
