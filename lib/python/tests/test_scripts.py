"""Scripts as people publish them are right, refused or warned of, as the table of the manual says, and quick."""

import os
import re
import time
import warnings

import numpy as np
import pytest
import scipy.integrate

import slideway

from scripts import SCRIPTS

MANUAL = os.path.join(os.path.dirname(__file__), "..", "..", "docs", "python.md")


@pytest.mark.parametrize("name", list(SCRIPTS))
def test_a_script_is_what_the_manual_says(name):
    kind = SCRIPTS[name]
    runs = []

    def solve_ivp(*args, **options):
        runs.append(slideway.solve_ivp(*args, **options))
        return runs[-1]

    if kind.fate == "refused":
        with pytest.raises(slideway.RemembersError):
            kind.run(solve_ivp)
        return
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = kind.run(solve_ivp)
    if kind.fate == "warned":
        assert any(issubclass(w.category, slideway.StateWrittenWarning) for w in caught) and runs[0].warnings
        return
    assert all(run.traced for run in runs), runs[0].how
    assert np.asarray(found) == pytest.approx(np.asarray(kind.right), abs=kind.tolerance)


class Enough(BaseException):
    """Scipy has had its time."""


@pytest.mark.parametrize("name", [name for name, kind in SCRIPTS.items() if kind.fate == "traced"])
def test_a_script_takes_no_ten_times_as_long_as_with_scipy(name):
    kind = SCRIPTS[name]

    def once(solve_ivp):
        began = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = kind.run(solve_ivp)
        # A solver that steps over a pulse is faster and wrong, so its time does not count.
        is_near = np.allclose(found, kind.right, rtol=0, atol=100 * kind.tolerance)
        return time.perf_counter() - began if is_near else np.inf

    own = min(once(slideway.solve_ivp) for _ in range(3))
    # Along jumps scipy's methods may take for ever.
    end = time.perf_counter() + own

    def limited(fun, *args, **options):
        def called(t, y, *more):
            if time.perf_counter() > end:
                raise Enough
            return fun(t, y, *more)

        return scipy.integrate.solve_ivp(called, *args, **options)

    try:
        assert own < 10 * once(limited) + 0.02
    except Enough:
        pass


def test_a_traced_call_takes_some_milliseconds():
    def block(t, y):
        x, v = y
        return [v, -x - 0.4 * np.sign(v) + np.cos(0.5 * t)]

    took = []
    for _ in range(50):
        began = time.perf_counter()
        slideway.solve_ivp(block, (0, 20), [2.0, 0.0])
        took.append(time.perf_counter() - began)
    # 3 ms where nothing else runs.
    assert min(took) < 0.006


def test_the_manual_has_all_of_them():
    with open(MANUAL, encoding="utf-8") as file:
        text = file.read()
    rows = re.findall(r"^\| (.*?) \| (traced|refused|warned) \|$", text[text.index("| published script |"):], re.MULTILINE)
    assert rows == [(kind.text, kind.fate) for kind in SCRIPTS.values()]
