//! The same replay of ranks that run: steps come from their processes, call by call, and what a call finds goes back.
//! So an emulated run and the replay of its recording cost messages by the same rules.
//!
//! A rank whose steps are over is either done with its call, and its process goes on before anything else happens; or it
//! waits for the first of several things, or polls. Those look at what has happened until *now* and so happen in their
//! turn, like starts of transfers. A process that goes on may be ahead of the others in time, since no other rank can
//! notice what it computes.
//!
//! Collectives with a request proceed as in the replay ([`super::schedules`]).

mod answers;
mod collectives;
mod matches;
mod processes;
mod submissions;
mod waiting;

use super::{ByTime, RankActivity, RankState, Rules, Run};
use crate::EstimateError;
use crate::numbered::Numbered;
use crate::replay::dataflow::{BlockTimes, LinkScales, Replay};
use crate::replay::groups::Groups;
use crate::replay::lower::OpenRank;
use crate::replay::program::{MachineSide, RankSteps, StepList, Steps};
use crate::replay::tables::Tables;
use crate::replay::workspace::Outcome as ReplayOutcome;
use base_data::block_table::{CallSite, CallSiteKey};
use base_data::emulation::{Answer, Engine, Outcome, Submission, Turn};
use base_data::mpi::functions::FUNCTIONS;
use base_data::program_data::{Communicator, ProgramData};
use base_data::{CommId, Rank, RankSet, Time};
use machine::network::Sharing;
use machine::{NetworkModel, Platform};
use matches::Matches;
use processes::{Process, own_slot};
use std::collections::HashMap;

pub(super) use processes::Processes;

/// Times that the ranks' processes have taken, by rank.
struct ComputedTimes<'a>(&'a [Time]);

impl BlockTimes for ComputedTimes<'_> {
    fn time(&mut self, rank: u32, _variant: u32, _first: bool) -> Time {
        self.0[rank as usize]
    }

    fn state(&self, _rank: u32) -> Option<u64> {
        None
    }
}

/// An emulated run.
pub(crate) struct Emulation<'p> {
    platform: &'p Platform,
    nodes: Vec<u32>,
    network: Box<dyn NetworkModel>,
    rules: Rules,
    steps: Steps,
    machine: MachineSide,
    work: ByTime,
    matches: Matches,
    tables: Tables,
    contexts: Numbered<u64>,
    /// What lowering a collective needs: communicators, datatypes and counts.
    data: ProgramData,
    groups: Groups,
    /// Communicators by context and members, and by context and rank.
    by_members: HashMap<(u64, Vec<u32>), CommId>,
    by_rank: HashMap<(u64, u32), CommId>,
    /// Collectives under way, by rank.
    open: Vec<OpenRank>,
    computed: Vec<Time>,
    answered: usize,
}

impl std::fmt::Debug for Emulation<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Emulation").finish_non_exhaustive()
    }
}

impl<'p> Emulation<'p> {
    /// A run of so many ranks that is about to begin.
    ///
    /// # Errors
    /// Groups that are none; there are only those of the world yet.
    pub(crate) fn new(
        platform: &'p Platform,
        network: Box<dyn NetworkModel>,
        rules: Rules,
        ranks: u32,
    ) -> Result<Self, EstimateError> {
        let world = Communicator {
            parent: None,
            sequence: 0,
            group: RankSet::all(ranks),
        };
        let alone = Communicator {
            parent: None,
            sequence: 0,
            group: RankSet::default(),
        };
        let mut data = ProgramData {
            ranks,
            communicators: vec![world, alone],
            ..ProgramData::default()
        };
        for function in FUNCTIONS {
            data.table.call_sites.push(call_site(function.name));
        }
        let groups = groups(&data)?;
        let mut steps = Steps {
            variants: 1,
            ..Steps::default()
        };
        let mut pus = Vec::new();
        for rank in 0..ranks {
            steps.lists.push(StepList::default());
            steps.ranks.push(RankSteps {
                list: rank,
                first_channel: 0,
            });
            pus.push(platform.pu_of(Rank(rank)));
        }
        let machine = MachineSide {
            pus,
            costs: Vec::new(),
            combine: Vec::new(),
        };
        let mut open = Vec::new();
        open.resize_with(ranks as usize, OpenRank::default);
        let mut emulation = Self {
            platform,
            nodes: platform.shared_nodes(ranks),
            network,
            rules,
            steps,
            machine,
            work: ByTime::default(),
            matches: Matches::default(),
            tables: Tables::default(),
            contexts: Numbered::default(),
            data,
            groups,
            by_members: HashMap::new(),
            by_rank: HashMap::new(),
            open,
            computed: vec![Time::ZERO; ranks as usize],
            answered: 0,
        };
        emulation.work.begin(ranks as usize);
        Ok(emulation)
    }

