"""The pages of the manual and their snippets, for the tests beside this file.

It must not know what the tests look for.
"""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCS = ROOT / "lib" / "docs"
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def pages():
    """The README and every page of the manual that is written by hand."""
    return [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]


def snippets(page):
    """(language, text, line) of every fence of a page."""
    text = page.read_text(encoding="utf-8")
    return [(match[1], match[2], text.count("\n", 0, match.start()) + 2) for match in FENCE.finditer(text)]
