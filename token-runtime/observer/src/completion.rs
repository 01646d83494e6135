//! Calls that complete, test, start or free requests.

use crate::call_cache::Known;
use crate::calls::{Before, Moment};
use crate::observer::Observer;
use crate::passed_arguments::{Binding, PassedArguments};
use crate::rows::{CallKind, Completed, RequestArguments, RequestUse, Row};
use base_data::ids::RequestId;
use base_data::program_data::{Call, Completion, ObservedMatch};

impl Observer {
    /// A call that waits; wildcards among its requests need statuses.
    pub fn wait(
        &mut self,
        passed: &mut PassedArguments,
        at: &RequestArguments,
        statuses: usize,
    ) -> Option<Before> {
        let count = self.read_requests(passed, at, true);
        if self
            .pending
            .iter()
            .any(|&(_, number)| self.is_wildcard_request(number))
        {
            self.need_statuses(passed, statuses, count);
        }
        Some(Before::Requests)
    }

    /// The number of the request that a call makes or completes, 0 for one without; `None` if what it
    /// completes is nothing, or a receive whose message decides what is recorded.
    #[inline]
    pub fn used_request(&mut self, passed: &PassedArguments, request: RequestUse) -> Option<u32> {
        match request {
            RequestUse::None => Some(0),
            RequestUse::Makes(_) => Some(self.requests.next_number()),
            RequestUse::Completes(at) => {
                let variable = passed.place(at, 0);
                let number = self.requests.find(variable, passed.stored(variable), &[])?;
                if self.requests.is_pending(number) && !self.is_wildcard_request(number) {
                    Some(number)
                } else {
                    None
                }
            }
        }
    }

    fn is_wildcard_request(&self, number: u32) -> bool {
        self.requests
            .get(number)
            .is_some_and(|request| request.wildcard)
    }

    /// Looks the requests of an array up, in its order: all that are known, or only those that
    /// something waits for. Gives the array's length.
    pub fn read_requests(
        &mut self,
        passed: &PassedArguments,
        at: &RequestArguments,
        only_pending: bool,
    ) -> usize {
        let count = at
            .count
            .map_or(1, |count| usize::try_from(passed.int(count)).unwrap_or(0));
        self.pending.clear();
        self.chosen.clear();
        for position in 0..count {
            let variable = passed.place(at.requests, position);
            let handle = passed.stored(variable);
            let Some(number) = self.requests.find(variable, handle, &self.chosen) else {
                continue;
            };
            if !only_pending || self.requests.is_pending(number) {
                self.pending.push((position, number));
                self.chosen.push(number);
            }
        }
        count
    }

    /// What is recorded of the call, and what becomes of its requests. Gives what it was written down
    /// as, if that is the same the next time.
    pub fn after_requests(
        &mut self,
        row: &Row,
        passed: &PassedArguments,
        moment: &Moment,
    ) -> Option<Known> {
        match row.what {
            CallKind::Wait {
                completion: Completion::All,
                statuses,
                ..
            } => {
                let observed = self.observed_in(passed, statuses, false);
                return self.waited_for_all(moment, observed);
            }
            CallKind::Wait {
                completion,
                statuses,
                completed,
                requests: at,
            } => {
                let requests = self.ids();
                self.keep_completed(passed, &at, completed);
                let observed = self.observed_in(passed, statuses, true);
                let completed = self.ids();
                self.complete_pending();
                self.record(
                    moment,
                    &Call::Wait {
                        completion,
                        requests,
                        completed,
                        observed,
                    },
                );
            }
            CallKind::Test {
                completion,
                completed,
                requests: at,
            } => {
                let requests = self.ids();
                self.keep_completed(passed, &at, completed);
                let completed = self.ids();
                self.complete_pending();
                self.record(
                    moment,
                    &Call::Test {
                        completion,
                        requests,
                        completed,
                    },
                );
            }
            CallKind::StartPersistent { .. } => {
                let requests = self.ids();
                self.pending
                    .iter()
                    .for_each(|&(_, number)| self.requests.start(number));
                self.record(moment, &Call::StartPersistent { requests });
            }
            // Freeing is no entry of the stream.
            _ => self
                .pending
                .iter()
                .for_each(|&(_, number)| self.requests.free(number)),
        }
        None
    }

