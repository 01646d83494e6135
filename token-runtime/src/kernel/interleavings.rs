//! All interleavings of small programs on the kernel, beside a plain model of what MPI says: in each
//! state the same ranks may go on, each receive gets the same message, and where no rank may continue the
//! dispatcher has no rank to hand the token to. Ranks have at most four calls; two or three of them.

use super::collective::{self, Dependencies, Key, Member, Signature};
use super::layout::tests::fresh;
use super::point_to_point::{self, Message, Node, Wanted};
use super::slot::{self, CallLocation};
use super::{Memory, dispatcher};
use proptest::prelude::*;
use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};

const CONTEXT: u64 = 1;
/// Words for all that so few calls leave.
const HEAP: u64 = 4000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Call {
    /// Of a message to another rank; synchronously, or at once.
    Send { to: u32, synchronous: bool },
    /// From a rank or from any.
    Receive(Option<u32>),
    /// The next collective: barriers and broadcasts from rank 0 by turns.
    Collective,
}

type Program = Vec<Vec<Call>>;

/// What a rank waits for, in the kernel's terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Wait {
    Send(Node),
    Receive(Node),
    Collective(u64),
}

/// A rank on the kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Rank {
    done: usize,
    collectives: u64,
    waits: Option<Wait>,
    received: Vec<u64>,
}

/// A rank of the model.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Plain {
    done: usize,
    collectives: u64,
    waits: bool,
    /// What its receive asks for, while it is in one.
    asks: Option<Option<u32>>,
    /// The message that a waiting receive got, or that a waiting send is.
    message: Option<u64>,
    received: Vec<u64>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Sent {
    from: u32,
    to: u32,
    number: u64,
}

#[derive(Clone)]
struct State {
    words: Vec<u64>,
    ranks: Vec<Rank>,
    plain: Vec<Plain>,
    queue: Vec<Sent>,
}

fn is_barrier(collective: u64) -> bool {
    collective.is_multiple_of(2)
}

/// Each message has a number of its own.
fn number(rank: u32, call: usize) -> u64 {
    u64::from(rank) * 10 + call as u64 + 1
}

impl State {
    fn new(ranks: usize) -> Self {
        let words = fresh(ranks as u32, HEAP);
        let memory = Memory::new(&words);
        (0..ranks as u32).for_each(|rank| dispatcher::set_runnable(memory, rank, true));
        collective::context(memory, CONTEXT, 0).unwrap();
        Self {
            words: words
                .iter()
                .map(|word| word.load(Ordering::Relaxed))
                .collect(),
            ranks: vec![Rank::default(); ranks],
            plain: vec![Plain::default(); ranks],
            queue: Vec::new(),
        }
    }

    /// One turn of a rank in both worlds.
    fn turn(&mut self, program: &Program, rank: u32) {
        let words: Vec<AtomicU64> = self.words.drain(..).map(AtomicU64::new).collect();
        let own = &mut self.ranks[rank as usize];
        own.turn(
            Memory::new(&words),
            &program[rank as usize],
            rank,
            program.len() as u32,
        );
        self.words = words.into_iter().map(AtomicU64::into_inner).collect();
        self.plain_turn(&program[rank as usize], rank);
    }

    fn plain_turn(&mut self, calls: &[Call], rank: u32) {
        let own = rank as usize;
        let call = calls[self.plain[own].done];
        if !self.plain[own].waits {
            self.plain_start(call, rank);
        }
        self.plain[own].waits = !self.plain_may_go_on(call, rank);
        if !self.plain[own].waits {
            let message = self.plain[own].message.take();
            self.plain[own]
                .received
                .extend(message.filter(|_| matches!(call, Call::Receive(_))));
            self.plain[own].asks = None;
            self.plain[own].done += 1;
        }
    }

    fn plain_start(&mut self, call: Call, rank: u32) {
        match call {
            Call::Send { to, synchronous } => {
                let number = number(rank, self.plain[rank as usize].done);
                let sent = Sent {
                    from: rank,
                    to,
                    number,
                };
                self.plain[rank as usize].message = if synchronous { Some(number) } else { None };
                match self.waiting_receive(&sent) {
                    Some(receiver) => self.plain[receiver].message = Some(number),
                    None => self.queue.push(sent),
                }
            }
            Call::Receive(from) => {
                let wanted =
                    |sent: &Sent| sent.to == rank && from.is_none_or(|from| from == sent.from);
                let found = self.queue.iter().position(wanted);
                self.plain[rank as usize].message = found.map(|at| self.queue.remove(at).number);
                self.plain[rank as usize].asks = Some(from);
            }
            Call::Collective => self.plain[rank as usize].collectives += 1,
        }
    }

