//! Programs that lead the loader to another MPI library, and programs that ranks start.

use crate::world::World;
use std::path::PathBuf;
use token_runtime::host::{Launch, Mode, RunError, run};

/// Compiles another MPI library under a name, in a folder of its own.
fn another(world: &World, name: &str, flags: &[&str]) -> PathBuf {
    let folder = world.path().join("another");
    std::fs::create_dir_all(&folder).unwrap();
    let soname = format!("-Wl,-soname,{name}");
    let made = world.compile_with(
        "gcc",
        &["foreign_mpi.c"],
        &[&["-shared", "-fPIC", soname.as_str()], flags].concat(),
    );
    let library = folder.join(name);
    std::fs::rename(made, &library).unwrap();
    library
}

fn answer(world: &World, program: PathBuf, arguments: &[&str]) -> Result<String, RunError> {
    let arguments = arguments
        .iter()
        .map(|argument| argument.to_string())
        .collect();
    run(&Launch {
        arguments,
        ..world.launch(&program, 2, Mode::Token)
    })
    .map(|recording| recording.output)
}

/// Writes a shell script that can be started.
fn script(world: &World, text: &str) -> PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let script = world.path().join("script");
    std::fs::write(&script, format!("#!/bin/sh\n{text}")).unwrap();
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    script
}

#[test]
fn compiled_in_search_path_does_not_lead_to_another_library() {
    for name in ["libmpi.so.12", "libmpich.so.12", "libmpifort.so.12"] {
        let world = World::new();
        let library = another(&world, name, &[]);
        let path = format!(
            "-Wl,--disable-new-dtags,-rpath,{}",
            library.parent().unwrap().display()
        );
        let program = world.compile_with(
            "gcc",
            &["child.c"],
            &["-I.", library.to_str().unwrap(), &path],
        );
        assert_eq!(
            answer(&world, program, &["x"]).as_deref(),
            Ok("x: 0 of 2\nx: 1 of 2\n"),
            "{name}"
        );
    }
}

#[test]
fn library_of_the_family_loaded_by_path_is_replaced() {
    let world = World::new();
    let library = another(&world, "libmpich.so.12", &[]);
    let link = world.path().join("libmpich.so");
    std::os::unix::fs::symlink(&library, &link).unwrap();
    let program = world.compile_with("gcc", &["path.c"], &["-ldl"]);
    for path in [library, link] {
        assert_eq!(
            answer(&world, program.clone(), &[path.to_str().unwrap()]).as_deref(),
            Ok("2 ranks\n")
        );
    }
}

#[test]
fn another_library_that_was_used_is_an_error() {
    // The second by a name that says nothing of MPI.
    for name in ["libmpi.so.99", "libfoo.so"] {
        let world = World::new();
        let library = another(&world, name, &[]);
        let program = world.compile_with("gcc", &["path.c"], &["-ldl"]);
        let Err(RunError::Setup(sentence)) = answer(&world, program, &[library.to_str().unwrap()])
        else {
            panic!("it is no error")
        };
        assert!(
            sentence.contains("independently") && sentence.contains(name),
            "{sentence}"
        );
    }
}

/// By path and by name, whatever the loader is to bind first, or in a namespace of its own.
#[test]
fn library_of_the_family_loaded_in_other_ways_is_replaced() {
    let world = World::new();
    let library = another(&world, "libmpich.so.12", &[]);
    for flags in ["-DDEEP", "-DNAMESPACE"] {
        let program = world.compile_with("gcc", &["path.c"], &[flags, "-ldl"]);
        for name in [library.to_str().unwrap(), "libmpich.so.12", "libmpi.so.12"] {
            let said = answer(&world, program.clone(), &[name]);
            assert_eq!(said.as_deref(), Ok("2 ranks\n"), "{flags} {name}");
        }
    }
}

#[test]
fn another_library_in_a_namespace_of_its_own_is_an_error() {
    let world = World::new();
    let library = another(&world, "libmpi.so.99", &[]);
    let program = world.compile_with("gcc", &["path.c"], &["-DNAMESPACE", "-ldl"]);
    let Err(RunError::Setup(sentence)) = answer(&world, program, &[library.to_str().unwrap()])
    else {
        panic!("it is no error")
    };
    assert!(
        sentence.contains("dlmopen") && sentence.contains("libmpi.so.99"),
        "{sentence}"
    );
}

/// Programs that take the variables of the run out of the environment before they start the one that becomes the rank.
#[test]
fn program_with_a_cleared_environment_is_the_rank() {
    let world = World::new();
    let program = world.compile(&["child.c"]);
    let started = program.to_str().unwrap();
    let wrapper = world.compile_with("gcc", &["clearing.c"], &[]);
    let expected = Ok("x: 0 of 2\nx: 1 of 2\n");
    for how in ["execve", "execl", "execle", "execlp", "spawn", "system"] {
        assert_eq!(
            answer(&world, wrapper.clone(), &[how, started]).as_deref(),
            expected,
            "{how}"
        );
    }
    for line in [
        "exec env -i",
        "unset LD_PRELOAD LD_LIBRARY_PATH;",
        "env -i env LD_PRELOAD=",
    ] {
        let script = script(&world, &format!("{line} {started} x\n"));
        assert_eq!(
            answer(&world, script.clone(), &[]).as_deref(),
            expected,
            "{line}"
        );
    }
}

