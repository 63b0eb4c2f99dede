"""The folder of finished steps: whose it is, who may write it, and what of it can be trusted."""

from __future__ import annotations

import errno
import json
import logging
import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from ncpgui.core.errors import ExportError, InputError, SessionLockedError
from ncpgui.session.schema import SessionPaths
from ncpgui.session.steps_folder import (
    Leftover,
    StepsFolder,
    differences,
    discard,
    leftover,
    steps_beside,
)

RUN = {"command": "sort", "settings": {"threshold_sd": 4.5, "seed": 0}, "recording": {"contents": "a" * 64}}
VALUES = {"times": np.arange(1000), "gain": np.linspace(0, 1, 7, dtype=np.float32)}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return SessionPaths.of(tmp_path / "s.h5").steps


def left(place: Path, *names: str) -> None:
    """A run that was killed after it had kept some steps."""
    steps = StepsFolder(place, RUN)
    for name in names:
        steps.keep(name, VALUES)
    steps.close()


def test_the_folder_has_the_name_of_the_session(place: Path) -> None:
    assert place.name == "s.h5.steps"


def test_a_run_that_goes_on_finds_what_was_kept_to_the_bit(place: Path) -> None:
    left(place, "motion", "channel-3")
    steps = StepsFolder(place, RUN, go_on=True)
    assert steps.went_on is not None
    assert steps.went_on.n_steps == 2
    found = steps.find("channel-3")
    assert found is not None
    assert {name: array.tobytes() for name, array in found.items()} == {
        name: array.tobytes() for name, array in VALUES.items()
    }
    assert steps.find("channel-4") is None


def test_no_pickle_is_written_and_the_files_are_plain_npz(place: Path) -> None:
    left(place, "motion")
    with np.load(place / "motion.npz", allow_pickle=False) as file:
        assert set(file.files) == {*VALUES, "of"}


def test_when_the_session_is_written_the_folder_goes(place: Path) -> None:
    left(place, "motion", "matching", "component-0", "component-0-round-1")
    (place / ".ncpgui-0123456789ab.saving").write_bytes(b"half a step of a run that was killed")
    steps = StepsFolder(place, RUN, go_on=True)
    steps.finish()
    assert not place.exists()


def test_a_run_that_kept_nothing_leaves_no_folder(place: Path) -> None:
    StepsFolder(place, RUN).close()
    assert not place.exists()


def test_beginning_anew_drops_what_was_there(place: Path) -> None:
    left(place, "motion")
    steps = StepsFolder(place, RUN)
    assert steps.find("motion") is None
    assert steps.went_on is None


def test_a_run_and_what_it_left_have_one_id_and_a_new_run_another(place: Path) -> None:
    left(place, "motion")
    before = leftover(place)
    assert before is not None
    again = StepsFolder(place, RUN, go_on=True)
    assert again.id == before.id
    again.close()
    anew = StepsFolder(place, RUN)
    assert anew.id != before.id


def test_steps_that_later_ones_replace_are_dropped(place: Path) -> None:
    steps = StepsFolder(place, RUN)
    names = ("channel-1", "channel-12", "round-2", "proposals")
    for name in names:
        steps.keep(name, VALUES)
    steps.drop("channel-*", "round-*")
    assert [name for name in names if steps.find(name) is not None] == ["proposals"]


# -- the same run --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("run", "words"),
    [
        (RUN | {"settings": {"threshold_sd": 4.0, "seed": 0}}, "settings threshold_sd was 4.5 and is 4.0"),
        (RUN | {"settings": {"threshold_sd": 4.5, "seed": 1}}, "settings seed was 0 and is 1"),
        (RUN | {"recording": {"contents": "b" * 64}}, "recording contents changed"),
        (RUN | {"command": "review"}, "command was 'sort' and is 'review'"),
        (RUN | {"units": "given"}, "units was not given and is 'given'"),
    ],
)
def test_steps_of_another_run_are_refused_and_stay(place: Path, run: dict[str, Any], words: str) -> None:
    left(place, "motion")
    with pytest.raises(InputError, match="holds steps of another run") as caught:
        StepsFolder(place, run, go_on=True)
    assert words in str(caught.value)
    assert str(caught.value).endswith("or begin anew with --overwrite in place of --resume")
    assert (place / "motion.npz").is_file()
    assert not (place / "lock").exists()


