"""Surfaces of functions that are called: told, or found by watching what the functions compare."""

from __future__ import annotations

import sys
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import numpy as np

from ._quiet import muted

MOST_SURFACES = 12
MOST_RUNS = 256


# ---- told ---------------------------------------------------------------------------------------------------------------


class Nudged:
    """A function whose jumps lie on surfaces that are told.

    Where the state is not on the side that is asked for, the field is continued from there: with p, a state a little beyond
    the surface that Newton's method finds along the gradients, it is 2 f(p) − f(2p − y), which has no kink.
    """

    def __init__(self, field: Callable[[float, Any], Any], surfaces: Sequence[Callable[[float, Any], float]]) -> None:
        self._field, self._surfaces = field, list(surfaces)

    def guards(self, t: float, y: np.ndarray) -> List[float]:
        return [float(h(t, y)) for h in self._surfaces]

    def field(self, t: float, y: np.ndarray, signs: np.ndarray) -> Any:
        h = np.array(self.guards(t, y))
        wrong = np.nonzero(~(h * signs > 0))[0]
        if not wrong.size:
            return self._field(t, y)
        moved_t, moved = self._moved(t, np.array(y), signs, wrong)
        there = np.array(self._field(moved_t, moved), dtype=float)
        mirrored_t, mirrored = 2 * moved_t - t, 2 * moved - y
        mirrored_h = np.array(self.guards(mirrored_t, mirrored))
        if np.all(mirrored_h * signs > 0):
            return 2 * there - np.asarray(self._field(mirrored_t, mirrored), dtype=float)
        return there

    def _moved(self, t: float, y: np.ndarray, signs: np.ndarray, wrong: np.ndarray) -> Tuple[float, np.ndarray]:
        steps = 1e-6 * (1 + np.abs(y))
        for _ in range(4):
            h = np.array([self._surfaces[i](t, y) for i in wrong])
            slopes = np.empty((wrong.size, y.size))
            for j in range(y.size):
                ahead = y.copy()
                ahead[j] += steps[j]
                slopes[:, j] = (np.array([self._surfaces[i](t, ahead) for i in wrong]) - h) / steps[j]
            # Beyond the surface by what the state itself is known to.
            beyond = 1e-9 * (np.abs(slopes) @ (1 + np.abs(y)))
            if not np.any(slopes):
                step = 1e-6 * (1 + abs(t))
                rate = (np.array([self._surfaces[i](t + step, y) for i in wrong]) - h) / step
                if not np.any(rate):
                    return t, y
                k = int(np.argmax(np.abs(rate)))
                return t + (signs[wrong[k]] * 1e-9 * (1 + abs(t)) * abs(rate[k]) - h[k]) / rate[k], y
            y = y + np.linalg.lstsq(slopes, signs[wrong] * beyond - h, rcond=None)[0]
            if all(self._surfaces[i](t, y) * signs[i] > 0 for i in wrong):
                break
        return t, y


# ---- watched ------------------------------------------------------------------------------------------------------------

Site = Tuple[Any, int, int]  # code, instruction, the number of the occurrence


class _Watcher:
    """What one run of a function compares, and the answers that it is given."""

    def __init__(self, prescribed: Dict[Site, bool]) -> None:
        self.prescribed = prescribed
        self.seen: Dict[Site, float] = {}
        self.answers: List[Tuple[Site, bool]] = []
        self.counts: Dict[Tuple[Any, int], int] = {}

    def compare(self, h: float, natural: bool) -> bool:
        frame = sys._getframe(2)
        while frame.f_code.co_filename == __file__ and frame.f_back is not None:
            frame = frame.f_back
        key = (frame.f_code, frame.f_lasti)
        number = self.counts.get(key, 0)
        self.counts[key] = number + 1
        site = (frame.f_code, frame.f_lasti, number)
        self.seen[site] = h
        answer = self.prescribed.get(site)
        if answer is None:
            answer = h > 0 if h != 0 else natural
        self.answers.append((site, answer))
        return answer


