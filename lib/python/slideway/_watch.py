"""Surfaces of functions that are called: told, or found by watching what the functions decide."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Set, Tuple

import numpy as np

from ._levels import ZERO, Levels
from ._quiet import muted
from ._watched import Site, Watcher, plain_site, state
from ._watched_forms import results_of, seeds

MOST_SURFACES = 60
MOST_RUNS = 400
# A variant of a decision for each set of outcomes that it depends on; of more of these nothing is known.
MOST_DECISIONS = 240


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

Point = Tuple[float, np.ndarray]
Function = Callable[[float, Any], Any]
Depends = Dict[Site, Tuple[Site, ...]]
# What those see in a watched number who read past it, in turn: numbers that comparisons and arithmetic tell from others.
_SEALS = (np.nan, 1e200, -1e200, 12345.6789012345, -0.1234567890123)
# A level that is nearer to the start of a run is passed there.
_AT_ONCE = 1e-9
# The next level takes over at this distance from the nearest one: beyond the middle, so that a number that goes to and fro about it
# does not change the level each time.
_TAKES_OVER = 0.75
# Guards are asked for at the same points in turn.
_MOST_KNOWN = 64


class Step(NamedTuple):
    """A discrete state that counts for a decision: the cells of a number of the time, at whose ends it is set, or the level that the number is nearest to."""

    name: str
    times: List[float]
    first: float


class Slot(NamedTuple):
    """What gives the outcome of a decision: a surface with the sign of its guard, a discrete state, or both."""

    surface: Optional[int]
    sign: int
    step: Optional[int]
    levels: Levels


class Affine(NamedTuple):
    """The number slope·t + offset."""

    slope: float
    offset: float


def _run(function: Function, t: float, y: Any, prescribed: Dict[Site, int], depends: Depends) -> Tuple[List[float], Watcher]:
    outer = state.watcher
    watcher = state.watcher = Watcher(prescribed, depends)
    try:
        return results_of(function(*seeds(t, y))), watcher
    finally:
        state.watcher = outer


class WatchedField:
    """A function with surfaces and discrete states for what it decides. Its states are those of the function, then the discrete ones."""

    def __init__(self, function: Function, size: int, decisions: "_Decisions", slots: Dict[Site, Slot], names: List[str], surfaces: List[Site],
                 steps: List[Step], step_sites: List[Site], affine: Dict[Site, Affine], loses: bool) -> None:
        self._function, self._size, self._depends = function, size, decisions.depends
        self._slots, self._surfaces, self._step_sites, self._affine = slots, surfaces, step_sites, affine
        self._ways = {site: decisions.ways[site] for site in surfaces}
        self._timed = [(site, slot.step) for site, slot in slots.items() if slot.surface is None and slot.step is not None]
        self.names, self.steps = names, steps
        self.loses = loses  # whether it decides by what is not watched
        self.escaped: List[Point] = []  # where it decided what it was not seen to
        self.is_read_past = False  # whether something reads its numbers in a way that nobody can watch
        self._known: Dict[Any, Dict[Site, float]] = {}  # numbers at the last points

    def guards(self, t: float, x: np.ndarray) -> List[float]:
        seen = self._numbers(t, x)
        values = []
        for site in self._surfaces:
            slot, p = self._slots[site], seen.get(site)
            level = slot.levels.first if slot.step is None else round(x[self._size + slot.step])
            assert level is not None
            values.append(1.0 if p is None else p - slot.levels.value(level))
        return values

    def field(self, t: float, x: np.ndarray, signs: Sequence[float] = ()) -> List[float]:
        prescribed: Dict[Site, int] = {}
        for site, slot in self._slots.items():
            cell = slot.levels.first if slot.step is None else round(x[self._size + slot.step])
            assert cell is not None
            prescribed[site] = cell if slot.surface is None or signs[slot.surface] * slot.sign > 0 else cell - 1
        y = x[:self._size]
        try:
            result, watcher = _run(self._function, t, y, prescribed, self._depends)
        except Exception:
            # Outcomes that no numbers give may lead where the function has no value; those that t and y give may not.
            result, watcher = _run(self._function, t, y, {}, self._depends)
            if all(prescribed.get(site, cell) == cell for site, cell in watcher.answers.items()):
                raise
        if len(self.escaped) < 100 and any(site not in self._slots for site in watcher.answers):
            self.escaped.append((t, np.array(y)))
        return result + [0.0] * len(self.steps)

    def resets(self) -> List[Tuple[str, Any, int, Any]]:
        """What sets the levels that numbers of the states are nearest to, as (name, guard, state, value)."""
        return [(self.steps[k].name, self._near(site, k), self._size + k, self._nearest(site, k))
                for k, site in enumerate(self._step_sites) if site not in self._affine]

    def timed(self) -> List[Tuple[str, List[float], int, Any]]:
        """What sets the cells of numbers of the time, as (name, times, state, value)."""
        return [(self.steps[k].name, self.steps[k].times, self._size + k, self._next_cell(site))
                for k, site in enumerate(self._step_sites) if site in self._affine and self.steps[k].times]

    def _near(self, site: Site, step: int) -> Any:
        levels, place = self._slots[site].levels, self._size + step

        def guard(t: float, x: np.ndarray) -> float:
            p = self._numbers(t, x).get(site)
            return _TAKES_OVER if p is None else _TAKES_OVER - (levels.place(p) - float(x[place])) ** 2 / _TAKES_OVER

        return guard

    def _nearest(self, site: Site, step: int) -> Any:
        levels, place = self._slots[site].levels, self._size + step

        def value(t: float, x: np.ndarray) -> float:
            p = self._numbers(t, x).get(site)
            return float(x[place]) if p is None else float(levels.nearest(p))

        return value

    def _next_cell(self, site: Site) -> Any:
        levels, (slope, offset) = self._slots[site].levels, self._affine[site]
        return lambda t, x: float(levels.nearest(slope * t + offset) - (slope < 0))

    def _numbers(self, t: float, x: np.ndarray) -> Dict[Site, float]:
        """The numbers that surfaces stand for."""
        key = (t, x.tobytes())
        known = self._known.get(key)
        if known is not None:
            return known
        y = x[:self._size]
        timed = {site: round(x[self._size + step]) for site, step in self._timed}
        # The function is asked what it compares, and has printed for this t and y already.
        with muted:
            seen = {site: p for site, (p, _) in _run(self._function, t, y, timed, self._depends)[1].seen.items()}
            for site in self._surfaces:
                if site not in seen:
                    try:
                        there = _run(self._function, t, y, {**self._ways[site], **timed}, self._depends)[1].seen
                    except (ArithmeticError, ValueError, LookupError):
                        continue
                    for other, (p, _) in there.items():
                        seen.setdefault(other, p)
        if len(self._known) >= _MOST_KNOWN:
            self._known.clear()
        self._known[key] = seen
        return seen


class _Decisions:
    """What a function was seen to decide at some points, with outcomes that lead there."""

    def __init__(self, function: Function, depends: Depends) -> None:
        self.function, self.depends = function, depends
        self.ways: Dict[Site, Dict[Site, int]] = {}
        self.levels: Dict[Site, Levels] = {}
        self.loops: Set[Any] = set()  # Python tests a loop's condition in two places of one line
        self._counts: Dict[Any, int] = {}
        self._natural: List[Dict[Site, float]] = []  # the numbers where t and y decide by themselves

    def look(self, points: Sequence[Point], plain: Optional[Function]) -> bool:
        """Tries the outcomes of all decisions at points; False where the function does not take watched numbers, or another path."""
        # What t and y decide by themselves comes first: most loops show there.
        pending: List[Tuple[int, Dict[Site, int]]] = [(k, {}) for k in reversed(range(len(points)))]
        tried: Set[Any] = set()
        runs = 0
        while pending and runs < MOST_RUNS:
            place, way = pending.pop(0 if runs < len(points) else -1)
            turned = next(reversed(way), None)
            if turned is not None and _line_of(turned) in self.loops:
                continue
            runs += 1
            t, y = points[place]
            try:
                with np.errstate(all="ignore"):
                    result, watcher = _run(self.function, t, y, way, self.depends)
                    expected = plain(t, np.array(y)) if plain is not None and not way else None
            except (ArithmeticError, ValueError, LookupError):
                continue
            except Exception:
                return False
            if expected is not None and not _is_on_level(watcher) and not np.allclose(np.ravel(np.asarray(expected, dtype=float)), result, rtol=1e-9,
                                                                                      atol=1e-12, equal_nan=True):
                return False
            self._note(watcher, place, tried, pending, way)
        return True

    def _note(self, watcher: Watcher, place: int, tried: Set[Any], pending: List[Tuple[int, Dict[Site, int]]], way: Dict[Site, int]) -> None:
        for key, number in watcher.counts.items():
            # A comparison that is made now more and now less often is the end of a loop.
            if self._counts.setdefault(key, number) != number:
                self.loops.add(_line_of((*key, 0)))
        if not way:
            self._natural.append({site: p for site, (p, _) in watcher.seen.items()})
        path: Dict[Site, int] = {}
        for site, cell in watcher.answers.items():
            if site not in self.ways and len(self.ways) < MOST_DECISIONS:
                self.ways[site], self.levels[site] = dict(path), watcher.seen[site][1]
            if site not in way and len(path) <= 40:
                for other in self.levels.get(site, ZERO).cells_near(cell):
                    if (place, site, other) not in tried:
                        tried.add((place, site, other))
                        pending.append((place, {**path, site: other}))
            path[site] = cell

    def forget_loops(self) -> bool:
        """Leaves out what ends a loop, unless all its numbers are one number less this or that, as in a loop over a table; whether there was one."""
        lines: Dict[Any, List[Site]] = {}
        for site in self.ways:
            if _line_of(site) in self.loops:
                lines.setdefault(_line_of(site), []).append(site)
        left = [site for sites in lines.values() if not self._is_over_table(sites) for site in sites]
        for site in left:
            del self.ways[site]
        return bool(left)

    def _is_over_table(self, sites: Sequence[Site]) -> bool:
        first, compared = sites[0], 0
        for site in sites[1:]:
            shifts = [seen[site] - seen[first] for seen in self._natural if site in seen and first in seen]
            if shifts and np.ptp(shifts) > 1e-9 * (1 + np.abs(shifts).max()):
                return False
            compared += len(shifts) > 1
        return compared > 0

    def numbers(self, points: Sequence[Point]) -> Dict[Site, np.ndarray]:
        """The numbers that are decided on at points, NaN where there is none."""
        found = {site: np.full(len(points), np.nan) for site in self.ways}
        for k, (t, y) in enumerate(points):
            ways: List[Dict[Site, int]] = [{}, *self.ways.values()]
            for way in ways:
                if way and all(np.isfinite(found[site][k]) for site, other in self.ways.items() if other is way):
                    continue
                try:
                    with np.errstate(all="ignore"):
                        seen = _run(self.function, t, y, way, self.depends)[1].seen
                except Exception:
                    continue
                for site, (p, _) in seen.items():
                    if site in found and not np.isfinite(found[site][k]):
                        found[site][k] = p
        return found

    def dependences(self, points: Sequence[Point]) -> Dict[Site, List[Site]]:
        """By decision, the earlier ones whose outcomes change the number that it is about."""
        found: Dict[Site, List[Site]] = {}
        ways: List[Dict[Site, int]] = [{}]
        ways += [way for way in self.ways.values() if way and way not in ways]
        runs = 0
        for t, y in points:
            for way in ways:
                base = self._seen(t, y, way)
                for site, cell in ([] if base is None else list(base.answers.items())):
                    runs += 1
                    if runs > 4 * MOST_RUNS or site not in self.levels or base is None:
                        continue
                    for other in self.levels[site].cells_near(cell)[:1]:
                        there = self._seen(t, y, {**way, site: other})
                        for seen, (p, _) in ({} if there is None else there.seen).items():
                            known = base.seen.get(seen)
                            if known is not None and seen != site and abs(p - known[0]) > 1e-12 * (abs(p) + abs(known[0])):
                                earlier = found.setdefault(seen, [])
                                if site not in earlier:
                                    earlier.append(site)
        return found

    def _seen(self, t: float, y: np.ndarray, way: Dict[Site, int]) -> Optional[Watcher]:
        try:
            with np.errstate(all="ignore"):
                return _run(self.function, t, y, way, self.depends)[1]
        except Exception:
            return None


def _is_on_level(watcher: Watcher) -> bool:
    """Whether a number is on a level, where sign(0) is neither side's."""
    return any(np.isfinite(p) and abs(p - levels.value(levels.nearest(p))) <= 1e-12 * (1 + abs(p)) for p, levels in watcher.seen.values())


