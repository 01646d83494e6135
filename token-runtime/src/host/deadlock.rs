//! The sentences for a run that ended before its program did: who was where.

use crate::ending::{EndReport, Ending};
use crate::kernel::slot::{Activity, Phase};
use base_data::block_table::BlockTable;
use base_data::ids::CallSiteId;
use base_data::mpi::functions::FUNCTIONS;
use base_data::rank_recording::RankRecording;

/// Ranks listed one by one in a message; more are counted.
const LISTED: usize = 16;

/// `MPI_Recv from rank 3 at cg.f:120`; knows the lines if there is a block table.
pub(super) fn call(activity: &Activity, table: Option<&BlockTable>) -> String {
    let row = activity.function.and_then(|row| FUNCTIONS.get(row as usize));
    let name = row.map_or("its first MPI call", |function| function.name);
    let peer = match activity.peer {
        None => String::new(),
        Some(-2) => " (any source)".into(),
        Some(peer) => format!(" (partner: rank {peer} of the communicator)"),
    };
    format!("{name}{peer}{}", place(activity.site, table))
}

fn place(site: u32, table: Option<&BlockTable>) -> String {
    match table {
        Some(table) if site < RankRecording::UNMARKED && (site as usize) < table.call_sites.len() => {
            format!(" at {}", table.site_place(CallSiteId(site)))
        }
        Some(_) | None => String::new(),
    }
}

/// `rank 2 waits in MPI_Recv …`, for each rank.
fn everybody(activities: &[Activity], table: Option<&BlockTable>) -> String {
    let sentence = |(rank, activity): (usize, &Activity)| match activity.phase {
        Phase::Starting => format!("rank {rank} has not called MPI_Init"),
        Phase::Computing => format!("rank {rank} computes after {}", call(activity, table)),
        Phase::InCall => format!("rank {rank} waits in {}", call(activity, table)),
        Phase::Finalized => format!("rank {rank} is in MPI_Finalize"),
    };
    let mut sentences: Vec<String> = activities.iter().enumerate().take(LISTED).map(sentence).collect();
    if activities.len() > LISTED {
        sentences.push(format!("and {} more", activities.len() - LISTED));
    }
    sentences.join("; ")
}

/// The message for a run that a rank ended.
pub(super) fn ended(report: &EndReport, activities: &[Activity], table: Option<&BlockTable>) -> String {
    let rank = report.rank;
    let own = activities.get(rank as usize).map(|activity| call(activity, table)).unwrap_or_default();
    match &report.ending {
        Ending::Deadlock => format!("deadlock, no rank can go on: {}", everybody(activities, table)),
        Ending::OutOfMemory { bytes } => format!(
            "out of shared memory: {} MiB of messages were sent and not received, and no rank can go on: {}",
            bytes >> 20,
            everybody(activities, table)
        ),
        Ending::Abort { code } => format!("rank {rank} called {own} with error code {code}"),
        Ending::Mismatch { other, theirs, site, ours } => format!(
            "collective calls do not match: rank {rank} called {ours}{}, rank {other} called {theirs}{}",
            activities.get(rank as usize).map(|a| place(a.site, table)).unwrap_or_default(),
            place(*site, table)
        ),
        Ending::Failure(sentence) => format!("rank {rank}, {own}: {sentence}"),
    }
}

/// The message for a rank that ended by itself before `MPI_Finalize`, or with an error after it.
pub(super) fn gone(rank: u32, how: &str, activity: &Activity, table: Option<&BlockTable>) -> String {
    match activity.phase {
        Phase::Starting => format!("rank {rank} {how} before MPI_Init"),
        Phase::Computing => {
            format!("rank {rank} {how} without MPI_Finalize, after {}", call(activity, table))
        }
        Phase::InCall => format!("rank {rank} {how} in {}", call(activity, table)),
        Phase::Finalized => format!("rank {rank} {how} after MPI_Finalize"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn activity(phase: Phase, name: &str, peer: Option<i64>) -> Activity {
        let row = FUNCTIONS.iter().position(|f| f.name == name).unwrap() as u32;
        Activity { phase, function: Some(row), site: RankRecording::UNMARKED, peer }
    }

    #[test]
    fn names_ranks_and_calls() {
        let ranks =
            [activity(Phase::InCall, "MPI_Recv", Some(1)), activity(Phase::Computing, "MPI_Send", Some(0))];
        let report = EndReport { rank: 0, ending: Ending::Deadlock };
        assert_eq!(
            ended(&report, &ranks, None),
            "deadlock, no rank can go on: rank 0 waits in MPI_Recv (partner: rank 1 of the communicator); \
             rank 1 computes after MPI_Send (partner: rank 0 of the communicator)"
        );
        assert_eq!(
            gone(1, "was ended by signal 11 (segmentation fault)", &ranks[1], None),
            "rank 1 was ended by signal 11 (segmentation fault) without MPI_Finalize, \
             after MPI_Send (partner: rank 0 of the communicator)"
        );
    }
}
