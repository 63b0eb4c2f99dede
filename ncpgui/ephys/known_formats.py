"""Formats of recordings as installed here: what is opened, and what SpikeInterface alone reads."""

from __future__ import annotations

from dataclasses import dataclass

from ncpgui.core.errors import RecordingError
from ncpgui.ephys.formats import FORMATS, RAW_ENDINGS, SAVED, reader_class

STATES = {
    "read": "tests open a recording as its program writes it",
    "recognised": "opened with the reader of SpikeInterface, known by name; no test opens one",
    "not opened": "SpikeInterface reads it; save it with recording.save(folder=...), open the folder",
}
"""What is claimed of a format."""


@dataclass(frozen=True)
class KnownFormat:
    """state : one of `STATES`; known_by : endings of files and patterns of what lies in folders;
    reader : class of SpikeInterface, or ncpgui.
    """

    name: str
    state: str
    known_by: tuple[str, ...]
    reader: str


def known_formats() -> list[KnownFormat]:
    """Formats that are opened here, then those that only SpikeInterface reads, as this version lists them."""
    from spikeinterface.extractors.extractor_classes import recording_extractor_full_dict

    rows = [
        KnownFormat("raw binary", "read", RAW_ENDINGS, "ncpgui"),
        KnownFormat("ncpgui simulate", "read", ("recording.json",), "ncpgui"),
        KnownFormat("SpikeInterface folder, Zarr", "read", (".zarr", *SAVED), "BinaryFolderRecording"),
    ]
    opened = {"BinaryFolderRecording", "ZarrRecordingExtractor", "BinaryRecordingExtractor"}
    for known in FORMATS:
        try:
            reader_class(known.reader)
        except RecordingError:
            continue  # this version of SpikeInterface has it no more
        by = tuple(dict.fromkeys((*known.endings, *([known.inside] if known.inside else []))))
        rows.append(KnownFormat(known.name, "read" if known.is_tested else "recognised", by, known.reader))
        opened.add(known.reader)
    by_function = {"openephysbinary", "openephyslegacy", "mearec"}  # listed as functions, not as classes
    memory = {"numpy"}
    for name, reader in sorted(recording_extractor_full_dict.items()):
        if getattr(reader, "__name__", name) not in opened and name not in by_function | memory:
            rows.append(KnownFormat(name, "not opened", (), getattr(reader, "__name__", name)))
    return sorted(rows, key=lambda row: list(STATES).index(row.state))
