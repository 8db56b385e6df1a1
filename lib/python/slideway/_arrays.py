"""Numpy on expressions: arrays of them, and its functions of such arrays."""

from __future__ import annotations

import math
from typing import Any, Callable, Dict, Iterable, Optional, Sequence

import numpy as np

from ._algebra import determinant, einsum, inverse, least_squares, norm, solve
from ._complex import Complex, angle, complex_of
from ._complex import form_of as complex_form_of
from ._expressions import (Cond, Expr, Graph, _add, _call, _condition, _div, _equal, _floor, _greater, _greater_equal, _if, _less,
                           _less_equal, _mod, _mul, _need, _neg, _not, _pow, _sub, _trunc, _where, ended, is_no_number, kind_of)
from ._lookup import arg_extremum, digitize, interp, sample, searchsorted
from ._masks import indices_of, is_mask


class _Masked:
    """The values of an array where conditions hold: all are kept, and those where they do not are not used."""

    __array_priority__ = 2000.0

    def __init__(self, values: np.ndarray, conditions: np.ndarray) -> None:
        self.values, self.conditions = values, conditions

    def _with(self, other: Any, combine: Callable[[Any, Any], Any]) -> "_Masked":
        if isinstance(other, _Masked):
            if any(a is not b for a, b in zip(self.conditions.ravel(), other.conditions.ravel())):
                raise ended("values of two masks")
            other = other.values.view(TracedArray)
        elif np.ndim(other) > 0:
            raise ended("an array at the places of a mask")
        return _Masked(np.asarray(_plain(combine(self.values.view(TracedArray), other)), dtype=object), self.conditions)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if method != "__call__" or kwargs or len(inputs) > 2:
            raise ended(f"np.{ufunc.__name__} of values of a mask")
        if len(inputs) == 1:
            return _Masked(np.asarray(_plain(ufunc(self.values.view(TracedArray))), dtype=object), self.conditions)
        if isinstance(inputs[0], _Masked):
            return inputs[0]._with(inputs[1], ufunc)
        return inputs[1]._with(inputs[0], lambda a, b: ufunc(b, a))

    def __add__(self, other: Any) -> Any:
        return self._with(other, np.add)

    def __sub__(self, other: Any) -> Any:
        return self._with(other, np.subtract)

    def __mul__(self, other: Any) -> Any:
        return self._with(other, np.multiply)

    def __truediv__(self, other: Any) -> Any:
        return self._with(other, np.divide)

    def __pow__(self, other: Any) -> Any:
        return self._with(other, np.power)

    def __radd__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: np.add(b, a))

    def __rsub__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: np.subtract(b, a))

    def __rmul__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: np.multiply(b, a))

    def __rtruediv__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: np.divide(b, a))

    def __neg__(self) -> Any:
        return self._with(-1.0, np.multiply)

    def sum(self) -> Any:
        chosen = np.frompyfunc(_where, 3, 1)(self.conditions, self.values, np.zeros(self.values.shape).astype(object))
        return np.sum(chosen.view(TracedArray))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise ended(f".{name} of values of a mask")

    def __len__(self) -> int:
        raise ended("the number of values of a mask")

    def __iter__(self) -> Any:
        raise ended("a loop over values of a mask")

    def __getitem__(self, _: Any) -> Any:
        raise ended("one of the values of a mask")


