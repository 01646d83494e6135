//! State of the ranks' processes, beside that of the replay.

use super::super::{ByTime, FREE, RankActivity, RankState};
use base_data::Time;
use base_data::emulation::{Outcome, Query, Slot};
use std::collections::{BTreeMap, VecDeque};

/// What is known of the ranks' processes.
#[derive(Debug, Default)]
pub(in super::super) struct Processes {
    pub(super) of_rank: Vec<Process>,
    /// Ranks whose processes go on, in this order.
    pub(super) ready: VecDeque<u32>,
    /// How many have come to their end.
    pub(super) ended: usize,
    /// Ranks whose polls wait for the next event.
    pub(super) idle: Vec<u32>,
}

/// The process of a rank.
#[derive(Debug, Default)]
pub(super) struct Process {
    pub(super) query: Query,
    /// Of a probe: what it looks for, by number.
    pub(super) pattern: u32,
    pub(super) spins: bool,
    pub(super) outcome: Outcome,
    pub(super) quiet_until: Time,
    pub(super) is_last: bool,
    /// By how much the replay of a poll is over earlier.
    pub(super) ahead: Time,
    /// Counts what the process was answered, and what it was woken for.
    pub(super) version: u32,
    /// Collectives that were started: slots of their messages. The number of the slot is that of the schedule.
    pub(super) collectives: BTreeMap<Slot, Vec<u32>>,
    /// Slots of the collectives' messages: those that are free, and how many there are.
    pub(super) free: Vec<u32>,
    pub(super) scratch: u32,
    /// Slots of the present call's collectives.
    pub(super) of_call: Vec<u32>,
}

/// The slot of a process's transfer. Slots of messages of collectives lie between them.
pub(super) fn own_slot(slot: Slot) -> u32 {
    slot * 2
}

pub(super) fn scratch_slot(number: u32) -> u32 {
    number * 2 + 1
}

impl ByTime {
    /// Ranks whose processes are about to go on for the first time.
    pub(super) fn begin(&mut self, ranks: usize) {
        self.ranks.resize_with(ranks, RankState::default);
        self.mailboxes.reset_for_all(ranks);
        self.moves.reset(ranks);
        self.executed.reset(1);
        let mut processes = Processes::default();
        processes.of_rank.resize_with(ranks, Process::default);
        processes.ready.extend(0..ranks as u32);
        for state in &mut self.ranks {
            state.activity = RankActivity::Asks;
        }
        self.processes = Some(processes);
    }

    /// Gives a rank at least so many slots.
    pub(super) fn reserve_slots(&mut self, rank: u32, slots: u32) {
        let state = &mut self.ranks[rank as usize];
        if slots <= state.slots {
            return;
        }
        let count = slots.next_power_of_two();
        let old = state.first_slot as usize..(state.first_slot + state.slots) as usize;
        // The rank's old slots stay unused: as many at most as all have.
        let first = self.slots.len();
        self.slots.extend_from_within(old);
        self.slots.resize(first + count as usize, FREE);
        (state.first_slot, state.slots) = (first as u32, count);
    }
}
