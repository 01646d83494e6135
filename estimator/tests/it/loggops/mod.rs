//! The `loggops` model against an independent reference ([`reference`]), to the nanosecond: end of
//! every rank on ring, halo, wavefront, recursive doubling, binomial tree, all-to-all and random
//! schedules, equal and unequal work, with and without waits for late receivers.

mod reference;

use crate::builder::*;
use base_data::program_data::Op;
use machine::Platform;
use proptest::prelude::*;
use reference::{Action, Parameters};

fn platform(p: Parameters) -> Platform {
    let values = [
        ("L", p.latency, "ns"),
        ("o", p.overhead, "ns"),
        ("O", p.overhead_per_byte, "ns/byte"),
        ("g", p.gap, "ns"),
        ("G", p.gap_per_byte, "ns/byte"),
        ("S", p.longest_eager, "bytes"),
    ];
    loggops(&values)
}

/// Time of each block in nanoseconds: equal, or all different.
fn block_time(block: u32, equal: bool) -> i64 {
    if equal {
        i64::from(block.min(1)) * 5000
    } else {
        i64::from(block) * 997 + i64::from(block * block % 13)
    }
}

/// A schedule whose work is given as numbers of blocks.
type Schedule = Vec<Vec<Action>>;

fn ops(actions: &[Action]) -> Vec<Op> {
    let op = |action: &Action| match action {
        Action::Work(block) => work(*block as u32),
        Action::Send { to, bytes } => send(1, *to, *bytes),
        Action::Receive { from, bytes } => receive(2, *from, *bytes),
        Action::StartSend { to, bytes, request } => isend(3, *to, *bytes, *request),
        Action::StartReceive {
            from,
            bytes,
            request,
        } => ireceive(4, *from, *bytes, *request),
        Action::Wait(requests) => wait(5, requests),
    };
    actions.iter().map(op).collect()
}

fn timed(actions: &[Action], equal: bool) -> Vec<Action> {
    let time = |action: &Action| match action {
        Action::Work(block) => Action::Work(block_time(*block as u32, equal)),
        other => other.clone(),
    };
    actions.iter().map(time).collect()
}

/// Ends of all ranks by the replay.
fn replayed_ends(schedule: &Schedule, parameters: Parameters, equal: bool) -> Vec<i64> {
    let blocks = (0..BLOCKS)
        .map(|block| (block, vec![block_time(block, equal) * 1000; 2]))
        .collect();
    let data = program(schedule.iter().map(|actions| ops(actions)).collect(), &[]);
    let inputs = estimator::Inputs {
        program: &data,
        compute: &[compute_of(blocks)],
    };
    let found = estimator::estimate(&inputs, &platform(parameters), &means()).expect("an estimate");
    found
        .per_rank
        .iter()
        .map(|rank| nanoseconds(rank.end))
        .collect()
}

/// Ends of all ranks by the replay, and by the reference.
fn both(schedule: &Schedule, parameters: Parameters, equal: bool) -> (Vec<i64>, Vec<i64>) {
    let timed: Vec<Vec<Action>> = schedule
        .iter()
        .map(|actions| timed(actions, equal))
        .collect();
    let found = replayed_ends(schedule, parameters, equal);
    (found, reference::ends(&timed, parameters))
}

/// Eager; long messages that wait for their receives; processors slower than the network; no overhead.
const PARAMETERS: [Parameters; 4] = [
    parameters([1000, 300, 0, 150, 1, 1 << 40]),
    parameters([1000, 300, 0, 150, 1, 500]),
    parameters([2500, 1500, 3, 4000, 1, 2000]),
    parameters([700, 0, 0, 900, 2, 1 << 40]),
];

const fn parameters(
    [
        latency,
        overhead,
        overhead_per_byte,
        gap,
        gap_per_byte,
        longest_eager,
    ]: [i64; 6],
) -> Parameters {
    Parameters {
        latency,
        overhead,
        overhead_per_byte,
        gap,
        gap_per_byte,
        longest_eager,
    }
}

