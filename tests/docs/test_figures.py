"""Figures in sentences of README and docs are those of kept results; tables have a test of their own."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from typing import Any

import pytest

from tests.docs.printed import DOCUMENTS, ROOT

sys.path.insert(0, str(ROOT / "scripts"))
from kept_results import Row, kept
from short_results import SORTERS, span

FINAL = {row["sets"]: row for row in kept("final_sets")["models"]["spikes"]["given firing times"]["rows"]}
ALL = FINAL["all foreign"]


def mean_ami_where_it_moves() -> float:
    """Mean over the kinds of motion."""
    moving = [FINAL[f"motion {kind}"]["AMI first"] for kind in ("slow", "zigzag", "sudden")]
    return sum(moving) / len(moving)


def answers() -> str:
    """Answers that the rate of one cell needs, in two orders."""
    (row,) = (
        row for row in kept("answers")["answers"] if (row["finding"], row["of"]) == ("rate", "one cell")
    )
    return (
        f"For the rate of one cell, {row['by effect']:.1f} answers in this order remove half of the error on "
        f"average, and {row['answers in order of the queue']:.1f} answers in the order of the queue."
    )


def fields() -> str:
    """Receptive fields that ncpgui and others find."""
    found = kept("receptive_fields")
    by: dict[str, Any] = {row["sorter"]: row["of true cells"] for row in found["rows"]}
    ours = by.pop("ncpgui")
    return (
        f"A simulated retina has {found['true fields']} cells with a clear receptive field. ncpgui finds "
        f"{ours} of them; the other sorters find {span(list(by.values()), 'd')}."
    )


def speed() -> str:
    """How long 64 channels take, in words."""
    (row,) = kept("real_time")["rows"]
    share = row["wall s"] / row["recording s"]
    assert 0.45 < share < 0.6
    return f"{row['channels']} channels are sorted in about half the time that the recording took"


def small_units() -> str:
    """Most units that are missed are small."""
    rows: list[Row] = [row for row in kept("sorters")["rows"] if row["sorter"] == "ncpgui"]
    missed = [
        snr
        for row in rows
        for snr, accuracy in zip(row["SNR of true units"], row["accuracy of true units"], strict=True)
        if accuracy < 0.8
    ]
    assert sum(size < 4 for size in missed) > 0.5 * len(missed)
    return "most missed units have an SNR below 4"


def merged_units() -> str:
    """Units that lie close are mostly merged."""
    row = kept("failures")["by_distance"][0]
    assert row["distance"] == "0-3"
    assert row["all: merged %"] > 50
    return "units less than 3 noise sd apart are mostly merged"


def tetrodes() -> str:
    """Hard pairs of all foreign sets and of tetrodes."""
    return (
        f"Hard pairs are off by {ALL['ECE hard']:.2f} over all foreign sets: the network is not sure "
        f"enough if the tissue moves, and on tetrodes ({FINAL['tetrode']['ECE hard']:.2f}). Perfect "
        f"probabilities would be off by {ALL['by chance hard']:.2f}."
    )


def joined() -> str:
    """Pairs that the first alternative joins and parts."""
    return (
        f"Joined pairs are off by {ALL['ECE joined']:.2f}, parted ones by {ALL['ECE parted']:.2f}, which is "
        "within their target."
    )


def number_of_units() -> str:
    """How often the credible set has the true number."""
    return (
        f"The 90 % sets of K contain the truth in {ALL['K covered']:.2f} of the sets "
        f"({FINAL['tetrode']['K covered']:.2f} of the tetrodes). Sets of one unit have P(K = 1) of "
        f"{FINAL['one unit']['P(K=1), one unit']:.2f}."
    )


def first_alternative() -> str:
    """Agreement where the tissue stays and where it moves."""
    still = FINAL["motion none"]
    assert f"{still['AMI first']:.2f}" == f"{still['AMI oracle']:.2f}"
    return (
        f"If the tissue stays, the AMI is {still['AMI first']:.2f}, as that of the oracle. If it moves, the "
        f"AMI is {mean_ami_where_it_moves():.2f} on average, and "
        f"{FINAL['motion sudden']['AMI first']:.2f} with jumps."
    )


def single_draws() -> str:
    """How far single draws are below the first alternative."""
    return f"They are {ALL['AMI first'] - ALL['AMI samples']:.2f} below the first alternative."


def own_sets() -> str:
    """Our own sets, as trained, of tissue that stays."""
    row = FINAL["ours, as trained, still"]
    return (
        f"{row['merged']:.2f} units of a set on average, and K is contained in {row['K covered']:.2f} of "
        f"{row['n']} sets."
    )


def jumps() -> str:
    """Tissue that jumps."""
    row = FINAL["motion sudden"]
    return f"P(K = 1) is {row['P(K=1), one unit']:.2f}, and hard pairs are off by {row['ECE hard']:.2f}:"


def how_many_sets() -> str:
    """Sets that were scored."""
    ours = sum(row["n"] for name, row in FINAL.items() if name.startswith("ours"))
    return f"These are {ALL['n']} foreign sets and {ours} of our own."


STATED: dict[str, list[Callable[[], str]]] = {
    "docs/concepts/findings.md": [answers],
    "docs/concepts/trust.md": [small_units, merged_units],
    "docs/coming_from/kilosort.md": [speed],
    "docs/results/whole_recordings.md": [fields],
    "docs/results/single_channels.md": [
        tetrodes, joined, number_of_units, first_alternative, single_draws, own_sets, jumps, how_many_sets,
    ],
}  # fmt: skip


def prose(document: str, *, tables: bool = True) -> str:
    """Sentences of a page: without code, addresses of links, and what results are written into."""
    text = DOCUMENTS[document].read_text(encoding="utf-8")
    text = re.sub(r"^```.*?^```|<!-- results: .*?<!-- end of .*?-->", "", text, flags=re.M | re.S)
    if not tables:
        text = re.sub(r"^\|.*$", "", text, flags=re.M)
    text = re.sub(r"\]\([^)]*\)|`[^`]*`", "", text).replace("[", "")
    return " ".join(text.split())


@pytest.mark.parametrize(
    ("document", "say"), [(page, say) for page, all_ in STATED.items() for say in all_],
    ids=lambda one: one if isinstance(one, str) else one.__name__,
)  # fmt: skip
def test_a_figure_in_a_sentence_is_that_of_a_kept_result(document: str, say: Callable[[], str]) -> None:
    assert say() in prose(document)


OF_PAGE = {"docs/results/single_channels.md": {"0.02", "0.98", "0.05", "0.08", "0.85", "0.95", "0.80"}}
"""Decimals that are definitions and targets, not results."""


@pytest.mark.parametrize("document", ["README.md", *(page for page in DOCUMENTS if "docs/results/" in page)])
def test_every_decimal_in_the_sentences_of_results_is_one_that_is_tested(document: str) -> None:
    tested = " ".join(say() for say in STATED.get(document, []))
    found = set(re.findall(r"(?<![\d.])0\.\d+(?!\d)", prose(document, tables=False)))
    known = set(re.findall(r"0\.\d+", tested)) | OF_PAGE.get(document, set()) | {"0.8", "0.5"}
    assert sorted(found - known) == []


def test_all_sorters_of_the_tables_have_a_name() -> None:
    assert {row["sorter"] for row in kept("sorters")["rows"]} <= set(SORTERS)
