"""The audit of a run: beside the text of a model, the text of a function that was traced, and a function that is called."""

import pickle

import numpy as np
import pytest

import slideway

TEXT = """
[states]
x = 1.0
v = 0.0
[time]
end = 20.0
[derivatives]
x = "v"
v = "-x - 0.2*sgn(v) + 0.3*cos(2*t)"
"""


def friction(t, y):
    return [y[1], -y[0] - 0.2 * np.sign(y[1]) + 0.3 * np.cos(2 * t)]


def test_the_run_of_a_model_is_audited():
    audit = slideway.parse(TEXT).run().audit
    assert audit.made and audit.passed and audit.verdict == "passed" and not audit.failures
    assert 0 <= audit.undecided < audit.points
    assert 0 < audit.worst < 1 and audit.worst_state in ("x", "v")
    assert "passed at" in repr(audit)


def test_the_full_audit_looks_at_more_points_and_none_at_none():
    model = slideway.parse(TEXT)
    assert model.run(audit="full").audit.points > model.run(audit="quick").audit.points > 0
    nothing = model.run(audit="off")
    assert nothing.audit.verdict == "not_made" and nothing.audit.points == 0
    assert not nothing.audit.made and not nothing.audit.passed
    with pytest.raises(ValueError, match="off, quick or full"):
        model.run(audit="all")


def test_a_run_that_goes_on_from_elsewhere_is_audited_from_there():
    model = slideway.parse(TEXT)
    first = model.run(t_end=7.0).final
    second = model.run(start=first.t, state=first.state, mode=first.mode, audit="full")
    assert second.audit.verdict == "passed"
    assert model.run(state=[3.0, -1.0], audit="full").audit.verdict == "passed"


@pytest.mark.parametrize("trace", [True, False])
def test_functions_are_audited(trace):
    result = slideway.solve_ivp(friction, (0, 20), [1.0, 0.0], rtol=1e-7, atol=1e-9, trace=trace,
                                surfaces=None if trace else [lambda t, y: y[1]], audit="full")
    assert result.traced == trace
    assert result.audit.verdict == "passed" and result.audit.points > 50
    assert not any("audit" in warning for warning in result.warnings)


def test_a_run_backwards_tells_its_own_times():
    result = slideway.solve_ivp(friction, (20, 0), [1.0, 0.0], rtol=1e-7, atol=1e-9, audit="full")
    assert result.audit.verdict == "passed" and 0 <= result.audit.worst_t <= 20


def test_the_functors_of_the_catalogue_are_audited_by_calls():
    audit = slideway.load("evaporator").run(audit="full").audit
    assert audit.passed and audit.points > 100


def test_the_audit_goes_with_copies_and_files(tmp_path):
    result = slideway.parse(TEXT).run()
    result.save(tmp_path / "run.json")
    for other in (pickle.loads(pickle.dumps(result)), slideway.Result.load(tmp_path / "run.json")):
        assert other.audit.passed and other.audit.worst == result.audit.worst
    assert '"verdict"' in result.to_json()


def test_the_calls_of_the_audit_print_nothing(capsys):
    calls = []

    def field(t, y):
        print("called")
        calls.append(1)
        return [-y[0]]

    counts = {}
    for level in ("off", "full"):
        calls.clear()
        slideway.solve_ivp(field, (0, 1), [1.0], trace=False, memory="ignore", surfaces=[], audit=level)
        counts[level] = capsys.readouterr().out.count("called"), len(calls)
    assert counts["off"][0] == counts["full"][0] and counts["off"][1] < counts["full"][1]


def test_the_full_audit_calls_a_traced_function_at_a_thousand_points():
    def field(t, y):
        # A trace does not see what is done with plain numbers alone.
        return [5.0 if type(y) is np.ndarray and 0.62 < t < 0.63 else -y[0]]

    assert slideway.solve_ivp(field, (0, 1), [1.0], surfaces=[]).traced
    assert not slideway.solve_ivp(field, (0, 1), [1.0], surfaces=[], audit="full").traced


def test_what_a_function_remembers_shows():
    seen = {"on": False}

    def latch(t, y):
        seen["on"] = seen["on"] or y[0] > 1
        return [-1.0 if seen["on"] else 1.0]

    result = slideway.solve_ivp(latch, (0, 3), [0.0], trace=False, memory="ignore", surfaces=[])
    assert result.audit.verdict == "failed"
    assert result.audit.failures[0].first < 1
    assert any(warning.startswith("audit: ") for warning in result.warnings)