class TracedArray(np.ndarray):
    """An array of expressions."""

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:  # type: ignore[override]
        return apply_ufunc(ufunc, method, inputs, kwargs)

    def __array_function__(self, function: Any, types_: Any, args: Any, kwargs: Any) -> Any:  # type: ignore[override]
        return apply_function(function, args, kwargs)

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, (Expr, Cond)):
            return _picked(self, key)
        if isinstance(key, np.ndarray) and key.dtype == object:
            if key.shape == self.shape and all(isinstance(c, Cond) for c in key.ravel()):
                return _Masked(self.view(np.ndarray), key.view(np.ndarray))
            raise ended("a mask or indices that depend on t or y; np.where chooses between values")
        return super().__getitem__(key)

    def __setitem__(self, key: Any, value: Any) -> None:
        if isinstance(key, np.ndarray) and key.dtype == object:
            conditions = key.view(np.ndarray)
            if isinstance(value, _Masked):
                if any(a is not b for a, b in zip(conditions.ravel(), value.conditions.ravel())):
                    raise ended("values of one mask at the places of another")
                value = value.values
            chosen = np.frompyfunc(_where, 3, 1)(conditions, np.asarray(_plain(value), dtype=object), self.view(np.ndarray))
            super().__setitem__(Ellipsis, chosen)
            return
        super().__setitem__(key, _plain(value) if isinstance(value, np.ndarray) else value)

    def astype(self, dtype: Any = float, *_: Any, **__: Any) -> Any:  # type: ignore[override]
        return _cast(self, dtype)

    @property
    def real(self) -> Any:
        return _by_elements(lambda v: v.real, self)

    @property
    def imag(self) -> Any:
        return _by_elements(lambda v: v.imag, self)

    def argmin(self, axis: Any = None, *_: Any, **__: Any) -> Any:  # type: ignore[override]
        return arg_extremum(self.view(np.ndarray), True, axis)

    def argmax(self, axis: Any = None, *_: Any, **__: Any) -> Any:  # type: ignore[override]
        return arg_extremum(self.view(np.ndarray), False, axis)

    def nonzero(self) -> Any:
        return _indices(self)

    def round(self, decimals: int = 0, *_: Any) -> Any:  # type: ignore[override]
        return _round(self, decimals)

    def dot(self, other: Any, *_: Any) -> Any:  # type: ignore[override]
        return np.dot(self, other)

    def tolist(self) -> Any:
        return list(self) if self.ndim == 1 else [row.tolist() for row in self]

    def mean(self, axis: Any = None, **_: Any) -> Any:  # type: ignore[override]
        return _mean(self, axis)

    def var(self, axis: Any = None, ddof: int = 0, **_: Any) -> Any:  # type: ignore[override]
        return _variance(self, axis, ddof)

    def std(self, axis: Any = None, ddof: int = 0, **_: Any) -> Any:  # type: ignore[override]
        return np.sqrt(_variance(self, axis, ddof))

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


def _picked(array: TracedArray, index: Any) -> Any:
    """array[index] of an index that depends on t or y."""
    items = array.view(np.ndarray)
    if not any(isinstance(v, (Expr, Cond)) for v in items.ravel()):
        return sample(items.astype(float), index)
    if isinstance(index, Cond) or items.ndim > 1:
        return array[int(index)]
    rank = index
    result = _need(index.graph, items[-1])
    for k in range(len(items) - 2, -1, -1):
        below = _condition(index.graph, _less(rank, index.graph.constant(k + 0.5)))
        result = below.choose(_need(index.graph, items[k]), result)
    return result


def _cast(values: Any, dtype: Any) -> Any:
    kind = kind_of(dtype) if dtype is not None else "f"
    if kind in "iu":
        return traced_array(np.frompyfunc(lambda v: _trunc(_need(v.graph, v)) if isinstance(v, (Expr, Cond)) else int(v), 1, 1)(
            _plain(values)))
    if kind == "b":
        return traced_array(np.frompyfunc(lambda v: _condition(v.graph, v) if isinstance(v, (Expr, Cond)) else bool(v), 1, 1)(
            _plain(values)))
    if kind == "f":
        return traced_array(np.frompyfunc(lambda v: _need(v.graph, v) if isinstance(v, (Expr, Cond)) else v, 1, 1)(_plain(values)))
    if kind == "c":
        return traced_array(np.frompyfunc(lambda v: complex_of(v.graph, v) if isinstance(v, (Expr, Cond)) else v, 1, 1)(_plain(values)))
    if kind == "O":
        return values.copy()
    raise ended(f"an array of the type {dtype} of numbers that depend on t or y")


def _round(values: Any, decimals: int = 0, out: Any = None) -> Any:
    scale = 10.0 ** decimals
    return np.floor(values * scale + 0.5) / scale


def _variance(values: Any, axis: Any = None, ddof: int = 0, **_: Any) -> Any:
    array = traced_array(np.asarray(_plain(values), dtype=object))
    size = array.size if axis is None else array.shape[axis]
    middle = np.add.reduce(array, axis=axis, keepdims=axis is not None) / size
    difference = array - middle
    return np.add.reduce(difference * difference, axis=axis) / (size - ddof)


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
    one, zero = x.graph.constant(1), x.graph.constant(0)
    if not x.kinked and not x.stepped:
        return _if(x, one, zero)
    # Zero may be its value on a whole side.
    middle = one if at_zero is None else at_zero
    above, below = _condition(x.graph, _greater(x, zero)), _condition(x.graph, _less(x, zero))
    return above.choose(one, below.choose(zero, middle))


