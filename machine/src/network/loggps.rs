//! LogGPS (seed 002: Ino, Fujimoto, Hagihara): processor overheads and network time linear in the
//! message length, a handshake above a length `S`. With an overhead that also grows with the number
//! of ranks it is the model of seed 004 (MSE), under the name `loggps-p`.
//!
//! Parameters: latency `L`, overhead `o'` of a message without bytes, overheads per byte of sender
//! and receiver up to `S` (`Oss`, `Ors`) and above it (`Osl`, `Orl`), gaps per byte of the network
//! up to `s` (`Gs`) and above it (`Gl`), the longest message of one packet `s`, and the longest
//! message sent without a handshake `S`. Without `s` all messages count as one packet; without `S`
//! there is no handshake. `o_per_rank` adds to `o'` once per rank of the run (seed 004, §3.2:
//! `o = o'a + o'b·P + O·k`).
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
//! Not modelled in this version: that messages which reach one receiver at the same time divide its
//! bandwidth (§3, §3.2). Therefore no global order is needed, and none is claimed.

use super::deliveries::Deliveries;
use super::{CallCosts, Delivery, Message, ModelError, NetworkModel, PerLink, Protocol, TransferId};
use crate::platform::LinkFits;
use base_data::Time;
use base_data::comm_data::{LinkClass, ModelFit};

/// Name of the model of seed 002.
pub const NAME: &str = "loggps";
/// Name of the model of seed 004.
pub const NAME_WITH_RANKS: &str = "loggps-p";

/// Parameters of one kind of link; times in nanoseconds, per byte where they are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// `L`.
    pub latency: f64,
    /// `o'`, with the share of the ranks already in it.
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

impl Parameters {
    /// Reads the parameters of a fit for a run of `ranks` ranks.
    ///
    /// # Errors
    /// A parameter that is missing, negative, in another unit, or unknown.
    pub fn of(fit: &ModelFit, link: LinkClass, model: &'static str, ranks: u32) -> Result<Self, ModelError> {
        let read = Reader { fit, link, model };
        read.refuse_unknown()?;
        let longest_packet = read.bytes("s")?;
        let longest_eager = read.bytes("S")?;
        let (long, rendezvous) = (longest_packet.or(longest_eager).is_some(), longest_eager.is_some());
        let only_if = |needed: bool, name| {
            if needed {
                read.required(name, "ns/byte")
            } else {
                Ok(read.optional(name, "ns/byte")?.unwrap_or(0.0))
            }
        };
        let per_rank = match model {
            NAME_WITH_RANKS => read.required("o_per_rank", "ns/rank")?,
            _ => 0.0,
        };
        Ok(Self {
            latency: read.required("L", "ns")?,
            overhead: read.required("o'", "ns")? + per_rank * f64::from(ranks),
            send_per_byte_eager: read.required("Oss", "ns/byte")?,
            receive_per_byte_eager: read.required("Ors", "ns/byte")?,
            send_per_byte_rendezvous: only_if(rendezvous, "Osl")?,
            receive_per_byte_rendezvous: only_if(rendezvous, "Orl")?,
            gap_per_byte_short: read.required("Gs", "ns/byte")?,
            gap_per_byte_long: only_if(long, "Gl")?,
            longest_packet: longest_packet.unwrap_or(u64::MAX),
            longest_eager: longest_eager.unwrap_or(u64::MAX),
        })
    }

    /// `T2` or `T2'`: from the first byte's departure to the last byte's arrival.
    pub fn network_time(&self, bytes: u64) -> Time {
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
            (self.send_per_byte_rendezvous, self.receive_per_byte_rendezvous)
        };
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
            send: nanoseconds(self.overhead + bytes as f64 * send),
            receive: nanoseconds(self.overhead + bytes as f64 * receive),
            start: overhead,
            complete: overhead,
        }
    }
}