fn check(make: impl Fn(u32) -> Schedule, sizes: &[u32]) {
    for &ranks in sizes {
        let schedule = make(ranks);
        // The reference is slow: of many ranks only what has both protocols.
        let parameters = if ranks > 100 {
            1..2
        } else {
            0..PARAMETERS.len()
        };
        for (number, parameters) in parameters.map(|number| (number, PARAMETERS[number])) {
            for equal in [true, false] {
                let (found, expected) = both(&schedule, parameters, equal);
                let first = found.iter().zip(&expected).position(|(a, b)| a != b);
                let what = format!(
                    "{ranks} ranks, parameters {number}, equal work {equal}, rank {first:?}"
                );
                assert_eq!(
                    first,
                    None,
                    "{what}: {:?}",
                    first.map(|rank| (found[rank], expected[rank]))
                );
            }
        }
    }
}

fn per_rank(ranks: u32, actions: impl Fn(u32) -> Vec<Action>) -> Schedule {
    (0..ranks).map(actions).collect()
}

fn work_of(rank: u32, round: u32) -> Action {
    Action::Work(i64::from((rank * 7 + round * 3) % BLOCKS))
}

/// Received and sent beside each other: `MPI_Irecv`, `MPI_Isend`, `MPI_Waitall`.
fn exchange(partners: &[u32], bytes: i64) -> Vec<Action> {
    let starts = partners.iter().zip(0..);
    let receives = starts.clone().map(|(&from, request)| Action::StartReceive {
        from,
        bytes,
        request,
    });
    let count = partners.len() as u32;
    let sends = starts.map(|(&to, request)| Action::StartSend {
        to,
        bytes,
        request: count + request,
    });
    let wait = Action::Wait((0..2 * count).collect());
    receives.chain(sends).chain([wait]).collect()
}

const SIZES: [u32; 6] = [2, 3, 8, 17, 64, 1024];

#[test]
fn ring() {
    let actions = |ranks: u32| {
        per_rank(ranks, |rank| {
            let round = |round: u32| {
                let (to, from) = ((rank + 1) % ranks, (rank + ranks - 1) % ranks);
                let receive = Action::StartReceive {
                    from,
                    bytes: 800,
                    request: 0,
                };
                [
                    work_of(rank, round),
                    receive,
                    Action::Send { to, bytes: 800 },
                    Action::Wait(vec![0]),
                ]
            };
            (0..3).flat_map(round).collect()
        })
    };
    check(actions, &SIZES);
}

#[test]
fn halo() {
    // A torus of as many columns as rows, or twice as many.
    let actions = |ranks: u32| {
        let columns = 1 << (ranks.ilog2().div_ceil(2));
        let rows = ranks / columns;
        per_rank(ranks, |rank| {
            let (row, column) = (rank / columns, rank % columns);
            let at = |row: u32, column: u32| (row % rows) * columns + column % columns;
            let partners = [
                at(row + 1, column),
                at(row + rows - 1, column),
                at(row, column + 1),
                at(row, column + columns - 1),
            ];
            (0..3)
                .flat_map(|round| [vec![work_of(rank, round)], exchange(&partners, 600)].concat())
                .collect()
        })
    };
    // Below four ranks, ranks would be their own neighbours.
    check(actions, &[4, 16, 32, 64, 1024]);
}

#[test]
fn wavefront() {
    let actions = |ranks: u32| {
        let columns = 1 << (ranks.ilog2() / 2);
        per_rank(ranks, |rank| {
            let (row, column) = (rank / columns, rank % columns);
            let sweep = |round: u32| {
                let mut actions = Vec::new();
                if row > 0 {
                    actions.push(Action::Receive {
                        from: rank - columns,
                        bytes: 40,
                    });
                }
                if column > 0 {
                    actions.push(Action::Receive {
                        from: rank - 1,
                        bytes: 700,
                    });
                }
                actions.push(work_of(rank, round));
                if rank + columns < ranks {
                    actions.push(Action::Send {
                        to: rank + columns,
                        bytes: 40,
                    });
                }
                if column + 1 < columns && rank + 1 < ranks {
                    actions.push(Action::Send {
                        to: rank + 1,
                        bytes: 700,
                    });
                }
                actions
            };
            (0..4).flat_map(sweep).collect()
        })
    };
    check(actions, &[2, 4, 8, 64, 512]);
}

