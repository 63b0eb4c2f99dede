"""Handwritten digits with their classes: MNIST from local files, or the small digits of scikit-learn.

MNIST (LeCun, Cortes & Burges; 60 000 training and 10 000 test images of 28 x 28) is read from where the
user keeps it and never downloaded, as the four IDX files (also .gz) or as Keras' mnist.npz. The small
digits (Alpaydin & Kaynak 1998, UCI; 1797 images of 8 x 8) come with scikit-learn.
"""

from __future__ import annotations

import gzip
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.errors import InputError
from ncpgui.core.home import expanded
from ncpgui.core.seeds import stream
from ncpgui.engine.generative.template_reservoir import Split

N_CLASSES = 10
_SIDE = 28  # of MNIST, pixels
_N_SMALL_TRAIN = 1400  # of the 1797 small digits
_IDX_UINT8 = b"\x00\x00\x08"  # magic number of unsigned bytes; the number of dimensions follows
_IDX_PREFIX: dict[Split, str] = {"train": "train", "test": "t10k"}
_NPZ = "mnist.npz"


@dataclass(frozen=True)
class DigitImages:
    """Images of one split.

    images : (M, H, W) uint8, 0 is paper; classes : (M,) uint8, the digit written, 0 .. 9
    white : the value that counts as 1
    """

    images: NDArray[np.uint8]
    classes: NDArray[np.uint8]
    white: float


def load_digits(mnist_folder: str, split: Split) -> DigitImages:
    """Read the digits of `split`: MNIST of a folder, or the small ones where `mnist_folder` is empty.

    Raises
    ------
    InputError
        `split` is unknown, or the folder holds no MNIST, or files that are damaged or something else.
    """
    if split not in _IDX_PREFIX:
        raise InputError(f"split must be 'train' or 'test', got {split!r}")
    return load_mnist(expanded(mnist_folder), split) if mnist_folder else load_small_digits(split)


def load_small_digits(split: Split) -> DigitImages:
    """Read scikit-learn's 8 x 8 digits: 1400 for training and 397 for testing, always the same ones."""
    from sklearn import datasets  # takes a second to import, and is needed for this only

    digits = datasets.load_digits()
    order = stream(0, "small digits").permutation(len(digits.target))
    kept = order[:_N_SMALL_TRAIN] if split == "train" else order[_N_SMALL_TRAIN:]
    images, classes = digits.images[kept].astype(np.uint8), digits.target[kept].astype(np.uint8)
    return DigitImages(images, classes, white=16.0)


def load_mnist(folder: Path, split: Split) -> DigitImages:
    """Read MNIST's own training or test set from a folder.

    Raises
    ------
    InputError
        Neither the IDX files of the split nor mnist.npz are there, or they are damaged, or something else.
    """
    images_path = _idx_path(folder, f"{_IDX_PREFIX[split]}-images", "idx3-ubyte")
    classes_path = _idx_path(folder, f"{_IDX_PREFIX[split]}-labels", "idx1-ubyte")
    if images_path is not None and classes_path is not None:
        images, classes = _read_idx(images_path, n_dims=3), _read_idx(classes_path, n_dims=1)
        return _checked(images, classes, images_path, classes_path)
    npz = folder / _NPZ
    if npz.is_file():
        images, classes = _read_npz(npz, split)
        return _checked(images, classes, npz, npz)
    prefix = _IDX_PREFIX[split]
    raise InputError(
        f"no MNIST in '{folder}': it must hold {prefix}-images-idx3-ubyte and {prefix}-labels-idx1-ubyte "
        f"(or the same with .gz), or {_NPZ}; put the files there, or leave mnist_folder empty for the small "
        "digits of scikit-learn"
    )


def _idx_path(folder: Path, stem: str, kind: str) -> Path | None:
    """Where an IDX file lies: its name is written with - or . before its kind, and may end in .gz."""
    names = [f"{stem}{sign}{kind}{ending}" for sign in "-." for ending in ("", ".gz")]
    return next((folder / name for name in names if (folder / name).is_file()), None)


def _read_idx(path: Path, n_dims: int) -> NDArray[np.uint8]:
    """Read an IDX file: magic number, big-endian sizes, then the bytes of the array."""
    again = "; fetch the file again"
    try:
        data = path.read_bytes()
        if path.suffix == ".gz":
            data = gzip.decompress(data)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{path} cannot be read: {error}{again}") from error
    n_header = 4 + 4 * n_dims
    if len(data) < n_header or data[:4] != _IDX_UINT8 + bytes([n_dims]):
        raise InputError(f"{path} is not an IDX file of unsigned bytes in {n_dims} dimension(s){again}")
    shape = tuple(int(size) for size in np.frombuffer(data, ">u4", n_dims, offset=4))
    n_values = int(np.prod(shape, dtype=np.int64))
    if len(data) != n_header + n_values:
        raise InputError(
            f"{path} is damaged: its header says {n_values} values, it holds {len(data) - n_header}{again}"
        )
    return np.frombuffer(data, np.uint8, offset=n_header).reshape(shape)


def _read_npz(path: Path, split: Split) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    names = [f"x_{split}", f"y_{split}"]
    try:
        with zipfile.ZipFile(path) as archive:
            known = archive.namelist()
        missing = [name for name in names if f"{name}.npy" not in known]
        if missing:
            raise InputError(
                f"{path} has no array '{missing[0]}'; it must hold x_train, y_train, x_test and y_test, as "
                "Keras writes them"
            )
        with np.load(path, allow_pickle=False) as file:
            images, classes = (file[name] for name in names)
    except InputError:
        raise
    except (OSError, EOFError, ValueError, zipfile.BadZipFile, zlib.error) as error:
        raise InputError(f"{path} cannot be read as .npz: {error}; fetch the file again") from error
    for name, array in zip(names, (images, classes), strict=True):
        if array.dtype.kind not in "iu" or (array.size and not 0 <= array.min() <= array.max() <= 255):
            raise InputError(f"array '{name}' of {path} must hold whole numbers 0 .. 255, got {array.dtype}")
    return images.astype(np.uint8), classes.astype(np.uint8)


def _checked(
    images: NDArray[np.uint8], classes: NDArray[np.uint8], images_path: Path, classes_path: Path
) -> DigitImages:
    """Check that images and classes are those of MNIST and belong together."""
    if images.ndim != 3 or images.shape[1:] != (_SIDE, _SIDE):
        raise InputError(
            f"{images_path} must hold images of {_SIDE} x {_SIDE} pixels, got an array of shape "
            f"{images.shape}; give the folder of MNIST itself"
        )
    if classes.shape != (len(images),):
        raise InputError(
            f"{classes_path} must hold one class for each of the {len(images)} images of {images_path.name}, "
            f"got an array of shape {classes.shape}; fetch both from the same place"
        )
    present = np.unique(classes)
    if not np.array_equal(present, np.arange(N_CLASSES)):
        raise InputError(
            f"{classes_path} must have each of the digits 0 .. 9 and nothing else, got "
            f"{', '.join(map(str, present[:12])) or 'none'}; give the folder of MNIST itself"
        )
    return DigitImages(images, classes, white=255.0)
