"""One integer seed, independent streams for each step that draws at random."""

from __future__ import annotations

import zlib

import numpy as np


def stream_seed(seed: int, *names: str | int) -> int:
    """Seed of the stream `names` under `seed`: the same on every machine and in any order of use."""
    words = [zlib.crc32(str(name).encode()) for name in names]
    return int(np.random.SeedSequence([seed & 0xFFFFFFFF, *words]).generate_state(1)[0])


def stream(seed: int, *names: str | int) -> np.random.Generator:
    """Return a generator for the step called `names`, independent of all other steps."""
    return np.random.default_rng(stream_seed(seed, *names))
