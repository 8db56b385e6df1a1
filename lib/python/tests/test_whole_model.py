"""Everything that a model file has, from Python."""

import dataclasses
import inspect
import math
import pickle
import re

import numpy as np
import pytest

import slideway
from slideway import Automaton, Contact, Edge, Every, Record, Reset, Stop, System

FRAME = "[states]\nx = 1\n[time]\nend = 1\n[derivatives]\nx = \"-x\"\n"


def known_to_reader(text):
    """The words that the reader expects where it meets something unknown."""
    with pytest.raises(slideway.ModelError) as caught:
        slideway.parse(text)
    message = str(caught.value)
    end = message.index(", got 'unknown'")
    return re.findall(r"'([^']*)'", message[message.rindex("expected ", 0, end):end])


ARGUMENTS = set(inspect.signature(System.__init__).parameters) | {"time"}  # which is t_span


def test_every_section_is_an_argument():
    sections = known_to_reader("unknown = 1\n" + FRAME)
    assert len(sections) > 20
    assert [s for s in sections if s not in ARGUMENTS] == []


@pytest.mark.parametrize("table, kind", [("resets", Reset), ("stops", Stop), ("records", Record), ("every", Every),
                                         ("contacts", Contact), ("edges", Edge), ("automata", Automaton)])
def test_every_key_is_a_field(table, kind):
    keys = known_to_reader(f"{FRAME}[[{table}]]\nunknown = 1\n")
    fields = [field.name.rstrip("_") for field in dataclasses.fields(kind)]
    assert len(keys) > 3
    assert [key for key in keys if key not in fields] == []


def test_keys_of_edges_of_automata_are_fields():
    keys = known_to_reader(f"{FRAME}[[automata]]\nname = \"a\"\n[[automata.locations]]\nname = \"l\"\n[[automata.edges]]\nunknown = 1\n")
    assert [key for key in keys if key not in [field.name.rstrip("_") for field in dataclasses.fields(Edge)]] == []


@pytest.mark.parametrize("table", ["surfaces", "algebraic", "inputs", "tables", "friction", "hysteresis", "discrete", "definitions", "states"])
def test_keys_of_tables_go_through(table):
    """A word that the reader does not know comes to it, and so does any that it knows."""
    given = {"states": {"x": 1.0}, table: {"q": {"size": 2, "unknown": 1}}}
    with pytest.raises(slideway.ModelError, match="unknown|law"):
        System({"x": "-x"}, t_span=(0, 1), **given)


def test_a_sampled_controller():
    system = System(lambda t, y, u: [u - 0.2 * y[0]], states={"x": 1.0}, t_span=(0, 5), discrete={"u": 0.0},
                    parameters={"k": 0.8, "Ts": 0.5}, every=[Every(period="Ts", set={"u": lambda t, y, k: -k * y[0]}, name="control")])
    result = system.run(rtol=1e-10)
    decay = math.exp(-0.2 * 0.5)
    factor = decay - 0.8 * (1 - decay) / 0.2
    assert result.final.state[0] == pytest.approx(factor**10, rel=1e-8)
    assert system.run(Ts=1.0).t_events[0].size == 6


def test_actions_at_listed_times_and_priorities():
    system = System({"x": "0*x"}, states={"x": 0.0}, t_span=(0, 3),
                    every=[Every(at=[1, "2"], set={"x": "x + 1"}), Every(at=[1], set={"x": "2*x"}, priority=1),
                           Every(period=1, offset=0.5, count=2, set=lambda t, y: [y[0] + 10])])
    # 10 at 0.5, then doubled before one is added at 1, 10 at 1.5, one at 2.
    assert system.run().final.state[0] == pytest.approx(32)


def test_signals_and_characteristics():
    def field(t, y, sun, torque):
        return [sun - torque(y[0])]

    times = np.array([0.0, 1.0, 2.0])
    system = System(field, states={"x": 0.0}, t_span=(0, 2), inputs={"sun": (times, [0.0, 1.0, 1.0])},
                    tables={"torque": {"x": [0, 10], "values": [0, 10], "extrapolation": "hold"}})
    # x' = t − x, then 1 − x.
    first = math.exp(-1)
    assert system.run(rtol=1e-10).final.state[0] == pytest.approx(1 + (first - 1) * math.exp(-1), abs=1e-8)
    pandas = pytest.importorskip("pandas")
    series = System(field, states={"x": 0.0}, t_span=(0, 2), inputs={"sun": pandas.Series([0.0, 1.0, 1.0], index=times)},
                    tables={"torque": ([0, 10], [0, 10])})
    assert series.run(rtol=1e-10).final.state[0] == pytest.approx(system.run(rtol=1e-10).final.state[0], abs=1e-9)


