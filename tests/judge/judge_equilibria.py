#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `analyze`, `linearize` and `check` say of equilibria, stability, freedoms and redundancy, against models that are
made so that the answer is known:

    smooth      V = sum of D_i (direction i)^2/2 + a quartic, directions orthogonal: signs of D (and of the quartic where D is 0)
    one-sided   V = sum of f_i(direction i), each side of f_i a power with a sign, or flat: stable where every side rises,
                unstable where one falls or is flat (it drifts off), for energy is conserved and the directions are decoupled
    damped      one freedom, both sides pulled back and damped: asymptotically stable
    singular    rows like x*y at the origin: one freedom less than coordinates, nothing linear to be said
    mechanism   two or three equal rockers on a line: change points, their rank, how many motions pass, no equilibrium at 90 deg
    redundant   a row that is a combination of others and a part of another one: 0, 1e-12 ... 1e-4, 1

Prints how many answers are right, undecided (marginal), refused (an error) and wrong; exits 1 if one is wrong.

    judge_equilibria.py --program build/release/bin/dalembert --cases 300 --seed 1 [--keep DIR]
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
from fractions import Fraction

import numpy as np
import sympy as sp


class Wrong(Exception):
    pass


class Program:
    def __init__(self, path, folder):
        self.path, self.folder = path, pathlib.Path(folder)

    def write(self, text):
        file = self.folder / "model.toml"
        file.write_text(text)
        return file

    def ask(self, *arguments):
        """The document and the codes of what was reported; the document is None where there is none."""
        done = subprocess.run([self.path, *map(str, arguments), "--json"], capture_output=True, text=True, timeout=120)
        if done.returncode < 0 or done.returncode > 100:
            raise Wrong(f"{arguments[0]} ended with {done.returncode}")
        try:
            document = json.loads(done.stdout)
        except json.JSONDecodeError:
            return None, done.stderr
        return (document if done.returncode == 0 or arguments[0] == "check" else None), done.stderr


def verdict(said, truth, what):
    """right | undecided, or Wrong."""
    if said in (None, "marginal"):
        return "undecided"
    if said == truth or (said == "stable" and truth == "asymptotically stable"):
        return "right"
    raise Wrong(f"{what}: said {said}, is {truth}")


def at_point(document, point):
    for one in document["equilibria"]:
        if one["kind"] == "equilibrium" and all(abs(one["q"][name] - x) < 1e-5 for name, x in point.items()):
            return one
    return None


def number(x):
    return f"({x.numerator}/{x.denominator})" if isinstance(x, Fraction) and x.denominator != 1 else f"({x})"


def orthogonal(rng, n):
    """Rational orthogonal directions: products of rotations by Pythagorean angles."""
    rows = sp.eye(n)
    for i in range(n):
        for j in range(i + 1, n):
            a, b, c = rng.choice([(3, 4, 5), (5, 12, 13), (8, 15, 17), (1, 0, 1), (0, 1, 1)])
            turn = sp.eye(n)
            turn[i, i] = turn[j, j] = sp.Rational(a, c)
            turn[i, j], turn[j, i] = sp.Rational(b, c), -sp.Rational(b, c)
            rows = turn * rows
    return rows


def place(rng, names):
    """Where the rest is: at 0, or where numbers are rounded."""
    return {name: rng.choice([Fraction(0), Fraction(3, 10), Fraction(-17, 7)]) for name in names}


def directions(rng, n, at):
    rows = orthogonal(rng, n)
    names = [f"({name} - {number(x)})" if x else name for name, x in at.items()]
    return ["(" + " + ".join(f"({rows[i, j]})*{names[j]}" for j in range(n) if rows[i, j] != 0) + ")" for i in range(n)]


def particle(at, potential, mass=1, extra="", forces=""):
    names = list(at)
    kinetic = " + ".join(f"{mass}*{name}'^2/2" for name in names)
    return f'''name = "judged"
coordinates = [{", ".join(f'"{name}"' for name in names)}]
[energy]
kinetic = "{kinetic}"
potential = "{potential}"
{extra}{forces}
[initial]
position = {{{", ".join(f"{name} = {float(x)!r}" for name, x in at.items())}}}
velocity = {{{", ".join(f"{name} = 0" for name in names)}}}
'''


