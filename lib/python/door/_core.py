"""The C interface in the place of the compiled module: it serves every CPython, since it calls the shared object beside it by ctypes.

All is as with the compiled module, but for FMUs, which say that they need it.
"""

import contextlib
import ctypes
import difflib
import json
import os
import re
import threading
import time
from ctypes import CFUNCTYPE, POINTER, byref, c_char_p, c_double, c_int, c_int64, c_void_p

import numpy as np

_HERE = os.path.dirname(os.path.abspath(__file__))
_lib = ctypes.CDLL(os.path.join(_HERE, "libslideway_c.so.1"))

_OK, _STOPPED, _MODEL, _MISUSE, _ABSENT, _SPACE, _MEMORY, _FAILED = range(8)
_BEFORE, _AFTER, _BEYOND = 0, 1, 2
_START = -1
_NO_VALUE = -1
_double_p = POINTER(c_double)
_Field = CFUNCTYPE(c_int, c_double, _double_p, _double_p, _double_p, c_void_p)
_Function = CFUNCTYPE(c_int, c_double, _double_p, _double_p, c_void_p)
_Progress = CFUNCTYPE(c_int, c_int64, c_int64, c_void_p)
_Period = CFUNCTYPE(c_int, _double_p, c_int64, _double_p, c_void_p)
_Matrix = CFUNCTYPE(c_int, c_double, _double_p, _double_p, _double_p, c_void_p)


def _declare(name, result, *arguments):
    function = getattr(_lib, name)
    function.restype, function.argtypes = result, arguments
    return function


_abi = _declare("sw_abi", c_int)
_message = _declare("sw_message", c_char_p, c_void_p)
_free = _declare("sw_free", None, c_void_p)
_count = _declare("sw_count", c_int64, c_void_p, c_char_p)
_name = _declare("sw_name", c_char_p, c_void_p, c_char_p, c_int64)
_values = _declare("sw_values", c_int, c_void_p, c_char_p, c_void_p, c_int64, POINTER(c_int64))
_document = _declare("sw_document", c_int, c_void_p, c_char_p, POINTER(c_void_p), POINTER(c_int64))
_stop = _declare("sw_stop", c_int, c_void_p)
_parse = _declare("sw_parse", c_int, c_char_p, c_int64, c_char_p, POINTER(c_void_p))
_read = _declare("sw_read", c_int, c_char_p, POINTER(c_void_p))
_read_fmu = _declare("sw_read_fmu", c_int, c_char_p, c_char_p, POINTER(c_void_p))
_copy = _declare("sw_copy", c_int, c_void_p, POINTER(c_void_p))
_set = _declare("sw_set", c_int, c_void_p, c_char_p, c_double)
_set_initial = _declare("sw_set_initial", c_int, c_void_p, c_void_p, c_int64)
_options = _declare("sw_options", c_int, c_void_p, c_char_p)
_observe = _declare("sw_observe", c_int, c_void_p, c_char_p)
_field = _declare("sw_field", c_int, c_void_p, c_double, c_void_p, c_void_p, c_char_p, c_void_p)
_guards = _declare("sw_guards", c_int, c_void_p, c_double, c_void_p, c_void_p)
_define = _declare("sw_define", c_int, c_int64, c_int64, c_char_p, _Field, _Function, c_void_p, POINTER(c_void_p))
_set_pattern = _declare("sw_set_pattern", c_int, c_void_p, c_char_p, c_void_p, c_void_p)
_add_event = _declare("sw_add_event", c_int, c_void_p, c_char_p, c_char_p, c_char_p, _Function, c_void_p)
_add_times = _declare("sw_add_times", c_int, c_void_p, c_char_p, c_double, c_double, _Function)
_event_options = _declare("sw_event_options", c_int, c_void_p, c_char_p, c_char_p)
_set_discrete = _declare("sw_set_discrete", c_int, c_void_p, c_int64)
_solve = _declare("sw_solve", c_int, c_void_p, POINTER(c_void_p))
_branch = _declare("sw_branch", c_int, c_void_p, c_int64, POINTER(c_void_p))
_status = _declare("sw_status", c_char_p, c_void_p, POINTER(c_double))
_event_text = _declare("sw_event_text", c_char_p, c_void_p, c_int64, c_char_p)
_event_values = _declare("sw_event_values", c_int, c_void_p, c_int64, c_char_p, c_void_p, c_int64, POINTER(c_int64))
_states = _declare("sw_states", c_int, c_void_p, c_void_p, c_int64, c_int, c_void_p, c_int64)
_step_states = _declare("sw_step_states", c_int, c_void_p, c_void_p, c_int64)
_mode = _declare("sw_mode", c_char_p, c_void_p, c_double, c_void_p)
_observed = _declare("sw_observed", c_int, c_void_p, c_void_p, c_int64, c_void_p, c_int64)
_step_observed = _declare("sw_step_observed", c_int, c_void_p, c_void_p, c_int64)
_derivatives = _declare("sw_derivatives", c_int, c_void_p, c_void_p, c_int64, c_int, c_void_p, c_int64)
_gradients = _declare("sw_gradients", c_int, c_void_p, POINTER(c_char_p), c_int64, c_void_p, c_int64)
_set_jacobian = _declare("sw_set_jacobian", c_int, c_void_p, _Matrix)
_find_orbit = _declare("sw_find_orbit", c_int, c_void_p, c_char_p, POINTER(c_void_p))
_orbit_run = _declare("sw_orbit_run", c_int, c_void_p, POINTER(c_void_p))
_set_period = _declare("sw_set_period", c_int, c_void_p, _Period, c_void_p)
_follow_orbit = _declare("sw_follow_orbit", c_int, c_void_p, c_char_p, POINTER(c_void_p))
_find_equilibria = _declare("sw_find_equilibria", c_int, c_void_p, c_char_p, POINTER(c_void_p))
_find_manifolds = _declare("sw_find_manifolds", c_int, c_void_p, c_char_p, POINTER(c_void_p))
_find_basins = _declare("sw_find_basins", c_int, c_void_p, c_char_p, POINTER(c_void_p))
_find_diagram = _declare("sw_find_diagram", c_int, c_void_p, c_char_p, POINTER(c_void_p))
_on_progress = _declare("sw_on_progress", c_int, c_void_p, _Progress, c_void_p)
_find_exponents = _declare("sw_find_exponents", c_int, c_void_p, c_char_p, POINTER(c_void_p))
_find_parameters = _declare("sw_find_parameters", c_int, c_void_p, c_char_p, POINTER(c_char_p), c_int64, c_void_p, c_int64, c_void_p, c_void_p,
                            c_char_p, POINTER(c_void_p))
