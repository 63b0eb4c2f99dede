"""ncpgui: the alternative sortings of ambiguous spikes, each with a probability."""

__version__ = "0.1.0"
