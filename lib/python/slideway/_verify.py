"""Whether expressions have the values of the function that they were made from."""

from __future__ import annotations

from typing import Any, Callable, Dict, Iterable, List, Mapping, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from ._expressions import Expr, Graph

_ONE: Dict[str, Any] = {"neg": np.negative, "sgn": np.sign, "abs": np.abs, "floor": np.floor, "sin": np.sin, "cos": np.cos, "tan": np.tan,
                        "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh,
                        "exp": np.exp, "log": np.log, "sqrt": np.sqrt}
_TWO: Dict[str, Any] = {"+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide, "^": np.power, "min": np.minimum,
                        "max": np.maximum, "atan2": np.arctan2}
MOST_GUARDS = 400


def in_order(roots: Sequence[Expr]) -> List[Expr]:
    """What the roots are made of, operands first."""
    reached: Dict[int, Expr] = {}
    stack = list(roots)
    while stack:
        node = stack.pop()
        if node.number not in reached:
            reached[node.number] = node
            stack.extend(a for a in node.args if isinstance(a, Expr))
    return [reached[k] for k in sorted(reached)]


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
        values: Dict[int, Any] = {}
        with np.errstate(all="ignore"):
            for node in self.order:
                values[node.number] = self._value(node, values, t, y)
        return values

    def _value(self, node: Expr, values: Dict[int, Any], t: np.ndarray, y: np.ndarray) -> Any:
        op = node.op
        if op == "const":
            return np.full(t.shape, float(node.args[0]))
        if op == "time":
            return t
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
        if op in _TWO:
            return _TWO[op](parts[0], parts[1])
        return np.full(t.shape, np.nan)


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
    extra_t: List[float] = []
    extra_y: List[np.ndarray] = []
    for guard in guards[:MOST_GUARDS]:
        h = values[guard.number]
        with np.errstate(invalid="ignore"):
            above, below = (h > 0).any(), (h < 0).any()
        if above and below:
            continue
        found = _other_side(evaluator, guard, start, end, state, rng, above)
        if found is not None:
            extra_t.append(found[0])
            extra_y.append(found[1])
    if not extra_t:
        return t, y
    return np.concatenate((t, extra_t)), np.concatenate((y, np.array(extra_y).T), axis=1)


def _other_side(evaluator: Evaluator, guard: Expr, start: float, end: float, state: np.ndarray, rng: Any,
                above: bool) -> Optional[Tuple[float, np.ndarray]]:
    """A point on the side of a guard where none of the others is: along its gradient, a little beyond its zero."""
    graph = evaluator.graph
    line = graph.line(guard)
    if line is not None:
        wanted = np.nonzero((line.at_middles() > 0) != above)[0]
        return None if not wanted.size else (float(line.middles[wanted[0]]), state.copy())
    alone = Evaluator(graph, list(evaluator.names), [guard])
    n = state.size
    t, y = start + (end - start) * 0.4, state + 1e-3 * rng.uniform(-1, 1, n)
    for _ in range(6):
        steps = 1e-6 * (1 + np.abs(y))
        states = np.repeat(y[:, None], n + 2, axis=1)
        states[np.arange(n), np.arange(1, n + 1)] += steps
        times = np.full(n + 2, t)
        times[n + 1] += 1e-6 * (1 + abs(t))
        h = alone(times, states)[guard.number]
        if not np.isfinite(h).all():
            return None
        if h[0] != 0 and (h[0] > 0) != above:
            return t, y
        slope = (h[1:n + 1] - h[0]) / steps
        length = float(slope @ slope)
        if length < 1e-30:
            return None
        y = y - slope * (h[0] + (1e-3 if above else -1e-3) * (1 + abs(h[0]))) / length
    return None
