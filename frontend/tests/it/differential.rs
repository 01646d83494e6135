//! The frontend against fparser2, an independent parser, and against what generated sources are known to
//! hold: procedures, kinds of statements, CALL statements and function references, line by line.
//!
//! `./setup fparser` installs it; without it only generated sources are compared, with what is known of them.

use crate::golden::analyse;
use crate::layouts::{Laid, lay_out};
use crate::varied_sources::{Maker, Varied};
use frontend::analysis::Analysis;
use frontend::ir::{Callee, IoOperation, ProcedureKind, StatementId, StatementKind};
use frontend::source::Form;
use npb_fixtures::skipped::skip;
use npb_fixtures::{KERNELS, Outcome, PATTERNS, ProblemClass};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Programs that are generated.
const PROGRAMS: u64 = 40;

/// Of these, programs that fparser2 reads, too, which takes a second for some; a test that is left for later
/// has it read all of them.
const FOR_FPARSER: u64 = 4;

type Named = Vec<(u32, String)>;

/// What is compared of a file; lists are sorted.
#[derive(Debug, Default, PartialEq)]
struct Facts {
    procedures: Vec<(String, String)>,
    statements: Named,
    calls: Named,
}

#[test]
fn generated_sources_are_read_as_they_were_meant() {
    check_generated("some", FOR_FPARSER);
}

#[test]
#[ignore = "takes a minute"]
fn all_generated_sources_are_read_as_fparser_reads_them() {
    check_generated("all", PROGRAMS);
}

