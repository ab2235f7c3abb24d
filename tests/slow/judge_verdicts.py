#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Are verdicts right? Runs of the shipped models and of random ones against the same run at rtol 1e-13.

    judge_verdicts.py --dalembert BINARY [--count 200] [--seed 1] [--least 0.99] [--method radau]

Truth: a run at rtol 1e-13, and one at 2e-14 that says how far that is to be trusted (cases where both differ by more
than a tenth of what is named are left out: nothing is known there). A verdict is right when the error of every q and q'
is below what it names. It accuses falsely when it does not hold though the error is below 5 % of the motion. Prints the
coverage, how far errors are overestimated, and every miss; exit status 1 below the least coverage or on an accusation.
"""

import argparse
import json
import math
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

SHIPPED = {"double-pendulum": 10, "cartesian-pendulum": 20, "slider-crank": 5, "andrews-squeezer": 0.03, "car-axis": 3,
           "four-bar": 3, "mass-spring": 30, "delta-robot": 1, "chaplygin-sleigh": 3, "rolling-sphere": 10,
           "point-pendulum-3d": 10, "polar-pendulum": 10, "cart-pendulum": 5, "n-link-chain": 2, "rod-on-corner": 0.5}


def random_constrained(rng):
    """Points on rods, one after the other from a support that may shake, with springs; or a knife edge on a slope."""
    mass, rate, length = 10 ** rng.uniform(-3, 3), 10 ** rng.uniform(-1, 1), 10 ** rng.uniform(-2, 2)
    k = mass * rate ** 2

    def number(low, high, unit=1.0):
        return repr(unit * rng.uniform(low, high))

    lines, constraints, kinetic, potential, position, velocity = ['name = "random"'], [], [], [], {}, {}
    if rng.random() < 0.3:
        names = ["x", "y", "phi"]
        kinetic = [f"{number(.5, 2, mass)}/2*(x'^2 + y'^2)", f"{number(.1, 1, mass * length ** 2)}/2*phi'^2",
                   f"{number(-.2, .2, mass * length)}*(y'*cos(phi) - x'*sin(phi))*phi'"]
        potential = [f"{number(-1, 1, k * length)}*x", f"{number(0, 1, k * length ** 2)}*cos(phi)"]
        constraints = ["[[constraint]]", 'name = "knife"', 'pfaffian = "y\'*cos(phi) - x\'*sin(phi)"']
        phi, speed = rng.uniform(-3, 3), rng.uniform(-1, 1) * length * rate
        position = {"phi": phi, "x": 0.0, "y": 0.0}
        velocity = {"phi": rng.uniform(-2, 2) * rate, "x": speed}
    else:
        names, links = [], rng.randint(1, 3)
        shake = f"{number(0, .3, length)}*sin({number(.3, 3, rate)}*t)" if rng.random() < 0.4 else "0"
        at = ("0", "0")
        angle = rng.uniform(-3, 3)
        there = [0.0, 0.0]
        for i in range(links):
            x, y, rod = f"x{i + 1}", f"y{i + 1}", length * rng.uniform(0.5, 1.5)
            names += [x, y]
            kinetic.append(f"{number(.3, 3, mass)}/2*({x}'^2 + {y}'^2)")
            potential.append(f"{number(.3, 3, k * length)}*{y} + {number(0, 1, k)}/2*({x}^2 + {y}^2)")
            dx = f"({x} - {at[0]} - {shake})" if i == 0 else f"({x} - {at[0]})"
            constraints += ["[[constraint]]", f'name = "rod{i + 1}"',
                            f'holonomic = "({dx}^2 + ({y} - {at[1]})^2 - {rod!r}^2)/{2 * rod!r}"']
            angle += rng.uniform(-1, 1)
            there = [there[0] + rod * math.cos(angle), there[1] + rod * math.sin(angle)]
            position |= {x: there[0], y: there[1]}
            velocity[y if abs(math.cos(angle)) > abs(math.sin(angle)) else x] = rng.uniform(-1, 1) * rate * length
            at = (x, y)
    lines += ["coordinates = [" + ", ".join(f'{{name = "{q}", unit = "1"}}' for q in names) + "]", "[energy]",
              f'kinetic = "{" + ".join(kinetic)}"', f'potential = "{" + ".join(potential)}"', *constraints]
    lines += ["[initial]", "guess = {" + ", ".join([f"{q} = {value!r}" for q, value in position.items()] +
                                                   [f"\"{q}'\" = {value!r}" for q, value in velocity.items()]) + "}"]
    return "\n".join(lines) + "\n", rng.choice([3, 10]) / rate


def random_switching(rng):
    """One or two coordinates with stops, gaps, dry friction, pulses, saws and switches of the time."""
    mass, rate, size = 10 ** rng.uniform(-3, 3), 10 ** rng.uniform(-1, 1), 10 ** rng.uniform(-2, 2)
    k = mass * rate ** 2
    names = ["x", "y"][:rng.randint(1, 2)]
    kinetic = [f"{mass * rng.uniform(.5, 2)!r}/2*{q}'^2" for q in names]
    potential = [f"{k * rng.uniform(.3, 2)!r}/2*{q}^2" for q in names]
    if len(names) == 2:
        potential.append(f"{k * rng.uniform(.1, 1)!r}/2*max(0, abs(x - y) - {size * rng.uniform(0, .5)!r})^2")
    forces = []
    for q in names:
        at, strength = size * rng.uniform(-1, 1), k * size * rng.uniform(.05, .5)
        forces.append((q, rng.choice([
            f"-{k * 10 ** rng.uniform(0, 3)!r}*max(0, {q} - {at!r})",
            f"-{strength!r}*sign({q}') + {strength * rng.uniform(0, 3)!r}*sin({rate * rng.uniform(.3, 3)!r}*t)",
            f"if(sin({rate * rng.uniform(.3, 3)!r}*t) > {rng.uniform(-1, 1)!r}, {strength!r}, {-strength!r})",
            f"{strength!r}*(mod({rate * rng.uniform(.3, 3)!r}*t, 1) - 0.5) - {mass * rate * rng.uniform(0, .3)!r}*{q}'",
            f"if({q} > {at!r} + {size * rng.uniform(0, 1)!r}*sin({rate * rng.uniform(1, 30)!r}*t), {-strength!r}, 0)",
            f"if({q} > {at!r}, {strength!r}, 0) - {mass * rate * rng.uniform(0, .3)!r}*{q}'*abs({q}')/{size * rate!r}"])))
    lines = ['name = "random"', "coordinates = [" + ", ".join(f'{{name = "{q}", unit = "1"}}' for q in names) + "]",
             "[energy]", f'kinetic = "{" + ".join(kinetic)}"', f'potential = "{" + ".join(potential)}"']
    for q, value in forces:
        lines += ["[[force]]", f'coordinate = "{q}"', f'value = "{value}"']
    lines += ["[initial]", "position = {" + ", ".join(f"{q} = {size * rng.uniform(-1.5, 1.5)!r}" for q in names) + "}",
              "velocity = {" + ", ".join(f"{q} = {size * rate * rng.uniform(-1, 1)!r}" for q in names) + "}"]
    return "\n".join(lines) + "\n", rng.choice([3, 10, 30]) / rate


def random_model(rng):
    """A third of them with constraints, one with switches; else one to four coupled coordinates; stiffnesses, masses and amplitudes over decades of units."""
    kind = rng.random()
    if kind < 2 / 3:
        return random_constrained(rng) if kind < 1 / 3 else random_switching(rng)
    n = rng.randint(1, 4)
    names = [f"q{i + 1}" for i in range(n)]
    mass = 10 ** rng.uniform(-3, 3)
    rate = 10 ** rng.uniform(-1, 1)
    k = mass * rate ** 2
    kinetic = [f"{mass * rng.uniform(0.5, 2)}/2*{q}'^2" for q in names]
    potential = [f"{k * rng.uniform(0.3, 2)}/2*{q}^2" for q in names if rng.random() < 0.7]
    for a, b in zip(names, names[1:]):
        kinetic.append(f"{0.4 * mass * rng.uniform(-0.6, 0.6)}*cos({a} - {b})*{a}'*{b}'")
        potential.append(rng.choice([f"{k * rng.uniform(0.1, 1)}*cos({a} - {b})", f"{k / 4}*({a} - {b})^4",
                                     f"{k / 2}*({a}*{b})^2"]))
    potential += [f"{k * rng.uniform(-2, 2)}*cos({q})" for q in names if rng.random() < 0.6] or ["0"]
    lines = ['name = "random"', "coordinates = [" + ", ".join(f'{{name = "{q}", unit = "1"}}' for q in names) + "]",
             "[energy]", f'kinetic = "{" + ".join(kinetic)}"',
             f'potential = "{" + ".join(potential)}"']
    if rng.random() < 0.4:
        lines += ["[[force]]", f'coordinate = "{names[0]}"',
                  f'value = "{k * rng.uniform(0, 1)}*sin({rate * rng.uniform(0.5, 20)}*t) - {mass * rate * rng.uniform(0, 0.2)}*{names[0]}\'"']
    lines += ["[initial]", "position = {" + ", ".join(f"{q} = {rng.uniform(-1.5, 1.5)}" for q in names) + "}",
              "velocity = {" + ", ".join(f"{q} = {rate * rng.uniform(-2, 2)}" for q in names) + "}"]
    return "\n".join(lines) + "\n", rng.choice([3, 10, 30]) / rate


def simulate(binary, model, options, timeout):
    try:
        outcome = subprocess.run([binary, "simulate", model, "--json", *options], capture_output=True, text=True,
                                 timeout=timeout)
        return json.loads(outcome.stdout)
    except (subprocess.TimeoutExpired, json.JSONDecodeError):
        return None


def final(run):
    return list(run["final"]["q"].values()) + list(run["final"]["qd"].values())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dalembert", required=True)
    parser.add_argument("--count", type=int, default=200, help="random models")
    parser.add_argument("--seed", type=int, default=int(os.environ.get("DALEMBERT_TEST_SEED", "1")))
    parser.add_argument("--least", type=float, default=0.99, help="share of runs whose error must be below the named one")
    parser.add_argument("--timeout", type=float, default=60)
    parser.add_argument("--method", default="dop853", help="of the runs that are judged; the truth is dop853's")
    options = parser.parse_args()
    rng = random.Random(options.seed)
    cases = [(name, until, rtol) for name, until in SHIPPED.items() for rtol in (1e-5, 1e-7, 1e-9, 1e-11)]
    with tempfile.TemporaryDirectory() as folder:
        for i in range(options.count):
            text, until = random_model(rng)
            path = pathlib.Path(folder, f"random{i}.toml")
            path.write_text(text, encoding="utf-8")
            cases.append((str(path), until, 10 ** rng.uniform(-11, -5)))
        judged, right, accused, ratios, second, unknown, shares = 0, 0, 0, [], 0, 0, []
        truths = {}
        for model, until, rtol in cases:
            if (model, until) not in truths:
                truths[model, until] = [simulate(options.dalembert, model, ["--until", str(until), "--rtol", tolerance,
                                                                            "--atol", "1e-16"], options.timeout)
                                        for tolerance in ("1e-13", "2e-14")]
            run = simulate(options.dalembert, model, ["--until", str(until), "--rtol", str(rtol), "--method", options.method],
                           options.timeout)
            true, truer = truths[model, until]
            if any(x is None or x.get("status") != "ok" for x in (run, true, truer)):
                unknown += 1
                continue
            error = run["verdict"]["error"]
            named = list(error["q"].values()) + list(error["qd"].values())
            errors = [abs(a - b) for a, b in zip(final(run), final(truer))]
            trust = [abs(a - b) for a, b in zip(final(true), final(truer))]
            if any(a > 0.1 * b for a, b in zip(trust, named)):
                unknown += 1
                continue
            judged += 1
            good = all(e <= a + t for e, a, t in zip(errors, named, trust))
            right += good
            second += error["method"] != "tangent growth"
            worst = max(e / a if a > 0 else 0 for e, a in zip(errors, named))
            ratios.append(1 / max(worst, 1e-12))
            share = worst * error["relative"]
            false_alarm = good and not run["verdict"]["holds"] and share < 0.05
            accused += false_alarm
            if not good or false_alarm:
                print(f"{'MISSED' if not good else 'ACCUSED'} {model} until {until:.4g} rtol {rtol:.1e}: error/named "
                      f"{worst:.2g}, named {error['relative']:.1e} of the motion by {error['method']}, "
                      f"{run['verdict']['reasons']}")
    print(f"{judged} runs judged, {unknown} unknown: {right} right ({right / max(judged, 1):.2%}), {accused} accused "
          f"falsely; named/true: median {statistics.median(ratios):.3g}, 90 % below "
          f"{sorted(ratios)[int(0.9 * len(ratios))]:.3g}; {second} second runs")
    return 0 if right >= options.least * judged and accused == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