_find_model = _declare("sw_find_model", c_int, c_char_p, POINTER(c_void_p))
_catalogue = _declare("sw_catalogue", c_int, POINTER(c_void_p))
_compare = _declare("sw_compare", c_int, c_void_p, c_char_p, POINTER(c_void_p))
_samples = _declare("sw_samples", c_int, c_char_p, c_int64, c_int64, c_char_p, POINTER(c_void_p))
_section = _declare("sw_section", c_int, c_void_p, c_char_p, c_char_p, POINTER(c_void_p))
_read_measurements = _declare("sw_read_measurements", c_int, c_char_p, POINTER(c_void_p))
_live_begin = _declare("sw_live_begin", c_int, c_void_p, POINTER(c_void_p))
_live_advance = _declare("sw_live_advance", c_int, c_void_p, c_double)
_live_next_event = _declare("sw_live_next_event", c_int, c_void_p, c_double, POINTER(c_int64))
_live_status = _declare("sw_live_status", c_char_p, c_void_p, POINTER(c_double))
_live_states = _declare("sw_live_states", c_int, c_void_p, c_void_p, c_int64)
_live_set_states = _declare("sw_live_set_states", c_int, c_void_p, c_void_p, c_int64)
_live_set = _declare("sw_live_set", c_int, c_void_p, c_int64, c_double)
_live_changed = _declare("sw_live_changed", c_int, c_void_p)
_live_mode = _declare("sw_live_mode", c_char_p, c_void_p, POINTER(c_char_p))
_live_follow = _declare("sw_live_follow", c_int, c_void_p, c_char_p)
_live_save = _declare("sw_live_save", c_int, c_void_p, POINTER(c_void_p))
_live_restore = _declare("sw_live_restore", c_int, c_void_p, c_void_p)
_live_run = _declare("sw_live_run", c_int, c_void_p, POINTER(c_void_p))
_live_take = _declare("sw_live_take", c_int, c_void_p, POINTER(c_void_p))

version = _declare("sw_version", c_char_p)().decode()
if _abi() != 1:
    raise ImportError(f"libslideway_c.so.1 has the binary interface {_abi()}, and this package is made for 1")


class ModelError(ValueError):
    """A model with mistakes: the message lists them all, with the lines of the text."""


class Cancellation:
    """Ends the runs and searches that it was given to, from any thread."""

    def __init__(self):
        self._lock, self._handles, self.requested = threading.Lock(), [], False

    def request(self):
        with self._lock:
            self.requested = True
            for handle in self._handles:
                _stop(handle.pointer)

    @contextlib.contextmanager
    def of(self, handle):
        """Within it, requests end what is made with the handle."""
        with self._lock:
            self._handles.append(handle)
        try:
            yield
        finally:
            with self._lock:
                self._handles.remove(handle)


def _apart(call, stop, is_asked=lambda: False):
    """The value of call(), made in a thread of its own so that Ctrl-C need not wait for it, and the KeyboardInterrupt that there was, or None.

    stop() ends the call after Ctrl-C, or where is_asked(); it is repeated, since what was only about to begin is not ended by it.
    A thread that Ctrl-C interrupts in join() takes the other for done, which is why it waits for an event.
    """
    values, done, interrupted = [], threading.Event(), None

    def work():
        try:
            values.append(call())
        finally:
            done.set()

    threading.Thread(target=work, daemon=True).start()
    while not done.is_set():
        try:
            done.wait(0.03)
        except KeyboardInterrupt as error:
            interrupted = error
        if not done.is_set() and (interrupted is not None or is_asked()):
            stop()
    return values[0], interrupted


class _Handle:
    """Owns a handle of the C interface."""

    def __init__(self):
        self.pointer = c_void_p()

    def __del__(self):
        if getattr(self, "pointer", None):
            _free(self.pointer)

    def message(self):
        return _message(self.pointer).decode()

    def check(self, code):
        if code in (_OK, _STOPPED):
            return code
        raise {_MODEL: ModelError, _MEMORY: MemoryError, _FAILED: RuntimeError}.get(code, ValueError)(self.message())

    def names(self, of):
        of = of.encode()
        return [_name(self.pointer, of, k).decode() for k in range(max(0, _count(self.pointer, of)))]

    def values(self, of):
        count = c_int64()
        self.check(_values(self.pointer, of.encode(), None, 0, byref(count)))
        numbers = np.empty(count.value)
        self.check(_values(self.pointer, of.encode(), numbers.ctypes.data, count.value, None))
        return numbers

    def document(self, kind):
        text, length = c_void_p(), c_int64()
        self.check(_document(self.pointer, kind.encode(), byref(text), byref(length)))
        return ctypes.string_at(text, length.value).decode()

    def options(self, text):
        self.check(_options(self.pointer, text.encode()))


def _number(value):
    return repr(float(value))


_NUMBERS = ("rtol", "max_step", "max_events", "max_steps")


def _option_text(options):
    words = []
    for name, value in options.items():
        if value is None or name == "unknown_jumps":
            continue
        if name == "atol":
            value = ",".join(_number(part) for part in np.atleast_1d(value))
        elif name == "sensitivities":
            value = ",".join(value)
        elif isinstance(value, (bool, np.bool_)):
            value = "true" if value else "false"
        elif isinstance(value, (float, np.floating)):
            if np.isinf(value):
                continue
            value = _number(value)
        elif name in _NUMBERS and not isinstance(value, (int, np.integer)):
            raise TypeError(f"the option {name} cannot be {value!r}")
        words.append(f"{name}={value}")
    return " ".join(words)


