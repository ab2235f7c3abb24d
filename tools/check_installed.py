#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Hold an installed prefix against what must be in it besides headers.

    check_installed.py PREFIX

Reported, one per line:
  - a licence or notice that is missing in share/doc/dalembert;
  - a program or module that is not hardened as cmake/Dalembert.cmake says: what `readelf` tells of its headers.
Exit status: 0 clean, 1 something reported.
"""

import re
import subprocess
import sys
from pathlib import Path

DOCUMENTS = {"LICENSE": "Apache License", "NOTICES": "SIL OPEN FONT LICENSE"}


def readelf(path):
    return subprocess.run(["readelf", "-hldnW", "--dyn-syms", path], capture_output=True, text=True, check=True,
                          env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"}).stdout


def problems_of_file(path, program):
    """What is not hardened in a program, or in a module that programs load."""
    text = readelf(path)
    expected = [
        (r"Type:\s+DYN", "is at the same address each time (not position-independent)"),
        (r"GNU_RELRO", "has relocations that stay writable (no RELRO)"),
        (r"\bBIND_NOW\b|Flags:.*\bNOW\b", "binds functions when they are called, so their addresses stay writable"),
        (r"GNU_STACK.*\bRW\s", "has a stack that may be executed"),
        (r"__stack_chk_fail", "has no stack protector"),
        (r"__\w+_chk\b", "has no checked copies (_FORTIFY_SOURCE)"),
    ]
    if program:
        expected.append((r"INTERP", "is no program"))
    return [f"{path}: {what}" for pattern, what in expected if not re.search(pattern, text)]


def problems_of(prefix):
    problems = []
    for name, words in DOCUMENTS.items():
        file = prefix / "share" / "doc" / "dalembert" / name
        if not file.is_file() or words not in file.read_text(encoding="utf-8"):
            problems.append(f"{file}: missing, or without the words `{words}`")
    others = [path for path in [prefix / "bin" / "dalembert-mpi"] if path.exists()]  # where there is an MPI
    found = [(path, True) for path in [prefix / "bin" / "dalembert", *others]] + [(path, False) for path in prefix.rglob("_core*.so")]
    for path, program in found:
        problems += problems_of_file(path, program) if path.is_file() else [f"{path}: missing"]
    return problems


def main():
    problems = problems_of(Path(sys.argv[1]))
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
