#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `dalembert gait` says of random cycles, against an integration of their kinematic equations by SciPy.

    snake    three links on wheels, of random lengths: velocities from the wheels' own geometry, by complex numbers
    car      a kinematic car, rolled and steered to and fro: x' = r s' cos(th), th' = r s' tan(phi)/l
    bent     cos(u) u' = a' + c b a': singular where sin(u) = 1, which no shape alone says

A third of the cycles pass a singular shape, some of them twice within a short part of the period, by less than 1e-4 of
what the determinant is elsewhere: those must be refused. Cycles that come near one are left out, where the reference
cannot tell. With --optimize (one case in eight), what is called the best cycle is integrated as it is printed.

right      the displacement within its tolerance, or refused where the cycle passes a singular shape
undecided  the displacement is right, and the search for the best cycle has no start
wrong      anything else; its model is printed with --keep, and the exit status is 1

    judge_gaits.py --program build/release/bin/dalembert --cases 300 --seed 1 [--only KIND] [--keep DIR]
"""
import argparse
import cmath
import collections
import json
import math
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq, minimize_scalar


class Wrong(Exception):
    pass


class Skip(Exception):
    pass


class Series:
    """A shape and its rate: mean and harmonics."""

    def __init__(self, mean, terms, rate):
        self.mean, self.terms, self.rate = mean, terms, rate  # terms: (order, cosine, sine)

    def value(self, t):
        return self.mean + sum(c * np.cos(k * self.rate * t) + s * np.sin(k * self.rate * t) for k, c, s in self.terms)

    def slope(self, t):
        return sum(k * self.rate * (s * np.cos(k * self.rate * t) - c * np.sin(k * self.rate * t)) for k, c, s in self.terms)

    def scaled(self, factor):
        return Series(self.mean, [(k, c * factor, s * factor) for k, c, s in self.terms], self.rate)

    def text(self):
        w = self.rate
        return f"({self.mean!r})" + "".join(f" + ({c!r})*cos({k * w!r}*t) + ({s!r})*sin({k * w!r}*t)" for k, c, s in self.terms)


class Printed:
    """A shape as the program prints it."""

    def __init__(self, text):
        self.code = compile(text.replace("^", "**"), "cycle", "eval")

    def value(self, t):
        return eval(self.code, {"sin": np.sin, "cos": np.cos, "pi": math.pi, "t": t}) + 0 * t

    def slope(self, t):
        # The text is entire, so the derivative is that of the complex step.
        return np.imag(eval(self.code, {"sin": np.sin, "cos": np.cos, "pi": math.pi, "t": t + 1e-30j}) + 0j) / 1e-30


def series(rng, mean, size, rate):
    return Series(mean, [(k, rng.uniform(-size, size) / k**2, rng.uniform(-size, size) / k**2)
                         for k in range(1, rng.choice([1, 1, 2, 3]) + 1)], rate)


class Snake:
    names, passive = ["a", "b"], ["x", "y", "theta"]

    def __init__(self, rng):
        self.L, self.R, self.S = (rng.uniform(0.1, 0.6) for _ in range(3))
        self.rate = rng.choice([1.0, 1.0, 2.0, 0.7])
        self.shapes = [series(rng, rng.uniform(-1.2, 1.2), rng.uniform(0.1, 0.8), self.rate) for _ in range(2)]

    def model(self):
        L, R, S = self.L, self.R, self.S
        return f'''name = "snake"
coordinates = [{{name = "x", unit = "m"}}, {{name = "y", unit = "m"}}, {{name = "theta", unit = "rad"}}, {{name = "a", unit = "rad"}}, {{name = "b", unit = "rad"}}]
[energy]
kinetic = "(1 kg)*(x'^2 + y'^2) + (1 kg*m^2)*(theta'^2 + a'^2 + b'^2)"
[[frame]]
name = "middle"
origin = ["x", "y"]
rotate = "theta"
[[frame]]
name = "behind"
parent = "middle"
origin = ["{-L!r} m", "0"]
rotate = "-a"
[[frame]]
name = "ahead"
parent = "middle"
origin = ["{L!r} m", "0"]
rotate = "b"
[[point]]
name = "w1"
frame = "behind"
at = ["{-R!r} m", "0"]
[[point]]
name = "w2"
frame = "middle"
at = ["0", "0"]
[[point]]
name = "w3"
frame = "ahead"
at = ["{S!r} m", "0"]
''' + "".join(f'''[[constraint]]
name = "c{i}"
no_skid = {{point = "w{i}", direction = ["{f}.R[1,2]", "{f}.R[2,2]"]}}
''' for i, f in ((1, "behind"), (2, "middle"), (3, "ahead")))

    def matrices(self, a, b):
        """Sideways velocities of the wheels by (forward, sideways, turn) of the middle, and by (a', b')."""
        rows, by_shape = [], []
        for joint, turn, arm, which in ((-self.L, -a, -self.R, 0), (0, 0, 0, None), (self.L, b, self.S, 1)):
            heading = np.exp(1j * turn)
            side, lever = 1j * heading, arm * heading
            wheel = joint + lever
            rows.append([side.real, side.imag, (1j * wheel * np.conj(side)).real])
            by = [0.0, 0.0]
            if which is not None:
                by[which] = (1j * lever * np.conj(side)).real * (-1 if which == 0 else 1)
            by_shape.append(by)
        return np.array(rows), np.array(by_shape)

    def determinant(self, values, _state):
        return float(np.linalg.det(self.matrices(*values)[0]))

    def rates(self, values, slopes, state):
        K, A = self.matrices(*values)
        xi = np.linalg.solve(K, -A @ np.array(slopes))
        v = complex(xi[0], xi[1]) * cmath.exp(1j * state[2])
        return [v.real, v.imag, xi[2]]

    start = [0.0, 0.0, 0.0]
    by_shape_alone = True


class Car:
    names, passive = ["s", "phi"], ["x", "y", "theta"]

    def __init__(self, rng):
        self.length, self.radius = rng.uniform(0.3, 2), rng.uniform(0.1, 1)
        self.rate = rng.choice([1.0, 2.0, 0.5])
        self.shapes = [series(rng, 0.0, rng.uniform(0.3, 2), self.rate),
                       series(rng, rng.uniform(-0.4, 0.4), rng.uniform(0.1, 1.6), self.rate)]

    def model(self):
        return f'''name = "car"
coordinates = [{{name = "x", unit = "m"}}, {{name = "y", unit = "m"}}, {{name = "theta", unit = "rad"}}, {{name = "s", unit = "rad"}}, {{name = "phi", unit = "rad"}}]
[parameters]
l = "{self.length!r} m"
r = "{self.radius!r} m"
[energy]
kinetic = "(1 kg)*(x'^2 + y'^2) + (1 kg*m^2)*(theta'^2 + s'^2 + phi'^2)"
[[constraint]]
name = "rolls"
pfaffian = "cos(theta)*x' + sin(theta)*y' - r*s'"
[[constraint]]
name = "rear"
pfaffian = "-sin(theta)*x' + cos(theta)*y'"
[[constraint]]
name = "front"
pfaffian = "-sin(theta + phi)*x' + cos(theta + phi)*y' + l*cos(phi)*theta'"
'''

    def determinant(self, values, _state):
        return math.cos(values[1])

    def rates(self, values, slopes, state):
        v = self.radius * slopes[0]
        return [v * math.cos(state[2]), v * math.sin(state[2]), v * math.tan(values[1]) / self.length]

    start = [0.0, 0.0, 0.0]
    by_shape_alone = True


class Bent:
    names, passive = ["a", "b"], ["u", "w"]

    def __init__(self, rng):
        self.c = rng.uniform(-1, 1)
        self.rate = 1.0
        self.shapes = [series(rng, 0.0, rng.uniform(0.2, 0.9), 1.0), series(rng, 0.0, rng.uniform(0.2, 0.9), 1.0)]

    def model(self):
        return f'''name = "bent"
coordinates = ["u", "w", "a", "b"]
[energy]
kinetic = "u'^2 + w'^2 + a'^2 + b'^2"
[[constraint]]
name = "first"
pfaffian = "cos(u)*u' - a' - ({self.c!r})*b*a'"
[[constraint]]
name = "second"
pfaffian = "w' - u*b'"
'''

    def determinant(self, _values, state):
        return math.cos(state[0])

    def rates(self, values, slopes, state):
        du = (slopes[0] + self.c * values[1] * slopes[0]) / math.cos(state[0])
        return [du, state[0] * slopes[1]]

    start = [0.0, 0.0]
    by_shape_alone = False

    def sine_range(self, shapes, period):
        """sin(u) is an integral over the cycle alone."""
        t = np.linspace(0, period, 20001)
        f = shapes[0].slope(t) * (1 + self.c * shapes[1].value(t))
        s = np.concatenate([[0], np.cumsum((f[1:] + f[:-1]) / 2 * np.diff(t))])
        return float(np.min(s)), float(np.max(s))


KINDS = {"snake": Snake, "car": Car, "bent": Bent}


def determinants(system, shapes, period):
    """Least and largest of det along a cycle, relative to the sign at its start, with the least one refined."""
    def det(t):
        return system.determinant([float(s.value(t)) for s in shapes], None)
    times = np.linspace(0, period, 1500, endpoint=False)
    values = np.array([det(t) for t in times])
    sign = 1.0 if values[0] > 0 else -1.0
    values *= sign
    order = np.argsort(values)[:3]
    h = period / len(times)
    least = min(float(minimize_scalar(lambda t: sign * det(t), bounds=(times[k] - h, times[k] + h), method="bounded",
                                      options={"xatol": 1e-12 * period}).fun) for k in order)
    return min(least, float(np.min(values))), float(np.max(np.abs(values)))


def displacement(system, shapes, period):
    def f(t, y):
        return system.rates([float(s.value(t)) for s in shapes], [float(s.slope(t)) for s in shapes], y)
    done = solve_ivp(f, (0, period), system.start, method="DOP853", rtol=1e-12, atol=1e-14)
    if not done.success:
        raise Skip
    return [a - b for a, b in zip(done.y[:, -1], system.start)]


def verdict_of(system, shapes, period):
    """`singular`, `regular`, or Skip where it is too near to tell."""
    if not system.by_shape_alone:
        low, high = system.sine_range(shapes, period)
        far = max(-low, high)
        if 0.995 < far < 1.0001:
            raise Skip
        return "singular" if far >= 1 else "regular"
    least, most = determinants(system, shapes, period)
    if least < -1e-9 * most:
        return "singular"
    if least < 1e-3 * most:
        raise Skip
    return "regular"


def graze(rng, system, period):
    """Amplitudes with which the cycle passes a singular shape by very little, if there are such."""
    def least(factor):
        low, most = determinants(system, [s.scaled(factor) for s in system.shapes], period)
        return low / most
    if least(1.0) > 0 or least(0.05) < 0:
        raise Skip
    at = brentq(least, 0.05, 1.0, xtol=1e-13)
    factor = at * (1 + 10 ** rng.uniform(-8, -3))
    if not -1e-2 < least(factor) < -1e-9:
        raise Skip
    return [s.scaled(factor) for s in system.shapes]


def compare(said, truth, what):
    for name, x in truth.items():
        if said[name] is None or abs(said[name] - x) > 1e-7 * max(1.0, max(abs(v) for v in truth.values())):
            raise Wrong(f"{what}: {name} = {said[name]}, is {x}")


def judge(rng, options, folder, kind, table):
    system = KINDS[kind](rng)
    period = 2 * math.pi / system.rate
    shapes = system.shapes
    if system.by_shape_alone and rng.random() < 0.25:
        shapes = graze(rng, system, period)
    truth = verdict_of(system, shapes, period)
    prescribed = "[prescribed]\n" + "".join(f'{name} = "{s.text()}"\n' for name, s in zip(system.names, shapes))
    text = system.model() + prescribed
    (pathlib.Path(folder) / "model.toml").write_text(text)
    optimize = truth == "regular" and system.by_shape_alone and rng.random() < 0.125
    command = [options.program, "gait", str(pathlib.Path(folder) / "model.toml"), "--json"]
    begin = time.monotonic()
    done = subprocess.run(command + (["--optimize"] if optimize else []), capture_output=True, text=True, timeout=300)
    table["slowest"] = max(table["slowest"], time.monotonic() - begin)
    if done.returncode < 0 or done.returncode > 100:
        raise Wrong(f"ended with {done.returncode}")
    table[truth] += 1
    if truth == "singular":
        if done.returncode == 0:
            raise Wrong(f"a cycle through a singular shape: {json.loads(done.stdout)['displacement']}")
        if "error[E0322]" not in done.stderr or "singular" not in done.stderr:
            raise Wrong(f"refused for another reason: {done.stderr}")
        return "right"
    if done.returncode != 0:
        raise Wrong(f"refused: {done.stderr}")
    document = json.loads(done.stdout)
    compare(document["displacement"], dict(zip(system.passive, displacement(system, shapes, period))), "displacement")
    if optimize:
        table["optima"] += 1
        best = document["optimum"]
        if best["distance_per_effort"] is None:
            return "undecided"
        cycle = [Printed(best["cycle"][name]) for name in system.names]
        least, most = determinants(system, cycle, period)
        if least <= 1e-6 * most:
            raise Wrong(f"the best cycle comes to {least / most:.1e} of a singular shape")
        reached = displacement(system, cycle, period)
        compare(best["displacement"], dict(zip(system.passive, reached)), "the best cycle")
        t = np.linspace(0, period, 4096, endpoint=False)
        effort = sum(float(np.mean(s.slope(t) ** 2)) for s in cycle) * period
        if abs(math.hypot(*reached[:2]) / effort / best["distance_per_effort"] - 1) > 1e-5:
            raise Wrong(f"distance per effort {best['distance_per_effort']}, is {math.hypot(*reached[:2]) / effort}")
        if best["distance_per_effort"] < best["at_start"] * (1 - 1e-8):
            raise Wrong("the best cycle is worse than the one given")
    return "right"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--seed", type=int, default=int(os.environ.get("DALEMBERT_TEST_SEED", "1")))
    parser.add_argument("--only", choices=KINDS)
    parser.add_argument("--keep", help="a folder for the models that are answered wrongly")
    options = parser.parse_args()
    counts, table = collections.defaultdict(collections.Counter), collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        for case in range(options.cases):
            rng = random.Random(f"{options.seed}/{case}")
            kind = options.only or rng.choices(["snake", "car", "bent"], [5, 3, 2])[0]
            while True:
                try:
                    result = judge(rng, options, folder, kind, table)
                except Skip:
                    continue
                except Wrong as wrong:
                    result = "wrong"
                    print(f"case {case} ({kind}): {wrong}", flush=True)
                    if options.keep:
                        pathlib.Path(options.keep).mkdir(parents=True, exist_ok=True)
                        (pathlib.Path(options.keep) / f"{kind}-{options.seed}-{case}.toml").write_text(
                            (pathlib.Path(folder) / "model.toml").read_text())
                counts[kind][result] += 1
                break
    columns = ["right", "undecided", "wrong"]
    total = collections.Counter()
    print(f"{'':12}" + "".join(f"{name:>11}" for name in columns))
    for kind, one in sorted(counts.items()):
        print(f"{kind:12}" + "".join(f"{one[name]:11}" for name in columns))
        total += one
    print(f"{table['regular']} with a displacement, {table['singular']} through singular shapes, {table['optima']} optima; "
          f"slowest {table['slowest']:.1f} s")
    print(f"{'all':12}" + "".join(f"{total[name]:11}" for name in columns))
    return 1 if total["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
