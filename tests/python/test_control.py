# SPDX-License-Identifier: Apache-2.0
"""Gains of linearised motions against SciPy's solvers of Riccati equations."""

import dalembert
import numpy as np
import pytest
from scipy import linalg

TEXT = """
name = "cart and pendulum"
coordinates = [{name = "x", unit = "m"}, {name = "theta", unit = "rad"}]
[parameters]
M = "1 kg"
m = "0.3 kg"
l = "0.5 m"
g = "9.81 m/s^2"
[energy]
kinetic = "(M + m)/2*x'^2 + m*l*cos(theta)*x'*theta' + m*l^2/2*theta'^2"
potential = "m*g*l*cos(theta)"
[inputs]
f = 0
[[force]]
coordinate = "x"
value = "f"
[outputs]
angle = "theta"
tip = "x + l*sin(theta)"
"""


@pytest.fixture(scope="module")
def linear():
    return dalembert.parse(TEXT).linearize()


def in_cost(A, B, Q, R, T):
    """The sampled system and the integral of the cost over a period, by Gauss's quadrature."""
    n, m = B.shape
    whole, weight = np.block([[A, B], [np.zeros((m, n + m))]]), linalg.block_diag(Q, R)
    nodes, weights = np.polynomial.legendre.leggauss(20)
    cost = sum(w * T / 2 * linalg.expm(whole * t).T @ weight @ linalg.expm(whole * t) for t, w in zip((nodes + 1) * T / 2, weights))
    flow = linalg.expm(whole * T)
    return flow[:n, :n], flow[:n, n:], cost


def test_lqr(linear):
    A, B = linear
    Q, R = np.diag([1.0, 10, 0, 0]), np.array([[0.1]])
    X = linalg.solve_continuous_are(A, B, Q, R)
    control = linear.lqr(Q={"theta": 10, "x": 1}, R={"f": 0.1})
    assert control.K == pytest.approx(np.linalg.solve(R, B.T @ X), rel=1e-9)
    assert max(z.real for z in control.closed_loop) < 0 and control.unreached == []
    assert linear.lqr(Q=[1, 10, 0, 0], R=0.1).K == pytest.approx(control.K, rel=1e-12)


def test_lqr_of_an_output_and_of_samples(linear):
    A, B, C, D = linear.abcd
    T = 0.05
    Q, R = 4 * np.outer(C[1], C[1]) + np.diag([0, 0, 0, 0.1]), np.array([[1.0]])
    Ad, Bd, cost = in_cost(A, B, Q, R, T)
    X = linalg.solve_discrete_are(Ad, Bd, cost[:4, :4], cost[4:, 4:], s=cost[:4, 4:])
    K = np.linalg.solve(cost[4:, 4:] + Bd.T @ X @ Bd, Bd.T @ X @ Ad + cost[4:, :4])
    control = linear.lqr(Q={"tip": 4, "theta'": 0.1}, period=T)
    assert control.A == pytest.approx(Ad, rel=1e-10, abs=1e-13) and control.B == pytest.approx(Bd, rel=1e-10, abs=1e-13)
    assert control.K == pytest.approx(K, rel=1e-8)
    assert max(map(abs, control.closed_loop)) < 1
    assert linear.discrete(T)[0] == pytest.approx(Ad, rel=1e-10, abs=1e-13)


def test_kalman(linear):
    A, B, C, D = linear.abcd
    W, V = 2 * B @ B.T + np.diag([0, 0, 0, 0.1]), np.diag([1e-4, 1e-2])
    P = linalg.solve_continuous_are(A.T, C.T, W, V)
    control = linear.kalman(Q={"f": 2, "theta'": 0.1}, R={"angle": 1e-4, "tip": 1e-2})
    assert control.L == pytest.approx(P @ C.T @ np.linalg.inv(V), rel=1e-8)
    T, steps = 0.02, 40
    taus = (np.polynomial.legendre.leggauss(steps)[0] + 1) * T / 2
    weights = np.polynomial.legendre.leggauss(steps)[1] * T / 2
    Wd = sum(w * linalg.expm(A * t) @ W @ linalg.expm(A * t).T for t, w in zip(taus, weights))
    Ad = linalg.expm(A * T)
    P = linalg.solve_discrete_are(Ad.T, C.T, Wd, V / T)
    sampled = linear.kalman(Q={"f": 2, "theta'": 0.1}, R={"angle": 1e-4, "tip": 1e-2}, period=T)
    assert sampled.L == pytest.approx(P @ C.T @ np.linalg.inv(C @ P @ C.T + V / T), rel=1e-7)
    assert max(map(abs, sampled.estimator)) < 1


def test_what_cannot_be_seen_is_said(linear):
    with pytest.raises(dalembert.ModelError, match="along x"):
        linear.kalman(Q={"f": 1}, R={"angle": 1e-4})  # the angle alone does not show where the cart is


