"""Copies of a user's functions that use traced forms of math, numpy and the builtins."""

from __future__ import annotations

import bisect
import builtins
import cmath
import collections
import copy
import dis
import functools
import logging
import math
import sys
import threading
import types
import warnings
from typing import Any, Callable, Dict, List, Optional, Set, Tuple

import numpy as np

from ._algebra import SparseMatrix
from ._arrays import TracedArray, _cast, _contains_traced, _objects, apply_function, traced_array
from ._complex import Complex, angle, complex_of, exponential, is_complex, logarithm, polar, rectangular, root
from ._expressions import Cond, Expr, _condition, _need, ended
from ._columns import form_of as columns_form_of
from ._lookup import SampleList, Samples, SampleTuple, interpolator
from ._lookup import bisect as _bisect
from ._masks import length
from ._scipy import form_of as scipy_form_of

_local = threading.local()


def _shim(name: str, real: Callable[..., Any], own: Callable[..., Any]) -> Callable[..., Any]:
    """`own` where an argument is traced, else the real function."""

    @functools.wraps(real)
    def apply(*args: Any, **kwargs: Any) -> Any:
        if any(_contains_traced(a) for a in args):
            return own(*args, **kwargs)
        return real(*args, **kwargs)

    return apply


class CaughtError(ValueError):
    """What math raises of a number outside of a function's domain."""


def _with_domain(outside: Callable[[Any], Any], own: Callable[..., Any]) -> Callable[..., Any]:
    """A function of math, which raises outside of its domain where the traced function may catch that."""

    def apply(x: Any, *args: Any) -> Any:
        if getattr(_local, "catches", False) and bool(outside(x)):
            raise CaughtError("math domain error")
        return own(x, *args)

    return apply


def _fold_extremum(name: str) -> Callable[..., Any]:
    ufunc: Any = np.maximum if name == "max" else np.minimum

    def apply(*args: Any, **kwargs: Any) -> Any:
        if kwargs:
            return getattr(builtins, name)(*args, **kwargs)
        values = list(args[0]) if len(args) == 1 else list(args)
        return functools.reduce(lambda a, b: ufunc(a, b), values)

    return apply


def _real_types(args: Any, kwargs: Any) -> Any:
    """Arguments with int and float themselves in the place of the forms that traced functions see."""
    forms = {id(_BUILTINS.get("int")): int, id(_BUILTINS.get("float")): float, id(_BUILTINS.get("complex")): complex}
    return (tuple(forms.get(id(a), a) for a in args), {name: forms.get(id(a), a) for name, a in kwargs.items()})


def _make_array(real: Callable[..., Any]) -> Callable[..., Any]:
    def apply(values: Any, *args: Any, **kwargs: Any) -> Any:
        args, kwargs = _real_types(args, kwargs)
        if _contains_traced(values):
            array = traced_array(np.array(_strip_nested(values), dtype=object))
            dtype = kwargs.get("dtype", args[0] if args else None)
            return array if dtype is None else _cast(array, dtype) if isinstance(array, TracedArray) else array.astype(dtype)
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
        args, kwargs = _real_types(args, kwargs)
        array = real(*args, **kwargs)
        if array.dtype.kind in "fc" and array.ndim > 0:
            return traced_array(array.astype(object) if real is not np.empty else np.zeros(array.shape, array.dtype).astype(object))
        return array

    return functools.wraps(real)(apply)


class _Module:
    """A module with some of its functions replaced."""

    def __init__(self, real: Any, own: Dict[str, Any], wrap: Callable[[Any], Any] = lambda value: value) -> None:
        self._real, self._own, self._wrap = real, own, wrap

    def __getattr__(self, name: str) -> Any:
        own = self._own.get(name)
        if own is None:
            own = self._wrap(getattr(self._real, name))
            self.__dict__[name] = own
        return own


class _Maker:
    """A class of interpolators, of which a traced function makes one whenever it is called."""

    def __init__(self, real: Any) -> None:
        self._real = real

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        made = self._real(*map(_plain_samples, args), **{name: _plain_samples(value) for name, value in kwargs.items()})
        return interpolator(made) or made


