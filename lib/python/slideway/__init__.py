"""slideway: ordinary differential equations whose right-hand side jumps.

>>> import slideway
>>> result = slideway.load("evaporator").run()
>>> result.events[1].kind
'sliding_entry'

:func:`solve_ivp` takes a Python function as scipy's does; :func:`load` reads a model file; :class:`System` writes one from
Python functions.
"""

from ._core import ModelError, version as __version__
from ._model import Check, Comparison, Interrupted, Model, catalogue, load, parse
from ._result import Event, Outcome, Result, Segment, Snapshot
from ._sweep import Sweep

__all__ = ["Check", "Comparison", "Event", "Interrupted", "Model", "ModelError", "Outcome", "Result", "Segment", "Snapshot",
           "Sweep", "catalogue", "load", "parse"]
