"""The likelihood is that of the definition, written out; prior, posterior and draws belong together."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
import torch
from scipy.special import logsumexp
from scipy.stats import multivariate_normal

from ncpgui.core.errors import InputError
from ncpgui.core.partition import all_partitions, canonical
from ncpgui.core.progress import CancelFlag, Cancelled
from ncpgui.engine.generative import finite_spikes
from ncpgui.engine.generative.finite_spikes import FiniteSpikes
from ncpgui.engine.generative.finite_templates import FiniteSpikesSettings
from ncpgui.engine.generative.partition_priors import MFM
from ncpgui.engine.generative.registry import GenerativeSettings
from ncpgui.engine.generative.template_reservoir import TemplateReservoir
from ncpgui.engine.generative.unit_templates import UnitSettings

FAINT = UnitSettings(
    p_drift=0.0, p_one_type=0.0, p_alike=0.0, amplitude_sd=(0.5, 2.0), small_amplitude_sd=(0.5, 2.0)
)


def seeded(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def every(n_points: int) -> torch.Tensor:
    return torch.from_numpy(np.stack(list(all_partitions(n_points))))


@pytest.fixture(scope="module")
def tiny(reservoir: TemplateReservoir) -> FiniteSpikes:
    """Four contacts, three cells in two orientations, three shifts."""
    settings = FiniteSpikesSettings(layout="tetrode", n_templates=3, n_shifts=3)
    return FiniteSpikes.drawn(settings, reservoir)


@pytest.fixture(scope="module")
def faint(reservoir: TemplateReservoir) -> FiniteSpikes:
    """Spikes of a single wire that are hardly told apart."""
    settings = FiniteSpikesSettings(layout="single", n_templates=6, units=FAINT)
    return FiniteSpikes.drawn(settings, reservoir)


def literal_table(model: FiniteSpikes, waveforms: torch.Tensor) -> np.ndarray:
    """L[i, tau] by the definition, one density after the other."""
    means, noise = model.templates.means.double().numpy(), model.templates.noise
    covariance = np.kron(noise.time[0].double().numpy(), noise.space[0].double().numpy())
    law = multivariate_normal(np.zeros(len(covariance)), covariance)
    table = np.empty((len(waveforms), len(means)))
    for i, x in enumerate(waveforms.double().numpy()):
        for tau, shifted in enumerate(means):
            density = [law.logpdf((x - mu).ravel()) for mu in shifted]
            table[i, tau] = logsumexp(density) - math.log(len(shifted))
    return table


def test_the_joint_is_the_one_written_out(tiny: FiniteSpikes) -> None:
    waveforms = tiny.sample(1, 4, seeded(0)).points[0][0]
    table, labels = literal_table(tiny, waveforms), every(4)
    expected = [
        sum(logsumexp(table[row == k].sum(0)) - math.log(table.shape[1]) for k in range(row.max() + 1))
        for row in labels.numpy()
    ]
    found = tiny.log_likelihood(waveforms, labels)
    np.testing.assert_allclose(found, expected, atol=2e-3)
    np.testing.assert_allclose(tiny.log_joint(waveforms, labels), found + MFM().log_prob(labels))


def test_a_cluster_of_one_spike_is_an_even_mixture_of_all_means(tiny: FiniteSpikes) -> None:
    waveforms = tiny.sample(1, 3, seeded(1)).points[0][0]
    alone = torch.eye(3, dtype=torch.bool)
    expected = logsumexp(literal_table(tiny, waveforms), axis=1) - math.log(6)
    np.testing.assert_allclose(tiny.log_evidence(waveforms, alone), expected, atol=2e-3)


def test_an_empty_cluster_has_evidence_one(tiny: FiniteSpikes) -> None:
    waveforms = tiny.sample(1, 3, seeded(1)).points[0][0]
    nobody = torch.zeros(1, 3, dtype=torch.bool)
    assert tiny.log_evidence(waveforms, nobody).item() == pytest.approx(0, abs=1e-12)


def test_memory_is_bounded_and_the_result_the_same(
    tiny: FiniteSpikes, monkeypatch: pytest.MonkeyPatch
) -> None:
    waveforms, labels = tiny.sample(1, 6, seeded(2)).points[0][0], every(6)
    whole = tiny.log_likelihood(waveforms, labels)
    monkeypatch.setattr(finite_spikes, "_ENTRIES", 800)
    parts = list(tiny.log_likelihoods(waveforms))
    assert max(table.numel() * 3 for _, table in parts) <= 800
    assert len(parts) > 1
    torch.testing.assert_close(tiny.log_likelihood(waveforms, labels), whole)


def test_long_work_is_reported_and_can_be_cancelled(tiny: FiniteSpikes) -> None:
    waveforms, labels = tiny.sample(1, 3, seeded(2)).points[0][0], every(3)
    seen = []
    tiny.log_joint(waveforms, labels, progress=lambda done, total, message="": seen.append((done, total)))
    assert seen == [(done, len(seen) - 1) for done in range(len(seen))]
    assert len(seen) > 1
    flag = CancelFlag()
    flag.cancel()
    with pytest.raises(Cancelled):
        tiny.log_joint(waveforms, labels, progress=flag.guard())


def test_the_order_of_spikes_does_not_matter(tiny: FiniteSpikes) -> None:
    waveforms, labels = tiny.sample(1, 8, seeded(3)).points[0][0], torch.tensor([[0, 1, 1, 0, 2, 0, 1, 2]])
    order = torch.randperm(8, generator=seeded(4))
    moved = torch.from_numpy(canonical(labels[:, order].numpy()))
    torch.testing.assert_close(tiny.log_joint(waveforms[order], moved), tiny.log_joint(waveforms, labels))


def test_labels_follow_their_prior(faint: FiniteSpikes) -> None:
    n_draws = 20_000
    labels = faint.sample(n_draws, 4, seeded(0)).labels
    count = Counter(map(tuple, labels.tolist()))
    p = faint.prior.log_prob(every(4)).exp().numpy()
    found = np.array([count[tuple(row)] for row in every(4).tolist()]) / n_draws
    assert p.sum() == pytest.approx(1)
    assert (np.abs(found - p) < 4 * np.sqrt(p * (1 - p) / n_draws)).all()


def test_the_posterior_is_the_prior_on_average(faint: FiniteSpikes) -> None:
    """sum_x p(x) p(c | x) = p(c): holds only if the likelihood is the one that spikes were drawn from."""
    n_datasets = 250
    labels = every(4)
    waveforms = faint.sample(n_datasets, 4, seeded(1)).points[0]
    posterior = np.stack([faint.log_joint(x, labels).softmax(0).numpy() for x in waveforms])
    np.testing.assert_allclose(posterior.sum(1), 1)
    p = faint.prior.log_prob(labels).exp().numpy()
    error = posterior.std(0) / math.sqrt(n_datasets)
    assert (np.abs(posterior.mean(0) - p) < 4 * error).all()
    assert np.abs(posterior - p).max() > 0.2  # and it is not the prior each time


def test_the_evidence_of_the_data_integrates_to_one(
    faint: FiniteSpikes, reservoir: TemplateReservoir
) -> None:
    """E over x ~ p of p'(x) / p(x) = 1 for another prior and other templates in the same noise."""
    settings = FiniteSpikesSettings(
        layout="single", n_templates=4, n_shifts=3, k_rate=0.5, gamma=2.0, units=FAINT
    )
    other = FiniteSpikes.drawn(settings, reservoir.subset("test"))
    assert torch.equal(other.templates.noise.time, faint.templates.noise.time)
    labels = every(3)
    ratio = np.array(
        [
            float((other.log_joint(x, labels).logsumexp(0) - faint.log_joint(x, labels).logsumexp(0)).exp())
            for x in faint.sample(250, 3, seeded(2)).points[0]
        ]
    )
    error = ratio.std() / math.sqrt(len(ratio))
    assert ratio.mean() == pytest.approx(1, abs=4 * error)
    assert 0.01 < error < 0.2


