"""Templates of people's own recordings: what is written, what is said of it, and what is refused."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from ncpgui.core.errors import InputError
from ncpgui.engine.generative import measured_cells
from ncpgui.ephys.measured_templates import MeasuredTemplate, MeasuredTemplates
from ncpgui.sorting import own_templates
from ncpgui.sorting.own_templates import BuiltTemplates, _contacts, build_templates


class Cells:
    """Cells of a reservoir; writes how often each counts."""

    def __init__(self, is_test: list[bool]) -> None:
        self.is_test = torch.tensor(is_test)

    def __len__(self) -> int:
        return len(self.is_test)

    def save(self, path: Path, *, copies: np.ndarray) -> None:
        path.write_text(" ".join(map(str, copies)))


class Noise:
    def __init__(self, name: str) -> None:
        self.name = name

    @classmethod
    def average(cls, parts: list[Noise]) -> Noise:
        return cls("+".join(one.name for one in parts))

    def save(self, path: Path) -> None:
        path.write_text(self.name)


def template(*troughs: float) -> MeasuredTemplate:
    waveform = np.zeros((64, len(troughs)))
    waveform[22] = -np.array(troughs)
    n = len(troughs)
    return MeasuredTemplate(0, 100, np.arange(n), np.zeros((n, 2)), waveform, 0.1)


def built(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    *recordings: tuple[list[MeasuredTemplate], float],
    share: float = 0.5,
    shipped: list[bool] | None = None,
    left_out: dict[str, int] | None = None,
) -> BuiltTemplates:
    """Recordings as (templates, pitch); cells of which the first is for test, each that is shipped once."""

    @contextmanager
    def preprocess(recording: Any, progress: Any) -> Iterator[Any]:
        yield recording

    def with_shipped(cells: Cells, share: float) -> tuple[Cells, np.ndarray]:
        others = shipped or []
        together = Cells(cells.is_test.tolist() + others)
        return together, np.repeat([3, 1], [len(cells), len(others)])

    def reservoir_of(given: list[Any], *, keep_test: bool, **_: Any) -> tuple[Cells, list[float]]:
        assert keep_test == (len(given) > 1)
        return Cells([keep_test] + [False] * (len(given) - 1)), [0.1 * (k + 1) for k in range(len(given))]

    monkeypatch.setattr(own_templates, "preprocess", preprocess)
    monkeypatch.setattr(
        own_templates,
        "measure_templates",
        lambda pre, *_, **__: MeasuredTemplates(tuple(pre.templates), Counter(left_out or {})),
    )
    monkeypatch.setattr(own_templates, "measure_noise", lambda pre, *_, **__: Noise(f"{pre.probe.pitch_um}"))
    monkeypatch.setattr(own_templates, "MeasuredNoise", Noise)
    monkeypatch.setattr(measured_cells, "reservoir_of", reservoir_of)
    monkeypatch.setattr(measured_cells, "with_shipped_cells", with_shipped)
    given: Any = [
        (SimpleNamespace(templates=found, probe=SimpleNamespace(pitch_um=pitch)), None)
        for found, pitch in recordings
    ]
    return build_templates(given, reservoir=folder / "cells", noise=folder / "noise", share=share)


SEEN_BY_TWO = template(10, 2, 1.9)


def test_both_files_are_written_and_what_is_in_them_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three cells for training count 3 times, five that are shipped once: 9 of 14. One more is for test."""
    recordings = ([SEEN_BY_TWO] * 3, 20.0), ([], 30.0), ([SEEN_BY_TWO], 50.0)
    shipped = [False, True, False, False, False, False]
    found = built(tmp_path, monkeypatch, *recordings, shipped=shipped, left_out={"labelled mua": 2})
    assert (tmp_path / "cells").read_text() == "3 3 3 3 1 1 1 1 1 1"
    assert (tmp_path / "noise").read_text() == "20.0+50.0"  # nothing is measured without a template
    assert (found.n_cells, found.n_test, found.n_shipped) == (4, 1, 6)
    assert found.share == pytest.approx(9 / 14)
    assert found.error == pytest.approx((0.25, 0.4))
    assert (found.contacts, found.pitch_um) == (2, 30)
    assert found.left_out == {"labelled mua": 6}


def test_a_contact_sees_a_unit_where_the_trough_is_a_fifth_of_the_largest() -> None:
    assert _contacts(template(10, 2, 1.9)) == 2
    assert _contacts(template(10, 10, 10)) == 3


def test_without_a_template_the_units_that_are_none_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(InputError, match=r"no unit is good for a template \(3 labelled mua\); give a longer"):
        built(tmp_path, monkeypatch, ([], 20.0), left_out={"labelled mua": 3})
    with pytest.raises(InputError, match=r"\(there are none\)"):
        built(tmp_path, monkeypatch, ([], 20.0))


def test_one_cell_alone_is_refused_and_beside_shipped_ones_it_is_enough(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(InputError, match=r"at least two cells.* leave --share below 1"):
        built(tmp_path, monkeypatch, ([SEEN_BY_TWO], 20.0), share=1.0)
    assert list(tmp_path.iterdir()) == []
    assert built(tmp_path, monkeypatch, ([SEEN_BY_TWO], 20.0), share=0.99).n_test == 0
    assert built(tmp_path, monkeypatch, ([SEEN_BY_TWO] * 2, 20.0), share=1.0).n_test == 1


@pytest.mark.parametrize(
    ("troughs", "pitch_um", "is_said"),
    [((10, 1), 60.0, True), ((10, 2), 60.0, False), ((10, 1), 0.0, False), ((10, 1), float("inf"), False)],
)
def test_a_probe_too_wide_to_say_how_spikes_fall_off_is_warned_of(
    troughs: tuple[float, ...],
    pitch_um: float,
    is_said: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.WARNING):
        built(tmp_path, monkeypatch, ([template(*troughs)] * 2, pitch_um))
    assert ("most units are seen by one contact only" in caplog.text) is is_said
    assert ("contacts 60 µm apart do not tell" in caplog.text) is is_said
