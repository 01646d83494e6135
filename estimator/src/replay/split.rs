//! Estimates a program as if it sent long messages in pieces (Ino et al. 2001, §4.4). Rewrites steps so that a longer
//! transfer becomes a sequence of transfers of at most the given length, on both sides: a blocking call becomes a loop
//! of blocking calls, a started transfer several that are started in a row and waited for together.
//!
//! Messages of collectives stay whole: their lengths are the library's business. A receive is cut by its own length, so
//! it must be called with that of its message; the matching pass finds where it is not.

use super::program::{Size, Step, StepList, Steps};
use crate::EstimateError;

/// Pieces of a started transfer, each of which is a request of its own. More is an error: no program would start so many.
const MOST_STARTED: u64 = 1000;

/// Rewrites a program so that no message of a call is longer than `longest` bytes.
///
/// # Errors
/// Transfers that cannot be split.
pub(crate) fn split(mut steps: Steps, longest: u64) -> Result<Steps, EstimateError> {
    let pieces = SplitLengths::of(&mut steps.sizes, longest);
    let lists = std::mem::take(&mut steps.lists);
    let mut split = Vec::with_capacity(lists.len());
    for (number, list) in lists.iter().enumerate() {
        let rank = steps
            .ranks
            .iter()
            // Any rank of the list does.
            .position(|rank| rank.list as usize == number);
        // Ranks of one list differ in partners, not in what their channels are for.
        let whole = |channel| {
            rank.is_none_or(|rank| {
                let channel = steps.channel(rank as u32, channel) as usize;
                steps.channels[channel].tag.is_collective()
            })
        };
        let cut = Cut {
            pieces: &pieces,
            whole: &whole,
        };
        split.push(cut.list(list).map_err(|bytes| too_many(bytes, longest))?);
    }
    Ok(Steps {
        lists: split,
        ..steps
    }
    .compiled())
}

fn too_many(bytes: u64, longest: u64) -> EstimateError {
    EstimateError::NoModel(match bytes {
        0 => "messages that a wildcard receives cannot be split: their pieces might meet those of others"
            .into(),
        bytes => format!(
            "a started message of {bytes} bytes would be sent in more than {MOST_STARTED} pieces of {longest} bytes; split \
             into larger ones"
        ),
    })
}

/// By size: how it is split.
struct SplitLengths {
    of: Vec<SplitLength>,
}

/// A length as a number of full pieces and a remainder.
#[derive(Clone, Copy, Debug)]
struct SplitLength {
    bytes: u64,
    whole: (u64, u32),
    rest: Option<u32>,
}

impl SplitLength {
    fn count(&self) -> u64 {
        self.whole.0 + u64::from(self.rest.is_some())
    }

    /// The size of each piece, in order.
    fn sizes(&self) -> impl Iterator<Item = u32> {
        std::iter::repeat_n(self.whole.1, self.whole.0 as usize).chain(self.rest)
    }
}

impl SplitLengths {
    /// Adds the sizes of pieces to the list.
    fn of(sizes: &mut Vec<Size>, longest: u64) -> Self {
        let number =
            |size: Size, sizes: &mut Vec<Size>| match sizes.iter().position(|known| *known == size)
            {
                Some(known) => known as u32,
                None => {
                    sizes.push(size);
                    (sizes.len() - 1) as u32
                }
            };
        // The list grows while it is read: pieces become sizes of their own and are at most `longest`
        // themselves.
        let all = sizes.clone();
        let piece = |(index, size): (usize, &Size)| {
            if size.bytes <= longest {
                return SplitLength {
                    bytes: size.bytes,
                    whole: (1, index as u32),
                    rest: None,
                };
            }
            let whole = number(
                Size {
                    bytes: longest,
                    ..*size
                },
                sizes,
            );
            // 0 means that the last whole piece is the last piece.
            let left = size.bytes % longest;
            let rest = if left == 0 {
                None
            } else {
                let last = Size {
                    bytes: left,
                    ..*size
                };
                Some(number(last, sizes))
            };
            SplitLength {
                bytes: size.bytes,
                whole: (size.bytes / longest, whole),
                rest,
            }
        };
        Self {
            of: all.iter().enumerate().map(piece).collect(),
        }
    }
}

/// The rewriting of one list of steps.
struct Cut<'a> {
    pieces: &'a SplitLengths,
    /// Whether messages of a channel stay as they are.
    whole: &'a dyn Fn(u32) -> bool,
}

/// Requests of a list: how many pieces each slot has at most, and where those behind the first are.
struct Slots {
    most: Vec<u64>,
    more: Vec<u32>,
    all: u32,
}

impl Slots {
    fn piece(&self, slot: u32, number: u64) -> u32 {
        if number == 0 {
            slot
        } else {
            self.more[slot as usize] + number as u32 - 1
        }
    }
}

