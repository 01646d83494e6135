//! Messages about a run that ended before its program did: the activity of each rank. Ranks in the same call at the same place
//! are one group; the smallest groups come first, since the rank that is elsewhere is the one to look at.

use super::{Launch, launch::chosen, segment};
use crate::environment::{DISK, HEAP};
use crate::kernel::point_to_point::AwaitedTransfer;
use crate::kernel::slot::{Activity, CallLocation, Phase};
use crate::termination::{Termination, TerminationReport};
use base_data::ids::{CallSiteId, Rank};
use base_data::mpi::functions::FUNCTIONS;
use base_data::rank_set::RankSet;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// Groups of ranks listed one by one in a message; the ranks of more are counted.
const LISTED: usize = 16;
/// Ranks of a group that are listed one by one, each with its partner, if their partners differ.
const LISTED_PARTNERS: usize = 8;
/// Ranges of ranks that are printed of a group.
const LISTED_RANGES: usize = 8;
/// Transfers that are listed one by one of a call that completes requests; more are printed as ranges.
const LISTED_TRANSFERS: usize = 4;
/// The partner of a call that takes messages from any source.
const ANY_SOURCE: i64 = -2;
/// The tag of a call that takes messages with any tag.
const ANY_TAG: i64 = -1;

/// What calls at one place wait for.
#[derive(Debug, Default, PartialEq, Eq)]
struct Awaited {
    /// Partners and tags of transfers that are calls themselves, each once.
    peers: BTreeSet<i64>,
    tags: BTreeSet<i64>,
    /// Transfers of calls that complete requests.
    transfers: BTreeSet<Transfer>,
    /// How many other requests those calls wait for.
    others: u64,
}

/// A transfer, whichever rank waits for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Transfer {
    is_send: bool,
    context: u64,
    partner: i64,
    tag: i64,
}

impl Awaited {
    fn of_activity(activity: &Activity) -> Self {
        Self {
            peers: activity.peer.into_iter().collect(),
            tags: activity.tag.into_iter().collect(),
            ..Self::default()
        }
    }

    /// Of a rank, of which these transfers are known.
    fn of_rank(activity: &Activity, awaited: &[AwaitedTransfer]) -> Self {
        let mut all = Self::of_activity(activity);
        let name = function_name(activity).unwrap_or_default();
        if activity.phase != Phase::InCall || !name.starts_with("MPI_Wait") {
            return all;
        }
        for transfer in awaited {
            all.transfers.insert(Transfer {
                is_send: transfer.is_send,
                context: transfer.context,
                partner: transfer.partner.map_or(ANY_SOURCE, i64::from),
                tag: transfer.tag.map_or(ANY_TAG, i64::from),
            });
        }
        // The others wait for one of their requests, whichever it is.
        if ["MPI_Wait", "MPI_Waitall"].contains(&name) {
            all.others = activity.waits_for.saturating_sub(awaited.len() as u64);
        }
        all
    }

    fn add(&mut self, other: Self) {
        self.peers.extend(other.peers);
        self.tags.extend(other.tags);
        self.transfers.extend(other.transfers);
        self.others += other.others;
    }
}

fn function_name(activity: &Activity) -> Option<&'static str> {
    let row = FUNCTIONS.get(activity.function? as usize)?;
    Some(row.name)
}

/// `MPI_Recv (partner: rank 3 of MPI_COMM_WORLD, tag 7) at cg.f:120`.
pub(super) fn call(rank: u32, activity: &Activity, launch: &Launch<'_>) -> String {
    call_with(rank, activity, &Awaited::of_activity(activity), launch)
}

