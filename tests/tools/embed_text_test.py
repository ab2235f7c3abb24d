#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""cmake/EmbedText.cmake: sections of a text become constants, to the byte; what is about the file does not."""

import re
import subprocess
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "cmake" / "EmbedText.cmake"


class EmbedText(unittest.TestCase):
    def embed(self, text):
        """(exit status, {name: section}, messages) of a file with this text."""
        with tempfile.TemporaryDirectory(prefix="a path with spaces ") as folder:
            source, output = Path(folder) / "a.c", Path(folder) / "a.c.cpp"
            source.write_bytes(text.encode())
            run = subprocess.run(["cmake", f"-DFROM={source}", "-DHEADER=texts.h", f"-DTO={output}", "-P", str(SCRIPT)],
                                 capture_output=True, text=True)
            made = output.read_bytes().decode() if output.exists() else ""
        return run.returncode, dict(re.findall(r'const std::string_view (\w+) = R"text\((.*?)\)text";\n', made, re.S)), run.stderr

    def test_sections(self):
        status, sections, _ = self.embed("// licence\n#include <a.h>\n\n//: kOne\nint one;\n\n//: kTwo\n\nint two;\n")
        self.assertEqual(status, 0)
        self.assertEqual(sections, {"kOne": "int one;\n", "kTwo": "\nint two;\n"})

    def test_what_stands_between_belongs_to_none(self):
        _, sections, _ = self.embed("class A {\n  //: kOne\n  int one;\n\n  //: end\n};\n\n//: kTwo\nint two;\n")
        self.assertEqual(sections, {"kOne": "  int one;\n", "kTwo": "int two;\n"})

    def test_switches_of_the_formatter_stay_here(self):
        _, sections, _ = self.embed("//: kOne\n// clang-format off\nint  one;\n  // clang-format on\n// said\n\n// clang-format off\n")
        self.assertEqual(sections, {"kOne": "int  one;\n// said\n\n"})

    def test_every_byte(self):
        # What CMake takes for something of its own elsewhere.
        odd = "a[1;2] = \"\\n\\\\;\" ${x} @y@ $_z; [[ ]=] # % '` ) \u2212 \u00f8\t\\;\n"
        for sign in ("//", "#", "%"):
            _, sections, _ = self.embed(f"x\n{sign}: kOdd\n{odd}\n{sign}: kNext\n{odd}")
            self.assertEqual(sections, {"kOdd": odd, "kNext": odd})

    def test_a_file_without_sections_is_refused(self):
        status, sections, said = self.embed("int one;\n")
        self.assertNotEqual(status, 0)
        self.assertEqual(sections, {})
        self.assertIn("no line begins a section", said)


if __name__ == "__main__":
    unittest.main()
