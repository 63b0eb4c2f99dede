"""Elements of a session come back as they were, and what is no such element is refused with its place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import h5py
import numpy as np
import pytest

from ncpgui.core.errors import SessionFormatError
from ncpgui.session.codecs import (
    array_piece,
    attribute,
    create_group,
    element,
    read_array,
    read_integers,
    read_json,
    read_string,
    write_array,
    write_integers,
    write_json,
    write_string,
)
from ncpgui.session.pieces import OpenedFile, Piece
from ncpgui.session.schema import ENCODINGS


@pytest.fixture
def root(tmp_path: Path) -> Iterator[h5py.File]:
    with h5py.File(tmp_path / "s.h5", "w") as file:
        yield file


@pytest.mark.parametrize("encoding", list(ENCODINGS))
def test_the_first_version_of_an_encoding_is_read_and_those_after_it_are_refused(
    root: h5py.File, encoding: str
) -> None:
    group = create_group(root, "one", encoding)
    assert group.attrs["version"] == 1
    assert element(root, "one", encoding) == group
    group.attrs["version"] = 2
    said = f"/one has version 2 of encoding '{encoding}', this program reads up to 1; update ncpgui"
    with pytest.raises(SessionFormatError, match=said):
        element(root, "one", encoding)


@pytest.mark.parametrize("version", [0, -1, 1.0, "1"])
def test_a_version_that_is_none_is_refused(root: h5py.File, version: object) -> None:
    create_group(root, "one", "probe").attrs["version"] = version
    with pytest.raises(SessionFormatError, match=f"has version {version} of encoding 'probe'"):
        element(root, "one", "probe")


def test_what_is_missing_or_something_else_is_named(root: h5py.File) -> None:
    group = create_group(root, "spikes", "spikes")
    with pytest.raises(SessionFormatError, match=r"s\.h5: /spikes/channel is missing, the file is damaged"):
        element(group, "channel", "integers")
    with pytest.raises(SessionFormatError, match=r"/spikes should be encoded as 'probe' but is 'spikes'"):
        element(root, "spikes", "probe")


@pytest.mark.parametrize(
    ("values", "stored"),
    [
        ([0, 255], np.uint8),
        ([-1, 127], np.int8),
        ([-128, 0], np.int8),
        ([0, 256], np.uint16),
        ([-129, 0], np.int16),
        ([-1, 128], np.int16),
        ([0, 2**16], np.uint32),
        ([-1, 2**15], np.int32),
        ([0, 2**32], np.int64),
        ([], np.uint8),
    ],
)
def test_integers_are_kept_in_the_smallest_type_that_holds_them(
    root: h5py.File, values: list[int], stored: type
) -> None:
    write_integers(root, "a", np.array(values, np.int64), unit="samples")
    assert root["a"].dtype == stored
    assert root["a"].attrs["unit"] == "samples"
    assert read_integers(root, "a", np.int64, shape=(None,)).tolist() == values
    assert read_integers(root, "a", None, shape=(len(values),)).dtype == stored


@pytest.mark.parametrize(
    ("values", "dtype", "fit"),
    [
        ([0, 255], np.uint8, True),
        ([0, 256], np.uint8, False),
        ([-1, 3], np.uint8, False),
        ([-128, 127], np.int8, True),
        ([-129, 5], np.int8, False),
        ([7, 7], np.int8, True),
        ([], np.int8, True),
    ],
)
def test_integers_are_read_as_a_type_that_holds_them_and_refused_otherwise(
    root: h5py.File, values: list[int], dtype: type, fit: bool
) -> None:
    write_integers(root, "a", np.array(values, np.int64))
    if fit:
        assert read_integers(root, "a", dtype, shape=(None,)).dtype == dtype
        return
    said = f"/a cannot be used: {min(values)} to {max(values)} do not fit into {np.dtype(dtype).name}"
    with pytest.raises(SessionFormatError, match=said):
        read_integers(root, "a", dtype, shape=(None,))


@pytest.mark.parametrize(
    ("values", "shape"), [([[1, 2, 3]], "(2, any)"), ([1, 2], "(2, any)"), ([[1]], "(2, 3)")]
)
def test_an_array_of_another_shape_is_refused(root: h5py.File, values: Any, shape: str) -> None:
    wanted = (2, None) if "any" in shape else (2, 3)
    write_array(root, "a", np.array(values, float))
    write_integers(root, "b", values)
    for read, name in ((read_array, "a"), (read_integers, "b")):
        with pytest.raises(SessionFormatError, match=re.escape(f"where {shape} is needed")):
            read(root, name, np.int64, shape=wanted)


def test_large_arrays_are_compressed_unless_they_are_to_be_in_one_piece(root: h5py.File) -> None:
    for n_bytes, compressed in ((4095, None), (4096, "gzip")):
        write_array(root, f"{n_bytes}", np.zeros(n_bytes, np.uint8))
        assert root[f"{n_bytes}"].compression == compressed
        assert root[f"{n_bytes}"].fletcher32 == bool(compressed)
    write_array(root, "whole", np.zeros(9000), in_one_piece=True)
    assert root["whole"].chunks is None


def test_arrays_that_compression_would_hardly_shrink_are_kept_as_they_are(root: h5py.File) -> None:
    rng = np.random.default_rng(0)
    noise = rng.random(20_000, dtype=np.float32)  # three of four bytes are noise
    write_array(root, "noise", noise)
    write_integers(root, "labels", rng.integers(0, 3, 20_000))  # two of eight bits
    assert root["noise"].compression is None
    assert root["noise"].fletcher32
    assert root["labels"].compression == "gzip"
    np.testing.assert_array_equal(read_array(root, "noise", np.float32, shape=(20_000,)), noise)


def test_text_and_plain_values_come_back(root: h5py.File) -> None:
    text = "/data/µ\udcff/a"
    write_string(root, "path", text)
    assert read_string(root, "path") == text
    value = {"a": np.int64(3), "b": np.array([1.5, 2.0]), "c": [None, True, "é"]}
    write_json(root, "json", value)
    assert read_json(root, "json", dict) == {"a": 3, "b": [1.5, 2.0], "c": [None, True, "é"]}
    with pytest.raises(SessionFormatError, match="/json should hold a list"):
        read_json(root, "json", list)
    with pytest.raises(TypeError, match="set is not JSON"):
        write_json(root, "other", {1, 2})


@pytest.mark.parametrize(
    ("value", "kind", "least", "right"),
    [
        (3, int, 0, True),
        (0, int, 0, True),
        (0, int, 1, False),
        (-1, int, 0, False),
        (1.0, int, 0, False),
        (True, int, 0, False),
        (2.5, float, 0, True),
        (3, float, 0, True),
        (0.0, float, 0, False),
        (np.inf, float, 0, False),
        (np.nan, float, 0, False),
        ("x", str, 0, True),
        (3, str, 0, False),
        ("3", int, 0, False),
    ],
)
def test_attributes_are_of_their_kind(
    root: h5py.File, value: Any, kind: type, least: int, right: bool
) -> None:
    root.attrs["a"] = value
    if right:
        found = attribute(root, "a", kind, least=least)
        assert (found, type(found)) == (value, kind)
        return
    with pytest.raises(SessionFormatError, match="has no valid attribute 'a'"):
        attribute(root, "a", kind, least=least)


def test_an_attribute_that_is_not_there_is_said(root: h5py.File) -> None:
    with pytest.raises(SessionFormatError, match="has no valid attribute 'rate'"):
        attribute(root, "rate", float)


def test_a_whole_number_is_from_zero_on_where_nothing_else_is_said(root: h5py.File) -> None:
    root.attrs["n"] = 0
    assert attribute(root, "n", int) == 0
    root.attrs["n"] = -1
    assert attribute(root, "n", int, least=-1) == -1
    with pytest.raises(SessionFormatError, match="no valid attribute 'n'"):
        attribute(root, "n", int)


def test_an_array_in_one_piece_is_read_when_it_is_asked_for_and_one_in_chunks_at_once(
    root: h5py.File,
) -> None:
    opened, values = cast("OpenedFile", None), np.arange(2**14).reshape(-1, 2)
    write_array(root, "whole", values, in_one_piece=True)
    write_array(root, "chunks", values)
    piece = array_piece(root, "whole", opened, shape=(None, 2))
    assert isinstance(piece, Piece)
    assert np.array_equal(array_piece(root, "chunks", opened, shape=(2**13, 2)), values)


def test_what_is_no_numbers_of_the_shape_is_no_piece(root: h5py.File) -> None:
    opened = cast("OpenedFile", None)
    write_array(root, "a", np.zeros((3, 2)), in_one_piece=True)
    write_array(root, "b", np.array([b"text"]), in_one_piece=True)
    with pytest.raises(SessionFormatError, match=r"/a has shape \(3, 2\) where \(any, 3\) is needed"):
        array_piece(root, "a", opened, shape=(None, 3))
    with pytest.raises(SessionFormatError, match=r"it holds \|S4 in the place of numbers"):
        array_piece(root, "b", opened, shape=(None,))
