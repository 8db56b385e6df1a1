"""Curves of bifurcations in the plane of two parameters, which have closed forms."""

import math

import numpy as np
import pytest

import slideway

PLANE = """
[parameters]
a = 0.1
b = 0.1
[states]
x = 0.3
y = 0.2
[time]
end = 10.0
[derivatives]
{derivatives}
[surfaces]
side = "{side}"
"""


def plane(derivatives, side="x"):
    return slideway.parse(PLANE.format(derivatives=derivatives, side=side))


def ranges(count=21):
    return {"a": np.linspace(-1, 1, count), "b": np.linspace(-1, 1, count)}


@pytest.mark.parametrize("beyond, kind", [("1", "persistence"), ("-1", "nonsmooth")])
def test_boundary_equilibria_of_a_planar_system_lie_on_a_line(beyond, kind):
    model = plane(f'x = "if(side > 0, -x + 2*y + a, {beyond})"\ny = "x - 3*y + b"')
    curves = model.equilibria(vary=ranges())
    assert curves.varied == ("a", "b") and len(curves) == 1
    curve, = curves
    assert curve["kind"] == "BE" and curve.values.shape == (2, len(curve["points"])) and curve.states.shape[0] == 2
    assert curve.values.shape[1] >= 10
    assert np.abs(3 * curve["a"] + 2 * curve["b"]).max() < 1e-9
    assert all(kind in point["boundary"].replace("-", "") for point in curve["points"])
    assert curve.special == []


def test_a_closed_curve_is_closed_and_drawn():
    model = plane('x = "if(side > 0, -x + a^2 + b^2 - 0.25, 1)"\ny = "x - y"')
    curves = model.equilibria(vary=ranges(), b=0.2, bifurcation="BE")
    curve = next(c for c in curves if c["closed"])
    assert np.abs(curve.values[0] ** 2 + curve.values[1] ** 2 - 0.25).max() < 1e-9
    axes = curves.plot()
    assert axes.get_xlabel() == "a" and axes.get_ylabel() == "b" and len(axes.lines) >= len(curves)


def test_points_of_curves_have_names():
    # The fold x = 0 at a = 0 meets the equilibria x = −b at the surface, where a = b².
    model = plane('x = "if(side > 0, a - x^2, 1)"\ny = "x - y"', side="x + b")
    for curve in model.equilibria(vary=ranges()):
        exact = curve["a"] if curve["kind"] == "SN" else curve["a"] - curve["b"] ** 2
        assert np.abs(exact).max() < 1e-8
        point, = [p for p in curve.special if p.name == "SN+BE"]
        assert (point.first, point.second) == pytest.approx((0, 0), abs=1e-7)


def test_the_grazing_curve_of_an_impact_oscillator_is_the_amplitude_of_its_response():
    model = slideway.load("gallery/impact_oscillator")
    curves = model.orbit(period=lambda d, w: 2 * math.pi / w, transient=240, x=-0.17, w=2.6,
                         vary={"d": np.linspace(0.23, 0.13, 9), "w": np.linspace(2.4, 2.8, 11)})
    curve, = curves
    assert curve["kind"] == "GR" and curve.values.shape[1] >= 10
    d, w = curve.values
    assert np.allclose(d, 1 / np.hypot(1 - w * w, 0.1 * w), rtol=0, atol=1e-8)


def test_misuse_is_told():
    model = plane('x = "if(side > 0, -x + 2*y + a, 1)"\ny = "x - 3*y + b"')
    with pytest.raises(ValueError, match="plane of two parameters"):
        model.equilibria(vary={"a": np.linspace(-1, 1, 5)}, bifurcation="BE")
    with pytest.raises(ValueError, match="no such bifurcation has curves"):
        model.equilibria(vary=ranges(), bifurcation="XY")
    with pytest.raises(ValueError, match="one parameter with its values"):
        model.orbit(vary={"a": [0, 1], "b": [0, 1], "c": [0, 1]})