def _sign(x: Expr) -> Expr:
    if not x.kinked and not x.stepped:
        return _call("sgn", x)
    zero, one = x.graph.constant(0), x.graph.constant(1)
    above, below = _greater(x, zero), _less(x, zero)
    equal = _equal(x, zero)
    if equal is False or (isinstance(equal, Cond) and equal.kind == "zero"):
        return _call("sgn", x)
    return _condition(x.graph, above).choose(one, _condition(x.graph, below).choose(_neg(one), zero))


def _copysign(a: Expr, b: Expr) -> Expr:
    size = _call("abs", a)
    return _if(b, size, _neg(size))


def _fmod(a: Expr, b: Expr) -> Expr:
    return _sub(a, _mul(b, _trunc(_div(a, b))))


def _sinc_of(x: Expr) -> Expr:
    angle = _mul(x, x.graph.constant(math.pi))
    near = _sub(x.graph.constant(1e-8), _call("abs", x))
    return _if(near, x.graph.constant(1), _div(_call("sin", angle), angle))


def _inverse_hyperbolic(name: str) -> Callable[[Expr], Expr]:
    def apply(x: Expr) -> Expr:
        one = x.graph.constant(1)
        if name == "atanh":
            return _mul(x.graph.constant(0.5), _call("log", _div(_add(one, x), _sub(one, x))))
        square = _mul(x, x)
        root = _call("sqrt", _add(square, one) if name == "asinh" else _sub(square, one))
        if name == "asinh":
            size = _call("abs", x)
            return _mul(_call("sgn", x), _call("log", _add(size, root)))
        return _call("log", _add(x, root))

    return apply


def _softplus(a: Expr, b: Expr) -> Expr:
    distance = _neg(_call("abs", _sub(a, b)))
    return _add(_call("max", a, b), _call("log", _add(a.graph.constant(1), _call("exp", distance))))


def _round_of(x: Expr) -> Expr:
    return _floor(_add(x, x.graph.constant(0.5)))


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


def _times(a: Any, b: Any) -> Any:
    for p, q in ((a, b), (b, a)):
        if isinstance(p, Cond) and isinstance(q, Expr):
            return p.choose(q, q.graph.constant(0))
    return _scalar_product(a, b)


def _angle(y: Expr, x: Expr) -> Expr:
    """The angle of (x, y), which jumps by a whole turn where y changes its sign left of the origin.

    Each half plane has a form of its own, by the angle from the other axis, which jumps nowhere."""
    graph = y.graph
    if y.is_constant or (x.is_constant and x.args[0] > 0):
        return _call("atan2", y, x)
    half, other = graph.constant(math.pi / 2), _call("atan2", x, _call("abs", y))
    made = _choice(_greater(y, graph.constant(0)), _sub(half, other), _sub(other, half))
    graph.angles[made.number] = (y, x)
    return made


def _arctan(a: Expr) -> Expr:
    """The arctangent, which jumps where it is that of a quotient whose denominator changes its sign."""
    if a.op != "/" or a.args[1].is_constant:
        return _call("atan", a)
    p, q = a.args
    if q.op == "abs":
        return _call("atan2", p, q)
    size = _call("abs", q)
    return _choice(_greater(q, a.graph.constant(0)), _call("atan2", p, size), _call("atan2", _neg(p), size))


def _choice(condition: Any, yes: Expr, no: Expr) -> Expr:
    if isinstance(condition, Cond):
        return condition.choose(yes, no)
    return yes if condition else no


