"""Models as FMUs and FMUs as models, by both doors."""

import copy
import pickle

import numpy as np
import pytest

import slideway

FRICTION = """name = "block"
[parameters]
mu = 0.4
u = 1.0
[states]
x = 2.0
v = 0.0
[time]
end = 20.0
[derivatives]
x = "v"
v = "u*cos(t/2) - x - mu*sgn(v)"
"""


@pytest.fixture
def block():
    return slideway.parse(FRICTION)


def times(result):
    found = np.array([event.t for event in result.events if event.t > 0])
    return found[np.concatenate(([True], np.diff(found) > 1e-9))]


@pytest.mark.parametrize("version", ["2.0", "3.0"])
@pytest.mark.parametrize("kind", ["me", "cs"])
def test_a_model_comes_back_from_an_fmu_with_its_events(block, tmp_path, version, kind):
    path = block.to_fmu(tmp_path / "block.fmu", version=version, kind=kind, rtol=1e-9, mu=0.3)
    back = slideway.load(path, communication_step=None if kind == "me" else 0.5)
    assert back.parameters["mu"] == 0.3
    expected, found = block.run(mu=0.3, rtol=1e-9), back.run(rtol=1e-9)
    assert np.allclose(found.final.state[:2], expected.final.state, atol=1e-6)
    if kind == "me":
        assert np.allclose(times(found), times(expected), atol=1e-6)


def test_inputs_of_an_fmu_are_driven_from_a_table(block, tmp_path):
    path = block.to_fmu(tmp_path / "block.fmu", inputs=["u"], tunable=["mu"], rtol=1e-9)
    (tmp_path / "u.csv").write_text("time,u,mu\n0,1,0.4\n7,1,0.4\n7,0.5,0.2\n20,0.5,0.2\n")
    for kind in (dict(), dict(communication_step=1.0)):
        found = slideway.load(path, inputs=tmp_path / "u.csv", **kind).run(rtol=1e-9)
        first = block.run(t_end=7.0, rtol=1e-10).final
        last = block.run(start=7.0, state=first.state, u=0.5, mu=0.2, rtol=1e-10).final
        assert np.allclose(found.final.state[:2], last.state, atol=1e-6), kind


def test_fmus_can_be_copied_and_pickled(block, tmp_path):
    model = slideway.load(block.to_fmu(tmp_path / "block.fmu"), communication_step=1.0)
    for again in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert again.run().final.state.tolist() == model.run().final.state.tolist()


def test_what_makes_no_sense_is_told(block, tmp_path):
    with pytest.raises(ValueError, match="is for FMUs"):
        slideway.load("evaporator", communication_step=1.0)
    with pytest.raises(ValueError, match="there is no such file"):
        slideway.load(tmp_path / "none.fmu")
    with pytest.raises(ValueError, match="'me', 'cs' or 'both'"):
        block.to_fmu(tmp_path / "block.fmu", kind="exchange")
    with pytest.raises(ValueError, match="is a parameter of the model"):
        block.to_fmu(tmp_path / "block.fmu", inputs=["mue"])
    assert not (tmp_path / "block.fmu").exists()