    /// A wait for all, the usual one, allocates nothing.
    fn waited_for_all(&mut self, moment: &Moment, observed: Vec<ObservedMatch>) -> Option<Known> {
        self.complete_pending();
        if !observed.is_empty() {
            let (completion, requests, completed) = (Completion::All, self.ids(), Vec::new());
            self.record(
                moment,
                &Call::Wait {
                    completion,
                    requests,
                    completed,
                    observed,
                },
            );
            return None;
        }
        let site = self.site(moment.row, moment.place);
        let entry = self.stream.wait_all(site, &self.chosen);
        self.times.leave(moment.entered, site);
        Some(Known { entry, site })
    }

    fn ids(&self) -> Vec<RequestId> {
        self.pending
            .iter()
            .map(|&(_, number)| RequestId(number))
            .collect()
    }

    fn complete_pending(&mut self) {
        self.pending
            .iter()
            .for_each(|&(_, number)| self.requests.complete(number));
    }

    /// Leaves those in the list of pending requests that the call says are complete.
    fn keep_completed(
        &mut self,
        passed: &PassedArguments,
        at: &RequestArguments,
        completed: Completed,
    ) {
        let undefined = self.numbers.undefined;
        let indices: Vec<i32> = match completed {
            Completed::All => return,
            Completed::AllIf(flag) if passed.written(flag, 0) != 0 => return,
            Completed::AllIf(_) => Vec::new(),
            Completed::Index(at) => vec![passed.written(at, 0)],
            Completed::Indices(number, indices) => (0..passed.written(number, 0))
                .map(|i| passed.written(indices, i as usize))
                .collect(),
        };
        let indices: Vec<i32> = indices
            .into_iter()
            .filter(|&index| index != undefined)
            .collect();
        let base = self.base(passed, at, &indices);
        // In the order in which the call names them, which is that of the statuses.
        let pending = std::mem::take(&mut self.pending);
        let named = |index: i32| {
            pending
                .iter()
                .copied()
                .find(|&(position, _)| position as i64 == i64::from(index - base))
        };
        self.pending = indices.into_iter().filter_map(named).collect();
    }

    /// Base of the indices: 0 in C and 1 in Fortran, but MPICH 4.0 counts from 0 in `mpi_f08`. There only
    /// the request variables distinguish both: that of a complete nonpersistent request has been overwritten.
    fn base(&self, passed: &PassedArguments, at: &RequestArguments, indices: &[i32]) -> i32 {
        let may_be_complete = |index: &i32| {
            let pending = self
                .pending
                .iter()
                .find(|&&(position, _)| position as i64 == i64::from(index - 1));
            let request = pending
                .and_then(|&(position, number)| Some((position, self.requests.get(number)?)));
            request.is_some_and(|(position, request)| {
                request.persistent.is_some()
                    || passed.stored(passed.place(at.requests, position)) != request.handle
            })
        };
        match passed.binding() {
            Binding::C => 0,
            Binding::Fortran => 1,
            Binding::Fortran2008 => i32::from(indices.iter().all(may_be_complete)),
        }
    }

    /// What the wildcards among the pending requests got. Statuses stand at the requests'
    /// positions, or `in_order` of completion.
    fn observed_in(
        &self,
        passed: &PassedArguments,
        statuses: usize,
        in_order: bool,
    ) -> Vec<ObservedMatch> {
        let pending = self.pending.iter().enumerate();
        let wild = pending.filter(|(_, (_, number))| self.is_wildcard_request(*number));
        wild.filter_map(|(order, &(position, _))| {
            self.observed(passed, statuses, if in_order { order } else { position })
        })
        .collect()
    }
}
