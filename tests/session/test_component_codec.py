"""Components in a session file: what is absent stays absent, and what does not fit the others is refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from io import BytesIO

import h5py
import numpy as np
import pytest

from ncpgui.core.component import Component
from ncpgui.core.errors import SessionFormatError
from ncpgui.core.project import Project
from ncpgui.session.codecs import write_integers
from ncpgui.session.component_codec import read_components, write_components, write_waiting
from ncpgui.session.project_codec import read_project, write_project
from ncpgui.session.ragged import read_ragged, write_ragged

from .conftest import build, check_same


@pytest.fixture(scope="module")
def image() -> bytes:
    """A whole project in a file."""
    held = BytesIO()
    with h5py.File(held, "w") as file:
        write_project(file, build())
    return held.getvalue()


@pytest.fixture
def written(image: bytes) -> Iterator[h5py.File]:
    with h5py.File(BytesIO(image), "r+") as file:
        yield file


@pytest.fixture
def empty() -> Iterator[h5py.File]:
    with h5py.File(BytesIO(), "w") as file:
        yield file


def put(file: h5py.File, name: str, values: list[int]) -> None:
    """Other numbers in the place of an array."""
    stamp, kind = dict(file[name].attrs), file[name].dtype
    del file[name]
    file.create_dataset(name, data=np.array(values, dtype=kind if kind.kind == "i" else np.int64))
    file[name].attrs.update(stamp)


def first(name: str, value: int) -> Callable[[h5py.File], None]:
    """The first number of an array is another one."""
    return lambda file: put(file, name, [value, *file[name][1:].tolist()])


def last(name: str, value: int) -> Callable[[h5py.File], None]:
    return lambda file: put(file, name, [*file[name][:-1].tolist(), value])


ECHOES, ECHO_OF = "components/echoes", "components/posterior/echo_of/values"


def without_contacts(file: h5py.File) -> None:
    """The component that waits has none."""
    put(file, "waiting/contacts/values", [])
    file["waiting/contacts/shape"][...] = 0


def without(name: str) -> Callable[[h5py.File], None]:
    """No component has an array of this name."""

    def change(file: h5py.File) -> None:
        put(file, f"{name}/values", [])
        put(file, f"{name}/shape", np.full(file[f"{name}/shape"].shape, -1).tolist())

    return change


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (without_contacts, "component 2 has no contacts"),
        (first("components/contacts/values", -1), "a contact of component 0 outside 0 to 2"),
        (first("components/contacts/values", 3), "a contact of component 0 outside 0 to 2"),
        (last("components/spike_ids/values", 60), "a spike of component 1 outside 0 to 59"),
        (first("components/spike_ids/values", -1), "a spike of component 0 outside 0 to 59"),
        (last("components/sampled/values", 29), "a sampled spike of component 1 outside 0 to 28"),
        (lambda file: put(file, f"{ECHOES}/n_spikes/values", [-1, 4]), "a pair has fewer than no spikes"),
        (without(f"{ECHOES}/n_spikes"), "a component lacks a part of its echoes"),
        (without(f"{ECHOES}/spikes"), "a component lacks a part of its echoes"),
        (without(f"{ECHOES}/sources"), "a component lacks a part of its echoes"),
        (last(f"{ECHOES}/spikes/values", 29), "an echo outside 0 to 28"),
        (first(f"{ECHOES}/sources/values", -1), "a source of echoes outside 0 to 28"),
        (first(ECHO_OF, -2), "an echo of a spike outside -1 to 14"),
        (first(ECHO_OF, 15), "an echo of a spike outside -1 to 14"),
        (first("spikes/channel", 3), "spikes on channels that the probe of 3 contacts lacks"),
        (first("spikes/channel", -1), "spikes on channels that the probe of 3 contacts lacks"),
    ],
)
def test_a_number_just_outside_is_refused(
    written: h5py.File, damage: Callable[[h5py.File], None], words: str
) -> None:
    damage(written)
    with pytest.raises(SessionFormatError, match=words):
        read_project(written)


@pytest.mark.parametrize(
    "change",
    [
        first("components/contacts/values", 2),
        last("components/sampled/values", 28),
        last(f"{ECHOES}/spikes/values", 28),
        first(f"{ECHOES}/sources/values", 0),
        lambda file: put(file, f"{ECHOES}/n_spikes/values", [0, 3]),
        first(ECHO_OF, 14),
        first("spikes/channel", 2),
    ],
)
def test_the_last_number_that_fits_is_read(written: h5py.File, change: Callable[[h5py.File], None]) -> None:
    change(written)
    assert len(read_project(written).components) == 2


def again(file: h5py.File, project: Project, *components: Component) -> tuple[Component, ...]:
    write_components(file, components)
    write_waiting(file, ())
    found, waiting = read_components(file, project.spikes, project.probe)
    assert waiting == ()
    return found


def test_a_component_without_alternatives_comes_back_without_one(project: Project, empty: h5py.File) -> None:
    bare = replace(project.components[0], alternatives=())
    check_same(again(empty, project, bare), (bare,))


def test_masses_by_less_evidence_that_one_alternative_lacks_are_not_kept(
    project: Project, empty: h5py.File
) -> None:
    one, two = project.components[1].alternatives
    lacking = replace(two, mass_waveforms=None)
    (found,) = again(empty, project, replace(project.components[1], alternatives=(one, lacking)))
    assert [way.mass_waveforms for way in found.alternatives] == [None, None]
    assert [way.mass_without_stimulus for way in found.alternatives] == [0.7, 0.3]


def test_what_sampled_spikes_stand_for_comes_back(project: Project, empty: h5py.File) -> None:
    stands_for = np.linspace(1, 2, 15, dtype=np.float32)
    component = replace(project.components[1], stands_for=stands_for)
    check_same(again(empty, project, component), (component,))


def test_how_many_components_are_read_is_told(written: h5py.File) -> None:
    told: list[tuple[int, int]] = []
    read_project(written, progress=lambda done, total, _="": told.append((done, total)))
    assert told == [(0, 2), (1, 2), (2, 2)]


def test_a_session_of_many_components_has_no_more_elements_than_one_of_one(project: Project) -> None:
    """To open an element takes longer than to read a small array."""
    one = project.components[1]
    counted = []
    for n in (1, 30):
        held = BytesIO()
        many = tuple(replace(one, id=k, spike_ids=one.spike_ids + 100 * k) for k in range(n))
        with h5py.File(held, "w") as file:
            write_components(file, many)
            names: list[str] = []
            file.visit(names.append)
        counted.append(len(names))
    assert counted[0] == counted[1]


@pytest.mark.parametrize(
    ("shape", "words"),
    [
        ([[2], [-5]], r"array 1 has shape \(-5,\) where \(any\) is needed"),
        ([[2], [-1]], r"array 1 has shape \(-1,\) where \(any\) is needed"),
        ([[2], [4]], "has shape .* where .* is needed"),
        ([[2**40], [2**40]], "has shape .* where .* is needed"),
        ([[2]], "has shape .* where .* is needed"),
        ([[2, 1], [3, 1]], "has shape .* where .* is needed"),
    ],
)
def test_shapes_that_do_not_fit_the_values_are_refused(empty: h5py.File, shape: list, words: str) -> None:
    write_ragged(empty, "of two", [np.arange(2), np.arange(3)])
    assert [one.tolist() for one in read_ragged(empty, "of two", np.int64, shapes=[(None,), (3,)])] == [
        [0, 1],
        [0, 1, 2],
    ]
    del empty["of two/shape"]
    write_integers(empty["of two"], "shape", np.array(shape))
    with pytest.raises(SessionFormatError, match=words):
        read_ragged(empty, "of two", np.int64, shapes=[(None,), (None,)])


def test_one_that_lacks_an_array_has_none_and_the_others_theirs(empty: h5py.File) -> None:
    arrays = [None, np.array([0.5, 1.5]), None, np.zeros(0)]
    write_ragged(empty, "some", arrays, unit="nats")
    found = read_ragged(empty, "some", np.float64, shapes=[(None,)] * 4, may_lack=True)
    assert [None if one is None else one.tolist() for one in found] == [None, [0.5, 1.5], None, []]
    assert empty["some/values"].attrs["unit"] == "nats"
    with pytest.raises(SessionFormatError, match=r"array 0 has shape \(-1,\) where \(2\) is needed"):
        read_ragged(empty, "some", np.float64, shapes=[(2,)] * 4)
    write_ragged(empty, "none", [None, None])
    assert "none" not in empty
    assert read_ragged(empty, "none", np.float64, shapes=[(None,)] * 2, may_lack=True) == [None, None]
