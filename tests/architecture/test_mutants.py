"""The script of random changes finds what no test would notice, and leaves the checkout as it is."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.loose_modules import ROOT, script

mutants = script("mutants")
FILE = Path("ncpgui/core/small.py")
SOURCE = '''"""Words < 3."""

from __future__ import annotations

LIMIT = 4


def held(values: list[int], é: int = 1) -> int:
    """Not 5 > 4."""
    if é < 0:
        raise ValueError(f"{é + 1} < 0")
    values.append(é)
    return max(values) - 1
'''


def changes(text: str) -> set[tuple[int, str, str]]:
    return {(one.line, one.old, one.new) for one in mutants.mutants_of(FILE, text)}


def test_every_small_change_of_what_runs_is_a_mutant_and_none_of_words_and_types() -> None:
    assert changes(SOURCE) == {
        (5, "4", "5"),
        (8, "1", "2"),
        (10, "<", "<="),
        (10, "0", "1"),
        (10, "é < 0", "False"),
        (12, "values.append(é)", "pass"),
        (13, "max", "min"),
        (13, "-", "+"),
        (13, "1", "2"),
    }


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        ("a = b not  in c", "not  in", "in"),
        ("a = b in inner", "in", "not in"),
        ("a = b is not None", "is not", "is"),
        ("a = (b\n     == c)", "==", "!="),
        ("a = b.max(axis=c)", "max", "min"),
        ("a = np.argmin(b)", "argmin", "argmax"),
        ("a = min_b.min", "min", "max"),
        ("a += b", "a += b", "pass"),
        ("a = (b)+(c)", "+", "-"),
    ],
)
def test_the_change_is_of_the_operator_and_of_nothing_beside_it(text: str, old: str, new: str) -> None:
    (mutant,) = mutants.mutants_of(FILE, text)
    assert (mutant.old, mutant.new) == (old, new)
    assert mutant.apply(text) == text.replace(old, new) if text.count(old) == 1 else True
    ast.parse(mutant.apply(text))


def test_text_is_not_subtracted_and_types_are_not_changed() -> None:
    assert changes('a = "b" + c\nd = f"{e}" + g\nh: tuple[0, 1]\nassert i < j\n') == set()


def test_all_mutants_of_the_program_are_programs() -> None:
    for file in sorted((ROOT / "ncpgui" / "core").glob("*.py")):
        text = file.read_text(encoding="utf-8")
        for mutant in mutants.mutants_of(file, text)[::7]:
            changed = mutant.apply(text)
            assert changed != text
            compile(changed, str(file), "exec")


def test_the_same_seed_draws_the_same_mutants() -> None:
    first = mutants.drawn(ROOT, ["core"], 12, 3)
    assert len(first) == 12
    assert first == mutants.drawn(ROOT, ["core"], 12, 3)
    assert first != mutants.drawn(ROOT, ["core"], 12, 4)
    assert {one.file for one in mutants.drawn(ROOT, ["core/clock"], 5, 0)} == {Path("ncpgui/core/clock.py")}
    with pytest.raises(SystemExit, match="no package or module 'gone'"):
        mutants.drawn(ROOT, ["gone"], 1, 0)


@pytest.fixture
def imports(tmp_path: Path) -> Path:
    """A program and its tests that do nothing but import each other."""
    imported = {
        "ncpgui/core/allocator.py": (),
        "ncpgui/ephys/phy_folder.py": ("core.allocator",),
        "ncpgui/cli/export.py": ("ephys.phy_folder",),
        "ncpgui/cli/main.py": ("cli.export",),
        "tests/core/test_allocator.py": ("core.allocator",),
        "tests/core/test_all.py": ("core.allocator",),
        "tests/app/test_heaps.py": ("core.allocator",),
        "tests/ephys/test_cluster_tables.py": ("ephys.phy_folder",),
        "tests/export/test_into_phy.py": ("ephys.phy_folder",),
        "tests/cli/test_main.py": ("cli.main",),
        "tests/endurance/test_kills.py": ("cli.main",),
    }
    for name, modules in imported.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("".join(f"import ncpgui.{module}\n" for module in modules))
    return tmp_path


@pytest.mark.parametrize(
    ("module", "mine"),
    [
        # that of its name first, others of its folder
        ("core/allocator", ["core/test_allocator", "core/test_all"]),
        ("ephys/phy_folder", ["ephys/test_cluster_tables"]),
        ("cli/export", ["cli/test_main"]),  # no test imports it, but what imports it
        ("core/nothing_such", []),
    ],
)
def test_a_module_is_mirrored_by_the_tests_of_its_name_and_those_of_its_folder_that_import_it(
    imports: Path, module: str, mine: list[str]
) -> None:
    found, _ = mutants.witnesses(imports, Path(f"ncpgui/{module}.py"))
    assert found == [Path(f"tests/{name}.py") for name in mine]


def test_other_tests_that_reach_a_module_come_by_how_near_they_are(imports: Path) -> None:
    _, others = mutants.witnesses(imports, Path("ncpgui/core/allocator.py"))
    assert [file.stem for file in others] == [
        "test_heaps", "test_cluster_tables", "test_into_phy", "test_main", "test_kills",
    ]  # fmt: skip
    _, others = mutants.witnesses(imports, Path("ncpgui/cli/export.py"))
    assert others == [Path("tests/endurance/test_kills.py")]


def test_imports_of_the_program_itself_are_followed() -> None:
    assert "ncpgui.cli.export" in mutants._said(ROOT / "ncpgui" / "cli" / "main.py")


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program of three functions, one of which is tested at its edge."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # a third of the time
    root = tmp_path / "checkout"
    for folder in ("ncpgui/core", "ncpgui/app", "tests/core", "tests/app", "resources", ".git"):
        (root / folder).mkdir(parents=True)
    for folder in ("ncpgui", "ncpgui/core", "ncpgui/app"):
        (root / folder / "__init__.py").write_text("")
    (root / "ncpgui/core/edges.py").write_text(
        "def full(n, most):\n    return n >= most\n\n\ndef loose(n, most):\n    return n > most\n"
    )
    (root / "ncpgui/core/alone.py").write_text("def one(a, b):\n    return a + b\n")
    (root / "pytest.ini").write_text("[pytest]\npythonpath = .\n")
    (root / "tests/core/test_edges.py").write_text(
        "from ncpgui.core.edges import full, loose\n\n\n"
        "def test_edges():\n    assert full(2, 2) and loose(3, 2) and not loose(1, 2)\n"
    )
    return root


def test_tests_find_hidden_folders_in_the_copy_and_what_tools_write_stays_away(tmp_path: Path) -> None:
    root = tmp_path / "checkout"
    hidden = (".github/workflows", ".ci", ".git", ".venv/bin", ".pytest_cache", ".hypothesis")
    for folder in ("ncpgui/__pycache__", "tests", "docs", "build", *hidden):
        (root / folder).mkdir(parents=True)
    copy = mutants.copied(root, tmp_path / "copy")
    assert sorted(item.name for item in copy.iterdir()) == [".ci", ".github", "docs", "ncpgui", "tests"]
    assert (copy / ".github" / "workflows").is_dir()
    assert not (copy / "ncpgui").is_symlink()
    assert list((copy / "ncpgui").iterdir()) == []


def test_a_change_at_a_tested_edge_is_caught_and_one_that_nobody_tests_is_named(
    checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = {file: file.read_bytes() for file in checkout.rglob("*.py")}
    assert mutants.main(["--package", "core", "--n", "9", "--least", "0.9"], root=checkout) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line.rpartition("  (")[0] for line in lines[:-1]] == [
        "no tests  ncpgui/core/alone.py:2  + -> -",
        "caught    ncpgui/core/edges.py:2  >= -> >",
        "survived  ncpgui/core/edges.py:6  > -> >=",
    ]
    assert lines[-1] == "1 of 3 caught (seed 0: core)"
    assert {file: file.read_bytes() for file in checkout.rglob("*.py")} == before


def test_a_test_that_fails_as_it_is_notices_nothing(
    checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (checkout / "tests/core/test_edges.py").write_text(
        "from ncpgui.core.edges import full\n\n\ndef test_edges():\n    assert not full(2, 2)\n"
    )
    assert mutants.main(["--package", "core/edges", "--n", "1", "--least", "0.9"], root=checkout) == 1
    said = capsys.readouterr().out.splitlines()
    assert said[0] == "fails as it is: tests/core/test_edges.py"
    assert said[1].startswith("survived  ncpgui/core/edges.py:")


def test_a_slow_test_file_that_fails_on_a_mutant_has_time_to_pass_on_the_program_as_it_is(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What got stuck must pass in half of the time; a failure is told from a slow file by its end."""
    test = Path("tests/core/test_edges.py")
    asked: list[float] = []
    for first, limits in (((test, True), [40.0]), ((None, False), [5.0])):
        answers = iter([first, (None, True)])

        def run(
            root: Path, tests: object, limit_s: float, left: object = answers
        ) -> tuple[Path | None, bool]:
            asked.append(limit_s)
            return next(left)  # type: ignore[call-overload, no-any-return]

        monkeypatch.setattr(mutants, "failing", run)
        asked.clear()
        trial = mutants.Trial(mutants.copied(checkout, checkout.parent / f"copy {limits}"), 10.0)
        (mutant, *_) = mutants.drawn(trial.root, ["core/edges"], 1, 0)
        assert trial.outcome(mutant) == mutants.CAUGHT
        assert asked[1:] == limits
        assert asked[0] <= 10


