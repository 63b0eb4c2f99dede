"""Ancestral draws of the default network on a CPU: datasets side by side on threads (`compiled.walk`)."""

from __future__ import annotations

from functools import partial

import torch
from torch import Tensor

from ncpgui.core.one_core import on_one_core
from ncpgui.core.progress import Progress, silent
from ncpgui.engine.compiled.walk import draw_in_order
from ncpgui.engine.device import n_threads
from ncpgui.engine.networks.as_arrays import columns, weights_of
from ncpgui.engine.networks.cluster_aware_ncp import ClusterAwareNCP
from ncpgui.engine.networks.pointwise import Encoding
from ncpgui.engine.sampling.on_threads import on_threads


@torch.inference_mode()
@on_one_core
def draws(
    network: ClusterAwareNCP,
    encoding: Encoding,
    *,
    dataset: Tensor,
    held: Tensor,
    uniform: Tensor,
    timed: bool = False,
    progress: Progress = silent,
) -> tuple[Tensor, Tensor]:
    """Draw label vectors of the datasets of `encoding`, as `sequential.walk` does under `rules.ancestral`.

    Datasets are walked side by side on as many threads as torch may use. They are the same on any number.

    Parameters
    ----------
    encoding : finished, of D datasets that `as_arrays` serves
    dataset : (S,), that each draw is about; held : (S, M), labels of its first points, -1 where they are free
    uniform : (S, N) on [0, 1)
    timed : whether points of a dataset tell their times

    Returns
    -------
    labels : (S, N) int64, canonical in the order visited; -1 in the padding; log q : (S,) float64
    """
    weights = weights_of(network, timed=timed)
    wanted = dataset.unique().tolist()
    ends = encoding.n_points[wanted].tolist()
    rows_of = [dataset == one for one in wanted]
    in_orders = [
        partial(
            draw_in_order,
            weights,
            columns(network, encoding.tables["joins"][one, :n_points], timed=timed),
            encoding.tables["context"][one, :n_points].numpy(),
            held[rows].numpy(),
            uniform[rows, :n_points].contiguous().numpy(),
        )
        for one, n_points, rows in zip(wanted, ends, rows_of, strict=True)
    ]
    n_all = sum(ends)
    found = on_threads(in_orders, n_threads=n_threads(), report=lambda n: progress(n, n_all))
    labels = torch.full((len(dataset), max(ends)), -1)
    log_prob = torch.zeros(len(dataset), dtype=torch.float64)
    for rows, n_points, (own, score) in zip(rows_of, ends, found, strict=True):
        labels[rows, :n_points] = torch.from_numpy(own)
        log_prob[rows] = torch.from_numpy(score)
    progress(n_all, n_all)
    return labels, log_prob
