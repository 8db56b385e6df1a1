"""Python functions as expressions.

A function of t and y is run on expression objects: what it computes becomes a graph, and what it branches on becomes an
``if`` of both sides, for which it is run once for each side. The graph is written as the text of a model file, so that one
reader makes the system, with its surfaces and exact derivatives.
"""

from __future__ import annotations

import builtins
import functools
import math
import threading
import types
from typing import Any, Callable, Dict, Iterable, List, Optional, Sequence, Tuple

import numpy as np

MOST_PATHS = 4096
MOST_DECISIONS = 200
MOST_NODES = 2_000_000


class Untraceable(Exception):
    """The function cannot be written as an expression of t and y; the text says why."""


# ---- expressions --------------------------------------------------------------------------------------------------------


class Graph:
    """The nodes of one trace; equal ones are one."""

    def __init__(self) -> None:
        self.known: Dict[Tuple[Any, ...], Expr] = {}
        self.count = 0

    def node(self, op: str, *args: Any) -> "Expr":
        key = (op,) + tuple(id(a) if isinstance(a, Expr) else a for a in args)
        found = self.known.get(key)
        if found is None:
            self.count += 1
            if self.count > MOST_NODES:
                raise Untraceable("the expressions become too large")
            found = Expr(self, op, args, self.count)
            self.known[key] = found
        return found

    def constant(self, value: float) -> "Expr":
        # -0.0 == 0.0, and 1 == 1.0 == True
        return self.node("const", float(value))


def _operand(graph: Graph, value: Any) -> Optional["Expr"]:
    """The expression of a number; None for what is no number."""
    if isinstance(value, Expr):
        return value
    if isinstance(value, Cond):
        return value.number()
    if isinstance(value, (float, int, np.floating, np.integer, np.bool_)):
        return graph.constant(float(value))
    if isinstance(value, np.ndarray) and value.ndim == 0:
        return _operand(graph, value.item())
    return None