def test_elements_with_a_memory_and_friction_by_its_law():
    system = System(lambda t, y, F, relay: [y[1], -y[0] - F + 0.2 * relay], states={"x": 1.0, "v": 0.0}, t_span=(0, 20),
                    friction={"F": {"law": "coulomb", "velocity": lambda t, y: y[1], "Fc": 0.1}},
                    hysteresis={"relay": {"law": "relay", "input": "x", "low": -0.3, "high": 0.3}})
    text = slideway.parse("""
[states]
x = 1.0
v = 0.0
[time]
end = 20.0
[derivatives]
x = "v"
v = "-x - 0.1*sgn(v) + 0.2*hysteresis(x, -0.3, 0.3)"
""")
    assert system.run(rtol=1e-9).final.state[:2] == pytest.approx(text.run(rtol=1e-9).final.state[:2], abs=1e-6)


def test_mass_matrices():
    def mass(t, y):
        return np.array([[1.0, 0.0], [0.0, 2.0 + y[0] ** 2]])

    def field(t, y):
        return [y[1], -y[0] * (2.0 + y[0] ** 2)]

    expected = [math.cos(3.0), -math.sin(3.0)]
    for given in (mass, {"v": {"v": "2 + x^2"}}, {"v": {"v": lambda t, y: 2 + y[0] ** 2}}):
        system = System(field, states={"x": 1.0, "v": 0.0}, t_span=(0, 3), mass=given)
        assert system.run(rtol=1e-10).final.state == pytest.approx(expected, abs=1e-8)
    constant = System(lambda t, y: [2 * y[1] + y[0], y[0]], states=[1.0, 0.0], t_span=(0, 1), mass=[[1, 1], [0, 2]])
    # 2 y1' = y0, and y0' = 2 y1 + y0 − y1'.
    assert constant.field(0.0, [1.0, 3.0]) == pytest.approx([6.5, 0.5])


def test_automata_and_vectors():
    rooms = System({"T": "-0.1*(T[i] - 10)"}, states={"T": {"size": "N", "value": "20 + 0.9*sin(1.7*i)"}}, t_span=(0, 10),
                   parameters={"N": 3},
                   automata=[Automaton("thermostat", {"heating": {"T": "2 - 0.1*(T[i] - 10)"}, "idle": None}, size="N",
                                       edges=[Edge("heating", "idle", "T[i] > 21"), Edge("idle", "heating", "T[i] < 19")])])
    result = rooms.run(rtol=1e-9)
    assert result.y[:3].max() == pytest.approx(21, abs=1e-6)
    with pytest.raises(ValueError, match="'T' is a vector"):
        System(lambda t, y: [0.0], states={"T": {"size": 3, "value": "1"}}, t_span=(0, 1))


def test_a_thermostat_of_functions_in_an_automaton():
    heater = Automaton("heater", {"on": lambda t, y: [30 - y[0]], "off": lambda t, y: [10 - y[0]]},
                       [Edge("on", "off", lambda t, y: y[0] > 21), Edge("off", "on", lambda t, y: y[0] < 19)])
    system = System({"T": 0.0}, states={"T": 15.0}, t_span=(0, 5), automata=[heater])
    hot = next(e for e in system.run(rtol=1e-9).events if e.kind == "reset")
    assert hot.t == pytest.approx(math.log(15 / 9))


def test_delayed_actions():
    system = System(lambda t, y, u: [u], states={"x": 1.0}, t_span=(0, 4), discrete={"u": -1.0},
                    resets=[Reset(lambda t, y: y[0], {"u": 1.0}, "falling", delay=0.25, values="trigger", priority=2)])
    # Down to −0.25 at 1.25, then up.
    assert system.run().final.state[0] == pytest.approx(2.5)