def judge_at(program, text, at, truth):
    file = program.write(text)
    results = []
    document, _ = program.ask("analyze", file)
    if document is None:
        results.append("refused")
    else:
        found = at_point(document, at)
        results.append("undecided" if found is None else verdict(found["stability"], truth, "analyze"))
    document, _ = program.ask("linearize", file)
    if document is None:
        results.append("refused")
    else:
        if document["kind"] != "equilibrium" and not document["undecided"]:
            raise Wrong(f"linearize calls the equilibrium a {document['kind']}")
        results.append(verdict(document["stability"], truth, "linearize"))
    return results


def smooth(rng, program):
    n = rng.randint(1, 3)
    names = ["x", "y", "z"][:n]
    stiff = [rng.choice([-2, -1, 1, 2, 3, 5, 7]) if rng.random() > 0.15 else 0 for _ in range(n)]
    quartic = [rng.choice([-1, 1]) if d == 0 else rng.choice([-1, 0, 1]) for d in stiff]
    if rng.random() < 0.5:
        stiff = [abs(d) or 1 for d in stiff]
    at = place(rng, names)
    along = directions(rng, n, at)
    potential = " + ".join(f"({d})*{e}^2/2 + ({a})*{e}^4" for d, a, e in zip(stiff, quartic, along))
    down = any(d < 0 or (d == 0 and a < 0) for d, a in zip(stiff, quartic))
    damped = rng.random() < 0.4
    forces = "".join(f'[[force]]\ncoordinate = "{name}"\nvalue = "-{rng.choice([1, 2])}*{name}\'"\n'
                     for name in names) if damped else ""
    truth = "unstable" if down else "asymptotically stable" if damped else "stable"
    return judge_at(program, particle(at, potential, forces=forces), at, truth)


def side(rng, sign_choices):
    sign, power = rng.choice(sign_choices), rng.choice([1, 2, 2, 3])
    factor = Fraction(rng.randint(1, 8), rng.choice([1, 2, 3]))
    return sign, power, factor


def one_sided_function(rng, e, signs):
    """f(e) with f(0) = 0, as text, and whether each side rises (1), falls (-1) or is flat (0)."""
    left, right = side(rng, signs), side(rng, signs)
    shape = rng.random()
    if shape < 0.2:
        sign, power, factor = left
        if sign == 0:
            return f"0*{e}", (0, 0)
        return f"({sign}*{number(factor)})*abs({e})^{power}", (sign, sign)
    if shape < 0.35:
        sign, power, factor = right
        power = max(power, 1)
        return f"({sign}*{number(factor)})*max(0, {e})^{power}", (0, sign)
    if shape < 0.5:
        sign, power, factor = left
        text = f"({sign}*{number(factor)})*abs(min({e}, 0))^{power}"
        return text, (sign, 0)
    terms = [f"({s}*{number(c)})*({'-' if place == 0 else ''}{e})^{p}" for place, (s, p, c) in enumerate((left, right))]
    if left[1] == right[1] == 1 and left[0] * right[0] < 0:
        return "", (0, 0)  # a slope on either side, down the same way: no equilibrium
    return f"if({e} < 0, {terms[0]}, {terms[1]})", (left[0], right[0])


def one_sided(rng, program):
    n = rng.choice([1, 1, 1, 2, 3])
    names = ["x", "y", "z"][:n]
    signs = [1] if rng.random() < 0.5 else [-1, 0, 1, 1, 1]
    parts, rises = [], []
    at = place(rng, names)
    for e in directions(rng, n, at):
        text, sides = one_sided_function(rng, e, signs)
        if sides == (0, 0):
            return []
        parts.append(text)
        rises += sides
    truth = "stable" if all(r > 0 for r in rises) else "unstable"
    factor = rng.choice(["1", "1", "1e-9", "1e6"])
    return judge_at(program, particle(at, f"{factor}*({' + '.join(parts)})"), at, truth)


def damped(rng, program):
    k1, k2, c = (Fraction(rng.randint(1, 9), rng.randint(1, 3)) for _ in range(3))
    at = place(rng, ["x"])
    x = f"(x - {number(at['x'])})"
    potential = f"if({x} < 0, {number(k1)}*{x}^2/2, {number(k2)}*{x}^2/2)"
    force = f'[[force]]\ncoordinate = "x"\nvalue = "-{number(c)}*x\'"\n'
    return judge_at(program, particle(at, potential, forces=force), at, "asymptotically stable")


