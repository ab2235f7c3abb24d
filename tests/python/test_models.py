# SPDX-License-Identifier: Apache-2.0
"""Models in Python: stated with operators, loaded, compared, wrong."""

import inspect
import os
import pickle

import pytest

import dalembert

SLEIGH = """
name = "sleigh"
coordinates = [{name = "x", unit = "m"}, {name = "y", unit = "m"}, {name = "theta", unit = "rad"}]
[parameters]
m = 2.0
I = 0.1
a = 0.2
[energy]
kinetic = "m/2*(x'^2 + y'^2) + m*a*theta'*(cos(theta)*y' - sin(theta)*x') + (I + m*a^2)/2*theta'^2"
[[constraint]]
name = "knife"
pfaffian = "-sin(theta)*x' + cos(theta)*y'"
"""


def sleigh(knife=True):
    b = dalembert.Model("sleigh")
    x, y, th = b.coordinates("x y theta", units="m m rad")
    m, I, a = b.parameters(m=2.0, I=0.1, a=0.2)
    s, c = dalembert.sin(th), dalembert.cos(th)
    b.kinetic = m/2*(x.dot**2 + y.dot**2) + m*a*th.dot*(c*y.dot - s*x.dot) + (I + m*a**2)/2*th.dot**2
    if knife:
        b.pfaffian("knife", -s*x.dot + c*y.dot)
    return b


def test_stated_equals_loaded():
    built, loaded = sleigh(), dalembert.parse(SLEIGH)
    assert built == loaded and hash(built) == hash(loaded)
    assert built.audit(against=loaded)
    assert sleigh(knife=False) != loaded
    assert dalembert.parse(SLEIGH.replace("a = 0.2", "a = 0.3")) != loaded
    assert dalembert.parse(SLEIGH.replace("-sin(theta)*x'", "sin(theta)*x'")) != loaded
    assert dalembert.parse(SLEIGH.replace("cos(theta)*y' - sin", "cos(theta)*y' + sin")) != loaded
    assert built != "sleigh"


@pytest.mark.parametrize("name", dalembert.models())
def test_each_shipped_model_is_what_it_is(name):
    model = dalembert.load(name)
    assert model == dalembert.load(name)
    assert name == model.name and len(model.coordinate_names) > 0
    assert pickle.loads(pickle.dumps(model)) == model


def test_closed_form_of_the_multiplier():
    model = sleigh()
    # Bloch, Nonholonomic Mechanics and Control, 2nd ed., section 1.7: lambda = m a thetadot^2-part by Newton along the blade
    assert model.equations["M[x,theta]"] == -model["m"]*model["a"]*dalembert.sin(model["theta"])
    assert "\\lambda_{\\mathrm{knife}}" in model.equations.only("lambda").latex
    assert model.equations.to_dict()["M"][0][0] == "m"
    assert "θ̇" in str(model.equations)
    assert model.multipliers[0]["row"] == "knife"


def test_what_is_wrong_names_the_line_of_the_script():
    model = dalembert.Model("wrong")
    z, = model.coordinates("z")
    with pytest.raises(dalembert.ModelError) as caught:
        line = inspect.currentframe().f_lineno + 1
        model.holonomic("rest", z.dot + z)
    wrong = caught.value.diagnostics[0]
    assert (wrong.code, wrong.line, os.path.basename(wrong.file)) == ("E0212", line, "test_models.py")
    assert "`z'` is a velocity" in str(caught.value) and wrong.help
    # Nothing is derived of what is wrong.
    with pytest.raises(dalembert.ModelError, match="E0212"):
        model.equations.text


def test_expressions_of_two_models():
    one, two = dalembert.Model("one"), dalembert.Model("two")
    (x,), (y,) = one.coordinates("x"), two.coordinates("y")
    with pytest.raises(dalembert.ModelError, match="E0112"):
        x + y
    with pytest.raises(dalembert.ModelError, match="E0112"):
        one.kinetic = y.dot**2


def test_expressions():
    from fractions import Fraction

    model = dalembert.Model("numbers")
    x, = model.coordinates("x")
    assert str(x/3) == "1/3*x" and str(Fraction(2, 7)*x) == "2/7*x" and str(0.1*x) == "1/10*x" or str(0.1*x) == "0.1*x"
    assert str(2**x) == "2^x" and str(x**0.5) == "sqrt(x)" and x - x == 0*x
    assert float(x*0 + 1.5) == 1.5 and dalembert.sin(0.0) == 0.0
    assert x + 1 == 1 + x and hash(x + 1) == hash(1 + x) and x != model.t
    for wrong in ("text", None, [1], object(), 1j):
        with pytest.raises(TypeError):
            x + wrong
    for wrong in (float("nan"), float("inf")):
        with pytest.raises(dalembert.ModelError, match="E0108"):
            x + wrong
    with pytest.raises(TypeError):
        bool(x)
    with pytest.raises(TypeError):
        float(x)


def test_a_derived_model_stays_as_it_is():
    model = sleigh()
    model.equations.text
    with pytest.raises(dalembert.ModelError, match="E0113"):
        model.coordinate("late")
    with pytest.raises(AttributeError):
        model.kinetics = 1


def test_energies_are_replaced():
    model = dalembert.Model("twice")
    x, = model.coordinates("x")
    model.kinetic = x.dot**2
    model.kinetic = x.dot**2/2
    assert str(model.kinetic) == "1/2*x'^2"
    model.kinetic += x.dot**2
    model.potential = 3*x**2
    assert str(model.potential) == "3*x^2"
    assert model.equations["G[x]"] == 6*x


def test_a_file_and_its_overrides(tmp_path):
    path = tmp_path / "sleigh.toml"
    path.write_text(SLEIGH)
    assert dalembert.load(path) == dalembert.parse(SLEIGH)
    assert dalembert.load(path, m="500 g").parameter_values["m"] == 0.5
    with pytest.raises(dalembert.ModelError, match="E0405|E01|did you mean"):
        dalembert.load(path, masse=1)
    with pytest.raises(FileNotFoundError, match="slider-crank"):
        dalembert.load("slider-cranck")
    path.write_text(SLEIGH.replace("kinetic =", "kinetik ="))
    with pytest.raises(dalembert.ModelError) as caught:
        dalembert.load(path)
    assert caught.value.diagnostics[0].code == "E0005" and caught.value.diagnostics[0].line == 9
    with pytest.raises(dalembert.ModelError):
        dalembert.load(tmp_path / "no-such-file.toml")


def test_bodies_and_frames():
    # A pendulum as a body in a frame: m L^2/3 of a rod about its end.
    model = dalembert.Model("rod")
    th, = model.coordinates("theta")
    m, L, g = model.parameters(m=3.0, L=0.5, g=9.81)
    model.gravity(0, -g)
    rod = model.frame("rod", rotate=th)
    model.body("bar", mass=m, inertia=m*L**2/12, frame=rod, com=[L/2, 0])
    q, v = model.consistent(theta=0.3)
    assert model.eval(q, v)["M"][0][0] == pytest.approx(3*0.25/3, rel=1e-15)


def test_a_model_stated_here_is_not_pickled():
    with pytest.raises(TypeError, match="stated in Python"):
        pickle.dumps(sleigh())


def test_claims_are_decided():
    audit = dalembert.load("audits/chaplygin-sleigh-misprints")
    verdicts = [claim["verdict"] for claim in audit.audit().claims]
    assert "disproved" in verdicts and not audit.audit()
    assert dalembert.load("audits/chaplygin-sleigh-corrected").audit()
