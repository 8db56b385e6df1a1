"""How people write right-hand sides: each idiom with what becomes of it. The table of the manual says the same."""

import bisect
import logging
import math
from typing import Any, Callable, Dict, List, NamedTuple

import numpy as np
import scipy.integrate
import scipy.interpolate
import scipy.sparse


class Idiom(NamedTuple):
    """A function as it is written, and what becomes of it: traced, watched, called or refused."""

    text: str
    fate: str
    make: Callable[[], Any]
    span: tuple
    y0: List[float]
    tolerance: float
    steps: int  # of the reference


IDIOMS: Dict[str, Idiom] = {}


def idiom(text, fate, span=(0, 6), y0=(1.5, -0.4), tolerance=1e-4, steps=2000):
    def register(make):
        IDIOMS[make.__name__] = Idiom(text, fate, make, span, list(y0), tolerance, steps)
        return make

    return register


TIMES = np.linspace(0, 12, 61)
VALUES = np.where(np.arange(61) % 12 < 4, 3.0, 0.5) + 0.1 * np.sin(np.arange(61.0))
PLACES = np.linspace(-4, 4, 33)
FORCE = np.sin(PLACES) + 0.2 * PLACES


@idiom("`if`, `elif`, `else`, `and`, `or`, `not`, chained comparisons", "traced", span=(0, 2))
def branches():
    def f(t, y):
        x, v = y
        if v > 0 and not x > 1:
            u = -0.5
        elif -0.5 < x < 0.5:
            u = 0.2
        else:
            u = 0.3
        return [v, -x + u]

    return f


@idiom("`np.sign`, `abs`, `min`, `max`, `np.clip`, `np.where`, `np.heaviside`", "traced", span=(0, 3))
def choosing():
    return lambda t, y: [y[1], -y[0] - 0.3 * np.sign(y[1]) + np.clip(y[0], -0.5, 0.5) + max(y[0] - 1, 0) - np.where(y[1] > 0.7, 0.2, 0)
                         - 0.1 * np.heaviside(y[0], 0.5)]


@idiom("`if max(y[0] - 1, 0):`, the truth of a number", "traced", y0=(3.0, 0.0))
def truth():
    return lambda t, y: [y[1] if max(y[0] - 1, 0) else -1.0, -y[0]]


@idiom("`math.copysign`, `np.copysign`", "traced")
def copysign():
    return lambda t, y: [y[1], -y[0] - 0.3 * math.copysign(1.0, y[1]) - 0.1 * np.copysign(0.5, y[0])]


