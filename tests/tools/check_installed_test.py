#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/check_installed.py sees what is missing in a prefix, and each protection that a program was linked without."""

import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import check_installed  # noqa: E402

# Writes into an array on the stack, by a copy whose size only the argument knows.
PROGRAM = "#include <string.h>\nint main(int n, char** a) { char b[9]; strcpy(b, a[n - 1]); return b[0]; }\n"


@unittest.skipIf(shutil.which("cc") is None or shutil.which("readelf") is None, "no C compiler, or no readelf")
class CheckInstalled(unittest.TestCase):
    def compiled(self, folder, *options):
        source = Path(folder) / "a.c"
        source.write_text(PROGRAM, encoding="utf-8")
        program = Path(folder) / "a"
        subprocess.run(["cc", "-O2", *options, "-o", program, source], check=True)
        return program

    def test_programs(self):
        without = {"-no-pie": "not position-independent", "-Wl,-z,norelro": "no RELRO", "-Wl,-z,lazy": "stay writable",
                   "-Wl,-z,execstack": "may be executed", "-fno-stack-protector": "no stack protector",
                   "-U_FORTIFY_SOURCE": "no checked copies"}
        all_of_them = ["-fPIE", "-pie", "-Wl,-z,relro", "-Wl,-z,now", "-fstack-protector-strong", "-D_FORTIFY_SOURCE=2"]
        with tempfile.TemporaryDirectory() as folder:
            for option, what in without.items():
                problems = check_installed.problems_of_file(self.compiled(folder, *all_of_them, option), True)
                self.assertTrue(any(what in problem for problem in problems), (option, problems))

    def test_prefix(self):
        with tempfile.TemporaryDirectory() as folder:
            problems = "\n".join(check_installed.problems_of(Path(folder)))
        for what in ("LICENSE", "NOTICES", "bin/dalembert"):
            self.assertIn(what, problems)


if __name__ == "__main__":
    unittest.main()
