"""A session holds the whole project, and refuses what it cannot read with a reason."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import h5py
import numpy as np
import pytest

from ncpgui.core.errors import SessionError, SessionFormatError
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.core.project import Project
from ncpgui.session import store
from ncpgui.session.schema import ENCODINGS, SessionPaths

Refused = Callable[[Callable[[h5py.File], object]], str]


def test_a_project_comes_back_to_the_bit(assert_same, project: Project, path: Path) -> None:
    store.save(project, path)
    assert_same(store.load(path), project)


def test_a_session_of_a_program_that_kept_no_orders_of_samples_opens_without_them(
    project: Project, path: Path
) -> None:
    store.save(project, path)
    assert [component.posterior.order is None for component in store.load(path).components] == [True, False]
    with h5py.File(path, "a") as file:
        del file["components/posterior/order"]
    assert store.load(path).components[1].posterior.order is None


def test_a_session_says_which_sampler_made_each_posterior(assert_same, project: Project, path: Path) -> None:
    first, *rest = project.components
    old = first.posterior
    beam = PosteriorSamples(old.rows, old.log_prob, old.weight, drawn_weight=old.drawn_weight, sampler="beam")
    ways = tuple(replace(way, mass_se=float("nan")) for way in first.alternatives)
    mixed = replace(project, components=(replace(first, posterior=beam, alternatives=ways), *rest))
    store.save(mixed, path)
    found = store.load(path)
    assert [component.posterior.sampler for component in found.components] == ["beam", "draws"]
    assert found.components[0].posterior.weight.tobytes() == beam.weight.tobytes()
    assert np.isnan([way.mass_se for way in found.components[0].alternatives]).all()


def test_a_project_without_spikes_or_components_comes_back(
    assert_same, make_project, project: Project, path: Path
) -> None:
    bare = replace(
        make_project(n_spikes=0),
        components=(),
        waveforms={},
        failed={},
        stimulus=None,
        given=None,
        history=(),
        settings={},
    )
    store.save(bare, path)
    assert_same(store.load(path), bare)


def test_numpy_numbers_in_settings_and_history_become_plain(project: Project, path: Path) -> None:
    store.save(
        replace(project, settings={"n": np.int64(3)}, history=({"do": "x", "spikes": np.arange(2)},)), path
    )
    loaded = store.load(path)
    assert loaded.settings == {"n": 3}
    assert loaded.history == ({"do": "x", "spikes": [0, 1]},)


def test_every_element_says_what_it_is(project: Project, path: Path) -> None:
    store.save(project, path)
    seen: set[str] = set()

    def check(name: str, node: h5py.Group | h5py.Dataset) -> None:
        assert node.attrs["version"] == ENCODINGS[node.attrs["encoding"]], name
        assert (
            not isinstance(node, h5py.Dataset) or node.dtype != object or h5py.check_string_dtype(node.dtype)
        )
        seen.add(node.attrs["encoding"])

    with h5py.File(path) as file:
        file.visititems(check)
        assert file["components/posterior/labels/values"].dtype == np.uint8
    assert seen == set(ENCODINGS) - {"component-waveforms"}


def test_long_label_arrays_are_compressed_to_a_byte_a_label_or_less(make_project, path: Path) -> None:
    store.save(make_project(n_spikes=20_000), path)
    with h5py.File(path) as file:
        labels = file["components/posterior/labels/values"]
        assert labels.compression == "gzip"
        assert labels.fletcher32
        assert labels.id.get_storage_size() < labels.size


def test_unassigned_is_kept_in_a_signed_byte(project: Project, path: Path) -> None:
    store.save(project, path)
    with h5py.File(path) as file:
        assert file["sorting/unit_of_spike"].dtype == np.int8
        assert file["spikes/sample_index"].dtype == np.uint32


@pytest.fixture
def refused(project: Project, path: Path) -> Refused:
    """Save a session, damage it, and say how it is refused: in one line."""

    def refused(damage: Callable[[h5py.File], object]) -> str:
        store.save(project, path)
        with h5py.File(path, "r+") as file:
            damage(file)
        with pytest.raises(SessionFormatError) as raised:
            store.load(path)
        assert "\n" not in str(raised.value)
        return str(raised.value)

    return refused


def test_a_newer_session_is_refused_with_advice(refused: Refused) -> None:
    told = refused(lambda file: file.attrs.__setitem__("version", 3))
    assert re.search(r"written by version 3 .* reads up to 2; update ncpgui", told)


@pytest.mark.parametrize("version", [0, 1])
def test_a_session_from_before_the_first_release_is_refused(
    refused: Refused, path: Path, version: int
) -> None:
    assert refused(lambda file: file.attrs.__setitem__("version", version)) == (
        f"{path} was written before the first release of ncpgui (version {version} of the session format, "
        "the first that is read is 2); sort the recording again"
    )


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.99])
def test_a_truncated_session_is_one_clear_line(project: Project, path: Path, share: float) -> None:
    store.save(project, path)
    data = path.read_bytes()
    path.write_bytes(data[: int(share * len(data))])
    with pytest.raises(SessionFormatError, match="damaged or not an ncpgui session") as error:
        store.load(path)
    assert "\n" not in str(error.value)


def test_a_text_file_is_not_a_session(path: Path) -> None:
    path.write_text("hello")
    with pytest.raises(SessionFormatError, match="damaged or not an ncpgui session"):
        store.load(path)


def test_another_hdf5_file_is_not_a_session(path: Path) -> None:
    with h5py.File(path, "w") as file:
        file["x"] = 1
    with pytest.raises(SessionFormatError, match="HDF5 file but not an ncpgui session"):
        store.load(path)


@pytest.mark.parametrize(
    ("break_it", "message"),
    [
        (lambda file: file.__delitem__("spikes/channel"), "/spikes/channel is missing"),
        (
            lambda file: file["components"].attrs.__delitem__("encoding"),
            "/components should be encoded as 'sampled-components'",
        ),
        (
            lambda file: file["components/sampled/values"].__setitem__(0, 200),
            "a sampled spike of component 0 outside 0 to 29",
        ),
        (lambda file: file["spikes/sample_index"].__setitem__(0, 2**31), "spike times must not decrease"),
        (lambda file: file["spikes/channel"].__setitem__(0, 9), "spikes on channels that the probe of 3"),
        (lambda file: file["settings"].__setitem__((), "{"), "/settings is not JSON"),
        (lambda file: file["history"].__setitem__((), "[3]"), "/history should hold one object a command"),
        (lambda file: file["recording"].attrs.__delitem__("n_samples"), "no valid attribute 'n_samples'"),
        (
            lambda file: file["recording"].attrs.__setitem__("n_samples", 2**62),
            "/recording cannot be used: n_samples is 4611686018427387904, which no recording has",
        ),
        (
            lambda file: file["components/posterior/weight/values"].__setitem__(0, -1.0),
            "weights must be finite",
        ),
        (
            lambda file: file["components/posterior/sampler"].__setitem__((), '["guess","draws"]'),
            "samples come from 'draws' or 'beam', got 'guess'",
        ),
        (lambda file: file.__delitem__("components/spike_ids"), "/components/spike_ids is missing"),
        (
            lambda file: file["components/posterior"].attrs.__setitem__("encoding", "particles"),
            r"h5: /components/posterior .* 'particles'; update ncpgui",
        ),
        (
            lambda file: file["probe"].attrs.__setitem__("version", 4),
            r"/probe has version 4 of encoding 'probe'.* up to 1; update",
        ),
        (lambda file: file["components/id"].__setitem__(1, 0), "two components have the id 0"),
        (lambda file: file["components/spike_ids/values"].__setitem__(30, 2), "spike 2 is in two components"),
        (
            lambda file: file["components/spike_ids/values"].__setitem__(
                30, file["components/spike_ids/values"][31]
            ),
            "a component has a spike twice",
        ),
        (
            lambda file: file["waiting/contacts/values"].__setitem__(0, 3),
            "a contact of component 2 outside 0 to 2",
        ),
    ],
)
def test_what_does_not_fit_is_named(refused: Refused, break_it, message: str) -> None:
    assert re.search(message, refused(break_it))


def test_a_flipped_byte_in_compressed_data_is_found(make_project, path: Path) -> None:
    store.save(make_project(n_spikes=20_000), path)
    with h5py.File(path) as file:
        chunk = file["components/posterior/labels/values"].id.get_chunk_info(0)
    data = bytearray(path.read_bytes())
    data[chunk.byte_offset + chunk.size // 2] ^= 0x55
    path.write_bytes(data)
    with pytest.raises(SessionFormatError, match="damaged"):
        store.load(path)


def test_a_missing_session_and_a_folder_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(SessionError, match="does not exist"):
        store.load(tmp_path / "no.h5")
    with pytest.raises(SessionError, match="is a folder"):
        store.load(tmp_path)


def test_saving_where_nothing_can_be_written_is_an_error(project: Project, tmp_path: Path) -> None:
    with pytest.raises(SessionError, match=r"the folder .* does not exist; create it first"):
        store.save(project, tmp_path / "no" / "x.h5")
    with pytest.raises(SessionError, match="it is a folder"):
        store.save(project, tmp_path)


def test_a_failed_save_leaves_the_old_session_and_no_litter(
    project: Project, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.save(project, path)
    before = sorted(item.name for item in path.parent.iterdir())

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(store, "write_project", full)
    with pytest.raises(SessionError, match="No space left on device; free the disk"):
        store.save(replace(project, model="other"), path)
    assert sorted(item.name for item in path.parent.iterdir()) == before
    assert store.load(path).model == "small-hex7"


def test_a_save_that_does_not_read_back_is_refused(
    project: Project, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.save(project, path)
    monkeypatch.setattr(
        store, "write_project", lambda root, project: root.file.attrs.__setitem__("save_id", "?")
    )
    with pytest.raises(SessionError, match="does not read back"):
        store.save(replace(project, model="other"), path)
    assert store.load(path).model == "small-hex7"


def test_the_files_beside_begin_with_the_whole_name_of_the_session(tmp_path: Path) -> None:
    paths = SessionPaths(tmp_path / "day.2.h5")
    assert [p.name for p in (paths.journal, paths.lock, paths.waveforms)] == [
        "day.2.h5.journal",
        "day.2.h5.lock",
        "day.2.h5.waveforms",
    ]


@pytest.mark.parametrize("other", ["n", "n.H5", "n.hdf5", "n.h5.h5", "N.h5"])
def test_no_two_sessions_share_a_file_beside_them(tmp_path: Path, other: str) -> None:
    one, two = SessionPaths(tmp_path / "n.h5"), SessionPaths(tmp_path / other)
    assert not {one.journal, one.lock, one.waveforms} & {two.journal, two.lock, two.waveforms}


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (np.array([0.0, 1e19, 0.0]), "holds float64 in the place of whole numbers"),
        (np.array([0, 2**63, 0], np.uint64), "0 to 9223372036854775808 do not fit into int64"),
    ],
)
def test_whole_numbers_that_are_none_are_refused(refused: Refused, value: np.ndarray, reason: str) -> None:
    def put(file: h5py.File) -> None:
        stamp = dict(file["probe/shank"].attrs)
        del file["probe/shank"]
        file.create_dataset("probe/shank", data=value).attrs.update(stamp)

    assert re.search(f"/probe/shank cannot be used: .*{reason}", refused(put))
