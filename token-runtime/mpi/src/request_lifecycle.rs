//! Request lifecycle apart from completion and status queries: starting, freeing, cancelling.

use crate::arguments::{Flag, Int, Out, Status};
use crate::completion::request_number;
use crate::failure::{Failure, Outcome, wrong};
use crate::process::{self, Process};
use crate::requests::Request;
use base_data::ids::RequestId;
use base_data::program_data::Call;
use token_runtime::kernel::point_to_point;
use token_runtime::mpich::status::Envelope;
use token_runtime::mpich::{REQUEST_NULL, class};
use token_runtime::termination::Termination;
use token_runtime::warnings::Warning;

/// Starts a persistent request.
pub fn start(process: &mut Process, request: Out) -> Outcome {
    start_all(process, Int(1), request)
}

pub fn start_all(process: &mut Process, count: Int, requests: Out) -> Outcome {
    let mut started = Vec::new();
    for index in 0..process::number(count)? {
        let number = request_number(process, requests.get_at(index))?;
        if process.start_request(number)? {
            started.push(RequestId(number));
        }
    }
    if !started.is_empty() {
        process.record(|_| Call::StartPersistent { requests: started });
    }
    Ok(())
}

impl Process {
    /// Gives whether it is a transfer, whose start is still to be recorded.
    fn start_request(&mut self, number: u32) -> Result<bool, Failure> {
        let entry = self
            .requests
            .get_mut(number)
            .map(|entry| std::mem::replace(entry, Request::Done(Envelope::EMPTY)));
        let (request, outcome) = match entry {
            Some(Request::Persistent(starter, None)) => {
                let (started, outcome) = match starter.start(self) {
                    Ok(request) => {
                        let recorded = starter.record(self, number);
                        (
                            Some(Box::new(request)),
                            recorded.map(|()| starter.is_transfer()),
                        )
                    }
                    Err(failure) => (None, Err(failure)),
                };
                (Request::Persistent(starter, started), outcome)
            }
            Some(other @ Request::Persistent(..)) => (
                other,
                wrong(class::REQUEST, "the persistent request is active already"),
            ),
            Some(other) => (
                other,
                wrong(class::REQUEST, "the request is not persistent"),
            ),
            None => return wrong(class::REQUEST, "the request is none of this rank"),
        };
        self.requests.put(number, request);
        self.requests.begin(number);
        outcome
    }

    /// Takes what freed requests bring, as far as it is here.
    #[cold]
    pub fn finish_freed(&mut self) -> Outcome {
        for request in std::mem::take(&mut self.freed) {
            if request.is_complete(self) {
                self.complete(request)?;
            } else {
                self.freed.push(request);
            }
        }
        Ok(())
    }

    /// Warns of requests that no call has completed. Real MPI libraries end without an error, too.
    pub fn warn_of_pending_requests(&mut self) {
        let open = self
            .requests
            .iter()
            .filter(|(_, request)| !request.is_complete(self));
        let described: Vec<String> = open.map(|(_, request)| request.described(self)).collect();
        if let Some(first) = described.first() {
            let (first, count, place) = (first.clone(), described.len() as u64, self.place());
            self.warn(Warning::Unfinished {
                count,
                first,
                place,
            });
        }
    }
}

/// Frees a request; a transfer that is under way still takes place.
pub fn free(process: &mut Process, request: Out) -> Outcome {
    let number = request_number(process, request.get())?;
    request.set(REQUEST_NULL);
    let freed = match process.requests.remove(number) {
        Some(Request::Persistent(_, started)) => started.map(|started| *started),
        other => other,
    };
    process.end_composite(number);
    process.freed.extend(freed);
    process.finish_freed()
}

/// Cancels a receive that has no message, or a send that no rank has received.
pub fn cancel(process: &mut Process, request: Out) -> Outcome {
    let number = request_number(process, request.get())?;
    let (memory, rank) = (process.segment.memory(), process.rank);
    let Some(entry) = process.requests.get_mut(number) else {
        return Ok(());
    };
    let entry = match entry {
        Request::Persistent(_, Some(started)) => started.as_mut(),
        Request::Persistent(_, None) => {
            return wrong(class::REQUEST, "the persistent request is not active");
        }
        other => other,
    };
    let is_gone = match entry {
        Request::Receive(receive) => point_to_point::cancel_receive(memory, rank, receive.node),
        Request::Sent(sent) => point_to_point::cancel_message(memory, sent.receiver, &sent.message),
        Request::Send(sender) => point_to_point::cancel_send(memory, *sender),
        Request::Pending(pending) => match pending.cancellation() {
            Some(cancel) => return cancel(process),
            None => return wrong(class::REQUEST, "a collective cannot be cancelled"),
        },
        Request::Timed(_) => {
            return process.refuse_emulated("cannot be emulated: nothing can be cancelled there");
        }
        Request::Done(_) | Request::Persistent(..) => false,
    };
    if is_gone {
        *entry = Request::Done(Envelope::CANCELLED);
    }
    match is_gone && process.stream.is_some() {
        true => Err(Failure::Fatal(Termination::Failure(
            "recordings have no form for cancelled transfers".into(),
        ))),
        false => Ok(()),
    }
}

pub fn is_cancelled(_: &mut Process, status: Status, flag: Out) -> Outcome {
    flag.set(status.envelope().cancelled.into());
    Ok(())
}

pub fn set_cancelled(_: &mut Process, status: Status, flag: Flag) -> Outcome {
    status.set(Envelope {
        cancelled: flag.0,
        ..status.envelope()
    });
    Ok(())
}
