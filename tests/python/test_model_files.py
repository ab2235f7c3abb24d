# SPDX-License-Identifier: Apache-2.0
"""Models stated in Python as model files: checked as files are, saved, loaded again."""

import inspect
import warnings

import numpy as np
import pytest

import dalembert
from dalembert import cos, if_, maximum, sin


def crank_of_bodies():
    model = dalembert.Model("crank of bodies")
    theta, phi, x = model.coordinates("theta phi x", units="rad rad m")
    m, L, k, c, g = model.parameters(m="1.5 kg", L="200 mm", k="30 N/m", c="0.4 N*s/m", g=9.81)
    model.gravity(0, -g)
    rod = model.frame("rod", rotate=theta)
    model.body("crank", mass=m, inertia=m*L**2/12, frame=rod, com=[L/2, 0])
    tip, slider = model.point("tip", [L, 0], rod), model.point("slider", [x, 0])
    model.body("coupler", mass=2*m, inertia=m*L**2/3, position=[(L*cos(theta) + x)/2, L*sin(theta)/2], angle=phi)
    model.body("block", mass=m, position=slider)
    model.potential = k/8*x**2
    model.spring(x, stiffness=k, rest=0.1)
    model.damper([0, 0], slider, damping=c)
    model.dissipation = c/100*x.dot**2
    model.coincide("pin", [x - 2*L*cos(phi), 2*L*sin(phi)], tip)
    model.force(tip, [0, m*g/10])
    model.torque(theta, 0.1*cos(3*model.t))
    model.torque(theta + phi, 0.01)
    model.initial(theta="30 deg", theta_dot=2.0)
    model.initial(held=False, x=0.5, phi=-0.2)
    model.output("reaction", -model.multiplier("pin.x"))
    model.output("heat", model.integral(c*x.dot**2))
    model.output("all", model.energy("total"))
    return model


def ball_on_the_floor():
    model = dalembert.Model("ball")
    x, y, phi = model.coordinates("x y phi", units="m m rad")
    m, r, e, mu = model.parameters(m="2 kg", r="0.1 m", e=0.7, mu=0.3)
    model.gravity(0, -9.81)
    wheel = model.frame("wheel", origin=[x, y], rotate=phi)
    ball = model.body("ball", mass=m, inertia=0.4*m*r**2, frame=wheel)
    centre = model.point("centre", [x, y])
    model.contact("floor", centre, [0, 0], [0, 1], radius=r, restitution=e, friction=mu, frame=wheel)
    model.torque(ball, if_(model.t > 0.2, 0.05, 0))
    model.holonomic("ceiling", 2 - y, unilateral=True, restitution=0.5)
    model.distance("rope", centre, [0, 3.0], at_most=2.5, restitution=e)
    model.event("wall", x - 1, "up", set={"x'": -0.5*x.dot}, where=y > 0.2)
    model.event("far", x - 3, stop=True)
    model.initial(y="1 m", x_dot=1.0, x=0, phi=0, y_dot=0, phi_dot=0)
    model.output("height", maximum(y - r, 0, x/10))
    model.output("closed", model.closed("floor"))
    model.output("last", model.impulse("floor"))
    model.output("gap", model.gap("rope"))
    return model


def sledge():
    model = dalembert.Model("sledge")
    x, y, th, s = model.coordinates("x y th s", units="m m rad m")
    f = model.input("f", 0.3*sin(2*model.t))
    u = model.spline("u", np.linspace(0, 2, 9), np.linspace(0, 2, 9)**2/10)
    m, j = model.parameter("m", "1 kg", latex="m_s"), model.parameter("J", 0.2, "kg*m^2")
    model.kinetic = m/2*(x.dot**2 + y.dot**2 + s.dot**2) + j/2*th.dot**2
    model.prescribe(s, 0.1*u)
    model.pfaffian("knife", -x.dot*sin(th) + y.dot*cos(th), latex="k")
    model.generalized_force(th, f)
    model.power(-0.1*x.dot)
    model.quasi_velocity("w", x.dot*cos(th) + y.dot*sin(th))
    model.quasi_velocity("om", th.dot)
    model.quasi_velocity("vs", s.dot)
    model.initial(x_dot=1.0, th=0.0, x=0, y=0)
    model.output("drive", model.actuation(s))
    return model


