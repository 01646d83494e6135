//! LogGP as references 12 and 13 of Ino et al. 2001 use it for MPI ("LogGP-1", table 8): overhead and gap are
//! constants per message length, the sender's and the receiver's overhead apart, and the cost of the
//! handshake of a long message is part of the sender's overhead. No rank waits for a late receiver:
//! that is what the paper shows this model to miss.
//!
//! The paper's `o(k)` and `G(k)` are only in its figure 7, which is lost. They are taken instead from
//! simulated round trips under the LogGPS parameters of the platform, in which both sides call at
//! once: `o_s(k)` is the time of `MPI_Send` there, `T1` up to `S` and `T4 + T5 + T1'` above it, `T4`
//! being the shortest, `2·o' + L`; `o_r(k)` is the time of `MPI_Recv` once the message has come, `T3`
//! or `T3'`; and `L + k·G(k)` is what remains of the one-way time, `T2` or `T2'` (Ino et al., table 3).

use super::length_curve::{ByLength, LinkCosts};
use super::loggps::Parameters;
use super::{CallCosts, ModelError, NetworkModel, PerLink, Protocol};
use crate::link_fits::LinkFits;
use base_data::Time;

/// Name of the model.
pub const NAME: &str = "loggp-1";

/// LogGPS parameters, as a round trip without delays shows them.
#[derive(Debug)]
struct RoundTrip(Parameters);

/// Makes the model of LogGPS parameters.
///
/// # Errors
/// Parameters that are missing or make no sense.
pub fn build(fits: &LinkFits<'_>, _ranks: u32) -> Result<Box<dyn NetworkModel>, ModelError> {
    let links = PerLink::of(fits, |fit, link| {
        Parameters::of(fit, link, NAME).map(RoundTrip)
    })?;
    Ok(Box::new(ByLength::new(NAME, links)))
}

/// What the handshake takes when the receiver is there in time: `T4 + T5` with the shortest `T4`.
fn shortest_handshake(protocol: Protocol) -> Time {
    match protocol {
        Protocol::Eager | Protocol::Paired => Time::ZERO,
        Protocol::Rendezvous {
            request,
            confirm,
            acknowledge,
        } => request + confirm + acknowledge,
    }
}

impl LinkCosts for RoundTrip {
    fn costs(&self, bytes: u64) -> CallCosts {
        let loggps = self.0.costs(bytes);
        let send = shortest_handshake(loggps.protocol) + loggps.send;
        CallCosts {
            protocol: Protocol::Eager,
            send,
            ..loggps
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::fit_reader::nanoseconds;
    use crate::network::{Message, Pu, loggps};
    use crate::platforms;
    use base_data::comm_data::LinkClass;

    #[test]
    fn the_handshake_is_overhead() {
        let platform = platforms::load("myrinet-2001").unwrap();
        let model = build(&platform.fits(loggps::NAME, 2).unwrap(), 2).unwrap();
        let costs = |bytes| {
            let link = LinkClass::BetweenNodes;
            model.costs(&Message {
                from: Pu(0),
                to: Pu(1),
                bytes,
                link,
                scale: 1.0,
            })
        };
        assert_eq!(costs(16383).send, nanoseconds(6730.0 + 16383.0 * 5.02));
        let long = costs(16384);
        assert_eq!(long.protocol, Protocol::Eager);
        assert_eq!(
            long.send,
            nanoseconds(5.0 * 6730.0 + 2.0 * 850.0 + 16384.0 * 4.80)
        );
        assert_eq!(long.receive, nanoseconds(6730.0 + 16384.0 * 3.86));
    }
}
