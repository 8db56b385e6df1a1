"""The ways through a function that branches."""

from __future__ import annotations

import math
import random
import threading
from typing import Callable, Dict, FrozenSet, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from ._expressions import Expr, _if, ended, take_reason

MOST_PATHS = 4096
MOST_DECISIONS = 2000

_local = threading.local()


class Path:
    """One run of a function: what it decided at each branch, the first of which are prescribed."""

    def __init__(self, prescribed: Sequence[Tuple[Expr, bool]]) -> None:
        self.decisions: List[Tuple[Expr, bool]] = []
        self.prescribed = prescribed
        self.bounds: Dict[int, Tuple[float, float]] = {}
        self.decided: Dict[int, bool] = {}
        self.known: Dict[int, float] = {}  # numbers of steps, on this way

    def choose(self, guard: Expr, number: int) -> bool:
        return self.prescribed[number][1] if number < len(self.prescribed) else True

    def decide(self, guard: Expr) -> bool:
        if guard.is_constant:
            return guard.args[0] > 0
        if guard.timed:
            line = guard.graph.line(guard)
            if line is not None:
                ends = np.concatenate((line.slope * line.bounds[:-1] + line.offset, line.slope * line.bounds[1:] + line.offset))
                # A guard that is zero at one instant only, as t is at 0 in t >= 0, has the sign of the times beside that instant.
                middles = line.at_middles()
                if (ends.min() >= 0 and middles.min() > 0) or ends.max() <= 0:
                    return bool(middles.min() > 0)
        core, sign, offset = _normal_form(guard)
        if guard.number in self.decided:
            return self.decided[guard.number]
        low, high = self.bounds.get(id(core), (-math.inf, math.inf))
        limit = -offset * sign  # sign·core + offset > 0  ⇔  core > limit, or core < limit for sign −1
        # What steps may be at its limit for long.
        if low > limit or (low == limit and not core.stepped):
            return sign > 0
        if high < limit or (high == limit and not core.stepped):
            return sign < 0
        number = len(self.decisions)
        if number >= MOST_DECISIONS or (number >= 60 and guard.depth >= 3 * number):
            raise ended("a loop whose length depends on t or y, or more than "
                              f"{MOST_DECISIONS} branches in a row")
        answer = self.choose(guard, number)
        self.decisions.append((guard, answer))
        self.decided[guard.number] = answer
        above = answer == (sign > 0)
        self.bounds[id(core)] = (max(low, limit), high) if above else (low, min(high, limit))
        return answer


def _normal_form(guard: Expr) -> Tuple[Expr, int, float]:
    """sign·core + offset of the same sign as the guard."""
    sign, offset = 1, 0.0
    while True:
        if guard.op == "neg":
            sign, guard = -sign, guard.args[0]
        elif guard.op in "+-" and guard.args[1].is_constant:
            offset += sign * (guard.args[1].args[0] if guard.op == "+" else -guard.args[1].args[0])
            guard = guard.args[0]
        elif guard.op in "+-" and guard.args[0].is_constant:
            offset += sign * guard.args[0].args[0]
            sign = sign if guard.op == "+" else -sign
            guard = guard.args[1]
        elif guard.op in "*/" and guard.args[1].is_constant and guard.args[1].args[0] != 0:
            factor = guard.args[1].args[0] if guard.op == "*" else 1 / guard.args[1].args[0]
            offset /= abs(factor)
            sign = sign if factor > 0 else -sign
            guard = guard.args[0]
        elif guard.op == "*" and guard.args[0].is_constant and guard.args[0].args[0] != 0:
            factor = guard.args[0].args[0]
            offset /= abs(factor)
            sign = sign if factor > 0 else -sign
            guard = guard.args[1]
        else:
            return guard, sign, offset


def path_or_none() -> Optional[Path]:
    return getattr(_local, "path", None)


def current_path() -> Path:
    path = path_or_none()
    if path is None:
        raise ended("a branch outside of the function that is traced")
    return path


Run = Callable[[], List[Expr]]


class Raised(Exception):
    """The function has raised an exception of its own: ``args[0]``."""


class Way(NamedTuple):
    """A way through the branches on which the function raises."""

    decisions: List[Tuple[Expr, bool]]
    error: Exception


class Explored(NamedTuple):
    results: List[Expr]
    raises: List[Way]
    guards: Dict[int, Expr]  # all that was decided


def _follow(run: Run, path: Path) -> List[Expr]:
    outer = getattr(_local, "path", None)
    _local.path = path
    try:
        return run()
    finally:
        _local.path = outer
        for guard, _ in path.decisions:
            _local.met[guard.number] = guard
        reason = take_reason()
        if reason is not None:
            # What the function did after it caught this is not what it does with numbers.
            raise ended(reason)


def explore(run: Run) -> Explored:
    """The results of a function over all the ways it can branch."""
    few = 256
    guards: Dict[int, Expr] = {}
    _local.met = guards
    raises: List[Way] = []
    results = _explore_all(run, few, raises)
    if results is None:
        raises.clear()
        results = _Separable(run).results()
    if results is None:
        raises.clear()
        results = _explore_all(run, MOST_PATHS, raises)
    if results is None:
        raise ended(f"more than {MOST_PATHS} ways through the branches")
    return Explored(results, raises, guards)


