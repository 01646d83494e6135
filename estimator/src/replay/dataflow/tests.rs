//! Random programs of nested loops whose calls match: the fast replay, with iterations added at once and
//! without, gives what the plain one gives, to the picosecond.

use super::reference::Reference;
use super::*;
use crate::block_times::{BlockTimesTable, Coverage, Typical, VariantTime};
use crate::replay::equivalent_ranks::EquivalentRanks;
use crate::replay::program::{
    Channel, ChannelTag, FIRST_REQUEST_SLOT, RECEIVE_SLOT, SEND_SLOT, Sending, Size, Step, StepList,
};
use crate::replay::shared_lists::SharedLists;
use crate::time_accounting::TimeAccounts;
use base_data::CommId;
use machine::Pu;
use machine::network::{CallCosts, Protocol};
use proptest::prelude::*;

const VARIANTS: u32 = 6;
const SIZES: u32 = 3;

/// A communication pattern of a random program. All ranks execute patterns in the same order, so no program deadlocks.
#[derive(Clone, Debug)]
enum StepPattern {
    Work {
        rank: u32,
        variant: u32,
    },
    WorkOfAll {
        variant: u32,
    },
    Message {
        from: u32,
        to: u32,
        size: u32,
        started: bool,
    },
    /// A message is looked for before it is received.
    Probe {
        from: u32,
        to: u32,
        size: u32,
    },
    /// All ranks exchange with their neighbours.
    Shift {
        by: u32,
        size: u32,
    },
    /// Messages are sent one iteration before they are received.
    Ahead {
        from: u32,
        to: u32,
        count: u64,
    },
    /// A receive is started one iteration before it is waited for.
    Prefetch {
        from: u32,
        to: u32,
        size: u32,
        count: u64,
    },
    Clock {
        rank: u32,
    },
    Repeat {
        count: u64,
        body: Vec<StepPattern>,
    },
}

fn piece(ranks: u32) -> impl Strategy<Value = StepPattern> {
    let pair = (0..ranks, 1..ranks).prop_map(move |(from, by)| (from, (from + by) % ranks));
    let leaf = prop_oneof![
        2 => (0..ranks, 0..VARIANTS).prop_map(|(rank, variant)| StepPattern::Work { rank, variant }),
        2 => (0..VARIANTS).prop_map(|variant| StepPattern::WorkOfAll { variant }),
        3 => (pair.clone(), 0..SIZES, any::<bool>())
            .prop_map(|((from, to), size, started)| StepPattern::Message { from, to, size, started }),
        1 => (pair.clone(), 0..SIZES).prop_map(|((from, to), size)| StepPattern::Probe { from, to, size }),
        2 => (1..ranks, 0..SIZES).prop_map(|(by, size)| StepPattern::Shift { by, size }),
        1 => (pair.clone(), 0u64..30).prop_map(|((from, to), count)| StepPattern::Ahead { from, to, count }),
        1 => (pair, 0..SIZES, 0u64..30)
            .prop_map(|((from, to), size, count)| StepPattern::Prefetch { from, to, size, count }),
        1 => (0..ranks).prop_map(|rank| StepPattern::Clock { rank }),
    ];
    let counts = prop_oneof![0u64..4, 12u64..30];
    leaf.prop_recursive(3, 16, 3, move |inner| {
        (counts.clone(), prop::collection::vec(inner, 1..4))
            .prop_map(|(count, body)| StepPattern::Repeat { count, body })
    })
}

/// One rank's steps, with channels of the program.
struct Stream {
    rank: u32,
    ranks: u32,
    steps: Vec<Step>,
}

impl Stream {
    fn send(&mut self, to: u32, tag: u32, size: u32) {
        let channel = (self.rank * self.ranks + to) * 3 + tag;
        self.steps.push(Step::Enter { site: tag });
        self.steps.push(Step::Send {
            channel,
            size,
            slot: SEND_SLOT,
            blocking: true,
        });
        self.steps.push(Step::Finish {
            slot: SEND_SLOT,
            blocking: true,
            collective: false,
        });
    }

    fn receive(&mut self, from: u32, tag: u32, size: u32) {
        self.start(from, tag, size, RECEIVE_SLOT, true);
        self.steps.push(Step::Finish {
            slot: RECEIVE_SLOT,
            blocking: true,
            collective: tag == 1,
        });
    }

    fn start(&mut self, from: u32, tag: u32, size: u32, slot: u32, blocking: bool) {
        let channel = (from * self.ranks + self.rank) * 3 + tag;
        self.steps.push(Step::Enter { site: tag });
        self.steps.push(Step::Receive {
            channel,
            size,
            slot,
            blocking,
        });
    }