class Expr:
    """A number that depends on t, y and parameters."""

    __slots__ = ("graph", "op", "args", "number")
    __array_priority__ = 1000.0
    __hash__ = object.__hash__

    def __init__(self, graph: Graph, op: str, args: Tuple[Any, ...], number: int) -> None:
        self.graph, self.op, self.args, self.number = graph, op, args, number

    def __repr__(self) -> str:
        return f"<traced {self.op}>"

    @property
    def is_constant(self) -> bool:
        return self.op == "const"

    # numpy's view of a scalar
    shape: Tuple[int, ...] = ()
    ndim = 0
    size = 1

    @property
    def real(self) -> "Expr":
        return self

    @property
    def T(self) -> "Expr":
        return self

    def item(self) -> "Expr":
        return self

    def copy(self) -> "Expr":
        return self

    def squeeze(self) -> "Expr":
        return self

    def conjugate(self) -> "Expr":
        return self

    def astype(self, *_: Any, **__: Any) -> "Expr":
        return self

    # arithmetic
    def _binary(self, other: Any, combine: Callable[["Expr", "Expr"], "Expr"], swapped: bool = False) -> Any:
        operand = _operand(self.graph, other)
        if operand is not None:
            return combine(operand, self) if swapped else combine(self, operand)
        if isinstance(other, (np.ndarray, list, tuple)):
            pairs = np.frompyfunc(
                (lambda b: combine(_need(self.graph, b), self)) if swapped else (lambda b: combine(self, _need(self.graph, b))),
                1, 1)
            return traced_array(pairs(np.asarray(other, dtype=object)))
        return NotImplemented

    def __add__(self, other: Any) -> Any:
        return self._binary(other, _add)

    def __radd__(self, other: Any) -> Any:
        return self._binary(other, _add, True)

    def __sub__(self, other: Any) -> Any:
        return self._binary(other, _sub)

    def __rsub__(self, other: Any) -> Any:
        return self._binary(other, _sub, True)

    def __mul__(self, other: Any) -> Any:
        return self._binary(other, _mul)

    def __rmul__(self, other: Any) -> Any:
        return self._binary(other, _mul, True)

    def __truediv__(self, other: Any) -> Any:
        return self._binary(other, _div)

    def __rtruediv__(self, other: Any) -> Any:
        return self._binary(other, _div, True)

    def __pow__(self, other: Any, modulo: Any = None) -> Any:
        return self._binary(other, _pow)

    def __rpow__(self, other: Any) -> Any:
        return self._binary(other, _pow, True)

    def __neg__(self) -> "Expr":
        return _neg(self)

    def __pos__(self) -> "Expr":
        return self

    def __abs__(self) -> "Expr":
        return _call("abs", self)

    # comparisons
    def _compare(self, other: Any, make: Callable[["Expr", "Expr"], Any]) -> Any:
        operand = _operand(self.graph, other)
        if operand is not None:
            return make(self, operand)
        if isinstance(other, (np.ndarray, list, tuple)):
            pairs = np.frompyfunc(lambda b: make(self, _need(self.graph, b)), 1, 1)
            return traced_array(pairs(np.asarray(other, dtype=object)))
        return NotImplemented

    def __gt__(self, other: Any) -> Any:
        return self._compare(other, _greater)

    def __ge__(self, other: Any) -> Any:
        return self._compare(other, _greater)

    def __lt__(self, other: Any) -> Any:
        return self._compare(other, _less)

    def __le__(self, other: Any) -> Any:
        return self._compare(other, _less)

    def __eq__(self, other: Any) -> Any:
        return self._compare(other, _equal)

    def __ne__(self, other: Any) -> Any:
        return self._compare(other, lambda a, b: _not(_equal(a, b)))

    def __bool__(self) -> bool:
        # A number is true where it is not zero, which it is on a surface alone.
        return self.args[0] != 0 if self.is_constant else True

    def _refuse(self, what: str) -> Any:
        raise Untraceable(f"{what} of a number that depends on t or y")

    def __float__(self) -> float:
        if self.is_constant:
            return float(self.args[0])
        return self._refuse("float()")

    def __int__(self) -> int:
        if self.is_constant:
            return int(self.args[0])
        return self._refuse("int()")

    def __complex__(self) -> complex:
        return self._refuse("complex()")

    def __index__(self) -> int:
        return self._refuse("an index made")

    def __round__(self, digits: Any = None) -> Any:
        return self._refuse("round()")

    def __floor__(self) -> Any:
        return self._refuse("floor()")

    def __ceil__(self) -> Any:
        return self._refuse("ceil()")

    def __trunc__(self) -> Any:
        return self._refuse("trunc()")

    def __mod__(self, other: Any) -> Any:
        return self._refuse("the remainder %")

    def __rmod__(self, other: Any) -> Any:
        return self._refuse("the remainder %")

    def __floordiv__(self, other: Any) -> Any:
        return self._refuse("the quotient //")

    def __rfloordiv__(self, other: Any) -> Any:
        return self._refuse("the quotient //")

    def __divmod__(self, other: Any) -> Any:
        return self._refuse("divmod()")

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return _apply_ufunc(ufunc, method, inputs, kwargs)

    def __array_function__(self, function: Any, types_: Any, args: Any, kwargs: Any) -> Any:
        return _apply_function(function, args, kwargs)


def _need(graph: Graph, value: Any) -> Expr:
    operand = _operand(graph, value)
    if operand is None:
        raise Untraceable(f"arithmetic with a {type(value).__name__}")
    return operand


def _fold(op: Callable[..., float], *args: Expr) -> Optional[Expr]:
    """The constant that an operation on constants gives; None where there is none."""
    if not all(a.is_constant for a in args):
        return None
    try:
        value = op(*(a.args[0] for a in args))
    except (ArithmeticError, ValueError):
        return None
    if isinstance(value, complex) or not math.isfinite(value):
        return None
    return args[0].graph.constant(value)


def _is(node: Expr, value: float) -> bool:
    return node.op == "const" and node.args[0] == value


def _add(a: Expr, b: Expr) -> Expr:
    if _is(a, 0):
        return b
    if _is(b, 0):
        return a
    if b.op == "neg":
        return _sub(a, b.args[0])
    return _fold(lambda p, q: p + q, a, b) or a.graph.node("+", a, b)


def _sub(a: Expr, b: Expr) -> Expr:
    if _is(b, 0):
        return a
    if _is(a, 0):
        return _neg(b)
    if a is b:
        return a.graph.constant(0)
    if b.op == "neg":
        return _add(a, b.args[0])
    return _fold(lambda p, q: p - q, a, b) or a.graph.node("-", a, b)


