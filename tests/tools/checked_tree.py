# SPDX-License-Identifier: Apache-2.0
"""A small tree that a checker of tools/ finds clean, and what it says once something was changed in it."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOLS = Path(__file__).resolve().parents[2] / "tools"


class CheckedTree(unittest.TestCase):
    script = ""  # in tools/
    clean = {}  # path: text

    def report(self, changes, *options):
        """(exit status, output) of the checker on the clean tree with `changes` made to it; {folder} in options is its root."""
        with tempfile.TemporaryDirectory(prefix="a path with spaces ") as folder:
            for name, text in {**self.clean, **changes}.items():
                file = Path(folder) / name
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text, encoding="utf-8")
            command = [sys.executable, str(TOOLS / self.script), "--root", folder]
            command += [option.format(folder=folder) for option in options]
            run = subprocess.run(command, capture_output=True, text=True)
            return run.returncode, run.stdout + run.stderr

    def expect(self, changes, where, what):
        """One problem, at `where`, which says `what`."""
        status, output = self.report(changes)
        self.assertEqual(status, 1, output)
        problems = [line for line in output.splitlines() if not line.startswith(Path(self.script).stem + ":")]
        self.assertEqual(len(problems), 1, output)
        self.assertTrue(problems[0].startswith(where + ": "), output)
        self.assertIn(what, problems[0])
