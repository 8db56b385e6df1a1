"""Whether expressions have the values of the function that they were made from."""

from __future__ import annotations

from typing import Any, Callable, Dict, Iterable, List, Mapping, NamedTuple, Optional, Sequence, Set, Tuple

import numpy as np

from ._expressions import Expr, Graph, in_order
from ._roots import values_of

_ONE: Dict[str, Any] = {"neg": np.negative, "sgn": np.sign, "abs": np.abs, "floor": np.floor, "sin": np.sin, "cos": np.cos, "tan": np.tan,
                        "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh,
                        "exp": np.exp, "log": np.log, "sqrt": np.sqrt}
_TWO: Dict[str, Any] = {"+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide, "^": np.power, "min": np.minimum,
                        "max": np.maximum, "atan2": np.arctan2}
MOST_GUARDS = 400


class Evaluator:
    """Expressions as numpy evaluates them, at many points at once."""

    def __init__(self, graph: Graph, names: Sequence[str], roots: Sequence[Expr], others: Iterable[Expr] = (),
                 parameters: Optional[Mapping[str, float]] = None) -> None:
        self.parameters = dict(parameters or {})
        self.graph, self.names = graph, {name: k for k, name in enumerate(names)}
        self.roots = list(roots)
        self.order = in_order(self.roots + list(others))
        found: Dict[int, Expr] = {}
        for node in self.order:
            for guard in guards_of(node):
                if not guard.is_constant:
                    found.setdefault(guard.number, guard)
        for guard in others:
            found.setdefault(guard.number, guard)
        self.guards = list(found.values())
        known = {node.number for node in self.order}
        missing = [guard for guard in self.guards if guard.number not in known]
        if missing:
            self.order = in_order(self.roots + list(others) + missing)

    def __call__(self, t: np.ndarray, y: np.ndarray) -> Dict[int, np.ndarray]:
        """The values of all nodes by number: t has the shape (points,), y (n, points)."""
        values: Dict[Any, Any] = {}
        ones = np.ones(t.shape)
        with np.errstate(all="ignore"):
            for node in self.order:
                op = node.op
                if op in _TWO:
                    values[node.number] = _TWO[op](values[node.args[0].number], values[node.args[1].number])
                elif op == "const":
                    values[node.number] = node.args[0] * ones
                else:
                    values[node.number] = self._value(node, values, t, y)
        return values

    def _value(self, node: Expr, values: Dict[Any, Any], t: np.ndarray, y: np.ndarray) -> Any:
        op = node.op
        if op == "time":
            return t
        if op == "name" and node.args[0] in self.graph.solutions and node.args[0] not in self.names:
            return self._root(node.args[0], values, t, y)
        if op == "name":
            k = self.names.get(node.args[0])
            return np.full(t.shape, self.parameters.get(node.args[0], np.nan)) if k is None else y[k]
        if op == "signal":
            return self.graph.signals[node.args[0]](t)
        if op == "table":
            return self.graph.tables[node.args[0]](values[node.args[1].number])
        parts = [values[a.number] for a in node.args]
        if op == "hysteresis":
            # Between its levels it is what it was, which nobody knows here.
            return np.where(parts[0] > parts[2], 1.0, np.where(parts[0] < parts[1], -1.0, np.nan))
        if op == "if":
            parts[1], parts[2] = (np.where(np.isnan(parts[0]), np.nan, part) for part in parts[1:])
            return np.where(parts[0] > 0, parts[1], parts[2])
        if op in _ONE:
            return _ONE[op](parts[0])
        return np.full(t.shape, np.nan)


    def _root(self, name: str, values: Dict[Any, Any], t: np.ndarray, y: np.ndarray) -> np.ndarray:
        """A variable that an equation determines, found as the function itself finds it."""
        solution, place = self.graph.solutions[name]
        key = solution.names
        if key not in values:
            begin = Evaluator(self.graph, list(self.names), solution.begin, (), self.parameters)
            residuals = Evaluator(self.graph, [*self.names, *solution.names], solution.residuals, (), self.parameters)

            def at(k: int, z: np.ndarray) -> np.ndarray:
                found = residuals(t[k:k + 1], np.append(y[:, k], z)[:, None])
                return np.array([found[r.number][0] for r in solution.residuals])

            values[key] = values_of(solution, begin(t, y), at)
        return np.asarray(values[key][place])


