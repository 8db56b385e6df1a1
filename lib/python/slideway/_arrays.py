"""Numpy on expressions: arrays of them, and its functions of such arrays."""

from __future__ import annotations

import math
from typing import Any, Callable, Dict, Iterable, Optional, Sequence

import numpy as np

from ._expressions import (Cond, Expr, Graph, Untraceable, _add, _call, _condition, _div, _equal, _floor, _greater,
                           _greater_equal, _if, _less, _less_equal, _mod, _mul, _need, _neg, _not, _pow, _sub, _where)


class TracedArray(np.ndarray):
    """An array of expressions."""

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:  # type: ignore[override]
        return apply_ufunc(ufunc, method, inputs, kwargs)

    def __array_function__(self, function: Any, types_: Any, args: Any, kwargs: Any) -> Any:  # type: ignore[override]
        return apply_function(function, args, kwargs)

    def astype(self, *_: Any, **__: Any) -> Any:  # type: ignore[override]
        return self.copy()

    def max(self, axis: Any = None, **_: Any) -> Any:  # type: ignore[override]
        return np.maximum.reduce(self, axis=axis)

    def min(self, axis: Any = None, **_: Any) -> Any:  # type: ignore[override]
        return np.minimum.reduce(self, axis=axis)

    def clip(self, low: Any = None, high: Any = None, **_: Any) -> Any:  # type: ignore[override]
        return _clip(self, low, high)

    def all(self, axis: Any = None, **_: Any) -> Any:  # type: ignore[override]
        return np.logical_and.reduce(self, axis=axis)

    def any(self, axis: Any = None, **_: Any) -> Any:  # type: ignore[override]
        return np.logical_or.reduce(self, axis=axis)


def traced_array(values: Any) -> Any:
    array = np.asarray(values, dtype=object)
    return array.view(TracedArray) if array.ndim > 0 else array.item()


def _graph_of(values: Iterable[Any]) -> Optional[Graph]:
    for value in values:
        if isinstance(value, (Expr, Cond)):
            return value.graph
    return None


def _scalar(function: Callable[..., Expr], arity: int) -> Callable[..., Any]:
    """A function of expressions as one of numbers and expressions."""

    def apply(*values: Any) -> Any:
        graph = _graph_of(values)
        if graph is None:
            graph = Graph()
            result = function(*(_need(graph, v) for v in values))
            return result.args[0] if isinstance(result, Expr) and result.is_constant else result
        return function(*(_need(graph, v) for v in values))

    return apply


def _named(name: str) -> Callable[..., Any]:
    return _scalar(lambda *args: _call(name, *args), 1)


def _step(x: Expr, at_zero: Optional[Expr] = None) -> Expr:
    return _if(x, x.graph.constant(1), x.graph.constant(0))


def _logical(kind: str) -> Callable[[Any, Any], Any]:
    def apply(a: Any, b: Any) -> Any:
        graph = _graph_of((a, b))
        if graph is None:
            return (a and b) if kind == "and" else (a or b)
        return Cond(graph, kind, _condition(graph, a), _condition(graph, b))

    return apply


def _hypot(a: Expr, b: Expr) -> Expr:
    return _call("sqrt", _add(_mul(a, a), _mul(b, b)))


def _expm1(x: Expr) -> Expr:
    return _sub(_call("exp", x), x.graph.constant(1))


def _log1p(x: Expr) -> Expr:
    return _call("log", _add(x, x.graph.constant(1)))


def _scaled_log(base: float) -> Callable[[Expr], Expr]:
    return lambda x: _div(_call("log", x), x.graph.constant(math.log(base)))


def _cbrt(x: Expr) -> Expr:
    return _mul(_call("sgn", x), _pow(_call("abs", x), x.graph.constant(1 / 3)))


def _scale(factor: float) -> Callable[[Expr], Expr]:
    return lambda x: _mul(x, x.graph.constant(factor))


