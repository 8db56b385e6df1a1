"""Whole scripts in the forms that people publish: what each does with solve_ivp, and what is right.

A script takes solve_ivp as its argument, so that scipy's and slideway's run the same code; it returns the numbers that it is after.
"""

import math
from typing import Any, Callable, Dict, NamedTuple

import numpy as np


class Script(NamedTuple):
    """A script, its numbers, how far they may be off, and its fate: traced, refused, or warned of."""

    text: str
    fate: str
    run: Callable[[Any], Any]
    right: Any
    tolerance: float


SCRIPTS: Dict[str, Script] = {}


def script(text, fate="traced", right=None, tolerance=1e-4):
    def register(run):
        SCRIPTS[run.__name__] = Script(text, fate, run, right, tolerance)
        return run

    return register


@script("a gradient that is zero between two times", right=[1.0])
def switches(solve_ivp):
    def ode(t, y):
        first = 0 if t < 3 else 1
        second = 0 if t < 4 else 1
        return [first - second]

    return solve_ivp(ode, [0, 6], [0], method="LSODA", t_eval=np.linspace(0, 6, 100)).y[:, -1]


def two_pulses_right():
    one = (1 - math.exp(-0.01)) / 0.1
    return [one * (math.exp(-0.1 * 98.9) + math.exp(-0.1 * 49.9))]


@script("two short pulses of a source, far apart", right=two_pulses_right(), tolerance=2e-6)
def two_pulses(solve_ivp):
    def source(t):
        return 1.0 if 1 < t < 1.1 or 50 < t < 50.1 else 0.0

    return solve_ivp(lambda t, y: [source(t) - 0.1 * y[0]], (0, 100), [0.0], method="BDF", rtol=1e-6, atol=1e-10).y[:, -1]


DUTY, PERIOD = 0.4, 1e-3
BUCK_ON = np.array([[-2000.0, 0, -1000], [0, -100, 1000], [1000, -1000, -10]])
BUCK_OFF = np.array([[-2000.0, 0, 0], [0, -100, 1000], [0, -1000, -10]])


def buck_right():
    from scipy.linalg import expm

    def step(matrix, u, h):
        whole = np.zeros((4, 4))
        whole[:3, :3], whole[:3, 3] = matrix, [20000.0, 0, 0]
        return (expm(whole * h) @ np.append(u, 1.0))[:3]

    u = np.zeros(3)
    for _ in range(20):
        u = step(BUCK_OFF, step(BUCK_ON, u, DUTY * PERIOD), (1 - DUTY) * PERIOD)
    return u


@script("a converter whose matrices switch by `(t/T) % 1 <= duty`", right=buck_right(), tolerance=1e-5)
def buck(solve_ivp):
    def f(t, u):
        if 0 <= ((t / PERIOD) % 1) <= DUTY:
            matrix = BUCK_ON
        else:
            matrix = BUCK_OFF
        return matrix.dot(u) + np.array([20000.0, 0, 0])

    return solve_ivp(f, (0, 20 * PERIOD), [0, 0, 0], rtol=1e-8, atol=1e-8).y[:, -1]


@script("a block on a spring with dry friction, which comes to rest", right=[0.0, 0.0])
def block(solve_ivp):
    m, k, mu, g = 2.0, 2.0, 0.25 / 9.81, 9.81

    def equations(t, state):
        x, v = state
        friction = -mu * m * g * np.sign(v)
        return [v, (-k * x + friction) / m]

    # Half waves from 1.5 to -1, to 0.5, to 0: there the spring is too weak.
    return solve_ivp(equations, (0, 20), [1.5, 0.0], max_step=0.1, rtol=1e-8, atol=1e-10).y[:, -1]


def ball_right():
    fall = math.sqrt(2 * 10 / 9.81)
    return [fall * (1 + 2 * sum(0.85**j for j in range(1, k + 1))) for k in range(5)]


@script("a ball by a loop of runs that a terminal event ends", right=ball_right())
def ball(solve_ivp):
    def rhs(t, y):
        return [y[1], -9.81]

    def hit(t, y):
        return y[0]

    hit.terminal, hit.direction = True, -1
    t, y, hits = 0.0, [10.0, 0.0], []
    for _ in range(5):
        run = solve_ivp(rhs, (t, t + 20), y, events=hit, max_step=0.1, rtol=1e-8)
        t, y = run.t_events[0][0], run.y_events[0][0].copy()
        y = [0.0, -0.85 * y[1]]
        hits.append(t)
    return hits