_scalar_product = _scalar(_mul, 2)
_UFUNCS: Dict[str, Callable[..., Any]] = {
    "sin": _named("sin"), "cos": _named("cos"), "tan": _named("tan"), "arcsin": _named("asin"), "arccos": _named("acos"),
    "arctan": _scalar(_arctan, 1), "arctan2": _scalar(_angle, 2), "sinh": _named("sinh"), "cosh": _named("cosh"),
    "tanh": _named("tanh"), "exp": _named("exp"), "log": _named("log"), "sqrt": _named("sqrt"),
    "absolute": _named("abs"), "fabs": _named("abs"), "sign": _scalar(_sign, 1),
    "maximum": _named("max"), "minimum": _named("min"), "fmax": _named("max"), "fmin": _named("min"),
    "floor": _scalar(_floor, 1), "ceil": _scalar(lambda x: _neg(_floor(_neg(x))), 1), "trunc": _scalar(_trunc, 1),
    "rint": _scalar(_round_of, 1), "copysign": _scalar(_copysign, 2), "fmod": _scalar(_fmod, 2),
    "remainder": _scalar(_mod, 2), "mod": _scalar(_mod, 2), "logaddexp": _scalar(_softplus, 2),
    "arcsinh": _scalar(_inverse_hyperbolic("asinh"), 1), "arccosh": _scalar(_inverse_hyperbolic("acosh"), 1),
    "arctanh": _scalar(_inverse_hyperbolic("atanh"), 1),
    "expit": _scalar(lambda x: _div(x.graph.constant(1), _add(x.graph.constant(1), _call("exp", _neg(x)))), 1),
    "signbit": lambda x: _less(x, x.graph.constant(0)),
    "floor_divide": _scalar(lambda a, b: _floor(_div(a, b)), 2),
    "heaviside": _scalar(_step, 2), "hypot": _scalar(_hypot, 2), "expm1": _scalar(_expm1, 1),
    "log1p": _scalar(_log1p, 1), "log10": _scalar(_scaled_log(10), 1), "log2": _scalar(_scaled_log(2), 1),
    "exp2": _scalar(lambda x: _pow(x.graph.constant(2), x), 1), "cbrt": _scalar(_cbrt, 1),
    "square": _scalar(lambda x: _mul(x, x), 1), "reciprocal": _scalar(lambda x: _div(x.graph.constant(1), x), 1),
    "deg2rad": _scalar(_scale(math.pi / 180), 1), "radians": _scalar(_scale(math.pi / 180), 1),
    "rad2deg": _scalar(_scale(180 / math.pi), 1), "degrees": _scalar(_scale(180 / math.pi), 1),
    "add": _scalar(_add, 2), "subtract": _scalar(_sub, 2), "multiply": _times, "divide": _scalar(_div, 2),
    "true_divide": _scalar(_div, 2), "power": _scalar(_pow, 2), "float_power": _scalar(_pow, 2),
    "negative": _scalar(_neg, 1), "positive": _scalar(lambda x: x, 1), "conjugate": _scalar(lambda x: x, 1),
    "greater": _scalar(_greater, 2), "greater_equal": _scalar(_greater_equal, 2), "less": _scalar(_less, 2),
    "less_equal": _scalar(_less_equal, 2), "equal": _scalar(_equal, 2),
    "not_equal": _scalar(lambda a, b: _not(_equal(a, b)), 2),
    "logical_and": _logical("and"), "logical_or": _logical("or"), "bitwise_and": _logical("and"),
    "bitwise_or": _logical("or"), "logical_not": _not, "invert": _not,
    "logical_xor": lambda a, b: _condition_of(a, b) ^ b, "bitwise_xor": lambda a, b: _condition_of(a, b) ^ b,
    "isnan": lambda x: _is_nan(x), "isinf": lambda x: False, "isfinite": lambda x: _not(_is_nan(x)),
}


def _is_nan(x: Any) -> Any:
    if isinstance(x, Expr):
        return is_no_number(x)
    return False if isinstance(x, Cond) else bool(np.isnan(x))


def _condition_of(a: Any, b: Any) -> Cond:
    graph = _graph_of((a, b))
    return _condition(graph if graph is not None else Graph(), a)


def _plain(value: Any) -> Any:
    return value.view(np.ndarray) if isinstance(value, TracedArray) else value


def _function_of(name: str, inputs: Sequence[Any]) -> Optional[Callable[..., Any]]:
    """A function by elements; complex numbers are looked for where there can be some."""
    plain = _UFUNCS.get(name)
    if Complex.made or any(getattr(getattr(i, "dtype", None), "kind", "") == "c" or isinstance(i, complex) for i in inputs):
        return complex_form_of(name, plain)
    return plain


