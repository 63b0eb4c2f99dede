"""One model for all probes beside models that went on to learn a single kind of probe.

    python -m benchmarks.clustering.one_probe [--model NAME|FILE] [--run PRESET|FILE.toml] [--minutes 10]
        [--geometries hex7 ...] [--specialists FOLDER] [--sets 20] [--jobs 2]

For each geometry a specialist is trained: the run's settings and start, spikes of this geometry alone, on one
core. It and the model for all probes then sort the same sets, those of `clustering.py`. Specialists that are
in the folder are not trained again.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.clustering.clustering_outcomes import ami_of
from benchmarks.clustering.clustering_sets import OWN_GEOMETRIES, Kind, SpikeSet, add_set_options, sets_of
from benchmarks.clustering.generated_recordings import ARRAYS
from benchmarks.common.report import SEED, Origin, add_jobs, begin, keep, options, side_by_side, table, where
from ncpgui.engine import default_model
from ncpgui.engine.generative.registry import GenerativeSettings
from ncpgui.engine.training.loop import train
from ncpgui.engine.training.presets import load_config

TARGET = 0.03
"""AMI by which the model for all probes may be below a specialist."""


def specialist(geometry: str, arguments: argparse.Namespace) -> Path:
    """Model that went on with one geometry; trained where it is not there yet."""
    out: Path = arguments.specialists / f"{geometry}.safetensors"
    if not out.is_file():
        run = load_config(arguments.run)
        data = GenerativeSettings(run.data.model, {**run.data.options, "geometries": [geometry]})
        run = replace(run, data=data, minutes=arguments.minutes, validate_minutes=arguments.minutes)
        out.parent.mkdir(parents=True, exist_ok=True)
        for _ in train(run, out=out):
            pass
    return out


def both_ami(one: SpikeSet, alone: Path, arguments: argparse.Namespace) -> tuple[float, float]:
    """AMI of the model for all probes, and of a specialist."""
    return ami_of(one, arguments.model, arguments), ami_of(one, alone, arguments)


def kinds(geometry: str, arguments: argparse.Namespace) -> Iterator[tuple[str, list[Kind]]]:
    """Kinds of sets of one geometry, by source."""
    yield "ours", [Kind("ours", geometry)]
    if geometry in ARRAYS:
        some = product(arguments.bands, arguments.motions)
        yield "spikeinterface", [Kind("spikeinterface", geometry, *one) for one in some]


def row_of(geometry: str, source: str, pairs: list[tuple[float, float]]) -> dict[str, Any]:
    """Mean AMI of both models, and of their difference on the same sets."""
    general, alone = np.array(pairs).T
    return {
        "geometry": geometry,
        "source": source,
        "sets": len(pairs),
        "one for all": float(general.mean()),
        "for it alone": float(alone.mean()),
        "difference": float((general - alone).mean()),
        "± se": float((general - alone).std(ddof=1) / np.sqrt(len(pairs))) if len(pairs) > 1 else "",
    }


def parsed() -> argparse.Namespace:
    parser = options(__doc__)
    parser.add_argument("--model", default=default_model(), help="for all probes: name or file")
    parser.add_argument("--run", default="spikes-long", help="settings and start of the specialists")
    parser.add_argument("--minutes", type=float, default=10.0, help="of each specialist's training  [10]")
    parser.add_argument("--specialists", type=Path, default=Path("specialists"), help="folder of them")
    parser.add_argument("--spikes", type=int, default=500)
    parser.add_argument("--sets", type=int, default=20, help="of each kind  [20]")
    parser.add_argument("--samples", type=int, default=100)
    parser.set_defaults(beam=0)
    add_set_options(parser, OWN_GEOMETRIES)
    add_jobs(parser)
    return parser.parse_args()


def main() -> None:
    arguments = parsed()
    arguments.threads = arguments.threads or 1
    device = begin(arguments)
    if arguments.quick:
        arguments.minutes, arguments.spikes, arguments.sets, arguments.samples = 0.02, 40, 2, 10
        arguments.geometries, arguments.bands, arguments.motions = ["tetrode"], ["mixed"], ["static"]
    rows: list[dict[str, Any]] = []
    with side_by_side(arguments.jobs) as in_turn:
        specialists = list(in_turn(partial(specialist, arguments=arguments), arguments.geometries))
        for geometry, alone in zip(arguments.geometries, specialists, strict=True):
            for source, some in kinds(geometry, arguments):
                sets = [
                    one
                    for kind in some
                    for one in sets_of(kind, arguments.spikes, arguments.sets, cache=arguments.cache)
                    if one.n_units > 1
                ]
                pairs = list(in_turn(partial(both_ami, alone=alone, arguments=arguments), sets))
                rows.append(row_of(geometry, source, pairs))
                print(table(rows[-1:]), flush=True)
    page = f"""
# One model for all probes beside models for one

AMI of the first alternative of `{arguments.model}` and of specialists, each of which went on from
`{load_config(arguments.run).start_from}` for {arguments.minutes:g} minutes of one core with spikes of one
geometry alone (settings of `{arguments.run}`), on the same sets of {arguments.spikes} spikes,
{arguments.sets} of each kind. A difference below -{TARGET:g} would say that one model for all is not enough.
{where(device)}

{table(rows)}
"""
    origin = Origin(SEED, arguments.samples, models={Path(arguments.model).stem: arguments.model})
    keep("one_probe", {"rows": rows}, page=page, origin=origin, folder=arguments.out)
    print(table(rows))


if __name__ == "__main__":
    main()
