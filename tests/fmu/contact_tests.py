# SPDX-License-Identifier: Apache-2.0
"""FMUs of models with contacts; run by run_fmu_tests.py, which sets TOOLS."""

import subprocess
import unittest

import fmu_rules
from fmu_tools import ERROR, NAN, WARN, WARNING, close, needs_library

TOOLS = None

BALL = """name = "ball"
coordinates = [{name = "y"}]
[parameters]
m = 1
g = 9.81
e = 0.8
level = 0
[energy]
kinetic = "m/2*y'^2"
potential = "m*g*y"
[[constraint]]
name = "ground"
holonomic = "y - level"
unilateral = true
restitution = "e"
[initial]
position = {y = 1}
velocity = {y = 0}
"""

LADDER = """name = "ladder"
coordinates = [{name = "x"}, {name = "y"}, {name = "theta"}]
[parameters]
m = 1
g = 9.81
L = 1
[energy]
kinetic = "m/2*(x'^2 + y'^2) + m*L^2/24*theta'^2"
potential = "m*g*y"
[[constraint]]
name = "wall"
holonomic = "x - L/2*cos(theta)"
unilateral = true
[[constraint]]
name = "floor"
holonomic = "y - L/2*sin(theta)"
unilateral = true
[initial]
position = {theta = 1.0471975511965976, x = 0.25, y = 0.4330127018922193}
velocity = {theta = 0, x = 0, y = 0}
"""

ROPE = """name = "rope"
coordinates = [{name = "x"}, {name = "y"}]
[parameters]
L = 1
[energy]
kinetic = "(x'^2 + y'^2)/2"
potential = "9.81*y"
[inputs]
push = "3*sin(2*t)"
[[force]]
coordinate = "x"
value = "push"
[[constraint]]
name = "rope"
holonomic = "L - sqrt(x^2 + y^2)"
unilateral = true
restitution = 0.5
[initial]
position = {x = 0, y = -1}
velocity = {x = 6, y = 0}
"""

# Held in x by a bilateral row, on two corners.
BLOCK = """name = "block"
coordinates = [{name = "x"}, {name = "y"}, {name = "theta"}]
[energy]
kinetic = "(x'^2 + y'^2)/2 + theta'^2/6"
potential = "9.81*y"
[[constraint]]
name = "left"
holonomic = "y - 0.25*sin(theta) - 0.97*cos(theta)"
unilateral = true
[[constraint]]
name = "right"
holonomic = "y + 0.25*sin(theta) - 0.97*cos(theta)"
unilateral = true
[[constraint]]
name = "foot"
holonomic = "x"
[initial]
position = {theta = 0.1, x = 0}
guess = {y = 0.95}
velocity = {theta = 0, x = 0, y = 0}
"""

# An output, the condition of an event and what it sets read the impulse of the last impact.
HARD = BALL.replace('name = "ball"', 'name = "hard"') + """
[[event]]
name = "high"
when = "y'"
direction = "down"
where = "impulse(ground) > 2"
set = {"y'" = "-0.1*impulse(ground)"}
[outputs]
last = "3*impulse(ground)"
"""


