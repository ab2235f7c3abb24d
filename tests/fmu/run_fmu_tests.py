#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""FMUs that the command exports, run by a master of their own (fmi_master.c), which knows FMI 2.0 from the standard.

    run_fmu_tests.py --dalembert PROGRAM [unittest arguments]
"""

import argparse
import os
import shutil
import subprocess
import sys
import unittest

import contact_tests
import guard_tests
import integral_tests
import fmu_rules
from contact_tests import Contacts
from guard_tests import Guards
from integral_tests import Integrals
from fmu_tools import DISCARD, ERROR, NAN, OK, WARN, WARNING, Tools, close, needs_library

TOOLS = None
__all__ = ["Contacts", "Guards", "Integrals"]  # run with those below

ROUND = """name = "round"
coordinates = [{name = "x"}, {name = "y"}]
[parameters]
c = 1
[energy]
kinetic = "(x'^2 + y'^2)/2"
potential = "y"
[[constraint]]
name = "circle"
holonomic = "x^2 + y^2 - c"
[initial]
position = {x = 0.6}
guess = {y = -0.8}
"""


class CoSimulation(unittest.TestCase):
    """The truth is `simulate` at a tolerance 1000 times smaller, with another method (of order 8); a run at 1e-9 may be off by what
    its steps add up to, for which 1e-6 of the size of each quantity is allowed. Constraints are at round-off in both."""

    def compare(self, model, until, steps, settings=(), set_words=(), extra=(), export=()):
        fmu = TOOLS.export(model, *export)
        expected = TOOLS.simulate(model, until, *set_words, *export)
        names = [name for name in fmu.series if name in expected]
        for prefix in ("q/", "v/"):
            self.assertTrue(any(name.startswith(prefix) for name in names), names)
        for name in extra:
            self.assertIn(name, names)
        with TOOLS.master(fmu) as master:
            master.begin(0, "cs", settings=[(fmu.vr[name], value) for name, value in settings])
            values = master.ok("run", 0, 0.0, until / steps, steps, *(fmu.series[name] for name in names))
            # Those of one kind are of one size: a force that is nearly zero beside others is not more exact than they.
            sizes = {}
            for name in names:
                kind = name.split("/")[0]
                sizes[kind] = max(sizes.get(kind, 1.0), abs(expected[name]))
            for name, value in zip(names, values):
                self.assertTrue(close(value, expected[name], 1e-6 * sizes[name.split("/")[0]]),
                                f"{model}: {name} = {value} instead of {expected[name]}")
            off = master.ok("get", 0, fmu.vr["solver.position_residual"], fmu.vr["solver.velocity_residual"])
            self.assertLess(max(off), 1e-13 * max(1.0, sizes["q"], sizes["v"]))
            master.ok("terminate", 0)
            master.ok("free", 0)
            made, released = master.ok("memory", 0)
            self.assertEqual(made, released)
        return values

    @needs_library
    def test_slider_crank(self):
        for steps in (1, 7, 500):
            self.compare("slider-crank", 1.0, steps, extra=["lambda/pin[1]", "lambda/pin[2]", "energy/total"])

    @needs_library
    def test_a_motion_that_is_not_holonomic(self):
        self.compare("chaplygin-sleigh", 2.0, 20)
        self.compare("rattleback", 0.5, 20)

    @needs_library
    def test_attitudes_by_quaternions(self):
        self.compare("heavy-top", 0.5, 50)
        self.compare("quadrotor-slung-load", 0.5, 10)

    @needs_library
    def test_without_constraints(self):
        self.compare("double-pendulum", 1.0, 10)
        self.compare("mass-spring", 1.0, 3)

    @needs_library
    def test_inputs_and_outputs(self):
        self.compare("cart-pendulum", 1.0, 10, settings=[("f", 1.5)], set_words=["--set", "f=1.5"])
        # Inputs that nobody sets follow the model's formulas, exactly in time and not only at communication points.
        self.compare("delta-robot", 0.3, 3)

    @needs_library
    def test_prescribed_coordinates(self):
        self.compare("three-link-snake", 1.0, 10)

    @needs_library
    def test_redundant_rows(self):
        self.compare("cartesian-pendulum", 1.0, 10)

    @needs_library
    def test_parameters_of_the_start(self):
        # Another crank: what the model states of its start stays (theta), the rest is found again.
        self.compare("slider-crank", 0.5, 5, settings=[("L1", 0.2), ("m3", 2.5)], set_words=["--set", "L1=0.2 m", "--set", "m3=2.5 kg"])

    @needs_library
    def test_a_start_from_outside(self):
        self.compare("slider-crank", 0.5, 5, settings=[("theta", 0.8), ("velocity.theta", -3.0)],
                     set_words=["--set", "theta=0.8 rad", "--set", "theta'=-3 rad/s"])

    @needs_library
    def test_a_start_time(self):
        # tau_1 of the robot is a sine of t: a run that begins later is another one. Oracle: the same run in two pieces.
        fmu = TOOLS.export("delta-robot")
        states = [fmu.series[name] for name in fmu.series if name.startswith(("q/", "v/"))]
        with TOOLS.master(fmu) as master:
            master.begin(0, "cs")
            master.ok("run", 0, 0.0, 0.1, 1)
            middle = master.ok("get", 0, *states)
            end = master.ok("run", 0, 0.1, 0.1, 1, *states)
            master.begin(1, "cs", start=0.1, settings=list(zip(states, middle)))
            again = master.ok("run", 1, 0.1, 0.1, 1, *states)
            for a, b in zip(end, again):
                self.assertTrue(close(a, b, 1e-8 * (1 + abs(a))), (a, b))

    @needs_library
    def test_inputs_change_between_steps(self):
        # A mass on wheels and a pendulum: momentum along x is the integral of the force, so two halves with f and −f end with none.
        fmu = TOOLS.export("cart-pendulum")
        with TOOLS.master(fmu) as master:
            master.begin(0, "cs")
            start = master.ok("get", 0, *(fmu.series[n] for n in fmu.series if n.startswith("v/")))
            master.ok("set", 0, fmu.vr["f"], 2.0)
            self.assertEqual(master.ok("get", 0, fmu.vr["f"]), [2.0])
            master.ok("run", 0, 0.0, 0.05, 2)
            moving = master.ok("get", 0, *(fmu.series[n] for n in fmu.series if n.startswith("v/")))
            self.assertNotEqual(start, moving)

    @needs_library
    def test_derivatives_of_inputs(self):
        # An input that is a polynomial of t, by its derivatives at the beginning of one step, and by a formula in the model.
        fmu = TOOLS.export("cart-pendulum")
        expected = TOOLS.simulate("cart-pendulum", 0.5, "--set", "f=1 + 2*t - 3*t^2 + t^3")
        with TOOLS.master(fmu) as master:
            master.begin(0, "cs")
            f = fmu.vr["f"]
            master.ok("set", 0, f, 1.0)
            for order, value in ((1, 2.0), (2, -6.0), (3, 6.0)):
                master.ok("slope", 0, f, order, value)
            names = [name for name in fmu.series if name.startswith(("q/", "v/"))]
            values = master.ok("run", 0, 0.0, 0.5, 1, *(fmu.series[name] for name in names))
            for name, value in zip(names, values):
                self.assertTrue(close(value, expected[name], 1e-7), (name, value, expected[name]))
            self.assertTrue(close(master.ok("get", 0, f)[0], 1 + 1 - 0.75 + 0.125, 1e-12))
            self.assertEqual(master.say("slope", 0, f, 5, 1.0)[0], ERROR)
            self.assertEqual(master.say("slope", 0, fmu.series[names[0]], 1, 1.0)[0], ERROR)

    @needs_library
    def test_tolerances_are_kept(self):
        # The error follows the tolerance, and a step of any length is divided as it needs.
        fmu = TOOLS.export("slider-crank")
        expected = TOOLS.simulate("slider-crank", 1.0)
        errors, steps = [], []
        with TOOLS.master(fmu) as master:
            for instance, tolerance in enumerate((1e-4, 1e-6, 1e-8, 1e-10)):
                master.begin(instance, "cs", tolerance=tolerance)
                value = master.ok("run", instance, 0.0, 1.0, 1, fmu.vr["theta"])[0]
                errors.append(abs(value - expected["q/theta"]))
                steps += master.ok("get-integer", instance, fmu.vr["solver.steps"])
        for tolerance, error in zip((1e-4, 1e-6, 1e-8, 1e-10), errors):
            self.assertLess(error, 1e3 * tolerance)
        self.assertEqual(sorted(steps), steps)
        self.assertGreater(steps[3], 4 * steps[0])

    @needs_library
    def test_parameters_during_a_run(self):
        # The crank grows during the run: the state is brought onto the new constraints, by a little, and the run goes on.
        fmu = TOOLS.export("slider-crank")
        with TOOLS.master(fmu) as master:
            master.begin(0, "cs")
            master.ok("run", 0, 0.0, 0.1, 1)
            before = master.ok("get", 0, fmu.vr["theta"], fmu.vr["phi"], fmu.vr["x"])
            master.ok("set", 0, fmu.vr["L1"], 0.151)
            after = master.ok("get", 0, fmu.vr["theta"], fmu.vr["phi"], fmu.vr["x"])
            self.assertNotEqual(before, after)
            self.assertLess(max(abs(a - b) for a, b in zip(before, after)), 0.01)
            self.assertLess(max(master.ok("get", 0, fmu.vr["solver.position_residual"], fmu.vr["solver.velocity_residual"])), 1e-14)
            master.ok("run", 0, 0.1, 0.1, 1)

    @needs_library
    def test_parameters_that_cannot_be(self):
        # x² + y² = c with c < 0 is nowhere: refused with a reason, and undone by a better value.
        folder = TOOLS.new_folder()
        (folder / "round.toml").write_text(ROUND, encoding="utf-8")
        fmu = TOOLS.export(str(folder / "round.toml"))
        with TOOLS.master(fmu) as master:
            master.begin(0, "cs")
            master.ok("run", 0, 0.0, 0.1, 1)
            master.ok("set", 0, fmu.vr["c"], -1.0)
            self.assertEqual(master.say("step", 0, 0.1, 0.1)[0], ERROR)
            self.assertIn("cannot be brought onto the constraints", master.log())
            master.ok("set", 0, fmu.vr["c"], 1.0)
            master.ok("step", 0, 0.1, 0.1)
            # And before the start.
            master.ok("new", 1, "cs")
            master.ok("setup", 1, 1e-9, 0.0, NAN)
            master.ok("set", 1, fmu.vr["c"], -1.0)
            master.ok("enter", 1)
            self.assertEqual(master.say("exit", 1)[0], ERROR)
            self.assertIn("no start that is consistent with the constraints", master.log())
            master.ok("set", 1, fmu.vr["c"], 4.0)
            master.ok("exit", 1)
            self.assertTrue(close(master.ok("get", 1, fmu.vr["x"])[0], 0.6, 1e-14))  # what the model states stays

    @needs_library
    def test_prescribed_coordinates_at_another_time(self):
        fmu = TOOLS.export("three-link-snake")
        expected = TOOLS.simulate("three-link-snake", 0.5)
        with TOOLS.master(fmu) as master:
            master.begin(0, "cs", start=0.5)
            for name in ("q/alpha1", "q/alpha2", "v/alpha1", "v/alpha2"):
                self.assertTrue(close(master.ok("get", 0, fmu.series[name])[0], expected[name], 1e-12), name)
            self.assertEqual(master.ok("get", 0, fmu.vr["x"], fmu.vr["y"], fmu.vr["theta"]), [0.0, 0.0, 0.0])
            # What follows a function of time is not chosen.
            master.ok("new", 1, "cs", "log")
            master.ok("set", 1, fmu.vr["alpha1"], 0.3)
            self.assertEqual(master.say("init", 1)[0], WARNING)


class States(unittest.TestCase):
    """What instances remember. The truth is the instance itself: the same bits as before, whatever happened in between."""

    @needs_library
    def test_rewinding(self):
        for model in ("slider-crank", "heavy-top", "delta-robot"):
            fmu = TOOLS.export(model)
            everything = [int(v.get("valueReference")) for v in fmu.variables if v[0].tag == "Real"]
            with TOOLS.master(fmu) as master:
                master.begin(0, "cs")
                master.ok("run", 0, 0.0, 0.05, 2)
                master.ok("keep", 0)
                first = master.ok("run", 0, 0.1, 0.05, 4, *everything)
                other = [v for v in fmu.variables if v.get("causality") == "parameter"][0]
                master.ok("set", 0, other.get("valueReference"), float(other[0].get("start")) * 1.5)
                master.say("run", 0, 0.3, 0.05, 1)
                master.ok("rewind", 0)
                self.assertEqual(master.ok("run", 0, 0.1, 0.05, 4, *everything), first, model)
                # As bytes, in another instance, whatever its own state is.
                master.ok("rewind", 0)
                master.ok("keep", 0)
                self.assertGreater(master.ok("write-state", 0)[0], 0)
                master.ok("new", 1, "cs")
                master.ok("read-state", 1, 0, 0)
                self.assertEqual(master.ok("run", 1, 0.1, 0.05, 4, *everything), first, model)
                self.assertEqual(master.say("read-state", 1, 0, 8)[0], ERROR)
                master.ok("free", 0)
                master.ok("free", 1)
                made, released = master.ok("memory", 0)
                self.assertEqual(made, released)

    @needs_library
    def test_instances_and_reset(self):
        fmu = TOOLS.export("slider-crank")
        theta = fmu.vr["theta"]
        with TOOLS.master(fmu) as master:
            master.begin(0, "cs")
            alone = [master.ok("run", 0, 0.1 * k, 0.1, 1, theta)[0] for k in range(5)]
            master.begin(1, "cs")
            master.begin(2, "cs", settings=[(fmu.vr["m3"], 3.0)])
            together, other = [], []
            for k in range(5):
                together += master.ok("run", 1, 0.1 * k, 0.1, 1, theta)
                other += master.ok("run", 2, 0.1 * k, 0.1, 1, theta)
            self.assertEqual(together, alone)
            self.assertNotEqual(other, alone)
            master.ok("reset", 2)
            master.ok("setup", 2, 1e-9, 0.0, NAN)
            master.ok("init", 2)
            self.assertEqual([master.ok("run", 2, 0.1 * k, 0.1, 1, theta)[0] for k in range(5)], alone)


class ModelExchange(unittest.TestCase):
    """Integrated by the master's own Runge-Kutta method of order 4 with fixed steps; the truth is `simulate`. Its error with steps of
    1e-3 is below 1e-8 for these motions, of which a hundredfold is allowed."""

    def compare(self, model, until, steps, has_events):
        fmu = TOOLS.export(model)
        expected = TOOLS.simulate(model, until)
        names = [name for name in fmu.series if name in expected and name.startswith(("q/", "v/", "lambda/"))]
        with TOOLS.master(fmu) as master:
            master.begin(0, "me", tolerance=1e-9)
            n = fmu.states
            self.assertEqual(len(master.ok("nominals", 0, n)), n)
            events = master.ok("exchange", 0, n, 0.0, until / steps, steps)[0]
            values = master.ok("get", 0, *(fmu.series[name] for name in names))
            for name, value in zip(names, values):
                size = max(abs(expected[other]) for other in names if other.split("/")[0] == name.split("/")[0])
                self.assertTrue(close(value, expected[name], 1e-6 * max(1.0, size)), (model, name, value, expected[name]))
            off = max(master.ok("get", 0, fmu.vr["solver.position_residual"], fmu.vr["solver.velocity_residual"]))
            self.assertLess(off, 1e-7)
            if has_events:
                # It drifts by less than its limit of one tolerance; where that is nothing, each step ends on the constraints.
                self.assertEqual(master.ok("event", 0), [])
                master.ok("set", 0, fmu.vr["solver.drift"], 0.0)
                self.assertEqual(master.ok("discrete", 0)[1], 0.0)
                more = master.ok("exchange", 0, n, until, until / steps, 20)[0]
                self.assertGreater(more, events)
                off = max(master.ok("get", 0, fmu.vr["solver.position_residual"], fmu.vr["solver.velocity_residual"]))
                self.assertLess(off, 1e-13)
            else:
                self.assertEqual(events, 0)
            # The derivatives are those of the states, in the order of the model structure.
            derivatives = master.ok("derivatives", 0, n)
            self.assertEqual(master.ok("get", 0, *(index - 1 for index in fmu.derivatives)), derivatives)
            of = [int(fmu.variables[index - 1][0].get("derivative")) for index in fmu.derivatives]
            self.assertEqual(master.ok("get", 0, *(index - 1 for index in of)), master.ok("states", 0, n))

    @needs_library
    def test_with_constraints(self):
        self.compare("slider-crank", 1.0, 1000, True)

    @needs_library
    def test_not_holonomic(self):
        self.compare("chaplygin-sleigh", 1.0, 1000, True)

    @needs_library
    def test_quaternions(self):
        self.compare("heavy-top", 0.2, 2000, True)

    @needs_library
    def test_without_constraints(self):
        self.compare("double-pendulum", 1.0, 1000, False)

    # As importers integrate that know nothing of constraints: what it drifts by is mended at each event. At rest most rows of
    # the first two have terms of 0, beside which everything is large.
    @needs_library
    def test_by_euler_with_fixed_steps(self):
        for model in ("snakeboard", "trailer", "slider-crank"):
            fmu = TOOLS.export(model)
            for steps in (200, 1000):
                with self.subTest(model, steps=steps), TOOLS.master(fmu) as master:
                    master.begin(0, "me", tolerance=1e-6)
                    self.assertGreater(master.ok("euler", 0, fmu.states, 0.0, 1.0 / steps, steps)[0], 0)
                    off = max(master.ok("get", 0, fmu.vr["solver.position_residual"], fmu.vr["solver.velocity_residual"]))
                    self.assertLess(off, 1e-5)

    @needs_library
    def test_drift_that_no_projection_mends(self):
        # Steps with which Euler's method is unstable: the run goes on, and says once that it left the constraints.
        fmu = TOOLS.export("car-axis")
        with TOOLS.master(fmu) as master:
            master.ok("new", 0, "me", "logging")
            master.ok("setup", 0, 1e-9, 0.0, NAN)
            master.ok("init", 0)
            master.ok("begin", 0)
            master.say("euler", 0, fmu.states, 0.0, 0.01, 70)
            self.assertIn("has drifted and cannot be brought back", master.log())
            self.assertNotIn("logStatusError", master.log())

    @needs_library
    def test_a_state_beside_the_constraints(self):
        # Pushed off, it comes back at the next event, which says so.
        fmu = TOOLS.export("slider-crank")
        with TOOLS.master(fmu) as master:
            master.begin(0, "me")
            states = master.ok("states", 0, 6)
            master.ok("set-states", 0, states[0], states[1] + 1e-3, *states[2:])
            self.assertGreater(master.ok("get", 0, fmu.vr["solver.position_residual"])[0], 1e-4)
            master.ok("event", 0)
            self.assertEqual(master.ok("discrete", 0), [1.0, 0.0])
            self.assertLess(master.ok("get", 0, fmu.vr["solver.position_residual"])[0], 1e-15)
            master.ok("event", 0)
            self.assertEqual(master.ok("discrete", 0), [0.0, 0.0])


class Derivatives(unittest.TestCase):
    """Directional derivatives against central differences of what the FMU returns, whose error with steps of 1e-5 is about 1e-9 of
    the values."""

    @needs_library
    def test_they_are_derivatives(self):
        for model, extra in (("slider-crank", ["lambda.pin[1]", "energy.kinetic"]), ("heavy-top", ["energy.potential"])):
            fmu = TOOLS.export(model)
            n = fmu.states
            states = [int(fmu.variables[index - 1][0].get("derivative")) - 1 for index in fmu.derivatives]
            unknowns = [index - 1 for index in fmu.derivatives] + [fmu.vr[name] for name in extra]
            with TOOLS.master(fmu) as master:
                master.begin(0, "me")
                x = master.ok("states", 0, n)
                for k, known in enumerate(states):
                    h = 1e-5
                    sides = []
                    for sign in (1, -1):
                        moved = list(x)
                        moved[k] += sign * h
                        master.ok("set-states", 0, *moved)
                        sides.append(master.ok("get", 0, *unknowns))
                    master.ok("set-states", 0, *x)
                    for unknown, ahead, back in zip(unknowns, *sides):
                        slope = (ahead - back) / (2 * h)
                        got = master.ok("derivative", 0, unknown, known)[0]
                        self.assertTrue(close(got, slope, 1e-6 * (1 + abs(slope) + abs(ahead))), (model, unknown, known, got, slope))
                self.assertEqual(master.ok("states", 0, n), x)

    @needs_library
    def test_of_the_start(self):
        # In initialization mode by parameters: x of the slider moves with the crank, which keeps its angle. Of the triangle
        # x = 2 L1 cos θ + √(4 L2² − 4 L1² sin² θ) the derivative by L1 is a closed form.
        from math import cos, sin, sqrt, pi
        fmu = TOOLS.export("slider-crank")
        with TOOLS.master(fmu) as master:
            master.ok("new", 0, "cs")
            master.ok("setup", 0, 1e-9, 0.0, NAN)
            master.ok("enter", 0)
            theta, l1, l2 = pi / 3, 0.15, 0.35
            root = sqrt(4 * l2 ** 2 - 4 * l1 ** 2 * sin(theta) ** 2)
            expected = 2 * cos(theta) - 4 * l1 * sin(theta) ** 2 / root
            self.assertTrue(close(master.ok("get", 0, fmu.vr["x"])[0], 2 * l1 * cos(theta) + root, 1e-13))
            self.assertTrue(close(master.ok("derivative", 0, fmu.vr["x"], fmu.vr["L1"])[0], expected, 1e-9))
            self.assertEqual(master.ok("get", 0, fmu.vr["L1"]), [0.15])


class Misuse(unittest.TestCase):
    """What the standard forbids is an error with a message, and harms nothing: the instance goes on afterwards as if it had not been."""

    @needs_library
    def test_errors(self):
        fmu = TOOLS.export("slider-crank")
        theta, m3, f = fmu.vr["theta"], fmu.vr["m3"], fmu.vr["f"]
        with TOOLS.master(fmu) as master:
            def error(text, *words):
                before = len(master.log())
                self.assertEqual(master.say(*words)[0], ERROR, words)
                self.assertIn(text, master.log()[before:], words)

            master.ok("about", 0)
            self.assertEqual(master.say("new-wrong", 0)[1], [0.0, 0.0, 0.0, 0.0])
            self.assertIn("guid", master.log())
            self.assertIn("there is not enough memory", master.log())
            self.assertEqual(master.ok("nulls", 0), [3.0] * 8)  # no instance yet
            master.ok("new", 0, "cs")
            error("before initialization mode", "get", 0, theta)
            error("before initialization mode", "step", 0, 0.0, 0.1)
            error("cannot be", "setup", 0, 1e-9, 1.0, 0.5)
            error("cannot be", "setup", 0, 1e-9, NAN, NAN)
            error("tolerance", "setup", 0, -1.0, 0.0, NAN)
            master.ok("setup", 0, 1e-9, 0.0, 1.0)
            error("finite", "set", 0, m3, NAN)
            error("finite", "set", 0, m3, "inf")
            error("computed", "set", 0, fmu.vr["der(theta)"], 1.0)
            error("value reference 4000", "set", 0, m3, 2.0, 4000, 1.0)
            master.ok("init", 0)
            self.assertEqual(master.ok("get", 0, m3), [1.2])  # nothing of what was refused
            error("value reference 4000", "get", 0, theta, 4000)
            error("value reference 4294967295", "get", 0, 4294967295)
            error("between steps", "init", 0)
            error("before the end of initialization", "set", 0, theta, 1.0)
            error("finite", "set", 0, f, NAN)
            error("there is no variable of this type", "get-integer", 0, theta)
            self.assertEqual(master.ok("others", 0, theta), [3.0, 3.0, 3.0, 3.0, 3.0, 0.0])
            error("none here", "output-slope", 0, theta)
            error("last one ended", "step", 0, 0.5, 0.1)
            error("cannot be", "step", 0, 0.0, -0.1)
            error("cannot be", "step", 0, 0.0, NAN)
            error("stop time", "step", 0, 0.0, 2.0)
            error("may not be called", "event", 0)
            error("may not be called", "derivatives", 0, 6)
            error("may not be called", "states", 0, 6)
            error("fmi2CancelStep", "cancel", 0)
            error("no category", "logging", 0, "logNothing")
            self.assertEqual(master.ok("statuses", 0), [float(DISCARD)] * 4)
            self.assertEqual(master.ok("nulls", 0), [3.0] * 8)
            error("no derivative with respect to", "derivative", 0, fmu.vr["der(theta)"], m3)
            error("value reference 4000", "derivative", 0, 4000, theta)
            end = master.ok("run", 0, 0.0, 0.1, 5, theta)
            master.ok("terminate", 0)
            error("after fmi2Terminate", "step", 0, 0.5, 0.1)
            self.assertEqual(master.ok("get", 0, theta), end)  # values stay
            master.begin(1, "cs")
            self.assertEqual(master.ok("run", 1, 0.0, 0.1, 5, theta), end)

            master.begin(2, "me")
            error("not 5", "states", 2, 5)
            error("not 7", "derivatives", 2, 7)
            error("not finite", "set-states", 2, 1.0, NAN, 0.0, 0.0, 0.0, 0.0)
            error("event mode", "set", 2, m3, 2.0)
            error("may not be called", "step", 2, 0.0, 0.1)
            self.assertEqual(len(master.ok("derivatives", 2, 6)), 6)

    @needs_library
    def test_starts_that_cannot_be(self):
        fmu = TOOLS.export("slider-crank")
        with TOOLS.master(fmu) as master:
            # A warning needs no debug logging.
            master.ok("new", 0, "cs")
            master.ok("setup", 0, 1e-9, 0.0, NAN)
            master.ok("set", 0, fmu.vr["theta"], 1.0, fmu.vr["phi"], 2.7, fmu.vr["x"], 0.9)
            self.assertEqual(master.say("init", 0)[0], WARNING)
            self.assertIn("do not allow the start that was set", master.log())
        with TOOLS.master(fmu) as master:
            # Values that contradict each other: all of the start is changed, with a warning.
            master.ok("new", 1, "cs", "log")
            master.ok("setup", 1, 1e-9, 0.0, NAN)
            master.ok("set", 1, fmu.vr["theta"], 1.0, fmu.vr["phi"], 2.7, fmu.vr["x"], 0.9)
            self.assertEqual(master.say("init", 1)[0], WARNING)
            self.assertIn("do not allow the start that was set", master.log())
            self.assertLess(master.ok("get", 1, fmu.vr["solver.position_residual"])[0], 1e-15)
        # So is what the model states, where other parameters contradict it, or what was set.
        folder = TOOLS.new_folder()
        text = TOOLS.call("models", "show", "cartesian-pendulum").stdout
        (folder / "p.toml").write_text(text.replace('position = {y = "0 m"}', 'position = {x = "-0.6 m", y = "-0.8 m"}')
                                       .replace('guess = {x = "-1 m"}', ""), encoding="utf-8")
        fmu = TOOLS.export(str(folder / "p.toml"))
        for settings, status, said in ((("L", 1.0), OK, ""), (("L", 2.0), WARNING, "do not allow the start that the model states"),
                                       (("x", -0.8), OK, "gave way to what was set")):
            with self.subTest(settings), TOOLS.master(fmu) as master:
                master.ok("new", 0, "cs", "log")
                master.ok("setup", 0, 1e-9, 0.0, NAN)
                master.ok("set", 0, fmu.vr[settings[0]], settings[1])
                self.assertEqual(master.say("init", 0)[0], status, master.log())
                self.assertIn(said, master.log())
                self.assertEqual(master.log() == "", said == "", master.log())
                self.assertLess(master.ok("get", 0, fmu.vr["solver.position_residual"])[0], 1e-15)

    @needs_library
    def test_motions_that_end(self):
        # A force without a value beyond x = 1: the motion ends there, with what was computed so far.
        folder = TOOLS.new_folder()
        (folder / "ends.toml").write_text('name = "ends"\ncoordinates = [{name = "x"}]\n[energy]\nkinetic = "x\'^2/2"\n'
                                          '[[force]]\ncoordinate = "x"\nvalue = "sqrt(1 - x)"\n[initial]\nvelocity = {x = 1}\n',
                                          encoding="utf-8")
        fmu = TOOLS.export(str(folder / "ends.toml"))
        with TOOLS.master(fmu) as master:
            master.begin(0, "cs")
            self.assertEqual(master.say("step", 0, 0.0, 10.0)[0], DISCARD)
            self.assertIn("infinite or not a number", master.log())
            last, ended = master.ok("last-time", 0)
            self.assertTrue(0.1 < last < 1.0, last)
            self.assertEqual(ended, 0.0)
            self.assertTrue(0.9 < master.ok("get", 0, fmu.vr["x"])[0] <= 1.0)
            self.assertEqual(master.say("step", 0, last, 0.1)[0], ERROR)
            self.assertIn("after a step that failed", master.log())
            master.ok("reset", 0)
            master.ok("setup", 0, 1e-9, 0.0, NAN)
            master.ok("init", 0)
            master.ok("step", 0, 0.0, 0.1)


class Models(unittest.TestCase):
    """Every third shipped model (every one with DALEMBERT_TEST_ALL=1) is an FMU that satisfies the rules of the standard, with C that compilers accept without a warning in both
    ways in which it can be compiled."""

    def test_each(self):
        listed = [line.split()[0] for line in TOOLS.call("models", "-q").stdout.split("\n") if line.strip()]
        self.assertGreater(len(listed), 30)
        for model in listed if os.environ.get("DALEMBERT_TEST_ALL") else listed[::3]:
            with self.subTest(model):
                path = TOOLS.new_folder()
                done = TOOLS.call("export", model, "--to", "fmu", "-o", str(path))
                self.assertEqual(done.returncode, 0, done.stderr)
                (file,) = path.glob("*.fmu")
                self.assertEqual(fmu_rules.problems_of_file(file), [])
                self.look_at(file)

    @needs_library
    def test_each_runs(self):
        listed = [line.split()[0] for line in TOOLS.call("models", "-q").stdout.split("\n") if line.strip()]
        for model in listed if os.environ.get("DALEMBERT_TEST_ALL") else listed[1::9]:
            try:
                fmu = TOOLS.export(model)
            except AssertionError as refused:
                self.assertRegex(str(refused), r"error\[?E053[056]")
                continue
            until = float(fmu.root.find("DefaultExperiment").get("stopTime"))
            with self.subTest(model), TOOLS.master(fmu) as master:
                master.begin(0, "cs", tolerance=1e-6)
                self.assertLessEqual(master.say("run", 0, 0.0, until / 50, 50)[0], WARNING, master.log())
                # Euler's steps may be too long for the motion, which then ends: never for want of a projection.
                for number, part in enumerate((1e-2, 1e-3, 1e-4)):
                    master.begin(1 + number, "me", tolerance=1e-6)
                    status, _ = master.say("euler", 1 + number, fmu.states, 0.0, until * part, 100)
                    self.assertNotIn("logStatusError", master.log())
                    self.assertLessEqual(status, WARNING if part < 1e-3 else DISCARD, master.log())

    def look_at(self, file):
        import zipfile
        folder = TOOLS.new_folder()
        with zipfile.ZipFile(file) as archive:
            archive.extractall(folder)
        sources = sorted((folder / "sources").glob("*.c"))
        self.assertEqual(len(sources), 2)
        size = sum(source.stat().st_size for source in sources)
        # The compiler's analysis of long files takes long; the model's own C is looked at by the tests of `--to c`.
        for flags in ([], ["-DFMI2_OVERRIDE_FUNCTION_PREFIX"]):
            for source in sources if size < 200_000 and not flags else sources[1:]:
                done = subprocess.run(["cc", "-std=c99", "-O1" if size < 200_000 else "-O0", *WARN, *flags, "-c", str(source), "-o",
                                       str(folder / "object.o")], capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 0, done.stderr[:3000])
        for library in (folder / "binaries").glob("*/*.so"):
            symbols = subprocess.run(["nm", "-D", "--defined-only", str(library)], capture_output=True, text=True, check=False)
            if symbols.returncode == 0:
                names = {line.split()[-1] for line in symbols.stdout.splitlines()}
                self.assertEqual(len(names), 44)
                self.assertTrue(all(name.startswith("fmi2") for name in names), names)


class Files(unittest.TestCase):
    """What is written where, and what is refused."""

    def test_the_same_bytes_each_time(self):
        one, two = TOOLS.new_folder(), TOOLS.new_folder()
        for folder in (one, two):
            self.assertEqual(TOOLS.call("export", "mass-spring", "--to", "fmu", "-o", str(folder)).returncode, 0)
        self.assertEqual((one / "mass_spring.fmu").read_bytes(), (two / "mass_spring.fmu").read_bytes())

    def test_without_a_compiler(self):
        folder = TOOLS.new_folder()
        done = TOOLS.call("export", "mass-spring", "--to", "fmu", "-o", str(folder / "m.fmu"), env={"PATH": str(folder)})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("W0505", done.stderr)
        self.assertEqual(fmu_rules.problems_of_file(folder / "m.fmu"), [])
        denied = TOOLS.call("export", "mass-spring", "--to", "fmu", "-o", str(folder / "n.fmu"), "--deny", "W0505",
                            env={"PATH": str(folder)})
        self.assertEqual(denied.returncode, 1)
        self.assertFalse((folder / "n.fmu").exists())

    @needs_library
    def test_a_compiler_that_fails(self):
        folder = TOOLS.new_folder()
        compiler = folder / "cc"
        compiler.write_text("#!/bin/sh\necho 'out of ideas' >&2\nexit 3\n")
        compiler.chmod(0o755)
        done = TOOLS.call("export", "mass-spring", "--to", "fmu", "-o", str(folder / "m.fmu"), env={"CC": str(compiler)})
        self.assertEqual(done.returncode, 5)
        self.assertIn("E0508", done.stderr)
        self.assertIn("out of ideas", done.stderr)
        self.assertFalse((folder / "m.fmu").exists())

    def test_licences_are_inside(self):
        # Where the standard looks for them (2.0, section 2.3).
        folder = TOOLS.new_folder()
        self.assertEqual(TOOLS.call("export", "mass-spring", "--to", "fmu", "-o", str(folder / "m.fmu")).returncode, 0)
        import zipfile
        with zipfile.ZipFile(folder / "m.fmu") as archive:
            text = archive.read("documentation/licenses/license.txt").decode()
        for words in ("its author's", "Apache License", "END OF TERMS AND CONDITIONS", "Sun Microsystems"):
            self.assertIn(words, text)

    def test_samples_are_refused(self):
        folder = TOOLS.new_folder()
        (folder / "f.csv").write_text("time,f\n0,0\n1,2\n", encoding="utf-8")
        (folder / "m.toml").write_text('name = "m"\ncoordinates = [{name = "x"}]\n[energy]\nkinetic = "x\'^2/2"\n[inputs]\n'
                                       'push = {file = "f.csv", column = "f"}\n[[force]]\ncoordinate = "x"\nvalue = "push"\n',
                                       encoding="utf-8")
        done = TOOLS.call("export", "m.toml", "--to", "fmu", cwd=folder)
        self.assertEqual(done.returncode, 1)
        self.assertIn("E0535", done.stderr)
        self.assertIn("`push`", done.stderr)

    def test_rules_see_what_is_wrong(self):
        # A rule that never speaks is none: each of these changes is seen.
        folder = TOOLS.new_folder()
        self.assertEqual(TOOLS.call("export", "slider-crank", "--to", "fmu", "-o", str(folder / "m.fmu")).returncode, 0)
        import zipfile
        with zipfile.ZipFile(folder / "m.fmu") as archive:
            xml = archive.read("modelDescription.xml").decode()
        self.assertEqual(fmu_rules.problems_of(xml), [])
        for old, new in (('valueReference="3"', 'valueReference="4"'), ('name="L1"', 'name="L2"'), (' start="0.15"', ""),
                         ('initial="exact"', 'initial="calculated"'), ('unit="rad/s"', 'unit="rad/s/s"'),
                         ('derivative="', 'nothing="'), ('<Unknown index="11"', '<Unknown index="1"'),
                         ('causality="output"', 'causality="local"'), ('fmiVersion="2.0"', 'fmiVersion="3.0"'),
                         ('  <LogCategories>', '  <ModelStructure/>\n  <LogCategories>'), ('variability="tunable"', 'variability="continuous"'),
                         ('name="lambda.pin[1]"', 'name="lambda.pin[one]"'), ('declaredType="dalembert.Angle"', 'declaredType="Angle"'),
                         ('dependencies="', 'dependencies="999 ')):
            self.assertIn(old, xml)
            self.assertNotEqual(fmu_rules.problems_of(xml.replace(old, new, 1)), [], (old, new))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--dalembert", required=True)
    arguments, rest = parser.parse_known_args()
    if shutil.which("cc") is None:
        print("there is no C compiler")
        sys.exit(77)
    TOOLS = contact_tests.TOOLS = guard_tests.TOOLS = integral_tests.TOOLS = Tools(arguments.dalembert)
    unittest.main(argv=[sys.argv[0], *rest])
