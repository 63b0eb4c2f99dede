"""What is delivered beside the package: every dependency has its reason, and recipes name the same ones."""

from __future__ import annotations

import ast
import configparser
import re
import runpy
import sys
from pathlib import Path
from typing import Any

import pytest
import setuptools
from packaging.requirements import Requirement

from tests.loose_modules import script

ROOT = Path(__file__).resolve().parents[2]
CONDA_NAMES = {"torch": "pytorch", "pyqt5": "pyqt"}
"""Names of conda-forge that differ from those of the Python package index."""


@pytest.fixture(scope="module")
def setup_arguments() -> dict[str, Any]:
    """What setup.py gives to setuptools."""
    given: dict[str, Any] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(setuptools, "setup", given.update)
        runpy.run_path(str(ROOT / "setup.py"), run_name="__main__")
    return given


def names(requirements: list[str]) -> set[str]:
    """Names of packages, in small letters."""
    return {Requirement(line).name.lower() for line in requirements}


def reasons() -> tuple[set[str], dict[str, set[str]]]:
    """Packages that dependencies.md gives a reason for: those always there, and those of each extra."""
    text = (ROOT / "docs" / "project" / "dependencies.md").read_text(encoding="utf-8")
    always, extras = text.split("## Extras")
    packages = set(re.findall(r"^\| `([\w.-]+)` \|", always, flags=re.MULTILINE))
    of_extra: dict[str, set[str]] = {}
    extra = ""
    for line in extras.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) != 3 or not cells[1].startswith("`"):
            continue
        extra = cells[0].strip("`") or extra
        of_extra.setdefault(extra, set()).update(
            name.lower() for name in re.findall(r"`([\w.-]+)`", cells[1])
        )
    return {name.lower() for name in packages}, of_extra


def test_every_dependency_has_its_reason(setup_arguments: dict[str, Any]) -> None:
    assert reasons()[0] == names(setup_arguments["install_requires"])


def test_every_extra_has_its_reasons(setup_arguments: dict[str, Any]) -> None:
    of_extra = reasons()[1]
    extras = setup_arguments["extras_require"]
    assert set(of_extra) == set(extras)
    for extra, packages in of_extra.items():
        inherited = names(extras["test"]) if extra == "dev" else set()
        assert packages == names(extras[extra]) - inherited, extra


def test_every_dependency_is_imported_somewhere(setup_arguments: dict[str, Any]) -> None:
    """Packages that only others need would be theirs to name."""
    modules = {"scikit-learn": "sklearn", "pyqt5": "PyQt5"}
    text = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "ncpgui").rglob("*.py"))
    for name in names(setup_arguments["install_requires"]):
        module = modules.get(name, name)
        assert re.search(rf"^\s*(import|from) {module}\b", text, flags=re.MULTILINE), name


def test_every_package_that_is_imported_is_asked_for(setup_arguments: dict[str, Any]) -> None:
    """What another package happens to bring may be gone with its next version."""
    modules = {"scikit-learn": "sklearn", "pyqt5": "PyQt5", "spikeinterface-gui": "spikeinterface_gui"}
    extras = (line for lines in setup_arguments["extras_require"].values() for line in lines)
    asked_for = names([*setup_arguments["install_requires"], *extras])
    known = {modules.get(name, name) for name in asked_for} | {"ncpgui"} | set(sys.stdlib_module_names)
    assert {name for path in (ROOT / "ncpgui").rglob("*.py") for name in imported(path)} - known == set()