def apply_ufunc(ufunc: Any, method: str, inputs: Sequence[Any], kwargs: Dict[str, Any]) -> Any:
    out = kwargs.pop("out", None)
    kwargs.pop("dtype", None)
    if method == "__call__" and ufunc.__name__ == "matmul":
        result = _product(*(np.asarray(_plain(i), dtype=object) for i in inputs))
    elif method == "__call__":
        if ufunc.__name__ in ("modf", "divmod"):
            a = inputs[0]
            whole = np.trunc(a) if len(inputs) == 1 else np.floor_divide(*inputs)
            return (a - whole, whole) if len(inputs) == 1 else (whole, a - inputs[1] * whole)
        function = _function_of(ufunc.__name__, inputs)
        if function is None:
            raise ended(f"np.{ufunc.__name__} of a number that depends on t or y")
        result = np.frompyfunc(function, len(inputs), 1)(*(np.asarray(_plain(i), dtype=object) for i in inputs))
        where = kwargs.get("where", True)
        if where is not True:
            raise ended("the argument where= of a function of numpy")
    elif method == "at" and len(inputs) == 3 and isinstance(inputs[0], TracedArray):
        array, places, values = inputs
        for place, value in zip(np.ravel(places), np.broadcast_to(_objects(values), np.shape(np.ravel(places)))):
            array[place] = ufunc(array[place], value)
        return None
    elif method == "reduce":
        result = _reduce(ufunc, inputs[0], kwargs)
    elif method in ("accumulate", "outer") and ufunc.__name__ in _UFUNCS:
        function = np.frompyfunc(_UFUNCS[ufunc.__name__], 2, 1)
        result = getattr(function, method)(*(np.asarray(_plain(i), dtype=object) for i in inputs), **kwargs)
    else:
        raise ended(f"np.{ufunc.__name__}.{method} of numbers that depend on t or y")
    if out is not None:
        target = out[0]
        if target is None:
            return traced_array(result)
        if target.dtype != object:
            raise ended("a result is written into an array of floats")
        _plain(target)[...] = result
        return target
    return traced_array(result)


def _reduce(ufunc: Any, values: Any, kwargs: Dict[str, Any]) -> Any:
    if ufunc.__name__ not in _UFUNCS:
        raise ended(f"np.{ufunc.__name__}.reduce of numbers that depend on t or y")
    array = np.asarray(_plain(values), dtype=object)
    axis = kwargs.get("axis", 0)
    if axis is None or isinstance(axis, tuple):
        if isinstance(axis, tuple) and len(axis) < array.ndim:
            raise ended("a sum over several axes")
        array, axis = array.ravel(), 0
    initial = kwargs.get("initial", np._NoValue if hasattr(np, "_NoValue") else None)
    if array.shape[axis] == 0:
        return {"add": 0.0, "multiply": 1.0, "logical_and": True, "logical_or": False}.get(ufunc.__name__, np.nan)
    items = np.moveaxis(array, axis, 0)
    plain: Any = _function_of(ufunc.__name__, ())
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


def _product(a: np.ndarray, b: np.ndarray) -> Any:
    """a @ b, whose sums leave out what is multiplied with zero, and are made in pairs."""
    if a.ndim == 0 or b.ndim == 0 or a.ndim > 2 or b.ndim > 2:
        return np.matmul(a, b)
    rows = a if a.ndim == 2 else a[None, :]
    columns = b if b.ndim == 2 else b[:, None]
    if rows.shape[1] != columns.shape[0]:
        return np.matmul(a, b)  # which says what is wrong
    made = np.empty((rows.shape[0], columns.shape[1]), dtype=object)
    for i in range(rows.shape[0]):
        for j in range(columns.shape[1]):
            made[i, j] = _inner(rows[i], columns[:, j])
    if a.ndim == 1 and b.ndim == 1:
        return made[0, 0]
    return made[0] if a.ndim == 1 else made[:, 0] if b.ndim == 1 else made


def _is_zero(value: Any) -> bool:
    return not isinstance(value, (Expr, Cond, Complex)) and bool(value == 0)


def _inner(a: Any, b: Any) -> Any:
    # Most are numbers times expressions, whose operators would look for their kinds once more.
    parts = [_mul(q.graph.constant(p), q) if type(p) is float and type(q) is Expr else p * q
             for p, q in zip(a, b) if not _is_zero(p) and not _is_zero(q)]
    if not parts:
        return 0.0
    while len(parts) > 1:
        pairs = zip(parts[::2], parts[1::2])
        left = parts[-1:] if len(parts) % 2 else []
        parts = [_add(p, q) if type(p) is Expr and type(q) is Expr else p + q for p, q in pairs] + left
    return parts[0]


