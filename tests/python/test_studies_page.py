# SPDX-License-Identifier: Apache-2.0
"""The four studies of docs/studies.md, each against the mechanics of that one mechanism, by NumPy and SciPy."""

import re
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq, least_squares, minimize

import dalembert


def setup_module():
    """Both need a library that is optional: Ceres Solver, and NLopt."""
    spring = dalembert.load("mass-spring")
    try:
        spring.fit({"time": [0, 0.1], "x": [0.1, 0.09]}, free="k", measure={"x": "x"})
        spring.optimize(minimize="final(x)", free={"k": (10, 20)}, t=0.1, starts=1)
    except dalembert.ModelError as problem:
        pytest.skip(problem.diagnostics[0].message, allow_module_level=True)


PAGE = (Path(__file__).resolve().parents[2] / "docs" / "studies.md").read_text(encoding="utf-8")


def block(kind, name):
    return re.search(rf"^```{kind} {re.escape(name)}\n(.*?)^```", PAGE, re.S | re.M)[1]


def model(name):
    return dalembert.parse(block("toml", name))


def pin_force(r, l, e, theta):
    """|F| at the crank pin, by Newton's and Euler's laws of the rod and Newton's law of the slider."""
    rho, slider, pressure, w = 4.0, 0.5, 1e3, 150.0
    phi = np.arcsin((-e - r*np.sin(theta))/l)
    rate = -r*w*np.cos(theta)/(l*np.cos(phi))
    turn = (r*w**2*np.sin(theta) + l*np.sin(phi)*rate**2)/(l*np.cos(phi))
    along = -r*w**2*np.cos(theta) - l*np.cos(phi)*rate**2 - l*np.sin(phi)*turn
    centre = (-r*w**2*np.cos(theta) + along)/2, -r*w**2*np.sin(theta)/2
    mass, inertia = rho*l, rho*l**3/12
    end_x = -pressure*((1 + np.cos(theta + 0.4))/2)**4 - slider*along
    pin_x = mass*centre[0] - end_x
    difference = (inertia*turn/(l/2) + np.sin(phi)*(end_x - pin_x))/np.cos(phi)  # of the y components, end less pin
    return np.hypot(pin_x, (mass*centre[1] - difference)/2)


def largest(r, l, e):
    """The largest value between samples, too: the vertex of the parabola through the largest sample and its neighbours."""
    theta = np.linspace(0, 2*np.pi, 6001)[:-1]
    force = pin_force(r, l, e, theta)
    k = int(force.argmax())
    low, top, high = force[k - 1], force[k], force[(k + 1) % len(force)]
    return top + (low - high)**2/(8*(2*top - low - high))


def crank_of_stroke(l, e, stroke=0.08):
    return brentq(lambda r: np.sqrt((l + r)**2 - e**2) - np.sqrt((l - r)**2 - e**2) - stroke, 0.02, l - e - 1e-6, xtol=1e-15)


def test_least_pin_force():
    """Nelder and Mead's search over rod and offset, with the crank that the stroke asks for, finds the same design."""
    crank = model("compressor.toml")
    run = crank.simulate(every=1e-3)
    assert np.allclose(run["output/pin"], pin_force(0.04, 0.12, 0.0, 150*run.t), rtol=1e-9)

    best = crank.optimize(minimize="max(pin)", free={"l": "60 mm : 300 mm", "r": "30 mm : 50 mm", "e": "0 mm : 40 mm"},
                          subject_to=["max(x) - min(x) == 80 mm"], starts=1)
    found = minimize(lambda z: largest(crank_of_stroke(*z), *z), [0.12, 0.005], method="Nelder-Mead",
                     bounds=[(0.06, 0.3), (0, 0.04)], options={"xatol": 1e-9, "fatol": 1e-9, "maxiter": 2000})
    assert best.success
    assert best.fun == pytest.approx(found.fun, rel=1e-7)  # a parabola through samples 1 mrad apart errs by less
    assert best.params["r"] == pytest.approx(crank_of_stroke(best.params["l"], best.params["e"]), abs=1e-10)
    # Both searches end where the force is within 1e-9 of its least value; along the valley that is some micrometres.
    assert [best.params["l"], best.params["e"]] == pytest.approx(found.x, abs=2e-6)


NAMES = ["ax", "ay", "beta", "l1", "gap", "slack", "lean", "u", "v", "start"]


