"""Numbers and conditions that depend on t, y and parameters."""

from __future__ import annotations

import math
import operator
import threading
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import numpy as np

from ._places import line_now
from ._signals import Curve
from ._timeline import OPERATIONS, Line, Timelines, mapped, with_floors, zeros_cut

MOST_NODES = 2_000_000


class Untraceable(Exception):
    """The function cannot be written as an expression of t and y; the text says why."""


class TraceEnded(BaseException):
    """Ends a trace. No ``except Exception`` of a traced function catches it, and the trace remembers that it was raised."""


_local = threading.local()


def ended(reason: str) -> TraceEnded:
    """The exception that ends the current trace; its text tells the line of the user's that is being run."""
    if getattr(_local, "reason", None) is None:
        _local.reason = reason if ", in line " in reason else reason + line_now()
    return TraceEnded(_local.reason)


def take_reason() -> Optional[str]:
    """Why the trace of this thread had to end since this was last asked; None where it had not."""
    reason = getattr(_local, "reason", None)
    _local.reason = None
    return reason


def current_graph() -> Optional["Graph"]:
    """The graph of the trace that this thread makes."""
    return getattr(_local, "graph", None)


def begin_graph(graph: Optional["Graph"]) -> Optional["Graph"]:
    """Makes it that of this thread's trace; returns the one before."""
    outer = current_graph()
    _local.graph = graph
    return outer


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
        self.most_steps = MOST_STEPS
        self.signals: List[Curve] = []
        self.tables: List[Curve] = []
        self.curves: Dict[Any, int] = {}
        self.no_numbers: Dict[int, Any] = {}
        self.angles: Dict[int, Tuple[Expr, Expr]] = {}  # y and x of what is the angle of (x, y)
        # What equations determine: solutions by what they are made of, and by the names of unknowns, with their places.
        self.roots: Dict[Any, Any] = {}
        self.solutions: Dict[str, Tuple[Any, int]] = {}
        self.diagrams: set = set()  # numbers of decisions by several conditions, with the results 1 and −1
        # What a function remembers and asked whether it is true.
        self.read: Dict[int, Expr] = {}
        self._timelines: Optional[Timelines] = None
        # The names that the user's variables give to nodes, by number, and who is told of new nodes.
        self.names: Dict[int, str] = {}
        self.watcher: Any = None

    def node(self, op: str, *args: Any) -> "Expr":
        key = (op, *[id(a) if isinstance(a, Expr) else a for a in args])
        found = self.known.get(key)
        if found is None:
            self.count += 1
            if self.count > MOST_NODES:
                raise ended("the expressions become too large")
            found = Expr(self, op, args, self.count)
            self.known[key] = found
            if self.watcher is not None and op != "const":
                self.watcher.see()
        return found

    def line(self, node: "Expr") -> Optional[Line]:
        """What a node that depends on the time alone is over the run, where it is straight between known times."""
        if not node.timed or self.span is None or self.span[0] == self.span[1]:
            return None
        if self._timelines is None:
            self._timelines = Timelines(self.span, self.signals)
        return self._timelines.of(node)

    def signal(self, curve: Curve) -> "Expr":
        """A characteristic over the time."""
        return self._kept(self.signals, curve, "signal")

    def table(self, curve: Curve, x: "Expr") -> "Expr":
        """A characteristic over another number."""
        return self._kept(self.tables, curve, "table", x)

    def _kept(self, curves: List[Curve], curve: Curve, op: str, *args: "Expr") -> "Expr":
        key = (op, curve.key())
        number = self.curves.setdefault(key, len(curves))
        if number == len(curves):
            curves.append(curve)
        return self.node(op, number, *args)

    def over_time(self, line: Line) -> "Expr":
        """The expression of a line: signals, or a number where it is one throughout."""
        line = line.merged()
        if line.slope.size == 1:
            return _add(_mul(self.constant(line.slope[0]), self.node("time")), self.constant(line.offset[0]))
        starts = line.bounds[:-1]
        if line.is_stepped:
            return self.signal(Curve(starts, line.offset, "hold"))
        if not line.jumps().any():
            ends = line.slope[-1] * line.bounds[-1] + line.offset[-1]
            return self.signal(Curve(line.bounds, np.append(line.slope * starts + line.offset, ends), "linear"))
        return _add(_mul(self.signal(Curve(starts, line.slope, "hold")), self.node("time")),
                    self.signal(Curve(starts, line.offset, "hold")))

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


