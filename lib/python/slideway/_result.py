"""What a run returns."""

from __future__ import annotations

import json as _json
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from ._audit import NOT_MADE, Audit
from ._dense import DenseSolution, as_complex

if TYPE_CHECKING:
    from ._analyses import Section

EVENT_FIELDS = ("t", "kind", "surfaces", "name", "from_", "to", "from_location", "to_location", "w_minus", "w_plus",
                 "lambda_", "codeword", "continuations", "in_convex_hull", "before", "after", "round", "reason")
_KEYWORDS = {"from": "from_", "lambda": "lambda_"}


class Event(NamedTuple):
    """One located instant of a run, with the classification that decided it.

    ``w_minus`` and ``w_plus`` are, for each surface of ``surfaces``, the speeds dh/dt of the fields at λ = −1 and +1, and
    ``lambda_`` is λ after the event, NaN where the surface does not slide. ``from_`` and ``to`` are mode words of ``-``,
    ``0`` and ``+``. ``before`` and ``after`` are states, shape (n,). ``event["from"]`` and ``event["lambda"]`` work too.
    """

    t: float
    kind: str
    surfaces: List[str]
    name: Optional[str]
    from_: Optional[str]
    to: Optional[str]
    from_location: Optional[str]
    to_location: Optional[str]
    w_minus: List[float]
    w_plus: List[float]
    lambda_: List[float]
    codeword: Optional[str]
    continuations: List[str]
    in_convex_hull: List[str]
    before: Optional[np.ndarray]
    after: Optional[np.ndarray]
    round: int
    reason: str

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            return getattr(self, _KEYWORDS.get(key, key))
        return tuple.__getitem__(self, key)

    def __str__(self) -> str:
        what = self.name or ", ".join(self.surfaces)
        modes = f"  {self.from_} → {self.to}" if self.from_ or self.to else ""
        return f"t = {self.t:.10g}  {self.kind}  {what}{modes}  {self.reason}"


class Events(Sequence[Event]):
    """The events of a run in order; each is made when it is looked at."""

    def __init__(self, run: Any, direction: float = 1.0, made: Optional[List[Event]] = None, states: Optional[int] = None) -> None:
        self._run, self._direction, self._made, self._states = run, direction, made, states

    def __len__(self) -> int:
        return len(self._made) if self._made is not None else int(self._run.event_count())

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[k] for k in range(*index.indices(len(self)))]
        size = len(self)
        if index < -size or index >= size:
            raise IndexError("no such event")
        index = index % size
        if self._made is not None:
            return self._made[index]
        values = list(self._run.event(index))
        values[0] *= self._direction
        event = Event(*values)
        if self._states is not None:
            event = event._replace(before=None if event.before is None else event.before[:self._states],
                                   after=None if event.after is None else event.after[:self._states])
        return event

    def __iter__(self) -> Iterator[Event]:
        return (self[k] for k in range(len(self)))

    def __repr__(self) -> str:
        lines = [str(e) for e in self[:20]]
        if len(self) > 20:
            lines.append(f"… {len(self) - 20} more")
        return "\n".join(lines)

    def __reduce__(self) -> Any:
        return Events, (None, 1.0, list(self))


class Outcome(NamedTuple):
    """How a run ended: ``status`` is reached_end, stopped_by_event, ambiguous, zeno, chattering, step_failure, step_limit,
    user_function_failed or stopped_by_caller; ``t`` is the time up to which the solution holds."""

    status: str
    t: float
    message: str


class Segment(NamedTuple):
    """A stretch of time in one mode, without an event inside."""

    start: float
    end: float
    mode: str
    location: str


class Snapshot(NamedTuple):
    """The state of a run at one instant; ``state`` has the shape (n,)."""

    t: float
    mode: str
    state: np.ndarray
    location: str


class Statistics(dict):  # type: ignore[type-arg]
    """Sums over the run, as attributes or items: steps, field_evaluations, restarts, …"""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


class EventDerivative(NamedTuple):
    """Derivatives at one event by q names: of its time, shape (q,), of the states before and after it, shape (n, q).

    ``time`` is NaN where it has no derivative. Where ``exists`` is false there is a ``reason``, and ``after`` goes on with
    the derivative of this solution alone. ``time_below``, ``time_above`` (q,) and ``after_below``, ``after_above`` (n, q) then are
    the derivatives towards smaller and larger values, a column of NaN where one does not exist, ``None`` where they are not known."""

    time: np.ndarray
    before: np.ndarray
    after: np.ndarray
    exists: bool
    reason: str
    time_below: Optional[np.ndarray] = None
    time_above: Optional[np.ndarray] = None
    after_below: Optional[np.ndarray] = None
    after_above: Optional[np.ndarray] = None


