#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of web/ that need Node: in a copy below the build folder, so that nothing is installed in the source tree.

  bundle   the types are right, and web/dist/report.html is what the sources give
  page     documents made for the test, in Chromium
  reports  the report of every shipped model, as the command writes it, in Chromium: what a reader would stumble over, counted; of every
           third (of every one with DALEMBERT_TEST_ALL=1) all that must hold, and the schema; a few of them with everything that takes
           long (keyboard, contrast, print); a hostile model and one of 1,000 bodies

Exit status 77, skipped, where npm cannot get what is needed or there is no Chromium.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

from formulas import write_formulas

SKIPPED = 77

# Text where a model file takes any: it must be shown as text.
HOSTILE = r'''
name = "</script></title><script>window.broken = true</script>\"'&<b>"
description = "<img src=x onerror='window.broken = true'> @@DOCUMENT@@ \u202eשלום مرحبا 🦄 ]]> <!-- LONG"
reference = "javascript:window.broken=true <svg onload='window.broken = true'>"
coordinates = [{name = "x", unit = "m"}, {name = "y", unit = "m", latex = "\\mathbf<b>y</b>\\ell"}]
[parameters]
a = {value = "1 m", meaning = "<script>window.broken = true</script>"}  # <script>window.broken = true</script>
m = {value = "1 kg", latex = "\\mathit m</script>"}
[[body]]
name = "bob"
mass = "m"
position = ["x", "y"]
[[constraint]]
name = "rod"
latex = "\\text<i>"
holonomic = "x^2 + y^2 - a^2"
[initial]
position = {x = "0.6 m"}
guess = {y = "0.8 m"}
velocity = {x = "1 m/s"}
[simulation]
until = "2 s"
'''
# A live run keeps the impulses of the last impacts.
KEEPS = r'''
name = "keeps"
coordinates = [{name = "y", unit = "m"}]
[parameters]
g = {value = "9.81 m/s^2"}
m = {value = "1 kg"}
[energy]
kinetic = "m/2*y'^2"
potential = "m*g*y"
[[constraint]]
name = "ground"
holonomic = "y"
unilateral = true
restitution = 0.8
[[event]]
name = "high"
when = "y'"
direction = "down"
where = "impulse(ground) > 2 N*s"
set = {"y'" = "-impulse(ground)/m/10"}
[outputs]
last = "3*impulse(ground)"
[initial]
position = {y = "1 m"}
velocity = {y = 0}
[simulation]
until = "3 s"
'''
# Integrals of work and of a reaction, whose sizes are not those of the coordinates.
SUMS = r'''
name = "sums"
coordinates = [{name = "x", unit = "m"}, {name = "y", unit = "m"}]
[parameters]
m = {value = "200 kg"}
L = {value = "1 m"}
g = {value = "9.81 m/s^2"}
c = {value = "30 N*s/m"}
[energy]
kinetic = "m/2*(x'^2 + y'^2)"
potential = "m*g*y"
[[constraint]]
name = "rod"
holonomic = "(x^2 + y^2 - L^2)/(2*L)"
[[force]]
coordinate = "x"
value = "-c*x'"
[outputs]
heat = "integral(c*x'^2)"
pull = "integral(abs(lambda(rod))) + 2*integral(c*x'^2)/(1 m/s)"
[initial]
position = {x = "0.6 m"}
guess = {y = "-0.8 m"}
velocity = {x = "1 m/s"}
[simulation]
until = "3 s"
'''
WRITTEN = {"sums": SUMS}  # models of LIVE that are not shipped
# A row that bends at x = 0, and one that jumps by 30 mm at x = p: both are met at 0.3 s.
BREAKS = {name: r'''
name = "breaks"
coordinates = [{name = "x", unit = "m"}, {name = "y", unit = "m"}]
[parameters]
m = "0.5 kg"
[energy]
kinetic = "m/2*(x'^2 + y'^2)"
potential = "m*9.81*y*(1 m/s^2)"
[[constraint]]
name = "wire"
holonomic = "%s"
%s
[prescribed]
x = "%s"
[simulation]
until = "1 s"
''' % parts for name, parts in {
    "bent": ("y - abs(x)", "", "-0.09 + 0.3*t"), "saw": ("y - 0.3*mod(x, 0.1)", "unilateral = true", "0.01 + 0.3*t")}.items()}
