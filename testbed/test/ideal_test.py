"""The ideal network against times that can be worked out by hand."""

import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from ideal import DATA_PER_FRAME, FRAME_EXTRA, LONGEST_EAGER, PACKET, Network, Simulation  # noqa: E402
from patterns import PATTERNS, programs  # noqa: E402

RATE, LATENCY = 10e6, 100e-6
# Seconds on a link: a full frame, one that carries nothing but a packet, an acknowledgement.
FULL = (DATA_PER_FRAME + FRAME_EXTRA) * 8 / RATE
SMALL = (PACKET + FRAME_EXTRA) * 8 / RATE
ACKNOWLEDGED = FRAME_EXTRA * 8 / RATE


def network(mode="emu", topology="star", hosts=16, latency=LATENCY):
    nanoseconds = round(latency * 1e9)
    return Network(
        f"hosts={hosts} rate_bps={RATE:.0f} topology={topology} uplink_bps={RATE:.0f} mode={mode} latency_ns={nanoseconds}"
        f" uplink_latency_ns={nanoseconds} queue=4000000 burst=2 mtu=1500 tcp=tuned offload=off"
    )


def seconds(pattern, size, on, **more):
    fields = {"pattern": pattern, "ranks": "2", "bytes": str(size), **{key: str(value) for key, value in more.items()}}
    return Simulation(on, programs(fields, 0.0)).time


def bytes_of(frames):
    """The size of a message that fills so many frames."""
    return frames * DATA_PER_FRAME - PACKET


class Emulated(unittest.TestCase):
    def test_a_frame_is_stored_and_forwarded(self):
        self.assertAlmostEqual(2 * FULL + 2 * LATENCY, seconds("pairs", bytes_of(1), network(), k=1))

    def test_frames_follow_one_another(self):
        self.assertAlmostEqual(11 * FULL + 2 * LATENCY, seconds("pairs", bytes_of(10), network(), k=1))

    def test_a_round_trip_is_two_ways(self):
        one_way = 2 * SMALL + 2 * LATENCY
        self.assertAlmostEqual(2 * one_way, seconds("pingpong", 1, network(), iterations=3))

    def test_sixteen_bytes_travel_inside_the_packet(self):
        self.assertEqual(seconds("pingpong", 1, network()), seconds("pingpong", 16, network()))
        self.assertGreater(seconds("pingpong", 17, network()), seconds("pingpong", 16, network()))

    def test_the_receiver_is_the_bottleneck_of_an_incast(self):
        for k in (1, 4, 15):
            expected = (k + 1) * FULL + 2 * LATENCY
            self.assertAlmostEqual(expected, seconds("incast", bytes_of(1), network(), ranks=16, k=k))

    def test_the_sender_is_the_bottleneck_of_an_outcast(self):
        self.assertAlmostEqual(16 * FULL + 2 * LATENCY, seconds("outcast", bytes_of(1), network(), ranks=16, k=15))

    def test_rendezvous_asks_first(self):
        """A request and a grant: one small frame each way."""
        eager = seconds("pairs", LONGEST_EAGER, network(), k=1)
        asked = seconds("pairs", LONGEST_EAGER + 1, network(), k=1)
        one_byte = 8 / RATE
        self.assertAlmostEqual(2 * (2 * SMALL + 2 * LATENCY) + one_byte, asked - eager, delta=2 * one_byte)

    def test_acknowledgements_wait_behind_data(self):
        """So traffic both ways takes as long as one way, unless it is answered."""
        one_way = seconds("pairs", bytes_of(40), network(), k=1)
        self.assertAlmostEqual(one_way, seconds("bidir", bytes_of(40), network(), k=1))

    def test_an_answer_waits_for_the_acknowledgement_of_its_question(self):
        """The last of an even number of frames is acknowledged before the answer begins."""
        trip = seconds("pingpong", bytes_of(2), network(), iterations=1)
        self.assertAlmostEqual(2 * (3 * FULL + 2 * LATENCY) + ACKNOWLEDGED, trip)


class Shaped(unittest.TestCase):
    """Mode kernel: a bucket of two full frames."""

    def test_a_full_bucket_passes_at_once(self):
        self.assertEqual(0, seconds("pairs", bytes_of(2), network("kernel", latency=0), k=1))

    def test_then_it_keeps_the_rate(self):
        self.assertAlmostEqual(80 * FULL, seconds("pairs", bytes_of(82), network("kernel", latency=0), k=1))

    def test_many_round_trips_are_bound_by_the_rate(self):
        steady = seconds("pingpong", 1, network("kernel", latency=0), warm_up=30, iterations=10)
        self.assertAlmostEqual(SMALL, steady)


class Shapes(unittest.TestCase):
    def test_lengths_of_routes(self):
        for topology, expected in (("star", 2), ("tree:4", 4), ("chain:4", 5)):
            with self.subTest(topology=topology):
                self.assertEqual(expected, len(network(topology=topology).route(0, 15)))
                self.assertEqual(2, len(network(topology=topology).route(0, 1)))

    def test_a_shared_uplink_is_the_bottleneck(self):
        """8 of 16 hosts send one frame each over the one link between two switches."""
        expected = (8 + 2) * FULL + 3 * LATENCY
        self.assertAlmostEqual(expected, seconds("pairs", bytes_of(1), network(topology="chain:2"), ranks=16, k=8))


class Programs(unittest.TestCase):
    def test_every_pattern_comes_to_its_end(self):
        for pattern in PATTERNS:
            with self.subTest(pattern=pattern):
                time = seconds(pattern, 1000, network(), ranks=8, k=3, iterations=4, answer_bytes=10)
                self.assertGreater(time, 0)

    def test_a_message_that_nobody_sends_is_told(self):
        with self.assertRaisesRegex(RuntimeError, r"ranks \[1\] wait"):
            Simulation(network(), [iter_of(), iter_of(("receive", 0))])


def iter_of(*operations):
    yield from operations


if __name__ == "__main__":
    unittest.main()
