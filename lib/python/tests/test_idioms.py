"""What people write is traced, watched, called or refused as the table of the manual says, and right."""

import os
import re
import time
import warnings

import numpy as np
import pytest

import slideway
from slideway import solve_ivp

from idioms import IDIOMS, reference

MANUAL = os.path.join(os.path.dirname(__file__), "..", "..", "docs", "python.md")


@pytest.mark.parametrize("name", list(IDIOMS))
def test_an_idiom_is_what_the_manual_says(name):
    kind = IDIOMS[name]
    options = dict(rtol=1e-8, atol=1e-10)
    if kind.fate == "refused":
        with pytest.raises(slideway.RemembersError):
            solve_ivp(kind.make(), kind.span, kind.y0, **options)
        return
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", slideway.UnknownJumpsWarning)
        result = solve_ivp(kind.make(), kind.span, kind.y0, **options)
    assert result.success
    assert ("traced" if result.traced else "watched" if "by watching" in result.how else "called") == kind.fate
    assert np.allclose(result.y[:, -1], reference(kind), rtol=0, atol=kind.tolerance)
    told = [w for w in caught if issubclass(w.category, slideway.UnknownJumpsWarning)]
    assert not told or kind.fate != "traced"


class Enough(BaseException):
    """Scipy has had its time."""


@pytest.mark.parametrize("name", [name for name, kind in IDIOMS.items() if kind.fate != "refused"])
def test_an_idiom_takes_no_ten_times_as_long_as_with_scipy(name):
    import scipy.integrate

    kind = IDIOMS[name]

    def once(solve):
        # Other programs take no time of this process.
        began = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            solve(kind.make(), kind.span, kind.y0, rtol=1e-6, atol=1e-8)
        return time.process_time() - began

    own = min(once(solve_ivp) for _ in range(3))
    end = time.process_time() + own

    def limited(fun, span, y0, **options):
        def called(t, y):
            if time.process_time() > end:
                raise Enough
            return fun(t, y)

        return scipy.integrate.solve_ivp(called, span, y0, **options)

    try:
        assert own < 10 * once(limited) + 0.005
    except Enough:
        pass


def test_the_manual_has_all_of_them():
    with open(MANUAL, encoding="utf-8") as file:
        text = file.read()
    rows = re.findall(r"^\| (.*?) \| (traced|watched|called|refused) \|$", text[:text.index("| published script |")], re.MULTILINE)
    assert rows == [(kind.text, kind.fate) for kind in IDIOMS.values()]


def check(function, span=(0, 5), y0=(1.5, -0.4), tolerance=2e-3):
    """The result is that of scipy with small steps, or there is an UnknownJumpsWarning."""
    import scipy.integrate

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = solve_ivp(function, span, y0, rtol=1e-7, atol=1e-9)
    exact = scipy.integrate.solve_ivp(lambda t, y: np.array(function(t, y.copy()), dtype=float), span, y0, rtol=1e-7, atol=1e-9,
                                      max_step=(span[1] - span[0]) / 1000)
    near = np.allclose(result.y[:, -1], exact.y[:, -1], rtol=0, atol=tolerance)
    assert near or (caught and result.warnings), f"silent: {result.y[:, -1]} for {exact.y[:, -1]}: {result.how}"
    return result


MODES = {0: 1.0, 1: -1.0}


# What a trace once took for another function, without a word.
@pytest.mark.parametrize("function", [
    lambda t, y: [y[1], -y[0] if any(np.maximum(y - 1, 0)) else 0.5],
    lambda t, y: [y[1], -sum([v for v in np.clip(y, 0, 1) if v])],
    lambda t, y: [y[1], -0.3 * len([v for v in y if v > 0.2])],
    lambda t, y: [y[1], -y[0] if np.heaviside(y[0] - 1, 0) else 0.5],
    lambda t, y: [y[1], -1.0 if str(y[0] > 1) == "True" else 0.5],
    lambda t, y: [y[1], {"0": 1.0, "1": -1.0}.get(f"{int(t) % 2}", 0.0)],
    lambda t, y: [y[1], MODES.get(int(y[0]), 0.3)],
    lambda t, y: [y[1], {True: -1.0}.get(y[0] > 1, 0.3)],
    lambda t, y: [y[1], 1.0 if int(t) in [1, 3] else -0.5],
    lambda t, y: [y[1], -y[0] + 0.2 * y.astype(int)[0]],
    lambda t, y: [y[1], -y[0] + 0.2 * np.array(y, dtype=int)[0]],
    lambda t, y: [y[1], -1.0 if abs(y[0]) == y[0] else 1.0],
    lambda t, y: [sorted(y)[0] - 0.1 * y[0], -max(y, key=lambda v: abs(v))],
    lambda t, y: [0.01 * np.floor(100 * t) - y[0], -y[1]],
], ids=lambda function: f"line {function.__code__.co_firstlineno}")
def test_what_a_trace_cannot_know_is_not_silent(function):
    check(function)


