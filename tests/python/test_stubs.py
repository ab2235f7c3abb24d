# SPDX-License-Identifier: Apache-2.0
"""The types that the package states, against the module that is there."""

import os
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


def test_every_name_of_the_module_has_a_type():
    # Beside stubtest, which does not look for names that the stub lacks.
    stub = (Path(dalembert.__file__).parent / "_core.pyi").read_text(encoding="utf-8")
    missing = [name for name in vars(dalembert._core) if not name.startswith("_") and f"class {name}" not in stub and f"def {name}(" not in stub]
    assert not missing
