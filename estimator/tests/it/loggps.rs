//! Table 4 of Ino et al. 2001. For 8 bytes T1 = 18, T2 = 74, T3 = 26 ns; for 300 bytes, above S,
//! T1' = 160, T2' = 550, T3' = 85, T5 = 70 ns and T4 = max(60, tr − ts) + 10 ns.

use crate::builder::*;
use base_data::estimate_file::Category::{self, *};
use base_data::program_data::Op;

fn check(streams: Vec<Vec<Op>>, expected: &[i64]) {
    for platform in [loggps(), loggps_shared()] {
        assert_eq!(ends(&program(streams.clone(), &[]), &platform), expected);
    }
}

/// Times of a rank by category, those that are not zero.
fn split(streams: Vec<Vec<Op>>, rank: usize) -> Vec<(Category, i64)> {
    let split = estimate(&program(streams, &[]), &loggps()).per_rank[rank].split;
    let times = Category::ALL.map(|category| (category, nanoseconds(split[category.index()])));
    times.into_iter().filter(|(_, time)| *time > 0).collect()
}

#[test]
fn eager_messages() {
    check(
        vec![vec![send(1, 1, 8)], vec![receive(2, 0, 8)]],
        &[18, 118],
    );
    check(
        vec![vec![send(1, 1, 8)], vec![work(5), receive(2, 0, 8)]],
        &[18, 5026],
    );
    let early = vec![vec![work(1), send(1, 1, 8)], vec![receive(2, 0, 8)]];
    assert_eq!(
        split(early.clone(), 0),
        [(Compute, 1000), (SendOverhead, 18)]
    );
    assert_eq!(
        split(early, 1),
        [(ReceiveOverhead, 26), (ReceiveWait, 1092)]
    );
}

#[test]
fn more_than_a_packet() {
    // T1 = 160, T2' = 300 + 50 + 50, T3 = 310.
    check(
        vec![vec![send(1, 1, 150)], vec![receive(2, 0, 150)]],
        &[160, 160 + 400 + 310],
    );
}

#[test]
fn rendezvous() {
    check(
        vec![vec![send(1, 1, 300)], vec![receive(2, 0, 300)]],
        &[300, 935],
    );
    let late = vec![vec![send(1, 1, 300)], vec![work(1), receive(2, 0, 300)]];
    check(late.clone(), &[1240, 1875]);
    assert_eq!(
        split(late.clone(), 0),
        [(SendOverhead, 300), (SendWait, 940)]
    );
    assert_eq!(
        split(late, 1),
        [(Compute, 1000), (ReceiveOverhead, 95), (ReceiveWait, 780)]
    );
    // A late sender: the receive waits for the request.
    check(
        vec![vec![work(1), send(1, 1, 300)], vec![receive(2, 0, 300)]],
        &[1300, 1935],
    );
}

#[test]
fn started_transfers() {
    // MPI_Isend 10, then MPI_Wait to max(T1, 10 + 10).
    check(
        vec![
            vec![isend(1, 1, 8, 0), wait(2, &[0])],
            vec![receive(3, 0, 8)],
        ],
        &[20, 118],
    );
    check(
        vec![
            vec![isend(1, 1, 8, 0), work(1), wait(2, &[0])],
            vec![receive(3, 0, 8)],
        ],
        &[1020, 118],
    );
    // MPI_Irecv 10, MPI_Wait to max(118, 10 + 10).
    check(
        vec![
            vec![send(1, 1, 8)],
            vec![ireceive(2, 0, 8, 0), wait(3, &[0])],
        ],
        &[18, 118],
    );
    check(
        vec![
            vec![send(1, 1, 8)],
            vec![ireceive(2, 0, 8, 0), work(2), wait(3, &[0])],
        ],
        &[18, 2020],
    );
    // Rendezvous beside work on both sides: over at 300 and 935 from the start.
    let sender = vec![isend(1, 1, 300, 0), work(1), wait(2, &[0])];
    check(
        vec![sender, vec![ireceive(3, 0, 300, 0), work(1), wait(4, &[0])]],
        &[1020, 1020],
    );
    let sender = vec![isend(1, 1, 300, 0), wait(2, &[0])];
    check(
        vec![sender, vec![ireceive(3, 0, 300, 0), wait(4, &[0])]],
        &[300, 935],
    );
}

