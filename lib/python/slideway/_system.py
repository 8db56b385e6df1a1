"""Models of Python functions and of text, with everything that a model file has."""

from __future__ import annotations

import functools
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from ._core import ModelError
from ._model import Model, _parse, model_from
from ._parts import Automaton, Contact, Edge, Every, Formula, Record, Reset, Stop
from ._text import ModelText, Raw, is_name, missing, number_line, quoted
from ._arrays import traced_array
from ._expressions import Graph, _need
from ._places import place_of, place_of_caller, retold_of_run
from ._trace import trace
from ._writer import Writer

_DIRECTIONS = {1: "rising", -1: "falling", 0: "any", "rising": "rising", "falling": "falling", "any": "any"}
Lines = List[Tuple[str, Any]]
Field = Union[Callable[..., Any], Mapping[str, Any], None]


def direction_word(direction: Any) -> str:
    try:
        return _DIRECTIONS[direction]
    except (KeyError, TypeError):
        raise ValueError(f"direction is {direction!r}; expected 'rising', 'falling' or 'any'") from None


class _Table:
    """A characteristic as functions call it."""

    def __init__(self, graph: Graph, name: str) -> None:
        self._graph, self._name = graph, name

    def __call__(self, *arguments: Any) -> Any:
        return self._graph.node("call", self._name, *(_need(self._graph, a) for a in arguments))


class _SystemText(ModelText):
    """The text of a system, with names for all that its functions may ask for."""

    def __init__(self, states: Sequence[str], vectors: Sequence[str], parameters: Mapping[str, Any]) -> None:
        super().__init__(states, parameters)
        self.vectors = list(vectors)
        self.extra: Dict[str, Any] = {}  # of the field alone: the signs `lam`

    def item(self, given: Any) -> Any:
        """A value of a table, with whatever is inside of it: functions become formulas."""
        if isinstance(given, Mapping):
            return {str(key): self.item(value) for key, value in given.items()}
        if hasattr(given, "index") and hasattr(given, "to_numpy"):  # a series of pandas is a signal of its index
            return {"times": self.item(np.asarray(given.index, dtype=float)), "values": self.item(given.to_numpy())}
        if isinstance(given, np.ndarray):
            return self.item(given.tolist())
        if isinstance(given, (list, tuple)):
            return [self.item(value) for value in given]
        if isinstance(given, (bool, np.bool_)):
            return Raw("true" if given else "false")
        if isinstance(given, (int, np.integer)):
            return Raw(str(int(given)))
        if isinstance(given, (float, np.floating)):
            return Raw(number_line(given))
        return self.value(given)

    def guard(self, given: Any) -> Any:
        return super().guard(given) if callable(given) else given if isinstance(given, str) else self.value(given)

    def traced(self, function: Any, size: Optional[int] = None, column: bool = False, **extra: Any) -> Any:
        if self.vectors:
            raise ValueError(f"{self.vectors[0]!r} is a vector, of which functions know nothing: write all formulas as text, "
                             f"derivatives={{{self.vectors[0]!r}: \"…[i]\"}}")
        self._check_arguments(function, [*self.symbols, *extra])
        return super().traced(function, size, column, **extra)

    @staticmethod
    def _check_arguments(function: Any, names: Sequence[str]) -> None:
        for name in missing(function, names):
            there = ", ".join(names) or "nothing else"
            raise ValueError(f"{place_of(function) or 'a function'}: the system has nothing that is called {name!r}; expected arguments t, y and {there}; "
                             f"a number is a parameter, parameters={{{name!r}: 1.0}}")

    def field(self, given: Field) -> Lines:
        """The lines of derivatives: of a function that returns all of them, or of formulas by state."""
        if callable(given):
            return self.derivatives(self.expressions(given, len(self.state_names), **self.extra))
        return [(name, self.item(value)) for name, value in (given or {}).items()]

    def new_state(self, given: Any) -> Dict[str, Any]:
        """What an event sets: {state: value}, or a function that returns the new y."""
        if isinstance(given, Mapping):
            return {key: self.value(value) for key, value in given.items()}
        if not callable(given):
            raise TypeError(f"`set` is {given!r}; expected {{state: new value}}, or a function of (t, y) that returns the new y")
        after = self.expressions(given, len(self.state_names))
        return {name: a for name, state, a in zip(self.state_names, self.states, after) if a is not state}

    def event(self, event: Any) -> Lines:
        """The lines of an event, an edge or an action at known times, by the names of its fields."""
        lines: Lines = []
        for key, value in vars(event).items():
            if value is None or (key == "across_jumps" and value):
                continue
            if key == "when":
                value = self.guard(value)
            elif key == "direction":
                value = direction_word(value)
            elif key == "set":
                value = self.new_state(value)
            elif key == "initially" and value not in ("fire", "wait"):
                raise ValueError(f"initially is {value!r}; expected 'fire' or 'wait'")
            else:
                value = self.item(value)
            lines.append((key.rstrip("_"), value))
        return lines

    def contact(self, contact: Contact, number: int) -> Lines:
        lines: Lines = [("name", contact.name or f"contact{number}")]
        if contact.size is not None:
            lines.append(("size", self.item(contact.size)))
        lines += [("gap", self.value(contact.gap)), ("acts_on", self.effect(contact.acts_on))]
        if callable(contact.restitution):
            graph = Graph()
            root = trace(graph, contact.restitution, graph.node("name", "impact"), size=1)[0]
            lines.append(("restitution", Writer(define=False).write([root])[0]))
        else:
            lines.append(("restitution", self.value(contact.restitution)))
        if contact.impact_law != "newton":
            lines.append(("impact_law", contact.impact_law))
        if contact.friction is not None:
            lines.append(("friction", self.item(contact.friction)))
        return lines

    def effect(self, given: Any) -> Dict[str, Any]:
        """How a unit of force enters the derivatives."""
        if isinstance(given, Mapping):
            return {key: self.value(value) for key, value in given.items()}
        entries = self.expressions(given, len(self.state_names))
        return {name: e for name, e in zip(self.state_names, entries) if not (e.is_constant and e.args[0] == 0)}

    def mass(self, given: Any) -> Lines:
        """The rows of M that are not those of the identity: {row: {column: value}}, a matrix, or a function that returns one."""
        if isinstance(given, Mapping):
            return [(row, self.item(entries)) for row, entries in given.items()]
        n = len(self.state_names)
        flat: List[Any] = self.expressions(given, n * n) if callable(given) else \
            [self.graph.constant(float(v)) for v in np.asarray(given, dtype=float).reshape(n * n)]
        lines: Lines = []
        for i, row in enumerate(self.state_names):
            entries = {column: e for column, e in zip(self.state_names, flat[n * i:n * i + n]) if not (e.is_constant and e.args[0] == 0)}
            if not (list(entries) == [row] and entries[row].is_constant and entries[row].args[0] == 1):
                lines.append((row, entries))
        return lines


