"""A second opinion on the command line: the folder is read only, decisions go back when asked."""

from __future__ import annotations

import itertools
import re
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ncpgui.app.model.adoption import adopt
from ncpgui.app.model.workspace import Workspace
from ncpgui.session import store
from tests.phy_folder import FEW, HALF, MERGED, OTHER_HALF, QUICK, TRAINS, bytes_of, table, write_phy

from .conftest import Command


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("settings") / "quick.toml"
    path.write_text(QUICK)
    return path


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_phy(tmp_path_factory.mktemp("given") / "phy")


@pytest.fixture
def folder(written: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(written, tmp_path / "phy"))


@pytest.fixture(scope="module")
def sampled(written: Path, quick: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    from ncpgui.cli.main import run

    path = tmp_path_factory.mktemp("sessions") / "review.h5"
    before = bytes_of(written)
    assert run(["review", str(written), "--out", str(path), "--settings", str(quick)]) == 0
    assert bytes_of(written) == before, "the folder that is reviewed is only read"
    return path


def test_units_keep_their_ids_times_and_labels(sampled: Path) -> None:
    project = store.load(sampled)
    for unit, train in TRAINS.items():
        np.testing.assert_array_equal(project.spikes.sample_index[project.unit_of_spike == unit], train)
    assert project.given is not None
    assert project.given.labels == {MERGED: "good", HALF: "mua"}
    assert project.probe.positions_um.tolist() == [[0, 0], [50, 0], [0, 50], [50, 50]]


def test_what_was_missing_and_what_is_unknown_is_said(
    ncpgui: Command, folder: Path, quick: Path, tmp_path: Path
) -> None:
    (folder / "spike_clusters.npy").unlink()
    ran = ncpgui("review", folder / "params.py", "--out", tmp_path / "s.h5", "--settings", quick)
    assert ran.code == 0
    assert "note: spike_clusters.npy is not there: the clusters are those of spike_templates.npy" in ran.err
    assert "note: cluster_group.tsv labels nothing: none of its clusters (7, 40) has a spike" in ran.err
    assert "warning: a unit has no probabilities: unit 0 has 3 spikes" in ran.err
    assert "413 spikes of 4 units in 2 components" in ran.err


def test_the_recording_is_found_again_to_sample_more(sampled: Path) -> None:
    from ncpgui.app.work import recordings

    project = store.load(sampled)
    live = recordings.reopen(project)
    try:
        assert [draw.id for draw in live.found.draws] == [one.id for one in project.components]
        again = live.found.units.unit
        np.testing.assert_array_equal(live.found.unit_ids[again], project.unit_of_spike)
    finally:
        live.close()


REFUSED = {
    "lengths differ": (
        lambda f: np.save(f / "spike_clusters.npy", np.zeros(5, int)),
        r"spike_times.npy has 413 spikes, spike_clusters.npy has 5; the folder is damaged",
    ),
    "many times before 0": (
        lambda f: np.save(f / "spike_times.npy", np.arange(-12, 401)),
        r"12 of 413 spikes are outside: a spike at sample -12 lies outside the recording of 400000 samples",
    ),
    "a time that is none": (
        lambda f: np.save(f / "spike_times.npy", np.r_[np.arange(412.0), np.nan]),
        r"spike_times.npy: spike 412 is at nan; times must be samples",
    ),
    "many times past the end": (
        lambda f: np.save(f / "spike_times.npy", np.arange(413) * 1000),
        r"13 of 413 spikes are outside: .* sample 412000 lies outside the recording of 400000 samples",
    ),
    "half a cluster": (
        lambda f: np.save(f / "spike_clusters.npy", np.r_[np.zeros(412), 1.5]),
        r"spike_clusters.npy: spike 412 is in cluster 1.5; clusters must be whole numbers from 0 on",
    ),
    "a cluster below 0": (
        lambda f: np.save(f / "spike_clusters.npy", np.r_[np.zeros(412, int), -1]),
        r"spike 412 is in cluster -1; clusters must be whole",
    ),
    "a pickle": (
        lambda f: np.save(f / "spike_clusters.npy", np.array([{}], object), allow_pickle=True),
        r"spike_clusters.npy cannot be read as an array",
    ),
    "no clusters": (
        lambda f: [(f / f"spike_{name}.npy").unlink() for name in ("clusters", "templates")],
        r"has neither spike_clusters.npy nor spike_templates.npy",
    ),
    "no spikes": (
        lambda f: [np.save(f / f"spike_{name}.npy", np.zeros(0, int)) for name in ("times", "clusters")],
        r"holds no spike; there is nothing to review",
    ),
    "channels and places that disagree": (
        lambda f: np.save(f / "channel_map.npy", np.arange(3)),
        r"channel_map.npy has 3 channels, channel_positions.npy 4",
    ),
    "no recording, and nothing that says where the contacts are": (
        lambda f: [(f / name).unlink() for name in ("recording.dat", "channel_positions.npy")],
        r"\(dat_path = 'recording.dat'\) is not there; give it with --recording, .*; without it the sorting "
        r"cannot be opened either: .* has no channel_positions.npy, .*; add --probe",
    ),
    "a params.py that is not Python": (
        lambda f: (f / "params.py").write_text("sample_rate = = 3"),
        r"params.py is not a list of 'name = value' lines",
    ),
    "another sampling frequency": (
        lambda f: (f / "params.py").write_text(
            (f / "params.py").read_text().replace("sample_rate = 20000.0", "sample_rate = 'fast'")
        ),
        r"cannot be opened as its params.py says.*give it with --recording",
    ),
    "no folder of a sorter": (lambda f: shutil.rmtree(f) or f.mkdir(), r"there is no sorting in .*empty"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_a_folder_that_cannot_be_used_is_refused_in_one_line(
    ncpgui: Command, folder: Path, tmp_path: Path, what: str
) -> None:
    damage, words = REFUSED[what]
    damage(folder)
    error = ncpgui("review", folder, "--out", tmp_path / "s.h5").error
    assert re.search(words, error), error
    assert not (tmp_path / "s.h5").exists()


def test_it_says_what_is_missing_on_the_command_line(ncpgui: Command, folder: Path, tmp_path: Path) -> None:
    error = ncpgui("review", folder, "--out", tmp_path / "s.h5", "--n-channels", 4).error
    assert "are of a --recording, which is missing" in error
    assert "does not exist" in ncpgui("review", tmp_path / "no", "--out", tmp_path / "s.h5").error


def test_spikes_out_of_order_and_fractions_are_repaired_and_said(
    ncpgui: Command, folder: Path, quick: Path, tmp_path: Path
) -> None:
    times = np.load(folder / "spike_times.npy").ravel()
    clusters = np.load(folder / "spike_clusters.npy").ravel()
    np.save(folder / "spike_times.npy", times[::-1] + 0.25)
    np.save(folder / "spike_clusters.npy", clusters[::-1].astype(float))
    ran = ncpgui("review", folder, "--out", tmp_path / "s.h5", "--settings", quick)
    assert ran.code == 0
    assert "note: spike times are not in order of time in the file: they are taken in order" in ran.err
    assert "note: spike times have fractions of a sample: they are rounded to samples" in ran.err
    project = store.load(tmp_path / "s.h5")
    np.testing.assert_array_equal(project.spikes.sample_index, times)
    np.testing.assert_array_equal(project.unit_of_spike, clusters)


def test_a_recording_that_moved_with_its_folder_is_found_and_said(
    ncpgui: Command, folder: Path, quick: Path, tmp_path: Path
) -> None:
    text = (folder / "params.py").read_text()
    (folder / "params.py").write_text(text.replace("'recording.dat'", r"'C:\\data\\recording.dat'"))
    (folder / "recording.dat").rename(tmp_path / "recording.dat")
    ran = ncpgui("review", folder, "--out", tmp_path / "s.h5", "--settings", quick)
    assert ran.code == 0
    assert f"is not there; the recording is taken to be {tmp_path / 'recording.dat'}" in ran.err


def test_a_recording_that_is_given_is_read_as_params_say(
    ncpgui: Command, folder: Path, quick: Path, tmp_path: Path
) -> None:
    (folder / "recording.dat").rename(tmp_path / "elsewhere.bin")
    options = ["--recording", tmp_path / "elsewhere.bin", "--settings", quick]
    assert ncpgui("review", folder, "--out", tmp_path / "s.h5", *options).code == 0
    assert store.load(tmp_path / "s.h5").recording.path == str(tmp_path / "elsewhere.bin")


def test_without_params_the_recording_is_described_by_hand(
    ncpgui: Command, folder: Path, quick: Path, tmp_path: Path
) -> None:
    (folder / "params.py").unlink()
    data = folder / "recording.dat"
    (tmp_path / "bare.dat").write_bytes(data.read_bytes()[8:])
    raw = ["--recording", tmp_path / "bare.dat", "--sampling-frequency", 20000, "--n-channels", 5]
    ran = ncpgui("review", folder, "--out", tmp_path / "s.h5", "--settings", quick, *raw)
    assert ran.code == 0
    assert store.load(tmp_path / "s.h5").probe.n_channels == 4


# -- written back -------------------------------------------------------------------------------


@pytest.fixture
def curated(folder: Path, sampled: Path, tmp_path: Path) -> Path:
    """A session about `folder` in which a person used the likelier sortings, and labelled a unit."""
    session = tmp_path / "review.h5"
    project = store.load(sampled)
    assert project.given is not None

    workspace = Workspace()
    workspace.state.open(replace(project, given=replace(project.given, path=str(folder))))
    for component in project.components:
        likeliest = max(range(len(component.alternatives)), key=lambda k: component.alternatives[k].mass)
        workspace.show_component(component.id)
        workspace.show_alternative(likeliest)
        adopt(workspace)
    workspace.label([FEW], "noise")
    store.save(workspace.state.snapshot(), session)
    return session


def test_decisions_are_written_back_with_the_old_files_kept(
    ncpgui: Command, folder: Path, curated: Path
) -> None:
    before = bytes_of(folder)
    ran = ncpgui("write-back", curated)
    assert ran.code == 0
    assert "wrote spike_clusters.npy, cluster_group.tsv, cluster_KSLabel.tsv, cluster_info.tsv in" in ran.err
    after = bytes_of(folder)
    kept = {name.removeprefix("before-ncpgui/"): text for name, text in after.items() if "before" in name}
    replaced = set(kept) - {"written_back.json"}
    assert replaced == {"spike_clusters.npy", *(f"cluster_{n}.tsv" for n in ("group", "KSLabel", "info"))}
    assert all(kept[name] == before[name] for name in replaced)
    assert all(after[name] == before[name] for name in set(before) - replaced)

    times = np.load(folder / "spike_times.npy").ravel()
    clusters = np.load(folder / "spike_clusters.npy")
    assert (clusters.shape, clusters.dtype) == ((413, 1), np.dtype(np.int32))
    units = {tuple(times[clusters.ravel() == unit].tolist()): unit for unit in np.unique(clusters).tolist()}
    joined = np.sort(np.concatenate([TRAINS[HALF], TRAINS[OTHER_HALF]]))
    assert len(units) == 4
    assert units[tuple(joined.tolist())] > MERGED
    assert units[tuple(TRAINS[FEW].tolist())] == FEW
    rows = [line.split("\t") for line in (folder / "cluster_group.tsv").read_text().splitlines()[1:]]
    assert {int(row[0]) for row in rows} == set(units.values())
    assert dict(rows)[str(FEW)] == "noise"
    info = [line.split("\t") for line in (folder / "cluster_info.tsv").read_text().splitlines()]
    assert info[0] == ["cluster_id", "fr", "group", "n_spikes"]
    n_spikes = {int(row[0]): int(row[3]) for row in info[1:]}
    assert n_spikes == {unit: len(train) for train, unit in units.items()}


def test_what_is_written_back_is_read_by_phylib_and_by_spikeinterface(
    ncpgui: Command, folder: Path, curated: Path
) -> None:
    assert ncpgui("write-back", curated).code == 0
    from phylib.io.model import load_model
    from spikeinterface.extractors import read_phy

    clusters = np.load(folder / "spike_clusters.npy").ravel()
    sorting = read_phy(folder)
    assert sorted(sorting.unit_ids.tolist()) == np.unique(clusters).tolist()
    assert len(sorting.to_spike_vector()) == 413
    model = load_model(folder / "params.py")
    np.testing.assert_array_equal(model.spike_clusters, clusters)
    assert set(model.metadata["group"]) == set(np.unique(clusters).tolist())


def test_new_clusters_get_ids_of_spikeinterface_that_no_other_ever_had(
    ncpgui: Command, folder: Path, curated: Path
) -> None:
    table(folder / "cluster_si_unit_ids.tsv", {"si_unit_id": {FEW: 0, HALF: 1, OTHER_HALF: 50, MERGED: 2}})
    assert ncpgui("write-back", curated).code == 0
    rows = [line.split("\t") for line in (folder / "cluster_si_unit_ids.tsv").read_text().splitlines()[1:]]
    clusters = np.unique(np.load(folder / "spike_clusters.npy")).tolist()
    assert [int(row[0]) for row in rows] == clusters
    assert dict(rows)[str(FEW)] == "0"
    assert sorted(int(row[1]) for row in rows) == [0, 51, 52, 53]  # above 50, which came after the review


def test_a_second_writing_goes_on_from_the_first(ncpgui: Command, folder: Path, curated: Path) -> None:
    assert ncpgui("write-back", curated).code == 0
    first = bytes_of(folder)
    assert "nothing was decided that" in ncpgui("write-back", curated).err
    assert bytes_of(folder) == first
    workspace = Workspace()
    workspace.state.open(store.load(curated))
    workspace.label(workspace.state.clustering.unit_ids.tolist(), "good")
    store.save(workspace.state.snapshot(), curated)
    assert ncpgui("write-back", curated).code == 0
    assert (folder / "before-ncpgui" / "spike_clusters.npy").read_bytes() != first["spike_clusters.npy"]
    assert (folder / "before-ncpgui-2" / "cluster_group.tsv").read_bytes() == first["cluster_group.tsv"]
    assert "noise" not in (folder / "cluster_group.tsv").read_text()


def test_a_folder_whose_clusters_somebody_else_changed_is_left_alone(
    ncpgui: Command, folder: Path, curated: Path
) -> None:
    clusters = np.load(folder / "spike_clusters.npy")
    np.save(folder / "spike_clusters.npy", np.where(clusters == HALF, OTHER_HALF, clusters))
    before = bytes_of(folder)
    error = ncpgui("write-back", curated).error
    assert "changed since it was reviewed (its spikes or clusters differ); put the files back" in error
    assert bytes_of(folder) == before
    shutil.rmtree(folder)
    assert "decisions cannot be written back" in ncpgui("write-back", curated).error


def test_a_label_that_somebody_else_gave_meanwhile_stays(
    ncpgui: Command, folder: Path, curated: Path
) -> None:
    table(folder / "cluster_group.tsv", {"group": {HALF: "mua", MERGED: "good", FEW: "mua"}})
    ran = ncpgui("write-back", curated)
    assert ran.code == 0
    assert (
        f"labels that were changed there since are as decided here, of clusters {FEW} (mua, now noise)"
        in (ran.err)
    )


@pytest.mark.parametrize("step", [0, 3, 5])
def test_a_folder_that_cannot_be_written_is_left_alone(
    ncpgui: Command, folder: Path, curated: Path, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    steps = itertools.count()
    write = Path.write_bytes

    def refused(path: Path, data: bytes) -> int:
        if next(steps) == step:
            raise PermissionError(13, "Permission denied")
        return write(path, data)

    before = bytes_of(folder)
    monkeypatch.setattr(Path, "write_bytes", refused)
    error = ncpgui("write-back", curated).error
    assert f"cannot write into {folder}: Permission denied; it is as it was: see to it that" in error
    assert bytes_of(folder) == before


def test_a_session_that_ncpgui_sorted_has_nothing_to_write_back(
    ncpgui: Command, tetrode_session: Path
) -> None:
    error = ncpgui("write-back", tetrode_session).error
    assert "reviews no other" in error
    assert "No such option '--out'" in ncpgui("write-back", tetrode_session, "--out", "x.h5").error


def test_probable_sortings_are_used_without_asking_and_listed(
    ncpgui: Command, folder: Path, quick: Path, tmp_path: Path
) -> None:
    """In the session each is an edit, and what is written back has them."""
    out = tmp_path / "applied.h5"
    ran = ncpgui("review", folder, "--out", out, "--settings", quick, "--apply", 0.8)
    assert ran.code == 0
    project = store.load(out)
    listed = [line.strip() for line in ran.err.splitlines() if ", by itself at " in line]
    assert listed
    assert len(project.history) == len(listed)
    assert f"{len(listed)} decision" in ran.err
    probable = [one for one in project.components if max(way.mass for way in one.alternatives) >= 0.8]
    as_given = [one for one in probable if one.alternatives[0].mass >= 0.8]
    assert len(listed) == len(probable) - len(as_given)
    assert ncpgui("write-back", out).code == 0


def test_a_probability_that_decides_nothing_is_refused_before_the_work(
    ncpgui: Command, folder: Path, tmp_path: Path
) -> None:
    ran = ncpgui("review", folder, "--out", tmp_path / "s.h5", "--apply", 0.5)
    assert ran.code == 2
    assert "--apply" in ran.error


# -- without raw data ---------------------------------------------------------------------------


def test_a_folder_without_its_recording_is_opened_and_written_back(
    ncpgui: Command, folder: Path, tmp_path: Path
) -> None:
    (folder / "recording.dat").unlink()
    before = bytes_of(folder)
    ran = ncpgui("review", folder, "--out", tmp_path / "s.h5")
    assert ran.code == 0
    assert "note: opened without raw data: the recording that" in ran.err
    assert "no waveforms: the posterior is sampled from the raw data, which is not at hand" in ran.err
    assert bytes_of(folder) == before
    project = store.load(tmp_path / "s.h5")
    assert not project.recording.has_traces
    for unit, train in TRAINS.items():
        np.testing.assert_array_equal(project.spikes.sample_index[project.unit_of_spike == unit], train)
    assert "none: the sorting was opened without its raw data" in ncpgui("info", tmp_path / "s.h5").out
    workspace = Workspace(project)
    workspace.merge((HALF, OTHER_HALF))
    store.save(workspace.state.snapshot(), tmp_path / "s.h5", replace=True)
    assert ncpgui("write-back", tmp_path / "s.h5").code == 0
    assert len(np.unique(np.load(folder / "spike_clusters.npy"))) == len(TRAINS) - 1


def test_what_other_programs_propose_is_told_with_its_probability(
    ncpgui: Command, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "recording.dat").unlink()
    lines = [
        "phy proposes to merge 0 + 4: 70 % one neuron",
        "phy labels 3 units; 1 of these is probably wrong",
    ]
    monkeypatch.setattr("ncpgui.cli.review.proposal_lines", lambda _: lines)
    ran = ncpgui("review", folder, "--out", tmp_path / "s.h5")
    assert "\n".join(lines) in ran.err


def test_a_rate_that_nothing_says_is_taken_and_said_or_given(
    ncpgui: Command, folder: Path, tmp_path: Path
) -> None:
    (folder / "params.py").unlink()
    ran = ncpgui("review", folder, "--out", tmp_path / "s.h5")
    assert "nothing says how many samples a second has; it is taken to have 30000" in ran.err
    given = ["--sampling-frequency", 20000, "--overwrite"]
    assert ncpgui("review", folder, "--out", tmp_path / "s.h5", *given).code == 0
    assert store.load(tmp_path / "s.h5").recording.sampling_frequency_hz == 20_000


def test_a_rate_beside_a_recording_that_says_its_own_is_refused(
    ncpgui: Command, folder: Path, tmp_path: Path
) -> None:
    error = ncpgui("review", folder, "--out", tmp_path / "s.h5", "--sampling-frequency", 20000).error
    assert "recording.dat says its own; leave it out" in error
