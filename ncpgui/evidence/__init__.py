"""Evidence: what draws of a posterior, firing times and decisions say about units; weights and probabilities.

Draws and weights come in, weights and probabilities go out. Arrays only: no network, no recording, no window.
"""
