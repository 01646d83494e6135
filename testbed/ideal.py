"""An ideal network under the ranks of a program, frame by frame: FIFO links, nothing lost, one TCP acknowledgement
for every two frames of data, behind what waits in its host already; software that takes no time.

Mode emu: links store and forward, with a latency. Mode kernel: the token buckets of tc, which pass BURST full
frames at once and have no time of transmission otherwise. What the programs do is in patterns.py."""

import collections
import heapq
import itertools
import random

# Bytes. A frame on the wire: data, 20 IP, 20 TCP, 12 time stamp, 14 Ethernet, 24 preamble, check sequence and gap.
DATA_PER_FRAME = 1448
FRAME_EXTRA = 90
# Of MPICH's ch3:sock, counted on the emulator's links: what leads every message, how much data travels inside that,
# and the longest message that is sent without asking.
PACKET = 80
DATA_IN_PACKET = 16
LONGEST_EAGER = 131040

ANY = None
TRUNK, HOST = "trunk", "host"


class Network:
    """The network that a line CONFIG describes."""

    def __init__(self, config):
        c = dict(field.split("=", 1) for field in config.split())
        self.config = c
        self.hosts, self.stores = int(c["hosts"]), c["mode"] == "emu"
        self.shape, _, leaves = c["topology"].partition(":")
        self.leaf = [host * int(leaves or 1) // self.hosts for host in range(self.hosts)]
        self.seconds_per_byte = {HOST: 8 / float(c["rate_bps"]), TRUNK: 8 / float(c["uplink_bps"])}
        self.latency = {HOST: float(c["latency_ns"]) * 1e-9, TRUNK: float(c["uplink_latency_ns"]) * 1e-9}
        bucket = int(c["burst"]) * (int(c["mtu"]) + 38)
        self.credit = {kind: bucket * time for kind, time in self.seconds_per_byte.items()}

    def route(self, a, b):
        """The links from host to host; each is (kind, from, to)."""
        here, there = self.leaf[a], self.leaf[b]
        switches = [here, there]
        if self.shape == "tree" and here != there:
            switches = [here, "root", there]
        elif self.shape == "chain":
            step = 1 if there >= here else -1
            switches = list(range(here, there + step, step))
        trunks = [(TRUNK, s, t) for s, t in itertools.pairwise(switches) if s != t]
        return [(HOST, a, "up"), *trunks, (HOST, b, "down")]

    def leave(self, link, size, now, free):
        """When a frame that reaches a link now has left it, and the link's new state."""
        kind = link[0]
        taken = size * self.seconds_per_byte[kind]
        if self.stores:
            free = max(now, free) + taken
            return free, free
        # The state of a bucket is when it would be full, less what it holds then.
        free = max(free, now - self.credit[kind]) + taken
        return max(now, free), free


Message = collections.namedtuple("Message", "source target size stage")
Frame = collections.namedtuple("Frame", "wire_bytes source target completes")
EAGER, REQUEST, GRANT, DATA, ACKNOWLEDGEMENT = "eager", "request", "grant", "data", "acknowledgement"


class Simulation:
    """Runs the ranks' programs, generators as in patterns.py, to their ends. `time`: the result of the program that
    returns one, otherwise when the last rank ended, in seconds."""

    def __init__(self, network, programs, send_cost=0.0, receive_cost=0.0, jitter=0.0, seed=0):
        self.network, self.programs = network, programs
        self.send_cost, self.receive_cost, self.jitter = send_cost, receive_cost, jitter
        self.random = random.Random(seed)
        self.now, self.queue, self.order = 0.0, [], itertools.count()
        self.free = collections.defaultdict(lambda: -1e9)
        self.routes, self.unacknowledged = {}, collections.Counter()
        ranks = len(programs)
        self.inbox, self.wanted, self.ended = [[] for _ in range(ranks)], [False] * ranks, [None] * ranks
        self.result = None
        for rank in range(ranks):
            self.at(0.0, self.step, rank, None)
        self.run()
        waiting = [rank for rank in range(ranks) if self.ended[rank] is None]
        if waiting:
            raise RuntimeError(f"ranks {waiting} wait for messages that nobody sends")
        self.time = max(self.ended) if self.result is None else self.result

    def run(self):
        while self.queue:
            self.now, _, action, arguments = heapq.heappop(self.queue)
            action(*arguments)

    def at(self, time, action, *arguments):
        heapq.heappush(self.queue, (time, next(self.order), action, arguments))

    def after(self, cost, action, *arguments):
        more = self.random.expovariate(1 / self.jitter) if self.jitter else 0.0
        self.at(self.now + cost + more, action, *arguments)

    # --- frames
    def hop(self, frame, position):
        ends = frame.source, frame.target
        if ends not in self.routes:
            self.routes[ends] = self.network.route(*ends)
        route = self.routes[ends]
        link = route[position]
        left, self.free[link] = self.network.leave(link, frame.wire_bytes, self.now, self.free[link])
        there = left + self.network.latency[link[0]]
        if position + 1 < len(route):
            self.at(there, self.hop, frame, position + 1)
        else:
            self.at(there, self.arrive, frame)

    def arrive(self, frame):
        if frame.completes is ACKNOWLEDGEMENT:
            return
        pair = frame.source, frame.target
        self.unacknowledged[pair] += frame.wire_bytes == DATA_PER_FRAME + FRAME_EXTRA
        if self.unacknowledged[pair] == 2:
            self.unacknowledged[pair] = 0
            self.hop(Frame(FRAME_EXTRA, frame.target, frame.source, ACKNOWLEDGEMENT), 0)
        if frame.completes is not None:
            self.complete(frame.completes)

    def transmit(self, message):
        travels_beside = message.stage == DATA or message.stage == EAGER and message.size > DATA_IN_PACKET
        left = PACKET + (message.size if travels_beside else 0)
        while left > 0:
            part = min(left, DATA_PER_FRAME)
            left -= part
            completes = message if left == 0 else None
            self.hop(Frame(part + FRAME_EXTRA, message.source, message.target, completes), 0)

    # --- messages
    def complete(self, message):
        if message.stage == GRANT:
            self.transmit(message._replace(source=message.target, target=message.source, stage=DATA))
            return
        self.inbox[message.target].append(message)
        self.receive(message.target)

    def receive(self, rank):
        wanted = self.wanted[rank]
        for message in self.inbox[rank] if wanted else ():
            if wanted[0] not in (ANY, message.source) or wanted[1] not in (ANY, message.stage):
                continue
            self.inbox[rank].remove(message)
            if message.stage == REQUEST:
                self.wanted[rank] = (message.source, DATA)
                self.transmit(message._replace(source=rank, target=message.source, stage=GRANT))
            else:
                self.wanted[rank] = False
                self.after(self.receive_cost, self.step, rank, message.source)
            return

    # --- ranks
    def step(self, rank, value):
        try:
            operation, *arguments = self.programs[rank].send(value)
        except StopIteration as end:
            self.ended[rank] = self.now
            self.result = end.value if end.value is not None else self.result
            return
        getattr(self, "do_" + operation)(rank, *arguments)

    def do_sleep(self, rank, seconds):
        self.after(seconds, self.step, rank, None)

    def do_clock(self, rank):
        self.step(rank, self.now)

    def do_receive(self, rank, source):
        self.wanted[rank] = (source, ANY)
        self.receive(rank)

    def do_send(self, rank, target, size):
        stage = EAGER if size <= LONGEST_EAGER else REQUEST
        self.after(self.send_cost, self.sent, Message(rank, target, size, stage))

    def sent(self, message):
        self.transmit(message)
        self.step(message.source, None)