class Model:
    def __init__(self, handle, text=""):
        self._handle, self._text = handle, text
        self.state_names, self.equations = self._handle.names("states"), self._handle.names("equations")
        self.remarks = self._handle.names("remarks")
        self.name, self.summary, self.source = (self._handle.names(of)[0] for of in ("name", "summary", "source"))

    @property
    def parameters(self):
        return dict(zip(self._handle.names("parameters"), self._handle.values("parameters").tolist()))

    @property
    def labels(self):
        return dict(text.split("=", 1) for text in self._handle.names("labels"))

    @property
    def units(self):
        return dict(text.split("=", 1) for text in self._handle.names("units"))

    @property
    def defaults(self):
        made = {}
        for text in self._handle.names("defaults"):
            name, value = text.split("=", 1)
            if name == "atol":
                made[name] = [float(part) for part in value.split(",")]
            elif name in ("max_events", "max_steps"):
                made[name] = int(value)
            else:
                made[name] = float(value) if name in ("rtol", "max_step") else value
        observed = self._handle.names("observed")
        if observed:
            made["observe"] = observed
        return made

    def instantiate(self, settings=()):
        handle = _made(_copy, self._handle.pointer)
        for name, value in settings:
            handle.check(_set(handle.pointer, name.encode(), value))
        return Problem(handle, self, list(settings))


class Problem:
    """A model with its parameters and initial values fixed. `called` keeps the Python functions alive and what they raised."""

    def __init__(self, handle, model, settings, called=None, added=()):
        self._handle, self.model, self._settings, self._called, self._added = handle, model, settings, called, added
        for event in added:
            handle.check(_add_event(handle.pointer, *event, None))
        self.start, self.end = handle.values("span").tolist()
        self.state = handle.values("initial")
        self.state_names, self.surface_names = (handle.names("states"), handle.names("surfaces")) if called is None else called.names
        self.event_names = handle.names("events") + handle.names("contacts")
        self.locations = handle.names("locations")
        self.contacts = len(handle.names("contacts"))
        self.calls_python = model is None

    @property
    def parameters(self):
        return dict(zip(self._handle.names("parameters"), self._handle.values("parameters").tolist()))

    def guards(self, t, state):
        x, h = np.ascontiguousarray(state, dtype=float), np.empty(len(self.surface_names))
        self._handle.check(_guards(self._handle.pointer, t, x.ctypes.data, h.ctypes.data))
        return h

    def field(self, t, state, lambda_=None, location=""):
        x, dx = np.ascontiguousarray(state, dtype=float), np.empty(len(self.state_names))
        signs = np.where(self.guards(t, x) < 0, -1.0, 1.0) if lambda_ is None else np.ascontiguousarray(lambda_, dtype=float)
        self._handle.check(_field(self._handle.pointer, t, x.ctypes.data, signs.ctypes.data, location.encode() or None, dx.ctypes.data))
        return dx

    def with_events(self, events):
        if self.calls_python:
            functions, added = self._called, ()
        else:
            functions, added = _Called(), self._added
            functions.n, functions.names = len(self.state_names), (self.state_names, self.surface_names)
            functions.keep = [] if self._called is None else list(self._called.keep)
        words = {-1: "falling", 0: "any", 1: "rising"}
        for name, function, direction, action in events:
            guard = _Function(functions.numbers(function, 1, "an event function"))
            functions.keep.append(guard)
            added = (*added, (name.encode(), words.get(direction, str(direction)).encode(), action.encode(), guard))
        if not self.calls_python:
            return Problem(self.model.instantiate(self._settings)._handle, self.model, self._settings, functions, added)
        for event in added:
            self._handle.check(_add_event(self._handle.pointer, *event, None))
        return Problem(self._handle, self.model, self._settings, functions)

    def with_steps(self, resets, timed):
        functions, handle = self._called, self._handle

        def kept(function):
            functions.keep.append(_Function(function))
            return functions.keep[-1]

        for name, guard, state, value in resets:
            jump = ctypes.cast(kept(functions.jump(state, value)), c_void_p)
            handle.check(_add_event(handle.pointer, name.encode(), b"falling", b"reset", kept(functions.numbers(guard, 1, "an event function")), jump))
        for name, times, state, value in timed:
            jump = kept(functions.jump(state, value))
            for time in times:
                handle.check(_add_times(handle.pointer, name.encode(), time, 0.0, jump))
                # Other jumps of the same instant read what is set here.
                handle.check(_event_options(handle.pointer, name.encode(), b"priority=2147483647"))
        return Problem(handle, self.model, self._settings, functions)

    def check(self, end, options):
        handle = self._again()
        handle.options(f"t_end={_number(end)} {_option_text(options)}")
        made = json.loads(handle.document("check"))
        start = made["start"]
        for part in ("derivatives", "multi_affine"):
            if made[part]:
                made[part].setdefault("message", "")
        made.update(start=start["t"], mode=start["mode"], location=start["location"] or "", met=start["met"],
                    continuations=start["continuations"], passed=not any(f["severity"] == "problem" for f in made["findings"]))
        return made

    def compare(self, end, options, plan, cancellation=None):
        words = "".join(f" {name}={_number(value) if isinstance(value, float) else int(value)}" for name, value in plan.items() if value is not None)
        text = f"{_option_text(options)} t_end={_number(end)}{words}"
        handle = self._again()
        with (cancellation or Cancellation()).of(handle):
            return _made(_compare, handle.pointer, text.encode()).document("json")

    def _again(self):
        """A handle with options of its own; of Python functions there is one."""
        if self.calls_python:
            return self._handle
        if not self._added:
            return _made(_copy, self._handle.pointer)
        handle = self.model.instantiate(self._settings)._handle
        for event in self._added:
            handle.check(_add_event(handle.pointer, *event, None))
        return handle


def _numbers_of(result, what, size):
    """What a function of the user returned, as `size` numbers."""
    if result is None:
        raise TypeError(f"{what} returned None; expected {size} numbers")
    try:
        found = np.asarray(result, dtype=float).reshape(-1)
    except (TypeError, ValueError):
        raise TypeError(f"{what} returned no numbers") from None
    if found.size != size:
        raise ValueError(f"{what} returned {found.size} numbers; expected {size}")
    return found


