#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Are verdicts right? Runs of the shipped models and of random ones against the same run at rtol 1e-13, and of orbits
against Kepler's equation.

Truth: a run at rtol 1e-13, and one at 2e-14 that says how far that is to be trusted (cases where both differ by more
than a tenth of what is named are left out: nothing is known there). A verdict is right when the error of every q and q'
is below what it names. It accuses falsely when it does not hold though the error is below 5 % of the motion and below a
hundred times the tolerance: beyond that it is true that the energy, say, is not kept. Far: what
is named is more than 100 times the largest error, relative to the motion, and more than round-off. Prints every miss; exit status 1 when
more than one in a hundred misses, or on an accusation.
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


def random_sleigh(rng):
    """A knife edge whose constraint is y' = x' tan(theta), without a limit where the edge is along y."""
    m, inertia, arm = 10 ** rng.uniform(-1, 1), 10 ** rng.uniform(-1, 1), rng.uniform(-0.3, 0.3)
    theta, speed = rng.uniform(-1, 1), rng.choice([-1, 1]) * rng.uniform(0.3, 2)
    lines = ['name = "sleigh"', "coordinates = [" + ", ".join(f'{{name = "{q}", unit = "1"}}' for q in ("x", "y", "th")) + "]",
             "[energy]", f'kinetic = "{m!r}/2*(x\'^2 + y\'^2) + {inertia!r}/2*th\'^2 + {m * arm!r}*th\'*(y\'*cos(th) - x\'*sin(th))"',
             "[[constraint]]", 'name = "knife"', 'pfaffian = "y\' - x\'*tan(th)"', "[initial]",
             f"position = {{x = 0, y = 0, th = {theta!r}}}", f"velocity = {{x = {speed!r}, th = {rng.uniform(.2, 1)!r}}}"]
    return "\n".join(lines) + "\n", rng.choice([3, 10])


def random_orbit(rng):
    """A Kepler orbit from its pericentre, with the state at the end by Kepler's equation."""
    e, a, k = 1 - 10 ** rng.uniform(-2, 0), 10 ** rng.uniform(-1, 1), 10 ** rng.uniform(-1, 1)
    motion = math.sqrt(k / a ** 3)
    until = rng.uniform(0.3, 5) * 2 * math.pi / motion
    b = a * math.sqrt(1 - e * e)
    lines = ['name = "orbit"', 'coordinates = [{name = "x", unit = "1"}, {name = "y", unit = "1"}]', "[energy]",
             'kinetic = "(x\'^2 + y\'^2)/2"', f'potential = "-{k!r}/sqrt(x^2 + y^2)"', "[initial]",
             f"position = {{x = {a * (1 - e)!r}, y = 0}}", f"velocity = {{x = 0, y = {b * motion / (1 - e)!r}}}"]
    anomaly = math.fmod(motion * until, 2 * math.pi)
    E = math.pi
    for _ in range(200):
        E -= (E - e * math.sin(E) - anomaly) / (1 - e * math.cos(E))
    rate = motion / (1 - e * math.cos(E))
    return "\n".join(lines) + "\n", until, [a * (math.cos(E) - e), b * math.sin(E), -a * math.sin(E) * rate,
                                            b * math.cos(E) * rate]


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


FORMS = {"dop853": [], "reduced": ["--formulation", "reduced"], "radau": ["--method", "radau"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", required=True)
    parser.add_argument("--cases", type=int, default=100, help="random models, beside the shipped ones")
    parser.add_argument("--seed", type=int, default=int(os.environ.get("DALEMBERT_TEST_SEED", "1")))
    parser.add_argument("--least", type=float, default=0.99, help="share of runs whose error must be below the named one")
    parser.add_argument("--timeout", type=float, default=60)
    options = parser.parse_args()
    cases = [(name, until, rtol, form, None) for name, until in SHIPPED.items() for form in FORMS
             for rtol in (1e-6, 1e-9, 1e-11)]
    with tempfile.TemporaryDirectory() as folder:
        for i in range(options.cases):
            rng = random.Random(f"{options.seed}/{i}")
            make = rng.choice([random_model] * 6 + [random_sleigh, random_orbit])
            text, until, *known = make(rng)
            path = pathlib.Path(folder, f"random{i}.toml")
            path.write_text(text, encoding="utf-8")
            cases.append((str(path), until, 10 ** rng.uniform(-11, -5), rng.choice(list(FORMS)), known[0] if known else None))
        right, wrong, accused, far, unknown, by_growth, ratios, truths = 0, 0, 0, 0, 0, 0, [], {}
        for model, until, rtol, form, known in cases:
            if (model, until) not in truths:
                truths[model, until] = [simulate(options.program, model, ["--until", repr(until), "--rtol", tolerance,
                                                                          "--atol", "1e-16"], options.timeout)
                                        for tolerance in ("1e-13", "2e-14")]
            run = simulate(options.program, model, ["--until", repr(until), "--rtol", repr(rtol), *FORMS[form]],
                           options.timeout)
            true, truer = truths[model, until]
            if any(x is None or x.get("status") != "ok" for x in (run, true, truer)):
                unknown += 1
                continue
            error = run["verdict"]["error"]
            named = list(error["q"].values()) + list(error["qd"].values())
            truth = known or final(truer)
            errors = [abs(a - b) for a, b in zip(final(run), truth)]
            trust = [abs(a - b) for a, b in zip(final(true), truth)]
            if any(a > 0.1 * b for a, b in zip(trust, named)):
                unknown += 1
                continue
            good = all(e <= a + t for e, a, t in zip(errors, named, trust))
            right, wrong = right + good, wrong + (not good)
            by_growth += error["method"] == "tangent growth"
            worst = max((e / a for e, a in zip(errors, named) if a > 0), default=0)
            off = good and 100 * worst < 1 and error["relative"] > 1e-12
            far += off
            ratios.append(1 / max(worst, 1e-12))
            false_alarm = good and not run["verdict"]["holds"] and worst * error["relative"] < min(0.05, 100 * rtol)
            accused += false_alarm
            if not good or false_alarm or off:
                print(f"{'MISSED' if not good else 'ACCUSED' if false_alarm else 'FAR'} {model} {form} until {until:.4g} rtol "
                      f"{rtol:.1e}: error/named {worst:.2g}, named {error['relative']:.1e} of the motion by "
                      f"{error['method']}, {run['verdict']['reasons']}", flush=True)
    print(f"named/true: median {statistics.median(ratios):.3g}, 90 % below {sorted(ratios)[int(0.9 * len(ratios))]:.3g}; "
          f"{by_growth} by growth")
    print(f"{right} right, {unknown} undecided, {far} far, {accused} accused falsely, {wrong} wrong")
    return 0 if right >= options.least * (right + wrong) and accused == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
