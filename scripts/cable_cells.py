"""Random cells as cables, and the membrane currents of one spike of each, by NEURON.

A cell is a tree of straight pieces drawn at random (no reconstruction of a real cell is used): a soma,
dendrites that branch, an apical trunk in pyramidal cells, an axon of hillock, initial segment and
either a bare or a myelinated rest. All channels are built into NEURON: ``hh`` (Hodgkin & Huxley 1952),
its rates set by the temperature, and ``pas``. Densities, temperature, resistivity and capacitance are
drawn as well; `Biophysics` and `draw_biophysics` say from which ranges and why.

The spike is evoked by a pulse of 0.2 ms, just strong enough, in the soma, a dendrite or the axon's
initial segment. From its currents those of a pulse that just failed are subtracted, as one does with
records from real cells; what is kept begins after the pulse, and must hold one spike that comes later.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

KINDS = ("ganglion", "pyramidal", "interneuron", "small", "ball-and-stick")
KIND_SHARE = (0.32, 0.28, 0.2, 0.12, 0.08)
DT_MS = 0.01
PULSE_MS = 0.2
RISE_MS = 0.15  # the currents fade in after the pulse
QUIET_MS = 0.25  # between the pulse and the steepest rise of the soma's voltage, at least
LENGTH_MS = 9.0
REST_MS = 3.0  # put before what was recorded
SPIKE_MV = -15.0  # a peak above this is a spike


@dataclass(frozen=True)
class Biophysics:
    """What holds for a whole cell.

    celsius : sets the rates of hh by a factor 3 per 10 degrees. Squid's rates are slow, so that this is no
        body temperature but a speed: 13-37 spans the narrow spikes of interneurons and the wide ones of
        pyramidal cells
    na_soma, k_share : hh's sodium conductance in the soma, S/cm^2, and potassium as a share of sodium; 0.12
        and 0.3 in the squid (Hodgkin & Huxley 1952). Larger shares give peaks above the trough
    na_initial, na_axon, na_dendrite : sodium of initial segment, bare axon or nodes, and dendrites near
        the soma, relative to the soma. That spikes start in the initial segment whatever the site of the
        stimulus needs more channels there than in soma and dendrites (Mainen et al., Neuron 15, 1995)
    dendrite_decay_um : over which the dendrites' conductance falls by e
    leak, leak_mv : S/cm^2 and mV; the potential is that of hh, -54 mV, or below
    resistivity, capacitance : ohm cm, and uF/cm^2; usual ranges of models, around 100 and 1
    """

    celsius: float
    na_soma: float
    k_share: float
    na_initial: float
    na_axon: float
    na_dendrite: float
    dendrite_decay_um: float
    leak: float
    leak_mv: float
    resistivity: float
    capacitance: float


@dataclass(frozen=True)
class Piece:
    """A straight cable.

    parent : index of the piece at whose end it starts, -1 for the soma
    kind : soma, dendrite, hillock, initial, axon, node or internode
    start, end : (3,) um; start_um, end_um : diameters; path_um : from the soma to its start
    """

    parent: int
    kind: str
    start: Array
    end: Array
    start_um: float
    end_um: float
    path_um: float

    @property
    def length_um(self) -> float:
        """Length."""
        return float(np.linalg.norm(self.end - self.start))

    @property
    def n_segments(self) -> int:
        """Compartments: short near the soma and on the axon, where contacts see their places."""
        longest = 12.0 if self.path_um < 150 or self.kind in ("axon", "internode") else 25.0
        return 1 if self.kind == "soma" else max(1, int(np.ceil(self.length_um / longest)))


@dataclass
class Tree:
    """Pieces of a cell, the soma first."""

    pieces: list[Piece] = field(default_factory=list)

    @property
    def soma_radius_um(self) -> float:
        """Radius of the soma."""
        return self.pieces[0].start_um / 2

    def add(self, parent: int, kind: str, direction: Array, length: float, width: tuple[float, float]) -> int:
        """Append a piece at the end of `parent`; from the soma's surface if that is the soma."""
        at = self.pieces[parent]
        if parent == 0:
            start = direction * self.soma_radius_um
            path = 0.0
        else:
            start, path = at.end, at.path_um + at.length_um
        self.pieces.append(Piece(parent, kind, start, start + direction * length, *width, path))
        return len(self.pieces) - 1


