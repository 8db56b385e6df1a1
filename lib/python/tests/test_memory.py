"""Functions that remember are refused, and leave no trace in what the user has."""

import functools
import itertools
import random

import numpy as np
import pytest

import slideway
from slideway import solve_ivp

FLAG = False


def with_a_nonlocal():
    on = True

    def f(t, y):
        nonlocal on
        if y[0] > 21:
            on = False
        elif y[0] < 19:
            on = True
        return [(2.0 if on else 0.0) - 0.1 * (y[0] - 10)]

    return f, "on"


def with_a_global():
    def f(t, y):
        global FLAG
        if y[0] < 5:
            FLAG = True
        return [1.0 if FLAG else -1.0]

    return f, "FLAG"


def with_an_attribute():
    class Peak:
        top = 0.0

        def __call__(self, t, y):
            self.top = max(self.top, y[0])
            return [self.top - y[0]]

    return Peak(), "self.top"


def with_an_attribute_of_the_function():
    def f(t, y):
        if y[0] < 5:
            f.done = True
        return [1.0 if f.done else -1.0]

    f.done = False
    return f, "f.done"


def with_a_default():
    def f(t, y, last=[0.0]):
        rate, last[0] = y[0] - last[0], y[0]
        return [-rate]

    return f, "last"


def with_a_word():
    mode = {"is": "heat"}

    def f(t, y):
        if y[0] > 21:
            mode["is"] = "wait"
        return [1.0 if mode["is"] == "heat" else -1.0]

    return f, "mode"


def with_a_list():
    seen = []

    def f(t, y):
        seen.append(y[0])
        return [seen[0] - y[0]]

    return f, "seen"


def with_a_cache():
    cache = {}

    def f(t, y):
        return [-cache.setdefault(round(float(t), 1), y[0])]

    return f, "cache"


def with_a_counter():
    count = 0

    def f(t, y):
        nonlocal count
        count += 1
        return [1.0 if count > 50 else -1.0]

    return f, "count"


def with_an_iterator():
    numbers = itertools.count()
    return lambda t, y: [0.01 * next(numbers)], "numbers"


def with_random_numbers():
    return lambda t, y: [np.random.normal()], "np.random"


def with_a_generator():
    rng = np.random.default_rng(1)
    return lambda t, y: [rng.normal()], "rng"


ALL = [with_a_nonlocal, with_a_global, with_an_attribute, with_an_attribute_of_the_function, with_a_default, with_a_word, with_a_list,
       with_a_cache, with_a_counter, with_an_iterator, with_random_numbers, with_a_generator]


@pytest.mark.parametrize("make", ALL, ids=lambda make: make.__name__)
@pytest.mark.parametrize("trace", [None, False])
def test_a_function_that_remembers_is_refused(make, trace):
    function, name = make()
    with pytest.raises(slideway.RemembersError) as refused:
        solve_ivp(function, (0, 30), [20.0], trace=trace)
    assert name in str(refused.value)
    assert "slideway.hysteresis" in str(refused.value) and 'memory="ignore"' in str(refused.value)


def test_what_a_function_changes_holds_what_it_held():
    flag, seen, last, random_state = {"on": True}, [1.0], np.zeros(2), random.getstate()

    def f(t, y):
        seen.append(y[0])
        last[:] = y
        if y[0] > 2:
            flag["on"] = y[1] > 0
        random.random()
        return [y[1], -y[0] + (0.1 if flag["on"] else 0)]

    with pytest.raises(slideway.RemembersError):
        solve_ivp(f, (0, 3), [1.0, 0.0])
    assert flag == {"on": True} and seen == [1.0] and not last.any() and random.getstate() == random_state


def test_what_nothing_reads_is_no_memory():
    calls, log, buffer = [0], [], np.zeros(2)

    def f(t, y):
        calls[0] += 1
        log.append((t, *y))
        buffer[0], buffer[1] = y[1], -y[0]
        return buffer

    result = solve_ivp(f, (0, 3), [1.0, 0.0], trace=True, rtol=1e-9, atol=1e-12)
    assert np.allclose(result.y[:, -1], [np.cos(3), -np.sin(3)], atol=1e-7)
    assert calls == [0] and log == []

    @functools.lru_cache(maxsize=None)
    def stiffness(x):
        return 1.0 + x

    assert solve_ivp(lambda t, y: [y[1], -stiffness(y[0])], (0, 1), [1.0, 0.0], trace=True).traced


def test_a_latch_that_a_called_function_meets_on_its_way_is_refused():
    low = []

    def f(t, y):
        x = float(str(float(y[0])))
        if x < -30:
            low.append(t)
        return [1.0 if low else -1.0]

    with pytest.raises(slideway.RemembersError, match="low"):
        solve_ivp(f, (0, 40), [1.0], surfaces=[])


def room(t_on, t_off, start, end, cold, gain, rate, on):
    T, t = start, 0.0
    while True:
        goal, limit = (cold + gain / rate, t_off) if on else (cold, t_on)
        dt = np.log((T - goal) / (limit - goal)) / rate
        if t + dt > end:
            return goal + (T - goal) * np.exp(-rate * (end - t))
        T, t, on = limit, t + dt, not on


def test_a_thermostat_by_hysteresis():
    def f(t, y):
        heats = slideway.hysteresis(y[0], 18, 22) < 0
        return [-0.1 * (y[0] - 10) + (2.0 if heats else 0.0)]

    result = solve_ivp(f, (0, 30), [20.0], rtol=1e-9, atol=1e-11)
    assert result.traced and result.success
    assert result.y[0, -1] == pytest.approx(room(18, 22, 20, 30, 10, 2, 0.1, True), abs=1e-6)


def test_a_thermostat_by_a_discrete_state():
    def field(t, y, on):
        return [-0.1 * (y[0] - 10) + (2.0 if on == 1 else 0.0)]

    room_model = slideway.System(field, states={"T": 20.0}, t_span=(0, 30), discrete={"on": 1}, resets=[
        slideway.Reset(when=lambda t, y: y[0] - 22, direction="rising", set={"on": 0.0}),
        slideway.Reset(when=lambda t, y: y[0] - 18, direction="falling", set={"on": 1.0})])
    result = room_model.run(rtol=1e-9, atol=1e-11)
    assert result["T"][-1] == pytest.approx(room(18, 22, 20, 30, 10, 2, 0.1, True), abs=1e-6)
