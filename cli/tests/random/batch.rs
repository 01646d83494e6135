//! Programs analysed one by one, and compiled and run together: each becomes a subroutine of one executable,
//! once whole and once sliced, for a compiler takes longer to start than to compile a small program. What the
//! frontend sees, and so the slice, is the program alone.

use super::convergence_loops::MARK;
use super::program_tree::{Program, named};
use base_data::program_data::{AssumedOutcome, AssumptionOrigin, ProgramData, RecordMethod};
use base_data::provenance::Provenance;
use base_data::stream_difference::{Difference, first_difference_but_for};
use frontend::Analysis;
use frontend::options::{AssumptionRequest, Options};
use frontend::source::Sources;
use instrumenter::{ProbePlan, plan};
use std::path::{Path, PathBuf};
use std::process::Command;
use token_runtime::host::{self, Launch, Mode, Output, RunError};
use token_runtime::virtual_recording::{self, ValidationLevel, VirtualError};

/// A program that is to be tried.
#[derive(Clone, Debug)]
pub struct Tried {
    pub ranks: u32,
    pub text: String,
    pub analysis: Analysis,
    /// The same program with a name of its own for everything, where names of it hide others.
    apart: Option<String>,
    whole: String,
    /// The text of the slice.
    pub sliced: String,
}

/// What came of a program.
#[derive(Debug)]
pub enum Outcome {
    /// The streams are equal.
    Equal,
    /// It could not be compared: the whole program does not compile, or does not end as a program should; what
    /// was said.
    NotRun(String),
    /// The slice is wrong.
    Wrong(String),
}

/// What the programs use as the module of MPI: its constants. The compiler reads a module anew in each unit, and that
/// of all interfaces takes it longer than all the rest.
const MODULE: &str = "module mpi\n  include 'mpif.h'\nend module\n";

/// Seconds of processor time that a rank may take.
const LIMIT: u32 = 1;

/// Analyses and slices a program. Where names of it hide others, its slice is compared with the program in which none do,
/// if its blocks have the same work terms.
pub fn tried(program: &Program) -> Result<Tried, String> {
    let hidden = sliced(program.ranks, &program.text())?;
    let Some(apart) = apart(program) else {
        return Ok(hidden);
    };
    let apart = sliced(program.ranks, &apart)?;
    let whole = if terms(&hidden) == terms(&apart) {
        apart.whole
    } else {
        hidden.whole
    };
    Ok(Tried {
        whole,
        apart: Some(apart.text),
        ..hidden
    })
}

/// The program with a name of its own for everything (see [`super::name_hiding`]), if some hide others.
fn apart(program: &Program) -> Option<String> {
    let marked = program.marked();
    marked.contains('@').then(|| named(&marked, true))
}

fn sliced(ranks: u32, text: &str) -> Result<Tried, String> {
    let mut sources = Sources::default();
    sources.add("t.f90", text.as_bytes());
    let options = Options {
        assumptions: going_on(text),
        ..Options::default()
    };
    let analysis = frontend::analyze(&mut sources, &options, &|name, _| {
        (name == "mpif.h").then(|| ("mpif.h".to_string(), Vec::new()))
    });
    if analysis.is_refused() || !analysis.unsupported.is_empty() {
        let said = analysis
            .diagnostics
            .iter()
            .map(|one| format!("{}\n", one.sentence));
        return Err(format!(
            "refused: {}{:?}",
            said.collect::<String>(),
            analysis.unsupported
        ));
    }
    let probe = |plan: ProbePlan| {
        let files = instrumenter::instrument(&sources, &analysis, &plan)
            .map_err(|error| error.to_string())?;
        Ok::<_, String>(String::from_utf8_lossy(&files[0].text).into_owned())
    };
    let whole = probe(plan::program::reference(&analysis))?;
    let sliced = probe(plan::program::sliced(&analysis))?;
    Ok(Tried {
        ranks,
        text: text.into(),
        apart: None,
        analysis,
        whole,
        sliced,
    })
}

/// What is assumed of conditions that are marked.
fn going_on(text: &str) -> Vec<AssumptionRequest> {
    let marked = |(number, line): (u32, &str)| {
        let request = AssumptionRequest {
            file: "t.f90".into(),
            line: number,
            outcome: AssumedOutcome::NotTaken,
            origin: AssumptionOrigin::User,
        };
        line.contains(MARK).then_some(request)
    };
    (1..).zip(text.lines()).filter_map(marked).collect()
}

