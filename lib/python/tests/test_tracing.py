"""Functions as users write them become expressions with the same values."""

import functools
import math
import warnings

import numpy as np
import pytest
import scipy.integrate
import scipy.linalg
import scipy.optimize
from math import cos, pi
from numpy import sin

import slideway
from slideway import solve_ivp

A = np.array([[0.0, 1.0], [-2.0, -0.3]])
MU = 0.4


def sign_by_branches(v):
    if v > 0:
        return 1
    elif v < 0:
        return -1
    return 0


def unpacked(t, y):
    x, v = y
    return [v, -x - MU * np.sign(v) + math.cos(0.5 * t)]


def by_index(t, y):
    return y[1], -y[0] - 0.1 * y[1] ** 3


def helper(t, y):
    return [y[1], -y[0] - MU * sign_by_branches(y[1]) + cos(0.5 * t)]


def filled(t, y):
    dydt = np.zeros(2)
    dydt[0] = y[1]
    dydt[1] = -y[0] + sin(t)
    return dydt


def filled_like(t, y):
    dydt = np.empty_like(y)
    dydt[:] = A @ y
    dydt[1] += max(0.0, y[0] - 0.5)
    return dydt


def matrix(t, y):
    return A.dot(y) + np.array([0, 1.0]) * np.where(t % 1 > 2, 1, 0) if False else A @ y


def where(t, y):
    return np.array([y[1], np.where(y[0] > 0.3, -4 * y[0], -y[0])])


def mask_in_arithmetic(t, y):
    return [y[1], -y[0] - 10 * (y[0] > 0.5) * (y[0] - 0.5)]


def logical(t, y):
    force = np.where((y[0] > 0) & (y[1] < 0), 1.0, 0.2)
    if y[0] > 1 or (y[1] > 0 and not y[0] < -1):
        force = force + 1
    return [y[1], -y[0] + force]


def chained(t, y):
    f = 1.0 if -0.5 < y[0] < 0.5 else -0.3
    return [y[1], -y[0] * f]


def clipped(t, y):
    u = np.clip(-3 * y[0] - y[1], -1, 1)
    return [y[1], u]


def builtin_extrema(t, y):
    return [y[1], min(1.0, max(-1.0, -3 * y[0] - y[1]))]


def loops(t, y):
    s = 0
    for k in range(1, 6):
        s += sin(k * t) / k
    total = sum(y[i] ** 2 for i in range(2))
    return [y[1], s - total * y[0]]


def interpolated(t, y):
    return [y[1], -np.interp(y[0], [-1.0, 0.0, 0.5, 2.0], [-2.0, 0.0, 0.2, 3.0])]


def norms(t, y):
    r = np.linalg.norm(y)
    return -y * (r - 1) + np.array([y[1], -y[0]])


def closures(t, y):
    def damping(v):
        return 0.2 * abs(v) * v

    return [y[1], -y[0] - damping(y[1])]


def many_functions(t, y):
    a, b = y
    return [np.tanh(a) + np.arctan2(b, 2 + np.cos(a)) + np.exp(-(a**2)) + np.log1p(a * a) + np.hypot(a, b),
            np.sqrt(1 + a * a) * np.sinh(0.1 * b) - np.cosh(0.1 * a) + np.arcsin(0.1 * np.sin(b)) + 2**b + b**2.5
            if False else np.sqrt(1 + a * a) + abs(b) ** 1.5 + 2**(0.1 * b) + np.heaviside(a, 0.5) + np.arctan(b)]


def mathy(t, y):
    from math import exp, tanh, hypot, fabs
    return [tanh(y[0]) + hypot(y[0], y[1]), exp(-fabs(y[1])) * math.atan2(y[1], 3.0) - math.pi * pi]


def types_asked(t, y):
    x = float(y[0])
    v = float(y[1])
    return np.array([v, -x], dtype=float)


def stacked(t, y):
    z = np.hstack((0.0, y, y[-1]))
    d = np.diff(z)
    return [d[0] + np.concatenate([y, y])[3], np.mean(y) - z.sum() + np.dot(y, y) + np.prod(y)]


class Plant:
    def __init__(self, gain):
        self.gain = gain

    def law(self, y):
        return -self.gain * np.sign(y[0] + y[1])

    def rhs(self, t, y):
        return [y[1], self.law(y)]

    def __call__(self, t, y):
        return self.rhs(t, y)


def with_argument(t, y, k):
    return [y[1], -k * y[0] * abs(y[0])]


