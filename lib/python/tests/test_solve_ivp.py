"""solve_ivp: what people asked scipy for, events, options and functions that are called."""

import math
import warnings

import numpy as np
import pytest
import scipy.integrate

import slideway
from slideway import solve_ivp


def season(t, y):
    # A seasonal forcing whose response changes where the state changes its sign: scipy's issue 18039 is of this kind.
    x = y[0]
    forcing = 3.0 * math.cos(2 * math.pi * t)
    if x > 0:
        return [forcing - 2.0 * x]
    else:
        return [0.5 * forcing - 0.5 * x]


def exact_season(x, end):
    """By scipy, piece by piece: tight tolerances, and a stop at each change of the sign."""
    t = 0.0
    while t < end:
        side = 1.0 if x > 0 else -1.0
        def field(s, y):
            return season(s, [side]) + np.array([-2.0 * (y[0] - side) if side > 0 else -0.5 * (y[0] - side)])

        def zero(s, y):
            return y[0] + 1e-16 * side

        zero.terminal = True
        zero.direction = -side
        piece = scipy.integrate.solve_ivp(field, (t, end), [x], rtol=1e-12, atol=1e-14, events=zero, method="DOP853",
                                          max_step=0.05)
        t, x = piece.t[-1], piece.y[0, -1]
        if t < end:
            x = -1e-15 * side
    return x


@pytest.mark.parametrize("way", [dict(trace=True), dict(trace=False), dict(trace=False, surfaces=[lambda t, y: y[0]])],
                         ids=["traced", "watched", "told"])
def test_a_piecewise_smooth_right_hand_side_is_right_at_the_default_tolerances(way):
    ends = []
    for x0 in (-0.2, 0.2, 0.2 + 1e-7):
        result = solve_ivp(season, (0, 10), [x0], **way)
        assert result.success
        assert len(result.surface_names) == 1
        assert abs(result.y[0, -1] - exact_season(x0, 10)) < 1e-3
        assert sum(e.kind == "crossing" for e in result.events) >= 18
        ends.append(result.y[0, -1])
    # Starts that lie close together end so; those of scipy's RK45 are 8e-4 apart.
    assert abs(ends[1] - ends[2]) < 1e-8


def test_a_short_pulse_of_the_forcing_is_not_stepped_over():
    def heated(t, y):
        heat = 0.0
        for day in range(3):
            if 7.0 + 24 * day < t < 7.25 + 24 * day:
                heat = 5.0
        return [-0.1 * y[0] + heat]

    def exact(t):
        return sum(50 * (math.exp(0.1 * 0.25) - 1) * math.exp(-0.1 * (t - 7 - 24 * day)) for day in range(3))

    result = solve_ivp(heated, (0, 72), [0.0], trace=True)
    assert result.y[0, -1] == pytest.approx(exact(72), rel=2e-3)
    assert len(result.events) == 6
    assert abs(scipy.integrate.solve_ivp(heated, (0, 72), [0.0]).y[0, -1]) < 1e-6


def test_no_root_is_missed():
    # scipy's issue 9228, as it stands there.
    def fprime(x, y):
        return 3 * x**2 + 12 * x - 4

    def event(x, y):
        return y

    sol = solve_ivp(fprime, (-8, 4), np.array([-120]), events=[event])
    assert np.allclose(sol.t_events[0], [-6, -2, 2])
    assert scipy.integrate.solve_ivp(fprime, (-8, 4), np.array([-120]), events=[event]).t_events[0].size == 1


def test_the_point_of_an_event_is_there_with_t_eval_too():
    # scipy's issue 10319.
    def para(t, Y):
        return [Y[1], -10 + 0.01 * Y[1] ** 2]

    def hit_ground(t, Y):
        return Y[0]

    hit_ground.terminal = True
    result = solve_ivp(para, (0, 40), [1000, 0], events=hit_ground, t_eval=np.linspace(0, 40, 100))
    assert result.status == 1
    assert result.t[-1] < result.t_events[0][0]
    assert result.y_events[0][0][0] == pytest.approx(0, abs=1e-9)
    assert result.final.t == result.t_events[0][0]


def test_chattering_becomes_sliding():
    def relay(t, y):
        return [-1.0 if y[0] + y[1] > 0 else 1.0, -y[1]]

    result = solve_ivp(relay, (0, 10), [2.0, 1.0], rtol=1e-9, atol=1e-12)
    assert [e.kind for e in result.events][0] == "sliding_entry"
    assert result.y[:, -1].sum() == pytest.approx(0, abs=1e-12)