#[test]
fn recursive_doubling() {
    let actions = |ranks: u32| {
        per_rank(ranks, |rank| {
            let rounds = (0..ranks.ilog2()).map(|bit| (bit, rank ^ (1 << bit)));
            rounds
                .flat_map(|(bit, partner)| {
                    [vec![work_of(rank, bit)], exchange(&[partner], 900)].concat()
                })
                .collect()
        })
    };
    check(actions, &[2, 4, 16, 256, 1024]);
}

#[test]
fn binomial_tree() {
    let actions = |ranks: u32| {
        per_rank(ranks, |rank| {
            let rounds = ranks.next_power_of_two().ilog2();
            let level = if rank == 0 {
                rounds
            } else {
                rank.trailing_zeros()
            };
            let mut actions = vec![work_of(rank, 0)];
            if rank > 0 {
                actions.push(Action::Receive {
                    from: rank - (1 << level),
                    bytes: 1000,
                });
            }
            let children = (0..level)
                .rev()
                .map(|bit| rank + (1 << bit))
                .filter(|child| *child < ranks);
            actions.extend(children.map(|to| Action::Send { to, bytes: 1000 }));
            actions
        })
    };
    check(actions, &SIZES);
}

fn all_to_all(ranks: u32) -> Schedule {
    per_rank(ranks, |rank| {
        let partners: Vec<u32> = (1..ranks).map(|by| (rank + by) % ranks).collect();
        [vec![work_of(rank, 0)], exchange(&partners, 64)].concat()
    })
}

#[test]
fn all_to_all_linear() {
    check(all_to_all, &[2, 3, 8, 64]);
}

#[test]
#[ignore = "long: 8 million messages through the reference"]
fn all_to_all_linear_of_1024_ranks() {
    check(all_to_all, &[1024]);
}

/// Pieces that all ranks see in one order, so that they never deadlock.
fn random_schedule() -> impl Strategy<Value = Schedule> {
    let ranks = prop_oneof![2u32..12, 2u32..80];
    ranks.prop_flat_map(|ranks| {
        let piece = (0..ranks, 1..ranks, 0i64..3000, 0u32..BLOCKS, 0u32..4);
        prop::collection::vec(piece, 1..60).prop_map(move |pieces| random_actions(ranks, &pieces))
    })
}

fn random_actions(ranks: u32, pieces: &[(u32, u32, i64, u32, u32)]) -> Schedule {
    let mut schedule = vec![Vec::new(); ranks as usize];
    let mut open: Vec<Vec<u32>> = vec![Vec::new(); ranks as usize];
    for (&(from, by, bytes, block, kind), request) in pieces.iter().zip(0..) {
        let to = (from + by) % ranks;
        let (sender, receiver) = (from as usize, to as usize);
        schedule[sender].push(Action::Work(block.into()));
        match kind {
            0 => {
                schedule[sender].push(Action::Send { to, bytes });
                schedule[receiver].push(Action::Receive { from, bytes });
            }
            1 => {
                schedule[receiver].push(Action::StartReceive {
                    from,
                    bytes,
                    request,
                });
                schedule[sender].push(Action::StartSend { to, bytes, request });
                open[sender].push(request);
                open[receiver].push(request);
            }
            _ => {
                schedule[sender].push(Action::StartSend { to, bytes, request });
                open[sender].push(request);
                schedule[receiver].push(Action::Work((block / 2).into()));
                schedule[receiver].push(Action::Receive { from, bytes });
            }
        }
        if kind == 3 && !open[receiver].is_empty() {
            schedule[receiver].push(Action::Wait(std::mem::take(&mut open[receiver])));
        }
    }
    for (actions, open) in schedule.iter_mut().zip(open) {
        if !open.is_empty() {
            actions.push(Action::Wait(open));
        }
    }
    schedule
}

