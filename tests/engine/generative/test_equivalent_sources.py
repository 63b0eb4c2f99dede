"""A cell that is known is found back from its template, and a template is made again by its cell."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from ncpgui.engine.generative.equivalent_sources import (
    MAX_SOURCES,
    SOFTENING_UM,
    equivalent_cell,
    locate,
)
from ncpgui.engine.generative.template_reservoir import TemplateReservoir, random_rotations

TIME = np.arange(64) - 22.0
SPIKE = -np.exp(-0.5 * (TIME / 3) ** 2) + 0.3 * np.exp(-0.5 * ((TIME - 12) / 5) ** 2)


def hexagons(pitch_um: float = 30.0, rings: int = 3) -> np.ndarray:
    """Contacts of a hexagonal array, the middle one first."""
    a, b = np.meshgrid(np.arange(-rings, rings + 1), np.arange(-rings, rings + 1))
    points = np.column_stack([(a + b / 2).ravel(), (b * 0.75**0.5).ravel()]) * pitch_um
    points = points[np.hypot(*points.T) < (rings + 0.1) * pitch_um]
    return points[np.argsort(np.hypot(*points.T), kind="stable")]


def one_source(contacts: np.ndarray, soma: np.ndarray, falloff: float) -> np.ndarray:
    """Template (T, C) of a single source."""
    away2 = ((np.pad(contacts, ((0, 0), (0, 1))) - soma) ** 2).sum(axis=1) + SOFTENING_UM**2
    weight = away2 ** (-falloff / 2)
    return np.outer(SPIKE, 10 * weight / weight.max())


def at(contacts: np.ndarray, soma: np.ndarray) -> np.ndarray:
    """The same contacts, seen from the soma: (C, 3)."""
    return np.pad(contacts, ((0, 0), (0, 1))) - soma


@pytest.mark.parametrize("soma", [(4.0, -6.0, -12.0), (0.0, 9.0, -20.0), (-8.0, 2.0, -30.0)])
@pytest.mark.parametrize("falloff", [1.2, 1.5, 2.0])
def test_a_single_source_is_found_back_with_its_template(
    soma: tuple[float, float, float], falloff: float
) -> None:
    contacts, place = hexagons(), np.array(soma)
    template = one_source(contacts, place, falloff)
    main = int(template.min(axis=0).argmin())
    order = [main, *(i for i in range(len(contacts)) if i != main)]
    cell = equivalent_cell(template[:, order], contacts[order])
    assert np.abs(cell.soma_um[:2] - place[:2]).max() < 0.5
    assert abs(cell.soma_um[2] - place[2]) < 3.0
    assert cell.falloff == pytest.approx(falloff, abs=0.15)
    assert cell.error < 0.021
    made = cell.template(at(contacts, cell.soma_um))
    assert np.linalg.norm(made - template) < 0.021 * np.linalg.norm(template)


def test_contacts_that_were_not_measured_see_what_the_cell_makes_there(
    reservoir: TemplateReservoir, generator: torch.Generator
) -> None:
    """Of 40 shipped cells of several sources the median error between contacts 30 µm apart is under 10 %."""
    contacts, rng = hexagons(), np.random.default_rng(0)
    fitted, between = [], []
    while len(fitted) < 40:
        cell = torch.randint(len(reservoir), (), generator=generator)
        rotation = random_rotations((), generator)
        soma = np.array([*rng.normal(0, 8, 2), -rng.uniform(10, 30)])

        def seen(points: np.ndarray, cell=cell, rotation=rotation, soma=soma) -> np.ndarray:
            places = torch.from_numpy(np.pad(points, ((0, 0), (0, 1)))).float()
            place = torch.from_numpy(soma).float()
            return reservoir.templates(cell, place, rotation, places).double().numpy()

        template = seen(contacts)
        main = int(template.min(axis=0).argmin())
        if main != 0 or template.max() > -1.1 * template.min():
            continue
        size = 10 / -template.min()
        found = equivalent_cell(template * size, contacts)
        others = rng.uniform(-30, 30, (50, 2))
        wanted, made = seen(others) * size, found.template(at(others, found.soma_um))
        fitted.append(found.error)
        between.append(np.linalg.norm(made - wanted) / np.linalg.norm(wanted))
    assert np.median(fitted) < 0.03
    assert np.max(fitted) < 0.15
    assert np.median(between) < 0.10


def test_noise_is_not_made_into_sources() -> None:
    contacts, soma = hexagons(), np.array([3.0, 2.0, -15.0])
    clean = one_source(contacts, soma, 1.5)
    noisy = clean + 0.05 * np.random.default_rng(0).normal(size=clean.shape)
    cell = equivalent_cell(noisy, contacts, noise_sd=0.05)
    made = cell.template(at(contacts, cell.soma_um))
    assert np.linalg.norm(made - clean) < 0.7 * np.linalg.norm(noisy - clean)
    assert np.abs(cell.soma_um - soma).max() < 3.0


@pytest.mark.parametrize("n_contacts", [1, 2, 3, 4])
def test_few_contacts_give_a_cell_at_a_usual_depth(n_contacts: int) -> None:
    contacts = np.array([[0.0, 0.0], [25.0, 0.0], [0.0, 25.0], [25.0, 25.0]])[:n_contacts]
    template = one_source(contacts, np.array([2.0, 1.0, -18.0]), 1.5)
    cell = equivalent_cell(template, contacts)
    assert cell.source_position.shape == (MAX_SOURCES, 3)
    assert -40 < cell.soma_um[2] < -8
    made = cell.template(at(contacts, cell.soma_um))
    assert np.linalg.norm(made - template) < 0.021 * np.linalg.norm(template)


def test_amplitudes_alike_on_all_contacts_do_not_send_a_cell_away() -> None:
    soma, falloff = locate(np.ones(19), hexagons(rings=2))
    assert np.hypot(*soma[:2]) < 1.0
    assert -80 <= soma[2] < -40
    assert 1.0 <= falloff < 1.5


def test_where_the_contacts_are_counted_from_makes_no_difference() -> None:
    contacts, place = hexagons(), np.array([3.0, 2.0, -15.0])
    amplitude = np.ptp(one_source(contacts, place, 1.5), axis=0)
    soma, falloff = locate(amplitude, contacts)
    moved = np.array([500.0, -300.0])
    there, same = locate(amplitude, contacts + moved)
    np.testing.assert_allclose(there[:2] - moved, soma[:2], atol=1e-3)
    assert (there[2], same) == (pytest.approx(soma[2], abs=1e-3), pytest.approx(falloff, abs=1e-4))


@pytest.mark.parametrize("pitch_um", [15.0, 30.0])
def test_a_cell_at_the_usual_place_under_its_contacts_is_found_to_a_hair(pitch_um: float) -> None:
    """There what is usual says the same as the amplitudes: nothing draws the cell away."""
    contacts = hexagons(pitch_um)
    amplitude = np.ptp(one_source(contacts, np.array([0.0, 0.0, -20.0]), 1.5), axis=0)
    soma, falloff = locate(amplitude, contacts)
    np.testing.assert_allclose([*soma, falloff], [0.0, 0.0, -20.0, 1.5], atol=1e-3)


@pytest.mark.parametrize(("pitch_um", "depth_um"), [(15.0, 20.0), (30.0, 30.0)])
def test_sources_lie_behind_the_contacts_that_see_most_as_deep_as_the_soma_or_a_pitch(
    pitch_um: float, depth_um: float
) -> None:
    """The soma is 20 µm deep and has a source too: 23 are left for 37 contacts, the 19 nearest first."""
    contacts = hexagons(pitch_um)
    cell = equivalent_cell(one_source(contacts, np.array([0.0, 0.0, -20.0]), 1.5), contacts)
    assert (cell.source_position[0] == 0).all()
    x, y, z = (cell.soma_um + cell.source_position)[1:].T
    np.testing.assert_allclose(z, -depth_um, atol=1e-3)
    away = np.hypot(x[:, None] - contacts[:, 0], y[:, None] - contacts[:, 1])
    assert away.min(axis=1).max() < 1e-6
    assert len(np.unique(away.argmin(axis=1))) == MAX_SOURCES - 1
    assert set(away.argmin(axis=1)) >= set(range(19))


def test_a_contact_that_hardly_sees_the_spike_has_no_source() -> None:
    contacts = hexagons()
    template = one_source(contacts, np.array([0.0, 0.0, -20.0]), 1.5)
    template[:, 7:] = 0
    template[:, 7] = 0.039 * template[:, 0]
    cell = equivalent_cell(template, contacts)
    assert cell.source_position[1:8].any(axis=1).all()
    assert not cell.source_position[8:].any()
    assert not cell.source_waveform[8:].any()
