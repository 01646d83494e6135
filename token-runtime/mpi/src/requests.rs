//! Kinds of requests, and waiting for all or any of several.

use crate::datatypes::Type;
use crate::datatypes::data_location::DataLocation;
use crate::emulation::{Asks, Timed, TimedKind};
use crate::failure::{Failure, Outcome};
use crate::process::Process;
use std::rc::Rc;
use token_runtime::kernel::point_to_point::{self, Message, Node};
use token_runtime::kernel::slot;
use token_runtime::mpich::status::Envelope;
use token_runtime::replay_input::CallInstance;

/// A request.
pub enum Request {
    /// Complete from the start: a send whose data have been taken, a transfer with MPI_PROC_NULL, a call that
    /// is only recorded. With what its status says.
    Done(Envelope),
    /// A send whose data have been taken; the message may still wait for its receive.
    Sent(Sent),
    /// A synchronous send: its node in shared memory.
    Send(Node),
    /// A posted receive.
    Receive(Receive),
    /// Anything that happens later, as nonblocking collectives do.
    Pending(Box<dyn Pending>),
    /// Anything of an emulated run that is not complete from the start.
    Timed(Timed),
    /// A persistent request: what starting it does, and what was started.
    Persistent(Box<dyn Start>, Option<Box<Request>>),
}

/// A message that is on its way or was received.
pub struct Sent {
    /// World rank of the receiver.
    pub receiver: u32,
    /// As it was sent.
    pub message: Message,
}

/// A posted receive.
pub struct Receive {
    /// Its node in shared memory.
    pub node: Node,
    /// Where the data go; `None` if only the envelope is wanted.
    pub place: Option<DataLocation>,
    /// Number of elements that can be received.
    pub count: u64,
    /// What they are.
    pub datatype: Rc<Type>,
    /// If it takes a message from any source or with any tag: the place of the first of its partners among
    /// all members of the communicator.
    pub wildcard: Option<u32>,
    /// The call instance under which the message log stores its data.
    pub call_instance: Option<CallInstance>,
    /// The call that posted it ([`slot::call_word`]).
    pub call: u64,
}

/// Something that is complete at some time. Its state is in shared memory, where others change it.
pub trait Pending {
    /// Whether it can be finished without waiting.
    fn is_complete(&self, process: &Process) -> bool;

    /// Its owner waits for it: when it becomes complete, `slot::complete_one` is to be called for the
    /// owner once. Only called while it is not complete.
    fn wait_for(&self, process: &Process);

    /// The owner does not wait for it any more: `slot::complete_one` must not be called.
    fn forget(&self, process: &Process);

    /// It is complete: the owner takes the results and lets go of it. Gives its status.
    fn finish(self: Box<Self>, process: &mut Process) -> Result<Envelope, Failure>;

    /// What cancels it, if anything does.
    fn cancellation(&self) -> Option<Cancellation> {
        None
    }

    /// The program says that it is complete. False if that is not the program's business.
    fn declare_complete(&self, _process: &Process) -> bool {
        false
    }

    /// Its description in the report about requests that are never completed.
    fn described(&self) -> String {
        "a nonblocking collective".into()
    }
}

/// What `MPI_Cancel` does to something that happens later.
pub type Cancellation = Box<dyn FnOnce(&mut Process) -> Outcome>;

/// What a persistent request does when it is started.
pub trait Start {
    /// Starts it.
    fn start(&self, process: &mut Process) -> Result<Request, Failure>;

    /// Whether it starts a transfer: those that a call starts are recorded together.
    fn is_transfer(&self) -> bool {
        true
    }

    /// Records the start of what is no transfer, of the request with this number.
    fn record(&self, _process: &mut Process, _number: u32) -> Outcome {
        Ok(())
    }
}

impl Request {
    /// Whether a call that waits for it goes on at once.
    pub fn is_complete(&self, process: &Process) -> bool {
        match self {
            Request::Done(_) | Request::Sent(_) => true,
            Request::Send(node) | Request::Receive(Receive { node, .. }) => {
                point_to_point::is_matched(process.memory(), *node)
            }
            Request::Pending(pending) => pending.is_complete(process),
            Request::Timed(timed) => timed.is_done.get(),
            Request::Persistent(_, started) => started
                .as_ref()
                .is_none_or(|started| started.is_complete(process)),
        }
    }

    /// Whether a call that completes requests has anything to do with it: not so for a persistent
    /// one that was not started.
    pub fn is_active(&self) -> bool {
        !matches!(self, Request::Persistent(_, None))
    }

    /// Whether its completion brings data that others send: receives, and what happens later. Not so what was
    /// complete from the start.
    pub fn brings(&self) -> bool {
        match self {
            Request::Receive(_) | Request::Pending(_) => true,
            Request::Timed(timed) => !matches!(timed.kind, TimedKind::Send),
            Request::Persistent(_, Some(started)) => started.brings(),
            Request::Done(_)
            | Request::Sent(_)
            | Request::Send(_)
            | Request::Persistent(_, None) => false,
        }
    }

    /// If it is a receive that takes a message from any source or with any tag: the place among all members
    /// of its communicator of the first that it could be from.
    pub fn wildcard(&self) -> Option<u32> {
        match self {
            Request::Receive(receive) => receive.wildcard,
            Request::Timed(timed) => match &timed.kind {
                TimedKind::Receive(receive, _) => receive.wildcard,
                TimedKind::Send | TimedKind::Collective(_) => None,
            },
            Request::Persistent(_, Some(started)) => started.wildcard(),
            Request::Done(_)
            | Request::Sent(_)
            | Request::Send(_)
            | Request::Pending(_)
            | Request::Persistent(_, None) => None,
        }
    }

