"""Clusters of digits: one digit a cluster, the paper's prior, and MNIST read from every form of its files."""

from __future__ import annotations

import gzip
import math
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import torch

from ncpgui.core.errors import InputError
from ncpgui.engine.generative.batch import canonical_labels
from ncpgui.engine.generative.digit_images import load_digits, load_mnist
from ncpgui.engine.generative.digit_mixture import DigitMixture, DigitMixtureSettings

FILES = {
    "train": ("train-images-idx3-ubyte", "train-labels-idx1-ubyte"),
    "test": ("t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"),
}


def tiny_mnist(split: str) -> tuple[np.ndarray, np.ndarray]:
    """Two images of each digit; every pixel of an image says its digit and which of the two it is."""
    classes = np.tile(np.arange(10, dtype=np.uint8), 2)
    values = 20 * classes + np.repeat([1, 2], 10).astype(np.uint8) + (split == "test") * 10
    return np.broadcast_to(values[:, None, None], (20, 28, 28)).astype(np.uint8), classes


def idx(array: np.ndarray) -> bytes:
    header = bytes([0, 0, 8, array.ndim]) + np.array(array.shape, ">u4").tobytes()
    return header + array.astype(np.uint8).tobytes()


def write_idx(folder: Path, *, ending: str = "", dot: bool = False) -> None:
    for split, names in FILES.items():
        for name, array in zip(names, tiny_mnist(split), strict=True):
            name = name.replace("-idx", ".idx") if dot else name
            data = gzip.compress(idx(array)) if ending else idx(array)
            (folder / (name + ending)).write_bytes(data)


def write_npz(folder: Path) -> None:
    arrays = {}
    for split in FILES:
        arrays[f"x_{split}"], arrays[f"y_{split}"] = tiny_mnist(split)
    np.savez(folder / "mnist.npz", **arrays)


FORMS = {
    "idx": lambda folder: write_idx(folder),
    "idx.gz": lambda folder: write_idx(folder, ending=".gz"),
    "dotted": lambda folder: write_idx(folder, dot=True),
    "npz": write_npz,
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("split", ["train", "test"])
def test_every_form_of_mnist_gives_the_images_and_classes_that_were_written(
    form: str, split: str, tmp_path: Path
) -> None:
    FORMS[form](tmp_path)
    digits = load_mnist(tmp_path, split)
    images, classes = tiny_mnist(split)
    np.testing.assert_array_equal(digits.images, images)
    np.testing.assert_array_equal(digits.classes, classes)


def test_the_small_digits_are_divided_into_1400_and_397_different_images() -> None:
    train, test = load_digits("", "train"), load_digits("", "test")
    assert train.images.shape == (1400, 8, 8)
    assert test.images.shape == (397, 8, 8)
    assert np.array_equal(load_digits("", "train").classes, train.classes)
    assert min(np.bincount(test.classes)) >= 20
    from sklearn.datasets import load_digits as all_digits

    rows = [tuple(image.ravel()) for image in np.concatenate([train.images, test.images])]
    assert Counter(rows) == Counter(tuple(image.ravel().astype(np.uint8)) for image in all_digits().images)


def test_each_cluster_is_one_digit_and_no_digit_serves_two_clusters(
    tmp_path: Path, generator: torch.Generator
) -> None:
    write_idx(tmp_path)
    model = DigitMixture(DigitMixtureSettings(mnist_folder=str(tmp_path), alpha=3.0), "train")
    (images,), labels = model.sample(40, 30, generator)
    assert images.shape == (40, 30, 28, 28)
    assert images.dtype == torch.float32
    digit = (images[..., 0, 0] * 255 / 20).floor().long()
    assert torch.equal(canonical_labels(digit), labels)


def test_digits_of_clusters_and_images_of_digits_are_uniform(
    tmp_path: Path, generator: torch.Generator
) -> None:
    write_idx(tmp_path)
    model = DigitMixture(DigitMixtureSettings(mnist_folder=str(tmp_path)), "train")
    (images,), _ = model.sample(20_000, 1, generator)
    value = (images[:, 0, 0, 0] * 255).round().long()
    counts = torch.bincount(value, minlength=200)
    there = counts[counts > 0]
    assert len(there) == 20
    assert ((there / 20_000 - 0.05).abs() < 5 * math.sqrt(0.05 * 0.95 / 20_000)).all()


def test_no_dataset_has_more_than_ten_clusters(generator: torch.Generator) -> None:
    labels = (
        DigitMixture(DigitMixtureSettings(alpha=50.0, alpha_drawn=False)).sample(20, 60, generator).labels
    )
    assert labels.max() == 9


def test_the_label_prior_is_the_chinese_restaurant_process(generator: torch.Generator) -> None:
    """Two points are together with probability 1 / (1 + alpha)."""
    model = DigitMixture(DigitMixtureSettings(alpha=0.7, alpha_drawn=False))
    labels = model.sample(20_000, 2, generator).labels
    p = 1 / 1.7
    assert abs((labels[:, 1] == 0).float().mean().item() - p) < 5 * math.sqrt(p * (1 - p) / 20_000)


def test_images_lie_between_0_and_1_and_come_from_their_own_split(generator: torch.Generator) -> None:
    batches = {split: DigitMixture(split=split).sample(8, 50, generator).points[0] for split in FILES}
    for images in batches.values():
        assert images.shape == (8, 50, 8, 8)
        assert images.min() == 0
        assert images.max() == 1
    seen = {split: {tuple(i.flatten().tolist()) for i in b.flatten(0, 1)} for split, b in batches.items()}
    own = {split: {tuple(i.ravel() / 16) for i in load_digits("", split).images} for split in FILES}
    assert seen["train"] <= own["train"]
    assert seen["test"] <= own["test"]


def test_the_same_seed_gives_the_same_datasets_and_a_range_pads_them() -> None:
    model = DigitMixture()
    first, again = (model.sample(6, (3, 9), torch.Generator().manual_seed(4)) for _ in range(2))
    assert torch.equal(first.points[0], again.points[0])
    assert torch.equal(first.labels, again.labels)
    assert ((first.n_points >= 3) & (first.n_points <= 9)).all()
    assert len(first.n_points.unique()) > 1


def test_datasets_may_share_their_labels_as_in_the_paper(generator: torch.Generator) -> None:
    labels = DigitMixture(DigitMixtureSettings(shared_labels=True)).sample(5, 40, generator).labels
    assert (labels == labels[0]).all()


def _break_images(folder: Path) -> None:
    name = folder / FILES["train"][0]
    name.write_bytes(name.read_bytes()[:-100])


def _other_shape(folder: Path) -> None:
    (folder / FILES["train"][0]).write_bytes(idx(np.zeros((20, 8, 8))))


def _text(folder: Path) -> None:
    (folder / FILES["train"][1]).write_text("<html>not found</html>")


def _fewer_classes(folder: Path) -> None:
    (folder / FILES["train"][1]).write_bytes(idx(np.arange(10)))


def _letters(folder: Path) -> None:
    (folder / FILES["train"][1]).write_bytes(idx(np.arange(20)))


def _no_gzip(folder: Path) -> None:
    name = folder / FILES["train"][0]
    name.rename(f"{name}.gz")


def _labels_missing(folder: Path) -> None:
    (folder / FILES["train"][1]).unlink()


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (_break_images, "train-images-idx3-ubyte is damaged: its header says 15680 values, it holds 15580"),
        (_other_shape, r"must hold images of 28 x 28 pixels, got an array of shape \(20, 8, 8\)"),
        (_text, "train-labels-idx1-ubyte is not an IDX file of unsigned bytes in 1 dimension"),
        (_fewer_classes, "must hold one class for each of the 20 images"),
        (_letters, "must have each of the digits 0 .. 9 and nothing else"),
        (_no_gzip, "train-images-idx3-ubyte.gz cannot be read"),
        (_labels_missing, "it must hold train-images-idx3-ubyte and train-labels-idx1-ubyte"),
    ],
)
def test_files_that_are_not_mnist_are_named_with_what_is_wrong(damage, message: str, tmp_path: Path) -> None:
    write_idx(tmp_path)
    damage(tmp_path)
    with pytest.raises(InputError, match=message):
        DigitMixture(DigitMixtureSettings(mnist_folder=str(tmp_path)), "train")


