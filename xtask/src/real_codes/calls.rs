//! Numbers of MPI calls: of program data, and of a real run by the profiling interface.

use anyhow::{Context, Result};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// The library that counts calls, in C.
pub(super) const COUNTER: &str = include_str!("mpi_counts.c");

/// Calls of all ranks, by function.
pub(super) type Counts = BTreeMap<String, u64>;

/// Program data as `mpiete show --format json` prints them, as far as they are used.
#[derive(Deserialize)]
struct File {
    content: Content,
}

#[derive(Deserialize)]
struct Content {
    table: Table,
    classes: Vec<Class>,
}

#[derive(Deserialize)]
struct Table {
    call_sites: Vec<CallSite>,
}

#[derive(Deserialize)]
struct CallSite {
    function: String,
}

/// Ranks with one stream.
#[derive(Deserialize)]
struct Class {
    ranks: Vec<RankRange>,
    stream: Vec<Entry>,
}

#[derive(Deserialize)]
struct RankRange {
    count: u64,
}

/// An entry of a stream: the others are of no account here.
#[derive(Deserialize)]
struct Entry {
    #[serde(rename = "Call")]
    call: Option<Call>,
    #[serde(rename = "Loop")]
    repetition: Option<Loop>,
}

#[derive(Deserialize)]
struct Call {
    site: usize,
}

/// A loop, whose body is the next `body` entries.
#[derive(Deserialize)]
struct Loop {
    count: Count,
    body: usize,
}

#[derive(Deserialize)]
enum Count {
    Constant(u64),
    Invariant(u64),
    Assumed { count: u64 },
}

/// The calls that program data contain.
pub(super) fn recorded(printed: &str) -> Result<Counts> {
    let file: File = serde_json::from_str(printed).context("what mpiete show prints")?;
    let mut counts = Counts::new();
    for class in &file.content.classes {
        let ranks = class.ranks.iter().map(|range| range.count).sum();
        add(&class.stream, ranks, &file.content.table, &mut counts)?;
    }
    Ok(counts)
}

/// Adds the calls of entries that are executed so many times.
fn add(entries: &[Entry], times: u64, table: &Table, counts: &mut Counts) -> Result<()> {
    let mut rest = entries;
    while let Some((entry, after)) = rest.split_first() {
        rest = after;
        if let Some(call) = &entry.call {
            let site = table.call_sites.get(call.site);
            let function = &site.context("a call without a site")?.function;
            *counts.entry(function.clone()).or_default() += times;
        }
        if let Some(repetition) = &entry.repetition {
            let (Count::Constant(count) | Count::Invariant(count) | Count::Assumed { count }) =
                repetition.count;
            let (body, after) = rest
                .split_at_checked(repetition.body)
                .context("a loop that ends behind its stream")?;
            add(body, times * count, table, counts)?;
            rest = after;
        }
    }
    Ok(())
}

/// The calls that the counting library wrote to a folder.
pub(super) fn counted(folder: &Path) -> Result<Counts> {
    let mut counts = Counts::new();
    for file in std::fs::read_dir(folder)? {
        for line in std::fs::read_to_string(file?.path())?.lines() {
            let (function, calls) = line.split_once(' ').context("a line NAME CALLS")?;
            *counts.entry(function.to_string()).or_default() += calls.parse::<u64>()?;
        }
    }
    if counts.is_empty() {
        anyhow::bail!(
            "no call was counted: the program must be linked with the MPI library dynamically"
        );
    }
    Ok(counts)
}

/// The first function whose numbers differ, as a sentence. Functions that the library does not count are left out, such as
/// polls (MPI_Test), whose number depends on timing, and those that only compute.
pub(super) fn difference(recorded: &Counts, counted: &Counts) -> Result<Option<String>> {
    for name in counted_functions() {
        let of = |counts: &Counts| counts.get(&name).copied().unwrap_or(0);
        let (recorded, counted) = (of(recorded), of(counted));
        if recorded != counted {
            return Ok(Some(format!(
                "{name}: {recorded} calls recorded, {counted} counted"
            )));
        }
    }
    Ok(None)
}

/// The functions of the library, as its source lists them: `F(Send)`.
fn counted_functions() -> Vec<String> {
    let mut names = Vec::new();
    for part in COUNTER.split("F(").skip(1) {
        // The list's own parameter is no name.
        if let Some((name, _)) = part.split_once(')')
            && name.starts_with(|first: char| first.is_ascii_uppercase())
        {
            names.push(format!("MPI_{name}"));
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(pairs: &[(&str, u64)]) -> Counts {
        let own = |pair: &(&str, u64)| (pair.0.to_string(), pair.1);
        pairs.iter().map(own).collect()
    }

    #[test]
    fn calls_in_nested_loops_are_multiplied() {
        let printed = r#"{"content": {
            "table": {"call_sites": [{"function": "MPI_Init"}, {"function": "MPI_Send"}, {"function": "MPI_Bcast"}]},
            "classes": [{"ranks": [{"first": 0, "count": 2, "stride": 1}, {"first": 5, "count": 1, "stride": 1}], "stream": [
                {"Call": {"site": 0, "call": "Init"}},
                {"Loop": {"count": {"Constant": 10}, "body": 3}},
                {"Block": {"block": 0, "variant": {"Constant": 0}}},
                {"Loop": {"count": {"Assumed": {"count": 4, "assumption": 0}}, "body": 1}},
                {"Call": {"site": 1, "call": "x"}},
                {"Call": {"site": 2, "call": "x"}}]}]}}"#;
        let expected = counts(&[("MPI_Bcast", 3), ("MPI_Init", 3), ("MPI_Send", 120)]);
        assert_eq!(recorded(printed).expect("program data"), expected);
    }

    #[test]
    fn functions_of_the_library_are_compared() {
        let recorded = counts(&[("MPI_Send", 3), ("MPI_Test", 2)]);
        assert_eq!(
            difference(&recorded, &counts(&[("MPI_Send", 3)])).expect("equal"),
            None
        );
        assert_eq!(
            difference(&recorded, &counts(&[("MPI_Send", 4)])).expect("compared"),
            Some("MPI_Send: 3 calls recorded, 4 counted".to_string())
        );
        assert!(counted_functions().contains(&"MPI_Ialltoallv".to_string()));
        assert_eq!(counted_functions().len(), 47);
    }
}
