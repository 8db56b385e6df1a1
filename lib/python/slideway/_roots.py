"""Roots that a traced function looks for: variables that equations of their own determine."""

from __future__ import annotations

import functools
import threading
import types
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from ._expressions import Expr, Graph, _need, current_graph, ended, in_order

_local = threading.local()


class Solution(NamedTuple):
    """Unknowns, the residuals that are zero, what the search begins with, and scipy's search with numbers."""

    names: Tuple[str, ...]
    residuals: Tuple[Expr, ...]
    begin: Tuple[Expr, ...]
    search: Callable[[Callable[[Any], Any], np.ndarray], Any]


def _replaced(roots: Sequence[Expr], known: Dict[int, Expr]) -> List[Expr]:
    """The expressions with others in the place of some nodes."""
    made: Dict[int, Expr] = dict(known)
    for node in in_order(roots):
        if node.number not in made:
            args = [made[a.number] if isinstance(a, Expr) else a for a in node.args]
            same = all(a is b for a, b in zip(args, node.args))
            made[node.number] = node if same else node.graph.node(node.op, *args)
    return [made[root.number] for root in roots]


def _free_name(graph: Graph, number: int) -> str:
    name = f"root{number}"
    while ("name", name) in graph.known:
        name += "_"
    return name


def solved(function: Callable[..., Any], begin: Sequence[Any], size: int, args: Any, is_array: bool,
           search: Callable[[Callable[[Any], Any], np.ndarray], Any]) -> Optional[List[Expr]]:
    """The roots of function(z, *args) as variables; None where it does not depend on t or y."""
    from ._arrays import traced_array
    from ._paths import path_or_none
    from ._trace import results_of

    graph = current_graph()
    if graph is None:
        return None
    # Searches may stand inside of one another.
    level = getattr(_local, "level", 0)
    free = [graph.node("name", f"free {level} {k}") for k in range(size)]
    _local.level = level + 1
    path = path_or_none()
    decided = 0 if path is None else len(path.decisions)
    try:
        found = function(traced_array(np.array(free, dtype=object)) if is_array else free[0], *(args if isinstance(args, tuple) else (args,)))
    finally:
        _local.level = level
    own = {node.number for node in free}
    if path is not None and any(node.number in own for node in in_order([guard for guard, _ in path.decisions[decided:]])):
        raise ended("a root of a function that branches on its unknown")
    residuals = results_of(graph, found, size)
    starts = [_need(graph, value) for value in begin]
    if any(node.op == "name" and str(node.args[0]).startswith("free ") and node.number not in own for node in in_order(residuals + starts)):
        raise ended("a root inside of the function of another root")
    if not any(node.op in ("name", "time", "held", "signal") and node.number not in own for node in in_order(residuals + starts)):
        return None
    if any(residual.jumps or residual.stepped for residual in residuals):
        raise ended("a root of what jumps")
    key = ("solution", *(node.number for node in residuals + starts), level)
    known = graph.roots.get(key)
    if known is None:
        names = tuple(_free_name(graph, len(graph.solutions) + k + 1) for k in range(size))
        unknowns = [graph.node("name", name) for name in names]
        known = Solution(names, tuple(_replaced(residuals, {f.number: u for f, u in zip(free, unknowns)})), tuple(starts), search)
        graph.roots[key] = known
        graph.solutions.update({name: (known, k) for k, name in enumerate(names)})
    return [graph.node("name", name) for name in known.names]


def values_of(solution: Solution, evaluator: Any, unknowns: Any) -> np.ndarray:
    """The roots at many points, (size, points): evaluator() has the values of what the search begins with, unknowns(k, z) the residuals at point k."""
    begin = np.array([evaluator[start.number] for start in solution.begin])
    found = np.full((len(solution.names), begin.shape[1]), np.nan)
    for k in range(begin.shape[1]):
        def residuals(z: Any, point: int = k) -> Any:
            return unknowns(point, np.ravel(np.asarray(z, dtype=float)))

        try:
            found[:, k] = np.ravel(solution.search(residuals, begin[:, k]))
        except Exception:
            continue  # where there is no root
    return found


def form_of(name: str, real: Callable[..., Any]) -> Optional[Callable[..., Any]]:
    """The form of a search of scipy.optimize's, whose function may depend on t and y."""
    if name == "fsolve":
        own: Any = functools.partial(_fsolve, real)
    elif name == "root":
        own = functools.partial(_root, real)
    elif name == "newton":
        own = functools.partial(_newton, real)
    elif name == "root_scalar":
        own = functools.partial(_root_scalar, real)
    elif name in ("brentq", "brenth", "bisect", "ridder", "toms748"):
        own = functools.partial(_bracketed, real)
    else:
        return None
    return functools.wraps(real)(own)


def _several(real: Callable[..., Any], function: Any, x0: Any, args: Any) -> Optional[List[Expr]]:
    begin = list(np.ravel(np.asarray(x0, dtype=object)))

    def search(g: Callable[[Any], Any], b: np.ndarray) -> Any:
        found = real(g, b)
        return found.x if real.__name__ == "root" else found

    return solved(function, begin, len(begin), args, True, search)


def _fsolve(real: Callable[..., Any], func: Any, x0: Any, args: Any = (), *rest: Any, **named: Any) -> Any:
    from ._arrays import traced_array

    found = None if named.get("full_output") else _several(real, func, x0, args)
    return real(func, x0, args, *rest, **named) if found is None else traced_array(np.array(found, dtype=object))


def _root(real: Callable[..., Any], fun: Any, x0: Any, args: Any = (), *rest: Any, **named: Any) -> Any:
    from ._arrays import traced_array

    found = _several(real, fun, x0, args)
    if found is None:
        return real(fun, x0, args, *rest, **named)
    return types.SimpleNamespace(x=traced_array(np.array(found, dtype=object)), success=True, status=1, message="")


def _newton(real: Callable[..., Any], func: Any, x0: Any, fprime: Any = None, args: Any = (), *rest: Any, **named: Any) -> Any:
    found = solved(func, [x0], 1, args, False, lambda g, b: real(lambda z: g(z)[0], b[0]))
    return real(func, x0, fprime, args, *rest, **named) if found is None else found[0]


def _bracketed(real: Callable[..., Any], f: Any, a: Any, b: Any, args: Any = (), *rest: Any, **named: Any) -> Any:
    found = None if named.get("full_output") else solved(f, [a, b], 1, args, False, lambda g, ends: real(lambda z: g(z)[0], ends[0], ends[1]))
    return real(f, a, b, args, *rest, **named) if found is None else found[0]


def _root_scalar(real: Callable[..., Any], f: Any, args: Any = (), method: Any = None, bracket: Any = None, fprime: Any = None, fprime2: Any = None,
                 x0: Any = None, x1: Any = None, **named: Any) -> Any:
    if fprime is not None and not callable(fprime):
        raise ended("root_scalar with fprime=True")
    begin = list(bracket) if bracket is not None else [x0]

    def search(g: Any, b: np.ndarray) -> Any:
        def plain(z: Any) -> Any:
            return g(z)[0]

        if bracket is not None:
            return real(plain, bracket=tuple(b)).root
        return real(plain, x0=b[0], x1=b[0] * (1 + 1e-4) + 1e-4, method="secant").root

    found = solved(f, begin, 1, args, False, search)
    if found is None:
        return real(f, args, method, bracket, fprime, fprime2, x0, x1, **named)
    return types.SimpleNamespace(root=found[0], converged=True, flag="converged")
