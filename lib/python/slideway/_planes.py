"""Planes that are coloured by the attractors that solutions come to: basins of initial values, and diagrams of two parameters."""

from __future__ import annotations

import itertools
import json
import os
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Tuple

import numpy as np

from . import _core
from ._analyses import Apart, Document, SpecialPoint, number_of, time_text, whole_number
from ._progress import Bar


class ScalingLaw(NamedTuple):
    """A straight line through logarithms: its slope ``exponent`` and standard ``error``, NaN where it is not known; ``values`` (k,) over ``sizes`` (k,), in cells."""

    exponent: float
    error: float
    sizes: np.ndarray
    values: np.ndarray


class BasinAttractor(Document):
    """An attractor of :class:`Basins`: ``kind`` ("point", "orbit", "set", "quasiperiodic", "chaotic", "unresolved"), ``stable``, ``points`` (n, k), ``rounds``, ``period``,
    ``signature``, ``largest_multiplier``, ``largest_exponent`` and its error, NaN where they are not known, ``location``, ``mode``, ``message``."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        super().__init__(document)
        self.points = np.array([[number_of(v) for v in point] for point in document["points"]]).T
        for name in ("period", "largest_multiplier", "largest_exponent", "largest_exponent_error"):
            setattr(self, name, number_of(document[name]))

    def __repr__(self) -> str:
        rounds = f" of {self['rounds']} rounds" if self["kind"] == "orbit" and self["rounds"] > 1 else ""
        first = ", ".join(f"{v:.6g}" for v in self.points[:4, 0]) if self.points.size else ""
        return f"<{'' if self['stable'] else 'not stable: '}{self['kind']}{rounds} at ({first}{', …' if self.points.shape[0] > 4 else ''})>"


class Basins(Document):
    """What the starts of a plane come to.

    ``cells`` (up, across) has the places in ``ends``, from the lowest values on, and -1 where a cell was not followed; ``axes`` has the middles of the cells by the names of
    both states, and ``extent`` is (left, right, bottom, top). ``ends`` are documents with ``name`` ("1", "2", … of attractors; "left", "unsettled", …), ``attractor``, its place in
    ``attractors``, and ``message``. By the names of ends, ``fractions`` are the parts of the cells, ``sampled`` those of random samples, and ``errors`` their standard errors.
    ``dimension`` of the boundary and ``uncertainty`` are :class:`ScalingLaw`; ``complete`` tells whether all was followed."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        super().__init__(document)
        self.axes, self.extent, shape = _sides(document)
        self.cells = np.array(document["cells"], dtype=int).reshape(shape)
        self.attractors = [BasinAttractor(attractor) for attractor in document["attractors"]]
        self.ends = [Document(end) for end in document["ends"]]
        self.fractions: Dict[str, float] = {end["name"]: float(end["fraction"]) for end in self.ends}
        self.sampled: Dict[str, float] = {end["name"]: float(end["sampled"]) for end in self.ends}
        self.errors: Dict[str, float] = {end["name"]: float(end["error"]) for end in self.ends}
        self.dimension, self.uncertainty = _law(document["dimension"]), _law(document["uncertainty"])

    def attractor_of(self, end: str) -> Optional[BasinAttractor]:
        """The attractor of an end by its name; None for an end that is none."""
        place, = [one["attractor"] for one in self.ends if one["name"] == end]
        return None if place is None else self.attractors[place]

    def to_dataframe(self) -> Any:
        """A pandas DataFrame with a row per end."""
        import pandas

        rows = [{"end": end["name"], "kind": None if end["attractor"] is None else self.attractors[end["attractor"]]["kind"],
                 **{name: end[name] for name in ("cells", "fraction", "samples", "sampled", "error", "message")}} for end in self.ends]
        return pandas.DataFrame(rows)

    def plot(self, ax: Any = None) -> Any:
        """The cells with the points of attractors, by matplotlib; returns its axes."""
        from ._plot import draw_basins

        return draw_basins(self, ax)

    def __repr__(self) -> str:
        what = {end["name"]: end["name"] if end["attractor"] is None else f"{end['name']}: {self.attractors[end['attractor']]!r}" for end in self.ends}
        lines = [f"{self.fractions[name]:8.2%} of the cells  {text}" for name, text in what.items()]
        return "\n".join([f"<basins of {self.cells.shape[1]} × {self.cells.shape[0]} cells of {' and '.join(self.axes)}>", *lines])


