//! How fast the dataflow replay is where nothing repeats: block times are drawn for every execution.
//!
//! `cargo run --release -p estimator --example dataflow_speed [FIGURE…]` prints `NAME VALUE UNIT` lines,
//! in processor time, so that one core's speed comes out on a machine that does other things, too:
//! messages per second of a wavefront over a grid of 1,024 ranks under LogGP-2; the same over a bare
//! loop; its time per message on 8,192 ranks over that on 64; seconds of one replay with the shape of
//! NPB's LU, problem class C, on 1,024 ranks. What prepares and checks the program is not counted.
#![forbid(unsafe_code)]

#[path = "../tests/it/builder.rs"]
#[allow(dead_code)]
mod builder;
mod timing;

use base_data::compute_data::ComputeData;
use base_data::distribution::{Distribution, QUANTILES};
use base_data::platform_file::PlatformFile;
use base_data::program_data::Op;
use builder::{collective, compute_of, ireceive, program, receive, repeat, send, wait, work};
use estimator::{Inputs, Options};
use machine::Platform;
use std::error::Error;
use std::hint::black_box;
use timing::{processor_seconds, seconds_per_draw};

/// A grid of ranks.
#[derive(Clone, Copy)]
struct Grid {
    columns: u32,
    rows: u32,
}

impl Grid {
    fn ranks(self) -> u32 {
        self.columns * self.rows
    }

    /// The neighbour so many columns and rows away.
    fn at(self, rank: u32, right: i64, down: i64) -> Option<u32> {
        let column = i64::from(rank % self.columns) + right;
        let row = i64::from(rank / self.columns) + down;
        let inside =
            (0..self.columns.into()).contains(&column) && (0..self.rows.into()).contains(&row);
        inside.then(|| (row * i64::from(self.columns) + column) as u32)
    }
}

/// Bytes of a message; a row or column of five words of 8 bytes per point and rank of LU, class C.
const BYTES: i64 = 5 * 8 * 6;

/// One step of a wavefront that comes from the neighbours on one side and goes to the others.
fn wave(grid: Grid, rank: u32, forward: i64, block: u32) -> Vec<Op> {
    let neighbours = |by: i64| {
        [grid.at(rank, by, 0), grid.at(rank, 0, by)]
            .into_iter()
            .flatten()
    };
    let receives = neighbours(-forward).map(|from| receive(1, from, BYTES));
    let sends = neighbours(forward).map(|to| send(2, to, BYTES));
    receives.chain([work(block)]).chain(sends).collect()
}

fn wavefront(grid: Grid, steps: u64) -> Vec<Vec<Op>> {
    (0..grid.ranks())
        .map(|rank| repeat(steps, wave(grid, rank, 1, 1)))
        .collect()
}

/// Planes of problem class C that a sweep goes through.
const PLANES: u64 = 160;
/// A tenth of LU's iterations, none of which repeats another.
const ITERATIONS: u64 = 25;
const FULL_RUN: f64 = 250.0 / ITERATIONS as f64;

/// An iteration of LU: borders are exchanged, then the lower and the upper triangle are swept.
fn lu(grid: Grid, rank: u32) -> Vec<Op> {
    let sides = [(1, 0), (-1, 0), (0, 1), (0, -1)];
    let exchange = sides.into_iter().flat_map(|(right, down)| {
        let (to, from) = (grid.at(rank, right, down), grid.at(rank, -right, -down));
        let started = from.map(|from| ireceive(3, from, 160 * BYTES, 0));
        let sent = to.map(|to| send(4, to, 160 * BYTES));
        let waited = from.map(|_| wait(5, &[0]));
        [started, sent, waited].into_iter().flatten()
    });
    let sweeps = [
        repeat(PLANES, wave(grid, rank, 1, 1)),
        repeat(PLANES, wave(grid, rank, -1, 2)),
    ]
    .concat();
    let body = [exchange.collect(), vec![work(3)], sweeps, vec![work(4)]].concat();
    let norm = collective(
        6,
        base_data::program_data::CollectiveKind::Allreduce,
        0,
        None,
        5,
    );
    [repeat(ITERATIONS, body), vec![norm]].concat()
}

fn platform(ranks: u32) -> Result<Platform, Box<dyn Error>> {
    let parameters = [
        ("L", 1500.0, "ns"),
        ("o", 400.0, "ns"),
        ("G", 0.1, "ns/byte"),
    ];
    let row = |(name, value, unit): (&str, f64, &str)| {
        format!("{{ name = \"{name}\", value = {value:?}, unit = \"{unit}\" }}")
    };
    let text = format!(
        "format = 1\nname = \"bench\"\nnodes = {ranks}\nranks_per_node = 1\n[[links]]\nclass = \
         \"between-nodes\"\n[[links.data.fits]]\nmodel = \"loggp-2\"\nparameters = [{}]\n",
        parameters.map(row).join(", ")
    );
    Ok(Platform::new(PlatformFile::parse(&text)?, &|name| {
        Err(format!("no file {name}"))
    })?)
}

/// Blocks whose executions differ while their means are known for certain: noise is then all that
/// varies between draws.
fn noisy_blocks() -> ComputeData {
    let micro = 1_000_000;
    let mut data = compute_of((1..5).map(|block| (block, vec![0])).collect());
    for (entry, mean) in
        data.entries
            .iter_mut()
            .zip([20 * micro, 25 * micro, 900 * micro, 400 * micro])
    {
        let quantiles = (0..QUANTILES as i64)
            .map(|step| mean / 100 * (90 + step))
            .collect();
        entry.warm = Distribution {
            count: 100,
            mean: mean as f64,
            standard_deviation: 0.0,
            quantiles,
        };
    }
    data
}

