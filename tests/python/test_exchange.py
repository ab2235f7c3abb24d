# SPDX-License-Identifier: Apache-2.0
"""Expressions to SymPy and back."""

import numpy as np
import pytest

import dalembert

sympy = pytest.importorskip("sympy")


def pendulum():
    t, m, L, g = sympy.symbols("t m L g", positive=True)
    x, y = (sympy.Function(name)(t) for name in "xy")
    lagrangian = m*(x.diff(t)**2 + y.diff(t)**2)/2 - m*g*y
    return t, (x, y), lagrangian, x**2 + y**2 - L**2, {m: 2, L: 0.5, g: 9.81}


def test_three_lines_from_sympy_to_the_multiplier():
    t, coordinates, lagrangian, rod, values = pendulum()
    model = dalembert.from_sympy(lagrangian, coordinates, constraints=[rod], parameters=values)
    # At rest, hanging: m g = 2 y lambda along y, where h = x^2 + y^2 - L^2.
    terms = model.eval([0.0, -0.5], [0.0, 0.0])
    assert terms["lambda"]["h1"] == pytest.approx(2*9.81/(2*-0.5), rel=1e-12)
    run = model.simulate(*model.consistent(x=0.1, guess={"y": -0.5}), t=3.0)
    assert run.verdict


def test_round_trip():
    t, (x, y), *_ = pendulum()
    a, b = sympy.symbols("a b")
    expressions = [x.diff(t)**2*sympy.cos(y/3 - a)**3 - sympy.Rational(2, 7)*sympy.sqrt(1 + x**2)*y.diff(t)**2,
                   sympy.exp(-a*x)*sympy.atan2(y, x)*y.diff(t)**2 + sympy.log(2 + y**2)*sympy.tanh(x)*b**a*x.diff(t)**2]
    for e in expressions:
        model = dalembert.from_sympy(e, (x, y), parameters={a: 0.3, b: 1.7})
        back = dalembert.to_sympy(model.lagrangian, t)
        assert sympy.simplify(back - e) == 0
        again = dalembert.from_sympy(back, (x, y), parameters={a: 0.3, b: 1.7})
        assert again == model


def test_equations_in_sympy_are_those_of_sympy():
    t, (x, y), lagrangian, rod, values = pendulum()
    model = dalembert.from_sympy(lagrangian, (x, y), constraints=[rod], parameters=values)
    ours = dalembert.to_sympy(model.equations, t, symbols=values)
    multiplier = next(s for s in ours[0].free_symbols if "h1" in s.name)
    for q, equation in zip((x, y), ours):
        by_sympy = lagrangian.diff(q.diff(t)).diff(t) - lagrangian.diff(q) - multiplier*rod.diff(q)
        assert sympy.simplify(equation - by_sympy) == 0


def test_what_has_no_value_is_named():
    t, coordinates, lagrangian, rod, _ = pendulum()
    with pytest.raises(KeyError, match="`g`|`m`|`L`"):
        dalembert.from_sympy(lagrangian, coordinates)
    with pytest.raises(TypeError, match="function of time"):
        dalembert.from_sympy(lagrangian, [sympy.Symbol("x")])
    with pytest.raises(TypeError, match="not understood"):
        dalembert.from_sympy(sympy.gamma(coordinates[0])*coordinates[0].diff(t)**2, coordinates[:1])


def test_numbers_are_those_of_lambdify():
    model = dalembert.load("slider-crank")
    entry = model.equations["M[theta,phi]"]
    symbolic = dalembert.to_sympy(entry)
    free = sorted(symbolic.atoms(sympy.Function("theta")(sympy.Symbol("t")).func), key=str)
    values = {sympy.Symbol(name): value for name, value in model.parameter_values.items()}
    q, v = model.consistent()
    at = {sympy.Function(name)(sympy.Symbol("t")): value for name, value in zip(model.coordinate_names, q)}
    assert float(symbolic.subs(at).subs(values)) == pytest.approx(model.compile("M").M(q, v)[0, 1], rel=1e-13)
    assert free and np.isfinite(q).all()
