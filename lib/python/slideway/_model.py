"""Models, and what can be done with them."""

from __future__ import annotations

import contextlib
import json
import os
import threading
import time
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from . import _core
from ._quiet import quiet
from ._result import Result

if TYPE_CHECKING:
    from ._analyses import Connections, Fit, Lyapunov
    from ._planes import Basins, Diagram

OPTIONS = ("rtol", "atol", "method", "linear_solver", "max_step", "max_events", "max_steps", "on_ambiguity",
           "sliding_rule", "selection", "local_events", "full_events", "sensitivities", "audit")


class Interrupted(KeyboardInterrupt):
    """A run, sweep or search that was interrupted by Ctrl-C; ``result`` holds what was done until then, None where there is nothing to show."""

    result: Any = None


def atol_of(atol: Any, names: Sequence[str], rtol: Optional[float]) -> Any:
    """One number, or one per state in order."""
    if atol is None or np.ndim(atol) == 0 and not isinstance(atol, Mapping):
        return None if atol is None else float(atol)
    if isinstance(atol, Mapping):
        unknown = [name for name in atol if name not in names]
        if unknown:
            raise ValueError(f"atol names {unknown[0]!r}, which is no state; there are {', '.join(names)}")
        default = (1e-6 if rtol is None else rtol) / 100
        return np.array([float(atol.get(name, default)) for name in names])
    return np.asarray(atol, dtype=float)


def _number(name: str, value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name!r} is {value!r}; expected a number, for a parameter or the initial value of a state; "
                        "a whole initial state is given as state=[…]") from None


def follow(problem: Any, *, start: float, end: float, state: Any, location: str = "", mode: Optional[str] = None,
           options: Optional[Dict[str, Any]] = None, cancellation: Any = None, stop_after: Optional[Dict[str, int]] = None) -> Any:
    """One run, audited; ``error`` of it is what a Python function of the model raised."""
    made = _core.run(problem, start, end, np.ascontiguousarray(state, dtype=float), location, mode, options or {},
                     cancellation, stop_after or {})
    if made.error is None and problem.calls_python:
        with quiet:
            made.make_audit()
    elif made.error is None:
        made.make_audit()
    return made


def raise_error(made: Any, result: Optional[Result]) -> None:
    """Raises what ended the run from Python, with the result so far."""
    error = made.error
    if error is None:
        return
    if isinstance(error, KeyboardInterrupt):
        interrupted = Interrupted("the run was interrupted; `result` of this exception holds what was done")
        interrupted.result = result
        raise interrupted from None
    raise error


_PATIENCE = 5.0  # seconds that a search has to end in after Ctrl-C, with what it has found; a second Ctrl-C does not wait for it


def _apart(what: str, work: Callable[[Any], Any], made_of: Callable[[Any], Any]) -> Any:
    """made_of(work(cancellation)). The work is done in a thread of its own, and Ctrl-C ends it: :class:`Interrupted` has what was found until then.

    A thread that Ctrl-C interrupts in join() takes the other for done, which is why it waits for an event."""
    cancellation, over = _core.Cancellation(), threading.Event()
    found: List[Any] = []
    failed: List[BaseException] = []

    def run() -> None:
        try:
            found.append(work(cancellation))
        except BaseException as error:
            failed.append(error)
        finally:
            over.set()

    threading.Thread(target=run, daemon=True).start()
    asked: Optional[float] = None
    while not over.is_set():
        try:
            over.wait(0.03)
        except KeyboardInterrupt:
            if asked is not None:
                break
            asked = time.monotonic()
        if asked is not None and not over.is_set():
            # It is repeated, since a search that has not begun is not ended.
            cancellation.request()
            if time.monotonic() > asked + _PATIENCE:
                break
    if asked is None:
        if failed:
            raise failed[0]
        return made_of(found[0])
    result = None
    with contextlib.suppress(Exception):
        result = made_of(found[0])
    interrupted = Interrupted(f"{what} was interrupted; " + ("there is no result yet" if result is None else
                                                            "`result` of this exception holds what was found until then"))
    interrupted.result = result
    raise interrupted


class Parameters(dict):  # type: ignore[type-arg]
    """Parameters and their values, by name."""


