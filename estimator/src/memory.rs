//! Peak memory of a rank: the peaks measured with the compute data, transferred to another rank or number of ranks by the
//! requested memory in the program data. Where that is missing, a model with a constant part and a part that ranks share.

use crate::block_times::{ComputeSets, Normal};
use base_data::compute_data::{ComputeData, PeakMemory};
use base_data::ids::Rank;
use base_data::program_data::ProgramData;
use std::collections::BTreeMap;

/// Allocations that a sentence names.
const NAMED: usize = 3;

/// A sentence about the peak memory of the rank that takes most; `None` if none was measured.
pub(crate) fn remark(program: &ProgramData, compute: &ComputeSets<'_>) -> Option<String> {
    let ranks = program.ranks;
    let measured = measured(compute.used());
    let of_these = measured.iter().filter(|one| one.ranks == ranks);
    let ran = of_these
        .clone()
        .map(|one| one.rank)
        .collect::<std::collections::BTreeSet<_>>()
        .len();
    if ran < ranks as usize
        && let Some(sentence) = carried(program, &measured)
    {
        return Some(sentence);
    }
    if let Some(peak) = of_these.map(|one| one.peak).max() {
        return Some(format!(
            "memory: at most {} on a rank, as measured with {ranks} ranks",
            shown(peak as f64)
        ));
    }
    shared(ranks, &peaks(&measured))
}

/// What was measured of one rank, in bytes.
struct Measured {
    rank: u32,
    ranks: u32,
    peak: u64,
    /// What it asked for, where that was counted.
    requested: Option<u64>,
}

fn measured<'a>(sets: impl Iterator<Item = &'a ComputeData>) -> Vec<Measured> {
    let of_set = |data: &'a ComputeData| {
        let requested = |peak: &PeakMemory| {
            let same = |one: &&PeakMemory| (one.rank, one.ranks) == (peak.rank, peak.ranks);
            data.requested_memory.iter().find(same).map(|one| one.bytes)
        };
        let known = data
            .peak_memory
            .iter()
            .filter(|peak| peak.bytes > 0 && peak.ranks > 0);
        known.map(move |peak| Measured {
            rank: peak.rank,
            ranks: peak.ranks,
            peak: peak.bytes,
            requested: requested(peak),
        })
    };
    sets.flat_map(of_set).collect()
}

/// The peak of the rank that takes most, from what each asks for and what measured ranks took beside.
fn carried(program: &ProgramData, measured: &[Measured]) -> Option<String> {
    let asked = measured.iter().filter(|one| one.requested.is_some());
    let distance = |ranks: u32| {
        (f64::from(ranks) / f64::from(program.ranks.max(1)))
            .ln()
            .abs()
    };
    // On a logarithmic scale: 16 ranks are as near to 8 as to 32.
    let nearest = asked
        .map(|one| one.ranks)
        .min_by(|a, b| distance(*a).total_cmp(&distance(*b)))?;
    let own: BTreeMap<u32, u64> = measured
        .iter()
        .filter(|one| one.ranks == program.ranks)
        .map(|one| (one.rank, one.peak))
        .collect();
    let near: Vec<&Measured> = measured.iter().filter(|one| one.ranks == nearest).collect();
    let mut most: Option<(f64, Rank, u64)> = None;
    for requested in &program.requested_memory {
        let mut count = |bytes: f64, rank: Rank| {
            if most.is_none_or(|(known, ..)| bytes > known) {
                most = Some((bytes, rank, requested.bytes));
            }
        };
        let ran = own
            .iter()
            .filter(|(rank, _)| requested.ranks.position(Rank(**rank)).is_some());
        ran.for_each(|(&rank, &peak)| count(peak as f64, Rank(rank)));
        // The ranks of one row request the same, so one stands for all that were not measured.
        if let Some(rank) = requested
            .ranks
            .iter()
            .find(|rank| !own.contains_key(&rank.0))
        {
            count(carry(requested.bytes as f64, &near), rank);
        }
    }
    let (bytes, rank, requested) = most?;
    let (bytes, requested) = (shown(bytes), shown(requested as f64));
    Some(format!(
        "memory: at most about {bytes} (rank {rank}): arrays {requested}, other memory as measured \
        with {nearest} ranks{}",
        unreported(program)
    ))
}

