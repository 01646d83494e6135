//! Completion of requests by MPI_Wait, MPI_Waitall, MPI_Waitany and MPI_Waitsome, and by MPI_Test, MPI_Testall, MPI_Testany and
//! MPI_Testsome. What a receive does when its message is here is in
//! `receive_completion`.

use crate::arguments::{Int, Out, OutIndex, Status};
use crate::emulation::Asks;
use crate::failure::{Failure, Outcome, wrong};
use crate::process::{self, Process};
use crate::requests::Request;
use crate::solo::needs_other_ranks;
use crate::transfers::observed;
use base_data::program_data::{Call, Completion, ObservedMatch};
use token_runtime::kernel::point_to_point;
use token_runtime::mpich::status::Envelope;
use token_runtime::mpich::{REQUEST_NULL, UNDEFINED, class};

/// The first handle of a request.
const FIRST_REQUEST: i32 = 0xac00_0000u32 as i32;

/// The handle of a request.
pub fn request_handle(number: u32) -> i32 {
    FIRST_REQUEST.wrapping_add(number as i32)
}

/// The number of a request that has this handle.
pub fn request_number(process: &Process, handle: i32) -> Result<u32, Failure> {
    let number = handle.wrapping_sub(FIRST_REQUEST) as u32;
    match process.requests.get(number) {
        Some(_) => Ok(number),
        None => wrong(
            class::REQUEST,
            format!("{handle:#x} is no request of this rank"),
        ),
    }
}

impl Process {
    /// Completes a request for which nothing need be waited any more.
    pub fn complete(&mut self, request: Request) -> Result<Envelope, Failure> {
        match request {
            Request::Done(envelope) => Ok(envelope),
            Request::Sent(_) => Ok(Envelope::EMPTY),
            Request::Send(sender) => {
                point_to_point::retire_send(self.memory(), sender);
                Ok(Envelope::EMPTY)
            }
            Request::Receive(receive) => self.receive_into(&receive),
            Request::Pending(pending) => pending.finish(self),
            Request::Timed(timed) => self.complete_timed(timed),
            Request::Persistent(_, started) => {
                started.map_or(Ok(Envelope::EMPTY), |started| self.complete(*started))
            }
        }
    }
}

/// Requests that a call completes: their places in its array and their numbers.
pub type Chosen = Vec<(usize, u32)>;

/// The active requests of an array, in its order. Gives whether there is any request at all that is
/// neither null nor inactive.
pub fn find_active(process: &Process, count: usize, handles: Out, chosen: &mut Chosen) -> Outcome {
    chosen.clear();
    for index in 0..count {
        let handle = handles.get_at(index);
        if handle == REQUEST_NULL {
            continue;
        }
        let number = request_number(process, handle)?;
        if process.requests.get(number).is_some_and(Request::is_active) {
            chosen.push((index, number));
        }
    }
    Ok(())
}

/// A call that completes requests of an array.
struct Completing {
    handles: Out,
    statuses: Status,
    chosen: Chosen,
}

impl Completing {
    fn of(
        process: &mut Process,
        count: usize,
        handles: Out,
        statuses: Status,
    ) -> Result<Self, Failure> {
        let mut chosen = std::mem::take(&mut process.scratch);
        find_active(process, count, handles, &mut chosen)?;
        Ok(Self {
            handles,
            statuses,
            chosen,
        })
    }

    fn requests<'a>(&'a self, process: &'a Process) -> impl Iterator<Item = &'a Request> + Clone {
        self.chosen
            .iter()
            .filter_map(|&(_, number)| process.requests.get(number))
    }

    fn are_all_complete(&self, process: &Process) -> bool {
        self.requests(process)
            .all(|request| request.is_complete(process))
    }

    fn is_any_complete(&self, process: &Process) -> bool {
        self.requests(process)
            .any(|request| request.is_complete(process))
    }

    /// Places in `chosen` of those that are complete. A log does not contain which of several was the first.
    fn complete_ones(&self, process: &Process) -> Result<Vec<usize>, Failure> {
        if self.chosen.len() > 1
            && process
                .replay
                .as_ref()
                .is_some_and(|replay| replay.has_log())
        {
            return Err(needs_other_ranks());
        }
        let complete = self
            .requests(process)
            .enumerate()
            .filter(|(_, request)| request.is_complete(process));
        Ok(complete.map(|(at, _)| at).collect())
    }