def test_a_folder_without_mnist_says_what_it_should_hold(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no MNIST in .* or leave mnist_folder empty"):
        load_digits(str(tmp_path), "test")


def test_an_npz_without_an_array_or_of_other_things_is_named(tmp_path: Path) -> None:
    path = tmp_path / "mnist.npz"
    np.savez(path, x_train=tiny_mnist("train")[0])
    with pytest.raises(InputError, match="has no array 'y_train'"):
        load_mnist(tmp_path, "train")
    np.savez(path, x_train=np.zeros((20, 28, 28)), y_train=np.arange(20) % 10)
    with pytest.raises(InputError, match=r"array 'x_train' .* whole numbers 0 .. 255, got float64"):
        load_mnist(tmp_path, "train")
    path.write_bytes(b"PK\x03\x04 cut off")
    with pytest.raises(InputError, match=r"mnist.npz cannot be read as .npz"):
        load_mnist(tmp_path, "train")
    path.write_bytes(b"")
    with pytest.raises(InputError, match=r"mnist.npz cannot be read as .npz"):
        load_mnist(tmp_path, "train")
    np.savez(path, x_train=np.array([None]), y_train=np.arange(1))  # a pickle is never opened
    with pytest.raises(InputError, match=r"mnist.npz cannot be read as .npz"):
        load_mnist(tmp_path, "train")
    np.save(path.with_suffix(".npy"), np.zeros(3))
    path.with_suffix(".npy").rename(path)
    with pytest.raises(InputError, match=r"mnist.npz cannot be read as .npz"):
        load_mnist(tmp_path, "train")


def test_settings_must_make_sense() -> None:
    with pytest.raises(InputError, match="'alpha' must be positive, got 0"):
        DigitMixtureSettings(alpha=0.0)
    with pytest.raises(InputError, match="split must be 'train' or 'test', got 'valid'"):
        DigitMixture(split="valid")  # type: ignore[arg-type]


def test_deformed_images_stay_near_the_images_and_the_test_split_stays_as_it_is() -> None:
    settings = DigitMixtureSettings(deformed=True)
    plain, bent = (
        DigitMixture(one, "train").sample(4, 20, torch.Generator().manual_seed(3))
        for one in (DigitMixtureSettings(), settings)
    )
    assert torch.equal(plain.labels, bent.labels)
    a, b = plain.points[0], bent.points[0]
    assert b.min() >= 0
    assert b.max() <= 1
    apart = (a - b).square().mean((2, 3))
    others = (a - a.roll(1, 1)).square().mean((2, 3))
    assert (apart > 0).all()
    assert apart.mean() < 0.5 * others.mean()
    held_out = [
        DigitMixture(one, "test").sample(2, 9, torch.Generator().manual_seed(4)).points[0]
        for one in (DigitMixtureSettings(), settings)
    ]
    assert torch.equal(*held_out)
