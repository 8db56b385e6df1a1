"""Shapes, errors and traces for arguments of every kind."""

import copy
import math
import pickle

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import assume, given

import slideway
from slideway import solve_ivp

numbers = st.floats(-3, 3).map(lambda x: round(x, 3))


@given(n=st.integers(0, 5), start=numbers, span=numbers, points=st.one_of(st.none(), st.integers(1, 7)), dense=st.booleans(),
       events=st.integers(0, 2), trace=st.booleans())
def test_results_have_the_shapes_of_scipys(n, start, span, points, dense, events, trace):
    end = start + span
    t_eval = None if points is None else np.unique(np.linspace(start, end, points))
    if t_eval is not None and end < start:
        t_eval = t_eval[::-1]
    functions = [lambda t, y: t - (start + 0.4 * span), lambda t, y: t - (start + 0.6 * span)][:events]
    result = solve_ivp(lambda t, y: -0.5 * y, (start, end), np.ones(n), t_eval=t_eval, dense_output=dense,
                       events=functions or None, trace=trace if n else None, rtol=1e-8, atol=1e-10)
    assert result.success and result.status == 0
    if t_eval is not None:
        assert np.array_equal(result.t, t_eval)
    elif n:
        assert result.t[0] == start and result.t[-1] == end
        assert np.all(np.diff(result.t) * (1 if span >= 0 else -1) >= 0)
    assert result.y.shape == (n, result.t.size)
    if n:
        assert np.allclose(result.y, np.exp(-0.5 * (result.t - start)), rtol=1e-6)
    if dense:
        assert result.sol(start).shape == (n,)
        assert result.sol([start, end]).shape == (n, 2)
    else:
        assert result.sol is None
    if events:
        assert len(result.t_events) == len(result.y_events) == events
        if n and abs(span) > 0.01:
            assert [t.size for t in result.t_events] == [1] * events
            assert all(y.shape == (1, n) for y in result.y_events)
    else:
        assert result.t_events is None


leaves = st.sampled_from(["y[0]", "y[1]", "t", "0.7", "-1.3", "2"])


def combined(inner):
    two = st.tuples(st.sampled_from(["({} + {})", "({} - {})", "({} * {})", "np.minimum({}, {})", "max({}, {})",
                                     "np.arctan2({}, 2 + np.abs({}))"]), inner, inner)
    one = st.tuples(st.sampled_from(["np.sin({})", "abs({})", "np.sign({})", "math.tanh({})", "(-{})", "({} ** 2)",
                                     "np.clip({}, -0.4, 0.8)", "np.heaviside({}, 0.5)", "float({})"]), inner)
    three = st.tuples(st.sampled_from(["({1} if {0} > 0.1 else {2})", "np.where({0} < {1}, {1}, {2})",
                                       "({2} if {0} > 0 and {1} < 1 else {1})"]), inner, inner, inner)
    return st.one_of(two, one, three).map(lambda parts: parts[0].format(*parts[1:]))


@given(first=st.recursive(leaves, combined, max_leaves=8), second=st.recursive(leaves, combined, max_leaves=8),
       seed=st.integers(0, 2**16))
def test_any_expression_traces_with_its_values(first, second, seed):
    scope = {"np": np, "math": math}
    exec(f"def f(t, y):\n    a = {first}\n    b = {second}\n    return [a, b * 0.5 + a]", scope)
    f = scope["f"]
    try:
        result = solve_ivp(f, (0, 1e-3), [0.313, -0.717], trace=True)
    except slideway.Untraceable as error:
        # What the reader of model files has no words for, such as a guard with too many jumps, is told.
        assert str(error)
        assume(False)
    rng = np.random.default_rng(seed)
    for _ in range(5):
        t, y = rng.uniform(0.01, 2), rng.uniform(-2, 2, 2)
        expected = np.asarray(f(t, y), dtype=float)
        got = result._model.field(t, y)
        assert np.allclose(got, expected, rtol=1e-9, atol=1e-9), (result._model.text, t, y)


@given(rtol=st.floats(-1, 2), atol=st.floats(-1, 1), method=st.sampled_from(["auto", "bdf", "RK45", "x", "", "Radau"]),
       max_step=st.floats(-1, 1))
def test_options_are_used_or_refused(rtol, atol, method, max_step):
    assume(abs(max_step) > 0.01 and (rtol > 0 or rtol < -1e-3))
    wrong = atol < 0 or method in ("x", "") or max_step < 0
    def run():
        return solve_ivp(lambda t, y: -y, (0, 1), [1.0], rtol=rtol, atol=atol, method=method, max_step=max_step)

    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if wrong:
            with pytest.raises(ValueError):
                run()
        else:
            result = run()
            assert result.success and np.all(np.abs(np.diff(result.t)) <= max_step * (1 + 1e-12))


@given(mu=st.floats(0.05, 1.2), x=numbers, end=st.floats(0.1, 30))
def test_a_pickled_result_is_the_same(mu, x, end):
    result = slideway.load("dry-friction").run(mu=mu, x=x, t_end=end, on_ambiguity="slide")
    again = pickle.loads(pickle.dumps(result))
    assert np.array_equal(again.y, result.y) and list(map(str, again.events)) == list(map(str, result.events))
    times = np.linspace(0, end, 50)
    assert np.allclose(again.sol(times), result.sol(times), rtol=0, atol=1e-11)
    # Beyond the ends rounding grows.
    step = result.t[-1] - result.t[-2]
    assert np.allclose(again.sol(result.t[-1] + step), result.sol(result.t[-1] + step), rtol=0, atol=1e-6)
    assert copy.copy(result).t is result.t


@given(name=st.text(max_size=8), value=st.floats(allow_nan=True))
def test_settings_are_known_or_refused(name, value):
    model = slideway.load("dry-friction")
    if name in model.parameters or name in model.state_names:
        return
    with pytest.raises((ValueError, TypeError)):
        model.run(settings={name: value})
