# SPDX-License-Identifier: Apache-2.0
"""Models as FMUs: what `dalembert export --to fmu` writes."""

import os
import platform
import shutil
import subprocess
import sys
import tempfile
import warnings
import zipfile

from . import _core


def _library(name, files, sources, options):
    """The shared library, or None where there is no compiler, or no name for this kind of machine in FMI 2.0."""
    compiler = next(filter(None, map(shutil.which, filter(None, [os.environ.get("CC"), "cc", "gcc", "clang"]))), None)
    if sys.platform != "linux" or platform.machine() != "x86_64" or compiler is None:
        return None
    with tempfile.TemporaryDirectory(prefix="dalembert-fmu-") as folder:
        for file, text in files:
            if file.startswith("sources/"):
                with open(os.path.join(folder, os.path.basename(file)), "w", encoding="utf-8") as written:
                    written.write(text)
        made = os.path.join(folder, name + ".so")
        done = subprocess.run([compiler, *options, "-o", made, *map(os.path.basename, sources), "-lm"], cwd=folder,
                              capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"the C compiler `{compiler}` failed to build the library of the FMU: {done.stderr.strip()}")
        with open(made, "rb") as library:
            return library.read()


def write_fmu(model, path):
    """Writes NAME.fmu into a folder, or the file itself where `path` ends with .fmu. Returns where it is."""
    name, files, sources, options = _core.export_fmu(model, "dalembert " + _core.__version__)
    path = os.fspath(path)
    if not path.endswith(".fmu"):
        os.makedirs(path, exist_ok=True)
        path = os.path.join(path, name + ".fmu")
    library = _library(name, files, sources, options)
    if library is None:
        warnings.warn(f"`{path}` holds sources only: there is no C compiler (cc, gcc, clang) for linux64 here", stacklevel=4)
    part = f"{path}.{os.getpid()}.part"
    try:
        with zipfile.ZipFile(part, "w") as archive:
            binary = [(f"binaries/linux64/{name}.so", library)] if library else []
            for inside, content in files + binary:
                entry = zipfile.ZipInfo(inside, (1980, 1, 1, 0, 0, 0))
                entry.external_attr = (0o755 if inside.endswith(".so") else 0o644) << 16
                archive.writestr(entry, content)
        os.replace(part, path)
    except BaseException:
        if os.path.exists(part):
            os.remove(part)
        raise
    return path