@script("an event function that turns the velocity in y itself", fate="warned")
def ball_in_the_event(solve_ivp):
    def derivatives(t, variables, g=9.82):
        return variables[2], variables[3], 0, -g

    def bounce(t, y, g=9.82):
        if y[1] <= 0:
            y[3] = -0.9 * y[3]
        return y[1]

    return solve_ivp(derivatives, [0, 7], np.array([0, 10, 1, 0]), max_step=0.1, events=bounce).y[:, -1]


@script("a polynomial whose zeros are events between long steps", right=[-6.0, -2.0, 2.0], tolerance=1e-8)
def cubic(solve_ivp):
    return solve_ivp(lambda x, y: 3 * x**2 + 12 * x - 4, (-8, 4), np.array([-120.0]), events=[lambda x, y: y[0]], dense_output=True,
                     max_step=0.5).t_events[0]


@script("a thermostat with a global flag", fate="refused")
def thermostat(solve_ivp):
    scope: Dict[str, Any] = {}
    exec("heater = True\n"
         "def room(t, T):\n"
         "    global heater\n"
         "    if T[0] < 19: heater = True\n"
         "    if T[0] > 21: heater = False\n"
         "    return [-0.1*(T[0] - 10) + (2 if heater else 0)]\n", scope)
    return solve_ivp(scope["room"], (0, 30), [20.0]).y[:, -1]


@script("a diode whose phase is a nonlocal variable", fate="refused")
def diode(solve_ivp):
    conducts = 0

    def circuit(t, z):
        nonlocal conducts
        if (conducts == 0 and z[1] > 0.7) or (conducts == 1 and z[0] > 0):
            conducts = 1
            return [1 - z[0], -z[1]]
        conducts = 0
        return [z[1], -z[0]]

    return solve_ivp(circuit, (0, 10), [1.0, 0.0]).y[:, -1]


@script("an event that ends a run after a time of the clock", fate="refused")
def clock(solve_ivp):
    import time

    start = time.time()

    def too_long(t, y):
        return time.time() - start - 60

    too_long.terminal = True
    return solve_ivp(lambda t, y: [-y[0]], (0, 3), [1.0], events=too_long).y[:, -1]


@script("a dose at one instant, by `math.isclose(t, 4)`", right=[500 * math.exp(-20)], tolerance=1e-6)
def dose(solve_ivp):
    def dy(t, y):
        if math.isclose(t, 4):
            return 500 - 2 * y
        return -2 * y

    return solve_ivp(dy, (0, 10), [500.0], rtol=1e-8, atol=1e-10).y[:, -1]


def infusion_right():
    y = 0.0
    for u in (0, 2, 2, 0, 0, 5, 0, 1, 0, 0):
        y = u / 0.5 + (y - u / 0.5) * math.exp(-0.5)
    return [y]


@script("an infusion by the hour, `rate[int(t)]`", right=infusion_right(), tolerance=1e-6)
def infusion(solve_ivp):
    rate = [0, 2, 2, 0, 0, 5, 0, 1, 0, 0]

    def f(t, y):
        return [rate[min(int(t), len(rate) - 1)] - 0.5 * y[0]]

    return solve_ivp(f, (0, 10), [0.0], rtol=1e-8, atol=1e-10).y[:, -1]


@script("a step by `np.piecewise`", right=[1 - math.exp(-4)], tolerance=1e-6)
def piecewise(solve_ivp):
    return solve_ivp(lambda t, y: [np.piecewise(t, [t < 1, t >= 1], [0, 1]) - y[0]], (0, 5), [0.0], rtol=1e-8, atol=1e-10).y[:, -1]


@script("a controller with a class and a log, which slides", right=[math.sin(10), math.cos(10)], tolerance=1e-5)
def controller(solve_ivp):
    class Controller:
        def __init__(self):
            self.slope, self.gain, self.log = 2.0, 3.0, []

        def u(self, t, e, de):
            s = de + self.slope * e
            u = -self.gain * np.sign(s)
            self.log.append((t, u))
            return u

        def rhs(self, t, x):
            e, de = x[0] - np.sin(t), x[1] - np.cos(t)
            return np.array([x[1], self.u(t, e, de) + 0.5 * np.sin(3 * t)])

    return solve_ivp(Controller().rhs, (0, 10), [1.0, 0.0], rtol=1e-7, atol=1e-9, max_step=0.1).y[:, -1]


