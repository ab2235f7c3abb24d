#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What each verb of `dalembert` costs on families of models that grow, and whether it says so where it is too much.

    judge_cliffs.py --program BINARY [--cases 1000] [--seed 1] [--only FAMILY ...] [--verbs VERB ...] [--sizes N ...] [--table]

Every family is made at the sizes 1, 10, 100 and 1,000, up to --cases; nothing in it is random (--seed is taken as by other judges).
Times are seconds of processor time, so that what else the machine does changes little; memory is the largest resident set.

right    an answer within 5 s and 500 MB
refused  an error with a code that says so, within 1.5 s (1 s where nothing else runs) and 500 MB
slow     an answer or an error later or larger than that; it is printed
lost     nothing within a minute of processor time and 3 GB, or out of memory; it is printed, and the exit status is 1, unless a
         motion was computed (simulate, report), which shows how far it is and ends on a signal
"""

import argparse
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict

SECONDS, MEGABYTES, REFUSAL = 5.0, 500.0, 1.5
STOP, ADDRESS_SPACE = 60, 3 << 30  # seconds and bytes after which nothing is waited for


def minimal(n):
    """A hanging chain in the angles of its links: M is full."""
    return f"""name = "minimal"
coordinates = [{{name = "q{{i}}", unit = "rad", for = "i in 1..{n}"}}]
gravity = ["0", "-9.81 m/s^2"]
[[point]]
name = "J0"
at = ["0", "0"]
[[point]]
for = "i in 1..{n}"
name = "J{{i}}"
at = ["J{{i-1}}.x + 0.2*cos(q{{i}})", "J{{i-1}}.y + 0.2*sin(q{{i}})"]
[[body]]
for = "i in 1..{n}"
name = "link{{i}}"
mass = 0.1
inertia = 0.0003
position = ["J{{i-1}}.x + 0.1*cos(q{{i}})", "J{{i-1}}.y + 0.1*sin(q{{i}})"]
angle = "q{{i}}"
"""


def sums(n):
    """The same chain, massless rods with a mass at each end, as somebody writes it: a double sum of cosines of differences."""
    return f"""name = "sums"
coordinates = [{{name = "q{{i}}", for = "i in 1..{n}"}}]
[energy]
kinetic = "sum(i in 1..{n}, sum(j in 1..{n}, ({n} + 1 - max({{i}}, {{j}}))*cos(q{{i}} - q{{j}})*q{{i}}'*q{{j}}'))/2"
potential = "sum(i in 1..{n}, ({n} + 1 - {{i}})*9.81*sin(q{{i}}))"
"""


def maximal(n):
    """The chain with the place and the angle of each link, and pins."""
    return f"""name = "maximal"
coordinates = [
    {{name = "x{{i}}", unit = "m", for = "i in 1..{n}"}},
    {{name = "y{{i}}", unit = "m", for = "i in 1..{n}"}},
    {{name = "q{{i}}", unit = "rad", for = "i in 1..{n}"}},
]
gravity = ["0", "-9.81 m/s^2"]
[[frame]]
for = "i in 1..{n}"
name = "rod{{i}}"
origin = ["x{{i}}", "y{{i}}"]
rotate = "q{{i}}"
[[body]]
for = "i in 1..{n}"
name = "link{{i}}"
mass = 0.1
inertia = 0.0003
frame = "rod{{i}}"
com = ["0", "0"]
[[point]]
name = "H0"
at = ["0", "0"]
[[point]]
for = "i in 1..{n}"
name = "T{{i}}"
frame = "rod{{i}}"
at = ["-0.1", "0"]
[[point]]
for = "i in 1..{n}"
name = "H{{i}}"
frame = "rod{{i}}"
at = ["0.1", "0"]
[[constraint]]
for = "i in 1..{n}"
name = "pin{{i}}"
coincide = ["T{{i}}", "H{{i-1}}"]
"""


def spatial(n):
    """A chain of bodies on hinges in space, whose axes alternate; in the angles of the hinges."""
    text = f"""name = "spatial"
coordinates = [{{name = "q{{i}}", unit = "rad", for = "i in 1..{n}"}}]
gravity = ["0", "0", "-9.81 m/s^2"]
[[frame]]
name = "f0"
origin = [0, 0, 0]
"""
    for i in range(1, n + 1):
        offset = "0" if i == 1 else "0.2"
        text += f"""[[frame]]
