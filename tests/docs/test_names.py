"""No message, help text or document names a command or an extra that is not there."""

from __future__ import annotations

import ast
import re
from functools import cache

import pytest

from ncpgui.cli.main import cli
from tests.docs.printed import DOCUMENTS, ROOT, messages

SOURCES = [
    *sorted((ROOT / "ncpgui").rglob("*.py")),
    *sorted((ROOT / "scripts").glob("*.py")),
    *sorted((ROOT / "benchmarks").rglob("*.py")),
    ROOT / "setup.py",
]
PROSE = {
    "did",
    "needs",
    "again",
    "that",
    "is",
    "can",
    "does",
    "reads",
    "keeps",
    "a",
    "shows",
    "session",
    "cannot",
    "writes",
    "downloads",
    "depends",
    "trusts",
    "where",
    "was",
    "crash",
    "opens",
}
"""Words that follow "ncpgui" in sentences about the program."""
CALL = re.compile(r"(?<![\w/.-])ncpgui ([a-z]+(?:-[a-z]+)*)(?: ([a-z]+))?")
EXTRAS = re.compile(r"(?:ncpgui|(?<![\w\])])\.)\[([a-z]+)\]")


def extras() -> set[str]:
    """Extras that setup.py states."""
    tree = ast.parse((ROOT / "setup.py").read_text(encoding="utf-8"))
    (stated,) = (k.value for k in ast.walk(tree) if isinstance(k, ast.keyword) and k.arg == "extras_require")
    assert isinstance(stated, ast.Dict)
    return {key.value for key in stated.keys if isinstance(key, ast.Constant)}


@cache
def texts() -> dict[str, list[str]]:
    """Everything that people read of the program, by file."""
    found = {path.relative_to(ROOT).as_posix(): messages(path) for path in SOURCES}
    found |= {name: [path.read_text(encoding="utf-8")] for name, path in DOCUMENTS.items()}
    return found | {"set_up.sh": [(ROOT / "scripts" / "set_up.sh").read_text(encoding="utf-8")]}


def test_every_command_that_is_named_is_one() -> None:
    absent = []
    for name, found in texts().items():
        for text in found if name.startswith("ncpgui") else ():
            for command, after in CALL.findall(text):
                group = getattr(cli.commands.get(command), "commands", None)
                if command not in cli.commands and command not in PROSE:
                    absent.append(f"{name}: ncpgui {command}")
                elif group is not None and after and after not in group:
                    absent.append(f"{name}: ncpgui {command} {after}")
    assert absent == []


@pytest.mark.parametrize("quote", ["'", "`", "``"])
def test_between_quotes_there_is_always_a_command(quote: str) -> None:
    called = re.compile(rf"(?<!{quote}){quote}ncpgui ([a-z]+(?:-[a-z]+)*)\b")
    named = {word for found in texts().values() for text in found for word in called.findall(text)}
    assert len(named) > 2
    assert named - set(cli.commands) == set()


def test_every_extra_that_is_named_is_in_setup_py() -> None:
    named = {extra for found in texts().values() for text in found for extra in EXTRAS.findall(text)}
    assert {"test", "dev"} <= named
    assert named - extras() == set()


def test_every_extra_in_setup_py_is_named_where_people_install() -> None:
    """Start lists them for people, scripts/set_up.sh takes those of make."""
    places = (ROOT / "docs" / "start.md", ROOT / "scripts" / "set_up.sh")
    named = {extra for path in places for extra in EXTRAS.findall(path.read_text(encoding="utf-8"))}
    assert extras() - named == set()


def test_no_message_installs_ncpgui_from_an_index_that_does_not_have_it() -> None:
    wrong = [
        f"{name}: {line}"
        for name, found in texts().items()
        for text in found
        for line in re.findall(r"pip install[^`\n]*?['\" ]ncpgui\b[^`\n]*", text)
    ]
    assert wrong == []


def test_every_package_of_an_optional_extra_is_imported_somewhere() -> None:
    modules = {
        "tensorboard": "torch.utils.tensorboard",
        "matplotlib": "matplotlib",
        "mountainsort5": "isosplit6",  # which it brings
        "NEURON": "neuron",
        "distributed": "distributed",
        "pynwb": "pynwb",
        "spikeinterface-gui": "spikeinterface_gui",
        "skops": "skops",
    }
    text = (ROOT / "setup.py").read_text(encoding="utf-8").partition("extras_require")[2]
    lines = [line for line in text.splitlines() if re.match(r'\s+"(?!test|dev)\w+": \[', line)]
    packages = {p for line in lines for p in re.findall(r'"([A-Za-z0-9-]+)[>=]', line.partition("#")[0])}
    assert packages <= set(modules)
    code = "\n".join(path.read_text(encoding="utf-8") for path in SOURCES)
    unused = [p for p in packages if not re.search(rf"\b(?:import|from) {modules[p]}\b", code)]
    assert unused == []
