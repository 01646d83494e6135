//! Collectives whose whole time was measured ([`machine::collective::measured_time`]): instead of the messages of a schedule,
//! each rank waits for the ranks that it depends on, by messages that cost nothing, and then takes the measured time.
//!
//! A benchmark measures from a common start. Who waits for whom is what MPI guarantees at least: in a broadcast or scatter
//! all wait for the root, in a reduction or gather the root for all, in a scan each for those below, in the others each
//! for all.

use base_data::program_data::CollectiveKind;
use machine::collective::{DataPart, Received, Sent, Step};
use std::collections::BTreeMap;

/// Which collectives took a measured time, and which lacked one.
#[derive(Debug, Default)]
pub(super) struct Uses {
    /// By collective and number of ranks: the shortest and the longest operand.
    used: BTreeMap<(CollectiveKind, u32), (u64, u64)>,
    /// By collective, number of ranks and what was measured of it: the shortest and the longest operand without a time.
    lacking: BTreeMap<(CollectiveKind, u32, String), (u64, u64)>,
}

impl Uses {
    /// Notes a call that takes a measured time.
    pub fn used(&mut self, kind: CollectiveKind, ranks: u32, bytes: u64) {
        widen(&mut self.used, (kind, ranks), bytes);
    }

    /// Notes a call of a collective of which there are measurements, but not for these ranks or this length.
    pub fn lacking(&mut self, kind: CollectiveKind, ranks: u32, bytes: u64, measured: String) {
        widen(&mut self.lacking, (kind, ranks, measured), bytes);
    }

    /// For people: what replaced schedules, and where schedules stayed.
    pub fn sentences(&self) -> Vec<String> {
        let mut sentences = Vec::new();
        for ((kind, ranks), range) in &self.used {
            sentences.push(format!(
                "{} on {ranks} ranks ({}) takes the measured time of the communication data instead of a schedule",
                kind.name(),
                bytes(*range)
            ));
        }
        for ((kind, ranks, measured), range) in &self.lacking {
            sentences.push(format!(
                "{} on {ranks} ranks ({}) uses the schedule of the MPI library, since it was {measured}; measure it there, \
                 too",
                kind.name(),
                bytes(*range)
            ));
        }
        sentences
    }
}

fn widen<Key: Ord>(ranges: &mut BTreeMap<Key, (u64, u64)>, key: Key, bytes: u64) {
    let (shortest, longest) = ranges.entry(key).or_insert((bytes, bytes));
    *shortest = bytes.min(*shortest);
    *longest = bytes.max(*longest);
}

fn bytes((shortest, longest): (u64, u64)) -> String {
    if shortest == longest {
        format!("{shortest} bytes")
    } else {
        format!("{shortest} to {longest} bytes")
    }
}

/// The waits of one rank of a communicator, as messages without data.
pub(super) fn waits(kind: CollectiveKind, rank: u32, ranks: u32, root: u32) -> Vec<Step> {
    let others = (0..ranks).filter(|&other| other != rank);
    let to = |to| Step::send(to, DataPart::Nothing);
    let from = |from| Step::receive(from, DataPart::Nothing);
    match kind {
        CollectiveKind::Broadcast | CollectiveKind::Scatter if rank == root => {
            others.map(to).collect()
        }
        CollectiveKind::Broadcast | CollectiveKind::Scatter => vec![from(root)],
        CollectiveKind::Reduce | CollectiveKind::Gather if rank == root => {
            others.map(from).collect()
        }
        CollectiveKind::Reduce | CollectiveKind::Gather => vec![to(root)],
        CollectiveKind::Scan | CollectiveKind::ExclusiveScan => {
            let mut steps = Vec::new();
            if rank > 0 {
                steps.push(from(rank - 1));
            }
            if rank + 1 < ranks {
                steps.push(to(rank + 1));
            }
            steps
        }
        CollectiveKind::Barrier
        | CollectiveKind::Allreduce
        | CollectiveKind::Allgather
        | CollectiveKind::Alltoall
        | CollectiveKind::ReduceScatter => dissemination(rank, ranks),
    }
}

/// Every rank waits for all others, in ⌈log2 P⌉ rounds.
fn dissemination(rank: u32, ranks: u32) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut distance = 1;
    while distance < ranks {
        let sent = Sent {
            to: (rank + distance) % ranks,
            part: DataPart::Nothing,
        };
        let source = (rank + ranks - distance) % ranks;
        steps.push(Step::Exchange(
            sent,
            Received::store(source, DataPart::Nothing),
        ));
        distance *= 2;
    }
    steps
}
