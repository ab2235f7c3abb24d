#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/check_docs.py sees links that lead nowhere and what pages do not mention, and nothing in a tree that is right."""

import unittest

from checked_tree import CheckedTree

CLEAN = {
    "README.md": "# It\n\nSee [the gallery](docs/gallery.md#pendulum).\n",
    "docs/architecture.md": "# Architecture\n\n`dalembert/base`\n",
    "docs/gallery.md": "# Gallery\n\n## pendulum\n\n![pendulum](pictures/pendulum.svg)\n",
    "docs/pictures/pendulum.svg": "<svg/>\n",
    "docs/decisions/README.md": "# Decisions\n\n0001-record.md\n",
    "docs/decisions/0001-record.md": "# 0001\n",
    "dalembert/base/CMakeLists.txt": "dalembert_library(base)\n",
    "models/pendulum.toml": 'name = "pendulum"\n',
    "models/audits/pendulum.toml": 'name = "pendulum"\n',
}


class CheckDocs(CheckedTree):
    script = "check_docs.py"
    clean = CLEAN

    def test_clean_tree(self):
        status, output = self.report({})
        self.assertEqual(status, 0, output)

    def test_links(self):
        self.expect({"README.md": "[a](docs/no.md)\n"}, "README.md:1", "leads nowhere")
        self.expect({"README.md": "\n[a](docs/gallery.md#no)\n"}, "README.md:2", "no such heading")
        self.expect({"README.md": "[x](docs/gallery.md) <img src=\"docs/pictures/no.svg\" alt=\"\">\n"}, "README.md:1", "docs/pictures/no.svg")

    def test_mentions(self):
        self.expect({"dalembert/expr/CMakeLists.txt": "\n"}, "docs/architecture.md:1", "`dalembert/expr`")
        self.expect({"docs/decisions/0002-layers.md": "# 0002\n"}, "docs/decisions/README.md:1", "0002-layers.md")

    def test_gallery(self):
        self.expect({"models/top.toml": 'name = "top"\n', "docs/pictures/top.svg": "<svg/>\n"}, "docs/gallery.md:1", "pictures/top.svg")
        self.expect({"models/top.toml": 'name = "top"\n', "docs/gallery.md": CLEAN["docs/gallery.md"] + "![top](pictures/top.svg)\n"},
                    "docs/gallery.md:6", "leads nowhere: pictures/top.svg")
        self.expect({"docs/pictures/pendulum.svg": "<svg/>" + " " * 60000}, "docs/pictures/pendulum.svg:1", "more than 60000")

    def test_changelog(self):
        head, summary, rest = "# Changelog\n\n## [Unreleased]\n", "- ä\n", "\n## [0.1.0]\n" + "- old\n" * 2000
        self.assertEqual(self.report({"CHANGELOG.md": head + summary * 1199 + rest})[0], 0)
        self.expect({"CHANGELOG.md": head + summary * 1200 + rest}, "CHANGELOG.md:3", "6001 bytes are unreleased, more than 6000: lines belong in docs/changes-…")
        self.expect({"CHANGELOG.md": head + "- x\n" * 1501}, "CHANGELOG.md:3", "6004 bytes")


if __name__ == "__main__":
    unittest.main()