    fn wait(&mut self, slot: u32) {
        self.steps.push(Step::Finish {
            slot,
            blocking: false,
            collective: false,
        });
    }

    fn repeat(&mut self, count: u64, body: impl FnOnce(&mut Self)) {
        let place = self.steps.len();
        self.steps.push(Step::repeat(count, 0));
        body(self);
        let body = (self.steps.len() - place - 1) as u32;
        if body == 0 || count == 0 {
            self.steps.truncate(place);
        } else {
            self.steps[place] = Step::repeat(count, body);
        }
    }

    fn pieces(&mut self, pieces: &[StepPattern]) {
        pieces.iter().for_each(|piece| self.piece(piece));
    }

    fn piece(&mut self, piece: &StepPattern) {
        let (rank, ranks) = (self.rank, self.ranks);
        match *piece {
            StepPattern::Work {
                rank: worker,
                variant,
            } if worker == rank => {
                self.steps.push(Step::Compute {
                    block: variant % 2,
                    variant,
                    index: 0,
                });
            }
            StepPattern::Work { .. } => {}
            StepPattern::WorkOfAll { variant } => self.steps.push(Step::Compute {
                block: variant % 2,
                variant,
                index: 0,
            }),
            StepPattern::Message {
                from,
                to,
                size,
                started,
            } => {
                if rank == from {
                    self.send(to, 0, size);
                } else if rank == to && started {
                    self.start(from, 0, size, FIRST_REQUEST_SLOT, false);
                    self.steps.push(Step::Compute {
                        block: 0,
                        variant: 0,
                        index: 0,
                    });
                    self.wait(FIRST_REQUEST_SLOT);
                } else if rank == to {
                    self.receive(from, 0, size);
                }
            }
            StepPattern::Probe { from, to, size } => {
                if rank == from {
                    self.send(to, 0, size);
                } else if rank == to {
                    self.steps.push(Step::Enter { site: 0 });
                    self.steps.push(Step::Probe {
                        channel: (from * ranks + rank) * 3,
                    });
                    self.receive(from, 0, size);
                }
            }
            StepPattern::Shift { by, size } => {
                self.start((rank + ranks - by) % ranks, 1, size, RECEIVE_SLOT, false);
                self.send((rank + by) % ranks, 1, size);
                self.wait(RECEIVE_SLOT);
            }
            StepPattern::Ahead { from, to, count } => {
                if rank == from {
                    self.send(to, 2, 0);
                    self.repeat(count, |own| own.send(to, 2, 0));
                } else if rank == to {
                    self.repeat(count, |own| own.receive(from, 2, 0));
                    self.receive(from, 2, 0);
                }
            }
            StepPattern::Prefetch {
                from,
                to,
                size,
                count,
            } => {
                let slot = FIRST_REQUEST_SLOT + 1;
                if rank == from {
                    self.repeat(count + 1, |own| own.send(to, 2, size));
                } else if rank == to {
                    self.start(from, 2, size, slot, false);
                    self.repeat(count, |own| {
                        own.wait(slot);
                        own.start(from, 2, size, slot, false);
                    });
                    self.wait(slot);
                }
            }
            StepPattern::Clock { rank: reader } if reader == rank => {
                self.steps.push(Step::Clock { clock: 0 })
            }
            StepPattern::Clock { .. } => {}
            StepPattern::Repeat { count, ref body } => self.repeat(count, |own| own.pieces(body)),
        }
    }
}

fn steps(ranks: u32, pieces: &[StepPattern]) -> Steps {
    let mut shared = SharedLists::default();
    for rank in 0..ranks {
        let mut stream = Stream {
            rank,
            ranks,
            steps: Vec::new(),
        };
        stream.pieces(pieces);
        shared.add_rank(StepList {
            steps: stream.steps,
            slots: FIRST_REQUEST_SLOT + 2,
            ..StepList::default()
        });
    }
    let (lists, ranks_, rank_channels) = shared.into_parts();
    let channel = |number: u32| Channel {
        communicator: CommId::WORLD,
        source: number / 3 / ranks,
        destination: number / 3 % ranks,
        tag: ChannelTag::Value(i64::from(number % 3)),
    };
    Steps {
        code: std::sync::OnceLock::new(),
        lists,
        ranks: ranks_,
        rank_channels,
        channels: (0..ranks * ranks * 3).map(channel).collect(),
        sizes: (0..SIZES)
            .map(|size| Size {
                link: LinkClass::BetweenNodes,
                bytes: size.into(),
                sending: Sending::Standard,
            })
            .collect(),
        clocks: vec![crate::replay::program::Clock {
            site: CallSiteId(0),
            path: None,
        }],
        variants: VARIANTS as usize,
        sites: 3,
        blocks: 2,
        ..Steps::default()
    }
    .compiled()
}

