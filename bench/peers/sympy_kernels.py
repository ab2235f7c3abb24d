#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""SymPy at the same tasks: LagrangesMethod, then lambdify and NumPy's solve, and C by cse and gcc.

    sympy_kernels.py --out out/bench/sympy.json [--repetitions 5]

Writes what Google Benchmark would write, so that bench/table.py reads it with the rest. Accelerations are compared with
values of the hand-written kernels (bench/reference) first. Importing SymPy is not counted.
"""

import argparse
import ctypes
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time

try:
    import numpy
    import sympy
    from sympy.physics.mechanics import LagrangesMethod, dynamicsymbols
except ImportError as error:
    print(f"bench: SymPy is not measured: {error}", file=sys.stderr)
    sys.exit(0)

WHO = f"SymPy {sympy.__version__}"


def slider_crank():
    theta, phi, x = q = dynamicsymbols("theta phi x")
    g, L1, L2, m1, m2, m3, I1, I2 = 9.81, 0.15, 0.35, 0.36, 0.84, 1.2, 0.0027, 0.0343
    bodies = [
        (m1, I1, (L1 * sympy.cos(theta), L1 * sympy.sin(theta)), theta),
        (m2, I2, (2 * L1 * sympy.cos(theta) - L2 * sympy.cos(phi), 2 * L1 * sympy.sin(theta) - L2 * sympy.sin(phi)), phi),
        (m3, 0, (x, 0), 0),
    ]
    rows = [2 * L1 * sympy.cos(theta) - 2 * L2 * sympy.cos(phi) - x, 2 * L1 * sympy.sin(theta) - 2 * L2 * sympy.sin(phi)]
    # The hand-written kernel's accelerations (bench/reference) at theta = pi/4, 10 rad/s.
    state = ([0.785398163397448, 2.8337055620178, 0.879215237562281], [10, -3.17999364001908, -2.79589886365592])
    check = (state, [-70.0500068899317, 50.8600701338811, -2.31008802336144], 1e-11)
    return q, lagrangian(bodies, g), rows, check, slider_crank_states()


def slider_crank_states():
    """The states of bench/states.h."""
    states = []
    for j in range(64):
        theta, rate = 0.1 + 2 * math.pi * j / 64, 10 + 5 * math.sin(j)
        phi = math.pi - math.asin(0.15 * math.sin(theta) / 0.35)
        x = 0.3 * math.cos(theta) - 0.7 * math.cos(phi)
        dphi = 0.15 * math.cos(theta) * rate / (0.35 * math.cos(phi))
        dx = -0.3 * math.sin(theta) * rate + 0.7 * math.sin(phi) * dphi
        states.append(([theta, phi, x], [rate, dphi, dx]))
    return states


ANDREWS_START = [-0.0617138900142764496, 0.0, 0.455279819163070380, 0.222668390165885885, 0.487364979543842551,
                 -0.222668390165885885, 1.23054744454982119]


def andrews():
    be, th, ga, ph, de, om, ep = q = dynamicsymbols("beta Theta gamma Phi delta Omega epsilon")
    sin, cos = sympy.sin, sympy.cos
    m1, m2, m3, m4, m5, m6, m7 = .04325, .00365, .02373, .00706, .07050, .00706, .05498
    I1, I2, I3, I4, I5, I6, I7 = 2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5
    xa, ya, xb, yb, xc, yc, c0, l0, mom = -.06934, -.00227, -.03635, .03273, .014, .072, 4530, .07785, .033
    d, da, e, ea, rr, ra, ss, sa, sb, sc, sd = .028, .0115, .02, .01421, .007, .00092, .035, .01874, .01043, .018, .02
    ta, tb, u, ua, ub, zf, zt, fa = .02308, .00916, .04, .01228, .00449, .02, .04, .01421
    bodies = [
        (m1, I1, (ra * cos(be), ra * sin(be)), be),
        (m2, I2, (rr * cos(be) - da * cos(be + th), rr * sin(be) - da * sin(be + th)), be + th),
        (m3, I3, (xb + sa * sin(ga) + sb * cos(ga), yb - sa * cos(ga) + sb * sin(ga)), ga),
        (m4, I4, (xa + zt * cos(de) + (e - ea) * sin(ph + de), ya + zt * sin(de) - (e - ea) * cos(ph + de)), ph + de),
        (m5, I5, (xa + ta * cos(de) - tb * sin(de), ya + ta * sin(de) + tb * cos(de)), de),
        (m6, I6, (xa + u * sin(ep) + (zf - fa) * cos(om + ep), ya - u * cos(ep) + (zf - fa) * sin(om + ep)), om + ep),
        (m7, I7, (xa + ua * sin(ep) - ub * cos(ep), ya - ua * cos(ep) - ub * sin(ep)), ep),
    ]
    spring = sympy.sqrt((xb + sc * sin(ga) + sd * cos(ga) - xc) ** 2 + (yb - sc * cos(ga) + sd * sin(ga) - yc) ** 2)
    x, y = rr * cos(be) - d * cos(be + th), rr * sin(be) - d * sin(be + th)
    rows = [
        xb + ss * sin(ga) - x, yb - ss * cos(ga) - y,
        xa + zt * cos(de) + e * sin(ph + de) - x, ya + zt * sin(de) - e * cos(ph + de) - y,
        xa + u * sin(ep) + zf * cos(om + ep) - x, ya - u * cos(ep) + zf * sin(om + ep) - y,
    ]
    # A constant torque about beta has a potential.
    L = lagrangian(bodies, 0) - c0 * (spring - l0) ** 2 / 2 + mom * be
    states = [([a + 0.005 * math.sin(7 * j + i) for i, a in enumerate(ANDREWS_START)],
               [50 * math.cos(3 * j + 2 * i) for i in range(7)]) for j in range(64)]
    # Published (Hairer & Wanner, Solving ODEs II, VII.7).
    check = (ANDREWS_START, [0.0] * 7), [14222.4439199541, -10666.8329399656, 0, 0, 0, 0, 0], 1e-6
    return q, L, rows, check, states


def lagrangian(bodies, g):
    t = dynamicsymbols._t
    total = 0
    for mass, inertia, (x, y), angle in bodies:
        total += mass / 2 * (sympy.diff(x, t) ** 2 + sympy.diff(y, t) ** 2) - mass * g * y
        total += inertia / 2 * sympy.diff(angle, t) ** 2
    return total


def median_time(function, repetitions):
    times = []
    for _ in range(repetitions):
        start = time.perf_counter()
        result = function()
        times.append(time.perf_counter() - start)
    return statistics.median(times), result


def derive(build):
    """KKT matrix and right-hand side as a user gets them: the block of accelerations and multipliers."""
    q, L, rows, _, _ = build()
    method = LagrangesMethod(L, q, hol_coneqs=rows)
    method.form_lagranges_equations()
    n = len(q)
    matrix, right = method.mass_matrix_full[n:, n:], method.forcing_full[n:, :]
    plain = sympy.symbols(f"q0:{n}"), sympy.symbols(f"v0:{n}")
    t = dynamicsymbols._t
    known = {**{sympy.diff(a, t): v for a, v in zip(q, plain[1])}}
    known_q = dict(zip(q, plain[0]))
    return [part.subs(known).subs(known_q) for part in (matrix, right)], plain


def lambdified(equations):
    (matrix, right), (q, v) = equations
    function = sympy.lambdify([*q, *v], [matrix, right], modules="numpy", cse=True)
    return lambda q, v: numpy.linalg.solve(*function(*q, *v))[:, 0]


TEMPLATE = r"""
#include <math.h>
static void evaluate(const double* q, const double* v, double K[%(size)d][%(width)d]) {
%(body)s
}
/* q̈, then multipliers: Gaussian elimination with pivoting. */
void solve(const double* q, const double* v, double* x) {
  double K[%(size)d][%(width)d];
  evaluate(q, v, K);
  for (int k = 0; k < %(size)d; ++k) {
    int p = k;
    for (int i = k + 1; i < %(size)d; ++i) if (fabs(K[i][k]) > fabs(K[p][k])) p = i;
    if (p != k) for (int j = k; j < %(width)d; ++j) { double s = K[k][j]; K[k][j] = K[p][j]; K[p][j] = s; }
    double d = 1 / K[k][k];
    for (int i = k + 1; i < %(size)d; ++i) {
      double f = K[i][k] * d;
      for (int j = k + 1; j < %(width)d; ++j) K[i][j] -= f * K[k][j];
    }
  }
  for (int k = %(size)d - 1; k >= 0; --k) {
    double s = K[k][%(size)d];
    for (int j = k + 1; j < %(size)d; ++j) s -= K[k][j] * x[j];
    x[k] = s / K[k][k];
  }
}
void solve_all(const double* q, const double* v, double* x, int count, int rounds) {
  for (int r = 0; r < rounds; ++r)
    for (int j = 0; j < count; ++j) solve(q + %(n)d * j, v + %(n)d * j, x + %(size)d * j);
}
"""


def compiled(equations, folder):
    """The same by common subexpressions, C and gcc -O3."""
    (matrix, right), (q, v) = equations
    size, n = matrix.rows, len(q)
    names = {**{s: sympy.Symbol(f"q[{i}]") for i, s in enumerate(q)}, **{s: sympy.Symbol(f"v[{i}]") for i, s in enumerate(v)}}
    steps, results = sympy.cse([*matrix, *right])
    lines = [f"  const double {name} = {sympy.ccode(value.subs(names))};" for name, value in steps]
    for place, value in enumerate(results):
        row, column = (place // size, place % size) if place < size * size else (place - size * size, size)
        lines.append(f"  K[{row}][{column}] = {sympy.ccode(value.subs(names))};")
    source, library = os.path.join(folder, "kernel.c"), os.path.join(folder, f"kernel{time.monotonic_ns()}.so")
    with open(source, "w", encoding="utf-8") as file:
        file.write(TEMPLATE % {"size": size, "width": size + 1, "n": n, "body": "\n".join(lines)})
    subprocess.run(["gcc", "-O3", "-march=native", "-shared", "-fPIC", source, "-o", library, "-lm"], check=True)
    return ctypes.CDLL(library)


def packed(rows):
    flat = [number for row in rows for number in row]
    return (ctypes.c_double * len(flat))(*flat)


def measure(name, build, repetitions, report):
    _, _, _, (state, expected, tolerance), states = build()
    derivation, equations = median_time(lambda: derive(build), 3)
    making, numeric = median_time(lambda: lambdified(equations), 3)

    def all_states():
        return [numeric(q, v) for q, v in states]

    results = all_states()
    difference = max(abs(a - b) / (1 + abs(b)) for a, b in zip(numeric(*state), expected))
    if difference > tolerance:
        sys.exit(f"bench: SymPy's {name} differs from what is known by {difference}")
    seconds, _ = median_time(all_states, repetitions)
    report(f"{name}.scalar/{WHO} lambdify, NumPy solve", seconds / len(states), difference=difference)
    report(f"ready.{name}/{WHO} lambdify", derivation + making, derive=derivation)
    report(f"ready.{name}.derive/{WHO}", derivation)

    with tempfile.TemporaryDirectory() as folder:
        making, library = median_time(lambda: compiled(equations, folder), 3)
        positions, rates = packed(q for q, _ in states), packed(v for _, v in states)
        size = equations[0][0].rows
        out = (ctypes.c_double * (size * len(states)))()
        rounds = 2000
        library.solve_all(positions, rates, out, len(states), 1)
        worst = max(abs(out[j * size + i] - results[j][i]) / (1 + abs(results[j][i]))
                    for j in range(len(states)) for i in range(size))
        if worst > 1e-8:
            sys.exit(f"bench: {name}: C and lambdify differ by {worst}")
        seconds, _ = median_time(lambda: library.solve_all(positions, rates, out, len(states), rounds), repetitions)
        report(f"{name}.scalar/{WHO} to C, gcc -O3, dense LU", seconds / len(states) / rounds, difference=worst)
        report(f"ready.{name}/{WHO} to C, gcc -O3", derivation + making, derive=derivation)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", required=True)
    parser.add_argument("--repetitions", type=int, default=5)
    arguments = parser.parse_args()
    benchmarks = []

    def report(name, seconds, **counters):
        print(f"{name:60} {seconds:12.4g} s")
        benchmarks.append({"name": name, "run_name": name, "run_type": "aggregate", "aggregate_name": "median",
                           "seconds": seconds, **counters})

    measure("slider_crank", slider_crank, arguments.repetitions, report)
    measure("andrews", andrews, arguments.repetitions, report)
    with open(arguments.out, "w", encoding="utf-8") as file:
        json.dump({"context": {}, "benchmarks": benchmarks}, file, indent=1)


if __name__ == "__main__":
    main()
