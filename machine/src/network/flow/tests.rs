//! What messages over shared links take, worked out by hand.

use super::*;
use crate::platform::NetworkShape;
use base_data::comm_data::{CurvePoint, Parameter};
use base_data::platform_file::Topology;

/// 1 ns/byte, 10 bytes of header, latency 100 ns.
fn fit(others: &[(&str, f64, &str)]) -> ModelFit {
    let own = [
        ("L", 100.0, "ns"),
        ("G", 1.0, "ns/byte"),
        ("h", 10.0, "bytes"),
    ];
    let parameter = |&(name, value, unit): &(&str, f64, &str)| Parameter {
        name: name.into(),
        value,
        unit: unit.into(),
    };
    ModelFit {
        model: NAME.into(),
        link: LinkClass::BetweenNodes,
        parameters: own.iter().chain(others).map(parameter).collect(),
        curve: Vec::new(),
        covariance: Vec::new(),
        residual: None,
        source: String::new(),
    }
}

fn network(fit: &ModelFit, topology: Topology, nodes: u32) -> Box<dyn NetworkModel> {
    let fits = LinkFits {
        to_self: None,
        inside_node: None,
        between_nodes: Some(fit),
        warnings: Vec::new(),
        shape: NetworkShape {
            topology,
            nodes,
            ranks_per_node: 1,
        },
    };
    build(&fits, nodes).unwrap()
}

/// Deliveries in ns of messages given as (from, to, bytes, at), which ascend in time.
fn deliveries(network: &mut dyn NetworkModel, messages: &[(u32, u32, u64, i64)]) -> Vec<i64> {
    let mut found = vec![0; messages.len()];
    let mut note = |delivery: Delivery| {
        found[delivery.transfer.0 as usize] = delivery.at.picoseconds() / 1000;
    };
    for &(from, to, bytes, at) in messages {
        let at = Time::from_nanoseconds(at);
        while let Some(delivery) = network.next_delivery(at) {
            note(delivery);
        }
        let message = Message {
            from: Pu(from),
            to: Pu(to),
            bytes,
            link: LinkClass::BetweenNodes,
            scale: 1.0,
        };
        network.inject(&message, at);
    }
    while let Some(delivery) = network.next_delivery(Time::MAX) {
        note(delivery);
    }
    found
}

#[test]
fn links_are_shared() {
    let fit = fit(&[]);
    let found = |messages: &[_]| deliveries(network(&fit, Topology::Star, 4).as_mut(), messages);
    // Alone; two to one receiver; two from one sender; both directions.
    assert_eq!(found(&[(0, 1, 990, 0)]), [1100]);
    assert_eq!(found(&[(0, 1, 990, 0), (2, 1, 990, 0)]), [2100, 2100]);
    assert_eq!(found(&[(0, 1, 990, 0), (0, 2, 990, 500)]), [1600, 2100]);
    assert_eq!(found(&[(0, 1, 990, 0), (1, 0, 990, 0)]), [1100, 1100]);
    // One connection: one after another.
    assert_eq!(found(&[(0, 1, 990, 0), (0, 1, 90, 0)]), [1100, 1200]);
}

#[test]
fn opposite_direction_takes_its_share() {
    let fit = fit(&[("duplex", 0.5, "ratio")]);
    let found = |messages: &[_]| deliveries(network(&fit, Topology::Star, 4).as_mut(), messages);
    assert_eq!(found(&[(0, 1, 990, 0), (1, 0, 990, 0)]), [2100, 2100]);
    assert_eq!(found(&[(0, 1, 990, 0), (1, 0, 490, 0)]), [1600, 1100]);
    // Other nodes' links are not in the way.
    assert_eq!(found(&[(0, 1, 990, 0), (2, 3, 990, 0)]), [1100, 1100]);
}

/// Queues of 400 bytes at the interface; packets of 10 bytes, and of 31.25 for messages of 1000.
const QUEUES: [(&str, f64, &str); 2] = [("Q", 400.0, "bytes"), ("s", 10.0, "bytes")];

#[test]
fn queued_bytes_go_first() {
    let fit = fit(&QUEUES);
    let found = |messages: &[_]| deliveries(network(&fit, Topology::Star, 4).as_mut(), messages);
    // 13 packets of 1000 bytes are queued ahead at the interface.
    assert_eq!(found(&[(0, 1, 990, 0), (0, 2, 0, 0)]), [1110, 516]);
    // 200 bytes are left to queue.
    assert_eq!(found(&[(0, 1, 990, 0), (0, 2, 0, 800)]), [1100, 1110]);
    // Another node's message waits for a packet at the receiver's port.
    assert_eq!(found(&[(0, 1, 990, 0), (2, 1, 0, 0)]), [1110, 141]);
    // It waits for what two nodes have queued there: 500 bytes more have come than left, and a packet of each is coming.
    let ahead = [(0, 1, 990, 0), (2, 1, 990, 0), (3, 1, 0, 500)];
    assert_eq!(found(&ahead), [2078, 2110, 1172]);
}

