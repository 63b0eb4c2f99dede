"""Models that draw (data, labels) to train and check networks."""
