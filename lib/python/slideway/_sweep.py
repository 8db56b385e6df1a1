"""Many runs in threads."""

from __future__ import annotations

import concurrent.futures
import itertools
import os
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from . import _core
from ._model import Interrupted
from ._progress import Bar
from ._result import Result


class Sweep:
    """The runs of a sweep.

    ``values`` holds an array per parameter, shape (runs,); ``final``, ``least`` and ``greatest`` have the shape (runs, n), where
    n counts the states and what is observed (``names``); ``directions`` says which runs of a sweep that follows went "up" and
    "down"; ``section`` is a list of arrays (crossings, n), one per run; ``outcomes`` and ``results`` are lists. What was not done
    because of an interruption is NaN or None.
    """

    def __init__(self, values: Dict[str, np.ndarray], shape: Sequence[int], state_names: List[str],
                 observed: Sequence[str] = (), directions: Sequence[str] = ()) -> None:
        count = int(np.prod(shape))
        n = len(state_names)
        self.values, self.shape, self.state_names = values, tuple(shape), state_names
        self.names, self.directions = [*state_names, *observed], list(directions)
        width = len(self.names)
        self.final = np.full((count, width), np.nan)
        self.least = np.full((count, width), np.nan)
        self.greatest = np.full((count, width), np.nan)
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
        if self.directions:
            columns["direction"] = self.directions
        for k, name in enumerate(self.names):
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


class Sampling(NamedTuple):
    """How the values of a sweep are drawn from ranges; not at all without a count."""

    random: Optional[int] = None
    latin: Optional[int] = None
    seed: int = 1
    log: Sequence[str] = ()

    @property
    def draws(self) -> bool:
        return self.random is not None or self.latin is not None

    def points(self, axes: Dict[str, np.ndarray]) -> List[Tuple[float, ...]]:
        if self.random is not None and self.latin is not None:
            raise ValueError("both random and latin are given; expected one of them")
        count = self.random if self.random is not None else self.latin
        if count is None or int(count) < 1:
            raise ValueError(f"the number of samples is {count!r}; expected at least 1")
        for name, ends in axes.items():
            if ends.size != 2 or ends[0] == ends[1]:
                raise ValueError(f"samples are drawn from a range, and {name} has {ends.size} values; expected {name}=(first, last)")
            if name in self.log and not ends[0] * ends[1] > 0:
                raise ValueError(f"{name} has no equal ratios between {ends[0]:g} and {ends[1]:g}; expected two of one sign, not 0")
        ranges = [(float(ends[0]), float(ends[1]), name in self.log) for name, ends in axes.items()]
        return list(zip(*_core.samples(ranges, int(count), int(self.seed), self.latin is not None)))


def _chains(axes: Dict[str, np.ndarray], count: int, follow: Optional[str]) -> List[List[int]]:
    """The runs that follow one another, along the first axis; those on the way down of "both" have numbers from count on."""
    if follow is None:
        return [[number] for number in range(count)]
    values = next(iter(axes.values()))
    others = count // values.size
    ascent = [int(k) for k in np.argsort(values, kind="stable")]
    up = [] if follow == "down" else ascent
    down = [] if follow == "up" else ascent[::-1]
    first = count if follow == "both" else 0
    return [[k * others + chain for k in up] + [first + k * others + chain for k in down] for chain in range(others)]


def _observed_names(model: Any, values: Dict[str, float], options: Dict[str, Any], observe: Sequence[str]) -> List[str]:
    """By a run of no length: "F" is F1, F2, … where it is a vector."""
    run = model._make_run(settings=values, options=options, t_end=model.instance(**values).start)
    if run.error is not None:
        raise run.error
    return list(Result(run, model=model, recipe=None, observe=observe).observed)


