"""What somebody puts at the place of an export while it is written, or when it is killed, is never lost."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from ncpgui.core.errors import ExportError
from ncpgui.core.files import free_name, replaced_file, replaced_folder
from ncpgui.export import csv as csv_module
from ncpgui.export.destination import exported_folder
from ncpgui.export.registry import FORMATS, export
from tests.export.conftest import build
from tests.forked import KILLED_AT_RENAME, run_forked


def written(path: Path, text: str) -> None:
    """Export a folder of one file."""
    with exported_folder(path) as folder:
        (folder / "params.py").write_text(text)


def saved_by_phy(path: Path) -> None:
    np.save(path / "spike_clusters.npy", np.arange(3))


def labelled_by_phy(path: Path) -> None:
    (path / "cluster_group.tsv").write_text("cluster_id\tgroup\n3\tgood\n")


def edited(path: Path) -> None:
    (path / "params.py").write_text("edited")


@pytest.mark.parametrize("save", [saved_by_phy, labelled_by_phy, edited])
def test_what_is_saved_into_an_export_while_it_is_made_again_stays(
    tmp_path: Path, save: Callable[[Path], None]
) -> None:
    path = tmp_path / "phy"
    written(path, "first")
    before: dict[str, bytes] = {}

    def again() -> None:
        with exported_folder(path) as folder:
            (folder / "params.py").write_text("second")
            save(path)
            before.update({item.name: item.read_bytes() for item in path.iterdir()})

    with pytest.raises(ExportError, match=rf"{path} (was changed|holds) .*; what was written is in .*phy-1$"):
        again()
    assert {item.name: item.read_bytes() for item in path.iterdir()} == before
    assert (tmp_path / "phy-1" / "params.py").read_text() == "second"
    assert sorted(item.name for item in tmp_path.iterdir()) == ["phy", "phy-1"]
    written(tmp_path / "phy-1", "third")  # it is an export like any other


def test_what_is_saved_between_the_last_look_and_the_swap_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, rename = tmp_path / "phy", Path.replace
    written(path, "first")

    def save_first(self: Path, target: Path) -> Path:
        if self == path:
            monkeypatch.undo()
            labelled_by_phy(path)
        return rename(self, target)

    monkeypatch.setattr(Path, "replace", save_first)
    with pytest.raises(ExportError, match=r"cluster_group\.tsv"):
        written(path, "second")
    assert (path / "cluster_group.tsv").is_file()
    assert (path / "params.py").read_text() == "first"
    assert (tmp_path / "phy-1" / "params.py").read_text() == "second"


@pytest.mark.parametrize("what", ["folder", "file"])
def test_what_appears_where_a_folder_goes_is_not_replaced(tmp_path: Path, what: str) -> None:
    path = tmp_path / "made"

    def make() -> None:
        with replaced_folder(path) as folder:
            (folder / "mine").write_text("mine")
            if what == "folder":
                path.mkdir()
            (path / "theirs" if what == "folder" else path).write_text("theirs")

    with pytest.raises(ExportError, match=r"meanwhile and is not replaced; what was written is in .*made-1$"):
        make()
    assert (path / "theirs" if what == "folder" else path).read_text() == "theirs"
    assert (tmp_path / "made-1" / "mine").read_text() == "mine"


def test_what_appears_where_a_file_goes_is_replaced_only_if_that_is_said(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"

    def make(text: str, *, replace: bool) -> None:
        with replaced_file(path, replace=replace) as beside:
            beside.write_text(text)
            path.write_text("theirs")

    with pytest.raises(ExportError, match=rf"; what was written is in {tmp_path / 'x-1.npz'}$"):
        make("mine", replace=False)
    assert (path.read_text(), (tmp_path / "x-1.npz").read_text()) == ("theirs", "mine")
    make("again", replace=True)
    assert path.read_text() == "again"


@pytest.mark.parametrize(
    "name", [name for name, one in FORMATS.items() if not one.is_folder and not one.lacks]
)
def test_every_file_of_a_format_is_named_and_left_where_it_is(tmp_path: Path, name: str) -> None:
    for there in FORMATS[name].files(tmp_path / "x"):
        there.write_text("somebody's")
        with pytest.raises(ExportError, match=r"meanwhile and is not replaced; what was written is in .*x-1"):
            export(build(), name, tmp_path / "x", replace=False)
        assert there.read_text() == "somebody's"
        assert all(
            file.stat().st_size > 100 for file in FORMATS[name].files(tmp_path / f"x-1{FORMATS[name].suffix}")
        )
        for item in tmp_path.iterdir():
            item.unlink()
    made = export(build(), name, tmp_path / "x", replace=False)
    assert sorted(tmp_path.iterdir()) == sorted(FORMATS[name].files(made))
    assert export(build(), name, tmp_path / "x") == made


def test_a_table_of_units_that_appears_while_that_of_spikes_is_written_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = csv_module.write_columns

    def appear(path: Path, columns: object) -> None:
        (tmp_path / "x_units.csv").write_text("somebody's")
        write(path, columns)  # type: ignore[arg-type]

    monkeypatch.setattr(csv_module, "write_columns", appear)
    with pytest.raises(ExportError, match=r"x_units\.csv appeared meanwhile"):
        export(build(), "csv", tmp_path / "x", replace=False)
    assert (tmp_path / "x_units.csv").read_text() == "somebody's"


def test_an_export_of_two_tables_that_was_killed_between_them_is_finished_by_the_next(tmp_path: Path) -> None:
    """New spikes beside old units looked like one export."""
    path = export(build(), "csv", tmp_path / "x")
    spikes, units = FORMATS["csv"].files(path)
    right = units.read_text()
    units.write_text("of an older export")
    units.with_name(f".{units.name}.ncpgui-new").write_text(right)
    assert FORMATS["csv"].in_the_way(path) == [spikes, units]
    assert units.read_text() == right
    assert sorted(tmp_path.iterdir()) == [spikes, units]


# -- kills ---------------------------------------------------------------------------------------

KILLED = f"""{KILLED_AT_RENAME}
from ncpgui.export.destination import exported_folder