def test_what_inputs_cannot_move_is_said():
    # Two carts that push each other: their centre of mass keeps its speed.
    pair = dalembert.Model("pair")
    x, y = pair.coordinate("x", "m"), pair.coordinate("y", "m")
    m, f = pair.parameter("m", 1.0, "kg"), pair.input("f", 0)
    pair.kinetic = m / 2 * x.dot**2 + m * y.dot**2
    pair.generalized_force(x, f)
    pair.generalized_force(y, -f)
    control = pair.linearize().lqr(Q=1, R=1)
    assert len(control.unreached) == 2 and all("whatever the inputs do" in text for text in control.unreached)
    A, B = pair.linearize()
    closed = np.linalg.eigvals(A - B @ control.K)
    assert sum(abs(z) < 1e-6 for z in closed) == 2 and sum(z.real < -0.1 for z in closed) == 2


@pytest.mark.parametrize("asked, said", [
    ({"Q": {"phi": 1}}, "there is no state `phi`"), ({"Q": [1, 2]}, "2 numbers for 4 states"), ({"Q": {"theta": -1}}, "is no weight"),
    ({"Q": 1, "R": 0}, "above 0"), ({"Q": 1, "R": 0}, "without `R` each has 1"), ({"Q": {"theta": 1}, "R": {"F": 1}}, "there is no input `F`"), ({"Q": 0}, "no gains")])
def test_bad_weights(linear, asked, said):
    with pytest.raises(dalembert.ModelError, match=said):
        linear.lqr(**asked)


def test_a_constrained_system():
    # A pendulum by Cartesian coordinates: the gains are those of the pendulum by its angle, on the tangent space.
    rod = dalembert.Model("rod")
    x, y = rod.coordinate("x", "m"), rod.coordinate("y", "m")
    m, g, length, f = rod.parameter("m", 1.0, "kg"), rod.parameter("g", 9.81, "m/s^2"), rod.parameter("l", 1.0, "m"), rod.input("f", 0)
    rod.kinetic, rod.potential = m / 2 * (x.dot**2 + y.dot**2), m * g * y
    rod.holonomic("rod", x**2 + y**2 - length**2)
    rod.generalized_force(x, f)
    rod.initial(x=0.0, x_dot=0.0)
    rod.initial(held=False, y=1.0)
    linear = rod.linearize()
    assert linear.states == ["x", "x'"]
    A, B = np.array([[0, 1], [9.81, 0]]), np.array([[0], [1.0]])
    X = linalg.solve_continuous_are(A, B, np.diag([1.0, 2.0]), np.eye(1))
    assert linear.lqr(Q={"x": 1, "x'": 2}).K == pytest.approx(B.T @ X, rel=1e-9)


@pytest.mark.parametrize("period", [None, 0.05])
def test_lqr_of_an_output_that_the_input_enters(period):
    """An acceleration costs: y = C z + D u, so that the cost has terms of z and u together and one of u alone."""
    linear = dalembert.parse(TEXT + "shake = \"x''\"\n").linearize()
    A, B, C, D = linear.abcd
    row = linear.outputs.index("shake")
    assert D[row, 0] != 0
    c, d = C[[row]], D[[row]]
    Q, R, N = np.diag([1.0, 10, 0, 0]) + 2 * c.T @ c, np.array([[0.1]]) + 2 * d.T @ d, 2 * c.T @ d
    control = linear.lqr(Q={"theta": 10, "x": 1, "shake": 2}, R={"f": 0.1}, period=period)
    if period is None:
        X = linalg.solve_continuous_are(A, B, Q, R, s=N)
        K = np.linalg.solve(R, B.T @ X + N.T)
    else:
        nodes, weights = np.polynomial.legendre.leggauss(20)
        whole, weight = np.block([[A, B], [np.zeros((1, 5))]]), np.block([[Q, N], [N.T, R]])
        flows = [linalg.expm(whole * (x + 1) * period / 2) for x in nodes]
        cost = sum(w * period / 2 * flow.T @ weight @ flow for w, flow in zip(weights, flows))
        Ad, Bd = np.hsplit(linalg.expm(whole * period)[:4], [4])
        X = linalg.solve_discrete_are(Ad, Bd, cost[:4, :4], cost[4:, 4:], s=cost[:4, 4:])
        K = np.linalg.solve(cost[4:, 4:] + Bd.T @ X @ Bd, Bd.T @ X @ Ad + cost[4:, :4])
    assert control.K == pytest.approx(K, rel=1e-8)


def test_periods_and_weights_as_they_are_written(linear):
    """A period with its unit, a diagonal matrix as weights; a matrix that is not diagonal and a period that is none say so."""
    K = linear.lqr(Q=[1, 10, 2, 3], R=0.1, period=0.02).K
    assert np.array_equal(linear.lqr(Q=np.diag([1, 10, 2, 3]), R=[[0.1]], period="20 ms").K, K)
    assert np.array_equal(linear.discrete("20 ms")[0], linear.discrete(0.02)[0])
    with pytest.raises(ValueError, match="diagonal matrix"):
        linear.lqr(Q=np.ones((4, 4)))
    for period in (0, -1, np.inf):
        with pytest.raises(dalembert.ModelError, match="not above 0"):
            linear.discrete(period)
