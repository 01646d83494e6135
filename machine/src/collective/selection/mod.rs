//! Algorithm selection: which algorithm an MPI library chooses for a collective. Rules per library and version are in
//! files that name their source; overrides have the library's own names.
//!
//! A platform without a named library uses the rules of MPICH 4 with one rank per node; the choice says so.

mod cray_mpich;
mod intel_mpi;
mod mpich;
mod open_mpi;
mod open_mpi_nonblocking;
mod open_mpi_tables;
mod overrides;

pub(crate) use overrides::is_about_collectives;

use super::{CollectiveAlgorithm, Inner, Parameters, algorithm, two_steps};
use base_data::program_data::CollectiveKind;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// What a choice depends on. All ranks of the communicator must see the same case.
#[derive(Clone, Copy, Debug)]
pub struct Case<'a> {
    /// The operation.
    pub kind: CollectiveKind,
    /// Which of its forms.
    pub form: Form,
    /// Size of the communicator.
    pub ranks: u32,
    /// Bytes of the operand; of collectives of blocks, of the block of one rank.
    pub bytes: u64,
    /// Bytes of all blocks together; of others the same as `bytes`.
    pub total: u64,
    /// Elements of the operand.
    pub elements: u64,
    /// Whether the reduction's operation is one of MPI's own.
    pub built_in: bool,
    /// Whether it commutes.
    pub commutes: bool,
    /// Node of each rank; empty if no two share one.
    pub nodes: &'a [u32],
    /// Which ranks these are.
    pub level: Level,
}

/// Ranks of a collective, as algorithms with two levels divide them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Level {
    /// Those of a communicator of the program.
    #[default]
    All,
    /// Those of one node.
    Node,
    /// One of each node.
    Leaders,
}

/// Form of a collective.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Form {
    /// With a count per rank (`MPI_Gatherv`, `MPI_Alltoallv`, …).
    pub has_counts: bool,
    /// Started by one call and completed by another (`MPI_Iallreduce`, …).
    pub is_nonblocking: bool,
    /// `MPI_Reduce_scatter_block`.
    pub is_block: bool,
}

impl Form {
    /// The form of an MPI function: `MPI_Ialltoallv`.
    pub fn of_function(name: &str) -> Self {
        let plain = name.trim_end_matches("_init").to_ascii_lowercase();
        let stem = plain.strip_prefix("mpi_").unwrap_or(&plain);
        Self {
            has_counts: stem.ends_with(['v', 'w']),
            is_nonblocking: stem.starts_with('i'),
            is_block: stem.ends_with("_block"),
        }
    }
}

impl Case<'_> {
    /// Whether any two ranks are on one node.
    pub fn ranks_share_nodes(&self) -> bool {
        !self.nodes.is_empty()
    }

    /// Whether all ranks are on one node.
    pub fn ranks_are_on_one_node(&self) -> bool {
        self.nodes.len() > 1 && self.nodes.iter().all(|&node| node == self.nodes[0])
    }

    /// Whether all nodes have equally many ranks.
    pub fn nodes_are_equal(&self) -> bool {
        let mut ranks_on: BTreeMap<u32, u32> = BTreeMap::new();
        for &node in self.nodes {
            *ranks_on.entry(node).or_default() += 1;
        }
        let mut counts = ranks_on.into_values();
        let first = counts.next();
        counts.all(|count| Some(count) == first)
    }
}

/// What a library's rule says.
#[derive(Clone, Debug)]
struct Rule {
    /// Name of the algorithm in [`super::COLLECTIVES`].
    algorithm: &'static str,
    parameters: Parameters,
    /// The condition that led to it.
    reason: &'static str,
}

impl Rule {
    fn new(algorithm: &'static str, reason: &'static str) -> Self {
        Self {
            algorithm,
            parameters: Parameters::default(),
            reason,
        }
    }
}

