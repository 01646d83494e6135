"""What the scripts have in common that compare runs on the emulated network with predictions."""

import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
MPIETE = os.environ.get("MPIETE", os.path.join(ROOT, "target", "release", "mpiete"))
MPICH = os.environ.get("MPICH_SOCK", "/opt/mpich-sock")
# The skeleton program of `mpiete convert`, built by `make -C testbed`.
SKELETON = os.path.join(os.environ.get("TESTBED_BUILD", os.path.join(ROOT, "target", "testbed")), "player")
# A switch that hands frames over later than this on average, in microseconds, has not emulated the network: a frame takes 1,230, and
# on a machine whose processors are free the mean is 20 to 150.
PUNCTUAL = 200.0
NETWORK = ["--rate", "10mbit", "--mode", "emu", "--latency", "100us"]
# By mode of the testbed: options that follow NETWORK. In kernel mode no process moves the frames, so none is late.
MODES = {"emu": [], "kernel": ["--mode", "kernel", "--latency", "0"]}


def run(*words, folder=None):
    """What a command prints; ends the script with what it printed if it fails."""
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        script = os.path.basename(sys.argv[0])
        sys.exit(f"{script}: {' '.join(words)}\n{done.stdout[-1000:]}\n{done.stderr[-1000:]}")
    return done.stdout


def write_trace(path, lines_by_rank):
    """A time-independent trace of all ranks, from the lines of each."""
    with open(path, "w", encoding="utf-8") as file:
        for rank, lines in enumerate(lines_by_rank):
            file.write("".join(f"{rank} {line}\n" for line in ("init 1", *lines, "finalize")))


def on_testbed(hosts, options, *program):
    """What a program prints with one rank on each of so many hosts."""
    # The network probe takes about ten minutes at 10 Mbit/s.
    return run(os.path.join(HERE, "with"), "--hosts", str(hosts), *NETWORK, *options,
               os.path.join(HERE, "run"), "-t", "1800", "-n", str(hosts), *program)


def probe(folder, longest, options=()):
    """The path of the network probe's output on four hosts, with messages up to so many bytes."""
    run(MPIETE, "calibrate", "--write-probe", os.path.join(folder, "probe"), "--largest", str(longest))
    run("make", "-s", "-C", os.path.join(folder, "probe"), "comm_probe", f"MPIFC={MPICH}/bin/mpif90")
    printed = on_testbed(4, options, os.path.join(folder, "probe", "comm_probe"), "between-nodes")
    path = os.path.join(folder, "samples")
    with open(path, "w", encoding="utf-8") as file:
        file.write("".join(line + "\n" for line in printed.splitlines() if line.startswith("mpiete-sample")))
    return path


def platform(folder, ranks, comm, mpi, topology='kind = "star"'):
    """The path of a platform of so many nodes; `mpi` and `topology` are those parts of its file."""
    path = os.path.join(folder, f"platform-{ranks}.toml")
    with open(path, "w", encoding="utf-8") as file:
        file.write(f'format = 1\nname = "testbed"\nnodes = {ranks}\nprogress = "in-call"\n\n'
                   f'[mpi]\n{mpi}\n\n[topology]\n{topology}\n\n'
                   f'[[links]]\nclass = "between-nodes"\nfile = "{comm}"\n')
    return path


def executions(hosts, options, *traces):
    """Executes traces in one launch, once to open connections and then once. For each: its path, seconds, the slowest
    rank's seconds in MPI, how late the emulated switch was on average in microseconds (None: no switch), and the path of the trace
    as it was executed, with the lengths that its computation really took. Computation is sleep."""
    printed = on_testbed(hosts, options, SKELETON, "-s", "-c", "-r", "1", "-w", ".executed", *traces)
    late = re.search(r"handed over late: mean (\S+) us", printed)
    late = float(late[1]) if late else None
    return [(path, float(seconds), float(in_mpi), late, path + ".executed")
            for path, seconds, in_mpi in re.findall(r"trace=(\S+) .*median=(\S+) .*in_mpi=(\S+)", printed)]


def predicted(folder, execution, of_ranks, *options):
    """Seconds, and the ends of the 80 % interval."""
    printed = run(MPIETE, "estimate", execution, "--platform", of_ranks, "--total-only", *options, "--format", "csv", folder=folder)
    time = {name: float(value) for name, value in re.findall(r"^(total|p10|p90),.*?,([0-9.]+),s$", printed, re.M)}
    return time["total"], time.get("p10", time["total"]), time.get("p90", time["total"])
