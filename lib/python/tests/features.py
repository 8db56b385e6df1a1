"""What a model in Python can have and be asked for, by names: each as numbers. Both doors must give the same."""

import atexit
import functools
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import zipfile

import numpy as np

import slideway
from slideway import Automaton, Contact, Edge, Every, Record, Reset, Stop, System


def state(model, **options):
    return model.run(rtol=1e-8, **options).final.state.tolist()


def sampled():
    return System(lambda t, y, u, load, torque: [torque(y[0]) * u - load - 0.1 * np.sign(y[0]), y[0]], states=dict(speed=0.0, angle=0.0), t_span=(0, 5),
                  parameters=dict(goal=2.0), discrete=dict(u=0.0), inputs=dict(load=([0, 4, 10], [0, 0.5, 0.5])),
                  tables=dict(torque=([0, 5], [2.0, 1.0])), every=[Every(period=0.1, set=dict(u=lambda t, y, goal: np.clip(goal - y[0], -1, 1)), name="control")],
                  records=[Record(lambda t, y: y[1] > 1, name="passed")], labels=dict(speed="speed of the motor"), units=dict(speed="rad/s"))


def oscillator():
    return System(lambda t, y, mu: [y[1], mu * (1 - y[0] ** 2) * y[1] - y[0] - 0.1 * np.sign(y[1])], states=dict(x=1.0, v=0.0), t_span=(0, 30),
                  parameters=dict(mu=1.0), surfaces=dict(turn="v"))


def relay():
    return slideway.parse('[parameters]\na = 0.1\nb = 0.5\n[states]\nx = 0.3\ny = 0.1\n[time]\nend = 10.0\n[surfaces]\nside = "x"\n'
                          '[derivatives]\nx = "a - x - b*sgn(side)"\ny = "-y"\n')


def well():
    return slideway.parse('[parameters]\nd = 0.0\n[states]\nx = 0.5\nv = 0.0\n[time]\nend = 5.0\n[derivatives]\nx = "v"\nv = "x - x^3 - d*v"\n')


def friction():
    return System(lambda t, y, mu: [y[1], np.cos(0.5 * t) - y[0] - mu * np.sign(y[1])], states=dict(x=2.0, v=0.0), t_span=(0, 20), parameters=dict(mu=0.4))


def measured():
    times = np.linspace(0.5, 8, 16)
    found = friction().run(mu=0.3, t_end=8.0, t_eval=times, rtol=1e-9)
    return {"t": times, "x": found["x"]}


def ramp():
    return slideway.parse('[parameters]\np = 2\n[states]\nx = 1.0\ny = 0.0\n[time]\nend = 1.0\n[derivatives]\nx = "1"\ny = "if(x > 1, p, 1)"\n')


def live(model=None):
    run = slideway.LiveRun(sampled() if model is None else model, rtol=1e-8)
    run.advance_to(1.0)
    saved = run.save()
    run.advance_to(2.0)
    there = np.array(run.state)
    run.restore(saved)
    run.advance_to(2.0)
    return [there.tolist(), np.array(run.state).tolist()]


@functools.lru_cache(maxsize=None)
def fmu():
    """A folder with an FMU of a driven block, and a table of its input."""
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder)
    program = pathlib.Path(os.environ.get("SLIDEWAY_BUILD_DIR", "")) / "bin" / "slideway"
    text = ('name = "block"\n[parameters]\nmu = 0.4\nu = 1.0\n[states]\nx = 2.0\nv = 0.0\n[time]\nend = 20.0\n[derivatives]\nx = "v"\n'
            'v = "u*cos(t/2) - x - mu*sgn(v)"\n')
    pathlib.Path(folder, "block.toml").write_text(text)
    pathlib.Path(folder, "u.csv").write_text("time,u\n0,1\n7,1\n7,0.5\n20,0.5\n")
    if program.exists():
        subprocess.run([str(program), "export", "block.toml", "--input", "u", "--quiet"], cwd=folder, check=False)
    return pathlib.Path(folder)


def of_fmu(ask, name="block.fmu", **how):
    """What is asked for of the model; None where this build exports no FMUs."""
    path = fmu() / name
    return ask(slideway.load(path, **how)) if path.exists() else None