    /// Whether `done` holds now, or after the others had their turn.
    fn poll(
        &self,
        process: &mut Process,
        asks: Asks,
        done: impl Fn(&Self, &Process) -> bool,
    ) -> Result<bool, Failure> {
        if done(self, process) {
            return Ok(true);
        }
        if process.emulated.is_some() {
            process.poll_timed(asks, self.requests(process))?;
        } else {
            process.yield_to_ranks()?;
        }
        let holds = done(self, process);
        if !holds {
            process.record_failed_poll()?;
        }
        Ok(holds)
    }

    /// Finishes the request at a place in `chosen`. Its handle is null from now on unless it is
    /// persistent.
    fn finish(&self, process: &mut Process, at: usize) -> Finished {
        let (index, number) = self.chosen[at];
        let Some(request) = process.take_request(number) else {
            let handle = self.handles.get_at(index);
            let twice = wrong(
                class::REQUEST,
                format!("the request {handle:#x} stands twice in the array"),
            );
            return Finished {
                observed: None,
                outcome: twice,
            };
        };
        if process.requests.get(number).is_none() {
            self.handles.set_at(index, REQUEST_NULL);
        }
        let (wildcard, outcome) = (request.wildcard(), process.complete(request));
        match &outcome {
            Ok(envelope) => Finished {
                observed: wildcard.map(|first| observed(*envelope, first)),
                outcome,
            },
            Err(_) => {
                process.end_composite(number);
                Finished {
                    observed: None,
                    outcome,
                }
            }
        }
    }

    /// Finishes one request whose status is the call's only one.
    fn finish_one(&self, process: &mut Process, at: usize, records: Records) -> Outcome {
        let finished = self.finish(process, at);
        let envelope = finished.outcome?;
        self.statuses.set(envelope);
        self.record(
            process,
            records,
            Completion::Any,
            &[at],
            finished.observed.into_iter().collect(),
        );
        Ok(())
    }

    /// Finishes several requests; statuses stand at the places that `status_of` returns. An error of one is
    /// reported in its status.
    fn finish_several(
        &self,
        process: &mut Process,
        done: &[usize],
        status_of: impl Fn(usize, usize) -> usize,
    ) -> Result<Vec<ObservedMatch>, Failure> {
        let (mut matches, mut first_error) = (Vec::new(), None);
        let mut errors = Vec::new();
        for (order, &at) in done.iter().enumerate() {
            let status = status_of(order, self.chosen[at].0);
            let finished = self.finish(process, at);
            let code = match finished.outcome {
                Ok(envelope) => {
                    self.statuses.set_at(status, envelope);
                    matches.extend(finished.observed);
                    0
                }
                Err(Failure::Argument(class, sentence)) => {
                    first_error.get_or_insert(sentence);
                    class
                }
                Err(fatal) => return Err(fatal),
            };
            errors.push((status, code));
        }
        match first_error {
            None => Ok(matches),
            Some(sentence) => {
                errors
                    .into_iter()
                    .for_each(|(status, code)| self.statuses.set_error_at(status, code));
                done.iter()
                    .for_each(|&at| process.end_composite(self.chosen[at].1));
                wrong(class::IN_STATUS, sentence)
            }
        }
    }

    /// Records what was completed. A test of which a wildcard came is recorded as a wait, which says
    /// what it got.
    fn record(
        &self,
        process: &mut Process,
        records: Records,
        completion: Completion,
        done: &[usize],
        matches: Vec<ObservedMatch>,
    ) {
        let Some(stream) = &process.stream else {
            return;
        };
        if done.is_empty() && process.emulated.is_some() {
            // A failed test takes no time in a replay, and a polling loop makes a great many.
            return;
        }
        let requests = stream.composite.named(self.numbers());
        let completed = stream
            .composite
            .named(done.iter().map(|&at| self.chosen[at].1));
        let is_recorded = if done.is_empty() {
            !requests.is_empty()
        } else {
            !completed.is_empty()
        };
        if is_recorded {
            let completion = match completion {
                Completion::Any if completed.len() > 1 => Completion::Some,
                Completion::All | Completion::Any | Completion::Some => completion,
            };
            process.record(|_| match records {
                Records::Test if matches.is_empty() => Call::Test {
                    completion,
                    requests,
                    completed,
                },
                Records::Test | Records::Wait => Call::Wait {
                    completion,
                    requests,
                    completed,
                    observed: matches,
                },
            });
        }
        done.iter()
            .for_each(|&at| process.end_composite(self.chosen[at].1));
    }

