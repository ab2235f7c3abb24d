#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every verdict of `dalembert audit` on random pairs of formulas, judged at 160 digits by mpmath.

    judge_audit.py --dalembert BINARY [--count 300] [--seed 1]

Half of the pairs are equal by construction (one is the other after random sound rewriting), half differ by a coefficient, a sign,
a power or an angle; some hold under `given` only, on one branch of it. Truth: both are evaluated here, from the same random tree and without
any code of dalembert, at points that satisfy the conditions and what the verdict assumes.
  proved      both have the same value at every such point, and there is one
  disproved   at some point that satisfies the conditions they differ; at the point shown both have the values shown
  undecided   is never wrong, and is counted by kind
Claims about accelerations and multipliers are made of random systems of two masses on one constraint; there the truth is the KKT system,
solved at 160 digits.
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
from fractions import Fraction

import mpmath
from mpmath import mpf

mpmath.mp.dps = 160
SAME, POINTS, BATCH = mpf(10) ** -110, 10, 20
COORDINATES, PARAMETERS = ("x", "y", "z"), ("a", "b", "c")

# --- formulas: ("num", Fraction), ("pi",), ("sym", name), ("+", …), ("*", …), ("/", u, v), ("^", u, Fraction), (function, …)


def num(value):
    return ("num", Fraction(value))


def sym(name):
    return ("sym", name)


def add(*terms):
    return ("+", *terms)


def mul(*factors):
    return ("*", *factors)


def neg(e):
    return mul(num(-1), e)


def sub(u, v):
    return add(u, neg(v))


def div(u, v):
    return ("/", u, v)


def power(e, n):
    return ("^", e, Fraction(n))


def fun(name, *arguments):
    return (name, *arguments)


def literal(value):
    if value.denominator != 1:
        return f"({value.numerator}/{value.denominator})"
    digits = str(abs(value.numerator))
    zeros = len(digits) - len(digits.rstrip("0"))
    shown = digits if zeros < 6 else f"{digits[:-zeros]}e{zeros}"
    return shown if value >= 0 else f"(-{shown})"


def text(e):
    kind = e[0]
    if kind == "num":
        return literal(e[1])
    if kind == "pi":
        return "pi"
    if kind == "sym":
        return e[1]
    if kind == "+":
        return "(" + " + ".join(map(text, e[1:])) + ")"
    if kind == "*":
        return "(" + "*".join(map(text, e[1:])) + ")"
    if kind == "/":
        return f"({text(e[1])}/{text(e[2])})"
    if kind == "^":
        return f"({text(e[1])}^{literal(e[2])})"
    return f"{kind}({', '.join(map(text, e[1:]))})"


class Undefined(Exception):
    """There is no value."""


FUNCTIONS = {"sin": mpmath.sin, "cos": mpmath.cos, "exp": mpmath.exp, "atan": mpmath.atan, "sinh": mpmath.sinh, "cosh": mpmath.cosh,
             "tanh": mpmath.tanh, "abs": abs, "max": max, "min": min}


def value(e, at):
    kind = e[0]
    if kind == "num":
        return mpf(e[1].numerator) / e[1].denominator
    if kind == "pi":
        return +mpmath.pi
    if kind == "sym":
        return at[e[1]]
    v = [value(part, at) for part in e[1:] if isinstance(part, tuple)]
    if kind == "+":
        return mpmath.fsum(v)
    if kind == "*":
        return mpmath.fprod(v)
    if kind == "/":
        if abs(v[1]) < SAME:
            raise Undefined
        return v[0] / v[1]
    if kind == "^":
        if abs(v[0]) < SAME and e[2] <= 0 or v[0] < 0 and e[2].denominator != 1:
            raise Undefined
        return v[0] ** e[2].numerator if e[2].denominator == 1 else v[0] ** (mpf(e[2].numerator) / e[2].denominator)
    if kind == "sqrt":
        if v[0] < 0:
            raise Undefined
        return mpmath.sqrt(v[0])
    if kind == "log":
        if v[0] <= SAME:
            raise Undefined
        return mpmath.log(v[0])
    if kind == "tan":
        if abs(mpmath.cos(v[0])) < SAME:
            raise Undefined
        return mpmath.tan(v[0])
    if kind == "atan2":
        if abs(v[0]) < SAME and abs(v[1]) < SAME:
            raise Undefined
        return mpmath.atan2(v[0], v[1])
    return FUNCTIONS[kind](*v)


