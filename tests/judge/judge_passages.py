#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `dalembert simulate` says of singular positions that a motion passes, against linkages whose motion is one equation.

    judge_passages.py --program BINARY [--cases 100] [--seed 1]

    slider       a slider-crank with equal bars, in angles, on either branch: a row vanishes where the crank is upright
    parallel     a parallelogram in angles: a row vanishes where it is flat
    crossed      the same bars crossed
    windows      parallel cranks side by side in the coordinates of their pins: flat, as many ranks are lost as there are couplers
    near         one of the first three with bars that differ a little: comes near and passes none
    apart        one of them that turns back before it is there

Sizes, masses, starts, tolerances, methods and both formulations are random. The reference integrates the one equation of the
branch (SciPy, DOP853 at 1e-12) and finds when its angle is there.

right      as many passages as there are, each at its time and with its rank, one warning; where there are none, none
stopped    the run does not reach its end
skipped    the reference turns back too near to the position to tell
wrong      anything else; the case is printed, and the exit status is 1
"""

import argparse
import collections
import json
import math
import os
import pathlib
import random
import subprocess
import sys
import tempfile

import numpy as np
from scipy.integrate import solve_ivp

CLEAR = 0.06  # rad: how far from the position a motion must turn back


class Skip(Exception):
    pass


def follow(mass, force, start, until, there):
    """Times where `there` vanishes on the way of m(x) x'' + m'(x) x'^2/2 = force(x), from (x, x')."""
    def slope(_, y):
        x, v = y
        e = 1e-4
        rate = (8 * (mass(x + e) - mass(x - e)) - (mass(x + 2 * e) - mass(x - 2 * e))) / (12 * e)
        return [v, (force(x) - rate * v * v / 2) / mass(x)]

    def turns(_, y):
        return y[1]

    path = solve_ivp(slope, (0, until), start, method="DOP853", rtol=1e-12, atol=1e-13, events=[lambda _, y: there(y[0]), turns],
                     max_step=until / 50)
    if not path.success:
        raise Skip
    times, fastest = list(path.t_events[0]), max(abs(path.y[1]))
    for y in list(path.y_events[1]) + [path.y[:, -1], np.array(start)]:
        if abs(there(y[0])) < CLEAR:
            raise Skip
    if any(abs(y[1]) < 0.05 * fastest for y in path.y_events[0]):
        raise Skip
    return times


def slider(rng, near=0.0):
    L = rng.uniform(0.05, 0.6)
    m1, m2, m3 = (rng.uniform(0.2, 3) for _ in range(3))
    I1, I2 = (rng.uniform(0.1, 2) * L * L for _ in range(2))
    g = rng.choice([0, 9.81, 9.81])
    branch = rng.choice([1, 1, -1]) if not near else 1  # -1: phi = theta, the slider stays
    theta, rate = rng.uniform(-3, 3), rng.choice([-1, 1]) * rng.uniform(0.5, 12)
    L2 = L * (1 + near)
    phi = math.asin(math.sin(theta) / (1 + near))
    if branch > 0:
        phi = math.pi - phi if math.cos(theta) > 0 else -math.pi + math.pi + phi
    text = f'''coordinates = ["theta", "phi", "x"]
[energy]
kinetic = "{m1 * L * L + I1!r}/2*theta'^2 + {m2!r}/2*(4*{L!r}^2*theta'^2 + {L2!r}^2*phi'^2 - 4*{L!r}*{L2!r}*theta'*phi'*cos(theta-phi)) + {I2!r}/2*phi'^2 + {m3!r}/2*x'^2"
potential = "{m1 * g * L!r}*sin(theta) + {m2 * g!r}*(2*{L!r}*sin(theta) - {L2!r}*sin(phi))"
[[constraint]]
name = "h"
holonomic = ["2*{L!r}*cos(theta) - 2*{L2!r}*cos(phi) - x", "2*{L!r}*sin(theta) - 2*{L2!r}*sin(phi)"]
'''
    if branch < 0:
        phi = theta
    else:
        phi = math.pi - theta if not near else phi
    x = 2 * L * math.cos(theta) - 2 * L2 * math.cos(phi)
    text += f"[initial]\nposition = {{theta = {theta!r}}}\nvelocity = {{theta = {rate!r}}}\nguess = {{phi = {phi!r}, x = {x!r}}}\n"

    def mass(q):
        turn = -branch  # phi' = turn theta'
        slide = 0 if branch < 0 else -4 * L * math.sin(q)
        between = math.cos(2 * q - math.pi) if branch > 0 else 1
        return m1 * L * L + I1 + m2 * (4 * L * L + L * L - 4 * L * L * turn * between) + I2 + m3 * slide ** 2

    def force(q):
        return -(m1 * g * L + m2 * g * L) * math.cos(q)

    return text, mass, force, (theta, rate), math.cos, 2, 1


def bars(rng, crossed, near=0.0):
    a, b = rng.uniform(0.3, 1), rng.uniform(1.1, 2)
    I = [rng.uniform(0.1, 2) for _ in range(3)]
    weight, other = rng.uniform(-5, 5), rng.uniform(-3, 3)
    alpha, rate = rng.uniform(-3, 3), rng.choice([-1, 1]) * rng.uniform(0.5, 10)

    def branch(q):
        """gamma, beta and their derivatives."""
        if not crossed:
            return q, 0, 1, 0
        k = (b + a) / (b - a)
        s, c = math.sin(q / 2), math.cos(q / 2)
        gamma, gamma1 = 2 * math.atan2(-k * s, c), -k / (c * c + k * k * s * s)
        coupler = b + a * np.exp(1j * gamma) - a * np.exp(1j * q)
        beta1 = (a * (np.exp(1j * gamma) * gamma1 - np.exp(1j * q)) / coupler).real
        return gamma, np.angle(coupler), gamma1, beta1

    gamma, beta, _, _ = branch(alpha)
    text = f'''coordinates = ["alpha", "beta", "gamma"]
[energy]
kinetic = "{I[0]!r}/2*alpha'^2 + {I[1]!r}/2*beta'^2 + {I[2]!r}/2*gamma'^2"
potential = "{weight!r}*sin(alpha) + {other!r}*sin(gamma)"
[[constraint]]
name = "h"
holonomic = ["{a!r}*cos(alpha) + {b!r}*cos(beta) - {a * (1 + near)!r}*cos(gamma) - {b!r}", "{a!r}*sin(alpha) + {b!r}*sin(beta) - {a * (1 + near)!r}*sin(gamma)"]
[initial]
position = {{alpha = {alpha!r}}}
velocity = {{alpha = {rate!r}}}
guess = {{beta = {float(beta)!r}, gamma = {gamma!r}}}
'''

    def mass(q):
        _, _, gamma1, beta1 = branch(q)
        return I[0] + I[1] * beta1 ** 2 + I[2] * gamma1 ** 2

    def force(q):
        gamma, _, gamma1, _ = branch(q)
        return -weight * math.cos(q) - other * math.cos(gamma) * gamma1

    return text, mass, force, (alpha, rate), math.sin, 2, 1


def windows(rng):
    count = rng.choice([1, 2, 3])
    L, g = rng.uniform(0.4, 1.5), rng.choice([0, 9.81])
    m = [rng.uniform(0.5, 2) for _ in range(count + 1)]
    alpha, rate = rng.uniform(0.2, 2.9), rng.choice([-1, 1]) * rng.uniform(1, 9)
    names = [f"{x}{i}" for i in range(count + 1) for x in "xy"]
    text = f'coordinates = {names}\n[energy]\nkinetic = "'.replace("'", '"')
    text += " + ".join(f"{m[i]!r}/2*(x{i}'^2 + y{i}'^2)" for i in range(count + 1)) + '"\npotential = "'
    text += " + ".join(f"{m[i] * g!r}*y{i}" for i in range(count + 1)) + '"\n'
    for i in range(count + 1):
        text += f'[[constraint]]\nname = "crank{i}"\nholonomic = "((x{i} - {i})^2 + y{i}^2 - {L!r}^2)/2"\n'
        if i:
            text += f'[[constraint]]\nname = "coupler{i}"\nholonomic = "((x{i} - x{i - 1})^2 + (y{i} - y{i - 1})^2 - 1)/2"\n'
    text += "[initial]\nposition = {" + f"x0 = {L * math.cos(alpha)!r}" + "}\nvelocity = {" + f"x0 = {-L * math.sin(alpha) * rate!r}" + "}\nguess = {"
    text += ", ".join(f"x{i} = {i + L * math.cos(alpha)!r}" for i in range(1, count + 1)) + ", "
    text += ", ".join(f"y{i} = {L * math.sin(alpha)!r}" for i in range(count + 1)) + "}\n"
    total = sum(m)
    return text, lambda q: total * L * L, lambda q: -total * g * L * math.cos(q), (alpha, rate), math.sin, 2 * count + 1, count


def passing(make):
    def draw(rng):
        until = rng.choice([1, 2, 4])
        text, mass, force, start, there, rows, lost = make(rng)
        return text, until, follow(mass, force, start, until, there), rows, rows - lost
    return draw


def near(rng):
    make = rng.choice([slider, lambda r, n: bars(r, False, n), lambda r, n: bars(r, True, n)])
    text, _, _, _, _, rows, _ = make(rng, rng.choice([1, 3, 10, 30]) * 1e-4)
    return text, 1, [], rows, rows


def apart(rng):
    """Slow, in a well that ends before the position."""
    for _ in range(200):
        until = 2
        text, mass, force, start, there, rows, lost = rng.choice(
            [slider, lambda r: bars(r, False), lambda r: bars(r, True), windows])(rng)
        times = follow(mass, force, start, until, there)
        if not times:
            return text, until, [], rows, rows
    raise Skip


KINDS = {"slider": passing(slider), "parallel": passing(lambda rng: bars(rng, False)), "crossed": passing(lambda rng: bars(rng, True)),
         "windows": passing(windows), "near": near, "apart": apart}


def judge(program, file, text, until, times, rows, rank, rtol, more):
    file.write_text('name = "passages"\n' + text)
    try:
        done = subprocess.run([program, "simulate", str(file), "--json", "--until", str(until), "--rtol", repr(rtol), "--atol", repr(rtol),
                               *more], capture_output=True, text=True, timeout=60)
        run = json.loads(done.stdout)
    except (subprocess.TimeoutExpired, json.JSONDecodeError):
        return "stopped", "no answer"
    if "verdict" not in run or run["status"] != "ok":
        return "stopped", run.get("reason") or str(run.get("diagnostics"))[:300]
    found = [e for e in run["events"] if e["name"].startswith("singular position")]
    said = [w for w in run["verdict"]["warnings"] if "passed a singular position" in w]
    if len(found) != len(times):
        return "wrong", f"{[round(e['t'], 5) for e in found]} reported, passed {[round(t, 5) for t in times]}"
    off = max((abs(e["t"] - t) for e, t in zip(found, times)), default=0)
    if off > max(1e-5, 2e4 * rtol):
        return "wrong", f"times off by {off:.2g}"
    if any(e["name"] != f"singular position: rank {rank} of {rows}" for e in found):
        return "wrong", f"{found[0]['name']}, is {rank}"
    if len(said) != bool(times) or run["verdict"]["min_rank"] != (rank if times else rows):
        return "wrong", f"warnings {said}, rank {run['verdict']['min_rank']}"
    return "right", ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--cases", type=int, default=100)
    parser.add_argument("--seed", type=int, default=int(os.environ.get("DALEMBERT_TEST_SEED", "1")))
    parser.add_argument("--only", choices=KINDS)
    parser.add_argument("--case", type=int, help="this one alone")
    parser.add_argument("--keep", help="a folder for the models that are not right")
    options = parser.parse_args()
    table = collections.defaultdict(collections.Counter)
    with tempfile.TemporaryDirectory() as folder:
        for case in range(options.cases) if options.case is None else [options.case]:
            rng = random.Random(f"{options.seed}/{case}")
            kind = options.only or rng.choice(list(KINDS))
            rtol = rng.choice([1e-6, 1e-9, 1e-12])
            more = ["--formulation", rng.choice(["index1", "index1", "reduced"])]
            if rng.random() < 0.3:
                more += ["--method", "dopri5"]
            try:
                text, until, times, rows, rank = KINDS[kind](rng)
            except Skip:
                table[kind]["skipped"] += 1
                continue
            result, why = judge(options.program, pathlib.Path(folder) / "passages.toml", text, until, times, rows, rank, rtol, more)
            table[kind][result] += 1
            if result != "right":
                print(f"case {case} ({kind}, {rtol}, {' '.join(more)}): {result}: {why}", flush=True)
                if options.keep:
                    pathlib.Path(options.keep).mkdir(parents=True, exist_ok=True)
                    (pathlib.Path(options.keep) / f"{kind}-{options.seed}-{case}.toml").write_text('name = "passages"\n' + text)
    columns = ["right", "stopped", "skipped", "wrong"]
    total = collections.Counter()
    print(f"{'':12}" + "".join(f"{name:>9}" for name in columns))
    for kind, counts in sorted(table.items()):
        print(f"{kind:12}" + "".join(f"{counts[name]:9}" for name in columns))
        total += counts
    print(f"{'all':12}" + "".join(f"{total[name]:9}" for name in columns))
    return 1 if total["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
