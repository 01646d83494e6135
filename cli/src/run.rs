//! `mpiete run`: accepts the command lines of mpirun and runs the ranks on one processing unit.

use crate::args::RunArgs;
use crate::{files, library, record, symbolization};
use anyhow::{Context, Result, bail};
use std::path::PathBuf;
use token_runtime::host::{Input, Launch, Mode, MpmdProgram, Output, Recording};

/// mpirun's options with a value that have no effect on one processing unit.
const IGNORED_WITH_VALUE: [&str; 36] = [
    "-am",
    "-arch",
    "-bind-to",
    "-cpu-set",
    "-cpus-per-proc",
    "-cpus-per-rank",
    "-demux",
    "-display",
    "-envlist",
    "-f",
    "-genvlist",
    "-H",
    "-host",
    "-hostfile",
    "-hosts",
    "-iface",
    "-launcher",
    "-launcher-exec",
    "-machinefile",
    "-map-by",
    "-N",
    "-npernode",
    "-npersocket",
    "-order-nodes",
    "-output-filename",
    "-perhost",
    "-ppn",
    "-prefix",
    "-rank-by",
    "-rmk",
    "-s",
    "-slot-list",
    "-stdin",
    "-tune",
    "-usize",
    "-bind",
];
/// The same without a value.
const IGNORED: [&str; 29] = [
    "-allow-run-as-root",
    "-bind-to-core",
    "-bind-to-none",
    "-bind-to-socket",
    "-bycore",
    "-bynode",
    "-byslot",
    "-bysocket",
    "-disable-hostname-propagation",
    "-display-allocation",
    "-display-map",
    "-envall",
    "-envnone",
    "-exitinfo",
    "-genvall",
    "-genvnone",
    "-localonly",
    "-nolocal",
    "-nooversubscribe",
    "-oversubscribe",
    "-pernode",
    "-persocket",
    "-print-all-exitcodes",
    "-q",
    "-quiet",
    "-report-bindings",
    "-use-hwthread-cpus",
    "-v",
    "-verbose",
];
/// Those that take a name and a value.
const IGNORED_WITH_TWO: [&str; 2] = ["-mca", "-gmca"];

/// The number of values of an option that is accepted and ignored.
fn ignored(option: &str) -> Option<usize> {
    [&IGNORED[..], &IGNORED_WITH_VALUE, &IGNORED_WITH_TWO]
        .iter()
        .position(|names| names.contains(&option))
}

/// The parsed command.
#[derive(Debug, Default, PartialEq, Eq)]
struct Command {
    /// Environment of all programs.
    environment: Vec<(String, String)>,
    /// Whether each line is printed with its rank before it.
    tagged: bool,
    /// Whether each rank starts as a separate process.
    spawn: bool,
    /// The programs, which stand between colons.
    programs: Vec<Program>,
}

/// One program with its ranks.
#[derive(Debug, Default, PartialEq, Eq)]
struct Program {
    ranks: u32,
    folder: Option<PathBuf>,
    environment: Vec<(String, String)>,
    program: String,
    arguments: Vec<String>,
}

/// Runs the programs with standard input, output and errors passed through.
pub fn run(arguments: &RunArgs) -> Result<()> {
    // Only as the first word: later ones may be arguments of the program.
    match arguments.words.first().map(String::as_str) {
        Some("--help" | "-h") => return files::write_text(None, HELP),
        Some(word) if VERSION.contains(&word) => {
            return files::print_line(format!("mpiete {}", env!("CARGO_PKG_VERSION")));
        }
        Some(_) | None => {}
    }
    let Command {
        environment,
        tagged,
        spawn,
        programs,
    } = parse(&arguments.words)?;
    let mut parts = Vec::new();
    for program in programs {
        parts.push(part(program, &environment)?);
    }
    // `parse` returns at least one program: even an empty command is split into one part, which then has no program.
    let first = parts.remove(0);
    let launch = Launch {
        program: first.program,
        name: first.name,
        arguments: first.arguments,
        ranks: first.ranks,
        work_dir: first.work_dir,
        environment: first.environment,
        parts,
        spawn,
        mode: Mode::Token,
        library: library::path()?,
        input: Input::Inherit,
        output: if tagged {
            Output::Tagged
        } else {
            Output::Inherit
        },
        line: Some(symbolization::line),
        interrupt: Some(crate::interrupt::flag()?),
        signals: crate::interrupt::forwarded_signals()?,
        ..Launch::default()
    };
    let recording = record::run(&launch)?;
    warn_of_independent_copies(&launch, &recording);
    Ok(())
}

