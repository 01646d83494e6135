//! A platform ready for use: which node and which processing unit a rank has, over which kind of
//! link two ranks talk, and the communication data of each kind of link.
//!
//! [`base_data::platform_file`] defines the file; the caller reads it and resolves names.
//! [`crate::network`] has the costs of messages.

mod change;
mod eager_limits;
mod files;
mod settings;
mod supported;

pub use crate::link_fits::{LinkFits, NetworkShape};
pub use change::{Amount, Change};
pub use files::PlatformFiles;

use crate::collective::selection::Library;
use crate::network::Pu;
use crate::network::flow::Routes;
use base_data::Rank;
use base_data::comm_data::{CollectiveCurve, CommData, LinkClass, ModelFit, replace_curves};
use base_data::compute_data::ComputeData;
use base_data::platform_file::{Placement, PlatformFile, PuChoice, PuType, node_list};
use base_data::program_data::CollectiveKind;
use files::{CommFiles, compute, links};
use std::collections::BTreeMap;
use supported::{covers, listed_pus, refuse_what_is_not_modelled, wrong};

/// A platform whose links all have their communication data at hand, and its PU types their compute data.
#[derive(Clone, Debug)]
pub struct Platform {
    file: PlatformFile,
    links: Vec<(LinkClass, CommData)>,
    /// Compute data of PU types, by the file's name.
    compute: Vec<(String, ComputeData)>,
    /// Factor on the speed of all PUs.
    speed: f64,
    /// Longer messages are sent in sequential pieces of so many bytes.
    pieces: Option<u64>,
    /// PU of each rank of a listed placement; empty for placements that are computed.
    listed_pus: Vec<Pu>,
    /// The MPI library's choice of collective algorithms.
    library: Library,
    /// Measured times of collectives, of the communication data of all links.
    curves: Vec<CollectiveCurve>,
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

impl Platform {
    /// Makes a platform of its file form; `comm` reads the communication data file of a name. No other files can be
    /// named ([`Platform::with_files`]).
    ///
    /// # Errors
    /// Settings that make no platform or that this version does not model, and links whose data
    /// cannot be read.
    pub fn new(
        file: PlatformFile,
        comm: &dyn Fn(&str) -> Result<CommData, String>,
    ) -> Result<Self, PlatformError> {
        Self::with_files(file, &CommFiles(comm))
    }

    /// Makes a platform of its file form and the files that it names.
    ///
    /// # Errors
    /// Settings that make no platform or that this version does not model, and files that cannot be read.
    pub fn with_files(
        mut file: PlatformFile,
        files: &dyn PlatformFiles,
    ) -> Result<Self, PlatformError> {
        refuse_what_is_not_modelled(&file)?;
        settings::check(&file)?;
        let library = settings::library(&file)?;
        Routes::new(&file.topology, file.nodes).map_err(|reason| wrong(&file, reason))?;
        if let Placement::File(name) = &file.placement {
            let of_file = |reason: String| wrong(&file, format!("placement file {name}: {reason}"));
            let text = files.placement(name).map_err(of_file)?;
            file.placement = Placement::List(node_list(&text).map_err(of_file)?);
        }
        let listed_pus = listed_pus(&file)?;
        let links = links(&file, files)?;
        let compute = compute(&file, files)?;
        let mut curves = Vec::new();
        for (_, data) in &links {
            replace_curves(&mut curves, &data.collectives);
        }
        Ok(Self {
            file,
            links,
            compute,
            speed: 1.0,
            pieces: None,
            listed_pus,
            library,
            curves,
        })
    }

    /// Puts `data` in place of the platform's own for every kind of link that `data` has a fit for, and its measured
    /// collectives in place of those of the same kind and ranks.
    ///
    /// # Errors
    /// The platform's settings of the MPI library cannot be put into these data.
    pub fn replace_comm(&mut self, data: &CommData) -> Result<(), PlatformError> {
        replace_curves(&mut self.curves, &data.collectives);
        let mut classes: Vec<LinkClass> = data.fits.iter().map(|fit| fit.link).collect();
        classes.sort_unstable();
        classes.dedup();
        // Classes without a fit in `data` keep the platform's own.
        self.links.retain(|(class, _)| !classes.contains(class));
        for class in classes {
            let mut data = data.clone();
            settings::apply(&self.file, class, &mut data)?;
            self.links.push((class, data));
        }
        Ok(())
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.file.name
    }

