"""Models, their runs and what the results hold."""

import concurrent.futures
import copy
import json
import math
import multiprocessing
import os
import pathlib
import pickle
import subprocess
import sys

import numpy as np
import pytest

import slideway

STICK_SLIP = """
name = "stick-slip"
[parameters]
mu = 0.4
w  = 0.5
[states]
x = 2.0
v = 0.0
[time]
end = 100.0
[surfaces]
stick = "v"
[derivatives]
x = "v"
v = "-x - mu*sgn(stick) + cos(w*t)"
[[records]]
name = "top"
when = "x - 1"
direction = "rising"
"""


@pytest.fixture
def model():
    return slideway.parse(STICK_SLIP)


def test_a_model_file_is_loaded_and_run(tmp_path):
    path = tmp_path / "stick-slip.toml"
    path.write_text(STICK_SLIP)
    model = slideway.load(path)
    assert model.name == "stick-slip"
    assert model.parameters == {"mu": 0.4, "w": 0.5}
    assert model.state_names == ["x", "v"]
    result = model.run(mu=0.3, x=1.5, rtol=1e-8, method="auto", observe=["E = 0.5*v^2", "stick"])
    assert result.success and result.status == 0
    assert result.t.shape == (result.y.shape[1],)
    assert result.y.shape[0] == 2
    assert result.initial.state.tolist() == [1.5, 0.0]
    assert result.parameters["mu"] == 0.3
    assert np.allclose(result.observed["E"], 0.5 * result["v"] ** 2)
    assert np.allclose(result.observe("2*x")["2*x"], 2 * result["x"])
    assert set(result.modes) <= {"-", "0", "+"}
    assert result.outcome.status == "reached_end"
    assert result.statistics.steps == result.statistics["steps"] > 0


def test_mistakes_are_told_with_their_place():
    with pytest.raises(slideway.ModelError, match=r"model.toml:4:7: .*'y'"):
        slideway.parse('[states]\nx = 1.0\n[derivatives]\nx = "-y"\n[time]\nend = 1.0\n')
    with pytest.raises(ValueError, match="did you mean 'mu'"):
        slideway.parse(STICK_SLIP).run(nu=3)
    with pytest.raises(ValueError, match="evaporator"):
        slideway.load("evaporater")
    with pytest.raises(ValueError):
        slideway.load("not-there.toml")
    with pytest.raises(ValueError, match="rtol"):
        slideway.parse(STICK_SLIP).run(rtol=2.0)
    with pytest.raises(ValueError, match="method"):
        slideway.parse(STICK_SLIP).run(method="euler")


def test_events_are_followed_where_they_are_if_asked():
    chain = slideway.parse("""
[parameters]
N = 60
[states]
x = { size = "N", value = "1.5*sin(2.1*i)" }
v = { size = "N", value = "0" }
[derivatives]
x = "v[i]"
v = { value = "x[i+1] - 2.1*x[i] + x[i-1] - 0.3*sgn(v[i] - 0.1)", ends = "zero" }
[time]
end = 5.0
""")
    there, everywhere = (chain.run(rtol=1e-8, local_events=how) for how in ("on", "off"))
    assert there.success and not there.warnings
    assert len(there.events) == len(everywhere.events) > 100
    assert np.allclose(there.final.state, everywhere.final.state, atol=1e-5)
    # Other steps have been taken.
    assert there.statistics.steps != everywhere.statistics.steps
    with pytest.raises(ValueError, match="local_events"):
        chain.run(local_events="sometimes")


def test_the_catalogue_is_a_mapping():
    assert "evaporator" in slideway.catalogue
    assert len(slideway.catalogue) == len(list(slideway.catalogue)) > 15
    assert "evaporator" in repr(slideway.catalogue)
    with pytest.raises(KeyError):
        slideway.catalogue["nothing"]
    result = slideway.catalogue["evaporator"].run()
    assert [e.kind for e in result.events] == ["crossing", "sliding_entry"]
    assert result.events[1].lambda_[0] == result.events[1]["lambda"][0]
    assert result.final.state[0] == pytest.approx(np.sqrt(0.0075), abs=1e-6)


