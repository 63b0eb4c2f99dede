"""Training by several processes, as ``torchrun`` starts them: one on each GPU, or on cores of a CPU.

Every process draws the same batch and scores its share of the datasets; gradients are summed, divided by
the points of the whole batch. So the loss and the step are those of one process with the whole batch,
whatever the datasets' numbers of points. This is a plain sum over the processes and not
DistributedDataParallel, which averages instead (wrong where shares have different numbers of points), and
which wants one `forward`, where our networks have `encode`, `finish` and `log_prob`. What it would gain,
sending gradients during the backward pass, is nothing for networks of a million weights.

Batch normalisation is over the datasets of all processes on GPUs, and over each process's own on CPUs,
where torch cannot do better.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta

import torch
from torch import Tensor, distributed, nn

from ncpgui.core.errors import InputError
from ncpgui.core.progress import Cancelled
from ncpgui.engine.device import resolve_device

_PATIENCE = timedelta(hours=2)  # while the first process scores held-out data the others wait


@dataclass(frozen=True)
class Processes:
    """The processes of a run, seen from one of them; a single one by default.

    rank : which one this is; count : how many there are; device : where its tensors live
    """

    rank: int = 0
    count: int = 1
    device: torch.device = torch.device("cpu")  # noqa: RUF009  (immutable)

    @property
    def is_first(self) -> bool:
        """Whether this is the one that scores held-out data, writes and prints."""
        return self.rank == 0

    def share(self, n_datasets: int) -> slice:
        """Which datasets of a batch are this process's own.

        Raises
        ------
        InputError
            They cannot be divided evenly.
        """
        if n_datasets % self.count:
            raise InputError(
                "training setting 'n_datasets' must be a multiple of the number of processes, got "
                f"{n_datasets} datasets for {self.count} processes; set it to "
                f"{self.count * max(1, round(n_datasets / self.count))}, or start another number of processes"
            )
        size = n_datasets // self.count
        return slice(self.rank * size, (self.rank + 1) * size)

    def share_normalisation(self, network: nn.Module) -> None:
        """Make batch normalisation go over all processes, where torch can."""
        if self.count > 1 and self.device.type == "cuda":
            nn.SyncBatchNorm.convert_sync_batchnorm(network)  # replaces layers inside the network

    def add_up(self, tensors: list[Tensor]) -> None:
        """Replace each tensor by its sum over the processes."""
        if self.count == 1:
            return
        flat = torch.cat([tensor.reshape(-1) for tensor in tensors])
        distributed.all_reduce(flat)
        for tensor, total in zip(tensors, flat.split([t.numel() for t in tensors]), strict=True):
            tensor.copy_(total.view_as(tensor))

    def agreed(self, minutes: float) -> float:
        """Wait for the others, and return the first process's `minutes`: there is one clock.

        Raises
        ------
        Cancelled
            Another process has stopped.
        """
        if self.count == 1:
            return minutes
        values = self._exchanged(stopped=0.0, minutes=minutes if self.is_first else 0.0)
        if values[0] > 0:
            raise Cancelled
        return float(values[1])

    def stop_others(self) -> None:
        """Make `agreed` raise in the other processes; called in the place of `agreed`."""
        if self.count > 1:
            self._exchanged(stopped=1.0, minutes=0.0)

    def _exchanged(self, stopped: float, minutes: float) -> Tensor:
        values = torch.tensor([stopped, minutes], dtype=torch.float64, device=self.device)
        distributed.all_reduce(values)
        return values.cpu()


def number_of_processes() -> int:
    """How many processes ``torchrun`` has started; 1 without it."""
    return int(os.environ.get("WORLD_SIZE", "1"))


@contextmanager
def joined(device: str = "auto") -> Iterator[Processes]:
    """Join the processes that ``torchrun`` has started, or be the only one.

    Parameters
    ----------
    device : as for `resolve_device`; "auto" and "cuda" give each process on a machine its own GPU

    Raises
    ------
    InputError
        No such device, or more processes than GPUs.
    """
    target = resolve_device(device)
    if number_of_processes() == 1:
        yield Processes(device=target)
        return
    if target.type == "cuda":
        local = int(os.environ.get("LOCAL_RANK", "0"))
        if target.index is not None:
            raise InputError(
                f"'{device}' is one GPU, and there are {number_of_processes()} processes; give --device "
                "cuda, and each takes its own"
            )
        if local >= torch.cuda.device_count():
            raise InputError(
                f"each process needs its own GPU, and torch finds {torch.cuda.device_count()}; start as many "
                "processes with --nproc_per_node, or use --device cpu"
            )
        target = torch.device("cuda", local)
        torch.cuda.set_device(target)
    # The first optimiser imports this; were the processes joined by then, it would keep their threads alive
    # after `destroy_process_group`, and one that frees a tensor while Python ends aborts the process.
    importlib.import_module("torch._dynamo")
    distributed.init_process_group("nccl" if target.type == "cuda" else "gloo", timeout=_PATIENCE)
    try:
        yield Processes(distributed.get_rank(), distributed.get_world_size(), target)
    finally:
        distributed.destroy_process_group()
