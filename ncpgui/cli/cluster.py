"""``ncpgui cluster``: waveforms in an .npz file in, a posterior over their clusterings out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ncpgui.cli import options
from ncpgui.cli.commands import command, examples
from ncpgui.cli.terminal import percent, progress_report, tell
from ncpgui.core.counted import count
from ncpgui.core.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LINKS = ("must_link", "cannot_link")
KEYS = ("waveforms", "times_s", "channel_positions", "sampling_frequency", "channel_mask", "clamped", *LINKS)
ARRAYS = (
    "map_labels",
    "labels",
    "log_prob",
    "weight",
    "order",
    "beam_labels",
    "beam_log_prob",
    "alternatives",
    "alternative_mass",
    "alternative_mass_se",
    "links_log_prob",
    "order_spread",
)

WITHOUT_TIMES = ("weight_alone", "mass_alone")
"""Weights and masses by waveforms alone, where firing times are known."""

N_SHOWN = 4
"""Alternatives in the line that says what was found; all are in the file."""


@command(
    short_help="Cluster one set of waveforms in many ways, each with its probability.",
    epilog=examples(
        "ncpgui cluster waveforms.npz --out posterior.npz --samples 500",
    ),
)
@click.argument("waveforms", type=options.PATH, metavar="WAVEFORMS.npz")
@click.option("--out", type=options.PATH, required=True, metavar="POSTERIOR.npz", help="File to write.")
@options.model
@click.option(
    "--samples",
    type=click.IntRange(min=1),
    default=200,
    show_default=True,
    metavar="S",
    help="How many clusterings are drawn.",
)
@click.option(
    "--beam",
    type=click.IntRange(min=0),
    default=150,
    show_default=True,
    metavar="B",
    help="How many most probable clusterings are searched as well; 0 for none.",
)
@click.option(
    "--no-firing-times",
    is_flag=True,
    help="Do not weigh sortings by refractory periods and jumps in `times_s`.",
)
@options.seed
@options.device
@click.option("--overwrite", is_flag=True, help="Replace POSTERIOR.npz if it is there.")
def cluster(
    waveforms: Path,
    out: Path,
    model: str | None,
    samples: int,
    beam: int,
    no_firing_times: bool,
    seed: int,
    device: str,
    overwrite: bool,
) -> None:
    """Cluster the spikes of WAVEFORMS.npz in many ways, drawn by their probability (from the posterior).

    The file must hold `waveforms` (n_spikes, n_samples, n_channels) in standard deviations of the noise, with
    the main channel first. It may hold `channel_positions` (n_channels, 2) in µm, `sampling_frequency` in Hz,
    `channel_mask` (n_channels,), and `times_s` (n_spikes,), the ascending times of the spikes in seconds. It
    may also say what you know: `clamped` (n_spikes,) holds spikes with the same label together and those with
    different labels apart (-1: free); `must_link` (m, 2) has pairs of spikes that share a unit, and
    `cannot_link` (m, 2) pairs that do not.
    """
    options.check_output_file(out, waveforms)
    options.check_free(out, overwrite=overwrite)
    arrays = read_waveforms(waveforms)

    import numpy as np

    from ncpgui import engine

    with progress_report("cluster") as progress:
        try:
            result = engine.cluster(
                arrays.pop("waveforms"),
                **arrays,
                model=model,
                samples=samples,
                beam=beam,
                seed=seed,
                device=device,
                progress=progress,
            )
        except InputError as error:
            raise InputError(f"{waveforms}: {error}") from error
    alone: dict[str, NDArray[Any]] = {}
    if "times_s" in arrays and not no_firing_times:
        from ncpgui.sorting.timed_clusters import given_firing_times

        result, *found = given_firing_times(result, arrays["times_s"])
        alone = dict(zip(WITHOUT_TIMES, found, strict=True))
    write_posterior(out, {name: getattr(result, name) for name in ARRAYS} | alone, replace=overwrite)
    for note in result.notes:
        tell(f"warning: {waveforms}: {note}")
    shares = [
        f"{labels.max() + 1} ({percent(mass)})"
        for labels, mass in zip(result.alternatives, result.alternative_mass, strict=True)
    ]
    for i, mass in enumerate(alone.get("mass_alone", ())):
        shares[i] = f"{shares[i][:-1]}, by waveforms alone {percent(mass)})"
    more = f" and {len(shares) - N_SHOWN} more" if len(shares) > N_SHOWN else ""
    if any(name in arrays for name in LINKS):
        tell(f"the links had a probability of {percent(np.exp(result.links_log_prob))}")
    tell(
        f"{count(result.labels.shape[1], 'spike')}; alternatives by number of clusters (probability): "
        f"{', '.join(shares[:N_SHOWN])}{more}; wrote {out}"
    )


def read_waveforms(path: Path) -> dict[str, Any]:
    """Read the arrays of a waveform file; pickles are refused, shapes and values checked.

    Returns
    -------
    waveforms (n, T, C) float32 and, where given, times_s as it is, channel_positions (C, 2) float64,
    channel_mask (C,) bool, sampling_frequency, a float in Hz, clamped (n,) int64 and must_link and
    cannot_link (m, 2) int64.

    Raises
    ------
    InputError
        Not an .npz file that can be read (`core.numpy_files`), no key 'waveforms', no spikes, NaN, or another
        number of dimensions.
    """
    from ncpgui.core.numpy_files import read_npz

    arrays = read_npz(path)
    if "waveforms" not in arrays:
        found = ", ".join(arrays) or "nothing"
        raise InputError(f"{path} has no key 'waveforms' (it holds {found}); see 'ncpgui cluster --help'")
    unknown = [name for name in arrays if name not in KEYS]
    if unknown:
        tell(f"warning: {path} also holds {', '.join(unknown)}, which is not used")
    result: dict[str, Any] = {"waveforms": _checked_waveforms(arrays["waveforms"], path)}
    n_channels = result["waveforms"].shape[2]
    if "times_s" in arrays:  # the engine checks them
        result["times_s"] = arrays["times_s"]
    if "channel_positions" in arrays:
        positions = _numbers(arrays["channel_positions"], "channel_positions", path)
        if positions.shape != (n_channels, 2):
            raise InputError(
                f"{path}: channel_positions must be ({n_channels}, 2) µm for waveforms of {n_channels} "
                f"channels, got shape {positions.shape}"
            )
        result["channel_positions"] = positions
    if "channel_mask" in arrays:
        mask = arrays["channel_mask"]
        if mask.shape != (n_channels,) or mask.dtype.kind not in "bui":
            raise InputError(
                f"{path}: channel_mask must be ({n_channels},) bool for waveforms of {n_channels} channels, "
                f"got shape {mask.shape} of {mask.dtype}"
            )
        result["channel_mask"] = mask.astype(bool)
    if "sampling_frequency" in arrays:
        frequency = _numbers(arrays["sampling_frequency"], "sampling_frequency", path)
        if frequency.size != 1 or not frequency.item() > 0:
            raise InputError(f"{path}: sampling_frequency must be one positive number in Hz, got {frequency}")
        result["sampling_frequency"] = float(frequency.item())
    n_spikes = len(result["waveforms"])
    for name, shape in (("clamped", (n_spikes,)), ("must_link", (-1, 2)), ("cannot_link", (-1, 2))):
        if name in arrays:
            result[name] = _integers(arrays[name], name, shape, path)
    return result


def _integers(array: NDArray[Any], name: str, shape: tuple[int, ...], path: Path) -> NDArray[Any]:
    """Check whole numbers of a shape in which -1 stands for any length."""
    fits = array.ndim == len(shape) and all(n in (-1, m) for n, m in zip(shape, array.shape, strict=True))
    if not fits or array.dtype.kind not in "iu":
        words = ", ".join("m" if n < 0 else str(n) for n in shape) + ("," if len(shape) == 1 else "")
        raise InputError(
            f"{path}: {name} must be whole numbers ({words}), got shape {array.shape} of {array.dtype}"
        )
    return array.astype("int64")


def _checked_waveforms(array: NDArray[Any], path: Path) -> NDArray[np.float32]:
    waveforms = _numbers(array, "waveforms", path)
    if waveforms.ndim != 3:
        raise InputError(
            f"{path}: waveforms must be (n_spikes, n_samples, n_channels), got shape {waveforms.shape}"
        )
    if waveforms.shape[0] == 0:
        raise InputError(f"{path}: waveforms holds no spikes; give at least one")
    if 0 in waveforms.shape:
        raise InputError(f"{path}: waveforms has no samples or no channels, got shape {waveforms.shape}")
    return waveforms.astype("float32")


def _numbers(array: NDArray[Any], name: str, path: Path) -> NDArray[Any]:
    import numpy as np

    if array.dtype.kind not in "fiu":
        raise InputError(f"{path}: {name} must be numbers, got {array.dtype}")
    finite = np.isfinite(array)
    if not finite.all():
        place = f" at index {tuple(int(i) for i in np.argwhere(~finite)[0])}" if array.ndim else ""
        raise InputError(f"{path}: {name} must be finite, found NaN or infinity{place}; remove those spikes")
    return array


def write_posterior(path: Path, arrays: dict[str, NDArray[Any]], *, replace: bool) -> None:
    """Write the arrays as .npz, swapped in whole; `path` keeps its name whatever its suffix.

    replace : whether a file that is there is replaced; else they go beside it, see `replaced_file`
    """
    import numpy as np

    from ncpgui.core.files import replaced_file

    with replaced_file(path, replace=replace) as beside, beside.open("wb") as file:
        np.savez_compressed(file, allow_pickle=False, **arrays)
