//! Mode `token`: programs run as under any MPI.

use crate::world::World;
use token_runtime::host::{Input, Mode, run};

#[test]
fn fortran_exchanges_data() {
    let world = World::new();
    let program = world.compile(&["exchange.f90"]);
    for ranks in [1, 2, 3, 4, 16] {
        let recording = world.run(&program, ranks, Mode::Token);
        assert_eq!(recording.output, format!("fine T{ranks:>4}\n"), "{}", recording.errors);
        assert!(recording.ranks.iter().all(|rank| rank.finalized && rank.peak_memory > 0));
    }
}