/// The work terms of all blocks, with names as they are without distinguishing suffixes.
fn terms(program: &Tried) -> Vec<Vec<String>> {
    let named = |text: &str| {
        let mut parts = text.split('_');
        let mut out = parts.next().unwrap_or_default().to_string();
        parts.for_each(|part| {
            out += part.trim_start_matches(|letter: char| letter.is_ascii_digit())
        });
        out
    };
    let blocks = program.analysis.table.blocks.iter();
    blocks
        .map(|block| {
            block
                .work_terms
                .iter()
                .map(|term| named(&term.expression))
                .collect()
        })
        .collect()
}

impl Tried {
    /// The program with what the slice keeps marked.
    pub fn listing(&self) -> String {
        let map = &self.analysis.source_map;
        let kept = self
            .analysis
            .slice
            .kept
            .iter()
            .enumerate()
            .filter(|(_, kept)| **kept);
        let line = |(id, _): (usize, &bool)| {
            let span = map.statements[id].header;
            map.line(span.file, span.start) as usize
        };
        let lines: std::collections::BTreeSet<usize> = kept.map(line).collect();
        let mark = |(number, line): (usize, &str)| {
            format!(
                "{number:4} {} {line}\n",
                if lines.contains(&number) { "+" } else { " " }
            )
        };
        (1..).zip(self.text.lines()).map(mark).collect()
    }
}

/// Tries programs; outcomes in their order.
pub fn outcomes(programs: &[Tried]) -> Vec<Outcome> {
    each(programs, &|program, made| compared(program, &made))
}

/// The same of what ranks leave that run one by one, and together, on some number of ranks.
pub fn outcomes_alone(programs: &[Tried], ranks: u32) -> Vec<Outcome> {
    each(programs, &|program, made| {
        compared_alone(
            &Tried {
                ranks,
                ..program.clone()
            },
            &made,
        )
    })
}

/// A program as it is run.
struct Made<'a> {
    number: usize,
    executable: &'a Path,
    folder: &'a Path,
}

fn each(programs: &[Tried], outcome: &impl Fn(&Tried, Made) -> Outcome) -> Vec<Outcome> {
    let folder = tempfile::tempdir().expect("a folder");
    let executable = match compile(programs, folder.path()) {
        Ok(executable) => executable,
        Err(said) if programs.len() == 1 && programs[0].compiles() => {
            return vec![Outcome::Wrong(format!("the probes do not compile: {said}"))];
        }
        Err(said) if programs.len() == 1 => return vec![Outcome::NotRun(said)],
        // Only some of them are wrong.
        Err(_) => {
            let (first, second) = programs.split_at(programs.len() / 2);
            return each(first, outcome)
                .into_iter()
                .chain(each(second, outcome))
                .collect();
        }
    };
    let made = |number| Made {
        number,
        executable: &executable,
        folder: folder.path(),
    };
    programs
        .iter()
        .enumerate()
        .map(|(number, program)| outcome(program, made(number)))
        .collect()
}

fn compared(program: &Tried, made: &Made) -> Outcome {
    let whole = match recorded(program, made, RecordMethod::Unsliced) {
        Ok(whole) => whole,
        Err(said) => return Outcome::NotRun(said),
    };
    match recorded(program, made, RecordMethod::Sliced) {
        Err(said) => Outcome::Wrong(format!("the slice does not end: {said}")),
        Ok(sliced) => {
            match first_difference_but_for(&sliced, &whole, &program.analysis.any_order) {
                None => Outcome::Equal,
                Some(difference) => {
                    Outcome::Wrong(difference_message(&difference, &sliced, &whole))
                }
            }
        }
    }
}

fn compared_alone(program: &Tried, made: &Made) -> Outcome {
    let together = match recorded(program, made, RecordMethod::Sliced) {
        Ok(together) => together,
        Err(said) => return Outcome::NotRun(said),
    };
    let launch = Launch {
        solo: true,
        ..launch(program, made, RecordMethod::Sliced)
    };
    let table = program.analysis.table.clone();
    match virtual_recording::record(
        &launch,
        table,
        Provenance::default(),
        ValidationLevel::default(),
    ) {
        Err(VirtualError::Run(RunError::NeedsOtherRanks(said))) => Outcome::NotRun(said),
        Err(error) => Outcome::Wrong(format!("ranks do not end alone: {error}")),
        Ok(alone) => {
            match first_difference_but_for(&alone.data, &together, &program.analysis.any_order) {
                None => Outcome::Equal,
                Some(difference) => {
                    Outcome::Wrong(difference_message(&difference, &alone.data, &together))
                }
            }
        }
    }
}

