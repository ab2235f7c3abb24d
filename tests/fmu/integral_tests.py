# SPDX-License-Identifier: Apache-2.0
"""FMUs of models whose outputs or events read integrals over the run, which are states there; run by run_fmu_tests.py, which sets TOOLS."""

import unittest

import fmu_rules
from fmu_tools import HERE, NAN, close, needs_library

TOOLS = None
MODELS = HERE.parent.parent / "models"

PLAIN = """name = "damped"
coordinates = [{name = "theta"}]
[parameters]
m = "1 kg"
L = "0.5 m"
g = "9.81 m/s^2"
c = "0.05 N*m*s"
[energy]
kinetic = "m/2*L^2*theta'^2"
potential = "-m*g*L*cos(theta)"
[[force]]
coordinate = "theta"
value = "-c*theta'"
[initial]
position = {theta = 1}
velocity = {theta = 0}
[outputs]
heat = "integral(c*theta'^2)"
balance = "integral(c*theta'^2) + energy(total)"
"""

CRANK = """
[outputs]
pull = "integral(lambda(pin[1])*x')"
turned = "integral(theta'') - theta'"
"""

BELT = """
[outputs]
heat = "integral(abs(friction(belt_friction)*(x' - belt)))"
"""

# The prescribed arm drives a mass on a spring: the motor's work is the energy that the mass has and the damper took.
DRIVEN = """name = "driven"
coordinates = [{name = "x"}, {name = "s"}]
[inputs]
f = "sin(3*t)"
[parameters]
m = 2
k = 30
c = 0.5
[energy]
kinetic = "m/2*(s' + x')^2"
potential = "k/2*x^2"
[[force]]
coordinate = "x"
value = "f - c*x'"
[prescribed]
s = "0.1*sin(2*t)"
[initial]
position = {x = 0.1}
velocity = {x = 0}
[outputs]
work = "integral(actuation(s)*s')"
taken = "integral(c*x'^2)"
given = "integral(f*x')"
"""

SPRING = """name = "spring"
coordinates = [{name = "x"}]
[energy]
kinetic = "x'^2/2"
potential = "x^2/2"
[initial]
position = {x = 1}
velocity = {x = 0}
[outputs]
lost = "integral(sqrt(x))"
other = "integral(x'^2)"
"""

# Events read the integral: one kicks the ball, one ends the motion.
BALL = """name = "ball"
coordinates = [{name = "y"}]
[parameters]
m = 1
g = 9.81
e = 0.8
[energy]
kinetic = "m/2*y'^2"
potential = "m*g*y"
[[constraint]]
name = "ground"
holonomic = "y"
unilateral = true
restitution = "e"
[initial]
position = {y = 1}
velocity = {y = 0}
[outputs]
area = "integral(y)"
blows = "integral(impulse(ground))"
[[event]]
name = "kick"
when = "integral(y) - 0.5"
set = {"y'" = "y' + 2*integral(y)"}
[[event]]
name = "enough"
when = "integral(y) - 0.9"
stop = true
"""


