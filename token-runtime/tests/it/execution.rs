//! Mode `token`: programs run as under any MPI.

use crate::world::World;
use token_runtime::host::{Input, Mode, run};

#[test]
fn fortran_exchanges_data() {
    let world = World::new();
    let program = world.compile(&["exchange.f90"]);
    for ranks in [1, 2, 3, 4, 16] {
        let recording = world.run(&program, ranks, Mode::Token);
        assert_eq!(
            recording.output,
            format!("fine T{ranks:>4}\n"),
            "{}",
            recording.errors
        );
        assert!(
            recording
                .ranks
                .iter()
                .all(|rank| rank.finalized && rank.peak_memory > 0)
        );
    }
}

/// The system's `ru_maxrss` of a program is at least that of the process that starts it.
#[test]
fn peak_memory_excludes_the_starting_process() {
    const LARGE: usize = 256 << 20;
    let world = World::new();
    let program = world.compile(&["exchange.f90"]);
    let large = std::hint::black_box(vec![1u8; LARGE]);
    let recording = world.run(&program, 2, Mode::Record);
    drop(large);
    for rank in recording.ranks {
        assert!((1..LARGE as u64 / 2).contains(&rank.peak_memory));
    }
}

#[test]
fn all_modes_deliver_data_to_the_original_program() {
    let world = World::new();
    let program = world.compile(&["exchange.f90"]);
    for mode in [Mode::Record, Mode::Measure] {
        assert_eq!(world.run(&program, 4, mode).output, "fine T   4\n");
    }
}

#[test]
fn standard_input_goes_to_rank_0() {
    let world = World::new();
    let program = world.compile(&["input.f90"]);
    let mut launch = world.launch(&program, 2, Mode::Token);
    launch.input = Input::Bytes(b"17\n".to_vec());
    assert_eq!(run(&launch).unwrap().output, "17 T\n");
}

#[test]
fn program_without_host_has_one_rank() {
    let world = World::new();
    let program = world.compile(&["exchange.f90"]);
    let lib = world.path().join("lib");
    let output = std::process::Command::new(program)
        .env("LD_LIBRARY_PATH", lib)
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "fine T   1\n");
}

/// Some languages load their MPI binding while they run: what a thread keeps of our library must then
/// fit into what the C library has in reserve.
#[test]
fn library_can_be_loaded_by_dlopen() {
    let world = World::new();
    let program = world.compile_with("gcc", &["late_loading.c"], &["-ldl"]);
    let recording = world.run(&program, 2, Mode::Record);
    assert_eq!(recording.output, "2 ranks\n");
    let sites: Vec<&str> = recording.ranks[1]
        .unmarked
        .iter()
        .map(|site| site.function.as_str())
        .collect();
    assert_eq!(sites, ["MPI_Init", "MPI_Finalize"]);
}

#[test]
fn senders_block_on_a_full_heap() {
    let world = World::new();
    let program = world.compile(&["flood.c"]);
    let mut launch = world.launch(&program, 2, Mode::Token);
    launch.environment = vec![("MPIETE_HEAP".into(), "2000000".into())];
    assert_eq!(run(&launch).unwrap().output, "fine 1\n");
}

#[test]
fn messages_beyond_memory_spill_to_disk() {
    let world = World::new();
    let program = world.compile(&["flood.c"]);
    let mut launch = world.launch(&program, 2, Mode::Token);
    launch.arguments = vec!["late".into()];
    let sizes = |heap: &str, disk: &str| {
        [("MPIETE_HEAP", heap), ("MPIETE_DISK", disk)]
            .map(|(name, value)| (name.into(), value.into()))
            .to_vec()
    };
    launch.environment = sizes("2000000", "40000000");
    assert_eq!(run(&launch).unwrap().output, "fine 1\n");
    launch.environment = sizes("2000000", "20000000");
    let message = run(&launch).unwrap_err().to_string();
    assert!(message.contains("out of shared memory: 2"), "{message}");
}

#[test]
fn threads_call_concurrently() {
    let world = World::new();
    let program = world.compile(&["threads.c"]);
    for ranks in [1, 2, 5] {
        assert_eq!(
            world.run(&program, ranks, Mode::Token).output,
            format!("1 {ranks}\n")
        );
    }
}

/// What a program frees lies where it would without us: whether its pages are there when it asks for them again is time of
/// its blocks.
#[test]
fn library_does_not_allocate_in_the_program_heap() {
    let world = World::new();
    let program = world.compile(&["heap.c"]);
    for mode in [Mode::Token, Mode::Record, Mode::Measure] {
        let output = world.run(&program, 1, mode).output;
        assert_eq!(output, "0 bytes more in use, end moved by 0\n", "{mode:?}");
    }
}
