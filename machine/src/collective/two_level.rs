//! Collectives in two levels: inside each node, and between one *leader* per node, the node's lowest rank. MPICH's `smp`
//! algorithms have this form.

use super::step::{Operation, Received, Sent, Step};
use super::{
    allreduce_recursive_doubling, barrier_dissemination, broadcast_binomial, reduce_binomial,
};

use std::collections::BTreeSet;

/// Steps of one rank of an algorithm for one level.
type Level = fn(&Operation<'_>) -> Vec<Step>;

/// The ranks of a node and those of all leaders, ascending.
struct Levels {
    node: Vec<u32>,
    leaders: Vec<u32>,
}

impl Levels {
    fn new(operation: &Operation<'_>) -> Self {
        let own_node = node_of(operation, operation.rank);
        let mut seen = BTreeSet::new();
        let mut levels = Levels {
            node: Vec::new(),
            leaders: Vec::new(),
        };
        for rank in 0..operation.ranks {
            let node = node_of(operation, rank);
            if node == own_node {
                levels.node.push(rank);
            }
            if seen.insert(node) {
                levels.leaders.push(rank);
            }
        }
        levels
    }
}

/// The node of a rank; each is alone where no nodes are given.
fn node_of(operation: &Operation<'_>, rank: u32) -> u32 {
    operation.nodes.get(rank as usize).copied().unwrap_or(rank)
}

/// The lowest rank of the node of `rank`.
fn leader_of(operation: &Operation<'_>, rank: u32) -> u32 {
    let node = node_of(operation, rank);
    for other in 0..rank {
        if node_of(operation, other) == node {
            return other;
        }
    }
    rank
}

/// Appends the steps of `level` among `members`, if the rank is one of them.
fn among(
    operation: &Operation<'_>,
    members: &[u32],
    root: u32,
    level: Level,
    steps: &mut Vec<Step>,
) {
    let place = |rank: u32| members.iter().position(|&member| member == rank);
    let (Some(own), Some(root)) = (place(operation.rank), place(root)) else {
        return;
    };
    let inner = Operation {
        rank: own as u32,
        ranks: members.len() as u32,
        root: root as u32,
        // Within one level all members count as alone on their nodes, so that a level never splits again.
        nodes: &[],
        ..*operation
    };
    for step in level(&inner) {
        steps.push(renamed(step, members));
    }
}

/// A step among `members` as one of the whole communicator.
fn renamed(step: Step, members: &[u32]) -> Step {
    let sent = |sent: Sent| Sent {
        to: members[sent.to as usize],
        ..sent
    };
    let received = |received: Received| Received {
        from: members[received.from as usize],
        ..received
    };
    match step {
        Step::Send(out) => Step::Send(sent(out)),
        Step::Forward(out) => Step::Forward(sent(out)),
        Step::Receive(back) => Step::Receive(received(back)),
        Step::Exchange(out, back) => Step::Exchange(sent(out), received(back)),
        Step::StartSend(slot, out) => Step::StartSend(slot, sent(out)),
        Step::StartReceive(slot, back) => Step::StartReceive(slot, received(back)),
        Step::Wait(slot) => Step::Wait(slot),
    }
}

/// Barrier: inside the nodes, between leaders, and a message of one byte that releases the ranks of each node.
pub fn barrier(operation: &Operation<'_>) -> Vec<Step> {
    let levels = Levels::new(operation);
    let leader = levels.node[0];
    let mut steps = Vec::new();
    // The algorithm has no root, but `among` requires one that is a member.
    let zero = levels.leaders[0];
    among(
        operation,
        &levels.node,
        leader,
        barrier_dissemination::schedule,
        &mut steps,
    );
    among(
        operation,
        &levels.leaders,
        zero,
        barrier_dissemination::schedule,
        &mut steps,
    );
    let release = Operation {
        bytes: 1,
        element: 1,
        ..*operation
    };
    among(
        &release,
        &levels.node,
        leader,
        broadcast_binomial::schedule,
        &mut steps,
    );
    steps
}

/// Broadcast: from the root to the leader of its node, between leaders, inside the nodes.
pub fn broadcast(operation: &Operation<'_>) -> Vec<Step> {
    let levels = Levels::new(operation);
    let root_leader = leader_of(operation, operation.root);
    let mut steps = Vec::new();
    if root_leader != operation.root {
        if operation.rank == operation.root {
            steps.push(Step::send(root_leader, operation.whole()));
        } else if operation.rank == root_leader {
            steps.push(Step::receive(operation.root, operation.whole()));
        }
    }
    let binomial = broadcast_binomial::schedule;
    among(
        operation,
        &levels.leaders,
        root_leader,
        binomial,
        &mut steps,
    );
    among(
        operation,
        &levels.node,
        levels.node[0],
        binomial,
        &mut steps,
    );
    steps
}

/// Reduction: inside the nodes to their leaders (on the root's node to the root), between leaders to the root, which
/// takes its leader's place there.
pub fn reduce(operation: &Operation<'_>) -> Vec<Step> {
    let mut levels = Levels::new(operation);
    let root_leader = leader_of(operation, operation.root);
    for leader in &mut levels.leaders {
        // The root stands in for its leader, so that the result needs no further message inside its node.
        if *leader == root_leader {
            *leader = operation.root;
        }
    }
    let own_leader = match levels.node.contains(&operation.root) {
        true => operation.root,
        false => levels.node[0],
    };
    let binomial = reduce_binomial::schedule;
    let mut steps = Vec::new();
    among(operation, &levels.node, own_leader, binomial, &mut steps);
    among(
        operation,
        &levels.leaders,
        operation.root,
        binomial,
        &mut steps,
    );
    steps
}

/// Allreduce: reduction inside the nodes, allreduce between leaders, broadcast inside the nodes.
pub fn allreduce(operation: &Operation<'_>) -> Vec<Step> {
    let levels = Levels::new(operation);
    let (leader, zero) = (levels.node[0], levels.leaders[0]);
    let mut steps = Vec::new();
    let between = allreduce_recursive_doubling::schedule;
    among(
        operation,
        &levels.node,
        leader,
        reduce_binomial::schedule,
        &mut steps,
    );
    among(operation, &levels.leaders, zero, between, &mut steps);
    among(
        operation,
        &levels.node,
        leader,
        broadcast_binomial::schedule,
        &mut steps,
    );
    steps
}
