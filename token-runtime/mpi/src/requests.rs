//! What a request stands for, and waiting for all or any of several.

use crate::arguments::Buffer;
use crate::datatypes::Type;
use crate::failure::{Failure, Outcome};
use crate::process::Process;
use std::rc::Rc;
use token_runtime::kernel::{point_to_point, slot};
use token_runtime::mpich::status::Envelope;

/// A request.
pub enum Request {
    /// Complete from the start: a send whose data have been taken, a transfer with nobody, a call that
    /// is only recorded. With what its status says.
    Done(Envelope),
    /// A posted receive.
    Receive(Receive),
    /// Anything that happens later, as nonblocking collectives do.
    Pending(Box<dyn Pending>),
    /// A persistent request: what starting it does, and what was started.
    Persistent(Box<dyn Start>, Option<Box<Request>>),
}

/// A posted receive.
pub struct Receive {
    /// Its node in shared memory.
    pub node: u64,
    /// Where the data go; `None` if only the envelope is wanted.
    pub buffer: Option<Buffer>,
    /// Number of elements that the buffer takes.
    pub count: u64,
    /// What they are.
    pub datatype: Rc<Type>,
    /// Whether it takes a message from any source or with any tag.
    pub wildcard: bool,
}

/// Something that is complete at some time. Its state is in shared memory, where others change it.
pub trait Pending {
    /// Whether it can be finished without waiting.
    fn is_complete(&self, process: &Process) -> bool;

    /// Its owner waits for it: when it becomes complete, `slot::happened` is to be called for the
    /// owner once. Only called while it is not complete.
    fn wait_for(&self, process: &Process);

    /// The owner does not wait for it any more: `slot::happened` must not be called.
    fn forget(&self, process: &Process);

    /// It is complete: the owner takes the results and lets go of it. Gives its status.
    fn finish(self: Box<Self>, process: &mut Process) -> Result<Envelope, Failure>;
}

/// What a persistent request does when it is started.
pub trait Start {
    /// Starts it.
    fn start(&self, process: &mut Process) -> Result<Request, Failure>;
}

impl Request {
    /// Whether a call that waits for it goes on at once.
    pub fn is_complete(&self, process: &Process) -> bool {
        match self {
            Request::Done(_) => true,
            Request::Receive(receive) => point_to_point::arrived(process.memory(), receive.node).is_some(),
            Request::Pending(pending) => pending.is_complete(process),
            Request::Persistent(_, started) => {
                started.as_ref().is_none_or(|started| started.is_complete(process))
            }
        }
    }

    /// Whether a call that completes requests has anything to do with it: not so for a persistent
    /// one that was not started.
    pub fn is_active(&self) -> bool {
        !matches!(self, Request::Persistent(_, None))
    }

    fn wait_for(&self, process: &Process) {
        match self {
            Request::Done(_) | Request::Persistent(_, None) => {}
            Request::Receive(receive) => point_to_point::wait_for(process.memory(), receive.node),
            Request::Pending(pending) => pending.wait_for(process),
            Request::Persistent(_, Some(started)) => started.wait_for(process),
        }
    }

    fn forget(&self, process: &Process) {
        match self {
            Request::Done(_) | Request::Persistent(_, None) => {}
            Request::Receive(receive) => point_to_point::forget(process.memory(), receive.node),
            Request::Pending(pending) => pending.forget(process),
            Request::Persistent(_, Some(started)) => started.forget(process),
        }
    }
}

impl Process {
    /// Waits until all of these requests are complete; none of them stands there twice.
    pub fn await_all<'a>(&self, requests: impl Iterator<Item = &'a Request>) -> Outcome {
        let open = requests.filter(|request| !request.is_complete(self));
        let things = open.map(|request| request.wait_for(self)).count();
        if things > 0 {
            slot::wait_for(self.memory(), self.rank, things as u64);
            self.pass_token()?;
        }
        Ok(())
    }

    /// Waits until at least one of these requests is complete; returns at once if there is none.
    pub fn await_any<'a>(&self, requests: impl Iterator<Item = &'a Request> + Clone) -> Outcome {
        if requests.clone().next().is_none() || requests.clone().any(|request| request.is_complete(self)) {
            return Ok(());
        }
        requests.clone().for_each(|request| request.wait_for(self));
        slot::wait_for(self.memory(), self.rank, 1);
        self.pass_token()?;
        requests.for_each(|request| request.forget(self));
        Ok(())
    }
}
