#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `dalembert simulate` makes of closed loops in space whose rows are redundant although they move.

    judge_loops.py --program BINARY [--cases 100] [--seed 1]

    planar       bars in a plane of any orientation, joined by hinges: three rows too many
    mixed        the same, with some hinges replaced by universal and ball joints
    spherical    all axes through one point: three rows too many
    bennett      four skew hinges
    trihedral    Bricard's six hinges, axes at right angles
    symmetric    Bricard's line-symmetric six hinges

Bodies are frames with quaternions, masses, centres and inertias random, gravity in a random direction, the start at rest. The
reference knows no quaternions and no redundant rows: the angles of the joints of the chain that is left when the loop is cut,
q'' on the null space of the cut's condition by its singular values, integrated by SciPy's DOP853 at 1e-11. Both
formulations run for half a second or a second.

right      the end of the run is that of the reference, to 1e-5
doubted    the run says that it is not to be trusted
stopped    it does not reach the end
skipped    the reference comes near a singular position of the loop, or the drawn sizes do not close
wrong      anything else; the case is printed, and the exit status is 1
"""

import argparse
import collections
import csv
import math
import os
import pathlib
import random
import subprocess
import sys
import tempfile

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import least_squares

SINGULAR = 2e-2  # smallest singular value of what the cut asks for, lengths of about 1
CLOSE = 1e-5


class Skip(Exception):
    pass


# --- geometry


def cross(a, b):
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def rotation(axis, angle):
    x, y, z = axis
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + math.sin(angle) * K + (1 - math.cos(angle)) * (K @ K)


def random_rotation(rng):
    q = np.array([rng.gauss(0, 1) for _ in range(4)])
    return of_quaternion(q / np.linalg.norm(q))


def of_quaternion(q):
    a, b, c, d = q
    return np.array([[a * a + b * b - c * c - d * d, 2 * (b * c - a * d), 2 * (b * d + a * c)],
                     [2 * (b * c + a * d), a * a - b * b + c * c - d * d, 2 * (c * d - a * b)],
                     [2 * (b * d - a * c), 2 * (c * d + a * b), a * a - b * b - c * c + d * d]])


def to_quaternion(R):
    a = math.sqrt(max(0, 1 + R[0, 0] + R[1, 1] + R[2, 2])) / 2
    if a < 0.1:
        return None
    return np.array([a, (R[2, 1] - R[1, 2]) / (4 * a), (R[0, 2] - R[2, 0]) / (4 * a), (R[1, 0] - R[0, 1]) / (4 * a)])


def across(axis, rng=None):
    """A unit vector at right angles to the axis."""
    other = np.array([rng.gauss(0, 1) for _ in range(3)]) if rng else np.eye(3)[np.argmin(abs(axis))]
    other = other - axis * (axis @ other)
    return other / np.linalg.norm(other)


# --- loops: joints (kind, point, axes), joint i between body i and body i + 1, the ground first and last


def denavit_hartenberg(angles, lengths, twists, offsets):
    """Axes and points of the joints of a chain, and where its end is."""
    R, p, axes, points = np.eye(3), np.zeros(3), [], []
    for angle, a, twist, offset in zip(angles, lengths, twists, offsets):
        axes.append(R[:, 2])
        points.append(p)
        R = R @ rotation([0, 0, 1], angle)
        p = p + offset * R[:, 2] + a * R[:, 0]
        R = R @ rotation([1, 0, 0], twist)
    return axes, points, R, p


def close(rng, lengths, twists, offsets, symmetric=False):
    """Joints of the closed chain, from angles at random."""
    n = len(lengths)

    def residual(free):
        angles = np.concatenate([free, free]) if symmetric else free
        _, _, R, p = denavit_hartenberg(angles, lengths, twists, offsets)
        return np.concatenate([p, (R - np.eye(3)).ravel()])

    for _ in range(8):
        start = np.array([rng.uniform(-math.pi, math.pi) for _ in range(n // 2 if symmetric else n)])
        found = least_squares(residual, start, xtol=1e-15, ftol=1e-15, gtol=1e-15, max_nfev=200)
        if np.max(np.abs(found.fun)) < 1e-13:
            angles = np.concatenate([found.x, found.x]) if symmetric else found.x
            axes, points, _, _ = denavit_hartenberg(angles, lengths, twists, offsets)
            return [("hinge", p, [a]) for a, p in zip(axes, points)]
    raise Skip("does not close")


def planar(rng):
    n = rng.choice([4, 4, 5, 6])
    lengths = [rng.uniform(0.25, 1) for _ in range(n)]
    if max(lengths) > 0.9 * (sum(lengths) - max(lengths)):
        raise Skip("does not close")
    return close(rng, lengths, [0] * n, [0] * n)


def mixed(rng):
    joints = planar(rng)
    kinds = [rng.choice(["hinge", "hinge", "universal", "ball"]) for _ in joints]
    result = []
    for kind, (_, p, (a,)) in zip(kinds, joints):
        b = across(a, rng)
        result.append((kind, p, {"hinge": [a], "universal": [a, b], "ball": [a, b, cross(a, b)]}[kind]))
    return result


def spherical(rng):
    n = rng.choice([4, 4, 5])
    twists = [rng.uniform(0.4, 1.4) for _ in range(n)]
    if max(twists) > 0.9 * (sum(twists) - max(twists)):
        raise Skip("does not close")
    joints = close(rng, [0] * n, twists, [0] * n)
    return [(kind, p + rng.uniform(0.2, 0.8) * axes[0], axes) for kind, p, axes in joints]


def bennett(rng):
    alpha, beta = rng.uniform(0.5, 1.4), rng.uniform(1.7, 2.6)
    a = rng.uniform(0.3, 0.8)
    b = a * math.sin(beta) / math.sin(alpha)
    return close(rng, [a, b, a, b], [alpha, beta, alpha, beta], [0] * 4)


def trihedral(rng):
    a = [rng.uniform(0.3, 0.8) for _ in range(6)]
    square = a[0] ** 2 + a[2] ** 2 + a[4] ** 2 - a[1] ** 2 - a[3] ** 2
    if square < 0.04:
        raise Skip("does not close")
    a[5] = math.sqrt(square)
    return close(rng, a, [math.pi / 2, 3 * math.pi / 2] * 3, [0] * 6)


def symmetric(rng):
    a = [rng.uniform(0.2, 0.8) for _ in range(3)]
    alpha = [rng.uniform(0.4, 2.4) for _ in range(3)]
    offsets = [rng.uniform(-0.3, 0.3) for _ in range(3)]
    return close(rng, a + a, alpha + alpha, offsets + offsets, symmetric=True)


KINDS = {"planar": planar, "mixed": mixed, "spherical": spherical, "bennett": bennett, "trihedral": trihedral,
         "symmetric": symmetric}


class Loop:
    """Joints in a random place and orientation, with a body between each two."""

    def __init__(self, rng, kind):
        turn, shift = random_rotation(rng), np.array([rng.uniform(-1, 1) for _ in range(3)])
        self.joints = [(k, turn @ p + shift, [turn @ a for a in axes]) for k, p, axes in KINDS[kind](rng)]
        self.gravity = 9.81 * across(np.array([0, 0, 1.0])) if rng.random() < 0.1 else 9.81 * random_rotation(rng)[:, 0]
        self.bodies = []
        for (_, p, _), (_, p1, _) in zip(self.joints, self.joints[1:]):
            centre = (p + p1) / 2 + np.array([rng.uniform(-0.1, 0.1) for _ in range(3)])
            turned = None
            while turned is None:
                frame = random_rotation(rng)
                turned = to_quaternion(frame)
            x, y, z = (rng.uniform(0.01, 0.08) for _ in range(3))
            self.bodies.append({"centre": centre, "frame": of_quaternion(turned / np.linalg.norm(turned)), "quaternion": turned,
                                "mass": rng.uniform(0.3, 3), "inertia": [y + z, x + z, x + y]})
        # Of the chain: single axes, and after which of them each body comes.
        self.axes, self.points, self.after = [], [], []
        for _, p, axes in self.joints[:-1]:
            self.axes += axes
            self.points += [p] * len(axes)
            self.after.append(len(self.axes))
        self.worst = math.inf

    def evaluate(self, angles, rates):
        """q'' of the angles; where bodies are; how far the cut is open."""
        count = len(self.axes)
        R, shift = np.eye(3), np.zeros(3)  # of the body so far: x -> R x + shift
        omega, v, alpha, a = (np.zeros(3) for _ in range(4))  # of its point at the origin
        turn, move = np.zeros((3, count)), np.zeros((3, count))  # columns of the twists
        M, force, places, body = np.zeros((count, count)), np.zeros(count), [], 0
        for i in range(count):
            axis, point = R @ self.axes[i], R @ self.points[i] + shift
            lever = cross(point, axis)
            alpha = alpha + cross(omega, axis) * rates[i]
            a = a + (cross(omega, lever) + cross(v, axis)) * rates[i]
            turn[:, i], move[:, i] = axis, lever
            omega, v = omega + axis * rates[i], v + lever * rates[i]
            by = rotation(axis, angles[i])
            R, shift = by @ R, by @ (shift - point) + point
            if self.after[body] != i + 1:
                continue
            b = self.bodies[body]
            c = R @ b["centre"] + shift
            frame = R @ b["frame"]
            I = frame @ np.diag(b["inertia"]) @ frame.T
            of_c = move + np.cross(turn.T, c).T
            at_c = a + cross(alpha, c) + cross(omega, v + cross(omega, c))
            of_turn = turn.copy()
            of_c[:, i + 1:] = 0
            M += b["mass"] * of_c.T @ of_c + of_turn.T @ I @ of_turn
            force += of_c.T @ (b["mass"] * (self.gravity - at_c)) - of_turn.T @ (I @ alpha + cross(omega, I @ omega))
            places.append((c, frame))
            body += 1
        # The cut: the last joint, whose axes are on the ground.
        kind, point, axes = self.joints[-1]
        x = R @ point + shift
        rows = [move + np.cross(turn.T, x).T]
        bias = list(a + cross(alpha, x) + cross(omega, v + cross(omega, x)))
        opened = list(x - point)
        pairs = []
        if kind == "hinge":
            u = across(axes[0])
            pairs = [(axes[0], u), (axes[0], cross(axes[0], u))]
        elif kind == "universal":
            pairs = [(axes[0], axes[1])]
        for on_body, on_ground in pairs:
            e = R @ on_body
            rows.append((cross(e, on_ground) @ turn)[None, :])
            bias.append(cross(e, on_ground) @ alpha + on_ground @ cross(omega, cross(omega, e)))
            opened.append(e @ on_ground)
        J = np.vstack(rows)
        U, s, Vt = np.linalg.svd(J)
        rank = int(np.sum(s > 1e-5))
        if rank:
            self.worst = min(self.worst, s[rank - 1])
        fixed = Vt[:rank].T @ ((U.T @ -np.array(bias))[:rank] / s[:rank])
        N = Vt[rank:].T
        z = np.linalg.solve(N.T @ M @ N, N.T @ (force - M @ fixed))
        return fixed + N @ z, places, np.max(np.abs(opened)), count - rank

    def run(self, until):
        n = len(self.axes)
        freedoms = self.evaluate(np.zeros(n), np.zeros(n))[3]
        if freedoms == 0:
            raise Skip("does not move")

        def slope(_, y):
            return np.concatenate([y[n:], self.evaluate(y[:n], y[n:])[0]])

        path = solve_ivp(slope, (0, until), np.zeros(2 * n), method="DOP853", rtol=1e-11, atol=1e-12)
        end = path.y[:, -1]
        _, places, opened, free = self.evaluate(end[:n], end[n:])
        if not path.success or self.worst < SINGULAR or free != freedoms:
            raise Skip("near a singular position")
        if opened > 1e-7:
            raise Skip("cannot move as far as that")
        return places

    def model(self):
        names = [[f"{x}{i}" for x in "xyzabcd"] for i in range(len(self.bodies))]
        text = f'name = "loop"\ncoordinates = {[n for of in names for n in of]}\n'.replace("'", '"')
        text += f"gravity = {[repr(float(g)) for g in self.gravity]}\n".replace("'", '"')
        for i, (b, n) in enumerate(zip(self.bodies, names)):
            text += f'[[frame]]\nname = "F{i}"\norigin = {n[:3]}\nquaternion = {n[3:]}\n'.replace("'", '"')
            text += f'[[body]]\nname = "b{i}"\nmass = {b["mass"]!r}\nframe = "F{i}"\ninertia = {b["inertia"]!r}\n'

        def point(name, body, p):
            if body is None:
                return f'[[point]]\nname = "{name}"\nat = {[float(x) for x in p]}\n'
            b = self.bodies[body]
            local = b["frame"].T @ (p - b["centre"])
            return f'[[point]]\nname = "{name}"\nframe = "F{body}"\nat = {[float(x) for x in local]}\n'

        def vector(body, a):
            if body is None:
                return [f"({float(x)!r})" for x in a]
            local = self.bodies[body]["frame"].T @ a
            return ["(" + " + ".join(f"({float(x)!r})*F{body}.R[{k},{j + 1}]" for j, x in enumerate(local)) + ")"
                    for k in (1, 2, 3)]

        last = len(self.bodies)
        for i, (kind, p, axes) in enumerate(self.joints):
            before, after = (i - 1 if i > 0 else None), (i if i < last else None)
            text += point(f"A{i}", before, p) + point(f"B{i}", after, p)
            text += f'[[constraint]]\nname = "p{i}"\ncoincide = ["A{i}", "B{i}"]\n'
            if kind == "ball":
                continue
            u = across(axes[0])
            pairs = [(axes[0], axes[1])] if kind == "universal" else [(axes[0], u), (axes[0], cross(axes[0], u))]
            rows = [" + ".join(f"{x}*{y}" for x, y in zip(vector(before, e), vector(after, f))) for e, f in pairs]
            text += f'[[constraint]]\nname = "h{i}"\nholonomic = {rows}\n'.replace("'", '"')
        text += "[initial.guess]\n"
        for b, n in zip(self.bodies, names):
            for name, value in zip(n, list(b["centre"]) + list(b["quaternion"])):
                text += f"{name} = {float(value)!r}\n"
        return text


def simulate(program, folder, model, until, formulation):
    file, out = folder / "loop.toml", folder / "loop.csv"
    file.write_text(model)
    out.unlink(missing_ok=True)
    try:
        done = subprocess.run([program, "simulate", str(file), "--until", repr(until), "--every", repr(until / 4), "--rtol", "1e-10",
                               "--formulation", formulation, "--output", str(out)], capture_output=True, text=True, timeout=120)
    except subprocess.TimeoutExpired:
        return None, "does not end"
    said = done.stdout + done.stderr
    if done.returncode not in (0, 1) or not out.exists():
        return None, said
    with out.open() as rows:
        last = list(csv.DictReader(rows))[-1]
    return {name: float(x) for name, x in last.items()}, said if done.returncode else ""


def judge(program, folder, loop, places, until, formulation):
    end, said = simulate(program, folder, loop.model(), until, formulation)
    if end is None or abs(end["time"] - until) > 1e-12:
        return "stopped", said.strip()[-300:]
    worst = 0
    for i, (c, frame) in enumerate(places):
        p = np.array([end[f"q/{x}{i}"] for x in "xyz"])
        R = of_quaternion(np.array([end[f"q/{x}{i}"] for x in "abcd"]))
        worst = max(worst, np.max(np.abs(p - c)), np.max(np.abs(R - frame)))
    if worst <= CLOSE:
        return "right", ""
    return ("doubted" if said else "wrong"), f"off by {worst:.2g}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--cases", type=int, default=100)
    parser.add_argument("--seed", type=int, default=int(os.environ.get("DALEMBERT_TEST_SEED", "1")))
    parser.add_argument("--only", choices=KINDS)
    parser.add_argument("--case", type=int, help="this one alone")
    parser.add_argument("--keep", help="a folder for the models that are not right")
    options = parser.parse_args()
    table = collections.defaultdict(collections.Counter)
    weights = {"planar": 3, "mixed": 4, "spherical": 2, "bennett": 2, "trihedral": 2, "symmetric": 2}
    with tempfile.TemporaryDirectory() as folder:
        for case in range(options.cases) if options.case is None else [options.case]:
            rng = random.Random(f"{options.seed}/{case}")
            kind = options.only or rng.choices(list(weights), list(weights.values()))[0]
            until = rng.choice([0.5, 1.0])
            try:
                loop = Loop(rng, kind)
                places = loop.run(until)
            except (Skip, np.linalg.LinAlgError):
                table[kind, ""]["skipped"] += 1
                continue
            for formulation in ("index1", "reduced"):
                result, why = judge(options.program, pathlib.Path(folder), loop, places, until, formulation)
                table[kind, formulation][result] += 1
                if result == "right":
                    continue
                print(f"case {case} ({kind}, {formulation}): {result}: {why}", flush=True)
                if options.keep:
                    pathlib.Path(options.keep).mkdir(parents=True, exist_ok=True)
                    (pathlib.Path(options.keep) / f"{kind}-{options.seed}-{case}.toml").write_text(loop.model())
    columns = ["right", "doubted", "stopped", "skipped", "wrong"]
    total = collections.Counter()
    print(f"{'':22}" + "".join(f"{name:>9}" for name in columns))
    for (kind, formulation), counts in sorted(table.items()):
        print(f"{kind + ' ' + formulation:22}" + "".join(f"{counts[name]:9}" for name in columns))
        total += counts
    print(f"{'all':22}" + "".join(f"{total[name]:9}" for name in columns))
    return 1 if total["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
