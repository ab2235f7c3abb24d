#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `dalembert simulate` says of contacts, against the same system seen from elsewhere.

    judge_contacts.py --program BINARY [--cases 100] [--seed 1]

One to three disks fall, spin and bounce between two to five lines, with and without friction and restitution, some held by ropes. Each case runs
twice: as it is, and turned by an angle, moved, with its constraints in another order and by another method of integration. Nothing of that
changes what happens.

right      both end alike: in the same state, within what the named errors allow, after as many impacts of every contact
chaotic    one of the runs says that digits are lost, or names an error of more than 0.001: they may part
paradox    both end where no state, or more than one, of contacts and frictions is consistent, at the same time
wrong      anything else; the case is printed and kept, and the exit status is 1
"""

import argparse
import collections
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile

END = 1.5  # s


def case_of(rng):
    """Numbers of a case: disks (x, y, phi, rates), lines (a point, the angle of the normal), coefficients."""
    count = rng.choice([1, 1, 2, 3])
    rough = rng.random() < 0.6
    disks = [{"r": rng.uniform(0.05, 0.12), "x": 0.3 * k + rng.uniform(-0.05, 0.05), "y": rng.uniform(0.2, 0.6), "spin": rng.uniform(-10, 10),
              "vx": rng.uniform(-2, 2), "vy": rng.uniform(-1, 1)} for k in range(count)]
    angles = [rng.uniform(-0.4, 0.4), rng.uniform(-1.8, -1.2), rng.uniform(1.2, 1.8), math.pi + rng.uniform(-0.4, 0.4)]
    points = [(0.3, -0.1), (1.3, 0.3), (-0.6, 0.3), (0.3, 1.2)]
    lines = [{"at": p, "angle": a, "e": rng.choice([0.0, rng.uniform(0, 0.9)]), "mu": rng.uniform(0, 0.8) if rough else 0.0}
             for p, a in list(zip(points, angles))[:rng.randint(2, 4)]]
    return {"disks": disks, "lines": lines, "e": rng.uniform(0, 0.9), "rope": rng.choice([None, None, rng.uniform(0.3, 0.9)]),
            "g": rng.choice([9.81, 9.81, 1.62])}


def model(case, turn, shift, shuffled, method):
    """The case as a model file, turned and shifted, its constraints in the order `shuffled`."""
    c, s = math.cos(turn), math.sin(turn)

    def moved(x, y):
        return c * x - s * y + shift[0], s * x + c * y + shift[1]

    out = ['name = "contacts"', "gravity = [%r, %r]" % (s * case["g"], -c * case["g"])]
    names, position, velocity, blocks = [], [], [], []
    for k, disk in enumerate(case["disks"]):
        names += ["x%d" % k, "y%d" % k, "p%d" % k]
        x, y = moved(disk["x"], disk["y"])
        position += ["x%d = %r" % (k, x), "y%d = %r" % (k, y), "p%d = 0" % k]
        velocity += ["x%d = %r" % (k, c * disk["vx"] - s * disk["vy"]), "y%d = %r" % (k, s * disk["vx"] + c * disk["vy"]), "p%d = %r" % (k, disk["spin"])]
    out.append("coordinates = [%s]" % ", ".join('"%s"' % n for n in names))
    for k, disk in enumerate(case["disks"]):
        out += ["[[frame]]", 'name = "f%d"' % k, 'origin = ["x%d", "y%d"]' % (k, k), 'rotate = "p%d"' % k,
                "[[point]]", 'name = "C%d"' % k, 'at = ["x%d", "y%d"]' % (k, k),
                "[[body]]", 'name = "d%d"' % k, "mass = %r" % (disk["r"] * 10), "inertia = %r" % (disk["r"] ** 3 * 5), 'frame = "f%d"' % k]
    for l, line in enumerate(case["lines"]):
        out += ["[[point]]", 'name = "O%d"' % l, "at = [%r, %r]" % moved(*line["at"])]
        nx, ny = math.sin(line["angle"] - turn), math.cos(line["angle"] - turn)
        for k, disk in enumerate(case["disks"]):
            blocks.append(["[[constraint]]", 'name = "line%d_%d"' % (l, k),
                           'contact = {point = "C%d", above = "O%d", normal = [%r, %r], radius = %r}' % (k, l, nx, ny, disk["r"]),
                           'frame = "f%d"' % k, "restitution = %r" % line["e"]] + (["friction = %r" % line["mu"]] if line["mu"] > 0 else []))
    for a in range(len(case["disks"])):
        for b in range(a):
            blocks.append(["[[constraint]]", 'name = "pair%d_%d"' % (a, b), "restitution = %r" % case["e"],
                           'distance = {between = ["C%d", "C%d"], at_least = %r}' % (a, b, case["disks"][a]["r"] + case["disks"][b]["r"])])
    if case["rope"] is not None:
        out += ["[[point]]", 'name = "H"', "at = [%r, %r]" % moved(0.1, 0.9)]
        blocks.append(["[[constraint]]", 'name = "rope"', 'distance = {between = ["H", "C0"], at_most = %r}' % case["rope"], "restitution = 0.2"])
    for b in shuffled(blocks):
        out += b
    out += ["[initial]", "position = {%s}" % ", ".join(position), "velocity = {%s}" % ", ".join(velocity), "[simulation]", "until = %r" % END,
            'method = "%s"' % method, "rtol = 1e-10"]
    return "\n".join(out) + "\n"


def starts_free(case):
    """Whether nothing overlaps at the start."""
    for disk in case["disks"]:
        for line in case["lines"]:
            if (disk["x"] - line["at"][0]) * math.sin(line["angle"]) + (disk["y"] - line["at"][1]) * math.cos(line["angle"]) < disk["r"] + 0.01:
                return False
    for a in range(len(case["disks"])):
        for b in range(a):
            p, q = case["disks"][a], case["disks"][b]
            if math.hypot(p["x"] - q["x"], p["y"] - q["y"]) < p["r"] + q["r"] + 0.01:
                return False
    return case["rope"] is None or math.hypot(case["disks"][0]["x"] - 0.1, case["disks"][0]["y"] - 0.9) < case["rope"] - 0.01


def run(program, path, text):
    path.write_text(text)
    done = subprocess.run([program, "simulate", str(path), "--json"], capture_output=True, text=True, timeout=120)
    if not done.stdout:
        raise RuntimeError("exit %d: %s" % (done.returncode, done.stderr[:300]))
    return json.loads(done.stdout), done.stderr


def judge(program, folder, seed):
    rng = random.Random(seed)
    case = case_of(rng)
    while not starts_free(case):
        case = case_of(rng)
    turn, shift = rng.uniform(-3, 3), (rng.uniform(-1, 1), rng.uniform(-1, 1))
    order = rng.sample(range(100), 100)
    plain, _ = run(program, folder / ("case%d.toml" % seed), model(case, 0, (0, 0), list, "dop853"))
    other, _ = run(program, folder / ("case%d_turned.toml" % seed),
                   model(case, turn, shift, lambda blocks: [b for _, b in sorted(zip(order, blocks), key=lambda pair: pair[0])], "dopri5"))
    verdicts = [plain["verdict"], other["verdict"]]
    status = [plain.get("status", "ok"), other.get("status", "ok")]
    lost = any("digits lost" in reason for v in verdicts for reason in v.get("reasons", []))
    named = max([float("inf") if e is None else abs(e) for v in verdicts for e in (v.get("error") or {}).get("q", {}).values()] or [0.0])
    if lost or named > 1e-3:
        return "chaotic", ""
    ends = [plain["final"]["t"], other["final"]["t"]]
    if max(abs(t - END) for t in ends) > 1e-12:
        if abs(ends[0] - ends[1]) < 1e-6 + 100 * named:
            return "paradox", ""
        return "wrong", "they end at %r and %r: %s / %s" % (*ends, plain.get("reason"), other.get("reason"))
    worst = 0.0
    for k in range(len(case["disks"])):
        x, y = plain["final"]["q"]["x%d" % k], plain["final"]["q"]["y%d" % k]
        c, s = math.cos(turn), math.sin(turn)
        worst = max(worst, abs(c * x - s * y + shift[0] - other["final"]["q"]["x%d" % k]), abs(s * x + c * y + shift[1] - other["final"]["q"]["y%d" % k]),
                    0.05 * abs(plain["final"]["q"]["p%d" % k] - other["final"]["q"]["p%d" % k]))
    allowed = 3e-9 + 10 * named
    if worst > allowed:
        return "wrong", "they part by %.2g, the named error is %.2g" % (worst, named)
    for v, name in zip(verdicts, ("plain", "turned")):
        if not v["holds"]:
            return "wrong", "%s: %s" % (name, v["reasons"])
        if v["max_penetration"] > 1e-8:
            return "wrong", "%s: penetration %g" % (name, v["max_penetration"])
    # Late in a sequence that comes to rest the speeds of both differ in their first digits: those near the least speed that counts may count or not.
    certain, possible = ([collections.Counter(e["name"] for e in d["events"] if e["kind"] == "impact" and -e["before"]["gap_rate"] > least)
                          for d in (plain, other)] for least in (2e-4, 1e-4))
    if certain[0] - possible[1] or certain[1] - possible[0]:
        return "wrong", "impacts %s and %s" % (dict(certain[0]), dict(certain[1]))
    return "right", ""


def judge_cases(judge_case, description):
    """Judges the cases that the command line asks for; the exit status is 1 if one is wrong."""
    parser = argparse.ArgumentParser(description=description.split("\n", maxsplit=1)[0])
    parser.add_argument("--program", required=True)
    parser.add_argument("--cases", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", help="folder in which the cases stay")
    arguments = parser.parse_args()
    verdicts = collections.Counter()
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(arguments.keep or scratch)
        folder.mkdir(parents=True, exist_ok=True)
        for seed in range(arguments.seed, arguments.seed + arguments.cases):
            try:
                verdict, why = judge_case(arguments.program, folder, seed)
            except (RuntimeError, ValueError, subprocess.TimeoutExpired, KeyError) as problem:
                verdict, why = "wrong", "%s: %s" % (type(problem).__name__, problem)
            verdicts[verdict] += 1
            if verdict == "wrong":
                print("case %d: %s" % (seed, why), flush=True)
    print(", ".join("%d %s" % (count, verdict) for verdict, count in sorted(verdicts.items())))
    return 1 if verdicts["wrong"] else 0


if __name__ == "__main__":
    sys.exit(judge_cases(judge, __doc__))
