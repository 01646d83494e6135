//! Collectives in two levels: inside each node, and between one rank of each node. What happens on a level is a collective of
//! its own, performed as the library chooses for its ranks and bytes ([`Within`](super::Within)).
//!
//! MPICH's forms (src/mpid/ch4/src/ch4_coll_impl.h and src/mpi/coll/*/*_intra_smp.c of 4.0.2) have the lowest rank of each node,
//! its *leader*, between nodes. Open MPI's (ompi/mca/coll/han/coll_han_*.c of 5.0.8, component *han*) have the ranks that
//! have the root's place on their nodes, and cut the operand into segments that the two levels work on in turn
//! ([`super::two_level_pipelined`]).

use super::selection::{Case, Form, Level};
use super::step::{Blocks, DataPart, Operation, Received, Sent, Step, Within};
use super::{Parameters, allgather_linear, gather_linear, scatter_linear, selection};
use base_data::program_data::CollectiveKind;

/// The ranks of all nodes, and the node of the rank whose steps are made.
pub(super) struct Nodes {
    /// [`Operation::by_node`].
    all: Vec<Vec<u32>>,
    own: usize,
}

impl Nodes {
    pub fn new(operation: &Operation<'_>) -> Self {
        let all = operation.by_node();
        let own = index(&all, operation.rank);
        Self { all, own }
    }

    /// The ranks of the own node.
    pub fn node(&self) -> &[u32] {
        &self.all[self.own]
    }

    /// Number of the node of a rank, and the rank's place there.
    pub fn find(&self, rank: u32) -> (usize, usize) {
        let node = index(&self.all, rank);
        let place = self.all[node].iter().position(|&other| other == rank);
        (node, place.unwrap_or(0))
    }

    /// The ranks with this place on their nodes.
    pub fn column(&self, place: usize) -> Vec<u32> {
        // Where nodes have unequally many ranks, the smaller ones have no rank at this place.
        let of_node = |node: &Vec<u32>| node.get(place).copied();
        self.all.iter().filter_map(of_node).collect()
    }

    /// Whether all nodes have equally many ranks.
    pub fn are_equal(&self) -> bool {
        self.all.iter().all(|node| node.len() == self.all[0].len())
    }

    /// How many ranks are on the nodes before the own one.
    fn begin(&self) -> u32 {
        let before = self.all[..self.own].iter();
        before.map(|node| node.len() as u32).sum()
    }
}

fn index(nodes: &[Vec<u32>], rank: u32) -> usize {
    let of_rank = nodes.iter().position(|node| node.contains(&rank));
    of_rank.unwrap_or(0)
}

/// A collective of one level.
#[derive(Clone, Copy)]
pub(super) struct OfLevel<'a> {
    pub kind: CollectiveKind,
    pub level: Level,
    /// Started by one call and completed by another.
    pub is_nonblocking: bool,
    /// The ranks that take part.
    pub members: &'a [u32],
    /// One of them.
    pub root: u32,
    /// The bytes of the operand.
    pub first: u64,
    /// How many; of collectives of blocks, of the block of one member.
    pub bytes: u64,
}

