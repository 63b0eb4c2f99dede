"""Rows of hours of many channels."""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.common.report import with_others
from benchmarks.speed.endurance import compared


def test_endurance_of_one_recording_keeps_the_rows_of_the_other(tmp_path: Path) -> None:
    old = [{"channels": 64, "seconds": 72.0, "MiB": 100}, {"channels": 384, "seconds": 12.0, "MiB": 900}]
    new = [{"channels": 384, "seconds": 12.0, "MiB": 200}, {"channels": 384, "seconds": 120.0, "MiB": 220}]
    page = tmp_path / "endurance.json"
    page.write_text(json.dumps({"origin": {"date": "2025-12-31"}, "rows": old}), encoding="utf-8")
    rows = with_others(compared(new), page, "channels")
    assert [(row["channels"], row["MiB"]) for row in rows] == [(64, 100), (384, 200), (384, 220)]
    assert [row["times"] for row in rows[1:]] == [1, 1.1]
    assert rows[0]["made"] == "2025-12-31"