def singular(rng, program):
    row = rng.choice(["x*y", "x^2 - y^2", "x*(x - y)", "x*sin(y)", "x*y + x^3", "(x + y)*(x - 2*y)"])
    stiff = [rng.choice([1, 2, 3]) for _ in range(3)]
    n = rng.choice([2, 3])
    names = ["x", "y", "z"][:n]
    potential = " + ".join(f"{k}*{name}^2/2" for k, name in zip(stiff, names))
    factor = rng.choice(["1", "2.5", "1000", "0.01"])
    file = program.write(particle(dict.fromkeys(names, 0), potential, extra=f'[[constraint]]\nname = "c"\nholonomic = "{factor}*({row})"\n'))
    results = []
    document, _ = program.ask("analyze", file)
    if document is None:
        results.append("refused")
    else:
        found = at_point(document, {name: 0 for name in names})
        if found and found["stability"] not in ("marginal", None):
            raise Wrong(f"analyze calls a crossing {found['stability']}")
        if document["dof"]["configuration"] != n - 1:
            raise Wrong(f"{document['dof']['configuration']} freedoms of configuration, are {n - 1}")
        if document["dof"]["velocity"] != n or document["rank"] != 0:
            raise Wrong("the row vanishes")
        results.append("right" if found else "undecided")
    document, _ = program.ask("linearize", file)
    if document is not None and document["stability"] not in (None, "marginal"):
        raise Wrong(f"linearize calls a crossing {document['stability']}")
    results.append("right" if document is None else "undecided")
    return results


def mechanism(rng, program):
    rockers = rng.choice([2, 3])
    length, width = rng.choice([0.3, 0.4, 0.55, 1.25]), rng.choice([0.5, 0.35, 0.8])
    mass = rng.choice([1, 3])
    text = f'''name = "rockers"
coordinates = [{{name="x", unit="m"}}, {{name="y", unit="m"}}, {{name="a", unit="rad"}}, {{name="th{{i}}", unit="rad", for="i in 1..{rockers}"}}]
gravity = [0, "-g"]
[parameters]
g = "9.81 m/s^2"
m = "{mass} kg"
J = "0.25 kg*m^2"
Ji = "0.02 kg*m^2"
l = "{length} m"
w = "{width} m"
[[frame]]
name = "plate"
origin = ["x", "y"]
rotate = "a"
[[body]]
name = "plate"
mass = "m"
inertia = "J"
frame = "plate"
[energy]
kinetic = "sum(i in 1..{rockers}, Ji/2*th{{i}}'^2)"
[[point]]
for = "i in 1..{rockers}"
name = "P{{i}}"
frame = "plate"
at = ["{{i-2}}*w", 0]
[[point]]
for = "i in 1..{rockers}"
name = "Q{{i}}"
at = ["{{i-2}}*w + l*sin(th{{i}})", "-l*cos(th{{i}})"]
[[constraint]]
for = "i in 1..{rockers}"
name = "pin{{i}}"
coincide = ["P{{i}}", "Q{{i}}"]
[initial]
'''
    flat = rng.random() < 0.6
    angle = 90 if flat else rng.choice([20, 40, 65, 130])
    sign = rng.choice([1, -1])
    rad = math.radians(sign * angle)
    rate = rng.choice([0, 1])
    # Guesses near, not at, the assembly that is meant.
    near = [rng.uniform(-0.01, 0.01) for _ in range(4)] if rng.random() < 0.7 else [0] * 4
    text += f'position = {{th1 = "{sign * angle} deg"}}\nvelocity = {{th1 = {0 if flat else rate}}}\n'
    guesses = [f"x = {length * math.sin(rad) + near[0] * length}", f"y = {-length * math.cos(rad) + near[1] * length}"]
    guesses += [f"th{i} = {rad + near[i]}" for i in range(2, rockers + 1)]
    text += f"guess = {{{', '.join(guesses)}}}\n"
    file = program.write(text)
    n, rows = 3 + rockers, 2 * rockers
    freedoms = 2 if flat else 1
    results = []
    document, said = program.ask("check", file)
    if document is None or not document.get("ok", False):
        raise Wrong("check finds no start")
    # Where it stopped may be the other assembly of two rockers; flat there is but one.
    if document["dof"]["velocity"] != freedoms:
        raise Wrong(f"check: {document['dof']['velocity']} freedoms, are {freedoms}")
    messages = " ".join(one["message"] for one in document["diagnostics"] if one["code"] == "W0206")
    if flat and "motions may be" in messages:
        results.append("undecided")
    elif flat and (("two motions" if rockers == 2 else "one motion") not in messages):
        raise Wrong(f"check: {messages or 'nothing about a singular position'}")
    else:
        results.append("right")
    document, _ = program.ask("analyze", file)
    if document is None:
        raise Wrong("analyze refuses")
    if document["rank"] != n - freedoms or document["dof"]["configuration"] != 1:
        raise Wrong(f"analyze: rank {document['rank']}, {document['dof']['configuration']} of configuration")
    for one in document["equilibria"]:
        angles = [one["q"][f"th{i}"] for i in range(1, rockers + 1)]
        parallel = max(abs(math.remainder(x - angles[0], 2 * math.pi)) for x in angles) < 1e-5
        if rockers == 3 and not parallel:
            raise Wrong("three rockers are always parallel")
        if not parallel:
            continue
        if abs(math.cos(angles[0])) < 1e-4:
            raise Wrong("an equilibrium at a change point")
        if abs(math.sin(angles[0])) > 1e-6:
            raise Wrong("no equilibrium")
        results.append(verdict(one["stability"], "stable" if math.cos(angles[0]) > 0 else "unstable", "analyze"))
    document, _ = program.ask("linearize", file)
    if flat:
        if document is not None and document["stability"] not in (None, "marginal"):
            raise Wrong("linearize calls a change point " + document["stability"])
        results.append("right" if document is None else "undecided")
    return results


