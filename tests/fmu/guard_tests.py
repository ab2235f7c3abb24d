# SPDX-License-Identifier: Apache-2.0
"""FMUs of models with events and friction; run by run_fmu_tests.py, which sets TOOLS."""

import csv
import json
import math
import subprocess
import unittest

import fmu_rules
from fmu_tools import DISCARD, ERROR, WARN, close, needs_library

TOOLS = None

# Slides against a belt, sticks to it, and is thrown back.
BELT = """name = "belt"
coordinates = [{name = "x"}, {name = "y"}]
[energy]
kinetic = "(x'^2 + y'^2)/2"
potential = "x^2/2 + 10*y"
[[constraint]]
name = "floor"
holonomic = "y"
[[friction]]
name = "rub"
normal = "lambda(floor)"
velocity = "x' - 1"
coefficient = 0.3
static = 0.5
[[event]]
name = "kick"
when = "x - 4"
set = {"x'" = "-1"}
[[event]]
name = "force"
when = "friction(rub) + 2"
[initial]
position = {x = 0, y = 0}
velocity = {x = 1, y = 0}
"""

# Strikes a floor, rubs there, and is pushed on.
RUBS = """name = "rubs"
coordinates = [{name = "x"}, {name = "y"}]
[energy]
kinetic = "(x'^2 + y'^2)/2"
potential = "9.81*y"
[[constraint]]
name = "floor"
holonomic = "y"
unilateral = true
[[friction]]
name = "rub"
normal = "lambda(floor)"
velocity = "x'"
coefficient = 0.3
[[event]]
name = "again"
when = "x' - 2"
direction = "down"
set = {"x'" = "x' + 1"}
[[event]]
name = "strikes"
when = "gap(floor)"
direction = "down"
[initial]
position = {x = 0, y = 0.2}
velocity = {x = 4, y = 0}
"""

# Events that read a force and an input.
PENDULUM = """name = "pendulum"
coordinates = [{name = "x"}, {name = "y"}]
[energy]
kinetic = "(x'^2 + y'^2)/2"
potential = "9.81*y"
[inputs]
push = "2*sin(3*t)"
[[force]]
coordinate = "x"
value = "push"
[[constraint]]
name = "rod"
holonomic = "sqrt(x^2 + y^2) - 1"
[[event]]
name = "turns"
when = "lambda(rod) + 12"
direction = "down"
set = {"x'" = "x' + push/20*y"}
[[event]]
name = "lowest"
when = "x"
[initial]
position = {x = 0.6, y = -0.8}
velocity = {x = 0, y = 0}
"""

# Contacts and events of one instant.
BALL = """name = "ball"
coordinates = [{name = "x"}, {name = "y"}]
[energy]
kinetic = "(x'^2 + y'^2)/2"
potential = "9.81*y"
[[constraint]]
name = "ground"
holonomic = "y"
unilateral = true
restitution = 0.7
[[event]]
name = "wall"
when = "abs(x) - 1"
direction = "up"
set = {"x'" = "-x'", x = "0.9*x"}
[[event]]
name = "strikes"
when = "gap(ground)"
direction = "down"
set = {"x'" = "1.01*x'"}
[initial]
position = {x = 0, y = 1}
velocity = {x = 1.5, y = 0}
"""

FALLS = """name = "falls"
coordinates = [{name = "y"}]
[energy]
kinetic = "y'^2/2"
potential = "9.81*y"
[[event]]
name = "lands"
when = "y"
stop = true
[initial]
position = {y = 1}
velocity = {y = 0}
"""


# Falls on an incline, slides across it, turning downhill, and stops; a pull that grows lets it go again.
ACROSS = """name = "across"
coordinates = [{name = "x"}, {name = "y"}, {name = "z"}]
[inputs]
pull = "if(t > 2, 6*(t - 2), 0)"
[energy]
kinetic = "(x'^2 + y'^2 + z'^2)/2"
potential = "9.22*z - 3.36*x"
[[force]]
coordinate = "y"
value = "pull"
[[constraint]]
name = "floor"
holonomic = "z"
unilateral = true
restitution = 0.3
[[friction]]
name = "rub"
normal = "lambda(floor)"
velocity = ["x'", "y'"]
coefficient = 0.5
static = 0.8
[initial]
position = {x = 0, y = 0, z = 0.1}
velocity = {x = 0, y = 3, z = 0}
"""