class _Called:
    """The Python functions of a system, and the first exception that one of them raised."""

    def __init__(self):
        self.keep, self.error, self.is_final, self.names = [], None, False, ([], [])

    def raised(self, error):
        self.error, self.is_final = error, not isinstance(error, (ArithmeticError, ValueError))
        return _NO_VALUE

    def numbers(self, function, size, what="the surfaces"):
        def call(t, x, values, _):
            if self.is_final:
                return _NO_VALUE
            try:
                found = _numbers_of(function(t, np.ctypeslib.as_array(x, (self.n,)).copy()), what, size)
                np.ctypeslib.as_array(values, (size,))[:] = found
                return 0
            except BaseException as error:
                return self.raised(error)
        return call

    def jump(self, state, function):
        """Sets one state; `after` comes as a copy of `before`."""
        def call(t, before, after, _):
            if self.is_final:
                return _NO_VALUE
            try:
                after[state] = float(function(t, np.ctypeslib.as_array(before, (self.n,)).copy()))
                return 0
            except BaseException as error:
                return self.raised(error)
        return call

    def jacobian(self, function, n):
        def call(t, x, signs, derivatives, _):
            if self.is_final:
                return _NO_VALUE
            try:
                found = _numbers_of(function(t, np.ctypeslib.as_array(x, (n,)).copy()), "the Jacobian", n * n)
                np.ctypeslib.as_array(derivatives, (n * n,))[:] = found.reshape(n, n).T.reshape(-1)
                return 0
            except BaseException as error:
                return self.raised(error)
        return call

    def field(self, function, n, m):
        def at(t, x, signs):
            return _numbers_of(function(t, x.copy()) if signs is None else function(t, x.copy(), signs), "the function", n)

        def call(t, x, signs, dx, _):
            if self.is_final:
                return _NO_VALUE
            try:
                state, result = np.ctypeslib.as_array(x, (n,)), np.ctypeslib.as_array(dx, (n,))
                if m == 0:
                    result[:] = at(t, state, None)
                    return 0
                wanted = np.ctypeslib.as_array(signs, (m,)).copy()
                between = np.flatnonzero(np.abs(wanted) != 1)
                result[:] = 0
                # The function is asked with signs of ±1 alone; between them it is linear in each.
                for corner in range(1 << len(between)):
                    point, weight = wanted.copy(), 1.0
                    for place, k in enumerate(between):
                        point[k] = 1.0 if corner >> place & 1 else -1.0
                        weight *= (1 + point[k] * wanted[k]) / 2
                    if weight:
                        result += weight * at(t, state, point)
                return 0
            except BaseException as error:
                return self.raised(error)
        return call


def _event_numbers(handle, index, what):
    count = c_int64()
    handle.check(_event_values(handle.pointer, index, what.encode(), None, 0, byref(count)))
    numbers = np.empty(count.value)
    if count.value:
        handle.check(_event_values(handle.pointer, index, what.encode(), numbers.ctypes.data, count.value, None))
    return numbers


def _event(handle, index, problem):
    """The fields of an event, of a run or of a live run."""
    def text(what):
        found = _event_text(handle.pointer, index, what.encode())
        return None if found is None else found.decode()

    def numbers(what):
        return _event_numbers(handle, index, what)

    def state(what):
        found = numbers(what)
        return found if found.size else None

    surfaces = text("surfaces").split()
    if problem.calls_python:
        surfaces = [problem.surface_names[int(k)] for k in numbers("surfaces")]
    t, signs = numbers("t")[0], {w: numbers(w).tolist() for w in ("w_minus", "w_plus", "lambda")}
    return (float(t), text("kind"), surfaces, text("name"), text("before"), text("after"), text("location_before"),
            text("location_after"), signs["w_minus"], signs["w_plus"], signs["lambda"], text("codeword"), text("continuations").split(),
            text("in_convex_hull").split(), state("before"), state("after"), int(numbers("round")[0]), text("reason"))