def sweep(model: Any, given: Dict[str, Any], *, jobs: Optional[int], progress: Optional[bool], section: Optional[str],
          direction: str, transient: float, keep: Any, t_end: Optional[float], settings: Optional[Mapping[str, float]],
          observe: Sequence[str] = (), follow: Optional[str] = None, sampling: Sampling = Sampling()) -> Sweep:
    if direction not in ("rising", "falling", "any"):
        raise ValueError(f"direction is {direction!r}; expected rising, falling or any")
    if follow not in (None, "up", "down", "both"):
        raise ValueError(f"follow is {follow!r}; expected up, down or both")
    if follow and sampling.draws:
        raise ValueError("samples have no neighbours to follow; give follow, or one of random and latin")
    known = set(model.parameters) | set(model.state_names)
    axes = {k: np.atleast_1d(np.asarray(v, dtype=float)) for k, v in given.items()
            if np.ndim(v) > 0 and (k in known or k != "atol")}
    if not axes:
        raise ValueError("nothing to vary; give a parameter as an array, such as mu=np.linspace(0, 1, 11)")
    for name in sampling.log:
        if name not in axes or not sampling.draws:
            raise ValueError(f"log names {name!r}, of which nothing is drawn; expected it as a range, beside random or latin")
    rest = {k: v for k, v in given.items() if k not in axes}
    options, fixed = model._split(rest, settings)
    grid = sampling.points(axes) if sampling.draws else list(itertools.product(*axes.values()))
    count = len(grid)
    chains = _chains(axes, count, follow)
    shape = [count] if sampling.draws else [a.size for a in axes.values()]
    directions: List[str] = [] if follow is None else [follow] * count
    if follow == "both":
        grid, shape, directions = grid * 2, [2, *shape], ["up"] * count + ["down"] * count
    observed = _observed_names(model, dict(fixed, **dict(zip(axes, grid[0]))), options, observe) if observe else []
    made = Sweep({name: np.array([point[k] for point in grid]) for k, name in enumerate(axes)}, shape, model.state_names,
                 observed, directions)
    cancellation = _core.Cancellation()

    def run_one(number: int, before: Optional[Result]) -> Optional[Result]:
        values = dict(fixed, **dict(zip(axes, grid[number])))
        recipe: Dict[str, Any] = dict(settings=values, options=options, t_end=t_end)
        if before is not None:
            problem = model.instance(**values)
            length = (problem.end if t_end is None else float(t_end)) - problem.start
            last = before.final
            recipe.update(start=last.t, t_end=last.t + length, state=last.state, location=last.location)
        run = model._make_run(cancellation=cancellation, **recipe)
        if run.error is not None:
            raise run.error
        if run.cancelled:
            return None
        result = Result(run, model=model, recipe=recipe, observe=observe)
        _take(made, number, result, run, section, direction, transient)
        if callable(keep):
            made.results[number] = keep(result)
        elif keep:
            made.results[number] = result
        made.outcomes[number] = result.outcome  # the last of all, as a run with an outcome counts as made
        return result

    def work(chain: int) -> None:
        before: Optional[Result] = None
        for number in chains[chain]:
            result = run_one(number, before)
            if result is None:
                return
            before = result if follow and result.outcome.status in ("reached_end", "stopped_by_event") else None

    def interrupted() -> Interrupted:
        done = sum(outcome is not None for outcome in made.outcomes)
        made_so_far = Interrupted(f"the sweep was interrupted after {done} of {len(made)} runs; `result` of this exception holds what was done")
        made_so_far.result = made
        return made_so_far

    try:
        work(0)  # what is wrong in every run is told before the threads begin
    except KeyboardInterrupt:
        raise interrupted() from None
    bar = Bar(len(chains), progress, "run")
    stopped = False
    with concurrent.futures.ThreadPoolExecutor(max_workers=jobs or os.cpu_count() or 1) as pool:
        futures: List[Any] = []
        try:
            for number in range(1, len(chains)):
                futures.append(pool.submit(work, number))
            pending = set(futures)
            while pending:
                done, pending = concurrent.futures.wait(pending, timeout=0.05)
                bar.show(len(chains) - len(pending))
        except KeyboardInterrupt:
            stopped = True
            cancellation.request()
            for future in futures:
                future.cancel()
        finally:
            bar.close()
    if stopped:  # the threads have ended here, so that no run is added to those that the message counts
        raise interrupted()
    for future in futures:
        future.result()
    return made


def _take(made: Sweep, number: int, result: Result, run: Any, section: Optional[str], direction: str, transient: float) -> None:
    quantities = np.vstack([result.y, *(np.reshape(result.observed[name], (1, -1)) for name in made.names[result.y.shape[0]:])])
    made.final[number] = quantities[:, -1]
    made.final[number, :result.y.shape[0]] = result.final.state
    made.event_counts[number] = len(result.events)
    begin = result.initial.t + transient
    late = quantities[:, result.t >= begin]
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
