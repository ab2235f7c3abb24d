#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sends mutated models through every verb of the command, as a careless or hostile user would.

Each model is a shipped one (or a file of --also) with one to six changes of tokens, lines or bytes, or (one in four) a small
one whose formulas are made of every function and of constants on the edges of their domains. Whatever it has
become, the command must answer: within --limit seconds of processor time and 4 GB (a run may take longer, and must stop
and exit with 130 when it is interrupted), with a documented exit status,
without a signal, with one JSON document where --json asks for it, with no control character in what it writes, and with a
place in every message. A place is
FILE:LINE:COLUMN, of the model, of a file it names, or of the command line. Messages about a state of the system (E03xx,
W03xx: they name a time, a row or a coordinate) and about the program itself (E09xx) have none. Out of memory (E0901)
and internal errors (E0902) are findings.

Model number I of seed S is always the same: what is found is printed with the command that repeats it, and kept in
--keep. The exit status is 1 when something was found.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXIT_CODES = {0, 1, 2, 3, 4, 5}  # and 130, after a signal that nobody sends here
MEMORY = 4 << 30
NEEDS_PLACE = re.compile(r"E0[0-24-8]|E05|W0[0-2]")
NO_PLACE = {"W0205", "W0240"}  # about all rows at a state, about a model as a whole
HEADING = re.compile(r"^(error|warning)\[([EW]\d{4})\]: ")
PLACE = re.compile(r"^ *--> .+:\d+:\d+$")
TOKEN = re.compile(r"\"|'|[A-Za-z_][A-Za-z0-9_]*|\d+\.?\d*(?:[eE][+-]?\d+)?|\s+|.", re.S)

NUMBERS = ["0", "1", "-1", "2", "3", "10", "0.5", "1e-3", "1e-9", "1e3", "1e9", "1e300", "1e-300", "100000", "99999999999",
           "1/3", "0.3587", "2.37", "1e400", "123456789.987654321", "-0.1", "1..5", "64", "1001/2000"]
WORDS = ["sin", "cos", "tan", "sqrt", "abs", "sign", "min", "max", "exp", "log", "atan2", "hypot", "if", "sum", "dot",
         "lambda", "t", "pi", "for", "name", "x", "theta", "nan", "inf", "true", "and", "not"]
EDGES = ["0", "1", "-1", "1e308", "-1e308", "1e-320", "1e-310", "pi/2", "-pi", "(a - a)", "(x - x)", "0*x", "2^1023",
         "cos(pi/2)", "(1 - 1e-16)", "(-1/3)", "1/2", "(1/7)", "sqrt(2)", "(sqrt(2) - sqrt(2))", "9007199254740993"]
FUNCTIONS = {name: 1 for name in ["sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log", "sqrt", "abs",
                                  "sign", "floor"]} | {name: 2 for name in ["atan2", "hypot", "min", "max", "mod"]} | {"if": 3}
# What ends lines, moves cursors, or changes the direction of text somewhere.
CONTROLS = ["\r", "\x1b[2J", "\x1b]0;x\x07", "\u2028", "\u2029", "\u202e", "\x85", "\x9b31m", "\x08", "\x00", "\x7f"]
SHOWN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
PIECES = ["^2", "^-1", "^1e9", "^0.5", "'", "''", "*t", "+1", "*0", "/0", "/x", "(", ")", "[", "]", "{", "}", "{i}", "\"",
          ",", "=", "==", "<", "..", "*(", ")^20", "#", "\n", " kg", " m", " deg", "é", "\x00", "\t", "^x"]


def tokens_of(text):
    return TOKEN.findall(text)


def formula(pick, depth=3):
    """Any function of any other, of coordinates and of constants on the edges of their domains."""
    kind = pick.random()
    if depth == 0 or kind < 0.2:
        return pick.choice(EDGES + ["x", "y", "a", "t"] * 4)
    if kind < 0.6:
        name = pick.choice(list(FUNCTIONS))
        inside = [formula(pick, depth - 1) for _ in range(FUNCTIONS[name])]
        if name == "if":
            inside[0] += pick.choice([" < ", " >= ", " == "]) + formula(pick, 0)
        return f"{name}({', '.join(inside)})"
    if kind < 0.7:
        return f"({formula(pick, depth - 1)})^{pick.choice(['2', '-1', '(1/2)', '(-3/2)', '3', '(1/3)', '0'])}"
    return f"({formula(pick, depth - 1)} {pick.choice('+-*/')} {formula(pick, depth - 1)})"