def log_uniform(rng: np.random.Generator, low: float, high: float) -> float:
    """Draw from a law that is flat in the logarithm."""
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


def draw_biophysics(kind: str, rng: np.random.Generator) -> Biophysics:
    """Draw densities and temperature: interneurons are fast, pyramidal cells slow, others anything."""
    celsius = {"interneuron": (26.0, 37.0), "pyramidal": (13.0, 28.0)}.get(kind, (15.0, 35.0))
    return Biophysics(
        celsius=rng.uniform(*celsius),
        na_soma=log_uniform(rng, 0.08, 0.4),
        k_share=log_uniform(rng, 0.05, 0.35),
        na_initial=log_uniform(rng, 1.5, 7.0),
        na_axon=log_uniform(rng, 0.7, 2.5),
        na_dendrite=rng.uniform(0.0, 0.4),
        dendrite_decay_um=log_uniform(rng, 40.0, 400.0),
        leak=log_uniform(rng, 1e-4, 6e-4),
        leak_mv=rng.uniform(-62.0, -54.0),
        resistivity=rng.uniform(70.0, 180.0),
        capacitance=rng.uniform(0.75, 1.2),
    )


def random_direction(rng: np.random.Generator, flatness: float = 0.0) -> Array:
    """Draw a unit vector; the third axis is shortened by `flatness` (1: in the plane)."""
    direction = rng.normal(size=3) * np.array([1.0, 1.0, 1.0 - flatness])
    unit: Array = direction / np.linalg.norm(direction)
    return unit


def turned(direction: Array, by: float, rng: np.random.Generator, flatness: float = 0.0) -> Array:
    """Turn a direction at random, the more the larger `by`."""
    new = direction + by * random_direction(rng, flatness)
    unit: Array = new / np.linalg.norm(new)
    return unit


def grow_dendrite(
    tree: Tree, parent: int, direction: Array, width: float, reach: float, p_branch: float, flatness: float,
    rng: np.random.Generator,
) -> None:  # fmt: skip
    """Grow a dendrite of pieces of 15-40 um until it is `reach` long; daughters are thinner."""
    tips = [(parent, direction, width, 0.0)]
    while tips and len(tree.pieces) < 90:
        at, towards, thick, done = tips.pop(0)
        length = rng.uniform(15.0, 40.0)
        thin = max(0.4, thick * rng.uniform(0.85, 0.98))
        new = tree.add(at, "dendrite", towards, length, (thick, thin))
        if done + length >= reach:
            continue
        n_daughters = 2 if rng.random() < p_branch else 1
        for _ in range(n_daughters):
            bend = 0.9 if n_daughters == 2 else 0.3
            factor = rng.uniform(0.6, 0.85) if n_daughters == 2 else 1.0
            daughter = turned(towards, bend, rng, flatness)
            tips.append((new, daughter, max(0.4, thin * factor), done + length))


def grow_axon(tree: Tree, direction: Array, width: float, myelinated: bool, rng: np.random.Generator) -> None:
    """Grow hillock, initial segment and 450-800 um of axon, bare or with nodes of Ranvier."""
    hillock = rng.uniform(5.0, 25.0)
    at = tree.add(0, "hillock", direction, hillock, (width * rng.uniform(1.3, 2.5), width))
    towards = direction
    for _ in range(2):
        at = tree.add(at, "initial", towards, rng.uniform(10.0, 25.0), (width, width * 0.95))
        towards = turned(towards, 0.15, rng)
    remaining = rng.uniform(450.0, 800.0)
    while remaining > 0:
        towards = turned(towards, 0.3, rng)
        if myelinated:
            length = rng.uniform(40.0, 90.0)
            at = tree.add(at, "internode", towards, length, (width * 1.3, width * 1.3))
            at = tree.add(at, "node", towards, 1.5, (width, width))
        else:
            length = rng.uniform(30.0, 60.0)
            at = tree.add(at, "axon", towards, length, (width, width))
        remaining -= length


