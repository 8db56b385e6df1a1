"""Systems with contacts, resets and locations, of Python functions."""

import math
import pickle

import numpy as np
import pytest

import slideway
from slideway import Contact, Edge, Record, Reset, Stop, System


def test_parameters_are_swept():
    def friction(t, y, mu, w):
        x, v = y
        return [v, -x - mu * np.sign(v) + np.cos(w * t)]

    system = System(friction, states={"x": 2.0, "v": 0.0}, t_span=(0, 50), parameters={"mu": 0.4, "w": 0.5})
    assert system.parameters == {"mu": 0.4, "w": 0.5}
    result = system.run(mu=0.3)
    other = slideway.load("dry-friction").run(mu=0.3, t_end=50)
    assert np.allclose(result.final.state, other.final.state, atol=1e-5)
    again = pickle.loads(pickle.dumps(system))
    assert isinstance(again, System)
    assert np.array_equal(again.run(mu=0.3).final.state, result.final.state)
    assert system.sweep(mu=[0.2, 0.3], jobs=1).final[1].tolist() == result.final.state.tolist()


def test_surfaces_have_names_and_signs():
    def field(t, y, lam):
        return [y[1], -y[0] - 0.4 * lam[0] + np.cos(0.5 * t)]

    system = System(field, states=[2.0, 0.0], t_span=(0, 20), surfaces={"stick": lambda t, y: y[1]})
    result = system.run()
    assert result.surface_names == ["stick"] and result.state_names == ["y0", "y1"]
    assert result.events[0].surfaces == ["stick"]


def test_break_away_holds_more_at_rest():
    system = System(lambda t, y, lam: [lam[0] * -1.0 + 0.5 * t], states={"v": 0.0}, t_span=(0, 10),
                    surfaces={"stick": {"value": lambda t, y: y[0], "break_away": 1.5}})
    result = system.run()
    assert result.events[0].kind == "sliding_exit"
    assert result.events[0].t == pytest.approx(3.0)  # not at 2


def test_a_ball_bounces_and_rests():
    ball = System(lambda t, y: [y[1], -9.8], states={"x": 10.0, "v": 0.0}, t_span=(0, 60),
                  contacts=[Contact(gap=lambda t, y: y[0], acts_on={"v": 1.0}, restitution=0.9, name="floor")],
                  records=[Record(lambda t, y: y[1], "falling", "apex")])
    result = ball.run(rtol=1e-9)
    fall = math.sqrt(2 * 10 / 9.8)
    rest = fall * (1 + 2 * 0.9 / 0.1)
    zeno = next(e for e in result.events if e.kind == "zeno")
    assert zeno.t == pytest.approx(rest, rel=1e-6)
    assert result.final.state == pytest.approx([0, 0], abs=1e-9)
    assert result.t_events[result.event_names.index("apex")].size > 10

    softer = System(lambda t, y: [y[1], -9.8], states={"x": 10.0, "v": 0.0}, t_span=(0, 4),
                    contacts=[Contact(gap="x", acts_on=lambda t, y: [0, 1], restitution=lambda u: 0.9 / (1 + 0.01 * u))])
    u = 9.8 * fall
    hit = next(e for e in softer.run(rtol=1e-9).events if e.kind == "impact")
    assert hit.after[1] == pytest.approx(0.9 / (1 + 0.01 * u) * u, rel=1e-6)


def test_resets_and_stops():
    def bounce(t, y):
        return [y[0], -0.8 * y[1]]

    system = System(lambda t, y: [y[1], -9.8], states={"x": 1.0, "v": 0.0}, t_span=(0, 10),
                    resets=[Reset(lambda t, y: y[0], bounce, "falling", "hit")],
                    stops=[Stop(lambda t, y: t - 1.5, name="enough")])
    result = system.run()
    assert result.status == 1 and result.final.t == pytest.approx(1.5)
    assert result.t_events[result.event_names.index("hit")][0] == pytest.approx(math.sqrt(2 / 9.8))
    named = System(lambda t, y: [y[1], -9.8], states={"x": 1.0, "v": 0.0}, t_span=(0, 1.5),
                   resets=[Reset("x", {"v": lambda t, y: -0.8 * y[1]}, -1)])
    assert np.allclose(named.run().final.state, result.final.state)


def test_locations():
    def heating(t, y):
        return [30 - y[0]]

    def cooling(t, y):
        return [10 - y[0]]

    thermostat = System(states={"T": 15.0}, t_span=(0, 5), locations={"on": heating, "off": cooling}, initial="on",
                        edges=[Edge("on", "off", lambda t, y: y[0] - 21, "rising"),
                               Edge("off", "on", lambda t, y: y[0] - 19, "falling")])
    result = thermostat.run(rtol=1e-9)
    assert result.events[0].from_location == "on" and result.events[0].to_location == "off"
    assert result.events[0].t == pytest.approx(math.log(15 / 9))
    assert {s.location for s in result.segments} == {"on", "off"}


