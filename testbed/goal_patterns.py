#!/usr/bin/env python3
"""Writes nine communication patterns as GOAL schedules: goal_patterns.py FOLDER [SCALE].

Each has about 200,000 operations at scale 1. docs/results/loggopsim.md compares `mpiete estimate --total-only`
with LogGOPSim on them. The same arguments give the same bytes."""

import os
import random
import sys


class Rank:
    """One rank's operations; each requires the one before it unless told otherwise."""

    def __init__(self):
        self.lines = []
        self.count = 0
        self.last = []

    def add(self, operation, after=None):
        self.count += 1
        label = f"l{self.count}"
        self.lines.append(f"{label}: {operation}")
        self.lines += [f"{label} requires {earlier}" for earlier in (self.last if after is None else after)]
        return label

    def calc(self, nanoseconds):
        self.last = [self.add(f"calc {nanoseconds}")]

    def send(self, size, to, tag=0):
        self.last = [self.add(f"send {size}b to {to} tag {tag}")]

    def receive(self, size, source, tag=0):
        self.last = [self.add(f"recv {size}b from {source} tag {tag}")]

    def together(self, operations):
        """Starts operations at the same time; what follows requires all of them."""
        before = self.last
        self.last = [self.add(operation, before) for operation in operations]


def halo(ranks, scale, side=32):
    """Four neighbours on a torus, sends and receives started together, then computation."""
    for _ in range(22 * scale):
        for row in range(side):
            for column in range(side):
                own = ranks[row * side + column]
                beside = [
                    (row - 1) % side * side + column,
                    (row + 1) % side * side + column,
                    row * side + (column - 1) % side,
                    row * side + (column + 1) % side,
                ]
                own.together(
                    [f"recv 4096b from {other} tag 1" for other in beside]
                    + [f"send 4096b to {other} tag 1" for other in beside]
                )
                own.calc(20000)


def wavefront(ranks, scale, side=32):
    """Each rank waits for those above and left of it and goes on to those below and right of it."""
    for _ in range(40 * scale):
        for row in range(side):
            for column in range(side):
                own = ranks[row * side + column]
                if row > 0:
                    own.receive(1320, (row - 1) * side + column, 10)
                if column > 0:
                    own.receive(1320, row * side + column - 1, 11)
                own.calc(15000)
                if row + 1 < side:
                    own.send(1320, (row + 1) * side + column, 10)
                if column + 1 < side:
                    own.send(1320, row * side + column + 1, 11)


def alltoall(ranks, scale):
    """A linear all-to-all: every rank sends to every other one."""
    count = len(ranks)
    for _ in range(25 * scale):
        for number, own in enumerate(ranks):
            others = [(number + step) % count for step in range(1, count)]
            own.together([f"recv 64b from {other} tag 2" for other in others])
            received = own.last
            own.last = []
            own.together([f"send 64b to {other} tag 2" for other in others])
            own.last = received + own.last
            own.calc(1000)


def broadcast(ranks, scale):
    """A binomial tree from a root that changes."""
    count = len(ranks)
    for turn in range(65 * scale):
        root = turn * 7 % count
        for place in range(count):
            own = ranks[(place + root) % count]
            bit = 1
            while bit < count and not place & bit:
                bit *= 2
            if place:
                own.receive(8192, (place - bit + root) % count, 3)
            bit //= 2
            while bit:
                if place + bit < count:
                    own.send(8192, (place + bit + root) % count, 3)
                bit //= 2
            own.calc(3000)


def allreduce(ranks, scale):
    """Recursive doubling."""
    for _ in range(6 * scale):
        bit = 1
        while bit < len(ranks):
            for number, own in enumerate(ranks):
                other = number ^ bit
                own.together([f"recv 1024b from {other} tag 4", f"send 1024b to {other} tag 4"])
                own.calc(250)
            bit *= 2


def barrier(ranks, scale):
    """Dissemination: round k with the rank 2 ** k further on."""
    count = len(ranks)
    for _ in range(9 * scale):
        step = 1
        while step < count:
            for number, own in enumerate(ranks):
                own.together(
                    [f"send 1b to {(number + step) % count} tag 5", f"recv 1b from {(number - step) % count} tag 5"]
                )
            step *= 2
        for number, own in enumerate(ranks):
            own.calc(10000 + number % 13 * 100)


def ring(ranks, scale):
    """A pipeline: segments go from rank to rank."""
    last = len(ranks) - 1
    for _ in range(260 * scale):
        for number, own in enumerate(ranks):
            if number > 0:
                own.receive(16384, number - 1, 6)
            own.calc(2000)
            if number < last:
                own.send(16384, number + 1, 6)


def master(ranks, scale):
    """Workers send results to rank 0, which answers each with new work."""
    workers = range(1, len(ranks))
    for turn in range(8 * scale):
        for worker in workers:
            ranks[worker].calc(100000 + worker * 37 % 1000 + turn)
            ranks[worker].send(64, 0, 7)
            ranks[worker].receive(1024, 0, 8)
        for worker in workers:
            ranks[0].receive(64, worker, 7)
            ranks[0].send(1024, worker, 8)


def pairs(ranks, scale):
    """Random pairs exchange messages of random length."""
    random.seed(4)
    count = len(ranks)
    for _ in range(65 * scale):
        order = list(range(count))
        random.shuffle(order)
        for place in range(0, count, 2):
            size = random.choice([8, 64, 512, 4096, 32768])
            for one, other in ((order[place], order[place + 1]), (order[place + 1], order[place])):
                ranks[one].together([f"recv {size}b from {other} tag 9", f"send {size}b to {other} tag 9"])
                ranks[one].calc(random.randrange(1000, 5000))


# Ranks of each pattern.
PATTERNS = {
    halo: 1024,
    wavefront: 1024,
    alltoall: 64,
    broadcast: 1024,
    allreduce: 1024,
    barrier: 1024,
    ring: 256,
    master: 8192,
    pairs: 1024,
}


def main():
    folder, scale = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1
    os.makedirs(folder, exist_ok=True)
    for pattern, count in PATTERNS.items():
        ranks = [Rank() for _ in range(count)]
        pattern(ranks, scale)
        with open(os.path.join(folder, pattern.__name__ + ".goal"), "w") as file:
            file.write(f"num_ranks {count}\n")
            for number, rank in enumerate(ranks):
                file.write(f"rank {number} {{\n" + "\n".join(rank.lines) + "\n}\n")


if __name__ == "__main__":
    main()