#[test]
fn queues_share_interfaces_and_ports_about_equally() {
    let fit = fit(&QUEUES);
    let found = |messages: &[_]| deliveries(network(&fit, Topology::Star, 4).as_mut(), messages);
    assert_eq!(found(&[(0, 1, 990, 0), (0, 2, 990, 0)]), [1912, 2100]);
    assert_eq!(found(&[(0, 2, 990, 0), (1, 2, 990, 0)]), [2068, 2100]);
    // One connection's messages follow each other.
    assert_eq!(found(&[(0, 1, 990, 0), (0, 1, 990, 0)]), [1100, 2100]);
}

#[test]
fn a_link_that_was_idle_passes_a_burst_at_once() {
    let [queue, packet] = QUEUES;
    let fit = fit(&[queue, packet, ("burst", 200.0, "bytes")]);
    let found = |messages: &[_]| deliveries(network(&fit, Topology::Star, 4).as_mut(), messages);
    assert_eq!(found(&[(0, 1, 990, 0)]), [900]);
    assert_eq!(found(&[(0, 1, 90, 0)]), [100]);
    // The next message finds no burst, half of it, or all of it.
    assert_eq!(found(&[(0, 1, 990, 0), (0, 1, 990, 800)]), [900, 1900]);
    assert_eq!(found(&[(0, 1, 990, 0), (0, 1, 990, 900)]), [900, 1900]);
    assert_eq!(found(&[(0, 1, 990, 0), (0, 1, 990, 1200)]), [900, 2100]);
    // Two senders: the receiver's port passes one burst.
    assert_eq!(
        found(&[(0, 2, 990, 0), (1, 2, 990, 0)]).into_iter().max(),
        Some(1900)
    );
}

#[test]
fn bursts_without_queues_are_refused() {
    let fit = fit(&[("burst", 200.0, "bytes")]);
    let refused = parameters(&fit, LinkClass::BetweenNodes)
        .unwrap_err()
        .to_string();
    assert!(
        refused.contains("expected 0 where there is no 'Q'"),
        "{refused}"
    );
}

#[test]
fn acknowledgements_take_room_on_the_way_back() {
    let fit = fit(&[
        ("Q", 400.0, "bytes"),
        ("s", 10.0, "bytes"),
        ("duplex", 0.8, "ratio"),
    ]);
    let found = |messages: &[_]| deliveries(network(&fit, Topology::Star, 4).as_mut(), messages);
    assert_eq!(found(&[(0, 1, 990, 0)]), [1100]);
    let both = found(&[(0, 1, 990, 0), (1, 0, 990, 0)]);
    // 1000 bytes and 250 of acknowledgements in each direction; the last packets have none to wait for.
    assert!(
        both.iter().all(|end| (1330..=1350).contains(end)),
        "{both:?}"
    );
}

#[test]
fn switches_beyond_the_first_store_packets() {
    let fit = fit(&[
        ("Q", 400.0, "bytes"),
        ("s", 10.0, "bytes"),
        ("L_hop", 7.0, "ns"),
    ]);
    let tree = Topology::FatTree {
        nodes_per_switch: 2,
        oversubscription: 2.0,
    };
    let found = |messages: &[_]| deliveries(network(&fit, tree.clone(), 4).as_mut(), messages);
    assert_eq!(found(&[(0, 1, 990, 0)]), [1100]);
    // Two further links.
    assert_eq!(found(&[(0, 2, 990, 0)]), [1134]);
    assert_eq!(found(&[(0, 2, 990, 0), (1, 3, 990, 0)]), [2102, 2134]);
}

#[test]
fn a_slow_connection_leaves_room_for_others() {
    // A connection fills half of the interface.
    let fit = fit(&[
        ("Q", 400.0, "bytes"),
        ("s", 10.0, "bytes"),
        ("G_node", 0.5, "ns/byte"),
    ]);
    let found = |messages: &[_]| deliveries(network(&fit, Topology::Star, 4).as_mut(), messages);
    let alone = found(&[(0, 1, 990, 0)]);
    let beside = found(&[(0, 1, 990, 0), (0, 2, 990, 0)]);
    // The last packet passes at the interface's gap.
    assert_eq!((alone, beside), (vec![1084], vec![1084, 1100]));
}

