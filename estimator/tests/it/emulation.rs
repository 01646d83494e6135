//! The engine of emulations, with ranks that are lists of calls.

use crate::builder;
use base_data::emulation::{
    Action, Answer, Completed, ElementCounts, Engine, Matched, Operation, Outcome, Query,
    Submission, Turn,
};
use base_data::mpi::{BasicDatatype, Datatype};
use base_data::program_data::{CollectiveKind, SendMode};
use base_data::{BlockId, Time};
use estimator::emulation::{Emulation, mean_block_times};
use machine::{Platform, platforms};

const WORLD: u64 = 1;

fn platform() -> Platform {
    platforms::load("fast-ethernet").expect("a bundled platform")
}

fn milliseconds(time: i64) -> Time {
    Time::from_nanoseconds(time * 1_000_000)
}

fn send(destination: u32, tag: i32, number: u64) -> Action {
    Action::Send {
        slot: 0,
        context: WORLD,
        destination,
        tag,
        bytes: 8,
        mode: SendMode::Standard,
        number,
        blocking: true,
    }
}

fn receive(slot: u32, source: Option<u32>, blocking: bool) -> Action {
    Action::Receive {
        slot,
        context: WORLD,
        source,
        tag: Some(7),
        bytes: 8,
        blocking,
    }
}

fn call(computed: i64, actions: Vec<Action>, query: Query) -> Submission {
    Submission {
        computed: milliseconds(computed),
        actions,
        query,
        ..Submission::default()
    }
}

/// Answers of each rank to its calls, and to its end; `Err` names the rank that reports that none can go on.
fn answers(scripts: &[Vec<Submission>]) -> Result<Vec<Vec<Answer>>, u32> {
    let platform = platform();
    let mut engine = Emulation::new(&platform, Some("loggps-p"), scripts.len() as u32)
        .expect("a platform with room");
    let mut next = vec![0; scripts.len()];
    let mut answers = vec![Vec::new(); scripts.len()];
    loop {
        match engine.next_turn() {
            Turn::Resume(rank, answer) => {
                let place = rank as usize;
                // The first answer is that to MPI_Init.
                if next[place] > 0 {
                    answers[place].push(answer);
                }
                let end = call(0, Vec::new(), Query::Finalize);
                let submission = scripts[place].get(next[place]).unwrap_or(&end);
                next[place] += 1;
                engine.submit(rank, submission).expect("calls that fit");
            }
            Turn::End(rank, answer) => answers[rank as usize].push(answer),
            Turn::Over => return Ok(answers),
            Turn::Stuck(rank) => return Err(rank),
        }
    }
}

fn got(answer: &Answer) -> Vec<(u32, u64)> {
    let Outcome::Completed(completed) = &answer.outcome else {
        panic!("{answer:?}");
    };
    let matched = completed.iter().filter_map(|one| one.matched);
    matched.map(|one| (one.source, one.number)).collect()
}

/// MSE, table 2: o = 12.1 + 0.182·P + 0.0708·k µs, L = 50 µs, G = 0.0268 µs, the receiver's O 0.0722.
#[test]
fn a_message_takes_what_its_model_says() {
    let answers = answers(&[
        vec![call(1, vec![send(1, 7, 1)], Query::All(vec![0]))],
        vec![call(
            0,
            vec![receive(0, Some(0), true)],
            Query::All(vec![0]),
        )],
    ])
    .unwrap();
    let sent = 1_000_000_000 + 12_100_000 + 2 * 182_000 + 8 * 70_800;
    assert_eq!(answers[0][0].now, Time::from_picoseconds(sent));
    let arrived = sent + 50_000_000 + 8 * 26_800;
    let received = arrived + 12_100_000 + 2 * 182_000 + 8 * 72_200;
    assert_eq!(answers[1][0].now, Time::from_picoseconds(received));
    assert_eq!(got(&answers[1][0]), [(0, 1)]);
}

#[test]
fn a_wildcard_takes_what_arrives_first() {
    let any = || call(0, vec![receive(0, None, true)], Query::All(vec![0]));
    let later = |computed| vec![call(computed, vec![send(0, 7, 1)], Query::All(vec![0]))];
    let answers = answers(&[vec![any(), any(), any()], later(30), later(10), later(20)]).unwrap();
    let sources: Vec<_> = answers[0][..3].iter().flat_map(got).collect();
    assert_eq!(sources, [(2, 1), (3, 1), (1, 1)]);
}

