"""The report of a session: what it tells, and that it is one page that needs nothing else."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ncpgui.app.report.contents import Report, report_of
from ncpgui.app.report.drawings import interval
from ncpgui.app.report.page import _mass, _value, page, write_report
from ncpgui.core.errors import ExportError
from ncpgui.core.left_out import LeftOut
from ncpgui.core.project import Project
from ncpgui.curation.commands import Merge, SetLabel, SetWords
from ncpgui.findings.finding import Collected, finding
from ncpgui.session.decided import decided
from tests.synthetic_project import synthetic_project
from tests.tiny_project import tiny_project

TWO = [[0, 0, 0, 0, 1, 1, 1, 1], [0] * 8]
VOID = {"meta"}


def told(project: Project, *commands: object, **options: int) -> Report:
    session = decided(project)
    for command in commands:
        session.history.do(command)  # type: ignore[arg-type]
    return report_of(session, name="session.h5", **{"n_draws": 4, **options})  # type: ignore[arg-type]


class Balanced(HTMLParser):
    """Elements that are open, and what is loaded from elsewhere."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.loaded: list[tuple[str, str]] = []
        self.ids: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.loaded += [(tag, name) for name, _ in attrs if name in {"src", "href", "xlink:href", "data"}]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def words_of(html: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html))


def test_the_page_is_whole_html_and_loads_nothing() -> None:
    html = page(told(synthetic_project(3, duration_s=20.0, spikes_per_unit=60, with_stimulus=False)))
    parser = Balanced()
    parser.feed(html)
    assert parser.open == []
    assert parser.loaded == []
    assert not re.search(r"https?://|url\(|@import|<script|<link|<iframe", html)
    assert len(html) < 1_000_000


def test_units_stand_with_their_rate_and_its_interval() -> None:
    """Eight spikes of 5 ms each in 50 ms: 80 Hz, and as many in every draw."""
    report = told(tiny_project({0: [[0] * 8]}))
    rate = report.units[0].findings["rate_hz"]
    assert rate.mean == pytest.approx(8 / report.project.spikes.duration_s)
    assert float(rate.from_sorting) == 0
    assert report.units[0].known["n_spikes"] == 8
    assert "rate (Hz)" in page(report)
    assert not report.has_fields


def test_open_alternatives_are_told_and_settled_ones_counted() -> None:
    project = tiny_project({0: TWO, 1: [[0] * 8]}, masses={0: [0.6, 0.4], 1: [1.0]})
    report = told(project)
    assert [one.id for one in report.questions] == [0]
    assert report.n_settled == 1
    assert [(way.mass, way.words) for way in report.questions[0].alternatives] == [
        (0.6, "same units"),
        (0.4, "merges 0 + 1"),
    ]
    assert "merges 0 + 1" in words_of(page(report))
    nothing = page(told(tiny_project({1: [[0] * 8]})))
    assert "No question is open" in nothing


def test_decisions_are_told_and_who_made_them() -> None:
    project = tiny_project({0: TWO}, masses={0: [0.6, 0.4]})
    merged = replace(project, history=({"do": "merge", **_entry(project, Merge((0, 1)))},))
    report = told(merged, SetLabel((2,), "mua"))
    assert [(one.words, one.by) for one in report.decisions] == [
        ("merge 0 + 1", "a person"),
        ("label unit 2 mua", "a person"),
    ]
    assert report.units[0].known["label"] == "mua"
    assert "Nothing was decided" in page(told(project))


def test_sortings_that_were_used_without_asking_are_by_ncpgui() -> None:
    from ncpgui.curation.by_itself import with_probable_sortings

    project = tiny_project({0: TWO[::-1]}, masses={0: [0.9, 0.1]})
    units = np.array([0, 0, 0, 0, 1, 1, 1, 1])
    changed, words = with_probable_sortings(replace(project, unit_of_spike=units), 0.6)
    assert words != ()
    assert [one.by for one in told(changed).decisions] == ["ncpgui"]


def test_text_of_files_stays_text() -> None:
    project = tiny_project({0: [[0] * 8]})
    reference = replace(project.recording, path="/data/<script>alert(1)</script>\x1b[31m.raw")
    note = SetWords((0,), "note", '<img src=x> & "quotes"')
    report = told(replace(project, recording=reference, model="<b>m</b>"), note)
    html = page(replace(report, name="<i>name</i>"))
    parser = Balanced()
    parser.feed(html)
    assert not re.search(r"<script|<img|<b>m|<i>name|\x1b", html)
    assert "&lt;img src=x&gt; &amp; &quot;quotes&quot;" in html