def _line_of(site: Site) -> Tuple[Any, int]:
    code, offset = site[0], site[1]
    line = code.co_firstlineno
    for start, end, number in code.co_lines():
        if start <= offset < end and number is not None:
            line = number
    return code, int(line)


def _affine(times: np.ndarray, values: np.ndarray) -> Optional[Affine]:
    """The number slope·t + offset that these values are, as far as rounding tells."""
    known = np.isfinite(values)
    if np.unique(times[known]).size < 4:
        return None
    t, p = times[known], values[known]
    first, last = int(np.argmin(t)), int(np.argmax(t))
    slope = float((p[last] - p[first]) / (t[last] - t[first]))
    offset = float(p[first] - slope * t[first])
    scale = abs(slope) * float(np.abs(t).max()) + float(np.abs(p).max())
    if abs(slope) * float(np.ptp(t)) <= 1e-9 * scale or np.abs(p - slope * t - offset).max() > 1e-12 * scale:
        return None
    # Numbers that people write: periods and offsets of few digits.
    period = float(f"{1 / slope:.12g}")
    if abs(period * slope - 1) < 1e-13:
        slope = 1 / period
    halves = round(2 * offset) / 2
    return Affine(slope, halves if abs(offset - halves) <= 1e-12 * scale else offset)


