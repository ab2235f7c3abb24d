#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `export` writes of random models, in C, Python and JavaScript, against the library.

    judge_exports.py --program build/release/bin/dalembert [--cases 100] [--seed 1] [--only WHAT ...] [--keep DIR]

Models have all that exports take: coordinates with units and without, nested functions in energies, frames, points, bodies in the plane and in
space (quaternions), springs, dampers, forces in every form, holonomic, rheonomic, Pfaffian and affine rows, rows that follow from
others, prescribed coordinates, samples, frictions that know their loads, forces that depend on multipliers, outputs, and names that
mean something in the languages.

    selftest       the self-test of each language agrees; that of C is compiled in one of several ways
    accelerations  of the module for Python, with multipliers and frictions, at states on the constraints and beside them
    step           the classical method by the library's accelerations; with friction the library's run
    project        states off by 1e-12 to 1e-3, in all numbers or in one, at rest and moving: the least change in the mass metric, step
                   by step, by singular values; constraints hold to round-off

Bounds: how far the library's answers move when every input (state, time, parameters) moves by some units in the last place,
and what rounding costs in a linear system with the pseudoinverse at hand. What they leave less than three digits of is not compared.

right      within the bounds
open       the library has no answer, or arithmetic does not decide it
refused    no export, or no model
wrong      anything else; the case is printed, and the exit status is 1
"""
import argparse
import collections
import importlib
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

import numpy as np
from export_models import Generator

EPS = 2.0**-52
COMPILERS = ["-O1"] * 4 + ["-O0", "-O2", "-O3 -ffp-contract=fast -march=native"]


class Wrong(Exception):
    pass


# --------------------------------------------------------------------------------------------------------------- library


def finite(*arrays):
    return all(np.all(np.isfinite(x)) for x in arrays)


class System:
    """M, W', W as one matrix, scaled to entries of size 1, and its pseudoinverse."""

    def __init__(self, M, W):
        n, m = len(M), len(W)
        self.n = n
        has_values = finite(M, W)
        if not has_values:
            M, W = np.zeros_like(M), np.zeros_like(W)
        K = np.block([[M, W.T], [W, np.zeros((m, m))]])
        self.K, self.D = K, np.ones(n + m)
        for _ in range(6):
            most = np.max(np.abs(K) * self.D[:, None] * self.D[None, :], axis=1, initial=0)
            self.D /= np.sqrt(np.where(most > 0, most, 1))
        scaled = K * self.D[:, None] * self.D[None, :]
        U, s, V = np.linalg.svd(scaled)
        keep = s > 1e-11 * s[0] if len(s) else s > 0
        self.inverse = self.D[:, None] * ((V[keep].T / s[keep]) @ U[:, keep].T) * self.D[None, :]
        # Rows may follow from others; motions that they allow must have inertia, or there is no metric.
        rows, masses = scaled[n:, :n], scaled[:n, :n]
        _, s, V = np.linalg.svd(rows)
        rank = int(np.sum(s > 1e-10))
        free = np.linalg.eigvalsh(V[rank:] @ masses @ V[rank:].T)
        self.regular = has_values and np.all(free > 1e-12)
        self.open = m - rank

    def solve(self, f, c):
        return self.inverse @ np.concatenate([f, c])

    def cost(self, x, K_error, f_error, c_error):
        """What errors of the entries cost in x, whose multipliers may be missing: they are 0. Orthogonal elimination spreads the
        round-off of the largest numbers, as they are scaled, over all."""
        x = np.abs(np.concatenate([x, np.zeros(len(self.K) - len(x))]))
        errors = K_error @ x + np.concatenate([f_error, c_error])
        return np.abs(self.inverse) @ (errors + 8 * EPS / self.D * (np.sum(x / self.D) + np.max(self.D * errors, initial=0)))