def generated(pick):
    """A small model whose formulas are `formula`s; claims compare one with another."""
    return "\n".join([
        'name = "generated"', 'coordinates = ["x", "y"]', "[parameters]", f"a = {pick.choice(['1', '0', '-1', '1e308', '2.5'])}",
        "[energy]", f"kinetic = \"x'^2/2 + y'^2/2{pick.choice(['', ' + ' + formula(pick) + chr(42) + 'y' + chr(39) + '^2'])}\"",
        f'potential = "{formula(pick)}"',
        *pick.choice([[], ["[[force]]", 'coordinate = "x"', f'value = "{formula(pick)}"']]),
        *pick.choice([[], ["[[constraint]]", 'name = "c"', f'holonomic = "{formula(pick)}"']]),
        *pick.choice([[], ["[[constraint]]", 'name = "d"', f'pfaffian = "{formula(pick)}*x\' + y\'"']]),
        *pick.choice([[], ["[outputs]", f'o = "{formula(pick)}"']]),
        *pick.choice([[], ["[[claim]]", 'entry = "eom[x]"', f'equals = "{formula(pick)} = {formula(pick)}"']]),
        "[initial]", f"position = {{x = {pick.choice(['0', '0.5', '1'])}, y = 0.25}}", ""])


def change_token(text, others, pick):
    tokens = tokens_of(text)
    if not tokens:
        return text
    solid = [i for i, token in enumerate(tokens) if not token.isspace()] or [0]
    at = pick.choice(solid)
    kind = pick.choice([0, 1, 2, 3, 3, 3, 4, 4, 4, 5, 6, 6, 6, 7, 7, 8, 9, 9, 10])
    if kind == 0:
        del tokens[at]
    elif kind == 1:
        tokens.insert(at, tokens[at])
    elif kind == 2:
        other = pick.choice(solid)
        tokens[at], tokens[other] = tokens[other], tokens[at]
    elif kind == 3:
        numbers = [i for i in solid if tokens[i][0].isdigit()]
        tokens[pick.choice(numbers) if numbers else at] = pick.choice(NUMBERS)
    elif kind == 4:
        names = [i for i in solid if tokens[i][0].isalpha()]
        tokens[pick.choice(names) if names else at] = pick.choice(WORDS + [tokens[i] for i in names])
    elif kind == 5:
        tokens.insert(at, pick.choice(PIECES))
    elif kind == 6:
        names = [i for i in solid if tokens[i][0].isalnum()] or [at]
        at = pick.choice(names)
        tokens[at] = f"{pick.choice(WORDS)}({tokens[at]})"
    elif kind == 7:
        signs = [i for i in solid if tokens[i] in "+-*/^<>=,"] or [at]
        tokens[pick.choice(signs)] = pick.choice(["+", "-", "*", "/", "^", "<", "=", ",", " "])
    elif kind == 9:
        inside = [i for i in solid if tokens[i][0].isalnum()] or [at]
        tokens[pick.choice(inside)] = formula(pick, 2)
    elif kind == 10:
        tokens.insert(at, pick.choice(CONTROLS))
    else:
        theirs = tokens_of(pick.choice(others))
        begin = pick.randrange(len(theirs))
        tokens[at:at] = theirs[begin:begin + pick.randrange(1, 12)]
    return "".join(tokens)


def change_line(text, others, pick):
    lines = text.splitlines(keepends=True)
    if not lines:
        return text
    at = pick.randrange(len(lines))
    kind = pick.randrange(5)
    if kind == 0:
        del lines[at]
    elif kind == 1:
        lines.insert(at, lines[at])
    elif kind == 2:
        other = pick.randrange(len(lines))
        lines[at], lines[other] = lines[other], lines[at]
    elif kind == 3:
        theirs = pick.choice(others).splitlines(keepends=True)
        begin = pick.randrange(len(theirs))
        lines[at:at] = theirs[begin:begin + pick.randrange(1, 8)]
    else:
        begin = pick.randrange(len(lines))
        lines[at:at] = lines[begin:begin + pick.randrange(1, 8)]
    return "".join(lines)


def change_byte(data, pick):
    if not data:
        return data
    at = pick.randrange(len(data))
    kind = pick.randrange(4)
    if kind == 0:
        return data[:at] + data[at + 1 + pick.randrange(4):]
    if kind == 1:
        return data[:at] + bytes([pick.randrange(256)]) + data[at + 1:]
    if kind == 2:
        return data[:at] + bytes([pick.choice(b"\"'[]{}()=+-*/^.,# \n09xy\\\x01\x7f\xc3\xff")]) + data[at:]
    return data[:at] + data[at:at + 1 + pick.randrange(30)] * pick.choice([2, 3, 40]) + data[at:]


