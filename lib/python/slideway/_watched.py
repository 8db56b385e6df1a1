"""Numbers and arrays that tell a watcher what is decided by them.

A decision is a number and the levels at which its outcome changes: 0 for a comparison, the whole numbers for what is rounded, the knots of a
table that is looked into. Its outcome is a cell between two levels (see :mod:`._levels`); all that follows from it is an ordinary number."""

from __future__ import annotations

import functools
import math
import operator
import sys
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from ._levels import CUT_OFF, WHOLE, ZERO, Knots, Levels

Site = Tuple[Any, ...]  # code, instruction, the number of the occurrence, and what else tells a decision from others

# Bends of longer arrays, as of abs(), are left to the control of errors.
MOST_BENDS = 16
# Among more candidates an argmin has no surface for each pair.
MOST_CANDIDATES = 8


class Watcher:
    """What one run of a function decides, and the outcomes that it is given."""

    def __init__(self, prescribed: Dict[Site, int], depends: Dict[Site, Tuple[Site, ...]]) -> None:
        self.prescribed, self.depends = prescribed, depends
        self.seen: Dict[Site, Tuple[float, Levels]] = {}
        self.answers: Dict[Site, int] = {}  # in their order
        self.counts: Dict[Any, int] = {}
        self.plain: Dict[Site, int] = {}  # the outcomes by sites alone

    def decide(self, p: float, levels: Levels, natural: Optional[int] = None, also: Any = None) -> int:
        """The cell of p. `natural` is the outcome on a level itself, where the function's own differs from that above."""
        frame: Any = sys._getframe(1)
        while frame.f_back is not None and _is_passed(frame.f_code.co_filename):
            frame = frame.f_back
        key = (frame.f_code, frame.f_lasti)
        number = self.counts.get(key, 0)
        self.counts[key] = number + 1
        site: Site = (*key, number) if also is None else (*key, number, also)
        if site in self.depends:
            # What is compared depends on earlier outcomes: each set of these makes another decision.
            site = (*site, tuple(self.plain.get(d) for d in self.depends[site]))
        self.seen[site] = (p, levels)
        cell = self.prescribed.get(site)
        if cell is None:
            cell = levels.cell(p) if natural is None else natural
        self.answers[site] = cell
        self.plain[plain_site(site, self.depends)] = cell
        return cell


def plain_site(site: Site, depends: Dict[Site, Tuple[Site, ...]]) -> Site:
    """The site without the outcomes that it depends on."""
    return site[:-1] if site[:-1] in depends else site


_passed: Dict[str, bool] = {}


def _is_passed(name: str) -> bool:
    """Whether a file is one of ours or numpy's, on behalf of which something was decided."""
    known = _passed.get(name)
    if known is None:
        known = _passed[name] = name == __file__ or name.endswith("_watched_forms.py") or "/numpy/" in name.replace("\\", "/")
    return known


class State:
    """The watcher at work, what was lost to its sight, and the number that those see who read past the watched ones."""

    def __init__(self) -> None:
        self.watcher: Optional[Watcher] = None
        self.lost: List[str] = []
        self.seal: Optional[float] = None


state = State()


def lose(name: str) -> None:
    if state.watcher is not None:
        state.lost.append(name)


def decide(p: float, levels: Levels, natural: Optional[int] = None, also: Any = None) -> int:
    watcher = state.watcher
    if watcher is None:
        return levels.cell(p) if natural is None else natural
    if not math.isfinite(p):
        lose("a number that is not finite")
        return 0 if natural is None else natural
    return watcher.decide(p, levels, natural, also)


def is_above(h: float, natural: bool) -> bool:
    """The outcome of h > 0."""
    return decide(h, ZERO, int(h > 0 or (h == 0 and natural))) == 1


# ---- numbers ------------------------------------------------------------------------------------------------------------


