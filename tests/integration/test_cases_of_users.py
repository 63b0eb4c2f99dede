"""Small inputs that people met (``cases`` beside the shared data) are read, refused or said as is right.

Each case is made anew by its own script; a check says what is right of it, and every case has one.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tiny_project import tiny_project

from ncpgui.cli.main import run
from ncpgui.core.errors import InputError, MissingRecordingError, RecordingError
from ncpgui.curation.curated_sorting import CuratedSorting
from ncpgui.ephys.detection import detect_spikes
from ncpgui.ephys.given_folder import OpenedSorting, open_reviewed
from ncpgui.ephys.preprocessing import preprocess
from ncpgui.ephys.probes import load_probe
from ncpgui.ephys.readers import open_recording
from ncpgui.ephys.recording import Recording
from ncpgui.export.phy_back import write_back
from ncpgui.session import store
from ncpgui.sorting.config import SortingConfig
from ncpgui.sorting.review import review_recording

DATA = Path(os.environ.get("NCPGUI_SHARED_DATA") or Path(__file__).resolve().parents[3] / "shared" / "data")
CASES = DATA.parent / "cases"
QUICK = {"posterior_samples": 12, "spikes_per_group": 60, "min_cluster_spikes": 10, "motion": "off"}
N_SAMPLES, COUNTS = 240_000, {0: 137, 1: 161, 2: 141}
"""Length and spikes of a unit in the folder that most cases begin with."""
LINE = [[0, 0], [0, 25], [0, 50], [0, 75]]
pytestmark = [pytest.mark.shared_data, pytest.mark.filterwarnings("ignore")]
Made = Callable[[str], Path]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """Make a case, once; return its folder."""
    folders: dict[str, Path] = {}

    def make(case: str) -> Path:
        script = CASES / case / "make.py"
        if not script.is_file():
            pytest.skip(f"the case {case} is not beside the checkout (set NCPGUI_SHARED_DATA)")
        if case not in folders:
            folders[case] = tmp_path_factory.mktemp("cases") / case
            done = subprocess.run(
                [sys.executable, str(script), str(folders[case])],
                capture_output=True,
                text=True,
                timeout=300,
                check=False,
            )
            assert done.returncode == 0, done.stderr
        return folders[case]

    return make


def counts(opened: OpenedSorting) -> dict[int, int]:
    units, n = np.unique(opened.sorting.unit_id, return_counts=True)
    return dict(zip(units.tolist(), n.tolist(), strict=True))


def as_raw(path: Path, n_channels: int = 4, **more: Any) -> Recording:
    options = {"sampling_frequency": 20_000.0, "n_channels": n_channels, "probe": f"linear-{n_channels}-25"}
    return open_recording(path, **{**options, **more})


def reviewed(folder: Path, **options: Any) -> Any:
    """A project that reviews a folder, sampled quickly."""
    traces, opened = open_reviewed(folder, **options)
    return review_recording(traces, opened.sorting, opened.given, SortingConfig(**QUICK))


def decided(units: np.ndarray, labels: dict[int, str]) -> CuratedSorting:
    return CuratedSorting(units, np.ones(len(units), np.float32), labels, frozenset(), units.copy())


# -- what is read of a folder --------------------------------------------------------------------


def strays(made: Made, case: str, n_early: int, n_late: int) -> None:
    folder = made(case) / "ks"
    _, opened = open_reviewed(folder)
    assert len(opened.sorting) == 439 - n_early - n_late
    assert f"{n_early + n_late} of 439 spikes lie outside" in opened.notes[-1]
    times = np.load(folder / "spike_times.npy")
    assert times[opened.given.rows].tolist() == opened.sorting.sample_index.tolist()


def case_01(made: Made) -> None:
    strays(made, "01_negative_times", 3, 0)


def case_02(made: Made) -> None:
    strays(made, "02_spikes_after_end", 0, 1)


def case_03(made: Made) -> None:
    folder = made("03_windows_path")
    for name in "abc":
        recording, opened = open_reviewed(folder / name)
        assert (recording.n_samples, counts(opened)) == (N_SAMPLES, COUNTS)
    recording, opened = open_reviewed(folder / "d")
    assert re.search(r"line 1, 'dat_path = recording.dat', .* r'...' or with /", recording.notes[0])
    assert not recording.reference.has_traces
    assert counts(opened) == COUNTS
    for name in "abcd":
        options = {"sampling_frequency": 20_000.0, "n_channels": 4}
        _, opened = open_reviewed(folder / name, recording=folder / name / "recording.dat", **options)
        assert counts(opened) == COUNTS


def case_04(made: Made) -> None:
    folder = made("04_several_dat_files")
    recording, opened = open_reviewed(folder / "ks")
    assert (recording.n_samples, counts(opened)) == (N_SAMPLES, COUNTS)
    parts = [np.fromfile(folder / f"part{k}.dat", "<i2").reshape(-1, 4) for k in (1, 2)]
    np.testing.assert_array_equal(recording.traces(119_990, 120_010), np.concatenate(parts)[119_990:120_010])
    (folder / "part2.dat").rename(folder / "away.dat")
    recording, opened = open_reviewed(folder / "ks")
    assert re.search(r"'../part2.dat'\) is not there; give it with --recording", recording.notes[0])
    assert counts(opened) == COUNTS
    (folder / "away.dat").rename(folder / "part2.dat")


def case_05(made: Made) -> None:
    _, opened = open_reviewed(made("05_cluster_info_blank") / "ks")
    assert opened.given.labels == {0: "good", 1: "mua"}


def case_06(made: Made) -> None:
    for name in "abcd":
        _, opened = open_reviewed(made("06_blank_groups_hide_KSLabel") / name)
        assert opened.given.labels == {0: "good", 1: "mua", 2: "good"}
        assert any("labels are those of" in note for note in opened.notes)


def case_07(made: Made) -> None:
    folder = made("07_times_of_matlab")
    for name in "abdef":
        _, opened = open_reviewed(folder / name)
        assert counts(opened) == COUNTS
    _, opened = open_reviewed(folder / "c")
    assert len(opened.sorting) == 438
    assert "one is at sample -10" in opened.notes[-1]


def case_08(made: Made) -> None:
    folder = made("08_dtype_lies")
    with pytest.raises(RecordingError, match=r"lies outside the recording of 120000 samples; check .* dtype"):
        open_reviewed(folder / "ks")
    early, _ = open_reviewed(folder / "early")
    with pytest.raises(RecordingError, match="check the dtype"):
        preprocess(early)


def case_09(made: Made) -> None:
    folder = made("09_channel_map")
    for name in "ab":
        recording, _ = open_reviewed(folder / name)
        file = np.fromfile(folder / name / "recording.dat", "<i2").reshape(-1, 6)
        np.testing.assert_array_equal(recording.traces(500, 520), file[500:520, [3, 0, 4, 1]])
        assert recording.probe.positions_um.tolist() == LINE


def case_10(made: Made) -> None:
    folder = made("10_shanks_at_same_place")
    recording, _ = open_reviewed(folder / "a")
    assert recording.probe.shank.tolist() == [1, 1, 2, 2]
    with pytest.raises(
        MissingRecordingError, match=r"contacts 0 and 2 .* share the position .* with --probe"
    ):
        open_reviewed(folder / "b")
    (folder / "p.csv").write_text("x,y,shank\n0,0,1\n0,25,1\n0,0,2\n0,25,2\n")
    recording, opened = open_reviewed(folder / "b", probe=folder / "p.csv")
    assert (recording.probe.shank.tolist(), counts(opened)) == ([1, 1, 2, 2], COUNTS)


def case_13(made: Made) -> None:
    import spikeinterface.full as si

    folder = made("13_channel_order")
    for path in [
        *folder.glob("*.zarr"),
        *(path for path in folder.iterdir() if (path / "binary.json").is_file()),
    ]:
        recording, theirs = open_recording(path), si.load(path)
        np.testing.assert_allclose(recording.probe.positions_um, theirs.get_channel_locations())
        np.testing.assert_array_equal(recording.traces(5, 9), theirs.get_traces(start_frame=5, end_frame=9))
    assert load_probe(folder / "wired.json").positions_um[:, 1].tolist() == [25, 75, 0, 50]


def case_14(made: Made) -> None:
    folder = made("14_unit_ids")
    called = {"text": {"A1", "shank0_7", "3c"}, "digits": {"12", "007", "3"}}
    for name, names in called.items():
        _, opened = open_reviewed(folder / name, recording=folder / "rec")
        assert set(map(str, opened.given.names.values())) == names
    for name in ("text", "big", "digits", "huge", "neg"):
        _, opened = open_reviewed(folder / name, recording=folder / "rec")
        assert sorted(counts(opened).values()) == sorted(COUNTS.values())
        assert sorted(opened.given.labels.values()) == ["good", "mua", "noise"]


def case_15(made: Made) -> None:
    folder = made("15_several_segments")
    recording, opened = open_reviewed(folder / "analyzer")
    assert (recording.n_samples, counts(opened)) == (N_SAMPLES, COUNTS)
    _, joined = open_reviewed(folder / "joined_sorting", recording=folder / "rec")
    assert joined.sorting.sample_index.tolist() == opened.sorting.sample_index.tolist()


def case_16(made: Made) -> None:
    folder = made("16_analyzers")
    for name in ("plain", "lazy", "lazy.zarr"):
        _, opened = open_reviewed(folder / name)
        assert counts(opened) == COUNTS
    for name in ("lost", "memory"):
        found, opened = open_reviewed(folder / name)
        assert counts(opened) == COUNTS
        with pytest.raises(MissingRecordingError):
            found.traces(0, 1)
        _, opened = open_reviewed(folder / name, recording=folder / "rec")
        assert counts(opened) == COUNTS


def case_18(made: Made, caplog: pytest.LogCaptureFixture) -> None:
    folder = made("18_bad_channels")
    with preprocess(as_raw(folder / "dead.raw", 8)) as pre:
        assert pre.bad_channels == (6, 7)
    with preprocess(as_raw(folder / "noisy.raw", 8)) as pre:
        assert pre.bad_channels == (7,)
    with pytest.raises(RecordingError, match=r"all 8 channels of .* are constant"):
        preprocess(as_raw(folder / "zeros.raw", 8))
    nan = as_raw(folder / "nan.raw", 8, dtype="float32")
    with pytest.raises(RecordingError, match="NaN or infinite"), preprocess(nan) as pre:
        detect_spikes(pre)
    hint = "if the recording is inverted"
    for name in ("copy", "artefacts", "saturated"):
        with preprocess(as_raw(folder / f"{name}.raw", 8)) as pre:
            assert len(detect_spikes(pre)) > 300
    with preprocess(nan, blank_nan=True) as pre:
        assert len(detect_spikes(pre)) > 300
    assert hint not in caplog.text
    with preprocess(as_raw(folder / "inverted.raw", 8)) as pre:
        detect_spikes(pre)
    assert hint in caplog.text


def case_20(made: Made) -> None:
    folder = made("20_neo_spikeglx")
    for name, n_columns in (("nosync", 4), ("sync", 5)):
        recording = open_recording(folder / f"{name}_g0", probe="linear-4-25")
        file = np.fromfile(folder / f"{name}_g0" / f"{name}_g0_t0.imec0.ap.bin", "<i2").reshape(-1, n_columns)
        np.testing.assert_array_equal(recording.traces(700, 720), file[700:720, :4])


def case_21(made: Made) -> None:
    folder = made("21_nwb_clock")
    truth = np.load(folder / "truth.npz")
    for name, jump in (("a", 0.0), ("b", 30.0)):
        recording, opened = open_reviewed(folder / f"{name}.nwb")
        assert opened.sorting.sample_index.tolist() == truth["t"].tolist()
        clock = recording.reference.clock
        assert float(clock.seconds(0)) == pytest.approx(100)
        assert float(clock.seconds(120_000)) == pytest.approx(106 + jump)
    found, opened = open_reviewed(folder / "c.nwb")
    assert counts(opened) == {10: 137, 11: 161, 12: 141}
    with pytest.raises(MissingRecordingError):
        found.traces(0, 1)


def case_22(made: Made) -> None:
    _, opened = open_reviewed(made("22_double_spikes") / "ks")
    assert len(opened.sorting) == 479
    assert len(set(opened.given.rows.tolist())) == 479


def case_23(made: Made) -> None:
    folder = made("23_places")
    for place in (folder / "Ä ö 数据 100%", folder / "link"):
        recording = as_raw(place / "rec.raw", probe=place / "Sonde é.csv")
        assert (recording.n_samples, recording.probe.positions_um.tolist()) == (N_SAMPLES, LINE)
        _, opened = open_reviewed(place / "kilosort é")
        assert counts(opened) == COUNTS


def case_24(made: Made) -> None:
    folder = made("24_many_spikes")
    _, opened = open_reviewed(folder / "ks")
    assert counts(opened)[0] > 70_000
    _, opened = open_reviewed(folder / "max")
    assert opened.given.labels == {0: "good", 2**31 - 1: "mua"}
    with pytest.raises(RecordingError, match="cluster 2147483653 is larger than Phy knows"):
        open_reviewed(folder / "past")


def case_25(made: Made) -> None:
    folder = made("25_openephys_gap")
    lost = open_recording(folder / "oe", probe="linear-4-25")
    assert lost.n_samples == N_SAMPLES
    assert lost.notes[-1].startswith("5000 samples (0.25 s) are missing at 1 place, the first at 6.000 s")
    whole = open_recording(folder / "whole", probe="linear-4-25")
    assert len(whole.notes) == 1
    assert "that is read is 'Record Node 101#Acquisition_Board-100.Rhythm_Data'" in whole.notes[0]


def case_27(made: Made) -> None:
    for name in ("two", "adc"):
        recording = open_recording(made("27_openephys_board") / name, probe="linear-4-25")
        assert recording.traces(0, N_SAMPLES).min() < -200  # spikes, and no sine of the NI-DAQ
        assert "that is read is 'Record Node 101#Acquisition_Board-100.Rhythm_Data'" in recording.notes[0]


def case_30(made: Made) -> None:
    folder = made("30_raw_with_sync")
    file = np.fromfile(folder / "rec.bin", "<i2").reshape(-1, 5)
    for name in ("four.json", "four.prb"):
        recording = as_raw(folder / "rec.bin", 5, probe=folder / name)
        np.testing.assert_array_equal(recording.traces(700, 720), file[700:720, :4])
        assert recording.probe.positions_um.tolist() == LINE


def case_33(made: Made) -> None:
    folder = made("33_nwb_places")
    assert open_recording(folder / "z.nwb").probe.positions_um.tolist() == LINE
    slanted = open_recording(folder / "yz.nwb").probe.positions_um
    assert slanted.tolist() == [[0, 0], [5, 40], [10, 0], [15, 40]]
    refused = {"none": "does not say where", "nan": "no finite position", "xyz": "does not say where"}
    for name, words in refused.items():
        with pytest.raises(InputError, match=f"{words}.*--probe"):
            open_recording(folder / f"{name}.nwb")


def case_34(made: Made) -> None:
    for name in ("copy", "nocopy"):
        _, opened = open_reviewed(made("34_si_phy_export") / name)
        assert opened.given.labels == {0: "good", 1: "mua", 2: "good"}
        assert opened.given.names == {0: "u7", 1: "u5", 2: "u6"}


READ = {
    "01_negative_times": case_01, "02_spikes_after_end": case_02, "03_windows_path": case_03,
    "04_several_dat_files": case_04, "05_cluster_info_blank": case_05,
    "06_blank_groups_hide_KSLabel": case_06,
    "07_times_of_matlab": case_07, "08_dtype_lies": case_08, "09_channel_map": case_09,
    "10_shanks_at_same_place": case_10, "20_neo_spikeglx": case_20, "22_double_spikes": case_22,
    "23_places": case_23, "24_many_spikes": case_24, "25_openephys_gap": case_25,
    "27_openephys_board": case_27, "30_raw_with_sync": case_30,
}  # fmt: skip
READ_SLOWLY = {
    "13_channel_order": case_13, "14_unit_ids": case_14, "15_several_segments": case_15,
    "16_analyzers": case_16, "21_nwb_clock": case_21, "33_nwb_places": case_33, "34_si_phy_export": case_34,
}  # fmt: skip
"""Those that SpikeInterface or pynwb has to make."""


@pytest.mark.parametrize("case", READ)
def test_a_case_is_read_as_is_right(made: Made, case: str) -> None:
    READ[case](made)


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("case", READ_SLOWLY)
def test_a_case_of_another_library_is_read_as_is_right(made: Made, case: str) -> None:
    READ_SLOWLY[case](made)


def test_18_bad_channels(made: Made, caplog: pytest.LogCaptureFixture) -> None:
    case_18(made, caplog)


# -- what is made of it --------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_01_and_02_strays_are_kept_in_a_write_back(made: Made, tmp_path: Path) -> None:
    for case in ("01_negative_times", "02_spikes_after_end"):
        folder = Path(shutil.copytree(made(case) / "ks", tmp_path / case))
        before, times = (np.load(folder / f"spike_{name}.npy") for name in ("clusters", "times"))
        project = reviewed(folder)
        units = np.where(project.unit_of_spike == 0, 9, project.unit_of_spike)
        write_back(project, decided(units, {9: "good"}))
        after = np.load(folder / "spike_clusters.npy")
        assert after.tolist() == np.where(before == 0, 9, before).tolist()
        assert np.load(folder / "spike_times.npy").tolist() == times.tolist()


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_09_the_phy_export_of_a_review_that_omits_columns_has_its_traces(made: Made, tmp_path: Path) -> None:
    from phylib.io.model import load_model

    folder = made("09_channel_map") / "a"
    store.save(reviewed(folder), tmp_path / "s.h5")
    assert run(["export", str(tmp_path / "s.h5"), "--format", "phy", "--out", str(tmp_path / "phy")]) == 0
    model = load_model(tmp_path / "phy" / "params.py")
    file = np.fromfile(folder / "recording.dat", "<i2").reshape(-1, 6)
    np.testing.assert_array_equal(model.traces[500:520], file[500:520, [3, 0, 4, 1]])
    model.close()
    _, again = open_reviewed(tmp_path / "phy")
    assert counts(again) == COUNTS


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_17_all_types_of_numbers_give_the_same_units(made: Made, tmp_path: Path) -> None:
    from ncpgui.sorting.pipeline import sort_recording

    folder = made("17_number_types")
    kinds = dict.fromkeys(("u16", "u12"), "uint16") | {"i2": "int16", "i4": "int32", "big": ">i2"}
    kinds |= {"volts": "float32", "f8": "float64"}
    truth = np.load(folder / "truth.npz")
    for name, dtype in kinds.items():
        project = sort_recording(as_raw(folder / f"{name}.raw", dtype=dtype), SortingConfig(**QUICK))
        times, units = project.spikes.sample_index, project.unit_of_spike
        assert len(np.unique(units[units >= 0])) == 3, name
        for unit in range(3):
            at = truth["t"][truth["c"] == unit]
            found = [times[units == one] for one in np.unique(units[units >= 0])]
            near = [(np.abs(one[:, None] - at).min(axis=0) <= 8).mean() for one in found]
            assert max(near) > 0.95, name


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_19_one_channel_is_sorted_and_exported_to_phy(made: Made, tmp_path: Path) -> None:
    from phylib.io.model import load_model
    from spikeinterface.extractors import read_phy

    from ncpgui.sorting.pipeline import sort_recording

    store.save(
        sort_recording(as_raw(made("19_one_channel") / "one.raw", 1), SortingConfig(**QUICK)),
        tmp_path / "s.h5",
    )
    assert run(["export", str(tmp_path / "s.h5"), "--format", "phy", "--out", str(tmp_path / "phy")]) == 0
    model = load_model(tmp_path / "phy" / "params.py")
    assert model.traces.shape == (N_SAMPLES, 1)
    assert model.n_spikes == read_phy(tmp_path / "phy").count_total_num_spikes() > 100
    model.close()


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_22_a_write_back_keeps_every_row_of_double_spikes(made: Made, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(made("22_double_spikes") / "ks", tmp_path / "ks"))
    before = np.load(folder / "spike_clusters.npy")
    project = reviewed(folder)
    write_back(project, decided(np.where(project.unit_of_spike == 1, 7, project.unit_of_spike), {}))
    assert np.load(folder / "spike_clusters.npy").tolist() == np.where(before == 1, 7, before).tolist()


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_31_a_split_and_a_label_are_one_curation_that_spikeinterface_reads(
    made: Made, tmp_path: Path
) -> None:
    import spikeinterface.full as si
    from spikeinterface.curation import apply_curation, load_curation

    folder = Path(shutil.copytree(made("16_analyzers") / "plain", tmp_path / "plain"))
    project = reviewed(folder, recording=made("16_analyzers") / "rec")
    units = project.unit_of_spike.copy()
    split = np.flatnonzero(units == 0)
    units[split[::2]], units[split[1::2]] = 3, 4
    written = write_back(project, decided(units, {1: "good"}))
    after = apply_curation(si.load(folder).sorting, load_curation(written.folder / written.files[0]))
    trains = sorted(after.get_unit_spike_train(unit).tolist() for unit in after.unit_ids)
    assert trains == sorted(project.spikes.sample_index[units == unit].tolist() for unit in (1, 2, 3, 4))


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_32_a_recording_of_two_segments_gives_a_sorting_of_two(made: Made) -> None:
    import spikeinterface.full as si

    import ncpgui

    recording = si.load(made("15_several_segments") / "rec")
    sorting = ncpgui.sort(recording, **QUICK)
    assert sorting.get_num_segments() == 2
    assert si.create_sorting_analyzer(sorting, recording, sparse=False).get_num_segments() == 2


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_36_a_merged_unit_has_an_id_above_all(made: Made, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(made("36_si_unit_id_reused") / "phy", tmp_path / "phy"))
    project = reviewed(folder)
    ids = np.unique(project.unit_of_spike)
    units = np.where(project.unit_of_spike == ids[0], project.unit_of_spike, ids.max() + 1)
    write_back(project, decided(units, {}))
    rows = (folder / "cluster_si_unit_ids.tsv").read_text().split("\n")[1:]
    called = dict(row.split("\t") for row in rows if row)
    assert "10" in called.values()
    assert {"11", "12"}.isdisjoint(called.values())
    assert max(map(int, called.values())) > 12


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_28_without_a_home_or_a_name_commands_work_or_say_why(made: Made, tmp_path: Path) -> None:
    script = CASES / "28_no_home" / "run.sh"
    if not script.is_file() or shutil.which("unshare") is None:
        pytest.skip("the case 28_no_home is not beside the checkout, or there is no unshare")
    if subprocess.run(["unshare", "-U", "--map-user=54321", "true"], check=False).returncode:
        pytest.skip("this system lets nobody be a user without a name")
    (tmp_path / "ncpgui").write_text(
        "#!/bin/sh\n"
        f'PYTHONPATH="{Path(__file__).resolve().parents[2]}" exec "{sys.executable}" -m ncpgui "$@"\n'
    )
    (tmp_path / "ncpgui").chmod(0o755)
    session = tmp_path / "s.h5"
    store.save(tiny_project({0: [[0, 0, 1, 1]]}), session)
    done = subprocess.run(
        ["bash", str(script), str(session)],
        env={**os.environ, "NCPGUI": str(tmp_path / "ncpgui")},
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    assert "Traceback" not in done.stdout + done.stderr


def test_every_case_has_a_check() -> None:
    if not CASES.is_dir():
        pytest.skip("the cases are not beside the checkout (set NCPGUI_SHARED_DATA)")
    others = {
        "17_number_types", "18_bad_channels", "19_one_channel", "28_no_home", "31_curation_list",
        "32_sort_two_segments", "36_si_unit_id_reused",
    }  # fmt: skip
    cases = {path.name for path in CASES.iterdir() if path.is_dir() and path.name[:2].isdigit()}
    assert cases == {*READ, *READ_SLOWLY, *others}
