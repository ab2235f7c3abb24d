# SPDX-License-Identifier: Apache-2.0
"""What docs/coming-from.md says of mechanisms whose loops others did not close, against their closed forms."""

import re
from pathlib import Path

import numpy as np
import pytest

import dalembert

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "coming-from.md").read_text(encoding="utf-8")


def text(name):
    return re.search(rf"^```toml {re.escape(name)}\n(.*?)^```", PAGE, re.S | re.M)[1]


def meet(a, ra, b, rb, side):
    """Where circles about a and b (complex) meet, on the left (1) or right (-1) of the way from a to b."""
    line = b - a
    along = (ra**2 - rb**2 + abs(line)**2)/(2*abs(line))
    return a + line/abs(line)*(along + 1j*side*np.sqrt(ra**2 - along**2))


def test_the_crank_feels_its_rod():
    """x = r cos θ + √(l² − r² sin² θ); the one equation of motion is (I + m x_θ²) θ'' = −m x_θ x_θθ θ'²."""
    r, l, inertia, m = 0.2, 0.5, 0.02, 1.0
    crank = dalembert.parse(text("crank_by_distance.toml"))

    def slider(theta):
        s, c = np.sin(theta), np.cos(theta)
        root = np.sqrt(l**2 - r**2*s**2)
        return r*c + root, -r*s - r**2*s*c/root, -r*c - r**2*(c**2 - s**2)/root - r**4*s**2*c**2/root**3

    q, v = crank.consistent()
    x, first, second = slider(q[0])
    assert [q[1], v[1]] == pytest.approx([x, first*v[0]], rel=1e-12)
    turn = -m*first*second*v[0]**2/(inertia + m*first**2)
    assert list(crank.eval(q, v)["qdd"].values()) == pytest.approx([turn, first*turn + second*v[0]**2], rel=1e-12)

    run = crank.simulate()
    theta = run["theta"]
    x, first, _ = slider(theta)
    assert np.abs(run["x"] - x).max() < 1e-14
    energy = (inertia + m*first**2)*run["theta'"]**2/2
    assert energy == pytest.approx(energy[0], rel=1e-7)


def test_the_five_bar_closes_under_its_spring():
    run = dalembert.parse(text("five_bar.toml")).simulate()
    elbow = [(2*k - 3)*0.1 + 0.2*np.exp(1j*run[f"q/a{k}"]) for k in (1, 2)]
    tool = elbow[0] + 0.3*np.exp(1j*run["b1"])
    assert np.abs(tool - elbow[1] - 0.3*np.exp(1j*run["b2"])).max() < 1e-14
    assert np.abs(tool - meet(elbow[0], 0.3, elbow[1], 0.3, 1)).max() < 1e-12


def test_the_leg_is_ten_rods():
    run = dalembert.parse(text("jansen_leg.toml")).simulate(t=20.0)
    z, m = -0.038 - 0.0078j, 0.015*np.exp(2j*np.pi*run.t)
    u, v = meet(z, 0.0415, m, 0.050, 1), meet(z, 0.0393, m, 0.0619, -1)
    w = meet(z, 0.0401, u, 0.0558, 1)
    x = meet(w, 0.0394, v, 0.0367, -1)
    foot = meet(x, 0.0657, v, 0.049, -1)
    assert np.abs(run["fx"] + 1j*run["fy"] - foot).max() < 1e-13
    assert run.verdict


def test_what_is_misspelt_is_no_constraint_that_is_left_out():
    with pytest.raises(dalembert.ModelError, match="distanse") as wrong:
        dalembert.parse(text("crank_by_distance.toml").replace("distance =", "distanse ="))
    assert any("distance" in line for line in str(wrong.value).splitlines() if "help" in line)
    assert wrong.value.diagnostics[0].code in PAGE


def test_three_rods_move_as_one():
    """A beam on parallel rods keeps its direction, and falls as a pendulum of the rods' length does."""
    run = dalembert.parse(text("three_rods.toml")).simulate()
    assert np.abs(run["phi"]).max() < 1e-14
    energy = 3*(run["x'"]**2 + run["y'"]**2)/2 + 3*9.81*run["y"]
    assert energy == pytest.approx(energy[0], rel=1e-8)
    # Newton's law along the rods: together they carry m (g cos a + v²/l).
    pull = -sum(run[f"lambda/rod{k}"] for k in (1, 2, 3))
    assert pull == pytest.approx(3*(-9.81*run["y"] + run["x'"]**2 + run["y'"]**2)/0.4, rel=1e-8)
