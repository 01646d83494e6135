//! How often each block runs: what a recording of the slice says is what `gfortran --coverage` counts in the
//! whole program, of which neither the frontend nor the probes know.

use crate::command::{answer, done};
use crate::workflow::{command, project};
use base_data::block_table::{BlockKind, BlockTable};
use base_data::program_data::{Op, ProgramData};
use base_data::stream::entries;
use base_data::{BlockId, Rank};
use npb_fixtures::{KERNELS, Kernel, ProblemClass};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

const RANKS: u32 = 4;

/// A statement of its own line that changes nothing, and that a compiler leaves where it is. Lines of DO
/// statements are no use: their counts tell iterations and entries together.
const COUNTED: &str = "call flush(6)";

#[test]
fn block_counts_equal_coverage_counts() {
    for kernel in &KERNELS {
        let folder = tempfile::tempdir().unwrap();
        let here = folder.path();
        done(
            here,
            &command(
                "prepare",
                &project(kernel, ProblemClass::S),
                &["-o", "study"],
            ),
        );
        done(here, &["record", "study", "-n", &RANKS.to_string()]);
        let bytes = std::fs::read(here.join(format!("study/program-n{RANKS}.mpiete"))).unwrap();
        let data: ProgramData = base_data::format::decode(&bytes).unwrap();
        let marks = marked_sources(kernel, &data.table, here);
        let lines = covered(kernel, here);
        let recorded = recorded(&data);
        assert!(recorded.len() >= 4, "{}: {recorded:?}", kernel.name);
        for (block, place) in marks {
            let counted = lines.get(&place).copied().unwrap_or(0);
            let seen = recorded.get(&block).copied().unwrap_or(0);
            assert_eq!(
                seen, counted,
                "{}: block {block} at {place:?} of the marked source",
                kernel.name
            );
        }
    }
}

/// Executions of each block, on all ranks.
fn recorded(data: &ProgramData) -> BTreeMap<BlockId, u64> {
    let mut counts = BTreeMap::new();
    for rank in (0..RANKS).map(Rank) {
        for op in entries(data, rank) {
            if let Op::Block { block, .. } = op {
                *counts.entry(*block).or_default() += 1;
            }
        }
    }
    counts
}

/// A line whose executions are counted: file name, line number.
type CountedLine = (String, u32);

/// Writes the sources with a counted line before each compute block; gives where those lines are.
fn marked_sources(kernel: &Kernel, table: &BlockTable, here: &Path) -> Vec<(BlockId, CountedLine)> {
    let mut marks = Vec::new();
    for path in kernel.sources() {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let is_here = |file: u32| {
            table.files[file as usize]
                .path
                .ends_with(&format!("/{name}"))
        };
        let blocks = table.blocks.iter().enumerate();
        let here_blocks = blocks
            .filter(|(_, block)| block.kind == BlockKind::Compute && is_here(block.span.file));
        let mut first: Vec<(u32, BlockId)> = here_blocks
            .map(|(i, block)| (block.span.first_line, BlockId::from_index(i)))
            .collect();
        first.sort_unstable();
        let text = std::fs::read_to_string(&path).unwrap();
        let mut lines: Vec<String> = Vec::new();
        for (line, number) in text.lines().zip(1..) {
            let mut line = line.to_string();
            for (_, block) in first.iter().filter(|(first, _)| *first == number) {
                let (counted, rest) = with_label(&name, &line);
                lines.push(counted);
                line = rest;
                marks.push((*block, (name.clone(), lines.len() as u32)));
            }
            lines.push(line);
        }
        std::fs::write(here.join(&name), lines.join("\n") + "\n").unwrap();
    }
    marks
}

/// The counted line before `line`, and that line: the label goes to the first of them.
fn with_label(name: &str, line: &str) -> (String, String) {
    if name.ends_with(".f90") {
        return (COUNTED.to_string(), line.to_string());
    }
    let (label, rest) = line.split_at(line.len().min(6));
    (format!("{label:<6}{COUNTED}"), format!("{:6}{rest}", ""))
}

/// How often each line of the marked sources runs, on all ranks.
fn covered(kernel: &Kernel, here: &Path) -> BTreeMap<CountedLine, u64> {
    let sources: Vec<String> = kernel.files.iter().map(|name| name.to_string()).collect();
    let mut module = Command::new("gfortran");
    module.args(["-c", "study/include/mpi.f90", "-w", "-o", "mpi.o"]);
    assert_done(module.current_dir(here));
    let mut objects = Vec::new();
    let mut include = vec!["-Istudy/include".to_string()];
    include.extend(
        kernel
            .include_directories(ProblemClass::S)
            .iter()
            .map(|path| format!("-I{}", path.display())),
    );
    for source in &sources {
        let object = format!("{}.o", source.split('.').next().unwrap_or_default());
        let mut compile = Command::new("gfortran");
        compile
            .args(["--coverage", "-O0", "-w", "-c", source, "-o", &object])
            .args(&include);
        assert_done(compile.current_dir(here));
        objects.push(object);
    }
    let mut link = Command::new("gfortran");
    link.args(["--coverage", "-o", "counted"])
        .args(&objects)
        .args(["-Lstudy/lib", "-lmpi"]);
    assert_done(link.current_dir(here));
    done(here, &["run", "-n", &RANKS.to_string(), "./counted"]);
    objects
        .iter()
        .flat_map(|object| lines_of(object, here))
        .collect()
}

/// Lines of one object's source with their counts.
fn lines_of(object: &str, here: &Path) -> Vec<(CountedLine, u64)> {
    let mut gcov = Command::new("gcov");
    gcov.args(["--json-format", "--stdout", object]);
    let found: serde_json::Value =
        serde_json::from_str(&assert_done(gcov.current_dir(here))).unwrap();
    let files = found["files"].as_array().unwrap();
    let lines = files.iter().flat_map(|file| {
        let name = file["file"].as_str().unwrap().to_string();
        let lines = file["lines"].as_array().unwrap();
        lines.iter().map(move |line| {
            let number = line["line_number"].as_u64().unwrap() as u32;
            ((name.clone(), number), line["count"].as_u64().unwrap())
        })
    });
    lines.collect()
}

fn assert_done(command: &mut Command) -> String {
    let answer = answer(command);
    assert_eq!(answer.code, 0, "{command:?}: {}", answer.err);
    answer.out
}
