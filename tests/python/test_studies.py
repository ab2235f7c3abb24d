# SPDX-License-Identifier: Apache-2.0
"""Analyses, linearisations, gaits: the command's documents, as objects; closed forms beside."""

import copy
import ctypes
import json
import math
import os
import subprocess
import zipfile
from pathlib import Path

import numpy as np
import pytest

import dalembert

COMMAND = Path(dalembert.__file__).parents[2] / "bin" / "dalembert"
MODELS = Path(dalembert.__file__).parent / "models"


def command(*words):
    if not COMMAND.exists():
        pytest.skip("the command is not built")
    done = subprocess.run([COMMAND, *map(str, words), "--json"], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", ["slider-crank", "chaplygin-sleigh", "double-pendulum", "cart-pendulum", "heavy-top"])
def test_documents_are_those_of_the_command(name):
    # Oracle: the command, which prints what the library answers.
    model, path = dalembert.load(name), MODELS / f"{name}.toml"
    assert model.analyze().to_dict() == command("analyze", path)
    assert model.linearize(settle=True).to_dict() == command("linearize", path, "--settle")


def test_friction_is_held_or_refused():
    # The belt's friction holds with all it can at the start: the command says the same, E0273.
    model = dalembert.load("block-on-belt")
    assert model.analyze().to_dict() == command("analyze", MODELS / "block-on-belt.toml")
    with pytest.raises(dalembert.ModelError, match="E0273"):
        model.linearize()


def test_the_sleigh_has_two_freedoms_and_no_integral():
    # Bloch, Nonholonomic Mechanics and Control, section 1.7: one knife edge, nonholonomic; (2, 3).
    analysis = dalembert.load("chaplygin-sleigh").analyze()
    assert analysis.dof == (2, 3) and analysis.dof.velocity == 2
    assert analysis.growth_vector == (2, 3) and analysis.redundant == []
    assert analysis.integrability["kind"] == "nonholonomic" and not analysis.searched or analysis.equilibria
    assert "freedoms" in repr(analysis) and "<table>" in analysis._repr_html_()


def pendulum(g=9.81, length=0.5):
    model = dalembert.Model("pendulum")
    th, = model.coordinates("theta", units="rad")
    m, L, gravity = model.parameters(m="2 kg", L=f"{length} m", g=f"{g} m/s^2")
    tau = model.input("tau")
    model.kinetic = m*L**2*th.dot**2/2
    model.potential = -m*gravity*L*dalembert.cos(th)
    model.generalized_force(th, tau)
    model.output("height", -L*dalembert.cos(th))
    model.initial(theta=0.0, theta_dot=0.0)
    return model


def test_linearisation_of_a_pendulum():
    # theta'' = -g/L theta + tau/(m L^2) about theta = 0
    linear = pendulum().linearize()
    A, B = linear
    np.testing.assert_allclose(A, [[0, 1], [-9.81/0.5, 0]], rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(B, [[0], [1/(2*0.25)]], rtol=1e-12, atol=1e-14)
    assert linear.states == ["theta", "theta'"] and linear.inputs == ["tau"] and linear.outputs == ["height"]
    assert linear.C.shape == (1, 2) and linear.D.shape == (1, 1) and len(linear.abcd) == 4
    assert sorted(z.imag for z in linear.eigenvalues) == pytest.approx([-math.sqrt(19.62), math.sqrt(19.62)], rel=1e-12)
    assert linear.kind == "equilibrium" and linear.stability == "stable" and linear.warnings == []
    eigenvalue, shape = linear.modes[0]
    assert shape["theta'"] == pytest.approx(eigenvalue*shape["theta"], rel=1e-10)
    assert "stable" in repr(linear) and "<table>" in linear._repr_html_()
    np.testing.assert_allclose(pendulum().linearize(params={"g": 4.905}).A[1, 0], -9.81, rtol=1e-12)


def test_linearisation_at_states():
    model = pendulum()
    analysis = model.analyze()
    assert {round(abs(one.q["theta"]) % (2*math.pi), 9) for one in analysis.equilibria} == {0.0, round(math.pi, 9)}
    upright = next(one for one in analysis.equilibria if abs(one.q["theta"]) > 3)
    linear = model.linearize(at=upright)
    assert linear.stability == "unstable" == upright.stability
    np.testing.assert_allclose(sorted(z.real for z in linear.eigenvalues), [-math.sqrt(19.62), math.sqrt(19.62)], rtol=1e-9)
    assert [one.kind for one in model.linearize(at=analysis.equilibria)] == ["equilibrium"]*len(analysis.equilibria)
    by_name, by_arrays, by_groups = (model.linearize(at=at) for at in ({"theta": 1.0, "theta'": 0.5}, ([1.0], [0.5]),
                                                                       {"q": {"theta": 1.0}, "qd": {"theta": 0.5}}))
    for one in (by_name, by_arrays, by_groups):
        assert one.stability is None and one.at["qd"] == {"theta": 0.5}
        np.testing.assert_allclose(one.A[1, 0], -19.62*math.cos(1.0), rtol=1e-12)
    q, v = upright.state
    assert abs(q[0]) == pytest.approx(math.pi) and v[0] == 0
    assert model.simulate(q, v, t=0.1).verdict
    with pytest.raises(dalembert.ModelError, match="did you mean `theta`"):
        model.linearize(at={"thet": 1.0})
    for one in (model.linearize, model.draw):
        with pytest.raises(dalembert.ModelError, match="did you mean `theta'`, the rate of `theta`"):
            one(at={"dtheta": 5})
    away = model.linearize(at={"theta": 0.4}, settle=True)
    assert away.at["q"]["theta"] == pytest.approx(0, abs=1e-9)


def test_eigenvalues_along_a_parameter():
    # lambda^2 = -g/L
    varied = pendulum().linearize().vary("g", np.linspace(1, 10, 10))
    np.testing.assert_allclose(varied.values, np.linspace(1, 10, 10))
    np.testing.assert_allclose(np.abs(varied.eigenvalues[:, 0].imag), np.sqrt(varied.values/0.5), rtol=1e-9)
    assert varied.stability == ["stable"]*10 and varied.stopped is None and "g" in repr(varied)
    with pytest.raises(dalembert.ModelError, match="neither a parameter"):
        pendulum().linearize().vary("gg", [1.0])


def test_what_is_doubtful_is_said():
    linear = dalembert.load("double-pendulum").linearize()
    assert [one.code for one in linear.warnings] == ["W0309"]
    with pytest.raises(dalembert.ModelError, match="E0302|E0301|E0406"):
        dalembert.load("slider-crank").linearize(at={"theta": 0.3, "x": 99.0})


def test_a_gait_is_that_of_the_command():
    model = dalembert.load("three-link-snake")
    gait = model.gait()
    assert gait.to_dict() == command("gait", MODELS / "three-link-snake.toml")
    names = [name for name in model.coordinate_names if name in gait.cycle]
    # Away from the shapes in which both ends are turned alike, which are singular.
    cycle = {names[0]: "0.5 + 0.2*sin(t)", names[1]: "-0.5 + 0.2*cos(t)"}
    other = model.gait(cycle)
    assert other.to_dict() == command("gait", MODELS / "three-link-snake.toml", "--cycle", ", ".join(f"{k}={v}" for k, v in cycle.items()))
    assert model.gait().to_dict() == gait.to_dict()  # the model stays as it is
    with pytest.raises(dalembert.ModelError, match="E0102"):
        model.gait("beta=sin(t)")
    with pytest.raises(dalembert.ModelError, match="no cycle of the shape is given"):
        dalembert.load("slider-crank").gait()
    assert "effort" in repr(gait)


def test_exports_are_those_of_the_command(tmp_path):
    if not COMMAND.exists():
        pytest.skip("the command is not built")
    model = dalembert.load("slider-crank")
    for to in ("c", "c++", "python", "matlab", "js", "latex"):
        ours, theirs = tmp_path / "ours" / to, tmp_path / "theirs" / to
        paths = model.export(to, ours)
        subprocess.run([COMMAND, "export", MODELS / "slider-crank.toml", "--to", to, "-o", theirs], check=True, capture_output=True, timeout=60)
        assert sorted(path.name for path in theirs.iterdir()) == sorted(os.path.basename(path) for path in paths)
        for path in theirs.iterdir():
            assert (ours / path.name).read_bytes() == path.read_bytes(), path.name
    with pytest.raises(dalembert.ModelError, match="the languages are"):
        model.export("cobol", tmp_path)


def test_exports_in_single_precision(tmp_path):
    model = dalembert.load("slider-crank")
    header, source, _ = (open(path).read() for path in model.export("c++", tmp_path, precision="single")[:3])
    assert "float" in header and "double" not in header + source
    for to in ("python", "fmu", "casadi"):
        with pytest.raises(dalembert.ModelError, match="no single precision"):
            model.export(to, tmp_path, precision="single")
    with pytest.raises(ValueError, match='"double" or "single", not "half"'):
        model.export("c", tmp_path, precision="half")


def test_a_copy_has_expressions_of_its_own():
    model = pendulum()
    twin = copy.deepcopy(model)
    assert twin == model and twin["theta"] != model["theta"]
    twin.output("late", twin["theta"])
    assert twin != model


def test_fmus_are_those_of_the_command(tmp_path):
    # Oracle: the command's, which tests/fmu runs; the library answers as FMI 2.0 says.
    model = dalembert.load("slider-crank")
    [ours] = model.export("fmu", tmp_path)
    theirs = tmp_path / "theirs.fmu"
    subprocess.run([COMMAND, "export", MODELS / "slider-crank.toml", "--to", "fmu", "-o", theirs], check=True, capture_output=True, timeout=60)
    with zipfile.ZipFile(ours) as a, zipfile.ZipFile(theirs) as b:
        assert a.namelist() == b.namelist() and a.testzip() is None
        for name in a.namelist():
            assert name.endswith(".so") or a.read(name) == b.read(name), name
        library = ctypes.CDLL(a.extract("binaries/linux64/slider_crank.so", tmp_path))
    library.fmi2GetVersion.restype = ctypes.c_char_p
    assert library.fmi2GetVersion() == b"2.0"
    block = dalembert.Model("block")
    x, y, z = block.coordinates("x y z")
    block.kinetic = (x.dot**2 + y.dot**2 + z.dot**2)/2
    block.contact("floor", block.point("P", [x, y, z]), block.point("O", [0, 0, 0]), [0, 0, 1])
    block.output("hit", block.impulse("floor"))
    block.power(-0.1*block.multiplier("floor")*x.dot)
    with pytest.raises(dalembert.ModelError, match="depend on multipliers"):
        block.export("fmu", tmp_path)


def test_equilibria_without_a_linearisation_say_why_and_have_their_multipliers():
    """A spherical pendulum hangs and stands where its azimuth has no meaning. The rod carries m g: lambda = -m g cos(theta)."""
    model = dalembert.Model("spherical pendulum")
    r, theta, phi = model.coordinates("r theta phi", units="m rad rad")
    m, l, g = model.parameters(m="2 kg", l="0.5 m", g="9.81 m/s^2")
    model.kinetic = m/2*(r.dot**2 + r**2*theta.dot**2 + r**2*dalembert.sin(theta)**2*phi.dot**2)
    model.potential = -m*g*r*dalembert.cos(theta)
    model.holonomic("rod", r - l)
    model.initial(r="0.5 m", theta="60 deg", phi_dot=6.0)
    analysis = model.analyze()
    loads = {round(math.cos(one.q["theta"])): one.lam["rod"] for one in analysis.equilibria if one.kind == "equilibrium"}
    assert loads == {1: pytest.approx(-19.62, rel=1e-9), -1: pytest.approx(19.62, rel=1e-9)}
    shown = str(analysis)
    assert shown.count("not decided   `phi'` has no inertia at this position") == 2
    assert shown.count("eigenvalues") == sum(bool(one.eigenvalues) for one in analysis.equilibria)
    # On x*y = 0 the motion rests where both lines meet: nothing holds it there, and any multiplier would do.
    crossing = dalembert.Model("crossing")
    x, y = crossing.coordinates("x y", units="m m")
    m, k = crossing.parameters(m="1 kg", k="2 N/m")
    crossing.kinetic, crossing.potential = m/2*(x.dot**2 + y.dot**2), k/2*(x**2 + y**2)
    crossing.holonomic("cross", x*y)
    crossing.initial(x=1.0, y=0.0)
    (rest,) = crossing.analyze().equilibria
    assert rest.lam == {"cross": None} and "rank 0 here and 1 nearby" in str(rest)