def put(e, name, what):
    """e with a symbol replaced."""
    if e[0] == "sym":
        return what if e[1] == name else e
    return tuple(put(part, name, what) if isinstance(part, tuple) else part for part in e)


def names_in(e):
    return {e[1]} if e[0] == "sym" else set().union(*(names_in(part) for part in e[1:] if isinstance(part, tuple)), set())


# --- random formulas


def coefficient(rng, large):
    if large and rng.random() < 0.4:
        return num(rng.choice([-1, 1]) * rng.randint(1, 9) * 10 ** rng.choice([6, 6, 9, 12, 20, 40]))
    return num(Fraction(rng.choice([-1, 1]) * rng.randint(1, 9), rng.choice([1, 1, 1, 2, 3, 7])))


def atom(rng):
    return sym(rng.choice(COORDINATES + PARAMETERS))


def linear(rng, large=False):
    u, v = rng.sample(COORDINATES + PARAMETERS, 2)
    return add(mul(coefficient(rng, large), sym(u)), rng.choice([coefficient(rng, large), mul(coefficient(rng, large), sym(v))]))


def angle(rng):
    u, v = rng.sample(COORDINATES, 2)
    return rng.choice([sym(u), add(sym(u), sym(v)), sub(sym(u), sym(v)), mul(num(2), sym(u)), mul(num(Fraction(1, 2)), sym(u)),
                       add(mul(num(3), sym(u)), mul(num(-2), sym(v)))])


def turn(rng):
    """A constant angle."""
    return mul(num(Fraction(rng.randint(1, 17), rng.choice([3, 4, 5, 6, 8, 9, 10, 12, 18]))), ("pi",))


def polynomial(rng, large):
    return mul(*(linear(rng, large) for _ in range(rng.randint(2, 3))))


def trigonometric(rng, constants=False):
    def factor():
        a = angle(rng)
        if constants:
            a = rng.choice([add(a, turn(rng)), turn(rng)])
        return fun(rng.choice(["sin", "cos"]), a)
    return add(mul(coefficient(rng, False), factor(), factor()), mul(atom(rng), factor()))


def functional(rng):
    u, v = linear(rng), linear(rng)
    positive = add(power(u, 2), num(1))
    return rng.choice([
        lambda: fun("exp", add(u, v)), lambda: fun("log", mul(positive, sym("a"))), lambda: fun("sqrt", power(u, 2)),
        lambda: fun("abs", mul(u, v)), lambda: mul(fun("sqrt", positive), v), lambda: fun("tan", fun("atan2", u, v)),
        lambda: fun("sin", mul(num(2), fun("atan", u))), lambda: add(power(fun("cosh", u), 2), mul(num(-1), power(fun("sinh", u), 2))),
        lambda: power(sym("a"), Fraction(rng.randint(1, 5), rng.choice([2, 3]))), lambda: fun("max", u, v), lambda: fun("tan", angle(rng)),
        lambda: mul(power(mul(sym("a"), sym("b")), Fraction(1, 2)), u), lambda: fun("atan2", mul(sym("a"), u), mul(sym("a"), v)),
        lambda: fun("cos", fun("abs", u)), lambda: fun("exp", fun("log", positive))])()


def quotient(rng, large):
    return add(div(linear(rng, large), linear(rng)), div(atom(rng), add(power(atom(rng), 2), num(rng.randint(1, 3)))))


KINDS = {"product": lambda r: polynomial(r, False), "large literals": lambda r: polynomial(r, True), "angles": trigonometric,
         "constant angles": lambda r: trigonometric(r, True), "functions": functional, "quotients": lambda r: quotient(r, False),
         "large quotients": lambda r: quotient(r, True),
         "mixed": lambda r: add(mul(functional(r), linear(r)), rng_choice(r)(r))}