class Model:
    """A model: equations with parameters and initial values.

    Made by :func:`load`, :func:`parse` or :class:`System`. Models are immutable, and can be copied, pickled and used from
    several threads.
    """

    # What a run says, with the places of functions that the model was made of.
    _retold: Optional[Callable[[str], str]] = None

    def __init__(self, core: Any, origin: Tuple[Any, ...]) -> None:
        self._core, self._origin = core, origin

    @property
    def name(self) -> str:
        return str(self._core.name)

    @property
    def summary(self) -> str:
        """One line on what it is."""
        return str(self._core.summary)

    @property
    def source(self) -> str:
        """Where the model comes from."""
        return str(self._core.source)

    @property
    def equations(self) -> List[str]:
        """The equations as they were understood, a line each."""
        return list(self._core.equations)

    @property
    def state_names(self) -> List[str]:
        return list(self._core.state_names)

    @property
    def parameters(self) -> Dict[str, float]:
        """The parameters' default values, by name."""
        return Parameters(self._core.parameters)

    @property
    def defaults(self) -> Dict[str, Any]:
        """What the model's [options] say."""
        return dict(self._core.defaults)

    @property
    def remarks(self) -> List[str]:
        """On what is probably not meant."""
        return list(self._core.remarks)

    @property
    def text(self) -> Optional[str]:
        """The text of the model file, where there is one."""
        return self._origin[1] if self._origin[0] == "text" else None

    @property
    def labels(self) -> Dict[str, str]:
        """What pictures and frames call states and observables, by name."""
        return dict(self._core.labels)

    @property
    def units(self) -> Dict[str, str]:
        """The units of states and observables, by name."""
        return dict(self._core.units)

    def to_toml(self, path: Any = None) -> str:
        """The text of the model as a model file; written to `path` if given. A model that is built in has none."""
        if self.text is None:
            raise ValueError(f"{self.name} is built in, and has no text")
        if path is not None:
            with open(path, "w", encoding="utf-8") as file:
                file.write(self.text)
        return self.text

    @staticmethod
    def from_toml(given: Any) -> "Model":
        """The model of a text, which has several lines, or of a file."""
        return parse(given) if isinstance(given, str) and "\n" in given else load(given)

    @property
    def origin(self) -> Tuple[Any, ...]:
        """("text", its text, the name of its file), ("catalogue", its name) or ("fmu", its path, how it is run): what the model can be made
        of again."""
        return self._origin

    def instance(self, **settings: float) -> Any:
        """The problem for these parameters and initial values: start, end, state, surface_names, field(t, y), guards(t, y)."""
        return self._core.instantiate([(name, _number(name, value)) for name, value in settings.items()])

    def field(self, t: float, y: Any, lambda_: Any = None, **settings: float) -> np.ndarray:
        """The right-hand side at (t, y), shape (n,): on the sides of the surfaces where y is, or at the given λ, shape (m,)."""
        problem = self.instance(**settings)
        return np.asarray(problem.field(float(t), np.asarray(y, dtype=float), lambda_))

    # ---- runs -------------------------------------------------------------------------------------------------------

    def _split(self, given: Dict[str, Any], settings: Optional[Mapping[str, float]]) -> Tuple[Dict[str, Any], Dict[str, float]]:
        known = set(self.parameters) | set(self.state_names)
        options: Dict[str, Any] = {}
        values: Dict[str, float] = dict(settings or {})
        for name, value in given.items():
            if name in OPTIONS and name not in known:
                options[name] = value
            else:
                values[name] = value
        if isinstance(options.get("sensitivities"), str):
            options["sensitivities"] = [options["sensitivities"]]
        if options.get("sensitivities") is not None:
            options["sensitivities"] = [str(name) for name in options["sensitivities"]]
        options["atol"] = atol_of(options.get("atol"), self.state_names, options.get("rtol"))
        return {k: v for k, v in options.items() if v is not None}, values

    def _make_run(self, *, settings: Dict[str, float], options: Dict[str, Any], start: Optional[float] = None,
                  t_end: Optional[float] = None, mode: Optional[str] = None, location: str = "", cancellation: Any = None,
                  state: Any = None) -> Any:
        problem = self.instance(**settings)
        return follow(problem, start=problem.start if start is None else float(start),
                      end=problem.end if t_end is None else float(t_end), state=problem.state if state is None else state,
                      location=location, mode=mode, options=options, cancellation=cancellation)

    def run(self, *, t_end: Optional[float] = None, start: Optional[float] = None, state: Any = None,
            mode: Optional[str] = None, location: str = "", observe: Optional[Sequence[str]] = None, t_eval: Any = None,
            settings: Optional[Mapping[str, float]] = None, cancellation: Any = None, **given: Any) -> Result:
        """Follows the model from its start to its end.

        Parameters and initial values are given by their names, ``model.run(mu=0.3, x=1.0)``, or in ``settings``; options
        likewise: rtol (1e-6), atol (rtol/100; a number, one per state, or by names), method ("auto", "bdf", "adams",
        "dopri5", "dop853", "rodas"), linear_solver, max_step, max_events, max_steps, on_ambiguity ("stop", "minus", "plus",
        "slide", "branches"), sliding_rule, selection, local_events ("auto", "on", "off": whether an event is followed with the
        states around it alone; auto: off), full_events, audit ("quick", "full", "off"). ``observe`` lists
        quantities beside the states, "F" or "E = 0.5*v^2". ``sensitivities`` names the parameters, and states for their initial
        values, by which the solution is differentiated through every event: see ``result.sensitivities``. ``t_eval`` gives the times of ``t`` and ``y``; without it they are the steps.

        To go on where another run ended, pass its ``final``: start=f.t, state=f.state, mode=f.mode, location=f.location.
        """
        options, values = self._split(given, settings)
        observed = list(self.defaults.get("observe", [])) if observe is None else \
            [observe] if isinstance(observe, str) else list(observe)
        if t_eval is not None:
            t_eval = np.asarray(t_eval, dtype=float)
        recipe = dict(settings=values, options=options, start=start, t_end=t_end, mode=mode, location=location,
                      state=None if state is None else np.asarray(state, dtype=float))
        made = self._make_run(cancellation=cancellation, **recipe)  # type: ignore[arg-type]
        result = Result(made, model=self, recipe=recipe, observe=observed, t_eval=t_eval,
                        how=f"{options.get('method', self.defaults.get('method', 'auto'))}, "
                            f"rtol {options.get('rtol', self.defaults.get('rtol', 1e-6)):g}", retold=self._retold)
        raise_error(made, result)
        return result

    def check(self, *, t_end: Optional[float] = None, settings: Optional[Mapping[str, float]] = None,
              **given: Any) -> "Check":
        """What can be said before a long run: derivatives, multi-affinity, the start, scales, which method suits it."""
        options, values = self._split(given, settings)
        problem = self.instance(**values)
        end = problem.end if t_end is None else float(t_end)
        return _apart("the check", lambda _: problem.check(end, options), Check)  # type: ignore[no-any-return]

    def compare(self, *, t_end: Optional[float] = None, epsilon: Optional[float] = None, step: Optional[float] = None,
                error: Optional[float] = None, bisections: Optional[int] = None, checkpoints: Optional[int] = None,
                levels: Optional[int] = None, repeats: Optional[int] = None, max_evaluations: Optional[int] = None,
                settings: Optional[Mapping[str, float]] = None, **given: Any) -> "Comparison":
        """Filippov's solution beside hysteresis, smoothing, naive integration, Euler and Algorithm 1."""
        options, values = self._split(given, settings)
        problem = self.instance(**values)
        plan = dict(epsilon=epsilon, step=step, error=error, bisections=bisections, checkpoints=checkpoints, levels=levels,
                    repeats=repeats, max_evaluations=max_evaluations)
        end = problem.end if t_end is None else float(t_end)
        return _apart("the comparison", lambda cancellation: problem.compare(end, options, plan, cancellation),  # type: ignore[no-any-return]
                      lambda text: Comparison(json.loads(text)))

    def fit(self, data: Any, vary: Any, *, observe: Optional[Mapping[str, str]] = None, deviations: Any = None,
            max_runs: Optional[int] = None, tolerance: Optional[float] = None, settings: Optional[Mapping[str, float]] = None,
            **given: Any) -> "Fit":
        """Parameters and initial values, ``vary``, from measurements, by least squares with exact derivatives through events.

        ``data`` is a file of comma-separated values, a DataFrame with the index or the column t, or {"t": times, "x": values}; columns have
        the names of states, or of what ``observe`` tells, {"E": "0.5*v^2"}; NaN is not measured. ``deviations`` are those of the
        columns, one number or by name. The search begins at the model's values, or those of ``settings``, which also fix others."""
        options, values = self._split(given, settings)
        from ._analyses import fit

        return fit(self.instance(**values), data, vary, observe or {}, deviations, options, max_runs, tolerance, _apart)

    def equilibria(self, *, box: Optional[Mapping[str, Sequence[float]]] = None, starts: Optional[int] = None, vary: Any = None,
                   bifurcation: Optional[str] = None, t_end: Optional[float] = None, settings: Optional[Mapping[str, float]] = None, **given: Any) -> Any:
        """The equilibria and pseudo-equilibria, a list of :class:`Equilibrium`; the run to t_end shows the sizes of states.

        ``box`` bounds where the search begins, {"x": (-1, 1)}; ``starts`` is the number of its begins. With ``vary``,
        {"mu": numpy.linspace(0, 1, 21)}, it is a list of :class:`Branch`, with their bifurcations. With two parameters there they are :class:`BifurcationCurves` in the plane of both,
        of the kind ``bifurcation`` ("SN", "HB" or "BE"), or of all that are on the branches in the first one."""
        options, values = self._split(given, settings)
        from ._analyses import equilibria, varied_of

        varied = varied_of(vary)
        problem = self.instance(**{**values, **{one[0]: one[1] for one in varied[:1]}})
        end = problem.end if t_end is None else float(t_end)
        return equilibria(problem, end, options, box or {}, starts, vary, bifurcation, _apart)

    def orbit(self, *, section: Optional[str] = None, direction: str = "rising", period: Any = None, returns: Optional[int] = None,
              transient: Optional[float] = None, shots: Optional[int] = None, max_iterations: Optional[int] = None,
              vary: Any = None, bifurcation: Optional[str] = None, settings: Optional[Mapping[str, float]] = None, **given: Any) -> Any:
        """A periodic orbit, stable or not, with its Floquet multipliers: an :class:`Orbit`.

        It begins where a run over ``transient`` (that of the model) comes to: after as many ``returns`` to a ``section``, a surface or event by its
        name, or with a ``period`` of the drive. With ``vary``, {"mu": numpy.linspace(0, 1, 21)}, it is a :class:`Branch` in that parameter, with its
        bifurcations; ``period`` may then be a function of the parameter. With two parameters there they are :class:`BifurcationCurves` in the plane of both, of the
        kind ``bifurcation`` ("SN", "PD", "NS", "GR", "GS", "CS", "SS" or "AS"), or that of the first bifurcation on the branch."""
        options, values = self._split(given, settings)
        from ._analyses import orbit, varied_of

        varied = varied_of(vary)
        problem = self.instance(**{**values, **{one[0]: one[1] for one in varied[:1]}})
        length = problem.end - problem.start if transient is None else float(transient)
        return orbit(self, problem, options, section, direction, period, returns, length, shots, max_iterations, vary, bifurcation, _apart)

    def manifolds(self, *, only: Optional[str] = None, length: Optional[float] = None, time: Optional[float] = None, fan: Optional[int] = None,
                  box: Optional[Mapping[str, Sequence[float]]] = None, starts: Optional[int] = None, section: Optional[str] = None,
                  direction: Optional[str] = None, period: Any = None, returns: Optional[int] = None, transient: Optional[float] = None,
                  max_runs: Optional[int] = None, connect: Optional[Mapping[str, float]] = None, vary: Any = None, t_end: Optional[float] = None,
                  settings: Optional[Mapping[str, float]] = None, **given: Any) -> Any:
        """Stable and unstable manifolds of saddles and pseudo-saddles, :class:`Manifolds`; ``only`` the "stable" or the "unstable" ones.

        Each piece has the arclength ``length`` (ten times the sizes of the states), and takes the ``time`` at most; ``fan`` is the number of solutions to each side where
        the past or the future is not unique. ``box`` and ``starts`` are those of :meth:`equilibria`. With a ``period`` or a ``section`` they are those of a periodic orbit
        as curves in a section: ``returns``, ``direction`` and ``transient`` (0 with a period) are those of :meth:`orbit`, and ``max_runs`` bounds the runs of a curve.
        With ``connect`` and ``vary`` they are those of :meth:`connections`."""
        options, values = self._split(given, settings)
        from ._analyses import manifolds, varied_of

        varied = varied_of(vary)
        problem = self.instance(**{**values, **{one[0]: one[1] for one in varied[:1]}})
        end = problem.end if t_end is None else float(t_end)
        request = dict(only=only, length=length, time=time, fan=fan, box=box, starts=starts, section=section, direction=direction, period=period,
                       returns=returns, transient=transient, max_runs=max_runs, connect=connect)
        return manifolds(problem, end, options, request, varied, _apart)

    def connections(self, connect: Mapping[str, float], vary: Any, **given: Any) -> "Connections":
        """Homoclinic and heteroclinic connections of saddles along a parameter, ``vary``, {"mu": numpy.linspace(0, 1, 21)}: where the gap between an unstable and a stable
        manifold vanishes on the section ``connect``, {"x": 0.5}. The other arguments are those of :meth:`manifolds`."""
        found: Connections = self.manifolds(connect=connect, vary=vary, **given)
        return found

    def basins(self, *, plane: Mapping[str, Sequence[float]], size: Any = None, period: Any = None, step: Any = None, wrap: Optional[Mapping[str, Any]] = None,
               max_rounds: Optional[int] = None, reach: Optional[float] = None, thorough: bool = False, samples: Optional[int] = None, seed: Optional[int] = None,
               jobs: Optional[int] = None, csv: Any = None, resume: bool = False, progress: Optional[bool] = None,
               settings: Optional[Mapping[str, float]] = None, **given: Any) -> "Basins":
        """What the starts of a plane of two states come to, :class:`Basins`: ``plane`` is {"x": (-2, 2), "v": (-1, 1)}, the first across, and ``size`` the number
        of cells (256), or (across, up). The other states begin as the model does.

        ``period`` is that of the drive, or a multiple of it, where the equations depend on time, ``step`` the time between two looks at a solution where they do not: a number, or a
        formula of parameters, "2*pi/w". ``wrap`` tells states that are angles with their periods, {"theta": 2*math.pi}. A start is followed for ``max_rounds`` (5000) of them at most; it has left
        where it stays outside of the plane widened by ``reach`` (10) widths. ``thorough`` follows every cell to an attractor, whatever its neighbours do; ``samples`` (4000) random starts, drawn by
        ``seed``, are always followed so. ``csv`` names a table of the cells, which ``resume`` completes after an interruption. ``jobs`` are threads; ``progress`` is that of :meth:`sweep`."""
        options, values = self._split(given, settings)
        from ._planes import basins, request_of

        request = request_of(plane, size, dict(period=period, step=step), wrap,
                             dict(max_rounds=(max_rounds, 1), samples=(samples, 0), seed=(seed, 0), jobs=(jobs, 1)), reach, csv, resume, self.text or "")
        return basins(self.instance(**values), options, dict(request, thorough=bool(thorough)), progress, _apart)

    def diagram(self, *, plane: Mapping[str, Sequence[float]], size: Any = None, period: Any = None, step: Any = None, wrap: Optional[Mapping[str, Any]] = None,
                max_rounds: Optional[int] = None, parts: Optional[int] = None, reach: Optional[float] = None, no_curves: bool = False,
                curve_rounds: Optional[int] = None, max_curves: Optional[int] = None, jobs: Optional[int] = None, csv: Any = None, resume: bool = False,
                progress: Optional[bool] = None, settings: Optional[Mapping[str, float]] = None, **given: Any) -> "Diagram":
        """Which attractors solutions come to in a plane of two parameters, with the curves of bifurcations between: :class:`Diagram`. ``plane`` is
        {"a": (0, 1), "b": (2, 3)}, the first across, and ``size`` the number of cells (64), or (across, up).

        Rows are followed in both directions, each cell from the attractor of the one before. ``period``, ``step``, ``wrap``, ``max_rounds``, ``jobs``, ``csv``, ``resume`` and
        ``progress`` are those of :meth:`basins`; ``parts`` (100) of the range of each state tell whether a solution comes back, and one that stays outside of the ranges widened by ``reach``
        (100) of them has left. ``no_curves`` leaves out the curves; they are those of orbits of at most ``curve_rounds`` (8) periods, from at most ``max_curves`` (120) places."""
        options, values = self._split(given, settings)
        from ._planes import diagram, request_of

        request = request_of(plane, size, dict(period=period, step=step), wrap,
                             dict(max_rounds=(max_rounds, 1), parts=(parts, 2), curve_rounds=(curve_rounds, 1), max_curves=(max_curves, 0), jobs=(jobs, 1)),
                             reach, csv, resume, self.text or "")
        return diagram(self.instance(**values), options, dict(request, no_curves=bool(no_curves)), progress, _apart)

    def lyapunov(self, *, transient: Optional[float] = None, block: Optional[float] = None, t_end: Optional[float] = None,
                 settings: Optional[Mapping[str, float]] = None, **given: Any) -> "Lyapunov":
        """All Lyapunov exponents of the run to t_end, through its events, from ``transient`` (a tenth of it) after the start on; estimates are
        kept after every ``block`` (a thousandth of the rest)."""
        options, values = self._split(given, settings)
        from ._analyses import lyapunov

        problem = self.instance(**values)
        end = problem.end if t_end is None else float(t_end)
        return lyapunov(problem, problem.start, end, options, transient, block, _apart)

    def sweep(self, *, jobs: Optional[int] = None, progress: Optional[bool] = None, section: Optional[str] = None,
              direction: str = "rising", transient: float = 0.0, keep: Any = False, t_end: Optional[float] = None,
              observe: Optional[Sequence[str]] = None, follow: Optional[str] = None, random: Optional[int] = None,
              latin: Optional[int] = None, seed: int = 1, log: Sequence[str] = (),
              settings: Optional[Mapping[str, float]] = None, **given: Any) -> Any:
        """One run for every value, or every combination of values, of parameters given as arrays.

        ``model.sweep(mu=np.linspace(0, 1, 100), jobs=4)`` runs in threads. ``section`` names a surface or an event at which
        states are kept, for a bifurcation diagram, from ``transient`` after the start on; minima and maxima begin there too.
        ``observe`` lists quantities beside the states, as for :meth:`run`. ``follow="up"``, ``"down"`` or ``"both"`` begins each
        run where the one before ended, along the first parameter: for hysteresis. ``random=N`` or ``latin=N`` draws N samples
        of ranges, ``mu=(0.1, 0.5)``, instead of combinations; of those named in ``log`` with equal ratios. The same ``seed``
        draws what the command's does. ``keep=True`` keeps every :class:`Result`; ``keep=function`` keeps function(result). ``progress`` shows a bar (by
        default for sweeps that take longer than two seconds, where tqdm is installed)."""
        from ._sweep import Sampling, sweep

        sampling = Sampling(random=random, latin=latin, seed=seed, log=[log] if isinstance(log, str) else list(log))
        return sweep(self, given, jobs=jobs, progress=progress, section=section, direction=direction, transient=transient,
                     keep=keep, t_end=t_end, settings=settings, follow=follow, sampling=sampling,
                     observe=[observe] if isinstance(observe, str) else list(observe or []))

    # ---- copies -----------------------------------------------------------------------------------------------------

    def __reduce__(self) -> Any:
        return _again, (type(self), self._origin)

    def __copy__(self) -> "Model":
        return self

    def __deepcopy__(self, memo: Any) -> "Model":
        return self

    def __repr__(self) -> str:
        return f"<slideway model {self.name!r}: {len(self.state_names)} states>"

    def _repr_html_(self) -> str:
        from html import escape

        lines = "\n".join(escape(line) for line in self.equations)
        values = ", ".join(f"{escape(k)} = {v:g}" for k, v in self.parameters.items())
        return f"<div><p><b>{escape(self.name)}</b> {escape(self.summary)}</p><pre>{lines}</pre><p>{values}</p></div>"


