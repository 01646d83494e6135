//! The tree of all paths that may yet become critical: each rank's state is the last edge on which its time depends,
//! and each edge refers to the one before it. Edges that no rank reaches are removed from time to time. If too many
//! are left, the oldest are discarded, and a further replay finds that part of the path. So memory is bounded for
//! every program.

use super::cause_propagation::{Ended, Propagation, Visit};
use crate::causes::dependence_edge::CostComponents;
use base_data::Time;

/// A point on a path: a rank at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PathPoint {
    pub(crate) rank: u32,
    pub(crate) at: Time,
}

/// A wait on a path: from the call that it depended on to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DependenceEdge {
    pub(crate) from: PathPoint,
    pub(crate) to: PathPoint,
    /// Calls of the send and of the receive; the same for what depends on one call only.
    pub(crate) sites: [u32; 2],
    /// Whether a message passes; not so where a started call takes its own time to the end.
    pub(crate) is_message: bool,
}

/// An edge, numbered from 1, or the begin of a path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PathState(u32);

const PATH_START: PathState = PathState(0);
const DISCARDED: PathState = PathState(u32::MAX);

/// Finds the path to a point.
pub(crate) struct PathTree {
    target: PathPoint,
    /// State of the target's rank at the target's time, once that has passed.
    found: Option<PathState>,
    edges: Vec<(PathState, DependenceEdge)>,
    /// Largest number of edges that are kept.
    most: usize,
    /// Number of edges at which unreachable ones are removed.
    crowded: usize,
}

/// A suffix of a path; the whole path unless edges were discarded.
#[derive(Debug, Default)]
pub(crate) struct PathSuffix {
    /// In the order of time.
    pub(crate) edges: Vec<DependenceEdge>,
    /// Whether earlier edges were discarded.
    pub(crate) forgotten: bool,
}

impl PathTree {
    /// Looks for the path to `target` with about `most` edges in memory.
    pub(crate) fn new(target: PathPoint, most: usize) -> Self {
        Self {
            target,
            found: None,
            edges: Vec::new(),
            most,
            crowded: most,
        }
    }

    /// The path, where `last` is the state of the target's rank at the end of the replay.
    pub(crate) fn suffix(&self, last: PathState) -> PathSuffix {
        let mut state = self.found.unwrap_or(last);
        let mut edges = Vec::new();
        while state != PATH_START && state != DISCARDED {
            let (before, edge) = self.edges[state.0 as usize - 1];
            edges.push(edge);
            state = before;
        }
        edges.reverse();
        PathSuffix {
            edges,
            forgotten: state == DISCARDED,
        }
    }

    /// Edges from which a rank's state is reached, and edges that are a rank's state.
    fn reachable(&self, visit: Visit<'_, PathState>) -> (Vec<bool>, Vec<bool>) {
        let mut carried = vec![false; self.edges.len()];
        visit(&mut |state| {
            if *state != PATH_START && *state != DISCARDED {
                carried[state.0 as usize - 1] = true;
            }
        });
        let mut reachable = carried.clone();
        // An edge refers to earlier ones only, so one pass from the last to the first reaches all.
        for index in (0..self.edges.len()).rev() {
            let before = self.edges[index].0;
            if reachable[index] && before != PATH_START && before != DISCARDED {
                reachable[before.0 as usize - 1] = true;
            }
        }
        (reachable, carried)
    }

    /// Discards the oldest reachable edges that are no rank's state: of more than half of `most`, all but a quarter.
    fn discard_oldest(&self, reachable: &mut [bool], carried: &[bool]) {
        let alive = reachable.iter().filter(|alive| **alive).count();
        let mut surplus = if alive > self.most / 2 {
            alive - self.most / 4
        } else {
            0
        };
        for (alive, carried) in reachable.iter_mut().zip(carried) {
            if surplus == 0 {
                return;
            }
            if *alive && !carried {
                *alive = false;
                surplus -= 1;
            }
        }
    }

    /// Keeps the reachable edges; returns the new number of each old one.
    fn retain(&mut self, reachable: &[bool]) -> Vec<PathState> {
        let mut numbers = vec![DISCARDED; reachable.len()];
        let mut kept = 0;
        for index in 0..reachable.len() {
            if reachable[index] {
                let (before, edge) = self.edges[index];
                self.edges[kept] = (renumbered(before, &numbers), edge);
                kept += 1;
                numbers[index] = PathState(kept as u32);
            }
        }
        self.edges.truncate(kept);
        numbers
    }
}

fn renumbered(state: PathState, numbers: &[PathState]) -> PathState {
    if state == PATH_START || state == DISCARDED {
        state
    } else {
        numbers[state.0 as usize - 1]
    }
}

impl Propagation for PathTree {
    type PathState = PathState;

    fn ended(&mut self, state: &mut PathState, ended: &Ended<'_, PathState>) {
        let end = ended.end;
        if end.to > self.target.at {
            // Beyond the target nothing can be on the path to it.
            if end.rank == self.target.rank && self.found.is_none() {
                self.found = Some(*state);
            }
            return;
        }
        let Some(cause) = ended.cause else { return };
        let origin = ended.origin(cause);
        let is_message = !matches!(cause.pieces, CostComponents::Send | CostComponents::Receive);
        if !is_message && origin.at == end.from {
            // A blocking call's own time: the rank has simply gone on.
            return;
        }
        let other = if is_message {
            ended.other.unwrap_or(ended.own)
        } else {
            ended.own
        };
        let sites = if ended.sends {
            [ended.own.site, other.site]
        } else {
            [other.site, ended.own.site]
        };
        let from = PathPoint {
            rank: origin.rank,
            at: origin.at,
        };
        let to = PathPoint {
            rank: end.rank,
            at: end.to,
        };
        self.edges.push((
            origin.state,
            DependenceEdge {
                from,
                to,
                sites,
                is_message,
            },
        ));
        *state = PathState(self.edges.len() as u32);
    }

    fn needs_pruning(&self) -> bool {
        self.edges.len() >= self.crowded
    }

    fn prune(&mut self, visit: Visit<'_, PathState>) {
        if let Some(found) = self.found {
            // Everything else is beside the path now.
            return self.retain_path(found, visit);
        }
        let (mut reachable, carried) = self.reachable(visit);
        self.discard_oldest(&mut reachable, &carried);
        let numbers = self.retain(&reachable);
        visit(&mut |state| *state = renumbered(*state, &numbers));
        // Doubling keeps the cost of pruning proportional to the edges that are added.
        self.crowded = self.most.max(2 * self.edges.len());
    }
}

impl PathTree {
    fn retain_path(&mut self, found: PathState, visit: Visit<'_, PathState>) {
        // Only the found path is kept: nothing later than the target can be on it.
        let (reachable, _) = self.reachable(&mut |show| show(&mut { found }));
        let numbers = self.retain(&reachable);
        visit(&mut |state| *state = renumbered(*state, &numbers));
        self.found = Some(renumbered(found, &numbers));
        self.crowded = self.most.max(2 * self.edges.len());
    }
}
