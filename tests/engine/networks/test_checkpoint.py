"""A trained network on disk: what is saved comes back; what does not fit is refused with the reason."""

from __future__ import annotations

import json
import os

import pytest
import torch

from ncpgui.core.errors import CheckpointError, InputError
from ncpgui.engine.networks.checkpoint import load_checkpoint, save_checkpoint
from ncpgui.engine.networks.model_files import find_model
from ncpgui.engine.networks.registry import NetworkSettings, build_network
from ncpgui.engine.networks.waveform_encoder import ResNet1DEncoder
from tests.forked import KILLED_AT_RENAME, run_forked

SMALL = NetworkSettings(
    encoder_options={"h_dim": 16, "temporal": 8}, network_options={"h_dim": 16, "metric": 4, "hidden": 8}
)


@pytest.fixture
def saved(tmp_path):
    network = build_network(SMALL)
    path = tmp_path / "tiny.safetensors"
    save_checkpoint(path, network, SMALL, {"scores": {"nll": 0.1}})
    return path, network


def change_card(path, **entries):
    card = json.loads(path.with_suffix(".json").read_text())
    path.with_suffix(".json").write_text(json.dumps({**card, **entries}))


def test_weights_and_card_come_back(saved):
    path, network = saved
    loaded = load_checkpoint(path)
    assert loaded.name == "tiny"
    assert loaded.card["scores"] == {"nll": 0.1}
    assert not loaded.network.training
    for name, value in network.state_dict().items():
        torch.testing.assert_close(loaded.network.state_dict()[name], value)


KILLED = f"""{KILLED_AT_RENAME}
from ncpgui.core.config import from_dict
from ncpgui.engine.networks.checkpoint import load_checkpoint, save_checkpoint
from ncpgui.engine.networks.registry import NetworkSettings, build_network

path = Path(sys.argv[1])
known = load_checkpoint(path)
settings = from_dict(NetworkSettings, known.card["architecture"], place="architecture")
save_checkpoint(path, build_network(settings), settings, {{"scores": {{"nll": 0.2}}}})
"""


@pytest.mark.skipif(os.name != "posix", reason="a process kills itself on POSIX systems")
@pytest.mark.parametrize(("n_renames", "nll"), [(0, 0.1), (1, 0.1), (2, 0.2), (3, 0.2)])
def test_a_training_killed_while_it_keeps_a_model_leaves_the_old_one_or_the_new_one(saved, n_renames, nll):
    """Two renames put both files beside their places, and two more into these."""
    path, _ = saved
    done = run_forked(KILLED, path, n_renames, needs="engine")
    assert done.returncode == -9
    assert load_checkpoint(path).card["scores"] == {"nll": nll}


def test_damaged_weights_are_refused(saved):
    path, _ = saved
    content = bytearray(path.read_bytes())
    content[-3] ^= 1
    path.write_bytes(content)
    with pytest.raises(CheckpointError, match=r"damaged or not the one of its card tiny\.json"):
        load_checkpoint(path)


def test_truncated_weights_are_refused_even_when_the_card_agrees(saved):
    import hashlib

    path, _ = saved
    path.write_bytes(path.read_bytes()[:100])
    change_card(path, weights_sha256=hashlib.sha256(path.read_bytes()).hexdigest())
    with pytest.raises(CheckpointError, match="does not fit this version"):
        load_checkpoint(path)


def test_weights_larger_than_any_are_refused_before_they_are_read(saved):
    """A file of 1 TB made of holes took all memory."""
    os.truncate(saved[0], 2**40)
    with pytest.raises(
        CheckpointError, match=r"tiny\.safetensors cannot be read: it has 1099511627776 bytes"
    ):
        load_checkpoint(saved[0])


def test_another_architecture_is_refused(saved):
    path, _ = saved
    change_card(path, architecture={"network": "transformer"})
    with pytest.raises(CheckpointError, match="unknown network 'transformer'; this version has"):
        load_checkpoint(path)


def test_a_newer_card_and_a_missing_or_broken_card_are_refused(saved):
    path, _ = saved
    change_card(path, card_format=9)
    with pytest.raises(CheckpointError, match=r"format 9, this version reads 1; update ncpgui"):
        load_checkpoint(path)
    change_card(path, card_format=1, input=["spikes"])
    with pytest.raises(CheckpointError, match=r"is damaged: input has no names"):
        load_checkpoint(path)
    path.with_suffix(".json").write_text("{")
    with pytest.raises(CheckpointError, match="is damaged"):
        load_checkpoint(path)
    path.with_suffix(".json").unlink()
    with pytest.raises(CheckpointError, match=r"has no card tiny\.json beside it"):
        load_checkpoint(path)


def test_an_unknown_name_lists_the_shipped_models():
    with pytest.raises(CheckpointError, match=r"no model ''.*spikes"):
        find_model("")
    with pytest.raises(CheckpointError, match=r"no model 'nothing'.*spikes"):
        find_model("nothing")


def test_options_that_a_network_does_not_have_are_refused():
    with pytest.raises(InputError, match="do not fit cluster-aware-ncp"):
        build_network(NetworkSettings(network_options={"depth": 3}))


def test_the_paper_preset_has_the_sizes_of_the_paper():
    from ncpgui.engine.training.presets import PRESETS

    network = build_network(PRESETS["paper-spikes-hex7"].config.architecture)
    f = [layer.out_features for layer in network.f_rest if hasattr(layer, "out_features")]
    assert network.f_of_g.in_features + network.f_of_u.in_features == 512
    assert [network.f_of_g.out_features, *f] == [256, 256, 256, 1]
    assert [layer.out_features for layer in network.g if hasattr(layer, "out_features")] == [256] * 4
    assert sum(p.numel() for p in network.encoder.parameters()) == 505_568
    assert network.encoder(torch.zeros(1, 2, 32, 7), None, torch.ones(1, 7, dtype=bool)).shape == (1, 2, 256)


def test_the_encoder_of_the_paper_takes_missing_contacts_for_silent_ones():
    encoder = ResNet1DEncoder().eval()
    waveforms = torch.randn(1, 3, 32, 7, generator=torch.Generator().manual_seed(0))
    four = torch.arange(7)[None] < 4
    masked, cut = encoder(waveforms, None, four), encoder(waveforms[..., :4], None, four[:, :4])
    torch.testing.assert_close(masked, cut)


@pytest.mark.parametrize(
    ("entries", "reason"),
    [
        ({"name": None}, "name or architecture is missing"),
        ({"architecture": [1]}, "name or architecture is missing"),
        ({"architecture": {"network_options": [2]}}, "network_options must be of type dict, got"),
    ],
)
def test_a_card_that_does_not_say_what_the_network_is_is_refused(saved, entries, reason):
    path, _ = saved
    change_card(path, **entries)
    with pytest.raises(CheckpointError, match=reason):
        load_checkpoint(path)
