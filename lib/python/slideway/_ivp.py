"""solve_ivp, with scipy's signature, and trace."""

from __future__ import annotations

import functools
import warnings
from typing import Any, Callable, Optional, Sequence, Tuple

import numpy as np

from ._audit import NOT_MADE
from ._expressions import Untraceable
from ._model import Model, raise_error
from ._problem import Problem
from ._quiet import quiet
from ._result import Outcome, Result, Statistics

_COLLAPSED = ("the steps have become so short at t = {t:.6g} that the run would take hundreds of thousands of them: the function jumps there, most likely, "
              "and the run chatters along the jump, which was not found. Pass surfaces=[g], a function g(t, y) that is zero at the jump, or "
              "write the function so that it can be traced; surfaces=[] says that it does not jump, and lets the run go on")


class UnknownJumpsWarning(UserWarning):
    """A function was called whose jumps, if it has any, are not known: the run steps over them as over anything smooth."""


class StateWrittenWarning(UserWarning):
    """The function or an event of it writes into y, which changes no solution."""


def solve_ivp(fun: Callable[..., Any], t_span: Sequence[float], y0: Any, method: Any = "auto", t_eval: Any = None,
              dense_output: bool = False, events: Any = None, vectorized: bool = False, args: Any = None, *,
              surfaces: Any = None, trace: Optional[bool] = None, names: Optional[Sequence[str]] = None,
              memory: str = "refuse", cancellation: Any = None, **options: Any) -> Result:
    """Integrates y' = fun(t, y) from t_span[0] to t_span[1], through every jump of fun.

    The signature is that of ``scipy.integrate.solve_ivp``. Where possible ``fun`` is run once on expressions, so that what it
    branches on becomes switching surfaces, its derivatives are exact, and no Python runs during the integration; it must then
    depend on t, y and args alone. Otherwise it is called. The result's ``traced`` and ``how`` say which way it was, and
    ``warnings`` what is to be known about it. A function that remembers something from one call to the next is refused with
    :class:`RemembersError`. Where a function is called and its jumps are not known, there is an :class:`UnknownJumpsWarning`.

    Parameters
    ----------
    fun : function (t, y, *args) -> n numbers; y has the shape (n,)
    t_span : (start, end); the end may lie before the start
    y0 : n numbers, which may be complex
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
        not found by watching what it compares; ``[]`` says that it does not jump
    trace : True raises :class:`Untraceable` where fun cannot be traced; False calls it in any case
    names : names of the states
    memory : "refuse", or "ignore" to call a function that remembers something; its results then depend on the steps
    **options : rtol (1e-3), atol (1e-6), max_step, jac, jac_sparsity, sensitivities (names of arguments, as the function has them, and of
        states for their initial values: see ``result.sensitivities``), and slideway's linear_solver, max_events, max_steps,
        on_ambiguity, sliding_rule, selection, local_events, full_events, audit. first_step, min_step, lband and uband have no effect.
    """
    if memory not in ("refuse", "ignore"):
        raise ValueError(f"`memory` must be 'refuse' or 'ignore', not {memory!r}.")
    plan = Problem(fun, t_span, y0, method, t_eval, events, vectorized, args, surfaces, names, options)
    plan.refuses_memory = memory == "refuse"
    if plan.swapped is not None:
        warnings.warn(plan.swapped, stacklevel=2)
    if plan.n == 0:
        return _empty(plan, dense_output)
    if plan.is_differentiated:
        way = plan.make_named()
        plan.check_differentiated()
    else:
        with quiet:
            way = plan.make(trace)
    made = plan.follow(way, cancellation)
    reason = None
    if way.traced and made.segments():
        with quiet:
            reason = plan.differs_along(made)
    if reason is None and way.traced:
        reason = plan.loses_root(made)
    if reason is not None:
        if trace or plan.is_differentiated:
            raise Untraceable(reason)
        plan.is_continuous = False
        with quiet:
            way = plan.make_called(reason)
        made = plan.follow(way, cancellation)
    while plan.watches_more():
        with quiet:
            way = plan.make_called(plan.reason)
        made = plan.follow(way, cancellation)
    if made.error is not None and not made.segments():
        raise_error(made, None)
    plan.raise_as_called(made)
    with quiet:
        plan.check_memory_after()
    names_of_events = [e.name for e in plan.events]
    result = Result(made, model=plan.model, recipe=plan.recipe, direction=plan.direction, t_eval=plan.t_eval,
                    dense=dense_output, event_names=names_of_events, complex_=plan.complex, traced=way.without_python, how=way.how,
                    state_names=plan.names, retold=plan.retold if way.traced else None)
    if plan.model is not None and plan.args and not plan.is_differentiated and not plan.complex:
        result.parametrised_by(functools.partial(_with_parameters, plan.asked))
    if not plan.has_events:
        result.t_events = result.y_events = None
    if plan.constant_jacobian:
        result.njev = 0  # and is factorised, all the same
    for written in plan.written:
        plan.notes.append(written)
        warnings.warn(written, StateWrittenWarning, stacklevel=2)
    result.warnings += plan.notes + ([] if plan.swapped is None else [plan.swapped])
    if made.collapsed:
        result.status, result.success, result.message = -1, False, _COLLAPSED.format(t=result.outcome.t)
        result.outcome = result.outcome._replace(status="step_failure", message=result.message)
    if plan.unknown_jumps is not None:
        result.warnings.append(plan.unknown_jumps)
        warnings.warn(plan.unknown_jumps, UnknownJumpsWarning, stacklevel=2)
    raise_error(made, result)
    return result


def trace(fun: Callable[..., Any], t_span: Sequence[float], y0: Any, args: Any = None, events: Any = None, *,
          names: Optional[Sequence[str]] = None, surfaces: Any = None) -> Model:
    """The model that :func:`solve_ivp` makes of a function, to be looked at (``print(model.text)``), written, swept, fitted and so on.

    Numbers among ``args`` become parameters with the names that the function has for them. A function that cannot be traced raises
    :class:`Untraceable`."""
    plan = Problem(fun, t_span, y0, "auto", None, events, False, args, surfaces, names, {})
    if plan.n == 0:
        raise ValueError("a model has at least one state")
    plan.make_named()
    if plan.model is None:
        raise Untraceable("an event of the function is called, and no part of a model")
    return plan.model


def _with_parameters(asked: Tuple[Any, ...]) -> Any:
    """The run of solve_ivp with its arguments as parameters of the model."""
    plan = Problem(*asked)
    way = plan.make_named()
    return plan.follow(way, None)


def _empty(plan: Problem, dense_output: bool) -> Result:
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
    result.audit = NOT_MADE
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
