"""What a function remembers from one call to the next: everything that it reaches and can change.

A differential equation has no memory: y' depends on t and y. A function that keeps something (a flag of a thermostat, the largest value so
far, random numbers) gives other derivatives at the same t and y, in an order that the steps of an integrator decide.
"""

from __future__ import annotations

import collections
import functools
import random
import types
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Set, Tuple

import numpy as np

from ._rewriter import Bound, _is_opaque, _names_of

MOST_OBJECTS = 20_000
MOST_NUMBERS = 1_000_000
_MISSING: Any = object()
_PLAIN = (float, int, bool, str, type(None), complex, bytes, types.ModuleType, types.BuiltinFunctionType, np.ufunc)


class RemembersError(ValueError):
    """The function depends on what it remembers from earlier calls; the text says what, and what to write instead."""


class Change(NamedTuple):
    """One thing that has changed: what it belongs to, its place there, its name for messages, the old and the new value."""

    place: int
    key: Any
    name: str
    old: Any
    new: Any


class _Place:
    """Something that holds values, and how to read and to set them."""

    def __init__(self, holder: Any, kind: str, name: str, names: Sequence[str] = ()) -> None:
        self.holder, self.kind, self.name, self.names = holder, kind, name, names
        self.saved = self.read()

    def read(self) -> Any:
        holder, kind = self.holder, self.kind
        if kind == "cell":
            try:
                return {"": holder.cell_contents}
            except ValueError:
                return {}
        if kind == "scope":
            return {name: holder[name] for name in self.names if name in holder}
        if kind == "dict":
            return dict(holder)
        if kind == "class":
            return {k: v for k, v in vars(holder).items() if not callable(v) and not k.startswith("__")}
        if kind == "sequence":
            return list(holder)
        if kind == "set":
            return set(holder)
        if kind == "array":
            return holder.copy()
        return _random_state(holder)

    def restore(self, saved: Any) -> None:
        holder, kind = self.holder, self.kind
        if kind == "cell":
            if saved:
                holder.cell_contents = saved[""]
        elif kind == "scope":
            holder.update(saved)
        elif kind == "dict":
            holder.clear()
            holder.update(saved)
        elif kind == "class":
            for name, value in saved.items():
                if vars(holder).get(name, _MISSING) is not value:
                    setattr(holder, name, value)
        elif kind == "sequence":
            holder.clear()
            holder.extend(saved)
        elif kind == "set":
            holder.clear()
            holder.update(saved)
        elif kind == "array":
            holder[...] = saved
        else:
            _set_random_state(holder, saved)

    def differences(self) -> List[Tuple[Any, Any, Any]]:
        """(key, old, new) of what is no longer what it was."""
        now, old = self.read(), self.saved
        if isinstance(old, dict) and self.kind != "random":
            if now.keys() == old.keys() and all(now[k] is old[k] for k in old):
                return []
            return [(key, old.get(key, _MISSING), now.get(key, _MISSING)) for key in dict.fromkeys(list(old) + list(now))
                    if not _same(old.get(key, _MISSING), now.get(key, _MISSING))]
        if self.kind == "sequence":
            if len(now) == len(old):
                return [(k, a, b) for k, (a, b) in enumerate(zip(old, now)) if not _same(a, b)]
            return [(None, old, now)]
        if self.kind == "array":
            return [] if np.array_equal(now, old, equal_nan=old.dtype.kind == "f") else [(None, old, now)]
        return [] if _equal(now, old) else [(None, old, now)]

    def name_of(self, key: Any) -> str:
        if self.kind == "cell" or key is None:
            return self.name
        if self.kind == "scope":
            return str(key)
        if self.kind == "class":
            return f"{self.name}.{key}"
        if self.kind == "dict" and self.name.endswith("."):
            return f"{self.name}{key}"
        # A key of the function's own making may be an expression.
        shown = repr(key) if isinstance(key, (str, int, float, bool, tuple)) else "…"
        return f"{self.name.rstrip('.')}[{shown}]"


def _same(a: Any, b: Any) -> bool:
    if a is b:
        return True
    if type(a) is type(b) and isinstance(a, (float, int, bool, str, complex, np.floating, np.integer)):
        return bool(a == b) or (a != a and b != b)
    return False


def _equal(a: Any, b: Any) -> bool:
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(_equal(a[k], b[k]) for k in a)
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return bool(np.array_equal(a, b))
    return bool(a == b)


