"""The names that a traced function's own variables give to what they hold."""

from __future__ import annotations

import sys
from typing import Any, Dict, Iterable, List, Tuple

from ._expressions import Expr

_NAMELESS = ("const", "time", "name")
MOST_ELEMENTS = 200
_MOST_FRAMES = 40


class Locals:
    """Keeps the frames of the user's functions that make new nodes, whose variables outlive the call with them."""

    def __init__(self, scopes: Iterable[Dict[str, Any]]) -> None:
        self._scopes = {id(scope) for scope in scopes}
        self._frames: List[Tuple[int, Any]] = []  # with how many of the others have called each
        self._depths: Dict[int, int] = {}

    def see(self) -> None:
        """Keeps the user's frame that is being run, and those that have called it."""
        frame: Any = sys._getframe(2)
        found: List[Any] = []
        depth = 0
        while frame is not None and frame.f_code.co_name != "traced_call":
            if id(frame.f_globals) in self._scopes:
                if id(frame) in self._depths:
                    depth = self._depths[id(frame)] + 1
                    break
                found.append(frame)
            frame = frame.f_back
        if len(self._frames) < _MOST_FRAMES:
            for k, frame in enumerate(reversed(found)):
                self._depths[id(frame)] = depth + k
                self._frames.append((depth + k, frame))

    def name_into(self, names: Dict[int, str]) -> None:
        """Notes the names of nodes by their numbers; what has a name keeps it, and callers name before what they call."""
        for _, frame in sorted(self._frames, key=lambda entry: entry[0]):
            code = frame.f_code
            if code.co_name.startswith("<") and code.co_name != "<lambda>":
                continue
            arguments = set(code.co_varnames[:code.co_argcount + code.co_kwonlyargcount])
            for name, value in frame.f_locals.items():
                if name not in arguments:
                    _name(value, name, names)


def _name(value: Any, name: str, names: Dict[int, str]) -> None:
    if isinstance(value, Expr):
        if value.op not in _NAMELESS:
            names.setdefault(value.number, name)
    elif isinstance(value, (list, tuple)) or getattr(value, "dtype", None) == object and getattr(value, "ndim", 0) == 1:
        for k, item in enumerate(value[:MOST_ELEMENTS]):
            if isinstance(item, Expr):
                _name(item, f"{name}_{k}", names)
