"""A session from somebody else shows no other file, waits for nothing, and asks for no memory in vain."""

from __future__ import annotations

import base64
import json
import os
import shutil
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

from ncpgui.core import json_text
from ncpgui.core.errors import CurationError, InputError, SessionError, SessionFormatError
from ncpgui.core.lock import WriterLock
from ncpgui.core.project import Project
from ncpgui.curation.command_json import from_json
from ncpgui.session import cache, store
from ncpgui.session.journal import read_journal
from ncpgui.session.schema import SessionPaths
from ncpgui.session.session_file import open_session

pytestmark = pytest.mark.timeout(60)

SECRET = "/etc/hostname"


def in_place_of(file: h5py.File, name: str, make: Callable[[str], Any]) -> None:
    """Put something else in the place of an element, with its attributes."""
    attributes = dict(file[name].attrs)
    del file[name]
    made = make(name)
    if made is not None:
        made.attrs.update(attributes)


def external_storage(file: h5py.File, name: str) -> None:
    n = len(file[name])
    in_place_of(file, name, lambda n_: file.create_dataset(n_, (n,), "f4", external=[(SECRET, 0, 4 * n)]))


def external_link(file: h5py.File, name: str) -> None:
    def link(place: str) -> None:
        file[place] = h5py.ExternalLink("other.h5", "/x")

    in_place_of(file, name, link)


def virtual(file: h5py.File, name: str) -> None:
    n = len(file[name])
    layout = h5py.VirtualLayout((n,), "f4")
    layout[:] = h5py.VirtualSource("other.h5", "x", (n,))
    in_place_of(file, name, lambda place: file.create_virtual_dataset(place, layout))


KINDS = {
    "values are kept in another file": external_storage,
    "is a link to another file": external_link,
    "are those of other files": virtual,
}


@pytest.mark.parametrize("name", ["spikes/amplitude", "noise_sd", "components/posterior/weight/values"])
@pytest.mark.parametrize("words", KINDS)
def test_what_is_kept_in_another_file_is_refused_and_named(
    words: str, name: str, project: Project, path: Path
) -> None:
    store.save(project, path)
    with h5py.File(path, "r+") as file:
        KINDS[words](file, name)
    with pytest.raises(SessionFormatError, match=rf"é.h5 cannot be used: .*/{name}.*copy the data into it"):
        store.load(path)


def test_a_group_elsewhere_is_not_even_looked_for(project: Project, path: Path, tmp_path: Path) -> None:
    """HDF5 would open the pipe, and wait, to tell whether there is a group."""
    store.save(project, path)
    os.mkfifo(tmp_path / "pipe")
    with h5py.File(path, "r+") as file:
        file["new"] = h5py.ExternalLink("pipe", "/x")
    with pytest.raises(SessionFormatError, match=r"/new is a link to another file"):
        open_session(path)


def test_links_within_the_file_stay(project: Project, path: Path) -> None:
    store.save(project, path)
    with h5py.File(path, "r+") as file:
        file["moved"] = file["noise_sd"]
        del file["noise_sd"]
        file["noise_sd"] = h5py.SoftLink("/moved")
        file["components/round"] = file["components"]
        del file["components/round"]
    np.testing.assert_array_equal(store.load(path).noise_sd, project.noise_sd)


@pytest.mark.parametrize("name", ["spikes/sample_index", "noise_sd", "given/rows", "stimulus/frames"])
def test_arrays_that_were_never_written_are_refused_before_memory_is_asked_for(
    name: str, project: Project, path: Path
) -> None:
    store.save(project, path)
    shape = (10**11,) if name != "stimulus/frames" else (10**6, 10**3, 100)
    with h5py.File(path, "r+") as file:
        in_place_of(file, name, lambda place: file.create_dataset(place, shape, "i1", chunks=True))
    with pytest.raises(SessionFormatError, match=r"arrays announce more than 16 GiB"):
        store.load(path)
    with h5py.File(path, "r+") as file:
        in_place_of(file, name, lambda place: file.create_dataset(place, (2**21,), "i1", chunks=True))
    with pytest.raises(SessionFormatError, match=rf"/{name} announces 2097152 bytes, of which 0 are stored"):
        store.load(path)


@pytest.mark.parametrize(
    ("group", "name", "value"),
    [
        ("spikes", "sampling_frequency_hz", np.inf),
        ("spikes", "sampling_frequency_hz", 0.0),
        ("spikes", "sampling_frequency_hz", -1.0),
        ("spikes", "sampling_frequency_hz", np.nan),
        ("spikes", "sampling_frequency_hz", "20000"),
        ("spikes", "n_samples", np.inf),
        ("spikes", "n_samples", "100"),
        ("spikes", "n_samples", -5),
        ("spikes", "n_samples", 1.5),
        ("spikes", "n_samples", np.arange(3)),
        ("recording", "n_channels", True),
        ("recording", "fingerprint", 7),
        ("stimulus", "pixel_um", 0.0),
        ("sorting", "next_unit", 1e300),
        ("/", "journal_folded", np.inf),
        ("/", "version", "2"),
    ],
)
def test_attributes_are_what_they_should_be(
    group: str, name: str, value: Any, project: Project, path: Path
) -> None:
    store.save(project, path)
    with h5py.File(path, "r+") as file:
        file[group].attrs[name] = value
    with pytest.raises(SessionFormatError, match=rf"{group}.* has no valid attribute '{name}'.*use a backup"):
        store.load(path)


def test_objects_are_not_mapped_from_the_cache(project: Project, path: Path) -> None:
    store.save(project, path)
    file_of = SessionPaths(path).waveforms
    with h5py.File(file_of, "r+") as file:
        name = "0/features"
        shape = file[name].shape
        in_place_of(file, name, lambda place: file.create_dataset(place, shape, h5py.string_dtype()))
    assert 0 not in store.load(path).waveforms


