"""Tables of any encoding, delimiter and order of columns: what is read is what they say, or nothing."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import strategies as st

from ncpgui.ephys.cluster_tables import read_cluster_table
from ncpgui.ephys.phy_folder import read_phy_folder
from ncpgui.ephys.probes import load_probe
from ncpgui.export.into_phy import write_into_phy
from tests.fuzz.harmless import harmless
from tests.fuzz.many import cases, try_many
from tests.fuzz.spellings import KNOWABLE, table
from tests.fuzz.test_small_files import phy_folder
from tests.reviewed_folder import decided, reviewed, write_folder

pytestmark = pytest.mark.timeout(3600)
TABLES = (
    ("cluster_id\tgroup", "{id}\t{label}"),
    ("cluster_id\tn_spikes\tgroup\tdepth", "{id}\t9\t{label}\t1.5"),
    ("group\tcluster_id", "{label}\t{id}"),
    ("\tcluster_id\tgroup", "{row}\t{id}\t{label}"),
    ("depth\tgroup\tid", "{row}\t{label}\t{id}"),
    ("Cluster_ID\tGroup", "{id}.0\t{label}"),
)
LABELS = ("good", "mua", "noise", "sua é")


@st.composite
def spelt(draw: st.DrawFn, rows: Sequence[Sequence[str]]) -> tuple[bytes, str]:
    """Rows as some program spells them, and their delimiter."""
    delimiter, end = draw(st.sampled_from("\t,;|")), draw(st.sampled_from(("\n", "\r\n", "\r")))
    text = table(rows, delimiter, end).decode("utf-8")
    if draw(st.booleans()):
        text = text.removesuffix(end)
    return text.encode(draw(st.sampled_from(KNOWABLE))), delimiter


@st.composite
def labelled(draw: st.DrawFn, labels: dict[int, str]) -> tuple[str, bytes]:
    """Name and contents of a table of labels."""
    header, row = draw(st.sampled_from(TABLES))
    order = draw(st.permutations(sorted(labels)))
    rows = [row.format(row=i, id=unit, label=labels[unit]) for i, unit in enumerate(order)]
    content, delimiter = draw(spelt([line.split("\t") for line in (header, *rows)]))
    ending = "tsv" if delimiter == "\t" else draw(st.sampled_from(("tsv", "csv")))
    return f"cluster_group.{ending}", content


@cases
def test_labels_of_a_table_are_those_of_its_clusters(n: int, tmp_path: Path) -> None:
    def check(data: st.DataObject, case: Path, outside: Path) -> None:
        phy_folder(case)
        (case / "cluster_group.tsv").unlink()
        labels = {unit: data.draw(st.sampled_from(LABELS)) for unit in range(4)}
        name, content = data.draw(labelled(labels))
        (case / name).write_bytes(content)
        with harmless(case):
            found = read_phy_folder(case)
            assert {**found.labels, **found.own_labels} == labels

    try_many(n, tmp_path, check)


@cases
def test_labels_that_nobody_decided_come_back_from_a_write_back(n: int, tmp_path: Path) -> None:
    """The others too: in the encoding, with the delimiter and in the order of columns that the table had."""

    def check(data: st.DataObject, case: Path, outside: Path) -> None:
        folder = write_folder(case / "f", [0, 1, 2, 3, 0, 1, 2, 3])
        labels = {unit: data.draw(st.sampled_from(LABELS)) for unit in range(4)}
        name, content = data.draw(labelled(labels))
        (folder / name).write_bytes(content)
        before = read_cluster_table(folder / name, range(4))
        unit, label = data.draw(st.integers(0, 3)), data.draw(st.sampled_from(("good", "mua", "noise")))
        project = reviewed(folder)
        assert project.given is not None
        write_into_phy(project, project.given, decided(project, labels={unit: label}))
        after = read_cluster_table(folder / name, range(4))
        assert before is not None
        assert after is not None
        written = (folder / name).read_bytes()  # the end of the last line may have been left out
        assert before.as_bytes(after.rows).startswith(written)
        told = read_phy_folder(folder)
        assert {**told.labels, **told.own_labels} == {**labels, unit: label}
        rest = [[row for row in one.rows if one.cluster_of(row) != unit] for one in (before, after)]
        assert rest[0] == rest[1]

    try_many(n, tmp_path, check)


PLACES = {"x": [0.0, 16.0, 0.0, 16.0], "y": [0.0, 20.0, 40.0, 60.5]}
UNITS = {"": 1.0, "_um": 1.0, " (µm)": 1.0, "_mm": 1000.0, " [nm]": 0.001}


@cases
def test_places_of_a_probe_are_those_of_its_columns(n: int, tmp_path: Path) -> None:
    def check(data: st.DataObject, case: Path, outside: Path) -> None:
        ending, um = data.draw(st.sampled_from(sorted(UNITS.items())))
        columns = {f"{axis}{ending}": [f"{value / um:g}" for value in PLACES[axis]] for axis in "xy"}
        wired = data.draw(st.permutations(range(4)))
        more = {"channel": [str(one) for one in wired], "shank": ["0"] * 4, "name": list("abcd")}
        for name in data.draw(st.sets(st.sampled_from(sorted(more)))):
            columns[name] = more[name]
        order = data.draw(st.permutations(sorted(columns)))
        rows = [order, *([columns[name][i] for name in order] for i in range(4))]
        content, _ = data.draw(spelt(rows))
        (case / "p.csv").write_bytes(content)
        with harmless(case):
            found = load_probe(case / "p.csv").positions_um
            contacts = np.argsort(wired) if "channel" in columns else np.arange(4)
            right = np.column_stack([PLACES["x"], PLACES["y"]])[contacts]
            np.testing.assert_allclose(found, right, atol=1e-3)

    try_many(n, tmp_path, check)
