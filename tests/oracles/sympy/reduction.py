# SPDX-License-Identifier: Apache-2.0
"""Holds the formulas of `derive --json --only S,reduced` against numbers (theory.md, section 4).

S and s₀ come from solving [W; Y] at one state with 40 digits, their rates from differentiating [W; Y] along that motion: no
elimination of formulas is repeated here. The definitions of the quasi-velocities are taken from the document.
"""

import random
import re

import sympy
from mpmath import mp

from model_language import Parser, quantity
from oracle import Evaluator, independent_rows, solve_kkt


class Printed:
    """What names mean in a printed formula: those of the model; quasi-velocities, actuations and prescribed accelerations are symbols of their own."""

    def __init__(self, model, names):
        self.structure, self.v_of, self.model = model.structure, model.v_of, model
        self.own = {n: sympy.Symbol("w:" + n, real=True) for n in names}

    def symbol(self, name):
        return self.own[name] if name in self.own else self.model.symbol(name)

    def read(self, text):
        text = re.sub(r"actuation\((\w+)\)", r"actuation_of_\1", text)
        return Parser(re.sub(r"(\w+)''", r"acceleration_of_\1", text), self).parse()


def values_at(model, state):
    number = Evaluator({})
    values = {model.t: number(quantity(state.get("t", 0)))}
    for n, p in model.p_of.items():
        values[p] = number(quantity(state.get("parameters", {}).get(n, model.parameters[n])))
    for n in model.coordinates:
        values[model.q_of[n]] = number(quantity(state["q"][n]))
    at = Evaluator(values)
    for n, u in model.u_of.items():
        given = state.get("inputs", {}).get(n)
        values[u] = at(model.inputs[n]) if given is None else number(quantity(given))
    return values


def differences(model, document, state, tolerance):
    """Lines saying where the formulas are not what the numbers say; None where S is not unique at this state."""
    names = document["quasi_velocities"]
    driven = list(document.get("actuated", ()))  # by forces that may have any value here
    printed = Printed(model, names + [f"actuation_of_{n}" for n in driven] + [f"acceleration_of_{n}" for n in driven])
    values, rng = values_at(model, state), random.Random(0)
    v, tau = ([mp.mpf(rng.uniform(-1, 1)) for _ in some] for some in (names, driven))
    definitions = [printed.read(document["definitions"][n]) for n in names]
    rest = {s: 0 for s in model.v}
    here = Evaluator({**values, **{s: mp.mpf(0) for s in model.v}})
    N = len(model.q)
    # Of rows that depend on each other as many as are independent.
    kept = independent_rows([[here(e) for e in row] for row in model.W], len(model.W), N)
    rows = [(model.W[i], model.a[i]) for i in kept]
    rows += [([sympy.diff(e, s) for s in model.v], e.subs(rest)) for e in definitions]
    m = len(kept)
    if m + len(names) != N:
        return [f"quasi_velocities: {len(names)} of them beside {m} rows, for {N} coordinates"]
    K = mp.matrix([[here(e) for e in row] for row, _ in rows])
    if len(independent_rows([[K[i, j] for j in range(N)] for i in range(N)], N, N)) < N:
        return None
    constant = mp.matrix([-here(rest_of) for _, rest_of in rows])
    s0 = mp.lu_solve(K, constant)
    unit = lambda k: mp.matrix([1 if i == m + k else 0 for i in range(N)])
    S = [mp.lu_solve(K, unit(k)) for k in range(len(names))]  # columns
    qdot = [s0[i] + sum(S[k][i] * v[k] for k in range(len(v))) for i in range(N)]
    at = Evaluator({**values, **dict(zip(model.v, qdot)), **dict(zip(printed.own.values(), v + tau))})
    Kdot = mp.matrix([[at(model.rate(e)) for e in row] for row, _ in rows])
    constant_dot = mp.matrix([-at(model.rate(rest_of)) for _, rest_of in rows])
    Sdot = [mp.lu_solve(K, -(Kdot * column)) for column in S]
    s0dot = mp.lu_solve(K, constant_dot - Kdot * s0)
    M = mp.matrix([[at(e) for e in row] for row in model.M])
    force = mp.matrix([at(b) + at(g) - at(f) for b, g, f in zip(model.B, model.G, model.F)])
    for n, x in zip(driven, tau):
        force[list(model.coordinates).index(n)] -= x
    swept = s0dot
    for k in range(len(v)):
        swept = swept + Sdot[k] * v[k]
    inertia = M * swept + force
    Mr = [[(a.T * M * b)[0] for b in S] for a in S]
    br = [(a.T * inertia)[0] for a in S]
    # A shape may be singular; equations that are printed are not.
    solvable = v and document["reduced"] is not None
    vdot = mp.lu_solve(mp.matrix(Mr), -mp.matrix(br)) if solvable else []
    # Prescribed accelerations stand for themselves in what is solved for.
    accelerations = [vdot[names.index(n + "'")] if solvable and n + "'" in names else mp.nan for n in driven]
    at = Evaluator({**values, **dict(zip(model.v, qdot)), **dict(zip(printed.own.values(), v + tau + accelerations))})
    _, lam, _ = solve_kkt([[M[i, j] for j in range(N)] for i in range(N)], [[at(e) for e in row] for row in model.W],
                          list(-force), [at(e) for e in model.gamma])

    reduced, columns = document["reduced"], range(len(v))
    claims = [("S", document["S"], [[S[k][i] for k in columns] for i in range(N)]),
              ("Sdot", document["Sdot"], [[Sdot[k][i] for k in columns] for i in range(N)]),
              ("s0", [document["s0"]], [list(s0)])]
    if reduced is not None:  # not too large
        claims += [("M", reduced["M"], Mr), ("b", [reduced["b"]], [br])]
    if reduced and reduced["vdot"] and all(text is not None for text in reduced["vdot"]):
        claims.append(("vdot", [reduced["vdot"]], [list(vdot)]))
    if reduced and reduced.get("lambda") and all(text is not None for text in reduced["lambda"]) and lam is not None and m == len(model.W):
        claims.append(("lambda", [reduced["lambda"]], [list(lam)]))
    if reduced and reduced.get("actuation"):
        claims.append(("actuation", [[reduced["actuation"][n] for n in driven]], [tau]))
    lines = []
    for what, texts, expected in claims:
        scale = max([abs(x) for row in expected for x in row] + [mp.mpf(1)])
        for i, (text_row, row) in enumerate(zip(texts, expected)):
            for j, (text, x) in enumerate(zip(text_row, row)):
                error = abs(at(printed.read(text)) - x) / scale
                if not error <= tolerance:
                    lines.append(f"{what}[{i},{j}] = {text}: expected {mp.nstr(x, 15)}, off by {mp.nstr(error, 3)}")
    if reduced is None:
        return lines
    q = set(model.q) | {model.t}
    open_ = any(printed.read(t).free_symbols & q for row in reduced["M"] + [reduced["b"]] for t in row)
    if reduced["closed"] and open_:
        lines.append("closed: but q or t is in M or b")
    return lines