def _mul(a: Expr, b: Expr) -> Expr:
    if _is(a, 0) or _is(b, 0):
        return a.graph.constant(0)
    if _is(a, 1):
        return b
    if _is(b, 1):
        return a
    if _is(a, -1):
        return _neg(b)
    if _is(b, -1):
        return _neg(a)
    return _fold(lambda p, q: p * q, a, b) or a.graph.node("*", a, b)


def _div(a: Expr, b: Expr) -> Expr:
    if _is(b, 1):
        return a
    return _fold(lambda p, q: p / q, a, b) or a.graph.node("/", a, b)


def _pow(a: Expr, b: Expr) -> Expr:
    if _is(b, 1):
        return a
    if _is(b, 0):
        return a.graph.constant(1)
    return _fold(lambda p, q: p**q, a, b) or a.graph.node("^", a, b)


def _neg(a: Expr) -> Expr:
    if a.op == "neg":
        return a.args[0]
    return _fold(lambda p: -p, a) or a.graph.node("neg", a)


_SMOOTH = {name: getattr(math, name) for name in
           "sin cos tan asin acos atan sinh cosh tanh exp log sqrt atan2".split()}
_FOLDED: Dict[str, Callable[..., float]] = dict(
    _SMOOTH, abs=abs, min=min, max=max, sgn=lambda x: float((x > 0) - (x < 0)))


def _call(name: str, *args: Expr) -> Expr:
    if name in ("min", "max") and args[0] is args[1]:
        return args[0]
    return _fold(_FOLDED[name], *args) or args[0].graph.node(name, *args)


def _if(guard: Expr, above: Expr, below: Expr) -> Expr:
    """`above` where the guard is positive, else `below`."""
    if above is below:
        return above
    if guard.is_constant:
        return above if guard.args[0] > 0 else below
    return guard.graph.node("if", guard, above, below)


# ---- conditions ---------------------------------------------------------------------------------------------------------


class Cond:
    """A condition: guard > 0, or what is made of such."""

    __slots__ = ("graph", "kind", "parts")
    __array_priority__ = 1000.0
    __hash__ = object.__hash__

    def __init__(self, graph: Graph, kind: str, *parts: Any) -> None:
        self.graph, self.kind, self.parts = graph, kind, parts

    shape: Tuple[int, ...] = ()
    ndim = 0
    size = 1

    def __bool__(self) -> bool:
        if self.kind == "positive":
            return _current_path().decide(self.parts[0])
        if self.kind == "zero":
            return False  # on a surface alone
        if self.kind == "not":
            return not bool(self.parts[0])
        if self.kind == "and":
            return bool(self.parts[0]) and bool(self.parts[1])
        return bool(self.parts[0]) or bool(self.parts[1])

    def choose(self, yes: Expr, no: Expr) -> Expr:
        if self.kind == "positive":
            return _if(self.parts[0], yes, no)
        if self.kind == "zero":
            return no
        first = self.parts[0]
        if self.kind == "not":
            return first.choose(no, yes)
        if self.kind == "and":
            return first.choose(self.parts[1].choose(yes, no), no)
        return first.choose(yes, self.parts[1].choose(yes, no))

    def number(self) -> Expr:
        return self.choose(self.graph.constant(1), self.graph.constant(0))

    def _other(self, other: Any) -> "Cond":
        return _condition(self.graph, other)

    def __and__(self, other: Any) -> Any:
        return _elementwise(lambda b: Cond(self.graph, "and", self, self._other(b)), other)

    def __or__(self, other: Any) -> Any:
        return _elementwise(lambda b: Cond(self.graph, "or", self, self._other(b)), other)

    def __xor__(self, other: Any) -> Any:
        def combine(b: Any) -> "Cond":
            b = self._other(b)
            return Cond(self.graph, "or", Cond(self.graph, "and", self, _not(b)), Cond(self.graph, "and", _not(self), b))

        return _elementwise(combine, other)

    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__

    def __invert__(self) -> "Cond":
        return _not(self)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return _apply_ufunc(ufunc, method, inputs, kwargs)

    def __array_function__(self, function: Any, types_: Any, args: Any, kwargs: Any) -> Any:
        return _apply_function(function, args, kwargs)

    def astype(self, *_: Any, **__: Any) -> Expr:
        return self.number()

    def all(self) -> "Cond":
        return self

    any = all

    # In arithmetic a condition is 1 or 0.
    def __add__(self, other: Any) -> Any:
        return self.number() + other

    def __radd__(self, other: Any) -> Any:
        return other + self.number()

    def __sub__(self, other: Any) -> Any:
        return self.number() - other

    def __rsub__(self, other: Any) -> Any:
        return other - self.number()

    def __mul__(self, other: Any) -> Any:
        return self.number() * other

    def __rmul__(self, other: Any) -> Any:
        return other * self.number()

    def __truediv__(self, other: Any) -> Any:
        return self.number() / other

    def __rtruediv__(self, other: Any) -> Any:
        return other / self.number()

    def __neg__(self) -> Any:
        return -self.number()

    def __float__(self) -> float:
        return float(self.number())

    def __int__(self) -> int:
        return int(bool(self))