_UFUNCS: Dict[str, Callable[..., Any]] = {
    "sin": _named("sin"), "cos": _named("cos"), "tan": _named("tan"), "arcsin": _named("asin"), "arccos": _named("acos"),
    "arctan": _named("atan"), "arctan2": _named("atan2"), "sinh": _named("sinh"), "cosh": _named("cosh"),
    "tanh": _named("tanh"), "exp": _named("exp"), "log": _named("log"), "sqrt": _named("sqrt"),
    "absolute": _named("abs"), "fabs": _named("abs"), "sign": _named("sgn"),
    "maximum": _named("max"), "minimum": _named("min"), "fmax": _named("max"), "fmin": _named("min"),
    "floor": _scalar(_floor, 1), "remainder": _scalar(_mod, 2), "mod": _scalar(_mod, 2),
    "floor_divide": _scalar(lambda a, b: _floor(_div(a, b)), 2),
    "heaviside": _scalar(_step, 2), "hypot": _scalar(_hypot, 2), "expm1": _scalar(_expm1, 1),
    "log1p": _scalar(_log1p, 1), "log10": _scalar(_scaled_log(10), 1), "log2": _scalar(_scaled_log(2), 1),
    "exp2": _scalar(lambda x: _pow(x.graph.constant(2), x), 1), "cbrt": _scalar(_cbrt, 1),
    "square": _scalar(lambda x: _mul(x, x), 1), "reciprocal": _scalar(lambda x: _div(x.graph.constant(1), x), 1),
    "deg2rad": _scalar(_scale(math.pi / 180), 1), "radians": _scalar(_scale(math.pi / 180), 1),
    "rad2deg": _scalar(_scale(180 / math.pi), 1), "degrees": _scalar(_scale(180 / math.pi), 1),
    "add": _scalar(_add, 2), "subtract": _scalar(_sub, 2), "multiply": _scalar(_mul, 2), "divide": _scalar(_div, 2),
    "true_divide": _scalar(_div, 2), "power": _scalar(_pow, 2), "float_power": _scalar(_pow, 2),
    "negative": _scalar(_neg, 1), "positive": _scalar(lambda x: x, 1), "conjugate": _scalar(lambda x: x, 1),
    "greater": _scalar(_greater, 2), "greater_equal": _scalar(_greater_equal, 2), "less": _scalar(_less, 2),
    "less_equal": _scalar(_less_equal, 2), "equal": _scalar(_equal, 2),
    "not_equal": _scalar(lambda a, b: _not(_equal(a, b)), 2),
    "logical_and": _logical("and"), "logical_or": _logical("or"), "bitwise_and": _logical("and"),
    "bitwise_or": _logical("or"), "logical_not": _not, "invert": _not,
    "logical_xor": lambda a, b: _condition_of(a, b) ^ b, "bitwise_xor": lambda a, b: _condition_of(a, b) ^ b,
    "isnan": lambda x: False, "isinf": lambda x: False, "isfinite": lambda x: True,
}


def _condition_of(a: Any, b: Any) -> Cond:
    graph = _graph_of((a, b))
    return _condition(graph if graph is not None else Graph(), a)


def _plain(value: Any) -> Any:
    return value.view(np.ndarray) if isinstance(value, TracedArray) else value