    /// Its description in the report about requests that are never completed.
    pub fn described(&self, process: &Process) -> String {
        match self {
            Request::Done(_) | Request::Sent(_) | Request::Persistent(_, None) => {
                "a transfer".into()
            }
            Request::Send(_) => "a synchronous send that no rank received".into(),
            Request::Receive(receive) => {
                let wanted = point_to_point::wanted(process.memory(), receive.node);
                let source = wanted
                    .source
                    .map_or("any rank".into(), |source| format!("rank {source}"));
                let tag = wanted
                    .tag
                    .map_or("any tag".into(), |tag| format!("tag {tag}"));
                let communicator = process.name_of_context(wanted.context);
                format!("a receive from {source} of {communicator} with {tag}")
            }
            Request::Pending(pending) => pending.described(),
            Request::Timed(timed) => match &timed.kind {
                TimedKind::Send => "a send".into(),
                TimedKind::Receive(..) => "a receive".into(),
                TimedKind::Collective(collective) => collective.described(),
            },
            Request::Persistent(_, Some(started)) => started.described(process),
        }
    }

    /// Context of the communicator of a transfer that is not complete, for reports.
    fn context(&self, process: &Process) -> Option<u64> {
        match self {
            Request::Send(node) => point_to_point::context_of_send(process.memory(), *node),
            Request::Receive(receive) => {
                Some(point_to_point::wanted(process.memory(), receive.node).context)
            }
            Request::Persistent(_, Some(started)) => started.context(process),
            Request::Done(_)
            | Request::Sent(_)
            | Request::Pending(_)
            | Request::Timed(_)
            | Request::Persistent(_, None) => None,
        }
    }

    /// What the engine of an emulation has the time of.
    pub fn timed(&self) -> Option<&Timed> {
        match self {
            Request::Timed(timed) => Some(timed),
            Request::Persistent(_, Some(started)) => started.timed(),
            Request::Done(_)
            | Request::Sent(_)
            | Request::Send(_)
            | Request::Receive(_)
            | Request::Pending(_)
            | Request::Persistent(_, None) => None,
        }
    }

    fn wait_for(&self, process: &Process) {
        match self {
            Request::Done(_) | Request::Sent(_) | Request::Persistent(_, None) => {}
            Request::Send(node) | Request::Receive(Receive { node, .. }) => {
                point_to_point::wait_for(process.memory(), *node);
            }
            Request::Pending(pending) => pending.wait_for(process),
            // The engine is asked instead.
            Request::Timed(_) => {}
            Request::Persistent(_, Some(started)) => started.wait_for(process),
        }
    }

    fn forget(&self, process: &Process) {
        match self {
            Request::Done(_) | Request::Sent(_) | Request::Persistent(_, None) => {}
            Request::Send(node) | Request::Receive(Receive { node, .. }) => {
                point_to_point::forget(process.memory(), *node);
            }
            Request::Pending(pending) => pending.forget(process),
            Request::Timed(_) => {}
            Request::Persistent(_, Some(started)) => started.forget(process),
        }
    }
}

impl Process {
    /// Waits until all of these requests are complete; none of them stands there twice.
    pub fn wait_for_all<'a>(&self, requests: impl Iterator<Item = &'a Request> + Clone) -> Outcome {
        if let Some(emulated) = &self.emulated {
            return self.wait_for_timed(emulated, requests);
        }
        if self.has_threads() {
            return self.poll_until(|| requests.clone().all(|request| request.is_complete(self)));
        }
        let mut things = 0;
        for request in requests {
            if request.is_complete(self) {
                continue;
            }
            request.wait_for(self);
            self.name_communicator_of(request);
            things += 1;
        }
        if things > 0 {
            slot::wait_for(self.memory(), self.rank, things);
            self.hand_over_token()?;
        }
        Ok(())
    }

    /// Waits until at least one of these requests is complete; returns at once if there is none.
    pub fn wait_for_any<'a>(&self, requests: impl Iterator<Item = &'a Request> + Clone) -> Outcome {
        self.wait_for_one_of(Asks::Any, requests)
    }

    /// The same for a call that completes all that are complete then.
    pub fn wait_for_some<'a>(
        &self,
        requests: impl Iterator<Item = &'a Request> + Clone,
    ) -> Outcome {
        self.wait_for_one_of(Asks::Some, requests)
    }

    fn wait_for_one_of<'a>(
        &self,
        asks: Asks,
        requests: impl Iterator<Item = &'a Request> + Clone,
    ) -> Outcome {
        if requests.clone().next().is_none()
            || requests.clone().any(|request| request.is_complete(self))
        {
            return Ok(());
        }
        if let Some(emulated) = &self.emulated {
            return self.wait_for_any_timed(emulated, asks, requests);
        }
        if self.has_threads() {
            return self.poll_until(|| requests.clone().any(|request| request.is_complete(self)));
        }
        for request in requests.clone() {
            request.wait_for(self);
            self.name_communicator_of(request);
        }
        slot::wait_for(self.memory(), self.rank, 1);
        self.hand_over_token()?;
        requests.for_each(|request| request.forget(self));
        Ok(())
    }

    /// Reports name the communicator of the first transfer that a call waits for, if the call names none itself.
    fn name_communicator_of(&self, request: &Request) {
        if self.tables.named_communicator.get().is_some() {
            return;
        }
        if let Some(context) = request.context(self) {
            self.name_communicator_of_context(context);
        }
    }
}
