//! What-if: the same platform with one thing of it changed. Network parameters are changed in the fits that
//! one model is made of, all of one kind ([`crate::network::varied_parameters`]) together; a curve of time by length
//! ([`crate::network::mpiete`]) counts its time without bytes as latency, and what the bytes add as bandwidth.

use super::settings::set_eager_threshold;
use super::supported::{listed_pus, wrong};
use super::{Platform, PlatformError};
use crate::network::varied_parameters::kind_of;
use base_data::Time;
use base_data::comm_data::{CurvePoint, LinkClass, ModelFit, Parameter};
use base_data::explanation::NetworkTime;
use base_data::platform_file::Placement;
use base_data::program_data::CollectiveKind;

/// A new value of a parameter, or a factor on its present value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Amount {
    /// So many times as much.
    Times(f64),
    /// So much, in the unit of the change.
    To(f64),
}

/// One change.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// Time of a message in the network (`L`), in nanoseconds.
    Latency(Amount),
    /// Processor time of a message without bytes (`o'`, `o`, `o_long`), in nanoseconds; a factor also scales its share
    /// per rank.
    Overhead(Amount),
    /// Processor time per byte (`Oss`, `Ors`, `Osl`, `Orl`, `O`), in nanoseconds.
    OverheadPerByte(Amount),
    /// Bytes per second of the network (one over `Gs`, `Gl`, `G`, `G_long`).
    Bandwidth(Amount),
    /// Longest message that is sent without a handshake (`S`), in bytes.
    EagerThreshold(u64),
    /// Speed of all PUs, relative to the present one.
    Speed(f64),
    /// Ranks on one node.
    RanksPerNode(u32),
    /// How ranks are placed.
    Placement(Placement),
    /// Messages of more bytes than this are sent in sequential pieces of as many bytes (Ino et al. (2001), §4.4).
    Pieces(u64),
    /// The algorithm of a collective, by its name in [`crate::collective::COLLECTIVES`]; where it cannot be used the
    /// library's choice stays.
    Algorithm(CollectiveKind, String),
}

impl Amount {
    fn of(self, old: f64) -> f64 {
        match self {
            Amount::Times(factor) => old * factor,
            Amount::To(value) => value,
        }
    }

    /// The amount for one over the parameter.
    fn inverse(self) -> Self {
        match self {
            Amount::Times(factor) => Amount::Times(1.0 / factor),
            Amount::To(value) => Amount::To(1.0 / value),
        }
    }
}

/// Nanoseconds in a second.
const NANOSECONDS: f64 = 1e9;

impl Change {
    /// What people call it.
    pub fn label(&self) -> &'static str {
        match self {
            Change::Latency(_) => "latency",
            Change::Overhead(_) => "overhead",
            Change::OverheadPerByte(_) => "overhead-per-byte",
            Change::Bandwidth(_) => "bandwidth",
            Change::EagerThreshold(_) => "eager-threshold",
            Change::Speed(_) => "speed",
            Change::RanksPerNode(_) => "ranks-per-node",
            Change::Placement(_) => "placement",
            Change::Pieces(_) => "split",
            Change::Algorithm(..) => "algorithm",
        }
    }
}

impl Platform {
    /// The platform with one thing changed: of the network, the fits of `model`, for one kind of link or for all
    /// between ranks.
    ///
    /// # Errors
    /// The model's data do not have what is to be changed, or ranks no longer have a place.
    pub fn changed(
        &self,
        model: &str,
        link: Option<LinkClass>,
        change: &Change,
    ) -> Result<Self, PlatformError> {
        let mut new = self.clone();
        match change {
            Change::Speed(factor) => new.speed *= factor,
            Change::Algorithm(kind, name) => new.force_algorithm(*kind, name)?,
            Change::Pieces(bytes) => new.pieces = Some(*bytes),
            Change::RanksPerNode(ranks) => new.file.ranks_per_node = *ranks,
            Change::Placement(placement) => new.file.placement = placement.clone(),
            Change::Latency(_)
            | Change::Overhead(_)
            | Change::OverheadPerByte(_)
            | Change::Bandwidth(_)
            | Change::EagerThreshold(_) => new.change_fits(model, link, change)?,
        }
        // It follows from the file, which may have changed.
        new.listed_pus = listed_pus(&new.file)?;
        Ok(new)
    }

