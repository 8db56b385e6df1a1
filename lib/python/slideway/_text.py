"""The text of a model file, from Python functions."""

from __future__ import annotations

import dis
import functools
import inspect
import re
import types
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Set, Tuple

import numpy as np

from ._arrays import traced_array
from ._complex import Complex
from ._expressions import Cond, Expr, Graph, TraceEnded, Untraceable, take_reason
from ._places import place_of, retold
from ._rewriter import Rewriter
from ._signals import Curve
from ._trace import Traced, trace_fully
from ._verify import Evaluator
from ._writer import Writer, bends_inside, has_too_many_forms, is_name, number_text, own_name

def quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ") + '"'


def accepted(function: Callable[..., Any], names: Sequence[str]) -> List[str]:
    """Those of `names` that a function takes as arguments beside t and y."""
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return list(names)
    if any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
        return list(names)
    return [name for name in names if name in list(parameters)[2:]]


def missing(function: Callable[..., Any], names: Sequence[str]) -> List[str]:
    """The arguments beside t and y that a function cannot do without, and that `names` does not have."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return []
    return [p.name for p in parameters[2:]
            if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY) and p.default is p.empty and p.name not in names]


def unpacked_names(function: Any, n: int) -> Optional[List[str]]:
    """x and v of a function that says `x, v = y`, or `x = y[0]` and `v = y[1]`."""
    while isinstance(function, functools.partial):
        function = function.func
    if isinstance(function, types.MethodType):
        function = function.__func__
    if not isinstance(function, types.FunctionType):
        return None
    found = _unpacked_in(function.__code__, n)
    return None if found is None else list(found)


@functools.lru_cache(maxsize=1000)
def _unpacked_in(code: types.CodeType, n: int) -> Optional[Tuple[str, ...]]:
    skip = 1 if code.co_varnames[:1] == ("self",) else 0
    if code.co_argcount < skip + 2:
        return None
    y = code.co_varnames[skip + 1]
    instructions = list(dis.get_instructions(code))
    for k, instruction in enumerate(instructions[:-n - 1]):
        if not (instruction.opname == "LOAD_FAST" and instruction.argval == y):
            continue
        if instructions[k + 1].opname != "UNPACK_SEQUENCE" or instructions[k + 1].argval != n:
            continue
        names = [i.argval for i in instructions[k + 2:k + 2 + n] if i.opname in ("STORE_FAST", "STORE_DEREF")]
        names = [own_name(name) for name in names]
        if len(names) == n and len(set(names)) == n and all(names):
            return tuple(names)
    return _picked_in(instructions, y, n)


def _picked_in(instructions: Sequence[Any], y: str, n: int) -> Optional[Tuple[str, ...]]:
    """The variables that hold y[0], y[1] and so on, where there is one of each."""
    if any(i.opname == "STORE_FAST" and i.argval == y for i in instructions):
        return None
    found: Dict[int, str] = {}
    for whole, index, picked, stored in zip(instructions, instructions[1:], instructions[2:], instructions[3:]):
        if (whole.opname == "LOAD_FAST" and whole.argval == y and index.opname == "LOAD_CONST" and type(index.argval) is int
                and picked.opname == "BINARY_SUBSCR" and stored.opname in ("STORE_FAST", "STORE_DEREF")):
            found.setdefault(index.argval % n if -n <= index.argval < n else n, own_name(stored.argval))
    names = [found.get(k, "") for k in range(n)]
    return tuple(names) if all(names) and len(set(names)) == n else None


class ModelText:
    """Collects a model as expressions and strings, and writes it."""

    def __init__(self, state_names: Sequence[str], parameters: Mapping[str, Any], backward: bool = False) -> None:
        self.graph = Graph()
        self.rewriter = Rewriter()
        self.backward = backward
        self.has_pairs = False  # whether two states are the parts of a complex one of the user's
        self.state_names, self.parameters = list(state_names), dict(parameters)
        self.time = self.graph.node("time")
        self.states = [self.graph.node("name", name) for name in state_names]
        self.symbols: Dict[str, Any] = {name: self.graph.node("name", name) for name in parameters}
        self.writer = Writer("-t" if backward else "t")
        self.places: Dict[int, str] = {}  # of the user's functions, by the numbers of what they returned
        self.lines: Dict[int, str] = {}  # the same by the lines of the text that was written last, from 1
        # Tables: a heading, and lines whose values are expressions or text.
        self.tables: List[Tuple[str, List[Tuple[str, Any]]]] = []

    def y(self, column: bool = False) -> Any:
        states: List[Any] = self.states
        if self.has_pairs:
            states = [Complex(re, im) for re, im in zip(self.states[::2], self.states[1::2])]
        array = traced_array(np.array(states, dtype=object))
        return array[:, None] if column else array

    def expressions(self, function: Any, size: Optional[int] = None, column: bool = False, **extra: Any) -> List[Expr]:
        """The results of function(t, y, parameters by name)."""
        return self.traced(function, size, column, **extra).results

    def traced(self, function: Any, size: Optional[int] = None, column: bool = False, **extra: Any) -> Traced:
        """The same with the ways on which the function raises, and what it decides by."""
        known = dict(self.symbols, **extra)
        given = {name: known[name] for name in accepted(function, list(known))}
        made = trace_fully(self.graph, function, self.time, self.y(column), size=size, rewriter=self.rewriter, **given)
        place = place_of(function)
        if place is not None:
            for result in made.results:
                self.places.setdefault(result.number, place)
        return made

    def value(self, given: Any, **extra: Any) -> Any:
        """An expression, or the text that was given as such."""
        if isinstance(given, str):
            return given
        if callable(given):
            return self.expressions(given, 1, **extra)[0]
        return self.graph.constant(float(given))

    def guard(self, given: Any) -> Any:
        """The guard of an event, or a condition: text, a function that returns a number or conditions joined by & | ~."""
        if callable(given):
            names = accepted(given, list(self.symbols))
            try:
                found = given(self.time, self.y(), **{name: self.symbols[name] for name in names})
            except (Exception, TraceEnded):
                found = None  # what only tracing can follow
            finally:
                take_reason()
            if isinstance(found, Cond):
                return found
        return self.value(given)

    def table(self, heading: str, lines: Sequence[Tuple[str, Any]]) -> None:
        self.tables.append((heading, list(lines)))

    def write(self, name: str, state: Sequence[Any], start: float, end: float, top: Sequence[Tuple[str, str]] = (),
              options: Optional[Mapping[str, Any]] = None, names: Optional[Sequence[str]] = None) -> str:
        """The whole text; `names` are those of all states where vectors are among them."""
        self.lines = {}
        self.writer.names, self.writer.taken = self.graph.names, self._taken() | set(self.writer.definitions)
        equations = {key: self.graph.node("+", self.graph.node("name", key), solution.residuals[k])
                     for key, (solution, k) in self.graph.solutions.items()}
        roots = [v for _, lines in self.tables for _, v in _leaves(lines) if isinstance(v, Expr)] + list(equations.values())
        texts = dict(zip((r.number for r in roots), self.writer.write(roots)))

        def text_of(value: Any) -> str:
            if isinstance(value, Expr):
                return quoted(texts[value.number])
            if isinstance(value, Raw):
                return value.text
            if isinstance(value, Cond):
                return quoted(condition_text(value, texts))
            if isinstance(value, dict):
                return "{ " + ", ".join(f"{key_text(k)} = {text_of(v)}" for k, v in value.items()) + " }"
            if isinstance(value, list):
                return "[" + ", ".join(text_of(v) for v in value) + "]"
            return quoted(str(value))

        def first_value(value: Any) -> str:
            return text_of(value) if isinstance(value, (str, dict, Raw, Expr)) else number_line(value)

        def line(key: str, value: str) -> str:
            return f"{key_text(key)} = {value}"

        lines = [f"name = {quoted(name)}"] + [f"{k} = {v}" for k, v in top]
        if self.parameters:
            lines += ["[parameters]"] + [line(k, quoted(v) if isinstance(v, str) else number_line(v)) for k, v in self.parameters.items()]
        lines += ["[states]"] + [line(k, first_value(v)) for k, v in zip(names or self.state_names, state)]
        lines += ["[time]", f"start = {number_line(start)}", f"end = {number_line(end)}"]
        own = [line(k, quoted(v)) for k, v in self.writer.definitions.items()]
        signals = self._curves(self.writer.signals, self.graph.signals, "times")
        characteristics = self._curves(self.writer.tables, self.graph.tables, "x")
        solved = [f"{key} = {{ value = {quoted(texts[root.number])}, guess = {number_line(guess)} }}"
                  for (key, root), guess in zip(equations.items(), self._guesses(list(equations), state, start))]
        for heading, made in (("[definitions]", own), ("[inputs]", signals), ("[tables]", characteristics), ("[algebraic]", solved)):
            # A table that the user fills, too, is one.
            if made and not any(known == heading for known, _ in self.tables):
                lines += [heading] + made
        for heading, entries in self.tables:
            lines.append(heading)
            lines += {"[definitions]": own, "[inputs]": signals, "[tables]": characteristics, "[algebraic]": solved}.get(heading, [])
            for k, v in entries:
                lines.append(line(k, text_of(v)))
                found = [self.places[e.number] for _, e in _leaves([(k, v)]) if isinstance(e, Expr) and e.number in self.places]
                if found:
                    self.lines[len(lines)] = found[0]
        if options:
            lines += ["[options]"] + [f"{k} = {option_text(v)}" for k, v in options.items()]
        return "\n".join(lines) + "\n"

    def _guesses(self, names: Sequence[str], state: Sequence[Any], start: float) -> List[float]:
        """Where the searches for roots begin: at those that the function itself finds at the start."""
        if not names:
            return []
        try:
            at = np.array([float(value.text if isinstance(value, Raw) else value) for value in state])
            list(map(float, self.parameters.values()))
        except (TypeError, ValueError):
            raise Untraceable("a root that the function looks for, beside initial values or parameters that are formulas") from None
        evaluator = Evaluator(self.graph, self.state_names, [self.graph.node("name", name) for name in names], (), self.parameters)
        values = evaluator(np.array([-start if self.backward else start]), at[:, None])
        return [float(values[root.number][0]) for root in evaluator.roots]

    def read(self, parse: Callable[[str], Any], *args: Any, **kwargs: Any) -> Any:
        """What `parse` makes of the written text. Where the reader refuses bends inside of guards, these are passed without surfaces."""
        roots = [v for _, lines in self.tables for _, v in _leaves(lines) if isinstance(v, Expr)]
        passed = bends_inside(roots)
        if has_too_many_forms(roots):
            self._pass(passed)
            return parse(self.write(*args, **kwargs))
        try:
            return parse(self.write(*args, **kwargs))
        except ValueError as error:
            if not passed:
                raise
            before = self.writer, self.lines
            self._pass(passed)
            try:
                return parse(self.write(*args, **kwargs))
            except ValueError:
                self.writer, self.lines = before
                raise error from None

    def _pass(self, bends: Set[int]) -> None:
        self.writer = Writer(self.writer.time, self.writer.prefix)
        self.writer.passed = bends

    def _taken(self) -> Set[str]:
        """The names of the model's own quantities and parts."""
        taken = set(self.state_names) | set(self.parameters)
        for _, lines in self.tables:
            taken.update(key for key, _ in lines)
            taken.update(str(value) for key, value in lines if key == "name")
        return taken

    def retold(self, error: Exception, otherwise: str) -> str:
        """What the reader says of the text that was written last, with places in the user's own code."""
        return retold(str(error), self.lines, otherwise)

    def _curves(self, names: Mapping[int, str], curves: Sequence[Curve], knots: str) -> List[str]:
        lines: List[str] = []
        for number, name in names.items():
            curve = curves[number]
            if knots == "times" and self.backward:
                curve = curve.backward()
            parts = [f"{knots} = {numbers_text(curve.knots)}", f"values = {numbers_text(curve.values)}",
                     f"interpolation = {quoted(curve.interpolation)}", f"extrapolation = {quoted(curve.beyond)}"]
            if curve.slopes is not None:
                parts.insert(2, f"slopes = {numbers_text(curve.slopes)}")
            lines.append(f"{name} = {{ {', '.join(parts)} }}")
        return lines

    def derivatives(self, results: Sequence[Expr]) -> List[Tuple[str, Any]]:
        return [(name, -r if self.backward else r) for name, r in zip(self.state_names, results)]


