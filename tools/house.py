#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How heavy the house is: the figures by which one sees whether a change made room. It holds nothing; `./dev lint` does that.

    house.py [--list WHAT]

--list names what is behind a figure: functions, pairs, groups, unused, touched, public.
"""

import argparse
import re
import sys
from collections import Counter, defaultdict
from pathlib import Path

from check_layers import includes, read_layers
from check_public_headers import public_headers

ROOT = Path(__file__).resolve().parent.parent
# A thing of each kind that every face knows, by what it is called there: how many files a new one would touch. Comments may speak of it.
THINGS = {"function (cosh)": r"\b(k?Cosh|cosh)\b", "constraint (no_skid)": r"\bno_?skid\b|NoSkid", "setting (max_step)": r"\bmax[-_]?step\b|MaxStep",
          "verb (animate)": r"\brun_animate\b|\bdef animate\b", "panel (equilibria)": r'equilibria_section|content\.equilibria|Json equilibria = Json::array\(\);|"equilibria": \{',
          "analysis (gait)": r"\bgait\b|Gait", "language (MATLAB)": r"(?i)matlab"}
SOURCES = {".cpp", ".h"}
RAW = re.compile(r'R"\w*\((.*?)\)\w*"', re.S)
FACES = ("include", "dalembert", "apps", "bindings", "web")
STARTS = ["Initial", "InitialState", "State", "Assembly", "Start", "Assembled", "ModelStart", "StateValues", "SystemAt", "GivenState", "CodeStart"]


def without_comments(path):
    return re.sub(r"//.*|^[ \t]*\*.*" if path.suffix in SOURCES | {".ts"} else r"#.*", "", read(path), flags=re.M)


def read(path):
    return path.read_text(encoding="utf-8")


def sources(*folders):
    return [path for folder in folders for path in sorted((ROOT / folder).rglob("*")) if path.suffix in SOURCES and path.parent.name != "texts"]


def functions(text):
    """(line, lines) of each function. Sources are formatted: a body ends with a brace below the beginning of its head."""
    lines = RAW.sub(lambda raw: "\n" * raw[0].count("\n"), text).splitlines()
    for i, line in enumerate(lines):
        if not line.rstrip().endswith("{") or re.search(r"\b(namespace|class|struct|enum|union|extern|switch|for|while|if|else|do|try)\b|=\s*\{$|\]\s*\{$", line):
            continue
        if re.search(r"(?<!operator)\[[&=\w, ]*\]\s*\(", line) and not re.match(r"\s*(const )?auto \w+ =", line):
            continue  # a call with a lambda: its brace is none of a function's
        if "(" not in line and not (i and "(" in lines[i - 1]):
            continue
        head = i
        while head > 0 and re.match(r"\s{4,}\S|\s*:\s", lines[head]) and not lines[head - 1].rstrip().endswith((";", "{", "}", ":")):
            head -= 1
        indent = re.match(r"\s*", lines[head]).group()
        if len(indent) > 4:
            continue
        end = next((j for j in range(i + 1, len(lines)) if lines[j].rstrip(" ;") == indent + "}"), None)
        if end is not None:
            yield head + 1, end - head + 1


def included_sources():
    """file -> files that it, or the .cpp beside it, includes; a header and its .cpp are one."""
    edges = defaultdict(set)
    for path in sources("include", "dalembert"):
        one = path.relative_to(ROOT).with_suffix("").as_posix().removeprefix("include/")
        for _, other in includes(read(path)):
            other = Path(other).with_suffix("").as_posix()
            if other != one and any((ROOT / place / (other + ".h")).exists() for place in ("include", ".")):
                edges[one].add(other)
    return edges


def groups(edges):
    """Files that need each other: strongly connected, more than one (Tarjan)."""
    number, low, stack, found = {}, {}, [], []

    def visit(name):
        number[name] = low[name] = len(number)
        stack.append(name)
        for other in edges.get(name, ()):
            if other not in number:
                visit(other)
            if other in stack:
                low[name] = min(low[name], low[other])
        if low[name] == number[name]:
            group = []
            while not group or group[-1] != name:
                group.append(stack.pop())
            if len(group) > 1:
                found.append(sorted(group))

    sys.setrecursionlimit(10_000)
    for name in list(edges):
        if name not in number:
            visit(name)
    return found


def raw_code():
    """Lines of code in raw strings of codegen."""
    return sum(len(match.splitlines()) for path in sources("dalembert/codegen") for match in RAW.findall(read(path)))


def run_members():
    text = read(ROOT / "dalembert/integrate/run.h")
    body = text[text.index("class Run {"):]
    body = re.sub(r"//.*", "", body)
    data = len(re.findall(r"\b\w+_(?:\s*=[^;{]*|\{[^;]*\})?(?=\s*[;,])", re.sub(r"\([^()]*\)", "", body)))
    return data, len(re.findall(r"^  (?!using|enum|struct)[\w:<>&*, ]+\(.*", body, re.M)), len(re.findall(r"#include \"", text))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--list", choices=["functions", "pairs", "groups", "unused", "touched", "public"])
    listed = parser.parse_args().list
    ours = sources("include", "dalembert", "apps")
    lengths = [(size, path.relative_to(ROOT).as_posix(), line) for path in ours for line, size in functions(read(path))]
    edges = included_sources()
    pairs = sorted((a, b) for a in edges for b in edges[a] if a < b and a in edges.get(b, ()))
    rings = groups(edges)
    touched = {}
    for what, pattern in THINGS.items():
        files = [path for folder in FACES for path in sorted((ROOT / folder).rglob("*")) if path.suffix in SOURCES | {".py", ".pyi", ".ts", ".json"} and "node_modules" not in path.parts]
        touched[what] = [path.relative_to(ROOT).as_posix() for path in files if re.search(pattern, without_comments(path))]
    unused = []
    for layer, depends in read_layers(ROOT).items():
        used = {other.split("/")[1] for path in sources(f"dalembert/{layer}", f"include/dalembert/{layer}") for _, other in includes(read(path)) if other.count("/") > 1}
        unused += [f"{layer}: {other}" for other in depends if other not in used]
    public = public_headers(ROOT)
    starts = [name for name in STARTS if any(re.search(rf"\b(struct|class)\s+{name}\b[^;]*\{{", read(path)) for path in ours)]
    data, methods, included = run_members()
    figures = [
        ("lines of library and command", sum(len(read(path).splitlines()) for path in ours)),
        ("lines of codegen, of them in raw strings; of texts", f"{sum(len(read(path).splitlines()) for path in sources('dalembert/codegen'))}, {raw_code()}; "
         f"{sum(len(read(path).splitlines()) for path in (ROOT / 'dalembert/codegen/texts').glob('[a-z]*'))}"),
        ("integration::Run: data, functions, includes", f"{data}, {methods}, {included}"),
        ("types in which a run may begin", f"{len(starts)}: {', '.join(starts)}"),
        ("functions over 100 and over 60 lines", f"{sum(size > 100 for size, *_ in lengths)}, {sum(size > 60 for size, *_ in lengths)}"),
        ("pairs of files that include each other", len(pairs)),
        ("groups of files that need each other", len(rings)),
        ("headers, of them public", f"{len(public) + len(list((ROOT / 'dalembert').rglob('*.h')))}, {len(public)}"),
        ("dependencies of layers that nothing in them names", len(unused)),
        ("most files of analyze in one folder", max(Counter(path.parent for path in (ROOT / "dalembert/analyze").rglob("*.cpp")).values())),
        *[(f"files that know a {what}", len(files)) for what, files in touched.items()],
    ]
    for what, figure in figures:
        print(f"{what:52}{figure}")
    details = {"functions": [f"{path}:{line}: {size} lines" for size, path, line in sorted(lengths, reverse=True) if size > 60],
               "pairs": [f"{a} <-> {b}" for a, b in pairs], "groups": [", ".join(ring) for ring in rings], "unused": unused,
               "touched": [f"{what}: {', '.join(files)}" for what, files in touched.items()], "public": public}
    if listed:
        print("\n" + "\n".join(details[listed]))


if __name__ == "__main__":
    main()
