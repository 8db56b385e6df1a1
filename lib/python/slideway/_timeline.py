"""Functions of the time alone that are straight between known times: a·t + b on each piece of the run.

A remainder, a rounded time, an index made of the time and what is compared with them are of this kind. They become signals, whose knots
are time events, however many there are.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

MOST_PIECES = 1_000_000
OPERATIONS = frozenset(("const", "time", "neg", "+", "-", "*", "/", "sgn", "abs", "min", "max", "if", "floor", "signal"))


class Line(NamedTuple):
    """``slope``·t + ``offset``, arrays of one number for each piece between two of ``bounds``."""

    bounds: np.ndarray
    slope: np.ndarray
    offset: np.ndarray

    @property
    def middles(self) -> np.ndarray:
        return 0.5 * (self.bounds[1:] + self.bounds[:-1])

    def at_middles(self) -> np.ndarray:
        return self.slope * self.middles + self.offset

    @property
    def is_stepped(self) -> bool:
        return not self.slope.any()

    def __call__(self, times: Any) -> np.ndarray:
        k = np.clip(np.searchsorted(self.bounds, times, side="right") - 1, 0, self.slope.size - 1)
        return self.slope[k] * times + self.offset[k]

    def jumps(self) -> np.ndarray:
        """For each inner bound whether the function jumps there by more than rounding."""
        t = self.bounds[1:-1]
        before, after = self.slope[:-1] * t + self.offset[:-1], self.slope[1:] * t + self.offset[1:]
        size = np.abs(self.slope[:-1] * t) + np.abs(self.offset[:-1]) + np.abs(self.slope[1:] * t) + np.abs(self.offset[1:])
        return np.abs(after - before) > 16 * np.finfo(float).eps * size

    def merged(self) -> "Line":
        same = (self.slope[1:] == self.slope[:-1]) & (self.offset[1:] == self.offset[:-1])
        keep = np.concatenate(([True], ~same))
        return Line(np.concatenate((self.bounds[:-1][keep], self.bounds[-1:])), self.slope[keep], self.offset[keep])


class TooManyPieces(Exception):
    pass


def _refined(line: Line, bounds: np.ndarray) -> Line:
    k = np.clip(np.searchsorted(line.bounds, 0.5 * (bounds[1:] + bounds[:-1]), side="right") - 1, 0, line.slope.size - 1)
    return Line(bounds, line.slope[k], line.offset[k])


def _united(span: Tuple[float, float], parts: Sequence[np.ndarray]) -> np.ndarray:
    times = np.unique(np.concatenate(parts))
    if times.size > MOST_PIECES:
        raise TooManyPieces()
    # Times that differ by rounding are one.
    least = 4 * np.finfo(float).eps * max(abs(span[0]), abs(span[1]))
    inner = times[(times > span[0] + least) & (times < span[1] - least)]
    if inner.size:
        inner = inner[np.concatenate(([True], np.diff(inner) > least))]
    return np.concatenate(([span[0]], inner, [span[1]]))


def _zeros(line: Line) -> np.ndarray:
    with np.errstate(all="ignore"):
        t = -line.offset / line.slope
    return t[np.isfinite(t) & (t > line.bounds[:-1]) & (t < line.bounds[1:])]


def with_levels(line: Line, levels: np.ndarray, span: Tuple[float, float]) -> Line:
    """The same line with a bound wherever it comes to one of the ascending levels."""
    times = []
    low = np.minimum(line.slope * line.bounds[:-1], line.slope * line.bounds[1:]) + line.offset
    high = np.maximum(line.slope * line.bounds[:-1], line.slope * line.bounds[1:]) + line.offset
    first, last = np.searchsorted(levels, low, side="left"), np.searchsorted(levels, high, side="right")
    if np.sum(last - first, dtype=float) > MOST_PIECES:
        raise TooManyPieces()
    for k in np.nonzero((line.slope != 0) & (last > first))[0]:
        times.append((levels[first[k]:last[k]] - line.offset[k]) / line.slope[k])
    return _refined(line, _united(span, [line.bounds] + times)) if times else line


def zeros_cut(line: Line, span: Tuple[float, float]) -> Line:
    """The line with a bound wherever it is zero."""
    return _refined(line, _united(span, [line.bounds, _zeros(line)]))


def with_floors(line: Line, span: Tuple[float, float]) -> Line:
    """The line with a bound wherever it comes to a whole number."""
    ends = np.concatenate((line.slope * line.bounds[:-1] + line.offset, line.slope * line.bounds[1:] + line.offset))
    low, high = np.floor(ends.min()), np.ceil(ends.max())
    if not high - low <= MOST_PIECES:
        raise TooManyPieces()
    return with_levels(line, np.arange(low, high + 1), span)


class Timelines:
    """The lines of the nodes of a graph over the time of a run."""

    def __init__(self, span: Tuple[float, float], signals: List[Any]) -> None:
        self.span, self.signals = span, signals
        self.known: Dict[int, Optional[Line]] = {}

    def of(self, node: Any) -> Optional[Line]:
        """The line of a node that depends on the time alone; None where it has none, or too many pieces."""
        stack = [node]
        while stack:
            top = stack[-1]
            missing = [a for a in top.args if hasattr(a, "number") and a.number not in self.known]
            if missing:
                stack.extend(missing)
                continue
            stack.pop()
            if top.number not in self.known:
                try:
                    self.known[top.number] = self._made(top)
                except TooManyPieces:
                    self.known[top.number] = None
        return self.known[node.number]

    def _constant(self, value: float) -> Line:
        return Line(np.array(self.span, dtype=float), np.zeros(1), np.array([float(value)]))

    def _made(self, node: Any) -> Optional[Line]:
        op = node.op
        if op == "const":
            return self._constant(node.args[0])
        if op == "time":
            return Line(np.array(self.span, dtype=float), np.ones(1), np.zeros(1))
        if op == "signal":
            return self.signals[node.args[0]].line(self.span)
        if op not in OPERATIONS:
            return None
        parts = [self.known[a.number] for a in node.args]
        if any(part is None for part in parts):
            return None
        lines: List[Line] = [part for part in parts if part is not None]
        if op == "neg":
            return Line(lines[0].bounds, -lines[0].slope, -lines[0].offset)
        if op in ("sgn", "abs", "floor"):
            return self._of_one(op, lines[0])
        bounds = _united(self.span, [line.bounds for line in lines])
        lines = [_refined(line, bounds) for line in lines]
        if op in "+-":
            p, q = lines
            sign = 1.0 if op == "+" else -1.0
            return Line(bounds, p.slope + sign * q.slope, p.offset + sign * q.offset).merged()
        if op == "*":
            p, q = lines
            if np.any((p.slope != 0) & (q.slope != 0)):
                return None
            return Line(bounds, p.slope * q.offset + p.offset * q.slope, p.offset * q.offset).merged()
        if op == "/":
            p, q = lines
            if q.slope.any() or not q.offset.all():
                return None
            return Line(bounds, p.slope / q.offset, p.offset / q.offset).merged()
        return self._of_choice(op, lines, bounds)

    def _of_one(self, op: str, line: Line) -> Line:
        if op == "floor":
            line = with_floors(line, self.span)
            return Line(line.bounds, np.zeros_like(line.slope), np.floor(line.at_middles())).merged()
        line = zeros_cut(line, self.span)
        side = np.sign(line.at_middles())
        if op == "sgn":
            return Line(line.bounds, np.zeros_like(side), side).merged()
        return Line(line.bounds, line.slope * side, line.offset * side).merged()

    def _of_choice(self, op: str, lines: List[Line], bounds: np.ndarray) -> Line:
        if op == "if":
            guard, above, below = lines
        else:
            above, below = lines if op == "max" else lines[::-1]
            guard = Line(bounds, lines[0].slope - lines[1].slope, lines[0].offset - lines[1].offset)
        bounds = _united(self.span, [bounds, _zeros(guard)])
        guard, above, below = (_refined(line, bounds) for line in (guard, above, below))
        yes = guard.at_middles() > 0
        return Line(bounds, np.where(yes, above.slope, below.slope), np.where(yes, above.offset, below.offset)).merged()


def mapped(line: Line, function: Callable[[np.ndarray], np.ndarray]) -> Line:
    """The function of a line of steps."""
    return Line(line.bounds, np.zeros_like(line.slope), np.asarray(function(line.offset), dtype=float)).merged()