def test_definitions_are_observed():
    system = System(lambda t, y: [y[1], -y[0]], states={"x": 1.0, "v": 0.0}, t_span=(0, 5),
                    definitions={"E": lambda t, y: 0.5 * (y[0] ** 2 + y[1] ** 2)}, options={"rtol": 1e-9, "observe": ["E"]})
    result = system.run()
    assert np.allclose(result.observed["E"], 0.5, atol=1e-7)


def test_mistakes():
    with pytest.raises(slideway.Untraceable):
        System(lambda t, y: [math.gamma(y[0])], states=[1.0], t_span=(0, 1))
    with pytest.raises(ValueError, match="'sin' cannot be the name"):
        System(lambda t, y: [y[0]], states={"sin": 1.0}, t_span=(0, 1))
    with pytest.raises(ValueError, match="direction"):
        System(lambda t, y: [y[0]], states=[1.0], t_span=(0, 1), stops=[Stop("y0", "up")])
    with pytest.raises(Exception, match="returned 1"):
        System(lambda t, y: [y[0]], states=[1.0, 2.0], t_span=(0, 1))


def test_conditions_of_events():
    def field(t, y):
        return [1.0, 1.0]

    def fired(**more):
        system = System(field, states={"x": 0.0, "z": -2.0}, t_span=(0, 5), records=[Record(**more)])
        return [event.t for event in system.run().events if event.kind == "record"]

    assert fired(when="x > 1 and z > 0") == pytest.approx([2.0])
    assert fired(when=lambda t, y: (y[0] > 1) & (y[1] > 0)) == pytest.approx([2.0])
    assert fired(when=lambda t, y: (y[0] > 3) | ~(y[1] < -1)) == pytest.approx([1.0])
    assert fired(when=lambda t, y: y[0] - 1) == pytest.approx([1.0])


def test_events_that_are_true_at_the_start():
    def times(initially):
        system = System(lambda t, y: [1.0], states={"x": 2.0}, t_span=(0, 0.9),
                        resets=[Reset("x > 1", {"x": "0.5"}, initially=initially)])
        return [event.t for event in system.run().events if event.kind == "reset"]

    assert times("fire") == pytest.approx([0.0, 0.5])
    assert times("wait") == []
    with pytest.raises(ValueError, match="'fire' or 'wait'"):
        times("never")


def test_a_block_rests_on_a_slope_by_the_friction_of_its_contact():
    def slope(mu):
        return System(lambda t, y: [y[2], y[3], 9.81 * math.sin(0.3), -9.81 * math.cos(0.3)],
                      states={"s": 0.0, "n": 0.0, "vs": 0.0, "vn": 0.0}, t_span=(0, 10),
                      contacts=[Contact(gap="n", acts_on={"vn": 1.0}, name="slope",
                                        friction={"mu": mu, "velocity": "vs", "acts_on": {"vs": 1.0}})])

    assert abs(slope(0.4).run().final.state[0]) < 1e-12
    assert slope(0.2).run().final.state[0] == pytest.approx(50 * 9.81 * (math.sin(0.3) - 0.2 * math.cos(0.3)))


def test_algebraic_variables():
    system = System(lambda t, y, z: [-z * (1 + 3 * z**2)], states={"x": 2.0}, t_span=(0, 1.5), algebraic={"z": "x - z^3"})
    x = system.run(rtol=1e-10).final.state[0]
    z = math.exp(-1.5)
    assert x == pytest.approx(z + z**3, abs=1e-8)


def test_a_field_that_asks_for_what_the_system_does_not_have_is_told_what_there_is():
    def decay(t, y, k, *, load):
        return [-k*y[0] - load]

    with pytest.raises(ValueError, match=r"decay, line \d+ of test_systems.py: .* called 'load'; expected arguments t, y and k; .*parameters="):
        System(decay, states={"x": 1.0}, t_span=(0, 1), parameters={"k": 2.0})


def test_edges_without_locations_are_refused_and_not_left_out():
    with pytest.raises(ValueError, match="no `locations`"):
        System(lambda t, y: [-1], states={"x": 1.0}, t_span=(0, 1), edges=[Edge("a", "b", when="x - 0.5")])


def test_a_reset_whose_new_state_is_a_number_is_refused_with_what_is_expected():
    with pytest.raises(TypeError, match=r"`set` is 1.0; expected \{state: new value\}"):
        System(lambda t, y: [-1], states={"x": 1.0}, t_span=(0, 1), resets=[Reset(lambda t, y: y[0] - 0.5, set=1.0)])


def test_a_setting_that_is_no_number_is_named():
    model = System(lambda t, y: [-1], states={"x": 1.0}, t_span=(0, 1))
    with pytest.raises(TypeError, match=r"'y0' is \[2\]; expected a number"):
        model.run(y0=[2])
