"""t-SNE keeps clusters apart, is reproducible, and works for any number of points."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from ncpgui.analysis.embedding import tsne
from ncpgui.core.errors import InputError
from ncpgui.core.progress import Cancelled


def two_clusters(n: int) -> tuple[np.ndarray, np.ndarray]:
    label = np.arange(n) % 2
    points = np.random.default_rng(0).normal(size=(n, 10)).astype(np.float32) + 12 * label[:, None]
    return points, label


def test_clusters_stay_together_and_apart():
    points, label = two_clusters(120)
    plane = tsne(points)
    assert plane.shape == (120, 2)
    assert plane.dtype == np.float32
    gap = np.linalg.norm(plane[:, None] - plane[None], axis=2)
    np.fill_diagonal(gap, np.inf)
    assert (label[gap.argmin(axis=1)] == label).all()


def test_the_same_seed_gives_the_same_map():
    points, _ = two_clusters(60)
    assert np.array_equal(tsne(points, seed=3), tsne(points, seed=3))


@pytest.mark.parametrize("n", [0, 1, 2, 3, 7, 8, 9, 20])
def test_any_number_of_points_works(n):
    plane = tsne(np.random.default_rng(n).normal(size=(n, 5)))
    assert plane.shape == (n, 2)
    assert np.isfinite(plane).all()


def test_two_points_are_apart_and_identical_points_together():
    plane = tsne(np.array([[0.0, 0.0], [1.0, 1.0]]))
    assert np.linalg.norm(plane[0] - plane[1]) == pytest.approx(np.sqrt(2))
    assert not tsne(np.ones((50, 4))).any()


def test_one_feature_is_enough():
    assert tsne(np.arange(5.0)[:, None]).shape == (5, 2)


def test_a_stage_is_the_longest_wait_for_a_cancel():
    seen = []

    def stop_after_the_first(done: int, total: int, message: str = "") -> None:
        seen.append((done, total))
        if done == 1:
            raise Cancelled

    with pytest.raises(Cancelled):
        tsne(two_clusters(30)[0], progress=stop_after_the_first)
    assert seen == [(0, 2), (1, 2)]


def test_bad_features_are_refused():
    with pytest.raises(InputError, match="at most 2000 points, got 2001"):
        tsne(np.zeros((2001, 2)))
    with pytest.raises(InputError, match="features of point 1 are not finite"):
        tsne(np.array([[0.0, 1.0], [np.nan, 1.0]]))
    with pytest.raises(InputError, match=r"must be \(n, d\)"):
        tsne(np.zeros(5))


def test_a_machine_that_cannot_count_its_cores_is_no_reason_to_complain():
    script = (
        "import numpy as np; from ncpgui.analysis.embedding import tsne\n"
        "print(tsne(np.random.default_rng(0).normal(size=(40, 5))).shape)"
    )
    bare = {name: value for name, value in os.environ.items() if name not in ("OMP_NUM_THREADS", "PATH")}
    ran = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env=bare | {"PATH": ""}
    )
    assert (ran.stdout.strip(), ran.stderr) == ("(40, 2)", "")
