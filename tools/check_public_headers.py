#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Hold what users may include apart from the rest, and against what is installed.

Public is every header in include/. Reported, one per line:
  - a header of include/ that includes anything but headers of include/ and the standard library, or lies elsewhere than in
    include/dalembert/ or include/dalembert/LAYER/; one that has a namesake in dalembert/; a header of dalembert/ itself, in no layer;
    an #include in dalembert/dalembert.h that names no header of the tree, or anything there but #include lines: it only
    forwards;
  - with --installed PREFIX: a header that is installed and not public, or public and not installed; with --alone one that
    does not compile alone, with nothing but the installed package (a second for each).
Exit status: 0 clean, 1 something reported.
"""

import argparse
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)
FACE = "dalembert/dalembert.h"
STANDARD = re.compile(r"[a-z_0-9]+(\.h)?$")


def public_headers(root):
    """Paths below include/, sorted: as they are included."""
    return sorted(path.relative_to(root / "include").as_posix() for path in (root / "include").rglob("*.h"))


def check_tree(root, public):
    problems = [f"dalembert/{path.name}:1: lies in no layer: what users include is in include/dalembert/"
                for path in sorted((root / "dalembert").glob("*.h"))]
    for header in public:
        where = f"include/{header}"
        if len(header.split("/")) > 3 or not header.startswith("dalembert/"):
            problems.append(f"{where}:1: a public header is in dalembert/ or dalembert/LAYER/")
        if (root / header).exists():
            problems.append(f"{where}:1: {header} is there twice")
        for kind, path in INCLUDE.findall((root / where).read_text(encoding="utf-8")):
            if kind == "<" and not STANDARD.match(path):
                problems.append(f"{where}:1: a public header includes <{path}>")
            elif kind == '"' and path not in public:
                problems.append(f"{where}:1: a public header includes \"{path}\", which is not in include/")
    for number, line in enumerate((root / "include" / FACE).read_text(encoding="utf-8").splitlines(), 1):
        if line.strip() and not line.startswith(("//", "#pragma once", '#include "dalembert/')):
            problems.append(f"include/{FACE}:{number}: this header only forwards: {line.strip()}")
    return problems


def compile_alone(header, include, compiler):
    run = subprocess.run([compiler, "-std=c++20", "-fsyntax-only", "-I", include, "-x", "c++", "-"], text=True,
                         input=f'#include <{header}>\n', capture_output=True)
    return None if run.returncode == 0 else f"{header}:1: does not compile alone: {run.stderr.splitlines()[:2]}"


def check_installed(prefix, public, compiler, alone):
    include = prefix / "include"
    installed = sorted(path.relative_to(include).as_posix() for path in include.rglob("*.h"))
    problems = [f"{header}:1: is installed, and not in include/" for header in installed if header not in public]
    problems += [f"{header}:1: is public, and not installed" for header in public if header not in installed]
    if not alone:
        return problems
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        problems += filter(None, pool.map(lambda header: compile_alone(header, include, compiler), installed))
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent)
    parser.add_argument("--installed", type=Path, metavar="PREFIX", help="an installed package to look at")
    parser.add_argument("--alone", action="store_true", help="compile each of its headers")
    parser.add_argument("--compiler", default=os.environ.get("CXX", "c++"))
    arguments = parser.parse_args()
    public = public_headers(arguments.root)
    problems = check_tree(arguments.root, public)
    if arguments.installed:
        problems += check_installed(arguments.installed, public, arguments.compiler, arguments.alone)
    for problem in problems:
        print(problem)
    print(f"check_public_headers: {f'{len(problems)} problems' if problems else f'{len(public)} headers, clean'}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
