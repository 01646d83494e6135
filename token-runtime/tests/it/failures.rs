//! Programs that fail: the run ends with one sentence that names rank, call and line, and no rank
//! is left behind.

use crate::world::{World, until};
use base_data::block_table::{BlockTable, CallSite, CallSiteKey, SourceFileInfo, SourceSpan};
use base_data::ids::Digest;
use std::path::Path;
use std::process::{Command, Stdio};
use token_runtime::host::{Mode, RunError, run};

/// What MPI libraries accept though it is an error: the run goes on, and warns once.
#[test]
fn tolerated_errors_warn_once() {
    let cases: &[(&str, &str, &[&str])] = &[
        (
            "types",
            "got 1\n",
            &[
                "MPI_Send at fail.c:11 sends 1-byte integers, logicals or characters, \
                 MPI_Recv at fail.c:12 receives 4-byte integers, logicals or characters;",
                "(rank 1)",
            ],
        ),
        (
            "parts",
            "got 1\n",
            &[
                "data may be misread",
                "sends 1-byte integers",
                "receives 4-byte integers",
            ],
        ),
        (
            "receive",
            "",
            &[
                "a receive from rank 1 of MPI_COMM_WORLD with tag 5, before MPI_Finalize at fail.c:12;",
                "MPICH ends without an error",
                "(rank 0)",
            ],
        ),
        ("send", "", &["a synchronous send that no rank received"]),
        ("barrier", "", &["a nonblocking collective"]),
        (
            "persistent",
            "",
            &["a receive from rank 1 of MPI_COMM_WORLD with tag 5"],
        ),
        (
            "missing",
            "1\n",
            &[
                "MPI_Win_create at fail.c:11 returned MPI_ERR_UNSUPPORTED_OPERATION",
                "2 ranks (0-1)",
            ],
        ),
    ];
    let world = World::new();
    let program = world.compile(&["tolerated.c"]);
    let table = table();
    for (how, output, expected) in cases {
        let mut launch = world.launch(&program, 2, Mode::Token);
        launch.arguments = vec![how.to_string()];
        let launch = token_runtime::host::Launch {
            table: Some(&table),
            ..launch
        };
        let recording = run(&launch).unwrap_or_else(|error| panic!("{how}: {error}"));
        assert_eq!(recording.output, *output, "{how}");
        let [warning] = recording.warnings.as_slice() else {
            panic!("{how}: {:?}", recording.warnings)
        };
        for part in *expected {
            assert!(warning.contains(part), "{how}: '{warning}' lacks '{part}'");
        }
    }
    // Where errors end the run, and in a recording, which would be that of another course of the program.
    for (how, mode) in [("missing-fatal", Mode::Token), ("missing", Mode::Record)] {
        let mut launch = world.launch(&program, 2, mode);
        launch.arguments = vec![how.to_string()];
        let Err(RunError::Program(message)) = run(&launch) else {
            panic!("{how} did not fail")
        };
        assert!(
            message.contains("MPI_Win_create") && message.contains("does not have yet"),
            "{message}"
        );
    }
}

/// Two call sites, in lines 11 and 12 of a file.
fn table() -> BlockTable {
    let site = |line| CallSite {
        key: CallSiteKey::Source {
            digest: Digest(line),
            procedure: "main".into(),
            ordinal: 0,
        },
        function: String::new(),
        procedure: "main".into(),
        span: Some(SourceSpan {
            first_line: line as u32,
            last_line: line as u32,
            ..Default::default()
        }),
        loop_path: Vec::new(),
    };
    BlockTable {
        files: vec![SourceFileInfo {
            path: "fail.c".into(),
            digest: Digest(0),
        }],
        call_sites: vec![site(11), site(12)],
        ..Default::default()
    }
}

