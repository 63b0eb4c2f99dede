"""From a recording to a sorting: groups of one main channel, their posterior, one unit kept once."""
