//! LogGOPS as the simulator LogGOPSim defines it (Hoefler, Schneider, Lumsdaine: "LogGOPSim:
//! simulating large-scale applications in the LogGOPS model", 2010, and its source).
//!
//! Parameters: latency `L`, overheads `o` per message and `O` per byte of both ends' processors, gaps
//! `g` per message and `G` per byte of both ends' network interfaces, and `S`, the longest message
//! whose sender does not wait for the receive. A message of `k` bytes
//!
//! - starts when the sender's processor and sending interface are free; it keeps the processor for
//!   `o + (k−1)·O` and the interface for `g + (k−1)·G`;
//! - arrives, first byte first, `o + L` after its start, and waits until the receiver's processor and
//!   receiving interface are free, whether or not its receive has been called; then it keeps the
//!   processor for `o + max((k−1)·O, (k−1)·G)` and the interface for `g + (k−1)·G`;
//! - is received when the receive has been called and the processor is done with it.
//!
//! Calls have no other cost. Above `S` the *completion* of the send waits until the message meets its
//! receive: a rendezvous without a handshake (RTS/CTS), since the bytes have travelled before.
//!
//! Messages of no bytes count as one byte: the simulator's `k − 1` would run below zero.
//! LogGOPSim's parameters are whole nanoseconds; here they may be fractions.

use super::fit_reader::{FitReader, NANOSECONDS, PER_BYTE, nanoseconds};
use super::length_curve::{ByLength, LinkCosts};
use super::{CallCosts, ModelError, NetworkModel, PerLink, Protocol, Sharing};
use crate::link_fits::LinkFits;
use base_data::Time;
use base_data::comm_data::{LinkClass, ModelFit};

/// Name of the model.
pub const NAME: &str = "loggops";

const NAMES: [&str; 6] = ["L", "o", "O", "g", "G", "S"];

/// Parameters of one kind of link; times in nanoseconds, per byte where they are.
#[derive(Clone, Copy, Debug)]
struct Parameters {
    latency: f64,
    overhead: f64,
    overhead_per_byte: f64,
    gap: f64,
    gap_per_byte: f64,
    longest_eager: u64,
}

/// Makes the model.
///
/// # Errors
/// Parameters that are missing or make no sense.
pub fn build(fits: &LinkFits<'_>, _ranks: u32) -> Result<Box<dyn NetworkModel>, ModelError> {
    Ok(Box::new(ByLength::with_sharing(
        NAME,
        Sharing::Processors,
        PerLink::of(fits, parameters)?,
    )))
}

fn parameters(fit: &ModelFit, link: LinkClass) -> Result<Parameters, ModelError> {
    let fit = FitReader::new(fit, link, NAME, &NAMES)?;
    Ok(Parameters {
        latency: fit.required("L", NANOSECONDS)?,
        overhead: fit.required("o", NANOSECONDS)?,
        overhead_per_byte: fit.required("O", PER_BYTE)?,
        gap: fit.required("g", NANOSECONDS)?,
        gap_per_byte: fit.required("G", PER_BYTE)?,
        longest_eager: fit.bytes("S")?.unwrap_or(u64::MAX),
    })
}

/// The send ends when the message meets its receive, at once.
const LATE_RECEIVER: Protocol = Protocol::Rendezvous {
    request: Time::ZERO,
    confirm: Time::ZERO,
    acknowledge: Time::ZERO,
};

impl LinkCosts for Parameters {
    fn costs(&self, bytes: u64) -> CallCosts {
        // As in LogGP, the first byte is part of `o`, `g` and `L`.
        let further = bytes.saturating_sub(1) as f64;
        let (work, transfer) = (
            further * self.overhead_per_byte,
            further * self.gap_per_byte,
        );
        let interface = nanoseconds(self.gap + transfer);
        CallCosts {
            protocol: if bytes <= self.longest_eager {
                Protocol::Eager
            } else {
                LATE_RECEIVER
            },
            network: nanoseconds(self.overhead + self.latency),
            send_interface: interface,
            receive_interface: interface,
            send: nanoseconds(self.overhead + work),
            // The processor cannot handle bytes before the interface has them.
            receive: nanoseconds(self.overhead + work.max(transfer)),
            ..CallCosts::FREE
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base_data::comm_data::Parameter;

    fn fit() -> ModelFit {
        let values = [
            ("L", 700.0, "ns"),
            ("o", 50.0, "ns"),
            ("O", 0.5, "ns/byte"),
            ("g", 20.0, "ns"),
            ("G", 2.0, "ns/byte"),
            ("S", 1000.0, "bytes"),
        ];
        let parameter = |(name, value, unit): (&str, f64, &str)| Parameter {
            name: name.into(),
            value,
            unit: unit.into(),
        };
        ModelFit {
            model: NAME.into(),
            link: LinkClass::BetweenNodes,
            parameters: values.map(parameter).into(),
            curve: Vec::new(),
            covariance: Vec::new(),
            residual: None,
            source: String::new(),
        }
    }

    #[test]
    fn costs_of_a_message() {
        let parameters = parameters(&fit(), LinkClass::BetweenNodes).unwrap();
        let costs = parameters.costs(101);
        let expected = [100.0, 220.0, 750.0, 220.0, 250.0].map(nanoseconds);
        let found = [
            costs.send,
            costs.send_interface,
            costs.network,
            costs.receive_interface,
            costs.receive,
        ];
        assert_eq!(found, expected);
        assert_eq!(parameters.costs(0), parameters.costs(1));
        assert_eq!(parameters.costs(1000).protocol, Protocol::Eager);
        assert_eq!(parameters.costs(1001).protocol, LATE_RECEIVER);
    }

    #[test]
    fn lengths_are_whole_numbers() {
        for value in [16383.5, 1e30] {
            let mut odd = fit();
            odd.parameters
                .iter_mut()
                .filter(|one| one.name == "S")
                .for_each(|one| one.value = value);
            let error = parameters(&odd, LinkClass::BetweenNodes)
                .unwrap_err()
                .to_string();
            assert!(
                error.contains("expected a whole number of bytes"),
                "{error}"
            );
        }
    }

    #[test]
    fn every_parameter_but_the_limit_is_required() {
        for name in ["L", "o", "O", "g", "G"] {
            let mut lacking = fit();
            lacking
                .parameters
                .retain(|parameter| parameter.name != name);
            let error = parameters(&lacking, LinkClass::BetweenNodes)
                .unwrap_err()
                .to_string();
            assert!(
                error.contains(&format!("parameter {name} is missing")),
                "{error}"
            );
        }
    }
}
