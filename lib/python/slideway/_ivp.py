"""solve_ivp, with scipy's signature."""

from __future__ import annotations

import inspect
import math
import warnings
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import numpy as np

from . import _core
from ._model import _parse, atol_of, follow, raise_error
from ._result import DenseSolution, Event, Outcome, Result, Statistics
from ._text import ModelText, is_name, unpacked_names
from ._expressions import Untraceable

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
                "local_events", "full_events")
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


def solve_ivp(fun: Callable[..., Any], t_span: Sequence[float], y0: Any, method: Any = "auto", t_eval: Any = None,
              dense_output: bool = False, events: Any = None, vectorized: bool = False, args: Any = None, *,
              surfaces: Any = None, trace: Optional[bool] = None, names: Optional[Sequence[str]] = None,
              cancellation: Any = None, **options: Any) -> Result:
    """Integrates y' = fun(t, y) from t_span[0] to t_span[1], through every jump of fun.

    The signature is that of ``scipy.integrate.solve_ivp``. Where possible ``fun`` is run once on expressions, so that what it
    branches on becomes switching surfaces, its derivatives are exact, and no Python runs during the integration; it must then
    depend on t, y and args alone. Otherwise it is called. The result's ``traced`` and ``how`` say which way it was.

    Parameters
    ----------
    fun : function (t, y, *args) -> n numbers; y has the shape (n,)
    t_span : (start, end); the end may lie before the start
    y0 : n numbers, which may be complex (fun is then called)
    method : "auto", "bdf", "adams", "dopri5", "dop853", "rodas", or one of scipy's: RK23 and RK45 are dopri5, DOP853 is
        dop853, BDF and Radau are bdf (Radau below rtol 1e-8 rodas), LSODA is
        auto
    t_eval : times of ``t`` and ``y``, in order; without it they are the steps, and both sides of a jump
    dense_output : whether ``sol`` is kept
    events : a function (t, y, *args) -> number or a list of such, with the attributes ``terminal`` (False, True, or the number
        of the occurrence that ends the run) and ``direction``
    vectorized : whether fun expects y of the shape (n, k)
    args : further arguments of fun, jac and the events
    surfaces : functions (t, y, *args) -> number at whose zeros fun jumps; needed only where fun is called and its jumps are
        not found by watching what it compares
    trace : True raises :class:`Untraceable` where fun cannot be traced; False calls it in any case
    names : names of the states
    **options : rtol (1e-3), atol (1e-6), max_step, jac, jac_sparsity, and slideway's linear_solver, max_events, max_steps,
        on_ambiguity, sliding_rule, selection, local_events, full_events. first_step, min_step, lband and uband have no effect.
    """
    plan = _Problem(fun, t_span, y0, method, t_eval, events, vectorized, args, surfaces, names, options)
    if plan.n == 0:
        return _empty(plan, dense_output)
    problem, how, traced = plan.make(trace)
    made = follow(problem, start=plan.start, end=plan.end, state=plan.state, options=plan.options, cancellation=cancellation,
                  stop_after=plan.stop_after)
    if made.error is not None and not made.segments():
        raise_error(made, None)
    names_of_events = [e.name for e in plan.events]
    result = Result(made, model=plan.model, recipe=plan.recipe, direction=plan.direction, t_eval=plan.t_eval,
                    dense=dense_output, event_names=names_of_events, complex_=plan.complex, traced=traced, how=how,
                    state_names=plan.names)
    if not plan.has_events:
        result.t_events = result.y_events = None
    if plan.constant_jacobian:
        result.njev = 0  # and is factorised, all the same
    raise_error(made, result)
    return result