name = "f{i}"
parent = "f{i - 1}"
origin = ["{offset}", 0, 0]
rotate = [["{"yz"[i % 2]}", "q{i}"]]
[[body]]
name = "b{i}"
mass = 1
inertia = [0.01, 0.02, 0.02]
frame = "f{i}"
com = ["0.1", 0, 0]
"""
    return text


def quaternion(n):
    """Free bodies with quaternions, held together by ball joints."""
    text = 'name = "quaternion"\ncoordinates = ['
    text += ", ".join(f'"x{i}", "y{i}", "z{i}", "a{i}", "b{i}", "c{i}", "d{i}"' for i in range(1, n + 1))
    text += ']\ngravity = ["0", "0", "-9.81"]\n[[point]]\nname = "H0"\nat = [0, 0, 0]\n'
    for i in range(1, n + 1):
        text += f"""[[frame]]
name = "f{i}"
origin = ["x{i}", "y{i}", "z{i}"]
quaternion = ["a{i}", "b{i}", "c{i}", "d{i}"]
[[body]]
name = "b{i}"
mass = 1
inertia = [0.01, 0.02, 0.02]
frame = "f{i}"
[[point]]
name = "T{i}"
frame = "f{i}"
at = ["-0.1", 0, 0]
[[point]]
name = "H{i}"
frame = "f{i}"
at = ["0.1", 0, 0]
[[constraint]]
name = "ball{i}"
coincide = ["T{i}", "H{i - 1}"]
"""
    text += "[initial]\nposition = {" + ", ".join(f"a{i} = 1" for i in range(1, n + 1)) + "}\nguess = {"
    return text + ", ".join(f"x{i} = {0.2 * i - 0.1:.1f}" for i in range(1, n + 1)) + "}\n"


def friction(n):
    """Blocks that slide on the ground, each with a friction of its own, on springs between them."""
    return f"""name = "friction"
coordinates = [{{name = "x{{i}}", for = "i in 1..{n}"}}, {{name = "y{{i}}", for = "i in 1..{n}"}}]
[energy]
kinetic = "sum(i in 1..{n}, (x{{i}}'^2 + y{{i}}'^2)/2)"
potential = "sum(i in 1..{n}, 9.81*y{{i}} + x{{i}}^2/2) + sum(i in 2..{n}, 10*(x{{i}} - x{{i-1}})^2)"
[[constraint]]
for = "i in 1..{n}"
name = "ground{{i}}"
holonomic = "y{{i}}"
[[friction]]
for = "i in 1..{n}"
name = "rub{{i}}"
normal = "lambda(ground{{i}})"
velocity = "x{{i}}'"
coefficient = 0.3
static = 0.4
[initial]
position = {{x1 = 1}}
velocity = {{{", ".join(f"x{i} = 1" for i in range(1, n + 1))}}}
"""


def trailer(n):
    """A car with trailers, each hitched to the axle before it."""
    return f"""name = "trailer"
coordinates = ["x", "y", {{name = "h{{i}}", for = "i in 0..{n}"}}]
[[point]]
name = "A0"
at = ["x", "y"]
[[point]]
for = "i in 1..{n}"
name = "A{{i}}"
at = ["A{{i-1}}.x - cos(h{{i}})", "A{{i-1}}.y - sin(h{{i}})"]
[energy]
kinetic = "sum(i in 0..{n}, dot(A{{i}}.x)^2 + dot(A{{i}}.y)^2 + h{{i}}'^2/10)/2"
[[constraint]]
for = "i in 0..{n}"
name = "wheel{{i}}"
pfaffian = "-sin(h{{i}})*dot(A{{i}}.x) + cos(h{{i}})*dot(A{{i}}.y)"
[initial]
position = {{{", ".join(f"h{i} = {0.3 * (-1) ** i}" for i in range(n + 1))}}}
velocity = {{x = 1}}
"""


def cosines(n):
    """A product of cosines of all coordinates in the kinetic energy."""
    product = "*".join(f"cos(q{i})" for i in range(1, n + 1))
    return f"""name = "cosines"