def _random_state(holder: Any) -> Any:
    if isinstance(holder, np.random.Generator):
        return holder.bit_generator.state
    return holder.getstate() if hasattr(holder, "getstate") else holder.get_state(legacy=False)


def _set_random_state(holder: Any, saved: Any) -> None:
    if isinstance(holder, np.random.Generator):
        holder.bit_generator.state = saved
    elif hasattr(holder, "setstate"):
        holder.setstate(saved)
    else:
        holder.set_state(saved)


class Memory:
    """Everything that functions reach and can change, as it is now."""

    def __init__(self, *functions: Any) -> None:
        self.places: List[_Place] = []
        self.iterators: List[str] = []  # each value of these is there once
        self._seen: Set[int] = set()
        self._kept: List[Any] = []
        for function in functions:
            self._walk(function, getattr(function, "__name__", "self"))

    def _add(self, holder: Any, kind: str, name: str, names: Sequence[str] = ()) -> None:
        self.places.append(_Place(holder, kind, name, names))

    def _walk(self, value: Any, name: str) -> None:
        if isinstance(value, types.BuiltinMethodType) and isinstance(value.__self__, (random.Random, np.random.RandomState)):
            value = value.__self__
        if isinstance(value, _PLAIN) or id(value) in self._seen or len(self._seen) > MOST_OBJECTS:
            return
        self._seen.add(id(value))
        self._kept.append(value)
        kind = type(value)
        if kind is types.FunctionType:
            self._walk_function(value)
        elif kind is types.MethodType:
            self._walk(value.__func__, name)
            self._walk(value.__self__, "self")
        elif isinstance(value, Bound):
            self._walk(value.function, name)
            for part in value.args:
                self._walk(part, "args")
        elif isinstance(value, functools.partial):
            self._walk(value.func, name)
            for part in value.args + tuple(value.keywords.values()):
                self._walk(part, name)
        elif kind is functools._lru_cache_wrapper:
            self._walk(value.__wrapped__, name)
        elif isinstance(value, dict):
            self._add(value, "dict", name)
            for key, item in list(value.items()):
                self._walk(item, f"{name}[{key!r}]")
        elif isinstance(value, (list, collections.deque)):
            self._add(value, "sequence", name)
            if len(value) <= 1000:
                for k, item in enumerate(value):
                    self._walk(item, f"{name}[{k}]")
        elif isinstance(value, tuple):
            for k, item in enumerate(value[:1000]):
                self._walk(item, f"{name}[{k}]")
        elif isinstance(value, set):
            self._add(value, "set", name)
        elif isinstance(value, np.ndarray):
            if value.size <= MOST_NUMBERS and value.flags.writeable:
                self._add(value, "array", name)
        elif isinstance(value, (random.Random, np.random.Generator, np.random.RandomState)):
            self._add(value, "random", name)
        elif hasattr(kind, "__next__"):
            self.iterators.append(name)
        elif isinstance(value, type):
            if not _is_opaque(value.__module__):
                self._add(value, "class", value.__name__)
        elif hasattr(value, "__dict__") and not _is_opaque(kind.__module__):
            label = "self" if name == "self" else name
            self._add(vars(value), "dict", f"{label}.")
            for key, item in list(vars(value).items()):
                self._walk(item, f"{label}.{key}")
            for base in kind.__mro__[:-1]:
                if not _is_opaque(base.__module__):
                    for item in vars(base).values():
                        if isinstance(item, types.FunctionType):
                            self._walk(item, item.__name__)
                    self._walk(base, base.__name__)

    def _walk_function(self, function: types.FunctionType) -> None:
        module = function.__module__ or ""
        if _is_opaque(module):
            return
        code = function.__code__
        for label, cell in zip(code.co_freevars, function.__closure__ or ()):
            if id(cell) not in self._seen:
                self._seen.add(id(cell))
                self._add(cell, "cell", label)
                try:
                    self._walk(cell.cell_contents, label)
                except ValueError:
                    pass
        names = [name for name in _names_of(code) if name in function.__globals__]
        if names:
            self._add(function.__globals__, "scope", "", names)
            for name in names:
                value = function.__globals__[name]
                if isinstance(value, types.ModuleType) and "random" in (value.__name__, *code.co_names):
                    self._walk_random()
                self._walk(value, name)
        for value in (function.__defaults__ or ()) + tuple((function.__kwdefaults__ or {}).values()):
            self._walk(value, _default_name(function, value))
        if vars(function):
            self._add(vars(function), "dict", f"{function.__name__}.")
            for key, value in vars(function).items():
                self._walk(value, f"{function.__name__}.{key}")

    def _walk_random(self) -> None:
        for holder, name in ((random._inst, "random"), (np.random.mtrand._rand, "np.random")):  # type: ignore[attr-defined]
            if id(holder) not in self._seen:
                self._seen.add(id(holder))
                self._add(holder, "random", name)

    def changes(self) -> List[Change]:
        """What is no longer as it was when this was made, or kept."""
        return [Change(k, key, place.name_of(key), old, new) for k, place in enumerate(self.places)
                for key, old, new in place.differences()]

    def restore(self) -> None:
        for place in self.places:
            if place.differences():
                place.restore(place.saved)

    def state(self) -> List[Any]:
        return [place.read() for place in self.places]

    def set_state(self, state: List[Any]) -> None:
        for place, saved in zip(self.places, state):
            place.restore(saved)

    def put(self, change: Change, value: Any) -> None:
        """Sets one thing, here and now."""
        place = self.places[change.place]
        if change.key is None:
            place.restore(value)
        elif place.kind == "cell":
            place.holder.cell_contents = value
        elif place.kind == "class":
            setattr(place.holder, change.key, value)
        else:
            place.holder[change.key] = value


