"""What is asked of a model beside runs: fits, equilibria, periodic orbits, Lyapunov exponents.

The answers are the documents that the command writes, with arrays beside.
"""

from __future__ import annotations

import json
import os
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from . import _core
from ._result import Result


class Document:
    """An answer: ``document`` is what the command writes, and its entries are attributes and items, too."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self.document: Dict[str, Any] = dict(document)

    def __getattr__(self, name: str) -> Any:
        if name != "document" and name in self.document:
            return self.document[name]
        raise AttributeError(name)

    def __getitem__(self, name: str) -> Any:
        return self.document[name]

    def __contains__(self, name: object) -> bool:
        return name in self.document


class Fit(Document):
    """What :meth:`Model.fit` found: ``values`` and ``errors`` (standard errors) by name, ``covariance`` (q, q), ``residuals`` by column,
    ``converged`` and ``message``, ``deviation``, ``runs``."""

    def __init__(self, document: Mapping[str, Any], residuals: Dict[str, np.ndarray]) -> None:
        super().__init__(document)
        found = {p["name"]: p for p in document["parameters"]}
        self.values: Dict[str, float] = {name: float(p["value"]) for name, p in found.items()}
        self.errors = {name: number_of(p["error"]) for name, p in found.items()}
        self.residuals = residuals

    @property
    def covariance(self) -> np.ndarray:
        return np.array([[number_of(v) for v in row] for row in self["covariance"]])

    def __repr__(self) -> str:
        lines = [f"{name} = {value:.10g} ± {self.errors[name]:.2g}" for name, value in self.values.items()]
        return "\n".join(lines + ([self["message"]] if self["message"] else []))


class Equilibrium(Document):
    """One of :class:`Equilibria`: ``kind``, ``admissible``, ``mode``, ``location``, ``state`` (n,), ``values`` by name, ``lambda_``, ``forces``,
    ``eigenvalues``, ``stability``, ``attracting``, ``reason``."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        super().__init__(document)
        self.values: Dict[str, float] = dict(document["state"])
        self.state = np.array([number_of(v) for v in document["state"].values()])
        self.lambda_ = document["lambda"]
        self.eigenvalues = _complex(document["eigenvalues"])

    def __repr__(self) -> str:
        at = ", ".join(f"{k} = {v:.8g}" for k, v in self.values.items())
        return f"<{self['kind']} equilibrium, {self['stability']}{'' if self['admissible'] else ', virtual'}: {at}>"


