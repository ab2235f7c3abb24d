#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""cmake/HashSources.cmake: the hash of the sources that make machine code is theirs, wherever they lie, and changes with them."""

import hashlib
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "cmake" / "HashSources.cmake"
FILES = {"a.h": "int one();\n", "llvm/b.cpp": "int two() { return 2; }\n"}


class HashSources(unittest.TestCase):
    def hash(self, files, order=None, output=None):
        """The hash that the script writes for `files`, listed in `order`."""
        with tempfile.TemporaryDirectory(prefix="a path with spaces ") as folder:
            for name, text in files.items():
                file = Path(folder) / name
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text, encoding="utf-8")
            output = output or Path(folder) / "out.cpp"
            names = ";".join(order or list(files))
            subprocess.run(["cmake", f"-DFOLDER={folder}", f"-DFILES={names}", f"-DOUTPUT={output}", "-P", str(SCRIPT)], check=True)
            return re.search(r'return "([0-9a-f]{64})";', output.read_text(encoding="utf-8")).group(1)

    def test_is_the_hash_of_names_and_contents(self):
        # Truth: SHA-256 of Python.
        sums = "".join(f"{name} {hashlib.sha256(FILES[name].encode()).hexdigest()}\n" for name in sorted(FILES))
        self.assertEqual(self.hash(FILES), hashlib.sha256(sums.encode()).hexdigest())

    def test_folder_and_order_do_not_matter(self):
        self.assertEqual(self.hash(FILES), self.hash(FILES, order=["llvm/b.cpp", "a.h"]))

    def test_changes_with_a_source(self):
        changed = [{**FILES, "a.h": "int one() ;\n"}, {**FILES, "c.h": ""}, {"a.h": FILES["a.h"]},
                   {"a.h": FILES["a.h"], "llvm/c.cpp": FILES["llvm/b.cpp"]}]
        hashes = {self.hash(files) for files in [FILES, *changed]}
        self.assertEqual(len(hashes), 5)

    def test_output_that_would_not_change_is_left_alone(self):
        with tempfile.TemporaryDirectory() as folder:
            output = Path(folder) / "out.cpp"
            self.hash(FILES, output=output)
            before = output.stat().st_mtime_ns
            self.hash(FILES, output=output)
            self.assertEqual(output.stat().st_mtime_ns, before)


if __name__ == "__main__":
    unittest.main()