def guards_of(node: Expr) -> List[Expr]:
    """At whose zeros a node jumps or bends."""
    if node.op in ("if", "sgn", "abs"):
        return [node.args[0]]
    if node.op in ("min", "max"):
        from ._expressions import _sub

        return [_sub(node.args[0], node.args[1])]
    return []


class Difference(NamedTuple):
    """Where an expression has another value than the function."""

    t: float
    y: np.ndarray
    component: int
    expected: float
    got: float


Call = Callable[[float, np.ndarray], Any]


def compare(evaluator: Evaluator, call: Call, t: np.ndarray, y: np.ndarray) -> Tuple[Optional[Difference], List[Tuple[int, Exception]]]:
    """The first point at which a function has other values, beside those on surfaces; and the points at which it raises."""
    with np.errstate(all="ignore"):
        return _compared(evaluator, call, t, y)


def _compared(evaluator: Evaluator, call: Call, t: np.ndarray, y: np.ndarray) -> Tuple[Optional[Difference], List[Tuple[int, Exception]]]:
    values = evaluator(t, y)
    got = np.array([values[root.number] for root in evaluator.roots])
    beside = np.ones(t.size, dtype=bool)
    for guard in evaluator.guards:
        h = values[guard.number]
        beside &= ~(np.abs(h) <= 1e-9 * _size(guard, values))
    for node in evaluator.order:
        if node.op == "hysteresis":
            beside &= np.isfinite(values[node.number])
    raised: List[Tuple[int, Exception]] = []
    for k in np.nonzero(beside)[0]:
        try:
            expected = np.asarray(call(float(t[k]), np.array(y[:, k])), dtype=float).ravel()
        except Exception as error:
            raised.append((int(k), error))
            continue
        if expected.size != got.shape[0]:
            continue
        here = got[:, k]
        is_number = np.isfinite(expected)
        scale = np.abs(expected) + 1e-6 * np.max(np.abs(expected[is_number]), initial=0.0) + 1e-300
        wrong = is_number & ~(np.abs(here - expected) <= 1e-8 * scale)
        if wrong.any() and _is_touchy(evaluator, t[k], y[:, k], here, expected):
            continue
        if wrong.any():
            i = int(np.argmax(wrong))
            return Difference(float(t[k]), np.array(y[:, k]), i, float(expected[i]), float(here[i])), raised
    return None, raised


def _is_touchy(evaluator: Evaluator, t: float, y: np.ndarray, got: np.ndarray, expected: np.ndarray) -> bool:
    """Whether rounding errors of t and y explain the difference."""
    eps = 64 * np.finfo(float).eps
    n = y.size
    count = min(n, 40) + 1
    times = np.full(2 * count, t)
    states = np.repeat(y[:, None], 2 * count, axis=1)
    for k in range(count):
        for side in (0, 1):
            sign = 1 if side else -1
            if k < count - 1:
                states[k, 2 * k + side] += sign * eps * (abs(y[k]) + 1e-300)
            else:
                times[2 * k + side] += sign * eps * abs(t)
    values = evaluator(times, states)
    around = np.array([values[root.number] for root in evaluator.roots])
    with np.errstate(all="ignore"):
        spread = np.max(np.abs(around - got[:, None]), axis=1)
        return bool(np.all((np.abs(got - expected) <= 4 * spread + 1e-8 * np.abs(expected)) | ~np.isfinite(expected)))


def _size(guard: Expr, values: Dict[int, np.ndarray]) -> Any:
    """What rounding errors of a guard are compared with."""
    if guard.op in "+-":
        return np.abs(values[guard.args[0].number]) + np.abs(values[guard.args[1].number])
    return np.abs(values[guard.number]) * 0 + 1e-3 * np.minimum(np.abs(values[guard.number]), 1.0)


