"""Functions that are called stop where they jump, as traced ones do: at steps of the time and over states, crossing and sliding."""

import bisect
import functools
import math
import warnings

import numpy as np
import pytest
import scipy.integrate

import slideway
from slideway import solve_ivp

METHODS = ("auto", "RK45", "DOP853", "bdf", "adams", "rodas")


def called(fun, span, y0, rtol=1e-8, warned=False, **options):
    """A run of a function that is called."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = solve_ivp(fun, span, y0, trace=False, rtol=rtol, atol=options.pop("atol", 0.01 * rtol), **options)
    assert result.success, result.message
    assert not result.traced
    assert any(issubclass(w.category, slideway.UnknownJumpsWarning) for w in caught) == warned
    return result


def decaying(y, value, time):
    """The solution of y' = value − y."""
    return value + (y - value) * math.exp(-time)


def staircase(rate, levels, x, time):
    """x' = rate(cell) ≠ 0 of one sign, from x on, in closed form: the time that is left is spent cell by cell."""
    cell = bisect.bisect_right(levels, x)
    while True:
        speed = rate(cell)
        ahead = levels[cell] if speed > 0 else levels[cell - 1]
        need = (ahead - x) / speed
        if need >= time:
            return x + speed * time
        x, time, cell = ahead, time - need, cell + (1 if speed > 0 else -1)


# ---- steps of the time --------------------------------------------------------------------------------------------------

U = [math.sin(0.7 * k) for k in range(60)]
TABLE = np.array(U)
TICKS = 0.1 * np.arange(60)


def held(end, width=0.1, first=0.0):
    """y' = u(t) − y with u held over steps, from 0."""
    y, k, t = 0.0, 0, 0.0
    while t < end - 1e-12:
        following = min(end, first + width * (k + 1))
        y = decaying(y, U[k], following - t)
        t, k = following, k + 1
    return y


def pandas_like(t):
    return TABLE[TICKS <= t][-1]


