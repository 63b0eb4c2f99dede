"""Long work around a workspace: results taken in, failures told, late ones dropped."""

from __future__ import annotations

from pathlib import Path

import pytest
from app_fakes import FakeJobs, opened, request, start
from later import Later

from ncpgui.app.preferences import Preferences
from ncpgui.app.work import recordings
from ncpgui.app.work.activity import Activity
from ncpgui.core.component import Clamp
from ncpgui.core.errors import CurationError
from ncpgui.core.probe import Probe
from ncpgui.session.store import load, save

# -- a recording ----------------------------------------------------------------------------


def test_the_units_of_a_recording_are_found_sampled_put_together_and_saved(
    fake: FakeJobs, preferences: Preferences, tmp_path: Path
) -> None:
    controller, ears = start(preferences)
    controller.open_recording(request(tmp_path))
    workspace = controller.workspace
    assert sorted(fake.sampled) == [0, 1, 2]
    shown = [*[3] * 4, *[4] * 3, *[5] * 3, *[1] * 6, *[2] * 4]  # only component 0 is not as it was matched
    assert workspace.state.clustering.unit_of_spike.tolist() == shown
    assert workspace.state.is_saved
    assert controller.saving.path == tmp_path / "retina.h5"
    assert fake.lives[0].n_closed == 1
    assert "3 questions sampled" in ears.told
    assert controller.work.activity is None
    controller.close()
    kept = load(tmp_path / "retina.h5")
    assert len(kept.components) == 3
    assert kept.unit_of_spike.tolist() == shown
    assert preferences.recent == [str(tmp_path / "retina.h5"), str(tmp_path / "retina.raw")]


def test_the_component_on_screen_is_sampled_first_then_those_with_most_spikes(
    fake: FakeJobs, preferences: Preferences, tmp_path: Path
) -> None:
    runner = Later()
    controller, _ = start(preferences, runner)
    controller.open_recording(request(tmp_path))
    runner.work("work")
    runner.deliver()
    controller.workspace.show_component(2)
    runner.run("work")
    assert fake.sampled == [2, 0, 1]


def test_progress_of_sampling_is_told_over_all_components(
    fake: FakeJobs, preferences: Preferences, tmp_path: Path
) -> None:
    controller, ears = start(preferences)
    controller.open_recording(request(tmp_path))
    sampling = [a for a in ears.activities if a is not None and a.words.startswith("Sampling")]
    assert sampling[0] == Activity("Sampling the posterior: 0 of 3 questions", 0.0)
    shares = [a.fraction for a in sampling if a.fraction is not None]
    assert shares == sorted(shares)
    assert shares[-1] == pytest.approx(2.5 / 3)
    assert ears.activities[-1] is None


def test_a_failing_component_is_named_and_the_others_go_on(
    fake: FakeJobs, preferences: Preferences, tmp_path: Path
) -> None:
    fake.failing[0] = "all waveforms are zero"
    controller, ears = start(preferences)
    controller.open_recording(request(tmp_path))
    assert controller.workspace.questions.status(0).message == "all waveforms are zero"
    assert "2 questions sampled, 1 failed" in ears.told
    assert controller.sampling.waiting_ids() == [0]
    controller.close()
    assert load(tmp_path / "retina.h5").failed == {0: "all waveforms are zero"}


def test_when_all_components_fail_that_is_told_and_kept(
    fake: FakeJobs, preferences: Preferences, tmp_path: Path
) -> None:
    fake.failing = dict.fromkeys((0, 1, 2), "no model")
    controller, ears = start(preferences)
    controller.open_recording(request(tmp_path))
    assert "0 questions sampled, 3 failed" in ears.told
    assert load(tmp_path / "retina.h5").failed == fake.failing


def test_components_that_failed_can_be_sampled_again(
    fake: FakeJobs, preferences: Preferences, tmp_path: Path
) -> None:
    fake.failing[1] = "out of memory"
    controller, _ = start(preferences)
    controller.open_recording(request(tmp_path))
    fake.failing.clear()
    controller.sampling.sample_waiting()
    assert controller.workspace.questions.status(1).state == "sampled"
    assert [live.n_closed for live in fake.lives] == [1, 1]


def test_sampling_is_asked_for_twice_and_done_once(
    fake: FakeJobs, preferences: Preferences, tmp_path: Path
) -> None:
    save(fake.detected, tmp_path / "s.h5")
    runner = Later()
    controller, _ = start(preferences, runner)
    controller.open_session(tmp_path / "s.h5")
    runner.run()
    controller.sampling.sample_waiting()
    runner.work("work")
    controller.sampling.sample_waiting()  # the recording was opened but that was not told yet
    runner.run()
    controller.sampling.sample_waiting()
    assert sorted(fake.sampled) == [0, 1, 2]
    assert not controller.sampling.is_under_way
    assert [live.n_closed for live in fake.lives] == [1] * len(fake.lives)
    controller.close()
    runner.run()


def test_stopping_keeps_the_components_done_so_far(
    fake: FakeJobs, preferences: Preferences, tmp_path: Path
) -> None:
    controller, ears = start(preferences)
    fake.hooks[1] = controller.cancel
    controller.open_recording(request(tmp_path))
    assert fake.sampled == [0]
    assert [controller.workspace.questions.status(c).state for c in (0, 1, 2)] == [
        "sampled",
        "waiting",
        "waiting",
    ]
    assert "Sampling stopped; the questions sampled so far are kept" in ears.told
    assert not controller.sampling.is_under_way
    assert controller.work.activity is None
    assert fake.lives[0].n_closed == 1
    assert controller.workspace.state.is_saved
    assert controller.sampling.waiting_ids() == [1, 2]


