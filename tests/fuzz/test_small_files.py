"""Probes, settings, models, preferences, tables of Phy, arrays: whatever is in them, readers are harmless."""

from __future__ import annotations

import io
import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncpgui.app.preferences import Preferences
from ncpgui.cli.options import read_settings
from ncpgui.core.numpy_files import read_npz
from ncpgui.core.resources import data_folder
from ncpgui.engine.networks.checkpoint import load_checkpoint
from ncpgui.engine.training.config import TrainConfig
from ncpgui.ephys.phy_folder import read_phy_folder, sampling_frequency_of
from ncpgui.ephys.probes import load_probe
from ncpgui.ephys.readers import load_stimulus, open_recording
from ncpgui.sorting.config import SortingConfig
from tests.fuzz.harmless import harmless
from tests.fuzz.mutations import changed_bytes, changed_json, changed_text, fixed, nested

PRB = "channel_groups = { 0 : { 'channels' : [0, 1] , 'geometry' : { 0 : (0, 0) , 1 : (0, 25) } } }\n"
CSV = "x , y , shank\n 0 , 0 , 0\n 0 , 25 , 0\n"
TOML = "posterior_samples = 12\n threshold_sd = 4.5\n matcher = 'none'\n motion = 'off'\n"
TRAINING = "steps = 3\n seed = 1\n [data]\n model = 'gauss2d'\n"
PARAMS = (
    "dat_path = 'recording.dat'\n n_channels_dat = 5\n dtype = 'int16'\n offset = 8\n sample_rate = 20000.0\n"
)
TABLE = "cluster_id\tgroup\n0\tgood\n1\tmua\n"


@cache
def probe_json() -> Any:
    """A probe as probeinterface writes it."""
    import probeinterface

    probe = probeinterface.generate_tetrode()
    probe.set_device_channel_indices(np.arange(4))
    group = probeinterface.ProbeGroup()
    group.add_probe(probe)
    return {"specification": "probeinterface", "version": "0.4.2", **group.to_dict(array_as_list=True)}


@cache
def npy(dtype: str) -> bytes:
    """Four numbers as an .npy file."""
    file = io.BytesIO()
    np.save(file, np.arange(4).astype(dtype))
    return file.getvalue()


@cache
def npz(compressed: bool) -> bytes:
    """A stimulus as an .npz file."""
    file = io.BytesIO()
    save = np.savez_compressed if compressed else np.savez
    save(
        file, frames=np.zeros((3, 2, 2), np.int8), trigger_sample=np.array([0, 5, 9]), pixel_um=np.array(10.0)
    )
    return file.getvalue()


@cache
def card() -> Any:
    """The card of a shipped model."""
    return json.loads((data_folder("trained_models") / "gauss2d.json").read_text())


@fixed
@given(st.data())
@pytest.mark.parametrize(("name", "text"), [("p.prb", PRB), ("p.csv", CSV)])
def test_a_probe_as_text(tmp_path: Path, name: str, text: str, data: st.DataObject) -> None:
    (tmp_path / name).write_bytes(data.draw(changed_text(text)))
    with harmless(tmp_path):
        load_probe(tmp_path / name)


@fixed
@given(st.data())
def test_a_probe_as_json(tmp_path: Path, data: st.DataObject) -> None:
    (tmp_path / "p.json").write_bytes(data.draw(changed_json(probe_json())))
    with harmless(tmp_path):
        load_probe(tmp_path / "p.json")


@fixed
@given(st.data())
@pytest.mark.parametrize(("kind", "text"), [(SortingConfig, TOML), (TrainConfig, TRAINING)])
def test_settings(tmp_path: Path, kind: type, text: str, data: st.DataObject) -> None:
    (tmp_path / "s.toml").write_bytes(data.draw(changed_text(text)))
    with harmless(tmp_path):
        read_settings(kind, tmp_path / "s.toml", {})


@fixed
@given(nested)
def test_settings_that_are_nested_deeply(tmp_path: Path, text: str) -> None:
    (tmp_path / "s.toml").write_text(f"seed = {text}")
    with harmless(tmp_path):
        read_settings(SortingConfig, tmp_path / "s.toml", {})


