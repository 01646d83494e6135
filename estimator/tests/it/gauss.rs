//! The study of Ino et al. 2001, §4.3–4.5, with a program of our own: Gaussian elimination without pivoting, columns dealt out
//! to 16 processes in panels of two, one panel looked ahead. The paper's program is not printed; of it only the longest
//! message is known, 16n − 64 bytes. Here that is the second panel below its own rows (every process eliminates the
//! first by itself): 2 columns of n − 4 numbers.
//!
//! What must come out: long messages wait for receivers that are still computing, which halves the speed; with a higher
//! threshold, or with messages in pieces, they do not; LogGP-1 does not see it, LogGP-2 does.

use crate::builder::{compute_of, means, program, receive, send};
use base_data::compute_data::{ComputeData, ComputeEntry};
use base_data::distribution::Distribution;
use base_data::estimate_file::Category::{self, *};
use base_data::program_data::{Op, Operand, ProgramData, Variant};
use base_data::{BlockId, Time};
use estimator::{Inputs, Options};
use machine::Platform;
use machine::platform::Change;
use std::collections::BTreeMap;

const PROCESSES: u32 = 16;
const PANEL: u32 = 2;
const NUMBER: i64 = 8;
/// Of one process, as the paper's times at n = 4096 without waiting give it: 92 million operations a second.
const PICOSECONDS_PER_OPERATION: i64 = 10_870;

/// The streams as they are made, and the variant of each number of operations.
struct Elimination {
    n: u32,
    variants: BTreeMap<i64, usize>,
}

impl Elimination {
    /// Computes so many operations.
    fn work(&mut self, operations: i64) -> Op {
        let next = self.variants.len();
        let variant = *self.variants.entry(operations).or_insert(next);
        Op::Block {
            block: BlockId(0),
            variant: Operand::Constant(variant as i64),
        }
    }

    /// Rows below a panel.
    fn below(&self, panel: u32) -> i64 {
        i64::from(self.n - PANEL * (panel + 1))
    }

    /// Updating one panel with the columns of another: two columns, each by two multiples of a column.
    fn update(&self, with: u32) -> i64 {
        self.below(with) * i64::from(PANEL * PANEL) * 2
    }

    fn process(&mut self, rank: u32) -> Vec<Op> {
        let (panels, owner) = (self.n / PANEL, |panel: u32| panel % PROCESSES);
        let mut ops = Vec::new();
        for panel in 0..panels - 1 {
            let bytes = |panel| i64::from(PANEL) * NUMBER * self.below(panel);
            if panel > 0 && owner(panel) != rank && bytes(panel) > 0 {
                ops.push(receive(2, owner(panel), bytes(panel)));
            }
            let mut own = (panel + 1..panels)
                .filter(|&later| owner(later) == rank)
                .count() as i64;
            let next = panel + 1;
            if owner(next) == rank {
                let bytes = bytes(next);
                let eliminating = self.update(panel) + self.below(next) * i64::from(PANEL + 1);
                let ahead = self.work(eliminating);
                ops.push(ahead);
                if bytes > 0 {
                    ops.extend((1..PROCESSES).map(|to| send(1, (rank + to) % PROCESSES, bytes)));
                }
                own -= 1;
            }
            if own > 0 {
                let rest = self.work(own * self.update(panel));
                ops.push(rest);
            }
        }
        ops
    }
}

fn elimination(n: u32) -> (ProgramData, ComputeData) {
    let mut made = Elimination {
        n,
        variants: BTreeMap::new(),
    };
    let streams = (0..PROCESSES).map(|rank| made.process(rank)).collect();
    let mut variants = vec![
        Variant {
            block: BlockId(0),
            terms: Vec::new()
        };
        made.variants.len()
    ];
    for (operations, number) in made.variants {
        variants[number].terms = vec![operations];
    }
    (
        ProgramData {
            variants,
            ..program(streams, &[])
        },
        at_one_rate(),
    )
}

/// Times of two numbers of operations, from which those of all others follow.
fn at_one_rate() -> ComputeData {
    let whole = compute_of(vec![(0, vec![1; 3])]);
    let entry = |operations: i64| ComputeEntry {
        terms: vec![operations],
        warm: Distribution::of(vec![operations * PICOSECONDS_PER_OPERATION; 3]),
        ..whole.entries[0].clone()
    };
    ComputeData {
        entries: [1_000, 1_000_000].map(entry).into(),
        ..whole
    }
}

