"""``--resume``: a sorting or review that was stopped goes on, and its session is that of one that was not."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from ncpgui.core.config import from_dict
from ncpgui.core.progress import Cancelled
from ncpgui.engine.networks.checkpoint import load_checkpoint, save_checkpoint
from ncpgui.engine.networks.registry import NetworkSettings
from ncpgui.session import store
from ncpgui.session.schema import SessionPaths
from ncpgui.session.session_file import open_session
from ncpgui.session.steps_folder import StepsFolder
from tests.phy_folder import QUICK, write_phy
from tests.session_content import content_of

from .conftest import Command, Ran, files_of


@pytest.fixture
def stop_after(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Somebody presses Ctrl-C when so many steps are kept; None lets it run."""
    keep = StepsFolder.keep

    def stop(n_steps: int | None) -> None:
        n_kept = 0

        def kept(self: StepsFolder, name: str, values: Any) -> None:
            nonlocal n_kept
            keep(self, name, values)
            n_kept += 1
            if n_kept == n_steps:
                raise Cancelled

        monkeypatch.setattr(StepsFolder, "keep", kept)

    return stop


class Sorts:
    """Runs one sort again and again."""

    def __init__(self, ncpgui: Command, folder: Path, settings: Path, out: Path) -> None:
        self.out, self.steps = out, SessionPaths.of(out).steps
        self._ncpgui, self._words = ncpgui, ("sort", folder, "--out", out, "--settings", settings)

    def __call__(self, *options: object) -> Ran:
        return self._ncpgui(*self._words, *options)


@pytest.fixture
def sort(ncpgui: Command, tetrode_folder: Path, few_settings: Path, tmp_path: Path) -> Sorts:
    return Sorts(ncpgui, tetrode_folder, few_settings, tmp_path / "s.h5")


@pytest.mark.parametrize("n_steps", [2, pytest.param(8, marks=pytest.mark.slow), 11])
def test_a_sort_that_was_stopped_goes_on_to_the_session_of_one_that_was_not(
    sort: Sorts, stop_after: Any, tetrode_session: Path, n_steps: int
) -> None:
    stop_after(n_steps)
    stopped = sort()
    assert stopped.code == 130
    n_kept = len(list(sort.steps.glob("*.npz")))
    steps = f"{n_kept} finished step{'s' if n_kept > 1 else ''}"
    assert stopped.err.splitlines()[-2:] == [
        f"note: {steps} kept in {sort.steps}; the same command with --resume goes on",
        "cancelled",
    ]
    stop_after(None)
    resumed = sort("--resume", "--jobs", 2)
    assert resumed.code == 0, resumed.err
    assert f"note: going on: {sort.steps} holds {n_kept} finished step" in resumed.err
    assert content_of(sort.out) == content_of(tetrode_session)
    assert {item.name for item in sort.out.parent.iterdir()} == {"s.h5", "s.h5.waveforms"}


def test_what_a_stopped_sort_left_is_named_and_not_passed_over(sort: Sorts, stop_after: Any) -> None:
    stop_after(2)
    sort()
    before = files_of(sort.steps)
    error = sort().error
    assert error.startswith(f"{sort.steps} holds ")
    assert "of a sorting begun at 20" in error
    assert error.endswith("; --resume goes on with them, --overwrite begins anew")
    assert files_of(sort.steps) == before
    stop_after(1)
    assert sort("--overwrite").code == 130
    assert set(files_of(sort.steps)) == {"steps.json", "motion.npz"}


def test_a_sort_goes_on_with_its_own_settings_only(sort: Sorts, stop_after: Any, tmp_path: Path) -> None:
    stop_after(2)
    sort()
    shipped = load_checkpoint("spikes")
    architecture = from_dict(NetworkSettings, shipped.card["architecture"])
    shipped.network.f_new.data += 1
    save_checkpoint(
        tmp_path / "mine.safetensors", shipped.network, architecture, {"input": shipped.card["input"]}
    )
    before = files_of(sort.steps)
    for options, words in (
        (("--seed", 7), "settings seed was 0 and is 7"),
        (("--threshold-sd", 5), "settings threshold_sd was 4.5 and is 5.0"),
        (
            ("--model", tmp_path / "mine.safetensors"),
            "settings model was 'spikes' and is 'mine', model weights changed",
        ),
        (("--time-range", 0, 3), "recording n_samples was 80000 and is 60000"),
        (("--bad-channels", "1"), "recording options bad_channels was"),
    ):
        error = sort("--resume", *options).error
        assert error.startswith(f"{sort.steps} holds steps of another run: "), error
        assert words in error
    assert files_of(sort.steps) == before


