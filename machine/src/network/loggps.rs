//! LogGPS (Ino, Fujimoto and Hagihara, 2001): processor overheads and network time linear in the
//! message length, a rendezvous handshake (RTS/CTS) above a length `S`, and receivers whose bandwidth messages divide.
//!
//! Parameters: latency `L`, overhead `o'` of a message without bytes, overheads per byte of sender
//! and receiver up to `S` (`Oss`, `Ors`) and above it (`Osl`, `Orl`), gaps per byte of the network
//! up to `s` (`Gs`) and above it (`Gl`), the longest message of one packet `s`, and the longest
//! message sent without a handshake `S`. Without `s` all messages count as one packet; without `S`
//! there is no handshake.
//!
//! Table 3, for `k` bytes:
//!
//! | time | value |
//! | --- | --- |
//! | `T1`, `T1'` | `o' + k·Oss`, `o' + k·Osl` |
//! | `T2` (k ≤ s), `T2'` (k > s) | `k·Gs + L`, `s·Gs + (k − s)·Gl + L` |
//! | `T3`, `T3'` | `o' + k·Ors`, `o' + k·Orl` |
//! | `T4`, `T5` | `max(o' + L, tr − ts) + o'`, `o' + L + o'` |
//!
//! Table 4, with the send called at `ts` and the receive at `tr`: `MPI_Send` takes `T1` (eq. 4) or
//! `T4 + T5 + T1'` (eq. 5); `MPI_Recv` takes `max(T1 + T2 − (tr − ts), 0) + T3` (eqs. 7, 8) or
//! `max(o' + L − (tr − ts), 0) + o' + T5 + T1' + T2' + T3'` (eq. 9); `MPI_Isend` and `MPI_Irecv`
//! take `o'` (eqs. 6, 10); `MPI_Wait` takes `max(Tblk − (tw − ti), o')` (eq. 11, printed with
//! `ti − tw`: the work done since the start at `ti` is `tw − ti`).
//!
//! Other slips of the print: the last calibration equation gives `o' + S·Oss` as 8.893013 × 10⁶ ns;
//! from table 5 it is 8.89 × 10⁴ ns. Figure 5's `D(W)` has `S·Gs`; equations 12–14 give `s·Gs`.
//!
//! Sharing (§3, §3.2): while `p` messages go to one receiver, each has `1/p` of its bandwidth. Which
//! parameter holds the bandwidth? The *largest* of `Oss`, `Ors`, `Gs` (k ≤ s) or of `Osl`, `Orl`, `Gl`
//! (k > s), not always the gap: with Cenju-4, and with Myrinet for long messages, it is the sender's
//! overhead. That stage's time per byte is what is divided; `o'` and `L` are not. As messages come
//! and go, `p` changes with them (§4.3: the effective bandwidth varies as the replay proceeds), so a
//! stage advances at `1/p` of its speed while `p` messages are in it.

use super::deliveries::Deliveries;
use super::fit_reader::{FitReader, NANOSECONDS, PER_BYTE, nanoseconds};
use super::receivers::{Receivers, Work};
use super::{
    CallCosts, Delivery, Message, ModelError, NetworkModel, PerLink, Protocol, Sharing, Stage,
    TransferId,
};
use crate::link_fits::LinkFits;
use base_data::Time;
use base_data::comm_data::{LinkClass, ModelFit};

/// Name of the model.
pub const NAME: &str = "loggps";

/// Parameters of one kind of link; times in nanoseconds, per byte where they are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// `L`.
    pub latency: f64,
    /// `o'`.
    pub overhead: f64,
    /// `Oss`.
    pub send_per_byte_eager: f64,
    /// `Ors`.
    pub receive_per_byte_eager: f64,
    /// `Osl`.
    pub send_per_byte_rendezvous: f64,
    /// `Orl`.
    pub receive_per_byte_rendezvous: f64,
    /// `Gs`.
    pub gap_per_byte_short: f64,
    /// `Gl`.
    pub gap_per_byte_long: f64,
    /// `s` in bytes.
    pub longest_packet: u64,
    /// `S` in bytes.
    pub longest_eager: u64,
}

/// All names, as in the paper.
pub(super) const NAMES: [&str; 10] = ["L", "o'", "Oss", "Ors", "Osl", "Orl", "Gs", "Gl", "s", "S"];

impl Parameters {
    /// Reads the parameters of a fit.
    ///
    /// # Errors
    /// A parameter that is missing, negative, in another unit, or unknown.
    pub fn of(fit: &ModelFit, link: LinkClass, model: &'static str) -> Result<Self, ModelError> {
        Self::read(&FitReader::new(fit, link, model, &NAMES)?)
    }

    /// The parameters that a reader finds.
    pub(super) fn read(fit: &FitReader<'_>) -> Result<Self, ModelError> {
        let longest_packet = fit.bytes("s")?;
        let longest_eager = fit.bytes("S")?;
        let (long, rendezvous) = (
            longest_packet.or(longest_eager).is_some(),
            longest_eager.is_some(),
        );
        Ok(Self {
            latency: fit.required("L", NANOSECONDS)?,
            overhead: fit.required("o'", NANOSECONDS)?,
            send_per_byte_eager: fit.required("Oss", PER_BYTE)?,
            receive_per_byte_eager: fit.required("Ors", PER_BYTE)?,
            send_per_byte_rendezvous: fit.required_if(rendezvous, "Osl", PER_BYTE)?,
            receive_per_byte_rendezvous: fit.required_if(rendezvous, "Orl", PER_BYTE)?,
            gap_per_byte_short: fit.required("Gs", PER_BYTE)?,
            gap_per_byte_long: fit.required_if(long, "Gl", PER_BYTE)?,
            longest_packet: longest_packet.unwrap_or(u64::MAX),
            longest_eager: longest_eager.unwrap_or(u64::MAX),
        })
    }