HELD = {
    "int": lambda t, y: [U[int(t / 0.1)] - y[0]],
    "int of a product": lambda t, y: [TABLE[int(10 * t)] - y[0]],
    "a limit": lambda t, y: [U[min(int(t / 0.1), 59)] - y[0]],
    "floor": lambda t, y: [U[math.floor(t / 0.1)] - y[0]],
    "np.floor": lambda t, y: np.array([TABLE[int(np.floor(t / 0.1))] - y[0]]),
    "trunc": lambda t, y: [U[math.trunc(t / 0.1)] - y[0]],
    "whole division": lambda t, y: [U[int(t // 0.1)] - y[0]],
    "remainder": lambda t, y: [U[round((t - t % 0.1) / 0.1)] - y[0]],
    "divmod": lambda t, y: [U[int(divmod(t, 0.1)[0])] - y[0]],
    "float": lambda t, y: [U[int(float(t) / 0.1)] - float(y[0])],
    "np.float64": lambda t, y: [U[int(np.float64(t) * np.float64(10.0))] - y[0]],
    "searchsorted": lambda t, y: [TABLE[np.searchsorted(TICKS, t, side="right") - 1] - y[0]],
    "a method": lambda t, y: [TABLE[TICKS.searchsorted(t, side="right") - 1] - y[0]],
    "digitize": lambda t, y: [TABLE[np.digitize(t, TICKS) - 1] - y[0]],
    "bisect": lambda t, y: [U[bisect.bisect(TICKS, t) - 1] - y[0]],
    "a mask": lambda t, y: [pandas_like(t) - y[0]],
    "where": lambda t, y: [U[np.where(TICKS <= t)[0][-1]] - y[0]],
    "a count": lambda t, y: [U[int(np.sum(TICKS <= t)) - 1] - y[0]],
    "argmax": lambda t, y: [U[int(np.argmax(TICKS > t)) - 1] - y[0]],
    "nearest": lambda t, y: [U[np.argmin(np.abs(TICKS + 0.05 - t))] - y[0]],
    "nearest square": lambda t, y: [U[((TICKS + 0.05 - t) ** 2).argmin()] - y[0]],
}


@pytest.mark.parametrize("name", HELD)
def test_samples_are_held_for_their_time(name):
    if name == "a method":
        # An array's own method reads past the number, and that is told.
        called(HELD[name], (0, 0.5), [0.0], warned=True)
        return
    result = called(HELD[name], (0, 5.03), [0.0], rtol=1e-9)
    assert result.y[0, -1] == pytest.approx(held(5.03), abs=2e-9)
    assert "1 number that steps" in result.how or "2 numbers that step" in result.how


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("rtol", [1e-4, 1e-6, 1e-8, 1e-10])
def test_held_samples_are_as_exact_as_asked(method, rtol):
    result = called(HELD["int"], (0, 3.03), [0.0], rtol=rtol, method=method)
    assert abs(result.y[0, -1] - held(3.03)) < 20 * rtol


def test_a_run_may_begin_and_end_on_a_step():
    result = called(HELD["int"], (0, 4.0), [0.0], rtol=1e-9)
    assert result.y[0, -1] == pytest.approx(held(4.0), abs=2e-9)
    # The table ends where the run does.
    short = U[:40]
    result = called(lambda t, y: [short[int(t / 0.1)] - y[0]], (0, 4.0 - 1e-12), [0.0], rtol=1e-9)
    assert result.y[0, -1] == pytest.approx(held(4.0), abs=2e-9)


def test_runs_go_backward_through_steps():
    result = called(lambda t, y: [math.floor(2 * t)], (3.2, 0.1), [1.0])
    exact = sum(math.floor(2 * t) * w for t, w in [(3.1, 0.2)] + [(0.25 + 0.5 * k, 0.5) for k in range(1, 6)])
    assert result.y[0, -1] == pytest.approx(1.0 - exact, abs=1e-7)


def test_thousands_of_steps_are_like_two():
    result = called(lambda t, y: [1.0 if int(t / 0.001) % 2 == 0 else -0.5], (0, 5), [0.0])
    assert result.y[0, -1] == pytest.approx(0.25 * 5, abs=1e-7)


@pytest.mark.parametrize("duty", [0.25, 0.003])
def test_a_pulse_width_is_kept(duty):
    def pulsed(t, y):
        return [(1.0 if t % 0.5 < 0.5 * duty else 0.0) - y[0]]

    y = 0.0
    for _ in range(12):
        y = decaying(decaying(y, 1.0, 0.5 * duty), 0.0, 0.5 * (1 - duty))
    assert called(pulsed, (0, 6), [0.0], rtol=1e-9).y[0, -1] == pytest.approx(y, abs=5e-9)


def test_a_width_from_a_table_is_kept():
    widths = [0.1, 0.9, 0.4]

    def pulsed(t, y):
        k = int(t / 0.5)
        return [(1.0 if t - 0.5 * k < 0.5 * widths[k % 3] else 0.0) - y[0]]

    y = 0.0
    for k in range(12):
        y = decaying(decaying(y, 1.0, 0.5 * widths[k % 3]), 0.0, 0.5 * (1 - widths[k % 3]))
    assert called(pulsed, (0, 6), [0.0], rtol=1e-9).y[0, -1] == pytest.approx(y, abs=5e-9)


def test_a_loop_over_pulses_is_looked_through():
    starts = [0.5 * k + 0.1 for k in range(12)]

    def pulsed(t, y):
        u = 0.0
        for start in starts:
            if start > t:
                break
            if t < start + 0.05:
                u += 3.0
        return [u - y[0]]

    y, t = 0.0, 0.0
    for start in starts:
        y = decaying(decaying(y, 0.0, start - t), 3.0, 0.05)
        t = start + 0.05
    y = decaying(y, 0.0, 6.0 - t)
    assert called(pulsed, (0, 6), [0.0], rtol=1e-9).y[0, -1] == pytest.approx(y, abs=1e-8)


def test_knots_of_a_table_are_ends_of_steps():
    def driven(t, y):
        return [np.interp(t, TICKS, TABLE)]

    result = called(driven, (0, 5), [0.0], rtol=1e-9)
    trapezium = sum(0.1 * 0.5 * (U[k] + U[k + 1]) for k in range(50))
    assert result.y[0, -1] == pytest.approx(trapezium, abs=1e-10)


def test_a_set_point_from_a_clock_moves_the_surface_of_a_relay():
    def controlled(t, y):
        goal = 20.0 if 6 <= t % 24 < 22 else 16.0
        return [2.0 if y[0] < goal else -1.0]

    result = called(controlled, (0, 48), [18.0])
    # 16 is reached after 2, 20 two hours after 6, and 16 four hours after 22.
    at = [1.0, 4.0, 7.0, 8.5, 23.0, 27.0, 31.0, 47.0]
    exact = [17.0, 16.0, 18.0, 20.0, 19.0, 16.0, 18.0, 19.0]
    assert np.allclose(called(controlled, (0, 48), [18.0], t_eval=at).y[0], exact, atol=1e-7)
    assert sum(e.kind == "slide" or "slid" in e.kind for e in result.events) >= 3


def test_what_is_decided_late_is_found_on_the_way():
    def late(t, y):
        if int(t) == 7 and y[0] > 0.8:
            return [-5.0]
        return [0.1]

    # From t = 8 on it rises again; between 7 and 8 it is held at 0.8 where it comes to it.
    result = called(late, (0, 10), [0.15])
    assert result.y[0, -1] == pytest.approx(0.8 + 0.2, abs=1e-7)


# ---- steps over states --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("rtol", [1e-4, 1e-7, 1e-10])
def test_a_rounded_state_is_crossed_level_by_level(method, rtol):
    result = called(lambda t, y: [round(y[0] * 3) / 3 + 1], (0, 2), [0.0], rtol=rtol, method=method)
    levels = [(k + 0.5) / 3 for k in range(60)]
    exact = staircase(lambda cell: cell / 3 + 1, levels, 0.0, 2.0)
    assert abs(result.y[0, -1] - exact) < 100 * rtol * exact


STAIRS = {
    "floor": (lambda x: math.floor(2 * x), [0.5 * k for k in range(1, 60)]),
    "np.floor": (lambda x: np.floor(2 * x), [0.5 * k for k in range(1, 60)]),
    "ceil": (lambda x: math.ceil(2 * x) - 1, [0.5 * k for k in range(1, 60)]),
    "int": (lambda x: int(2 * x), [0.5 * k for k in range(1, 60)]),
    "whole division": (lambda x: x // 0.5, [0.5 * k for k in range(1, 60)]),
    "np.floor_divide": (lambda x: np.floor_divide(x, 0.5), [0.5 * k for k in range(1, 60)]),
    "np.trunc": (lambda x: np.trunc(2 * x), [0.5 * k for k in range(1, 60)]),
    "astype": (lambda x: (2 * np.array([x])).astype(int)[0], [0.5 * k for k in range(1, 60)]),
    "np.round": (lambda x: np.round(2 * x), [0.5 * k + 0.25 for k in range(60)]),
    "round to digits": (lambda x: 10 * round(x, 1), [0.1 * k + 0.05 for k in range(300)]),
    "np.rint": (lambda x: np.rint(2 * x), [0.5 * k + 0.25 for k in range(60)]),
    "searchsorted": (lambda x: float(np.searchsorted(TICKS[1:], x)), [0.1 * k for k in range(1, 60)] + [1e9]),
    "bisect": (lambda x: bisect.bisect_left([0.5, 1.0, 3.0], x), [0.5, 1.0, 3.0, 99.0]),
    "nearest": (lambda x: np.argmin(np.abs(np.array([0.0, 1.0, 3.0]) - x)), [0.5, 2.0, 99.0]),
    "comparisons": (lambda x: 0 if x < 0.5 else 1 if x < 1.5 else 2 if x < 1.7 else 3, [0.5, 1.5, 1.7, 99.0]),
}


@pytest.mark.parametrize("name", STAIRS)
def test_stairs_are_climbed_step_by_step(name):
    stair, levels = STAIRS[name]
    result = called(lambda t, y: [0.5 + 0.1 * stair(y[0])], (0, 4), [0.01])
    assert result.y[0, -1] == pytest.approx(staircase(lambda cell: 0.5 + 0.1 * cell, levels, 0.01, 4.0), abs=1e-7)


@pytest.mark.parametrize("name", [name for name in STAIRS if name not in ("bisect", "nearest", "comparisons")])
def test_stairs_are_slid_along(name):
    stair, levels = STAIRS[name]
    # The rate is positive below the third level, and negative above.
    result = called(lambda t, y: [2.4 - stair(y[0]), -y[0]], (0, 9), [0.01, 0.0])
    assert result.y[0, -1] == pytest.approx(levels[2], abs=1e-9)
    assert result.final.mode == "0"


def test_levels_are_crossed_downward_and_below_zero():
    # Cut off towards zero there is no level at zero itself: the cell there reaches from −1 to 1.
    result = called(lambda t, y: [-1.0 - 0.25 * abs(int(y[0]))], (0, 4), [2.3])
    x, time = 2.3, 4.0
    for end, speed in ((2.0, 1.5), (1.0, 1.25), (-1.0, 1.0), (-2.0, 1.25)):
        time, x = time - (x - end) / speed, end
    assert result.y[0, -1] == pytest.approx(x - 1.5 * time, abs=1e-7)
    assert -3.0 < x - 1.5 * time


def test_a_state_may_begin_on_a_level():
    assert called(lambda t, y: [math.floor(y[0]) + 0.5], (0, 1), [2.0]).y[0, -1] == pytest.approx(staircase(
        lambda cell: cell + 0.5, [float(k) for k in range(9)][1:], 2.0, 1.0), abs=1e-7)
    # Both sides lead to it.
    result = called(lambda t, y: [1.5 - math.floor(y[0])], (0, 1), [2.0])
    assert result.y[0, -1] == pytest.approx(2.0, abs=1e-12)


def test_hundreds_of_levels_of_a_state_are_like_two():
    result = called(lambda t, y: [1.0 if math.floor(200 * y[0]) % 2 == 0 else 0.5], (0, 1), [0.0])
    assert result.y[0, -1] == pytest.approx(staircase(lambda cell: 1.0 if cell % 2 == 0 else 0.5, [k / 200 for k in range(1, 400)], 0.0, 1.0), abs=1e-7)


def test_quantised_numbers_of_two_states_are_watched_apart():
    def oscillator(t, y):
        return [y[1], -math.floor(y[0] + y[1] + 0.5) - 0.3 * round(y[1])]

    own = called(oscillator, (0, 6), [1.3, 0.2], rtol=1e-10).y[:, -1]
    traced = solve_ivp(oscillator, (0, 6), [1.3, 0.2], rtol=1e-10, atol=1e-12, trace=True).y[:, -1]
    assert np.allclose(own, traced, atol=1e-7)


def by_restarts(field, key, start, end, y0, rtol=1e-11):
    """scipy with a restart at every change of key(t, y), which field(t, y, k) has as its last argument: crossings alone."""
    t, y, k = start, np.array(y0, dtype=float), key(start, y0)

    def distance(t, y):
        lower, upper = k
        return min(y[0] - lower, upper - y[0])

    distance.terminal = True
    while t < end - 1e-13:
        distance.direction = -1
        part = scipy.integrate.solve_ivp(lambda s, x: field(s, x, k), (t, end), y, method="DOP853", rtol=rtol, atol=1e-12, events=distance, max_step=0.05)
        t, y = part.t[-1], part.y[:, -1]
        if part.status == 1:
            rises = field(t, y, k)[0] > 0
            k = key(t, y + (1e-9 if rises else -1e-9))
    return y


def test_a_quantised_spring_is_that_of_scipy_with_restarts_by_hand():
    def spring(t, y):
        return [y[1], -np.round(4 * y[0]) / 4 - 0.1 * y[1] + 0.3 * math.cos(t)]

    def cell(t, y):
        k = round(4 * y[0])
        return ((k - 0.5) / 4, (k + 0.5) / 4)

    exact = by_restarts(lambda t, y, k: [y[1], -2 * (k[0] + k[1]) / 4 - 0.1 * y[1] + 0.3 * math.cos(t)], cell, 0.0, 8.0, [1.0, 0.0])
    for rtol in (1e-5, 1e-8):
        assert np.allclose(called(spring, (0, 8), [1.0, 0.0], rtol=rtol).y[:, -1], exact, atol=300 * rtol)


def test_the_coldest_room_is_heated():
    def rooms(t, y):
        heat = np.zeros(3)
        heat[np.argmin(y)] = 3.0
        return heat - 0.5 * np.array([1.0, 0.9, 0.8]) * y

    def by_comparisons(t, y):
        best = 0
        for k in range(1, 3):
            if y[k] < y[best]:
                best = k
        return [(3.0 if k == best else 0.0) - 0.5 * (1.0, 0.9, 0.8)[k] * y[k] for k in range(3)]

    # Once all three slide along one another their mean has y' = 1 − 0.45·y.
    for fun in (rooms, by_comparisons):
        result = called(fun, (0, 12), [0.2, 0.5, 1.0], rtol=1e-9)
        assert np.ptp(result.y[:, -1]) < 1e-9
        entry = max(e.t for e in result.events)
        at = result.y[0, np.searchsorted(result.t, entry)]
        assert result.y[0, -1] == pytest.approx(1 / 0.45 + (at - 1 / 0.45) * math.exp(-0.45 * (12 - entry)), abs=1e-8)


# ---- beside what cannot be traced ---------------------------------------------------------------------------------------


def test_jumps_beside_an_integral_are_found_without_a_warning():
    def fun(t, y):
        return [scipy.integrate.quad(lambda s: 2 * s, 0, y[1])[0] * (1 if round(2 * t) % 2 == 0 else -1), 0.0]

    with warnings.catch_warnings():
        warnings.simplefilter("error", slideway.UnknownJumpsWarning)
        result = solve_ivp(fun, (0, 3.1), [0.0, 1.0], rtol=1e-8)
    assert not result.traced
    # +1 until 0.25, then −1 and +1 for 0.5 each: 0.25 − 0.5 + 0.5 − 0.5 + 0.5 − 0.5 and the rest from 2.75 on.
    assert result.y[0, -1] == pytest.approx(-0.25 + 0.35, abs=1e-8)


def test_methods_closures_partials_and_buffers_are_looked_into():
    class Plant:
        def __init__(self):
            self.calls = 0

        def level(self, x):
            return math.floor(float(x) / 0.5)

        def rhs(self, t, y):
            self.calls += 1
            return [0.5 + 0.2 * self.level(y[0])]

    exact = staircase(lambda cell: 0.5 + 0.2 * cell, [0.5 * k for k in range(1, 99)], 0.1, 5.0)
    plant = Plant()
    assert called(plant.rhs, (0, 5), [0.1]).y[0, -1] == pytest.approx(exact, abs=1e-7)
    assert plant.calls > 0
    buffer = np.zeros(1)

    def filled(width, t, y):
        buffer[0] = 0.5 + 0.2 * math.floor(y[0] / width)
        return buffer

    assert called(functools.partial(filled, 0.5), (0, 5), [0.1]).y[0, -1] == pytest.approx(exact, abs=1e-7)


def test_what_reads_past_the_numbers_is_warned_of():
    import ctypes

    floor = ctypes.CDLL(None).floor
    floor.restype, floor.argtypes = ctypes.c_double, [ctypes.c_double]
    called(lambda t, y: [floor(2 * y[0]) - y[0] + 0.3], (0, 1), [0.2], warned=True)
    called(lambda t, y: [float(memoryview(np.array([y[0]], dtype=float))[0] > 0.7) + 0.1], (0, 1), [0.2], warned=True)


def test_events_and_tolerances_are_those_of_the_states():
    def level(t, y):
        assert y.shape == (2,)
        return y[0] - 1.5

    level.terminal = True
    result = called(lambda t, y: [round(3 * y[0]) / 3 + 1, -y[1] + int(t)], (0, 5), [0.0, 1.0], events=level, atol=[1e-10, 1e-9])
    assert result.y.shape[0] == 2 and result.status == 1
    assert result.t[-1] == pytest.approx(1 / 6 + 0.25 + 0.2 + 1 / 6 + 1 / 7, abs=1e-7)
    assert len(result.final.state) == 2


def test_results_of_steps_are_saved_and_drawn(tmp_path):
    result = called(HELD["int"], (0, 1), [0.0], dense_output=True)
    result.save(str(tmp_path / "run.npz"))
    kept = slideway.Result.load(str(tmp_path / "run.npz"))
    assert kept.y.shape == result.y.shape
    assert result.sol(0.55).shape == (1,)
    assert result.audit.passed