def in_order(roots: Sequence[Expr], keeps: Optional[Callable[[Expr], bool]] = None) -> List[Expr]:
    """What the roots are made of, operands first; with `keeps`, without the operands that it refuses."""
    reached: Dict[int, Expr] = {}
    stack = list(roots)
    while stack:
        node = stack.pop()
        if node.number not in reached:
            reached[node.number] = node
            stack += [a for a in node.args if isinstance(a, Expr) and (keeps is None or keeps(a))]
    return [reached[k] for k in sorted(reached)]


_PIECEWISE = ("sgn", "abs", "min", "max", "if", "call")


class Expr:
    """A number that depends on t, y and parameters."""

    __slots__ = ("graph", "op", "args", "number", "kinked", "jumps", "stepped", "timed", "remembered", "depth")
    __array_priority__ = 1000.0

    def __init__(self, graph: Graph, op: str, args: Tuple[Any, ...], number: int) -> None:
        self.graph, self.op, self.args, self.number = graph, op, args, number
        # `kinked` says whether it has pieces, on some of which it may be a constant; `stepped` whether it jumps where none of its guards is zero;
        # `remembered` whether it depends on what the function remembers from one call to the next.
        kinked, jumps, remembered, timed, depth = op in _PIECEWISE, op == "if", op == "memory", op in OPERATIONS, 0
        stepped = (op in ("floor", "hysteresis", "held", "call") or (op == "signal" and graph.signals[args[0]].interpolation == "hold")
                   or (op == "table" and graph.tables[args[0]].interpolation == "hold"))
        for a in args:
            if isinstance(a, Expr):
                kinked, jumps, stepped = kinked or a.kinked, jumps or a.jumps, stepped or a.stepped
                remembered, timed, depth = remembered or a.remembered, timed and a.timed, max(depth, a.depth)
        self.kinked: bool = kinked
        self.jumps: bool = jumps
        self.stepped: bool = stepped
        self.remembered: bool = remembered
        self.timed: bool = timed
        self.depth: int = depth + 1

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
    def imag(self) -> "Expr":
        return self.graph.constant(0)

    @property
    def T(self) -> "Expr":
        return self

    def item(self) -> "Expr":
        return self

    @property
    def values(self) -> "Expr":
        return self

    data = values

    def copy(self) -> "Expr":
        return self

    def __copy__(self) -> "Expr":
        return self

    def __deepcopy__(self, _: Any) -> "Expr":
        return self

    def round(self, digits: int = 0) -> "Expr":
        return self.__round__(digits)

    def __reduce_ex__(self, _: Any) -> Any:
        return self._refuse("a copy in a file")

    def squeeze(self) -> "Expr":
        return self

    def conjugate(self) -> "Expr":
        return self

    def astype(self, dtype: Any = float, *_: Any, **__: Any) -> Any:
        kind = kind_of(dtype)
        if kind in "iu":
            return _trunc(self)
        if kind == "b":
            return _condition(self.graph, self)
        if kind == "c":
            from ._complex import complex_of

            return complex_of(self.graph, self)
        return self if kind == "f" else self._refuse(f"the type {dtype}")

    # arithmetic
    def _binary(self, other: Any, combine: Callable[["Expr", "Expr"], "Expr"], swapped: bool = False) -> Any:
        operand = _operand(self.graph, other)
        if operand is not None:
            return combine(operand, self) if swapped else combine(self, operand)
        if isinstance(other, (np.ndarray, list, tuple)):
            pairs = np.frompyfunc(lambda b: self._binary(b, combine, swapped) if isinstance(b, complex) else
                                  combine(_need(self.graph, b), self) if swapped else combine(self, _need(self.graph, b)), 1, 1)
            return _traced_array(pairs(np.asarray(other, dtype=object)))
        if isinstance(other, (complex, np.complexfloating)):
            return self._complex(other, combine, swapped)
        return NotImplemented

    def _complex(self, other: Any, combine: Any, swapped: bool) -> Any:
        from ._complex import complex_of

        pair = (complex_of(self.graph, other), complex_of(self.graph, self))
        operation = {"_add": operator.add, "_sub": operator.sub, "_mul": operator.mul, "_div": operator.truediv}.get(combine.__name__)
        if operation is None:
            raise ended("this operation with a complex number")
        return operation(*(pair if swapped else pair[::-1]))

    def __add__(self, other: Any) -> Any:
        return self._binary(other, _add)

    def __radd__(self, other: Any) -> Any:
        return self._binary(other, _add, True)

    def __sub__(self, other: Any) -> Any:
        return self._binary(other, _sub)

    def __rsub__(self, other: Any) -> Any:
        return self._binary(other, _sub, True)

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, Cond):
            return other.choose(self, self.graph.constant(0))
        return self._binary(other, _mul)

    def __rmul__(self, other: Any) -> Any:
        if isinstance(other, Cond):
            return other.choose(self, self.graph.constant(0))
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
        if isinstance(other, (int, float)) and not self.is_constant:
            known = known_on_path(self)
            if known is not None:
                return known == other
        return self._compare(other, _equal)

    def __ne__(self, other: Any) -> Any:
        return self._compare(other, lambda a, b: _not(_equal(a, b)))

    def __bool__(self) -> bool:
        if self.op == "memory":
            self.graph.read[self.number] = self
        # A number without pieces is zero on a surface alone.
        return bool(_not(_equal(self, self.graph.constant(0))))

    def _refuse(self, what: str) -> Any:
        raise ended(f"{what} of a number that depends on t or y")

    def _known(self, what: str) -> float:
        """The number on this way through the branches, where it is one of a few."""
        if self.is_constant:
            return float(self.args[0])
        from ._paths import current_path

        found = current_path().known.get(self.number)
        if found is None:
            values = _values(self)
            if values is None:
                return float(self._refuse(what))
            low, high = 0, len(values) - 1
            while low < high:
                middle = (low + high) // 2
                if bool(_above(self, self.graph.constant(0.5 * (values[middle] + values[middle + 1])), False)):
                    low = middle + 1
                else:
                    high = middle
            found = current_path().known[self.number] = values[low]
        return found

    def __float__(self) -> float:
        if self.is_constant:
            return float(self.args[0])
        return self._refuse("float()")

    def __int__(self) -> int:
        return int(self._known("int()"))

    def __hash__(self) -> int:
        return hash(self._known("a key of a dict or a set"))

    def __format__(self, how: str) -> str:
        return self._text("format()", how)

    def __str__(self) -> str:
        return self._text("str()")

    def _text(self, what: str, how: str = "") -> str:
        if self.is_constant:
            return str(self.args[0])
        from ._messages import only_tells

        if only_tells():
            return "(a number)"
        value = self._known(what)
        return format(int(value) if integer_valued(self) else value, how)

    def __complex__(self) -> complex:
        return self._refuse("complex()")

    def __index__(self) -> int:
        return int(self._known("an index made"))

    def __round__(self, digits: Any = None) -> Any:
        scale = self.graph.constant(10.0 ** (digits or 0))
        return _div(_floor(_add(_mul(self, scale), self.graph.constant(0.5))), scale)

    def __floor__(self) -> Any:
        return _floor(self)

    def __ceil__(self) -> Any:
        return _neg(_floor(_neg(self)))

    def __trunc__(self) -> Any:
        return _trunc(self)

    def __mod__(self, other: Any) -> Any:
        return self._binary(other, _mod)

    def __rmod__(self, other: Any) -> Any:
        return self._binary(other, _mod, True)

    def __floordiv__(self, other: Any) -> Any:
        return self._binary(other, lambda a, b: _floor(_div(a, b)))

    def __rfloordiv__(self, other: Any) -> Any:
        return self._binary(other, lambda a, b: _floor(_div(a, b)), True)

    # Bits of whole numbers.
    def __and__(self, other: Any) -> Any:
        if integer_valued(self) and type(other) is int and other > 0 and other & (other + 1) == 0:
            return self % (other + 1)
        return NotImplemented

    __rand__ = __and__

    def __rshift__(self, other: Any) -> Any:
        return self // 2**other if integer_valued(self) and type(other) is int else NotImplemented

    def __xor__(self, other: Any) -> Any:
        return self + 1 - 2 * (self % 2) if integer_valued(self) and other == 1 else NotImplemented

    def __divmod__(self, other: Any) -> Any:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> Any:
        return other // self, other % self

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return _apply_ufunc(ufunc, method, inputs, kwargs)

    def __array_function__(self, function: Any, types_: Any, args: Any, kwargs: Any) -> Any:
        return _apply_function(function, args, kwargs)