ALL = [unpacked, by_index, helper, filled, filled_like, matrix, where, mask_in_arithmetic, logical, chained, clipped,
       builtin_extrema, loops, interpolated, norms, closures, many_functions, mathy, types_asked, stacked, Plant(2.0).rhs,
       Plant(2.0), functools.partial(with_argument, k=3.0), lambda t, y: np.array([y[1], -y[0] * (1 if y[0] > 0 else 2)])]


@pytest.mark.parametrize("function", ALL, ids=lambda f: getattr(f, "__name__", type(f).__name__))
def test_traces_with_the_same_values(function):
    result = solve_ivp(function, (0, 1), [0.31, -0.22], trace=True)
    assert result.traced
    rng = np.random.default_rng(3)
    for _ in range(30):
        t, y = rng.uniform(0, 3), rng.uniform(-2, 2, 2)
        expected = np.asarray(function(t, y.copy()), dtype=float)
        assert np.allclose(result._model.field(t, y), expected, rtol=1e-12, atol=1e-13)


def test_branches_become_surfaces_that_have_their_names_from_the_text():
    result = solve_ivp(helper, (0, 20), [2.0, 0.0])
    assert result.surface_names == ["y1"]
    named = solve_ivp(unpacked, (0, 20), [2.0, 0.0])
    assert named.surface_names == ["v"]
    assert named.state_names == ["x", "v"]
    assert [e.kind for e in result.events] == [e.kind for e in named.events]
    assert np.allclose(result.y[:, -1], named.y[:, -1], atol=1e-9)


def test_a_condition_that_is_known_from_another_is_not_explored():
    count = 0

    def nested(t, y):
        nonlocal count
        count += 1
        if y[0] > 1:
            if y[0] > 0:
                return [-1.0]
            return [5.0]
        return [1.0]

    result = solve_ivp(nested, (0, 3), [0.0], trace=True)
    assert count < 10
    assert result.surface_names == ["y0 - 1"]
    assert result.y[0, -1] == pytest.approx(1.0, abs=1e-12)


def test_vectorized_functions_and_many_states():
    n = 40

    def chain(t, y):
        x, v = y[:n], y[n:]
        left = np.concatenate(([0.0 * t], x[:-1]))
        right = np.concatenate((x[1:], [0.0 * t]))
        return np.concatenate((v, left - 2 * x + right - 0.2 * np.sign(v - 0.1)))

    y0 = np.concatenate((np.linspace(0, 0.5, n), np.zeros(n)))
    result = solve_ivp(chain, (0, 1), y0, trace=True)
    assert len(result.surface_names) == n
    assert result.success

    result = solve_ivp(lambda t, y: np.vstack((y[1], -y[0])), (0, 1), [1.0, 0.0], vectorized=True, trace=True, rtol=1e-9)
    assert result.y[0, -1] == pytest.approx(math.cos(1), abs=1e-7)


def test_a_function_of_a_hundred_lines():
    lines = ["def long(t, y):", "    x, v, i = y", "    u = 0.0"]
    for k in range(6):
        lines += [f"    if x + 0.1*v > {0.2 * k - 0.55}:", f"        u = u + {0.1 * (k + 1)}", "    else:",
                  f"        u = u - {0.1 * (k + 1)}"]
    for k in range(24):
        lines += [f"    a{k} = np.sin({k}*t)*x + v*{k / 10}", f"    u = u + 0.01*a{k}", "    w = u*0.5"]
    lines += ["    return [v, -x + 0.1*w - 0.2*v + i, (u - i)*2]"]
    assert len(lines) >= 100
    scope = {"np": np}
    exec("\n".join(lines), scope)
    result = solve_ivp(scope["long"], (0, 5), [0.3, 0.1, 0.0], trace=True)
    assert len(result.surface_names) == 6
    assert result.success