coordinates = [{{name = "q{{i}}", for = "i in 1..{n}"}}]
[energy]
kinetic = "sum(i in 1..{n}, q{{i}}'^2)/2 + q1'^2*{product}/4"
potential = "q1^2"
"""


def fractions(n):
    """Fractions in fractions, as definitions of each other."""
    return f"""name = "fractions"
coordinates = ["x", "y"]
[define]
f0 = "x"
""" + "".join(f'f{i} = "1/(2 + y^2 + f{i - 1})"\n' for i in range(1, n + 1)) + f"""[energy]
kinetic = "(x'^2 + y'^2)/2"
potential = "f{n} + x^2"
"""


def names(n):
    """A parameter that is written as fractions in fractions."""
    return f"""name = "names"
coordinates = ["x"]
[parameters]
a = {{value = 1, latex = '{chr(92) + "frac{1}{"}{(chr(92) + "frac{1}{") * (n - 1)}a{"}" * n}'}}
[energy]
kinetic = "x'^2/2"
potential = "a*x^2/2"
"""


def sines(n):
    """A long sum of sines."""
    return f"""name = "sines"
coordinates = ["x"]
[energy]
kinetic = "x'^2/2"
potential = "sum(i in 1..{20 * n}, sin({{i}}*x))"
"""


def harmonic(n):
    """A number whose digits grow with the sum."""
    return f"""name = "harmonic"
coordinates = ["x"]
[energy]
kinetic = "x'^2/2"
potential = "sum(i in 1..{100 * n}, 1/i)*x + x^2"
"""


def largest(n):
    """The largest of many."""
    return f"""name = "largest"
coordinates = ["x"]
[energy]
kinetic = "x'^2/2"
potential = "max({", ".join(f"x*{i}" for i in range(n + 1))})"
"""


def redundant(n):
    """Rows that all say the same."""
    return f"""name = "redundant"
coordinates = ["x", "y"]
[energy]
kinetic = "(x'^2 + y'^2)/2"
[[constraint]]
name = "c{{i}}"
for = "i in 1..{3 * n}"
holonomic = "{{i}}*(x^2 + y^2 - 1)"
[initial]
position = {{x = 1}}
guess = {{y = 0}}
"""


def hyperbolas(n):
    """Rows that do not hold at the guess, coupled one after the other."""
    return f"""name = "hyperbolas"
coordinates = [{{name = "x{{i}}", for = "i in 1..{3 * n}"}}]
[energy]
kinetic = "sum(i in 1..{3 * n}, x{{i}}'^2/2)"
[[constraint]]
name = "c{{i}}"
for = "i in 1..{3 * n - 1}"
holonomic = "x{{i}}*x{{i+1}} - 1"
[initial]
position = {{x1 = 1}}
"""


def frames(n):
    """Frames in frames, turned about three axes by one angle."""
    return f"""name = "frames"
coordinates = ["a"]
gravity = ["0", "0", "-9"]
[[frame]]
name = "f0"
rotate = [["x", "a"]]
origin = [0, 0, 1]
[[frame]]
name = "f{{i}}"
for = "i in 1..{n}"
parent = "f{{i-1}}"
origin = [0, 0, 1]
rotate = [["x", "a"], ["y", "a"], ["z", "a"]]
[[body]]
name = "b"
frame = "f{n}"
mass = 1
inertia = [1, 1, 1]
"""


def twists(n):
    """The six joints of a robot whose twists are a small part of a turn, with many primes in it."""
    text = 'name = "twists"\ncoordinates = [' + ", ".join(f'"q{i}"' for i in range(1, 7)) + ']\ngravity = ["0", "0", "-9.81"]\n'
    for i in range(1, 7):
        parent = "" if i == 1 else f'parent = "f{i - 1}"\n'
        text += f"""[[frame]]
