#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Equations of motion for people: SymPy's LagrangesMethod with simplify beside `dalembert derive`, whole processes.

    sympy_lagrange.py --dalembert build/release/bin/dalembert [--limit SECONDS]

Prints medians of `dalembert derive MODEL` (11 runs) and one run of SymPy in a process of its own (it takes seconds to minutes;
what exceeds the limit is said so), with their ratio. SymPy gets the Lagrangian ready-made; dalembert reads the model file.
"""

import argparse
import statistics
import subprocess
import sys
import time

PREAMBLE = """
from sympy import *
from sympy.physics.mechanics import dynamicsymbols, LagrangesMethod
t = dynamicsymbols._t
"""

MODELS = {
    "slider-crank": """
th, ph, x = dynamicsymbols('theta phi x')
g, L1, L2, m1, m2, m3, I1, I2 = symbols('g L1 L2 m1 m2 m3 I1 I2', positive=True)
C1 = Matrix([L1*cos(th), L1*sin(th)]); C2 = Matrix([2*L1*cos(th) - L2*cos(ph), 2*L1*sin(th) - L2*sin(ph)])
T = m1/2*C1.diff(t).dot(C1.diff(t)) + I1/2*th.diff(t)**2 + m2/2*C2.diff(t).dot(C2.diff(t)) + I2/2*ph.diff(t)**2 + m3/2*x.diff(t)**2
V = m1*g*C1[1] + m2*g*C2[1]
h = [2*L1*cos(th) - 2*L2*cos(ph) - x, 2*L1*sin(th) - 2*L2*sin(ph)]
q = [th, ph, x]
""",
    "chaplygin-sleigh": """
x, y, th = dynamicsymbols('x y theta')
m, I_, b = symbols('m I b', positive=True)
T = m/2*(x.diff(t)**2 + y.diff(t)**2) + I_/2*th.diff(t)**2
V = 0
h = None
nh = [-x.diff(t)*sin(th) + y.diff(t)*cos(th) - b*th.diff(t)]
q = [x, y, th]
""",
    "double-pendulum": """
a, b = dynamicsymbols('theta1 theta2')
g, l1, l2, m1, m2 = symbols('g l1 l2 m1 m2', positive=True)
P = Matrix([l1*sin(a), -l1*cos(a)]); Q = P + Matrix([l2*sin(b), -l2*cos(b)])
T = m1/2*P.diff(t).dot(P.diff(t)) + m2/2*Q.diff(t).dot(Q.diff(t))
V = m1*g*P[1] + m2*g*Q[1]
h = None
q = [a, b]
""",
}

EPILOGUE = """
options = {}
if h is not None: options['hol_coneqs'] = h
if 'nh' in dir(): options['nonhol_coneqs'] = nh
lm = LagrangesMethod(T - V, q, **options)
print(simplify(lm.form_lagranges_equations()))
print(simplify(lm.mass_matrix_full))
"""


def dalembert_seconds(command, model):
    times = []
    for _ in range(11):
        start = time.perf_counter()
        subprocess.run([command, "derive", model], stdout=subprocess.DEVNULL, check=True)
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def sympy_seconds(program, limit):
    start = time.perf_counter()
    try:
        subprocess.run([sys.executable, "-c", PREAMBLE + program + EPILOGUE], stdout=subprocess.DEVNULL, check=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return None
    return time.perf_counter() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dalembert", required=True)
    parser.add_argument("--limit", type=float, default=120)
    arguments = parser.parse_args()
    print(f"{'model':20}{'dalembert':>12}{'SymPy':>14}{'ratio':>10}")
    for model, program in MODELS.items():
        ours, theirs = dalembert_seconds(arguments.dalembert, model), sympy_seconds(program, arguments.limit)
        shown = f"{theirs:12.2f} s" if theirs else f"> {arguments.limit:.0f} s"
        print(f"{model:20}{ours * 1e3:9.1f} ms{shown:>14}{(theirs or arguments.limit) / ours:10.0f}")


if __name__ == "__main__":
    main()
