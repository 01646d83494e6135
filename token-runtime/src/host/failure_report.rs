//! Messages about a run that ended before its program did: the activity of each rank. Ranks in the same call at the same place
//! are one group; the smallest groups come first, since the rank that is elsewhere is the one to look at.

use super::Launch;
use crate::kernel::slot::{Activity, CallLocation, Phase};
use crate::termination::{Termination, TerminationReport};
use base_data::ids::{CallSiteId, Rank};
use base_data::mpi::functions::FUNCTIONS;
use base_data::rank_set::RankSet;
use std::collections::BTreeMap;
use std::time::Duration;

/// Groups of ranks listed one by one in a message; the ranks of more are counted.
const LISTED: usize = 16;
/// Ranks of a group that are listed one by one, each with its partner, if their partners differ.
const LISTED_PARTNERS: usize = 8;
/// Ranges of ranks that are printed of a group.
const LISTED_RANGES: usize = 8;
/// The partner of a call that takes messages from any source.
const ANY_SOURCE: i64 = -2;

/// `MPI_Recv (partner: rank 3 of MPI_COMM_WORLD) at cg.f:120`.
pub(super) fn call(rank: u32, activity: &Activity, launch: &Launch<'_>) -> String {
    let peers = [activity.peer].into_iter().flatten();
    call_with(rank, activity, &peers.collect::<Vec<i64>>(), launch)
}

/// The same of ranks that have these partners.
fn call_with(rank: u32, activity: &Activity, peers: &[i64], launch: &Launch<'_>) -> String {
    let row = activity
        .function
        .and_then(|row| FUNCTIONS.get(row as usize));
    let name = row.map_or("its first MPI call", |function| function.name);
    let communicator = communicator(rank, activity, launch);
    let known = communicator.as_deref();
    let of = known.unwrap_or("the communicator");
    let on = known.map_or_else(String::new, |known| format!(" on {known}"));
    let with = match peers {
        [] => on,
        [ANY_SOURCE] => format!(" (any source){on}"),
        [peer] => format!(" (partner: rank {peer} of {of})"),
        several => format!(
            " (partners: ranks {} of {of})",
            ranges(several.iter().map(|&peer| peer as u32))
        ),
    };
    format!("{name}{with}{}", place(rank, activity.place, launch))
}

/// The communicator of a call, if the rank waits in one that has one.
fn communicator(rank: u32, activity: &Activity, launch: &Launch<'_>) -> Option<String> {
    let label = activity
        .communicator
        .filter(|_| activity.phase == Phase::InCall)?;
    let made_at = label.made.map(|(_, made)| place(rank, made, launch));
    Some(label.described(made_at.as_deref()))
}

/// ` at cg.f:120`, ` at a.out+0x1f40` without debug information, or nothing.
pub(super) fn place(rank: u32, place: CallLocation, launch: &Launch<'_>) -> String {
    let program = launch.program_of(rank);
    let known = match place {
        CallLocation::Unknown => None,
        CallLocation::Site(site) => match launch.table {
            Some(table) if (site as usize) < table.call_sites.len() => {
                Some(table.site_place(CallSiteId(site)))
            }
            _ => None,
        },
        CallLocation::Offset(offset) => {
            let line = launch.line.and_then(|line| line(program, offset));
            // Without debug information: the object file and the offset in it.
            line.or_else(|| Some(format!("{}+{offset:#x}", program.file_name()?.display())))
        }
    };
    match known {
        Some(known) => format!(" at {known}"),
        None => String::new(),
    }
}

/// `0-39,41-63`, cut after some ranges.
fn ranges(ranks: impl IntoIterator<Item = u32>) -> String {
    let text = RankSet::from_ranks(ranks.into_iter().map(Rank)).to_string();
    match text.match_indices(',').nth(LISTED_RANGES - 1) {
        Some((end, _)) => format!("{},…", &text[..end]),
        None => text,
    }
}

