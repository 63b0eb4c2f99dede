"""Keys of actions: phy's, spikeinterface-gui's, one's own; what cannot be is said and does no harm."""

from __future__ import annotations

from pathlib import Path

import pytest

from ncpgui.app.action import shown_keys
from ncpgui.app.actions import ACTIONS
from ncpgui.app.keymap import (
    KEYMAPS,
    OWN_KEYS,
    Keymap,
    canonical_key,
    keymap_from,
    read_keymap,
    write_template,
)
from ncpgui.app.preferences import Preferences
from ncpgui.core.errors import InputError


def own(preferences: Preferences, text: str) -> Keymap:
    """Keymap in force when the file of own keys has this text."""
    preferences.folder.mkdir(parents=True, exist_ok=True)
    (preferences.folder / OWN_KEYS).write_text(text, encoding="utf-8")
    return read_keymap(ACTIONS, preferences)


def test_keys_are_those_of_phy_at_first(preferences: Preferences) -> None:
    keymap = read_keymap(ACTIONS, preferences)
    assert keymap.name == "phy"
    assert keymap.problems == ()
    assert {item.id: keymap.keys[item.id] for item in ACTIONS} == {item.id: item.keys for item in ACTIONS}


def test_those_of_spikeinterface_gui_can_be_chosen(preferences: Preferences) -> None:
    preferences.set("keymap", "spikeinterface-gui")
    keymap = read_keymap(ACTIONS, preferences)
    expected = {"merge": ("Ctrl+M",), "good": ("G",), "mua": ("M",), "noise": ("N",), "unsorted": ("C",)}
    assert {name: keymap.keys[name] for name in expected} == expected
    assert keymap.keys["undo"] == ("Ctrl+Z",)  # as in phy
    assert keymap.problems == ()


@pytest.mark.parametrize("name", KEYMAPS)
def test_no_key_of_a_ready_keymap_does_two_things(name: str) -> None:
    keymap = keymap_from(ACTIONS, name, {})
    keys = [key for item in ACTIONS for key in keymap.keys[item.id]]
    assert len(set(keys)) == len(keys)
    assert keymap.problems == ()


def test_a_keymap_of_another_version_is_said_and_phy_s_is_used(preferences: Preferences) -> None:
    preferences.set("keymap", "klusters")
    keymap = read_keymap(ACTIONS, preferences)
    assert keymap.name == "phy"
    assert keymap.problems == ("there is no keymap 'klusters'; there are phy and spikeinterface-gui",)


def test_own_keys_win(preferences: Preferences) -> None:
    keymap = own(preferences, '[keys]\nmerge = ["Ctrl+J", "shift+m"]\ntheme = []\naccept = "b"\n')
    assert keymap.problems == ()
    assert keymap.keys["merge"] == ("Ctrl+J", "Shift+M")
    assert keymap.keys["theme"] == ()
    assert keymap.keys["accept"] == ("B",)


def test_a_key_that_another_action_had_is_taken_from_it_and_that_is_said(preferences: Preferences) -> None:
    keymap = own(preferences, '[keys]\ngood = "G"\n')
    assert keymap.keys["good"] == ("G",)
    assert keymap.keys["merge"] == ()
    (problem,) = keymap.problems
    assert problem == (
        "keys.toml: G is the key of 'good' now and no longer of 'merge', which has no key left; "
        "give 'merge' keys of its own, or [] for none"
    )
    quiet = own(preferences, '[keys]\ngood = "G"\nmerge = []\n')
    assert quiet.problems == ()


def test_the_keys_of_an_action_that_mean_different_things_keep_their_places(preferences: Preferences) -> None:
    """Ctrl+G, Ctrl+M, Ctrl+N and Ctrl+U label good, MUA, noise and unsorted."""
    preferences.set("keymap", "spikeinterface-gui")
    keymap = read_keymap(ACTIONS, preferences)
    assert keymap.keys["merge"] == ("Ctrl+M",)
    assert keymap.keys["label_similar"] == ("Ctrl+G", "", "Ctrl+N", "Ctrl+U")
    assert shown_keys(keymap.keys["label_similar"]) == "Ctrl+G · Ctrl+N · Ctrl+U"


def test_an_action_that_has_another_key_left_keeps_that(preferences: Preferences) -> None:
    keymap = own(preferences, '[keys]\ngood = "Ctrl+Y"\n')
    assert keymap.keys["redo"] == ("Ctrl+Shift+Z",)
    assert "'redo', which keeps Ctrl+Shift+Z" in keymap.problems[0]