def _need(graph: Graph, value: Any) -> Expr:
    operand = _operand(graph, value)
    if operand is None:
        raise ended(f"arithmetic with a {type(value).__name__}")
    return operand


def _fold(op: Callable[..., float], *args: Expr) -> Optional[Expr]:
    """The constant that an operation on constants gives; None where there is none."""
    for a in args:
        if a.op != "const":
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
    if a is b and _is_size(a):
        return a.args[0]
    for p, q in ((a, b), (b, a)):
        if q.op == "if" and q.args[0] is p and q.args[1].is_constant and q.args[2].is_constant:
            # x·(x > 0) bends and does not jump.
            low = q.args[2].args[0]
            bend = _call("max", p, p.graph.constant(0))
            return _add(_mul(p.graph.constant(low), p), _mul(p.graph.constant(q.args[1].args[0] - low), bend))
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
    if _is(b, 2) and _is_size(a):
        return a.args[0]
    return _folded_or(lambda p, q: p**q, "^", a, b)


def _is_size(a: Expr) -> bool:
    """Whether it is the root of a sum of squares, whose own square is smooth."""
    return a.op == "sqrt" and a.args[0].op == "+" and all(part.op == "*" and part.args[0] is part.args[1] for part in a.args[0].args)


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
    if guard.number in guard.graph.diagrams:
        return _replaced_leaves(guard, above, below)
    if guard.is_constant:
        return above if guard.args[0] > 0 else below
    if above is guard and _is(below, 0):
        return _call("max", guard, below)
    if below is guard and _is(above, 0):
        return _call("min", guard, above)
    return guard.graph.node("if", guard, above, below)


