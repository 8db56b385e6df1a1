"""Columns of pandas' and arrays of xarray's, which take times and indices that depend on t."""

from __future__ import annotations

import operator
from typing import Any, Optional

import numpy as np

from ._expressions import Cond, Expr, _need, ended
from ._lookup import Samples, lines_of, sample, searchsorted, step_of
from ._masks import Chosen, is_mask


def form_of(value: Any) -> Any:
    """The form of a series, a frame or an array with coordinates; None of anything else."""
    module, kind = type(value).__module__ or "", type(value).__name__
    if module.startswith("pandas"):
        return Series(value) if kind == "Series" and value.dtype.kind in "fiub" else Frame(value) if kind == "DataFrame" else None
    if module.startswith("xarray"):
        return Array(value) if kind == "DataArray" and value.dtype.kind in "fiub" else Dataset(value) if kind == "Dataset" else None
    return None


def _samples(values: Any) -> Any:
    array = np.asarray(values)
    return np.ascontiguousarray(array, dtype=float).view(Samples) if array.dtype.kind in "fiub" else values


def _wrapped(value: Any) -> Any:
    return form_of(value) or value


class _Form:
    """What has another form stands for it in everything else."""

    def __init__(self, real: Any) -> None:
        self._real = real

    def __getattr__(self, name: str) -> Any:
        return _wrapped(getattr(self._real, name))

    def __len__(self) -> int:
        return len(self._real)

    def __iter__(self) -> Any:
        return iter(self._real)

    def __array__(self, dtype: Any = None, *_: Any, **__: Any) -> np.ndarray:
        return np.asarray(self._real, dtype=dtype)


class Series(_Form):
    @property
    def values(self) -> Any:
        return _samples(self._real.values)

    def to_numpy(self, *_: Any, **__: Any) -> Any:
        return self.values

    @property
    def index(self) -> Any:
        return _samples(self._real.index)

    @property
    def iloc(self) -> Any:
        return _Places(self)

    iat = iloc

    def searchsorted(self, value: Any, side: str = "left", sorter: Any = None) -> Any:
        return searchsorted(self._real.values, value, side) if isinstance(value, Expr) else self._real.searchsorted(value, side, sorter)

    def __getitem__(self, key: Any) -> Any:
        if is_mask(key):
            return Chosen(self._real.values, key)
        if isinstance(key, Expr):
            if not np.array_equal(self._real.index, np.arange(len(self._real))):
                raise ended("a label of a series that depends on t or y")
            return sample(np.asarray(self._real.values, dtype=float), key)
        return _wrapped(self._real[key])


for _name in ("add", "sub", "mul", "truediv", "lt", "le", "gt", "ge", "eq", "ne"):
    def _apply(self: Any, other: Any, operate: Any = getattr(operator, _name)) -> Any:
        if isinstance(other, (Expr, Cond)):
            return operate(self.values, other)
        return _wrapped(operate(self._real, other._real if isinstance(other, _Form) else other))

    setattr(Series, f"__{_name}__", _apply)
for _name in ("add", "sub", "mul", "truediv"):
    def _reflected(self: Any, other: Any, operate: Any = getattr(operator, _name)) -> Any:
        return operate(other, self.values if isinstance(other, (Expr, Cond)) else self._real)

    setattr(Series, f"__r{_name}__", _reflected)


class _Places:
    """The entries of a series, or the rows of a frame, by their places."""

    def __init__(self, of: Any) -> None:
        self._of = of

    def __getitem__(self, key: Any) -> Any:
        real = self._of._real
        if isinstance(self._of, Series):
            return sample(np.asarray(real.values, dtype=float), key) if isinstance(key, (Expr, Cond)) else _wrapped(real.iloc[key])
        if isinstance(key, tuple) and len(key) == 2 and isinstance(key[0], (Expr, Cond)):
            return sample(np.asarray(real.iloc[:, key[1]].values, dtype=float), key[0])
        return _Row(real, key) if isinstance(key, (Expr, Cond)) else _wrapped(real.iloc[key])


class _Row:
    """A row of a frame, of a place that depends on t or y."""

    def __init__(self, real: Any, place: Any) -> None:
        self._real, self._place = real, place

    def __getitem__(self, name: Any) -> Any:
        return sample(np.asarray(self._real[name].values, dtype=float), self._place)

    def __getattr__(self, name: str) -> Any:
        return self[name]


class _Picked:
    """The rows of a frame at which a mask is true."""

    def __init__(self, real: Any, mask: Any) -> None:
        self._real, self._mask = real, mask

    def __getitem__(self, name: Any) -> Any:
        return Chosen(self._real[name].values, self._mask) if isinstance(name, str) else _PickedRow(self, name)

    def __getattr__(self, name: str) -> Any:
        return self if name == "iloc" else self[name]