def _select(conditions: Sequence[Any], choices: Sequence[Any], default: Any = 0) -> Any:
    result = default
    for condition, choice in zip(reversed(list(conditions)), reversed(list(choices))):
        result = _np_where(condition, choice, result)
    return result


def _np_where(condition: Any, *choices: Any) -> Any:
    if not choices:
        return _indices(condition)
    arrays = [np.asarray(_plain(c), dtype=object) for c in (condition,) + choices]
    return traced_array(np.frompyfunc(_where, 3, 1)(*arrays))


def _indices(mask: Any) -> Any:
    array = _objects(mask)
    if not is_mask(array):
        raise ended("the indices of numbers that depend on t or y and are not zero")
    return indices_of(array)


def _contains_traced(value: Any, depth: int = 3) -> bool:
    if isinstance(value, (Expr, Cond, TracedArray, Complex)):
        return True
    if isinstance(value, np.ndarray):
        return value.dtype == object and any(isinstance(v, (Expr, Cond, Complex)) for v in value.ravel())
    if depth > 0 and isinstance(value, (list, tuple)):
        return any(_contains_traced(v, depth - 1) for v in value)
    return False


def _objects_of(values: Any) -> np.ndarray:
    return np.array(_plain(values) if isinstance(values, np.ndarray) else [_plain(v) if isinstance(v, np.ndarray) else v for v in values], dtype=object)


def _cross(a: Any, b: Any, *args: Any, **kwargs: Any) -> Any:
    p, q = _objects_of(a), _objects_of(b)
    graph = _graph_of(tuple(p.ravel()) + tuple(q.ravel()))
    assert graph is not None
    # Numbers among the expressions would have numpy make arrays of numbers on the way.
    needed = np.frompyfunc(lambda value: _need(graph, value), 1, 1)
    return traced_array(np.cross(needed(p), needed(q), *args, **kwargs))


MOST_SORTED = 8


def _sort(a: Any, axis: int = -1, **kwargs: Any) -> Any:
    """Few numbers in order, by exchanges of neighbours."""
    values = _objects_of(a)
    if values.ndim != 1 or axis not in (-1, 0, None) or kwargs or values.size > MOST_SORTED:
        raise ended(f"np.sort of more than {MOST_SORTED} numbers that depend on t or y")
    for end in range(values.size - 1, 0, -1):
        for k in range(end):
            low, high = np.minimum(values[k], values[k + 1]), np.maximum(values[k], values[k + 1])
            values[k], values[k + 1] = low, high
    return traced_array(values)


def _median(a: Any, *args: Any, **kwargs: Any) -> Any:
    if args or kwargs:
        raise ended("np.median with further arguments")
    ordered = _sort(a)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else 0.5 * (ordered[middle - 1] + ordered[middle])


def apply_function(function: Any, args: Sequence[Any], kwargs: Dict[str, Any]) -> Any:
    name = getattr(function, "__name__", "")
    own = _FUNCTIONS.get(name)
    if own is not None:
        return own(*args, **kwargs)
    if name in ("zeros_like", "empty_like", "ones_like", "full_like"):
        shape = np.shape(args[0])
        value = {"ones_like": 1.0, "full_like": args[1] if len(args) > 1 else kwargs.get("fill_value")}.get(name, 0.0)
        return traced_array(np.full(shape, value, dtype=object))
    module = getattr(function, "__module__", "")
    if module.startswith("numpy.linalg"):
        raise ended(f"np.linalg.{name} of numbers that depend on t or y")
    if module.startswith("numpy.fft") or name in _REFUSED:
        raise ended(f"np.{name} of numbers that depend on t or y")
    plain_args = [_strip(a) for a in args]
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
    if isinstance(value, (Expr, Cond, Complex)):
        array = np.empty((), dtype=object)
        array[()] = value
        return array
    if isinstance(value, (list, tuple)):
        if _contains_traced(value):
            return type(value)(_strip_items(v) for v in value)
        return value
    return value


def _strip_items(value: Any) -> Any:
    """A part of a list, as an array of objects where it is a list of numbers itself."""
    if isinstance(value, (list, tuple)) and _contains_traced(value):
        parts = [_strip_items(v) for v in value]
        return np.array([p.item() if isinstance(p, np.ndarray) and p.ndim == 0 else p for p in parts], dtype=object)
    return _strip(value)