/// Messages of one sender that a receive with any tag may match keep their order, although the short one arrives before the
/// long one.
#[test]
fn a_receive_with_any_tag_takes_what_was_sent_first() {
    let mut long = send(1, 7, 1);
    if let Action::Send { bytes, .. } = &mut long {
        *bytes = 100_000;
    }
    let sends = vec![
        call(0, vec![long], Query::All(vec![0])),
        call(0, vec![send(1, 8, 2)], Query::All(vec![0])),
    ];
    let any = || {
        let receive = Action::Receive {
            slot: 0,
            context: WORLD,
            source: None,
            tag: None,
            bytes: 100_000,
            blocking: true,
        };
        call(0, vec![receive], Query::All(vec![0]))
    };
    let answers = answers(&[sends, vec![any(), any()]]).unwrap();
    let numbers: Vec<_> = answers[1][..2].iter().flat_map(got).collect();
    assert_eq!(numbers, [(0, 1), (0, 2)]);
}

#[test]
fn waits_for_any_and_some_take_what_is_complete() {
    let open = (0..3).map(|slot| receive(slot, Some(slot + 1), false));
    let later = |computed| vec![call(computed, vec![send(0, 7, 1)], Query::All(vec![0]))];
    let answers = answers(&[
        vec![
            call(0, open.collect(), Query::Nothing),
            call(0, Vec::new(), Query::Any(vec![0, 1, 2])),
            call(90, Vec::new(), Query::Some(vec![0, 2])),
        ],
        later(30),
        later(10),
        later(20),
    ])
    .unwrap();
    assert_eq!(got(&answers[0][1]), [(2, 1)]);
    assert_eq!(got(&answers[0][2]), [(1, 1), (3, 1)]);
}

/// A poll that finds nothing says until when an equal one will find nothing; one of a rank that spins is answered then.
#[test]
fn polls_find_nothing_until_something_happens() {
    let poll = |computed, spins| Submission {
        spins,
        ..call(
            computed,
            Vec::new(),
            Query::Probe {
                context: WORLD,
                source: None,
                tag: None,
                blocking: false,
            },
        )
    };
    let answers = answers(&[
        vec![poll(1, false), poll(1, true), poll(10, false)],
        vec![call(5, vec![send(0, 7, 3)], Query::All(vec![0]))],
    ])
    .unwrap();
    let nothing = Outcome::Completed(Vec::new());
    assert_eq!(answers[0][0].outcome, nothing);
    assert_eq!(answers[0][0].now, milliseconds(1));
    // Rank 1 does not act before.
    assert_eq!(answers[0][0].quiet_until, milliseconds(5));
    assert_eq!(answers[0][1].outcome, nothing);
    assert_eq!(answers[0][1].now, milliseconds(5));
    let found = Matched {
        source: 1,
        tag: 7,
        bytes: 8,
        number: 3,
    };
    assert_eq!(answers[0][2].outcome, Outcome::Found(found));
}

fn probe(blocking: bool) -> Query {
    Query::Probe {
        context: WORLD,
        source: None,
        tag: None,
        blocking,
    }
}

/// Ranks that only poll may stop that at any time: none is said to poll in vain for ever while another polls.
#[test]
fn ranks_that_poll_take_turns() {
    let poll = |computed| Submission {
        spins: true,
        ..call(computed, Vec::new(), probe(false))
    };
    let answers = answers(&[
        vec![poll(1), poll(2), poll(2)],
        vec![
            poll(1),
            poll(3),
            call(4, vec![send(0, 7, 1)], Query::All(vec![0])),
        ],
        vec![call(
            0,
            vec![receive(0, Some(0), true)],
            Query::All(vec![0]),
        )],
    ]);
    // Rank 2 waits for what rank 0 never sends.
    assert_eq!(answers, Err(2));
    let poll_twice = vec![poll(1), poll(2)];
    let answers = self::answers(&[poll_twice.clone(), poll_twice]).unwrap();
    for answers in &answers {
        assert!(answers[0].quiet_until <= milliseconds(3), "{answers:?}");
    }
}

