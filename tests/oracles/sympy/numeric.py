# SPDX-License-Identifier: Apache-2.0
"""Double-precision helpers over the oracle: assembly by Newton's method and a plain simulation.

For checking that the shipped models start where they should and run as long as they say; nothing here is a reference
for accuracy (oracle.evaluate is).
"""

import numpy as np
import sympy
from scipy.integrate import solve_ivp

import oracle


class Numeric:
    """The terms of a model as NumPy functions of (q, v, t), parameters and inputs put in."""

    def __init__(self, model, parameters=None):
        if not hasattr(model, "M"):
            model.derive()
        self.model, self.N, self.m = model, len(model.q), len(model.rows)
        values = {model.p_of[n]: oracle.quantity(v) for n, v in {**model.parameters, **(parameters or {})}.items()}
        values |= {model.u_of[n]: e.subs(values) for n, e in model.inputs.items()}
        arguments = [*model.q, *model.v, model.t]
        flat = [*sum(model.M, []), *model.B, *model.G, *model.F, *sum(model.W, []), *model.gamma, *model.velocity_rows,
                *[e if h else 0 for e, h in zip(model.row_expressions, model.holonomic)], model.T, model.V]
        flat = [sympy.sympify(e).subs(values) for e in flat]
        self.function = sympy.lambdify(arguments, flat, "math", cse=True)
        self.holonomic = np.array(model.holonomic, dtype=bool)

    def terms(self, q, v, t):
        N, m = self.N, self.m
        f = np.array(self.function(*q, *v, t), dtype=float)
        parts = np.split(f, np.cumsum([N * N, N, N, N, m * N, m, m, m, 1]))
        M, B, G, F, W, gamma, rate, h, T, V = parts
        return {"M": M.reshape(N, N), "B": B, "G": G, "F": F, "W": W.reshape(m, N), "gamma": gamma, "rate": rate,
                "h": h, "T": T[0], "V": V[0]}

    def solve(self, q, v, t):
        """(q̈, λ), least squares."""
        x, N, m = self.terms(q, v, t), self.N, self.m
        K = np.block([[x["M"], -x["W"].T], [x["W"], np.zeros((m, m))]])
        y = np.concatenate([x["F"] - x["B"] - x["G"], -x["gamma"]])
        z = np.linalg.lstsq(K, y, rcond=1e-12)[0]
        return z[:N], z[N:]

    def start(self):
        """(q, v, held q, held v) of the file."""
        model, initial = self.model, self.model.data.get("initial", {})
        number = lambda table, n: float(oracle.quantity(table.get(n, 0)))
        position, guess, velocity = (initial.get(k, {}) for k in ("position", "guess", "velocity"))
        names = model.coordinates
        return (np.array([number({**guess, **position}, n) for n in names]), np.array([number(velocity, n) for n in names]),
                np.array([n in position for n in names]), np.array([n in velocity for n in names]))

    def assemble(self, held=True):
        """(q, v, Newton steps, residual): the least move in the mass metric that makes the start consistent."""
        q, v, held_q, held_v = self.start()
        if not held:
            held_q, held_v = held_q & False, held_v & False
        for steps in range(50):
            x = self.terms(q, v, 0.0)
            h = x["h"][self.holonomic]
            if np.abs(h).max(initial=0) < 1e-15:
                break
            step = least_move(x["M"], x["W"][self.holonomic], -h, ~held_q)
            q = q + step
            if np.abs(step).max(initial=0) < 1e-15:
                break
        for _ in range(2):
            x = self.terms(q, v, 0.0)
            v = v + least_move(x["M"], x["W"], -x["rate"], ~held_v)
        x = self.terms(q, v, 0.0)
        return q, v, steps, max(np.abs(x["h"]).max(initial=0), np.abs(x["rate"]).max(initial=0))

    def project(self, q, v, t):
        for _ in range(20):
            x = self.terms(q, v, t)
            if np.abs(x["h"][self.holonomic]).max(initial=0) < 1e-16:
                break
            q = q + least_move(x["M"], x["W"][self.holonomic], -x["h"][self.holonomic], np.ones(self.N, bool))
        x = self.terms(q, v, t)
        return q, v + least_move(x["M"], x["W"], -x["rate"], np.ones(self.N, bool))

    def simulate(self, q, v, until, segments=100, rtol=1e-10):
        """Arrays t, q, v, λ, energy, at segment ends; projected there."""
        N, t, rows = self.N, 0.0, []
        scale = np.maximum(np.abs(v), 1.0)
        right = lambda t, y: np.concatenate([y[N:], self.solve(y[:N], y[N:], t)[0]])
        for k in range(segments + 1):
            x = self.terms(q, v, t)
            rows.append((t, q, v, self.solve(q, v, t)[1], x["T"] + x["V"], np.linalg.matrix_rank(x["W"]) if self.m else 0))
            if k < segments:
                end = until * (k + 1) / segments
                y = solve_ivp(right, (t, end), np.concatenate([q, v]), method="DOP853", rtol=rtol,
                              atol=rtol * np.concatenate([np.ones(N), scale])).y[:, -1]
                t = end
                q, v = self.project(y[:N], y[N:], t)
        return [np.array(c) for c in zip(*rows)]


def least_move(M, W, residual, free):
    """The smallest step x in the metric M (plain where M is singular), zero outside `free`, with W x = residual."""
    x = np.zeros(len(M))
    if not free.any() or not len(residual):
        return x
    A = W[:, free]
    try:
        L = np.linalg.cholesky(M[np.ix_(free, free)])
        x[free] = np.linalg.solve(L.T, np.linalg.lstsq(np.linalg.solve(L, A.T).T, residual, rcond=1e-12)[0])
    except np.linalg.LinAlgError:
        x[free] = np.linalg.lstsq(A, residual, rcond=1e-12)[0]
    return x
