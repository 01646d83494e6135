//! How fast the replay in the order of time is: messages per second of one core under LogGOPS, block
//! times drawn for every execution.
//!
//! `cargo run --release -p estimator --example timed_speed [FIGURE]` prints `NAME VALUE UNIT` lines:
//! a halo exchange on a torus (1,024 ranks), a linear all-to-all (1,024 ranks), and the time per message
//! of the halo at 8,192 ranks over that at 64. What prepares and checks the program is not counted.
#![forbid(unsafe_code)]

#[path = "../tests/it/builder.rs"]
#[allow(dead_code)]
mod builder;
mod timing;

use base_data::program_data::Op;
use builder::{compute_of, ireceive, isend, program, repeat, wait, with_parameters, work};
use estimator::{Inputs, Options};
use std::error::Error;
use timing::{processor_seconds, seconds_per_draw};

/// Like a cluster of this decade: L 1.5 µs, o 0.4 µs, g 0.3 µs, 0.1 ns per byte.
const PARAMETERS: [(&str, f64, &str); 5] = [
    ("L", 1500.0, "ns"),
    ("o", 400.0, "ns"),
    ("O", 0.02, "ns/byte"),
    ("g", 300.0, "ns"),
    ("G", 0.1, "ns/byte"),
];

/// `MPI_Irecv` from and `MPI_Isend` to each partner, `MPI_Waitall`.
fn exchange(from: &[u32], to: &[u32], bytes: i64) -> Vec<Op> {
    let count = from.len() as u32;
    let receives = from
        .iter()
        .zip(0..)
        .map(|(&from, request)| ireceive(1, from, bytes, request));
    let sends = to
        .iter()
        .zip(count..)
        .map(|(&to, request)| isend(2, to, bytes, request));
    let requests: Vec<u32> = (0..2 * count).collect();
    receives.chain(sends).chain([wait(3, &requests)]).collect()
}

/// Neighbours on a torus whose sides are powers of two.
fn neighbours(rank: u32, ranks: u32) -> [u32; 4] {
    let columns = 1 << ranks.ilog2().div_ceil(2);
    let (row, column) = (rank / columns, rank % columns);
    let at = |row: u32, column: u32| (row % (ranks / columns)) * columns + column % columns;
    let last = ranks / columns - 1;
    [
        at(row + 1, column),
        at(row + last, column),
        at(row, column + 1),
        at(row, column + columns - 1),
    ]
}

/// Links of 10 GB/s that carry a little less while both directions are busy.
const FLOW: [(&str, f64, &str); 6] = [
    ("L", 1500.0, "ns"),
    ("o_send", 400.0, "ns"),
    ("o_recv", 400.0, "ns"),
    ("G", 0.1, "ns/byte"),
    ("h", 64.0, "bytes"),
    ("duplex", 0.95, "ratio"),
];

fn halo(rank: u32, ranks: u32, iterations: u64) -> Vec<Op> {
    let partners = neighbours(rank, ranks);
    repeat(
        iterations,
        [vec![work(1)], exchange(&partners, &partners, 4096)].concat(),
    )
}

fn all_to_all(rank: u32, ranks: u32) -> Vec<Op> {
    let to: Vec<u32> = (1..ranks).map(|by| (rank + by) % ranks).collect();
    let from: Vec<u32> = (1..ranks).map(|by| (rank + ranks - by) % ranks).collect();
    [vec![work(1)], exchange(&from, &to, 64)].concat()
}

/// Nanoseconds per message of replays with draws; the fastest of a few.
fn nanoseconds_per_message(streams: Vec<Vec<Op>>) -> Result<f64, Box<dyn Error>> {
    let times = (0..100).map(|i| 20_000_000 + 200_000 * i).collect();
    drawn_nanoseconds_per_message(streams, "loggops", &PARAMETERS, times)
}

