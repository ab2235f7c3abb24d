#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds `dalembert eval --json` against the SymPy oracle, on random models and on the shipped ones.

    compare_with_sympy.py --dalembert PATH [--count 60] [--seed 1] [--quick]

Each of M, B, G, F, W, a, gamma, qdd, lambda must agree to 1e-10 of that term's largest entry (of 1 where it is smaller,
save M and W, which have a scale of their own); so must the formulas of `derive --only S,reduced`, where they are short enough
to be written. Exit status 0: all agree; 1: something does not; 2: usage.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "oracles" / "sympy"))
import oracle  # noqa: E402
import random_models  # noqa: E402
import reduction  # noqa: E402

TERMS = ("M", "B", "G", "F", "W", "a", "gamma", "qdd", "lambda")
OWN_SCALE = ("M", "W")
LARGE = ("ur5", "whipple-bicycle")


def flat(value, names):
    """A term as one list of numbers, named terms in the order of names; None where there is none."""
    if value is None:
        return None
    if isinstance(value, dict):
        return [value.get(n) for n in names]
    return [x for row in value for x in row] if value and isinstance(value[0], list) else list(value)


def differences(expected, got, tolerance):
    """Lines saying where two documents differ."""
    lines = []
    for key in ("coordinates", "constraints", "rank"):
        if expected[key] != got.get(key):
            lines.append(f"{key}: expected {expected[key]}, got {got.get(key)}")
    if lines:
        return lines
    more = tuple(term for term in ("v", "vdot", "actuation") if term in expected)
    for term in TERMS + ("energy",) + more:
        names = {"qdd": expected["coordinates"], "lambda": expected["constraints"], "energy": ["kinetic", "potential"],
                 **{m: list(expected[m] or ()) for m in more}}.get(term)
        e, g = flat(expected[term], names), flat(got.get(term), names)
        if e is None or not e:
            if g:
                lines.append(f"{term}: expected none, got {g}")
            continue
        if g is None or len(g) != len(e) or any(not isinstance(x, (int, float)) for x in g):
            lines.append(f"{term}: expected {e}, got {g}")
            continue
        scale = max(map(abs, e)) or 1.0
        if term not in OWN_SCALE:
            scale = max(scale, 1.0)
        worst = max(range(len(e)), key=lambda i: abs(e[i] - g[i]) if g[i] == g[i] else float("inf"))
        error = abs(e[worst] - g[worst]) / scale
        if not error <= tolerance:
            lines.append(f"{term}: entry {worst} expected {e[worst]:.17g}, got {g[worst]:.17g}, off by {error:.1e}")
    return lines