def points_around(evaluator: Evaluator, start: float, end: float, state: np.ndarray, count: int = 12) -> Tuple[np.ndarray, np.ndarray]:
    """Points over the run and around the state, and points on both sides of every guard."""
    rng = np.random.default_rng(1)
    n = state.size
    spread = np.concatenate((np.full(count // 2, 0.05), np.full(count - count // 2, 1.0)))
    t = start + (end - start) * np.concatenate(([0.003], rng.uniform(0, 1, count - 1)))
    y = state[:, None] + (np.abs(state)[:, None] * spread + np.where(spread > 0.5, 0.5, 1e-3)) * rng.uniform(-1, 1, (n, count))
    guards = evaluator.guards
    if not guards:
        return t, y
    values = evaluator(t, y)
    # Points far around cost little, and are on most of the sides where none of the first is.
    far_t = start + (end - start) * rng.uniform(0, 1, 4 * count)
    far_y = state[:, None] + 3 * (np.abs(state)[:, None] + 1) * rng.uniform(-1, 1, (n, 4 * count))
    far = evaluator(far_t, far_y)
    chosen: Set[int] = set()
    extra: List[Tuple[float, np.ndarray]] = []
    wanted: List[Tuple[Expr, bool]] = []
    for guard in guards[:MOST_GUARDS]:
        h, others = values[guard.number], far[guard.number]
        with np.errstate(invalid="ignore"):
            above, below = (h > 0).any(), (h < 0).any()
            there = np.flatnonzero(others < 0 if above else others > 0)
        if above and below or chosen.intersection(there):
            continue
        if there.size:
            k = int(there[0])
            chosen.add(k)
            extra.append((float(far_t[k]), far_y[:, k]))
        else:
            wanted.append((guard, bool(above)))
    extra += _other_sides(evaluator, wanted, start, end, state, rng)
    if not extra:
        return t, y
    return np.concatenate((t, [place for place, _ in extra])), np.concatenate((y, np.array([state for _, state in extra]).T), axis=1)


_MOST_POINTS = 1000  # at once


def _other_sides(evaluator: Evaluator, wanted: Sequence[Tuple[Expr, bool]], start: float, end: float, state: np.ndarray,
                 rng: Any) -> List[Tuple[float, np.ndarray]]:
    """A point on the side of each guard where none of the others is; `wanted` tells whether those are above."""
    found: List[Tuple[float, np.ndarray]] = []
    moving: List[Tuple[Expr, bool]] = []
    for guard, above in wanted:
        line = evaluator.graph.line(guard)
        if line is None:
            moving.append((guard, above))
            continue
        places = np.nonzero((line.at_middles() > 0) != above)[0]
        if places.size:
            found.append((float(line.middles[places[0]]), state.copy()))
    size = max(1, _MOST_POINTS // (state.size + 1))
    for k in range(0, len(moving), size):
        found += _beyond(evaluator, moving[k:k + size], start + (end - start) * 0.4, state, rng)
    return found


def _beyond(evaluator: Evaluator, wanted: Sequence[Tuple[Expr, bool]], t: float, state: np.ndarray, rng: Any) -> List[Tuple[float, np.ndarray]]:
    """The same by steps along the gradients of all these guards together, to a little beyond their zeros."""
    alone = Evaluator(evaluator.graph, list(evaluator.names), [guard for guard, _ in wanted])
    n = state.size
    found: List[Tuple[float, np.ndarray]] = []
    moving = [(guard, above, state + 1e-3 * rng.uniform(-1, 1, n)) for guard, above in wanted]
    for _ in range(6):
        if not moving:
            break
        y = np.array([place for _, _, place in moving]).T
        steps = 1e-6 * (1 + np.abs(y))
        states = np.repeat(y[:, None, :], n + 1, axis=1)
        states[np.arange(n), np.arange(1, n + 1)] += steps
        values = alone(np.full((n + 1) * len(moving), t), states.reshape(n, -1))
        left = []
        for k, (guard, above, place) in enumerate(moving):
            h = values[guard.number].reshape(n + 1, -1)[:, k]
            if not np.isfinite(h).all():
                continue
            if h[0] != 0 and (h[0] > 0) != above:
                found.append((t, place))
                continue
            slope = (h[1:] - h[0]) / steps[:, k]
            length = float(slope @ slope)
            if length >= 1e-30:
                left.append((guard, above, place - slope * (h[0] + (1e-3 if above else -1e-3) * (1 + abs(h[0]))) / length))
        moving = left
    return found
