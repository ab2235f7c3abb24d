#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Follow a page as a reader does: save its files, run its commands in order in an empty folder, compare what it shows.

    run_tutorial.py --dalembert build/release/bin/dalembert docs/tutorial.md

A page has two kinds of fences that count:

    ```toml pendulum.toml       a file, saved under that name before what follows is run; the same with c, csv, python, js
    ```console                  commands, each on a line that begins with `$ `, and what they print

Commands are dalembert, cat, cc, python3, node, and programs that were made before (`./run`); what needs a program that is not
installed is left out, with what was to be made by it.

`# exit status 4` at the end of a command says what it ends with (else 0); other comments are for the reader. Below a command
is what it prints, standard output first, then standard error: nothing at all, or its lines from the first to the last. A line
`…` stands for any number of lines that are left out, `…` within a line for any text. Blanks count as one. An integer agrees if
it is the same, another number if it is off by at most one in the last digit that the page shows. An `.svg` or `.csv` that a
command names should not be empty. What differs is printed as PAGE:LINE: command, and what; exit status 1 then.
"""

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w.]*\w)")
STATUS = re.compile(r"#\s*exit status (\d+)\s*$")
LEFT_OUT = "…"
FILES = {"toml", "c", "csv", "python", "js"}
PROGRAMS = {"cc", "node", "python3"}


class Step:
    """A file to save (name, text), or a command (words, status, shown lines), at a line of the page."""

    def __init__(self, line, name=None, command=None, status=0):
        self.line, self.name, self.command, self.status = line, name, command, status
        self.lines = []


def steps_of(text):
    steps, fence = [], None
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("```"):
            if fence is not None:
                fence = None
                continue
            fence = line[3:].split()
            if len(fence) == 2 and fence[0] in FILES:
                steps.append(Step(number, name=fence[1]))
        elif fence == ["console"]:
            if line.startswith("$ "):
                status = STATUS.search(line)
                steps.append(Step(number, command=line[2:], status=int(status[1]) if status else 0))
            elif steps and steps[-1].command:
                steps[-1].lines.append((number, line))
            elif line:
                raise SystemExit(f"line {number}: a console block begins with a command, `$ …`")
        elif fence and len(fence) == 2 and fence[0] in FILES:
            steps[-1].lines.append((number, line))
    return steps


def unit_of_last_digit(text):
    digits, _, exponent = text.lower().partition("e")
    decimals = len(digits.partition(".")[2])
    return 10.0 ** ((int(exponent) if exponent else 0) - decimals)


def same_text(shown, printed):
    """Whether a text without `…` is what the program printed: the same words, numbers within the digits that are shown."""

    def same_number(ours, theirs):
        if ours == theirs or re.fullmatch(r"[-+]?\d+", ours):
            return ours == theirs
        return abs(float(ours) - float(theirs)) <= 1.01 * unit_of_last_digit(ours)

    return NUMBER.split(shown) == NUMBER.split(printed) and all(
        same_number(ours, theirs) for ours, theirs in zip(NUMBER.findall(shown), NUMBER.findall(printed)))


def same_line(shown, printed):
    """The same with `…` for any text: the line becomes a pattern in which every number is a group of its own."""
    shown, printed = " ".join(shown.split()), " ".join(printed.split())
    if LEFT_OUT not in shown:
        return same_text(shown, printed)
    pieces = [piece for piece in re.split(f"({NUMBER.pattern}|{LEFT_OUT})", shown) if piece]
    pattern = "".join(".*?" if piece == LEFT_OUT else f"({NUMBER.pattern})" if NUMBER.fullmatch(piece) else re.escape(piece)
                      for piece in pieces)
    match = re.fullmatch(pattern, printed)
    numbers = [piece for piece in pieces if NUMBER.fullmatch(piece)]
    return match is not None and all(same_text(ours, theirs) for ours, theirs in zip(numbers, match.groups()))


def first_difference(shown, printed):
    """The first line (number, text) of the page that is not printed where it should be, or None."""
    at, anywhere = 0, False
    for number, line in shown:
        if line.strip() == LEFT_OUT:
            anywhere = True
            continue
        places = range(at, len(printed)) if anywhere else range(at, min(at + 1, len(printed)))
        found = next((i for i in places if same_line(line, printed[i])), None)
        if found is None:
            return number, line
        at, anywhere = found + 1, False
    if not anywhere and at < len(printed):
        return shown[-1][0] + 1, f"(the end, but more is printed: {printed[at].strip()})"
    return None


def run(step, folder, environment):
    """What is wrong with a command of the page, as (line, message), or None."""
    words = shlex.split(step.command, comments=True)
    if words[0] == "cat" and len(words) == 2:  # the one other command that a page needs
        status, output = 0, (folder / words[1]).read_text(encoding="utf-8")
    elif words[0] == "dalembert":
        words[0] = environment["DALEMBERT_PROGRAM"]
        done = subprocess.run(words, cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=100,
                              encoding="utf-8", errors="replace", check=False)
        status, output = done.returncode, done.stdout + done.stderr
    elif words[0] in PROGRAMS or words[0].startswith("./"):
        program = shutil.which(words[0]) if words[0] in PROGRAMS else folder / words[0]
        if program is None or not Path(program).exists():
            print(f"left out, for there is no {words[0]}: {step.command}")
            return None
        done = subprocess.run([str(program), *words[1:]], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=100,
                              encoding="utf-8", errors="replace", check=False)
        status, output = done.returncode, done.stdout + done.stderr
    else:
        return step.line, "is no program that a page may run"
    if status != step.status:
        return step.line, f"ends with {status}, the page says {step.status}\n{output}"
    for name in words:
        if name.endswith((".svg", ".csv")) and "*" not in name and not (folder / name).stat().st_size:
            return step.line, f"{name} is empty"
    shown = step.lines
    while shown and not shown[-1][1].strip():
        shown = shown[:-1]
    printed = output.splitlines()
    while printed and not printed[-1].strip():
        printed.pop()
    different = first_difference(shown, printed) if shown else None
    if different:
        number, line = different
        near = [p for p in printed if p.split()[:1] == line.split()[:1]][:3]
        return number, f"the page shows\n    {line.strip()}\nwhich is not printed there" + "".join(
            f"\n  {'printed is' if i == 0 else 'or'}\n    {p.strip()}" for i, p in enumerate(near))
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dalembert", type=Path, required=True, help="the command")
    parser.add_argument("--at-least", type=int, default=1, help="how many commands a page has to have")
    parser.add_argument("pages", type=Path, nargs="+")
    options = parser.parse_args()
    environment = {**os.environ, "NO_COLOR": "1", "DALEMBERT_PROGRAM": str(options.dalembert.resolve())}

    failed = commands = lines = 0
    for page in options.pages:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            before = commands
            for step in steps_of(page.read_text(encoding="utf-8")):
                if step.name:
                    (folder / step.name).write_text("".join(f"{line}\n" for _, line in step.lines), encoding="utf-8")
                    continue
                commands += 1
                lines += sum(1 for _, line in step.lines if line.strip(" …"))
                wrong = run(step, folder, environment)
                if wrong:
                    failed += 1
                    print(f"{page}:{wrong[0]}: {step.command}\n  {wrong[1]}")
            if commands - before < options.at_least:
                failed += 1
                print(f"{page}:1: {commands - before} commands, at least {options.at_least} were expected")
    print(f"{commands} commands, {lines} lines of output compared, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