def test_a_refusal_that_the_function_catches_still_ends_the_trace():
    import math

    def caught(t, y):
        try:
            q = math.gamma(2 + y[0] ** 2)
        except Exception:
            q = 0.0
        return [y[1], -y[0] - 0.1 * math.tanh(q)]

    def caught_bare(t, y):
        try:
            q = math.erf(y[0])
        except:  # noqa: E722
            q = 5.0
        return [y[1], -q]

    for function in (caught, caught_bare):
        assert not check(function).traced


def test_counts_of_many_conditions_are_traced():
    y0 = np.linspace(0, 3, 40)
    result = check(lambda t, y: (1.0 if np.sum(y > 1.5) >= 16 else -0.5) - 0.1 * y, y0=y0, span=(0, 0.2))
    assert result.traced


def test_a_raise_ends_the_run_where_it_is_reached():
    def f(t, y):
        if y[0] > 2:
            raise RuntimeError(f"too far: {y[0]:.3f}")
        return [1.0]

    assert solve_ivp(f, (0, 1), [0.5]).traced
    with pytest.raises(RuntimeError, match="too far"):
        solve_ivp(f, (0, 3), [0.5])


def test_steps_that_collapse_along_a_jump_that_is_not_known_end_the_run():
    def f(t, y):
        x = float(str(float(y[0])))
        return [-1.0 if x > 0 else 1.0]

    with pytest.warns(slideway.UnknownJumpsWarning):
        result = solve_ivp(f, (0, 1000), [1.0], rtol=1e-6, atol=1e-8)
    assert result.success or ("surfaces=" in result.message and result.status == -1)
    assert result.statistics["field_evaluations"] < 100_000


def test_what_is_only_looked_at_prints_nothing(capsys):
    def f(t, y):
        print("called")
        return [y[1], -y[0]]

    assert solve_ivp(f, (0, 1), [1.0, 0.0]).traced
    assert capsys.readouterr().out == ""
    with pytest.warns(slideway.UnknownJumpsWarning):
        result = solve_ivp(lambda t, y: [float(str(float(f(t, y)[0]))), -y[0]], (0, 1), [1.0, 0.0])
    assert not result.traced
    printed = capsys.readouterr().out.count("called")
    # Looking at it took about a hundred calls.
    assert 0 < printed < result.statistics["field_evaluations"] + 10


EVENTS = {
    "plus or minus one": lambda t, y: 1.0 if y[0] > 0.5 else -1.0,
    "sign": lambda t, y: np.sign(y[0] - 0.5),
    "plateau": lambda t, y: max(y[0] - 0.5, 0.0),
    "plateau below": lambda t, y: min(y[0] - 0.5, 0.0),
    "comparison": lambda t, y: y[0] > 0.5,
    "conjunction": lambda t, y: (y[0] > 0.5) and y[1] > -10,
    "one or zero": lambda t, y: 1 if y[0] > 0.5 else 0,
    "array": lambda t, y: np.array([y[0] - 0.5]),
}


@pytest.mark.parametrize("name", list(EVENTS))
def test_events_may_jump_or_be_conditions(name):
    expected = np.array([np.pi / 6, 5 * np.pi / 6, 13 * np.pi / 6, 17 * np.pi / 6])
    for direction, times in ((0, expected), (1, expected[::2]), (-1, expected[1::2])):
        def event(t, y):
            return EVENTS[name](t, y)

        event.direction = direction
        found = solve_ivp(lambda t, y: [y[1], -y[0]], (0, 10), [0.0, 1.0], events=event, rtol=1e-8, atol=1e-10)
        assert found.t_events[0] == pytest.approx(times, abs=1e-6)
    event.direction, event.terminal = 0, 2
    found = solve_ivp(lambda t, y: [y[1], -y[0]], (0, 10), [0.0, 1.0], events=event, rtol=1e-8, atol=1e-10)
    assert found.status == 1 and found.t_events[0] == pytest.approx(expected[:2], abs=1e-6)


@pytest.mark.parametrize("name", ["samples", "measured", "splines", "interpolated", "nearest"])
def test_samples_work_backwards_and_in_copies(name):
    import pickle

    kind = IDIOMS[name]
    result = solve_ivp(kind.make(), kind.span, kind.y0, rtol=1e-8, atol=1e-10, dense_output=True, t_eval=np.linspace(*kind.span, 11))
    assert result.y.shape == (2, 11) and result.final.state.shape == (2,)
    times = np.linspace(*kind.span, 7)
    assert np.allclose(pickle.loads(pickle.dumps(result)).sol(times), result.sol(times), atol=1e-8)
    back = solve_ivp(kind.make(), kind.span[::-1], result.y[:, -1], rtol=1e-9, atol=1e-11)
    assert np.allclose(back.y[:, -1], kind.y0, atol=1e-6)
