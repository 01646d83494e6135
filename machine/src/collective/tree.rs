//! Trees of ranks, and the broadcast and reduction along them.
//!
//! Shapes: the binomial tree; the k-nomial tree (its generalisation to base k); k chains below the root; the complete
//! binary tree, numbered level by level.

use super::step::{DataPart, Operation, Received, Sent, Step};

/// The neighbours of a rank in a tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Tree {
    /// Where data come from in a broadcast; `None` for the root.
    pub parent: Option<u32>,
    /// Where they go to, in the order of a broadcast's sends.
    pub children: Vec<u32>,
}

impl Tree {
    /// The neighbours of the operation's rank in a binomial tree.
    pub fn binomial(operation: &Operation<'_>) -> Self {
        Self::knomial(operation, 2)
    }

    /// In a k-nomial tree: the parent has the lowest digit other than 0 (to base k) at 0, the children have one of the
    /// digits below set, the highest position first.
    pub fn knomial(operation: &Operation<'_>, radix: u32) -> Self {
        let (own, ranks) = (operation.relative(), operation.ranks);
        let radix = radix.max(2);
        let mut tree = Tree::default();
        let mut stride = 1u32;
        while stride < ranks {
            let digit = own / stride % radix;
            if digit != 0 {
                tree.parent = Some(operation.absolute(own - digit * stride));
                break;
            }
            stride = stride.saturating_mul(radix);
        }
        // `stride` is now the position of the own lowest digit, or above all ranks for the root; children are
        // below it.
        while stride > 1 {
            stride = stride.div_ceil(radix);
            for digit in 1..radix {
                let child = u64::from(own) + u64::from(digit) * u64::from(stride);
                if child < ranks.into() {
                    tree.children.push(operation.absolute(child as u32));
                }
            }
        }
        tree
    }

    /// In `chains` chains below the root that are equally long, the first ones a rank longer where that does not divide.
    pub fn chains(operation: &Operation<'_>, chains: u32) -> Self {
        let (own, ranks) = (operation.relative(), operation.ranks);
        let others = ranks - 1;
        let chains = chains.clamp(1, others.max(1));
        let mut tree = Tree::default();
        let mut first = 1;
        for chain in 0..chains {
            // Rank 0 is the root of all chains, so chains cover ranks 1 to `ranks` − 1.
            let length = others / chains + u32::from(chain < others % chains);
            if own == 0 && length > 0 {
                tree.children.push(operation.absolute(first));
            }
            if own >= first && own < first + length {
                let parent = if own == first { 0 } else { own - 1 };
                tree.parent = Some(operation.absolute(parent));
                if own + 1 < first + length {
                    tree.children.push(operation.absolute(own + 1));
                }
            }
            first += length;
        }
        tree
    }

    /// In a tree of which each node has `fanout` children, numbered level by level: of the node at `i`-th place of a
    /// level of width w, the children are at places i, i + w, i + 2 w, … of the next level.
    pub fn level_order(operation: &Operation<'_>, fanout: u32) -> Self {
        let (own, ranks) = (operation.relative(), operation.ranks);
        let fanout = fanout.max(2);
        let mut tree = Tree::default();
        let (mut first, mut width) = (0u64, 1u64);
        while u64::from(own) >= first + width {
            first += width;
            width *= u64::from(fanout);
        }
        let place = u64::from(own) - first;
        if own != 0 {
            let above = width / u64::from(fanout);
            // The level above has `above` nodes; the children at places i, i + above, … have the parent at
            // place i.
            let parent = first - above + place % above;
            tree.parent = Some(operation.absolute(parent as u32));
        }
        for child in 0..u64::from(fanout) {
            let number = first + width + place + child * width;
            if number < ranks.into() {
                tree.children.push(operation.absolute(number as u32));
            }
        }
        tree
    }
}

/// Broadcast along a tree. An operand of several segments is pipelined: the next segment's receive is posted before a
/// segment is passed on.
pub(super) fn broadcast(operation: &Operation<'_>, tree: &Tree) -> Vec<Step> {
    let segments = operation.segments();
    let mut steps = Vec::new();
    if let [whole] = segments[..] {
        if let Some(parent) = tree.parent {
            steps.push(Step::receive(parent, whole));
        }
        for &child in &tree.children {
            steps.push(Step::send(child, whole));
        }
        return steps;
    }
    // At most two receives are under way: the one awaited and the next one.
    // Slots 0 and 1 take turns with the receives; the sends of one segment have those above.
    let last = segments.len() - 1;
    if let Some(parent) = tree.parent {
        steps.push(Step::StartReceive(0, Received::store(parent, segments[0])));
    }
    for (number, &segment) in segments.iter().enumerate() {
        let slot = (number % 2) as u32;
        if let Some(parent) = tree.parent {
            if number < last {
                let next = Received::store(parent, segments[number + 1]);
                steps.push(Step::StartReceive(1 - slot, next));
            }
            steps.push(Step::Wait(slot));
        }
        send_to_all(&tree.children, segment, 2, &mut steps);
    }
    steps
}

/// Sends a part to some ranks at once; the slots from `first` on are used.
pub(super) fn send_to_all(ranks: &[u32], part: DataPart, first: u32, steps: &mut Vec<Step>) {
    for (slot, &to) in (first..).zip(ranks) {
        steps.push(Step::StartSend(slot, Sent { to, part }));
    }
    for (slot, _) in (first..).zip(ranks) {
        steps.push(Step::Wait(slot));
    }
}

/// Reduction along a tree, which receives from the children in the reverse order of a broadcast's sends; segment by
/// segment.
pub(super) fn reduce(operation: &Operation<'_>, tree: &Tree) -> Vec<Step> {
    let mut steps = Vec::new();
    for segment in operation.segments() {
        // In a binomial tree, the last child of a broadcast has the smallest subtree, so its operand is ready
        // first.
        for &child in tree.children.iter().rev() {
            steps.push(Step::reduce(child, segment));
        }
        if let Some(parent) = tree.parent {
            steps.push(Step::send(parent, segment));
        }
    }
    steps
}