/// A selected algorithm.
#[derive(Clone)]
pub struct SelectedAlgorithm {
    /// The algorithm.
    pub algorithm: &'static CollectiveAlgorithm,
    /// Its parameters.
    pub parameters: Parameters,
    /// The reason, for reports: the condition of the rule, or the override.
    pub reason: Cow<'static, str>,
}

/// Families of libraries that choose alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Family {
    Mpich,
    OpenMpi,
}

/// Thresholds that an override can set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Threshold {
    BroadcastShort,
    BroadcastLong,
    BroadcastRanks,
    ReduceShort,
    AllreduceShort,
    AllgatherShort,
    AllgatherLong,
    AlltoallShort,
    AlltoallMedium,
    AlltoallThrottle,
    AllgathervPipeline,
    ReduceScatterLong,
    AllreduceTwoLevels,
    BroadcastOnlyTree,
    BroadcastRadixInside,
    BroadcastRadixBetween,
    AllreduceOneLevel,
    ReduceOneLevel,
    LibnbcBroadcastSkips,
    HanPriority,
    HanBroadcastSegment,
    HanReduceSegment,
    HanAllreduceSegment,
}

/// An algorithm that an override forces.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Forced {
    kind: CollectiveKind,
    forms: Forms,
    algorithm: ForcedAlgorithm,
    /// For which bytes and numbers of ranks; for all if empty.
    ranges: Vec<Range>,
    /// The override's name and value.
    setting: String,
    parameters: Parameters,
}

/// Bytes and numbers of ranks, both with their ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Range {
    bytes: (u64, u64),
    ranks: (u32, u32),
}

impl Forced {
    fn is_about(&self, case: &Case<'_>) -> bool {
        let contains = |range: &Range| {
            (range.bytes.0..=range.bytes.1).contains(&case.bytes)
                && (range.ranks.0..=range.ranks.1).contains(&case.ranks)
        };
        self.kind == case.kind
            && self.forms.contains(case.form)
            && (self.ranges.is_empty() || self.ranges.iter().any(contains))
    }
}

/// The forms of a collective that an override is about: those that agree with what is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Forms {
    has_counts: Option<bool>,
    is_nonblocking: Option<bool>,
    is_block: Option<bool>,
}

impl Forms {
    const ALL: Self = Self {
        has_counts: None,
        is_nonblocking: None,
        is_block: None,
    };
    const BLOCKING: Self = Self {
        is_nonblocking: Some(false),
        ..Self::ALL
    };
    const NONBLOCKING: Self = Self {
        is_nonblocking: Some(true),
        ..Self::ALL
    };
    const WITH_COUNTS: Self = Self {
        has_counts: Some(true),
        ..Self::BLOCKING
    };
    const WITHOUT_COUNTS: Self = Self {
        has_counts: Some(false),
        ..Self::BLOCKING
    };
    const OF_BLOCKS: Self = Self {
        is_block: Some(true),
        ..Self::BLOCKING
    };
    const NOT_OF_BLOCKS: Self = Self {
        is_block: Some(false),
        ..Self::BLOCKING
    };

    /// This form alone.
    fn only(form: Form) -> Self {
        Self {
            has_counts: Some(form.has_counts),
            is_nonblocking: Some(form.is_nonblocking),
            is_block: Some(form.is_block),
        }
    }

    fn contains(self, form: Form) -> bool {
        self.has_counts.is_none_or(|value| value == form.has_counts)
            && self
                .is_nonblocking
                .is_none_or(|value| value == form.is_nonblocking)
            && self.is_block.is_none_or(|value| value == form.is_block)
    }
}

/// How an override names an algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ForcedAlgorithm {
    /// Name in [`super::COLLECTIVES`].
    Name(&'static str),
    /// Number in Open MPI's component tuned: what it stands for depends on the case.
    Tuned(u8),
    /// Number in Open MPI's component libnbc.
    Nonblocking(u8),
}

