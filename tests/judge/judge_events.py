#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does `dalembert simulate` find every event of a model, at its instant, and bound the error of the end beyond jumps?

    judge_events.py --program BINARY [--cases 300] [--seed 1]

A case is a motion that is known in closed form between its events: a ball in a box with a floor (parabolas), an oscillator with
stops on one or both sides (sines), a uniform motion with a fast periodic function of it. Its events and states are computed
here, one after the other, by formulas. Nothing of dalembert is in them.
  right       the same events in the same order, each within 1e-8 s, and the end within the error that the verdict names (and the
              round-off of this script, 1e-12)
  wrong       otherwise
  near        two events within 1e-6 s of each other or of the end, or a stop that is grazed: not judged
"""

import argparse
import json
import math
import os
import pathlib
import random
import subprocess
import sys
import tempfile

ROUNDOFF = 1e-12


def number(rng, low, high):
    return round(rng.uniform(low, high), 4)


def ball(rng):
    """x' = const between walls at 0 and W, y falls onto a floor at 0."""
    g, width = number(rng, 2, 12), number(rng, .5, 2)
    bounce, rebound = number(rng, .5, 1), number(rng, .6, 1)
    x, y, u, v = number(rng, .1, .4), number(rng, .3, 2), number(rng, -2, 2) or .5, number(rng, -1, 1)
    text = f"""coordinates = ["x", "y"]
[energy]
kinetic = "x'^2/2 + y'^2/2"
potential = "{g}*y"
[initial]
position = {{x = {x}, y = {y}}}
velocity = {{x = {u}, y = {v}}}
[[event]]
name = "floor"
when = "y"
direction = "down"
set = {{"y'" = "-{bounce}*y'"}}
[[event]]
name = "left"
when = "x"
direction = "down"
set = {{"x'" = "-{rebound}*x'"}}
[[event]]
name = "right"
when = "x - {width}"
direction = "up"
set = {{"x'" = "-{rebound}*x'"}}
"""
    until, t, events = number(rng, .5, 3), 0.0, []
    while True:
        fall = (v + math.sqrt(v * v + 2 * g * y)) / g
        side = (width - x) / u if u > 0 else -x / u
        step = min(fall, side, until - t)
        ends = step == until - t
        x, y, v, t = x + u * step, y + v * step - g * step * step / 2, v - g * step, t + step
        if ends:
            break
        if step == fall:
            events.append(("floor", t))
            y, v = 0.0, -bounce * v
        else:
            events.append(("right" if u > 0 else "left", t))
            x, u = (width if u > 0 else 0.0), -rebound * u
        if len(events) > 60:
            return None
    return text, until, events, {"x": x, "y": y}, {"x": u, "y": v}


def oscillator(rng):
    """x'' = -w^2 x with a stop at a, where x' becomes -e x', and an event at each turning point below."""
    w, stop, e = number(rng, 1, 6), number(rng, .05, .6), number(rng, .3, 1)
    x, v = -number(rng, .7, 1.5), number(rng, 0, 1)
    text = f"""coordinates = ["x"]
[energy]
kinetic = "x'^2/2"
potential = "{w}^2*x^2/2"
[initial]
position = {{x = {x}}}
velocity = {{x = {v}}}
[[event]]
name = "stop"
when = "x - {stop}"
direction = "up"
set = {{"x'" = "-{e}*x'"}}
[[event]]
name = "turn"
when = "x'"
direction = "up"
where = "x < 0"
"""
    until, t, events = number(rng, 1, 8), 0.0, []
    while len(events) < 60:
        # x = A cos(w s + c) from here on.
        amplitude, phase = math.hypot(x, v / w), math.atan2(-v / w, x)

        def first(angle):
            """The first s > 0 with w s + c = angle, up to turns."""
            s = (angle - phase) / w
            while s <= 1e-9:
                s += 2 * math.pi / w
            return s

        hits = [(first(math.pi), "turn")]
        if abs(amplitude / stop - 1) < 1e-3:
            return None  # it grazes the stop: whether and when it meets it hangs on the last digits
        if amplitude > stop:
            hits.append((first(-math.acos(stop / amplitude)), "stop"))
        step, name = min(hits)
        if t + step >= until:
            s = until - t
            return text, until, events, {"x": amplitude * math.cos(w * s + phase)}, {"x": -amplitude * w * math.sin(w * s + phase)}
        x, v, t = amplitude * math.cos(w * step + phase), -amplitude * w * math.sin(w * step + phase), t + step
        events.append((name, t))
        if name == "stop":
            x, v = stop, -e * v
        else:
            v = 0.0
    return None