def test_events_count_and_have_directions():
    def crossing(t, y):
        return y[0]

    crossing.terminal = 3
    result = solve_ivp(lambda t, y: [y[1], -y[0]], (0, 30), [1.0, 0.0], events=crossing, rtol=1e-9, atol=1e-12)
    assert np.allclose(result.t_events[0], np.pi * np.array([0.5, 1.5, 2.5]))
    assert result.status == 1 and result.message == "A termination event occurred."
    assert result.t[-1] == pytest.approx(2.5 * np.pi)

    def rising(t, y):
        return y[0]

    rising.direction = 1
    backward = solve_ivp(lambda t, y: [y[1], -y[0]], (0, -7), [1.0, 0.0], events=rising, rtol=1e-9, atol=1e-12)
    # Along the run, from 0 to −7, the state rises at −3π/2.
    assert np.allclose(backward.t_events[0], [-1.5 * np.pi])
    assert backward.t[-1] == -7 and np.all(np.diff(backward.t) < 0)


def test_an_event_that_cannot_be_traced_is_called():
    def event(t, y):
        return round(float(str(float(y[0]))), 12) if not isinstance(y[0], float) else float(str(float(y[0])))

    result = solve_ivp(lambda t, y: [y[1], -y[0]], (0, 7), [1.0, 0.0], events=event, rtol=1e-9, atol=1e-12)
    assert "1 event called" in result.how
    assert np.allclose(result.t_events[0], [np.pi / 2, 1.5 * np.pi])


def test_args_reach_everything():
    def fun(t, y, a, b):
        return [a * y[0] + b]

    def event(t, y, a, b):
        return y[0] - b

    result = solve_ivp(fun, (0, 1), [1.0], args=(-1.0, 0.5), events=event, rtol=1e-10, atol=1e-12)
    assert result.y[0, -1] == pytest.approx(0.5 + 0.5 * math.exp(-1))
    with pytest.raises(TypeError, match="cannot be unpacked"):
        solve_ivp(fun, (0, 1), [1.0], args=3)


@pytest.mark.parametrize("method", ["auto", "bdf", "adams", "dopri5", "dop853", "rodas", "RK45", "Radau"])
@pytest.mark.parametrize("trace", [True, False])
def test_every_method_follows_a_relay(method, trace):
    def fun(t, y):
        return [y[1], -y[0] - 0.4 * np.sign(y[1]) + np.cos(0.5 * t)]

    reference = solve_ivp(fun, (0, 20), [2.0, 0.0], rtol=1e-11, atol=1e-12)
    result = solve_ivp(fun, (0, 20), [2.0, 0.0], method=method, trace=trace, rtol=1e-6, atol=1e-9)
    assert result.traced is trace
    assert np.allclose(result.y[:, -1], reference.y[:, -1], atol=3e-4)
    assert [e.kind for e in result.events] == [e.kind for e in reference.events]


def test_complex_states():
    result = solve_ivp(lambda t, y: 1j * y, (0, 3), [1 + 0j, 2j], rtol=1e-10, atol=1e-12, dense_output=True,
                       events=lambda t, y: y[0].real)
    assert result.y.dtype == complex
    assert result.y[0, -1] == pytest.approx(np.exp(3j))
    assert result.sol(1.0)[1] == pytest.approx(2j * np.exp(1j))
    assert result.t_events[0][0] == pytest.approx(np.pi / 2)
    assert result.y_events[0][0][0] == pytest.approx(1j)


def test_a_jacobian_is_used_where_the_function_is_called():
    calls = []

    def jac(t, y):
        calls.append(t)
        return [[-1000.0, 0], [0, -1.0]]

    result = solve_ivp(lambda t, y: [-1000 * y[0], -y[1]], (0, 1), [1.0, 1.0], method="bdf", jac=jac, trace=False)
    assert calls and result.success and result.njev > 0