def rolling_top():
    model = dalembert.Model("rolling top")
    x, y, z, a, b, c = model.coordinates("x y z a b c", units="m m m rad rad rad")
    m, r = model.parameters(m="1 kg", r="0.2 m")
    model.gravity(0, 0, -9.81)
    disk = model.frame("disk", origin=[x, y, z], rotate=[("z", a), ("x", b), ([0, 0, 1], c)])
    model.body("disk", mass=m, inertia=[m*r**2/4, m*r**2/4, m*r**2/2], frame=disk)
    model.no_slip("roll", model.rim("low", disk, [0, 0, 1], r))
    model.no_skid("straight", model.point("mid", [x, y, z]), [1, 0, 0])
    return model


def braked_block():
    model = dalembert.Model("braked block")
    x, y = model.coordinates("x y", units="m m")
    m, mu = model.parameters(m="1 kg", mu=0.2)
    model.kinetic = m*(x.dot**2 + y.dot**2)/2
    model.potential = m*dalembert.hypot(y, 0)*9.81*model.parameter("one", "1 m/s^2")
    model.holonomic("table", y - 0.1*abs(x))
    f = model.friction("brake", model.multiplier("table"), x.dot, mu, static=2*mu, viscous=0.01)
    model.output("force", f)
    model.initial(x=1, x_dot=0.5)
    return model


STATED = [crank_of_bodies, ball_on_the_floor, sledge, rolling_top, braked_block]


@pytest.mark.parametrize("state", STATED)
def test_a_saved_model_says_the_same(state, tmp_path):
    model = state()
    path = tmp_path / "saved.toml"
    model.save(path)
    text = path.read_text(encoding="utf-8")
    loaded = dalembert.load(path)
    if state is not crank_of_bodies:  # whose torque on theta + phi is a power in the file
        assert loaded == model, text
    assert [m["unit"] for m in loaded.multipliers] == [m["unit"] for m in model.multipliers]
    assert model.multipliers[0]["unit"] == "N"
    copy = tmp_path / "copy.toml"
    loaded.save(copy)
    assert copy.read_text(encoding="utf-8") == text
    if state is rolling_top:
        return
    one, other = model.simulate(t=1.0, rtol=1e-10), loaded.simulate(t=1.0, rtol=1e-10)
    assert one.status == other.status == "ok" and one.names == other.names
    for name in one.names:
        assert one.unit(name) == other.unit(name)
        assert np.allclose(one[name][-1], other[name][-1], rtol=1e-7, atol=1e-8), name


def test_what_bodies_and_springs_add_stays_beside_a_formula():
    model = dalembert.Model("sum")
    x, = model.coordinates("x", units="m")
    k, m = model.parameters(k="3 N/m", m="2 kg")
    model.spring(x, stiffness=k)
    model.body("b", mass=m, position=[x, 0])
    model.potential = k*x**2*x/(x + 1)
    model.potential += k*x**2
    model.damper(x, damping=1.0)
    assert str(model.equations["V"]) == "1/2*k*x^2 + (k*x^2 + k*x^3/(x + 1))"
    assert model.equations["T"] == m*x.dot**2/2


def test_a_wrong_unit_names_the_line_of_the_script():
    model = dalembert.Model("wrong")
    x, th = model.coordinates("x th", units="m rad")
    m, j = model.parameters(m="1 kg", j="2 kg*m^2")
    line = inspect.currentframe().f_lineno + 1
    model.kinetic = m*x.dot**2/2 + j*th.dot/2
    for _ in range(2):  # and again, as the model is still wrong
        with pytest.raises(dalembert.ModelError, match="E0203") as caught:
            model.simulate(t=1)
        wrong = caught.value.diagnostics[0]
        assert (wrong.line, wrong.file) == (line, __file__)
        assert "cannot add `N*m*s` to `J`" in wrong.message and "`1/2*j*th'`" in str(caught.value)