class Library:
    """What the library says of a model. A point is t, q, v and values of the parameters. `loads`: with friction the code's load_terms,
    for bounds alone."""

    def __init__(self, model, rows, loads, first_quaternion):
        self.model, self.f, self.rhs = model, model.compile("qdd lam M W B G F a gamma h"), model.rhs()
        self.names, self.values = self.f._functions.parameters, np.array(self.f._functions.parameter_values)
        self.loads = loads
        self.first_quaternion = first_quaternion
        self.levels = rows
        self.random = np.random.default_rng(1)

    def get(self, what, at):
        t, q, v, p = at
        return getattr(self.f, what)(q, v, p, t)

    def moved(self, at, units=16):
        """Every input by some units in the last place, positions by those of the largest: what rests at a corner may be on either side."""
        by = lambda x: np.asarray(x) * (1 + units * EPS * self.random.uniform(-1, 1, np.shape(x)))
        t, q, *others = (by(x) if np.ndim(x) else float(by(x)) for x in at)
        return t, q + units * EPS * np.max(np.abs(q)) * self.random.uniform(-1, 1, np.shape(q)), *others

    def spread(self, function, at, value, moved=None):
        """How far `function` moves; infinitely where it has no answer then."""
        most = np.zeros_like(value)
        for _ in range(3):
            other = function((moved or self.moved)(at))
            most = np.maximum(most, np.abs(other - value)) if other is not None else np.full_like(value, np.inf)
        return most

    def accelerations(self, at):
        if self.loads is None:
            x = np.concatenate([self.get("qdd", at), self.get("lam", at)])
        else:
            t, q, v, p = at
            found = self.model.eval(q, v, t, dict(zip(self.names, p)))
            solutions = found.get("friction_solutions", [])
            if len(solutions) != 1:
                return None
            parts = [self.get("qdd", at), self.get("lam", at)] + [list(solutions[0]["friction"].values())]
            x = np.concatenate(parts)
        return x if finite(x) else None

    def terms(self, at):
        return [self.get(name, at) for name in ("M", "W", "F", "B", "G", "gamma")]

    def acceleration_bound(self, at, x):
        M, W, F, B, G, gamma = here = self.terms(at)
        spreads = [np.zeros_like(one) for one in here]
        for _ in range(3):
            there = self.terms(self.moved(at))
            spreads = [np.maximum(s, np.abs(a - b)) for s, a, b in zip(spreads, here, there)]
        n, m = len(M), len(W)
        f_error = sum(spreads[2:5]) + 8 * EPS * (np.abs(F) + np.abs(B) + np.abs(G))

        def cost(W, W_error, gamma_error, f_error):
            K_error = np.block([[spreads[0], W_error.T], [W_error, np.zeros((len(W), len(W)))]])
            return System(M, W).cost(x[: n + len(W)], K_error, f_error, gamma_error)

        gamma_error = spreads[5] + 8 * EPS * np.abs(gamma)
        bound = np.zeros_like(x)
        if self.loads is None:
            bound = cost(W, spreads[1], gamma_error, f_error)
        else:
            # As if all frictions slid, whose forces follow the normal forces, and as if all stuck.
            _, C, dN, _, gamma_c, _, mu, _, _ = self.loads(*at[:3])
            C_error, k = 16 * EPS * np.abs(C), len(C)
            slide = cost(W, spreads[1], gamma_error, f_error + 16 * EPS * np.abs(C).T @ np.abs(x[n + m:]))
            stick = cost(np.concatenate([W, C]), np.concatenate([spreads[1], C_error]), np.concatenate([gamma_error, 16 * EPS * np.abs(gamma_c)]), f_error)
            bound[: n + m] = np.maximum(slide, stick[: n + m])
            bound[n + m:] = stick[n + m:] + mu * (np.abs(dN) @ bound[n : n + m])
        return 32 * self.spread(self.accelerations, at, x) + 4 * bound + 64 * EPS * np.abs(x)

    def forces_are_open(self, at, states):
        """Whether what sticks leaves forces open in several directions: then they are those that one search finds."""
        stuck = states(*at[:3])[0] == 0
        rows = np.concatenate([self.get("W", at), self.loads(*at[:3])[1][stuck]])
        return np.any(stuck) and System(self.get("M", at), rows).open > 1

    # --- projection

    def normalize(self, q):
        if self.first_quaternion is not None:
            e = slice(self.first_quaternion, self.first_quaternion + 4)
            q = q.copy()
            q[e] /= np.linalg.norm(q[e])
        return q

    def rates(self, t, q, v):
        return self.rhs(t, np.concatenate([q, v]))[: len(q)]

    def displaced(self, t, q, delta):
        if self.first_quaternion is None:
            return q + delta
        return self.normalize(q + self.rates(t, q, delta) - self.rates(t, q, 0 * delta))

    def positions(self, at, frozen=False):
        """q on the constraints, and the systems that were solved for it."""
        t, q, v, p = at
        q, systems = self.normalize(q), []
        h = self.get("h", (t, q, v, p))
        for _ in range(12 if len(h) else 0):
            if not systems or not frozen:
                systems.append(System(self.get("M", (t, q, v, p)), self.get("W", (t, q, v, p))[self.levels]))
            new = self.displaced(t, q, systems[-1].solve(0 * v, -h)[: len(v)])
            left = self.get("h", (t, new, v, p))
            if not finite(left) or np.max(np.abs(left)) >= np.max(np.abs(h)):
                break
            done = np.max(np.abs(left)) > 0.5 * np.max(np.abs(h))
            q, h = new, left
            if done:
                break
        return q, systems

    def velocities(self, at):
        t, q, v, p = at
        W, a = self.get("W", at), self.get("a", at)
        if len(W) == 0:
            return v, []
        system = System(self.get("M", at), W)
        for _ in range(3):
            new = v + system.solve(0 * v, -(W @ v + a))[: len(v)]
            if np.max(np.abs(W @ new + a)) >= np.max(np.abs(W @ v + a)):
                break
            v = new
        return v, [system]

    def onto(self, at, frozen=False):
        """q and v on the constraints, and the systems of both."""
        q, first = self.positions(at, frozen)
        v, second = self.velocities((at[0], q, at[2], at[3]))
        return np.concatenate([q, v]), first, second

    def residuals(self, at):
        t, q, v, p = at
        return np.concatenate([self.get("h", at), self.get("W", at) @ v + self.get("a", at)])

    def projected(self, at):
        """q and v, bounds of both and of the residuals; None where a motion that the constraints allow has no inertia, or no
        position is found."""
        x, *systems = self.onto(at)
        t, q, v, p = at
        if not all(system.regular for both in systems for system in both) or not finite(x):
            return None
        there = (t, x[: len(q)], x[len(q):], p)
        left = self.residuals(there)
        n, delta = len(self.levels), np.abs(x - np.concatenate([self.normalize(q), v]))
        noise = 8 * self.spread(self.residuals, there, left)
        # What terms have been on the way, and the round-off of round-off, below which numbers of rows of higher order come.
        noise += EPS**2 * np.max(delta)
        W = np.abs(self.get("W", there))
        turned = delta[: len(q)] if self.first_quaternion is None else np.append(delta[: len(q) - 4], [2 * np.max(delta[len(q) - 4 : len(q)])] * 3)
        noise[:n] += 16 * EPS * W[self.levels] @ turned
        noise[n:] += 16 * EPS * (W @ (np.abs(there[2]) + delta[len(q):]) + np.abs(self.get("a", there)))
        if np.any(np.abs(left) > 4 * noise + 1e-300):
            return None
        bound = 32 * self.spread(lambda at: self.onto(at)[0], at, x) + 4 * np.abs(self.onto(at, frozen=True)[0] - x) + 16 * EPS * np.abs(x)
        for solved, part, rows in zip(systems, (slice(0, len(q)), slice(len(q), None)), (slice(0, n), slice(n, None))):
            if not solved:
                continue
            system = solved[-1]
            cost = 4 * system.cost(delta[part][: system.n], np.zeros_like(system.K), np.zeros(system.n), 4 * noise[rows])[: system.n]
            # A turn by a small angle moves each entry of a quaternion by half of it at most.
            bound[part] += cost if len(delta[part]) == system.n else np.append(cost[:-3], [np.max(cost[-3:])] * 4)

        # Where positions are not certain, velocities and what rows leave are not.
        def near(at):
            by = bound * self.random.uniform(-1, 1, len(bound))
            return at[0], at[1] + by[: len(q)], at[2] + by[len(q):], at[3]

        allowed = 8 * noise + 4 * self.spread(self.residuals, there, left, near)
        bound[len(q):] += 4 * self.spread(lambda at: self.velocities((t, at[1], v, p))[0], there, there[2], near)
        return x, bound, allowed

    # --- steps

    def step(self, at, h):
        t, q, v, p = at
        q_sum, v_sum, q_at, v_at = q, v, q, v
        for ahead, weight, then in ((0, 1 / 6, 0.5), (0.5, 1 / 3, 0.5), (0.5, 1 / 3, 1), (1, 1 / 6, 0)):
            x = self.accelerations((t + ahead * h, q_at, v_at, p))
            if x is None:
                return None
            rates = v_at if self.first_quaternion is None else self.rates(t + ahead * h, q_at, v_at)
            q_sum, v_sum = q_sum + weight * h * rates, v_sum + weight * h * x[: len(v)]
            q_at, v_at = q + then * h * rates, v + then * h * x[: len(v)]
        return (t + h, q_sum, v_sum, p)

    def run(self, at, h, rtol=1e-12):
        t, q, v, p = at
        try:
            run = self.model.simulate(q, v, t + h, start=t, params=dict(zip(self.names, p)), rtol=rtol, atol=rtol / 100,
                                      max_steps=5000)
        except ValueError:  # it cannot be started: no state of the frictions is consistent
            return None
        if run.status != "ok":
            return None
        state = run._run.final_state()
        return np.concatenate([state.q, state.v])


