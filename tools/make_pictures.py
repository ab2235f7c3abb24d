#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draw every shipped model into docs/pictures/, and write docs/gallery.md, the page that shows them.

    make_pictures.py --dalembert build/release/bin/dalembert           writes the pictures and the page (./dev pictures)
    make_pictures.py --dalembert build/release/bin/dalembert --check   only says whether the page is what it would write

A model is drawn at its start, or in the state that MODELS names for it where the start is hard to read: a straight line, a
bar behind its support. A picture larger than MAX_BYTES is an error: then choose other options. Exit status: 0 done or current,
1 not.
"""

import argparse
import json
import math
import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MAX_BYTES = 60000

# name: (options of `draw`, a command worth trying)
MODELS = {
    "andrews-squeezer": ("", "animate andrews-squeezer -o andrews.svg"),
    "ball-in-cylinder": ("--forces", "simulate ball-in-cylinder --until 5"),
    "ball-on-turntable": ("", "simulate ball-on-turntable --set tilt=0"),
    "ball-with-spin": ("", "animate ball-with-spin -o spin.svg"),
    "billiard": ("", "animate billiard -o billiard.svg"),
    "block-across-incline": ("", 'simulate block-across-incline --set "mu=0.3"'),
    "block-on-belt": ("", "simulate block-on-belt"),
    "block-on-incline": ("", 'eval block-on-incline --set "alpha=25 deg"'),
    "bouncing-ball": ("", "simulate bouncing-ball"),
    "cam-and-follower": ('--set "theta=omega*t + 2"', 'simulate cam-and-follower --set "omega=47 rad/s"'),
    "car-axis": ("", "simulate car-axis --cross-check"),
    "cart-pendulum": ("", "linearize cart-pendulum --settle"),
    "cartesian-pendulum": ('--forces --set "y=-0.6 m"', "simulate cartesian-pendulum --cross-check"),
    "chaplygin-sleigh": ("--forces", "plot chaplygin-sleigh --phase u,omega -o sleigh.svg"),
    "chaplygin-sleigh-contact": ('--set "theta=20 deg"', "simulate chaplygin-sleigh-contact"),
    "compass-gait": ("", "cycle compass-gait --section heel"),
    "delta-robot": ("", "analyze delta-robot"),
    "delta-robot-rigid": ("", "check delta-robot-rigid"),
    "double-pendulum": ("", "animate double-pendulum --until 10 -o double.svg"),
    "four-bar": ("--forces", "analyze four-bar"),
    "furuta-pendulum": ("", "analyze furuta-pendulum"),
    "gyroscope": ("", "analyze gyroscope"),
    "heavy-top": ("--forces", "simulate heavy-top"),
    "heavy-top-euler": ("--forces", "simulate heavy-top-euler"),
    "knife-edge-incline": ('--forces --set "phi=40 deg"', "animate knife-edge-incline -o knife.svg"),
    "ladder": ("", 'eval ladder --set mu=0.6'),
    "mass-on-string": ('--set "y=-0.5 m" --set "x=0.5 m"', "simulate mass-on-string"),
    "mass-spring": ("", 'plot mass-spring --phase "x,x\'" -o spring.svg'),
    "n-link-chain": ("--set N=5 --set theta1=-1.2 --set theta2=-0.6 --set theta3=-0.2 --set theta4=0.3 --set theta5=0.8",
                     "derive n-link-chain --set N=3 --only M"),
    "n-link-chain-maximal": ("--forces --set N=4 --set theta1=-1.2 --set theta2=-0.6 --set theta3=-0.2 --set theta4=0.3",
                             "check n-link-chain-maximal --set N=100"),
    "newtons-cradle": ("", 'simulate newtons-cradle --set "gap=0 mm"'),
    "nonholonomic-particle": ("--forces", "analyze nonholonomic-particle"),
    "one-way-clutch": ("", "cycle one-way-clutch --period 0.3141592653589793"),
    "point-off-hoop": ('--set "x=0.5 m"', "animate point-off-hoop -o hoop.svg"),
    "point-pendulum-3d": ("", "derive point-pendulum-3d --only lambda"),
    "polar-pendulum": ("", "derive polar-pendulum --steps"),
    "quadrotor-slung-load": ("", "animate quadrotor-slung-load -o quadrotor.svg"),
    "rattleback": ("", "simulate rattleback"),
    "rimless-wheel": ("", "cycle rimless-wheel --section heel"),
    "rocking-block": ("", "simulate rocking-block"),
    "rod-on-corner": ("", "derive rod-on-corner --only lambda"),
    "rod-on-corner-friction": ("", "eval rod-on-corner-friction --set mu_s=1.2"),
    "rod-on-rough-plane": ("", 'eval rod-on-rough-plane --assemble --set "theta=60 deg"'),
    "roller-racer": ('--set "phi=0.6*cos(t)"', "gait roller-racer"),
    "rolling-disk": ("--forces", 'linearize rolling-disk --set lean=0 --set "psi\'=0" --vary "phi\'=2:10:2"'),
    "rolling-sphere": ("", "audit audits/rolling-sphere-corrected"),
    "slider-crank": ("", "derive slider-crank"),
    "sliding-ladder": ("", "simulate sliding-ladder"),
    "snakeboard": ('--set "phi=0.4*cos(t)" --set "psi=0.6*cos(t)"', "gait snakeboard"),
    "spatial-slider-crank": ("--forces", "simulate spatial-slider-crank"),
    "three-link-snake": ("--forces", "gait three-link-snake"),
    "trailer": ('--set theta1=-0.3 --set theta2=-0.6 --set theta3=-0.7 --set "phi=0.4*cos(t)"', "derive trailer --set N=2"),
    "twistcar": ('--set "phi=0.6*cos(t)"', "gait twistcar --cycles 3"),
    "ur5": ("", "simulate ur5"),
    "vertical-disk": ("--forces", "analyze vertical-disk"),
    "whipple-bicycle": ("--forces", 'linearize whipple-bicycle --set "lean\'=0" --vary "rear\'=-12:-24:2"'),
    "woodpecker-toy": ("", "cycle woodpecker-toy"),
}

# Pictures of other pages: file: the words of the command. `-` is the model that README.md shows.
MORE = {
    "pendulum.svg": ["draw", "-"],
    "chaplygin-sleigh-phase.svg": ["plot", "models/chaplygin-sleigh.toml", "--phase", "u,omega"],
}

HEAD = """# Gallery

