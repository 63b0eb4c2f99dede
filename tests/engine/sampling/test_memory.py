"""Work in chunks that fit: halves where a device is full, the CPU where even few rows do not fit."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from ncpgui.core.errors import InputError
from ncpgui.engine.sampling import memory
from ncpgui.engine.sampling.memory import check_memory, in_chunks

GPU, CPU = torch.device("cuda"), torch.device("cpu")


def walked(
    n_rows: int, at_once: int, device: torch.device, fits: dict[str, int]
) -> list[tuple[int, int, str]]:
    """Chunks that were drawn: first row, the one after the last, device; `fits`: most rows of a device."""
    told: list[float] = []

    def draw(rows: slice, there: torch.device, progress: Any) -> str:
        progress(1, 1, "")
        if rows.stop - rows.start > fits[there.type]:
            raise torch.OutOfMemoryError
        return there.type

    def progress(done: int, total: int, message: str = "") -> None:
        told.append(done / total)

    found = in_chunks(draw, n_rows=n_rows, at_once=at_once, device=device, progress=progress)
    result = [(rows.start, rows.stop, drawn) for rows, drawn in found]
    assert told[-1] == 1
    return result


def test_rows_are_walked_in_chunks_and_the_last_is_the_rest() -> None:
    assert walked(250, 100, CPU, {"cpu": 999}) == [(0, 100, "cpu"), (100, 200, "cpu"), (200, 250, "cpu")]
    assert walked(100, 100, CPU, {"cpu": 999}) == [(0, 100, "cpu")]


def test_a_full_device_is_given_half_as_many_rows(caplog: pytest.LogCaptureFixture) -> None:
    assert walked(100, 100, GPU, {"cuda": 30}) == [(i, i + 25, "cuda") for i in (0, 25, 50, 75)]
    assert caplog.messages == [
        f"cuda is out of memory; going on with {n} samples at a time" for n in (50, 25)
    ]


def test_the_fewest_rows_are_sixteen_and_what_does_not_hold_them_hands_over_to_the_cpu(
    caplog: pytest.LogCaptureFixture,
) -> None:
    assert walked(600, 25, GPU, {"cuda": 16, "cpu": 999})[0] == (0, 16, "cuda")
    caplog.clear()
    assert walked(600, 16, GPU, {"cuda": 15, "cpu": 999}) == [(0, 512, "cpu"), (512, 600, "cpu")]
    assert caplog.messages == ["cuda is out of memory even for 16 samples; going on on the CPU"]


def test_a_full_cpu_is_the_end_of_it() -> None:
    with pytest.raises(torch.OutOfMemoryError):
        walked(600, 100, CPU, {"cpu": 15})


def test_what_needs_more_memory_than_there_is_is_refused_before_any_work(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # 1000 points: 16 KiB each and 40 bytes a label
    needed = 1000 * (500 * 40 + 16384)
    monkeypatch.setattr(memory, "_physical_memory", lambda: needed)
    check_memory(500, 1000)
    monkeypatch.setattr(memory, "_physical_memory", lambda: needed - 1)
    said = (
        "500 samples of 1000 points need about 0 GiB of memory and the machine has 0 GiB; draw fewer "
        "samples, or cluster a part of the points"
    )
    with pytest.raises(InputError, match=said):
        check_memory(500, 1000)
    monkeypatch.setattr(memory, "_physical_memory", lambda: None)
    check_memory(10**9, 10**9)


def test_the_memory_of_this_machine_is_told_in_bytes() -> None:
    there = memory._physical_memory()
    assert there is None or 2**27 < there < 2**46
