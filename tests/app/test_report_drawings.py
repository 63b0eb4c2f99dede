"""Drawings of a report: where each contact, curve, bar and axis of the SVG is."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from ncpgui.app.model.colors import Color
from ncpgui.app.report.drawings import histogram, interval, probe_map, waveforms


def unit(channel: int, *, number: int = 7, color: int = 0, mean: Any = None) -> Any:
    return SimpleNamespace(id=number, color=Color(color), known={"channel": channel}, waveforms=mean)


def probe(*places: tuple[float, float], pitch_um: float = 30.0) -> Any:
    at = np.array(places, float)
    return SimpleNamespace(drawn_positions_um=at, positions_um=at, pitch_um=pitch_um)


def circles(svg: str) -> list[tuple[str, float, float, float, str]]:
    """Class, place, radius and words of each circle."""
    found = re.findall(
        r'<circle class="(\w+)" cx="([\d.]+)" cy="([\d.]+)" r="([\d.]+)"><title>(.*?)</title>', svg
    )
    return [(kind, float(x), float(y), float(r), words) for kind, x, y, r, words in found]


def size(svg: str) -> str:
    return re.findall(r'viewBox="0 0 (\d+ \d+)"', svg)[0]


def test_contacts_are_where_they_lie_and_units_beside_theirs_each_at_another_angle() -> None:
    """30 µm are 300 px; a contact has 9 px at most, and three of them and 6 px are free around all."""
    units = [unit(0), unit(2, number=8, color=11), unit(0, number=9, color=2)]
    svg = probe_map(probe((0, 0), (30, 0), (0, 40)), units, width=300)
    assert size(svg) == "366 466"
    assert circles(svg) == [
        ("contact", 33.0, 433.0, 9.0, "contact 0"),
        ("contact", 333.0, 433.0, 9.0, "contact 1"),
        ("contact", 33.0, 33.0, 9.0, "contact 2"),
        ("u0", 46.5, 433.0, 7.2, "unit 7"),
        ("u1", 46.5, 33.0, 7.2, "unit 8"),
        ("u2", 23.0, 442.1, 7.2, "unit 9"),  # 2.4 rad further
    ]


def test_a_long_probe_lies_on_its_side_and_is_twice_as_wide() -> None:
    svg = probe_map(probe((0, 0), (0, 30)), [], width=150)
    assert [(x, y) for _, x, y, _, _ in circles(svg)] == [(33, 33), (333, 33)]
    svg = probe_map(probe((0, 0), (10, 20), pitch_um=10), [], width=100)
    assert [(x, y) for _, x, y, _, _ in circles(svg)] == [(33, 233), (133, 33)], "twice as long is not long"
    svg = probe_map(probe((0, 0), (10, 25), pitch_um=10), [], width=100)
    assert [(x, y) for _, x, y, _, _ in circles(svg)] == [(33, 113), (233, 33)]


def test_contacts_of_many_are_small_and_a_single_one_has_a_picture() -> None:
    svg = probe_map(probe((0, 0), (300, 0), pitch_um=5), [], width=300)
    assert circles(svg)[0] == ("contact", 13.5, 13.5, 2.5, "contact 0")
    assert circles(probe_map(probe((4, 4), pitch_um=0), [], width=300))[0][1:3] == (33, 33)


def curves(svg: str) -> list[tuple[str, list[tuple[float, float]]]]:
    found = re.findall(r'<polyline class="wave ([\w ]+)" points="([^"]+)"', svg)
    return [
        (kind, [(float(x), float(y)) for x, y in re.findall(r"([\d.]+),([-\d.]+)", at)]) for kind, at in found
    ]


def test_a_waveform_stands_at_each_contact_with_a_bar_of_five_sd() -> None:
    """Two by two contacts: of 160 x 120 px a box has 70 x 60. The largest, 19 sd, has 95 % of that: 3 px
    a sd. Zero lies at 45 % of the box.
    """
    mean = np.array([[0, 0, 0, 0], [-15, -3, 2, 1], [4, 0, 0, 0]], float)
    svg = waveforms(
        probe((0, 0), (30, 0), (0, 30), (30, 30)), unit(0, color=3, mean=mean), width=160, height=120
    )
    assert curves(svg) == [
        ("s3 main", [(2, 87), (34, 132), (66, 75)]),
        ("s3", [(92, 87), (124, 96), (156, 87)]),
        ("s3", [(2, 27), (34, 21), (66, 27)]),
        ("s3", [(92, 27), (124, 24), (156, 27)]),
    ]
    assert '<line class="axis" x1="160" x2="160" y1="115.0" y2="130"/>' in svg
    assert size(svg) == "164 136"
    assert "Mean waveform of unit 7; the bar is 5 noise sd" in svg


def test_where_the_probe_lies_changes_no_drawing() -> None:
    mean = np.array([[0, 0, 0, 0], [-15, -3, 2, 1], [4, 0, 0, 0]], float)
    square = np.array([(0, 0), (30, 0), (0, 30), (30, 30)])
    there = probe(*np.add(square, (400, -1000)))
    assert waveforms(there, unit(0, mean=mean)) == waveforms(probe(*square), unit(0, mean=mean))
    assert probe_map(there, [unit(1)]) == probe_map(probe(*square), [unit(1)])


def test_of_many_contacts_the_seven_nearest_are_shown_and_none_where_it_is_flat() -> None:
    mean = np.full((2, 10), -1.0)
    mean[:, 1] = 0
    svg = waveforms(probe(*((0.0, 30.0 * k) for k in range(10))), unit(0, mean=mean))
    assert [kind for kind, _ in curves(svg)] == ["s0 main"] + 6 * ["s0"]
    assert waveforms(probe((0, 0)), unit(0)) == ""


def test_in_a_column_waveforms_overlap_and_stand_left_of_the_middle() -> None:
    """Three rows of 40 px: waveforms are 1.6 times as high; 30 px are free at the left."""
    mean = np.array([[0, 0, 0], [-1, -1, -1], [1, 0, 0]], float)
    svg = waveforms(probe((0, 0), (0, 30), (0, 60)), unit(0, mean=mean), width=170, height=120)
    assert [points[0] for _, points in curves(svg)] == [(32, 98), (32, 58), (32, 18)]
    first = curves(svg)[0][1]
    assert first[1][1] - first[2][1] == pytest.approx(0.95 * 40 * 1.6, abs=0.1)
    assert first[2][0] == 30 + 70 - 4, "70 px at most"
    two = waveforms(probe((0, 0), (0, 30)), unit(0, mean=mean[:, :2]), width=170, height=120)
    first = curves(two)[0][1]
    assert first[1][1] - first[2][1] == pytest.approx(0.95 * 60, abs=0.1)
    flat = waveforms(probe((0, 0), (30, 0)), unit(0, mean=mean[:, :2]), width=170, height=120)
    assert {points[0][1] for _, points in curves(flat)} == {54}, "a row stands at the top"


def test_a_histogram_is_an_outline_over_a_line_with_its_ends_below() -> None:
    """Four bins of 150 px; the highest has all of 78 px but four."""
    svg = histogram(np.array([0, 37, 74, 0]), unit(0, color=2), np.array([-20.0, -10, 0, 10, 20]))
    assert (
        '<polygon class="u2" points="0,78.0 0.0,78.0 37.5,78.0 37.5,41.0 75.0,41.0 75.0,4.0 112.5,4.0 ' in svg
    )
    assert 'points="' in svg
    assert "112.5,78.0 150.0,78.0 150.0,78.0" in svg
    assert '<line class="axis" x1="0" x2="150.0" y1="78.0" y2="78.0"/>' in svg
    assert '<text x="0" y="90.0" text-anchor="start">-20 ms</text>' in svg
    assert '<text x="150.0" y="90.0" text-anchor="end">20 ms</text>' in svg
    assert size(svg) == "150 94"
    silent = histogram(np.zeros(2, int), unit(0), np.array([-1.0, 0, 1]))
    assert "0.0,78.0 75.0,78.0 75.0,78.0 150.0,78.0" in silent


def test_an_interval_lies_on_a_track_and_a_short_one_is_seen() -> None:
    svg = interval(2.0, 4.0, 3.5, (0.0, 10.0), width=108)
    assert '<line class="track" x1="0" x2="108" y1="6" y2="6"/>' in svg
    assert '<line class="bar" x1="24.0" x2="44.0" y1="6" y2="6"/>' in svg
    assert '<circle class="dot" cx="39.0" cy="6" r="3"/>' in svg
    assert size(svg) == "108 12"
    assert 'aria-label="3.5, from 2 to 4"' in svg
    assert 'x1="24.0" x2="25.0"' in interval(2.0, 2.0, 2.0, (0.0, 10.0), width=108)
    assert interval(2.0, 2.0, 2.0, (2.0, 2.0)) == "", "an axis without length"
    assert interval(2.0, np.inf, 2.0, (0.0, 2.0)) == ""
