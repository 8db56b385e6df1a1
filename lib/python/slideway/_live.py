"""Runs that their callers drive."""

from __future__ import annotations

from typing import Any, Callable, Mapping, Optional, Sequence

import numpy as np

from . import _core
from ._model import Interrupted, Model
from ._result import Event, Events, Outcome, Result


class SavedRun:
    """Where a :class:`LiveRun` was at :meth:`LiveRun.save`; ``t`` is its time."""

    def __init__(self, core: Any) -> None:
        self._core = core

    @property
    def t(self) -> float:
        return float(self._core.t)

    def __repr__(self) -> str:
        return f"<slideway saved run at t = {self.t:.10g}>"


class LiveRun:
    """A run of a model that goes on as far as it is asked to, between which inputs and states may be set.

    >>> live = slideway.LiveRun(model, t_end=10)
    >>> while live.t < 10 and live.outcome.status == "reached_end":
    ...     live.set_input(u=controller(live.state))
    ...     live.advance_to(live.t + 0.001)
    >>> result = live.result()

    Parameters, initial values and options are given as to :meth:`Model.run`. ``t_end`` is a forecast: methods choose time scales by it, and
    the run may go beyond it. Where nothing is set, pieces of a run have the events and steps of one run, bit for bit.

    ``on_event`` is called with every :class:`Event`; if it returns ``True`` the run stops there, and goes on when it is asked again. What it
    raises ends the advance and is raised by it. Ctrl-C raises :class:`Interrupted`, with the result so far; the run goes on after it, too.
    """

    def __init__(self, model: Model, *, t_end: Optional[float] = None, start: Optional[float] = None, state: Any = None,
                 mode: Optional[str] = None, location: str = "", on_event: Optional[Callable[[Event], Any]] = None,
                 settings: Optional[Mapping[str, float]] = None, **given: Any) -> None:
        options, values = model._split(given, settings)
        if "sensitivities" in options:
            raise ValueError("a run that is driven has no sensitivities: use Model.run")
        problem = model.instance(**values)
        self._model = model
        self._names = list(problem.state_names)
        asked = on_event

        def tell(fields: Sequence[Any]) -> bool:
            return asked is not None and asked(Event(*fields)) is True

        first = problem.start if start is None else float(start)
        self._live: Any = None
        self._live = self._guarded(lambda: _core.LiveRun(
            problem, first, max(first, problem.end if t_end is None else float(t_end)),
            np.ascontiguousarray(problem.state if state is None else state, dtype=float), location, mode, options, None if asked is None else tell))

    # ---- going on

    def advance_to(self, t: float) -> Outcome:
        """Follows the solution to t, what happens at t included. The outcome is ``reached_end`` where the run has come to t."""
        return Outcome(*self._guarded(lambda: self._live.advance_to(float(t))))

    def next_event(self, t_end: float) -> Optional[Event]:
        """Follows the solution to the first instant with an event, which it returns, or to ``t_end``: then there is none."""
        fields = self._guarded(lambda: self._live.next_event(float(t_end)))
        return None if fields is None else Event(*fields)

    def cancel(self) -> None:
        """Ends the advance that is under way in another thread, or the next one."""
        self._live.cancel()

    # ---- where it is

    @property
    def t(self) -> float:
        return float(self._live.t)

    @property
    def state(self) -> np.ndarray:
        """The state at t, shape (n,); a copy."""
        return np.asarray(self._live.state)

    @property
    def state_names(self) -> Sequence[str]:
        return list(self._names)

    @property
    def mode(self) -> str:
        """The mode word at t."""
        return str(self._live.mode)

    @property
    def location(self) -> str:
        return str(self._live.location)

    @property
    def outcome(self) -> Outcome:
        return Outcome(*self._live.outcome)

    @property
    def events(self) -> Events:
        """The events since the record began: at the start, at :meth:`restore` or at :meth:`take`."""
        return Events(self._live)

    def __getitem__(self, name: str) -> float:
        return float(self._live.state[self._index(name)])

    # ---- what is set at t

    def set_input(self, **values: float) -> None:
        """Sets discrete states by their names, as an event at a known time would. All that is set before the next advance is set at once."""
        for name, value in values.items():
            self._live.set_discrete(name, float(value))

    def set_state(self, state: Any = None, **values: float) -> None:
        """Sets the state, an array of n numbers, or states by their names. The run goes on as one that starts there."""
        new = np.array(self.state if state is None else state, dtype=float)
        for name, value in values.items():
            new[self._index(name)] = float(value)
        self._guarded(lambda: self._live.set_state(new))

    def field_changed(self) -> None:
        """Says that a Python function of the model reads something that has changed since the last advance."""
        self._live.field_changed()

    def follow(self, mode: str) -> None:
        """Goes on in this mode, one of the ``continuations`` of an event where several motions are possible."""
        self._guarded(lambda: self._live.follow(mode))

    # ---- going back

    def save(self) -> SavedRun:
        """What tells how the run goes on from t. The step of the integrator ends there."""
        return SavedRun(self._guarded(lambda: self._live.save()))

    def restore(self, saved: SavedRun) -> None:
        """Goes on from what this run, or another one of the same model, has saved. The record begins anew there."""
        self._guarded(lambda: self._live.restore(saved._core))

    # ---- what has been recorded

    def result(self) -> Result:
        """All that has been recorded, up to t. This is a copy, whose cost grows with the record."""
        return self._result(False)

    def take(self) -> Result:
        """The same, which the run forgets: the next record begins at t. A run without an end needs no more memory so."""
        return self._result(True)

    def _result(self, forgets: bool) -> Result:
        return Result(self._guarded(lambda: self._live.result(forgets)), model=self._model, how="driven by its caller")

    def _index(self, name: str) -> int:
        if name not in self._names:
            raise ValueError(f"there is no state {name!r}; there are {', '.join(self._names)}")
        return self._names.index(name)

    def _guarded(self, work: Callable[[], Any]) -> Any:
        try:
            return work()
        except KeyboardInterrupt:
            interrupted = Interrupted("the run was interrupted; it goes on when it is asked again")
            if self._live is not None:
                interrupted.result = self._result(False)
            raise interrupted from None

    def __repr__(self) -> str:
        return f"<slideway live run of {self._model.name!r} at t = {self.t:.10g}, {self.outcome.status}>"
