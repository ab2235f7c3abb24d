#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `dalembert simulate --sensitivity` says of random systems of contacts (judge_contacts.py), against differences of runs.

    judge_sensitivities.py --program BINARY [--cases 100] [--seed 1]

The end of each run is differentiated by an initial velocity, and compared with central differences over three displacements.

right      it agrees with one of them, as far as the named error and the differences among themselves allow
chaotic    a run loses digits, or the differences do not agree with each other: neighbours do something else
given up   a warning says from when on the derivative is unknown
ended      a run ends where no motion goes on
wrong      anything else; the exit status is 1
"""

import copy
import random
import subprocess
import sys

import judge_contacts

DISPLACEMENTS = (1e-6, 1e-7, 1e-8)
NAME = "x0'"


def run(program, path, case, displacement, extra=()):
    moved = copy.deepcopy(case)
    moved["disks"][0]["vx"] += displacement
    path.write_text(judge_contacts.model(moved, 0, (0, 0), list, "dop853").replace("rtol = 1e-10", "rtol = 1e-12\natol = 1e-14"))
    done = subprocess.run([program, "simulate", str(path), "--json", *extra], capture_output=True, text=True, timeout=120)
    return judge_contacts.json.loads(done.stdout)


def apart(a, b):
    return max(abs(a[name] - b[name]) for name in a)


def judge(program, folder, seed):
    rng = random.Random(seed)
    case = judge_contacts.case_of(rng)
    while not judge_contacts.starts_free(case):
        case = judge_contacts.case_of(rng)
    path = folder / ("case%d.toml" % seed)
    plain = run(program, path, case, 0, ("--sensitivity", NAME))
    if plain["status"] != "ok":
        return "ended", ""
    if any("digits lost" in reason for reason in plain["verdict"].get("reasons", [])):
        return "chaotic", ""
    found = plain["final"]["sensitivity"][NAME]
    if any(value is None for value in found["q"].values()):
        said = any("the derivatives by" in warning for warning in plain["verdict"]["warnings"])
        return ("given up", "") if said else ("wrong", "nothing says why there is no derivative")
    differences = []
    for d in DISPLACEMENTS:
        ends = [run(program, path, case, sign * d) for sign in (1, -1)]
        if any(end["status"] != "ok" for end in ends):
            return "ended", ""
        differences.append({name: (ends[0]["final"]["q"][name] - ends[1]["final"]["q"][name]) / (2 * d) for name in found["q"]})
    path.write_text(judge_contacts.model(case, 0, (0, 0), list, "dop853"))
    size = max(1.0, *(abs(value) for one in differences for value in one.values()))
    spread = min(apart(a, b) for a, b in zip(differences, differences[1:]))
    if spread > 1e-2 * size:
        return "chaotic", ""
    worst = min(apart(found["q"], one) for one in differences)
    if worst > 1e-4 * size + 3 * spread + 10 * (found["error"] or 0) * size:
        return "wrong", "off by %.2g of %.2g, differences by %.2g, the named error is %.2g" % (worst, size, spread, found["error"] or 0)
    return "right", ""


if __name__ == "__main__":
    sys.exit(judge_contacts.judge_cases(judge, __doc__))
