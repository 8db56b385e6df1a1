"""How far a long computation has come."""

from __future__ import annotations

import sys
import time
from typing import Any, Optional


class Bar:
    """A bar of tqdm for what takes longer than two seconds."""

    def __init__(self, total: int, wanted: Optional[bool], unit: str) -> None:
        self._total, self._wanted, self._unit, self._began = total, wanted, unit, time.monotonic()
        self._bar: Any = None

    def show(self, done: int) -> None:
        if self._bar is None:
            if self._wanted is False or (self._wanted is None and time.monotonic() - self._began < 2):
                return
            if self._wanted is None and not sys.stderr.isatty() and "ipykernel" not in sys.modules:
                self._wanted = False
                return
            try:
                from tqdm.auto import tqdm
            except ImportError:
                self._wanted = False
                return
            self._bar = tqdm(total=self._total, unit=self._unit)
        self._bar.update(done - self._bar.n)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
