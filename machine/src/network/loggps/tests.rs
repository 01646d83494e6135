//! Tables 3 and 4 of Ino et al. 2001 by the machines of its table 5.

use super::*;
use crate::platforms;

fn parameters(platform: &str) -> Parameters {
    let platform = platforms::load(platform).unwrap();
    let fits = platform.fits(NAME, 2).unwrap();
    Parameters::of(fits.between_nodes.unwrap(), LinkClass::BetweenNodes, NAME).unwrap()
}

fn ns(value: f64) -> Time {
    nanoseconds(value)
}

/// The equations of §4.2 that the Myrinet parameters of table 5 were computed from, to the three
/// digits of the table.
#[test]
fn table_5_solves_the_calibration_equations() {
    let p = parameters("myrinet-2001");
    let eager_limit = p.longest_eager as f64;
    let equations = [
        (4.0 * p.overhead + 2.0 * p.latency, 2.862e4),
        (p.send_per_byte_eager + p.receive_per_byte_eager, 9.733257),
        (
            2.0 * (p.send_per_byte_eager + p.receive_per_byte_eager + p.gap_per_byte_short),
            4.979819e1,
        ),
        (
            2.0 * (p.send_per_byte_eager + p.receive_per_byte_eager + p.gap_per_byte_long),
            1.955259e1,
        ),
        (
            2.0 * p.send_per_byte_rendezvous + p.receive_per_byte_rendezvous + p.gap_per_byte_long,
            1.350428e1,
        ),
        // Printed as 8.893013 × 10⁶: a slip.
        (p.overhead + eager_limit * p.send_per_byte_eager, 8.893013e4),
    ];
    for (found, printed) in equations {
        assert!(
            (found / printed - 1.0).abs() < 1e-3,
            "{found} against {printed}"
        );
    }
}

#[test]
fn eager_costs_are_table_3() {
    let p = parameters("fast-ethernet-2001");
    let short = p.costs(1000);
    assert_eq!(
        (short.protocol, short.send),
        (Protocol::Eager, ns(22340.0 + 1000.0 * 12.37))
    );
    assert_eq!(short.receive, ns(22340.0 + 1000.0 * 11.53));
    assert_eq!((short.start, short.complete), (ns(22340.0), ns(22340.0)));
    assert_eq!(p.network_time(1000), ns(24580.0 + 1000.0 * 188.77));
    assert_eq!(
        p.network_time(1123),
        ns(24580.0 + 1023.0 * 188.77 + 100.0 * 65.09)
    );
}

#[test]
fn handshake_begins_above_the_limit() {
    let p = parameters("myrinet-2001");
    assert_eq!(p.costs(16383).protocol, Protocol::Eager);
    let long = p.costs(16384);
    let expected = Protocol::Rendezvous {
        request: ns(6730.0 + 850.0),
        confirm: ns(6730.0),
        acknowledge: ns(2.0 * 6730.0 + 850.0),
    };
    assert_eq!(
        (long.protocol, long.send),
        (expected, ns(6730.0 + 16384.0 * 4.80))
    );
}

#[test]
fn wrong_parameters_are_named() {
    let platform = platforms::load("fast-ethernet-2001").unwrap();
    let good = platform.fit(NAME, LinkClass::BetweenNodes).unwrap();
    let check = |change: &dyn Fn(&mut ModelFit), expected: &str| {
        let mut fit = good.clone();
        change(&mut fit);
        let error = Parameters::of(&fit, LinkClass::BetweenNodes, NAME)
            .unwrap_err()
            .to_string();
        assert!(error.contains(expected), "{error}");
    };
    check(
        &|fit| fit.parameters.retain(|p| p.name != "Gs"),
        "parameter Gs is missing; add it in ns/byte",
    );
    check(
        &|fit| fit.parameters[0].value = -1.0,
        "= -1 ns; expected a number of at least 0 in ns",
    );
    check(
        &|fit| fit.parameters[0].unit = "us".into(),
        "expected a number of at least 0 in ns",
    );
    check(
        &|fit| fit.parameters[0].name = "latency".into(),
        "parameter latency",
    );
}
