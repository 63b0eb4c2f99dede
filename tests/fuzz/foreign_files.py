"""Folders in which something is not what it seems: links, pipes, archives, pickles, values of other files."""

from __future__ import annotations

import gzip
import json
import os
import pickle
import shutil
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from hypothesis import strategies as st

from tests.ephys.ways_in import Program
from tests.fuzz.spellings import another_encoding, other_columns

SECRET = "what nobody else should read\n"
_HOWS = (
    "link to another", "link to the folder", "link to the folder above", "link to itself", "link to nowhere",
    "link to a device", "link to the secret", "link to a pipe", "pipe", "zip", "tar", "gzip", "folder",
    "pickle", "array of pickles", "hard link", "holes", "moved behind a link", "encoding", "columns",
    "storage", "virtual",
)  # fmt: skip


def change_a_file(data: st.DataObject, folder: Path, outside: Path) -> None:
    """Put something else in the place of a file or folder under `folder`.

    outside : a folder that holds what links lead to; what is run makes ``was run`` there
    """
    inside = sorted(path for path in folder.rglob("*") if not path.is_symlink())
    if not inside:
        return
    path = data.draw(st.sampled_from(inside))
    how = data.draw(st.sampled_from(_HOWS))
    if how == "moved behind a link":
        place = folder / data.draw(st.sampled_from(("extensions", "elsewhere", "properties", ".hidden")))
        place.mkdir(exist_ok=True)
        moved = place / path.name
        if place == path or place.is_relative_to(path) or moved.exists():
            return
        shutil.move(path, moved)
        path.symlink_to(moved)
        return
    is_short = path.is_file() and path.stat().st_size < 2**26
    content = path.read_bytes() if is_short else b"x"
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink()
    targets = {
        "link to another": data.draw(st.sampled_from(inside)),
        "link to the folder": folder,
        "link to the folder above": Path(".."),
        "link to itself": Path(path.name),
        "link to nowhere": Path("nowhere"),
        "link to a device": Path(data.draw(st.sampled_from(("/dev/zero", "/dev/tty", "/dev/full")))),
        "link to the secret": outside / "secret",
        "link to a pipe": outside / "pipe",
    }
    if how in targets:
        path.symlink_to(targets[how])
    elif how == "pipe":
        os.mkfifo(path)
    elif how == "zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr(path.name, content)
    elif how == "tar":
        (outside / "content").write_bytes(content)
        with tarfile.open(path, "w") as archive:
            archive.add(outside / "content", path.name)
    elif how == "gzip":
        path.write_bytes(gzip.compress(content))
    elif how == "folder":
        path.mkdir()
    elif how == "pickle":
        path.write_bytes(pickle.dumps(Program(outside / "was run")))
    elif how == "array of pickles":
        with path.open("wb") as file:
            np.save(file, np.array([Program(outside / "was run")], dtype=object))
    elif how == "hard link":
        path.hardlink_to(outside / "secret")
    elif how == "encoding":
        path.write_bytes(data.draw(another_encoding(content)))
    elif how == "columns":
        path.write_bytes(data.draw(other_columns(content)))
    elif how in ("storage", "virtual"):
        with h5py.File(path, "w") as file:
            _put_elsewhere(file, "x", how, outside)
    else:
        path.write_bytes(content)
        os.truncate(path, 2**40)


def outside_of(folder: Path) -> Path:
    """A folder with what links lead to: a secret, a pipe, archives, a pickle."""
    folder.mkdir(exist_ok=True)
    (folder / "secret").write_text(SECRET)
    (folder / "p.pkl").write_bytes(pickle.dumps(Program(folder / "was run")))
    if not (folder / "pipe").exists():
        os.mkfifo(folder / "pipe")
    with zipfile.ZipFile(folder / "a.zarr.zip", "w") as archive:
        archive.writestr(".zgroup", '{"zarr_format": 2}')
    return folder


def change_a_path(data: st.DataObject, file: Path, outside: Path) -> None:
    """Let a description name another path somewhere."""
    paths = (
        ".", "..", "/", "~", "", "/dev/zero", "/dev", "zip::a", "http://x/a", "file:///a", "s3://a", "$HOME",
        str(outside), str(outside / "secret"), str(outside / "pipe"), str(outside / "p.pkl"),
        str(outside / "a.zarr.zip"), str(file), "\0", "x" * 300,
    )  # fmt: skip
    value = json.loads(file.read_text())
    places = list(_texts(value))
    if places:
        holder, key = data.draw(st.sampled_from(places))
        holder[key] = data.draw(st.sampled_from(paths))
    if data.draw(st.booleans()):
        value["relative_paths"] = data.draw(st.sampled_from((True, False, None, 1, "x")))
    file.write_text(json.dumps(value))


def _texts(value: Any) -> list[tuple[Any, Any]]:
    """Places of all texts inside a JSON value: what holds each, and its key there."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    found = []
    for key, inner in items:
        found += [(value, key)] if isinstance(inner, str) else _texts(inner)
    return found


def put_elsewhere(data: st.DataObject, path: Path, outside: Path) -> bool:
    """Let an element of an HDF5 file lie elsewhere; whether that is outside of the file, or made up."""
    with h5py.File(path, "r+") as file:
        names: list[str] = []
        file.visit(names.append)
        name = data.draw(st.sampled_from(names))
        how = data.draw(
            st.sampled_from(
                ("storage", "link", "pipe", "virtual", "soft", "loop", "hollow", "hard", "nothing")
            )
        )
        node = file[name]
        attributes = dict(node.attrs)
        shape = node.shape if isinstance(node, h5py.Dataset) else (10,)
        parent, _, last = name.rpartition("/")
        group = file[parent] if parent else file
        other = data.draw(st.sampled_from(names))
        if how in ("soft", "loop", "hard") and other.startswith(name):
            how = "nothing"
        target = file[other] if how == "hard" else None
        del group[last]
        if how == "storage" and shape == ():
            how = "nothing"  # h5py makes none of a single value
        elif how == "storage" or how == "virtual":
            made = _put_elsewhere(group, last, how, outside, shape)
        elif how == "link":
            group[last] = h5py.ExternalLink(str(outside / "secret"), "/x")
        elif how == "pipe":
            group[last] = h5py.ExternalLink(str(outside / "pipe"), "/x")
        elif how == "hollow":
            made = group.create_dataset(last, (10**6, 10**6), "f8", chunks=(1000, 1000))
        elif how == "soft":
            group[last] = h5py.SoftLink(f"/{other}")
        elif how == "loop":
            group[last] = h5py.SoftLink(f"/{name}")
        elif target is not None:
            group[last] = target
        if how in ("storage", "virtual", "hollow"):
            made.attrs.update(attributes)
    return how in ("storage", "link", "pipe", "virtual", "hollow")


def _put_elsewhere(
    group: h5py.Group, name: str, how: str, outside: Path, shape: tuple[int, ...] = (10,)
) -> h5py.Dataset:
    """Make a data set whose values are those of the secret."""
    secret = str(outside / "secret")
    if how == "storage":
        return group.create_dataset(name, shape, "u1", external=[(secret, 0, 2**20)])
    layout = h5py.VirtualLayout((10,), "u1")
    layout[:] = h5py.VirtualSource(secret, "x", (10,))
    return group.create_virtual_dataset(name, layout)
