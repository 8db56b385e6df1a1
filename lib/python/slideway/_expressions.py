"""Numbers and conditions that depend on t, y and parameters."""

from __future__ import annotations

import math
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import numpy as np

MOST_NODES = 2_000_000


class Untraceable(Exception):
    """The function cannot be written as an expression of t and y; the text says why."""


def _traced_array(values: Any) -> Any:
    from ._arrays import traced_array

    return traced_array(values)


def _apply_ufunc(ufunc: Any, method: str, inputs: Sequence[Any], kwargs: Dict[str, Any]) -> Any:
    from ._arrays import apply_ufunc

    return apply_ufunc(ufunc, method, inputs, kwargs)


def _apply_function(function: Any, args: Sequence[Any], kwargs: Dict[str, Any]) -> Any:
    from ._arrays import apply_function

    return apply_function(function, args, kwargs)


class Graph:
    """The nodes of one trace; equal ones are one."""

    def __init__(self) -> None:
        self.known: Dict[Tuple[Any, ...], Expr] = {}
        self.count = 0
        # The times of the run, where they are known: on them floor(t) is a staircase of so many steps.
        self.span: Optional[Tuple[float, float]] = None
        self.steps = 0

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


_PIECEWISE = ("sgn", "abs", "min", "max", "if")


class Expr:
    """A number that depends on t, y and parameters."""

    __slots__ = ("graph", "op", "args", "number", "kinked", "jumps")
    __array_priority__ = 1000.0
    __hash__ = object.__hash__

    def __init__(self, graph: Graph, op: str, args: Tuple[Any, ...], number: int) -> None:
        self.graph, self.op, self.args, self.number = graph, op, args, number
        # Whether it has pieces, on some of which it may be a constant.
        self.kinked: bool = op in _PIECEWISE or any(isinstance(a, Expr) and a.kinked for a in args)
        self.jumps: bool = op == "if" or any(isinstance(a, Expr) and a.jumps for a in args)

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
            return _traced_array(pairs(np.asarray(other, dtype=object)))
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
            return _traced_array(pairs(np.asarray(other, dtype=object)))
        return NotImplemented

    def __gt__(self, other: Any) -> Any:
        return self._compare(other, _greater)

    def __ge__(self, other: Any) -> Any:
        return self._compare(other, _greater_equal)

    def __lt__(self, other: Any) -> Any:
        return self._compare(other, _less)

    def __le__(self, other: Any) -> Any:
        return self._compare(other, _less_equal)

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
        return _floor(self)

    def __ceil__(self) -> Any:
        return self._refuse("ceil()")

    def __trunc__(self) -> Any:
        return self._refuse("trunc()")

    def __mod__(self, other: Any) -> Any:
        return self._binary(other, _mod)

    def __rmod__(self, other: Any) -> Any:
        return self._binary(other, _mod, True)

    def __floordiv__(self, other: Any) -> Any:
        return self._binary(other, lambda a, b: _floor(_div(a, b)))

    def __rfloordiv__(self, other: Any) -> Any:
        return self._binary(other, lambda a, b: _floor(_div(a, b)), True)

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


def _folded_or(function: Callable[..., float], op: str, *args: Expr) -> Expr:
    folded = _fold(function, *args)
    return args[0].graph.node(op, *args) if folded is None else folded


def _is(node: Expr, value: float) -> bool:
    return node.op == "const" and node.args[0] == value


def _add(a: Expr, b: Expr) -> Expr:
    if _is(a, 0):
        return b
    if _is(b, 0):
        return a
    if b.op == "neg":
        return _sub(a, b.args[0])
    if b.is_constant and b.args[0] < 0 and not a.is_constant:
        return _sub(a, a.graph.constant(-b.args[0]))
    return _folded_or(lambda p, q: p + q, "+", a, b)


def _sub(a: Expr, b: Expr) -> Expr:
    if _is(b, 0):
        return a
    if _is(a, 0):
        return _neg(b)
    if a is b:
        return a.graph.constant(0)
    if b.op == "neg":
        return _add(a, b.args[0])
    if b.is_constant and b.args[0] < 0 and not a.is_constant:
        return _add(a, a.graph.constant(-b.args[0]))
    return _folded_or(lambda p, q: p - q, "-", a, b)


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
    return _folded_or(lambda p, q: p * q, "*", a, b)


def _div(a: Expr, b: Expr) -> Expr:
    if _is(b, 1):
        return a
    return _folded_or(lambda p, q: p / q, "/", a, b)


def _pow(a: Expr, b: Expr) -> Expr:
    if _is(b, 1):
        return a
    if _is(b, 0):
        return a.graph.constant(1)
    return _folded_or(lambda p, q: p**q, "^", a, b)