class Sensitivities:
    """Derivatives of a run by the names in ``by``, through every event.

    ``y`` has the shape (n, q, points), a value for every point of ``result.t``; ``final`` (n, q) those at the end;
    ``events`` one :class:`EventDerivative` for each of ``result.events``. ``sensitivities["mu"]`` is the slice (n, points) of
    one name, and ``sensitivities(t)`` has the shape (n, q) of a time, after a jump there. The derivatives exist up to
    ``exists_until`` (infinity: throughout); ``reason`` says why they do not go on. ``start`` is an :class:`EventDerivative` where
    the run begins on a surface at which the field jumps, or where an event fires, else ``None``.
    """

    def __init__(self, run: Any, times: np.ndarray, found: Tuple[Any, ...], direction: float, shown: int) -> None:
        names, final, events, exists_until, reason, start = found
        self._run, self._direction, self._shown = run, direction, shown
        self.by: List[str] = list(names)
        self.final: np.ndarray = final[:shown]
        self.events: List[EventDerivative] = [self._of_event(event) for event in events]
        self.start: Optional[EventDerivative] = None if start is None else self._of_event(start)
        self.exists_until, self.reason = direction * float(exists_until), str(reason)
        times = direction * times
        self.y: np.ndarray = run.derivatives_at([float(t) for t in times])[:shown]
        # Of two points at one time the first is that before the jump.
        twice = np.nonzero(np.diff(times) == 0)[0]
        if twice.size:
            self.y = np.array(self.y)
            self.y[:, :, twice] = run.derivatives_at([float(times[k]) for k in twice], True)[:shown]

    def _of_event(self, found: Tuple[Any, ...]) -> EventDerivative:
        made = EventDerivative(*found)
        cut = {key: value[:self._shown] for key, value in made._asdict().items()
               if key.startswith(("before", "after")) and value is not None}
        turned = {key: self._direction * value for key, value in made._asdict().items() if key.startswith("time") and value is not None}
        return made._replace(**cut, **turned)

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self.by:
            raise KeyError(f"there is no derivative by {name!r}; there are those by {', '.join(self.by)}")
        return np.asarray(self.y[:, self.by.index(name), :])

    def __call__(self, t: float) -> np.ndarray:
        if self._run is None:
            raise ValueError("a copy of a result has derivatives at its points and events alone")
        return np.asarray(self._run.derivatives_at([self._direction * float(t)])[:self._shown, :, 0])

    def __getstate__(self) -> Dict[str, Any]:
        return dict(self.__dict__, _run=None)


class Gradient(NamedTuple):
    """The gradient of one quantity at the end of a run: ``values`` by name, with those of initial values by the names of states.

    ``left_out`` lists parameters without derivatives. Beyond ``exists_until`` the derivative is that of one side, for
    ``reason``."""

    values: Dict[str, float]
    left_out: List[str]
    exists_until: float
    reason: str

    def __getitem__(self, key: Any) -> Any:
        return self.values[key] if isinstance(key, str) else tuple.__getitem__(self, key)


