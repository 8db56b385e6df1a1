"""What solve_ivp was asked for, checked, and made into a problem: traced, watched or called."""

from __future__ import annotations

import inspect
import math
import warnings
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from . import _core
from ._conditions import condition_of, is_stepped, roots_of, value_of
from ._expressions import MOST_STEPS, Expr, Untraceable, in_order
from ._memory import Memory, RemembersError, advice, call_twice
from ._model import _parse, atol_of, follow
from ._pace import quickest_change
from ._places import place_of, retold_of_run
from ._quiet import quiet
from ._rewriter import Bound, Parts
from ._text import ModelText, is_name, unpacked_names
from ._verify import Evaluator, compare, points_around
from ._watched import flat

METHODS = {"auto": "auto", "RK23": "dopri5", "RK45": "dopri5", "DOP853": "dop853", "Radau": "bdf", "BDF": "bdf",
           "LSODA": "auto", "bdf": "bdf", "adams": "adams", "dopri5": "dopri5", "dop853": "dop853", "rodas": "rodas"}


# Implicit methods keep the error of each step below the tolerance. With order p the errors of a run add up to about
# C·tolerance^(p/(p+1)); whoever asks for a method of scipy's by its name expects them to stay near rtol, which this
# tolerance makes them. C was measured.
def _sharper(method: str, rtol: float) -> float:
    order = {"bdf": 5, "rodas": 4}[method]
    return float(0.2 * rtol ** (1 / order))


# bdf does not get below relative errors of about 1e-9, so Radau is another one-step method for tight tolerances.
_LEAST_BDF = 1e-8

_OWN_OPTIONS = ("linear_solver", "max_events", "max_steps", "on_ambiguity", "sliding_rule", "selection",
                "local_events", "full_events", "audit")

_JUMP = ("A state that jumps is slideway.System(field, states=…, t_span=…, resets=[slideway.Reset(when=lambda t, y: …, direction=\"falling\", "
         "set={\"y1\": lambda t, y: -0.9*y[1]})]), and a bounce slideway.Contact")

_WRITTEN_BY_EVENT = ("the event {name} writes into y, which changes nothing: an event function is asked for its sign, many times, and its zeros are noted, or "
                     "end the run. " + _JUMP.replace("{", "{{").replace("}", "}}"))

_WRITTEN_BY_FUNCTION = ("the function writes into y: it is understood to work on a copy, which scipy's methods do not always give it; the state itself "
                        "stays what it is. " + _JUMP)

# How often a function is watched anew where it has decided something that it was not seen to.
_MOST_ROUNDS = 6

_IGNORED = ("first_step", "min_step", "lband", "uband")


class _EventPlan:
    """An event of scipy's: a function with the attributes terminal and direction."""

    def __init__(self, function: Any, number: int, taken: set) -> None:
        self.function = function
        terminal = getattr(function, "terminal", False)
        self.count = 1 if terminal is True else int(terminal) if terminal else 0
        direction = getattr(function, "direction", 0)
        self.direction = 1 if direction > 0 else -1 if direction < 0 else 0
        name = getattr(function, "__name__", "")
        self.name = name if is_name(name) and name not in taken else f"event{number}"
        while self.name in taken:
            self.name += "_"
        taken.add(self.name)

    @property
    def action(self) -> str:
        # Of several occurrences the last one ends the run.
        return "stop" if self.count == 1 else "record"


class Way(NamedTuple):
    """A problem, how it was made, whether from a trace, and whether it runs without Python."""

    problem: Any
    how: str
    traced: bool
    without_python: bool


def _swapped(fun: Any) -> Optional[str]:
    """A warning where the arguments of a function are those of scipy's odeint: y, then t."""
    try:
        names = list(inspect.signature(fun).parameters)[:2]
    except (TypeError, ValueError):
        return None
    if len(names) < 2 or names[1] not in ("t", "time") or names[0] in ("t", "time"):
        return None
    return (f"{place_of(fun) or 'the function'} has the arguments ({names[0]}, {names[1]}), and is called as fun(t, y): the first is the time, "
            f"the second the state; for a function of odeint write fun=lambda t, y: f(y, t)")


