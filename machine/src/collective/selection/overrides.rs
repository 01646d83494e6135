//! Settings of a platform that change the choice, by the names of the library itself.
//!
//! - Intel MPI: `I_MPI_ADJUST_<NAME>`.
//! - MPICH: `MPIR_CVAR_<NAME>_INTRA_ALGORITHM` and the thresholds of [`super::mpich::THRESHOLDS`].
//! - Cray MPICH: [`super::cray_mpich::VARIABLES`], and those of MPICH.
//! - Open MPI, also with `OMPI_MCA_` in front: `coll_tuned_<name>_algorithm` and [`PARTS`] of it, with
//!   `coll_tuned_use_dynamic_rules = 1`, without which Open MPI ignores them; `coll_libnbc_<name>_algorithm`;
//!   [`HAN_NUMBERS`] and `coll_han_use_<name>_algorithm`; `coll = ^han`.

use super::{
    Family, Forced, ForcedAlgorithm, Form, Forms, Library, Threshold, cray_mpich, intel_mpi, mpich,
    open_mpi, open_mpi_nonblocking,
};
use crate::collective::Parameters;
use base_data::program_data::CollectiveKind;
use std::collections::BTreeMap;

const MPICH_PREFIX: &str = "MPIR_CVAR_";
const MPICH_SUFFIX: &str = "_INTRA_ALGORITHM";
const TUNED_PREFIX: &str = "coll_tuned_";
const DYNAMIC_RULES: &str = "use_dynamic_rules";
const HAN_PREFIX: &str = "coll_han_";
const LIBNBC_PREFIX: &str = "coll_libnbc_";
/// The list of components.
const COMPONENTS: &str = "coll";

/// Parameters of component han, behind [`HAN_PREFIX`].
const HAN_NUMBERS: &[(&str, Threshold)] = &[
    ("priority", Threshold::HanPriority),
    ("bcast_segsize", Threshold::HanBroadcastSegment),
    ("reduce_segsize", Threshold::HanReduceSegment),
    ("allreduce_segsize", Threshold::HanAllreduceSegment),
];

