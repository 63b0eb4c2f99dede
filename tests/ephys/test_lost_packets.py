"""Samples that Open Ephys numbered and did not save are counted, and the first place is told."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ncpgui.ephys import lost_packets as module
from ncpgui.ephys.lost_packets import lost_packets

RATE_HZ = 1000.0


def saved(root: Path, numbers: object, name: str = "Probe-A", node: str = "Record Node 101") -> None:
    place = root / node / "experiment1" / "recording1" / "continuous" / name
    place.mkdir(parents=True)
    np.save(place / "sample_numbers.npy", np.asarray(numbers))


def missing(*gaps: tuple[int, int], n: int = 3000) -> np.ndarray:
    """Numbers of `n` samples from 500 on, where so many are missing before these places."""
    step = np.ones(n, np.int64)
    for place, lost in gaps:
        step[place] += lost
    return 499 + np.cumsum(step)


def test_nothing_is_said_of_a_stream_whose_numbers_are_all_there(tmp_path: Path) -> None:
    saved(tmp_path, missing())
    assert lost_packets(tmp_path, None, RATE_HZ) == ""


def test_one_lost_sample_is_told_with_its_place(tmp_path: Path) -> None:
    saved(tmp_path, missing((1500, 1)))
    assert lost_packets(tmp_path, None, RATE_HZ) == (
        "1 samples (0.001 s) are missing at 1 place, the first at 1.500 s of what is there: packets were "
        "lost, and what is there is joined; seconds behind it are early by what is missing"
    )


@pytest.mark.parametrize("piece", [1, 7, 1000, 2999, 3000, 1 << 24])
def test_lost_samples_are_counted_wherever_the_numbers_are_cut_for_reading(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, piece: int
) -> None:
    monkeypatch.setattr(module, "_PIECE", piece)
    saved(tmp_path, missing((1, 2), (1000, 100), (2999, 30)))
    said = lost_packets(tmp_path, None, RATE_HZ)
    assert said.startswith("132 samples (0.132 s) are missing at 3 places, the first at 0.001 s of what")


def test_only_the_files_of_the_stream_count(tmp_path: Path) -> None:
    saved(tmp_path, missing((10, 5)))
    saved(tmp_path, missing((10, 7)), name="Probe-B")
    saved(tmp_path, missing((10, 11)), node="Record Node 102")
    saved(tmp_path, missing(), name="Probe-C")
    (tmp_path / "Record Node 101" / "events" / "Probe-A").mkdir(parents=True)
    np.save(tmp_path / "Record Node 101" / "events" / "Probe-A" / "sample_numbers.npy", missing((10, 13)))
    for stream, n in (("Record Node 101#Probe-A", 5), ("Record Node 102#Probe-A", 11), (None, 23)):
        assert lost_packets(tmp_path, stream, RATE_HZ).startswith(f"{n} samples "), stream
    assert lost_packets(tmp_path, "Record Node 101#Probe-C", RATE_HZ) == ""


@pytest.mark.parametrize("numbers", [[5], [[1, 2], [9, 10]], [0.0, 1.0, 9.0], []])
def test_what_is_no_list_of_numbers_of_samples_says_nothing(tmp_path: Path, numbers: object) -> None:
    saved(tmp_path, numbers)
    assert lost_packets(tmp_path, None, RATE_HZ) == ""


def test_two_samples_may_lack_one_between_them_and_a_damaged_file_is_passed_over(
    tmp_path: Path,
) -> None:
    saved(tmp_path, [4, 6])
    saved(tmp_path, [1], name="Probe-B")
    next(tmp_path.rglob("Probe-B/sample_numbers.npy")).write_bytes(b"damaged")
    assert lost_packets(tmp_path, None, RATE_HZ).startswith("1 samples (0.001 s) are missing at 1 place")


def test_nothing_is_said_where_an_archive_is_in_the_place_of_the_numbers(tmp_path: Path) -> None:
    saved(tmp_path, missing((1500, 1)))
    (file,) = tmp_path.rglob("sample_numbers.npy")
    np.savez(tmp_path / "a.npz", a=np.arange(3))
    (tmp_path / "a.npz").replace(file)
    assert lost_packets(tmp_path, None, RATE_HZ) == ""
