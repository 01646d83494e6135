//! The simulation of masters and workers (Mizutani et al., MSS, 2004, §3.3.2). A worker requests tasks; the master
//! sends some; the worker executes them and sends their result, which is its next request. Until all tasks are executed
//! and all results received, the master
//!
//! 1. (P1) takes the message that arrived first, waiting for it if none has arrived,
//! 2. (P2) takes the next tasks, if there are any left,
//! 3. (P3) sends them; the arrival of their result follows from the model and the speed of the worker.
//!
//! Each worker has one message under way at most, so the queue of arrivals has as many entries as workers. The paper
//! keeps it sorted and shifts entries, which takes O(P) per event in the worst case; here it is a binary heap,
//! O(log P). Of messages that arrive at the same time, that of the lowest rank is taken first.
//!
//! Messages take as long as if they were alone in the network: what workers wait for is the processor of the master, whose
//! overhead under `loggps-p` grows with the number of ranks (Mizutani et al., MSE, 2004, §3.2).

use super::TaskError;
use super::messages::{MessageLength, MessageTimes};
use crate::setup::ChosenModel;
use base_data::comm_data::LinkClass;
use base_data::{Rank, Time};
use machine::network::Sharing;
use machine::{Message, NetworkModel, Platform};
use serde::Serialize;
use std::cmp::Ordering;
use std::collections::binary_heap::PeekMut;
use std::collections::{BTreeMap, BinaryHeap};
use std::ops::Range;

/// How a program distributes its tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MasterWorker {
    /// Number of ranks, masters and workers together.
    pub ranks: u32,
    /// Number of masters. Each has as many ranks, of which it is the first, and as many consecutive tasks as the others, up to one.
    pub masters: u32,
    /// Number of consecutive tasks that the master sends at a time.
    pub tasks_per_message: u64,
    /// Length of the master's messages.
    pub assignment: MessageLength,
    /// Length of the workers' messages. The first one is about no task.
    pub result: MessageLength,
}

/// What a run of a master/worker program amounts to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TaskRun {
    /// From the start until the last master has received its last result.
    pub time: Time,
    /// In the order of ranks.
    pub masters: Vec<MasterTime>,
    /// In the order of ranks.
    pub workers: Vec<WorkerTime>,
}

/// Time of a master.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MasterTime {
    /// Its rank.
    pub rank: u32,
    /// Its tasks, by number.
    pub tasks: Range<u64>,
    /// Number of messages that it receives.
    pub received: u64,
    /// Processor time of its sends; with a rendezvous protocol also the handshake.
    pub send: Time,
    /// Processor time of its receives; with a rendezvous protocol also handshake and transfer.
    pub receive: Time,
    /// Time in receives before a message arrives.
    pub wait: Time,
    /// When it has received the last result.
    pub end: Time,
}

/// Time of a worker until its master ends. What is not in a category is waiting.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WorkerTime {
    /// Its rank.
    pub rank: u32,
    /// Number of tasks that it executes.
    pub tasks: u64,
    /// Time of these tasks.
    pub compute: Time,
    /// Processor time of its sends.
    pub send: Time,
    /// Processor time of its receives.
    pub receive: Time,
    /// The rest.
    pub wait: Time,
}

impl TaskRun {
    /// Number of events of the simulation: messages that masters receive.
    pub fn events(&self) -> u64 {
        self.masters.iter().map(|master| master.received).sum()
    }
}

/// A program on a platform, for any task times.
#[derive(Clone, Debug)]
pub struct Simulation {
    program: MasterWorker,
    model: &'static str,
    groups: Vec<Group>,
    /// Consequences of what the simulation leaves out, as sentences.
    warnings: Vec<String>,
}

/// A master and its workers.
#[derive(Clone, Debug)]
struct Group {
    master: u32,
    tasks: Range<u64>,
    kinds: Vec<WorkerKind>,
    /// Kind of each worker, that of the rank after the master's first.
    workers: Vec<u32>,
}

