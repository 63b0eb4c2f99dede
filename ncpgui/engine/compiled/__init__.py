"""The default network and its samplers compiled for a CPU: loops over NumPy arrays, without torch."""
