"""A script that starts processes without a guard would start itself again in each: that is said at once."""

from __future__ import annotations

import subprocess
import sys
import types
from pathlib import Path

import pytest

from ncpgui.sorting.main_guard import _line_of

WORK = """
import sys
from pathlib import Path
from ncpgui.core.errors import InputError
from ncpgui.sorting.executors import run_all
from ncpgui.sorting.process_workers import Processes

with Path(sys.argv[0] + ".imported").open("a") as log:
    log.write("once\\n")


def one(progress):
    return 1


def work():
    try:
        print(run_all([one], names=["one"], sizes=[1], workers=Processes(1), progress=lambda *_: None))
    except InputError as error:
        print("refused:", error)

"""


def ran(script: Path, *how: str) -> str:
    done = subprocess.run(
        [sys.executable, *how, str(script)], capture_output=True, text=True, timeout=100, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_processes_of_an_unguarded_script_are_refused_before_any_starts(tmp_path: Path) -> None:
    script = tmp_path / "unguarded.py"
    script.write_text(f"{WORK}\nwork()\n")
    said = ran(script)
    line = len(script.read_text().splitlines())
    assert said.startswith(
        f"refused: processes import the script that starts them, and line {line} of {script}"
    )
    assert 'put what the script does under if __name__ == "__main__":, or use threads' in said
    assert Path(f"{script}.imported").read_text() == "once\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    "guard",
    [
        'if __name__ == "__main__":',
        'if "__main__" == __name__ and True:',
        'if __name__ != "__main__":\n    pass\nelse:',
    ],
)
def test_processes_of_a_guarded_script_work(tmp_path: Path, guard: str) -> None:
    script = tmp_path / "guarded.py"
    script.write_text(f"{WORK}\n{guard}\n    work()\n")
    assert ran(script) == "[1]\n"


def test_the_line_is_that_of_the_script_and_not_of_a_function_in_it() -> None:
    script = types.ModuleType("script")
    script.__dict__["line_of"] = lambda: _line_of(script)
    exec(compile("def work():\n    return line_of()\nfound = work()\n", "script.py", "exec"), script.__dict__)
    assert script.__dict__["found"] == 3
    assert _line_of(types.ModuleType("another")) is None