with exported_folder(Path(sys.argv[1])) as folder:
    (folder / "params.py").write_text("second")
"""


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL on Windows")
@pytest.mark.parametrize(("n_renames", "where", "text"), [
    (0, "phy", "first"), (1, "phy.ncpgui-old", "first"), (2, "phy", "second"),
])  # fmt: skip
def test_an_export_killed_between_two_renames_loses_neither(
    tmp_path: Path, n_renames: int, where: str, text: str, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "phy"
    written(path, "first")
    done = run_forked(KILLED, path, n_renames, needs="export")
    assert done.returncode == -9
    assert (tmp_path / where / "params.py").read_text() == text
    assert path.exists() == (where == "phy")
    with pytest.raises(RuntimeError), exported_folder(path):
        raise RuntimeError("it fails")
    assert (path / "params.py").read_text() == text  # found again
    assert ("it is " in caplog.text and "again" in caplog.text) == (where != "phy")
    written(path, "third")
    assert (path / "params.py").read_text() == "third"


def test_a_folder_of_somebody_that_is_called_like_the_old_one_is_left(tmp_path: Path) -> None:
    path = tmp_path / "phy"
    written(path, "first")
    (tmp_path / "phy.ncpgui-old").mkdir()
    (tmp_path / "phy.ncpgui-old" / "notes").write_text("somebody's")
    written(path, "second")
    assert (tmp_path / "phy.ncpgui-old" / "notes").read_text() == "somebody's"
    assert sorted(item.name for item in tmp_path.iterdir()) == ["phy", "phy.ncpgui-old"]


def test_a_free_name_is_beside_and_keeps_the_ending(tmp_path: Path) -> None:
    path = tmp_path / "s.h5"
    assert free_name(path) == path
    path.write_text("")
    (tmp_path / "s-1.h5").symlink_to("nowhere")
    assert free_name(path) == tmp_path / "s-2.h5"


@pytest.mark.parametrize("change", [labelled_by_phy, edited, lambda path: (path / "params.py").unlink()])
def test_a_folder_that_is_changed_while_another_is_made_for_its_place_is_not_replaced(
    tmp_path: Path, change: Callable[[Path], None]
) -> None:
    path = tmp_path / "made"
    path.mkdir()
    (path / "params.py").write_text("first")

    def make(change: Callable[[Path], None]) -> None:
        with replaced_folder(path) as folder:
            (folder / "params.py").write_text("second")
            change(path)

    with pytest.raises(
        ExportError, match=r"made was changed meanwhile \(.*\) and is not replaced; .*made-1$"
    ):
        make(change)
    assert not (path / "params.py").exists() or (path / "params.py").read_text() != "second"
    assert (tmp_path / "made-1" / "params.py").read_text() == "second"
    make(lambda _: None)
    assert (path / "params.py").read_text() == "second"