# Frictions without any constraint row, and without holonomic ones.
DRAGGED = """name = "dragged"
coordinates = [{name = "x"}]
[energy]
kinetic = "x'^2/2"
potential = "20*x^2"
[[friction]]
name = "rub"
normal = "9.81"
velocity = "x'"
coefficient = 0.2
[initial]
position = {x = 1}
velocity = {x = 0}
"""
SKEWED = """name = "skewed"
coordinates = [{name = "x"}, {name = "y"}]
[energy]
kinetic = "(x'^2 + y'^2)/2"
potential = "20*x^2"
[[constraint]]
name = "skew"
pfaffian = "y' - x*x'"
[[friction]]
name = "rub"
normal = "9.81 + 0.05*lambda(skew)"
velocity = "x'"
coefficient = 0.2
[initial]
position = {x = 1, y = 0}
velocity = {x = 0}
"""

# A block on a floor with friction and a spring, one on a floor that it may leave; an input pushes each.
PUSHED = """name = "pushed"
coordinates = [{name = "x"}, {name = "y"}]
[inputs]
f = "0"
[energy]
kinetic = "(x'^2 + y'^2)/2"
potential = "20*x^2 + 9.81*y"
[[constraint]]
name = "floor"
holonomic = "y"
[[friction]]
name = "rub"
normal = "lambda(floor)"
velocity = "x'"
coefficient = 0.2
[[force]]
coordinate = "x"
value = "f"
[[event]]
name = "pull"
when = "f + 0.5"
direction = "down"
[initial]
position = {x = 0, y = 0}
velocity = {x = 0, y = 0}
"""
LIFTED = """name = "lifted"
coordinates = [{name = "y"}]
[inputs]
f = "0"
[energy]
kinetic = "y'^2/2"
potential = "9.81*y"
[[constraint]]
name = "floor"
holonomic = "y"
unilateral = true
[[force]]
coordinate = "y"
value = "f"
[initial]
position = {y = 0}
velocity = {y = 0}
"""

# A function that rises through 0 and jumps down over it.
TURNS = """name = "turns"
coordinates = [{name = "x"}]
[energy]
kinetic = "x'^2/2"
[[event]]
name = "up"
when = "mod(x, 0.5) - 0.3"
direction = "up"
[[event]]
name = "any"
when = "mod(x, 0.5) - 0.2"
[[event]]
name = "down"
when = "mod(x, 0.5) - 0.1"
direction = "down"
[initial]
position = {x = 0}
velocity = {x = 1}
"""


