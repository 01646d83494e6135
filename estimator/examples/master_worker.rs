//! The tables of docs/results/master-worker.md: the experiments of Mizutani et al., MSS and MSE, 2004, whose program explores the
//! Mandelbrot set.
//!
//! `cargo run --release -p estimator --example master_worker [partial] [saturation] [breakdown] [granularity]
//! [masters]` prints them. Task times are counted iterations times a constant, so all but the costs of prediction are
//! the same on every machine.
#![forbid(unsafe_code)]

use base_data::Time;
use base_data::platform_file::PlatformFile;
use estimator::tasks::{
    MasterWorker, MeasuredGrid, MessageLength, ParameterRange, Simulation, TaskRun, TaskSpace,
    TaskTable, check_sample, interpolate, random_sample,
};
use machine::{Platform, platforms};
use std::error::Error;
use std::fmt::Write;
use std::time::Instant;

type Failable<T> = Result<T, Box<dyn Error>>;

/// Points of a side of the image; a task is a point.
const SIDE: u64 = 1024;
/// The papers give neither the part of the plane nor the largest number of iterations.
const LEFT: f64 = -2.0;
const TOP: f64 = -1.5;
const EXTENT: f64 = 3.0;
const MOST_ITERATIONS: u32 = 1000;
/// Time of all tasks in MSS, table 1, in seconds.
const TOTAL: f64 = 1820.0;

/// Iterations of each point, row by row.
fn iterations() -> Vec<u32> {
    let step = EXTENT / (SIDE - 1) as f64;
    let mut counts = Vec::new();
    for row in 0..SIDE {
        for column in 0..SIDE {
            let (real, imaginary) = (LEFT + step * column as f64, TOP + step * row as f64);
            let (mut x, mut y, mut count) = (0.0, 0.0, 0);
            while count < MOST_ITERATIONS && x * x + y * y <= 4.0 {
                (x, y) = (x * x - y * y + real, 2.0 * x * y + imaginary);
                count += 1;
            }
            counts.push(count);
        }
    }
    counts
}

/// A task set of MSS: so many values of each parameter, evenly spaced with both ends, are measured.
struct TaskSet {
    name: &'static str,
    side: u64,
}

const SETS: [TaskSet; 4] = [
    TaskSet {
        name: "S0",
        side: SIDE,
    },
    TaskSet {
        name: "S1",
        side: 256,
    },
    TaskSet {
        name: "S2",
        side: 32,
    },
    TaskSet {
        name: "S3",
        side: 4,
    },
];

/// The tasks of a set with all times.
struct Interpolated {
    name: &'static str,
    measured: usize,
    /// Time of the measured tasks: the cost of partial execution.
    measured_seconds: f64,
    /// Wall time of reading and interpolating.
    cost: f64,
    times: Vec<Time>,
}

impl Interpolated {
    fn total(&self) -> f64 {
        self.times.iter().copied().sum::<Time>().seconds()
    }
}

fn space() -> Failable<TaskSpace> {
    let range = |name: &str| ParameterRange {
        name: name.into(),
        first: 1,
        last: SIDE as i64,
        step: 1,
    };
    Ok(TaskSpace::new(vec![range("row"), range("column")])?)
}

/// Positions from 0, rounded where they are not whole.
fn levels(side: u64) -> Vec<u64> {
    (0..side)
        .map(|level| (2 * level * (SIDE - 1) + (side - 1)) / (2 * (side - 1)))
        .collect()
}

fn interpolated(set: &TaskSet, seconds: &[f64]) -> Failable<Interpolated> {
    let mut text = String::from("row,column,seconds\n");
    let levels = levels(set.side);
    for row in &levels {
        for column in &levels {
            let time = seconds[(row * SIDE + column) as usize];
            writeln!(text, "{},{},{time:e}", row + 1, column + 1)?;
        }
    }
    let start = Instant::now();
    let grid = MeasuredGrid::new(&TaskTable::parse(&text)?)?;
    let times = interpolate(&grid, &space()?)?;
    Ok(Interpolated {
        name: set.name,
        measured: grid.len(),
        measured_seconds: grid.seconds(),
        cost: start.elapsed().as_secs_f64(),
        times,
    })
}

