"""Python functions as expressions.

A function of t and y is run on expression objects: what it computes becomes a graph, and what it branches on becomes an
``if`` of both sides, for which it is run once for each side. The graph is written as the text of a model file, so that one
reader makes the system, with its surfaces and exact derivatives.
"""

from __future__ import annotations

import dis
import math
from typing import Any, Callable, Dict, List, NamedTuple, Optional

import numpy as np

from . import _rewriter
from ._arrays import TracedArray, _plain
from ._expressions import Cond, Expr, Graph, TraceEnded, Untraceable, _need, begin_graph, ended, take_reason
from ._locals import Locals
from ._masks import OutsideError
from ._memory import Change, Memory, RemembersError, advice
from ._paths import Explored, Raised, Way, explore
from ._places import place_of_error
from ._rewriter import BufferWritten, CaughtError, Rewriter, _strip_nested


class Traced(NamedTuple):
    """The results of a function, where it raises, what it branched on, and what it does beside."""

    results: List[Expr]
    raises: List[Way]
    guards: Dict[int, Expr]
    writes_into_y: bool


def results_of(graph: Graph, value: Any, size: Optional[int] = None) -> List[Expr]:
    """What a function returned, as expressions."""
    if isinstance(value, (Expr, Cond)) or np.ndim(value) == 0:
        items = [value]
    else:
        items = list(np.asarray(_strip_nested(value) if isinstance(value, (list, tuple)) else _plain(value),
                                dtype=object).ravel())
    if size is not None and len(items) != size:
        raise ValueError(f"the function returned {len(items)} numbers; expected {size}")
    items = [item.item() if isinstance(item, np.ndarray) and item.size == 1 else item for item in items]
    results = [_need(graph, item) for item in items]
    for result in results:
        if result.is_constant and not math.isfinite(result.args[0]):
            raise ended("a result that is not finite")
    return results


def trace(graph: Graph, function: Callable[..., Any], *args: Any, size: Optional[int] = None,
          rewriter: Optional[Rewriter] = None, **kwargs: Any) -> List[Expr]:
    """The results of function(*args, **kwargs), whose arguments may be traced. Raises Untraceable."""
    return trace_fully(graph, function, *args, size=size, rewriter=rewriter, **kwargs).results


def trace_fully(graph: Graph, function: Callable[..., Any], *args: Any, size: Optional[int] = None,
                rewriter: Optional[Rewriter] = None, make: Optional[Callable[[Any], Any]] = None, **kwargs: Any) -> Traced:
    """The same with where the function raises. Raises RemembersError where it remembers something that counts."""
    return _Trace(graph, function, args, size, rewriter or Rewriter(), kwargs).made()


