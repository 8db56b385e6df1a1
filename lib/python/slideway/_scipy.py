"""Functions of scipy's that take expressions."""

from __future__ import annotations

import functools
import math
from typing import Any, Callable, Dict, Optional

import numpy as np

from ._algebra import determinant, inverse, norm, solve
from ._arrays import _contains_traced, traced_array
from ._expressions import Expr, ended
from ._lookup import evaluate
from ._roots import form_of as form_of_search


def _square(t: Any, duty: float = 0.5) -> Any:
    return np.where(t % (2 * math.pi) < 2 * math.pi * duty, 1.0, -1.0)


def _sawtooth(t: Any, width: float = 1.0) -> Any:
    phase = t % (2 * math.pi)
    if width == 1:
        return phase / math.pi - 1
    if width == 0:
        return 1 - phase / math.pi
    return np.where(phase < 2 * math.pi * width, phase / (math.pi * width) - 1, (math.pi * (width + 1) - phase) / (math.pi * (1 - width)))


def _by_inverse(real: Callable[..., Any]) -> Callable[..., Any]:
    def apply(factors: Any, b: Any, *args: Any, **kwargs: Any) -> Any:
        # Factors of numbers: the inverse is one of numbers, too.
        return real(factors, np.eye(np.shape(factors[0])[0]), *args, **kwargs) @ b

    return apply


def _splev(x: Any, tck: Any, der: int = 0, ext: int = 0) -> Any:
    from scipy.interpolate import BSpline

    if ext not in (0, 3):
        raise ended("splev that has no value outside")
    t, c, k = tck
    spline = BSpline(np.array(t), np.array(c)[:len(t) - k - 1], k, extrapolate=ext == 0)
    return evaluate(spline, x, der) if isinstance(x, Expr) else traced_array([evaluate(spline, v, der) for v in x])


_FORMS: Dict[str, Callable[..., Any]] = {
    "scipy.signal.square": _square, "scipy.signal.sawtooth": _sawtooth, "scipy.interpolate.splev": _splev, "scipy.linalg.solve": lambda a, b, *_, **__: solve(a, b),
    "scipy.linalg.inv": lambda a, *_, **__: inverse(a), "scipy.linalg.det": lambda a, *_, **__: determinant(a), "scipy.linalg.norm": norm}
_FACTORED = ("scipy.linalg.lu_solve", "scipy.linalg.cho_solve")


def form_of(value: Any) -> Optional[Callable[..., Any]]:
    """The form of a function of scipy's that takes expressions; None where there is none."""
    module = getattr(value, "__module__", None) or ""
    name = ".".join(module.split(".")[:2]) + "." + getattr(value, "__name__", "")
    if name.startswith("scipy.optimize."):
        return form_of_search(value.__name__, value)
    known = _by_inverse(value) if name in _FACTORED else _FORMS.get(name)
    if known is None:
        return None
    own: Callable[..., Any] = known

    @functools.wraps(value)
    def apply(*args: Any, **kwargs: Any) -> Any:
        return own(*args, **kwargs) if any(_contains_traced(a) for a in args) else value(*args, **kwargs)

    return apply
