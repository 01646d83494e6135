//! Calls and blocks of one rank in the order of execution, each with its time: measured in an observation;
//! in an estimate, the rank's time at a block or call site divided evenly among its executions.

use super::interruptions::ProcessorTimes;
use super::side::{ComparedFile, Content};
use base_data::estimate_file::{Activity, Estimate};
use base_data::observation::{Observation, Stretch};
use base_data::program_data::{Call, Mark, Op, ProgramData};
use base_data::stream::entries;
use base_data::{BlockId, CallSiteId, Rank, Time};
use std::collections::BTreeMap;

/// A point of the stream that both sides have: what lies between two of them is one gap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// An MPI call or a read of the clock.
    Site(CallSiteId),
    /// The section begins.
    SectionBegin,
    /// The section ends.
    SectionEnd,
}

impl Stop {
    /// The stop that an entry is, if it is one.
    pub(crate) fn of(op: &Op) -> Option<Self> {
        match op {
            Op::Call { site, .. } | Op::Mark(Mark::Clock { site, .. }) => Some(Stop::Site(*site)),
            Op::Mark(Mark::SectionBegin) => Some(Stop::SectionBegin),
            Op::Mark(Mark::SectionEnd) => Some(Stop::SectionEnd),
            Op::Block { .. } | Op::Loop { .. } => None,
        }
    }
}

/// The entries of a rank that are stops, section marks only if `sections`.
pub(super) fn stops(
    program: &ProgramData,
    rank: Rank,
    sections: bool,
) -> impl Iterator<Item = (Stop, &Op)> {
    let stops = entries(program, rank).filter_map(|op| Some((Stop::of(op)?, op)));
    stops.filter(move |(stop, _)| sections || matches!(stop, Stop::Site(_)))
}

/// Time of a stretch of computation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Spent {
    /// The rank computes.
    pub(super) computing: Time,
    /// It could compute and has no processor: another rank runs there.
    pub(super) waiting: Time,
}

impl Spent {
    /// Wall time, of which the processor was had for a part only.
    fn of(wall: Time, computing: Time) -> Self {
        let computing = computing.min(wall);
        Self {
            computing,
            waiting: wall - computing,
        }
    }

    fn undisturbed(computing: Time) -> Self {
        Self {
            computing,
            waiting: Time::ZERO,
        }
    }
}

impl std::ops::AddAssign for Spent {
    fn add_assign(&mut self, other: Self) {
        self.computing += other.computing;
        self.waiting += other.waiting;
    }
}

/// A piece of a rank's time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Element {
    /// Computation, in a block or beside all blocks.
    Computing {
        block: Option<BlockId>,
        spent: Spent,
    },
    /// A call, a read of the clock or a mark.
    Stop { stop: Stop, time: Time },
}

/// The times of a side, ready to be walked along.
pub(super) enum Timed<'a> {
    Observed(&'a Observation),
    Estimated(Estimated<'a>),
}

impl<'a> Timed<'a> {
    /// `None` for a side without times.
    pub(super) fn new(side: &ComparedFile<'a>) -> Option<Self> {
        match side.content {
            Content::Program(_) => None,
            Content::Estimate(estimate) => Some(Timed::Estimated(Estimated::new(
                estimate,
                side.covers_section_only(),
            ))),
            Content::Observation(observation) => Some(Timed::Observed(observation)),
        }
    }

    /// The pieces of a rank's time.
    pub(super) fn elements(&self, rank: Rank) -> Box<dyn Iterator<Item = Element> + '_> {
        match self {
            Timed::Observed(observation) => Box::new(observed(observation, rank)),
            Timed::Estimated(estimated) => Box::new(estimated.elements(rank)),
        }
    }
}