/// `rank 3`, or `63 ranks (0-39,41-63)`.
pub(super) fn named(ranks: &[u32]) -> String {
    match ranks {
        [rank] => format!("rank {rank}"),
        several => format!(
            "{} ranks ({})",
            several.len(),
            ranges(several.iter().copied())
        ),
    }
}

/// Ranks that are at the same place, in the order of their numbers.
struct Group<'a> {
    ranks: Vec<u32>,
    /// What one of them does.
    activity: &'a Activity,
}

/// The groups of a run, smallest first; those of equal size in the order of their first ranks.
fn groups(activities: &[Activity]) -> Vec<Group<'_>> {
    let mut by_place: BTreeMap<_, Group<'_>> = BTreeMap::new();
    for (rank, activity) in (0..).zip(activities) {
        let label = activity
            .communicator
            .filter(|_| activity.phase == Phase::InCall);
        // The partner is no part of the key: in a halo exchange each rank has another one. Only a receive from any
        // source is a different situation.
        let takes_any = activity.peer == Some(ANY_SOURCE);
        let key = (
            activity.phase as u32,
            activity.function,
            activity.place.word(),
            takes_any,
            label,
        );
        by_place
            .entry(key)
            .or_insert_with(|| Group {
                ranks: Vec::new(),
                activity,
            })
            .ranks
            .push(rank);
    }
    let mut groups: Vec<Group<'_>> = by_place.into_values().collect();
    groups.sort_by_key(|group| (group.ranks.len(), group.ranks.first().copied()));
    groups
}

/// `rank 2 waits in MPI_Recv …; 63 ranks (…) wait in MPI_Barrier …`.
fn all_activities(activities: &[Activity], launch: &Launch<'_>) -> String {
    let mut sentences: Vec<String> = Vec::new();
    let mut unlisted = 0;
    for group in groups(activities) {
        if sentences.len() >= LISTED {
            unlisted += group.ranks.len();
            continue;
        }
        let mut peers: Vec<i64> = group
            .ranks
            .iter()
            .filter_map(|&rank| activities[rank as usize].peer)
            .collect();
        peers.sort_unstable();
        peers.dedup();
        // A small group lists each rank with its partner, which shows a cycle of waiting ranks.
        if peers.len() > 1 && group.ranks.len() <= LISTED_PARTNERS {
            let each = group
                .ranks
                .iter()
                .map(|&rank| sentence(&[rank], &activities[rank as usize], None, launch));
            sentences.extend(each);
        } else {
            sentences.push(sentence(&group.ranks, group.activity, Some(&peers), launch));
        }
    }
    if unlisted > 0 {
        sentences.push(format!("and {unlisted} more ranks"));
    }
    sentences.join("; ")
}

/// What some ranks do; with these partners, or with that of the first.
fn sentence(
    ranks: &[u32],
    activity: &Activity,
    peers: Option<&[i64]>,
    launch: &Launch<'_>,
) -> String {
    let rank = ranks.first().copied().unwrap_or(0);
    let is_one = ranks.len() == 1;
    let call = match peers {
        Some(peers) => call_with(rank, activity, peers, launch),
        None => call(rank, activity, launch),
    };
    let subject = named(ranks);
    let verb = |one: &'static str, several: &'static str| if is_one { one } else { several };
    match activity.phase {
        Phase::Starting => format!("{subject} {} not called MPI_Init", verb("has", "have")),
        Phase::Computing => format!("{subject} {} after {call}", verb("computes", "compute")),
        Phase::InCall => format!("{subject} {} in {call}", verb("waits", "wait")),
        Phase::Finalized => format!("{subject} {} in MPI_Finalize", verb("is", "are")),
    }
}

