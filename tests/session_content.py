"""Everything that a session and its cache hold, but for what tells one writing of it from another."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import numpy as np

from ncpgui.session.schema import SessionPaths

OF_THE_WRITING = ("session_id", "save_id", "saved_at")


def content_of(session: Path) -> dict[str, Any]:
    """Datasets as bytes, with dtype and shape, and attributes, by file and place."""
    found: dict[str, Any] = {}
    for file in (session, SessionPaths.of(session).waveforms):
        with h5py.File(file, "r") as opened:

            def look(name: str, node: Any, kind: str = file.suffix) -> None:
                for key, value in node.attrs.items():
                    if key not in OF_THE_WRITING:
                        found[f"{kind}:{name}@{key}"] = value
                if isinstance(node, h5py.Dataset):
                    value = node[()]
                    array = np.asarray(value)
                    data = value if array.dtype.kind == "O" else array.tobytes()
                    found[f"{kind}:{name}"] = (array.dtype.str, array.shape, data)

            look("", opened)
            opened.visititems(look)
    return found