def passages(rng):
    """x = b + v t, and every zero of sin(k x) and every rise of cos(n t) through c."""
    b, v, k, n, c = number(rng, -1, 1), number(rng, .5, 3), number(rng, 5, 80), number(rng, 5, 40), number(rng, -.8, .8)
    until = number(rng, .5, 2)
    text = f"""coordinates = ["x"]
[energy]
kinetic = "x'^2/2"
[initial]
position = {{x = {b}}}
velocity = {{x = {v}}}
[[event]]
name = "node"
when = "sin({k}*x)"
[[event]]
name = "rise"
when = "cos({n}*t) - {c}"
direction = "up"
"""
    events = []
    m = math.ceil(k * b / math.pi)
    while (t := (m * math.pi / k - b) / v) < until:
        if t > 0:
            events.append(("node", t))
        m += 1
    m = 0
    while (t := (2 * math.pi * (m + 1) - math.acos(c)) / n) < until:
        events.append(("rise", t))
        m += 1
    return text, until, sorted(events, key=lambda event: event[1]), {"x": b + v * until}, {"x": v}


def is_near(events, until):
    times = [t for _, t in events] + [until]
    return any(b - a < 1e-6 for a, b in zip([0.0] + times, times))


def judge(program, path, case, method, rtol):
    _, until, events, q, qd = case
    command = [program, "simulate", str(path), "--until", repr(until), "--rtol", repr(rtol), "--method", method, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    if done.returncode not in (0, 4):
        return f"exit {done.returncode}: {done.stderr[:300]}"
    run = json.loads(done.stdout)
    found = [(event["name"], event["t"]) for event in run["events"]]
    if [name for name, _ in found] != [name for name, _ in events]:
        return f"events {[name for name, _ in found]} are not {[name for name, _ in events]}"
    for (name, told), (_, true) in zip(found, events):
        if not abs(told - true) < max(1e-8, 1e3 * rtol):
            return f"{name} at {told!r}, which is at {true!r}"
    for group, truth in (("q", q), ("qd", qd)):
        for name, value in truth.items():
            off, named = abs(run["final"][group][name] - value), run["verdict"]["error"][group][name]
            if not off <= named + ROUNDOFF * (1 + len(events)):
                return f"{name} ({group}) is off by {off:.3g}, named is {named:.3g}"
    return ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--cases", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    counts = {"right": 0, "wrong": 0, "near": 0}
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "model.toml"
        for number_of_case in range(arguments.cases):
            rng = random.Random(arguments.seed * 1_000_003 + number_of_case)
            case = rng.choice([ball, oscillator, passages])(rng)
            method, rtol = rng.choice(["dop853", "dopri5", "radau"]), 10 ** rng.uniform(-12, -7)
            if case is None or is_near(case[2], case[1]):
                counts["near"] += 1
                continue
            path.write_text(case[0], encoding="utf-8")
            problem = judge(arguments.program, path, case, method, rtol)
            counts["wrong" if problem else "right"] += 1
            if problem:
                kept = f"{tempfile.gettempdir()}/judge_events_{arguments.seed}_{number_of_case}_{os.getpid()}.toml"
                pathlib.Path(kept).write_text(case[0], encoding="utf-8")
                print(f"case {number_of_case}, {method}, rtol {rtol:.3g}: {problem}\n  {kept}")
    print(", ".join(f"{count} {what}" for what, count in counts.items()))
    return 1 if counts["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
