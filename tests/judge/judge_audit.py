#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every verdict of `dalembert audit` on random small models, judged by equations that SymPy derives here.

    judge_audit.py --program BINARY [--cases 300] [--seed 1]

A case is a claim. Models have two to four coordinates, holonomic, rheonomic or nonholonomic constraints or none, forces and
drag, and most have prescribed coordinates. Truth: Lagrange's equations from T, V, forces and constraints as SymPy
expressions, and accelerations, multipliers and actuations by a dense solve in 40 digits. Nothing of dalembert is in it.
  right       a true claim proved, a false one disproved, one with unusable conditions refused
  undecided   never wrong; counted by kind
  wrong       a true claim disproved, a false one proved, a claim refused or answered otherwise, or a point at which a
              reader does not get the two numbers: what is free there is put into the claim as it is written, with the
              motion as it is found here, and must give the printed digits; so must what the point says of the motion
"""

import argparse
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter

import mpmath
import sympy
from sympy import Rational, cos, diff, sin

mpmath.mp.dps = 40
FREE = ("x", "y", "th", "al")
t = sympy.Symbol("t")
PARAMETERS = {name: sympy.Symbol(name, positive=True) for name in ("m1", "m2", "J", "k", "g", "c", "b", "L")}
VALUES = {"m1": 1.5, "m2": 0.75, "J": 0.4, "k": 2.5, "g": 9.81, "c": 0.3, "b": 0.25, "L": 0.6}
P = PARAMETERS


def rate_symbol(name):
    return sympy.Symbol(name + "D")


def acceleration_symbol(name):
    return sympy.Symbol(name + "DD")


def text(expression):
    """As the model file writes it."""
    written = sympy.sstr(expression, order="none").replace("**", "^")
    written = re.sub(r"\b(\w+?)DD\b", r"\1''", written)
    written = re.sub(r"\b(\w+?)D\b", r"\1'", written)
    return re.sub(r"\b(lambda|actuation)_(\w+)\b", r"\1(\2)", written)


def symbol_of(printed):
    """The symbol that a name printed by dalembert means."""
    name = printed.replace("''", "DD").replace("'", "D")
    name = re.sub(r"(lambda|actuation)\((\w+)\)", r"\1_\2", name)
    return P.get(name) or (t if name == "t" else sympy.Symbol(name))


class Model:
    """T, V, forces and constraints; M q" + B + G = F + W^T lambda + actuation, W q" + gamma = 0."""

    def __init__(self, rng):
        self.names = list(FREE[: rng.randint(2, 4)])
        self.q = [sympy.Symbol(n) for n in self.names]
        self.qd = [rate_symbol(n) for n in self.names]
        self.qdd = [acceleration_symbol(n) for n in self.names]
        n = len(self.q)
        count = rng.choice([0, 1, 1, 1, 2]) if n > 2 else rng.choice([0, 0, 1])
        self.prescribed = sorted(rng.sample(range(n), count))
        self.energies(rng)
        self.rows(rng, n - len(self.prescribed))
        self.derive()

    def energies(self, rng):
        masses = [P["m1"], P["m2"], P["J"], P["m1"]]
        T = sum(masses[i] * v**2 / 2 for i, v in enumerate(self.qd))
        if rng.random() < 0.7:  # small enough that T stays positive
            i, j = rng.sample(range(len(self.q)), 2)
            T += masses[i] * (self.qd[i] + P["b"] * rng.choice([cos, sin])(self.q[j]) * self.qd[j]) ** 2 / 2
        self.T = T
        V = Rational(rng.randint(1, 3), 2) * P["k"] * self.q[0] ** 2
        V += rng.choice([P["m1"] * P["g"] * self.q[1], P["m2"] * P["g"] * P["L"] * cos(self.q[-1]), P["k"] * self.q[0] * self.q[1]])
        self.V = V
        self.force = [sympy.Integer(0)] * len(self.q)
        if rng.random() < 0.6:
            i = rng.randrange(len(self.q))
            self.force[i] = rng.choice([-P["c"] * self.qd[i], P["k"] * sin(t) - P["c"] * self.qd[i], P["c"] * cos(self.q[i - 1])])

    def rows(self, rng, passive):
        x, y = self.q[0], self.q[1]
        xd, yd = self.qd[0], self.qd[1]
        turn = self.q[2] if len(self.q) > 2 else y
        turning = self.qd[2] if len(self.q) > 2 else yd
        kinds = [("rod", x**2 + y**2 - P["L"] ** 2, True), ("slope", y - P["b"] * sin(x) - x / 3, True),
                 ("belt", x + P["L"] * cos(turn) - P["b"] * sin(t), True)]
        if len(self.q) > 2:
            kinds += [("blade", -xd * sin(turn) + yd * cos(turn) - P["b"] * turning, False),
                      ("wheel", xd * cos(turn) + yd * sin(turn) - P["L"] * self.qd[-1], False),
                      ("arm", y + P["L"] * sin(turn) - P["b"], True)]
        count = rng.choice([0, 1, 1, 2]) if passive > 1 else rng.choice([0, 1])
        self.constraints = rng.sample(kinds, min(count, passive, len(kinds)))

    def derive(self):
        rates = list(zip(self.q, self.qd))

        def along(e):
            """The rate at q" = 0."""
            return diff(e, t) + sum(diff(e, a) * v for a, v in rates)
        self.M = sympy.Matrix([[diff(self.T, a, b) for b in self.qd] for a in self.qd])
        self.B = [along(diff(self.T, v)) - diff(self.T, a) for a, v in rates]
        self.G = [diff(self.V, a) for a in self.q]
        first = [along(e) if holonomic else e for _, e, holonomic in self.constraints]
        self.velocity_rows = first
        self.W = [[diff(e, v) for v in self.qd] for e in first]
        self.gamma = [along(e) for e in first]
        self.lam = [sympy.Symbol("lambda_" + name) for name, _, _ in self.constraints]
        self.act = {i: sympy.Symbol("actuation_" + self.names[i]) for i in self.prescribed}
        self.eom = []
        for i in range(len(self.q)):
            e = sum(self.M[i, j] * a for j, a in enumerate(self.qdd)) + self.B[i] + self.G[i] - self.force[i]
            e -= sum(row[i] * l for row, l in zip(self.W, self.lam)) + self.act.get(i, 0)
            self.eom.append(e)
        self.second = [sum(w * a for w, a in zip(row, self.qdd)) + g for row, g in zip(self.W, self.gamma)]
        self.unknowns = [a for i, a in enumerate(self.qdd) if i not in self.prescribed] + self.lam + list(self.act.values())
        self.system = self.eom + self.second
        self.known = sorted(set().union(*(e.free_symbols for e in self.system)) - set(self.unknowns), key=str)
        A, r = sympy.linear_eq_to_matrix(self.system, self.unknowns)
        self.matrix = sympy.lambdify(self.known, [list(A.row(i)) for i in range(A.rows)], "mpmath")
        self.right = sympy.lambdify(self.known, list(r), "mpmath")

    def motion(self, at, multipliers=False):
        """The unknowns where everything else is given; with `multipliers` those are given too, and rows say nothing."""
        values = [at[s] for s in self.known]
        A, r = mpmath.matrix(self.matrix(*values)), mpmath.matrix(self.right(*values))
        columns = [k for k, u in enumerate(self.unknowns) if not (multipliers and u in self.lam)]
        for k, u in enumerate(self.unknowns):
            if multipliers and u in self.lam:
                r -= A[:, k] * at[u]
        size = len(columns)
        small = mpmath.matrix(size, size)
        for i in range(size):
            for j, k in enumerate(columns):
                small[i, j] = A[i, k]
        if abs(mpmath.det(small)) < mpmath.mpf(10) ** -12:
            raise ZeroDivisionError
        found = mpmath.lu_solve(small, r[:size])
        return {self.unknowns[k]: found[j] for j, k in enumerate(columns)}

    def toml(self, claims):
        lines = ['name = "judged"', "coordinates = " + json.dumps(self.names), "[parameters]"]
        lines += [f"{name} = {value}" for name, value in VALUES.items()]
        lines += ["[energy]", f'kinetic = "{text(self.T)}"', f'potential = "{text(self.V)}"']
        for name, f in zip(self.names, self.force):
            if f != 0:
                lines += ["[[force]]", f'coordinate = "{name}"', f'value = "{text(f)}"']
        for name, e, holonomic in self.constraints:
            lines += ["[[constraint]]", f'name = "{name}"', f'{"holonomic" if holonomic else "pfaffian"} = "{text(e)}"']
        if self.prescribed:
            lines += ["[prescribed]"] + [f'{self.names[i]} = "0.3*sin({i + 2}*t)"' for i in self.prescribed]
        for claim in claims:
            lines += ["[[claim]]", f'entry = "{claim.entry}"', f'equals = "{claim.written()}"']
            if claim.given:
                lines.append(f"given = {json.dumps(claim.given)}")
        return "\n".join(lines) + "\n"