def _replaced_leaves(diagram: Expr, above: Expr, below: Expr) -> Expr:
    """A diagram with other results at its leaves 1 and −1."""
    made: Dict[int, Expr] = {}

    def replaced(node: Expr) -> Expr:
        if node.is_constant:
            return above if node.args[0] > 0 else below
        found = made.get(node.number)
        if found is None:
            found = made[node.number] = _if(node.args[0], replaced(node.args[1]), replaced(node.args[2]))
        return found

    return replaced(diagram)


MOST_TERMS = 400


def _diagram(difference: Expr, test: Callable[[float], bool]) -> Optional[Expr]:
    """Whether a sum of numbers of few values passes a test: nested ``if`` with the leaves 1 and −1, of which equal ones are one."""
    graph = difference.graph
    offset, terms = 0.0, []  # type: ignore[var-annotated]
    stack = [(1.0, difference)]
    while stack:
        factor, node = stack.pop()
        if node.is_constant:
            offset += factor * node.args[0]
        elif node.op in "+-":
            stack += [(factor, node.args[0]), (factor if node.op == "+" else -factor, node.args[1])]
        elif node.op == "neg":
            stack.append((-factor, node.args[0]))
        elif node.op == "*" and node.args[1].is_constant:
            stack.append((factor * node.args[1].args[0], node.args[0]))
        elif node.op == "*" and node.args[0].is_constant:
            stack.append((factor * node.args[0].args[0], node.args[1]))
        else:
            tree = _pieces(node, [_MOST_PIECES])
            values = None if tree is None else _leaf_values(tree)
            if values is None or len(terms) >= MOST_TERMS:
                return None
            terms.append((node.number, tree, factor, min(factor * v for v in values), max(factor * v for v in values)))
    terms.sort(key=lambda term: term[0])
    lows = [0.0] * (len(terms) + 1)
    highs = [0.0] * (len(terms) + 1)
    for k in reversed(range(len(terms))):
        lows[k], highs[k] = lows[k + 1] + terms[k][3], highs[k + 1] + terms[k][4]
    known: Dict[Tuple[int, float], Expr] = {}
    is_positive = test(1.0) and not test(-1.0)

    def from_term(k: int, total: float) -> Expr:
        key = (k, round(total, 9))
        found = known.get(key)
        if found is not None:
            return found
        if len(known) > 100_000:
            raise ended("a sum of too many conditions that is compared")
        if k == len(terms) or (is_positive and (test(total + lows[k]) or not test(total + highs[k]))):
            end = test(total) if k == len(terms) else test(total + lows[k])
            made = graph.constant(1.0 if end else -1.0)
        else:
            made = of_tree(terms[k][1], k, total)
        known[key] = made
        return made

    def of_tree(tree: Any, k: int, total: float) -> Expr:
        if not isinstance(tree, tuple):
            return from_term(k + 1, total + terms[k][2] * tree.args[0])
        return _if(tree[0], of_tree(tree[1], k, total), of_tree(tree[2], k, total))

    made = from_term(0, offset)
    stack2 = [made]
    while stack2:
        node = stack2.pop()
        if node.op == "if" and node.number not in graph.diagrams:
            graph.diagrams.add(node.number)
            stack2 += [a for a in node.args[1:] if isinstance(a, Expr)]
    return made


