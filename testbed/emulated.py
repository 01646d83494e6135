"""What the scripts have in common that compare runs on the emulated network with predictions."""

import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
MPIETE = os.environ.get("MPIETE", os.path.join(ROOT, "target", "release", "mpiete"))
MPICH = os.environ.get("MPICH_SOCK", "/opt/mpich-sock")
NETWORK = ["--rate", "10mbit", "--mode", "emu", "--latency", "100us"]


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


def probe(folder, longest):
    """The path of the network probe's output on four hosts, with messages up to so many bytes."""
    run(MPIETE, "calibrate", "--write-probe", os.path.join(folder, "probe"), "--largest", str(longest))
    run("make", "-s", "-C", os.path.join(folder, "probe"), "comm_probe", f"MPIFC={MPICH}/bin/mpif90")
    printed = on_testbed(4, [], os.path.join(folder, "probe", "comm_probe"), "between-nodes")
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