/// A bundled platform with 64 nodes of so many ranks.
fn platform(name: &str, ranks_per_node: u32) -> Failable<Platform> {
    let file = PlatformFile {
        nodes: 64,
        ranks_per_node,
        ..platforms::load(name)?.file().clone()
    };
    Ok(Platform::new(file, &|name| Err(format!("no file {name}")))?)
}

/// The Myrinet of the same cluster. Overheads are those that MSE gives for a receive (§5.2: 2.9 us and 7.67 ns per byte), the gap
/// is that of 2 Gbit/s, and the latency that of Ino et al. (2001), table 5.
fn myrinet() -> Failable<Platform> {
    let text = "format = 1\nname = \"myrinet\"\nnodes = 64\nranks_per_node = 2\n[[links]]\nclass = \"between-nodes\"\n\
        [[links.data.fits]]\nmodel = \"loggps-p\"\nparameters = [\
        { name = \"L\", value = 850.0, unit = \"ns\" },\
        { name = \"o'\", value = 2900.0, unit = \"ns\" },\
        { name = \"o_per_rank\", value = 0.0, unit = \"ns/rank\" },\
        { name = \"Oss\", value = 7.67, unit = \"ns/byte\" },\
        { name = \"Ors\", value = 7.67, unit = \"ns/byte\" },\
        { name = \"Gs\", value = 4.0, unit = \"ns/byte\" }]\n";
    let file = PlatformFile::parse(text)?;
    Ok(Platform::new(file, &|name| Err(format!("no file {name}")))?)
}

/// Messages of the explorer: 8 bytes to a worker, 4 T + 8 from it.
fn program(ranks: u32, masters: u32, chunk: u64) -> MasterWorker {
    MasterWorker {
        ranks,
        masters,
        tasks_per_message: chunk,
        assignment: MessageLength {
            fixed: 8,
            per_task: 0,
        },
        result: MessageLength {
            fixed: 8,
            per_task: 4,
        },
    }
}

fn simulated(
    program: &MasterWorker,
    times: &[Time],
    platform: &Platform,
    model: Option<&str>,
) -> Failable<TaskRun> {
    let simulation = Simulation::new(program, times.len() as u64, platform, model)?;
    Ok(simulation.run(times, 1.0))
}

fn percent(share: f64) -> String {
    format!("{:+.1} %", 100.0 * share)
}

/// Times of a set on all numbers of ranks of a network, and the wall time of their simulation.
struct Series {
    seconds: Vec<f64>,
    cost: f64,
}

/// 8 to 128 ranks.
fn ranks_of_seed_000() -> impl Iterator<Item = u32> {
    (8..=128).step_by(8)
}

fn series(times: &[Time], platform: &Platform) -> Failable<Series> {
    let start = Instant::now();
    let mut seconds = Vec::new();
    for ranks in ranks_of_seed_000() {
        let run = simulated(&program(ranks, 1, 1), times, platform, None)?;
        seconds.push(run.time.seconds());
    }
    Ok(Series {
        seconds,
        cost: start.elapsed().as_secs_f64(),
    })
}

