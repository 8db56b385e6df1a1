"""Samples and characteristics on expressions: indices, np.interp, searchsorted, and the interpolators of scipy."""

from __future__ import annotations

import math
from typing import Any, Callable, List, Optional, Sequence, Tuple

import numpy as np

from ._expressions import Cond, Expr, _above, _add, _condition, _if, _mod, _need, _sub, ended
from ._masks import Chosen, OutsideError, first_true, is_mask
from ._signals import Curve
from ._timeline import Line, TooManyPieces, mapped, with_levels

MOST_SURFACES = 20_000


def _over_time(x: Expr, make: Callable[[Line], Line]) -> Optional[Expr]:
    """What make() makes of the line of x, where x depends on the time alone."""
    line = x.graph.line(x)
    if line is None:
        return None
    try:
        return x.graph.over_time(make(line))
    except TooManyPieces:
        raise ended("a number of the time that changes more than a million times") from None


def _cut(x: Expr, line: Line, knots: np.ndarray) -> Line:
    return with_levels(line, knots, x.graph.span)  # type: ignore[arg-type]


def step_of(x: Expr, knots: np.ndarray, values: np.ndarray) -> Expr:
    """values[0] below knots[0], values[k] from knots[k − 1] on."""

    def steps(line: Line) -> Line:
        cut = _cut(x, line, knots)
        return Line(cut.bounds, np.zeros_like(cut.slope), values[np.searchsorted(knots, cut.at_middles(), side="right")]).merged()

    changes = np.nonzero(values[1:] != values[:-1])[0]
    if changes.size == 0:
        return x.graph.constant(values[0])
    made = _over_time(x, steps)
    if made is not None:
        return made
    if knots.size > MOST_SURFACES:
        raise ended(f"more than {MOST_SURFACES} samples of a number that depends on y")
    if changes.size <= 2:
        result = x.graph.constant(values[0])
        for k in changes:
            condition = _condition(x.graph, _above(x, x.graph.constant(knots[k]), True))
            result = condition.choose(x.graph.constant(values[k + 1]), result)
        return result
    before = knots[0] - max(1.0, abs(knots[0]))
    return x.graph.table(Curve(np.concatenate(([before], knots)), values, "hold"), x)


def lines_of(x: Expr, knots: np.ndarray, values: np.ndarray, beyond: str = "hold") -> Expr:
    """Straight lines between knots, and beyond them the nearest value, or the line of the end."""
    if knots.size == 1:
        return x.graph.constant(values[0])

    def follow(line: Line) -> Line:
        cut = _cut(x, line, knots)
        k = np.clip(np.searchsorted(knots, cut.at_middles(), side="right") - 1, -1, knots.size - 1)
        inside = np.clip(k, 0, knots.size - 2)
        slope = (values[inside + 1] - values[inside]) / (knots[inside + 1] - knots[inside])
        offset = values[inside] - slope * knots[inside]
        if beyond == "hold":
            outside = np.where(k < 0, values[0], values[-1])
            is_outside = (k < 0) | (k >= knots.size - 1)
            slope, offset = np.where(is_outside, 0.0, slope), np.where(is_outside, outside, offset)
        return Line(cut.bounds, slope * cut.slope, slope * cut.offset + offset).merged()

    made = _over_time(x, follow)
    if made is not None:
        return made
    if knots.size > MOST_SURFACES:
        raise ended(f"np.interp of more than {MOST_SURFACES} points of a number that depends on y")
    return x.graph.table(Curve(knots, values, "linear", beyond=beyond), x)


def cubic_of(x: Expr, knots: np.ndarray, values: np.ndarray, slopes: np.ndarray, beyond: str = "hold") -> Expr:
    """Cubics between knots that have these values and slopes there."""
    line = x.graph.line(x)
    if line is not None and line.slope.size == 1 and line.slope[0] != 0:
        a, b = float(line.slope[0]), float(line.offset[0])
        times, ends, tilts = (knots - b) / a, values, slopes * a
        if a < 0:
            times, ends, tilts = times[::-1], ends[::-1], tilts[::-1]
        start, end = x.graph.span  # type: ignore[misc]
        if times[0] <= start and end <= times[-1]:
            return x.graph.signal(Curve(times, ends, "cubic", tilts))
    if knots.size > MOST_SURFACES:
        raise ended(f"a spline of more than {MOST_SURFACES} knots")
    return x.graph.table(Curve(knots, values, "cubic", slopes, beyond), x)