/// The peak of a rank in bytes: what it asks for and the most that a measured rank took beside what that had asked for;
/// of a rank that never touched all that it had asked for, the same share is touched here.
fn carry(requested: f64, near: &[&Measured]) -> f64 {
    let carried = |one: &&Measured| {
        let (peak, asked) = (one.peak as f64, one.requested? as f64);
        Some(if peak < asked {
            // The operating system gives pages when they are touched, so a rank may take less than it asks
            // for.
            requested * peak / asked
        } else {
            requested + peak - asked
        })
    };
    near.iter().filter_map(carried).fold(0.0, f64::max)
}

/// A warning about allocations that the sum lacks: only the whole program computes their sizes.
fn unreported(program: &ProgramData) -> String {
    let unreported = program
        .allocations
        .iter()
        .filter(|one| one.expression.is_empty());
    let mut names: Vec<String> = unreported
        .map(|one| format!("{} ({})", one.name, program.table.place(&one.span)))
        .collect();
    names.dedup();
    if names.is_empty() {
        return String::new();
    }
    let more = match names.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    names.truncate(NAMED);
    format!(
        "; the size of {}{more} at ALLOCATE is unknown, so the measured amount is assumed",
        names.join(", ")
    )
}

/// From what every rank has and what all share.
fn shared(ranks: u32, peaks: &BTreeMap<u32, f64>) -> Option<String> {
    let measured: Vec<String> = peaks
        .iter()
        .map(|(ranks, peak)| format!("{} with {ranks}", shown(*peak)))
        .collect();
    let measured = measured.join(", ");
    match peaks.len() {
        0 => None,
        1 => Some(format!(
            "memory: at most {measured} ranks on a rank; with {ranks} its share of the data differs"
        )),
        _ => {
            let (own, shared) = parts(peaks);
            let expected = shown(own + shared / f64::from(ranks));
            Some(format!(
                "memory: at most about {expected} on a rank, computed from {measured} ranks"
            ))
        }
    }
}

/// The largest peak of a rank in bytes, by number of ranks.
fn peaks(measured: &[Measured]) -> BTreeMap<u32, f64> {
    let mut peaks = BTreeMap::new();
    for found in measured {
        let peak: &mut f64 = peaks.entry(found.ranks).or_default();
        *peak = peak.max(found.peak as f64);
    }
    peaks
}

/// What every rank has by itself, and what all share, in bytes: least squares of relative errors.
fn parts(peaks: &BTreeMap<u32, f64>) -> (f64, f64) {
    let mut sums = Normal::new(2);
    for (&ranks, &peak) in peaks {
        sums.add(&[1.0, 1.0 / f64::from(ranks)], peak, 1.0 / (peak * peak));
    }
    let found = sums.solve();
    (found[0], found[1])
}

