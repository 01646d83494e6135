//! How long an estimate of a program of very many ranks takes, from its text to the result: a halo
//! exchange on a torus of 1,024 × 1,024 ranks, 100 iterations, under LogGP-2.
//!
//! `cargo run --release -p estimator --example million_ranks [DRAWS [SIDE]]` prints seconds of wall time and the
//! most memory it had; the program's text is written to a file and read from there.
#![forbid(unsafe_code)]

#[path = "../tests/it/builder.rs"]
#[allow(dead_code)]
mod builder;

use base_data::platform_file::PlatformFile;
use builder::compute_of;
use estimator::{Inputs, Options};
use machine::Platform;
use std::error::Error;
use std::time::Instant;

const SIDE: u32 = 1024;
const ITERATIONS: u32 = 100;

/// The program: partners are formulas of the rank, so one class holds all ranks.
fn text(side: u32) -> String {
    let last = side - 1;
    let ranks = side * side;
    let in_row = |by: u32| format!("rank rank {side} mod - rank {by} + {side} mod +");
    let in_column = |by: u32| format!("rank {} + ranks mod", by * side);
    let formulas = [in_row(1), in_row(last), in_column(1), in_column(last)];
    let formulas = formulas
        .iter()
        .enumerate()
        .map(|(i, steps)| format!("formula {i} = {steps}\n"));
    let receives = [1, 0, 3, 2].iter().enumerate().map(|(request, from)| {
        format!("    receive peer=formula:{from} count=1024 type=real8 request={request}\n")
    });
    let sends = (0..4).map(|to| {
        format!(
            "    send peer=formula:{to} count=1024 type=real8 request={}\n",
            to + 4
        )
    });
    let body: String = receives.chain(sends).collect();
    let formulas: String = formulas.collect();
    format!(
        "mpiete program text 1\nranks {ranks}\nfile 0 halo.f\nblock 0 compute halo.f:10-14 in halo term \"n\" \
         halo.f:11\n{formulas}class 0-{}\n  loop {ITERATIONS}\n    block 0 terms 1\n{body}    wait all 0 1 2 3 4 5 6 7\n  \
         end\n",
        ranks - 1
    )
}

fn platform(side: u32) -> Result<Platform, Box<dyn Error>> {
    let text = format!(
        "format = 1\nname = \"bench\"\nnodes = {}\nranks_per_node = 1\n[[links]]\nclass = \
         \"between-nodes\"\n[[links.data.fits]]\nmodel = \"loggp-2\"\nparameters = [{{ name = \"L\", value = \
         1500.0, unit = \"ns\" }}, {{ name = \"o\", value = 400.0, unit = \"ns\" }}, {{ name = \"G\", value = \
         0.1, unit = \"ns/byte\" }}]\n",
        side * side
    );
    Ok(Platform::new(PlatformFile::parse(&text)?, &|name| {
        Err(format!("no file {name}"))
    })?)
}

/// Most memory of this process so far, in gigabytes.
fn peak_gigabytes() -> Result<f64, Box<dyn Error>> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .ok_or("no VmHWM")?;
    let kilobytes: f64 = line.trim().trim_end_matches(" kB").parse()?;
    Ok(kilobytes / 1e6)
}

fn main() -> Result<(), Box<dyn Error>> {
    let draws = std::env::args()
        .nth(1)
        .map_or(Ok(0), |draws| draws.parse())?;
    let side = std::env::args()
        .nth(2)
        .map_or(Ok(SIDE), |side| side.parse())?;
    let name = if side == SIDE {
        "million".into()
    } else {
        (side * side).to_string()
    };
    let path = std::env::temp_dir().join(format!("mpiete-million-{}.txt", std::process::id()));
    std::fs::write(&path, text(side))?;
    let start = Instant::now();
    let program = base_data::program_text::read(&std::fs::read_to_string(&path)?);
    std::fs::remove_file(&path)?;
    let program = program?;
    let mut compute = compute_of(vec![(
        0,
        (0..100).map(|i| 20_000_000 + 100_000 * i).collect(),
    )]);
    compute.table = program.table.clone();
    let inputs = Inputs {
        program: &program,
        compute: &[compute],
    };
    let found = estimator::estimate(
        &inputs,
        &platform(side)?,
        &Options {
            draws,
            ..Options::default()
        },
    )?;
    println!(
        "replay.{name}_ranks_seconds {:.1} s",
        start.elapsed().as_secs_f64()
    );
    println!("replay.{name}_ranks_gigabytes {:.2} GB", peak_gigabytes()?);
    eprintln!(
        "{} messages, headline {}",
        found.replayed_messages, found.headline
    );
    Ok(())
}