# ---- samples ------------------------------------------------------------------------------------------------------------


def _is_index(key: Any) -> bool:
    return isinstance(key, (Expr, Cond)) or (isinstance(key, tuple) and any(isinstance(k, (Expr, Cond)) for k in key))


def sample(values: np.ndarray, index: Any) -> Any:
    """values[index] of an index that depends on t or y."""
    if isinstance(index, tuple):
        traced = [k for k, part in enumerate(index) if isinstance(part, (Expr, Cond))]
        if len(traced) > 1 and len(index) == values.ndim and all(isinstance(part, (Expr, Cond, int, np.integer)) for part in index):
            return _sample_flat(values, index)
        if len(traced) != 1 or any(isinstance(part, np.ndarray) for part in index):
            raise ended("several indices that depend on t or y")
        position = traced[0]
        moved = np.moveaxis(values, position, 0)
        rest = tuple(part for k, part in enumerate(index) if k != position)
        rows = moved[(slice(None),) + rest]
        return sample(rows, index[position])
    if isinstance(index, Cond):
        return sample(values, index.number())
    if values.ndim > 1:
        columns = values.reshape(values.shape[0], -1)
        picked = np.empty(columns.shape[1], dtype=object)
        for k in range(columns.shape[1]):
            picked[k] = _sample(np.ascontiguousarray(columns[:, k]), index)
        from ._arrays import traced_array

        return traced_array(picked.reshape(values.shape[1:]))
    return _sample(values, index)


def _sample_flat(values: np.ndarray, indices: Tuple[Any, ...]) -> Any:
    """values[i, j, …] of numbers that depend on the time."""
    graph = next(part.graph for part in indices if isinstance(part, (Expr, Cond)))
    flat = graph.constant(0.0)
    for part, size in zip(indices, values.shape):
        node = _need(graph, part % size if isinstance(part, (int, np.integer)) else part)
        line = graph.line(node)
        if line is None or line.offset.min() < 0 or line.offset.max() > size - 1:
            raise ended("several indices that depend on y, or leave their array")
        flat = _add(flat.graph.node("*", flat, graph.constant(float(size))) if not flat.is_constant
                    else graph.constant(flat.args[0] * size), node)
    return _sample(values.ravel(), flat)


def _sample(values: np.ndarray, index: Expr) -> Any:
    values = np.asarray(values, dtype=float)
    size = values.size
    line = index.graph.line(index)
    if line is not None:
        if not line.is_stepped or np.any(line.offset != np.floor(line.offset)):
            raise ended("an index that is not whole")
        is_inside = (line.offset >= -size) & (line.offset <= size - 1)
        if not is_inside.all():
            inside = index.graph.over_time(Line(line.bounds, np.zeros(is_inside.size), is_inside.astype(float)))
            if not is_inside.any() or not bool(_above(inside, index.graph.constant(0.5), False)):
                raise OutsideError(f"index {int(line.offset[~is_inside][0])} is out of bounds for axis 0 with size {size}")
        return index.graph.over_time(mapped(line, lambda k: values[np.clip(k, -size, size - 1).astype(int)]))
    from ._expressions import integer_valued

    if not integer_valued(index):
        raise ended("an index that is not whole")
    if size == 1:
        return index.graph.constant(values[0])
    return step_of(index, np.arange(1, size) - 0.5, values)


class Samples(np.ndarray):
    """An array of the user's, which takes indices that depend on t or y."""

    def __array_function__(self, function: Any, types_: Any, args: Any, kwargs: Any) -> Any:  # type: ignore[override]
        from ._arrays import TracedArray, apply_function

        if any(issubclass(kind, (TracedArray, Expr, Cond)) for kind in types_):
            return apply_function(function, args, kwargs)
        return super().__array_function__(function, types_, args, kwargs)

    def __getitem__(self, key: Any) -> Any:
        if _is_index(key):
            return sample(self.view(np.ndarray), key)
        if is_mask(key):
            return Chosen(self.view(np.ndarray), key)
        return super().__getitem__(key)

    def __setitem__(self, key: Any, value: Any) -> None:
        raise ended("the function writes into an array of its own that outlives the call; make the array inside of the function")

    def take(self, indices: Any, *args: Any, **kwargs: Any) -> Any:
        return self[indices] if isinstance(indices, Expr) else super().take(indices, *args, **kwargs)

    def searchsorted(self, v: Any, side: str = "left", sorter: Any = None) -> Any:
        if isinstance(v, Expr):
            return searchsorted(self, v, side)
        return super().searchsorted(v, side, sorter)


