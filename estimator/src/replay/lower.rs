//! Makes steps of program data: walks each rank's stream once, keeps its loops, evaluates its
//! operands for the rank, and leaves calls to [`super::calls`] and [`super::collectives`].

use super::calls;
use super::groups::Groups;
use super::program::{Clock, Step, StepList, Steps, Target};
use super::shared_lists::SharedLists;
use super::tables::Tables;
use crate::EstimateError;
use base_data::program_data::{Mark, Op, Operand, ProgramData, Transfer};
use base_data::{BlockId, CallSiteId, CommId, Rank, RequestId};
use std::collections::BTreeMap;

/// Makes a program ready for replay.
///
/// # Errors
/// Calls that this version cannot replay, and data that are not whole.
pub(crate) fn lower(data: &ProgramData, target: &Target<'_>) -> Result<Steps, EstimateError> {
    let groups = Groups::of(data).map_err(|reason| program_error(data, reason))?;
    let mut tables = Tables::default();
    let mut shared = SharedLists::default();
    for (rank, place) in class_places(data).into_iter().enumerate() {
        let Some((class, position)) = place else {
            return Err(program_error(
                data,
                format!("rank {rank} is in no rank class; record the program again"),
            ));
        };
        let rank = Rank::from_index(rank);
        let mut lowering = RankLowering {
            data,
            target,
            groups: &groups,
            tables: &mut tables,
            rank,
            position,
            out: StepList { steps: Vec::new(), slots: super::program::FIRST_REQUEST_SLOT },
            wildcards: BTreeMap::new(),
        };
        lowering.stream(&data.classes[class].stream)?;
        shared.add_rank(lowering.out);
    }
    Ok(whole(data, &groups, tables, shared))
}

/// An error about the program as a whole.
fn program_error(data: &ProgramData, reason: String) -> EstimateError {
    let name = &data.provenance.program;
    let place = if name.is_empty() { "program data".into() } else { format!("program '{name}'") };
    EstimateError::Program { place, reason }
}

/// Class and position in it of each rank.
fn class_places(data: &ProgramData) -> Vec<Option<(usize, usize)>> {
    let mut places = vec![None; data.ranks as usize];
    for (class, ranks) in data.classes.iter().map(|class| &class.ranks).enumerate() {
        for (position, rank) in ranks.iter().enumerate() {
            if let Some(place) = places.get_mut(rank.index()) {
                *place = Some((class, position));
            }
        }
    }
    places
}

fn whole(data: &ProgramData, groups: &Groups, tables: Tables, shared: SharedLists) -> Steps {
    let (lists, ranks, rank_channels) = shared.into_parts();
    let marks_section = |list: &StepList| list.steps.iter().any(|step| matches!(step, Step::Section { .. }));
    Steps {
        has_section: data.section.is_some() || lists.iter().any(marks_section),
        lists,
        ranks,
        rank_channels,
        channels: tables.channels.into_values(),
        sizes: tables.sizes.into_values(),
        signatures: tables.signatures.into_values(),
        combinations: tables.combinations.into_values(),
        clocks: tables.clocks.into_values(),
        variants: data.variants.len(),
        sites: data.table.call_sites.len(),
        blocks: data.table.blocks.len(),
        group_sizes: groups.sizes(),
    }
}

/// The lowering of one rank's stream.
pub(super) struct RankLowering<'a> {
    pub(super) data: &'a ProgramData,
    pub(super) target: &'a Target<'a>,
    pub(super) groups: &'a Groups,
    pub(super) tables: &'a mut Tables,
    pub(super) rank: Rank,
    position: usize,
    pub(super) out: StepList,
    /// Started receives whose source or tag is known only from the call that completed them: the
    /// index of their step.
    pub(super) wildcards: BTreeMap<RequestId, WildcardReceive>,
}

/// A started receive with a wildcard.
#[derive(Clone, Copy)]
pub(super) struct WildcardReceive {
    pub(super) step: usize,
    pub(super) site: CallSiteId,
    pub(super) transfer: Transfer,
    pub(super) slot: u32,
}

