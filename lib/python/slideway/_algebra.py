"""Linear algebra on expressions."""

from __future__ import annotations

from typing import Any, List

import numpy as np

from ._complex import Complex
from ._expressions import Cond, Expr, ended

MOST_TRACED = 12  # rows of a matrix that depends on t or y


def _is_traced(value: Any) -> bool:
    from ._arrays import _contains_traced

    return _contains_traced(value)


def _traced(value: Any) -> Any:
    from ._arrays import traced_array

    return traced_array(value)


def _objects(value: Any) -> np.ndarray:
    from ._arrays import _objects as objects

    return objects(value)


def _square(a: np.ndarray) -> int:
    if a.ndim != 2 or a.shape[0] != a.shape[1]:
        raise ended("a stack of matrices, or a matrix that is not square")
    return int(a.shape[0])


def solve(a: Any, b: Any, **_: Any) -> Any:
    """x of a x = b."""
    if not _is_traced(a):
        # Elimination once, on numbers.
        return np.matmul(np.linalg.inv(np.asarray(a, dtype=float)), b)
    matrix, right = _objects(a).copy(), _objects(b)
    n = _square(matrix)
    if n > MOST_TRACED:
        raise ended(f"np.linalg.solve with a matrix of {n} rows that depends on t or y")
    columns = (right if right.ndim == 2 else right[:, None]).copy()
    made = _eliminated(matrix, columns)
    return _traced(made if right.ndim == 2 else made[:, 0])


def _is_zero(value: Any) -> bool:
    if isinstance(value, Expr):
        return value.is_constant and value.args[0] == 0
    return not isinstance(value, (Cond, Complex)) and bool(value == 0)


