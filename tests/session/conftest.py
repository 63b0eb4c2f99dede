"""A small project with everything in it, values known by hand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from ncpgui.core.clock import Clock
from ncpgui.core.component import Alternative, Component, ComponentWaveforms, Echoes, WaitingComponent
from ncpgui.core.events import Events
from ncpgui.core.given import PHY, GivenSorting
from ncpgui.core.left_out import LeftOut
from ncpgui.core.motion import Motion
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.core.probe import Probe
from ncpgui.core.project import Project, RecordingReference
from ncpgui.core.proposals import Proposal
from ncpgui.core.spikes import SpikeEvents
from ncpgui.core.stimulus import Stimulus


def build(*, n_spikes: int = 60, seed: int = 0) -> Project:
    """Two channels of a three-contact probe; the third could not be sampled."""
    rng = np.random.default_rng(seed)
    channel = np.arange(n_spikes) % 2
    components, waveforms = [], {}
    for main in (0, 1):
        spike_ids = np.flatnonzero(channel[:-1] == main)
        n = len(spike_ids)
        sampled = np.arange(0, n, 2)
        posterior = PosteriorSamples(
            rng.integers(0, 3, (4, len(sampled))),
            np.array([-3.5, -4.0, -5.25, -6.0]),
            np.array([4, 2, 1, 1.0]),
            np.array([0, 1, 0, 1]) if main else None,
            np.array([1, 1, 1, 2.0]) if main else None,
            stimulus_nats=np.array([-3.25, 0.0, 8.0, 0.1]) if main else None,
            weight_without_echoes=np.array([0.5, 0.5, 0, 0]) if main else None,
            echo_of=np.where(np.arange(len(sampled)) == 3, 1, -1) if main else None,
        )
        one = Alternative(
            np.zeros(n, np.int32),
            np.full(n, 0.75, np.float32),
            0.75,
            0.1,
            np.ones(1, np.float32),
            0.6 if main else None,
            0.7 if main else None,
            0.72 if main else None,
        )
        labels = (np.arange(n) % 3 - 1).astype(np.int32)
        exists = np.array([0.5, 0.25], np.float32)
        by_less = (0.4, 0.3, 0.28) if main else ()
        two = Alternative(labels, np.full(n, 0.5, np.float32), 0.25, 0.1, exists, *by_less)
        neighbours = np.array([main, 2], dtype=np.int64)
        apart = (0,) if main else ()
        echoes = (Echoes(np.array([6]), np.array([2]), 0.9), Echoes(np.array([1, 4]), np.array([0, 3]), 0.6))
        components.append(
            Component(
                main,
                neighbours,
                spike_ids,
                sampled,
                posterior,
                (one, two),
                cut_from=apart,
                echoes=echoes if main else (),
                again=np.array([2, 5]) if main else None,
                elsewhere=np.linspace(0, 0.75, n).astype(np.float32) if main else None,
            )
        )
        waveforms[main] = ComponentWaveforms(
            rng.normal(size=(len(sampled), 32, 2)).astype(np.float16).astype(np.float32),
            rng.normal(size=(len(sampled), 5)).astype(np.float16).astype(np.float32),
        )
    return Project(
        recording=RecordingReference(
            "/data/Aufnahme März.dat",
            {"dtype": "int16", "n_channels": 3},
            "abc123",
            3,
            20_000.0,
            100_000,
            first_sample=7,
            own_clock=Clock(20_000.0, [0, 49_999, 50_000], [100.0, 102.49995, 132.5], [0, 60_000]),
            second_0="2024-03-05T10:20:30+02:00",
        ),
        probe=Probe(np.array([[0.0, 0.0], [30.0, 0.0], [15.0, 26.0]]), np.array([0, 0, 1])),
        spikes=SpikeEvents(
            np.arange(n_spikes) * 40_000,
            channel,
            -rng.uniform(4, 9, n_spikes).astype(np.float32),
            20_000.0,
            10**9,
        ),
        noise_sd=np.array([5.0, 6.5, 0.0], np.float32),
        components=tuple(components),
        unit_of_spike=np.where(np.arange(n_spikes) % 5 == 0, -1, channel.astype(np.int64) * 7),
        probability=rng.uniform(0, 1, n_spikes).astype(np.float32),
        p_neuron=np.linspace(0, 1, n_spikes, dtype=np.float32),
        lost=np.linspace(0, 3, n_spikes, dtype=np.float32),
        left_out=LeftOut(faint=2, like_noise=1, like_noise_spikes=40, rare=3, rare_spikes=17),
        motion=Motion(
            time_s=np.array([0.5, 1.5]),
            depth_um=np.array([13.0]),
            displacement_um=np.array([[0.0], [7.5]]),
            preset="dredge_fast",
            applied=True,
            reason="The tissue moved over 8 µm along the probe; templates follow it.",
            peak_time_s=np.array([0.1]),
            peak_depth_um=np.array([12.0]),
        ),
        settings={"seed": 3, "detection": {"threshold_sd": 5.0}, "names": ["a", "ü"]},
        model="small-hex7",
        waiting=(WaitingComponent(2, np.array([2, 0]), np.array([n_spikes - 1])),) if n_spikes else (),
        failed={2: "no model"},
        stimulus=Stimulus(rng.integers(-1, 2, (5, 2, 3)).astype(np.int8), np.arange(5) * 100, 12.5),
        events=Events(np.array([100.5, 101.25, 133.0]), np.array([0, 1, 0]), ("left", "rechts ü")),
        given=GivenSorting(
            "/data/ks4 März",
            PHY,
            np.arange(n_spikes)[::-1].copy(),
            "d1",
            {0: "good", 7: "noise"},
            {7: "#7"},
            proposals=(Proposal("SLAy", "merge", (7, 0)), Proposal("Bombcell", "label", (0,), "mua")),
        ),
        history=({"do": "merge", "unit_ids": [0, 7]}, {"do": "undo"}),
        waveforms=waveforms,
    )


def check_same(a: object, b: object, place: str = "project") -> None:
    """Two values are equal to the bit, of the same type, all the way down."""
    assert isinstance(a, type(b)), place  # waveforms may stay in their file
    if isinstance(a, np.ndarray):
        assert isinstance(b, np.ndarray)
        assert a.dtype == b.dtype, place
        np.testing.assert_array_equal(a, b, err_msg=place)
    elif hasattr(a, "__dataclass_fields__"):
        for name in a.__dataclass_fields__:
            check_same(getattr(a, name), getattr(b, name), f"{place}.{name}")
    elif isinstance(a, (list, tuple)):
        assert isinstance(b, (list, tuple))
        assert len(a) == len(b), place
        for i, (x, y) in enumerate(zip(a, b, strict=True)):
            check_same(x, y, f"{place}[{i}]")
    elif isinstance(a, dict):
        assert isinstance(b, dict)
        assert list(a) == list(b), place
        for key in a:
            check_same(a[key], b[key], f"{place}[{key!r}]")
    else:
        assert a == b, place


@pytest.fixture
def make_project() -> Callable[..., Project]:
    """Build a project of `n_spikes` from `seed`."""
    return build


@pytest.fixture
def assert_same() -> Callable[[object, object], None]:
    """Check that two values are equal to the bit."""
    return check_same


@pytest.fixture
def project() -> Project:
    """A project with two components, a failed channel, a stimulus and a history."""
    return build()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a test keeps its session."""
    return tmp_path / "retina é.h5"
