//! A platform ready for use: which node and which processing unit a rank has, over which kind of
//! link two ranks talk, and the communication data of each kind of link.
//!
//! Not here: the file form ([`base_data::platform_file`]), reading files (the caller resolves
//! names), and what a message costs ([`crate::network`]).

use crate::network::Pu;
use base_data::Rank;
use base_data::comm_data::{CommData, LinkClass, ModelFit};
use base_data::platform_file::{EagerCredit, Placement, PlatformFile, Progress, PuChoice, PuType};

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

fn covers(pu: &PuType, node: u32) -> bool {
    node >= pu.first_node && node - pu.first_node < pu.nodes
}

fn wrong(file: &PlatformFile, reason: String) -> PlatformError {
    PlatformError::Value { platform: file.name.clone(), reason }
}

fn not_modelled(file: &PlatformFile, setting: impl Into<String>, remedy: &str) -> PlatformError {
    PlatformError::NotModelled { platform: file.name.clone(), setting: setting.into(), remedy: remedy.into() }
}

fn refuse_what_is_not_modelled(file: &PlatformFile) -> Result<(), PlatformError> {
    match file.progress {
        Progress::Asynchronous => {}
        Progress::InCall => {
            return Err(not_modelled(file, "progress = \"in-call\"", "write progress = \"asynchronous\""));
        }
    }
    match file.eager_credit {
        EagerCredit::Unlimited => {}
        EagerCredit::Bytes(bytes) => {
            let setting = format!("eager_credit of {bytes} bytes");
            return Err(not_modelled(file, setting, "write eager_credit = \"unlimited\""));
        }
    }
    for link in &file.links {
        if let LinkClass::Switches(_) = link.class {
            let setting = format!("link class {}", link.class);
            return Err(not_modelled(file, setting, "give the data of class between-nodes"));
        }
    }
    check_pus(file)
}

fn check_pus(file: &PlatformFile) -> Result<(), PlatformError> {
    let types = match &file.pu {
        PuChoice::Phrase(_) => return Ok(()),
        PuChoice::Types(types) => types,
    };
    for pu in types {
        if let Some(name) = &pu.compute {
            let setting = format!("a PU type with compute data of its own ('{name}')");
            return Err(not_modelled(file, setting, "give its speed relative to the measured PU"));
        }
        if let Some(speed) = pu.speed
            && !(speed.is_finite() && speed > 0.0)
        {
            return Err(wrong(file, format!("speed {speed} of a PU type must be a number above 0")));
        }
    }
    match (0..file.nodes).find(|&node| types.iter().filter(|pu| covers(pu, node)).count() != 1) {
        None => Ok(()),
        Some(node) => Err(wrong(file, format!("node {node} must be in exactly one PU type"))),
    }
}

fn listed_pus(file: &PlatformFile) -> Result<Vec<Pu>, PlatformError> {
    let list = match &file.placement {
        Placement::Block | Placement::Cyclic => return Ok(Vec::new()),
        Placement::List(list) => list,
    };
    let mut taken = vec![0u32; file.nodes as usize];
    let mut pus = Vec::with_capacity(list.len());
    for (rank, &node) in list.iter().enumerate() {
        let Some(count) = taken.get_mut(node as usize) else {
            let last = file.nodes - 1;
            return Err(wrong(
                file,
                format!("placement puts rank {rank} on node {node}; nodes are 0 to {last}"),
            ));
        };
        if *count == file.ranks_per_node {
            let most = file.ranks_per_node;
            return Err(wrong(
                file,
                format!("placement puts more than ranks_per_node = {most} ranks on node {node}; raise it"),
            ));
        }
        pus.push(Pu(node * file.ranks_per_node + *count));
        *count += 1;
    }
    Ok(pus)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn platform(text: &str) -> Result<Platform, String> {
        let whole = format!("format = 1\nname = \"test\"\nnodes = 2\nranks_per_node = 2\n{text}");
        let file = PlatformFile::parse(&whole).map_err(|error| error.to_string())?;
        Platform::new(file, &|name| Err(format!("no file '{name}'"))).map_err(|error| error.to_string())
    }

    fn nodes(text: &str) -> Vec<u32> {
        let platform = platform(text).unwrap();
        (0..4).map(|rank| platform.node_of(Rank(rank))).collect()
    }

    #[test]
    fn places_ranks() {
        assert_eq!(nodes("links = []"), [0, 0, 1, 1]);
        assert_eq!(nodes("placement = \"cyclic\"\nlinks = []"), [0, 1, 0, 1]);
        assert_eq!(nodes("placement = { list = [1, 0, 0, 1] }\nlinks = []"), [1, 0, 0, 1]);
        let cyclic = platform("placement = \"cyclic\"\nlinks = []").unwrap();
        assert_eq!((0..4).map(|rank| cyclic.pu_of(Rank(rank)).0).collect::<Vec<_>>(), [0, 2, 1, 3]);
        assert_eq!(cyclic.link(Rank(0), Rank(0)), LinkClass::ToSelf);
        assert_eq!(cyclic.link(Rank(0), Rank(2)), LinkClass::InsideNode);
        assert_eq!(cyclic.link(Rank(0), Rank(1)), LinkClass::BetweenNodes);
    }

    #[test]
    fn refuses_what_it_cannot_honour() {
        let cases = [
            ("progress = \"in-call\"\nlinks = []", "progress = \"in-call\" is not modelled"),
            ("eager_credit = { bytes = 65536 }\nlinks = []", "eager_credit of 65536 bytes is not modelled"),
            ("links = [{ class = { switches = 2 }, file = \"x\" }]", "switches-2 is not modelled"),
            ("links = [{ class = \"between-nodes\", file = \"x\" }]", "no file 'x'"),
            ("placement = { list = [0, 0, 0] }\nlinks = []", "more than ranks_per_node = 2"),
            ("placement = { list = [0, 2] }\nlinks = []", "rank 1 on node 2; nodes are 0 to 1"),
            ("pu = [{ first_node = 0, nodes = 1 }]\nlinks = []", "node 1 must be in exactly one"),
            (
                "pu = [{ first_node = 0, nodes = 2, compute = \"c\" }]\nlinks = []",
                "compute data of its own ('c')",
            ),
        ];
        for (text, expected) in cases {
            let error = platform(text).unwrap_err();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }

    #[test]
    fn counts_places() {
        let full = platform("links = []").unwrap();
        assert!(full.check_capacity(4).is_ok());
        let error = full.check_capacity(5).unwrap_err().to_string();
        assert!(error.contains("room for 4 ranks (2 nodes × 2") && error.contains("not for 5"), "{error}");
        let listed = platform("placement = { list = [0, 1] }\nlinks = []").unwrap();
        let error = listed.check_capacity(3).unwrap_err().to_string();
        assert!(error.contains("lists the nodes of 2 ranks, not of 3"), "{error}");
    }

    #[test]
    fn slower_nodes_are_guesses() {
        let text =
            "pu = [{ first_node = 0, nodes = 1 }, { first_node = 1, nodes = 1, speed = 0.5 }]\nlinks = []";
        let unequal = platform(text).unwrap();
        assert_eq!((unequal.speed_of(Rank(0)), unequal.speed_of(Rank(3))), (1.0, 0.5));
        assert!(unequal.guesses_speed());
    }

    #[test]
    fn names_what_links_lack() {
        let error = platform("links = []").unwrap().fits("mpiete", 4).unwrap_err().to_string();
        assert!(error.contains("no communication data for link class between-nodes"), "{error}");
    }
}
