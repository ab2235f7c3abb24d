#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Models as functions of CasADi's C interface, loaded by a program in C that follows its documentation (loader.c).

    run_casadi_tests.py --dalembert FILE MODEL ...      "all": every shipped model that can be exported

The loader holds sparsities against their rules, memory against its limits, and Jacobians against differences. Here accelerations, multipliers, outputs and
energies are compared with `dalembert eval` at the same state, which is none of the model's own: other code, by the interpreter.
Exit status: 0 all is well, 1 something is not, 77 there is no C compiler.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
SKIPPED = 77
# Of differences of order 4 with steps of 1e-4, relative to slope, value and 1: their error is 1e-16 times a fifth derivative, and round-off by 1e4, of a solve
# that may lose some digits itself.
MOST_OF_JACOBIANS = 1e-7


def run(*words, **more):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, **more)


def compiled(folder, compiler, *words):
    done = run(compiler, "-O1", "-Wall", "-Wextra", "-Werror", *words, cwd=folder)
    assert done.returncode == 0, done.stderr


def names_in(header, array):
    """The names that the header's comment gives the entries of an array."""
    return re.findall(rf"^ \*   {array}\[\d+\]  (\S+)", header, re.M)


def compare(what, found, expected):
    for k, (one, other) in enumerate(zip(found, expected, strict=True)):
        assert abs(one - other) <= 1e-9 * (1 + abs(other)), f"{what}[{k}]: {one} is not {other}"


def compare_with_eval(dalembert, model, header, said, folder):
    given = {words[1]: [float(word) for word in words[4:]] for words in said if words[0] == "given"}
    results = {(words[0], words[1]): [float(word) for word in words[4:]] for words in said if words[0] not in ("given", "error")}
    rates = [name.removesuffix("'") for name in names_in(header, "v")]
    if rates != names_in(header, "q"):
        return False  # a state has other names for them
    state = {"t": given["t"][0], "q": dict(zip(rates, given["q"])), "qd": dict(zip(rates, given["v"])),
             "parameters": dict(zip(names_in(header, "p"), given["p"])), "inputs": dict(zip(names_in(header, "u"), given.get("u", [])))}
    (folder / "state.json").write_text(json.dumps(state))
    done = run(dalembert, "eval", model, "--at", folder / "state.json", "--json")
    document = json.loads(done.stdout)
    if "qdd" not in document or document["qdd"] is None or document.get("contacts") or "frictions" in document:
        return False
    compare("vdot", results["motion", "vdot"], document["qdd"].values())
    # Forces that prescribe a motion are multipliers in the code, and `actuation` in the document.
    multipliers = dict(zip(names_in(header, "lambda"), results["motion", "lam"], strict=True))
    assert len(multipliers) == len(document["lambda"]) + len(document.get("actuation") or {})
    compare("lam", [multipliers[name] for name in document["lambda"]], document["lambda"].values())
    if ("outputs", "y") in results:
        stated = [name for name in names_in(header, "y") if "/" not in name]  # quasi-velocities come after them
        compare("y", results["outputs", "y"][:len(stated)], [document["outputs"][name] for name in stated])
    compare("e", results["energy", "e"][:2], [document["energy"]["kinetic"], document["energy"]["potential"]])
    columns = len(document["M"])
    M = results["terms", "M"]
    compare("M", [M[j * columns + i] for i in range(columns) for j in range(columns)], [entry for row in document["M"] for entry in row])
    if document["W"] and not document.get("actuation"):  # whose rows stand elsewhere
        W, rows = results["terms", "W"], len(document["W"])
        compare("W", [W[j * rows + i] for i in range(rows) for j in range(columns)], [entry for row in document["W"] for entry in row])
    return True


def judge(dalembert, compiler, loader, model, folder):
    done = run(dalembert, "export", model, "--to", "casadi", "-o", folder, "--json")
    if done.returncode != 0:
        assert "E053" in done.stdout, done.stdout + done.stderr
        return "not exported"
    files = [Path(name) for name in json.loads(done.stdout)["files"]]
    name = next(path.stem for path in files if path.suffix == ".h")
    compiled(folder, compiler, "-std=c99", "-fPIC", "-shared", f"{name}.c", f"{name}_casadi.c", "-lm", "-o", f"{name}.so")
    done = run(loader, folder / f"{name}.so", name, cwd=folder)
    said = [line.split() for line in done.stdout.splitlines()]
    assert done.returncode == 0, f"{model}: {done.stdout[-300:]}"
    errors = {words[1]: float(words[2]) for words in said if words[0] == "error"}
    for function, error in errors.items():
        assert error <= MOST_OF_JACOBIANS, f"{model}: the Jacobian of {function} differs by {error}"
    header = (folder / f"{name}.h").read_text(encoding="utf-8")
    compared = compare_with_eval(dalembert, model, header, said, folder)
    return f"Jacobians of {', '.join(errors) or 'nothing'}" + ("; the numbers are those of eval" if compared else "")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--dalembert", required=True, type=lambda path: Path(path).resolve())
    parser.add_argument("models", nargs="+")
    given = parser.parse_args()
    compiler = os.environ.get("CC") or shutil.which("cc") or shutil.which("gcc") or shutil.which("clang-19")
    if not compiler:
        print("skipped: there is no C compiler")
        return SKIPPED
    models = run(given.dalembert, "models", "--quiet").stdout.split() if given.models == ["all"] else given.models
    with tempfile.TemporaryDirectory(prefix="dalembert-casadi-") as folder:
        loader = Path(folder) / "loader"
        compiled(folder, compiler, HERE / "loader.c", "-o", loader, "-ldl", "-lm")
        reports = []
        for model in models:
            print(f"{model}: ", end="", flush=True)
            reports.append(judge(given.dalembert, compiler, loader, model, Path(folder)))
            print(reports[-1], flush=True)
    assert any("motion" in report and "eval" in report for report in reports)
    return 0


if __name__ == "__main__":
    sys.exit(main())
