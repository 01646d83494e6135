//! The sentences for what ranks warned of ([`crate::warnings`]); ranks with the same warning share one.

use super::{Launch, failure_report};
use crate::kernel::slot;
use crate::warnings::{self, Warning};
use base_data::mpi::functions::FUNCTIONS;
use std::collections::BTreeMap;
use std::path::Path;

/// Sentences of a run; more are counted.
const MOST: usize = 10;

/// All warnings of a run that has ended.
pub(super) fn of_run(launch: &Launch<'_>, folder: &Path, ranks: u32) -> Vec<String> {
    let left = (0..ranks).flat_map(|rank| {
        warnings::read(folder, rank)
            .into_iter()
            .map(move |warning| (rank, warning))
    });
    sentences(left, launch)
}

fn sentences(left: impl Iterator<Item = (u32, Warning)>, launch: &Launch<'_>) -> Vec<String> {
    let mut order = Vec::new();
    let mut ranks_of: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    for (rank, warning) in left {
        let text = sentence(rank, &warning, launch);
        let ranks = ranks_of.entry(text.clone()).or_default();
        if ranks.is_empty() {
            order.push(text);
        }
        ranks.push(rank);
    }
    let more = order.len().saturating_sub(MOST);
    order.truncate(MOST);
    let with_ranks = |text: String| {
        let ranks = ranks_of
            .get(&text)
            .map_or_else(String::new, |ranks| failure_report::named(ranks));
        format!("{text} ({ranks})")
    };
    let mut sentences: Vec<String> = order.into_iter().map(with_ranks).collect();
    if more > 0 {
        sentences.push(format!("{more} more warnings of this kind"));
    }
    sentences
}

/// The consequence, the place, the remedy; the ranks come behind it.
fn sentence(rank: u32, warning: &Warning, launch: &Launch<'_>) -> String {
    match warning {
        Warning::Types {
            sender,
            sent,
            receiver,
            received,
        } => format!(
            "data may be misread: {} sends {sent}, {} receives {received}; MPICH takes the bytes as they are, \
             but the standard calls it an error: give both calls the same datatype",
            call(rank, *sender, launch),
            call(rank, *receiver, launch)
        ),
        Warning::Unfinished {
            count,
            first,
            place,
        } => {
            let what = match count {
                1 => format!("a request was never completed, {first},"),
                several => format!("{several} requests were never completed, the first {first},"),
            };
            format!(
                "data may be lost: {what} before MPI_Finalize{}; MPICH ends without an error, but the standard calls it \
                 one: complete or cancel each request",
                failure_report::place(rank, *place, launch)
            )
        }
        Warning::Missing { name, place } => format!(
            "control flow may differ from that under a real MPI library: {name}{} returned \
            MPI_ERR_UNSUPPORTED_OPERATION, since mpiete's MPI library does not have it yet",
            failure_report::place(rank, *place, launch)
        ),
        Warning::Launched {
            program,
            variable,
            ranks,
        } => {
            let count = match ranks {
                Some(1) => "1 rank of ".into(),
                Some(several) => format!("{several} ranks of "),
                None => String::new(),
            };
            format!(
                "{count}{program} took no part in this run: another launcher (its variable {variable}) started them as a job of \
                 its own, with the MPI library of that launcher; for a run under mpiete, start {program} with `mpiete run`"
            )
        }
    }
}

fn call(rank: u32, word: u64, launch: &Launch<'_>) -> String {
    let (row, place) = slot::of_call_word(word);
    let name = FUNCTIONS
        .get(row as usize)
        .map_or("a call", |function| function.name);
    format!("{name}{}", failure_report::place(rank, place, launch))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::slot::CallLocation;

    #[test]
    fn equal_warnings_are_merged() {
        let row = |name: &str| {
            FUNCTIONS
                .iter()
                .position(|function| function.name == name)
                .unwrap() as u32
        };
        let launch = Launch {
            program: "bin/a".into(),
            ..Launch::default()
        };
        let types = Warning::Types {
            sender: slot::call_word(row("MPI_Send"), CallLocation::Offset(0x10)),
            sent: "bytes".into(),
            receiver: slot::call_word(row("MPI_Irecv"), CallLocation::Offset(0x20)),
            received: "reals".into(),
        };
        let open = Warning::Unfinished {
            count: 1,
            first: "a transfer".into(),
            place: CallLocation::Unknown,
        };
        let left = [
            (1, types.clone()),
            (2, types.clone()),
            (2, open),
            (3, types),
        ];
        let sentences = sentences(left.into_iter(), &launch);
        assert_eq!(sentences.len(), 2);
        assert!(
            sentences[0]
                .contains("MPI_Send at a+0x10 sends bytes, MPI_Irecv at a+0x20 receives reals")
        );
        assert!(
            sentences[0].ends_with("(3 ranks (1-3))") && sentences[1].ends_with("(rank 2)"),
            "{sentences:?}"
        );
    }

    #[test]
    fn many_warnings_are_counted() {
        let warning = |count| Warning::Unfinished {
            count,
            first: String::new(),
            place: CallLocation::Unknown,
        };
        let left = (0..30).map(|rank| (rank, warning(u64::from(rank) + 2)));
        let sentences = sentences(left, &Launch::default());
        assert_eq!(
            (sentences.len(), sentences[MOST].as_str()),
            (MOST + 1, "20 more warnings of this kind")
        );
    }
}
