# SPDX-License-Identifier: Apache-2.0
"""Inputs from Python: values, samples, functions at a sample time, and runs step by step."""

import inspect
import os
import pickle
import signal

import dalembert
import numpy as np
import pytest


@pytest.fixture(scope="module")
def mass():
    m = dalembert.Model("mass")
    x, kg, f = m.coordinate("x", "m"), m.parameter("m", 2.0, "kg"), m.input("f")
    m.kinetic = kg / 2 * x.dot**2
    m.generalized_force(x, f)
    m.initial(x=0.0, x_dot=1.0)
    return m


def test_a_value(mass):
    run = mass.simulate(t=2.0, inputs={"f": 3.0})
    assert run.verdict and run["x"][-1] == pytest.approx(2 + 1.5 * 2**2 / 2, abs=1e-12)
    assert set(run["u/f"]) == {3.0} and run["x''"][0] == 1.5


def test_samples_are_joined_by_lines(mass):
    run = mass.simulate(t=2.0, inputs={"f": ([0, 1, 2], [0, 2, 2])})
    # v' = t until 1, then 1: x(2) = 2 + 1/6 + 1/2 + 1/2
    assert run["x"][-1] == pytest.approx(2 + 1 / 6 + 1, abs=1e-12)


def test_a_function_is_held_between_samples(mass):
    asked = []

    def controller(t, state):
        asked.append(t)
        return -4 * state["x"] - 4 * state["x'"]

    run = mass.simulate(t=1.0, inputs={"f": controller}, sample_time=0.25)
    assert asked == [0, 0.25, 0.5, 0.75]
    x, v = 0.0, 1.0
    for _ in range(4):
        a = (-4 * x - 4 * v) / 2
        x, v = x + v * 0.25 + a * 0.25**2 / 2, v + a * 0.25
    assert (run["x"][-1], run["x'"][-1]) == pytest.approx((x, v), abs=1e-12)


