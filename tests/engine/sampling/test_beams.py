"""Beams: of several datasets side by side, under links, in little memory, and the same on every device."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from ncpgui.core.errors import InputError
from ncpgui.core.partition import all_partitions
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.engine.networks.registry import NetworkSettings, build_network
from ncpgui.engine.sampling import beams
from ncpgui.engine.sampling.beams import beam_samples, beam_samples_of_many, stochastic_beam_samples
from ncpgui.engine.sampling.posterior import visits_of

N_POINTS = (9, 6, 12)
SEEDS = (4, 5, 6)
WIDTH = 20


def network_on(device: str = "cpu"):
    """A network with random weights in double precision, far from undecided."""
    torch.manual_seed(3)
    options = {"h_dim": 16, "metric": 8, "hidden": 16}
    encoder = {"n_samples": 8, "h_dim": 16, "temporal": 12}
    network = build_network(NetworkSettings(encoder_options=encoder, network_options=options)).double().eval()
    with torch.no_grad():
        for weights in network.parameters():
            if weights.dim() > 1:
                weights.mul_(1.5)
    return network.to(device)


def encodings_of(network, sizes=N_POINTS):
    found = []
    for number, n in enumerate(sizes):
        generator = torch.Generator().manual_seed(number)
        waveforms = 5 * torch.randn(1, n, 8, 7, generator=generator, dtype=torch.float64)
        positions = 30 * torch.randn(1, 7, 2, generator=generator, dtype=torch.float64)
        arrays = (waveforms, positions, torch.ones(1, 7, dtype=torch.bool))
        with torch.inference_mode():
            found.append(network.encode(*(array.to(network.log_temperature.device) for array in arrays)))
    return found


def side_by_side(network, **options) -> list[PosteriorSamples]:
    return beam_samples_of_many(network, encodings_of(network), width=WIDTH, seeds=SEEDS, **options)


def assert_same(found: list[PosteriorSamples], expected: list[PosteriorSamples]) -> None:
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one.labels, other.labels)
        np.testing.assert_allclose(one.log_prob, other.log_prob, atol=1e-9)
        np.testing.assert_allclose(one.weight, other.weight, atol=1e-9)


def test_drawn_vectors_of_many_points_are_equally_probable_where_none_is_likely_to_be_drawn():
    """1 - exp(-exp(log q - kappa)) is q exp(-kappa) then, so that q is gone from the weights."""
    network = network_on()
    (encoding,) = encodings_of(network, (900,))
    found = stochastic_beam_samples(network, encoding, width=6, seed=2)
    assert np.exp(found.log_prob.max()) == 0, "too small for a number"
    np.testing.assert_allclose(found.weight, 1 / 6)


def test_beams_side_by_side_are_those_of_each_alone():
    network = network_on()
    alone = [
        beam_samples(network, encoding, width=WIDTH, seed=seed)
        for encoding, seed in zip(encodings_of(network), SEEDS, strict=True)
    ]
    assert_same(side_by_side(network), alone)
    assert [one.n_points for one in alone] == list(N_POINTS)


def test_of_no_datasets_there_are_no_beams():
    assert beam_samples_of_many(network_on(), [], width=WIDTH, seeds=[]) == []


def test_a_beam_says_that_it_is_one_and_is_weighed_by_its_probabilities():
    (found, *_) = side_by_side(network_on())
    assert found.sampler == "beam"
    assert found.order is None
    share = np.exp(found.log_prob - found.log_prob.max())
    np.testing.assert_allclose(found.weight, share / share.sum(), atol=1e-12)
    assert np.isnan(found.standard_error(np.array([0])))


@pytest.mark.parametrize("room", [1, WIDTH, 2 * WIDTH + 5])
def test_beams_searched_in_turn_are_those_searched_at_once(monkeypatch, room):
    network = network_on()
    at_once = side_by_side(network)
    monkeypatch.setattr(beams, "rows_at_once", lambda _: room)
    shares = []
    in_turn = side_by_side(network, progress=lambda done, total, message="": shares.append(done / total))
    assert_same(in_turn, at_once)
    assert shares == sorted(shares)
    assert shares[-1] == 1


def test_a_device_without_room_for_two_searches_one_beam_after_the_other(monkeypatch):
    network, walked = network_on(), []
    at_once, walk = side_by_side(network), beams.Walker.walk

    def narrow(self, rule, dataset, device, progress):
        if len(dataset) > WIDTH:
            raise torch.OutOfMemoryError
        walked.append(dataset.unique().tolist())
        return walk(self, rule, dataset, device, progress)

    monkeypatch.setattr(beams.Walker, "walk", narrow)
    assert_same(side_by_side(network), at_once)
    assert walked == [[0], [1], [2]]


def test_every_vector_of_a_beam_obeys_links_and_none_that_obeys_is_missing():
    """Six points have 203 partitions; a beam that wide holds them all, or all of those that obey."""
    network = network_on()
    (encoding,) = encodings_of(network, (6,))
    links = {"must_link": [(0, 3), (3, 5)], "cannot_link": [(1, 5), (1, 2)]}
    clamped = np.array([-1, -1, 4, -1, 4, -1])
    found = beam_samples(network, encoding, width=300, seed=1, clamped=clamped, **links)
    every = np.stack(list(all_partitions(6)))
    obeys = (every[:, 0] == every[:, 3]) & (every[:, 3] == every[:, 5]) & (every[:, 2] == every[:, 4])
    obeys &= (every[:, 1] != every[:, 5]) & (every[:, 1] != every[:, 2])
    assert sorted(map(tuple, found.labels.tolist())) == sorted(map(tuple, every[obeys].tolist()))


def test_links_leave_the_probability_of_a_vector_as_it_is():
    """Points that are visited first stay first with a link between the first two."""
    network = network_on()
    (encoding,) = encodings_of(network, (6,))
    assert visits_of(encoding, 3)[0].order[:2].tolist() == [2, 5]
    free = beam_samples(network, encoding, width=300, seed=3)
    linked = beam_samples(network, encoding, width=300, seed=3, must_link=[(2, 5)])
    assert 0 < linked.n_samples < free.n_samples
    known = {tuple(labels): log_q for labels, log_q in zip(free.labels.tolist(), free.log_prob, strict=True)}
    for labels, log_q in zip(linked.labels.tolist(), linked.log_prob, strict=True):
        assert log_q == pytest.approx(known[tuple(labels)], abs=1e-9)


def test_a_beam_without_width_and_links_that_contradict_are_refused():
    network = network_on()
    encodings = encodings_of(network)
    with pytest.raises(InputError, match="a beam keeps at least one label vector, got 0"):
        beam_samples_of_many(network, encodings, width=0, seeds=SEEDS)
    with pytest.raises(InputError, match=r"must share a cluster .* and cannot share one"):
        beam_samples(network, encodings[0], width=5, seed=0, must_link=[(0, 1)], cannot_link=[(1, 0)])


@pytest.mark.parametrize("device", ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])
def test_a_device_finds_the_beams_that_are_known(device):
    """The same label vectors in the same order, as the path for one dataset finds them on the CPU."""
    network = network_on()
    known = [
        beam_samples(network, encoding, width=WIDTH, seed=seed)
        for encoding, seed in zip(encodings_of(network), SEEDS, strict=True)
    ]
    assert_same(side_by_side(network_on(device)), known)