def test_many_differences_are_counted(place: Path) -> None:
    run = RUN | {"settings": {str(n): n for n in range(9)}}
    StepsFolder(place, RUN).keep("motion", VALUES)
    (place / "lock").unlink()
    with pytest.raises(InputError, match=r"settings 3 was not given and is 3 and 5 more; go on with"):
        StepsFolder(place, run, go_on=True)
    assert differences({"a": {"b": 1.0}}, {"a": {"b": 2.0}}) == ["a b was 1.0 and is 2.0"]
    assert differences(RUN, RUN) == []


def test_what_a_file_says_of_itself_never_reaches_the_terminal_raw(place: Path) -> None:
    left(place, "motion")
    header = json.loads((place / "steps.json").read_text())
    header["run"]["settings"]["seed"] = "\x1b[31m" + "long" * 1000
    (place / "steps.json").write_text(json.dumps(header))
    with pytest.raises(InputError) as caught:
        StepsFolder(place, RUN, go_on=True)
    assert "\x1b" not in str(caught.value)
    assert len(str(caught.value)) < 600


# -- one writer ------------------------------------------------------------------------------


def test_a_second_run_with_the_same_session_is_refused(place: Path) -> None:
    first = StepsFolder(place, RUN)
    first.keep("motion", VALUES)
    for go_on in (True, False):
        with pytest.raises(
            SessionLockedError, match=r"s\.h5\.steps is already open for writing.*give another --out"
        ):
            StepsFolder(place, RUN, go_on=go_on)
    with pytest.raises(SessionLockedError):
        discard(place)
    assert first.find("motion") is not None
    first.close()
    StepsFolder(place, RUN, go_on=True).close()


def test_what_lies_in_the_place_of_the_lock_does_not_begin_the_work_anew(place: Path) -> None:
    first = StepsFolder(place, RUN)
    first.keep("motion", VALUES)
    first.close()
    (place / "lock").mkdir()
    with pytest.raises(
        SessionLockedError, match=r"cannot read the lock .* move it away, or give another --out"
    ):
        steps_beside(place.with_suffix(""), RUN, go_on=True)
    (place / "lock").rmdir()
    again = StepsFolder(place, RUN, go_on=True)
    assert again.find("motion") is not None
    again.close()


# -- damage ----------------------------------------------------------------------------------


def flip(file: Path, place: int) -> None:
    data = bytearray(file.read_bytes())
    data[place] ^= 0x10
    file.write_bytes(data)


def of_another_run(file: Path) -> None:
    other = file.parents[1] / "t.steps"
    steps = StepsFolder(other, RUN | {"settings": {"seed": 5}})
    steps.keep(file.stem, VALUES)
    file.write_bytes((other / file.name).read_bytes())
    steps.close()


def of_another_step(file: Path) -> None:
    file.write_bytes((file.parent / "channel-7.npz").read_bytes())


def pickled(file: Path) -> None:
    np.savez(file, of=np.array([{"a": 1}], dtype=object))