class Equilibria(List[Equilibrium]):
    """The equilibria of a model; ``document`` is that of the command, ``all_modes`` tells whether all modes were looked at."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        super().__init__(Equilibrium(e) for e in document["equilibria"])
        self.document, self.all_modes = document, bool(document["all_modes"])


class Branch(Document):
    """A branch of equilibria or of periodic orbits in one parameter: ``parameter`` (k,), ``states`` (n, k), ``stability`` (k words),
    ``points`` and ``bifurcations``; of orbits ``period`` (k,), too."""

    def __init__(self, document: Mapping[str, Any], varied: str, inner: str) -> None:
        super().__init__(document)
        self.varied = varied
        places = [p[inner] if inner else p for p in document["points"]]
        self.parameter = np.array([p["parameter"] for p in document["points"]])
        self.states = np.array([[number_of(v) for v in place["state"].values()] for place in places]).T
        self.stability = [place["stability"] for place in places]
        if not inner:
            self.period = np.array([place["period"] for place in places])

    def to_dataframe(self) -> Any:
        """A pandas DataFrame: a row per point, with the parameter, the states and the stability."""
        import pandas

        first = self["points"][0] if self["points"] else {}
        names = list(first.get("equilibrium", first).get("state", {}))
        columns: Dict[str, Any] = {self.varied: self.parameter}
        if hasattr(self, "period"):
            columns["period"] = self.period
        columns.update({name: self.states[k] for k, name in enumerate(names)})
        return pandas.DataFrame({**columns, "stability": pandas.Categorical(self.stability)})


class BifurcationCurve(Document):
    """A curve of bifurcations in the plane of two parameters: ``kind`` ("SN", "HB", "BE"; of orbits "SN", "PD", "NS", "GR", …), ``values`` (2, k), the
    parameters in the order of ``varied``, ``states`` (n, k), NaN where there is no orbit, ``special``, a list of named points, ``closed``, ``reason`` and ``message``."""

    def __init__(self, document: Mapping[str, Any], varied: Sequence[str]) -> None:
        super().__init__(document)
        self.varied: Tuple[str, ...] = tuple(varied)
        self.values = np.array([[number_of(v) for v in p["values"]] for p in document["points"]]).reshape(-1, 2).T
        places = [p.get("equilibrium") or p.get("orbit") for p in document["points"]]
        size = next((len(place["state"]) for place in places if place is not None), 0)
        self.states = np.array([[np.nan] * size if place is None else [number_of(v) for v in place["state"].values()] for place in places]).reshape(-1, size).T
        self.special: List[SpecialPoint] = [SpecialPoint(str(p.get("name", p.get("kind"))), number_of(p["values"][0]), number_of(p["values"][1]), p["reason"])
                                            for p in document["special"]]

    def __getitem__(self, name: str) -> Any:
        """The values of a parameter by its name, or an entry of the document."""
        return self.values[self.varied.index(name)] if name in self.varied else super().__getitem__(name)

    def __repr__(self) -> str:
        points = "".join(f", {p.name} at ({p.first:.8g}, {p.second:.8g})" for p in self.special)
        return f"<curve {self['kind']} of {self.values.shape[1]} points{points}>"


class SpecialPoint(NamedTuple):
    """A point of a curve at which something else vanishes, too: its name ("CP", "BT", "SN+GR", …), both parameters, and what vanishes."""

    name: str
    first: float
    second: float
    reason: str


class BifurcationCurves(List[BifurcationCurve]):
    """Curves of bifurcations in the plane of the parameters ``varied``; ``document`` is that of the command."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self.document: Mapping[str, Any] = document
        self.varied: Tuple[str, ...] = tuple(document["varied"])
        super().__init__(BifurcationCurve(curve, self.varied) for curve in document["curves"])

    def plot(self, ax: Any = None) -> Any:
        """The curves with their named points, by matplotlib; returns its axes."""
        from ._plot import draw_curves

        return draw_curves(self, ax)


class ManifoldPiece(Document):
    """A piece of a manifold: ``kind`` ("stable", "unstable"), ``piece`` ("branch", "fan", "divided"), ``states`` (n, k), ``arclength`` (k,), ``breaks``, the
    indices of points after a jump or a gap; of equilibria ``time`` (k,), ``modes``, ``events``, ``end``, of orbits ``returns`` (k,), ``multiplier``."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        super().__init__(document)
        points = document["points"]
        self.states = np.array([[number_of(v) for v in p["state"]] for p in points]).T
        self.arclength = np.array([number_of(p["arclength"]) for p in points])
        self.breaks = [k for k, p in enumerate(points) if p.get("after_jump", p.get("after_gap", False))]
        if points and "time" in points[0]:
            self.time = np.array([number_of(p["time"]) for p in points])
            self.modes = [p["mode"] for p in points]
        else:
            self.returns = np.array([p["returns"] for p in points], dtype=int)

    def __repr__(self) -> str:
        length = self.arclength[-1] if self.arclength.size else 0.0
        return f"<{self['kind']} {self['piece']} of {self.arclength.size} points, length {length:.6g}>"


class Manifolds(List[ManifoldPiece]):
    """The pieces of the manifolds of all saddles, or of an orbit; ``points`` (n, k) are the saddles or the orbit, ``remarks`` what is said of them,
    ``names`` those of the states; ``document`` is that of the command."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self.document: Mapping[str, Any] = document
        self.names: List[str] = list(document["states"])
        owners = document["saddles"] if "saddles" in document else [{**document["orbit"], "arcs": document["curves"], "remarks": document["remarks"]}]
        self.remarks: List[str] = [remark for owner in owners for remark in owner["remarks"]]
        self.points = np.array([[number_of(v) for v in owner["state"].values()] for owner in owners]).reshape(-1, len(self.names)).T
        super().__init__(ManifoldPiece(arc) for owner in owners for arc in owner["arcs"])

    def plot(self, ax: Any = None, *, phase: Optional[Sequence[str]] = None) -> Any:
        """The pieces in the plane of two states, ``phase`` (the first two), by matplotlib; returns its axes."""
        from ._plot import draw_manifolds

        names = self.names[:2] if phase is None else list(phase)
        unknown = [name for name in names if name not in self.names]
        if unknown or len(names) != 2:
            raise ValueError(f"phase is {phase!r}; expected two of the states {', '.join(self.names)}")
        return draw_manifolds(self, ax, self.names.index(names[0]), self.names.index(names[1]))


