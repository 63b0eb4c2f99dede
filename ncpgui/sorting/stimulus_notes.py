"""What people are told of a stimulus that says nothing of which spikes are one cell's."""

from __future__ import annotations

from ncpgui.core.stimulus import Stimulus
from ncpgui.evidence.white_noise import not_white
from ncpgui.sorting.config import SortingConfig


def stimulus_notes(stimulus: Stimulus | None, config: SortingConfig) -> tuple[str, ...]:
    """Why a stimulus does not weigh the posterior, a sentence; () where it may, or is not to."""
    if stimulus is None or not config.stimulus:
        return ()
    reason = not_white(stimulus.frames)
    return (f"the stimulus is not white noise and does not weigh the sortings: {reason}",) if reason else ()