/// Warns if no rank called MPI_Init. As under mpirun, a program without MPI runs once per rank. The same happens to a program whose
/// MPI library mpiete could not replace, and the user must learn of that.
fn warn_of_independent_copies(launch: &Launch<'_>, recording: &Recording) {
    if recording.ranks.len() < 2 || recording.joined > 0 {
        return;
    }
    report!(
        "mpiete: warning: the {} ranks ran independently of each other: none of them called MPI_Init; if {} is to start an MPI \
         program, check that it keeps the environment and that the program is linked with a shared MPI library",
        recording.ranks.len(),
        launch.program.display()
    );
}

fn part(program: Program, common_environment: &[(String, String)]) -> Result<MpmdProgram> {
    let mut path = program.program.clone();
    // A launcher changes to the folder of -wdir before it starts the program, so a relative path is relative to that folder.
    if let Some(folder) = &program.folder
        && path.contains('/')
    {
        let in_folder = folder.join(&path);
        if in_folder.is_file() {
            path = in_folder.to_string_lossy().into_owned();
        }
    }
    let work_dir = match program.folder {
        Some(folder) => folder,
        None => std::env::current_dir()?,
    };
    Ok(MpmdProgram {
        program: record::find_runnable(&path)?,
        name: program.program,
        arguments: program.arguments,
        ranks: program.ranks,
        work_dir,
        // Later entries override earlier ones: -env takes precedence over -genv.
        environment: [common_environment, &program.environment].concat(),
    })
}

/// Spellings of launchers for a query of their version.
const VERSION: [&str; 4] = ["--version", "-version", "-V", "-info"];

const HELP: &str = "\
Run an MPI program with N ranks on one processing unit

Usage: mpiete run [-n N] [OPTIONS] PROGRAM [ARGS] [: [-n N] [OPTIONS] PROGRAM [ARGS]]...

Options:
  -n, -np, -c N           Number of ranks [default: 1]
  -wdir, --wdir DIR       Folder to run in
  -genv NAME VALUE        Environment variable of all ranks
  -env NAME VALUE         Environment variable of this program's ranks
  -x NAME[=VALUE]         The same, as Open MPI spells it
  -l, --tag-output        Prefix each line with its rank
  --spawn                 Start each rank as a separate process instead of a fork at MPI_Init

Other common options of mpirun (hosts, binding, mapping, --oversubscribe) are accepted and have no
meaning here. Programs that are linked dynamically with an MPI of the MPICH family run unchanged.
Standard input goes to rank 0; SIGUSR1 and SIGUSR2 go to all ranks, Ctrl-C and SIGTERM end them.
The exit code is 0 if all ranks ended well, 1 if one failed, 2 if the program could not be started.
";

fn parse(words: &[String]) -> Result<Command> {
    let mut command = Command::default();
    for words in words.split(|word| word == ":") {
        let program = parse_program(words, &mut command)?;
        command.programs.push(program);
    }
    Ok(command)
}

/// The words of one program, up to a colon. Options that apply to all programs go to the command.
fn parse_program(words: &[String], command: &mut Command) -> Result<Program> {
    let mut parsed = Program {
        ranks: 1,
        ..Program::default()
    };
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let (option, mut attached) = option_of(word);
        let mut value = || {
            let next = attached.take().or_else(|| rest.next().cloned());
            next.with_context(|| format!("{word} needs a value"))
        };
        match option.as_str() {
            "-n" | "-np" | "-c" => parsed.ranks = ranks(&value()?)?,
            "-wdir" | "-wd" => parsed.folder = Some(value()?.into()),
            "-genv" => command.environment.push(variable(value)?),
            "-env" => parsed.environment.push(variable(value)?),
            "-x" => parsed.environment.push(exported(&value()?)),
            "-spawn" => command.spawn = true,
            "-l" | "-prepend-rank" | "-tag-output" => command.tagged = true,
            option if ignored(option).is_some() => {
                for _ in 0..ignored(option).unwrap_or(0) {
                    value()?;
                }
            }
            option if option.starts_with('-') && word != "--" => {
                bail!(
                    "mpiete run does not know {word}; see `mpiete run --help`, and put the program's own arguments after it"
                )
            }
            _ => {
                parsed.program = if word == "--" {
                    value()?
                } else {
                    word.to_string()
                };
                // Everything after the program is the program's, even if it looks like an option.
                parsed.arguments = rest.cloned().collect();
                return Ok(parsed);
            }
        }
    }
    bail!("no program to run; write mpiete run -n 4 ./program")
}