class Connections(Document):
    """Connections of saddles: ``found``, a list of documents with ``kind`` ("homoclinic", "heteroclinic"), ``parameter``, ``state`` by names at the section, ``gap``, and the
    saddles of both manifolds there, ``unstable`` and ``stable``; ``gaps`` over the parameter, documents with ``from``, ``to``, and arrays ``parameter`` (k,) and ``gap`` (k,)."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        super().__init__(document)
        self.found = [Document(one) for one in document["connections"]]
        self.gaps = [Document({**gap, "parameter": np.array([number_of(v["parameter"]) for v in gap["values"]]),
                               "gap": np.array([number_of(v["gap"]) for v in gap["values"]])}) for gap in document["gaps"]]

    def plot(self, ax: Any = None) -> Any:
        """The gaps over the parameter, with the connections at which one vanishes, by matplotlib; returns its axes."""
        from ._plot import draw_gaps

        return draw_gaps(self, ax)

    def __repr__(self) -> str:
        return "\n".join(f"<{one['kind']} connection at {self['varied']} = {one['parameter']:.10g}>" for one in self.found) or "<no connection>"


class Orbit(Document):
    """A periodic orbit: ``converged``, ``message``, ``period``, ``state`` (n,) at its start, ``multipliers``, ``stability``, ``admissible``,
    ``signature``, ``monodromy`` (n, n), and ``result``, once round as a :class:`Result`."""

    result: Optional[Result]

    def __init__(self, document: Mapping[str, Any], result: Optional[Result]) -> None:
        super().__init__(document)
        self.result = result
        if document["converged"]:
            self.monodromy = np.array([[number_of(v) for v in row] for row in document["monodromy"]])
            self.state = np.array([number_of(v) for v in document["start"]["state"].values()])
            self.multipliers = _complex(document["multipliers"])

    def __repr__(self) -> str:
        if not self["converged"]:
            return f"<no orbit: {self['message']}>"
        return f"<{self['stability']} periodic orbit: period {self['period']:.10g}>"


class Lyapunov(Document):
    """Lyapunov exponents: ``values`` (n,), the largest first, and their ``errors``; ``t`` (k,) and ``running`` (n, k), the estimates up to
    there; ``complete`` and ``message``; ``kaplan_yorke_dimension``."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        super().__init__(document)
        wiped = -np.inf
        self.values = np.array([wiped if e["wiped_out"] else number_of(e["value"])
                                for e in document["exponents"]])
        self.errors = np.array([number_of(e["error"]) for e in document["exponents"]])
        self.t = np.array([r["t"] for r in document["running"]])
        self.running = np.array([[number_of(v) for v in r["values"]] for r in document["running"]]).T

    def __repr__(self) -> str:
        return "\n".join(f"{v:.6g} ± {e:.2g}" for v, e in zip(self.values, self.errors))


class Section(NamedTuple):
    """The arrivals of a run at a Poincaré section: times ``t`` (k,), states ``y`` (n, k)."""

    t: np.ndarray
    y: np.ndarray


def number_of(value: Any) -> float:
    return float("nan") if value is None else float(value)


def _complex(values: Sequence[Mapping[str, Any]]) -> np.ndarray:
    return np.array([complex(v["real"], v["imaginary"]) for v in values])


def time_text(name: str, value: Any) -> str:
    """A time as text: a number, or a formula of parameters."""
    if isinstance(value, str):
        return value
    try:
        return repr(float(value))
    except (TypeError, ValueError):
        raise TypeError(f"{name} is {value!r}; expected a number above 0, or a formula of parameters as text, \"2*pi/w\"") from None


def whole_number(name: str, value: Any, least: int) -> int:
    if int(value) != value or value < least:
        raise ValueError(f"{name} is {value!r}; expected a whole number from {least} on")
    return int(value)


Varied = Tuple[str, float, float, int]
Apart = Callable[[str, Callable[[Any], Any], Callable[[Any], Any]], Any]  # _apart() of _model.py


