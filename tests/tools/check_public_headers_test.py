#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/check_public_headers.py sees each thing that it promises to see, and nothing in a clean tree."""

import unittest

from checked_tree import CheckedTree

HEADER = "// SPDX-License-Identifier: Apache-2.0\n#pragma once\n"

# One of them is internal.
CLEAN = {
    "include/dalembert/dalembert.h": HEADER + '#include "dalembert/base/text.h"\n',
    "include/dalembert/vec2.h": HEADER + "#include <vector>\nstruct Vec2 {};\n",
    "include/dalembert/base/text.h": HEADER + '#include <string>\n#include "dalembert/base/span.h"\n',
    "include/dalembert/base/span.h": HEADER + "#include <cstddef>\n",
    "dalembert/base/inner.h": HEADER + "#include <fmt/format.h>\n",
}
PUBLIC = ["dalembert/base/span.h", "dalembert/base/text.h", "dalembert/dalembert.h", "dalembert/vec2.h"]


class CheckPublicHeaders(CheckedTree):
    script = "check_public_headers.py"
    clean = CLEAN

    def report(self, changes, installed=None):
        """As CheckedTree's, with these headers installed."""
        if installed is None:
            return super().report(changes)
        tree = {**CLEAN, **changes}
        prefix = {f"prefix/include/{name}": tree.get(f"include/{name}", HEADER) for name in installed}
        return super().report({**changes, **prefix}, "--installed", "{folder}/prefix", "--alone")

    def finds(self, text, changes, installed=None):
        status, output = self.report(changes, installed)
        self.assertEqual(status, 1, output)
        self.assertIn(text, output)

    def test_a_clean_tree(self):
        self.assertEqual(self.report({}), (0, "check_public_headers: 4 headers, clean\n"))
        self.assertEqual(self.report({}, PUBLIC)[0], 0)

    def test_a_face_that_does_more_than_forward(self):
        face = "include/dalembert/dalembert.h"
        self.finds("only forwards", {face: CLEAN[face] + "inline int one() { return 1; }\n"})

    def test_a_third_party(self):
        self.finds("includes <fmt/format.h>", {"include/dalembert/base/text.h": HEADER + "#include <fmt/format.h>\n"})

    def test_an_internal_header(self):
        self.finds('"dalembert/base/inner.h", which is not in include/',
                   {"include/dalembert/base/text.h": HEADER + '#include "dalembert/base/inner.h"\n'})

    def test_places(self):
        self.finds("lies in no layer", {"dalembert/more.h": HEADER})
        self.finds("in dalembert/ or dalembert/LAYER/", {"include/dalembert/base/parts/a.h": HEADER})
        self.finds("is there twice", {"dalembert/base/text.h": HEADER})

    def test_what_is_installed(self):
        self.finds("base/inner.h:1: is installed", {}, PUBLIC + ["dalembert/base/inner.h"])
        self.finds("vec2.h:1: is public, and not installed", {}, PUBLIC[:3])

    def test_a_header_that_does_not_stand_alone(self):
        self.finds("vec2.h:1: does not compile alone", {"include/dalembert/vec2.h": HEADER + "struct Vec2 { Expr x; };\n"}, PUBLIC)


if __name__ == "__main__":
    unittest.main()