    /// The receiver of a message, if it waits for it.
    fn waiting_receive(&self, sent: &Sent) -> Option<usize> {
        let receiver = &self.plain[sent.to as usize];
        let wanted = receiver
            .asks
            .is_some_and(|from| from.is_none_or(|from| from == sent.from));
        if receiver.waits && receiver.message.is_none() && wanted {
            Some(sent.to as usize)
        } else {
            None
        }
    }

    fn plain_may_go_on(&self, call: Call, rank: u32) -> bool {
        let own = &self.plain[rank as usize];
        match call {
            Call::Send { synchronous, .. } => {
                !synchronous
                    || self
                        .queue
                        .iter()
                        .all(|sent| Some(sent.number) != own.message)
            }
            Call::Receive(_) => own.message.is_some(),
            Call::Collective if is_barrier(own.collectives - 1) => self
                .plain
                .iter()
                .all(|other| other.collectives >= own.collectives),
            Call::Collective => self.plain[0].collectives >= own.collectives,
        }
    }
}

impl Rank {
    fn turn(&mut self, memory: Memory<'_>, calls: &[Call], rank: u32, ranks: u32) {
        if self.waits.is_none() {
            self.waits = self.start(memory, calls[self.done], rank, ranks);
        }
        match self.waits {
            Some(wait) if !is_complete(memory, wait, rank) => wait_for(memory, wait, rank),
            Some(wait) => self.finish(memory, wait, rank),
            None => self.done += 1,
        }
    }

    fn start(&mut self, memory: Memory<'_>, call: Call, rank: u32, ranks: u32) -> Option<Wait> {
        match call {
            Call::Send { to, synchronous } => {
                let sender = if synchronous {
                    point_to_point::synchronous(memory, rank).unwrap()
                } else {
                    0
                };
                let bytes = number(rank, self.done);
                let message = Message {
                    context: CONTEXT,
                    source: rank,
                    tag: 0,
                    bytes,
                    payload: 0,
                    signature: 0,
                    sender,
                    number: 0,
                    call: 0,
                };
                point_to_point::send(memory, to, message).unwrap();
                if synchronous {
                    Some(Wait::Send(sender))
                } else {
                    None
                }
            }
            Call::Receive(source) => {
                let wanted = Wanted {
                    context: CONTEXT,
                    source,
                    tag: Some(0),
                };
                Some(Wait::Receive(
                    point_to_point::post(memory, rank, wanted).unwrap(),
                ))
            }
            Call::Collective => {
                let barrier = is_barrier(self.collectives);
                let key = Key {
                    sequence: self.collectives,
                    round: 0,
                };
                self.collectives += 1;
                let signature = Signature {
                    function: 1,
                    root: Some(0),
                    bytes: None,
                    operation: 0,
                    level: 2,
                };
                let member = Member {
                    index: rank,
                    world: rank,
                    place: CallLocation::Unknown,
                };
                let context = collective::context(memory, CONTEXT, 0).unwrap();
                let instance =
                    collective::enter(memory, context, key, [ranks, 0], &member, signature)
                        .unwrap();
                let dependencies = match (barrier, rank) {
                    (true, _) => Dependencies::AllMembers,
                    (false, 0) => Dependencies::Nothing,
                    (false, _) => Dependencies::Members(&[0]),
                };
                collective::arrive(memory, instance, &member, dependencies).unwrap();
                Some(Wait::Collective(instance))
            }
        }
    }

    fn finish(&mut self, memory: Memory<'_>, wait: Wait, rank: u32) {
        match wait {
            Wait::Send(node) => point_to_point::retire_send(memory, node),
            Wait::Receive(node) => {
                self.received
                    .push(point_to_point::arrived(memory, node).unwrap().bytes);
                point_to_point::retire(memory, node);
            }
            Wait::Collective(instance) => {
                let context = collective::context(memory, CONTEXT, 0).unwrap();
                collective::end(memory, context, instance, rank);
            }
        }
        self.waits = None;
        self.done += 1;
    }
}

fn is_complete(memory: Memory<'_>, wait: Wait, rank: u32) -> bool {
    match wait {
        Wait::Send(node) | Wait::Receive(node) => point_to_point::is_matched(memory, node),
        Wait::Collective(instance) => collective::is_complete(memory, instance, rank),
    }
}

