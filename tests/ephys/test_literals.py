"""Settings in Python files are read as values; a path of Windows as it is written; what is none is named."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from ncpgui.core.errors import RecordingError
from ncpgui.ephys import literals
from ncpgui.ephys.literals import Literals, read_literals


def read(folder: Path, text: str, **options: str) -> Literals:
    (folder / "params.py").write_text(text, encoding="utf-8")
    return read_literals(folder / "params.py", **options)


@pytest.mark.parametrize(
    ("written", "value"),
    [
        (r"'C:\Users\lab\rec.dat'", r"C:\Users\lab\rec.dat"),
        (r"'D:\data\recording.dat'", r"D:\data\recording.dat"),
        (r'"E:\new\table\0.dat"', r"E:\new\table\0.dat"),
        (r"r'D:\data\rec.dat'", r"D:\data\rec.dat"),
        (r"'D:\\data\\rec.dat'", r"D:\data\rec.dat"),
        (r"['C:\Users\a.dat', 'D:\rec\b.dat']", None),
        (r"'caf\xe9.dat'", "café.dat"),
        ("'\\N{bullet}.dat'", "\u2022.dat"),
        ("'/data/lab/rec.dat'", "/data/lab/rec.dat"),
    ],
)
def test_paths_of_windows_are_read_as_they_are_written(
    tmp_path: Path, written: str, value: str | None
) -> None:
    values = read(tmp_path, f"dat_path = {written}\nsample_rate = 20000.\n")
    assert values["sample_rate"] == 20_000
    assert values.get("dat_path") == value
    if value is None:
        assert values.lacks("dat_path").startswith("line 1, 'dat_path = ['C:")


def test_a_line_that_is_no_value_is_kept_to_be_named(tmp_path: Path) -> None:
    values = read(tmp_path, "dat_path = recording.dat\nn_channels_dat = = 4\noffset = 0\n")
    assert dict(values) == {"offset": 0}
    assert values.lacks("dat_path") == "line 1, 'dat_path = recording.dat', is not a plain value"
    assert values.lacks("n_channels_dat") == "line 2, 'n_channels_dat = = 4', is not a plain value"
    assert values.lacks("dtype") == "there is no line 'dtype = ...'"


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("list((3, 1))", [3, 1]),
        ("sorted([3, 1, 2])", [1, 2, 3]),
        ("tuple([3, 1])", [3, 1]),
        ("list(range(2, 9, 3))", [2, 5, 8]),
        ("sorted([3, 1, 2], reverse=True)", None),
        ("reversed([3, 1])", None),
        ("np.array([3, 1])", None),
        ("list()", None),
        ("list([1], [2])", None),
        ("sorted(3)", None),
        ("list('ab')", None),
        ("range()", None),
        ("range(1, 2, 3, 4)", None),
        ("range('a')", None),
        ("range(100000)", list(range(100_000))),
        ("range(100001)", None),
    ],
)
def test_lists_may_be_written_as_ranges_and_sorted(
    tmp_path: Path, written: str, value: list[int] | None
) -> None:
    assert read(tmp_path, f"channels = {written}\na = 1\n").get("channels") == value


def test_what_is_no_list_of_values_is_refused(tmp_path: Path) -> None:
    for text in ("{", "hello world\nthis is text", "sample_rate = = 3"):
        with pytest.raises(RecordingError, match=r"params.py is not a list of 'name = value' lines"):
            read(tmp_path, text)


def test_values_are_put_into_dictionaries_and_lists_that_were_read(tmp_path: Path) -> None:
    values = read(tmp_path, "a = {1: {'x': [0, 0]}}\na[1]['x'][1] = 5\na[2] = 'b'\nb = a\n")
    assert values["a"] == {1: {"x": [0, 5]}, 2: "b"}
    assert values.lacks("b") == "line 4, 'b = a', is not a plain value"


def test_a_name_that_is_wanted_whole_allows_no_skipped_line_about_it(tmp_path: Path) -> None:
    text = "a = {}\nfor i in range(3):\n    a[i] = i\n"
    assert read(tmp_path, text)["a"] == {}
    with pytest.raises(
        RecordingError, match=r"line 2, 'for i in range\(3\):', is not a plain value of a; write a"
    ):
        read(tmp_path, text, whole="a")
    with pytest.raises(RecordingError, match="is not a list of 'name = value' lines"):
        read(tmp_path, "a = {}\nb = = 3\n", whole="a")


def test_a_file_of_just_the_largest_size_is_read_and_a_larger_one_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(literals, "_MAX_BYTES", 1 << 20)
    text = "a = 1\n"
    assert read(tmp_path, text + "#" * ((1 << 20) - len(text))) == {"a": 1}
    with pytest.raises(RecordingError, match=r"params\.py is larger than 1 MiB: not a settings file"):
        read(tmp_path, text + "#" * ((1 << 20) - len(text) + 1))


def test_a_value_goes_to_every_name_and_to_keys_of_keys_that_there_are(tmp_path: Path) -> None:
    values = read(tmp_path, "'words'\na = b = {0: [1, {2: 3}]}\na[0][1][2] = 4\nc[0] = 1\n(d, e) = 1, 2\n")
    assert values["a"] == {0: [1, {2: 4}]}
    assert set(values) == {"a", "b"}


def test_a_line_that_is_no_value_is_named_with_its_number_and_80_of_its_characters(tmp_path: Path) -> None:
    values = read(tmp_path, "a = 1\nb = = 2\nc = 3\n")
    assert values == {"a": 1, "c": 3}
    assert values.lacks("b") == "line 2, 'b = = 2', is not a plain value"
    assert values.lacks("d") == "there is no line 'd = ...'"
    shown = read(tmp_path, f"a = 1\nb = f({'x' * 200})\n").lacks("b")
    assert shown == f"line 2, 'b = f({'x' * 74}', is not a plain value"


@pytest.mark.parametrize(
    "line",
    ["a = 2 * 3", "a += 1", "if True:\n    a = 7", "for a in (1, 2):\n    pass", "a, b = 3, 4", "a: int = b"],
)
def test_a_name_that_a_later_line_gives_another_value_has_none(tmp_path: Path, line: str) -> None:
    values = read(tmp_path, f"a = 1\nc = 2\n{line}\n")
    assert values == {"c": 2}
    assert values.says("a")
    assert values.lacks("a") == f"line 3, '{line.splitlines()[0]}', is not a plain value"
    assert not values.says("d")


def test_a_value_may_have_a_type_beside_its_name(tmp_path: Path) -> None:
    assert read(tmp_path, "a: float = 20000.0\nb: int\nc = 1\n") == {"a": 20_000.0, "c": 1}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32", "cp1252"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_text_in_any_usual_encoding_is_read(tmp_path: Path, encoding: str, end: str) -> None:
    lines = ["dat_path = r'C:\\Größe.dat'", "a = 3", ""]
    (tmp_path / "params.py").write_bytes(end.join(lines).encode(encoding))
    assert read_literals(tmp_path / "params.py") == {"dat_path": r"C:\Größe.dat", "a": 3}


def test_a_line_that_is_no_plain_value_is_named_where_others_are_no_python(tmp_path: Path) -> None:
    """The line was looked for under its number in a text of that one line."""
    values = read(tmp_path, "a = 1\nb = c.d\nf(2)\nd = 4\nd = 5L\ne = 'x' + 'y'\n")
    assert values == {"a": 1}
    assert values.skipped == {
        "b": "line 2, 'b = c.d',",
        "d": "line 5, 'd = 5L',",
        "e": "line 6, 'e = 'x' + 'y'',",
    }


def test_bytes_that_are_no_text_are_refused_or_skipped_in_a_line(tmp_path: Path) -> None:
    generator = np.random.default_rng(0)
    path = tmp_path / "params.py"
    for _ in range(200):
        path.write_bytes(b"x = 1\n" + generator.integers(0, 256, 200).astype(np.uint8).tobytes())
        with suppress(RecordingError):
            read_literals(path)
