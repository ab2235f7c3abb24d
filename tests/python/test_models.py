# SPDX-License-Identifier: Apache-2.0
"""Models in Python: stated with operators, loaded, compared, wrong."""

import concurrent.futures
import copy
import inspect
import multiprocessing
import os
import pickle
import re

import numpy as np
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


@pytest.mark.parametrize("state, advice", [
    (lambda m, x, u: m.holonomic("rest", x.dot), '`model.pfaffian("name", …)` for a constraint on velocities'),
    (lambda m, x, u: setattr(m, "potential", x.dot*x), "write the whole as `model.lagrangian`, or damping as `model.dissipation`"),
    (lambda m, x, u: setattr(m, "kinetic", u*x.dot**2), "let it act through a force: `model.power(tau*theta.dot)`"),
    (lambda m, x, u: m.initial(dx=5), "`x_dot=…` is its initial velocity"),
    (lambda m, x, u: m.initial(y=5), None),
])
def test_advice_is_in_words_of_python(state, advice):
    """A model that is stated here has no sections and no keys of a file."""
    model = dalembert.Model("wrong")
    x, = model.coordinates("x", units="m")
    u = model.input("u")
    with pytest.raises(dalembert.ModelError) as caught:
        state(model, x, u)
    help = " ".join(caught.value.diagnostics[0].help)
    assert advice is None or advice in help
    for word in ("[[", "= …", "[energy]", "[outputs]"):
        assert word not in help


def test_advice_of_a_file_is_in_words_of_files():
    with pytest.raises(dalembert.ModelError, match="write `pfaffian = …`"):
        dalembert.parse('coordinates = ["x"]\n[energy]\nkinetic = "x\'^2"\n[[constraint]]\nname = "rest"\nholonomic = "x\'"\n')


def test_rates_have_their_names():
    model = dalembert.load("cartesian-pendulum")
    with pytest.raises(dalembert.ModelError, match='`v={"x": …}` has its rate'):
        model.consistent(dx=1.0)
    with pytest.raises(dalembert.ModelError, match='`v={"x": …}` has its rate'):
        model.consistent(v={"x_dot": 1.0})
    with pytest.raises(dalembert.ModelError, match="did you mean `x'`"):
        model.simulate(t=0.1)["x_dot"]


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


def test_models_stated_here_are_pickled(tmp_path):
    # Oracle: == compares what both state.
    model = sleigh()
    model.initial(theta=0.3)
    twin = pickle.loads(pickle.dumps(model))
    assert twin == model and hash(twin) == hash(model) and twin.name == "sleigh"
    assert twin["x"] != model["x"]  # expressions of its own
    rod = dalembert.Model("rod in space")
    psi, th = rod.coordinates("psi theta", units="rad rad")
    m, L = rod.parameters(m=3.0, L="0.5 m")
    tau = rod.input("tau", dalembert.sin(2*rod.t))
    rod.gravity(0, 0, -9.81)
    frame = rod.frame("rod", origin=[0, 0, L], rotate=[("z", psi), ("x", th)])
    tip = rod.point("tip", [0, 0, L], frame=frame)
    rod.body("bar", mass=m, inertia=[0.1, 0.1, 0.01], frame=frame, com=[0, 0, L/2])
    rod.damper(psi, damping=0.2)
    rod.force(tip, [tau, 0, 0])
    rod.output("rate", psi.dot*th.dot)
    where = [0.1, 0.2]
    rod.spline("u", [0, 1], where)
    where[0] = 99.0  # what was stated stays
    twin = pickle.loads(pickle.dumps(rod))
    assert twin == rod and twin.analyze().dof == rod.analyze().dof
    rod.equations.text
    assert pickle.loads(pickle.dumps(rod)) == twin  # derived or not


def test_what_was_loaded_with_overrides_is_pickled_with_them(tmp_path):
    model = dalembert.load("slider-crank", m1="0.5 kg")
    model.output("twice", 2*model["theta"])
    twin = pickle.loads(pickle.dumps(model))
    assert twin == model and twin.parameter_values["m1"] == 0.5 and twin != dalembert.load("slider-crank")


