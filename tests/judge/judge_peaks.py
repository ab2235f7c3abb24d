#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Are the extremes that `dalembert simulate` tells those of the motion, whatever rows are asked for?

    judge_peaks.py --program BINARY [--cases 300] [--seed 1]

A case is a series of a run. Truth: motions in closed form (an oscillator x = A cos(w t + c), a uniform motion y = b + v t,
a pendulum's tension by its energy), outputs as the same formulas in Python, 200,001 samples and a golden section search about
the best of them. Nothing of dalembert is in it.
  right       both extremes within 1e-9 of the range (pendulum: 1e-8, its motion has an error), and the value at the
              instant that is told is that extreme
  wrong       otherwise
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

import numpy

SAMPLES = 200_001


def random_output(rng):
    """The same formula for a model (of x, y, dimensionless rates and t) and for numpy."""
    def number(low, high):
        return repr(round(rng.uniform(low, high), 3))

    def term():
        return rng.choice([
            lambda: f"{number(.2, 2)}*x*sin({number(.5, 9)}*y)",
            lambda: f"{number(.2, 2)}*X*X*exp(-{number(.1, 1)}*y*y)",
            lambda: f"{number(.2, 2)}*X/(1 + {number(.2, 3)}*x*x)",
            lambda: f"{number(.2, 2)}*cos({number(1, 20)}*t/S + {number(0, 3)})",
            lambda: f"{number(.2, 2)}*abs(x - {number(-.5, .5)})",
            lambda: f"{number(.2, 2)}*max(x, {number(-.5, .5)}*y)",
            lambda at=number(0, 1.5): f"{number(.2, 2)}*exp(-{number(20, 400)}*(y - {at})*(y - {at}))",
            lambda: f"{number(.2, 2)}*sqrt(1 + X*X)"])()

    return " + ".join(term() for _ in range(rng.randint(1, 3)))


def extremes(f, until):
    """Smallest and largest of f on [0, until]."""
    times = numpy.linspace(0, until, SAMPLES)
    values = f(times) + 0 * times
    found = []
    for sign in (-1, 1):
        best = -math.inf
        # Golden section about each sample that is near the best.
        signed = sign * values
        near = numpy.argsort(signed)[-40:]
        for k in near:
            a, b = times[max(k - 1, 0)], times[min(k + 1, SAMPLES - 1)]
            for _ in range(80):
                c, d = a + 0.381966 * (b - a), a + 0.618034 * (b - a)
                if sign * float(f(c)) > sign * float(f(d)):
                    b = d
                else:
                    a = c
            best = max(best, float(signed[k]), sign * float(f((a + b) / 2)))
        found.append(sign * best)
    return found


def oscillator(rng):
    A, w, c, v, until = rng.uniform(.3, 2), rng.uniform(.5, 8), rng.uniform(0, 6), rng.uniform(.1, .6), rng.uniform(1, 8)
    outputs = [random_output(rng) for _ in range(4)]
    lines = ['name = "oscillator"', 'coordinates = [{name = "x", unit = "1"}, {name = "y", unit = "1"}]', "[parameters]",
             'S = "1 s"', 'J = "1 kg*m^2"', f'w = "{w!r} 1/s"', "[energy]", 'kinetic = "J/2*(x\'^2 + y\'^2)"',
             'potential = "J/2*w^2*x^2"', "[outputs]",
             *[f'f{i} = "{output}"'.replace("X", "(S*x')") for i, output in enumerate(outputs)], "[initial]",
             f"position = {{x = {A * math.cos(c)!r}, y = 0}}",
             f"velocity = {{x = {-A * w * math.sin(c)!r}, y = {v!r}}}"]

    def series(output):
        names = {"sin": numpy.sin, "cos": numpy.cos, "exp": numpy.exp, "sqrt": numpy.sqrt, "abs": numpy.abs,
                 "max": numpy.maximum, "S": 1.0}
        code = compile(output, "output", "eval")
        return lambda t: eval(code, {"__builtins__": {}}, names | {  # noqa: S307
            "t": t, "x": A * numpy.cos(w * t + c), "X": -A * w * numpy.sin(w * t + c), "y": v * t})

    return "\n".join(lines) + "\n", until, {f"f{i}": (*extremes(series(output), until), 1e-9, series(output))
                                           for i, output in enumerate(outputs)}


def pendulum(rng):
    m, g, L, start = rng.uniform(.1, 9), rng.uniform(1, 20), rng.uniform(.1, 4), rng.uniform(.1, 2.8)
    until = rng.uniform(3, 6) * 2 * math.pi * math.sqrt(L / g)  # longer than a swing from 2.8 rad
    lines = ['name = "pendulum"', 'coordinates = [{name = "x", unit = "m"}, {name = "y", unit = "m"}]', "[parameters]",
             f'm = "{m!r} kg"', f'g = "{g!r} m/s^2"', f'L = "{L!r} m"', "[energy]", 'kinetic = "m/2*(x\'^2 + y\'^2)"',
             'potential = "m*g*y"', "[[constraint]]", 'name = "rod"', 'holonomic = "(x^2 + y^2 - L^2)/(2*L)"', "[initial]",
             f"position = {{x = {L * math.sin(start)!r}, y = {-L * math.cos(start)!r}}}", "velocity = {x = 0}"]
    tension = sorted((m * g * math.cos(start), m * g * (3 - 2 * math.cos(start))))
    return "\n".join(lines) + "\n", until, {"lambda/rod": (-tension[1], -tension[0], 1e-8, None)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--cases", type=int, default=100)
    parser.add_argument("--seed", type=int, default=int(os.environ.get("DALEMBERT_TEST_SEED", "1")))
    options = parser.parse_args()
    right = wrong = model = 0
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "model.toml")
        while right + wrong < options.cases:
            rng = random.Random(f"{options.seed}/{model}")
            make = pendulum if rng.random() < 0.3 else oscillator
            text, until, known = make(rng)
            path.write_text(text)
            rows = [] if rng.random() < 0.3 else ["--every", repr(until * 10 ** rng.uniform(-2, 0))]
            outcome = subprocess.run([options.program, "simulate", path, "--json", "--rtol", "1e-12", "--atol", "1e-15",
                                      "--until", repr(until), *rows], capture_output=True, text=True)
            run = json.loads(outcome.stdout)
            if run.get("status") != "ok":
                sys.exit(f"model {model} does not run: {outcome.stdout}{outcome.stderr}")
            for name, (low, high, tolerance, f) in known.items():
                peak = run["peaks"][name if "/" in name else f"output/{name}"]
                allowed = tolerance * (high - low) + 1e-12
                good = abs(peak["min"] - low) <= allowed and abs(peak["max"] - high) <= allowed
                if f is not None:  # flat extremes: the instant is not unique, its value is
                    good = good and all(abs(float(f(peak["t_" + end])) - peak[end]) <= 10 * allowed for end in ("min", "max"))
                right, wrong = right + good, wrong + (not good)
                if not good:
                    print(f"model {model} ({make.__name__}, {' '.join(rows) or 'all rows'}) {name}: {peak}, true {low!r} to {high!r}",
                          flush=True)
            model += 1
    print(f"{right} right, 0 undecided, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