class Raw:
    """Text that is not quoted."""

    def __init__(self, text: str) -> None:
        self.text = text


def _leaves(lines: Sequence[Tuple[str, Any]]) -> List[Tuple[str, Any]]:
    leaves: List[Tuple[str, Any]] = []
    for key, value in lines:
        if isinstance(value, dict):
            leaves += _leaves(list(value.items()))
        elif isinstance(value, list):
            leaves += _leaves([(key, part) for part in value])
        elif isinstance(value, Cond):
            leaves += [(key, guard) for guard in guards_of(value)]
        else:
            leaves.append((key, value))
    return leaves


def guards_of(condition: Cond) -> List[Expr]:
    """What is compared with zero in a condition."""
    if condition.kind in ("positive", "zero"):
        return [condition.parts[0]]
    return [guard for part in condition.parts for guard in guards_of(part)]


def condition_text(condition: Cond, texts: Mapping[int, str]) -> str:
    """A condition as a model file has it."""
    if condition.kind == "positive":
        return f"{texts[condition.parts[0].number]} > 0"
    if condition.kind == "zero":
        raise Untraceable("an equality of what moves")
    inner = [condition_text(part, texts) for part in condition.parts]
    if condition.kind == "not":
        return f"not ({inner[0]})"
    return f"({inner[0]}) {condition.kind} ({inner[1]})"


def key_text(key: str) -> str:
    return key if re.match(r"[A-Za-z0-9_-]+\Z", key) else quoted(key)


def numbers_text(values: Any) -> str:
    if not np.isfinite(values).all():
        raise Untraceable("a number that is not finite")
    return "[" + ", ".join(map(repr, np.asarray(values, dtype=float).tolist())) + "]"


def number_line(value: Any) -> str:
    value = float(value)
    if not np.isfinite(value):
        raise Untraceable("a number that is not finite")
    text = number_text(value)
    return text if any(c in text for c in ".e") else text + ".0"


def option_text(value: Any) -> str:
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key_text(k)} = {option_text(v)}" for k, v in value.items()) + " }"
    if isinstance(value, (list, tuple, np.ndarray)):
        return "[" + ", ".join(option_text(v) for v in value) + "]"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    return number_line(value)