class Watched(np.float64):
    """A number whose decisions are watched. What reads its memory, as functions in C do, gets another number while there is a seal."""

    __slots__ = ("v",)
    v: float

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return apply_ufunc(ufunc, method, inputs, kwargs)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        from ._watched_forms import apply_function

        return apply_function(function, args, kwargs)

    def _compared(self, other: Any, relation: Callable[[float, float], bool], swapped: bool) -> Any:
        if type(other) is not Watched and not isinstance(other, (float, int, np.number, np.bool_)):
            return NotImplemented
        v, o = self.v, number_of(other)
        if not math.isfinite(o):
            return relation(v, o)
        natural = relation(v, o)
        answer = is_above(v - o, not natural if swapped else natural)
        return not answer if swapped else answer

    def __gt__(self, other: Any) -> Any:
        return self._compared(other, operator.gt, False)

    def __ge__(self, other: Any) -> Any:
        return self._compared(other, operator.ge, False)

    def __lt__(self, other: Any) -> Any:
        return self._compared(other, operator.lt, True)

    def __le__(self, other: Any) -> Any:
        return self._compared(other, operator.le, True)

    def __eq__(self, other: Any) -> Any:
        return NotImplemented if isinstance(other, (np.ndarray, list, tuple)) else False

    def __ne__(self, other: Any) -> Any:
        return NotImplemented if isinstance(other, (np.ndarray, list, tuple)) else True

    def __hash__(self) -> int:
        lose("hash")
        return hash(self.v)

    def __bool__(self) -> bool:
        return self.v != 0

    def __neg__(self) -> Any:
        return watched(-self.v)

    def __pos__(self) -> Any:
        return self

    def __abs__(self) -> Any:
        return self if is_above(self.v, True) else watched(-self.v)

    def __int__(self) -> int:
        return decide(self.v, CUT_OFF)

    __trunc__ = __int__

    def __floor__(self) -> int:
        return decide(self.v, WHOLE)

    def __ceil__(self) -> int:
        return decide(self.v, WHOLE, math.ceil(self.v) - 1 if math.isfinite(self.v) else 0) + 1

    def __round__(self, digits: Optional[int] = None) -> Any:
        scale = 1.0 if digits is None else 10.0 ** int(digits)
        if digits is not None and digits > 12:
            return self  # finer than any step
        p = self.v * scale
        found = decide(p + 0.5, WHOLE, round(p) if math.isfinite(p) else 0)
        return found if digits is None else found / scale

    def __float__(self) -> float:
        if not _is_passed(sys._getframe(1).f_code.co_filename):
            lose("float")
        return self.v

    def __complex__(self) -> complex:
        lose("complex")
        return complex(self.v)

    def __str__(self) -> str:
        lose("str")
        return str(self.v)

    def __repr__(self) -> str:
        lose("repr")
        return repr(self.v)

    def __format__(self, spec: str) -> str:
        lose("format")
        return format(self.v, spec)

    def is_integer(self) -> bool:
        return False

    def item(self, *_: Any) -> Any:
        return self

    def round(self, decimals: int = 0, out: Any = None) -> Any:
        return float(self.__round__(decimals)) if decimals <= 12 else self

    def astype(self, dtype: Any, *_: Any, **__: Any) -> Any:
        return cast(self, dtype)

    def clip(self, low: Any = None, high: Any = None, **_: Any) -> Any:
        return clipped(self, low, high)

    def conjugate(self, *_: Any) -> Any:
        return self

    conj = copy = squeeze = sum = mean = min = max = prod = conjugate  # type: ignore[assignment]

    def reshape(self, *shape: Any, **_: Any) -> Any:
        return watched_array(self).reshape(*shape)

    def ravel(self, *_: Any, **__: Any) -> Any:
        return watched_array([self])

    flatten = ravel

    def __array__(self, dtype: Any = None) -> np.ndarray:
        return np.array(self.v if state.seal is None else state.seal, dtype=dtype)

    @property
    def real(self) -> Any:  # type: ignore[override]
        return self

    @property
    def imag(self) -> float:  # type: ignore[override]
        return 0.0


_new = np.float64.__new__


