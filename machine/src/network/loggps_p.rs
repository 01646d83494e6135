//! LogGPS with an overhead that grows with the number of ranks (Mizutani, Ino and Hagihara, MSE,
//! 2004; §3.2, table 2): `o = o'a + o'b·P + O·k`, because a receiver looks through the connections of
//! all ranks.
//!
//! Parameters are those of [`super::loggps`], `o'` being `o'a`, and `o_per_rank` = `o'b`. The paper
//! leaves contention out (§3.1), so no message delays another.
//!
//! Its §5.2 finds that measured sends do not grow with the number of ranks: only a receiver looks for what has come. With
//! `o_per_rank_receive`, `o_per_rank` is the share of senders alone. `MPI_Isend`, `MPI_Irecv` and `MPI_Wait` take `o'`
//! with the larger of both, since they have one overhead for both directions.

use super::fit_reader::FitReader;
use super::length_curve::{ByLength, LinkCosts};
use super::loggps::{self, Parameters};
use super::{CallCosts, ModelError, NetworkModel, PerLink, Protocol};
use crate::link_fits::LinkFits;
use base_data::comm_data::{LinkClass, ModelFit};

/// Name of the model.
pub const NAME: &str = "loggps-p";

/// Makes the model for a run of `ranks` ranks.
///
/// # Errors
/// Parameters that are missing or make no sense.
pub fn build(fits: &LinkFits<'_>, ranks: u32) -> Result<Box<dyn NetworkModel>, ModelError> {
    let links = PerLink::of(fits, |fit, link| parameters(fit, link, ranks))?;
    Ok(Box::new(ByLength::new(NAME, links)))
}

/// The unit of the shares of ranks.
const PER_RANK: &str = "ns/rank";

/// Parameters of one kind of link for a number of ranks, their shares of `o'` in them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ByRanks {
    /// Of senders.
    send: Parameters,
    /// Of receivers.
    receive: Parameters,
}

/// The parameters for so many ranks.
///
/// # Errors
/// A parameter that is missing, negative, in another unit, or unknown.
fn parameters(fit: &ModelFit, link: LinkClass, ranks: u32) -> Result<ByRanks, ModelError> {
    let names = [&["o_per_rank", "o_per_rank_receive"][..], &loggps::NAMES].concat();
    let fit = FitReader::new(fit, link, NAME, &names)?;
    let alone = Parameters::read(&fit)?;
    let of_send = fit.required("o_per_rank", PER_RANK)?;
    let of_receive = fit.optional("o_per_rank_receive", PER_RANK)?;
    let with_share = |share: f64| Parameters {
        overhead: alone.overhead + share * f64::from(ranks),
        ..alone
    };
    Ok(ByRanks {
        send: with_share(of_send),
        receive: with_share(of_receive.unwrap_or(of_send)),
    })
}

impl LinkCosts for ByRanks {
    fn costs(&self, bytes: u64) -> CallCosts {
        let (send, receive) = (self.send.costs(bytes), self.receive.costs(bytes));
        let protocol = match (send.protocol, receive.protocol) {
            (
                Protocol::Rendezvous { request, .. },
                Protocol::Rendezvous {
                    confirm,
                    acknowledge,
                    ..
                },
            ) => Protocol::Rendezvous {
                request,
                confirm,
                // T5: the receiver's overhead, the latency, the sender's overhead.
                acknowledge: acknowledge - receive.start + send.start,
            },
            (protocol, _) => protocol,
        };
        CallCosts {
            protocol,
            receive: receive.receive,
            start: send.start.max(receive.start),
            complete: send.complete.max(receive.complete),
            ..send
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::Protocol;
    use crate::network::fit_reader::nanoseconds;
    use crate::platforms;
    use base_data::comm_data::Parameter;

    fn fit(more: &[(&str, f64, &str)]) -> ModelFit {
        let platform = platforms::load("fast-ethernet").unwrap();
        let fit = platform.fits(NAME, 2).unwrap().between_nodes.unwrap();
        let mut fit = fit.clone();
        for &(name, value, unit) in more {
            fit.parameters.retain(|parameter| parameter.name != name);
            fit.parameters.push(Parameter {
                name: name.into(),
                value,
                unit: unit.into(),
            });
        }
        fit
    }

    fn costs_of(fit: &ModelFit, ranks: u32, bytes: u64) -> CallCosts {
        parameters(fit, LinkClass::BetweenNodes, ranks)
            .unwrap()
            .costs(bytes)
    }

    fn costs(ranks: u32, bytes: u64) -> CallCosts {
        costs_of(&fit(&[]), ranks, bytes)
    }

    #[test]
    fn shares_of_senders_and_receivers_may_differ() {
        let long = [
            ("S", 1000.0, "bytes"),
            ("Osl", 0.0, "ns/byte"),
            ("Orl", 0.0, "ns/byte"),
            ("Gl", 0.0, "ns/byte"),
        ];
        let shares = [
            ("o_per_rank", 0.0, "ns/rank"),
            ("o_per_rank_receive", 182.0, "ns/rank"),
        ];
        let (both, apart) = (fit(&long), fit(&[&long[..], &shares].concat()));
        let (none, all) = (nanoseconds(12100.0), nanoseconds(12100.0 + 64.0 * 182.0));
        let (eager, equal) = (costs_of(&apart, 64, 0), costs_of(&both, 64, 0));
        assert_eq!((eager.send, eager.receive), (none, all));
        assert_eq!((eager.start, eager.complete), (all, all));
        assert_eq!((equal.send, equal.receive), (all, all));
        let latency = nanoseconds(50_000.0);
        let expected = Protocol::Rendezvous {
            request: none + latency,
            confirm: all,
            acknowledge: all + latency + none,
        };
        assert_eq!(costs_of(&apart, 64, 2000).protocol, expected);
        let expected = Protocol::Rendezvous {
            request: all + latency,
            confirm: all,
            acknowledge: all + latency + all,
        };
        assert_eq!(costs_of(&both, 64, 2000).protocol, expected);
    }

    /// MSE, §5.1: for k = 1 the overhead doubles from 2 to 71 ranks.
    #[test]
    fn overhead_grows_with_ranks() {
        let (few, many) = (costs(2, 1), costs(71, 1));
        assert_eq!(few.send, nanoseconds(12100.0 + 2.0 * 182.0 + 70.8));
        let ratio = many.send.seconds() / few.send.seconds();
        assert!((ratio - 2.0).abs() < 0.01, "{ratio}");
        assert_eq!(costs(8, 1 << 40).protocol, Protocol::Eager);
    }

    #[test]
    fn the_share_of_the_ranks_is_required() {
        let platform = platforms::load("fast-ethernet").unwrap();
        let mut fit = platform
            .fits(NAME, 2)
            .unwrap()
            .between_nodes
            .unwrap()
            .clone();
        fit.parameters
            .retain(|parameter| parameter.name != "o_per_rank");
        let error = parameters(&fit, LinkClass::BetweenNodes, 2)
            .unwrap_err()
            .to_string();
        assert!(error.contains("parameter o_per_rank is missing"), "{error}");
    }
}
