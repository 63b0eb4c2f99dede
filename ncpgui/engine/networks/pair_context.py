"""What a point sees of each unassigned point: a sum over pairs that depends on no label."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from ncpgui.engine.compiled.pairs import seen_in_orders
from ncpgui.engine.networks.pointwise import Encoding, sum_after

_PAIRS_AT_ONCE = 2**17  # of points that are looked at; bounds the memory
_TIMES_ON_A_GPU = 64  # it takes as long for few pairs as for many


class PairContext(nn.Module):
    """The unassigned points as point n sees them: sum over i > n of r(x_n, x_i), through f's first layer.

    u(x_i) alone tells f what lies where, but not how much of it lies beside x_n, on which side, and how
    dense. r is a layer of the two points' features and of their distance in a learnt metric. The sum depends
    on no label: it is computed once for all hypotheses, in N^2 / 2 pairs. It starts silent, so that a network
    that was trained without it can be trained on with it.

    Parameters
    ----------
    n_features : of a point; size : of r; hidden : of the first layer of f
    prefix : of the names of its tables, where there are several
    """

    def __init__(self, n_features: int, size: int, hidden: int, prefix: str = "") -> None:
        super().__init__()
        self.names = [prefix + name for name in ("seen", "seeing", "pair_metric")]
        self.seen = nn.Linear(n_features, size)
        self.seeing = nn.Linear(n_features, size, bias=False)
        self.metric = nn.Linear(n_features, size, bias=False)
        self.apart = nn.Linear(2 * size, size, bias=False)
        self.mean = nn.Linear(size, hidden, bias=False)
        self.total = nn.Linear(size, hidden, bias=False)
        nn.init.zeros_(self.mean.weight)
        nn.init.zeros_(self.total.weight)

    def tables(self, features: Tensor) -> dict[str, Tensor]:
        """What the pairs need of each point, from its features (B, N, n_features): name -> (B, N, size)."""
        values = (self.seen(features), self.seeing(features), self.metric(features))
        return dict(zip(self.names, values, strict=True))

    def forward(self, encoding: Encoding, n_first: int | None = None) -> Tensor:
        """What each point, or each of the first `n_first`, sees of those after it: (B, N, hidden)."""
        there, n_points = encoding.there, encoding.there.shape[1]
        at_once = _pairs_at_once(there.device)
        sums, start, end = [], 0, min(n_first or n_points, n_points)
        while start < end:  # some points at a time, of which those before are out of sight
            stop = min(end, start + max(1, at_once // (len(there) * (n_points - start))))
            place = torch.arange(start, n_points, device=there.device)
            after = (place > place[: stop - start, None]) & there[:, None, start:]
            sums.append((self._r(encoding, slice(start, stop), start) * after[..., None]).sum(2))
            start = stop
        return self._pooled(torch.cat(sums, dim=1), encoding.there)

    def in_orders(self, orders: Tensor, encoding: Encoding) -> Tensor:
        """What each point of one dataset sees of those after it in orders (P, N), in these: (P, N, hidden).

        r of every pair is computed once, twice as many as one order needs.
        """
        first = encoding.tables[self.names[0]]
        if first.device.type == "cpu" and first.dtype == torch.float32 and not first.requires_grad:
            seen, seeing, metric = (encoding.tables[name][0].contiguous().numpy() for name in self.names)
            apart = self.apart.weight.detach().T.contiguous().numpy()
            place = orders.argsort(1).numpy()
            total = torch.from_numpy(seen_in_orders(seen, seeing, metric, apart, place))
        else:
            total = self._seen_in(orders, encoding)
        total = total[torch.arange(len(orders), device=orders.device)[:, None], orders]
        return self._pooled(total, torch.ones_like(orders, dtype=torch.bool))

    def _seen_in(self, orders: Tensor, encoding: Encoding) -> Tensor:
        """Sum of r over the points after each in each order: (P, N, size)."""
        n_points = orders.shape[1]
        place, at_once = orders.argsort(1), _pairs_at_once(orders.device)
        sums = []
        for rows in torch.arange(n_points, device=orders.device).split(max(1, at_once // n_points)):
            r = self._r(encoding, slice(int(rows[0]), int(rows[-1]) + 1), 0)[0]
            after = place[:, None] > place[:, rows, None]
            sums.append(torch.bmm(after.transpose(0, 1).to(r.dtype), r).transpose(0, 1))
        return torch.cat(sums, dim=1)

    def _r(self, encoding: Encoding, rows: slice, start: int) -> Tensor:
        """r of points `rows` with those from `start` on: (B, rows, N - start, size)."""
        seen, seeing, z = (encoding.tables[name] for name in self.names)
        apart = z[:, rows, None] - z[:, None, start:]
        distance = self.apart(torch.cat([apart.square(), apart.abs()], dim=-1))
        return (seeing[:, rows, None] + seen[:, None, start:] + distance).relu_()

    def _pooled(self, total: Tensor, there: Tensor) -> Tensor:
        """Mean and logarithm of the sums over the points after each, through f's first layer."""
        count = sum_after(there[..., None].to(total.dtype), there)[1][:, : total.shape[1]]
        return self.mean(total / count.clamp(min=1)) + self.total(total.log1p())


def _pairs_at_once(device: torch.device) -> int:
    return _PAIRS_AT_ONCE * (_TIMES_ON_A_GPU if device.type == "cuda" else 1)
