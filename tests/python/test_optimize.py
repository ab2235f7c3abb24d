# SPDX-License-Identifier: Apache-2.0
"""Optimisation: against SciPy on the same functions, and closed forms."""

import dalembert
import numpy as np
import pytest

scipy_optimize = pytest.importorskip("scipy.optimize")


@pytest.fixture(scope="module")
def crank():
    return dalembert.load("slider-crank")


def test_it_is_the_optimum_of_scipy(crank):
    """A stroke of 0.5 m with the least power peak: SLSQP of SciPy on sweeps, with differences."""
    stroke = "max(x) - min(x)"
    found = crank.optimize(minimize="max(lambda(pin[1])^2)", free={"L1": (0.1, 0.2), "L2": (0.3, 0.5)}, subject_to=[f"{stroke} >= 0.5 m"],
                           starts=2, t=1)
    assert found.success and found.status == 0

    def measure(x):
        rows = crank.sweep(rows={"L1": [x[0]], "L2": [x[1]]}, measure={"f": "max(lambda(pin[1])^2)", "s": stroke}, t=1)
        return rows["f"][0], rows["s"][0]

    theirs = scipy_optimize.minimize(lambda x: measure(x)[0] / 1e3, found.x + [0.003, -0.01], bounds=[(0.1, 0.2), (0.3, 0.5)],
                                     constraints={"type": "ineq", "fun": lambda x: measure(x)[1] - 0.5}, method="SLSQP")
    assert found.fun <= 1e3 * theirs.fun * (1 + 1e-6)
    assert found.x == pytest.approx(theirs.x, rel=1e-3)
    assert measure(found.x)[0] == pytest.approx(found.fun, rel=1e-12)


def test_the_answer_is_a_dict_with_attributes(crank):
    found = crank.optimize("final(x)", {"theta'": (1, 3)}, t=0.3, starts=1)
    assert found["fun"] == found.fun and set(found) >= {"x", "fun", "success", "status", "message", "nfev", "njev", "active"}
    assert found.names == ["theta'"] and found.params == {"theta'": found.x[0]} and found.units == {"theta'": "rad/s"}
    assert found.active and found.verdict["holds"] and found.nfev >= found.njev >= 1
    assert "Optimum" in repr(found) and "success" in dir(found)
    run = dalembert.load("slider-crank", **{"theta'": f"{found.x[0]:.17g} rad/s"}).simulate(t=0.3)
    assert run["x"][-1] == pytest.approx(found.fun, rel=1e-12)
    assert 'velocity = {theta = "3 rad/s"}' in found.toml()
    heavy = crank.optimize("final(x)", {"theta'": (1, 3)}, t=0.3, starts=1, params={"m3": 2.0})
    assert 'm3 = "2 kg"' in heavy.toml() and 'L1 = "0.15 m"' in heavy.toml()


HOEKEN = """
name = "hoeken"
coordinates = [{name = "th", unit = "rad"}, {name = "be", unit = "rad"}]
[parameters]
a = "0.1 m"
g = "0.21 m"
b = "0.26 m"
h = "0.4 m"
m = "1 kg"
w = "1 rad/s"
[[point]]
name = "A"
at = ["a*cos(th)", "a*sin(th)"]
[[point]]
name = "B"
at = ["A.x + b*cos(be)", "A.y + b*sin(be)"]
[[point]]
name = "P"
at = ["A.x + 2*b*cos(be)", "A.y + 2*b*sin(be)"]
[[body]]
name = "tool"
mass = "m"
position = ["P.x", "P.y"]
[[constraint]]
name = "rocker"
holonomic = "(B.x - g)^2 + B.y^2 - b^2"
[prescribed]
th = "pi/2 + w*t"
[initial]
guess = {be = 0.9}
[simulation]
until = "3.141592653589793 s"
"""


def test_a_four_bar_draws_a_straight_line():
    """Path synthesis: the crank, coupler and ground of a four-bar whose coupler point stays nearest to a line for half a turn, with a stroke of four cranks.
    SciPy finds the same with the geometry in closed form, as a bound of the deviation at 801 angles."""
    with pytest.warns(dalembert.ModelWarning, match="nothing depends on the parameter `h`"):  # but for what is made least
        model = dalembert.parse(HOEKEN)
    found = model.optimize("max(abs(P.y - h))", {"g": (0.15, 0.3), "b": (0.2, 0.35), "h": (0.2, 0.7)},
                           subject_to="max(P.x) - min(P.x) >= 0.4 m", starts=2)
    assert found.success and "corner" in found.notes[0]
    a, angles = 0.1, np.linspace(np.pi / 2, 3 * np.pi / 2, 801)
    from_ground = lambda g: (g - a * np.cos(angles), -a * np.sin(angles))

    def height(g, b):
        x, y = from_ground(g)
        return a * np.sin(angles) + 2 * b * np.sin(np.arctan2(y, x) + np.arccos(np.hypot(x, y) / (2 * b)))

    def margins(z):
        deviation = height(z[0], z[1]) - z[2]
        return 10 * np.concatenate([z[3] - deviation, z[3] + deviation])

    theirs = scipy_optimize.minimize(lambda z: 100 * z[3], [0.21, 0.26, 0.5, 0.01], constraints={"type": "ineq", "fun": margins},
                                     bounds=[(0.15, 0.3), (0.2, 0.35), (0.2, 0.7), (0, 1)], method="SLSQP", options={"maxiter": 500, "ftol": 1e-14})
    assert found.fun == pytest.approx(theirs.x[3], rel=1e-4) and found.x == pytest.approx(theirs.x[:3], rel=1e-4)


def test_what_cannot_be_is_said(crank):
    with pytest.raises(TypeError, match="minimize"):
        crank.optimize(free={"L1": (0.1, 0.2)})
    with pytest.raises(dalembert.ModelError, match="nothing is free"):
        crank.optimize("final(x)", {})
    with pytest.raises(dalembert.ModelError, match="E0421|neither a parameter"):
        crank.optimize("final(x)", {"L9": (0, 1)})
    far = crank.optimize("final(x)", {"L1": (0.1, 0.15)}, subject_to="max(x) >= 5 m", t=0.2, starts=2)
    assert not far.success and far.status == 3 and far.constraints["max(x) >= 5 m"] < 0
    assert np.isfinite(far.x).all()
