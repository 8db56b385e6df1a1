"""Scripts of strangers: how people write models for solve_ivp, what becomes of each, and what is right.

`right()` comes from a closed form, from matrix exponentials, or from scipy with small steps or between jumps that are located by hand.
"""

import math
from typing import Any, Callable, Dict, NamedTuple

import numpy as np
import scipy.integrate
import scipy.interpolate
from scipy.linalg import expm


class Stranger(NamedTuple):
    """A script that takes solve_ivp and returns its last run, its fate, and the state at the end."""

    fate: str
    run: Callable[[Any], Any]
    right: Callable[[], Any]
    tolerance: float


STRANGERS: Dict[str, Stranger] = {}
TIGHT = dict(rtol=1e-7, atol=1e-9)


def stranger(right=None, fate="traced", tolerance=1e-5):
    def register(run):
        STRANGERS[run.__name__] = Stranger(fate, run, right if callable(right) else lambda: right, tolerance)
        return run

    return register


def small_steps(f, end, y0, step):
    """What scipy gives with small steps."""
    def plain(t, y):
        return np.array(f(t, y.copy()), dtype=float).ravel()

    return scipy.integrate.solve_ivp(plain, (0, end), y0, rtol=1e-8, atol=1e-10, max_step=step).y[:, -1]


def smooth(f, span, y0, until=None):
    """What scipy gives where nothing jumps; with `until`, up to the zero of this function."""
    events = None
    if until is not None:
        def events(t, y):
            return until(t, y)

        events.terminal = True
    return scipy.integrate.solve_ivp(f, span, y0, rtol=1e-11, atol=1e-12, events=events)


# ---- friction and control ---------------------------------------------------------------------------------------------------


@stranger([100 / (2 * 9.8 * 0.3), 0.0])
def box_with_friction(solve_ivp):
    gravity, mu = 9.8, 0.3

    def f(t, y):
        return [y[1], -np.sign(y[1]) * gravity * mu]

    return solve_ivp(f, (0, 10), [0, 10.0], **TIGHT)


@stranger([0.0])
def friction_as_a_quotient(solve_ivp):
    def f(t, y):
        v = y[0]
        return [-(v / abs(v)) * 2.0 if v != 0 else 0.0]

    return solve_ivp(f, (0, 4), [3.0], **TIGHT)


def band_right():
    def steep(t, y):
        x, v = y
        return [v, np.sin(1.3 * t) - 0.5 * x - 0.4 * np.tanh(v / 1e-5)]

    return scipy.integrate.solve_ivp(steep, (0, 6), [0.0, 0.0], rtol=1e-9, atol=1e-11, method="Radau").y[:, -1]


@stranger(band_right, tolerance=2e-4)
def friction_with_a_band(solve_ivp):
    mu = 0.4

    def f(t, y):
        x, v = y
        force = 1.0 * np.sin(1.3 * t) - 0.5 * x
        if abs(v) < 1e-5 and abs(force) <= mu:
            return [0.0, 0.0]
        return [v, force - mu * np.sign(v)]

    return solve_ivp(f, (0, 6), [0.0, 0.0], **TIGHT)


def near_bang_bang(t, y):
    s = y[0] + 0.5 * y[1] * abs(y[1])
    if s > 1e-3:
        u = -1
    elif s < -1e-3:
        u = 1
    else:
        u = 0
    return [y[1], u]


@stranger(lambda: small_steps(near_bang_bang, 2.5, [1.0, 0.0], 5e-4), tolerance=1e-3)
def bang_bang_with_a_dead_zone(solve_ivp):
    return solve_ivp(near_bang_bang, (0, 2.5), [1.0, 0.0], **TIGHT)


def sliding_right():
    # Beyond its arrival s = v + 2x stays zero, so that x' = −2x.
    arrival = smooth(lambda t, x: [x[1], -3 + 0.5 * np.sin(t)], (0, 4), [1.0, 0.0], until=lambda t, x: x[1] + 2 * x[0])
    x = arrival.y[0, -1] * math.exp(-2 * (4 - arrival.t[-1]))
    return [x, -2 * x]


@stranger(sliding_right)
def sliding_mode_controller(solve_ivp):
    def f(t, x):
        s = x[1] + 2 * x[0]
        u = -3 * np.sign(s)
        return [x[1], u + 0.5 * np.sin(t)]

    return solve_ivp(f, (0, 4), [1.0, 0.0], **TIGHT)