impl<'a> OfLevel<'a> {
    /// Of the whole operand.
    pub fn whole(
        operation: &Operation<'_>,
        kind: CollectiveKind,
        level: Level,
        (members, root): (&'a [u32], u32),
    ) -> Self {
        let is_nonblocking = |within: Within<'_>| within.is_nonblocking;
        Self {
            kind,
            level,
            is_nonblocking: operation.within.is_some_and(is_nonblocking),
            members,
            root,
            first: 0,
            bytes: operation.bytes,
        }
    }

    /// Its steps of the operation's rank; none if that is no member.
    pub fn steps(&self, operation: &Operation<'_>) -> Vec<Step> {
        let place = |rank: u32| self.members.iter().position(|&member| member == rank);
        let (Some(own), Some(root)) = (place(operation.rank), place(self.root)) else {
            return Vec::new();
        };
        let mut inner = Operation {
            rank: own as u32,
            ranks: self.members.len() as u32,
            root: root as u32,
            bytes: self.bytes,
            sent: Blocks::Same(self.bytes),
            received: Blocks::Same(self.bytes),
            // Inside a level no two ranks share a node, so that a level never splits again.
            nodes: &[],
            parameters: Parameters::default(),
            ..*operation
        };
        let mut schedule = selection::first(self.kind).schedule;
        if let Some(within) = operation.within {
            let has_blocks = matches!(
                self.kind,
                CollectiveKind::Gather | CollectiveKind::Scatter | CollectiveKind::Allgather
            );
            // The rules look at all blocks together; `bytes` is the block of one member.
            let blocks = if has_blocks { inner.ranks.into() } else { 1 };
            let choice = within.library.choose(&Case {
                kind: self.kind,
                form: Form {
                    is_nonblocking: self.is_nonblocking,
                    ..Form::default()
                },
                ranks: inner.ranks,
                bytes: self.bytes,
                total: self.bytes.saturating_mul(blocks),
                elements: self.bytes / operation.element,
                built_in: within.built_in,
                commutes: operation.commutes,
                nodes: &[],
                level: self.level,
            });
            schedule = choice.algorithm.schedule;
            inner.parameters = choice.parameters;
        }
        schedule(&inner)
    }

    /// Its steps among all ranks, where it has an operand.
    pub fn among_all(&self, operation: &Operation<'_>) -> Vec<Step> {
        let shifted = |part| match part {
            DataPart::Range { first, bytes } => DataPart::Range {
                first: first + self.first,
                bytes,
            },
            other => other,
        };
        renamed(self.steps(operation), self.members, shifted)
    }

    /// Its steps among all ranks, where it has blocks; the members' blocks are one behind the other in the order of nodes,
    /// around the end of the blocks of `size` ranks from place `begin` on.
    fn of_blocks(&self, operation: &Operation<'_>, begin: u32, size: u32) -> Vec<Step> {
        let length = self.bytes;
        let by_node = |part| {
            let (first, bytes) = match part {
                DataPart::Blocks { first, count } => {
                    (u64::from(first) * length, u64::from(count) * length)
                }
                DataPart::Range { first, bytes } => (first, bytes),
                DataPart::Segment {
                    block,
                    first,
                    bytes,
                } => (u64::from(block) * length + first, bytes),
                other => return other,
            };
            DataPart::ByNode {
                begin,
                size,
                first,
                bytes,
            }
        };
        renamed(self.steps(operation), self.members, by_node)
    }
}

/// Steps among `members` as steps of all ranks.
fn renamed(steps: Vec<Step>, members: &[u32], part: impl Fn(DataPart) -> DataPart) -> Vec<Step> {
    let sent = |sent: Sent| Sent {
        to: members[sent.to as usize],
        part: part(sent.part),
    };
    let received = |received: Received| Received {
        from: members[received.from as usize],
        part: part(received.part),
        ..received
    };
    let rename = |step| match step {
        Step::Send(out) => Step::Send(sent(out)),
        Step::Forward(out) => Step::Forward(sent(out)),
        Step::Receive(back) => Step::Receive(received(back)),
        Step::Exchange(out, back) => Step::Exchange(sent(out), received(back)),
        Step::StartSend(slot, out) => Step::StartSend(slot, sent(out)),
        Step::StartReceive(slot, back) => Step::StartReceive(slot, received(back)),
        Step::Wait(slot) => Step::Wait(slot),
    };
    steps.into_iter().map(rename).collect()
}

/// Steps of a collective of the whole operand on one level.
fn whole(
    operation: &Operation<'_>,
    kind: CollectiveKind,
    level: Level,
    members: &[u32],
    root: u32,
) -> Vec<Step> {
    OfLevel::whole(operation, kind, level, (members, root)).among_all(operation)
}

/// Barrier of MPICH: inside the nodes, between leaders, and a message of one byte that releases the ranks of each node.
pub fn barrier(operation: &Operation<'_>) -> Vec<Step> {
    let nodes = Nodes::new(operation);
    let (node, leaders) = (nodes.node(), nodes.column(0));
    let kind = CollectiveKind::Barrier;
    let mut steps = whole(operation, kind, Level::Node, node, node[0]);
    steps.extend(whole(operation, kind, Level::Leaders, &leaders, leaders[0]));
    let release = Operation {
        bytes: 1,
        element: 1,
        ..*operation
    };
    let broadcast = CollectiveKind::Broadcast;
    steps.extend(whole(&release, broadcast, Level::Node, node, node[0]));
    steps
}

/// Barrier of Open MPI: inside the nodes, between leaders, inside the nodes.
pub fn three_barriers(operation: &Operation<'_>) -> Vec<Step> {
    let nodes = Nodes::new(operation);
    let (node, leaders) = (nodes.node(), nodes.column(0));
    let kind = CollectiveKind::Barrier;
    let mut steps = whole(operation, kind, Level::Node, node, node[0]);
    steps.extend(whole(operation, kind, Level::Leaders, &leaders, leaders[0]));
    steps.extend(whole(operation, kind, Level::Node, node, node[0]));
    steps
}

/// Broadcast of MPICH for short operands: from the root to its leader, between leaders, inside the nodes.
pub fn broadcast(operation: &Operation<'_>) -> Vec<Step> {
    let nodes = Nodes::new(operation);
    let root = operation.root;
    let leader = nodes.column(0)[nodes.find(root).0];
    let mut steps = Vec::new();
    if leader != root {
        if operation.rank == root {
            steps.push(Step::send(leader, operation.whole()));
        } else if operation.rank == leader {
            steps.push(Step::receive(root, operation.whole()));
        }
    }
    let (node, kind) = (nodes.node(), CollectiveKind::Broadcast);
    let leaders = nodes.column(0);
    steps.extend(whole(operation, kind, Level::Leaders, &leaders, leader));
    // As in MPICH, a root that is no leader receives its own operand again.
    steps.extend(whole(operation, kind, Level::Node, node, node[0]));
    steps
}

/// Broadcast of MPICH for longer operands: on the root's node unless the root is its leader, between leaders, on all other
/// nodes.
pub fn broadcast_root_first(operation: &Operation<'_>) -> Vec<Step> {
    let nodes = Nodes::new(operation);
    let (root_node, root_place) = nodes.find(operation.root);
    let (node, leaders) = (nodes.node(), nodes.column(0));
    let kind = CollectiveKind::Broadcast;
    let is_first = nodes.own == root_node && root_place > 0;
    let mut steps = Vec::new();
    if is_first {
        steps = whole(operation, kind, Level::Node, node, operation.root);
    }
    let root_leader = leaders[root_node];
    steps.extend(whole(
        operation,
        kind,
        Level::Leaders,
        &leaders,
        root_leader,
    ));
    if !is_first {
        steps.extend(whole(operation, kind, Level::Node, node, node[0]));
    }
    steps
}

/// Reduction of MPICH for longer operands: inside the nodes, between leaders to rank 0, from there to the root.
pub fn reduce(operation: &Operation<'_>) -> Vec<Step> {
    let nodes = Nodes::new(operation);
    let (node, leaders) = (nodes.node(), nodes.column(0));
    let kind = CollectiveKind::Reduce;
    let mut steps = whole(operation, kind, Level::Node, node, node[0]);
    steps.extend(whole(operation, kind, Level::Leaders, &leaders, leaders[0]));
    // The first leader is rank 0, since nodes are in the order of their lowest ranks.
    if operation.root != 0 {
        if operation.rank == 0 {
            steps.push(Step::send(operation.root, operation.whole()));
        } else if operation.rank == operation.root {
            steps.push(Step::receive(0, operation.whole()));
        }
    }
    steps
}

/// Reduction of MPICH for short operands: inside all nodes but the root's, between leaders to that of the root's node, inside
/// the root's node.
pub fn reduce_root_last(operation: &Operation<'_>) -> Vec<Step> {
    let nodes = Nodes::new(operation);
    let root_node = nodes.find(operation.root).0;
    let (node, leaders) = (nodes.node(), nodes.column(0));
    let kind = CollectiveKind::Reduce;
    let is_last = nodes.own == root_node;
    let mut steps = Vec::new();
    if !is_last {
        steps = whole(operation, kind, Level::Node, node, node[0]);
    }
    let root_leader = leaders[root_node];
    steps.extend(whole(
        operation,
        kind,
        Level::Leaders,
        &leaders,
        root_leader,
    ));
    if is_last {
        steps.extend(whole(operation, kind, Level::Node, node, operation.root));
    }
    steps
}

/// Allreduce of both libraries: reduction inside the nodes, allreduce between leaders, broadcast inside the nodes.
pub fn allreduce(operation: &Operation<'_>) -> Vec<Step> {
    let nodes = Nodes::new(operation);
    let (node, leaders) = (nodes.node(), nodes.column(0));
    let (inside, between) = (Level::Node, Level::Leaders);
    let mut steps = whole(operation, CollectiveKind::Reduce, inside, node, node[0]);
    let kind = CollectiveKind::Allreduce;
    steps.extend(whole(operation, kind, between, &leaders, leaders[0]));
    let kind = CollectiveKind::Broadcast;
    steps.extend(whole(operation, kind, inside, node, node[0]));
    steps
}

/// Broadcast of Open MPI's han without segments: between the ranks that have the root's place on their nodes, inside the
/// nodes.
pub fn broadcast_by_place(operation: &Operation<'_>) -> Vec<Step> {
    let nodes = Nodes::new(operation);
    if !nodes.are_equal() {
        return broadcast(operation);
    }
    let place = nodes.find(operation.root).1;
    let (node, column) = (nodes.node(), nodes.column(place));
    let kind = CollectiveKind::Broadcast;
    let mut steps = whole(operation, kind, Level::Leaders, &column, operation.root);
    steps.extend(whole(operation, kind, Level::Node, node, node[place]));
    steps
}

/// Reduction of Open MPI's han without segments: inside the nodes to the rank with the root's place, between those.
pub fn reduce_by_place(operation: &Operation<'_>) -> Vec<Step> {
    let nodes = Nodes::new(operation);
    if !nodes.are_equal() {
        return reduce(operation);
    }
    let place = nodes.find(operation.root).1;
    let (node, column) = (nodes.node(), nodes.column(place));
    let kind = CollectiveKind::Reduce;
    let mut steps = whole(operation, kind, Level::Node, node, node[place]);
    steps.extend(whole(
        operation,
        kind,
        Level::Leaders,
        &column,
        operation.root,
    ));
    steps
}

/// The block of each rank, where all are equal and all nodes have equally many ranks.
fn equal_blocks(blocks: Blocks<'_>, nodes: &Nodes) -> Option<u64> {
    match blocks {
        Blocks::Same(bytes) if nodes.are_equal() => Some(bytes),
        Blocks::Same(_) | Blocks::Each(_) => None,
    }
}

/// Gather of Open MPI's han: inside the nodes to the rank with the root's place, between those. Without a tree where lengths
/// or nodes differ.
pub fn gather(operation: &Operation<'_>) -> Vec<Step> {
    let nodes = Nodes::new(operation);
    let Some(block) = equal_blocks(operation.received, &nodes) else {
        return gather_linear::schedule(operation);
    };
    let place = nodes.find(operation.root).1;
    let (inside, between, column) = rooted(&nodes, CollectiveKind::Gather, block, place);
    let mut steps = inside.of_blocks(operation, nodes.begin(), inside.members.len() as u32);
    let between = OfLevel {
        members: &column,
        root: operation.root,
        ..between
    };
    steps.extend(between.of_blocks(operation, 0, operation.ranks));
    steps
}

/// Scatter of Open MPI's han: between the ranks that have the root's place on their nodes, inside the nodes. Without a tree
/// where lengths or nodes differ.
pub fn scatter(operation: &Operation<'_>) -> Vec<Step> {
    let nodes = Nodes::new(operation);
    let Some(block) = equal_blocks(operation.sent, &nodes) else {
        return scatter_linear::schedule(operation);
    };
    let place = nodes.find(operation.root).1;
    let (inside, between, column) = rooted(&nodes, CollectiveKind::Scatter, block, place);
    let between = OfLevel {
        members: &column,
        root: operation.root,
        ..between
    };
    let mut steps = between.of_blocks(operation, 0, operation.ranks);
    let own = inside.of_blocks(operation, nodes.begin(), inside.members.len() as u32);
    steps.extend(own);
    steps
}

/// Both levels of a gather or scatter, and the ranks between nodes; the members of the second are still to be named.
fn rooted<'a>(
    nodes: &'a Nodes,
    kind: CollectiveKind,
    block: u64,
    place: usize,
) -> (OfLevel<'a>, OfLevel<'a>, Vec<u32>) {
    let node = nodes.node();
    let inside = OfLevel {
        kind,
        level: Level::Node,
        is_nonblocking: false,
        members: node,
        root: node[place],
        first: 0,
        bytes: block,
    };
    let between = OfLevel {
        level: Level::Leaders,
        bytes: block.saturating_mul(node.len() as u64),
        ..inside
    };
    (inside, between, nodes.column(place))
}

/// Allgather of Open MPI's han: gather inside the nodes, allgather between leaders, broadcast of all blocks inside the nodes.
/// Through rank 0 where lengths or nodes differ.
pub fn allgather(operation: &Operation<'_>) -> Vec<Step> {
    let nodes = Nodes::new(operation);
    let Some(block) = equal_blocks(operation.received, &nodes) else {
        return allgather_linear::schedule(operation);
    };
    let (inside, between, leaders) = rooted(&nodes, CollectiveKind::Gather, block, 0);
    let mut steps = inside.of_blocks(operation, nodes.begin(), inside.members.len() as u32);
    let between = OfLevel {
        kind: CollectiveKind::Allgather,
        members: &leaders,
        root: leaders[0],
        ..between
    };
    steps.extend(between.of_blocks(operation, 0, operation.ranks));
    let all = OfLevel {
        kind: CollectiveKind::Broadcast,
        bytes: block.saturating_mul(operation.ranks.into()),
        ..inside
    };
    steps.extend(all.among_all(operation));
    steps
}