def only_one():
    """The name of an FMU that may have one instance at a time."""
    if (fmu() / "block.fmu").exists():
        with zipfile.ZipFile(fmu() / "block.fmu") as made, zipfile.ZipFile(fmu() / "once.fmu", "w") as once:
            for entry in made.namelist():
                data = made.read(entry)
                once.writestr(entry, data.replace(b"<ModelExchange ", b'<ModelExchange canBeInstantiatedOnlyOncePerProcess="true" '))
    return "once.fmu"


def called(t, y):
    return [y[1], float(str(-y[0]))]


def start_of(sensitivities):
    start = sensitivities.start
    return [start.exists, start.reason, start.after_below.tolist(), start.after_above.tolist()]


FEATURES = {
    "discrete states, inputs, tables, actions at known times": lambda: state(sampled()),
    "events": lambda: sampled().run(rtol=1e-8).t_events[1].tolist(),
    "labels and units": lambda: [sampled().labels, sampled().units],
    "text of the model": lambda: sampled().to_toml(),
    "model of a text": lambda: state(slideway.Model.from_toml(sampled().to_toml())),
    "hysteresis and laws of friction": lambda: state(System(
        lambda t, y, F, relay: [y[1], -y[0] - F + 0.2 * relay], states=dict(x=1.0, v=0.0), t_span=(0, 20),
        friction=dict(F={"law": "coulomb", "velocity": lambda t, y: y[1], "Fc": 0.1}),
        hysteresis=dict(relay={"law": "relay", "input": "x", "low": -0.3, "high": 0.3}))),
    "a mass matrix": lambda: state(System(lambda t, y: [y[1], -y[0] * (2 + y[0] ** 2)], states=dict(x=1.0, v=0.0), t_span=(0, 3),
                                          mass=lambda t, y: np.array([[1.0, 0], [0, 2 + y[0] ** 2]]))),
    "algebraic variables": lambda: state(System(lambda t, y, q: [-q], states=dict(x=2.0), t_span=(0, 2), algebraic=dict(q="x - q^3"))),
    "contacts with friction": lambda: state(System(
        lambda t, y: [y[2], y[3], 0.0, -9.81], states=dict(x=0.0, z=1.0, vx=1.0, vz=0.0), t_span=(0, 2),
        contacts=[Contact(lambda t, y: y[1], {"vz": 1.0}, 0.5, name="floor", friction=dict(mu=0.2, velocity="vx", acts_on=dict(vx="1")))])),
    "a quantity on both sides of jumps": lambda: slideway.parse(
        '[states]\nx = 1.0\nv = 0.0\n[time]\nend = 3.0\n[derivatives]\nx = "v"\nv = "-1"\n[[resets]]\nwhen = "x"\ndirection = "falling"\n'
        'set.v = "-0.5*v"\n').run(observe="E = 0.5*v^2 + x")["E"].tolist(),
    "resets with a delay and stops": lambda: state(System(
        lambda t, y: [1.0], states=dict(x=0.0), t_span=(0, 9), resets=[Reset("x - 1", {"x": "0"}, "rising", delay=0.5)], stops=[Stop("x - 1.4", name="high")])),
    "locations": lambda: state(System(None, states=dict(x=20.0), t_span=(0, 9), locations=dict(on={"x": "22 - x"}, off={"x": "15 - x"}),
                                      edges=[Edge("on", "off", "x - 21", "rising"), Edge("off", "on", "x - 19", "falling")])),
    "automata": lambda: state(System({"x": "if(a > 1.5, -1, 1)"}, states=dict(x=0.0), t_span=(0, 9), automata=[
        Automaton("a", dict(up=None, down=None), [Edge("up", "down", "x - 1", "rising"), Edge("down", "up", "x + 1", "falling")])])),
    "a vector": lambda: state(slideway.parse('[parameters]\nN = 3\n[states]\nx = { size = "N", value = "1 + i" }\n[time]\nend = 1.0\n[derivatives]\nx = "-x[i]*i"\n')),
    "a trace": lambda: slideway.trace(lambda t, y, k: [-k * np.sign(y[0])], (0, 2), [1.0], args=(0.3,)).text,
    "events of solve_ivp": lambda: slideway.solve_ivp(lambda t, y: [y[1], -y[0]], (0, 9), [0.0, 1.0], events=lambda t, y: y[0] - 0.5, rtol=1e-8).t_events[0].tolist(),
    "a function that is called": lambda: slideway.solve_ivp(called, (0, 3), [1.0, 0.0], rtol=1e-8, surfaces=[lambda t, y: y[0] - 0.5]).y[:, -1].tolist(),
    "steps of a function that is called": lambda: [slideway.solve_ivp(fun, (0, 3), [2.6], rtol=1e-8, trace=False).y[:, -1].tolist() for fun in (
        lambda t, y: [-round(3 * y[0]) / 3 - 0.1], lambda t, y: [[1.0, -2.0, 0.5, 3.0][int(t / 0.8)] - y[0]], lambda t, y: [-int(y[0]) - 0.5])],
    "complex states": lambda: np.abs(slideway.solve_ivp(lambda t, y: 1j * y, (0, 3), [1 + 0j], rtol=1e-9, surfaces=[]).y[:, -1]).tolist(),
    "derivatives": lambda: friction().run(rtol=1e-9, sensitivities=["mu", "x"]).sensitivities.final.tolist(),
    "derivatives at a start on a surface": lambda: start_of(ramp().run(rtol=1e-9, sensitivities=["x", "p"]).sensitivities),
    "derivatives by args": lambda: slideway.solve_ivp(lambda t, y, k: [-k * y[0]], (0, 1), [1.0], args=(0.5,), sensitivities=["k"], rtol=1e-9).sensitivities.final.tolist(),
    "gradients": lambda: friction().run(rtol=1e-9).gradient("E = 0.5*v^2")["mu"],
    "a fit": lambda: friction().fit(measured(), "mu").values,
    "equilibria": lambda: sorted(e.state.tolist() for e in oscillator().equilibria(t_end=5.0)),
    "branches of equilibria": lambda: [b.parameter.tolist() for b in oscillator().equilibria(t_end=5.0, vary={"mu": np.linspace(1, 1.2, 3)})],
    "an orbit": lambda: [(o := oscillator().orbit(section="turn")).period, np.abs(o.multipliers).tolist(), o.result.t_events == []],
    "a branch of orbits": lambda: oscillator().orbit(section="turn", vary={"mu": np.linspace(1, 1.2, 3)}).period.tolist(),
    "curves of equilibria": lambda: [c.values.tolist() for c in relay().equilibria(vary={"a": np.linspace(-1, 1, 7), "b": np.linspace(0.1, 1, 7)})],
    "curves of orbits": lambda: [c.values.tolist() for c in slideway.load("gallery/impact_oscillator").orbit(
        period=2 * np.pi / 2.6, transient=240, x=-0.17, vary={"d": np.linspace(0.23, 0.13, 5), "alpha": np.linspace(0.04, 0.06, 5)})],
    "manifolds": lambda: [piece.states.tolist() for piece in well().manifolds(length=1.0)],
    "manifolds of an orbit": lambda: [piece.states.tolist() for piece in slideway.parse(
        '[states]\nx = -0.5\nv = 0.0\n[time]\nend = 1.0\n[derivatives]\nx = "v"\nv = "x + cos(t)"\n').manifolds(period=2 * np.pi, length=1.0)],
    "connections": lambda: [[one["parameter"], one["gap"]] for one in well().manifolds(
        connect={"x": 1.2}, vary={"d": np.linspace(-0.1, 0.1, 4)}, length=4.0).found],
    "basins": lambda: well().basins(plane={"x": (-2, 2), "v": (-2, 2)}, size=12, samples=40, d=0.2).document,
    "a diagram": lambda: relay().diagram(plane={"a": (-1, 1), "b": (0.1, 1)}, size=(4, 3), step="2*b + 1", wrap={"y": 3.0}).document,
    "exponents": lambda: oscillator().lyapunov().values.tolist(),
    "a comparison": lambda: sorted(m["name"] if "name" in m else m["method"] for m in friction().compare(t_end=2.0, levels=2, repeats=1)["methods"]),
    "a section": lambda: oscillator().run(rtol=1e-9).section("turn", "any").t.tolist(),
    "a sweep": lambda: friction().sweep(mu=[0.2, 0.3, 0.4], observe="E = 0.5*v^2", jobs=1, progress=False).final.tolist(),
    "a sweep up and down": lambda: friction().sweep(mu=[0.2, 0.3], follow="both", jobs=1, progress=False).final.tolist(),
    "samples": lambda: friction().sweep(mu=(0.2, 0.5), latin=3, seed=2, jobs=1, progress=False).values["mu"].tolist(),
    "an FMU": lambda: of_fmu(lambda model: [model.parameters, model.state_names, model.defaults, model.run(rtol=1e-8, mu=0.3, x=1.5).final.state.tolist()]),
    "events of an FMU": lambda: of_fmu(lambda model: [(e.t, e.kind, list(e.surfaces)) for e in model.run(rtol=1e-8).events]),
    "an FMU of Co-Simulation": lambda: of_fmu(state, communication_step=0.25),
    "an input of an FMU": lambda: of_fmu(state, inputs=fmu() / "u.csv"),
    "an FMU in a process of its own": lambda: of_fmu(state, isolate=True, patience=20),
    "variables of an FMU": lambda: of_fmu(lambda model: model.run(rtol=1e-8, observe="der(v)")["der(v)"].tolist()),
    "a sweep of an FMU": lambda: of_fmu(lambda model: model.sweep(mu=[0.2, 0.3], jobs=2, progress=False).final.tolist()),
    "an FMU that may exist once": lambda: of_fmu(lambda model: [model.parameters, state(model), state(model, mu=0.2)], only_one()),
    "a live run of an FMU": lambda: of_fmu(live),
    "an FMU that is none": lambda: message_of(lambda: slideway.load("none.fmu")),
    "an option of FMUs": lambda: message_of(lambda: slideway.load("evaporator", isolate=True)),
    "a check": lambda: friction().check()["passed"],
    "a live run": lambda: live(),
    "an audit": lambda: friction().run(audit="full").audit.verdict,
    "all motions of an ambiguous start": lambda: sorted(b.final.state[0] for b in slideway.parse(
        '[states]\nx = 0.0\n[time]\nend = 1.0\n[derivatives]\nx = "sgn(x)"\n').run(on_ambiguity="branches").branches),
    "all motions of a model with delays": lambda: ends_of(slideway.parse(
        '[states]\nx = 0.0\ny = 1.0\n[time]\nend = 2.0\n[derivatives]\nx = "sgn(x)"\ny = "-1"\n'
        '[[resets]]\nname = "late"\nwhen = "y - 0.5"\ndirection = "falling"\ndelay = 1.0\nset.y = "5"\n').run(on_ambiguity="branches")),
    "all motions of a function that is called": lambda: ends_of(slideway.solve_ivp(
        lambda t, y: [float(str(np.sign(y[0])))], (0, 1), [0.0], surfaces=[lambda t, y: y[0]], on_ambiguity="branches")),
    "derivatives of all motions": lambda: message_of(lambda: ramp().run(on_ambiguity="branches", sensitivities=["x"])),
    "a period that is a function": lambda: slideway.load("gallery/impact_oscillator").orbit(
        period=lambda w: 2 * np.pi / w, transient=240, d=0.3, vary={"w": np.linspace(2.6, 2.7, 3)}).period.tolist(),
    "a period that is a function of two parameters": lambda: [c.values.tolist() for c in slideway.load("gallery/impact_oscillator").orbit(
        period=lambda d, w: 2 * np.pi / w, transient=240, x=-0.17, w=2.6, vary={"d": np.linspace(0.23, 0.13, 5), "w": np.linspace(2.5, 2.7, 5)})],
    "a period that fails": lambda: message_of(lambda: slideway.load("gallery/impact_oscillator").orbit(
        period=lambda w: 2 * np.pi / w if w < 2.65 else 1 / 0, transient=240, d=0.3, vary={"w": np.linspace(2.6, 2.7, 3)})),
    "a period that makes no sense": lambda: message_of(lambda: slideway.load("gallery/impact_oscillator").orbit(
        period=lambda w: -w, transient=240, d=0.3, vary={"w": np.linspace(2.6, 2.7, 3)})),
    "the document of a run": lambda: sorted(json.loads(friction().run().to_json())),
    "the gallery and the catalogue": lambda: len(slideway.catalogue) > 50,
    "a mistake in a model": lambda: message_of(lambda: slideway.parse('[states]\nx = 1.0\n[time]\nend = 1\n[derivatives]\nx = "y"\n')),
}


def ends_of(result):
    return [result.final.t, result.final.state.tolist(), result.final.mode, result.outcome.status, [ends_of(branch) for branch in result.branches]]


def message_of(call):
    try:
        call()
    except Exception as error:
        return [type(error).__name__, str(error)]
    return None


def answers():
    found = {}
    for name, ask in FEATURES.items():
        try:
            found[name] = ask()
        except Exception as error:
            found[name] = f"{type(error).__name__}: {error}"
    return found


if __name__ == "__main__":
    json.dump(answers(), sys.stdout)
