"""Functions drawn at random, as people write them: each is right, refused or warned of, and none is wrong in silence."""

import warnings

import numpy as np
import pytest

import slideway
from generated import Draw, Python, function_of, model_text

FUNCTIONS = 300
PARTS = 10


def right(draw):
    """The state at the end, and how far it may be off; None where the model has no single solution that is good to compare with."""
    model = slideway.parse(model_text(draw))
    ends = [model.run(rtol=rtol, atol=rtol / 100) for rtol in (1e-10, 1e-8)]
    if any(end.outcome.status != "reached_end" for end in ends):
        return None
    exact, rough = (end.y[:len(draw.states), -1] for end in ends)
    return exact, 1e-5 + 100 * np.abs(exact - rough).max()


def judged(seed):
    """"right", "refused", "warned", "skipped", or what is wrong."""
    draw = Draw(seed).model()
    wanted = right(draw)
    if wanted is None:
        return "skipped"
    source = Python(draw, seed).source()
    function = function_of(source, draw)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = slideway.solve_ivp(function, (0, draw.end), draw.start, rtol=1e-8, atol=1e-10)
        except (slideway.RemembersError, slideway.Untraceable):
            return "refused"
    told = not result.success or result.warnings or any(issubclass(w.category, slideway.UnknownJumpsWarning) for w in caught)
    if np.abs(result.y[:, -1] - wanted[0]).max() <= wanted[1]:
        return "right" if result.traced else "right, " + result.how
    if told:
        return "warned: " + result.how
    return f"SILENT, seed {seed}: {result.y[:, -1]} for {wanted[0]}; {result.how}\n{model_text(draw)}\n{source}"


@pytest.mark.parametrize("part", range(PARTS))
def test_no_function_is_wrong_in_silence(part):
    verdicts = [judged(seed) for seed in range(part, FUNCTIONS, PARTS)]
    silent = [v for v in verdicts if v.startswith("SILENT")]
    assert not silent, "\n\n".join(silent)
    compared = [v for v in verdicts if v != "skipped"]
    assert len([v for v in compared if v == "right"]) >= 0.8 * len(compared), [v for v in compared if v != "right"]
