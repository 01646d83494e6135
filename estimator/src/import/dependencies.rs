//! Orders operations that are given with their dependencies only, since a rank's stream has one order. Operations that
//! are free to run precede those that must wait for a message; otherwise the order of the file applies. Messages are
//! started as early as this order allows, and waited for where an operation requires their end.

use super::goal_statements::{Action, Dependency, Operation, RankSchedule};
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};
use std::ops::Range;

/// A step of the order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Ordered {
    /// Does the operation; a message is started and ended.
    Do(u32),
    /// Starts the operation, a message, under the number of a request.
    Start(u32, u32),
    /// Waits, on behalf of an operation, for requests.
    Wait(u32, Vec<u32>),
}

/// Passes the steps of a rank's order on, and returns how many operations could go before others in another
/// order, or an operation that requires itself in the end. The order is not stored: of a rank with very many operations it
/// would take more memory than what is made of it.
///
/// # Errors
/// Those of `add`.
pub(super) fn order<E>(
    schedule: &RankSchedule,
    add: &mut dyn FnMut(&Ordered) -> Result<(), E>,
) -> Result<Result<u64, u32>, E> {
    let mut state = Ordering::new(schedule);
    while let Some(next) = state.next() {
        state.take(next);
        for step in state.ordered.drain(..) {
            add(&step)?;
        }
    }
    let unordered = state.finish();
    for step in state.ordered.drain(..) {
        add(&step)?;
    }
    Ok(unordered)
}

/// Dependencies grouped by one of their two operations, in one array.
struct Grouped {
    /// By operation: where its group begins; one more for the end.
    starts: Vec<u32>,
    dependencies: Vec<Dependency>,
}

impl Grouped {
    /// Groups by counting, which keeps the order of the file within each group.
    fn by(operations: usize, dependencies: &[Dependency], key: fn(&Dependency) -> u32) -> Self {
        let mut starts = vec![0u32; operations + 1];
        for dependency in dependencies {
            starts[key(dependency) as usize + 1] += 1;
        }
        // Counting sort: prefix sums give the begin of each group. Schedules have millions of dependencies,
        // and a list per operation would be an allocation each.
        for operation in 0..operations {
            starts[operation + 1] += starts[operation];
        }
        let mut next = starts.clone();
        let mut grouped = dependencies.to_vec();
        for dependency in dependencies {
            let place = &mut next[key(dependency) as usize];
            grouped[*place as usize] = *dependency;
            *place += 1;
        }
        Self {
            starts,
            dependencies: grouped,
        }
    }

    /// Where the group of an operation is in `dependencies`.
    fn group(&self, operation: u32) -> Range<usize> {
        let operation = operation as usize;
        self.starts[operation] as usize..self.starts[operation + 1] as usize
    }
}

struct Ordering<'a> {
    operations: &'a [Operation],
    /// What an operation waits for, and what waits for it.
    by_later: Grouped,
    by_earlier: Grouped,
    /// Operations to be started before this one can be looked at.
    blocking: Vec<u32>,
    /// Messages under way that this one requires.
    awaited: Vec<u32>,
    /// Whether another operation requires only its start.
    followed: Vec<bool>,
    free: BinaryHeap<Reverse<u32>>,
    waiting: BTreeSet<u32>,
    /// By operation: its request, while it is under way.
    requests: Vec<Option<u32>>,
    unused: BinaryHeap<Reverse<u32>>,
    numbers: u32,
    /// Steps that have not been passed on.
    ordered: Vec<Ordered>,
    taken: usize,
    unordered: u64,
}

impl<'a> Ordering<'a> {
    fn new(schedule: &'a RankSchedule) -> Self {
        let (operations, dependencies) = (&schedule.operations, &schedule.dependencies);
        let count = operations.len();
        let mut state = Self {
            operations,
            by_later: Grouped::by(count, dependencies, |dependency| dependency.later),
            by_earlier: Grouped::by(count, dependencies, |dependency| dependency.earlier),
            blocking: vec![0; count],
            awaited: vec![0; count],
            followed: vec![false; count],
            free: BinaryHeap::new(),
            waiting: BTreeSet::new(),
            requests: vec![None; count],
            unused: BinaryHeap::new(),
            numbers: 0,
            ordered: Vec::new(),
            taken: 0,
            unordered: 0,
        };
        // GOAL: "requires" waits for the end of an operation, "irequires" for its start.
        for dependency in dependencies {
            state.blocking[dependency.later as usize] += 1;
            if !dependency.requires {
                state.followed[dependency.earlier as usize] = true;
            }
        }
        for number in 0..count {
            if state.blocking[number] == 0 {
                state.free.push(Reverse(number as u32));
            }
        }
        state
    }