def test_models_are_written_and_read():
    system = System(lambda t, y, mu: [y[1], -y[0] - mu * np.sign(y[1])], states={"x": 1.0, "v": 0.0}, t_span=(0, 10),
                    parameters={"mu": 0.2}, summary="a block", source="a test", name="block")
    again = slideway.Model.from_toml(system.to_toml())
    assert (again.name, again.summary, again.source) == ("block", "a block", "a test")
    assert again.run(mu=0.1).y.tolist() == system.run(mu=0.1).y.tolist()
    with pytest.raises(ValueError, match="built in"):
        slideway.load("evaporator").to_toml()


def test_models_are_written_into_files(tmp_path):
    model = slideway.trace(lambda t, y: [-y[0]], (0, 1), [1.0])
    model.to_toml(tmp_path / "decay.toml")
    assert slideway.Model.from_toml(tmp_path / "decay.toml").run().y.tolist() == model.run().y.tolist()


def test_labels_and_units():
    system = System({"x": "v", "v": "-x"}, states={"x": 1.0, "v": 0.0}, t_span=(0, 1), labels={"x": "position"},
                    units={"x": "m", "v": "m/s"})
    result = pickle.loads(pickle.dumps(system)).run()
    assert [result.label(name) for name in ("x", "v")] == ["position in m", "v in m/s"]
    assert '[labels]\nx = "position"\n[units]\nx = "m"\nv = "m/s"\n' in system.to_toml()
    again = slideway.Model.from_toml(system.to_toml())
    assert again.labels == {"x": "position"} and again.units == {"x": "m", "v": "m/s"}
    with pytest.raises(slideway.ModelError, match="names no quantity"):
        System({"x": "-x"}, states={"x": 1.0}, t_span=(0, 1), labels={"X": "position"})
    data = pytest.importorskip("xarray") and result.to_xarray()
    assert data["v"].attrs["units"] == "m/s" and data["x"].attrs["long_name"] == "position"


def friction(t, y, mu, w):
    x, v = y
    return [v, -x - mu * np.sign(v) + np.cos(w * t)]


def test_a_traced_function_is_a_model():
    model = slideway.trace(friction, (0, 20), [2.0, 0.0], args=(0.4, 0.5))
    assert model.parameters == {"mu": 0.4, "w": 0.5} and model.state_names == ["x", "v"]
    result = slideway.solve_ivp(friction, (0, 20), [2.0, 0.0], args=(0.4, 0.5), rtol=1e-9)
    assert model.run(rtol=1e-9).final.state == pytest.approx(result.final.state, abs=1e-6)
    assert "0.4*sgn(v)" in result.model.text
    assert slideway.solve_ivp(friction, (0, 1), [2.0, 0.0], args=(0.4, 0.5), trace=False).model is None
    with pytest.raises(slideway.Untraceable):
        slideway.trace(lambda t, y: [math.gamma(y[0])], (0, 1), [1.0])


def test_arguments_that_are_no_parameters_stay_numbers():
    def whole(t, y, n, k):
        return [sum(-k * y[0] for _ in range(n))]

    model = slideway.trace(whole, (0, 1), [1.0], args=(3, 0.5))
    assert model.parameters == {"k": 0.5} and model.run().final.state[0] == pytest.approx(math.exp(-1.5), rel=1e-5)


def test_derivatives_by_arguments():
    result = slideway.solve_ivp(lambda t, y, k: [-k * y[0]], (1, 0), [2.0], args=(0.4,), rtol=1e-10, sensitivities=["k", "y0"])
    # y = 2 exp(k (1 − t)).
    assert result.sensitivities.final[0] == pytest.approx([2 * math.exp(0.4), math.exp(0.4)], rel=1e-7)
    assert result.sensitivities(0.5)[0] == pytest.approx([math.exp(0.2), math.exp(0.2)], rel=1e-7)
    gradient = slideway.solve_ivp(lambda t, y, k: [-k * y[0]], (0, 1), [2.0], args=(0.4,), rtol=1e-10).gradient("y0")
    assert gradient["k"] == pytest.approx(-2 * math.exp(-0.4), rel=1e-7) and gradient["y0"] == pytest.approx(math.exp(-0.4), rel=1e-7)
    with pytest.raises(ValueError, match="'q', which is no number among args"):
        slideway.solve_ivp(lambda t, y, k: [-k * y[0]], (0, 1), [2.0], args=(0.4,), sensitivities=["q"])