class Run:
    def __init__(self, problem, handle, cancelled, counted_out, start):
        self.problem, self._handle, self.cancelled, self.counted_out, self._start = problem, handle, cancelled, counted_out, start
        reached = c_double()
        self.status = _status(handle.pointer, byref(reached)).decode()
        self.t_reached, self.message = reached.value, handle.message()
        self.complete, self.collapsed, self.error = bool(handle.values("complete")[0]), False, None
        self._n, self._further = len(problem.state_names), []
        modes, places = handle.names("modes"), handle.names("locations")
        self.initial = (start, modes[0], handle.values("initial"), places[0])
        self.final = (self.t_reached, modes[1], handle.values("final"), places[1])
        self.warnings = handle.names("warnings")
        numbers = dict(zip(handle.names("statistics"), handle.values("statistics").tolist()))
        self.statistics = {name: value if name in ("stiff_from", "largest_drift", "wall_seconds") else int(value)
                           for name, value in numbers.items()}
        if np.isnan(self.statistics["stiff_from"]):
            self.statistics["stiff_from"] = None
        branches = [_made(_branch, handle.pointer, k) for k in range(max(0, _count(handle.pointer, b"branches")))]
        self.branches = [Run(problem, branch, False, False, float(branch.values("span")[0])) for branch in branches]

    def points(self):
        t = self._handle.values("steps")
        x = np.empty((self._n, t.size), order="F")
        if t.size:
            self._handle.check(_step_states(self._handle.pointer, x.ctypes.data, x.size))
        return t, x, self._handle.values("step_segments").astype(np.int32)

    def _within(self, times):
        times = np.ascontiguousarray(times, dtype=float).reshape(-1)
        slack = 16 * np.finfo(float).eps * max(abs(self._start), abs(self.t_reached))
        inside = (times >= self._start - slack) & (times <= self.t_reached + slack)
        return times, inside, np.ascontiguousarray(np.clip(times[inside], self._start, self.t_reached))

    def states_at(self, times, before=False, beyond=False):
        times, inside, asked = self._within(times)
        x = np.full((self._n, times.size), np.nan, order="F")
        self._fill(x, inside, asked, _BEFORE if before else _AFTER)
        if beyond and self._handle.values("steps").size:
            outside = np.isfinite(times) & ~inside
            self._fill(x, outside, np.ascontiguousarray(times[outside]), _BEYOND)
        return x

    def _fill(self, x, where, asked, side):
        if asked.size:
            found = np.empty((self._n, asked.size), order="F")
            self._handle.check(_states(self._handle.pointer, asked.ctypes.data, asked.size, side, found.ctypes.data, found.size))
            x[:, where] = found

    def modes_at(self, times):
        return [_mode(self._handle.pointer, t, None).decode() if self._start <= t <= self.t_reached else None for t in times]

    def segments(self):
        times, modes, places = self._handle.values("segments"), self._handle.names("segments"), self._handle.names("segment_locations")
        return list(zip(times[:-1].tolist(), times[1:].tolist(), modes, places))

    def _watch(self, wanted):
        self._handle.check(_observe(self._handle.pointer, None))
        for quantity in wanted:
            self._handle.check(_observe(self._handle.pointer, quantity.encode()))
        return self._handle.names("observed")

    def observed(self, wanted, times, segment_of=()):
        names = self._watch(wanted)
        if names and len(segment_of):
            # These are all points of points().
            y = np.empty((len(names), len(segment_of)), order="F")
            self._handle.check(_step_observed(self._handle.pointer, y.ctypes.data, y.size))
            return names, y
        times, inside, asked = self._within(times)
        y = np.full((len(names), times.size), np.nan, order="F")
        if names and asked.size:
            found = np.empty((len(names), asked.size), order="F")
            self._handle.check(_observed(self._handle.pointer, asked.ctypes.data, asked.size, found.ctypes.data, found.size))
            y[:, inside] = found
        return names, y

    def derivatives_at(self, times, before=False):
        times, inside, asked = self._within(times)
        q = len(self._handle.names("sensitivities"))
        s = np.full((self._n, q, times.size), np.nan, order="F")
        if asked.size:
            found = np.empty((self._n, q, asked.size), order="F")
            self._handle.check(_derivatives(self._handle.pointer, asked.ctypes.data, asked.size, _BEFORE if before else _AFTER,
                                            found.ctypes.data, found.size))
            s[:, :, inside] = found
        return s

    def sensitivities(self):
        names = self._handle.names("sensitivities")
        if not names:
            return None
        until = float(self._handle.values("exists_until")[0])
        shape = (self._n, len(names))
        events = [self._event_derivative(k, shape) for k in range(self.event_count())]
        start = self._event_derivative(_START, shape)
        reasons = [event[4] for event in (start, *events) if event is not None and not event[3]]
        return names, self.derivatives_at([self.t_reached])[:, :, 0], events, until, reasons[0] if reasons else "", start

    def _event_derivative(self, index, shape):
        """How an event, or the start, moves; None of a start through which derivatives go on."""
        if index == _START and _event_values(self._handle.pointer, index, b"time_derivative", None, 0, byref(c_int64())) == _ABSENT:
            return None
        time, before, after, time_below, time_above, below, above = (self._event_numbers(index, what) for what in (
            "time_derivative", "derivative_before", "derivative_after", "time_below", "time_above", "derivative_below", "derivative_above"))
        reason = _event_text(self._handle.pointer, index, b"derivative_reason")

        def told(numbers, form=shape):
            return numbers.reshape(form, order="F") if numbers.size else None

        return (time, before.reshape(shape, order="F"), after.reshape(shape, order="F"), reason is None, "" if reason is None else reason.decode(),
                told(time_below, -1), told(time_above, -1), told(below), told(above))

    def gradients(self, quantities):
        texts = (c_char_p * len(quantities))(*[name.encode() for name in quantities])
        self._handle.check(_gradients(self._handle.pointer, texts, len(quantities), None, 0))
        by = self._handle.names("gradients")
        found = np.empty((len(quantities), len(by)), order="F")
        self._handle.check(_gradients(self._handle.pointer, texts, len(quantities), found.ctypes.data, found.size))
        return list(quantities), by, found, self._handle.names("left_out"), np.inf, ""

    def make_audit(self):
        """The run was audited when it was made."""

    def audit(self):
        (verdict, state), numbers = self._handle.names("audit"), self._handle.values("audit")
        times = self._handle.values("contradictions")
        return dict(verdict=verdict, points=int(numbers[0]), undecided=int(numbers[1]), worst=float(numbers[2]), worst_state=state,
                    worst_t=float(numbers[3]), failures=list(zip(times[::2].tolist(), times[1::2].tolist(), self._handle.names("contradicted"),
                                                                 self._handle.names("contradictions"))))

    def event_count(self):
        return max(0, _count(self._handle.pointer, b"events")) + len(self._further)

    def _event_numbers(self, index, what):
        return _event_numbers(self._handle, index, what)

    def event(self, index):
        if not 0 <= index < self.event_count():
            raise IndexError("no such event")
        own = self.event_count() - len(self._further)
        return self._further[index - own] if index >= own else _event(self._handle, index, self.problem)

    def json(self, wanted, full_events=False):
        self._watch(wanted)
        return self._handle.document("json")

    def html(self, wanted, phase=(), how=""):
        self._watch(wanted)
        return self._handle.document("page")


def _made(call, *arguments):
    handle = _Handle()
    handle.check(call(*arguments, byref(handle.pointer)))
    return handle


def parse(text, file):
    data = text.encode()
    return Model(_made(_parse, data, len(data), file.encode()), text)


def is_file(name):
    return "/" in name or name.endswith(".toml")


def load(name):
    if name.endswith(".fmu"):
        return load_fmu(name)
    if not is_file(name):
        return Model(_made(_find_model, name.encode()))
    path = name if os.path.exists(name) else gallery_file(name) or name
    text = ""
    if os.path.exists(path):
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read()
    if name.startswith("gallery/") and not os.path.exists(path):
        near = difflib.get_close_matches(name, [known for known, _, _ in gallery()], 1)
        raise ValueError(f"there is no model {name!r} in the gallery{f'; did you mean {near[0]!r}?' if near else ''}")
    return Model(_made(_read, os.fsencode(path)), text)


def load_fmu(path, co_simulation=False, communication_step=None, inputs="", isolate=False, patience=60.0, log=()):
    words = _option_text(dict(co_simulation=co_simulation, communication_step=communication_step, isolate=isolate, patience=patience))
    words += f" inputs='{inputs}' log={','.join(log)}"
    return Model(_made(_read_fmu, os.fsencode(path), words.encode()))


def catalogue():
    found = _made(_catalogue)
    return list(zip(found.names("names"), found.names("summaries")))


_GALLERY = os.path.join(_HERE, "gallery")


def gallery():
    """Name, field and summary of each model, after the index of the gallery."""
    found, field = [], ""
    index = os.path.join(_GALLERY, "README.md")
    if os.path.exists(index):
        with open(index, encoding="utf-8") as lines:
            for line in lines:
                if line.startswith("## "):
                    field = line[3:].strip()
                row = re.match(r"\| \[`(\w+)\.toml`\]\([^)]*\) \| (.*?) \|", line)
                if row:
                    found.append((f"gallery/{row[1]}", field, row[2]))
    return found