def watched(value: float) -> Watched:
    made = _new(Watched, value if state.seal is None else state.seal)
    made.v = value
    return made


def number_of(value: Any) -> float:
    return value.v if type(value) is Watched else float(value)


_PLAIN = frozenset((float, int, bool, np.float64, np.int64, np.bool_))


def _is_number(value: Any) -> bool:
    return type(value) is Watched or type(value) in _PLAIN or isinstance(value, (int, float, np.integer, np.floating))


def _binary(operation: Callable[[Any, Any], Any], ufunc: Any) -> Tuple[Any, Any]:
    def value(a: float, b: float) -> Any:
        try:
            found = operation(a, b)
        except ArithmeticError:
            found = float(ufunc(np.float64(a), np.float64(b)))
        return watched(math.nan if isinstance(found, complex) else found)

    def apply(self: Watched, other: Any) -> Any:
        if type(other) is Watched:
            return value(self.v, other.v)
        return value(self.v, float(other)) if _is_number(other) else NotImplemented

    def reflected(self: Watched, other: Any) -> Any:
        return value(float(other), self.v) if _is_number(other) else NotImplemented

    return apply, reflected


for _name, _operation, _ufunc in (("add", operator.add, np.add), ("sub", operator.sub, np.subtract), ("mul", operator.mul, np.multiply),
                                  ("truediv", operator.truediv, np.true_divide), ("pow", operator.pow, np.power)):
    _apply, _reflected = _binary(_operation, _ufunc)
    setattr(Watched, f"__{_name}__", _apply)
    setattr(Watched, f"__r{_name}__", _reflected)


def quotient(a: Any, b: Any) -> int:
    """⌊a/b⌋, decided."""
    x, y = number_of(a), number_of(b)
    return decide(x / y, WHOLE)


def remainder(a: Any, b: Any) -> Any:
    return a - b * quotient(a, b)


def cut_remainder(a: Any, b: Any) -> Any:
    """What fmod leaves."""
    return a - b * decide(number_of(a) / number_of(b), CUT_OFF)


def nearest_remainder(a: Any, b: Any) -> Any:
    p = number_of(a) / number_of(b)
    return a - b * decide(p + 0.5, WHOLE, round(p))


def parts(x: Any) -> Tuple[Any, Any]:
    """What modf makes of x."""
    whole = float(decide(number_of(x), CUT_OFF))
    return x - whole, whole


def with_sign(size: Any, sign: Any) -> Any:
    size = abs(size)
    if type(sign) is not Watched:
        return size if math.copysign(1.0, sign) > 0 else -size
    return size if is_above(sign.v, math.copysign(1.0, sign.v) > 0) else -size


def angle_of(y: Any, x: Any) -> Any:
    """atan2, which jumps on one half-line."""
    a, b = number_of(y), number_of(x)
    found = math.atan2(a, b)
    if b < 0:
        above = is_above(a, found > 0)
        found += 2 * math.pi if above and found < 0 else -2 * math.pi if not above and found > 0 else 0.0
    return watched(found)


def _pair(a: Any, b: Any) -> Tuple[Any, Any]:
    whole = quotient(a, b)
    return float(whole), a - b * whole


for _name, _two in (("floordiv", lambda a, b: float(quotient(a, b))), ("mod", remainder), ("divmod", _pair)):
    setattr(Watched, f"__{_name}__", lambda self, other, _two=_two: _two(self, other) if _is_number(other) else NotImplemented)
    setattr(Watched, f"__r{_name}__", lambda self, other, _two=_two: _two(other, self) if _is_number(other) else NotImplemented)


# ---- arrays -------------------------------------------------------------------------------------------------------------


class Line(NamedTuple):
    """Elements offsets + slope·p of one number p, or with `bent` something that grows with their sizes."""

    p: float
    offsets: np.ndarray
    slope: float
    bent: bool


