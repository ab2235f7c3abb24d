# SPDX-License-Identifier: Apache-2.0
"""Figures, films, pages and reactions; what a notebook shows."""

import gc
import math
import pickle
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pytest

import dalembert


@pytest.fixture(scope="module")
def run():
    return dalembert.load("slider-crank").simulate(t=1.0)


def is_svg(text):
    return ElementTree.fromstring(text).tag.endswith("svg")


def test_curves(run, tmp_path):
    picture = run.plot("theta", "lambda.*", peaks=True)
    assert is_svg(picture._repr_svg_()) and picture.warnings == []
    document = picture.to_dict()
    assert [one["name"] for one in document["series"]] == ["q/theta", "lambda/pin[1]", "lambda/pin[2]"]
    assert document["series"][1]["max"] == run["lambda/pin[1]"].max() and document["series"][1]["unit"] == "N"
    assert is_svg(run.plot().svg) and run.plot(phase="theta,theta'").to_dict()["x"] == "q/theta"
    other = run.model.simulate(t=1.0, params={"m1": 0.2})
    both = run.plot("theta'", beside={"m1 = 0.2 kg": other}, x_range=(0, 0.5))
    assert "m1 = 0.2 kg" in both.svg and len(both.to_dict()["series"]) == 2
    picture.save(tmp_path / "figure.svg")
    assert (tmp_path / "figure.svg").read_text() == picture.svg
    with pytest.raises(dalembert.ModelError, match="E0412"):
        run.plot("thetta")
    with pytest.raises(ValueError, match="svg"):
        picture.save(tmp_path / "figure.txt")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["figure.svg"]


def test_angles_in_degrees(run):
    picture = run.plot("theta", "theta'", "x", degrees=True, x_range=(0, 0.5))
    angle, rate, x = picture.to_dict()["series"]
    first = run.t <= 0.5
    assert [one["unit"] for one in (angle, rate, x)] == ["deg", "deg/s", "m"]
    assert angle["max"] == pytest.approx(np.rad2deg(run["theta"][first].max()), rel=1e-15)
    assert "[deg/s]" in picture.svg and "rad" not in picture.svg
    plane = run.model.plot(phase="theta,theta'", degrees=True, y_range=(-900, 900))
    assert "[deg/s]" in plane.svg and plane.to_dict()["window"]["to"]["theta'"] == pytest.approx(5*np.pi)
    with pytest.raises(dalembert.ModelError, match="no series in the figure is known to be an angle"):
        run.plot("x", degrees=True)


@pytest.mark.skipif(not shutil.which("rsvg-convert"), reason="the program that makes PDF and PNG is not there")
def test_figures_as_pdf_and_png(run, tmp_path):
    picture = run.plot("theta")
    for kind, head in (("pdf", b"%PDF"), ("png", b"\x89PNG")):
        picture.save(tmp_path / f"figure.{kind}")
        assert (tmp_path / f"figure.{kind}").read_bytes().startswith(head)
    assert len(list(tmp_path.iterdir())) == 2