@script("a tank that empties, `if h <= 0: return 0`", right=[0.0], tolerance=1e-4)
def tank(solve_ivp):
    def level(t, h):
        if h[0] <= 0:
            return [0.0]
        return [-0.5 * math.sqrt(h[0])]

    return solve_ivp(level, (0, 6), [1.0], rtol=1e-8, atol=1e-10).y[:, -1]  # at t = 4


def battery_right():
    # Full at the time at which 0.4 + ∫ 0.3 sin = 1, that is cos t = −1; from t = π on it is emptied by the same sine up to 5.
    return [0.4 + 0.3 * 2 + 0.3 * (math.cos(math.pi) - math.cos(5.0))]


@script("a battery that is neither overfilled nor emptied beyond nothing", right=battery_right(), tolerance=1e-6)
def battery(solve_ivp):
    def charge(t, y):
        power = 0.3 * np.sin(t)
        if (y[0] >= 1 and power > 0) or (y[0] <= 0 and power < 0):
            return [0.0]
        return [power]

    return solve_ivp(charge, (0, 5), [0.4], rtol=1e-9, atol=1e-11).y[:, -1]


@script("an epidemic with measures above a threshold, which it then keeps", right=[0.1], tolerance=1e-6)
def epidemic(solve_ivp):
    def sir(t, y, gamma):
        S, I, R = y
        beta = 0.1 if I > 0.1 else 0.6
        infections = beta * S * I
        return infections * np.array([-1, 1, 0]) + gamma * I * np.array([0, -1, 1])

    return solve_ivp(sir, (0, 30), [0.99, 0.01, 0.0], args=(0.2,), rtol=1e-8, atol=1e-10, max_step=0.5).y[1, -1:]


@script("the fastest way to the origin, `-sign(x + v*abs(v)/2)`", right=[0.0, 0.0], tolerance=1e-3)
def fastest(solve_ivp):
    def f(t, z):
        x, v = z
        return [v, -np.sign(x + v * abs(v) / 2)]

    return solve_ivp(f, (0, 3), [1.0, 0.0], rtol=1e-8, atol=1e-10, max_step=0.1).y[:, -1]


@script("a neuron that is reset in the right-hand side, by writing into y", fate="warned")
def neuron(solve_ivp):
    def izhikevich(t, y):
        if y[0] >= 30:
            y[0] = -65.0
            y[1] = y[1] + 8
        v, u = y
        return [0.04 * v**2 + 5 * v + 140 - u + 10, 0.02 * (0.2 * v - u)]

    return solve_ivp(izhikevich, (0, 20), [-65.0, -14.0], max_step=0.5).y[:, -1]


def rocket_right():
    speed = 3000 * math.log(1000 / 400) - 9.81 * 120
    return [speed]


@script("a rocket whose thrust and mass change when its fuel is burnt", right=rocket_right(), tolerance=0.02)
def rocket(solve_ivp):
    burn, flow, exhaust, full = 60.0, 10.0, 3000.0, 1000.0

    def mass(t):
        return full - flow * t if t <= burn else full - flow * burn

    def f(t, y):
        thrust = flow * exhaust if t <= burn else 0.0
        return [y[1], thrust / mass(t) - 9.81]

    return solve_ivp(f, (0, 120), [0.0, 0.0], rtol=1e-8).y[1:, -1]


@script("growth in measured temperatures with harvest above a level", right=[0.8], tolerance=1e-6)
def harvest(solve_ivp):
    times = np.arange(0, 50, 1.0)
    temperatures = 20 + 5 * np.sin(times / 5)

    def f(t, n):
        temperature = np.interp(t, times, temperatures)
        harvested = 0.3 if n[0] > 0.8 else 0
        return 0.5 * n * (1 - n) - harvested * n + 0.01 * (temperature - 20)

    return solve_ivp(f, (0, 49), [0.1], rtol=1e-6, max_step=1.0).y[:, -1]