DAMAGE: dict[str, Callable[[Path], object]] = {
    "a bit of an array": lambda file: flip(file, 2000),
    "a bit of a header": lambda file: flip(file, 60),
    "its end is missing": lambda file: file.write_bytes(file.read_bytes()[:-40]),
    "it is empty": lambda file: file.write_bytes(b""),
    "it is a text": lambda file: file.write_text("no arrays"),
    "of another run": of_another_run,
    "of another step": of_another_step,
    "pickles": pickled,
    "without a mark": lambda file: np.savez(file, **VALUES),
    "a mark that is not text": lambda file: np.savez(file, of=np.array([1.5])),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_step_that_cannot_be_trusted_is_named_dropped_and_made_again(
    damage: str, place: Path, caplog: pytest.LogCaptureFixture
) -> None:
    left(place, "matching", "channel-7")
    DAMAGE[damage](place / "matching.npz")
    steps = StepsFolder(place, RUN, go_on=True)
    assert steps.find("matching") is None
    assert f"the step {place / 'matching.npz'} cannot be used and is done again" in caplog.text
    assert not (place / "matching.npz").exists()
    assert steps.find("channel-7") is not None


def test_every_bit_of_a_step_that_is_flipped_is_noticed_or_changes_nothing(place: Path) -> None:
    left(place, "motion")
    whole = (place / "motion.npz").read_bytes()
    steps = StepsFolder(place, RUN, go_on=True)
    logging.getLogger("ncpgui").setLevel(logging.ERROR)
    try:
        for byte in range(0, len(whole), 37):
            data = bytearray(whole)
            data[byte] ^= 1 << (byte % 8)
            (place / "motion.npz").write_bytes(data)
            found = steps.find("motion")
            if found is not None:
                assert found.keys() == VALUES.keys()
                assert all(np.array_equal(found[name], VALUES[name]) for name in VALUES)
    finally:
        logging.getLogger("ncpgui").setLevel(logging.NOTSET)


@pytest.mark.parametrize(
    "header",
    [b"", b"{", b"[]", b"{}", b'{"encoding": "ncpgui-steps"}', b"[" * 100_000, b" " * (2 << 20), b"\xff\xfe"],
)
@pytest.mark.parametrize("go_on", [True, False])
def test_a_header_that_is_damaged_or_not_ours_is_refused_and_nothing_is_deleted(
    header: bytes, go_on: bool, place: Path
) -> None:
    left(place, "motion")
    (place / "steps.json").write_bytes(header)
    with pytest.raises(ExportError, match=r"s\.h5\.steps is in the way: .* move it, or give another --out"):
        StepsFolder(place, RUN, go_on=go_on)
    assert sorted(item.name for item in place.iterdir()) == ["motion.npz", "steps.json"]


# -- what is not ours ------------------------------------------------------------------------


def a_file(place: Path) -> None:
    place.write_text("notes")


def a_folder_with_files(place: Path) -> None:
    place.mkdir()
    (place / "thesis.tex").write_text("mine")


def a_dangling_link(place: Path) -> None:
    place.symlink_to("nowhere")


def a_pipe(place: Path) -> None:
    os.mkfifo(place)


@pytest.mark.parametrize("make", [a_file, a_folder_with_files, a_dangling_link, a_pipe])
def test_what_is_in_the_way_is_named_and_stays(make: Callable[[Path], None], place: Path) -> None:
    make(place)
    with pytest.raises(ExportError, match="is in the way"):
        StepsFolder(place, RUN)
    assert place.is_symlink() or place.exists()


def test_an_empty_folder_and_what_a_killed_run_left_before_its_header_are_taken(place: Path) -> None:
    place.mkdir()
    (place / ".ncpgui-0123456789ab.saving").touch()
    steps = StepsFolder(place, RUN, go_on=True)
    steps.keep("motion", VALUES)
    steps.finish()
    assert not place.exists()


def test_files_of_somebody_else_in_the_folder_stay_and_are_named(
    place: Path, caplog: pytest.LogCaptureFixture
) -> None:
    steps = StepsFolder(place, RUN)
    steps.keep("motion", VALUES)
    (place / "results.npz").write_text("mine")
    steps.finish()
    assert [item.name for item in place.iterdir()] == ["results.npz"]
    assert "holds files that are not ncpgui's, and stays" in caplog.text


def test_steps_that_are_discarded_go_with_their_folder_and_without_what_is_somebody_else_s(
    place: Path,
) -> None:
    left(place, "motion", "channel-3")
    discard(place)
    assert not place.exists()
    left(place, "motion")
    (place / "results.npz").write_text("mine")
    discard(place)
    assert [item.name for item in place.iterdir()] == ["results.npz"], "neither steps nor the lock"


def test_a_link_to_a_folder_on_another_disk_is_used_and_left(place: Path, tmp_path: Path) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    place.symlink_to(scratch)
    left(place, "motion")
    assert (scratch / "motion.npz").is_file()
    StepsFolder(place, RUN, go_on=True).finish()
    assert list(scratch.iterdir()) == []
    assert place.is_symlink()


# -- a disk that fills -------------------------------------------------------------------------


def test_a_step_that_the_disk_cannot_hold_is_said_once_and_the_work_goes_on(
    place: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = StepsFolder(place, RUN)
    steps.keep("motion", VALUES)

    def full(*_: Any, **__: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(np, "savez", full)
    steps.keep("proposals", VALUES)
    steps.keep("matching", VALUES)
    said = {record.getMessage() for record in caplog.records}
    assert len(said) == 1
    assert "No space left on device" in said.pop()
    assert steps.find("motion") is not None
    assert steps.find("matching") is None
    assert sorted(item.name for item in place.iterdir()) == ["lock", "motion.npz", "steps.json"]


class Usage(NamedTuple):
    free: int


def test_room_for_the_session_is_left_on_the_disk(
    place: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    n_bytes = sum(array.nbytes for array in VALUES.values())
    steps = StepsFolder(place, RUN)
    monkeypatch.setattr("ncpgui.session.steps_folder.shutil.disk_usage", lambda _: Usage(3 * n_bytes))
    steps.keep("motion", VALUES)
    steps.keep("matching", VALUES)
    assert steps.find("motion") is not None
    assert steps.find("matching") is None
    assert "no more room than the session itself may need" in caplog.text


def test_where_not_even_the_folder_can_be_made_the_work_goes_on_without(
    place: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any, **__: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(Path, "mkdir", full)
        assert steps_beside(place.with_suffix(""), RUN, go_on=False) is None
    assert "its steps are not kept" in caplog.text
    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_text", full)
        assert steps_beside(place.with_suffix(""), RUN, go_on=False) is None
    assert not place.exists()


def test_steps_are_swapped_in_whole(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A step that is kept a second time is there, old or new, whenever the program is killed."""
    steps = StepsFolder(place, RUN)
    steps.keep("motion", VALUES)
    before = (place / "motion.npz").read_bytes()

    class Killed(BaseException):
        pass

    def half(stream: Any, **_: Any) -> None:
        stream.write(before[:100])
        raise Killed

    monkeypatch.setattr(np, "savez", half)
    with pytest.raises(Killed):
        steps.keep("motion", VALUES)
    assert (place / "motion.npz").read_bytes() == before
    assert zipfile.is_zipfile(place / "motion.npz")


@pytest.mark.skipif(os.name == "nt", reason="Windows has no modes")
@pytest.mark.parametrize(("is_there", "mode"), [(True, 0o700), (False, 0o755)])
def test_steps_that_are_to_replace_a_session_are_for_nobody_else(
    place: Path, is_there: bool, mode: int
) -> None:
    """A new folder follows the umask; one beside a session may hold what only its owner may read."""
    before = os.umask(0o022)
    try:
        if is_there:
            place.with_name("s.h5").touch(0o600)
        steps = StepsFolder(place, RUN)
        assert place.stat().st_mode & 0o777 == mode
        steps.close()
    finally:
        os.umask(before)


@pytest.mark.parametrize(
    ("run", "n_steps", "words"),
    [
        (RUN, 1, "holds 1 finished step of a sorting begun at then"),
        ({"command": "review"}, 3, "holds 3 finished steps of a review begun at then"),
        ({}, 0, "holds 0 finished steps of a sorting begun at then"),
    ],
)
def test_what_a_run_left_is_said_in_words(run: dict[str, Any], n_steps: int, words: str) -> None:
    assert Leftover(Path("s.h5.steps"), "", "then", run, n_steps).words == f"s.h5.steps {words}"


def test_six_differences_are_named_and_more_are_counted(place: Path) -> None:
    left(place, "motion")
    for n, more in ((6, False), (7, True)):
        with pytest.raises(InputError, match="holds steps of another run") as told:
            StepsFolder(place, {**RUN, **{f"a{k}": k for k in range(n)}}, go_on=True)
        assert ("and 1 more" in str(told.value)) is more


def test_a_header_of_a_mebibyte_is_read_and_a_longer_one_is_not(place: Path) -> None:
    left(place, "motion")
    header = place / "steps.json"
    text = header.read_text()
    header.write_text(text + " " * ((1 << 20) - len(text)))
    assert leftover(place) is not None
    header.write_text(text + " " * ((1 << 20) - len(text) + 1))
    with pytest.raises(ExportError, match="is not of its making, or damaged"):
        leftover(place)
