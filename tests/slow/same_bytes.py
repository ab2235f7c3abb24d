#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One study by everyone who may make it: SHA-256 of the file is the same.

  same_bytes.py --dalembert FILE [--runs 100000] [--seed 1]

By one thread, two threads, `mpirun -n 3`, 7 shards merged, Dask (from Python, PYTHONPATH has the package), and by a command that is killed by kill -9
at 20 random instants, which the seed chooses, and begun again each time. Ways whose program is missing are named and left out.
Exit status: 0 all are the same, 1 one is not.
"""

import argparse
import hashlib
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

KILLS = 20
MEASURES = {"peak": "max(abs(lambda(pin[1])))", "x": "final(x)", "crossed": "time(across)"}
MODEL = """
[[event]]
name = "across"
when = "theta - 1.7"
"""


class Study:
    def __init__(self, folder, program, runs):
        self.folder, self.program, self.runs = folder, program, runs
        text = (Path(__file__).resolve().parents[2] / "models" / "slider-crank.toml").read_text(encoding="utf-8")
        text += MODEL + f"[study]\nruns = {runs}\nseed = 7\n[study.sample]\nL1 = 'normal(0.15 m, 0.1 m)'\n[study.measure]\n"
        text += "".join(f"{name} = '{measure}'\n" for name, measure in MEASURES.items())
        (folder / "mine.toml").write_text(text)

    def line(self, *more, program=None):
        return [*(program or [self.program]), "sweep", "mine.toml", "--until", "0.1", *map(str, more)]

    def start(self, *more, program=None):
        return subprocess.Popen(self.line(*more, program=program), cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def run(self, *more, program=None):
        process = self.start(*more, program=program)
        said = process.communicate()[1]
        # 4: some runs of the study fail (a crank that is longer than its rod), which is part of it.
        assert process.returncode in (0, 4), f"{process.args} ended with {process.returncode}: {said}"

    def digest(self, name):
        return hashlib.sha256((self.folder / name).read_bytes()).hexdigest()


def one_thread(study):
    study.run("--threads", 1, "-o", "one.csv")
    return "one.csv"


def two_threads(study):
    study.run("--threads", 2, "-o", "two.csv")
    return "two.csv"


def mpirun(study):
    program = study.program.parent / "dalembert-mpi"
    if not shutil.which("mpirun") or not program.exists():
        return None
    open_mpi = "Open MPI" in subprocess.run(["mpirun", "--version"], capture_output=True, text=True).stdout
    study.run("-o", "mpi.csv", program=["mpirun", *(["--allow-run-as-root", "--oversubscribe"] if open_mpi else []), "-n", "3", program])
    return "mpi.csv"


def shards(study):
    parts = [f"part{k}.csv" for k in range(1, 8)]
    for k, part in enumerate(parts, 1):
        study.run("--shard", f"{k}/7", "-o", part)
    process = subprocess.run([study.program, "sweep", "--merge", *parts, "-o", "merged.csv"], cwd=study.folder, capture_output=True, text=True)
    assert process.returncode in (0, 4), process.stderr
    return "merged.csv"


def dask(study):
    try:
        import dask.distributed as distributed
    except ImportError:
        return None
    import dalembert

    model = dalembert.load(study.folder / "mine.toml")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None,
                                  local_directory=str(study.folder)) as cluster, distributed.Client(cluster) as client:
        model.sweep(executor=client, shards=9, t=0.1).save(study.folder / "dask.csv")
    return "dask.csv"


def killed(study, seconds, chance):
    """Killed at random instants, of which the mean is such that 20 calls make most of the study. A machine that has become quicker meanwhile may be done
    before: then once more, with earlier instants.
    """
    share = 1.6 * seconds / KILLS
    for attempt in range(6):
        shutil.rmtree(study.folder / "killed.csv.parts", ignore_errors=True)
        (study.folder / "killed.csv").unlink(missing_ok=True)
        kills = 0
        while kills < KILLS and not (study.folder / "killed.csv").exists():
            process = study.start("--threads", 1, "-o", "killed.csv")
            time.sleep(chance.uniform(0, share / 2**attempt))
            if process.poll() is None:
                process.send_signal(signal.SIGKILL)
                kills += 1
            process.communicate()
        if kills == KILLS and not (study.folder / "killed.csv").exists():
            rows = sum(path.read_bytes().count(b"\n") for path in (study.folder / "killed.csv.parts").glob("*.rows"))
            study.run("--threads", 1, "-o", "killed.csv")
            print(f"killed {kills} times, with {rows} of {study.runs} rows on disk")
            return "killed.csv"
    raise AssertionError("the study is too short to be killed so often")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--dalembert", required=True, type=lambda path: Path(path).resolve())
    parser.add_argument("--runs", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=int(os.environ.get("DALEMBERT_TEST_SEED", "1")))
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="dalembert-same-") as folder:
        study = Study(Path(folder), given.dalembert, given.runs)
        begin = time.monotonic()
        wanted = study.digest(one_thread(study))
        seconds = time.monotonic() - begin
        failed = (study.folder / "one.csv").read_text().count(",failed,")
        print(f"{given.runs} runs, {failed} of them failed, by one thread in {seconds:.1f} s: {wanted}")
        others = {"two threads": two_threads, "mpirun -n 3": mpirun, "7 shards": shards, "Dask": dask,
                  f"killed, seed {given.seed}": lambda one: killed(one, seconds, random.Random(given.seed))}
        different = []
        for name, way in others.items():
            made = way(study)
            if made is None:
                print(f"{name}: left out, it is not installed")
                continue
            same = study.digest(made) == wanted
            print(f"{name}: {'the same' if same else 'OTHER BYTES'}", flush=True)
            if not same:
                different.append(name)
        assert failed > 0 and not different, different
    return 0


if __name__ == "__main__":
    sys.exit(main())