def redundant(rng, program):
    n = rng.choice([4, 5])
    k = rng.randint(2, n - 1)
    names = [f"x{i + 1}" for i in range(n)]
    start = [rng.randint(-40, 40) / 64 for _ in range(n)]
    delta = rng.choice([0, 0, 0, 1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1])
    parts = {"poly": ["x{0}^2", "x{0}*x{1}", "1"], "trig": ["sin(x{0})", "cos(x{0})", "x{0}"], "exp": ["exp(x{0}/2)", "x{0}^2", "1"]}
    kind = parts[rng.choice(list(parts))]
    holonomic = rng.random() < 0.4

    def term():
        i, j = rng.sample(range(1, n + 1), 2)
        return f"{rng.choice([1, 2, -1, 3])}*" + rng.choice(kind).format(i, j)

    def form():
        if holonomic:
            text = " + ".join(f"({term()})" for _ in range(3)) + f" + {rng.choice([1, 2, -3])}*{rng.choice(names)}"
            return text + "".join(f" + {rng.randint(-9, 9)}*{name}" for name in names)
        return " + ".join(f"({term()} + {rng.randint(-9, 9)})*{name}'" for name in names)

    rows = [form() for _ in range(k)]
    factors = [Fraction(rng.randint(-20, 20), rng.choice([1, 2, 4, 5, 10])) for _ in rows]
    if all(f == 0 for f in factors):
        factors[0] = Fraction(1)
    other = rng.choice(names)

    def value(text):
        scope = {name: sp.Symbol(name) for name in names}
        return sp.sympify(text, locals=scope)

    symbols = [sp.Symbol(name) for name in names]
    point = dict(zip(symbols, [sp.Rational(Fraction(x)) for x in start]))
    if holonomic:
        # h less its value at the start, which is on the constraints to round-off then.
        offset = [float(value(row).subs(point).evalf(30)) for row in rows]
        texts = [f"({row}) - ({x!r})" for row, x in zip(rows, offset)]
        W = np.array([[float(sp.diff(value(row), s).subs(point)) for s in symbols] for row in rows])
    else:
        texts = rows
        rates = [sp.Symbol(name + "_rate") for name in names]
        as_rates = [row.replace("'", "_rate") for row in rows]
        scope = {s.name: s for s in symbols + rates}
        W = np.array([[float(sp.diff(sp.sympify(row, locals=scope), r).subs(point)) for r in rates] for row in as_rates])
    last = " + ".join(f"({number(f)})*({t})" for f, t in zip(factors, texts))
    rest = f"({other} - ({start[names.index(other)]!r}))" if holonomic else f"{other}'"
    if delta:
        last += f" + {delta!r}*{rest}"
    # What is told: the distance of the last row from the others, which W of the others must not blur.
    unit = np.array([1.0 if name == other else 0.0 for name in names])
    Q, R = np.linalg.qr((W / np.linalg.norm(W, axis=1)[:, None]).T)
    if np.min(np.abs(np.diag(R))) < 0.05:
        return []
    away = np.linalg.norm(unit - Q @ (Q.T @ unit))
    whole = np.array([float(f) for f in factors]) @ W + delta * unit
    distance = delta * away / np.linalg.norm(whole)
    if away < 0.05 or (delta and distance < 3e-13) or not np.linalg.norm(whole) > 0.01:
        return []
    text = f'name = "rows"\ncoordinates = [{", ".join(chr(34) + name + chr(34) for name in names)}]\n[energy]\nkinetic = "'
    text += " + ".join(f"{name}'^2/2" for name in names) + '"\n'
    for i, row in enumerate(texts + [last]):
        text += f'[[constraint]]\nname = "r{i}"\n{"holonomic" if holonomic else "pfaffian"} = "{row}"\n'
    text += "[initial]\nposition = {" + ", ".join(f"{name} = {x!r}" for name, x in zip(names, start)) + "}\n"
    file = program.write(text)
    rank = k + (1 if delta else 0)
    document, _ = program.ask("analyze", file)
    if document is None:
        return ["refused"]
    listed = [one["row"] for one in document["redundant"]]
    if document["rank"] != rank or (f"r{k}" in listed) != (delta == 0):
        raise Wrong(f"distance {distance:.1e}: analyze says rank {document['rank']} of {rank}, redundant {listed}")
    if document["dof"]["velocity"] != n - rank:
        raise Wrong(f"distance {distance:.1e}: {document['dof']}")
    nearly = [one["row"] for one in document["nearly_dependent"]]
    if delta and (f"r{k}" in nearly) != (distance < 1e-6):
        raise Wrong(f"distance {distance:.1e}: nearly dependent {nearly}")
    results = ["right"]
    document, _ = program.ask("check", file)
    if document is None or document.get("rank") is None:
        return results + ["refused"]
    if document["rank"] != rank:
        raise Wrong(f"distance {distance:.1e}: check says rank {document['rank']} of {rank}")
    codes = [one["code"] for one in document["diagnostics"]]
    if ("W0205" in codes) != (delta == 0):
        raise Wrong(f"distance {distance:.1e}: check reports {codes}")
    return results + ["right"]