def test_opening_can_be_stopped(fake: FakeJobs, preferences: Preferences, tmp_path: Path) -> None:
    runner = Later()
    controller, ears = start(preferences, runner)
    controller.open_recording(request(tmp_path))
    runner.work("work")
    controller.cancel()
    runner.deliver()
    assert controller.workspace.state.project is None
    assert ears.told == ["Stopped"]
    assert fake.lives[0].n_closed == 1


def test_a_recording_that_cannot_be_read_is_told(preferences: Preferences, tmp_path: Path) -> None:
    controller, ears = start(preferences)
    controller.open_recording(request(tmp_path))
    assert controller.workspace.state.project is None
    assert controller.work.activity is None
    ((text, doing),) = ears.failed
    assert "does not exist" in text
    assert doing == "finding units in retina.raw"


# -- one component again ------------------------------------------------------------------------


def test_the_rest_is_sampled_again_with_accepted_units_held(
    fake: FakeJobs, preferences: Preferences, tmp_path: Path
) -> None:
    controller, ears = opened(fake, preferences, tmp_path / "s.h5")
    workspace = controller.workspace
    workspace.set_accepted((1,), True)
    controller.sampling.resample()
    held = next(r for r in fake.requests if isinstance(r, Clamp))
    assert held.labels.tolist() == [-1, -1, -1, -1, 0, 0, 0, -1, -1, -1]
    assert len(workspace.component(0).alternatives) == 1
    assert "Sampled again: units 0, 1 and 2 around contact 0, 1 plausible sorting" in ears.told
    assert workspace.questions.status(0).state == "sampled"
    assert controller.work.activity is None
    controller.close()
    assert (
        len(load(tmp_path / "s.h5").components[0].alternatives) == 2
    )  # as sampled first: the rest is history


def test_a_component_all_of_which_is_accepted_is_not_sampled_again(
    fake: FakeJobs, preferences: Preferences, tmp_path: Path
) -> None:
    controller, _ = opened(fake, preferences, tmp_path / "s.h5")
    controller.workspace.set_accepted((0, 1, 2), True)
    with pytest.raises(CurationError, match="units 0, 1 and 2 around contact 0: all is decided"):
        controller.sampling.resample()
    controller.close()
    with pytest.raises(CurationError, match="not checked yet"):
        controller.sampling.resample()


def test_sampling_again_that_fails_leaves_the_component_as_it_was(
    fake: FakeJobs, preferences: Preferences, tmp_path: Path
) -> None:
    controller, ears = opened(fake, preferences, tmp_path / "s.h5")
    fake.failing[0] = "out of memory"
    controller.sampling.resample()
    assert ears.failed == [("out of memory", "sampling units 0, 1 and 2 around contact 0 again")]
    assert controller.workspace.questions.status(0).state == "sampled"
    assert len(controller.workspace.component(0).alternatives) == 2
    controller.close()


def test_asking_again_while_a_component_is_sampled_again_shows_the_newer_work(
    fake: FakeJobs, preferences: Preferences, tmp_path: Path
) -> None:
    runner = Later()
    controller, _ = opened(fake, preferences, tmp_path / "s.h5", runner)
    controller.sampling.resample()
    runner.work("work")
    controller.sampling.resample()
    runner.deliver()
    assert len(controller.workspace.component(0).alternatives) == 2  # the first result is not wanted
    runner.work("work")
    assert controller.workspace.questions.status(0).words == "sampling 50 %"
    assert controller.work.activity == Activity("Sampling units 0, 1 and 2 around contact 0 again", 0.5)
    runner.run()
    assert len(controller.workspace.component(0).alternatives) == 1
    controller.close()
    runner.run()


@pytest.mark.slow
def test_a_simulated_recording_is_opened_sampled_and_opened_again(
    preferences: Preferences, tmp_path: Path
) -> None:
    """Everything real: simulation, detection, network, joining, session."""
    from ncpgui.ephys.simulation import RetinaSettings, simulate_to_folder

    simulate_to_folder(RetinaSettings(duration_s=5.0), tmp_path / "retina", seed=1)
    controller, ears = start(preferences)
    settings = {"spikes_per_group": 30, "posterior_samples": 8}
    controller.open_recording(
        recordings.RecordingRequest(tmp_path / "retina", {}, settings, tmp_path / "s.h5")
    )
    workspace = controller.workspace
    assert ears.failed == []
    assert workspace.state.project is not None
    assert len(workspace.state.project.components) > 15
    assert isinstance(workspace.state.project.probe, Probe)
    assert workspace.state.project.stimulus is not None
    units = workspace.state.clustering.unit_of_spike.copy()
    assert (units >= 0).mean() > 0.3
    workspace.merge(tuple(int(u) for u in workspace.state.clustering.unit_ids[:2]))
    merged = workspace.state.clustering.unit_of_spike.copy()
    controller.sampling.resample()
    assert ears.failed == []
    (tmp_path / "s.h5.waveforms").unlink()
    controller.close()
    controller.open_path(tmp_path / "s.h5")
    assert workspace.state.clustering.unit_of_spike.tolist() == merged.tolist()
    assert workspace.waveforms() is not None  # read again from the recording
    controller.close()
