#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The lines of editors/README.md for Neovim and Emacs: each editor is started with them, without a screen, and told to open a model with a fault.

What the editor shows of the fault and under the pointer must be what `dalembert check` and the model say. Editors that are not installed are skipped, aloud.
Exit status: 0 all is well, 1 something is not, 77 neither editor is there.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SKIPPED = 77
ROOT = Path(__file__).resolve().parents[2]
MODEL = """name = "fault"
coordinates = [{name = "x", unit = "m"}]
[parameters]
m = "2 kg"
k = "3 N/m"
[energy]
kinetic = "m*x'^2/2"
potential = "kk*x^2/2"
"""
FAULT = "unknown symbol `kk`"
MEANING = "2 kg"  # under the pointer at m

NEOVIM = """
vim.wait(20000, function() return #vim.diagnostic.get(0) > 0 end)
for _, d in ipairs(vim.diagnostic.get(0)) do print(d.lnum + 1, d.message) end
local about = {textDocument = vim.lsp.util.make_text_document_params(), position = {line = 3, character = 0}}
print(vim.inspect(vim.lsp.buf_request_sync(0, 'textDocument/hover', about, 20000)))
"""
EMACS = """
(setq eglot-sync-connect 20)
(find-file "fault.toml")
(call-interactively 'eglot)
(let ((n 0)) (while (and (< n 200) (null (flymake-diagnostics))) (accept-process-output nil 0.1) (setq n (1+ n))))
(dolist (d (flymake-diagnostics)) (message "%d %s" (line-number-at-pos (flymake-diagnostic-beg d)) (flymake-diagnostic-text d)))
(goto-char (point-min))
(forward-line 3)
(message "%S" (jsonrpc-request (eglot--current-server-or-lose) :textDocument/hover (eglot--TextDocumentPositionParams)))
"""


def lines_for(editor, language, which):
    """Block `which` of `language` under the heading of an editor."""
    text = (ROOT / "editors" / "README.md").read_text(encoding="utf-8")
    section = text.split(f"\n## {editor}\n")[1].split("\n## ")[0]
    return re.findall(rf"```{language}\n(.*?)```", section, re.DOTALL)[which]


def shown(command, folder, environment):
    try:
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=90)
    except subprocess.TimeoutExpired as late:
        return f"no end within 90 s: {late.output} {late.stderr}"
    return done.stdout + done.stderr


def neovim(folder, environment):
    version = subprocess.run(["nvim", "--version"], capture_output=True, text=True).stdout
    major, minor = map(int, re.search(r"v(\d+)\.(\d+)", version).groups())
    settings = folder / "config" / "nvim"
    (settings / "ftplugin").mkdir(parents=True)
    if (major, minor) >= (0, 11):
        (settings / "init.lua").write_text(lines_for("Neovim", "lua", 0))
    else:
        (settings / "ftplugin" / "toml.lua").write_text(lines_for("Neovim", "lua", 1 if minor >= 8 else 2))
    (folder / "drive.lua").write_text(NEOVIM)
    environment = environment | {"XDG_CONFIG_HOME": str(folder / "config")}
    return shown(["nvim", "--headless", "fault.toml", "+luafile drive.lua", "+qall!"], folder, environment)


def emacs(folder, environment):
    lines = [line for line in lines_for("Emacs", "lisp", 0).splitlines() if "add-hook" not in line]
    (folder / "drive.el").write_text("(require 'eglot)\n" + "\n".join(lines) + EMACS)
    return shown(["emacs", "--batch", "-l", "drive.el"], folder, environment)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dalembert", type=Path, required=True)
    folder_of_command = parser.parse_args().dalembert.resolve().parent
    tried, failed = 0, 0
    for program, drive in (("nvim", neovim), ("emacs", emacs)):
        if not shutil.which(program):
            print(f"SKIPPED: there is no {program}; the lines for it were NOT tried", file=sys.stderr)
            continue
        tried += 1
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "fault.toml").write_text(MODEL)
            environment = os.environ | {"PATH": f"{folder_of_command}:{os.environ['PATH']}", "HOME": name}
            said = drive(folder, environment)
        if FAULT in said and MEANING in said:
            print(f"{program}: shows the fault, and what is under the pointer")
        else:
            failed += 1
            print(f"{program} does not show {FAULT!r} and {MEANING!r}:\n{said}", file=sys.stderr)
    return 1 if failed else 0 if tried else SKIPPED


if __name__ == "__main__":
    sys.exit(main())