class Problem:
    """What solve_ivp was asked for, checked; times run forward along s = t or s = −t."""

    def __init__(self, fun: Any, t_span: Any, y0: Any, method: Any, t_eval: Any, events: Any, vectorized: bool, args: Any,
                 surfaces: Any, names: Optional[Sequence[str]], options: Dict[str, Any]) -> None:
        self.asked = (fun, t_span, y0, method, t_eval, events, vectorized, args, surfaces, names, dict(options))
        t0, t1 = map(float, t_span)
        self.direction = 1.0 if t1 >= t0 else -1.0
        self.start, self.end = self.direction * t0, self.direction * t1
        if args is not None:
            try:
                args = tuple(args)
            except TypeError as error:
                raise TypeError("Supplied 'args' cannot be unpacked. Please supply `args` as a tuple (e.g. `args=(1,)`)"
                                ) from error
        self.args = args or ()
        self.parameters: Dict[str, float] = {}  # the arguments that the traced model has as parameters, by name
        y0 = np.asarray(y0)
        self.complex = np.iscomplexobj(y0)
        y0 = y0.astype(complex if self.complex else float, copy=False)
        if y0.ndim != 1:
            raise ValueError("`y0` must be 1-dimensional.")
        if not np.isfinite(y0).all():
            raise ValueError("All components of the initial state `y0` must be finite.")
        self.n = y0.size
        self.state = y0.view(float).copy() if self.complex else y0
        if not callable(fun):
            raise TypeError("`fun` must be callable.")
        self.fun, self.vectorized, self.surfaces = fun, vectorized, surfaces
        self.t_eval = self._times(t_eval, t0, t1)
        self.has_events = events is not None
        found = [] if events is None else [events] if callable(events) else list(events)
        self.names = self._names(names)
        taken = set(self.names)
        self.events = [_EventPlan(e, k, taken) for k, e in enumerate(found)]
        self.stop_after = {e.name: e.count for e in self.events if e.count > 1}
        self.constant_jacobian = False
        self.jacobian: Any = None
        self.sparsity: Any = None
        self.options = self._options(method, options)
        if not math.isfinite(self.end - self.start) and self.n:
            raise ValueError("t_span is not finite; choose an end, which a terminal event may precede")
        self.model: Any = None
        self.recipe: Optional[Dict[str, Any]] = None
        self.refuses_memory = True
        self.notes: List[str] = []  # lines of the result's warnings
        self.swapped = _swapped(fun)
        self.unknown_jumps: Optional[str] = None
        self.written: List[str] = []  # warnings of what writes into y
        self.evaluator: Optional[Evaluator] = None
        self.finds_roots = False
        self.lines: Dict[int, str] = {}  # the user's places, by the lines of the traced model
        self.is_continuous = False  # as a trace has said that no model was made of
        self.raises: Dict[str, Exception] = {}  # by the names of stops where the function raises
        self.full_state = self.state
        self.watched: Any = None
        self.noted: Optional[List[Any]] = None  # what the function remembered on its way
        self.rounds, self.reason = 0, ""
        self.escapes: List[Tuple[float, np.ndarray]] = []  # where a watched function decided what it was not seen to

    @property
    def is_differentiated(self) -> bool:
        return "sensitivities" in self.options

    def check_differentiated(self) -> None:
        """Derivatives exist by arguments and by the initial values of states, and of models alone."""
        if self.model is None:
            raise Untraceable("derivatives go through events that are part of the model, and one of these is called")
        known = list(self.parameters) + self.names
        for name in self.options["sensitivities"]:
            if name not in known:
                raise ValueError(f"sensitivities names {name!r}, which is no number among args and no state; there are {', '.join(known)}")

    def _times(self, t_eval: Any, t0: float, t1: float) -> Optional[np.ndarray]:
        if t_eval is None:
            return None
        times = np.asarray(t_eval, dtype=float)
        if times.ndim != 1:
            raise ValueError("`t_eval` must be 1-dimensional.")
        if np.any(times < min(t0, t1)) or np.any(times > max(t0, t1)):
            raise ValueError("Values in `t_eval` are not within `t_span`.")
        if np.any(np.diff(times) * self.direction <= 0):
            raise ValueError("Values in `t_eval` are not properly sorted.")
        return times

    def _names(self, names: Optional[Sequence[str]]) -> List[str]:
        if names is not None:
            if len(names) != self.n or len(set(names)) != self.n or not all(is_name(name) for name in names):
                raise ValueError(f"`names` must be {self.n} different names of letters and digits")
            return list(names)
        found = None if self.vectorized else unpacked_names(self.fun, self.n)
        return found or [f"y{k}" for k in range(self.n)]

    def _options(self, method: Any, given: Dict[str, Any]) -> Dict[str, Any]:
        word = method.__name__ if inspect.isclass(method) else method
        if word not in METHODS:
            raise ValueError(f"`method` must be one of {list(METHODS)} or a class of scipy's of such a name.")
        options: Dict[str, Any] = {"method": METHODS[word]}
        given = dict(given)
        rtol = np.asarray(given.pop("rtol", 1e-3), dtype=float)
        by = given.pop("sensitivities", None)
        if by is not None:
            options["sensitivities"] = [by] if isinstance(by, str) else [str(name) for name in by]
        least = 100 * np.finfo(float).eps
        if np.any(rtol < least):
            warnings.warn(f"At least one element of `rtol` is too small. Setting `rtol = np.maximum(rtol, {least})`.",
                          stacklevel=4)
            rtol = np.maximum(rtol, least)
        least_rtol = min(float(np.min(rtol)), 0.5)
        if word == "Radau" and least_rtol < _LEAST_BDF:
            options["method"] = "rodas"
        sharper = _sharper(options["method"], least_rtol) if word in ("Radau", "BDF") else 1.0
        options["rtol"] = max(least_rtol * sharper, 1e-14)
        atol = given.pop("atol", 1e-6)
        if np.any(np.asarray(atol if not isinstance(atol, dict) else list(atol.values())) < 0):
            raise ValueError("`atol` must be positive.")
        atol = atol_of(atol, self.names, options["rtol"])
        atol = np.maximum(np.multiply(atol, sharper), 1e-300)  # zero is no tolerance
        if np.ndim(atol) > 0:
            if np.shape(atol) != (self.n,):
                raise ValueError("`atol` has wrong shape.")
            options["atol"] = np.repeat(atol, 2) if self.complex else atol
        else:
            options["atol"] = float(atol)
        max_step = float(given.pop("max_step", np.inf))
        if max_step <= 0:
            raise ValueError("`max_step` must be positive.")
        options["max_step"] = max_step
        first_step = given.get("first_step")
        if first_step is not None:
            if first_step <= 0:
                raise ValueError("`first_step` must be positive.")
            if first_step > abs(self.end - self.start):
                raise ValueError("`first_step` exceeds bounds.")
        jac = given.pop("jac", None)
        self.sparsity = given.pop("jac_sparsity", None)
        if jac is not None:
            self.jacobian = jac
            self.constant_jacobian = not callable(jac)
        for name in _IGNORED:
            given.pop(name, None)
        for name in _OWN_OPTIONS:
            if given.get(name) is not None:
                options[name] = given.pop(name)
        if given:
            warnings.warn("The following arguments have no effect for a chosen solver: "
                          + ", ".join(f"`{name}`" for name in given), stacklevel=4)
        return options

    # ---- ways -------------------------------------------------------------------------------------------------------

    def make(self, trace: Optional[bool]) -> Way:
        """The problem, from a trace where there can be one."""
        self.memory = Memory(self.fun, *[e.function for e in self.events])
        if self.memory.iterators and self.refuses_memory:
            raise RemembersError(advice(self.memory.iterators))
        try:
            if trace is not False and self.refuses_memory:
                try:
                    return self._traced()
                except Untraceable as error:
                    if trace:
                        raise
                    reason = str(error)
            else:
                reason = "trace=False" if trace is False else "memory=\"ignore\""
            return self._called(reason)
        finally:
            self.memory.restore()

    def make_called(self, reason: str) -> Way:
        try:
            return self._called(reason)
        finally:
            self.memory.restore()

    def follow(self, way: Way, cancellation: Any) -> Any:
        options = self.options if self.unknown_jumps is None else dict(self.options, unknown_jumps=True)
        atol, more = options.get("atol"), self.full_state.size - self.state.size
        if more and isinstance(atol, np.ndarray):
            options = dict(options, atol=np.concatenate((atol, np.ones(more))))  # of discrete states
        return follow(way.problem, start=self.start, end=self.end, state=self.full_state, options=options,
                      cancellation=cancellation, stop_after=self.stop_after)

    def watches_more(self) -> bool:
        """Whether the function that was called has decided, on its way, what it was not seen to: it is then to be watched there too."""
        if self.watched is None or not self.watched.escaped:
            return False
        if self.rounds < _MOST_ROUNDS and not self.watched.loses:
            self.rounds += 1
            self.escapes += self.watched.escaped[:4]
            return True
        if self.unknown_jumps is None:
            self.unknown_jumps = self._unknown(self.reason)
        return False

    def raise_as_called(self, made: Any) -> None:
        """Raises what the function raises where the run has come to."""
        if not self.raises or made.status != "stopped_by_event" or made.event_count() == 0:
            return
        name = made.event(made.event_count() - 1)[3]
        error = self.raises.get(name)
        if error is None:
            return
        t, y = made.t_reached, made.states_at(np.array([made.t_reached]))[:self.state.size, 0]
        for ahead in (0.0, 1e-9, 1e-6):
            step = ahead * max(self.end - self.start, 1e-300)
            there = y + step * np.asarray(way_field(self, t, y))
            self._call_parts(self.direction * (t + step), there)
        raise error

    def check_memory_after(self) -> None:
        """A function that was called may have begun to remember something that counts on its way."""
        if not self.refuses_memory or self.evaluator is not None:
            return
        now = self.memory.state()
        if self.noted is not None:
            self.memory.set_state(self.noted)
        changes = self.memory.changes()
        if not changes:
            return
        after = self.memory.state()
        points = self._points()
        expected = []
        for state in (after, [place.saved for place in self.memory.places]):
            values = []
            for t, y in points:
                self.memory.set_state(state)
                values.append(_value_or_error(self._call_forward, t, y))
            expected.append(values)
        self.memory.set_state(now)
        if any(not _same_values(p, q) for p, q in zip(*expected)):
            raise RemembersError(advice([change.name for change in changes]))

    def _points(self) -> List[Tuple[float, np.ndarray]]:
        rng = np.random.default_rng(3)
        spread = np.concatenate(([0.0], np.full(5, 0.02), np.full(6, 1.0)))
        return [(self.start + (self.end - self.start) * u,
                 self.state + (np.abs(self.state) * size + (0.5 if size > 0.5 else 0.01) * (size > 0)) * rng.uniform(-1, 1, self.state.size))
                for u, size in zip(np.linspace(0, 1, spread.size), spread)]

    def _call(self, t: Any, y: Any, form: Any = None) -> Any:
        fun = self.fun if form is None else form
        if self.vectorized:
            return np.asarray(fun(t, y[:, None], *self.args)).ravel()
        return fun(t, y, *self.args)

    def _call_parts(self, t: Any, y: Any) -> Any:
        """The same of the parts of complex states, for those of the results."""
        if not self.complex:
            return self._call(t, y)
        return np.ascontiguousarray(np.ravel(np.asarray(self._call(t, y.view(complex)), dtype=complex))).view(float)

    @property
    def part_names(self) -> List[str]:
        """The names of the states, or of the parts of complex ones."""
        return [part for name in self.names for part in (f"{name}_re", f"{name}_im")] if self.complex else self.names

    def _with_args(self, function: Any) -> Any:
        if not self.args:
            return function
        return Bound(function, self.args)

    def _traced(self) -> Way:
        """The problem of a trace. Steps of the time are written out, or, where the reader does not take them within a kink, counted by the model."""
        self.steps = 0
        kept = list(self.notes), dict(self.raises), list(self.written)
        try:
            return self._traced_with_steps(MOST_STEPS)
        except Untraceable:
            if self.steps == 0:
                raise
            self.notes, self.raises, self.written = kept
            return self._traced_with_steps(0)

    def _traced_with_steps(self, most_steps: int) -> Way:
        # An error that the function raises at the start goes to the caller, before the trace begins.
        self._call_parts(self.direction * self.start, self.state.copy())
        self.memory.restore()
        text = ModelText(self.part_names, self.parameters, backward=self.direction < 0)
        text.has_pairs = self.complex
        args = self._named_args(text)
        text.graph.span = (min(self.direction * self.start, self.direction * self.end),
                           max(self.direction * self.start, self.direction * self.end))
        text.graph.most_steps = most_steps
        try:
            traced = text.traced((Parts if self.complex else Bound)(self.fun, args), self.state.size, column=self.vectorized)
        finally:
            self.steps = text.graph.steps
        results = traced.results
        if self.surfaces is not None:
            told = [self.surfaces] if callable(self.surfaces) else list(self.surfaces)
            entries = []
            taken = set(self.names) | {e.name for e in self.events}
            for k, surface in enumerate(told):
                name = getattr(surface, "__name__", "")
                name = name if is_name(name) and name not in taken else f"h{k + 1}"
                taken.add(name)
                entries.append((name, text.expressions(Bound(surface, args), 1)[0]))
            text.table("[surfaces]", entries)
        text.table("[derivatives]", text.derivatives(results))
        plain = list(text.tables)
        left: List[_EventPlan] = []
        for event in self.events:
            try:
                found = text.traced(Bound(event.function, args), 1)
                guard = condition_of(found.results[0])
            except Untraceable:
                left.append(event)
                continue
            if found.writes_into_y:
                self.tell_written(_WRITTEN_BY_EVENT.format(name=event.name))
            direction = {1: "rising", -1: "falling", 0: "any"}[event.direction]
            if isinstance(guard, bool):
                guard = text.graph.constant(1.0)  # which is zero nowhere
            text.table("[[stops]]" if event.action == "stop" else "[[records]]",
                       [("name", event.name), ("when", guard), ("direction", direction)])
        for k, way in enumerate(traced.raises):
            stop = f"raise_{k + 1}"
            self.raises[stop] = way.error
            text.table("[[stops]]", [("name", stop), ("when", way_condition(way.decisions))])
        self.evaluator = Evaluator(text.graph, self.part_names, results, traced.guards.values(), self.parameters)
        self._verify(self.evaluator)
        # A function that bends and does not jump, which its verified trace tells, is not the worse for being called.
        self.is_continuous = not any(node.op in ("if", "sgn") or node.stepped for node in in_order(results))
        name = getattr(self.fun, "__name__", "fun")
        model = None
        problem = None
        for attempt in (0, 1):
            try:
                model = text.read(lambda written: _parse(written, "traced.toml"), name, self.state, self.start, self.end)
                problem = model.instance()
                break
            except (_core.ModelError, ValueError) as error:
                if attempt == 1 or len(left) == len(self.events):
                    raise Untraceable(text.retold(error, place_of(self.fun) or "the function").split("\n")[0]) from error
                # A guard with jumps, perhaps: events are called then.
                text.tables, left = plain, list(self.events)
        assert model is not None and problem is not None
        self.finds_roots = bool(text.graph.solutions)
        self.lines = dict(text.lines)
        self.full_state = np.concatenate((self.state, np.asarray(problem.state)[self.state.size:]))
        if traced.writes_into_y:
            self.tell_written(_WRITTEN_BY_FUNCTION)
        self.model = model
        count, passed = len(problem.surface_names), len(text.writer.passed)
        how = f"traced: {count} surface{'' if count == 1 else 's'}, exact derivatives, no Python during the run"
        if passed:
            how += f"; {passed} bends inside of guards and products are left to the control of errors"
        if left:
            problem = problem.with_events([(e.name, self._called_event(e), e.direction, e.action) for e in left])
            self.model = None
            how = f"traced: {count} surfaces, exact derivatives; {len(left)} event{'' if len(left) == 1 else 's'} called"
        else:
            self.recipe = dict(settings={}, options=self.options, start=self.start, t_end=self.end, state=self.full_state)
        return Way(problem, how, True, not left)

    def make_named(self) -> Way:
        """The problem of a trace, with numbers among the arguments as parameters, as far as the function lets them be."""
        if self.complex and self.is_differentiated:
            raise Untraceable("derivatives by complex states; take their parts for states")
        names = self._argument_names()
        numbers = {k: name for k, name in names.items() if isinstance(self.args[k], (float, np.floating)) or type(self.args[k]) is int}
        # An integer may be a length or an index, and a number may decide what is no part of the motion.
        for kinds in ((float, np.floating, int), (float, np.floating), ()):
            self.parameters = {name: float(self.args[k]) for k, name in numbers.items() if isinstance(self.args[k], kinds)}
            try:
                with quiet:
                    return self.make(True)
            except Untraceable:
                if not kinds:
                    raise
                self.notes, self.raises = [], {}
        raise AssertionError

    def _argument_names(self) -> Dict[int, str]:
        """The names of the arguments after t and y, by their place in args."""
        try:
            found = [p.name for p in inspect.signature(self.fun).parameters.values()
                     if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)][2:]
        except (TypeError, ValueError):
            found = []
        taken = set(self.names) | {e.name for e in self.events}
        names = {k: name for k, name in enumerate(found[:len(self.args)]) if is_name(name) and name not in taken}
        for k in range(len(found), len(self.args)):
            names[k] = f"p{k}"
        return names

    def _named_args(self, text: ModelText) -> Tuple[Any, ...]:
        if not self.parameters:
            return self.args
        names = self._argument_names()
        return tuple(text.symbols.get(names.get(k, ""), value) for k, value in enumerate(self.args))

    def _verify(self, evaluator: Evaluator) -> None:
        """The expressions must have the function's values on both sides of every branch and around the run."""
        first, last = sorted((self.direction * self.start, self.direction * self.end))
        times, states = points_around(evaluator, first, last, self.state)
        found, raised = compare(evaluator, self._call_parts, times, states)
        if found is not None:
            raise Untraceable(self._difference(found))

    def _difference(self, found: Any) -> str:
        return (f"the function depends on more than t, y and args, or does something that a trace does not see: at t = {found.t:.6g} its "
                f"result {found.component + 1} is {found.expected:.6g}, and that of its trace {found.got:.6g}")

    def differs_along(self, made: Any) -> Optional[str]:
        """Where a run has come to a state at which the function has other values than its trace."""
        assert self.evaluator is not None
        segments = made.segments()
        start, end = segments[0][0], segments[-1][1]
        places = np.random.default_rng(5).uniform(0, 1, 12 if self.options.get("audit") != "full" else 1000)
        times = start + (end - start) * np.append(places, [0.999])
        states = made.states_at(np.ascontiguousarray(times))[:self.state.size]
        known = np.isfinite(states).all(axis=0)
        try:
            found, raised = compare(self.evaluator, self._call_parts, self.direction * times[known], states[:, known])
        finally:
            self.memory.restore()
        if found is not None:
            return self._difference(found)
        if raised:
            k, error = raised[0]
            return f"the function raises {type(error).__name__} at t = {times[known][k] * self.direction:.6g}, and its trace does not"
        return None

    def retold(self, message: str) -> str:
        """What the run says, with the user's own places."""
        return retold_of_run(message, self.lines, place_of(self.fun) or "the function")

    def loses_root(self, made: Any) -> Optional[str]:
        """Where a run has ended with a root that the function looks for: its own search may find another one from there on."""
        if not self.finds_roots or made.error is not None or made.status not in ("step_failure", "user_function_failed"):
            return None
        return f"a root that the function looks for cannot be followed beyond t = {self.direction * made.t_reached:.6g}"

    def _called_event(self, event: _EventPlan) -> Any:
        """An event function that is called; one that jumps is a condition, whose guard is called in its place."""
        if self.complex:
            return self._event(event)
        function = self._event(event)
        self._look_at_event(event, function)
        if not is_stepped(lambda s, y: function(s, y.copy()), self._points()):
            return function
        text = ModelText(self.names, {})
        try:
            condition = condition_of(text.expressions(Bound(event.function, self.args), 1)[0])
        except (Untraceable, RemembersError):
            condition = None
        if condition is None or isinstance(condition, bool):
            if condition is None:
                self.notes.append(f"the event {event.name} seems to jump past zero, or to be zero over an interval: it may be missed; return a "
                                  "number that changes its sign continuously")
            return function
        evaluator = Evaluator(text.graph, self.names, roots_of(condition))
        return lambda s, y: value_of(condition, evaluator(np.array([self.direction * s]), y[:, None]))

    def tell_written(self, text: str) -> None:
        if text not in self.written:
            self.written.append(text)

    def _look_at_event(self, event: _EventPlan, function: Any) -> None:
        """Whether a called event writes into y, or has several values for the same t and y."""
        for s, y in self._points():
            given = y.copy()
            first = _value_or_error(function, s, y)
            try:
                function(s, given)
            except Exception:
                continue
            if not np.array_equal(given, y):
                self.tell_written(_WRITTEN_BY_EVENT.format(name=event.name))
            elif self.refuses_memory and not _same_values(first, _value_or_error(function, s, y)):
                raise RemembersError(f"the event {event.name} gives different values for the same t and y (the time of day, random numbers, or something that "
                                     "it remembers), so that its zeros are those of no solution. To end a run after a time of yours, use max_steps, "
                                     "or Ctrl-C; memory=\"ignore\" calls it as it is")

    def _event(self, event: _EventPlan) -> Any:
        function = self._whole_event(event)
        if self.full_state.size == self.state.size:
            return function
        count = self.state.size
        return lambda s, y: function(s, y[:count])

    def _whole_event(self, event: _EventPlan) -> Any:
        function, args, direction = event.function, self.args, self.direction
        if self.complex:
            return lambda s, y: function(direction * s, y.view(complex), *args)
        if direction < 0:
            return lambda s, y: function(-s, y, *args)
        return self._with_args(function)

    def _called(self, reason: str) -> Way:
        from ._watch import Nudged, watch
        from ._watched_forms import watched_form

        self.evaluator, self.model, self.recipe, self.raises = None, None, None, {}
        self.full_state, self.reason, self.unknown_jumps = self.state, reason, None
        self._call(self.direction * self.start, self.state.view(complex) if self.complex else self.state.copy())
        if self.refuses_memory:
            self._refuse_memory()

        field: Any = self._field()
        guards: Any = None
        steps: List[Any] = []
        self.watched = None
        surface_names: List[str] = []
        note = "its jumps, if it has any, are not known"
        is_known = False
        names = self.part_names
        if self.surfaces is not None:
            told = [self.surfaces] if callable(self.surfaces) else list(self.surfaces)
            if told:
                nudged = Nudged(field, [self._surface(s) for s in told])
                field, guards = nudged.field, nudged.guards
            surface_names = [_surface_name(s, k) for k, s in enumerate(told)]
            note = f"{len(told)} surfaces told"
            is_known = True
        elif not self.complex:
            form = watched_form(self.fun) if self.refuses_memory else self.fun
            self.watched = watch(self._call_forward, lambda s, y: self._call_forward(s, y, form), self.start, self.end, self.state, self.escapes)
            if self.watched is not None:
                steps = self.watched.steps
                is_known = not self.watched.loses and not (self.watched.is_read_past and not reason.startswith(_SMOOTH_REASONS))
                note = "no branches seen"
                if self.watched.names or steps:
                    field, guards, surface_names = self.watched.field, self.watched.guards, self.watched.names
                    found = [_counted(len(surface_names), "surface")] if surface_names else []
                    note = " and ".join(found + ([_counted(len(steps), "number that steps", "numbers that step")] if steps else []))
                    note += " found by watching its branches"
        jacobian = None
        if self.jacobian is not None and not surface_names and not self.complex:
            jacobian = self._jacobian()
        pattern = None
        if self.sparsity is not None and not surface_names and not self.complex:
            pattern = _pattern(self.sparsity, self.n)
        field = self._noting(field)
        field, guards = self._inside(field), None if guards is None else self._inside(guards)
        self.full_state = np.concatenate((self.state, [step.first for step in steps]))
        problem = _core.called(field, guards, jacobian, names + [step.name for step in steps], surface_names, pattern, self.start, self.end,
                               self.full_state, getattr(self.fun, "__name__", "fun"), len(steps))
        if steps:
            assert self.watched is not None
            problem = problem.with_steps(self.watched.resets(), self.watched.timed())
        if self.events:
            problem = problem.with_events([(e.name, self._called_event(e), e.direction, e.action) for e in self.events])
        self._bound_steps()
        if not is_known and self.is_continuous and not self.complex:
            note, is_known = "it bends and does not jump", True
        if not is_known:
            self.unknown_jumps = self._unknown(reason)
        return Way(problem, f"called, as it could not be traced ({reason}); {note}", False, False)

    def _unknown(self, reason: str) -> str:
        return (f"the jumps of {getattr(self.fun, '__name__', 'the function')}, if it has any, are not known, as it was called instead of "
                f"traced ({reason}), and watching could not follow all that it decides; a result across a jump is less accurate than rtol, or "
                f"wrong. Write what could not be traced in another way, or pass surfaces=[g, …], functions g(t, y) that are zero where it "
                f"jumps; surfaces=[] says that it does not jump.")

    def _bound_steps(self) -> None:
        """A field that is zero at first would have its first step over the whole run, and over all that the time brings."""
        if not self.refuses_memory:
            return
        field: Any = self._complex_field if self.complex else self._call_forward
        quickest = quickest_change(field, self.start, self.end, self.state)
        if quickest is not None:
            self.options["max_step"] = min(self.options["max_step"], quickest)

    def _refuse_memory(self) -> None:
        called = call_twice(lambda t, y: self._call_forward(t, y), self.memory, self._points())
        if called.remembered == ["something"]:
            raise RemembersError("the function gives different values for the same t and y (random numbers, the time of day, or something "
                                 "that it remembers), which no differential equation does; memory=\"ignore\" calls it as it is")
        if called.remembered:
            raise RemembersError(advice(called.remembered))

    def _call_forward(self, s: float, y: Any, form: Any = None) -> Any:
        if self.complex and isinstance(y, np.ndarray) and y.dtype == float:
            y = y.view(complex)
        result = self._call(self.direction * s, y, form)
        if self.direction > 0:
            return result
        return [-r for r in (flat(result) if form is not None else np.ravel(result))]

    def _field(self) -> Any:
        if self.complex:
            return lambda s, y: self._complex_field(s, y)
        if self.direction < 0:
            return lambda s, y: -np.asarray(self._call(-s, y), dtype=float)
        if self.vectorized:
            return self._call
        return self._with_args(self.fun)

    def _noting(self, field: Any) -> Any:
        """The same field, which notes what the function's variables have become where it has set one of them."""
        self.noted = None
        cells = [place for place in self.memory.places if place.kind == "cell"] if self.refuses_memory else []
        if not cells:
            return field

        def noting(t: float, *rest: Any) -> Any:
            value = field(t, *rest)
            if self.noted is None and any(place.differences() for place in cells):
                self.noted = self.memory.state()
            return value

        return noting

    def _inside(self, function: Any) -> Any:
        """A called function that need not have values outside of the run: where it raises there, it goes on as it was inside."""
        start, end = self.start, self.end

        def inside(t: float, *rest: Any) -> Any:
            try:
                return function(t, *rest)
            except Exception:
                limit = min(max(t, start), end)
                if limit == t:
                    raise
                # Differences by the time reach a little beyond the ends.
                return 2 * np.asarray(function(limit, *rest), dtype=float) - np.asarray(function(2 * limit - t, *rest), dtype=float)

        return inside

    def _complex_field(self, s: float, y: np.ndarray) -> np.ndarray:
        result = np.asarray(self._call(self.direction * s, y.view(complex)), dtype=complex).ravel() * self.direction
        return np.ascontiguousarray(result).view(float)

    def _surface(self, surface: Any) -> Any:
        direction, args = self.direction, self.args
        if self.complex:
            return lambda s, y: float(surface(direction * s, np.asarray(y).view(complex), *args))
        return lambda s, y: float(surface(direction * s, y, *args))

    def _jacobian(self) -> Any:
        jac, direction, args = self.jacobian, self.direction, self.args

        def dense(matrix: Any) -> np.ndarray:
            return direction * np.asarray(matrix.toarray() if hasattr(matrix, "toarray") else matrix, dtype=float)

        if not callable(jac):
            constant = dense(jac)
            return lambda s, y: constant
        return lambda s, y: dense(jac(direction * s, y, *args))


