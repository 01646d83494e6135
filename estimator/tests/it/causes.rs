//! Who comes late, the critical path and sensitivities of small programs, by hand. For the numbers of
//! the LogGPS platform see `loggps.rs`.

use crate::builder::*;
use base_data::comm_data::LinkClass;
use base_data::estimate_file::Estimate;
use base_data::explanation::{DelayedParty, NetworkTime, PathItem, Sensitivity, Varied};
use base_data::ids::{BlockId, CallSiteId};
use base_data::program_data::{CollectiveKind, Mark, Op};
use estimator::Options;
use machine::Platform;

fn explained_on(streams: Vec<Vec<Op>>, platform: &Platform) -> Estimate {
    let options = Options {
        explain: true,
        ..means()
    };
    try_estimate(&program(streams, &[]), platform, &options).expect("an estimate")
}

fn explained(streams: Vec<Vec<Op>>) -> Estimate {
    explained_on(streams, &loggps())
}

/// `late@waiting line<late line: waits, time in ns (rank waits for rank)`.
fn wait_states(found: &Estimate) -> Vec<String> {
    let line = |site: CallSiteId| site.0 + 1;
    let lines = found.explanation.wait_states.iter().map(|late| {
        format!(
            "{:?}@{}<{}: {}, {} ({} waits for {})",
            late.late,
            line(late.site),
            line(late.other),
            late.waits,
            nanoseconds(late.time),
            late.rank,
            late.late_rank
        )
    });
    lines.collect()
}

#[test]
fn late_senders_and_receivers() {
    let eager = vec![vec![work(5), send(1, 1, 8)], vec![receive(2, 0, 8)]];
    assert_eq!(
        wait_states(&explained(eager)),
        ["Sender@2<1: 1, 5000 (1 waits for 0)"]
    );
    let in_time = vec![vec![send(1, 1, 8)], vec![work(5), receive(2, 0, 8)]];
    assert!(wait_states(&explained(in_time)).is_empty());
    let rendezvous = vec![vec![send(1, 1, 300)], vec![work(1), receive(2, 0, 300)]];
    // The wait of 940 ns began with the send's call; its last 60 are the answer's way.
    assert_eq!(
        wait_states(&explained(rendezvous)),
        ["Receiver@1<2: 1, 940 (0 waits for 1)"]
    );
    let by_wait = vec![
        vec![work(5), send(1, 1, 8)],
        vec![ireceive(2, 0, 8, 0), work(1), wait(3, &[0])],
    ];
    assert_eq!(
        wait_states(&explained(by_wait)),
        ["Sender@3<1: 1, 3990 (1 waits for 0)"]
    );
}

#[test]
fn the_last_rank_of_a_collective_is_named() {
    let rank = |rank: u32| vec![work(if rank == 2 { 9 } else { 1 }), barrier(10 + rank)];
    let found = explained((0..4).map(rank).collect());
    let late: Vec<_> = found.explanation.wait_states.iter().collect();
    assert!(
        late.iter()
            .all(|late| (late.late, late.other.0, late.late_rank)
                == (DelayedParty::Collective, 11, 2))
    );
    assert_eq!(late.len(), 3);
    // Each of the others waits from 1 µs on, after what it does itself, until rank 2 comes at 9 µs.
    assert!(
        late.iter()
            .all(|late| (7800..=8000).contains(&nanoseconds(late.time))),
        "{:?}",
        wait_states(&found)
    );
}

#[test]
fn a_late_root_is_named_through_the_tree() {
    let broadcast = |line| collective(line, CollectiveKind::Broadcast, 0, Some(0), 1);
    let rank = |rank: u32| vec![work(if rank == 0 { 9 } else { 1 }), broadcast(10 + rank)];
    let found = explained((0..8).map(rank).collect());
    assert_eq!(found.explanation.wait_states.len(), 7);
    for late in &found.explanation.wait_states {
        assert_eq!(
            (late.late_rank, nanoseconds(late.time)),
            (0, 8000),
            "{:?}",
            wait_states(&found)
        );
    }
}

fn path(found: &Estimate) -> Vec<(PathItem, u64, i64)> {
    let shares = found.explanation.critical_path.shares.iter();
    shares
        .map(|share| (share.item, share.count, nanoseconds(share.time)))
        .collect()
}

fn message(send: u32, receive: u32) -> PathItem {
    PathItem::Message {
        send: CallSiteId(send - 1),
        receive: CallSiteId(receive - 1),
    }
}

#[test]
fn critical_path_follows_ranks_without_waits() {
    let block = |block| PathItem::Block(BlockId(block));
    let streams = vec![
        vec![work(5), send(1, 1, 8), work(3)],
        vec![work(2), receive(2, 0, 8), work(4), send(3, 0, 8)],
    ];
    let found = explained(streams.clone());
    let expected = [
        (block(5), 1, 5000),
        (block(4), 1, 4000),
        (message(1, 2), 1, 118),
    ];
    assert_eq!(path(&found)[..3], expected);
    // The last send is rank 1's own.
    assert_eq!(path(&found)[3], (PathItem::Call(CallSiteId(2)), 1, 18));
    let path = &found.explanation.critical_path;
    assert_eq!(
        (nanoseconds(path.length), path.last_rank, path.changes),
        (9136, 1, 1)
    );
    let segments: Vec<_> = path
        .segments
        .iter()
        .map(|stay| (stay.rank, nanoseconds(stay.from), nanoseconds(stay.to)))
        .collect();
    assert_eq!(segments, [(0, 0, 5000), (1, 5118, 9136)]);
}

