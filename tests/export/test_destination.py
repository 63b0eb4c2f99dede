"""An export folder appears whole or not at all, and never replaces anybody's work."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ncpgui.core.errors import ExportError
from ncpgui.export import phy
from ncpgui.export.bundle import ExportBundle
from ncpgui.export.registry import export


def test_an_older_export_is_replaced(bundle: ExportBundle, tmp_path: Path) -> None:
    folder = export(bundle, "phy", tmp_path / "out")
    (folder / ".phy").mkdir()
    (folder / ".phy" / "state.json").write_text("{}")
    (folder / "phy.log").write_text("opened")
    export(replace(bundle, amplitude=bundle.amplitude * 2), "phy", folder)
    assert np.load(folder / "amplitudes.npy")[0] == 10.0
    assert [item.name for item in tmp_path.iterdir()] == ["out"]
    export(bundle, "spikeinterface", folder)
    assert not (folder / "params.py").exists()


def test_a_folder_curated_in_phy_since_is_not_replaced(bundle: ExportBundle, tmp_path: Path) -> None:
    folder = export(bundle, "phy", tmp_path / "out")
    (folder / "cluster_group.tsv").write_text("cluster_id\tgroup\n2\tnoise\n")
    with pytest.raises(
        ExportError, match=r"changed since it was exported \(cluster_group\.tsv\); choose a new"
    ):
        export(bundle, "phy", folder)
    assert "noise" in (folder / "cluster_group.tsv").read_text()


def test_a_folder_that_holds_other_files_is_not_replaced(bundle: ExportBundle, tmp_path: Path) -> None:
    (tmp_path / "recording.dat").write_bytes(b"precious")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "notes.txt").write_text("x")
    with pytest.raises(
        ExportError,
        match=r"files that ncpgui did not write \(recording\.dat and 1 more\); choose a new folder",
    ):
        export(bundle, "phy", tmp_path)
    assert (tmp_path / "recording.dat").read_bytes() == b"precious"


def test_an_export_that_phylib_opened_can_be_replaced(bundle: ExportBundle, tmp_path: Path) -> None:
    from phylib.io.model import load_model

    folder = export(bundle, "phy", tmp_path / "out")
    load_model(folder / "params.py").close()
    export(bundle, "phy", folder)


def test_an_empty_folder_is_filled(bundle: ExportBundle, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    assert (export(bundle, "phy", tmp_path / "out") / "params.py").is_file()


def test_a_file_in_the_way_is_kept(bundle: ExportBundle, tmp_path: Path) -> None:
    (tmp_path / "out").write_text("x")
    with pytest.raises(ExportError, match="is a file; give the name of a new folder"):
        export(bundle, "spikeinterface", tmp_path / "out")
    assert (tmp_path / "out").read_text() == "x"


def test_a_full_disk_leaves_nothing_half_written(
    bundle: ExportBundle, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(phy, "_write_tables", full)
    with pytest.raises(ExportError, match="No space left on device") as error:
        export(bundle, "phy", tmp_path / "out")
    assert "\n" not in str(error.value)
    assert list(tmp_path.iterdir()) == []