class Guards(unittest.TestCase):
    """Events happen, and frictions stick and slide, inside of steps of co-simulation, and at event indicators of model exchange. The truth is
    `simulate` at a far smaller tolerance; 1e-6 of the size of each quantity is allowed, as for other models."""

    # A model, until when, and how many events of the model there are.
    MOTIONS = (("rimless-wheel", 3.0, 3), ("compass-gait", 2.5, 3), (BELT, 20.0, 5), (RUBS, 2.0, 5), (PENDULUM, 3.0, 5), (BALL, 2.5, 13), (ACROSS, 3.5, 0),
               (DRAGGED, 1.0, 0), (SKEWED, 1.0, 0),
               ("block-on-belt", 7.0, 0), ("block-on-incline", 2.0, 0), ("woodpecker-toy", 0.3, 0), ("rod-on-corner-friction", 1.0, 0))

    exported = {}

    def export(self, model):
        if model not in self.exported:
            path = model
            if "\n" in model:
                path = TOOLS.new_folder() / "model.toml"
                path.write_text(model, encoding="utf-8")
            self.exported[model] = TOOLS.export(str(path)), str(path)
        return self.exported[model]

    def expected(self, path, until):
        """The end of a run, with its frictions, and how often each event happened."""
        csv_path = TOOLS.new_folder() / "run.csv"
        done = TOOLS.call("simulate", path, "--until", repr(until), "-q", "--json", "-o", str(csv_path))
        with open(csv_path, encoding="utf-8") as file:
            row = {name: float(value) for name, value in list(csv.DictReader(file))[-1].items()}
        happened = {}
        for event in json.loads(done.stdout)["events"]:
            if event["kind"] in ("event", "stop"):
                happened[event["name"]] = happened.get(event["name"], 0) + 1
        return row, happened

    def check(self, fmu, master, expected, happened, until):
        names = [name for name in fmu.series if name in expected]
        self.assertTrue(any(name.startswith("q/") for name in names), names)
        for name, value in zip(names, master.ok("get", 0, *(fmu.series[name] for name in names))):
            self.assertTrue(close(value, expected[name], 1e-6 * max(1.0, abs(expected[name]))), (fmu.identifier, until, name, value, expected[name]))
        for name, reference in fmu.vr.items():
            kind, _, rest = name.partition(".")
            (value,) = master.ok("get", 0, reference) if kind in ("contact", "friction", "event") else (0.0,)
            if kind == "contact":
                self.assertEqual(value, expected["contact/" + rest], name)
            elif kind == "friction":
                self.assertTrue(close(value, expected["friction/" + rest], 1e-6 * max(1.0, abs(value))), (name, value, expected["friction/" + rest]))
            elif kind == "event":
                self.assertEqual(value, happened.get(rest, 0), (fmu.identifier, name))

    @needs_library
    def test_co_simulation(self):
        for model, until, events in self.MOTIONS:
            fmu, path = self.export(model)
            expected, happened = self.expected(path, until)
            self.assertGreaterEqual(sum(happened.values()), events)
            for steps in (1, 50):
                with self.subTest(fmu.identifier, until=until, steps=steps), TOOLS.master(fmu) as master:
                    master.begin(0, "cs")
                    master.ok("run", 0, 0.0, until / steps, steps)
                    self.check(fmu, master, expected, happened, until)

    @needs_library
    def test_model_exchange(self):
        for model, until, _ in self.MOTIONS:
            fmu, path = self.export(model)
            indicators = int(fmu.root.get("numberOfEventIndicators"))
            expected, happened = self.expected(path, until)
            with self.subTest(fmu.identifier, until=until), TOOLS.master(fmu) as master:
                master.begin(0, "me")
                master.ok("exchange-events", 0, fmu.states, indicators, 0.0, 2.5e-4, round(until / 2.5e-4))
                self.check(fmu, master, expected, happened, until)

    # Oracle: free fall, √(2/g) with √(2 g).
    @needs_library
    def test_an_event_ends_the_motion(self):
        fmu, _ = self.export(FALLS)
        instant, speed = math.sqrt(2 / 9.81), -math.sqrt(2 * 9.81)
        with TOOLS.master(fmu) as master:
            master.begin(0, "cs")
            master.ok("step", 0, 0.0, 0.4)
            self.assertEqual(master.ok("last-time", 0), [0.4, 0.0])
            self.assertEqual(master.say("step", 0, 0.4, 0.4)[0], DISCARD)
            there, ended = master.ok("last-time", 0)
            self.assertTrue(close(there, instant, 1e-14), there)
            self.assertEqual(ended, 1.0)
            y, v, count = master.ok("get", 0, fmu.vr["y"], fmu.vr["velocity.y"], fmu.vr["event.lands"])
            self.assertTrue(close(y, 0.0, 1e-14) and close(v, speed, 1e-13), (y, v))
            self.assertEqual(count, 1.0)
            self.assertEqual(master.say("step", 0, there, 0.1)[0], ERROR)
        with TOOLS.master(fmu) as master:
            master.begin(0, "me")
            _, ended, there = master.ok("exchange-events", 0, 2, 1, 0.0, 0.1, 10)
            self.assertEqual(ended, 1.0)
            self.assertTrue(close(there, instant, 1e-14), there)

    # Truth: the block slides left by A (1 - cos w t) with A = (17 - 0.2*9.81)/40, w^2 = 40; the other rises by (20 - 9.81) t^2/2.
    @needs_library
    def test_inputs_that_jump_release(self):
        amplitude, w = (17 - 0.2 * 9.81) / 40, math.sqrt(40)
        for steps in (1, 4, 40):
            with self.subTest(steps=steps):
                fmu, _ = self.export(PUSHED)
                with TOOLS.master(fmu) as master:
                    master.begin(0, "cs")
                    master.ok("set", 0, fmu.vr["f"], 1.0)
                    master.ok("run", 0, 0.0, 0.4 / steps, steps)
                    self.assertEqual(master.ok("get", 0, fmu.vr["x"], fmu.vr["velocity.x"]), [0.0, 0.0])
                    master.ok("set", 0, fmu.vr["f"], -17.0)
                    # Reading between steps already sees what the input does.
                    self.assertTrue(close(master.ok("get", 0, fmu.vr["friction.rub"])[0], -0.2 * 9.81, 1e-9))
                    master.ok("run", 0, 0.4, 0.4 / steps, steps)
                    x, v, rub, pull = master.ok("get", 0, fmu.vr["x"], fmu.vr["velocity.x"], fmu.vr["friction.rub"], fmu.vr["event.pull"])
                    self.assertTrue(close(x, -amplitude * (1 - math.cos(0.4 * w)), 1e-7), x)
                    self.assertTrue(close(v, -amplitude * w * math.sin(0.4 * w), 1e-7), v)
                    self.assertTrue(close(rub, -0.2 * 9.81, 1e-9), rub)
                    self.assertEqual(pull, 1.0)
                fmu, _ = self.export(LIFTED)
                with TOOLS.master(fmu) as master:
                    master.begin(0, "cs")
                    master.ok("run", 0, 0.0, 0.4 / steps, steps)
                    self.assertEqual(master.ok("get", 0, fmu.vr["contact.floor"]), [1.0])
                    master.ok("set", 0, fmu.vr["f"], 20.0)
                    master.ok("run", 0, 0.4, 0.5 / steps, steps)
                    y, closed, force = master.ok("get", 0, fmu.vr["y"], fmu.vr["contact.floor"], fmu.vr["lambda.floor"])
                    self.assertTrue(close(y, (20 - 9.81) * 0.25 / 2, 1e-9), y)
                    self.assertEqual((closed, force), (0.0, 0.0))

    # An input that rises in small jumps: the block starts to move at the first one above the limit of friction, 0.2*9.81. Truth: an oscillation
    # about a new middle from each jump on, by hand.
    @needs_library
    def test_inputs_that_rise_in_small_jumps_release(self):
        fmu, _ = self.export(PUSHED)
        x = v = 0.0
        w, step = math.sqrt(40), 0.01
        with TOOLS.master(fmu) as master:
            master.begin(0, "cs")
            for i in range(40):
                f = 0.1 * i
                master.ok("set", 0, fmu.vr["f"], f)
                master.ok("step", 0, i * step, step)
                if f > 0.2 * 9.81:
                    middle, c, s = (f - 0.2 * 9.81) / 40, math.cos(w * step), math.sin(w * step)
                    x, v = middle + (x - middle) * c + v / w * s, v * c - (x - middle) * w * s
                    self.assertGreater(v, 0)
                self.assertTrue(close(master.ok("get", 0, fmu.vr["x"])[0], x, 1e-7), (f, x))

    # Truth: x = t, so the functions rise through 0 at 0.3, 0.2 and 0.1 after each half second, and jump down at each half second.
    @needs_library
    def test_functions_that_jump(self):
        fmu, _ = self.export(TURNS)
        counts = [fmu.vr["event." + name] for name in ("up", "any", "down")]
        for kind in ("cs", "me"):
            with self.subTest(kind), TOOLS.master(fmu) as master:
                master.begin(0, kind)
                if kind == "cs":
                    for i in range(29):
                        master.ok("step", 0, i * 0.1, 0.1)
                else:
                    master.ok("exchange-events", 0, fmu.states, 3, 0.0, 0.01, 290)
                self.assertEqual(master.ok("get", 0, *counts), [6.0, 11.0, 5.0])

    # A state of the FMU holds what contacts and frictions do and on which side events are.
    @needs_library
    def test_rewinding(self):
        for model in (BELT, RUBS, BALL, ACROSS):
            fmu, _ = self.export(model)
            everything = [int(v.get("valueReference")) for v in fmu.variables if v[0].tag == "Real"]
            with self.subTest(fmu.identifier), TOOLS.master(fmu) as master:
                master.begin(0, "cs")
                master.ok("run", 0, 0.0, 0.7, 1)
                master.ok("keep", 0)
                first = master.ok("run", 0, 0.7, 0.5, 6, *everything)
                master.ok("rewind", 0)
                self.assertEqual(master.ok("run", 0, 0.7, 0.5, 6, *everything), first)

    def test_files(self):
        for model in (BELT, RUBS, PENDULUM, BALL, FALLS, ACROSS, DRAGGED, SKEWED, PUSHED, TURNS):
            fmu, _ = self.export(model)
            self.assertEqual(fmu_rules.problems_of_file(fmu.path), [])
            for source in sorted((fmu.folder / "sources").glob("*.c")):
                done = subprocess.run(["cc", "-std=c99", "-O1", *WARN, "-c", str(source), "-o", str(fmu.folder / "object.o")],
                                      capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 0, done.stderr[:3000])
