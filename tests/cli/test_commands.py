"""The main job from the command line: simulate, sort, look, export; the shipped models."""

from __future__ import annotations

import json
import shutil
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from ncpgui.cli import info as info_module
from ncpgui.cli.options import default_session
from ncpgui.export.registry import default_place

from .conftest import Command, files_of


def test_a_simulation_says_what_it_made_and_holds_the_truth(ncpgui: Command, tmp_path: Path) -> None:
    options = ["--duration", 1, "--probe", "tetrode", "--cells", 2, "--seed", 3]
    ran = ncpgui("simulate", "--out", tmp_path / "sim", *options)
    assert ran.code == 0
    assert ran.out == ""
    assert "2 cells" in ran.err
    assert "4 channels, 1 s" in ran.err
    assert (tmp_path / "sim" / "recording.raw").stat().st_size == 20_000 * 4 * 2
    with np.load(tmp_path / "sim" / "truth.npz") as truth:
        assert set(truth["unit_id"]) == {0, 1}


def test_the_same_seed_simulates_the_same_recording_and_replaces_it_when_asked(
    ncpgui: Command, tmp_path: Path
) -> None:
    options = ["--duration", 1, "--probe", "tetrode", "--cells", 2, "--seed", 3]
    for _ in range(2):
        assert ncpgui("simulate", "--out", tmp_path / "a", *options, "--overwrite").code == 0
    assert ncpgui("simulate", "--out", tmp_path / "b", *options).code == 0
    a, b = files_of(tmp_path / "a"), files_of(tmp_path / "b")
    assert a["recording.raw"] == b["recording.raw"]