impl RankLowering<'_> {
    fn stream(&mut self, stream: &[Op]) -> Result<(), EstimateError> {
        // Open loops: where they end in the stream, and their step.
        let mut open: Vec<(usize, usize)> = Vec::new();
        let mut index = 0;
        while index < stream.len() {
            let op = &stream[index];
            index += 1;
            if let Op::Loop { count, body } = op {
                let end = (index + *body as usize).min(open.last().map_or(stream.len(), |loop_| loop_.0));
                if count.get() == 0 {
                    index = end;
                } else {
                    open.push((end, self.out.steps.len()));
                    self.out.steps.push(Step::Repeat { count: count.get(), body: 0 });
                }
            } else {
                self.op(op)?;
            }
            while open.last().is_some_and(|loop_| loop_.0 <= index) {
                if let Some((_, step)) = open.pop() {
                    self.close_loop(step);
                }
            }
        }
        self.refuse_open_wildcards()
    }

    /// Enters the length of a loop's body, or drops the loop if nothing is in it.
    fn close_loop(&mut self, step: usize) {
        let length = self.out.steps.len() - step - 1;
        if length == 0 {
            self.out.steps.truncate(step);
        } else if let Some(Step::Repeat { body, .. }) = self.out.steps.get_mut(step) {
            *body = length as u32;
        }
    }

    fn op(&mut self, op: &Op) -> Result<(), EstimateError> {
        match op {
            Op::Loop { .. } => Ok(()),
            Op::Block { block, variant } => self.block(*block, *variant),
            Op::Mark(mark) => {
                self.mark(*mark);
                Ok(())
            }
            Op::Call { site, .. } if site.index() >= self.data.table.call_sites.len() => Err(program_error(
                self.data,
                format!("call site {site} is not in the block table; record again"),
            )),
            Op::Call { site, call } => calls::lower(self, *site, call),
        }
    }

    fn block(&mut self, block: BlockId, variant: Operand) -> Result<(), EstimateError> {
        let Some(found) = self.data.table.blocks.get(block.index()) else {
            let reason = format!("block {block} is not in the block table; record again");
            return Err(program_error(self.data, reason));
        };
        let Some(variant) = self.data.variant(variant, self.rank, self.position) else {
            let reason = format!("rank {} has no variant of this block; record again", self.rank);
            return Err(EstimateError::Program { place: self.data.table.place(&found.span), reason });
        };
        self.push(Step::Compute { block: block.0, variant: variant.0 });
        Ok(())
    }

    fn mark(&mut self, mark: Mark) {
        let step = match mark {
            Mark::Clock { site, path } => {
                Step::Clock { clock: self.tables.clocks.number(Clock { site, path }) }
            }
            Mark::SectionBegin => Step::Section { begins: true },
            Mark::SectionEnd => Step::Section { begins: false },
        };
        self.push(step);
    }

    pub(super) fn push(&mut self, step: Step) {
        self.out.steps.push(step);
    }

    /// An error at a call.
    pub(super) fn error(&self, site: CallSiteId, reason: impl Into<String>) -> EstimateError {
        EstimateError::Program { place: self.data.table.site_place(site), reason: reason.into() }
    }

    /// The value of an operand for this rank.
    pub(super) fn value(&self, site: CallSiteId, operand: Operand) -> Result<i64, EstimateError> {
        self.data.value(operand, self.rank, self.position).ok_or_else(|| {
            self.error(
                site,
                format!("an operand has no value on rank {}; record the program again", self.rank),
            )
        })
    }

    /// The communicator an operand means.
    pub(super) fn communicator(&self, site: CallSiteId, operand: Operand) -> Result<CommId, EstimateError> {
        let value = self.value(site, operand)?;
        let id = u32::try_from(value).ok().map(CommId).filter(|id| self.groups.has(*id));
        id.ok_or_else(|| {
            self.error(site, format!("rank {} names communicator {value}, which there is not", self.rank))
        })
    }

    fn refuse_open_wildcards(&self) -> Result<(), EstimateError> {
        match self.wildcards.values().next() {
            None => Ok(()),
            Some(receive) => Err(self.wildcard_error(receive.site)),
        }
    }

    pub(super) fn wildcard_error(&self, site: CallSiteId) -> EstimateError {
        let reason = "receives from MPI_ANY_SOURCE or with MPI_ANY_TAG, and the recording does not say what it \
                      got; record the program with this message's envelope kept, or name source and tag";
        self.error(site, reason)
    }
}
