# SPDX-License-Identifier: Apache-2.0
"""`pip install .`: CMake builds the module, setuptools packs it with the Python files and the models.

What CMake needs must be there (./dev setup on Debian); without an index to fetch setuptools from, `pip install
--no-build-isolation .` takes that of the system.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).resolve().parent
LEFT_OUT = ("TESTS", "BENCH", "EXAMPLES", "COMMAND")


class CMakeBuild(build_ext):
    def build_extension(self, ext):
        built = os.environ.get("DALEMBERT_BUILD")  # a build folder that has the module already
        folder = Path(built or self.build_temp).resolve()
        package = Path(self.build_lib if not self.inplace else ROOT).resolve() / "dalembert"
        if not built:
            self.build_module(folder)
        package.mkdir(parents=True, exist_ok=True)
        for module in [*(folder / "python" / "dalembert").glob("_core.*so"), *(folder / "lib" / "dalembert").glob("*.so")]:
            shutil.copy2(module, package)
        shutil.copytree(ROOT / "models", package / "models", ignore=shutil.ignore_patterns("*.md"), dirs_exist_ok=True)

    def build_module(self, folder):
        subprocess.run(["cmake", "-S", ROOT, "-B", folder, "-DCMAKE_BUILD_TYPE=Release", f"-DPython3_EXECUTABLE={sys.executable}",
                        *(f"-DDALEMBERT_{part}=OFF" for part in LEFT_OUT)], check=True)
        subprocess.run(["cmake", "--build", folder, "--target", "dalembert-python", "--parallel", str(os.cpu_count() or 1)], check=True)


setup(
    packages=["dalembert"],
    package_dir={"dalembert": "bindings/python/dalembert"},
    package_data={"dalembert": ["py.typed", "*.pyi"]},
    ext_modules=[Extension("dalembert._core", [])],
    cmdclass={"build_ext": CMakeBuild},
)
