# SPDX-License-Identifier: Apache-2.0
"""Values that are none: each is refused in words of Python, with what was given. Oracle: a person who reads the message."""

import dalembert
import pytest


@pytest.fixture
def pendulum():
    return dalembert.load("cartesian-pendulum")


@pytest.mark.parametrize("wrong, error, says", [
    (lambda m: m.simulate(t=[1, 2]), TypeError, r"`t` must be a number, not \[1, 2\]"),
    (lambda m: m.simulate(1), TypeError, "the end of a run is t="),
    (lambda m: m.simulate(1, 2), TypeError, "q is a sequence of numbers, one for each coordinate, not 1"),
    (lambda m: m.simulate(t=1, every=-4), ValueError, "every= takes a number above 0, not -4"),
    (lambda m: m.simulate(t=1, every=0), ValueError, "every= takes a number above 0, not 0"),
    (lambda m: m.simulate(t=1, rtol=-1e-9), ValueError, "rtol= takes a number above 0"),
    (lambda m: m.simulate(t=1, max_steps=0), ValueError, "max_steps= takes a number above 0"),
    (lambda m: m.simulate(t=0.1)[3], TypeError, r"a series is named by a text, such as run\['time'\], not 3"),
    (lambda m: m.simulate(t=0.1).plot(3), TypeError, "a series is named by a text"),
    (lambda m: dalembert.sin("a"), TypeError, "an expression or a number is needed, not the text 'a'"),
    (lambda m: dalembert.sqrt([1]), TypeError, r"an expression or a number is needed, not \[1\]"),
    (lambda m: dalembert.hypot(1.0, "b"), TypeError, "an expression or a number is needed, not the text 'b'"),
    (lambda m: m["x"] - "20 mm", TypeError, r"not the text '20 mm': formulas are made with operators, numbers in them are in SI, here 0.02, and a quantity with its unit is a parameter"),
    (lambda m: "30 deg" + m["x"], TypeError, r"not the text '30 deg': .* are in SI, here 0.5235"),
    (lambda m: "2"*m["x"], TypeError, "not the text '2': formulas are made with operators"),
    (lambda m: m["x"] < "20 mm", TypeError, "here 0.02"),
    (lambda m: m["x"]**"2", TypeError, "not the text '2'"),
    (lambda m: dalembert.Model("x").coordinate(3), TypeError, r"coordinate\(\) takes \(name: str, unit: str, latex: str\), not \(3, '', ''\)"),
    (lambda m: dalembert.Model("x").parameter("a", None), TypeError, r"parameter\(\) takes .*not \('a', None, '', ''\)"),
])
def test_what_is_no_value_is_named(pendulum, wrong, error, says):
    with pytest.raises(error, match=says) as raised:
        wrong(pendulum)
    for word in ("PYBIND11", "_core", "C++", "incompatible function"):
        assert word not in str(raised.value)


def test_values_of_these_kinds_are_taken(pendulum):
    assert len(pendulum.simulate(t="500 ms", every="100 ms", max_steps=1000)) == 6
    assert dalembert.sin(0) == 0.0 and dalembert.hypot(3, 4.0) == 5.0