/// The message for a run that a rank ended.
pub(super) fn ended(
    report: &TerminationReport,
    activities: &[Activity],
    launch: &Launch<'_>,
) -> String {
    let rank = report.rank;
    let own = activities
        .get(rank as usize)
        .map(|activity| call(rank, activity, launch))
        .unwrap_or_default();
    match &report.termination {
        Termination::Deadlock => format!(
            "deadlock, no rank can go on: {}",
            all_activities(activities, launch)
        ),
        Termination::EndlessPolling => format!(
            "no rank can go on: all of them wait, or poll again and again for what never happens \
             (MPIETE_POLL_TIMEOUT=SECONDS lets them poll longer): {}",
            all_activities(activities, launch)
        ),
        Termination::OutOfSharedMemory { bytes } => format!(
            "out of shared memory: {} MiB of messages were sent and not received, and no rank can go on \
             (MPIETE_HEAP and MPIETE_DISK give them more bytes of memory and disk): {}",
            bytes >> 20,
            all_activities(activities, launch)
        ),
        Termination::Abort { code } => format!("rank {rank} called {own} with error code {code}"),
        Termination::Mismatch {
            other,
            theirs,
            place: their_place,
            ours,
        } => format!(
            "collective calls{} do not match: rank {rank} called {ours}{}, rank {other} called {theirs}{}",
            activities
                .get(rank as usize)
                .and_then(|a| communicator(rank, a, launch))
                .map_or_else(String::new, |on| format!(" on {on}")),
            activities
                .get(rank as usize)
                .map(|a| place(rank, a.place, launch))
                .unwrap_or_default(),
            place(*other, *their_place, launch)
        ),
        Termination::Missing {
            name,
            place: called,
        } => format!(
            "rank {rank} called {name}{}, which mpiete's MPI library does not have yet",
            place(rank, *called, launch)
        ),
        Termination::NeedsOtherRanks => {
            format!("rank {rank} needs messages of other ranks in {own}")
        }
        Termination::OtherMpi(sentence) => sentence.clone(),
        Termination::Failure(sentence) => format!("rank {rank}, {own}: {sentence}"),
    }
}

/// The message for a rank that ended by itself before `MPI_Finalize`, or with an error after it.
pub(super) fn rank_ended(rank: u32, how: &str, activity: &Activity, launch: &Launch<'_>) -> String {
    match activity.phase {
        Phase::Starting => format!("rank {rank} {how} before MPI_Init"),
        Phase::Computing => {
            format!(
                "rank {rank} {how} without MPI_Finalize, after {}",
                call(rank, activity, launch)
            )
        }
        Phase::InCall => format!("rank {rank} {how} in {}", call(rank, activity, launch)),
        Phase::Finalized => format!("rank {rank} {how} after MPI_Finalize"),
    }
}