fn check_generated(name: &str, for_fparser: u64) {
    let folder =
        std::env::temp_dir().join(format!("mpiete-differential-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let mut paths = Vec::new();
    for seed in 0..PROGRAMS {
        let varied = Maker::new(seed).program();
        for (form, tame, name) in [
            (Form::Fixed, false, "wild.f"),
            (Form::Fixed, true, "tame.f"),
            (Form::Free, true, "tame.f90"),
        ] {
            let laid = lay_out(&varied, form, tame, &mut Maker::new(seed + 1000));
            let path = folder.join(format!("v{seed}-{name}"));
            std::fs::write(&path, &laid.text).expect("written");
            let analysis = analyse(std::slice::from_ref(&path), &[]);
            let found = facts(&analysis, 0);
            compare(&found, &expected(&varied, &laid), &path, "meant");
            assert!(
                analysis.parse_statistics.unparsed().is_empty(),
                "{}",
                path.display()
            );
            paths.extend((tame && seed < for_fparser).then_some(path));
        }
    }
    compare_with_fparser(&[], &paths, false);
    std::fs::remove_dir_all(&folder).expect("it is ours");
}

#[test]
fn fixtures_are_read_as_fparser_reads_them() {
    for kernel in KERNELS {
        compare_with_fparser(
            &kernel.include_directories(ProblemClass::S),
            &kernel.sources(),
            true,
        );
    }
    for pattern in PATTERNS
        .iter()
        .filter(|pattern| pattern.outcome != Outcome::DoesNotCompile)
    {
        compare_with_fparser(
            &[],
            &[npb_fixtures::programs().join("patterns").join(pattern.file)],
            true,
        );
    }
}

/// What a generated program holds where it was laid out.
fn expected(varied: &Varied, laid: &Laid) -> Facts {
    let procedures = varied
        .procedures
        .iter()
        .map(|(kind, name)| (kind.to_string(), name.clone()))
        .collect();
    let mut facts = Facts {
        procedures,
        ..Facts::default()
    };
    for (statement, &line) in varied.statements.iter().zip(&laid.lines) {
        facts
            .statements
            .extend(statement.kinds.iter().map(|kind| (line, kind.to_string())));
        facts
            .calls
            .extend(statement.calls.iter().map(|name| (line, name.clone())));
    }
    facts.sorted()
}

impl Facts {
    fn sorted(mut self) -> Self {
        self.procedures.sort();
        self.statements.sort();
        self.calls.sort();
        self
    }
}

#[track_caller]
fn compare(found: &Facts, other: &Facts, path: &Path, what: &str) {
    let only = |a: &Named, b: &Named| {
        let known: BTreeSet<_> = b.iter().collect();
        a.iter()
            .filter(|one| !known.contains(one))
            .take(8)
            .cloned()
            .collect::<Vec<_>>()
    };
    assert!(
        found == other,
        "{} differs from what is {what}:\nprocedures {:?} and {:?}\nstatements here {:?}, there {:?}\ncalls here {:?}, there {:?}",
        path.display(),
        found.procedures,
        other.procedures,
        only(&found.statements, &other.statements),
        only(&other.statements, &found.statements),
        only(&found.calls, &other.calls),
        only(&other.calls, &found.calls),
    );
}

/// What the frontend found in one of its files.
fn facts(analysis: &Analysis, file: u32) -> Facts {
    let mut facts = Facts::default();
    let map = &analysis.source_map;
    for (procedure, place) in analysis.program.procedures.iter().zip(&map.procedures) {
        if place.whole.file.0 != file {
            continue;
        }
        let kind = match procedure.kind {
            ProcedureKind::Main => "program",
            ProcedureKind::Subroutine => "subroutine",
            ProcedureKind::Function => "function",
        };
        facts
            .procedures
            .push((kind.to_string(), procedure.name.clone()));
        add_list(analysis, &procedure.body, None, &mut facts);
    }
    facts.sorted()
}

/// `on` is the line of the logical IF that the statements belong to.
fn add_list(analysis: &Analysis, list: &[StatementId], on: Option<u32>, facts: &mut Facts) {
    for &id in list {
        let place = analysis.source_map.statement(id);
        if place.whole.start == place.whole.end {
            continue; // The label of an END statement.
        }
        let own = |span: frontend::source::Span| analysis.source_map.line(span.file, span.start);
        let line = on.unwrap_or_else(|| own(place.header));
        let kind = &analysis.program.statement(id).kind;
        facts
            .statements
            .extend(word(kind).map(|word| (line, word.to_string())));
        facts.statements.extend(
            clauses(kind)
                .zip(&place.clauses)
                .map(|(word, &at)| (own(at), word.to_string())),
        );
        if let StatementKind::Call { callee, .. } = kind {
            facts.calls.push((line, name(analysis, callee)));
        }
        let logical = matches!(kind, StatementKind::If { logical: true, .. });
        for body in kind.bodies() {
            add_list(analysis, body, logical.then_some(line), facts);
        }
    }
}

/// What a statement is; `None` for what orders others only.
fn word(kind: &StatementKind) -> Option<&'static str> {
    Some(match kind {
        StatementKind::Assign { .. } => "assign",
        StatementKind::Call { .. } => "call",
        StatementKind::If { .. } => "if",
        StatementKind::Do { .. } => "do",
        StatementKind::While { .. } => "while",
        StatementKind::Select { .. } => "select",
        StatementKind::Goto { .. } => "goto",
        StatementKind::Exit(_) => "exit",
        StatementKind::Cycle(_) => "cycle",
        StatementKind::Return => "return",
        StatementKind::Stop => "stop",
        StatementKind::Continue => "continue",
        StatementKind::InputOutput(io) => match io.operation {
            IoOperation::Read => "read",
            IoOperation::Write => "write",
            IoOperation::Open => "open",
            IoOperation::Close => "close",
            IoOperation::Position => "position",
            IoOperation::Inquire => "inquire",
        },
        StatementKind::Allocate { .. } => "allocate",
        StatementKind::Deallocate { .. } => "deallocate",
        StatementKind::Opaque { .. } | StatementKind::PointerAssignment { .. } => "opaque",
        StatementKind::Scoped { .. } | StatementKind::Entry => return None,
    })
}

/// What the clauses of a construct are, in order.
fn clauses(kind: &StatementKind) -> impl Iterator<Item = &'static str> {
    let (first, rest, last) = match kind {
        StatementKind::If {
            branches,
            otherwise,
            ..
        } => (
            "elseif",
            branches.len() - 1,
            otherwise.is_some().then_some("else"),
        ),
        StatementKind::Select { cases, .. } => ("case", cases.len(), None),
        _ => ("", 0, None),
    };
    std::iter::repeat_n(first, rest).chain(last)
}

