//! Programs that are too long for replays of every event, and times that are too long to be counted: what
//! is left out is said, and nothing takes long.

use crate::builder::*;
use base_data::program_data::{Call, CollectiveKind, Op, Operand, Peer, ProgramData, RankClass};
use base_data::{RankSet, TableId, Time};
use estimator::{EstimateError, Inputs, Options};

const ITERATIONS: u64 = 1_000_000_000_000;

/// Four ranks in a ring that compute block 1 and shift a message, `iterations` times.
fn ring(iterations: u64) -> ProgramData {
    let rank = |rank: u32| -> Vec<Op> {
        repeat(
            iterations,
            vec![work(1), send_receive(1, (rank + 1) % 4, (rank + 3) % 4, 8)],
        )
    };
    program((0..4).map(rank).collect(), &[])
}

fn all(draws: u32) -> Options {
    Options {
        draws,
        timeline: true,
        explain: true,
        ..Options::default()
    }
}

fn has_warning(warnings: &[String], part: &str) -> bool {
    warnings.iter().any(|warning| warning.contains(part))
}

#[test]
fn equal_iterations_are_never_too_many() {
    for platform in [mpiete(), loggps(), loggp_2()] {
        let few = estimate(&ring(1000), &platform).headline;
        let step = estimate(&ring(1001), &platform).headline - few;
        let found = try_estimate(&ring(1_000_000_000), &platform, &all(20)).expect("an estimate");
        assert_eq!(found.headline, few + step.times(1_000_000_000 - 1000));
        assert_eq!((found.draws, found.timeline.ranks.len()), (20, 0));
        assert!(
            has_warning(&found.warnings, "too long for a timeline"),
            "{:?}",
            found.warnings
        );
        assert!(
            has_warning(&found.warnings, "too long for wait states"),
            "{:?}",
            found.warnings
        );
    }
}

/// A ring of eight ranks whose messages and collectives differ between iterations, with ranks by `peers`.
fn varying_ring(peers: impl Fn(u32) -> Peer) -> Vec<Op> {
    let mut stream = Vec::new();
    for iteration in 0..200u32 {
        stream.push(work(iteration % BLOCKS));
        let mut exchange = send_receive(1, 0, 0, 8 * i64::from(iteration));
        if let Op::Call {
            call: Call::SendReceive { send, receive, .. },
            ..
        } = &mut exchange
        {
            (send.peer, receive.peer) = (peers(1), peers(7));
        }
        stream.push(exchange);
        if iteration % 10 == 0 {
            let doubles = i64::from(iteration);
            stream.push(collective(2, CollectiveKind::Allreduce, 0, None, doubles));
        }
    }
    stream
}

#[test]
fn ranks_of_one_class_have_the_steps_that_they_have_alone() {
    let table = |by: u32| (0..8).map(|rank| i64::from((rank + by) % 8)).collect();
    let class = RankClass {
        ranks: RankSet::all(8),
        stream: varying_ring(|by| Peer::Rank(Operand::Table(TableId(u32::from(by == 7))))),
    };
    let together = ProgramData {
        tables: vec![table(1), table(7)],
        ..with_classes(vec![class], &[])
    };
    let alone =
        |rank: u32| varying_ring(|by| Peer::Rank(Operand::Constant(i64::from((rank + by) % 8))));
    let apart = program((0..8).map(alone).collect(), &[]);
    // On nodes of four ranks, the links of some ranks differ from those of others.
    for platform in [mpiete(), mpiete_on_nodes(), loggps(), loggp_2()] {
        let (together, apart) = (estimate(&together, &platform), estimate(&apart, &platform));
        assert_eq!(together.per_rank, apart.per_rank);
        assert_eq!(together.cells, apart.cells);
        assert_eq!(together.explanation, apart.explanation);
    }
}

#[test]
fn unaffordable_draws_are_skipped() {
    let data = ring(ITERATIONS);
    let varying = compute_of(vec![(1, (900..=1_100).collect())]);
    let inputs = Inputs {
        program: &data,
        compute: &[varying],
    };
    let found = estimator::estimate(&inputs, &loggp_2(), &all(100)).expect("an estimate");
    assert_eq!(
        (found.draws, found.p10, found.p90),
        (0, found.headline, found.headline)
    );
    assert!(
        has_warning(&found.warnings, "too long for 100 draws"),
        "{:?}",
        found.warnings
    );
}

#[test]
fn overflowing_times_are_rejected() {
    let far = with_parameters(
        "loggp-2",
        64,
        &[
            ("L", 1e300, "ns"),
            ("o", 1.0, "ns"),
            ("o_long", 1.0, "ns"),
            ("G", 0.0, "ns/byte"),
            ("G_long", 0.0, "ns/byte"),
            ("s", 1.0, "bytes"),
        ],
    );
    let cases = [(ring(1), far), (ring(9_000_000 * ITERATIONS), loggp_2())];
    for (data, platform) in cases {
        for draws in [0, 3] {
            let found = try_estimate(&data, &platform, &all(draws)).map(|found| found.headline);
            let is_refused = matches!(found, Err(EstimateError::TooLong { .. }));
            assert!(is_refused, "{found:?}");
        }
    }
    let longest = try_estimate(&ring(ITERATIONS), &loggp_2(), &means())
        .expect("an estimate")
        .headline;
    assert!(longest > Time::from_seconds(1e6));
}
