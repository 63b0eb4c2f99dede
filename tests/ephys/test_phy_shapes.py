"""Templates, amplitudes and features of a Phy folder, as high as its spikes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ncpgui.core.errors import RecordingError
from ncpgui.core.waveform_format import TROUGH_SAMPLE
from ncpgui.ephys import phy_shapes
from ncpgui.ephys.phy_shapes import read_phy_shapes

N_SPIKES, N_CONTACTS = 6, 3
ROWS = np.arange(N_SPIKES)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two templates of norm one at 20 kHz: one on contact 0, one on contacts 1 and 2 (3 : 4)."""
    templates = np.zeros((2, 40, N_CONTACTS), np.float32)
    templates[0, 20] = -1, 0, 0
    templates[1, 20] = 0, 0.6, 0.8
    np.save(tmp_path / "templates.npy", templates)
    np.save(tmp_path / "spike_templates.npy", np.array([0, 0, 0, 1, 1, 1]))
    np.save(tmp_path / "amplitudes.npy", np.array([10.0, 20, 30, 10, 10, 10]))
    return tmp_path


def read(folder: Path, rows: np.ndarray = ROWS):
    return read_phy_shapes(folder, rows, n_contacts=N_CONTACTS, sampling_frequency_hz=20_000.0)


def test_templates_are_as_high_as_their_spikes_with_the_trough_where_it_belongs(folder: Path) -> None:
    shapes = read(folder)
    found = shapes.waveforms(np.array([1, 3]), np.array([0, 1, 2]))
    assert found.shape == (2, 32, 3)
    assert found[0, :, 0].argmin() == found[1, :, 2].argmax() == TROUGH_SAMPLE
    np.testing.assert_allclose(found[0, TROUGH_SAMPLE], [-20, 0, 0], atol=0.5)
    np.testing.assert_allclose(found[1, TROUGH_SAMPLE], [0, 6, 8], atol=0.2)
    np.testing.assert_allclose(shapes.mean(np.array([0, 1, 2]))[TROUGH_SAMPLE, 0], -20, atol=0.5)
    assert shapes.contacts_of(np.array([3, 4])).tolist() == [2, 1]
    assert not shapes.in_noise_sd


@pytest.mark.parametrize("name", ["whitening_mat_inv.npy", "whitening_mat.npy"])
def test_whitening_of_the_sorter_gives_noise_sd(folder: Path, name: str) -> None:
    """Contact 0 has noise of 4 in the unit of the recording: a whitened height is one in noise sd."""
    back = np.diag([4.0, 2.0, 1.0])
    np.save(folder / name, back if "inv" in name else np.linalg.inv(back))
    shapes = read(folder)
    assert shapes.in_noise_sd
    np.testing.assert_allclose(shapes.mean(np.array([0]))[TROUGH_SAMPLE], [-10, 0, 0], atol=0.3)


def test_noise_of_any_size_that_contacts_share_is_taken_out(folder: Path) -> None:
    """Contacts 0 and 1 have noise of 0.3 and, of two sources, of 0.5: sqrt(0.4 ** 2 + 0.3 ** 2)."""
    np.save(folder / "whitening_mat_inv.npy", np.array([[0.3, 0.4, 0], [0, 0.3, 0], [0, 0, 0.5]]))
    found = read(folder).mean(np.array([0]))[TROUGH_SAMPLE]
    np.testing.assert_allclose(found, [-10, -10 * 0.4 / 0.5, 0], atol=0.3)


def test_templates_that_are_as_high_as_spikes_are_not_multiplied_again(folder: Path) -> None:
    np.save(folder / "templates.npy", 50 * np.load(folder / "templates.npy"))
    heights = read(folder).waveforms(ROWS, np.array([0]))[:3, TROUGH_SAMPLE, 0]
    np.testing.assert_allclose(heights, [-25, -50, -75], rtol=0.03)