fn partial_execution(counts: &[u32]) -> Failable<()> {
    let all: f64 = counts.iter().map(|&count| f64::from(count)).sum();
    let seconds: Vec<f64> = counts
        .iter()
        .map(|&count| TOTAL * f64::from(count) / all)
        .collect();
    let mut sets = Vec::new();
    for set in &SETS {
        sets.push(interpolated(set, &seconds)?);
    }
    println!("### Task sets (MSS, table 1)\n");
    println!("| set | measured tasks | share | time of all tasks, s | against S0 |");
    println!("| --- | --- | --- | --- | --- |");
    for set in &sets {
        println!(
            "| {} | {} | 1/{} | {:.0} | {} |",
            set.name,
            set.measured,
            set.times.len() / set.measured,
            set.total(),
            percent(set.total() / TOTAL - 1.0)
        );
    }
    let networks = [
        ("Fast Ethernet", platform("fast-ethernet", 2)?),
        ("Myrinet", myrinet()?),
    ];
    // By set, by network.
    let mut all_series: Vec<Vec<Series>> = Vec::new();
    for set in &sets {
        let mut of_set = Vec::new();
        for (_, platform) in &networks {
            of_set.push(series(&set.times, platform)?);
        }
        all_series.push(of_set);
    }
    let exact = &all_series[0];
    println!("\n### Largest difference from S0 over 8 to 128 ranks (MSS, table 3)\n");
    println!("| set | Fast Ethernet | Myrinet |");
    println!("| --- | --- | --- |");
    for (set, of_set) in sets.iter().zip(&all_series).skip(1) {
        let mut row = format!("| {} |", set.name);
        for (series, exact) in of_set.iter().zip(exact) {
            let mut largest = 0.0f64;
            for (time, exact) in series.seconds.iter().zip(&exact.seconds) {
                largest = largest.max((time / exact - 1.0).abs());
            }
            write!(row, " {:.1} % |", 100.0 * largest)?;
        }
        println!("{row}");
    }
    println!("\n### Difference per worker and of the times, s (MSS, table 4)\n");
    println!("| set | ranks | D | Fast Ethernet | Myrinet |");
    println!("| --- | --- | --- | --- | --- |");
    for (set, of_set) in sets.iter().zip(&all_series).skip(1) {
        for ranks in [8, 32, 128] {
            let place = ranks as usize / 8 - 1;
            let per_worker = (TOTAL - set.total()) / f64::from(ranks - 1);
            let mut row = format!("| {} | {ranks} | {per_worker:.1} |", set.name);
            for (series, exact) in of_set.iter().zip(exact) {
                let difference = exact.seconds[place] - series.seconds[place];
                write!(row, " {difference:.1} |")?;
            }
            println!("{row}");
        }
    }
    println!("\n### Cost of predicting 8 to 128 ranks, s (MSS, table 5)\n");
    println!(
        "| set | partial execution | interpolation | simulation: Fast Ethernet | R | simulation: Myrinet | R |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    for (set, of_set) in sets.iter().zip(&all_series) {
        let mut row = format!(
            "| {} | {:.2} | {:.2} |",
            set.name, set.measured_seconds, set.cost
        );
        for (series, exact) in of_set.iter().zip(exact) {
            let runs: f64 = exact.seconds.iter().sum();
            let cost = set.measured_seconds + set.cost + series.cost;
            write!(row, " {:.2} | {:.1} |", series.cost, runs / cost)?;
        }
        println!("{row}");
    }
    error_bounds(&sets, &seconds)
}

/// Random samples drawn of each set.
const SAMPLES: u64 = 200;

fn error_bounds(sets: &[Interpolated], seconds: &[f64]) -> Failable<()> {
    let space = space()?;
    println!("\n### Error bounds by {SAMPLES} random samples of each size\n");
    println!(
        "| set | tasks of a sample | true factor | mean factor | mean standard error | 80 % intervals with the true factor |"
    );
    println!("| --- | --- | --- | --- | --- | --- |");
    for set in &sets[1..] {
        let truth = TOTAL / set.total();
        for size in [256, 1024] {
            let (mut factors, mut errors, mut contained) = (0.0, 0.0, 0);
            for seed in 0..SAMPLES {
                let mut text = String::from("row,column,seconds\n");
                for point in random_sample(&space, size, seed)? {
                    let number = space.number(&point).ok_or("a task of the program")?;
                    let time = seconds[number as usize];
                    writeln!(text, "{},{},{time:e}", point[0], point[1])?;
                }
                let check = check_sample(&TaskTable::parse(&text)?, &space, &set.times)?;
                factors += check.factor;
                errors += check.standard_error;
                if check.lower <= truth && truth <= check.upper {
                    contained += 1;
                }
            }
            println!(
                "| {} | {size} | {truth:.3} | {:.3} | {:.3} | {:.0} % |",
                set.name,
                factors / SAMPLES as f64,
                errors / SAMPLES as f64,
                100.0 * f64::from(contained) / SAMPLES as f64
            );
        }
    }
    Ok(())
}