def test_receptive_fields_stand_where_white_noise_was_shown() -> None:
    project = synthetic_project(1, duration_s=30.0, spikes_per_unit=300)
    report = told(project)
    assert report.has_fields
    assert {"x_px", "y_px", "size_px", "polarity"} <= set(report.units[0].findings)
    assert "field centre (px)" in page(report)


def test_a_clear_field_has_its_place_its_size_and_its_sign() -> None:
    """Units of a project with a stimulus: x, y, size and polarity as they are given here."""
    report = told(synthetic_project(1, duration_s=30.0, spikes_per_unit=60))

    def with_field(*values: float) -> dict[str, Any]:
        known = zip(("x_px", "y_px", "size_px", "polarity"), values, strict=False)
        return {name: finding(Collected([np.array(one)]), one, n=1, level=0.9) for name, one in known}

    fields = [with_field(4.0, 5.0, 2.0, 1.0), with_field(4.0, 5.0, 2.0, -1.0), with_field(np.nan, 5.0), {}]
    units = tuple(replace(report.units[0], findings=one) for one in fields)
    rows = re.findall(r"<tr>(.*?)</tr>", page(replace(report, units=units)))
    cells = [re.findall(r"<td[^>]*>(.*?)</td>", row)[10:] for row in rows]
    place = "4.0 <small>(4.0 to 4.0)</small>, 5.0 <small>(5.0 to 5.0)</small>"
    assert cells[1:5] == [
        [place, "2.0 <small>(2.0 to 2.0)</small>", "ON"],
        [place, "2.0 <small>(2.0 to 2.0)</small>", "OFF"],
        ["not clear", "–", ""],
        ["not clear", "–", ""],
    ]


def test_a_session_without_waveforms_or_units_has_a_page_too() -> None:
    project = replace(tiny_project({0: [[0] * 8]}), waveforms={})
    assert "no waveforms are kept" in page(told(project))
    empty = replace(project, unit_of_spike=np.full(8, -1), components=())
    assert "No spike is in a unit" in page(told(empty))


@pytest.mark.parametrize(
    ("mean", "sd", "words"),
    [
        (7.913, 0.4, "7.9 <small>(7.3 to 8.6)</small>"),
        (7.913, 0.02, "7.913 <small>(7.880 to 7.946)</small>"),
        (123.4, 30.0, "123 <small>(74 to 173)</small>"),
        (np.nan, 0.0, "–"),
    ],
)
def test_numbers_have_the_digits_that_their_interval_allows(mean: float, sd: float, words: str) -> None:
    one = finding(Collected([np.array(mean)], [(np.array(sd**2), 1.0)]), mean, n=1, level=0.9)
    assert _value(one) == words
    assert _value(None) == "–"


def test_an_interval_is_a_bar_on_the_axis_of_all() -> None:
    drawn = interval(2.0, 4.0, 3.0, (0.0, 10.0), width=108.0)
    ends = [float(x) for x in re.findall(r'class="bar" x1="([\d.]+)" x2="([\d.]+)"', drawn)[0]]
    assert ends == [24.0, 44.0]
    assert interval(np.nan, 4.0, 3.0, (0.0, 10.0)) == ""


def test_bars_of_rates_share_an_axis_that_ends_with_the_highest_of_all() -> None:
    """From 4 to 92 px: 0 to 10 Hz. The draws of a unit are its lower and its upper limit."""
    report = told(tiny_project({0: TWO}))

    def rate(low: float, high: float) -> dict[str, Any]:
        between = replace(report.units[0].findings["rate_hz"], low=np.array(low), high=np.array(high))
        return {"rate_hz": replace(between, mean=np.array((low + high) / 2))}

    units = (replace(report.units[0], findings=rate(2, 5)), replace(report.units[1], findings=rate(7.5, 10)))
    bars = re.findall(r'class="bar" x1="([\d.]+)" x2="([\d.]+)"', page(replace(report, units=units)))
    assert bars == [("21.6", "48.0"), ("70.0", "92.0")]
    assert page(replace(report, units=(replace(units[0], findings={}),))).count('class="bar"') == 0


@pytest.mark.parametrize(("mass", "n_open"), [(0.949, 1), (0.95, 0)])
def test_a_question_is_settled_from_95_percent_on(mass: float, n_open: int) -> None:
    report = told(tiny_project({0: TWO}, masses={0: [mass, 1 - mass]}))
    assert (len(report.questions), report.n_settled) == (n_open, 1 - n_open)


def test_alternatives_of_a_percent_are_told_and_rarer_ones_are_not() -> None:
    ways = [*TWO, [0] * 7 + [1], [0] * 6 + [1, 1]]
    report = told(tiny_project({0: ways}, masses={0: [0.6, 0.381, 0.01, 0.009]}))
    assert [way.mass for way in report.questions[0].alternatives] == [0.6, 0.381, 0.01]