def gallery_file(name):
    stem = name[:-5] if name.endswith(".toml") else name
    path = os.path.join(_GALLERY, stem[len("gallery/"):] + ".toml")
    return path if stem.startswith("gallery/") and os.path.exists(path) else ""


def called(field, guards, jacobian, state_names, surface_names, pattern, start, end, state, name="python", discrete=0):
    n = len(state_names)
    functions, handle = _Called(), _Handle()
    functions.n, functions.names = n, (list(state_names), list(surface_names))
    try:
        return _called(functions, handle, field, guards, jacobian, pattern, start, end, state, discrete)
    except (ValueError, RuntimeError):
        if functions.error is None:
            raise
        # The exception of the user's function is clearer.
        raise functions.error from None


def _called(functions, handle, field, guards, jacobian, pattern, start, end, state, discrete):
    n, m = len(functions.names[0]), len(functions.names[1])
    c_field = _Field(functions.field(field, n, m))
    c_guards = _Function(functions.numbers(guards, m)) if m else _Function()
    functions.keep += [c_field, c_guards]
    # Names with blanks would be taken for several.
    names = [part.replace(" ", "_").replace(",", "_") for part in functions.names[0] + functions.names[1]]
    handle.check(_define(n, m, " ".join(names).encode(), c_field, c_guards, None, byref(handle.pointer)))
    if jacobian is not None:
        c_jacobian = _Matrix(functions.jacobian(jacobian, n))
        functions.keep.append(c_jacobian)
        handle.check(_set_jacobian(handle.pointer, c_jacobian))
    if pattern is not None:
        starts = np.cumsum([0] + [len(row) for row in pattern], dtype=np.int64)
        columns = np.array([column for row in pattern for column in sorted(row)], dtype=np.int64)
        handle.check(_set_pattern(handle.pointer, b"field_x", starts.ctypes.data, columns.ctypes.data))
    if discrete:
        handle.check(_set_discrete(handle.pointer, discrete))
    x = np.ascontiguousarray(state, dtype=float)
    handle.check(_set_initial(handle.pointer, x.ctypes.data, n))
    handle.options(f"t_start={_number(start)} t_end={_number(end)}")
    return Problem(handle, None, [], functions)


def _follow(handle, cancellation):
    """The handle of a run, what the call answered, and the KeyboardInterrupt that ended it, or None."""
    asked, made = cancellation or Cancellation(), _Handle()
    with asked.of(handle):
        code, interrupted = _apart(lambda: _solve(handle.pointer, byref(made.pointer)), lambda: _stop(handle.pointer), lambda: asked.requested)
    return made, code, interrupted


def run(problem, start, end, state, location="", mode=None, options=None, cancellation=None, stop_after=None):
    handle = problem._again()
    x = np.ascontiguousarray(state, dtype=float)
    if not np.array_equal(x, problem.state):
        handle.check(_set_initial(handle.pointer, x.ctypes.data, x.size))
    text = f"{_option_text(options or {})} t_start={_number(start)} location='{location}' mode={mode or ''}"
    if not (options or {}).get("sensitivities"):
        text += " sensitivities="
    handle.options(f"{text} t_end={_number(end)}")
    if problem._called is not None:
        problem._called.error, problem._called.is_final = None, False
    made, code, interrupted = _follow(handle, cancellation)
    error = interrupted or (None if problem._called is None else problem._called.error)
    if code not in (_OK, _STOPPED):
        if error is not None:
            raise error
        made.check(code)
    found = Run(problem, made, _status(made.pointer, None) == b"stopped_by_caller", False, float(start))
    for name, count in (stop_after or {}).items():
        counted = [event for event in map(found.event, range(found.event_count())) if event[3] == name and event[1] == "record"]
        if len(counted) >= count:
            last = counted[count - 1]
            shorter = run(problem, start, last[0], state, location, mode, options, cancellation,
                          {k: c for k, c in stop_after.items() if k != name})
            # Rounding decides whether the shorter run still has the event at its end.
            if sum(event[3] == name and event[1] == "record" for event in map(shorter.event, range(shorter.event_count()))) < count:
                shorter._further.append(last)
            shorter.counted_out = True
            return shorter
    if found.status == "user_function_failed" or interrupted is not None:
        found.error = error
    return found


class SavedRun:
    def __init__(self, handle):
        self._handle = handle

    @property
    def t(self):
        return float(self._handle.values("t")[0])


class _Pauses:
    """Ends an advance of the main thread every 30 ms, so that Python can look for Ctrl-C; the advance then goes on, bit for bit."""

    _SECONDS = 0.03

    def __init__(self):
        self._lock, self._thread, self._watched = threading.Lock(), None, None

    def watch(self, live):
        self._watched = (live, time.monotonic())
        if self._thread is None:
            with self._lock:
                if self._thread is None:
                    self._thread = threading.Thread(target=self._tick, daemon=True)
                    self._thread.start()

    def leave(self):
        self._watched = None

    def _tick(self):
        idle = 0
        while True:
            time.sleep(self._SECONDS)
            watched = self._watched
            if watched is not None and time.monotonic() - watched[1] > self._SECONDS:
                _stop(watched[0].pointer)
            idle = 0 if watched is not None else idle + 1
            if idle * self._SECONDS > 1:
                with self._lock:
                    if self._watched is None:
                        self._thread = None
                        return
                idle = 0


_pauses = _Pauses()


