"""A curated sorting written for other tools: Phy, SpikeInterface, NWB, MATLAB, NPZ, CSV."""