def _leaf_values(tree: Any) -> Optional[List[float]]:
    if not isinstance(tree, tuple):
        return [float(tree.args[0])] if tree.is_constant else None
    sides = [_leaf_values(side) for side in tree[1:]]
    return None if sides[0] is None or sides[1] is None else sides[0] + sides[1]


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
    whole = x.graph.line(x)
    if line is None and whole is not None:
        return x.graph.over_time(with_floors_of(whole, x.graph))
    if line is None or line[0] == 0 or span is None:
        return x.graph.node("floor", x)
    a, b = line
    start, end = span
    levels = sorted((math.floor(a * start + b), math.floor(a * end + b)))
    if levels[1] - levels[0] > x.graph.most_steps:
        # The model file counts the steps itself.
        return x.graph.node("floor", x)
    x.graph.steps = max(x.graph.steps, levels[1] - levels[0])
    time = x.graph.node("time")
    # The level below each step is left there upwards, or, where a < 0, downwards.
    result = x.graph.constant(levels[0] if a > 0 else levels[1])
    steps = range(levels[0] + 1, levels[1] + 1)
    for level in steps if a > 0 else reversed(steps):
        above = x.graph.constant(level if a > 0 else level - 1)
        result = _if(_sub(time, x.graph.constant((level - b) / a)), above, result)
    return result


def with_floors_of(line: Line, graph: Graph) -> Line:
    floors = with_floors(line, graph.span)  # type: ignore[arg-type]
    return mapped(Line(floors.bounds, floors.slope, floors.at_middles()), np.floor)


def _trunc(x: Expr) -> Expr:
    if integer_valued(x):
        return x
    folded = _fold(math.trunc, x)
    if folded is not None:
        return folded
    line = x.graph.line(x)
    if line is not None:
        if line.slope.size == 1 and (line.slope * line.bounds + line.offset).min() > -1:
            return _floor(x)
    # Each floor is 0 on the other side already at one half, so that nothing jumps where x is 0: trunc is 0 on both sides of it.
    half = x.graph.constant(0.5)
    return _sub(_floor(_call("max", x, half)), _floor(_call("max", _neg(x), half)))


def integer_valued(node: Expr) -> bool:
    """Whether a number is whole wherever it does not jump."""
    if node.op == "const":
        return bool(node.args[0] == math.floor(node.args[0]))
    if node.op in ("floor", "sgn", "hysteresis"):
        return True
    if node.op in ("signal", "table"):
        curve = (node.graph.signals if node.op == "signal" else node.graph.tables)[node.args[0]]
        return curve.interpolation == "hold" and bool(np.all(curve.values == np.floor(curve.values)))
    if node.op == "if":
        return integer_valued(node.args[1]) and integer_valued(node.args[2])
    if node.op in ("+", "-", "*", "neg", "abs", "min", "max"):
        return all(integer_valued(a) for a in node.args)
    return False