def apply_ufunc(ufunc: Any, method: str, inputs: Sequence[Any], kwargs: Dict[str, Any]) -> Any:
    out = kwargs.pop("out", None)
    kwargs.pop("dtype", None)
    if method == "__call__" and ufunc.__name__ == "matmul":
        result = np.matmul(*(np.asarray(_plain(i), dtype=object) for i in inputs))
    elif method == "__call__":
        function = _UFUNCS.get(ufunc.__name__)
        if function is None:
            raise Untraceable(f"np.{ufunc.__name__} of a number that depends on t or y")
        result = np.frompyfunc(function, len(inputs), 1)(*(np.asarray(_plain(i), dtype=object) for i in inputs))
        where = kwargs.get("where", True)
        if where is not True:
            raise Untraceable("the argument where= of a function of numpy")
    elif method == "reduce":
        result = _reduce(ufunc, inputs[0], kwargs)
    elif method in ("accumulate", "outer") and ufunc.__name__ in _UFUNCS:
        function = np.frompyfunc(_UFUNCS[ufunc.__name__], 2, 1)
        result = getattr(function, method)(*(np.asarray(_plain(i), dtype=object) for i in inputs), **kwargs)
    else:
        raise Untraceable(f"np.{ufunc.__name__}.{method} of numbers that depend on t or y")
    if out is not None:
        target = out[0]
        if target is None:
            return traced_array(result)
        if target.dtype != object:
            raise Untraceable("a result is written into an array of floats")
        _plain(target)[...] = result
        return target
    return traced_array(result)


def _reduce(ufunc: Any, values: Any, kwargs: Dict[str, Any]) -> Any:
    if ufunc.__name__ not in _UFUNCS:
        raise Untraceable(f"np.{ufunc.__name__}.reduce of numbers that depend on t or y")
    array = np.asarray(_plain(values), dtype=object)
    axis = kwargs.get("axis", 0)
    if axis is None or isinstance(axis, tuple):
        if isinstance(axis, tuple) and len(axis) < array.ndim:
            raise Untraceable("a sum over several axes")
        array, axis = array.ravel(), 0
    initial = kwargs.get("initial", np._NoValue if hasattr(np, "_NoValue") else None)
    if array.shape[axis] == 0:
        return {"add": 0.0, "multiply": 1.0, "logical_and": True, "logical_or": False}.get(ufunc.__name__, np.nan)
    items = np.moveaxis(array, axis, 0)
    plain = _UFUNCS[ufunc.__name__]
    function: Any = np.frompyfunc(plain, 2, 1) if items.ndim > 1 else plain
    # In pairs, so that the depth of a long sum stays small.
    parts = list(items)
    while len(parts) > 1:
        joined = [function(a, b) for a, b in zip(parts[::2], parts[1::2])]
        parts = joined + ([parts[-1]] if len(parts) % 2 else [])
    result = parts[0]
    if isinstance(initial, (int, float)):
        result = function(result, initial)
    if kwargs.get("keepdims") is True:
        result = np.expand_dims(np.asarray(result, dtype=object), axis)
    return result


def _clip(values: Any, low: Any = None, high: Any = None) -> Any:
    result = values
    if low is not None:
        result = np.maximum(result, low)
    if high is not None:
        result = np.minimum(result, high)
    return result