def _mean(values: Any, axis: Any = None, **kwargs: Any) -> Any:
    size = np.size(values) if axis is None else np.shape(values)[axis]
    return np.add.reduce(values, axis=axis) / size


def _objects(values: Any) -> np.ndarray:
    """What numpy makes of nested lists, as a plain array of objects."""
    if isinstance(values, (list, tuple)):
        return np.array(_strip_items(values), dtype=object)
    return np.asarray(_plain(values), dtype=object)


def _reducer(ufunc: Any) -> Callable[..., Any]:
    def apply(a: Any, axis: Any = None, out: Any = None, keepdims: Any = False, initial: Any = None, **_: Any) -> Any:
        array = traced_array(_objects(a))
        if isinstance(array, (Expr, Cond)):
            return array
        result = ufunc.reduce(array, axis=axis, keepdims=keepdims is True)
        if initial is not None and not isinstance(initial, type(np._NoValue)):
            result = ufunc(result, initial)
        return result

    return apply


def _diff(a: Any, n: int = 1, axis: int = -1, **_: Any) -> Any:
    result = np.asarray(_plain(a), dtype=object)
    for _k in range(n):
        result = np.diff(result, axis=axis)
    return traced_array(result)


def _trapezoid(y: Any, x: Any = None, dx: float = 1.0, axis: int = -1) -> Any:
    values = np.moveaxis(_objects(y), axis, -1)
    steps = dx if x is None else np.diff(_objects(x))
    return traced_array(np.sum(0.5 * (values[..., 1:] + values[..., :-1]) * steps, axis=-1))


def _polyval(p: Any, x: Any) -> Any:
    result: Any = 0.0
    for coefficient in list(p):
        result = result * x + coefficient
    return result


def _piecewise(x: Any, conditions: Any, functions: Any, *args: Any, **kwargs: Any) -> Any:
    wanted = list(conditions) if isinstance(conditions, (list, tuple)) else [conditions]
    values = [f(x, *args, **kwargs) if callable(f) else f for f in functions]
    default = values[len(wanted)] if len(values) > len(wanted) else 0.0
    # The last condition that holds counts.
    result = default
    for condition, value in zip(wanted, values):
        result = _np_where(condition, value, result)
    return result