class Contacts(unittest.TestCase):
    """Contacts open, close and strike inside of steps of co-simulation, and at event indicators of model exchange. The truth is
    `simulate` at a far smaller tolerance; 1e-6 of the size of each quantity is allowed, as for other models."""

    MOTIONS = ((BALL, 3.5, 9), (BALL, 5.0, 60), (HARD, 3.0, 8), (LADDER, 0.4, 1), (ROPE, 2.5, 2), (BLOCK, 3.0, 4))

    exported = {}

    def export(self, text):
        if text not in self.exported:
            path = TOOLS.new_folder() / "model.toml"
            path.write_text(text, encoding="utf-8")
            self.exported[text] = TOOLS.export(str(path)), str(path)
        return self.exported[text]

    def check(self, fmu, master, expected, until):
        names = [name for name in fmu.series if name in expected]
        self.assertTrue(any(name.startswith("lambda/") for name in names), names)
        for name, value in zip(names, master.ok("get", 0, *(fmu.series[name] for name in names))):
            self.assertTrue(close(value, expected[name], 1e-6 * max(1.0, abs(expected[name]))), (fmu.identifier, until, name, value, expected[name]))
        for name, reference in fmu.vr.items():
            if name.startswith("contact."):
                self.assertEqual(master.ok("get", 0, reference), [expected["contact/" + name[8:]]], name)
        self.assertLess(max(master.ok("get", 0, fmu.vr["solver.position_residual"], fmu.vr["solver.velocity_residual"])), 1e-7)

    @needs_library
    def test_co_simulation(self):
        for text, until, _ in self.MOTIONS:
            fmu, path = self.export(text)
            expected = TOOLS.simulate(path, until)
            for steps in (1, 50):
                with self.subTest(fmu.identifier, until=until, steps=steps), TOOLS.master(fmu) as master:
                    master.begin(0, "cs")
                    master.ok("run", 0, 0.0, until / steps, steps)
                    self.check(fmu, master, expected, until)

    @needs_library
    def test_model_exchange(self):
        for text, until, events in self.MOTIONS:
            fmu, path = self.export(text)
            indicators = int(fmu.root.get("numberOfEventIndicators"))
            self.assertEqual(indicators, text.count("unilateral") + text.count("[[event]]"))
            expected = TOOLS.simulate(path, until)
            with self.subTest(fmu.identifier, until=until), TOOLS.master(fmu) as master:
                master.begin(0, "me")
                seen = master.ok("exchange-events", 0, fmu.states, indicators, 0.0, 1e-3, round(until / 1e-3))[0]
                self.assertGreaterEqual(seen, events)
                self.assertLess(seen, 20 * events)
                self.check(fmu, master, expected, until)

    # Oracle: √(2 g) turned into 0.8 √(2 g) up, at the instant √(2/g).
    @needs_library
    def test_an_event_is_an_impact(self):
        fmu, _ = self.export(BALL)
        with TOOLS.master(fmu) as master:
            master.begin(0, "me")
            self.assertGreater(master.ok("indicators", 0, 1)[0], 0.99)
            speed = (2 * 9.81) ** 0.5
            master.ok("set-states", 0, -1e-12, -speed)
            self.assertLess(master.ok("indicators", 0, 1)[0], 0.0)
            master.ok("event", 0)
            self.assertEqual(master.ok("discrete", 0), [1.0, 0.0])
            y, v = master.ok("states", 0, 2)
            self.assertEqual(y, 0.0)
            self.assertTrue(close(v, 0.8 * speed, 1e-11), v)
            self.assertGreater(master.ok("indicators", 0, 1)[0], 0.0)
            master.ok("event", 0)
            self.assertEqual(master.ok("discrete", 0), [0.0, 0.0])
            # At rest its indicator is the force.
            master.ok("set-states", 0, -1e-14, -1e-11)
            master.ok("event", 0)
            master.ok("discrete", 0)
            self.assertEqual(master.ok("states", 0, 2), [0.0, 0.0])
            self.assertTrue(close(master.ok("indicators", 0, 1)[0], 9.81, 1e-6))
            self.assertEqual(master.say("indicators", 0, 2)[0], ERROR)

    @needs_library
    def test_starts_and_parameters(self):
        fmu, _ = self.export(BALL)
        with TOOLS.master(fmu) as master:
            # A start below the ground is moved onto it.
            master.ok("new", 0, "cs", "log")
            master.ok("setup", 0, 1e-9, 0.0, NAN)
            master.ok("set", 0, fmu.vr["y"], -0.5)
            self.assertEqual(master.say("init", 0)[0], WARNING)
            self.assertEqual(master.ok("get", 0, fmu.vr["y"], fmu.vr["contact.ground"], fmu.vr["lambda.ground"]), [0.0, 1.0, 9.81])
            # The ground rises under the ball at rest, and sinks: the ball falls from there.
            master.ok("set", 0, fmu.vr["level"], 0.25)
            self.assertEqual(master.ok("get", 0, fmu.vr["y"], fmu.vr["contact.ground"]), [0.25, 1.0])
            master.ok("set", 0, fmu.vr["level"], 0.0)
            self.assertEqual(master.ok("get", 0, fmu.vr["y"], fmu.vr["contact.ground"]), [0.25, 0.0])
            y, v = master.ok("run", 0, 0.0, 0.125, 1, fmu.vr["y"], fmu.vr["velocity.y"])
            self.assertTrue(close(y, 0.25 - 9.81 / 128, 1e-14) and close(v, -9.81 / 8, 1e-14), (y, v))
            self.assertEqual(master.say("set", 0, fmu.vr["contact.ground"], 0.0)[0], ERROR)
            self.assertIn("it is computed", master.log())
            self.assertEqual(master.say("slope", 0, fmu.vr["contact.ground"], 1, 1.0)[0], ERROR)

    # Oracle: (1 + e) √(2 g) at the first impact.
    @needs_library
    def test_impulses_are_kept(self):
        fmu, _ = self.export(HARD)
        with TOOLS.master(fmu) as master:
            master.begin(0, "cs")
            self.assertEqual(master.ok("get", 0, fmu.vr["impulse.ground"], fmu.vr["last"]), [0.0, 0.0])
            impulse, last = master.ok("run", 0, 0.0, 0.5, 1, fmu.vr["impulse.ground"], fmu.vr["last"])
            self.assertTrue(close(impulse, 1.8 * (2 * 9.81) ** 0.5, 1e-10), impulse)
            self.assertEqual(last, 3 * impulse)
            self.assertEqual(master.say("set", 0, fmu.vr["impulse.ground"], 0.0)[0], ERROR)
            self.assertIn("it is computed", master.log())

    @needs_library
    def test_rewinding(self):
        fmu, _ = self.export(HARD)
        everything = [int(v.get("valueReference")) for v in fmu.variables if v[0].tag == "Real"]
        with TOOLS.master(fmu) as master:
            master.begin(0, "cs")
            master.ok("run", 0, 0.0, 0.5, 1)
            master.ok("keep", 0)
            first = master.ok("run", 0, 0.5, 0.5, 6, *everything)
            master.ok("rewind", 0)
            self.assertEqual(master.ok("run", 0, 0.5, 0.5, 6, *everything), first)

    def test_files(self):
        for text in (BALL, LADDER, ROPE, BLOCK, HARD):
            fmu, _ = self.export(text)
            self.assertEqual(fmu_rules.problems_of_file(fmu.path), [])
            for source in sorted((fmu.folder / "sources").glob("*.c")):
                done = subprocess.run(["cc", "-std=c99", "-O1", *WARN, "-c", str(source), "-o", str(fmu.folder / "object.o")],
                                      capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 0, done.stderr[:3000])