/// The same with a model, its parameters, and block times in picoseconds.
fn drawn_nanoseconds_per_message(
    streams: Vec<Vec<Op>>,
    model: &str,
    parameters: &[(&str, f64, &str)],
    times: Vec<i64>,
) -> Result<f64, Box<dyn Error>> {
    let data = program(streams, &[]);
    let compute = [compute_of(vec![(1, times)])];
    let platform = with_parameters(model, data.ranks, parameters);
    let run = |draws| -> Result<(f64, f64), Box<dyn Error>> {
        let start = processor_seconds()?;
        let inputs = Inputs {
            program: &data,
            compute: &compute,
        };
        let found = estimator::estimate_total(
            &inputs,
            &platform,
            &Options {
                draws,
                ..Options::default()
            },
        )?;
        Ok((processor_seconds()? - start, found.replayed_messages as f64))
    };
    let (seconds, messages) = seconds_per_draw(DRAWS, 3, run)?;
    Ok(seconds / messages * 1e9)
}

/// Nanoseconds per message of one replay with equal block times: what more iterations take longer.
fn symmetric_nanoseconds_per_message(ranks: u32) -> Result<f64, Box<dyn Error>> {
    let (few, many) = (10, 60);
    let compute = [compute_of(vec![(1, vec![20_000_000; 3])])];
    let platform = with_parameters("flow", ranks, &FLOW);
    let options = Options {
        draws: 0,
        explain: false,
        ..Options::default()
    };
    let run = |iterations| -> Result<f64, Box<dyn Error>> {
        let streams = (0..ranks)
            .map(|rank| halo(rank, ranks, iterations))
            .collect();
        let data = program(streams, &[]);
        let inputs = Inputs {
            program: &data,
            compute: &compute,
        };
        let start = processor_seconds()?;
        estimator::estimate_total(&inputs, &platform, &options)?;
        Ok(processor_seconds()? - start)
    };
    let messages = (many - few) as f64 * 4.0 * f64::from(ranks);
    let (mut less, mut more) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..3 {
        less = less.min(run(few)?);
        more = more.min(run(many)?);
    }
    Ok((more - less) / messages * 1e9)
}

/// Draws of the shorter estimate; the longer one makes three times as many.
const DRAWS: u32 = 4;

fn main() -> Result<(), Box<dyn Error>> {
    let only = std::env::args().nth(1).unwrap_or_default();
    let halo_of = |ranks: u32, iterations| {
        (0..ranks)
            .map(|rank| halo(rank, ranks, iterations))
            .collect()
    };
    if "replay.timed_halo".starts_with(&only) {
        println!(
            "replay.timed_halo {:.0} messages/s",
            1e9 / nanoseconds_per_message(halo_of(1024, 100))?
        );
    }
    if "replay.timed_alltoall".starts_with(&only) {
        let streams = (0..1024).map(|rank| all_to_all(rank, 1024)).collect();
        println!(
            "replay.timed_alltoall {:.0} messages/s",
            1e9 / nanoseconds_per_message(streams)?
        );
    }
    if "replay.timed_growth_8192".starts_with(&only) {
        let (few, many) = (
            nanoseconds_per_message(halo_of(64, 2000))?,
            nanoseconds_per_message(halo_of(8192, 20))?,
        );
        println!("replay.timed_growth_8192 {:.2} ratio", many / few);
    }
    if "replay.flow_symmetric_1024".starts_with(&only) {
        println!(
            "replay.flow_symmetric_1024 {:.0} messages/s",
            1e9 / symmetric_nanoseconds_per_message(1024)?
        );
    }
    if "replay.flow_halo_1024".starts_with(&only) {
        // 20 us, evenly from 5 % below to 5 % above.
        let times = (0..100).map(|i| 19_000_000 + 20_000 * i).collect();
        let halo = halo_of(1024, 50);
        println!(
            "replay.flow_halo_1024 {:.0} messages/s",
            1e9 / drawn_nanoseconds_per_message(halo, "flow", &FLOW, times)?
        );
    }
    Ok(())
}