def test_the_catalogue_lists_the_gallery_by_field():
    fields = slideway.catalogue.fields
    assert "gallery/chua" in fields["Control and electronics"]
    assert sum(len(names) for names in fields.values()) > 40
    assert set(sum(fields.values(), [])) < set(slideway.catalogue)
    text = repr(slideway.catalogue)
    assert text.index("\nGallery, Control and electronics:\n") < text.index("\ngallery/chua ")
    assert "gallery/nothing" not in slideway.catalogue
    with pytest.raises(KeyError):
        slideway.catalogue["gallery/nothing"]


def test_models_of_the_gallery_are_loaded_by_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    model = slideway.load("gallery/chua")
    assert model.name == slideway.catalogue["gallery/chua"].name == "chua"
    assert pickle.loads(pickle.dumps(model)).run(t_end=1).outcome.status == "reached_end"
    (tmp_path / "gallery").mkdir()
    (tmp_path / "gallery" / "chua.toml").write_text(
        'name = "mine"\n[states]\nx = 1\n[time]\nend = 1\n[derivatives]\nx = "-x"\n', encoding="utf-8")
    assert slideway.load("gallery/chua.toml").name == "mine"
    with pytest.raises(ValueError, match="gallery/chua"):
        slideway.load("gallery/chuo")


def test_events_hold_their_classification(model):
    result = model.run()
    entry = next(e for e in result.events if e.kind == "sliding_entry")
    assert entry.surfaces == ["stick"]
    assert entry.from_ == entry["from"] == "-" and entry.to == "0"
    assert entry.w_minus[0] > 0 > entry.w_plus[0]
    w_minus, w_plus = entry.w_minus[0], entry.w_plus[0]
    assert entry.lambda_[0] == pytest.approx((w_minus + w_plus) / (w_minus - w_plus))
    assert "push onto the surface" in entry.reason
    assert entry.before.shape == (2,)
    assert result.event_names == ["top"]
    assert np.allclose(result.y_events[0][:, 0], 1)
    assert result.t_events[0].shape == (len(result.y_events[0]),)
    # The friction that holds, observed, is that of the event.
    force = result.observe("0.4*sgn(stick)", entry.t)["0.4*sgn(stick)"]
    assert force[0] == pytest.approx(0.4 * entry.lambda_[0])


def test_the_dense_solution_has_the_shapes_of_scipys(model):
    result = model.run()
    assert result.sol(3.0).shape == (2,)
    assert result.sol([1.0, 2.0, 3.0]).shape == (2, 3)
    # Beyond the ends the first and the last step go on, as scipy's do.
    end = result.sol.t_max
    assert np.allclose(result.sol(end + 1e-3), result.final.state + 1e-3 * model.field(end, result.final.state), atol=1e-5)
    assert np.isnan(result.sol(math.nan)).all()
    assert np.array_equal(result.sol(result.t), result.y)
    sampled = model.run(t_eval=[0.0, 1.0, 99.5])
    assert sampled.y.shape == (2, 3)
    assert np.array_equal(sampled.y, result.sol([0.0, 1.0, 99.5]))


def test_arrays_are_not_copied(model):
    result = model.run()
    assert not result.y.flags.owndata
    assert result.y.flags.f_contiguous


def test_a_jump_has_two_points():
    result = slideway.load("bouncing-ball").run()
    assert np.any(np.diff(result.t) == 0)
    kinds = {e.kind for e in result.events}
    assert "impact" in kinds


def test_a_run_goes_on_where_another_ended(model):
    whole = model.run(rtol=1e-9)
    first = model.run(rtol=1e-9, t_end=7.0)
    assert first.final.mode == "0"
    rest = model.run(rtol=1e-9, start=first.final.t, state=first.final.state, mode=first.final.mode)
    assert np.allclose(rest.final.state, whole.final.state, atol=1e-7)


def test_all_continuations_are_branches():
    model = slideway.parse('[states]\nx = 0.0\n[time]\nend = 1.0\n[derivatives]\nx = "sgn(x)"\n')
    stopped = model.run()
    assert stopped.outcome.status == "repelling" or stopped.outcome.status == "ambiguous"
    assert not stopped.success and stopped.status == -1
    tree = model.run(on_ambiguity="branches")
    ends = sorted(round(float(b.final.state[0]), 9) for b in tree.branches)
    assert ends == [-1.0, 0.0, 1.0]
    assert model.run(on_ambiguity="plus").final.state[0] == pytest.approx(1.0)


