"""A training step: all prefixes in one pass, against a loop over the points.

    python -m benchmarks.speed.training_step [--points 200] [--datasets 32]

The network is that of the preset `paper-spikes-hex7`, the data are its spikes. The loop is Algorithm 1 with
the labels given: at each point g and f of all K + 1 hypotheses, for all datasets of the batch as one, as
the paper's public code trains. So that it wastes nothing, all datasets share one label vector (as in the
paper) and g(H_k) is remembered from the point at which k last changed. Both take the same encoder, loss
and weights, and must find the same gradients.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import linear

from benchmarks.common.report import SEED, Clock, Origin, begin, keep, options, table, where
from ncpgui.engine.generative.batch import canonical_labels
from ncpgui.engine.generative.registry import GenerativeSettings
from ncpgui.engine.networks.ncp import NCP
from ncpgui.engine.networks.pointwise import Encoding
from ncpgui.engine.networks.registry import build_network
from ncpgui.engine.training.presets import PRESETS

Step = Callable[[NCP, Encoding, Tensor], Tensor]
RUNS = ((0, 1), (1, 1), (2, 1), (0, 3))  # seed of the data, orders of the points on one encoding


def in_one_pass(network: NCP, encoding: Encoding, labels: Tensor) -> Tensor:
    """Loss of a batch, nats a point: what training minimises."""
    return -network.log_prob(network.finish(encoding), labels).mean()


def point_by_point(network: NCP, encoding: Encoding, labels: Tensor) -> Tensor:
    """Return the same from Algorithm 1 with the labels (B, N) given, equal rows."""
    h, u = encoding.tables["h"], encoding.tables["u"]
    first_layer = torch.cat([network.f_of_g.weight, network.f_of_u.weight], dim=1)
    unassigned = u.sum(1) - u[:, 0]
    sums, g_of = [h[:, 0]], [network.g(h[:, 0])]
    total = g_of[0]
    loss = h.new_zeros(())
    for n, label in enumerate(labels[0, 1:].tolist(), start=1):
        unassigned = unassigned - u[:, n]
        scores, g_after = [], []
        for k in range(len(sums) + 1):
            is_new = k == len(sums)
            g_after.append(network.g(h[:, n] if is_new else sums[k] + h[:, n]))
            g_k = total + g_after[k] if is_new else total + g_after[k] - g_of[k]
            f_first = linear(torch.cat([g_k, unassigned], dim=1), first_layer, network.f_of_u.bias)
            scores.append(network.score(f_first))
        loss = loss - torch.stack(scores, dim=1).log_softmax(1)[:, label].sum()
        if label == len(sums):
            sums.append(h[:, n])
            g_of.append(g_after[label])
            total = total + g_after[label]
        else:
            sums[label] = sums[label] + h[:, n]
            total = total + g_after[label] - g_of[label]
            g_of[label] = g_after[label]
    return loss / labels.numel()


def batch_of_spikes(
    n_datasets: int, n_points: int, seed: int, device: torch.device
) -> tuple[tuple[Tensor, ...], Tensor]:
    """Spikes of the paper's arrangement, and one label vector for all datasets.

    The labels are those of the first dataset. The times do not depend on whether they are right.
    """
    model = GenerativeSettings(options={"geometries": ["hex7"]}).build()
    batch = model.sample(n_datasets, n_points, torch.Generator().manual_seed(seed))
    labels = canonical_labels(batch.labels[:1]).repeat(n_datasets, 1)
    return tuple(array.to(device) for array in batch.points), labels.to(device)


def gradients(network: NCP, loss: Tensor) -> dict[str, Tensor]:
    """Gradient of every parameter, by name."""
    network.zero_grad()
    loss.backward()
    return {name: p.grad.clone() for name, p in network.named_parameters() if p.grad is not None}


def difference(ours: dict[str, Tensor], theirs: dict[str, Tensor]) -> float:
    """|a - b| / |b| of the gradients, all parameters as one vector."""
    assert ours.keys() == theirs.keys()
    a, b = (torch.cat([g.flatten() for g in found.values()]) for found in (ours, theirs))
    return float((a - b).norm() / b.norm())


def timed(
    step: Step,
    network: NCP,
    points: tuple[Tensor, ...],
    labels: Tensor,
    device: torch.device,
    n_orders: int = 1,
) -> tuple[Clock, float, dict[str, Tensor]]:
    """Encode once, score in some orders, and go back: times, loss and gradients of one step."""
    generator = torch.Generator().manual_seed(0)
    orders = [torch.randperm(labels.shape[1], generator=generator).to(device) for _ in range(n_orders)]
    with Clock(device) as clock:
        encoding = network.encode(*points)
        losses = [
            step(network, encoding.reordered(order), canonical_labels(labels[:, order])) for order in orders
        ]
        loss = torch.stack(losses).mean()
        found = gradients(network, loss)
    return clock, loss.item(), found


def encoder_alone(network: NCP, points: tuple[Tensor, ...], device: torch.device) -> Clock:
    """Time of the part that both steps share."""
    with Clock(device) as clock:
        network.zero_grad()
        network.encode(*points).features.sum().backward()
    return clock


def compare(
    network: NCP, n_datasets: int, n_points: int, seed: int, n_orders: int, device: torch.device
) -> dict[str, Any]:
    """One batch both ways."""
    points, labels = batch_of_spikes(n_datasets, n_points, seed, device)
    timed(in_one_pass, network, points, labels, device, n_orders)  # the first call of a size is slow
    ours, our_loss, our_gradients = timed(in_one_pass, network, points, labels, device, n_orders)
    loop, loop_loss, loop_gradients = timed(point_by_point, network, points, labels, device, n_orders)
    encoder = encoder_alone(network, points, device)
    return {
        "K": int(labels.max()) + 1,
        "orders": n_orders,
        "pass s": ours.wall_s,
        "loop s": loop.wall_s,
        "wall ratio": loop.wall_s / ours.wall_s,
        "CPU ratio": loop.cpu_s / ours.cpu_s,
        "encoder s": encoder.wall_s,
        "wall ratio without it": (loop.wall_s - encoder.wall_s) / max(ours.wall_s - encoder.wall_s, 1e-9),
        "loss apart": abs(our_loss / loop_loss - 1),
        "gradients apart": difference(our_gradients, loop_gradients),
    }


def in_double_precision(network: NCP) -> tuple[float, float]:
    """How far loss and gradients are apart where rounding hardly counts, on a small batch."""
    cpu = torch.device("cpu")
    (waveforms, *rest), labels = batch_of_spikes(4, 30, 0, cpu)
    double, points = network.double().cpu(), (waveforms.double(), *rest)
    _, our_loss, ours = timed(in_one_pass, double, points, labels, cpu)
    _, loop_loss, theirs = timed(point_by_point, double, points, labels, cpu)
    return abs(our_loss / loop_loss - 1), difference(ours, theirs)


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("--datasets", type=int, default=32)
    parser.add_argument("--points", type=int, default=200, help="the paper has 200 to 500")
    arguments = parser.parse_args()
    device = begin(arguments)
    if arguments.quick:
        arguments.datasets, arguments.points = 2, 20
    torch.manual_seed(0)
    network = build_network(PRESETS["paper-spikes-hex7"].config.architecture).to(device)
    rows = [compare(network, arguments.datasets, arguments.points, *run, device) for run in RUNS]
    exact_loss, exact_gradients = in_double_precision(network)
    print(table(rows))
    print(f"in double precision: loss {exact_loss:.1e}, gradients {exact_gradients:.1e} apart")
    page = f"""
# Training step

{arguments.datasets} datasets of {arguments.points} spikes, the network of the preset `paper-spikes-hex7`,
single precision: encode, score, backward. {where(device)}

"pass" scores all prefixes at once; "loop" goes from point to point, K + 1 hypotheses each, all datasets as
one batch with one label vector, remembering g(H_k). Both take the same encoder, whose part of the time is
"encoder s", once for all "orders" of the points. "Apart":
relative difference of the losses, and of the gradients of all parameters as one vector. In single precision
a rounding error can take a unit across the kink of its ReLU, which shows while the weights are fresh and the
gradients are small differences; in double precision, on a small batch, loss and gradients are
{exact_loss:.0e} and {exact_gradients:.0e} apart.

{table(rows)}
"""
    content = {
        "datasets": arguments.datasets,
        "points": arguments.points,
        "double_precision": {"loss apart": exact_loss, "gradients apart": exact_gradients},
        "rows": rows,
    }
    origin = Origin(SEED)
    keep("training_step", content, page=page, origin=origin, folder=arguments.out)


if __name__ == "__main__":
    main()