def _is_vector(value: Any) -> bool:
    return isinstance(value, Mapping) and "size" in value


def _checked_names(names: Sequence[str]) -> None:
    for known in names:
        if not is_name(known):
            raise ValueError(f"{known!r} cannot be the name of a state or parameter")


class System(Model):
    """A model of Python functions, of text, or of both: everything that a model file has.

    ``field(t, y)`` returns the derivatives of the n states. Functions may take by their names, ``field(t, y, mu)``: parameters, discrete states,
    inputs, algebraic variables, definitions, forces of friction, automata (the number of their location); tables as functions that they call;
    and ``lam``, an array of the signs of the ``surfaces`` in order. All functions are traced, see :func:`slideway.solve_ivp`;
    one that cannot be raises :class:`Untraceable`. Wherever a function may stand, a number or text as in a model file may, too.

    Parameters
    ----------
    field : function (t, y, ...) -> n numbers, or {state: formula}; may be None where every location has its own
    states : {name: initial value}, or a sequence of initial values for y0, y1, …; a vector is {"size": N, "value": "0", "ends": "zero"}
    t_span : (start, end)
    parameters : {name: value}
    surfaces : {name: function (t, y) -> number}: names for guards, and what ``lam`` is made of; {"value": ..., "break_away": ...} where more holds at rest
    contacts, resets, stops, records, every : lists of :class:`Contact`, :class:`Reset`, :class:`Stop`, :class:`Record`, :class:`Every`
    locations : {name: field}, with ``edges``, a list of :class:`Edge`, and ``initial``, the name to begin in (default: the first)
    automata : a list of :class:`Automaton`
    discrete : {name: value}: states that are held until a reset, an edge or an action at known times sets them
    definitions : {name: formula}: quantities to observe by name
    inputs : {name: signal over the time}: (times, values), a series of pandas, or {"times": ..., "values": ..., "interpolation": ..., "extrapolation": ...}
    tables : {name: characteristic}: (x, values), or {"x": ..., "values": ..., "y": ..., "interpolation": ..., "extrapolation": ...}
    friction : {name: {"law": ..., "velocity": ..., ...}}: forces by their laws
    hysteresis : {name: {"law": "relay", "input": ..., "low": ..., "high": ...}}: elements with a memory
    algebraic : {name: formula}, or {name: {"value": formula, "guess": number}}: variables that equations of their own determine
    mass : {state: {state: formula}}, a matrix, or a function (t, y) -> matrix: M of M·y' = field
    options : {name: value} as in the table [options] of a model file
    labels, units : {name: text} of states and observables, for pictures and frames
    name, summary, source : text
    """

    def __init__(self, field: Field = None, *, states: Any, t_span: Sequence[float],
                 parameters: Optional[Mapping[str, Any]] = None, surfaces: Optional[Mapping[str, Any]] = None,
                 contacts: Sequence[Contact] = (), resets: Sequence[Reset] = (), stops: Sequence[Stop] = (),
                 records: Sequence[Record] = (), every: Sequence[Every] = (),
                 locations: Optional[Mapping[str, Field]] = None,
                 edges: Sequence[Edge] = (), initial: Optional[str] = None, automata: Sequence[Automaton] = (),
                 discrete: Optional[Mapping[str, Any]] = None,
                 definitions: Optional[Mapping[str, Any]] = None, inputs: Optional[Mapping[str, Any]] = None,
                 tables: Optional[Mapping[str, Any]] = None, friction: Optional[Mapping[str, Mapping[str, Any]]] = None,
                 hysteresis: Optional[Mapping[str, Mapping[str, Any]]] = None,
                 algebraic: Optional[Mapping[str, Any]] = None, mass: Any = None,
                 derivatives: Optional[Mapping[str, Any]] = None, options: Optional[Mapping[str, Any]] = None,
                 labels: Optional[Mapping[str, str]] = None, units: Optional[Mapping[str, str]] = None,
                 name: Optional[str] = None, summary: Optional[str] = None, source: Optional[str] = None) -> None:
        if not isinstance(states, Mapping):
            states = {f"y{k}": value for k, value in enumerate(np.ravel(states))}
        if field is not None and derivatives is not None:
            raise ValueError("`field` and `derivatives` both tell the derivatives; give one of them")
        if not locations and (edges or initial is not None):
            raise ValueError("there are `edges` or an `initial` location, but no `locations`; expected locations={name: field}")
        field = derivatives if field is None else field
        scalars = [key for key, value in states.items() if not _is_vector(value)]
        _checked_names(list(states) + list(parameters or {}))
        text = _SystemText(scalars, [key for key in states if key not in scalars], parameters or {})
        for table in (discrete, inputs, algebraic, definitions, friction, hysteresis):
            text.symbols.update({key: text.graph.node("held", key) for key in table or {} if is_name(key)})
        text.symbols.update({a.name: text.graph.node("held", a.name) for a in automata})
        text.symbols.update({key: _Table(text.graph, key) for key in tables or {}})
        if surfaces:
            signs = [np.sign(text.graph.node("name", key)) for key in surfaces]
            text.extra["lam"] = traced_array(np.array(signs, dtype=object))
        self._tables(text, discrete=discrete, inputs=_pairs(inputs, "times"), tables=_pairs(tables, "x"), surfaces=surfaces, definitions=definitions,
                     algebraic=algebraic, friction=friction, hysteresis=hysteresis)
        if mass is not None:
            text.table("[mass]", text.mass(mass))
        if field is not None:
            text.table("[derivatives]", text.field(field))
        for heading, events in (("[[every]]", every), ("[[resets]]", resets), ("[[stops]]", stops), ("[[records]]", records)):
            for event in events:  # type: ignore[attr-defined]
                text.table(heading, text.event(event))
        for number, contact in enumerate(contacts):
            text.table("[[contacts]]", text.contact(contact, number + 1))
        for automaton in automata:
            self._automaton(text, automaton)
        top = [(key, quoted(value)) for key, value in (("summary", summary), ("source", source)) if value]
        if locations:
            top.append(("initial", quoted(initial or next(iter(locations)))))
            self._locations(text, "locations", locations)
            for edge in edges:
                text.table("[[edges]]", text.event(edge))
        for heading, words in (("[labels]", labels), ("[units]", units)):
            if words:
                text.table(heading, [(key, str(word)) for key, word in words.items()])
        title = str(name or getattr(field, "__name__", "system"))
        try:
            made = text.read(lambda written: _parse(written, title + ".toml"), title, [text.item(value) for value in states.values()],
                             float(t_span[0]), float(t_span[1]), top, options, names=list(states))
        except ModelError as error:
            raise ModelError(text.retold(error, place_of_caller())) from None
        super().__init__(made._core, made._origin)
        self._retold = functools.partial(retold_of_run, places=dict(text.lines), otherwise=place_of_caller())

    @staticmethod
    def _tables(text: _SystemText, **given: Optional[Mapping[str, Any]]) -> None:
        for heading, table in given.items():
            if table:
                text.table(f"[{heading}]", [(key, text.item(value)) for key, value in table.items()])

    @staticmethod
    def _locations(text: _SystemText, path: str, locations: Mapping[str, Field]) -> None:
        for key, own in locations.items():
            text.table(f"[[{path}]]", [("name", key)])
            lines = text.field(own)
            if lines:
                text.table(f"[{path}.derivatives]", lines)

    def _automaton(self, text: _SystemText, automaton: Automaton) -> None:
        lines: Lines = [("name", automaton.name)]
        if automaton.size is not None:
            lines.append(("size", text.item(automaton.size)))
        lines.append(("initial", text.item(automaton.initial or next(iter(automaton.locations)))))
        text.table("[[automata]]", lines)
        self._locations(text, "automata.locations", automaton.locations)
        for edge in automaton.edges:
            text.table("[[automata.edges]]", text.event(edge))

    def __reduce__(self) -> Any:
        return _again_system, (self._origin,)


def _pairs(table: Optional[Mapping[str, Any]], knots: str) -> Optional[Mapping[str, Any]]:
    """Pairs of knots and values as the entries of a table."""
    return None if table is None else {key: {knots: value[0], "values": value[1]} if isinstance(value, tuple) and len(value) == 2 else value
                                       for key, value in table.items()}


def _again_system(origin: Tuple[Any, ...]) -> System:
    made = model_from(origin)
    made.__class__ = System
    return made  # type: ignore[return-value]