def test_documents(model, tmp_path):
    result = model.run()
    document = json.loads(result.to_json())
    assert document["schema"] == "slideway.run/1"
    assert len(document["events"]) == len(result.events)
    page = result.report(tmp_path / "page.html")
    assert "<html" in page and (tmp_path / "page.html").read_text(encoding="utf-8") == page
    frame = pytest.importorskip("pandas") and result.to_dataframe()
    assert list(frame.columns) == ["x", "v", "mode"] and len(frame) == result.t.size
    assert len(result.events_dataframe()) == len(result.events)
    data = pytest.importorskip("xarray") and result.to_xarray()
    assert data["x"].dims == ("t",) and data.attrs["mu"] == 0.4
    assert "sliding_entry" in result._repr_html_()
    assert "reached_end" in repr(result)
    assert "stick" in model._repr_html_()


def test_results_are_saved_and_loaded(model, tmp_path):
    result = model.run(observe="E = 0.5*v^2", sensitivities="mu", t_end=30.0)
    times = np.linspace(0, 30, 99)
    for ending in (".npz", ".json"):
        path = tmp_path / f"result{ending}"
        result.save(path)
        made = slideway.Result.load(path)
        assert same(made, result) and made.outcome == result.outcome and made.statistics == result.statistics
        assert np.allclose(made.sol(times), result.sol(times), rtol=0, atol=1e-12)
        assert np.array_equal(made.observed["E"], result.observed["E"])
        assert np.array_equal(made.sensitivities.final, result.sensitivities.final)
        assert np.array_equal(made.events[3].after, result.events[3].after)
        assert np.allclose(made.observe("y = x")["y"], made["x"])
        # A part of the file is no result.
        whole = path.read_bytes()
        for length in (0, 10, len(whole) // 2, len(whole) - 3):
            path.write_bytes(whole[:length])
            with pytest.raises(ValueError, match="not a whole file"):
                slideway.Result.load(path)
    other = tmp_path / "other.json"
    other.write_text('{"schema": "slideway.result/2"}')
    with pytest.raises(ValueError, match="slideway.result/2"):
        slideway.Result.load(other)
    with pytest.raises(ValueError, match=".npz or .json"):
        result.save(tmp_path / "result.txt")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["other.json", "result.json", "result.npz"]


def test_results_of_functions_are_saved(tmp_path):
    result = slideway.solve_ivp(lambda t, y: 1j * y, (0, 1), [1 + 0j], dense_output=True, surfaces=[])
    result.save(tmp_path / "complex.json")
    again = slideway.Result.load(tmp_path / "complex.json")
    assert np.array_equal(again.y, result.y) and again.sol(0.5) == pytest.approx(result.sol(0.5), abs=1e-12)
    back = slideway.solve_ivp(lambda t, y: [-y[0] + (1.0 if t % 2 < 1 else 0.0)], (3, 0), [1.0])
    back.save(tmp_path / "back.npz")
    assert np.array_equal(slideway.Result.load(tmp_path / "back.npz").y, back.y)


def test_frames_have_times_and_categories(model):
    pandas = pytest.importorskip("pandas")
    result = model.run(t_end=10.0)
    assert list(result.to_dataframe()["mode"].cat.categories) == ["+", "-", "0"]
    hours = result.to_dataframe(time="h")
    assert isinstance(hours.index, pandas.TimedeltaIndex) and hours.index[-1] == pandas.Timedelta(10, unit="h")
    dates = result.to_dataframe(time="2026-01-01 12:00")
    assert dates.index[-1] == pandas.Timestamp("2026-01-01 12:00:10")
    days = result.to_dataframe(time=(pandas.Timestamp("2026-01-01"), "D"))
    assert days.index[-1] == pandas.Timestamp("2026-01-11")
    events = result.events_dataframe()
    assert events["kind"].dtype == "category" and (events["kind"] == "sliding_entry").any()
    assert list(events["t"]) == [e.t for e in result.events]
    assert isinstance(result.events_dataframe(time="s").index, pandas.TimedeltaIndex)


def test_analyses():
    model = slideway.parse("""
name = "oscillator"
[parameters]
mu = 1.0
[states]
x = 1.0
v = 0.0
[time]
end = 60.0
[surfaces]
top = "v"
[derivatives]
x = "v"
v = "mu*(1 - x^2)*v - x + 0*sgn(top)"
""")
    orbit = model.orbit(section="top")
    # Of van der Pol's equation at 1, as tables have it.
    assert orbit.converged and orbit.period == pytest.approx(6.6632868593, abs=1e-8)
    assert orbit.multipliers[0] == pytest.approx(1, abs=1e-6) and abs(orbit.multipliers[1]) == pytest.approx(8.596e-4, rel=1e-3)
    assert orbit.result.t[-1] - orbit.result.t[0] == pytest.approx(orbit.period)
    branch = model.orbit(section="top", vary={"mu": np.linspace(1, 0.8, 3)})
    assert branch.parameter[-1] == pytest.approx(0.8) and branch.stability[0] == "stable" and branch.period.shape == branch.parameter.shape
    found = model.equilibria(mu=-0.5)
    assert len({tuple(np.round(e.state, 8)) for e in found}) == 1 and found[0].state == pytest.approx([0, 0], abs=1e-9)
    branches = model.equilibria(vary={"mu": np.linspace(-1, 1, 5)})
    assert branches[0].states.shape == (2, branches[0].parameter.size)
    exponents = model.lyapunov(t_end=200.0)
    # The multiplier tells the other one: ln(8.596e-4) / 6.6633.
    assert exponents.values[1] == pytest.approx(math.log(8.596e-4) / 6.6632868593, rel=0.05)
    with pytest.raises(ValueError, match="equally spaced"):
        model.orbit(section="top", vary={"mu": [1, 2, 4]})
    with pytest.raises(ValueError, match="nothing says when the orbit comes back"):
        model.orbit()


def test_sections(model):
    result = model.run()
    points = result.section("stick", "any")
    assert points.y.shape == (2, points.t.size) and np.allclose(points.y[1], 0, atol=1e-6)
    with pytest.raises(ValueError, match="slick"):
        result.section("slick")


def test_fits(model, tmp_path):
    measured = model.run(mu=0.31, t_end=6.0, rtol=1e-10, t_eval=np.linspace(0.25, 6, 24))
    data = {"t": measured.t, "x": measured["x"], "E": 0.5 * measured["v"]**2}
    fit = model.fit(data, "mu", observe={"E": "0.5*v^2"})
    assert fit.converged and fit.values["mu"] == pytest.approx(0.31, abs=1e-6) and fit.residuals["E"].shape == (24,)
    path = tmp_path / "measured.csv"
    path.write_text("t,x\n" + "".join(f"{t!r},{x!r}\n" for t, x in zip(measured.t.tolist(), measured["x"].tolist())))
    assert model.fit(path, ["mu"], deviations=0.01).errors["mu"] > 0
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"x": measured["x"]}, index=pandas.Index(measured.t, name="t"))
    assert model.fit(frame, "mu", settings={"w": 0.5}).values["mu"] == pytest.approx(0.31, abs=1e-6)
    with pytest.raises(ValueError, match="no times"):
        model.fit({"x": [1.0]}, "mu")
    with pytest.raises(ValueError, match="'F', which is no column"):
        model.fit(data, "mu", observe={"F": "v"})