def _elementwise(function: Callable[[Any], Any], other: Any) -> Any:
    if isinstance(other, (np.ndarray, list, tuple)) and np.ndim(other) > 0:
        return traced_array(np.frompyfunc(function, 1, 1)(np.asarray(other, dtype=object)))
    return function(other)


def _condition(graph: Graph, value: Any) -> Cond:
    if isinstance(value, Cond):
        return value
    if isinstance(value, Expr):
        return _not(_equal(value, graph.constant(0)))
    return Cond(graph, "positive", graph.constant(1 if value else -1))


def _greater(a: Expr, b: Expr) -> Any:
    if a.is_constant and b.is_constant:
        return a.args[0] > b.args[0]
    return Cond(a.graph, "positive", _sub(a, b))


def _less(a: Expr, b: Expr) -> Any:
    # The surface is the same whichever way it is asked for.
    if a.is_constant and not b.is_constant:
        return _greater(b, a)
    return _not(_greater(a, b))


def _equal(a: Expr, b: Expr) -> Any:
    if a is b:
        return True
    if a.is_constant and b.is_constant:
        return a.args[0] == b.args[0]
    return Cond(a.graph, "zero", _sub(a, b))


def _not(condition: Any) -> Any:
    if isinstance(condition, Cond):
        return condition.parts[0] if condition.kind == "not" else Cond(condition.graph, "not", condition)
    return not condition


def _where(condition: Any, yes: Any, no: Any) -> Any:
    if not isinstance(condition, (Cond, Expr)):
        return yes if condition else no
    condition = _condition(condition.graph, condition)
    return condition.choose(_need(condition.graph, yes), _need(condition.graph, no))


# ---- paths --------------------------------------------------------------------------------------------------------------

_local = threading.local()


class Path:
    """One run of a function: what it decided at each branch, the first of which are prescribed."""

    def __init__(self, prescribed: Sequence[Tuple[Expr, bool]]) -> None:
        self.decisions: List[Tuple[Expr, bool]] = []
        self.prescribed = prescribed
        self.bounds: Dict[int, Tuple[float, float]] = {}

    def decide(self, guard: Expr) -> bool:
        if guard.is_constant:
            return guard.args[0] > 0
        core, sign, offset = _normal_form(guard)
        low, high = self.bounds.get(id(core), (-math.inf, math.inf))
        limit = -offset * sign  # sign·core + offset > 0  ⇔  core > limit, or core < limit for sign −1
        if low >= limit:
            return sign > 0
        if high <= limit:
            return sign < 0
        number = len(self.decisions)
        if number >= MOST_DECISIONS:
            raise Untraceable("a loop whose length depends on t or y, or more than "
                              f"{MOST_DECISIONS} branches in a row")
        answer = self.prescribed[number][1] if number < len(self.prescribed) else True
        self.decisions.append((guard, answer))
        above = answer == (sign > 0)
        self.bounds[id(core)] = (max(low, limit), high) if above else (low, min(high, limit))
        return answer


def _normal_form(guard: Expr) -> Tuple[Expr, int, float]:
    """sign·core + offset of the same sign as the guard."""
    sign, offset = 1, 0.0
    while True:
        if guard.op == "neg":
            sign, guard = -sign, guard.args[0]
        elif guard.op in "+-" and guard.args[1].is_constant:
            offset += sign * (guard.args[1].args[0] if guard.op == "+" else -guard.args[1].args[0])
            guard = guard.args[0]
        elif guard.op in "+-" and guard.args[0].is_constant:
            offset += sign * guard.args[0].args[0]
            sign = sign if guard.op == "+" else -sign
            guard = guard.args[1]
        elif guard.op in "*/" and guard.args[1].is_constant and guard.args[1].args[0] != 0:
            factor = guard.args[1].args[0] if guard.op == "*" else 1 / guard.args[1].args[0]
            offset /= abs(factor)
            sign = sign if factor > 0 else -sign
            guard = guard.args[0]
        elif guard.op == "*" and guard.args[0].is_constant and guard.args[0].args[0] != 0:
            factor = guard.args[0].args[0]
            offset /= abs(factor)
            sign = sign if factor > 0 else -sign
            guard = guard.args[1]
        else:
            return guard, sign, offset


