//! A platform ready for use: which node and which processing unit a rank has, over which kind of
//! link two ranks talk, and the communication data of each kind of link.
//!
//! Not here: the file form ([`base_data::platform_file`]), reading files (the caller resolves
//! names), and what a message costs ([`crate::network`]).

mod supported;

use crate::network::Pu;
use base_data::Rank;
use base_data::comm_data::{CommData, LinkClass, ModelFit};
use base_data::platform_file::{Placement, PlatformFile, PuChoice};
use supported::{covers, listed_pus, refuse_what_is_not_modelled, wrong};

/// A platform whose links all have their communication data at hand.
#[derive(Clone, Debug)]
pub struct Platform {
    file: PlatformFile,
    links: Vec<(LinkClass, CommData)>,
    /// PU of each rank of a listed placement; empty for placements that are computed.
    listed_pus: Vec<Pu>,
}

/// Why a platform cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlatformError {
    /// The file says something that makes no platform.
    #[error("platform '{platform}': {reason}")]
    Value {
        /// Its name.
        platform: String,
        /// What is wrong and what to write instead.
        reason: String,
    },
    /// The file asks for something that this version does not model.
    #[error("platform '{platform}': {setting} is not modelled by this version; {remedy}")]
    NotModelled {
        /// Its name.
        platform: String,
        /// The setting as written.
        setting: String,
        /// What to do instead.
        remedy: String,
    },
    /// More ranks than places.
    #[error(
        "platform '{platform}' has room for {capacity} ranks ({nodes} nodes × {ranks_per_node} ranks per \
         node), not for {ranks}; use fewer ranks, or raise nodes or ranks_per_node"
    )]
    Capacity {
        /// Its name.
        platform: String,
        /// Ranks asked for.
        ranks: u32,
        /// Places.
        capacity: u64,
        /// Nodes.
        nodes: u32,
        /// Ranks on one node.
        ranks_per_node: u32,
    },
    /// No communication data where they are needed.
    #[error("platform '{platform}': {reason}")]
    Links {
        /// Its name.
        platform: String,
        /// What is missing and how to get it.
        reason: String,
    },
}

/// The fits of one model for the kinds of links that some ranks use.
#[derive(Clone, Debug)]
pub struct LinkFits<'a> {
    /// Messages of a rank to itself; `None` means that they take no time.
    pub to_self: Option<&'a ModelFit>,
    /// Messages inside a node; `None` where no two ranks share one.
    pub inside_node: Option<&'a ModelFit>,
    /// Messages between nodes; `None` where all ranks are on one node.
    pub between_nodes: Option<&'a ModelFit>,
    /// What was put in place of what is missing, as sentences.
    pub warnings: Vec<String>,
}

impl Platform {
    /// Makes a platform of its file form; `resolve` reads the communication data file of a name.
    ///
    /// # Errors
    /// Settings that make no platform or that this version does not model, and links whose data
    /// cannot be read.
    pub fn new(
        file: PlatformFile,
        resolve: &dyn Fn(&str) -> Result<CommData, String>,
    ) -> Result<Self, PlatformError> {
        refuse_what_is_not_modelled(&file)?;
        let listed_pus = listed_pus(&file)?;
        let mut links: Vec<(LinkClass, CommData)> = Vec::new();
        for link in &file.links {
            if links.iter().any(|(class, _)| *class == link.class) {
                return Err(wrong(&file, format!("link class {} is given twice; keep one", link.class)));
            }
            let data = match (&link.data, &link.file) {
                (Some(data), _) => data.clone(),
                (None, Some(name)) => resolve(name)
                    .map_err(|reason| wrong(&file, format!("link class {}: {reason}", link.class)))?,
                (None, None) => {
                    return Err(wrong(&file, format!("link class {} needs a file or data", link.class)));
                }
            };
            links.push((link.class, data));
        }
        Ok(Self { file, links, listed_pus })
    }

    /// Puts `data` in place of the platform's own for every kind of link that `data` has a fit for.
    pub fn replace_comm(&mut self, data: &CommData) {
        let mut classes: Vec<LinkClass> = data.fits.iter().map(|fit| fit.link).collect();
        classes.sort_unstable();
        classes.dedup();
        self.links.retain(|(class, _)| !classes.contains(class));
        self.links.extend(classes.into_iter().map(|class| (class, data.clone())));
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.file.name
    }

    /// The file form it was made of.
    pub fn file(&self) -> &PlatformFile {
        &self.file
    }

    /// How many ranks have a place.
    pub fn capacity(&self) -> u64 {
        match &self.file.placement {
            Placement::Block | Placement::Cyclic => {
                u64::from(self.file.nodes) * u64::from(self.file.ranks_per_node)
            }
            Placement::List(nodes) => nodes.len() as u64,
        }
    }

    /// Checks that so many ranks have a place each.
    ///
    /// # Errors
    /// More ranks than places, or a listed placement of another length.
    pub fn check_capacity(&self, ranks: u32) -> Result<(), PlatformError> {
        if let Placement::List(nodes) = &self.file.placement
            && nodes.len() != ranks as usize
        {
            let listed = nodes.len();
            return Err(wrong(
                &self.file,
                format!(
                    "placement lists the nodes of {listed} ranks, not of {ranks}; list one node per rank"
                ),
            ));
        }
        if u64::from(ranks) <= self.capacity() {
            return Ok(());
        }
        Err(PlatformError::Capacity {
            platform: self.file.name.clone(),
            ranks,
            capacity: self.capacity(),
            nodes: self.file.nodes,
            ranks_per_node: self.file.ranks_per_node,
        })
    }

