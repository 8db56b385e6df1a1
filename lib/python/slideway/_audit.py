"""What the audit of a run has found."""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple


class Contradiction(NamedTuple):
    """What an audit found: from ``first`` to ``last``, of a state, an event or a contact, in words."""

    first: float
    last: float
    of: str
    text: str


class Audit:
    """A run beside its model: whether it was ``made`` and ``passed``, the ``failures`` that it found, the number of ``points`` that were
    looked at and of those that decided nothing (``undecided``), and the largest defect in units of what is allowed: ``worst``, of
    ``worst_state`` at ``worst_t``. ``verdict`` says the same in a word: "passed", "failed" or "not_made".

    The model is the text of a model file, or of functions that were traced; functions that were not are called."""

    def __init__(self, found: Dict[str, Any], direction: float) -> None:
        self.verdict: str = found["verdict"]
        self.points: int = found["points"]
        self.undecided: int = found["undecided"]
        self.worst: float = found["worst"]
        self.worst_state: str = found["worst_state"]
        self.worst_t: float = direction * found["worst_t"]
        self.failures: List[Contradiction] = [Contradiction(direction * first, direction * last, of, text)
                                              for first, last, of, text in found["failures"]]

    @property
    def made(self) -> bool:
        return self.verdict != "not_made"

    @property
    def passed(self) -> bool:
        return self.verdict == "passed"

    def __repr__(self) -> str:
        if not self.made:
            return "<audit: not made>"
        if self.failures:
            return "<audit: failed, " + "; ".join(failure.text for failure in self.failures) + ">"
        return f"<audit: passed at {self.points - self.undecided} of {self.points} points>"


NOT_MADE = Audit(dict(verdict="not_made", points=0, undecided=0, worst=0.0, worst_state="", worst_t=0.0, failures=[]), 1.0)
