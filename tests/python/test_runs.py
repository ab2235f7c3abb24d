# SPDX-License-Identifier: Apache-2.0
"""Runs: series without copies, starts, the end of a run by Ctrl-C, with SciPy and pandas."""

import gc
import inspect
import os
import pickle
import resource
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import dalembert


def test_series_by_name_without_copies():
    model = dalembert.load("slider-crank")
    run = model.simulate(t=1.0)
    assert run.status == "ok" and run.verdict and "verdict: holds" in str(run.verdict)
    theta, force = run["theta"], run["lambda/pin[1]"]
    assert theta.shape == run.t.shape == (len(run),) and not theta.flags.writeable and not theta.flags.owndata
    assert np.shares_memory(theta, run["q/theta"])
    assert run.unit("lambda/pin[1]") == "N" and "theta''" in run and "psi" not in run
    with pytest.raises(dalembert.ModelError, match="E0102"):
        run["thetta"]
    last = theta[-1], force[-1]
    del run, model
    gc.collect()
    assert (theta[-1], force[-1]) == last  # an array keeps the run's numbers


def test_the_numbers_of_the_closed_form():
    # x = 0.1 cos(5 t) of a mass of 2 kg on a spring of 50 N/m
    model = dalembert.Model("mass-spring")
    x, = model.coordinates("x", units="m")
    m, k = model.parameters(m="2 kg", k="50 N/m")
    model.kinetic = m*x.dot**2/2
    model.spring(x, stiffness=k)
    model.initial(x=0.1, x_dot=0.0)
    run = model.simulate(t=10.0, rtol=1e-11, times=np.linspace(0, 10, 101))
    np.testing.assert_allclose(run["x"], 0.1*np.cos(5*run.t), atol=1e-9)
    other = model.simulate(t=1.0, params={"k": 200.0})
    assert other["x"][-1] == pytest.approx(0.1*np.cos(10), abs=1e-7)


def test_starts():
    model = dalembert.load("slider-crank")
    q, v = model.consistent(theta=0.3, v={"theta": 2.0})
    assert q[0] == 0.3 and v[0] == 2.0
    run = model.simulate(q, v, t=0.5)
    np.testing.assert_array_equal([run["theta"][0], run["theta'"][0]], [0.3, 2.0])
    with pytest.raises(dalembert.ModelError, match="E0302"):
        model.consistent(q={"theta": 0.3, "x": 99.0})
    with pytest.raises(dalembert.ModelError, match="did you mean"):
        model.consistent(thetta=0.3)
    with pytest.raises(TypeError):
        model.simulate(q)
    with pytest.raises(ValueError):
        model.simulate(q[:2], v)
    with pytest.raises((TypeError, ValueError, RuntimeError)):
        model.simulate("abc", v)
    (bad,) = model.simulate_many([(np.full(3, np.nan), v)], t=1.0)
    assert bad.status == "failed" and bad.reason and not bad.verdict and len(bad) == 0