def draw_tree(kind: str, rng: np.random.Generator) -> Tree:
    """Draw the shape of a cell of one kind; the soma's centre lies at the origin."""
    soma = {
        "ganglion": log_uniform(rng, 9, 25),
        "pyramidal": log_uniform(rng, 12, 22),
        "interneuron": log_uniform(rng, 8, 16),
        "small": log_uniform(rng, 8, 11),
        "ball-and-stick": log_uniform(rng, 8, 25),
    }[kind]
    along = np.array([soma / 2, 0.0, 0.0])
    tree = Tree([Piece(-1, "soma", -along, along, soma, soma, 0.0)])
    flatness = rng.uniform(0.6, 0.95) if kind == "ganglion" else 0.0
    up = random_direction(rng)
    if kind == "ball-and-stick":
        grow_dendrite(tree, 0, up, rng.uniform(1.5, 4.0), rng.uniform(150, 500), 0.0, 0.0, rng)
    elif kind == "pyramidal":
        grow_dendrite(tree, 0, up, rng.uniform(2.0, 4.5), rng.uniform(200, 450), 0.12, 0.0, rng)
    n_dendrites = {"ganglion": (2, 6), "pyramidal": (3, 6), "interneuron": (3, 7), "small": (2, 3)}.get(
        kind, (0, 0)
    )
    for _ in range(rng.integers(n_dendrites[0], n_dendrites[1] + 1)):
        direction = random_direction(rng, flatness)
        if kind == "pyramidal" and direction @ up > 0.3:
            direction = -direction
        reach = rng.uniform(30, 90) if kind == "small" else rng.uniform(60, 220)
        grow_dendrite(tree, 0, direction, rng.uniform(0.8, 2.5), reach, rng.uniform(0.15, 0.4), flatness, rng)
    if kind != "ball-and-stick" or rng.random() < 0.5:
        direction = turned(-up, 0.5, rng) if kind == "pyramidal" else random_direction(rng)
        width = log_uniform(rng, 0.5, 1.8) if soma > 11 else log_uniform(rng, 0.4, 1.0)
        grow_axon(tree, direction, width, kind != "small" and rng.random() < 0.3, rng)
    return tree


@dataclass(frozen=True)
class Spike:
    """Membrane currents of one spike.

    position : (n_segments, 3) um, soma first; current : (n_segments, n_steps) nA, outward positive
    axon_um : (n_segments,) along the axon from the soma's surface; nan elsewhere and on myelin
    """

    position: Array
    current: Array
    axon_um: Array

    def axon_speed_m_s(self) -> float:
        """Speed by a line through the troughs of the currents; nan without an axon that the spike runs along.

        The first 60 um, where the spike starts, and the last 60 um, where it is reflected, do not count.
        """
        path = np.nan_to_num(self.axon_um, nan=-1.0)
        along = (path > 60) & (path < path.max() - 60)
        if along.sum() < 4:
            return float("nan")
        current, path = self.current[along], path[along]
        depth = -current.min(axis=1)
        if depth[np.argmax(path)] < 0.25 * np.median(depth):
            return float("nan")
        ms_per_um = np.polyfit(path, current.argmin(axis=1) * DT_MS, 1)[0]
        return float(1e-3 / ms_per_um) if ms_per_um > 0 else float("nan")


class NoSpikeError(Exception):
    """The cell did not give the one spike that was wanted; the text says why."""


