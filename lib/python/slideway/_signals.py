"""Characteristics over the time and over other numbers, as a model file has them: values at knots, and what lies between them."""

from __future__ import annotations

from typing import Any, Optional, Tuple

import numpy as np

from ._timeline import Line


class Curve:
    """Values at ascending knots: ``hold`` steps, ``linear`` lines, or a ``cubic`` with given slopes."""

    def __init__(self, knots: Any, values: Any, interpolation: str, slopes: Any = None, beyond: str = "hold") -> None:
        self.knots, self.values = np.asarray(knots, dtype=float), np.asarray(values, dtype=float)
        self.interpolation, self.beyond = interpolation, beyond
        self.slopes: Optional[np.ndarray] = None if slopes is None else np.asarray(slopes, dtype=float)

    def key(self) -> Tuple[Any, ...]:
        return (self.interpolation, self.beyond, self.knots.tobytes(), self.values.tobytes(),
                None if self.slopes is None else self.slopes.tobytes())

    def __call__(self, x: Any) -> Any:
        x = np.asarray(x, dtype=float)
        k = np.clip(np.searchsorted(self.knots, x, side="right") - 1, 0, max(len(self.knots) - 2, 0))
        if self.interpolation == "hold":
            k = np.clip(np.searchsorted(self.knots, x, side="right") - 1, 0, len(self.knots) - 1)
            return self.values[k]
        if self.beyond != "linear":
            x = np.clip(x, self.knots[0], self.knots[-1])
        step = self.knots[k + 1] - self.knots[k]
        s = (x - self.knots[k]) / step
        if self.slopes is None:
            return self.values[k] + s * (self.values[k + 1] - self.values[k])
        inside = np.clip(s, 0.0, 1.0)
        p, q, u, v = self.values[k], self.values[k + 1], self.slopes[k] * step, self.slopes[k + 1] * step
        r = inside
        cubic = p + r * (u + r * (3 * (q - p) - 2 * u - v + r * (u + v - 2 * (q - p))))
        return cubic + np.where(s < 0, s * u, np.where(s > 1, (s - 1) * v, 0.0))

    def line(self, span: Tuple[float, float]) -> Optional[Line]:
        """The same over the time of a run, where it has no cubics."""
        if self.slopes is not None:
            return None
        inner = self.knots[(self.knots > span[0]) & (self.knots < span[1])]
        bounds = np.concatenate(([span[0]], inner, [span[1]]))
        left, right = bounds[:-1], bounds[1:]
        if self.interpolation == "hold":
            return Line(bounds, np.zeros(left.size), np.asarray(self(0.5 * (left + right)))).merged()
        p, q = np.asarray(self(left)), np.asarray(self(right))
        slope = (q - p) / (right - left)
        return Line(bounds, slope, p - slope * left)

    def backward(self) -> "Curve":
        """The same over −t."""
        knots = -self.knots[::-1]
        if self.interpolation == "hold":
            # The value that began at a knot ends there.
            values = self.values[::-1]
            return Curve(np.concatenate(([knots[0] - 1.0], knots)), np.concatenate((values, values[-1:])), "hold")
        slopes = None if self.slopes is None else -self.slopes[::-1]
        return Curve(knots, self.values[::-1], self.interpolation, slopes, self.beyond)