fn machine(ranks: u32, costs: [u8; 6]) -> MachineSide {
    let time = |index: usize| Time::from_picoseconds(i64::from(costs[index]));
    let eager = CallCosts {
        send: time(0),
        receive: time(1),
        network: time(2),
        start: time(3),
        complete: time(4),
        ..CallCosts::FREE
    };
    let (request, confirm, acknowledge) = (time(5), time(0), time(3));
    let rendezvous = CallCosts {
        protocol: Protocol::Rendezvous {
            request,
            confirm,
            acknowledge,
        },
        ..eager
    };
    let paired = CallCosts {
        protocol: Protocol::Paired,
        ..eager
    };
    MachineSide {
        pus: vec![Pu(0); ranks as usize],
        costs: vec![eager, rendezvous, paired],
        combine: Vec::new(),
    }
}

/// Times that repeat: of all ranks alike, or each its own.
struct Times {
    own: bool,
}

impl BlockTimes for Times {
    fn time(&mut self, rank: u32, variant: u32, first: bool) -> Time {
        let own = if self.own {
            i64::from(rank * 37 % 11)
        } else {
            0
        };
        Time::from_picoseconds(i64::from(variant) * 41 + own + if first { 500 } else { 0 })
    }

    fn state(&self, _rank: u32) -> Option<u64> {
        Some(0)
    }
}

