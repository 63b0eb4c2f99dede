"""A component searched by beam in the window: an edit, whose cards say that they are no posterior."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from app_fakes import FakeJobs, opened

from ncpgui.app.actions import action
from ncpgui.app.controller import Controller
from ncpgui.app.model.workspace import Workspace
from ncpgui.app.preferences import Preferences
from ncpgui.app.presenters.alternatives import present_alternatives
from ncpgui.app.work import jobs
from ncpgui.core.alternatives import group_alternatives
from ncpgui.core.component import Alternative, Component
from ncpgui.core.errors import CurationError
from ncpgui.core.posterior import NOT_A_POSTERIOR, PosteriorSamples
from ncpgui.core.project import Project
from tests.doubtful_project import SIZES, component_of, posterior_of, project_of

DRAWS_IN_THE_BACKGROUND = True

UNIT = np.repeat(np.arange(4), SIZES)
SURE = 0.99
"""Weight of the first label vector of the beam."""


def searched(component: Component, n_vectors: int = 40) -> Component:
    """A beam: units 2 and 3 are one in the best vector and in half of all, which differ by single spikes."""
    rows = np.repeat(UNIT[None], n_vectors, axis=0)
    rows[::2][:, UNIT == 3] = 2
    rows[np.arange(1, n_vectors), np.arange(1, n_vectors)] = 1
    weight = np.r_[SURE, np.full(n_vectors - 1, (1 - SURE) / (n_vectors - 1))]
    beam = PosteriorSamples(rows, np.log(weight), weight, sampler="beam")
    ways = tuple(
        Alternative(
            mode.labels,
            np.ones(len(UNIT), np.float32),
            mode.mass,
            mode.mass_se,
            np.ones(mode.labels.max() + 1, np.float32),
        )
        for mode in group_alternatives(beam)
    )
    return replace(component, posterior=beam, alternatives=ways)


@pytest.fixture
def samplers(fake: FakeJobs, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """With which sampler components were sampled again, and what was held (as words)."""
    fake.project = project_of(component_of(posterior_of()))
    asked: list[str] = []

    def resample(
        project: Project, component: Any, waveforms: Any, held: Any, *, sampler: str, progress: Any
    ) -> Any:
        links = len(held.must_link) + len(held.cannot_link)
        asked.append(sampler + (f" under {links}" if links else ""))
        found = searched(component) if sampler == "beam" else component_of(posterior_of())
        return found, waveforms

    monkeypatch.setattr(jobs, "resample", resample)
    return asked


@pytest.fixture
def controller(fake: FakeJobs, samplers: list[str], preferences: Preferences, tmp_path: Path) -> Controller:
    made, _ = opened(fake, preferences, tmp_path / "s.h5")
    return made


def sampler_of(controller: Controller) -> str:
    component = controller.workspace.component()
    assert component is not None
    return component.posterior.sampler


def test_a_search_by_beam_is_an_edit_that_undo_takes_back(
    controller: Controller, samplers: list[str]
) -> None:
    controller.sampling.resample("beam")
    assert samplers == ["beam"]
    assert sampler_of(controller) == "beam"
    workspace = controller.workspace
    assert workspace.state.history.undo_words == "search units 0, 1, 2 and 3 around contact 0 by beam"
    workspace.undo()
    assert sampler_of(controller) == "draws"
    workspace.redo()
    assert sampler_of(controller) == "beam"


@pytest.mark.parametrize("saved", [True, False], ids=["session", "journal"])
def test_a_session_that_is_opened_again_knows_the_beam(
    controller: Controller, preferences: Preferences, tmp_path: Path, saved: bool
) -> None:
    controller.sampling.resample("beam")
    weight = controller.workspace.component().posterior.weight.tolist()  # type: ignore[union-attr]
    if saved:
        controller.save()
    controller.close()
    again = Controller(Workspace(), controller.runner, preferences)
    again.open_session(tmp_path / "s.h5")
    assert sampler_of(again) == "beam"
    assert again.workspace.component().posterior.weight.tolist() == weight  # type: ignore[union-attr]
    again.workspace.undo()
    assert sampler_of(again) == "draws"
    again.close()


def test_cards_and_badge_of_a_beam_say_that_they_are_no_posterior(controller: Controller) -> None:
    before = present_alternatives(controller.workspace)
    assert all("of the posterior" in card.of_what for card in before.cards)
    controller.sampling.resample("beam")
    view = present_alternatives(controller.workspace)
    assert view.sampler == "beam"
    assert view.subtitle.endswith("2 sortings of a beam")
    assert view.badge is not None
    assert (view.badge.trust, view.badge.text) == ("beam", "beam of 40, not a posterior")
    assert NOT_A_POSTERIOR in view.badge.help
    shown = [card for card in view.cards if card.index is not None]
    assert [card.error for card in shown] == ["of the beam"] * 2
    assert shown[0].of_what == f"{shown[0].percent} of the beam: {NOT_A_POSTERIOR}"
    assert sum(card.mass for card in shown) == pytest.approx(1)


def test_the_same_search_is_not_done_twice(controller: Controller, samplers: list[str]) -> None:
    controller.sampling.resample("beam")
    with pytest.raises(CurationError, match="sortings of a beam already, and nothing was decided since"):
        controller.sampling.resample("beam")
    assert samplers == ["beam"]
    controller.workspace.link((0, 1), same=False)
    controller.sampling.resample("beam")
    assert samplers == ["beam", "beam under 1"]


def test_sampling_again_gives_draws_again(controller: Controller, samplers: list[str]) -> None:
    with pytest.raises(CurationError, match="sampling again would change probabilities by chance only"):
        controller.sampling.resample()
    controller.sampling.resample("beam")
    controller.sampling.resample()
    assert samplers == ["beam", "draws"]
    assert sampler_of(controller) == "draws"


def test_a_beam_with_one_heavy_vector_is_not_short_of_draws(
    controller: Controller, samplers: list[str]
) -> None:
    """Unit 0 is one neuron in all 40 vectors, although their weights say as much as one draw would."""
    controller.sampling.resample("beam")
    assert controller.workspace.component().posterior.n_effective < 1.1  # type: ignore[union-attr]
    controller.workspace.set_accepted((0,), True)
    assert samplers == ["beam"]


def test_where_no_vector_of_a_beam_has_a_decision_another_beam_is_searched_under_it(
    controller: Controller, samplers: list[str]
) -> None:
    controller.sampling.resample("beam")
    controller.workspace.merge((0, 1))
    assert samplers == ["beam", "beam under 1"]


def test_a_component_that_is_all_decided_is_not_searched(controller: Controller, samplers: list[str]) -> None:
    workspace = controller.workspace
    workspace.set_accepted(tuple(workspace.state.clustering.unit_ids.tolist()), True)
    with pytest.raises(CurationError, match="all is decided, nothing is left to sample"):
        controller.sampling.resample("beam")
    assert samplers == []


def test_the_action_says_in_help_that_a_beam_is_no_posterior() -> None:
    found = action("beam")
    assert (found.name, found.menu) == ("Search by beam", "Sorting")
    assert "not a posterior" in found.help