@pytest.mark.parametrize("function, reason", [
    (lambda t, y: [math.gamma(2 + y[0] ** 2)], "gamma"),
    (lambda t, y: [np.percentile(np.append(y, [0.2, 0.5]), 30)], "percentile"),
    (lambda t, y: [np.linalg.eigvalsh(np.outer(y, y) + np.eye(1))[0]], "linalg"),
])
def test_what_cannot_be_traced_says_why(function, reason):
    with pytest.raises(slideway.Untraceable, match=reason):
        solve_ivp(function, (0, 0.1), [0.3], trace=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", slideway.UnknownJumpsWarning)
        result = solve_ivp(function, (0, 0.1), [0.3], max_steps=2000)
    assert not result.traced
    assert reason in result.how


def test_loops_whose_length_depends_on_the_state_are_called():
    def newton(t, y):
        r = 1.0
        while abs(r * r - (2 + y[0])) > 1e-10:
            r = 0.5 * (r + (2 + y[0]) / r)
        return [-r]

    with pytest.warns(slideway.UnknownJumpsWarning, match="newton"):
        result = solve_ivp(newton, (0, 1), [1.0], rtol=1e-8)
    assert not result.traced
    assert any("surfaces=" in line for line in result.warnings)
    # y' = -sqrt(2 + y)
    assert result.y[0, -1] == pytest.approx((math.sqrt(3) - 0.5) ** 2 - 2, abs=1e-6)


def same_side(t, y):
    return [y[1], 1.0 if np.sign(y[0]) == np.sign(y[1]) else -0.5]


def sign_as_flag(t, y):
    return [y[1], -1.0 if np.sign(y[0]) >= 1 else 0.5 if not np.sign(y[1]) < 0 else 2.0]


def saturated(t, y):
    u = np.clip(-3 * y[0] - y[1], -1, 1)
    return [u if abs(u) < 1 else 0.0, y[0]]


def overflowing(t, y):
    flow = max(y[0] - 0.5, 0.0)
    return [1.0 if flow > 0 else -y[0], flow]


@pytest.mark.parametrize("function", [same_side, sign_as_flag, saturated, overflowing], ids=lambda f: f.__name__)
def test_what_is_equal_on_a_whole_side_is_compared_as_it_is(function):
    test_traces_with_the_same_values(function)


def test_a_loop_over_many_blocks_takes_few_runs():
    n = 60
    calls = 0

    def blocks(t, y):
        nonlocal calls
        calls += 1
        x, v = y[:n], y[n:]
        a = np.zeros(n)
        for i in range(n):
            left = x[i - 1] if i > 0 else 0.0
            right = x[i + 1] if i < n - 1 else 0.0
            a[i] = left - 2 * x[i] + right
            if v[i] > 0.1:
                if x[i] > 0:
                    a[i] -= 0.3
                else:
                    a[i] -= 0.2
            else:
                a[i] += 0.3
        return np.concatenate((v, a))

    y0 = np.concatenate((np.linspace(-0.5, 0.5, n), np.zeros(n)))
    result = solve_ivp(blocks, (0, 1), y0, trace=True)
    assert len(result.surface_names) == 2 * n
    assert calls < 1000
    rng = np.random.default_rng(5)
    for _ in range(10):
        y = rng.uniform(-1, 1, 2 * n)
        assert np.allclose(result._model.field(0.1, y), blocks(0.1, y), rtol=1e-13, atol=1e-14)


def test_branches_that_act_together_only_are_not_taken_for_separable():
    def together(t, y):
        count = 0
        for k in range(9):
            if y[k] > 0:
                count += 1
        alarm = 1.0 if count >= 2 else 0.0
        return [alarm - y[k] for k in range(9)]

    result = solve_ivp(together, (0, 1), np.linspace(-1, 1, 9) + 0.03)
    rng = np.random.default_rng(5)
    if result.traced:
        for _ in range(20):
            y = rng.uniform(-1, 1, 9)
            assert np.allclose(result._model.field(0.1, y), together(0.1, y))


PULSES = {
    "remainder": lambda t, y: [1.0 if t % 0.7 < 0.2 else -0.3],
    "floor": lambda t, y: [math.floor(2 * t) * 0.1 - y[0] * (np.floor(t) + 1)],
    "square wave": lambda t, y: [1.0 if int(t) % 2 == 0 else -1.0],
    "quotient": lambda t, y: [(t // 0.5) * 0.1],
    "sawtooth": lambda t, y: [np.mod(3.0 - t, 1.0) - y[0]],
    "where": lambda t, y: [np.where((t % 1.0 > 0.3) & (t % 1.0 <= 0.6), 1.0, 0.0)],
}


@pytest.mark.parametrize("function", PULSES.values(), ids=list(PULSES))
@pytest.mark.parametrize("span", [(0, 6), (6.1, 0.2)], ids=["forward", "backward"])
def test_what_happens_again_and_again_in_time_is_traced_over_the_run(function, span):
    result = solve_ivp(function, span, [0.2], trace=True, rtol=1e-9, atol=1e-12)
    exact = scipy.integrate.solve_ivp(function, span, [0.2], rtol=1e-10, atol=1e-12, max_step=1e-3)
    assert result.y[0, -1] == pytest.approx(exact.y[0, -1], rel=2e-3, abs=2e-3)


@pytest.mark.parametrize("limit", [-3.0, -np.pi / 2, -0.7, 0.0, 0.7, np.pi / 2, 2.5])
@pytest.mark.parametrize("write", [lambda a, c: a > c, lambda a, c: 2 * a - 2 * c < 0, lambda a, c: c <= a])
def test_comparisons_of_angles_know_where_the_angle_jumps(limit, write):
    def sector(t, y):
        return [y[1], -y[0] + (0.2 if write(math.atan2(y[1], y[0]), limit) else 0.0)]

    def halves(t, y):
        # The half planes above the axis, and left of the ray at the limit.
        upper, left = y[1] > 0, y[1] * math.cos(limit) - y[0] * math.sin(limit) > 0
        inside = (upper and left) if limit >= 0 else (upper or left)
        return [y[1], -y[0] + (0.2 if inside == bool(write(1.0, 0.0)) else 0.0)]

    ends = [solve_ivp(f, (0, 6), [1.2, -0.4], rtol=1e-9, atol=1e-11).y[:, -1] for f in (sector, halves)]
    assert ends[0] == pytest.approx(ends[1], abs=1e-6)


def test_an_angle_jumps_by_a_turn():
    # From (-1, 0.5) down: π − ∠ until y = 0 at 0.5, then −π − ∠.
    result = solve_ivp(lambda t, y: [0.0, -1.0, np.arctan2(y[1], y[0])], (0, 1), [-1.0, 0.5, 0.0], rtol=1e-10, atol=1e-12)
    assert any(e.t == pytest.approx(0.5) for e in result.events)
    assert result.y[2, -1] == pytest.approx(0.0, abs=1e-9)
    quotient = solve_ivp(lambda t, y: [-1.0, np.arctan(1 / y[0])], (0, 1), [0.5, 0.0], rtol=1e-10, atol=1e-12)
    assert quotient.y[1, -1] == pytest.approx(0.0, abs=1e-9)


def test_values_of_a_mask_are_changed_in_place():
    def masked(t, y):
        force = -y
        force[np.abs(y) > 0.4] *= 0.5
        force[y > 0] -= 0.1
        return [y[1], force[0] - 0.1 * y[y > 0].sum()]

    def chosen(t, y):
        x, v = y
        force = -x * (0.5 if abs(x) > 0.4 else 1.0) - (0.1 if x > 0 else 0.0)
        return [v, force - 0.1 * (max(x, 0) + max(v, 0))]

    ends = [solve_ivp(f, (0, 6), [1.2, -0.4], rtol=1e-9, atol=1e-11) for f in (masked, chosen)]
    assert ends[0].traced and ends[0].y[:, -1] == pytest.approx(ends[1].y[:, -1], abs=1e-6)
    with pytest.raises(slideway.Untraceable, match="one of the values of a mask"):
        solve_ivp(lambda t, y: [y[y > 0][0]], (0, 1), [1.0], trace=True)


def test_the_line_that_ends_a_trace_is_told():
    def special(t, y):
        q = math.gamma(y[0])
        return [q]

    with pytest.raises(slideway.Untraceable, match=r"in line \d+ of test_tracing.py: `q = math.gamma\(y\[0\]\)`"):
        solve_ivp(special, (0, 1), [1.0], trace=True)


def test_a_few_numbers_in_order_are_traced():
    def middle(t, y):
        x, v = y
        return [v, -np.median([x, v, 0.1]) - 0.2 * np.sort([x, v])[0]]

    def chosen(t, y):
        x, v = y
        return [v, -max(min(x, v), min(max(x, v), 0.1)) - 0.2 * min(x, v)]

    ends = [solve_ivp(f, (0, 5), [1.0, 0.3], rtol=1e-9, atol=1e-11) for f in (middle, chosen)]
    assert ends[0].traced and ends[0].y[:, -1] == pytest.approx(ends[1].y[:, -1], abs=1e-6)


@pytest.mark.parametrize("write", [lambda n: n & 1, lambda n: (n ^ 1) - n < 0, lambda n: (n >> 1) * 2 != n])
def test_bits_of_counts_are_traced(write):
    result = solve_ivp(lambda t, y: [1.0 if write(int(t)) else 0.0], (0, 5), [0.0])
    assert result.traced and result.y[0, -1] == pytest.approx(2.0)


def test_a_called_function_of_a_library_may_hide_jumps():
    with pytest.warns(slideway.UnknownJumpsWarning):
        solve_ivp(lambda t, y: [math.frexp(3 * y[0])[0]], (0, 1), [1.0])
    with warnings.catch_warnings():
        warnings.simplefilter("error", slideway.UnknownJumpsWarning)
        assert not solve_ivp(lambda t, y: [math.gamma(2 + y[0] ** 2)], (0, 0.5), [0.1]).traced


@pytest.mark.parametrize("write, same", [
    (lambda x, v: abs(math.atan2(v, x)) < 1, lambda x, v: x > math.cos(1.0) * math.hypot(x, v)),
    (lambda x, v: np.tanh(x / (0.1 + abs(v))) < 0.3, lambda x, v: x - math.atanh(0.3) * (0.1 + abs(v)) < 0),
    (lambda x, v: np.arctan(x / abs(v)) < 0.2, lambda x, v: x < math.tan(0.2) * abs(v)),
    (lambda x, v: 1 - 2 * math.exp(-abs(x)) > 0, lambda x, v: abs(x) > math.log(2)),
])
def test_bends_inside_of_rising_functions_are_compared_without_them(write, same):
    ends = [solve_ivp(lambda t, y: [y[1], -y[0] + (0.2 if f(*y) else 0.0)], (0, 6), [1.2, -0.4], rtol=1e-9, atol=1e-11).y[:, -1]
            for f in (write, same)]
    assert ends[0] == pytest.approx(ends[1], abs=1e-6)


def test_definitions_and_states_have_the_names_of_variables():
    def drag(v):
        part = 0.1 * v * abs(v)
        return part + 0.001 * v**3

    def f(t, y, k):
        x, v, i = y
        force = drag(v)
        if x > 1:
            spring = k * x**2 + np.sin(x)
        else:
            spring = 0.2 * x + np.cos(x)
        load = np.interp(t, [0, 1, 5], [0, 1, 0])
        sqrt = np.exp(-v * v / 2)
        return [v, -force * spring + load, force - spring - i * sqrt]

    model = slideway.trace(f, (0, 5), [1.5, 0.0, 0.0], args=(0.1,))
    text = model.text
    assert 'force = "part + 0.001*v^3"' in text and 'part = "0.1*v*abs(v)"' in text
    # Two values of one variable, and a name that means something else in a model file.
    assert 'spring = "k*x^2 + sin(x)"' in text and 'spring_2 = "0.2*x + cos(x)"' in text
    assert "load = { times" in text and 'sqrt_ = "exp(-v*v/2)"' in text and "i_ = 0.0" in text


def test_names_of_variables_do_not_hide_those_of_the_model():
    def f(t, y, mu):
        a = y[0]
        b = y[1]
        mu2 = mu * np.sin(a) + 1
        stop = mu2 * b + np.cos(a)
        return [b, -stop * stop - mu2]

    def stop(t, y, mu):
        return y[0] - 5

    stop.terminal = True
    result = slideway.solve_ivp(f, (0, 1), [1.0, 0.0], args=(0.3,), events=stop)
    assert result.traced and result.state_names == ["a", "b"]
    assert "stop_2 = " in result.model.text and "mu2 = " in result.model.text


def test_elements_of_arrays_are_named_by_their_place():
    def f(t, y):
        pull = np.tanh(3 * np.diff(y))
        rate = np.zeros_like(y)
        rate[:-1] += pull
        rate[1:] -= pull
        return rate

    text = slideway.trace(f, (0, 1), [0.0, 1.0, 3.0]).text
    assert 'pull_1 = "tanh(3*(y2 - y1))"' in text and 'y1 = "pull_1 - pull_0"' in text


def test_words_of_the_reader_name_nothing():
    from slideway._writer import is_name

    for word in ["sat", "mod", "pulse", "floor", "and", "pi", "t", "hysteresis"]:
        assert not is_name(word)
        with pytest.raises(slideway.ModelError):
            slideway.parse(f'[states]\nx = 0.0\n[time]\nend = 1\n[definitions]\n{word} = "2*x"\n[derivatives]\nx = "{word} + 1"\n')


@pytest.mark.parametrize("days", [2, 7, 10, 20, 100])
def test_a_kink_of_the_time_of_the_day_is_traced_over_any_number_of_days(days):
    def sun(t, y):
        return [max(0, np.sin(np.pi*(t % 24 - 6)/12)) - y[0]]

    result = slideway.solve_ivp(sun, (0, 24*days), [0.0], rtol=1e-9, atol=1e-12)
    assert result.how.startswith("traced")
    # By day y = a·exp(-s) + (sin(w·s) - w·cos(w·s))/(1 + w²) from sunrise s = 0 on, by night y decays.
    w = math.pi/12
    b, y = w/(1 + w*w), 0.0
    for _ in range(days):
        y = ((y + b)*math.exp(-12) + b)*math.exp(-12)
    # The last night has 6 hours up to midnight.
    assert result.y[0, -1] == pytest.approx(y*math.exp(6), rel=1e-5)


def two_layers(width):
    rng = np.random.default_rng(0)
    W, b, U, c = rng.normal(size=(width, 4)), rng.normal(size=width), rng.normal(size=(width, width)) / 6, rng.normal(size=width)
    V = rng.normal(size=(4, width)) / 8
    return lambda t, y: V @ np.maximum(U @ np.maximum(W @ y + b, 0) + c, 0) - y


@pytest.mark.parametrize("width, surfaces", [(2, 8), (7, 7), (32, 32)])
def test_bends_inside_of_bends_do_not_explode(width, surfaces):
    network = two_layers(width)
    result = solve_ivp(network, (0, 3), np.ones(4), rtol=1e-8, atol=1e-10)
    assert result.traced and len(result.surface_names) == surfaces
    exact = scipy.integrate.solve_ivp(network, (0, 3), np.ones(4), rtol=1e-11, atol=1e-13, max_step=1e-2)
    assert np.allclose(result.y[:, -1], exact.y[:, -1], rtol=0, atol=1e-6)
    assert ("bends" in result.how) == (width > 6)


def test_a_bend_that_is_passed_has_the_values_of_min_max_and_abs():
    """x' is written with eight bends in a product, which have no surfaces, beside the same function with surfaces."""
    offsets = np.linspace(-1, 1, 8)

    def product(t, y):
        bends = sum(0.2 * min(y[0], p) + 0.3 * max(y[0], -p) - 0.1 * abs(y[0] - p) for p in offsets)
        return [y[1], -bends * (1 + 0.1 * bends)]

    model = slideway.trace(product, (0, 3), [1.2, 0.0])
    for x in (-2.0, -0.3, 0.0, 0.55, 3.0):
        assert model.field(0.0, [x, 0.4]) == pytest.approx(product(0.0, [x, 0.4]), rel=1e-14)


def test_a_system_may_have_a_network_for_its_controller():
    network = two_layers(8)
    system = slideway.System(network, states=dict(a=1.0, b=1.0, c=1.0, d=1.0), t_span=(0, 3))
    assert np.allclose(system.run(rtol=1e-9).y[:, -1], solve_ivp(network, (0, 3), np.ones(4), rtol=1e-9, atol=1e-11).y[:, -1], atol=1e-7)


def test_watching_a_loop_takes_few_calls():
    calls = []

    def converging(t, y):
        calls.append(t)
        r = 1.0
        while abs(r * r - (2 + y[0] ** 2)) > 1e-12:
            r = 0.5 * (r + (2 + y[0] ** 2) / r)
        return [-r * np.tanh(y[0])]

    from slideway._watch import watch

    watched = watch(converging, converging, 0.0, 1.0, np.array([1.0]))
    assert watched is not None and watched.loses and not watched.names
    assert len(calls) < 20


HAMILTONIAN = np.array([[1, 0.5 - 0.2j], [0.5 + 0.2j, -1]])


def test_complex_states_are_traced_as_their_parts():
    def schroedinger(t, psi):
        return -1j * (HAMILTONIAN @ psi)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = solve_ivp(schroedinger, (0, 5), [1 + 0j, 0], rtol=1e-10, atol=1e-12, events=lambda t, psi: psi[0].real)
        back = solve_ivp(schroedinger, (5, 0), result.y[:, -1], rtol=1e-10, atol=1e-12)
    exact = scipy.linalg.expm(-5j * HAMILTONIAN) @ [1, 0]
    assert result.traced and result.y.dtype == complex and result.y_events[0].dtype == complex
    assert np.allclose(result.y[:, -1], exact, rtol=0, atol=1e-8) and np.allclose(back.y[:, -1], [1, 0], atol=1e-8)
    assert result.audit.verdict == "passed"
    assert slideway.trace(schroedinger, (0, 1), [1 + 0j, 0]).state_names == ["y0_re", "y0_im", "y1_re", "y1_im"]


def test_functions_of_complex_states_may_jump():
    def filled(t, y):
        dy = np.zeros(2, dtype=complex)
        dy[0] = 1j * y[1]
        dy[1] = -np.conj(y[0]) * (1 if y[0].real > 0 else 0.5) - 0.1 * np.abs(y[1]) ** 2 * y[1]
        return dy

    result = solve_ivp(filled, (0, 5), [1 + 0j, 0.5j], rtol=1e-9, atol=1e-11)
    exact = scipy.integrate.solve_ivp(filled, (0, 5), [1 + 0j, 0.5j], rtol=1e-9, atol=1e-11, max_step=2e-3)
    assert result.traced and len(result.surface_names) == 1
    assert np.allclose(result.y[:, -1], exact.y[:, -1], rtol=0, atol=1e-6)
    with pytest.raises(slideway.Untraceable, match="complex"):
        solve_ivp(lambda t, y, k: [k * y[0]], (0, 1), [1j], args=(2.0,), sensitivities=["k"])


def test_the_square_of_a_size_is_smooth():
    assert "sqrt" not in slideway.trace(lambda t, y: [abs(y[0]) ** 2 * y[0]], (0, 1), [1 + 1j]).text
    assert "sqrt" in slideway.trace(lambda t, y: [np.sqrt(y[0]) ** 2], (0, 1), [1.0]).text


@pytest.mark.parametrize("function", [
    lambda t, y: [np.real(1 / (1 + 1j * y[0])) - y[0], ((y[0] + 2j) ** 2 / (3 - 1j * y[1])).imag - y[1]],
    lambda t, y: [y[1], -y[0] - 0.2 * np.sqrt(y[0] + 4 + 1j * y[1]).real],
    lambda t, y: [y[1], -y[0] - 0.1 * np.sum(np.exp(1j * np.outer(np.arange(3), y)).real)],
    lambda t, y: [y[1], -y[0] + (np.sin(1j * y[0]) * np.cos(1 + 1j * y[1])).imag * 0.1],
    lambda t, y: [y[1], -y[0] + 0.1 * (complex(y[0], 1) ** -2).real + 0.1 * abs(2.0 ** complex(0, y[1]) + 0.5)],
])
def test_complex_numbers_inside_of_a_function(function):
    result = solve_ivp(function, (0, 6), [1.5, -0.4], rtol=1e-9, atol=1e-11)
    exact = scipy.integrate.solve_ivp(function, (0, 6), [1.5, -0.4], rtol=1e-10, atol=1e-12)
    assert result.traced and np.allclose(result.y[:, -1], exact.y[:, -1], rtol=0, atol=1e-6)


def roots_by(search):
    return lambda t, y: [y[1], -search(y[0], t)]


@pytest.mark.parametrize("search", [
    lambda x, t: scipy.optimize.fsolve(lambda z: z**3 + z - x, 0.5)[0],
    lambda x, t: scipy.optimize.newton(lambda z: z**3 + z - x - np.sin(t), x),
    lambda x, t: scipy.optimize.brentq(lambda z, c: z**3 + c * z - x, -10, 10, args=(2.0,)),
    lambda x, t: scipy.optimize.root(lambda z: [z[0] ** 3 + z[1] - x, z[1] - z[0]], [0.5, 0.5]).x[0],
    lambda x, t: scipy.optimize.root_scalar(lambda z: np.exp(z) + z - 1 - x, bracket=(-20, 5)).root,
    lambda x, t: scipy.optimize.brentq(lambda z: z**3 - 2, 0, 10) * x,
], ids=["fsolve", "newton", "brentq", "root", "root_scalar", "a number"])
def test_roots_become_algebraic_variables(search):
    function = roots_by(search)
    result = solve_ivp(function, (0, 6), [1.5, -0.4], rtol=1e-9, atol=1e-11)
    exact = scipy.integrate.solve_ivp(function, (0, 6), [1.5, -0.4], rtol=1e-9, atol=1e-11)
    assert result.traced and np.allclose(result.y[:, -1], exact.y[:, -1], rtol=0, atol=1e-6)


def test_a_root_inside_of_a_root_is_called():
    def nested(t, y):
        return [-scipy.optimize.brentq(lambda z: z + scipy.optimize.brentq(lambda w: w + w**3 - z, -50, 50) - y[0], -10, 10)]

    result = solve_ivp(nested, (0, 1), [1.0], rtol=1e-8, atol=1e-10)
    exact = scipy.integrate.solve_ivp(nested, (0, 1), [1.0], rtol=1e-8, atol=1e-10)
    assert not result.traced and "another root" in result.how and np.allclose(result.y[:, -1], exact.y[:, -1], rtol=0, atol=1e-6)


@pytest.mark.parametrize("cut", [lambda t: math.fmod(t - 3, 1.0), lambda t: np.fmod(3 - 2 * t, 1.5), lambda t: int(t - 3), lambda t: math.modf(t - 3)[0],
                                 lambda t: math.trunc(2 - t)])
def test_times_are_cut_off_towards_zero(cut):
    function = lambda t, y: [cut(t) - y[0]]  # noqa: E731
    result = solve_ivp(function, (0, 6), [1.5], rtol=1e-9, atol=1e-11)
    exact = scipy.integrate.solve_ivp(function, (0, 6), [1.5], rtol=1e-8, atol=1e-10, max_step=1e-3)
    assert result.traced and np.allclose(result.y[:, -1], exact.y[:, -1], rtol=0, atol=1e-3)


def test_a_root_that_ends_is_looked_for_by_the_function_itself():
    def folded(t, y):
        root = scipy.optimize.fsolve(lambda z: [z[0] + z[1] ** 3 - y[0], z[1] + 0.1 * z[0] - y[1]], [0, 0])
        return [y[1] - 0.1 * root[0], -y[0] - 0.1 * root[1]]

    with pytest.warns(slideway.UnknownJumpsWarning, match="cannot be followed beyond t = 0.703"):
        result = solve_ivp(folded, (0, 1), [1.5, -0.4], rtol=1e-6, atol=1e-8)
    exact = scipy.integrate.solve_ivp(folded, (0, 1), [1.5, -0.4], rtol=1e-6, atol=1e-8, max_step=0.01)
    assert result.success and np.allclose(result.y[:, -1], exact.y[:, -1], rtol=0, atol=1e-3)


def test_what_a_run_says_has_the_lines_of_the_user():
    def tank(t, y):
        level = np.log(1 - y[0])
        return [1.0, level]

    line = f"tank, line {tank.__code__.co_firstlineno} of test_tracing.py"
    told = [solve_ivp(tank, (0, 2), [0.0, 0.0]).message, slideway.System(tank, states=dict(x=0.0, v=0.0), t_span=(0, 2)).run().outcome.message]
    assert all(line in message and ".toml" not in message for message in told)


def test_what_watching_does_not_see_is_warned_of():
    def hidden(t, y):
        return [float(memoryview(np.array([t], dtype=float))[0] % 1.0) - math.erf(y[0])]

    with pytest.warns(slideway.UnknownJumpsWarning):
        assert not solve_ivp(hidden, (0, 3), [1.5]).traced
    with warnings.catch_warnings():
        warnings.simplefilter("error", slideway.UnknownJumpsWarning)
        assert not solve_ivp(lambda t, y: [math.sin(t) - math.erf(y[0])], (0, 3), [1.5]).traced


def test_a_root_of_a_function_that_branches_on_its_unknown_is_warned_of():
    def bent(t, y):
        return [-scipy.optimize.brentq(lambda z: z + (2 * z if z > 0 else 0.5 * z) - y[0] + t, -10, 10)]

    with pytest.warns(slideway.UnknownJumpsWarning, match="branches on its unknown"):
        result = solve_ivp(bent, (0, 3), [1.0], rtol=1e-8, atol=1e-10)
    exact = scipy.integrate.solve_ivp(bent, (0, 3), [1.0], rtol=1e-8, atol=1e-10, max_step=1e-2)
    assert np.allclose(result.y[:, -1], exact.y[:, -1], rtol=0, atol=1e-6)


def test_a_system_may_look_for_roots():
    def plant(t, y, k):
        return [y[1], -scipy.optimize.brentq(lambda z: z**3 + k * z - y[0], -10, 10)]

    system = slideway.System(plant, states=dict(x=1.5, v=-0.4), t_span=(0, 6), parameters=dict(k=2.0))
    exact = scipy.integrate.solve_ivp(lambda t, y: plant(t, y, 1.3), (0, 6), [1.5, -0.4], rtol=1e-10, atol=1e-12)
    assert "[algebraic]" in system.text
    assert np.allclose(system.run(k=1.3, rtol=1e-9).final.state[:2], exact.y[:, -1], rtol=0, atol=1e-6)
    changed = slideway.solve_ivp(plant, (0, 6), [1.5, -0.4], args=(1.3,), sensitivities=["k"], rtol=1e-9, atol=1e-11).sensitivities.final
    step = [slideway.solve_ivp(plant, (0, 6), [1.5, -0.4], args=(k,), rtol=1e-10, atol=1e-12).y[:, -1] for k in (1.3 - 1e-4, 1.3 + 1e-4)]
    assert np.allclose(changed[:2, 0], (step[1] - step[0]) / 2e-4, rtol=0, atol=1e-4)


def test_whole_parts_of_a_state_go_through_zero():
    # y' = -2.5 until y is 2, -1.5 until 1, -0.5 until -1, where y' = 0.5 pushes back: y is 2 at 0.2, 1 at 0.2 + 2/3 and -1 four units later.
    for whole in (lambda x: int(x), np.trunc, lambda x: np.array([x]).astype(int)[0]):
        result = solve_ivp(lambda t, y: [-whole(y[0]) - 0.5], (0, 10), [2.5], rtol=1e-9, dense_output=True)
        assert result.status == 0 and result.how.startswith("traced")
        assert result.sol(0.2 + 2 / 3 + 2)[0] == pytest.approx(0, abs=1e-8)
        assert result.y[0, -1] == pytest.approx(-1, abs=1e-8)
        assert result.events[-1].kind == "sliding_entry" and result.events[-1].t == pytest.approx(0.2 + 2 / 3 + 4, abs=1e-8)
