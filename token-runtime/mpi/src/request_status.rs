//! Asking requests for their status without completing them: `MPI_Request_get_status` and its forms for several.

use crate::arguments::{Int, Out, OutIndex, Status};
use crate::completion::{Chosen, find_active, request_number};
use crate::emulation::Asks;
use crate::failure::{Failure, Outcome};
use crate::process::{self, Process};
use crate::requests::Request;
use crate::solo::needs_other_ranks;
use crate::transfers::observed;
use base_data::program_data::{Call, Completion, ObservedMatch};
use token_runtime::mpich::status::Envelope;
use token_runtime::mpich::{REQUEST_NULL, UNDEFINED, class};

/// Whether a request is complete; it stays. Data that are here are received at once.
pub fn of_one(process: &mut Process, request: Int, flag: Out, status: Status) -> Outcome {
    if request.0 == REQUEST_NULL {
        flag.set(1);
        set_empty(status, 0);
        return Ok(());
    }
    let number = request_number(process, request.0)?;
    if !process.is_done(number) {
        process.give_turn(Asks::All, &[(0, number)])?;
    }
    let done = process.is_done(number);
    flag.set(done.into());
    if !done {
        process.record_failed_test(Completion::All, &[(0, number)]);
        return process.record_failed_poll();
    }
    status.set(process.settle(number)?);
    Ok(())
}

/// Whether all requests are complete.
pub fn of_all(
    process: &mut Process,
    count: Int,
    requests: Out,
    flag: Out,
    statuses: Status,
) -> Outcome {
    let count = process::number(count)?;
    let chosen = active(process, count, requests)?;
    let are_done = |process: &Process| chosen.iter().all(|&(_, number)| process.is_done(number));
    if !are_done(process) {
        process.give_turn(Asks::All, &chosen)?;
    }
    let done = are_done(process);
    flag.set(done.into());
    if !done {
        process.record_failed_test(Completion::All, &chosen);
        return process.record_failed_poll();
    }
    for index in 0..count {
        set_empty(statuses, index);
    }
    for &(index, number) in &chosen {
        statuses.set_at(index, process.settle(number)?);
    }
    Ok(())
}

/// Whether any request is complete, and which is the first.
pub fn of_any(
    process: &mut Process,
    count: Int,
    requests: Out,
    index: OutIndex,
    flag: Out,
    status: Status,
) -> Outcome {
    let chosen = active(process, process::number(count)?, requests)?;
    let done = complete_ones(process, &chosen)?;
    flag.set((chosen.is_empty() || !done.is_empty()).into());
    index.set(done.first().map_or(UNDEFINED, |&(at, _)| at as i32));
    match done.first() {
        Some(&(_, number)) => {
            status.set(process.settle(number)?);
            Ok(())
        }
        None if chosen.is_empty() => {
            set_empty(status, 0);
            Ok(())
        }
        None => {
            process.record_failed_test(Completion::Any, &chosen);
            process.record_failed_poll()
        }
    }
}

/// Which requests are complete.
pub fn of_some(
    process: &mut Process,
    count: Int,
    requests: Out,
    outcount: Out,
    indices: OutIndex,
    statuses: Status,
) -> Outcome {
    let chosen = active(process, process::number(count)?, requests)?;
    if chosen.is_empty() {
        outcount.set(UNDEFINED);
        return Ok(());
    }
    let done = complete_ones(process, &chosen)?;
    outcount.set(done.len() as i32);
    if done.is_empty() {
        process.record_failed_test(Completion::Some, &chosen);
        return process.record_failed_poll();
    }
    for (order, &(index, number)) in done.iter().enumerate() {
        indices.set_at(order, index as i32);
        statuses.set_at(order, process.settle(number)?);
    }
    Ok(())
}

/// An empty status says that there was no error, as MPICH's does here.
fn set_empty(statuses: Status, index: usize) {
    statuses.set_at(index, Envelope::EMPTY);
    statuses.set_error_at(index, class::SUCCESS);
}

fn active(process: &Process, count: usize, requests: Out) -> Result<Chosen, Failure> {
    let mut chosen = Chosen::new();
    find_active(process, count, requests, &mut chosen)?;
    Ok(chosen)
}

/// Those that are complete now, or after the others had their turn. A log does not contain which of several was the
/// first.
fn complete_ones(process: &mut Process, chosen: &Chosen) -> Result<Chosen, Failure> {
    if chosen.len() > 1
        && process
            .replay
            .as_ref()
            .is_some_and(|replay| replay.has_log())
    {
        return Err(needs_other_ranks());
    }
    let complete = |process: &Process| -> Chosen {
        chosen
            .iter()
            .copied()
            .filter(|&(_, number)| process.is_done(number))
            .collect()
    };
    let done = complete(process);
    if !done.is_empty() || chosen.is_empty() {
        return Ok(done);
    }
    process.give_turn(Asks::Some, chosen)?;
    Ok(complete(process))
}

impl Process {
    fn is_done(&self, number: u32) -> bool {
        self.requests
            .get(number)
            .is_none_or(|request| request.is_complete(self))
    }

    /// Lets others run before it looks again; in an emulation, looks.
    fn give_turn(&mut self, asks: Asks, chosen: &[(usize, u32)]) -> Outcome {
        if self.emulated.is_none() {
            return self.yield_to_ranks();
        }
        let requests = chosen
            .iter()
            .filter_map(|&(_, number)| self.requests.get(number));
        self.poll_timed(asks, requests).map(drop)
    }

    /// Records a failed poll of requests.
    fn record_failed_test(&mut self, completion: Completion, chosen: &[(usize, u32)]) {
        let Some(stream) = self.stream.as_ref().filter(|_| self.emulated.is_none()) else {
            return;
        };
        let requests = stream
            .composite
            .named(chosen.iter().map(|&(_, number)| number));
        if !requests.is_empty() {
            self.record(|_| Call::Test {
                completion,
                requests,
                completed: Vec::new(),
            });
        }
    }

    /// Takes what a complete request brings; the request stays and remembers its status. Recorded as the call
    /// that completes it, so that what the program does next is not done earlier.
    fn settle(&mut self, number: u32) -> Result<Envelope, Failure> {
        let Some(request) = self.take_request(number) else {
            return Ok(Envelope::EMPTY);
        };
        let wildcard = request.wildcard();
        let envelope = self.complete(request)?;
        self.record_settled(number, wildcard.map(|first| observed(envelope, first)));
        let settled = Request::Done(envelope);
        match self.requests.get_mut(number) {
            Some(Request::Persistent(_, started)) => *started = Some(Box::new(settled)),
            Some(_) | None => self.requests.put(number, settled),
        }
        Ok(envelope)
    }

    fn record_settled(&mut self, number: u32, observed: Option<ObservedMatch>) {
        let Some(stream) = &mut self.stream else {
            return;
        };
        let requests = stream.composite.named(std::iter::once(number));
        stream.composite.settle(number);
        if !requests.is_empty() {
            let observed = observed.into_iter().collect();
            let completion = Completion::All;
            self.record(|_| Call::Wait {
                completion,
                requests,
                completed: Vec::new(),
                observed,
            });
        }
    }
}