    /// The first operation that is free to run, otherwise the first that can run after a wait.
    fn next(&mut self) -> Option<u32> {
        if let Some(Reverse(number)) = self.free.pop() {
            return Some(number);
        }
        self.waiting.pop_first()
    }

    fn take(&mut self, number: u32) {
        // Anything else that could run now might run first in GOAL.
        self.unordered += u64::from(!self.free.is_empty() || !self.waiting.is_empty());
        self.wait_for(number);
        let own = number as usize;
        // No other operation can run meanwhile, and none depends on its start alone: a blocking call is the same.
        let alone = self.free.is_empty() && self.waiting.is_empty() && !self.followed[own];
        match self.operations[own].action {
            Action::Compute(_) => self.ordered.push(Ordered::Do(number)),
            Action::Send { .. } | Action::Receive { .. } if alone => {
                self.ordered.push(Ordered::Do(number))
            }
            Action::Send { .. } | Action::Receive { .. } => self.start(number),
        }
        self.taken += 1;
        let under_way = self.requests[own].is_some();
        for place in self.by_earlier.group(number) {
            let Dependency {
                later, requires, ..
            } = self.by_earlier.dependencies[place];
            // `irequires` is satisfied by the start. A message that has ended by now needs no wait either.
            self.awaited[later as usize] += u32::from(requires && under_way);
            self.blocking[later as usize] -= 1;
            if self.blocking[later as usize] == 0 {
                self.ready(later);
            }
        }
    }

    fn ready(&mut self, number: u32) {
        if self.awaited[number as usize] == 0 {
            self.free.push(Reverse(number));
        } else {
            self.waiting.insert(number);
        }
    }

    fn start(&mut self, number: u32) {
        let request = match self.unused.pop() {
            Some(Reverse(request)) => request,
            None => {
                self.numbers += 1;
                self.numbers - 1
            }
        };
        self.requests[number as usize] = Some(request);
        self.ordered.push(Ordered::Start(number, request));
    }

    /// Ends the messages that an operation requires.
    fn wait_for(&mut self, number: u32) {
        let mut under_way = Vec::new();
        for dependency in &self.by_later.dependencies[self.by_later.group(number)] {
            if dependency.requires && self.requests[dependency.earlier as usize].is_some() {
                under_way.push(dependency.earlier);
            }
        }
        if under_way.is_empty() {
            return;
        }
        under_way.sort_unstable();
        // A schedule may name a dependency twice.
        under_way.dedup();
        let requests: Vec<u32> = under_way
            .iter()
            .filter_map(|&earlier| self.requests[earlier as usize].take())
            .collect();
        self.unused
            .extend(requests.iter().map(|&request| Reverse(request)));
        self.ordered.push(Ordered::Wait(number, requests));
        for earlier in under_way {
            self.ended(earlier, number);
        }
    }

    /// A message has ended, for which `waiter` waited: other operations need not wait for it any more.
    fn ended(&mut self, earlier: u32, waiter: u32) {
        for place in self.by_earlier.group(earlier) {
            let Dependency {
                later, requires, ..
            } = self.by_earlier.dependencies[place];
            if !requires || later == waiter {
                continue;
            }
            self.awaited[later as usize] -= 1;
            if self.awaited[later as usize] == 0 && self.waiting.remove(&later) {
                self.free.push(Reverse(later));
            }
        }
    }

    /// Waits for what is still under way.
    fn finish(&mut self) -> Result<u64, u32> {
        if self.taken < self.operations.len() {
            // Operations in a cycle, and those behind it, are never free; the first of the file is reported.
            let stuck = (0u32..)
                .zip(&self.blocking)
                .find(|(_, blocking)| **blocking > 0);
            return Err(stuck.map_or(0, |(number, _)| number));
        }
        // Messages that no operation requires end before the rank does.
        let open: Vec<u32> = self.requests.iter().flatten().copied().collect();
        if let Some(last) = self
            .operations
            .len()
            .checked_sub(1)
            .filter(|_| !open.is_empty())
        {
            self.ordered.push(Ordered::Wait(last as u32, open));
        }
        Ok(self.unordered)
    }
}
