"""What an action is, what it works on, and what it asks of the window."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from ncpgui.app.controller import Controller
from ncpgui.app.model.workspace import Workspace


class Front(Protocol):
    """The window, as far as actions need one: questions to the person and the look of things."""

    def ask_open(self) -> None:
        """Ask for a recording and open it."""

    def ask_session(self) -> None:
        """Ask for a session and open it."""

    def ask_save_as(self) -> None:
        """Ask where to save, and save."""

    def ask_export(self) -> None:
        """Ask for format and place, and export."""

    def ask_recording_place(self) -> None:
        """Ask where the recording of the session is now."""

    def confirm(self, question: str) -> bool:
        """Ask a question that is answered with yes or no."""

    def lists_all_units(self) -> bool:
        """Whether the unit table lists the units of the whole recording."""

    def demo_folder(self) -> Path:
        """Folder of the demo."""

    def show_help(self) -> None:
        """Show the key page."""

    def show_about(self) -> None:
        """Show what this program is."""

    def toggle_theme(self) -> None:
        """Change between light and dark."""

    def toggle_arrangement(self) -> None:
        """Change between waveforms in columns and at probe geometry."""

    def toggle_all_units(self) -> None:
        """Change between the units on screen and all units."""

    def show_layout(self, name: str) -> None:
        """Put the panels of a ready layout on screen: "decide" or "inspect"."""

    def step_spike(self, step: int) -> None:
        """Show the traces around the next spike, or (-1) the one before."""

    def step_ambiguous(self) -> None:
        """Show the traces around the next spike by how uncertain its unit is."""

    def toggle_intervals(self) -> None:
        """Change between autocorrelograms and intervals."""

    def toggle_height(self) -> None:
        """Change between amplitude and depth over time."""

    def save_picture(self) -> None:
        """Ask for a file and save a picture of the window."""

    def close_project(self) -> None:
        """Close the project and show the start page."""

    def quit(self) -> None:
        """Close the window."""


@dataclass(frozen=True)
class Context:
    """What an action works on."""

    workspace: Workspace
    controller: Controller
    front: Front


def always(_: Context) -> bool:
    """It is always allowed."""
    return True


def has_project(context: Context) -> bool:
    """A project is open."""
    return context.workspace.project is not None


def has_component(context: Context) -> bool:
    """The component on screen is sampled."""
    return context.workspace.component() is not None


def has_alternatives(context: Context) -> bool:
    """The component on screen has sortings to choose from."""
    component = context.workspace.component()
    return component is not None and len(component.alternatives) > 0


def has_selection(context: Context) -> bool:
    """A unit is selected."""
    return len(context.workspace.selected) > 0


_KEY_NAMES = {"Return": "Enter", "Escape": "Esc"}


@dataclass(frozen=True)
class Action:
    """One thing a person can do.

    keys : the first is shown in menus; run(context, k) gets the index of the key that was pressed.
    """

    id: str
    name: str
    keys: tuple[str, ...]
    menu: str
    help: str
    run: Callable[[Context, int], None]
    enabled: Callable[[Context], bool] = always
    in_menu: bool = True
    in_toolbar: bool = False
    starts_section: bool = False

    @property
    def key_text(self) -> str:
        """Keys as the help page shows them."""
        if len(self.keys) > 3:
            return f"{self.keys[0]} – {self.keys[-1]}"
        shown = [_KEY_NAMES.get(key, key) for key in self.keys]
        return " · ".join(dict.fromkeys(shown))