@pytest.mark.parametrize("words", KINDS)
def test_a_cache_that_leads_elsewhere_is_ignored_and_replaced(
    words: str, project: Project, path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    store.save(project, path)
    file_of = SessionPaths(path).waveforms
    with h5py.File(file_of, "r+") as file:
        file["x"] = np.zeros(5, "f4")
        KINDS[words](file, "x")
    assert store.load(path).waveforms == {}
    assert "is ignored" in caplog.text
    assert words.removeprefix("values ") in caplog.text
    cache.update(file_of, project)
    assert set(store.load(path).waveforms) == set(project.waveforms)


# -- pipes and devices --------------------------------------------------------------------------


def put_pipe(place: Path) -> None:
    place.unlink(missing_ok=True)
    os.mkfifo(place)


def put_device(place: Path) -> None:
    place.unlink(missing_ok=True)
    place.symlink_to("/dev/zero")


SPECIAL = pytest.mark.parametrize(
    ("put", "kind"), [(put_pipe, "a named pipe"), (put_device, "a device")], ids=["pipe", "device"]
)


@SPECIAL
@pytest.mark.parametrize("read_only", [False, True])
def test_a_session_that_is_no_file_is_refused_at_once(
    put: Callable[[Path], None], kind: str, read_only: bool, path: Path, project: Project
) -> None:
    put(path)
    with pytest.raises(SessionError, match=rf"{kind}, not a session; give the .h5 file"):
        open_session(path, read_only=read_only)
    with pytest.raises(SessionError, match=rf"cannot write .*: it is {kind}; give the name of a file"):
        store.save(project, path)
    assert not path.is_file()


@SPECIAL
@pytest.mark.parametrize("read_only", [False, True])
def test_a_journal_that_is_no_file_is_refused_at_once_and_left(
    put: Callable[[Path], None], kind: str, read_only: bool, path: Path, project: Project
) -> None:
    store.save(project, path)
    journal = SessionPaths(path).journal
    put(journal)
    with pytest.raises(
        SessionError, match=rf"cannot read .*.journal: it is {kind}, not a file;.*move it away"
    ):
        open_session(path, read_only=read_only)
    assert journal.exists()
    assert not SessionPaths(path).lock.exists()


@SPECIAL
def test_a_cache_that_is_no_file_is_ignored_at_once(
    put: Callable[[Path], None], kind: str, path: Path, project: Project, caplog: pytest.LogCaptureFixture
) -> None:
    store.save(project, path)
    put(SessionPaths(path).waveforms)
    with open_session(path) as opened:
        assert opened.project.waveforms == {}
    assert f"it is {kind}, not a file" in caplog.text


@SPECIAL
def test_a_lock_that_is_no_file_is_refused_at_once_and_left(
    put: Callable[[Path], None], kind: str, path: Path, project: Project
) -> None:
    store.save(project, path)
    lock = SessionPaths(path).lock
    put(lock)
    with pytest.raises(SessionError, match=rf"cannot read the lock .*.lock: it is {kind}, not a file"):
        WriterLock(lock, path)
    assert lock.exists()


# -- sizes --------------------------------------------------------------------------------------


def test_a_journal_larger_than_any_is_not_read(path: Path) -> None:
    journal = SessionPaths(path).journal
    with journal.open("wb") as file:
        file.truncate(2**40)
    with pytest.raises(SessionError, match=r"it has 1099511627776 bytes, and no more than .*move it away"):
        read_journal(journal)


def test_a_lock_larger_than_any_is_not_read(path: Path, project: Project) -> None:
    store.save(project, path)
    with SessionPaths(path).lock.open("wb") as file:
        file.truncate(2**40)
    with pytest.raises(SessionError, match=r"it has 1099511627776 bytes"):
        open_session(path)


def test_zeros_without_end_are_not_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_text, "MOST_BYTES", 1000)
    assert json_text.unpack(json_text.pack(np.zeros(250, "<i4"), "<i4"), "<i4").tolist() == [0] * 250
    with pytest.raises(ValueError, match="cut off, or has more than"):
        json_text.unpack(json_text.pack(np.zeros(251, "<i4"), "<i4"), "<i4")
    bomb = base64.b64encode(zlib.compress(bytes(10**7), 9)).decode()
    packed = {"dtype": "<i4", "shape": [10**7 // 4], "data": bomb}
    with pytest.raises(CurationError, match="command 'assign' is damaged"):
        from_json({"do": "assign", "words": "", "unit_ids": [1], "spike_ids": packed, "cluster": packed})


def test_a_whole_array_that_is_cut_off_is_refused() -> None:
    data = base64.b64decode(json_text.pack(np.arange(100), "<i4"))
    with pytest.raises(ValueError, match="cut off"):
        json_text.unpack(base64.b64encode(data[:-6]).decode(), "<i4")


def test_a_pixel_has_a_size() -> None:
    from ncpgui.core.stimulus import Stimulus

    for size in (0.0, -1.0, np.inf, np.nan):
        with pytest.raises(InputError, match="size of a pixel must be a positive number of um"):
            Stimulus(np.zeros((1, 2, 2), np.int8), np.array([0]), size)


def test_a_session_beside_which_others_lie_opens(project: Project, path: Path) -> None:
    """The files of the tests above are what is refused, and nothing else."""
    store.save(project, path)
    shutil.copy(path, path.with_name("t.h5"))
    (path.parent / "other.json").write_text(json.dumps({}))
    os.mkfifo(path.with_name("somebody's pipe"))
    assert store.load(path.with_name("t.h5")).model == project.model
