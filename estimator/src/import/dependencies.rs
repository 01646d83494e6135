//! One order for operations that only depend on each other: a rank's stream has one. What is free to
//! run goes before what must wait for a message, otherwise the order of the file decides. Messages are
//! started as early as this order allows and waited for where something requires their end.

use super::goal_statements::{Action, Operation};
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

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

/// The order of a rank, and how many operations could go before others in another one.
///
/// # Errors
/// An operation that requires itself in the end.
pub(super) fn order(operations: &[Operation]) -> Result<(Vec<Ordered>, u64), u32> {
    let mut state = Ordering::new(operations);
    while let Some(next) = state.next() {
        state.take(next);
    }
    state.finish()
}

struct Ordering<'a> {
    operations: &'a [Operation],
    /// Operations to be started before this one can be looked at.
    blocking: Vec<u32>,
    /// Messages under way that this one requires.
    awaited: Vec<u32>,
    /// Whether somebody only follows it.
    followed: Vec<bool>,
    later: Vec<Vec<(u32, bool)>>,
    free: BinaryHeap<Reverse<u32>>,
    waiting: BTreeSet<u32>,
    /// By operation: its request, while it is under way.
    requests: Vec<Option<u32>>,
    unused: BinaryHeap<Reverse<u32>>,
    numbers: u32,
    ordered: Vec<Ordered>,
    taken: usize,
    unordered: u64,
}

impl<'a> Ordering<'a> {
    fn new(operations: &'a [Operation]) -> Self {
        let count = operations.len();
        let mut state = Self {
            operations,
            blocking: vec![0; count],
            awaited: vec![0; count],
            followed: vec![false; count],
            later: vec![Vec::new(); count],
            free: BinaryHeap::new(),
            waiting: BTreeSet::new(),
            requests: vec![None; count],
            unused: BinaryHeap::new(),
            numbers: 0,
            ordered: Vec::with_capacity(count),
            taken: 0,
            unordered: 0,
        };
        for (number, operation) in (0u32..).zip(operations) {
            let own = number as usize;
            state.blocking[own] = (operation.requires.len() + operation.follows.len()) as u32;
            for &earlier in &operation.requires {
                state.later[earlier as usize].push((number, true));
            }
            for &earlier in &operation.follows {
                state.later[earlier as usize].push((number, false));
                state.followed[earlier as usize] = true;
            }
            if state.blocking[own] == 0 {
                state.free.push(Reverse(number));
            }
        }
        state
    }

    /// What is free to run, otherwise the first that can run after a wait.
    fn next(&mut self) -> Option<u32> {
        if let Some(Reverse(number)) = self.free.pop() {
            return Some(number);
        }
        self.waiting.pop_first()
    }

    fn take(&mut self, number: u32) {
        self.unordered += u64::from(!self.free.is_empty() || !self.waiting.is_empty());
        self.wait_for(number);
        let own = number as usize;
        let alone = self.free.is_empty() && self.waiting.is_empty() && !self.followed[own];
        match self.operations[own].action {
            Action::Compute(_) => self.ordered.push(Ordered::Do(number)),
            Action::Send { .. } | Action::Receive { .. } if alone => {
                self.ordered.push(Ordered::Do(number))
            }
            Action::Send { .. } | Action::Receive { .. } => self.start(number),
        }
        self.taken += 1;
        for (later, requires) in std::mem::take(&mut self.later[own]) {
            self.awaited[later as usize] += u32::from(requires && self.requests[own].is_some());
            self.blocking[later as usize] -= 1;
            self.later[own].push((later, requires));
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
        let request = self
            .unused
            .pop()
            .map(|Reverse(request)| request)
            .unwrap_or_else(|| {
                self.numbers += 1;
                self.numbers - 1
            });
        self.requests[number as usize] = Some(request);
        self.ordered.push(Ordered::Start(number, request));
    }

    /// Ends the messages that an operation requires.
    fn wait_for(&mut self, number: u32) {
        let required = &self.operations[number as usize].requires;
        let under_way: BTreeSet<u32> = required
            .iter()
            .copied()
            .filter(|&earlier| self.requests[earlier as usize].is_some())
            .collect();
        let requests: Vec<u32> = under_way
            .iter()
            .filter_map(|&earlier| self.requests[earlier as usize].take())
            .collect();
        if requests.is_empty() {
            return;
        }
        self.unused
            .extend(requests.iter().map(|&request| Reverse(request)));
        self.ordered.push(Ordered::Wait(number, requests));
        for earlier in under_way {
            let later = std::mem::take(&mut self.later[earlier as usize]);
            for &(later, _) in later
                .iter()
                .filter(|&&(later, requires)| requires && later != number)
            {
                self.awaited[later as usize] -= 1;
                if self.awaited[later as usize] == 0 && self.waiting.remove(&later) {
                    self.free.push(Reverse(later));
                }
            }
        }
    }

    fn finish(mut self) -> Result<(Vec<Ordered>, u64), u32> {
        if self.taken < self.operations.len() {
            let stuck = (0u32..)
                .zip(&self.blocking)
                .find(|(_, blocking)| **blocking > 0);
            return Err(stuck.map_or(0, |(number, _)| number));
        }
        let open: Vec<u32> = self.requests.iter().flatten().copied().collect();
        if let Some(last) = self
            .operations
            .len()
            .checked_sub(1)
            .filter(|_| !open.is_empty())
        {
            self.ordered.push(Ordered::Wait(last as u32, open));
        }
        Ok((self.ordered, self.unordered))
    }
}
