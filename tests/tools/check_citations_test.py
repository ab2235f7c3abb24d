#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/check_citations.py sees each citation that leads nowhere, and nothing in a tree whose citations are right."""

import unittest

from checked_tree import CheckedTree

SPDX = "// SPDX-License-Identifier: Apache-2.0\n"

CLEAN = {
    "docs/theory.md": "# Theory\n\n## 1 The model\n\n## 2 The equations\n",
    "docs/sources.md": "# Sources\n\n| cited as | source |\n|---|---|\n"
                       "| Golub & Van Loan | Matrix Computations, ISBN 978-1-4214-0794-4 |\n"
                       "| Davis; T. Davis | Direct Methods, doi:10.1137/1.9780898718881 |\n",
    "docs/cases.md": "# Cases\n\n## 05 Pendulum\n",
    "docs/decisions/0007-objects.md": "# 0007 Objects\n",
    "dalembert/base/explain.cpp": SPDX + 'Text texts[] = {{"E0102", "a name"}};\n',
    "dalembert/dynamics/dense.h": SPDX + "// A = LDLᵀ (Golub & Van Loan, 4th ed., §4.1.2; T. Davis,\n// SIAM 2006, ch. 4).\n"
                                         "// Record 0007; theory §2; docs/theory.md; base/explain.cpp; E0102.\n",
    "tests/dynamics/dense_test.cpp": SPDX + "// Truth: cases §05 and dense.h, in tests/dynamics.\n",
}


class CheckCitations(CheckedTree):
    script = "check_citations.py"
    clean = CLEAN

    def expect_comment(self, comment, what):
        self.expect({"dalembert/expr/a.cpp": SPDX + "\n// " + comment + "\n"}, "dalembert/expr/a.cpp:3", what)

    def test_clean_tree(self):
        status, output = self.report({})
        self.assertEqual(status, 0, output)

    def test_pages_and_sections(self):
        self.expect_comment("Shapes: cli.md.", "no such page: cli.md")
        self.expect_comment("Shapes: docs/cli.md.", "no such page: docs/cli.md")
        self.expect_comment("Changed: docs/changes-0.9.1.md.", "no such page: docs/changes-0.9.1.md")
        self.expect_comment("M is symmetric (theory §3).", "no such section: docs/theory.md §3")
        self.expect_comment("M is symmetric (theory.md §12).", "no such section: docs/theory.md §12")

    def test_pages_in_messages(self):
        self.expect({"apps/a.cpp": SPDX + 'const char* help = "see docs/format.md";\n'}, "apps/a.cpp:2", "docs/format.md")

    def test_files_and_folders(self):
        self.expect_comment("As in dynamics/sparse.h.", "no such file: dynamics/sparse.h")
        self.expect_comment("Its test is in tests/expr.", "no such folder: tests/expr")

    def test_decisions_and_diagnostics(self):
        self.expect_comment("Why: record 0009.", "no such decision: 0009")
        self.expect_comment("Errors: E0999.", "no such diagnostic: E0999")

    def test_sources(self):
        self.expect_comment("Source: Nobody, A Book.", "not in docs/sources.md: Source: Nobody, A Book.")
        self.expect_comment("The bound of Nobody (1990) holds.", "not in docs/sources.md")
        self.expect_comment("Golub & Van Loan, 4th ed., §4.1; Nobody, SIAM 1990.", "not in docs/sources.md: Nobody, SIAM 1990.")

    def test_models_references(self):
        self.expect({"models/a.toml": 'reference = "T. Davis, Direct Methods; A. Nobody, A Book"\n'}, "models/a.toml:1", "A. Nobody")

    def test_list_of_sources(self):
        sources = CLEAN["docs/sources.md"]
        self.expect({"docs/sources.md": sources + "| Nobody | A Book, ISBN 1 |\n"}, "docs/sources.md:7", "nothing cites: Nobody")
        self.expect({"docs/sources.md": sources.replace("doi:10.1137/1.9780898718881", "SIAM 2006")}, "docs/sources.md:6", "no DOI")

    def test_cases(self):
        self.expect({"docs/cases.md": CLEAN["docs/cases.md"] + "\n## 06 Crank\n"}, "docs/cases.md:1", "nothing cites case §06")

    def test_placeholders_and_generated_files_are_no_citations(self):
        status, output = self.report({"dalembert/expr/a.cpp": SPDX + "// dalembert derive mine.toml writes out/table.md; tests/NAME_test.cpp.\n"})
        self.assertEqual(status, 0, output)


if __name__ == "__main__":
    unittest.main()
