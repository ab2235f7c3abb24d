#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What editors say by docs/model.schema.json: nothing of shipped models and starters, something of every key that is misspelt.

The validator is Taplo, which npm fetches into the folder --cache. Where node, npm or the network is missing the test is skipped, aloud.
Exit status: 0 all is well, 1 something is not, 77 skipped.
"""

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PACKAGE = "@taplo/cli@0.7.0"
SKIPPED = 77
ROOT = Path(__file__).resolve().parents[2]
SCHEMA = ROOT / "docs" / "model.schema.json"


def skip(why):
    print(f"SKIPPED: {why}; Taplo was NOT tried", file=sys.stderr)
    return SKIPPED


TOP = ("name", "description", "reference", "coordinates", "gravity")
FREE = ("parameters", "structure", "define", "inputs", "outputs", "prescribed", "quasi_velocities", "initial", "study")  # users choose the names


def misspelt(text):
    """[(key or section, text in which it is misspelt)], each once."""
    section, names, start = "", {}, 0
    for line in text.splitlines(keepends=True):
        header = re.match(r"\[\[?([\w.]+)", line)
        key = re.match(r"(\w+) *=", line)
        section = header[1] if header else section
        found = None
        if header and "." not in section:
            found, name = header, section
        elif key and (section or key[1] in TOP) and section not in FREE and "." not in section:
            found, name = key, f"{section}.{key[1]}"
        if found:
            end = start + found.end(1)
            names.setdefault(name, text[:end] + "x" + text[end:])
        start += len(line)
    return list(names.items())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dalembert", required=True)
    parser.add_argument("--cache", type=Path, required=True)
    options = parser.parse_args()
    if not shutil.which("node") or not shutil.which("npm"):
        return skip("there is no node, or no npm")
    taplo = options.cache / "node_modules" / ".bin" / "taplo"
    if not taplo.exists():
        options.cache.mkdir(parents=True, exist_ok=True)
        if subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--silent", "--prefix", options.cache, PACKAGE]).returncode:
            return skip("npm cannot get Taplo")

    def check(*paths):
        return subprocess.run([taplo, "check", "--schema", SCHEMA.as_uri(), *map(str, paths)], capture_output=True, text=True)

    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        subprocess.run([options.dalembert, "new", "starter", "--output", folder / "starter.toml"], check=True, capture_output=True)
        models = [*sorted((ROOT / "models").rglob("*.toml")), folder / "starter.toml"]
        said = check(*models)
        if said.returncode:
            wrong.append(f"a shipped model: {said.stderr}")
        tried = {}
        for model in models:
            for name, text in misspelt(model.read_text(encoding="utf-8")):
                if name not in tried:
                    tried[name] = folder / f"{len(tried)}.toml"
                    tried[name].write_text(text, encoding="utf-8")
        heard = check(*tried.values()).stderr
        for name, path in tried.items():
            if f"/{path.name}:" not in heard:
                wrong.append(f"{name}: Taplo does not say that it is unknown")
            refused = subprocess.run([options.dalembert, "check", path], capture_output=True, text=True)
            if not re.search(r"E00(05|10)", refused.stderr):
                wrong.append(f"{name}: dalembert does not say that it is unknown: {refused.stderr[:300]}")
    print(f"{len(models)} models, {len(tried)} misspelt keys and sections, {len(wrong)} wrong", *wrong, sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