def _conductances(piece: Piece, about: Biophysics) -> tuple[float, float]:
    """Sodium of hh and leak of a piece, S/cm^2."""
    factor = {
        "soma": 1.0,
        "hillock": 0.5 * (1.0 + about.na_initial),
        "initial": about.na_initial,
        "axon": about.na_axon,
        "node": 3.0 * about.na_axon + about.na_initial,
        "internode": 0.0,
        "dendrite": about.na_dendrite * float(np.exp(-piece.path_um / about.dendrite_decay_um)),
    }[piece.kind]
    return about.na_soma * factor, about.leak


class Cable:
    """A tree as NEURON sections; one at a time, as the temperature is global there."""

    def __init__(self, tree: Tree, about: Biophysics) -> None:
        from neuron import h

        self.h, self.tree, self.about = h, tree, about
        self.sections: list[Any] = []
        for index, piece in enumerate(tree.pieces):
            section = h.Section(name=f"{piece.kind}{index}")
            h.pt3dclear(sec=section)
            for point, width in ((piece.start, piece.start_um), (piece.end, piece.end_um)):
                h.pt3dadd(*point.tolist(), width, sec=section)
            section.nseg = piece.n_segments
            section.Ra = about.resistivity
            if piece.parent >= 0:
                # The soma's children start at its middle: a ball has one potential.
                section.connect(self.sections[piece.parent](0.5 if piece.parent == 0 else 1.0), 0)
            self._insert(section, piece)
            self.sections.append(section)
        self.segments = [segment for section in self.sections for segment in section]
        h.celsius = about.celsius
        h.CVode().use_fast_imem(1)
        self.clamp: Any = None
        self.rest: Any = None

    def _insert(self, section: Any, piece: Piece) -> None:
        """Channels of one section; myelin is a thin leak and a twentieth of the capacitance."""
        sodium, leak = _conductances(piece, self.about)
        section.cm = self.about.capacitance
        if piece.kind == "internode":
            section.insert("pas")
            section.g_pas, section.e_pas, section.cm = leak / 20, -68.0, self.about.capacitance / 20
            return
        section.insert("hh")
        section.gnabar_hh, section.gkbar_hh = sodium, sodium * self.about.k_share
        section.gl_hh, section.el_hh = leak, self.about.leak_mv - (8.0 if piece.kind == "dendrite" else 0.0)

    def positions(self) -> Array:
        """Centres of the segments: (n_segments, 3) um."""
        rows = []
        for piece in self.tree.pieces:
            at = (np.arange(piece.n_segments) + 0.5) / piece.n_segments
            rows.append(piece.start + at[:, None] * (piece.end - piece.start))
        return np.concatenate(rows)

    def axon_um(self) -> Array:
        """Way along the axon to each segment, nan where there is none or it is myelinated: (n_segments,)."""
        rows = []
        for piece in self.tree.pieces:
            at = (np.arange(piece.n_segments) + 0.5) / piece.n_segments
            bare = piece.kind in ("hillock", "initial", "axon", "node")
            rows.append(piece.path_um + at * piece.length_um if bare else np.full(piece.n_segments, np.nan))
        return np.concatenate(rows)

    def stimulate(self, section_index: int) -> None:
        """Put the pulse into the middle of a section; its strength is set later."""
        self.clamp = self.h.IClamp(self.sections[section_index](0.5))
        self.clamp.delay, self.clamp.dur, self.clamp.amp = 0.0, PULSE_MS, 0.0

    def settle(self) -> None:
        """Let the cell come to rest, and remember that state."""
        h = self.h
        h.finitialize(-68.0)
        h.t, h.dt = -80.0, 0.25
        while h.t < -0.5 * h.dt:
            h.fadvance()
        h.t, h.dt = 0.0, DT_MS
        self.rest = h.SaveState()
        self.rest.save()

    def start(self, strength_na: float) -> None:
        """Go back to rest at 0 ms, the pulse about to begin."""
        self.clamp.amp = strength_na
        self.rest.restore()
        self.h.t, self.h.dt = 0.0, DT_MS
        self.h.fcurrent()

    def fires(self, strength_na: float) -> bool:
        """Whether the soma spikes within 6 ms."""
        self.start(strength_na)
        soma = self.sections[0](0.5)
        while self.h.t < 6.0:
            self.h.fadvance()
            if soma.v > SPIKE_MV:
                return True
        return False

    def threshold(self) -> tuple[float, float]:
        """A pulse that does not make the soma spike and one, 2 % stronger, that does, in nA."""
        low, high = 0.0, 0.5
        if self.fires(low):
            raise NoSpikeError("fires by itself")
        while not self.fires(high):
            low, high = high, 2.5 * high
            if high > 80:
                raise NoSpikeError("does not fire")
        while high - low > 0.02 * high:
            middle = 0.5 * (low + high)
            low, high = (low, middle) if self.fires(middle) else (middle, high)
        return low, high

    def response(self, strength_na: float) -> tuple[Array, Array]:
        """Voltage of the soma (n_steps,) mV and membrane currents (n_segments, n_steps) nA."""
        voltage = self.h.Vector().record(self.sections[0](0.5)._ref_v)
        currents = [self.h.Vector().record(segment._ref_i_membrane_) for segment in self.segments]
        self.h.finitialize(-68.0)  # makes NEURON see the new vectors
        self.start(strength_na)
        self.h.frecord_init()
        for _ in range(round(LENGTH_MS / DT_MS)):
            self.h.fadvance()
        return np.array(voltage), np.array([np.array(vector) for vector in currents])