def mutated(seeds, seed, number):
    """Name of the origin and bytes of model `number`."""
    pick = random.Random(f"{seed}:{number}")
    name, text = pick.choice(seeds)
    others = [other for _, other in seeds]
    level = pick.random()
    if pick.random() < 0.25:
        name, text = "nothing", generated(pick)
        if pick.random() < 0.7:
            return name, text.encode(), pick
    for _ in range(pick.choice([1, 1, 1, 2, 2, 3, 6])):
        if level < 0.62:
            text = change_token(text, others, pick)
        elif level < 0.85:
            text = change_line(text, others, pick)
        else:
            text = change_byte(text.encode("utf-8", "surrogateescape"), pick).decode("utf-8", "surrogateescape")
    return name, text.encode("utf-8", "surrogateescape"), pick


def commands_for(pick, path):
    """Every verb that reads a model; bench only measures what the others do."""
    run = ["simulate", path, "--until", pick.choice(["0.05", "20 ms"])] + pick.choice([[], ["--no-jit"], ["--rtol", "1e-5"]])
    return [
        ["check", path, "--json"],
        ["derive", path],
        ["derive", path, "--format", "latex"] + pick.choice([[], ["--steps"], ["--standalone"]]),
        ["derive", path, "--json"] + pick.choice([[], ["--form", "expanded"], ["--form", "as-derived"]]),
        ["eval", path, "--json"],
        ["assemble", path, "--json"],
        ["audit", path, "--json"],
        run + ["--json"],
        pick.choice([["check", path], ["eval", path], ["assemble", path], ["audit", path], run]),
    ]


def limited(limit):
    def prepare():
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (3 * limit, 3 * limit))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        os.nice(2)
    return prepare


def misplaced(words, err, out):
    """What a message lacks, or nothing."""
    lines = err.splitlines()
    for i, line in enumerate(lines):
        found = HEADING.match(line)
        if not found:
            continue
        code = found.group(2)
        if code in ("E0901", "E0902"):
            return line
        if NEEDS_PLACE.match(code) and code not in NO_PLACE and not (i + 1 < len(lines) and PLACE.match(lines[i + 1])):
            return f"no place: {line[:160]}"
    if "--json" in words:
        for diagnostic in json.loads(out).get("diagnostics", []):
            code = diagnostic["code"]
            if NEEDS_PLACE.match(code) and code not in NO_PLACE and not (diagnostic["file"] and diagnostic["line"]):
                return f"no place in JSON: {code} {diagnostic['message'][:120]}"
    return None


def processor_time(process):
    try:
        fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text(encoding="ascii", errors="replace").rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, IndexError):
        return 0.0


def finish(process, limit):
    """Whether it had to be interrupted, and its exit status; None where it does not end even then."""
    began = time.monotonic()
    while True:
        try:
            return False, process.wait(0.5)
        except subprocess.TimeoutExpired:
            if processor_time(process) < limit and time.monotonic() - began < 12 * limit:
                continue
        process.send_signal(signal.SIGINT)
        try:
            return True, process.wait(3 * limit)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            return True, None


def judge(program, words, folder, limit, environment):
    """(exit status or None, what is wrong or None)"""
    with open(os.path.join(folder, "out"), "w+b") as out_file, open(os.path.join(folder, "err"), "w+b") as err_file:
        process = subprocess.Popen([program, *words], cwd=folder, stdin=subprocess.DEVNULL, stdout=out_file, stderr=err_file,
                                   env=environment, preexec_fn=limited(limit))
        interrupted, status = finish(process, limit)
        out_file.seek(0)
        err_file.seek(0)
        out, err = out_file.read().decode("utf-8", "replace"), err_file.read().decode("utf-8", "replace")
    if interrupted:
        # A run takes as long as it has steps, and stops when it is asked.
        if words[0] == "simulate" and status == 130:
            return status, None
        return None, f"no answer after {limit} s of processor time; Ctrl-C then gives {status}"
    if status < 0:
        return None, f"ended by {signal.Signals(-status).name}"
    if status not in EXIT_CODES:
        return status, f"exit status {status}"
    if "--json" in words:
        try:
            json.loads(out)
        except ValueError as problem:
            return status, f"not one JSON document: {problem}"
    if status in (1, 2, 5) and not HEADING.search(err) and not re.search(HEADING.pattern, err, re.M):
        return status, f"exit status {status} without a message"
    for where, written in (("stdout", out), ("stderr", err)):
        if found := SHOWN.search(written):
            return status, f"a control character in {where}: {written[max(0, found.start() - 60):found.end() + 20]!r}"
    if re.search(r"terminate called|Assertion|runtime error:|Sanitizer", err):
        return status, err.splitlines()[-1][:160]
    wrong = misplaced(words, err, out)
    return status, wrong