/// The same of ranks that wait for this.
fn call_with(rank: u32, activity: &Activity, awaited: &Awaited, launch: &Launch<'_>) -> String {
    let name = function_name(activity).unwrap_or("its first MPI call");
    let communicator = communicator(rank, activity, launch);
    let known = communicator.as_deref();
    let of = known.unwrap_or("the communicator");
    let on = known.map_or_else(String::new, |known| format!(" on {known}"));
    let tags = match tags(&awaited.tags) {
        tags if tags.is_empty() => tags,
        tags => format!(", {tags}"),
    };
    let peers: Vec<i64> = awaited.peers.iter().copied().collect();
    let with = match peers[..] {
        [] if awaited.transfers.is_empty() && awaited.others == 0 => on,
        [] => format!(" ({})", requests(awaited, activity, known)),
        [ANY_SOURCE] => format!(" (any source{tags}){on}"),
        [peer] => format!(" (partner: rank {peer} of {of}{tags})"),
        _ => format!(
            " (partners: ranks {} of {of}{tags})",
            numbers(&awaited.peers)
        ),
    };
    format!("{name}{with}{}", place(rank, activity.place, launch))
}

/// `tag 7`, `tags 1-3`, `any tag`, or nothing.
fn tags(tags: &BTreeSet<i64>) -> String {
    let exact = numbers(tags);
    match (exact.is_empty(), tags.contains(&ANY_TAG), tags.len()) {
        (true, false, _) => String::new(),
        (true, true, _) => "any tag".into(),
        (false, false, 1) => format!("tag {exact}"),
        (false, false, _) => format!("tags {exact}"),
        (false, true, _) => format!("tags {exact} and any tag"),
    }
}

/// Ranks or tags in ranges, without wildcards.
fn numbers(numbers: &BTreeSet<i64>) -> String {
    let exact = numbers
        .iter()
        .filter_map(|&number| u32::try_from(number).ok());
    ranges(exact)
}

/// `receive from rank 1 of MPI_COMM_WORLD with tag 5, receive from …, and 2 other requests`. `known` is the communicator of
/// the activity's context.
fn requests(awaited: &Awaited, activity: &Activity, known: Option<&str>) -> String {
    let mut groups: Vec<Vec<Transfer>> = Vec::new();
    let are_many = awaited.transfers.len() > LISTED_TRANSFERS;
    for &transfer in &awaited.transfers {
        let is_alike = |other: &Transfer| {
            (other.is_send, other.context) == (transfer.is_send, transfer.context)
        };
        match groups.last_mut() {
            Some(group) if are_many && group.iter().all(is_alike) => group.push(transfer),
            Some(_) | None => groups.push(vec![transfer]),
        }
    }
    let mut parts = Vec::new();
    for group in &groups {
        let is_known = group
            .iter()
            .all(|transfer| transfer.context == activity.context);
        let of = match known {
            Some(known) if is_known => known,
            Some(_) => "another communicator",
            None => "the communicator",
        };
        parts.push(transfers(group, of));
    }
    match (awaited.others, parts.is_empty()) {
        (0, _) => {}
        (1, true) => parts.push("a nonblocking collective or generalized request".into()),
        (others, true) => parts.push(format!(
            "{others} nonblocking collectives or generalized requests"
        )),
        (1, false) => parts.push("and 1 other request".into()),
        (others, false) => parts.push(format!("and {others} other requests")),
    }
    parts.join(", ")
}

/// `receives from ranks 1-3 of MPI_COMM_WORLD with tag 5`.
fn transfers(group: &[Transfer], of: &str) -> String {
    let partners: BTreeSet<i64> = group.iter().map(|transfer| transfer.partner).collect();
    let tags = tags(&group.iter().map(|transfer| transfer.tag).collect());
    let is_send = group.iter().any(|transfer| transfer.is_send);
    let noun = match (is_send, group.len()) {
        (true, 1) => "synchronous send to",
        (true, _) => "synchronous sends to",
        (false, 1) => "receive from",
        (false, _) => "receives from",
    };
    let exact = numbers(&partners);
    let ranks = match (partners.contains(&ANY_SOURCE), partners.len()) {
        (true, 1) => return format!("{noun} any source with {tags} on {of}"),
        (true, _) => format!("ranks {exact} and any source"),
        (false, 1) => format!("rank {exact}"),
        (false, _) => format!("ranks {exact}"),
    };
    // The receiver of a message is known by its rank in the world.
    match is_send && of != WORLD {
        true => format!("{noun} {ranks} of {WORLD} with {tags} on {of}"),
        false => format!("{noun} {ranks} of {of} with {tags}"),
    }
}

