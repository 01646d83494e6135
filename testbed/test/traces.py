"""Starting commands of the testbed, interrupting them at a line of their output, and finding what is left of them."""

import os
import select
import signal
import subprocess
import time

TESTBED = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.environ.get("TESTBED_BUILD", os.path.join(os.path.dirname(TESTBED), "target", "testbed"))
MARK = f"TESTBED_TEST_OF={os.getpid()}"
# Seconds in which a command has to come to the awaited line, or to its end; far more than it takes, also beside other work.
PATIENCE = 600
# Where `network` mounts something in its own namespace. Other programs mount elsewhere at any time: `perf` mounts tracefs.
MOUNT_POINTS = ("/run", "/etc/hosts")
NEEDS_ROOT = "needs root: it makes namespaces"


def script(name):
    return os.path.join(TESTBED, name)


def program(name):
    return os.path.join(BUILD, name)


def environment(**more):
    name, value = MARK.split("=")
    return {**os.environ, name: value, **more}


def processes():
    """Numbers of the processes that carry our mark, wherever in the tree of namespaces they live."""
    found = []
    for number in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{number}/environ", "rb") as file:
                marked = MARK.encode() in file.read().split(b"\0")
        except OSError:  # it has just ended
            continue
        if marked and int(number) != os.getpid():
            found.append(int(number))
    return found


def content(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def own_mounts():
    """Lines of /proc/self/mounts that a testbed could have added."""
    lines = content("/proc/self/mounts").splitlines()
    return [line for line in lines if line.split()[1] in MOUNT_POINTS]


def machine():
    """What a testbed could have changed outside its own namespaces."""
    cgroups = sorted(folder for folder, _, _ in os.walk("/sys/fs/cgroup"))
    run = sorted(os.path.join(folder, name) for folder, _, names in os.walk("/run") for name in names)
    run_folders = sorted(folder for folder, _, _ in os.walk("/run"))
    return {
        "mounts": own_mounts(),
        "interfaces": sorted(os.listdir("/sys/class/net")),
        "files in /run": run,
        "folders in /run": run_folders,
        "/etc/hosts": content("/etc/hosts"),
        "host name": os.uname().nodename,
        "cgroups": cgroups,
    }


class Command:
    """A started command; its standard output and standard error come in one stream."""

    def __init__(self, words, **more):
        # A session of its own, so that a signal to the group is what Ctrl-C is.
        self.process = subprocess.Popen(
            words, env=environment(**more), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        self.text, self.deadline = b"", time.monotonic() + PATIENCE

    def read(self):
        """More output; b"" once every process that could write has ended."""
        stream = self.process.stdout.fileno()
        if not select.select([stream], [], [], max(0, self.deadline - time.monotonic()))[0]:
            os.killpg(self.process.pid, signal.SIGKILL)
            raise TimeoutError(f"{self.process.args} said nothing more after:\n{self.shown()}")
        more = os.read(stream, 65536)
        self.text += more
        return more

    def await_text(self, text, times=1):
        while self.text.count(text.encode()) < times:
            if not self.read():
                raise AssertionError(f"{self.process.args} ended before it said {text!r}:\n{self.shown()}")

    def finish(self):
        """Exit status, after the output's end."""
        while self.read():
            pass
        self.process.stdout.close()
        return self.process.wait()

    def stop(self, how, as_terminals_do):
        """SIGINT and SIGHUP, as terminals send them, go to the whole group; else signals go to the process alone."""
        if as_terminals_do and how in (signal.SIGINT, signal.SIGHUP):
            os.killpg(self.process.pid, how)
        else:
            self.process.send_signal(how)

    def shown(self):
        return self.text.decode(errors="replace")[-2000:]


def run(words, **more):
    """Exit status and output of a command that ends by itself."""
    command = Command(words, **more)
    status = command.finish()
    return status, command.text.decode()
