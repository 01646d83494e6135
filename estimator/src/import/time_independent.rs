//! Time-independent traces of SMPI: an index file that names one file per rank, or one file with the
//! lines of all ranks. [`super::ti_actions`] reads the lines.

use super::ti_actions::{self, RankReader};
use super::trace_builder::TraceBuilder;
use super::{ImportError, Imported, MAKE_AGAIN, has_ending, is_text};
use crate::formats::{LoadTrace, TraceFile};
use std::collections::BTreeMap;
use std::io::BufRead;

/// Whether the first line looks like an action of a rank, or names a file whose first line does, or the name says so.
pub(crate) fn recognises(file: &TraceFile<'_>, load: LoadTrace<'_>) -> bool {
    // Traces have gigabytes; their first lines are enough to recognise them.
    let start = String::from_utf8_lossy(&file.bytes[..file.bytes.len().min(1 << 12)]).into_owned();
    let words = first_words(&start);
    if looks_like_action(&words) {
        return true;
    }
    if is_text(file.bytes)
        && !words.is_empty()
        && ["ti", "index"]
            .iter()
            .any(|ending| has_ending(file, ending))
    {
        return true;
    }
    let [path] = words.as_slice() else {
        return false;
    };
    let Ok(bytes) = load(path) else { return false };
    let start = String::from_utf8_lossy(&bytes[..bytes.len().min(1 << 12)]).into_owned();
    looks_like_action(&first_words(&start))
}

/// The number of a rank and a word behind it; that there is no such action is said with its line.
fn looks_like_action(words: &[String]) -> bool {
    let is_word = |word: &String| word.chars().all(|c| c.is_ascii_alphabetic() || c == '_');
    matches!(words, [rank, action, ..] if rank.parse::<u32>().is_ok() && is_word(action))
}

/// Words of the first line that says anything.
fn first_words(text: &str) -> Vec<String> {
    let mut lines = text.lines().map(words);
    lines
        .find(|words| !words.is_empty())
        .map_or(Vec::new(), |words| {
            words.into_iter().map(Into::into).collect()
        })
}

/// Words of a line; none of a comment.
fn words(line: &str) -> Vec<&str> {
    if line.trim_start().starts_with('#') {
        Vec::new()
    } else {
        line.split_whitespace().collect()
    }
}

/// Makes base data of a trace.
pub(crate) fn import(file: &TraceFile<'_>, load: LoadTrace<'_>) -> Result<Imported, ImportError> {
    let mut builder = TraceBuilder::new(file.name);
    read_into(&mut builder, file.name, &mut { file.bytes }, load)?;
    builder.finish("converted from a time-independent trace")
}

/// Reads a trace.
pub(crate) fn read_into(
    builder: &mut TraceBuilder<'_>,
    name: &str,
    content: &mut dyn BufRead,
    load: LoadTrace<'_>,
) -> Result<(), ImportError> {
    let mut bytes = Vec::new();
    content
        .read_to_end(&mut bytes)
        .map_err(|error| ImportError::Whole {
            file: name.into(),
            reason: format!("it cannot be read: {error}"),
        })?;
    let text = String::from_utf8_lossy(&bytes);
    let mut ranks: BTreeMap<u32, RankReader> = BTreeMap::new();
    // Lines of an index are paths; an action has a rank and a word at least.
    let is_index = first_words(&text).len() <= 1;
    if !is_index {
        read(builder, name, &text, &mut ranks, None)?;
    } else {
        let paths: Vec<(usize, &str)> = text
            .lines()
            .enumerate()
            .filter_map(|(line, text)| Some((line + 1, *words(text).first()?)))
            .collect();
        for (rank, (line, path)) in (0u32..).zip(&paths) {
            let bytes = load(path).map_err(|reason| ImportError::Line {
                file: name.into(),
                line: *line,
                found: format!("'{path}' ({reason})"),
                expected: "the file of a rank".into(),
                remedy: "put the file there or correct its path, which counts from the index file's folder",
            })?;
            // One file for all ranks, or one for each.
            let only = if paths.len() > 1 { Some(rank) } else { None };
            read(
                builder,
                path,
                &String::from_utf8_lossy(&bytes),
                &mut ranks,
                only,
            )?;
        }
    }
    finish(builder, name, ranks)
}

fn finish(
    builder: &mut TraceBuilder<'_>,
    name: &str,
    ranks: BTreeMap<u32, RankReader>,
) -> Result<(), ImportError> {
    let whole = |reason: String| ImportError::Whole {
        file: name.into(),
        reason,
    };
    let count = ranks.len() as u32;
    if let Some((missing, _)) = (0u32..)
        .zip(ranks.keys())
        .find(|(expected, rank)| expected != *rank)
    {
        return Err(whole(format!(
            "rank {missing} has no action, higher ranks have; add its lines"
        )));
    }
    if count == 0 {
        return Err(whole(
            "there is no action of any rank in it; name the index file of a trace".into(),
        ));
    }
    builder.begin(count);
    for (_, reader) in ranks {
        reader.finish(builder, count)?;
    }
    Ok(())
}

/// Reads the lines of a file; of one rank only, if it is given.
fn read(
    builder: &mut TraceBuilder<'_>,
    name: &str,
    text: &str,
    ranks: &mut BTreeMap<u32, RankReader>,
    only: Option<u32>,
) -> Result<(), ImportError> {
    let file = builder.file(name);
    if let Some(rank) = only {
        ranks.entry(rank).or_insert_with(|| RankReader::new(rank));
    }
    for (line, text) in (1usize..).zip(text.lines()) {
        let words = words(text);
        let [rank, action @ ..] = words.as_slice() else {
            continue;
        };
        let number = rank
            .parse::<u32>()
            .ok()
            .filter(|&rank| only.is_none_or(|only| only == rank));
        let number = number.ok_or_else(|| ImportError::Line {
            file: name.into(),
            line,
            found: format!("rank '{}'", rank.chars().take(20).collect::<String>()),
            expected: only.map_or("the number of a rank".into(), |only| format!("rank {only}")),
            remedy: MAKE_AGAIN,
        })?;
        let reader = ranks
            .entry(number)
            .or_insert_with(|| RankReader::new(number));
        reader.action(builder, &ti_actions::Line { name, file, line }, action)?;
    }
    Ok(())
}
