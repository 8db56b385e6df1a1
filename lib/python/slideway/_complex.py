"""Complex numbers whose parts are expressions."""

from __future__ import annotations

import cmath
import math
import operator
from typing import Any, Callable, Dict, Optional

import numpy as np

from ._expressions import Cond, Expr, Graph, _add, _call, _div, _if, _mul, _need, _neg, _operand, _sub, ended


class Complex:
    """A complex number that depends on t, y and parameters."""

    __slots__ = ("re", "im")
    __array_priority__ = 1500.0
    made = False  # whether there has ever been one, without which no array is searched for them

    def __init__(self, re: Expr, im: Expr) -> None:
        self.re, self.im = re, im
        Complex.made = True

    shape = ()
    ndim = 0
    size = 1

    @property
    def graph(self) -> Graph:
        return self.re.graph

    @property
    def real(self) -> Expr:
        return self.re

    @property
    def imag(self) -> Expr:
        return self.im

    def __repr__(self) -> str:
        return "<traced complex number>"

    def conjugate(self) -> "Complex":
        return Complex(self.re, _neg(self.im))

    def item(self) -> "Complex":
        return self

    copy = item

    @property
    def is_real(self) -> bool:
        return bool(self.im.is_constant and self.im.args[0] == 0)

    def __abs__(self) -> Expr:
        return _call("abs", self.re) if self.is_real else _call("sqrt", self.squared_size())

    def squared_size(self) -> Expr:
        return _add(_mul(self.re, self.re), _mul(self.im, self.im))

    def __neg__(self) -> "Complex":
        return Complex(_neg(self.re), _neg(self.im))

    def __pos__(self) -> "Complex":
        return self

    def __add__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: Complex(_add(a.re, b.re), _add(a.im, b.im)))

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: Complex(_sub(a.re, b.re), _sub(a.im, b.im)))

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __mul__(self, other: Any) -> Any:
        return self._with(other, _product)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        return self._with(other, _quotient)

    def __rtruediv__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: _quotient(b, a))

    def __pow__(self, power: Any, modulo: Any = None) -> Any:
        if isinstance(power, (int, np.integer)) and abs(power) <= 64:
            result: Any = 1.0
            for _ in range(abs(int(power))):
                result = self * result
            return result if power >= 0 else 1.0 / result
        return exponential(power * logarithm(self))

    def __rpow__(self, base: Any) -> Any:
        if isinstance(base, (int, float)) and base > 0:
            return exponential(self * math.log(base))
        return NotImplemented

    def _with(self, other: Any, combine: Callable[["Complex", "Complex"], Any]) -> Any:
        if isinstance(other, (np.ndarray, list, tuple)) and np.ndim(other) > 0:
            from ._arrays import traced_array

            return traced_array(np.frompyfunc(lambda b: self._with(b, combine), 1, 1)(np.asarray(other, dtype=object)))
        operand = complex_of(self.graph, other)
        return NotImplemented if operand is None else combine(self, operand)

    def _refuse(self, *_: Any) -> Any:
        raise ended("a comparison, or a truth value, of a complex number that depends on t or y")

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __bool__ = __float__ = __int__ = __hash__ = __str__ = _refuse  # type: ignore[assignment]

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        from ._arrays import apply_ufunc

        return apply_ufunc(ufunc, method, inputs, kwargs)

    def __array_function__(self, function: Any, types_: Any, args: Any, kwargs: Any) -> Any:
        from ._arrays import apply_function

        return apply_function(function, args, kwargs)


def complex_of(graph: Graph, value: Any) -> Optional[Complex]:
    """A number as a complex one; None for what is no number."""
    if isinstance(value, Complex):
        return value
    if isinstance(value, (complex, np.complexfloating)):
        return Complex(graph.constant(value.real), graph.constant(value.imag))
    real = _operand(graph, value)
    return None if real is None else Complex(real, graph.constant(0))


def is_complex(value: Any) -> bool:
    return isinstance(value, (Complex, complex, np.complexfloating))


def _product(a: Complex, b: Complex) -> Complex:
    return Complex(_sub(_mul(a.re, b.re), _mul(a.im, b.im)), _add(_mul(a.re, b.im), _mul(a.im, b.re)))


def _quotient(a: Complex, b: Complex) -> Complex:
    if b.is_real:
        return Complex(_div(a.re, b.re), _div(a.im, b.re))
    product, size = _product(a, b.conjugate()), b.squared_size()
    return Complex(_div(product.re, size), _div(product.im, size))


def exponential(z: Complex) -> Complex:
    size = _call("exp", z.re)
    return Complex(_mul(size, _call("cos", z.im)), _mul(size, _call("sin", z.im)))


def angle(z: Any) -> Any:
    """The angle of a number, from −π to π; that of a real one is 0 or π."""
    if isinstance(z, (Expr, Cond)):
        z = complex_of(z.graph, z)
    if isinstance(z, Complex) and z.is_real:
        return _if(z.re, z.graph.constant(0), z.graph.constant(math.pi))
    return np.arctan2(z.im, z.re) if isinstance(z, Complex) else cmath.phase(z)


def logarithm(z: Complex) -> Complex:
    return Complex(_mul(z.graph.constant(0.5), _call("log", z.squared_size())), angle(z))


def root(z: Complex) -> Complex:
    half = z.graph.constant(0.5)
    size, turn = _call("sqrt", abs(z)), _mul(half, angle(z))
    return Complex(_mul(size, _call("cos", turn)), _mul(size, _call("sin", turn)))


def _sine(z: Complex) -> Complex:
    return Complex(_mul(_call("sin", z.re), _call("cosh", z.im)), _mul(_call("cos", z.re), _call("sinh", z.im)))


def _cosine(z: Complex) -> Complex:
    return Complex(_mul(_call("cos", z.re), _call("cosh", z.im)), _neg(_mul(_call("sin", z.re), _call("sinh", z.im))))


def polar(z: Any) -> Any:
    return abs(z), angle(z)


def rectangular(size: Any, turn: Any) -> Complex:
    graph = (size if isinstance(size, Expr) else turn).graph
    r, phi = _need(graph, size), _need(graph, turn)
    return Complex(_mul(r, _call("cos", phi)), _mul(r, _call("sin", phi)))


# What functions of numpy's give of complex numbers.
_OPERATIONS: Dict[str, Callable[..., Any]] = {
    "add": operator.add, "subtract": operator.sub, "multiply": operator.mul, "divide": operator.truediv, "true_divide": operator.truediv,
    "power": operator.pow, "negative": operator.neg, "positive": operator.pos, "absolute": abs}
_FUNCTIONS: Dict[str, Callable[[Complex], Any]] = {
    "conjugate": Complex.conjugate, "exp": exponential, "log": logarithm, "sqrt": root, "sin": _sine, "cos": _cosine,
    "square": lambda z: z * z, "reciprocal": lambda z: 1.0 / z}


def form_of(name: str, plain: Optional[Callable[..., Any]]) -> Optional[Callable[..., Any]]:
    """A function of numpy's by elements, for which complex numbers are, too, where there have been any."""
    own = _OPERATIONS.get(name) or _FUNCTIONS.get(name)

    def apply(*values: Any) -> Any:
        if not any(map(is_complex, values)):
            if plain is None:
                raise ended(f"np.{name} of a number that depends on t or y")
            return plain(*values)
        if own is None:
            raise ended(f"np.{name} of a complex number that depends on t or y")
        return own(*values)

    return apply