def varied_of(vary: Any) -> List[Varied]:
    """The one or two parameters of {"mu": values}: equally spaced ones, from the first to the last."""
    if vary is None:
        return []
    if not isinstance(vary, Mapping) or len(vary) not in (1, 2):
        raise ValueError("vary takes one parameter with its values, as {\"mu\": numpy.linspace(0, 1, 21)}, or two for curves of bifurcations in their plane")
    found = []
    for name, values in vary.items():
        given = np.asarray(values, dtype=float).ravel()
        if given.size < 2 or given[0] == given[-1] or not np.allclose(np.diff(given), (given[-1] - given[0]) / (given.size - 1)):
            raise ValueError(f"vary follows {name!r} along equally spaced values, as numpy.linspace(0, 1, 21)")
        found.append((str(name), float(given[0]), float(given[-1]), int(given.size)))
    return found


def bifurcation_of(bifurcation: Optional[str], varied: Sequence[Varied]) -> str:
    """The kind of the curves that are asked for, "" for the usual ones."""
    if bifurcation is not None and len(varied) != 2:
        raise ValueError(f"bifurcation={bifurcation!r} chooses curves in the plane of two parameters, and vary has {len(varied)}")
    return bifurcation or ""


class Measured(NamedTuple):
    names: List[str]
    times: List[float]
    values: np.ndarray  # names × times


def measured(data: Any) -> Measured:
    """Measurements of a file, of a frame of pandas whose index or first column t is the time, or of a mapping with "t"."""
    if isinstance(data, (str, os.PathLike)):
        names, times, values = _core.measurements(os.fspath(data))
        return Measured(list(names), list(times), values)
    if hasattr(data, "columns") and hasattr(data, "index"):
        columns = {str(c): data[c].to_numpy(dtype=float) for c in data.columns if data[c].dtype.kind in "fiu"}
        if "t" not in columns:
            columns = {"t": data.index.to_numpy(dtype=float), **columns}
    elif isinstance(data, Mapping):
        columns = {str(k): np.asarray(v, dtype=float).ravel() for k, v in data.items()}
    else:
        raise TypeError("the data of a fit is a file of comma-separated values, a DataFrame, or {\"t\": times, \"x\": values}")
    if "t" not in columns:
        raise ValueError(f"the data has no times: an entry 't' beside {', '.join(columns)}")
    moments = columns.pop("t")
    for name, column in columns.items():
        if column.shape != moments.shape:
            raise ValueError(f"{name!r} has {column.size} values for {moments.size} times")
    return Measured(list(columns), moments.tolist(), np.array(list(columns.values())).reshape(len(columns), moments.size))


def fit(problem: Any, data: Any, vary: Any, observe: Mapping[str, str], deviations: Any, options: Dict[str, Any],
        max_runs: Optional[int], tolerance: Optional[float], apart: Apart) -> Fit:
    names, times, values = measured(data)
    unknown = [name for name in observe if name not in names]
    if unknown:
        raise ValueError(f"observe names {unknown[0]!r}, which is no column of the data; there are {', '.join(names)}")
    sigma = np.empty(0)
    if deviations is not None:
        given = deviations if isinstance(deviations, Mapping) else {name: deviations for name in names}
        missing = [name for name in names if name not in given]
        if missing or len(given) != len(names):
            raise ValueError(f"deviations has one for each of {', '.join(names)}, or is one number for all")
        sigma = np.array([float(given[name]) for name in names])
    asked = [f"{name} = {observe[name]}" if name in observe else name for name in names]
    wanted = [vary] if isinstance(vary, str) else list(vary)

    def fit_of(made: Tuple[str, Any]) -> Fit:
        text, residuals = made
        return Fit(json.loads(text), dict(zip(names, residuals)) if np.size(residuals) else {})

    return apart("the fit", lambda cancellation: _core.fit(problem, wanted, asked, times, values, sigma, options, max_runs or 0,  # type: ignore[no-any-return]
                                                           tolerance or 0.0, cancellation), fit_of)


def equilibria(problem: Any, end: float, options: Dict[str, Any], box: Mapping[str, Sequence[float]], starts: Optional[int], vary: Any,
               bifurcation: Optional[str], apart: Apart) -> Any:
    sides = [(name, float(low), float(high)) for name, (low, high) in box.items()]
    varied = varied_of(vary)
    kind = bifurcation_of(bifurcation, varied)

    def equilibria_of(text: str) -> Any:
        document = json.loads(text)
        if not varied:
            return Equilibria(document)
        if len(varied) > 1:
            return BifurcationCurves(document)
        return [Branch(branch, varied[0][0], "equilibrium") for branch in document["branches"]]

    return apart("the search for equilibria",
                 lambda cancellation: _core.equilibria(problem, end, options, sides, starts or 0, varied, kind, cancellation), equilibria_of)