def anti_windup(t, y):
    gain, time_constant, setpoint = 2.0, 1.5, 1.0
    value, integral = y
    e = setpoint - value
    output = gain * e + integral
    rate = gain / time_constant * e
    if output > 1.2:
        output = 1.2
        rate = 0
    if output < 0:
        output = 0
        rate = 0
    return [(-value + output) / 1.0, rate]


@stranger(lambda: small_steps(anti_windup, 8, [0.0, 0.0], 2e-3), tolerance=1e-4)
def controller_that_saturates(solve_ivp):
    return solve_ivp(anti_windup, (0, 8), [0.0, 0.0], **TIGHT)


PLANT, INPUT = np.array([[0, 1.0], [-1, -0.2]]), np.array([0, 1.0])


def sampled_right():
    x, step = np.array([1.0, 0.0]), expm(PLANT * 0.1)
    for _ in range(50):
        u = np.clip(-2 * x[0] - x[1], -0.5, 0.5)
        x = step @ x + np.linalg.solve(PLANT, (step - np.eye(2)) @ INPUT) * u
    return x


@stranger(sampled_right)
def controller_in_a_loop_of_runs(solve_ivp):
    x, dt = np.array([1.0, 0.0]), 0.1
    for k in range(50):
        u = np.clip(-2 * x[0] - x[1], -0.5, 0.5)
        run = solve_ivp(lambda t, x, u: PLANT @ x + INPUT * u, (k * dt, (k + 1) * dt), x, args=(u,), t_eval=[(k + 1) * dt], **TIGHT)
        x = run.y[:, -1]
    return run


# ---- mechanics ----------------------------------------------------------------------------------------------------------------


def bounces_right():
    gravity = 9.81
    t = math.sqrt(2 / gravity)
    v = gravity * t
    while True:
        v *= 0.8
        if t + 2 * v / gravity > 1.6:
            break
        t += 2 * v / gravity
    d = 1.6 - t
    return [v * d - gravity * d * d / 2, v - gravity * d]


@stranger(bounces_right)
def ball_in_a_loop(solve_ivp):
    def f(t, y):
        return [y[1], -9.81]

    def hit(t, y):
        return y[0]

    hit.terminal, hit.direction = True, -1
    t, y = 0.0, [1.0, 0.0]
    while t < 1.6:
        run = solve_ivp(f, [t, 1.6], y, events=[hit], **TIGHT)
        t, y = run.t[-1], run.y[:, -1]
        if run.status == 1:
            y = [0.0, -0.8 * y[1]]
    return run


def with_penalty(t, y):
    force = -1e4 * y[0] - 5 * y[1] if y[0] < 0 else 0
    return [y[1], -9.81 + force]


@stranger(lambda: small_steps(with_penalty, 1.2, [1.0, 0.0], 2e-4), tolerance=2e-4)
def ball_on_a_stiff_floor(solve_ivp):
    return solve_ivp(with_penalty, (0, 1.2), [1.0, 0.0], **TIGHT)


def flight(t, s):
    vx, vy = s[2], s[3]
    v = np.hypot(vx, vy)
    return [vx, vy, -0.01 * v * vx, -9.81 - 0.01 * v * vy]


@stranger(lambda: smooth(flight, (0, 100), [0, 1e-9, 20, 20.0], until=lambda t, s: s[1] + 1e-12 * (t < 1)).y[:, -1])
def throw_with_drag(solve_ivp):
    def ground(t, s):
        return s[1]

    ground.terminal, ground.direction = True, -1
    return solve_ivp(flight, (0, 100), [0, 1e-9, 20, 20.0], events=ground, **TIGHT)


def with_stop(t, y):
    th, om = y
    if th >= 0.5 and om > 0:
        return [om, -500 * (th - 0.5) - 9.81 * np.sin(th)]
    return [om, -9.81 * np.sin(th) - (500 * (th - 0.5) if th > 0.5 else 0)]


@stranger(lambda: small_steps(with_stop, 2, [-0.8, 0.0], 1e-3), tolerance=1e-4)
def pendulum_with_a_stop(solve_ivp):
    return solve_ivp(with_stop, (0, 2), [-0.8, 0.0], **TIGHT)


def with_gears(t, y):
    v = y[1]
    gear = int(np.searchsorted(np.array([5.0, 12.0, 20.0]), v))
    return [v, np.array([4.0, 2.5, 1.6, 1.0])[gear] * 1.5 - 0.002 * v * v]


