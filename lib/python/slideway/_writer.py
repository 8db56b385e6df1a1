"""Expressions as the text of a model file."""

from __future__ import annotations

import math
import re
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Set, Tuple

from ._expressions import Expr, Untraceable, in_order


def number_text(value: float) -> str:
    if not math.isfinite(value):
        raise Untraceable("a number that is not finite")
    if value == int(value) and abs(value) < 1e15:
        return str(int(value))
    return repr(float(value))


RESERVED = set("sin cos tan asin acos atan atan2 sinh cosh tanh exp log sqrt pow sgn step if abs min max sum floor ceil round mod square triangle sawtooth "
               "pulse hypot sat deadzone hysteresis and or not t pi i j impact".split())

# Latin letters with accents, Greek and Cyrillic ones may stand in names, as in model files.
_LETTER = "A-Za-z\u00b5\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u0386\u0388-\u03f5\u03f7-\u0481\u048a-\u052f\u1e00-\u1fff"
_NAME = re.compile(rf"[{_LETTER}][{_LETTER}0-9_]*\Z")


def is_name(text: Any) -> bool:
    """Whether a model file can have a quantity of this name."""
    return isinstance(text, str) and bool(_NAME.match(text)) and text not in RESERVED


def own_name(variable: str) -> str:
    """What a model file calls a variable of Python's: a word that it has itself gets a dash, and "" is of none."""
    return variable if is_name(variable) else f"{variable}_" if is_name(f"{variable}_") else ""


_LEVELS = {"+": 1, "-": 1, "*": 2, "/": 2, "neg": 3, "^": 4}
_SURFACE_MAKERS = {"if": 1, "sgn": 1, "abs": 1, "min": 2, "max": 2}
_BENDS = ("abs", "min", "max")
_MOST_SIDES = 6  # the reader's most_sides
_ROUNDING = "1e-60"  # changes no number above 1e-22, and has a second derivative that is finite


def bends_inside(roots: Sequence[Expr]) -> Set[int]:
    """The numbers of bends that lie inside of a guard, or of what is no sum: with each of them the forms of what is around double."""
    found: Set[int] = set()
    seen: Set[Tuple[int, bool]] = set()
    stack = [(root, False) for root in roots]
    while stack:
        node, inside = stack.pop()
        if (node.number, inside) in seen or not node.kinked:
            continue
        seen.add((node.number, inside))
        if inside and node.op in _BENDS:
            found.add(node.number)
        is_sum = node.op in ("+", "-", "neg") or (node.op in ("*", "/") and any(a.is_constant for a in node.args))
        for k, a in enumerate(node.args):
            if isinstance(a, Expr):
                stack.append((a, inside if is_sum or (node.op == "if" and k > 0) else True))
    return found


def has_too_many_forms(roots: Sequence[Expr]) -> bool:
    """Whether a bend has more bends inside of it than the reader writes out, in two forms each."""
    below: Dict[int, Set[int]] = {}  # the bends at and inside of a node
    for node in in_order([root for root in roots if root.kinked], lambda node: node.kinked):
        inside: Set[int] = set().union(*(below[a.number] for a in node.args if isinstance(a, Expr) and a.kinked))
        if node.op in _BENDS:
            if len(inside) > _MOST_SIDES:
                return True
            inside.add(node.number)
        below[node.number] = inside
    return False


