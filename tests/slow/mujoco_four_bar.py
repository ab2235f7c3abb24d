#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The four-bar of docs/coming-from.md by MuJoCo: it loads, is the same mechanism, and opens its loop by what the page says.

Skipped where libmujoco-dev or a C compiler is missing. Exit status: 0 all is well, 1 something is not, 77 skipped.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve()
SKIPPED = 77
STIFF = 'solref="0.002 1" solimp="0.9999 0.9999 0.001"'
FORCE = 1.0217, 3.7726  # of dalembert, as the page prints it; MuJoCo's bars are capsules, whose inertia is 0.1 % another


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.parse_args()
    compiler = shutil.which(os.environ.get("CC", "cc"))
    page = (HERE.parents[2] / "docs" / "coming-from.md").read_text(encoding="utf-8")
    stated = re.search(r"^```xml\n(.*?)^```", page, re.S | re.M)[1]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        done = compiler and subprocess.run([compiler, HERE.with_suffix(".c"), "-o", folder / "program", "-lmujoco", "-lm"], capture_output=True, check=False)
        if not done or done.returncode != 0:
            print("SKIPPED: no C compiler, or no libmujoco-dev; MuJoCo was NOT tried", file=sys.stderr)
            return SKIPPED
        wrong = 0
        for text, opens, near in ((stated, 14e-3, 0.1), (stated.replace('anchor=".5 0 0"', f'anchor=".5 0 0" {STIFF}'), 0.3e-3, 0.01)):
            (folder / "model.xml").write_text(text, encoding="utf-8")
            freedoms, x, z, widest = map(float, subprocess.run([folder / "program", folder / "model.xml"], capture_output=True, text=True, check=True).stdout.split())
            print(f"{freedoms:g} joints, force {x:.4g} {z:.4g} N, the loop opens by {widest:.3g} m")
            right = freedoms == 3 and all(abs(a/b - 1) < near for a, b in zip((x, z), FORCE)) and abs(widest/opens - 1) < 0.1
            wrong += not right
        return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