def test_the_law_of_the_last_spike_is_the_conditional_of_the_enumerated_posterior(
    faint: FiniteSpikes,
) -> None:
    waveforms, labels = faint.sample(1, 5, seeded(3)).points[0][0], every(5)
    p = faint.log_joint(waveforms, labels).softmax(0)
    given = torch.tensor([0, 1, 0, 2])
    same = (labels[:, :4] == given).all(1)
    expected = p[same] / p[same].sum()
    torch.testing.assert_close(faint.last_point(waveforms, given), expected)
    assert faint.last_point(waveforms[:1], torch.empty(0, dtype=torch.int64)).tolist() == [1.0]


def test_more_clusters_than_the_prior_allows_cannot_be(tiny: FiniteSpikes) -> None:
    model = FiniteSpikes(MFM(k_max=2), tiny.templates)
    waveforms = tiny.sample(1, 3, seeded(4)).points[0][0]
    impossible = model.log_joint(waveforms, every(3)) == -math.inf
    assert impossible.tolist() == [False, False, False, False, True]


def test_shapes_and_sizes_are_those_of_spikes(tiny: FiniteSpikes) -> None:
    batch = tiny.sample(20, (5, 8), seeded(5))
    waveforms, positions, mask = batch.points
    assert (waveforms.shape, positions.shape, mask.shape) == ((20, 8, 32, 4), (20, 4, 2), (20, 4))
    assert waveforms.dtype == torch.float32
    assert mask.all()
    assert (positions == tiny.templates.positions).all()
    assert set(batch.n_points.tolist()) == {5, 6, 7, 8}
    assert np.array_equal(batch.labels.numpy(), canonical(batch.labels.numpy()))


