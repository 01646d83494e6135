//! Collectives as lines of a time-independent trace. They are those of the world.

use super::ExportError;
use super::time_independent::RankWriter;
use base_data::CommId;
use base_data::program_data::{Call, CollectiveKind, Counts};

/// Writes a collective.
pub(super) fn write(rank: &mut RankWriter<'_>, call: &Call) -> Result<(), ExportError> {
    let Call::Collective {
        kind,
        communicator,
        root,
        counts,
        receive_counts,
        datatype,
        ..
    } = call
    else {
        return Ok(());
    };
    let communicator = CommId(u32::try_from(rank.value(*communicator)).unwrap_or(0));
    // A rank alone exchanges nothing.
    if rank.groups.size(communicator) == 1 {
        return Ok(());
    }
    if !is_world(rank, communicator) {
        return Err(rank.cannot(
            "calls a collective of some ranks; time-independent traces have those of all ranks alone; convert to \
             goal, which has its messages",
        ));
    }
    let root = root.map_or(0, |root| rank.value(root));
    let sent = lengths(rank, *counts, *datatype);
    let received = receive_counts.map(|counts| lengths(rank, counts, *datatype));
    let number = rank.elements(1, *datatype).1;
    let line = match kind {
        CollectiveKind::Barrier => "barrier".into(),
        CollectiveKind::Broadcast => format!("bcast {} {root} {number}", sent.first()),
        CollectiveKind::Reduce => format!("reduce {} 0 {root} {number}", sent.first()),
        CollectiveKind::Allreduce => format!("allreduce {} 0 {number}", sent.first()),
        CollectiveKind::Scan => format!("scan {} 0 {number}", sent.first()),
        CollectiveKind::ExclusiveScan => format!("exscan {} 0 {number}", sent.first()),
        CollectiveKind::ReduceScatter => format!("reducescatter {} 0 {number}", sent.each(rank)),
        CollectiveKind::Alltoall => {
            let received = received.unwrap_or_else(|| sent.clone());
            match (&sent, &received) {
                (Lengths::Same(sent), Lengths::Same(received)) => {
                    format!("alltoall {sent} {received} {number} {number}")
                }
                _ => {
                    let (to, from) = (sent.each(rank), received.each(rank));
                    format!(
                        "alltoallv {} {to} {} {from} {number} {number}",
                        sent.sum(rank),
                        received.sum(rank)
                    )
                }
            }
        }
        CollectiveKind::Allgather => match received {
            Some(received @ Lengths::Each(_)) => {
                let own = received.of(rank.rank.0);
                format!("allgatherv {own} {} {number} {number}", received.each(rank))
            }
            Some(Lengths::Same(_)) | None => {
                format!("allgather {0} {0} {number} {number}", sent.first())
            }
        },
        CollectiveKind::Gather if is_vector(rank) => {
            let received = received.unwrap_or(Lengths::Same(0));
            format!(
                "gatherv {} {} {root} {number} {number}",
                sent.first(),
                received.each(rank)
            )
        }
        CollectiveKind::Gather => format!("gather {0} {0} {root} {number} {number}", sent.first()),
        CollectiveKind::Scatter if is_vector(rank) => {
            let (all, own) = match received {
                Some(received) => (sent.each(rank), received.first()),
                None => (Lengths::Same(0).each(rank), sent.first()),
            };
            format!("scatterv {all} {own} {root} {number} {number}")
        }
        CollectiveKind::Scatter => {
            format!("scatter {0} {0} {root} {number} {number}", sent.first())
        }
    };
    rank.lines.push(line);
    Ok(())
}

/// Whether the communicator has all ranks in the world's order.
fn is_world(rank: &RankWriter<'_>, communicator: CommId) -> bool {
    let ranks = rank.data.ranks;
    let in_order = |member| {
        rank.groups
            .world_rank(communicator, i64::from(member), rank.rank.0)
            == Some(member)
    };
    rank.groups.size(communicator) == ranks && (0..ranks).all(in_order)
}

/// Whether the function has counts per rank, which a rank that is not the root does not see.
fn is_vector(rank: &RankWriter<'_>) -> bool {
    let site = rank.data.table.call_sites.get(rank.site.index());
    site.is_some_and(|site| site.function.ends_with('v') || site.function.ends_with('V'))
}

/// Numbers of elements by rank.
#[derive(Clone)]
enum Lengths {
    Same(u64),
    Each(Vec<u64>),
}

fn lengths(rank: &RankWriter<'_>, counts: Counts, datatype: u32) -> Lengths {
    match counts {
        Counts::Same(count) => Lengths::Same(rank.elements(rank.value(count), datatype).0),
        Counts::PerRank(table) => {
            let table = rank.data.count_tables.get(table as usize);
            let row = table
                .and_then(|table| table.get(rank.position))
                .map_or(&[][..], Vec::as_slice);
            let of = |&count: &u64| {
                rank.elements(i64::try_from(count).unwrap_or(i64::MAX), datatype)
                    .0
            };
            Lengths::Each(row.iter().map(of).collect())
        }
    }
}

impl Lengths {
    fn of(&self, rank: u32) -> u64 {
        match self {
            Lengths::Same(length) => *length,
            Lengths::Each(all) => all.get(rank as usize).copied().unwrap_or(0),
        }
    }

    fn first(&self) -> u64 {
        self.of(0)
    }

    fn sum(&self, rank: &RankWriter<'_>) -> u64 {
        (0..rank.data.ranks)
            .map(|other| self.of(other))
            .fold(0, u64::saturating_add)
    }

    fn each(&self, rank: &RankWriter<'_>) -> String {
        (0..rank.data.ranks)
            .map(|other| self.of(other).to_string())
            .collect::<Vec<_>>()
            .join(" ")
    }
}
