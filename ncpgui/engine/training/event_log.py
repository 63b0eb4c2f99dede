"""The curves of a run as a TensorBoard log, for which the package tensorboard is needed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ncpgui.core.errors import ExportError, InputError

if TYPE_CHECKING:
    from ncpgui.engine.training.loop import TrainStep

EVERY_STEPS = 10


def log_folder(weights: Path) -> Path:
    """Where the log of the run lies that writes the model `weights`."""
    return weights.with_suffix(".tensorboard")


def require_tensorboard() -> Any:
    """Return TensorBoard's writer class.

    Raises
    ------
    InputError
        TensorBoard is not installed.
    """
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError as error:
        raise InputError(
            "--tensorboard needs the package tensorboard, which is not installed; run: pip install "
            "tensorboard, or leave --tensorboard out"
        ) from error
    return SummaryWriter


class EventLog:
    """Writes loss, accuracy, learning rate and seconds a step, and the scores on held-out data.

    Losses are means over `EVERY_STEPS` steps. A run that goes on hides the steps that it does again.

    Raises
    ------
    InputError
        TensorBoard is not installed.
    ExportError
        The folder cannot be written.
    """

    def __init__(self, folder: Path, *, first_step: int = 1) -> None:
        writer = require_tensorboard()
        try:
            self._writer = writer(str(folder), purge_step=first_step)
        except OSError as error:
            raise ExportError(f"cannot write {folder}: {error.strerror}; give another --out") from error
        self._recent: list[TrainStep] = []

    def write(self, step: TrainStep) -> None:
        """Take down one step."""
        self._recent.append(step)
        if step.validation is not None:
            self._add("held out/nll", step.validation.nll, step.step)
            self._add("held out/ari", step.validation.ari, step.step)
            self._add("held out/k_error", step.validation.k_error, step.step)
        if step.step % EVERY_STEPS == 0 or step.validation is not None:
            self._flush()

    def close(self) -> None:
        """Write what is left."""
        if self._recent:
            self._flush()
        self._writer.close()

    def _flush(self) -> None:
        last, n = self._recent[-1], len(self._recent)
        self._add("training/loss", sum(step.loss for step in self._recent) / n, last.step)
        right = [step.accuracy for step in self._recent if step.accuracy is not None]
        if right:
            self._add("training/accuracy", sum(right) / len(right), last.step)
        self._add("training/learning_rate", last.learning_rate, last.step)
        self._add("training/seconds_per_step", sum(step.seconds for step in self._recent) / n, last.step)
        self._recent = []

    def _add(self, name: str, value: float, step: int) -> None:
        self._writer.add_scalar(name.replace(" ", "_"), value, step)