/// Time, and share of each category in the mean over processes.
struct Breakdown {
    time: Time,
    share: [f64; 6],
}

impl Breakdown {
    fn of(data: &(ProgramData, ComputeData), platform: &Platform, model: &str) -> Self {
        let options = Options {
            model: Some(model.into()),
            ..means()
        };
        let inputs = Inputs {
            program: &data.0,
            compute: std::slice::from_ref(&data.1),
        };
        let found = estimator::estimate(&inputs, platform, &options).expect("an estimate");
        let sum = |category: Category| -> f64 {
            found
                .per_rank
                .iter()
                .map(|rank| rank.split[category.index()].seconds())
                .sum()
        };
        let whole: f64 = Category::ALL.map(sum).iter().sum();
        Self {
            time: found.headline,
            share: Category::ALL.map(|category| sum(category) / whole),
        }
    }

    fn share(&self, category: Category) -> f64 {
        self.share[category.index()]
    }

    fn waits(&self) -> f64 {
        self.share(SendWait) + self.share(ReceiveWait)
    }
}

fn myrinet() -> Platform {
    machine::platforms::load("myrinet-2001").expect("a bundled platform")
}

fn changed(change: Change) -> Platform {
    myrinet()
        .changed("loggps", None, &change)
        .expect("a parameter of the model")
}

fn near(found: Time, expected: Time, share: f64) -> bool {
    (found.seconds() / expected.seconds() - 1.0).abs() <= share
}

#[test]
fn the_longest_message_is_the_papers() {
    for n in [256, 1024, 4096] {
        let made = Elimination {
            n,
            variants: BTreeMap::new(),
        };
        assert_eq!(
            i64::from(PANEL) * NUMBER * made.below(1),
            i64::from(16 * n - 64)
        );
    }
}

#[test]
fn up_to_1024_no_sender_waits() {
    for n in [256, 1024] {
        let data = elimination(n);
        let found = Breakdown::of(&data, &myrinet(), "loggps");
        assert_eq!(
            found.share(SendWait),
            0.0,
            "{n}: no message is longer than S"
        );
        let without = Breakdown::of(&data, &myrinet(), "loggp-1").time;
        assert!(
            near(without, found.time, 0.1),
            "{n}: no rank waits for a receiver: {without}, {}",
            found.time
        );
    }
}

/// The paper's times at n = 2048 (tables 7 and 10): 7.59 s, 4.44 s in pieces, 4.53 s by LogGP-1, 7.49 s by LogGP-2.
#[test]
fn above_1024_the_senders_wait() {
    let data = elimination(2048);
    let before = Breakdown::of(&data, &myrinet(), "loggps");
    let (send, receive) = (before.share(SendWait), before.share(ReceiveWait));
    assert!(send > 0.25 && send > 3.0 * receive, "{:?}", before.share);
    let pieces = Breakdown::of(&data, &changed(Change::Pieces(16383)), "loggps").time;
    assert!(
        near(pieces, before.time.scaled(4.44 / 7.59), 0.1),
        "{pieces} of {}",
        before.time
    );
    let loggp_1 = Breakdown::of(&data, &myrinet(), "loggp-1");
    assert!(
        near(loggp_1.time, before.time.scaled(4.53 / 7.59), 0.1),
        "it misses the wait: {}",
        loggp_1.time
    );
    let loggp_2 = Breakdown::of(&data, &myrinet(), "loggp-2").time;
    assert!(
        near(loggp_2, before.time, 0.04),
        "{loggp_2} of {}",
        before.time
    );
}

/// The paper's times at n = 4096: 62.1 s, half of it waiting, and 33.3 s with the higher threshold, 7 % of it waiting.
#[test]
fn a_higher_threshold_saves_half() {
    let data = elimination(4096);
    let before = Breakdown::of(&data, &myrinet(), "loggps");
    assert!(
        (0.40..0.60).contains(&before.waits()) && before.share(ReceiveWait) < 0.05,
        "{:?}",
        before.share
    );
    let after = Breakdown::of(&data, &changed(Change::EagerThreshold(65536)), "loggps");
    assert!(after.waits() < 0.10, "{:?}", after.share);
    assert!(
        near(after.time, before.time.scaled(33.3 / 62.1), 0.05),
        "{} of {}",
        after.time,
        before.time
    );
}
