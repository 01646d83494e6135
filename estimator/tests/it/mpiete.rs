//! Equations 1–7 of Horii et al. 2004 as corrected: a receive takes 100 ns + 1 ns per byte from when both
//! sides are there.

use crate::builder::*;
use base_data::program_data::CollectiveKind::*;

fn check(streams: Vec<Vec<base_data::program_data::Op>>, expected: &[i64]) {
    assert_eq!(ends(&program(streams, &[]), &mpiete()), expected);
}

#[test]
fn a_receive_begins_when_both_are_there() {
    // Early receiver: it waits for the sender, then the transfer.
    check(
        vec![vec![work(1), send(1, 1, 8)], vec![receive(2, 0, 8)]],
        &[1000, 1108],
    );
    // Late receiver: the transfer begins with the receive.
    check(
        vec![
            vec![work(1), send(1, 1, 8)],
            vec![work(5), receive(2, 0, 8)],
        ],
        &[1000, 5108],
    );
}

#[test]
fn a_started_receive_runs_beside_work() {
    let sender = vec![work(1), isend(1, 1, 8, 0), wait(2, &[0])];
    // Begins at 1000, over at 1108.
    check(
        vec![
            sender.clone(),
            vec![ireceive(3, 0, 8, 0), work(5), wait(4, &[0])],
        ],
        &[1000, 5000],
    );
    check(
        vec![sender, vec![ireceive(3, 0, 8, 0), work(1), wait(4, &[0])]],
        &[1000, 1108],
    );
}

#[test]
fn long_eager_messages_do_not_wait() {
    check(
        vec![
            vec![send(1, 1, 1 << 20)],
            vec![work(9), receive(2, 0, 1 << 20)],
        ],
        &[0, 9000 + 100 + (1 << 20)],
    );
}

#[test]
fn a_ring_of_exchanges() {
    // Rank r works r µs; every rank ends when its left neighbour's message is through.
    let rank = |r: u32| vec![work(r), send_receive(1, (r + 1) % 4, (r + 3) % 4, 0)];
    check((0..4).map(rank).collect(), &[3100, 1100, 2100, 3100]);
}

#[test]
fn a_pipeline_in_a_loop() {
    // Rank 0 sends every µs; rank 1 gets the last after 3 µs.
    let first = repeat(3, vec![work(1), send(1, 1, 0)]);
    check(
        vec![first, repeat(3, vec![receive(2, 0, 0)])],
        &[3000, 3100],
    );
}

#[test]
fn waitall_ends_with_the_last() {
    let receiver = vec![ireceive(1, 1, 0, 0), ireceive(2, 2, 0, 1), wait(3, &[0, 1])];
    check(
        vec![
            receiver,
            vec![work(7), send(4, 0, 0)],
            vec![work(2), send(4, 0, 0)],
        ],
        &[7100, 7000, 2000],
    );
}

#[test]
fn a_barrier_takes_rounds() {
    // Four ranks, two rounds of 100 ns after the last has come.
    let rank = |r: u32| vec![work(r), barrier(1)];
    check((0..4).map(rank).collect(), &[3200; 4]);
    check(vec![vec![work(1), barrier(1)]], &[1000]);
}

#[test]
fn trees_and_doubling() {
    let on = |kind, root| {
        let rank = |_| vec![collective(1, kind, 0, root, 1)];
        program((0..4).map(rank).collect(), &[])
    };
    // 8 bytes take 108 ns. Broadcast from 0: 2 and 1 receive at once, as sends take no time; 3 from 2.
    assert_eq!(ends(&on(Broadcast, Some(0)), &mpiete()), [0, 108, 108, 216]);
    assert_eq!(ends(&on(Broadcast, Some(1)), &mpiete()), [216, 0, 108, 108]);
    // Reduce to 0: from 1, then from 2, which waits for 3.
    assert_eq!(ends(&on(Reduce, Some(0)), &mpiete()), [216, 0, 108, 0]);
    assert_eq!(ends(&on(Allreduce, None), &mpiete()), [216; 4]);
}

#[test]
fn links_depend_on_placement() {
    // Four ranks on each of two nodes.
    let mut streams = vec![Vec::new(); 8];
    streams[0] = vec![
        ireceive(1, 0, 0, 0),
        send(2, 0, 0),
        wait(3, &[0]),
        send(4, 3, 0),
        send(5, 4, 0),
    ];
    streams[3] = vec![receive(6, 0, 0)];
    streams[4] = vec![receive(6, 0, 0)];
    assert_eq!(
        ends(&program(streams, &[]), &mpiete_on_nodes()),
        [1, 0, 0, 11, 101, 0, 0, 0]
    );
}