    /// The file form it was made of.
    pub fn file(&self) -> &PlatformFile {
        &self.file
    }

    /// Its MPI library, as far as it chooses the algorithms of collectives.
    pub fn library(&self) -> &Library {
        &self.library
    }

    /// Measured times of collectives.
    pub fn collective_curves(&self) -> &[CollectiveCurve] {
        &self.curves
    }

    /// Puts an algorithm in place of the library's choice for a collective.
    ///
    /// # Errors
    /// An algorithm that there is not.
    pub fn force_algorithm(
        &mut self,
        kind: CollectiveKind,
        name: &str,
    ) -> Result<(), PlatformError> {
        let Some(found) = crate::collective::algorithm(kind, name) else {
            let known: Vec<&str> = crate::collective::algorithms(kind)
                .map(|algorithm| algorithm.name)
                .collect();
            let reason = format!(
                "there is no algorithm '{name}' of this collective; they are {}",
                known.join(", ")
            );
            return Err(wrong(&self.file, reason));
        };
        self.library.force(kind, found.name);
        // An algorithm that is named takes precedence over measured times.
        self.curves.retain(|curve| curve.kind != kind);
        Ok(())
    }

    /// Node of each of the first `ranks` ranks; empty if no two are on one.
    pub fn shared_nodes(&self, ranks: u32) -> Vec<u32> {
        let is_listed = matches!(self.file.placement, Placement::List(_));
        if self.file.ranks_per_node == 1 && !is_listed {
            return Vec::new();
        }
        let nodes: Vec<u32> = (0..ranks).map(|rank| self.node_of(Rank(rank))).collect();
        let mut sorted = nodes.clone();
        sorted.sort_unstable();
        // An empty list is what algorithms and rules take as "each rank on a node of its own".
        if sorted.windows(2).any(|pair| pair[0] == pair[1]) {
            nodes
        } else {
            Vec::new()
        }
    }

    /// Most of the first `ranks` ranks that share one node; they have a place each ([`Platform::check_capacity`]).
    pub fn ranks_on_fullest_node(&self, ranks: u32) -> u32 {
        if self.file.ranks_per_node == 1 {
            return 1;
        }
        let mut occupancy: BTreeMap<u32, u32> = BTreeMap::new();
        for rank in 0..ranks {
            *occupancy.entry(self.node_of(Rank(rank))).or_default() += 1;
        }
        occupancy.into_values().max().unwrap_or(1)
    }