def test_derivatives_by_parameters_and_initial_values(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    # x = cos(w t) with w^2 = k/m, from a start that is a formula of the parameter a
    text = """name = "oscillator"
coordinates = ["x"]
[parameters]
m = 1.0
k = 1.0
a = 2.0
[energy]
kinetic = "m/2*x'^2"
potential = "k/2*x^2"
[initial]
position = {x = "a/2"}
velocity = {x = 0}
"""
    with open("oscillator.toml", "w", encoding="utf-8") as file:
        file.write(text)
    model = dalembert.load("oscillator.toml")
    run = model.simulate(t=2.0, sensitivity=["k", "a", "x'"], rtol=1e-11, every=0.5)
    np.testing.assert_allclose(run["sens/k/q/x"], -run.t / 2 * np.sin(run.t), atol=1e-9)
    np.testing.assert_allclose(run["sens/a/q/x"], np.cos(run.t) / 2, atol=1e-9)
    np.testing.assert_allclose(run["sens/x'/q/x"], np.sin(run.t), atol=1e-9)
    # The start moves with the parameters that it is a formula of, as with --set.
    assert model.simulate(t=1.0, params={"a": 3.0})["x"][0] == pytest.approx(1.5)
    with pytest.raises(dalembert.ModelError, match="E0403"):
        model.simulate(t=1.0, sensitivity=["kk"])
    with pytest.raises(TypeError, match="own start"):
        model.simulate([1.0], [0.0], 1.0, sensitivity=["k"])


def test_gradients():
    # x = a/2 cos t with ω² = k/m: at t = 2 by k, by a, and by the held velocity.
    with open("oscillator.toml", "w", encoding="utf-8") as file:
        file.write("""name = "oscillator"
coordinates = ["x"]
parameters = {m = 1.0, k = 1.0, a = 2.0}
energy = {kinetic = "m/2*x'^2", potential = "k/2*x^2"}
initial = {position = {x = "a/2"}, velocity = {x = 0}}
outputs = {place = "x", path = "integral(x)"}
""")
    model = dalembert.load("oscillator.toml")
    run = model.simulate(t=2.0, gradient_of=["place", "path"], rtol=1e-11)
    place, path = run.gradient["place"], run.gradient["path"]
    assert list(place) == ["m", "k", "a", "x", "x'"]
    assert place["k"] == pytest.approx(-np.sin(2), abs=1e-9) and place["m"] == pytest.approx(np.sin(2), abs=1e-9)
    assert place["a"] == pytest.approx(np.cos(2) / 2, abs=1e-9) and place["x'"] == pytest.approx(np.sin(2), abs=1e-9)
    assert path["x'"] == pytest.approx(1 - np.cos(2), abs=1e-9) and path["a"] == pytest.approx(np.sin(2) / 2, abs=1e-9)
    formula = model.simulate(t=2.0, gradient_of="final(x)*k", rtol=1e-11).gradient["final(x)*k"]
    assert formula["k"] == pytest.approx(np.cos(2) - np.sin(2), abs=1e-9)
    with pytest.raises(dalembert.ModelError, match="E0440"):
        model.simulate(t=1.0, gradient_of="plce")
    with pytest.raises(TypeError, match="do not go together"):
        model.simulate(t=1.0, gradient_of="place", sensitivity="k")


def test_wrong_settings():
    model = dalembert.load("slider-crank")
    for wrong in ({"rtol": 2.0}, {"method": "euler"}, {"formulation": "index9"}):
        with pytest.raises(dalembert.ModelError, match="E04"):
            model.simulate(t=1.0, **wrong)


def test_every_setting_of_a_model_is_a_keyword():
    # Oracle: the table of settings (model/statements.h); the end of a run is the argument t.
    assert len(dalembert._core.settings()) >= 7
    assert set(dalembert._core.settings()) - {"until"} <= set(inspect.signature(dalembert.Model.simulate).parameters)


def test_the_command_reads_what_is_saved(tmp_path):
    run = dalembert.load("slider-crank").simulate(t=0.5)
    run.save(tmp_path / "run.csv")
    header, *rows = (tmp_path / "run.csv").read_text().splitlines()
    assert header.split(",") == run.names and len(rows) == len(run)
    assert float(rows[-1].split(",")[1]) == run[run.names[1]][-1]
    with pytest.raises(ValueError, match="csv"):
        run.save(tmp_path / "run.mcap")


def test_a_data_frame():
    pandas = pytest.importorskip("pandas")
    run = dalembert.load("chaplygin-sleigh").simulate(t=1.0)
    frame = run.to_dataframe()
    assert isinstance(frame, pandas.DataFrame) and frame.index.name == "time"
    np.testing.assert_array_equal(frame["lambda/knife"], run["lambda/knife"])
    least, when, largest, _ = run.peaks("lambda/knife")["lambda/knife"]
    assert least == run["lambda/knife"].min() and largest == run["lambda/knife"].max() and when in run.t


def test_solve_ivp_takes_the_right_hand_side():
    # Oracle: our own run at a tighter tolerance.
    integrate = pytest.importorskip("scipy.integrate")
    model = dalembert.load("double-pendulum")
    q, v = model.consistent()
    rhs = model.rhs()
    y = np.concatenate([q, v])
    end = model.simulate(q, v, t=2.0, rtol=1e-12)
    expected = np.concatenate(end.final())
    assert integrate.solve_ivp(rhs, (0, 2), y, rtol=1e-10, atol=1e-12, method="DOP853").y[:, -1] == pytest.approx(expected, abs=1e-6)
    assert integrate.solve_ivp(rhs, (0, 2), y, rtol=1e-8, atol=1e-10, method="Radau", jac=rhs.jac).y[:, -1] == pytest.approx(expected, abs=1e-4)
    J, h = rhs.jac(0.0, y), 1e-6
    differences = np.array([(rhs(0.0, y + h*e) - rhs(0.0, y - h*e))/(2*h) for e in np.eye(len(y))]).T
    np.testing.assert_allclose(J, differences, rtol=1e-6, atol=1e-6)


def test_ctrl_c_keeps_the_run():
    model = dalembert.load("double-pendulum")
    # A job in the background of a script ignores Ctrl-C, and Python leaves it at that.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        begun = time.monotonic()
        with pytest.raises(KeyboardInterrupt) as caught:
            model.simulate(t=1e7, max_steps=10**7)
        assert time.monotonic() - begun < 10
    finally:
        signal.signal(signal.SIGINT, before)
    run = caught.value.run
    assert run.status == "stopped" and "interrupted" in run.reason and len(run) > 100


def run_script(text):
    return subprocess.run([sys.executable, "-c", textwrap.dedent(text)], capture_output=True, text=True, timeout=60)


def test_python_ends_while_a_run_goes_on():
    done = run_script("""
        import threading, time, dalembert
        model = dalembert.load("double-pendulum")
        threading.Thread(target=lambda: model.simulate(t=1e7, max_steps=10**9), daemon=True).start()
        time.sleep(0.3)
        print("over")
    """)
    assert (done.returncode, done.stdout, done.stderr) == (0, "over\n", "")


def test_importing_opens_no_llvm_and_no_numpy():
    done = run_script("""
        import sys, dalembert
        model = dalembert.load("slider-crank")
        str(model.equations)
        print("numpy" in sys.modules, "LLVM" in open("/proc/self/maps").read())
    """)
    assert done.stdout == "False False\n", done.stdout + done.stderr


@pytest.mark.skipif("DALEMBERT_TEST_SANITIZED" in os.environ, reason="a sanitizer keeps what was freed for a while")
def test_parameters_everywhere():
    model = dalembert.load("slider-crank")
    q, v = model.consistent()
    heavy = {"m1": 2.0}
    want = model.eval(q, v, params=heavy)["qdd"]
    f = model.compile("qdd A W", params=heavy)
    np.testing.assert_allclose(f.qdd(q, v), list(want.values()), rtol=1e-12)
    np.testing.assert_array_equal(f.A(q, v), f.W(q, v))
    np.testing.assert_allclose(model.rhs(params=heavy)(0.0, np.concatenate([q, v]))[3:], f.qdd(q, v), rtol=1e-12)
    assert model.analyze(params=heavy).dof == (1, 1)
    with pytest.raises(dalembert.ModelError, match="unknown parameter"):
        model.compile("qdd", params={"mm": 1.0})
    with pytest.raises(ValueError, match="auto"):
        model.compile("qdd", lanes=3)


@pytest.mark.skipif("DALEMBERT_TEST_SANITIZED" in os.environ, reason="a sanitizer keeps what was freed for a while")
def test_nothing_leaks():
    def one():
        model = dalembert.Model("leak")
        x, y = model.coordinates("x y")
        model.kinetic = x.dot**2 + y.dot**2*(1 + dalembert.sin(x)**2)
        model.holonomic("row", x - y)
        model.equations["M[y,y]"]
        try:
            model.holonomic("late", x)
        except dalembert.ModelError:
            pass

    def resident():
        gc.collect()
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1])*resource.getpagesize()

    for _ in range(300):
        one()
    before = resident()
    for _ in range(3000):
        one()
    # Each model takes some 100 kB while it lives.
    assert resident() - before < 20e6