class SampleList(list):  # type: ignore[type-arg]
    """A list of the user's, which takes indices that depend on t or y."""

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, (Expr, Cond)) and self and all(isinstance(v, (int, float)) for v in self):
            return sample(np.array(self, dtype=float), key)
        return super().__getitem__(key)


class SampleTuple(tuple):  # type: ignore[type-arg]
    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, (Expr, Cond)) and self and all(isinstance(v, (int, float)) for v in self):
            return sample(np.array(self, dtype=float), key)
        return super().__getitem__(key)


# ---- numpy --------------------------------------------------------------------------------------------------------------


def _each(x: Any, function: Callable[[Expr], Any]) -> Any:
    if isinstance(x, Expr):
        return function(x)
    from ._arrays import traced_array

    array = np.asarray(x, dtype=object)
    made = np.frompyfunc(lambda v: function(v) if isinstance(v, Expr) else function_of_number(function, v, array), 1, 1)(array)
    return traced_array(made)


def function_of_number(function: Callable[[Expr], Any], value: Any, array: np.ndarray) -> Any:
    graph = next(v.graph for v in array.ravel() if isinstance(v, (Expr, Cond)))
    return function(_need(graph, value))


def interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None) -> Any:
    knots, values = np.asarray(xp, dtype=float), np.asarray(fp, dtype=float)
    if knots.size == 0 or knots.size != values.size:
        raise ended("np.interp of no points, or of points without values")

    def one(v: Expr) -> Expr:
        k, f = knots, values
        if period is not None:
            v = _mod(v, v.graph.constant(float(period)))
            order = np.argsort(k % period)
            k, f = (k % period)[order], f[order]
            k = np.concatenate(([k[-1] - period], k, [k[0] + period]))
            f = np.concatenate((f[-1:], f, f[:1]))
        if np.any(np.diff(k) < 0):
            raise ended("np.interp of points that do not ascend")
        if np.any(np.diff(k) == 0):
            raise ended("np.interp of two points at one place")
        inner = lines_of(v, k, f)
        graph = v.graph
        if period is None and right is not None:
            inner = _condition(graph, _above(v, graph.constant(k[-1]), False)).choose(graph.constant(float(right)), inner)
        if period is None and left is not None:
            inner = _condition(graph, _above(v, graph.constant(k[0]), True)).choose(inner, graph.constant(float(left)))
        return inner

    return _each(x, one)


def searchsorted(a: Any, v: Any, side: str = "left", sorter: Any = None) -> Any:
    knots = np.asarray(a, dtype=float)
    if sorter is not None:
        knots = knots[np.asarray(sorter)]
    return _each(v, lambda x: _rank(x, knots))


def _rank(x: Expr, knots: np.ndarray) -> Expr:
    places, counts = np.unique(knots, return_counts=True)
    return step_of(x, places, np.concatenate(([0.0], np.cumsum(counts).astype(float))))


def digitize(x: Any, bins: Any, right: bool = False) -> Any:
    knots = np.asarray(bins, dtype=float)
    if knots.size > 1 and knots[0] > knots[-1]:
        size = float(knots.size)
        return _each(x, lambda v: _sub(v.graph.constant(size), _rank(v, knots[::-1])))
    return _each(x, lambda v: _rank(v, knots))


def bisect(a: Any, x: Any, lo: int = 0, hi: Any = None, **_: Any) -> Any:
    part = list(a)[lo:hi]
    return _add(_rank(x, np.asarray(part, dtype=float)), x.graph.constant(float(lo)))


def _distance(node: Expr) -> Optional[Tuple[Expr, int, float]]:
    """The number c, its sign and a, of |±c + a|."""
    from ._paths import _normal_form

    if node.op != "abs":
        return None
    inner = node.args[0]
    if inner.op not in ("+", "-", "neg", "time", "name"):
        return None
    if inner.op in "+-" and not any(a.is_constant for a in inner.args):
        return None
    core, sign, offset = _normal_form(inner)
    if core.op in "*/" or (inner.op in "+-" and core not in in_(inner)):
        return None
    return core, sign, offset


class in_:  # noqa: N801
    """Membership by identity."""

    def __init__(self, node: Expr) -> None:
        self.node = node

    def __contains__(self, other: Any) -> bool:
        return any(a is other or (isinstance(a, Expr) and a.op == "neg" and a.args[0] is other) for a in self.node.args)