def _default_name(function: types.FunctionType, value: Any) -> str:
    code = function.__code__
    arguments = code.co_varnames[:code.co_argcount]
    for name, default in zip(reversed(arguments), reversed(function.__defaults__ or ())):
        if default is value:
            return name
    return next((name for name, default in (function.__kwdefaults__ or {}).items() if default is value), "default")


def advice(names: Sequence[str], function_name: str = "the function") -> str:
    """What is remembered, and the code to write instead."""
    shown = ", ".join(f"`{name}`" for name in list(dict.fromkeys(names))[:4])
    short = names[0].split(".")[-1].split("[")[-1].strip("]'\"") if names else "on"
    short = short if short.isidentifier() else "on"
    return (f"{function_name} remembers {shown} from one call to the next, so that y' depends on the order in which an integrator "
            f"calls it, and not on t and y alone. Write what is remembered into the model:\n"
            f"  a relay:        {short} = slideway.hysteresis(y[0], low, high)   # 1 since y[0] rose through high, -1 since it fell "
            f"through low\n"
            f"  a switch:       slideway.System(field, discrete={{\"{short}\": 1}}, resets=[slideway.Reset(when=lambda t, y: y[0] - "
            f"limit, set={{\"{short}\": 0}})], ...), with field(t, y, {short})\n"
            f"  a largest or last value: a state of its own, which an event with a jump sets (slideway.Reset)\n"
            f"memory=\"ignore\" calls the function as it is; its results then depend on the steps.")


# ---- functions that are called ------------------------------------------------------------------------------------------


def _values(function: Callable[..., Any], t: float, y: np.ndarray) -> Any:
    try:
        with np.errstate(all="ignore"):
            return np.array(function(t, y.copy()), dtype=complex).ravel()
    except Exception as error:
        return f"{type(error).__name__}"


def _agree(a: Any, b: Any) -> bool:
    if isinstance(a, str) or isinstance(b, str):
        return bool(isinstance(a, str) and isinstance(b, str) and a == b)
    return a.shape == b.shape and bool(np.array_equal(a, b, equal_nan=True))


class Called(NamedTuple):
    """What calls of a function tell: names of what it remembers, and what changes without an effect."""

    remembered: List[str]
    changed: List[str]
    states: List[Any]


def call_twice(function: Callable[..., Any], memory: Memory, points: Sequence[Tuple[float, np.ndarray]]) -> Called:
    """Calls a function at points in two orders, and puts back what it has changed."""
    states: List[Any] = []
    changed: Dict[str, None] = {}
    try:
        ways = []
        for order in (range(len(points)), reversed(range(len(points)))):
            found: Dict[int, Any] = {}
            for k in order:
                found[k] = _values(function, *points[k])
                changed.update((change.name, None) for change in memory.changes())
            ways.append(found)
        again = _values(function, *points[0])
        states = [memory.state()]
        differs = any(not _agree(ways[0][k], ways[1][k]) for k in ways[0]) or not _agree(again, ways[1][0])
        names = list(changed)
        if names and not differs:
            # Each point after each other one.
            for other in points:
                for k, point in enumerate(points):
                    _values(function, *other)
                    differs = differs or not _agree(_values(function, *point), ways[0][k])
        if differs:
            return Called(names or ["something"], names, states)
        return Called([], names, states)
    finally:
        memory.restore()