class WatchedArray(np.ndarray):
    """An array of watched numbers, and of numbers."""

    line: Optional[Line] = None

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:  # type: ignore[override]
        return apply_ufunc(ufunc, method, inputs, kwargs)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:  # type: ignore[override]
        from ._watched_forms import apply_function

        return apply_function(function, args, kwargs)

    def astype(self, dtype: Any, *_: Any, **__: Any) -> Any:  # type: ignore[override]
        return cast(self, dtype)

    def round(self, decimals: int = 0, out: Any = None) -> Any:  # type: ignore[override]
        return each(lambda v: v.round(decimals) if type(v) is Watched else round(v, decimals), self)

    def argmin(self, axis: Any = None, *_: Any, **__: Any) -> Any:  # type: ignore[override]
        return best_of(self, True, axis)

    def argmax(self, axis: Any = None, *_: Any, **__: Any) -> Any:  # type: ignore[override]
        return best_of(self, False, axis)

    def clip(self, low: Any = None, high: Any = None, **_: Any) -> Any:  # type: ignore[override]
        return clipped(self, low, high)

    def max(self, *args: Any, **kwargs: Any) -> Any:  # type: ignore[override]
        return of_numbers(np.max, (self, *args), kwargs)

    def min(self, *args: Any, **kwargs: Any) -> Any:  # type: ignore[override]
        return of_numbers(np.min, (self, *args), kwargs)

    def tobytes(self, *_: Any) -> bytes:
        lose("tobytes")
        return numbers(self).tobytes()  # type: ignore[no-any-return]

    def tolist(self) -> list:
        return self.view(np.ndarray).tolist()  # type: ignore[no-any-return]

    def __float__(self) -> float:
        return float(self.ravel().item(0))

    def __int__(self) -> int:
        return int(self.ravel().item(0))

    def __bool__(self) -> bool:
        if self.size != 1:
            raise ValueError("The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()")
        return bool(self.ravel().item(0))


def watched_array(values: Any, line: Optional[Line] = None) -> Any:
    """An array of these values; numbers that are not watched yet are from now on."""
    given = np.asarray(values, dtype=object) if not isinstance(values, np.ndarray) else values
    array = np.empty(given.shape, dtype=object)
    array.ravel()[:] = [v if type(v) is Watched else watched(float(v)) for v in given.ravel().tolist()] if given.dtype == object else [
        watched(v) for v in given.astype(float).ravel().tolist()]
    made = array.view(WatchedArray)
    if line is not None:
        made.line = line
    return made


def objects(values: Any) -> Any:
    """An array of objects of values, as it is."""
    array = np.empty(np.shape(values), dtype=object) if not isinstance(values, np.ndarray) else values.astype(object)
    if not isinstance(values, np.ndarray):
        array.ravel()[:] = flat(values)
    return array.view(WatchedArray)


def flat(values: Any) -> list:
    if isinstance(values, np.ndarray):
        return values.ravel().view(np.ndarray).tolist()  # type: ignore[no-any-return]
    if isinstance(values, (list, tuple)):
        return [item for v in values for item in flat(v)]
    return [values]


def numbers(values: Any) -> Any:
    """The same as plain numbers."""
    if type(values) is Watched:
        return values.v
    if isinstance(values, np.ndarray):
        if values.dtype != object:
            return values.view(np.ndarray)
        return np.array([number_of(v) for v in values.ravel().view(np.ndarray).tolist()], dtype=float).reshape(values.shape)
    if isinstance(values, (list, tuple)):
        return type(values)(map(numbers, values)) if type(values) in (list, tuple) else values
    return values


def has_watched(values: Any) -> bool:
    if type(values) is Watched or isinstance(values, WatchedArray):
        return True
    return isinstance(values, (list, tuple)) and any(has_watched(v) for v in values)


def of_numbers(function: Callable[..., Any], args: Sequence[Any], kwargs: Any = None) -> Any:
    """What a function that does not jump makes of numbers."""
    found = function(*map(numbers, args), **{name: numbers(value) for name, value in (kwargs or {}).items()})
    return rewatched(found)


