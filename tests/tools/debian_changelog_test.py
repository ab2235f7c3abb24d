#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The changelog in the form of Debian, that CMake writes of CHANGELOG.md. Truth: days of the week by Python's calendar, and Debian's own parser."""
import datetime
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def written(text):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "CHANGELOG.md").write_text(text, encoding="utf-8")
        done = subprocess.run(["cmake", f"-DCHANGELOG={folder / 'CHANGELOG.md'}", "-DCONTACT=Some One <some@one.invalid>", f"-DTARGET={folder / 'changelog'}",
                               "-P", str(ROOT / "cmake" / "DebianChangelog.cmake")], capture_output=True, text=True)
        if done.returncode != 0:
            raise ValueError(done.stderr)
        return (folder / "changelog").read_text(encoding="utf-8")


class DebianChangelog(unittest.TestCase):
    def test_versions_with_their_days(self):
        for day in (datetime.date(2024, 2, 29), datetime.date(2025, 12, 31), datetime.date(2026, 1, 1), datetime.date(2026, 3, 8), datetime.date(2027, 10, 9)):
            text = written(f"# Changelog\n\n## [Unreleased]\n\n**New**\n- a; b [c](d)\n\n## [1.2.0] - {day}\n\n**First thing**\n- a; b\n\n**Other**\n\n## [1.1.0] - 2020-02-02\n\nWords.\n")
            self.assertEqual(text, f"""dalembert (1.2.0) unstable; urgency=medium

  * First thing.
  * Other.
  * Every change is in CHANGELOG.md of the sources.

 -- Some One <some@one.invalid>  {day:%a, %d %b %Y} 00:00:00 +0000

dalembert (1.1.0) unstable; urgency=medium

  * Every change is in CHANGELOG.md of the sources.

 -- Some One <some@one.invalid>  Sun, 02 Feb 2020 00:00:00 +0000
""")

    def test_a_text_without_versions_is_refused(self):
        with self.assertRaisesRegex(ValueError, "has no version"):
            written("# Changelog\n\n## [Unreleased]\n\nNothing.\n")

    def test_ours_is_read_by_debian(self):
        text = written((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))
        if shutil.which("dpkg-parsechangelog") is None:
            self.skipTest("dpkg-dev is not installed")
        done = subprocess.run(["dpkg-parsechangelog", "-l", "-", "-S", "Version"], input=text, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        version = next(line.split()[2] for line in (ROOT / "CMakeLists.txt").read_text().splitlines() if line.startswith("project(dalembert VERSION"))
        self.assertEqual(done.stdout.strip(), version)


if __name__ == "__main__":
    unittest.main()
