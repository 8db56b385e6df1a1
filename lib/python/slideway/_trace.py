"""Python functions as expressions.

A function of t and y is run on expression objects: what it computes becomes a graph, and what it branches on becomes an
``if`` of both sides, for which it is run once for each side. The graph is written as the text of a model file, so that one
reader makes the system, with its surfaces and exact derivatives.
"""

from __future__ import annotations

import math
from typing import Any, Callable, List, Optional

import numpy as np

from ._arrays import TracedArray, _plain
from ._expressions import Cond, Expr, Graph, Untraceable, _need
from ._paths import explore
from ._rewriter import Rewriter, _strip_nested


def results_of(graph: Graph, value: Any, size: Optional[int] = None) -> List[Expr]:
    """What a function returned, as expressions."""
    if isinstance(value, (Expr, Cond)) or np.ndim(value) == 0:
        items = [value]
    else:
        items = list(np.asarray(_strip_nested(value) if isinstance(value, (list, tuple)) else _plain(value),
                                dtype=object).ravel())
    if size is not None and len(items) != size:
        raise ValueError(f"the function returned {len(items)} numbers; expected {size}")
    results = [_need(graph, item) for item in items]
    for result in results:
        if result.is_constant and not math.isfinite(result.args[0]):
            raise Untraceable("a result that is not finite")
    return results


def trace(graph: Graph, function: Callable[..., Any], *args: Any, size: Optional[int] = None,
          rewriter: Optional[Rewriter] = None, **kwargs: Any) -> List[Expr]:
    """The results of function(*args, **kwargs), whose arguments may be traced. Raises Untraceable."""
    runnable = (rewriter or Rewriter()).callable(function)

    def run() -> List[Expr]:
        fresh = [a.copy() if isinstance(a, TracedArray) else a for a in args]
        return results_of(graph, runnable(*fresh, **kwargs), size)

    try:
        with np.errstate(all="ignore"):
            return explore(run)
    except Untraceable:
        raise
    except RecursionError as error:
        raise Untraceable("the function calls itself too deeply") from error
    except Exception as error:
        raise Untraceable(f"{type(error).__name__}: {error}") from error
