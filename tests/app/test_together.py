"""Units of several questions on one screen: on which contacts, by which waveforms, along which axes."""

from __future__ import annotations

import numpy as np
import pytest

from ncpgui.app.model.together import MOST_FOR_AXES, _Seen, common_contacts, main_axes
from ncpgui.core.probe import Probe

COLUMN = Probe(np.column_stack([np.zeros(24), 30.0 * np.arange(24)]))


def seen(*heights: tuple[int, float]) -> _Seen:
    """Two waveforms of a unit that is so high on some contacts."""
    contacts, values = zip(*heights, strict=True)
    waveforms = np.zeros((2, 32, len(contacts)), np.float32)
    waveforms[:, 11] = -np.array(values)
    return _Seen(np.arange(2), np.array(contacts), waveforms)


@pytest.mark.parametrize(
    ("units", "channels", "contacts"),
    [
        ([[seen((2, 5), (3, 9), (4, 1))]], [3], [3, 2, 4]),
        # of two that both have 3 and 4, and are largest there: these
        ([[seen((2, 5), (3, 9), (4, 1))], [seen((3, 2), (4, 9), (5, 4))]], [3, 4], [3, 4]),
        ([[seen((2, 5), (3, 9), (4, 1))], [seen((3, 2), (4, 9), (5, 4))]], [4, 3], [4, 3]),
        # the second is largest where the first is not known: all that any has
        ([[seen((2, 5), (3, 9), (4, 1))], [seen((3, 2), (4, 3), (5, 9))]], [3, 5], [3, 2, 4, 5]),
        # a main contact that is not shared, though no mean is largest there
        ([[seen((2, 5), (3, 9))], [seen((3, 2), (4, 1))]], [3, 4], [3, 2, 4]),
        # without any waveform: the main contacts, the first unit's first
        ([[], []], [7, 6], [7, 6]),
    ],
)
def test_contacts_are_those_of_all_units_or_else_of_any_the_nearest_to_the_first_first(
    units: list[list[_Seen]], channels: list[int], contacts: list[int]
) -> None:
    assert common_contacts(units, channels, COLUMN).tolist() == contacts


def test_of_many_contacts_there_are_the_sixteen_on_which_a_unit_is_largest_and_the_main_ones() -> None:
    """The first has contacts 0 to 11, the second 12 to 23: each is higher on the later ones."""
    first = seen(*((contact, 1.0 + contact) for contact in range(12)))
    second = seen(*((contact, 1.5 + contact - 12) for contact in range(12, 24)))
    found = common_contacts([[first], [second]], [0, 12], COLUMN).tolist()
    assert found[0] == 0
    assert sorted(found) == [0, *range(5, 12), 12, *range(17, 24)]


@pytest.mark.parametrize("n", [5, MOST_FOR_AXES, MOST_FOR_AXES + 1, 400])
def test_the_main_axes_keep_how_far_waveforms_of_few_shapes_are_apart(n: int) -> None:
    """Waveforms are sums of three shapes; what is not known counts as flat."""
    rng = np.random.default_rng(n)
    waveforms = (rng.normal(size=(n, 3)) @ rng.normal(size=(3, 64))).reshape(n, 32, 2).astype(np.float32)
    waveforms = np.concatenate([waveforms, np.full((n, 32, 1), np.nan, np.float32)], axis=2)
    found = main_axes(waveforms)
    assert found.shape == (n, min(n, 8))
    flat = waveforms[:, :, :2].reshape(n, -1)
    apart = np.linalg.norm(flat[:, None] - flat, axis=2)
    np.testing.assert_allclose(np.linalg.norm(found[:, None] - found, axis=2), apart, atol=1e-3)
    if n <= MOST_FOR_AXES:
        np.testing.assert_allclose(found.mean(axis=0), 0, atol=1e-4)


def test_the_first_axis_is_that_along_which_waveforms_differ_most() -> None:
    rng = np.random.default_rng(0)
    waveforms = np.zeros((50, 32, 1), np.float32)
    waveforms[:, 3, 0], waveforms[:, 20, 0] = rng.normal(size=50), 10 * rng.normal(size=50)
    spread = main_axes(waveforms).std(axis=0)
    assert spread[0] == pytest.approx(waveforms[:, 20, 0].std(), rel=0.02)
    assert spread[1] == pytest.approx(waveforms[:, 3, 0].std(), rel=0.2)


def test_without_contacts_there_is_no_axis() -> None:
    assert main_axes(np.zeros((4, 32, 0), np.float32)).shape == (4, 0)
