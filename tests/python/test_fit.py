# SPDX-License-Identifier: Apache-2.0
"""Fits: the solution, the cost and the errors are those of SciPy's least squares on the same residuals."""

import dalembert
import numpy as np
import pytest

def setup_module():
    try:
        dalembert.load("mass-spring").fit({"time": [0, 0.1], "x": [0.1, 0.09]}, free="k", measure={"x": "x"})
    except dalembert.ModelError as problem:
        if problem.diagnostics[0].code == "E0433":
            pytest.skip("no solver", allow_module_level=True)
        raise


SWING = """
name = "swing"
coordinates = [{name = "theta", unit = "rad"}]
[parameters]
g = "9.81 m/s^2"
L = "0.5 m"
m = "1 kg"
c = "0.1 N*m*s"
[energy]
kinetic = "m*L^2*theta'^2/2"
potential = "-m*g*L*cos(theta)"
[[force]]
coordinate = "theta"
value = "-c*theta'"
[initial]
position = {theta = "40 deg"}
velocity = {theta = 0}
"""


def swing():
    return dalembert.parse(SWING)


def samples(noise=0.01, seed=1, count=60, until=4.0, **truth):
    t = np.linspace(0, until, count)
    clean = dalembert.parse(SWING, **{"c": "0.03 N*m*s", "theta": "0.9 rad", **truth})._run(None, None, until, times=t)["theta"]
    return {"time": t, "angle": np.asarray(clean) + np.random.default_rng(seed).normal(0, noise, count)}


def test_agrees_with_scipy():
    optimize = pytest.importorskip("scipy.optimize")
    data = samples()
    found = swing().fit(data, free=["c", "theta", "L"], measure={"angle": "theta"})

    def residuals(x):
        model = dalembert.parse(SWING, c=f"{x[0]:.17g} N*m*s", theta=f"{x[1]:.17g} rad", L=f"{x[2]:.17g} m")
        return np.asarray(model._run(None, None, 4.0, times=data["time"])["theta"]) - data["angle"]

    other = optimize.least_squares(residuals, [0.1, np.deg2rad(40), 0.5], xtol=1e-12, ftol=1e-12, x_scale=[0.1, 0.7, 0.5])
    assert found.success and found.status == 1 and found.names == ["c", "theta", "L"]
    assert found.x == pytest.approx(other.x, rel=1e-6)
    covariance = np.linalg.inv(other.jac.T @ other.jac) * 2 * other.cost / (60 - 3)
    assert found.sigma == pytest.approx(np.sqrt(np.diag(covariance)), rel=1e-3)
    expected = covariance / np.sqrt(np.outer(np.diag(covariance), np.diag(covariance)))
    assert found.correlation == pytest.approx(expected, abs=1e-3)
    assert found.cost == pytest.approx(0.5 * np.sum(found.fun**2)) and found.jac.shape == (60, 3)
    assert np.abs(found.jac.T @ found.fun).max() < 1e-3 * np.abs(found.jac.T @ found.jac * found.sigma).max()
    assert found.rms["angle"] == pytest.approx(np.sqrt(2 * other.cost / 60), rel=1e-6)
    assert found.verdict["holds"] and "</svg>" in found.plot().svg and "theta = " in repr(found)


def test_files_frames_and_dicts_say_the_same(tmp_path):
    pandas = pytest.importorskip("pandas")
    data = samples()
    frame = pandas.DataFrame({"time [ms]": 1000 * data["time"], "angle [deg]": np.rad2deg(data["angle"]), "note": "x"})
    frame.to_csv(tmp_path / "run.csv", index=False)
    asked = dict(free="c,theta".split(","), measure={"angle": "q/theta"})
    found = [swing().fit(one, **asked).x for one in (data, frame, tmp_path / "run.csv", str(tmp_path / "run.csv"))]
    for x in found[1:]:
        assert x == pytest.approx(found[0], rel=1e-6)  # the search ends within 1e-4 of the standard errors