    /// The node of a rank that has a place ([`Platform::check_capacity`]).
    pub fn node_of(&self, rank: Rank) -> u32 {
        self.pu_of(rank).0 / self.file.ranks_per_node
    }

    /// The processing unit of a rank that has a place; those of one node are numbered in a row.
    pub fn pu_of(&self, rank: Rank) -> Pu {
        let (nodes, per_node) = (self.file.nodes, self.file.ranks_per_node);
        match &self.file.placement {
            Placement::Block => Pu(rank.0),
            Placement::Cyclic => Pu((rank.0 % nodes) * per_node + rank.0 / nodes),
            Placement::List(_) => self.listed_pus.get(rank.index()).copied().unwrap_or(Pu(0)),
        }
    }

    /// The kind of link between two ranks.
    pub fn link(&self, a: Rank, b: Rank) -> LinkClass {
        if a == b {
            LinkClass::ToSelf
        } else if self.node_of(a) == self.node_of(b) {
            LinkClass::InsideNode
        } else {
            LinkClass::BetweenNodes
        }
    }

    /// Speed of a rank's PU relative to the PU of the compute data; 1 where it is the same.
    pub fn speed_of(&self, rank: Rank) -> f64 {
        let node = self.node_of(rank);
        match &self.file.pu {
            PuChoice::Phrase(_) => 1.0,
            PuChoice::Types(types) => {
                types.iter().find(|pu| covers(pu, node)).and_then(|pu| pu.speed).unwrap_or(1.0)
            }
        }
    }

    /// Whether speeds of PUs are guesses of the platform file rather than measurements.
    pub fn guesses_speed(&self) -> bool {
        match &self.file.pu {
            PuChoice::Phrase(_) => false,
            PuChoice::Types(types) => types.iter().any(|pu| pu.speed.is_some()),
        }
    }

    /// The communication data of a kind of link.
    pub fn comm(&self, class: LinkClass) -> Option<&CommData> {
        self.links.iter().find(|(link, _)| *link == class).map(|(_, data)| data)
    }

    /// The fit of `model` for a kind of link: that for the class itself, or the only one of the
    /// data that the platform names for the class.
    pub fn fit(&self, model: &str, class: LinkClass) -> Option<&ModelFit> {
        let data = self.comm(class)?;
        let mut of_model = data.fits.iter().filter(|fit| fit.model == model);
        data.fit(model, class).or_else(|| of_model.next().filter(|_| of_model.next().is_none()))
    }

    /// The fits of `model` for the kinds of links that `ranks` ranks use.
    ///
    /// Messages to the own rank cost as inside a node where they have no data of their own, and
    /// nothing where that is missing too. Ranks of one node without data for inside a node talk as
    /// between nodes, with a warning.
    ///
    /// # Errors
    /// A kind of link that is used has no fit.
    pub fn fits(&self, model: &str, ranks: u32) -> Result<LinkFits<'_>, PlatformError> {
        let mut warnings = Vec::new();
        let between_nodes = self.fit(model, LinkClass::BetweenNodes);
        let mut inside_node = self.fit(model, LinkClass::InsideNode);
        let (shares, crosses) = self.links_in_use(ranks);
        if crosses && between_nodes.is_none() {
            return Err(self.no_fit(model, LinkClass::BetweenNodes));
        }
        let own_inside = inside_node;
        if shares && inside_node.is_none() {
            inside_node = Some(between_nodes.ok_or_else(|| self.no_fit(model, LinkClass::InsideNode))?);
            warnings.push(format!(
                "platform '{}' has no '{model}' data for ranks of one node; they talk as between nodes",
                self.file.name
            ));
        }
        let to_self = self.fit(model, LinkClass::ToSelf).or(own_inside);
        Ok(LinkFits { to_self, inside_node, between_nodes, warnings })
    }

    /// Whether any two of `ranks` ranks share a node, and whether any two are on two nodes.
    fn links_in_use(&self, ranks: u32) -> (bool, bool) {
        let mut nodes: Vec<u32> = (0..ranks).map(|rank| self.node_of(Rank(rank))).collect();
        nodes.sort_unstable();
        (nodes.windows(2).any(|pair| pair[0] == pair[1]), nodes.windows(2).any(|pair| pair[0] != pair[1]))
    }

    fn no_fit(&self, model: &str, class: LinkClass) -> PlatformError {
        let remedy = "give communication data with --comm, or make them with 'mpiete calibrate'";
        let reason = match self.comm(class) {
            None => format!("no communication data for link class {class}; {remedy}"),
            Some(data) => {
                let mut models: Vec<&str> = data.fits.iter().map(|fit| fit.model.as_str()).collect();
                models.sort_unstable();
                models.dedup();
                let has = if models.is_empty() { "none".into() } else { models.join(", ") };
                format!("no parameters of model '{model}' for link class {class} (found: {has}); {remedy}")
            }
        };
        PlatformError::Links { platform: self.file.name.clone(), reason }
    }
}

#[cfg(test)]
mod tests;