/// A collective by its name in Open MPI's parameters, and the forms that they are about.
type Tuned = (&'static str, CollectiveKind, Forms);

const TUNED: &[Tuned] = &[
    ("barrier", CollectiveKind::Barrier, Forms::BLOCKING),
    ("bcast", CollectiveKind::Broadcast, Forms::BLOCKING),
    ("reduce", CollectiveKind::Reduce, Forms::BLOCKING),
    ("allreduce", CollectiveKind::Allreduce, Forms::BLOCKING),
    ("gather", CollectiveKind::Gather, Forms::WITHOUT_COUNTS),
    ("scatter", CollectiveKind::Scatter, Forms::WITHOUT_COUNTS),
    (
        "allgather",
        CollectiveKind::Allgather,
        Forms::WITHOUT_COUNTS,
    ),
    ("allgatherv", CollectiveKind::Allgather, Forms::WITH_COUNTS),
    ("alltoall", CollectiveKind::Alltoall, Forms::WITHOUT_COUNTS),
    ("alltoallv", CollectiveKind::Alltoall, Forms::WITH_COUNTS),
    (
        "reduce_scatter",
        CollectiveKind::ReduceScatter,
        Forms::NOT_OF_BLOCKS,
    ),
    (
        "reduce_scatter_block",
        CollectiveKind::ReduceScatter,
        Forms::OF_BLOCKS,
    ),
    ("scan", CollectiveKind::Scan, Forms::BLOCKING),
    ("exscan", CollectiveKind::ExclusiveScan, Forms::BLOCKING),
];

/// Whether a setting of a platform is about the choice of algorithms.
pub(crate) fn is_about_collectives(name: &str) -> bool {
    let plain = name.strip_prefix("OMPI_MCA_").unwrap_or(name);
    is_of_open_mpi(plain)
        || cray_mpich::VARIABLES
            .iter()
            .any(|(known, _)| *known == name)
        || name.starts_with(intel_mpi::PREFIX)
        || name.ends_with(MPICH_SUFFIX)
        || mpich::THRESHOLDS.iter().any(|(known, ..)| *known == name)
}

fn is_of_open_mpi(plain: &str) -> bool {
    let prefixes = [TUNED_PREFIX, HAN_PREFIX, LIBNBC_PREFIX];
    plain == COMPONENTS || prefixes.iter().any(|prefix| plain.starts_with(prefix))
}

impl Library {
    /// Takes the settings of a platform that are about the choice of algorithms; passes over the others.
    ///
    /// # Errors
    /// The second half of a sentence: names that there are not, values that are none, and settings that the library
    /// ignores.
    pub fn with_overrides(mut self, settings: &BTreeMap<String, String>) -> Result<Self, String> {
        let mut tuned = BTreeMap::new();
        for (name, value) in settings {
            if !is_about_collectives(name) {
                continue;
            }
            let plain = name.strip_prefix("OMPI_MCA_").unwrap_or(name);
            if is_of_open_mpi(plain) {
                if self.family != Family::OpenMpi {
                    return Err(format!(
                        "override {name}: {}",
                        self.of_other_library("Open MPI")
                    ));
                }
                if let Some(rest) = plain.strip_prefix(TUNED_PREFIX) {
                    tuned.insert(rest.to_owned(), (name.clone(), value.clone()));
                } else if let Some(rest) = plain.strip_prefix(HAN_PREFIX) {
                    self.set_han(name, rest, value)?;
                } else if let Some(rest) = plain.strip_prefix(LIBNBC_PREFIX) {
                    self.force_libnbc(name, rest, value)?;
                } else {
                    self.set_components(name, value)?;
                }
                continue;
            }
            let mut of_cray = cray_mpich::VARIABLES.iter();
            if let Some((_, threshold)) = of_cray.find(|(known, _)| *known == name) {
                if !self.is_cray {
                    return Err(format!(
                        "override {name}: {}",
                        self.of_other_library("Cray MPICH")
                    ));
                }
                let number = number(name, value)?;
                if name.ends_with("_RADIX") && number < 2 {
                    return Err(format!(
                        "override {name} = \"{value}\": a tree has a radix of at least 2"
                    ));
                }
                self.thresholds.insert(*threshold, number);
                continue;
            }
            if let Some(variable) = name.strip_prefix(intel_mpi::PREFIX) {
                if !self.is_intel {
                    return Err(format!(
                        "override {name}: {}",
                        self.of_other_library("Intel MPI")
                    ));
                }
                self.force_intel(name, variable, value)?;
                continue;
            }
            if self.family != Family::Mpich {
                return Err(format!(
                    "override {name}: {}",
                    self.of_other_library("MPICH")
                ));
            }
            if name.ends_with(MPICH_SUFFIX) {
                self.force_mpich(name, value)?;
            } else {
                self.set_threshold(name, value)?;
            }
        }
        self.force_tuned(&tuned)?;
        Ok(self)
    }

    /// Puts an algorithm of [`crate::collective::COLLECTIVES`] in place of the library's choice, for all forms of a
    /// collective; where it cannot be used the library's choice stays.
    pub fn force(&mut self, kind: CollectiveKind, algorithm: &'static str) {
        let forced = Forced {
            kind,
            forms: Forms::ALL,
            algorithm: ForcedAlgorithm::Name(algorithm),
            ranges: Vec::new(),
            setting: "asked for".into(),
            parameters: Parameters::default(),
        };
        // In front of the settings of the platform: the first that fits is used.
        self.forced.insert(0, forced);
    }

    fn of_other_library(&self, family: &str) -> String {
        format!(
            "a setting of {family}, but the platform's library is '{}'; leave it out, or name the library",
            self.description
        )
    }

    fn set_threshold(&mut self, name: &str, value: &str) -> Result<(), String> {
        let mut rows = mpich::THRESHOLDS.iter();
        let Some((_, threshold, is_ignored)) = rows.find(|(known, ..)| *known == name) else {
            return Ok(());
        };
        if *is_ignored && self.is_at_least(3, 4) {
            return Err(format!(
                "override {name} has no effect from MPICH 3.4 on, whose table chooses; set \
                 {MPICH_PREFIX}…{MPICH_SUFFIX} instead"
            ));
        }
        self.thresholds.insert(*threshold, number(name, value)?);
        Ok(())
    }

    fn force_mpich(&mut self, name: &str, value: &str) -> Result<(), String> {
        let stem = name.strip_prefix(MPICH_PREFIX).unwrap_or(name);
        let stem = stem.strip_suffix(MPICH_SUFFIX).unwrap_or(stem);
        let find = |stem: &str| mpich::NAMED.iter().find(|(known, _)| *known == stem);
        let nonblocking = stem.strip_prefix('I').and_then(find);
        let Some((_, named)) = find(stem).or(nonblocking) else {
            let known: Vec<&str> = mpich::NAMED.iter().map(|(known, _)| *known).collect();
            return Err(format!(
                "override {name}: no collective of that name is known; they are {}",
                known.join(", ")
            ));
        };
        if value == "auto" {
            return Ok(());
        }
        let is_nonblocking = find(stem).is_none();
        let plain = value.strip_prefix("sched_").unwrap_or(value);
        let mut algorithms = named.algorithms.iter();
        let Some((_, algorithm)) = algorithms.find(|(known, _)| *known == plain) else {
            let known: Vec<&str> = named.algorithms.iter().map(|(known, _)| *known).collect();
            return Err(format!(
                "override {name} = \"{value}\": no schedule of that name is known; they are auto, {}",
                known.join(", ")
            ));
        };
        let mut parameters = Parameters::default();
        if *algorithm == "scattered" {
            parameters.outstanding = self.threshold(super::Threshold::AlltoallThrottle, 32) as u32;
        }
        self.forced.push(Forced {
            kind: named.kind,
            forms: Forms::only(Form {
                is_nonblocking,
                ..named.form
            }),
            algorithm: ForcedAlgorithm::Name(algorithm),
            ranges: Vec::new(),
            setting: format!("{name} = {value}"),
            parameters,
        });
        Ok(())
    }

    fn set_han(&mut self, name: &str, rest: &str, value: &str) -> Result<(), String> {
        if !self.is_at_least(5, 0) {
            return Err(format!(
                "override {name}: component han is modelled from Open MPI 5.0 on; leave it out"
            ));
        }
        if let Some((_, threshold)) = HAN_NUMBERS.iter().find(|(known, _)| *known == rest) {
            self.thresholds.insert(*threshold, number(name, value)?);
            return Ok(());
        }
        let stem = rest.strip_prefix("use_");
        let stem = stem.and_then(|rest| rest.strip_suffix("_algorithm"));
        let found = open_mpi::HAN
            .iter()
            .find(|(known, ..)| Some(*known) == stem);
        let Some((_, kind, names)) = found else {
            let numbers: Vec<&str> = HAN_NUMBERS.iter().map(|(known, _)| *known).collect();
            let stems: Vec<&str> = open_mpi::HAN.iter().map(|(known, ..)| *known).collect();
            return Err(format!(
                "override {name} is not modelled; known are {HAN_PREFIX}NAME for {}, and {HAN_PREFIX}use_NAME_algorithm \
                 for {}",
                numbers.join(", "),
                stems.join(", ")
            ));
        };
        self.of_han.push((*kind, named_number(name, value, names)?));
        Ok(())
    }

    fn force_libnbc(&mut self, name: &str, rest: &str, value: &str) -> Result<(), String> {
        const RADIX: &str = "ibcast_knomial_radix";
        const SKIP: &str = "ibcast_skip_dt_decision";
        if rest == SKIP {
            let skips = matches!(value, "1" | "true" | "yes");
            if !skips && !matches!(value, "0" | "false" | "no") {
                return Err(format!(
                    "override {name} = \"{value}\" is neither true nor false"
                ));
            }
            self.thresholds
                .insert(Threshold::LibnbcBroadcastSkips, skips.into());
            return Ok(());
        }
        if rest == RADIX {
            // Taken with the algorithm, whose name comes before this one.
            let radix = number(name, value)? as u32;
            for forced in &mut self.forced {
                if forced.algorithm == ForcedAlgorithm::Nonblocking(4) {
                    forced.parameters.radix = radix.max(2);
                }
            }
            return Ok(());
        }
        let stem = rest.strip_suffix("_algorithm");
        let rows = open_mpi_nonblocking::PARAMETERS;
        let found = rows.iter().find(|(known, ..)| Some(*known) == stem);
        let Some((_, kind, names)) = found else {
            let stems: Vec<&str> = rows.iter().map(|(known, ..)| *known).collect();
            return Err(format!(
                "override {name} is not modelled; known are {LIBNBC_PREFIX}NAME_algorithm for {}, {LIBNBC_PREFIX}{RADIX} and \
                 {LIBNBC_PREFIX}{SKIP}",
                stems.join(", ")
            ));
        };
        let chosen = named_number(name, value, names)?;
        if chosen > 0 {
            self.forced.push(Forced {
                kind: *kind,
                forms: Forms::NONBLOCKING,
                algorithm: ForcedAlgorithm::Nonblocking(chosen),
                ranges: Vec::new(),
                setting: format!("{name} = {value}"),
                parameters: Parameters {
                    // coll_libnbc_ibcast_knomial_radix.
                    radix: 4,
                    ..Parameters::default()
                },
            });
        }
        Ok(())
    }

    fn set_components(&mut self, name: &str, value: &str) -> Result<(), String> {
        if value != "^han" {
            return Err(format!(
                "override {name} = \"{value}\": the only list of components that is modelled is ^han"
            ));
        }
        self.is_without_han = true;
        Ok(())
    }

    fn force_intel(&mut self, name: &str, variable: &str, value: &str) -> Result<(), String> {
        let mut variables = intel_mpi::VARIABLES.iter();
        let Some(row) = variables.find(|row| row.name == variable) else {
            let known: Vec<&str> = intel_mpi::VARIABLES.iter().map(|row| row.name).collect();
            return Err(format!(
                "override {name} is not modelled; known are {}NAME for {}",
                intel_mpi::PREFIX,
                known.join(", ")
            ));
        };
        let Some(parts) = intel_mpi::parsed(value) else {
            return Err(format!(
                "override {name} = \"{value}\" is not read; expected NUMBER[:BYTES[-BYTES][@RANKS[-RANKS]],…][;…]"
            ));
        };
        for (number, ranges) in parts {
            if number == 0 {
                continue;
            }
            let mut algorithms = row.algorithms.iter();
            let Some(&(_, algorithm)) = algorithms.find(|(known, _)| *known == number) else {
                let known: Vec<String> = row
                    .algorithms
                    .iter()
                    .map(|(number, algorithm)| format!("{number} ({algorithm})"))
                    .collect();
                return Err(format!(
                    "override {name} = \"{value}\": no schedule of number {number} is known; the numbers are {}",
                    known.join(", ")
                ));
            };
            let radix = match algorithm {
                "k-nomial" => intel_mpi::RADIX,
                _ => Parameters::default().radix,
            };
            self.forced.push(Forced {
                kind: row.kind,
                forms: row.forms,
                algorithm: ForcedAlgorithm::Name(algorithm),
                ranges,
                setting: format!("{name} = {value}"),
                parameters: Parameters {
                    radix,
                    ..Parameters::default()
                },
            });
        }
        Ok(())
    }

    fn force_tuned(&mut self, settings: &BTreeMap<String, (String, String)>) -> Result<(), String> {
        let Some((_, (first, _))) = settings.iter().find(|(key, _)| *key != DYNAMIC_RULES) else {
            return Ok(());
        };
        let are_used = settings
            .get(DYNAMIC_RULES)
            .is_some_and(|(_, value)| matches!(value.as_str(), "1" | "true" | "yes"));
        if !are_used {
            return Err(format!(
                "override {first} has no effect in Open MPI without coll_tuned_use_dynamic_rules = 1; add it"
            ));
        }
        for (key, (name, value)) in settings {
            if key == DYNAMIC_RULES {
                continue;
            }
            let found = TUNED.iter().find(|(stem, ..)| {
                let of_row = key.strip_prefix(stem);
                let part = of_row.and_then(|rest| rest.strip_prefix("_algorithm"));
                part.is_some_and(|part| part.is_empty() || PARTS.contains(&part))
            });
            let Some(&(_, kind, forms)) = found else {
                let stems: Vec<&str> = TUNED.iter().map(|(stem, ..)| *stem).collect();
                return Err(format!(
                    "override {name} is not modelled; known are {TUNED_PREFIX}NAME_algorithm and, with _algorithm, {} \
                     for {}",
                    PARTS.join(", "),
                    stems.join(", ")
                ));
            };
            // Parts are read with their algorithm; without one they have no effect.
            if !key.ends_with("_algorithm") {
                number(name, value)?;
                continue;
            }
            let Some(chosen) = open_mpi::number_of(kind, forms, value) else {
                return Err(format!(
                    "override {name} = \"{value}\": no algorithm of that name; they are {}",
                    open_mpi::names(kind, forms).join(", ")
                ));
            };
            // `ignore` leaves the choice to the rules.
            if chosen == 0 {
                continue;
            }
            let mut parameters = open_mpi::forced_parameters_of(kind, chosen);
            let part = |part: &str| settings.get(&format!("{key}{part}"));
            if let Some((name, value)) = part("_segmentsize") {
                parameters.segment = number(name, value)?;
            }
            if let Some((name, value)) = part("_max_requests") {
                parameters.outstanding = number(name, value)? as u32;
            }
            let radix = if open_mpi::is_chain(kind, chosen) {
                part("_chain_fanout")
            } else {
                part("_knomial_radix")
            };
            if let Some((name, value)) = radix {
                parameters.radix = number(name, value)? as u32;
            }
            self.forced.push(Forced {
                kind,
                forms,
                algorithm: ForcedAlgorithm::Tuned(chosen),
                ranges: Vec::new(),
                setting: format!("{name} = {value}"),
                parameters,
            });
        }
        Ok(())
    }
}

/// Parts of the parameters of a collective of component tuned, behind `coll_tuned_NAME_algorithm`.
const PARTS: &[&str] = &[
    "_segmentsize",
    "_tree_fanout",
    "_chain_fanout",
    "_knomial_radix",
    "_max_requests",
];

/// The number of a value that is a name or a number.
fn named_number(name: &str, value: &str, names: &[&str]) -> Result<u8, String> {
    let place = names.iter().position(|known| *known == value);
    let parsed = value.parse().ok().filter(|&number| number < names.len());
    match place.or(parsed) {
        Some(number) => Ok(number as u8),
        None => Err(format!(
            "override {name} = \"{value}\": no algorithm of that name; they are {}",
            names.join(", ")
        )),
    }
}

fn number(name: &str, value: &str) -> Result<u64, String> {
    let parsed = value.parse();
    parsed.map_err(|_| format!("override {name} = \"{value}\" is no number"))
}
