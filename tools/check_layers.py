#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Hold the source tree against its architecture.

The CMakeLists.txt of each folder of dalembert/ states which layers it may include (DEPENDS, transitively). This script
reads those lines and reports, one per line as FILE:LINE: message,
  - an include of a layer that the folder does not depend on, a folder that does not exist, a cycle among the layers;
  - a third-party include in a header (but for those in a layer's own subfolders, which no one else gets to see; folders by
    subject, FOLDERS, are none of these), or in a folder that may not use that library (THIRD_PARTY);
  - a source file without its SPDX line, a header without #pragma once, a file of more than 700 lines.
Exit status: 0 clean, 1 something reported, 2 the tree could not be read.
"""

import argparse
import re
import sys
from pathlib import Path

MAX_LINES = 700

# Third party -> (what its includes look like, the layers whose .cpp files may use it). `None`: every layer.
# The same table, with reasons, is in docs/architecture.md.
THIRD_PARTY = {
    "fmt": (r"fmt/", None),
    "fast_float": (r"fast_float/", {"base"}),
    "Boost": (r"boost/", {"base", "expr", "algebra"}),
    "Eigen": (r"Eigen/|unsupported/Eigen/", {"analyze", "integrate"}),
    "toml++": (r"toml\+\+/|toml\.hpp", {"modelfile"}),
    "nlohmann-json": (r"nlohmann/", {"store"}),
    "CLI11": (r"CLI/", set()),
    "LLVM": (r"llvm/|llvm-c/", {"machine"}),
    "FLINT": (r"flint/|fmpq?_|fmpz|arb\.h|acb\.h", {"algebra"}),
    "xxHash": (r"xxhash|xxh3", {"machine"}),
    "netCDF": (r"netcdf\.h", {"store"}),
    "NLopt": (r"nlopt\.h", {"study"}),
    "Ceres": (r"ceres/|glog/", {"study"}),
    "HDF5": (r"hdf5|H5", {"store"}),
    "MPI": (r"mpi\.h", set()),
    "GoogleTest": (r"gtest/|gmock/", set()),
    "Google Benchmark": (r"benchmark/", set()),
}

# What counts as ours: folder -> suffixes. SPDX lines and the length limit hold for all of these.
CODE = {".h", ".cpp", ".hpp", ".c", ".program", ".py", ".m", ".mjs", ".cmake"}
# Program text in folders of this name goes into what is exported: it is not compiled here, and includes what is there.
TEXTS = "texts"
FOLDERS = ["apps", "bench", "bindings", "cmake", "dalembert", "examples", "fuzz", "include", "tests", "tools"]
SCRIPTS = ["dev", ".ci/run", "CMakeLists.txt"]
SKIPPED_PARTS = {"build", "out", "node_modules", "__pycache__", "corpus", "data"}

# Where the headers of layers lie: those that users may include, and the others beside their sources.
PLACES = ["include/dalembert", "dalembert"]

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
LIBRARY = re.compile(r"dalembert_library\(\s*([A-Za-z0-9_]+)([^)]*)\)", re.S)
KEYWORDS = {"FOLDERS", "DEPENDS", "USES"}


def read_layers(root, wanted="DEPENDS"):
    """{layer: the layers it names in DEPENDS, or what it names elsewhere}, from the CMakeLists.txt of each folder of dalembert/."""
    layers = {}
    for cmake in sorted((root / "dalembert").glob("*/CMakeLists.txt")):
        text = re.sub(r"#[^\n]*", "", cmake.read_text(encoding="utf-8"))
        for name, arguments in LIBRARY.findall(text):
            keyword, named = None, []
            for word in arguments.split():
                if word in KEYWORDS:
                    keyword = word
                elif keyword == wanted:
                    named.append(word)
            layers[name] = named
    return layers


def close(layers):
    """({layer: every layer it may include, itself among them}, problems)."""
    problems, closure = [], {}

    def visit(name, path):
        if name in path:
            cycle = " -> ".join(path[path.index(name):] + [name])
            problems.append(f"dalembert/{path[-1]}/CMakeLists.txt:1: the layers form a cycle: {cycle}")
            return set()
        if name not in layers:
            problems.append(f"dalembert/{path[-1]}/CMakeLists.txt:1: DEPENDS names `{name}`, which is not a layer")
            return set()
        if name not in closure:
            reached = {name}
            for below in layers[name]:
                reached |= visit(below, path + [name])
            closure[name] = reached
        return closure[name]

    for layer in layers:
        visit(layer, [])
    return closure, problems


def includes(text):
    """(line number, the path between the quotes or brackets) for each #include of a source text."""
    for number, line in enumerate(text.splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match.group(2)


def third_party(path):
    """The library that an include path belongs to, or None."""
    return next((name for name, (pattern, _) in THIRD_PARTY.items() if re.match(pattern, path)), None)


def check_layer(root, layer, closure, folders):
    """Problems of the includes in dalembert/<layer> and include/dalembert/<layer>."""
    problems = []
    for file in sorted(file for place in PLACES for file in (root / place / layer).rglob("*")):
        if file.suffix not in {".h", ".cpp"} or file.parent.name == TEXTS:
            continue
        where = file.relative_to(root).as_posix()
        for line, path in includes(file.read_text(encoding="utf-8")):
            parts = path.split("/")
            if parts[0] == "dalembert":
                if len(parts) < 3:
                    problems.append(f"{where}:{line}: a layer may not include the umbrella header \"{path}\"")
                elif parts[1] not in closure[layer]:
                    allowed = ", ".join(sorted(closure[layer] - {layer})) or "nothing"
                    problems.append(f"{where}:{line}: `{layer}` includes `{parts[1]}` (\"{path}\"), but depends on: {allowed}")
                elif not any((root / place).parent.joinpath(path).is_file() for place in PLACES):
                    problems.append(f"{where}:{line}: no such file: \"{path}\"")
                continue
            if parts[0] in {"apps", "tests", "bench", "examples", "fuzz", "tools"}:
                problems.append(f"{where}:{line}: a layer may not include \"{path}\"")
                continue
            library = third_party(path)
            if library is None:
                continue
            users = THIRD_PARTY[library][1]
            if users is not None and layer not in users:
                problems.append(f"{where}:{line}: `{layer}` may not use {library} (\"{path}\"); "
                                f"its layers: {', '.join(sorted(users)) or 'none'}")
            elif file.suffix == ".h" and file.parent.name in {layer, *folders}:
                problems.append(f"{where}:{line}: {library} (\"{path}\") belongs in .cpp files, not in a header")
    return problems


def our_files(root):
    """Every source file that the project wrote, as a path."""
    for folder in FOLDERS:
        for file in sorted((root / folder).rglob("*")):
            relative = file.relative_to(root)
            if SKIPPED_PARTS & set(relative.parts[:-1]) or not file.is_file():
                continue
            if file.suffix in CODE or file.name == "CMakeLists.txt":
                yield file
    for script in SCRIPTS:
        if (root / script).is_file():
            yield root / script


def check_file(root, file):
    """Problems of one file's form: SPDX line, #pragma once, length."""
    where = file.relative_to(root).as_posix()
    lines = file.read_text(encoding="utf-8").splitlines()
    problems = []
    if not any("SPDX-License-Identifier: Apache-2.0" in line for line in lines[:3]):
        problems.append(f"{where}:1: no SPDX line (SPDX-License-Identifier: Apache-2.0) in the first three lines")
    if file.suffix == ".h" and file.parent.name != TEXTS and not any(line.strip() == "#pragma once" for line in lines):
        problems.append(f"{where}:1: header without #pragma once")
    if len(lines) > MAX_LINES:
        problems.append(f"{where}:{MAX_LINES + 1}: {len(lines)} lines; split a file before it passes {MAX_LINES}")
    return problems


def check(root):
    """Every problem of the tree at `root`, as lines of text."""
    layers = read_layers(root)
    if not layers:
        raise FileNotFoundError(f"no dalembert_library(...) under {root / 'dalembert'}")
    closure, problems = close(layers)
    folders = read_layers(root, "FOLDERS")
    for folder in sorted(p for p in (root / "dalembert").iterdir() if p.is_dir()):
        if folder.name not in layers and any(f.suffix in {".h", ".cpp"} for f in folder.rglob("*")):
            problems.append(f"dalembert/{folder.name}:1: sources, but no CMakeLists.txt with dalembert_library({folder.name} ...)")
    for layer in layers:
        problems += check_layer(root, layer, closure, folders[layer])
    for file in our_files(root):
        problems += check_file(root, file)
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent, help="the source tree")
    root = parser.parse_args().root.resolve()
    try:
        problems = check(root)
    except (OSError, UnicodeDecodeError) as error:
        print(f"check_layers: {error}", file=sys.stderr)
        return 2
    for problem in problems:
        print(problem)
    print(f"check_layers: {len(problems)} problem{'' if len(problems) == 1 else 's'}" if problems else "check_layers: clean")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
