"""The state at any time of a run."""

from __future__ import annotations

from typing import Any, Dict, Optional, Tuple

import numpy as np


class DenseSolution:
    """The state at any time of the run: ``sol(t)`` has the shape (n,) of a number t, and (n, k) of k times.

    At a jump it is the state after it, and of ``before(t)`` the state before it. Outside of the run the first and the last step go on, as
    scipy's do: what is there is no solution.
    """

    def __init__(self, run: Any, direction: float, n: int, complex_: bool, ts: np.ndarray) -> None:
        self._run, self._direction, self._n, self._complex, self.ts = run, direction, n, complex_, ts
        self._pieces: Optional[Tuple[np.ndarray, np.ndarray]] = None

    @property
    def t_min(self) -> float:
        return float(self.ts.min())

    @property
    def t_max(self) -> float:
        return float(self.ts.max())

    def __call__(self, t: Any) -> np.ndarray:
        return self._at(t, False)

    def before(self, t: Any) -> np.ndarray:
        """The same with the state before a jump."""
        return self._at(t, True)

    def _at(self, t: Any, before: bool) -> np.ndarray:
        times = np.asarray(t, dtype=float)
        if times.ndim > 1:
            raise ValueError("`t` must be a float or a 1-D array.")
        along = np.ascontiguousarray(np.atleast_1d(times) * self._direction)
        if self.ts[0] == self.ts[-1]:
            along = np.full_like(along, self.ts[0] * self._direction)  # a run of no length is one state
        if self._run is not None:
            values = self._run.states_at(along, before, True)[:self._n]
        else:
            values = self._from_pieces(along, before)
        if self._complex:
            values = as_complex(values)
        return values[:, 0] if times.ndim == 0 else values

    def _from_pieces(self, times: np.ndarray, before: bool) -> np.ndarray:
        assert self._pieces is not None
        starts, samples = self._pieces  # starts: steps + 1; samples: steps × nodes × n
        values = np.full((self._n, times.size), np.nan)
        index = np.clip(np.searchsorted(starts[:, 0], times, side="left" if before else "right") - 1, 0, len(starts) - 1)
        nodes, weights = _nodes()
        for k in np.nonzero(np.isfinite(times))[0]:
            a, b = starts[index[k]]
            if not a <= times[k] <= b and a < b:
                values[:, k] = _beyond(samples[index[k]], 2 * (times[k] - a) / (b - a) - 1)
                continue
            if b == a:
                values[:, k] = samples[index[k], -1]
                continue
            distance = 2 * (times[k] - a) / (b - a) - 1 - nodes
            hit = np.nonzero(distance == 0)[0]
            if hit.size:
                values[:, k] = samples[index[k], hit[0]]
                continue
            factors = weights / distance
            values[:, k] = factors @ samples[index[k]] / factors.sum()
        return values

    def __getstate__(self) -> Dict[str, Any]:
        state = dict(self.__dict__)
        if self._run is not None:
            # Each step is a polynomial of degree 12 at most: as many values tell it, whatever its basis was.
            nodes, _ = _nodes()
            bounds = []
            t, _, segment = self._run.points()
            for a, b, first, second in zip(t[:-1], t[1:], segment[:-1], segment[1:]):
                if b > a:
                    bounds.append((a, b))
            starts = np.array(bounds if bounds else [(t[0], t[0])])
            inner = starts[:, :1] + (starts[:, 1:] - starts[:, :1]) * (nodes + 1) / 2
            samples = self._run.states_at(np.ascontiguousarray(inner[:, :-1].ravel()))[:self._n]
            ends = self._run.states_at(np.ascontiguousarray(starts[:, 1]), True)[:self._n]
            cube = np.empty((len(starts), len(nodes), self._n))
            cube[:, :-1] = samples.T.reshape(len(starts), len(nodes) - 1, self._n)
            cube[:, -1] = ends.T
            state["_pieces"], state["_run"] = (starts, cube), None
        return state


def _beyond(samples: np.ndarray, s: float) -> np.ndarray:
    """The polynomial of a step outside of it: terms that are rounding alone would grow there without bound."""
    nodes, _ = _nodes()
    degree = len(nodes) - 1
    terms = np.linalg.solve(np.polynomial.chebyshev.chebvander(nodes, degree), samples)
    terms[np.abs(terms) < 1e-14 * np.abs(samples).max(axis=0)] = 0.0
    return np.asarray(np.polynomial.chebyshev.chebval(s, terms))


def _nodes() -> Tuple[np.ndarray, np.ndarray]:
    """Chebyshev's points on [−1, 1] and the weights of the barycentric formula."""
    count = 13
    k = np.arange(count)
    weights = np.where(k % 2 == 0, 1.0, -1.0)
    weights[0] *= 0.5
    weights[-1] *= 0.5
    return -np.cos(np.pi * k / (count - 1)), weights


def as_complex(values: np.ndarray) -> np.ndarray:
    """n complex rows of 2n real ones: real and imaginary parts in turn."""
    return values[0::2] + 1j * values[1::2]
