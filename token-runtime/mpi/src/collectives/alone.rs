//! Collectives of a rank that runs alone. Pieces that members give to others (a broadcast's, a scatter's)
//! and the words of constructors are left for them on the board, and taken from there. A reduction takes
//! all members at once.

use super::areas::Area;
use super::plan::{Piece, Plan, Take};
use crate::alone::{Lone, not_alone};
use crate::failure::{Failure, Outcome};
use crate::process::{Level, Process};
use std::io;
use token_runtime::alone::Meeting;
use token_runtime::ending::Ending;
use token_runtime::kernel::heap;

/// What was left is as long as the run's folder; without it nothing can go on.
fn on_board<T>(done: io::Result<T>) -> Result<T, Failure> {
    done.map_err(|error| {
        Failure::Fatal(Ending::Failure(format!("cannot exchange data through the run's folder: {error}")))
    })
}

impl Process {
    /// The meeting of a call of all members of a communicator.
    fn meeting_alone(&mut self, communicator: usize) -> Meeting {
        let (context, leader) =
            (self.communicator(communicator).context, self.communicator(communicator).leader());
        Meeting { context, leader, sequence: self.next_key(communicator).sequence }
    }

    /// The words that all members give in a constructor.
    pub fn exchange_alone(
        &mut self,
        lone: &Lone,
        communicator: usize,
        words: &[i64],
    ) -> Result<Vec<Vec<i64>>, Failure> {
        let (meeting, members) = (self.meeting_alone(communicator), self.members(communicator));
        let all = members.sizes[0] + members.sizes[1];
        if words.is_empty() {
            return Ok(vec![Vec::new(); all as usize]);
        }
        let (board, count) = (&lone.board, words.len());
        on_board(board.leave_words(meeting, members.own, words))?;
        lone.has_left(meeting);
        if let Some(words) = on_board(board.words(meeting, all, count))? {
            return Ok(words);
        }
        let world_ranks = self.communicator(communicator).members();
        let absent = || {
            let absent = board.absent(meeting, all, count)?;
            Ok(absent.into_iter().map(|member| world_ranks[member as usize]).collect())
        };
        on_board(board.want(meeting, None, absent))?;
        Err(lone.came_too_early())
    }

    /// A blocking collective: leaves what this rank gives, and takes what others have left.
    pub fn carry_out_alone(&mut self, lone: &Lone, plan: &Plan) -> Outcome {
        if plan.combination.is_some() {
            return Err(not_alone());
        }
        let (meeting, members) = (self.meeting_alone(plan.communicator), self.members(plan.communicator));
        match self.current.level {
            Level::Recorded => return Ok(()),
            // Nobody may pass before the others have come.
            Level::Envelope => return Err(not_alone()),
            Level::Payload => {}
        }
        if let Some(gives) = plan.gives.as_ref().filter(|_| plan.readers > 0) {
            if gives.labels.is_some() {
                return Err(not_alone());
            }
            let pieces =
                (0..u64::from(gives.pieces)).map(|piece| self.packed_alone(lone, &gives.areas.get(piece)));
            let pieces = pieces.collect::<Result<Vec<Vec<u8>>, Failure>>()?;
            on_board(lone.board.leave(meeting, members.own, &pieces))?;
            lone.has_left(meeting);
        }
        plan.takes.each().try_for_each(|take| self.take_alone(lone, meeting, plan, take))
    }

    fn take_alone(&self, lone: &Lone, meeting: Meeting, plan: &Plan, take: Take) -> Outcome {
        let Some(area) = plan.into.as_ref().map(|areas| areas.get(take.area)) else { return Ok(()) };
        let Piece::Number(number) = take.piece else { return Err(not_alone()) };
        let Some(pieces) = on_board(lone.board.pieces(meeting, take.member))? else {
            let giver = self.communicator(plan.communicator).members()[take.member as usize];
            on_board(lone.board.want(meeting, Some(take.member), || Ok(vec![giver])))?;
            return Err(lone.came_too_early());
        };
        let piece = pieces.get(number as usize).filter(|piece| piece.len() as u64 == area.bytes());
        // Lengths that differ are told where all ranks run together.
        self.unpack_alone(lone, piece.ok_or_else(not_alone)?, &area)
    }

    /// The data of an area. The heap is all ranks', who do not wait for each other here.
    fn packed_alone(&self, lone: &Lone, area: &Area) -> Result<Vec<u8>, Failure> {
        let (bytes, _lock) = (area.bytes(), on_board(lone.board.lock())?);
        let block = self.lone_block(bytes)?;
        self.pack_area(block, 0, area)?;
        let words = (0..bytes.div_ceil(8)).map(|at| self.memory().get(block + at).to_ne_bytes());
        let mut data: Vec<u8> = words.flatten().collect();
        data.truncate(bytes as usize);
        heap::free(self.memory(), block);
        Ok(data)
    }

    fn unpack_alone(&self, lone: &Lone, data: &[u8], area: &Area) -> Outcome {
        let _lock = on_board(lone.board.lock())?;
        let block = self.lone_block(area.bytes())?;
        for (at, bytes) in (block..).zip(data.chunks(8)) {
            let mut word = [0; 8];
            word[..bytes.len()].copy_from_slice(bytes);
            self.memory().set(at, u64::from_ne_bytes(word));
        }
        self.unpack_area(block, 0, area)?;
        heap::free(self.memory(), block);
        Ok(())
    }

    /// Room in the heap; nobody gives any back that could be waited for.
    fn lone_block(&self, bytes: u64) -> Result<u64, Failure> {
        heap::allocate(self.memory(), bytes.div_ceil(8).max(1)).map_err(|_| not_alone())
    }
}
