"""Samplers of label vectors from an amortized clustering network."""
