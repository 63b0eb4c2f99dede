"""Reservoir of cells; cuts multi-channel spike templates out for contacts anywhere.

A cell is a set of current sources (soma, dendrites, axon), each with a position and a waveform
that holds its strength and delay; ``scripts/build_template_reservoir.py`` draws them, and
``scripts/build_biophysical_reservoir.py`` computes them. The template at a contact is the sum of the
sources' waveforms, weighted by a power of the distance. ``ncpgui templates build`` makes cells of measured
templates (`equivalent_sources`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ncpgui.core.errors import InputError
from ncpgui.core.numpy_files import MOST_BYTES, read_npz, write_npz
from ncpgui.core.regular_files import regular
from ncpgui.core.resources import resource
from ncpgui.core.waveform_format import SAMPLING_FREQUENCY_HZ

RESERVOIR_SAMPLES, RESERVOIR_TROUGH = 64, 22
"""Length of the sources' waveforms, with room for shifts around a network's 32 samples, and their trough."""

Split = Literal["train", "test"]
_Change = Callable[[Tensor], Tensor]


@dataclass(frozen=True)
class TemplateReservoir:
    """Cells as current sources.

    source_position : (n_cells, S, 3) float32, µm, soma at the origin
    source_waveform : (n_cells, S, T) float32, at 20 kHz, arbitrary scale
    softening_um, falloff : (n_cells,) float32, potential ~ (distance^2 + softening^2)^(-falloff / 2)
    trough_to_peak_ms, extent_um : (n_cells,) float32, as seen by contacts 10 µm from the soma
    is_test : (n_cells,) bool, cells kept away from training
    trough_sample : sample of the waveforms at which the soma's trough lies
    sha256 : digest of the file
    """

    source_position: Tensor
    source_waveform: Tensor
    softening_um: Tensor
    falloff: Tensor
    trough_to_peak_ms: Tensor
    extent_um: Tensor
    is_test: Tensor
    trough_sample: int
    sha256: str

    @classmethod
    def load(cls, path: Path | None = None) -> TemplateReservoir:
        """Read a reservoir; the one of ``resources/`` when no path is given.

        A cell that its file counts several times (`copies`) is there so often, and drawn so often.

        Raises
        ------
        InputError
            The file is missing, holds no reservoir, or one that spikes cannot be drawn from.
        """
        path = resource("template_reservoir.npz") if path is None else path
        names = [field.name for field in fields(cls) if field.name not in ("trough_sample", "sha256")]
        try:
            content, found = regular(path, most_bytes=MOST_BYTES).read_bytes(), read_npz(path)
            arrays = {name: found[name] for name in names}
            trough_sample = int(found["trough_sample"])
            rate = float(found["sampling_frequency_hz"]) if "sampling_frequency_hz" in found else None
            copies = found["copies"].astype(np.int64) if "copies" in found else None
            _check(arrays, trough_sample, SAMPLING_FREQUENCY_HZ if rate is None else rate)
            if copies is not None:
                arrays = {name: np.repeat(array, copies, axis=0) for name, array in arrays.items()}
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise InputError(f"{path} is not a template reservoir: {error}") from error
        tensors = {
            name: torch.from_numpy(array if array.dtype == bool else array.astype(np.float32))
            for name, array in arrays.items()
        }
        return cls(**tensors, trough_sample=trough_sample, sha256=hashlib.sha256(content).hexdigest())

    @classmethod
    def joined(cls, reservoirs: Sequence[TemplateReservoir]) -> TemplateReservoir:
        """Return the cells of all reservoirs in one, each still for training or test as it was.

        Cells of fewer sources get silent ones. The digest is that of the digests.

        Raises
        ------
        InputError
            There is none, or their waveforms differ in length or in where the trough lies.
        """
        shapes = {(reservoir.n_samples, reservoir.trough_sample) for reservoir in reservoirs}
        if len(shapes) != 1:
            raise InputError(
                "reservoirs to be joined need waveforms of one length with the trough at one sample; "
                f"(samples, trough) are {sorted(shapes)}; build them with the same scripts"
            )
        most = max(reservoir.source_position.shape[1] for reservoir in reservoirs)

        def together(name: str) -> Tensor:
            parts = [getattr(reservoir, name) for reservoir in reservoirs]
            if name.startswith("source_"):
                parts = [torch.nn.functional.pad(part, (0, 0, 0, most - part.shape[1])) for part in parts]
            return torch.cat(parts)

        names = [field.name for field in fields(cls) if field.name not in ("trough_sample", "sha256")]
        digest = hashlib.sha256("".join(reservoir.sha256 for reservoir in reservoirs).encode()).hexdigest()
        tensors = {name: together(name) for name in names}
        return cls(**tensors, trough_sample=reservoirs[0].trough_sample, sha256=digest)

    def save(self, path: Path, *, copies: NDArray[np.int64]) -> None:
        """Write the file, whole or not at all.

        copies : (n_cells,) how often each cell counts
        """
        names = [field.name for field in fields(self) if field.name not in ("trough_sample", "sha256")]
        arrays = {name: getattr(self, name).cpu().numpy() for name in names}
        arrays = {name: a if a.dtype == bool else a.astype(np.float16) for name, a in arrays.items()}
        about = {
            "copies": copies,
            "trough_sample": self.trough_sample,
            "sampling_frequency_hz": SAMPLING_FREQUENCY_HZ,
        }
        write_npz(path, arrays | about)

    def __len__(self) -> int:
        return len(self.falloff)

    @property
    def n_samples(self) -> int:
        """Samples of a template."""
        return self.source_waveform.shape[-1]

    def subset(self, split: Split) -> TemplateReservoir:
        """Return the cells for training, or those that no gradient of a training sees.

        Raises
        ------
        InputError
            `split` is neither "train" nor "test".
        """
        if split not in ("train", "test"):
            raise InputError(f"split must be 'train' or 'test', got {split!r}")
        keep = self.is_test if split == "test" else ~self.is_test
        return self._map(lambda tensor: tensor[keep])

    def to(self, device: torch.device) -> TemplateReservoir:
        """Return the reservoir on `device`."""
        return self._map(lambda tensor: tensor.to(device))

    def _map(self, function: _Change) -> TemplateReservoir:
        return TemplateReservoir(
            function(self.source_position),
            function(self.source_waveform),
            function(self.softening_um),
            function(self.falloff),
            function(self.trough_to_peak_ms),
            function(self.extent_um),
            function(self.is_test),
            self.trough_sample,
            self.sha256,
        )

    def templates(
        self, cell_index: Tensor, cell_position_um: Tensor, rotation: Tensor, contact_positions_um: Tensor
    ) -> Tensor:
        """Cut templates out of cells.

        Parameters
        ----------
        cell_index : (...) int64
        cell_position_um : (..., 3) float32, where the soma lies
        rotation : (..., 3, 3) float32, orthogonal; may mirror
        contact_positions_um : (..., C, 3) float32, broadcast against the above

        Returns
        -------
        (..., T, C) float32, arbitrary scale
        """
        source = torch.einsum("...ij,...sj->...si", rotation, self.source_position[cell_index])
        source = source + cell_position_um[..., None, :]
        offset = contact_positions_um[..., :, None, :] - source[..., None, :, :]
        distance2 = offset.square().sum(-1) + self.softening_um[cell_index].square()[..., None, None]
        weight = distance2.pow(-0.5 * self.falloff[cell_index][..., None, None])  # (..., C, S)
        return (weight @ self.source_waveform[cell_index]).mT


def _check(arrays: dict[str, NDArray[Any]], trough_sample: int, sampling_frequency_hz: float) -> None:
    """Raise InputError unless these are cells, for training and for test, from which spikes can be drawn."""
    again = "build it again with 'ncpgui templates build'"
    if sampling_frequency_hz != SAMPLING_FREQUENCY_HZ:
        raise InputError(
            f"its waveforms must be sampled at {SAMPLING_FREQUENCY_HZ:g} Hz, they are at "
            f"{sampling_frequency_hz:g} Hz; {again}, which resamples"
        )
    position, waveform = arrays["source_position"], arrays["source_waveform"]
    if waveform.ndim != 3 or position.shape != (*waveform.shape[:2], 3):
        raise InputError(
            "cells need (n_cells, sources, 3) positions and (n_cells, sources, samples) waveforms, they are "
            f"of shapes {position.shape} and {waveform.shape}; {again}"
        )
    if (waveform.shape[2], trough_sample) != (RESERVOIR_SAMPLES, RESERVOIR_TROUGH):
        raise InputError(
            f"its waveforms must have {RESERVOIR_SAMPLES} samples with the trough at sample "
            f"{RESERVOIR_TROUGH}, they have {waveform.shape[2]} with the trough at {trough_sample}; {again}"
        )
    for name, array in arrays.items():
        if len(array) != len(waveform):
            raise InputError(f"{name} is of {len(array)} cells, the waveforms of {len(waveform)}; {again}")
        finite = np.isfinite(array).reshape(len(array), -1).all(axis=1)
        if not finite.all():
            raise InputError(
                f"{name} of cell {int(np.flatnonzero(~finite)[0])} is NaN or infinite; leave that cell "
                f"out, or {again}"
            )
    n_test = int(np.count_nonzero(arrays["is_test"]))
    if not 0 < n_test < len(waveform):
        raise InputError(
            "it needs at least one cell for training and one for test, which makes two; it has "
            f"{len(waveform) - n_test} and {n_test}; add shipped cells ('ncpgui templates build' with "
            "--share below 1)"
        )


def random_rotations(shape: tuple[int, ...], generator: torch.Generator) -> Tensor:
    """Draw rotations uniformly, half of them mirrored: (*shape, 3, 3) float32."""
    quaternion = torch.randn(*shape, 4, generator=generator, device=generator.device)
    w, x, y, z = (quaternion / quaternion.norm(dim=-1, keepdim=True)).unbind(-1)
    rows = [
        1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w),
        2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w),
        2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y),
    ]  # fmt: skip
    mirror = torch.randint(0, 2, (*shape, 1, 1), generator=generator, device=generator.device) * 2 - 1
    return torch.stack(rows, dim=-1).view(*shape, 3, 3) * mirror