/// So many random cases, unless `PROPTEST_CASES` says how many.
fn cases(usual: u32) -> ProptestConfig {
    let given = ProptestConfig::default();
    let cases = if std::env::var_os("PROPTEST_CASES").is_some() {
        given.cases
    } else {
        usual
    };
    ProptestConfig { cases, ..given }
}

proptest! {
    #![proptest_config(cases(150))]

    #[test]
    fn random(
        schedule in random_schedule(),
        latency in 1i64..3000, overhead in 0i64..500, per_byte in 0i64..3,
        gap in 0i64..2000, gap_per_byte in 0i64..3, limit in 0i64..4000, equal: bool,
    ) {
        let parameters = parameters([latency, overhead, per_byte, gap, gap_per_byte, limit]);
        let (found, expected) = both(&schedule, parameters, equal);
        prop_assert_eq!(found, expected);
    }

    /// Messages of a rank to itself take no time, but affect no other rank.
    #[test]
    fn buckets_give_the_ends_of_the_strict_order(
        schedule in random_schedule(),
        latency in 1i64..3000, overhead in 0i64..500, gap in 0i64..2000,
    ) {
        let parameters = parameters([latency, overhead, 1, gap, 1, LONGEST_EAGER]);
        let schedule = with_messages_to_self(schedule);
        let ranks = schedule.len();
        let in_buckets = replayed_ends(&schedule, parameters, false);
        let in_order = replayed_ends(&with_rendezvous(schedule), parameters, false);
        prop_assert_eq!(&in_buckets[..], &in_order[..ranks]);
    }
}

/// Longer than every message of a random schedule.
const LONGEST_EAGER: i64 = 4000;

/// Each rank sends to itself first and last.
fn with_messages_to_self(schedule: Schedule) -> Schedule {
    let mut all = Vec::new();
    for (rank, actions) in (0..).zip(schedule) {
        let own = exchange(&[rank], 100);
        all.push([own.clone(), actions, own].concat());
    }
    all
}

/// Two further ranks exchange a message that waits for its receive, which forces the strict order.
fn with_rendezvous(mut schedule: Schedule) -> Schedule {
    let (from, bytes) = (schedule.len() as u32, LONGEST_EAGER + 1);
    let to = from + 1;
    schedule.push(vec![Action::Send { to, bytes }]);
    schedule.push(vec![Action::Receive { from, bytes }]);
    schedule
}

/// The call that completes a started transfer needs the processor, so the long message that was sent
/// before goes first, and its receive is called when the processor is done with it.
#[test]
fn completing_a_transfer_needs_the_processor() {
    use Action::*;
    let long = |to| Send { to, bytes: 3000 };
    let sender = vec![
        StartSend {
            to: 1,
            bytes: 8,
            request: 0,
        },
        Send { to: 1, bytes: 8 },
        long(1),
        Wait(vec![0]),
    ];
    let receiver = vec![
        StartReceive {
            from: 0,
            bytes: 8,
            request: 0,
        },
        Work(1),
        Receive { from: 0, bytes: 8 },
        Wait(vec![0]),
        Receive {
            from: 0,
            bytes: 3000,
        },
    ];
    let (found, expected) = both(&vec![sender, receiver], PARAMETERS[2], true);
    assert_eq!(found, expected);
}

/// A wait has its turn among the messages by when it became possible, before what was sent later. The
/// receive behind it is then called at the same time, though such a message takes the processor next:
/// the sender of a long message goes on at the end of the wait.
#[test]
fn a_wait_goes_before_messages_that_were_sent_later() {
    use Action::*;
    let send = |bytes| Send { to: 1, bytes };
    let receiver = vec![
        StartReceive {
            from: 2,
            bytes: 3000,
            request: 0,
        },
        Wait(vec![0]),
        Receive {
            from: 0,
            bytes: 600,
        },
        Receive { from: 3, bytes: 8 },
    ];
    let schedule = vec![
        vec![send(600)],
        receiver,
        vec![Work(5), send(3000)],
        vec![Work(7), send(8)],
    ];
    let (found, expected) = both(&schedule, PARAMETERS[1], false);
    assert_eq!(found, expected);
    let wait_ends = block_time(5, false) + 1300 + 3299;
    assert_eq!(found[0], wait_ends);
}
