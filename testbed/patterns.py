"""What the ranks of the programs in src/ do, for ideal.py: generators that yield ("send", to, bytes),
("receive", from), ("sleep", seconds) and ("clock",). `clock` gives the time, `receive` whom the message is from."""

import statistics

from ideal import ANY

PLANES = 8


class Experiment:
    """The fields of a RESULT line, as numbers, and one rank's place in them."""

    def __init__(self, fields, rank, pause):
        self.rank, self.ranks, self.pause = rank, int(fields["ranks"]), pause
        self.bytes, self.iterations = int(fields["bytes"]), int(fields.get("iterations", 1))
        self.warm_up = int(fields.get("warm_up", 0))
        self.k, self.messages = int(fields.get("k", 0)), int(fields.get("messages", 1))
        self.answer_bytes = int(fields.get("answer_bytes", 0))

    def send(self, *ranks):
        for rank in ranks:
            yield "send", rank, self.bytes

    def receive(self, *ranks):
        for rank in ranks:
            yield "receive", rank

    def exchange(self, to, source):
        yield from self.send(to)
        yield from self.receive(source)

    def neighbours(self):
        """North, south, west and east in the grid of MPI_Dims_create; None beyond its edges."""
        columns = max(d for d in range(1, self.ranks + 1) if self.ranks % d == 0 and d * d <= self.ranks)
        rows = self.ranks // columns
        row, column = divmod(self.rank, columns)
        return (
            self.rank - columns if row > 0 else None,
            self.rank + columns if row + 1 < rows else None,
            self.rank - 1 if column > 0 else None,
            self.rank + 1 if column + 1 < columns else None,
        )


def pingpong(e, _board):
    if e.rank > 1:
        return None
    trips = []
    for _ in range(e.warm_up + e.iterations):
        start = yield ("clock",)
        if e.rank == 0:
            yield from e.exchange(1, 1)
            trips.append((yield ("clock",)) - start)
        else:
            yield from e.receive(0)
            yield from e.send(0)
    return statistics.median(trips[e.warm_up :]) if e.rank == 0 else None


def incast(e, _board):
    if e.rank == 0:
        yield from e.receive(*(source for source in range(1, e.k + 1) for _ in range(e.messages)))
    elif e.rank <= e.k:
        yield from e.send(*[0] * e.messages)


def outcast(e, _board):
    if e.rank == 0:
        yield from e.send(*(target for _ in range(e.messages) for target in range(1, e.k + 1)))
    elif e.rank <= e.k:
        yield from e.receive(*[0] * e.messages)


def pairs(e, _board, both_ways=False):
    half = e.ranks // 2
    low, high = e.rank < e.k, half <= e.rank < half + e.k
    partner = [e.rank + half if low else e.rank - half] * e.messages
    if low or high and both_ways:
        yield from e.send(*partner)
    if high or low and both_ways:
        yield from e.receive(*partner)


def bidir(e, board):
    return pairs(e, board, both_ways=True)


def ring(e, _board):
    for _ in range(e.iterations):
        yield "sleep", e.pause
        yield from e.exchange((e.rank + 1) % e.ranks, (e.rank - 1) % e.ranks)


def halo(e, _board):
    near = [rank for rank in e.neighbours() if rank is not None]
    for _ in range(e.iterations):
        yield from e.send(*near)
        yield from e.receive(*near)
        yield "sleep", e.pause


def wavefront(e, _board):
    north, south, west, east = e.neighbours()
    forward = (north, west), (south, east)
    for i in range(e.iterations):
        sources, targets = forward if i % 2 == 0 else reversed(forward)
        for _ in range(PLANES):
            yield from e.receive(*(rank for rank in sources if rank is not None))
            yield "sleep", e.pause
            yield from e.send(*(rank for rank in targets if rank is not None))


def exchange_with(e, steps):
    for _ in range(e.iterations):
        yield "sleep", e.pause
        for step in steps:
            yield from e.exchange(e.rank ^ step, e.rank ^ step)


def doubling(e, _board):
    return exchange_with(e, [1 << bit for bit in range(e.ranks.bit_length() - 1)])


def pairxor(e, _board):
    return exchange_with(e, range(1, e.ranks))


def pairwise(e, _board):
    for _ in range(e.iterations):
        yield "sleep", e.pause
        for step in range(1, e.ranks):
            yield from e.exchange((e.rank + step) % e.ranks, (e.rank - step) % e.ranks)


def alltoall(e, _board):
    """MPICH's "scattered", its choice from 256 to 32768 bytes: everything is posted at once."""
    for _ in range(e.iterations):
        yield "sleep", e.pause
        yield from e.send(*((e.rank - step) % e.ranks for step in range(1, e.ranks)))
        yield from e.receive(*((e.rank + step) % e.ranks for step in range(1, e.ranks)))


def weight(task):
    """As in masterworker.c."""
    x = (task * 2654435761 + 12345) & 0xFFFFFFFF
    x ^= x >> 16
    x = x * 0x45D9F3B & 0xFFFFFFFF
    x ^= x >> 16
    return 0.5 + (x % 10000) / 10000


def master(e, board):
    tasks, busy = iter(range(e.iterations)), 0
    for worker in range(1, e.ranks):
        board[worker] = next(tasks, None)
        busy += board[worker] is not None
        yield from e.send(worker)
    while busy > 0:
        worker = yield ("receive", ANY)
        board[worker] = next(tasks, None)
        busy -= board[worker] is None
        yield from e.send(worker)


def dynamic(e, board):
    """A worker's task lies on the board, written when the master sends it."""
    if e.rank == 0:
        yield from master(e, board)
        return
    while True:
        yield from e.receive(0)
        if board[e.rank] is None:
            return
        yield "sleep", e.pause * weight(board[e.rank])
        yield "send", 0, e.answer_bytes


PATTERNS = {
    pattern.__name__: pattern
    for pattern in (
        pingpong, incast, outcast, pairs, bidir, ring, halo, wavefront, doubling, pairxor, pairwise, alltoall, dynamic,
    )
}


def programs(fields, pause):
    """One generator per rank of the experiment of a RESULT line; None where its pattern is not described here."""
    pattern = PATTERNS.get(fields["pattern"])
    if pattern is None:
        return None
    board = {}
    return [pattern(Experiment(fields, rank, pause), board) for rank in range(int(fields["ranks"]))]
