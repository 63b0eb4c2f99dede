"""Cells move together along one way, and spikes are what the contacts see of them by then."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from ncpgui.core.errors import InputError
from ncpgui.engine.generative.motion import MotionSettings, Way, draw_way, straight
from ncpgui.engine.generative.spike_mixture import SpikeMixture, SpikeMixtureSettings
from ncpgui.engine.generative.spike_times import SpikeTimeSettings
from ncpgui.engine.generative.template_reservoir import TemplateReservoir
from ncpgui.engine.generative.unit_templates import UnitSettings

FAR = MotionSettings(p_moving=1.0, reach_um=(30.0, 30.0), p_in_plane=1.0)


def ways(settings: MotionSettings, n_datasets: int = 200) -> Way:
    return draw_way(settings, n_datasets, torch.Generator().manual_seed(0))


def test_the_way_is_as_long_as_asked_in_the_plane_and_straight():
    offset = ways(FAR).offset
    torch.testing.assert_close((offset[:, -1] - offset[:, 0]).norm(dim=1), torch.full((200,), 30.0))
    assert (offset[..., 2] == 0).all()
    steps = offset.diff(dim=1)
    torch.testing.assert_close(steps, steps[:, :1].expand_as(steps), rtol=1e-3, atol=1e-3)


def test_a_seed_gives_the_same_ways_in_every_release() -> None:
    """A training that goes on draws what it drew: thousandths of the way at two of 128 times."""
    place = ways(FAR, 24).place[:, [40, 90]] / (FAR.n_places - 1)
    assert (1000 * place).round().tolist() == [
        [370, 47], [161, 379], [8, 949], [1000, 540], [996, 1000], [26, 732], [321, 247], [361, 94], [48, 7],
        [269, 53], [515, 1000], [677, 286], [413, 129], [890, 0], [0, 7], [982, 0], [128, 3], [352, 222],
        [180, 28], [933, 694], [175, 0], [0, 0], [81, 68], [264, 1000],
    ]  # fmt: skip


def test_a_share_of_the_datasets_stays_where_it_is():
    offset = ways(replace(FAR, p_moving=0.5)).offset
    still = (offset == 0).all(2).all(1)
    assert 80 <= int(still.sum()) <= 120


def test_datasets_that_do_not_tell_their_times_have_a_share_of_their_own():
    told = torch.arange(400) % 2 == 0
    settings = replace(FAR, p_moving=1.0, p_moving_untold=0.25)
    offset = draw_way(settings, 400, torch.Generator().manual_seed(0), told).offset
    moves = (offset != 0).any(2).any(1)
    assert moves[told].all()
    assert 30 <= int(moves[~told].sum()) <= 70
    assert (ways(settings).offset != 0).any(2).any(1).all()  # all tell, where nothing is said


def test_some_go_slowly_and_some_jump():
    """The largest step between two of 128 times, as a part of the way."""
    place = ways(FAR).place / (FAR.n_places - 1)
    assert float(place.amin()) >= 0
    assert float(place.amax()) <= 1
    step = place.diff(dim=1).abs().amax(1)
    assert (step > 0.3).float().mean() > 0.1
    assert (step < 0.05).float().mean() > 0.2


def test_all_jump_where_that_is_asked_for():
    place = ways(replace(FAR, p_jumping=1.0)).place / (FAR.n_places - 1)
    step = place.diff(dim=1).abs().amax(1)
    assert (step > 0.2).float().mean() > 0.95  # the others come back to where they were, or drew no jump


def test_places_between_the_times_of_the_grid_lie_between_theirs():
    way = Way(torch.zeros(1, 2, 3), torch.linspace(0, 1, 128)[None] * 5)
    part = torch.tensor([[0.0, 0.1234, 1.0]])
    torch.testing.assert_close(way.at(part), 5 * part)


def test_a_straight_way_begins_at_home():
    way = straight(torch.tensor([[0.0, 1.0, 0.0]]), torch.tensor([8.0]))
    torch.testing.assert_close(way.offset, torch.tensor([[[0.0, 0, 0], [0.0, 8, 0]]]))


def test_spikes_of_a_moving_unit_differ_by_their_time_and_not_otherwise(reservoir: TemplateReservoir):
    """One large unit: waveforms far apart in time differ by more than those of neighbours in time."""
    settings = replace(
        SpikeMixtureSettings(),
        k_max=1,
        p_noise_cluster=0.0,
        p_bursting=0.0,
        geometries=("hex7",),
        units=UnitSettings(p_small=0.0, amplitude_sd=(20.0, 30.0)),
        motion=FAR,
        times=SpikeTimeSettings(p_told=1.0, p_fading=0.0),
    )
    waveforms, _, _, seconds = (
        SpikeMixture(settings, reservoir).sample(16, 300, torch.Generator().manual_seed(1)).points
    )
    in_time = waveforms[torch.arange(16)[:, None], seconds.argsort(1)].flatten(2)
    near = (in_time[:, 1:] - in_time[:, :-1]).square().sum(2).median(1).values
    far = (in_time[:, 150:] - in_time[:, :150]).square().sum(2).median(1).values
    assert (far > near).float().mean() > 0.75
    assert float((far / near).median()) > 1.2


def test_a_spike_that_is_deeper_on_another_contact_is_hardly_ever_there(reservoir: TemplateReservoir):
    settings = replace(
        SpikeMixtureSettings(), k_max=1, p_noise_cluster=0.0, geometries=("linear",), p_collision=(0.0, 0.0)
    )
    share = {}
    for part in (0.0, 1.0):
        moving = replace(settings, motion=replace(FAR, off_main_part=part))
        batch = SpikeMixture(moving, reservoir).sample(32, 200, torch.Generator().manual_seed(2))
        main, others = (-batch.points[0][..., some].amin(2).amin(-1) for some in ([0], slice(1, None)))
        large = main > 10
        share[part] = float((others > 1.2 * main)[large].float().mean())
    assert share[0.0] < 0.5 * share[1.0]


def test_a_reach_that_is_no_range_is_refused():
    with pytest.raises(InputError, match=r"'reach_um' must be \(lowest, highest\), got \(9.0, 2.0\)"):
        MotionSettings(reach_um=(9.0, 2.0))
