//! Makes steps of program data: walks each rank's stream once, keeps its loops, evaluates its
//! operands for the rank, and leaves calls to [`super::calls`], [`super::requests`] and
//! [`super::collectives`].

use super::calls;
use super::channels::Channels;
use super::collectives::{StartedSlots, place_scratch_slots};
use super::groups::Groups;
use super::outline::outline;
use super::program::{Clock, FIRST_REQUEST_SLOT, LoopCount, Step, StepList, Steps, Target};
use super::requests::{self, Requests};
use super::shared_lists::SharedLists;
use super::tables::Tables;
use crate::EstimateError;
use crate::numbered::Numbered;
use crate::trace_sites::TraceSites;
use base_data::block_table::CallSite;
use base_data::program_data::{Mark, ObservedMatch, Op, Operand, ProgramData};
use base_data::{BlockId, CallSiteId, CommId, Rank};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::OnceLock;

/// Makes a program ready for replay.
///
/// # Errors
/// Calls that this version cannot replay, and data that are not whole.
pub(crate) fn lower(data: &ProgramData, target: &Target<'_>) -> Result<Steps, EstimateError> {
    let mut lowering = Lowering::new(data, target)?;
    let sites = CallSites::OfTable(&data.table.call_sites);
    let outlines: Vec<Option<Vec<Op>>> = data.classes.iter().map(outline).collect();
    for (rank, place) in class_places(data).into_iter().enumerate() {
        let Some((class, position)) = place else {
            return Err(program_error(
                data,
                format!("rank {rank} is in no rank class; record the program again"),
            ));
        };
        let (rank, stream) = (Rank::from_index(rank), &data.classes[class].stream);
        let Some(outline) = &outlines[class] else {
            lowering.entries(data, sites, rank, position, stream)?;
            lowering.end_rank();
            continue;
        };
        let outlined = lowering.entries(data, sites, rank, position, outline);
        let list = lowering.taken_list();
        // The stream has the same error, perhaps at an earlier entry.
        let is_known = outlined.is_ok() && lowering.shared.add_outlined(class as u32, list);
        if is_known {
            lowering.tables.channels.next_rank();
        } else {
            lowering.entries(data, sites, rank, position, stream)?;
            lowering.end_rank();
        }
    }
    Ok(lowering.finish(data, data.table.call_sites.len()))
}

/// The call sites that a stream refers to.
#[derive(Clone, Copy)]
pub(crate) enum CallSites<'a> {
    /// Those of base data.
    OfTable(&'a [CallSite]),
    /// Those of a trace as far as it has been read.
    OfTrace(&'a TraceSites),
}

impl<'a> CallSites<'a> {
    /// The function that is called at a site; `None` if there is no such site.
    pub(super) fn function(self, site: CallSiteId) -> Option<&'a str> {
        match self {
            Self::OfTable(sites) => Some(&sites.get(site.index())?.function),
            Self::OfTrace(sites) => sites.function(site),
        }
    }
}

/// The lowering of a program, rank by rank.
pub(crate) struct Lowering<'t> {
    target: &'t Target<'t>,
    groups: Groups,
    tables: Tables,
    shared: SharedLists,
    open: OpenRank,
}

/// What has been made of the rank whose entries come.
pub(super) struct OpenRank {
    pub(super) list: StepList,
    /// Schedules of started collectives, each once.
    pub(super) schedules: Numbered<Vec<Step>>,
    pub(super) requests: Requests,
    /// What receives whose source or tag was known only afterwards got, by their step.
    pub(super) got: BTreeMap<usize, ObservedMatch>,
    /// The slots of collectives that are started.
    pub(super) slots: StartedSlots,
    /// Loop iterations peeled so far.
    peeled: u32,
}

impl Default for OpenRank {
    fn default() -> Self {
        Self {
            list: StepList {
                slots: FIRST_REQUEST_SLOT,
                ..StepList::default()
            },
            schedules: Numbered::default(),
            requests: Requests::default(),
            got: BTreeMap::new(),
            slots: StartedSlots::default(),
            peeled: 0,
        }
    }
}

impl<'t> Lowering<'t> {
    /// Nothing yet; of `data` only the number of ranks and the communicators are looked at.
    ///
    /// # Errors
    /// A communicator with ranks that there are not.
    pub(crate) fn new(data: &ProgramData, target: &'t Target<'t>) -> Result<Self, EstimateError> {
        let groups = Groups::of(data).map_err(|reason| program_error(data, reason))?;
        Ok(Self {
            target,
            groups,
            tables: Tables {
                channels: Channels::by_rank(),
                ..Tables::default()
            },
            shared: SharedLists::default(),
            open: OpenRank::default(),
        })
    }

