//! Settings of the MPI library that differ from those under which the communication data were made:
//! what each changes in the data's parameters. Settings of the choice of collective algorithms are read by
//! [`crate::collective::selection`]; any other without a row here is refused.

use super::supported::{not_modelled, wrong};
use super::{Platform, PlatformError};
use crate::collective::selection::{Library, is_about_collectives};
use crate::network::flow;
use base_data::comm_data::{CommData, LinkClass, ModelFit, Parameter};
use base_data::platform_file::{PlatformFile, Topology};

/// Which links a setting is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Links {
    All,
    InsideNode,
    BetweenNodes,
}

/// Names of the longest message sent without a handshake, in bytes: ours, and those of MPI libraries.
const EAGER_THRESHOLDS: &[(&str, Links)] = &[
    ("eager_threshold", Links::All),
    ("MPIR_CVAR_CH3_EAGER_MAX_MSG_SIZE", Links::All),
    ("MPIR_CVAR_NEMESIS_SHM_EAGER_MAX_SZ", Links::InsideNode),
    ("MV2_IBA_EAGER_THRESHOLD", Links::BetweenNodes),
    ("I_MPI_EAGER_THRESHOLD", Links::BetweenNodes),
    ("I_MPI_INTRANODE_EAGER_THRESHOLD", Links::InsideNode),
    ("btl_tcp_eager_limit", Links::BetweenNodes),
    ("btl_openib_eager_limit", Links::BetweenNodes),
    ("btl_sm_eager_limit", Links::InsideNode),
    ("btl_vader_eager_limit", Links::InsideNode),
];

/// Name of the parameter in the models that have it.
const LONGEST_EAGER: &str = "S";
/// A parameter of long messages: models that have it can take a threshold.
const RENDEZVOUS: &str = "Osl";

impl Links {
    fn cover(self, class: LinkClass) -> bool {
        match class {
            LinkClass::ToSelf => false,
            LinkClass::InsideNode => self != Links::BetweenNodes,
            LinkClass::BetweenNodes | LinkClass::Switches(_) => self != Links::InsideNode,
        }
    }
}

/// A setting as read.
struct EagerThreshold {
    name: String,
    links: Links,
    bytes: u64,
}

/// The settings of a platform file.
fn thresholds(file: &PlatformFile) -> Result<Vec<EagerThreshold>, PlatformError> {
    let of_messages = |(name, _): &(&String, &String)| !is_about_collectives(name);
    let read = |(name, value): (&String, &String)| {
        let Some((_, links)) = EAGER_THRESHOLDS.iter().find(|(known, _)| known == name) else {
            let known: Vec<&str> = EAGER_THRESHOLDS.iter().map(|(name, _)| *name).collect();
            let remedy = format!(
                "the settings that are: {}; for collectives MPIR_CVAR_<NAME>_INTRA_ALGORITHM and coll_tuned_<name>_algorithm",
                known.join(", ")
            );
            return Err(not_modelled(file, format!("the override {name}"), &remedy));
        };
        let bytes = value.parse().map_err(|_| {
            wrong(
                file,
                format!("override {name} = \"{value}\" is no number of bytes"),
            )
        })?;
        Ok(EagerThreshold {
            name: name.clone(),
            links: *links,
            bytes,
        })
    };
    let settings = file.mpi.overrides.iter().filter(of_messages);
    settings.map(read).collect()
}

/// Refuses settings that are not modelled, values that are none, and two values for one thing.
pub(super) fn check(file: &PlatformFile) -> Result<(), PlatformError> {
    library(file)?;
    let settings = thresholds(file)?;
    // Paths through switches have the settings of links between nodes, messages to oneself none.
    for class in [LinkClass::InsideNode, LinkClass::BetweenNodes] {
        let mut names = settings
            .iter()
            .filter(|setting| setting.links.cover(class))
            .map(|setting| &setting.name);
        if let (Some(first), Some(second)) = (names.next(), names.next()) {
            return Err(wrong(
                file,
                format!(
                    "the overrides {first} and {second} both set the eager threshold of {class}; keep one"
                ),
            ));
        }
    }
    Ok(())
}