const WORLD: &str = "MPI_COMM_WORLD";

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
    /// With what each waits for.
    ranks: Vec<(u32, Awaited)>,
    /// What one of them does.
    activity: &'a Activity,
}

/// The groups of a run, smallest first; those of equal size in the order of their first ranks.
fn groups<'a>(activities: &'a [Activity], awaited: &[AwaitedTransfer]) -> Vec<Group<'a>> {
    let mut by_place: BTreeMap<_, Group<'_>> = BTreeMap::new();
    for (rank, activity) in (0..).zip(activities) {
        // They are in the order of ranks.
        let first = awaited.partition_point(|transfer| transfer.rank < rank);
        let end = awaited.partition_point(|transfer| transfer.rank <= rank);
        let own = Awaited::of_rank(activity, &awaited[first..end]);
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
            .push((rank, own));
    }
    let mut groups: Vec<Group<'_>> = by_place.into_values().collect();
    groups.sort_by_key(|group| {
        (
            group.ranks.len(),
            group.ranks.first().map(|(rank, _)| *rank),
        )
    });
    groups
}

/// `rank 2 waits in MPI_Recv …; 63 ranks (…) wait in MPI_Barrier …`.
fn all_activities(
    activities: &[Activity],
    awaited: &[AwaitedTransfer],
    launch: &Launch<'_>,
) -> String {
    let mut sentences: Vec<String> = Vec::new();
    let mut unlisted = 0;
    for group in groups(activities, awaited) {
        if sentences.len() >= LISTED {
            unlisted += group.ranks.len();
            continue;
        }
        let is_same = |(_, own): &(u32, Awaited)| *own == group.ranks[0].1;
        // A small group lists each rank with its partner, which shows a cycle of waiting ranks.
        if !group.ranks.iter().all(is_same) && group.ranks.len() <= LISTED_PARTNERS {
            for (rank, own) in &group.ranks {
                let activity = &activities[*rank as usize];
                sentences.push(sentence(&[*rank], activity, own, launch));
            }
        } else {
            let mut ranks = Vec::new();
            let mut all = Awaited::default();
            for (rank, own) in group.ranks {
                ranks.push(rank);
                all.add(own);
            }
            sentences.push(sentence(&ranks, group.activity, &all, launch));
        }
    }
    if unlisted > 0 {
        sentences.push(format!("and {unlisted} more ranks"));
    }
    sentences.join("; ")
}

/// What some ranks do, which wait for this together.
fn sentence(ranks: &[u32], activity: &Activity, awaited: &Awaited, launch: &Launch<'_>) -> String {
    let rank = ranks.first().copied().unwrap_or(0);
    let is_one = ranks.len() == 1;
    let call = call_with(rank, activity, awaited, launch);
    let subject = named(ranks);
    let verb = |one: &'static str, several: &'static str| if is_one { one } else { several };
    match activity.phase {
        Phase::Starting => format!("{subject} {} not called MPI_Init", verb("has", "have")),
        Phase::Computing => format!("{subject} {} after {call}", verb("computes", "compute")),
        Phase::InCall => format!("{subject} {} in {call}", verb("waits", "wait")),
        Phase::Finalized => format!("{subject} {} in MPI_Finalize", verb("is", "are")),
    }
}