/// Workers with equal costs: there are few kinds and many workers, so their costs stay in the processor's cache.
#[derive(Clone, Copy, Debug)]
struct WorkerKind {
    /// Time of a task relative to that on the measured processing unit.
    slowness: f64,
    /// The first message.
    request: Incoming,
    /// Messages about [`MasterWorker::tasks_per_message`] tasks.
    full: Round,
    /// Messages about fewer tasks, the last ones of the master.
    rest: Round,
}

/// A worker's message to its master.
#[derive(Clone, Copy, Debug)]
struct Incoming {
    /// The worker's processor time.
    worker: Time,
    /// From the worker's call until the master can take the message.
    arrival: Time,
    /// The master's time to take it.
    master: Time,
}

/// Tasks that go to a worker, and their result.
#[derive(Clone, Copy, Debug)]
struct Round {
    /// The master's time to send the tasks.
    master: Time,
    /// From the master's call until the worker executes the tasks.
    to_start: Time,
    /// The worker's processor time to receive them.
    worker: Time,
    result: Incoming,
}

impl Simulation {
    /// Prepares the simulation under a network model: the given one, or the first that the platform has parameters for.
    ///
    /// # Errors
    /// A master without workers, messages without tasks, too few places on the platform, and a model that cannot be made.
    pub fn new(
        program: &MasterWorker,
        tasks: u64,
        platform: &Platform,
        model: Option<&str>,
    ) -> Result<Self, TaskError> {
        let MasterWorker { ranks, masters, .. } = *program;
        if masters == 0 || ranks / 2 < masters {
            return Err(TaskError::Value(format!(
                "{ranks} ranks with {masters} masters: each master needs a rank of its own and a worker; use at least {} \
                 ranks, or fewer masters",
                u64::from(masters.max(1)) * 2
            )));
        }
        if program.tasks_per_message == 0 {
            return Err(TaskError::Value(
                "messages without tasks never end; send at least 1 task at a time".into(),
            ));
        }
        platform
            .check_capacity(ranks)
            .map_err(crate::EstimateError::from)?;
        let chosen = ChosenModel::choose(platform, model, ranks)?;
        let network = chosen.network(ranks)?;
        let mut groups = Vec::new();
        for number in 0..u64::from(masters) {
            let share = |whole: u64| {
                let begin = whole * number / u64::from(masters);
                begin..whole * (number + 1) / u64::from(masters)
            };
            let (own_ranks, tasks) = (share(u64::from(ranks)), share(tasks));
            let master = own_ranks.start as u32;
            let rest = (tasks.end - tasks.start) % program.tasks_per_message;
            let costs = Costs {
                program,
                platform,
                network: network.as_ref(),
                master,
            };
            let mut group = Group {
                master,
                tasks,
                kinds: Vec::new(),
                workers: Vec::new(),
            };
            costs.add_workers(&mut group, own_ranks.end as u32, rest);
            groups.push(group);
        }
        let mut warnings = chosen.fits.warnings.clone();
        warnings.extend(sharing_warning(network.as_ref()));
        warnings.extend(speed_warnings(platform, ranks));
        Ok(Self {
            program: *program,
            model: chosen.name(),
            groups,
            warnings,
        })
    }

    /// Name of the network model.
    pub fn model(&self) -> &'static str {
        self.model
    }

    /// Consequences of what the simulation leaves out, as sentences.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Executes all tasks; each takes `factor` times its time in `times`, which has as many entries as the simulation was made for.
    pub fn run(&self, times: &[Time], factor: f64) -> TaskRun {
        let mut run = TaskRun {
            time: Time::ZERO,
            masters: Vec::new(),
            workers: Vec::new(),
        };
        for group in &self.groups {
            let own = &times[group.tasks.start as usize..group.tasks.end as usize];
            let (master, workers) = group.run(own, factor, self.program.tasks_per_message);
            run.time = run.time.max(master.end);
            run.masters.push(master);
            run.workers.extend(workers);
        }
        run
    }
}

