//! The analysis of the fixtures as text, compared with `npb-fixtures/golden`.
//!
//! After an intended change run `UPDATE_EXPECT=1 cargo test -p frontend golden` and read the difference.

use expect_test::expect_file;
use frontend::Options;
use frontend::analysis::{Analysis, MessageLevel};
use frontend::source::Sources;
use npb_fixtures::{KERNELS, Kernel, Pattern, ProblemClass};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

pub fn analyse(files: &[PathBuf], include: &[PathBuf]) -> Analysis {
    let mut sources = Sources::default();
    for path in files {
        let name = path
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default();
        sources.add(&name, &std::fs::read(path).expect("a fixture"));
    }
    frontend::analyze(&mut sources, &Options::default(), &|name, _| {
        let text = include
            .iter()
            .find_map(|folder| std::fs::read(folder.join(name)).ok())?;
        Some((name.to_string(), text))
    })
}

fn kernel(kernel: Kernel, class: ProblemClass) -> Analysis {
    analyse(&kernel.sources(), &kernel.include_directories(class))
}

/// Blocks, call sites, loops, assumptions and kept lines.
fn text(analysis: &Analysis) -> String {
    let (kept, all) = analysis.slice.share;
    let mut out = format!("kept {kept} of {all} statements\n");
    for (_, assumption) in &analysis.slice.assumptions {
        let place = analysis.table.place(&assumption.span);
        let _ = writeln!(
            out,
            "assumed {:?} {place}: {}",
            assumption.outcome, assumption.reason
        );
    }
    for (_, name) in &analysis.unsupported {
        let _ = writeln!(out, "unsupported {name}");
    }
    blocks(analysis, &mut out);
    for site in &analysis.sites {
        let level = match site.level {
            MessageLevel::Recorded => "recorded",
            MessageLevel::EnvelopeLive => "envelope",
            MessageLevel::PayloadLive => "payload",
        };
        let _ = writeln!(
            out,
            "site {} {} {level}",
            analysis.table.site_place(site.id),
            site.function.name
        );
    }
    for found in &analysis.table.loops {
        let _ = writeln!(
            out,
            "loop {} {}",
            analysis.table.place(&found.span),
            found.procedure
        );
    }
    kept_lines(analysis, &mut out);
    out
}

fn blocks(analysis: &Analysis, out: &mut String) {
    for block in &analysis.table.blocks {
        let place = analysis.table.place(&block.span);
        let _ = write!(out, "{} {place} {}", block.kind, block.key.procedure);
        block
            .loop_path
            .iter()
            .for_each(|id| _ = write!(out, " in {id}"));
        if block.data_dependent {
            out.push_str(" data-dependent");
        }
        block
            .work_terms
            .iter()
            .for_each(|term| _ = write!(out, " [{}]", term.expression));
        out.push('\n');
    }
}

fn kept_lines(analysis: &Analysis, out: &mut String) {
    let mut lines: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (place, _) in analysis
        .source_map
        .statements
        .iter()
        .zip(&analysis.slice.kept)
        .filter(|(_, kept)| **kept)
    {
        let (file, start) = (place.header.file, place.header.start);
        lines
            .entry(file.0)
            .or_default()
            .push(analysis.source_map.line(file, start));
    }
    for (file, mut lines) in lines {
        lines.sort_unstable();
        lines.dedup();
        let lines: Vec<String> = lines.iter().map(u32::to_string).collect();
        let _ = writeln!(
            out,
            "kept in {}: {}",
            analysis.table.files[file as usize].path,
            lines.join(" ")
        );
    }
}

#[track_caller]
fn check(name: &str, analysis: &Analysis) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../npb-fixtures/golden");
    let path = folder.join(format!("{name}.analysis.txt"));
    expect_file![path].assert_eq(&text(analysis));
}

#[test]
fn golden_kernels() {
    for program in KERNELS {
        check(program.name, &kernel(program, ProblemClass::S));
    }
}

#[test]
fn golden_patterns() {
    for name in [
        "ring",
        "split",
        "wavefront",
        "section",
        "goto",
        "unknown_mpi",
    ] {
        let pattern = Pattern::named(name).expect("a pattern");
        check(name, &analyse(&[pattern.source()], &[]));
    }
}

/// One compute file serves all problem classes: keys depend on none of their constants.
#[test]
fn keys_are_those_of_every_problem_class() {
    for program in KERNELS {
        let keys = |class| {
            let table = kernel(program, class).table;
            table
                .blocks
                .iter()
                .map(|block| block.key.clone())
                .collect::<Vec<_>>()
        };
        assert_eq!(keys(ProblemClass::S), keys(ProblemClass::C));
    }
}
