//! Whether a recording may depend on clocks that no analysis has seen: libraries choose algorithms by timing them, and
//! then the recorded control flow is that of one MPI library on one machine.

use crate::build::machine_code;
use base_data::block_table::{CallSite, CallSiteKey};
use base_data::ids::CallSiteId;
use base_data::mpi::{FunctionKind, find};
use base_data::program_data::{ProgramData, TimeDependentPlace};
use base_data::rank_recording::{ClockReads, RankRecording};
use std::collections::BTreeSet;
use std::path::Path;

/// The warning on an emulated program that reads a clock which is not virtual.
pub fn real_clock_note(program: &Path, name: &str) -> Option<String> {
    if machine_code::reads_cycle_counter(program) {
        Some(format!(
            "control flow may be that of this computer instead of the platform: {name} reads the processor's cycle counter \
             (rdtsc), which is not virtual; let it read MPI_Wtime or clock_gettime instead"
        ))
    } else {
        None
    }
}

/// Whether an object that calls MPI outside the analysed sources reads the processor's cycle counter, which no function shows.
fn reads_cycle_counter(ranks: &[RankRecording]) -> bool {
    let objects: BTreeSet<&str> = ranks
        .iter()
        .flat_map(|rank| &rank.unmarked)
        .map(|site| site.object.as_str())
        .collect();
    objects
        .into_iter()
        .any(|object| machine_code::reads_cycle_counter(Path::new(object)))
}

/// Prints on standard error the line that a report of the recording would begin with, for output that has no place for it.
pub fn report_note(data: &ProgramData) {
    if let Some(note) = data.clock_note() {
        report!("mpiete: warning: {note}");
    }
}

/// The first call outside the analysed sources that may depend on a clock that is read there. In a program of which
/// nothing is analysed that is any call. Where the sources alone read clocks, or alone communicate, there is none: what
/// depends on their clocks the analysis says. Of a clock in a compiler's library it is only known whether other code refers to
/// it (`external_clock`), not for whom it was read.
pub fn external_place(
    ranks: &[RankRecording],
    data: &ProgramData,
    external_clock: bool,
) -> Option<TimeDependentPlace> {
    let sites = &data.table.call_sites;
    let is_analysed = sites
        .iter()
        .any(|site| matches!(site.key, CallSiteKey::Source { .. }));
    let least = if is_analysed && !external_clock {
        ClockReads::OtherCode
    } else {
        ClockReads::RuntimeLibrary
    };
    let reads_clock = |rank: &RankRecording| rank.clock_reads >= least;
    let calls_clock = |site: &CallSite| is_outside(site) && kind(site) == Some(FunctionKind::Clock);
    let first = sites
        .iter()
        .position(|site| is_outside(site) && kind(site).is_some_and(communicates))?;
    if !ranks.iter().any(reads_clock)
        && !sites.iter().any(calls_clock)
        && !reads_cycle_counter(ranks)
    {
        return None;
    }
    let site = CallSiteId(u32::try_from(first).ok()?);
    Some(TimeDependentPlace {
        site,
        reason: TimeDependentPlace::CLOCK_OUTSIDE.into(),
    })
}

fn is_outside(site: &CallSite) -> bool {
    matches!(site.key, CallSiteKey::Object { .. })
}

fn kind(site: &CallSite) -> Option<FunctionKind> {
    find(&site.function).map(|function| function.kind)
}

fn communicates(kind: FunctionKind) -> bool {
    kind.is_recorded()
        && !matches!(
            kind,
            FunctionKind::Start | FunctionKind::End | FunctionKind::Abort | FunctionKind::Clock
        )
}

/// A report under that line, if the recording has one.
pub fn with_note(data: &ProgramData, report: String) -> String {
    under_note(data.clock_note(), report)
}

/// A report under this line, if there is one.
pub fn under_note(note: Option<String>, report: String) -> String {
    match note {
        Some(note) => format!("{note}\n{report}"),
        None => report,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base_data::block_table::BlockTable;
    use base_data::ids::Digest;

    fn site(function: &str, is_analysed: bool) -> CallSite {
        let key = match is_analysed {
            true => CallSiteKey::Source {
                digest: Digest(1),
                procedure: "p".into(),
                ordinal: 0,
            },
            false => CallSiteKey::Object {
                object: "gs.so".into(),
                offset: 16,
            },
        };
        CallSite {
            key,
            function: function.into(),
            procedure: String::new(),
            span: None,
            loop_path: Vec::new(),
        }
    }

    /// Place of the call that depends on a clock, of analysed calls and others.
    fn found(analysed: &[&str], others: &[&str], clock_reads: ClockReads) -> Option<u32> {
        found_beside(false, analysed, others, clock_reads)
    }

    fn found_beside(
        external_clock: bool,
        analysed: &[&str],
        others: &[&str],
        clock_reads: ClockReads,
    ) -> Option<u32> {
        let analysed_sites = analysed.iter().map(|function| site(function, true));
        let call_sites = analysed_sites
            .chain(others.iter().map(|function| site(function, false)))
            .collect();
        let table = BlockTable {
            call_sites,
            ..BlockTable::default()
        };
        let data = ProgramData {
            table,
            ..ProgramData::default()
        };
        let rank = RankRecording {
            clock_reads,
            ..RankRecording::default()
        };
        external_place(&[rank], &data, external_clock).map(|place| place.site.0)
    }

    #[test]
    fn timers_of_analysed_sources_are_ignored() {
        let sources = ["MPI_Init", "MPI_Wtime", "MPI_Send"];
        assert_eq!(found(&sources, &[], ClockReads::RuntimeLibrary), None);
        // A timer in C, as NPB has one, without communication beside it.
        assert_eq!(found(&sources, &[], ClockReads::OtherCode), None);
        assert_eq!(found(&sources, &["MPI_Wtime"], ClockReads::None), None);
        // A library that communicates and reads no clock.
        assert_eq!(
            found(&sources, &["MPI_Allreduce"], ClockReads::RuntimeLibrary),
            None
        );
    }

    #[test]
    fn communicating_libraries_with_timers_are_found() {
        let sources = ["MPI_Init", "MPI_Send"];
        assert_eq!(
            found(&sources, &["MPI_Wtime", "MPI_Allreduce"], ClockReads::None),
            Some(3)
        );
        assert_eq!(
            found(
                &sources,
                &["MPI_Comm_rank", "MPI_Isend"],
                ClockReads::OtherCode
            ),
            Some(3)
        );
    }

    #[test]
    fn clocks_of_compilers_may_be_read_for_other_code() {
        let found = |external_clock, clock_reads| {
            found_beside(
                external_clock,
                &["MPI_Init"],
                &["MPI_Allreduce"],
                clock_reads,
            )
        };
        assert_eq!(found(true, ClockReads::RuntimeLibrary), Some(1));
        assert_eq!(found(false, ClockReads::RuntimeLibrary), None);
        assert_eq!(found(true, ClockReads::None), None);
    }

    #[test]
    fn any_clock_counts_without_analysed_sources() {
        assert_eq!(
            found(&[], &["MPI_Init", "MPI_Send"], ClockReads::RuntimeLibrary),
            Some(1)
        );
        assert_eq!(
            found(&[], &["MPI_Init", "MPI_Send"], ClockReads::None),
            None
        );
        assert_eq!(
            found(
                &[],
                &["MPI_Init", "MPI_Wtime", "MPI_Finalize"],
                ClockReads::None
            ),
            None
        );
    }
}
