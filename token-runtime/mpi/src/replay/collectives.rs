//! Collectives of a representative. A reduction gives its own value, a sum as many times as there are
//! members; anything else its own pieces, or those that a root has given that ran before.

use super::{Replay, ReplayedCall, is_floating};
use crate::collectives::buffer_segments::BufferSegment;
use crate::collectives::plan::{Dependency, Incoming, IncomingPiece, PieceSelector, Plan};
use crate::failure::{Failure, Outcome};
use crate::process::Process;
use crate::requests::Pending;
use crate::solo::needs_other_ranks;
use std::rc::Rc;
use token_runtime::mpich::status::Envelope;
use token_runtime::replay_input::{CallOutput, CollectiveOccurrence, repeated_to_length, sanitize};

/// A collective that has begun.
pub struct StartedCollective {
    replay: Rc<Replay>,
    call: ReplayedCall,
    plan: Rc<Plan>,
    occurrence: CollectiveOccurrence,
    /// What this rank gives, packed; combined with what others might, if anything is combined.
    own_data: Vec<Vec<u8>>,
}

impl Process {
    /// The words that all members give in a constructor, as they were kept.
    pub fn exchange_replayed(
        &mut self,
        replay: &Replay,
        members: usize,
        words: &[i64],
    ) -> Result<Vec<Vec<i64>>, Failure> {
        if words.is_empty() {
            return Ok(vec![Vec::new(); members]);
        }
        let call = ReplayedCall {
            is_live: true,
            ..self.replayed_call(replay)?
        };
        let output = replay
            .begin(call)?
            .filter(|output| output.words.len() == members);
        output
            .map(|output| output.words.clone())
            .ok_or_else(needs_other_ranks)
    }

    /// A collective begins.
    pub fn start_replay(
        &mut self,
        replay: Rc<Replay>,
        plan: Rc<Plan>,
    ) -> Result<StartedCollective, Failure> {
        let call = self.replayed_call(&replay)?;
        replay.begin(call)?;
        let communicator = self.communicator(plan.communicator);
        let (context, leader) = (communicator.context, communicator.leader());
        let occurrence = CollectiveOccurrence::new(context, leader, call.call_instance);
        let own_data = self.own_data(&replay, &plan, occurrence)?;
        Ok(StartedCollective {
            replay,
            call,
            plan,
            occurrence,
            own_data,
        })
    }

    fn own_data(
        &self,
        replay: &Replay,
        plan: &Plan,
        occurrence: CollectiveOccurrence,
    ) -> Result<Vec<Vec<u8>>, Failure> {
        let Some(outgoing) = &plan.outgoing else {
            return Ok(Vec::new());
        };
        let context = self.communicator(plan.communicator).context;
        let segments = || (0..u64::from(outgoing.pieces)).map(|piece| outgoing.segments.get(piece));
        let pieces = segments()
            .map(|segment| segment.packed())
            .collect::<Result<Vec<_>, _>>()?;
        if let Some(reduction_spec) = &plan.reduction_spec {
            let parts = self.parts_in_reduction(plan);
            return pieces
                .iter()
                .map(|piece| reduction_spec.reduce_copies(piece, parts))
                .collect();
        }
        let state = &mut *replay.state.borrow_mut();
        if plan.root == Some(self.members(plan.communicator).own) {
            state.sent_root_data.insert(occurrence, pieces.clone());
        }
        for (segment, piece) in segments().zip(&pieces) {
            state
                .echo
                .insert(context, segment.datatype.data.element(), piece.clone());
        }
        Ok(pieces)
    }

    /// How many members' data are combined: all, but in a scan those as far as this rank.
    fn parts_in_reduction(&self, plan: &Plan) -> u64 {
        let parts = match (&plan.dependencies, &plan.incoming) {
            (Dependency::Link, Incoming::One(last)) => last.member + 1,
            (
                Dependency::Nothing
                | Dependency::Group(_)
                | Dependency::Member(_)
                | Dependency::Members(_)
                | Dependency::Link,
                Incoming::Nothing
                | Incoming::One(_)
                | Incoming::Partners { .. }
                | Incoming::Listed(_),
            ) => self.members(plan.communicator).partners,
        };
        parts.into()
    }

    /// What a collective brings.
    pub fn finish_replay(&self, started: &StartedCollective) -> Outcome {
        let output = started.replay.output(started.call);
        let Some(segments) = &started.plan.into else {
            return Ok(());
        };
        for (at, take) in started.plan.incoming.each().enumerate() {
            let segment = segments.get(take.segment);
            if segment.bytes() > 0 {
                segment.unpack(&self.piece(started, output, (at, take), &segment)?)?;
            }
        }
        Ok(())
    }

    /// The data of an area: those of the log, those of the root, this rank's own, or what is there already.
    fn piece(
        &self,
        started: &StartedCollective,
        output: Option<&CallOutput>,
        (at, take): (usize, IncomingPiece),
        segment: &BufferSegment,
    ) -> Result<Vec<u8>, Failure> {
        let bytes = segment.bytes() as usize;
        if let Some(piece) = output.and_then(|output| output.pieces.get(at)) {
            return if piece.len() == bytes {
                Ok(piece.clone())
            } else {
                Err(needs_other_ranks())
            };
        }
        let number = match take.piece {
            PieceSelector::Number(number) => number as usize,
            PieceSelector::Labelled { .. } | PieceSelector::Part { .. } => at,
        };
        if let Some(piece) = started
            .replay
            .root_data
            .piece(started.occurrence, number)
            .filter(|piece| piece.len() == bytes)
        {
            return Ok(piece.to_vec());
        }
        let own = started
            .own_data
            .get(at % started.own_data.len().max(1))
            .filter(|piece| !piece.is_empty());
        let context = self.communicator(started.plan.communicator).context;
        let sort = segment.datatype.data.element();
        if !started.replay.may_echo(sort) && self.members(started.plan.communicator).partners > 1 {
            return Err(needs_other_ranks());
        }
        match (own, take.piece) {
            (Some(own), PieceSelector::Part { offset, .. }) => {
                Ok(repeated_to_length(&own[offset as usize..], bytes))
            }
            (Some(own), PieceSelector::Number(_) | PieceSelector::Labelled { .. }) => {
                Ok(repeated_to_length(own, bytes))
            }
            (None, _) => match started
                .replay
                .state
                .borrow()
                .echo
                .data(context, sort, bytes)
            {
                Some(echo) => Ok(echo),
                None if !is_floating(sort) => Err(needs_other_ranks()),
                None => segment.packed().map(|mut there| {
                    sanitize(sort, &mut there);
                    there
                }),
            },
        }
    }
}

impl Pending for StartedCollective {
    fn is_complete(&self, _process: &Process) -> bool {
        true
    }

    fn wait_for(&self, _process: &Process) {}

    fn forget(&self, _process: &Process) {}

    fn finish(self: Box<Self>, process: &mut Process) -> Result<Envelope, Failure> {
        process.finish_replay(&self)?;
        Ok(Envelope::EMPTY)
    }
}