# Functions that cannot be traced, and have no jumps.
_SMOOTH = set("erf erfc erfi erfinv gamma lgamma gammaln loggamma digamma psi polygamma beta betaln j0 j1 jn jv y0 y1 yn yv i0 i1 iv k0 k1 kv i0e i1e "
              "k0e k1e expi exp1 expn lambertw wrightomega dawsn ellipk ellipe zeta airy ai_zeros fresnel ndtr log_ndtr spence entr".split())


# What such a message begins with where a function without jumps is to blame.
_SMOOTH_REASONS = tuple(f"{prefix}{name}{tail} of a number" for prefix in ("", "np.", "math.") for name in _SMOOTH for tail in ("", "()"))


def _counted(number: int, what: str, several: Optional[str] = None) -> str:
    return f"{number} {what if number == 1 else several or what + 's'}"


def way_field(problem: "Problem", s: float, y: np.ndarray) -> np.ndarray:
    assert problem.evaluator is not None
    values = problem.evaluator(np.array([problem.direction * s]), y[:, None])
    return problem.direction * np.array([float(values[root.number][0]) for root in problem.evaluator.roots])


def way_condition(decisions: Sequence[Tuple[Expr, bool]]) -> Any:
    """The condition that all of these were decided as they were."""
    from ._expressions import Cond, _not

    condition: Any = None
    for guard, answer in decisions:
        part: Any = Cond(guard.graph, "positive", guard)
        part = part if answer else _not(part)
        condition = part if condition is None else Cond(guard.graph, "and", condition, part)
    return condition


def _value_or_error(function: Any, t: float, y: np.ndarray) -> Any:
    try:
        with np.errstate(all="ignore"):
            return np.array(function(t, y.copy()), dtype=complex).ravel()
    except Exception as error:
        return type(error).__name__


def _same_values(a: Any, b: Any) -> bool:
    if isinstance(a, str) or isinstance(b, str):
        return bool(isinstance(a, str) and isinstance(b, str) and a == b)
    return bool(np.array_equal(a, b, equal_nan=True))


def _surface_name(surface: Any, number: int) -> str:
    name = getattr(surface, "__name__", "")
    return name if is_name(name) else f"h{number + 1}"


def _pattern(sparsity: Any, n: int) -> List[List[int]]:
    if hasattr(sparsity, "tocoo"):
        entries = sparsity.tocoo()
        rows: List[List[int]] = [[] for _ in range(n)]
        for i, j in zip(entries.row, entries.col):
            rows[int(i)].append(int(j))
        return rows
    return [[int(j) for j in np.nonzero(row)[0]] for row in np.asarray(sparsity)]
