//! The file form (TOML) of a platform: nodes, PUs, placement, and which communication data serve
//! which link class. Network parameters stand inside the communication data it embeds or names.

use crate::comm_data::{CommData, LinkClass};
use crate::program_check::MOST_RANKS;
use serde::{Deserialize, Serialize};

/// Version of the platform file's form.
pub const PLATFORM_FORMAT: u32 = 1;

/// A platform as written down.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlatformFile {
    /// Version of this form: [`PLATFORM_FORMAT`].
    pub format: u32,
    /// Name.
    pub name: String,
    /// The machine, and the source of its numbers.
    #[serde(default)]
    pub description: String,
    /// Number of nodes.
    pub nodes: u32,
    /// Ranks that are placed on one node.
    #[serde(default = "one")]
    pub ranks_per_node: u32,
    /// Threads per rank.
    #[serde(default = "one")]
    pub threads_per_rank: u32,
    /// How ranks are placed.
    #[serde(default)]
    pub placement: Placement,
    /// The processing units.
    #[serde(default)]
    pub pu: PuChoice,
    /// Whether transfers move outside MPI calls.
    #[serde(default)]
    pub progress: Progress,
    /// Bytes a receiver takes before an eager sender waits.
    #[serde(default)]
    pub eager_credit: EagerCredit,
    /// MPI library and version, with its own settings.
    #[serde(default)]
    pub mpi: MpiLibrary,
    /// How nodes are connected.
    #[serde(default)]
    pub topology: Topology,
    /// Communication data per link class.
    pub links: Vec<Link>,
}

fn one() -> u32 {
    1
}

/// How nodes are connected. Capacities of links are multiples of what one node sends or receives at most; every link
/// has both directions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind", deny_unknown_fields)]
pub enum Topology {
    /// Every node is connected to one switch that passes on whatever its ports can carry.
    #[default]
    Star,
    /// Switches in a row, the nodes in blocks on them.
    Cascade {
        /// Nodes of each switch.
        nodes_per_switch: u32,
        /// Capacity of the link between two neighbouring switches.
        #[serde(default = "whole")]
        uplink: f64,
    },
    /// Leaf switches under a core that passes on whatever reaches it.
    FatTree {
        /// Nodes of each leaf switch.
        nodes_per_switch: u32,
        /// Capacity of a leaf's nodes together over that of its links to the core: 1 without oversubscription.
        #[serde(default = "whole")]
        oversubscription: f64,
    },
    /// A three-dimensional torus of nodes, numbered x first; messages go along x, then y, then z, the shorter way.
    Torus {
        /// Nodes along x, y and z.
        sides: [u32; 3],
        /// Capacity of a link between neighbours.
        #[serde(default = "whole")]
        link: f64,
    },
    /// Groups of routers, all connected within a group, with one link between any two groups; minimal routing.
    Dragonfly {
        /// Nodes of each router.
        nodes_per_router: u32,
        /// Routers of each group.
        routers_per_group: u32,
        /// Capacity of a link inside a group.
        #[serde(default = "whole")]
        local: f64,
        /// Capacity of a link between two groups.
        #[serde(default = "whole")]
        global: f64,
    },
    /// Any links between nodes (numbered from 0) and switches (numbered behind the nodes); messages take the fewest
    /// links, of equal ways the one through lower numbers.
    Links {
        /// Number of switches.
        switches: u32,
        /// The links.
        links: Vec<TopologyLink>,
    },
}

/// A link of [`Topology::Links`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TopologyLink {
    /// One end.
    pub from: u32,
    /// The other.
    pub to: u32,
    /// Capacity of each direction.
    #[serde(default = "whole")]
    pub capacity: f64,
}

fn whole() -> f64 {
    1.0
}

/// How ranks are placed on nodes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Placement {
    /// Neighbouring ranks fill a node.
    #[default]
    Block,
    /// Neighbouring ranks go to neighbouring nodes.
    Cyclic,
    /// Node of each rank.
    List(Vec<u32>),
    /// A file that lists the node of each rank ([`node_list`]).
    File(String),
}

/// The nodes that a placement file lists: numbers, rank 0's first, apart by blanks or line ends; what follows a `#` on a
/// line is a remark.
///
/// # Errors
/// The second half of a sentence: the line, and what on it is no node number.
pub fn node_list(text: &str) -> Result<Vec<u32>, String> {
    let mut nodes = Vec::new();
    for (line, written) in text.lines().enumerate() {
        for word in written.split('#').next().unwrap_or("").split_whitespace() {
            let node = word.parse().map_err(|_| {
                format!(
                    "line {}: '{word}' is no node number; list the node of each rank",
                    line + 1
                )
            })?;
            nodes.push(node);
        }
    }
    Ok(nodes)
}