def _current_path() -> Path:
    path = getattr(_local, "path", None)
    if path is None:
        raise Untraceable("a branch outside of the function that is traced")
    return path


def explore(run: Callable[[], List[Expr]]) -> List[Expr]:
    """The results of a function over all the ways it can branch."""
    count = 0

    def once(prescribed: Sequence[Tuple[Expr, bool]]) -> List[Expr]:
        nonlocal count
        count += 1
        if count > MOST_PATHS:
            raise Untraceable(f"more than {MOST_PATHS} ways through the branches")
        path = Path(prescribed)
        outer = getattr(_local, "path", None)
        _local.path = path
        try:
            results = run()
        finally:
            _local.path = outer
        for k in reversed(range(len(prescribed), len(path.decisions))):
            guard, answer = path.decisions[k]
            others = once(path.decisions[:k] + [(guard, not answer)])
            if len(others) != len(results):
                raise Untraceable("the number of results depends on a branch")
            results = [_if(guard, r, o) if answer else _if(guard, o, r) for r, o in zip(results, others)]
        return results

    return once([])


# ---- numpy --------------------------------------------------------------------------------------------------------------


class TracedArray(np.ndarray):
    """An array of expressions."""

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:  # type: ignore[override]
        return _apply_ufunc(ufunc, method, inputs, kwargs)

    def __array_function__(self, function: Any, types_: Any, args: Any, kwargs: Any) -> Any:  # type: ignore[override]
        return _apply_function(function, args, kwargs)

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
    "heaviside": _scalar(_step, 2), "hypot": _scalar(_hypot, 2), "expm1": _scalar(_expm1, 1),
    "log1p": _scalar(_log1p, 1), "log10": _scalar(_scaled_log(10), 1), "log2": _scalar(_scaled_log(2), 1),
    "exp2": _scalar(lambda x: _pow(x.graph.constant(2), x), 1), "cbrt": _scalar(_cbrt, 1),
    "square": _scalar(lambda x: _mul(x, x), 1), "reciprocal": _scalar(lambda x: _div(x.graph.constant(1), x), 1),
    "deg2rad": _scalar(_scale(math.pi / 180), 1), "radians": _scalar(_scale(math.pi / 180), 1),
    "rad2deg": _scalar(_scale(180 / math.pi), 1), "degrees": _scalar(_scale(180 / math.pi), 1),
    "add": _scalar(_add, 2), "subtract": _scalar(_sub, 2), "multiply": _scalar(_mul, 2), "divide": _scalar(_div, 2),
    "true_divide": _scalar(_div, 2), "power": _scalar(_pow, 2), "float_power": _scalar(_pow, 2),
    "negative": _scalar(_neg, 1), "positive": _scalar(lambda x: x, 1), "conjugate": _scalar(lambda x: x, 1),
    "greater": _scalar(_greater, 2), "greater_equal": _scalar(_greater, 2), "less": _scalar(_less, 2),
    "less_equal": _scalar(_less, 2), "equal": _scalar(_equal, 2),
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


def _apply_ufunc(ufunc: Any, method: str, inputs: Sequence[Any], kwargs: Dict[str, Any]) -> Any:
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
    function = np.frompyfunc(plain, 2, 1) if items.ndim > 1 else plain
    # In pairs, so that the depth of a long sum stays small.
    parts = list(items)
    while len(parts) > 1:
        joined = [function(a, b) for a, b in zip(parts[::2], parts[1::2])]
        parts = joined + ([parts[-1]] if len(parts) % 2 else [])
    result = parts[0]
    if isinstance(initial, (int, float)):
        result = function(result, initial)  # type: ignore[call-arg]
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


def _apply_function(function: Any, args: Sequence[Any], kwargs: Dict[str, Any]) -> Any:
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


# ---- the names that a function uses -------------------------------------------------------------------------------------