class Claim:
    def __init__(self, kind, entry, right, claimed, true, given=(), unusable=False, equation=False):
        self.kind, self.entry, self.right, self.claimed, self.true = kind, entry, right, claimed, true
        self.given, self.unusable, self.equation = list(given), unusable, equation

    def written(self):
        return text(self.claimed) + (" = 0" if self.equation else "")


# --- claims


def true_motion_claim(rng, model):
    """(kind, entry, unknown, formula): an unknown by one of its equations, by several, or by all."""
    unknowns = [u for u in model.unknowns if not str(u).startswith("actuation")]
    unknowns += [model.qdd[i] for i in model.prescribed]
    unknown = rng.choice(unknowns)
    rows = [e for e in model.system if e.has(unknown)]
    kind = rng.choice(["one row", "rows", "rows", "all"])
    if kind == "all" and unknown in model.unknowns and len(model.unknowns) <= 4:
        A, r = sympy.linear_eq_to_matrix(model.system, model.unknowns)  # by Cramer
        other = A.copy()
        other[:, model.unknowns.index(unknown)] = r
        formula = other.det(method="berkowitz") / A.det(method="berkowitz")
    else:
        kind = "rows" if kind == "all" else kind
        row = rng.choice(rows)
        formula = sympy.expand(unknown - row / diff(row, unknown))
        if kind == "rows":
            # Others, which are 0 on the motion, times what is not.
            for other in rng.sample(model.system, min(len(model.system), rng.randint(1, 2))):
                factor = rng.choice([sin(model.q[0]), cos(model.q[-1]), Rational(rng.randint(1, 3)), model.q[0]])
                formula += sympy.expand(factor * other).subs(unknown, formula) if not other.has(unknown) else 0
    name = str(unknown)
    entry = f"lambda[{name[7:]}]" if name.startswith("lambda") else f"qdd[{name[:-2]}]"
    return kind, entry, unknown, formula