class DiagramRegion(Document):
    """All cells of a :class:`Diagram` with attractors of one kind: ``name``, ``attractor`` (its kind, None where there is none), ``rounds``, ``signature``; ``cells`` (up, across) is true
    where a solution comes to it, in either direction."""

    def __init__(self, document: Mapping[str, Any], cells: np.ndarray) -> None:
        super().__init__(document)
        self.cells = cells

    @property
    def short_name(self) -> str:
        """The name, in which equal events in a row are counted: "orbit of 4 rounds: 2 × impact(stop)"."""
        head, colon, events = self["name"].partition(": ")
        rows = [(event, len(list(row))) for event, row in itertools.groupby(events.split(" "))]
        return head + colon + " ".join(event if count == 1 else f"{count} × {event}" for event, count in rows)

    def __repr__(self) -> str:
        return f"<{self.short_name}: {int(self.cells.sum())} of {self.cells.size} cells>"


class DiagramCurve(Document):
    """A curve of bifurcations of a :class:`Diagram`: ``kind`` ("SN", "GR", …), ``of`` ("orbits" or "equilibria"), ``rounds``, ``values`` (2, k), the parameters across and up,
    ``kinds``, that of each point, ``special``, a list of named points, ``closed``, ``before`` and ``after``, ``reason`` and ``message``."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        super().__init__(document)
        self.kind = str(document["bifurcation"])
        self.values = np.array([[number_of(p["first"]), number_of(p["second"])] for p in document["points"]]).reshape(-1, 2).T
        self.kinds: List[str] = [p["kind"] for p in document["points"]]
        self.special = [SpecialPoint(p["name"], number_of(p["first"]), number_of(p["second"]), p["reason"]) for p in document["special"]]

    def __repr__(self) -> str:
        return f"<curve {self.kind} of {self['of']}, {self.values.shape[1]} points>"


class Diagram(Document):
    """Which attractors solutions come to in a plane of two parameters.

    ``forward`` and ``backward`` (up, across) have the places in ``regions`` to which the continuation to larger and to smaller values across comes, and -1 where a cell was not
    followed; ``cells`` is ``forward``. ``coexisting`` is true where both come to different attractors. ``axes`` has the middles of the cells by the names of both
    parameters, and ``extent`` is (left, right, bottom, top). ``regions`` is a list of :class:`DiagramRegion`, ``curves`` one of :class:`DiagramCurve`; ``meetings`` tells where
    curves cross, and ``explained`` at how many of the ``borders`` between regions a curve passes."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        super().__init__(document)
        self.axes, self.extent, shape = _sides(document)
        self.forward, self.backward = (np.array(document[name], dtype=int).reshape(shape) for name in ("forward", "backward"))
        self.cells = self.forward
        self.coexisting = np.array(document["coexisting"], dtype=bool).reshape(shape)
        self.regions = [DiagramRegion(kind, (self.forward == k) | (self.backward == k)) for k, kind in enumerate(document["kinds"])]
        self.curves = [DiagramCurve(curve) for curve in document["curves"]]

    def plot(self, ax: Any = None) -> Any:
        """The regions with the curves over them, by matplotlib; a cell where both directions differ has both colours. Returns the axes."""
        from ._plot import draw_diagram

        return draw_diagram(self, ax)

    def __repr__(self) -> str:
        head = f"<diagram of {self.cells.shape[1]} × {self.cells.shape[0]} cells of {' and '.join(self.axes)}, {len(self.curves)} curves>"
        return "\n".join([head, *(f"  {region!r}" for region in self.regions)])


