//! Requests that the recording knows by others' numbers: a call that exchanges with several is as many
//! transfers there, each with a request of its own; a request that the program itself completes is none.

use crate::process::Process;
use crate::requests::Request;
use base_data::ids::RequestId;
use token_runtime::mpich::status::Envelope;

impl Process {
    /// In mode `record`, a new request stands for so many of the recording; the first is called like it.
    pub fn make_composite(&mut self, number: u32, parts: usize) -> Vec<RequestId> {
        if self.stream.is_none() {
            return Vec::new();
        }
        let own = if parts > 0 {
            Some(RequestId(number))
        } else {
            None
        };
        let requests: Vec<RequestId> = own
            .into_iter()
            .chain((1..parts).map(|_| self.add_part_request()))
            .collect();
        self.stream
            .iter_mut()
            .for_each(|stream| stream.composite.add(number, requests.clone()));
        requests
    }

    /// A number that no request of the program has.
    pub fn add_part_request(&mut self) -> RequestId {
        RequestId(self.requests.add(Request::Done(Envelope::EMPTY)))
    }

    /// Numbers that are free again.
    pub fn free_parts(&mut self, parts: &[RequestId]) {
        parts
            .iter()
            .for_each(|part| drop(self.requests.remove(part.0)));
    }

    /// After a call has completed a request: it is gone, or inactive.
    pub fn end_composite(&mut self, number: u32) {
        let Some(stream) = self
            .stream
            .as_mut()
            .filter(|stream| !stream.composite.is_empty())
        else {
            return;
        };
        if self.requests.get(number).is_some() {
            stream.composite.renew(number);
        } else {
            let parts = stream.composite.remove(number);
            self.free_parts(&parts);
        }
    }
}
