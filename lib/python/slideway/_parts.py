"""The parts of a model beside its equations: contacts, events, actions at known times, automata.

Every key of a model file's table is a field of the same name; `from_` is `from`. Formulas are functions of (t, y, names…), text as in
a model file, or numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Mapping, Optional, Sequence, Union

Formula = Union[Callable[..., Any], str, float]
Size = Union[str, int, None]


@dataclass(frozen=True)
class Contact:
    """A unilateral constraint gap >= 0 with a force that only pushes.

    ``gap`` is a function of (t, y); ``acts_on`` says how a unit of the force enters the derivatives, {state: value} or a
    function that returns n numbers; ``restitution`` is a number or a function of the approach speed. ``friction`` is
    {"mu": ..., "velocity": ..., "acts_on": {state: value}}, with "mu_s" where more holds at rest and "in_impact", "through"
    or "end", and a "name" to observe it by; lists of two velocities and two maps for a plane. ``impact_law`` is "newton" or "poisson".
    """

    gap: Formula
    acts_on: Any
    restitution: Formula = 0.0
    name: Optional[str] = None
    friction: Optional[Mapping[str, Any]] = None
    impact_law: str = "newton"
    size: Size = None


@dataclass(frozen=True)
class Reset:
    """Where ``when`` crosses zero the state jumps: ``set`` is {state: new value} or a function that returns the new y.

    ``when`` may be a condition, "x > 1 and v < 0" or a function that returns comparisons joined by & | ~; without a
    ``direction`` the event then is where it becomes true. ``initially`` is "fire" or "wait": what an event does that is past
    its guard at the start. With a ``delay`` it acts so much later, on the ``values`` at the "trigger" or at the "execution"; of several at one
    instant the highest ``priority`` acts first.
    """

    when: Formula
    set: Any
    direction: Union[str, int, None] = None
    name: Optional[str] = None
    across_jumps: bool = True
    initially: Optional[str] = None
    delay: Union[str, float, None] = None
    values: Optional[str] = None
    priority: Optional[int] = None
    size: Size = None


@dataclass(frozen=True)
class _Watched:
    when: Formula
    direction: Union[str, int, None] = None
    name: Optional[str] = None
    initially: Optional[str] = None
    across_jumps: bool = True
    size: Size = None


@dataclass(frozen=True)
class Stop(_Watched):
    """Ends the run where ``when`` crosses zero in the direction: "rising", "falling" or "any" (or 1, −1, 0), or a condition becomes true."""


@dataclass(frozen=True)
class Record(_Watched):
    """Notes where ``when`` crosses zero in the direction, or a condition becomes true."""


@dataclass(frozen=True)
class Every:
    """Sets states at known times: every ``period`` from ``offset`` on, ``count`` times, or ``at`` a list of times.

    ``set`` is {state: new value}, all made of the values before, or a function that returns the new y. At one instant the highest
    ``priority`` acts first.
    """

    set: Any
    period: Union[str, float, None] = None
    offset: Union[str, float, None] = None
    count: Optional[int] = None
    at: Optional[Sequence[Union[str, float]]] = None
    name: Optional[str] = None
    priority: Optional[int] = None
    size: Size = None


@dataclass(frozen=True)
class Edge:
    """A transition between locations; ``zeno`` is the location to go on in where its firings accumulate."""

    from_: str
    to: str
    when: Formula
    direction: Union[str, int, None] = None
    set: Any = None
    name: Optional[str] = None
    zeno: Optional[str] = None
    across_jumps: bool = True
    initially: Optional[str] = None
    delay: Union[str, float, None] = None
    values: Optional[str] = None
    priority: Optional[int] = None
    size: Size = None


@dataclass(frozen=True)
class Automaton:
    """An automaton beside others: ``locations`` are {name: what differs there}, a field, {state: derivative} or None.

    Where it is, is a discrete state of its ``name``: the number of the location, from 1. It begins in ``initial``, the name of a location or
    an expression for its number. With a ``size`` there is one for every i."""

    name: str
    locations: Mapping[str, Any]
    edges: Sequence[Edge]
    initial: Union[str, int, None] = None
    size: Size = None