def _sides(document: Mapping[str, Any]) -> Tuple[Dict[str, np.ndarray], Tuple[float, float, float, float], Tuple[int, int]]:
    across, up = document["across"], document["up"]
    middles = {side["name"]: side["low"] + (np.arange(side["cells"]) + 0.5) * ((side["high"] - side["low"]) / side["cells"]) for side in (across, up)}
    return middles, (across["low"], across["high"], up["low"], up["high"]), (up["cells"], across["cells"])


def _law(document: Mapping[str, Any]) -> ScalingLaw:
    return ScalingLaw(number_of(document["exponent"]), number_of(document["error"]), np.array(document["sizes"]), np.array(document["values"]))


# ---- what is asked -------------------------------------------------------------------------------------------------------


def _plane(plane: Any, size: Any) -> Dict[str, Any]:
    if not isinstance(plane, Mapping) or len(plane) != 2:
        raise ValueError("a plane has two sides with the ends of their intervals, as {\"x\": (-2, 2), \"v\": (-1, 1)}, the first across")
    sides = []
    for name, ends in plane.items():
        if np.size(ends) != 2:
            raise ValueError(f"the side {name!r} of the plane has {np.size(ends)} ends; expected (lowest, greatest)")
        sides.append((str(name), float(ends[0]), float(ends[1])))
    if size is None:
        return {"plane": sides}
    both = size if np.ndim(size) else (size, size)
    if np.size(both) != 2:
        raise ValueError(f"size is {size!r}; expected a number of cells, or (across, up)")
    return {"plane": sides, "size": (whole_number("size", both[0], 1), whole_number("size", both[1], 1))}


def request_of(plane: Any, size: Any, times: Mapping[str, Any], wrap: Optional[Mapping[str, Any]], counts: Mapping[str, Tuple[Any, int]], reach: Optional[float],
               csv: Any, resume: bool, identity: str) -> Dict[str, Any]:
    """What is given, checked; `counts` are whole numbers with the least that makes sense."""
    request = _plane(plane, size)
    request.update({name: time_text(name, value) for name, value in times.items() if value is not None})
    request.update({name: whole_number(name, value, least) for name, (value, least) in counts.items() if value is not None})
    if wrap:
        request["wrap"] = [(str(name), time_text("wrap", period)) for name, period in wrap.items()]
    if reach is not None:
        if not reach > 0:
            raise ValueError(f"reach is {reach!r}; expected a number above 0")
        request["reach"] = float(reach)
    if csv is not None:
        request["csv"] = os.fspath(csv)
    elif resume:
        raise ValueError("resume completes a table, and there is none: give csv=\"table.csv\" beside it")
    request.update(resume=bool(resume), identity=identity)
    return request


class _Told:
    """Shows a bar for what a search tells of its progress."""

    def __init__(self, wanted: Optional[bool], unit: str) -> None:
        self._wanted, self._unit = wanted, unit
        self._bar: Optional[Bar] = None

    def __call__(self, done: int, total: int) -> None:
        if self._bar is None:
            self._bar = Bar(total, self._wanted, self._unit)
        self._bar.show(done)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()


def _asked(what: str, search: Callable[..., str], problem: Any, options: Dict[str, Any], request: Dict[str, Any], progress: Optional[bool], unit: str,
           made_of: Callable[[Mapping[str, Any]], Any], apart: Apart) -> Any:
    told = _Told(progress, unit)
    try:
        return apart(what, lambda cancellation: search(problem, options, request, told, cancellation), lambda text: made_of(json.loads(text)))
    finally:
        told.close()


def basins(problem: Any, options: Dict[str, Any], request: Dict[str, Any], progress: Optional[bool], apart: Apart) -> Basins:
    found: Basins = _asked("the search for basins", _core.basins, problem, options, request, progress, "start", Basins, apart)
    return found


def diagram(problem: Any, options: Dict[str, Any], request: Dict[str, Any], progress: Optional[bool], apart: Apart) -> Diagram:
    found: Diagram = _asked("the search for a diagram", _core.diagram, problem, options, request, progress, "cell", Diagram, apart)
    return found