class Integrals(unittest.TestCase):
    """The truth is `simulate` at a tolerance 1000 times smaller, whose quadrature is another method."""

    def model(self, text):
        path = TOOLS.new_folder() / "model.toml"
        path.write_text(text, encoding="utf-8")
        return str(path)

    def shipped(self, name, more):
        return self.model((MODELS / f"{name}.toml").read_text(encoding="utf-8") + more)

    def compare(self, model, until, outputs):
        fmu = TOOLS.export(model)
        self.assertEqual(fmu_rules.problems_of_file(fmu.path), [])
        expected = TOOLS.simulate(model, until)
        wanted = [fmu.vr[name] for name in outputs]
        with TOOLS.master(fmu) as master:
            master.begin(0, "cs")
            self.check(outputs, master.ok("run", 0, 0.0, until / 7, 7, *wanted), expected, 1e-6)
            master.begin(1, "me")
            guards = int(fmu.root.get("numberOfEventIndicators"))
            if guards > 0:
                master.ok("exchange-events", 1, fmu.states, guards, 0.0, until / 1000, 1000)
            else:
                master.ok("exchange", 1, fmu.states, 0.0, until / 1000, 1000)
            self.check(outputs, master.ok("get", 1, *wanted), expected, 1e-5)
        return fmu

    def check(self, outputs, values, expected, tolerance):
        for name, value in zip(outputs, values):
            true = expected["output/" + name]
            self.assertTrue(close(value, true, tolerance * max(1.0, abs(true))), (name, value, true))

    @needs_library
    def test_without_constraints(self):
        fmu = self.compare(self.model(PLAIN), 2.0, ["heat", "balance"])
        heat = [v for v in fmu.variables if v.get("name") == "integral_c_theta_dot_2"][0]
        self.assertEqual((heat[0].get("unit"), heat[0].get("start")), ("J", "0"))
        self.assertIn("der(integral_c_theta_dot_2)", fmu.vr)
        self.assertEqual(fmu.states, 3)

    @needs_library
    def test_with_constraints(self):
        self.compare(self.shipped("slider-crank", CRANK), 1.0, ["pull", "turned"])

    @needs_library
    def test_friction(self):
        self.compare(self.shipped("block-on-belt", BELT), 4.0, ["heat"])

    @needs_library
    def test_prescribed_coordinates_and_inputs(self):
        self.compare(self.model(DRIVEN), 2.0, ["work", "taken", "given"])

    @needs_library
    def test_attitudes_by_quaternions(self):
        text = (MODELS / "heavy-top.toml").read_text(encoding="utf-8")
        more = text.replace("[outputs]\n", '[outputs]\naction = "integral(energy(kinetic) - energy(potential))"\n')
        self.assertNotEqual(text, more)
        self.compare(self.model(more), 0.2, ["action"])

    @needs_library
    def test_contacts_and_events(self):
        model = self.model(BALL)
        fmu = self.compare(model, 1.0, ["area", "blows"])
        # The event `enough` ends the motion where the integral is 0.9.
        with TOOLS.master(fmu) as master:
            master.begin(0, "cs")
            self.assertNotEqual(master.say("run", 0, 0.0, 10.0, 1)[0], 0)
            self.assertIn("an event ends the motion", master.log())
            self.assertTrue(close(master.ok("get", 0, fmu.vr["integral_y"])[0], 0.9, 1e-9))

    @needs_library
    def test_what_is_kept(self):
        # States of the unit have the integrals: a run repeated from them has the same bits, and another instance goes on where the first was.
        fmu = TOOLS.export(self.model(BALL))
        everything = [int(v.get("valueReference")) for v in fmu.variables if v[0].tag == "Real"]
        with TOOLS.master(fmu) as master:
            master.begin(0, "cs")
            master.ok("run", 0, 0.0, 0.1, 3)
            master.ok("keep", 0)
            first = master.ok("run", 0, 0.3, 0.1, 4, *everything)
            master.ok("rewind", 0)
            self.assertEqual(master.ok("run", 0, 0.3, 0.1, 4, *everything), first)
            master.ok("rewind", 0)
            master.ok("keep", 0)
            master.ok("write-state", 0)
            master.ok("new", 1, "cs")
            master.ok("read-state", 1, 0, 0)
            self.assertEqual(master.ok("run", 1, 0.3, 0.1, 4, *everything), first)
            master.ok("reset", 1)
            master.ok("setup", 1, 1e-9, 0.0, NAN)
            master.ok("init", 1)
            self.assertEqual(master.ok("get", 1, fmu.vr["integral_y"]), [0.0])

    @needs_library
    def test_an_integrand_that_is_not_finite(self):
        # From x = 0 on sqrt(x) is not a number: neither is its integral, and the motion and the other integral go on.
        model = self.model(SPRING)
        fmu, expected = TOOLS.export(model), TOOLS.simulate(model, 3.0)
        with TOOLS.master(fmu) as master:
            master.begin(0, "cs")
            lost, other, x = master.ok("run", 0, 0.0, 0.5, 6, fmu.vr["lost"], fmu.vr["other"], fmu.vr["x"])
            self.assertNotEqual(lost, lost)
            self.check(["other"], [other], expected, 1e-6)
            self.assertTrue(close(x, expected["q/x"], 1e-6))

    @needs_library
    def test_a_start_that_is_not_0(self):
        # A run in two pieces, by two instances: the second starts with the integral of the first.
        fmu = TOOLS.export(self.model(PLAIN))
        states = [fmu.vr[name] for name in ("theta", "integral_c_theta_dot_2", "velocity.theta")]
        with TOOLS.master(fmu) as master:
            master.begin(0, "cs")
            middle = master.ok("run", 0, 0.0, 0.5, 1, *states)
            whole = master.ok("run", 0, 0.5, 0.5, 1, fmu.vr["heat"])[0]
            master.begin(1, "cs", start=0.5, settings=list(zip(states, middle)))
            self.assertTrue(close(master.ok("run", 1, 0.5, 0.5, 1, fmu.vr["heat"])[0], whole, 1e-8))

    @needs_library
    def test_derivatives(self):
        # d(heat)/d(integral) is 1; the integrand c theta'^2 has the derivative 2 c theta'.
        fmu = TOOLS.export(self.model(PLAIN))
        with TOOLS.master(fmu) as master:
            master.begin(0, "me")
            master.ok("set-states", 0, 0.3, 0.7, -1.2)
            rate = fmu.vr["der(integral_c_theta_dot_2)"]
            self.assertTrue(close(master.ok("derivative", 0, fmu.vr["heat"], fmu.vr["integral_c_theta_dot_2"])[0], 1.0, 1e-10))
            self.assertTrue(close(master.ok("derivative", 0, rate, fmu.vr["velocity.theta"])[0], 2 * 0.05 * -1.2, 1e-10))
            self.assertEqual(master.ok("derivative", 0, fmu.vr["der(velocity.theta)"], fmu.vr["integral_c_theta_dot_2"]), [0.0])
            self.assertEqual(master.ok("get", 0, rate), [0.05 * 1.2 * 1.2])