#[test]
fn every_failure_is_reported() {
    let cases: &[(&str, &[&str])] = &[
        (
            "deadlock",
            &[
                "deadlock",
                "rank 0 waits in MPI_Recv (partner: rank 1 of MPI_COMM_WORLD, tag 0) at fail.c:11",
                "rank 2",
            ],
        ),
        (
            "requests",
            &[
                "rank 0 waits in MPI_Waitall (receive from any source with tag 6 on communicator 'ice\\nocean', \
                 receive from rank 1 of communicator 'ice\\nocean' with tag 5)",
                "rank 1 waits in MPI_Wait (synchronous send to rank 0 of MPI_COMM_WORLD with tag 7)",
                "rank 2 waits in MPI_Wait (a nonblocking collective or generalized request)",
            ],
        ),
        (
            "barrier-missing",
            &[
                "deadlock, no rank can go on: rank 1 is in MPI_Finalize; 2 ranks (0,2) wait in MPI_Barrier",
            ],
        ),
        (
            "crash",
            &[
                "rank 1 was ended by signal 11 (segmentation fault)",
                "after MPI_Comm_size",
            ],
        ),
        (
            "deep",
            &[
                "rank 1, MPI_Comm_size",
                "after this call the program's stack was full",
                "ulimit -s",
            ],
        ),
        (
            "stop",
            &["rank 1 ended with exit code 0 without MPI_Finalize"],
        ),
        (
            "abort",
            &["rank 1 called MPI_Abort at fail.c:11 with error code 42"],
        ),
        (
            "mismatch",
            &[
                "rank 1 called MPI_Bcast (root 1, 4 bytes, with data) at fail.c:12",
                "rank 0 called MPI_Barrier",
                "fail.c:11",
            ],
        ),
        (
            "sizes",
            &[
                "rank 0 called MPI_Gatherv with 8 bytes from that rank at fail.c:12",
                "rank 1 called MPI_Gatherv with 4 bytes for this rank",
                "fail.c:11",
            ],
        ),
        (
            "operations",
            &[
                "rank 2 called MPI_Reduce (root 0, 4 bytes, MPI_MAX of MPI_INT, with data)",
                "rank 0 called MPI_Reduce (root 0, 4 bytes, MPI_SUM of MPI_INT, with data)",
            ],
        ),
        (
            "polling",
            &[
                "all of them wait, or poll again",
                "rank 0 waits in MPI_Iprobe",
                "2 ranks (1-2) wait in MPI_Recv",
            ],
        ),
        (
            "truncation",
            &[
                "rank 1, MPI_Recv (partner: rank 0",
                "has 8 bytes",
                "takes 4 at most",
            ],
        ),
        (
            "bad-rank",
            &[
                "rank 0, MPI_Send",
                "rank 3 is none of the communicator's 0 to 2",
            ],
        ),
        (
            "bad-op",
            &["MPI_Allreduce", "reduction operation is not defined"],
        ),
        (
            "init-again",
            &["rank 0", "MPI_Init was called a second time"],
        ),
        ("finalize-again", &["MPI_Finalize was called a second time"]),
        (
            "after",
            &["rank 1 ended with exit code 9 after MPI_Finalize"],
        ),
        (
            "no-init",
            &["rank 1 ended, while others wait for it in MPI_Init, before MPI_Init"],
        ),
    ];
    let world = World::new();
    let program = world.compile(&["fail.c"]);
    let table = table();
    for (how, expected) in cases {
        let mut launch = world.launch(&program, 3, Mode::Token);
        launch.arguments = vec![how.to_string()];
        let launch = token_runtime::host::Launch {
            table: Some(&table),
            ..launch
        };
        let Err(RunError::Program(message)) = run(&launch) else {
            panic!("{how} did not fail")
        };
        for part in *expected {
            assert!(message.contains(part), "{how}: '{message}' lacks '{part}'");
        }
    }
}