def test_pictures_are_of_the_dense_solution(model):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    result = slideway.solve_ivp(lambda t, y: [y[1], -y[0]], (0, 6), [1.0, 0.0], rtol=1e-8, method="DOP853")
    line = result.plot().axes[0].lines[0]
    # Steps are far apart, and points of the picture are not.
    assert result.t.size < 100 and np.diff(line.get_xdata()).max() < 0.01
    assert np.allclose(line.get_ydata(), np.cos(line.get_xdata()), atol=1e-5)
    jumps = slideway.load("bouncing-ball").run(t_end=3.0).plot().axes[1].lines[0]
    assert np.isnan(jumps.get_ydata()).any()  # no line goes along an impact
    legend = model.run().plot().axes[0].get_legend()
    assert legend.get_bbox_to_anchor() is not None and "sliding starts" in [text.get_text() for text in legend.get_texts()]


def test_names_have_greek_and_accented_letters():
    model = slideway.parse("""
[parameters]
"γ" = 0.1
[states]
"θ" = 1.0
"vitesse_é" = 0.0
[time]
end = 5.0
[derivatives]
"θ" = "vitesse_é"
"vitesse_é" = "-θ - γ*sgn(vitesse_é)"
""")
    plain = slideway.parse(model.text.replace("θ", "x").replace("vitesse_é", "v").replace("γ", "c"))
    result = model.run(**{"γ": 0.2})
    assert result["θ"].tolist() == plain.run(c=0.2)["x"].tolist()
    assert any("vitesse_é" in surface for event in result.events for surface in event.surfaces)

    def pendulum(t, y):
        θ, ω = y
        return [ω, -np.sin(θ) - 0.1 * np.sign(ω)]

    traced = slideway.solve_ivp(pendulum, (0, 5), [1.0, 0.0])
    assert traced.traced and traced.state_names == ["θ", "ω"]
    with pytest.raises(slideway.ModelError, match="minus of the keyboard"):
        slideway.parse(plain.text.replace("- c*", "− c*"))


