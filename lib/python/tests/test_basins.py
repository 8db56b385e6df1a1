"""Basins of attraction with closed forms, beside brute force by scipy, and beside the command."""

import json
import math
import os
import pathlib
import subprocess

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import slideway

PROGRAM = pathlib.Path(os.environ.get("SLIDEWAY_BUILD_DIR", "")) / "bin" / "slideway"
RELAY = """
name = "relay"
[states]
x = 0.1
y = 0.1
[time]
end = 20.0
[derivatives]
x = "-x + sgn(x - y)"
y = "-y"
"""
DUFFING = """
[parameters]
d = 0.25
[states]
x = 0.5
v = 0.0
[time]
end = 60.0
[derivatives]
x = "v"
v = "x - x^3 - d*v"
"""
PLANE = {"x": (-2, 2), "y": (-2, 2)}


def test_the_basins_of_a_relay_meet_on_the_line_where_it_repels():
    basins = slideway.parse(RELAY).basins(plane=PLANE, size=64, samples=400, jobs=2)
    assert basins.complete and basins.autonomous and basins.cells.shape == (64, 64) and list(basins.axes) == ["x", "y"]
    x, y = np.meshgrid(*basins.axes.values())
    assert x[0, 0] == -2 + 2 / 64 and basins.extent == (-2, 2, -2, 2)
    names = np.array([end["name"] for end in basins.ends])[basins.cells]
    assert (names[x == y] == "ambiguous").all()
    places = {end["name"]: basins.attractor_of(end["name"]) for end in basins.ends}
    assert places["ambiguous"] is None
    for name in ("1", "2"):
        attractor = places[name]
        assert attractor.kind == "point" and attractor.stable and attractor.points.shape == (2, 1)
        side = np.sign(attractor.points[0, 0])
        assert attractor.points[:, 0] == pytest.approx([side, 0], abs=1e-3)
        assert np.array_equal(names == name, np.sign(x - y) == side)
    assert basins.fractions["1"] == basins.fractions["2"] == (64 * 63 / 2) / 64**2
    assert basins.fractions["ambiguous"] == 1 / 64 and sum(basins.sampled.values()) == pytest.approx(1)
    p = basins.sampled["1"]
    assert basins.errors["1"] == pytest.approx(math.sqrt(p * (1 - p) / 400), rel=1e-3) and abs(p - basins.fractions["1"]) < 4 * basins.errors["1"] + 0.01
    assert basins.dimension.exponent == pytest.approx(1, abs=0.05) and basins.dimension.sizes.shape == basins.dimension.values.shape


def test_the_wells_of_duffings_oscillator_are_those_that_scipy_finds():
    basins = slideway.parse(DUFFING).basins(plane={"x": (-2, 2), "v": (-3, 3)}, size=(32, 24), samples=0)
    assert basins.cells.shape == (24, 32)
    x, v = (grid.ravel() for grid in np.meshgrid(*basins.axes.values()))

    def field(_, both):
        x, v = both.reshape(2, -1)
        return np.concatenate([v, x - x**3 - 0.25 * v])

    end = solve_ivp(field, (0, 60), np.concatenate([x, v]), method="DOP853", rtol=1e-9, atol=1e-11).y[:, -1].reshape(2, -1)
    assert np.abs(np.abs(end[0]) - 1).max() < 0.01
    points = np.array([basins.attractors[e["attractor"]].points[0, 0] for e in basins.ends])
    assert np.array_equal(np.sign(points[basins.cells.ravel()]), np.sign(end[0]))
    fraction = np.mean(end[0] > 0)
    assert basins.fractions[basins.ends[int(np.argmax(points))]["name"]] == fraction


def test_a_driven_oscillator_with_impacts_is_that_of_the_command():
    if not PROGRAM.exists():
        pytest.skip("there is no command beside the package")
    model = slideway.load("gallery/impact_oscillator")
    plane = {"x": (-3, 0), "v": (-3, 3)}
    basins = model.basins(plane=plane, size=24, period="2*pi/w", samples=100, seed=3)
    told = subprocess.run([str(PROGRAM), "basins", "gallery/impact_oscillator", "--plane", "x=-3:0,v=-3:3", "--size", "24", "--period", "2*pi/w", "--samples", "100",
                           "--seed", "3", "--json", "-"], capture_output=True, text=True, check=True)
    assert basins.document == json.loads(told.stdout)
    again = model.basins(plane=plane, size=24, period=2 * math.pi / model.parameters["w"], samples=100, seed=3, jobs=1)
    assert again.document == basins.document
    assert {attractor.kind for attractor in basins.attractors} == {"orbit"} and all(attractor.matched for attractor in basins.attractors)
    assert [attractor.points.shape for attractor in basins.attractors] == [(2, attractor.rounds) for attractor in basins.attractors]


