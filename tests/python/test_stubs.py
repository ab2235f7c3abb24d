# SPDX-License-Identifier: Apache-2.0
"""The types that the package states, against the module that is there."""

import inspect
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import dalembert

pytest.importorskip("mypy.stubtest", reason="python3-mypy is not installed")


# What every class of pybind11 has: a metaclass of its own, and a constructor that takes anything where none is bound.
OF_PYBIND11 = ("is inconsistent, metaclass differs", '.__init__ is inconsistent, stub does not have *args argument "args"')


def test_stubs_say_what_is_there(tmp_path):
    # Oracle: mypy's stubtest, which imports the module and compares: a name that only one of them has is an error.
    package = Path(dalembert.__file__).parent
    done = subprocess.run([sys.executable, "-m", "mypy.stubtest", "dalembert._core", "--ignore-missing-stub", "--concise"], cwd=tmp_path,
                          env={**os.environ, "MYPYPATH": str(package.parent)}, capture_output=True, text=True, timeout=230)
    said = (done.stdout + done.stderr).splitlines()
    assert len(said) > 10, "stubtest compared nothing"
    assert [line for line in said if not line.endswith(OF_PYBIND11)] == []


def test_any_is_where_a_type_is_not_known():
    # Of JSON documents alone: what a member is depends on its name.
    lines = (Path(dalembert.__file__).parent / "_core.pyi").read_text(encoding="utf-8").splitlines()
    assert [line.split("#")[0].strip() for line in lines if re.search(r"\bAny\b", line.split("#")[0])][1:] == ["_Document: TypeAlias = dict[str, Any]"]


def test_public_functions_say_what_they_return():
    # The energies are set with numbers, too, so that they are made by a function.
    without = []
    for name in dalembert.__all__:
        one = getattr(dalembert, name)
        ours = [parent for parent in one.__mro__ if parent.__module__.startswith("dalembert")] if inspect.isclass(one) else []
        members = [item for parent in ours for item in vars(parent).items()] if ours else [(name, one)]
        for member, value in members:
            function = value.fget if isinstance(value, property) else value
            if not member.startswith("_") and inspect.isfunction(function) and member not in ("kinetic", "potential", "dissipation", "lagrangian"):
                returned = function.__annotations__.get("return")
                if returned is None and "return" not in function.__annotations__ or "Any" in str(returned):
                    without.append(f"{name}.{member}")
    assert without == []


def test_every_name_of_the_module_has_a_type():
    # Beside stubtest, which does not look for names that the stub lacks.
    stub = (Path(dalembert.__file__).parent / "_core.pyi").read_text(encoding="utf-8")
    missing = [name for name in vars(dalembert._core) if not name.startswith("_") and f"class {name}" not in stub and f"def {name}(" not in stub]
    assert not missing


USER = """
import dalembert

model = dalembert.Model("spring")
(x,) = model.coordinates("x", units="m")
m, k = model.parameters(m=1.0, k="50 N/m")
model.kinetic = m/2*x.dot**2
model.potential = k/2*x**2 + 0*dalembert.maximum(x, 0)
q, v = model.consistent(x=0.1)
run = model.simulate(q, v, t=1.0)
reveal_type(run.t)
reveal_type(run.steps)
reveal_type(run.peaks("x"))
reveal_type(dalembert.sin(x))
reveal_type(dalembert.sin(0.5))
reveal_type(dalembert.maximum(x, 1))
reveal_type(model.equations.latex)
"""


def test_types_of_a_script(tmp_path):
    # Oracle: mypy, which reads the package as it reads it for a user.
    (tmp_path / "user.py").write_text(USER, encoding="utf-8")
    done = subprocess.run([sys.executable, "-m", "mypy", "--follow-imports=silent", "--ignore-missing-imports", "user.py"], cwd=tmp_path,
                          env={**os.environ, "MYPYPATH": str(Path(dalembert.__file__).parents[1])}, capture_output=True, text=True, timeout=230)
    types = [line.partition('Revealed type is "')[2].rstrip('"') for line in done.stdout.splitlines() if "Revealed type" in line]
    assert [one.split("[")[0].rsplit(".", 1)[-1] for one in types] == ["ndarray", "int", "dict", "Expr", "float", "Expr", "str"], done.stdout
    assert done.returncode == 0, done.stdout