def test_equations_are_checked_when_nobody_keeps_the_model():
    def stated():
        model = dalembert.Model("no rate")
        x, m = model.coordinate("x", "m"), model.parameter("m", "2 kg")
        model.kinetic = m/2*x**2
        return model

    for read in (lambda: stated().equations.text, lambda: stated().equations.only("M").latex):
        with pytest.raises(dalembert.ModelError, match="kinetic energy must be in `J`"):
            read()


def test_an_equation_is_a_difference_of_sides():
    model = dalembert.Model("yoke")
    x, theta = model.coordinates("x theta", units="m rad")
    with pytest.raises(TypeError, match="== tells whether two expressions are the same"):
        model.holonomic("yoke", x == 2*cos(theta))
    with pytest.raises(TypeError, match=r"model.generalized_force\(x, …\)"):
        model.force(x, -x.dot)


def test_doubtful_values_are_warnings_with_the_line():
    model = dalembert.Model("doubtful")
    th, = model.coordinates("th", units="rad")
    line = inspect.currentframe().f_lineno + 1
    m = model.parameter("m", "-2 kg")
    L = model.parameter("L", "1 m")
    model.kinetic = m*L**2*th.dot**2/2
    model.initial(th=60)
    with pytest.warns(dalembert.ModelWarning) as said:
        model.equations.text
    assert sorted(one.message.diagnostic.code for one in said) == ["W0102", "W0104"]
    assert [one.lineno for one in said if "W0104" in str(one.message)] == [line] and said[0].filename == __file__


CRANK = """name = "crank"
coordinates = [{name = "theta", unit = "rad"}, {name = "phi", unit = "rad"}, {name = "x", unit = "m"}]
[parameters]
m = "1 kg"
[energy]
kinetic = "m/2*(x'^2 + (0.1 m)^2*(theta'^2 + phi'^2))"
[[constraint]]
name = "pin"
holonomic = ["(0.3 m)*cos(theta) - (0.7 m)*cos(phi) - x", "(0.3 m)*sin(theta) - (0.7 m)*sin(phi)"]
[initial]
position = {theta = "60 deg"}
guess = {x = "0.79 m"}
"""


def warned(of, action="default"):
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter(action)
        of()
    return [(one.message.diagnostic.code, one.lineno) for one in said if isinstance(one.message, dalembert.ModelWarning)]


def test_doubts_of_a_file_are_warnings_with_its_line(tmp_path):
    path = tmp_path / "crank.toml"
    path.write_text(CRANK.replace("1 kg", "-1 kg"))
    with pytest.warns(dalembert.ModelWarning) as said:
        dalembert.load(path)
    assert [(one.message.diagnostic.code, one.filename, one.lineno) for one in said] == [("W0104", str(path), 4)]
    assert warned(lambda: dalembert.parse(CRANK.replace("1 kg", "-1 kg"))) == [("W0104", 4)]
    assert warned(lambda: dalembert.load("slider-crank")) == []


def test_doubts_of_a_start_are_those_of_the_command():
    model = dalembert.parse(CRANK)
    start = [("W0207", 12), ("W0208", 12)]
    twice = lambda: [model.simulate(t=0.1) for _ in range(2)]
    assert warned(twice) == start  # once, where nobody filters
    assert warned(twice, "always") == 2*start
    for way in (lambda one: one.stepper(t=0.1), lambda one: one.report(t=0.1),
                lambda one: one.simulate_many(params=[{"m": 1.0}], t=0.1), lambda one: one.simulate(t=0.1, params={"m": 2.0})):
        assert warned(lambda: way(dalembert.parse(CRANK))) == start
    q, v = model.consistent(guess={"phi": 2.7})
    assert warned(lambda: model.simulate(q, v, t=0.1), "always") == []
    assert "W0207: " not in model.simulate(q, v, t=0.1).report().html
    with pytest.warns(dalembert.ModelWarning):
        assert "W0207: another assembly is nearer" in model.report(t=0.1).html
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(2):
            with pytest.raises(dalembert.ModelWarning, match="W0207"):
                model.simulate(t=0.1)


