"""Files that come with ncpgui are found inside the package, else beside it."""

from __future__ import annotations

from pathlib import Path

import pytest

from ncpgui.core import resources
from ncpgui.core.errors import InputError


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package without any files, in a folder of its own."""
    place = tmp_path / "site" / "ncpgui"
    place.mkdir(parents=True)
    monkeypatch.setattr(resources, "_PACKAGE", place)
    return place


def test_a_folder_inside_the_package_goes_before_one_beside_it(package: Path) -> None:
    beside, inside = package.parent / "resources", package / "resources"
    beside.mkdir()
    assert resources.data_folder("resources") == beside
    inside.write_text("a file is no folder")
    assert resources.data_folder("resources") == beside
    inside.unlink()
    inside.mkdir()
    assert resources.data_folder("resources") == inside


def test_a_folder_that_is_missing_says_to_install_again(package: Path) -> None:
    with pytest.raises(InputError, match=f"'resources' is missing from the installation at {package.parent}"):
        resources.data_folder("resources")


def test_a_file_is_found_or_named_as_missing(package: Path) -> None:
    folder = package / "resources"
    folder.mkdir()
    (folder / "icon.svg").write_text("")
    assert resources.resource("icon.svg") == folder / "icon.svg"
    with pytest.raises(InputError, match=f"'icon.png' is missing from {folder}; install ncpgui again"):
        resources.resource("icon.png")


def test_the_checkout_has_its_own_resources() -> None:
    assert resources.data_folder("resources").is_dir()
