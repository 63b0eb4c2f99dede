"""Details of a sorting: folded or not, what differs from the defaults counts, and every change is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from ncpgui.gui.dialogs.sorting_details import SortingDetails


@pytest.fixture
def details(qtbot) -> SortingDetails:
    made = SortingDetails()
    qtbot.addWidget(made)
    made.show()
    return made


def test_it_is_folded_at_first_and_unfolds(details: SortingDetails) -> None:
    assert not details.body.isVisible()
    details.heading.click()
    assert details.body.isVisible()
    details.heading.click()
    assert not details.body.isVisible()


def test_nothing_is_asked_for_by_the_defaults(details: SortingDetails) -> None:
    assert details.settings() == {}
    assert details.options() == {}
    assert details.stimulus_file() is None
    assert (details.start.text(), details.end.text()) == ("the start", "the end")
    assert (details.highpass.text(), details.lowpass.text()) == ("300.0 Hz", "6000.0 Hz")


def test_settings_are_those_that_differ(details: SortingDetails) -> None:
    details.model.setText(" spikes-times ")
    details.highpass.setValue(250)
    details.reference.setCurrentIndex(details.reference.findData("none"))
    assert details.settings() == {"model": "spikes-times", "highpass_hz": 250.0, "reference": "none"}
    details.lowpass.setValue(5000)
    details.highpass.setValue(300)
    assert details.settings() == {"model": "spikes-times", "lowpass_hz": 5000.0, "reference": "none"}


@pytest.mark.parametrize(
    ("start", "end", "asked"),
    [(0, 0, None), (2.5, 0, (2.5, None)), (0, 9, (None, 9.0)), (2.5, 9, (2.5, 9.0))],
)
def test_a_part_of_the_recording_has_a_start_or_an_end(
    details: SortingDetails, start: float, end: float, asked: tuple[float | None, float | None] | None
) -> None:
    details.start.setValue(start)
    details.end.setValue(end)
    assert details.options() == ({} if asked is None else {"time_range_s": asked})


def test_clocks_that_count_from_1970_have_room(details: SortingDetails) -> None:
    details.start.setValue(1_700_000_000.5)
    assert details.options()["time_range_s"] == (1_700_000_000.5, None)


def test_channels_and_the_file_of_the_stimulus_are_taken_without_blanks(details: SortingDetails) -> None:
    details.bad_channels.setText(" 3,17 ")
    details.stimulus.setText(" ~/noise.npz ")
    assert details.options() == {"bad_channels": "3,17"}
    assert details.stimulus_file() == Path.home() / "noise.npz"


def test_every_change_is_told(details: SortingDetails) -> None:
    told: list[str] = []
    details.changed.connect(lambda: told.append("changed"))
    for line in (details.model, details.bad_channels, details.stimulus):
        line.setText("1")
    for box in (details.highpass, details.lowpass, details.start, details.end, details.beam):
        box.setValue(box.value() + 100)
    for choice in (details.reference, details.sampler):
        choice.setCurrentIndex(1)
    assert len(told) == 10