def _again(kind: type, origin: Tuple[Any, ...]) -> Model:
    made = model_from(origin)
    made.__class__ = kind
    return made


def model_from(origin: Tuple[Any, ...]) -> Model:
    """The model of what :attr:`Model.origin` tells."""
    if origin[0] == "fmu":
        return Model(_core.load_fmu(origin[1], **origin[2]), origin)
    if origin[0] != "text":
        return _named(origin[1])
    made = _parse(origin[1], origin[2])
    made._origin = origin
    return made


# Reading a text takes milliseconds, and the same one comes again with every pickled result.
_parsed: Dict[Tuple[str, str], Any] = {}
_lock = threading.Lock()


def _parse(text: str, file_name: str) -> Model:
    key = (text, file_name)
    with _lock:
        core = _parsed.get(key)
    if core is None:
        core = _core.parse(text, file_name)
        with _lock:
            if len(_parsed) > 64:
                _parsed.clear()
            _parsed[key] = core
    return Model(core, ("text", text, file_name))


def _named(name: str) -> Model:
    return Model(_core.load(name), ("catalogue", name))


def load(name: Any, *, co_simulation: bool = False, communication_step: Optional[float] = None, inputs: Any = None, isolate: bool = False,
         patience: float = 60.0, log: Sequence[str] = ()) -> Model:
    """The model of a file, ``load("stick-slip.toml")``, of an FMU, ``load("pump.fmu")``, of the catalogue, ``load("evaporator")``, or of the gallery,
    ``load("gallery/chua")``. A file that is called so comes before the gallery.

    The options are those of FMUs: ``co_simulation`` where there is Model Exchange, too; a ``communication_step``, in the unit of time of the FMU,
    which asks for Co-Simulation; ``inputs``, a file of comma-separated values with a column ``time`` and columns by the names of inputs;
    ``isolate``, a process of its own for the binary, in which a call may take ``patience`` seconds; ``log``, the categories of messages that
    are printed. An FMU that cannot be run raises :class:`ValueError`, and :class:`RuntimeError` where it fails in a run.

    A file with mistakes raises :class:`ModelError`, which tells each with line, column and caret."""
    text = os.fspath(name)
    if isinstance(log, str):
        raise TypeError(f"log is a list of categories, [{log!r}], not a text")
    how = dict(co_simulation=bool(co_simulation), communication_step=None if communication_step is None else float(communication_step),
               inputs="" if inputs is None else os.path.abspath(os.fspath(inputs)), isolate=bool(isolate), patience=float(patience), log=[str(one) for one in log])
    if text.endswith(".fmu"):
        return model_from(("fmu", os.path.abspath(text), how))
    given = [option for option, value in how.items() if value not in (False, None, "", [], 60.0)]
    if given:
        raise ValueError(f"{given[0]} is for FMUs, whose names end in .fmu, not for {text!r}")
    if not _core.is_file(text):
        return _named(text)
    _core.load(text)  # the complete report of what is wrong, a missing file too
    path = text if os.path.exists(text) else _core.gallery_file(text) or text
    with open(path, encoding="utf-8-sig") as file:
        return _parse(file.read(), path)