class _Problem:
    """What solve_ivp was asked for, checked; times run forward along s = t or s = −t."""

    def __init__(self, fun: Any, t_span: Any, y0: Any, method: Any, t_eval: Any, events: Any, vectorized: bool, args: Any,
                 surfaces: Any, names: Optional[Sequence[str]], options: Dict[str, Any]) -> None:
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

    def make(self, trace: Optional[bool]) -> Tuple[Any, str, bool]:
        """The problem, how it was made and whether without Python."""
        if trace is not False and not self.complex:
            try:
                return self._traced()
            except Untraceable as error:
                if trace:
                    raise
                reason = str(error)
        else:
            if trace and self.complex:
                raise Untraceable("complex states")
            reason = "complex states" if self.complex else "trace=False"
        return self._called(reason)

    def _call(self, t: Any, y: Any) -> Any:
        if self.vectorized:
            return np.asarray(self.fun(t, y[:, None], *self.args)).ravel()
        return self.fun(t, y, *self.args)

    def _with_args(self, function: Any) -> Any:
        if not self.args:
            return function
        return _Bound(function, self.args)

    def _traced(self) -> Tuple[Any, str, bool]:
        text = ModelText(self.names, {}, backward=self.direction < 0)
        text.graph.span = (min(self.direction * self.start, self.direction * self.end),
                           max(self.direction * self.start, self.direction * self.end))
        function = text.rewriter.callable(self.fun)
        results = text.expressions(_Bound(function, self.args), self.n, column=self.vectorized)
        if self.surfaces is not None:
            told = [self.surfaces] if callable(self.surfaces) else list(self.surfaces)
            entries = []
            taken = set(self.names) | {e.name for e in self.events}
            for k, surface in enumerate(told):
                name = getattr(surface, "__name__", "")
                name = name if is_name(name) and name not in taken else f"h{k + 1}"
                taken.add(name)
                bound = _Bound(text.rewriter.callable(surface), self.args)
                entries.append((name, text.expressions(bound, 1)[0]))
            text.table("[surfaces]", entries)
        text.table("[derivatives]", text.derivatives(results))
        plain = list(text.tables)
        left: List[_EventPlan] = []
        for event in self.events:
            try:
                guard = text.expressions(_Bound(text.rewriter.callable(event.function), self.args), 1)[0]
            except Untraceable:
                left.append(event)
                continue
            direction = {1: "rising", -1: "falling", 0: "any"}[event.direction]
            text.table("[[stops]]" if event.action == "stop" else "[[records]]",
                       [("name", event.name), ("when", guard), ("direction", direction)])
        name = getattr(self.fun, "__name__", "fun")
        model = None
        problem = None
        for attempt in (0, 1):
            try:
                model = _parse(text.write(name, self.state, self.start, self.end), "traced.toml")
                problem = model.instance()
                break
            except (_core.ModelError, ValueError) as error:
                if attempt == 1 or len(left) == len(self.events):
                    raise Untraceable(_first_line(error)) from error
                # A guard with jumps, perhaps: events are called then.
                text.tables, left = plain, list(self.events)
        assert model is not None and problem is not None
        self._verify(problem)
        self.model = model
        count = len(problem.surface_names)
        how = f"traced: {count} surface{'' if count == 1 else 's'}, exact derivatives, no Python during the run"
        if left:
            problem = problem.with_events([(e.name, self._event(e), e.direction, e.action) for e in left])
            self.model = None
            how = f"traced: {count} surfaces, exact derivatives; {len(left)} event{'' if len(left) == 1 else 's'} called"
        else:
            self.recipe = dict(settings={}, options=self.options, start=self.start, t_end=self.end, state=self.state)
        return problem, how, not left

    def _verify(self, problem: Any) -> None:
        """The traced field must have the function's values: one that depends on more than t, y and args has not."""
        rng = np.random.default_rng(1)
        span = self.end - self.start
        for k in range(3):
            s = self.start + span * (0.01 + 0.3 * k) * (1 if k else 0.37)
            y = self.state + (np.abs(self.state) * 0.05 + 1e-3) * rng.uniform(0.2, 1, self.n) * (1 if k % 2 == 0 else -1)
            with np.errstate(all="ignore"):
                try:
                    expected = np.asarray(self._call(self.direction * s, y.copy()), dtype=float).ravel() * self.direction
                except (ArithmeticError, ValueError):
                    continue
            got = np.asarray(problem.field(s, y))
            scale = np.abs(expected) + 1e-6 * np.max(np.abs(expected), initial=0) + 1e-300
            wrong = np.isfinite(expected) & np.isfinite(got) & (np.abs(got - expected) > 1e-8 * scale)
            if wrong.any():
                raise Untraceable("the function depends on more than t, y and args: its values are not those of its trace")

    def _event(self, event: _EventPlan) -> Any:
        function, args, direction = event.function, self.args, self.direction
        if self.complex:
            return lambda s, y: function(direction * s, y.view(complex), *args)
        if direction < 0:
            return lambda s, y: function(-s, y, *args)
        return self._with_args(function)

    def _called(self, reason: str) -> Tuple[Any, str, bool]:
        from ._watch import Nudged, watch

        names = self.names
        field: Any = self._field()
        guards: Any = None
        surface_names: List[str] = []
        note = "its jumps, if it has any, are not known"
        if self.complex:
            names = [part for name in self.names for part in (f"{name}_re", f"{name}_im")]
        elif self.surfaces is not None:
            told = [self.surfaces] if callable(self.surfaces) else list(self.surfaces)
            nudged = Nudged(field, [self._surface(s) for s in told])
            field, guards = nudged.field, nudged.guards
            surface_names = [_surface_name(s, k) for k, s in enumerate(told)]
            note = f"{len(told)} surfaces told"
        else:
            watched = watch(self._call_forward, self.start, self.end, self.state)
            if watched is not None and watched.names:
                field, guards, surface_names = watched.field, watched.guards, watched.names
                note = f"{len(surface_names)} surfaces found by watching its branches"
            elif watched is not None:
                note = "no branches seen"
        jacobian = None
        if self.jacobian is not None and not surface_names and not self.complex:
            jacobian = self._jacobian()
        pattern = None
        if self.sparsity is not None and not surface_names and not self.complex:
            pattern = _pattern(self.sparsity, self.n)
        problem = _core.called(field, guards, jacobian, names, surface_names, pattern, self.start, self.end, self.state,
                               getattr(self.fun, "__name__", "fun"))
        if self.events:
            problem = problem.with_events([(e.name, self._event(e), e.direction, e.action) for e in self.events])
        return problem, f"called, as it could not be traced ({reason}); {note}", False

    def _call_forward(self, s: float, y: Any) -> Any:
        result = self._call(self.direction * s, y)
        return [-r for r in np.ravel(result)] if self.direction < 0 else result

    def _field(self) -> Any:
        if self.complex:
            return lambda s, y: self._complex_field(s, y)
        if self.direction < 0:
            return lambda s, y: -np.asarray(self._call(-s, y), dtype=float)
        if self.vectorized:
            return self._call
        return self._with_args(self.fun)

    def _complex_field(self, s: float, y: np.ndarray) -> np.ndarray:
        result = np.asarray(self._call(self.direction * s, y.view(complex)), dtype=complex).ravel() * self.direction
        return np.ascontiguousarray(result).view(float)

    def _surface(self, surface: Any) -> Any:
        direction, args = self.direction, self.args
        return lambda s, y: float(surface(direction * s, y, *args))

    def _jacobian(self) -> Any:
        jac, direction, args = self.jacobian, self.direction, self.args

        def dense(matrix: Any) -> np.ndarray:
            return direction * np.asarray(matrix.toarray() if hasattr(matrix, "toarray") else matrix, dtype=float)

        if not callable(jac):
            constant = dense(jac)
            return lambda s, y: constant
        return lambda s, y: dense(jac(direction * s, y, *args))