/// Time of all tasks of the explorer of MSE, in seconds. Its figures are not at hand; with this total the master waits 12.9 ms
/// per receive on 64 ranks with 4,096 tasks per message, as the text states (§5.2).
const EXPLORER_TOTAL: f64 = 250.0;
/// How much longer than LogGPS predicts the run on 64 ranks was, by the text of MSE (§5.1), in seconds.
const MEASURED_BEYOND_LOGGPS: f64 = 21.2;

/// Models of the rows MSE and LogGPS of table 2.
const MODELS: [&str; 2] = ["loggps-p", "loggps"];

fn explorer_times(counts: &[u32], total: f64) -> Vec<Time> {
    let all: f64 = counts.iter().map(|&count| f64::from(count)).sum();
    counts
        .iter()
        .map(|&count| Time::from_seconds(total * f64::from(count) / all))
        .collect()
}

/// The number of ranks with the shortest time.
fn fastest(
    times: &[Time],
    platform: &Platform,
    model: &str,
    ranks: impl Iterator<Item = u32>,
) -> Failable<u32> {
    let mut best = (Time::MAX, 0);
    for ranks in ranks {
        let run = simulated(&program(ranks, 1, 1), times, platform, Some(model))?;
        best = best.min((run.time, ranks));
    }
    Ok(best.1)
}

fn saturation(counts: &[u32], ethernet: &Platform) -> Failable<()> {
    let times = explorer_times(counts, EXPLORER_TOTAL);
    println!("\n### Single master by number of ranks, s (MSE, figure 6)\n");
    println!("| ranks | loggps-p | loggps |");
    println!("| --- | --- | --- |");
    let mut last = [0.0; 2];
    for ranks in (8..=64).step_by(4) {
        let mut runs = Vec::new();
        for model in MODELS {
            runs.push(simulated(
                &program(ranks, 1, 1),
                &times,
                ethernet,
                Some(model),
            )?);
        }
        println!(
            "| {ranks} | {:.1} | {:.1} |",
            runs[0].time.seconds(),
            runs[1].time.seconds()
        );
        last = [runs[0].time.seconds(), runs[1].time.seconds()];
    }
    let measured = last[1] + MEASURED_BEYOND_LOGGPS;
    println!("\n### Single master on 64 ranks against the measurement\n");
    println!("| | time, s | error |");
    println!("| --- | --- | --- |");
    println!("| measured: LogGPS and {MEASURED_BEYOND_LOGGPS} s | {measured:.1} | |");
    for (model, time) in MODELS.iter().zip(last) {
        println!(
            "| {model} | {time:.1} | {} |",
            percent(time / measured - 1.0)
        );
    }
    Ok(())
}

/// What the calls of the master take. MPI_Recv includes the wait for the next message.
fn breakdown(counts: &[u32], ethernet: &Platform) -> Failable<()> {
    let times = explorer_times(counts, EXPLORER_TOTAL);
    println!("\n### Breakdown of the master, s (MSE, figure 8)\n");
    println!(
        "| ranks | loggps-p: MPI_Send | MPI_Recv | of it waiting | waits | loggps: MPI_Send | MPI_Recv | of it waiting | waits |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    for ranks in (8..=64).step_by(8) {
        let mut row = format!("| {ranks} |");
        for model in MODELS {
            let run = simulated(&program(ranks, 1, 1), &times, ethernet, Some(model))?;
            let master = &run.masters[0];
            let received = master.receive + master.wait;
            write!(
                row,
                " {:.1} | {:.1} | {:.1} | {:.0} % |",
                master.send.seconds(),
                received.seconds(),
                master.wait.seconds(),
                100.0 * master.wait.seconds() / master.end.seconds()
            )?;
        }
        println!("{row}");
    }
    Ok(())
}

