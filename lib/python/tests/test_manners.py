"""Threads, Ctrl-C and exceptions."""

import json
import os
import pathlib
import signal
import subprocess
import threading
import time
import traceback

import numpy as np
import pytest

import slideway
from slideway import solve_ivp

FRICTION = slideway.load("dry-friction")


class Interrupt:
    """Ctrl-C after a while; tells how long it took to have an effect."""

    def __init__(self, after):
        self.sent = None
        self.timer = threading.Timer(after, self._send)

    def _send(self):
        self.sent = time.perf_counter()
        os.kill(os.getpid(), signal.SIGINT)

    def __enter__(self):
        self.timer.start()
        return self

    def __exit__(self, *_):
        self.timer.cancel()


def test_a_run_is_interrupted_at_once_with_what_was_done():
    with Interrupt(0.2) as interrupt, pytest.raises(KeyboardInterrupt) as caught:
        FRICTION.run(t_end=1e7, rtol=1e-10, max_events=10**9)
    result = caught.value.result
    assert result.t[-1] > 100 and result.events
    # The run ends within 0.1 s; its arrays take longer the longer it was.
    assert time.perf_counter() - interrupt.sent < 3


def test_the_run_itself_ends_within_a_tenth_of_a_second():
    problem = FRICTION.instance()
    took = []
    for _ in range(3):  # other programs may have the processor for a while
        with Interrupt(0.2) as interrupt:
            made = slideway._core.run(problem, 0.0, 1e7, problem.state, "", None, {"max_events": 10**9}, None, {})
            took.append(time.perf_counter() - interrupt.sent)
        assert made.cancelled and isinstance(made.error, KeyboardInterrupt)
    assert min(took) < 0.1


def test_a_function_that_is_called_is_interrupted():
    with Interrupt(0.2) as interrupt, pytest.raises(KeyboardInterrupt) as caught:
        solve_ivp(lambda t, y: [y[1], -y[0]], (0, 1e7), [1.0, 0.0], trace=False)
    assert time.perf_counter() - interrupt.sent < 3
    assert caught.value.result.t.size > 10