def pulse_site(tree: Tree, rng: np.random.Generator) -> int:
    """Piece that gets the pulse: mostly the soma, else the initial segment or a dendrite close by."""
    wanted = rng.choice(["soma", "initial", "dendrite"], p=[0.55, 0.3, 0.15])
    places = [i for i, p in enumerate(tree.pieces) if p.kind == wanted and p.path_um < 120]
    return int(rng.choice(places)) if places else 0


def draw_spike(kind: str, rng: np.random.Generator) -> tuple[Tree, Spike]:
    """Draw a cell and the currents of its spike, less those of the pulse just too weak for one.

    Raises
    ------
    NoSpikeError
        It fires by itself, not at all, more than once, or too soon after the pulse.
    """
    tree = draw_tree(kind, rng)
    cable = Cable(tree, draw_biophysics(kind, rng))
    site = pulse_site(tree, rng)
    cable.stimulate(site)
    cable.settle()
    too_weak, enough = cable.threshold()
    voltage, current = cable.response(enough)
    failed, current_of_failure = cable.response(too_weak)
    above = voltage > SPIKE_MV
    if int((above[1:] & ~above[:-1]).sum()) != 1 or above[-1] or failed.max() > SPIKE_MV:
        raise NoSpikeError("not one spike")
    pulse_end = round(PULSE_MS / DT_MS) + 3
    steepest = pulse_end + int(np.argmax(np.diff(voltage[pulse_end:])))
    if steepest < round((PULSE_MS + QUIET_MS) / DT_MS):
        raise NoSpikeError("too soon after the pulse")
    spike = after_the_pulse(current - current_of_failure * (enough / too_weak))
    return tree, Spike(cable.positions(), spike, cable.axon_um())


def after_the_pulse(current: Array) -> Array:
    """Let the currents fade in from 0 after the pulse; rest goes before: (n_segments, n_steps)."""
    kept = current[:, round(PULSE_MS / DT_MS) + 2 :].copy()
    n_rise = round(RISE_MS / DT_MS)
    kept[:, :n_rise] *= 0.5 - 0.5 * np.cos(np.pi * np.arange(n_rise) / n_rise)
    return np.pad(kept, ((0, 0), (round(REST_MS / DT_MS), 0)))
