"""Runs that their callers drive."""

import _thread
import threading

import numpy as np
import pytest

import slideway

BLOCK = """
name = "block"
[states]
v = 1.0
[discrete]
u = 0
[time]
end = 10
[derivatives]
v = "u - sgn(v)"
"""

BALL = """
name = "ball"
[states]
y = 1.0
v = 0.0
[time]
end = 1.5
[derivatives]
y = "v"
v = "-9.81"
[[resets]]
name = "floor"
when = "y"
direction = "falling"
set = { v = "-0.8*v" }
"""

TURNING = """
name = "turning"
[states]
x = 1
v = 0
[time]
end = 1e8
[derivatives]
x = "v"
v = "-x"
"""


def test_pieces_are_the_run():
    model = slideway.load("dry-friction")
    whole = model.run(t_end=40)
    live = slideway.LiveRun(model, t_end=40)
    for t in np.linspace(0.3, 40, 97):
        assert live.advance_to(t).status == "reached_end"
        assert live.t == t
    assert np.array_equal(live.state, whole.final.state)
    assert [e.t for e in live.events] == [e.t for e in whole.events]
    result = live.result()
    assert np.array_equal(result.t, whole.t)
    assert np.array_equal(result.y, whole.y)


def test_next_event_comes_to_each_bounce():
    live = slideway.LiveRun(slideway.parse(BALL))
    times = []
    while (event := live.next_event(1.5)) is not None:
        assert event.name == "floor"
        assert live.t == event.t
        assert live["v"] > 0
        times.append(event.t)
    first = np.sqrt(2 / 9.81)
    assert times == pytest.approx([first, 2.6 * first])
    assert live.t == 1.5


def test_inputs_change_between_advances():
    live = slideway.LiveRun(slideway.parse(BLOCK))
    live.advance_to(2)
    assert live.mode == "0"
    live.set_input(u=3)
    live.advance_to(3)
    assert live.mode == "+"
    assert live["v"] == pytest.approx(2)
    with pytest.raises(ValueError, match="no discrete state"):
        live.set_input(v=1)
    live.set_state(v=-1)
    assert live["v"] == -1
    live.advance_to(3.1)
    assert live["v"] == pytest.approx(-1 + 0.4)


def test_it_goes_back_to_what_it_saved():
    model = slideway.parse(BLOCK)
    live = slideway.LiveRun(model)
    live.advance_to(0.5)
    saved = live.save()
    assert saved.t == 0.5
    live.set_input(u=0.4)
    live.advance_to(1.7)
    first = live.state
    live.restore(saved)
    assert live.t == 0.5
    live.set_input(u=0.4)
    live.advance_to(1.7)
    assert np.array_equal(live.state, first)
    other = slideway.LiveRun(model, v=7)
    other.restore(saved)
    other.set_input(u=0.4)
    other.advance_to(1.7)
    assert np.array_equal(other.state, first)


def test_a_callback_stops_the_run_and_may_raise():
    seen = []

    def on_event(event):
        seen.append(event)
        return len(seen) == 1

    live = slideway.LiveRun(slideway.parse(BALL), on_event=on_event)
    outcome = live.advance_to(1.5)
    assert outcome.status.startswith("stopped_by")
    assert live.t == seen[0].t < 1.5
    assert live.advance_to(1.5).status == "reached_end"
    assert len(seen) == 2

    def raises(event):
        raise RuntimeError("enough")

    live = slideway.LiveRun(slideway.parse(BALL), on_event=raises)
    with pytest.raises(RuntimeError, match="enough"):
        live.advance_to(1.5)
    with pytest.raises(RuntimeError, match="enough"):
        live.advance_to(1.5)


def test_a_run_does_not_go_back():
    live = slideway.LiveRun(slideway.parse(BALL))
    live.advance_to(0.4)
    with pytest.raises(ValueError, match="does not go back"):
        live.advance_to(0.3)
    assert live.t == 0.4


def test_ctrl_c_ends_an_advance_and_the_run_goes_on():
    live = slideway.LiveRun(slideway.parse(TURNING))
    timer = threading.Timer(0.3, _thread.interrupt_main)
    timer.start()
    with pytest.raises(slideway.Interrupted):
        live.advance_to(1e8)
    t = live.t
    assert 0 < t < 1e8
    assert live.advance_to(t + 1).status == "reached_end"


def test_another_thread_cancels():
    live = slideway.LiveRun(slideway.parse(TURNING))
    timer = threading.Timer(0.2, live.cancel)
    timer.start()
    outcome = live.advance_to(1e8)
    assert outcome.status.startswith("stopped_by")
    assert "cancelled" in outcome.message


def test_the_record_can_be_taken():
    live = slideway.LiveRun(slideway.parse(BALL))
    live.advance_to(0.7)
    first = live.take()
    live.advance_to(1.5)
    second = live.take()
    assert first.t[0] == 0 and first.t[-1] == 0.7
    assert second.t[0] == 0.7 and second.t[-1] == 1.5
    assert len(first.events) == 1 and len(second.events) == 1
