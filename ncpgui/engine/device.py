"""Where tensors live: the CPU, or a CUDA GPU when there is one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch

from ncpgui.core.errors import InputError


def resolve_device(name: str | torch.device = "auto") -> torch.device:
    """Return the torch device called `name`; "auto" is the GPU when there is one.

    Raises
    ------
    InputError
        The name is unknown, or a GPU is asked for where there is none.
    """
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(str(name))
    except RuntimeError as error:
        raise InputError(f"unknown device '{name}'; use auto, cpu, cuda or cuda:0") from error
    if device.type == "cuda" and not torch.cuda.is_available():
        raise InputError(f"device '{name}' asked for, but torch finds no CUDA GPU; use --device cpu")
    return device


def tried_device(device: torch.device) -> str:
    """Multiply two small matrices on a device; say what it is called and that this was right.

    Raises
    ------
    RuntimeError
        It could not be done, or the product is wrong.
    """
    numbers = torch.arange(64.0).reshape(8, 8)
    product = (numbers.to(device) @ numbers.to(device)).cpu()
    if not torch.equal(product, numbers @ numbers):
        raise RuntimeError("a product of two small matrices is wrong")
    name = torch.cuda.get_device_name(device) if device.type == "cuda" else "CPU"
    return f"{name}: multiplied two small matrices, which is right; no more was tried"


@contextmanager
def shared_cores(n_calls: int) -> Iterator[None]:
    """While `n_calls` calls run side by side on threads, give each its share of torch's threads."""
    before = torch.get_num_threads()
    torch.set_num_threads(max(1, before // n_calls))
    try:
        yield
    finally:
        torch.set_num_threads(before)


@contextmanager
def one_core() -> Iterator[None]:
    """Run the tensor operations of this thread on one core.

    The tensors of a sampler's step are small: divided over two cores, their many operations take twice
    as long as on one. The setting is of the calling thread alone.
    """
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def n_threads() -> int:
    """Threads on which torch computes on the CPU."""
    return torch.get_num_threads()
