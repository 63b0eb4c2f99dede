"""What is computed from spikes: receptive fields, embeddings, comparison with a truth, quality."""