def _neg(a: Expr) -> Expr:
    if a.op == "neg":
        return a.args[0]
    return _folded_or(lambda p: -p, "neg", a)


_SMOOTH = {name: getattr(math, name) for name in
           "sin cos tan asin acos atan sinh cosh tanh exp log sqrt atan2".split()}
_FOLDED: Dict[str, Callable[..., float]] = dict(
    _SMOOTH, abs=abs, min=min, max=max, sgn=lambda x: float((x > 0) - (x < 0)))


def _call(name: str, *args: Expr) -> Expr:
    if name in ("min", "max") and args[0] is args[1]:
        return args[0]
    return _folded_or(_FOLDED[name], name, *args)


def _if(guard: Expr, above: Expr, below: Expr) -> Expr:
    """`above` where the guard is positive, else `below`."""
    if above is below:
        return above
    if guard.is_constant:
        return above if guard.args[0] > 0 else below
    return guard.graph.node("if", guard, above, below)


# ---- staircases ---------------------------------------------------------------------------------------------------------

MOST_STEPS = 300


def _affine_in_time(node: Expr) -> Optional[Tuple[float, float]]:
    """a and b of a·t + b; None for what is not of this form."""
    if node.is_constant:
        return 0.0, float(node.args[0])
    if node.op == "time":
        return 1.0, 0.0
    if node.op not in ("neg", "+", "-", "*", "/"):
        return None
    parts = [_affine_in_time(a) for a in node.args]
    if any(part is None for part in parts):
        return None
    (a, b), (c, d) = parts[0], parts[-1]  # type: ignore[misc]
    if node.op == "neg":
        return -a, -b
    if node.op == "+":
        return a + c, b + d
    if node.op == "-":
        return a - c, b - d
    if node.op == "*":
        return (a * d + b * c, b * d) if a == 0 or c == 0 else None
    return (a / d, b / d) if c == 0 and d != 0 else None


def _floor(x: Expr) -> Expr:
    folded = _fold(math.floor, x)
    if folded is not None:
        return folded
    if x.kinked:
        mapped = _mapped(x, math.floor)
        if mapped is not None:
            return mapped
    line, span = _affine_in_time(x), x.graph.span
    if line is None or line[0] == 0 or span is None:
        raise Untraceable("floor() or a remainder of a number that depends on y, or on t in another way than a·t + b")
    a, b = line
    start, end = span
    levels = sorted((math.floor(a * start + b), math.floor(a * end + b)))
    if levels[1] - levels[0] > MOST_STEPS:
        raise Untraceable(f"a staircase of more than {MOST_STEPS} steps")
    x.graph.steps = max(x.graph.steps, levels[1] - levels[0])
    time = x.graph.node("time")
    # The level below each step is left there upwards, or, where a < 0, downwards.
    result = x.graph.constant(levels[0] if a > 0 else levels[1])
    steps = range(levels[0] + 1, levels[1] + 1)
    for level in steps if a > 0 else reversed(steps):
        above = x.graph.constant(level if a > 0 else level - 1)
        result = _if(_sub(time, x.graph.constant((level - b) / a)), above, result)
    return result


def _mod(x: Expr, period: Expr) -> Expr:
    if not period.is_constant or period.args[0] == 0:
        raise Untraceable("the remainder by a number that depends on t or y")
    folded = _fold(lambda p, q: p % q, x, period)
    if folded is not None:
        return folded
    if x.kinked:
        mapped = _mapped(x, lambda value: value % period.args[0])
        if mapped is not None:
            return mapped
    return _sub(x, _mul(period, _floor(_div(x, period))))


def _mapped(x: Expr, function: Callable[[float], float]) -> Optional[Expr]:
    """The function of a number that is constant on each of its pieces; None of any other."""
    tree = _pieces(x, [_MOST_PIECES + 8 * x.graph.steps])

    def build(part: Any) -> Optional[Expr]:
        if not isinstance(part, tuple):
            return x.graph.constant(function(part.args[0])) if part.is_constant else None
        above, below = build(part[1]), build(part[2])
        return None if above is None or below is None else _if(part[0], above, below)

    return None if tree is None else build(tree)


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
            from ._paths import current_path

            return current_path().decide(self.parts[0])
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
        return _traced_array(np.frompyfunc(function, 1, 1)(np.asarray(other, dtype=object)))
    return function(other)


def _condition(graph: Graph, value: Any) -> Cond:
    if isinstance(value, Cond):
        return value
    if isinstance(value, Expr):
        return _not(_equal(value, graph.constant(0)))
    return Cond(graph, "positive", graph.constant(1 if value else -1))


