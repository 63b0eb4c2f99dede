"""Columns of a raw file that a folder or a session names: each once, and all in the file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ncpgui.core.errors import RecordingError
from ncpgui.ephys.raw_columns import open_columns


@pytest.mark.parametrize("columns", [[], [2], [-1], [[True]], [[0], [1]], [1, 1]])
def test_columns_that_are_not_in_the_file_are_refused_with_its_name(tmp_path: Path, columns: Any) -> None:
    path = tmp_path / "r.raw"
    path.write_bytes(bytes(4000))
    with pytest.raises(RecordingError, match=r"does not fit 2 channels \(.*r\.raw\)"):
        open_columns(
            path, sampling_frequency=20_000.0, n_channels=2, dtype="int16", probe="linear-1", columns=columns
        )
