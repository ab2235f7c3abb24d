# SPDX-License-Identifier: Apache-2.0
"""What the tests of FMUs share: one that is exported and unpacked, the master in C that runs it, runs of the command."""

import csv
import json
import math
import os
import platform
import shutil
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as ET
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
NAN = "nan"
OK, WARNING, DISCARD, ERROR = 0, 1, 2, 3
WARN = ["-Wall", "-Wextra", "-Wconversion", "-pedantic", "-Werror"]

has_library = platform.system() == "Linux" and platform.machine() == "x86_64"


def needs_library(test):
    return unittest.skipUnless(has_library and shutil.which("cc"), "no C compiler, or FMI 2.0 has no name for this machine")(test)


class Tools:
    """The command under test and a folder to work in."""

    def __init__(self, program):
        self.program = str(Path(program).resolve())
        self.temporary = tempfile.TemporaryDirectory(prefix="dalembert-fmu-")
        self.folder = Path(self.temporary.name)
        self.master_program = self.folder / "master"
        self.count = 0
        subprocess.run(["cc", "-std=gnu99", "-O1", *WARN, str(HERE / "fmi_master.c"), "-o", str(self.master_program), "-ldl"],
                       check=True)

    def call(self, *words, **more):
        return subprocess.run([self.program, *words], cwd=more.pop("cwd", self.folder), capture_output=True, text=True,
                              check=False, timeout=200, **more)

    def new_folder(self):
        self.count += 1
        folder = self.folder / str(self.count)
        folder.mkdir()
        return folder

    def export(self, model, *words):
        return Fmu(self, model, *words)

    def simulate(self, model, until, *words):
        """The last row of a run at a tolerance that is a thousand times smaller than that of what is compared with it."""
        path = self.new_folder() / "run.csv"
        done = self.call("simulate", model, "--until", repr(until), "--rtol", "1e-12", "--atol", "1e-14", "-q", "-o", str(path),
                         *words)
        assert path.exists(), done.stdout + done.stderr
        with open(path, encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        return {name: float(value) for name, value in rows[-1].items()}

    def master(self, fmu, logging=False):
        return Master(self, fmu)


class Fmu:
    """An FMU, unpacked; `vr` finds value references by name, `series` by the names that runs have."""

    def __init__(self, tools, model, *words):
        self.folder = tools.new_folder()
        self.path = self.folder / "model.fmu"
        self.exported = tools.call("export", model, "--to", "fmu", "-o", str(self.path), *words)
        assert self.exported.returncode == 0, self.exported.stdout + self.exported.stderr
        with zipfile.ZipFile(self.path) as archive:
            archive.extractall(self.folder)
            self.names = archive.namelist()
        self.xml = (self.folder / "modelDescription.xml").read_text(encoding="utf-8")
        root = ET.fromstring(self.xml)
        self.root = root
        self.guid = root.get("guid")
        self.identifier = root.find("CoSimulation").get("modelIdentifier")
        self.library = self.folder / "binaries" / "linux64" / f"{self.identifier}.so"
        self.variables = list(root.find("ModelVariables"))
        self.vr = {v.get("name"): int(v.get("valueReference")) for v in self.variables}
        self.start = {v.get("name"): float(v[0].get("start")) for v in self.variables if v[0].get("start") is not None}
        self.derivatives = [int(u.get("index")) for u in root.find("ModelStructure").find("Derivatives")]
        self.series = {}
        for v in self.variables:
            words = v.get("description", "").split(" ")
            name = v.get("name")
            if words[0] == "coordinate":
                self.series["q/" + words[1]] = self.vr[name]
            elif words[0] == "velocity":
                self.series["v/" + words[1].rstrip("'")] = self.vr[name]
            elif words[:2] == ["multiplier", "of"]:
                self.series["lambda/" + words[-1]] = self.vr[name]
            elif name.startswith("actuation."):
                self.series["F/" + words[2]] = self.vr[name]
            elif words[0] == "output":
                self.series["output/" + words[1]] = self.vr[name]
            elif name in ("energy.kinetic", "energy.potential", "energy.total"):
                self.series[name.replace(".", "/")] = self.vr[name]

    @property
    def states(self):
        return len(self.derivatives)


class Master:
    """A process that runs instances of an FMU as it is told."""

    def __init__(self, tools, fmu):
        self.log_path = tools.new_folder() / "log"
        self.log_file = open(self.log_path, "w", encoding="utf-8")
        wrapper = os.environ.get("FMU_TEST_WRAPPER", "").split()  # valgrind, by hand
        self.process = subprocess.Popen([*wrapper, str(tools.master_program), str(fmu.library), fmu.guid], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=self.log_file, text=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        status = self.process.wait(60)
        self.process.stdout.close()
        self.log_file.close()
        assert status == 0, self.log()

    def log(self):
        self.log_file.flush()
        return self.log_path.read_text(encoding="utf-8")

    def say(self, command, instance, *words):
        """(status, numbers)"""
        line = " ".join([command, str(instance), *(repr(w) if isinstance(w, float) else str(w) for w in words)])
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().split()
        assert answer, f"the master ended at `{line}`: {self.log()}"
        return int(answer[0]), [float(x) for x in answer[1:]]

    def ok(self, command, instance, *words):
        status, numbers = self.say(command, instance, *words)
        assert status == OK, f"{command} {words}: status {status}: {self.log()}"
        return numbers

    def begin(self, instance, kind, tolerance=1e-9, start=0.0, settings=()):
        """Up to the end of initialization mode, and for model exchange into continuous time."""
        self.ok("new", instance, kind)
        self.ok("setup", instance, tolerance, start, NAN)
        if settings:
            self.ok("set", instance, *(word for pair in settings for word in pair))
        self.ok("init", instance)
        if kind == "me":
            self.ok("begin", instance)


def load_json(text):
    return json.loads(text)


def close(a, b, tolerance):
    return math.isfinite(a) and abs(a - b) <= tolerance
