"""Fitting a network to a generative model."""
