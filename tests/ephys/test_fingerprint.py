"""The fingerprint of a recording: what of a file it looks at, and what of a folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from ncpgui.core.errors import RecordingError
from ncpgui.ephys.fingerprint import fingerprint, fingerprint_of

MB = 1 << 20


def changed(file: Path, place: int) -> str:
    """Fingerprint of the file with one byte changed; the file is put back."""
    whole = file.read_bytes()
    file.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
    found = fingerprint(file)
    file.write_bytes(whole)
    return found


@pytest.mark.parametrize("size", [1, MB, MB + 1, 2 * MB - 1, 2 * MB, 3 * MB + 7])
def test_a_change_at_either_end_of_a_file_is_seen(size: int, tmp_path: Path) -> None:
    """The first and the last MB, to the byte; files of up to two MB as a whole."""
    file = tmp_path / "r.raw"
    file.write_bytes(bytes(size))
    before = fingerprint(file)
    places = {0, min(size, MB) - 1, max(size - MB, 0), size - 1, min(size, MB), size // 3}
    seen = {place for place in places if place < MB or place >= size - MB}
    assert {place for place in places if place < size and changed(file, place) != before} == {
        place for place in seen if place < size
    }


def test_the_middle_of_a_large_file_is_not_looked_at_but_its_length_is(tmp_path: Path) -> None:
    file = tmp_path / "r.raw"
    file.write_bytes(bytes(3 * MB))
    before = fingerprint(file)
    assert changed(file, MB) == before
    assert changed(file, 2 * MB - 1) == before
    file.write_bytes(bytes(3 * MB + 1))
    assert fingerprint(file) != before


def test_of_a_folder_all_names_and_sizes_and_the_ends_of_the_largest_file_count(tmp_path: Path) -> None:
    large, small = tmp_path / "traces.raw", tmp_path / "in" / "probe.json"
    small.parent.mkdir()
    large.write_bytes(bytes(2 * MB + 5))
    small.write_bytes(b"12345")
    before = fingerprint(tmp_path)
    small.write_bytes(b"54321")
    assert fingerprint(tmp_path) == before
    small.write_bytes(b"123456")
    assert fingerprint(tmp_path) != before
    small.write_bytes(b"12345")
    large.write_bytes(bytes(2 * MB + 4) + b"1")
    assert fingerprint(tmp_path) != before
    large.write_bytes(bytes(2 * MB + 5))
    assert fingerprint(tmp_path) == before
    small.rename(small.with_name("probe2.json"))
    assert fingerprint(tmp_path) != before


def test_files_of_one_recording_count_in_their_order_and_one_file_as_itself(tmp_path: Path) -> None:
    files = [tmp_path / "a.dat", tmp_path / "b.dat"]
    for number, file in enumerate(files):
        file.write_bytes(bytes([number, 0]))
    assert fingerprint_of(files[:1]) == fingerprint(files[0])
    assert len({fingerprint_of(files), fingerprint_of(files[::-1]), *map(fingerprint, files)}) == 4


def test_what_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match=r"nothing\.raw cannot be read: No such file"):
        fingerprint(tmp_path / "nothing.raw")
