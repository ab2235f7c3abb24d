#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Give the shards of a sweep to other programs, by the lines of docs/command-line.md and docs/python.md, and compare the bytes.

  launch_sweeps.py mpirun --dalembert FILE     three processes by mpirun (dalembert-mpi lies beside dalembert)
  launch_sweeps.py killed_rank --dalembert FILE   one of them is killed, and so is process 0
  launch_sweeps.py parallel --dalembert FILE   GNU parallel, killed once, goes on where it was
  launch_sweeps.py slurm --dalembert FILE      a job array of Slurm, whose daemons run on this machine for that (root)
  launch_sweeps.py dask --dalembert FILE       processes of dask.distributed, from Python (PYTHONPATH has the package)

Where the program or the package is missing, the test is skipped, aloud. Exit status: 0 all is well, 1 something is not, 77 skipped.
"""

import argparse
import contextlib
import hashlib
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SKIPPED = 77
RUNS = 4000
SAMPLE, MEASURE = {"L1": "normal(0.15 m, 10 mm)"}, {"peak": "max(abs(lambda(pin[1])))", "x": "final(x)"}


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def documented(beginning):
    """The line of the page that begins so."""
    text = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")
    line = re.search("`(" + re.escape(beginning) + "[^`]*)`", text)
    assert line, f"docs/command-line.md has no line that begins with {beginning}"
    return line[1]


def write_study(folder, runs=RUNS):
    """The slider-crank with a study, as the lines name it: mine.toml."""
    model = (ROOT / "models" / "slider-crank.toml").read_text(encoding="utf-8")
    sample = "".join(f'{name} = "{text}"\n' for name, text in SAMPLE.items())
    measure = "".join(f'{name} = "{text}"\n' for name, text in MEASURE.items())
    model = re.sub(r"(?m)^until\s*=.*$", 'until = "0.5 s"', model)
    (folder / "mine.toml").write_text(f"{model}\n[study]\nruns = {runs}\nseed = 7\n[study.sample]\n{sample}[study.measure]\n{measure}")


def shell(folder, program, line, **more):
    environment = {**os.environ, "PATH": f"{program.parent}:{os.environ['PATH']}", "HOME": str(folder), **more.pop("env", {})}
    return subprocess.Popen(["bash", "-c", line], cwd=folder, env=environment, start_new_session=True, **more)


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def compare(folder, program, count):
    """The merged shards have the bytes of a sweep by one process."""
    parts = " ".join(f"part{k}.csv" for k in range(1, count + 1))
    for line in (f"dalembert sweep --merge {parts} -o study.csv", "dalembert sweep mine.toml --threads 1 -o whole.csv"):
        process = shell(folder, program, line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        assert process.wait() == 0, f"`{line}` ended with {process.returncode}"
    assert digest(folder / "study.csv") == digest(folder / "whole.csv")
    print(f"{count} shards, {RUNS} runs: {digest(folder / 'study.csv')}")


def run_parallel(folder, program):
    if not shutil.which("parallel") or "GNU" not in subprocess.run(["parallel", "--version"], capture_output=True, text=True).stdout:
        skip("GNU parallel is not installed (Debian package parallel)")
    line = documented("seq 100 | parallel").replace("parallel ", "parallel --will-cite ", 1)
    first = shell(folder, program, line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    log = folder / "jobs.log"
    while not log.exists() or len(log.read_text().splitlines()) < 20:
        assert first.poll() is None, "parallel ended before it was killed"
        time.sleep(0.02)
    os.killpg(first.pid, signal.SIGKILL)
    first.wait()
    time.sleep(2)  # jobs in process groups of their own end by themselves
    before = len(log.read_text().splitlines()) - 1
    second = shell(folder, program, line, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    second.communicate()
    assert second.returncode == 0, f"`{line}` ended with {second.returncode}"
    made = len(log.read_text().splitlines()) - 1
    print(f"killed after {before} of 100 jobs; the rest made {made - before} more")
    assert 19 <= before < 100 == made
    compare(folder, program, 100)


def mpirun(folder, program, processes, options=""):
    """The line of the page, by root and on few processors too; and whether this is Open MPI."""
    if not shutil.which("mpirun") or not (program.parent / "dalembert-mpi").exists():
        skip("dalembert-mpi was not built: there is no MPI (Debian packages openmpi-bin, libopenmpi-dev)")
    version = subprocess.run(["mpirun", "--version"], capture_output=True, text=True).stdout
    open_mpi = "Open MPI" in version
    line = documented("mpirun -n 16").replace("-n 16", f"{'--allow-run-as-root --oversubscribe' if open_mpi else ''} {options} -n {processes}")
    print(line, "--", version.splitlines()[0])
    return shell(folder, program, line, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True), open_mpi


def compare_whole(folder, program):
    """What mpirun wrote has the bytes of a sweep by one process."""
    line = "dalembert sweep mine.toml --threads 1 -o whole.csv"
    assert shell(folder, program, line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).wait() == 0
    assert digest(folder / "study.csv") == digest(folder / "whole.csv")
    print(f"the bytes of one process: {digest(folder / 'study.csv')}")


def run_mpirun(folder, program):
    write_study(folder, 500)
    process, _ = mpirun(folder, program, 3)
    said = process.communicate()[1]
    assert process.returncode == 0, said
    assert "W044" not in said, said
    compare_whole(folder, program)


def processes_of(mpirun_pid):
    """The processes of dalembert-mpi below mpirun, in the order of their numbers."""
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            name, rest = status.read_text().rsplit(")", 1)
            ancestor = int(status.parent.name)
            while ancestor > 1 and ancestor != mpirun_pid:
                ancestor = int(Path(f"/proc/{ancestor}/stat").read_text().rsplit(")", 1)[1].split()[1])
            if name.endswith("(dalembert-mpi") and ancestor == mpirun_pid and rest.split()[0] != "Z":
                found.append(int(status.parent.name))
        except (OSError, ValueError):
            continue
    return sorted(found)


def wait_for_rows(folder, process, least):
    """Until so many bytes of rows are on disk."""
    while sum(path.stat().st_size for path in folder.glob("study.csv.parts/*.mixed")) < least:
        assert process.poll() is None, process.communicate()[1]
        time.sleep(0.02)


def run_killed_rank(folder, program):
    process, open_mpi = mpirun(folder, program, 3, "--enable-recovery")
    if not open_mpi:
        process.kill()
        skip("MPICH ends all processes when one dies, and the same mpirun goes on")
    wait_for_rows(folder, process, 20_000)
    os.kill(processes_of(process.pid)[2], signal.SIGKILL)
    said = process.communicate()[1]
    assert process.returncode == 0 and "W0447" in said, said
    compare_whole(folder, program)

    # Process 0 dies, and all with it: the same line goes on.
    (folder / "study.csv").unlink()
    process, _ = mpirun(folder, program, 3)
    wait_for_rows(folder, process, 20_000)
    os.kill(processes_of(process.pid)[0], signal.SIGKILL)
    process.communicate()
    assert process.returncode != 0 and not (folder / "study.csv").exists()
    process, _ = mpirun(folder, program, 3)
    said = process.communicate()[1]
    assert process.returncode == 0, said
    compare_whole(folder, program)


SLURM_CONF = """ClusterName=one
SlurmctldHost={host}(127.0.0.1)
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
SlurmUser=root
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SwitchType=switch/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
NodeName={host} NodeAddr=127.0.0.1 CPUs={processors} State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