def rng_choice(rng):
    return rng.choice([lambda r: trigonometric(r), lambda r: quotient(r, False), lambda r: polynomial(r, True)])


# --- sound rewriting


def rewrite_once(rng, e):
    """An equal formula, equal wherever both have a value; e itself where no rule fits."""
    kind, rest = e[0], e[1:]
    half = num(Fraction(1, 2))
    options = []
    if kind in "+*" and len(rest) > 1:
        options.append(lambda: (kind, *rng.sample(rest, len(rest))))
    if kind == "*":
        for i, factor in enumerate(rest):
            if factor[0] == "+":
                others = rest[:i] + rest[i + 1:]
                options += [lambda factor=factor, others=others: add(*(mul(*others, term) for term in factor[1:]))] * 3
        trig = [f for f in rest if f[0] in ("sin", "cos")]
        if len(trig) > 1:
            (f, u), (g, v) = trig[:2]
            others = list(rest)
            others.remove(trig[0])
            others.remove(trig[1])
            if f == g == "sin":
                product = sub(fun("cos", sub(u, v)), fun("cos", add(u, v)))
            elif f == g:
                product = add(fun("cos", sub(u, v)), fun("cos", add(u, v)))
            else:
                if f == "cos":
                    u, v = v, u
                product = add(fun("sin", add(u, v)), fun("sin", sub(u, v)))
            options += [lambda: mul(half, *others, product)] * 3
    if kind == "^" and rest[1] == 2:
        options += [lambda: mul(rest[0], rest[0])] * 2
    if kind == "^" and rest[1].denominator != 1 and rest[0][0] == "sym":
        options.append(lambda: mul(power(rest[0], rest[1] - Fraction(1, 2)), fun("sqrt", rest[0])))
    if kind == "/":
        extra = add(power(atom(rng), 2), num(1))
        options += [lambda: div(mul(rest[0], extra), mul(rest[1], extra)), lambda: mul(rest[0], power(rest[1], -1))]
        if rest[0][0] == "+":
            options.append(lambda: add(*(div(term, rest[1]) for term in rest[0][1:])))
    if kind == "+" and len(rest) > 1 and all(t[0] == "/" for t in rest[:2]):
        (_, u, v), (_, w, z) = rest[:2]
        options.append(lambda: add(div(add(mul(u, z), mul(w, v)), mul(v, z)), *rest[2:]))
    if kind in ("sin", "cos"):
        u = rest[0]
        shift = rng.choice([1, 2])
        if kind == "sin":
            options.append(lambda: fun("cos", add(u, mul(num(Fraction(-1, 2)), ("pi",)))))
            options.append(lambda: mul(num(2), fun("sin", mul(half, u)), fun("cos", mul(half, u))))
        else:
            options.append(lambda: sub(num(1), mul(num(2), power(fun("sin", mul(half, u)), 2))))
            options.append(lambda: fun("sin", add(u, mul(num(Fraction(1, 2)), ("pi",)))))
        options.append(lambda: fun(kind, add(u, mul(num(2 * shift), ("pi",)))))
        # Σ over the regular polygon is 0.
        n = rng.choice([3, 5, 6])
        polygon = [fun(kind, add(u, mul(num(Fraction(2 * k, n)), ("pi",)))) for k in range(1, n)]
        options.append(lambda: neg(add(*polygon)))
        if u[0] == "+":
            v, w = u[1], u[2] if len(u) == 3 else add(*u[2:])
            if kind == "sin":
                options += [lambda: add(mul(fun("sin", v), fun("cos", w)), mul(fun("cos", v), fun("sin", w)))] * 2
            else:
                options += [lambda: sub(mul(fun("cos", v), fun("cos", w)), mul(fun("sin", v), fun("sin", w)))] * 2
        if kind == "sin" and u[0] == "*" and len(u) == 3 and u[1] == num(2) and u[2][0] == "atan":
            options.append(lambda: div(mul(num(2), u[2][1]), add(num(1), power(u[2][1], 2))))
        if kind == "cos" and u[0] == "abs":
            options.append(lambda: fun("cos", u[1]))
    if kind == "tan":
        options.append(lambda: div(fun("sin", rest[0]), fun("cos", rest[0])))
        if rest[0][0] == "atan2":
            options += [lambda: div(rest[0][1], rest[0][2])] * 2
    if kind == "exp" and rest[0][0] == "+":
        options.append(lambda: mul(*(fun("exp", term) for term in rest[0][1:])))
    if kind == "exp" and rest[0][0] == "log":
        options.append(lambda: rest[0][1])
    if kind == "log" and rest[0][0] == "*" and all(f[0] == "+" or f == sym("a") for f in rest[0][1:]):
        options.append(lambda: add(*(fun("log", f) for f in rest[0][1:])))
    if kind == "sqrt" and rest[0][0] == "^" and rest[0][2] == 2:
        options.append(lambda: fun("abs", rest[0][1]))
    if kind == "abs":
        options += [lambda: fun("sqrt", power(rest[0], 2)), lambda: fun("abs", neg(rest[0])), lambda: fun("max", rest[0], neg(rest[0]))]
    if kind == "max":
        u, v = rest
        options.append(lambda: mul(half, add(u, v, fun("abs", sub(u, v)))))
    if kind == "num" and e[1] != 0:
        n = Fraction(rng.choice([1, 7, 10 ** 6]))
        options.append(lambda: add(num(e[1] + n), num(-n)))
    return rng.choice(options)() if options else e


