"""Masks that depend on the time: ``u[times <= t][-1]``, ``np.where(times > t)[0]``."""

from __future__ import annotations

from typing import Any, Callable, List, Optional, Tuple

import numpy as np

from ._expressions import Cond, Expr, Graph, _need, ended
from ._timeline import Line


class OutsideError(IndexError):
    """What an index outside of its array raises, as it does with numbers."""


def is_mask(key: Any) -> bool:
    """Whether a key is an array of conditions, at least one of which is not known."""
    if not isinstance(key, np.ndarray) or key.dtype != object or key.size == 0:
        return False
    items = list(key.ravel())
    return any(isinstance(c, Cond) for c in items) and all(isinstance(c, (Cond, bool, np.bool_)) for c in items)


class _Truths:
    """Which of many conditions hold between two known times and the next."""

    def __init__(self, conditions: np.ndarray) -> None:
        items = list(conditions.ravel())
        self.graph: Graph = next(c.graph for c in items if isinstance(c, Cond))
        lines: List[Line] = []
        for condition in items:
            line = self.graph.line(_need(self.graph, condition))
            if line is None:
                raise ended("a mask that depends on y; np.where chooses between values")
            lines.append(line)
        self.bounds = np.unique(np.concatenate([line.bounds for line in lines]))
        middles = 0.5 * (self.bounds[1:] + self.bounds[:-1])
        self.table = np.array([line(middles) > 0.5 for line in lines]).T  # (pieces, conditions)

    def over_time(self, values: np.ndarray) -> Expr:
        return self.graph.over_time(Line(self.bounds, np.zeros(values.size), np.asarray(values, dtype=float)))

    def demand(self, holds: np.ndarray, message: str) -> None:
        """Raises on the ways on which something does not hold."""
        if holds.all():
            return
        if not holds.any() or not bool(self.over_time(holds.astype(float)) > 0.5):
            raise OutsideError(message)


class Chosen:
    """The values at which a mask is true, of which one is asked for by its place."""

    def __init__(self, values: Any, mask: Any) -> None:
        self._values = np.asarray(values, dtype=float)
        if self._values.shape != np.shape(mask):
            raise ended("a mask of another shape than its array")
        self._mask, self._made = mask, None  # type: Any, Optional[_Truths]

    def _truths(self) -> _Truths:
        if self._made is None:
            self._made = _Truths(np.asarray(self._mask, dtype=object).view(np.ndarray))
        return self._made

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice) or not isinstance(key, (int, np.integer)):
            raise ended("several values of a mask that depends on t")
        truths = self._truths()
        ranks = np.cumsum(truths.table, axis=1)
        count = ranks[:, -1]
        wanted = key + 1 if key >= 0 else count + key + 1
        is_there = (wanted >= 1) & (wanted <= count)
        truths.demand(is_there, f"index {key} is out of bounds")
        places = np.argmax(ranks == np.reshape(wanted, (-1, 1)) if key < 0 else ranks == wanted, axis=1)
        return truths.over_time(np.where(is_there, self._values[places], 0.0))

    def __iter__(self) -> Any:
        raise ended("a loop over the values of a mask that depends on t")

    @property
    def size(self) -> Expr:
        truths = self._truths()
        return truths.over_time(truths.table.sum(axis=1))

    @property
    def iloc(self) -> "Chosen":
        return self

    values = iloc

    def to_numpy(self, *_: Any, **__: Any) -> "Chosen":
        return self

    def sum(self, *_: Any, **__: Any) -> Expr:
        truths = self._truths()
        return truths.over_time(truths.table @ self._values)

    def mean(self, *_: Any, **__: Any) -> Expr:
        return self.sum() / self.size

    def _extremum(self, of: Callable[..., Any], none: float) -> Expr:
        truths = self._truths()
        truths.demand(truths.table.any(axis=1), "an extremum of no values")
        return truths.over_time(of(np.where(truths.table, self._values, none), axis=1))

    def max(self, *_: Any, **__: Any) -> Expr:
        return self._extremum(np.max, -np.inf)

    def min(self, *_: Any, **__: Any) -> Expr:
        return self._extremum(np.min, np.inf)

    def __array_function__(self, function: Any, types_: Any, args: Any, kwargs: Any) -> Any:
        own = {"sum": self.sum, "mean": self.mean, "amax": self.max, "max": self.max, "amin": self.min, "min": self.min}.get(function.__name__)
        if own is None or len(args) > 1 or kwargs:
            raise ended(f"np.{function.__name__} of values of a mask that depends on t")
        return own()

    def __array_ufunc__(self, ufunc: Any, *_: Any, **__: Any) -> Any:
        raise ended(f"np.{ufunc.__name__} of the values of a mask that depends on t")


def indices_of(mask: np.ndarray) -> Tuple[Chosen, ...]:
    """What np.where gives of a mask alone."""
    if mask.ndim != 1:
        raise ended("the indices of a mask of several dimensions")
    return (Chosen(np.arange(mask.size), mask),)


def first_true(mask: np.ndarray) -> Optional[Expr]:
    """The index of the first true condition, else 0; None where the conditions depend on y."""
    items = list(mask.ravel())
    graph = next(c.graph for c in items if isinstance(c, Cond))
    if any(graph.line(_need(graph, c)) is None for c in items):
        return None
    truths = _Truths(mask)
    return truths.over_time(np.argmax(truths.table, axis=1))


def length(value: Any) -> Any:
    """What len() gives."""
    return value.size if isinstance(value, Chosen) else len(value)
