//! Measured times of whole collectives in place of schedules.

use crate::builder::*;
use base_data::Time;
use base_data::comm_data::{CollectiveCurve, CommData, CurvePoint};
use base_data::program_data::{CollectiveKind, Op};
use machine::Platform;

/// A curve on four ranks of nodes of their own: length in bytes, time in nanoseconds.
fn curve(kind: CollectiveKind, points: &[(u64, i64)]) -> CollectiveCurve {
    let mut all = Vec::new();
    for &(bytes, nanoseconds) in points {
        all.push(CurvePoint {
            bytes,
            time: Time::from_picoseconds(nanoseconds * 1000),
        });
    }
    CollectiveCurve {
        kind,
        ranks: 4,
        ranks_per_node: 1,
        points: all,
    }
}

fn with_curves(mut platform: Platform, collectives: Vec<CollectiveCurve>) -> Platform {
    let data = CommData {
        collectives,
        ..CommData::default()
    };
    platform
        .replace_comm(&data)
        .expect("data with curves alone");
    platform
}

/// Each rank computes so many microseconds, then all call the collective.
fn streams(work_of: [u32; 4], call: Op) -> Vec<Vec<Op>> {
    let mut streams = Vec::new();
    for microseconds in work_of {
        streams.push(vec![work(microseconds), call.clone()]);
    }
    streams
}

/// 128 bytes lie in the middle between 64 and 256 in logarithms: 8 us are the mean of 4 us and 16 us in logarithms.
#[test]
fn all_wait_for_the_last_rank_and_take_the_measured_time() {
    let call = collective(1, CollectiveKind::Allreduce, 0, None, 16);
    let data = program(streams([1, 4, 2, 3], call), &[]);
    let points = [(64, 4000), (256, 16_000)];
    for platform in [mpiete(), loggps(), loggp_2(), loggps_shared()] {
        let measured = with_curves(platform, vec![curve(CollectiveKind::Allreduce, &points)]);
        assert_eq!(ends(&data, &measured), [12_000; 4]);
        let warnings = estimate(&data, &measured).warnings;
        let said = "allreduce on 4 ranks (128 bytes) takes the measured time";
        assert!(
            warnings.iter().any(|warning| warning.starts_with(said)),
            "{warnings:?}"
        );
    }
}

#[test]
fn ranks_wait_only_for_those_that_they_depend_on() {
    let kinds = [
        // All wait for the root, rank 0.
        (CollectiveKind::Broadcast, [3, 5, 3, 3]),
        (CollectiveKind::Scatter, [3, 5, 3, 3]),
        // The root waits for all.
        (CollectiveKind::Reduce, [5, 5, 1, 2]),
        (CollectiveKind::Gather, [5, 5, 1, 2]),
        // Each waits for those below.
        (CollectiveKind::Scan, [3, 5, 5, 5]),
    ];
    for (kind, microseconds) in kinds {
        let root = match kind {
            CollectiveKind::Scan => None,
            _ => Some(0),
        };
        let call = collective(1, kind, 0, root, 1);
        let data = program(streams([2, 4, 0, 1], call), &[]);
        let measured = with_curves(mpiete(), vec![curve(kind, &[(8, 1000)])]);
        let expected = microseconds.map(|microseconds| microseconds * 1000);
        assert_eq!(ends(&data, &measured), expected, "{kind:?}");
    }
}

/// Outside the measured lengths the schedule stays, and the estimate says so.
#[test]
fn nothing_is_extrapolated() {
    let call = collective(1, CollectiveKind::Allreduce, 0, None, 64);
    let data = program(streams([1, 4, 2, 3], call), &[]);
    let points = [(64, 4000), (256, 16_000)];
    let measured = with_curves(mpiete(), vec![curve(CollectiveKind::Allreduce, &points)]);
    assert_eq!(ends(&data, &measured), ends(&data, &mpiete()));
    let warnings = estimate(&data, &measured).warnings;
    let said = "allreduce on 4 ranks (512 bytes) uses the schedule of the MPI library, since it was measured from 64 to 256 \
                bytes";
    assert!(
        warnings.iter().any(|warning| warning.starts_with(said)),
        "{warnings:?}"
    );
}

#[test]
fn a_platform_without_an_mpi_library_says_whose_algorithms_it_uses() {
    let call = collective(1, CollectiveKind::Allreduce, 0, None, 64);
    let data = program(streams([1, 4, 2, 3], call), &[]);
    let said = "collectives use the algorithms of MPICH 4";
    let says = |warnings: &[String]| warnings.iter().any(|warning| warning.starts_with(said));
    assert!(says(&estimate(&data, &mpiete()).warnings));
    let no_collective = program(vec![vec![work(1)]], &[]);
    assert!(!says(&estimate(&no_collective, &mpiete()).warnings));
}