def rewritten(rng, e, steps):
    for _ in range(steps):
        e = somewhere(rng, e, lambda part: rewrite_once(rng, part))
    return e


def somewhere(rng, e, change):
    inner = [i for i, part in enumerate(e) if i > 0 and isinstance(part, tuple)]
    if inner and rng.random() < 0.75:
        i = rng.choice(inner)
        return e[:i] + (somewhere(rng, e[i], change),) + e[i + 1:]
    return change(e)


def mutated(rng, e):
    """By a coefficient, a sign, a power or an angle; often another formula, not always."""
    def change(part):
        if part[0] == "num":
            return num(part[1] * rng.choice([-1, 2, Fraction(101, 100), 1 + Fraction(1, 10 ** rng.choice([6, 9, 12, 20]))]))
        if part[0] == "^" and part[2].denominator == 1:
            return power(part[1], part[2] + rng.choice([1, -1]) or 3)
        if part[0] == "sin":
            return rng.choice([fun("cos", part[1]), fun("sin", mul(num(2), part[1])), fun("sin", add(part[1], num(Fraction(1, 10 ** 9))))])
        if part[0] == "cos":
            return rng.choice([fun("sin", part[1]), fun("cos", mul(num(3), part[1])), neg(part)])
        if part[0] == "sym":
            return mul(num(rng.choice([-1, 2, Fraction(999, 1000)])), part)
        if part[0] == "+":
            return add(neg(part[1]), *part[2:])
        return rng.choice([neg(part), mul(num(1 + Fraction(1, 10 ** 10)), part)])
    return somewhere(rng, e, change)


# --- conditions: (text, symbol, its formula on the branch that claims are made for, further branches as changes of a point)


def conditions(rng):
    r = linear(rng)
    r = put(put(r, "x", num(2)), "a", sym("b"))
    k = rng.randint(1, 5)
    zero = num(0)
    return rng.choice([
        ([f"x = {text(r)}"], "x", r, []),
        (["x*y = 0"], "x", zero, [{"y": zero}]),
        (["x*y = x"], "x", zero, [{"y": num(1)}]),
        (["(a - b)*x = 0"], "x", zero, [{"a": sym("b")}]),
        ([f"x*(a - {k}) = 0"], "x", zero, [{"a": num(k)}]),
        (["x*sin(y) = 0"], "x", zero, [{"y": zero}, {"y": ("pi",)}]),
        ([f"{k}*x + b*y = 0"], "x", mul(num(Fraction(-1, k)), sym("b"), sym("y")), []),
        (["a*x = y"], "x", div(sym("y"), sym("a")), []),
        (["x = 0", "y*x = 0"], "x", zero, []),
        (["x^2 + y^2 = a^2"], "a", fun("sqrt", add(power(sym("x"), 2), power(sym("y"), 2))), []),
        (["x = y"], "x", sym("y"), []),
        (["x*cos(z) = y*sin(z)"], "x", div(mul(sym("y"), fun("sin", sym("z"))), fun("cos", sym("z"))), [])])


