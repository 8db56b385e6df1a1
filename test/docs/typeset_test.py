"""Expressions of model files become the LaTeX that a reader expects, and those of the whole gallery become some."""

import sys
import tomllib

from manual import DOCS, ROOT

sys.path.insert(0, str(DOCS / "tools"))
from typeset import latex  # noqa: E402

EXPECTED = {
    "-x - mu*sgn(stick) + cos(w*t)": r"-x - \mu\,\operatorname{sgn}\left(\mathrm{stick}\right) + \cos\left(w\,t\right)",
    "a - (b - c)": r"a - \left(b - c\right)",
    "a*(b + c)/d": r"\frac{a\,\left(b + c\right)}{d}",
    "-(a + b)*c": r"-\left(a + b\right)\,c",
    "-x/m": r"-\frac{x}{m}",
    "a/b*c": r"\frac{a}{b}\,c",
    "a/(b*c)": r"\frac{a}{b\,c}",
    "(-a)^2": r"\left(-a\right)^{2}",
    "-a^2": r"-a^{2}",
    "(a/b)^2": r"\left(\frac{a}{b}\right)^{2}",
    "a^b^c": r"a^{b^{c}}",
    "x*-y": r"x\,\left(-y\right)",
    "2*3": r"2\cdot 3",
    "1e-3*x1": r"10^{-3}\,x_{1}",
    "V_ref*x[i-1]": r"V_{\mathrm{ref}}\,x_{i - 1}",
    "sqrt(abs(x))": r"\sqrt{\left|x\right|}",
    "a > b and (c > d or not e == f)": r"a > b \land \left(c > d \lor \lnot \left(e = f\right)\right)",
    "if(i > 0, u, max(u, 0))": r"\begin{cases}u & \text{if } i > 0\\ \max\left(u, 0\right) & \text{else}\end{cases}",
}


def values(node):
    if isinstance(node, dict):
        for key, child in node.items():
            if key not in ("name", "summary", "source", "initial", "options", "friction", "from", "to", "zeno", "direction",
                           "ends", "size"):
                yield from values(child)
    elif isinstance(node, list):
        for child in node:
            yield from values(child)
    elif not isinstance(node, bool):
        yield node


def main():
    failures = 0
    for text, expected in EXPECTED.items():
        got = latex(text)
        if got != expected:
            failures += 1
            print(f"{text}: expected {expected}, got {got}")
    count = 0
    for file in sorted((ROOT / "models" / "gallery").glob("*.toml")):
        for value in values(tomllib.loads(file.read_text(encoding="utf-8"))):
            count += 1
            try:
                text = latex(value)
            except Exception as error:  # whatever goes wrong is a failure of this expression
                failures += 1
                print(f"{file.name}: {value}: {error!r}")
                continue
            if text.count("{") != text.count("}") or text.count(r"\left") != text.count(r"\right"):
                failures += 1
                print(f"{file.name}: {value}: {text} is not balanced")
    print(f"{len(EXPECTED)} and {count} expressions, {failures} failures")
    return 1 if failures or count < 100 else 0


sys.exit(main())