def kind_of(dtype: Any) -> str:
    """The letter of a type of numpy's; the forms of int and float that traced functions see are int and float."""
    if isinstance(dtype, type) and dtype.__name__ in ("int", "float", "bool", "complex"):
        return {"int": "i", "float": "f", "bool": "b", "complex": "c"}[dtype.__name__]
    return str(np.dtype(dtype).kind)


def is_no_number(x: Expr) -> Any:
    """Whether the value of an expression is NaN: a condition, or False."""
    found = x.graph.no_numbers.get(x.number)
    if found is None:
        found = x.graph.no_numbers[x.number] = _is_no_number(x)
    return found


def _is_no_number(x: Expr) -> Any:
    zero, one = x.graph.constant(0), x.graph.constant(1)
    if x.op == "if":
        above, below = is_no_number(x.args[1]), is_no_number(x.args[2])
        if above is False and below is False:
            return False
        side = Cond(x.graph, "positive", x.args[0])
        return _or(_and(side, above), _and(_not(side), below))
    result: Any = False
    for part in x.args:
        if isinstance(part, Expr) and not part.is_constant:
            result = _or(result, is_no_number(part))
    if x.op in ("sqrt", "log") or (x.op == "^" and not (x.args[1].is_constant and integer_valued(x.args[1]))):
        result = _or(result, _less(x.args[0], zero))
    if x.op in ("asin", "acos"):
        result = _or(result, _greater(_call("abs", x.args[0]), one))
    return result


MOST_VALUES = 300


def _values(x: Expr) -> Optional[List[float]]:
    """The values that a number of steps can have, in order; None where they are too many, or not known."""
    line = x.graph.line(x)
    if line is not None:
        if not line.is_stepped:
            return None
        values = np.unique(line.offset)
        return [float(v) for v in values] if values.size <= MOST_VALUES else None
    found = _few_values(x)
    return None if found is None else sorted(found)


