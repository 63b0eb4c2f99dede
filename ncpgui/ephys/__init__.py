"""Recordings, probes, detection, waveforms and simulation: SpikeInterface is read here only."""