fn optimum(counts: &[u32], ethernet: &Platform) -> Failable<()> {
    println!("\n### Fastest number of ranks by the time of all tasks\n");
    println!("| time of all tasks, s | loggps-p | loggps |");
    println!("| --- | --- | --- |");
    for total in (180..=300).step_by(20) {
        let times = explorer_times(counts, f64::from(total));
        let [grown, plain] = [
            fastest(&times, ethernet, MODELS[0], 20..=36)?,
            fastest(&times, ethernet, MODELS[1], (36..=64).step_by(4))?,
        ];
        println!("| {total} | {grown} | {plain} |");
    }
    Ok(())
}

fn granularity(counts: &[u32], ethernet: &Platform) -> Failable<()> {
    let times = explorer_times(counts, EXPLORER_TOTAL);
    println!("\n### Tasks per message on 64 ranks (MSE, figure 7)\n");
    println!(
        "| tasks per message | loggps-p, s | loggps, s | difference, s | 21.4 s / T | wait per receive |"
    );
    println!("| --- | --- | --- | --- | --- | --- |");
    for chunk in (0..=12).map(|power| 1u64 << power) {
        let mut runs = Vec::new();
        for model in MODELS {
            runs.push(simulated(
                &program(64, 1, chunk),
                &times,
                ethernet,
                Some(model),
            )?);
        }
        let (grown, plain) = (&runs[0], &runs[1]);
        let wait = grown.masters[0].wait.scaled(1.0 / grown.events() as f64);
        println!(
            "| {chunk} | {:.2} | {:.2} | {:.2} | {:.2} | {wait} |",
            grown.time.seconds(),
            plain.time.seconds(),
            grown.time.seconds() - plain.time.seconds(),
            21.4 / chunk as f64
        );
    }
    Ok(())
}

fn several_masters(counts: &[u32], ethernet: &Platform) -> Failable<()> {
    let times = explorer_times(counts, EXPLORER_TOTAL);
    println!("\n### Several masters on 64 ranks (MSE, figures 10 and 12)\n");
    println!(
        "| masters | time, s | first master ends, s | rows of each master | computation of the busiest, s | of the idlest, s |"
    );
    println!("| --- | --- | --- | --- | --- | --- |");
    for masters in [1, 2, 4, 8, 16, 32] {
        let run = simulated(&program(64, masters, 1), &times, ethernet, Some(MODELS[0]))?;
        let ends = || run.masters.iter().map(|master| master.end);
        let work = || {
            run.masters.iter().map(|master| {
                let own = master.tasks.start as usize..master.tasks.end as usize;
                times[own].iter().copied().sum::<Time>()
            })
        };
        println!(
            "| {masters} | {:.1} | {:.1} | {} | {:.1} | {:.1} |",
            run.time.seconds(),
            ends().min().unwrap_or_default().seconds(),
            SIDE / u64::from(masters),
            work().max().unwrap_or_default().seconds(),
            work().min().unwrap_or_default().seconds()
        );
    }
    Ok(())
}

fn main() -> Failable<()> {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let is_wanted = |name: &str| wanted.is_empty() || wanted.iter().any(|part| part == name);
    let counts = iterations();
    let ethernet = platform("fast-ethernet", 1)?;
    if is_wanted("partial") {
        partial_execution(&counts)?;
    }
    if is_wanted("masters") {
        several_masters(&counts, &ethernet)?;
    }
    if is_wanted("granularity") {
        granularity(&counts, &ethernet)?;
    }
    if is_wanted("breakdown") {
        breakdown(&counts, &ethernet)?;
    }
    if is_wanted("saturation") {
        saturation(&counts, &ethernet)?;
        optimum(&counts, &ethernet)?;
    }
    Ok(())
}
