"""A curated sorting written for other tools: Phy, SpikeInterface, NPZ, CSV."""
