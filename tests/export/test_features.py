"""Phy's feature view and its lasso get true principal components of every spike."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from ncpgui.core.component import Alternative, Component, ComponentWaveforms
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.core.probe import Probe
from ncpgui.core.project import Project, RecordingReference
from ncpgui.core.spikes import SpikeEvents
from ncpgui.core.waveform_format import N_SAMPLES, TROUGH_SAMPLE
from ncpgui.export.features import (
    components,
    n_without_waveforms,
    spike_features,
    unit_channels,
    with_all_waveforms,
)
from ncpgui.export.from_project import bundle_of
from ncpgui.export.registry import export
from tests.export.conftest import phylib_model
from tests.tiny_project import tiny_project

# Three contacts 30 µm apart. Channel 0 (seen with 1): spikes 0-3 of unit 4; channel 2 (seen alone): 4, 5 of
# unit 9. Every waveform is a trough of one shape and unit length, so many times as deep.
DEPTH = {0: np.array([[8.0, 2.0], [9.0, 3.0], [10.0, 1.0], [7.0, 0.5]]), 2: np.array([[5.0], [6.0]])}
UNITS = np.array([4, 4, 4, 4, 9, 9])


def shape() -> np.ndarray:
    trough = np.exp(-0.5 * ((np.arange(N_SAMPLES) - TROUGH_SAMPLE) / 2.0) ** 2)
    return -trough / np.linalg.norm(trough)


def component(channel: int, neighbours: list[int], ids: np.ndarray, n_sampled: int) -> Component:
    one = Alternative(np.zeros(len(ids), np.int32), np.ones(len(ids)), 1.0, 0.0, np.ones(1))
    posterior = PosteriorSamples(np.zeros((1, n_sampled), int), np.zeros(1))
    return Component(channel, np.array(neighbours), ids, np.arange(n_sampled), posterior, (one,))


@pytest.fixture
def make() -> Callable[..., Project]:
    def build(n_sampled: int = 4, units: np.ndarray = UNITS, cached: tuple[int, ...] = (0, 2)) -> Project:
        channel = np.array([0, 0, 0, 0, 2, 2])
        waveforms = {
            c: ComponentWaveforms(
                (shape()[None, :, None] * DEPTH[c][:n, None, :]).astype(np.float32),
                np.zeros((n, 1), np.float32),
            )
            for c, n in ((0, n_sampled), (2, 2))
            if c in cached
        }
        return Project(
            recording=RecordingReference("", {}, "f", 3, 20_000.0, 2000),
            probe=Probe(np.array([[0.0, 0.0], [0.0, 30.0], [0.0, 60.0]])),
            spikes=SpikeEvents(np.arange(6) * 100 + 50, channel, -np.arange(6.0), 20_000.0, 2000),
            noise_sd=np.ones(3, np.float32),
            components=(
                component(0, [0, 1], np.arange(4), n_sampled),
                component(2, [2], np.array([4, 5]), 2),
            ),
            unit_of_spike=units,
            probability=np.ones(6, np.float32),
            settings={},
            model="small",
            waveforms=waveforms,
        )

    return build


def test_phylib_reads_the_depth_of_each_trough_as_the_first_component(
    make: Callable[..., Project], tmp_path: Path
) -> None:
    folder = export(bundle_of(make(), with_features=True), "phy", tmp_path / "phy")
    stored, channels = np.load(folder / "pc_features.npy"), np.load(folder / "pc_feature_ind.npy")
    assert (stored.shape, stored.dtype) == ((6, 3, 2), np.float32)
    assert (channels.tolist(), channels.dtype) == ([[0, 1], [2, 1]], np.int32)
    model = phylib_model(folder)
    assert model.n_features_per_channel == 3
    found = model.get_features(np.arange(6), np.array([0, 1, 2]))
    expected = np.zeros((6, 3))
    expected[:4, :2], expected[4:, 2:] = DEPTH[0], DEPTH[2]
    np.testing.assert_allclose(found[:, :, 0], expected, atol=1e-4)
    np.testing.assert_allclose(found[:, :, 1:], 0, atol=1e-4)
    np.testing.assert_allclose(model.get_depths()[4:], 60.0)  # the only channel with a signal
    model.close()


def test_every_spike_has_features_where_phy_asks_for_them(
    make: Callable[..., Project], tmp_path: Path
) -> None:
    """As the lasso does: all spikes of a cluster on its best channel, in any order of selection."""
    model = phylib_model(export(bundle_of(make(), with_features=True), "phy", tmp_path / "phy"))
    for template, depth in ((0, DEPTH[0]), (1, DEPTH[2])):
        spikes = model.get_template_spikes(template)
        best = model.get_template(template).best_channel
        np.testing.assert_allclose(model.get_features(spikes, [best])[:, 0, 0], depth[:, 0], atol=1e-4)
    model.close()


def test_a_unit_merged_across_channels_has_the_channels_of_its_main_component(
    make: Callable[..., Project],
) -> None:
    project = make()
    found = spike_features(project, np.arange(6), np.full(6, 3), {3: 0}, {3: 0})
    assert found is not None
    assert found.channels.tolist() == [[0, 1]]
    np.testing.assert_allclose(found.values[:4, 0], DEPTH[0], atol=1e-4)
    assert not found.values[4:].any()  # seen on channel 2 only


def test_the_largest_neighbourhood_gives_the_number_of_channels(make: Callable[..., Project]) -> None:
    assert unit_channels(make(), [(2, 2), (0, 0), (1, None)]).tolist() == [[2, 1], [0, 1], [1, 0]]


def test_components_are_orthonormal_and_the_first_is_the_trough(make: Callable[..., Project]) -> None:
    basis = components(make())
    np.testing.assert_allclose(basis.T @ basis, np.eye(3), atol=1e-5)
    np.testing.assert_allclose(basis[:, 0], shape(), atol=1e-5)


@pytest.mark.parametrize(("options", "n_missing"), [({"n_sampled": 3}, 1), ({"cached": (0,)}, 2)])
def test_features_of_some_spikes_are_none_since_a_lasso_would_split_only_those(
    make: Callable[..., Project], tmp_path: Path, options: dict[str, Any], n_missing: int
) -> None:
    project = make(**options)
    assert n_without_waveforms(project) == n_missing
    folder = export(bundle_of(project, with_features=True), "phy", tmp_path / "phy")
    assert not (folder / "pc_features.npy").exists()
    model = phylib_model(folder)
    assert model.get_features(np.arange(6), [0]) is None
    model.close()


def test_a_single_unit_on_a_single_channel_has_features_that_phylib_reads(
    make: Callable[..., Project], tmp_path: Path
) -> None:
    project = make()
    alone = replace(
        project,
        components=(project.components[1],),
        unit_of_spike=np.array([-1, -1, -1, -1, 9, 9]),
        waveforms={2: project.waveforms[2]},
    )
    model = phylib_model(export(bundle_of(alone, with_features=True), "phy", tmp_path / "phy"))
    np.testing.assert_allclose(model.get_features(np.arange(2), [2])[:, 0, 0], [5, 6], atol=1e-4)
    model.close()


# -- on a probe of five contacts in a row ------------------------------------------------------------


def row_of_five() -> Project:
    """Component 0 on contacts 0 and 1, component 4 on 4, 3 and 2; half of the spikes of each is sampled."""
    project = tiny_project({0: [[0, 0, 1, 1]], 4: [[0, 0]]})
    first, second = project.components
    return replace(
        project,
        components=(
            replace(first, contacts=np.array([0, 1]), sampled=np.array([0, 2])),
            replace(second, contacts=np.array([4, 3, 2])),
        ),
    )


def test_a_unit_has_its_main_channel_first_those_of_its_component_and_then_the_nearest() -> None:
    project = row_of_five()
    found = unit_channels(project, [(0, 0), (1, 0), (3, 4), (2, None), (4, 9)])
    assert found.tolist() == [[0, 1, 2], [1, 0, 2], [3, 4, 2], [2, 1, 3], [4, 3, 2]]
    assert unit_channels(project, []).shape == (0, 3)


def test_spikes_without_waveforms_are_those_not_sampled_and_all_of_a_component_that_the_cache_lacks() -> None:
    project = row_of_five()
    assert n_without_waveforms(project) == 2
    assert n_without_waveforms(replace(project, waveforms={4: project.waveforms[4]})) == 4
    assert n_without_waveforms(replace(project, waveforms={})) == 6


def test_components_come_in_the_order_of_what_they_hold_of_the_waveforms() -> None:
    """Three pulses at times of their own, 9, 5 and 2 high; a fourth of 1."""
    waveforms = np.zeros((4, N_SAMPLES, 1), np.float32)
    places = [TROUGH_SAMPLE, 3, 20, 28]
    waveforms[np.arange(4), places, 0] = [-9, 5, -2, 1]
    cached = SimpleNamespace(waveforms={0: SimpleNamespace(waveforms=waveforms)})
    found = components(cast("Project", cached))
    assert np.abs(found).argmax(axis=0).tolist() == places[:3]
    assert found[places[:3], range(3)].tolist() == pytest.approx([-1, 1, 1])


READ = cast("Any", SimpleNamespace(in_white_noise=lambda waveforms, contacts: 2 * waveforms))
"""Traces in which waveforms are half as deep before they are in white noise."""


def halves(samples: np.ndarray, component_id: int) -> np.ndarray:
    """Waveforms of spikes at these samples, half as deep as they are."""
    rows = (samples - 50) // 100 - 2 * component_id
    return (shape()[None, :, None] * DEPTH[component_id][rows, None, :] / 2).astype(np.float32)


def test_waveforms_that_the_cache_lacks_are_read_and_no_others(
    make: Callable[..., Project], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, lacking = make(), make(cached=(0,))
    owners: list[list[int]] = []

    def extract(_: Any, samples: Any, owner: Any, contacts: Any, **__: Any) -> dict[int, np.ndarray]:
        owners.append(owner.tolist())
        return {key: halves(samples[owner == key], key) for key in contacts}

    monkeypatch.setattr("ncpgui.ephys.waveforms.extract_many", extract)
    assert with_all_waveforms(whole, READ) is whole
    found = with_all_waveforms(lacking, READ).waveforms
    assert owners == [[2, 2]]
    assert found[0] is lacking.waveforms[0]
    np.testing.assert_allclose(found[2].waveforms, whole.waveforms[2].waveforms)
    assert n_without_waveforms(replace(lacking, waveforms=found)) == 0


def test_features_of_spikes_that_were_not_sampled_are_read_of_the_traces(
    make: Callable[..., Project], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of spikes 1, 3, 4 and 5 the first was sampled; the others are read."""
    asked: list[int] = []

    def iterate(_: Any, samples: Any, owner: Any, contacts: Any, **__: Any) -> Iterator[tuple[int, Any, Any]]:
        asked.extend(samples.tolist())
        for key in np.unique(owner).tolist():
            some = np.flatnonzero(owner == key)
            yield key, some, halves(samples[some], key)

    monkeypatch.setattr("ncpgui.ephys.waveforms.iterate_waveforms", iterate)
    project, spikes = make(n_sampled=3, cached=(0,)), np.array([1, 3, 4, 5])
    home = {4: 0, 9: 2}
    assert spike_features(project, spikes, UNITS[spikes], {4: 0, 9: 2}, home) is None
    found = spike_features(project, spikes, UNITS[spikes], {4: 0, 9: 2}, home, traces=READ)
    assert found is not None
    assert sorted(asked) == [350, 450, 550]
    assert found.channels.tolist() == [[0, 1], [2, 1]]
    np.testing.assert_allclose(found.values[:, 0], [[9, 3], [7, 0.5], [5, 0], [6, 0]], atol=1e-4)
    np.testing.assert_allclose(found.values[:, 1:], 0, atol=1e-4)
    bare = replace(project, waveforms={})
    assert spike_features(bare, spikes, UNITS[spikes], {4: 0, 9: 2}, home, traces=READ) is None