def _shim(name: str, real: Callable[..., Any], own: Callable[..., Any]) -> Callable[..., Any]:
    """`own` where an argument is traced, else the real function."""

    @functools.wraps(real)
    def apply(*args: Any, **kwargs: Any) -> Any:
        if any(_contains_traced(a) for a in args):
            return own(*args, **kwargs)
        return real(*args, **kwargs)

    return apply


def _fold_extremum(name: str) -> Callable[..., Any]:
    ufunc = np.maximum if name == "max" else np.minimum

    def apply(*args: Any, **kwargs: Any) -> Any:
        if kwargs:
            raise Untraceable(f"{name}() with key= or default=")
        values = list(args[0]) if len(args) == 1 else list(args)
        return functools.reduce(lambda a, b: ufunc(a, b), values)

    return apply


def _make_array(real: Callable[..., Any]) -> Callable[..., Any]:
    def apply(values: Any, *args: Any, **kwargs: Any) -> Any:
        if _contains_traced(values):
            array = np.array(_strip_nested(values), dtype=object)
            return traced_array(array)
        return real(values, *args, **kwargs)

    return functools.wraps(real)(apply)


def _strip_nested(values: Any) -> Any:
    if isinstance(values, TracedArray):
        return values.view(np.ndarray)
    if isinstance(values, (list, tuple)):
        return [_strip_nested(v) for v in values]
    return values


def _make_filled(real: Callable[..., Any]) -> Callable[..., Any]:
    def apply(*args: Any, **kwargs: Any) -> Any:
        array = real(*args, **kwargs)
        if array.dtype.kind == "f" and array.ndim > 0:
            return traced_array(array.astype(object) if real is not np.empty else np.zeros(array.shape).astype(object))
        return array

    return functools.wraps(real)(apply)


class _Module:
    """A module with some of its functions replaced."""

    def __init__(self, real: Any, own: Dict[str, Any]) -> None:
        self._real, self._own = real, own

    def __getattr__(self, name: str) -> Any:
        own = self._own.get(name)
        return own if own is not None else getattr(self._real, name)


def _refusal(name: str) -> Callable[..., Any]:
    def apply(*args: Any, **kwargs: Any) -> Any:
        raise Untraceable(f"{name}() of a number that depends on t or y")

    return apply


_MATH: Dict[str, Any] = {}
for _name in ("sin", "cos", "tan", "sinh", "cosh", "tanh", "exp", "log", "sqrt", "fabs", "hypot", "expm1", "log1p", "log10",
              "log2", "radians", "degrees", "isnan", "isinf", "isfinite"):
    _MATH[_name] = _shim(_name, getattr(math, _name), getattr(np, _name))
for _name, _numpy in (("asin", np.arcsin), ("acos", np.arccos), ("atan", np.arctan), ("atan2", np.arctan2), ("pow", np.power)):
    _MATH[_name] = _shim(_name, getattr(math, _name), _numpy)
_MATH["fsum"] = _shim("fsum", math.fsum, lambda values: np.add.reduce(traced_array(list(values))))
_MATH["copysign"] = _shim("copysign", math.copysign, lambda a, b: abs(a) * np.sign(b))
for _name in ("floor", "ceil", "trunc", "fmod", "remainder", "gamma", "lgamma", "erf", "erfc", "modf", "frexp"):
    _MATH[_name] = _shim(_name, getattr(math, _name), _refusal("math." + _name))

_NUMPY: Dict[str, Any] = {}
for _name in ("array", "asarray", "asfarray", "ascontiguousarray", "asanyarray", "float64", "atleast_1d"):
    if hasattr(np, _name):
        _NUMPY[_name] = _make_array(getattr(np, _name))
for _name in ("zeros", "empty", "ones", "full"):
    _NUMPY[_name] = _make_filled(getattr(np, _name))


def _identity_or_array(values: Any, *args: Any, **kwargs: Any) -> Any:
    return values


_NUMPY["float64"] = _shim("float64", np.float64, lambda x: x)
_NUMPY["atleast_1d"] = np.atleast_1d
_BUILTINS: Dict[str, Any] = dict(vars(builtins))
_BUILTINS["min"] = _shim("min", min, _fold_extremum("min"))
_BUILTINS["max"] = _shim("max", max, _fold_extremum("max"))
_BUILTINS["sum"] = _shim("sum", sum, lambda values, start=0: functools.reduce(lambda a, b: a + b, values, start))