class Result:
    """A run.

    With the names and shapes of scipy: ``t`` (points,), ``y`` (n, points), ``sol``, ``t_events``, ``y_events``, ``nfev``,
    ``njev``, ``nlu``, ``status`` (0: the end, 1: a stop event, −1: stopped early), ``message``, ``success``.

    With those of slideway: ``events``, ``segments``, ``modes`` (a word for every point), ``outcome``, ``initial``,
    ``final``, ``statistics``, ``warnings``, ``observed`` (name → (points,)), ``branches``, ``sensitivities``, ``audit``.

    ``nfev`` counts the evaluations of the integrator (``statistics`` has all), ``njev`` its Jacobians; ``nlu`` is ``njev``, as
    decompositions are not counted.
    ``traced`` says whether the equations run without Python, and ``how`` why or why not.
    """

    # _parametrised runs the function once more with its arguments as parameters; _named_run keeps that run.
    _parametrised: Optional[Callable[[], Any]] = None
    _named_run: Any = None

    audit: Audit = NOT_MADE  # of results in files that have none

    def __init__(self, run: Any, *, model: Any = None, recipe: Optional[Dict[str, Any]] = None, direction: float = 1.0,
                 observe: Sequence[str] = (), t_eval: Any = None, dense: bool = True, event_names: Optional[Sequence[str]] = None,
                 complex_: bool = False, traced: bool = True, how: str = "", state_names: Optional[List[str]] = None,
                 retold: Optional[Callable[[str], str]] = None) -> None:
        self._run, self._direction, self._complex = run, direction, complex_
        self._model, self._recipe = model, recipe
        self._observe = list(observe)
        self.traced, self.how = traced, how
        problem = run.problem
        self.state_names: List[str] = list(state_names or problem.state_names)
        # A traced function's discrete states, which hold its samples and steps, are no states of the user's.
        shown = 2 * len(self.state_names) if complex_ else len(self.state_names)
        self._shown = shown
        self.surface_names: List[str] = list(problem.surface_names)
        self.parameters: Dict[str, float] = dict(problem.parameters)
        self.outcome = Outcome(run.status, direction * run.t_reached, run.message)
        self.events = Events(run, direction, states=shown if shown < len(problem.state_names) else None)
        self.statistics = Statistics(run.statistics)
        self.warnings: List[str] = list(run.warnings)
        self.audit = Audit(run.audit(), direction)
        self.segments: List[Segment] = [Segment(direction * a, direction * b, m, l) for a, b, m, l in run.segments()]
        self.initial, self.final = self._snapshot(run.initial), self._snapshot(run.final)
        self.branches: List[Result] = [
            Result(b, model=model, recipe=None, direction=direction, observe=observe, t_eval=t_eval, dense=dense,
                   event_names=event_names, complex_=complex_, traced=traced, how=how, state_names=state_names, retold=retold) for b in run.branches]
        times, states, segment = run.points()
        states = states[:shown]
        self._step_t, self._step_segment = times, segment
        n = states.shape[0]
        self.sol: Optional[DenseSolution] = DenseSolution(run, direction, n, complex_, direction * times)
        self.observed: Dict[str, np.ndarray] = {}
        if t_eval is not None:
            wanted = np.asarray(t_eval, dtype=float)
            reached = wanted * direction <= direction * self.outcome.t
            self.t = wanted[reached]
            along = np.ascontiguousarray(self.t * direction)
            self.y = run.states_at(along)[:shown]
            self.modes = np.array(run.modes_at(list(along)), dtype=object)
            if observe:
                names, values = run.observed(self._observe, list(along), [])
                self.observed = dict(zip(names, values))
        else:
            self.t = times if direction > 0 else -times
            self.y = states
            words = np.array([s.mode for s in self.segments], dtype=object)
            self.modes = words[segment] if len(words) else np.empty(0, dtype=object)
            if observe:
                names, values = run.observed(self._observe, list(times), list(segment))
                self.observed = dict(zip(names, values))
        found = run.sensitivities()
        self.sensitivities: Optional[Sensitivities] = None if found is None else Sensitivities(run, self.t, found, direction, shown)
        if complex_:
            self.y = as_complex(self.y)
        self._set_events(event_names)
        if not dense:
            self.sol, self._kept_sol = None, self.sol
        if run.counted_out and self.outcome.status == "reached_end":
            self.outcome = self.outcome._replace(status="stopped_by_event")
        succeeded = self.outcome.status in ("reached_end", "stopped_by_event")
        self.status = 0 if self.outcome.status == "reached_end" else 1 if succeeded else -1
        if retold is not None:
            self.outcome = self.outcome._replace(message=retold(self.outcome.message))
            self.warnings = list(map(retold, self.warnings))
        self.message = ("The solver successfully reached the end of the integration interval." if self.status == 0
                        else "A termination event occurred." if self.status == 1 else self.outcome.message)
        self.success = succeeded
        self.nfev = int(self.statistics["integrator_evaluations"])
        self.njev = int(self.statistics["jacobian_evaluations"])
        self.nlu = self.njev

    def _snapshot(self, values: Any) -> Snapshot:
        t, mode, state, location = values
        return Snapshot(self._direction * t, mode, state[:self._shown], location)

    def _set_events(self, names: Optional[Sequence[str]]) -> None:
        self.event_names: List[str] = list(dict.fromkeys(self._run.problem.event_names)) if names is None else list(names)
        if names is None:
            self.event_names = [name for name in self.event_names if name]
        at: Dict[str, List[Event]] = {name: [] for name in self.event_names}
        if at:
            for event in self.events:
                if event.name in at:
                    at[event.name].append(event)
        self.t_events: Optional[List[np.ndarray]] = [np.array([e.t for e in at[name]]) for name in self.event_names]
        self.y_events: Optional[List[np.ndarray]] = []
        for name in self.event_names:
            states = []
            for e in at[name]:
                state = e.before
                if state is None:
                    state = self._run.states_at(np.array([self._direction * e.t]), True)[:self._shown, 0]
                states.append(as_complex(state[:, None])[:, 0] if self._complex else state)
            self.y_events.append(np.array(states) if states else np.empty(0))

    # ---- access -----------------------------------------------------------------------------------------------------

    def __getitem__(self, name: str) -> Any:
        """A state or observable by its name, shape (points,); or a field, as in scipy's results."""
        if name in self.state_names:
            return self.y[self.state_names.index(name)]
        if name in self.observed:
            return self.observed[name]
        if hasattr(self, name):
            return getattr(self, name)
        known = self.state_names + list(self.observed)
        raise KeyError(f"there is no state or observable {name!r}; there are {', '.join(known)}")

    def __iter__(self) -> Iterator[Any]:
        raise TypeError("a result is not a sequence; its fields are t, y, events and so on")

    def parametrised_by(self, run: Callable[[], Any]) -> None:
        """Takes what makes the run with the arguments of a traced function as parameters, by which there are gradients."""
        self._parametrised = run

    @property
    def model(self) -> Any:
        """The :class:`Model` that was run: of a traced function what was made of it, whose ``text`` is a model file; None of one that was called."""
        return self._model

    def label(self, name: str) -> str:
        """What pictures call a state or an observable: its label with its unit, "position in m"."""
        if self._model is None:
            return name
        unit = self._model.units.get(name)
        return self._model.labels.get(name, name) + (f" in {unit}" if unit else "")

    def gradient(self, quantity: str) -> Gradient:
        """The gradient of a state, or of what ``observe`` takes, at the end of the run by all parameters and initial values.

        It is found backwards, at the cost of a few runs for any number of parameters."""
        # An expression without a name gets one on the way.
        asked = quantity if "=" in quantity or quantity.isidentifier() else f"quantity = {quantity}"
        if self._parametrised is not None and self._named_run is None:
            self._named_run = self._parametrised()
        run = self._live() if self._named_run is None else self._named_run
        _, by, values, left_out, exists_until, reason = run.gradients([asked])
        return Gradient(dict(zip(by, (float(v) for v in values[0]))), list(left_out), float(exists_until), str(reason))

    def section(self, name: str, direction: str = "rising") -> "Section":
        """The arrivals at a Poincaré section, a surface or event by its name: times ``t`` (k,), states ``y`` (n, k) before any jump.

        ``direction`` is the side that a surface is come to from: "rising" from below, "falling", or "any"."""
        from . import _core
        from ._analyses import Section

        t, y = _core.section_points(self._live(), name, direction)
        return Section(self._direction * t, y[:self._shown])

    def mode_at(self, t: Any) -> Any:
        """The mode word at a time, or a list of them at several; None outside of the run."""
        times = np.atleast_1d(np.asarray(t, dtype=float)) * self._direction
        words = self._live().modes_at(list(times))
        return words[0] if np.ndim(t) == 0 else words

    def locations(self) -> Optional[np.ndarray]:
        """The location at every point, shape (points,); None of a model without locations."""
        if not any(s.location for s in self.segments):
            return None
        names = np.array([s.location for s in self.segments], dtype=object)
        if len(self.t) == len(self._step_segment):
            return np.asarray(names[self._step_segment])
        starts = np.array([self._direction * s.start for s in self.segments])
        return np.asarray(names[np.clip(np.searchsorted(starts, self._direction * self.t, side="right") - 1, 0, None)])

    def observe(self, observables: Any, t: Any = None) -> Dict[str, np.ndarray]:
        """Values of "F" or "E = 0.5*v^2" at the points of the result, or at the times t: name → (points,)."""
        wanted = [observables] if isinstance(observables, str) else list(observables)
        run = self._live()
        times = self.t if t is None else np.atleast_1d(np.asarray(t, dtype=float))
        same = t is None and times.shape == self._step_t.shape
        # An expression without a name gets one on the way.
        asked = [w if "=" in w or w.isidentifier() else f"observed_{k} = {w}" for k, w in enumerate(wanted)]
        names, values = run.observed(asked, list(times * self._direction), list(self._step_segment) if same else [])
        return {w if a != w else name: v for w, a, name, v in zip(wanted, asked, names, values)}

    def _live(self) -> Any:
        """The run itself; one that came from another process is made again."""
        if self._run is None:
            if self._recipe is None or self._model is None:
                raise RuntimeError("this result comes from another process, and its run cannot be made again here")
            self._run = self._model._make_run(**self._recipe)
        return self._run

    # ---- documents --------------------------------------------------------------------------------------------------

    def to_json(self, full_events: bool = False) -> str:
        """The document of schema slideway.run/1: how it ended, events, statistics; the trajectory is not in it."""
        return str(self._live().json(self._observe, full_events))

    def to_dict(self) -> Any:
        """The same as Python's dictionaries and lists."""
        return _json.loads(self.to_json())

    def report(self, path: Any = None, phase: Sequence[str] = ()) -> str:
        """One HTML page with equations, a picture to zoom in and all events; works offline. Written to `path` if given."""
        page = str(self._live().html(self._observe, list(phase), self.how))
        if path is not None:
            with open(path, "w", encoding="utf-8") as file:
                file.write(page)
        return page

    def to_dataframe(self, time: Any = None) -> Any:
        """A pandas DataFrame: a row per point, the index t, a column per state and observable, mode and location as categories.

        ``time`` makes the index times of pandas: "s", "ms", "h" and so on is the unit of t, of a TimedeltaIndex; a timestamp is t = 0 of
        a DatetimeIndex in seconds, and (timestamp, unit) one in other units."""
        from ._frames import frame_of

        return frame_of(self, time)

    def to_xarray(self) -> Any:
        """An xarray Dataset with the coordinate t and a variable per state and observable."""
        from ._frames import dataset_of

        return dataset_of(self)

    def events_dataframe(self, time: Any = None) -> Any:
        """A pandas DataFrame with a row per event, in which words are categories; ``time`` as of :meth:`to_dataframe` makes an index."""
        from ._frames import events_frame_of

        return events_frame_of(self, time)

    def save(self, path: Any) -> None:
        """Writes the whole result, its dense solution too, into a file whose name ends in .npz or .json; it is written whole or not at
        all. :meth:`load` reads it, in this version of slideway and later ones."""
        from ._store import save

        save(self, path)

    @staticmethod
    def load(path: Any) -> "Result":
        """The result that :meth:`save` has written. A file that is not whole, or none of these, raises ValueError."""
        from ._store import load

        return load(path)

    def plot(self, states: Optional[Sequence[str]] = None, phase: Optional[Sequence[str]] = None, axes: Any = None) -> Any:
        """Draws states over time, with sliding shaded and events marked, and for two states the phase portrait.

        Needs matplotlib; returns its Figure."""
        from ._plot import plot_result

        return plot_result(self, states, phase, axes)

    # ---- text -------------------------------------------------------------------------------------------------------

    def __repr__(self) -> str:
        lines = [f"{'outcome':>11}: {self.outcome.status} at t = {self.outcome.t:.10g}",
                 f"{'message':>11}: {self.message}", f"{'status':>11}: {self.status}", f"{'success':>11}: {self.success}",
                 f"{'t':>11}: {self.t.size} times", f"{'y':>11}: array of shape {self.y.shape}",
                 f"{'events':>11}: {len(self.events)}", f"{'nfev':>11}: {self.nfev}"]
        if self.how:
            lines.append(f"{'how':>11}: {self.how}")
        lines += [f"{'warning':>11}: {w}" for w in self.warnings]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        from html import escape

        shown = self.events[:30]
        rows = "".join(
            f"<tr><td>{e.t:.10g}</td><td>{escape(e.kind)}</td><td>{escape(e.name or ', '.join(e.surfaces))}</td>"
            f"<td>{escape(e.from_ or '')} → {escape(e.to or '')}</td><td style='text-align:left'>{escape(e.reason)}</td></tr>"
            for e in shown)
        more = f"<p>… {len(self.events) - len(shown)} more events</p>" if len(self.events) > len(shown) else ""
        final = ", ".join(f"{escape(n)} = {v:.8g}" for n, v in list(zip(self.state_names, self.final.state))[:8])
        warnings = "".join(f"<p>warning: {escape(w)}</p>" for w in self.warnings)
        table = ("<table><tr><th>t</th><th>event</th><th>surface</th><th>mode</th><th>reason</th></tr>" + rows + "</table>"
                 if shown else "<p>no events</p>")
        return (f"<div><p><b>{escape(self.outcome.status)}</b> at t = {self.outcome.t:.10g}; {self.statistics['steps']} steps, "
                f"{len(self.events)} events; {escape(self.how)}</p>{table}{more}<p>final: {final}</p>{warnings}</div>")

    # ---- copies -----------------------------------------------------------------------------------------------------

    def __getstate__(self) -> Dict[str, Any]:
        state = dict(self.__dict__)
        state["_run"] = state["_parametrised"] = state["_named_run"] = None
        return state

    def __copy__(self) -> "Result":
        made = object.__new__(type(self))
        made.__dict__.update(self.__dict__)
        return made

    def __deepcopy__(self, memo: Any) -> "Result":
        import pickle

        return pickle.loads(pickle.dumps(self))