def arg_extremum(values: Any, least: bool, axis: Any = None) -> Any:
    """The index of the least or the greatest of numbers."""
    array = np.asarray(values, dtype=object)
    if array.ndim != 1 and axis is not None:
        raise ended("np.argmin or np.argmax along an axis")
    if not least and is_mask(array):
        found = first_true(array.ravel())
        if found is not None:
            return found
    items: List[Any] = list(array.ravel())
    graph = next(v.graph for v in items if isinstance(v, (Expr, Cond)))
    nodes = [_need(graph, v) for v in items]
    if least:
        found = _nearest(nodes)
        if found is not None:
            return found
    lines = [graph.line(node) for node in nodes]
    if all(line is not None for line in lines) and len(nodes) <= 64:
        return _first_of_lines(graph, nodes, least)
    if len(nodes) > 12:
        raise ended(f"the index of the extremum of {len(nodes)} numbers")
    best, index = nodes[0], graph.constant(0.0)
    for k, node in enumerate(nodes[1:], 1):
        better = _above(best, node, False) if least else _above(node, best, False)
        condition = _condition(graph, better)
        best, index = condition.choose(node, best), condition.choose(graph.constant(float(k)), index)
    return index


def _nearest(nodes: Sequence[Expr]) -> Optional[Expr]:
    """The index of the nearest of many places: np.argmin(np.abs(places − x))."""
    parts = [_distance(node) for node in nodes]
    if len(nodes) < 2 or any(part is None for part in parts):
        return None
    core = parts[0][0]  # type: ignore[index]
    if any(part[0] is not core for part in parts):  # type: ignore[index]
        return None
    places = np.array([-part[2] * part[1] for part in parts])  # type: ignore[index]
    order = np.argsort(places, kind="stable")
    sorted_places = places[order]
    keep = np.concatenate(([True], np.diff(sorted_places) > 0))  # of equal places the first
    sorted_places, order = sorted_places[keep], order[keep]
    if sorted_places.size == 1:
        return core.graph.constant(float(order[0]))
    return step_of(core, 0.5 * (sorted_places[1:] + sorted_places[:-1]), order.astype(float))


def _first_of_lines(graph: Any, nodes: Sequence[Expr], least: bool) -> Expr:
    best, index = nodes[0], graph.constant(0.0)
    for k, node in enumerate(nodes[1:], 1):
        better = _sub(best, node) if least else _sub(node, best)
        best, index = _if(better, node, best), _if(better, graph.constant(float(k)), index)
    line = graph.line(index)
    return index if line is None else graph.over_time(line)


# ---- scipy --------------------------------------------------------------------------------------------------------------


def interpolator(value: Any) -> Any:
    """A form of one of scipy's interpolators that takes expressions too; None of anything else."""
    module = type(value).__module__ or ""
    if not module.startswith("scipy.interpolate"):
        return None
    if type(value).__name__ == "RegularGridInterpolator":
        return _Grid(value)
    if not any(hasattr(value, name) for name in ("_spline", "_eval_args", "c", "x")) and not hasattr(value, "_bounds_error"):
        return None
    return _Interpolator(value)


class _Interpolator:
    def __init__(self, real: Any) -> None:
        self._real = real

    def __getattr__(self, name: str) -> Any:
        own = getattr(self._real, name)
        return interpolator(own) or own

    def __call__(self, x: Any, *args: Any, **kwargs: Any) -> Any:
        from ._arrays import TracedArray, _contains_traced

        if not _contains_traced(x):
            return self._real(x, *args, **kwargs)
        order = kwargs.pop("nu", args[0] if args else 0)
        if kwargs or len(args) > 1:
            raise ended(f"{type(self._real).__name__} with further arguments")
        return _each(x.view(np.ndarray) if isinstance(x, TracedArray) else x, lambda v: evaluate(self._real, v, order))


