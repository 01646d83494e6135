//! LogGOPS by LogGOPSim's rules, as plainly as they can be written: one queue of events in the order of
//! time, operations with dependencies, lists searched from the front. Slow, and independent of the
//! replay: it knows neither steps nor channels.
//!
//! Equal times: first what was caused earlier, then by the rank that caused it, its messages before its
//! own next operation. (LogGOPSim numbers events as it creates them: the same, except among events that
//! were caused at one time by several ranks.)

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// What a rank does, times in nanoseconds.
#[derive(Clone, Debug)]
pub enum Action {
    Work(i64),
    Send { to: u32, bytes: i64 },
    Receive { from: u32, bytes: i64 },
    StartSend { to: u32, bytes: i64, request: u32 },
    StartReceive { from: u32, bytes: i64, request: u32 },
    Wait(Vec<u32>),
}

/// Nanoseconds, per byte where they are, and bytes.
#[derive(Clone, Copy, Debug)]
pub struct Parameters {
    pub latency: i64,
    pub overhead: i64,
    pub overhead_per_byte: i64,
    pub gap: i64,
    pub gap_per_byte: i64,
    pub longest_eager: i64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum OperationKind {
    Work(i64),
    Send { to: usize, bytes: i64 },
    Receive { from: usize },
}

struct Operation {
    kind: OperationKind,
    /// How many operations must have finished, or started, before.
    missing: usize,
    after_start: Vec<usize>,
    after_end: Vec<usize>,
}

/// The operations of a rank: a blocking call must finish before the next begins, a started one must
/// have started; a wait is work of no time that needs its requests. The last is the end of the rank.
fn operations(actions: &[Action]) -> Vec<Operation> {
    let mut all: Vec<Operation> = Vec::new();
    let mut requests = BTreeMap::new();
    let mut before: Option<(usize, bool)> = None;
    let end = [Action::Work(0)];
    for action in actions.iter().chain(&end) {
        let (kind, started) = match action {
            Action::Work(time) => (OperationKind::Work(*time), None),
            Action::Send { to, bytes } => (
                OperationKind::Send {
                    to: *to as usize,
                    bytes: *bytes,
                },
                None,
            ),
            Action::Receive { from, .. } => (
                OperationKind::Receive {
                    from: *from as usize,
                },
                None,
            ),
            Action::StartSend { to, bytes, request } => (
                OperationKind::Send {
                    to: *to as usize,
                    bytes: *bytes,
                },
                Some(*request),
            ),
            Action::StartReceive { from, request, .. } => (
                OperationKind::Receive {
                    from: *from as usize,
                },
                Some(*request),
            ),
            Action::Wait(_) => (OperationKind::Work(0), None),
        };
        let own = all.len();
        let mut needs: Vec<(usize, bool)> = before.into_iter().collect();
        if let Action::Wait(waited) = action {
            needs.extend(waited.iter().map(|request| (requests[request], true)));
        }
        all.push(Operation {
            kind,
            missing: needs.len(),
            after_start: Vec::new(),
            after_end: Vec::new(),
        });
        for (needed, finished) in needs {
            let list = if finished {
                &mut all[needed].after_end
            } else {
                &mut all[needed].after_start
            };
            list.push(own);
        }
        if let Some(request) = started {
            requests.insert(request, own);
        }
        before = Some((own, started.is_none()));
    }
    all
}

/// Time, cause (time, rank, own), number of creation: the order of events.
type Key = (i64, (i64, usize, bool), u64);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Operation {
        rank: usize,
        index: usize,
    },
    Message {
        from: usize,
        index: usize,
        to: usize,
        bytes: i64,
    },
}

struct Simulation {
    parameters: Parameters,
    ranks: Vec<Vec<Operation>>,
    queue: BinaryHeap<Reverse<(Key, Event)>>,
    created: u64,
    processor: Vec<i64>,
    sending: Vec<i64>,
    receiving: Vec<i64>,
    /// Receives without message and messages without receive by receiver: partner, operation, bytes.
    posted: Vec<Vec<(usize, usize)>>,
    unexpected: Vec<Vec<(usize, usize, i64)>>,
    ends: Vec<i64>,
}

/// When each rank ends, in nanoseconds.
pub fn ends(ranks: &[Vec<Action>], parameters: Parameters) -> Vec<i64> {
    let count = ranks.len();
    let mut simulation = Simulation {
        parameters,
        ranks: ranks.iter().map(|actions| operations(actions)).collect(),
        queue: BinaryHeap::new(),
        created: 0,
        processor: vec![0; count],
        sending: vec![0; count],
        receiving: vec![0; count],
        posted: vec![Vec::new(); count],
        unexpected: vec![Vec::new(); count],
        ends: vec![-1; count],
    };
    for rank in 0..count {
        simulation.free(rank, 0, 0);
    }
    while let Some(Reverse((key, event))) = simulation.queue.pop() {
        simulation.process_event(key, event);
    }
    simulation.ends
}

