"""What our networks expect of torch's global switches, whatever the script that calls us has set them to."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import torch

from ncpgui.core.errors import InputError

_lock = threading.Lock()
_inside = 0
_before = torch.float32


@contextmanager
def usual_defaults() -> Iterator[None]:
    """Have new tensors of this thread be float32 on the CPU unless they say otherwise.

    The dtype is a switch of the whole process: the first of several threads sets it, the last puts it back.
    """
    global _inside, _before
    with _lock:
        if _inside == 0:
            _before = torch.get_default_dtype()
            torch.set_default_dtype(torch.float32)
        _inside += 1
    try:
        with ExitStack() as stack:
            if torch.get_default_device().type != "cpu":  # such a mode makes each call slower
                stack.enter_context(torch.device("cpu"))
            yield
    finally:
        with _lock:
            _inside -= 1
            if _inside == 0:
                torch.set_default_dtype(_before)


def check_defaults() -> None:
    """Refuse to train where a script has set torch to other defaults, which last as long as it does.

    Raises
    ------
    InputError
        New tensors would not be float32 on the CPU.
    """
    dtype, device = torch.get_default_dtype(), torch.get_default_device()
    if dtype != torch.float32 or device.type != "cpu":
        raise InputError(
            f"networks need float32 and new tensors on the CPU, but torch's defaults are {dtype}, {device}; "
            "call torch.set_default_dtype(torch.float32) and torch.set_default_device('cpu') before"
        )
