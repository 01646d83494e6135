//! LogGP as reference 15 of Ino et al. 2001 uses it for MPI ("LogGP-2", tables 8 and 9): two constant
//! overheads and two gaps by message length, and a sender that waits for a late receiver. As in the
//! paper, the wait follows from when the two calls are made.
//!
//! Parameters: `L`; `o` and `G` up to `s` bytes, `o_long` and `G_long` above; `S`, above which the
//! sender waits until the receive is called. A message of `k` bytes takes `o + L + k·G + o`, all its
//! bytes at one gap. The handshake has no time of its own: a measurement of `o_long` includes it.
//!
//! Table 8 says that `o` changes at `S`, the head of table 9 that both change at `s`. The numbers
//! agree with table 9: with them a message of `S` = 16383 bytes on Myrinet takes the 298 µs of §4.4.

use super::fit_reader::{FitReader, NANOSECONDS, PER_BYTE, nanoseconds};
use super::length_curve::{ByLength, LinkCosts};
use super::{CallCosts, ModelError, NetworkModel, PerLink, Protocol};
use crate::link_fits::LinkFits;
use base_data::Time;
use base_data::comm_data::{LinkClass, ModelFit};

/// Name of the model.
pub const NAME: &str = "loggp-2";

const NAMES: [&str; 7] = ["L", "o", "o_long", "G", "G_long", "s", "S"];

/// Parameters of one kind of link; times in nanoseconds, per byte where they are.
#[derive(Clone, Copy, Debug)]
struct Parameters {
    latency: f64,
    overhead: [f64; 2],
    gap_per_byte: [f64; 2],
    longest_short: u64,
    longest_eager: u64,
}

/// Makes the model.
///
/// # Errors
/// Parameters that are missing or make no sense.
pub fn build(fits: &LinkFits<'_>, _ranks: u32) -> Result<Box<dyn NetworkModel>, ModelError> {
    Ok(Box::new(ByLength::new(
        NAME,
        PerLink::of(fits, parameters)?,
    )))
}

fn parameters(fit: &ModelFit, link: LinkClass) -> Result<Parameters, ModelError> {
    let fit = FitReader::new(fit, link, NAME, &NAMES)?;
    let longest_short = fit.bytes("s")?;
    let long = longest_short.is_some();
    Ok(Parameters {
        latency: fit.required("L", NANOSECONDS)?,
        overhead: [
            fit.required("o", NANOSECONDS)?,
            fit.required_if(long, "o_long", NANOSECONDS)?,
        ],
        gap_per_byte: [
            fit.required("G", PER_BYTE)?,
            fit.required_if(long, "G_long", PER_BYTE)?,
        ],
        longest_short: longest_short.unwrap_or(u64::MAX),
        longest_eager: fit.bytes("S")?.unwrap_or(u64::MAX),
    })
}

/// The sender waits for the call of the receive, no longer.
const LATE_RECEIVER: Protocol = Protocol::Rendezvous {
    request: Time::ZERO,
    confirm: Time::ZERO,
    acknowledge: Time::ZERO,
};

impl LinkCosts for Parameters {
    fn costs(&self, bytes: u64) -> CallCosts {
        let long = usize::from(bytes > self.longest_short);
        let overhead = nanoseconds(self.overhead[long]);
        CallCosts {
            protocol: if bytes <= self.longest_eager {
                Protocol::Eager
            } else {
                LATE_RECEIVER
            },
            network: nanoseconds(self.latency + bytes as f64 * self.gap_per_byte[long]),
            send: overhead,
            receive: overhead,
            start: nanoseconds(self.overhead[0]),
            complete: Time::ZERO,
            ..CallCosts::FREE
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::{Message, Pu};
    use crate::platforms;

    /// One-way times on Myrinet against those of LogGPS (table 3): the two fits describe one machine.
    #[test]
    fn table_9_describes_the_machine_of_table_5() {
        let platform = platforms::load("myrinet-2001").unwrap();
        let model = build(&platform.fits(NAME, 2).unwrap(), 2).unwrap();
        for (bytes, microseconds) in [(8191, 219.3), (16383, 297.8), (65472, 732.2)] {
            let link = LinkClass::BetweenNodes;
            let costs = model.costs(&Message {
                from: Pu(0),
                to: Pu(1),
                bytes,
                link,
                scale: 1.0,
            });
            let total = (costs.send + costs.network + costs.receive).microseconds();
            assert!((total - microseconds).abs() < 0.1, "{bytes} bytes: {total}");
        }
    }
}