def four_bar(x):
    p = dict(zip(NAMES, x))
    l0 = p["l1"] + p["gap"]
    both, less = l0 + p["l1"] + p["slack"], p["lean"]*p["gap"]
    return p, l0, (both + less)/2, (both - less)/2


def traced(x, t, side):
    """The coupler's point as a complex number: the triangle of coupler, rocker and the line from crank pin to rocker pivot."""
    p, l0, l2, l3 = four_bar(x)
    crank = p["l1"]*np.exp(1j*(p["start"] + 2*np.pi*t))
    line = l0*np.exp(1j*p["beta"]) - crank
    angle = np.angle(line) + side*np.arccos((l2**2 + abs(line)**2 - l3**2)/(2*l2*abs(line)))
    return p["ax"] + 1j*p["ay"] + crank + (p["u"] + 1j*p["v"])*np.exp(1j*angle)


def cognate(x):
    """The other four-bar of the theorem of Roberts and Chebyshev whose crank turns as that of x does: its dimensions in the order of NAMES."""
    p, l0, l2, l3 = four_bar(x)
    k = (p["u"] + 1j*p["v"])/l2
    pivot = p["ax"] + 1j*p["ay"] + k*l0*np.exp(1j*p["beta"])
    size, turn = abs(1 - k), np.angle(1 - k)
    point = k/(k - 1)*size*l3  # coupler and rocker have changed their places
    lean = (l3 - l2)/(l0 - p["l1"])
    return np.array([pivot.real, pivot.imag, p["beta"] + turn, size*p["l1"], size*p["gap"], size*p["slack"], lean, point.real, point.imag, p["start"] + turn])


def test_four_bar_of_a_curve(tmp_path):
    """SciPy's least squares of the closed form end where the fit does; the second fit is the cognate of the first."""
    path = tmp_path / "curve.csv"
    path.write_text(block("csv", "curve.csv"), encoding="utf-8")
    t, x, y = np.genfromtxt(path, delimiter=",", skip_header=1).T
    bounds = {"l1": (0.005, None), "gap": (0.005, None), "slack": (0.005, None), "lean": (-0.9, 0.9)}
    tracer = model("tracer.toml")
    fits = [tracer.fit(path, free=NAMES, measure={"x": "P.x", "y": "P.y"}, bounds=bounds, start=start)
            for start in ({}, {"side": -1, "beta": -np.pi/2, "start": -np.pi/2, "v": -0.05})]
    assert all(fit.success for fit in fits)
    assert list(fits[0].names) == NAMES

    def residuals(z):
        return (lambda d: np.concatenate([d.real, d.imag]))(traced(z, t, 1) - 1e-3*(x + 1j*y))

    begin = np.array([0, 0, 0, 0.03, 0.06, 0.06, 0, 0.05, 0.05, 0])
    low, high = np.full(10, -np.inf), np.full(10, np.inf)
    low[3:7], high[6] = [0.005, 0.005, 0.005, -0.9], 0.9
    ours = least_squares(residuals, begin, bounds=(low, high), x_scale=[0.1, 0.1, 1, 0.1, 0.1, 0.1, 1, 0.1, 0.1, 1], xtol=1e-14, ftol=1e-14, gtol=1e-14,
                         max_nfev=1000)
    assert fits[0].x == pytest.approx(ours.x, abs=1e-6)
    assert fits[1].x == pytest.approx(cognate(fits[0].x), abs=1e-6)
    # The points are a linkage's, rounded to 0.01 mm.
    assert fits[0].x == pytest.approx([0.01, 0.02, np.deg2rad(10), 0.04, 0.04, 0.08, 0, 0.15, 0.03, np.deg2rad(30)], abs=4*max(fits[0].sigma))
    assert [fits[0].rms[name] for name in "xy"] == pytest.approx([0.01e-3/np.sqrt(12)]*2, rel=0.3)


