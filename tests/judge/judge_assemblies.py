#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `dalembert assemble` lists as the assemblies of random mechanisms, against all of them.

    four-bar    the crank held: two circles meet in two points
    slider      a slider-crank with its crank held: the same with a line
    two loops   a four-bar that drives another one: up to four
    3-RPR       a platform on three legs of given lengths: the real roots of a sextic, up to six. Stated by x, y, phi and
                lengths, or with the angles of the legs as coordinates
    3-RRR       the same by cranks that are held and couplers
    angles      cos(k a) = c and sin(a) tied to others: assemblies are counted modulo whole turns
    cubics      polynomials with roots as made, each in a coordinate that the others shift

Every assembly is known by elimination or by how it is made, and no answer of the program is used. Cases where two of
them nearly coincide are left out.

right       all are listed
missed      some are not, and the answer does not call the list complete
refused     the program found no start, or ended otherwise
wrong       one is listed that is none, or twice, or a list is called complete that is not; or `met` does not count the
            starts. Also, at the end: more than 1 in 50 lists that are said to be covered miss one

    judge_assemblies.py --program build/release/bin/dalembert --cases 300 --seed 1 [--only KIND] [--keep DIR]
"""
import argparse
import collections
import json
import math
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

import numpy as np


class Wrong(Exception):
    pass


class Skip(Exception):
    pass


NEAR = 1e-3  # assemblies nearer to each other than this part are left out


def model(coordinates, angles, held, start, rows, guess=True):
    """Coordinates by name; `held` of them are stated, the others guessed."""
    units = {name: "rad" if name in angles else "m" for name in coordinates}
    text = 'name = "judged"\ncoordinates = ['
    text += ", ".join(f'{{name = "{name}", unit = "{units[name]}"}}' for name in coordinates) + "]\n[energy]\nkinetic = \""
    text += " + ".join(f"(1 {'kg*m^2' if name in angles else 'kg'})*{name}'^2/2" for name in coordinates) + '"\n'
    text += '[[constraint]]\nname = "loop"\nholonomic = [' + ", ".join(f'"{row}"' for row in rows) + "]\n[initial]\n"
    if held:
        text += "position = {" + ", ".join(f"{name} = {start[name]!r}" for name in held) + "}\n"
    free = [name for name in coordinates if name not in held]
    if guess:
        text += "guess = {" + ", ".join(f"{name} = {start[name]!r}" for name in free) + "}\n"
    return text


def m(x):
    return f"({x!r} m)"


def circles(a, b, r, s):
    """Points at distance r from a and s from b, as complex numbers."""
    d = abs(b - a)
    along = (d * d + r * r - s * s) / (2 * d)
    square = r * r - along * along
    if abs(square) < 10 * NEAR * r * r:
        raise Skip
    if square < 0:
        return []
    u = (b - a) / d
    return [a + u * (along + 1j * side * math.sqrt(square)) for side in (1, -1)]


def turned(length, angle):
    return length * complex(math.cos(angle), math.sin(angle))


def direction(z):
    return math.atan2(z.imag, z.real)


def four_bar(rng):
    crank, coupler, rocker, ground = (rng.uniform(0.2, 2) for _ in range(4))
    theta = rng.uniform(-math.pi, math.pi)
    pin = turned(crank, theta)
    truth = [{"a": direction(z - pin), "b": direction(z - ground)} for z in circles(pin, ground, coupler, rocker)]
    if not truth:
        raise Skip
    rows = [f"{m(crank)}*cos(th) + {m(coupler)}*cos(a) - {m(ground)} - {m(rocker)}*cos(b)",
            f"{m(crank)}*sin(th) + {m(coupler)}*sin(a) - {m(rocker)}*sin(b)"]
    start = dict(rng.choice(truth), th=theta)
    return model(["th", "a", "b"], "th a b".split(), ["th"], start, rows), truth, ["a", "b"]


def slider(rng):
    crank, rod, offset = rng.uniform(0.2, 1), rng.uniform(0.4, 2), rng.uniform(-0.3, 0.3)
    theta = rng.uniform(-math.pi, math.pi)
    pin = turned(crank, theta)
    square = rod**2 - (pin.imag - offset) ** 2
    if square < 10 * NEAR * rod**2:
        raise Skip
    truth = []
    for side in (1, -1):
        x = pin.real + side * math.sqrt(square)
        truth.append({"phi": direction(complex(x, offset) - pin), "x": x})
    rows = [f"{m(crank)}*cos(th) + {m(rod)}*cos(phi) - x", f"{m(crank)}*sin(th) + {m(rod)}*sin(phi) - {m(offset)}"]
    start = dict(rng.choice(truth), th=theta)
    return model(["th", "phi", "x"], ["th", "phi"], ["th"], start, rows, rng.random() < 0.7), truth, ["phi"]


def two_loops(rng):
    lengths = [rng.uniform(0.3, 2) for _ in range(7)]
    crank, coupler, rocker, ground, coupler2, rocker2, ground2 = lengths
    theta, second, kink = rng.uniform(-3, 3), complex(rng.uniform(1, 3), rng.uniform(-1, 1)), rng.uniform(-2, 2)
    pin, truth = turned(crank, theta), []
    for z in circles(pin, ground, coupler, rocker):
        b = direction(z - ground)
        arm = ground + turned(ground2, b + kink)
        for w in circles(arm, second, coupler2, rocker2):
            truth.append({"a": direction(z - pin), "b": b, "c": direction(w - arm), "d": direction(w - second)})
    if not truth:
        raise Skip
    rows = [f"{m(crank)}*cos(th) + {m(coupler)}*cos(a) - {m(ground)} - {m(rocker)}*cos(b)",
            f"{m(crank)}*sin(th) + {m(coupler)}*sin(a) - {m(rocker)}*sin(b)",
            f"{m(ground)} + {m(ground2)}*cos(b + {kink!r}) + {m(coupler2)}*cos(c) - {m(second.real)} - {m(rocker2)}*cos(d)",
            f"{m(ground2)}*sin(b + {kink!r}) + {m(coupler2)}*sin(c) - {m(second.imag)} - {m(rocker2)}*sin(d)"]
    start = dict(rng.choice(truth), th=theta)
    return model("th a b c d".split(), "th a b c d".split(), ["th"], start, rows), truth, "a b c d".split()


def platform_poses(base, corner, length):
    """(p, φ) with |p + corner_i e^{iφ} − base_i| = length_i; corner_1 = 0. Differences of the squares are linear in p, Cramer's
    rule puts p into the first: a trigonometric polynomial in φ, whose zeros are eigenvalues."""

    def parts(phi):
        w = [corner[i] * np.exp(1j * phi) - base[i] for i in range(3)]
        e = [abs(w[i]) ** 2 - length[i] ** 2 for i in range(3)]
        # 2 p·(w_i − w_0) + e_i − e_0 = 0
        a = [w[i] - w[0] for i in (1, 2)]
        f = [(e[0] - e[i]) / 2 for i in (1, 2)]
        D = a[0].real * a[1].imag - a[0].imag * a[1].real
        Nx, Ny = f[0] * a[1].imag - f[1] * a[0].imag, a[0].real * f[1] - a[1].real * f[0]
        # |p + w_0|² = L_0², times D²
        return (Nx + D * w[0].real) ** 2 + (Ny + D * w[0].imag) ** 2 - (D * length[0]) ** 2, D, Nx, Ny

    count = 32
    values = np.array([parts(2 * math.pi * k / count)[0] for k in range(count)])
    c = np.fft.fft(values) / count
    degree = max((k for k in range(1, count // 2) if abs(c[k]) > 1e-12 * np.max(np.abs(c))), default=0)
    z = np.roots([c[k] for k in range(degree, -degree - 1, -1)])
    found = []
    for one in z:
        off = abs(abs(one) - 1)
        if 1e-7 < off < 20 * NEAR:
            raise Skip
        if off > 1e-7:
            continue
        phi = float(np.angle(one))
        _, D, Nx, Ny = parts(phi)
        if abs(D) < 1e-3:
            raise Skip
        p = complex(Nx / D, Ny / D)
        found.append((p, phi))
    for p, phi in found:
        for i in range(3):
            if abs(abs(p + corner[i] * np.exp(1j * phi) - base[i]) - length[i]) > 1e-6:
                raise Skip
    return found


def some_platform(rng):
    """Lengths from one pose, and often such as have six: then a near pose is no other."""
    for _ in range(200):
        base = [0j, complex(rng.uniform(1, 3), 0), complex(rng.uniform(0, 2), rng.uniform(1, 3))]
        corner = [0j, complex(rng.uniform(0.3, 2.5), 0), turned(rng.uniform(0.3, 2.5), rng.uniform(0.2, 2.5))]
        p, phi = complex(rng.uniform(-1, 2), rng.uniform(-1, 2)), rng.uniform(-math.pi, math.pi)
        length = [abs(p + corner[i] * np.exp(1j * phi) - base[i]) for i in range(3)]
        length = [float(x) for x in length]
        if min(length) < 0.2:
            continue
        poses = platform_poses(base, corner, length)
        if len(poses) >= 4 or rng.random() < 0.1:
            return base, corner, length, poses
    raise Skip


def corner_text(z):
    """Rows of a corner in the plane of the platform: x and y as formulas."""
    return (f"x + {m(z.real)}*cos(phi) - {m(z.imag)}*sin(phi)", f"y + {m(z.real)}*sin(phi) + {m(z.imag)}*cos(phi)")


def rpr(rng):
    base, corner, length, poses = some_platform(rng)
    truth = [{"x": p.real, "y": p.imag, "phi": phi} for p, phi in poses]
    form = rng.choice(["squares", "lengths", "angles"])
    names, angles, rows = ["x", "y", "phi"], ["phi"], []
    for i in range(3):
        X, Y = corner_text(corner[i])
        X, Y = f"({X} - {m(base[i].real)})", f"({Y} - {m(base[i].imag)})"
        if form == "squares":
            rows.append(f"{X}^2 + {Y}^2 - {m(length[i])}^2")
        elif form == "lengths":
            rows.append(f"sqrt({X}^2 + {Y}^2) - {m(length[i])}")
        else:
            name = f"leg{i + 1}"
            names, angles = names + [name], angles + [name]
            rows += [f"{X} - {m(length[i])}*cos({name})", f"{Y} - {m(length[i])}*sin({name})"]
            for one, (p, phi) in zip(truth, poses):
                one[name] = direction(p + corner[i] * np.exp(1j * phi) - base[i])
    return model(names, angles, [], rng.choice(truth), rows), truth, angles


def rrr(rng):
    elbow, corner, length, poses = some_platform(rng)
    names, angles, rows, held = ["x", "y", "phi"], ["phi"], [], {}
    truth = [{"x": p.real, "y": p.imag, "phi": phi} for p, phi in poses]
    for i in range(3):
        crank, turn = rng.uniform(0.3, 1), rng.uniform(-3, 3)
        foot = elbow[i] - turned(crank, turn)
        X, Y = corner_text(corner[i])
        names += [f"crank{i + 1}", f"rod{i + 1}"]
        angles += [f"crank{i + 1}", f"rod{i + 1}"]
        held[f"crank{i + 1}"] = turn
        rows += [f"{X} - {m(foot.real)} - {m(crank)}*cos(crank{i + 1}) - {m(length[i])}*cos(rod{i + 1})",
                 f"{Y} - {m(foot.imag)} - {m(crank)}*sin(crank{i + 1}) - {m(length[i])}*sin(rod{i + 1})"]
        for one, (p, phi) in zip(truth, poses):
            one[f"rod{i + 1}"] = direction(p + corner[i] * np.exp(1j * phi) - elbow[i])
    start = dict(rng.choice(truth), **held)
    return model(names, angles, list(held), start, rows), truth, [a for a in angles if a not in held]


def angles(rng):
    k, c = rng.choice([1, 2, 3]), rng.uniform(-0.95, 0.95)
    base = math.acos(c)
    values = [(side * base + 2 * math.pi * j) / k for side in (1, -1) for j in range(k)]
    factor = rng.uniform(-0.8, 0.8)
    truth = []
    for a in values:
        s = factor * math.cos(a)
        truth += [{"a": a, "b": math.asin(s)}, {"a": a, "b": math.pi - math.asin(s)}]
    start = dict(rng.choice(truth))
    start["a"] += 2 * math.pi * rng.randint(-2, 2)
    rows = [f"(1 m)*(cos({k}*a) - ({c!r}))", f"(1 m)*(sin(b) - ({factor!r})*cos(a))"]
    return model(["a", "b"], ["a", "b"], [], start, rows), truth, ["a", "b"]


def cubics(rng):
    n = rng.choice([1, 2])
    names = ["u", "v"][:n]
    at = [rng.choice([0.0, 5.0, -20.0]) for _ in names]
    roots = [sorted(rng.uniform(-2, 2) for _ in range(3)) for _ in names]
    for r in roots:
        if min(r[1] - r[0], r[2] - r[1]) < 0.1:
            raise Skip
    shift = rng.uniform(-1, 1) if n == 2 else 0
    truth = []
    for a in roots[0]:
        if n == 1:
            truth.append({"u": at[0] + a})
        else:
            truth += [{"u": at[0] + a, "v": at[1] + b + shift * a} for b in roots[1]]
    u = f"(u - {m(at[0])})"
    rows = ["*".join(f"({u} - {m(r)})" for r in roots[0])]
    if n == 2:
        rows.append("*".join(f"(v - {m(at[1])} - ({shift!r})*{u} - {m(r)})" for r in roots[1]))
    return model(names, [], [], rng.choice(truth), rows), truth, []


KINDS = {"four-bar": four_bar, "slider": slider, "two-loops": two_loops, "3-RPR": rpr, "3-RRR": rrr, "angles": angles,
         "cubics": cubics}
WEIGHTS = {"four-bar": 2, "slider": 2, "two-loops": 3, "3-RPR": 5, "3-RRR": 3, "angles": 2, "cubics": 2}


def away(a, b, turning):
    return max(abs(math.remainder(a[name] - b[name], 2 * math.pi)) if name in turning else abs(a[name] - b[name])
               for name in a)


def judge(program, folder, text, truth, turning, table):
    for i, a in enumerate(truth):
        for b in truth[:i]:
            if away(a, b, turning) < 10 * NEAR:
                raise Skip
    file = pathlib.Path(folder) / "model.toml"
    file.write_text(text)
    begin = time.monotonic()
    done = subprocess.run([program, "assemble", str(file), "--json"], capture_output=True, text=True, timeout=120)
    seconds = time.monotonic() - begin
    if done.returncode < 0 or done.returncode > 100:
        raise Wrong(f"ended with {done.returncode}")
    if done.returncode != 0:
        return "refused", seconds
    document = json.loads(done.stdout)
    search = document["alternatives_search"]
    names = list(truth[0])
    listed = [{name: document["q"][name] for name in names}] + [one["q"] for one in document["alternatives"]]
    for i, one in enumerate(listed):
        if min(away(one, a, turning) for a in truth) > 1e-5:
            raise Wrong(f"lists {one}, which is none of {truth}")
        for other in listed[:i]:
            if away(one, other, turning) < 1e-5:
                raise Wrong(f"lists {one} twice")
    if search["searched"] and (len(search["met"]) != len(listed) or
                               sum(search["met"]) + search["led_nowhere"] + search["singular"] > search["starts"]):
        raise Wrong(f"{search}")
    if len(listed) > len(truth):
        raise Wrong("more than there are")
    if search["covered"]:
        table["covered"] += 1
    if len(listed) == len(truth):
        if search["complete"]:
            table["complete"] += 1
        return "right", seconds
    if search["complete"]:
        raise Wrong(f"calls {len(listed)} of {len(truth)} complete")
    if search["covered"]:
        table["covered, missed"] += 1
    return "missed", seconds


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--seed", type=int, default=int(os.environ.get("DALEMBERT_TEST_SEED", "1")))
    parser.add_argument("--only", choices=KINDS)
    parser.add_argument("--keep", help="a folder for the models that are answered wrongly")
    options = parser.parse_args()
    table = collections.defaultdict(collections.Counter)
    covered, slowest = collections.Counter(), 0.0
    with tempfile.TemporaryDirectory() as folder:
        for case in range(options.cases):
            rng = random.Random(f"{options.seed}/{case}")
            kind = options.only or rng.choices(list(WEIGHTS), list(WEIGHTS.values()))[0]
            while True:
                try:
                    text, truth, turning = KINDS[kind](rng)
                    result, seconds = judge(options.program, folder, text, truth, turning, covered)
                    break
                except Skip:
                    continue
                except Wrong as wrong:
                    result, seconds = "wrong", 0
                    print(f"case {case} ({kind}): {wrong}", flush=True)
                    break
            table[kind][result] += 1
            table[kind]["assemblies"] = max(table[kind]["assemblies"], len(truth))
            slowest = max(slowest, seconds)
            if result in ("wrong", "missed", "refused") and options.keep:
                pathlib.Path(options.keep).mkdir(parents=True, exist_ok=True)
                (pathlib.Path(options.keep) / f"{result}-{kind}-{options.seed}-{case}.toml").write_text(text)
    columns = ["right", "missed", "refused", "wrong"]
    total = collections.Counter()
    print(f"{'':12}" + "".join(f"{name:>11}" for name in columns) + "    up to")
    for kind, counts in sorted(table.items()):
        print(f"{kind:12}" + "".join(f"{counts[name]:11}" for name in columns) + f"{counts['assemblies']:9}")
        total += collections.Counter({name: counts[name] for name in columns})
    print(f"covered {covered['covered']}, of them incomplete {covered['covered, missed']}; decided to be complete "
          f"{covered['complete']}; slowest {slowest:.1f} s")
    print(f"{'all':12}" + "".join(f"{total[name]:11}" for name in columns))
    too_many = covered["covered, missed"] * 50 > max(covered["covered"], 50)
    return 1 if total["wrong"] or too_many else 0


if __name__ == "__main__":
    sys.exit(main())
