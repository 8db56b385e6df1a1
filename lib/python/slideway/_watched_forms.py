"""Functions that are called with watched numbers: numpy's, math's and the like, and copies of the user's own that use them.

Only functions are copied. Whatever they read and write stays what it is."""

from __future__ import annotations

import bisect
import builtins
import dis
import functools
import math
import types
from typing import Any, Callable, Dict, List, Tuple

import numpy as np

from ._levels import Knots
from ._rewriter import Bound, Parts, _is_opaque, _names_of
from ._watched import (WatchedArray, Watched, angle_of, best_of, cast, clipped, cut_remainder, decide, each, flat, has_watched, lose, nearest_remainder,
                       number_of, numbers, objects, of_numbers, parts, ranks, single, state, watched, watched_array, with_sign)

# ---- functions of numpy -------------------------------------------------------------------------------------------------

# Functions that do not jump, whatever their numbers.
_CONTINUOUS = frozenset("amax amin max min ptp sort median percentile quantile nanmax nanmin trapz linspace logspace mean average std var norm solve inv lstsq det "
                        "pinv eig eigvals eigh eigvalsh svd qr cholesky expm matrix_power nansum cross kron gradient convolve".split())
_KEEP_OBJECTS = frozenset("where select piecewise concatenate hstack vstack stack column_stack append insert delete reshape ravel transpose roll flip "
                          "squeeze expand_dims repeat tile split diff sum prod cumsum cumprod dot vdot inner outer matmul tensordot einsum copy broadcast_to "
                          "atleast_1d atleast_2d take compress extract diag trace full_like moveaxis swapaxes fliplr flipud meshgrid choose".split())


def _search(a: Any, v: Any, side: str = "left", sorter: Any = None) -> Any:
    if has_watched(a):
        lose("searchsorted")
        return np.searchsorted(numbers(a), numbers(v), side, sorter)
    knots = np.asarray(a, dtype=float)
    if sorter is not None:
        knots = knots[np.asarray(sorter)]

    def one(x: Any) -> int:
        if type(x) is not Watched:
            return int(np.searchsorted(knots, x, side))
        cell, rank = ranks(x.v, knots)
        return int((rank <= cell).sum())

    return _whole(one, v)


def _whole(one: Callable[[Any], int], values: Any) -> Any:
    if np.ndim(values) == 0 and not isinstance(values, np.ndarray):
        return one(values)
    made = each(one, values)
    return np.asarray(made, dtype=int) if isinstance(made, np.ndarray) else made


def _digitize(x: Any, bins: Any, right: bool = False) -> Any:
    knots = np.asarray(bins, dtype=float)
    if knots.size > 1 and knots[0] > knots[-1]:
        found = _search(knots[::-1], x)
        return knots.size - found
    return _search(knots, x)


def line_between(p: Watched, knots: np.ndarray, values: np.ndarray, left: float, right: float) -> Watched:
    """Straight lines between knots, each of which goes on beyond its ends where a run looks ahead."""
    places, first = np.unique(knots, return_index=True)
    cell = decide(p.v, Knots(places))
    if cell <= 0 or cell >= places.size:
        return watched(left if cell <= 0 else right)
    k = int(np.searchsorted(knots, places[cell - 1], side="right")) - 1
    slope = (values[k + 1] - values[k]) / (knots[k + 1] - knots[k])
    return watched(float(values[k] + slope * (p.v - knots[k])))


def _interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None) -> Any:
    if has_watched(xp) or has_watched(fp):
        if has_watched(xp):
            lose("interp")
        return of_numbers(np.interp, (x, xp, fp, left, right, period))
    knots, values = np.asarray(xp, dtype=float), np.asarray(fp, dtype=float)
    if period is not None:
        order = np.argsort(knots % period)
        knots, values = (knots % period)[order], values[order]
        knots = np.concatenate(([knots[-1] - period], knots, [knots[0] + period]))
        values = np.concatenate((values[-1:], values, values[:1]))
    low = float(values[0] if left is None else left)
    high = float(values[-1] if right is None else right)

    def one(v: Any) -> Any:
        if type(v) is not Watched:
            return float(np.interp(v, xp, fp, left, right, period))
        return line_between(v % period if period is not None else v, knots, values, low, high)

    if isinstance(x, np.ndarray) or isinstance(x, (list, tuple)):
        return each(one, objects(x))
    return one(x)