def decay(mu, c, theta, t):
    """Swing by swing: the equation is smooth while the sign of the velocity stays."""
    g, length, mass, r = 9.81, 0.6, 0.8, 0.02
    answer, state, at = np.empty_like(t), np.array([theta, 0.0]), t[0]
    while at < t[-1]:
        way = -np.sign(state[0])
        slope = lambda _, y: [y[1], -g/length*np.sin(y[0]) - c/(mass*length**2)*y[1] - way*mu*g*r/length**2]
        turn = lambda _, y: y[1]
        turn.terminal, turn.direction = True, -way
        # The first instant, at rest, is no turning point.
        part = solve_ivp(slope, (at, t[-1]), state, method="DOP853", rtol=1e-9, atol=1e-11, events=turn, dense_output=True, first_step=1e-4)
        inside = (t >= at) & (t <= part.t[-1])
        answer[inside] = part.sol(t[inside])[0]
        at, state = part.t[-1], np.array([part.y[0, -1], 0.0])
    return answer


def test_friction_of_a_pendulum(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pendulum = model("pendulum.toml")
    pendulum.simulate(every=0.1, params={"mu": 0.2, "c": 0.02}).save("truth.csv")
    exec(compile(block("python", "measure.py"), "measure.py", "exec"), {"__name__": "__main__"})
    t, angle = np.genfromtxt("decay.csv", delimiter=",", skip_header=1).T
    assert len(t) == 201
    found = pendulum.fit("decay.csv", free=["mu", "c", "theta"], measure={"angle": "theta"}, bounds={"mu": (0, None), "c": (0, None)})
    ours = least_squares(lambda z: decay(*z, t) - np.deg2rad(angle), [0.15, 0.015, np.pi/3], x_scale=[0.1, 0.01, 1], diff_step=1e-5, ftol=1e-12)
    assert found.success and all(abs(found.x - ours.x) < 1e-3*found.sigma)  # both searches end by tolerances of their own
    covariance = np.linalg.inv(ours.jac.T @ ours.jac)*(2*ours.cost/(len(t) - 3))
    assert found.sigma == pytest.approx(np.sqrt(np.diag(covariance)), rel=1e-3)
    assert all(abs(found.x - [0.2, 0.02, np.pi/3]) < 2*found.sigma)
    more = pendulum.fit("decay.csv", free=["mu", "c", "theta", "m", "L"], measure={"angle": "theta"}, bounds={"mu": (0, None), "c": (0, None)})
    assert {one["text"] for one in more.unidentifiable} == {"c and m: only c/m is determined"}


def platform(alpha, l, forearm, zero):
    """Where three spheres about the elbows meet below them; arrays [..., 3] of the arms."""
    turn = 2*np.pi*np.arange(3)/3
    out = 0.12 + l*np.cos(alpha + zero)
    a, b, c = np.moveaxis(np.stack([out*np.cos(turn), out*np.sin(turn), -l*np.sin(alpha + zero)], -1), -2, 0)
    ex = (b - a)/np.linalg.norm(b - a, axis=-1, keepdims=True)
    i = np.sum(ex*(c - a), -1, keepdims=True)
    ey = c - a - i*ex
    ey /= np.linalg.norm(ey, axis=-1, keepdims=True)
    d, j = np.sum(ex*(b - a), -1, keepdims=True), np.sum(ey*(c - a), -1, keepdims=True)
    ra, rb, rc = (forearm[..., k, None] for k in range(3))
    x = (ra**2 - rb**2 + d**2)/(2*d)
    y = (ra**2 - rc**2 + i**2 + j**2)/(2*j) - i/j*x
    return a + x*ex + y*ey - np.sqrt(ra**2 - x**2 - y**2)*np.cross(ex, ey)


def test_tolerances_of_a_delta_robot():
    study = model("delta.toml").sweep(runs=32)
    assert study.holds.all()
    errors = {name: np.stack([study[f"{name}{k}"] for k in (1, 2, 3)], -1)[:, None, :] for name in ("dl", "dL", "z")}
    t = np.linspace(0, 1, 2001)[None, :, None]
    alpha = 0.5 + 0.4*np.sin(2*np.pi*t + np.array([0, 2, 4]))
    drawn = platform(alpha, np.full(3, 0.2), np.full((1, 1, 3), 0.5), np.zeros(3))
    assert drawn[..., 2].max() < 0
    distance = np.linalg.norm(platform(alpha, 0.2 + errors["dl"], 0.5 + errors["dL"], errors["z"]) - drawn, axis=-1)
    assert study["at_start"] == pytest.approx(distance[:, 0], rel=1e-9)
    assert study["worst"] == pytest.approx(distance.max(axis=1), rel=1e-5)  # samples 3 mrad apart: 1 - cos
    assert study["mean"] == pytest.approx(distance[:, :-1].mean(axis=1), rel=1e-5)