def _above(a: Expr, b: Expr, where_equal: bool) -> Any:
    """Whether a > b; a condition does not tell what holds on its surface, but two numbers may be equal on a whole side."""
    return _compared(_sub(a, b), lambda value: value > 0 or (where_equal and value == 0), "positive")


def _compared(difference: Expr, test: Callable[[float], bool], kind: str) -> Any:
    if difference.is_constant:
        return test(difference.args[0])
    if difference.kinked:
        tree = _pieces(difference, [_MOST_PIECES + 8 * difference.graph.steps])
        # A guard has no jumps, so each of its pieces is one.
        if tree is not None and (difference.jumps or _has_zero(tree)):
            return _condition_on(tree, test, kind)
    return Cond(difference.graph, kind, difference)


# A tree of pieces is an expression without kinks, or (guard, the tree where it is positive, the tree where it is not).
_MOST_PIECES = 24


def _pieces(node: Expr, left: List[int]) -> Any:
    """The pieces of an expression; None where there are too many."""
    if not node.kinked:
        return node
    left[0] -= 1
    if left[0] < 0:
        return None
    op, graph = node.op, node.graph
    if op not in ("neg", "+", "-", "*", "/", "sgn", "abs", "min", "max", "if"):
        return node
    if op == "sgn":
        return (node.args[0], graph.constant(1), graph.constant(-1))
    if op == "abs":
        whole: Any = (node.args[0], node.args[0], _neg(node.args[0]))
    elif op in ("min", "max"):
        p, q = node.args
        whole = (_sub(p, q), p, q) if op == "max" else (_sub(p, q), q, p)
    elif op == "if":
        whole = node.args
    else:
        trees = [_pieces(a, left) for a in node.args]
        if any(tree is None for tree in trees):
            return None
        combine: Any = {"neg": _neg, "+": _add, "-": _sub, "*": _mul, "/": _div}[op]
        return _joined(combine, trees, left)
    guard, above, below = whole
    trees = [_pieces(above, left), _pieces(below, left)]
    return None if any(tree is None for tree in trees) else (guard, *trees)


def _joined(combine: Callable[..., Expr], trees: List[Any], left: List[int]) -> Any:
    for k, tree in enumerate(trees):
        if isinstance(tree, tuple):
            left[0] -= 1
            if left[0] < 0:
                return None
            sides = [_joined(combine, trees[:k] + [side] + trees[k + 1:], left) for side in tree[1:]]
            return None if any(side is None for side in sides) else (tree[0], *sides)
    return combine(*trees)


def _has_zero(tree: Any) -> bool:
    if isinstance(tree, tuple):
        return _has_zero(tree[1]) or _has_zero(tree[2])
    return bool(_is(tree, 0))


def _condition_on(tree: Any, test: Callable[[float], bool], kind: str) -> Any:
    if not isinstance(tree, tuple):
        return test(tree.args[0]) if tree.is_constant else Cond(tree.graph, kind, tree)
    side = _compared(tree[0], lambda value: value > 0, "positive")
    above, below = (_condition_on(part, test, kind) for part in tree[1:])
    return _or(_and(side, above), _and(_not(side), below))


def _and(a: Any, b: Any) -> Any:
    if isinstance(a, bool):
        return b if a else False
    if isinstance(b, bool):
        return a if b else False
    return Cond(a.graph, "and", a, b)


def _or(a: Any, b: Any) -> Any:
    if isinstance(a, bool):
        return True if a else b
    if isinstance(b, bool):
        return True if b else a
    return Cond(a.graph, "or", a, b)


def _greater(a: Expr, b: Expr) -> Any:
    return _above(a, b, False)


def _greater_equal(a: Expr, b: Expr) -> Any:
    return _above(a, b, True)


def _less(a: Expr, b: Expr) -> Any:
    # The surface is the same whichever way it is asked for.
    return _above(b, a, False) if a.is_constant else _not(_above(a, b, True))


def _less_equal(a: Expr, b: Expr) -> Any:
    return _above(b, a, True) if a.is_constant else _not(_above(a, b, False))


def _equal(a: Expr, b: Expr) -> Any:
    return _compared(_sub(a, b), lambda value: value == 0, "zero")


def _not(condition: Any) -> Any:
    if isinstance(condition, Cond):
        return condition.parts[0] if condition.kind == "not" else Cond(condition.graph, "not", condition)
    return not condition


def _where(condition: Any, yes: Any, no: Any) -> Any:
    if not isinstance(condition, (Cond, Expr)):
        return yes if condition else no
    condition = _condition(condition.graph, condition)
    return condition.choose(_need(condition.graph, yes), _need(condition.graph, no))