def _cell_from(levels: Levels, number: Affine, t: float) -> int:
    """The cell from t on."""
    p = number.slope * t + number.offset
    level = levels.nearest(p)
    if abs(levels.place(p) - level) < _AT_ONCE:
        return level - (number.slope < 0)
    return levels.cell(p)


def _times_of(levels: Levels, number: Affine, start: float, end: float) -> Optional[List[float]]:
    """When the number passes levels within the run; None of too many."""
    margin = 1e-13 * max(abs(start), abs(end), end - start)
    first, last = _cell_from(levels, number, start), levels.cell(number.slope * end + number.offset)
    if abs(last - first) > 1_000_000:
        return None
    passed = range(first + 1, last + 1) if number.slope > 0 else range(first, last, -1)
    times = [(levels.value(k) - number.offset) / number.slope for k in passed if levels.has_cell(k) and levels.has_cell(k - 1)]
    return [t for t in times if start + margin < t < end - margin]


def watch(plain: Function, function: Function, start: float, end: float, initial: np.ndarray, more: Sequence[Point] = ()) -> Optional[WatchedField]:
    """The function with surfaces and steps for what it was seen to decide; None where it does not take watched numbers.

    `function` is the form of `plain` that takes them, and `more` are points at which it decided what was not known.
    """
    state.lost.clear()
    rng = np.random.default_rng(2)
    given = np.asarray(initial, dtype=float)
    points: List[Point] = []
    for k in range(7):
        points.append((start + (end - start) * min(k / 6, 0.999), given + (np.abs(given) * 0.2 + 0.1) * rng.uniform(-1, 1, given.size) * (k > 0)))
    points += more
    decisions = _Decisions(function, {})
    if not decisions.look(points, plain):
        return None
    loses = decisions.forget_loops()
    if loses and not decisions.ways:
        return _made(decisions, {}, {}, set(), True, start, end, given, points)
    times = start + (end - start) * (np.arange(1, 17) * 0.6180339887498949 % 1)
    around = [(float(t), given + (np.abs(given) * 0.2 + 0.1) * rng.uniform(-1, 1, given.size)) for t in times]
    numbers = decisions.numbers(around)
    affine = _affine_of(decisions, numbers, times)
    forced: Set[Site] = set()
    depends: Depends = {}
    for site, earlier in decisions.dependences(points[:4]).items():
        forced.update(d for d in earlier if d in affine)
        others = [d for d in earlier if d not in affine]
        # What depends on one of several cells has too many forms.
        loses = loses or any(not decisions.levels[d].is_single for d in others)
        kept = tuple(d for d in others if decisions.levels[d].is_single)
        if kept:
            depends[site] = kept
    if depends:
        decisions = _Decisions(function, depends)
        if not decisions.look(points, plain):
            return None
        loses = decisions.forget_loops() or loses
        numbers = decisions.numbers(around)
        affine = _affine_of(decisions, numbers, times)
    return _made(decisions, numbers, affine, forced, loses, start, end, given, points)