    /// Adds entries of the present rank; the tables of `data` contain what they refer to. A rank whose stream comes in
    /// several parts has no loops over more than one of them, and starts no collective.
    ///
    /// # Errors
    /// See [`lower`].
    pub(crate) fn entries(
        &mut self,
        data: &ProgramData,
        sites: CallSites<'_>,
        rank: Rank,
        position: usize,
        stream: &[Op],
    ) -> Result<(), EstimateError> {
        let mut lowering = RankLowering {
            data,
            sites,
            target: self.target,
            groups: &self.groups,
            tables: &mut self.tables,
            rank,
            position,
            stream,
            open: &mut self.open,
        };
        lowering.entries(0..stream.len())
    }

    /// The present rank has no further entries.
    pub(crate) fn end_rank(&mut self) {
        let list = self.taken_list();
        self.shared.add_rank(list);
        self.tables.channels.next_rank();
    }

    /// The steps of the present rank, which has no further entries.
    fn taken_list(&mut self) -> StepList {
        let OpenRank {
            mut list,
            schedules,
            ..
        } = std::mem::take(&mut self.open);
        list.schedules = schedules.into_values();
        place_scratch_slots(&mut list);
        list
    }

    /// The steps of all ranks, which refer to so many call sites.
    pub(crate) fn finish(self, data: &ProgramData, sites: usize) -> Steps {
        whole(data, sites, &self.groups, self.tables, self.shared)
    }
}

/// An error about the program as a whole.
fn program_error(data: &ProgramData, reason: String) -> EstimateError {
    let name = &data.provenance.program;
    let place = if name.is_empty() {
        "program data".into()
    } else {
        format!("program '{name}'")
    };
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

fn whole(
    data: &ProgramData,
    sites: usize,
    groups: &Groups,
    tables: Tables,
    shared: SharedLists,
) -> Steps {
    let (lists, ranks, rank_channels) = shared.into_parts();
    let marks_section = |list: &StepList| {
        list.steps
            .iter()
            .any(|step| matches!(step, Step::Section { .. }))
    };
    let steps = Steps {
        code: OnceLock::new(),
        open_wildcards: open_wildcards(&lists),
        has_section: data.section.is_some() || lists.iter().any(marks_section),
        lists,
        ranks,
        rank_channels,
        channels: tables.channels.into_values(),
        patterns: tables.patterns.into_values(),
        sizes: tables.sizes.into_values(),
        signatures: tables.signatures.into_values(),
        local_times: tables.local_times.into_values(),
        measured_collectives: tables.measured.sentences(),
        clocks: tables.clocks.into_values(),
        variants: data.variants.len(),
        sites,
        blocks: data.table.blocks.len(),
        group_sizes: groups.sizes(),
    };
    steps.compiled()
}

/// Sites of steps that ask for a pattern.
fn open_wildcards(lists: &[StepList]) -> Vec<CallSiteId> {
    let mut sites = BTreeSet::new();
    for list in lists {
        let mut site = CallSiteId(0);
        for step in &list.steps {
            match step {
                Step::Enter { site: entered } => site = CallSiteId(*entered),
                Step::ReceiveAny { .. } | Step::ProbeAny { .. } => {
                    sites.insert(site);
                }
                _ => {}
            }
        }
    }
    sites.into_iter().collect()
}

/// The lowering of one rank's stream.
pub(super) struct RankLowering<'a> {
    pub(super) data: &'a ProgramData,
    pub(super) sites: CallSites<'a>,
    pub(super) target: &'a Target<'a>,
    pub(super) groups: &'a Groups,
    pub(super) tables: &'a mut Tables,
    pub(super) rank: Rank,
    pub(super) position: usize,
    pub(super) stream: &'a [Op],
    pub(super) open: &'a mut OpenRank,
}

/// Limit of peeled loop iterations, which no program needs: an iteration is peeled if a request means something else
/// in it than in the iteration before.
const MOST_PEELED: u32 = 1024;