# Two assemblies at θ = 60°, and a guess of one number.
CRANK = r'''
name = "crank"
coordinates = [{name = "theta", unit = "rad"}, {name = "phi", unit = "rad"}, {name = "x", unit = "m"}]
[energy]
kinetic = "0.5*theta'^2 + 0.5*phi'^2 + 0.5*x'^2"
[parameters]
L1 = "0.3 m"
L2 = "0.7 m"
[[constraint]]
name = "pin"
holonomic = ["L1*cos(theta) - L2*cos(phi) - x", "L1*sin(theta) - L2*sin(phi)"]
[initial]
position = {theta = "60 deg"}
'''
# The same beside a row that holds nothing.
CRANK_AND_SQUARE = CRANK.replace('unit = "m"}]', 'unit = "m"}, {name = "w", unit = "m"}]').replace("0.5*x'^2", "0.5*x'^2 + 0.5*w'^2").replace(
    "- L2*sin(phi)\"]", "- L2*sin(phi)\", \"w^2/L1\"]")
# The same beside a body whose attitude is a quaternion, and beside so many masses that other assemblies are not looked for.
CRANK_AND_TOP = CRANK.replace('unit = "m"}]', 'unit = "m"}, "e0", "e1", "e2", "e3"]').replace("[initial]", r"""[[frame]]
name = "top"
origin = ["0", "0", "0"]
quaternion = ["e0", "e1", "e2", "e3"]
[[body]]
name = "top"
mass = "1 kg"
inertia = ["1 kg*m^2", "2 kg*m^2", "3 kg*m^2"]
frame = "top"
[initial]""").replace("position = {", "position = {e0 = 0.6, e1 = 0.8, e2 = 0, e3 = 0, ")
CRANK_AND_MASSES = CRANK.replace('unit = "m"}]', 'unit = "m"}, {name = "z{k}", unit = "m", for = "k in 1..60"}]').replace(
    "0.5*x'^2", "0.5*x'^2 + sum(k in 1..60, 0.5*z{k}'^2)")
# The same beside a stop that is open, and beside one that forbids the other assembly.
STOP = '''
[[constraint]]
name = "stop"
holonomic = "x + %s"
unilateral = true
[initial]'''
CRANK_AND_STOP, CRANK_AND_WALL = (CRANK.replace("[initial]", (STOP % gap).lstrip()) for gap in ("0.9", "0.2"))
# Starts that the command doubts, or does not: of a model and a line more, with these values.
DOUBTFUL = [
    ("crank", CRANK + "guess = {x = 0.79}", {"L1": 0.31}),              # W0207: the other assembly
    ("crank-unguessed", CRANK, {"L1": 0.31}),                           # W0207: two
    ("crank-guessed", CRANK + "guess = {x = 0.79, phi = 2.5}", {"L1": 0.31}),
    ("crank-flat", CRANK + "guess = {x = 0.4, phi = 2.5}", {"L1": 0.7, "theta": 1.5707963267948966}),  # W0206
    ("crank-and-top-flat", CRANK_AND_TOP + "guess = {x = 0.4, phi = 2.5}", {"L1": 0.7, "theta": 1.5707963267948966}),  # W0206
    ("crank-and-top", CRANK_AND_TOP + "guess = {x = 0.79, phi = 0.5}", {"L1": 0.31}),
    ("crank-and-masses", CRANK_AND_MASSES + "guess = {x = 0.79}", {"L1": 0.31}),
    ("crank-nearly-flat", CRANK + "guess = {x = 0.4, phi = 2.5}", {"L1": 0.7, "theta": 1.56}),
    ("crank-and-stop", CRANK_AND_STOP + "guess = {x = 0.79}", {"L1": 0.31}),  # W0207
    ("crank-and-stop-flat", CRANK_AND_STOP + "guess = {x = 0.4, phi = 2.5}", {"L1": 0.7, "theta": 1.5707963267948966}),  # W0206
    ("crank-and-square", CRANK_AND_SQUARE + "guess = {x = 0.79, phi = 2.5}", {"L1": 0.31}),  # W0333 alone
    ("crank-and-wall", CRANK_AND_WALL + "guess = {x = 0.1, phi = 1.8}", {"L1": 0.31}),  # nothing: the other one is behind the wall
    ("slider-crank", None, {"L1": 0.35, "theta": 1.5707963267948966}),  # W0206
    ("slider-crank", None, {"L1": -0.3}),                               # W0208
]
WHOLE = {"slider-crank", "heavy-top"}  # planar, in space
# Of each kind of model: what a page's address changes, and the options with which the command computes the same. Held initial values
# are kept by both, the rest of the start is assembled by each.
LIVE = [
    ("cartesian-pendulum", "p.L=1.3&q.y=0.2", ["--set", "L=1.3", "--set", "y=0.2"]),
    ("slider-crank", "p.L1=0.12&v.theta'=5&u.f=-3&u.tau=L2*(1 N)*cos(2*t)&t.until=4",
     ["--set", "L1=0.12", "--set", "theta'=5", "--set", "f=-3", "--set", "tau=0.35*cos(2*t)", "--until", "4"]),
    ("four-bar", "q.theta1=1.2&t.until=2", ["--set", "theta1=1.2", "--until", "2"]),
    ("bouncing-ball", "p.e=0.7&v.x'=0.8", ["--set", "e=0.7", "--set", "x'=0.8"]),
    ("woodpecker-toy", "v.phiS'=-7", ["--set", "phiS'=-7"]),
    ("block-on-belt", "q.x=4&v.x'=2.5", ["--set", "x=4", "--set", "x'=2.5"]),
    ("snakeboard", "p.m=5&t.until=3", ["--set", "m=5", "--until", "3"]),
    ("chaplygin-sleigh", "v.theta'=1.2&q.theta=0.4", ["--set", "theta'=1.2", "--set", "theta=0.4"]),
    ("spatial-slider-crank", "p.g=5&t.until=2", ["--set", "g=5", "--until", "2"]),
    ("heavy-top", "v.top.omega.y=140&t.until=1", ["--set", "top.omega.y=140", "--until", "1"]),
    ("sums", "p.c=45&q.x=0.5", ["--set", "c=45", "--set", "x=0.5"]),
]


