"""An expression of a model file as LaTeX.

It must not know model files.
"""

import re

GREEK = set("alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau phi chi psi omega "
            "Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega".split())
TOKEN = re.compile(r"\s*(\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?|[A-Za-z_]\w*(?:\.\w+)?|<=|>=|==|!=|.)")
NAMED = {"sin", "cos", "tan", "exp", "log", "sinh", "cosh", "tanh", "min", "max"}
CONDITION, SUM, PRODUCT, UNARY, POWER, ATOM = 0, 1, 2, 3, 4, 5


def symbol(name):
    head, _, tail = name.partition("_")
    digits = re.fullmatch(r"([A-Za-z]+)(\d+)", head)
    sub = []
    if digits:
        head = digits[1]
        sub.append(digits[2])
    if tail:
        sub.append(tail if tail.isdigit() or len(tail) == 1 else r"\mathrm{%s}" % tail.replace("_", r"\_"))
    if not head:
        return r"\mathrm{%s}" % name.replace("_", r"\_")
    text = "\\" + head if head in GREEK else head if len(head) == 1 else r"\mathrm{%s}" % head
    return text + ("_{%s}" % ",".join(sub) if sub else "")


def number(text):
    mantissa, _, exponent = text.lower().partition("e")
    if not exponent:
        return text
    power = "10^{%d}" % int(exponent)
    return power if mantissa in ("1", "1.0") else mantissa + r"\cdot " + power


class Typesetter:
    def __init__(self, text):
        self.tokens = TOKEN.findall(text.strip())
        self.at = 0

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self):
        self.at += 1
        return self.tokens[self.at - 1]

    def all(self):
        text = self.condition()[0]
        if self.peek():
            raise ValueError(f"cannot typeset '{' '.join(self.tokens)}' from '{self.peek()}'")
        return text

    def condition(self):
        text, level = self.all_of()
        while self.peek() == "or":
            self.take()
            text, level = text + r" \lor " + self.all_of()[0], CONDITION
        return text, level

    def all_of(self):
        text, level = self.part()
        while self.peek() == "and":
            self.take()
            text, level = text + r" \land " + self.part()[0], CONDITION
        return text, level

    def part(self):
        if self.peek() != "not":
            return self.comparison()
        self.take()
        text, level = self.part()
        return r"\lnot " + (brackets(text) if level == CONDITION and not text.startswith(r"\lnot") else text), CONDITION

    def comparison(self):
        text, level = self.sum()
        while self.peek() in ("<", ">", "<=", ">=", "==", "!="):
            sign = {"<=": r"\le", ">=": r"\ge", "==": "=", "!=": r"\ne"}.get(self.peek(), self.peek())
            self.take()
            text, level = text + f" {sign} " + self.sum()[0], CONDITION
        return text, level

    def sum(self):
        text, level = self.product()
        while self.peek() in ("+", "-") and self.peek():
            sign = self.take()
            right, right_level = self.product()
            if right_level == SUM or right.startswith("-"):
                right = brackets(right)
            text, level = f"{text} {sign} {right}", SUM
        return text, level

    def product(self):
        text, level = self.unary()
        while self.peek() in ("*", "/") and self.peek():
            if self.take() == "*":
                right, right_level = self.unary()
                left = brackets(text) if level == SUM else text
                right = brackets(right) if right_level == SUM or right.startswith("-") else right
                space = r"\cdot " if right[0].isdigit() else r"\,"
                text = left + space + right
            else:
                right = self.unary()[0]
                minus, text = ("-", text[1:]) if text.startswith("-") and level != SUM else ("", text)
                text = minus + r"\frac{%s}{%s}" % (text, right)
            level = PRODUCT
        return text, level

    def unary(self):
        if self.peek() in ("-", "+") and self.peek():
            sign = self.take()
            right, level = self.unary()
            return (sign if sign == "-" else "") + (brackets(right) if level == SUM else right), UNARY
        return self.power()

    def power(self):
        base, level = self.atom()
        if self.peek() != "^":
            return base, level
        self.take()
        exponent = self.unary()[0]
        return (base if level == ATOM else brackets(base)) + "^{%s}" % exponent, POWER

    def arguments(self, close):
        values = []
        while self.peek() != close:
            values.append(self.condition()[0])
            if self.peek() == ",":
                self.take()
            elif self.peek() != close:
                raise ValueError(f"cannot typeset '{' '.join(self.tokens)}'")
        self.take()
        return values

    def atom(self):
        token = self.take()
        if token == "(":
            inner = self.sum_until_close()
            return inner
        if token[0].isdigit() or token[0] == ".":
            return number(token), ATOM if "e" not in token.lower() else PRODUCT
        if self.peek() == "(":
            self.take()
            return call(token, self.arguments(")"))
        if self.peek() == "[":
            self.take()
            index = self.arguments("]")[0]
            text = symbol(token)
            if "_{" in text:
                return text[:-1] + ",%s}" % index, ATOM
            return "%s_{%s}" % (text, index), ATOM
        return symbol(token), ATOM

    # Brackets of the file are only kept where LaTeX needs them, so the level is that of what they hold.
    def sum_until_close(self):
        text, level = self.condition()
        self.take()
        return (brackets(text), ATOM) if level == CONDITION else (text, level)


def brackets(text):
    return r"\left(%s\right)" % text


def call(name, values):
    if name == "sqrt":
        return r"\sqrt{%s}" % values[0], ATOM
    if name == "abs":
        return r"\left|%s\right|" % values[0], ATOM
    if name == "pow":
        return brackets(values[0]) + "^{%s}" % values[1], POWER
    if name == "if":
        return r"\begin{cases}%s & \text{if } %s\\ %s & \text{else}\end{cases}" % (values[1], values[0], values[2]), PRODUCT
    short = {"asin": r"\arcsin", "acos": r"\arccos", "atan": r"\arctan"}
    word = short.get(name, "\\" + name if name in NAMED else r"\operatorname{%s}" % name)
    return word + brackets(", ".join(values)), PRODUCT


def latex(expression):
    if not isinstance(expression, str):
        return number(repr(expression))
    return Typesetter(expression).all()
