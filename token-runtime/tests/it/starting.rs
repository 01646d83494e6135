//! How ranks come into being: forked from the first where nobody can tell, else started one by one.

use crate::world::World;
use token_runtime::host::{Input, Launch, Mode, Part, run};

fn check(before: &str, expected: &str) {
    let world = World::new();
    let program = world.compile(&["before.c"]);
    std::fs::write(world.path().join("words"), "one two three").unwrap();
    let mut launch = world.launch(&program, 3, Mode::Token);
    launch.arguments = vec![before.into()];
    launch.input = Input::Bytes(b"A".to_vec());
    let output = run(&launch).unwrap_or_else(|error| panic!("{before}: {error}")).output;
    assert_eq!(output, expected, "{before}");
}

/// Each rank reads on where the file stood, rank 0 has the input, what was printed appears once a rank.
#[test]
fn a_process_becomes_all_ranks_and_nobody_can_tell() {
    let seen = "0 two 1 65\n1 two 1 -1\n2 two 1 -1\n";
    check("nothing", seen);
    check("threads", seen);
    check("pipes", seen);
    check("prints", "hello\n0 two 1 65\nhello\n1 two 1 -1\nhello\n2 two 1 -1\n");
    check("writes", &["hello\n".repeat(3).as_str(), seen].concat());
}

#[test]
fn a_program_without_mpi_runs_once_a_rank() {
    let world = World::new();
    let mut launch = world.launch("/bin/echo".as_ref(), 3, Mode::Token);
    launch.arguments = vec!["here".into()];
    assert_eq!(run(&launch).unwrap().output, "here\nhere\nhere\n");
}

#[test]
fn several_programs_are_one_world() {
    let world = World::new();
    let program = world.compile(&["before.c"]);
    std::fs::write(world.path().join("words"), "one two three").unwrap();
    let further = world.path().join("further");
    std::fs::create_dir(&further).unwrap();
    std::fs::write(further.join("words"), "four five").unwrap();
    let part = Part {
        program: program.clone(),
        name: "second".into(),
        arguments: vec!["nothing".into()],
        ranks: 1,
        work_dir: further,
        environment: Vec::new(),
    };
    let launch = world.launch(&program, 1, Mode::Token);
    let launch = Launch { arguments: vec!["nothing".into()], parts: vec![part], ..launch };
    assert_eq!(run(&launch).unwrap().output, "0 two 1 -1\n1 five 1 -1\n");
}