def factor_of_equation(rng):
    """(factor, whether an equation times it is the same one)"""
    return rng.choice([(num(3), True), (sym("a"), True), (sub(sym("a"), sym("b")), True), (add(power(sym("x"), 2), num(1)), True),
                       (sym("y"), False), (fun("sin", sym("x")), False), (fun("exp", sym("x")), True)])


# --- one batch


def random_point(rng):
    at = {name: mpf(rng.randint(-40, 40)) / 16 + mpf(rng.random()) / 64 for name in COORDINATES}
    at.update({name: mpf(rng.randint(8, 60)) / 16 + mpf(rng.random()) / 64 for name in PARAMETERS})
    at["acceleration"] = mpf(rng.randint(-40, 40)) / 16 + mpf(rng.random()) / 64
    at.update({name + "'": mpf(rng.randint(-40, 40)) / 16 + mpf(rng.random()) / 64 for name in COORDINATES})
    return at


class Pair:
    shows_a_state = True

    def __init__(self, rng):
        self.kind = rng.choice(list(KINDS))
        self.made_true = rng.random() < 0.5
        self.given, self.symbol, self.branch, self.others = [], None, None, []
        self.left = KINDS[self.kind](rng)
        self.factor = None
        right = self.left
        if rng.random() < 0.35:
            self.given, self.symbol, self.branch, self.others = conditions(rng)
            if rng.random() < 0.8:
                right = put(right, self.symbol, self.branch)
        elif rng.random() < 0.25:
            self.factor, self.same = factor_of_equation(rng)
        right = rewritten(rng, right, rng.randint(2, 8))
        if not self.made_true:
            right = mutated(rng, right)
        self.right = right

    def can_be_written(self, rng):
        """A formula that divides by 0 wherever it is looked at may do so as it is written, which is an error of the model."""
        return any(defined(self.right, random_point(rng)) for _ in range(4)) and any(defined(self.left, random_point(rng)) for _ in range(4))

    def group(self):
        return ("equation: " if self.factor else "given: " if self.given else "") + self.kind

    def points(self, rng, count):
        """Points that satisfy the conditions, on every branch in turn."""
        for i in range(count):
            at = random_point(rng)
            branch = i % (1 + len(self.others))
            changes = {self.symbol: self.branch} if branch == 0 else self.others[branch - 1]
            if self.symbol:
                try:
                    at.update({name: value(e, at) for name, e in changes.items()})
                except Undefined:
                    continue
            yield at

    def shown(self, point):
        """The point that a verdict shows, with the conditions' symbol on the branch that claims are made for."""
        at = random_point(random.Random(0))
        at.update({name: mpf(v) for name, v in point["at"].items()})
        for changes in [{self.symbol: self.branch} if self.symbol else {}, *self.others]:
            try:
                yield {**at, **{name: value(e, at) for name, e in changes.items()}}
            except Undefined:
                continue

    def values(self, at):
        try:
            return value(self.left, at), value(self.right, at)
        except (Undefined, OverflowError, ZeroDivisionError):
            return None


# --- the motion of two masses a and b on one constraint (and of a third by itself): M = diag(a, b), W q" + gamma = 0