class _TooMany(Exception):
    pass


def _explore_all(run: Run, most: int, raises: List[Way]) -> Optional[List[Expr]]:
    """Every way; None where there are more than `most`."""
    count = 0

    def once(prescribed: Sequence[Tuple[Expr, bool]]) -> Optional[List[Expr]]:
        nonlocal count
        count += 1
        if count > most:
            raise _TooMany()
        path = Path(prescribed)
        results: Optional[List[Expr]] = None
        try:
            results = _follow(run, path)
        except Raised as raised:
            raises.append(Way(list(path.decisions), raised.args[0]))
        for k in reversed(range(len(prescribed), len(path.decisions))):
            guard, answer = path.decisions[k]
            others = once(path.decisions[:k] + [(guard, not answer)])
            if results is None or others is None:
                # The run ends where the function raises: only the other side has values.
                results = others if results is None else results
                continue
            if len(others) != len(results):
                raise ended("the number of results depends on a branch")
            results = [_if(guard, r, o) if answer else _if(guard, o, r) for r, o in zip(results, others)]
        return results

    try:
        results = once([])
    except _TooMany:
        return None
    if results is None:
        raise ended(f"the function raises {type(raises[0].error).__name__} wherever it is called")
    return results


class _ChosenPath(Path):
    """A run whose branches are told by their guards; the others are taken."""

    def __init__(self, chosen: Callable[[Expr], bool]) -> None:
        super().__init__([])
        self.chosen = chosen

    def choose(self, guard: Expr, number: int) -> bool:
        return self.chosen(guard)


class _Separable:
    """Functions such as loops over many blocks, whose results depend on a few branches each.

    Every branch is turned by itself, which tells the results that it has an effect on; each result is then explored over its
    own branches. Whether branches have an effect together that none has alone is looked for in runs with branches at random:
    they must give the very expressions that were put together.
    """

    MOST_RUNS = 20_000
    MOST_OWN = 7  # branches of one result
    TRIALS = 256

    def __init__(self, run: Run) -> None:
        self.run = run
        self.known: Dict[FrozenSet[int], Tuple[List[Expr], List[Tuple[Expr, bool]]]] = {}

    def _at(self, turned: FrozenSet[int]) -> Tuple[List[Expr], List[Tuple[Expr, bool]]]:
        """The results, and the branches met, where the guards of these numbers are not positive."""
        made = self.known.get(turned)
        if made is None:
            if len(self.known) > self.MOST_RUNS:
                raise _TooMany()
            path = _ChosenPath(lambda guard: guard.number not in turned)
            made = (_follow(self.run, path), path.decisions)
            self.known[turned] = made
        return made

    def results(self) -> Optional[List[Expr]]:
        try:
            own = self._own_branches()
            if max(map(len, own), default=0) > self.MOST_OWN:
                return None
            made = [self._result(k, branches, frozenset(), frozenset()) for k, branches in enumerate(own)]
            return made if self._holds(own) else None
        except (_TooMany, Raised):
            return None

    def _own_branches(self) -> List[FrozenSet[int]]:
        base, decisions = self._at(frozenset())
        own = [set() for _ in base]  # type: List[set]
        # A guard, and what was turned where it was met first.
        waiting = [(guard, frozenset()) for guard, answer in decisions if answer]  # type: List[Tuple[Expr, FrozenSet[int]]]
        met = {guard.number for guard, _ in waiting}
        while waiting:
            guard, way = waiting.pop()
            before, _ = self._at(way)
            turned = way | {guard.number}
            after, decisions = self._at(turned)
            if len(before) != len(base) or len(after) != len(base):
                raise ended("the number of results depends on a branch")
            for k, (p, q) in enumerate(zip(before, after)):
                if p is not q:
                    own[k] |= turned
            new = [g for g, answer in decisions if answer and g.number not in met]
            met |= {g.number for g in new}
            waiting += [(g, turned) for g in new]
        return [frozenset(branches) for branches in own]

    def _result(self, k: int, own: FrozenSet[int], turned: FrozenSet[int], fixed: FrozenSet[int]) -> Expr:
        results, decisions = self._at(turned)
        for guard, answer in decisions:
            if guard.number in own and guard.number not in fixed:
                assert answer
                rest = fixed | {guard.number}
                return _if(guard, self._result(k, own, turned, rest), self._result(k, own, turned | {guard.number}, rest))
        return results[k]

    def _holds(self, own: List[FrozenSet[int]]) -> bool:
        draw = random.Random(1)
        for _ in range(self.TRIALS):
            chosen: Dict[int, bool] = {}
            path = _ChosenPath(lambda guard: chosen.setdefault(guard.number, draw.random() < 0.5))
            expected = _follow(self.run, path)
            turned = frozenset(guard.number for guard, answer in path.decisions if not answer)
            for k, branches in enumerate(own):
                if self._at(turned & branches)[0][k] is not expected[k]:
                    return False
        return True