def test_first_stand_the_questions_whose_answer_puts_most_spikes_right() -> None:
    small, large = TWO, [[0] * 8 + [1] * 8, [0] * 16]
    report = told(tiny_project({0: small, 1: large}, masses={0: [0.6, 0.4], 1: [0.6, 0.4]}))
    assert [one.id for one in report.questions] == [1, 0]
    assert report.questions[0].gain.gained > report.questions[1].gain.gained


def test_a_unit_has_its_tag_and_its_note() -> None:
    tag, note = SetWords((0,), "tag", "axon"), SetWords((0, 1), "note", "look again")
    assert [unit.note for unit in told(tiny_project({0: TWO}), tag, note).units] == [
        "axon: look again",
        "look again",
    ]


def test_how_far_a_report_is_goes_up_from_nothing() -> None:
    """Findings are nine tenths, of which rates are a quarter and fields the rest: two draws of both."""
    said: list[float] = []
    session = decided(synthetic_project(1, duration_s=30.0, spikes_per_unit=60))
    report_of(session, name="s.h5", n_draws=2, progress=lambda done, total, *_: said.append(done / total))
    assert said == pytest.approx([0, 0.1125, 0.225, 0.225, 0.5625, 0.9, 0.9])


def test_the_page_is_not_written_over_another_unless_asked(tmp_path: Path) -> None:
    report = told(tiny_project({0: [[0] * 8]}))
    write_report(report, tmp_path / "report.html")
    with pytest.raises(ExportError):
        write_report(report, tmp_path / "report.html", replace=False)
    assert (tmp_path / "report.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def _entry(project: Project, command: Merge) -> dict:
    session = decided(project)
    session.history.do(command)
    return session.history.entries[0]


def test_units_that_matching_had_and_the_sorting_is_without_are_told_where_there_are_any() -> None:
    project = synthetic_project(2, duration_s=20.0, spikes_per_unit=60, with_stimulus=False)
    left_out = LeftOut(faint=3, rare=1, rare_spikes=9)
    words = words_of(page(told(replace(project, left_out=left_out))))
    assert all(sentence in words for sentence in left_out.sentences)
    for nothing in (None, LeftOut()):
        assert "left out" not in words_of(page(told(replace(project, left_out=nothing))))


def test_the_page_in_words() -> None:
    """Twelve spikes 5 ms apart; of a question of two units, one way joins them and has four of ten draws."""
    project = tiny_project({0: TWO, 1: [[0] * 4]}, masses={0: [0.6, 0.4]})
    html = page(told(project, SetLabel((2,), "mua")))
    words = words_of(html[html.index("<body>") :])

    def between(first: str, last: str) -> str:
        return words[words.index(first) : words.index(last)].strip()

    thin = "\u2009"
    assert between("recording", "made") == (
        "recording /data/tiny.raw length 0.1 s, 2 channels, 20000 Hz spikes 12, 0 of them in no unit units 3 "
        "questions 1 open, 1 with one sorting that is 95 % probable or more decisions 1 stimulus none"
    )
    rows = re.findall(r"<tr>(.*?)</tr>", html)
    cells = [re.sub(r"<[^>]+>", "", one) for one in re.findall(r"<td[^>]*>(.*?)</td>", rows[1])]
    assert cells[:7] == ["0", "unsorted", "4", "10.0", "unknown", f"100{thin}%", f"60{thin}%"]
    sides = re.findall(r'<th class="(l?)">', rows[0])
    assert sides == ["l", "l"] + 8 * [""], "names stand on the left, numbers on the right"
    assert between("0 contact 0", "2 contact 1").count("open question") == 2
    assert between("2 contact 1", "Open alternatives").startswith("2 contact 1 settled")
    assert "0 pairs of spikes 0.7 to 2 ms apart, 0.7 by chance" in between("0 contact 0", "1 contact 0")
    assert between("Units 0, 1", "Settings") == (
        "Units 0, 1 contact 0, 8 spikes; an answer is expected to put 2 spikes right probability units "
        "against the sorting in use 60 % 2 same units 40 % 1 merges 0 + 1 "
        "Decisions label unit 2 mua a person"
    )
    assert between("model", "fingerprint") == "model tiny"


def test_a_mass_has_its_error_where_that_is_known() -> None:
    thin = "\u2009"
    found = [_mass(0.6, error) for error in (float("nan"), 0.0, 0.034)]
    assert found == [f"60{thin}%", f"60{thin}%", f"60{thin}% ± 3"]
