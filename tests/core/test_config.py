"""Settings come from tables of names and values, or are refused by name, rule and value."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from ncpgui.core.config import check_numbers, from_dict, read_toml, to_dict
from ncpgui.core.errors import InputError


@dataclass(frozen=True)
class Inner:
    rate: float = 1.0


@dataclass(frozen=True)
class Settings:
    n_spikes: int = 3
    names: tuple[str, ...] = ()
    pair: tuple[int, int] = (0, 1)
    inner: Inner = Inner()
    either: int | str = 2
    maybe: Inner | None = None


def test_settings_are_the_same_after_a_dictionary() -> None:
    given = Settings(5, ("a", "b", "c"), (2, 4), Inner(2.5), "x", Inner(3.0))
    values = to_dict(given)
    assert values["pair"] == [2, 4]
    assert from_dict(Settings, values) == given
    assert from_dict(Settings, {}) == Settings()
    assert from_dict(Settings, {"maybe": None}).maybe is None


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"n_spike": 3}, r"^unknown key 'n_spike' in settings; did you mean 'n_spikes'\?"),
        (
            {"zzz": 3},
            "unknown key 'zzz' in settings; known keys: either, inner, maybe, n_spikes, names, pair$",
        ),
        ({"inner": {"rat": 1}}, "unknown key 'rat' in settings.inner"),
        ({"maybe": {"rate": "a"}}, "settings.maybe.rate must be of type float, got 'a'"),
        ({"inner": 3}, "settings.inner must be of type Inner, got 3"),
        ({"names": ["a", 3]}, r"settings.names\[1\] must be of type str, got 3"),
        ({"names": "ab"}, "settings.names must be a list, got 'ab'"),
        ({"pair": [1]}, r"settings.pair must be a list of 2 values, got \[1\]"),
        ({"pair": [1, 2, 3]}, "settings.pair must be a list of 2 values"),
        ({"inner": {"rate": 2**2000}}, "settings.inner.rate is too large a number: it has 2001 bits"),
        ([1], r"^settings must be a table of names and values, got \[1\]"),
    ],
)
def test_what_is_no_such_setting_is_named_with_its_place(values: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        from_dict(Settings, values)


def test_the_place_of_a_table_is_said() -> None:
    with pytest.raises(InputError, match=r"^run must be a table"):
        from_dict(Settings, 3, place="run")  # type: ignore[arg-type]


def test_toml_is_read_and_what_is_none_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "a.toml"
    with pytest.raises(InputError, match=r"a\.toml does not exist or is not a file; give a TOML file"):
        read_toml(file)
    file.write_text("a = 1\n[b]\nc = [2, 3]\n")
    assert read_toml(file) == {"a": 1, "b": {"c": [2, 3]}}
    for text in ("a = ", f"a = {'[' * 9000}"):
        file.write_text(text)
        with pytest.raises(InputError, match=r"a\.toml cannot be read as TOML: "):
            read_toml(file)


@dataclass(frozen=True)
class Numbers:
    p_merge: float = 0.5
    noise_part: float = 0.5
    reach_um: float = 100.0
    n: int = 0
    range_hz: tuple[float, float] = (300.0, 6000.0)
    on: bool = False
    name: str = "a"
    none: tuple[()] = ()
    words: tuple[str, ...] = ("a",)
    mixed: tuple[str, int] = ("a", 1)


@pytest.mark.parametrize(
    "good",
    [{}, {"p_merge": 0.0}, {"p_merge": 1}, {"noise_part": 1.0}, {"reach_um": 0}, {"range_hz": (5.0, 5.0)}],
)
def test_numbers_at_the_ends_of_their_range_are_taken(good: dict[str, Any]) -> None:
    check_numbers(Numbers(**good))


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        ({"p_merge": 1.01}, "'p_merge' must be between 0 and 1, got 1.01"),
        ({"noise_part": 1.5}, "'noise_part' must be between 0 and 1, got 1.5"),
        ({"noise_part": -0.1}, "'noise_part' must be between 0 and 1"),
        ({"reach_um": float("inf")}, "'reach_um' must be a finite number that is not negative, got inf"),
        ({"reach_um": float("nan")}, "'reach_um' must be a finite number"),
        ({"n": -1}, "'n' must be a finite number that is not negative, got -1"),
        ({"range_hz": (300.0, -1.0)}, "'range_hz' must be a finite number"),
        ({"range_hz": (6.0, 5.0)}, r"'range_hz' must be \(lowest, highest\), got \(6.0, 5.0\)"),
        ({"range_hz": (1.0, 2.0, 3.0)}, r"must be \(lowest, highest\)"),
    ],
)
def test_numbers_outside_their_range_are_refused(bad: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        check_numbers(Numbers(**bad))
