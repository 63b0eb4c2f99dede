"""How far the posterior of a component is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

State = Literal["waiting", "sampling", "sampled", "curated", "sure", "failed"]


@dataclass(frozen=True)
class ComponentStatus:
    """State of a component; `fraction` done while it is sampled, `message` why it failed."""

    state: State
    fraction: float = 0.0
    message: str = ""

    @property
    def words(self) -> str:
        """The state in words, for the queue and its tooltips."""
        if self.state == "sampling":
            return f"sampling {100 * self.fraction:.0f} %"
        words = {"waiting": "not checked yet", "curated": "settled", "sure": "settled by itself"}
        return words.get(self.state, self.state)

    @property
    def is_settled(self) -> bool:
        """Whether there is nothing left to ask."""
        return self.state in ("curated", "sure")


WAITING = ComponentStatus("waiting")
SAMPLED = ComponentStatus("sampled")
CURATED = ComponentStatus("curated")
SURE = ComponentStatus("sure")
