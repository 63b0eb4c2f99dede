"""What an action is, what it works on, and what it asks of the window."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Protocol

from ncpgui.app.controller import Controller
from ncpgui.app.model.workspace import Workspace
from ncpgui.app.question import Question

NOTHING_OPEN = "open a recording or a session first"


class WindowPort(Protocol):
    """The window, as far as actions need one: questions that they go on with, and the parts of it."""

    def ask_save_as(self) -> None:
        """Ask where to save, and save."""

    def confirm(self, question: Question) -> bool:
        """Ask a question; whether the answer is yes."""

    def ask_words(self, question: str, present: str, known: tuple[str, ...] = ()) -> str | None:
        """Ask for words, `known` ones offered; None when nothing is to be done."""

    def part(self, name: str, *, shown: bool = False) -> Any:
        """A panel by its name, put on screen if it is to be `shown`; or "layout", "commands", "window"."""


@dataclass(frozen=True)
class Context:
    """What an action works on."""

    workspace: Workspace
    controller: Controller
    window: WindowPort


@dataclass(frozen=True)
class On:
    """What an action does on a part of the window: a method of it (`do`), and what that is given.

    shown : whether the panel is put on screen first
    """

    part: str
    do: str
    given: tuple[Any, ...] = ()
    shown: bool = False

    def __call__(self, context: Context, _key: int) -> None:
        """Do it."""
        attrgetter(self.do)(context.window.part(self.part, shown=self.shown))(*self.given)


@dataclass(frozen=True)
class Is:
    """Whether a panel, or "layout", is in a state; what : name of it in that part, ``plot.shown``."""

    part: str
    what: str
    value: Any = True

    def __call__(self, context: Context) -> bool:
        """Look."""
        return bool(attrgetter(self.what)(context.window.part(self.part)) == self.value)


def is_shown(panel: str) -> Callable[[Context], bool]:
    """Whether a panel is on screen."""
    return lambda context: panel in context.window.part("layout").shown


@dataclass(frozen=True)
class Condition:
    """When an action is allowed, and what to say when it is not: words, or a function that finds them."""

    holds: Callable[[Context], bool]
    reason: str | Callable[[Context], str]

    def __call__(self, context: Context) -> bool:
        """Whether it holds."""
        return self.holds(context)

    def why_not(self, context: Context) -> str:
        """What to say where it does not hold."""
        return self.reason if isinstance(self.reason, str) else self.reason(context)


def has_at_least(n_units: int) -> Condition:
    """As many units are selected."""
    reason = "no unit is selected" if n_units == 1 else "fewer than two units are selected"
    return Condition(lambda c: len(c.workspace.selected) >= n_units, reason)


def _has_alternatives(context: Context) -> bool:
    component = context.workspace.component()
    return component is not None and len(component.alternatives) > 0


def _not_sampled(context: Context) -> str:
    """Why there is no posterior of what is on screen."""
    workspace = context.workspace
    project, component_id = workspace.state.project, workspace.component_id
    if project is not None and not project.recording.has_traces:
        return "there are no probabilities, as this sorting was opened without its raw data"
    if component_id is None:
        return "the units on screen belong to no question; choose a row of the queue"
    if workspace.questions.status(component_id).state == "failed":
        return (
            f"the spikes on screen could not be sampled: {workspace.questions.status(component_id).message}"
        )
    if workspace.component() is not None:
        return "there is no sorting to choose: no unit was found among these spikes"
    return "the spikes on screen are not checked yet"


always = Condition(lambda _: True, "")
has_project = Condition(lambda c: c.workspace.state.project is not None, NOTHING_OPEN)
has_component = Condition(lambda c: c.workspace.component() is not None, _not_sampled)
has_units = Condition(
    lambda c: c.workspace.component() is not None or bool(c.workspace.drawn_together),
    _not_sampled,
)
has_alternatives = Condition(_has_alternatives, _not_sampled)
has_selection = has_at_least(1)
has_several = has_at_least(2)
has_similar = Condition(
    lambda c: len(c.workspace.similar) > 0, "no unit in the list of similar units is selected"
)


def shown_keys(keys: Sequence[str]) -> str:
    """Keys as people read them: ``1 – 9``, ``Ctrl+Shift+Z · Ctrl+Y``."""
    there = [key for key in keys if key]
    if len(there) > 3 and there[0].isdigit():
        return f"{there[0]} – {there[-1]}"
    return " · ".join(dict.fromkeys(_KEY_NAMES.get(key, key) for key in there))


_KEY_NAMES = {"Return": "Enter", "Escape": "Esc"}


@dataclass(frozen=True)
class Action:
    """One thing a person can do.

    keys : the first is shown in menus; run(context, k) gets the index of the key that was pressed. They
    are those of phy; a `Keymap` may say others. enabled : best a `Condition`, which knows the reason.
    submenu : of its menu, in which it stands; is_on : of a choice, whether it is the one in force
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
    submenu: str = ""
    is_on: Callable[[Context], bool] | None = None

    def why_not(self, context: Context) -> str:
        """Why it is not allowed now, '' when it is."""
        if self.enabled(context):
            return ""
        if context.workspace.state.project is None:
            return NOTHING_OPEN
        return (
            self.enabled.why_not(context)
            if isinstance(self.enabled, Condition)
            else "this is not possible now"
        )