def _eliminated(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    n = a.shape[0]
    if n == 1:
        return b / a[0, 0]
    if n in (2, 3):
        # Cramer's rule has no pivot that may vanish while the determinant does not.
        whole = determinant(a)
        made = np.empty_like(b)
        for j in range(b.shape[1]):
            for i in range(n):
                replaced = a.copy()
                replaced[:, i] = b[:, j]
                made[i, j] = determinant(replaced) / whole
        return made
    for k in range(n):
        # A pivot that is a number is one throughout; the entries of mass matrices on the diagonal are the next best.
        rows = [i for i in range(k, n) if not _is_zero(a[i, k])]
        if not rows:
            raise ended("np.linalg.solve with a matrix whose pivots depend on t or y")
        fixed = [i for i in rows if not isinstance(a[i, k], Expr) or a[i, k].is_constant]
        pivot = fixed[0] if fixed and k not in fixed else rows[0] if k not in rows else k
        if pivot != k:
            a[[k, pivot]], b[[k, pivot]] = a[[pivot, k]], b[[pivot, k]]
        for i in range(k + 1, n):
            if _is_zero(a[i, k]):
                continue
            factor = a[i, k] / a[k, k]
            a[i, k + 1:] = a[i, k + 1:] - factor * a[k, k + 1:]
            b[i] = b[i] - factor * b[k]
    x: List[Any] = [None] * n
    for k in reversed(range(n)):
        rest = b[k]
        for j in range(k + 1, n):
            if not _is_zero(a[k, j]):
                rest = rest - a[k, j] * x[j]
        x[k] = rest / a[k, k]
    return np.array(x, dtype=object)


def inverse(a: Any, **_: Any) -> Any:
    matrix = _objects(a)
    n = _square(matrix)
    return solve(_traced(matrix), np.eye(n))


def determinant(a: Any) -> Any:
    matrix = _objects(a)
    n = _square(matrix)
    if n == 1:
        return matrix[0, 0]
    if n == 2:
        return matrix[0, 0] * matrix[1, 1] - matrix[0, 1] * matrix[1, 0]
    if n > 5:
        raise ended(f"np.linalg.det of {n} rows that depend on t or y")
    total: Any = 0.0
    for k in range(n):
        if not _is_zero(matrix[0, k]):
            minor = np.delete(matrix[1:], k, axis=1)
            total = total + (matrix[0, k] if k % 2 == 0 else -matrix[0, k]) * determinant(minor)
    return total


def least_squares(a: Any, b: Any, rcond: Any = None) -> Any:
    if _is_traced(a):
        raise ended("np.linalg.lstsq with a matrix that depends on t or y")
    matrix = np.asarray(a, dtype=float)
    x = np.matmul(np.linalg.pinv(matrix), b)
    return x, np.empty(0), int(np.linalg.matrix_rank(matrix)), np.linalg.svd(matrix, compute_uv=False)


def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    array = _objects(x)
    if keepdims:
        raise ended("np.linalg.norm with keepdims")
    if axis is None and (array.ndim == 1 or ord is None or ord == "fro"):
        array, axis = array.ravel(), 0
    if not isinstance(axis, int) or ord not in (None, 2, 1, np.inf, "fro"):
        raise ended("np.linalg.norm of this order or along these axes")
    values = _traced(array)
    if ord == 1:
        return np.add.reduce(np.abs(values), axis=axis)
    if ord == np.inf:
        return np.maximum.reduce(np.abs(values), axis=axis)
    return np.sqrt(np.add.reduce(values * values, axis=axis))


def einsum(subscripts: Any, *operands: Any, **_: Any) -> Any:
    if not isinstance(subscripts, str) or "." in subscripts:
        raise ended("np.einsum without plain subscripts")
    left, arrow, right = subscripts.replace(" ", "").partition("->")
    parts = left.split(",")
    letters = sorted(set("".join(parts)))
    if not arrow:
        right = "".join(c for c in letters if left.count(c) == 1)
    arrays = [_objects(o) for o in operands]
    size = {c: a.shape[k] for part, a in zip(parts, arrays) for k, c in enumerate(part)}
    order = list(right) + [c for c in letters if c not in right]
    product: Any = None
    for part, array in zip(parts, arrays):
        for c in sorted(set(part)):
            while part.count(c) > 1:
                first, second = part.index(c), part.rindex(c)
                array = np.diagonal(array, axis1=first, axis2=second)
                part = "".join(x for k, x in enumerate(part) if k not in (first, second)) + c
        moved = array.transpose([part.index(c) for c in order if c in part])
        moved = moved.reshape([size[c] if c in part else 1 for c in order])
        product = moved if product is None else _traced(product) * moved
    product = np.broadcast_to(np.asarray(product.view(np.ndarray), dtype=object), [size[c] for c in order])
    summed: Any = _traced(product.copy())
    for _k in range(len(order) - len(right)):
        summed = np.add.reduce(summed, axis=-1)
    return summed


class SparseMatrix:
    """A sparse matrix of scipy's that multiplies expressions too."""

    __array_priority__ = 2000.0

    def __init__(self, real: Any) -> None:
        self._real = real

    def __getattr__(self, name: str) -> Any:
        own = getattr(self._real, name)
        return SparseMatrix(own) if hasattr(own, "tocsr") else own

    def _times(self, other: Any) -> Any:
        if not _is_traced(other):
            return self._real @ other
        rows = self._real.tocsr()
        columns = _objects(other)
        flat = columns if columns.ndim == 2 else columns[:, None]
        from ._arrays import _inner

        made = np.empty((rows.shape[0], flat.shape[1]), dtype=object)
        for i in range(rows.shape[0]):
            at = rows.indices[rows.indptr[i]:rows.indptr[i + 1]]
            values = rows.data[rows.indptr[i]:rows.indptr[i + 1]]
            for j in range(flat.shape[1]):
                made[i, j] = _inner(values, flat[at, j])
        return _traced(made if columns.ndim == 2 else made[:, 0])

    __matmul__ = dot = _times

    def __rmatmul__(self, other: Any) -> Any:
        return SparseMatrix(self._real.T)._times(other) if np.ndim(other) == 1 else NotImplemented

    def __mul__(self, other: Any) -> Any:
        if np.ndim(other) >= 1:
            return self._times(other)
        return self._real * other if not _is_traced(other) else _Scaled(other, self)

    def __rmul__(self, other: Any) -> Any:
        return self._real * other if not _is_traced(other) else _Scaled(other, self)

    def __neg__(self) -> "SparseMatrix":
        return SparseMatrix(-self._real)


class _Scaled:
    """A number that depends on t or y times a sparse matrix."""

    def __init__(self, factor: Any, matrix: SparseMatrix) -> None:
        self._factor, self._matrix = factor, matrix

    def __matmul__(self, other: Any) -> Any:
        return self._factor * (self._matrix @ other)

    dot = __mul__ = __matmul__