/// The lower-case name of who is called; of several candidates none.
fn name(analysis: &Analysis, callee: &Callee) -> String {
    match callee {
        Callee::Procedure(id) => analysis.program.procedure(*id).name.clone(),
        Callee::Mpi(function) => function.name.to_lowercase(),
        Callee::UnknownMpi(name) | Callee::Intrinsic(name) | Callee::External(name) => {
            name.to_lowercase()
        }
        Callee::Variable(id) => analysis.program.variable(*id).name.clone(),
        Callee::OneOf(_) => String::new(),
    }
}

/// Compares what fparser2 finds, if it is installed. `references`: whether functions are compared, too.
fn compare_with_fparser(include: &[PathBuf], paths: &[PathBuf], references: bool) {
    let Some(theirs) = fparser(include, paths) else {
        return;
    };
    let analysis = references.then(|| analyse(paths, include));
    for (i, (path, theirs)) in paths.iter().zip(&theirs).enumerate() {
        let (analysis, file) = match &analysis {
            Some(whole) => (whole, i as u32),
            None => (&analyse(std::slice::from_ref(path), include), 0),
        };
        compare(
            &facts(analysis, file),
            &theirs.facts,
            path,
            "found by fparser2",
        );
        functions_agree(analysis, file, path, &theirs.references);
    }
}

/// Every function reference is something that may be one there, and the other way round for functions of
/// the program.
fn functions_agree(
    analysis: &Analysis,
    file: u32,
    path: &Path,
    references: &BTreeSet<(u32, String)>,
) {
    let ours = crate::function_references::of(analysis, file);
    let strange: Vec<_> = ours
        .iter()
        .filter(|one| !references.contains(one))
        .collect();
    assert!(
        strange.is_empty(),
        "{}: {strange:?} are no references for fparser2",
        path.display()
    );
    let functions: BTreeSet<&str> = analysis
        .program
        .procedures
        .iter()
        .filter(|procedure| procedure.kind == ProcedureKind::Function)
        .map(|procedure| procedure.name.as_str())
        .collect();
    // For fparser2 an array's element may be a function's value.
    let arrays = analysis
        .program
        .variables
        .iter()
        .filter(|variable| !variable.shape.is_empty());
    let arrays: BTreeSet<&str> = arrays.map(|variable| variable.name.as_str()).collect();
    let is_function = |name: &str| functions.contains(name) && !arrays.contains(name);
    let missed: Vec<_> = references
        .iter()
        .filter(|one| is_function(&one.1) && !ours.contains(one))
        .collect();
    assert!(
        missed.is_empty(),
        "{}: {missed:?} were not taken for functions",
        path.display()
    );
}

/// What fparser2 found in a file.
struct Theirs {
    facts: Facts,
    references: BTreeSet<(u32, String)>,
}

fn fparser(include: &[PathBuf], paths: &[PathBuf]) -> Option<Vec<Theirs>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let home =
        std::env::var_os("FPARSER").map_or_else(|| root.join("../target/fparser"), PathBuf::from);
    let python = home.join("bin/python");
    if !python.exists() {
        skip("fparser2 is not installed; ./setup fparser installs it");
        return None;
    }
    let mut command = Command::new(python);
    command.arg(root.join("tests/fparser/facts.py"));
    command.args(
        include
            .iter()
            .flat_map(|folder| [PathBuf::from("-I"), folder.clone()]),
    );
    let output = command.args(paths).output().expect("it runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    Some(
        found
            .as_array()
            .expect("a list")
            .iter()
            .map(theirs)
            .collect(),
    )
}

fn theirs(file: &serde_json::Value) -> Theirs {
    let list = |key: &str| file[key].as_array().cloned().unwrap_or_default();
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_string();
    let named = |key: &str| -> Named {
        list(key)
            .iter()
            .map(|one| (one[0].as_u64().unwrap_or(0) as u32, text(&one[1])))
            .collect()
    };
    let procedures = list("procedures")
        .iter()
        .map(|one| (text(&one[0]), text(&one[1])))
        .collect();
    let facts = Facts {
        procedures,
        statements: named("statements"),
        calls: named("calls"),
    }
    .sorted();
    Theirs {
        facts,
        references: named("references").into_iter().collect(),
    }
}