def test_a_sort_goes_on_with_another_version_of_the_program_never(
    sort: Sorts, stop_after: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop_after(2)
    sort()
    monkeypatch.setattr("ncpgui.sorting.run.source_digest", lambda: "f" * 64)
    assert "versions source of ncpgui changed" in sort("--resume").error
    monkeypatch.undo()
    monkeypatch.setattr("ncpgui.sorting.run.version_of", lambda name: "0.0")
    assert "versions numpy was '" in sort("--resume").error


def test_a_recording_that_changed_meanwhile_is_another_one(
    ncpgui: Command, tetrode_folder: Path, few_settings: Path, stop_after: Any, tmp_path: Path
) -> None:
    sort = Sorts(ncpgui, shutil.copytree(tetrode_folder, tmp_path / "r"), few_settings, tmp_path / "s.h5")
    stop_after(2)
    sort()
    raw = tmp_path / "r" / "recording.raw"
    data = bytearray(raw.read_bytes())
    data[0] ^= 1
    raw.write_bytes(data)
    assert "recording contents changed" in sort("--resume").error


def test_resume_where_nothing_was_kept_says_so_and_begins_at_the_start(sort: Sorts, stop_after: Any) -> None:
    stop_after(1)
    ran = sort("--resume")
    assert ran.code == 130
    assert f"note: there is nothing in {sort.steps} to go on with, so this begins at the start" in ran.err


def test_a_run_that_was_killed_before_its_first_step_is_in_nobodys_way(sort: Sorts, stop_after: Any) -> None:
    sort.steps.mkdir()
    StepsFolder(sort.steps, {"command": "sort"})._lock.release()  # as a kill leaves it, but for the lock
    stop_after(1)
    assert sort().code == 130
    assert set(files_of(sort.steps)) == {"steps.json", "motion.npz"}


def test_resume_beside_a_session_without_steps_replaces_nothing(sort: Sorts) -> None:
    sort.out.write_bytes(b"somebody's")
    error = sort("--resume").error
    assert error.startswith(f"{sort.out} exists, and there is no {sort.steps} to go on with; open it")
    assert sort.out.read_bytes() == b"somebody's"


def test_a_sort_killed_between_its_session_and_the_end_of_its_steps_has_nothing_left_to_do(
    sort: Sorts, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(self: StepsFolder) -> None:
        raise Cancelled

    with monkeypatch.context() as patch:
        patch.setattr(StepsFolder, "finish", killed)
        assert sort().code == 130
    with open_session(sort.out) as session:  # somebody worked on it meanwhile
        session.save(session.project)
    before = sort.out.read_bytes()
    for options in (("--resume", "--overwrite"), ("--resume",)):
        ran = sort(*options)
        if options == ("--resume",):
            assert "there is no" in ran.error
            continue
        assert (ran.code, ran.out) == (0, "")
        assert f"nothing is left to do: {sort.out} is finished" in ran.err
        assert not sort.steps.exists()
    assert sort.out.read_bytes() == before


def test_a_session_that_was_to_be_replaced_stays_until_the_sort_that_goes_on_is_done(
    sort: Sorts, stop_after: Any, tetrode_session: Path
) -> None:
    sort.out.write_bytes(tetrode_session.read_bytes())
    stop_after(3)
    assert sort("--overwrite", "--seed", 3).code == 130
    assert sort.out.read_bytes() == tetrode_session.read_bytes()
    assert sort("--resume", "--seed", 3).error.startswith(
        f"{sort.out} exists; give another name, or --overwrite"
    )
    stop_after(None)
    assert sort("--resume", "--overwrite", "--seed", 3).code == 0
    assert store.load(sort.out).settings["seed"] == 3
    assert not sort.steps.exists()


def test_a_second_sort_with_the_same_session_is_refused_while_the_first_runs(
    sort: Sorts, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ncpgui.session import steps_folder

    seen: list[str] = []
    keep = StepsFolder.keep

    def meanwhile(self: StepsFolder, name: str, values: Any) -> None:
        keep(self, name, values)
        with pytest.raises(steps_folder.SessionLockedError) as caught:
            StepsFolder(self.path, {}, go_on=False)
        seen.append(str(caught.value))
        raise Cancelled

    monkeypatch.setattr(StepsFolder, "keep", meanwhile)
    sort()
    assert seen == [
        f"{sort.steps} is already open for writing in this program; close it first, or give another --out"
    ]
    assert (sort.steps / "motion.npz").is_file()


def test_a_damaged_step_is_done_again_with_a_word(
    sort: Sorts, stop_after: Any, tetrode_session: Path
) -> None:
    stop_after(9)
    sort()
    matching = sort.steps / "matching.npz"
    matching.write_bytes(matching.read_bytes()[:-100])
    stop_after(None)
    ran = sort("--resume")
    assert ran.code == 0, ran.err
    assert f"warning: the step {matching} cannot be used and is done again: " in ran.err
    assert content_of(sort.out) == content_of(tetrode_session)


def test_an_error_in_the_middle_leaves_what_was_done(
    sort: Sorts, tetrode_session: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fault(*_: Any, **__: Any) -> None:
        raise ZeroDivisionError

    with monkeypatch.context() as patch:
        patch.setattr("ncpgui.sorting.pipeline.found_units", fault)
        ran = sort()
    assert ran.code == 1
    assert "finished steps kept in" in ran.err
    assert sort("--resume").code == 0
    assert content_of(sort.out) == content_of(tetrode_session)


def test_a_recording_without_spikes_leaves_nothing_beside_the_session(sort: Sorts) -> None:
    assert "no spikes found" in sort("--threshold-sd", 1000).error
    assert not sort.steps.exists()


def test_info_of_a_session_beside_a_folder_of_somebody_else_tells_of_the_session(
    ncpgui: Command, tetrode_session: Path, tmp_path: Path
) -> None:
    (tmp_path / "s.h5").write_bytes(tetrode_session.read_bytes())
    (tmp_path / "s.h5.steps").write_text("somebody's")
    assert ncpgui("info", tmp_path / "s.h5").code == 0


def test_what_is_in_the_place_of_the_steps_is_named_before_the_work_begins(sort: Sorts) -> None:
    sort.steps.write_text("somebody's")
    for options in ((), ("--resume",), ("--overwrite",)):
        assert sort(*options).error.startswith(f"{sort.steps} is in the way: ")
    assert sort.steps.read_text() == "somebody's"


def test_info_names_what_a_stopped_sort_left(
    sort: Sorts, stop_after: Any, ncpgui: Command, tetrode_session: Path
) -> None:
    stop_after(2)
    sort()
    n_kept = len(list(sort.steps.glob("*.npz")))
    error = ncpgui("info", sort.out).error
    assert error.startswith(f"{sort.out} is not written yet: {sort.steps} holds {n_kept} finished step")
    assert error.endswith("the command that began it goes on with --resume")
    sort.out.write_bytes(tetrode_session.read_bytes())
    assert f"stopped:   {sort.steps} holds {n_kept} finished step" in ncpgui("info", sort.out).out


def test_a_review_that_was_stopped_goes_on_to_the_session_of_one_that_was_not(
    ncpgui: Command, stop_after: Any, tmp_path: Path
) -> None:
    folder = write_phy(tmp_path / "phy")
    (tmp_path / "few.toml").write_text(QUICK)

    def review(name: str, *options: object) -> Ran:
        return ncpgui(
            "review", folder, "--out", tmp_path / name, "--settings", tmp_path / "few.toml", *options
        )

    assert review("whole.h5").code == 0
    given = files_of(folder)
    for options in ((), ("--resume",), ("--resume",)):
        stop_after(1)
        ran = review("s.h5", *options)
        assert ran.code == 130
        assert "the same command with --resume goes on" in ran.err
    assert "of a review begun at" in review("s.h5").error
    assert "settings seed was 0 and is 2" in review("s.h5", "--resume", "--seed", 2).error
    clusters = folder / "spike_clusters.npy"
    before = clusters.read_bytes()
    clusters.write_bytes(before[:-4] + before[-8:-4])
    assert "units changed" in review("s.h5", "--resume").error
    clusters.write_bytes(before)
    stop_after(None)
    assert review("s.h5", "--resume").code == 0
    assert content_of(tmp_path / "s.h5") == content_of(tmp_path / "whole.h5")
    assert not (tmp_path / "s.h5.steps").exists()
    assert files_of(folder) == given