def _plain_samples(value: Any) -> Any:
    if _contains_traced(value):
        raise ended("an interpolator of numbers that depend on t or y")
    if isinstance(value, np.ndarray):
        return value.view(np.ndarray)
    return type(value).__mro__[1](map(_plain_samples, value)) if isinstance(value, (SampleList, SampleTuple)) else value


class _Silent:
    """What only tells something to a person: it says nothing while a function is traced."""

    def __getattr__(self, name: str) -> Any:
        return self

    def __call__(self, *_: Any, **__: Any) -> Any:
        return self

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: Any) -> None:
        pass


class _Ufunc:
    """A function of numpy's by elements, which takes lists of expressions too."""

    def __init__(self, real: Any) -> None:
        self._real = real

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if any(isinstance(a, (list, tuple)) and _contains_traced(a) for a in args):
            args = tuple(traced_array(_objects(a)) if isinstance(a, (list, tuple)) else a for a in args)
        return self._real(*args, **kwargs)


def _numpy_form(value: Any) -> Any:
    """The form of something of numpy's that takes expressions."""
    known = _REPLACED.get(id(value))
    if known is not None:
        return known
    if isinstance(value, np.ufunc):
        return _Ufunc(value)
    if isinstance(value, types.ModuleType):
        return _Module(value, {}, _numpy_form) if value.__name__ in ("numpy.linalg", "numpy.ma") else value
    if not isinstance(value, type) and callable(value) and (getattr(value, "__module__", None) or "").startswith("numpy"):
        return _dispatched(value)
    return value


def _dispatched(real: Any) -> Any:
    @functools.wraps(real)
    def apply(*args: Any, **kwargs: Any) -> Any:
        args, kwargs = _real_types(args, kwargs)
        if any(isinstance(a, (list, tuple)) and _contains_traced(a) for a in args):
            return apply_function(real, args, kwargs)
        return real(*args, **kwargs)

    return apply


def _vectorized(function: Any) -> Callable[..., Any]:
    def apply(*args: Any) -> Any:
        made = np.frompyfunc(function, len(args), 1)(*map(_objects, args))
        return traced_array(made) if _contains_traced(made) else made

    return apply


def _refusal(name: str) -> Callable[..., Any]:
    def apply(*args: Any, **kwargs: Any) -> Any:
        raise ended(f"{name}() of a number that depends on t or y")

    return apply


_MATH: Dict[str, Any] = {}
for _name in ("sin", "cos", "tan", "sinh", "cosh", "tanh", "exp", "log", "sqrt", "fabs", "hypot", "expm1", "log1p", "log10",
              "log2", "radians", "degrees", "isnan", "isinf", "isfinite"):
    _MATH[_name] = _shim(_name, getattr(math, _name), getattr(np, _name))
_numpy: Any
for _name, _numpy in (("asin", np.arcsin), ("acos", np.arccos), ("atan", np.arctan), ("atan2", np.arctan2), ("pow", np.power)):
    _MATH[_name] = _shim(_name, getattr(math, _name), _numpy)
for _name, _outside in (("sqrt", lambda x: x < 0), ("log", lambda x: x <= 0), ("log10", lambda x: x <= 0),
                        ("log2", lambda x: x <= 0), ("log1p", lambda x: x <= -1), ("acos", lambda x: abs(x) > 1),
                        ("asin", lambda x: abs(x) > 1)):
    _numpy = getattr(np, {"acos": "arccos", "asin": "arcsin"}.get(_name, _name))
    _own_form = _with_domain(_outside, _numpy if _name != "log" else (lambda x, base=None: (
        np.log(x) if base is None else np.log(x) / np.log(base))))
    _MATH[_name] = _shim(_name, getattr(math, _name), _own_form)
_MATH["fsum"] = _shim("fsum", math.fsum, lambda values: np.add.reduce(traced_array(list(values))))
_MATH["copysign"] = _shim("copysign", math.copysign, np.copysign)
for _name in ("floor", "ceil", "trunc", "fmod"):
    _MATH[_name] = _shim(_name, getattr(math, _name), getattr(np, _name))
