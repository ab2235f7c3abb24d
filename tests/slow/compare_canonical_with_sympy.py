#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Canonical forms against SymPy: what dalembert prints for random trigonometric expressions equals what was put in.

    compare_canonical_with_sympy.py --dalembert BINARY [--count 200] [--seed 1]

Each expression is the generalized force on one coordinate of a model with fifty; `derive --json --only F` prints it in canonical
and expanded form. Truth: SymPy, which rewrites the difference to exponentials and expands it; it must vanish identically.
Besides, --count pairs (a, b), half of them equal by construction (b is a rewritten by SymPy), half different in one
coefficient or sign, are decided by `audit`; every verdict must be right.
"""

import argparse
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

import sympy
from sympy import cos, sin

SYMBOLS = sympy.symbols("a b c q1 q2 q3")
BATCH = 50


def random_expression(rng, depth):
    """A trigonometric polynomial over parameters and angles, as nested as people write them."""
    a, b, c, q1, q2, q3 = SYMBOLS
    kind = rng.randrange(9) if depth > 0 else rng.randrange(3)
    angle = rng.choice([q1, q2, q3, q1 - q2, q1 + q2, 2 * q1, q2 - 2 * q3, q1 / 2, q1 + q2 + q3])
    if kind == 0:
        return rng.choice([a, b, c, q1, sympy.Rational(rng.randint(-4, 4) or 1, rng.randint(1, 3))])
    if kind == 1:
        return sin(angle)
    if kind == 2:
        return cos(angle)
    if kind in (3, 4):
        return random_expression(rng, depth - 1) + random_expression(rng, depth - 1)
    if kind == 5:
        return random_expression(rng, depth - 1) ** rng.choice([2, 2, 3])
    return random_expression(rng, depth - 1) * random_expression(rng, depth - 1)


def vanishes(difference):
    return sympy.expand(sympy.expand(difference).rewrite(sympy.exp), power_exp=True, complex=False).expand() == 0


def text(expression):
    return sympy.sstr(expression).replace("**", "^")


def model_text(forces, claims=()):
    names = [f"q{i}" for i in range(1, BATCH + 1)]
    lines = ['name = "canonical"', f"coordinates = {json.dumps(names)}", "[parameters]", "a = 1.5", "b = 0.7", "c = 2.5",
             "[energy]", 'kinetic = "' + " + ".join(f"q{i}'^2/2" for i in range(1, BATCH + 1)) + '"']
    for i, force in enumerate(forces, 1):
        lines += ["[[force]]", f'coordinate = "q{i}"', f'value = "{text(force)}"']
    for i, claim in claims:
        lines += ["[[claim]]", 'source = "random"', f'entry = "F[q{i}]"', f'equals = "{text(claim)}"']
    return "\n".join(lines) + "\n"


def run(binary, folder, arguments, forces, claims=()):
    path = pathlib.Path(folder) / "canonical.toml"
    path.write_text(model_text(forces, claims), encoding="utf-8")
    done = subprocess.run([binary, *arguments[:1], str(path), *arguments[1:]], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 4):
        sys.exit(f"{' '.join(arguments)} failed with {done.returncode}:\n{done.stderr}")
    return json.loads(done.stdout)


def read_back(printed):
    return sympy.sympify(printed.replace("^", "**"), locals={str(s): s for s in SYMBOLS})


def rewritten(rng, expression):
    return rng.choice([sympy.expand, sympy.expand_trig, sympy.factor, lambda e: sympy.expand(e, trig=True), sympy.trigsimp])(expression)


def changed(rng, expression):
    """The expression with one term's coefficient or sign changed."""
    terms = sympy.Add.make_args(sympy.expand(expression))
    victim = rng.choice(terms)
    return expression - victim + victim * rng.choice([-1, 2, sympy.Rational(1, 2), sympy.Rational(101, 100)])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dalembert", required=True)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=int(os.environ.get("DALEMBERT_TEST_SEED", "1")))
    arguments = parser.parse_args()
    rng = random.Random(arguments.seed)
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for start in range(0, arguments.count, BATCH):
            forces = [random_expression(rng, 3) for _ in range(min(BATCH, arguments.count - start))]
            for form in ("canonical", "expanded"):
                printed = run(arguments.dalembert, folder, ["derive", "--json", "--only", "F", "--form", form], forces)["F"]
                for force, shown in zip(forces, printed):
                    if not vanishes(force - read_back(shown)):
                        wrong += 1
                        print(f"{form}: {force}\n  printed as {shown}")
            equal = [rng.random() < 0.5 for _ in forces]
            claims = [(i, rewritten(rng, f) if same else changed(rng, f)) for i, (f, same) in enumerate(zip(forces, equal), 1)]
            equal = [same or vanishes(f - claim) for same, f, (_, claim) in zip(equal, forces, claims)]
            verdicts = run(arguments.dalembert, folder, ["audit", "--json"], forces, claims)["claims"]
            for force, (_, claim), same, verdict in zip(forces, claims, equal, verdicts):
                if verdict["verdict"] != ("proved" if same else "disproved") or verdict["method"] != "exact":
                    wrong += 1
                    print(f"audit says {verdict['verdict']} ({verdict['method']}), truth is {'equal' if same else 'different'}:\n  {force}\n  {claim}")
    print(f"{arguments.count} expressions in two forms and {arguments.count} pairs, {wrong} wrong (seed {arguments.seed})")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
