//! `mpiete run`: what people type for mpirun, on one processing unit.

use crate::args::RunArgs;
use crate::{call_sites, files, library, record};
use anyhow::{Context, Result, bail};
use std::path::PathBuf;
use token_runtime::host::{Input, Launch, MeasureSettings, Mode, Output};

/// mpirun's options that mean nothing on one processing unit, with the number of their values.
const IGNORED: [(&str, usize); 38] = [
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
    ("-l", 0),
    ("-prepend-rank", 0),
    ("-tag-output", 0),
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
#[derive(Debug, PartialEq, Eq)]
struct Command {
    ranks: u32,
    folder: Option<PathBuf>,
    environment: Vec<(String, String)>,
    program: String,
    arguments: Vec<String>,
}

/// Runs the program with standard input, output and errors passed through.
pub fn run(arguments: &RunArgs) -> Result<()> {
    let asks_for_help = |word: &String| word == "--help" || word == "-h";
    if arguments.words.is_empty() || arguments.words.first().is_some_and(asks_for_help) {
        return files::deliver(None, HELP);
    }
    let command = parse(&arguments.words)?;
    let launch = Launch {
        program: record::find_program(&command.program)?,
        arguments: command.arguments,
        ranks: command.ranks,
        mode: Mode::Token,
        measure: MeasureSettings::default(),
        library: library::path()?,
        work_dir: command.folder.map_or_else(std::env::current_dir, Ok)?,
        input: Input::Inherit,
        output: Output::Inherit,
        environment: command.environment,
        table: None,
        line: Some(call_sites::line),
        interrupt: Some(crate::interrupt::flag()?),
    };
    record::run(&launch).map(|_| ())
}

const HELP: &str = "\
Run an MPI program with N ranks on one processing unit

Usage: mpiete run [-n N] [OPTIONS] PROGRAM [ARGS]

Options:
  -n, -np N               Number of ranks [default: 1]
  -wdir, --wdir DIR       Folder to run in
  -env, -genv NAME VALUE  Environment variable of the ranks
  -x NAME[=VALUE]         The same, as Open MPI spells it

Other common options of mpirun (hosts, binding, mapping, --oversubscribe) are accepted and have no
meaning here. A program that was linked dynamically against an MPI of the MPICH family runs as it is.
";

fn parse(words: &[String]) -> Result<Command> {
    let mut command = Command {
        ranks: 1,
        folder: None,
        environment: Vec::new(),
        program: String::new(),
        arguments: Vec::new(),
    };
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let mut value = || rest.next().cloned().with_context(|| format!("{word} needs a value"));
        match word.as_str() {
            "-n" | "-np" | "--np" | "--n" => command.ranks = ranks(&value()?)?,
            "-wdir" | "--wdir" | "-wd" => command.folder = Some(value()?.into()),
            "-env" | "-genv" => {
                let name = value()?;
                match name.split_once('=') {
                    Some((name, text)) => command.environment.push((name.into(), text.into())),
                    None => command.environment.push((name, value()?)),
                }
            }
            "-x" => command.environment.push(exported(&value()?)),
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
                let program = if program == "--" { value()? } else { program.to_string() };
                command.program = program;
                command.arguments = rest.cloned().collect();
                if command.arguments.iter().any(|word| word == ":") {
                    bail!(
                        "several programs in one run (`:`) are not supported by this version; run one program on all ranks"
                    );
                }
                return Ok(command);
            }
        }
    }
    bail!("no program to run; write mpiete run -n 4 ./program")
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
            assert_eq!((command.ranks, command.program.as_str()), (4, "./a"), "{line}");
            assert_eq!(command.arguments, ["x", "-n", "2"]);
        }
        let command = parsed("-x A=1 -env B 2 -wdir /d ./a").unwrap();
        assert_eq!(command.environment, [("A".into(), "1".into()), ("B".into(), "2".into())]);
    }

    #[test]
    fn refuses_with_a_sentence() {
        for (line, said) in [
            ("-n x ./a", "whole number"),
            ("-n 0 ./a", "at least 1"),
            ("-n 4", "no program"),
            ("--bogus ./a", "does not know"),
            ("-n 2 ./a : -n 2 ./b", "several programs"),
        ] {
            assert!(parsed(line).unwrap_err().to_string().contains(said), "{line}");
        }
    }
}
