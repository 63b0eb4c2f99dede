"""``ncpgui sort`` and ``info`` tell which units matching had and the sorting is without."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ncpgui.core.left_out import LeftOut
from ncpgui.session import store
from ncpgui.sorting import pipeline
from ncpgui.sorting.found_units import FoundUnits, found_units

from .conftest import Command


def test_what_matching_left_out_is_told_and_kept_in_the_session(
    ncpgui: Command, tetrode_folder: Path, few_settings: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left_out = LeftOut(faint=3, like_noise=1, like_noise_spikes=20)

    def found(*arguments: Any, **options: Any) -> FoundUnits:
        return replace(found_units(*arguments, **options), left_out=left_out)

    monkeypatch.setattr(pipeline, "found_units", found)
    out = tmp_path / "s.h5"
    ran = ncpgui("sort", tetrode_folder, "--out", out, "--settings", few_settings)
    assert ran.code == 0, ran.err
    notes = [line for line in ran.err.splitlines() if "left out" in line]
    assert notes == [f"note: {sentence}" for sentence in left_out.sentences]
    assert json.loads(ncpgui("info", out, "--json").out)["left_out"] == left_out.told()


def test_info_tells_one_reason_a_line_and_nothing_where_nothing_is_known(
    ncpgui: Command, tetrode_session: Path, tmp_path: Path
) -> None:
    project = store.load(tetrode_session)
    for name, one in {"told": LeftOut(faint=3, rare=2, rare_spikes=9), "none": None}.items():
        store.save(replace(project, left_out=one), tmp_path / f"{name}.h5")
    lines = ncpgui("info", tmp_path / "told.h5").out.splitlines()
    first = lines.index(
        "left out:  3 units left out as noise: the template does not stand out of the noise of its own filter"
    )
    assert lines[first + 1].startswith("           2 units left out, with 9 spikes: less than 0.1 spikes")
    assert "left out" not in ncpgui("info", tmp_path / "none.h5").out
    assert json.loads(ncpgui("info", tmp_path / "none.h5", "--json").out)["left_out"] is None