proptest::proptest! {
    /// What a node sends leaves its interface without a gap, and each port has passed all its bytes at its last delivery; messages of a
    /// connection arrive in their order.
    #[test]
    fn queues_keep_order_and_waste_nothing(
        sent in proptest::collection::vec((0u32..4, 1u32..4, 0u64..3000), 1..30),
    ) {
        let fit = fit(&QUEUES);
        let mut messages = Vec::new();
        for &(from, further, bytes) in &sent {
            messages.push((from, (from + further) % 4, bytes, 0));
        }
        let found = deliveries(network(&fit, Topology::Star, 4).as_mut(), &messages);
        for node in 0..4 {
            let (mut out, mut into, mut last_out, mut last_into) = (0, 0, 0, 0);
            for (&(from, to, bytes, _), &at) in messages.iter().zip(&found) {
                let on_wire = bytes as i64 + 10;
                if from == node {
                    (out, last_out) = (out + on_wire, last_out.max(at));
                }
                if to == node {
                    (into, last_into) = (into + on_wire, last_into.max(at));
                }
            }
            proptest::prop_assert!(out == 0 || last_out >= out + 99);
            proptest::prop_assert!(into == 0 || last_into >= into + 99);
        }
        for (place, &(from, to, _, _)) in messages.iter().enumerate() {
            for later in place + 1..messages.len() {
                if (messages[later].0, messages[later].1) == (from, to) {
                    proptest::prop_assert!(found[place] < found[later]);
                }
            }
        }
        // With one receiver, its port is never idle.
        let to_one: Vec<_> = messages.iter().filter(|one| one.0 != 0).map(|one| (one.0, 0, one.2, 0)).collect();
        let bytes: i64 = to_one.iter().map(|one| one.2 as i64 + 10).sum();
        let found = deliveries(network(&fit, Topology::Star, 4).as_mut(), &to_one);
        proptest::prop_assert!(found.iter().max().is_none_or(|&last| (last - bytes - 100).abs() <= 1));
    }
}

#[test]
fn uplinks_are_shared_and_hops_add_latency() {
    let fit = fit(&[("L_hop", 7.0, "ns")]);
    let tree = Topology::FatTree {
        nodes_per_switch: 2,
        oversubscription: 2.0,
    };
    let found = |messages: &[_]| deliveries(network(&fit, tree.clone(), 4).as_mut(), messages);
    assert_eq!(found(&[(0, 1, 990, 0), (2, 3, 990, 0)]), [1100, 1100]);
    assert_eq!(found(&[(0, 2, 990, 0), (1, 3, 990, 0)]), [2114, 2114]);
}

#[test]
fn latency_is_a_curve_where_there_is_one() {
    let mut fit = fit(&[
        ("o_send", 5.0, "ns"),
        ("O_send", 0.1, "ns/byte"),
        ("S", 50.0, "bytes"),
    ]);
    fit.curve = [(0, 100), (100, 300)]
        .map(|(bytes, ns)| CurvePoint {
            bytes,
            time: Time::from_nanoseconds(ns),
        })
        .into();
    let network = network(&fit, Topology::Star, 2);
    let costs = |bytes| {
        network.costs(&Message {
            from: Pu(0),
            to: Pu(1),
            bytes,
            link: LinkClass::BetweenNodes,
            scale: 1.0,
        })
    };
    assert_eq!(costs(50).network, Time::from_nanoseconds(200 + 60));
    assert_eq!(costs(50).send, Time::from_nanoseconds(10));
    assert_eq!(costs(50).protocol, Protocol::Eager);
    let request = Time::from_nanoseconds(110);
    let rendezvous = Protocol::Rendezvous {
        request,
        confirm: Time::ZERO,
        acknowledge: request,
    };
    assert_eq!(costs(51).protocol, rendezvous);
}

/// A short message behind a long one of the same connection waits for it, whose latency is longer; that of another connection
/// does not.
#[test]
fn connections_deliver_in_order() {
    for queue in [None, Some(("Q", 1000.0, "bytes"))] {
        let mut fit = fit(queue.as_slice());
        fit.curve = [(0, 100), (1000, 5000)]
            .map(|(bytes, ns)| CurvePoint {
                bytes,
                time: Time::from_nanoseconds(ns),
            })
            .into();
        let found =
            |messages: &[_]| deliveries(network(&fit, Topology::Star, 3).as_mut(), messages);
        assert_eq!(found(&[(0, 1, 1000, 0), (0, 1, 0, 2000)]), [6010, 6010]);
        assert_eq!(found(&[(0, 1, 1000, 0), (2, 1, 0, 2000)]), [6010, 2110]);
    }
}

#[test]
fn shares_out_of_range_are_refused() {
    let fit = fit(&[("duplex", 1.5, "ratio")]);
    let shape = NetworkShape::default();
    let fits = LinkFits {
        to_self: None,
        inside_node: None,
        between_nodes: Some(&fit),
        warnings: Vec::new(),
        shape,
    };
    let error = build(&fits, 2).err().unwrap().to_string();
    assert!(
        error.contains("duplex = 1.5 ratio; expected a share"),
        "{error}"
    );
}