_watcher: Optional[_Watcher] = None


def _value(x: Any) -> Any:
    return float(x)


class Watched(float):
    """A number whose comparisons are watched."""

    __slots__ = ()

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return _apply(ufunc, method, inputs, kwargs)

    def _compared(self, other: Any, natural: bool, swapped: bool) -> Any:
        if _watcher is None:
            return natural
        h = float(self) - float(other)
        answer = _watcher.compare(h, not natural if swapped else natural)
        return not answer if swapped else answer

    def __gt__(self, other: Any) -> Any:
        return NotImplemented if np.ndim(other) else self._compared(other, float(self) > float(other), False)

    def __ge__(self, other: Any) -> Any:
        return NotImplemented if np.ndim(other) else self._compared(other, float(self) >= float(other), False)

    def __lt__(self, other: Any) -> Any:
        return NotImplemented if np.ndim(other) else self._compared(other, float(self) < float(other), True)

    def __le__(self, other: Any) -> Any:
        return NotImplemented if np.ndim(other) else self._compared(other, float(self) <= float(other), True)

    def __eq__(self, other: Any) -> Any:
        return False if np.ndim(other) == 0 else NotImplemented

    def __ne__(self, other: Any) -> Any:
        return True if np.ndim(other) == 0 else NotImplemented

    __hash__ = float.__hash__

    def __abs__(self) -> Any:
        return self if self > 0 else -self


def _binary(name: str) -> Any:
    plain = getattr(float, name)

    def apply(self: Any, other: Any) -> Any:
        result = plain(self, other)
        return result if result is NotImplemented or isinstance(result, complex) else Watched(result)

    return apply


for _name in ("add", "radd", "sub", "rsub", "mul", "rmul", "truediv", "rtruediv", "pow", "rpow"):
    setattr(Watched, f"__{_name}__", _binary(f"__{_name}__"))
setattr(Watched, "__neg__", lambda self: Watched(-float(self)))
setattr(Watched, "__pos__", lambda self: self)


class WatchedArray(np.ndarray):
    """An array of watched numbers."""

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:  # type: ignore[override]
        return _apply(ufunc, method, inputs, kwargs)


_COMPARED = {"greater": lambda a, b: a > b, "greater_equal": lambda a, b: a >= b, "less": lambda a, b: a < b,
             "less_equal": lambda a, b: a <= b}
_STEPPED = frozenset("floor ceil rint trunc remainder mod fmod floor_divide divmod equal not_equal copysign signbit logical_and logical_or "
                     "logical_not logical_xor fmax fmin modf".split())
_CHOSEN = {"sign": lambda x: 1.0 if Watched(x) > 0 else -1.0, "absolute": lambda x: abs(Watched(x)),
           "maximum": lambda a, b: a if Watched(a) > b else b, "minimum": lambda a, b: a if Watched(a) < b else b,
           "heaviside": lambda x, z: 1.0 if Watched(x) > 0 else 0.0}


def _apply(ufunc: Any, method: str, inputs: Sequence[Any], kwargs: Dict[str, Any]) -> Any:
    plain = [i.view(np.ndarray) if isinstance(i, np.ndarray) else i for i in inputs]
    name = ufunc.__name__
    if method == "__call__" and name in _COMPARED and not kwargs:
        compare: Callable[[Any, Any], Any] = _COMPARED[name]
        result = np.frompyfunc(lambda a, b: compare(Watched(a), b), 2, 1)(*(np.asarray(p, dtype=object) for p in plain))
        return np.asarray(result, dtype=bool) if np.ndim(result) else bool(result)
    if method == "__call__" and name in _CHOSEN and not kwargs:
        chosen: Any = _CHOSEN[name]
        result = np.frompyfunc(chosen, len(plain), 1)(*(np.asarray(p, dtype=object) for p in plain))
    else:
        if name in _STEPPED and _watcher is not None:
            _lost.append(name)
        numbers = [np.asarray(p, dtype=float) if isinstance(p, (np.ndarray, Watched)) else p for p in plain]
        out = kwargs.pop("out", None)
        result = getattr(ufunc, method)(*numbers, **kwargs)
        if out is not None and out[0] is not None:
            out[0][...] = result
            return out[0]
    return watched_array(result) if np.ndim(result) else _wrapped(result)