def test_misuse_is_told():
    def fun(t, y):
        return -y

    for wrong, what in ((dict(method="no method"), "`method` must be one of"), (dict(t_eval=[0, 5]), "not within"),
                        (dict(t_eval=[0.5, 0.2]), "not properly sorted"), (dict(max_step=-1), "`max_step`"),
                        (dict(first_step=-1), "`first_step`"), (dict(atol=-1), "`atol`"), (dict(atol=[1e-6] * 3), "wrong shape"),
                        (dict(names=["a b"]), "`names`")):
        with pytest.raises(ValueError, match=what):
            solve_ivp(fun, (0, 1), [1.0], **wrong)
    with pytest.raises(ValueError, match="1-dimensional"):
        solve_ivp(fun, (0, 1), [[1.0]])
    with pytest.raises(ValueError, match="finite"):
        solve_ivp(fun, (0, np.inf), [1.0])
    with pytest.raises(ValueError, match="finite"):
        solve_ivp(fun, (0, 1), [np.nan])
    with pytest.raises(TypeError, match="callable"):
        solve_ivp("fun", (0, 1), [1.0])
    with pytest.raises(ValueError, match="2 numbers; expected 1"):
        solve_ivp(lambda t, y: [1.0, 2.0], (0, 1), [1.0])
    with pytest.warns(UserWarning, match="no effect"):
        solve_ivp(fun, (0, 1), [1.0], nonsense=3)


def test_names_are_those_of_the_function_or_told():
    assert solve_ivp(lambda t, y: [-y[0]], (0, 1), [1.0]).state_names == ["y0"]
    result = solve_ivp(lambda t, y: [-y[0]], (0, 1), [1.0], names=["charge"])
    assert np.array_equal(result["charge"], result.y[0])
    with pytest.raises(KeyError, match="charge"):
        result["current"]


def test_watched_branches_are_one_surface_for_one_number():
    def fun(t, y):
        v = y[1]
        if v > 0:
            f = 0.4
        elif v < 0:
            f = -0.4
        else:
            f = 0.0
        return [v, -y[0] - f + math.cos(0.5 * t)]

    called = solve_ivp(fun, (0, 30), [2.0, 0.0], trace=False, rtol=1e-9, atol=1e-12)
    traced = solve_ivp(fun, (0, 30), [2.0, 0.0], rtol=1e-9, atol=1e-12)
    assert called.surface_names[0].startswith("line ") and len(called.surface_names) == 1
    assert np.allclose(called.y[:, -1], traced.y[:, -1], atol=1e-7)
    assert len(called.events) == len(traced.events)


def test_a_function_of_another_library_is_called_with_its_surfaces_told():
    from scipy.interpolate import CubicSpline

    spline = CubicSpline(np.linspace(-3, 3, 20), np.linspace(-3, 3, 20))  # the identity

    def fun(t, y):
        return [y[1], -float(spline(float(str(float(y[0]))))) - (0.4 if float(y[1]) > 0 else -0.4) + np.cos(0.5 * t)]

    def stick(t, y):
        return y[1]

    told = solve_ivp(fun, (0, 12), [2.0, 0.0], surfaces=stick, rtol=1e-8, atol=1e-10)
    assert not told.traced and told.surface_names == ["stick"]
    assert [e.kind for e in told.events][:2] == ["sliding_entry", "sliding_exit"]
    exact = solve_ivp(lambda t, y: [y[1], -y[0] - 0.4 * np.sign(y[1]) + np.cos(0.5 * t)], (0, 12), [2.0, 0.0], rtol=1e-10,
                      atol=1e-12)
    assert np.allclose(told.y[:, -1], exact.y[:, -1], atol=1e-5)


def test_a_function_that_changes_between_calls_is_not_taken_for_its_trace():
    state = {"k": 1.0}

    def fun(t, y):
        state["k"] *= 1.5
        return [-state["k"] * 0 + (1.0 if state["k"] < 3 else 2.0)]

    with pytest.raises(slideway.RemembersError, match=r"state\['k'\]"):
        solve_ivp(fun, (0, 1), [0.0])
    assert state["k"] == 1.0
    with pytest.warns(slideway.UnknownJumpsWarning):
        assert not solve_ivp(fun, (0, 1), [0.0], memory="ignore").traced


def test_no_warning_comes_from_within():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        solve_ivp(season, (0, 3), [0.2])
        solve_ivp(season, (0, 3), [0.2], trace=False)


