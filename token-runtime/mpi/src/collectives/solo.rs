//! Collectives of a rank that runs alone. Pieces that members give to others (a broadcast's, a scatter's)
//! and the words of constructors are left for them on the board, and taken from there. A reduction takes
//! all members at once.

use super::buffer_segments::BufferSegment;
use super::plan::{IncomingPiece, PieceSelector, Plan};
use crate::failure::{Failure, Outcome};
use crate::process::{Level, Process};
use crate::solo::{SoloRank, needs_other_ranks};
use std::io;
use token_runtime::kernel::heap;
use token_runtime::solo::CollectiveCall;
use token_runtime::termination::Termination;

/// An error of the exchange folder, which exists as long as the run, ends the rank.
fn exchanged_by_folder<T>(done: io::Result<T>) -> Result<T, Failure> {
    done.map_err(|error| {
        Failure::Fatal(Termination::Failure(format!(
            "cannot exchange data through the run's folder: {error}"
        )))
    })
}

impl Process {
    /// The synchronisation of all members of a communicator in one call.
    fn solo_call(&mut self, communicator: usize) -> CollectiveCall {
        let (context, leader) = (
            self.communicator(communicator).context,
            self.communicator(communicator).leader(),
        );
        CollectiveCall {
            context,
            leader,
            sequence: self.next_key(communicator).sequence,
        }
    }

    /// The words that all members give in a constructor.
    pub fn exchange_solo(
        &mut self,
        solo_rank: &SoloRank,
        communicator: usize,
        words: &[i64],
    ) -> Result<Vec<Vec<i64>>, Failure> {
        let (collective_call, members) = (self.solo_call(communicator), self.members(communicator));
        let all = members.sizes[0] + members.sizes[1];
        if words.is_empty() {
            return Ok(vec![Vec::new(); all as usize]);
        }
        let (exchange_folder, count) = (&solo_rank.exchange_folder, words.len());
        exchanged_by_folder(exchange_folder.write_words(collective_call, members.own, words))?;
        solo_rank.finish_goal(collective_call);
        if let Some(words) =
            exchanged_by_folder(exchange_folder.words(collective_call, all, count))?
        {
            return Ok(words);
        }
        let world_ranks = self.communicator(communicator).members();
        let absent = || {
            let absent = exchange_folder.absent(collective_call, all, count)?;
            Ok(absent
                .into_iter()
                .map(|member| world_ranks[member as usize])
                .collect())
        };
        exchanged_by_folder(exchange_folder.report_missing(collective_call, None, absent))?;
        Err(solo_rank.retry_later())
    }

    /// A blocking collective: leaves what this rank gives, and takes what others have left.
    pub fn execute_solo(&mut self, solo_rank: &SoloRank, plan: &Plan) -> Outcome {
        if plan.reduction_spec.is_some() {
            return Err(needs_other_ranks());
        }
        let (collective_call, members) = (
            self.solo_call(plan.communicator),
            self.members(plan.communicator),
        );
        match self.current.level {
            Level::Recorded => return Ok(()),
            // No member may continue before all have entered.
            Level::Envelope => return Err(needs_other_ranks()),
            Level::Payload => {}
        }
        if let Some(outgoing) = plan.outgoing.as_ref().filter(|_| plan.readers > 0) {
            if outgoing.labels.is_some() {
                return Err(needs_other_ranks());
            }
            let pieces = (0..u64::from(outgoing.pieces))
                .map(|piece| self.pack_solo(solo_rank, &outgoing.segments.get(piece)));
            let pieces = pieces.collect::<Result<Vec<Vec<u8>>, Failure>>()?;
            exchanged_by_folder(solo_rank.exchange_folder.write_pieces(
                collective_call,
                members.own,
                &pieces,
            ))?;
            solo_rank.finish_goal(collective_call);
        }
        plan.incoming
            .each()
            .try_for_each(|take| self.receive_solo(solo_rank, collective_call, plan, take))
    }

    fn receive_solo(
        &self,
        solo_rank: &SoloRank,
        collective_call: CollectiveCall,
        plan: &Plan,
        take: IncomingPiece,
    ) -> Outcome {
        let Some(segment) = plan
            .into
            .as_ref()
            .map(|segments| segments.get(take.segment))
        else {
            return Ok(());
        };
        let PieceSelector::Number(number) = take.piece else {
            return Err(needs_other_ranks());
        };
        let Some(pieces) = exchanged_by_folder(
            solo_rank
                .exchange_folder
                .pieces(collective_call, take.member),
        )?
        else {
            let giver = self.communicator(plan.communicator).members()[take.member as usize];
            exchanged_by_folder(solo_rank.exchange_folder.report_missing(
                collective_call,
                Some(take.member),
                || Ok(vec![giver]),
            ))?;
            return Err(solo_rank.retry_later());
        };
        let piece = pieces
            .get(number as usize)
            .filter(|piece| piece.len() as u64 == segment.bytes());
        // Different lengths are an error that is reported where all ranks run together.
        self.unpack_solo(solo_rank, piece.ok_or_else(needs_other_ranks)?, &segment)
    }

    /// The data of an area. The heap is all ranks', who do not wait for each other here.
    fn pack_solo(&self, solo_rank: &SoloRank, segment: &BufferSegment) -> Result<Vec<u8>, Failure> {
        let (bytes, _lock) = (
            segment.bytes(),
            exchanged_by_folder(solo_rank.exchange_folder.lock())?,
        );
        let block = self.solo_block(bytes)?;
        self.pack_segment(block, 0, segment)?;
        let words = (0..bytes.div_ceil(8)).map(|at| self.memory().get(block + at).to_ne_bytes());
        let mut data: Vec<u8> = words.flatten().collect();
        data.truncate(bytes as usize);
        heap::free(self.memory(), block);
        Ok(data)
    }

    fn unpack_solo(&self, solo_rank: &SoloRank, data: &[u8], segment: &BufferSegment) -> Outcome {
        let _lock = exchanged_by_folder(solo_rank.exchange_folder.lock())?;
        let block = self.solo_block(segment.bytes())?;
        for (at, bytes) in (block..).zip(data.chunks(8)) {
            let mut word = [0; 8];
            word[..bytes.len()].copy_from_slice(bytes);
            self.memory().set(at, u64::from_ne_bytes(word));
        }
        self.unpack_segment(block, 0, segment)?;
        heap::free(self.memory(), block);
        Ok(())
    }

    /// Allocates from the heap. No other rank runs that could free memory, so a full heap is final.
    fn solo_block(&self, bytes: u64) -> Result<u64, Failure> {
        heap::allocate(self.memory(), bytes.div_ceil(8).max(1)).map_err(|_| needs_other_ranks())
    }
}