def _wrapped(value: Any) -> Any:
    return Watched(value) if isinstance(value, (float, np.floating)) else value


def watched_array(values: Any) -> Any:
    array = np.empty(np.shape(values), dtype=object)
    array.ravel()[:] = [Watched(v) for v in np.ravel(np.asarray(values, dtype=float))]
    return array.view(WatchedArray)


_lost: List[str] = []  # what watched numbers were turned into, and no longer watched


def _losing(name: str) -> Any:
    plain = getattr(float, name)

    def apply(self: Any, *args: Any) -> Any:
        if _watcher is not None and sys._getframe(1).f_code.co_filename != __file__:
            _lost.append(name)
        return plain(self, *args)

    return apply


for _name in ("__float__", "__int__", "__round__", "__trunc__", "__floor__", "__ceil__", "__str__", "__repr__", "__format__", "__hash__",
              "__mod__", "__rmod__", "__floordiv__", "__rfloordiv__", "__divmod__", "__rdivmod__", "__bool__"):
    setattr(Watched, _name, _losing(_name))


class WatchedField:
    """A function with a surface for each comparison that it makes."""

    def __init__(self, function: Callable[[float, Any], Any], sites: List[Tuple[Site, Dict[Site, bool]]],
                 samples: Sequence[Tuple[float, np.ndarray]], leaves_out: bool) -> None:
        self._function = function
        self.loses = bool(_lost) or leaves_out  # whether it decides by what is not watched
        # Comparisons of the same two numbers, perhaps in the other order, are one surface.
        seen = np.array([[_seen(function, t, y, site, way) for site, way in sites] for t, y in samples])
        self._sites: List[Site] = []
        self._sides: List[Tuple[Site, int, int]] = []  # a site, its surface and the sign of its guard
        columns: List[np.ndarray] = []
        kept: List[Tuple[Site, Dict[Site, bool]]] = []
        for k, (site, way) in enumerate(sites):
            for surface, column in enumerate(columns):
                sign = 1 if np.array_equal(column, seen[:, k], True) else -1 if np.array_equal(column, -seen[:, k], True) else 0
                if sign != 0:
                    self._sides.append((site, surface, sign))
                    break
            else:
                self._sides.append((site, len(columns), 1))
                columns.append(seen[:, k])
                self._sites.append(site)
                kept.append((site, way))
        sites = kept
        # Sites that the same answers lead to are had by one run.
        self._ways: List[Tuple[Dict[Site, bool], List[int]]] = []
        for k, (_, way) in enumerate(sites):
            for known, members in self._ways:
                if known == way:
                    members.append(k)
                    break
            else:
                self._ways.append((way, [k]))
        self.names = [f"line {_line(site)}" + (f" ({site[2] + 1})" if site[2] else "") for site in self._sites]
        for k, name in enumerate(self.names):
            if name in self.names[:k]:
                self.names[k] = f"{name}, {k + 1}"

    def guards(self, t: float, y: np.ndarray) -> List[float]:
        values = [1.0] * len(self._sites)
        # The function is asked what it compares, and has printed for this t and y already.
        with muted:
            for way, members in self._ways:
                watcher = _run(self._function, t, y, dict(way))[1]
                for k in members:
                    values[k] = watcher.seen.get(self._sites[k], 1.0)
        return values

    def field(self, t: float, y: np.ndarray, signs: np.ndarray) -> Any:
        prescribed = {site: bool(signs[k] * sign > 0) for site, k, sign in self._sides}
        try:
            return _run(self._function, t, y, prescribed)[0]
        except Exception:
            # Answers that no numbers give may lead where the function has no value; those that t and y give may not.
            result, watcher = _run(self._function, t, y, {})
            if all(prescribed.get(site, answer) == answer for site, answer in watcher.answers):
                raise
            return result