def imported(path: Path) -> set[str]:
    """Packages that a file imports, in functions too."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module.partition(".")[0])
    return found


def test_entry_points_lead_to_what_they_name(setup_arguments: dict[str, Any]) -> None:
    for group in setup_arguments["entry_points"].values():
        for line in group:
            module, _, name = line.partition(" = ")[2].partition(":")
            tree = ast.parse((ROOT / Path(*module.split("."))).with_suffix(".py").read_text(encoding="utf-8"))
            assert name in {getattr(node, "name", "") for node in tree.body}, line


def test_addresses_are_left_out_until_there_are_some(setup_arguments: dict[str, Any]) -> None:
    assert not {"url", "download_url", "project_urls"} & set(setup_arguments)
    assert len(setup_arguments["description"]) < 80


def conda_requirements() -> dict[str, str]:
    """Packages that the recipe of conda needs at run time, with their ranges."""
    text = (ROOT / "packaging" / "conda" / "meta.yaml").read_text(encoding="utf-8")
    lines = text.partition("\n  run:\n")[2].partition("\n\n")[0].splitlines()
    found = {}
    for line in lines:
        name, _, wanted = line.strip().removeprefix("- ").partition("#")[0].strip().partition(" ")
        found[name] = wanted.replace(" ", "")
    return found


def test_the_conda_recipe_needs_what_setup_py_needs(setup_arguments: dict[str, Any]) -> None:
    recipe = conda_requirements()
    python = recipe.pop("python")
    assert set(python.split(",")) == set(setup_arguments["python_requires"].split(","))
    wanted = {}
    for line in setup_arguments["install_requires"]:
        requirement = Requirement(line)
        name = requirement.name.lower()
        wanted[CONDA_NAMES.get(name, name)] = {str(one) for one in requirement.specifier}
    assert set(recipe) == set(wanted)
    for name, ranges in wanted.items():
        assert ranges <= set(recipe[name].split(",")), name


def test_the_conda_recipe_starts_the_same_command(setup_arguments: dict[str, Any]) -> None:
    text = (ROOT / "packaging" / "conda" / "meta.yaml").read_text(encoding="utf-8")
    (command,) = setup_arguments["entry_points"]["console_scripts"]
    assert f"- {command.replace('=', ' = ') if ' = ' not in command else command}" in text


def test_the_docker_image_runs_the_headless_commands_as_nobody_in_particular() -> None:
    lines = (ROOT / "packaging" / "Dockerfile").read_text(encoding="utf-8").splitlines()
    said = [line.split()[0] for line in lines if line and not line.startswith((" ", "#"))]
    assert said[0] == "FROM"
    assert said[-2:] == ["ENTRYPOINT", "CMD"]
    users = [line for line in lines if line.startswith("USER ")]
    assert users[-1].split()[1] not in ("root", "0")
    text = "\n".join(lines)
    assert "-c constraints.txt" in text
    assert 'ENTRYPOINT ["ncpgui"]' in text
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    for name in ("ncpgui", "resources", "trained_models", "setup.py", "pyproject.toml", "constraints.txt"):
        assert f"!{name}" in ignored  # all else stays out of the image


def test_what_goes_into_the_image_is_enough_to_install_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines():
        if line.startswith("!"):
            place = tmp_path / line[1:]
            place.parent.mkdir(parents=True, exist_ok=True)
            place.symlink_to(ROOT / line[1:])
    given: dict[str, Any] = {}
    monkeypatch.setattr(setuptools, "setup", given.update)
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(tmp_path / "setup.py"), run_name="__main__")
    assert "ncpgui.engine" in given["packages"]
    for folder in given["package_dir"].values():
        assert (tmp_path / folder).is_dir()


def test_the_libraries_of_the_image_are_those_that_set_up_installs() -> None:
    docker = (ROOT / "packaging" / "Dockerfile").read_text(encoding="utf-8")
    block = re.search(r"--no-install-recommends ([\w\s.\\-]+?)&&", docker)
    assert block is not None
    known = (ROOT / "scripts" / "system_packages.sh").read_text(encoding="utf-8")
    for package in block[1].replace("\\", " ").split():
        assert package in known, package


def test_the_desktop_entry_opens_a_file_with_the_application() -> None:
    parser = configparser.ConfigParser(interpolation=None)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read(ROOT / "packaging" / "ncpgui.desktop", encoding="utf-8")
    entry = dict(parser["Desktop Entry"])
    assert entry["Type"] == "Application"
    assert entry["Exec"] == "ncpgui gui %f"
    assert entry["Terminal"] == "false"
    assert (ROOT / "resources" / "icons" / f"{entry['Icon']}.svg").is_file()


def test_the_icon_of_the_desktop_is_the_one_of_the_window(qapp: object) -> None:
    """The window paints its own, so that it needs no file; the two look the same."""
    import numpy as np
    from PyQt5 import QtGui

    from ncpgui.gui.theme import icon_pixmap

    def pixels(image: QtGui.QImage) -> np.ndarray:
        image = image.convertToFormat(QtGui.QImage.Format_RGBA8888)
        memory = image.constBits().asarray(image.sizeInBytes())
        return np.array(memory, dtype=np.uint8).reshape(image.height(), image.width(), 4).astype(float)

    drawn = QtGui.QImage(str(ROOT / "resources" / "icons" / "ncpgui.svg"))
    assert (drawn.width(), drawn.height()) == (256, 256)
    apart = np.abs(pixels(drawn) - pixels(icon_pixmap(256).toImage()))
    assert apart.mean() < 1.0  # of 255; edges are smoothed in two ways


def test_a_wheel_with_what_does_not_belong_there_is_named() -> None:
    make_dist = script("make_dist")
    right = list(make_dist.NEEDED_IN_WHEEL)
    assert make_dist.problems_of_wheel(right) == []
    assert make_dist.problems_of_wheel([*right, "tests/test_sort.py"]) == [
        "does not belong into a wheel: tests/test_sort.py"
    ]
    assert make_dist.problems_of_wheel([*right, "ncpgui/trained_models/spikes.resume.pt"]) == [
        "does not belong into a wheel: ncpgui/trained_models/spikes.resume.pt"
    ]
    assert make_dist.problems_of_wheel(right[1:]) == [f"is missing: {right[0]}"]


def test_an_sdist_without_its_tests_or_with_a_virtual_environment_is_named() -> None:
    make_dist = script("make_dist")
    right = [f"ncpgui-1.0/{name}" for name in make_dist.NEEDED_IN_SDIST]
    assert make_dist.problems_of_sdist(right) == []
    strange = [*right, "ncpgui-1.0/.venv/pyvenv.cfg"]
    assert make_dist.problems_of_sdist(strange) == ["does not belong into an sdist: .venv/pyvenv.cfg"]
    without = [name for name in right if not name.endswith("tests/conftest.py")]
    assert make_dist.problems_of_sdist(without) == ["is missing: tests/conftest.py"]
