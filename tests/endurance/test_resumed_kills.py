"""Sortings and reviews killed at any moment, again and again: `--resume` comes to the same session."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from ncpgui.session.schema import SessionPaths
from tests.cli.conftest import files_of
from tests.endurance.random_kills import ENDED, KILLED, KILLS, command, killed_after, lasting
from tests.phy_folder import QUICK
from tests.session_content import content_of

pytestmark = [pytest.mark.slow, pytest.mark.timeout(7200)]


def kill_and_go_on(words: list[str], folder: Path, source: Path, *, seed: int) -> None:
    """Kill a command at random moments and go on each time; every session that comes out is the same.

    Moments are drawn from the time that it takes, the later ones twice as dense; that time is followed, as
    other programs run beside it.
    """
    paths = SessionPaths.of(folder / "s.h5")
    outputs = set(folder.iterdir())

    def clear() -> None:
        for made in set(folder.iterdir()) - outputs:
            shutil.rmtree(made) if made.is_dir() else made.unlink()

    before = files_of(source)
    lasting(words, folder)  # compiles what is compiled once
    whole = content_of(paths.session)
    clear()
    seconds = lasting(words, folder)
    clear()
    rng = np.random.default_rng(seed)
    n_killed = n_went_on = n_came_out = n_runs = 0
    while n_killed < KILLS and n_runs < 6 * KILLS:
        n_runs += 1
        n_went_on += any(paths.steps.glob("*.npz")) if paths.steps.is_dir() else 0
        how, _ = killed_after([*words, "--resume"], folder, seconds * rng.random() ** 0.5)
        n_killed += how == KILLED
        seconds *= 1.02 if how == KILLED else 0.9
        assert files_of(source) == before
        if how == ENDED or (paths.session.is_file() and not paths.steps.is_dir()):
            assert content_of(paths.session) == whole
            n_came_out += 1
            clear()
    if paths.session.is_file():  # killed when only the steps were still to be deleted
        assert content_of(paths.session) == whole
    lasting([*words, "--resume"], folder)
    assert content_of(paths.session) == whole
    assert not paths.steps.exists()
    print(f"{n_killed} kills, {n_went_on} runs went on from steps, {n_came_out + 1} sessions came out")
    assert n_killed == KILLS


def test_a_sorting_that_is_killed_again_and_again_goes_on_to_the_same_session(
    tetrode_folder: Path, few_settings: Path, tmp_path: Path
) -> None:
    words = command("sort", tetrode_folder, "--out", "s.h5", "--settings", few_settings)
    kill_and_go_on(words, tmp_path, tetrode_folder, seed=11)


def test_a_review_that_is_killed_again_and_again_goes_on_to_the_same_session(
    given_folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "few.toml").write_text(QUICK)
    words = command("review", given_folder, "--out", "s.h5", "--settings", "few.toml")
    kill_and_go_on(words, tmp_path, given_folder, seed=12)