    /// When the last rank ended.
    pub(crate) fn end(&self) -> Time {
        let clocks = self.work.ranks.iter().map(|state| state.clock);
        clocks.max().unwrap_or_default()
    }

    /// Lets the replay go on.
    fn replay<R>(
        &mut self,
        go_on: impl FnOnce(&mut Run<'_, '_, ComputedTimes<'_>, &mut Matches>) -> R,
    ) -> R {
        let shares_links = self.network.sharing() == Sharing::Links;
        let mut replay = Replay {
            steps: &self.steps,
            machine: &self.machine,
            scales: LinkScales::ONE,
            times: ComputedTimes(&self.computed),
            observer: &mut self.matches,
        };
        let mut run = Run {
            replay: &mut replay,
            network: self.network.as_mut(),
            work: &mut self.work,
            rules: self.rules,
            shares_links,
            outcome: ReplayOutcome::default(),
        };
        go_on(&mut run)
    }

    fn process(&mut self, rank: u32) -> &mut Process {
        let processes = self.work.processes.get_or_insert_default();
        &mut processes.of_rank[rank as usize]
    }

    fn answer_of(&mut self, rank: u32) -> Answer {
        let now = self.work.ranks[rank as usize].clock;
        let process = self.process(rank);
        let quiet_until = std::mem::take(&mut process.quiet_until);
        let is_last = std::mem::take(&mut process.is_last);
        let ahead = std::mem::take(&mut process.ahead);
        let mut outcome = std::mem::take(&mut process.outcome);
        match &mut outcome {
            Outcome::Completed(completed) => {
                for one in completed {
                    let place = (rank, own_slot(one.slot));
                    one.matched = self.matches.received.remove(&place);
                }
            }
            Outcome::Found(found) => {
                *found = self.matches.found.remove(&rank).unwrap_or_default();
            }
            Outcome::Deadlock | Outcome::Refused(_) => {}
        }
        Answer {
            now,
            outcome,
            quiet_until,
            is_last,
            ahead,
            took: Vec::new(),
        }
    }

    /// A rank that waits for ever: the first.
    fn stuck(&self) -> Option<u32> {
        let waits = |state: &RankState| state.activity != RankActivity::Ended;
        let rank = self.work.ranks.iter().position(waits)?;
        Some(rank as u32)
    }
}

impl Engine for Emulation<'_> {
    fn speed(&self, rank: u32) -> f64 {
        self.platform.speed_of(Rank(rank))
    }

    fn node(&self, rank: u32) -> u32 {
        self.platform.node_of(Rank(rank))
    }

    fn submit(&mut self, rank: u32, submission: &Submission) -> Result<(), String> {
        self.add_steps(rank, submission)?;
        let clock = self.work.ranks[rank as usize].clock;
        let called = clock + submission.polled + submission.computed;
        let process = self.process(rank);
        process.query = submission.query.clone();
        process.spins = submission.spins;
        let state = &mut self.work.ranks[rank as usize];
        state.activity = RankActivity::Runs;
        let began = called - submission.polled_before;
        state.clock_of_wait = state.clock_of_wait.max(began);
        let now = self.work.now;
        self.replay(|run| {
            run.has_polled(rank, submission.polled);
            run.run_rank(rank, now);
        });
        Ok(())
    }

    fn next_turn(&mut self) -> Turn {
        let ranks = self.work.ranks.len();
        loop {
            if self.answered == ranks {
                return Turn::Over;
            }
            let processes = self.work.processes.get_or_insert_default();
            let is_end = processes.ended == ranks;
            if let Some(rank) = processes.ready.pop_front() {
                let answer = self.answer_of(rank);
                if !is_end {
                    return Turn::Resume(rank, answer);
                }
                self.answered += 1;
                return Turn::End(rank, answer);
            }
            self.replay(|run| run.process_events());
            if !self.is_turn_of_process() {
                self.replay(|run| run.end_a_poll());
            }
            if !self.is_turn_of_process() {
                return match self.stuck() {
                    Some(rank) => Turn::Stuck(rank),
                    None => Turn::Over,
                };
            }
        }
    }
}

impl Emulation<'_> {
    fn is_turn_of_process(&mut self) -> bool {
        let processes = self.work.processes.get_or_insert_default();
        !processes.ready.is_empty()
    }
}

fn groups(data: &ProgramData) -> Result<Groups, EstimateError> {
    Groups::of(data).map_err(|reason| EstimateError::Program {
        place: "emulated program".into(),
        reason,
    })
}

fn call_site(function: &str) -> CallSite {
    CallSite {
        key: CallSiteKey::Object {
            object: String::new(),
            offset: 0,
        },
        function: function.into(),
        procedure: String::new(),
        span: None,
        loop_path: Vec::new(),
    }
}
