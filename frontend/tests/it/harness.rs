//! Analyses a source given as text, and says what came out as lines.

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
    let mut sources = Sources::default();
    sources.add("t.f90", source.as_bytes());
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

/// The lines marked `!+` are those that stay, all of them and no others.
#[track_caller]
pub fn check_kept(source: &str) -> Analysed {
    let analysed = analyse(source);
    let marked = |line: &usize| analysed.lines[line - 1].contains("!+");
    let expected: Vec<usize> = (1..=analysed.lines.len()).filter(marked).collect();
    let kept = analysed.kept();
    let show = |lines: &[usize]| {
        let line = |&n: &usize| format!("{n:4} {}\n", analysed.lines[n - 1]);
        lines.iter().map(line).collect::<String>()
    };
    assert!(
        kept == expected,
        "kept:\n{}expected:\n{}remarks: {}reasons: {:#?}",
        show(&kept),
        show(&expected),
        analysed.remarks(),
        analysed.analysis.slice.reasons
    );
    analysed
}
