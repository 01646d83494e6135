//! Completing requests: the calls that wait, and what a receive does when its message is here.

use crate::arguments::{Int, Out, Status};
use crate::failure::{Failure, Outcome, wrong};
use crate::process::{self, Process};
use crate::requests::{Receive, Request};
use base_data::ids::RequestId;
use base_data::program_data::{Call, Completion, ObservedMatch};
use token_runtime::ending::Ending;
use token_runtime::kernel::point_to_point::{self, Message};
use token_runtime::mpich::status::Envelope;
use token_runtime::mpich::{REQUEST_NULL, class};

/// The first handle of a request.
const FIRST_REQUEST: i32 = 0xac00_0000u32 as i32;

/// The handle of a request.
pub fn request_handle(number: u32) -> i32 {
    FIRST_REQUEST.wrapping_add(number as i32)
}

impl Process {
    /// Completes a request whose message, if any, is here.
    pub fn complete(&mut self, request: Request) -> Result<Envelope, Failure> {
        match request {
            Request::Done(envelope) => Ok(envelope),
            Request::Receive(receive) => self.receive_into(&receive),
            Request::Pending(pending) => pending.finish(self),
            Request::Persistent(_, started) => {
                started.map_or(Ok(Envelope::EMPTY), |started| self.complete(*started))
            }
        }
    }

    fn receive_into(&self, receive: &Receive) -> Result<Envelope, Failure> {
        let memory = self.memory();
        let capacity = receive.datatype.bytes(receive.count);
        let Message { source, tag, bytes, payload, .. } =
            point_to_point::arrived(memory, receive.node).expect("the rank was woken when the message came");
        if bytes > capacity {
            return Err(Failure::Fatal(Ending::Failure(format!(
                "the message from rank {source} of the communicator with tag {tag} has {bytes} bytes, the receive takes {capacity} at most"
            ))));
        }
        if let Some(buffer) = receive.buffer {
            self.unpack(payload, bytes, buffer, receive.count, &receive.datatype)?;
        }
        point_to_point::retire(memory, receive.node);
        Ok(Envelope { source: source as i32, tag, bytes })
    }
}

/// What a wildcard receive got.
pub fn observed(envelope: Envelope) -> ObservedMatch {
    ObservedMatch { source: i64::from(envelope.source), tag: i64::from(envelope.tag) }
}

pub fn wait(process: &mut Process, request: Out, status: Status) -> Outcome {
    complete_all(process, 1, request, status)
}

pub fn wait_all(process: &mut Process, count: Int, requests: Out, statuses: Status) -> Outcome {
    complete_all(process, process::count(count.0)? as usize, requests, statuses)
}

fn complete_all(process: &mut Process, count: usize, handles: Out, statuses: Status) -> Outcome {
    let mut numbers = std::mem::take(&mut process.scratch);
    numbers.clear();
    let outcome = find_all(process, count, handles, &mut numbers)
        .and_then(|()| process.await_all(numbers.iter().filter_map(|&number| process.requests.get(number))))
        .and_then(|()| finish_all(process, count, handles, statuses, &numbers));
    process.scratch = numbers;
    outcome
}

/// The numbers of the requests that are not null.
fn find_all(process: &Process, count: usize, handles: Out, numbers: &mut Vec<u32>) -> Outcome {
    for index in 0..count {
        let handle = handles.get_at(index);
        if handle == REQUEST_NULL {
            continue;
        }
        let number = handle.wrapping_sub(FIRST_REQUEST) as u32;
        if process.requests.get(number).is_none() {
            return wrong(class::REQUEST, format!("{handle:#x} is no request of this rank"));
        }
        numbers.push(number);
    }
    Ok(())
}

fn finish_all(
    process: &mut Process,
    count: usize,
    handles: Out,
    statuses: Status,
    numbers: &[u32],
) -> Outcome {
    let mut matches = Vec::new();
    for index in 0..count {
        let handle = handles.get_at(index);
        if handle == REQUEST_NULL {
            statuses.set_at(index, Envelope::EMPTY);
            continue;
        }
        let request = process.requests.remove(handle.wrapping_sub(FIRST_REQUEST) as u32);
        let Some(request) = request else {
            return wrong(class::REQUEST, format!("the request {handle:#x} stands twice in the array"));
        };
        let wildcard = matches!(&request, Request::Receive(Receive { wildcard: true, .. }));
        let envelope = process.complete(request)?;
        if wildcard {
            matches.push(observed(envelope));
        }
        statuses.set_at(index, envelope);
        handles.set_at(index, REQUEST_NULL);
    }
    record_wait(process, numbers, matches);
    Ok(())
}

fn record_wait(process: &mut Process, numbers: &[u32], matches: Vec<ObservedMatch>) {
    if !matches.is_empty() {
        let requests = numbers.iter().map(|&number| RequestId(number)).collect();
        let completion = Completion::All;
        process.record(|_| Call::Wait { completion, requests, completed: Vec::new(), observed: matches });
    } else if let Some(stream) = &mut process.stream {
        let site = stream.site(process.current);
        stream.recorder.wait_all(site, numbers);
    }
}
