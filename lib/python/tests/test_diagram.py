"""Diagrams of two parameters whose regions and curves have closed forms."""

import math

import numpy as np
import pytest

import slideway

RELAY = """
[parameters]
a = 0.1
b = 0.5
[states]
x = 0.3
y = 0.1
[time]
end = 10.0
[surfaces]
side = "x"
[derivatives]
x = "a - x - b*sgn(side)"
y = "-y"
"""


def test_a_relay_slides_between_two_lines():
    diagram = slideway.parse(RELAY).diagram(plane={"a": (-1, 1), "b": (0.05, 1)}, size=(20, 19))
    assert diagram.complete and diagram.autonomous and diagram.cells.shape == diagram.backward.shape == (19, 20)
    a, b = np.meshgrid(*diagram.axes.values())
    slides, = [region for region in diagram.regions if region["slides"]]
    assert np.array_equal(slides.cells, np.abs(a) < b) and not diagram.coexisting.any()
    assert all(region["attractor"] == "point" for region in diagram.regions)
    assert np.array_equal(diagram.cells, diagram.backward)
    assert diagram.curves and {curve.kind for curve in diagram.curves} == {"BE"}
    for curve in diagram.curves:
        first, second = curve.values
        assert np.abs(np.abs(first) - second).max() < 1e-8 and len(curve.kinds) == first.size and curve["of"] == "equilibria"
    assert 0 < diagram.explained <= diagram.borders


def test_an_oscillator_touches_its_stop_where_its_response_is_as_large():
    diagram = slideway.load("gallery/impact_oscillator").diagram(plane={"d": (0.13, 0.25), "w": (2.4, 2.8)}, size=6, period="2*pi/w", curve_rounds=1)
    d, w = np.meshgrid(*diagram.axes.values())
    free, = [region for region in diagram.regions if region["name"] == "orbit, no events"]
    assert free["rounds"] == 1 and free["attractor"] == "orbit" and free.cells.any()
    assert not free.cells[d < 1 / np.hypot(1 - w * w, 0.1 * w)].any()
    grazing, = [curve for curve in diagram.curves if curve.kind == "GR" and not (curve["before"] and curve["after"])]
    d, w = grazing.values
    assert d.size > 10 and np.allclose(d, 1 / np.hypot(1 - w * w, 0.1 * w), rtol=0, atol=1e-8)


def test_two_points_of_a_relay_that_repels_coexist():
    # Where the relay repels, x = a ± b both attract where |a| < b, and one of them elsewhere.
    model = slideway.parse(RELAY.replace("- b*sgn", "+ b*sgn"))
    diagram = model.diagram(plane={"a": (-1, 1), "b": (0.05, 1)}, size=10, no_curves=True)
    a, b = np.meshgrid(*diagram.axes.values())
    assert np.array_equal(diagram.coexisting, np.abs(a) < b) and diagram.curves == []


def test_diagrams_are_drawn_and_kept(tmp_path):
    model, table = slideway.parse(RELAY), tmp_path / "diagram.csv"
    plane = {"a": (-1, 1), "b": (0.05, 1)}
    diagram = model.diagram(plane=plane, size=6, csv=table)
    assert model.diagram(plane=plane, size=6, csv=table, resume=True).document == diagram.document
    axes = diagram.plot()
    assert axes.get_xlabel() == "a" and axes.get_ylabel() == "b" and axes.images[0].get_array().shape == (12, 12, 3)
    assert len(axes.lines) >= len(diagram.curves)
    assert "BE" in [text.get_text() for text in axes.get_legend().get_texts()]
    assert "diagram of 6 × 6 cells of a and b" in repr(diagram) and "curve BE" in repr(diagram.curves[0])


def test_events_that_come_again_are_counted_in_short_names():
    document = {"name": "orbit of 4 rounds: impact(stop) impact(stop) release(stop)", "attractor": "orbit"}
    region = slideway._planes.DiagramRegion(document, np.zeros((1, 1), dtype=bool))
    assert region.short_name == "orbit of 4 rounds: 2 × impact(stop) release(stop)"
    assert slideway._planes.DiagramRegion({"name": "point"}, np.zeros((1, 1), dtype=bool)).short_name == "point"


@pytest.mark.parametrize("question, what", [
    (dict(plane={"a": (-1, 1), "x": (-1, 1)}), "x"), (dict(plane={"a": (-1, 1), "b": (0, 1)}, parts=1), "parts"),
    (dict(plane={"a": (-1, 1), "b": (0, 1)}, step="c"), "step"), (dict(plane=[("a", 0, 1)]), "two sides"),
    (dict(plane={"a": (-1, math.inf), "b": (0, 1)}), "finite")])
def test_what_makes_no_sense_is_told(question, what):
    with pytest.raises(ValueError, match=what):
        slideway.parse(RELAY).diagram(**question)
