//! What a representative sends and receives.

use super::{Called, Fed, is_floating};
use crate::alone::not_alone;
use crate::datatypes::packing::{gathered, scatter};
use crate::datatypes::place::Place;
use crate::failure::{Failure, Outcome};
use crate::process::Process;
use crate::requests::{Pending, Request};
use crate::transfers::Transfer;
use std::rc::Rc;
use token_runtime::feeding::{Brought, make_sane};
use token_runtime::mpich::status::Envelope;
use token_runtime::mpich::{ANY_SOURCE, ANY_TAG};

/// A posted receive. It is filled when it is completed: what the rank sends meanwhile is what it is fed.
struct Posted {
    fed: Rc<Fed>,
    call: Called,
    transfer: Transfer,
    place: Place,
}

impl Process {
    /// Nothing is sent; what would be is kept to be received.
    pub fn give_to_itself(&self, fed: &Fed, transfer: &Transfer, place: &Place) -> Outcome {
        let data = match transfer.bytes() {
            0 => Vec::new(),
            _ => {
                place.check(transfer.count, &transfer.datatype)?;
                gathered(place, transfer.count, &transfer.datatype)
            }
        };
        let context = self.communicator(transfer.communicator).context;
        let echo = &mut fed.state.borrow_mut().echo;
        echo.give(context, transfer.datatype.data.element(), data);
        echo.send_to(context, transfer.partner);
        Ok(())
    }

    /// Posts a receive.
    pub fn posted_alone(&self, fed: Rc<Fed>, transfer: &Transfer, place: &Place) -> Result<Request, Failure> {
        if transfer.bytes() > 0 {
            place.check(transfer.count, &transfer.datatype)?;
        }
        let call = self.called(&fed)?;
        fed.begin(call)?;
        let (transfer, place) = (transfer.clone(), place.clone());
        Ok(Request::Pending(Box::new(Posted { fed, call, transfer, place })))
    }
}

impl Posted {
    fn brought(&self) -> Option<&Brought> {
        self.fed.brought(self.call)
    }

    /// What its status says if nobody knows better: what the call itself asks for.
    fn envelope(&self, context: u64) -> Envelope {
        let known = |value: i32, any: i32| (value != any).then_some(value);
        let partner = || self.fed.state.borrow().echo.partner(context).unwrap_or(0);
        let source = known(self.transfer.partner, ANY_SOURCE).unwrap_or_else(partner);
        let tag = known(self.transfer.tag, ANY_TAG).unwrap_or(0);
        let is_guess = !self.fed.echoes_all && self.transfer.bytes() > 0;
        Envelope { is_guess, ..Envelope::new(source, tag, self.transfer.bytes()) }
    }

    fn fill(&self, data: &[u8]) {
        let Transfer { count, datatype, .. } = &self.transfer;
        scatter(data, &self.place, *count, datatype);
    }

    fn fill_with_echo(&self, context: u64, bytes: u64) -> Outcome {
        let Transfer { count, datatype, .. } = &self.transfer;
        let sort = datatype.data.element();
        if !self.fed.may_echo(sort) {
            return Err(not_alone());
        }
        let echo = self.fed.state.borrow().echo.take(context, sort, bytes as usize);
        let own = || {
            let mut own = gathered(&self.place, *count, datatype);
            own.truncate(bytes as usize);
            make_sane(sort, &mut own);
            own
        };
        let data = echo.or_else(|| is_floating(sort).then(own));
        self.fill(&data.ok_or_else(not_alone)?);
        Ok(())
    }
}

impl Pending for Posted {
    fn is_complete(&self, _process: &Process) -> bool {
        true
    }

    fn wait_for(&self, _process: &Process) {}

    fn forget(&self, _process: &Process) {}

    fn finish(self: Box<Self>, process: &mut Process) -> Result<Envelope, Failure> {
        let context = process.communicator(self.transfer.communicator).context;
        let brought = self.brought();
        let told = brought.and_then(|brought| brought.envelope);
        let envelope = told
            .map_or_else(|| self.envelope(context), |(source, tag, bytes)| Envelope::new(source, tag, bytes));
        let bytes = told.map_or(self.transfer.bytes(), |(_, _, bytes)| bytes);
        if bytes > self.transfer.bytes() {
            return Err(not_alone());
        }
        match brought.and_then(|brought| brought.pieces.first()) {
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