/// The processing units of a platform.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum PuChoice {
    /// A phrase: `as measured` says that the PU of the compute data is the target's.
    Phrase(String),
    /// Unequal PUs: ranges of nodes with the compute data's PU model or a speed relative to it.
    Types(Vec<PuType>),
}

impl PuChoice {
    /// The PU of the compute data is the target's.
    pub const AS_MEASURED: &'static str = "as measured";
}

impl Default for PuChoice {
    fn default() -> Self {
        PuChoice::Phrase(Self::AS_MEASURED.into())
    }
}

/// A type of processing unit on some nodes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PuType {
    /// First node.
    pub first_node: u32,
    /// How many nodes.
    pub nodes: u32,
    /// Compute data measured on this PU, by file name; the data given on the command line if none.
    #[serde(default)]
    pub compute: Option<String>,
    /// Speed relative to the PU of its compute data: a guess, and reported as one.
    #[serde(default)]
    pub speed: Option<f64>,
}

/// When a transfer that needs both sides moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Progress {
    /// Whenever it can.
    #[default]
    Asynchronous,
    /// Only while both sides are inside MPI.
    InCall,
}

/// Bytes of unexpected messages a receiver takes before an eager sender waits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EagerCredit {
    /// It never waits.
    #[default]
    Unlimited,
    /// This many.
    Bytes(u64),
}

/// The MPI library of the target.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MpiLibrary {
    /// `MPICH`, `Open MPI`, …; empty if it does not matter.
    pub library: String,
    /// Version.
    pub version: String,
    /// Settings that differ from those of the communication data, by the library's own names or `eager_threshold`
    /// (bytes).
    pub overrides: std::collections::BTreeMap<String, String>,
}

/// Communication data of one link class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Link {
    /// The class.
    pub class: LinkClass,
    /// File that holds the data.
    #[serde(default)]
    pub file: Option<String>,
    /// The data themselves.
    #[serde(default)]
    pub data: Option<CommData>,
}

/// Why a platform file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PlatformFileError {
    /// Not TOML of this form.
    #[error("line {line}: {what}")]
    Syntax {
        /// Where.
        line: usize,
        /// What was found and expected there.
        what: String,
    },
    /// A later form.
    #[error("its format is {found}, this version reads {PLATFORM_FORMAT}; use a newer mpiete")]
    Version {
        /// What the file says.
        found: u32,
    },
    /// Values that make no platform.
    #[error("{0}")]
    Value(String),
}

impl PlatformFile {
    /// Reads the TOML text of a platform.
    pub fn parse(text: &str) -> Result<Self, PlatformFileError> {
        let platform: PlatformFile = toml::from_str(text).map_err(|error| {
            let (line, what) = crate::toml_words::wrong(text, &error);
            PlatformFileError::Syntax { line, what }
        })?;
        platform.checked()
    }

    fn checked(self) -> Result<Self, PlatformFileError> {
        let wrong = |text: String| Err(PlatformFileError::Value(text));
        // Before all values: another format may have other limits.
        if self.format != PLATFORM_FORMAT {
            return Err(PlatformFileError::Version { found: self.format });
        }
        if self.nodes == 0 || self.ranks_per_node == 0 || self.threads_per_rank == 0 {
            return wrong("nodes, ranks_per_node and threads_per_rank must be at least 1".into());
        }
        if let PuChoice::Phrase(phrase) = &self.pu
            && phrase != PuChoice::AS_MEASURED
        {
            return wrong(format!(
                "pu = \"{phrase}\" is unknown; write pu = \"{}\" or a list of PU types",
                PuChoice::AS_MEASURED
            ));
        }
        // A typo in a count must not allocate memory for billions of ranks.
        let ranks = u64::from(self.nodes) * u64::from(self.ranks_per_node);
        if ranks > u64::from(MOST_RANKS) {
            return wrong(format!(
                "{} nodes of {} ranks are more than the {MOST_RANKS} ranks mpiete can place",
                self.nodes, self.ranks_per_node
            ));
        }
        self.check_links().map_err(PlatformFileError::Value)?;
        Ok(self)
    }

    fn check_links(&self) -> Result<(), String> {
        for (number, link) in self.links.iter().enumerate() {
            if self.links[..number]
                .iter()
                .any(|earlier| earlier.class == link.class)
            {
                return Err(format!(
                    "link class {} is given twice; keep one",
                    link.class
                ));
            }
        }
        self.links.iter().try_for_each(|link| {
            // Both would leave open which one counts.
            if link.file.is_some() == link.data.is_some() {
                return Err(format!(
                    "link class {} needs either a file or data",
                    link.class
                ));
            }
            let data = link
                .data
                .as_ref()
                .map_or(Ok(()), crate::file_contents::check_comm_data);
            data.map_err(|what| format!("link class {}: {what}", link.class))
        })
    }
}
