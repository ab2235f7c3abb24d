#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the shipped models and the oracle against physics that was not derived by either.

    check_models.py [--models DIR] [--random 20]

1. Closed forms of tests/oracles/closed_forms.md at random states (M, B, G, lambda, ...).
2. Published numbers: Andrews' mechanism, the car axis, Chaplygin's sleigh, pendulum A01.
3. Every initial state can be assembled, onto the intended branch, and runs to its `until`.
4. The oracle's own M, B, G, W, a, gamma by high-order numerical differentiation along a path, on random models: a
   slip in how it differentiates would show. Prints a line a check; exit status 1 on any failure.
"""

import argparse
import json
import pathlib
import random
import sys

import numpy as np
from mpmath import mpf

import numeric
import oracle
import random_models

HERE = pathlib.Path(__file__).resolve().parent
failures = []


def check(label, error, tolerance):
    """Records and prints one comparison."""
    good = bool(error <= tolerance)
    print(f"{'ok  ' if good else 'FAIL'} {label}: {float(error):.1e} (tolerance {tolerance:g})")
    if not good:
        failures.append(label)


def worst(expected, got):
    """Largest difference, relative to the largest expected entry where that exceeds one."""
    e, g = np.array(expected, dtype=float), np.array(got, dtype=float)
    return np.abs(e - g).max(initial=0) / max(1.0, np.abs(e).max(initial=0))


class At:
    """A model at a random state, its numbers by short names."""

    def __init__(self, models, name, seed=0, consistent=False, **q):
        rng = random.Random(f"{name}/{seed}")
        model = oracle.load(models / f"{name}.toml")
        state = {"q": {n: q.get(n, rng.uniform(0.3, 1.2)) for n in model.coordinates},
                 "qd": {n: rng.uniform(-2, 2) for n in model.coordinates},
                 "inputs": {n: rng.uniform(-2, 2) for n in model.inputs}, "t": rng.uniform(0, 1)}
        if consistent:
            n = numeric.Numeric(model)
            qs, vs = n.project(np.array([*state["q"].values()]), np.array([*state["qd"].values()]), state["t"])
            state["q"], state["qd"] = dict(zip(model.coordinates, qs)), dict(zip(model.coordinates, vs))
        self.d = oracle.evaluate(model, json.loads(json.dumps(state), parse_float=oracle.exact))
        self.p = {n: float(v) for n, v in model.parameters.items()}
        self.q, self.v, self.u, self.t = state["q"], state["qd"], state["inputs"], state["t"]

    def compare(self, label, **terms):
        for term, expected in terms.items():
            got = self.d[term]
            if isinstance(got, dict):
                got = list(got.values())
            check(f"{label}: {term}", worst(expected, got), 1e-13)


def closed_forms(models):
    sin, cos, tan = np.sin, np.cos, np.tan

    s = At(models, "mass-spring")
    s.compare("mass-spring", M=[[s.p["m"]]], B=[0], G=[s.p["k"] * s.q["x"]], F=[0])

    s = At(models, "cart-pendulum")
    m, M, L, g, c, th, w = *(s.p[k] for k in "m M L g c".split()), s.q["theta"], s.v["theta"]
    s.compare("cart-pendulum", M=[[m + M, M * L * cos(th)], [M * L * cos(th), M * L**2]],
              B=[-M * L * w**2 * sin(th), 0], G=[0, -M * g * L * sin(th)], F=[s.u["f"] - c * s.v["x"], 0])

    s = At(models, "polar-pendulum", consistent=True)
    m, L, g, r, th, w, f = s.p["m"], s.p["L"], s.p["g"], s.q["r"], s.q["theta"], s.v["theta"], s.u["f_x"]
    s.compare("polar-pendulum", M=[[m, 0], [0, m * r**2]], B=[-m * r * w**2, 2 * m * r * s.v["r"] * w],
              G=[-m * g * cos(th), m * g * r * sin(th)], F=[f * sin(th), f * r * cos(th)], W=[[1, 0]],
              **{"lambda": [-m * L * w**2 - m * g * cos(th) - f * sin(th)]})

    s = At(models, "cartesian-pendulum", consistent=True)
    m, L, g, x, y, vx, vy = s.p["m"], s.p["L"], s.p["g"], s.q["x"], s.q["y"], s.v["x"], s.v["y"]
    s.compare("cartesian-pendulum", G=[0, m * g], W=[[x / L, y / L]],
              **{"lambda": [m * g * y / L - m * (vx**2 + vy**2) / L]})

    s = At(models, "slider-crank")
    L1, L2, g, m1, m2, m3, I1, I2 = (s.p[k] for k in "L1 L2 g m1 m2 m3 I1 I2".split())
    th, ph, w, v = s.q["theta"], s.q["phi"], s.v["theta"], s.v["phi"]
    M12 = -2 * m2 * L1 * L2 * cos(th - ph)
    K = 2 * m2 * L1 * L2 * sin(th - ph)
    s.compare("slider-crank",
              M=[[I1 + (m1 + 4 * m2) * L1**2, M12, 0], [M12, I2 + m2 * L2**2, 0], [0, 0, m3]],
              B=[-K * v**2, K * w**2, 0], G=[(m1 + 2 * m2) * g * L1 * cos(th), -m2 * g * L2 * cos(ph), 0],
              F=[s.u["tau"], 0, s.u["f"]],
              W=[[-2 * L1 * sin(th), 2 * L2 * sin(ph), -1], [2 * L1 * cos(th), -2 * L2 * cos(ph), 0]],
              gamma=[-2 * L1 * cos(th) * w**2 + 2 * L2 * cos(ph) * v**2, -2 * L1 * sin(th) * w**2 + 2 * L2 * sin(ph) * v**2])

    s = At(models, "chaplygin-sleigh", consistent=True)
    m, I, b, th, w = s.p["m"], s.p["I"], s.p["b"], s.q["theta"], s.v["theta"]
    u = s.v["x"] * cos(th) + s.v["y"] * sin(th)
    lam = m * I / (I + m * b**2) * w * u
    s.compare("chaplygin-sleigh", M=np.diag([m, m, I]), W=[[-sin(th), cos(th), -b]], **{"lambda": [lam]})
    a = s.d["qdd"]
    check("chaplygin-sleigh: u', w'", worst([b * w**2, -m * b / (I + m * b**2) * u * w], [
        a["x"] * cos(th) + a["y"] * sin(th) + w * (s.v["y"] * cos(th) - s.v["x"] * sin(th)), a["theta"]]), 1e-13)

    s = At(models, "chaplygin-sleigh-contact", consistent=True)
    m, I, b, th, w = s.p["m"], s.p["I"], s.p["b"], s.q["theta"], s.v["theta"]
    u = s.v["x"] * cos(th) + s.v["y"] * sin(th)
    s.compare("chaplygin-sleigh-contact",
              M=[[m, 0, -m * b * sin(th)], [0, m, m * b * cos(th)], [-m * b * sin(th), m * b * cos(th), I + m * b**2]],
              B=[-m * b * w**2 * cos(th), -m * b * w**2 * sin(th), 0], W=[[-tan(th), 1, 0]],
              gamma=[-s.v["x"] * w / cos(th)**2], **{"lambda": [m * I / (I + m * b**2) * w * u * cos(th)]})
    check("chaplygin-sleigh-contact: w'", worst([-m * b / (I + m * b**2) * u * w], [s.d["qdd"]["theta"]]), 1e-13)

    s = At(models, "point-pendulum-3d", consistent=True)
    m, L, g, p, v = s.p["m"], s.p["L"], s.p["g"], np.array([*s.q.values()]), np.array([*s.v.values()])
    s.compare("point-pendulum-3d", M=m * np.eye(3), G=[0, 0, m * g], W=[p], gamma=[v @ v],
              **{"lambda": [(m * g * p[2] - m * v @ v) / L**2]})

    s = At(models, "delta-robot", p3=-0.5)
    m, M, l, L, R, r, g = (s.p[k] for k in "m M l L R r g".split())
    al, da = np.array([s.q[f"alpha{k}"] for k in (1, 2, 3)]), np.array([s.v[f"alpha{k}"] for k in (1, 2, 3)])
    p, v = np.array([s.q[f"p{k}"] for k in (1, 2, 3)]), np.array([s.v[f"p{k}"] for k in (1, 2, 3)])
    phi = 2 * np.pi * np.arange(3) / 3
    out = np.array([cos(phi), sin(phi), 0 * phi]).T
    up = np.array([0, 0, 1])
    elbow = (R - r + l * cos(al))[:, None] * out - (l * sin(al))[:, None] * up
    slope = -(l * sin(al))[:, None] * out - (l * cos(al))[:, None] * up       # d elbow / d alpha
    bend = -(l * cos(al))[:, None] * out + (l * sin(al))[:, None] * up
    W = np.hstack([2 * (p - elbow), np.diag(-2 * np.einsum("ij,ij->i", p - elbow, slope))])
    rate = v - slope * da[:, None]
    gamma = 2 * np.einsum("ij,ij->i", rate, rate) - 2 * np.einsum("ij,ij->i", p - elbow, bend) * da**2
    s.compare("delta-robot", M=np.diag([m] * 3 + [M * l**2 / 3] * 3), B=[0] * 6,
              G=[0, 0, m * g, *(-M * g * l / 2 * cos(al))], W=W, gamma=gamma,
              F=[0, 0, 0, s.u["tau_1"], s.u["tau_2"], s.u["tau_3"]])
    check("delta-robot: V", abs(s.d["energy"]["potential"] - m * g * p[2] + M * g * l / 2 * sum(sin(al))), 1e-14)

    s = At(models, "rod-on-corner", consistent=True)
    m, a, h, g, th, w = s.p["m"], s.p["a"], s.p["h"], s.p["g"], s.q["theta"], s.v["theta"]
    I = m * a**2 / 3
    s.compare("rod-on-corner", M=[[m, -m * a * sin(th)], [-m * a * sin(th), I + m * a**2]],
              B=[-m * a * w**2 * cos(th), 0], G=[0, m * g * a * cos(th)], W=[[1, -h / sin(th)**2]],
              gamma=[2 * h * cos(th) / sin(th)**3 * w**2])
    A, C = a * sin(th), h / sin(th)**2    # m x'' = m A w' + m a w^2 cos + lam, (I+m a^2) w' - m A x'' = -m g a cos - C lam
    ddx_of_dw, ddx_0 = C, -2 * h * cos(th) / sin(th)**3 * w**2
    # Multiply the first row by C and add: lam drops out.
    dw = (-m * g * a * cos(th) + C * m * a * w**2 * cos(th) - (C * m - m * A) * ddx_0) / (
        (I + m * a**2) - C * m * A + (C * m - m * A) * ddx_of_dw)
    lam = m * (ddx_of_dw * dw + ddx_0) - m * A * dw - m * a * w**2 * cos(th)
    s.compare("rod-on-corner", **{"lambda": [lam], "outputs": [-lam / sin(th)]})

    s = At(models, "rolling-sphere", consistent=True)
    m, r, ps, th, ph = s.p["m"], s.p["r"], s.q["psi"], s.q["theta"], s.q["phi"]
    J, dps, dth, dph = 2 * m * r**2 / 5, s.v["psi"], s.v["theta"], s.v["phi"]
    M = np.diag([m, m, J, J, J])
    M[2, 4] = M[4, 2] = J * cos(th)
    s.compare("rolling-sphere", M=M, B=[0, 0, -J * sin(th) * dth * dph, J * sin(th) * dps * dph, -J * sin(th) * dth * dps],
              G=[0] * 5, W=[[cos(ps), sin(ps), 0, 0, r * sin(th)], [-sin(ps), cos(ps), 0, r, 0]], **{"lambda": [0, 0]})
    check("rolling-sphere: straight and uniform", worst([0, 0], [s.d["qdd"]["x"], s.d["qdd"]["y"]]), 1e-13)

    s = At(models, "double-pendulum")
    m1, m2, l1, l2, g = (s.p[k] for k in "m1 m2 l1 l2 g".split())
    t1, t2, w1, w2 = s.q["theta1"], s.q["theta2"], s.v["theta1"], s.v["theta2"]
    C, D = m2 * l1 * l2 * cos(t1 - t2), m2 * l1 * l2 * sin(t1 - t2)
    s.compare("double-pendulum", M=[[(m1 + m2) * l1**2, C], [C, m2 * l2**2]], B=[D * w2**2, -D * w1**2],
              G=[(m1 + m2) * g * l1 * sin(t1), m2 * g * l2 * sin(t2)])

    s = At(models, "four-bar")
    m = [s.p[f"m{k}"] for k in (1, 2, 3)]
    l = [s.p[f"l{k}"] for k in (1, 2, 3)]
    th = [s.q[f"theta{k}"] for k in (1, 2, 3)]
    W = np.zeros((8, 9))
    half = lambda k, sign: np.array([[1, 0, -sign * l[k] / 2 * sin(th[k])], [0, 1, sign * l[k] / 2 * cos(th[k])]])
    for row, (k, sign, j, other) in enumerate([(0, -1, None, 0), (1, -1, 0, 1), (2, 1, 1, 1), (2, -1, None, 0)]):
        W[2 * row:2 * row + 2, 3 * k:3 * k + 3] += half(k, sign)
        if j is not None:
            W[2 * row:2 * row + 2, 3 * j:3 * j + 3] -= half(j, other)
    s.compare("four-bar", M=np.diag(sum(([x, x, x * y**2 / 12] for x, y in zip(m, l)), [])), B=[0] * 9,
              G=sum(([0, x * s.p["g"], 0] for x in m), []), F=[0, 0, s.u["tau"], 0, 0, 0, 0, 0, 0], W=W)
    check("four-bar: n = N - rank W = 1", abs(9 - s.d["rank"] - 1), 0)

    for name, seed in (("n-link-chain", 0),):
        s = At(models, name, seed)
        m, l, g, n = s.p["m"], s.p["l"], s.p["g"], len(s.q)
        th, w = np.array([*s.q.values()]), np.array([*s.v.values()])
        # m l^2 (N - max(i, j) + 1/2) couples i and j; 1/3 in place of 1/2 on the diagonal.
        c = np.array([[n - 1 - max(i, j) + (1 / 3 if i == j else 1 / 2) for j in range(n)] for i in range(n)])
        d = th[:, None] - th[None, :]
        s.compare(name, M=m * l**2 * c * cos(d), B=m * l**2 * (c * sin(d)) @ w**2,
                  G=m * g * l * (n - np.arange(n) - 1 / 2) * cos(th), F=[0] * n)

    s = At(models, "n-link-chain-maximal")
    n, m, l = len(s.q) // 3, s.p["m"], s.p["l"]
    s.compare("n-link-chain-maximal", M=np.diag([m] * 2 * n + [m * l**2 / 12] * n), B=[0] * 3 * n,
              G=[0] * n + [m * s.p["g"]] * n + [0] * n)
    check("n-link-chain-maximal: n = N", abs(s.d["rank"] - 2 * n), 0)
    # The same motion in both coordinates.
    maximal, minimal = (oracle.load(models / f"{x}.toml") for x in ("n-link-chain-maximal", "n-link-chain"))
    rng = np.random.default_rng(7)
    th, w = rng.uniform(-1, 1, n), rng.uniform(-1, 1, n)
    inner = lambda f, k: sum(l * f[:k]) + l / 2 * f[k]
    q = [inner(cos(th), k) for k in range(n)] + [inner(sin(th), k) for k in range(n)] + list(th)
    v = [inner(-sin(th) * w, k) for k in range(n)] + [inner(cos(th) * w, k) for k in range(n)] + list(w)
    big = oracle.evaluate(maximal, {"q": dict(zip(maximal.coordinates, map(float, q))), "qd": dict(zip(maximal.coordinates, map(float, v)))})
    small = oracle.evaluate(minimal, {"q": dict(zip(minimal.coordinates, map(float, th))), "qd": dict(zip(minimal.coordinates, map(float, w)))})
    check("chain: maximal = minimal coordinates", worst(list(small["qdd"].values()), [big["qdd"][f"theta{k + 1}"] for k in range(n)]), 1e-11)


def andrews_matrix(p, q):
    """M as printed in the test set."""
    _, Th, _, Ph, _, Om, _ = q
    sin, cos = np.sin, np.cos
    m, I = [0] + [p[f"m{k}"] for k in range(1, 8)], [0] + [p[f"I{k}"] for k in range(1, 8)]
    rr, ra, da, e, ea, zt, zf, fa, u = (p[k] for k in "rr ra da e ea zt zf fa u".split())
    M = np.zeros((7, 7))
    M[0, 0] = m[1] * ra**2 + m[2] * (rr**2 - 2 * da * rr * cos(Th) + da**2) + I[1] + I[2]
    M[1, 0] = m[2] * (da**2 - da * rr * cos(Th)) + I[2]
    M[1, 1] = m[2] * da**2 + I[2]
    M[2, 2] = m[3] * (p["sa"]**2 + p["sb"]**2) + I[3]
    M[3, 3] = m[4] * (e - ea)**2 + I[4]
    M[4, 3] = m[4] * ((e - ea)**2 + zt * (e - ea) * sin(Ph)) + I[4]
    M[4, 4] = m[4] * (zt**2 + 2 * zt * (e - ea) * sin(Ph) + (e - ea)**2) + m[5] * (p["ta"]**2 + p["tb"]**2) + I[4] + I[5]
    M[5, 5] = m[6] * (zf - fa)**2 + I[6]
    M[6, 5] = m[6] * ((zf - fa)**2 - u * (zf - fa) * sin(Om)) + I[6]
    M[6, 6] = m[6] * ((zf - fa)**2 - 2 * u * (zf - fa) * sin(Om) + u**2) + m[7] * (p["ua"]**2 + p["ub"]**2) + I[6] + I[7]
    return M + np.tril(M, -1).T


def andrews_force(p, q, v):
    """f of the test set: F - B - G."""
    be, Th, ga, Ph, de, Om, ep = q
    dbe, dTh, _, dPh, dde, dOm, dep = v
    sin, cos = np.sin, np.cos
    xd, yd = p["sd"] * cos(ga) + p["sc"] * sin(ga) + p["xb"], p["sd"] * sin(ga) - p["sc"] * cos(ga) + p["yb"]
    L = np.hypot(xd - p["xc"], yd - p["yc"])
    F = -p["c0"] * (L - p["l0"]) / L
    fx, fy = F * (xd - p["xc"]), F * (yd - p["yc"])
    a, b, c = p["m2"] * p["da"] * p["rr"], p["m4"] * p["zt"] * (p["e"] - p["ea"]), p["m6"] * p["u"] * (p["zf"] - p["fa"])
    return [p["mom"] - a * dTh * (dTh + 2 * dbe) * sin(Th), a * dbe**2 * sin(Th),
            fx * (p["sc"] * cos(ga) - p["sd"] * sin(ga)) + fy * (p["sd"] * cos(ga) + p["sc"] * sin(ga)),
            b * dde**2 * cos(Ph), -b * dPh * (dPh + 2 * dde) * cos(Ph), -c * dep**2 * cos(Om), c * dOm * (dOm + 2 * dep) * cos(Om)]


def published(models):
    model = oracle.load(models / "andrews-squeezer.toml").derive()
    d = oracle.evaluate(model)
    check("andrews: a(0) published", worst([14222.4439199541138705911625887, -10666.8329399655854029433719415, 0, 0, 0, 0, 0], list(d["qdd"].values())), 2e-16)
    check("andrews: lambda(0) published", worst([98.5668703962410896057654982170, -6.12268834425566265503114393122, 0, 0, 0, 0], list(d["lambda"].values())), 3e-16)
    check("andrews: h(q0)", max(map(abs, d["residual"]["position"].values())), 1e-28)
    s = At(models, "andrews-squeezer")
    q, v = [*s.q.values()], [*s.v.values()]
    M = andrews_matrix(s.p, q)
    check("andrews: M of the test set", np.abs(M - np.array(s.d["M"])).max() / np.abs(M).max(), 1e-14)
    f = np.array(s.d["F"]) - s.d["B"] - s.d["G"]
    check("andrews: f of the test set", worst(andrews_force(s.p, q, v), f), 1e-13)
    # The reference at t = 0.03, column 3 of the case: q, v in; a, lambda out (q, v as doubles, so 1e-9).
    end_q = [15.810771195153707097, -15.75637105841183947, 0.040822240119645804858, -0.53473011634207959377, 0.52440996587995406937, 0.53473011634207959377, 1.0480807410419378731]
    end_v = [1139.9203022591060642, -1424.3792951775400732, 11.032911910618593745, 19.293374105032040832, 0.57356991482950245382, -19.293374105032040832, 0.32317914924913087499]
    end_a = [-24631.76312287463447, 51850.319636464231534, 324102.60070757860581, 566749.42200099532649, 16743.63541834544461, -566749.42200099532649, 9826.5078015441626885]
    end_l = [199.17534810453862819, -29.755309974971763324, 23.066543611622151129, 31.452725275771137075, 22.642494786394378578, 11.617392352611255907]
    d = oracle.evaluate(model, {"q": dict(zip(model.coordinates, end_q)), "qd": dict(zip(model.coordinates, end_v))})
    check("andrews: a(0.03)", worst(end_a, list(d["qdd"].values())), 1e-11)
    check("andrews: lambda(0.03)", worst(end_l, list(d["lambda"].values())), 1e-11)

    model = oracle.load(models / "car-axis.toml").derive()
    d = oracle.evaluate(model)
    check("car-axis: a(0) = (0,-1,0,-1), lambda(0) = 0, consistent",
          worst([0, -1, 0, -1, 0, 0, 0, 0, 0, 0], [*d["qdd"].values(), *d["lambda"].values(), *d["residual"]["position"].values(), *d["residual"]["velocity"].values()]), 1e-30)
    d = oracle.evaluate(model, {"t": 3, "q": dict(zip(model.coordinates, [0.0493455784275240921315268, 0.496989460230008106762934, 1.04174252488542611519478, 0.373911027265365819357898])),
                                "qd": dict(zip(model.coordinates, [-0.0770583684035920842839406, 0.00744686659206841649140175, 0.0175568157535417366297406, 0.770341043779601063120643]))})
    check("car-axis: lambda(3), recomputed column", worst([-0.00473688659085332651531348, -0.0011046803312595658398606], list(d["lambda"].values())), 1e-14)

    n = numeric.Numeric(oracle.load(models / "chaplygin-sleigh.toml"))
    q, v, _, _ = n.assemble()
    t, Q, V, lam, E, rank = n.simulate(q, v, 3.0, segments=10, rtol=1e-12)
    u = V[-1][0] * np.cos(Q[-1][2]) + V[-1][1] * np.sin(Q[-1][2])
    check("chaplygin-sleigh: u, w, theta, force at t = 3", worst([1.4391417144554, 0.2314778783841, 2.5679686218659, 0.3338632361103], [u, V[-1][2], Q[-1][2], lam[-1][0]]), 1e-11)
    n = numeric.Numeric(oracle.load(models / "cartesian-pendulum.toml"))
    q, v, _, _ = n.assemble()
    t, Q, V, lam, E, rank = n.simulate(q, v, 10.0, segments=200, rtol=1e-12)
    check("cartesian-pendulum: A01 at t = 10", worst([-0.27508746257611686, -0.961419205099125064], Q[-1]), 1e-8)
    n = numeric.Numeric(oracle.load(models / "point-pendulum-3d.toml"))
    q, v, _, _ = n.assemble()
    t, Q, V, lam, E, rank = n.simulate(q, v, 3.0, segments=60, rtol=1e-12)
    check("point-pendulum-3d: p3 at t = 3", abs(Q[-1][2] + 1.133464057567), 1e-8)


BRANCH = {  # one inequality per model tells the intended branch
    "cartesian-pendulum": lambda q: q["x"] < 0, "point-pendulum-3d": lambda q: q["p3"] < 0,
    "slider-crank": lambda q: abs(q["x"] - 0.8) < 0.01 and 2.7 < q["phi"] < 2.8,
    "four-bar": lambda q: 0.3 < q["theta2"] < 0.6 and 1.2 < q["theta3"] < 1.4,
    "delta-robot": lambda q: q["p3"] < -0.4 and abs(q["p1"]) < 1e-12, "polar-pendulum": lambda q: q["r"] > 0,
    "rod-on-corner": lambda q: 0 < q["x"] < 1, "andrews-squeezer": lambda q: abs(q["epsilon"] - 1.2305474) < 1e-6,
    "n-link-chain-maximal": lambda q: abs(q["x1"] - 0.1) < 1e-12 and abs(q["x10"] - 1.9) < 1e-12,
}


def starts(models):
    for path in sorted(models.glob("*.toml")):
        model = oracle.load(path)
        n = numeric.Numeric(model)
        q, v, steps, residual = n.assemble()
        check(f"{path.stem}: assembled in {steps} steps", residual, 1e-14)
        if path.stem in BRANCH:
            check(f"{path.stem}: intended branch", 0 if BRANCH[path.stem](dict(zip(model.coordinates, q))) else 1, 0)
        until = float(oracle.quantity(model.data["simulation"]["until"]))
        t, Q, V, lam, E, rank = n.simulate(q, v, until, segments=60, rtol=1e-8)
        check(f"{path.stem}: runs to {until:g}, W keeps rank {rank.min()} (all {n.m}), |v| <= {np.abs(V).max():.3g}",
              0 if rank.min() == n.m and np.isfinite(Q).all() else 1, 0)


def path_check(count):
    """Differentiates numerically along q(s) = q + v s + a s²/2 with the oracle's q̈ for a: Lagrange's equations and the
    second derivative of every constraint must come out zero. Uses only values of T, V, h, η; 40 digits."""
    for index in range(count):
        name, text, state, document = random_models.draw(99, index)
        model = oracle.Model(text)
        exact_state = json.loads(json.dumps(state), parse_float=oracle.exact)
        number = lambda x: oracle.Evaluator({})(oracle.quantity(x))
        q0, v0 = ([number(exact_state[k][n]) for n in model.coordinates] for k in ("q", "qd"))
        t0 = number(exact_state["t"])
        fixed = {p: number(exact_state.get("parameters", {}).get(n, model.parameters[n])) for n, p in model.p_of.items()}
        a = [mpf(document["qdd"][n]) for n in model.coordinates]
        lam = [mpf(document["lambda"][n]) for n in model.rows]

        def value(e, q, v, t):
            at = oracle.Evaluator({**fixed, **dict(zip(model.q, q)), **dict(zip(model.v, v)), model.t: t})
            for n, u in model.u_of.items():
                given = exact_state.get("inputs", {}).get(n)
                at.memo[u] = at(model.inputs[n]) if given is None else number(given)
            return at(e)

        def slope(f, step=mpf("1e-4")):
            """f'(0), 6th order; the error is about step^6."""
            return sum(c * (f(k * step) - f(-k * step)) for k, c in ((1, mpf(3) / 4), (2, -mpf(3) / 20), (3, mpf(1) / 60))) / step

        L = model.T - model.V
        nudged = lambda x, i, s: [y + (s if j == i else 0) for j, y in enumerate(x)]
        along = lambda s: ([q + v * s + b * s * s / 2 for q, v, b in zip(q0, v0, a)], [v + b * s for v, b in zip(v0, a)], t0 + s)

        def momentum(i, s):
            q, v, t = along(s)
            return slope(lambda e: value(L, q, nudged(v, i, e), t))

        worst_error = mpf(0)
        for i in range(len(q0)):
            left = slope(lambda s: momentum(i, s)) - slope(lambda e: value(L, nudged(q0, i, e), v0, t0))
            right = value(model.F[i], q0, v0, t0)
            for row, e, holonomic, mu in zip(model.rows, model.row_expressions, model.holonomic, lam):
                right += mu * (slope(lambda s: value(e, nudged(q0, i, s), v0, t0)) if holonomic
                               else slope(lambda s: value(e, q0, nudged(v0, i, s), t0)))
            worst_error = max(worst_error, abs(left - right) / max(1, abs(left)))
        for e, holonomic in zip(model.row_expressions, model.holonomic):
            f = lambda s: value(e, *along(s))
            rate = slope(lambda s: slope(lambda r: f(s + r))) if holonomic else slope(f)
            worst_error = max(worst_error, abs(rate))
        check(f"path: {name}, N = {len(q0)}, m = {len(lam)}", worst_error, 1e-11)


def main():
    parser = argparse.ArgumentParser(description="Checks the shipped models and the oracle against physics.")
    parser.add_argument("--models", default=str(HERE.parent.parent.parent / "models"))
    parser.add_argument("--random", type=int, default=20)
    arguments = parser.parse_args()
    models = pathlib.Path(arguments.models)
    closed_forms(models)
    published(models)
    starts(models)
    path_check(arguments.random)
    print(f"{len(failures)} failures" + "".join(f"\n  {f}" for f in failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
