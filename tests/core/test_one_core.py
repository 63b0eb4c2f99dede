"""Matrix products keep to one core while spikes are sorted, and are as before afterwards."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
import scipy.linalg
from threadpoolctl import threadpool_info, threadpool_limits

from ncpgui.core.one_core import on_one_core
from ncpgui.sorting.component_posterior import sample_components
from ncpgui.sorting.pipeline import find_units
from ncpgui.sorting.review import given_units


def blas_threads() -> set[int]:
    scipy.linalg.svdvals(np.eye(2))  # of SciPy's own library, too
    return {one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"}


def test_products_keep_to_one_core_during_the_work_and_not_after_it() -> None:
    with threadpool_limits(2, user_api="blas"):
        assert on_one_core(blas_threads)() == {1}
        assert blas_threads() == {2}


def test_work_that_fails_leaves_the_cores_as_they_were() -> None:
    def failing() -> None:
        raise ValueError("no")

    with threadpool_limits(2, user_api="blas"):
        with pytest.raises(ValueError, match="no"):
            on_one_core(failing)()
        assert blas_threads() == {2}


def test_a_library_that_was_loaded_since_the_last_work_keeps_to_one_core_too() -> None:
    program = (
        "import importlib\n"
        "from ncpgui.core.one_core import on_one_core\n"
        "from threadpoolctl import threadpool_info\n"
        "asked = on_one_core(lambda: [one['num_threads'] for one in threadpool_info()])\n"
        "print(asked())\n"
        "importlib.import_module('numpy.linalg')\n"
        "print(sorted(set(asked())))\n"
    )
    told = {**os.environ, "OPENBLAS_NUM_THREADS": "2"}
    done = subprocess.run(
        [sys.executable, "-c", program], env=told, capture_output=True, text=True, check=True
    )
    assert done.stdout.split("\n")[:2] == ["[]", "[1]"]


@pytest.mark.parametrize("work", [find_units, given_units, sample_components])
def test_the_long_steps_of_a_sort_and_of_a_review_are_such_work(work, monkeypatch) -> None:
    seen: list[set[int]] = []

    class Reached(Exception):
        pass

    class Noticing:
        """Stands for whatever is asked for first."""

        def __getattr__(self, name: str) -> object:
            seen.append(blas_threads())
            raise Reached

    arguments = [Noticing() for _ in range(3 if work is given_units else 2)]
    with threadpool_limits(2, user_api="blas"), pytest.raises(Reached):
        work(*arguments)
    assert seen == [{1}]


def test_the_program_keeps_products_to_one_core_unless_told_otherwise() -> None:
    asked = (
        "import sys, numpy\n"
        "from threadpoolctl import threadpool_info\n"
        "print({one['num_threads'] for one in threadpool_info() if one['user_api'] == 'blas'})\n"
    )
    program = (
        "import os, sys\n"
        "os.environ.pop('OPENBLAS_NUM_THREADS', None); os.environ.pop('OMP_NUM_THREADS', None)\n"
        "import ncpgui.__main__ as program\n"
        "import types\n"
        f"def run():\n    exec({asked!r})\n    return 0\n"
        "sys.modules['ncpgui.cli.main'] = types.SimpleNamespace(run=run)\n"
        "program.main()\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "{1}"
