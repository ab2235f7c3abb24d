#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`dalembert lsp` by a client that others wrote: every shipped model is opened, every name in it asked for and renamed.

The client is npm's vscode-languageserver-protocol, which is fetched into the folder --cache with what tokenizes by the grammar of editors/vscode. Where node, npm
or the network is missing the test is skipped, aloud. Exit status: 0 all is well, 1 something is not, 77 skipped.
"""

import argparse
import json
import shutil
import subprocess
import sys
from pathlib import Path

PACKAGES = ["vscode-languageserver-protocol@3.17.5", "vscode-textmate@9.2.0", "vscode-oniguruma@2.0.1"]
SKIPPED = 77
ROOT = Path(__file__).resolve().parents[2]


def skip(why):
    print(f"SKIPPED: {why}; the language server was NOT tried", file=sys.stderr)
    return SKIPPED


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dalembert", required=True)
    parser.add_argument("--cache", type=Path, required=True)
    options = parser.parse_args()
    if not shutil.which("node") or not shutil.which("npm"):
        return skip("there is no node, or no npm")
    if not (options.cache / "node_modules" / "vscode-oniguruma").exists():
        options.cache.mkdir(parents=True, exist_ok=True)
        (options.cache / "package.json").write_text("{}\n", encoding="utf-8")
        if subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--silent", *PACKAGES], cwd=options.cache).returncode:
            return skip("npm cannot get the client")
    for path in sorted((ROOT / "editors").rglob("*.json")):
        json.loads(path.read_text(encoding="utf-8"))
    extension = ROOT / "editors" / "vscode"
    if subprocess.run(["node", "--check", extension / "extension.js"]).returncode:
        return 1
    command = Path(options.dalembert).resolve()
    client = ROOT / "tests" / "slow" / "lsp_client.mjs"
    return subprocess.run(["node", client, command, ROOT / "models", extension / "syntaxes"], cwd=options.cache).returncode


if __name__ == "__main__":
    sys.exit(main())
