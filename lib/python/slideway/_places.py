"""Where the user's own code is: functions, and the lines on which something happened."""

from __future__ import annotations

import functools
import linecache
import os
import re
import sys
import types
from typing import Any, Mapping, Optional

_HERE = os.path.dirname(os.path.abspath(__file__)) + os.sep
_NO_FILES = ("<frozen importlib._bootstrap>", "<__array_function__ internals>", "stringsource")
_LIBRARIES = re.compile(r"[/\\](site|dist)-packages[/\\]|[/\\]lib[/\\]python\d")


def place_of(function: Any) -> Optional[str]:
    """"friction, line 12 of model.py"; None of what has no lines."""
    while isinstance(function, functools.partial) or hasattr(function, "function"):
        function = function.func if isinstance(function, functools.partial) else function.function
    if isinstance(function, types.MethodType):
        function = function.__func__
    if not isinstance(function, types.FunctionType) and hasattr(type(function), "__call__"):
        function = getattr(type(function).__call__, "__func__", type(function).__call__)
    code = getattr(function, "__code__", None)
    if code is None:
        return None
    name = "the lambda" if code.co_name == "<lambda>" else code.co_name
    return f"{name}, line {code.co_firstlineno} of {_file(code.co_filename)}"


def place_of_error(error: BaseException) -> str:
    """The last line of the user's own that an exception went through, as :func:`line_now` tells it."""
    found = None
    step = error.__traceback__
    while step is not None:
        if _is_users(step.tb_frame.f_code.co_filename):
            found = step
        step = step.tb_next
    return "" if found is None else _line(found.tb_frame.f_code.co_filename, found.tb_lineno)


def line_now() -> str:
    """", in line 12 of model.py: `q = float(y[0])`", the line of the user's own that is being run."""
    frame: Any = sys._getframe(1)
    while frame is not None and not _is_users(frame.f_code.co_filename):
        # Outside of the trace there is only the line that asked for it.
        frame = None if frame.f_code.co_name == "traced_call" else frame.f_back
    return "" if frame is None else _line(frame.f_code.co_filename, frame.f_lineno)


def _line(name: str, number: int) -> str:
    text = linecache.getline(name, number).strip()
    return f", in line {number} of {_file(name)}" + (f": `{text}`" if text else "")


def place_of_caller() -> str:
    """"line 12 of model.py", from where the user has called the package."""
    frame: Any = sys._getframe(1)
    while frame is not None and not _is_users(frame.f_code.co_filename):
        frame = frame.f_back
    return "here" if frame is None else f"line {frame.f_lineno} of {_file(frame.f_code.co_filename)}"


def retold(message: str, places: Mapping[int, str], otherwise: str) -> str:
    """What the reader says of a text that the user has not written, with the places in the user's own code.

    `places` are those of the lines of the text, from 1."""

    def place(match: Any) -> str:
        return f"{places.get(int(match.group(1)), otherwise)}: "

    told = re.sub(r"^[^\n|]*?\.toml:(\d+)(?::\d+)?: ", place, message, flags=re.MULTILINE)
    # Lines of a text that nobody has written have no numbers.
    return re.sub(r"^ *\d+ \|", lambda match: " " * (len(match.group()) - 1) + "|", told, flags=re.MULTILINE).rstrip()


def retold_of_run(message: str, places: Mapping[int, str], otherwise: str) -> str:
    """The same of what a run says, within a line."""
    return re.sub(r"[^\s;,()]+\.toml:(\d+)(?::\d+)?(?=: )", lambda match: places.get(int(match.group(1)), otherwise), message)


def _is_users(file_name: str) -> bool:
    return not file_name.startswith(_HERE) and not _LIBRARIES.search(file_name) and file_name not in _NO_FILES


def _file(name: str) -> str:
    # A cell of a notebook has a name of its own.
    return "this cell" if "ipykernel_" in name or name.startswith("<ipython") else os.path.basename(name)
