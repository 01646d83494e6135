//! `mpiete run`: what people type for mpirun, on one processing unit.

use crate::args::RunArgs;
use crate::{call_sites, files, library, record};
use anyhow::{Context, Result, bail};
use std::path::PathBuf;
use token_runtime::host::{Input, Launch, Mode, Output, Part};

/// mpirun's options that mean nothing on one processing unit, with the number of their values.
const IGNORED: [(&str, usize); 35] = [
    ("-f", 1),
    ("-hostfile", 1),
    ("-machinefile", 1),
    ("-host", 1),
    ("-hosts", 1),
    ("-ppn", 1),
    ("-N", 1),
    ("-npernode", 1),
    ("-map-by", 1),
    ("-bind-to", 1),
    ("-rank-by", 1),
    ("-mca", 2),
    ("-gmca", 2),
    ("-launcher", 1),
    ("-rmk", 1),
    ("-iface", 1),
    ("-genvlist", 1),
    ("-envlist", 1),
    ("-output-filename", 1),
    ("-genvall", 0),
    ("-envall", 0),
    ("-genvnone", 0),
    ("-envnone", 0),
    ("-oversubscribe", 0),
    ("-nooversubscribe", 0),
    ("-allow-run-as-root", 0),
    ("-report-bindings", 0),
    ("-use-hwthread-cpus", 0),
    ("-display-map", 0),
    ("-q", 0),
    ("-quiet", 0),
    ("-v", 0),
    ("-verbose", 0),
    ("-bynode", 0),
    ("-byslot", 0),
];

/// The number of values of an option that is accepted and ignored, in either spelling of its dashes.
fn ignored(option: &str) -> Option<usize> {
    let single = option.strip_prefix('-').filter(|rest| rest.starts_with('-')).unwrap_or(option);
    IGNORED.iter().find(|(name, _)| *name == single).map(|(_, values)| *values)
}

/// The command as it was understood.
#[derive(Debug, Default, PartialEq, Eq)]
struct Command {
    /// Environment of all programs.
    environment: Vec<(String, String)>,
    /// Whether each line is to be printed behind its rank.
    tagged: bool,
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
    let asks_for_help = |word: &String| word == "--help" || word == "-h";
    if arguments.words.first().is_some_and(asks_for_help) {
        return files::deliver(None, HELP);
    }
    let Command { environment, tagged, programs } = parse(&arguments.words)?;
    let part = |program| part(program, &environment);
    let mut parts = programs.into_iter().map(part).collect::<Result<Vec<Part>>>()?;
    let first = parts.remove(0);
    let launch = Launch {
        program: first.program,
        arguments: first.arguments,
        ranks: first.ranks,
        work_dir: first.work_dir,
        environment: first.environment,
        parts,
        mode: Mode::Token,
        library: library::path()?,
        input: Input::Inherit,
        output: if tagged { Output::Tagged } else { Output::Inherit },
        line: Some(call_sites::line),
        interrupt: Some(crate::interrupt::flag()?),
        signals: crate::interrupt::passed_on()?,
        ..Launch::default()
    };
    record::run(&launch).map(|_| ())
}

fn part(program: Program, everywhere: &[(String, String)]) -> Result<Part> {
    Ok(Part {
        program: record::find_runnable(&program.program)?,
        arguments: program.arguments,
        ranks: program.ranks,
        work_dir: program.folder.map_or_else(std::env::current_dir, Ok)?,
        environment: [everywhere, &program.environment].concat(),
    })
}

const HELP: &str = "\
Run an MPI program with N ranks on one processing unit

Usage: mpiete run [-n N] [OPTIONS] PROGRAM [ARGS] [: [-n N] [OPTIONS] PROGRAM [ARGS]]...

Options:
  -n, -np, -c N           Number of ranks [default: 1]
  -wdir, --wdir DIR       Folder to run in
  -genv NAME VALUE        Environment variable of all ranks
  -env NAME VALUE         Environment variable of this program's ranks
  -x NAME[=VALUE]         The same, as Open MPI spells it
  -l, --tag-output        Print each line behind its rank