def rewatched(value: Any) -> Any:
    if isinstance(value, np.ndarray) and value.ndim > 0:
        return watched_array(value) if value.dtype.kind == "f" else value
    if isinstance(value, (float, np.floating)) and type(value) is not Watched:
        return watched(float(value))
    return tuple(map(rewatched, value)) if type(value) is tuple else value


def each(function: Callable[..., Any], *arrays: Any) -> Any:
    """function of all elements, which stays an array of objects."""
    if not any(isinstance(a, np.ndarray) for a in arrays):
        return function(*arrays)
    made = np.frompyfunc(function, len(arrays), 1)(*(np.asarray(objects(a)).view(np.ndarray) if np.ndim(a) or isinstance(a, np.ndarray) else a for a in arrays))
    return made.view(WatchedArray) if isinstance(made, np.ndarray) else made


def cast(values: Any, dtype: Any) -> Any:
    kind = np.dtype(dtype).kind
    if kind == "f" or kind == "O":
        return values.copy()
    if kind in "iu":
        made = each(lambda v: int(v), values)
        return np.asarray(made.view(np.ndarray) if isinstance(made, np.ndarray) else made, dtype=dtype)[()]
    if kind == "b":
        return np.asarray(numbers(values), dtype=bool)[()]
    lose("astype")
    return np.asarray(numbers(values)).astype(dtype)


def clipped(values: Any, low: Any, high: Any) -> Any:
    if low is not None:
        values = np.maximum(values, low)
    return values if high is None else np.minimum(values, high)


# ---- tables -------------------------------------------------------------------------------------------------------------


def ranks(p: float, thresholds: np.ndarray) -> Tuple[int, np.ndarray]:
    """The cell of p among thresholds, decided, and the rank of each of these: p is above those of a rank that is no greater."""
    levels, rank = _ranks_of(thresholds.tobytes())
    return (decide(p, levels) if levels.knots.size else 0), rank


@functools.lru_cache(maxsize=256)
def _ranks_of(numbers_of_thresholds: bytes) -> Tuple[Knots, np.ndarray]:
    thresholds = np.frombuffer(numbers_of_thresholds)
    finite = np.isfinite(thresholds)
    knots = np.unique(thresholds[finite])
    return Knots(knots), np.where(finite, np.searchsorted(knots, thresholds) + 1, np.where(thresholds > 0, knots.size + 1, 0))


@functools.lru_cache(maxsize=256)
def _nearest_of(numbers_of_centres: bytes) -> Tuple[Knots, np.ndarray]:
    """The middles between centres in their order, and which of these is the nearest in each cell."""
    places, first = np.unique(np.frombuffer(numbers_of_centres), return_index=True)
    return Knots(0.5 * (places[1:] + places[:-1])), first


def above_thresholds(p: float, thresholds: np.ndarray) -> np.ndarray:
    cell, rank = ranks(p, thresholds)
    return np.asarray(rank <= cell)


def _line_of(value: Any, other: Any) -> Optional[Line]:
    """A line of a number that meets an array."""
    if isinstance(value, WatchedArray) and value.line is not None:
        return value.line
    x = single(value)
    if x is not None and isinstance(other, np.ndarray) and not isinstance(other, WatchedArray) and other.ndim == 1 and other.size >= 2 \
            and other.dtype.kind in "fiu":
        return Line(x.v, np.zeros(other.shape), 1.0, False)
    return None


def single(value: Any) -> Optional[Watched]:
    if isinstance(value, WatchedArray) and value.size == 1:
        value = value.ravel().item(0)
    return value if type(value) is Watched else None


def _plain(value: Any) -> bool:
    return not has_watched(value) and not isinstance(value, (list, tuple))


def _compared_lines(name: str, a: Any, b: Any) -> Any:
    """One number compared with an array of numbers at once; None where there is none."""
    if _plain(b):
        line, limit, flipped = _line_of(a, b), b, False
    elif _plain(a):
        line, limit, flipped = _line_of(b, a), a, True
    else:
        return None
    if line is None or line.bent or line.slope == 0 or np.ndim(limit) > 1:
        return None
    limit = np.asarray(limit, dtype=float)
    thresholds = (limit - line.offsets) / line.slope
    if thresholds.shape != line.offsets.shape:
        return None
    above = above_thresholds(line.p, thresholds)
    wants_above = name.startswith("greater") != flipped
    return above if wants_above == (line.slope > 0) else ~above


