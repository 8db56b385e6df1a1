"""Many runs in threads."""

from __future__ import annotations

import concurrent.futures
import itertools
import os
import sys
import time
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence

import numpy as np

from . import _core
from ._model import Interrupted
from ._result import Result


class Sweep:
    """The runs of a sweep.

    ``values`` holds an array per parameter, shape (runs,); ``final``, ``least`` and ``greatest`` have the shape (runs, n);
    ``section`` is a list of arrays (crossings, n), one per run; ``outcomes`` and ``results`` are lists. What was not done
    because of an interruption is NaN or None.
    """

    def __init__(self, values: Dict[str, np.ndarray], shape: Sequence[int], state_names: List[str]) -> None:
        count = int(np.prod(shape))
        n = len(state_names)
        self.values, self.shape, self.state_names = values, tuple(shape), state_names
        self.final = np.full((count, n), np.nan)
        self.least = np.full((count, n), np.nan)
        self.greatest = np.full((count, n), np.nan)
        self.section: List[np.ndarray] = [np.empty((0, n)) for _ in range(count)]
        self.outcomes: List[Any] = [None] * count
        self.event_counts = np.zeros(count, dtype=int)
        self.results: List[Any] = [None] * count

    def __len__(self) -> int:
        return len(self.outcomes)

    def __repr__(self) -> str:
        done = sum(o is not None for o in self.outcomes)
        failed = sum(o is not None and o.status not in ("reached_end", "stopped_by_event") for o in self.outcomes)
        return f"<sweep over {', '.join(self.values)}: {done} of {len(self)} runs, {failed} stopped early>"

    def to_dataframe(self) -> Any:
        """A pandas DataFrame with a row per run."""
        import pandas

        columns: Dict[str, Any] = dict(self.values)
        for k, name in enumerate(self.state_names):
            columns[name] = self.final[:, k]
            columns[name + "_least"] = self.least[:, k]
            columns[name + "_greatest"] = self.greatest[:, k]
        columns["status"] = [None if o is None else o.status for o in self.outcomes]
        columns["events"] = self.event_counts
        return pandas.DataFrame(columns)

    def plot(self, state: Optional[str] = None, axes: Any = None) -> Any:
        """The points of the section, or least and greatest value, of a state over the parameter; needs matplotlib."""
        from ._plot import plot_sweep

        return plot_sweep(self, state, axes)


def sweep(model: Any, given: Dict[str, Any], *, jobs: Optional[int], progress: Optional[bool], section: Optional[str],
          direction: str, transient: float, keep: Any, t_end: Optional[float],
          settings: Optional[Mapping[str, float]]) -> Sweep:
    if direction not in ("rising", "falling", "any"):
        raise ValueError(f"direction is {direction!r}; expected rising, falling or any")
    known = set(model.parameters) | set(model.state_names)
    axes = {k: np.atleast_1d(np.asarray(v, dtype=float)) for k, v in given.items()
            if np.ndim(v) > 0 and (k in known or k != "atol")}
    if not axes:
        raise ValueError("nothing to vary; give a parameter as an array, such as mu=np.linspace(0, 1, 11)")
    rest = {k: v for k, v in given.items() if k not in axes}
    options, fixed = model._split(rest, settings)
    shape = [a.size for a in axes.values()]
    grid = list(itertools.product(*axes.values()))
    made = Sweep({name: np.array([point[k] for point in grid]) for k, name in enumerate(axes)}, shape, model.state_names)
    cancellation = _core.Cancellation()

    def work(number: int) -> None:
        values = dict(fixed, **dict(zip(axes, grid[number])))
        run = model._make_run(settings=values, options=options, t_end=t_end, cancellation=cancellation)
        if run.error is not None:
            raise run.error
        if run.cancelled:
            return
        result = Result(run, model=model, recipe=dict(settings=values, options=options, t_end=t_end))
        _take(made, number, result, run, section, direction, transient)
        if callable(keep):
            made.results[number] = keep(result)
        elif keep:
            made.results[number] = result

    def interrupted() -> Interrupted:
        made_so_far = Interrupted("the sweep was interrupted; `result` of this exception holds what was done")
        made_so_far.result = made
        return made_so_far

    try:
        work(0)  # what is wrong in every run is told before the threads begin
    except KeyboardInterrupt:
        raise interrupted() from None
    bar = _Bar(len(grid), progress)
    with concurrent.futures.ThreadPoolExecutor(max_workers=jobs or os.cpu_count() or 1) as pool:
        futures = [pool.submit(work, number) for number in range(1, len(grid))]
        pending = set(futures)
        try:
            while pending:
                done, pending = concurrent.futures.wait(pending, timeout=0.05)
                bar.show(len(grid) - len(pending))
        except KeyboardInterrupt:
            cancellation.request()
            for future in futures:
                future.cancel()
            raise interrupted() from None
        finally:
            bar.close()
    for future in futures:
        future.result()
    return made


def _take(made: Sweep, number: int, result: Result, run: Any, section: Optional[str], direction: str, transient: float) -> None:
    made.outcomes[number] = result.outcome
    made.final[number] = result.final.state
    made.event_counts[number] = len(result.events)
    begin = result.initial.t + transient
    late = result.y[:, result.t >= begin]
    if late.shape[1]:
        made.least[number], made.greatest[number] = late.min(axis=1), late.max(axis=1)
    if section is None:
        return
    known = set(result.surface_names) | set(n for n in run.problem.event_names if n)
    if section not in known:
        raise ValueError(f"the model has no surface or event {section!r}; it has {', '.join(sorted(known))}")
    kept = []
    for event in result.events:
        if event.t < begin or not _counts(event, section, direction, result.surface_names):
            continue
        state = event.before if event.before is not None else run.states_at(np.array([event.t]), True)[:, 0]
        kept.append(state)
    if kept:
        made.section[number] = np.array(kept)


def _counts(event: Any, section: str, direction: str, surfaces: List[str]) -> bool:
    if event.name == section:
        return True
    if section not in event.surfaces or event.from_ is None or event.to is None:
        return False
    if direction == "any":
        return True
    if section not in surfaces:  # a contact
        return bool(event.kind == "impact")
    index = surfaces.index(section)
    if len(event.from_) <= index or len(event.to) <= index:
        return False
    order = "-0+"
    change = order.index(event.to[index]) - order.index(event.from_[index])
    return change > 0 if direction == "rising" else change < 0


class _Bar:
    """A bar of tqdm for what takes longer than two seconds."""

    def __init__(self, total: int, wanted: Optional[bool]) -> None:
        self._total, self._wanted, self._began = total, wanted, time.monotonic()
        self._bar: Any = None

    def show(self, done: int) -> None:
        if self._bar is None:
            if self._wanted is False or (self._wanted is None and time.monotonic() - self._began < 2):
                return
            if self._wanted is None and not sys.stderr.isatty() and "ipykernel" not in sys.modules:
                self._wanted = False
                return
            try:
                from tqdm.auto import tqdm
            except ImportError:
                self._wanted = False
                return
            self._bar = tqdm(total=self._total, unit="run")
        self._bar.update(done - self._bar.n)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
