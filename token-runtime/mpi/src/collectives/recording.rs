//! What a recording says of a collective: how many elements this rank sends and receives, of what.

use super::areas::Areas;
use super::members::Members;
use crate::datatypes::Type;
use crate::failure::{Failure, Outcome};
use crate::process::{Process, Stream};
use base_data::ids::RequestId;
use base_data::mpi::ReduceOp;
use base_data::program_data::{Call, CollectiveKind, Counts, Operand};
use std::rc::Rc;
use token_runtime::ending::Ending;

/// All of it but the communicator.
#[derive(Clone)]
pub struct Recorded {
    pub kind: CollectiveKind,
    /// Rank of the communicator.
    pub root: Option<u32>,
    pub sent: Elements,
    /// Where it may differ from what is sent.
    pub received: Option<Elements>,
    pub datatype: Rc<Type>,
    pub reduce_op: Option<ReduceOp>,
}

/// Numbers of elements.
#[derive(Clone)]
pub enum Elements {
    Same(u64),
    /// One for each rank.
    Each(Vec<u64>),
}

impl Elements {
    fn counts(&self, stream: &mut Stream) -> Counts {
        match self {
            Elements::Same(count) => Counts::Same(Operand::Constant(*count as i64)),
            Elements::Each(counts) => Counts::PerRank(stream.recorder.count_list(counts)),
        }
    }
}

impl Recorded {
    /// What is recorded of a call without a root that moves data; `None` if recordings have no form for
    /// it: on an intercommunicator, or with a datatype for each partner.
    pub fn moved(kind: CollectiveKind, members: &Members, sent: Elements, areas: &Areas) -> Option<Self> {
        let datatype = areas.datatype().filter(|_| !members.is_inter)?.clone();
        Some(Self { kind, root: None, sent, received: None, datatype, reduce_op: None })
    }
}

impl Process {
    /// Records a collective on a communicator, in mode `record`.
    pub fn record_collective(
        &mut self,
        communicator: usize,
        recorded: Option<&Recorded>,
        request: Option<u32>,
    ) -> Outcome {
        if self.stream.is_none() {
            return Ok(());
        }
        let Some(recorded) = recorded else { return Err(no_form()) };
        self.record(|stream| Call::Collective {
            kind: recorded.kind,
            communicator: Operand::Constant(communicator as i64),
            root: recorded.root.map(|root| Operand::Constant(i64::from(root))),
            counts: recorded.sent.counts(stream),
            receive_counts: recorded.received.as_ref().map(|received| received.counts(stream)),
            datatype: stream.datatype_of(&recorded.datatype),
            reduce_op: recorded.reduce_op,
            request: request.map(RequestId),
        });
        Ok(())
    }
}

fn no_form() -> Failure {
    Failure::Fatal(Ending::Failure("cannot be recorded: recordings have no form for it".into()))
}