def skip(why):
    print("skipped:", why)
    sys.exit(SKIPPED)


def copy_sources(source, work):
    """A copy without what was installed; what was installed there before stays."""
    for folder, folders, files in os.walk(source):
        folders[:] = [name for name in folders if name != "node_modules"]
        target = work / pathlib.Path(folder).relative_to(source)
        target.mkdir(parents=True, exist_ok=True)
        for stale in set(os.listdir(target)) - set(folders) - set(files) - {"node_modules", "installed.json"}:
            path = target / stale
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        for name in files:
            shutil.copyfile(pathlib.Path(folder) / name, target / name)


def install(work):
    """`npm ci`, once for each package-lock.json."""
    lock = (work / "package-lock.json").read_text()
    stamp = work / "installed.json"
    if stamp.exists() and stamp.read_text() == lock and (work / "node_modules").is_dir():
        return
    if shutil.which("npm") is None:
        skip("npm is not installed")
    done = subprocess.run(["npm", "ci", "--no-audit", "--no-fund"], cwd=work, capture_output=True, text=True)
    if done.returncode != 0:
        skip("npm cannot install what web/package.json names:\n" + done.stderr[-2000:])
    stamp.write_text(lock)


def write_reports(program, folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    names = subprocess.run([program, "models", "--quiet"], capture_output=True, text=True, check=True).stdout.split()
    checked = {*names} if os.environ.get("DALEMBERT_TEST_ALL") else {*names[::3], *WHOLE}
    for name in names:
        kind = folder / ("whole" if name in WHOLE else "quick" if name in checked else "looks")
        kind.mkdir(exist_ok=True)
        done = subprocess.run([program, "report", name, "--quiet", "-o", str(kind / f"{name}.html")],
                              capture_output=True, text=True)
        # 3: the run of Painlevé's rod ends where there is no motion.
        if done.returncode not in (0, 3):
            sys.exit(f"report {name}: exit status {done.returncode}\n{done.stderr}")


def write_other_reports(program, folder):
    """Pages of no shipped model: text that tries to break out, and a scene of 1,000 bodies."""
    folder.mkdir(parents=True)
    model = folder / "hostile.toml"
    model.write_text(HOSTILE.replace("LONG", "x" * 10_000), encoding="utf-8")
    for name, words in {"hostile": [str(model)],
                        "thousand": ["n-link-chain-maximal", "--set", "N=1000", "--until", "0.1"]}.items():
        subprocess.run([program, "report", *words, "--quiet", "-o", str(folder / f"{name}.html")], check=True)


def write_live_reports(program, folder):
    """Pages whose values are changed by an address, and pages of the command with these values."""
    folder.mkdir(parents=True)
    pairs = []
    for name, text in WRITTEN.items():
        (folder / f"{name}.toml").write_text(text, encoding="utf-8")
    for name, link, words in LIVE:
        model = str(folder / f"{name}.toml") if name in WRITTEN else name
        for kind, options in {"page": [], "other": words}.items():
            subprocess.run([program, "report", model, *options, "--quiet", "-o", str(folder / f"{name}-{kind}.html")],
                           capture_output=True, text=True)
        pairs.append({"page": f"{name}-page.html", "link": f"#values:{link}", "other": f"{name}-other.html"})
    for name, text in BREAKS.items():
        (folder / f"{name}.toml").write_text(text, encoding="utf-8")
        # 3: the run of the command ends as well, or the contact opens.
        subprocess.run([program, "report", str(folder / f"{name}.toml"), "--quiet", "-o", str(folder / f"{name}.html")], capture_output=True)
    (folder / "pairs.json").write_text(json.dumps({"pairs": pairs}), encoding="utf-8")


def write_starts(program, pages, path):
    """Where the command begins with other values, and what it doubts of that: for each of these pages two parameters, 5 % larger; and DOUBTFUL."""
    cases = []

    def add(page, model, values):
        options = [word for name, value in values.items() for word in ("--set", f"{name}={value!r}")]
        done = subprocess.run([program, "assemble", str(model), *options, "--json"], capture_output=True, text=True)
        start = json.loads(done.stdout)
        cases.append({"page": str(page), "values": values, "ok": start["ok"], "q": list(start["q"].values()), "v": list(start["qd"].values()),
                      "doubts": sorted(set(re.findall(r"W020[678]", done.stderr)))})

    for page in pages:
        text = page.read_text(encoding="utf-8")
        live = json.loads(text.split('<script type="application/json" id="document">')[1].split("</script>")[0])["live"]
        for parameter in [one for one in live["parameters"] if one["value"] != 0][:2] if live else []:
            add(page, page.stem, {parameter["name"]: parameter["value"] * 1.05})
    folder = path.parent / "doubtful"
    folder.mkdir(exist_ok=True)
    for name, text, values in DOUBTFUL:
        page, model = folder / f"{name}.html", folder / f"{name}.toml" if text else name
        if text:
            model.write_text(text, encoding="utf-8")
        subprocess.run([program, "report", str(model), "--quiet", "-o", str(page)], check=True)
        add(page, model, values)
    path.write_text(json.dumps(cases), encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["bundle", "page", "reports"])
    parser.add_argument("--source", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--dalembert")
    options = parser.parse_args()
    if shutil.which("node") is None:
        skip("node is not installed")
    copy_sources(options.source, options.work)
    install(options.work)
    if options.what == "bundle":
        sys.exit(subprocess.run(["npm", "run", "--silent", "check"], cwd=options.work).returncode)
    if not os.path.exists(os.environ.get("CHROMIUM", "/usr/bin/chromium")):
        skip("there is no Chromium")
    if options.what == "page":
        tests = [f"tests/{name}.test.mjs" for name in ("build", "units", "seen", "pages", "live", "reading")]
        sys.exit(subprocess.run(["node", "--test", *tests], cwd=options.work).returncode)
    reports = options.work.parent / "reports"
    write_reports(options.dalembert, reports)
    write_other_reports(options.dalembert, reports / "other")
    write_live_reports(options.dalembert, reports / "live")
    status = subprocess.run(["node", "--test", "tests/live.test.mjs"], cwd=options.work,
                            env=dict(os.environ, LIVE_PAGES=str(reports / "live"))).returncode
    write_starts(options.dalembert, sorted(reports.glob("quick/*.html")) + sorted(reports.glob("whole/*.html")), reports / "starts.json")
    status |= subprocess.run(["node", "--test", "tests/starts.test.mjs"], cwd=options.work,
                             env=dict(os.environ, STARTS=str(reports / "starts.json"))).returncode
    status |= subprocess.run(["node", "--test", "tests/formulas.test.mjs"], cwd=options.work,
                             env=dict(os.environ, FORMULAS=str(write_formulas(options.dalembert, reports / "formulas")))).returncode
    keeps = reports / "whole" / "keeps"
    keeps.with_suffix(".toml").write_text(KEEPS, encoding="utf-8")
    subprocess.run([options.dalembert, "report", str(keeps.with_suffix(".toml")), "--quiet", "-o", str(keeps.with_suffix(".html"))], check=True)
    for kind in ("whole", "quick", "looks", "other"):
        environment = dict(os.environ, REPORT_PAGES=str(reports / kind), REPORT_CHECKS=kind)
        status |= subprocess.run(["node", "--test", "tests/pages.test.mjs"], cwd=options.work, env=environment).returncode
    sys.exit(status)


if __name__ == "__main__":
    main()