def mistakes(rng, model, formula):
    """A visible mistake."""
    terms = list(sympy.Add.make_args(sympy.expand(formula)))
    driven = [k for k, term in enumerate(terms) if any(str(s).startswith("actuation") for s in term.free_symbols)]
    if driven and rng.random() < 0.5:  # as if nothing drove it
        return sum((term for k, term in enumerate(terms) if k not in driven), sympy.Integer(0))
    k = rng.randrange(len(terms))
    change = rng.choice(["sign", "factor", "left out", "power"])
    if change == "sign":
        terms[k] = -terms[k]
    elif change == "factor":
        terms[k] = 2 * terms[k]
    elif change == "left out":
        terms.pop(k)
    else:
        symbols = sorted(terms[k].free_symbols & (set(model.qd) | set(P.values())), key=str)
        terms[k] = terms[k] * (rng.choice(symbols) if symbols else 3)
    return sum(terms, sympy.Integer(0))


def claims_of(rng, model, count):
    made = []
    for _ in range(20 * count):
        if len(made) == count:
            break
        choice = rng.random()
        true = rng.random() < 0.5
        if choice < 0.65:
            kind, entry, unknown, right = true_motion_claim(rng, model)
            if right is None or right.has(sympy.zoo) or right.has(sympy.nan):
                continue
            claimed, given = right, []
            if model.velocity_rows and rng.random() < 0.3:
                j = rng.randrange(len(model.velocity_rows))
                row = model.velocity_rows[j]
                claimed = right + rng.choice([P["k"], model.qd[0], sin(model.q[0])]) * row
                if rng.random() < 0.7:
                    given, kind = [text(row) + " = 0"], kind + ", given"
                else:
                    true = False  # right on the constraints only
                    kind += ", on the constraints only"
            if not true and kind.find("only") < 0:
                claimed = mistakes(rng, model, claimed)
            claim = Claim(("prescribed: " if model.prescribed else "free: ") + kind, entry, unknown, claimed, true, given)
        elif choice < 0.8:
            i = rng.randrange(len(model.q))
            right = sympy.expand(model.eom[i])
            claimed = right if true else mistakes(rng, model, right)
            claim = Claim("eom", f"eom[{model.names[i]}]", right, claimed, true, equation=True)
        elif choice < 0.95 or not model.constraints:
            i, j = rng.randrange(len(model.q)), rng.randrange(len(model.q))
            a, b = model.names[i], model.names[j]
            entry, right = rng.choice([(f"M[{a},{b}]", model.M[i, j]), (f"B[{a}]", model.B[i]), (f"G[{a}]", model.G[i])])
            right = sympy.expand(right)
            claimed = right if true else mistakes(rng, model, right) if right != 0 else P["k"] * model.q[i]
            claim = Claim("terms", entry, right, claimed, true)
        else:
            _, entry, unknown, right = true_motion_claim(rng, model)
            if right is None:
                continue
            given = rng.choice([[f"sin({model.names[0]}) = 0"], [f"{model.names[0]}^2 = {model.names[1]}^2"]])
            claim = Claim("unusable condition", entry, unknown, right, True, given, unusable=True)
        if is_what_it_should_be(rng, model, claim):
            made.append(claim)
    return made


