"""``ncpgui cluster``: waveforms in an .npz file in, a posterior over their clusterings out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ncpgui.cli import options
from ncpgui.cli.commands import command, examples
from ncpgui.cli.terminal import percent, progress_report, tell
from ncpgui.core.counted import count, some
from ncpgui.core.errors import InputError

if TYPE_CHECKING:
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
@click.option(
    "--no-heaps",
    is_flag=True,
    help="Do not weigh sortings by whether the spikes that they part lie in two heaps.",
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
    no_heaps: bool,
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
    from ncpgui.core.numpy_files import write_npz

    with progress_report("cluster") as progress:
        try:
            result = engine.cluster(
                arrays.pop("waveforms"),
                **arrays,
                model=model,
                samples=samples,
                beam=beam,
                heaps=not no_heaps,
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
    write_npz(out, {name: getattr(result, name) for name in ARRAYS} | alone, replace=overwrite)
    for note in result.notes:
        tell(f"warning: {waveforms}: {note}")
    shares = [
        f"{labels.max() + 1} ({percent(mass)})"
        for labels, mass in zip(result.alternatives, result.alternative_mass, strict=True)
    ]
    for i, mass in enumerate(alone.get("mass_alone", ())):
        shares[i] = f"{shares[i][:-1]}, by waveforms alone {percent(mass)})"
    if any(name in arrays for name in LINKS):
        tell(f"the links had a probability of {percent(np.exp(result.links_log_prob))}")
    tell(
        f"{count(result.labels.shape[1], 'spike')}; alternatives by number of clusters (probability): "
        f"{some(shares, N_SHOWN)}; wrote {out}"
    )


def read_waveforms(path: Path) -> dict[str, Any]:
    """Read the arrays of a waveform file, which the engine checks; pickles are refused.

    Returns
    -------
    waveforms and what else of `KEYS` is there, as it is.

    Raises
    ------
    InputError
        Not an .npz file that can be read (`core.numpy_files`), or no key 'waveforms'.
    """
    from ncpgui.core.numpy_files import read_npz

    arrays = read_npz(path)
    if "waveforms" not in arrays:
        found = ", ".join(arrays) or "nothing"
        raise InputError(f"{path} has no key 'waveforms' (it holds {found}); see 'ncpgui cluster --help'")
    unknown = [name for name in arrays if name not in KEYS]
    if unknown:
        tell(f"warning: {path} also holds {', '.join(unknown)}, which is not used")
    known = {name: arrays[name] for name in KEYS if name in arrays}
    if "sampling_frequency" in known and known["sampling_frequency"].size == 1:
        known["sampling_frequency"] = known["sampling_frequency"].reshape(())
    return known