#[test]
fn program_linked_with_open_mpi_is_refused() {
    let world = World::new();
    let library = another(&world, "libmpi.so.40", &["-DOPEN_MPI"]);
    let path = format!("-Wl,-rpath,{}", library.parent().unwrap().display());
    let flags = [
        "-I.",
        "-Wl,--no-as-needed",
        library.to_str().unwrap(),
        &path,
    ];
    let program = world.compile_with("gcc", &["child.c"], &flags);
    let Err(RunError::Setup(sentence)) = answer(&world, program, &["x"]) else {
        panic!("it is no error")
    };
    assert!(
        sentence.contains("nothing was run") && sentence.contains("Open MPI"),
        "{sentence}"
    );
}

/// A child is a program of one rank: it never gets to the shared memory of its parent's run.
#[test]
fn mpi_program_started_by_a_rank_has_one_rank() {
    let world = World::new();
    let program = world.compile(&["child.c"]);
    let child = "child: 0 of 1\n";
    let after = format!("{child}after: 0 of 2\n{child}after: 1 of 2\n");
    assert_eq!(
        answer(&world, program.clone(), &["after"]).as_deref(),
        Ok(after.as_str())
    );
    let before = format!("{child}{child}before: 0 of 2\nbefore: 1 of 2\n");
    assert_eq!(
        answer(&world, program, &["before"]).as_deref(),
        Ok(before.as_str())
    );
}

/// What a launcher does for four processes, as far as a program's environment shows it.
const LAUNCHES: &str =
    "for i in 0 1 2 3; do PMI_FD=9 PMI_RANK=$i PMI_SIZE=4 PROGRAM x || exit; done\n";

/// A launcher inside a rank, in a script that stands for one, or before MPI_Init: its processes find its own library.
#[test]
fn programs_of_a_launcher_inside_a_run_are_no_ranks() {
    let world = World::new();
    let rank = world.compile(&["child.c"]);
    let rank_name = world.path().join("rank.exe");
    std::fs::rename(rank, &rank_name).unwrap();
    let library = another(&world, "libmpi.so.12", &[]);
    let path = format!("-Wl,-rpath,{}", library.parent().unwrap().display());
    let launched = world.compile_with(
        "gcc",
        &["child.c"],
        &["-I.", library.to_str().unwrap(), &path],
    );
    let launches = LAUNCHES.replace("PROGRAM", launched.to_str().unwrap());
    let script = script(&world, &launches);
    let job = "x: 0 of 1\n".repeat(4);
    let command = script.to_str().unwrap();
    for (program, arguments, expected) in [
        (&script, vec![], job.repeat(2)),
        (
            &rank_name,
            vec!["after", command],
            format!("{job}after: 0 of 2\n{job}after: 1 of 2\n"),
        ),
        (
            &rank_name,
            vec!["before", command],
            format!("{job}{job}before: 0 of 2\nbefore: 1 of 2\n"),
        ),
    ] {
        let launch = Launch {
            arguments: arguments.into_iter().map(str::to_string).collect(),
            spawn: true,
            ..world.launch(program, 2, Mode::Token)
        };
        let recording = run(&launch).unwrap();
        let mut lines: Vec<&str> = recording.output.lines().collect();
        let mut expected: Vec<&str> = expected.lines().collect();
        lines.sort_unstable();
        expected.sort_unstable();
        assert_eq!(lines, expected);
        let [warning] = recording.warnings.as_slice() else {
            panic!("{:?}", recording.warnings)
        };
        for part in ["4 ranks of child.exe", "PMI_FD", "2 ranks (0-1)"] {
            assert!(warning.contains(part), "{warning}");
        }
    }
}

/// Where only this library is found, each of the launcher's processes would be the only rank.
#[test]
fn program_of_a_launcher_without_a_library_of_its_own_fails() {
    let world = World::new();
    let program = world.compile_with(
        "gcc",
        &["child.c"],
        &["-I.", "-Llib", "-lmpi", "-Wl,-rpath,lib"],
    );
    let launches = LAUNCHES.replace("PROGRAM", program.to_str().unwrap());
    let script = script(&world, &launches);
    let Err(RunError::Program(sentence)) = answer(&world, script, &[]) else {
        panic!("it is no error")
    };
    for part in ["one of 4 ranks", "PMI_FD", "mpiete run -n 4"] {
        assert!(sentence.contains(part), "{sentence}");
    }
}

/// A script that names files by the rank in a variable of the launcher, and then becomes the program.
#[test]
fn script_of_each_rank_has_the_variables_of_the_launcher() {
    let world = World::new();
    let program = world.compile(&["child.c"]);
    let started = program.display();
    let text = format!("exec {started} x > out.$PMI_RANK.$MPI_LOCALRANKID.$PMI_SIZE\n");
    let script = script(&world, &text);
    assert_eq!(answer(&world, script, &[]).as_deref(), Ok(""));
    for rank in 0..2 {
        let path = world.path().join(format!("out.{rank}.{rank}.2"));
        assert_eq!(
            std::fs::read_to_string(path).unwrap(),
            format!("x: {rank} of 2\n")
        );
    }
}

/// A shell that is started as a rank starts the program that becomes it.
#[test]
fn program_started_by_a_script_is_the_rank() {
    let world = World::new();
    let program = world.compile(&["child.c"]);
    let script = script(&world, &format!("true\n{} x\ntrue\n", program.display()));
    assert_eq!(
        answer(&world, script, &[]).as_deref(),
        Ok("x: 0 of 2\nx: 1 of 2\n")
    );
}
