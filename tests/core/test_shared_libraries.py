"""Shared libraries of a package are loaded without its Python code, and so without Python's lock."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from ncpgui.core.shared_libraries import load_libraries_of

LOADS = """
import sys
from ncpgui.core.shared_libraries import load_libraries_of
print(load_libraries_of("torch"), "torch" in sys.modules, "libtorch_cpu" in open("/proc/self/maps").read())
import torch
print(int(torch.ones(3).sum()))
"""


@pytest.mark.skipif(not Path("/proc/self/maps").is_file(), reason="tells what is loaded on Linux only")
def test_the_libraries_of_torch_are_there_before_torch_is_imported() -> None:
    done = subprocess.run([sys.executable, "-c", LOADS], check=True, capture_output=True, text=True)
    assert done.stdout.split() == ["True", "False", "True", "3"]


@pytest.mark.parametrize("package", ["no_such_package", "json", "sys"])
def test_a_package_that_has_none_or_is_not_there_is_left_alone(package: str) -> None:
    assert not load_libraries_of(package)