    /// How many ranks have a place.
    pub fn capacity(&self) -> u64 {
        match &self.file.placement {
            Placement::Block | Placement::Cyclic | Placement::File(_) => {
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

    /// Placement of ranks: the processing unit of a rank that has a place; those of one node are numbered in a row.
    pub fn pu_of(&self, rank: Rank) -> Pu {
        let (nodes, per_node) = (self.file.nodes, self.file.ranks_per_node);
        match &self.file.placement {
            // A file has become a list before any rank is placed.
            Placement::Block | Placement::File(_) => Pu(rank.0),
            // Rank r is the (r / nodes)-th rank of its node, so it has the PU of that number there.
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

    /// Speed of a rank's PU relative to the PU of its compute data; 1 where it is the same.
    pub fn speed_of(&self, rank: Rank) -> f64 {
        self.speed * self.pu_type_of(rank).and_then(|pu| pu.speed).unwrap_or(1.0)
    }

    /// Which speeds of PUs are guesses rather than measurements, for people; `None` if none are.
    pub fn guessed_speed(&self) -> Option<String> {
        let factor = if self.speed == 1.0 {
            None
        } else {
            Some(format!("PUs {} times as fast as measured", self.speed))
        };
        let unequal = self.pu_types().iter().any(|pu| pu.speed.is_some());
        match (factor, unequal) {
            (None, false) => None,
            (Some(factor), false) => Some(factor),
            (None, true) => Some("speeds of unequal PUs".into()),
            (Some(factor), true) => Some(format!("speeds of unequal PUs, and {factor}")),
        }
    }

    /// Compute data of the platform's own PU types, each once; [`Platform::compute_of`] says whose they are.
    pub fn compute(&self) -> impl ExactSizeIterator<Item = &ComputeData> {
        self.compute.iter().map(|(_, data)| data)
    }

    /// Which of [`Platform::compute`] a rank's PU has; `None` where it takes the data given beside the platform.
    pub fn compute_of(&self, rank: Rank) -> Option<usize> {
        let name = self.pu_type_of(rank)?.compute.as_ref()?;
        self.compute.iter().position(|(known, _)| known == name)
    }

    /// Whether all nodes have compute data of their own.
    pub fn has_all_compute(&self) -> bool {
        let types = self.pu_types();
        !types.is_empty() && types.iter().all(|pu| pu.compute.is_some())
    }

    /// Bytes in which longer messages are sent, one piece after the other; `None` where they go whole.
    pub fn pieces(&self) -> Option<u64> {
        self.pieces
    }

    fn pu_types(&self) -> &[PuType] {
        match &self.file.pu {
            PuChoice::Phrase(_) => &[],
            PuChoice::Types(types) => types,
        }
    }

    fn pu_type_of(&self, rank: Rank) -> Option<&PuType> {
        let types = self.pu_types();
        if types.is_empty() {
            return None;
        }
        let node = self.node_of(rank);
        types.iter().find(|pu| covers(pu, node))
    }

    /// The communication data of a kind of link.
    pub fn comm(&self, class: LinkClass) -> Option<&CommData> {
        self.links
            .iter()
            .find(|(link, _)| *link == class)
            .map(|(_, data)| data)
    }

    /// The fit of `model` for a kind of link: that for the class itself, or the only one of the
    /// data that the platform names for the class.
    pub fn fit(&self, model: &str, class: LinkClass) -> Option<&ModelFit> {
        let data = self.comm(class)?;
        let mut of_model = data.fits.iter().filter(|fit| fit.model == model);
        // The data of a class may have been measured over another one, as when one file serves two classes.
        // Several fits without the class are ambiguous.
        data.fit(model, class)
            .or_else(|| of_model.next().filter(|_| of_model.next().is_none()))
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
        let mut warnings: Vec<String> = self.unused_settings(model).into_iter().collect();
        let between_nodes = self.fit(model, LinkClass::BetweenNodes);
        let mut inside_node = self.fit(model, LinkClass::InsideNode);
        let (shares, crosses) = self.links_in_use(ranks);
        if crosses && between_nodes.is_none() {
            return Err(self.no_fit(model, LinkClass::BetweenNodes));
        }
        if crosses {
            warnings.extend(self.unused_topology(model));
        }
        // Of the data measured inside nodes only: a message of a rank to itself never leaves the node, so the
        // substitute from between nodes below does not apply to it.
        let own_inside = inside_node;
        if shares && inside_node.is_none() {
            inside_node =
                Some(between_nodes.ok_or_else(|| self.no_fit(model, LinkClass::InsideNode))?);
            warnings.push(format!(
                "platform '{}' has no '{model}' data for ranks of one node; they talk as between nodes",
                self.file.name
            ));
        }
        let to_self = self.fit(model, LinkClass::ToSelf).or(own_inside);
        Ok(LinkFits {
            to_self,
            inside_node,
            between_nodes,
            warnings,
            shape: NetworkShape {
                topology: self.file.topology.clone(),
                nodes: self.file.nodes,
                ranks_per_node: self.file.ranks_per_node,
            },
        })
    }

    /// Whether any two of `ranks` ranks share a node, and whether any two are on two nodes.
    fn links_in_use(&self, ranks: u32) -> (bool, bool) {
        let mut nodes: Vec<u32> = (0..ranks).map(|rank| self.node_of(Rank(rank))).collect();
        nodes.sort_unstable();
        (
            nodes.windows(2).any(|pair| pair[0] == pair[1]),
            nodes.windows(2).any(|pair| pair[0] != pair[1]),
        )
    }

    fn no_fit(&self, model: &str, class: LinkClass) -> PlatformError {
        let remedy = "give communication data with --comm, or make them with 'mpiete calibrate'";
        let reason = match self.comm(class) {
            None => format!("no communication data for link class {class}; {remedy}"),
            Some(data) => {
                let mut models: Vec<&str> =
                    data.fits.iter().map(|fit| fit.model.as_str()).collect();
                models.sort_unstable();
                models.dedup();
                let has = if models.is_empty() {
                    "none".into()
                } else {
                    models.join(", ")
                };
                format!(
                    "no parameters of model '{model}' for link class {class} (found: {has}); {remedy}"
                )
            }
        };
        PlatformError::Links {
            platform: self.file.name.clone(),
            reason,
        }
    }
}

#[cfg(test)]
mod tests;