/// A message of a worker that is under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Arrival {
    at: Time,
    /// The worker, from 0 in its group.
    worker: u32,
}

impl Arrival {
    /// One number, whose comparison needs no branch. Times of a run are not negative.
    fn key(self) -> u128 {
        (u128::from(self.at.picoseconds().unsigned_abs()) << 32) | u128::from(self.worker)
    }
}

/// The earlier arrival is the larger one, since a heap gives its largest entry; of equal times the lower worker is.
impl Ord for Arrival {
    fn cmp(&self, other: &Self) -> Ordering {
        other.key().cmp(&self.key())
    }
}

impl PartialOrd for Arrival {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Group {
    fn run(&self, times: &[Time], factor: f64, at_a_time: u64) -> (MasterTime, Vec<WorkerTime>) {
        let mut master = MasterTime {
            rank: self.master,
            tasks: self.tasks.clone(),
            received: 0,
            send: Time::ZERO,
            receive: Time::ZERO,
            wait: Time::ZERO,
            end: Time::ZERO,
        };
        let mut states: Vec<WorkerState> = self.workers.iter().map(WorkerState::new).collect();
        let mut queue: BinaryHeap<Arrival> = (0..)
            .zip(&self.workers)
            .map(|(worker, &kind)| Arrival {
                at: self.kinds[kind as usize].request.arrival,
                worker,
            })
            .collect();
        let at_a_time = usize::try_from(at_a_time).unwrap_or(usize::MAX);
        let mut batches = times.chunks(at_a_time);
        let mut clock = Time::ZERO;
        while let Some(mut earliest) = queue.peek_mut() {
            let state = &mut states[earliest.worker as usize];
            let kind = &self.kinds[state.kind as usize];
            // P1
            if earliest.at > clock {
                master.wait += earliest.at - clock;
                clock = earliest.at;
            }
            let taken = state.under_way(kind).master;
            clock += taken;
            master.receive += taken;
            master.received += 1;
            // P2
            let Some(batch) = batches.next() else {
                PeekMut::pop(earliest);
                continue;
            };
            // P3
            let is_full = batch.len() == at_a_time;
            let round = if is_full { &kind.full } else { &kind.rest };
            let mut work: Time = batch.iter().copied().sum();
            let slowness = kind.slowness * factor;
            // Exact where nothing changes the measured times.
            if slowness != 1.0 {
                work = work.scaled(slowness);
            }
            earliest.at = clock + round.to_start + work + round.result.arrival;
            clock += round.master;
            master.send += round.master;
            state.compute += work;
            if is_full {
                state.full_rounds += 1;
            } else {
                state.rest_tasks = batch.len() as u64;
            }
        }
        master.end = clock;
        let mut workers = Vec::with_capacity(states.len());
        for (rank, state) in (self.master + 1..).zip(states) {
            let kind = &self.kinds[state.kind as usize];
            workers.push(state.until(clock, rank, kind, at_a_time as u64));
        }
        (master, workers)
    }
}

/// What a worker has done so far.
struct WorkerState {
    kind: u32,
    compute: Time,
    full_rounds: u64,
    /// Tasks of its round with fewer than usual, which is the last one of its master; 0 if another worker has it.
    rest_tasks: u64,
}

impl WorkerState {
    fn new(kind: &u32) -> Self {
        Self {
            kind: *kind,
            compute: Time::ZERO,
            full_rounds: 0,
            rest_tasks: 0,
        }
    }

