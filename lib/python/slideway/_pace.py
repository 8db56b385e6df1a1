"""How fast a function that is called changes with the time alone: nobody else knows before a run begins."""

from __future__ import annotations

from typing import Any, Callable, List, Optional

import numpy as np

SAMPLES = 60
_GOLDEN = 0.5 * (5**0.5 - 1)


def quickest_change(function: Callable[[float, np.ndarray], Any], start: float, end: float, state: np.ndarray) -> Optional[float]:
    """The least time in which a component of function(t, state) was seen to go through all of its values; None where it does not change.

    The samples have no period, so that no period of the function hides from them. A step that is not longer has at least one evaluation in every
    change that takes as long, since those of a step are at most half a step apart.
    """
    places = np.sort(np.arange(1, SAMPLES + 1) * _GOLDEN % 1)
    times: List[float] = []
    values: List[np.ndarray] = []
    for t in start + (end - start) * places:
        try:
            with np.errstate(all="ignore"):
                found = np.asarray(function(float(t), state.copy()), dtype=float).ravel()
        except Exception:
            continue
        if np.isfinite(found).all() and (not values or found.size == values[0].size):
            times.append(float(t))
            values.append(found)
    if len(values) < 2:
        return None
    all_values, gaps = np.array(values), np.diff(times)
    ranges = np.ptp(all_values, axis=0)
    changing = ranges > 1e-9 * np.abs(all_values).max(axis=0)
    if not changing.any():
        return None
    slopes = np.abs(np.diff(all_values[:, changing], axis=0)) / gaps[:, None]
    return float((ranges[changing] / slopes.max(axis=0)).min())
