"""What an HDF5 file holds is in that file: links and data that lead to others are refused, and sizes made up.

HDF5 follows such links without a word. A file from somebody else could so show what is in any file that the
reader may read, wait for a pipe, or ask for more memory than there is.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import h5py

_WAY_OUT = "ncpgui reads what is in one file; copy the data into it, as 'h5repack' and 'h5copy' do"


class Sizes(NamedTuple):
    """What is believed of the sizes of data sets, before memory is asked for.

    from_bytes : size from which a data set is asked whether it can be so large
    expands : bytes that one byte on the disk can stand for
    in_all : bytes of all data sets together, None for any: those that are read piece by piece
    """

    from_bytes: int
    expands: int
    in_all: int | None


OF_RECORDINGS = Sizes(2**30, 10_000, None)
READ_WHOLE = Sizes(2**20, 1032, 16 * 2**30)
"""Of a session, compressed by zlib only, whose arrays are in memory in the end."""


def not_its_own(file: h5py.File, sizes: Sizes = OF_RECORDINGS) -> str:
    """What in an HDF5 file is kept in another one, or said to be larger than it can be; '' where nothing."""
    import h5py

    links: list[tuple[bytes, int]] = []
    file.id.links.visit(lambda name, info: links.append((name, info.type)), info=True)
    total = 0
    for name, kind in links:  # after the visit: an error inside leaves HDF5 by way of the interpreter's own
        place = "/" + name.decode(errors="replace")
        if kind == h5py.h5l.TYPE_SOFT:
            continue
        if kind != h5py.h5l.TYPE_HARD:
            return f"{place} is a link to another file; {_WAY_OUT}"
        found = h5py.h5o.open(file.id, name)
        if not isinstance(found, h5py.h5d.DatasetID):
            continue
        announced = math.prod(found.shape or ()) * found.get_type().get_size()
        total += announced
        if sizes.in_all is not None and total > sizes.in_all:
            return f"its arrays announce more than {sizes.in_all >> 30} GiB, the most that is read"
        settings = found.get_create_plist()
        problem = _kept_elsewhere(settings, place)
        if not problem and announced > sizes.from_bytes:
            problem = _made_up(found, settings, place, announced, sizes)
        if problem:
            return problem
    return ""


def _kept_elsewhere(settings: h5py.h5p.PropDCID, place: str) -> str | None:
    import h5py

    if settings.get_external_count():
        return f"the values of {place} are kept in another file; {_WAY_OUT}"
    if settings.get_layout() == h5py.h5d.VIRTUAL:
        sources = {settings.get_virtual_filename(number) for number in range(settings.get_virtual_count())}
        return None if sources <= {"."} else f"the values of {place} are those of other files; {_WAY_OUT}"
    return None


def _made_up(
    data: h5py.h5d.DatasetID, settings: h5py.h5p.PropDCID, place: str, announced: int, sizes: Sizes
) -> str | None:
    import h5py

    is_virtual = settings.get_layout() == h5py.h5d.VIRTUAL
    stored = h5py.h5i.get_file_id(data).get_filesize() if is_virtual else data.get_storage_size()
    if announced > sizes.expands * stored:
        return (
            f"{place} announces {announced} bytes, of which {stored} are stored: it is damaged, or was never "
            "written; use a backup"
        )
    return None
