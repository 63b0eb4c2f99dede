"""Values that take work: a panel asks for them while it paints, and paints again when they are there."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Any, Generic, TypeVar

from ncpgui.app.words import sentence, without_options
from ncpgui.app.work.tasks import Runner, Task
from ncpgui.core.progress import Progress

Key = TypeVar("Key", bound=Hashable)
Given = TypeVar("Given")
Value = TypeVar("Value")


def _nothing(_: Any) -> None:
    """Do nothing."""


class Computed(Generic[Key, Given, Value]):
    """Values of one kind, each made once, in the background, when somebody first asks for it.

    A key carries all that its value depends on, so that nothing is ever emptied: what changed has another
    key. One task of a kind is under way at a time; where others than its keys are asked for, its answer would
    be late, and the task gives way to a new one.

    Parameters
    ----------
    kind : what the values are, "correlograms"; also the key of its tasks
    make : called on another thread with what is given of each missing key: the value of each
    arrived : told the new values, on this thread; failed : told why there are none, which `problem` says
        until others arrive; what failed is not tried again
    at_once : keys of one task; the rest is asked for when the panel paints what arrived
    most : values that are kept, the oldest go first; more than anybody asks for at a time
    priority, after_s : of its tasks, see `Task`
    """

    def __init__(
        self,
        kind: str,
        make: Callable[[Mapping[Key, Given], Progress], Mapping[Key, Value]],
        runner: Runner,
        *,
        arrived: Callable[[Mapping[Key, Value]], None] = _nothing,
        failed: Callable[[str], None] = _nothing,
        at_once: int = 1000,
        most: int | None = None,
        priority: float = 1.0,
        after_s: float = 0.0,
    ) -> None:
        self.kind = kind
        self.problem = ""
        self._make = make
        self._runner = runner
        self._arrived = arrived
        self._failed = failed
        self._at_once = at_once
        self._most = most
        self._priority = priority
        self._after_s = after_s
        self._values: dict[Key, Value] = {}
        self._failed_keys: set[Key] = set()
        self._under_way: frozenset[Key] = frozenset()

    def __len__(self) -> int:
        """Number of values that are there."""
        return len(self._values)

    def get(self, key: Key, given: Given) -> Value | None:
        """Value of a key, None while it is made, which begins now; given : what it is made of."""
        return self.get_all({key: given}).get(key)

    def get_all(self, given: Mapping[Key, Given]) -> dict[Key, Value]:
        """Those of the values that are there; the making of the others begins."""
        missing = [key for key in given if key not in self._values and key not in self._failed_keys]
        if missing and not (self._under_way and self._under_way <= set(missing)):
            self._ask({key: given[key] for key in missing[: self._at_once]})
        return {key: value for key in given if (value := self.known(key)) is not None}

    def known(self, key: Key) -> Value | None:
        """Value of a key if it is there; nothing is begun."""
        return self._values.get(key)

    def _ask(self, given: Mapping[Key, Given]) -> None:
        asked = frozenset(given)

        def done(values: Mapping[Key, Value]) -> None:
            ended()
            self.problem = ""
            self._values.update(values)
            for key in [*self._values][: 0 if self._most is None else -self._most]:
                del self._values[key]
            self._arrived(values)

        def failed(error: Exception) -> None:
            ended()
            self._failed_keys |= asked
            self.problem = without_options(str(error))
            self._failed(self.problem)

        def ended() -> None:
            if self._under_way is asked:
                self._under_way = frozenset()

        self._runner.cancel_key(self.kind)
        self._under_way = asked
        self._runner.submit(
            Task(
                sentence(self.kind),
                lambda progress: self._make(given, progress),
                done,
                failed=failed,
                cancelled=ended,
                key=self.kind,
                lane="view",
                priority=self._priority,
                after_s=self._after_s,
            )
        )
