"""Calls of the user's functions that are only looked at: what they print and warn of is not shown."""

from __future__ import annotations

import logging
import sys
import threading
import warnings
from typing import Any


class _Nowhere:
    """A file that keeps nothing."""

    encoding = "utf-8"

    def write(self, text: str) -> int:
        return len(text)

    def flush(self) -> None:
        pass

    def isatty(self) -> bool:
        return False


class _Quiet:
    """A context in which nothing is printed; several threads may be in it at once. With `wholly` nothing is logged or warned of either."""

    def __init__(self, wholly: bool) -> None:
        self._wholly = wholly
        self._lock, self._inside = threading.Lock(), 0
        self._output: Any = None
        self._level = 0
        self._warnings: Any = None
        self._nowhere = _Nowhere()

    def __enter__(self) -> None:
        with self._lock:
            self._inside += 1
            if self._inside == 1:
                self._output, sys.stdout = sys.stdout, self._nowhere  # type: ignore[assignment]
                if not self._wholly:
                    return
                self._level = logging.root.manager.disable
                logging.disable(logging.CRITICAL)
                self._warnings = warnings.catch_warnings()
                self._warnings.__enter__()
                warnings.simplefilter("ignore")

    def __exit__(self, *_: Any) -> None:
        with self._lock:
            self._inside -= 1
            if self._inside == 0:
                if sys.stdout is self._nowhere:
                    sys.stdout = self._output
                if not self._wholly:
                    return
                logging.disable(self._level)
                self._warnings.__exit__(None, None, None)


quiet = _Quiet(True)
# Of calls on the way of a run, of which there are many.
muted = _Quiet(False)