#[test]
fn a_path_begins_with_the_section() {
    let rank = |before| {
        vec![
            work(before),
            Op::Mark(Mark::SectionBegin),
            work(2),
            barrier(1),
            Op::Mark(Mark::SectionEnd),
            work(30),
        ]
    };
    let found = explained(vec![rank(5), rank(9)]);
    let path = &found.explanation.critical_path;
    assert_eq!((path.length, path.last_rank), (found.headline, 0));
    assert_eq!(
        path.shares
            .iter()
            .map(|share| share.time)
            .sum::<base_data::Time>(),
        path.length
    );
    // Rank 0 waits in its section for what rank 1 does before its own.
    assert_eq!(path.shares[0].item, PathItem::Block(BlockId(9)));
    assert!(
        found
            .explanation
            .sensitivities
            .iter()
            .all(|found| !found.exact)
    );
}

fn of<'a>(found: &'a Estimate, varied: &Varied) -> &'a Sensitivity {
    let mut all = found.explanation.sensitivities.iter();
    all.find(|sensitivity| sensitivity.varied == *varied)
        .expect("it is varied")
}

fn network(time: NetworkTime) -> Varied {
    Varied::Network {
        time,
        link: LinkClass::BetweenNodes,
    }
}

#[test]
fn slopes_are_what_the_path_holds() {
    // Two messages of 8 bytes and one of 300 by rendezvous, in sequence.
    let streams = vec![
        vec![send(1, 1, 8), receive(2, 1, 8), send(3, 1, 300)],
        vec![receive(4, 0, 8), work(4), send(5, 0, 8), receive(6, 0, 300)],
    ];
    let found = explained(streams);
    let slope = |varied| nanoseconds(of(&found, &varied).slope);
    // L: once per message, and twice for the handshake.
    assert_eq!(slope(network(NetworkTime::Latency)), 5 * 50);
    // o': 2 per message, and 2 for the answer, one for the request, one to notice it.
    assert_eq!(slope(network(NetworkTime::Overhead)), (4 + 2 + 4) * 10);
    assert_eq!(
        slope(network(NetworkTime::OverheadPerByte)),
        2 * 8 * 3 + 300 / 4 * 3
    );
    assert_eq!(
        slope(network(NetworkTime::GapPerByte)),
        2 * 8 * 3 + 100 * 3 + 200
    );
    assert_eq!(slope(Varied::Block(BlockId(4))), 4000);
    let all: i64 = found
        .explanation
        .sensitivities
        .iter()
        .map(|found| nanoseconds(found.slope))
        .sum();
    assert_eq!(all, nanoseconds(found.headline));
}

#[test]
fn sensitivity_bends_where_another_rank_becomes_critical() {
    // Rank 1 works 6 µs while a message of 4 µs of work is on its way: 4018 + (24 + L) + 26 = 6026 + …
    let streams = vec![
        vec![work(4), send(1, 1, 8)],
        vec![work(6), receive(2, 0, 8)],
    ];
    let found = explained(streams);
    let block = of(&found, &Varied::Block(BlockId(6)));
    // Rank 1 alone: 6 µs and 26 ns. Below (4018 + 74) / 6000 the message is the later one.
    assert_eq!(
        (nanoseconds(block.slope), block.exact, block.straight[1]),
        (6000, true, 2.0)
    );
    assert!(
        (block.straight[0] - 4092.0 / 6000.0).abs() < 1e-9,
        "{block:?}"
    );
    let latency = of(&found, &network(NetworkTime::Latency));
    assert_eq!(
        (nanoseconds(latency.slope), latency.straight),
        (0, [0.0, 2.0])
    );
}

#[test]
fn nothing_is_explained_unasked() {
    let found = estimate(&program(vec![vec![work(1)]], &[]), &loggps());
    assert_eq!(
        found.explanation,
        base_data::explanation::Explanation::default()
    );
}

/// Where messages delay each other there are no slopes, but a path, wait_states and other networks.
#[test]
fn under_contention_other_networks_are_replayed() {
    let ns = "ns";
    let parameters = [
        ("L", 50, ns),
        ("o", 10, ns),
        ("O", 0, "ns/byte"),
        ("g", 30, ns),
        ("G", 1, "ns/byte"),
        ("S", 4096, "bytes"),
    ];
    let streams = vec![vec![work(5), send(1, 1, 101)], vec![receive(2, 0, 101)]];
    let found = explained_on(streams, &loggops(&parameters));
    assert_eq!(wait_states(&found), ["Sender@2<1: 1, 5000 (1 waits for 0)"]);
    let block = PathItem::Block(BlockId(5));
    assert_eq!(path(&found), [(block, 1, 5000), (message(1, 2), 1, 170)]);
    assert!(
        found
            .warnings
            .iter()
            .any(|warning| warning.contains("messages delay each other"))
    );
    let total = |varied: Varied, factor: f64| {
        let points = &of(&found, &varied).points;
        nanoseconds(
            points
                .iter()
                .find(|point| point.factor == factor)
                .expect("it is looked at")
                .total,
        )
    };
    // o + L + o + 100 G after 5 µs of work.
    assert_eq!(nanoseconds(found.headline), 5000 + 10 + 50 + 10 + 100);
    assert_eq!(
        total(network(NetworkTime::Latency), 2.0),
        5000 + 10 + 100 + 10 + 100
    );
    assert_eq!(
        total(network(NetworkTime::GapPerByte), 0.5),
        5000 + 10 + 50 + 10 + 50
    );
    assert_eq!(
        total(Varied::Block(BlockId(5)), 0.5),
        2500 + 10 + 50 + 10 + 100
    );
}
