"""Whether a text of a number is only told to a person: printed, logged, or the message of an exception."""

from __future__ import annotations

import linecache
import re
import sys
from typing import Any

_TELLS = re.compile(r"\b(print|debug|info|warning|warn|error|critical|exception|log|write|raise|assert)\b")


def only_tells() -> bool:
    """Whether the statement of the user's that is being run prints, logs, raises or asserts."""
    frame: Any = sys._getframe(1)
    here = frame.f_code.co_filename.rsplit("/", 1)[0]
    while frame is not None and frame.f_code.co_filename.rsplit("/", 1)[0] == here:
        frame = frame.f_back
    if frame is None:
        return False
    lines = {frame.f_lineno}
    if hasattr(frame.f_code, "co_positions"):
        for k, (first, last, _, _) in enumerate(frame.f_code.co_positions()):
            if 2 * k == frame.f_lasti and first is not None and last is not None:
                lines = set(range(first, last + 1))
    first = min(lines)
    # A call that began on a line before has its name there.
    for number in list(range(max(first - 3, frame.f_code.co_firstlineno), first)) + sorted(lines):
        text = linecache.getline(frame.f_code.co_filename, number)
        if _TELLS.search(text) and (number in lines or text.rstrip().endswith(("(", ","))):
            return True
    return False