# ----------------------------------------------------------------------------------------------------------------- judge


class Judge:
    def __init__(self, program, folder, name, only):
        self.program, self.folder, self.name, self.only = program, folder, name, only
        self.counts = collections.defaultdict(collections.Counter)
        self.complaints = []

    def count(self, what, result, why=""):
        self.counts[what][result] += 1
        if result == "wrong":
            self.complaints.append(f"{what}: {why}")

    def call(self, *command):
        return subprocess.run([*map(str, command)], cwd=self.folder, capture_output=True, text=True, timeout=300)

    def export(self):
        """The module's name; None where there is no export."""
        for language in ("c", "python", "js"):
            done = self.call(self.program, "export", "model.toml", "--to", language, "-o", ".", "--quiet")
            if done.returncode < 0 or done.returncode > 100:
                raise Wrong(f"export ended with {done.returncode}")
            if done.returncode != 0:
                return None
        return next(self.folder.glob("*_selftest.py")).name.removesuffix("_selftest.py")

    def self_tests(self, name):
        compiler = random.Random(self.name + "/compiler").choice(COMPILERS)
        tests = {"Python": [sys.executable, "-B", f"{name}_selftest.py"]}
        if shutil.which("node"):
            tests["JavaScript"] = ["node", f"{name}_selftest.mjs"]
        if shutil.which("cc"):
            made = self.call("cc", "-std=c99", *compiler.split(), f"{name}.c", f"{name}_selftest.c", "-o", "selftest", "-lm")
            if made.returncode != 0:
                self.count("selftest", "wrong", made.stderr[:600])
            else:
                tests[f"C by {compiler}"] = ["./selftest"]
        for language, command in tests.items():
            done = self.call(*command)
            good = done.returncode == 0 and " values agree" in done.stdout
            self.count("selftest", "right" if good else "wrong", f"{language}: {(done.stdout + done.stderr)[:400]}")

    def compare(self, what, got, wanted, bound, digits=1e-3):
        """Each number within its bound, unless that leaves less than three digits of the largest."""
        if not finite(bound) or np.any(bound > digits * np.max(np.abs(wanted), initial=1e-300)):
            # Where numbers are next to nothing the bound may be all of them: then it is the difference that must be.
            self.count(what, "right" if finite(got) and np.all(np.abs(got - wanted) <= bound) else "open")
            return
        off = np.abs(got - wanted) / (bound + 1e-300)
        if np.all(off <= 1):
            self.count(what, "right")
        else:
            i = int(np.argmax(np.where(np.isfinite(off), off, np.inf)))
            self.count(what, "wrong", f"[{i}] {got[i]!r} is {wanted[i]!r}, bound {bound[i]:.3g} ({self.about})")

    def ask(self, routine, *arguments):
        """What a method of the module returns, as one array; a status where there is no answer."""
        given = [self.whole(one) if place == (2 if routine == "step" else 1) else one for place, one in enumerate(arguments)]
        try:
            got = getattr(self.code, routine)(*given)
        except self.module.Unsolved as problem:
            return problem.status
        if routine in ("step", "project"):
            got = (got[0][: len(got[0]) - self.integrals], *got[1:])
        return np.concatenate(got)

    @property
    def integrals(self):
        return getattr(self.module, "NZ", 0)

    def whole(self, q):
        """With the integrals over the run, which follow the coordinates and decide nothing here; self-tests compare them."""
        return np.concatenate([q, np.zeros(self.integrals)])

    def accelerations(self, at):
        wanted, got = self.library.accelerations(at), self.ask("accelerations", *at[:3])
        if wanted is None:
            return self.count("accelerations", "open" if isinstance(got, int) else "wrong", f"the library has no answer ({self.about})")
        bound = self.library.acceleration_bound(at, wanted)
        if isinstance(got, int):
            # At the edge of what has an answer.
            return self.count("accelerations", "wrong" if finite(bound) else "open", f"status {got} ({self.about})")
        if self.library.loads and self.library.forces_are_open(at, lambda t, q, v: self.code.friction_states(t, self.whole(q), v)):
            n = len(at[2])
            got, wanted, bound = got[:n], wanted[:n], bound[:n]
        self.compare("accelerations", got, wanted, bound)

    def project(self, at):
        if len(self.code_rows) == 0:
            return
        answer, got = self.library.projected(at), self.ask("project", *at[:3])
        if answer is None:
            return self.count("project", "open")
        wanted, bound, noise = answer
        if isinstance(got, int):
            return self.count("project", "wrong", f"status {got} ({self.about})")
        nq = len(at[1])
        left = np.abs(self.library.residuals((at[0], got[:nq], got[nq:], at[3])))
        if np.any(left > noise + 1e-300):
            i = int(np.argmax(left - noise))
            return self.count("project", "wrong", f"row {i} is left at {left[i]:.3g}, bound {noise[i]:.3g} ({self.about})")
        self.compare("project", got, wanted, bound)

    def step(self, at):
        t, q, v, p = at
        h = 10 ** self.rng.uniform(-4, -2) / max(1, np.max(np.abs(v), initial=0))
        got = self.ask("step", t, h, q, v)
        if self.library.loads is not None:
            return self.step_with_friction(at, h, got)

        def whole(at):
            end = self.library.step(at, h)
            return self.library.onto(end)[0] if end is not None else None

        wanted = whole(at)
        answer = self.library.projected(self.library.step(at, h)) if wanted is not None else None
        if answer is None:
            return self.count("step", "open")
        if isinstance(got, int):
            return self.count("step", "wrong", f"status {got} ({self.about})")
        x = self.library.accelerations(at)
        bound = answer[1] + 32 * self.library.spread(whole, at, wanted)
        bound[len(q):] += 2 * h * self.library.acceleration_bound(at, x)[: len(v)]
        self.compare("step", got, wanted, bound)

    def step_with_friction(self, at, h, got):
        """The library's run is exact, the method of order 4: halved steps say how near it is."""
        t, q, v, _ = at
        several = []
        for parts in (2, 4):
            x = np.concatenate([q, v])
            for k in range(parts):
                x = self.ask("step", t + k * h / parts, h / parts, x[: len(q)], x[len(q):]) if not isinstance(x, int) else x
            several.append(x)
        wanted, rough = self.library.run(at, h), self.library.run(at, h, 1e-10)
        if wanted is None or rough is None:
            return self.count("step", "open")
        if isinstance(got, int) or any(isinstance(x, int) for x in several):
            return self.count("step", "wrong", f"status {got}, {several} ({self.about})")
        bound = 8 * np.maximum(np.abs(got - several[0]), np.abs(got - several[1])) + 8 * np.abs(wanted - rough)
        bound += 32 * self.library.spread(lambda at: self.library.run(at, h), at, wanted) + 64 * EPS * np.abs(wanted)
        # The library brings a state that is moved back to where it was, maybe to a corner.
        ours = lambda at: self.ask("step", at[0], h, *at[1:3])
        bound += 32 * self.library.spread(lambda at: None if isinstance(ours(at), int) else ours(at), at, got)
        self.compare("step", got, wanted, bound)

    def beside(self, at):
        """States off by 1e-12 to 1e-3: in all numbers, or in one; what is at rest stays so in half of them."""
        t, q, v, p = at
        eps = 10 ** self.rng.uniform(-12, -3)
        random = np.random.default_rng(self.rng.getrandbits(32))
        one = self.rng.random() < 0.4
        q_by, v_by = random.uniform(-eps, eps, len(q)), random.uniform(-eps, eps, len(v))
        if one:
            which = self.rng.randrange(len(q) + len(v))
            q_by[np.arange(len(q)) != which] = 0
            v_by[np.arange(len(v)) + len(q) != which] = 0
        if self.rng.random() < 0.3:
            v_by[:] = 0
        self.about = f"off by {eps:.1e}{' in one' if one else ''} at t = {t:.4g}"
        return t, q + q_by, v + v_by, p

    def states(self, start):
        """The start, the same at rest, and where its motion leads to."""
        t, q, v, p = start
        yield "start", start
        x = self.library.onto((t, q, 0 * v, p))[0]
        yield "at rest", (t, x[: len(q)], x[len(q):], p)
        try:
            later = t + random.Random(self.name).uniform(0.05, 0.4)
            run = self.library.model.simulate(q, v, later, start=t, max_steps=2000)
        except ValueError:
            return
        if run.status == "ok":
            state = run._run.final_state()
            yield "later", (later, np.array(state.q), np.array(state.v), p)

    def numbers(self, dalembert, name, generator):
        self.module = importlib.import_module(name)
        self.code = self.module.Model()
        self.code_rows = self.module.ROWS
        model = dalembert.load(str(self.folder / "model.toml"))
        kinds = {row: kind for row, kind, _ in generator.rows}
        # Those of prescribed coordinates have a level, too.
        levels = [i for i, row in enumerate(self.module.ROWS) if kinds.get(row.split(".")[0]) != "pfaffian"]
        first = len(generator.coordinates) if generator.quaternion else None
        loads = (lambda t, q, v: self.code.load_terms(t, self.whole(q), v)) if hasattr(self.module, "FRICTIONS") else None
        self.library = Library(model, levels, loads, first)
        if not hasattr(self.code, "start"):
            return
        t, q, v = self.code.start()
        q = q[: len(q) - self.integrals]
        for where, at in self.states((t, q, v, self.library.values)):
            for what in self.only:
                # The same states whatever else is asked for.
                self.rng = random.Random(f"{self.name}/{where}/{what}")
                self.about = where
                if what == "accelerations":
                    self.accelerations(at)
                    self.accelerations(self.beside(at))
                if what == "step":
                    self.step(at)
                for _ in range(4 if what == "project" else 0):
                    self.project(self.beside(at))

    def run(self, dalembert, generator):
        text = generator.write()
        (self.folder / "model.toml").write_text(text)
        if generator.samples:
            (self.folder / "samples.csv").write_text(generator.samples)
        name = self.export()
        if name is None:
            return self.count("selftest", "refused")
        if "selftest" in self.only:
            self.self_tests(name)
        sys.path.insert(0, str(self.folder))
        try:
            self.numbers(dalembert, name, generator)
        finally:
            sys.path.remove(str(self.folder))
            sys.modules.pop(name, None)
            importlib.invalidate_caches()


