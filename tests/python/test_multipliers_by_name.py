# SPDX-License-Identifier: Apache-2.0
"""The multipliers that `derive --only lambda` prints by names are those of the motion: what is printed is evaluated, line by line."""
import math
import re

import pytest

import dalembert as dl


def plain(name):
    return re.sub(r"\W", "_", name.replace("'", "_dot"))


def values_of(text, given):
    """The left sides of all lines `left = right`, in their order."""
    values = dict(given)
    name = r"[A-Za-z]\w*(?:\[(?:[^\[\]]|\[[^\]]*\])*\])|det\(D\)|lambda\(\S+?\)|[A-Za-z]\w*'*"
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