The {count} models that ship with the program, drawn by `dalembert draw NAME`; green arrows are forces of constraints.
`dalembert models show NAME` prints a model. `./dev pictures` writes this page.

| | q | rows | freedoms |
|---|---|---|---|
"""


def words(options):
    """Options as the shell splits them."""
    return [word.replace('"', "") for word in re.findall(r'(?:[^\s"]|"[^"]*")+', options)]


def first_sentence(description):
    return re.match(r".*?\.(?=\s|$)|.*", " ".join(description.split()))[0].rstrip(". ") + "."


def thinned(svg):
    """A phase plane with fewer points: pieces of a curve that follow each other become one, and points nearer than a fifth of a
    pixel to the chord that replaces them are left out."""
    def thin(points):
        if len(points) < 3:
            return points
        (ax, ay), (bx, by) = points[0], points[-1]
        length = math.hypot(bx - ax, by - ay)
        far = [abs((x - ax) * (by - ay) - (y - ay) * (bx - ax)) / length if length else math.hypot(x - ax, y - ay) for x, y in points]
        most = max(range(len(points)), key=far.__getitem__)
        return [points[0], points[-1]] if far[most] < 0.2 else thin(points[:most + 1])[:-1] + thin(points[most:])

    def path(match):
        ends, curves = {}, []
        for piece in match[1].split("M")[1:]:
            curve = [tuple(map(float, point.split())) for point in piece.split("L")]
            for turn in range(2):
                other = ends.get(curve[0])
                if other is not None and other is not curve and other[-1] != other[0]:
                    curve = (other if other[-1] == curve[0] else other[::-1]) + curve[1:]
                    curves = [c for c in curves if c is not other]
                curve = curve[::-1]
            curves.append(curve)
            ends = {point: c for c in curves for point in (c[0], c[-1])}
        return 'd="' + "".join("M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in thin(curve)) for curve in curves) + '"'

    return re.sub(r'd="((?:[ML]-?[\d.]+ -?[\d.]+){200,})"', path, svg)


def shape(program, path):
    """N, rows, and the freedoms of velocity, by `check`."""
    done = subprocess.run([program, "check", "--json", str(path)], cwd=ROOT, capture_output=True, encoding="utf-8", check=True)
    told = json.loads(done.stdout)
    return told["N"], told["m"], told["dof"]["velocity"]


def gallery(program, models):
    table, entries = [], []
    for path in models:
        name = path.stem
        n, rows, freedoms = shape(program, path)
        sentence = first_sentence(tomllib.loads(path.read_text(encoding="utf-8"))["description"])
        table.append(f"| [{name}](#{name}) | {n} | {rows} | {freedoms} |\n")
        counts = [f"{n} coordinate{'s' * (n != 1)}", f"{rows} row{'s' * (rows != 1)} of constraints" if rows else "no constraints",
                  f"{freedoms} freedom{'s' * (freedoms != 1)}"]
        entries.append(f"\n## {name}\n\n![{name}](pictures/{name}.svg)\n\n{sentence}\n\n{', '.join(counts)}\n\n"
                       f"```console\n$ dalembert {MODELS[name][1]}\n```\n")
    return HEAD.format(count=len(models)) + "".join(table) + "".join(entries)


def draw(program, models):
    """Writes the pictures; returns what is wrong with them."""
    folder = ROOT / "docs/pictures"
    folder.mkdir(parents=True, exist_ok=True)
    jobs = {f"{path.stem}.svg": ["draw", str(path.relative_to(ROOT)), *words(MODELS[path.stem][0])] for path in models} | MORE
    problems = []
    shown = re.search(r"^```toml\n(.*?)^```", (ROOT / "README.md").read_text(encoding="utf-8"), re.M | re.S)
    for file, command in jobs.items():
        done = subprocess.run([program, *command, "-q", "-o", str(folder / file)], cwd=ROOT, input=shown[1], capture_output=True,
                              encoding="utf-8", check=False)
        if done.returncode:
            problems.append(f"docs/pictures/{file}: {' '.join(command)} failed\n{done.stderr}")
            continue
        if file in MORE:
            (folder / file).write_text(thinned((folder / file).read_text(encoding="utf-8")), encoding="utf-8")
        if (size := (folder / file).stat().st_size) > MAX_BYTES:
            problems.append(f"docs/pictures/{file}: {size} bytes, more than {MAX_BYTES}")
    for old in sorted(folder.glob("*.svg")):
        if old.name not in jobs:
            problems.append(f"docs/pictures/{old.name}: nothing makes it")
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dalembert", type=Path, required=True, help="the command")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if docs/gallery.md is out of date")
    options = parser.parse_args()
    program = str(options.dalembert.resolve())
    models = sorted((ROOT / "models").glob("*.toml"), key=lambda path: path.stem)
    problems = [f"tools/make_pictures.py: MODELS lacks {path.stem}" for path in models if path.stem not in MODELS]
    problems += [f"tools/make_pictures.py: MODELS has {name}, models/ does not" for name in MODELS if not (ROOT / f"models/{name}.toml").is_file()]
    if not problems:
        page, text = ROOT / "docs/gallery.md", gallery(program, models)
        if not options.check:
            problems = draw(program, models)
            page.write_text(text, encoding="utf-8")
        elif not page.is_file() or page.read_text(encoding="utf-8") != text:
            problems = ["docs/gallery.md: out of date; ./dev pictures writes it"]
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
