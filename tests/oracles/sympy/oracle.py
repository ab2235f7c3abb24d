#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An independent answer to `dalembert eval MODEL --at STATE --json`.

Reads a model file, writes down T, V, the forces and the constraints with SymPy, differentiates them as a textbook
would, and evaluates every term at one state with 40 digits. It shares no code and no method with the C++ tree: no
expression graph, no canonical form, no double arithmetic. Read beside it: theory.md, model-format.md, command-line.md.

    oracle.py MODEL.toml [--at STATE.json]

Covers: coordinates, parameters, structure, define, gravity, frames, points and bodies in the plane and in space (angular
velocities from RᵀṘ), energy, springs, dampers, holonomic / pfaffian / coincide / distance / no_slip / no_skid constraints,
the five kinds of force, inputs and prescribed coordinates that are expressions of time, quasi-velocities, initial, outputs.
Anything else is refused by name.
"""

import argparse
import json
import random
import sys
import tomllib

import sympy
from mpmath import mp

from model_language import NotCovered, OracleError, exact, quantity, repeat, Parser

mp.dps = 40
RANK_TOLERANCE = mp.mpf(10) ** -12  # states come as doubles, so a singular one is singular to 1e-16 only


# ---- the model --------------------------------------------------------------------------------------------------

SECTIONS = {"name", "description", "reference", "coordinates", "parameters", "structure", "define", "gravity", "frame",
            "point", "body", "energy", "spring", "damper", "constraint", "force", "inputs", "initial", "outputs",
            "simulation", "quasi_velocities", "prescribed", "claim", "draw", "event"}  # events change no term at a state


def length(vector):
    return sympy.sqrt(sum(c**2 for c in vector))


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def product(A, B):
    return [[sum(A[i][k] * B[k][j] for k in range(len(B))) for j in range(len(B[0]))] for i in range(len(A))]


def times(A, x):
    return [sum(a * c for a, c in zip(row, x)) for row in A]


def transposed(A):
    return [list(column) for column in zip(*A)]


def identity(n):
    return [[sympy.Integer(int(i == j)) for j in range(n)] for i in range(n)]


def turn(axis, angle):
    """Rotation about an axis, Rodrigues' formula; in the plane with no axis."""
    c, s = sympy.cos(angle), sympy.sin(angle)
    if axis is None:
        return [[c, -s], [s, c]]
    n = {"x": [1, 0, 0], "y": [0, 1, 0], "z": [0, 0, 1]}[axis] if isinstance(axis, str) else axis
    size = length([sympy.sympify(x) for x in n])
    n = [x / size for x in n]
    K = [[0, -n[2], n[1]], [n[2], 0, -n[0]], [-n[1], n[0], 0]]
    return [[sympy.Integer(int(i == j)) * c + (1 - c) * n[i] * n[j] + s * K[i][j] for j in range(3)] for i in range(3)]


def vanishes(e):
    """Whether an expression is 0 for any values, told by random ones."""
    e, rng = sympy.sympify(e), random.Random(str(e))
    return abs(Evaluator({s: mp.mpf(rng.uniform(0.3, 0.9)) for s in e.free_symbols})(e)) < mp.mpf(10) ** -25


class Frame:
    """Origin and axes in ground; in the plane also the angle."""

    def __init__(self, origin, R, angle=None):
        self.origin, self.R, self.angle = origin, R, angle


