//! Figures of the runtime, printed as `NAME VALUE UNIT`. Ignored by default; with an optimised
//! build:
//!
//! ```text
//! cargo build --release -p mpiete-mpi
//! cargo test --release -p token-runtime --test it -- --ignored --nocapture figures
//! ```

use crate::world::World;
use token_runtime::host::{Mode, run};

fn pace(what: &str, times: u32, ranks: u32, mode: Mode) -> (f64, f64) {
    let world = World::new();
    let program = world.compile(&["pace.c"]);
    let mut launch = world.launch(&program, ranks, mode);
    launch.arguments = vec![what.to_string(), times.to_string()];
    let recording = run(&launch).unwrap();
    (recording.output.trim().parse().unwrap_or(0.0), recording.wall.as_secs_f64())
}

#[test]
#[ignore = "prints figures, checks nothing"]
fn figures() {
    let (four_calls, _) = pace("record", 1_000_000, 2, Mode::Record);
    println!("token_runtime.recorded_call {:.0} ns", four_calls / 4.0);
    let (two_switches, _) = pace("switch", 50_000, 2, Mode::Token);
    println!("token_runtime.switch {:.0} ns", two_switches / 2.0);
    let (_, wall) = pace("record", 0, 16, Mode::Record);
    println!("token_runtime.start_16 {:.1} ms", wall * 1e3);
}