/// What gives messages more room: first what has limited it.
fn memory_remedy(launch: &Launch<'_>) -> String {
    let variables = format!("{HEAP} and {DISK} give them more bytes of memory and disk");
    match segment::limiting_addresses() {
        Some(bytes) if chosen(launch, HEAP).is_none() => format!(
            "`ulimit -v` lets each rank use {} MiB of addresses, a quarter of them for messages: raise it; under the same limit, \
             {variables}",
            bytes >> 20
        ),
        Some(_) | None => variables,
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
            all_activities(activities, &report.awaited, launch)
        ),
        Termination::EndlessPolling => format!(
            "no rank can go on: all of them wait, or poll again and again for what never happens \
             (MPIETE_POLL_TIMEOUT=SECONDS lets them poll longer): {}",
            all_activities(activities, &report.awaited, launch)
        ),
        Termination::OutOfSharedMemory { bytes } => format!(
            "out of shared memory: {} MiB of messages were sent and not received, and no rank can go on ({}): {}",
            bytes >> 20,
            memory_remedy(launch),
            all_activities(activities, &report.awaited, launch)
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
            tag: None,
            waits_for: 0,
            communicator: None,
            context: 0,
        }
    }

    fn deadlock(awaited: Vec<AwaitedTransfer>) -> TerminationReport {
        TerminationReport {
            rank: 0,
            termination: Termination::Deadlock,
            awaited,
        }
    }

    #[test]
    fn deadlock_report_lists_awaited_requests() {
        let launch = Launch::default();
        let label = |name: &str| Some(CommunicatorLabel::new(name.as_bytes(), 3, None));
        let waits = |name, waits_for, communicator| Activity {
            peer: None,
            waits_for,
            communicator,
            context: 7,
            ..activity(Phase::InCall, name, 0, CallLocation::Unknown)
        };
        let receive = |rank, partner, tag| AwaitedTransfer {
            rank,
            is_send: false,
            context: 7,
            partner,
            tag,
        };
        let send = AwaitedTransfer {
            rank: 1,
            is_send: true,
            context: 7,
            partner: Some(0),
            tag: Some(3),
        };
        let elsewhere = AwaitedTransfer {
            context: 8,
            ..receive(1, Some(4), Some(6))
        };
        let mut awaited = vec![
            receive(0, Some(2), Some(5)),
            receive(0, None, None),
            elsewhere,
            send,
        ];
        for partner in 0..9 {
            awaited.push(receive(2, Some(partner), Some(5)));
        }
        let ranks = [
            waits("MPI_Waitall", 2, label("MPI_COMM_WORLD")),
            waits("MPI_Waitany", 1, label("ocean\n")),
            waits("MPI_Wait", 10, label("MPI_COMM_WORLD")),
            waits("MPI_Wait", 1, None),
        ];
        let report = deadlock(awaited);
        assert_eq!(
            ended(&report, &ranks, &launch),
            "deadlock, no rank can go on: rank 0 waits in MPI_Waitall (receive from any source with any tag on MPI_COMM_WORLD, \
             receive from rank 2 of MPI_COMM_WORLD with tag 5); \
             rank 1 waits in MPI_Waitany (receive from rank 4 of another communicator with tag 6, \
             synchronous send to rank 0 of MPI_COMM_WORLD with tag 3 on communicator 'ocean\\n'); \
             rank 2 waits in MPI_Wait (receives from ranks 0-8 of MPI_COMM_WORLD with tag 5, and 1 other request); \
             rank 3 waits in MPI_Wait (a nonblocking collective or generalized request)"
        );
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
            tag: Some(7),
            ..receive
        };
        let report = deadlock(Vec::new());
        assert_eq!(
            ended(&report, &ranks, &launch),
            "deadlock, no rank can go on: rank 40 waits in MPI_Recv (partner: rank 3 of MPI_COMM_WORLD, tag 7) at a+0x10; \
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
            all_activities(&ranks, &[], &launch),
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
            all_activities(&ring(100), &[], &launch),
            "100 ranks (0-99) wait in MPI_Recv (partners: ranks 0-99 of the communicator)"
        );
        assert_eq!(
            all_activities(&ring(8), &[], &launch)
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
        assert!(all_activities(&every_second, &[], &launch).starts_with("50 ranks (0-98/2) wait"));
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
        let report = deadlock(Vec::new());
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
