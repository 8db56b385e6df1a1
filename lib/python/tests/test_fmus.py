"""FMUs as models: what the command exports is loaded, run, copied and pickled."""

import copy
import os
import pathlib
import pickle
import subprocess

import numpy as np
import pytest

import slideway

PROGRAM = pathlib.Path(os.environ.get("SLIDEWAY_BUILD_DIR", "")) / "bin" / "slideway"


@pytest.fixture(scope="module")
def evaporator(tmp_path_factory):
    if not PROGRAM.exists():
        pytest.skip("there is no command beside the package")
    path = tmp_path_factory.mktemp("fmus") / "evaporator.fmu"
    done = subprocess.run([str(PROGRAM), "export", "evaporator", "--me", "--quiet", "--out", str(path)], capture_output=True, text=True)
    if done.returncode != 0:
        pytest.skip(done.stderr)
    return path


def test_an_fmu_is_loaded_and_run_as_a_model(evaporator):
    model, expected = slideway.load(evaporator), slideway.load("evaporator").run(rtol=1e-9)
    found = model.run(rtol=1e-9)
    assert found.success
    assert np.allclose(found.final.state[:-1], expected.final.state, rtol=1e-6)
    assert set(slideway.load("evaporator").parameters) <= set(model.parameters)


def test_a_model_of_an_fmu_can_be_copied_and_pickled(evaporator):
    model = slideway.load(evaporator)
    for again in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert again.run().final.state.tolist() == model.run().final.state.tolist()


def test_options_say_how_an_fmu_is_run(evaporator):
    plain = slideway.load(evaporator).run(rtol=1e-8).final.state
    apart = slideway.load(evaporator, isolate=True, patience=20)
    assert apart.run(rtol=1e-8).final.state.tolist() == plain.tolist()
    assert pickle.loads(pickle.dumps(apart)).origin == apart.origin
    with pytest.raises(ValueError, match="the inputs cannot be read"):
        slideway.load(evaporator, inputs="none.csv")
    with pytest.raises(ValueError, match="isolate is for FMUs"):
        slideway.load("evaporator", isolate=True)
    with pytest.raises(TypeError, match="a list of categories"):
        slideway.load(evaporator, log="all")


def test_a_file_that_is_none_is_told(tmp_path):
    with pytest.raises(ValueError, match="there is no such file"):
        slideway.load(tmp_path / "none.fmu")


def test_an_fmu_is_swept_as_its_model_is(evaporator):
    found, expected = (slideway.load(model).sweep(R_b=[1.5, 2.5], rtol=1e-8, jobs=2, progress=False) for model in (evaporator, "evaporator"))
    states = len(slideway.load("evaporator").state_names)
    assert np.allclose(found.final[:, :states], expected.final[:, :states], rtol=1e-6)


def test_initial_values_of_an_fmu_are_fitted(evaporator):
    model = slideway.load(evaporator)
    state = model.state_names[0]
    run = model.run(rtol=1e-9, t_eval=np.linspace(1, 30, 20))
    start = float(model.run().y[0, 0])
    data = {"t": run.t, state: run.y[0]}
    found = model.fit(data, state, settings={state: 1.02 * start}, rtol=1e-8)
    assert found.values[state] == pytest.approx(start, rel=1e-4)
    with pytest.raises(ValueError, match="derivatives by its parameters"):
        model.fit(data, "R_b")


def test_exponents_of_an_fmu_are_those_of_its_model(tmp_path):
    if not PROGRAM.exists():
        pytest.skip("there is no command beside the package")
    path = tmp_path / "friction.fmu"
    done = subprocess.run([str(PROGRAM), "export", "dry-friction", "--me", "--quiet", "--out", str(path)], capture_output=True, text=True)
    if done.returncode != 0:
        pytest.skip(done.stderr)
    found, expected = (slideway.load(model).lyapunov(t_end=300, rtol=1e-9) for model in (path, "dry-friction"))
    assert np.allclose(found.values, expected.values, rtol=1e-3)