def best_of(values: Any, least: bool, axis: Any = None) -> Any:
    """The index of the least or the greatest number, decided."""
    array = objects(values) if not isinstance(values, WatchedArray) else values
    line = array.line
    if line is not None and array.ndim == 1:
        if not line.bent:
            return int(np.argmin(line.offsets) if least else np.argmax(line.offsets))
        if least and line.slope != 0:
            centres = -line.offsets / line.slope
            levels, first = _nearest_of(centres.tobytes())
            return int(first[decide(line.p, levels) if levels.knots.size else 0])
    if array.ndim != 1 and axis is not None or array.size > MOST_CANDIDATES or line is not None:
        lose("argmin" if least else "argmax")
        return (np.argmin if least else np.argmax)(numbers(array), axis=axis)
    items = flat(array)
    best = 0
    for k in range(1, len(items)):
        h = number_of(items[best]) - number_of(items[k])
        if not (type(items[best]) is Watched or type(items[k]) is Watched):
            worse = (h > 0) if least else (h < 0)
        else:
            worse = decide(h, ZERO, int(h > 0 or (h == 0 and not least)), (best, k)) == int(least)
        best = k if worse else best
    return best


# ---- ufuncs -------------------------------------------------------------------------------------------------------------

_COMPARED: Dict[str, Any] = {"greater": operator.gt, "greater_equal": operator.ge, "less": operator.lt, "less_equal": operator.le}
_BENDS: Dict[str, Any] = {"absolute": abs, "fabs": abs, "maximum": lambda a, b: a if a > b else b, "minimum": lambda a, b: a if a < b else b,
                          "fmax": lambda a, b: a if a > b else b, "fmin": lambda a, b: a if a < b else b}
_JUMPS: Dict[str, Any] = {
    "sign": lambda x: (1.0 if x > 0 else -1.0) if type(x) is Watched else float(np.sign(x)),
    "heaviside": lambda x, z: (1.0 if x > 0 else 0.0) if type(x) is Watched else float(np.heaviside(x, number_of(z))),
    "floor": lambda x: float(math.floor(x)), "ceil": lambda x: float(math.ceil(x)), "trunc": lambda x: float(math.trunc(x)),
    "rint": lambda x: float(round(x)), "floor_divide": lambda a, b: a // b, "remainder": lambda a, b: a % b, "mod": lambda a, b: a % b,
    "fmod": cut_remainder, "copysign": with_sign, "signbit": lambda x: not x >= 0, "arctan2": angle_of}
_TWOFOLD: Dict[str, Any] = {"modf": parts, "divmod": divmod}
_SMOOTH = frozenset("add subtract multiply divide true_divide power float_power negative positive absolute fabs maximum minimum fmax fmin sin cos tan arcsin "
                    "arccos arctan sinh cosh tanh arcsinh arccosh arctanh hypot exp exp2 expm1 log log2 log10 log1p sqrt cbrt square reciprocal deg2rad rad2deg "
                    "degrees radians logaddexp logaddexp2 matmul conjugate".split())
_TRUTHS = frozenset("equal not_equal isnan isfinite isinf logical_not".split())


def apply_ufunc(ufunc: Any, method: str, inputs: Sequence[Any], kwargs: Dict[str, Any]) -> Any:
    out = kwargs.pop("out", None)
    found = _applied(ufunc, method, inputs, kwargs)
    if out is None or out[0] is None:
        return found
    target = out[0]
    if isinstance(target, WatchedArray):
        target.view(np.ndarray)[...] = objects(found) if isinstance(found, np.ndarray) else found
        target.line = None
    else:
        target[...] = state.seal if state.seal is not None and has_watched(found) else numbers(found)
    return target