#[test]
fn waitall_is_wait_after_wait() {
    // Two eager sends: 10 + 10, then the first wait ends at max(18, 20 + 10), the second 10 later.
    let sender = vec![isend(1, 1, 8, 0), isend(2, 1, 8, 1), wait(3, &[0, 1])];
    let streams = vec![sender, vec![receive(4, 0, 8), receive(5, 0, 8)]];
    assert_eq!(ends(&program(streams.clone(), &[]), &loggps()), [40, 144]);
    // The messages are in the network from 18 and 28, 24 ns each alone. Shared, the first leaves it at
    // 56, the second at 66; they arrive 50 later, before 132 when the second is received.
    assert_eq!(ends(&program(streams, &[]), &loggps_shared()), [40, 158]);
}

/// The messages of figure 2 (s = 2, S = 4): one packet, several packets, a handshake.
#[test]
fn figure_2() {
    let mut parameters = LOGGPS;
    (parameters[8].1, parameters[9].1) = (2.0, 4.0);
    let platform = with_parameters("loggps", 2, &parameters);
    let one = |bytes| {
        ends(
            &program(
                vec![vec![send(1, 1, bytes)], vec![receive(2, 0, bytes)]],
                &[],
            ),
            &platform,
        )
    };
    // k = 2: T1 = 12, T2 = 56, T3 = 14.
    assert_eq!(one(2), [12, 82]);
    // k = 4: T1 = 14, T2' = 2 Gs + 2 Gl + L = 58, T3 = 18.
    assert_eq!(one(4), [14, 90]);
    // k = 5: T4 + T5 = 140, T1' = 12.5, T2' = 59, T3' = 11.25.
    let long = program(vec![vec![send(1, 1, 5)], vec![receive(2, 0, 5)]], &[]);
    let ends = estimate(&long, &platform).per_rank;
    assert_eq!(
        [0, 1].map(|rank: usize| ends[rank].end.picoseconds()),
        [152_500, 222_750]
    );
}

/// Two senders, one receiver: 8 bytes each, in the network at once from 18 on.
#[test]
fn messages_divide_their_receiver() {
    let receiver = vec![receive(1, 1, 8), receive(1, 2, 8)];
    let streams = vec![receiver, vec![send(2, 0, 8)], vec![send(2, 0, 8)]];
    // 48 ns for the two, 50 for the way, 26 + 26 to receive them; alone it would be 24 ns.
    assert_eq!(
        ends(&program(streams.clone(), &[]), &loggps_shared()),
        [168, 18, 18]
    );
    assert_eq!(ends(&program(streams, &[]), &loggps()), [144, 18, 18]);
    // With the sender's overhead the largest, that is what is divided: 20 + 2 · 8 · 9 for both.
    let mut parameters = LOGGPS;
    parameters[2].1 = 9.0;
    let platform = with_parameters("loggps", 64, &parameters);
    let streams = vec![
        vec![receive(1, 1, 8), receive(1, 2, 8)],
        vec![send(2, 0, 8)],
        vec![send(2, 0, 8)],
    ];
    assert_eq!(
        ends(&program(streams, &[]), &platform),
        [154 + 74 + 52, 154, 154]
    );
}

#[test]
fn sendrecv_is_irecv_send_wait() {
    // MPI_Irecv 10, MPI_Send 18 → 28; the partner's message is there at 28 + 74, then 26.
    let rank = |partner| vec![send_receive(1, partner, partner, 8)];
    check(vec![rank(1), rank(0)], &[128, 128]);
    assert_eq!(
        split(vec![rank(1), rank(0)], 0),
        [(SendOverhead, 18), (ReceiveOverhead, 36), (ReceiveWait, 74)]
    );
}

#[test]
fn collective_waits_are_separate() {
    let found = split(vec![vec![work(1), barrier(1)], vec![barrier(1)]], 1);
    // No bytes: T1 = T3 = 10, T2 = 50; the other comes at 1010 and sends until 1020.
    assert_eq!(
        found,
        [
            (SendOverhead, 10),
            (ReceiveOverhead, 20),
            (CollectiveWait, 1050)
        ]
    );
}
