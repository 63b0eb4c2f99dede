"""One project in one HDF5 file, with a journal of what was done since and a cache of waveforms."""
