#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""From Python: one state, a million states and SciPy's integrator, by the package and by SymPy's lambdify with NumPy.

    PYTHONPATH=build/release/python python_calls.py --out out/bench/python.json [--repetitions 5]

Writes what Google Benchmark would write, so that bench/table.py reads it with the rest. Both give the same accelerations, or
nothing is measured.
"""

import argparse
import json
import sys
import timeit

try:
    import numpy
    import sympy
    from scipy.integrate import solve_ivp

    import dalembert
    from sympy_kernels import derive, slider_crank
except ImportError as error:
    print(f"bench: Python is not measured: {error}", file=sys.stderr)
    sys.exit(0)

MANY = 10**6


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", required=True)
    parser.add_argument("--repetitions", type=int, default=5)
    arguments = parser.parse_args()

    model = dalembert.load("slider-crank")
    f, rhs = model.compile("qdd"), model.rhs()
    (matrix, right), plain = derive(slider_crank)
    by_sympy = sympy.lambdify([*plain[0], *plain[1]], [matrix, right], modules="numpy", cse=True)

    entries = sympy.lambdify([*plain[0], *plain[1]], [*matrix, *right], modules="numpy", cse=True)
    size = right.rows

    def one_by_sympy(q, v):
        return numpy.linalg.solve(*by_sympy(*q, *v))[:3, 0]

    def many_by_sympy(q, v):
        # Entries that do not depend on the state are numbers, the others arrays.
        all_entries = numpy.stack([entry + 0*q[:, 0] for entry in entries(*q.T, *v.T)], axis=1)
        A, b = all_entries[:, :size*size].reshape(-1, size, size), all_entries[:, size*size:, None]
        return numpy.linalg.solve(A, b)[:, :3, 0]

    def slope_by_sympy(_, y):
        return numpy.concatenate([y[3:], one_by_sympy(y[:3], y[3:])])

    states = slider_crank()[-1]
    q, v = (numpy.array([state[k] for state in states]) for k in (0, 1))
    for got, way in ((f.qdd(q, v), "arrays"), (many_by_sympy(q, v), "SymPy's arrays")):
        expected = numpy.array([one_by_sympy(*state) for state in states])
        if not numpy.allclose(got, expected, rtol=1e-9, atol=1e-9):
            sys.exit(f"bench: {way} differ by {abs(got - expected).max()}")

    one = q[0].copy(), v[0].copy()
    many = numpy.tile(q, (MANY//64, 1)), numpy.tile(v, (MANY//64, 1))
    y = numpy.concatenate(model.consistent())
    integrate = {"method": "RK45", "rtol": 1e-8, "atol": 1e-10}
    rows = [("python.one/dalembert", lambda: f.qdd(*one), 20000, 1), ("python.one/SymPy lambdify, NumPy solve", lambda: one_by_sympy(*one), 500, 1),
            ("python.million/dalembert", lambda: f.qdd(*many), 1, len(many[0])),
            ("python.million/SymPy lambdify, NumPy solve", lambda: many_by_sympy(*many), 1, len(many[0])),
            ("python.solve_ivp/dalembert", lambda: solve_ivp(rhs, (0, 1), y, **integrate), 1, 1),
            ("python.solve_ivp/SymPy lambdify, NumPy solve", lambda: solve_ivp(slope_by_sympy, (0, 1), y, **integrate), 1, 1)]
    benchmarks = []
    for name, call, number, of in rows:
        times = sorted(timeit.repeat(call, number=number, repeat=arguments.repetitions))
        benchmarks.append({"name": name, "run_name": name, "run_type": "iteration", "seconds": times[len(times)//2]/number/of})
        print(f"{name:55} {benchmarks[-1]['seconds']:.3e} s")
    with open(arguments.out, "w", encoding="utf-8") as file:
        json.dump({"benchmarks": benchmarks}, file)


if __name__ == "__main__":
    main()