class _Float(float):
    """float(x) leaves a traced x as it is."""

    def __new__(cls, value: Any = 0.0) -> Any:
        if isinstance(value, (Expr, Cond)):
            return _need(value.graph, value)
        if isinstance(value, TracedArray) and value.size == 1:
            return value.ravel()[0]
        return float(value)


class _FloatMeta(type):
    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, (float, Expr))


_BUILTINS["float"] = _FloatMeta("float", (_Float,), {"__new__": _Float.__new__})


def _import(name: str, *args: Any, **kwargs: Any) -> Any:
    """What an import inside of a traced function gets."""
    module = builtins.__import__(name, *args, **kwargs)
    return _REPLACED.get(id(module), module)


_BUILTINS["__import__"] = _import

_REPLACED: Dict[int, Any] = {id(math): _Module(math, _MATH), id(np): _Module(np, _NUMPY)}
for _name, _own in list(_MATH.items()):
    _REPLACED[id(getattr(math, _name))] = _own
for _name, _own in list(_NUMPY.items()):
    _REPLACED[id(getattr(np, _name))] = _own
_REPLACED[id(min)], _REPLACED[id(max)] = _BUILTINS["min"], _BUILTINS["max"]

# Functions of these are not looked into.
_OPAQUE = ("numpy", "scipy", "math", "builtins", "pandas", "matplotlib", "slideway", "jax", "torch", "numba")


class Rewriter:
    """Copies of functions that use traced forms of math, of numpy's makers of arrays, and of min, max and float."""

    def __init__(self) -> None:
        self.made: Dict[int, Any] = {}
        self.kept: List[Any] = []  # so that ids stay what they are

    def rewrite(self, value: Any) -> Any:
        replaced = _REPLACED.get(id(value))
        if replaced is not None:
            return replaced
        if isinstance(value, types.FunctionType):
            module = (value.__module__ or "").split(".")[0]
            return value if module in _OPAQUE else self._function(value)
        if isinstance(value, types.MethodType):
            function = self.rewrite(value.__func__)
            return types.MethodType(function, value.__self__)
        if isinstance(value, functools.partial):
            return functools.partial(self.rewrite(value.func), *value.args, **value.keywords)
        return value

    def callable(self, value: Any) -> Any:
        """The same for what is called, which may be an object."""
        if not isinstance(value, (types.FunctionType, types.MethodType, functools.partial)):
            method = getattr(type(value), "__call__", None)
            if isinstance(method, types.FunctionType):
                return types.MethodType(self.rewrite(method), value)
        # What the user hands over is looked into wherever it comes from.
        return self._function(value) if isinstance(value, types.FunctionType) else self.rewrite(value)

    def _function(self, function: types.FunctionType) -> Any:
        known = self.made.get(id(function))
        if known is not None:
            return known
        names = _names_of(function.__code__)
        new_globals: Dict[str, Any] = dict(function.__globals__)
        new_globals["__builtins__"] = _BUILTINS
        copy = types.FunctionType(function.__code__, new_globals, function.__name__, function.__defaults__, None)\
            if not function.__closure__ else None
        cells = None
        if function.__closure__:
            cells = tuple(types.CellType() for _ in function.__closure__)
            copy = types.FunctionType(function.__code__, new_globals, function.__name__, function.__defaults__, cells)
        assert copy is not None
        copy.__kwdefaults__ = function.__kwdefaults__
        self.made[id(function)] = copy
        self.kept.append(function)
        for name in names:
            if name in new_globals:
                new_globals[name] = self.rewrite(new_globals[name])
        if cells is not None and function.__closure__ is not None:
            for cell, old in zip(cells, function.__closure__):
                try:
                    cell.cell_contents = self.rewrite(old.cell_contents)
                except ValueError:
                    pass  # an empty cell
        return copy


def _names_of(code: types.CodeType) -> set:
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= _names_of(constant)
    return names


# ---- tracing ------------------------------------------------------------------------------------------------------------


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


# ---- text ---------------------------------------------------------------------------------------------------------------


def number_text(value: float) -> str:
    if not math.isfinite(value):
        raise Untraceable("a number that is not finite")
    if value == int(value) and abs(value) < 1e15:
        return str(int(value))
    return repr(float(value))


_LEVELS = {"+": 1, "-": 1, "*": 2, "/": 2, "neg": 3, "^": 4}
_SURFACE_MAKERS = {"if": 1, "sgn": 1, "abs": 1, "min": 2, "max": 2}