def test_what_holds_nothing_is_a_warning_of_the_script():
    model = dalembert.Model("squared")
    x, y = model.coordinates("x y", units="m m")
    m, L = model.parameters(m="1 kg", L="1 m")
    model.kinetic = m/2*(x.dot**2 + y.dot**2)
    line = inspect.currentframe().f_lineno + 1
    model.holonomic("rod", (x**2 + y**2 - L**2)**2)
    model.initial(x=0.6)
    model.initial(held=False, y=0.8)
    assert warned(lambda: model.simulate(t=1e-3)) == [("W0333", line)]
    assert warned(lambda: model.report(t=1e-3), "always") == [("W0333", line)]


def test_shipped_ways_of_stating_do_not_warn():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for state in STATED:
            state().equations.text


def test_what_cannot_be_saved(tmp_path):
    with pytest.raises(ValueError, match="ends in .toml"):
        sledge().save(tmp_path / "x.json")
    with pytest.raises(OSError):
        sledge().save(tmp_path / "no" / "x.toml")
    changed = dalembert.parse('coordinates = ["x"]\n[energy]\nkinetic = "x\'^2"')
    changed.output("twice", 2*changed["x"])
    with pytest.raises(TypeError, match="statements beside its file"):
        changed.save(tmp_path / "x.toml")


def test_what_load_set_is_saved(tmp_path):
    model = dalembert.load("slider-crank", L1="0.2 m", theta="30 deg")
    model.save(tmp_path / "x.toml")
    loaded = dalembert.load(tmp_path / "x.toml")
    assert loaded == model and loaded.parameter_values["L1"] == 0.2 and np.isclose(loaded.consistent()[0][0], np.pi/6, rtol=1e-15)
    assert (tmp_path / "x.toml").read_text().startswith(dalembert.load("slider-crank")._model.text[:100])
    with pytest.raises(dalembert.ModelError, match="E0436"):
        dalembert.load("cart-pendulum", f="sin(t)").save(tmp_path / "y.toml")


def test_texts_with_units_are_numbers():
    crank = dalembert.load("slider-crank")
    q, v = crank.consistent(theta="30 deg", v={"theta": "60 deg/s"})
    assert np.isclose(q[0], np.pi/6, rtol=1e-15) and np.isclose(v[0], np.pi/3, rtol=1e-15)
    run = crank.simulate(q, v, t="100 ms", every="10 ms")
    assert len(run) == 11 and run.t[-1] == 0.1
    assert crank.eval(params={"L1": "20 cm"}) == crank.eval(params={"L1": 0.2})
    assert (crank.linearize(at={"theta": "10 deg"}).A == crank.linearize(at={"theta": np.deg2rad(10)}).A).all()
    for wrong, what in (({"t": "1 kg"}, "`t` must be in `s`"), ({"params": {"L1": "3 s"}}, "`L1` must be in `m`"), ({"t": "soon"}, "not a number")):
        with pytest.raises(dalembert.ModelError, match=what):
            crank.simulate(**wrong)
    stepper = dalembert.load("cart-pendulum").stepper(t="1 s")
    stepper.hold(f="2 N")
    assert stepper.step("10 ms") and stepper.t == 0.01
    for text, value in (("2kg", 2.0), ("1e-3 kg", 0.001), ("-.5e2 g", -0.05)):
        model = dalembert.Model()
        model.parameter("m", text)
        assert np.isclose(model.parameter_values["m"], value, rtol=1e-15)
    with pytest.raises(ValueError, match="a unit of its own"):
        dalembert.Model().parameter("m", "2 kg", "g")
    with pytest.raises(dalembert.ModelError, match="E0202"):
        dalembert.Model().parameter("m", "heavy")
    run = crank.simulate(t="1 s", times=["0 s", "500 ms", 1.0])
    assert run.t.tolist() == [0, 0.5, 1]
    q, v = crank.consistent()
    degrees = [f"{np.degrees(q[0]):.17g} deg", f"{np.degrees(q[1]):.17g} deg", f"{1000*q[2]:.17g} mm"]
    assert np.allclose(crank.simulate(degrees, v, t=1.0).to_dataframe(), crank.simulate(q, v, t=1.0).to_dataframe(), rtol=1e-9, atol=1e-9)
    assert "0.4" in run.plot("theta", x_range=("0 s", "400 ms")).svg
    assert len(run.animate(seconds="2 s", fps=10)) == 21
    with pytest.raises(TypeError, match=r"x_range= takes two numbers, \(from, to\)"):
        run.plot("theta", x="x", x_range=("0 m", "1 m"))
    with pytest.raises(TypeError, match="y_range= takes two numbers"):
        run.plot("theta", y_range=5)
    with pytest.raises(dalembert.ModelError, match="must be in `s`"):
        run.plot("theta", x_range=("0 s", "1 m"))