def _applied(ufunc: Any, method: str, inputs: Sequence[Any], kwargs: Dict[str, Any]) -> Any:
    name = ufunc.__name__
    inputs = [objects(i) if isinstance(i, (list, tuple)) and has_watched(i) else i for i in inputs]
    if method == "__call__" and not kwargs:
        if name in _COMPARED:
            found = _compared_lines(name, *inputs)
            if found is not None:
                return found
            made = each(_COMPARED[name], *inputs)
            return np.asarray(made.view(np.ndarray), dtype=bool) if isinstance(made, np.ndarray) else bool(made)
        if name in ("sign", "heaviside") and isinstance(inputs[0], WatchedArray) and inputs[0].line is not None and not inputs[0].line.bent:
            above = _compared_lines("greater", inputs[0], 0.0 * inputs[0].line.offsets)
            if above is not None:
                return np.where(above, 1.0, -1.0 if name == "sign" else 0.0)
        if name in _JUMPS:
            made = each(_JUMPS[name], *inputs)
            if name == "signbit":
                return np.asarray(made, dtype=bool)[()]
            return made
        if name in _TWOFOLD:
            both = each(_TWOFOLD[name], *inputs)
            return (both[0], both[1]) if isinstance(both, tuple) else tuple(each(lambda v, k=k: v[k], both) for k in (0, 1))
        if name in _BENDS and max(np.size(i) for i in inputs) <= MOST_BENDS and not (
                isinstance(inputs[0], WatchedArray) and inputs[0].line is not None):
            return each(_BENDS[name], *inputs)
    if name not in _SMOOTH and name not in _TRUTHS and not _is_special(ufunc):
        lose(name)
    plain = [numbers(i) for i in inputs]
    found = getattr(ufunc, method)(*plain, **{key: numbers(value) for key, value in kwargs.items()})
    if name in _TRUTHS:
        return found
    made = rewatched(found)
    if method == "__call__" and isinstance(made, WatchedArray):
        made.line = _line_after(name, inputs)
    return made


def _is_special(ufunc: Any) -> bool:
    """Whether a ufunc is one of the smooth functions of scipy.special."""
    special = sys.modules.get("scipy.special")
    return special is not None and getattr(special, ufunc.__name__, None) is ufunc and ufunc.__name__ not in ("round", "binom", "sici")


def _line_after(name: str, inputs: Sequence[Any]) -> Optional[Line]:
    """The line that the elements of a result are on, if they are."""
    a = inputs[0]
    if len(inputs) == 1:
        line = a.line if isinstance(a, WatchedArray) else None
        if line is None:
            return None
        if name in ("absolute", "fabs", "square"):
            return line._replace(bent=True)
        return Line(line.p, -line.offsets, -line.slope, False) if name == "negative" and not line.bent else None
    if len(inputs) != 2:
        return None
    b = inputs[1]
    if name == "power" and _plain(b) and np.ndim(b) == 0 and b == 2:
        return a.line._replace(bent=True) if isinstance(a, WatchedArray) and a.line is not None else None
    if _plain(b):
        line, other, sign = _line_of(a, b), b, 1.0
    elif _plain(a):
        line, other, sign = _line_of(b, a), a, -1.0
    else:
        return None
    if line is None:
        return None
    if name in ("add", "subtract") and not line.bent and np.ndim(other) <= 1:
        other = np.asarray(other, dtype=float)
        if name == "add":
            return Line(line.p, line.offsets + other, line.slope, False)
        return Line(line.p, sign * (line.offsets - other), sign * line.slope, False)
    if name in ("multiply", "divide", "true_divide") and np.ndim(other) == 0 and other > 0 and line.bent:
        return line if name == "multiply" or sign > 0 else None
    if name in ("multiply", "divide", "true_divide") and np.ndim(other) == 0 and not line.bent and (name == "multiply" or sign > 0) and other != 0:
        factor = float(other) if name == "multiply" else 1 / float(other)
        return Line(line.p, line.offsets * factor, line.slope * factor, False)
    return None
