"""Numbers on pages for developers that nothing can say, by the reason: patterns of the words around them."""

from __future__ import annotations

REASONS: dict[str, tuple[str, ...]] = {
    "the year of a publication": (
        r"\([^()]*\b(?:19|20)\d\d(?:\.\d+)?(?:[,;][^()]*)?\)",
        r"ICML 2020",
    ),
    "a part of the paper, or of its network and data": (
        r"\b(?:sec\. ?\d?[\d., ]*|SM [A-G]\b)",
        r"Algorithm 1\b",
        r"draws from 957 recorded|beam of 150 \(SM D\)|a 41st point",
        r"with 32, 64, 128 and 256 maps; the seven contacts",
        r"those of SM G: kernel 5, 10 and 20 maps, layers of 320, 256 and 128",
        r"halve[sd] after 1/2 and 17/20",
    ),
    "a finding of the publication that the sentence names": (
        r"limit between the two is a time .*? Jia",
        r"have medians of .*? CA1 at 1\.68 m/s",
        r"A tenth of the waveforms in the cortex|the tenth that is published",
    ),
    "images of MNIST": (r"28 x 28 \| 60 000 / 10 000|28 x 28 pixels|the four IDX files",),
    "an equation": (r"falls as 1/d²? \(",),
    "symmetries of a hexagon and of a square": (
        r"leave the main channel .*? has 12\. .*? has 2\. .*? all 8,",
    ),
    "numbers of partitions": (
        r"15 partitions of four points|process mixture of five points|its 52 partitions",
    ),
    "a sum over the layers of the paper's networks": (
        r"6\.0 \(2 g and f, 0\.79 million multiplications, against f .*? 0\.13 million\)",
    ),
    "drawn anew for each cell, and not kept in the file of the cells": (
        r"Somata measure 8–25 µm",
        r"About three axons in ten have myelin|A fifth of the drawn cells",
        r"more than 1\.1 ms before the trough",
    ),
    "how a figure beside it is made, by the script that is named there": (
        r"from 60 µm after the soma to 60 µm before|the range from 5 to 95 %|Six histograms",
    ),
    "how the note that the sentence links made its sets": (r"adjusted Rand index below 0\.9, 64 draws",),
    "what notes that are linked found, without their figures": (
        r"calibrated at 1 on|temperature below 1|at the temperature 1",
        r"amplitudes that differ by a quarter or a third",
    ),
    "an example, by arithmetic": (
        r"0 means that the links were certain|\$-2\.3\$ that the model gave them one chance in ten",
        r"[Aa] slope of 1\.5|raise the odds to the power 1\.5|[Aa] slope of 0\.5|a sd of 1 nat",
        r"cluster of 200 points by half a per cent|8 noise sd apart can be only 4 apart",
    ),
    "an example, of which tests make one": (
        r"\(\$\\alpha = 0\.7\$, \$\\sigma_\\mu = 2\$, six points",
        r"\"too sure\"\) at \$0\.4\$, and underconfident \(\"too unsure\"\) at \$2\.5\$",
        r"six spikes of ten with a jitter of 0\.8 ms \(both tested\)",
        r"always the same 2 ms apart, to a tenth",
    ),
    "what is right, by definition": (
        r"\b(?:below|above) [01](?!\.\d)\b",
        r"\| [01] \| (?:below|above|small|\|)",
        r"\| 0\.5 \| above|\| 0\.9 \| below|must be 1\.",
    ),
    "a definition of the check": (
        r"numbers that hold 90 %|more than 90 %|hold exactly 90 %|partitions that hold 99\.9 %",
        r"in 95 of 100 cases|\(chi-square, ten bins\)|below 0\.05 is no news|any number in \(0, 1\)",
        r"first half of their sweeps|up to four rank tests|calibration error in ten bins|with seed 0",
        r"if it agrees with its best cell by less than 0\.8",
    ),
    "a mark, or an end of a scale": (
        r"added with probability 0\b|power of 1 at most|the first value is 0",
        r"\(0 = x, 1 = y\)|\(0 to m − 1\)|[−-]1 = |\(of the encoding; all are 1 today\)",
        r"0 paper, 1 full ink|is 1 at knot|and 0 at all others|are \$?0\$?\. |begins at time 0",
        r"numbers below 1 occur",
    ),
    "a name, or the size of what has the name": (r"UTF-8|ISO 8601|SHA-256|BLAKE2b digest \(16 bytes",),
    "how many there are of things that the sentence names": (
        r"its eight neighbours|summarised by four numbers|no new cluster once there are ten",
        r"fourteen files and five signals",
        r"[Tt]hree (?:other modules|questions|facts|orders|posteriors|development|scores)",
        r"\b(?:Each|None) of the three|first three of them|Third, Rice",
    ),
    "a part of a formula that stands above it": (r"turn where about half of the spikes",),
    "what code of a training does, which tests of trainings know": (
        r"a quarter of its datasets forward, a quarter backward",
        r"by a cosine to 2 %|first four fifths of the run|stays 1 unless|datasets` above 0|above 0, bursts",
        r"until half of a training's draws|[Hh]alf way|half way between",
    ),
    "an order of magnitude": (r"few choices of a thousand|thirty cells by heart|costs half",),
    "why a default was chosen": (
        r"than 0\.999 on batches|by up to a tenth of a sigma|0 = by the clock",
        r"\(why\); 0, or so few that it may be chance, leaves it at 1",
    ),
    "a version of a package": (
        r"of 0\.103 does not|0\.104 and later can|0\.103 cannot open|neo 0\.14\.6|0\.102 cannot be used",
        r"in memory, 0\.103 and 0\.104|under Python 3\.10; later|With 3\.10, `make docs",
    ),
    "what the sentence says itself": (r"exit code 0\. So read|pins of 2026-11-23|never half of one",),
}
"""Reason why a number is not looked up, and patterns of the words around such numbers."""