KINDS = {"smooth": smooth, "one-sided": one_sided, "damped": damped, "singular": singular, "mechanism": mechanism,
         "redundant": redundant}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--cases", type=int, default=100)
    parser.add_argument("--seed", type=int, default=int(os.environ.get("DALEMBERT_TEST_SEED", "1")))
    parser.add_argument("--only", choices=KINDS)
    parser.add_argument("--keep", help="a folder for the models that are answered wrongly")
    options = parser.parse_args()
    table = collections.defaultdict(collections.Counter)
    weights = {"smooth": 3, "one-sided": 5, "damped": 1, "singular": 2, "mechanism": 2, "redundant": 5}
    with tempfile.TemporaryDirectory() as folder:
        program = Program(options.program, folder)
        for case in range(options.cases):
            rng = random.Random(f"{options.seed}/{case}")
            kind = options.only or rng.choices(list(weights), list(weights.values()))[0]
            try:
                for result in KINDS[kind](rng, program):
                    table[kind][result] += 1
            except Wrong as wrong:
                table[kind]["wrong"] += 1
                print(f"case {case} ({kind}): {wrong}", flush=True)
                if options.keep:
                    pathlib.Path(options.keep).mkdir(parents=True, exist_ok=True)
                    (pathlib.Path(options.keep) / f"{kind}-{options.seed}-{case}.toml").write_text(
                        (pathlib.Path(folder) / "model.toml").read_text())
    columns = ["right", "undecided", "refused", "wrong"]
    total = collections.Counter()
    print(f"{'':12}" + "".join(f"{name:>11}" for name in columns))
    for kind, counts in sorted(table.items()):
        print(f"{kind:12}" + "".join(f"{counts[name]:11}" for name in columns))
        total += counts
    print(f"{'all':12}" + "".join(f"{total[name]:11}" for name in columns))
    return 1 if total["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
