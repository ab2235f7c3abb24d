# SPDX-License-Identifier: Apache-2.0
"""Multipliers and rates that `derive` prints by names are those of the motion: what is printed is evaluated, line by line."""
import math
import re

import pytest

import dalembert as dl


def plain(name):
    return re.sub(r"\W", "_", name.replace("'", "_dot"))


def values_of(text, given):
    """The left sides of all lines `left = right`, in their order."""
    values = dict(given)
    name = r"[A-Za-z]\w*(?:\[(?:[^\[\]]|\[[^\]]*\])*\])|det\(\w+\)|lambda\(\S+?\)|[A-Za-z]\w*'*"
    for line in text.splitlines():
        found = re.match(rf"\s*({name}) = (.*)$", line)
        if found is None:
            continue
        right = re.sub(name, lambda m: m[0] if m[0] in ("sin", "cos", "sqrt") else plain(m[0]), found[2]).replace("^", "**")
        values[plain(found[1])] = eval(right, {"sin": math.sin, "cos": math.cos, "sqrt": math.sqrt}, values)
    return values


def test_slider_crank():
    model = dl.load("slider-crank")
    text = model.equations.only("lambda").text
    assert "too large to be read; by names:)" in text
    run = model.simulate(t=0.3)
    at = len(run.t) // 2
    given = dict(model.parameter_values)
    given.update((name[2:], run[name][at]) for name in run.names if name.startswith("u/"))
    for name in ("theta", "phi", "x"):
        given[name] = run["q/" + name][at]
        given[name + "_dot"] = run["v/" + name][at]
    values = values_of(text, given)
    for row in ("pin[1]", "pin[2]"):
        assert values[plain(f"lambda({row})")] == pytest.approx(run[f"lambda/{row}"][at], rel=1e-9)


@pytest.mark.parametrize("name, coordinates", [("slider-crank", ("theta", "phi", "x")), ("double-pendulum", ("theta1", "theta2"))])
def test_rates(name, coordinates):
    model = dl.load(name)
    text = model.equations.only("reduced").text
    assert "rates with the entries of Mr and br by name" in text
    run = model.simulate(t=0.3)
    at = len(run.t) // 2
    given = dict(model.parameter_values)
    given.update((name[2:], run[name][at]) for name in run.names if name.startswith("u/"))
    for name in coordinates:
        given[name], given[name + "_dot"] = run["q/" + name][at], run["v/" + name][at]
        given["a_" + name] = run["a/" + name][at]
    values = values_of(text, given)
    if "v1_dot" in values:  # v1 = phi'/cos(theta)
        rate = (given["a_phi"] + given["phi_dot"] * given["theta_dot"] * math.tan(given["theta"])) / math.cos(given["theta"])
        assert values["v1_dot"] == pytest.approx(rate, rel=1e-9)
    else:
        for name in coordinates:
            assert values[name + "_dot_dot"] == pytest.approx(given["a_" + name], rel=1e-9)