/// An option with a single dash, and the value in `--option=value`.
fn option_of(word: &str) -> (String, Option<String>) {
    // Open MPI accepts long options with one dash and with two.
    let is_long = word.starts_with("--");
    let single = if is_long { &word[1..] } else { word };
    match single.split_once('=') {
        // `-x NAME=VALUE` has its value in another word; `-n=4` is an error in all launchers.
        Some((option, value)) if is_long => (option.into(), Some(value.into())),
        Some(_) | None => (single.into(), None),
    }
}

/// `NAME VALUE` or `NAME=VALUE`.
fn variable(mut value: impl FnMut() -> Result<String>) -> Result<(String, String)> {
    let name = value()?;
    match name.split_once('=') {
        Some((name, text)) => Ok((name.into(), text.into())),
        None => Ok((name, value()?)),
    }
}

fn ranks(text: &str) -> Result<u32> {
    match text.parse() {
        Ok(count) if count > 0 => Ok(count),
        _ => bail!("-n {text}: the number of ranks must be a whole number of at least 1"),
    }
}

fn exported(text: &str) -> (String, String) {
    match text.split_once('=') {
        Some((name, value)) => (name.into(), value.into()),
        None => (text.into(), std::env::var(text).unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Command> {
        parse(&line.split(' ').map(String::from).collect::<Vec<_>>())
    }

    #[test]
    fn mpirun_spellings_are_accepted() {
        for line in [
            "-n 4 ./a x -n 2",
            "-np 4 --oversubscribe --bind-to core --mca btl self ./a x -n 2",
            "-hostfile h -n 4 -- ./a x -n 2",
            "-H a,b --np=4 -perhost 2 --map-by=core -genvall -- ./a x -n 2",
        ] {
            let command = parsed(line).unwrap();
            let program = &command.programs[0];
            assert_eq!(
                (program.ranks, program.program.as_str()),
                (4, "./a"),
                "{line}"
            );
            assert_eq!(program.arguments, ["x", "-n", "2"]);
        }
        let command = parsed("-x A=1 -env B 2 -wdir /d ./a").unwrap();
        assert_eq!(
            command.programs[0].environment,
            [("A".into(), "1".into()), ("B".into(), "2".into())]
        );
    }

    #[test]
    fn programs_are_separated_by_colons() {
        let command = parsed("-l -genv A 1 -n 2 ./a x : -n 3 -env B 2 ./b : ./c").unwrap();
        let all: Vec<_> = command
            .programs
            .iter()
            .map(|p| (p.ranks, p.program.as_str()))
            .collect();
        assert_eq!(all, [(2, "./a"), (3, "./b"), (1, "./c")]);
        assert!(!command.spawn && parsed("--spawn -n 2 ./a").unwrap().spawn);
        assert_eq!((command.tagged, command.environment.len()), (true, 1));
        assert_eq!(
            (
                command.programs[0].arguments.len(),
                command.programs[1].environment.len()
            ),
            (1, 1)
        );
    }

    #[test]
    fn invalid_commands_are_rejected() {
        for (line, said) in [
            ("-n x ./a", "whole number"),
            ("-n 0 ./a", "at least 1"),
            ("-n 4", "no program"),
            ("--bogus ./a", "does not know --bogus"),
            ("--bogus=4 ./a", "does not know --bogus=4"),
            ("-n=4 ./a", "does not know -n=4"),
            ("-n 2 ./a : -n 2", "no program"),
        ] {
            assert!(
                parsed(line).unwrap_err().to_string().contains(said),
                "{line}"
            );
        }
    }
}