for _name, _numpy in (("asinh", np.arcsinh), ("acosh", np.arccosh), ("atanh", np.arctanh)):
    _MATH[_name] = _shim(_name, getattr(math, _name), _numpy)
_MATH["modf"] = _shim("modf", math.modf, lambda x: (x - np.trunc(x), np.trunc(x)))
_MATH["dist"] = _shim("dist", math.dist, lambda p, q: np.sqrt(sum((a - b) ** 2 for a, b in zip(p, q))))
_MATH["prod"] = _shim("prod", math.prod, lambda values, start=1: functools.reduce(lambda a, b: a * b, values, start))
_MATH["isclose"] = _shim("isclose", math.isclose, lambda a, b, rel_tol=1e-9, abs_tol=0.0: (
    abs(a - b) <= np.maximum(rel_tol * np.maximum(abs(a), abs(b)), abs_tol)))
_MATH["remainder"] = _shim("remainder", math.remainder, lambda x, y: x - y * np.floor(x / y + 0.5))
for _name in ("gamma", "lgamma", "erf", "erfc", "frexp", "factorial", "comb"):
    _MATH[_name] = _shim(_name, getattr(math, _name), _refusal("math." + _name))

_NUMPY: Dict[str, Any] = {}
for _name in ("array", "asarray", "asfarray", "ascontiguousarray", "asanyarray", "float64", "atleast_1d"):
    if hasattr(np, _name):
        _NUMPY[_name] = _make_array(getattr(np, _name))
for _name in ("zeros", "empty", "ones", "full"):
    _NUMPY[_name] = _make_filled(getattr(np, _name))


_NUMPY["nan"], _NUMPY["inf"] = np.nan, np.inf
_NUMPY["float64"] = _shim("float64", np.float64, lambda x: x)
_NUMPY["atleast_1d"] = np.atleast_1d
_BUILTINS: Dict[str, Any] = dict(vars(builtins))
_BUILTINS["min"] = _shim("min", min, _fold_extremum("min"))
_BUILTINS["max"] = _shim("max", max, _fold_extremum("max"))
_BUILTINS["len"] = length
_BUILTINS["print"] = lambda *_, **__: None
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


class _Int(int):
    """int(x) of a traced x is what it is, cut off towards zero."""

    def __new__(cls, value: Any = 0, *args: Any) -> Any:
        if isinstance(value, (Expr, Cond)) and not args:
            return np.trunc(_need(value.graph, value))
        if isinstance(value, TracedArray) and value.size == 1:
            return np.trunc(value.ravel()[0])
        return int(value, *args) if args else int(value)


class _IntMeta(type):
    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, int)


def _complex(_: Any, *parts: Any, **named: Any) -> Any:
    """complex(a, b) of traced parts."""
    values = [*parts, *named.values()]
    if not any(isinstance(v, (Expr, Cond, Complex)) for v in values):
        return complex(*parts, **named)
    graph = next(v.graph for v in values if isinstance(v, (Expr, Cond, Complex)))
    re, im = complex_of(graph, named.get("real", parts[0] if parts else 0.0)), complex_of(graph, named.get("imag", parts[1] if len(parts) > 1 else 0.0))
    assert re is not None and im is not None
    return re + 1j * im


class _ComplexMeta(type):
    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, (complex, Complex))


_BUILTINS["complex"] = _ComplexMeta("complex", (complex,), {"__new__": _complex})
_BUILTINS["int"] = _IntMeta("int", (_Int,), {"__new__": _Int.__new__})
_BUILTINS["float"] = _FloatMeta("float", (_Float,), {"__new__": _Float.__new__})


def _import(name: str, *args: Any, **kwargs: Any) -> Any:
    """What an import inside of a traced function gets."""
    module = builtins.__import__(name, *args, **kwargs)
    if isinstance(module, types.ModuleType) and module.__name__ in _SCIPY:
        return _Module(module, {}, lambda item: scipy_form_of(item) or item)
    return _REPLACED.get(id(module), module)


_BUILTINS["__import__"] = _import