def test_pictures(model):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    figure = model.run().plot()
    assert len(figure.axes) == 3
    sweep = model.sweep(mu=[0.3, 0.4], section="stick", jobs=1)
    assert sweep.plot("x").axes
    assert model.sweep(mu=[0.3, 0.4], w=[0.5, 0.6], jobs=1).plot("x").axes


def test_checks_and_comparisons(model):
    check = model.check()
    assert check.passed and check["derivatives"]["passed"]
    unused = slideway.parse(STICK_SLIP.replace("mu = 0.4", "mu = 0.4\nc = 1.0")).check()
    assert any("'c'" in f["text"] for f in unused.findings)
    comparison = model.compare(levels=0, repeats=1, max_evaluations=20000, t_end=10.0)
    assert comparison["schema"] == "slideway.compare/1"
    assert len(comparison.to_dataframe()) == len(comparison["methods"])


def test_sweeps(model):
    sweep = model.sweep(mu=np.linspace(0.2, 0.5, 4), jobs=2, section="stick", direction="rising", transient=20.0)
    assert len(sweep) == 4 and sweep.final.shape == (4, 2)
    alone = model.run(mu=0.3)
    assert np.array_equal(sweep.final[1], alone.final.state)
    assert all(np.allclose(points[:, 1], 0, atol=1e-6) for points in sweep.section)
    assert (sweep.least <= sweep.greatest).all()
    two = model.sweep(mu=[0.2, 0.3], w=[0.5, 0.7, 0.9], t_end=10.0, keep=lambda r: len(r.events))
    assert two.shape == (2, 3) and two.values["w"].tolist() == [0.5, 0.7, 0.9] * 2
    assert two.results == list(two.event_counts)
    with pytest.raises(ValueError, match="nothing to vary"):
        model.sweep(mu=0.3)
    with pytest.raises(ValueError, match="no surface or event"):
        model.sweep(mu=[0.3], section="slip")


def test_sweeps_of_observables(model):
    sweep = model.sweep(mu=[0.3, 0.4], observe="E = 0.5*v^2 + 0.5*x^2", jobs=1)
    assert sweep.names == ["x", "v", "E"] and sweep.final.shape == (2, 3)
    assert sweep.final[:, 2] == pytest.approx(0.5 * (sweep.final[:, 0]**2 + sweep.final[:, 1]**2))
    assert (sweep.greatest[:, 2] >= sweep.final[:, 2]).all() and (sweep.least[:, 2] <= sweep.final[:, 2]).all()
    assert "E_greatest" in sweep.to_dataframe()
    with pytest.raises(ValueError, match="nonsense"):
        model.sweep(mu=[0.3], observe=["nonsense"])


HYSTERESIS = """
[parameters]
p = 0.0
[states]
x = -1.0
[time]
end = 100.0
[derivatives]
x = "p + x - x^3"
"""