@fixed
@given(st.data())
def test_the_card_of_a_model(tmp_path: Path, data: st.DataObject) -> None:
    shipped = data_folder("trained_models") / "gauss2d.safetensors"
    if not (tmp_path / "m.safetensors").exists():
        (tmp_path / "m.safetensors").write_bytes(shipped.read_bytes())
    (tmp_path / "m.json").write_bytes(data.draw(changed_json(card())))
    with harmless(tmp_path):
        load_checkpoint(tmp_path / "m.safetensors")


@fixed
@given(st.data())
def test_the_weights_of_a_model_whose_card_says_that_they_are_right(
    tmp_path: Path, data: st.DataObject
) -> None:
    import hashlib

    weights = (data_folder("trained_models") / "gauss2d.safetensors").read_bytes()
    changed = data.draw(changed_bytes(weights[:4096])) + weights[4096:]
    (tmp_path / "m.safetensors").write_bytes(changed)
    told = {**card(), "weights_sha256": hashlib.sha256(changed).hexdigest()}
    (tmp_path / "m.json").write_text(json.dumps(told))
    with harmless(tmp_path):
        load_checkpoint(tmp_path / "m.safetensors")


@fixed
@given(st.data())
def test_preferences(tmp_path: Path, data: st.DataObject) -> None:
    value = {"theme": "dark", "recent": ["/a.h5"], "keys": {"merge": "g"}, "layout": "AAAA"}
    (tmp_path / "preferences.json").write_bytes(data.draw(changed_json(value)))
    with harmless(tmp_path):
        read = Preferences(tmp_path)
        assert read.theme in ("light", "dark", "system")
        assert all(isinstance(path, str) for path in read.recent)


@fixed
@given(st.data())
@pytest.mark.parametrize("compressed", [False, True])
def test_arrays(tmp_path: Path, compressed: bool, data: st.DataObject) -> None:
    (tmp_path / "a.npz").write_bytes(data.draw(changed_bytes(npz(compressed))))
    with harmless(tmp_path):
        read_npz(tmp_path / "a.npz")
    with harmless(tmp_path):
        load_stimulus(tmp_path / "a.npz")


def phy_folder(folder: Path) -> dict[str, bytes]:
    """Write a small Phy folder, and return its files."""
    files = {
        "params.py": PARAMS.encode(),
        "spike_times.npy": npy("u8"),
        "spike_clusters.npy": npy("i4"),
        "cluster_group.tsv": TABLE.encode(),
    }
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return files


@fixed
@given(st.data())
@pytest.mark.parametrize("name", ["params.py", "spike_times.npy", "spike_clusters.npy", "cluster_group.tsv"])
def test_a_phy_folder(tmp_path: Path, name: str, data: st.DataObject) -> None:
    content = phy_folder(tmp_path)[name]
    changed = changed_bytes(content) if name.endswith(".npy") else changed_text(content.decode())
    (tmp_path / name).write_bytes(data.draw(changed))
    with harmless(tmp_path):
        sampling_frequency_of(read_phy_folder(tmp_path))


SAVED = {
    "class": "spikeinterface.generation.NoiseGeneratorRecording",
    "module": "spikeinterface",
    "version": "0.105.3",
    "kwargs": {"num_channels": 2, "sampling_frequency": 1e4, "durations": [0.1], "seed": 0},
    "annotations": {},
    "properties": {},
    "relative_paths": False,
}


COMMON_REFERENCE = "spikeinterface.preprocessing.common_reference.CommonReferenceRecording"
NESTED = {**SAVED, "class": COMMON_REFERENCE, "kwargs": {"recording": SAVED}}


@fixed
@given(st.data())
@pytest.mark.parametrize("value", [SAVED, NESTED], ids=["one recording", "one made of another"])
def test_a_recording_that_spikeinterface_saved(
    tmp_path: Path, value: dict[str, Any], data: st.DataObject
) -> None:
    (tmp_path / "recording.json").write_bytes(data.draw(changed_json(value)))
    with harmless(tmp_path):
        open_recording(tmp_path / "recording.json", probe="linear-2")
