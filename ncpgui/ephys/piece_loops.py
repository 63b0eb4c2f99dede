"""How SpikeInterface's loops over pieces of traces run: on threads of this process, products on one core."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any

from spikeinterface.core import get_global_job_kwargs, set_global_job_kwargs

from ncpgui.core.one_core import libraries

PIECE_S = 1.0
_LIMIT = "max_threads_per_worker"
_lock = Lock()
_before: list[int | None] = []
"""What SpikeInterface did by itself before each of the loops that run now."""


@contextmanager
def piece_loop(n_jobs: int = 1) -> Iterator[dict[str, Any]]:
    """Options of a loop over pieces of `PIECE_S`; matrix products keep to one core meanwhile."""
    options = {
        "n_jobs": n_jobs,
        "pool_engine": "thread",  # filtered traces are kept by this process
        "progress_bar": False,
        "chunk_duration": f"{PIECE_S:g}s",
    }
    with libraries().limit(limits=1), _no_limit_at_each_piece():
        yield options


@contextmanager
def _no_limit_at_each_piece() -> Iterator[None]:
    """Let SpikeInterface not look for the libraries of matrix products at each piece, to limit them.

    It takes "no limit" from its global options only: it ignores None among the options of one loop.
    """
    with _lock:
        _before.append(get_global_job_kwargs()[_LIMIT])
        set_global_job_kwargs(**{_LIMIT: None})
    try:
        yield
    finally:
        with _lock:
            set_global_job_kwargs(**{_LIMIT: _before.pop()})