def test_sweeps_that_follow():
    model = slideway.parse(HYSTERESIS)
    values = [0.6, -0.6, 0.0]
    both = model.sweep(p=values, follow="both", jobs=2, keep=True)
    assert both.shape == (2, 3) and both.directions == ["up"] * 3 + ["down"] * 3
    assert both.values["p"].tolist() == values * 2
    x = both.final[:, 0]
    # The branch at p = 0 is that from which it is reached.
    assert x[2] == pytest.approx(-1, abs=1e-4) and x[5] == pytest.approx(1, abs=1e-4)
    assert both.results[2].initial.state[0] == both.results[1].final.state[0]
    assert both.results[2].initial.t == 100.0 and both.results[2].final.t == 200.0
    down = model.sweep(p=values, follow="down", jobs=1)
    assert down.shape == (3,) and down.final[2, 0] == pytest.approx(1, abs=1e-4)
    apart = model.sweep(p=values, jobs=1)
    assert apart.final[2, 0] == pytest.approx(-1, abs=1e-4) and apart.directions == []
    with pytest.raises(ValueError, match="expected up, down or both"):
        model.sweep(p=values, follow="sideways")
    with pytest.raises(ValueError, match="no neighbours to follow"):
        model.sweep(p=(0, 1), follow="up", latin=3)


def test_sweeps_of_samples(model):
    latin = model.sweep(mu=(0.2, 0.4), w=(0.1, 10.0), latin=5, seed=7, log="w", t_end=5.0, jobs=1)
    assert latin.shape == (5,) and len(latin) == 5
    parts = np.sort(np.floor((latin.values["mu"] - 0.2) / 0.04)).tolist()
    assert parts == [0, 1, 2, 3, 4]
    decades = np.sort(np.floor(5 * (np.log10(latin.values["w"]) + 1) / 2)).tolist()
    assert decades == [0, 1, 2, 3, 4]
    again = model.sweep(mu=(0.2, 0.4), w=(0.1, 10.0), latin=5, seed=7, log="w", t_end=5.0, jobs=2)
    assert np.array_equal(again.final, latin.final)
    drawn = model.sweep(mu=(0.2, 0.4), random=3, t_end=5.0)
    assert len(set(drawn.values["mu"])) == 3 and ((drawn.values["mu"] >= 0.2) & (drawn.values["mu"] < 0.4)).all()
    for wrong in (dict(mu=(0.2, 0.3, 0.4), random=3), dict(mu=(0.2, 0.4), random=3, latin=3), dict(mu=(0.2, 0.4), latin=0),
                  dict(mu=(-0.2, 0.4), latin=3, log="mu"), dict(mu=(0.2, 0.4), log="mu")):
        with pytest.raises(ValueError, match="expected"):
            model.sweep(**wrong)


def run_one(model_and_mu):
    model, mu = model_and_mu
    return model.run(mu=mu, t_end=20.0)


def same(a, b):
    return np.array_equal(a.y, b.y) and [e.kind for e in a.events] == [e.kind for e in b.events]


def test_copies_and_pickles_of_results_are_whole(model):
    result = model.run(observe="E = 0.5*v^2", t_end=30.0)
    times = np.linspace(0, 30, 333)
    for made in (copy.copy(result), copy.deepcopy(result), pickle.loads(pickle.dumps(result))):
        assert same(made, result)
        assert np.allclose(made.sol(times), result.sol(times), rtol=0, atol=1e-12, equal_nan=True)
        assert np.array_equal(made.observed["E"], result.observed["E"])
        assert json.loads(made.to_json())["events"] == json.loads(result.to_json())["events"]
        assert made.mode_at(7.0) == "0"
        assert np.allclose(made.observe("y = x")["y"], made["x"])
    ball = slideway.load("bouncing-ball").run(t_end=3.0)
    again = pickle.loads(pickle.dumps(ball))
    assert np.allclose(again.sol(np.linspace(0, 3, 500)), ball.sol(np.linspace(0, 3, 500)), rtol=0, atol=1e-11)


def test_models_and_results_go_to_other_processes(model):
    expected = run_one((model, 0.3))
    work = [(model, 0.3), (slideway.load("dry-friction"), 0.3)]
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert same(pool.map(run_one, work)[0], expected)
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("fork")) as pool:
        assert same(list(pool.map(run_one, work))[0], expected)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        assert same(list(pool.map(run_one, work * 2))[2], expected)