class Writer:
    """Expressions as text, with definitions for what is used more than once."""

    def __init__(self, time: str = "t", prefix: str = "_", define: bool = True) -> None:
        self.time, self.prefix, self.define = time, prefix, define
        self.signals: Dict[int, str] = {}  # names of what is over the time, and over other numbers
        self.tables: Dict[int, str] = {}
        self.definitions: Dict[str, str] = {}
        self.names: Mapping[int, str] = {}  # what the user's variables call nodes, by number
        self.taken: Set[str] = set()  # names of other things
        self.passed: Set[int] = set()  # numbers of bends without a surface: the control of errors leads a run over them
        self.text: Dict[int, Tuple[str, int, int]] = {}  # text, level, depth
        self.inline: Dict[int, Optional[Tuple[str, int]]] = {}

    def write(self, roots: Sequence[Expr]) -> List[str]:
        reached: Dict[int, Expr] = {}
        uses: Dict[int, int] = {}
        stack = list(roots)
        while stack:
            node = stack.pop()
            uses[node.number] = uses.get(node.number, 0) + 1
            if node.number in reached:
                continue
            reached[node.number] = node
            stack.extend(a for a in node.args if isinstance(a, Expr))
            if node.number in self.passed:
                for a in node.args:
                    uses[a.number] = uses.get(a.number, 0) + 1
        results = {root.number for root in roots}
        for number in sorted(reached):
            if number not in self.text:
                self._write_node(reached[number], uses[number], number in results and uses[number] == 1)
        return [self.text[root.number][0] for root in roots]

    def _write_node(self, node: Expr, uses: int, is_result: bool) -> None:
        def part(k: int) -> Tuple[str, int]:
            a = node.args[k]
            if k < _SURFACE_MAKERS.get(node.op, 0):
                short = self.inline.get(a.number)
                if short is not None:
                    return short
            text, level, _ = self.text[a.number]
            return text, level

        def short_part(k: int) -> Optional[Tuple[str, int]]:
            return self.inline.get(node.args[k].number)

        text, level = self._compose(node, part)
        operands = [a for a in node.args if isinstance(a, Expr)]
        shorts = [short_part(k) if isinstance(a, Expr) else None for k, a in enumerate(node.args)]
        if node.op not in ("signal", "table", "call") and all(s is not None for s in shorts):
            # Where no operand has a definition it is the text itself.
            is_text = all(short[0] == self.text[a.number][0] for short, a in zip(shorts, node.args) if short is not None and isinstance(a, Expr))
            short = (text, level) if is_text else self._compose(node, lambda k: shorts[k])  # type: ignore[arg-type, return-value]
            self.inline[node.number] = short if len(short[0]) <= 80 else None
        else:
            self.inline[node.number] = None
        depth = 1 + max((self.text[a.number][2] for a in operands), default=0)
        is_named = node.number in self.names and not is_result
        if self.define and operands and (((uses > 1 or is_named) and len(text) > 10) or depth > 25 or len(text) > 1000):
            name = self._name_of(node, f"{self.prefix}{len(self.definitions) + 1}")
            self.definitions[name] = text
            text, level, depth = name, 9, 1
        self.text[node.number] = (text, level, depth)

    def _name_of(self, node: Expr, otherwise: str) -> str:
        """The name of the user's variable, with a number where several have held it."""
        own = own_name(self.names.get(node.number, ""))
        if not own:
            return otherwise
        name, count = own, 1
        while name in self.taken:
            count += 1
            name = f"{own}_{count}"
        self.taken.add(name)
        return name

    def _compose(self, node: Expr, part: Callable[[int], Tuple[str, int]]) -> Tuple[str, int]:
        op = node.op
        if op == "const":
            text = number_text(node.args[0])
            return (text, 9) if not text.startswith("-") else (text, 3)
        if op in ("name", "held"):
            return node.args[0], 9
        if op == "signal":
            if node.args[0] not in self.signals:
                self.signals[node.args[0]] = self._name_of(node, f"signal{node.args[0] + 1}")
            return self.signals[node.args[0]], 9
        if op == "table":
            name = self.tables.setdefault(node.args[0], f"table{node.args[0] + 1}")
            return f"{name}({part(1)[0]})", 9
        if op == "call":
            return f"{node.args[0]}({', '.join(part(k)[0] for k in range(1, len(node.args)))})", 9
        if op == "time":
            return (self.time, 9) if not self.time.startswith("-") else (f"({self.time})", 9)

        def bracket(k: int, least: int) -> str:
            text, level = part(k)
            return text if level >= least else f"({text})"

        if node.number in self.passed:
            return self._passed(node, bracket)
        if op in "+-":
            return f"{bracket(0, 1)} {op} {bracket(1, 2)}", 1
        if op in "*/":
            return f"{bracket(0, 2)}{op}{bracket(1, 4)}", 2
        if op == "neg":
            return f"-{bracket(0, 4)}", 2
        if op == "^":
            return f"{bracket(0, 9)}^{bracket(1, 9)}", 4
        if op == "if":
            guard = node.args[0]
            if guard.op == "-" and part(0)[0] == self._difference(guard):
                condition = self._comparison(guard)
            else:
                condition = f"{part(0)[0]} > 0"
            return f"if({condition}, {part(1)[0]}, {part(2)[0]})", 9
        return f"{op}({', '.join(part(k)[0] for k in range(len(node.args)))})", 9

    @staticmethod
    def _passed(node: Expr, bracket: Callable[[int, int], str]) -> Tuple[str, int]:
        """A bend by a root. The root of a square is the absolute value to the last digit; _ROUNDING leaves it a slope of 0 at 0."""
        if node.op == "abs":
            return f"sqrt({bracket(0, 9)}^2 + {_ROUNDING})", 9
        sign = "+" if node.op == "max" else "-"
        if node.args[1].is_constant and node.args[1].args[0] == 0:
            return f"0.5*({bracket(0, 1)} {sign} sqrt({bracket(0, 9)}^2 + {_ROUNDING}))", 2
        difference = f"{bracket(0, 1)} - {bracket(1, 2)}"
        return f"{bracket(1, 1)} + 0.5*({difference} {sign} sqrt(({difference})^2 + {_ROUNDING}))", 1

    def _sides(self, guard: Expr) -> Tuple[Tuple[str, int], Tuple[str, int]]:
        def side(a: Expr) -> Tuple[str, int]:
            short = self.inline.get(a.number)
            return short if short is not None else self.text[a.number][:2]

        return side(guard.args[0]), side(guard.args[1])

    def _difference(self, guard: Expr) -> str:
        (a, la), (b, lb) = self._sides(guard)
        return f"{a if la >= 1 else f'({a})'} - {b if lb >= 2 else f'({b})'}"

    def _comparison(self, guard: Expr) -> str:
        (a, _), (b, _) = self._sides(guard)
        return f"{a} > {b}"