#[test]
fn too_many_messages_end_the_run() {
    let world = World::new();
    let program = world.compile(&["fail.c"]);
    let mut launch = world.launch(&program, 2, Mode::Token);
    launch.arguments = vec!["full".into()];
    launch.environment = [("MPIETE_HEAP", "20000000"), ("MPIETE_DISK", "0")]
        .map(|(name, value)| (name.into(), value.into()))
        .into();
    let Err(RunError::Program(message)) = run(&launch) else {
        panic!("it did not fail")
    };
    assert!(
        message.contains("out of shared memory: 1") && message.contains("rank 1 waits in MPI_Send"),
        "{message}"
    );
}

/// The timeout is 5 ms, so the run that never reads a clock ends at once.
#[test]
fn polling_times_out_unless_the_program_reads_a_clock() {
    let world = World::new();
    let program = world.compile(&["polling.c"]);
    let launch = |clock: &str| token_runtime::host::Launch {
        name: "polls".into(),
        arguments: vec![clock.into()],
        environment: vec![("MPIETE_POLL_TIMEOUT".into(), "0.005".into())],
        ..world.launch(&program, 3, Mode::Token)
    };
    for clock in ["MPI_Wtime", "clock_gettime", "gettimeofday"] {
        let run = run(&launch(clock)).unwrap_or_else(|error| panic!("{clock}: {error}"));
        assert_eq!(run.output, "polls\n");
    }
    let message = run(&launch("none")).unwrap_err().to_string();
    assert!(
        message.contains("MPIETE_POLL_TIMEOUT") && message.contains("rank 0 waits in MPI_Iprobe"),
        "{message}"
    );
    let endless = token_runtime::host::Launch {
        environment: vec![("MPIETE_POLL_TIMEOUT".into(), "long".into())],
        ..launch("none")
    };
    assert!(
        run(&endless)
            .unwrap_err()
            .to_string()
            .contains("number of seconds")
    );
}

#[test]
fn errors_return_handler_receives_errors() {
    let world = World::new();
    let program = world.compile(&["fail.c"]);
    let mut launch = world.launch(&program, 2, Mode::Token);
    launch.arguments = vec!["returned".into()];
    assert!(run(&launch).is_ok());
}

#[test]
fn failed_start_is_explained() {
    let world = World::new();
    let launch = world.launch(&world.path().join("missing"), 2, Mode::Token);
    assert!(matches!(run(&launch), Err(RunError::Setup(sentence)) if sentence.contains("missing")));
    let program = world.compile(&["fail.c"]);
    let launch = world.launch(&program, 0, Mode::Token);
    assert!(matches!(run(&launch), Err(RunError::Setup(_))));
}

/// The host of the test below, in a process of its own.
#[test]
#[ignore = "is started by `ranks_do_not_outlive_their_host`"]
fn host_that_is_killed() {
    let Some(program) = std::env::var_os("HOLD_PROGRAM") else {
        return;
    };
    let world = World::new();
    let mut launch = world.launch(Path::new(&program), 3, Mode::Token);
    launch.work_dir = Path::new(&program).parent().unwrap().to_path_buf();
    let _ = run(&launch);
}

#[test]
fn ranks_do_not_outlive_their_host() {
    let world = World::new();
    let program = world.compile(&["hold_token.c"]);
    let mut host = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "failures::host_that_is_killed"])
        .env("HOLD_PROGRAM", &program)
        .env("TMPDIR", world.path())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let number = |rank: u32| std::fs::read_to_string(world.path().join(rank.to_string())).ok();
    let started = || (0..3).map(number).collect::<Option<Vec<String>>>();
    let processes = until(started).expect("the ranks start");
    host.kill().unwrap();
    host.wait().unwrap();
    let is_gone = |process: &String| {
        let state = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        state.is_empty() || state.contains(") Z ")
    };
    until(|| processes.iter().all(is_gone).then_some(())).expect("the ranks end");
    let is_left = |entry: std::fs::DirEntry| {
        entry
            .file_name()
            .to_string_lossy()
            .starts_with("mpiete-run-")
    };
    let folders = || {
        std::fs::read_dir(world.path())
            .unwrap()
            .filter_map(Result::ok)
    };
    until(|| (!folders().any(is_left)).then_some(())).expect("the run's folder goes");
}