def manifolds(problem: Any, end: float, options: Dict[str, Any], request: Dict[str, Any], varied: Sequence[Varied], apart: Apart) -> Any:
    if request["only"] not in (None, "stable", "unstable"):
        raise ValueError(f"only is 'stable' or 'unstable', not {request['only']!r}")
    connect = request["connect"]
    if (connect is None) != (not varied) or len(varied) > 1 or (connect is not None and len(connect) != 1):
        raise ValueError("connections have a section, connect={\"x\": 0.5}, and one parameter, vary={\"mu\": numpy.linspace(0, 1, 21)}")
    is_of_orbit = request["section"] is not None or request["period"] is not None
    if connect is not None and is_of_orbit:
        raise ValueError("connections are those of equilibria, without section and period")
    foreign = ("box", "starts", "time", "fan") if is_of_orbit else ("returns", "direction", "transient", "max_runs")
    for name in foreign:
        if request[name] is not None:
            raise ValueError(f"{name} is of the manifolds of {'equilibria, without section and period' if is_of_orbit else 'an orbit, with a section or a period'}")
    asked = {name: value for name, value in request.items() if value is not None}
    for name, least in (("fan", 0), ("starts", 1), ("returns", 1), ("max_runs", 1)):
        if name in asked:
            asked[name] = whole_number(name, asked[name], least)
    for name in ("length", "time"):
        if name in asked and not asked[name] > 0:
            raise ValueError(f"{name} is {asked[name]!r}; expected a number above 0")
    if "period" in asked:
        asked["period"] = time_text("period", asked["period"])
    if is_of_orbit and "transient" not in asked:
        asked["transient"] = 0.0 if "period" in asked else end - problem.start
    if request["box"]:
        asked["box"] = [(name, float(low), float(high)) for name, (low, high) in request["box"].items()]
    if connect is not None:
        (name, value), = connect.items()
        asked.update(connect=(str(name), float(value)), varied=list(varied))
    return apart("the search for manifolds", lambda cancellation: _core.manifolds(problem, end, options, asked, cancellation),
                 lambda text: (Manifolds if connect is None else Connections)(json.loads(text)))


def orbit(model: Any, problem: Any, options: Dict[str, Any], section: Optional[str], direction: str, period: Any,
          returns: Optional[int], transient: float, shots: Optional[int], max_iterations: Optional[int], vary: Any,
          bifurcation: Optional[str], apart: Apart) -> Any:
    varied = varied_of(vary)
    kind = bifurcation_of(bifurcation, varied)
    period_of = period if callable(period) else None
    first = period(*(one[1] for one in varied)) if callable(period) and varied else period
    if callable(first):
        raise ValueError("period is a function of the parameter of vary, and there is none")

    def orbit_of(made: Tuple[str, Any]) -> Any:
        document, run = json.loads(made[0]), made[1]
        if len(varied) > 1:
            return BifurcationCurves(document)
        if varied:
            return Branch(document, varied[0][0], "")
        return Orbit(document, None if run is None else Result(run, model=model, how=document["signature"]))

    return apart("the search for orbits", lambda cancellation: _core.orbit(problem, options, section, direction, None if first is None else float(first), returns or 0,
                                                                           transient, shots or 0, max_iterations or 0, varied, kind, period_of, cancellation),
                 orbit_of)


def lyapunov(problem: Any, start: float, end: float, options: Dict[str, Any], transient: Optional[float], block: Optional[float],
             apart: Apart) -> Lyapunov:
    length = end - start
    settled = 0.1 * length if transient is None else float(transient)
    if not settled < length:
        raise ValueError(f"the transient of {settled:g} leaves nothing of a run of {length:g}")
    size = (length - settled) / 1000 if block is None else float(block)
    if size > (length - settled) * (1 + 1e-12):
        raise ValueError(f"a block of {size:g} is longer than what is left after the transient, {length - settled:g}")
    return apart("the computation of exponents", lambda cancellation: _core.lyapunov(problem, end, options, settled, size, cancellation),  # type: ignore[no-any-return]
                 lambda text: Lyapunov(json.loads(text)))
