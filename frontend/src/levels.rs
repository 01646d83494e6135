//! Three levels of messages. All point-to-point messages are one class, each collective function is
//! one: matching is not known before a run, so if the data of one message of a class are needed,
//! those of all are.

use crate::analysis::MessageLevel;
use base_data::mpi::{Function, Kind};

/// Calls whose messages are needed, or not, together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum MessageClass {
    /// Sends, receives and their completions.
    PointToPoint,
    /// A collective by its name; communicators are made by collectives whose answer is always needed.
    Collective(&'static str),
    /// No messages.
    None,
}

impl MessageClass {
    /// The class of a function.
    pub(crate) fn of(function: &'static Function) -> Self {
        match function.kind {
            Kind::Send
            | Kind::Receive
            | Kind::SendReceive
            | Kind::StartSend
            | Kind::StartReceive
            | Kind::MakePersistent
            | Kind::StartPersistent
            | Kind::Wait
            | Kind::Test
            | Kind::Probe
            | Kind::Other => MessageClass::PointToPoint,
            Kind::Collective | Kind::MakeCommunicator => MessageClass::Collective(function.name),
            Kind::Start | Kind::End | Kind::Abort | Kind::Clock | Kind::Local => MessageClass::None,
        }
    }
}

/// Which classes the slice needs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Needed {
    /// Classes whose data are read.
    pub(crate) payload: std::collections::BTreeSet<MessageClass>,
    /// Whether some source, tag, count or completion is read.
    pub(crate) envelope: bool,
}

impl Needed {
    /// How much of a function's messages is needed.
    pub(crate) fn level(&self, function: &'static Function) -> MessageLevel {
        let class = MessageClass::of(function);
        let is_constructor = function.kind == Kind::MakeCommunicator;
        if is_constructor || self.payload.contains(&class) {
            MessageLevel::PayloadLive
        } else if class == MessageClass::PointToPoint && self.envelope {
            MessageLevel::EnvelopeLive
        } else {
            MessageLevel::Recorded
        }
    }
}
