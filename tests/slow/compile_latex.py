#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Typeset the equations of every shipped model, as text books and browsers would.

  compile_latex.py pdflatex --dalembert FILE   every model's document compiles: no error, no box wider than its line
  compile_latex.py katex --dalembert FILE      KaTeX in strict mode accepts every formula of every fragment

KaTeX is fetched by npm into the folder --cache. Where node, npm or the network is missing the test is skipped, aloud.
Exit status: 0 all is well, 1 something is not, 77 skipped.
"""

import argparse
import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

KATEX = "katex@0.19.1"
MAX_OVERFULL = 3.0  # pt
SKIPPED = 77

# Each model in the forms and widths that lay it out differently; a chain so long that its matrices are listed, names have
# three digits and the page is wide.
MORE = [
    ("double-pendulum", ["--form", "expanded"]),
    ("andrews-squeezer", ["--form", "as-derived"]),
    ("andrews-squeezer", ["--width", "24"]),
    ("delta-robot", ["--width", "60"]),
    ("four-bar", ["--only", "lambda,qdd,Wdot"]),
    ("slider-crank", ["--only", "lambda,qdd"]),
    ("n-link-chain", ["--set", "N=4", "--only", "qdd"]),
    ("n-link-chain", ["--set", "N=16"]),
    ("n-link-chain-maximal", ["--set", "N=3"]),
]


def run(command, **options):
    return subprocess.run(command, capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL, **options)


def jobs(dalembert):
    names = run([dalembert, "models", "--quiet"]).stdout.split()
    if len(names) < 10:
        sys.exit(f"only {len(names)} models are shipped?")
    return [(name, []) for name in names] + MORE


def derive(dalembert, name, options):
    done = run([dalembert, "derive", name, "--format", "latex", *options], timeout=100)
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    return done.stdout


def compile_one(dalembert, job, folder):
    name, options = job
    label = " ".join([name, *options])
    try:
        latex = derive(dalembert, name, [*options, "--standalone"])
    except RuntimeError as error:
        return f"{label}: {error}"
    place = Path(folder) / re.sub(r"\W", "-", label)
    place.mkdir()
    (place / "equations.tex").write_text(latex, encoding="utf-8")
    # No shell escape, nothing read or written elsewhere.
    done = run(["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "equations.tex"], cwd=place,
               timeout=100, env={**os.environ, "max_print_line": "1000"})
    problems = re.findall(r"^!.*(?:\n.*){0,6}", done.stdout, re.M)
    for width, what in re.findall(r"Overfull \\hbox \(([0-9.]+)pt too wide\)(.*)", done.stdout):
        if float(width) > MAX_OVERFULL:
            problems.append(f"{width} pt too wide{what}")
    if done.returncode != 0 and not problems:
        problems.append(done.stdout[-2000:])
    if not problems and not (place / "equations.pdf").exists():
        problems.append("no page came out")
    return f"{label}: " + "; ".join(problems) if problems else None


def check_pdflatex(dalembert):
    if not shutil.which("pdflatex"):
        sys.exit("pdflatex is missing: install texlive-latex-base (./dev setup does)")
    todo = jobs(dalembert)
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        wrong = [line for line in pool.map(lambda job: compile_one(dalembert, job, folder), todo) if line]
    return report(wrong, f"{len(todo)} documents compiled")


def formulas(latex):
    """The displayed and inline formulas of a fragment, as KaTeX takes them."""
    found = []
    pattern = re.compile(r"\\begin\{align\*\}.*?\\end\{align\*\}|\\\[\n(.*?)\\\]\n|(?<!\\)\$(.+?)(?<!\\)\$", re.S)
    for match in pattern.finditer(latex):
        inline = match.group(2) is not None
        found.append({"tex": match.group(2) or match.group(1) or match.group(0), "display": not inline})
    return found


PROGRAM = """
const katex = require('katex');
const all = JSON.parse(require('fs').readFileSync(0, 'utf8'));
const wrong = [];
// A block of a hundred definitions has more spaces (\\,) than KaTeX's limit of 1,000 macros in a formula.
for (const {label, tex, display} of all) {
  try { katex.renderToString(tex, {displayMode: display, throwOnError: true, strict: 'error', maxExpand: 1e5}); }
  catch (error) { wrong.push(label + ': ' + error.message + ' in ' + tex.slice(0, 400)); }
}
console.log(JSON.stringify(wrong));
"""


def skip(why):
    print(f"SKIPPED: {why}; KaTeX was NOT tried", file=sys.stderr)
    return SKIPPED


def check_katex(dalembert, cache):
    if not shutil.which("node") or not shutil.which("npm"):
        return skip("node or npm is missing")
    cache.mkdir(parents=True, exist_ok=True)
    if not (cache / "node_modules" / "katex" / "package.json").exists():
        try:
            done = run(["npm", "install", "--no-save", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", str(cache),
                        KATEX], timeout=120)
        except subprocess.TimeoutExpired:
            return skip("npm did not get KaTeX within 120 s")
        if done.returncode != 0:
            return skip("npm could not get KaTeX: " + done.stderr.strip()[-300:])
    everything = []
    for name, options in jobs(dalembert):
        label = " ".join([name, *options])
        found = formulas(derive(dalembert, name, options))
        if not found and not options:
            return report([f"{label}: no formulas"], "")
        everything += [{"label": label, **formula} for formula in found]
    done = subprocess.run(["node", "-e", PROGRAM], input=json.dumps(everything), capture_output=True, text=True, cwd=cache,
                          timeout=100)
    if done.returncode != 0:
        return report([done.stderr], "")
    return report(json.loads(done.stdout), f"KaTeX accepted {len(everything)} formulas")


def report(wrong, good):
    for line in wrong:
        print(line)
    if not wrong:
        print(good)
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("check", choices=["pdflatex", "katex"])
    parser.add_argument("--dalembert", required=True, help="the command")
    parser.add_argument("--cache", type=Path, default=Path("katex-cache"), help="folder for what npm brings")
    arguments = parser.parse_args()
    if arguments.check == "pdflatex":
        return check_pdflatex(arguments.dalembert)
    return check_katex(arguments.dalembert, arguments.cache.resolve())


if __name__ == "__main__":
    sys.exit(main())