name = "f{i}"
{parent}origin = ["0.1", 0, "0.2"]
rotate = [["z", "q{i}"], ["x", "pi/{2002 * n}"]]
[[body]]
name = "b{i}"
mass = 1
inertia = [0.01, 0.02, 0.02]
frame = "f{i}"
com = ["0.1", 0, 0]
"""
    return text


FAMILIES = {f.__name__: f for f in [minimal, sums, maximal, spatial, quaternion, friction, trailer, cosines, fractions, names, sines,
                                    harmonic, largest, redundant, hyperbolas, frames, twists]}

VERBS = {
    "check": ["check"],
    "derive": ["derive"],
    "json": ["derive", "--json"],
    "latex": ["derive", "--format", "latex"],
    "reduced": ["derive", "--only", "S,reduced"],
    "page": ["derive", "-o", "OUT.html"],
    "audit": ["audit"],
    "eval": ["eval"],
    "analyze": ["analyze"],
    "linearize": ["linearize"],
    "simulate": ["simulate", "--until", "0.1"],
    "report": ["report", "--until", "0.1", "-o", "OUT.html"],
    "c": ["export", "--to", "c", "-o", "OUT"],
    "fmu": ["export", "--to", "fmu", "-o", "OUT.fmu"],
}


MOVING = ("simulate", "report")


class Outcome:
    def __init__(self, program, verb, model, folder):
        words = [word.replace("OUT", str(folder / "out")) for word in VERBS[verb]]
        command = [program, words[0], str(model)] + words[1:]
        environment = dict(os.environ, XDG_CACHE_HOME=str(folder / "cache"))
        errors = folder / "errors"
        with open(errors, "wb") as err:
            process = subprocess.Popen(
                command, stdout=subprocess.DEVNULL, stderr=err, env=environment, cwd=folder,
                preexec_fn=lambda: (resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE)),
                                    resource.setrlimit(resource.RLIMIT_CPU, (STOP, STOP + 1)),
                                    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))))
            timer = threading.Timer(4 * STOP, process.kill)
            timer.start()
            _, status, used = os.wait4(process.pid, 0)
            timer.cancel()
        self.verb = verb
        self.seconds = used.ru_utime + used.ru_stime
        self.megabytes = used.ru_maxrss / 1024
        self.code = os.waitstatus_to_exitcode(status)
        process.returncode = self.code
        text = errors.read_text(errors="replace")
        found = re.search(r"^error\[(E\d+)\]: (.*)$", text, re.M)
        self.error = found.group(1) if found else None
        self.message = found.group(2) if found else text.strip().splitlines()[-1] if text.strip() else ""

    @property
    def verdict(self):
        if self.code < 0 or self.error in ("E0901", "E0902", "E0903"):
            return "slow" if self.verb in MOVING else "lost"
        if self.megabytes > MEGABYTES:
            return "slow"
        if self.code in (0, 4):
            return "right" if self.seconds <= SECONDS else "slow"
        if not self.error:
            return "lost"
        return "refused" if self.seconds <= REFUSAL else "slow"

    def text(self):
        word = f"{self.error or ''}{'!' if self.code < 0 else ''}"
        return f"{self.seconds:.2f} s {self.megabytes:.0f} MB {word}".strip()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="*", choices=FAMILIES)
    parser.add_argument("--verbs", nargs="*", choices=VERBS)
    parser.add_argument("--sizes", nargs="*", type=int)
    parser.add_argument("--table", action="store_true", help="print every outcome")
    options = parser.parse_args()
    program = str(pathlib.Path(options.program).resolve())
    counts, total = defaultdict(Counter), Counter()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for family in options.only or FAMILIES:
            for size in options.sizes or [n for n in (1, 10, 100, 1000) if n <= options.cases]:
                model = folder / f"{family}-{size}.toml"
                model.write_text(FAMILIES[family](size))
                for verb in options.verbs or VERBS:
                    outcome = Outcome(program, verb, model, folder)
                    counts[family][outcome.verdict] += 1
                    if options.table or outcome.verdict in ("slow", "lost"):
                        print(f"{outcome.verdict:8}{family:11}{size:5} {verb:10}{outcome.text():28} {outcome.message[:110]}",
                              flush=True)
                model.unlink()
    columns = ["right", "refused", "slow", "lost"]
    print(f"{'':12}" + "".join(f"{column:>9}" for column in columns))
    for family, found in counts.items():
        print(f"{family:12}" + "".join(f"{found[column]:9}" for column in columns))
        total += found
    print(f"{'all':12}" + "".join(f"{total[column]:9}" for column in columns))
    return 1 if total["lost"] else 0


if __name__ == "__main__":
    sys.exit(main())
