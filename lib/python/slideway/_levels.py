"""At which numbers a decision changes: whole numbers, the knots of a table, the one level of a comparison.

Levels are numbered upwards. A cell lies between two of them, and has the number of the level below it."""

from __future__ import annotations

import math
from typing import Any, Optional

import numpy as np


class Levels:
    """Levels without end: the whole numbers."""

    first: Optional[int] = None
    last: Optional[int] = None
    kind: Any = "whole"

    def value(self, number: int) -> float:
        return float(number)

    def cell(self, p: float) -> int:
        return math.floor(p)

    def place(self, p: float) -> float:
        """A continuous number that is k at the level k, and grows with p."""
        return p

    def cells_near(self, cell: int) -> list:
        """The cells beside one."""
        return [k for k in (cell - 1, cell + 1) if self.has_cell(k)]

    def has_cell(self, cell: int) -> bool:
        return (self.first is None or cell >= self.first - 1) and (self.last is None or cell <= self.last)

    def nearest(self, p: float) -> int:
        """The number of the level that p is nearest to, as `place` measures it."""
        number = math.floor(self.place(p) + 0.5)
        if self.first is not None:
            number = max(number, self.first)
        return number if self.last is None else min(number, self.last)

    @property
    def is_single(self) -> bool:
        return self.first is not None and self.first == self.last


class CutOff(Levels):
    """The whole numbers except 0, where a number is cut off towards zero: the cell is what is left of it."""

    kind = "cut off"

    def value(self, number: int) -> float:
        return float(number if number >= 1 else number - 1)

    def cell(self, p: float) -> int:
        return math.trunc(p)

    def place(self, p: float) -> float:
        return p if p >= 1 else p + 1 if p <= -1 else 0.5 * (p + 1)


class Knots(Levels):
    """Levels that are given, in order."""

    first = 1

    def __init__(self, knots: Any) -> None:
        self.knots = np.asarray(knots, dtype=float)
        self.last = int(self.knots.size)
        self.kind = self.knots.tobytes()

    def value(self, number: int) -> float:
        return float(self.knots[number - 1])

    def cell(self, p: float) -> int:
        return int(self.knots.searchsorted(p, side="right"))

    def place(self, p: float) -> float:
        knots = self.knots
        k = self.cell(p)
        if 0 < k < knots.size:
            return k + (p - float(knots[k - 1])) / float(knots[k] - knots[k - 1])
        # Beyond the ends no other level is near.
        beyond = (float(knots[0]) - p) if k == 0 else p - float(knots[-1])
        beyond = 0.5 * beyond / (1 + beyond)
        return 1 - beyond if k == 0 else knots.size + beyond


WHOLE, CUT_OFF, ZERO = Levels(), CutOff(), Knots([0.0])