def _few_values(x: Expr) -> Optional[set]:
    if x.op == "const":
        return {float(x.args[0])}
    if x.op in ("sgn", "hysteresis"):
        return {-1.0, 1.0}
    if x.op == "if":
        sides = [_few_values(a) for a in x.args[1:]]
        return None if any(side is None for side in sides) else set().union(*sides)  # type: ignore[arg-type]
    if x.op == "table":
        curve = x.graph.tables[x.args[0]]
        return set(map(float, curve.values)) if curve.interpolation == "hold" and curve.values.size <= MOST_VALUES else None
    if x.op in ("neg", "abs", "floor"):
        inner = _few_values(x.args[0])
        one: Any = {"neg": lambda v: -v, "abs": abs, "floor": lambda v: float(math.floor(v))}[x.op]
        return None if inner is None else set(map(one, inner))
    if x.op in ("+", "-", "*", "min", "max"):
        p, q = (_few_values(a) for a in x.args)
        if p is None or q is None or len(p) * len(q) > MOST_VALUES ** 2:
            return None
        two: Any = {"+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "min": min, "max": max}[x.op]
        values = {two(a, b) for a in p for b in q}
        return values if len(values) <= MOST_VALUES else None
    return None


def known_on_path(x: Expr) -> Optional[float]:
    from ._paths import path_or_none

    path = path_or_none()
    return None if path is None else path.known.get(x.number)


def _mod(x: Expr, period: Expr) -> Expr:
    if not period.is_constant or period.args[0] == 0:
        raise ended("the remainder by a number that depends on t or y")
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

    __slots__ = ("graph", "kind", "parts", "source")
    __array_priority__ = 1000.0

    def __hash__(self) -> int:
        return hash(bool(self))

    def __eq__(self, other: Any) -> Any:
        return _elementwise(lambda b: _not(self ^ b), other)

    def __ne__(self, other: Any) -> Any:
        return _elementwise(lambda b: self ^ b, other)

    def __str__(self) -> str:
        return str(bool(self))

    __repr__ = __str__

    def __format__(self, how: str) -> str:
        return format(bool(self), how)

    def __init__(self, graph: Graph, kind: str, *parts: Any) -> None:
        self.graph, self.kind, self.parts = graph, kind, parts
        self.source: Optional[Expr] = None  # the number that is asked whether it is positive

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
        if self.source is not None:
            bend = _bend_of(self.source, yes, no)
            if bend is not None:
                return bend
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

    def astype(self, dtype: Any = float, *_: Any, **__: Any) -> Any:
        return self if kind_of(dtype) == "b" else self.number()

    def __copy__(self) -> "Cond":
        return self

    def __deepcopy__(self, _: Any) -> "Cond":
        return self

    def item(self) -> "Cond":
        return self

    def __index__(self) -> int:
        return int(bool(self))

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
        return self.choose(other, self.graph.constant(0)) if isinstance(other, Expr) else self.number() * other

    def __rmul__(self, other: Any) -> Any:
        return self.choose(other, self.graph.constant(0)) if isinstance(other, Expr) else other * self.number()

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
        value = _not(_equal(value, graph.constant(0)))
        if isinstance(value, Cond):
            return value
    return Cond(graph, "positive", graph.constant(1 if value else -1))


def _above(a: Expr, b: Expr, where_equal: bool) -> Any:
    """Whether a > b; a condition does not tell what holds on its surface, but two numbers may be equal on a whole side."""
    difference = _sub(a, b)
    if difference.kinked:
        found = _simpler_above(difference)
        if found is not None:
            return found
    found = _compared(difference, lambda value: value > 0 or (where_equal and value == 0), "positive")
    if isinstance(found, Cond) and found.source is None:
        found.source = difference
    return found


_INVERSES: Dict[str, Callable[[float], Optional[float]]] = {
    "tanh": lambda c: math.atanh(c) if abs(c) < 1 else None, "exp": lambda c: math.log(c) if c > 0 else None,
    "sinh": math.asinh, "atan": lambda c: math.tan(c) if abs(c) < math.pi / 2 else None}


def _simpler_above(difference: Expr) -> Any:
    """Whether a difference is positive, where what is compared is an angle, or bends inside of a rising function: by guards without these."""
    graph, factor, offset, node = difference.graph, 1.0, 0.0, difference
    while True:
        if node.op == "neg":
            factor, node = -factor, node.args[0]
        elif node.op in ("+", "-") and node.args[1].is_constant:
            offset += factor * (node.args[1].args[0] if node.op == "+" else -node.args[1].args[0])
            node = node.args[0]
        elif node.op in ("+", "-") and node.args[0].is_constant:
            offset += factor * node.args[0].args[0]
            factor, node = (factor if node.op == "+" else -factor), node.args[1]
        elif node.op in ("*", "/") and node.args[1].is_constant and node.args[1].args[0] != 0:
            factor, node = (factor * node.args[1].args[0] if node.op == "*" else factor / node.args[1].args[0]), node.args[0]
        elif node.op == "*" and node.args[0].is_constant and node.args[0].args[0] != 0:
            factor, node = factor * node.args[0].args[0], node.args[1]
        else:
            break
    limit = -offset / factor  # what is compared is above it, or below with a negative factor
    found: Any = None
    if node.number in graph.angles:
        found = _angle_above(*graph.angles[node.number], limit)
    elif node.op == "abs" and node.args[0].number in graph.angles:
        y, x = graph.angles[node.args[0].number]
        if not 0 <= limit < math.pi:
            found = limit < 0
        else:
            size = _call("sqrt", _add(_mul(x, x), _mul(y, y)))
            found = _above(_mul(size, graph.constant(round(math.cos(limit), 15))), x, False)
    elif node.op == "atan2" and node.args[1].op == "abs":
        # An angle of the right half plane.
        p, q = (_mul(part, graph.constant(round(scale, 15)))
                for part, scale in zip(node.args, (math.cos(limit), math.sin(limit))))
        found = limit < 0 if abs(limit) >= math.pi / 2 else _above(p, q, False)
    elif node.op in _INVERSES and node.args[0].kinked:
        inner = _INVERSES[node.op](limit)
        found = limit < 0 if inner is None else _above(node.args[0], graph.constant(inner), False)
    elif node.op == "/" and node.args[1].op == "abs" and not node.args[0].kinked:
        found = _above(node.args[0], _mul(graph.constant(limit), node.args[1]), False)
    return found if found is None or factor > 0 else not found if isinstance(found, bool) else _not(found)


def _angle_above(y: Expr, x: Expr, limit: float) -> Any:
    """Whether the angle of (x, y) is above a limit, by the half planes of y and of the ray at that angle."""
    if not -math.pi <= limit < math.pi:
        return limit < 0
    graph = y.graph
    zero = graph.constant(0)
    upper = _greater(y, zero)
    along, across = (round(part, 15) for part in (math.cos(limit), math.sin(limit)))  # a right angle has a zero
    left = _greater(_sub(_mul(y, graph.constant(along)), _mul(x, graph.constant(across))), zero)
    return (upper & left) if limit >= 0 else (upper | left)


def _bend_of(x: Expr, yes: Expr, no: Expr) -> Optional[Expr]:
    """What is `yes` where x > 0, else `no`, where it bends there and does not jump: max(x, 0), |x| and the like."""
    factors = []
    for side in (yes, no):
        if _is(side, 0):
            factors.append(0.0)
        elif side is x:
            factors.append(1.0)
        elif side.op == "neg" and side.args[0] is x:
            factors.append(-1.0)
        elif side.op == "*" and side.args[0] is x and side.args[1].is_constant:
            factors.append(side.args[1].args[0])
        elif side.op == "*" and side.args[1] is x and side.args[0].is_constant:
            factors.append(side.args[0].args[0])
        else:
            return None
    bend = _call("max", x, x.graph.constant(0))
    above, below = factors
    return _add(_mul(x.graph.constant(below), x), _mul(x.graph.constant(above - below), bend))


def _compared(difference: Expr, test: Callable[[float], bool], kind: str) -> Any:
    if difference.is_constant:
        return test(difference.args[0])
    graph = difference.graph
    if difference.timed and (difference.stepped or (difference.kinked and graph.steps > 0)):
        line = graph.line(difference)
        if line is not None:
            return _condition_over_time(graph, line, test)
    if difference.kinked and not difference.stepped:
        tree = _pieces(difference, [_MOST_PIECES + 8 * graph.steps])
        # A guard has no jumps, so each of its pieces is one.
        if tree is not None and (difference.jumps or _has_zero(tree)):
            return _condition_on(tree, test, kind)
        if tree is not None:
            return Cond(graph, kind, difference)
    if difference.jumps and not difference.stepped:
        diagram = _diagram(difference, test)
        if diagram is not None:
            return bool(diagram.args[0] > 0) if diagram.is_constant else Cond(graph, "positive", diagram)
    if difference.stepped or difference.jumps:
        # Whole numbers are compared half-way between two of them.
        half = graph.constant(0.5 if integer_valued(difference) else 0.0)
        above = Cond(graph, "positive", _sub(difference, half))
        below = Cond(graph, "positive", _sub(_neg(difference), half))
        if kind == "zero":
            return Cond(graph, "and", _not(above), _not(below))
        return _not(below) if test(0.0) else above
    return Cond(difference.graph, kind, difference)


def _condition_over_time(graph: Graph, line: Line, test: Callable[[float], bool]) -> Any:
    """A condition on the time alone."""
    cuts = zeros_cut(line, graph.span)  # type: ignore[arg-type]
    true = np.array([test(value) for value in cuts.at_middles()])
    if true.all() or not true.any():
        return bool(true[0])
    changes = np.nonzero(true[1:] != true[:-1])[0]
    if changes.size == 1:
        time = _sub(graph.node("time"), graph.constant(cuts.bounds[changes[0] + 1]))
        condition = Cond(graph, "positive", time)
        return condition if true[-1] else _not(condition)
    return Cond(graph, "positive", graph.over_time(Line(cuts.bounds, np.zeros(true.size), np.where(true, 1.0, -1.0))))


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