/// The message for a rank that runs alone and goes on without a call.
pub(super) fn no_call_for(
    rank: u32,
    silence: Duration,
    activity: &Activity,
    launch: &Launch<'_>,
) -> String {
    let after = match activity.phase {
        Phase::Starting => "before MPI_Init".into(),
        Phase::Computing | Phase::InCall | Phase::Finalized => {
            format!("after {}", call(rank, activity, launch))
        }
    };
    format!(
        "rank {rank} has made no MPI call for {:.1} s {after}",
        silence.as_secs_f64()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::communicator_label::CommunicatorLabel;

    fn activity(phase: Phase, name: &str, peer: i64, place: CallLocation) -> Activity {
        let row = FUNCTIONS.iter().position(|f| f.name == name).unwrap() as u32;
        Activity {
            phase,
            function: Some(row),
            place,
            peer: Some(peer),
            communicator: None,
        }
    }

    #[test]
    fn deadlock_report_lists_smallest_groups_first() {
        let launch = Launch {
            program: "bin/a".into(),
            ..Launch::default()
        };
        let world = Some(CommunicatorLabel::new(b"MPI_COMM_WORLD", 64, None));
        let barrier = Activity {
            peer: None,
            communicator: world,
            ..activity(Phase::InCall, "MPI_Barrier", 0, CallLocation::Offset(0x20))
        };
        let mut ranks = vec![barrier; 64];
        let receive = activity(Phase::InCall, "MPI_Recv", 3, CallLocation::Offset(0x10));
        ranks[40] = Activity {
            communicator: world,
            ..receive
        };
        let report = TerminationReport {
            rank: 0,
            termination: Termination::Deadlock,
        };
        assert_eq!(
            ended(&report, &ranks, &launch),
            "deadlock, no rank can go on: rank 40 waits in MPI_Recv (partner: rank 3 of MPI_COMM_WORLD) at a+0x10; \
             63 ranks (0-39,41-63) wait in MPI_Barrier on MPI_COMM_WORLD at a+0x20"
        );
    }

    #[test]
    fn deadlock_groups_are_separated_by_communicator() {
        let launch = Launch {
            program: "bin/a".into(),
            ..Launch::default()
        };
        let on = |name: &str, made| Activity {
            peer: None,
            communicator: Some(CommunicatorLabel::new(name.as_bytes(), 3, made)),
            ..activity(Phase::InCall, "MPI_Barrier", 0, CallLocation::Unknown)
        };
        let split = FUNCTIONS
            .iter()
            .position(|f| f.name == "MPI_Comm_split")
            .unwrap() as u32;
        let ranks = [
            on("ocean", None),
            on("ice", None),
            on("", Some((split, CallLocation::Offset(7)))),
        ];
        assert_eq!(
            all_activities(&ranks, &launch),
            "rank 0 waits in MPI_Barrier on communicator 'ocean'; rank 1 waits in MPI_Barrier on communicator 'ice'; \
             rank 2 waits in MPI_Barrier on a communicator of 3 ranks made by MPI_Comm_split at a+0x7"
        );
    }

    #[test]
    fn many_partners_are_printed_as_ranges() {
        let launch = Launch::default();
        let ring = |ranks: i64| -> Vec<Activity> {
            (0..ranks)
                .map(|rank| {
                    activity(
                        Phase::InCall,
                        "MPI_Recv",
                        (rank + 1) % ranks,
                        CallLocation::Unknown,
                    )
                })
                .collect()
        };
        assert_eq!(
            all_activities(&ring(100), &launch),
            "100 ranks (0-99) wait in MPI_Recv (partners: ranks 0-99 of the communicator)"
        );
        assert_eq!(
            all_activities(&ring(8), &launch)
                .matches("waits in MPI_Recv (partner: rank")
                .count(),
            8
        );
        let mut every_second =
            vec![activity(Phase::Finalized, "MPI_Recv", 1, CallLocation::Unknown); 100];
        let waiting = activity(Phase::InCall, "MPI_Recv", 1, CallLocation::Unknown);
        every_second
            .iter_mut()
            .step_by(2)
            .for_each(|rank| *rank = waiting);
        assert!(all_activities(&every_second, &launch).starts_with("50 ranks (0-98/2) wait"));
    }

    #[test]
    fn failure_report_names_ranks_and_calls() {
        let launch = Launch {
            program: "bin/ring".into(),
            ..Launch::default()
        };
        let ranks = [
            activity(Phase::InCall, "MPI_Recv", 1, CallLocation::Unknown),
            activity(
                Phase::Computing,
                "MPI_Send",
                0,
                CallLocation::Offset(0x1f40),
            ),
        ];
        let report = TerminationReport {
            rank: 0,
            termination: Termination::Deadlock,
        };
        assert_eq!(
            ended(&report, &ranks, &launch),
            "deadlock, no rank can go on: rank 0 waits in MPI_Recv (partner: rank 1 of the communicator); \
             rank 1 computes after MPI_Send (partner: rank 0 of the communicator) at ring+0x1f40"
        );
        let knows = Launch {
            line: Some(|_, _| Some("ring.c:7".into())),
            ..launch
        };
        assert_eq!(
            rank_ended(
                1,
                "was ended by signal 11 (segmentation fault)",
                &ranks[1],
                &knows
            ),
            "rank 1 was ended by signal 11 (segmentation fault) without MPI_Finalize, \
             after MPI_Send (partner: rank 0 of the communicator) at ring.c:7"
        );
    }
}
