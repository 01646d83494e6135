//! LogGPS with an overhead that grows with the number of ranks (seed 004: Mizutani, Ino, Hagihara,
//! MSE; §3.2, table 2): `o = o'a + o'b·P + O·k`, because a receiver looks through the connections of
//! all ranks.
//!
//! Parameters are those of [`super::loggps`], `o'` being `o'a`, and `o_per_rank` = `o'b`. Seed 004
//! leaves contention out (§3.1), so no message delays another.

use super::fit_reader::FitReader;
use super::length_curve::{ByLength, LinkCosts};
use super::loggps::{self, Parameters};
use super::{CallCosts, ModelError, NetworkModel, PerLink};
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

/// The parameters for so many ranks, their share of `o'` in it.
///
/// # Errors
/// A parameter that is missing, negative, in another unit, or unknown.
pub fn parameters(fit: &ModelFit, link: LinkClass, ranks: u32) -> Result<Parameters, ModelError> {
    let names = [&["o_per_rank"][..], &loggps::NAMES].concat();
    let fit = FitReader::new(fit, link, NAME, &names)?;
    let alone = Parameters::read(&fit)?;
    let per_rank = fit.required("o_per_rank", "ns/rank")?;
    Ok(Parameters {
        overhead: alone.overhead + per_rank * f64::from(ranks),
        ..alone
    })
}

impl LinkCosts for Parameters {
    fn costs(&self, bytes: u64) -> CallCosts {
        Parameters::costs(self, bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::Protocol;
    use crate::network::fit_reader::nanoseconds;
    use crate::platforms;

    fn costs(ranks: u32, bytes: u64) -> CallCosts {
        let platform = platforms::load("fast-ethernet").unwrap();
        let fit = platform.fits(NAME, 2).unwrap().between_nodes.unwrap();
        parameters(fit, LinkClass::BetweenNodes, ranks)
            .unwrap()
            .costs(bytes)
    }

    /// Seed 004, §5.1: for k = 1 the overhead doubles from 2 to 71 ranks.
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