class Model:
    """T, V, R, forces and constraints of a model file, as SymPy expressions in q, v = q̇, t and named constants."""

    def __init__(self, text):
        data = tomllib.loads(text, parse_float=exact)
        for key in data:
            if key == "friction":
                raise NotCovered("friction is not covered")
            if key not in SECTIONS:
                raise OracleError(f"section `{key}` is unknown here")
        self.data, self.name = data, data.get("name", "")
        self.structure = dict(data.get("structure", {}))
        self.coordinates = []
        for c in repeat(data["coordinates"], self.structure):
            self.coordinates.append(c if isinstance(c, str) else c["name"])
        real = lambda prefix, names: [sympy.Symbol(prefix + n, real=True) for n in names]
        self.q, self.v = real("q:", self.coordinates), real("v:", self.coordinates)
        self.t = sympy.Symbol("t", real=True)
        self.q_of = dict(zip(self.coordinates, self.q))
        self.v_of = dict(zip(self.coordinates, self.v))
        # Parameters stay symbols to the end: a state may change them.
        self.parameters = {n: quantity(v) for n, v in data.get("parameters", {}).items()}
        self.p_of = {n: sympy.Symbol("p:" + n, real=True) for n in self.parameters}
        self.u_of = {n: sympy.Symbol("u:" + n, real=True) for n in data.get("inputs", {})}
        self.defines, self.open = dict(data.get("define", {})), []
        self.points = {p["name"]: p for p in repeat(data.get("point", []), self.structure)}
        self.frames = {f["name"]: f for f in repeat(data.get("frame", []), self.structure)}
        self.cache = {}
        self.quasi = dict(data.get("quasi_velocities", {}))
        self.inputs = {n: self.expression(v) for n, v in data.get("inputs", {}).items()}
        self.gravity = [self.expression(c) for c in data.get("gravity", [])]
        self.energies()
        self.constraints()
        self.forces()
        self.quasi_velocities = {n: self.symbol(n) for n in self.quasi}
        self.prescribed = {}
        for n, value in data.get("prescribed", {}).items():
            if isinstance(value, dict):
                raise NotCovered(f"prescribed `{n}`: samples are not covered")
            self.prescribed[n] = self.expression(value)
        self.outputs = {n: self.expression(v) for n, v in data.get("outputs", {}).items()}

    # -- names

    def expression(self, value):
        if not isinstance(value, str):
            return sympy.sympify(value)
        try:
            return Parser(value, self).parse()
        except OracleError:
            try:
                return quantity(value)  # a number and a unit
            except OracleError:
                pass
            raise

    def symbol(self, name):
        for table in (self.q_of, self.p_of, self.u_of):
            if name in table:
                return table[name]
        if name in self.structure:
            return sympy.Integer(self.structure[name])
        if name == "t":
            return self.t
        if name == "pi":
            return sympy.pi
        if name in self.quasi:
            return self.once(("quasi-velocity", name), lambda: self.expression(self.quasi[name]))
        if name in self.defines:
            return self.once(("define", name), lambda: self.expression(self.defines[name]))
        raise OracleError(f"unknown symbol `{name}`")

    def once(self, key, make):
        """The value of a define, point or frame, computed once; a cycle is an error."""
        if key not in self.cache:
            if key in self.open:
                raise OracleError(f"{key[0]} `{key[1]}` depends on itself")
            self.open.append(key)
            self.cache[key] = make()
            self.open.pop()
        return self.cache[key]

    def rate(self, expression):
        """d/dt along the motion, of an expression of q and t."""
        if expression.free_symbols & set(self.v):
            raise OracleError("dot() of an expression with velocities")
        return sympy.diff(expression, self.t) + sum(sympy.diff(expression, q) * v for q, v in zip(self.q, self.v))

    # -- geometry

    def frame(self, name):
        """A frame; the ground is None: it has as many axes as what is placed in it."""
        def make():
            f = self.frames[name]
            if "quaternion" in f:
                raise NotCovered(f"frame `{name}`: quaternions are not covered")
            turns, parent = f.get("rotate", 0), self.frame(f.get("parent", "ground"))
            size = 3 if isinstance(turns, list) or len(f.get("origin", self.gravity)) == 3 else 2
            R = parent.R if parent else identity(size)
            origin = self.placed(parent, f["origin"]) if "origin" in f else parent.origin if parent else [0] * size
            if isinstance(turns, list):
                for axis, angle in turns:
                    R = product(R, turn(axis, self.expression(angle)))
                return Frame(origin, R)
            angle = self.expression(turns)
            if len(R) == 2:
                return Frame(origin, product(R, turn(None, angle)), angle + (parent.angle if parent else 0))
            return Frame(origin, R)
        return None if name == "ground" else self.once(("frame", name), make)

    def frame_entry(self, name, i, j):
        return self.frame(name).R[i - 1][j - 1]

    def placed(self, frame, at):
        """A position given in a frame, in ground."""
        local = [self.expression(c) for c in at]
        return local if frame is None else [o + x for o, x in zip(frame.origin, times(frame.R, local))]

    def spin(self, frame):
        """Angular velocity along the ground axes, from ṘRᵀ; in the plane a list of one."""
        if len(frame.R) == 2:
            return [self.rate(frame.angle)]
        Rdot = [[self.rate(e) for e in row] for row in frame.R]
        Omega = product(Rdot, transposed(frame.R))
        return [Omega[2][1], Omega[0][2], Omega[1][0]]

    def material_velocity(self, point, frame):
        """Of what moves with the frame and is at the point now; without a frame of the point itself."""
        if frame is None:
            return [self.rate(c) for c in point]
        arm, w = [p - o for p, o in zip(point, frame.origin)], self.spin(frame)
        swept = [-w[0] * arm[1], w[0] * arm[0]] if len(arm) == 2 else cross(w, arm)
        return [self.rate(o) + x for o, x in zip(frame.origin, swept)]

    def point(self, name):
        if name not in self.points:
            raise OracleError(f"unknown point `{name}`")
        p = self.points[name]
        place = lambda: self.rim(**p["rim"]) if "rim" in p else self.placed(self.frame(p.get("frame", "ground")), p["at"])
        return self.once(("point", name), place)

    def rim(self, frame, axis, radius):
        """The lowest point of the rim: from the centre down along the disk's plane."""
        disk, axis = self.frame(frame), [self.expression(c) for c in axis]
        n = times(disk.R, [c / length(axis) for c in axis])
        values = {p: self.parameters[n] for n, p in self.p_of.items()}
        down = 1 if self.gravity and self.gravity[2].subs(values) > 0 else -1
        along = [down * ((1 if i == 2 else 0) - n[2] * c) for i, c in enumerate(n)]
        return [o + self.expression(radius) * c / length(along) for o, c in zip(disk.origin, along)]

    def component(self, name, axis):
        return self.point(name)["xyz".index(axis)]

    def between(self, names):
        return [b - a for a, b in zip(self.point(names[0]), self.point(names[1]))]

    # -- energy

    def energies(self):
        T = V = R = sympy.Integer(0)
        self.omegas = {}
        for b in repeat(self.data.get("body", []), self.structure):
            mass = self.expression(b["mass"])
            if "frame" in b:
                frame = self.frame(b["frame"])
                position = self.placed(frame, b["com"]) if "com" in b else frame.origin
                omega = self.spin(frame)
            else:
                position, frame = [self.expression(c) for c in b["position"]], None
                omega = [self.rate(self.expression(b.get("angle", 0)))]
            self.omegas[b["name"]] = omega
            T += mass / 2 * sum(self.rate(c) ** 2 for c in position)
            if "inertia" in b:
                if len(position) == 2:
                    T += self.expression(b["inertia"]) / 2 * omega[0] ** 2
                else:
                    body, I = times(transposed(frame.R), omega), b["inertia"]
                    entry = lambda i, j: self.expression(I[i][j]) if isinstance(I[0], list) else self.expression(I[i]) if i == j else 0
                    T += sum(entry(i, j) * body[i] * body[j] for i in range(3) for j in range(3)) / 2
            V -= mass * sum(g * r for g, r in zip(self.gravity, position))
        for s in repeat(self.data.get("spring", []), self.structure):
            k, rest = self.expression(s["stiffness"]), self.expression(s.get("rest", 0))
            if "coordinate" in s:
                V += k / 2 * (self.q_of[s["coordinate"]] - rest) ** 2
            else:
                d = self.between(s["between"])
                V += k / 2 * (sum(c**2 for c in d) if rest == 0 else (length(d) - rest) ** 2)
        for s in repeat(self.data.get("damper", []), self.structure):
            c = self.expression(s["damping"])
            if "coordinate" in s:
                R += c / 2 * self.v_of[s["coordinate"]] ** 2
            else:
                d = self.between(s["between"])
                R += c / 2 * (sum(x * self.rate(x) for x in d) / length(d)) ** 2
        energy = self.data.get("energy", {})
        T += self.expression(energy.get("kinetic", 0))
        V += self.expression(energy.get("potential", 0))
        R += self.expression(energy.get("dissipation", 0))
        if "lagrangian" in energy:
            L = self.expression(energy["lagrangian"])
            at_rest = L.subs({v: 0 for v in self.v})
            T, V = T + L - at_rest, V - at_rest
        self.T, self.V, self.R = T, V, R

    # -- constraints

    def constraints(self):
        self.rows, self.row_expressions, self.holonomic = [], [], []
        for c in repeat(self.data.get("constraint", []), self.structure):
            name, kinds = c["name"], [k for k in c if k not in ("name", "frame")]
            if "contact" in c or "unilateral" in c or {"at_most", "at_least"} & set(c.get("distance", {})):
                raise NotCovered(f"constraint `{name}`: one-sided constraints are not covered")
            if len(kinds) != 1 or kinds[0] not in ("holonomic", "pfaffian", "coincide", "distance", "no_slip", "no_skid"):
                raise OracleError(f"constraint `{name}`: {kinds} is not covered")
            value = c[kinds[0]]
            if kinds[0] == "coincide":
                p, q = (self.point(n) for n in value)
                rows = [(f"{name}.{axis}", a - b) for axis, a, b in zip("xyz", p, q)]
            elif kinds[0] == "distance":
                rows = [(name, length(self.between(value["between"])) - self.expression(value["value"]))]
            elif kinds[0].startswith("no_"):
                at = self.points[value["point"]]
                moving = c.get("frame") or at.get("rim", {}).get("frame")
                v = self.material_velocity(self.point(value["point"]), self.frame(moving) if moving else None)
                rows = [(f"{name}.{axis}", e) for axis, e in zip("xyz", v) if not vanishes(e)]
                if kinds[0] == "no_skid":
                    rows = [(name, sum(self.expression(d) * e for d, e in zip(value["direction"], v)))]
            elif isinstance(value, list):
                rows = [(f"{name}[{i}]", self.expression(e)) for i, e in enumerate(value, 1)]
            else:
                rows = [(name, self.expression(value))]
            of_positions = kinds[0] in ("holonomic", "coincide", "distance")
            for row, e in rows:
                if of_positions and e.free_symbols & set(self.v):
                    raise OracleError(f"holonomic constraint `{row}` contains velocities")
                self.rows.append(row)
                self.row_expressions.append(e)
                self.holonomic.append(of_positions)

    # -- forces

    def forces(self):
        F = [-sympy.diff(self.R, v) for v in self.v]
        for f in repeat(self.data.get("force", []), self.structure):
            if "at" in f:
                for r, component in zip(self.point(f["at"]), f["vector"]):
                    e = self.expression(component)
                    F = [F_i + sympy.diff(r, q) * e for F_i, q in zip(F, self.q)]
            elif "body" in f:
                torque = f["torque"] if isinstance(f["torque"], list) else [f["torque"]]
                for omega, tau in zip(self.omegas[f["body"]], torque):
                    tau = self.expression(tau)
                    F = [F_i + sympy.diff(omega, v) * tau for F_i, v in zip(F, self.v)]
            elif "coordinate" in f:
                F[self.coordinates.index(f["coordinate"])] += self.expression(f["value"])
            elif "power" in f:
                P = self.expression(f["power"])
                share = [sympy.diff(P, v) for v in self.v]
                if any(sympy.simplify(sympy.diff(s, v)) != 0 for s in share for v in self.v):
                    raise OracleError(f"power `{f['power']}` is not linear in the velocities")
                F = [F_i + s for F_i, s in zip(F, share)]
            else:
                raise OracleError("a force of no known kind")
        if any(s.name.startswith("lambda:") for e in F for s in e.free_symbols):
            raise NotCovered("forces that depend on multipliers are not covered")
        self.F = F

    # -- derivation (theory.md, section 2)

    def derive(self):
        """Fills M, B, G, W, a, gamma."""
        q, v, t = self.q, self.v, self.t
        N = len(q)
        momentum = [sympy.diff(self.T, v_i) for v_i in v]
        upper = {(i, j): sympy.diff(momentum[i], v[j]) for i in range(N) for j in range(i, N)}
        self.M = [[upper[min(i, j), max(i, j)] for j in range(N)] for i in range(N)]
        self.B = [sum((sympy.diff(momentum[i], q[j]) * v[j] for j in range(N)), sympy.diff(momentum[i], t))
                  - sympy.diff(self.T, q[i]) for i in range(N)]
        self.G = [sympy.diff(self.V, q_i) for q_i in q]
        self.W, self.a, self.gamma, self.velocity_rows = [], [], [], []
        for e, holonomic in zip(self.row_expressions, self.holonomic):
            eta = self.rate(e) if holonomic else e  # the row at velocity level, W q̇ + a
            self.velocity_rows.append(eta)
            self.W.append([sympy.diff(eta, v_i) for v_i in v])
            self.a.append(eta.subs({v_i: 0 for v_i in v}))
            # The row at acceleration level with q̈ = 0.
            self.gamma.append(self.drift(eta))
        self.f_of = {n: sympy.diff(f, t, 2) for n, f in self.prescribed.items()}
        return self

    def drift(self, rate):
        """d/dt at q̈ = 0 of an expression of q, q̇ and t."""
        return sum((sympy.diff(rate, q_i) * v_i for q_i, v_i in zip(self.q, self.v)), sympy.diff(rate, self.t))

    # -- numbers

    def initial_state(self):
        """The state the file gives: held values, guesses, zero elsewhere; nothing is assembled."""
        initial = self.data.get("initial", {})
        q = {**initial.get("guess", {}), **initial.get("position", {})}
        return {"t": 0, "q": q, "qd": initial.get("velocity", {})}