def run(command, timeout):
    """(document, None) or (None, what went wrong)."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout)
    except (OSError, subprocess.TimeoutExpired) as error:
        return None, str(error)
    if done.returncode != 0:
        return None, f"exit status {done.returncode}: {done.stderr.strip()[:2000]}"
    try:
        return json.loads(done.stdout), None
    except ValueError as error:
        return None, f"not JSON: {error}: {done.stdout[:200]!r}"


def reduced(arguments, path, state):
    """Lines saying where the reduced equations of a model are wrong; None where there are none to hold against."""
    document, trouble = run([arguments.dalembert, "derive", str(path), "--only", "S,reduced", "--json"], arguments.timeout)
    if trouble:
        return [f"derive --only S,reduced: {trouble}"]
    if not document["quasi_velocities"] or document["S"] is None:
        return None
    model = oracle.load(path)
    model.derive()
    state = {**state, "q": {**model.initial_state()["q"], **{n: 0 for n in model.coordinates if n not in state["q"]}, **state["q"]}}
    return reduction.differences(model, document, state, arguments.tolerance)


def perturbed(path, seed):
    """(state, expected) of a shipped model near its initial state; nothing is left at zero."""
    rng = random.Random(f"{seed}/{path.stem}")
    model = oracle.load(path)
    start = model.initial_state()
    near = lambda value, size: float(value) + rng.uniform(0.2, 1) * rng.choice((-1, 1)) * size

    def number(value):
        """A quantity, or an expression of parameters such as a guess may be."""
        try:
            return float(oracle.quantity(value))
        except oracle.OracleError:
            return float(model.expression(value).subs({p: model.parameters[n] for n, p in model.p_of.items()}))

    positions = {n: number(start["q"].get(n, 0)) for n in model.coordinates}
    velocities = {n: number(start["qd"].get(n, 0)) for n in model.coordinates}
    state = {"t": round(rng.uniform(0.1, 1), 3),
             "q": {n: near(x, 0.02 + 0.1 * abs(x)) for n, x in positions.items()},
             "qd": {n: near(x, 0.5 + 0.2 * abs(x)) for n, x in velocities.items()},
             "inputs": {n: round(rng.uniform(-3, 3), 3) for n in model.inputs}}
    return state, oracle.evaluate(model, json.loads(json.dumps(state), parse_float=oracle.exact))


def shipped(path, seed, folder):
    """(path, file of the state, expected) of a shipped model; (path, None, why) where the oracle leaves out what it says."""
    try:
        state, expected = perturbed(path, seed)
    except oracle.NotCovered as error:
        return path, None, str(error)
    at = folder / f"{path.stem}.state.json"
    at.write_text(json.dumps(state, indent=1) + "\n")
    return path, at, expected


def check(case, arguments):
    """Lines saying what is wrong with a case, and whether its reduced equations were compared."""
    path, at, expected = case
    if at is None:
        return [], False
    got, trouble = run([arguments.dalembert, "eval", str(path), "--at", str(at), "--json"], arguments.timeout)
    lines = [trouble] if trouble else differences(expected, got, arguments.tolerance)
    if lines:
        return lines, False
    found = reduced(arguments, path, json.loads(at.read_text(), parse_float=oracle.exact))
    return found or [], found is not None


def main():
    parser = argparse.ArgumentParser(description="Differential test of `dalembert eval` against SymPy.")
    parser.add_argument("--dalembert", required=True, help="the binary")
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=int(os.environ.get("DALEMBERT_TEST_SEED", "1")))
    parser.add_argument("--tolerance", type=float, default=1e-10)
    parser.add_argument("--models", default=str(HERE.parent.parent / "models"), help="the shipped models")
    parser.add_argument("--keep", metavar="DIR", help="write the generated files here and keep them")
    parser.add_argument("--timeout", type=float, default=60)
    parser.add_argument("--quick", action="store_true", help=f"without {', '.join(LARGE)}, which take SymPy a minute each")
    arguments = parser.parse_args()

    begin, failed, total, formulas = time.monotonic(), [], 0, 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(arguments.keep or scratch)
        folder.mkdir(parents=True, exist_ok=True)
        cases = []
        paths = sorted(pathlib.Path(arguments.models).glob("*.toml"))
        if arguments.quick:
            paths = [p for p in paths if p.stem not in LARGE]
        # SymPy is slow: the shipped models beside the random ones, on every core.
        with concurrent.futures.ProcessPoolExecutor() as pool:
            of_models = pool.map(shipped, paths, [arguments.seed] * len(paths), [folder] * len(paths))
            for name in random_models.write(arguments.seed, arguments.count, folder):
                expected = json.loads((folder / f"{name}.expected.json").read_text())
                cases.append((folder / f"{name}.toml", folder / f"{name}.state.json", expected))
            cases += of_models
            results = list(pool.map(check, cases, [arguments] * len(cases)))
        for (path, at, expected), (lines, of_formulas) in zip(cases, results):
            if at is None:
                print(f"left out: {path.stem}: {expected}")
                continue
            total += 1
            formulas += of_formulas
            if lines:
                failed.append(path.stem)
                print(f"FAIL {path.stem}")
                for line in lines:
                    print(f"     {line}")
    print(f"{total - len(failed)} of {total} models agree to {arguments.tolerance:g}, {formulas} of them reduced, in {time.monotonic() - begin:.0f} s"
          f" (seed {arguments.seed})")
    if failed:
        print("disagree: " + " ".join(failed))
        if not arguments.keep:
            print("look closer with --keep DIR")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