class _Grid:
    """Values at the corners of a grid of one or two dimensions, with straight lines between them along each."""

    def __init__(self, real: Any) -> None:
        self._real = real

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def __call__(self, xi: Any, *args: Any, **kwargs: Any) -> Any:
        from ._arrays import _contains_traced, _objects, traced_array

        real = self._real
        if not _contains_traced(xi):
            return real(xi, *args, **kwargs)
        if args or kwargs or real.method != "linear" or len(real.grid) > 2 or real.values.ndim != len(real.grid):
            raise ended("RegularGridInterpolator of more than two dimensions, of vectors, or by another method than linear")
        if not real.bounds_error and real.fill_value is not None and np.isfinite(real.fill_value):
            raise ended("RegularGridInterpolator with a value outside of its grid")
        point = np.ravel(_objects(xi))
        if point.size != len(real.grid):
            raise ended("RegularGridInterpolator at several points")
        graph = next(v.graph for v in point if isinstance(v, (Expr, Cond)))
        beyond = "linear" if not real.bounds_error and real.fill_value is None else "hold"
        nodes = [_need(graph, v) for v in point]
        grid, values = [np.asarray(axis, dtype=float) for axis in real.grid], np.asarray(real.values, dtype=float)
        if len(grid) == 1:
            return traced_array([lines_of(nodes[0], grid[0], values, beyond)])
        # Each column is a characteristic of x, and has a hat over y as its weight.
        total = graph.constant(0.0)
        for k, hat in enumerate(np.eye(grid[1].size)):
            column = lines_of(nodes[0], grid[0], np.ascontiguousarray(values[:, k]), beyond)
            total = _add(total, column * lines_of(nodes[1], grid[1], hat, beyond))
        return traced_array([total])


def evaluate(real: Any, x: Expr, order: int = 0) -> Any:
    from scipy.interpolate import BSpline, PPoly, interp1d

    if isinstance(real, interp1d):
        if order != 0:
            raise ended("a derivative of interp1d")
        return _interp1d(real, x)
    if hasattr(real, "_eval_args"):  # UnivariateSpline
        t, c, k = real._eval_args
        real, mode = BSpline(t, c[:len(t) - k - 1], k), getattr(real, "ext", 0)
        if mode not in (0, 3):
            raise ended("a UnivariateSpline that has no value outside")
        pieces, extrapolates = PPoly.from_spline(real), mode == 0
    elif isinstance(real, BSpline):
        pieces, extrapolates = PPoly.from_spline(real), bool(real.extrapolate)
    elif isinstance(real, PPoly):
        pieces, extrapolates = real, real.extrapolate
    else:
        raise ended(f"{type(real).__name__} of a number that depends on t or y")
    for _ in range(order):
        pieces = pieces.derivative()
    if extrapolates == "periodic":
        period = float(pieces.x[-1] - pieces.x[0])
        start = x.graph.constant(float(pieces.x[0]))
        x = _add(_mod(_sub(x, start), x.graph.constant(period)), start)
        extrapolates = False
    if pieces.c.ndim > 2:
        shape = pieces.c.shape[2:]
        flat = pieces.c.reshape(pieces.c.shape[0], pieces.c.shape[1], -1)
        made = np.empty(flat.shape[2], dtype=object)
        for k in range(flat.shape[2]):
            made[k] = _piecewise(flat[:, :, k], pieces.x, x, bool(extrapolates))
        from ._arrays import traced_array

        return traced_array(made.reshape(shape))
    return _piecewise(pieces.c, pieces.x, x, bool(extrapolates))


def _piecewise(c: np.ndarray, knots: np.ndarray, x: Expr, extrapolates: bool) -> Expr:
    """A piecewise polynomial of scipy's: c[0] belongs to the highest power."""
    real = np.concatenate(([True], np.diff(knots) > 0))
    c, knots = c[:, real[1:]], knots[real]
    powers = c.shape[0] - 1
    if powers > 3:
        if np.any(c[:powers - 3]):
            raise ended("a spline of a degree above 3")
        c = c[powers - 3:]
    c = np.concatenate((np.zeros((4 - c.shape[0], c.shape[1])), c))
    line = x.graph.line(x)
    reach = (line.at_middles().min(), line.at_middles().max()) if line is not None else None
    if line is not None:
        ends = np.concatenate((line.slope * line.bounds[:-1] + line.offset, line.slope * line.bounds[1:] + line.offset))
        reach = (float(ends.min()), float(ends.max()))
    if extrapolates:
        # The pieces at the ends go on.
        width = float(knots[-1] - knots[0])
        low, high = (knots[0] - 10 * width, knots[-1] + 10 * width) if reach is None else (
            min(reach[0], knots[0]), max(reach[1], knots[-1]))
        if low < knots[0]:
            c = np.concatenate((_shifted(c[:, :1], low - knots[0]), c), axis=1)
            knots = np.concatenate(([low], knots))
        if high > knots[-1]:
            c = np.concatenate((c, _shifted(c[:, -1:], knots[-1] - knots[-2])), axis=1)
            knots = np.concatenate((knots, [high]))
    elif reach is not None and (reach[0] < knots[0] or reach[1] > knots[-1]):
        raise ended(f"an interpolator from {knots[0]:g} to {knots[-1]:g} that is asked from {reach[0]:g} to {reach[1]:g}")
    h = np.diff(knots)
    values = np.append(c[3], c[3, -1] + h[-1] * (c[2, -1] + h[-1] * (c[1, -1] + h[-1] * c[0, -1])))
    ends = c[3] + h * (c[2] + h * (c[1] + h * c[0]))
    slopes = np.append(c[2], c[2, -1] + h[-1] * (2 * c[1, -1] + 3 * h[-1] * c[0, -1]))
    tilts = c[2] + h * (2 * c[1] + 3 * h * c[0])
    size = 1e-9 * (np.max(np.abs(values)) + 1e-300)
    if np.any(np.abs(ends[:-1] - values[1:-1]) > size):
        raise ended("a piecewise polynomial that jumps")
    if not c[:2].any():
        return lines_of(x, knots, values, "linear" if extrapolates else "hold")
    if np.any(np.abs(tilts[:-1] - slopes[1:-1]) > 1e-7 * (np.max(np.abs(slopes)) + 1e-300)):
        raise ended("a piecewise polynomial with bends at its knots")
    return cubic_of(x, knots, values, slopes, "error" if not extrapolates else "hold")


