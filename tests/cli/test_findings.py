"""``ncpgui findings``: a table, the questions that matter, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ncpgui.session import store
from tests.cli.conftest import Command
from tests.tiny_project import tiny_project

OPEN = [[0, 0, 0, 0, 1, 1, 1, 1], [0] * 8]


@pytest.fixture
def session(tmp_path: Path) -> Path:
    store.save(tiny_project({0: OPEN}, masses={0: [0.5, 0.5]}), tmp_path / "s.h5")
    return tmp_path / "s.h5"


def test_rates_have_intervals_and_the_question_that_would_narrow_them(ncpgui: Command, session: Path) -> None:
    done = ncpgui("findings", session, "--draws", 20)
    assert done.code == 0
    lines = [line.split("\t") for line in done.out.splitlines()]
    assert lines[0][:3] == ["of", "finding", "in use"]
    assert [line[:2] for line in lines[1:3]] == [["0", "rate_hz"], ["1", "rate_hz"]]
    assert lines[2][-1] == "50%"  # unit 1 is there in every second draw
    assert "settling component 0 is expected to narrow the interval of rate_hz of unit 0 to" in done.out


def test_json_has_the_same_for_machines(ncpgui: Command, session: Path) -> None:
    done = ncpgui("findings", session, "--draws", 20, "--json", "--level", 0.5)
    told = json.loads(done.out)
    assert (told["draws"], told["level"]) == (20, 0.5)
    assert {row["of"] for row in told["findings"]} == {0, 1}
    assert told["questions"][0]["component"] == 0


def test_tuning_and_decoding_read_their_trials_from_a_table(
    ncpgui: Command, session: Path, tmp_path: Path
) -> None:
    """Twenty trials of 2 ms with five values; the recording has eight spikes."""
    lines = [f"{0.002 * k};{36 * (k % 5)}" for k in range(20)]
    (tmp_path / "t.csv").write_text("start_s;value\n" + "\n".join(lines), encoding="utf-8")
    asked = ("--trials", tmp_path / "t.csv", "--duration", 0.002, "--draws", 4, "--json")
    tuned = json.loads(ncpgui("findings", session, "--of", "tuning", "--period", 180, *asked).out)
    assert {row["name"] for row in tuned["findings"]} >= {"peak", "width", "mean_hz"}
    (tmp_path / "t.csv").write_text(
        "start_s,value\n" + "\n".join(f"{0.002 * k},{k % 2}" for k in range(20)), encoding="utf-8"
    )
    told = json.loads(ncpgui("findings", session, "--of", "decoding", *asked).out)
    assert [(row["of"], row["name"]) for row in told["findings"]] == [("all", "accuracy")]


def test_a_finding_that_no_question_changes_says_so(ncpgui: Command, tmp_path: Path) -> None:
    store.save(tiny_project({0: [[0] * 8]}), tmp_path / "s.h5")
    assert "no question changes these findings" in ncpgui("findings", tmp_path / "s.h5", "--draws", 4).out


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--of", "tuning"), "--of tuning needs --trials"),
        (("--of", "tuning", "--trials", "{t}"), "--of tuning needs --duration"),
        (
            ("--of", "rates", "--duration", "1"),
            "--duration is for --of tuning and --of decoding, not for --of rates",
        ),
        (("--of", "rates", "--period", "1"), "--period is for --of tuning, not for --of rates"),
        (("--of", "fields"), "needs white noise, and the session has no stimulus"),
        (
            ("--of", "tuning", "--trials", "{t}", "--duration", "1"),
            "trial 2 of {t} has 'x' where a number must be",
        ),
        (("--of", "tuning", "--trials", "{no}", "--duration", "1"), "cannot read trials from {no}"),
        (("--of", "tuning", "--trials", "{h}", "--duration", "1"), "{h} has no column value"),
        (("--of", "tuning", "--trials", "{e}", "--duration", "1"), "{e} has no trial below its header"),
        (("--of", "rate"), "did you mean 'rates'?"),
    ],
)
def test_what_makes_no_sense_is_refused(
    ncpgui: Command, session: Path, tmp_path: Path, options: tuple[str, ...], words: str
) -> None:
    places = {name: tmp_path / f"{name}.csv" for name in ("t", "no", "h", "e")}
    places["t"].write_text("start_s,value\n0,1\n1,x\n", encoding="utf-8")
    places["h"].write_text("start_s,angle\n0,1\n", encoding="utf-8")
    places["e"].write_text("start_s,value\n", encoding="utf-8")
    error = ncpgui("findings", session, *(one.format(**places) for one in options)).error
    assert words.format(**places) in error