def random_state(rng, model):
    at = {s: mpmath.mpf(rng.randint(2, 40)) / 16 for s in P.values()}
    at.update({s: mpmath.mpf(rng.choice([-1, 1]) * rng.randint(2, 40)) / 16 for s in model.q + model.qd + model.qdd + [t]})
    return at


def value(e, at):
    missing = [s for s in e.free_symbols if s not in at]
    if missing:
        raise KeyError(missing)
    symbols = sorted(e.free_symbols, key=str)
    found = sympy.lambdify(symbols, e, "mpmath")(*(at[s] for s in symbols))
    return mpmath.mpf(found)


def on_given(model, claim, at):
    """The state changed so that the condition, one row of velocities, holds."""
    if not claim.given or claim.unusable:
        return at
    row = next(e for e in model.velocity_rows if text(e) + " = 0" == claim.given[0])
    rate = next(v for v in model.qd if diff(row, v) != 0)
    return {**at, rate: at[rate] - value(row, at) / value(diff(row, rate), at)}


def is_what_it_should_be(rng, model, claim):
    """Whether a true claim holds and a false one does not, visibly, at most of a few states."""
    if claim.unusable:
        return True
    same = seen = 0
    for _ in range(12):
        try:
            at = on_given(model, claim, random_state(rng, model))
            at = {**at, **model.motion(at)} if model.unknowns else at
            a, b = value(claim.right, at), value(claim.claimed, at)
        except (ZeroDivisionError, KeyError, TypeError):
            continue
        seen += 1
        same += abs(a - b) < mpmath.mpf(10) ** -25 * (1 + abs(a) + abs(b))
        if seen == 6:
            break
    return seen >= 4 and (same == seen if claim.true else same == 0)


# --- verdicts


def agree(printed, exact):
    """Whether a decimal is the exact number in its digits, six at least."""
    digits = re.sub(r"[eE].*", "", printed).replace("-", "").replace(".", "").lstrip("0")
    if abs(exact) < mpmath.mpf(10) ** -30:  # what 40 digits leave of terms that cancel
        return float(printed) == 0
    last = mpmath.mpf(10) ** (mpmath.floor(mpmath.log10(abs(exact))) + 1 - max(6, len(digits)))
    return abs(mpmath.mpf(printed) - exact) <= last * mpmath.mpf("0.51") + mpmath.mpf(10) ** -16 * abs(exact)


def judge(model, claim, said):
    """'right', 'undecided', 'refused', or what is wrong."""
    verdict = said["verdict"]
    if claim.unusable:
        if said.get("refused") == "E0241" and verdict == "undecided":
            return "refused"
        return "right" if verdict == "proved" else f"{verdict} with a condition that cannot be used"
    if said.get("refused"):
        return f"refused ({said['note']})"
    if verdict == "undecided":
        return "undecided"
    if verdict == "proved":
        return "right" if claim.true else "false, and proved"
    if claim.true:
        return f"true, and disproved: {said['note']}"
    return judge_point(model, claim, said)