def test_a_program_that_is_missing_is_named(run, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(FileNotFoundError, match="rsvg-convert.*apt-get"):
        run.plot("theta").save(tmp_path / "figure.png")


def test_a_phase_plane():
    picture = dalembert.load("double-pendulum") and dalembert.load("slider-crank").plot(phase="theta,theta'")
    assert is_svg(picture.svg) and picture.to_dict()["states"] == ["theta", "theta'"]
    with pytest.raises(dalembert.ModelError, match="E0310"):
        dalembert.load("double-pendulum").plot(phase="theta,theta'")


def test_pictures_of_a_model():
    model = dalembert.load("slider-crank")
    assert is_svg(model.draw().svg) and model.draw(forces=True).svg != model.draw().svg
    assert model.draw(at={"theta": 1.0}).svg != model.draw(at={"theta": 2.0}).svg
    assert model.draw(params={"L1": 0.2}).svg != model.draw().svg
    with pytest.raises(ValueError, match="view"):
        model.draw(view=(0, 91))
    nothing = dalembert.parse('name = "n"\ncoordinates = ["a"]\n[energy]\nkinetic = "a\'^2"')
    with pytest.raises(dalembert.ModelError, match="E0520"):
        nothing.draw()
    assert "<img" not in nothing._repr_html_() and "mathbf" in nothing._repr_html_()
    assert "1 freedom" in model._repr_html_() and "<img" in model._repr_html_()


def test_films_and_pages(run, tmp_path):
    film = run.animate(seconds=1, fps=10)
    assert len(film) == 11 and film.seconds == 1 and film.duration == pytest.approx(1.0)
    assert is_svg(film.svg) and "<animate" in film.svg and "<img" in film._repr_html_()
    film.save(tmp_path / "film.svg")
    film.save(tmp_path / "film.html")
    assert "slider-crank" in (tmp_path / "film.html").read_text()
    page = run.report(tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text() == page.html and "<iframe" in page._repr_html_()
    assert len(page.html) > len((tmp_path / "film.html").read_text())
    assert "slider-crank" in run.model.report(run=run).html
    assert is_svg(run.model.animate(t=0.2, seconds=1, fps=5).svg)
    with pytest.raises(ValueError):
        run.animate(fps=0)
    with pytest.raises(ValueError, match="html"):
        page.save(tmp_path / "report.pdf")


def test_what_a_notebook_shows_of_a_run(run):
    card = run._repr_html_()
    assert "<img" in card and "verdict: holds" in card
    (failed,) = run.model.simulate_many([(np.full(3, np.nan), np.zeros(3))], t=1.0)
    assert "failed" in failed._repr_html_() and failed.to_dict()["status"] == "failed"
    # Nothing was moved to begin with: to_dict() read beyond an empty list here.
    assert run.to_dict()["initial"]["moved"] == {"q": {}, "qd": {}}


def test_a_run_outlives_its_model():
    run = dalembert.load("chaplygin-sleigh").simulate(t=0.5)
    gc.collect()
    assert is_svg(run.plot("theta").svg) and "<img" in run._repr_html_() and run.model.name == "chaplygin-sleigh"


def test_the_force_of_the_knife_is_sideways():
    # Bloch, section 1.7: lambda = m I/(I + m b^2) w u, across the blade; along it there is none.
    model = dalembert.Model("sleigh")
    x, y, th = model.coordinates("x y theta", units="m m rad")
    m, I, b = model.parameters(m="1.3 kg", I="0.7 kg*m^2", b="0.4 m")
    body = model.frame("body", origin=[x, y], rotate=th)
    blade = model.point("blade", [-b, 0], frame=body)
    model.body("sleigh", mass=m, inertia=I, frame=body, com=[0, 0])
    model.no_skid("knife", blade, [-dalembert.sin(th), dalembert.cos(th)])
    model.initial(x=0.0, y=0.0, theta=0.3, theta_dot=1.7)
    q, v = model.consistent(v={"x": 0.3, "theta": 1.7})
    run = model.simulate(q, v, t=3.0, rtol=1e-10)
    force = run.reaction("knife", frame="body")
    assert force.located and force.components == ["x", "y"] and force.unit == "N" and force.frame == "body"
    u = run["x'"]*np.cos(run["theta"]) + run["y'"]*np.sin(run["theta"])
    expected = 1.3*0.7/(0.7 + 1.3*0.16)*run["theta'"]*u
    np.testing.assert_allclose(force["x"], 0, atol=1e-12)
    np.testing.assert_allclose(np.abs(force["y"]), np.abs(expected), atol=1e-8)
    magnitude, time, vector = force.peak()
    assert magnitude == pytest.approx(np.abs(expected).max(), rel=1e-8) and time in run.t and abs(vector[1]) == magnitude
    ground = run.reaction("knife")
    np.testing.assert_allclose(np.hypot(ground["x"], ground["y"]), np.abs(force["y"]), atol=1e-12)
    with pytest.raises(dalembert.ModelError, match="did you mean `body`"):
        run.reaction("knife", frame="bodi")
    with pytest.raises(KeyError):
        force["z"]
    assert "knife" in repr(force)


def test_runs_are_pickled(run, tmp_path):
    twin = pickle.loads(pickle.dumps(run))
    assert twin.model == run.model and twin.names == run.names and str(twin.verdict) == str(run.verdict)
    for name in run.names:
        np.testing.assert_array_equal(twin[name], run[name])
    assert twin.to_dict() == run.to_dict() and is_svg(twin.plot("theta").svg)
    # In another process, too.
    (tmp_path / "run.pickle").write_bytes(pickle.dumps(run))
    code = f"import pickle; run = pickle.load(open({str(tmp_path / 'run.pickle')!r}, 'rb')); print(len(run), run.model.name)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout == f"{len(run)} slider-crank\n", done.stderr
    with pytest.raises(dalembert.ModelError, match="E0502"):
        dalembert._core.Run.__setstate__(dalembert._core.Run.__new__(dalembert._core.Run), b"garbage")


@pytest.mark.parametrize("name", ["block-on-belt", "heavy-top-euler", "snakeboard", "n-link-chain"])
def test_runs_of_each_kind_are_pickled(name):
    run = dalembert.load(name).simulate(t=0.1)
    twin = pickle.loads(pickle.dumps(run))
    assert twin.names == run.names and twin.to_dict() == run.to_dict() and math.isclose(twin.t[-1], run.t[-1])


def test_runs_are_saved(run, tmp_path):
    import json

    run.save(tmp_path / "run.json")
    document = json.loads((tmp_path / "run.json").read_text())
    assert document["series"]["q/theta"] == run["theta"].tolist() and document["units"]["lambda/pin[1]"] == "N"
    with pytest.raises(OSError, match="no-such-folder"):
        run.save(tmp_path / "no-such-folder" / "run.csv")
    assert Path(tmp_path / "run.json").exists()