fn observed(observation: &Observation, rank: Rank) -> impl Iterator<Item = Element> + '_ {
    let found = observation.ranks.get(rank.index());
    let found = found.map(|times| (times, ProcessorTimes::of(observation, rank, times)));
    found.into_iter().flat_map(move |(times, processor)| {
        let entries =
            entries(&observation.program, rank).zip(times.gaps.iter().zip(&times.durations));
        entries
            .zip(0u32..)
            .flat_map(move |((op, (&gap, &duration)), entry)| {
                let before = Spent::of(gap, processor.had(entry, Stretch::Gap, gap));
                let own = || Spent::of(duration, processor.had(entry, Stretch::Entry, duration));
                let element = match (op, Stop::of(op)) {
                    (Op::Block { block, .. }, _) => Some(Element::Computing {
                        block: Some(*block),
                        spent: own(),
                    }),
                    (_, stop) => stop.map(|stop| Element::Stop {
                        stop,
                        time: duration,
                    }),
                };
                std::iter::once(Element::Computing {
                    block: None,
                    spent: before,
                })
                .chain(element)
            })
    })
}

/// Times of an estimate by rank.
pub(super) struct Estimated<'a> {
    estimate: &'a Estimate,
    section_only: bool,
    ranks: Vec<BTreeMap<Activity, ActivityTime>>,
}

/// Time accounted to one block or call site, divided among its executions in order.
#[derive(Clone, Copy, Default)]
struct ActivityTime {
    time: i128,
    executions: i128,
    given: i128,
}

impl ActivityTime {
    /// The next execution's part; all parts together are the whole, to the picosecond.
    fn next(&mut self) -> Time {
        if self.given == self.executions {
            return Time::ZERO;
        }
        // Differences of rounded partial sums: rounding never accumulates, and all parts add up to the whole.
        let until = |executions: i128| self.time * executions / self.executions;
        let part = until(self.given + 1) - until(self.given);
        self.given += 1;
        Time::from_picoseconds(i64::try_from(part).unwrap_or(i64::MAX))
    }
}

impl<'a> Estimated<'a> {
    fn new(estimate: &'a Estimate, section_only: bool) -> Self {
        let mut ranks = vec![BTreeMap::<Activity, ActivityTime>::new(); estimate.ranks as usize];
        for cell in &estimate.cells {
            let Some(rank) = ranks.get_mut(cell.rank as usize) else {
                continue;
            };
            let sum = rank.entry(cell.activity).or_default();
            sum.executions += i128::from(cell.count);
            sum.time += cell
                .split
                .iter()
                .map(|time| i128::from(time.picoseconds()))
                .sum::<i128>();
        }
        Self {
            estimate,
            section_only,
            ranks,
        }
    }

    /// What lies outside the estimate's section takes no time here.
    fn elements(&self, rank: Rank) -> impl Iterator<Item = Element> + '_ {
        let mut by_activity = self.ranks.get(rank.index()).cloned().unwrap_or_default();
        let mut inside = !self.section_only;
        entries(&self.estimate.program, rank).filter_map(move |op| {
            let mut next = |activity| match by_activity.get_mut(&activity) {
                Some(sum) if inside => sum.next(),
                Some(_) | None => Time::ZERO,
            };
            match op {
                Op::Block { block, .. } => {
                    let spent = Spent::undisturbed(next(Activity::Block(*block)));
                    Some(Element::Computing {
                        block: Some(*block),
                        spent,
                    })
                }
                Op::Call { site, call } => {
                    let time = next(Activity::Site(*site));
                    if *call == Call::Init {
                        // Cells do not contain time before `MPI_Init`.
                        by_activity.values_mut().for_each(|sum| sum.given = 0);
                    }
                    Some(Element::Stop {
                        stop: Stop::Site(*site),
                        time,
                    })
                }
                Op::Mark(mark) => {
                    inside = match mark {
                        Mark::Clock { .. } => inside,
                        Mark::SectionBegin => true,
                        Mark::SectionEnd => false,
                    };
                    Stop::of(op).map(|stop| Element::Stop {
                        stop,
                        time: Time::ZERO,
                    })
                }
                Op::Loop { .. } => None,
            }
        })
    }
}