class LiveRun:
    """A run that Python drives. Where Python listens to events, the run is followed from one to the next."""

    def __init__(self, problem, start, end, state, location, mode, options, on_event):
        self._problem, self._on_event, self._told = problem, on_event, 0
        handle = problem._again()
        x = np.ascontiguousarray(state, dtype=float)
        if x.size != len(problem.state_names):
            raise ValueError(f"the state has {x.size} numbers; expected {len(problem.state_names)}")
        handle.check(_set_initial(handle.pointer, x.ctypes.data, x.size))
        text = f"{_option_text(options or {})} t_start={_number(start)} location='{location}' mode={mode or ''}"
        handle.options(f"{text} sensitivities= audit=off t_end={_number(end)}")
        self._keep, self._live, self._is_cancelled = handle, _Handle(), False
        def begin():
            return _live_begin(handle.pointer, byref(self._live.pointer))

        if problem._called is None:
            self._live.check(begin())
            self._outcome = self._now()
        else:
            self._followed(begin)
        self._tell()

    def _paused(self, call):
        """The code of a call that may take long. Only the main thread is interrupted, and never within a Python function of the model."""
        if threading.get_ident() != threading.main_thread().ident:
            return call()
        if self._problem._called is None:
            while True:
                _pauses.watch(self._live)
                try:
                    code = call()
                finally:
                    _pauses.leave()
                is_pause = code == _STOPPED and not self._is_cancelled and _live_status(self._live.pointer, None) == b"stopped_by_caller"
                if not is_pause:
                    return code
        code, interrupted = _apart(call, lambda: _stop(self._live.pointer))
        if interrupted is not None:
            raise interrupted
        return code

    def _followed(self, call):
        called = self._problem._called
        if called is not None:
            called.error, called.is_final = None, False
        try:
            code = self._paused(call)
        except KeyboardInterrupt:
            if self._live.pointer:
                self._outcome = self._now()
            raise
        self._is_cancelled = False
        if code == _OK and called is None:
            self._outcome = None
            return code
        if called is not None and called.error is not None and (called.is_final or code not in (_OK, _STOPPED)):
            raise called.error
        self._live.check(code)
        self._outcome = self._now()
        if called is not None and called.error is not None and self._outcome[0] == "user_function_failed":
            raise called.error
        return code

    def _now(self):
        # Messages are those of the last call.
        message, t = self._live.message(), c_double()
        status = _live_status(self._live.pointer, byref(t)).decode()
        return status, t.value, message

    def _tell(self):
        """Tells events that are new; returns whether the run is to stop."""
        if self._on_event is None:
            return False
        stops = False
        while self._told < self.event_count() and not stops:
            self._told += 1
            stops = bool(self._on_event(self.event(self._told - 1)))
        if stops:
            self._outcome = ("stopped_by_caller", self.t, "the run was stopped by its caller")
        return stops

    def advance_to(self, t):
        if self._on_event is None:
            self._followed(lambda: _live_advance(self._live.pointer, t))
            return self.outcome
        while True:
            event = c_int64(-1)
            code = self._followed(lambda: _live_next_event(self._live.pointer, t, byref(event)))
            if self._tell() or code == _STOPPED or event.value < 0:
                return self.outcome

    def next_event(self, t_end):
        event = c_int64(-1)
        self._followed(lambda: _live_next_event(self._live.pointer, t_end, byref(event)))
        self._tell()
        return None if event.value < 0 else self.event(event.value)

    def cancel(self):
        self._is_cancelled = True
        _stop(self._live.pointer)

    @property
    def t(self):
        t = c_double()
        _live_status(self._live.pointer, byref(t))
        return t.value

    @property
    def state(self):
        x = np.empty(len(self._problem.state_names))
        self._live.check(_live_states(self._live.pointer, x.ctypes.data, x.size))
        return x

    @property
    def mode(self):
        return _live_mode(self._live.pointer, None).decode()

    @property
    def location(self):
        place = c_char_p()
        _live_mode(self._live.pointer, byref(place))
        return "" if place.value is None else place.value.decode()

    @property
    def outcome(self):
        """None stands for the usual end, so that an advance need not ask for it."""
        if self._outcome is None:
            self._outcome = ("reached_end", self.t, "")
        return self._outcome

    def event_count(self):
        return max(0, _count(self._live.pointer, b"events"))

    def event(self, index):
        if not 0 <= index < self.event_count():
            raise IndexError("no such event")
        return _event(self._live, index, self._problem)

    def set_discrete(self, name, value):
        names = list(self._problem.state_names)
        if name not in names:
            raise ValueError(f"there is no state {name!r}; there are {', '.join(names)}")
        self._live.check(_live_set(self._live.pointer, names.index(name), value))

    def set_state(self, state):
        x = np.ascontiguousarray(state, dtype=float)
        self._live.check(_live_set_states(self._live.pointer, x.ctypes.data, x.size))

    def field_changed(self):
        self._live.check(_live_changed(self._live.pointer))

    def follow(self, mode):
        self._live.check(_live_follow(self._live.pointer, mode.encode()))

    def save(self):
        made = _Handle()
        made.check(_live_save(self._live.pointer, byref(made.pointer)))
        return SavedRun(made)

    def restore(self, saved):
        self._live.check(_live_restore(self._live.pointer, saved._handle.pointer))
        self._told = self.event_count()
        self._outcome = ("reached_end", self.t, "")

    def result(self, forgets):
        made = _Handle()
        self._live.check((_live_take if forgets else _live_run)(self._live.pointer, byref(made.pointer)))
        if forgets:
            self._told = self.event_count()
        found = Run(self._problem, made, False, False, float(made.values("span")[0]))
        if _status(made.pointer, None) == b"stopped_by_caller":
            found.status = self.outcome[0]
        return found


def samples(ranges, count, seed, latin):
    text = " ".join(f"{_number(first)}:{_number(last)}{':log' if is_logarithmic else ''}" for first, last, is_logarithmic in ranges)
    made = _made(_samples, text.encode(), count, seed, b"latin" if latin else b"random")
    return made.values("samples").reshape((len(ranges), count)).tolist()


def _model_handle(problem, what):
    if problem.calls_python:
        raise ValueError(f"{what}: this needs a model (expected a model file, a model of the catalogue or traced functions, got Python "
                         "functions that are called)")
    return problem._again()


def _varied_text(varied, bifurcation=""):
    axes = ",".join(f"{name}:{_number(first)}:{_number(last)}:{count}" for name, first, last, count in varied)
    return (f" vary='{axes}'" if axes else "") + (f" bifurcation={bifurcation}" if bifurcation else "")


def _box_text(box):
    return " box='" + ",".join(f"{name}:{_number(low)}:{_number(high)}" for name, low, high in box) + "'" if box else ""


