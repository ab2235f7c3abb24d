#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""editors/vscode in VS Code: installed by the lines of editors/README.md, started in a browser without a screen, asked about a model with a fault.

VS Code is the server that npm's code-server holds, fetched into the folder --cache; the extension tests/slow/vscode_driver asks it. Oracle: what is wrong with
the model, and what is right about it, is known here. Where node, npm, Chromium or the network is missing the test is skipped, aloud.
Exit status: 0 all is well, 1 something is not, 77 skipped.
"""

import argparse
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

CODE_SERVER = "code-server@4.100.3"  # holds VS Code 1.100.3
SKIPPED = 77
ROOT = Path(__file__).resolve().parents[2]
MODEL = """# a comment, so that the first line says nothing
name = "fault"
coordinates = [{name = "x", unit = "m"}]
[parameters]
m1 = "2 kg"
k = "3 N/m"
[energy]
kinetic = "m1*x'^2/2"
potential = "kk*x^2/2"
"""
MENDED = MODEL.replace("kk", "k").replace("m1", "mass")


def skip(why):
    print(f"SKIPPED: {why}; VS Code was NOT tried", file=sys.stderr)
    return SKIPPED


def fetch(cache):
    """VS Code's server in the cache, without what its packages would compile: it starts without. Nothing if npm cannot get it."""
    server = cache / "node_modules" / "code-server" / "lib" / "vscode"
    if not (server / "fetched").exists():
        cache.mkdir(parents=True, exist_ok=True)
        (cache / "package.json").write_text("{}\n", encoding="utf-8")
        install = ["npm", "install", "--ignore-scripts", "--omit=dev", "--no-audit", "--no-fund", "--silent"]
        if subprocess.run([*install, CODE_SERVER], cwd=cache).returncode or subprocess.run(install, cwd=server).returncode:
            return None
        (server / "fetched").touch()
    return server / "out" / "server-main.js"


def install(folder, server):
    """The extension by the lines of the README, whose `code` is this server; it was started before, as VS Code of whoever reads them. And the driver.

    What went wrong, else an empty text."""
    (folder / "extensions").mkdir()
    (folder / "extensions" / "extensions.json").write_text("[]")
    (folder / "bin").mkdir()
    code = folder / "bin" / "code"
    code.write_text(f'#!/bin/sh\nexec node "{server}" --extensions-dir "{folder}/extensions" --server-data-dir "{folder}/data" "$@"\n')
    code.chmod(0o755)
    (folder / "editors").symlink_to(ROOT / "editors")
    section = (ROOT / "editors" / "README.md").read_text(encoding="utf-8").split("\n## VS Code\n")[1].split("\n## ")[0]
    lines = re.search(r"```sh\n(.*?)```", section, re.DOTALL).group(1)
    driver = f'mkdir driver\ncp -r "{ROOT}/tests/slow/vscode_driver" driver/extension\ncd driver\npython3 -m zipfile -c driver.vsix extension\ncode --install-extension driver.vsix\n'
    environment = os.environ | {"PATH": f"{folder}/bin:{os.environ['PATH']}", "HOME": str(folder)}
    # The server tells of each package that is not compiled.
    done = subprocess.run(["sh", "-e", "-c", lines + driver], cwd=folder, env=environment, capture_output=True, text=True)
    return "" if done.returncode == 0 else done.stdout + done.stderr[-4000:]


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def shown(folder, server, browser):
    """What the driver has seen, once it has."""
    port, work = free_port(), folder / "work"
    options = ["--host", "127.0.0.1", "--port", str(port), "--without-connection-token", "--accept-server-license-terms", "--disable-telemetry",
               "--disable-workspace-trust", "--extensions-dir", folder / "extensions", "--server-data-dir", folder / "data"]
    environment = os.environ | {"HOME": str(folder)}
    log = (folder / "log").open("w")
    running = [subprocess.Popen(["node", server, *options], env=environment, stdout=log, stderr=log)]
    try:
        wait_for("the server", lambda: "listening" in (folder / "log").read_text(), 60)
        page = f"http://127.0.0.1:{port}/?folder={work}"
        running.append(subprocess.Popen([browser, "--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}/browser",
                                         "--remote-debugging-port=0", page], env=environment, stdout=log, stderr=log))
        wait_for("the driver", (work / "seen.json").exists, 180)
        return json.loads((work / "seen.json").read_text())
    except TimeoutError as late:
        return {"problem": f"{late}:\n{(folder / 'log').read_text()[-4000:]}"}
    finally:
        for one in reversed(running):
            one.terminate()
            one.wait()


def wait_for(what, ready, seconds):
    end = time.monotonic() + seconds
    while not ready():
        if time.monotonic() > end:
            raise TimeoutError(f"no sign of {what} within {seconds} s")
        time.sleep(0.2)


def faults(seen):
    """What is not as it should be, of what was seen."""
    expected = {
        "problem": lambda it: it is None,
        "without_command": lambda it: it == 0,
        "error": lambda it: it and "unknown symbol `kk`" in it["message"] and it["line"] == 8 and it["code"] == "E0102",
        "hover": lambda it: any("m1 = 2 kg" in one for one in it or []),
        "proposed": lambda it: "k" in (it or []),
        "symbols": lambda it: it == ["x", "m1", "k"],
        "definition": lambda it: it == [4],
        "fixes": lambda it: it and it[0] == "write `k`",
        "text": lambda it: it == MENDED,
        "hints": lambda it: any("1 freedom" in one for one in it or []),
        "chosen": lambda it: it == "toml",
        "other": lambda it: it == {"language": "plaintext", "diagnostics": 0},
    }
    return [f"{name}: {seen.get(name)!r}" for name, good in expected.items() if not good(seen.get(name))]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dalembert", type=Path, required=True)
    parser.add_argument("--cache", type=Path, required=True)
    options = parser.parse_args()
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if not shutil.which("node") or not shutil.which("npm") or not browser:
        return skip("there is no node, no npm or no Chromium")
    version = subprocess.run(["node", "--version"], capture_output=True, text=True).stdout
    if int(re.match(r"v(\d+)", version).group(1)) < 20:
        return skip(f"its server needs Node 20, and here is {version.strip()}")
    server = fetch(options.cache.resolve())
    if server is None:
        return skip("npm cannot get it")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        work = folder / "work"
        work.mkdir()
        (work / "fault.toml").write_text(MODEL)
        (work / "twin.as-toml").write_text(MENDED)
        (work / "Cargo.toml").write_text('[package]\nname = "other"\n')
        (work / "driver.json").write_text(json.dumps({"command": str(options.dalembert.resolve())}))
        (folder / "data" / "data" / "Machine").mkdir(parents=True)
        (folder / "data" / "data" / "Machine" / "settings.json").write_text('{"dalembert.command": "not-there"}')
        trouble = install(folder, server)
        seen = {"problem": trouble} if trouble else shown(folder, server, browser)
    wrong = faults(seen)
    print("VS Code shows what is wrong and what is right" if not wrong else "\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
