"""Functions as people write them, drawn at random: each is a model in the language of model files, written out in Python.

The text of the model tells what is right. It must not know how functions are traced.
"""

import random
import textwrap

import numpy as np

# ---- formulas: tuples of an operation and its parts ------------------------------------------------------------------------------

VARIABLES = ("x", "v", "w")


class Draw:
    """A model and the styles of its Python, drawn from one seed."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.samples = []  # values of the sampled signals
        self.characteristics = []

    def pick(self, *choices):
        return self.random.choice(choices)

    def number(self, low, high):
        return round(self.random.uniform(low, high), 3)

    # ---- smooth parts

    def smooth(self, depth=0):
        kind = self.pick("variable", "variable", "time", "affine", "sine", "tanh", "product") if depth < 2 else "variable"
        if kind == "variable":
            return ("name", self.pick(*self.states))
        if kind == "time":
            return ("sin", ("+", ("*", ("number", self.number(0.6, 3)), ("t",)), ("number", self.number(0, 3))))
        if kind == "affine":
            return ("+", self.smooth(2), ("number", self.number(-0.6, 0.6)))
        if kind == "product":
            return ("*", ("number", self.number(0.3, 1.5)), self.smooth(depth + 1))
        return (self.pick("sin", "tanh", "cos"), self.smooth(depth + 1))

    def guard(self):
        return self.pick(("-", ("name", self.pick(*self.states)), ("number", self.number(-0.5, 0.5))),
                         ("+", ("name", self.states[0]), ("*", ("number", self.number(0.2, 1)), ("name", self.states[-1]))),
                         ("name", self.states[-1]),
                         ("-", self.smooth(1), ("number", self.number(-0.3, 0.3))))

    def condition(self, depth=0):
        kind = self.pick("plain", "plain", "plain", "and", "or", "not", "between") if depth == 0 else "plain"
        if kind in ("and", "or"):
            return (kind, self.condition(1), self.condition(1))
        if kind == "not":
            return ("not", self.condition(1))
        if kind == "between":
            low = self.number(-0.8, 0.1)
            return ("between", ("name", self.pick(*self.states)), ("number", low), ("number", round(low + self.number(0.3, 1), 3)))
        return (self.pick(">", "<", ">=", "<="), ("name", self.pick(*self.states)), ("number", self.number(-0.6, 0.6)))

    # ---- parts that jump or bend

    def feature(self):
        kind = self.pick("sgn", "sgn", "step", "abs", "max", "min", "sat", "deadzone", "if", "if", "if", "floor", "mod", "square",
                         "sampled", "table", "pulse", "elif")
        strength = ("number", self.number(0.2, 0.9))
        if kind in ("sgn", "step", "abs"):
            return ("*", strength, (kind, self.guard()))
        if kind in ("max", "min"):
            return (kind, self.guard(), ("number", self.number(-0.3, 0.3)))
        if kind in ("sat", "deadzone"):
            return (kind, ("*", ("number", self.number(1, 3)), self.guard()), ("number", self.number(-0.8, -0.2)), ("number", self.number(0.2, 0.8)))
        if kind == "if":
            return ("if", self.condition(), self.small(), self.small())
        if kind == "elif":
            state = ("name", self.pick(*self.states))
            return ("if", (">", state, ("number", self.number(0.1, 0.6))), self.small(),
                    ("if", ("<", state, ("number", self.number(-0.6, -0.1))), self.small(), self.small()))
        if kind == "floor":
            return ("*", ("number", 0.2), ("floor", ("*", ("number", self.number(0.4, 1.2)), ("t",))))
        if kind == "mod":
            return ("mod", ("t",), ("number", self.number(0.7, 2)))
        if kind == "square":
            return ("*", strength, ("square", ("*", ("number", self.number(1, 3)), ("t",))))
        if kind == "pulse":
            low = self.number(0.5, 2)
            return ("if", ("between", ("t",), ("number", low), ("number", round(low + self.number(0.4, 2), 3))), self.small(), ("number", 0.0))
        if kind == "sampled":
            self.samples.append([self.number(-0.8, 0.8) for _ in range(12)])
            return ("sampled", len(self.samples) - 1, self.pick("hold", "linear"))
        self.characteristics.append([self.number(-0.8, 0.8) for _ in range(4)])
        return ("table", len(self.characteristics) - 1, ("name", self.pick(*self.states)))

    def small(self):
        return self.pick(("number", self.number(-0.8, 0.8)), ("*", ("number", self.number(-0.5, 0.5)), self.smooth(1)))

    def model(self):
        order = self.pick(1, 2, 2, 3)
        self.states = VARIABLES[:order]
        force = self.feature()
        for _ in range(self.pick(0, 1, 1)):
            force = ("+", force, self.feature())
        if order == 1:
            equations = [("+", ("*", ("number", -self.number(0.3, 1)), ("name", "x")), force)]
        elif order == 2:
            back = ("+", ("*", ("number", -self.number(0.5, 2)), ("name", "x")), ("*", ("number", -self.number(0.05, 0.6)), ("name", "v")))
            equations = [("name", "v"), ("+", back, force)]
        else:
            equations = [("-", ("name", "v"), ("*", ("number", self.number(0.3, 1)), ("name", "x"))),
                         ("+", ("*", ("number", -self.number(0.5, 1.5)), ("name", "x")), force),
                         ("-", ("name", "x"), ("*", ("number", self.number(0.5, 2)), ("name", "w")))]
        self.equations = equations
        self.start = [self.number(-1.2, 1.2) for _ in self.states]
        self.end = self.number(4, 8)
        return self


KNOTS = (-1.0, -0.25, 0.5, 1.0)
STEP = 0.75  # of the sampled signals


# ---- in the language of model files --------------------------------------------------------------------------------------------------

def text(f):
    op = f[0]
    if op == "number":
        return repr(f[1]) if f[1] >= 0 else f"({f[1]!r})"
    if op == "name":
        return f[1]
    if op == "t":
        return "t"
    if op in "+-*" or op in (">", "<", ">=", "<="):
        return f"({text(f[1])} {op} {text(f[2])})" if op in "+-*" else f"{text(f[1])} {op} {text(f[2])}"
    if op in ("and", "or"):
        return f"({text(f[1])} {op} {text(f[2])})"
    if op == "not":
        return f"not ({text(f[1])})"
    if op == "between":
        return f"({text(f[2])} < {text(f[1])} and {text(f[1])} < {text(f[3])})"
    if op == "sampled":
        return f"u{f[1]}"
    if op == "table":
        return f"map{f[1]}({text(f[2])})"
    return f"{op}({', '.join(text(part) for part in f[1:])})"


def _signals_in(f):
    if f[0] == "sampled":
        yield f
    for part in f[1:]:
        if isinstance(part, tuple):
            yield from _signals_in(part)


def model_text(draw):
    lines = ["[states]"] + [f"{name} = {value}" for name, value in zip(draw.states, draw.start)] + ["[time]", f"end = {draw.end}"]
    signals = {f[1]: f[2] for equation in draw.equations for f in _signals_in(equation)}
    if signals:
        lines.append("[inputs]")
        times = [round(STEP * k, 6) for k in range(12)]
        lines += [f"u{k} = {{ times = {times}, values = {draw.samples[k]}, interpolation = \"{how}\", extrapolation = \"hold\" }}"
                  for k, how in signals.items()]
    if draw.characteristics:
        lines.append("[tables]")
        lines += [f"map{k} = {{ x = {list(KNOTS)}, values = {values}, extrapolation = \"hold\" }}"
                  for k, values in enumerate(draw.characteristics)]
    lines += ["[derivatives]"] + [f"{name} = \"{text(f)}\"" for name, f in zip(draw.states, draw.equations)]
    return "\n".join(lines) + "\n"


# ---- in Python -------------------------------------------------------------------------------------------------------------------------------------

HELPERS = {
    "sgn": "def sgn(a):\n    if a > 0:\n        return 1.0\n    elif a < 0:\n        return -1.0\n    return 0.0",
    "saturate": "def saturate(u, low, high):\n    if u < low:\n        return low\n    if u > high:\n        return high\n    return u",
    "dead": "def dead(u, low, high):\n    if u > high:\n        out = u - high\n    elif u < low:\n        out = u - low\n    else:\n        out = 0\n    return out",
    "choose": "def choose(condition, a, b):\n    if condition:\n        return a\n    else:\n        return b",
    "square_wave": "def square_wave(a):\n    return 1 if a % (2*np.pi) < np.pi else -1",
}


class Python:
    """A function in Python, in styles that are drawn."""

    def __init__(self, draw, seed):
        self.draw, self.random = draw, random.Random(seed)
        self.helpers, self.before, self.count = {}, [], 0
        self.access = self.pick("unpack", "index", "locals", "args")

    def pick(self, *choices):
        return self.random.choice(choices)

    def helper(self, name):
        self.helpers[name] = HELPERS[name]
        return name

    def line(self, value):
        """A local variable of a value, or of lines of an if statement."""
        self.count += 1
        name = f"q{self.count}"
        self.before.append(f"{name} = {value}" if isinstance(value, str) else "\n".join(part.replace("{}", name) for part in value))
        return name

    def name(self, state):
        if self.access == "index":
            return f"y[{self.draw.states.index(state)}]"
        return state

    def py(self, f):
        op = f[0]
        if op == "number":
            return repr(f[1]) if f[1] >= 0 else f"({f[1]!r})"
        if op == "name":
            return self.name(f[1])
        if op == "t":
            return "t"
        if op in ("+", "-", "*"):
            return f"({self.py(f[1])} {op} {self.py(f[2])})"
        if op in (">", "<", ">=", "<=", "and", "or", "not", "between"):
            return self.condition(f)
        made = getattr(self, "py_" + op)(*f[1:])
        return self.line(made) if self.pick(True, False, False) else made

    def condition(self, f, scalar=True):
        op = f[0]
        if op == "between":
            a, low, high = self.py(f[1]), self.py(f[2]), self.py(f[3])
            return self.pick(f"({low} < {a} < {high})", f"({a} > {low} and {a} < {high})", f"(({a} > {low}) & ({a} < {high}))",
                             f"np.logical_and({a} > {low}, {a} < {high})", f"all([{low} < {a}, {a} < {high}])")
        if op in ("and", "or"):
            a, b = self.condition(f[1]), self.condition(f[2])
            return self.pick(f"({a} {op} {b})", f"(({a}) {'&' if op == 'and' else '|'} ({b}))", f"np.logical_{op}({a}, {b})",
                             f"{'all' if op == 'and' else 'any'}([{a}, {b}])", f"np.{'all' if op == 'and' else 'any'}([{a}, {b}])",
                             f"bool({a} {op} {b})")
        if op == "not":
            a = self.condition(f[1])
            return self.pick(f"(not ({a}))", f"np.logical_not({a})", f"(({a}) == False)")
        a, b = self.py(f[1]), self.py(f[2])
        opposite = {">": "<", "<": ">", ">=": "<=", "<=": ">="}[op]
        return self.pick(f"({a} {op} {b})", f"({b} {opposite} {a})", f"(({a}) - ({b}) {op} 0)")

    def py_sin(self, a):
        return f"{self.pick('np', 'math')}.sin({self.py(a)})"

    def py_cos(self, a):
        return f"{self.pick('np', 'math')}.cos({self.py(a)})"

    def py_tanh(self, a):
        return f"{self.pick('np', 'math')}.tanh({self.py(a)})"

    def py_sgn(self, a):
        a = self.py(a)
        return self.pick(f"np.sign({a})", f"np.sign({a})", f"{self.helper('sgn')}({a})", f"(1.0 if {a} > 0 else -1.0)", f"np.where({a} > 0, 1.0, -1.0)",
                         f"math.copysign(1, {a})", f"(({a} > 0)*1.0 - ({a} < 0)*1.0)", f"(2*np.heaviside({a}, 0.5) - 1)",
                         f"(int({a} > 0) - int({a} < 0))", f"float(np.sign({a}))", f"({a}/abs({a}) if {a} != 0 else 0.0)",
                         f"[-1.0, 1.0][int({a} > 0)]", f"np.select([{a} > 0, {a} < 0], [1.0, -1.0], 0.0)")

    def py_step(self, a):
        a = self.py(a)
        return self.pick(f"({a} > 0)*1", f"float({a} > 0)", f"np.heaviside({a}, 0.5)", f"(1.0 if {a} > 0 else 0.0)", f"int({a} > 0)",
                         f"np.where({a} > 0, 1, 0)", f"(0 if {a} < 0 else 1)")

    def py_abs(self, a):
        a = self.py(a)
        return self.pick(f"abs({a})", f"np.abs({a})", f"math.fabs({a})", f"({a} if {a} > 0 else -({a}))", f"np.sqrt(({a})**2)",
                         f"max({a}, -({a}))", f"np.absolute({a})")

    def py_max(self, a, b):
        a, b = self.py(a), self.py(b)
        return self.pick(f"max({a}, {b})", f"np.maximum({a}, {b})", f"np.max([{a}, {b}])", f"({a} if {a} > {b} else {b})", f"max([{a}, {b}])",
                         f"np.where({a} > {b}, {a}, {b})", f"sorted([{a}, {b}])[1]")

    def py_min(self, a, b):
        a, b = self.py(a), self.py(b)
        return self.pick(f"min({a}, {b})", f"np.minimum({a}, {b})", f"np.min([{a}, {b}])", f"({a} if {a} < {b} else {b})", f"min([{a}, {b}])",
                         f"np.fmin({a}, {b})")

    def py_sat(self, u, low, high):
        u, low, high = self.py(u), self.py(low), self.py(high)
        return self.pick(f"np.clip({u}, {low}, {high})", f"max({low}, min({u}, {high}))", f"{self.helper('saturate')}({u}, {low}, {high})",
                         f"np.minimum(np.maximum({u}, {low}), {high})", f"({low} if {u} < {low} else {high} if {u} > {high} else {u})")

    def py_deadzone(self, u, low, high):
        u, low, high = self.py(u), self.py(low), self.py(high)
        return self.pick(f"({u} - np.clip({u}, {low}, {high}))", f"{self.helper('dead')}({u}, {low}, {high})",
                         f"np.where({u} > {high}, {u} - {high}, np.where({u} < {low}, {u} - {low}, 0.0))",
                         f"(max({u} - {high}, 0) + min({u} - {low}, 0))")

    def py_if(self, condition, a, b):
        c, a, b = self.condition(condition), self.py(a), self.py(b)
        style = self.pick("ternary", "ternary", "where", "statement", "statement", "product", "choose", "list", "dict", "select", "flag", "piecewise")
        if style == "statement":
            return self.line([f"if {c}:", "    {} = " + a, "else:", "    {} = " + b])
        if style == "flag":
            flag = self.line(["{} = False", f"if {c}:", "    {} = True"])
            return f"({a} if {flag} else {b})"
        return {"ternary": f"({a} if {c} else {b})", "where": f"np.where({c}, {a}, {b})", "product": f"(({c})*({a}) + (not ({c}))*({b}))", "choose": f"{self.helper('choose')}({c}, {a}, {b})", "list": f"[{b}, {a}][int({c})]",
                "dict": f"{{True: {a}, False: {b}}}[bool({c})]", "select": f"np.select([{c}], [{a}], {b})",
                "piecewise": f"float({a} if {c} else {b})"}[style]

    def py_floor(self, a):
        a = self.py(a)
        return self.pick(f"math.floor({a})", f"np.floor({a})", f"int({a})", f"(({a})//1)", f"np.trunc({a})")

    def py_mod(self, a, b):
        a, b = self.py(a), self.py(b)
        return self.pick(f"({a} % {b})", f"np.mod({a}, {b})", f"math.fmod({a}, {b})", f"({a} - {b}*int({a}/{b}))", f"({a} - {b}*np.floor({a}/{b}))",
                         f"divmod({a}, {b})[1]")

    def py_square(self, a):
        a = self.py(a)
        return self.pick(f"np.sign(np.sin({a}))", f"{self.helper('square_wave')}({a})", f"(1 if math.sin({a}) > 0 else -1)", f"signal.square({a})")

    def py_sampled(self, k, how):
        last = len(self.draw.samples[k]) - 1
        if how == "linear":
            return self.pick(f"np.interp(t, TIMES, SAMPLES[{k}])", f"interp1d(TIMES, SAMPLES[{k}], fill_value=(SAMPLES[{k}][0], SAMPLES[{k}][-1]), bounds_error=False)(t)")
        return self.pick(f"SAMPLES[{k}][min(int(t/STEP), {last})]", f"SAMPLES[{k}][bisect.bisect_right(TIMES.tolist(), t) - 1]",
                         f"SAMPLES[{k}][np.searchsorted(TIMES, t, side='right') - 1]",
                         f"interp1d(TIMES, SAMPLES[{k}], kind='previous', fill_value='extrapolate')(t)", f"SAMPLES[{k}][TIMES <= t][-1]")

    def py_table(self, k, a):
        return self.pick(f"np.interp({self.py(a)}, KNOTS, MAPS[{k}])", f"float(np.interp({self.py(a)}, KNOTS, MAPS[{k}]))")

    def source(self):
        results = [self.py(f) for f in self.draw.equations]
        names = ", ".join(self.draw.states)
        head = []
        if self.access == "unpack":
            head.append(f"{names}{',' if len(self.draw.states) == 1 else ''} = y")
        elif self.access in ("locals", "args"):
            head += [f"{name} = y[{k}]" for k, name in enumerate(self.draw.states)]
        end = self.pick("list", "list", "tuple", "array", "zeros", "empty_like", "append", "hstack")
        body = head + self.before
        if end in ("zeros", "empty_like"):
            body.append(f"dy = np.{'zeros(len(y))' if end == 'zeros' else 'empty_like(y)'}")
            body += [f"dy[{k}] = {r}" for k, r in enumerate(results)] + ["return dy"]
        elif end == "append":
            body += ["dy = []"] + [f"dy.append({r})" for r in results] + ["return dy"]
        else:
            inside = ", ".join(results)
            body.append({"list": f"return [{inside}]", "tuple": f"return ({inside},)", "array": f"return np.array([{inside}])",
                         "hstack": f"return np.hstack([{inside}])"}[end])
        function = "def f(t, y):\n" + textwrap.indent("\n".join(body), "    ")
        style = self.pick("plain", "plain", "class", "closure", "lambda")
        parts = list(self.helpers.values()) + [function]
        if style == "class":
            method = textwrap.indent(function.replace("def f(t, y)", "def f(self, t, y)"), "    ")
            parts[-1] = f"class Plant:\n    gain = 2.0\n{method}\n\nf = Plant().f"
        elif style == "closure":
            parts[-1] = "def make(scale):\n" + textwrap.indent(function, "    ") + "\n    return f\n\nf = make(1.0)"
        elif style == "lambda":
            parts.append("inner = f\nf = lambda t, y: inner(t, y)")
        return "\n\n".join(parts) + "\n"


def namespace(draw):
    """What the modules of people have around such a function."""
    import bisect
    import math

    from scipy import signal
    from scipy.interpolate import interp1d

    return {"np": np, "math": math, "bisect": bisect, "signal": signal, "interp1d": interp1d, "STEP": STEP,
            "TIMES": np.array([round(STEP * k, 6) for k in range(12)]), "SAMPLES": [np.array(s) for s in draw.samples],
            "KNOTS": np.array(KNOTS), "MAPS": [np.array(m) for m in draw.characteristics]}


def function_of(source, draw):
    scope = namespace(draw)
    exec(compile(source, "<generated>", "exec"), scope)
    return scope["f"]
