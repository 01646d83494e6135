//! How fast master/worker programs are simulated.
//!
//! `cargo run --release -p estimator --example tasks_speed [FIGURE…]` prints `NAME VALUE UNIT` lines, in processor time of one
//! core: events (messages that the master receives) per second on 1,024 ranks, and the time per event on 8,192 ranks over that
//! on 64. Task times differ and keep the master as busy as the workers, so that arrivals go anywhere in the queue.
#![forbid(unsafe_code)]

#[path = "../tests/it/builder.rs"]
#[allow(dead_code)]
mod builder;

use base_data::Time;
use base_data::split_mix::SplitMix64;
use builder::with_parameters;
use estimator::tasks::{MasterWorker, MessageLength, Simulation};
use std::error::Error;
use std::hint::black_box;

/// Tasks of a run.
const TASKS: usize = 1 << 22;
/// Runs of what is timed; the shortest one had the least of other work on the machine.
const REPETITIONS: usize = 5;

/// Processor time of the main thread so far, in seconds; Linux counts it in nanoseconds.
fn processor_seconds() -> Result<f64, Box<dyn Error>> {
    let counts = std::fs::read_to_string("/proc/self/schedstat")?;
    let nanoseconds: f64 = counts
        .split_whitespace()
        .next()
        .ok_or("schedstat is empty")?
        .parse()?;
    Ok(nanoseconds / 1e9)
}

/// Seconds per event.
fn seconds_per_event(ranks: u32) -> Result<f64, Box<dyn Error>> {
    let parameters = [
        ("L", 50_000.0, "ns"),
        ("o'", 12_000.0, "ns"),
        ("o_per_rank", 0.0, "ns/rank"),
        ("Oss", 70.0, "ns/byte"),
        ("Ors", 70.0, "ns/byte"),
        ("Gs", 27.0, "ns/byte"),
    ];
    let platform = with_parameters("loggps-p", ranks, &parameters);
    let length = MessageLength {
        fixed: 8,
        per_task: 0,
    };
    let program = MasterWorker {
        ranks,
        masters: 1,
        tasks_per_message: 1,
        assignment: length,
        result: length,
    };
    // 25 us of the master for each task, and as much for each worker: even between 0 and twice that.
    let mean = f64::from(ranks) * 25e6;
    let mut random = SplitMix64 { state: 1 };
    let mut times = Vec::with_capacity(TASKS);
    for _ in 0..TASKS {
        let unit = (random.next_number() >> 11) as f64 / (1u64 << 53) as f64;
        times.push(Time::from_picoseconds((2.0 * mean * unit) as i64));
    }
    let simulation = Simulation::new(&program, TASKS as u64, &platform, None)?;
    let mut least = f64::INFINITY;
    for _ in 0..REPETITIONS {
        let start = processor_seconds()?;
        let run = simulation.run(black_box(&times), 1.0);
        let seconds = processor_seconds()? - start;
        least = least.min(seconds / run.events() as f64);
    }
    Ok(least)
}

fn main() -> Result<(), Box<dyn Error>> {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let is_wanted = |name: &str| wanted.is_empty() || wanted.iter().any(|figure| figure == name);
    if is_wanted("tasks.events") {
        let seconds = seconds_per_event(1024)?;
        println!("tasks.events {:.0} events/s", 1.0 / seconds);
    }
    if is_wanted("tasks.growth_8192") {
        let (small, large) = (seconds_per_event(64)?, seconds_per_event(8_192)?);
        println!("tasks.growth_8192 {:.3} ratio", large / small);
    }
    Ok(())
}
