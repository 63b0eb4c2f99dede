"""Tables of text are read in their encoding and with their delimiter, and written again the same."""

from __future__ import annotations

import codecs

import pytest

from ncpgui.core.csv_text import Spelling, decoded, plain, read_table

IDS = ("cluster_id", "id")
ROWS = [["cluster_id", "group"], ["0", "good"], ["7", "mua"]]


def spelt(delimiter: str = "\t", line_end: str = "\n") -> str:
    return "".join(delimiter.join(row) + line_end for row in ROWS)


def test_rows_of_a_table_without_the_empty_ones() -> None:
    assert read_table(b"a\tb\n\n1\t2\n").rows == [["a", "b"], ["1", "2"]]


def test_a_cell_longer_than_any_table_has_is_a_value_error() -> None:
    long = "a,b\n1," + "x" * 200_000
    with pytest.raises(ValueError, match="field larger than field limit"):
        read_table(long.encode())


@pytest.mark.parametrize("delimiter", list("\t;,| "))
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_the_delimiter_is_the_one_that_divides_the_header(delimiter: str, line_end: str) -> None:
    data = spelt(delimiter, line_end).encode()
    table = read_table(data, IDS)
    assert table.rows == ROWS
    assert table.spelling.as_bytes(table.rows) == data


@pytest.mark.parametrize(
    ("mark", "encoding"),
    [
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
        (codecs.BOM_UTF32_LE, "utf-32-le"),
        (codecs.BOM_UTF32_BE, "utf-32-be"),
        (b"", "utf-16-le"),
        (b"", "utf-16-be"),
    ],
)
def test_every_unicode_encoding_is_known_by_its_mark_or_its_zeros(mark: bytes, encoding: str) -> None:
    data = mark + spelt(";").encode(encoding)
    table = read_table(data, IDS)
    assert table.rows == ROWS
    assert table.spelling.as_bytes(table.rows) == data


def test_one_zero_in_the_first_two_bytes_makes_text_utf_16_and_other_zeros_do_not() -> None:
    assert decoded(b"7\0") == ("7", b"", "utf-16-le")
    assert decoded(b"\x007") == ("7", b"", "utf-16-be")
    for data in (b"\0", b"\0\0ab", b"ab\0c", b"7"):
        assert decoded(data) == (data.decode("ascii"), b"", "utf-8")


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252", "latin-1", "shift_jis", "koi8-r"])
def test_bytes_that_are_changed_by_nobody_come_back_as_they_were(encoding: str) -> None:
    words = {"shift_jis": "海馬", "koi8-r": "хороший", "latin-1": "µV \x81 é"}.get(
        encoding, "20 µm, schön – gut"
    )
    data = f"cluster_id\tnote\n0\t{words}\n".encode(encoding)
    table = read_table(data, IDS)
    assert [row[0] for row in table.rows] == ["cluster_id", "0"]
    assert table.spelling.as_bytes(table.rows) == data


def test_a_character_that_the_encoding_lacks_makes_the_file_utf_8() -> None:
    table = read_table("cluster_id\tnote\n0\tschön\n".encode("cp1252"), IDS)
    written = table.spelling.as_bytes([*table.rows, ["1", "дом"]])
    assert written.decode("utf-8") == "cluster_id\tnote\n0\tschön\n1\tдом\n"


def test_text_that_is_not_what_its_mark_says_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="begins like text in utf-16-le and is not"):
        decoded(codecs.BOM_UTF16_LE + b"abc")


def test_decimal_commas_do_not_divide_cells_between_semicolons() -> None:
    table = read_table(b"cluster_id;amp;depth\n3;12,5;40,25\n", IDS)
    assert table.rows[1] == ["3", "12,5", "40,25"]
    assert read_table(b"0;12,5;good\n1;13,5;mua\n").rows[0] == ["0", "12,5", "good"]


def test_blanks_divide_cells_only_where_nothing_else_does() -> None:
    assert read_table(b"unit id\tgroup\n0\t my own\n").rows == [["unit id", "group"], ["0", " my own"]]
    assert read_table(b"id group\n 0 mua\n10   good\n").rows == [
        ["id", "group"],
        ["0", "mua"],
        ["10", "good"],
    ]


def test_the_cells_of_one_column_are_whole_lines_as_far_as_no_tab_divides_them() -> None:
    assert read_table(b"note\nfast; small, far\n").rows == [["note"], ["fast; small, far"]]


def test_a_row_is_kept_where_one_cell_of_it_holds_anything() -> None:
    assert read_table(b"cluster_id\tgroup\n0\t\n\tgood\n\t \n", IDS).rows[1:] == [["0", ""], ["", "good"]]


def test_lines_before_the_table_are_kept_and_none_of_it() -> None:
    for before in ("sep=;\n", "# made by hand, 2024\n#\n", "\n\n"):
        data = before.encode() + spelt(";").encode()
        table = read_table(data, IDS)
        assert table.rows == ROWS
        assert table.spelling.as_bytes(table.rows) == data


def test_a_header_behind_a_hash_is_the_header() -> None:
    for delimiter in "\t ,":
        data = b"# " + spelt(delimiter).encode()
        table = read_table(data, IDS)
        assert table.rows == ROWS
        assert table.spelling.as_bytes(table.rows) == data


def test_a_quote_that_nothing_closes_is_a_character() -> None:
    data = b'cluster_id\tnote\n0\t"good\n1\tx\n'
    table = read_table(data, IDS)
    assert table.rows == [["cluster_id", "note"], ["0", '"good'], ["1", "x"]]
    assert table.spelling.as_bytes(table.rows) == data


def test_quotes_hold_lines_and_delimiters_together() -> None:
    table = read_table(b'cluster_id\tnote\n0\t"two\nlines\tand a tab"\n1\t3" wide\n', IDS)
    assert table.rows[1:] == [["0", "two\nlines\tand a tab"], ["1", '3" wide']]
    assert read_table(table.spelling.as_bytes(table.rows), IDS).rows == table.rows


def test_nothing_has_no_rows() -> None:
    assert [read_table(data).rows for data in (b"", b"\n \n", codecs.BOM_UTF8, b"# a comment\n")] == [[]] * 4
    assert Spelling().as_bytes(ROWS) == spelt().encode()


def test_names_of_columns_are_compared_without_case_quotes_and_blanks() -> None:
    names = ['"Cluster ID"', " cluster_id ", "cluster-id", "\ufeffCLUSTER  id"]
    assert {plain(name) for name in names} == {"cluster_id"}
