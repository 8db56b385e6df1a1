"""Events whose functions jump: a function that is 1.0 if y > 0.5 else −1.0, a comparison, or zero over an interval, is a condition."""

from __future__ import annotations

from typing import Any, Callable, List

import numpy as np

from ._expressions import Cond, Expr, Untraceable, _and, _compared, _condition_on, _not, _or, _pieces


def condition_of(guard: Expr) -> Any:
    """The condition that a guard is positive, where it jumps or is constant over an interval; else the guard."""
    if not guard.kinked and not guard.stepped:
        return guard
    if guard.stepped or guard.number in guard.graph.diagrams:
        raise Untraceable("an event that jumps without a branch")
    tree = _pieces(guard, [200])
    if tree is None:
        if guard.jumps:
            raise Untraceable("an event with too many branches")
        return guard
    if not _has_step(tree):
        return guard
    found = _positive(tree, lambda value: value > 0)
    # What is never positive, min(g, 0), is zero where g is.
    return _positive(tree, lambda value: value >= 0) if found is False else found


def _positive(tree: Any, test: Callable[[float], bool]) -> Any:
    if not isinstance(tree, tuple):
        return _condition_on(tree, test, "positive")
    guard, above, below = tree
    # The guard itself, and its negative, have known signs on its sides.
    sides = []
    for part, sign in ((above, True), (below, False)):
        if part is guard:
            sides.append(sign)
        elif isinstance(part, Expr) and part.op == "neg" and part.args[0] is guard:
            sides.append(not sign)
        else:
            sides.append(_positive(part, test))
    side = _compared(guard, lambda value: value > 0, "positive")
    return _or(_and(side, sides[0]), _and(_not(side), sides[1]))


def _has_step(tree: Any) -> bool:
    if isinstance(tree, tuple):
        return _has_step(tree[1]) or _has_step(tree[2])
    return bool(tree.is_constant)


def roots_of(condition: Any) -> List[Expr]:
    """What is compared with zero in a condition, or a guard itself."""
    if isinstance(condition, Expr):
        return [condition]
    return [root for part in condition.parts for root in roots_of(part)]


def value_of(condition: Any, values: Any) -> float:
    """A number that is positive where a condition holds, and that changes its sign continuously."""
    if isinstance(condition, Expr):
        return float(values[condition.number][0])
    if condition.kind == "not":
        return -value_of(condition.parts[0], values)
    parts = [value_of(part, values) for part in condition.parts]
    if condition.kind in ("and", "or"):
        return min(parts) if condition.kind == "and" else max(parts)
    return parts[0]


def is_stepped(function: Callable[[float, Any], Any], points: Any) -> bool:
    """Whether an event function was seen to jump or to be zero over an interval."""
    values = []
    for t, y in points:
        try:
            values.append(float(np.ravel(function(t, y))[0]))
        except Exception:
            continue
    return len(values) > 4 and (len(set(values)) <= 3 or sum(v == 0 for v in values) > 2)
