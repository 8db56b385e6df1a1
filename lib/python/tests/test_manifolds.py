"""Manifolds and connections with closed forms."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import slideway

DUFFING = """
[states]
x = 0.5
v = 0.0
[time]
end = 5.0
[derivatives]
x = "v"
v = "x - x^3"
"""
DRIVEN = """
[states]
x = -0.5
v = 0.0
[time]
end = 1.0
[derivatives]
x = "v"
v = "x + cos(t)"
"""
SKEWED = """
[parameters]
p = 0.1
[states]
x = 0.2
v = 0.1
[time]
end = 1.0
[surfaces]
edge = "x - 1"
[derivatives]
x = "v"
v = "if(edge > 0, 2 - x - p*v, x + 0.2*v)"
"""


def test_the_separatrix_of_duffings_oscillator():
    manifolds = slideway.parse(DUFFING).manifolds(length=3)
    assert manifolds.names == ["x", "v"] and manifolds.points.shape == (2, 1) and np.abs(manifolds.points).max() < 1e-12
    assert sorted(piece["kind"] for piece in manifolds) == ["stable", "stable", "unstable", "unstable"]
    for piece in manifolds:
        x, v = piece.states
        assert np.abs(v**2 - x**2 + x**4 / 2).max() < 1e-8
        assert piece.arclength[-1] == pytest.approx(3, abs=1e-10) and piece.time.shape == piece.arclength.shape and piece.breaks == []
    axes = manifolds.plot()
    assert axes.get_xlabel() == "x" and len(axes.lines) == 5
    assert [piece["kind"] for piece in slideway.parse(DUFFING).manifolds(length=1, only="stable")] == ["stable"] * 2


def test_the_curves_of_a_driven_saddle_are_straight():
    manifolds = slideway.parse(DRIVEN).manifolds(period="2*pi", length=2)
    assert slideway.parse(DRIVEN).manifolds(period=2 * math.pi, length=2).document == manifolds.document
    assert len(manifolds) == 4 and np.abs(manifolds.points[:, 0] - [-0.5, 0]).max() < 1e-9
    for piece in manifolds:
        slope = 1 if piece["kind"] == "unstable" else -1
        assert np.abs(piece.states[1] - slope * (piece.states[0] + 0.5)).max() < 1e-8
        assert piece.returns.max() >= 1


def test_a_homoclinic_connection_is_where_scipy_finds_it():
    unstable, stable = 0.1 + math.sqrt(1.01), 0.1 - math.sqrt(1.01)

    def missed(p):
        """The straight unstable manifold enters at the edge with v = unstable, and is to come back with v = stable."""
        def back(t, y):
            return y[0] - 1 if t > 1e-3 else 1.0

        back.terminal, back.direction = True, -1
        return solve_ivp(lambda t, y: [y[1], 2 - y[0] - p * y[1]], (0, 20), [1.0, unstable], events=back, rtol=1e-12, atol=1e-13, method="DOP853").y[1, -1] - stable

    exact = brentq(missed, 0.02, 0.4, xtol=1e-13)
    model = slideway.parse(SKEWED)
    found = model.connections(connect={"x": 2.0}, vary={"p": np.linspace(0.02, 0.4, 5)}, length=12)
    one, = found.found
    assert one["kind"] == "homoclinic" and one["parameter"] == pytest.approx(exact, abs=1e-9) and abs(one["gap"]) < 1e-9
    assert one.state["x"] == pytest.approx(2, abs=1e-9) and one.unstable == one.stable and one.unstable["state"]["x"] == pytest.approx(0, abs=1e-9)
    gap, *_ = found.gaps
    assert gap.gap.shape == gap.parameter.shape and "homoclinic" in repr(found)
    axes = found.plot()
    assert axes.get_xlabel() == "p" and len(axes.lines) == len(found.gaps) + 2
    assert model.manifolds(connect={"x": 2.0}, vary={"p": np.linspace(0.02, 0.4, 5)}, length=12).document == found.document


def test_the_plane_of_a_picture_is_chosen():
    manifolds = slideway.parse(DUFFING).manifolds(length=1)
    assert manifolds.plot(phase=["v", "x"]).get_xlabel() == "v"
    with pytest.raises(ValueError, match="two of the states x, v"):
        manifolds.plot(phase=["x", "w"])


@pytest.mark.parametrize("question", [{"only": "both"}, {"connect": {"x": 2.0}}, {"vary": {"p": np.linspace(0, 1, 3)}},
                                      {"connect": {"x": 1.0}, "vary": {"p": np.linspace(0, 1, 3)}, "period": 1.0},
                                      {"length": -1.0}, {"section": "nothing"}, {"period": "q"}, {"max_runs": 0, "period": 1.0},
                                      {"max_runs": 9}, {"fan": 2, "period": 1.0}, {"starts": 0}, {"transient": 1.0}])
def test_questions_that_make_no_sense_are_refused(question):
    with pytest.raises(ValueError):
        slideway.parse(SKEWED).manifolds(**question)