def test_values_of_the_wrong_kind_are_told():
    with pytest.raises(TypeError, match="max_events cannot be 'many'"):
        solve_ivp(lambda t, y: -y, (0, 1), [1.0], max_events="many")
    with pytest.raises(TypeError, match="rtol cannot be 'small'"):
        slideway.load("evaporator").run(rtol="small")
    with pytest.raises(TypeError, match="returned None; expected 1"):
        solve_ivp(lambda t, y: None, (0, 1), [1.0])
    with pytest.raises(TypeError, match="no numbers"):
        solve_ivp(lambda t, y: "abc", (0, 1), [1.0])
    with pytest.raises(TypeError, match="positional argument"):
        solve_ivp(lambda t: t, (0, 1), [1.0])
    with pytest.raises(ValueError, match="an event function returned 2"):
        solve_ivp(lambda t, y: -y, (0, 1), [1.0], events=lambda t, y: [y[0], 2.0])


@pytest.mark.parametrize("options", [dict(), dict(trace=False), dict(method="BDF", t_eval=[1.0, 0.5, 0.1])])
def test_results_of_functions_are_pickled(options):
    import pickle

    def fun(t, y):
        return [y[1], -y[0] - 0.4 * np.sign(y[1])]

    result = solve_ivp(fun, (2, 0), [1.0, 0.1], dense_output=True, rtol=1e-8, **options)
    again = pickle.loads(pickle.dumps(result))
    times = np.linspace(2, 0, 57)
    assert np.array_equal(again.y, result.y) and again.how == result.how
    assert np.allclose(again.sol(times), result.sol(times), rtol=0, atol=1e-12)
    assert [e.t for e in again.events] == [e.t for e in result.events]
    if result.traced:
        assert again.mode_at(1.5) == result.mode_at(1.5)
    else:
        with pytest.raises(RuntimeError, match="another process"):
            again.mode_at(1.5)
    z = pickle.loads(pickle.dumps(solve_ivp(lambda t, y: 1j * y, (0, 1), [1 + 0j], dense_output=True)))
    assert abs(z.sol(1.0)[0] - np.exp(1j)) < 1e-2


def test_a_function_with_the_arguments_of_odeint_is_warned_of():
    with pytest.warns(UserWarning, match=r"has the arguments \(y, t\).*the first is the time"):
        result = solve_ivp(lambda y, t: -y, (0, 1), [1.0])
    # It is called as scipy does: y' = -t, which is 1 - 1/2 at the end.
    assert result.y[0, -1] == pytest.approx(0.5, abs=1e-6)
    assert any("arguments (y, t)" in line for line in result.warnings)


def test_surfaces_are_told_of_complex_states_too():
    def slower_above(t, z):
        return [1j*z[0]*(1.0 if z[0].imag < 0.5 else 0.5)]

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = solve_ivp(slower_above, (0, 2), [1 + 0j], surfaces=[lambda t, z: z[0].imag - 0.5], rtol=1e-9, atol=1e-11)
        smooth = solve_ivp(lambda t, z: 1j*z, (0, 1), [1 + 0j], surfaces=[], rtol=1e-9, atol=1e-11)
    # The angle grows by 1 up to pi/6, where the imaginary part is 1/2, and by 1/2 from there on.
    assert result.events[0].t == pytest.approx(math.pi/6, abs=1e-8)
    assert result.y[0, -1] == pytest.approx(np.exp(1j*(math.pi/6 + 0.5*(2 - math.pi/6))), abs=1e-8)
    assert smooth.y[0, -1] == pytest.approx(np.exp(1j), abs=1e-8)


@pytest.mark.parametrize("end", [240, 480, 2400])
def test_a_called_function_that_is_zero_at_first_is_not_stepped_over(end):
    def daylight(t, y):
        return [max(0, np.sin(np.pi * (t % 24 - 6) / 12)) - y[0]]

    result = solve_ivp(daylight, (0, end), [0.0], rtol=1e-6, trace=False)
    exact = scipy.integrate.solve_ivp(daylight, (0, end), [0.0], rtol=1e-6, max_step=1.0)
    assert result.y[0, -1] == pytest.approx(exact.y[0, -1], abs=1e-4)
    assert result.y.max() == pytest.approx(exact.y.max(), abs=1e-3)


def test_looking_at_the_pace_of_a_called_function_costs_no_steps(monkeypatch):
    import slideway._problem

    def swing(t, y):
        return [y[1], -y[0] + np.sin(t)]

    def evaluations():
        return [solve_ivp(swing, (0, 60), [0.0, 1.0], rtol=rtol, trace=False).nfev for rtol in (1e-3, 1e-6, 1e-9)]

    bounded = evaluations()
    monkeypatch.setattr(slideway._problem, "quickest_change", lambda *_: None)
    assert np.allclose(bounded, evaluations(), rtol=0.05)