def test_of_two_actions_with_one_key_the_first_keeps_it(preferences: Preferences) -> None:
    keymap = own(preferences, '[keys]\ngood = "Ctrl+1"\nnoise = "Ctrl+1"\n')
    assert (keymap.keys["good"], keymap.keys["noise"]) == (("Ctrl+1",), ())
    assert keymap.problems == (
        "keys.toml: Ctrl+1 is given to 'good' and to 'noise'; 'good' keeps it, choose another for 'noise'",
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[keys]\nmerg = "Ctrl+J"\n', "keys.toml: there is no action 'merg'; did you mean 'merge'?"),
        ('[keys]\nfrobnicate = "B"\n', "keys.toml: there is no action 'frobnicate'; the file lists them all"),
        ('[keys]\nmerge = "Ctrl+Foo"\n', "keys.toml: merge: there is no key 'Ctrl+Foo'; write keys"),
        ("[keys]\nmerge = 3\n", "keys.toml: merge must be a key or a list of keys, got 3"),
        ("[keys\n", "keys.toml cannot be read as TOML"),
        ("keys = 3\n", "keys.toml: [keys] must be a table of actions and their keys, got 3"),
        ('[key]\nmerge = "B"\n', "keys.toml: there is no section 'key'; keys belong under [keys]"),
    ],
)  # fmt: skip
def test_what_cannot_be_understood_is_said_and_the_rest_holds(
    preferences: Preferences, text: str, words: str
) -> None:
    keymap = own(preferences, text + ("" if "[keys]" not in text else 'accept = "B"\n'))
    assert len(keymap.problems) == 1
    assert words in keymap.problems[0]
    assert keymap.keys["merge"] == ("G",)
    assert keymap.keys["accept"] == (("B",) if "[keys]" in text else ("Y",))


def test_a_file_that_is_not_text_is_said(preferences: Preferences) -> None:
    preferences.folder.mkdir(parents=True)
    (preferences.folder / OWN_KEYS).write_bytes(b"\xff\xfe\x00")
    keymap = read_keymap(ACTIONS, preferences)
    assert "keys.toml cannot be read as TOML" in keymap.problems[0]
    assert keymap.keys["merge"] == ("G",)


@pytest.mark.parametrize(
    ("written", "key"),
    [
        ("ctrl+m", "Ctrl+M"), ("Shift+Ctrl+k", "Ctrl+Shift+K"), ("esc", "Escape"), (" Ctrl + Up ", "Ctrl+Up"),
        ("pageup", "PgUp"), ("Alt+PgDown", "Alt+PgDown"), ("f24", "F24"), (":", ":"), ("Ctrl++", "Ctrl++"),
        ("del", "Delete"), ("[", "["),
    ],
)  # fmt: skip
def test_keys_may_be_written_as_people_write_them(written: str, key: str) -> None:
    assert canonical_key(written) == key
    gui = pytest.importorskip("PyQt5.QtGui")
    assert gui.QKeySequence(key).count() == 1
    assert gui.QKeySequence(key)[0] & 0x01FFFFFF not in (0, 0x01FFFFFF)


@pytest.mark.parametrize("written", ["", "Ctrl", "Hyper+M", "Ctrl+", "MM", "F25", "Ctrl+M, Ctrl+N"])
def test_what_is_no_key_is_refused(written: str) -> None:
    with pytest.raises(InputError, match="there is no key"):
        canonical_key(written)


def test_the_template_lists_every_action_and_changes_nothing(preferences: Preferences) -> None:
    path = write_template(ACTIONS, preferences)
    text = path.read_text(encoding="utf-8")
    assert path == preferences.folder / OWN_KEYS
    assert all(f"# {item.id} = " in text for item in ACTIONS)
    keymap = read_keymap(ACTIONS, preferences)
    assert keymap.problems == ()
    assert keymap.keys["merge"] == ("G",)
    path.write_text(text.replace("# merge = ", "merge = ").replace('"G"', '"Ctrl+J"'), encoding="utf-8")
    write_template(ACTIONS, preferences)  # a file that is there stays
    assert read_keymap(ACTIONS, preferences).keys["merge"] == ("Ctrl+J",)


def test_a_template_that_cannot_be_written_says_where(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be written"):
        write_template(ACTIONS, Preferences(tmp_path / "file"))
