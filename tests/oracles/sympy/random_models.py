#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random models for differential testing: NAME.toml, NAME.state.json and the oracle's NAME.expected.json.

    random_models.py --seed S --count 60 --out DIR

Three families. `formula`: 2-5 coordinates, T = sum of squares of forms linear (sometimes affine, with t) in the
velocities with random coefficients, random V, all five kinds of force, dissipation, holonomic, rheonomic and Pfaffian
constraints, sometimes a massless coordinate, a redundant row, a prescribed coordinate or quasi-velocities; plain numbers. `bodies`: planar bodies in frames,
points, pins, distances, springs, dampers, defines, with units. `space`: bodies on chains of frames that turn in space, with
inertia tensors, rolling, torques as vectors. Ill-conditioned draws are thrown away and redrawn.
"""

import argparse
import json
import pathlib
import random
import sys

import numpy as np

import oracle


def quoted(text):
    return json.dumps(text)


class Draw:
    """Random pieces of expressions over given coordinates and parameters."""

    def __init__(self, rng, coordinates, parameters):
        self.rng, self.coordinates, self.parameters = rng, coordinates, parameters

    def coefficient(self):
        kind = self.rng.random()
        if kind < 0.4:
            return self.rng.choice(self.parameters)
        if kind < 0.5:
            return f"{self.rng.choice(self.parameters)}/{self.rng.randint(2, 5)}"
        return f"{self.rng.uniform(0.2, 1.5):.3g}"

    def atom(self, with_time=False):
        """A smooth, bounded function of the coordinates (and of time)."""
        a, b = self.rng.sample(self.coordinates, 2)
        p, n = self.rng.choice(self.parameters), self.rng.randint(2, 4)
        plain = [f"sin({a})", f"cos({a})", f"sin({a} - {b})", f"cos({n}*{a} + {b})", f"{a}*{b}", f"{a}^2", f"{a}^3/{n}",
                 f"1/({n} + cos({a}))", f"sqrt(1 + {a}^2)", f"exp(-{a}^2)", f"tanh({a})", f"atan({a} + {b})",
                 f"log({n} + sin({a}))", f"hypot({a}, {p})", f"atan2({a}, {n} + {b})", f"sin({a})^2*{b}",
                 f"if({a} < {b}, {a}^2, {a}*{b})", f"abs({a})*{b}", f"-{a}^2", f"2^-{n}*{a}", f"cosh({a}/{n})",
                 f"max({a}, {b})^2", f"tan({a}/{n})", f"asin({a}/{n + 1})", f"{p}^{a}", f"({a}/{b})^2/{n}^2^1",
                 f"sinh({a})/{n}", f"sign({a})*{a}^2", f"acos({b}/{n + 1})", f"min({a}, {b}*{p})^3",
                 f"if({a} > 0.1 and not {b} >= 0.4, {b}, {a}*{b})", f"if({a} <= -0.3 or {b} > 0, {a}^2, 0.5)"]
        timed = [f"sin({p}*t)", f"cos({n}*t)*{a}", f"t*{a}", f"sin(t + {a})", f"exp(-t)*{b}"]
        return self.rng.choice(timed if with_time and self.rng.random() < 0.6 else plain)

    def function(self, terms=None, with_time=False):
        parts = [f"{self.coefficient()}*{self.factor(with_time)}" for _ in range(terms or self.rng.randint(1, 3))]
        # Where `-x^2` is written without parentheses.
        leading = [f"-{self.rng.choice(self.coordinates)}^2/4"] if self.rng.random() < 0.08 else []
        return " + ".join(leading + parts)

    def factor(self, with_time):
        guarded = lambda atom: f"({atom})" if atom.startswith("-") else atom
        first = guarded(self.atom(with_time))
        return f"{first}*{guarded(self.atom())}" if self.rng.random() < 0.25 else first

    def velocity(self, name):
        return f"{name}'" if self.rng.random() < 0.5 else f"dot({name})"

    def linear_form(self, count=None):
        """Sum of coefficient functions times velocities."""
        names = self.rng.sample(self.coordinates, min(len(self.coordinates), count or self.rng.randint(1, 3)))
        return " + ".join(f"({self.function(2)})*{self.velocity(n)}" for n in names)


def state_of(rng, coordinates, extra=None):
    return {"t": round(rng.uniform(0, 2), 3),
            "q": {n: round(rng.uniform(0.15, 1.0) * rng.choice((-1, 1)), 4) for n in coordinates},
            "qd": {n: round(rng.uniform(-2, 2), 4) for n in coordinates}, **(extra or {})}


def formula_model(rng, name):
    """A model by formulas alone; every parameter a plain number."""
    N = rng.randint(2, 5)
    family = rng.random() < 0.3  # q1 .. qN, declared by `for` and gathered by `sum`
    coordinates = [f"q{i}" for i in range(1, N + 1)] if family else rng.sample(["x", "y", "theta", "phi", "s", "alpha", "z", "q1", "q2"], N)
    parameters = ["a", "b", "k", "mu"]
    d = Draw(rng, coordinates, parameters)
    declared = [{"name": "q{i}", "for": "i in 1..N"}] if family else coordinates
    lines = ["# SPDX-License-Identifier: Apache-2.0", f"name = {quoted(name)}", f"coordinates = {inline(declared)}"]
    lines += table("structure", {"N": N} if family else {})
    lines += ["", "[parameters]"] + [f"{p} = {rng.uniform(0.3, 1.8):.4g}" for p in parameters]
    define = {}

    def maybe_define(expression):
        if rng.random() < 0.3:
            define[f"part{len(define) + 1}"] = expression
            return f"part{len(define)}"
        return f"({expression})"

    # Kinetic energy: d_i/2 q̇_i^2 for all but perhaps one massless coordinate, and squares of forms.
    massless = rng.choice(coordinates) if N > 2 and rng.random() < 0.2 else None
    mass = [n for n in coordinates if n != massless]
    T = [f"{rng.uniform(0.5, 2):.3g}/2*{d.velocity(n)}^2" for n in mass]
    inner = Draw(rng, coordinates, parameters)
    for _ in range(rng.randint(1, 2)):
        form = " + ".join(f"({inner.function(2)})*{d.velocity(n)}" for n in rng.sample(mass, min(len(mass), 2)))
        if rng.random() < 0.35:
            form += f" + {d.function(1, with_time=True)}"
        T.append(f"{d.coefficient()}/2*({form})^2")
    if rng.random() < 0.3:
        T.append(f"{d.velocity(rng.choice(mass))}*{maybe_define(d.function(1, with_time=True))}")
    V = f"{d.function(2)} + {maybe_define(d.function(1, with_time=rng.random() < 0.3))}"
    if family:
        V += " + sum(i in 2..N, k/2*(q{i} - q{i-1})^2) + sum(j in 1..N, j*mu*cos(q{j}))"
    lagrangian = rng.random() < 0.15
    energy = {}
    if lagrangian:
        energy["lagrangian"] = f"{' + '.join(T)} - ({V})"
    else:
        energy = {"kinetic": " + ".join(T), "potential": V}
        if rng.random() < 0.4:
            energy["dissipation"] = f"{d.coefficient()}/2*({d.linear_form(2)})^2 + {d.coefficient()}/4*{d.velocity(coordinates[0])}^4"
        elif family:
            energy["dissipation"] = "sum(i in 1..N, mu/(2*i)*q{i}'^2)"

    # Constraints, fewer than coordinates; a massless coordinate needs one of its own.
    rows, constraints, m = 0, [], 0 if rng.random() < 0.12 else rng.randint(1, N - 1)
    if massless:
        m = max(m, 1)
        constraints.append({"name": "carry", "holonomic": f"{massless} - ({Draw(rng, mass, parameters).function(2)})"})
        rows = 1
    while rows < m:
        kind = rng.choice(["holonomic", "rheonomic", "pfaffian", "pfaffian", "list", "list"])
        label = f"c{len(constraints) + 1}"
        if kind == "holonomic":
            constraints.append({"name": label, "holonomic": d.function(3)})
        elif kind == "rheonomic":
            constraints.append({"name": label, "holonomic": d.function(2) + " + " + d.function(1, with_time=True) + " - cos(a*t)"})
        elif kind == "pfaffian":
            affine = f" + {d.function(1, with_time=True)}" if rng.random() < 0.5 else ""
            constraints.append({"name": label, "pfaffian": d.linear_form() + affine})
        elif m - rows >= 2:
            if rng.random() < 0.5:
                constraints.append({"name": label, "holonomic": [d.function(2), d.function(2)]})
            else:
                constraints.append({"name": label, "pfaffian": [d.linear_form(2), d.linear_form(2)]})
            rows += 1
        else:
            continue
        rows += 1
    if constraints and rng.random() < 0.2:
        first = next(((c, k) for c in constraints for k in ("holonomic", "pfaffian") if isinstance(c.get(k), str)), None)
        if first:
            constraints.append({"name": "again", first[1]: f"2*({first[0][first[1]]})"})

    # Velocities of the user's choice, as many as freedoms.
    quasi = {}
    if rows < N and not any(c["name"] == "again" for c in constraints) and rng.random() < 0.4:
        for k in range(1, N - rows + 1):
            affine = f" + {d.function(1, with_time=True)}" if rng.random() < 0.3 else ""
            quasi[f"w{k}"] = f"{d.velocity(coordinates[k - 1])} + {d.linear_form(2)}{affine}"

    # Something drives a coordinate. Drawn by itself, so that the models of a seed are what they were.
    own, prescribed = random.Random(f"{name}/prescribed"), {}
    if rows + 1 < N and not any(c["name"] == "again" for c in constraints) and own.random() < 0.3:
        driven = own.choice(mass)
        prescribed[driven] = f"a*sin({own.randint(1, 3)}*t) + {own.uniform(-0.5, 0.5):.3g}*t^2"
        if own.random() < 0.5:
            prescribed[driven] = f"exp(-mu*t)*cos(k*t + {own.uniform(0, 2):.3g})"

    # Forces: a generalized one, a power, and a force at a point.
    inputs, forces, points = {}, [], []
    if quasi and rng.random() < 0.5:
        forces.append({"coordinate": coordinates[0], "value": f"-{d.coefficient()}*w1"})
    if rng.random() < 0.7:
        inputs = {"u": "0.4*sin(2*t)" if rng.random() < 0.5 else 0.7, "w": round(rng.uniform(-1, 1), 3)}
        forces.append({"power": f"u*({d.linear_form(2)}) + w*{d.velocity(coordinates[-1])}"})
    if rng.random() < 0.6:
        n = rng.choice(coordinates)
        forces.append({"coordinate": n, "value": f"{d.function(1, with_time=True)} - {d.coefficient()}*{d.velocity(n)}"})
    if rng.random() < 0.5:
        points.append({"name": "P", "at": [d.function(2), d.function(1, with_time=True)]})
        forces.append({"at": "P", "vector": [d.function(1), f"{d.coefficient()}*{d.velocity(coordinates[0])}"]})
        if rng.random() < 0.5:
            forces.append({"power": "P.x*dot(P.y)"})
    springs = [{"coordinate": rng.choice(coordinates), "stiffness": "k", "rest": 0.2}] if rng.random() < 0.3 and not lagrangian else []
    dampers = [{"coordinate": rng.choice(coordinates), "damping": "mu"}] if rng.random() < 0.3 else []

    lines += table("define", define) + table("energy", energy) + table("inputs", inputs) + table("quasi_velocities", quasi)
    lines += table("prescribed", prescribed)
    for kind, entries in (("point", points), ("constraint", constraints), ("force", forces), ("spring", springs), ("damper", dampers)):
        lines += array(kind, entries)
    state = state_of(rng, coordinates)
    if inputs and rng.random() < 0.5:
        state["inputs"] = {"w": round(rng.uniform(-2, 2), 3)}
    if rng.random() < 0.3:
        state["parameters"] = {"a": round(rng.uniform(0.5, 1.5), 3)}
    return "\n".join(lines) + "\n", state


def bodies_model(rng, name):
    """Planar bodies: A free in frame `fa`, sometimes B on a polar arm, sometimes beads on a rail by `for`."""
    second, beads = rng.random() < 0.6, rng.random() < 0.35
    coordinates = [{"name": "xa", "unit": "m"}, {"name": "ya", "unit": "m"}, {"name": "tha", "unit": "rad"}]
    if second:
        coordinates += [{"name": "rb", "unit": "m"}, {"name": "phb", "unit": "rad"}]
    elif beads:
        coordinates += [{"name": "s{i}", "unit": "m", "for": "i in 1..K"}]
    beads = beads and not second
    names = ["xa", "ya", "tha"] + (["rb", "phb"] if second else []) + (["s1", "s2"] if beads else [])
    value = lambda low, high, unit: f"{rng.uniform(low, high):.4g} {unit}"
    parameters = {"g": "9.81 m/s^2", "ma": value(300, 2500, "g"), "mb": value(0.3, 2, "kg"),
                  "Ia": value(0.05, 0.5, "kg*m^2"), "Ib": value(500, 3000, "kg*cm^2"), "la": value(20, 60, "cm"),
                  "lb": value(300, 700, "mm"), "k": value(5, 40, "N/m"), "c": value(0.2, 2, "N*s/m"),
                  "ct": value(0.1, 1, "N*m*s/rad"), "rest": value(0.1, 0.6, "m"), "w": value(10, 40, "rpm"),
                  "tilt": value(-40, 40, "deg"), "f0": value(0.5, 5, "N"), "tau0": value(0.2, 2, "N*m")}
    lines = ["# SPDX-License-Identifier: Apache-2.0", f"name = {quoted(name)}", f"coordinates = {inline(coordinates)}"]
    if rng.random() < 0.8:
        lines += ['gravity = ["g*sin(tilt)", "-g*cos(tilt)"]' if rng.random() < 0.4 else 'gravity = ["0", "-g"]']
    if beads:
        lines += table("structure", {"K": 2})
    lines += table("parameters", parameters)
    define = {"reach": "la + lb/2"}
    lines += table("define", define)

    frames = [{"name": "fa", "origin": ["xa", "ya"], "rotate": "tha"},
              {"name": "tool", "parent": "fa", "origin": ["la/2", "lb/3"], "rotate": "tilt"}]
    points = [{"name": "O", "at": ["0", "0"]}, {"name": "Q", "at": ["reach", "-la"]},
              {"name": "A1", "frame": "fa", "at": ["la", "0"]}, {"name": "A2", "frame": "fa", "at": ["-la", "lb/4"]},
              {"name": "T", "frame": "tool", "at": ["lb", "la/5"]}]
    drive = rng.random() < 0.5
    if drive:
        points.append({"name": "D", "at": ["reach*cos(w*t)", "la*sin(w*t)"]})
    bodies = [{"name": "bodyA", "mass": "ma", "inertia": "Ia", "frame": "fa", "com": ["0", "lb/6"] if rng.random() < 0.5 else ["0", "0"]}]
    forces, springs, dampers, constraints = [], [], [], []
    if second:
        bodies.append({"name": "bodyB", "mass": "mb", "inertia": "Ib", "position": ["rb*cos(phb)", "rb*sin(phb)"], "angle": "phb + tilt"})
        points.append({"name": "B1", "at": ["(rb + lb)*cos(phb)", "(rb + lb)*sin(phb)"]})
    if beads:
        bodies.append({"for": "i in 1..K", "name": "bead{i}", "mass": "mb", "position": ["s{i}*cos(tilt)", "s{i}*sin(tilt) - {i}*la"]})
        points.append({"for": "i in 1..K", "name": "eye{i}", "at": ["s{i}*cos(tilt)", "s{i}*sin(tilt) - {i}*la"]})
        springs.append({"for": "i in 1..K", "between": ["A1", "eye{i}"], "stiffness": "k", "rest": "rest"})
        lines += table("energy", {"dissipation": "sum(i in 1..K, c/2*dot(s{i})^2)"})
    ends = ["A1", "A2", "T"] + (["B1"] if second else []) + (["eye1"] if beads else [])
    anchors = ["O", "Q"] + (["D"] if drive else [])
    options = ["distance", "coincide", "coincide", "rail", "skate"]
    N, rows = len(names), 0
    budget = 0 if rng.random() < 0.1 else rng.randint(1, min(3, N - 1))
    while rows < budget:
        kind = rng.choice(options)
        label = f"{kind}{len(constraints) + 1}"
        if kind == "distance":
            constraints.append({"name": label, "distance": {"between": [rng.choice(anchors), rng.choice(ends)], "value": "reach" if rng.random() < 0.7 else "reach*(1 + 0.1*sin(w*t))"}})
            rows += 1
        elif kind == "coincide" and budget - rows >= 2 and N - rows > 2:
            constraints.append({"name": label, "coincide": [rng.choice(["A1", "T"]), "B1" if second else rng.choice(anchors)]})
            rows += 2
        elif kind == "rail":
            constraints.append({"name": label, "holonomic": f"{rng.choice(ends)}.y*cos(tilt) - A2.x*sin(tilt)*{rng.choice(['1', 'cos(w*t)'])}"})
            rows += 1
        elif kind == "skate":
            constraints.append({"name": label, "pfaffian": "-dot(A2.x)*sin(tha) + dot(A2.y)*cos(tha)" + rng.choice(["", " - la*w*cos(w*t)"])})
            rows += 1
    if rng.random() < 0.7:
        springs.append({"between": [rng.choice(anchors), rng.choice(ends)], "stiffness": "k", **({"rest": "rest"} if rng.random() < 0.6 else {})})
    if rng.random() < 0.3:
        springs.append({"coordinate": "tha", "stiffness": "k*la^2", "rest": "tilt"})
    if rng.random() < 0.6:
        dampers.append({"between": [rng.choice(anchors), rng.choice(ends)], "damping": "c"})
    if rng.random() < 0.3:
        dampers.append({"coordinate": "tha", "damping": "ct"})
    inputs = {}
    if rng.random() < 0.6:
        forces.append({"at": rng.choice(ends), "vector": ["f0*cos(tha + w*t)", "f0*sin(tha) - c*dot(xa)"]})
    if rng.random() < 0.5:
        inputs = {"tau": "tau0*cos(w*t)"}
        forces.append({"body": rng.choice(["bodyA"] + (["bodyB"] if second else [])), "torque": "tau - ct*dot(tha)"})
    if rng.random() < 0.4:
        forces.append({"power": "f0*sin(w*t)*dot(T.x) + tau0*cos(xa/la)*dot(tha)"})
    if rng.random() < 0.3:
        forces.append({"coordinate": "xa", "value": "f0*sin(ya/reach)"})
    lines += table("inputs", inputs)
    for kind, entries in (("frame", frames), ("point", points), ("body", bodies), ("spring", springs), ("damper", dampers), ("constraint", constraints), ("force", forces)):
        lines += array(kind, entries)
    if constraints and "coincide" not in constraints[0]:
        row = constraints[0]["name"]
        lines += table("outputs", {"pull": f"-lambda({row})", "height": "A1.y", "speed": "hypot(xa', ya')"})
    return "\n".join(lines) + "\n", state_of(rng, names)


def space_model(rng, name):
    """Bodies in space: a free or a hinged one, sometimes another hinged to it."""
    value = lambda low, high: f"{rng.uniform(low, high):.4g}"
    signed = lambda size: f"{rng.uniform(-size, size):.3g}"
    parameters = {"g": "9.81", "ma": value(0.5, 2), "mb": value(0.3, 1.5), "L": value(0.2, 0.6), "d": value(0.05, 0.2),
                  "A": value(0.3, 0.5), "B": value(0.3, 0.5), "C": value(0.3, 0.5), "D": signed(0.05), "k": value(5, 30),
                  "c": value(0.2, 2), "w": value(1, 4)}
    free, second = rng.random() < 0.6, rng.random() < 0.6
    axis = lambda: rng.choice(["x", "y", "z"]) if rng.random() < 0.7 else [rng.randint(-2, 2), 1, rng.randint(0, 3)]
    first = rng.choice("xyz")
    middle = rng.choice([n for n in "xyz" if n != first])
    if free:
        names = ["x", "y", "z", "al", "be", "ga"] if not second else ["x", "y", "al", "be"]
        turns = list(zip([first, middle, rng.choice([first] + [n for n in "xyz" if n != middle])], [n for n in names if len(n) == 2]))
        origin = ["x", "y", "z" if not second else "d*sin(x)"]
    else:
        names = ["al", "be"] if rng.random() < 0.5 else ["al"]
        turns, origin = [(n, q) for n, q in zip([first, middle], names)], ["d", "0", "L"]
    frames = [{"name": "fa", "origin": origin, "rotate": [list(turn) for turn in turns]}]
    tensor = [["A", "D", "0"], ["D", "B", "D/2"], ["0", "D/2", "C"]] if rng.random() < 0.5 else ["A", "B", "C"]
    bodies = [{"name": "bodyA", "mass": "ma", "inertia": tensor, "frame": "fa", **({"com": ["d", "-d/2", "L/3"]} if rng.random() < 0.7 else {})}]
    points = [{"name": "O", "at": ["0", "0", "0"]}, {"name": "Q", "at": ["L", "-d", "2*L"]}, {"name": "A1", "frame": "fa", "at": ["L", "0", "d"]}]
    ends = ["A1"]
    if second:
        joint = [("th", "rotate"), ("s", "slide")][: rng.randint(1, 2)]
        names = names + [n for n, _ in joint]
        place = ["L", "d", "0"] if len(joint) == 1 else ["L + s", "d", "-d*s/L"]
        turn = [axis(), "th" if rng.random() < 0.7 else "th + d*sin(w*t)/L"]
        frames.append({"name": "fb", "parent": "fa", "origin": place, "rotate": [turn] if rng.random() < 0.6 else [[axis(), "D"], turn]})
        bodies.append({"name": "bodyB", "mass": "mb", "inertia": ["B", "C", "A"], "frame": "fb"})
        points.append({"name": "B1", "frame": "fb", "at": ["0", "L/2", "-d"]})
        ends.append("B1")
    last = frames[-1]["name"]
    if rng.random() < 0.5:
        points.append({"name": "contact", "at": ["A1.x", "A1.y", "A1.z - L"]})
    else:
        points.append({"name": "contact", "rim": {"frame": "fa", "axis": rng.choice([[0, 1, 0], [1, 0, 2], [0, 0, 1]]), "radius": "L"}})
    constraints, rows, N = [], 0, len(names)
    budget = 0 if N < 3 or rng.random() < 0.15 else rng.randint(1, min(4, N - 1))
    while rows < budget:
        kind, label = rng.choice(["distance", "skid", "coincide", "slip", "plane"]), f"c{len(constraints) + 1}"
        if kind == "distance":
            constraints.append({"name": label, "distance": {"between": [rng.choice(["O", "Q"]), rng.choice(ends)], "value": "L" if rng.random() < 0.6 else "L*(1 + 0.1*sin(w*t))"}})
            rows += 1
        elif kind == "skid":
            direction = [f"{last}.R[{i},{rng.randint(1, 3)}]" for i in (1, 2, 3)] if rng.random() < 0.6 else ["sin(al)", "-cos(al)", "D"]
            constraints.append({"name": label, "no_skid": {"point": rng.choice(["contact"] + ends), "direction": direction}, **({"frame": last} if rng.random() < 0.8 else {})})
            rows += 1
        elif kind == "plane":
            constraints.append({"name": label, "holonomic": f"{rng.choice(ends)}.z*cos(D) - O.x - d*{rng.choice(['1', 'cos(w*t)'])} + fa.R[3,1]*L"})
            rows += 1
        elif budget - rows >= 3 and N - rows > 3:
            constraints.append({"name": label, "coincide": ["A1", "Q"]} if kind == "coincide" else {"name": label, "no_slip": {"point": "contact"}, "frame": "fa"})
            rows += 3
    springs = [{"between": ["Q", rng.choice(ends)], "stiffness": "k", **({"rest": "L"} if rng.random() < 0.6 else {})}] if rng.random() < 0.6 else []
    dampers = [{"between": ["O", rng.choice(ends)], "damping": "c"}] if rng.random() < 0.4 else []
    forces = []
    if rng.random() < 0.6:
        forces.append({"body": rng.choice([b["name"] for b in bodies]), "torque": ["D*sin(w*t)", "c*fa.R[2,3]", f"A - c*dot({names[-1]})"]})
    if rng.random() < 0.5:
        forces.append({"at": rng.choice(ends), "vector": ["c", "k*D*cos(w*t)", "-c*dot(A1.z)"]})
    lines = ["# SPDX-License-Identifier: Apache-2.0", f"name = {quoted(name)}", f"coordinates = {inline(names)}"]
    if rng.random() < 0.85:
        lines += ['gravity = ["0", "0", "-g"]']
    lines += table("parameters", {n: float(v) for n, v in parameters.items()})
    for kind, entries in (("frame", frames), ("point", points), ("body", bodies), ("spring", springs), ("damper", dampers), ("constraint", constraints), ("force", forces)):
        lines += array(kind, entries)
    return "\n".join(lines) + "\n", state_of(rng, names)


# ---- TOML ---------------------------------------------------------------------------------------------------------


def inline(value):
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k} = {inline(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(inline(v) for v in value) + "]"
    return quoted(value) if isinstance(value, str) else repr(value)


def table(name, entries):
    return ["", f"[{name}]"] + [f"{k} = {inline(v)}" for k, v in entries.items()] if entries else []


def array(name, entries):
    return [line for e in entries for line in ["", f"[[{name}]]"] + [f"{k} = {inline(v)}" for k, v in e.items()]]


# ---- acceptance ---------------------------------------------------------------------------------------------------


def acceptable(document):
    """Numbers of ordinary size and a KKT matrix that a double solver can be held to 1e-10 on."""
    if document["qdd"] is None:
        return False
    flat = [document[k] for k in ("B", "G", "F", "a", "gamma")] + [list(document["qdd"].values()), list(document["lambda"].values())]
    if any(not np.isfinite(x) or abs(x) > 1e3 for column in flat for x in column):
        return False
    M, W = np.array(document["M"]), np.array(document["W"]).reshape(-1, len(document["M"]))
    if np.any(np.abs(M) > 1e3) or np.any(np.abs(W) > 1e3):
        return False
    singular = np.linalg.svd(W, compute_uv=False) if len(W) else np.ones(1)
    if singular[: document["rank"]].min(initial=1) < 1e-2:
        return False
    # M on null(W), and the whole matrix where all rows count.
    _, _, V = np.linalg.svd(W) if len(W) else (0, 0, np.eye(len(M)))
    Z = V[document["rank"]:].T
    if not np.linalg.eigvalsh(Z.T @ M @ Z).min(initial=1) > 1e-2:
        return False
    # Redundant rows that contradict each other have no q̈.
    residual = W @ np.array(list(document["qdd"].values())) + np.array(document["gamma"]) if len(W) else np.zeros(1)
    return np.abs(residual).max() < 1e-9


def draw(seed, index):
    """(name, TOML text, state, expected) of the index-th model of a seed."""
    for attempt in range(100):
        rng = random.Random(f"{seed}/{index}/{attempt}")
        family = (bodies_model, formula_model, space_model)[index % 3]
        name = f"random-{seed}-{index}"
        text, state = family(rng, name)
        model = oracle.Model(text)
        try:
            document = oracle.evaluate(model, json.loads(json.dumps(state), parse_float=oracle.exact))
        except (ZeroDivisionError, TypeError, ValueError):
            continue  # a complex or infinite value at this state
        if acceptable(document):
            return name, text, state, document
    raise oracle.OracleError(f"seed {seed}, model {index}: nothing acceptable in 100 draws")


def write(seed, count, folder, progress=None):
    """Writes `count` models to a folder; returns their names."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    names = []
    for index in range(count):
        name, text, state, document = draw(seed, index)
        (folder / f"{name}.toml").write_text(text, encoding="utf-8")
        (folder / f"{name}.state.json").write_text(json.dumps(state, indent=1) + "\n", encoding="utf-8")
        (folder / f"{name}.expected.json").write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
        names.append(name)
        if progress:
            progress(index + 1, count)
    return names


def main():
    parser = argparse.ArgumentParser(description="Random models, states and the oracle's answers.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--out", required=True)
    arguments = parser.parse_args()
    print(f"{len(write(arguments.seed, arguments.count, arguments.out))} models in {arguments.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