@stranger(lambda: small_steps(with_gears, 20, [0.0, 0.0], 4e-3), tolerance=1e-3)
def car_with_gears(solve_ivp):
    return solve_ivp(with_gears, (0, 20), [0, 0.0], **TIGHT)


def with_fuel(t, y):
    h, v, m = y
    thrust = 2000.0 if m > 50 else 0.0
    rate = -5.0 if m > 50 else 0.0
    drag = 0.05 * v * abs(v)
    return [v, (thrust - drag) / m - 9.81, rate]


def burnt_right():
    # All fuel is burnt at t = 10.

    def burning(t, y):
        return [y[1], (2000 - 0.05 * y[1] * abs(y[1])) / (100 - 5 * t) - 9.81]

    def burnt(t, y):
        return [y[1], -0.05 * y[1] * abs(y[1]) / 50 - 9.81]

    top = smooth(burning, (0, 10), [0.0, 0.0]).y[:, -1]
    return [*smooth(burnt, (10, 25), top).y[:, -1], 50.0]


@stranger(burnt_right)
def rocket_that_burns_out(solve_ivp):
    return solve_ivp(with_fuel, (0, 25), [0, 0, 100.0], **TIGHT)


# ---- circuits, signals, stores ------------------------------------------------------------------------------------------------


def pulses_right():
    k = 0.1
    return [sum(10 / k * (math.exp(-k * (10 - b)) - math.exp(-k * (10 - a))) for a, b in ((1, 1.05), (7, 7.1)))]


@stranger(pulses_right)
def source_with_two_pulses(solve_ivp):
    def source(t):
        if 1 < t < 1.05 or 7 < t < 7.1:
            return 10.0
        return 0.0

    return solve_ivp(lambda t, y: [source(t) - 0.1 * y[0]], (0, 10), [0.0], **TIGHT)


class Buck:
    def __init__(self, duty=0.5, fsw=1e3, Vs=10, R=0.01, L=1e-3, C=1e-3, Rl=10):
        self.__dict__.update(duty=duty, fsw=fsw)
        self.A = np.array([[-R / L, -1 / L], [1 / C, -1 / (C * Rl)]])
        self.B = np.array([Vs / L, 0])

    def rhs(self, t, x):
        period = 1 / self.fsw
        return self.A @ x + (self.B if 0 <= ((t / period) % 1) <= self.duty else np.zeros(2))


def buck_right():
    buck = Buck()
    x, rest, half = np.zeros(2), -np.linalg.solve(buck.A, buck.B), expm(buck.A * 5e-4)
    for _ in range(20):
        x = half @ (rest + half @ (x - rest))
    return x


@stranger(buck_right, tolerance=1e-4)
def converter_as_a_class(solve_ivp):
    return solve_ivp(Buck().rhs, (0, 0.02), [0, 0.0], **TIGHT)


def rectified(t, v):
    R, C, load = 1.0, 1e-2, 100.0
    source = 10 * np.sin(2 * np.pi * 50 * t)
    i = (source - v[0]) / R if source > v[0] else 0
    return [(i - v[0] / load) / C]


@stranger(lambda: small_steps(rectified, 0.1, [0.0], 5e-5))
def rectifier(solve_ivp):
    return solve_ivp(rectified, (0, 0.1), [0.0], **TIGHT)


def held(values, dt):
    z = 0.0
    for u in values:
        z = u + (z - u) * math.exp(-dt)
    return [z]


SAMPLES = np.random.default_rng(0).normal(size=50)
NOISE = np.random.default_rng(1).normal(size=1000)