def test_sparse_templates_lie_on_their_own_contacts(folder: Path) -> None:
    np.save(folder / "templates.npy", np.load(folder / "templates.npy")[:, :, [0, 2]])
    np.save(folder / "template_ind.npy", np.array([[2.0, -1], [0, 1]]))
    shapes = read(folder)
    assert shapes.contacts_of(np.array([0])).tolist() == [2]
    assert shapes.contacts_of(np.array([3])).tolist() == [1]


def test_features_are_found_by_contact_and_by_spike(folder: Path) -> None:
    np.save(folder / "pc_features.npy", np.arange(5 * 1 * 2).reshape(5, 1, 2).astype(np.float32))
    np.save(folder / "pc_feature_ind.npy", np.array([[0, 1], [2, 1]]))
    np.save(folder / "pc_feature_spike_ids.npy", np.array([0, 1, 2, 3, 5]))
    shapes = read(folder)
    assert shapes.some_of(ROWS).tolist() == [0, 1, 2, 3, 5]
    assert shapes.features_of(np.array([0, 3, 5]), np.array([1, 2])).tolist() == [[1, 0], [7, 6], [9, 8]]


@pytest.mark.parametrize("known", [[0, 1], [1, 9], [1, 10**15], [1, -1], [1, np.nan]])
def test_spikes_without_features_have_none_wherever_the_others_are(folder: Path, known: list[float]) -> None:
    """The file tells of spikes that are the first of the project, or that the project does not have."""
    np.save(folder / "pc_features.npy", np.array([[[1.0, 2.0]], [[3.0, 4.0]]], np.float32))
    np.save(folder / "pc_feature_ind.npy", np.array([[0, 1], [2, 1]]))
    np.save(folder / "pc_feature_spike_ids.npy", np.array(known))
    shapes = read(folder)
    assert shapes.some_of(ROWS).tolist() == [one for one in known if 0 <= one < N_SPIKES]


def test_a_folder_without_features_has_none_of_any_spike(folder: Path) -> None:
    shapes = read(folder)
    assert not shapes.has_features
    assert shapes.features_of(ROWS, np.array([0, 1])).shape == (N_SPIKES, 0)


def test_spikes_of_other_rows_are_left_out(folder: Path) -> None:
    assert read(folder, np.array([5, 0])).template.tolist() == [1, 0]


@pytest.mark.parametrize(
    ("name", "values", "words"),
    [
        (
            "spike_templates.npy",
            np.array([0, 0, 0, 1, 1, 2]),
            "a spike is of template 2, templates.npy has 2",
        ),
        ("spike_templates.npy", np.array([0, 1]), "spike_templates.npy has 2 numbers"),
        ("spike_templates.npy", np.zeros(5), "spike_templates.npy has 5 numbers"),
        ("amplitudes.npy", np.array([1.0, np.nan, 1, 1, 1, 1]), "amplitudes.npy has 6 numbers"),
        ("templates.npy", np.zeros((2, 40)), "holds no templates"),
        ("templates.npy", np.zeros((2, 40, 3, 1)), "holds no templates"),
        ("templates.npy", np.zeros((2, 0, 3)), "holds no templates"),
    ],
)
def test_files_that_do_not_fit_are_refused(folder: Path, name: str, values: np.ndarray, words: str) -> None:
    np.save(folder / name, values)
    with pytest.raises(RecordingError, match=words):
        read(folder)


def test_without_templates_it_says_so(folder: Path) -> None:
    (folder / "templates.npy").unlink()
    with pytest.raises(RecordingError, match=r"has no templates.npy, and without it there are no waveforms"):
        read(folder)


