# SPDX-License-Identifier: Apache-2.0
"""The recipes of docs/model-format.md against the closed forms of these parts."""

import re
import warnings
from pathlib import Path

import numpy as np
import pytest

import dalembert

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "model-format.md").read_text(encoding="utf-8")
RECIPES = dict(re.findall(r"^```toml (\w+)\.toml\n(.*?)^```", PAGE, re.S | re.M))


@pytest.mark.parametrize("name", RECIPES)
def test_each_runs_without_a_warning(name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = dalembert.parse(RECIPES[name]).simulate()
    assert run.status == "ok" and run.verdict


def peak(name, series):
    low, _, high, _ = dalembert.parse(RECIPES[name]).simulate().peaks(series)[series]
    return low, high


def test_closed_forms():
    assert peak("motor", "F/theta")[1] == pytest.approx(2*9.81*0.5, rel=1e-12)  # m g L, the arm level
    # Teeth: I2 b'' = r2 λ, a'' (I1 + I2 (r1/r2)²) = T.
    turn = 0.5/(1e-4 + 9e-3/9)
    assert peak("gear", "lambda/teeth") == pytest.approx([-9e-3*turn/3/0.06]*2, rel=1e-12)
    assert peak("rack", "lambda/teeth") == pytest.approx([3*0.02*0.5/(1e-4 + 3*0.02**2)]*2, rel=1e-12)
    # The spring less the least m y'', which is at the top of the cam.
    model = dalembert.parse(RECIPES["cam"])
    run = model.simulate(every=1e-4)
    theta = 40*run.t
    lift = 0.03 + 0.004*(1 - np.cos(2*theta))
    force = 1500*(lift - 0.01) + 0.3*4*0.004*40**2*np.cos(2*theta)
    assert run["lambda/cam"] == pytest.approx(force, rel=1e-9)
    assert dalembert.parse(RECIPES["servo"]).simulate(inputs={"target": 1.0})["theta"][-1] == pytest.approx(1, abs=1e-4)
    belt = dalembert.parse(RECIPES["belt"]).simulate(t=10.0)
    assert 0.08*belt["v/b"][-1] == pytest.approx(0.04*30, rel=1e-6)  # both have the speed of the belt
    assert belt["output/pull"][-1]*0.08 == pytest.approx(2*np.tanh(15), rel=1e-6)


def events_of(run, kind):
    return [one["t"] for one in run.to_dict()["events"] if one["kind"] == kind]


def test_what_opens_and_closes():
    rope = dalembert.parse(RECIPES["rope"]).simulate()
    assert events_of(rope, "impact") == pytest.approx([np.sqrt(2*0.8/9.81)], rel=1e-9)  # falls from (0.6, 0) to (0.6, -0.8)
    run = dalembert.parse(RECIPES["stop"]).simulate()
    # The speed at the first impact by the energy, and e of it after.
    speed = np.sqrt(2*9.81/0.5*(np.cos(np.pi/6) - np.cos(np.pi/3)))
    assert run["theta'"][run.t == events_of(run, "impact")[0]] == pytest.approx([speed, -0.4*speed], rel=1e-7)
    # k (pre + 2h) = 4 m h w² at the top of the cam.
    limit = np.sqrt(1500*0.028/(4*0.3*0.004))
    follower = dalembert.parse(RECIPES["follower"])
    assert limit == pytest.approx(93.5, abs=0.05)
    for w, lifts in ((0.99*limit, False), (1.01*limit, True)):
        assert bool(events_of(follower.simulate(params={"w": w}), "release")) == lifts