def judge_point(model, claim, said):
    point = said["point"]
    if not point:
        return "right"
    at = random_state(random.Random(1), model)
    chosen = {symbol_of(name): mpmath.mpf(number) for name, number in point["at"].items()}
    followed = {symbol_of(name): number for name, number in point.get("follows", {}).items()}
    at.update(chosen)
    # Conditions come before the motion.
    at.update({s: mpmath.mpf(v) for s, v in followed.items() if s not in model.unknowns})
    if claim.given:
        row = next(e for e in model.velocity_rows if text(e) + " = 0" == claim.given[0])
        solved = [v for v in model.qd if diff(row, v) != 0 and v not in chosen]
        if len(solved) != 1:
            return f"a point that leaves {len(solved)} velocities to its condition: {point}"
        rate = solved[0]
        exact = at[rate] - value(row, at) / value(diff(row, rate), at)
        if rate in followed and abs(followed[rate] - exact) > 1e-9 * (1 + abs(exact)):
            return f"{rate} follows as {exact}, {followed[rate]} is printed"
        at[rate] = exact
    motion_claim = claim.entry.startswith(("lambda", "qdd"))
    if motion_claim:
        if any(s in chosen for s in model.unknowns if s not in model.lam):
            return f"a point that chooses what the equations determine: {point}"
        try:
            motion = model.motion(at, multipliers=any(l in chosen for l in model.lam))
        except ZeroDivisionError:
            return f"a point without a unique motion: {point}"
        for s, number in followed.items():
            if s in motion and abs(motion[s] - number) > 1e-9 * (1 + abs(motion[s])):
                return f"{s} is {motion[s]} there, {number} is printed"
        at = {**at, **motion}
        # A reader has the claim's symbols and nothing else.
        for s in claim.claimed.free_symbols & set(model.unknowns):
            if s not in chosen and s not in followed and diff(claim.claimed, s) != 0:
                return f"the point does not tell {s}: {point}"
    elif any(s not in at for s in claim.claimed.free_symbols):
        at.update({s: mpmath.mpf(1) for s in model.unknowns if s not in at})
    try:
        claimed = value(claim.claimed, at)
        right = value(claim.right, at)
    except ZeroDivisionError:
        return f"a point at which there is no value: {point}"
    if not agree(point["claimed_digits"], claimed):
        return f"claimed is {mpmath.nstr(claimed, 15)} there, {point['claimed_digits']} is printed; {point}"
    scaled = claim.equation and "compared with the equation times" in (said["note"] or "")
    if not scaled and not agree(point["correct_digits"], right):
        return f"right is {mpmath.nstr(right, 15)} there, {point['correct_digits']} is printed; {point}"
    return "right"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", required=True)
    parser.add_argument("--cases", type=int, default=300)
    parser.add_argument("--seed", type=int, default=int(os.environ.get("DALEMBERT_TEST_SEED", "1")))
    parser.add_argument("--patience", type=float, default=120, help="seconds for each model")
    parser.add_argument("--keep", help="folder for the models")
    arguments = parser.parse_args()
    rng = random.Random(arguments.seed)
    counts, by_kind, undecided = Counter(), Counter(), Counter()
    done, models = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "judged.toml"
        while done < arguments.cases:
            model = Model(rng)
            try:
                usable = any(model.motion(random_state(rng, model)) is not None for _ in range(2))
            except ZeroDivisionError:
                continue  # rows that say the same
            if not usable:
                continue
            claims = claims_of(rng, model, min(6, arguments.cases - done))
            if not claims:
                continue
            source = model.toml(claims)
            path.write_text(source, encoding="utf-8")
            if arguments.keep:
                pathlib.Path(arguments.keep, f"judged{models}.toml").write_text(source, encoding="utf-8")
            models += 1
            done += len(claims)
            try:
                ran = subprocess.run([arguments.program, "audit", "--json", str(path)], capture_output=True, text=True, check=False,
                                     timeout=arguments.patience)
            except subprocess.TimeoutExpired:
                counts["wrong"] += 1
                print(f"NO ANSWER in {arguments.patience} s\n{source}")
                continue
            answer = json.loads(ran.stdout) if ran.stdout.strip().startswith("{") else {}
            if "claims" not in answer:
                counts["wrong"] += len(claims)
                print(f"NO VERDICTS, status {ran.returncode}: {ran.stderr[:800]}\n{source}")
                continue
            for claim, said in zip(claims, answer["claims"]):
                outcome = judge(model, claim, said)
                label = outcome if outcome in ("right", "undecided", "refused") else "wrong"
                counts[label] += 1
                group = (claim.kind, "true" if claim.true else "false")
                by_kind[group] += 1
                undecided[group] += label == "undecided"
                if label == "wrong":
                    print(f"WRONG {claim.entry}: {outcome}\n  {claim.written()}\n  given {claim.given} note {said['note']}\n{source}")
    for kind in sorted(by_kind):
        print(f"{kind[0]:44s} {kind[1]:5s} {by_kind[kind]:5d} claims, {undecided[kind]:4d} undecided")
    print(f"{done} claims in {models} models (seed {arguments.seed}): {counts['right']} right, {counts['undecided']} undecided, "
          f"{counts['refused']} refused, {counts['wrong']} wrong")
    return 1 if counts["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