def _shifted(c: np.ndarray, d: float) -> np.ndarray:
    """The cubic in powers of u − d."""
    a3, a2, a1, a0 = c
    return np.array([a3, a2 + 3 * d * a3, a1 + d * (2 * a2 + 3 * d * a3), a0 + d * (a1 + d * (a2 + d * a3))])


def _interp1d(real: Any, x: Expr) -> Any:
    from scipy.interpolate import BSpline, PPoly

    values = np.asarray(real.y, dtype=float)
    knots = np.asarray(real.x, dtype=float)
    if values.ndim > 1:
        axis = real.axis if hasattr(real, "axis") else -1
        rows = np.moveaxis(values, axis, 0).reshape(knots.size, -1)
        shape = np.delete(values.shape, axis % values.ndim)
        from scipy.interpolate import interp1d

        from ._arrays import traced_array

        made = np.empty(rows.shape[1], dtype=object)
        for k in range(rows.shape[1]):
            fill = "extrapolate" if real._extrapolate else real.fill_value
            made[k] = _interp1d(interp1d(knots, rows[:, k], kind=real._kind, fill_value=fill, bounds_error=real.bounds_error,
                                         assume_sorted=True), x)
        return traced_array(made.reshape(shape))
    kind = real._kind
    extrapolates = bool(real._extrapolate)
    if kind in ("linear", "slinear"):
        inner = lines_of(x, knots, values, "linear" if extrapolates else "hold")
    elif kind in ("previous", "zero"):
        inner = step_of(x, knots[1:], values)
    elif kind == "next":
        inner = step_of(x, knots[:-1], values)
    elif kind in ("nearest", "nearest-up"):
        inner = step_of(x, 0.5 * (knots[1:] + knots[:-1]), values)
    else:
        spline = real._spline
        spline = BSpline(spline.t, np.ravel(spline.c), spline.k)
        pieces = PPoly.from_spline(spline)
        inner = _piecewise(pieces.c, pieces.x, x, extrapolates)
    if extrapolates:
        return inner
    return _filled(real, x, inner, knots)


def _filled(real: Any, x: Expr, inner: Expr, knots: np.ndarray) -> Expr:
    """interp1d outside of its knots: an error, or the fill values."""
    line = x.graph.line(x)
    graph = x.graph
    if line is not None:
        ends = np.concatenate((line.slope * line.bounds[:-1] + line.offset, line.slope * line.bounds[1:] + line.offset))
        leaves = ends.min() < knots[0] or ends.max() > knots[-1]
        if not leaves:
            return inner
    if real.bounds_error:
        if line is not None:
            raise ended(f"interp1d from {knots[0]:g} to {knots[-1]:g} that is asked from {ends.min():g} to {ends.max():g}")
        return inner
    below, above = real._fill_value_below, real._fill_value_above
    below, above = float(np.ravel(below)[0]), float(np.ravel(above)[0])
    if not (math.isfinite(below) and math.isfinite(above)):
        raise ended("interp1d that is no number outside of its knots")
    inner = _condition(graph, _above(x, graph.constant(knots[-1]), False)).choose(graph.constant(above), inner)
    return _condition(graph, _above(x, graph.constant(knots[0]), True)).choose(inner, graph.constant(below))