    fn record_wait_for_all(&self, process: &mut Process, matches: Vec<ObservedMatch>) {
        let Some(stream) = &mut process.stream else {
            return;
        };
        if matches.is_empty() && stream.composite.is_empty() {
            let site = stream.site(process.current);
            stream.numbers.clear();
            stream.numbers.extend(self.numbers());
            stream.last_entry = stream.recorder.wait_all(site, &stream.numbers);
            stream.recorded += 1;
            return;
        }
        let (completion, requests) = (Completion::All, stream.composite.named(self.numbers()));
        if !requests.is_empty() {
            process.record(|_| Call::Wait {
                completion,
                requests,
                completed: Vec::new(),
                observed: matches,
            });
        }
        self.numbers()
            .for_each(|number| process.end_composite(number));
    }

    fn numbers(&self) -> impl Iterator<Item = u32> {
        self.chosen.iter().map(|&(_, number)| number)
    }

    /// The list is used again by the next call.
    fn end(self, process: &mut Process) {
        process.scratch = self.chosen;
    }
}

/// What a request gave.
struct Finished {
    /// What it got, if it is a receive with a wildcard.
    observed: Option<ObservedMatch>,
    outcome: Result<Envelope, Failure>,
}

/// Recorded form of a call.
#[derive(Clone, Copy)]
enum Records {
    Wait,
    Test,
}

impl Process {
    /// A request that is to be completed: a persistent one stays, inactive.
    pub fn take_request(&mut self, number: u32) -> Option<Request> {
        match self.requests.get_mut(number)? {
            Request::Persistent(_, started) => started.take().map(|started| *started),
            Request::Done(_)
            | Request::Sent(_)
            | Request::Send(_)
            | Request::Receive(_)
            | Request::Pending(_)
            | Request::Timed(_) => self.requests.remove(number),
        }
    }
}

pub fn wait(process: &mut Process, request: Out, status: Status) -> Outcome {
    let number = request.get().wrapping_sub(FIRST_REQUEST) as u32;
    let key = process.call_key([u64::from(number)]);
    let (Some(key), Some(Request::Done(envelope))) = (key, process.requests.get(number)) else {
        return wait_for_one(process, request, status);
    };
    let envelope = *envelope;
    if process
        .stream
        .as_ref()
        .is_some_and(|stream| !stream.composite.is_empty())
    {
        return wait_for_one(process, request, status);
    }
    if !process.record_cached(&key) {
        return process.cached(&key, |process| wait_for_one(process, request, status));
    }
    process.requests.remove(number);
    request.set(REQUEST_NULL);
    status.set(envelope);
    Ok(())
}

fn wait_for_one(process: &mut Process, request: Out, status: Status) -> Outcome {
    let call = Completing::of(process, 1, request, status)?;
    process.wait_for_all(call.requests(process))?;
    if call.chosen.is_empty() {
        status.set(Envelope::EMPTY);
    } else {
        let finished = call.finish(process, 0);
        let envelope = finished.outcome?;
        status.set(envelope);
        call.record_wait_for_all(process, finished.observed.into_iter().collect());
    }
    call.end(process);
    Ok(())
}

pub fn wait_all(process: &mut Process, count: Int, requests: Out, statuses: Status) -> Outcome {
    let count = process::number(count)?;
    let call = Completing::of(process, count, requests, statuses)?;
    process.wait_for_all(call.requests(process))?;
    let matches = finish_all(process, &call, count)?;
    call.record_wait_for_all(process, matches);
    call.end(process);
    Ok(())
}

/// Finishes all requests of an array; those that are null or inactive have empty statuses.
fn finish_all(
    process: &mut Process,
    call: &Completing,
    count: usize,
) -> Result<Vec<ObservedMatch>, Failure> {
    if call.chosen.len() < count {
        (0..count).for_each(|index| call.statuses.set_at(index, Envelope::EMPTY));
    }
    let everyone: Vec<usize> = (0..call.chosen.len()).collect();
    call.finish_several(process, &everyone, |_, index| index)
}