fn nanoseconds(value: f64) -> Time {
    Time::from_picoseconds((value * 1e3).round() as i64)
}

/// Reads parameters of one fit and words what is wrong with them.
struct Reader<'a> {
    fit: &'a ModelFit,
    link: LinkClass,
    model: &'static str,
}

/// All names, as in the paper.
const NAMES: [&str; 11] = ["L", "o'", "o_per_rank", "Oss", "Ors", "Osl", "Orl", "Gs", "Gl", "s", "S"];

impl Reader<'_> {
    fn optional(&self, name: &'static str, unit: &'static str) -> Result<Option<f64>, ModelError> {
        let Some(found) = self.fit.parameters.iter().find(|parameter| parameter.name == name) else {
            return Ok(None);
        };
        if found.unit == unit && found.value.is_finite() && found.value >= 0.0 {
            return Ok(Some(found.value));
        }
        Err(self.wrong(found, format!("a number of at least 0 in {unit}")))
    }

    fn required(&self, name: &'static str, unit: &'static str) -> Result<f64, ModelError> {
        let missing = ModelError::Missing { model: self.model, link: self.link, parameter: name, unit };
        self.optional(name, unit)?.ok_or(missing)
    }

    fn bytes(&self, name: &'static str) -> Result<Option<u64>, ModelError> {
        Ok(self.optional(name, "bytes")?.map(|value| value as u64))
    }

    fn refuse_unknown(&self) -> Result<(), ModelError> {
        match self.fit.parameters.iter().find(|parameter| !NAMES.contains(&parameter.name.as_str())) {
            None => Ok(()),
            Some(unknown) => Err(self.wrong(unknown, format!("one of {}", NAMES.join(", ")))),
        }
    }

    fn wrong(&self, found: &base_data::comm_data::Parameter, expected: String) -> ModelError {
        ModelError::Value {
            model: self.model,
            link: self.link,
            parameter: found.name.clone(),
            value: found.value,
            unit: found.unit.clone(),
            expected,
        }
    }
}

/// The network by LogGPS parameters, one set per kind of link.
#[derive(Debug)]
pub struct LogGps {
    name: &'static str,
    parameters: PerLink<Parameters>,
    deliveries: Deliveries,
}

/// Makes the model of seed 002.
///
/// # Errors
/// Parameters that are missing or make no sense.
pub fn build(fits: &LinkFits<'_>, ranks: u32) -> Result<Box<dyn NetworkModel>, ModelError> {
    named(NAME, fits, ranks)
}

/// Makes the model of seed 004: `o_per_rank` is required.
///
/// # Errors
/// Parameters that are missing or make no sense.
pub fn build_with_ranks(fits: &LinkFits<'_>, ranks: u32) -> Result<Box<dyn NetworkModel>, ModelError> {
    named(NAME_WITH_RANKS, fits, ranks)
}

fn named(name: &'static str, fits: &LinkFits<'_>, ranks: u32) -> Result<Box<dyn NetworkModel>, ModelError> {
    let parameters = PerLink::of(fits, |fit, link| Parameters::of(fit, link, name, ranks))?;
    Ok(Box::new(LogGps { name, parameters, deliveries: Deliveries::default() }))
}

impl NetworkModel for LogGps {
    fn name(&self) -> &'static str {
        self.name
    }

    fn needs_global_order(&self) -> bool {
        false
    }

    fn costs(&self, message: &Message) -> CallCosts {
        self.parameters.get(message.link).map_or(CallCosts::FREE, |link| link.costs(message.bytes))
    }

    fn inject(&mut self, message: &Message, at: Time) -> TransferId {
        let link = self.parameters.get(message.link);
        let time = link.map_or(Time::ZERO, |link| link.network_time(message.bytes));
        self.deliveries.add(at + time.scaled(message.scale))
    }

    fn next_delivery(&mut self) -> Option<Delivery> {
        self.deliveries.next()
    }
}

#[cfg(test)]
mod tests;
