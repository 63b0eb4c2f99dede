"""Sessions and journals, damaged or made up: the person is told in a line, and nothing else happens."""

from __future__ import annotations

import json
import shutil
from functools import cache
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncpgui.curation.clustering import Clustering
from ncpgui.curation.command_json import from_json, to_json
from ncpgui.curation.commands import Assign, Merge, SetAccepted, SetLabel
from ncpgui.curation.history import History
from ncpgui.ephys.readers import reopen
from ncpgui.session import store
from ncpgui.session.journal import read_journal
from ncpgui.session.session_file import open_session
from tests.fuzz.harmless import harmless
from tests.fuzz.mutations import STRANGE_NUMBERS, changed_bytes, changed_json, fixed, strange, strange_text
from tests.tiny_project import tiny_project

WAYS = {0: [[0, 0, 0, 1, 1, 1], [0, 0, 0, 0, 0, 0]], 1: [[0, 0, 1, 1]]}


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A session that is right, its history too."""
    from dataclasses import replace

    path = tmp_path_factory.mktemp("right") / "s.h5"
    project = tiny_project(WAYS, masses={0: [0.7, 0.3], 1: [1.0]})
    store.save(replace(project, history=tuple(to_json(one) for one in COMMANDS)), path)
    return path


COMMANDS = (
    Merge((0, 1)),
    SetLabel((2,), "good"),
    Assign(np.array([0, 1]), np.array([0, 1]), words="split in 2"),
    SetAccepted((2,), True),
)


@cache
def elements() -> tuple[str, ...]:
    """Names of the elements of a session."""
    return (
        "recording/path", "recording/options", "probe/positions_um", "probe/shank", "spikes/sample_index",
        "spikes/channel", "spikes/amplitude", "noise_sd", "sorting/unit_of_spike", "sorting/probability",
        "components/id", "components/contacts/values", "components/contacts/shape",
        "components/spike_ids/values", "components/sampled/values", "components/posterior/labels/values",
        "components/posterior/labels/shape", "components/posterior/log_prob/values",
        "components/posterior/weight/values", "components/posterior/sampler", "components/alternatives",
        "settings", "model", "failed", "history", "recording", "spikes", "components",
        "components/spike_ids", "waiting",
    )  # fmt: skip


def whole(path: Path) -> None:
    """Open a session as the window and `export` do: with its journal and all that was done."""
    with open_session(path, read_only=True) as opened:
        project, entries = opened.project, opened.journal_entries
    base = Clustering(project.unit_of_spike, project.probability)
    History(base, project.components, project.given_labels).replay([*project.history, *entries])


@fixed
@given(st.data())
def test_a_session_whose_bytes_changed(session: Path, tmp_path: Path, data: st.DataObject) -> None:
    (tmp_path / "s.h5").write_bytes(data.draw(changed_bytes(session.read_bytes())))
    with harmless(tmp_path):
        whole(tmp_path / "s.h5")


@st.composite
def changed_array(draw: st.DrawFn, array: Any) -> Any:
    """An array with other values, of another shape or another kind."""
    how = draw(st.integers(0, 4))
    if how == 0:
        return draw(strange_text).encode("utf-8", "replace").decode().replace("\x00", "0")
    array = np.array(array)
    if how == 1 or array.size == 0 or array.dtype.kind not in "iuf":
        return np.zeros(draw(st.sampled_from(((0,), (1,), (3, 0), (2, 2), ()))))
    if how == 2:
        return array.reshape(-1)[: draw(st.integers(0, array.size))]
    values = array.astype(np.float64 if draw(st.booleans()) else np.int64)
    number = draw(st.sampled_from(STRANGE_NUMBERS))
    with np.errstate(all="ignore"):
        flat = values.reshape(-1)
        place = draw(st.integers(0, flat.size - 1))
        flat[place] = (
            number if values.dtype.kind == "f" else draw(st.sampled_from((-1, 99, 2**31, 2**62, -(2**63))))
        )
    return values


@fixed
@given(st.data())
def test_a_session_whose_elements_are_others(session: Path, tmp_path: Path, data: st.DataObject) -> None:
    path = tmp_path / "s.h5"
    shutil.copy(session, path)
    with h5py.File(path, "r+") as file:
        for _ in range(data.draw(st.integers(1, 2))):
            name = data.draw(st.sampled_from(elements()))
            if name not in file:
                continue
            node = file[name]
            attributes = dict(node.attrs)
            how = data.draw(st.sampled_from(("value", "attribute", "gone")))
            if how == "attribute":
                key = data.draw(st.sampled_from(sorted(attributes)))
                node.attrs[key] = data.draw(st.sampled_from((-1, 0, 2**40, 1.5, "x", float("nan"))))
            elif how == "value" and isinstance(node, h5py.Dataset):
                changed = data.draw(_other_value(node))
                del file[name]
                made = file.create_dataset(name, data=changed)
                made.attrs.update(attributes)
            elif how == "gone":
                del file[name]
    with harmless(tmp_path):
        whole(path)


@st.composite
def _other_value(draw: st.DrawFn, node: h5py.Dataset) -> Any:
    if node.attrs["encoding"] == "json":
        value = json.loads(node[()])
        return draw(changed_json(value)).decode("utf-8", "replace").replace("\x00", "0")
    return draw(changed_array(node[()]))


@fixed
@given(st.data())
def test_a_journal(session: Path, tmp_path: Path, data: st.DataObject) -> None:
    with h5py.File(session) as file:
        header = {"journal": 2, "session": file.attrs["session_id"], "base": file.attrs["save_id"]}
    lines = [json.dumps(header).encode(), *(data.draw(changed_json(to_json(one))) for one in COMMANDS)]
    shutil.copy(session, tmp_path / "s.h5")
    text = b"\n".join(lines) + b"\n"
    (tmp_path / "s.h5.journal").write_bytes(data.draw(st.just(text) | changed_bytes(text)))
    with harmless(tmp_path):
        read_journal(tmp_path / "s.h5.journal")
    with harmless(tmp_path):
        whole(tmp_path / "s.h5")


@fixed
@given(st.data())
def test_an_action(tmp_path: Path, data: st.DataObject) -> None:
    command = data.draw(st.sampled_from(COMMANDS))
    value = json.loads(data.draw(changed_json(to_json(command)).filter(_is_json)))
    with harmless(tmp_path):
        from_json(value)


def _is_json(data: bytes) -> bool:
    try:
        json.loads(data)
    except ValueError:
        return False
    return True


OPTIONS = {"probe": "linear-2", "sampling_frequency": 20000.0, "n_channels": 2, "dtype": "int16"}


@fixed
@given(st.data())
def test_a_session_that_leads_to_a_recording_with_strange_options(
    tmp_path: Path, data: st.DataObject
) -> None:
    from ncpgui.core.project import RecordingReference
    from ncpgui.ephys.fingerprint import fingerprint

    path = tmp_path / "r.raw"
    if not path.exists():
        path.write_bytes(bytes(4000))
    key = data.draw(
        st.sampled_from((*OPTIONS, "time_range_s", "bad_channels", "stream", "columns", "nonesuch"))
    )
    options = {**OPTIONS, key: data.draw(strange)}
    with harmless(tmp_path):
        reopen(RecordingReference(str(path), options, fingerprint(path), 2, 20000.0, 1000))
