//! Collectives of a representative. A reduction gives its own value, a sum as many times as there are
//! members; anything else its own pieces, or those that a root has given that ran before.

use super::{Called, Fed, is_floating};
use crate::alone::not_alone;
use crate::collectives::areas::Area;
use crate::collectives::plan::{Need, Piece, Plan, Take, Takes};
use crate::failure::{Failure, Outcome};
use crate::process::Process;
use crate::requests::Pending;
use std::rc::Rc;
use token_runtime::feeding::{Brought, Occasion, fitted, make_sane};
use token_runtime::mpich::status::Envelope;

/// A collective that has begun.
pub struct Begun {
    fed: Rc<Fed>,
    call: Called,
    plan: Rc<Plan>,
    occasion: Occasion,
    /// What this rank gives, packed; combined with what others might, if anything is combined.
    given: Vec<Vec<u8>>,
}

impl Process {
    /// The words that all members give in a constructor, as they were kept.
    pub fn exchange_fed(
        &mut self,
        fed: &Fed,
        members: usize,
        words: &[i64],
    ) -> Result<Vec<Vec<i64>>, Failure> {
        if words.is_empty() {
            return Ok(vec![Vec::new(); members]);
        }
        let call = Called { is_live: true, ..self.called(fed)? };
        let brought = fed.begin(call)?.filter(|brought| brought.words.len() == members);
        brought.map(|brought| brought.words.clone()).ok_or_else(not_alone)
    }

    /// A collective begins.
    pub fn begin_fed(&mut self, fed: Rc<Fed>, plan: Rc<Plan>) -> Result<Begun, Failure> {
        let call = self.called(&fed)?;
        fed.begin(call)?;
        let communicator = self.communicator(plan.communicator);
        let (context, leader) = (communicator.context, communicator.leader());
        let occasion = Occasion::new(context, leader, call.ticket);
        let given = self.given(&fed, &plan, occasion)?;
        Ok(Begun { fed, call, plan, occasion, given })
    }

    fn given(&self, fed: &Fed, plan: &Plan, occasion: Occasion) -> Result<Vec<Vec<u8>>, Failure> {
        let Some(gives) = &plan.gives else { return Ok(Vec::new()) };
        let context = self.communicator(plan.communicator).context;
        let areas = || (0..u64::from(gives.pieces)).map(|piece| gives.areas.get(piece));
        let pieces = areas().map(|area| area.packed()).collect::<Result<Vec<_>, _>>()?;
        if let Some(combination) = &plan.combination {
            let parts = self.parts_in_reduction(plan);
            return pieces.iter().map(|piece| combination.with_itself(piece, parts)).collect();
        }
        let state = &mut *fed.state.borrow_mut();
        if plan.root == Some(self.members(plan.communicator).own) {
            state.gives.give(occasion, pieces.clone());
        }
        for (area, piece) in areas().zip(&pieces) {
            state.echo.give(context, area.datatype.data.element(), piece.clone());
        }
        Ok(pieces)
    }

    /// How many members' data are combined: all, but in a scan those as far as this rank.
    fn parts_in_reduction(&self, plan: &Plan) -> u64 {
        let parts = match (&plan.needs, &plan.takes) {
            (Need::Link, Takes::One(last)) => last.member + 1,
            (
                Need::Nothing | Need::Group(_) | Need::Member(_) | Need::Members(_) | Need::Link,
                Takes::Nothing | Takes::One(_) | Takes::Partners { .. } | Takes::Listed(_),
            ) => self.members(plan.communicator).partners,
        };
        parts.into()
    }

    /// What a collective brings.
    pub fn finish_fed(&self, begun: &Begun) -> Outcome {
        let brought = begun.fed.brought(begun.call);
        let Some(areas) = &begun.plan.into else { return Ok(()) };
        for (at, take) in begun.plan.takes.each().enumerate() {
            let area = areas.get(take.area);
            if area.bytes() > 0 {
                area.unpack(&self.piece(begun, brought, (at, take), &area)?)?;
            }
        }
        Ok(())
    }

    /// The data of an area: those of the log, those of the root, this rank's own, or what is there already.
    fn piece(
        &self,
        begun: &Begun,
        brought: Option<&Brought>,
        (at, take): (usize, Take),
        area: &Area,
    ) -> Result<Vec<u8>, Failure> {
        let bytes = area.bytes() as usize;
        if let Some(piece) = brought.and_then(|brought| brought.pieces.get(at)) {
            return if piece.len() == bytes { Ok(piece.clone()) } else { Err(not_alone()) };
        }
        let number = match take.piece {
            Piece::Number(number) => number as usize,
            Piece::Labelled { .. } | Piece::Part { .. } => at,
        };
        if let Some(piece) =
            begun.fed.given.piece(begun.occasion, number).filter(|piece| piece.len() == bytes)
        {
            return Ok(piece.to_vec());
        }
        let own = begun.given.get(at % begun.given.len().max(1)).filter(|piece| !piece.is_empty());
        let context = self.communicator(begun.plan.communicator).context;
        let sort = area.datatype.data.element();
        if !begun.fed.may_echo(sort) && self.members(begun.plan.communicator).partners > 1 {
            return Err(not_alone());
        }
        match (own, take.piece) {
            (Some(own), Piece::Part { offset, .. }) => Ok(fitted(&own[offset as usize..], bytes)),
            (Some(own), Piece::Number(_) | Piece::Labelled { .. }) => Ok(fitted(own, bytes)),
            (None, _) => match begun.fed.state.borrow().echo.take(context, sort, bytes) {
                Some(echo) => Ok(echo),
                None if !is_floating(sort) => Err(not_alone()),
                None => area.packed().map(|mut there| {
                    make_sane(sort, &mut there);
                    there
                }),
            },
        }
    }
}

impl Pending for Begun {
    fn is_complete(&self, _process: &Process) -> bool {
        true
    }

    fn wait_for(&self, _process: &Process) {}

    fn forget(&self, _process: &Process) {}

    fn finish(self: Box<Self>, process: &mut Process) -> Result<Envelope, Failure> {
        process.finish_fed(&self)?;
        Ok(Envelope::EMPTY)
    }
}