    fn change_fits(
        &mut self,
        model: &str,
        link: Option<LinkClass>,
        change: &Change,
    ) -> Result<(), PlatformError> {
        // A model may be made of another's fits.
        let fits_of = crate::network::model(model).map_or(model, |entry| entry.fits);
        let mut changed = 0;
        for (class, data) in &mut self.links {
            let wanted = link.map_or(*class != LinkClass::ToSelf, |link| link == *class);
            let fits = data
                .fits
                .iter_mut()
                .filter(|fit| wanted && fit.model == fits_of);
            changed += fits
                .map(|fit| change_fit(fit, change))
                .filter(|changed| *changed)
                .count();
        }
        if changed > 0 {
            return Ok(());
        }
        let links = link.map_or("any link".into(), |link| format!("link {link}"));
        let reason = format!(
            "model '{model}' has no parameter for {} on {links}; choose another model with --model",
            change.label()
        );
        Err(wrong(&self.file, reason))
    }
}

/// Whether a fit had what is to be changed.
fn change_fit(fit: &mut ModelFit, change: &Change) -> bool {
    match change {
        Change::Latency(amount) => {
            // `|` and not `||`: a fit may have both, and both are changed.
            scale(fit, NetworkTime::Latency, *amount) | shift_curve(fit, *amount)
        }
        Change::Overhead(amount) => scale(fit, NetworkTime::Overhead, *amount),
        Change::OverheadPerByte(amount) => scale(fit, NetworkTime::OverheadPerByte, *amount),
        Change::Bandwidth(amount) => {
            let per_byte = match amount.inverse() {
                Amount::To(seconds) => Amount::To(seconds * NANOSECONDS),
                times @ Amount::Times(_) => times,
            };
            scale(fit, NetworkTime::GapPerByte, per_byte) | tilt_curve(fit, per_byte)
        }
        Change::EagerThreshold(bytes) => set_eager_threshold(fit, *bytes),
        Change::Speed(_)
        | Change::RanksPerNode(_)
        | Change::Placement(_)
        | Change::Pieces(_)
        | Change::Algorithm(..) => false,
    }
}

/// Unit of an overhead's share per rank, which no absolute overhead replaces.
const PER_RANK: &str = "ns/rank";

fn scale(fit: &mut ModelFit, kind: NetworkTime, amount: Amount) -> bool {
    let is_meant = |found: &Parameter| match amount {
        Amount::Times(_) => kind_of(&found.name) == Some(kind),
        Amount::To(_) => kind_of(&found.name) == Some(kind) && found.unit != PER_RANK,
    };
    let found = fit.parameters.iter_mut().filter(|found| is_meant(found));
    found
        .map(|found| found.value = amount.of(found.value))
        .count()
        > 0
}

/// Changes the time without bytes, and moves the rest of the curve along.
fn shift_curve(fit: &mut ModelFit, nanoseconds: Amount) -> bool {
    let Some(least) = fit.curve.first().map(picoseconds) else {
        return false;
    };
    let by = match nanoseconds {
        Amount::Times(factor) => least * factor - least,
        Amount::To(value) => value * 1e3 - least,
    };
    fit.curve
        .iter_mut()
        .for_each(|point| set(point, picoseconds(point) + by));
    true
}

/// Changes what the bytes add to the time without them.
fn tilt_curve(fit: &mut ModelFit, nanoseconds_per_byte: Amount) -> bool {
    let Some(least) = fit.curve.first().map(picoseconds) else {
        return false;
    };
    for point in &mut fit.curve {
        let added = match nanoseconds_per_byte {
            Amount::Times(factor) => (picoseconds(point) - least) * factor,
            Amount::To(value) => point.bytes as f64 * value * 1e3,
        };
        set(point, least + added);
    }
    true
}

fn picoseconds(point: &CurvePoint) -> f64 {
    point.time.picoseconds() as f64
}

fn set(point: &mut CurvePoint, picoseconds: f64) {
    point.time = Time::from_picoseconds(picoseconds.max(0.0).round() as i64);
}