@contextlib.contextmanager
def slurm_on_one_machine(folder):
    """A cluster of this machine alone, without control groups, which containers do not give. Gives what its commands have in their environment."""
    folder.mkdir()
    for path in (folder.parent, folder):
        path.chmod(0o755)  # munge asks for that
    for name in ("state", "spool"):
        (folder / name).mkdir()
    (folder / "munge.key").write_bytes(os.urandom(1024))
    (folder / "munge.key").chmod(0o400)
    conf = SLURM_CONF.format(host=socket.gethostname().split(".")[0], folder=folder, ports=free_ports(2), processors=os.cpu_count())
    (folder / "slurm.conf").write_text(conf)
    environment = {**os.environ, "SLURM_CONF": str(folder / "slurm.conf")}
    munged = ["munged", "--force", "--foreground", *(f"--{option}={folder}/munge.{ending}" for option, ending in (
        ("key-file", "key"), ("socket", "socket"), ("pid-file", "pid"), ("log-file", "log"), ("seed-file", "seed")))]
    daemons = []
    try:
        with open(folder / "daemons.out", "w", encoding="utf-8") as log:
            for line in (munged, ["slurmctld", "-D"], ["slurmd", "-D"]):
                daemons.append(subprocess.Popen(line, env=environment, stdout=log, stderr=log))
                time.sleep(1)
        until = time.monotonic() + 60
        while "idle" not in subprocess.run(["sinfo", "-h"], capture_output=True, text=True, env=environment).stdout:
            dead = [daemon for daemon in daemons if daemon.poll() is not None]
            if dead or time.monotonic() > until:
                logs = "".join(path.read_text()[-2000:] for path in sorted(folder.glob("*.log")) + [folder / "daemons.out"])
                skip(f"Slurm's daemons do not run here:\n{logs}")
            time.sleep(0.2)
        yield {"SLURM_CONF": environment["SLURM_CONF"]}
    finally:
        for daemon in reversed(daemons):
            daemon.terminate()
        for daemon in daemons:
            daemon.wait()


def run_slurm(folder, program):
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    missing = [name for name in ("munged", "slurmctld", "slurmd", "sbatch") if not shutil.which(name)]
    if missing or os.geteuid() != 0:
        skip(f"needs root, and Debian's slurmctld, slurmd, slurm-client, munge; not found: {missing}")
    line = documented("sbatch --array=1-100").replace("--array=1-100", "--array=1-5 --wait --output=job-%a.txt")
    print(line)
    with slurm_on_one_machine(folder / "slurm") as environment:
        process = shell(folder, program, line, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        said = process.communicate()[0]
        jobs = "".join(path.read_text() for path in sorted(folder.glob("job-*.txt")))
        assert process.returncode == 0, said + jobs
    compare(folder, program, 5)


def run_dask(folder, program):
    try:
        import dask.distributed as distributed
    except ImportError as missing:
        skip(f"{missing} (Debian packages python3-dask, python3-distributed)")
    import dalembert

    model = dalembert.load(folder / "mine.toml")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, local_directory=str(folder)) as cluster, \
            distributed.Client(cluster) as client:
        study = model.sweep(executor=client, shards=7)
    whole = model.sweep()
    for name in ("index", *SAMPLE, *MEASURE, "error"):
        assert study[name].tobytes() == whole[name].tobytes(), name
    assert study.holds.all() and len(study) == RUNS
    print(f"7 shards by dask.distributed {distributed.__version__}: {RUNS} rows have the same bits")


LAUNCHERS = {"mpirun": run_mpirun, "killed_rank": run_killed_rank, "parallel": run_parallel, "slurm": run_slurm, "dask": run_dask}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("launcher", choices=sorted(LAUNCHERS))
    parser.add_argument("--dalembert", required=True, type=lambda path: Path(path).resolve())
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="dalembert-launch-") as folder:
        write_study(Path(folder))
        LAUNCHERS[given.launcher](Path(folder), given.dalembert)


if __name__ == "__main__":
    main()