pub fn wait_any(
    process: &mut Process,
    count: Int,
    requests: Out,
    index: OutIndex,
    status: Status,
) -> Outcome {
    let call = Completing::of(process, process::number(count)?, requests, status)?;
    process.wait_for_any(call.requests(process))?;
    match call.complete_ones(process)?.first() {
        Some(&at) => {
            index.set(call.chosen[at].0 as i32);
            call.finish_one(process, at, Records::Wait)?;
        }
        None => {
            index.set(UNDEFINED);
            status.set(Envelope::EMPTY);
        }
    }
    call.end(process);
    Ok(())
}

pub fn wait_some(
    process: &mut Process,
    count: Int,
    requests: Out,
    outcount: Out,
    indices: OutIndex,
    statuses: Status,
) -> Outcome {
    let call = Completing::of(process, process::number(count)?, requests, statuses)?;
    process.wait_for_some(call.requests(process))?;
    let done = call.complete_ones(process)?;
    some(process, &call, &done, outcount, indices, Records::Wait)?;
    call.end(process);
    Ok(())
}

/// Finishes those that are complete and says which they were.
fn some(
    process: &mut Process,
    call: &Completing,
    done: &[usize],
    outcount: Out,
    indices: OutIndex,
    records: Records,
) -> Outcome {
    if call.chosen.is_empty() {
        outcount.set(UNDEFINED);
        return Ok(());
    }
    outcount.set(done.len() as i32);
    let places = done.iter().map(|&at| call.chosen[at].0);
    places
        .enumerate()
        .for_each(|(order, index)| indices.set_at(order, index as i32));
    let matches = call.finish_several(process, done, |order, _| order)?;
    call.record(process, records, Completion::Some, done, matches);
    Ok(())
}

pub fn test(process: &mut Process, request: Out, flag: Out, status: Status) -> Outcome {
    let call = Completing::of(process, 1, request, status)?;
    let done = call.poll(process, Asks::All, Completing::are_all_complete)?;
    flag.set(done.into());
    match done {
        true if call.chosen.is_empty() => status.set(Envelope::EMPTY),
        true => call.finish_one(process, 0, Records::Test)?,
        false => call.record(process, Records::Test, Completion::Any, &[], Vec::new()),
    }
    call.end(process);
    Ok(())
}

pub fn test_all(
    process: &mut Process,
    count: Int,
    requests: Out,
    flag: Out,
    statuses: Status,
) -> Outcome {
    let count = process::number(count)?;
    let call = Completing::of(process, count, requests, statuses)?;
    let done = call.poll(process, Asks::All, Completing::are_all_complete)?;
    flag.set(done.into());
    let (completed, matches) = match done {
        true => (
            (0..call.chosen.len()).collect(),
            finish_all(process, &call, count)?,
        ),
        false => (Vec::new(), Vec::new()),
    };
    call.record(process, Records::Test, Completion::All, &completed, matches);
    call.end(process);
    Ok(())
}

pub fn test_any(
    process: &mut Process,
    count: Int,
    requests: Out,
    index: OutIndex,
    flag: Out,
    status: Status,
) -> Outcome {
    let call = Completing::of(process, process::number(count)?, requests, status)?;
    let nothing = call.chosen.is_empty();
    let done = nothing || call.poll(process, Asks::Any, Completing::is_any_complete)?;
    flag.set(done.into());
    match call.complete_ones(process)?.first() {
        Some(&at) if done => {
            index.set(call.chosen[at].0 as i32);
            call.finish_one(process, at, Records::Test)?;
        }
        Some(_) | None => {
            index.set(UNDEFINED);
            if nothing {
                status.set(Envelope::EMPTY);
            }
            call.record(process, Records::Test, Completion::Any, &[], Vec::new());
        }
    }
    call.end(process);
    Ok(())
}

pub fn test_some(
    process: &mut Process,
    count: Int,
    requests: Out,
    outcount: Out,
    indices: OutIndex,
    statuses: Status,
) -> Outcome {
    let call = Completing::of(process, process::number(count)?, requests, statuses)?;
    if !call.chosen.is_empty() {
        call.poll(process, Asks::Some, Completing::is_any_complete)?;
    }
    let done = call.complete_ones(process)?;
    some(process, &call, &done, outcount, indices, Records::Test)?;
    call.end(process);
    Ok(())
}
