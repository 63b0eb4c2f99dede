"""Every block that README and the documents print does what they say; every command they name is there."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from ncpgui.app.actions import ACTIONS
from ncpgui.ephys.formats import FORMATS
from ncpgui.session.session_file import create_session, open_session
from tests.docs.printed import ALL_BLOCKS, DOCUMENTS, LANGUAGES, ROOT, blocks, inline
from tests.docs.small_runs import Reader
from tests.docs.stated import check_make, check_ncpgui, check_pip, options
from tests.tiny_project import tiny_project

QUICK = {
    "benchmarks/README.md",
    "docs/concepts/findings.md",
    "docs/guide/cluster.md",
    "docs/guide/palette.md",
    "docs/guide/train.md",
    "docs/method/diagnostics.md",
    "docs/method/evidence.md",
    "docs/method/sampling.md",
    "docs/project/architecture.md",
    "docs/project/site.md",
    "docs/project/component.md",
    "docs/project/decision.md",
    "docs/reference/errors.md",
    "docs/reference/session_file.md",
    "docs/reference/settings.md",
}
SLOW = {
    "README.md",
    "CONTRIBUTING.md",
    "docs/guide/spikeinterface.md",
    "docs/method/reservoir.md",
    "docs/method/training.md",
    "docs/start.md",
    "docs/tutorials/kilosort.md",
    "docs/tutorials/own_model.md",
    "docs/tutorials/recording.md",
}


@pytest.fixture
def reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Reader:
    return Reader(tmp_path, monkeypatch)


def test_no_block_is_forgotten() -> None:
    assert {block.document for block in ALL_BLOCKS} == QUICK | SLOW
    assert not QUICK & SLOW
    assert [block.name for block in ALL_BLOCKS if block.language not in LANGUAGES] == []
    assert [block.name for block in ALL_BLOCKS if block.language == "text" and "ncpgui " in block.text] == []


@pytest.mark.parametrize("document", sorted(QUICK))
def test_the_blocks_of_a_document_work(document: str, reader: Reader) -> None:
    for block in blocks(document):
        reader.read(block)


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("document", sorted(SLOW))
def test_the_blocks_of_a_document_work_one_after_the_other(document: str, reader: Reader) -> None:
    for block in blocks(document):
        reader.read(block)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_table_of_training_commands_works_from_top_to_bottom(reader: Reader) -> None:
    (printed,) = (block for block in blocks("docs/guide/train.md") if "# mine.toml" in block.text)
    reader.read(printed)
    printed_rows = r"^\| `([^`]*ncpgui train mine\.toml[^`]*)`"
    rows = re.findall(printed_rows, _text("docs/guide/train.md"), re.MULTILINE)
    assert len(rows) == 6
    ran = []
    for row in rows:
        words = shlex.split(row)
        if words[0] == "torchrun":  # tests/cli/test_train.py runs two processes
            check_ncpgui(row.partition("-m ")[2])
            continue
        if "--tensorboard" in words:
            try:
                import tensorboard  # noqa: F401
            except ImportError:
                check_ncpgui(row)
                continue
        if "--resume" in words and "--minutes" in words:
            done = json.loads(Path("runs/mine.json").read_text(encoding="utf-8"))["minutes"]
            words[words.index("--minutes") + 1] = f"{done + 0.2}"
        elif "--resume" in words:
            words += ["--steps", "4"]
        elif ran:
            words += ["--out", f"runs-{len(ran)}"]
        reader.type(words)
        ran.append(row)
    assert len(ran) >= 4
    assert (
        json.loads(Path("runs/mine.json").read_text(encoding="utf-8"))["training"]["start_from"] == "spikes"
    )


def _text(document: str) -> str:
    return DOCUMENTS[document].read_text(encoding="utf-8")


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_command_named_in_passing_is_there_with_its_options(document: str) -> None:
    for span in inline(document):
        if span.startswith("ncpgui "):
            check_ncpgui(span)
        elif span.startswith("make "):
            check_make(shlex.split(span)[1:])
        elif span.startswith("pip "):
            check_pip(shlex.split(span)[1:])
        elif module := re.match(r"python -m (benchmarks[\w.]+)", span):
            assert (ROOT / f"{module[1].replace('.', '/')}.py").is_file(), span
        elif script := re.match(r"python ([\w/]+\.py)", span):
            assert (ROOT / script[1]).is_file(), span


def test_every_option_named_in_passing_is_one() -> None:
    scripts = [p for folder in ("benchmarks", "scripts") for p in (ROOT / folder).rglob("*.py")]
    known = options() | {
        o for p in scripts for o in re.findall(r'"(--[a-z-]+)"', p.read_text(encoding="utf-8"))
    }
    others = {
        "--index-url",
        "--nproc_per_node",
        "--nproc-per-node",
        "--logdir",
        "--no-deps",
        "--disable-pip",
        "--short",
    }  # of pip, torchrun, tensorboard, pip-audit, scripts/soak.sh
    named = {
        (document, option)
        for document in DOCUMENTS
        for span in inline(document)
        for option in re.findall(r"(?<![\w-])--[a-z_-]+", span)
    }
    assert {(document, option) for document, option in named if option not in known | others} == set()


def test_the_formats_that_the_guide_names_have_a_reader() -> None:
    (row,) = (line for line in _text("docs/guide/open.md").splitlines() if line.startswith("| NWB `.nwb`"))
    named = set(re.findall(r"`(\.\w+)`", row))
    assert len(named) > 8
    assert named - {ending for known in FORMATS for ending in known.endings} == set()


def test_a_dialog_that_a_document_names_is_opened_by_an_action_of_that_name() -> None:
    titles = {action.name.rstrip("…") for action in ACTIONS}
    named = {name for document in DOCUMENTS for name in re.findall(r"dialog \*([^*]+)\*", _text(document))}
    assert named
    assert named - titles == set()


def test_the_first_line_of_a_journal_is_as_printed(tmp_path: Path) -> None:
    (printed,) = (block for block in blocks("docs/reference/session_file.md") if block.language == "json")
    path = tmp_path / "tiny.h5"
    create_session(tiny_project({0: [[0, 0, 1]]}), path).close()
    with open_session(path) as session:
        session.append({"do": "undo"})
        (first, *_) = (tmp_path / "tiny.h5.journal").read_text(encoding="ascii").splitlines()
    assert set(json.loads(first)) == set(json.loads(printed.text))