def test_bounds_priors_starts_and_what_is_not_determined():
    data = samples()
    bounded = swing().fit(data, free=["c", "theta"], measure={"angle": "theta"}, bounds={"c": (0.05, None)}, start={"c": 0.2, "theta": 0.8})
    assert bounded["c"] == 0.05 and bounded.active_mask.tolist() == [-1, 0] and np.isnan(bounded.sigma[0])
    loose = swing().fit(data, free=["g", "L", "theta", "m"], measure={"angle": "theta"}, start={"c": 0.03}, prior={"m": "lognormal(1 kg, 0.01)"})
    # θ'' = −g/L sin θ − c/(m L²) θ' with c known; the prior of m decides the rest.
    assert [one["text"] for one in loose.unidentifiable] == ["g, L and m: only g/L and g^2*m are determined"]
    assert not np.isnan(loose.sigma).any() and loose.warnings == ""
    apart = swing().fit(data, free=["g", "L", "m", "c", "theta"], measure={"angle": "theta"}, start={"c": 0.03})
    assert len(apart.unidentifiable) == 2 and "determined" in apart.unidentifiable[0]["text"]
    held = swing().fit(data, free=["g", "L", "m", "c", "theta"], measure={"angle": "theta"}, start={"c": 0.03}, prior={"L": (0.5, 0.001), "m": (1, 0.01)})
    assert not np.isnan(held.sigma).any() and held.warnings == ""


def test_several_files_and_clocks():
    files = []
    for begin in (0.5, 1.0):
        one = samples(noise=0, theta=f"{begin} rad")
        late = one["time"] >= 0.5
        files.append({"time": one["time"][late] - 0.1, "angle": np.where(np.arange(late.sum()) == 3, np.nan, one["angle"][late])})
    found = swing().fit(files, free=["theta", "c"], measure={"angle": "theta"}, per_file="theta", offset=True)
    assert found.values == pytest.approx({"theta[1]": 0.5, "theta[2]": 1.0, "c": 0.03, "offset[1]": 0.1, "offset[2]": 0.1}, rel=1e-6)


@pytest.mark.parametrize("change, code", [({"free": ["cc"]}, "E0421"), ({"measure": {"angel": "theta"}}, "E0430"), ({"bounds": {"L": (0, 1)}}, "E0430"),
                                          ({"sigma": {"angle": -1}}, "E0430"), ({"measure": {"angle": "theta + L"}}, "E0203")])
def test_what_makes_no_sense_is_refused(change, code):
    with pytest.raises(dalembert.ModelError) as refused:
        swing().fit(samples(), **{"free": ["c"], "measure": {"angle": "theta"}, **change})
    assert refused.value.diagnostics[0].code == code


def test_several_starts_find_the_least_of_several_minima():
    """A search from k = 5 N/m ends at a minimum that is another frequency; of eight one finds k = 40 N/m, and `starts` tells where each ended."""
    spring = dalembert.parse("""
name = "spring"
coordinates = [{name = "x", unit = "m"}]
[parameters]
m = "1 kg"
k = "5 N/m"
[energy]
kinetic = "m*x'^2/2"
potential = "k*x^2/2"
[initial]
position = {x = "1 m"}
""")
    t = np.linspace(0, 10, 60)
    record = {"time": t, "x": np.cos(np.sqrt(40) * t) + 0.02 * np.sin(97 * t)}
    ask = dict(free="k", measure={"x": "x"}, bounds={"k": (1, 100)})
    alone = spring.fit(record, **ask)
    assert abs(alone["k"] - 40) > 5 and len(alone.starts) == 1
    found = spring.fit(record, **ask, starts=10, seed=2, threads=2)
    assert abs(found["k"] - 40) < 0.05
    assert {one["minimum"] for one in found.starts} > {0, 1}
    assert min(one["worse_by"] for one in found.starts) == 0


def test_arrays_are_held_to_what_files_are():
    """Times that go back or are none, samples that are infinite, times in metres: said by number, as read_fit_data() says them by line."""
    model = dalembert.load("mass-spring")
    t = np.linspace(0, 1, 5)
    for data, what in (
        ({"time": t[::-1], "x": t}, "go back, from 1 s to 0.75 s"),
        ({"time": np.r_[t[:-1], np.nan], "x": t}, "time 5 .* is nan"),
        ({"time": t, "x": np.r_[t[:-1], np.inf]}, "sample 5 of `x` of .* at 1 s, is inf"),
        ({"time [m]": t, "x": t}, "are not in a unit of time"),
        ({"time": [], "x": []}, "has no samples"),
    ):
        with pytest.raises(dalembert.ModelError, match=what) as wrong:
            model.fit(data, free=["k"], measure={"x": "x"})
        assert wrong.value.diagnostics[0].code == "E0431"