def test_settings_of_a_simulation_come_from_a_file_and_options_win(ncpgui: Command, tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text('probe = "tetrode"\nn_cells = 2\nduration_s = 60.0\n', encoding="utf-8")
    assert (
        ncpgui("simulate", "--out", tmp_path / "sim", "--settings", tmp_path / "s.toml", "--duration", 1).code
        == 0
    )
    settings = json.loads((tmp_path / "sim" / "recording.json").read_text())["settings"]
    assert (settings["n_cells"], settings["duration_s"]) == (2, 1.0)


def test_sorting_writes_a_session_that_info_describes(ncpgui: Command, tetrode_session: Path) -> None:
    values = json.loads(ncpgui("info", tetrode_session, "--json").out)
    assert values["recording"]["n_channels"] == 4
    assert values["recording"]["found"]
    assert values["recording"]["duration_s"] == 4.0
    assert values["n_spikes"] == sum(component["n_spikes"] for component in values["components"]) > 50
    assert values["settings"]["posterior_samples"] == 12
    assert values["model"] == "spikes"
    assert values["stimulus"] is not None
    assert values["waiting"] == []
    for component in values["components"]:
        assert 0 < sum(a["mass"] for a in component["alternatives"]) <= 1 + 1e-9
    order = [(one["is_beyond_cards"], -one["expected_gain"]) for one in values["components"]]
    assert order == sorted(order)


def test_info_is_readable_without_a_terminal(ncpgui: Command, tetrode_session: Path) -> None:
    lines = ncpgui("info", tetrode_session).out.splitlines()
    assert lines[1] == "length:    4.0 s, 4 channels, 20000 Hz"
    assert "contact\tunits\tspikes\tsampled\tnumber of units (probability)\tgain\tnote" in lines


def test_info_explains_its_columns(ncpgui: Command, tetrode_session: Path) -> None:
    out = ncpgui("info", tetrode_session).out
    for name, meaning in info_module.COLUMNS.items():
        assert f"\n{name}: {meaning}\n" in out


def test_rows_of_info_that_look_the_same_are_one() -> None:
    def component(contact: int, *alternatives: tuple[int, float]) -> dict[str, object]:
        return {
            "contact": contact,
            "unit_ids": [1, 2, 3, 4, 5],
            "n_spikes": 9,
            "n_sampled": 8,
            "expected_gain": 0.2,
            "is_beyond_cards": False,
            "alternatives": [{"n_units": n, "mass": mass} for n, mass in alternatives],
        }

    rows = info_module.rows_of(
        [component(0, (2, 0.5), (1, 0.25), (2, 0.125)), component(3, (1, 1.0)), component(3, (1, 1.0))]
    )
    assert rows == [
        ["0", "1, 2, 3, 4 …", "9", "8", "2 (62%), 1 (25%), other (12%)", "0", ""],
        ["3 (2 times)", "1, 2, 3, 4 …", "9", "8", "1 (100%)", "0", ""],
    ]


def test_components_that_could_not_be_sampled_are_told_by_their_reason() -> None:
    waiting = [
        {"contact": 1, "n_spikes": 5, "failed": "too few"},
        {"contact": 2, "n_spikes": 7, "failed": "too few"},
        {"contact": 3, "n_spikes": 1, "failed": "no memory"},
        {"contact": 4, "n_spikes": 1, "failed": ""},
    ]
    assert info_module._not_sampled(waiting) == [
        "not sampled: 12 spikes around contacts 1, 2: too few",
        "not sampled: 1 spike around contact 3: no memory",
    ]


def test_the_same_seed_sorts_the_same_however_many_channels_at_a_time(
    ncpgui: Command, tetrode_folder: Path, tetrode_session: Path, few_settings: Path, tmp_path: Path
) -> None:
    path = tmp_path / "again.h5"
    arguments = ("--out", path, "--settings", few_settings, "--seed", 0, "--jobs", 1)
    assert ncpgui("sort", tetrode_folder, *arguments).code == 0
    again, first = (json.loads(ncpgui("info", p, "--json").out) for p in (path, tetrode_session))
    assert again["components"] == first["components"]


def test_every_format_exports_every_assigned_spike(
    ncpgui: Command, tetrode_session: Path, tmp_path: Path
) -> None:
    values = json.loads(ncpgui("info", tetrode_session, "--json").out)
    n_assigned = values["n_spikes"] - values["n_unassigned"]
    files = {"mat": ".mat", "npz": ".npz", "csv": ".csv"}
    if find_spec("pynwb") is not None:
        files["nwb"] = ".nwb"
    for name, suffix in {"phy": "", "spikeinterface": "", **files}.items():
        ran = ncpgui("export", tetrode_session, "--format", name, "--out", tmp_path / f"{name}{suffix}")
        assert ran.code == 0, ran.err
        assert f"{n_assigned} spikes of {values['n_units']} units" in ran.err
    assert len(np.load(tmp_path / "phy" / "spike_times.npy")) == n_assigned


def merge_the_first_two(path: Path) -> list[int]:
    """Merge the first two units of a session, as its journal says; the units that there were."""
    from ncpgui.curation.clustering import Clustering
    from ncpgui.curation.commands import Merge
    from ncpgui.curation.history import History
    from ncpgui.session.session_file import open_session

    with open_session(path) as session:
        history = History(Clustering(session.project.unit_of_spike, session.project.probability))
        units = [int(unit) for unit in history.clustering.unit_ids]
        history.do(Merge((units[0], units[1])))
        for entry in history.entries:
            session.append(entry)
    return units


def test_what_a_person_did_since_the_last_save_is_exported_too(
    ncpgui: Command, tetrode_session: Path, tmp_path: Path
) -> None:
    """The journal of a session that was never saved again counts; a command folds it in."""
    mine = shutil.copy(tetrode_session, tmp_path / "mine.h5")
    units = merge_the_first_two(mine)
    values = json.loads(ncpgui("info", mine, "--json").out)
    assert (values["n_actions"], values["actions_since_saved"]) == (1, 0)
    assert ncpgui("export", mine, "--format", "phy", "--out", tmp_path / "phy").code == 0
    exported = set(np.load(tmp_path / "phy" / "spike_clusters.npy").tolist())
    assert exported == {*units[2:], max(units) + 1}


def test_a_posterior_that_was_sampled_again_is_exported_with_its_condition(
    ncpgui: Command, tetrode_session: Path, tmp_path: Path
) -> None:
    from ncpgui.core.posterior import PosteriorSamples
    from ncpgui.curation.clustering import Clustering
    from ncpgui.curation.history import History
    from ncpgui.curation.resample import Resample
    from ncpgui.session.session_file import open_session

    mine = tmp_path / "mine.h5"
    shutil.copy(tetrode_session, mine)
    with open_session(mine) as session:
        project = session.project
        history = History(Clustering(project.unit_of_spike, project.probability), project.components)
        component = project.components[0]
        one = PosteriorSamples(np.zeros((1, component.posterior.n_points), int), np.zeros(1))
        history.do(Resample(component.id, (0,), one, component.alternatives))
        session.append(history.entries[0])
    assert ncpgui("export", mine, "--format", "npz", "--out", tmp_path / "e").code == 0
    with np.load(tmp_path / "e.npz") as file:
        assert file[f"posterior_{component.id}_labels"].tolist() == one.labels.tolist()
        blocks = {block["id"]: block for block in json.loads(str(file["ncp"]))["components"]}
    assert blocks[component.id]["given"] == [0]
    assert [block["given"] for channel, block in blocks.items() if channel != component.id] == [
        [] for _ in project.components[1:]
    ]


def test_merges_reach_the_curation_of_spikeinterface(
    ncpgui: Command, tetrode_session: Path, tmp_path: Path
) -> None:
    mine = shutil.copy(tetrode_session, tmp_path / "mine.h5")
    units = merge_the_first_two(mine)
    folder = tmp_path / "sorting"
    assert ncpgui("export", mine, "--format", "spikeinterface", "--out", folder).code == 0
    merges = json.loads((folder / "curation.json").read_text())["merges"]
    assert merges == [{"unit_ids": units[:2], "new_unit_id": max(units) + 1}]


def test_doubtful_spikes_can_be_left_out(ncpgui: Command, tetrode_session: Path, tmp_path: Path) -> None:
    counts = []
    for p in (0.0, 0.9):
        out = tmp_path / f"{p}.npz"
        options = ["--format", "npz", "--out", out, "--overwrite", "--min-probability", p]
        assert ncpgui("export", tetrode_session, *options).code == 0
        counts.append(
            int(ncpgui("export", tetrode_session, *options).err.partition(" spikes")[0].split()[-1])
        )
    assert 0 < counts[1] <= counts[0]


def test_models_are_listed_with_their_scores(ncpgui: Command) -> None:
    cards = json.loads(ncpgui("models", "--json").out)
    assert [card["name"] for card in cards if card["default"]] == ["spikes"]
    table = ncpgui("models").out.splitlines()
    assert table[0].startswith("model\tclusters\tnetwork\tparameters")
    assert any(line.startswith("spikes (default)\t") for line in table)


@pytest.mark.slow
def test_training_writes_a_model_that_clusters(ncpgui: Command, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(
        "minutes = 0.02\nn_datasets = 2\nn_points = [10, 12]\nn_points_end = [10, 12]\nwarmup_steps = 1\n",
        encoding="utf-8",
    )
    ran = ncpgui("train", tmp_path / "mine.toml", "--out", tmp_path / "runs", "--device", "cpu")
    assert ran.code == 0, ran.err
    np.savez(tmp_path / "w.npz", waveforms=np.random.default_rng(0).normal(size=(5, 32, 7)))
    options = ["--model", tmp_path / "runs" / "mine.safetensors", "--samples", 3, "--beam", 0]
    assert ncpgui("cluster", tmp_path / "w.npz", "--out", tmp_path / "p.npz", *options).code == 0


def test_a_session_whose_recording_is_gone_opens_and_says_what_needs_it(
    ncpgui: Command, tetrode_folder: Path, few_settings: Path, tmp_path: Path
) -> None:
    folder, session = tmp_path / "recorded", tmp_path / "s.h5"
    shutil.copytree(tetrode_folder, folder)
    assert ncpgui("sort", folder, "--out", session, "--settings", few_settings).code == 0
    shutil.rmtree(folder)
    assert ncpgui("info", session).code == 0
    for format_name in ("npz", "phy"):
        ran = ncpgui("export", session, "--format", format_name, "--out", tmp_path / format_name)
        assert ran.code == 0, ran.err
    assert f"the recording {folder} is not there any more" in ran.err
    assert (tmp_path / "phy" / "spike_times.npy").is_file()


def test_a_recording_with_nan_is_sorted_where_that_is_asked_for(
    ncpgui: Command, tetrode_folder: Path, few_settings: Path, tmp_path: Path
) -> None:
    traces = np.fromfile(tetrode_folder / "recording.raw", "<i2").astype("<f4").reshape(-1, 4)
    traces[20_000:20_400, 1] = np.nan
    traces.tofile(tmp_path / "nan.raw")
    raw = ["--sampling-frequency", 20_000, "--n-channels", 4, "--dtype", "float32", "--probe", "tetrode"]
    options = [*raw, "--settings", few_settings, "--threshold-sd", 5.5]
    refused = ncpgui("sort", tmp_path / "nan.raw", "--out", tmp_path / "s.h5", *options)
    assert "channel 1 is NaN or infinite at sample 20000" in refused.error
    ran = ncpgui("sort", tmp_path / "nan.raw", "--out", tmp_path / "s.h5", "--blank-nan", *options)
    assert ran.code == 0, ran.err
    assert "400 samples (0.02 s) are blanked, where a channel is NaN or infinite" in ran.err
    assert ncpgui("export", tmp_path / "s.h5", "--format", "npz", "--out", tmp_path / "s.npz").code == 0
    with np.load(tmp_path / "s.npz") as exported:
        amplitude = exported["spike_amplitude"]  # matching finds some under the threshold
        assert amplitude.max() < 0
        assert np.median(amplitude) <= -5.5


def test_copied_traces_lie_in_the_folder_of_phy(
    ncpgui: Command, tetrode_session: Path, tetrode_folder: Path, tmp_path: Path
) -> None:
    ran = ncpgui("export", tetrode_session, "--format", "phy", "--out", tmp_path / "phy", "--copy-traces")
    assert ran.code == 0, ran.err
    assert (tmp_path / "phy" / "recording.dat").read_bytes() == (
        tetrode_folder / "recording.raw"
    ).read_bytes()
    refused = ncpgui("export", tetrode_session, "--format", "csv", "--out", tmp_path / "a", "--copy-traces")
    assert "(.csv) holds no traces; leave out --copy-traces, or export to phy" in refused.error


def test_a_part_of_a_recording_is_sorted_and_a_wrong_part_is_refused(
    ncpgui: Command, tetrode_folder: Path, few_settings: Path, tmp_path: Path
) -> None:
    options = ["--out", tmp_path / "s.h5", "--settings", few_settings]
    part = ["--time-range", 1, 3, "--bad-channels", "3"]
    assert ncpgui("sort", tetrode_folder, *options, *part).code == 0
    assert json.loads(ncpgui("info", tmp_path / "s.h5", "--json").out)["recording"]["duration_s"] == 2
    assert "part:      1 to 3 s, without channels 3\n" in ncpgui("info", tmp_path / "s.h5").out
    assert ncpgui("export", tmp_path / "s.h5", "--format", "npz", "--out", tmp_path / "s").code == 0
    with np.load(tmp_path / "s.npz") as exported:
        assert 20_000 <= exported["spike_sample"].min() < exported["spike_sample"].max() < 60_000
    options[1] = tmp_path / "other.h5"
    late = ncpgui("sort", tetrode_folder, *options, "--time-range", 3, 9)
    assert "time range 3 to 9 s does not lie in the recording, which lasts from 0 to 4 s" in late.error
    none = ncpgui("sort", tetrode_folder, *options, "--bad-channels", "x")
    assert "'x' is not a channel; give numbers from 0, such as 3,17,20-23" in none.error
    stream = ncpgui("sort", tetrode_folder, *options, "--stream", "imec0")
    assert "has one stream only; leave --stream out" in stream.error


def test_without_out_a_session_goes_where_the_window_puts_it(
    ncpgui: Command, tetrode_folder: Path, few_settings: Path, tmp_path: Path
) -> None:
    from ncpgui.app.work.recognition import unused_session

    mine = tmp_path / "my tetrode"
    shutil.copytree(tetrode_folder, mine)
    assert unused_session(mine) == tmp_path / "my tetrode.ncp.h5"
    ran = ncpgui("sort", mine, "--settings", few_settings)
    assert ran.code == 0
    assert f"wrote {tmp_path / 'my tetrode.ncp.h5'};" in ran.err
    before = (tmp_path / "my tetrode.ncp.h5").read_bytes()
    assert default_session(mine, replaces=False) == tmp_path / "my tetrode-2.ncp.h5"
    assert default_session(mine, replaces=True) == tmp_path / "my tetrode.ncp.h5"
    assert (tmp_path / "my tetrode.ncp.h5").read_bytes() == before


def test_without_out_an_export_goes_where_the_window_suggests(
    ncpgui: Command, tetrode_session: Path, tmp_path: Path, qtbot
) -> None:
    from ncpgui.app.work import exports
    from ncpgui.gui.dialogs.export import ExportDialog

    mine = shutil.copy(tetrode_session, tmp_path / "mine.ncp.h5")
    assert ncpgui("export", mine, "--format", "csv").code == 0
    assert (tmp_path / "mine.csv").is_file()
    assert "exists" in ncpgui("export", mine, "--format", "csv").error
    dialog = ExportDialog(None, exports.export_formats(), folder=tmp_path, stem="mine")
    qtbot.addWidget(dialog)
    for name, choice in dialog.choices.items():
        choice.setEnabled(True)
        choice.setChecked(True)
        assert dialog.path == default_place(mine, name), name