def _rounded(a: Any, decimals: int = 0, out: Any = None) -> Any:
    return a.round(decimals) if hasattr(a, "round") else objects(a).round(decimals)


def _like(real: Any) -> Any:
    def apply(a: Any, dtype: Any = None, **kwargs: Any) -> Any:
        made = real(np.empty(np.shape(a)), dtype=_own_type(dtype), **kwargs)
        return made.astype(object).view(WatchedArray) if made.dtype.kind == "f" else made

    return apply


def _truth(real: Any) -> Any:
    def apply(a: Any, *args: Any, **kwargs: Any) -> Any:
        return real(np.asarray(numbers(a)), *args, **kwargs)

    return apply


def _closeness(a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Any:
    return abs(a - b) <= atol + rtol * abs(b)


_FUNCTIONS: Dict[str, Any] = {
    "searchsorted": _search, "digitize": _digitize, "interp": _interp, "argmin": lambda a, axis=None, **_: best_of(a, True, axis),
    "argmax": lambda a, axis=None, **_: best_of(a, False, axis), "round_": _rounded, "around": _rounded, "round": _rounded,
    "fix": np.trunc, "clip": lambda a, a_min=None, a_max=None, **_: clipped(a, a_min, a_max), "zeros_like": _like(np.zeros), "empty_like": _like(np.zeros),
    "ones_like": _like(np.ones), "any": _truth(np.any), "all": _truth(np.all), "count_nonzero": _truth(np.count_nonzero),
    "nonzero": _truth(np.nonzero), "isclose": _closeness, "shape": lambda a: np.shape(numbers(a)), "size": lambda a, axis=None: np.size(numbers(a), axis),
    "ndim": lambda a: np.ndim(numbers(a)), "nan_to_num": lambda a, *_, **__: a}


def apply_function(function: Any, args: Any, kwargs: Any) -> Any:
    """A function of numpy's with watched numbers among its arguments."""
    name = function.__name__
    own = _FUNCTIONS.get(name)
    if own is not None:
        return own(*args, **kwargs)
    if name in _KEEP_OBJECTS:
        try:
            found = function(*map(_object_form, args), **{key: _object_form(value) for key, value in kwargs.items()})
            return _again(found)
        except TypeError:
            return of_numbers(function, args, kwargs)
    if name not in _CONTINUOUS:
        lose(name)
    return of_numbers(function, args, kwargs)


def _object_form(value: Any) -> Any:
    if type(value) is Watched:
        made = np.empty((), dtype=object)
        made[()] = value
        return made
    if isinstance(value, WatchedArray):
        return value.view(np.ndarray)
    if isinstance(value, (list, tuple)) and has_watched(value):
        return type(value)(map(_object_form, value)) if type(value) in (list, tuple) else value
    return value


def _again(value: Any) -> Any:
    if isinstance(value, np.ndarray) and value.dtype == object:
        return value.view(WatchedArray) if value.ndim else value.item(0)
    if isinstance(value, (list, tuple)):
        return type(value)(map(_again, value))
    return value


# ---- modules ------------------------------------------------------------------------------------------------------------


class _FloatType(type):
    """Makes what counts as an instance of the real type one of the form."""

    real: Any = float

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, cls.real)


def _float(cls: Any, value: Any = 0.0) -> Any:
    found = single(value)
    if found is None and cls.real is np.float64 and isinstance(value, WatchedArray):
        return value
    return cls.real(value) if found is None else found


# float(x) and np.float64(x) leave a watched x as it is. As types of arrays both are float64.
Float: Any = _FloatType("float", (np.float64,), {"real": float, "__new__": _float})
Float64: Any = _FloatType("float64", (np.float64,), {"real": np.float64, "__new__": _float})


def _own_type(dtype: Any) -> Any:
    return float if dtype is Float or dtype is Float64 else dtype


