"""What a user of the testbed meets: options, exit statuses, hosts, skipping; and the naps of polling ranks."""

import os
import select
import socket
import subprocess
import sys
import time
import unittest

from traces import NEEDS_ROOT, program, run, script

ROOT_ONLY = unittest.skipUnless(os.geteuid() == 0, NEEDS_ROOT)


class Options(unittest.TestCase):
    """Exit status 2 and one sentence that says what was found and what is expected."""

    WRONG = {
        "": "no command",
        "--speed 1 true": "there is no option --speed",
        "--hosts": "--hosts needs a value",
        "--hosts 0 true": "found --hosts 0, expected 1 to 128",
        "--hosts many true": "found --hosts many, expected 1 to 128",
        "--rate fast true": "found the rate 'fast'",
        "--rate 0mbit true": "found the rate '0mbit'",
        "--latency 100us true": "a latency needs --mode emu",
        "--mode emu --latency soon true": "found the time 'soon'",
        "--mode magic true": "found --mode magic, expected one of: kernel emu",
        "--topology torus true": "found --topology torus, expected one of: star chain tree",
        "--topology chain:0 true": "found --topology 0, expected 1 to 60",
        "--topology star:2 true": "found --topology 2, expected 1 to 1",
        "--mode emu --offload on true": "--mode emu needs --offload off",
        "--burst 0 true": "found --burst 0",
    }

    def test_wrong_options(self):
        for options, sentence in self.WRONG.items():
            with self.subTest(options=options):
                status, said = run([script("with"), *options.split()])
                self.assertEqual(2, status)
                self.assertTrue(said.startswith("with: " + sentence), said)
                self.assertEqual(1, said.count("\n"), said)

    def test_help_lists_all_options(self):
        status, said = run([script("with"), "--help"])
        self.assertEqual(0, status)
        for option in ("--hosts", "--rate", "--topology", "--mode", "--latency", "--queue", "--tcp"):
            self.assertIn(option + " ", said)

    def test_run_outside_a_testbed(self):
        status, said = run([script("run"), "true"])
        self.assertEqual((2, 1), (status, said.count("\n")))
        self.assertIn("not inside a testbed", said)


@ROOT_ONLY
class Skipped(unittest.TestCase):
    """`make testbed` where it cannot work: one line, exit status 0."""

    def check(self, setpriv_options, why):
        status, said = run(["setpriv", *setpriv_options, script("figures")])
        self.assertEqual((0, f"testbed: skipped: {why}\n"), (status, said))

    def test_without_root(self):
        self.check(["--reuid", "65534", "--clear-groups"], "it needs root to make network namespaces")

    def test_without_namespaces(self):
        self.check(["--bounding-set", "-sys_admin"], "this machine does not permit namespaces")


@ROOT_ONLY
class Runs(unittest.TestCase):
    def test_the_exit_status_is_the_commands(self):
        for status in (0, 7):
            self.assertEqual(status, run([script("with"), "--hosts", "1", "sh", "-c", f"exit {status}"])[0])
        self.assertEqual(128 + 9, run([program("contain"), "sh", "-c", "kill -9 $$"])[0])
        self.assertEqual(127, run([program("contain"), "no-such-program"])[0])

    def test_every_shape_carries_a_program(self):
        for network in (
            "--hosts 5",
            "--hosts 4 --topology chain:3 --uplink 20mbit",
            "--hosts 4 --topology tree:2 --tcp default",
            "--hosts 3 --mode emu",
            "--hosts 4 --mode emu --topology tree:2 --latency 200us --uplink-latency 1ms",
            "--hosts 4 --mode emu --topology chain:4 --mtu 9000 --rate 1gbit",
        ):
            with self.subTest(network=network):
                status, said = run([script("with"), *network.split(), script("run"), program("fortran_check")])
                last = int(network.split()[1]) - 1
                self.assertEqual(0, status, said)
                self.assertIn(f"fortran_check: fine, rank {last} runs on h{last}\n", said)

    def test_ranks_per_host_and_their_environment(self):
        words = [script("run"), "-q", "-p", "2", "-n", "3", "-e", "COLOUR=light blue", "-e", "LD_PRELOAD=libm.so.6"]
        print_them = 'echo "$(hostname) $COLOUR $LD_PRELOAD"'
        status, said = run([script("with"), "--hosts", "2", *words, "sh", "-c", print_them])
        seen = sorted(said.splitlines())
        preloaded = f"light blue libm.so.6:{program('libnap.so')}"
        self.assertEqual((0, [f"h0 {preloaded}"] * 2 + [f"h1 {preloaded}"]), (status, seen))

    def test_wrong_options_of_run(self):
        for options, sentence in {
            "-n 3 true": "3 ranks do not fit on 2 hosts with 1 each",
            "-n many true": "found many, expected a whole number from 1 on",
            "-t 0 true": "found 0, expected a whole number from 1 on",
            "-e COLOUR true": "found -e COLOUR, expected NAME=VALUE",
            "": "no program",
        }.items():
            with self.subTest(options=options):
                status, said = run([script("with"), "--hosts", "2", script("run"), *options.split()])
                self.assertEqual(2, status)
                self.assertIn(f"run: {sentence}", said)

    def test_a_failing_rank_is_told(self):
        self.assertEqual(3, run([script("with"), "--hosts", "2", script("run"), "-q", "sh", "-c", "exit 3"])[0])


@unittest.skipUnless(os.path.exists(program("libnap.so")), "the programs are not built")
class Naps(unittest.TestCase):
    """Run under libnap.so with naps of 5 ms: how long do so many polls take?"""

    NAP = 0.005

    def seconds(self, statement):
        code = f"import sys; sys.path.insert(0, {os.path.dirname(os.path.abspath(__file__))!r}); import use_test as t; {statement}"
        more = {"LD_PRELOAD": program("libnap.so"), "NAP_US": "5000"}
        done = subprocess.run([sys.executable, "-c", code], env={**os.environ, **more}, capture_output=True, text=True, check=True)
        return float(done.stdout)

    def test_polls_in_vain_nap(self):
        self.assertGreater(self.seconds("t.poll_in_vain(40, 0)"), 5 * self.NAP)

    def test_data_end_a_nap(self):
        self.assertLess(self.seconds("t.poll_with_data(1000)"), 100 * self.NAP)

    def test_polls_between_computing_do_not_nap(self):
        self.assertLess(self.seconds("t.poll_in_vain(200, 200e-6)"), 100 * self.NAP)


def timed(count, poll, computing):
    begin = time.monotonic()
    for _ in range(count):
        poll.poll(0)
        until = time.monotonic() + computing
        while time.monotonic() < until:
            pass
    print(time.monotonic() - begin)


def poll_in_vain(count, computing):
    one, other = socket.socketpair()
    poll = select.poll()
    poll.register(one, select.POLLIN)
    timed(count, poll, computing)
    other.close()


def poll_with_data(count):
    one, other = socket.socketpair()
    other.send(b"x")
    poll = select.poll()
    poll.register(one, select.POLLIN)
    timed(count, poll, 0)


if __name__ == "__main__":
    unittest.main()
