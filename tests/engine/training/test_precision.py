"""bfloat16 in the encoder, float32 after it."""

from __future__ import annotations

from dataclasses import replace

import torch

from ncpgui.engine.networks.checkpoint import load_checkpoint
from ncpgui.engine.networks.registry import build_network
from ncpgui.engine.training.loop import train
from ncpgui.engine.training.losses import batch_loss
from ncpgui.engine.training.precision import encode_in_bfloat16, uses_bfloat16


def test_a_run_encodes_in_bfloat16_when_asked_to_and_never_by_itself_on_a_cpu():
    cpu = torch.device("cpu")
    assert not uses_bfloat16("auto", cpu)
    assert not uses_bfloat16("float32", cpu)
    assert uses_bfloat16("bfloat16", cpu)


def test_only_the_encoder_computes_in_bfloat16(tiny):
    torch.manual_seed(0)
    network = build_network(tiny.architecture)
    kinds = {}
    for name, module in network.named_modules():
        if isinstance(module, torch.nn.Linear):
            module.register_forward_hook(lambda _, __, out, name=name: kinds.update({name: out.dtype}))
    batch = tiny.data.build().sample(2, 10, torch.Generator().manual_seed(0))
    plain = batch_loss(network, batch, seed=0).total
    assert set(kinds.values()) == {torch.float32}
    encode_in_bfloat16(network, torch.device("cpu"))
    assert network.encoder(*batch.points).dtype == torch.float32
    loss = batch_loss(network, batch, seed=0).total
    assert {kind for name, kind in kinds.items() if name.startswith("encoder.")} == {torch.bfloat16}
    assert {kind for name, kind in kinds.items() if not name.startswith("encoder.")} == {torch.float32}
    assert loss != plain
    torch.testing.assert_close(loss, plain, rtol=0.02, atol=0)
    loss.backward()
    assert {p.grad.dtype for p in network.parameters()} == {torch.float32}


def test_a_run_in_bfloat16_writes_a_model_in_float32(tiny, tmp_path):
    out = tmp_path / "run.safetensors"
    exact = [s.loss for s in train(tiny, out=tmp_path / "exact.safetensors")]
    rounded = [s.loss for s in train(replace(tiny, precision="bfloat16"), out=out)]
    assert rounded != exact
    torch.testing.assert_close(torch.tensor(rounded), torch.tensor(exact), rtol=0.05, atol=0.01)
    assert {p.dtype for p in load_checkpoint(out).network.parameters()} == {torch.float32}