/// Messages of one replay, and processor seconds per replay with draws.
fn replay(streams: Vec<Vec<Op>>, draws: u32) -> Result<(f64, f64), Box<dyn Error>> {
    let data = program(streams, &[]);
    let (compute, platform) = ([noisy_blocks()], platform(data.ranks)?);
    let inputs = Inputs {
        program: &data,
        compute: &compute,
    };
    let run = |draws| -> Result<(f64, u64), Box<dyn Error>> {
        let start = processor_seconds()?;
        let found = estimator::estimate_total(
            &inputs,
            &platform,
            &Options {
                draws,
                ..Options::default()
            },
        )?;
        Ok((processor_seconds()? - start, found.replayed_messages))
    };
    let (seconds, messages) = seconds_per_draw(draws, 1, run)?;
    Ok((messages as f64, seconds))
}

/// The wavefront as one would write it down if it were all there is, with block times drawn likewise:
/// messages per second.
fn bare(grid: Grid, steps: u64) -> Result<f64, Box<dyn Error>> {
    let (overhead, network) = (400_000i64, 1_524_000i64);
    let blocks = noisy_blocks();
    let quantiles: Vec<f64> = blocks.entries[0]
        .warm
        .quantiles
        .iter()
        .map(|&time| time as f64)
        .collect();
    let (columns, ranks) = (grid.columns as usize, grid.ranks() as usize);
    let mut clocks = vec![0i64; ranks];
    let (mut from_left, mut from_above) = (vec![0i64; ranks], vec![0i64; ranks]);
    let mut noise: Vec<u64> = (0..ranks as u64).collect();
    let mut messages = 0u64;
    let start = processor_seconds()?;
    for _ in 0..steps {
        for rank in 0..ranks {
            let mut clock = clocks[rank];
            if rank % columns > 0 {
                clock = clock.max(from_left[rank]) + overhead;
                messages += 1;
            }
            if rank >= columns {
                clock = clock.max(from_above[rank]) + overhead;
                messages += 1;
            }
            clock += drawn(&quantiles, &mut noise[rank]);
            if rank % columns + 1 < columns {
                clock += overhead;
                from_left[rank + 1] = clock + network;
            }
            if rank + columns < ranks {
                clock += overhead;
                from_above[rank + columns] = clock + network;
            }
            clocks[rank] = clock;
        }
    }
    black_box(&clocks);
    Ok(messages as f64 / (processor_seconds()? - start))
}

/// A time by its quantiles; SplitMix64, as in the replay.
fn drawn(quantiles: &[f64], state: &mut u64) -> i64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    let unit = ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1u64 << 53) as f64;
    let place = unit * (quantiles.len() - 1) as f64;
    let below = (place as usize).min(quantiles.len() - 2);
    let part = place - below as f64;
    (quantiles[below] * (1.0 - part) + quantiles[below + 1] * part) as i64
}

const GRID: Grid = Grid {
    columns: 32,
    rows: 32,
};
/// Draws of the wavefront, of a few million messages each.
const DRAWS: u32 = 4;
const STEPS: u64 = 4000;

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Repetitions of what is timed.
const REPETITIONS: usize = 3;

fn repeated(measure: impl Fn() -> Result<f64, Box<dyn Error>>) -> Result<f64, Box<dyn Error>> {
    Ok(median(
        (0..REPETITIONS)
            .map(|_| measure())
            .collect::<Result<_, _>>()?,
    ))
}

/// Messages per second of the wavefront.
fn speed(grid: Grid, steps: u64) -> Result<f64, Box<dyn Error>> {
    repeated(|| {
        let (messages, seconds) = replay(wavefront(grid, steps), DRAWS)?;
        Ok(messages / seconds)
    })
}

fn main() -> Result<(), Box<dyn Error>> {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let is_wanted = |name: &str| wanted.is_empty() || wanted.iter().any(|figure| figure == name);
    if is_wanted("dataflow_wavefront") || is_wanted("dataflow_over_bare") {
        let speed = speed(GRID, STEPS)?;
        let bare = repeated(|| bare(GRID, 20 * STEPS))?;
        println!("replay.dataflow_wavefront {speed:.0} messages/s");
        eprintln!("replay.dataflow_over_bare: the bare loop does {bare:.0} messages/s");
        println!("replay.dataflow_over_bare {:.3} ratio", speed / bare);
    }
    if is_wanted("growth_8192") {
        let small = speed(
            Grid {
                columns: 8,
                rows: 8,
            },
            16 * STEPS,
        )?;
        let large = speed(
            Grid {
                columns: 128,
                rows: 64,
            },
            STEPS / 8,
        )?;
        println!("replay.growth_8192 {:.3} ratio", small / large);
    }
    if is_wanted("lu_c_1024_seconds") {
        let streams = (0..GRID.ranks()).map(|rank| lu(GRID, rank)).collect();
        let (messages, seconds) = replay(streams, DRAWS)?;
        let (messages, seconds) = (FULL_RUN * messages, FULL_RUN * seconds);
        println!("replay.lu_c_1024_seconds {seconds:.2} s");
        eprintln!("replay.lu_c_1024_seconds: {messages} messages");
    }
    Ok(())
}