@stranger(lambda: held(SAMPLES, 0.1))
def samples_that_are_held(solve_ivp):
    u, dt = SAMPLES, 0.1
    return solve_ivp(lambda t, y: [-y[0] + u[min(int(t // dt), len(u) - 1)]], (0, 5), [0.0], **TIGHT)


@stranger(lambda: held(NOISE, 0.01))
def noise_by_an_index(solve_ivp):
    w, fs = NOISE, 100
    return solve_ivp(lambda t, x: [-x[0] + w[int(t * fs) % len(w)]], (0, 10), [0.0], **TIGHT)


def table_right():
    z = 0.0
    for a, b, v in ((0, 3, 0), (3, 5, 2.0), (5, 9, -1.0), (9, 12, 0.5)):
        z = v + (z - v) * math.exp(-(b - a))
    return [z]


@stranger(table_right)
def table_of_steps(solve_ivp):
    level = scipy.interpolate.interp1d([0, 3, 5, 9], [0, 2.0, -1.0, 0.5], kind="previous", bounds_error=False, fill_value=(0, 0.5))
    return solve_ivp(lambda t, y: [-y[0] + float(level(t))], (0, 12), [0.0], **TIGHT)


def doses_right():
    z = 0.0
    for _ in range(6):
        z = 50 / 0.3 + (z - 50 / 0.3) * math.exp(-0.15)
        z *= math.exp(-0.3 * 7.5)
    return [z]


@stranger(doses_right)
def dose_every_eight_hours(solve_ivp):
    def f(t, y):
        dose = 50.0 if t % 8 < 0.5 else 0.0
        return [dose - 0.3 * y[0]]

    return solve_ivp(f, (0, 48), [0.0], method="LSODA", **TIGHT)


@stranger([0.0])
def tank_that_runs_dry(solve_ivp):
    def f(t, h):
        inflow = 1.0 if t < 2 else 0
        outflow = 0.5 * np.sqrt(h[0]) if h[0] > 0 else 0
        return [inflow - outflow]

    return solve_ivp(f, (0, 12), [0.0], **TIGHT)


# The sun of a day would bring 3/10·24/π = 2.29, and takes as much away in the night.
@stranger([0.2])
def battery_between_limits(solve_ivp):
    p = dict(cap=10.0, pmax=3.0)

    def power(t, p):
        return p["pmax"] * np.sin(2 * np.pi * t / 24)

    def f(t, y):
        charge = y[0]
        P = power(t, p)
        if P > 0 and charge >= 1:
            P = 0
        elif P < 0 and charge <= 0.2:
            P = 0
        return [P / p["cap"]]

    return solve_ivp(f, (0, 24), [0.5], max_step=np.inf, **TIGHT)


# ---- lives ----------------------------------------------------------------------------------------------------------------------


def spikes_right():
    # The first after 10 ln 2, then one every 10 ln(40/15).
    first, period = 10 * math.log(2), 10 * math.log(40 / 15)
    rest = (100 - first) % period
    return [-40 - 40 * math.exp(-rest / 10)]


@stranger(spikes_right)
def neuron_in_a_loop(solve_ivp):
    def lif(t, y, current):
        return [(-(y[0] + 70) + current) / 10]

    def spike(t, y, current):
        return y[0] + 55

    spike.terminal, spike.direction = True, 1
    t, y = 0.0, [-70.0]
    while t < 100:
        run = solve_ivp(lif, (t, 100), y, events=spike, args=(30.0,), **TIGHT)
        t, y = run.t[-1], run.y[:, -1]
        if run.status == 1:
            y = [-80.0]
    return run


@stranger(fate="warned")
def neuron_that_writes_into_its_state(solve_ivp):
    def lif(t, y):
        rate = (-(y[0] + 70) + 30) / 10
        if y[0] >= -55:
            y[0] = -80
        return [rate]

    return solve_ivp(lif, (0, 30), [-70.0], **TIGHT)


def lockdown_right():
    # At i = 0.1 the measures keep it there, with s' = −γ/10, as long as s is above γ/0.4.
    def spread(t, y):
        return [-0.4 * y[0] * y[1], 0.4 * y[0] * y[1] - 0.1 * y[1]]

    first = smooth(spread, (0, 60), [0.99, 0.01], until=lambda t, y: y[1] - 0.1)
    s = first.y[0, -1] - 0.01 * (60 - first.t[-1])
    assert s > 0.25
    return [s, 0.1, 0.9 - s]


@stranger(lockdown_right)
def epidemic_with_lockdown(solve_ivp):
    g = 0.1

    def sir(t, y):
        s, i, r = y
        beta = 0.05 if i > 0.1 else 0.4
        return [-beta * s * i, beta * s * i - g * i, g * i]

    return solve_ivp(sir, (0, 60), [0.99, 0.01, 0], **TIGHT)


# ---- functions that remember -----------------------------------------------------------------------------------------------------

HEATER = True


@stranger(fate="refused")
def thermostat_with_a_global(solve_ivp):
    def f(t, y):
        global HEATER
        if y[0] < 19:
            HEATER = True
        if y[0] > 21:
            HEATER = False
        return [-0.1 * (y[0] - 10) + (2 if HEATER else 0)]

    return solve_ivp(f, (0, 50), [20.0], **TIGHT)


@stranger(fate="refused")
def thermostat_as_an_object(solve_ivp):
    class Thermostat:
        on = False

        def __call__(self, t, y):
            self.on = y[0] < 19 or (self.on and y[0] < 21)
            return [-0.1 * (y[0] - 10) + 2 * self.on]

    return solve_ivp(Thermostat(), (0, 50), [20.0], **TIGHT)


@stranger(fate="refused")
def rate_by_differences(solve_ivp):
    last = [0.0, 0.0]

    def f(t, y):
        d = (y[0] - last[1]) / (t - last[0]) if t > last[0] else 0
        last[0] = t
        last[1] = y[0]
        return [y[1], -y[0] - 0.1 * d]

    return solve_ivp(f, (0, 5), [1.0, 0.0], **TIGHT)


# ---- from public threads ---------------------------------------------------------------------------------------------------------
# Each is a function of a thread, its run, and what is right; test_strangers.py writes them as a System, too.


def root_above(t, x):
    """scicomp.stackexchange.com/questions/29424: a rate with an infinite slope where it begins."""
    flow = (x[1] - x[3]) ** 0.5 if x[1] >= x[3] else 0
    return [x[1] - x[2], x[0] + x[3], flow, x[2] - x[0]]


def root_right():
    # In u = √(x2 − x4) the rate is smooth, as long as x2 > x4.
    def f(t, x):
        u = x[1]
        return [x[3] + u * u - x[2], (2 * x[0] + x[3] - x[2]) / (2 * u), u, x[2] - x[0]]

    end = smooth(f, (0, 2), [1.0, 1.0, 0.0, 0.5]).y[:, -1]
    return [end[0], end[3] + end[1] ** 2, end[2], end[3]]


ROOT_START = [1.0, 1.5, 0.0, 0.5]


def voltage(t, V):
    """ask.sagemath.org, on desolve_rk4 and a piecewise function: a source that is switched off at t = 5."""
    source = 3 if t < 5 else 0
    return [(source - V[0]) / (2.3 * 1.2)]


def voltage_right():
    return [3 * (1 - math.exp(-5 / 2.76)) * math.exp(-5 / 2.76)]


def drug(t, y):
    """A dose for half an hour twice a day, after E. Spitznagel, as a tutorial of ODEToolkit has it."""
    def pulse(t, width, period):
        return 1.0 if t % period < width else 0.0

    return [-5.6 * y[0] + 48 * pulse(t, 1 / 48, 1 / 2), 5.6 * y[0] - 0.7 * y[1]]


def drug_right():
    A, rest = np.array([[-5.6, 0], [5.6, -0.7]]), np.array([48 / 5.6, 48 / 0.7])
    y, dosed, free = np.zeros(2), expm(A / 48), expm(A * (0.5 - 1 / 48))
    for _ in range(10):
        y = free @ (rest + dosed @ (y - rest))
    return y


def predators(t, x):
    """github.com/scipy/scipy/issues/9355: two species by matrices of columns."""
    a, b, c, d = 0.1, 0.02, 3, 0.01
    A = np.array([[a, 0], [0, -c]])
    B = np.array([[x[0]], [x[1]]])
    C = np.array([[-b], [d]])
    return (np.dot(A, B) + C * (x[0] * x[1])).reshape(-1)


MEASURED = scipy.interpolate.interp1d(np.linspace(0, 10, 11), np.cos(np.linspace(0, 10, 11)))


def driven(t, y):
    """github.com/scipy/scipy/issues/9198: a method asks for values later than the end, where the data has none."""
    return [float(MEASURED(t)) - y[0]]


def driven_right():
    z = 0.0
    for k in range(10):
        a, b = math.cos(k), math.cos(k + 1) - math.cos(k)
        z = a + (z - a + b) * math.exp(-1)
    return [z]


THREADS = {
    "root_above": (root_above, (0, 2), ROOT_START, root_right, 1e-5),
    "voltage": (voltage, (0, 10), [0.0], voltage_right, 1e-6),
    "drug": (drug, (0, 5), [0.0, 0.0], drug_right, 1e-5),
    "predators": (predators, (0, 20), [40.0, 9.0], lambda: smooth(predators, (0, 20), [40.0, 9.0]).y[:, -1], 1e-4),
    "driven": (driven, (0, 10), [0.0], driven_right, 1e-6),
}