class Evaluator:
    """Numbers for SymPy expressions at one state, each subexpression once, with mp.dps digits."""

    def __init__(self, values):
        self.memo = dict(values)

    def __call__(self, e):
        e = sympy.sympify(e)
        if e in self.memo:
            return self.memo[e]
        value = self.memo[e] = self.compute(e)
        return value

    CALLS = {sympy.sin: mp.sin, sympy.cos: mp.cos, sympy.tan: mp.tan, sympy.asin: mp.asin, sympy.acos: mp.acos,
             sympy.atan: mp.atan, sympy.atan2: mp.atan2, sympy.sinh: mp.sinh, sympy.cosh: mp.cosh,
             sympy.tanh: mp.tanh, sympy.exp: mp.exp, sympy.log: mp.log, sympy.cot: mp.cot, sympy.sec: mp.sec,
             sympy.csc: mp.csc}

    def compute(self, e):
        if e.is_Rational:
            return mp.mpf(e.p) / e.q
        if e is sympy.pi:
            return mp.pi + 0
        if e is sympy.E:
            return mp.e + 0
        if e.is_Symbol:
            raise OracleError(f"no value for `{e}`")
        if e.is_Add:
            return mp.fsum(self(x) for x in e.args)
        if e.is_Mul:
            return mp.fprod(self(x) for x in e.args)
        if e.is_Pow:
            return mp.sqrt(self(e.base)) if e.exp == sympy.S.Half else mp.power(self(e.base), self.exponent(e.exp))
        if isinstance(e, sympy.Piecewise):
            for value, condition in e.args:
                if self.holds(condition):
                    return self(value)
            return mp.nan
        if e.func in self.CALLS:
            return self.CALLS[e.func](*(self(x) for x in e.args))
        raise OracleError(f"cannot evaluate {e.func}")

    def exponent(self, e):
        return int(e) if e.is_Integer else self(e)

    def holds(self, c):
        if c in (sympy.true, sympy.false):
            return bool(c)
        if isinstance(c, sympy.And):
            return all(self.holds(x) for x in c.args)
        if isinstance(c, sympy.Or):
            return any(self.holds(x) for x in c.args)
        if isinstance(c, sympy.Not):
            return not self.holds(c.args[0])
        a, b = self(c.lhs), self(c.rhs)
        return {"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b, "==": a == b, "!=": a != b}[c.rel_op]


# ---- linear algebra ---------------------------------------------------------------------------------------------


def independent_rows(W, m, N):
    """Indices of a largest set of independent rows, by elimination with complete pivoting."""
    A = [list(row) for row in W]
    scale = max((abs(x) for row in A for x in row), default=mp.mpf(0))
    rows, left, columns = [], list(range(m)), list(range(N))
    while left and columns and scale > 0:
        i, j = max(((i, j) for i in left for j in columns), key=lambda ij: abs(A[ij[0]][ij[1]]))
        if abs(A[i][j]) <= RANK_TOLERANCE * scale:
            break
        rows.append(i)
        left.remove(i)
        columns.remove(j)
        for k in left:
            f = A[k][j] / A[i][j]
            A[k] = [x - f * y for x, y in zip(A[k], A[i])]
    return sorted(rows)


def solve_kkt(M, W, right, gamma):
    """q̈ and least-norm λ of M q̈ - Wᵀλ = right, W q̈ = -γ; (None, None, rank) where q̈ is not unique."""
    N, m = len(right), len(gamma)
    kept = independent_rows(W, m, N)
    r = len(kept)
    K, y = mp.zeros(N + r, N + r), mp.zeros(N + r, 1)
    for i in range(N):
        y[i] = right[i]
        for j in range(N):
            K[i, j] = M[i][j]
    for k, row in enumerate(kept):
        y[N + k] = -gamma[row]
        for j in range(N):
            K[N + k, j] = W[row][j]
            K[j, N + k] = -W[row][j]
    full = [[K[i, j] for j in range(N + r)] for i in range(N + r)]
    if len(independent_rows(full, N + r, N + r)) < N + r:
        return None, None, r
    solution = mp.lu_solve(K, y)
    qdd, mu = [solution[i] for i in range(N)], [solution[N + k] for k in range(r)]
    if r == m:
        return qdd, mu, r
    if r == 0:
        return qdd, [mp.mpf(0)] * m, r
    # All rows from the kept ones, W = C W_kept; then least |λ| with Cᵀλ = μ is λ = C (CᵀC)⁻¹ μ.
    Wk, Wf = mp.matrix([W[i] for i in kept]), mp.matrix(W)
    C = Wf * Wk.T * (Wk * Wk.T) ** -1
    return qdd, list(C * mp.lu_solve(C.T * C, mp.matrix(mu))), r


def evaluate(model, state=None):
    """The document of `dalembert eval --json` (without `units`), numbers as doubles."""
    if not hasattr(model, "M"):
        model.derive()
    state, start = state or {}, model.initial_state()
    given = lambda key: {**start.get(key, {}), **state.get(key, {})}
    for key, known in (("q", model.q_of), ("qd", model.q_of), ("inputs", model.u_of), ("parameters", model.p_of)):
        for name in given(key):
            if name not in known:
                raise OracleError(f"state: `{name}` in `{key}` is unknown")
    number = Evaluator({})
    values = {model.t: number(quantity(state.get("t", start["t"])))}
    for name, p in model.p_of.items():
        values[p] = number(quantity(state.get("parameters", {}).get(name, model.parameters[name])))
    for name in model.coordinates:
        values[model.q_of[name]] = number(quantity(given("q").get(name, 0)))
        values[model.v_of[name]] = number(quantity(given("qd").get(name, 0)))
    at = Evaluator(values)
    for name, u in model.u_of.items():
        override = state.get("inputs", {}).get(name)
        values[u] = at(model.inputs[name]) if override is None else number(quantity(override))
        at.memo[u] = values[u]

    M = [[at(e) for e in row] for row in model.M]
    B, G, F = ([at(e) for e in column] for column in (model.B, model.G, model.F))
    W = [[at(e) for e in row] for row in model.W]
    a, gamma = [at(e) for e in model.a], [at(e) for e in model.gamma]
    # A prescribed coordinate is a row q_a = f(t) whose multiplier is what drives it (theory.md, (2.16)).
    driven = [[mp.mpf(int(n == c)) for c in model.coordinates] for n in model.prescribed]
    qdd, lam, rank = solve_kkt(M, W + driven, [f - b - g for f, b, g in zip(F, B, G)], gamma + [-at(e) for e in model.f_of.values()])
    actuation = lam[len(W):] if lam is not None else None
    if lam is not None:
        lam = lam[:len(W)]
    if driven:
        rank = solve_kkt(M, W, [f - b - g for f, b, g in zip(F, B, G)], gamma)[2]
    if qdd is not None:
        accelerate = lambda e: at(model.drift(e)) + sum(at(sympy.diff(e, v_i)) * x for v_i, x in zip(model.v, qdd))
    if lam is not None:
        at.memo.update({sympy.Symbol("lambda:" + n, real=True): x for n, x in zip(model.rows, lam)})

    floats = lambda column: [float(x) for x in column]
    named = lambda names, column: None if column is None else dict(zip(names, floats(column)))
    h = {n: float(at(e)) for n, e, hol in zip(model.rows, model.row_expressions, model.holonomic) if hol}
    return {
        "model": model.name, "t": float(values[model.t]), "coordinates": model.coordinates, "constraints": model.rows,
        "q": named(model.coordinates, [values[s] for s in model.q]),
        "qd": named(model.coordinates, [values[s] for s in model.v]),
        "M": [floats(row) for row in M], "B": floats(B), "G": floats(G), "F": floats(F),
        "W": [floats(row) for row in W], "a": floats(a), "gamma": floats(gamma),
        "qdd": named(model.coordinates, qdd), "lambda": named(model.rows, lam),
        "energy": {"kinetic": float(at(model.T)), "potential": float(at(model.V))},
        "residual": {"position": h, "velocity": {n: float(at(e)) for n, e in zip(model.rows, model.velocity_rows)}},
        "rank": rank,
        "outputs": {n: float(at(e)) for n, e in model.outputs.items()} if lam is not None else {},
        **({"v": {n: float(at(e)) for n, e in model.quasi_velocities.items()},
            "vdot": {n: float(accelerate(e)) for n, e in model.quasi_velocities.items()} if qdd is not None else None}
           if model.quasi else {}),
        **({"actuation": named(model.prescribed, actuation)} if model.prescribed else {}),
    }


def load(path):
    with open(path, encoding="utf-8") as file:
        return Model(file.read())


def load_state(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file, parse_float=exact)


def main():
    parser = argparse.ArgumentParser(description="Every term of a model at one state, by SymPy and mpmath.")
    parser.add_argument("model")
    parser.add_argument("--at", metavar="STATE.json")
    arguments = parser.parse_args()
    try:
        document = evaluate(load(arguments.model), load_state(arguments.at) if arguments.at else None)
    except OracleError as error:
        print(f"oracle: {error}", file=sys.stderr)
        return 1
    json.dump(document, sys.stdout, indent=1)
    print()
    return 0


if __name__ == "__main__":
    sys.exit(main())
