# SPDX-License-Identifier: Apache-2.0
"""The types that the package states, against the module that is there."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import dalembert

pytest.importorskip("mypy.stubtest", reason="python3-mypy is not installed")


def test_stubs_say_what_is_there(tmp_path):
    # Oracle: mypy's stubtest, which imports the module and compares: a name that only one of them has is an error.
    package = Path(dalembert.__file__).parent
    done = subprocess.run([sys.executable, "-m", "mypy.stubtest", "dalembert._core", "--ignore-missing-stub", "--concise"], cwd=tmp_path,
                          env={**os.environ, "MYPYPATH": str(package.parent)}, capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_name_of_the_module_has_a_type():
    # What stubtest is told to overlook above, the private names of pybind11, and nothing else.
    stub = (Path(dalembert.__file__).parent / "_core.pyi").read_text(encoding="utf-8")
    missing = [name for name in vars(dalembert._core) if not name.startswith("_") and f"class {name}" not in stub and f"def {name}(" not in stub]
    assert not missing
