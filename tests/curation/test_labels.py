"""Labels, locks and words of units: what is kept of a text, and what a unit made of others inherits."""

from __future__ import annotations

import pytest

from ncpgui.core.errors import CurationError
from ncpgui.curation.labels import Labels, UnitMark, checked_label, checked_words, inherited


@pytest.mark.parametrize(("kind", "most"), [("tag", 40), ("note", 1000)])
def test_a_text_may_be_as_long_as_is_said_and_no_longer(kind: str, most: int) -> None:
    assert checked_words(kind, "x" * most) == "x" * most
    said = f"a {kind} has at most {most} characters, this one has {most + 1}; shorten it"
    with pytest.raises(CurationError, match=said):
        checked_words(kind, "x" * (most + 1))


def test_a_text_is_kept_in_one_line_and_measured_as_it_is_kept() -> None:
    assert checked_words("tag", "  a \t b\nc ") == "a b c"
    assert checked_words("tag", "x" + " " * 100 + "y") == "x y"


def test_other_kinds_of_words_and_labels_are_refused() -> None:
    with pytest.raises(CurationError, match="must be one of tag, note, got 'colour'"):
        checked_words("colour", "red")
    with pytest.raises(CurationError, match="label must be one of good, mua, noise, unsorted, got 'Good'"):
        checked_label("Good")
    assert checked_label("mua") == "mua"


def test_a_unit_inherits_what_its_parents_agree_on_and_all_their_notes() -> None:
    good = UnitMark("good", accepted=True, tag="ON", note="drifts")
    assert inherited([good, UnitMark("unsorted", accepted=True, note="late"), good]) == UnitMark(
        "good", accepted=True, tag="ON", note="drifts; late"
    )
    assert inherited([good, UnitMark("mua", tag="OFF")]) == UnitMark(note="drifts")
    assert inherited([]) == UnitMark()


def test_joined_notes_are_cut_where_a_note_ends() -> None:
    note = inherited([UnitMark(note="a" * 600), UnitMark(note="b" * 600)]).note
    assert note == "a" * 600 + "; " + "b" * 398


def test_marks_are_kept_of_units_that_have_one() -> None:
    labels = Labels()
    labels.update(
        {3: UnitMark("good", tag="b"), 4: UnitMark(accepted=True, tag="a", note="n"), 5: UnitMark(tag="b")}
    )
    assert labels.tags == ("a", "b")
    assert labels.accepted == {4}
    assert labels.as_dict([3, 4, 9]) == {3: "good", 4: "unsorted", 9: "unsorted"}
    assert labels.words("note", [3, 4, 9]) == {4: "n"}
    labels.update({4: UnitMark(), 5: UnitMark()})
    assert (labels.accepted, labels.tags) == (frozenset(), ("b",))