def _shim(real: Any, own: Any) -> Any:
    """`own` where an argument is watched, else the real function."""

    @functools.wraps(real)
    def apply(*args: Any, **kwargs: Any) -> Any:
        if any(has_watched(a) for a in args):
            return own(*[single(a) if isinstance(a, WatchedArray) and a.size == 1 else a for a in args], **kwargs)
        return real(*args, **kwargs)

    return apply


def _smooth(real: Any) -> Any:
    return _shim(real, lambda *args, **kwargs: of_numbers(real, args, kwargs))


def _array(real: Any) -> Any:
    @functools.wraps(real)
    def apply(values: Any, dtype: Any = None, *args: Any, **kwargs: Any) -> Any:
        dtype = _own_type(dtype)
        if not has_watched(values):
            return real(values, dtype, *args, **kwargs)
        if isinstance(values, WatchedArray):
            made = values.copy() if real is np.array else values
            made.line = values.line
        else:
            made = np.array(_object_rows(values), dtype=object).view(WatchedArray)
        return made if dtype is None else cast(made, dtype)

    return apply


def _object_rows(values: Any) -> Any:
    if isinstance(values, np.ndarray):
        return values.view(np.ndarray).astype(object)
    return [_object_rows(v) for v in values] if isinstance(values, (list, tuple)) else values


def _filled(real: Any) -> Any:
    @functools.wraps(real)
    def apply(shape: Any, *args: Any, **kwargs: Any) -> Any:
        if args and has_watched(args[0]):  # np.full
            made = np.empty(shape, dtype=object)
            made[...] = args[0]
            return made.view(WatchedArray)
        args = tuple(map(_own_type, args))
        made = (np.zeros if real is np.empty else real)(shape, *args, **{key: _own_type(value) for key, value in kwargs.items()})
        return made.astype(object).view(WatchedArray) if made.dtype == float and made.ndim else made

    return apply


class Module:
    """A module with other forms of its functions."""

    def __init__(self, real: Any, form: Callable[[str, Any], Any]) -> None:
        self.__dict__["_real"], self.__dict__["_form"] = real, form

    def __getattr__(self, name: str) -> Any:
        made = self._form(name, getattr(self._real, name))
        self.__dict__[name] = made
        return made

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._real, name, value)


def _listed(real: Any) -> Any:
    """A function of numpy's that takes lists of watched numbers."""

    @functools.wraps(real)
    def apply(*args: Any, **kwargs: Any) -> Any:
        kwargs = {key: _own_type(value) for key, value in kwargs.items()}
        if any(isinstance(a, (list, tuple)) and has_watched(a) for a in args):
            return apply_function(real, args, kwargs)
        return real(*args, **kwargs)

    return apply


class _Elements:
    """A ufunc that takes lists of watched numbers."""

    def __init__(self, real: Any) -> None:
        self._real = real

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._real(*[objects(a) if isinstance(a, (list, tuple)) and has_watched(a) else a for a in args], **kwargs)


def _vectorized(function: Any, *_: Any, **__: Any) -> Any:
    form = watched_form(function)
    return lambda *args: _again(np.frompyfunc(form, len(args), 1)(*map(_object_form, args)))


_NUMPY: Dict[str, Any] = {"float64": Float64, "vectorize": _vectorized}
for _name in ("array", "asarray", "asfarray", "ascontiguousarray", "asanyarray", "asarray_chkfinite"):
    if hasattr(np, _name):
        _NUMPY[_name] = _array(getattr(np, _name))
for _name in ("zeros", "empty", "ones", "full"):
    _NUMPY[_name] = _filled(getattr(np, _name))


def _numpy_form(name: str, value: Any) -> Any:
    if name in _NUMPY:
        return _NUMPY[name]
    if isinstance(value, np.ufunc):
        return _Elements(value)
    if isinstance(value, types.ModuleType):
        return Module(value, _numpy_form) if value.__name__ in ("numpy.linalg", "numpy.ma") else value
    return value if isinstance(value, type) or not callable(value) else _listed(value)