fn table() -> BlockTimesTable {
    let time = |variant: u32| VariantTime {
        block: variant % 2,
        first: Typical::default(),
        warm: Typical::default(),
        coverage: if variant == 3 {
            Coverage::Missing
        } else {
            Coverage::Extrapolated { spread: 0.1 }
        },
        slowdown: 0.0,
        time_series: 0,
        unequal: 0,
    };
    BlockTimesTable {
        variants: (0..VARIANTS).map(time).collect(),
        own: vec![0..0; VARIANTS as usize],
        ..BlockTimesTable::default()
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn replays_agree(
        (ranks, pieces) in (2u32..6).prop_flat_map(|ranks| (Just(ranks), prop::collection::vec(piece(ranks), 1..6))),
        costs: [u8; 6],
        own: bool,
    ) {
        let (steps, machine, table) = (steps(ranks, &pieces), machine(ranks, costs), table());
        let plain = Reference::run(&steps, &machine, Times { own });
        let replay = || Replay {
            steps: &steps,
            machine: &machine,
            scales: LinkScales::ONE,
            times: Times { own },
            observer: TimeAccounts::new(&steps, &table),
        };
        let (mut watched, mut full) = (replay(), replay());
        let mut work = Workspace::default();
        let found = watched.run(&mut work);
        let expected = full.run_plainly(&mut work);
        prop_assert_eq!((found.messages, found.events), (plain.messages, plain.events));
        for (rank, plain) in plain.ranks.iter().enumerate() {
            prop_assert_eq!(found.ranks[rank].end, plain.clock);
            prop_assert_eq!(full.observer.split(rank), plain.split);
        }
        prop_assert_eq!(&found.ranks, &expected.ranks);
        prop_assert_eq!(&found.stuck, &expected.stuck);
        prop_assert_eq!((found.messages, found.events), (expected.messages, expected.events));
        prop_assert_eq!(watched.observer.cells(), full.observer.cells());
        prop_assert_eq!(watched.observer.computed(), full.observer.computed());
    }
}

/// Pieces that all ranks execute alike, and work of single ranks.
fn symmetric_piece(ranks: u32) -> impl Strategy<Value = StepPattern> {
    let leaf = prop_oneof![
        6 => (0..VARIANTS).prop_map(|variant| StepPattern::WorkOfAll { variant }),
        6 => (1..ranks, 0..SIZES).prop_map(|(by, size)| StepPattern::Shift { by, size }),
        1 => (0..ranks, 0..VARIANTS).prop_map(|(rank, variant)| StepPattern::Work { rank, variant }),
    ];
    leaf.prop_recursive(2, 8, 3, move |inner| {
        (0u64..20, prop::collection::vec(inner, 1..4))
            .prop_map(|(count, body)| StepPattern::Repeat { count, body })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn equivalent_ranks_stand_for_all(
        (ranks, pieces) in (2u32..9)
            .prop_flat_map(|ranks| (Just(ranks), prop::collection::vec(symmetric_piece(ranks), 1..5))),
        costs: [u8; 6],
    ) {
        let (steps, machine, table) = (steps(ranks, &pieces), machine(ranks, costs), table());
        let run = |steps: &Steps| {
            let mut replay = Replay {
                steps,
                machine: &machine,
                scales: LinkScales::ONE,
                times: Times { own: false },
                observer: TimeAccounts::new(steps, &table),
            };
            let outcome = replay.run(&mut Workspace::default());
            (replay.observer, outcome)
        };
        let (expected_accounts, expected) = run(&steps);
        let found = EquivalentRanks::of(&steps, &vec![1.0; ranks as usize]);
        prop_assert!(found.is_some() || steps.lists.len() > 1);
        if let Some(equivalent) = found {
            let (accounts, outcome) = run(&equivalent.steps);
            let accounts = accounts.of_all(&steps, &equivalent.group_of);
            let outcome = equivalent.outcome_of_all(outcome, &steps);
            prop_assert_eq!(&outcome.ranks, &expected.ranks);
            prop_assert_eq!((outcome.messages, outcome.events), (expected.messages, expected.events));
            prop_assert_eq!(accounts.cells(), expected_accounts.cells());
            prop_assert_eq!(accounts.computed(), expected_accounts.computed());
            for rank in 0..ranks as usize {
                prop_assert_eq!(accounts.split(rank), expected_accounts.split(rank));
            }
        }
    }
}

/// A sender that never waits and a slower receiver: no iteration repeats the one before it.
#[test]
fn replay_of_too_many_events_is_given_up() {
    let message = StepPattern::Message {
        from: 0,
        to: 1,
        size: 0,
        started: false,
    };
    let body = vec![
        message,
        StepPattern::Work {
            rank: 1,
            variant: 5,
        },
    ];
    let count = MOST_REPLAYED_EVENTS;
    let steps = steps(2, &[StepPattern::Repeat { count, body }]);
    let machine = machine(2, [0; 6]);
    let mut replay = Replay {
        steps: &steps,
        machine: &machine,
        scales: LinkScales::ONE,
        times: Times { own: false },
        observer: crate::replay::observer::NoObserver,
    };
    let outcome = replay.run(&mut Workspace::default());
    assert!(outcome.endless.is_some());
}

/// Replays that would take years without adding iterations at once.
#[test]
fn billion_iterations_are_added_in_closed_form() {
    let halo = || {
        vec![
            StepPattern::WorkOfAll { variant: 2 },
            StepPattern::Shift { by: 1, size: 0 },
            StepPattern::Shift { by: 2, size: 1 },
        ]
    };
    let many = 1_000_000_000;
    let inner = |count| StepPattern::Repeat {
        count,
        body: halo(),
    };
    let message = |from, to| StepPattern::Message {
        from,
        to,
        size: 0,
        started: false,
    };
    let wave = vec![
        StepPattern::WorkOfAll { variant: 4 },
        message(0, 1),
        message(1, 2),
        message(2, 3),
        message(3, 0),
    ];
    let cases: [(&str, Vec<StepPattern>); 4] = [
        ("one loop", vec![inner(many)]),
        (
            "nested loops",
            vec![StepPattern::Repeat {
                count: many,
                body: vec![
                    StepPattern::Work {
                        rank: 1,
                        variant: 5,
                    },
                    inner(many),
                ],
            }],
        ),
        (
            "inside a loop with marks",
            vec![StepPattern::Repeat {
                count: 3,
                body: vec![StepPattern::Clock { rank: 0 }, inner(many)],
            }],
        ),
        (
            "messages received an iteration later",
            vec![
                StepPattern::Ahead {
                    from: 0,
                    to: 2,
                    count: 50,
                },
                StepPattern::Repeat {
                    count: many,
                    body: wave,
                },
            ],
        ),
    ];
    for (name, pieces) in cases {
        let (steps, machine, table) =
            (steps(4, &pieces), machine(4, [3, 5, 100, 2, 4, 7]), table());
        for own in [false, true] {
            let observer = TimeAccounts::new(&steps, &table);
            let (machine, times) = (&machine, Times { own });
            let mut replay = Replay {
                steps: &steps,
                machine,
                scales: LinkScales::ONE,
                times,
                observer,
            };
            let found = replay.run(&mut Workspace::default());
            assert!(found.stuck.is_empty() && found.messages > many, "{name}");
        }
    }
}
