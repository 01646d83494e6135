//! How fast the replay is: a program that communicates as NPB's CG does on a grid of 4 × 4 ranks
//! (started receive, send, wait; row reductions by exchange, a transpose), problem class W.
//!
//! `cargo run --release -p estimator --example replay_speed` prints messages per second of one replay
//! with means, its preparation and matching pass included, and of replays with draws. With files of
//! program data and compute data as arguments it prints the latter for them, as a bare number.
#![forbid(unsafe_code)]

#[path = "../tests/it/builder.rs"]
#[allow(dead_code)]
mod builder;
#[allow(dead_code)]
mod timing;

use base_data::compute_data::ComputeData;
use base_data::estimate_file::Estimate;
use base_data::program_data::{Op, ProgramData};
use builder::{barrier, compute_of, ireceive, program, repeat, send, wait, work};
use estimator::{Inputs, Options};
use std::time::Instant;

/// Replays with drawn block times.
const DRAWS: u32 = 100;
const SIDE: u32 = 4;
const OUTER: u64 = 15;
const INNER: u64 = 25;

/// `MPI_Irecv`, `MPI_Send`, `MPI_Wait` with a partner.
fn exchange(partner: u32, bytes: i64) -> Vec<Op> {
    vec![
        ireceive(1, partner, bytes, 0),
        work(1),
        send(2, partner, bytes),
        wait(3, &[0]),
        work(2),
    ]
}

/// Partners in the row of the grid, bit by bit.
fn row(rank: u32) -> impl Iterator<Item = u32> {
    [1, 2].into_iter().map(move |bit| rank ^ bit)
}

/// One scalar or vector reduced along the row.
fn reduction(rank: u32, bytes: i64) -> Vec<Op> {
    row(rank)
        .flat_map(|partner| exchange(partner, bytes))
        .collect()
}

fn stream(rank: u32) -> Vec<Op> {
    let transpose = rank % SIDE * SIDE + rank / SIDE;
    let product = || {
        [
            vec![work(3)],
            reduction(rank, 14_000),
            exchange(transpose, 14_000),
            vec![work(4)],
        ]
        .concat()
    };
    let inner = [
        product(),
        reduction(rank, 8),
        vec![work(5)],
        reduction(rank, 8),
        vec![work(6)],
    ]
    .concat();
    let after = [product(), reduction(rank, 8), reduction(rank, 8)].concat();
    let outer = [vec![work(7)], repeat(INNER, inner), after].concat();
    [vec![barrier(4)], repeat(OUTER, outer)].concat()
}

fn cg_like() -> ProgramData {
    program((0..SIDE * SIDE).map(stream).collect(), &[])
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let files: Vec<String> = std::env::args().skip(1).collect();
    if let [program, compute] = files.as_slice() {
        let program: ProgramData = base_data::format::decode(&std::fs::read(program)?)?;
        let compute = [base_data::format::decode(&std::fs::read(compute)?)?];
        let (speed, _) = speed(&program, &compute, DRAWS)?;
        println!("{speed:.0}");
        return Ok(());
    }
    let data = cg_like();
    let microseconds = [0, 1, 1, 400, 20, 30, 10, 50];
    let spread = |micro: i64| (0..30).map(|i| micro * (900_000 + 7000 * i)).collect();
    let compute = [compute_of((0..8).zip(microseconds.map(spread)).collect())];
    for (name, draws) in [
        ("replay.cg_like_16_means", 0),
        ("replay.cg_like_16_draws", DRAWS),
    ] {
        let (speed, report) = speed(&data, &compute, draws)?;
        println!("{name} {speed:.0} messages/s");
        eprintln!("{name}: {report}");
    }
    Ok(())
}

/// Messages per second of wall time: of one replay with means without draws, else of the replays with drawn times.
fn speed(
    program: &ProgramData,
    compute: &[ComputeData],
    draws: u32,
) -> Result<(f64, String), Box<dyn std::error::Error>> {
    let platform = machine::platforms::load("fast-ethernet")?;
    let run = |draws| -> Result<(f64, Estimate), Box<dyn std::error::Error>> {
        let options = Options {
            draws,
            ..Options::default()
        };
        let start = Instant::now();
        let found = estimator::estimate_total(&Inputs { program, compute }, &platform, &options)?;
        Ok((start.elapsed().as_secs_f64(), found))
    };
    let (seconds, found) = if draws > 0 {
        timing::seconds_per_draw(draws, 1, run)?
    } else {
        run(0)?
    };
    let report = format!(
        "{} messages and {} steps in {seconds:.5} s, headline {}",
        found.replayed_messages, found.replayed_events, found.headline
    );
    Ok((found.replayed_messages as f64 / seconds, report))
}
