"""Scripts of strangers are right, refused or warned of, and none is wrong in silence."""

import warnings

import numpy as np
import pytest

import slideway

from strangers import STRANGERS, THREADS


@pytest.mark.parametrize("name", list(STRANGERS))
def test_a_script_of_a_stranger_is_right_refused_or_warned_of(name):
    script = STRANGERS[name]
    if script.fate == "refused":
        with pytest.raises(slideway.RemembersError):
            script.run(slideway.solve_ivp)
        return
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        run = script.run(slideway.solve_ivp)
    told = [w for w in caught if issubclass(w.category, (slideway.UnknownJumpsWarning, slideway.StateWrittenWarning))]
    if script.fate == "warned":
        assert told and run.warnings
        return
    assert run.traced and not told, run.how
    assert run.audit.verdict == "passed"
    right = np.asarray(script.right())
    assert np.max(np.abs(run.y[:, -1] - right)) <= script.tolerance * (1 + np.max(np.abs(right)))


@pytest.mark.parametrize("name", list(THREADS))
def test_a_problem_of_a_thread_is_right_by_solve_ivp_and_as_a_system(name):
    function, span, start, right, tolerance = THREADS[name]
    expected = np.asarray(right())
    result = slideway.solve_ivp(function, span, start, rtol=1e-8, atol=1e-10)
    assert result.traced, result.how
    system = slideway.System(function, states=start, t_span=span).run(rtol=1e-8, atol=1e-10)
    for run in (result, system):
        assert run.success and run.audit.verdict == "passed"
        assert np.max(np.abs(run.y[:len(start), -1] - expected)) <= tolerance * (1 + np.max(np.abs(expected)))
