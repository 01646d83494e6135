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

#[test]
fn queued_bytes_of_the_node_go_first() {
    let fit = fit(&[("Q", 400.0, "bytes")]);
    let found = |messages: &[_]| deliveries(network(&fit, Topology::Star, 4).as_mut(), messages);
    // 400 of 1000 bytes are queued ahead; then 10 and 590 share.
    assert_eq!(found(&[(0, 1, 990, 0), (0, 2, 0, 0)]), [1110, 520]);
    // 200 bytes are left to queue.
    assert_eq!(found(&[(0, 1, 990, 0), (0, 2, 0, 800)]), [1100, 1110]);
    assert_eq!(found(&[(0, 1, 990, 0), (2, 1, 0, 0)]), [1110, 120]);
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
