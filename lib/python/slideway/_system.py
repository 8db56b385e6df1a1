"""Models with surfaces, contacts, resets and locations, from Python functions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from ._model import Model, _parse
from ._text import ModelText, Raw, is_name, number_line, quoted
from ._arrays import traced_array
from ._expressions import Graph, Untraceable
from ._trace import trace
from ._writer import Writer

Formula = Union[Callable[..., Any], str, float]


@dataclass(frozen=True)
class Contact:
    """A unilateral constraint gap >= 0 with a force that only pushes.

    ``gap`` is a function of (t, y); ``acts_on`` says how a unit of the force enters the derivatives, {state: value} or a
    function that returns n numbers; ``restitution`` is a number or a function of the approach speed. ``friction`` is
    {"mu": ..., "velocity": ..., "acts_on": {state: value}}, with "mu_s" where more holds at rest and "in_impact", "through"
    or "end"; ``impact_law`` is "newton" or "poisson".
    """

    gap: Formula
    acts_on: Any
    restitution: Formula = 0.0
    name: Optional[str] = None
    friction: Optional[Mapping[str, Any]] = None
    impact_law: str = "newton"


@dataclass(frozen=True)
class Reset:
    """Where ``when`` crosses zero the state jumps: ``set`` is {state: new value} or a function that returns the new y.

    ``when`` may be a condition, "x > 1 and v < 0" or a function that returns comparisons joined by & | ~; without a
    ``direction`` the event then is where it becomes true. ``initially`` is "fire" or "wait": what an event does that is past
    its guard at the start.
    """

    when: Formula
    set: Any
    direction: Union[str, int, None] = None
    name: Optional[str] = None
    across_jumps: bool = True
    initially: Optional[str] = None


@dataclass(frozen=True)
class Stop:
    """Ends the run where ``when`` crosses zero in the direction: "rising", "falling" or "any" (or 1, −1, 0), or a condition becomes true."""

    when: Formula
    direction: Union[str, int, None] = None
    name: Optional[str] = None
    initially: Optional[str] = None


@dataclass(frozen=True)
class Record:
    """Notes where ``when`` crosses zero in the direction, or a condition becomes true."""

    when: Formula
    direction: Union[str, int, None] = None
    name: Optional[str] = None
    initially: Optional[str] = None


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


_DIRECTIONS = {1: "rising", -1: "falling", 0: "any", "rising": "rising", "falling": "falling", "any": "any"}


def direction_word(direction: Any) -> str:
    try:
        return _DIRECTIONS[direction]
    except (KeyError, TypeError):
        raise ValueError(f"direction is {direction!r}; expected 'rising', 'falling' or 'any'") from None


def _when(text: ModelText, event: Any) -> List[Tuple[str, Any]]:
    """The lines that all events have."""
    lines: List[Tuple[str, Any]] = [("name", event.name)] if event.name else []
    lines.append(("when", text.guard(event.when)))
    if event.direction is not None:
        lines.append(("direction", direction_word(event.direction)))
    if not getattr(event, "across_jumps", True):
        lines.append(("across_jumps", Raw("false")))
    if event.initially is not None:
        if event.initially not in ("fire", "wait"):
            raise ValueError(f"initially is {event.initially!r}; expected 'fire' or 'wait'")
        lines.append(("initially", event.initially))
    return lines


class System(Model):
    """A model of Python functions.

    ``field(t, y)`` returns the derivatives of the n states; it may take parameters by their names, ``field(t, y, mu)``, and
    ``lam``, an array of the signs of the ``surfaces`` in order, and algebraic variables by their names. All functions are traced, see :func:`slideway.solve_ivp`;
    one that cannot be raises :class:`Untraceable`. A formula may be a string too, as in a model file.

    Parameters
    ----------
    field : function (t, y, ...) -> n numbers; may be None where every location has its own
    states : {name: initial value}, or a sequence of initial values for y0, y1, …
    t_span : (start, end)
    parameters : {name: value}
    surfaces : {name: function (t, y) -> number}: names for guards, and what ``lam`` is made of
    contacts, resets, stops, records : lists of :class:`Contact`, :class:`Reset`, :class:`Stop`, :class:`Record`
    locations : {name: field}, with ``edges``, a list of :class:`Edge`, and ``initial``, the name to begin in
    discrete : {name: value}: states that are held until a reset or an edge sets them; functions take them by name, ``field(t, y, on)``
    definitions : {name: function}: quantities to observe by name
    algebraic : {name: text}, or {name: {"value": text, "guess": number}}: variables that equations of their own determine
    options : {name: value} as in the table [options] of a model file
    """

    def __init__(self, field: Optional[Callable[..., Any]] = None, *, states: Any, t_span: Sequence[float],
                 parameters: Optional[Mapping[str, float]] = None, surfaces: Optional[Mapping[str, Any]] = None,
                 contacts: Sequence[Contact] = (), resets: Sequence[Reset] = (), stops: Sequence[Stop] = (),
                 records: Sequence[Record] = (), locations: Optional[Mapping[str, Callable[..., Any]]] = None,
                 edges: Sequence[Edge] = (), initial: Optional[str] = None,
                 discrete: Optional[Mapping[str, float]] = None,
                 definitions: Optional[Mapping[str, Formula]] = None, algebraic: Optional[Mapping[str, Any]] = None,
                 options: Optional[Mapping[str, Any]] = None,
                 name: Optional[str] = None) -> None:
        if isinstance(states, Mapping):
            names, values = list(states), list(states.values())
        else:
            values = list(np.ravel(states))
            names = [f"y{k}" for k in range(len(values))]
        for known in names + list(parameters or {}):
            if not is_name(known):
                raise ValueError(f"{known!r} cannot be the name of a state or parameter")
        text = ModelText(names, parameters or {})
        extra: Dict[str, Any] = {}
        if discrete:
            text.table("[discrete]", [(key, Raw(number_line(value))) for key, value in discrete.items()])
            text.symbols.update({key: text.graph.node("held", key) for key in discrete})
        if surfaces:
            entries: List[Tuple[str, Any]] = []
            for key, guard in surfaces.items():
                if isinstance(guard, Mapping):
                    entries.append((key, {k: {side: text.value(own) for side, own in v.items()} if isinstance(v, Mapping)
                                          else text.value(v) for k, v in guard.items()}))
                else:
                    entries.append((key, text.value(guard)))
            text.table("[surfaces]", entries)
            signs = [np.sign(text.graph.node("name", key)) for key in surfaces]
            extra["lam"] = traced_array(np.array(signs, dtype=object))
        if definitions:
            text.table("[definitions]", [(k, text.value(v)) for k, v in definitions.items()])
        if algebraic:
            extra.update({k: text.graph.node("name", k) for k in algebraic})
            text.table("[algebraic]", [(k, {key: text.value(own) for key, own in v.items()} if isinstance(v, Mapping)
                                        else text.value(v)) for k, v in algebraic.items()])
        if field is not None:
            text.table("[derivatives]", text.derivatives(text.expressions(field, len(names), **extra)))
        self._add_events(text, contacts, resets, stops, records)
        top: List[Tuple[str, str]] = []
        if locations:
            top.append(("initial", quoted(initial or next(iter(locations)))))
            for key, own in locations.items():
                text.table("[[locations]]", [("name", key)])
                text.table("[locations.derivatives]", text.derivatives(text.expressions(own, len(names), **extra)))
            for edge in edges:
                lines: List[Tuple[str, Any]] = [("from", edge.from_), ("to", edge.to), *_when(text, edge)]
                if edge.set is not None:
                    lines.append(("set", self._set(text, edge.set)))
                if edge.zeno:
                    lines.append(("zeno", edge.zeno))
                text.table("[[edges]]", lines)
        written = text.write(str(name or getattr(field, "__name__", "system")), values, float(t_span[0]), float(t_span[1]), top,
                             options)
        made = _parse(_merge_definitions(written), (name or "system") + ".toml")
        super().__init__(made._core, made._origin)

    @staticmethod
    def _set(text: ModelText, given: Any) -> Dict[str, Any]:
        if isinstance(given, Mapping):
            return {key: text.value(value) for key, value in given.items()}
        after = text.expressions(given, len(text.state_names))
        return {name: a for name, state, a in zip(text.state_names, text.states, after) if a is not state}

    def _add_events(self, text: ModelText, contacts: Sequence[Contact], resets: Sequence[Reset], stops: Sequence[Stop],
                    records: Sequence[Record]) -> None:
        for reset in resets:
            text.table("[[resets]]", _when(text, reset) + [("set", self._set(text, reset.set))])
        noted: List[Tuple[str, Any]] = [("[[stops]]", stops), ("[[records]]", records)]
        for heading, events in noted:
            for event in events:
                text.table(heading, _when(text, event))
        for number, contact in enumerate(contacts):
            acts = contact.acts_on
            if isinstance(acts, Mapping):
                on = {key: text.value(value) for key, value in acts.items()}
            else:
                entries = text.expressions(acts, len(text.state_names))
                on = {name: e for name, e in zip(text.state_names, entries) if not (e.is_constant and e.args[0] == 0)}
            lines: List[Tuple[str, Any]] = [("name", contact.name or f"contact{number + 1}"), ("gap", text.value(contact.gap)),
                                            ("acts_on", on)]
            restitution = contact.restitution
            if callable(restitution):
                graph = Graph()
                speed = graph.node("name", "impact")
                root = trace(graph, restitution, speed, size=1)[0]
                lines.append(("restitution", Writer(define=False).write([root])[0]))
            else:
                lines.append(("restitution", text.value(restitution)))
            if contact.impact_law != "newton":
                lines.append(("impact_law", contact.impact_law))
            if contact.friction is not None:
                rough = {key: text.value(value) for key, value in contact.friction.items() if key != "acts_on"}
                rough["acts_on"] = {key: text.value(value) for key, value in contact.friction.get("acts_on", {}).items()}
                lines.append(("friction", rough))
            text.table("[[contacts]]", lines)

    def __reduce__(self) -> Any:
        return _again_system, (self._origin,)


def _merge_definitions(text: str) -> str:
    """One table [definitions] of two."""
    lines = text.split("\n")
    places = [k for k, line in enumerate(lines) if line == "[definitions]"]
    if len(places) < 2:
        return text
    first, second = places
    end = next((k for k in range(second + 1, len(lines)) if lines[k].startswith("[")), len(lines))
    moved = lines[second + 1:end]
    rest = lines[:second] + lines[end:]
    return "\n".join(rest[:first + 1] + moved + rest[first + 1:])


def _again_system(origin: Tuple[Any, ...]) -> System:
    made = _parse(*origin[1:])
    made.__class__ = System
    return made  # type: ignore[return-value]
