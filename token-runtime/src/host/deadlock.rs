//! The sentences for a run that ended before its program did: who was where.

use super::Launch;
use crate::ending::{EndReport, Ending};
use crate::kernel::slot::{Activity, Phase, Place};
use base_data::ids::CallSiteId;
use base_data::mpi::functions::FUNCTIONS;
use std::time::Duration;

/// Ranks listed one by one in a message; more are counted.
const LISTED: usize = 16;

/// `MPI_Recv from rank 3 at cg.f:120`.
pub(super) fn call(rank: u32, activity: &Activity, launch: &Launch<'_>) -> String {
    let row = activity.function.and_then(|row| FUNCTIONS.get(row as usize));
    let name = row.map_or("its first MPI call", |function| function.name);
    let peer = match activity.peer {
        None => String::new(),
        Some(-2) => " (any source)".into(),
        Some(peer) => format!(" (partner: rank {peer} of the communicator)"),
    };
    format!("{name}{peer}{}", place(rank, activity.place, launch))
}

/// ` at cg.f:120`, ` at a.out+0x1f40` without debug information, or nothing.
fn place(rank: u32, place: Place, launch: &Launch<'_>) -> String {
    let program = launch.program_of(rank);
    let known = match place {
        Place::Unknown => None,
        Place::Site(site) => launch
            .table
            .filter(|table| (site as usize) < table.call_sites.len())
            .map(|table| table.site_place(CallSiteId(site))),
        Place::Offset(offset) => {
            let line = launch.line.and_then(|line| line(program, offset));
            line.or_else(|| Some(format!("{}+{offset:#x}", program.file_name()?.display())))
        }
    };
    known.map_or_else(String::new, |known| format!(" at {known}"))
}

/// `rank 2 waits in MPI_Recv …`, for each rank.
fn everybody(activities: &[Activity], launch: &Launch<'_>) -> String {
    let sentence = |(rank, activity): (u32, &Activity)| match activity.phase {
        Phase::Starting => format!("rank {rank} has not called MPI_Init"),
        Phase::Computing => format!("rank {rank} computes after {}", call(rank, activity, launch)),
        Phase::InCall => format!("rank {rank} waits in {}", call(rank, activity, launch)),
        Phase::Finalized => format!("rank {rank} is in MPI_Finalize"),
    };
    let mut sentences: Vec<String> = (0..).zip(activities).take(LISTED).map(sentence).collect();
    if activities.len() > LISTED {
        sentences.push(format!("and {} more", activities.len() - LISTED));
    }
    sentences.join("; ")
}

/// The message for a run that a rank ended.
pub(super) fn ended(report: &EndReport, activities: &[Activity], launch: &Launch<'_>) -> String {
    let rank = report.rank;
    let own = activities.get(rank as usize).map(|activity| call(rank, activity, launch)).unwrap_or_default();
    match &report.ending {
        Ending::Deadlock => format!("deadlock, no rank can go on: {}", everybody(activities, launch)),
        Ending::EndlessPolling => format!(
            "no rank can go on: all of them wait, or poll again and again for what never happens \
             (MPIETE_PATIENCE=SECONDS lets them poll longer): {}",
            everybody(activities, launch)
        ),
        Ending::OutOfMemory { bytes } => format!(
            "out of shared memory: {} MiB of messages were sent and not received, and no rank can go on \
             (MPIETE_HEAP and MPIETE_DISK give them more bytes of memory and disk): {}",
            bytes >> 20,
            everybody(activities, launch)
        ),
        Ending::Abort { code } => format!("rank {rank} called {own} with error code {code}"),
        Ending::Mismatch { other, theirs, place: their_place, ours } => format!(
            "collective calls do not match: rank {rank} called {ours}{}, rank {other} called {theirs}{}",
            activities.get(rank as usize).map(|a| place(rank, a.place, launch)).unwrap_or_default(),
            place(*other, *their_place, launch)
        ),
        Ending::Missing { name, place: called } => format!(
            "rank {rank} called {name}{}, which mpiete's MPI library does not have yet",
            place(rank, *called, launch)
        ),
        Ending::NotAlone => format!("rank {rank} needs the answer of other ranks in {own}"),
        Ending::Failure(sentence) => format!("rank {rank}, {own}: {sentence}"),
    }
}

/// The message for a rank that ended by itself before `MPI_Finalize`, or with an error after it.
pub(super) fn gone(rank: u32, how: &str, activity: &Activity, launch: &Launch<'_>) -> String {
    match activity.phase {
        Phase::Starting => format!("rank {rank} {how} before MPI_Init"),
        Phase::Computing => {
            format!("rank {rank} {how} without MPI_Finalize, after {}", call(rank, activity, launch))
        }
        Phase::InCall => format!("rank {rank} {how} in {}", call(rank, activity, launch)),
        Phase::Finalized => format!("rank {rank} {how} after MPI_Finalize"),
    }
}

/// The message for a rank that runs alone and goes on without a call.
pub(super) fn silent(rank: u32, silence: Duration, activity: &Activity, launch: &Launch<'_>) -> String {
    let after = match activity.phase {
        Phase::Starting => "before MPI_Init".into(),
        Phase::Computing | Phase::InCall | Phase::Finalized => {
            format!("after {}", call(rank, activity, launch))
        }
    };
    format!("rank {rank} has made no MPI call for {:.1} s {after}", silence.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn activity(phase: Phase, name: &str, peer: i64, place: Place) -> Activity {
        let row = FUNCTIONS.iter().position(|f| f.name == name).unwrap() as u32;
        Activity { phase, function: Some(row), place, peer: Some(peer) }
    }

    #[test]
    fn names_ranks_and_calls() {
        let launch = Launch { program: "bin/ring".into(), ..Launch::default() };
        let ranks = [
            activity(Phase::InCall, "MPI_Recv", 1, Place::Unknown),
            activity(Phase::Computing, "MPI_Send", 0, Place::Offset(0x1f40)),
        ];
        let report = EndReport { rank: 0, ending: Ending::Deadlock };
        assert_eq!(
            ended(&report, &ranks, &launch),
            "deadlock, no rank can go on: rank 0 waits in MPI_Recv (partner: rank 1 of the communicator); \
             rank 1 computes after MPI_Send (partner: rank 0 of the communicator) at ring+0x1f40"
        );
        let knows = Launch { line: Some(|_, _| Some("ring.c:7".into())), ..launch };
        assert_eq!(
            gone(1, "was ended by signal 11 (segmentation fault)", &ranks[1], &knows),
            "rank 1 was ended by signal 11 (segmentation fault) without MPI_Finalize, \
             after MPI_Send (partner: rank 0 of the communicator) at ring.c:7"
        );
    }
}