def test_a_traced_function_has_basins_and_angles_are_wrapped():
    def pendulum(t, y):
        theta, w = y
        return [w, -np.sin(theta) - 0.3 * w]

    model = slideway.trace(pendulum, (0, 60), [0.5, 0.0])
    names = model.state_names
    plane = {names[0]: (-math.pi, math.pi), names[1]: (-2, 2)}
    wrapped = model.basins(plane=plane, size=16, samples=0, wrap={names[0]: 2 * math.pi})
    assert len([attractor for attractor in wrapped.attractors if attractor.stable]) == 1
    assert wrapped.document == model.basins(plane=plane, size=16, samples=0, wrap={names[0]: "2*pi"}).document
    other = model.basins(plane={names[0]: (-9, 9), names[1]: (-2, 2)}, size=24, samples=0)
    assert len([attractor for attractor in other.attractors if attractor.stable]) >= 3


def test_parameters_and_other_initial_values_are_those_that_are_given():
    model = slideway.parse(RELAY.replace("[states]", "[parameters]\nk = 1.0\n[states]").replace("y = 0.1", "y = 0.1\nz = 0.0").replace("sgn(x - y)", "k*sgn(x - y - z)").replace(
        'y = "-y"', 'y = "-y"\nz = "-z"'))
    plane = dict(plane=PLANE, size=16, samples=0)
    assert sorted(a.points[0, 0] for a in model.basins(k=0.5, **plane).attractors if a.stable) == pytest.approx([-0.5, 0.5], abs=1e-3)
    shifted = model.basins(z=10.0, **plane)
    assert {name for name, part in shifted.fractions.items() if part > 0} == {"1"} and shifted.attractors[0].points[0, 0] == pytest.approx(-1, abs=1e-3)


def test_a_table_is_kept_and_completed(tmp_path):
    model, table = slideway.parse(RELAY), tmp_path / "it's a table.csv".replace(" ", "_")
    found = model.basins(plane=PLANE, size=16, samples=50, csv=table)
    assert len(table.read_text().splitlines()) > 16 * 16
    again = model.basins(plane=PLANE, size=16, samples=50, csv=str(table), resume=True)
    assert np.array_equal(again.cells, found.cells) and again.sampled == found.sampled and again.fractions == found.fractions
    with pytest.raises(ValueError, match="does not belong"):
        model.basins(plane=PLANE, size=17, samples=50, csv=table, resume=True)


def test_basins_are_drawn_and_tabulated():
    basins = slideway.parse(RELAY).basins(plane=PLANE, size=16, samples=20)
    axes = basins.plot()
    assert axes.get_xlabel() == "x" and axes.get_ylabel() == "y" and axes.get_xlim() == (-2, 2)
    image = axes.images[0].get_array()
    assert image.shape == (16, 16, 3)
    x, y = np.meshgrid(*basins.axes.values())
    assert len({tuple(colour) for colour in image[x > y]}) == 1 and not np.array_equal(image[0, 15], image[15, 0])
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["ambiguous", "1: point", "2: point"]
    frame = basins.to_dataframe()
    assert list(frame["end"]) == list(basins.fractions) and frame["cells"].sum() == 256
    assert "basins of 16 × 16 cells of x and y" in repr(basins) and "point at" in repr(basins.attractors[0])


def test_progress_is_shown_when_it_is_asked_for(capsys):
    pytest.importorskip("tqdm")
    slideway.parse(RELAY).basins(plane=PLANE, size=128, samples=1000, thorough=True, jobs=1, progress=True)
    assert "start" in capsys.readouterr().err


@pytest.mark.parametrize("question, what", [
    (dict(plane={"x": (-1, 1)}), "two sides"), (dict(plane={"x": (-1, 1), "q": (-1, 1)}), "q"), (dict(plane={"x": (1, -1), "y": (-1, 1)}), "width"),
    (dict(plane={"x": (0, 1, 2), "y": (-1, 1)}), "3 ends"), (dict(plane=PLANE, size=0), "size"), (dict(plane=PLANE, samples=-1), "samples"),
    (dict(plane=PLANE, step=1.0, period=2.0), "one of both"), (dict(plane=PLANE, step="no"), "step"), (dict(plane=PLANE, resume=True), "csv"),
    (dict(plane=PLANE, reach=-1.0), "reach"), (dict(plane=PLANE, wrap={"q": 1.0}), "q"), (dict(plane=PLANE, max_rounds=0), "max_rounds")])
def test_what_makes_no_sense_is_told(question, what):
    with pytest.raises(ValueError, match=what):
        slideway.parse(RELAY).basins(**question)


def test_messages_name_the_arguments():
    driven = slideway.parse(RELAY.replace('y = "-y"', 'y = "cos(t) - y"'))
    for question, message in ((dict(plane=PLANE), "period: the equations depend on time"), (dict(plane={"x": (-1, 1), "q": (-1, 1)}), "plane: ")):
        with pytest.raises(ValueError) as caught:
            driven.basins(**question)
        assert str(caught.value).startswith(message)