def equilibria(problem, end, options, box=(), starts=0, varied=(), bifurcation="", cancellation=None):
    handle = _model_handle(problem, "equilibria")
    text = f"{_option_text(options)} t_end={_number(end)}{_varied_text(varied, bifurcation)}{_box_text(box)}"
    if starts:
        text += f" starts={starts}"
    with (cancellation or Cancellation()).of(handle):
        return _made(_find_equilibria, handle.pointer, text.encode()).document("json")


def orbit(problem, options, section=None, direction="rising", period=None, returns=0, transient=0.0, shots=0, max_iterations=0, varied=(),
          bifurcation="", period_of=None, cancellation=None):
    handle = _model_handle(problem, "orbit")
    raised = []

    def period_at(values, count, period, _):
        try:
            period[0] = float(period_of(*values[:count]))
            return 0
        except BaseException as error:
            raised.append(error)
            return _NO_VALUE

    kept = _Period(period_at)
    if period_of is not None:
        handle.check(_set_period(handle.pointer, kept, None))
    text = f"{_option_text(options)} transient={_number(transient)}{_varied_text(varied, bifurcation)}"
    if section is not None:
        text += f" section='{section}' direction={direction}"
    if period is not None:
        text += f" period={_number(period)}"
    for name, value in (("returns", returns), ("shots", shots), ("iterations", max_iterations)):
        text += f" {name}={value}" if value else ""
    with (cancellation or Cancellation()).of(handle):
        if varied:
            found = _Handle()
            code = _follow_orbit(handle.pointer, text.encode(), byref(found.pointer))
            if raised:
                raise raised[0]
            found.check(code)
            return found.document("json"), None
        found = _made(_find_orbit, handle.pointer, text.encode())
    document = found.document("json")
    if not json.loads(document)["converged"]:
        return document, None
    once = _made(_orbit_run, found.pointer)
    return document, Run(problem, once, False, False, float(once.values("span")[0]))


def manifolds(problem, end, options, request, cancellation=None):
    handle = _model_handle(problem, "manifolds")
    text = f"{_option_text(options)} t_end={_number(end)}{_varied_text(request.get('varied', ()))}{_box_text(request.get('box', ()))}"
    for name in ("only", "direction", "fan", "max_runs", "starts", "returns"):
        text += f" {name}={request[name]}" if request.get(name) is not None else ""
    for name in ("length", "time", "transient"):
        text += f" {name}={_number(request[name])}" if request.get(name) is not None else ""
    for name in ("section", "period"):
        text += f" {name}={_quoted(request[name])}" if request.get(name) is not None else ""
    if request.get("connect") is not None:
        text += f" connect='{request['connect'][0]}:{_number(request['connect'][1])}'"
    with (cancellation or Cancellation()).of(handle):
        return _made(_find_manifolds, handle.pointer, text.encode()).document("json")


def _quoted(text):
    """A value of an option. What is in quotes may hold blanks, and no quote."""
    if "'" not in text:
        return f"'{text}'"
    if text.startswith("'") or re.search(r"\s", text):
        raise ValueError(f"{text!r} has both blanks and quotes, which an option cannot have")
    return text


def _plane_text(options, request):
    text = _option_text(options) + " plane=" + ",".join(f"{name}:{_number(low)}:{_number(high)}" for name, low, high in request["plane"])
    if request.get("size") is not None:
        text += " size={}x{}".format(*request["size"])
    if request.get("wrap"):
        text += " wrap=" + _quoted(",".join(f"{name}:{period.replace(' ', '')}" for name, period in request["wrap"]))
    for name in ("period", "step", "csv"):
        text += f" {name}={_quoted(request[name])}" if request.get(name) is not None else ""
    for name in ("max_rounds", "jobs", "samples", "seed", "parts", "curve_rounds", "max_curves"):
        text += f" {name}={request[name]}" if request.get(name) is not None else ""
    if request.get("reach") is not None:
        text += f" reach={_number(request['reach'])}"
    return text + "".join(f" {name}=true" for name in ("resume", "thorough", "no_curves") if request.get(name))


def _coloured(call, what, problem, options, request, progress, cancellation):
    handle = _model_handle(problem, what)
    told = _Progress(lambda done, total, _: progress(done, total) or 0)
    handle.check(_on_progress(handle.pointer, told, None))
    with (cancellation or Cancellation()).of(handle):
        return _made(call, handle.pointer, _plane_text(options, request).encode()).document("json")


def basins(problem, options, request, progress, cancellation=None):
    return _coloured(_find_basins, "basins", problem, options, request, progress, cancellation)


def diagram(problem, options, request, progress, cancellation=None):
    return _coloured(_find_diagram, "diagram", problem, options, request, progress, cancellation)


def lyapunov(problem, end, options, transient, block, cancellation=None):
    handle = _model_handle(problem, "lyapunov")
    text = f"{_option_text(options)} t_end={_number(end)} transient={_number(transient)} block={_number(block)}"
    with (cancellation or Cancellation()).of(handle):
        return _made(_find_exponents, handle.pointer, text.encode()).document("json")


def fit(problem, parameters, names, times, values, deviations, options, max_runs=0, tolerance=0.0, cancellation=None):
    handle = _model_handle(problem, "fit")
    text = _option_text(options)
    text += (f" max_runs={max_runs}" if max_runs > 0 else "") + (f" tolerance={_number(tolerance)}" if tolerance > 0 else "")
    t, measured = np.ascontiguousarray(times, dtype=float), np.asfortranarray(values, dtype=float)
    sigma = np.ascontiguousarray(deviations, dtype=float)
    quantities = (c_char_p * len(names))(*[name.encode() for name in names])
    with (cancellation or Cancellation()).of(handle):
        found = _made(_find_parameters, handle.pointer, " ".join(parameters).encode(), quantities, len(names), t.ctypes.data, t.size,
                      measured.ctypes.data, sigma.ctypes.data if sigma.size else None, text.encode())
    residuals = found.values("residuals")
    return found.document("json"), residuals.reshape((len(names), -1), order="F") if residuals.size else residuals


def measurements(path):
    read = _made(_read_measurements, os.fsencode(path))
    names, times = read.names("quantities"), read.values("times")
    return names, times.tolist(), read.values("values").reshape((len(names), times.size), order="F")


def section_points(found, name, direction):
    made = _made(_section, found._handle.pointer, name.encode(), direction.encode())
    times = made.values("times")
    return times, made.values("states").reshape((-1, times.size), order="F") if times.size else np.empty((found._n, 0))