def test_what_the_tests_of_a_module_miss_is_caught_by_those_of_what_imports_it(
    checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (checkout / "ncpgui/app/shown.py").write_text("from ncpgui.core.edges import loose\n")
    (checkout / "tests/app/test_shown.py").write_text(
        "from ncpgui.app.shown import loose\n\n\ndef test_shown():\n    assert not loose(2, 2)\n"
    )
    assert mutants.main(["--package", "core/edges", "--n", "9"], root=checkout) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "2 of 2 caught (seed 0: core/edges)"


@pytest.mark.parametrize(
    "imported",
    [
        "import numba",
        "from ncpgui.core.loops import compiled",
        "from ncpgui.engine.compiled.options import Array, compiled_on_views",
    ],
)
def test_what_is_compiled_is_compiled_anew_with_a_change_and_after_it(checkout: Path, imported: str) -> None:
    """The callers of a compiled module lie in other files, whose caches know nothing of the change."""
    (checkout / "ncpgui/core/fast.py").write_text(f"{imported}\n\nLIMIT = 4\n")
    trial = mutants.Trial(mutants.copied(checkout, checkout.parent / "compiled"), 10.0)
    kept = trial.root / "ncpgui" / "core" / "caller.nbi"
    for name, stays in (("ncpgui/core/fast.py", False), ("ncpgui/core/edges.py", True)):
        mutant = mutants.mutants_of(Path(name), (trial.root / name).read_text())[0]
        kept.touch()
        with trial._changed(mutant):
            assert kept.exists() == stays
            kept.touch()
        assert kept.exists() == stays
