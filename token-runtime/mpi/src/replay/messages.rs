//! Sends and receives of a representative.

use super::{Replay, ReplayedCall, is_floating};
use crate::datatypes::data_location::DataLocation;
use crate::datatypes::packing::{gathered, scatter};
use crate::failure::{Failure, Outcome};
use crate::process::Process;
use crate::requests::{Pending, Request};
use crate::solo::needs_other_ranks;
use crate::transfers::Transfer;
use std::rc::Rc;
use token_runtime::mpich::status::Envelope;
use token_runtime::mpich::{ANY_SOURCE, ANY_TAG};
use token_runtime::replay_input::{CallOutput, sanitize};

/// A posted receive. It is filled at completion, so that the echo contains what the rank has sent since.
struct PostedReceive {
    replay: Rc<Replay>,
    call: ReplayedCall,
    transfer: Transfer,
    place: DataLocation,
}

impl Process {
    /// Nothing is sent; what would be is kept to be received.
    pub fn record_own_send(
        &self,
        replay: &Replay,
        transfer: &Transfer,
        place: &DataLocation,
    ) -> Outcome {
        let data = match transfer.bytes() {
            0 => Vec::new(),
            _ => {
                place.check(transfer.count, &transfer.datatype)?;
                gathered(place, transfer.count, &transfer.datatype)
            }
        };
        let context = self.communicator(transfer.communicator).context;
        let echo = &mut replay.state.borrow_mut().echo;
        echo.insert(context, transfer.datatype.data.element(), data);
        echo.set_partner(context, transfer.partner);
        Ok(())
    }

    /// Posts a receive.
    pub fn post_replayed_receive(
        &self,
        replay: Rc<Replay>,
        transfer: &Transfer,
        place: &DataLocation,
    ) -> Result<Request, Failure> {
        if transfer.bytes() > 0 {
            place.check(transfer.count, &transfer.datatype)?;
        }
        let call = self.replayed_call(&replay)?;
        replay.begin(call)?;
        let (transfer, place) = (transfer.clone(), place.clone());
        Ok(Request::Pending(Box::new(PostedReceive {
            replay,
            call,
            transfer,
            place,
        })))
    }
}

impl PostedReceive {
    fn output(&self) -> Option<&CallOutput> {
        self.replay.output(self.call)
    }

    /// Default content of its status: the source and the tag in the arguments of the call.
    fn envelope(&self, context: u64) -> Envelope {
        let known = |value: i32, any: i32| if value == any { None } else { Some(value) };
        let partner = || {
            self.replay
                .state
                .borrow()
                .echo
                .partner(context)
                .unwrap_or(0)
        };
        let source = known(self.transfer.partner, ANY_SOURCE).unwrap_or_else(partner);
        let tag = known(self.transfer.tag, ANY_TAG).unwrap_or(0);
        let is_assumed = !self.replay.echo_all_types && self.transfer.bytes() > 0;
        Envelope {
            is_assumed,
            ..Envelope::new(source, tag, self.transfer.bytes())
        }
    }

    fn fill(&self, data: &[u8]) {
        let Transfer {
            count, datatype, ..
        } = &self.transfer;
        scatter(data, &self.place, *count, datatype);
    }

    fn fill_with_echo(&self, context: u64, bytes: u64) -> Outcome {
        let Transfer {
            count, datatype, ..
        } = &self.transfer;
        let sort = datatype.data.element();
        if !self.replay.may_echo(sort) {
            return Err(needs_other_ranks());
        }
        let echo = self
            .replay
            .state
            .borrow()
            .echo
            .data(context, sort, bytes as usize);
        let own = || {
            let mut own = gathered(&self.place, *count, datatype);
            own.truncate(bytes as usize);
            sanitize(sort, &mut own);
            own
        };
        let data = match echo {
            Some(echo) => echo,
            None if is_floating(sort) => own(),
            None => return Err(needs_other_ranks()),
        };
        self.fill(&data);
        Ok(())
    }
}

impl Pending for PostedReceive {
    fn is_complete(&self, _process: &Process) -> bool {
        true
    }

    fn wait_for(&self, _process: &Process) {}

    fn forget(&self, _process: &Process) {}

    fn finish(self: Box<Self>, process: &mut Process) -> Result<Envelope, Failure> {
        let context = process.communicator(self.transfer.communicator).context;
        let output = self.output();
        let logged = output.and_then(|output| output.envelope);
        let envelope = logged.map_or_else(
            || self.envelope(context),
            |(source, tag, bytes)| Envelope::new(source, tag, bytes),
        );
        let bytes = logged.map_or(self.transfer.bytes(), |(_, _, bytes)| bytes);
        if bytes > self.transfer.bytes() {
            return Err(needs_other_ranks());
        }
        match output.and_then(|output| output.pieces.first()) {
            Some(data) => self.fill(data),
            None if bytes > 0 => self.fill_with_echo(context, bytes)?,
            None => {}
        }
        Ok(envelope)
    }

    fn described(&self) -> String {
        "a receive".into()
    }
}