/// The MPI library of a platform, as far as it chooses algorithms.
#[derive(Clone, Debug)]
pub struct Library {
    family: Family,
    /// Name and version for people.
    description: String,
    version: (u32, u32),
    is_ch3: bool,
    /// Whether it takes Intel MPI's settings.
    is_intel: bool,
    /// Whether it takes Cray MPICH's settings, and its rules come before MPICH's.
    is_cray: bool,
    /// Whether Open MPI's component han is excluded.
    is_without_han: bool,
    thresholds: BTreeMap<Threshold, u64>,
    /// Numbers of han's algorithms; 0 for those that are not here.
    of_han: Vec<(CollectiveKind, u8)>,
    forced: Vec<Forced>,
}

impl Default for Library {
    /// The default of platforms that name none.
    fn default() -> Self {
        Self::of("", "")
    }
}

/// What the names of algorithms with two levels begin with.
const TWO_LEVELS: &str = "two-level";

/// The library whose rules stand for those of a platform that names none.
pub const DEFAULT: &str = "MPICH 4";

/// Version of a library whose version is not given: the newest whose rules were read.
// Rules ask for "at least" a version, so a number above all real ones selects the newest rules.
const NEWEST: (u32, u32) = (9, 9);

impl Library {
    /// The library of this name and version, without overrides.
    ///
    /// Intel MPI, Cray MPICH and MVAPICH are derived from MPICH. What their documents say is in [`intel_mpi`] and
    /// [`cray_mpich`]; MPICH's rules stand for the rest.
    pub fn of(name: &str, version: &str) -> Self {
        let lower = name.to_lowercase();
        let is_open_mpi = lower.contains("open mpi") || lower.contains("openmpi");
        let (family, rules) = if is_open_mpi {
            (Family::OpenMpi, "Open MPI")
        } else {
            (Family::Mpich, "MPICH")
        };
        let is_cray = lower.contains("cray");
        let is_intel = lower.contains("intel");
        let is_mpich = lower.contains("mpich") && !is_cray;
        let parsed = parse_version(version).or_else(|| parse_version(name));
        let given = format!("{name} {version}");
        let description = if name.is_empty() {
            format!("no MPI library named: rules of {DEFAULT}")
        } else if is_open_mpi || is_mpich {
            given.trim().to_owned()
        } else if is_cray {
            format!(
                "{}: documented rules, otherwise those of {rules} 4",
                given.trim()
            )
        } else if is_intel {
            format!(
                "{}: documented thresholds, those of {rules} 3",
                given.trim()
            )
        } else {
            format!(
                "{}: selection not published, default of {rules} 4 used",
                given.trim()
            )
        };
        let own_version = is_open_mpi || is_mpich;
        let version = match is_intel {
            true => intel_mpi::OF_MPICH,
            false => parsed.filter(|_| own_version).unwrap_or(NEWEST),
        };
        Self {
            family,
            description,
            version,
            is_intel,
            is_cray,
            is_without_han: false,
            is_ch3: lower.contains("ch3") || lower.contains("score"),
            thresholds: BTreeMap::new(),
            of_han: Vec::new(),
            forced: Vec::new(),
        }
    }

    /// Name and version for people, and what stands for a library without rules of its own.
    pub fn description(&self) -> &str {
        &self.description
    }

    fn is_at_least(&self, major: u32, minor: u32) -> bool {
        self.version >= (major, minor)
    }

    fn threshold(&self, threshold: Threshold, default: u64) -> u64 {
        self.thresholds.get(&threshold).copied().unwrap_or(default)
    }

    fn han_algorithm(&self, kind: CollectiveKind) -> u8 {
        let mut all = self.of_han.iter();
        all.find(|(known, _)| *known == kind)
            .map_or(0, |(_, number)| *number)
    }

