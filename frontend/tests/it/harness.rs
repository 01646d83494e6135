//! Analyses a source given as text, and says what came out as lines.

use base_data::block_table::BlockKind;
use frontend::analysis::{Analysis, MessageLevel};
use frontend::options::Options;
use frontend::source::Sources;

/// An analysis of free-form text, and its lines.
pub struct Analysed {
    pub analysis: Analysis,
    pub lines: Vec<String>,
}

pub fn analyse(source: &str) -> Analysed {
    analyse_with(source, &Options::default())
}

pub fn analyse_with(source: &str, options: &Options) -> Analysed {
    analyse_file("t.f90", source, options)
}

/// The analysis of a text under a file name.
pub fn analyse_file(file: &str, source: &str, options: &Options) -> Analysed {
    let mut sources = Sources::default();
    sources.add(file, source.as_bytes());
    let analysis = frontend::analyze(&mut sources, options, &|name, _| {
        (name == "mpif.h").then(|| ("mpif.h".to_string(), Vec::new()))
    });
    Analysed {
        analysis,
        lines: source.lines().map(String::from).collect(),
    }
}

impl Analysed {
    /// Line of a statement, 1-based.
    pub fn line(&self, statement: usize) -> usize {
        let span = self.analysis.source_map.statements[statement].header;
        self.analysis.source_map.line(span.file, span.start) as usize
    }

    /// Lines on which some statement is kept.
    pub fn kept(&self) -> Vec<usize> {
        let kept = &self.analysis.slice.kept;
        let mut lines: Vec<usize> = (0..kept.len())
            .filter(|&i| kept[i])
            .map(|i| self.line(i))
            .collect();
        lines.sort_unstable();
        lines.dedup();
        lines
    }

    /// Levels of the call sites, `MPI_Send payload`.
    pub fn levels(&self) -> Vec<String> {
        let word = |level| match level {
            MessageLevel::Recorded => "recorded",
            MessageLevel::EnvelopeLive => "envelope",
            MessageLevel::PayloadLive => "payload",
        };
        self.analysis
            .sites
            .iter()
            .map(|site| format!("{} {}", site.function.name, word(site.level)))
            .collect()
    }

    /// Sentences of the diagnostics.
    pub fn remarks(&self) -> String {
        self.analysis
            .diagnostics
            .iter()
            .map(|d| format!("{}\n", d.sentence))
            .collect()
    }
}

/// Work terms of the compute block that begins at the line marked `!block`, and whether it depends on data beside them.
#[track_caller]
pub fn terms(source: &str) -> (Vec<String>, bool) {
    let analysed = analyse(source);
    let index = analysed
        .lines
        .iter()
        .position(|line| line.contains(crate::outputs::BLOCK))
        .expect("a mark");
    let block = analysed
        .analysis
        .table
        .blocks
        .iter()
        .find(|block| {
            block.kind == BlockKind::Compute && block.span.first_line as usize == index + 1
        })
        .expect("a block at the mark");
    let expressions = block
        .work_terms
        .iter()
        .map(|term| term.expression.clone())
        .collect();
    (expressions, block.data_dependent)
}