def test_rows_at_samples_have_what_was_held_until_then(mass):
    # Multiples of 0.1 and of 0.3 differ by round-off.
    run = mass.simulate(t=1.8, inputs={"f": lambda t, s: t}, sample_time=0.3, every=0.1)
    assert run["u/f"] == pytest.approx([0, *(0.3 * ((k - 1) // 3) for k in range(1, 19))], abs=1e-12)


def test_steps_end_where_they_are_asked_to_and_at_the_end(mass):
    stepper = mass.stepper(t=1.8, every=0.3)
    assert stepper.step_to(0.9) and stepper.t == 0.9
    while stepper.step(0.4):
        assert stepper.t <= 1.8
    assert stepper.t == 1.8 and len(stepper.finish()) == 7


def test_computed_torque_raises_a_pendulum():
    m = dalembert.Model("pendulum")
    theta, kg, l, g = m.coordinate("theta", "rad"), m.parameter("m", 2, "kg"), m.parameter("l", 0.5, "m"), m.parameter("g", 9.81, "m/s^2")
    m.kinetic, m.potential = kg * l**2 / 2 * theta.dot**2, -kg * g * l * dalembert.cos(theta)
    m.generalized_force(theta, m.input("tau"))
    w = 4
    run = m.simulate(t=3.0, inputs={"tau": lambda t, s: 0.5 * (w * w * (np.pi - s["theta"]) - 2 * w * s["theta'"]) + 9.81 * np.sin(s["theta"])}, sample_time=1e-3)
    assert run.verdict and run["theta"][-1] == pytest.approx(np.pi, abs=1e-3)


# theta is measured from upright. Gains of the pendulum that hangs, and none, let it fall.
def test_feedback_of_lqr_holds_the_pendulum_up():
    cart = dalembert.load("cart-pendulum")
    up, down = (cart.linearize(at={"theta": theta}) for theta in (0.0, np.pi))
    assert up.stability == "unstable" and max(one.real for one in up.eigenvalues) == pytest.approx(np.sqrt((1.5 + 0.4) * 9.81 / (1.5 * 0.6)), rel=0.01)
    q, v = cart.consistent(theta=0.1)
    assert q[1] == 0.1 and cart.eval(q, v)["qdd"]["theta"] > 1.5  # it falls if nothing holds it

    def run_with(K):
        return cart.simulate(q, v, t=15.0, inputs={"f": lambda t, state: -(K @ [state[name] for name in up.states])[0]}, sample_time=0.01)

    K = up.lqr(Q={"theta": 10, "x": 1}, R={"f": 0.1}, period=0.01).K
    held = run_with(K)
    assert max(abs(held["theta"])) < 0.2 and abs(held["theta"][-1]) < 1e-4 and abs(held["x"][-1]) < 1e-3
    for wrong in (0 * K, down.lqr(Q={"theta": 10, "x": 1}, R={"f": 0.1}, period=0.01).K):
        assert max(abs(run_with(wrong)["theta"])) > np.pi / 2


def test_step_by_step(mass):
    stepper = mass.stepper(t=1.0)
    assert stepper["x'"] == 1 and stepper.t == 0
    stepper.hold(f=2.0)
    assert stepper.step(0.5) and stepper.t == 0.5
    assert stepper["x"] == pytest.approx(0.5 + 0.125, abs=1e-13) and stepper.qdd[0] == pytest.approx(1)
    stepper.hold(f=0.0)
    assert stepper.step_to(5.0) and stepper.t == 1.0  # the end of the run
    assert not stepper.step()
    run = stepper.finish()
    assert run.status == "ok" and run["x"][-1] == pytest.approx(0.625 + 0.75, abs=1e-12)
    with pytest.raises(ValueError):
        stepper.step()


def test_wrong_inputs(mass):
    with pytest.raises(dalembert.ModelError, match="there is no input `g`"):
        mass.simulate(t=1.0, inputs={"g": 1.0})
    with pytest.raises(TypeError, match="sample_time="):
        mass.simulate(t=1.0, inputs={"f": lambda t, s: 0.0})
    with pytest.raises(dalembert.ModelError, match="not finite"):
        mass.simulate(t=1.0, inputs={"f": float("nan")})
    with pytest.raises(ZeroDivisionError):
        mass.simulate(t=1.0, inputs={"f": lambda t, s: 1 / 0}, sample_time=0.1)
    with pytest.raises(TypeError, match="do not go with"):
        mass.simulate(t=1.0, inputs={"f": 1.0}, cross_check=True)
    with pytest.raises(dalembert.ModelError, match="ascend"):
        mass.simulate(t=1.0, inputs={"f": ([0, 0], [1, 2])})
    with pytest.raises(Exception, match="known: `x`"):
        mass.stepper(t=1.0)["y"]
    # Neither pairs, of which two would be read as times and values, nor one array of numbers.
    for samples in ([(0, 1), (1, 2), (2, 3)], np.linspace(0, 1, 5), [[0, 1], ["a", 2]], None, {}):
        with pytest.raises(TypeError, match="the input 'f' takes a number, a text with its unit, samples"):
            mass.simulate(t=1.0, inputs={"f": samples})
    with pytest.raises(ValueError, match="2 times and 3 values"):
        mass.simulate(t=1.0, inputs={"f": ([0, 1], [1, 2, 3])})
    with pytest.raises(TypeError, match="the function of the input 'f' must return a number, not None"):
        mass.simulate(t=1.0, inputs={"f": lambda t, s: None}, sample_time=0.1)
    for never in (0, -0.1, float("nan"), "0 s"):
        with pytest.raises(ValueError, match="above 0"):
            mass.simulate(t=1.0, inputs={"f": lambda t, s: 0.0}, sample_time=never)
    for inputs in ({"f": 1.0}, {}, None):
        with pytest.raises(TypeError, match="sample_time= goes with"):
            mass.simulate(t=1.0, inputs=inputs, sample_time=0.1)


def test_a_table_of_two_rows_is_times_and_values(mass):
    of_arrays, of_lists = (mass.simulate(t=1.0, inputs={"f": samples}) for samples in (np.array([[0, 1], [0, 2]]), ([0, 1], [0, 2])))
    assert of_arrays["x"].tolist() == of_lists["x"].tolist()


def test_samples_that_end_before_the_run_are_warned_of(mass):
    line = inspect.currentframe().f_lineno + 2
    with pytest.warns(dalembert.ModelWarning, match="from 0 to 1 s, the run from 0 to 2 s") as said:
        mass.simulate(t=2.0, inputs={"f": ([0, 1], [0, 2])})
    assert [(one.message.diagnostic.code, one.filename, one.lineno) for one in said] == [("W0504", __file__, line)]
    with pytest.warns(dalembert.ModelWarning, match="backwards in time, from t = 0 s to -1 s"):
        mass.simulate(t=-1.0)


def test_what_cannot_begin_is_helped_where_that_helps(mass):
    rod = dalembert.load("cartesian-pendulum")
    with pytest.raises(dalembert.ModelError, match="model.consistent"):
        rod.simulate([1.0, 2.0], [0.0, 0.0], t=1.0)
    light = dalembert.Model("light")
    x, = light.coordinates("x")
    light.kinetic = 0*x.dot**2
    light.potential = x
    with pytest.raises(dalembert.ModelError, match="the run cannot start") as wrong:
        light.simulate(t=1.0)
    assert "consistent" not in str(wrong.value)
    free = dalembert.Model("node")
    y, node = free.coordinates("y node")
    free.kinetic = y.dot**2/2
    free.potential = (y - node)**2 + node**2
    with pytest.raises(dalembert.ModelError, match="`node`"):  # as the command: what to write instead
        free.simulate(t=1.0)


# Ctrl-C in a function of an input is raised there, between the steps of the run.
def test_ctrl_c_in_a_function_keeps_the_run(mass):
    def push(t, stepper):
        if t > 0.495:
            os.kill(os.getpid(), signal.SIGINT)
        return 1.0

    # A job in the background of a script ignores Ctrl-C, and Python leaves it at that.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(dalembert.Interrupted) as caught:
            mass.simulate(t=5.0, inputs={"f": push}, sample_time=0.01)
    finally:
        signal.signal(signal.SIGINT, before)
    run = caught.value.run
    assert run.status == "stopped" and run.t[-1] == pytest.approx(0.5) and run["x"][-1] == pytest.approx(0.5 + 0.5**2 / 4)
    assert str(caught.value) == run.reason == "stopped at t = 0.5 s"
    twin = pickle.loads(pickle.dumps(caught.value))
    assert str(twin) == str(caught.value) and np.array_equal(twin.run["x"], run["x"])