def test_of_very_many_features_some_are_kept_evenly_through_the_recording(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    np.save(
        folder / "pc_features.npy", np.arange(N_SPIKES, dtype=np.float32)[:, None, None] + np.zeros((6, 2, 3))
    )
    for most, expected in ((6, [0, 1, 2, 3, 4, 5]), (5, [0, 1, 2, 3, 4]), (3, [0, 2, 4])):
        monkeypatch.setattr(phy_shapes, "MOST_FEATURED", most)
        shapes = read(folder)
        assert shapes.featured.tolist() == expected
        assert shapes.features[:, 0, 0].tolist() == expected


def test_features_of_spikes_beyond_the_file_are_none_and_those_that_are_no_number_are_0(folder: Path) -> None:
    values = np.ones((4, 2, 3), np.float32)
    values[1, 0, 0] = np.nan
    np.save(folder / "pc_features.npy", values)
    shapes = read(folder)
    assert shapes.featured.tolist() == [0, 1, 2, 3]
    assert shapes.features[1, 0].tolist() == [0, 1, 1]
    np.save(folder / "pc_features.npy", np.ones((6, 2)))
    assert not read(folder).has_features


def test_templates_of_a_part_of_the_contacts_need_a_file_of_their_shape_that_says_which(
    folder: Path,
) -> None:
    whole = read(folder).templates
    np.save(folder / "template_ind.npy", np.array([[0, 1], [0, 1]]))
    assert np.array_equal(read(folder).templates, whole)
    np.save(folder / "templates.npy", np.load(folder / "templates.npy")[:, :, :2])
    np.save(folder / "template_ind.npy", np.array([[0, 1, 2], [0, 1, 2]]))
    with pytest.raises(RecordingError, match=r"has 2 of 3 contacts, and no templates_ind\.npy of its shape"):
        read(folder)


def test_contacts_that_there_are_not_are_left_out(folder: Path) -> None:
    np.save(folder / "template_ind.npy", np.array([[0, np.nan, 3], [1, 2, -1.0]]))
    found = read(folder)
    heights = np.abs(found.templates).max(axis=1)
    assert heights[0] == pytest.approx([1, 0, 0], abs=0.05)
    assert heights[1] == pytest.approx([0, 0, 0.6], abs=0.05)


def test_features_of_a_part_of_the_contacts_are_not_used_unless_it_is_said_which(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    np.save(folder / "pc_features.npy", np.ones((6, 1, 2), np.float32))
    assert not read(folder).has_features
    assert (
        "pc_features.npy, of the shape (6, 1, 2), is not used: no pc_feature_ind.npy that fits" in caplog.text
    )
    np.save(folder / "pc_feature_ind.npy", np.array([[0, 1], [2, 1]]))
    assert read(folder).has_features


def test_a_template_below_0_or_beyond_the_last_is_refused(folder: Path) -> None:
    for wrong in (-1, 2):
        np.save(folder / "spike_templates.npy", np.array([0, 0, 0, 1, 1, wrong]))
        with pytest.raises(
            RecordingError, match=r"a spike is of template .*, templates\.npy has 2; the folder"
        ):
            read(folder)


@pytest.mark.parametrize(("norm", "is_unit"), [(1.99, True), (2.01, False)])
def test_templates_of_a_norm_up_to_two_are_multiplied_by_the_amplitudes(
    folder: Path, norm: float, is_unit: bool
) -> None:
    np.save(folder / "templates.npy", norm * np.load(folder / "templates.npy"))
    scale = read(folder).scale
    assert scale.tolist() == pytest.approx([10, 20, 30, 10, 10, 10] if is_unit else [0.5, 1, 1.5, 1, 1, 1])


def test_without_amplitudes_and_with_those_that_are_0_spikes_are_as_high_as_their_templates(
    folder: Path,
) -> None:
    np.save(folder / "templates.npy", 50 * np.load(folder / "templates.npy"))
    np.save(folder / "amplitudes.npy", np.zeros(6))
    assert read(folder).scale.tolist() == [0] * 6
    (folder / "amplitudes.npy").unlink()
    assert read(folder).scale.tolist() == [1] * 6