_MATH: Dict[str, Any] = {"fmod": cut_remainder, "remainder": nearest_remainder, "copysign": with_sign, "modf": parts, "fabs": abs, "atan2": angle_of,
                         "isclose": lambda a, b, rel_tol=1e-9, abs_tol=0.0: abs(a - b) <= max(rel_tol * max(abs(number_of(a)), abs(number_of(b))), abs_tol)}
_SMOOTH_MATH = frozenset("sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh exp exp2 expm1 log log10 log2 log1p sqrt cbrt pow hypot dist fsum prod "
                         "erf erfc gamma lgamma degrees radians isnan isinf isfinite".split())


def _math_form(name: str, value: Any) -> Any:
    if name in _MATH:
        return _shim(value, _MATH[name])
    return _smooth(value) if name in _SMOOTH_MATH else value


def _bisected(side: str) -> Any:
    real = getattr(bisect, f"bisect_{side}")

    @functools.wraps(real)
    def apply(a: Any, x: Any, lo: int = 0, hi: Any = None, *, key: Any = None) -> Any:
        found = single(x)
        items = list(a)[lo:hi] if found is not None and key is None else None
        if items is None or has_watched(items):
            return real(a, x, lo, len(a) if hi is None else hi, **({} if key is None else {"key": key}))
        return lo + _search(items, found, side)

    return apply


_BISECT = {"bisect": _bisected("right"), "bisect_right": _bisected("right"), "bisect_left": _bisected("left")}


def _unwatched(real: Any) -> Any:
    """Integrals: continuous in their limits and in what the integrand reads, which decides for itself alone."""

    @functools.wraps(real)
    def apply(*args: Any, **kwargs: Any) -> Any:
        watcher, state.watcher, seal, state.seal = state.watcher, None, state.seal, None
        try:
            found = real(*map(_opened, args), **{key: _opened(value) for key, value in kwargs.items()})
        finally:
            state.watcher, state.seal = watcher, seal
        return tuple(map(_again_watched, found)) if isinstance(found, tuple) else _again_watched(found)

    return apply


def _opened(value: Any) -> Any:
    if callable(value) and not isinstance(value, type):
        return lambda *args: _plain_result(value(*args))
    return numbers(value)


def _plain_result(value: Any) -> Any:
    return numbers(value) if has_watched(value) else value


def _again_watched(value: Any) -> Any:
    return watched(float(value)) if isinstance(value, (float, np.floating)) else value


_INTEGRALS = frozenset(("quad", "dblquad", "tplquad", "nquad", "romberg", "fixed_quad", "quadrature", "quad_vec", "trapezoid", "trapz", "simpson", "simps"))


def _scipy_form(name: str, value: Any) -> Any:
    if isinstance(value, types.ModuleType):
        return Module(value, _scipy_form)
    if isinstance(value, types.FunctionType) and name in _INTEGRALS and value.__module__.startswith("scipy.integrate"):
        return _unwatched(value)
    return value


# ---- the user's functions -----------------------------------------------------------------------------------------------

_BUILTINS: Dict[str, Any] = dict(vars(builtins), float=Float)


def _imported(name: str, *args: Any, **kwargs: Any) -> Any:
    module = builtins.__import__(name, *args, **kwargs)
    return _form_of_module(module) if isinstance(module, types.ModuleType) else module


_BUILTINS["__import__"] = _imported
_known_modules: Dict[int, Any] = {}


def _form_of_module(module: Any) -> Any:
    known = _known_modules.get(id(module))
    if known is None:
        form: Any = {"math": _math_form, "numpy": _numpy_form, "bisect": lambda name, value: _BISECT.get(name, value)}.get(module.__name__)
        if form is None and module.__name__.split(".")[0] == "scipy":
            form = _scipy_form
        known = _known_modules[id(module)] = (module, module if form is None else Module(module, form))
    return known[1]


def watched_form(function: Any) -> Any:
    """A copy of a function, and of the functions that it calls, which uses forms of math and numpy that tell what they decide."""
    return _Forms().form(function)