WHAT = ["selftest", "accelerations", "step", "project"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--cases", type=int, default=100)
    parser.add_argument("--seed", type=int, default=int(os.environ.get("DALEMBERT_TEST_SEED", "1")))
    parser.add_argument("--only", choices=WHAT, nargs="+", default=WHAT)
    parser.add_argument("--case", type=int, help="this one alone")
    parser.add_argument("--keep", help="a folder for the models that are answered wrongly")
    options = parser.parse_args()
    program = pathlib.Path(options.program).resolve()
    sys.path.insert(0, str(program.parent.parent / "python"))
    sys.dont_write_bytecode = True
    import dalembert

    table, models = collections.defaultdict(collections.Counter), 0
    for case in range(options.cases) if options.case is None else [options.case]:
        name = f"{options.seed}/{case}"
        with tempfile.TemporaryDirectory() as folder:
            judge = Judge(program, pathlib.Path(folder), name, options.only)
            generator = Generator(random.Random(name))
            try:
                judge.run(dalembert, generator)
            except Wrong as wrong:
                judge.count("selftest", "wrong", str(wrong))
            models += not judge.counts["selftest"]["refused"]
            for complaint in judge.complaints:
                print(f"case {case}: {complaint}", flush=True)
            if judge.complaints and options.keep:
                pathlib.Path(options.keep).mkdir(parents=True, exist_ok=True)
                for file in ("model.toml", "samples.csv"):
                    if (judge.folder / file).exists():
                        (pathlib.Path(options.keep) / f"{options.seed}-{case}-{file}").write_text((judge.folder / file).read_text())
            for what, counts in judge.counts.items():
                table[what] += counts
    columns = ["right", "open", "refused", "wrong"]
    print(f"{models} models\n{'':14}" + "".join(f"{name:>9}" for name in columns))
    for what in WHAT:
        print(f"{what:14}" + "".join(f"{table[what][name]:9}" for name in columns))
    return 1 if any(counts["wrong"] for counts in table.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