fn difference_message(
    difference: &Difference,
    sliced: &ProgramData,
    whole: &ProgramData,
) -> String {
    let does = |data, entry: &Option<_>| estimator::comparison::describe(data, entry.as_ref());
    format!(
        "rank {:?}, entry {}: the slice has {} ({:?}), the whole program {} ({:?})",
        difference.rank,
        difference.index + 1,
        does(sliced, &difference.first),
        difference.first,
        does(whole, &difference.second),
        difference.second
    )
}

fn launch<'a>(program: &'a Tried, made: &Made, method: RecordMethod) -> Launch<'a> {
    let letter = if method == RecordMethod::Sliced {
        's'
    } else {
        'o'
    };
    Launch {
        program: made.executable.to_path_buf(),
        arguments: vec![format!("{letter}{}", made.number)],
        ranks: program.ranks,
        mode: Mode::Record,
        library: library(),
        work_dir: made.folder.to_path_buf(),
        output: Output::Capture,
        table: Some(&program.analysis.table),
        ..Launch::default()
    }
}

fn recorded(program: &Tried, made: &Made, method: RecordMethod) -> Result<ProgramData, String> {
    let recording = host::run(&launch(program, made, method)).map_err(|error| error.to_string())?;
    let table = program.analysis.table.clone();
    host::merge_program(recording.ranks, table, Provenance::default(), method)
        .map_err(|error| error.to_string())
}

/// The MPI library beside the program under test.
fn library() -> PathBuf {
    super::mpiete().with_file_name("libmpiete_mpi.so")
}

/// The executable, or what the compiler says.
fn compile(programs: &[Tried], folder: &Path) -> Result<PathBuf, String> {
    host::library_folder(&folder.join("lib"), &library()).expect("a folder of links");
    compiled(
        &source(programs),
        folder,
        &["-o", "all", "-Llib", "-lmpi", "-Wl,-rpath,lib"],
    )
}

impl Tried {
    /// Whether it compiles as it is, and with names of its own.
    fn compiles(&self) -> bool {
        let folder = tempfile::tempdir().expect("a folder");
        let mut texts = std::iter::once(&self.text).chain(&self.apart);
        texts.all(|text| compiled(text, folder.path(), &["-c"]).is_ok())
    }
}

fn compiled(text: &str, folder: &Path, more: &[&str]) -> Result<PathBuf, String> {
    for (name, text) in token_runtime::headers::ALL {
        std::fs::write(folder.join(name), text).expect("a header");
    }
    std::fs::write(folder.join("mpi.f90"), MODULE).expect("a module");
    std::fs::write(folder.join("all.f90"), text).expect("a source");
    let mut command = Command::new("gfortran");
    let flags = [
        "-O0",
        "-w",
        "-fallow-argument-mismatch",
        "-ffree-line-length-none",
        "-finit-integer=-7777",
        "-I.",
        "mpi.f90",
        "all.f90",
    ];
    command.args(flags).args(more).current_dir(folder);
    let answer = command.output().expect("gfortran");
    match answer.status.success() {
        true => Ok(folder.join("all")),
        false => Err(String::from_utf8_lossy(&answer.stderr).into_owned()),
    }
}

/// One source of them all.
fn source(programs: &[Tried]) -> String {
    let mut text = String::new();
    let mut chosen = String::new();
    for (number, program) in programs.iter().enumerate() {
        for (name, source) in [
            (format!("o{number}"), &program.whole),
            (format!("s{number}"), &program.sliced),
        ] {
            let source = source.replace("program zqt", "subroutine zqt");
            text += &source.replace("zq", &format!("z{name}q"));
            chosen += &format!("  case ('{name}')\n    call z{name}qt()\n");
        }
    }
    text + &format!(
        "program chosen
  use iso_c_binding
  implicit none
  interface
    integer(c_int) function setrlimit(resource, limits) bind(c)
      import
      integer(c_int), value :: resource
      integer(c_int64_t) :: limits(2)
    end function
  end interface
  character(16) :: name
  ! A slice that never ends is ended: RLIMIT_CPU is 0.
  if (setrlimit(0_c_int, [{LIMIT}_8, {LIMIT}_8]) /= 0) stop 1
  call get_command_argument(1, name)
  select case (name)
{chosen}  end select
end program
"
    )
}