class _Forms:
    def __init__(self) -> None:
        self.made: Dict[int, Any] = {}
        self.kept: List[Any] = []

    def form(self, value: Any) -> Any:
        if isinstance(value, (float, int, str, np.ndarray, type(None))):
            return value
        known = self.made.get(id(value))
        if known is not None:
            return known
        made = self._made(value)
        self.kept.append(value)
        self.made[id(value)] = made
        return made

    def _made(self, value: Any) -> Any:
        if isinstance(value, types.ModuleType):
            return _form_of_module(value)
        if isinstance(value, (Bound, Parts)):
            return type(value)(self.form(value.function), tuple(map(self.form, value.args)))
        if isinstance(value, functools.partial):
            return functools.partial(self.form(value.func), *value.args, **value.keywords)
        if type(value) is types.MethodType:
            return types.MethodType(self.form(value.__func__), self.form(value.__self__))
        if isinstance(value, np.ufunc):
            return _Elements(value)
        if type(value) is np.vectorize:
            return _vectorized(value.pyfunc)
        name, module = getattr(value, "__name__", ""), getattr(value, "__module__", None) or ""
        if isinstance(value, types.BuiltinFunctionType):
            if getattr(math, name, None) is value:
                return _math_form(name, value)
            if getattr(bisect, name, None) is value:
                return _BISECT.get(name, value)
            return _NUMPY[name] if name in _NUMPY and getattr(np, name, None) is value else value
        if isinstance(value, types.FunctionType):
            if module.split(".")[0] == "numpy":
                return _numpy_form(name, value)
            if module.startswith("scipy"):
                return _scipy_form(name, value)
            return value if _is_opaque(module) else self._function(value)
        if callable(value) and not isinstance(value, type) and not _is_opaque(type(value).__module__):
            return self._instance(value)
        if hasattr(value, "__dict__") and not isinstance(value, type) and not _is_opaque(type(value).__module__):
            return self._instance(value)
        return value

    def _function(self, function: types.FunctionType) -> Any:
        code = function.__code__
        if any(instruction.opname in ("STORE_GLOBAL", "DELETE_GLOBAL") for instruction in dis.get_instructions(code)):
            return function  # which writes into its own module
        cells = []
        for old in function.__closure__ or ():
            try:
                content = old.cell_contents
            except ValueError:
                content = None
            cells.append((old, content, types.CellType() if self._may_differ(content) else old))
        scope = {**function.__globals__, "__builtins__": _BUILTINS}
        made = types.FunctionType(code, scope, function.__name__, None, tuple(new for _, _, new in cells) or None)
        self.made[id(function)] = made
        self.kept.append(function)
        for name in _names_of(code):
            if name in function.__globals__:
                scope[name] = self.form(function.__globals__[name])
        for old, content, new in cells:
            if new is not old:
                new.cell_contents = self.form(content)
        made.__kwdefaults__ = function.__kwdefaults__
        made.__dict__.update(function.__dict__)
        made.__defaults__ = None if function.__defaults__ is None else tuple(map(self.form, function.__defaults__))
        return made

    def _may_differ(self, value: Any) -> bool:
        return isinstance(value, (types.ModuleType, types.FunctionType, types.MethodType, types.BuiltinFunctionType, np.ufunc, np.vectorize,
                                  functools.partial, Bound)) or (hasattr(value, "__dict__") and not isinstance(value, (type, np.ndarray)))

    def _instance(self, value: Any) -> Any:
        """The same object, as far as its attributes go, with forms of its methods."""
        kind = type(value)
        try:
            made: Any = object.__new__(type(kind.__name__, (kind,), {}))
            made.__dict__ = value.__dict__
        except (TypeError, AttributeError):
            return value
        self.made[id(value)] = made
        self.kept.append(value)
        for base in reversed(kind.__mro__[:-1]):
            if _is_opaque(base.__module__):
                continue
            for name, item in vars(base).items():
                if isinstance(item, types.FunctionType) and name != "__init_subclass__":
                    setattr(type(made), name, self.form(item))
                elif isinstance(item, staticmethod):
                    setattr(type(made), name, staticmethod(self.form(item.__func__)))
        return made


def seeds(t: float, y: np.ndarray) -> Tuple[Any, Any]:
    return watched(float(t)), watched_array(np.asarray(y, dtype=float))


def results_of(values: Any) -> List[float]:
    """The numbers that a function returned."""
    return [number_of(v) for v in flat(values)]