def test_spikes_of_a_unit_lie_around_its_template(tiny: FiniteSpikes) -> None:
    """The mean of a cluster of n is a template, shifts averaged, up to noise of 1 / sqrt(n)."""
    batch = tiny.sample(4, 2000, seeded(6))
    for waveforms, labels in zip(batch.points[0], batch.labels, strict=True):
        mine = waveforms[labels == 0]
        away = (tiny.templates.means.mean(1) - mine.mean(0)).square().mean((1, 2)).sqrt().min()
        assert away < 2 / math.sqrt(len(mine)) + 0.05


def test_the_same_seed_gives_the_same_batch(tiny: FiniteSpikes) -> None:
    first, again, other = (tiny.sample(2, 10, seeded(i)) for i in (7, 7, 8))
    assert torch.equal(first.points[0], again.points[0])
    assert not torch.equal(first.points[0], other.points[0])


def test_it_is_known_by_name_with_every_number_in_the_card() -> None:
    options = {"layout": "tetrode", "n_templates": 2}
    settings = GenerativeSettings("finite-spikes", options)
    assert settings.options["units"]["p_drift"] == 0.0
    model = settings.build("test")
    described = model.describe()
    assert described["input"]["kind"] == "spikes"
    assert described["input"]["max_channels"] == 4
    assert len(described["data_sha256"]) == 64


@pytest.mark.parametrize(
    ("waveforms", "message"),
    [
        (torch.zeros(3, 32, 7), r"\(spikes, 32 samples, 4 contacts\), got \(3, 32, 7\)"),
        (torch.zeros(32, 4), r"got \(32, 4\)"),
        (torch.full((2, 32, 4), torch.nan), "not finite; leave these spikes out"),
    ],
)
def test_waveforms_that_do_not_fit_are_refused(
    tiny: FiniteSpikes, waveforms: torch.Tensor, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        tiny.log_joint(waveforms, torch.zeros(1, len(waveforms), dtype=torch.int64))
