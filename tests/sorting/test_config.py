"""Settings refuse numbers that make no sense and adapt to the pitch of the probe."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ncpgui.core.config import from_dict, read_toml, to_dict
from ncpgui.core.errors import InputError
from ncpgui.core.probe import Probe
from ncpgui.sorting.config import SortingConfig, detection_radius_um, neighbour_radius_um


def _hexagonal(pitch_um: float) -> Probe:
    grid = [((i + (j % 2) / 2) * pitch_um, j * pitch_um * np.sqrt(3) / 2) for j in range(5) for i in range(5)]
    return Probe(np.array(grid))


@pytest.mark.parametrize("pitch_um", [30.0, 60.0])
def test_a_hexagonal_array_has_seven_neighbours_inside_and_no_second_ring_at_the_edge(
    pitch_um: float,
) -> None:
    probe = _hexagonal(pitch_um)
    radius = neighbour_radius_um(SortingConfig(), probe)
    assert len(probe.neighbours(12, radius_um=radius)) == 7
    assert len(probe.neighbours(0, radius_um=radius)) == 3


def test_a_tetrode_has_four_neighbours() -> None:
    probe = Probe(np.array([[0.0, 0.0], [50.0, 0.0], [0.0, 50.0], [50.0, 50.0]]))
    radius = neighbour_radius_um(SortingConfig(), probe)
    assert [len(probe.neighbours(c, radius_um=radius)) for c in range(4)] == [4, 4, 4, 4]


def test_the_detection_radius_follows_the_pitch_between_50_and_100_um() -> None:
    radii = [detection_radius_um(SortingConfig(), _hexagonal(pitch)) for pitch in (20.0, 50.0, 200.0)]
    assert radii == pytest.approx([50.0, 80.0, 100.0])
    assert detection_radius_um(SortingConfig(detection_radius_um=30.0), _hexagonal(50.0)) == 30.0


def test_settings_survive_being_written_down() -> None:
    config = SortingConfig(seed=4, threshold_sd=6.0, neighbour_radius_um=90.0)
    assert from_dict(SortingConfig, to_dict(config)) == config


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("threshold_sd", 0.0, "threshold_sd must be positive, got 0.0"),
        ("spikes_per_group", 0, "spikes_per_group must be positive, got 0"),
        ("detection_radius_um", -1.0, "leave it out for 1.6 pitches"),
        ("reference", "mean", "reference must be one of 'median', 'none', got 'mean'"),
    ],
)
def test_numbers_out_of_range_are_refused(name: str, value: float, message: str) -> None:
    with pytest.raises(InputError, match=message):
        SortingConfig(**{name: value})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([4], r"settings must be a table of names and values, got \[4\]"),
        ({"detection_radius_um": "wide"}, "settings.detection_radius_um must be of type float, got 'wide'"),
        ({"model": 3}, "settings.model must be of type str, got 3"),
        ({"threshold_sd": 10**400}, "settings.threshold_sd is too large a number: it has 1329 bits"),
    ],
)
def test_values_of_another_kind_are_refused_by_name(values: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        from_dict(SortingConfig, values)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("seed = " + "[" * 5000, "it is nested too deeply"),
        ("seed = " + "1" * 5000, "Exceeds the limit"),
        ("seed = ", "Invalid value"),
    ],
)
def test_settings_that_no_parser_takes_are_refused_with_their_file(
    tmp_path: Path, text: str, reason: str
) -> None:
    (tmp_path / "s.toml").write_text(text)
    with pytest.raises(InputError, match=f"s.toml cannot be read as TOML: .*{reason}"):
        read_toml(tmp_path / "s.toml")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_settings_are_read_in_the_encodings_of_editors(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "s.toml").write_bytes("# Größe\r\nseed = 3\r\n".encode(encoding))
    assert read_toml(tmp_path / "s.toml") == {"seed": 3}


@pytest.mark.parametrize("name", ["posterior_samples", "beam"])
def test_more_draws_than_any_machine_holds_are_refused_at_once(name: str) -> None:
    with pytest.raises(InputError, match=rf"{name} must be finite and at most 1e\+06, got 1e\+20"):
        from_dict(SortingConfig, {name: 10**20})