fn shown(bytes: f64) -> String {
    const UNITS: [&str; 5] = ["bytes", "KiB", "MiB", "GiB", "TiB"];
    let step = UNITS.len().min(
        1 + (0..UNITS.len() - 1)
            .filter(|&step| bytes >= 1024f64.powi(step as i32 + 1))
            .count(),
    );
    format!(
        "{:.1} {}",
        bytes / 1024f64.powi(step as i32 - 1),
        UNITS[step - 1]
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use base_data::block_table::SourceSpan;
    use base_data::program_data::{Allocation, RequestedMemory};
    use base_data::rank_set::RankSet;

    const MIB: u64 = 1 << 20;

    /// What is said of a program; measured are rank, ranks, and MiB that were taken and asked for.
    fn remarked(
        program: &ProgramData,
        measured: &[(u32, u32, u64, Option<u64>)],
    ) -> Option<String> {
        let peak = |&(rank, ranks, taken, _): &(u32, u32, u64, _)| PeakMemory {
            rank,
            ranks,
            bytes: taken * MIB,
        };
        let asked = |&(rank, ranks, _, asked): &(u32, u32, u64, Option<u64>)| {
            Some(PeakMemory {
                rank,
                ranks,
                bytes: asked? * MIB,
            })
        };
        let data = ComputeData {
            peak_memory: measured.iter().map(peak).collect(),
            requested_memory: measured.iter().filter_map(asked).collect(),
            ..Default::default()
        };
        remark(program, &ComputeSets::given(std::slice::from_ref(&data)))
    }

    /// Rank 0 asks for the first of these MiB, the others for the second.
    fn program(ranks: u32, asked: Option<(u64, u64)>) -> ProgramData {
        let sets = |(first, others): (u64, u64)| {
            [
                (RankSet::all(1), first),
                (RankSet::from_ranks((1..ranks).map(Rank)), others),
            ]
            .map(|(ranks, mib)| RequestedMemory {
                ranks,
                bytes: mib * MIB,
            })
        };
        let requested_memory = asked.map(sets).into_iter().flatten().collect();
        ProgramData {
            ranks,
            requested_memory,
            ..ProgramData::default()
        }
    }

    #[test]
    fn memory_without_requests_is_private_plus_shared() {
        let measured = [(0, 4, 30, None), (1, 4, 20, None), (0, 16, 15, None)];
        assert_eq!(
            remarked(&program(16, None), &measured).unwrap(),
            "memory: at most 15.0 MiB on a rank, as measured with 16 ranks"
        );
        assert_eq!(
            remarked(&program(8, None), &measured).unwrap(),
            "memory: at most about 20.0 MiB on a rank, computed from 30.0 MiB with 4, 15.0 MiB with 16 ranks"
        );
        let two = remarked(&program(8, None), &measured[..2]).unwrap();
        assert!(two.contains("at most 30.0 MiB with 4 ranks on a rank"));
        assert_eq!(remarked(&program(8, None), &[]), None);
    }

    #[test]
    fn requests_carry_what_was_measured_to_other_ranks() {
        let measured = [(0, 4, 120, Some(100)), (1, 4, 60, Some(50))];
        assert_eq!(
            remarked(&program(8, Some((40, 70))), &measured).unwrap(),
            "memory: at most about 90.0 MiB (rank 1): arrays 70.0 MiB, other memory as measured with 4 ranks"
        );
        // A rank that ran on as many ranks is what it was.
        assert!(
            remarked(&program(4, Some((100, 50))), &measured)
                .unwrap()
                .contains("about 120.0 MiB (rank 0)")
        );
        // Nearest by ratio.
        let both = [(0, 4, 30, Some(10)), (0, 64, 90, Some(10))];
        assert!(
            remarked(&program(32, Some((10, 10))), &both)
                .unwrap()
                .contains("about 90.0 MiB")
        );
    }

    #[test]
    fn untouched_memory_share_is_equal_on_all_ranks() {
        let measured = [(0, 4, 50, Some(100))];
        assert!(
            remarked(&program(8, Some((60, 40))), &measured)
                .unwrap()
                .contains("about 30.0 MiB (rank 0)")
        );
    }

    #[test]
    fn data_dependent_allocations_are_reported() {
        let mut program = program(8, Some((60, 40)));
        let allocation = |name: &str, expression: &str| Allocation {
            span: SourceSpan::default(),
            name: name.into(),
            expression: expression.into(),
        };
        program.allocations = vec![allocation("a", "8*n"), allocation("b", "")];
        let said = remarked(&program, &[(0, 4, 70, Some(50))]).unwrap();
        assert!(
            said.contains("the size of b (source line unknown) at ALLOCATE is unknown"),
            "{said}"
        );
    }

    #[test]
    fn bytes_are_shown_in_their_unit() {
        assert_eq!(
            [512.0, 2048.0, 3.5e6].map(shown),
            ["512.0 bytes", "2.0 KiB", "3.3 MiB"]
        );
    }
}