def test_the_command_keeps_what_was_done(tmp_path):
    command = pathlib.Path(os.environ.get("SLIDEWAY_BUILD_DIR", "")) / "bin" / "slideway"
    if not command.is_file():
        pytest.skip("there is no command beside the package")
    table, document = tmp_path / "long.csv", tmp_path / "long.json"
    running = subprocess.Popen([command, "run", "dry-friction", "--t-end", "1e9", "--max-events", "1000000000", "--points", "1001", "--csv", table, "--json",
                                document], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    time.sleep(1.0)
    running.send_signal(signal.SIGINT)
    told, _ = running.communicate(timeout=60)
    assert running.returncode == 3
    assert "the run was interrupted" in told and "written" in told
    assert json.loads(document.read_text())["events"] and len(table.read_text().splitlines()) > 10


def test_a_sweep_is_interrupted():
    with Interrupt(0.3), pytest.raises(KeyboardInterrupt) as caught:
        FRICTION.sweep(mu=np.linspace(0.1, 0.9, 500), t_end=2e4, jobs=2)
    sweep = caught.value.result
    assert f"after {sum(o is not None for o in sweep.outcomes)} of 500 runs" in str(caught.value)
    assert len(sweep) == 500 and any(o is None for o in sweep.outcomes)


def test_a_comparison_is_interrupted():
    with Interrupt(0.2) as interrupt, pytest.raises(KeyboardInterrupt):
        FRICTION.compare(levels=6, repeats=3, max_evaluations=3_000_000)
    assert time.perf_counter() - interrupt.sent < 1


def test_a_fit_is_interrupted_with_the_best_values_until_then():
    times = np.linspace(0.1, 4000, 40001)
    data = {"t": times, "x": FRICTION.run(t_end=4000, t_eval=times, mu=0.43).y[0]}
    with Interrupt(1.0) as interrupt, pytest.raises(slideway.Interrupted, match="the fit was interrupted") as caught:
        while True:
            FRICTION.fit(data, ["mu", "A"], rtol=1e-11)
    assert time.perf_counter() - interrupt.sent < 5
    found = caught.value.result
    assert not found.converged and set(found.values) == {"mu", "A"}


def test_exponents_and_branches_are_interrupted_with_what_was_found():
    with Interrupt(0.5) as interrupt, pytest.raises(slideway.Interrupted) as caught:
        FRICTION.lyapunov(t_end=1e6, transient=0.0, block=10.0)
    assert time.perf_counter() - interrupt.sent < 3
    assert not caught.value.result.complete and "interrupted" in caught.value.result.message and caught.value.result.t.size > 0
    model = slideway.System(lambda t, y, mu: [y[1], mu * (1 - y[0] ** 2) * y[1] - y[0] - 0.1 * np.sign(y[1])], states=dict(x=1.0, v=0.0), t_span=(0, 50),
                            parameters=dict(mu=1.0), surfaces=dict(turn="v"))
    with Interrupt(5.0) as interrupt, pytest.raises(slideway.Interrupted) as caught:
        model.orbit(section="turn", vary={"mu": np.linspace(1, 3, 100_001)})
    assert time.perf_counter() - interrupt.sent < 3
    branch = caught.value.result
    assert branch is not None and 1 < branch.parameter.size < 100_001 and not branch.complete


def test_basins_and_diagrams_are_interrupted_with_what_was_found():
    model = slideway.parse('[parameters]\nd = 0.01\n[states]\nx = 0.5\nv = 0.0\n[time]\nend = 50.0\n[derivatives]\nx = "v"\nv = "x - x^3 - d*v"\n')
    with Interrupt(0.5) as interrupt, pytest.raises(slideway.Interrupted, match="the search for basins was interrupted") as caught:
        model.basins(plane={"x": (-2, 2), "v": (-2, 2)}, size=300, thorough=True)
    assert time.perf_counter() - interrupt.sent < 4
    basins = caught.value.result
    assert basins is not None and not basins.complete and basins.cells.shape == (300, 300) and (basins.cells < 0).any()
    with Interrupt(0.5) as interrupt, pytest.raises(slideway.Interrupted, match="the search for a diagram was interrupted") as caught:
        slideway.load("gallery/impact_oscillator").diagram(plane={"w": (2.4, 2.8), "d": (0.13, 0.25)}, size=80, period="2*pi/w")
    assert time.perf_counter() - interrupt.sent < 4
    diagram = caught.value.result
    assert diagram is not None and not diagram.complete and diagram.cells.shape == (80, 80) and (diagram.cells < 0).any()


def test_manifolds_are_interrupted_with_what_was_found():
    model = slideway.parse('[states]\nx = -0.5\nv = 0.0\n[time]\nend = 1.0\n[derivatives]\nx = "v"\nv = "x - x^3 + 0.1*cos(t)"\n')
    with Interrupt(0.5) as interrupt, pytest.raises(slideway.Interrupted, match="the search for manifolds was interrupted") as caught:
        model.manifolds(period="2*pi", length=4000, max_runs=10**6)
    assert time.perf_counter() - interrupt.sent < 3
    assert 0 < max(piece.arclength[-1] for piece in caught.value.result) < 4000


def test_other_threads_run_during_a_run():
    count = 0
    done = threading.Event()

    def tick():
        nonlocal count
        while not done.is_set():
            count += 1
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    began = time.perf_counter()
    problem = FRICTION.instance()
    slideway._core.run(problem, 0.0, 1e5, problem.state, "", None, {}, None, {})
    took = time.perf_counter() - began
    done.set()
    thread.join()
    assert count > 0.2 * took / 0.001 * 0.5


def test_exceptions_keep_their_traceback_and_what_was_done():
    def deeper(t):
        if t > 1:
            raise RuntimeError("the pump is empty")
        return 1.0

    def fun(t, y):
        return [deeper(t)]

    with pytest.raises(RuntimeError, match="the pump is empty") as caught:
        solve_ivp(fun, (0, 3), [0.0], trace=False)
    names = [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)]
    assert names[-2:] == ["fun", "deeper"]


def test_a_field_without_a_value_beyond_a_point_is_approached():
    import math

    # Torricelli's law ends at an empty tank; smaller steps are tried before the exception comes back.
    with pytest.raises(ValueError, match="math domain"):
        solve_ivp(lambda t, y: [-math.sqrt(y[0])], (0, 3), [1.0], trace=False)
    traced = solve_ivp(lambda t, y: [-math.sqrt(y[0])], (0, 3), [1.0])
    assert traced.outcome.status == "user_function_failed" and traced.outcome.t == pytest.approx(2, abs=1e-3)


def test_two_threads_do_not_disturb_each_other():
    def fun(t, y, k):
        return [y[1], -k * y[0]]

    expected = {k: solve_ivp(fun, (0, 5), [1.0, 0.0], args=(k,), trace=False).y[:, -1] for k in (1.0, 2.0)}
    wrong = []

    def work(k):
        for _ in range(5):
            if not np.array_equal(solve_ivp(fun, (0, 5), [1.0, 0.0], args=(k,), trace=False).y[:, -1], expected[k]):
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in expected for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_progress_is_shown_when_it_is_asked_for(capsys):
    pytest.importorskip("tqdm")
    FRICTION.sweep(mu=[0.3, 0.4, 0.5], jobs=1, progress=True)
    assert "run" in capsys.readouterr().err