def test_what_cannot_be_pickled_says_so():
    # By every protocol: the old ones ended the process.
    model = dalembert.Model("m")
    x, y = model.coordinates("x y")
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        for thing in (x, x + y):
            with pytest.raises(TypeError):
                pickle.dumps(thing, protocol=protocol)


def test_arrays_are_no_numbers():
    # An array says that it may be an index; what it is not must not be taken for one.
    model = dalembert.Model("m")
    x, y = model.coordinates("x y")
    for array in (np.zeros(3), np.ones((2, 2)), np.array(["a"]), np.zeros(0)):
        for operation in (lambda a: x + a, lambda a: x - a, lambda a: x * a, lambda a: x / a, lambda a: x**a):
            with pytest.raises(TypeError):
                operation(array)
    with pytest.raises(TypeError):
        model.kinetic = np.zeros(2)
    assert str(x * np.float64(2)) == str(2 * x) == str(x * np.int64(2))


def test_wrong_models_are_not_pickled():
    model = sleigh()
    with pytest.raises(dalembert.ModelError):
        model.holonomic("rate", model["x"].dot)
    with pytest.raises(TypeError, match="wrong"):
        pickle.dumps(model)


def test_lines_of_scripts_are_named_in_functions_loops_and_cells(tmp_path):
    def rows(model, x):
        model.holonomic("first", x)
        model.holonomic(
            "second",
            x.dot)

    model = dalembert.Model("deep")
    x, = model.coordinates("x")
    with pytest.raises(dalembert.ModelError) as caught:
        rows(model, x)
    first = rows.__code__.co_firstlineno
    assert caught.value.diagnostics[0].line in (first + 2, first + 4) and caught.value.diagnostics[0].file == __file__
    # A cell of a notebook: its text is in linecache only, under a name that is no file.
    import linecache

    cell = "y, = model.coordinates('y')\nfor k in range(2):\n    model.kinetic = y.ddot*k\n"
    name = "<ipython-input-3-abc>"
    linecache.cache[name] = (len(cell), None, cell.splitlines(True), name)
    with pytest.raises(dalembert.ModelError) as caught:
        exec(compile(cell, name, "exec"), {"model": dalembert.Model("cell")})
    wrong = caught.value.diagnostics[0]
    assert (wrong.file, wrong.line) == (name, 3) and "model.kinetic = y.ddot*k" in str(caught.value)
    # A script that is gone: no place, and the message all the same.
    with pytest.raises(dalembert.ModelError) as caught:
        exec(compile("model.coordinates('a a')", "<gone>", "exec"), {"model": dalembert.Model("gone")})
    assert caught.value.diagnostics[0].line is None


def test_messages_are_those_of_the_command(tmp_path):
    import os
    import subprocess
    from pathlib import Path

    command = Path(dalembert.__file__).parents[2] / "bin" / "dalembert"
    if not command.exists():
        pytest.skip("the command is not built")
    # Under sanitizers Python preloads their runtime, and the command has its own.
    environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}

    def said(verb, path):
        return subprocess.run([command, verb, path, "--no-color"], capture_output=True, text=True, timeout=60, env=environment).stderr

    wrongs = {"unknown": SLEIGH.replace("m/2*(", "mm/2*("), "twice": SLEIGH.replace("a = 0.2", "m = 0.2"),
              "velocity": SLEIGH.replace("pfaffian =", "holonomic =")}
    for name, text in wrongs.items():
        path = tmp_path / f"{name}.toml"
        path.write_text(text)
        with pytest.raises(dalembert.ModelError) as caught:
            dalembert.load(path).equations.text
        assert str(caught.value).strip() in said("derive", path)
    start = tmp_path / "start.toml"
    start.write_text(SLEIGH + "[initial]\nposition = {x = 0, y = 0, theta = 0.3}\nvelocity = {x = 1, y = 0, theta = 0}\n")
    with pytest.raises(dalembert.ModelError) as caught:
        dalembert.load(start).consistent()
    assert str(caught.value).strip() in said("assemble", start)


def test_claims_are_decided():
    audit = dalembert.load("audits/chaplygin-sleigh-misprints")
    verdicts = [claim["verdict"] for claim in audit.audit().claims]
    assert "disproved" in verdicts and not audit.audit()
    assert dalembert.load("audits/chaplygin-sleigh-corrected").audit()


