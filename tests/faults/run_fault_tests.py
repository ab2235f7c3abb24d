#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The command where something fails that it does not expect: memory, files that may not grow, names at their longest.

    run_fault_tests.py --dalembert FILE [--seed N] [--each N] [NAME ...]

Whatever fails, the command ends by itself with a documented status and says why; a file of before is as it was, or the whole new one;
nothing else is left. `Memory` makes N allocations of each task fail (all of them: --each 0), one alone or each from there on.
"""

import argparse
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
OLD = "what was there before\n"

# Words after the verb and the model, and the files that are written. Long enough for machine code to be made.
TASKS = {"check": ([], []), "derive": ([], []), "analyze": ([], []), "linearize": ([], []),
         "simulate": (["--until", "30", "--every", "0.5", "-o", "out.csv"], ["out.csv"]),
         "report": (["-o", "out.html"], ["out.html"]), "export": (["--to", "c", "-o", ".", "--quiet"], ["{}.c", "{}.h", "{}_selftest.c"])}
MODELS = ["slider-crank", "heavy-top", "block-on-belt"]


class Command:
    def __init__(self, program, seed, each):
        self.program, self.seed, self.each = program, seed, each
        self.folder = tempfile.TemporaryDirectory(prefix="dalembert-faults-")
        self.injector = Path(self.folder.name) / "fail_allocation.so"
        compiler = shutil.which("cc")
        self.injects = compiler is not None and subprocess.run(
            [compiler, "-shared", "-fPIC", "-O1", "-o", self.injector, HERE / "fail_allocation.c", "-ldl"]).returncode == 0

    def run(self, words, cwd, limit=None, memory=None, **environment):
        def before():
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            if limit is not None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
            if memory is not None:
                resource.setrlimit(resource.RLIMIT_AS, (memory, memory))

        return subprocess.run([self.program, *words], cwd=cwd, preexec_fn=before, capture_output=True, timeout=300,
                              env={**os.environ, **{name: str(value) for name, value in environment.items()}})


COMMAND = None


class Faulty(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory(prefix="dalembert-faults-")
        self.folder = Path(self.temporary.name)

    def tearDown(self):
        self.temporary.cleanup()

    def files(self):
        return sorted(path.name for path in self.folder.iterdir())


class Memory(Faulty):
    """Allocations that fail."""

    def injected(self, words, **environment):
        return COMMAND.run(words, self.folder, LD_PRELOAD=COMMAND.injector, DALEMBERT_CACHE_DIR="", XDG_CACHE_HOME="/nowhere", HOME="/nowhere",
                           **environment)

    def problems(self, done, names, whole):
        """What is wrong with a run in which one allocation failed."""
        said = done.stderr.decode(errors="replace")
        if done.returncode not in (0, 3, 5):
            return f"status {done.returncode}: {said[-300:]}"
        if done.returncode == 3 and "error[E0901]: out of memory\n" not in said:
            return f"no message: {said[-300:]}"
        if done.returncode == 5 and "error[E05" not in said:
            return f"no message: {said[-300:]}"
        for name in names:
            text = (self.folder / name).read_bytes()
            if text != OLD.encode() and not (text[:40] == whole[name][:40] and text[-8:] == whole[name][-8:]):
                return f"{name} is neither as before nor whole"
        # Rows of a run that did not end are kept, and found by the next one.
        left = [name for name in self.files() if name not in names]
        if any(not name.endswith(".csv.partial") or not (self.folder / name).read_text().startswith("time,") for name in left):
            return f"files are left: {left}"
        return None

    def fail_in(self, model, verb, each):
        words, names = TASKS[verb]
        words, names = [verb, model, *words], [name.format(model.replace("-", "_")) for name in names]
        count_file = Path(COMMAND.folder.name) / "count"
        done = self.injected(words, FAIL_COUNT=count_file)
        self.assertEqual(done.returncode, 0, done.stderr)
        count = int(count_file.read_text())
        self.assertGreater(count, 1000)
        whole = {name: (self.folder / name).read_bytes() for name in names}
        random_numbers = random.Random(f"{COMMAND.seed} {model} {verb}")
        places = range(1, count + 1)
        if 0 < each < count:
            places = sorted(random_numbers.sample(places, each))
        ends = {}
        for place in places:
            for name in names:
                (self.folder / name).write_text(OLD)
            later = {"FAIL_FROM": 1} if random_numbers.random() < 0.5 else {}
            done = self.injected(words, FAIL_AT=place, **later)
            problem = self.problems(done, names, whole)
            self.assertIsNone(problem, f"FAIL_AT={place} {later} {' '.join(words)}")
            ends[done.returncode] = ends.get(done.returncode, 0) + 1
            for name in set(self.files()) - set(names):
                (self.folder / name).unlink()
        for name in names:
            (self.folder / name).unlink()
        self.assertGreater(ends.get(3, 0), 0)
        return ends

    @unittest.skipIf(sys.platform != "linux", "needs glibc")
    def test_few(self):
        if not COMMAND.injects:
            self.skipTest("there is no C compiler")
        for verb in TASKS:
            self.fail_in("slider-crank", verb, 4)
        done = self.injected(["check", "slider-crank", "--json"], FAIL_AT=5000)
        self.assertEqual(done.returncode, 3)
        self.assertEqual(json.loads(done.stdout)["diagnostics"][0]["code"], "E0901")

    @unittest.skipIf(sys.platform != "linux", "RLIMIT_AS")
    def test_limit(self):
        """Memory that the system does not give: the equations of 120 rods take some 140 MB."""
        words = ["derive", "n-link-chain", "--set", "N=120", "--json"]
        for memory, status in ((80, 3), (100, 3), (120, 3), (1000, 0)):  # MB
            done = COMMAND.run(words, self.folder, memory=memory << 20)
            self.assertEqual(done.returncode, status, f"{memory} MB: {done.stderr[-300:]}")
            if status == 3:
                self.assertEqual(json.loads(done.stdout)["diagnostics"][0]["code"], "E0901", f"{memory} MB")

    def test_many(self):
        if not COMMAND.injects:
            self.skipTest("there is no C compiler")
        for model in MODELS:
            for verb in TASKS:
                if (model, verb) == ("block-on-belt", "linearize"):
                    continue  # it begins where its friction is at a limit
                with self.subTest(model=model, verb=verb):
                    print(model, verb, self.fail_in(model, verb, COMMAND.each), flush=True)


class Files(Faulty):
    """Files that may not grow, and long names."""

    def test_limit_on_the_size_of_files(self):
        # As `ulimit -f`: the signal that would end the process is not for those who look at what write() says.
        for words, names in (["simulate", "slider-crank", "--until", "5", "--every", "0.001", "-o", "out.csv"], ["out.csv"]), \
                            (["report", "slider-crank", "--until", "1", "-o", "out.html"], ["out.html"]), \
                            (["export", "slider-crank", "--to", "c", "-o", ".", "-q"], ["slider_crank.c", "slider_crank.h", "slider_crank_selftest.c"]):
            for name in names:
                (self.folder / name).write_text(OLD)
            done = COMMAND.run(words, self.folder, limit=4096)
            self.assertEqual(done.returncode, 5, done.stderr)
            self.assertIn(b"E0501", done.stderr)
            self.assertIn(b"File too large", done.stderr)
            for name in names:
                self.assertEqual((self.folder / name).read_text(), OLD)
            left = set(self.files()) - set(names)
            self.assertLessEqual(left, {"out.csv.partial"})
            for name in left | set(names):
                (self.folder / name).unlink()

    def test_netcdf_that_cannot_grow(self):
        # HDF5, which holds such files, would crash at the end of a process in which it could not write one.
        parts = [f"part{k}.csv" for k in range(1, 9)]
        for k, part in enumerate(parts, 1):
            made = COMMAND.run(["sweep", "mass-spring", "--vary", "k=40:60:4000", "--until", "0.01", "--shard", f"{k}/8", "-o", part], self.folder)
            self.assertEqual(made.returncode, 0, made.stderr)
        before = self.files()
        merge = ["sweep", "--merge", *parts, "-o", "whole.nc"]
        done = COMMAND.run(merge, self.folder, limit=100_000)
        if b"E0510" in done.stderr:
            self.skipTest("this program has no NetCDF")
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertIn(b"E0501", done.stderr)
        self.assertIn(b"File too large", done.stderr)
        self.assertEqual(self.files(), before)
        self.assertEqual(COMMAND.run(merge, self.folder).returncode, 0)
        self.assertGreater((self.folder / "whole.nc").stat().st_size, 100_000)

    def test_names_of_the_longest(self):
        # What is written beside a file first has a longer name; 255 bytes are the longest that there is, here of two bytes each.
        longest = "ä" * 125
        for words, ending in (["simulate", "mass-spring", "--until", "1"], ".csv"), (["report", "mass-spring", "--until", "1"], ".html"), \
                             (["draw", "mass-spring"], ".svg"):
            name = longest + "_" * (255 - 250 - len(ending)) + ending
            self.assertEqual(len(name.encode()), 255)
            done = COMMAND.run([*words, "-o", name], self.folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(self.files(), [name])
            (self.folder / name).unlink()

    def test_rows_of_a_long_name_are_found_again(self):
        name = "x" * 251 + ".csv"
        words = ["simulate", "slider-crank", "--until", "1", "-o", name]
        # A run that was killed left its rows beside the output.
        other = "x" * 250 + "y.csv"
        process = subprocess.Popen([COMMAND.program, "simulate", "slider-crank", "--until", "1e6", "--every", "1", "-q", "-o", name], cwd=self.folder,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            while not any(path.stat().st_size > 0 for path in self.folder.iterdir()):
                if process.poll() is not None:
                    break
            self.assertIsNone(process.poll())
        finally:
            process.kill()
            process.wait()
        # Not of another output whose name begins alike.
        done = COMMAND.run([*words[:-1], other], self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn(b"W0304", done.stderr)
        done = COMMAND.run(words, self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(b"W0304", done.stderr)

    def test_failed_films_leave_nothing(self):
        # Programs that begin to write and fail: one that makes pictures, one that makes films.
        tools = self.folder / "tools"
        tools.mkdir()
        half = 'for word in "$@"; do case "$word" in png) echo half ;; file:*) echo half >"${word#file:}" ;; esac; done\n'
        whole, fails = f"#!/bin/sh\n{half}exit 0\n", f"#!/bin/sh\n{half}exit 1\n"
        killed = f"#!/bin/sh\n{half}kill -9 $$\n"
        # The last: they are fine, but what they are given cannot be written.
        for converter, encoder, limit in (fails, whole, None), (killed, whole, None), (whole, fails, None), (whole, killed, None), (whole, whole, 100):
            for program, text in ("rsvg-convert", converter), ("ffmpeg", encoder):
                (tools / program).write_text(text)
                (tools / program).chmod(0o700)
            done = COMMAND.run(["animate", "mass-spring", "--until", "1", "-o", "film.gif"], self.folder, limit,
                               PATH=f"{tools}:{os.environ['PATH']}")
            self.assertEqual(done.returncode, 5, done.stderr)
            self.assertIn(b"E0507", done.stderr)
            self.assertEqual(self.files(), ["tools"])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--dalembert", required=True)
    parser.add_argument("--seed", type=int, default=int(os.environ.get("DALEMBERT_TEST_SEED", "1")))
    parser.add_argument("--each", type=int, default=200)
    arguments, rest = parser.parse_known_args()
    COMMAND = Command(arguments.dalembert, arguments.seed, arguments.each)
    unittest.main(argv=[sys.argv[0], *rest])