def _norm(values: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    if ord not in (None, 2) or axis is not None or keepdims:
        raise Untraceable("np.linalg.norm other than that of a vector")
    array = traced_array(np.ravel(np.asarray(_plain(values), dtype=object)))
    return np.sqrt(np.add.reduce(array * array))


def _interp(x: Any, points: Any, values: Any, left: Any = None, right: Any = None, period: Any = None) -> Any:
    if left is not None or right is not None or period is not None:
        raise Untraceable("np.interp with left, right or period")
    p, v = np.asarray(points, dtype=float), np.asarray(values, dtype=float)
    if p.size > 64:
        raise Untraceable("np.interp of more than 64 points")
    result = x * 0.0 + v[0]
    for k in range(p.size - 1):
        if v[k + 1] != v[k]:
            piece = np.minimum(np.maximum(x - p[k], 0.0), p[k + 1] - p[k])
            result = result + (v[k + 1] - v[k]) / (p[k + 1] - p[k]) * piece
    return result


def _select(conditions: Sequence[Any], choices: Sequence[Any], default: Any = 0) -> Any:
    result = default
    for condition, choice in zip(reversed(list(conditions)), reversed(list(choices))):
        result = _np_where(condition, choice, result)
    return result


def _np_where(condition: Any, *choices: Any) -> Any:
    if len(choices) != 2:
        raise Untraceable("np.where with a condition alone")
    arrays = [np.asarray(_plain(c), dtype=object) for c in (condition,) + choices]
    return traced_array(np.frompyfunc(_where, 3, 1)(*arrays))


def _contains_traced(value: Any, depth: int = 3) -> bool:
    if isinstance(value, (Expr, Cond, TracedArray)):
        return True
    if isinstance(value, np.ndarray):
        return value.dtype == object and any(isinstance(v, (Expr, Cond)) for v in value.ravel())
    if depth > 0 and isinstance(value, (list, tuple)):
        return any(_contains_traced(v, depth - 1) for v in value)
    return False


def apply_function(function: Any, args: Sequence[Any], kwargs: Dict[str, Any]) -> Any:
    name = getattr(function, "__name__", "")
    own = _FUNCTIONS.get(name)
    if own is not None:
        return own(*args, **kwargs)
    if name in ("zeros_like", "empty_like", "ones_like", "full_like"):
        shape = np.shape(args[0])
        value = {"ones_like": 1.0, "full_like": args[1] if len(args) > 1 else kwargs.get("fill_value")}.get(name, 0.0)
        return traced_array(np.full(shape, value, dtype=object))
    if getattr(function, "__module__", "").startswith("numpy.linalg"):
        raise Untraceable(f"np.linalg.{name} of numbers that depend on t or y")
    plain_args = _strip(args)
    plain_kwargs = {k: _strip(v) for k, v in kwargs.items() if k != "dtype"}
    result = function(*plain_args, **plain_kwargs)
    if isinstance(result, np.ndarray) and result.dtype == object:
        return traced_array(result)
    if isinstance(result, (list, tuple)):
        return type(result)(traced_array(r) if isinstance(r, np.ndarray) and r.dtype == object else r for r in result)
    return result


def _strip(value: Any) -> Any:
    """Plain arrays of objects in the place of traced arrays and numbers."""
    if isinstance(value, TracedArray):
        return value.view(np.ndarray)
    if isinstance(value, (Expr, Cond)):
        array = np.empty((), dtype=object)
        array[()] = value
        return array
    if isinstance(value, (list, tuple)):
        return type(value)(_strip(v) for v in value)
    return value


def _mean(values: Any, axis: Any = None, **kwargs: Any) -> Any:
    size = np.size(values) if axis is None else np.shape(values)[axis]
    return np.add.reduce(values, axis=axis) / size


_FUNCTIONS: Dict[str, Callable[..., Any]] = {
    "where": _np_where, "clip": _clip, "norm": _norm, "interp": _interp, "select": _select,
    "sum": lambda a, axis=None, **k: np.add.reduce(a, axis=axis),
    "prod": lambda a, axis=None, **k: np.multiply.reduce(a, axis=axis),
    "amax": lambda a, axis=None, **k: np.maximum.reduce(a, axis=axis),
    "amin": lambda a, axis=None, **k: np.minimum.reduce(a, axis=axis),
    "max": lambda a, axis=None, **k: np.maximum.reduce(a, axis=axis),
    "min": lambda a, axis=None, **k: np.minimum.reduce(a, axis=axis),
    "all": lambda a, axis=None, **k: np.logical_and.reduce(a, axis=axis),
    "any": lambda a, axis=None, **k: np.logical_or.reduce(a, axis=axis),
    "mean": _mean,
    "real": lambda a: a, "squeeze": lambda a, axis=None: a if isinstance(a, Expr) else traced_array(np.squeeze(_plain(a), axis)),
    "shape": lambda a: a.shape, "ndim": lambda a: a.ndim, "size": lambda a, axis=None: a.size,
    "copy": lambda a, **k: a if isinstance(a, Expr) else a.copy(),
    "sinc": lambda a: _sinc(a),
}


def _sinc(_: Any) -> Any:
    raise Untraceable("np.sinc of a number that depends on t or y")