    /// Its message that is under way.
    fn under_way<'a>(&self, kind: &'a WorkerKind) -> &'a Incoming {
        if self.rest_tasks > 0 {
            &kind.rest.result
        } else if self.full_rounds > 0 {
            &kind.full.result
        } else {
            &kind.request
        }
    }

    fn until(self, end: Time, rank: u32, kind: &WorkerKind, at_a_time: u64) -> WorkerTime {
        let rest_rounds = u64::from(self.rest_tasks > 0);
        let (full, rest) = (&kind.full, &kind.rest);
        let send = kind.request.worker
            + full.result.worker.times(self.full_rounds)
            + rest.result.worker.times(rest_rounds);
        let receive = full.worker.times(self.full_rounds) + rest.worker.times(rest_rounds);
        WorkerTime {
            rank,
            tasks: self.full_rounds.saturating_mul(at_a_time) + self.rest_tasks,
            compute: self.compute,
            send,
            receive,
            wait: end - self.compute - send - receive,
        }
    }
}

/// Costs of messages between a master and its workers.
struct Costs<'a> {
    program: &'a MasterWorker,
    platform: &'a Platform,
    network: &'a dyn NetworkModel,
    master: u32,
}

impl Costs<'_> {
    /// Adds the workers behind the master, up to `end`. Costs depend on the kind of link and the speed of the worker alone.
    fn add_workers(&self, group: &mut Group, end: u32, rest: u64) {
        let mut known: BTreeMap<(LinkClass, u64), u32> = BTreeMap::new();
        for rank in self.master + 1..end {
            let link = self.platform.link(Rank(self.master), Rank(rank));
            let speed = self.platform.speed_of(Rank(rank));
            let kind = *known.entry((link, speed.to_bits())).or_insert_with(|| {
                group.kinds.push(self.worker(rank, speed, rest));
                group.kinds.len() as u32 - 1
            });
            group.workers.push(kind);
        }
    }

    fn worker(&self, rank: u32, speed: f64, rest: u64) -> WorkerKind {
        WorkerKind {
            slowness: 1.0 / speed,
            request: self.incoming(rank, 0),
            full: self.round(rank, self.program.tasks_per_message),
            rest: self.round(rank, rest),
        }
    }

    fn round(&self, worker: u32, tasks: u64) -> Round {
        let bytes = self.program.assignment.bytes(tasks);
        let costs = self
            .network
            .costs(&self.message(self.master, worker, bytes));
        let times = MessageTimes::new(&costs);
        Round {
            master: times.sender,
            to_start: times.whole(),
            worker: costs.receive,
            result: self.incoming(worker, tasks),
        }
    }

    fn incoming(&self, worker: u32, tasks: u64) -> Incoming {
        let bytes = self.program.result.bytes(tasks);
        let times = MessageTimes::new(&self.network.costs(&self.message(
            worker,
            self.master,
            bytes,
        )));
        Incoming {
            worker: times.send,
            arrival: times.arrival,
            master: times.receiver,
        }
    }

    fn message(&self, from: u32, to: u32, bytes: u64) -> Message {
        let (from, to) = (Rank(from), Rank(to));
        Message {
            from: self.platform.pu_of(from),
            to: self.platform.pu_of(to),
            bytes,
            link: self.platform.link(from, to),
            scale: 1.0,
        }
    }
}

fn sharing_warning(network: &dyn NetworkModel) -> Option<String> {
    let shared = match network.sharing() {
        Sharing::Nothing => return None,
        Sharing::Receivers => "the bandwidth of receivers",
        Sharing::Processors => "network interfaces",
        Sharing::Links => "links",
    };
    Some(format!(
        "the time is too short where messages delay each other in the network: under model '{}' they share {shared}, which this \
         simulation leaves out",
        network.name()
    ))
}

fn speed_warnings(platform: &Platform, ranks: u32) -> Vec<String> {
    let mut warnings = Vec::new();
    if let Some(guess) = platform.guessed_speed() {
        warnings.push(format!(
            "a guess, not a measurement: {guess}; measure tasks on a PU of the target"
        ));
    }
    if (0..ranks).any(|rank| platform.compute_of(Rank(rank)).is_some()) {
        warnings.push(
            "PUs that have compute data of their own count as fast as the PU of the task table, since these data have no \
             times of tasks; give such PUs a speed in the platform"
                .into(),
        );
    }
    warnings
}
