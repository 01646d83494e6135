//! Exchange of communicator constructors: an allgather of a few words among all members, of both groups of an
//! intercommunicator, at every message liveness level.

use super::members::Members;
use crate::emulation::TimedOperation;
use crate::failure::{Failure, Outcome};
use crate::process::{Level, Process};
use base_data::emulation::Operation;
use token_runtime::kernel::collective::{self, Dependencies, Signature, contributions};
use token_runtime::kernel::{heap, slot};
use token_runtime::replay_input::CallOutput;

impl Process {
    /// Each member gives as many words as it likes; gives those of all, in the order of
    /// `Communicator::members`.
    pub fn exchange(
        &mut self,
        communicator: usize,
        words: &[i64],
    ) -> Result<Vec<Vec<i64>>, Failure> {
        self.current.level = Level::Payload;
        if let Some(solo_rank) = self.solo_rank.clone() {
            return self.exchange_solo(&solo_rank, communicator, words);
        }
        if let Some(replay) = self.replay.clone() {
            let [first, second] = self.members(communicator).sizes;
            return self.exchange_replayed(&replay, (first + second) as usize, words);
        }
        let call_instance = if words.is_empty() {
            None
        } else {
            self.call_instance()
        };
        let (context, key, members) = (
            self.shared_context(communicator)?,
            self.next_key(communicator),
            self.members(communicator),
        );
        let signature = Signature {
            function: self.current.row,
            root: None,
            bytes: None,
            operation: 0,
            level: self.current.level as u32,
        };
        let block = self.words_block(words)?;
        let instance = self.enter_instance(context, key, &members, signature)?;
        let all = members.sizes[0] + members.sizes[1];
        contributions::contribute(self.memory(), instance, members.own, block, u64::from(all));
        self.meet(instance, &members, communicator)?;
        let given: Vec<Vec<i64>> = (0..all)
            .map(|member| self.words_of(instance, member))
            .collect();
        self.log_output(call_instance, || CallOutput {
            words: given.clone(),
            ..CallOutput::default()
        });
        collective::end(self.memory(), context, instance, members.own);
        Ok(given)
    }

    fn meet(&self, instance: u64, members: &Members, communicator: usize) -> Outcome {
        let (memory, member) = (self.memory(), self.as_member(members));
        self.allocate_or_wait(|| {
            collective::arrive(memory, instance, &member, Dependencies::AllMembers)
        })?;
        if let Some(emulated) = &self.emulated {
            let operation = TimedOperation::All(Operation::MakeCommunicator);
            let is_complete = collective::is_complete(memory, instance, members.own);
            self.time_collective(emulated, communicator, operation, is_complete)?;
        }
        let is_complete = || collective::is_complete(memory, instance, members.own);
        if self.has_threads() {
            self.poll_until(is_complete)?;
        } else if !is_complete() {
            collective::add_waiter(memory, instance, members.own);
            slot::wait_for(memory, self.rank, 1);
            self.hand_over_token()?;
        }
        Ok(())
    }

    /// A block with the number of words and the words.
    fn words_block(&self, words: &[i64]) -> Result<u64, Failure> {
        let memory = self.memory();
        let block = self.allocate_or_wait(|| heap::allocate(memory, words.len() as u64 + 1))?;
        memory.set(block, words.len() as u64);
        (block + 1..)
            .zip(words)
            .for_each(|(at, &word)| memory.set_signed(at, word));
        Ok(block)
    }

    fn words_of(&self, instance: u64, member: u32) -> Vec<i64> {
        let memory = self.memory();
        let block = collective::contribution(memory, instance, member);
        let words = (1..=memory.get(block))
            .map(|at| memory.get_signed(block + at))
            .collect();
        contributions::release_reader(memory, instance, member);
        words
    }
}
