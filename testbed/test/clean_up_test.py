"""Whatever ends a command of the testbed, at whichever moment, nothing of it is left: no process, namespace, mount,
interface, file of state or control group. Moments are lines of the scripts' traces, so they are the same every time."""

import os
import select
import signal
import tempfile
import unittest

from traces import NEEDS_ROOT, TESTBED, Command, machine, processes, program, script

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL)
# bash scripts print what they execute.
TRACED = {"SHELLOPTS": "xtrace"}
WAITING = ["sh", "-c", "echo here; exec sleep 1000"]


@unittest.skipUnless(os.geteuid() == 0, NEEDS_ROOT)
class Interrupted(unittest.TestCase):
    def setUp(self):
        self.before = machine()

    def nothing_is_left(self, command):
        # The end of the output says that all have ended that could write; they may not all be reaped yet.
        left = processes()
        for number in left:
            try:
                watched = os.pidfd_open(number)
            except ProcessLookupError:
                continue
            ended = bool(select.select([watched], [], [], 10)[0])
            os.close(watched)
            self.assertTrue(ended, f"process {number} is left of {command.process.args}")
        self.assertEqual(self.before, machine())

    def interrupt(self, words, moment, how, times=1, **more):
        with self.subTest(moment=moment, how=how.name):
            command = Command(words, **more)
            command.await_text(moment, times)
            command.stop(how, as_terminals_do=how == signal.SIGINT)
            self.assertEqual(-how, command.finish(), command.shown())
            self.nothing_is_left(command)

    def test_while_the_network_is_built(self):
        words = [script("with"), "--hosts", "4", "sleep", "1000"]
        for moment in ("+ exec ", "+ mount -n", "+ ip netns add switches", "+ make_host 2", "+ make_bridges", "+ check_hosts"):
            for how in SIGNALS:
                self.interrupt(words, moment, how, **TRACED)

    def test_while_the_emulator_is_started(self):
        words = [script("with"), "--mode", "emu", "--hosts", "4", "--topology", "tree:2", "sleep", "1000"]
        for moment in ("+ start_emulator", "+ read -r said", "+ check_hosts"):
            for how in SIGNALS:
                self.interrupt(words, moment, how, **TRACED)

    def test_while_ranks_run(self):
        for mode in ("kernel", "emu"):
            words = [script("with"), "--mode", mode, "--hosts", "4", script("run"), *WAITING]
            for how in SIGNALS:
                self.interrupt(words, "here", how, times=4)

    def test_a_run_ends_alone(self):
        """Inside a testbed that stays, a run that is stopped leaves nobody either, and another one can begin."""
        inside = """
            "$0" -n 2 sh -c 'echo here; exec sleep 1000' > /run/output &
            until [ "$(grep -c here /run/output)" = 2 ]; do kill -0 $! || exit 9; done
            kill -s "$1" $!; wait $!
            while pgrep sleep; do :; done # after SIGKILL the kernel ends them, and may take a moment
            until "$0" -q -n 2 echo again; do :; done"""
        for how in ("TERM", "HUP", "INT", "KILL"):
            with self.subTest(how=how):
                command = Command([script("with"), "--hosts", "2", "bash", "-c", inside, script("run"), how])
                self.assertEqual(0, command.finish(), command.shown())
                self.assertEqual(2, command.text.count(b"again"), command.shown())
                self.nothing_is_left(command)

    def test_make_testbed(self):
        with tempfile.TemporaryDirectory() as results:
            more = {"RESULTS": results, "LAUNCHES": "1", **TRACED}
            words = ["make", "-s", "-C", os.path.dirname(TESTBED), "testbed"]
            for moment in ("testbed: measuring kernel-10mbit", "+ make_host 7", "launch report"):
                for how in SIGNALS:
                    self.interrupt_make(words, moment, how, more)

    def interrupt_make(self, words, moment, how, more):
        """Make itself may turn a signal into its own exit status 2."""
        with self.subTest(words="make testbed", moment=moment, how=how.name):
            command = Command(words, **more)
            command.await_text(moment)
            command.stop(how, as_terminals_do=True)
            self.assertIn(command.finish(), (-how, 2), command.shown())
            self.nothing_is_left(command)

    def test_a_step_fails(self):
        with tempfile.TemporaryDirectory() as folder:
            broken = os.path.join(folder, "tc")
            with open(broken, "w", encoding="utf-8") as file:
                file.write("#!/bin/sh\nexit 1\n")
            os.chmod(broken, 0o755)
            command = Command([script("with"), "--hosts", "2", "true"], PATH=folder + ":" + os.environ["PATH"])
            self.assertEqual(1, command.finish(), command.shown())
            self.assertIn("building the testbed failed", command.shown())
            self.nothing_is_left(command)

    def test_the_time_limit_of_a_run(self):
        command = Command([script("with"), "--hosts", "2", script("run"), "-t", "1", *WAITING])
        self.assertEqual(124, command.finish(), command.shown())
        self.nothing_is_left(command)

    def test_nobody_reads_the_output(self):
        command = Command([script("with"), "--hosts", "2", script("run"), "-n", "1", "yes"])
        command.await_text("y")
        command.process.stdout.close()
        self.assertNotEqual(0, command.process.wait(timeout=60))
        self.nothing_is_left(command)

    def test_orphans_of_the_command(self):
        command = Command([program("contain"), "sh", "-c", "setsid sleep 1000 & exit 5"])
        self.assertEqual(5, command.finish())
        self.nothing_is_left(command)


if __name__ == "__main__":
    unittest.main()