/// The MPI library of a platform file, as far as it chooses the algorithms of collectives.
pub(super) fn library(file: &PlatformFile) -> Result<Library, PlatformError> {
    let library = Library::of(&file.mpi.library, &file.mpi.version);
    let with_overrides = library.with_overrides(&file.mpi.overrides);
    with_overrides.map_err(|reason| wrong(file, reason))
}

/// The eager threshold that a platform file sets for a kind of link.
pub(super) fn eager_threshold(file: &PlatformFile, class: LinkClass) -> Option<u64> {
    let settings = thresholds(file).ok()?;
    settings
        .iter()
        .find(|setting| setting.links.cover(class))
        .map(|setting| setting.bytes)
}

/// Puts the settings of a platform file into data of one of its links.
pub(super) fn apply(
    file: &PlatformFile,
    class: LinkClass,
    data: &mut CommData,
) -> Result<(), PlatformError> {
    for setting in thresholds(file)?
        .iter()
        .filter(|setting| setting.links.cover(class))
    {
        let taken = data
            .fits
            .iter_mut()
            .map(|fit| set_eager_threshold(fit, setting.bytes));
        let taken = taken.filter(|taken| *taken).count();
        if taken == 0 {
            let reason = format!(
                "its communication data for {class} have no model with a handshake, so the eager threshold of {} \
                 bytes cannot be put in; leave the override out, or give data with parameters S, Osl and Orl",
                setting.bytes
            );
            return Err(wrong(file, reason));
        }
    }
    Ok(())
}

/// The longest message without a handshake, by whichever model of the data knows it.
pub(super) fn longest_eager(data: &CommData, class: LinkClass) -> Option<u64> {
    let is_of_class = |fit: &&ModelFit| fit.link == class;
    // One file may serve a class that it was not measured over.
    let is_measured = data.fits.iter().any(|fit| is_of_class(&fit));
    let found = data
        .fits
        .iter()
        .filter(|fit| !is_measured || is_of_class(fit))
        .find_map(|fit| fit.parameter(LONGEST_EAGER))?;
    Some(found as u64)
}

/// Whether a fit took the longest message without a handshake.
pub(super) fn set_eager_threshold(fit: &mut ModelFit, bytes: u64) -> bool {
    let value = bytes as f64;
    if let Some(found) = fit
        .parameters
        .iter_mut()
        .find(|found| found.name == LONGEST_EAGER)
    {
        found.value = value;
        return true;
    }
    let takes_it = has_handshake(fit);
    if takes_it {
        fit.parameters.push(Parameter {
            name: LONGEST_EAGER.into(),
            value,
            unit: "bytes".into(),
        });
    }
    takes_it
}

/// Whether a fit has an eager threshold, or could have one.
fn has_handshake(fit: &ModelFit) -> bool {
    fit.parameter(LONGEST_EAGER).is_some() || fit.parameter(RENDEZVOUS).is_some()
}

impl Platform {
    /// Whether the platform may set the eager threshold of a kind of link: some model of its data has a handshake.
    pub fn takes_eager_threshold(&self, link: LinkClass) -> bool {
        let data = self.comm(link);
        data.is_some_and(|data| data.fits.iter().any(has_handshake))
    }

    /// What to say where the platform has a topology that a model ignores.
    pub(super) fn unused_topology(&self, model: &str) -> Option<String> {
        if self.file.topology == Topology::Star || model == flow::NAME {
            return None;
        }
        Some(format!(
            "the predicted time contains no contention at the links of the topology: model '{model}' ignores [topology] of \
             platform '{}'; use model '{}', whose parameters `mpiete calibrate` fits",
            self.file.name,
            flow::NAME
        ))
    }

    /// What to say where the platform changes a threshold that a model does not have.
    pub(super) fn unused_settings(&self, model: &str) -> Option<String> {
        let without = |data: &CommData| {
            data.fits
                .iter()
                .any(|fit| fit.model == model && fit.parameter(LONGEST_EAGER).is_none())
        };
        let unused = thresholds(&self.file).is_ok_and(|set| !set.is_empty())
            && self.links.iter().any(|(_, data)| without(data));
        if !unused {
            return None;
        }
        let name = &self.file.name;
        Some(format!(
            "platform '{name}' sets an eager threshold, which model '{model}' does not have"
        ))
    }
}
