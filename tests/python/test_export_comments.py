# SPDX-License-Identifier: Apache-2.0
"""Formulas beside the statements of exported code are what the statements compute: each is evaluated where it stands."""
import math
import re

import numpy as np
import pytest

import dalembert as dl

STATEMENT = re.compile(r"^( +)((?:r\d+(?:, r\d+)?|\w+\[\d+\])) = .*  # (.+)$")
FUNCTIONS = {"sin": math.sin, "cos": math.cos, "tan": math.tan, "sqrt": math.sqrt, "atan2": math.atan2, "abs": abs, "min": min, "max": max, "exp": math.exp}


def instrumented(source):
    """The module with a call of `check` after every statement that has a formula, and how many there are."""
    lines, count = [], 0
    for line in source.splitlines():
        lines.append(line)
        found = STATEMENT.match(line)
        if found:
            count += 1
            lines.append(f"{found[1]}check(({found[2]},), {found[3]!r}, locals())")
    return "\n".join(lines), count


@pytest.mark.parametrize("name", ["slider-crank", "four-bar", "rolling-disk", "cart-pendulum", "block-on-belt"])
def test_formulas_are_what_statements_compute(name, tmp_path):
    model = dl.load(name)
    model.export("python", tmp_path)
    source = next(path for path in tmp_path.iterdir() if not path.name.endswith("_selftest.py")).read_text()
    code, count = instrumented(source)
    assert count > 20
    checked = []

    def check(values, formulas, at):
        given = {"t": at.get("t", 0.0)}
        for array, names in (("q", module["COORDINATES"]), ("v", velocities), ("u", module["INPUTS"]), ("vdot", accelerations)):
            given.update(zip(names, at.get(array, ())))
        given.update(zip((one.replace("'", "_") for one in module["PARAMETERS"]), at["s"].p))
        given.update((f"lambda_{row}", value) for row, value in zip(rows, at.get("lam", at.get("lambda_", ()))))
        for value, formula in zip(values, formulas.split(", ") if len(values) > 1 else [formulas]):
            text = re.sub(r"lambda\((\S+?)\)", lambda m: "lambda_" + plain(m[1]), formula)
            wanted = eval(plain(text).replace("^", "**"), FUNCTIONS, given)
            assert value == pytest.approx(wanted, rel=1e-12, abs=1e-12), formula
            checked.append(formula)

    def plain(text):
        return re.sub(r"(?<=\w)'+", lambda m: "_dot" * len(m[0]), text).replace("[", "_").replace("]", "_")

    module = {"check": check}
    exec(compile(code, name, "exec"), module)
    velocities = [plain(one) for one in module["VELOCITIES"]]
    accelerations = [one + "_dot" for one in velocities]
    rows = [plain(one) for one in module.get("ROWS", ())]
    exported = module["Model"]()
    rng = np.random.default_rng(1)
    q, v = rng.uniform(0.2, 0.9, len(module["COORDINATES"])), rng.uniform(-1, 1, len(velocities))
    exported.energy(0.3, q, v)
    exported.terms(0.3, q, v)
    assert len(checked) > 20
