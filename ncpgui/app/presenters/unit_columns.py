"""Columns of the unit table, in one registry: what they are called, mean, show, sort and filter by.

Table, filter expressions, the menu of columns and CSV all read it: a column is added here and nowhere else.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from ncpgui.app.words import thousands
from ncpgui.core.csv_text import text_cell
from ncpgui.core.percent import percent
from ncpgui.core.unit_table import Row

Value = float | int | str | bool
"""Numbers are nan where they are not known."""
POSTERIOR = "the draws of the network, weighed by all evidence and your decisions"
MADE_BY_YOU = "you"
SPIKES = "the times of its spikes"
AMPLITUDES = "the amplitudes of its spikes in the filtered traces"
CHANNELS = "the channel on which each of its spikes is largest, and the places of the channels"
METRICS = "SpikeInterface's quality metrics of the times and amplitudes of its spikes"


@dataclass(frozen=True)
class UnitColumn:
    """A column.

    name : in filters, preferences and CSV; aliases : what phy and SpikeInterface call it
    title, tooltip : of its header; source : what it is made from
    text : how a row shows it; key : the column of the table of units, by which it is sorted and filtered, if
        that has another name
    is_number : shown on the right
    is_shown : whether it is on screen unless somebody hides it; is_metric : whether it has to be computed
    """

    name: str
    title: str
    tooltip: str
    text: Callable[[Row], str]
    key: str = ""
    is_number: bool = True
    source: str = POSTERIOR
    is_shown: bool = True
    is_metric: bool = False
    aliases: tuple[str, ...] = ()

    def value(self, row: Row) -> Value:
        """What a unit has in this column."""
        value: Value = row[self.key or self.name]
        return value

    def sort_key(self, row: Row) -> tuple[bool, Value]:
        """Unknown values come before all others; words in the order of the dictionary."""
        value = self.value(row)
        if isinstance(value, str):
            return True, value.lower()
        return (False, 0) if isinstance(value, float) and math.isnan(value) else (True, value)

    @property
    def help(self) -> str:
        """What it is, and from what."""
        return f"{self.tooltip}\nFrom {self.source}"

    def help_of(self, row: Row) -> str:
        """A cell in full: of which unit, what it is, and from what."""
        name = self.title or self.name
        told = self.text(row)
        return f"Unit {row['made'] or row['id']}{f', {name}: {told}' if told else ''}\n{self.help}"


def _in_percent(share: float) -> str:
    """``55``, ``>99``, or a dash for what is unknown: the header says that it is in percent."""
    return "–" if math.isnan(share) else percent(share).removesuffix("\u2009%")


def _share(name: str, title: str, tooltip: str, *aliases: str) -> UnitColumn:
    return UnitColumn(name, title, tooltip, lambda row: _in_percent(row[name]), aliases=aliases)


def _decided(name: str, title: str, tooltip: str) -> UnitColumn:
    """A share that decisions change, with the one before them beside it: ``>99 (58)``."""

    def text(row: Row) -> str:
        now, before = _in_percent(row[name]), row[f"{name}_before"]
        return now if math.isnan(before) or _in_percent(before) == now else f"{now} ({_in_percent(before)})"

    return UnitColumn(name, title, tooltip, text)


def _metric(name: str, title: str, tooltip: str, digits: int, key: str = "") -> UnitColumn:
    def text(row: Row) -> str:
        number = row[key or name]
        return "–" if math.isnan(number) else f"{number:.{digits}f}"

    return UnitColumn(
        name, title, f"{tooltip}; – where it cannot be said", text, key, source=METRICS, is_shown=False,
        is_metric=True,
    )  # fmt: skip


COLUMNS: tuple[UnitColumn, ...] = (
    UnitColumn("id", "unit", "Number and colour of the unit", lambda r: r["made"] or str(r["id"]),
               is_number=False, aliases=("unit", "cluster_id"),
               source="the numbers that units got when they were made: they never change"),
    UnitColumn("name", "id there", "What the unit is called in the sorting that is reviewed",
               lambda r: r["name"], is_number=False, aliases=("unit_name", "si_unit_id"),
               source="the sorting that is reviewed"),
    UnitColumn("accepted", "", "Accepted units: resampling and other sortings leave them as they are",
               lambda r: "accepted" if r["accepted"] else "", is_number=False, source=MADE_BY_YOU),
    UnitColumn("label", "label",
               "Good, mua or noise; faint if it follows from P(neuron) and P(pure), and is not yours",
               lambda r: "–" if r["label"] == "unsorted" else r["label"], is_number=False,
               aliases=("group", "quality"), source="you, or else P(neuron) and P(pure)"),
    UnitColumn("tag", "tag", "Your own label of the unit (L)", lambda r: r["tag"], is_number=False,
               source=MADE_BY_YOU),
    UnitColumn("ch", "ch", "Number of the channel on which most of its spikes are largest",
               lambda r: str(r["channel"]), "channel", aliases=("channel",), source=CHANNELS),
    UnitColumn("depth", "depth", "Place of this channel along the longer axis of the probe, µm",
               lambda r: f"{r['depth_um']:.0f}", "depth_um", source=CHANNELS),
    UnitColumn("n_spikes", "spikes", "Number of spikes", lambda r: thousands(r["n_spikes"]),
               aliases=("spikes", "num_spikes"), source="the sorting in use, your edits included"),
    UnitColumn("fr", "Hz", "Spikes a second over the whole recording",
               lambda r: f"{r['rate_hz']:.1f}", "rate_hz", aliases=("rate", "firing_rate"), source=SPIKES),
    UnitColumn("snr", "SNR", "Mean depth of the trough in noise sd", lambda r: f"{r['amplitude_sd']:.1f}",
               "amplitude_sd", aliases=("amp", "amplitude"), source=AMPLITUDES),
    UnitColumn("isi", "ISI", "Refractory violations, %: share of the intervals under 1.5 ms; "
               "one neuron has none", lambda r: f"{100 * r['violations']:.1f}\u2009%", "violations",
               source=SPIKES),
    _share("p_neuron", "neuron",
           "P(neuron), %: it is one or more cells, and not noise or what is left of others"),
    _decided("p_pure", "pure", "P(pure), %: hardly a spike of it, at most one in ten, is of another cell;\n"
             "unknown (–) where you joined what was never sampled together; in brackets\n"
             "what it was before your decisions"),
    _decided("p_complete", "compl.", "P(complete), %: hardly a spike of its cell, at most one in ten, is in\n"
             "another unit or in none; in brackets what it was before your decisions"),
    _share("false_positives", "false",
           "Expected false positives, %: share of its spikes that are of another cell", "fp"),
    _share("misses", "miss",
           "Expected misses, %: share of its cell's spikes that are in other units or in none;\n"
           "spikes that were never found are not counted", "fn"),
    _metric("presence_ratio", "present", "Share of the minutes in which it fires, 0 to 1", 2),
    _metric("isi_violations_ratio", "ISI ratio",
            "Ratio of intervals under 1.5 ms to those that its rate would give by chance:\n"
            "about 0.5 when half of it is of another cell", 2),
    _metric("firing_range", "range", "From the 5th to the 95th percentile of its rate in 5 s, Hz", 1,
            "firing_range_hz"),
    _metric("amplitude_cutoff", "cutoff",
            "Share of its spikes, 0 to 1, under the threshold, by the histogram of its amplitudes", 3),
    UnitColumn("note", "note", "Your note on the unit (Shift+L)", lambda r: r["note"], is_number=False,
               source=MADE_BY_YOU),
)  # fmt: skip
LEFT_OUT_FIRST = (
    "note",
    "depth",
    "misses",
    "false_positives",
    "fr",
    "isi",
    "snr",
    "p_complete",
    "ch",
    "p_neuron",
)
"""Columns that a table which is too narrow for all leaves out, in this order; none that somebody chose."""
_BY_NAME = {name: one for one in COLUMNS for name in (one.name, *one.aliases)}
PROBABILITIES = ("p_neuron", "p_pure", "p_complete", "false_positives", "misses")
ONLY_IF_GIVEN = ("name", "tag", "note")
"""Columns that are on screen once a unit has something in them, unless somebody chose otherwise."""


def column(name: str) -> UnitColumn:
    """Return the column of a name or alias.

    Raises
    ------
    KeyError
        There is none.
    """
    return _BY_NAME[name]


def names_shown(
    rows: Iterable[Row], chosen: Iterable[object] | None = None, *, has_probabilities: bool = True
) -> tuple[str, ...]:
    """Columns to show, in the order of the registry.

    chosen : names that a person chose, others are ignored; None for what is shown unless somebody chooses.
    has_probabilities : whether there are any; a sorting without raw data has none
    """
    if chosen is not None:
        wanted = {"id", *(name for name in chosen if isinstance(name, str))}
        return tuple(one.name for one in COLUMNS if one.name in wanted)
    given = {name for row in rows for name in ONLY_IF_GIVEN if column(name).value(row)}
    left_out = {*ONLY_IF_GIVEN} - given | (set() if has_probabilities else {*PROBABILITIES})
    return tuple(one.name for one in COLUMNS if one.is_shown and one.name not in left_out)


def as_csv(rows: Iterable[Row], names: Iterable[str]) -> str:
    """Rows as comma-separated values under the names of the columns; an unknown value is an empty cell."""
    columns = [column(name) for name in names]
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([one.name for one in columns])
    writer.writerows([_cell(one.value(row)) for one in columns] for row in rows)
    return file.getvalue()


def _cell(value: Value) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return "" if math.isnan(value) else f"{value:.6g}"
    return text_cell(value) if isinstance(value, str) else str(value)
