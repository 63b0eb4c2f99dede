"""The Phy folder opens in phylib and in SpikeInterface with every spike."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ncpgui.core.errors import ExportError
from ncpgui.ephys.literals import read_literals
from ncpgui.ephys.readers import open_recording, open_sorting
from ncpgui.ephys.sorted_recording import recording_of_sorting
from ncpgui.export.bundle import ExportBundle
from ncpgui.export.phy import cosine_similarity
from ncpgui.export.registry import export
from tests.export.conftest import phylib_model


@pytest.fixture
def folder(bundle: ExportBundle, tmp_path: Path) -> Path:
    return export(bundle, "phy", tmp_path / "phy")


def test_phylib_finds_every_spike_its_unit_and_our_uncertainty(bundle: ExportBundle, folder: Path) -> None:
    model = phylib_model(folder)
    np.testing.assert_array_equal(model.spike_samples, bundle.sorting.sample_index)
    np.testing.assert_array_equal(model.spike_clusters, bundle.sorting.unit_id)
    np.testing.assert_allclose(model.amplitudes, -bundle.amplitude)
    np.testing.assert_array_equal(model.spike_attributes["probability"], bundle.sorting.probability)
    np.testing.assert_array_equal(model.spike_attributes["entropy"], bundle.sorting.entropy)
    assert model.metadata["group"] == {2: "good", 5: "unsorted", 40: "mua"}
    assert model.metadata["p_exists"] == {2: 1.0, 5: 0.875, 40: 0.75}
    assert model.metadata["p_neuron"] == {2: 0.99, 5: 0.74, 40: 0.49}
    assert set(model.metadata["probability"]) == {2, 5, 40}
    assert model.sample_rate == 24_000.0
    model.close()


def test_phylib_sees_templates_in_the_unit_of_the_recording(bundle: ExportBundle, folder: Path) -> None:
    model = phylib_model(folder)
    template = model.get_template(2)
    assert template.best_channel == 2
    assert template.template[:, 0].min() == pytest.approx(-12.0 * 8.0, rel=1e-5)  # noise sd x noise level
    assert model.sparse_templates.data.shape == (3, 40, 3)
    assert model.similar_templates.shape == (3, 3)
    np.testing.assert_array_equal(model.channel_shanks, [0, 0, 1])
    np.testing.assert_array_equal(model.channel_positions, bundle.probe.positions_um)
    assert model.n_clusters == 41
    model.close()


def test_read_phy_returns_every_spike_of_every_unit(bundle: ExportBundle, folder: Path) -> None:
    from spikeinterface.extractors import read_phy

    sorting = read_phy(folder)
    assert sorting.unit_ids.tolist() == [2, 5, 40]
    assert sorting.get_sampling_frequency() == 24_000.0
    for unit in (2, 5, 40):
        np.testing.assert_array_equal(sorting.get_unit_spike_train(unit), bundle.sorting.spike_train(unit))
    assert sorting.count_total_num_spikes() == 300
    assert sorting.get_property("quality").tolist() == ["good", "unsorted", "mua"]
    assert sorting.get_property("p_exists").tolist() == [1.0, 0.875, 0.75]
    assert sorting.get_property("n_spikes").tolist() == [100, 100, 100]


def test_read_phy_loses_no_spike_when_phy_has_removed_the_info_table(folder: Path) -> None:
    from spikeinterface.extractors import read_phy

    (folder / "cluster_info.tsv").unlink()
    assert read_phy(folder).count_total_num_spikes() == 300


def test_every_table_lists_every_cluster(folder: Path) -> None:
    tables = sorted(folder.glob("*.tsv"))
    assert [table.name for table in tables] == [
        "cluster_false_positives.tsv",
        "cluster_group.tsv",
        "cluster_info.tsv",
        "cluster_misses.tsv",
        "cluster_p_complete.tsv",
        "cluster_p_exists.tsv",
        "cluster_p_neuron.tsv",
        "cluster_p_pure.tsv",
        "cluster_probability.tsv",
    ]
    for table in tables:
        rows = [line.split("\t") for line in table.read_text().splitlines()]
        assert [row[0] for row in rows] == ["cluster_id", "2", "5", "40"], table.name
        assert all(cell for row in rows for cell in row), table.name


def test_our_own_reader_opens_it(bundle: ExportBundle, folder: Path) -> None:
    again = open_sorting(folder)
    np.testing.assert_array_equal(again.sample_index, bundle.sorting.sample_index)
    np.testing.assert_array_equal(again.unit_id, bundle.sorting.unit_id)


def test_the_recording_beside_the_folder_is_named_relative_to_it(
    recorded: ExportBundle, tmp_path: Path
) -> None:
    folder = export(recorded, "phy", tmp_path / "phy")
    text = (folder / "params.py").read_bytes()
    assert text.isascii()
    assert read_literals(folder / "params.py")["dat_path"] == ["../März 'raw'.dat"]
    tmp_path.rename(tmp_path.with_name("moved"))
    model = phylib_model(tmp_path.with_name("moved") / "phy")
    assert model.traces.shape == (24_000, 3)
    model.close()


def test_a_recording_elsewhere_is_named_by_its_whole_path(recorded: ExportBundle, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    folder = export(recorded, "phy", tmp_path / "out" / "phy")
    parameters = read_literals(folder / "params.py")
    assert parameters == {
        "dat_path": [recorded.recording.path],
        "n_channels_dat": 3,
        "dtype": "int16",
        "offset": 0,
        "sample_rate": 24_000.0,
        "hp_filtered": False,
    }


def test_a_recording_that_is_gone_is_left_out_and_said(folder: Path) -> None:
    assert read_literals(folder / "params.py")["dat_path"] == []
    assert "no raw binary file of the recording was found" in (folder / "params.py").read_text()
    assert phylib_model(folder).traces is None


@pytest.mark.parametrize(("units", "n_channels"), [((0,), 3), ((7,), 1), ((3, 4), 1)])
def test_one_unit_or_one_channel_opens_in_phylib(
    make_bundle: Callable[..., ExportBundle], tmp_path: Path, units: tuple[int, ...], n_channels: int
) -> None:
    bundle = make_bundle(units=units, n_channels=n_channels)
    model = phylib_model(export(bundle, "phy", tmp_path / "phy"))
    np.testing.assert_array_equal(model.spike_clusters, bundle.sorting.unit_id)
    assert model.get_template(0).template.min() == pytest.approx(-10 * bundle.noise_sd[0], rel=1e-5)
    model.close()


def test_without_templates_phylib_still_opens_it(bundle: ExportBundle, tmp_path: Path) -> None:
    model = phylib_model(export(replace(bundle, templates=None), "phy", tmp_path / "phy"))
    assert model.n_spikes == 300
    model.close()


def test_a_dead_channel_does_not_make_the_whitening_matrix_infinite(
    bundle: ExportBundle, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    noise = np.array([0.0, 5.0, 6.0], np.float32)
    folder = export(replace(bundle, noise_sd=noise), "phy", tmp_path / "phy")
    np.testing.assert_array_equal(np.diag(np.load(folder / "whitening_mat_inv.npy")), [1, 5, 6])
    with caplog.at_level(logging.WARNING):
        phylib_model(folder).close()
    assert not [record for record in caplog.records if "nan" in record.message or "inf" in record.message]


def test_a_single_spike_is_refused_since_phy_cannot_open_it(
    make_bundle: Callable[..., ExportBundle], tmp_path: Path
) -> None:
    with pytest.raises(
        ExportError, match="cannot open a folder with a single spike; export it as npz or csv"
    ):
        export(make_bundle(n_spikes=1, units=(0,)), "phy", tmp_path / "phy")
    assert list(tmp_path.iterdir()) == []


def test_similarity_is_the_cosine_of_templates() -> None:
    templates = np.array([[[1.0, 0.0]], [[2.0, 0.0]], [[1.0, 1.0]], [[0.0, 0.0]]], np.float32)
    half = np.sqrt(0.5)
    np.testing.assert_allclose(
        cosine_similarity(templates),
        [[1, 1, half, 0], [1, 1, half, 0], [half, half, 1, 0], [0, 0, 0, 1]],
        atol=1e-6,
    )


def test_some_columns_of_several_files_are_found_by_phylib_and_by_ourselves(
    bundle: ExportBundle, tmp_path: Path
) -> None:
    """Three of five columns, in another order, of two files behind headers."""
    values = (np.arange(24_000)[:, None] % 3000 * 10 + np.arange(5)).astype("<i2")
    for name, part in (("a.dat", values[:10_000]), ("b.dat", values[10_000:])):
        (tmp_path / name).write_bytes(b"header##" + part.tobytes())
    columns = [4, 0, 2]
    recording = open_recording(
        tmp_path / "a.dat",
        more_files=[str(tmp_path / "b.dat")],
        sampling_frequency=24_000.0,
        n_channels=5,
        offset=8,
        columns=columns,
        probe=bundle.probe,
    )
    folder = export(replace(bundle, recording=recording.reference), "phy", tmp_path / "phy")
    assert np.load(folder / "channel_map.npy").tolist() == columns
    model = phylib_model(folder)
    np.testing.assert_array_equal(model.traces[9_990:10_010], values[9_990:10_010, columns])
    assert model.n_channels == 3
    model.close()
    again = recording_of_sorting(folder)
    np.testing.assert_array_equal(again.traces(9_990, 10_010), values[9_990:10_010, columns])
    assert again.probe.positions_um.tolist() == bundle.probe.positions_um.tolist()


def test_the_table_of_all_units_has_thousandths_of_sizes_and_depths_and_ten_thousandths_of_rates(
    bundle: ExportBundle, tmp_path: Path
) -> None:
    uneven = replace(bundle, amplitude=-np.linspace(5, 6, 300) - 1 / 7)
    export(uneven, "phy", tmp_path / "phy")
    lines = [line.split("\t") for line in (tmp_path / "phy" / "cluster_info.tsv").read_text().splitlines()]
    table = {name: [line[column] for line in lines[1:]] for column, name in enumerate(lines[0])}
    assert {len(cell.split(".")[1]) for cell in table["amp"]} == {3}
    assert {len(cell.split(".")[1]) for cell in table["depth"]} == {3}
    assert {len(cell.split(".")[1]) for cell in table["fr"]} == {4}
    assert table["n_spikes"] == ["100"] * 3