@idiom("`%`, `//`, `divmod`, `int(t)`, `math.floor`, `np.ceil` of the time", "traced")
def clock():
    return lambda t, y: [y[1] + (1.0 if t % 1.5 < 0.4 else 0.0), -y[0] + 0.2 * (int(t) % 2) + 0.1 * (t // 2) - 0.05 * np.ceil(t)]


@idiom("thousands of periods of `t % 1`", "traced", span=(0, 1000), y0=(0.0,), tolerance=2e-3)
def long_clock():
    return lambda t, y: [(1.0 if t % 1 < 0.3 else 0.0) - y[0]]


@idiom("`round`, `np.round`, `math.floor`, `np.trunc`, `int` of a state", "traced", span=(0, 3), y0=(3.3, 0.2))
def rounding():
    return lambda t, y: [-0.5 - 0.1 * round(y[0]), 0.3 * np.trunc(y[0]) - 0.2 * math.floor(y[0]) - 0.05 * np.round(y[0], 1)]


@idiom("`u[int(t/dt)]`, `u[min(int(t/dt), n)]`", "traced")
def samples():
    return lambda t, y: [y[1], -y[0] + VALUES[min(int(t / 0.2), 60)]]


@idiom("`u[np.argmin(np.abs(times - t))]`", "traced")
def nearest():
    return lambda t, y: [y[1], -y[0] + VALUES[np.argmin(np.abs(TIMES - t))]]


@idiom("`u[times <= t][-1]`, `np.where(times <= t)[0][-1]`, `np.argmax(times > t)`", "traced")
def masked_samples():
    return lambda t, y: [y[1] + 0.1 * VALUES[np.argmax(TIMES > t)], -y[0] + VALUES[TIMES <= t][-1] - 0.5 * VALUES[np.where(TIMES <= t)[0][-1]]]


@idiom("`try: u[int(t/dt)]`, `except IndexError:`", "traced")
def overrun():
    def f(t, y):
        try:
            u = VALUES[int(t / 0.08)]
        except IndexError:
            u = 0.0
        return [y[1], -y[0] + u]

    return f


@idiom("`scipy.signal.square`, `sawtooth`, `np.modf`, `np.divmod`, `math.remainder` of the time", "traced")
def waves():
    import scipy.signal

    def f(t, y):
        part, whole = np.modf(t / 1.3)
        beats, rest = np.divmod(t, 1.7)
        return [y[1] + 0.3 * scipy.signal.square(4 * t, 0.3) + 0.2 * scipy.signal.sawtooth(3 * t, 0.5),
                -y[0] + part - 0.1 * whole + 0.1 * beats - 0.2 * rest + 0.1 * math.remainder(t, 0.9)]

    return f


@idiom("pandas: `df[\"u\"].iloc[int(t/dt)]`, `df[df[\"t\"] <= t][\"u\"].iloc[-1]`, `np.interp(t, df[\"t\"], df[\"u\"])`", "traced")
def frames():
    import pandas

    frame = pandas.DataFrame({"t": TIMES, "u": VALUES})
    return lambda t, y: [y[1] + 0.1 * frame["u"].iloc[int(t / 0.2)],
                         -y[0] + frame[frame["t"] <= t]["u"].iloc[-1] - 0.5 * np.interp(t, frame["t"], frame["u"])]


@idiom("xarray: `u.interp(t=t)`, `u.sel(t=t, method=\"ffill\")`", "traced", span=(0, 0.5), steps=100)
def coordinates():
    import xarray

    u = xarray.DataArray(VALUES, coords={"t": TIMES}, dims="t")
    return lambda t, y: [y[1] + 0.1 * float(u.interp(t=t)), -y[0] + u.sel(t=t, method="ffill").item()]


@idiom("`np.searchsorted`, `np.digitize`, `bisect`", "traced")
def searched():
    times = list(TIMES)
    return lambda t, y: [y[1] + 0.1 * np.digitize(y[0], [-0.5, 0.5]),
                         -y[0] + VALUES[np.searchsorted(TIMES, t, side="right") - 1] - VALUES[bisect.bisect(times, t) - 1] * 0.5]


@idiom("`np.interp(t, …)` of any length", "traced")
def measured():
    times = np.linspace(0, 12, 2001)
    values = np.round(np.sin(times) * 5) / 5
    return lambda t, y: [y[1], -y[0] + np.interp(t, times, values)]


@idiom("`np.interp(t % 24, …)`, `np.interp(…, period=…)`", "traced", span=(0, 60), y0=(1.0,))
def daily():
    hours, load = [0, 6, 9, 17, 24], [0.2, 0.3, 1.0, 0.7, 0.2]
    return lambda t, y: [np.interp(t % 24, hours, load) - 0.3 * y[0] + 0.1 * np.interp(t, [0, 3, 7], [0, 1, 0.5], period=8)]


@idiom("`np.interp(y[0], …)`", "traced")
def characteristic():
    return lambda t, y: [y[1], -np.interp(y[0], PLACES, FORCE) - 0.1 * y[1]]


@idiom("`interp1d` of the time: linear, previous, next, nearest, cubic", "traced")
def interpolated():
    kinds = [scipy.interpolate.interp1d(TIMES, VALUES, kind=kind) for kind in ("linear", "previous", "next", "nearest", "cubic")]
    return lambda t, y: [y[1], -y[0] + 0.2 * sum(g(t) for g in kinds)]


@idiom("`CubicSpline`, `PchipInterpolator`, `Akima1DInterpolator`, `make_interp_spline`, `UnivariateSpline` of the time", "traced")
def splines():
    smooth = np.sin(TIMES)
    made = [scipy.interpolate.CubicSpline(TIMES, smooth), scipy.interpolate.PchipInterpolator(TIMES, smooth),
            scipy.interpolate.Akima1DInterpolator(TIMES, smooth), scipy.interpolate.make_interp_spline(TIMES, smooth, k=3),
            scipy.interpolate.UnivariateSpline(TIMES, smooth, s=0)]
    return lambda t, y: [y[1], -y[0] + 0.2 * sum(float(g(t)) for g in made)]


@idiom("the same of a state", "traced")
def spline_of_a_state():
    spline, pchip = scipy.interpolate.CubicSpline(PLACES, FORCE), scipy.interpolate.PchipInterpolator(PLACES, FORCE)
    return lambda t, y: [y[1], -0.5 * spline(y[0]) - 0.5 * pchip(y[0]) - 0.1 * y[1]]


@idiom("`splev` of the time, `RegularGridInterpolator` of two states", "traced", span=(0, 3))
def grids():
    spline = scipy.interpolate.splrep(TIMES, np.sin(TIMES))
    grid = scipy.interpolate.RegularGridInterpolator((PLACES, PLACES), np.sin(np.add.outer(PLACES, 0.5 * PLACES)))
    return lambda t, y: [y[1], -y[0] + scipy.interpolate.splev(t, spline) - 0.3 * float(grid((y[0], y[1])))]


@idiom("`np.concatenate`, `np.hstack` of lists and slices", "traced", y0=(1.0, 2.0, 0.5, -1.0))
def laplacian():
    return lambda t, y: 2 * np.concatenate(([y[1] - y[0]], y[2:] - 2 * y[1:-1] + y[:-2], [y[-2] - y[-1]]))


@idiom("`np.diff`, `np.roll`, `np.cumsum`, `np.zeros_like`, slices that are written", "traced", y0=(1.0, 2.0, 0.5, -1.0))
def sliced():
    def f(t, y):
        dy = np.zeros_like(y)
        dy[1:-1] = np.diff(y, 2)
        dy[[0, -1]] = -y[[0, -1]]
        return dy + 0.1 * (np.roll(y, 1) - y) - 0.01 * np.cumsum(y)

    return f


@idiom("`np.linalg.solve`, `inv`, `lstsq`, `det`, `norm` with matrices of numbers", "traced", span=(0, 2))
def solved():
    M = np.array([[2.0, 0.3], [0.3, 1.0]])
    return lambda t, y: (np.linalg.solve(M, [y[1], -y[0] - 0.3 * np.sign(y[1])]) - 0.1 * np.linalg.lstsq(M, y, rcond=None)[0]
                         - 0.1 * np.linalg.norm(y) * y)


@idiom("`scipy.linalg.solve`, `lu_solve`, `cho_solve`", "traced", span=(0, 2))
def factored():
    import scipy.linalg

    M = np.array([[2.0, 0.3], [0.3, 1.0]])
    lu, cholesky = scipy.linalg.lu_factor(M), scipy.linalg.cho_factor(M)

    def f(t, y):
        force = np.array([y[1], -y[0] - 0.3 * np.sign(y[1])])
        return scipy.linalg.lu_solve(lu, force) - 0.1 * scipy.linalg.solve(M, y) - 0.1 * scipy.linalg.cho_solve(cholesky, y)

    return f


@idiom("`np.linalg.solve(M(y), …)`, matrices that depend on y", "traced", y0=(1.0, 0.5, 0.0, 0.0))
def pendulum():
    def f(t, y):
        a, b, p, q = y
        c = np.cos(a - b)
        M = np.array([[2.0, c], [c, 1.0]])
        r = np.array([-np.sin(a - b) * q**2 - 2 * np.sin(a), np.sin(a - b) * p**2 - np.sin(b)])
        return np.concatenate(([p, q], np.linalg.solve(M, r)))

    return f


@idiom("`M @ y`, `np.dot`, `np.einsum`, `np.kron`, `np.outer`, `np.cross`", "traced")
def products():
    A = np.array([[0, 1.0], [-1.0, -0.2]])
    return lambda t, y: (A @ y + 0.1 * np.einsum("ij,j->i", A, y) - 0.05 * np.kron(np.array([1.0]), y) - 0.1 * np.dot(A.T, y)
                         - 0.02 * np.outer(y, y) @ np.array([1.0, 1.0]) - 0.01 * np.cross(y, A @ y))


@idiom("`M @ y`, `M.dot(y)` with a sparse matrix", "traced", span=(0, 0.5), y0=(1.0, 2.0, 0.5, -1.0))
def sparse():
    M = scipy.sparse.diags([1.0, -2.0, 1.0], [-1, 0, 1], shape=(4, 4), format="csr")
    return lambda t, y: M @ y + 0.1 * M.dot(np.sign(y))


@idiom("`if …: raise`, `assert`", "traced")
def guarded():
    def f(t, y):
        if y[0] > 1e3:
            raise RuntimeError("too far")
        assert np.all(np.abs(y) < 1e6), "diverged"
        return [y[1], -y[0] - 0.3 * np.sign(y[1])]

    return f


@idiom("`try: math.sqrt(…)`, `except ValueError:`", "traced", span=(0, 8), y0=(5.0,))
def tried():
    def f(t, y):
        try:
            q = math.sqrt(y[0] - 1.0)
        except ValueError:
            q = 0.0
        return [-q - 0.1 * y[0]]

    return f


@idiom("`print`, `logging`, f-strings in them (nothing is said during a traced run)", "traced")
def talkative():
    log = logging.getLogger("f")

    def f(t, y):
        if y[0] > 1.2:
            print(f"t = {t:.3f}", y)
            log.info("y = %s", y[0])
        return [y[1], -y[0]]

    return f


@idiom("`y[0] = max(y[0], 0)`, writing into y (understood as a copy)", "traced")
def overwritten():
    def f(t, y):
        y[0] = max(y[0], 0.0)
        return [y[1], 0.5 - y[0]]

    return f


@idiom("an array that outlives the call, filled anew every time", "traced")
def buffered():
    dy = np.zeros(2)

    def f(t, y):
        dy[0] = y[1]
        dy[1] = -y[0] - 0.3 * np.sign(y[1])
        return dy

    return f


@idiom("a counter or a log of calls, which nothing reads", "traced")
def counting():
    calls = [0]
    seen = []

    def f(t, y):
        calls[0] += 1
        seen.append(t)
        return [y[1], -y[0]]

    return f


@idiom("networks with `np.maximum(W @ y + b, 0)`, `np.tanh`", "traced", y0=(0.5, -0.2))
def network():
    rng = np.random.default_rng(1)
    W, b, V = rng.normal(size=(16, 2)), rng.normal(size=16), rng.normal(size=(2, 16)) / 8
    return lambda t, y: V @ np.maximum(W @ y + b, 0) + 0.1 * np.tanh(y) - y


@idiom("networks with two and more layers of `np.maximum`", "traced", y0=(0.5, -0.2))
def deep_network():
    rng = np.random.default_rng(2)
    W, b, U, c, V = rng.normal(size=(12, 2)), rng.normal(size=12), rng.normal(size=(12, 12)) / 4, rng.normal(size=12), rng.normal(size=(2, 12)) / 8
    return lambda t, y: V @ np.maximum(U @ np.maximum(W @ y + b, 0) + c, 0) - y


@idiom("counts of conditions: `sum(T > 20 for T in y) >= 3`", "traced", y0=tuple(np.linspace(17, 24, 12)), tolerance=1e-3)
def counted():
    return lambda t, y: [(-1.0 if sum(T > 20 for T in y) >= 6 else -0.2) + 0.01 * k for k in range(12)]


@idiom("`modes[int(t)]`, `modes.get(int(t), 0)`, `int(t) in {…}` with a dict or a set", "traced")
def looked_up():
    modes = {0: 1.0, 2: -1.0, 3: 0.5}
    return lambda t, y: [y[1] + modes.get(int(t), 0.0), -y[0] + (0.3 if int(t) in {1, 4} else 0.0)]


@idiom("methods, closures, `functools.partial`, `args`, global and local functions", "traced")
def organised():
    class Plant:
        mu = 0.3

        def __init__(self):
            self.table = np.array([0.0, 0.2, 0.4])

        def friction(self, v):
            return self.mu * np.sign(v)

        def rhs(self, t, y):
            return np.array([y[1], -y[0] - self.friction(y[1]) + self.table[int(t) % 3]])

    return Plant().rhs


@idiom("`np.piecewise`, `np.select`", "traced")
def piecewise():
    return lambda t, y: [y[1], -np.piecewise(y[0], [y[0] < 0, y[0] >= 0], [lambda x: 2 * x, lambda x: x])
                         + np.select([y[1] > 1, y[1] < -1], [-0.3, 0.3], 0.0)]


@idiom("`np.vectorize`, `np.choose`, `np.isin`, `np.gradient`, `np.convolve`, `np.add.at`", "traced", span=(0, 4))
def rarer():
    limit = np.vectorize(lambda x: 1.0 if x > 1 else x)

    def f(t, y):
        dy = np.zeros(2)
        np.add.at(dy, [0, 1, 1], [y[1], -float(limit(y[0])), np.choose(int(y[1] > 0), [0.1, -0.1])])
        return dy - 0.1 * np.gradient(y) + 0.05 * np.convolve(y, [0.5, -0.5], mode="same") + (0.2 if np.isin(int(t), [1, 3]) else 0.0)

    return f


@idiom("masks: `force[x > 0] = …`, `y * (y > 0)`, `(y > 0).astype(int)`", "traced")
def masked():
    def f(t, y):
        force = -1.0 * y
        force[y > 0.5] = -0.5
        return np.array([y[1], force[0] - 0.2 * (y[0] > 0).astype(int)])

    return f


@idiom("`scipy.special.expit`, `np.logaddexp`, `np.sinc`, `np.arctan2`, `np.hypot`", "traced")
def special():
    from scipy.special import expit

    return lambda t, y: [y[1] - 0.1 * expit(5 * y[0]), -y[0] + 0.1 * np.sinc(y[1]) - 0.1 * np.logaddexp(y[0], 0)]


@idiom("`fsolve`, `root`, `brentq`, `newton` of `scipy.optimize` inside of the function (a variable that an equation determines)", "traced", span=(0, 3), steps=300)
def roots():
    import scipy.optimize

    def f(t, y):
        force = scipy.optimize.brentq(lambda z: z**3 + z - y[0], -10, 10)
        drag, = scipy.optimize.fsolve(lambda z: z + 0.2 * np.tanh(z) - y[1], 0.5)
        return [y[1], -force - 0.2 * drag - 0.1 * np.sign(y[1])]

    return f


@idiom("loops until something converges", "called", tolerance=1e-3)
def converging():
    def f(t, y):
        r = 1.0
        while abs(r * r - (2 + y[0] ** 2)) > 1e-12:
            r = 0.5 * (r + (2 + y[0] ** 2) / r)
        return [y[1], -r * np.tanh(y[0])]

    return f


@idiom("complex numbers: `np.exp(1j * y[0])`, `abs(complex(a, b))`, `np.angle`, `cmath`, `.real`", "traced")
def complex_numbers():
    import cmath

    turns = np.array([1j, 2.0])
    return lambda t, y: [y[1] - 0.1 * (turns @ y).real, -np.angle(np.exp(1j * y[0])) - 0.1 * abs(complex(y[0], y[1])) - 0.2 * cmath.phase(2 + 1j * y[1])]


@idiom("functions of other libraries, with their own branches", "watched")
def watched():
    from scipy.special import gamma

    def f(t, y):
        return [y[1], -y[0] - (0.3 if y[1] > 0 else -0.3) - 0.01 * gamma(2.5 + 0.1 * np.tanh(y[0]))]

    return f


@idiom("`round`, `int(t/dt)`, `t % 1`, `math.floor` of a state, beside `scipy.integrate.quad`", "watched", span=(0, 4), tolerance=3e-3)
def stepped_beside_an_integral():
    def f(t, y):
        area = scipy.integrate.quad(lambda s: math.exp(-s * s), 0, y[0])[0]
        pulse = 1.0 if t % 1 < 0.3 else 0.0
        return [y[1], -round(4 * y[0]) / 4 - 0.2 * math.floor(2 * y[1]) + VALUES[int(t / 0.2)] * pulse - 0.1 * area]

    return f


@idiom("`np.searchsorted`, `np.argmin`, `u[times <= t][-1]`, beside what cannot be traced", "watched", span=(0, 4), tolerance=3e-3)
def looked_up_beside_an_integral():
    def f(t, y):
        area = scipy.integrate.quad(lambda s: math.exp(-s * s), 0, y[0])[0]
        held = VALUES[np.argmin(np.abs(TIMES + 0.1 - t))] - 0.5 * VALUES[TIMES <= t][-1]
        return [y[1], held - FORCE[np.searchsorted(PLACES, y[0])] - 0.1 * area]

    return f


@idiom("a flag that is switched: hysteresis, a latch", "refused", y0=(20.0,))
def latched():
    state = {"on": True}

    def f(t, y):
        if y[0] < 18:
            state["on"] = True
        elif y[0] > 22:
            state["on"] = False
        return [-0.1 * (y[0] - 10) + (2.0 if state["on"] else 0.0)]

    return f


@idiom("the value of the last call: rates by differences, the largest so far", "refused")
def differenced():
    last = [0.0, 0.0]

    def f(t, y):
        rate = (y[0] - last[1]) / (t - last[0]) if t > last[0] else 0.0
        last[:] = [t, y[0]]
        return [y[1], -y[0] - 0.1 * rate]

    return f


@idiom("`np.random`, `random`", "refused")
def noisy():
    return lambda t, y: [y[1], -y[0] + 0.1 * np.random.normal()]


@idiom("`time.time()`", "refused")
def timed():
    import time

    return lambda t, y: [y[1], -y[0] + 1e-3 * (time.perf_counter() % 1)]


def reference(kind: Idiom) -> Any:
    """What scipy gives with small steps."""
    function = kind.make()
    return scipy.integrate.solve_ivp(lambda t, y: np.array(function(t, y.copy()), dtype=float), kind.span, kind.y0, rtol=1e-8, atol=1e-10,
                                     max_step=(kind.span[1] - kind.span[0]) / kind.steps).y[:, -1]
