"""Training: the loss falls, the best weights are kept with their card, the course of a run is as set."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
import torch

from ncpgui.core.errors import CheckpointError, InputError
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.core.progress import Cancelled
from ncpgui.core.seeds import stream_seed
from ncpgui.core.source_revision import Revision
from ncpgui.engine.generative.registry import GenerativeSettings
from ncpgui.engine.networks.checkpoint import load_checkpoint
from ncpgui.engine.networks.registry import NetworkSettings, build_network
from ncpgui.engine.training import loop, validation
from ncpgui.engine.training.config import TrainConfig
from ncpgui.engine.training.loop import learning_rate, train
from ncpgui.engine.training.resume import read_state, resume_path
from ncpgui.engine.training.validation import Scores, validate

SPIKES = NetworkSettings(
    encoder_options={"h_dim": 32, "temporal": 32, "depth": 1},
    network_options={"h_dim": 32, "metric": 16, "hidden": 32},
)


@pytest.fixture
def validations(monkeypatch):
    """Validation that costs nothing: held-out scores 0.5, 0.4, 0.6, 0.7, 0.7, ..."""
    scores = itertools.chain([0.5, 0.4, 0.6], itertools.repeat(0.7))
    monkeypatch.setattr(loop, "validate", lambda *_, **__: Scores(next(scores), 0.0, 0.0))


def test_the_loss_on_spikes_falls_within_sixty_steps(tmp_path, validations):
    config = TrainConfig(
        architecture=SPIKES,
        steps=60,
        n_datasets=8,
        n_points=(20, 30),
        n_points_end=(20, 30),
        learning_rate=3e-3,
        warmup_steps=10,
    )
    losses = [step.loss for step in train(config, out=tmp_path / "run.safetensors")]
    assert sum(losses[-10:]) < 0.6 * sum(losses[:10])


def test_the_best_averaged_weights_are_kept_with_a_card_that_tells_how(tmp_path, tiny, validations):
    out = tmp_path / "run.safetensors"
    config = replace(tiny, steps=4, validate_steps=1, data=GenerativeSettings(), architecture=SPIKES)
    steps = list(train(config, out=out, command="ncpgui train mine.toml"))
    assert [step.validation.nll for step in steps] == [0.5, 0.4, 0.6, 0.7]
    card = load_checkpoint(out).card
    assert card["steps"] == 2
    assert card["scores"]["nll"] == 0.4
    assert card["training"]["command"] == "ncpgui train mine.toml"
    assert card["device"] == "1 x cpu"
    assert len(card["data_sha256"]) == 64


def test_a_card_holds_the_revision_of_the_source_that_trained(tmp_path, tiny, monkeypatch):
    monkeypatch.setattr(loop, "source_revision", lambda: Revision("a" * 40, True))
    list(train(replace(tiny, steps=1), out=tmp_path / "run.safetensors"))
    card = load_checkpoint(tmp_path / "run.safetensors").card
    assert (card["git_revision"], card["git_changed"]) == ("a" * 40, True)


def test_the_weights_that_are_kept_follow_those_that_are_trained(tmp_path, tiny):
    """average <- decay average + (1 - decay) weights; the decay grows from 1/10 and 2/11 to its own."""
    config, out = replace(tiny, ema_decay=0.9), tmp_path / "run.safetensors"
    torch.manual_seed(stream_seed(tiny.seed, "weights"))
    expected = dict(build_network(tiny.architecture).named_parameters())
    for step, decay in ((1, 1 / 10), (2, 2 / 11)):
        run = train(config, out=out, resume=step > 1)
        assert next(run).step == step
        run.close()
        state = read_state(resume_path(out))
        for name in expected:
            expected[name] = decay * expected[name] + (1 - decay) * state["network"][name]
            torch.testing.assert_close(state["average"][name], expected[name].detach())


def test_the_same_seed_gives_the_same_run_and_another_seed_another(tmp_path, tiny, one_thread):
    def losses(config, name):
        return [step.loss for step in train(config, out=tmp_path / f"{name}.safetensors")]

    first = losses(tiny, "a")
    assert losses(tiny, "b") == first
    assert losses(replace(tiny, seed=1), "c") != first


def test_a_run_by_the_clock_ends_when_its_minutes_are_over(tmp_path, tiny, monkeypatch, validations):
    clock = itertools.count(step=30)  # looked at when the session starts, and before and after every step
    monkeypatch.setattr(loop.time, "monotonic", lambda: float(next(clock)))
    config = replace(tiny, steps=0, minutes=6.0, validate_minutes=2.0)
    steps = list(train(config, out=tmp_path / "run.safetensors"))
    assert steps[-1].minutes >= 6.0 > steps[-2].minutes
    assert [step.minutes_left for step in steps] == [max(0.0, 6.0 - step.minutes) for step in steps]
    scored = [step.minutes for step in steps if step.validation is not None]
    assert scored[-1] == steps[-1].minutes
    assert all(2.0 <= b - a < 4.0 for a, b in itertools.pairwise(scored[:-1]))


def test_the_cosine_schedule_warms_up_and_ends_at_two_per_cent():
    config = TrainConfig(steps=1000, learning_rate=1.0, warmup_steps=10)
    assert learning_rate(config, 4, part=0.0) == pytest.approx(0.5)
    assert learning_rate(config, 500, part=0.5) == pytest.approx(0.51)
    assert learning_rate(config, 999, part=1.0) == pytest.approx(0.02)


def test_the_schedule_of_the_paper_halves_after_ten_and_seventeen_of_twenty_thousand_steps():
    config = TrainConfig(steps=20_000, learning_rate=1e-4, warmup_steps=1, schedule="paper")
    rates = [learning_rate(config, n, config.part_done(n, 0.0)) for n in (0, 9_999, 10_000, 16_999, 17_000)]
    assert rates == [1e-4, 1e-4, 5e-5, 5e-5, 2.5e-5]


def test_the_number_of_points_moves_from_one_range_to_the_other(tmp_path, tiny):
    config = replace(tiny, steps=10, n_points=(3, 4), n_points_end=(30, 31), n_points_each=False, n_orders=1)
    seen = [step.n_points for step in train(config, out=tmp_path / "run.safetensors")]
    assert seen[0] in (3, 4)
    assert seen[-2:] in ([30, 30], [30, 31], [31, 30], [31, 31])  # there after 4/5 of the run
    assert seen[1:8] == sorted(seen[1:8])


def test_a_run_begins_with_the_weights_of_another_model_and_its_card_says_so(tmp_path, tiny):
    first, second = tmp_path / "first.safetensors", tmp_path / "second.safetensors"
    list(train(replace(tiny, steps=2), out=first, command="ncpgui train first.toml"))
    frozen = replace(tiny, steps=1, learning_rate=1e-12, weight_decay=0.0, start_from=str(first))
    list(train(frozen, out=second))
    parent, child = load_checkpoint(first), load_checkpoint(second)
    for name, value in parent.network.state_dict().items():
        torch.testing.assert_close(child.network.state_dict()[name], value, atol=1e-5, rtol=0)
    assert child.card["started_from"]["training"]["command"] == "ncpgui train first.toml"
    assert child.card["started_from"]["steps"] == 2


def test_what_is_kept_may_lie_between_the_weights_of_the_run_and_those_that_it_began_with(tmp_path, tiny):
    first, whole, part = (tmp_path / f"{name}.safetensors" for name in ("first", "whole", "part"))
    list(train(replace(tiny, steps=1), out=first))
    run = replace(tiny, steps=3, validate_steps=3, learning_rate=0.05, start_from=str(first))
    list(train(run, out=whole))
    steps = train(replace(run, start_share=0.25), out=part)
    next(steps)
    steps.close()
    first_weights = load_checkpoint(first).network.state_dict()
    first.unlink()
    [*_, last] = train(replace(run, start_share=0.25), out=part, resume=True)  # which remembers them
    found = [dict(load_checkpoint(path).network.named_parameters()) for path in (whole, part)]
    for name, value in found[1].items():
        torch.testing.assert_close(value, 0.25 * first_weights[name] + 0.75 * found[0][name])
    assert any((value - found[0][name]).abs().max() > 1e-3 for name, value in found[1].items())
    assert load_checkpoint(part).card["scores"]["nll"] == last.validation.nll


def test_a_run_may_train_only_the_parts_that_it_adds_also_when_it_goes_on(tmp_path, tiny):
    first, second = tmp_path / "first.safetensors", tmp_path / "second.safetensors"
    list(train(replace(tiny, steps=1), out=first))
    grown = replace(tiny.architecture, network_options={**tiny.architecture.network_options, "components": 2})
    run = replace(
        tiny, steps=4, learning_rate=0.05, architecture=grown, start_from=str(first), start_fixed=True
    )
    before = load_checkpoint(first).network.state_dict()
    steps = train(run, out=second)
    next(steps)
    steps.close()
    first.unlink()
    list(train(run, out=second, resume=True))
    after = load_checkpoint(second).network.state_dict()
    assert all(torch.equal(value, after[name]) for name, value in before.items())
    assert after["f_apart.weight"].abs().max() > 1e-3


def test_a_part_that_the_model_lacks_is_added_without_effect(tmp_path, tiny):
    first, second = tmp_path / "first.safetensors", tmp_path / "second.safetensors"
    list(train(replace(tiny, steps=2), out=first))
    options = {**tiny.architecture.network_options, "pairs": 4, "components": 2}
    grown = replace(tiny.architecture, network_options=options)
    list(
        train(
            replace(tiny, steps=1, learning_rate=1e-12, architecture=grown, start_from=str(first)), out=second
        )
    )
    batch = tiny.data.build("test").sample(2, 12, torch.Generator().manual_seed(0))
    small, large = load_checkpoint(first).network, load_checkpoint(second).network
    with torch.inference_mode():
        before, after = (n.log_prob(n.finish(n.encode(*batch.points)), batch.labels) for n in (small, large))
    torch.testing.assert_close(before, after, atol=1e-4, rtol=0)
    assert any(name.startswith("pairs.") for name in large.state_dict())


def test_a_run_cannot_begin_with_a_model_of_another_architecture(tmp_path, tiny):
    out = tmp_path / "first.safetensors"
    list(train(replace(tiny, steps=1), out=out))
    wider = replace(tiny.architecture, network_options={"h_dim": 16, "metric": 8, "hidden": 32})
    config = replace(tiny, architecture=wider, start_from=str(out))
    with pytest.raises(CheckpointError, match="'first' has another architecture"):
        next(train(config, out=tmp_path / "second.safetensors"))


def test_a_network_that_cannot_take_the_points_of_the_data_is_refused(tmp_path, tiny):
    config = replace(tiny, data=GenerativeSettings("spikes"))
    with pytest.raises(InputError, match=r"encoder 'points' cannot take the points of .* 'spikes' \(.*give"):
        next(train(config, out=tmp_path / "run.safetensors"))
    assert list(tmp_path.iterdir()) == []


def test_a_step_that_is_not_finite_does_not_spoil_the_weights(tmp_path, tiny, monkeypatch):
    real = loop.batch_loss
    calls = itertools.count()

    def spoilt(*arguments, **options):
        loss = real(*arguments, **options)
        return replace(loss, total=loss.total * float("nan")) if next(calls) == 2 else loss  # the second step

    monkeypatch.setattr(loop, "batch_loss", spoilt)
    losses = [step.loss for step in train(tiny, out=tmp_path / "run.safetensors")]
    assert [loss != loss for loss in losses] == [False, True, False, False, False, False]


def test_validation_is_the_same_each_time_and_can_be_stopped(tiny):
    torch.manual_seed(0)
    network, model = build_network(tiny.architecture), tiny.data.build("test")
    options = {"seed": 0, "n_points": 6, "n_datasets": 16, "n_samples": 2}
    assert validate(network, model, **options) == validate(network, model, **options)

    def stop(done, total, message=""):
        raise Cancelled

    with pytest.raises(Cancelled):
        validate(network, model, **options, progress=stop)


def test_validation_compares_draws_with_the_truth_and_tells_how_far_it_is(tiny, monkeypatch):
    """Twenty sets in two rounds: draws that are the truth, then draws with one unit more or one for all."""
    network, model = build_network(tiny.architecture), tiny.data.build("test")
    truths, shares = [], []
    loss = validation.batch_loss

    def remembered(network, batch, **options):
        truths[:] = batch.labels.cpu().numpy()
        return loss(network, batch, **options)

    def score(draws):
        def drawn(_, encodings, *, n_samples, progress, **__):
            progress(1, 1)
            assert len(encodings) == len(truths)
            return [PosteriorSamples(np.stack([draws(t)] * n_samples), np.zeros(n_samples)) for t in truths]

        monkeypatch.setattr(validation, "batch_loss", remembered)
        monkeypatch.setattr(validation, "sample_posteriors", drawn)
        return validate(
            network, model, seed=0, n_points=6, n_datasets=20, n_samples=2,
            progress=lambda done, total, *_: shares.append(done / total),
        )  # fmt: skip

    right = score(lambda truth: truth)
    assert (right.ari, right.k_error) == (1, 0)
    assert shares == [0.5, 1.0]
    one_more = score(lambda truth: np.append(truth[:-1], truth.max() + 1))
    assert 0 < one_more.k_error <= 1
    joined = score(np.zeros_like)
    assert joined.k_error < 0
    assert one_more.nll == joined.nll == right.nll, "of the truth, whatever is drawn"