    /// `T2` or `T2'`: from the first byte's departure to the last byte's arrival.
    pub fn network_time(&self, bytes: u64) -> Time {
        // T2': the first packet of a long message keeps the short gap.
        let short = bytes.min(self.longest_packet) as f64;
        let long = bytes.saturating_sub(self.longest_packet) as f64;
        nanoseconds(short * self.gap_per_byte_short + long * self.gap_per_byte_long + self.latency)
    }

    /// Everything else of tables 3 and 4.
    pub fn costs(&self, bytes: u64) -> CallCosts {
        let (overhead, latency) = (nanoseconds(self.overhead), nanoseconds(self.latency));
        let eager = bytes <= self.longest_eager;
        let (send, receive) = if eager {
            (self.send_per_byte_eager, self.receive_per_byte_eager)
        } else {
            (
                self.send_per_byte_rendezvous,
                self.receive_per_byte_rendezvous,
            )
        };
        // With the receive called in time, T4 is `o' + L` (the request) `+ o'` (the receiver confirms it). A
        // late receive delays only the second part, so the replay needs the two apart.
        let protocol = if eager {
            Protocol::Eager
        } else {
            Protocol::Rendezvous {
                request: overhead + latency,
                confirm: overhead,
                acknowledge: overhead + latency + overhead,
            }
        };
        CallCosts {
            protocol,
            network: self.network_time(bytes),
            send: nanoseconds(self.overhead + bytes as f64 * send),
            receive: nanoseconds(self.overhead + bytes as f64 * receive),
            // Equations 6 and 10.
            start: overhead,
            // The least time of MPI_Wait in equation 11.
            complete: overhead,
            ..CallCosts::FREE
        }
    }

    /// The stage whose parameter holds the receiver's bandwidth: the largest of the three. Of equal
    /// ones the network's, then the sender's.
    pub fn shared_stage(&self, bytes: u64) -> Stage {
        // The set of three changes at `s`, although `Osl` and `Orl` apply from `S` on.
        let (send, network, receive) = if bytes <= self.longest_packet {
            (
                self.send_per_byte_eager,
                self.gap_per_byte_short,
                self.receive_per_byte_eager,
            )
        } else {
            (
                self.send_per_byte_rendezvous,
                self.gap_per_byte_long,
                self.receive_per_byte_rendezvous,
            )
        };
        // A defined order of equal ones keeps the replay the same on every machine.
        if network >= send && network >= receive {
            Stage::Network
        } else if send >= receive {
            Stage::Send
        } else {
            Stage::Receive
        }
    }

    /// What of a stage is divided, and what is not.
    fn work(&self, stage: Stage, message: &Message) -> Work {
        let costs = self.costs(message.bytes);
        // A draw scales the network only; overheads of processors are not part of its calibration.
        let (whole, fixed, scale) = match stage {
            Stage::Send => (costs.send, self.overhead, 1.0),
            Stage::Network => (costs.network, self.latency, message.scale),
            Stage::Receive => (costs.receive, self.overhead, 1.0),
        };
        let fixed = nanoseconds(fixed);
        Work {
            divided: (whole - fixed).scaled(scale),
            fixed: fixed.scaled(scale),
        }
    }
}

/// The network by LogGPS parameters, one set per kind of link.
#[derive(Debug)]
struct LogGps {
    parameters: PerLink<Parameters>,
    receivers: Receivers,
    deliveries: Deliveries,
}

/// Makes the model.
///
/// # Errors
/// Parameters that are missing or make no sense.
pub fn build(fits: &LinkFits<'_>, _ranks: u32) -> Result<Box<dyn NetworkModel>, ModelError> {
    let parameters = PerLink::of(fits, |fit, link| Parameters::of(fit, link, NAME))?;
    Ok(Box::new(LogGps {
        parameters,
        receivers: Receivers::default(),
        deliveries: Deliveries::default(),
    }))
}

impl NetworkModel for LogGps {
    fn name(&self) -> &'static str {
        NAME
    }

    fn sharing(&self) -> Sharing {
        Sharing::Receivers
    }

    fn costs(&self, message: &Message) -> CallCosts {
        let Some(link) = self.parameters.get(message.link) else {
            return CallCosts::FREE;
        };
        CallCosts {
            shared: Some(link.shared_stage(message.bytes)),
            ..link.costs(message.bytes)
        }
    }

    fn inject(&mut self, message: &Message, at: Time) -> TransferId {
        // The messages that leave until `at` must leave before this one enters, since it slows down those
        // that remain.
        while let Some((transfer, end)) = self.receivers.next_end(at) {
            self.deliveries.deliver(transfer, end);
        }
        let transfer = self.deliveries.number();
        match self.parameters.get(message.link) {
            Some(link) => {
                let work = link.work(link.shared_stage(message.bytes), message);
                self.receivers.enter(message, work, transfer, at);
            }
            None => self.deliveries.deliver(transfer, at),
        }
        transfer
    }

    fn next_delivery(&mut self, until: Time) -> Option<Delivery> {
        // One at a time: what is delivered may let another message enter before the next one leaves.
        loop {
            let limit = self
                .deliveries
                .earliest()
                .map_or(until, |earliest| earliest.min(until));
            match self.receivers.next_end(limit) {
                Some((transfer, at)) => self.deliveries.deliver(transfer, at),
                None => return self.deliveries.next(until),
            }
        }
    }
}

#[cfg(test)]
mod tests;
