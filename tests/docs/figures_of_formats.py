"""Phrases of the pages for developers and of the session's format: versions and limits."""

from __future__ import annotations

import re

from ncpgui.cli.main import EXIT_CANCELLED, EXIT_INPUT
from ncpgui.core.waveform_format import N_SAMPLES, SAMPLING_FREQUENCY_HZ, TROUGH_SAMPLE
from ncpgui.curation.labels import MOST_CHARACTERS
from ncpgui.session import codecs, schema
from tests.docs.figures_of_the_program import pythons, spaced
from tests.docs.printed import ROOT
from tests.docs.test_words import MOST_OF_ALL, MOST_WORDS
from tests.fuzz.many import MOST_BYTES, MOST_SECONDS


def of_sessions() -> list[str]:
    """Versions, sizes and shapes of a session."""
    khz = f"{SAMPLING_FREQUENCY_HZ / 1000:g}"
    assert schema.FORMAT_VERSION == schema.JOURNAL_VERSION == schema.CACHE_VERSION
    return [
        f"The session, format version {schema.FORMAT_VERSION} The",
        f"version of the format: {schema.FORMAT_VERSION}, the first",
        f"`NAME.journal`, version {schema.JOURNAL_VERSION} The",
        f"`NAME.waveforms`, version {schema.CACHE_VERSION} The",
        f"`ncpgui-waveform-cache` and `version` = {schema.CACHE_VERSION}.",
        f"Arrays of {codecs._COMPRESS_FROM_BYTES >> 10} KiB and more are chunked and have a Fletcher-32 "
        "checksum. They are shuffled and compressed (gzip, level 1) where that makes their middle "
        "less than half as large",
        f"float16 (m, {N_SAMPLES}, k) | sampled spikes, noise sd, {khz} kHz, trough at sample "
        f"{TROUGH_SAMPLE},",
        f"(`tag`, at most {MOST_CHARACTERS['tag']} characters) or a note (`note`, at most "
        f"{MOST_CHARACTERS['note']})",
    ]


def of_development() -> list[str]:
    """Versions of packages, and what tests of damaged files allow."""
    setup = (ROOT / "setup.py").read_text(encoding="utf-8")
    low, high = re.findall(r"spikeinterface(?:\[\w+\])?>=0\.(\d+)(?:\.\d+)?,<0\.(\d+)", setup)[0]
    a, b, c = range(int(low), int(high))
    soak = (ROOT / "scripts" / "soak.sh").read_text(encoding="utf-8")
    docs = pythons().replace("3.10", "3.11")
    return [
        f"for Python {pythons()}.",
        f"It needs Python {docs}.",
        f"ncpgui requires one of the last three: 0.{a}, 0.{b} or 0.{c}.",
        f"more than {MOST_SECONDS} s of CPU time or {MOST_BYTES >> 30} GB of memory",
        f"exits with {EXIT_INPUT}; the window",
        "and `make soak` a thousand, the" if "cases=1000 " in soak else "?",
        f"end both with {EXIT_CANCELLED}.",
        f"each has at most {MOST_WORDS} words",
        f"at most {spaced(MOST_OF_ALL)}, a third of what they had",
    ]


def phrases() -> list[str]:
    """All of them."""
    return of_sessions() + of_development()
