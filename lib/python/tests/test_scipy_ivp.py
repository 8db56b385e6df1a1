"""scipy's own tests of solve_ivp, as Debian's python3-scipy brings them, with solve_ivp replaced by slideway's."""

import pytest
import scipy.integrate._ivp.tests.test_ivp as theirs

import slideway

theirs.solve_ivp = slideway.solve_ivp

EXCLUDED = {
}

for name, function in list(vars(theirs).items()):
    if name.startswith("test_"):
        if name in EXCLUDED:
            function = pytest.mark.skip(reason=EXCLUDED[name])(function)
        globals()[name] = function