def parse(text: str, name: str = "model.toml") -> Model:
    """The model of the text of a model file; `name` is what messages call it."""
    return _parse(text, name)


class Catalogue(Mapping[str, Model]):
    """The models that are built in, and those of the gallery, by name; each is made when it is asked for.

    >>> slideway.catalogue["gallery/chua"].run()
    >>> slideway.catalogue.fields["Dry friction"]    # the names of a field of the gallery
    """

    def __getitem__(self, name: str) -> Model:
        if name in dict(_core.catalogue()):
            return _named(name)
        if name in [known for known, _, _ in _core.gallery()]:
            return load(_core.gallery_file(name))
        raise KeyError(name)

    def __contains__(self, name: object) -> bool:
        return name in list(self)

    def __iter__(self) -> Iterator[str]:
        return iter([name for name, _ in _core.catalogue()] + [name for name, _, _ in _core.gallery()])

    def __len__(self) -> int:
        return len(_core.catalogue()) + len(_core.gallery())

    @property
    def fields(self) -> Dict[str, List[str]]:
        """The names of the gallery, by field."""
        names: Dict[str, List[str]] = {}
        for name, field, _ in _core.gallery():
            names.setdefault(field, []).append(name)
        return names

    def __repr__(self) -> str:
        width = max(len(name) for name in self)
        lines = [f"{name:<{width}}  {summary}" for name, summary in _core.catalogue()]
        summaries = {name: summary for name, _, summary in _core.gallery()}
        for field, names in self.fields.items():
            lines += ["", f"Gallery, {field}:"] + [f"{name:<{width}}  {summaries[name]}" for name in names]
        return "\n".join(lines)


catalogue = Catalogue()


class Check(dict):  # type: ignore[type-arg]
    """What :meth:`Model.check` found; ``passed`` is whether there is no problem, ``findings`` lists what there is."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def __repr__(self) -> str:
        lines = [f"{self['model']}: {'no problem found' if self['passed'] else 'problems'}"]
        lines += [f"  {f['severity']}: {f['text']}" for f in self["findings"]]
        return "\n".join(lines)


class Comparison(dict):  # type: ignore[type-arg]
    """The document of :meth:`Model.compare`, of schema slideway.compare/1."""

    def to_dataframe(self) -> Any:
        """A pandas DataFrame with a row per method."""
        import pandas

        rows = []
        for method in self["methods"]:
            rows.append({k: v for k, v in method.items() if not isinstance(v, (list, dict))})
        return pandas.DataFrame(rows)
