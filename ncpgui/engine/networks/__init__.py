"""Encoders and amortized clustering networks."""