def _affine_of(decisions: _Decisions, numbers: Dict[Site, np.ndarray], times: np.ndarray) -> Dict[Site, Affine]:
    found = {site: _affine(times, values) for site, values in numbers.items()}
    return {site: number for site, number in found.items() if number is not None}


def _made(decisions: _Decisions, numbers: Dict[Site, np.ndarray], affine: Dict[Site, Affine], forced: Set[Site], loses: bool, start: float,
          end: float, initial: np.ndarray, points: Sequence[Point]) -> Optional[WatchedField]:
    kept = list(decisions.ways)
    loses = loses or len(kept) >= MOST_DECISIONS
    singles = [site for site in kept if site in affine and decisions.levels[site].is_single]
    if len(singles) > 8:
        forced = forced | set(singles)
    slots: Dict[Site, Slot] = {}
    surfaces: List[Site] = []
    steps: List[Step] = []
    step_sites: List[Site] = []
    timed: Dict[Site, Affine] = {}
    first = decisions.numbers([(start, initial)]) if kept else {}
    for site in kept:
        levels = decisions.levels[site]
        other = next((s for s in slots if decisions.levels[s].kind == levels.kind and np.array_equal(numbers[s], numbers[site], True)), None)
        if other is not None:
            slots[site] = slots[other]
            continue
        other = next((s for s in surfaces if levels is ZERO and decisions.levels[s] is ZERO and np.array_equal(numbers[s], -numbers[site], True)), None)
        if other is not None:
            slots[site] = slots[other]._replace(sign=-1)
            continue
        number = affine.get(site)
        times = None
        if number is not None and (not levels.is_single or plain_site(site, decisions.depends) in forced or site in forced):
            times = _times_of(levels, number, start, end)
        if times is not None and number is not None:
            slots[site] = Slot(None, 1, len(steps), levels)
            timed[site] = number
            steps.append(Step(f"steps of line {_line_of(site)[1]}", times, float(_cell_from(levels, number, start))))
            step_sites.append(site)
        elif levels.is_single:
            slots[site] = Slot(len(surfaces), 1, None, levels)
            surfaces.append(site)
        else:
            slots[site] = Slot(len(surfaces), 1, len(steps), levels)
            surfaces.append(site)
            p = float(first[site][0]) if np.isfinite(first[site][0]) else 0.0
            steps.append(Step(f"steps of line {_line_of(site)[1]}", [], float(levels.nearest(p))))
            step_sites.append(site)
    if len(surfaces) > MOST_SURFACES:
        return None
    names = [f"line {_line_of(site)[1]}" + (f" ({site[2] + 1})" if site[2] else "") for site in surfaces]
    names = [f"{name}, {k + 1}" if name in names[:k] else name for k, name in enumerate(names)]
    loses = loses or bool(state.lost)
    field = WatchedField(decisions.function, initial.size, decisions, slots, names, surfaces, _renamed(steps), step_sites, timed, loses)
    field.is_read_past = loses or _is_read_past(decisions.function, points[:3])
    return field


def _renamed(steps: List[Step]) -> List[Step]:
    return [step._replace(name=f"{step.name}, {k + 1}") if any(step.name == s.name for s in steps[:k]) else step for k, step in enumerate(steps)]


def _is_read_past(function: Function, points: Sequence[Point]) -> bool:
    """Whether the function, or what it calls, reads numbers in a way that nobody can watch."""
    for t, y in points:
        try:
            with np.errstate(all="ignore"):
                expected = _run(function, t, y, {}, {})[0]
                for seal in _SEALS:
                    state.seal = seal
                    found = _run(function, t, y, {}, {})[0]
                    # A number that went into an array of the user's, and comes out again, has not been read.
                    if any(not (a == b or a != a and b != b or b == seal or b != b and seal != seal) for a, b in zip(expected, found)):
                        return True
        except Exception:
            return state.seal is not None
        finally:
            state.seal = None
    return False