def derivative(e, name):
    """Of sums, products, whole powers, sines and cosines."""
    kind = e[0]
    if kind in ("num", "pi"):
        return num(0)
    if kind == "sym":
        return num(int(e[1] == name))
    if kind == "+":
        return add(*(derivative(part, name) for part in e[1:]))
    if kind == "*":
        return add(*(mul(*(derivative(p, name) if i == k else p for i, p in enumerate(e[1:]))) for k in range(len(e) - 1)))
    if kind == "^":
        return mul(num(e[2]), power(e[1], e[2] - 1) if e[2] != 1 else num(1), derivative(e[1], name))
    inner = derivative(e[1], name)
    return mul(fun("cos", e[1]), inner) if kind == "sin" else mul(num(-1), fun("sin", e[1]), inner)


class System:
    """G and W as formulas; accelerations and the multiplier in numbers."""

    def __init__(self, rng):
        x, y = sym("x"), sym("y")
        number = lambda: num(Fraction(rng.choice([-1, 1]) * rng.randint(1, 5), rng.choice([1, 1, 2, 3])))
        self.potential = add(mul(number(), sym("c"), y), rng.choice([mul(number(), power(x, 2)), mul(number(), fun("cos", x)), mul(number(), x, y)]))
        self.h = rng.choice([lambda: add(power(x, 2), power(y, 2), num(-4)), lambda: add(mul(number(), x), mul(number(), y)),
                             lambda: add(y, mul(number(), power(x, 2))), lambda: add(y, mul(number(), fun("sin", x))),
                             lambda: add(mul(x, y), num(-1)), lambda: add(mul(number(), power(x, 2)), mul(sym("c"), power(y, 2)), num(-3))])()
        self.G = [derivative(self.potential, name) for name in "xy"]
        self.W = [derivative(self.h, name) for name in "xy"]
        self.gamma = add(*(mul(derivative(w, name), sym(first + "'"), sym(name + "'")) for w, first in zip(self.W, "xy") for name in "xy"))
        masses = [sym("a"), sym("b")]
        above = sub(add(*(div(mul(w, g), m) for w, g, m in zip(self.W, self.G, masses))), self.gamma)
        self.multiplier = div(above, add(*(div(power(w, 2), m) for w, m in zip(self.W, masses))))
        self.by_multiplier = [div(sub(mul(w, sym("lambda(rod)")), g), m) for w, g, m in zip(self.W, self.G, masses)]

    def motion(self, at):
        """x", y", lambda from the KKT system."""
        w, g = [value(e, at) for e in self.W], [value(e, at) for e in self.G]
        matrix = mpmath.matrix([[at["a"], 0, -w[0]], [0, at["b"], -w[1]], [w[0], w[1], 0]])
        if abs(mpmath.det(matrix)) < SAME:
            raise Undefined
        return mpmath.lu_solve(matrix, mpmath.matrix([-g[0], -g[1], -value(self.gamma, at)]))


class MotionPair(Pair):
    def __init__(self, rng, system):
        self.system, self.kind = system, "motion"
        self.made_true = rng.random() < 0.5
        self.given, self.symbol, self.branch, self.others, self.factor = [], None, None, [], None
        self.which = rng.choice([0, 1, 2])
        self.shows_a_state = self.which == 2 or rng.random() < 0.5  # else lambda may be used in it, and be shown as it is not
        if self.which == 2:
            right = system.multiplier
        else:
            right = system.by_multiplier[self.which]
            if self.shows_a_state:
                right = put(right, "lambda(rod)", system.multiplier)
        right = rewritten(rng, right, rng.randint(0, 5))
        self.right = right if self.made_true else mutated(rng, right)
        self.left = sym("acceleration")

    def entry(self):
        return ["qdd[x]", "qdd[y]", "lambda[rod]"][self.which]

    def values(self, at):
        try:
            motion = self.system.motion(at)
            return motion[self.which], value(self.right, {**at, "lambda(rod)": motion[2]})
        except (Undefined, OverflowError, ZeroDivisionError):
            return None

    def can_be_written(self, rng):
        return any(self.values(random_point(rng)) for _ in range(4))