impl RankLowering<'_> {
    /// Appends the steps of some entries.
    fn entries(&mut self, range: Range<usize>) -> Result<(), EstimateError> {
        let stream = self.stream;
        let mut index = range.start;
        while index < range.end {
            let op = &stream[index];
            index += 1;
            if let Op::Loop { count, body } = op {
                // A body never reaches beyond the loop around it; a broken file must not make it do so.
                let end = (index + *body as usize).min(range.end);
                self.repeated(count.get(), index..end)?;
                index = end;
            } else {
                self.op(op)?;
            }
        }
        Ok(())
    }

    /// Appends the steps of a loop. As long as a request stands for something else after an iteration
    /// than before it, the iteration is one of its own.
    fn repeated(&mut self, count: u64, body: Range<usize>) -> Result<(), EstimateError> {
        // A request may refer to the iteration before (double buffering): then the first iteration has other
        // steps than the second. Iterations are peeled off until one leaves the requests as it found them.
        let mut left = count;
        while left > 0 {
            let before = self.open.requests.clone();
            let start = self.open_loop(left);
            self.entries(body.clone())?;
            let rotated = self.open.requests.rotated(&before);
            let together = match &rotated {
                _ if left == 1 => 1,
                // Every request means the same as before: the other iterations have the same steps.
                Some(requests) if requests.is_empty() => left,
                // Each iteration completes receives of the one before it. Entries after the loop complete those
                // of the last iteration, perhaps with another message, so the last one has steps of its own.
                Some(_) => left - 1,
                None => 1,
            };
            if together > 1 {
                requests::resolve_rotated(self, &rotated.unwrap_or_default(), &before)?;
            } else if left > 1 {
                self.count_peeled()?;
            }
            self.close_loop(start, together);
            left -= together;
        }
        Ok(())
    }

    /// Number of slots that leave all requests of the stream theirs.
    pub(super) fn slots_of_requests(&self) -> u32 {
        let numbers = self.stream.iter().filter_map(|op| match op {
            Op::Call { call, .. } => call.started_request(),
            Op::Loop { .. } | Op::Block { .. } | Op::Mark(_) => None,
        });
        FIRST_REQUEST_SLOT + numbers.max().map_or(0, |number| number.0 + 1)
    }

    fn count_peeled(&mut self) -> Result<(), EstimateError> {
        self.open.peeled += 1;
        if self.open.peeled <= MOST_PEELED {
            return Ok(());
        }
        let reason = format!(
            "rank {}: requests of a loop mean something else in each of its iterations; record again",
            self.rank
        );
        Err(program_error(self.data, reason))
    }

    fn open_loop(&mut self, count: u64) -> usize {
        self.open.list.steps.push(Step::repeat(count, 0));
        self.open.list.steps.len() - 1
    }

    /// Enters the length of a loop's body, or drops the loop if nothing is in it.
    fn close_loop(&mut self, step: usize, times: u64) {
        let length = self.open.list.steps.len() - step - 1;
        if length == 0 {
            self.open.list.steps.truncate(step);
        } else if let Some(Step::Repeat { body, count }) = self.open.list.steps.get_mut(step) {
            (*body, *count) = (length as u32, LoopCount::new(times));
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
            Op::Call { site, .. } if self.sites.function(*site).is_none() => Err(program_error(
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
            let reason = format!(
                "rank {} has no variant of this block; record again",
                self.rank
            );
            return Err(EstimateError::Program {
                place: self.data.table.place(&found.span),
                reason,
            });
        };
        self.push(Step::Compute {
            block: block.0,
            variant: variant.0,
            index: 0,
        });
        Ok(())
    }

    fn mark(&mut self, mark: Mark) {
        let step = match mark {
            Mark::Clock { site, path } => Step::Clock {
                clock: self.tables.clocks.number(Clock { site, path }),
            },
            Mark::SectionBegin => Step::Section { begins: true },
            Mark::SectionEnd => Step::Section { begins: false },
        };
        self.push(step);
    }

    pub(super) fn push(&mut self, step: Step) {
        self.open.list.has_overlap |= step.waits() && !self.open.requests.collectives.is_empty();
        self.open.list.steps.push(step);
    }

    /// An error at a call.
    pub(super) fn error(&self, site: CallSiteId, reason: impl Into<String>) -> EstimateError {
        EstimateError::Program {
            place: self.data.table.site_place(site),
            reason: reason.into(),
        }
    }

    /// The value of an operand for this rank.
    pub(super) fn value(&self, site: CallSiteId, operand: Operand) -> Result<i64, EstimateError> {
        self.data
            .value(operand, self.rank, self.position)
            .ok_or_else(|| {
                self.error(
                    site,
                    format!(
                        "an operand has no value on rank {}; record the program again",
                        self.rank
                    ),
                )
            })
    }

    /// The communicator an operand means.
    pub(super) fn communicator(
        &self,
        site: CallSiteId,
        operand: Operand,
    ) -> Result<CommId, EstimateError> {
        let value = self.value(site, operand)?;
        let id = u32::try_from(value)
            .ok()
            .map(CommId)
            .filter(|id| self.groups.has(*id));
        id.ok_or_else(|| {
            self.error(
                site,
                format!(
                    "rank {} names communicator {value}, which there is not",
                    self.rank
                ),
            )
        })
    }
}