impl Simulation {
    fn add(&mut self, time: i64, cause: (i64, usize, bool), event: Event) {
        self.queue
            .push(Reverse(((time, cause, self.created), event)));
        self.created += 1;
    }

    /// An operation may begin: its turn comes when the rank's resources are free.
    fn free(&mut self, rank: usize, index: usize, now: i64) {
        let time = match self.ranks[rank][index].kind {
            OperationKind::Work(_) | OperationKind::Receive { .. } => self.processor[rank],
            OperationKind::Send { .. } => self.processor[rank].max(self.sending[rank]),
        };
        if index + 1 == self.ranks[rank].len() {
            self.ends[rank] = time;
        }
        self.add(time, (now, rank, true), Event::Operation { rank, index });
    }

    fn satisfy(&mut self, rank: usize, successors: Vec<usize>, now: i64) {
        for index in successors {
            self.ranks[rank][index].missing -= 1;
            if self.ranks[rank][index].missing == 0 {
                self.free(rank, index, now);
            }
        }
    }

    fn started(&mut self, rank: usize, index: usize, now: i64) {
        let successors = std::mem::take(&mut self.ranks[rank][index].after_start);
        self.satisfy(rank, successors, now);
    }

    fn finished(&mut self, rank: usize, index: usize, now: i64) {
        let successors = std::mem::take(&mut self.ranks[rank][index].after_end);
        self.satisfy(rank, successors, now);
    }

    fn process_event(&mut self, (now, cause, number): Key, event: Event) {
        let p = self.parameters;
        let free_at = match event {
            Event::Operation { rank, index } => match self.ranks[rank][index].kind {
                OperationKind::Work(_) => self.processor[rank],
                OperationKind::Send { .. } => self.processor[rank].max(self.sending[rank]),
                OperationKind::Receive { .. } => now,
            },
            Event::Message { to, .. } => self.processor[to].max(self.receiving[to]),
        };
        if free_at > now {
            self.queue.push(Reverse(((free_at, cause, number), event)));
            return;
        }
        match event {
            Event::Operation { rank, index } => match self.ranks[rank][index].kind {
                OperationKind::Work(time) => {
                    self.processor[rank] = now + time;
                    self.started(rank, index, now);
                    self.finished(rank, index, now);
                }
                OperationKind::Send { to, bytes } => {
                    let further = (bytes - 1).max(0);
                    self.processor[rank] = now + p.overhead + further * p.overhead_per_byte;
                    self.sending[rank] = now + p.gap + further * p.gap_per_byte;
                    let message = Event::Message {
                        from: rank,
                        index,
                        to,
                        bytes,
                    };
                    self.add(now + p.overhead + p.latency, (now, rank, false), message);
                    self.started(rank, index, now);
                    if bytes <= p.longest_eager {
                        self.finished(rank, index, now);
                    }
                }
                OperationKind::Receive { from } => {
                    self.started(rank, index, now);
                    let found = self.unexpected[rank]
                        .iter()
                        .position(|message| message.0 == from);
                    match found.map(|place| self.unexpected[rank].remove(place)) {
                        Some((from, send, bytes)) => {
                            self.met((from, send, bytes), (rank, index), now)
                        }
                        None => self.posted[rank].push((from, index)),
                    }
                }
            },
            Event::Message {
                from,
                index,
                to,
                bytes,
            } => {
                let further = (bytes - 1).max(0);
                let per_byte = p.overhead_per_byte.max(p.gap_per_byte);
                self.processor[to] = now + p.overhead + further * per_byte;
                self.receiving[to] = now + p.gap + further * p.gap_per_byte;
                let found = self.posted[to].iter().position(|receive| receive.0 == from);
                match found.map(|place| self.posted[to].remove(place)) {
                    Some((_, receive)) => self.met((from, index, bytes), (to, receive), now),
                    None => self.unexpected[to].push((from, index, bytes)),
                }
            }
        }
    }

    /// A message meets its receive: the receive finishes, and a send that waited for this.
    fn met(
        &mut self,
        (from, send, bytes): (usize, usize, i64),
        (to, receive): (usize, usize),
        now: i64,
    ) {
        self.finished(to, receive, now);
        if bytes > self.parameters.longest_eager {
            self.processor[from] = self.processor[from].max(now);
            self.sending[from] = self.sending[from].max(now);
            self.finished(from, send, now);
        }
    }
}