def test_events_of_a_model_stated_in_python():
    # A ball from 1 m: t1 = sqrt(2/g), then a flight of 2*0.8*sqrt(2 g)/g.
    model = dalembert.Model("ball")
    y, = model.coordinates("y", units="m")
    model.kinetic = y.dot**2/2
    model.potential = 9.81*y
    model.event("bounce", y, "down", set={"y'": -0.8*y.dot})
    model.event("top", y.dot, "down", stop=True)
    model.initial(y=1.0, y_dot=0.0)
    run = model.simulate(t=3.0)
    first = np.sqrt(2/9.81)
    assert [name for name, _ in run.events] == ["bounce", "top"]
    assert [event.kind for event in run.events] == ["event", "stop"]
    assert [event.kind for event in run.events] == [event["kind"] for event in run.to_dict()["events"]]
    assert pickle.loads(pickle.dumps(run.events[1])).kind == "stop" and run.events[0] == ("bounce", run.events[0].t)
    np.testing.assert_allclose([t for _, t in run.events], [first, first + 0.8*first], atol=1e-12)
    assert run.status == "ok" and run.t[-1] == run.events[-1][1] and run["y"][-1] == pytest.approx(0.64, abs=1e-12)
    with pytest.raises(ValueError, match="sideways"):
        model.event("wrong", y, "sideways")
    other = dalembert.Model("other")
    z, = other.coordinates("z")
    with pytest.raises(dalembert.ModelError, match="E0281"):
        other.event("wrong", z, set={"y": 0})


