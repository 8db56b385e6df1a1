"""A relay with a memory that models have: hysteresis(u, low, high)."""

from __future__ import annotations

import math
from typing import Any

from ._expressions import Expr, _need


def hysteresis(u: Any, low: float, high: float) -> Any:
    """1 since u rose through ``high``, −1 since it fell through ``low``; at the start 1 above ``high``, else −1.

    For functions that :func:`slideway.solve_ivp` or :class:`slideway.System` traces, in the place of a flag that the function keeps
    from one call to the next. ``low`` and ``high`` are numbers, low < high. Of a number u between them, outside of a trace, the
    value is not known, and NaN.
    """
    if not low < high:
        raise ValueError(f"hysteresis between {low!r} and {high!r}; expected low < high")
    if isinstance(u, Expr):
        graph = u.graph
        return graph.node("hysteresis", u, _need(graph, low), _need(graph, high))
    return 1.0 if u > high else -1.0 if u < low else math.nan