fn wait_for(memory: Memory<'_>, wait: Wait, rank: u32) {
    match wait {
        Wait::Send(node) | Wait::Receive(node) => point_to_point::wait_for(memory, node),
        Wait::Collective(instance) => collective::add_waiter(memory, instance, rank),
    }
    slot::wait_for(memory, rank, 1);
}

/// Goes through all orders of turns; gives how many states there are and whether some of them are
/// deadlocks.
fn explore(program: &Program) -> (usize, bool) {
    let mut seen = HashSet::new();
    let mut open = vec![State::new(program.len())];
    let mut deadlocked = false;
    while let Some(state) = open.pop() {
        // The ranks on the kernel are no part of the key: `checked` requires that they agree with the model.
        if !seen.insert((
            state.words.clone(),
            state.plain.clone(),
            state.queue.clone(),
        )) {
            continue;
        }
        deadlocked |= checked(&state, program);
        for rank in (0..program.len() as u32).filter(|&rank| may_turn(&state, program, rank)) {
            let mut next = state.clone();
            next.turn(program, rank);
            open.push(next);
        }
    }
    (seen.len(), deadlocked)
}

/// Whether the model says that a rank can do something.
fn may_turn(state: &State, program: &Program, rank: u32) -> bool {
    let plain = &state.plain[rank as usize];
    let calls = &program[rank as usize];
    plain.done < calls.len() && (!plain.waits || state.plain_may_go_on(calls[plain.done], rank))
}

/// Compares kernel and model; gives whether the state is a deadlock.
fn checked(state: &State, program: &Program) -> bool {
    let words: Vec<AtomicU64> = state
        .words
        .iter()
        .map(|&word| AtomicU64::new(word))
        .collect();
    let memory = Memory::new(&words);
    let mut unfinished = false;
    let mut any_may_turn = false;
    for (rank, (own, plain)) in (0..).zip(state.ranks.iter().zip(&state.plain)) {
        assert_eq!(
            (own.done, &own.received),
            (plain.done, &plain.received),
            "{program:?}: rank {rank}"
        );
        let ended = own.done == program[rank as usize].len();
        let may = may_turn(state, program, rank);
        assert!(
            ended || dispatcher::is_runnable(memory, rank) == may,
            "{program:?}: rank {rank}: {may}"
        );
        if ended {
            dispatcher::set_runnable(memory, rank, false);
        }
        (unfinished, any_may_turn) = (unfinished | !ended, any_may_turn | may);
    }
    assert_eq!(
        dispatcher::next_after(memory, 0).is_some(),
        any_may_turn,
        "{program:?}"
    );
    unfinished && !any_may_turn
}

fn call(ranks: u32) -> impl Strategy<Value = Call> {
    prop_oneof![
        (0..ranks, any::<bool>()).prop_map(|(to, synchronous)| Call::Send { to, synchronous }),
        prop::option::of(0..ranks).prop_map(Call::Receive),
        Just(Call::Collective),
    ]
}

fn program() -> impl Strategy<Value = Program> {
    (2u32..4).prop_flat_map(|ranks| {
        prop::collection::vec(prop::collection::vec(call(ranks), 0..5), ranks as usize)
    })
}

#[test]
#[cfg_attr(miri, ignore = "takes hours")]
fn known_programs() {
    let send = |to| Call::Send {
        to,
        synchronous: false,
    };
    let synchronous = |to| Call::Send {
        to,
        synchronous: true,
    };
    let cases: &[(Program, bool)] = &[
        (
            vec![
                vec![send(1), Call::Receive(Some(1))],
                vec![send(0), Call::Receive(Some(0))],
            ],
            false,
        ),
        (
            vec![
                vec![synchronous(1), Call::Receive(Some(1))],
                vec![synchronous(0), Call::Receive(Some(0))],
            ],
            true,
        ),
        (
            vec![vec![Call::Collective], vec![Call::Collective], vec![]],
            true,
        ),
        (
            vec![
                vec![Call::Collective; 2],
                vec![Call::Collective; 2],
                vec![Call::Collective],
            ],
            false,
        ),
        (
            vec![
                vec![Call::Receive(None), Call::Receive(Some(1))],
                vec![send(0)],
                vec![send(0)],
            ],
            true,
        ),
    ];
    for (program, deadlocks) in cases {
        assert_eq!(explore(program).1, *deadlocks, "{program:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    #[cfg_attr(miri, ignore = "takes hours")]
    fn kernel_and_model_agree_in_every_order(program in program()) {
        explore(&program);
    }
}