def test_contacts_of_a_model_stated_in_python():
    # A ball of radius 0.1 m falls 1 m onto the floor: t1 = sqrt(2/g). The rope above it is slack all the time.
    model = dalembert.Model("ball")
    x, y = model.coordinates("x y", units="m m")
    model.kinetic = (x.dot**2 + y.dot**2)/2
    model.potential = 9.81*y
    hook = model.point("hook", [0, 1.2])
    ground = model.point("O", [0, 0])
    ball = model.point("ball", [x, y])
    model.contact("ground", ball, ground, [0, 2], radius=0.1, restitution=0.5)
    model.distance("rope", hook, ball, at_most=1.15)
    model.initial(x=0.0, y=1.1, x_dot=0.0, y_dot=0.0)
    run = model.simulate(t=0.6)
    first = np.sqrt(2/9.81)
    impact, = (event for event in run.to_dict()["events"] if event["kind"] == "impact")
    assert impact["name"] == "ground" and impact["t"] == pytest.approx(first, abs=1e-12)
    assert impact["impulse"]["ground"] == pytest.approx(1.5*np.sqrt(2*9.81), abs=1e-11)
    assert run["gap/ground"][0] == 1.0 and not run["contact/rope"].any() and run.verdict
    assert run["gap/rope"].min() == pytest.approx(0.05, abs=1e-6)
    disk = dalembert.Model("disk")
    x, y, phi = disk.coordinates("x y phi", units="m m rad")
    disk.kinetic = (x.dot**2 + y.dot**2)/2 + phi.dot**2/400
    disk.potential = 9.81*y
    frame = disk.frame("disk", origin=[x, y], rotate=phi)
    disk.contact("ground", disk.point("C", [x, y]), disk.point("O", [0, 0]), [0, 1], radius=0.1, restitution=0.5, friction=0.2, frame=frame)
    disk.output("last", disk.impulse("ground"))
    disk.output("high", (1 - disk.closed("ground"))*disk.gap("ground"))
    disk.initial(x=0.0, y=1.1, phi=0.0, x_dot=3.0, y_dot=0.0, phi_dot=0.0)
    run = disk.simulate(t=3.0)
    assert run["v/x"][-1] == pytest.approx(2, abs=1e-12)  # it rolls in the end: x' (1 + 1/2) = 3
    assert run["output/high"][0] == 1 and run["output/high"][-1] == 0 and run["output/last"][0] == 0
    assert run["output/last"].max() == pytest.approx(1.5*np.sqrt(2*9.81), abs=1e-11)
    with pytest.raises(dalembert.ModelError, match="E0287"):
        other = dalembert.Model("other")
        z, = other.coordinates("z")
        other.holonomic("stop", z - 1, unilateral=True)
        other._state("sliding_speed", "stop")
    # In space friction has two directions: a block that slides at (3, 4) m/s stops after 5/(mu g), on its line.
    block = dalembert.Model("block")
    x, y, z = block.coordinates("x y z", units="m m m")
    block.kinetic = (x.dot**2 + y.dot**2 + z.dot**2)/2
    block.potential = 9.81*z
    block.contact("floor", block.point("P", [x, y, z]), block.point("O", [0, 0, 0]), [0, 0, 1], friction=0.5)
    block.initial(x=0.0, y=0.0, z=0.0, x_dot=3.0, y_dot=4.0, z_dot=0.0)
    run = block.simulate(t=2.0)
    stop, = (event for event in run.to_dict()["events"] if event["kind"] == "stick")
    assert stop["t"] == pytest.approx(5/(0.5*9.81), abs=1e-11)
    assert run["q/y"][-1] == pytest.approx(0.8*25/9.81, abs=1e-10) and run["q/x"][-1] == pytest.approx(0.6*25/9.81, abs=1e-10)
    assert run["friction/floor[2]"][0] == pytest.approx(0.8*0.5*9.81)
    with pytest.raises(TypeError, match="at_least"):
        model.distance("two", hook, ball, 1, at_most=2)
    other = dalembert.Model("other")
    z, = other.coordinates("z")
    with pytest.raises(dalembert.ModelError, match="E0285"):
        other.holonomic("stop", z - 1, unilateral=True, restitution=2)