class _Bound:
    """A function with its last arguments given, which still tells its name."""

    def __init__(self, function: Any, args: Tuple[Any, ...]) -> None:
        self.function, self.args = function, args

    def __call__(self, t: Any, y: Any) -> Any:
        return self.function(t, y, *self.args)


def _first_line(error: Exception) -> str:
    return str(error).strip().split("\n")[0]


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


def _empty(plan: _Problem, dense_output: bool) -> Result:
    """A run of no states."""
    result = object.__new__(Result)
    direction = plan.direction
    ends = np.array([plan.start, plan.end]) * direction
    result._run, result._direction, result._complex, result._observe = None, direction, plan.complex, []
    result._model = result._recipe = None
    result.state_names, result.surface_names, result.parameters = [], [], {}
    result.traced, result.how = True, "no states"
    result.t = ends if plan.t_eval is None else plan.t_eval
    result.y = np.empty((0, result.t.size))
    result.modes = np.array([""] * result.t.size, dtype=object)
    result.events, result.segments, result.branches, result.warnings = [], [], [], []  # type: ignore[assignment]
    result.observed = {}
    result.statistics = Statistics(steps=0, integrator_evaluations=0, jacobian_evaluations=0)
    result.outcome = Outcome("reached_end", float(ends[1]), "")
    result.t_events = result.y_events = None
    if plan.has_events:
        result.t_events = [np.empty(0) for _ in plan.events]
        result.y_events = [np.empty(0) for _ in plan.events]
    result.status, result.success = 0, True
    result.message = "The solver successfully reached the end of the integration interval."
    result.nfev = result.njev = result.nlu = 0
    result.sol = _NoStates() if dense_output else None  # type: ignore[assignment]
    return result


class _NoStates:
    def __call__(self, t: Any) -> np.ndarray:
        return np.empty((0,) if np.ndim(t) == 0 else (0, np.size(t)))