class _PickedRow:
    def __init__(self, picked: _Picked, place: Any) -> None:
        self._picked, self._place = picked, place

    def __getitem__(self, name: str) -> Any:
        return self._picked[name][self._place]

    def __getattr__(self, name: str) -> Any:
        return self[name]


class Frame(_Form):
    def __getitem__(self, key: Any) -> Any:
        return _Picked(self._real, key) if is_mask(key) else _wrapped(self._real[key])

    @property
    def iloc(self) -> Any:
        return _Places(self)

    iat = iloc

    @property
    def loc(self) -> Any:
        return _Labels(self._real)


class _Labels:
    def __init__(self, real: Any) -> None:
        self._real = real

    def __getitem__(self, key: Any) -> Any:
        if is_mask(key):
            return _Picked(self._real, key)
        if isinstance(key, tuple) and is_mask(key[0]):
            return Chosen(self._real[key[1]].values, key[0])
        return _wrapped(self._real.loc[key])


class Array(_Form):
    """An array with coordinates, which is asked for along one of them."""

    @property
    def values(self) -> Any:
        return _samples(self._real.values)

    data = values

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, dict) and any(isinstance(v, Expr) for v in key.values()):
            return self.isel(key)
        return sample(np.asarray(self._real.values, dtype=float), key) if isinstance(key, (Expr, Cond)) else _wrapped(self._real[key])

    def _along(self, given: Any, indexers: Any) -> Optional[Any]:
        """The coordinate's name, what it is asked at and the values along it; None where everything is a number."""
        indexers = dict(given or {}, **indexers)
        traced = [name for name, at in indexers.items() if isinstance(at, (Expr, Cond))]
        if not traced:
            return None
        if len(indexers) > 1:
            raise ended("an array of xarray's along several coordinates")
        name = traced[0]
        return name, _need(indexers[name].graph, indexers[name]), np.moveaxis(self._real.values.astype(float), self._real.get_axis_num(name), 0)

    def _each(self, values: np.ndarray, of: Any) -> Any:
        from ._arrays import traced_array

        if values.ndim == 1:
            return of(values)
        columns = values.reshape(values.shape[0], -1)
        made = np.empty(columns.shape[1], dtype=object)
        made[:] = [of(np.ascontiguousarray(column)) for column in columns.T]
        return traced_array(made.reshape(values.shape[1:]))

    def isel(self, indexers: Any = None, **by_name: Any) -> Any:
        found = self._along(indexers, by_name)
        if found is None:
            return _wrapped(self._real.isel(indexers, **by_name))
        return self._each(found[2], lambda values: sample(values, found[1]))

    def interp(self, coords: Any = None, method: str = "linear", assume_sorted: bool = False, kwargs: Any = None, **by_name: Any) -> Any:
        found = self._along(coords, by_name)
        if found is None:
            return _wrapped(self._real.interp(coords, method, assume_sorted, kwargs, **by_name))
        if kwargs or method not in ("linear", "nearest"):
            raise ended(f"interp of xarray's with further arguments or the method {method}")
        name, at, values = found
        knots = _ascending(self._real[name].values)
        _stay_inside(at, knots)
        if method == "linear":
            return self._each(values, lambda column: lines_of(at, knots, column))
        return self._each(values, lambda column: step_of(at, 0.5 * (knots[1:] + knots[:-1]), column))

    def sel(self, indexers: Any = None, method: Any = None, tolerance: Any = None, drop: bool = False, **by_name: Any) -> Any:
        found = self._along(indexers, by_name)
        if found is None:
            return _wrapped(self._real.sel(indexers, method, tolerance, drop, **by_name))
        name, at, values = found
        knots = _ascending(self._real[name].values)
        between = {"nearest": 0.5 * (knots[1:] + knots[:-1]), "ffill": knots[1:], "pad": knots[1:], "bfill": knots[:-1], "backfill": knots[:-1]}.get(method)
        if between is None or tolerance is not None:
            raise ended("an exact label of an array of xarray's that depends on t or y")
        if method != "nearest":
            _stay_inside(at, knots)
        return self._each(values, lambda column: step_of(at, between, column))


def _ascending(coordinate: Any) -> np.ndarray:
    knots = np.asarray(coordinate)
    if knots.dtype.kind not in "fiu" or np.any(np.diff(knots) <= 0):
        raise ended("a coordinate of xarray's that does not ascend, or is no number")
    return knots.astype(float)


def _stay_inside(at: Expr, knots: np.ndarray) -> None:
    line = at.graph.line(at)
    if line is None:
        return
    ends = np.concatenate((line.slope * line.bounds[:-1] + line.offset, line.slope * line.bounds[1:] + line.offset))
    if ends.min() < knots[0] or ends.max() > knots[-1]:
        raise ended(f"an array of xarray's from {knots[0]:g} to {knots[-1]:g} that is asked from {ends.min():g} to {ends.max():g}")


class Dataset(_Form):
    def __getitem__(self, key: Any) -> Any:
        return _wrapped(self._real[key])
