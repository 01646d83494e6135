//! Fixtures with the end of one construct cut out: the procedure that it stood in is kept whole, all others are
//! what they were, and no probes are written.

use frontend::source::Sources;
use frontend::{Analysis, Options};
use npb_fixtures::KERNELS;
use proptest::prelude::*;
use std::collections::BTreeMap;

fn analyse(path: &str, text: &[u8]) -> Analysis {
    let mut sources = Sources::default();
    sources.add(path, text);
    frontend::analyze(&mut sources, &Options::default(), &|_, _| None)
}

/// How many statements the procedures have.
fn sizes(analysis: &Analysis) -> BTreeMap<String, usize> {
    let names = analysis
        .program
        .procedures
        .iter()
        .map(|procedure| (procedure.name.clone(), 0));
    let mut sizes: BTreeMap<String, usize> = names.collect();
    for statement in &analysis.program.statements {
        let name = &analysis.program.procedures[statement.procedure.0 as usize].name;
        *sizes.entry(name.clone()).or_default() += 1;
    }
    sizes
}

/// The lines of a text that end an IF or a DO.
fn ends(text: &str) -> Vec<usize> {
    let is_end = |line: &str| {
        let words = line
            .to_ascii_lowercase()
            .split_whitespace()
            .collect::<String>();
        ["endif", "enddo"].contains(&words.as_str())
    };
    text.lines()
        .enumerate()
        .filter(|(_, line)| is_end(line))
        .map(|(index, _)| index)
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn one_construct_is_not_closed(which in 0usize..1000, cut in 0usize..1000) {
        let files: Vec<_> = KERNELS.iter().flat_map(|kernel| kernel.sources()).collect();
        let path = files[which % files.len()].to_string_lossy();
        let text = std::fs::read_to_string(&*path).expect("a fixture");
        let ends = ends(&text);
        prop_assume!(!ends.is_empty());
        let cut = ends[cut % ends.len()];
        let lines: Vec<&str> = text.lines().enumerate().filter(|(i, _)| *i != cut).map(|(_, l)| l).collect();
        let whole = analyse(&path, text.as_bytes());
        let broken = analyse(&path, (lines.join("\n") + "\n").as_bytes());
        prop_assert!(broken.is_refused());
        let (before, after) = (sizes(&whole), sizes(&broken));
        let others: Vec<&String> = before.keys().filter(|name| before.get(*name) != after.get(*name)).collect();
        prop_assert_eq!(others.len(), 1, "{}:{} {:?}\n{:?}", path, cut + 1, others, broken.diagnostics);
        prop_assert_eq!(after[others[0]], 1);
    }
}