impl Cut<'_> {
    /// The list in pieces.
    ///
    /// # Errors
    /// The length of a message that would be cut too often, 0 for one that no sender is known of.
    fn list(&self, list: &StepList) -> Result<StepList, u64> {
        let mut most = vec![1; list.slots as usize];
        for (at, step) in list.steps.iter().enumerate() {
            let Some((piece, slot)) = self.transfer(step)? else {
                continue;
            };
            // Pieces of a blocking transfer follow each other in its slot; those of a started one need a slot each.
            if piece.count() > 1 && !is_waited_for(&list.steps[at..]) {
                if piece.count() > MOST_STARTED {
                    return Err(piece.bytes);
                }
                let most = &mut most[slot as usize];
                *most = piece.count().max(*most);
            }
        }
        let mut all = list.slots;
        let mut more = Vec::with_capacity(most.len());
        for count in &most {
            more.push(all);
            all += (count - 1) as u32;
        }
        let slots = Slots { most, more, all };
        Ok(StepList {
            steps: self.steps(&list.steps, &slots)?,
            // Messages of collectives stay whole, and these have slots of their own.
            schedules: list.schedules.clone(),
            slots: slots.all,
            ..*list
        })
    }

    /// How the transfer that a step starts is cut, and its slot; `None` for other steps.
    fn transfer(&self, step: &Step) -> Result<Option<(SplitLength, u32)>, u64> {
        match *step {
            Step::Send {
                channel,
                size,
                slot,
                ..
            }
            | Step::Receive {
                channel,
                size,
                slot,
                ..
            } => {
                let piece = self.pieces.of[size as usize];
                let uncut = SplitLength {
                    bytes: piece.bytes,
                    whole: (1, size),
                    rest: None,
                };
                Ok(Some((
                    if (self.whole)(channel) { uncut } else { piece },
                    slot,
                )))
            }
            Step::ReceiveAny { size, .. } if self.pieces.of[size as usize].count() > 1 => Err(0),
            Step::ReceiveAny { .. }
            | Step::Repeat { .. }
            | Step::Compute { .. }
            | Step::Begin
            | Step::End
            | Step::Clock { .. }
            | Step::Section { .. }
            | Step::Enter { .. }
            | Step::Collective { .. }
            | Step::Probe { .. }
            | Step::ProbeAny { .. }
            | Step::NoTransfer { .. }
            | Step::Finish { .. }
            | Step::Combine { .. }
            | Step::StartSchedule { .. }
            | Step::FinishSchedule { .. }
            | Step::Proceed => Ok(None),
        }
    }

    fn steps(&self, steps: &[Step], slots: &Slots) -> Result<Vec<Step>, u64> {
        let mut cut = Vec::with_capacity(steps.len());
        let mut at = 0;
        while let Some(step) = steps.get(at) {
            let transfer = self.transfer(step)?;
            at += match (step, transfer) {
                (Step::Repeat { count, body }, _) => {
                    let inside = self.steps(&steps[at + 1..at + 1 + *body as usize], slots)?;
                    cut.push(Step::Repeat {
                        count: *count,
                        body: inside.len() as u32,
                    });
                    cut.extend(inside);
                    1 + *body as usize
                }
                (_, Some((piece, _))) if is_waited_for(&steps[at..]) => {
                    push_one_by_one(&mut cut, *step, steps[at + 1], &piece);
                    2
                }
                (_, Some((piece, slot))) => {
                    push_started(&mut cut, *step, slot, &piece, slots);
                    1
                }
                (
                    Step::Finish {
                        slot,
                        blocking,
                        collective: false,
                    },
                    _,
                ) => {
                    // A slot serves transfers of several lengths: its end waits for as many pieces as the longest
                    // has, and the start of a shorter one fills the others with no transfer.
                    let finish = |number| {
                        let slot = slots.piece(*slot, number);
                        Step::Finish {
                            slot,
                            blocking: *blocking,
                            collective: false,
                        }
                    };
                    cut.extend((0..slots.most[*slot as usize]).map(finish));
                    1
                }
                (Step::NoTransfer { slot }, _) => {
                    push_nothing(&mut cut, *slot, 0, slots);
                    1
                }
                (other, None) => {
                    cut.push(*other);
                    1
                }
            };
        }
        Ok(cut)
    }
}

/// Whether the first step's transfer is waited for by the next one, which belongs to the same call.
fn is_waited_for(steps: &[Step]) -> bool {
    match steps {
        [
            Step::Send {
                slot,
                blocking: true,
                ..
            }
            | Step::Receive {
                slot,
                blocking: true,
                ..
            },
            Step::Finish {
                slot: waited,
                blocking: true,
                ..
            },
            ..,
        ] => slot == waited,
        _ => false,
    }
}

fn push_one_by_one(cut: &mut Vec<Step>, start: Step, finish: Step, piece: &SplitLength) {
    let one = |size| [with(start, size, None), finish];
    if piece.whole.0 > 1 {
        cut.push(Step::repeat(piece.whole.0, 2));
    }
    cut.extend(one(piece.whole.1));
    cut.extend(piece.rest.into_iter().flat_map(one));
}

fn push_started(cut: &mut Vec<Step>, start: Step, slot: u32, piece: &SplitLength, slots: &Slots) {
    for (number, size) in piece.sizes().enumerate() {
        cut.push(with(start, size, Some(slots.piece(slot, number as u64))));
    }
    push_nothing(cut, slot, piece.count(), slots);
}

/// Fills the pieces of a slot from `first` on, which this transfer does not have.
fn push_nothing(cut: &mut Vec<Step>, slot: u32, first: u64, slots: &Slots) {
    let nothing = |number| Step::NoTransfer {
        slot: slots.piece(slot, number),
    };
    cut.extend((first..slots.most[slot as usize]).map(nothing));
}

/// A transfer's start with another size, and another slot where there is one.
fn with(mut start: Step, new_size: u32, new_slot: Option<u32>) -> Step {
    if let Step::Send { size, slot, .. } | Step::Receive { size, slot, .. } = &mut start {
        *size = new_size;
        *slot = new_slot.unwrap_or(*slot);
    }
    start
}