def _of_bisect(side: str) -> Callable[..., Any]:
    real = getattr(bisect, side)

    @functools.wraps(real)
    def apply(a: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
        return _bisect(a, x, *args, **kwargs) if isinstance(x, Expr) else real(a, x, *args, **kwargs)

    return apply


_BISECT = {_name: _of_bisect(_name) for _name in ("bisect", "bisect_left", "bisect_right")}
_CMATH = {_name: _shim(_name, getattr(cmath, _name), lambda z, _own=_own: _own(complex_of(z.graph, z))) for _name, _own in (
    ("exp", exponential), ("log", logarithm), ("sqrt", root), ("phase", angle), ("polar", polar))}
_CMATH["rect"] = _shim("rect", cmath.rect, rectangular)
_COPY = {_name: (lambda real: lambda value, *args: value.copy() if isinstance(value, TracedArray) else real(value, *args))(
    getattr(copy, _name)) for _name in ("copy", "deepcopy")}
_REPLACED: Dict[int, Any] = {}
_REPLACED.update({id(math): _Module(math, _MATH), id(np): _Module(np, _NUMPY, _numpy_form), id(bisect): _Module(bisect, _BISECT),
                  id(copy): _Module(copy, _COPY), id(cmath): _Module(cmath, _CMATH), id(logging): _Silent(), id(warnings): _Silent(), id(warnings.warn): _Silent()})
for _name, _own in _BISECT.items():
    _REPLACED[id(getattr(bisect, _name))] = _own
for _name, _own in _CMATH.items():
    _REPLACED[id(getattr(cmath, _name))] = _own
for _name, _own in _COPY.items():
    _REPLACED[id(getattr(copy, _name))] = _own
for _name, _own in list(_MATH.items()):
    _REPLACED[id(getattr(math, _name))] = _own
for _name, _own in list(_NUMPY.items()):
    _REPLACED[id(getattr(np, _name))] = _own
_REPLACED[id(min)], _REPLACED[id(max)] = _BUILTINS["min"], _BUILTINS["max"]

# Functions of these are not looked into.
_OPAQUE = ("numpy", "scipy", "math", "builtins", "pandas", "matplotlib", "slideway", "jax", "torch", "numba")


_SCIPY = ("scipy", "scipy.interpolate", "scipy.signal", "scipy.linalg", "scipy.optimize")
_STANDARD = frozenset(getattr(sys, "stdlib_module_names", ()))
MOST_OBJECTS = 20_000


def _is_opaque(module: Optional[str]) -> bool:
    top = (module or "").split(".")[0]
    return top in _OPAQUE or (top in _STANDARD and top != "__main__")


class Bound:
    """A function with its last arguments given, which still tells its name."""

    def __init__(self, function: Any, args: Tuple[Any, ...]) -> None:
        self.function, self.args = function, args

    def __call__(self, t: Any, y: Any) -> Any:
        return self.function(t, y, *self.args)


class Parts(Bound):
    """The same of a function with complex results, as their real and imaginary parts in turn."""

    def __call__(self, t: Any, y: Any) -> Any:
        value = super().__call__(t, y)
        items = np.asarray(_strip_nested(value), dtype=object).ravel()
        return [part for item in items for part in ((item.real, item.imag) if is_complex(item) else (item, 0.0))]


class BufferWritten(BaseException):
    """A traced function writes into an array of the user's."""


class _Buffer(Samples):
    """An array of the user's that the function may turn out to write into."""

    def __setitem__(self, key: Any, value: Any) -> None:
        raise BufferWritten(getattr(self, "origin", None))


class Rewriter:
    """Copies of functions, and of what they reach, that use traced forms of math, numpy and the builtins.

    What a traced function changes are these copies: the user's objects never hold an expression.
    """

    def __init__(self) -> None:
        self.made: Dict[int, Any] = {}
        self.kept: List[Any] = []  # so that ids stay what they are
        self.codes: Set[Any] = set()
        self.catches = False
        self.buffers: Set[int] = set()  # arrays that are written into
        self.scopes: Dict[int, Dict[str, Any]] = {}
        self.classes: Dict[type, Any] = {}

    def forget(self) -> None:
        """Copies are made anew."""
        self.made, self.scopes, self.classes = {}, {}, {}

    def rewrite(self, value: Any) -> Any:
        kind = type(value)
        if kind in (float, int, bool, str, type(None), complex, bytes):
            return value
        replaced = _REPLACED.get(id(value))
        if replaced is not None:
            return replaced
        known = self.made.get(id(value))
        if known is not None:
            return known
        if len(self.made) > MOST_OBJECTS:
            return value
        made = self._made(value, kind)
        if made is not value:
            self._keep(value, made)
        return made

    def _keep(self, value: Any, made: Any) -> None:
        self.made[id(value)] = made
        self.kept.append(value)

    def _made(self, value: Any, kind: type) -> Any:
        if kind is types.FunctionType:
            module = value.__module__ or ""
            if module.split(".")[0] == "numpy":
                return _numpy_form(value)
            if module.startswith("scipy"):
                return scipy_form_of(value) or value
            return value if _is_opaque(module) else self._function(value)
        if kind is types.MethodType:
            function = value.__func__
            if not isinstance(function, types.FunctionType) or _is_opaque(function.__module__):
                return value
            return types.MethodType(self.rewrite(function), self.rewrite(value.__self__))
        if isinstance(value, functools.partial):
            return functools.partial(self.rewrite(value.func), *map(self.rewrite, value.args),
                                     **{k: self.rewrite(v) for k, v in value.keywords.items()})
        if kind is functools._lru_cache_wrapper:
            return self.rewrite(value.__wrapped__)
        if isinstance(value, np.ufunc):
            return _Ufunc(value)
        if kind is np.vectorize:
            return _vectorized(self.rewrite(value.pyfunc))
        if kind is np.ndarray:
            return self._array(value)
        if kind in (list, tuple, dict, set, collections.deque, collections.OrderedDict, collections.defaultdict):
            return self._container(value, kind)
        module = kind.__module__ or ""
        if module.startswith("scipy.interpolate"):
            return interpolator(value) or value
        if module.startswith(("pandas", "xarray")) and not isinstance(value, type):
            return columns_form_of(value) or value
        if module.startswith("scipy.sparse"):
            return SparseMatrix(value) if hasattr(value, "tocsr") else value
        if isinstance(value, logging.Logger):
            return _Silent()
        if isinstance(value, tuple):  # a named one
            return kind._make(map(self.rewrite, value)) if hasattr(kind, "_make") and not _is_opaque(module) else value
        if isinstance(value, type) and value.__module__.startswith("scipy.interpolate"):
            return _Maker(value)
        if isinstance(value, types.ModuleType) and value.__name__ in _SCIPY:
            return _Module(value, {}, self.rewrite)
        if isinstance(value, types.ModuleType):
            return value if _is_opaque(value.__name__) else _Module(value, {}, self.rewrite)
        if isinstance(value, (type, types.BuiltinFunctionType)) or _is_opaque(module):
            return value
        if hasattr(value, "__dict__"):
            return self._instance(value, kind)
        return value

    def _array(self, value: np.ndarray) -> Any:
        if value.dtype.kind not in "fiub" or value.ndim == 0:
            return value
        if id(value) in self.buffers:
            return value.astype(object).view(TracedArray)
        view = value.view(_Buffer)
        view.flags.writeable = False
        view.origin = id(value)
        return view

    def _container(self, value: Any, kind: type) -> Any:
        if kind in (list, tuple):
            plain = all(type(v) in (float, int) for v in value)
            items = value if plain else [self.rewrite(v) for v in value]
            return SampleList(items) if kind is list else SampleTuple(items)
        made = copy.copy(value)
        self._keep(value, made)
        if isinstance(made, dict):
            for key, item in value.items():
                made[key] = self.rewrite(item)
        elif kind is collections.deque:
            made.clear()
            made.extend(self.rewrite(v) for v in value)
        return made

    def _instance(self, value: Any, kind: type) -> Any:
        try:
            made = object.__new__(self._class(kind))
        except TypeError:
            return value
        self._keep(value, made)
        made.__dict__.update({name: self.rewrite(item) for name, item in vars(value).items()})
        return made

    def _class(self, kind: type) -> Any:
        """The class with methods that are rewritten."""
        known = self.classes.get(kind)
        if known is not None:
            return known
        own: Dict[str, Any] = {}
        for base in reversed(kind.__mro__[:-1]):
            if _is_opaque(base.__module__):
                continue
            for name, item in vars(base).items():
                if isinstance(item, types.FunctionType):
                    own[name] = self.rewrite(item)
                elif isinstance(item, property) and isinstance(item.fget, types.FunctionType):
                    own[name] = property(self.rewrite(item.fget), item.fset, item.fdel)
                elif isinstance(item, staticmethod):
                    own[name] = staticmethod(self.rewrite(item.__func__))
                elif isinstance(item, (list, dict, np.ndarray, set)):
                    own[name] = self.rewrite(item)
        own.pop("__init_subclass__", None)
        made = type(kind.__name__, (kind,), own)
        self.classes[kind] = made
        return made

    def callable(self, value: Any) -> Any:
        """The same for what is called, which may be an object."""
        if isinstance(value, Bound):
            return type(value)(self.callable(value.function), tuple(map(self.rewrite, value.args)))
        # What the user hands over is looked into wherever it comes from.
        if isinstance(value, types.FunctionType):
            return self._function(value)
        if isinstance(value, types.MethodType) and isinstance(value.__func__, types.FunctionType):
            return types.MethodType(self._function(value.__func__), self.rewrite(value.__self__))
        made = self.rewrite(value)
        if made is value and isinstance(getattr(type(value), "__call__", None), types.FunctionType):
            return types.MethodType(self._function(getattr(type(value), "__call__")), value)
        return made

    def _function(self, function: types.FunctionType) -> Any:
        known = self.made.get(id(function))
        if known is not None:
            return known
        scope = self.scopes.get(id(function.__globals__))
        if scope is None:
            scope = self.scopes[id(function.__globals__)] = dict(function.__globals__)
            scope["__builtins__"] = _BUILTINS
            self.kept.append(function.__globals__)
        cells = None
        if function.__closure__:
            cells = tuple(self._cell(cell) for cell in function.__closure__)
        made = types.FunctionType(function.__code__, scope, function.__name__, None, cells)
        self._keep(function, made)
        self.codes.add(function.__code__)
        self.catches = self.catches or _catches(function.__code__)
        made.__defaults__ = None if function.__defaults__ is None else tuple(map(self.rewrite, function.__defaults__))
        made.__kwdefaults__ = None if function.__kwdefaults__ is None else {
            name: self.rewrite(item) for name, item in function.__kwdefaults__.items()}
        made.__dict__.update({name: self.rewrite(item) for name, item in vars(function).items() if name != "__wrapped__"})
        for name in _names_of(function.__code__):
            if name in function.__globals__:
                item = function.__globals__[name]
                if scope.get(name) is item:
                    scope[name] = self.rewrite(item)
        for cell, old in zip(cells or (), function.__closure__ or ()):
            self._fill(cell, old)
        return made

    def _cell(self, cell: Any) -> Any:
        made = self.made.get(id(cell))
        if made is None:
            made = types.CellType()
            self._keep(cell, made)
        return made

    def _fill(self, cell: Any, old: Any) -> None:
        try:
            content = old.cell_contents
        except ValueError:
            return  # an empty cell
        try:
            cell.cell_contents
        except ValueError:
            cell.cell_contents = self.rewrite(content)


@functools.lru_cache(maxsize=1000)
def _catches(code: types.CodeType) -> bool:
    """Whether a function catches exceptions."""
    if not getattr(code, "co_exceptiontable", b"any"):
        inner = False
    else:
        names = [instruction.opname for instruction in dis.get_instructions(code)]
        inner = names.count("PUSH_EXC_INFO") + names.count("SETUP_FINALLY") > names.count("WITH_EXCEPT_START")
    return inner or any(_catches(c) for c in code.co_consts if isinstance(c, types.CodeType))


@functools.lru_cache(maxsize=1000)
def _names_of(code: types.CodeType) -> set:
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= _names_of(constant)
    return names
