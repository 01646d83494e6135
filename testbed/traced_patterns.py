"""Communication patterns as time-independent traces, which the skeleton program executes."""

import os
import random

from emulated import write_trace


def grid(ranks):
    columns = max(side for side in range(1, ranks + 1) if ranks % side == 0 and side * side <= ranks)
    return ranks // columns, columns


def neighbours(rank, ranks):
    """North, south, west and east; None beyond the edges."""
    rows, columns = grid(ranks)
    row, column = divmod(rank, columns)
    return (rank - columns if row > 0 else None, rank + columns if row < rows - 1 else None,
            rank - 1 if column > 0 else None, rank + 1 if column < columns - 1 else None)


def permutation(ranks, iteration):
    """Where each rank sends: to no rank itself, and the same for all calls."""
    order, to = list(range(ranks)), [0] * ranks
    random.Random(iteration).shuffle(order)
    for place, rank in enumerate(order):
        to[rank] = order[(place + 1) % ranks]
    return to


def events(pattern, rank, ranks, iterations, size, microseconds):
    """The lines of one rank's time-independent trace; a second of computation is 1e9 flops."""
    compute = f"compute {microseconds * 1000}"

    def exchange(to, source):
        return f"sendRecv {size} {to} {size} {source} 6 6"

    north, south, west, east = neighbours(rank, ranks)
    for iteration in range(iterations):
        if pattern == "halo":
            beside = [other for other in (north, south, west, east) if other is not None]
            yield from (f"irecv {other} 0 {size} 6" for other in beside)
            yield from (f"isend {other} 0 {size} 6" for other in beside)
            yield "waitall 0"
            yield compute
        elif pattern == "wavefront":
            sources, targets = ((north, west), (south, east)) if iteration % 2 == 0 else ((south, east), (north, west))
            for _ in range(8):
                yield from (f"recv {other} 0 {size} 6" for other in sources if other is not None)
                yield compute
                yield from (f"send {other} 0 {size} 6" for other in targets if other is not None)
        elif pattern == "farm" and rank == 0:
            # The master gives and takes in the order of ranks.
            yield from (f"send {worker} 0 {size} 6" for worker in range(1, ranks))
            yield from (f"recv {worker} 0 {size} 6" for worker in range(1, ranks))
        elif pattern == "farm":
            yield f"recv 0 0 {size} 6"
            yield compute
            yield f"send 0 0 {size} 6"
        else:
            yield compute
            if pattern == "ring":
                yield exchange((rank + 1) % ranks, (rank + ranks - 1) % ranks)
            elif pattern == "permutation":
                to = permutation(ranks, iteration)
                yield exchange(to[rank], to.index(rank))
            elif pattern == "alltoall":
                yield f"alltoall {size} {size} 6 6"
            elif pattern == "incast" and rank > 0:
                yield f"send 0 0 {size} 6"
            elif pattern == "incast":
                yield from (f"irecv {other} 0 {size} 6" for other in range(1, ranks))
                yield "waitall 0"
            elif pattern == "doubling":
                yield from (exchange(rank ^ 1 << bit, rank ^ 1 << bit) for bit in range(ranks.bit_length() - 1))
            else:
                yield from (exchange(rank ^ other, rank ^ other) for other in range(1, ranks))


def trace(folder, ranks, case):
    path = os.path.join(folder, "trace.ti")
    write_trace(path, (events(case[0], rank, ranks, *case[1:]) for rank in range(ranks)))
    return path
