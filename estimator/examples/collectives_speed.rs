//! How fast collectives are expanded into messages and replayed.
//!
//! `cargo run --release -p estimator --example collectives_speed` prints one `NAME VALUE UNIT` line: messages per second
//! of one core for an allreduce of 64 KiB and an all-to-all of 1,024 ranks whose blocks have different lengths, from
//! program data to the total: schedules, checks and replay are counted.
#![forbid(unsafe_code)]

#[path = "../tests/it/builder.rs"]
#[allow(dead_code)]
mod builder;

use base_data::RankSet;
use base_data::program_data::{Call, CollectiveKind, Counts, Op, Operand, ProgramData, RankClass};
use builder::{call, collective, compute, with_classes, with_parameters};
use estimator::{Inputs, Options};
use std::error::Error;
use std::time::Instant;

const RANKS: u32 = 1024;
const REPETITIONS: usize = 3;

/// Like a cluster of this decade: L 1.5 µs, o 0.4 µs, g 0.3 µs, 0.1 ns per byte.
const PARAMETERS: [(&str, f64, &str); 5] = [
    ("L", 1500.0, "ns"),
    ("o", 400.0, "ns"),
    ("O", 0.02, "ns/byte"),
    ("g", 300.0, "ns"),
    ("G", 0.1, "ns/byte"),
];

/// All ranks call an allreduce of 8,192 doubles and an all-to-all with counts from 1 to 7.
fn calls() -> ProgramData {
    let exchange: Op = call(
        2,
        Call::Collective {
            kind: CollectiveKind::Alltoall,
            communicator: Operand::Constant(0),
            root: None,
            counts: Counts::PerRank(0),
            receive_counts: Some(Counts::PerRank(0)),
            datatype: 1,
            reduce_op: None,
            request: None,
        },
    );
    let class = RankClass {
        ranks: RankSet::all(RANKS),
        stream: vec![
            collective(1, CollectiveKind::Allreduce, 0, None, 8192),
            exchange,
        ],
    };
    // What a rank sends to another it also receives from it.
    let mut counts = Vec::new();
    for rank in 0..RANKS {
        counts.push(
            (0..RANKS)
                .map(|other| 1 + u64::from(rank + other) % 7)
                .collect(),
        );
    }
    ProgramData {
        count_tables: vec![counts],
        ..with_classes(vec![class], &[])
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let data = calls();
    let compute = [compute()];
    let platform = with_parameters("loggops", RANKS, &PARAMETERS);
    let options = Options {
        draws: 0,
        explain: false,
        ..Options::default()
    };
    let mut best: f64 = 0.0;
    for _ in 0..REPETITIONS {
        let inputs = Inputs {
            program: &data,
            compute: &compute,
        };
        let start = Instant::now();
        let estimate = estimator::estimate_total(&inputs, &platform, &options)?;
        let seconds = start.elapsed().as_secs_f64();
        best = best.max(estimate.replayed_messages as f64 / seconds);
    }
    println!("replay.collectives_1024 {best:.0} messages/s");
    Ok(())
}
