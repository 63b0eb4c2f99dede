"""The figures of the paper, one a file: each has `TITLE`, `MODELS` and `make`; see `base`."""