class Writer:
    """Expressions as text, with definitions for what is used more than once."""

    def __init__(self, time: str = "t", prefix: str = "_", define: bool = True) -> None:
        self.time, self.prefix, self.define = time, prefix, define
        self.definitions: Dict[str, str] = {}
        self.text: Dict[int, Tuple[str, int, int]] = {}  # text, level, depth
        self.inline: Dict[int, Optional[Tuple[str, int]]] = {}

    def write(self, roots: Sequence[Expr]) -> List[str]:
        reached: Dict[int, Expr] = {}
        uses: Dict[int, int] = {}
        stack = list(roots)
        while stack:
            node = stack.pop()
            uses[node.number] = uses.get(node.number, 0) + 1
            if node.number in reached:
                continue
            reached[node.number] = node
            stack.extend(a for a in node.args if isinstance(a, Expr))
        for number in sorted(reached):
            if number not in self.text:
                self._write_node(reached[number], uses[number])
        return [self.text[root.number][0] for root in roots]

    def _write_node(self, node: Expr, uses: int) -> None:
        def part(k: int) -> Tuple[str, int]:
            a = node.args[k]
            if k < _SURFACE_MAKERS.get(node.op, 0):
                short = self.inline.get(a.number)
                if short is not None:
                    return short
            text, level, _ = self.text[a.number]
            return text, level

        def short_part(k: int) -> Optional[Tuple[str, int]]:
            return self.inline.get(node.args[k].number)

        text, level = self._compose(node, part)
        operands = [a for a in node.args if isinstance(a, Expr)]
        shorts = [short_part(k) for k in range(len(operands))]
        if all(s is not None for s in shorts):
            short = self._compose(node, lambda k: shorts[k])  # type: ignore[arg-type, return-value]
            self.inline[node.number] = short if len(short[0]) <= 80 else None
        else:
            self.inline[node.number] = None
        depth = 1 + max((self.text[a.number][2] for a in operands), default=0)
        if self.define and operands and ((uses > 1 and len(text) > 10) or depth > 25 or len(text) > 1000):
            name = f"{self.prefix}{len(self.definitions) + 1}"
            self.definitions[name] = text
            text, level, depth = name, 9, 1
        self.text[node.number] = (text, level, depth)

    def _compose(self, node: Expr, part: Callable[[int], Tuple[str, int]]) -> Tuple[str, int]:
        op = node.op
        if op == "const":
            text = number_text(node.args[0])
            return (text, 9) if not text.startswith("-") else (text, 3)
        if op == "name":
            return node.args[0], 9
        if op == "time":
            return (self.time, 9) if not self.time.startswith("-") else (f"({self.time})", 9)

        def bracket(k: int, least: int) -> str:
            text, level = part(k)
            return text if level >= least else f"({text})"

        if op in "+-":
            return f"{bracket(0, 1)} {op} {bracket(1, 2)}", 1
        if op in "*/":
            return f"{bracket(0, 2)}{op}{bracket(1, 4)}", 2
        if op == "neg":
            return f"-{bracket(0, 4)}", 2
        if op == "^":
            return f"{bracket(0, 9)}^{bracket(1, 9)}", 4
        if op == "if":
            guard = node.args[0]
            if guard.op == "-" and part(0)[0] == self._difference(guard):
                condition = self._comparison(guard)
            else:
                condition = f"{part(0)[0]} > 0"
            return f"if({condition}, {part(1)[0]}, {part(2)[0]})", 9
        return f"{op}({', '.join(part(k)[0] for k in range(len(node.args)))})", 9

    def _sides(self, guard: Expr) -> Tuple[Tuple[str, int], Tuple[str, int]]:
        def side(a: Expr) -> Tuple[str, int]:
            short = self.inline.get(a.number)
            return short if short is not None else self.text[a.number][:2]

        return side(guard.args[0]), side(guard.args[1])

    def _difference(self, guard: Expr) -> str:
        (a, la), (b, lb) = self._sides(guard)
        return f"{a if la >= 1 else f'({a})'} - {b if lb >= 2 else f'({b})'}"

    def _comparison(self, guard: Expr) -> str:
        (a, _), (b, _) = self._sides(guard)
        return f"{a} > {b}"


RESERVED = set("sin cos tan asin acos atan atan2 sinh cosh tanh exp log sqrt pow sgn step if abs min max sum t pi i j "
               "impact".split())