def _seen(function: Callable[[float, Any], Any], t: float, y: np.ndarray, site: Site, way: Dict[Site, bool]) -> float:
    try:
        return _run(function, t, y, dict(way))[1].seen.get(site, np.nan)
    except (ArithmeticError, ValueError):
        return np.nan


def _line(site: Site) -> int:
    code, offset, _ = site
    line = code.co_firstlineno
    for start, end, number in code.co_lines():
        if start <= offset < end and number is not None:
            line = number
    return int(line)


def _run(function: Callable[[float, Any], Any], t: float, y: Any, prescribed: Dict[Site, bool]) -> Tuple[List[float], _Watcher]:
    global _watcher
    outer = _watcher
    watcher = _watcher = _Watcher(prescribed)
    try:
        result = function(Watched(t), watched_array(y))
    finally:
        _watcher = outer
    return [float(v) for v in np.ravel(result)], watcher


def watch(function: Callable[[float, Any], Any], start: float, end: float, state: np.ndarray) -> Optional[WatchedField]:
    """The function with the surfaces that it was seen to branch on; None where it does not take watched numbers."""
    _lost.clear()
    rng = np.random.default_rng(2)
    found: Dict[Site, Dict[Site, bool]] = {}
    counts: Dict[Tuple[Any, int], int] = {}
    loops: set = set()  # Python tests a loop's condition in two places of one line
    runs = 0
    samples = []
    for k in range(6):
        t = start + (end - start) * k / 6
        y = np.asarray(state, dtype=float) + (np.abs(state) * 0.2 + 0.1) * rng.uniform(-1, 1, np.size(state)) * (k > 0)
        samples.append((t, y))
    # What t and y decide by themselves comes first: most loops show there, and are not looked into then.
    pending: List[Tuple[int, Dict[Site, bool]]] = [(k, {}) for k in reversed(range(len(samples)))]
    tried = []
    while pending and runs < MOST_RUNS:
        place, way = pending.pop(0 if runs < len(samples) else -1)
        turned = next(reversed(way), None)
        if (place, way) in tried or (turned is not None and (turned[0], _line(turned)) in loops):
            continue
        tried.append((place, way))
        runs += 1
        t, y = samples[place]
        try:
            with np.errstate(all="ignore"):
                result, watcher = _run(function, t, y, way)
                plain = function(t, np.array(y)) if not way else None
        except (ArithmeticError, ValueError):
            continue
        except Exception:
            return None
        on_surface = 0.0 in watcher.seen.values()  # where sign(0) is neither side's
        if plain is not None and not on_surface and not np.allclose(np.ravel(np.asarray(plain, dtype=float)), result, rtol=1e-9, atol=1e-12,
                                                                    equal_nan=True):
            return None
        for key, number in watcher.counts.items():
            # A comparison that is made now more and now less often is the end of a loop.
            if counts.setdefault(key, number) != number:
                loops.add((key[0], _line((*key, 0))))
        path: Dict[Site, bool] = {}
        for site, answer in watcher.answers:
            found.setdefault(site, dict(path))
            if site not in way:
                pending.append((place, {**path, site: not answer}))
            path[site] = answer
            if len(path) > 40:
                break
    sites = [(site, way) for site, way in found.items() if (site[0], _line(site)) not in loops]
    kept = {site for site, _ in sites}
    sites = [(site, {s: a for s, a in way.items() if s in kept}) for site, way in sites]
    made = WatchedField(function, sites, samples, len(sites) < len(found)) if len(sites) <= 4 * MOST_SURFACES else None
    return made if made is not None and len(made.names) <= MOST_SURFACES else None
