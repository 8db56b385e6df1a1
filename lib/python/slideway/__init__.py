"""slideway: ordinary differential equations whose right-hand side jumps.

>>> import slideway
>>> result = slideway.load("evaporator").run()
>>> result.events[1].kind
'sliding_entry'

:func:`solve_ivp` takes a Python function as scipy's does; :func:`load` reads a model file; :class:`System` writes one from
Python functions.
"""

from ._analyses import Branch, Connections, Equilibria, Equilibrium, Fit, Lyapunov, ManifoldPiece, Manifolds, Orbit, Section
from ._audit import Audit, Contradiction
from ._core import ModelError, version as __version__
from ._hysteresis import hysteresis
from ._ivp import StateWrittenWarning, UnknownJumpsWarning, solve_ivp, trace
from ._live import LiveRun, SavedRun
from ._memory import RemembersError
from ._model import Check, Comparison, Interrupted, Model, catalogue, load, parse
from ._planes import Basins, Diagram
from ._result import Event, EventDerivative, Gradient, Outcome, Result, Segment, Sensitivities, Snapshot
from ._sweep import Sweep
from ._parts import Automaton, Contact, Edge, Every, Record, Reset, Stop
from ._system import System
from ._expressions import Untraceable

__all__ = ["Audit", "Automaton", "Basins", "Branch", "Check", "Comparison", "Connections", "Contact", "Contradiction", "Diagram", "Edge", "Equilibria", "Equilibrium", "Event",
           "EventDerivative", "Every", "Fit", "Gradient", "Interrupted", "LiveRun", "Lyapunov", "ManifoldPiece", "Manifolds", "Model", "ModelError", "Orbit",
           "Outcome", "Record", "RemembersError", "Reset", "Result", "SavedRun", "Section", "Segment", "Sensitivities",
           "Snapshot", "StateWrittenWarning", "Stop", "Sweep", "System", "UnknownJumpsWarning", "Untraceable", "__version__",
           "catalogue", "hysteresis", "load", "parse", "solve_ivp", "trace"]