Other common options of mpirun (hosts, binding, mapping, --oversubscribe) are accepted and have no
meaning here. Programs that were linked dynamically against an MPI of the MPICH family run as they are.
Standard input goes to rank 0; SIGUSR1 and SIGUSR2 go to all ranks, Ctrl-C and SIGTERM end them.
The exit code is 0 if all ranks ended well, 1 otherwise, whatever theirs was.
";

fn parse(words: &[String]) -> Result<Command> {
    let mut command = Command::default();
    for words in words.split(|word| word == ":") {
        let program = parse_program(words, &mut command)?;
        command.programs.push(program);
    }
    Ok(command)
}

/// The words of one program, up to a colon; what holds for all programs goes to the command.
fn parse_program(words: &[String], command: &mut Command) -> Result<Program> {
    let mut parsed = Program { ranks: 1, ..Program::default() };
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let mut value = || rest.next().cloned().with_context(|| format!("{word} needs a value"));
        match word.as_str() {
            "-n" | "-np" | "--np" | "--n" | "-c" => parsed.ranks = ranks(&value()?)?,
            "-wdir" | "--wdir" | "-wd" => parsed.folder = Some(value()?.into()),
            "-genv" | "--genv" => command.environment.push(variable(value)?),
            "-env" | "--env" => parsed.environment.push(variable(value)?),
            "-x" => parsed.environment.push(exported(&value()?)),
            "-l" | "-prepend-rank" | "--prepend-rank" | "-tag-output" | "--tag-output" => {
                command.tagged = true;
            }
            option if ignored(option).is_some() => {
                for _ in 0..ignored(option).unwrap_or(0) {
                    value()?;
                }
            }
            option if option.starts_with('-') && option != "--" => {
                bail!(
                    "mpiete run does not know {option}; see `mpiete run --help`, and put the program's own arguments after it"
                )
            }
            program => {
                parsed.program = if program == "--" { value()? } else { program.to_string() };
                parsed.arguments = rest.cloned().collect();
                return Ok(parsed);
            }
        }
    }
    bail!("no program to run; write mpiete run -n 4 ./program")
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
    fn takes_what_people_type() {
        for line in [
            "-n 4 ./a x -n 2",
            "-np 4 --oversubscribe --bind-to core --mca btl self ./a x -n 2",
            "-hostfile h -n 4 -- ./a x -n 2",
        ] {
            let command = parsed(line).unwrap();
            let program = &command.programs[0];
            assert_eq!((program.ranks, program.program.as_str()), (4, "./a"), "{line}");
            assert_eq!(program.arguments, ["x", "-n", "2"]);
        }
        let command = parsed("-x A=1 -env B 2 -wdir /d ./a").unwrap();
        assert_eq!(command.programs[0].environment, [("A".into(), "1".into()), ("B".into(), "2".into())]);
    }

    #[test]
    fn programs_stand_between_colons() {
        let command = parsed("-l -genv A 1 -n 2 ./a x : -n 3 -env B 2 ./b : ./c").unwrap();
        let all: Vec<_> = command.programs.iter().map(|p| (p.ranks, p.program.as_str())).collect();
        assert_eq!(all, [(2, "./a"), (3, "./b"), (1, "./c")]);
        assert_eq!((command.tagged, command.environment.len()), (true, 1));
        assert_eq!((command.programs[0].arguments.len(), command.programs[1].environment.len()), (1, 1));
    }

    #[test]
    fn refuses_with_a_sentence() {
        for (line, said) in [
            ("-n x ./a", "whole number"),
            ("-n 0 ./a", "at least 1"),
            ("-n 4", "no program"),
            ("--bogus ./a", "does not know"),
            ("-n 2 ./a : -n 2", "no program"),
        ] {
            assert!(parsed(line).unwrap_err().to_string().contains(said), "{line}");
        }
    }
}
