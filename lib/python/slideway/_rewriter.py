"""Copies of a user's functions that use traced forms of math, numpy and the builtins."""

from __future__ import annotations

import builtins
import functools
import math
import types
from typing import Any, Callable, Dict, List

import numpy as np

from ._arrays import TracedArray, _contains_traced, traced_array
from ._expressions import Cond, Expr, Untraceable, _need


def _shim(name: str, real: Callable[..., Any], own: Callable[..., Any]) -> Callable[..., Any]:
    """`own` where an argument is traced, else the real function."""

    @functools.wraps(real)
    def apply(*args: Any, **kwargs: Any) -> Any:
        if any(_contains_traced(a) for a in args):
            return own(*args, **kwargs)
        return real(*args, **kwargs)

    return apply


def _fold_extremum(name: str) -> Callable[..., Any]:
    ufunc: Any = np.maximum if name == "max" else np.minimum

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
_numpy: Any
for _name, _numpy in (("asin", np.arcsin), ("acos", np.arccos), ("atan", np.arctan), ("atan2", np.arctan2), ("pow", np.power)):
    _MATH[_name] = _shim(_name, getattr(math, _name), _numpy)
_MATH["fsum"] = _shim("fsum", math.fsum, lambda values: np.add.reduce(traced_array(list(values))))
_MATH["copysign"] = _shim("copysign", math.copysign, lambda a, b: abs(a) * np.sign(b))
_MATH["floor"] = _shim("floor", math.floor, np.floor)
for _name in ("ceil", "trunc", "fmod", "remainder", "gamma", "lgamma", "erf", "erfc", "modf", "frexp"):
    _MATH[_name] = _shim(_name, getattr(math, _name), _refusal("math." + _name))

_NUMPY: Dict[str, Any] = {}
for _name in ("array", "asarray", "asfarray", "ascontiguousarray", "asanyarray", "float64", "atleast_1d"):
    if hasattr(np, _name):
        _NUMPY[_name] = _make_array(getattr(np, _name))
for _name in ("zeros", "empty", "ones", "full"):
    _NUMPY[_name] = _make_filled(getattr(np, _name))


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


class _Int(int):
    """int(x) of a traced x is what it is, cut off towards zero."""

    def __new__(cls, value: Any = 0, *args: Any) -> Any:
        if isinstance(value, (Expr, Cond)) and not args:
            number = _need(value.graph, value)
            return np.where(number > 0, np.floor(number), -np.floor(-number))
        return int(value, *args) if args else int(value)


class _IntMeta(type):
    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, int)


_BUILTINS["int"] = _IntMeta("int", (_Int,), {"__new__": _Int.__new__})
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