def _is_close(a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Any:
    return np.abs(a - b) <= atol + rtol * np.abs(b)


def _gradient(f: Any, *spacing: Any, axis: Any = None, edge_order: int = 1) -> Any:
    values = traced_array(_objects(f))
    if values.ndim != 1 or len(spacing) > 1 or np.ndim(spacing[0] if spacing else 1.0) > 0 or edge_order != 1:
        raise ended("np.gradient of several axes, of uneven places or of edge_order 2")
    step = spacing[0] if spacing else 1.0
    return np.concatenate(((values[1:2] - values[:1]) / step, (values[2:] - values[:-2]) / (2 * step), (values[-1:] - values[-2:-1]) / step))


def _convolve(a: Any, v: Any, mode: str = "full") -> Any:
    p, q = _objects(a), _objects(v)
    if p.size < q.size:
        p, q = q, p
    whole = np.array([_inner(p[max(0, k - q.size + 1):k + 1], q[max(0, k - p.size + 1):k + 1][::-1]) for k in range(p.size + q.size - 1)],
                     dtype=object)
    size = {"full": whole.size, "same": p.size, "valid": p.size - q.size + 1}.get(mode)
    if size is None:
        raise ended(f"np.convolve with mode={mode!r}")
    start = (whole.size - size) // 2
    return traced_array(whole[start:start + size])


def _is_in(element: Any, test_elements: Any, assume_unique: bool = False, invert: bool = False, **_: Any) -> Any:
    if _contains_traced(test_elements):
        raise ended("np.isin of what depends on t or y")
    result: Any = False
    for value in np.ravel(test_elements):
        result = np.logical_or(element == value, result)
    return np.logical_not(result) if invert else result


def _choose(index: Any, choices: Any, *_: Any, **__: Any) -> Any:
    if not isinstance(index, (Expr, Cond)):
        raise ended("np.choose by an array")
    rank = index.number() if isinstance(index, Cond) else index
    result = choices[-1]
    for k in range(len(choices) - 2, -1, -1):
        result = _np_where(rank < k + 0.5, choices[k], result)
    return result


def _nan_to_num(x: Any, *_: Any, **__: Any) -> Any:
    return x


_REFUSED = frozenset("sort argsort partition argpartition unique median percentile quantile histogram lexsort argwhere "
                     "in1d intersect1d setdiff1d union1d roots polyfit correlate apply_along_axis fromiter unwrap i0 "
                     "array_equal array_str array_repr array2string".split())
_FUNCTIONS: Dict[str, Callable[..., Any]] = {
    "where": _np_where, "clip": lambda a, a_min=None, a_max=None, **k: _clip(a, k.get("min", a_min), k.get("max", a_max)),
    "norm": norm, "interp": interp, "select": _select, "solve": solve, "inv": inverse, "pinv": inverse, "det": determinant,
    "lstsq": least_squares, "einsum": einsum, "cross": _cross, "sort": _sort, "median": _median,
    "searchsorted": searchsorted, "digitize": digitize, "piecewise": _piecewise, "trapz": _trapezoid, "trapezoid": _trapezoid,
    "argmin": lambda a, axis=None, **k: arg_extremum(_objects(a), True, axis),
    "argmax": lambda a, axis=None, **k: arg_extremum(_objects(a), False, axis),
    "round": _round, "around": _round, "round_": _round, "fix": np.trunc, "isclose": _is_close,
    "allclose": lambda *a, **k: np.logical_and.reduce(np.ravel(_is_close(*a, **k))),
    "count_nonzero": lambda a, axis=None, **k: np.add.reduce(traced_array(_objects(a)) != 0, axis=axis),
    "gradient": _gradient, "convolve": _convolve, "isin": _is_in, "choose": _choose, "nonzero": _indices,
    "flatnonzero": lambda a: _indices(a)[0], "nan_to_num": _nan_to_num, "diff": _diff, "polyval": _polyval,
    "sum": _reducer(np.add), "prod": _reducer(np.multiply), "amax": _reducer(np.maximum), "amin": _reducer(np.minimum),
    "max": _reducer(np.maximum), "min": _reducer(np.minimum), "all": _reducer(np.logical_and), "any": _reducer(np.logical_or),
    "nansum": _reducer(np.add), "nanmax": _reducer(np.maximum), "nanmin": _reducer(np.minimum),
    "mean": lambda a, axis=None, **k: _mean(traced_array(_objects(a)), axis),
    "average": lambda a, axis=None, weights=None, **k: (_mean(traced_array(_objects(a)), axis) if weights is None
                                                       else np.sum(traced_array(_objects(a)) * weights) / np.sum(weights)),
    "var": _variance, "std": lambda a, axis=None, ddof=0, **k: np.sqrt(_variance(a, axis, ddof)),
    "real": lambda a: _by_elements(lambda v: v.real, a), "imag": lambda a: _by_elements(lambda v: v.imag, a),
    "angle": lambda z, deg=False: _by_elements(angle, z) * (180 / math.pi if deg else 1.0),
    "squeeze": lambda a, axis=None: a if isinstance(a, Expr) else traced_array(np.squeeze(_plain(a), axis)),
    "shape": lambda a: np.shape(_objects(a)), "ndim": lambda a: np.ndim(_objects(a)), "size": lambda a, axis=None: np.size(_objects(a)),
    "copy": lambda a, **k: a if isinstance(a, Expr) else a.copy(),
    "sinc": lambda a: traced_array(np.frompyfunc(_scalar(_sinc_of, 1), 1, 1)(np.asarray(_plain(a), dtype=object))),
    "dot": lambda a, b, out=None: _dot(a, b), "vdot": lambda a, b: _dot(np.ravel(_objects(a)), np.ravel(_objects(b))),
    "inner": lambda a, b: _dot(a, np.transpose(_objects(b))), "array_equal": lambda a, b, **k: np.logical_and.reduce(
        np.ravel(traced_array(_objects(a)) == _plain(b))),
}


def _by_elements(function: Callable[[Any], Any], values: Any) -> Any:
    return traced_array(np.frompyfunc(function, 1, 1)(_objects(values)))


def _dot(a: Any, b: Any) -> Any:
    p, q = _objects(a), _objects(b)
    if p.ndim == 0 or q.ndim == 0:
        return traced_array(p) * traced_array(q)
    return traced_array(np.asarray(_product(p, q), dtype=object))