    /// Chooses the algorithm for a case.
    ///
    /// An override that the case does not allow (a power of two of ranks, an element per rank) is passed over, as the
    /// libraries do.
    pub fn choose(&self, case: &Case<'_>) -> SelectedAlgorithm {
        for forced in &self.forced {
            // The first that the case allows counts; one that a sweep forces comes first.
            if !forced.is_about(case) {
                continue;
            }
            let mut parameters = forced.parameters;
            let name = match forced.algorithm {
                ForcedAlgorithm::Name(name) => name,
                ForcedAlgorithm::Tuned(number) => open_mpi::name_of(case, number),
                ForcedAlgorithm::Nonblocking(number) => {
                    let rule = open_mpi_nonblocking::forced(case, number, &forced.parameters);
                    parameters = rule.parameters;
                    rule.algorithm
                }
            };
            // A level does not split again.
            if case.level != Level::All && name.starts_with(TWO_LEVELS) {
                continue;
            }
            if let Some(found) = algorithm(case.kind, name)
                && found.limit.allows(case.ranks, case.elements)
            {
                return SelectedAlgorithm {
                    algorithm: found,
                    parameters: self.with_inner(case, name, parameters),
                    reason: forced.setting.clone().into(),
                };
            }
        }
        let rule = match self.family {
            Family::Mpich if self.is_cray => cray_mpich::rule(self, case),
            Family::Mpich => mpich::rule(self, case),
            Family::OpenMpi => open_mpi::rule(self, case),
        };
        // Rules name algorithms by string. A test looks up every rule, so the fallback is not reached in
        // practice.
        let found = algorithm(case.kind, rule.algorithm).unwrap_or_else(|| first(case.kind));
        SelectedAlgorithm {
            algorithm: found,
            parameters: self.with_inner(case, found.name, rule.parameters),
            reason: rule.reason.into(),
        }
    }

    /// Adds what the library chooses for the two collectives that an algorithm is made of, if it is made of two.
    fn with_inner(&self, case: &Case<'_>, name: &str, mut parameters: Parameters) -> Parameters {
        let Some(kinds) = two_steps::kinds(case.kind, name) else {
            return parameters;
        };
        let element = case.bytes / case.elements.max(1);
        for (kind, inner) in kinds.into_iter().zip(&mut parameters.inner) {
            if inner.is_some() {
                continue;
            }
            let has_blocks = matches!(kind, CollectiveKind::Gather | CollectiveKind::Scatter);
            // Of MPI_Reduce_scatter the results are scattered by MPI_Scatterv.
            let has_counts = case.form.has_counts
                || case.kind == CollectiveKind::ReduceScatter && !case.form.is_block;
            let form = Form {
                has_counts: has_blocks && has_counts,
                ..Form::default()
            };
            let bytes = if has_blocks { case.bytes } else { case.total };
            let choice = self.choose(&Case {
                kind,
                form,
                bytes,
                elements: bytes / element.max(1),
                ..*case
            });
            *inner = Some(Inner {
                algorithm: choice.algorithm.name,
                segment: choice.parameters.segment,
                radix: choice.parameters.radix,
            });
        }
        parameters
    }
}

/// The first algorithm of a kind: each has one without limits there.
pub(super) fn first(kind: CollectiveKind) -> &'static CollectiveAlgorithm {
    let mut all = super::COLLECTIVES.iter();
    all.find(|algorithm| algorithm.kind == kind)
        .unwrap_or(&super::COLLECTIVES[0])
}

/// The first two numbers of a version: `4.0.2`, `MPICH 3.4.1`.
fn parse_version(text: &str) -> Option<(u32, u32)> {
    let start = text.find(|letter: char| letter.is_ascii_digit())?;
    let mut numbers = text[start..].split(|letter: char| !letter.is_ascii_digit());
    let major = numbers.next()?.parse().ok()?;
    let minor = numbers.next().and_then(|minor| minor.parse().ok());
    Some((major, minor.unwrap_or(0)))
}

#[cfg(test)]
mod tests;