class _Trace:
    MOST_ATTEMPTS = 8

    def __init__(self, graph: Graph, function: Any, args: Any, size: Optional[int], rewriter: Rewriter, kwargs: Any) -> None:
        self.graph, self.function, self.args, self.size, self.rewriter = graph, function, args, size, rewriter
        self.kwargs = kwargs
        self.writes_into_y = False

    def made(self) -> Traced:
        outer = getattr(_rewriter._local, "catches", False)
        outer_graph = begin_graph(self.graph)
        take_reason()
        try:
            with np.errstate(all="ignore"):
                return self._attempts()
        except TraceEnded as error:
            raise Untraceable(str(error)) from None
        except (Untraceable, RemembersError):
            raise
        except RecursionError as error:
            raise Untraceable("the function calls itself too deeply") from error
        except Exception as error:
            raise Untraceable(f"{type(error).__name__}: {error}{place_of_error(error)}") from error
        finally:
            take_reason()
            begin_graph(outer_graph)
            _rewriter._local.catches = outer

    def _attempts(self) -> Traced:
        for _ in range(self.MOST_ATTEMPTS):
            try:
                return self._attempt()
            except BufferWritten as written:
                if written.args[0] is None or written.args[0] in self.rewriter.buffers:
                    raise ended("the function writes into an array of its own that outlives the call") from None
                self.rewriter.buffers.add(written.args[0])
                self.rewriter.forget()
        raise ended("the function writes into arrays that outlive the call")

    def _attempt(self) -> Traced:
        runnable = self.rewriter.callable(self.function)
        _rewriter._local.catches = self.rewriter.catches
        self.memory = Memory(runnable)
        self.changed: Dict[Any, Change] = {}
        self.alternatives: Dict[Any, List[Any]] = {}
        explored = self._explored(runnable, {})
        if not self.changed:
            return self._traced(explored)
        # What is remembered as a number becomes a number that nobody knows: it may not be in the results, nor decide.
        unknown = {key: self.graph.node("memory", change.name) for key, change in self.changed.items() if _is_number(change.old)}
        explored = self._explored(runnable, unknown)
        counts = [node.args[0] for node in unknown.values() if node.number in self.graph.read
                  or any(_reaches(root, node) for root in explored.results)
                  or any(_reaches(guard, node) for guard in explored.guards.values())]
        # Anything else is tried with the values that it was seen to have.
        for key, change in self.changed.items():
            if key in unknown or counts:
                continue
            for value in self.alternatives[key][:4]:
                try:
                    other = self._explored(runnable, unknown, {key: self._unknown_inside(value, change.name)})
                except (TraceEnded, Raised, Exception):
                    counts.append(change.name)
                    break
                if (self.graph.read or any(a is not b for a, b in zip(other.results, explored.results))
                        or any(guard.remembered for guard in other.guards.values())):
                    counts.append(change.name)
                    break
        if counts:
            raise RemembersError(advice(counts))
        return self._traced(explored)

    def _traced(self, explored: Explored) -> Traced:
        return Traced(explored.results, explored.raises, explored.guards, self.writes_into_y)

    def _explored(self, runnable: Any, unknown: Dict[Any, Expr], given: Optional[Dict[Any, Any]] = None) -> Explored:
        memory = self.memory

        def traced_call() -> List[Expr]:
            for key, value in list(unknown.items()) + list((given or {}).items()):
                memory.put(self.changed[key], value)
            fresh = [a.copy() if isinstance(a, TracedArray) else a for a in self.args]
            seen = self.graph.watcher = Locals(self.rewriter.scopes.values())
            try:
                results = results_of(self.graph, runnable(*fresh, **self.kwargs), self.size)
            except (TraceEnded, BufferWritten):
                raise
            except Exception as error:
                if self._is_own(error):
                    raise Raised(error) from error
                raise
            finally:
                self.graph.watcher = None
                seen.name_into(self.graph.names)
                self._note(memory)
            for mine, given_one in zip(fresh, self.args):
                if isinstance(mine, TracedArray) and not self.writes_into_y:
                    self.writes_into_y = any(p is not q for p, q in zip(mine.ravel(), given_one.ravel()))
            return results

        return explore(traced_call)

    def _unknown_inside(self, value: Any, name: str) -> Any:
        """A value that was seen, with numbers that nobody knows in the place of expressions."""
        if isinstance(value, (Expr, Cond)) or _is_number(value):
            return self.graph.node("memory", name)
        if type(value) in (list, tuple):
            return type(value)(self._unknown_inside(v, name) for v in value)
        if type(value) is dict:
            return {k: self._unknown_inside(v, name) for k, v in value.items()}
        if isinstance(value, np.ndarray) and value.dtype == object:
            made = value.copy()
            for index in np.ndindex(made.shape):
                made[index] = self._unknown_inside(made[index], name)
            return made
        return value

    def _note(self, memory: Memory) -> None:
        """Notes what a run has changed, and puts it back."""
        changes = memory.changes()
        if not changes:
            return
        for change in changes:
            key = (change.place, change.key if isinstance(change.key, (str, int)) else repr(change.key))
            self.changed.setdefault(key, change)
            known = self.alternatives.setdefault(key, [])
            if not any(value is change.new for value in known) and len(known) < 8:
                known.append(change.new)
        memory.restore()

    def _is_own(self, error: BaseException) -> bool:
        """Whether the user's own code has raised this, as it would with numbers."""
        if isinstance(error, (CaughtError, OutsideError)):
            return True
        last = error.__traceback__
        while last is not None and last.tb_next is not None:
            last = last.tb_next
        if last is None:
            return False
        frame = last.tb_frame
        if not any(frame.f_globals is scope for scope in self.rewriter.scopes.values()):
            return False
        code = frame.f_code.co_code
        return bool(dis.opname[code[last.tb_lasti]] == "RAISE_VARARGS")


def _is_number(value: Any) -> bool:
    return isinstance(value, (float, int, np.floating, np.integer)) and not isinstance(value, bool)


def _reaches(root: Expr, node: Expr) -> bool:
    return root.remembered and _holds(root, node, set())


def _holds(root: Expr, node: Expr, seen: set) -> bool:
    stack = [root]
    while stack:
        top = stack.pop()
        if top is node:
            return True
        if top.number not in seen:
            seen.add(top.number)
            stack.extend(a for a in top.args if isinstance(a, Expr) and a.remembered)
    return False