def test_what_cannot_start_raises():
    crank = dalembert.load("slider-crank")
    q, v = crank.consistent()
    for start in ((q + 0.1, v), (q, v + 1), (q*np.nan, v)):
        with pytest.raises(dalembert.ModelError, match="E0304.*cannot start"):
            crank.simulate(*start, t=1)
        with pytest.raises(dalembert.ModelError, match="E0304.*cannot start"):
            crank.stepper(*start, t=1)


def test_conditions_and_choices():
    model = dalembert.Model("choices")
    x, y = model.coordinates("x y")
    assert str((x > 0) & ~(y <= 1) | (2 > y)) == "((0 < x) and not(y <= 1)) or (y < 2)"
    assert if_(x > 0, 1, y) == model._model.read("if(x > 0, 1, y)")
    assert maximum(x, y, 3) == model._model.read("max(x, y, 3)") and dalembert.minimum(1, x) == model._model.read("min(1, x)")
    assert x % 2 == dalembert.mod(x, 2) == model._model.read("mod(x, 2)") and dalembert.hypot(3, x) == model._model.read("hypot(3, x)")
    assert dalembert.atan2(1, x) == model._model.read("atan2(1, x)") and abs(x) == dalembert.abs(x)
    assert (dalembert.hypot(3, 4), maximum(1, 4, 2), dalembert.mod(-1, 3)) == (5.0, 4.0, 2.0)
    assert np.float64(2)*x == 2*x and np.int64(3) + x == x + 3 and np.dot([1, 2], [x, y]) == x + 2*y
    for wrong, what in ((lambda: np.sin(x), "write dalembert.sin"), (lambda: np.arctan2(y, x), "write dalembert.atan2"),
                        (lambda: __import__("math").sin(x), "dalembert.sin"), (lambda: x.dot ^ 2, r"\*\*"),
                        (lambda: bool(x > 0), "if_"), (lambda: 0 < x < 1, "&"), (lambda: (x > 0) > 1, "&"), (lambda: x & y, "conditions"),
                        (lambda: if_(x, 1, 2), "condition"), (lambda: if_(x > 0, "a", 2), "needed"), (lambda: maximum(1), "at least 2"),
                        (lambda: np.gcd(x, 2), "numbers"), (lambda: x*np.zeros(2), "Coordinate")):
        with pytest.raises(TypeError, match=what):
            wrong()


def test_a_run_as_a_data_set():
    xarray = pytest.importorskip("xarray")
    run = dalembert.load("slider-crank").simulate(t=0.2)
    data = run.to_xarray()
    assert isinstance(data, xarray.Dataset) and data.sizes == {"time": len(run)}
    assert (data["lambda/pin[1]"].values == run["lambda/pin[1]"]).all() and data["q/x"].attrs == {"units": "m"} and data.attrs["holds"] == 1


def test_an_input_with_a_unit(tmp_path):
    model = dalembert.Model("cart")
    (x,) = model.coordinates("x", units="m")
    model.kinetic = model.parameter("m", "2 kg") / 2 * x.dot**2
    model.generalized_force(x, model.input("f", "2 kN"))
    model.save(tmp_path / "cart.toml")
    assert 'f = "2 kN"' in (tmp_path / "cart.toml").read_text()
    assert dalembert.load(tmp_path / "cart.toml") == model