# Truth: the contact point of the sleigh lies b behind its centre of mass.
def test_models_in_other_coordinates_are_compared_by_a_map():
    centre, contact = dalembert.load("chaplygin-sleigh"), dalembert.load("chaplygin-sleigh-contact")
    behind = {"x": "x - b*cos(theta)", "y": "y - b*sin(theta)"}
    same = centre.audit(against=contact, map=behind)
    assert same and same.document["same"] and same.document["map"] == behind
    assert not centre.audit(against=contact, map={**behind, "x": "x + b*cos(theta)"})
    with pytest.raises(dalembert.ModelError, match="E0434"):
        centre.audit(against=contact, map={"z": "x"})
    with pytest.raises(TypeError, match="comparison"):
        centre.audit(map=behind)


def test_what_a_notebook_shows_is_typeset():
    model = dalembert.load("slider-crank")
    shown = model.equations._repr_latex_()
    assert shown.count("$$") % 2 == 0 and shown.count("$$") > 10
    assert not re.search(r"\\(section|paragraph|noindent|begin\{tabular|begin\{align\*)", shown)
    page = model._repr_html_()
    assert "<svg" in page or "<img" in page and "$$" in page
    long = dalembert.load("whipple-bicycle")
    assert "characters of LaTeX" in long.equations._repr_latex_() and "<details>" in long._repr_html_()
    assert len(long.equations._repr_latex_()) < 60_000


def test_what_is_not_a_formula_says_what_to_write():
    """A rate of a formula, and a text in the place of a formula; of an input a text is its value with its unit, in the file as well."""
    model = dalembert.Model("cart")
    (x,) = model.coordinates("x", units="m")
    (m,) = model.parameters(m="2 kg")
    with pytest.raises(AttributeError, match=r"model\.dot\("):
        (x + x**2).dot
    assert not hasattr(x, "foo")
    with pytest.raises(TypeError, match="formulas are made with operators"):
        model.generalized_force(x, "3 N")
    with pytest.raises(dalembert.ModelError, match=r"dalembert\.sin\(model\.t\)"):
        model.input("wrong", "0.1*sin(t)")
    f = model.input("f", "2 kN")
    model.kinetic = m / 2 * x.dot**2
    model.generalized_force(x, f)
    assert abs(model.simulate(t=1.0)["x"][-1] - 500) < 1e-9


def _fail(name):
    return dalembert.load("cart-pendulum").simulate(t=1, params={name: 1})


def test_errors_are_pickled(tmp_path):
    path = tmp_path / "wrong.toml"
    path.write_text('name = "wrong"\ncoordinates = ["x"]\n[energy]\nkinetic = "x\'^2/2 + y"\n', encoding="utf-8")
    with pytest.raises(dalembert.ModelError) as caught:
        dalembert.load(path)
    wrong, said = caught.value, caught.value.diagnostics[0]
    for twin in (pickle.loads(pickle.dumps(wrong)), copy.deepcopy(wrong)):
        assert type(twin) is dalembert.ModelError and str(twin) == str(wrong) and len(twin.diagnostics) == len(wrong.diagnostics)
        other = twin.diagnostics[0]
        assert str(other) == str(said) and said.line == 4
        for name in ("code", "message", "notes", "help", "level", "file", "line", "column"):
            assert getattr(other, name) == getattr(said, name)
    with pytest.raises(dalembert.ModelError) as caught:  # without a file
        _fail("zz")
    assert str(pickle.loads(pickle.dumps(caught.value)).diagnostics[0]) == str(caught.value.diagnostics[0])
    doubt = dalembert.ModelWarning(said)
    twin = pickle.loads(pickle.dumps(doubt))
    assert str(twin) == str(doubt) and str(twin.diagnostic) == str(said)


# The error that a run raises in another process is the one that the caller sees.
def test_errors_come_back_from_processes():
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        with pytest.raises(dalembert.ModelError, match="`zz`") as caught:
            pool.submit(_fail, "zz").result()
    assert caught.value.diagnostics[0].code.startswith("E0")
