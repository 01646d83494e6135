//! Start of ranks: forked from the first rank if that is unobservable for the program, else started one by one.

use crate::world::World;
use token_runtime::host::{Input, Launch, Mode, MpmdProgram, run};

fn check(before: &str, expected: &str) {
    let world = World::new();
    let program = world.compile(&["before_init.c"]);
    std::fs::write(world.path().join("words"), "one two three").unwrap();
    let mut launch = world.launch(&program, 3, Mode::Token);
    launch.arguments = vec![before.into()];
    launch.input = Input::Bytes(b"A".to_vec());
    let output = run(&launch)
        .unwrap_or_else(|error| panic!("{before}: {error}"))
        .output;
    assert_eq!(output, expected, "{before}");
}

/// Each rank reads on where the file stood, rank 0 has the input, what was printed appears once a rank.
#[test]
fn forked_ranks_behave_like_separate_processes() {
    let seen = "0 two 1 65\n1 two 1 -1\n2 two 1 -1\n";
    check("nothing", seen);
    check("threads", seen);
    check("pipes", seen);
    // MPI_Init writes what was printed before.
    let after_hello = ["hello\n".repeat(3).as_str(), seen].concat();
    check("prints", &after_hello);
    check("writes", &after_hello);
}

#[test]
fn program_without_mpi_runs_once_per_rank() {
    let world = World::new();
    let mut launch = world.launch("/bin/echo".as_ref(), 3, Mode::Token);
    launch.arguments = vec!["here".into()];
    assert_eq!(run(&launch).unwrap().output, "here\nhere\nhere\n");
}

/// As under MPICH: output is written when it is printed, so none is lost by `_exit` after MPI_Finalize or by a deadlock.
#[test]
fn output_is_written_when_it_is_printed() {
    let world = World::new();
    let program = world.compile(&["prints.c"]);
    for mode in [Mode::Token, Mode::Record] {
        let launch = Launch {
            arguments: vec!["exits".into()],
            ..world.launch(&program, 2, mode)
        };
        let output = run(&launch).unwrap().output;
        let both = |line: &str| output.matches(line).count() == 2;
        assert!(
            both("before\n") && both("within\n") && both("after"),
            "{output}"
        );
    }
    let said = world.path().join("said");
    let launch = Launch {
        arguments: vec!["waits".into(), said.to_str().unwrap().into()],
        ..world.launch(&program, 2, Mode::Token)
    };
    assert!(run(&launch).is_err());
    let said = std::fs::read_to_string(said).unwrap();
    assert_eq!(said.matches("before\nwithin\n").count(), 2, "{said}");
}

#[test]
fn several_programs_share_one_world() {
    let world = World::new();
    let program = world.compile(&["before_init.c"]);
    std::fs::write(world.path().join("words"), "one two three").unwrap();
    let further = world.path().join("further");
    std::fs::create_dir(&further).unwrap();
    std::fs::write(further.join("words"), "four five").unwrap();
    let part = MpmdProgram {
        program: program.clone(),
        name: "second".into(),
        arguments: vec!["nothing".into()],
        ranks: 1,
        work_dir: further,
        environment: Vec::new(),
    };
    let launch = world.launch(&program, 1, Mode::Token);
    let launch = Launch {
        arguments: vec!["nothing".into()],
        parts: vec![part],
        ..launch
    };
    assert_eq!(run(&launch).unwrap().output, "0 two 1 -1\n1 five 1 -1\n");
}

/// What `fork_obstacles.c` says: how its ranks came into being, whether each has its own value, and how often its handler ran.
fn own(what: &str, spawn: bool) -> String {
    let world = World::new();
    let program = world.compile(&["fork_obstacles.c"]);
    std::fs::write(world.path().join("words"), "one two three").unwrap();
    let launch = Launch {
        arguments: vec![what.into()],
        input: Input::Bytes(b"ABC".to_vec()),
        spawn,
        ..world.launch(&program, 3, Mode::Token)
    };
    run(&launch)
        .unwrap_or_else(|error| panic!("{what}: {error}"))
        .output
}

#[test]
fn process_with_own_random_numbers_is_not_forked() {
    for what in [
        "getrandom",
        "getentropy",
        "syscall",
        "open",
        "fopen",
        "auxval",
    ] {
        assert_eq!(own(what, false), "spawned different 0\n", "{what}");
    }
}

#[test]
fn process_with_own_identity_is_not_forked() {
    for what in [
        "getenv",
        "getpid",
        "gettid",
        "readlink",
        "readlinkat",
        "realpath",
        "status",
    ] {
        assert_eq!(own(what, false), "spawned different 0\n", "{what}");
    }
    for what in [
        "clock",
        "clock_gettime",
        "getrusage",
        "mkstemp",
        "lock",
        "atfork",
        "child",
        "reaped",
        "timer",
    ] {
        assert!(
            own(what, false).starts_with("spawned ") && own(what, false).ends_with(" 0\n"),
            "{what}"
        );
    }
}

/// Programs make seeds of them. Seconds are the same for processes that begin together.
#[test]
fn process_that_read_a_fine_clock_is_not_forked() {
    // Two processes that begin together may read the same microsecond by chance, but not each time.
    const ATTEMPTS: usize = 5;
    for what in ["moment", "system clock", "timespec", "microseconds"] {
        let mut outcomes = (0..ATTEMPTS).map(|_| own(what, false));
        let is_different = outcomes.any(|outcome| {
            assert!(
                outcome.starts_with("spawned ") && outcome.ends_with(" 0\n"),
                "{what}: {outcome}"
            );
            outcome == "spawned different 0\n"
        });
        assert!(is_different, "{what}");
    }
    assert!(own("time", false).starts_with("forked "));
}

#[test]
fn process_with_shared_objects_is_not_forked() {
    for what in [
        "shared",
        "memfd",
        "eventfd",
        "tmpfile",
        "shmget",
        "input",
        "read",
        "stdout",
        "copy",
        "copied",
        "open-file lock",
    ] {
        assert!(own(what, false).starts_with("spawned "), "{what}");
    }
}

/// Under MPICH one rank creates the folder, and the others find it.
#[test]
fn process_that_changed_file_names_is_not_forked() {
    for what in ["folder", "link", "pipe of a name", "rename", "remove"] {
        assert!(own(what, false).starts_with("spawned "), "{what}");
    }
}

#[test]
fn process_with_state_that_forks_lack_is_not_forked() {
    for what in ["madvise", "mlock", "group"] {
        assert!(own(what, false).starts_with("spawned "), "{what}");
    }
}

#[test]
fn process_without_own_state_is_forked_unless_spawn_is_set() {
    for what in ["nothing", "mapped", "exe"] {
        assert!(own(what, false).starts_with("forked "), "{what}");
    }
    assert!(own("nothing", true).starts_with("spawned "));
}

#[test]
fn seeds_of_languages_differ_between_ranks() {
    let world = World::new();
    let lib = world.path().join("lib");
    let flags = ["-I.", "-L", lib.to_str().unwrap(), "-lmpi"];
    for (compiler, source) in [("gfortran", "random_seed.f90"), ("g++", "random_device.cc")] {
        let program = world.compile_with(compiler, &[source], &flags);
        assert_eq!(
            world.run(&program, 3, Mode::Token).output,
            "different\n",
            "{source}"
        );
    }
}