def motion_model_text(system, pairs):
    lines = ['name = "judged"', 'coordinates = ["x", "y", "z"]', "[parameters]", "a = 1.5", "b = 0.7", "c = 2.5", "[energy]",
             "kinetic = \"a/2*x'^2 + b/2*y'^2 + z'^2/2\"", f'potential = "{text(system.potential)}"', "[[constraint]]", 'name = "rod"',
             f'holonomic = "{text(system.h)}"']
    for pair in pairs:
        lines += ["[[claim]]", f'entry = "{pair.entry()}"', f'equals = "{text(pair.right)}"']
    return "\n".join(lines) + "\n"


def batches(rng, count, motions):
    """(pairs, model): pairs of formulas first, then claims about motions, ten of each system."""
    def filled(size, make):
        pairs = []
        while len(pairs) < size:
            pair = make()
            if pair.can_be_written(rng):
                pairs.append(pair)
        return pairs
    for start in range(0, count, BATCH):
        pairs = filled(min(BATCH, count - start), lambda: Pair(rng))
        yield pairs, model_text(pairs)
    for start in range(0, motions, BATCH // 2):
        system = System(rng)
        pairs = filled(min(BATCH // 2, motions - start), lambda system=system: MotionPair(rng, system))
        yield pairs, motion_model_text(system, pairs)


def defined(e, at):
    try:
        value(e, at)
    except (Undefined, OverflowError, ZeroDivisionError):
        return False
    return True


def differ(pair):
    u, v = pair
    return abs(u - v) > SAME * max(abs(u), abs(v), mpf(10) ** -10)


def assumed_holds(assuming, at):
    names = {name: getattr(mpmath, name) for name in ("sin", "cos", "tan", "exp", "sqrt", "log", "atan", "atan2", "sinh", "cosh", "tanh", "pi")}
    names.update({name.replace("'", "_dot"): v for name, v in at.items()}, abs=abs, max=max, min=min)
    for condition in assuming:
        condition = condition.replace("'", "_dot")
        python = re.sub(r"(?<![\w.])(\d+(\.\d+)?)", r"mpf('\1')", condition.replace("^", "**"))
        left, relation, right = re.match(r"(.*) (!=|>|<) (.*)", python).groups()
        difference = eval(f"({left}) - ({right})", {"mpf": mpf, **names})  # text that the program under test printed
        if relation == "!=" and abs(difference) < SAME or relation == ">" and difference <= 0 or relation == "<" and difference >= 0:
            return False
    return True


def judge(pair, verdict, rng):
    """What is wrong with a verdict, or nothing."""
    said = verdict["verdict"]
    if said == "undecided":
        return None
    if pair.factor:
        points = list(pair.points(rng, POINTS))
        if said == "disproved" and verdict["point"]:
            points = list(pair.shown(verdict["point"])) + points
        truly = all(not differ(v) for v in filter(None, map(pair.values, points)))
        expected = "proved" if truly and pair.same else "disproved"
        if said != expected:
            return f"says {said}, is {expected}"
        if said == "proved" and text(pair.factor) == text(sub(sym("a"), sym("b"))) and not verdict["assuming"]:
            return "says proved without a != b"
        return None
    seen = 0
    points = list(pair.points(rng, POINTS if said == "proved" else 6 * POINTS))
    if said == "disproved":
        points = list(pair.shown(verdict["point"])) + points
    for at in points:
        if not assumed_holds(verdict["assuming"], at):
            continue
        both = pair.values(at)
        if both is None:
            continue
        seen += 1
        if said == "proved" and differ(both):
            return f"says proved, differs at {({k: mpmath.nstr(v, 8) for k, v in at.items()})}: {mpmath.nstr(both[0], 20)}, {mpmath.nstr(both[1], 20)}"
        if said == "disproved" and differ(both):
            break
    else:
        if said == "disproved":
            return "says disproved, no point differs"
        if seen == 0:
            return "says proved, and has a value nowhere"
    if said == "disproved" and not pair.given and pair.shows_a_state:
        return judge_point(pair, verdict["point"])
    return None


def judge_point(pair, point):
    at = random_point(random.Random(0))
    at.update({name: mpf(v) for name, v in point["at"].items()})
    both = pair.values(at)
    if both is None or not differ(both):
        return f"shows a point that is none: {point}"
    for ours, digits in zip(both, (point["correct_digits"], point["claimed_digits"])):
        if abs(ours) < mpf(10) ** -140 * max(map(abs, both)):
            ours = mpf(0)  # what 160 digits leave of terms that cancel
        if abs(ours - mpf(digits)) > mpf(10) ** -4 * max(abs(ours), mpf(10) ** -300):
            return f"shows {digits} where the value is {mpmath.nstr(ours, 20)}"
    return "shows one number for two" if point["correct_digits"] == point["claimed_digits"] else None


def model_text(pairs):
    names = list(COORDINATES) + [f"w{i}" for i in range(len(pairs))]
    lines = ['name = "judged"', f"coordinates = {json.dumps(names)}", "[parameters]", "a = 1.5", "b = 0.7", "c = 2.5", "[energy]",
             'kinetic = "' + " + ".join(f"{name}'^2/2" for name in names) + '"']
    for i, pair in enumerate(pairs):
        lines += ["[[force]]", f'coordinate = "w{i}"', f'value = "{text(pair.left)}"']
    for i, pair in enumerate(pairs):
        lines += ["[[claim]]"]
        if pair.factor:
            lines += [f'entry = "eom[w{i}]"', f'equals = "{text(pair.factor)}*(w{i}\'\' - {text(pair.right)}) = 0"']
        else:
            lines += [f'entry = "F[w{i}]"', f'equals = "{text(pair.right)}"']
        if pair.given:
            lines.append(f"given = {json.dumps(pair.given)}")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dalembert", required=True)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--motions", type=int, help="claims about accelerations and multipliers; a quarter of --count")
    parser.add_argument("--seed", type=int, default=int(os.environ.get("DALEMBERT_TEST_SEED", "1")))
    parser.add_argument("--patience", type=float, default=60, help="seconds for each model of 20 claims")
    parser.add_argument("--keep", help="folder for the models")
    arguments = parser.parse_args()
    rng, at_points = random.Random(arguments.seed), random.Random(arguments.seed)
    wrong, total, undecided, verdicts = 0, Counter(), Counter(), Counter()
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "judged.toml"
        motions = arguments.count // 4 if arguments.motions is None else arguments.motions
        for start, (pairs, model) in enumerate(batches(rng, arguments.count, motions)):
            path.write_text(model, encoding="utf-8")
            if arguments.keep:
                pathlib.Path(arguments.keep, f"judged{start}.toml").write_text(path.read_text(), encoding="utf-8")
            try:
                done = subprocess.run([arguments.dalembert, "audit", "--json", str(path)], capture_output=True, text=True, check=False,
                                      timeout=arguments.patience)
            except subprocess.TimeoutExpired:
                wrong += 1
                print(f"NO ANSWER in {arguments.patience} s: batch {start}")
                continue
            if done.returncode not in (0, 4):
                path = pathlib.Path(folder) / "failed.toml"
                pathlib.Path(tempfile.gettempdir(), "judge_failed.toml").write_text(model, encoding="utf-8")
                sys.exit(f"audit failed with {done.returncode}:\n{done.stderr[:4000]}")
            for pair, verdict in zip(pairs, json.loads(done.stdout)["claims"]):
                group = (pair.group(), "true" if pair.made_true else "false")
                total[group] += 1
                verdicts[verdict["verdict"]] += 1
                undecided[group] += verdict["verdict"] == "undecided"
                problem = judge(pair, verdict, at_points)
                if problem:
                    wrong += 1
                    print(f"WRONG {problem}\n  {text(pair.left)}\n  {text(pair.right)}\n  factor {pair.factor and text(pair.factor)} given {pair.given} "
                          f"assuming {verdict['assuming']} note {verdict['note']}")
    for group in sorted(total):
        print(f"{group[0]:28s} made {group[1]:5s} {total[group]:5d} pairs, {undecided[group]:4d} undecided ({100 * undecided[group] / total[group]:.0f} %)")
    print(f"{sum(total.values())} pairs (seed {arguments.seed}): {dict(verdicts)}, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
