#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tests/docs/run_tutorial.py accepts a page that shows what is printed, and names the line of one that does not."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[1] / "docs/run_tutorial.py"

# A program that prints what the file named by its first argument contains, and ends with 4 for `no`.
PROGRAM = """#!/usr/bin/env python3
import sys
if sys.argv[1] == "no":
    print("disproved")
    sys.exit(4)
print(open(sys.argv[1]).read(), end="")
print("done", file=sys.stderr)
"""

PRINTED = """pendulum
  freedoms      1   2 velocities - rank 1
  tension = 4.24785 N
  residual 2.2e-16
  m*r'' - m*L2*theta'^2 = 0
"""


class RunTutorial(unittest.TestCase):
    def run_page(self, shown, command="dalembert printed.toml"):
        with tempfile.TemporaryDirectory(prefix="a path with spaces ") as folder:
            program, page = Path(folder) / "dalembert", Path(folder) / "page.md"
            program.write_text(PROGRAM, encoding="utf-8")
            program.chmod(0o755)
            page.write_text(f"# Page\n\n```toml printed.toml\n{PRINTED}```\n\n```console\n$ {command}\n{shown}```\n", encoding="utf-8")
            done = subprocess.run([sys.executable, str(SCRIPT), "--dalembert", str(program), str(page)], capture_output=True,
                                  encoding="utf-8", check=False)
            return done.returncode, done.stdout + done.stderr

    def accept(self, shown, **options):
        status, output = self.run_page(shown, **options)
        self.assertEqual(status, 0, output)

    def refuse(self, shown, line, what, **options):
        status, output = self.run_page(shown, **options)
        self.assertEqual(status, 1, output)
        self.assertIn(f"page.md:{line}: ", output)
        self.assertIn(what, output)

    def test_what_is_printed(self):
        self.accept("")
        self.accept(PRINTED + "done\n")
        self.accept("pendulum\n…\n  residual …\n…\n")
        self.accept("…\n  freedoms   1   2 velocities …\n…\n")

    def test_digits(self):
        self.accept("…\n  tension = 4.248 N\n…\n")
        self.refuse("…\n  tension = 4.250 N\n…\n", 14, "tension = 4.24785 N")
        self.refuse("…\n  tension = 4.24775 N\n…\n", 14, "is not printed there")
        self.refuse("…\n  freedoms      2   2 velocities - rank 1\n…\n", 14, "is not printed there")
        self.refuse("…\n  m*r'' - m*L3*theta'^2 = 0\n…\n", 14, "is not printed there")

    def test_lines(self):
        self.refuse("pendulum\n", 14, "more is printed")
        self.refuse("pendulum\n  tension = 4.24785 N\n…\n", 14, "tension")
        self.refuse("  freedoms      1   2 velocities - rank 1\n…\n", 13, "freedoms")
        self.refuse("…\n  residual …\n…\n  tension = 4.24785 N\n…\n", 16, "tension")

    def test_exit_status(self):
        self.accept("disproved\n", command="dalembert no     # exit status 4")
        self.refuse("disproved\n", 12, "ends with 4, the page says 0", command="dalembert no")
        self.refuse("", 12, "ends with 0, the page says 4", command="dalembert printed.toml     # exit status 4")

    def test_other_programs(self):
        self.refuse("", 12, "is no program that a page may run", command="rm printed.toml")


if __name__ == "__main__":
    unittest.main()