MPI = """
import slideway
from mpi4py.futures import MPIPoolExecutor
model = slideway.load("dry-friction")
with MPIPoolExecutor(max_workers=1) as pool:
    result = pool.submit(model.run, mu=0.3).result()
assert result.y.tolist() == model.run(mu=0.3).y.tolist()
print("the same")
"""


def test_models_and_results_go_through_mpi():
    pytest.importorskip("mpi4py")
    # MPI ends a process that cannot start another: not this one.
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                       OMPI_MCA_rmaps_base_oversubscribe="1")
    done = subprocess.run([sys.executable, "-c", MPI], capture_output=True, text=True, timeout=120, env=environment)
    if done.returncode != 0 and "Traceback" not in done.stderr:
        pytest.skip("MPI starts no process here")
    assert done.stdout.strip() == "the same", done.stderr


def test_gallery_files_are_loaded():
    gallery = pathlib.Path(__file__).parents[3] / "models" / "gallery"
    for name in ("utkin", "thermostat", "relief_valve"):
        assert slideway.load(gallery / f"{name}.toml").run().success


RAMP = """
[parameters]
p = 2.0
[states]
x = 0.25
y = 0.0
[time]
end = 2.0
[derivatives]
x = "1"
y = "if(x > 1, p, 1)"
"""


def test_derivatives_go_through_events():
    # x = 1 at t = 0.75; then y = 0.75 + p (t - 0.75).
    result = slideway.parse(RAMP).run(sensitivities=["p", "x"], rtol=1e-9)
    found = result.sensitivities
    assert found.by == ["p", "x"]
    assert found.y.shape == (2, 2, result.t.size)
    assert np.allclose(found.final, [[0, 1], [1.25, 1]], atol=1e-8)
    assert np.allclose(found.events[0].time, [0, -1], atol=1e-8)
    assert np.allclose(found["p"][1], np.maximum(result.t - 0.75, 0), atol=1e-8)
    assert np.allclose(found(1.75), [[0, 1], [1, 1]], atol=1e-8)
    assert np.isinf(found.exists_until)
    assert pickle.loads(pickle.dumps(result)).sensitivities.by == ["p", "x"]
    at_times = slideway.parse(RAMP).run(sensitivities="p", t_eval=[0.5, 1.0, 2.0])
    assert np.allclose(at_times.sensitivities.y[1, 0], [0, 0.25, 1.25], atol=1e-5)
    assert slideway.parse(RAMP).run().sensitivities is None
    with pytest.raises(ValueError, match="neither a parameter nor a state"):
        slideway.parse(RAMP).run(sensitivities=["z"])


def test_a_start_on_a_surface_has_the_derivatives_of_both_sides():
    # From x = 1 - e, y rises at 1 for the time e and then at p = 2; from x = 1 + e at 2 at once.
    found = slideway.parse(RAMP.replace("0.25", "1.0")).run(sensitivities=["x", "y"], rtol=1e-9).sensitivities
    assert found.start is not None and not found.start.exists
    assert "begins on a surface where the field jumps" in found.start.reason
    assert np.allclose(found.start.after_below[1], [1, 1], atol=1e-8)
    assert np.allclose(found.start.after_above[1], [0, 1], atol=1e-8)
    usual = slideway.parse(RAMP).run(sensitivities="x").sensitivities
    assert usual.start is None
    assert usual.events[0].exists and usual.events[0].after_below is None


def test_the_gradient_of_a_quantity_at_the_end():
    gradient = slideway.parse(RAMP).run(rtol=1e-9).gradient("E = p*y")
    # y = 0.75 + 2·1.25 at the end, so that E = p y has dE/dp = y + p·1.25.
    assert gradient["p"] == pytest.approx(3.25 + 2.5, abs=1e-7)
    assert gradient["x"] == pytest.approx(2.0, abs=1e-7)
    assert gradient["y"] == pytest.approx(2.0, abs=1e-7)
    assert gradient.left_out == []
    assert slideway.parse(RAMP).run(rtol=1e-9).gradient("y")["p"] == pytest.approx(1.25, abs=1e-7)