/// A poll that finds a message says by how much a wait in place of it and the polls before would be over earlier.
#[test]
fn a_poll_that_succeeds_knows_when_its_replay_is_over() {
    let sender = || vec![call(5, vec![send(0, 7, 3)], Query::All(vec![0]))];
    let waits = vec![call(2, Vec::new(), probe(true))];
    let polls = vec![Submission {
        polled_before: milliseconds(18),
        polled: milliseconds(18),
        ..call(2, Vec::new(), probe(false))
    }];
    let waited = answers(&[waits, sender()]).unwrap();
    let polled = answers(&[polls, sender()]).unwrap();
    let (waited, polled) = (&waited[0][0], &polled[0][0]);
    assert_eq!(waited.outcome, polled.outcome);
    assert!(polled.now >= milliseconds(20));
    assert_eq!(polled.now - polled.ahead, waited.now);
}

/// A barrier that some ranks start.
fn started_barrier(members: u32) -> Action {
    Action::Collective {
        slot: Some(1),
        row: 0,
        context: WORLD,
        members: Some((0..members).collect()),
        operation: Operation::Data {
            kind: CollectiveKind::Barrier,
            root: None,
            sent: ElementCounts::Same(0),
            received: None,
            datatype: Datatype::basic(BasicDatatype::Byte),
            reduce_op: None,
        },
    }
}

/// Ranks wait for a barrier that rank 0 has started before it looks for a message that one of them sends behind the barrier.
#[test]
fn a_started_collective_proceeds_while_its_rank_probes() {
    let start = |computed| call(computed, vec![started_barrier(4)], Query::Nothing);
    let wait = || call(0, Vec::new(), Query::All(vec![1]));
    let waits = || vec![start(5), wait()];
    let sends = || {
        vec![
            start(5),
            wait(),
            call(0, vec![send(0, 7, 1)], Query::All(vec![0])),
        ]
    };
    let receive = || call(0, vec![receive(0, Some(1), true)], Query::All(vec![0]));
    let poll = call(1, Vec::new(), probe(false));
    for looks in [
        vec![call(0, Vec::new(), probe(true))],
        vec![poll.clone(); 30],
    ] {
        let first = [vec![start(0)], looks, vec![receive(), wait()]].concat();
        let answers = answers(&[first, sends(), waits(), waits()]).expect("a run that ends");
        let is_found = |answer: &Answer| matches!(answer.outcome, Outcome::Found(_));
        assert!(answers[0].iter().any(is_found), "{:?}", answers[0]);
    }
}

/// A started collective goes on while it is tested, and other messages pass meanwhile.
#[test]
fn a_started_collective_proceeds_when_it_is_tested() {
    let start = || started_barrier(2);
    let test = |computed| call(computed, Vec::new(), Query::TestAll(vec![1]));
    let answers = answers(&[
        vec![
            call(0, vec![start()], Query::Nothing),
            test(1),
            call(0, vec![receive(0, Some(1), true)], Query::All(vec![0])),
            test(20),
            test(1),
        ],
        vec![
            call(5, vec![send(0, 7, 1)], Query::All(vec![0])),
            call(0, vec![start()], Query::Nothing),
            call(0, Vec::new(), Query::All(vec![1])),
        ],
    ])
    .unwrap();
    let nothing = Outcome::Completed(Vec::new());
    assert_eq!(answers[0][1].outcome, nothing);
    assert_eq!(got(&answers[0][2]), [(1, 1)]);
    let done = Outcome::Completed(vec![Completed {
        slot: 1,
        matched: None,
    }]);
    assert!(
        answers[0][3].outcome == done || answers[0][4].outcome == done,
        "{:?}",
        answers[0]
    );
}

#[test]
fn ranks_that_wait_for_each_other_are_stuck() {
    let wait = |source| {
        vec![call(
            0,
            vec![receive(0, Some(source), true)],
            Query::All(vec![0]),
        )]
    };
    assert_eq!(answers(&[wait(1), wait(0)]), Err(0));
}

/// Blocks without compute data take no time.
#[test]
fn blocks_of_slices_take_the_means_of_their_times() {
    let program = builder::program(vec![Vec::new(), Vec::new()], &[]);
    let measured = vec![(0, vec![1_000_000, 3_000_000]), (2, vec![5_000_000; 3])];
    let compute = builder::compute_of(measured);
    let found = mean_block_times(&program, &[compute], &platform()).unwrap();
    let expected = [2, 0, 5].map(|time| Time::from_nanoseconds(1000 * time));
    for times in &found.times {
        assert_eq!(times.len(), builder::BLOCKS as usize);
        assert_eq!(times[..3], expected);
    }
    assert_eq!(found.times.len(), 2);
    assert_eq!(found.missing.len(), builder::BLOCKS as usize - 2);
    assert_eq!(found.missing[..2], [BlockId(1), BlockId(3)]);
}