def test_parameters_that_a_model_file_may_not_have_do_not_run():
    ball = dalembert.load("bouncing-ball")
    with pytest.raises(dalembert.ModelError, match="restitution"):
        ball.simulate(t=0.1, params={"e": 1.2})
    good, wrong = ball.simulate_many(params=[{"e": 0.5}, {"e": 1.2}], t=0.1)
    assert good.status == "ok" and wrong.status == "failed" and "restitution" in wrong.reason


def test_many_runs_are_those_one_by_one():
    crank = dalembert.load("slider-crank")
    params = [{"L1": 0.1 + 0.01 * k} for k in range(8)] + [{"L1": 5.0}]
    many = crank.simulate_many(params=params, t=0.5, threads=3)
    for one, run in zip(params[:8], many):
        alone = crank.simulate(t=0.5, params=one)
        assert np.array_equal(run["x"][-1:], alone["x"][-1:]) or run["x"][-1] == pytest.approx(alone["x"][-1], rel=1e-12)
        assert run.verdict
    assert many[8].status == "failed" and many[8].reason
    starts = [crank.consistent(theta=0.1 * k, v={"theta": 3.0}) for k in range(5)]
    for (q, v), run in zip(starts, crank.simulate_many(starts, t=0.5)):
        assert run["theta"][0] == q[0] and run["x"][-1] == pytest.approx(crank.simulate(q, v, t=0.5)["x"][-1], rel=1e-12)
    with pytest.raises(TypeError):
        crank.simulate_many()
    with pytest.raises(ValueError):
        crank.simulate_many(starts, [{}])


def test_integrals_over_a_run():
    # Oracles: the way is the change of x; what the damper takes, the energy loses; backwards it is given back.
    model = dalembert.Model("damped")
    x, = model.coordinates("x", units="m")
    c = model.parameter("c", "0.3 N*s/m")
    model.kinetic = x.dot**2/2
    model.potential = 2*x**2
    model.damper(x, damping=c)
    model.initial(x=1.0)
    model.output("way", model.integral(x.dot))
    model.output("heat", model.integral(c*x.dot**2) + model.energy())
    model.event("spent", model.integral(c*x.dot**2) - 1, stop=True)
    assert str(model.integral(x.dot)) == "integral(x')"
    twin = pickle.loads(pickle.dumps(model))
    assert twin == model
    run = model.simulate(t=5)
    np.testing.assert_allclose(run["output/way"], run["q/x"] - 1, atol=1e-9)
    np.testing.assert_allclose(run["output/heat"], 2, atol=1e-9)
    assert run["energy/total"][-1] == pytest.approx(1, abs=1e-9) and run.t[-1] < 5
    back = model.simulate(t=-1)
    np.testing.assert_allclose(back["output/heat"], 2, atol=1e-8)
    assert model.linearize().C.shape == (0, 2)  # no state determines them
    wrong = dalembert.Model("wrong")
    y, = wrong.coordinates("y")
    with pytest.raises(dalembert.ModelError, match="E0288"):
        wrong.integral(wrong.integral(y))


def test_what_is_no_number_is_named():
    # Truth: no message names types of C++.
    model = dalembert.load("slider-crank")
    for call, words in (
        (lambda: model.simulate(params={"L1": [1]}), "`L1` must be a number, not [1]"),
        (lambda: model.simulate(params=5), "a dict of numbers by name"),
        (lambda: model.simulate(rtol=[1e-6]), "`rtol` must be a number"),
        (lambda: model.simulate(method=3), "`method` must be a text, not 3"),
        (lambda: model.simulate(times=[[1]]), "`times` must be a number, not [1]"),
        (lambda: model.simulate(inputs=5), "inputs= takes a dict"),
        (lambda: model.consistent(theta=[1]), "`theta` must be a number"),
        (lambda: model.simulate({"theta": 1}, {"theta": 0}), "q is a sequence of numbers, in the order of the model"),
        (lambda: model.linearize(at=5), "a state is"),
        (lambda: model.linearize(at={"theta": object()}), "`theta` must be a number"),
    ):
        with pytest.raises(TypeError) as error:
            call()
        assert words in str(error.value), str(error.value)
        assert "C++" not in str(error.value)