def examine(arguments, seeds, number, environment):
    """Findings about model `number`, the count of runs, and exit statuses."""
    origin, data, pick = mutated(seeds, arguments.seed, number)
    findings, statuses = [], []
    with tempfile.TemporaryDirectory(prefix="dalembert-mutant-") as folder:
        pathlib.Path(folder, "model.toml").write_bytes(data)
        commands = commands_for(pick, "model.toml")
        refused = False
        for words in commands:
            # What check refuses to read the others refuse in the same place of the code: one of them is enough.
            if refused and pick.random() > 0.2:
                continue
            status, wrong = judge(arguments.program, words, folder, arguments.limit, environment)
            statuses.append(status)
            if words[0] == "check" and status in (1, 2, 5):
                refused = True
            if wrong:
                findings.append((origin, words, wrong, data))
    return number, findings, statuses


def read_seeds(also):
    paths = sorted(ROOT.glob("models/*.toml")) + sorted(ROOT.glob("models/audits/*.toml"))
    paths += sorted(ROOT.glob("fuzz/corpus/model_fuzz/*"))
    paths += [pathlib.Path(path) for path in also]
    seeds = [(path.name, path.read_bytes().decode("utf-8", "surrogateescape")) for path in paths if path.is_file()]
    return [seed for seed in seeds if seed[1].strip()]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=str(ROOT / "build/release/bin/dalembert"))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, metavar="I", help="number of the first model")
    parser.add_argument("--count", type=int, default=None, metavar="N", help="so many models")
    parser.add_argument("--seconds", type=float, default=60, help="or as many as fit (60)")
    parser.add_argument("--limit", type=int, default=10, help="seconds of processor time a run may take (10)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--keep", default=str(ROOT / "build/mutants"), metavar="DIR", help="where offending models are kept")
    parser.add_argument("--show", action="store_true", help="print the models instead of running them")
    parser.add_argument("--also", nargs="*", default=[], metavar="FILE", help="more models to begin with")
    arguments = parser.parse_args()
    arguments.program = str(pathlib.Path(arguments.program).resolve())
    seeds = read_seeds(arguments.also)
    if arguments.show:
        for number in range(arguments.first, arguments.first + (arguments.count or 1)):
            sys.stdout.buffer.write(mutated(seeds, arguments.seed, number)[1])
        return 0

    end = None if arguments.count is not None else time.monotonic() + arguments.seconds
    runs = models = found = 0
    by_status = {}
    with tempfile.TemporaryDirectory(prefix="dalembert-mutants-") as cache:
        environment = dict(os.environ, DALEMBERT_CACHE_DIR=cache, NO_COLOR="1")
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            number, waiting = arguments.first, set()
            while True:
                more = number < arguments.first + arguments.count if end is None else time.monotonic() < end
                if more and len(waiting) < 2 * arguments.jobs:
                    waiting.add(pool.submit(examine, arguments, seeds, number, environment))
                    number += 1
                    continue
                if not waiting:
                    break
                done, waiting = concurrent.futures.wait(waiting, return_when=concurrent.futures.FIRST_COMPLETED)
                for task in done:
                    which, findings, statuses = task.result()
                    models += 1
                    runs += len(statuses)
                    for status in statuses:
                        by_status[status] = by_status.get(status, 0) + 1
                    for origin, words, wrong, data in findings:
                        found += 1
                        kept = pathlib.Path(arguments.keep, f"{arguments.seed}-{which}.toml")
                        kept.parent.mkdir(parents=True, exist_ok=True)
                        kept.write_bytes(data)
                        print(f"{wrong}\n    dalembert {' '.join(words)}\n    {kept}, from {origin}; again: "
                              f"fuzz/mutate_models.py --seed {arguments.seed} --first {which} --count 1", flush=True)
    counts = ", ".join(f"{count} x {status}" for status, count in sorted(by_status.items(), key=lambda item: str(item[0])))
    print(f"{models} models, {runs} runs (exit status {counts}): {found} findings")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
