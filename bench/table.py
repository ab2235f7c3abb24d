#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One table of what was measured: ours, by hand, their ratio, what was asked for, and other programs.

    table.py out/bench/*.json --out out/bench/table.md [--write docs/performance.md]

Reads Google Benchmark's JSON. Benchmarks are named "row/who" (bench/measure.h); the counter "seconds" is the time of what
the row counts, and the median of the repetitions is what is shown. Of several variants by hand ("hand", "hand, 4 lanes", …)
the fastest counts. --write also replaces what is between the markers
<!-- table --> and <!-- /table --> of a page. Prints the table, and which rows are slower than what was asked for.
"""

import argparse
import datetime
import json
import pathlib
import platform
import re
import subprocess
import sys

OURS, HAND = "dalembert", "hand"

# Row, what it is, the most that dalembert may need (seconds; None: nothing was asked), and whether steps per second are shown.
ROWS = [
    ("Slider-crank: q̈ and λ", [
        ("slider_crank.scalar", "one state", 30e-9),
        ("slider_crank.lanes", "8 lanes, each state", 5.5e-9),
        ("ready.slider_crank", "from text to compiled kernel", 20e-3),
        ("ready.slider_crank.derive", "of that the derivation", 0.5e-3),
    ]),
    ("Andrews' squeezing mechanism: q̈ and λ", [
        ("andrews.scalar", "one state", 160e-9),
        ("andrews.lanes", "8 lanes, each state", 30e-9),
        ("ready.andrews", "from text to compiled kernel", None),
        ("ready.andrews.derive", "of that the derivation", 2.5e-3),
    ]),
    ("Bodies in space from frames: q̈ and λ", [
        ("ur5.scalar", "arm of six axes (UR5), one state", 300e-9),
        ("ready.ur5.derive", "its derivation", 5e-3),
        ("whipple_bicycle.scalar", "Whipple bicycle, one state", 2e-6),
        ("ready.whipple_bicycle.derive", "its derivation", 0.5),
    ]),
    ("Chain of N rods, maximal coordinates: q̈ and all pin forces, each rod", [
        *[(f"chain_maximal.{n}", f"N = {n:,}", 40e-9) for n in (10, 100, 1000, 10000)],
        ("ready.chain_maximal.1000", "N = 1,000: derive and compile", 1.0),
        ("ready.chain_maximal.10000", "N = 10,000: derive and compile", None),
    ]),
    ("Chain of 10 rods, minimal coordinates: q̈", [("chain_minimal.10", "one state", 0.35e-6)]),
    ("Ensembles on one core: a Runge–Kutta step of one system", [
        ("ensemble.double_pendulum", "double pendulum", 1 / 70e6),
        ("ensemble.slider_crank", "slider-crank, index 1", 1 / 40e6),
    ]),
    ("Whole runs", [
        ("motion.slider_crank", "slider-crank, 10 s at 1e-9", 1.5e-3),
        ("motion.andrews.2e-8", "Andrews to 0.03 s, error ≤ 2e-8", 0.3e-3),
        ("motion.andrews.2e-12", "Andrews to 0.03 s, error ≤ 2e-12", 0.8e-3),
    ]),
    ("Studies on one core: a run with its row", [
        ("study.slider_crank", "slider-crank, 1 s at 1e-9", 90e-6),
    ]),
    ("Derivatives of runs by two quantities", [
        ("gradient.idas_slider_crank", "functional of the slider-crank of IDAS' example, error ≤ 1e-11", 0.5e-3),
        ("gradient.slider-crank", "slider-crank, 10 s at 1e-9", None),
        ("gradient.four-bar", "four-bar, 10 s at 1e-9", None),
        ("gradient.rolling-disk", "rolling disk, 10 s at 1e-9", None),
        ("gradient.spatial-slider-crank", "slider-crank in space, 10 s at 1e-9", None),
    ]),
    ("From Python: the slider-crank's q̈", [
        ("python.one", "one state", 1.55e-6),
        ("python.million", "10⁶ states in one call, each", None),
        ("python.solve_ivp", "SciPy's RK45 for 1 s at 1e-8", None),
    ]),
    ("Stiff systems by the method radau", [
        ("stiff.damped_chain", "20 rods with strongly damped joints, 0.1 s at 1e-6", None),
        ("stiff.maximal_chain.10", "chain in maximal coordinates, a rod in a step: N = 10", None),
        ("stiff.maximal_chain.100", "N = 100", None),
        ("stiff.maximal_chain.1000", "N = 1,000", None),
    ]),
]


def read(paths):
    """{row: {who: benchmark}}: the median where there were repetitions."""
    found, context = {}, {}
    for path in paths:
        text = pathlib.Path(path).read_text(encoding="utf-8")
        if not text:
            continue  # no benchmark of that program matched the filter
        document = json.loads(text)
        context.update(document.get("context", {}))
        for benchmark in document["benchmarks"]:
            name = re.sub(r"/(manual_time|real_time|process_time|iterations:\d+|repeats:\d+)", "", benchmark.get("run_name", benchmark["name"]))
            row, _, who = name.partition("/")
            if not who or ("seconds" not in benchmark and "error_message" not in benchmark):
                continue
            known = found.setdefault(row, {})
            if benchmark.get("aggregate_name", "median") != "median":
                continue
            if benchmark.get("run_type") == "aggregate" or who not in known:
                known[who] = benchmark
    return found, context


def show(seconds):
    for unit, size in (("s", 1), ("ms", 1e-3), ("µs", 1e-6), ("ns", 1e-9)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-9:.2g} ns"


def show_with_rate(row, seconds):
    if row.startswith("ensemble"):
        return f"{show(seconds)} ({1e-6 / seconds:.3g} M/s)"
    return show(seconds)


def describe(row, benchmark):
    if "seconds" not in benchmark:
        return benchmark["error_message"]
    text = show_with_rate(row, benchmark["seconds"])
    if "error" in benchmark:
        text += f", error {benchmark['error']:.1e}"
    return text


def fastest_by_hand(who):
    """Its name and benchmark; nothing where the row has none."""
    variants = [(name, benchmark) for name, benchmark in who.items()
                if (name == HAND or name.startswith(HAND + ", ")) and "seconds" in benchmark]
    return min(variants, key=lambda item: item[1]["seconds"], default=(HAND, None))


def table(found):
    lines = ["| | dalembert | by hand | ratio | asked | others |", "|---|---|---|---|---|---|"]
    missed = []
    for heading, rows in ROWS:
        measured = [row for row in rows if row[0] in found]
        if measured:
            lines.append(f"| **{heading}** | | | | | |")
        for row, title, asked in measured:
            who = found[row]
            ours = who.get(OURS)
            hand_name, hand = fastest_by_hand(who)
            ratio = ours["seconds"] / hand["seconds"] if ours and hand and "seconds" in ours else None
            by_hand = describe(row, hand) + hand_name.removeprefix(HAND) if hand else ""
            others = [f"{name.removeprefix(OURS + ', ') if name.startswith(OURS) else name}: {describe(row, benchmark)}"
                      for name, benchmark in sorted(who.items(), key=lambda item: item[1].get("seconds", 1e9))
                      if name not in (OURS, hand_name)]
            lines.append(f"| {title} | {describe(row, ours) if ours else '–'} | {by_hand} | "
                         f"{f'{ratio:.2f}' if ratio else ''} | {'≤ ' + show(asked) if asked else ''} | {'; '.join(others)} |")
            if asked and not (ours and ours.get("seconds", 1e9) <= asked):
                missed.append(f"{row}: {describe(row, ours) if ours else 'not measured'}, asked ≤ {show(asked)}")
    return lines, missed


def first_line(command):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[0].strip()
    except (OSError, subprocess.CalledProcessError, IndexError):
        return ""


def machine(context):
    processor = ""
    try:
        for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                processor = line.partition(":")[2].strip()
            if line.startswith("flags"):
                processor += " with AVX-512" if "avx512f" in line else " with AVX2" if "avx2" in line else ""
                break
    except OSError:
        processor = platform.processor()
    commit = first_line(["git", "rev-parse", "--short", "HEAD"])
    load = context.get("load_avg", [0])[0]
    parts = [f"{datetime.date.today()}", f"{processor}, {context.get('num_cpus', '?')} cores at {context.get('mhz_per_cpu', '?')} MHz",
             first_line(["c++", "--version"]), f"commit {commit}" if commit else "", f"load {load:.1f} at the start"]
    return "; ".join(part for part in parts if part) + "."


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+")
    parser.add_argument("--out", required=True)
    parser.add_argument("--write", help="a page with <!-- table --> … <!-- /table -->")
    arguments = parser.parse_args()

    found, context = read(arguments.files)
    lines, missed = table(found)
    text = machine(context) + "\n\n" + "\n".join(lines) + "\n"
    pathlib.Path(arguments.out).write_text(text, encoding="utf-8")
    print(text)
    for line in missed:
        print(f"slower than asked: {line}", file=sys.stderr)
    if arguments.write:
        page = pathlib.Path(arguments.write)
        replaced, count = re.subn(r"(<!-- table -->\n).*?(<!-- /table -->)", lambda match: match[1] + text + match[2],
                                  page.read_text(encoding="utf-8"), flags=re.S)
        if count != 1:
            sys.exit(f"{page}: there must be one <!-- table --> … <!-- /table -->")
        page.write_text(replaced, encoding="utf-8")


if __name__ == "__main__":
    main()
