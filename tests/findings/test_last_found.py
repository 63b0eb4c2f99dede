"""What is kept of the last object that was looked at."""

from __future__ import annotations

from ncpgui.findings.last_found import LastFound


def test_what_was_found_is_found_anew_for_another_object_only() -> None:
    asked: list[list[int]] = []

    def n_of(one: list[int]) -> int:
        asked.append(one)
        return len(one)

    last: LastFound[list[int], int] = LastFound()
    first, equal = [1, 2], [1, 2]
    assert [last.of(one, n_of) for one in (first, first, equal, first)] == [2, 2, 2, 2]
    assert [one is first for one in asked] == [True, False, True]
