//! Steps of collectives, by the schedules of estimates, and the communicators that they take.

use super::processes::scratch_slot;
use super::{Emulation, groups};
use crate::numbered::Numbered;
use crate::replay::collectives;
use crate::replay::lower::{CallSites, RankLowering};
use crate::replay::program::{Step, Target};
use base_data::emulation::{ElementCounts, Operation, Slot};
use base_data::mpi::Datatype;
use base_data::program_data::{Call, Communicator, Counts, Op, Operand};
use base_data::{CallSiteId, CommId, Rank, RankSet, RequestId};
use std::collections::BTreeMap;

impl Emulation<'_> {
    /// The communicator of a collective. Groups that were split from one communicator share their context.
    pub(super) fn communicator(
        &mut self,
        rank: u32,
        context: u64,
        members: Option<&[u32]>,
    ) -> Result<CommId, String> {
        if let Some(&known) = self.by_rank.get(&(context, rank)) {
            return Ok(known);
        }
        let Some(members) = members else {
            return Err("names a communicator that it has not described".into());
        };
        let id = match members {
            [_] => CommId::SELF,
            _ => {
                let next = CommId::from_index(self.data.communicators.len());
                let key = (context, members.to_vec());
                let id = *self.by_members.entry(key).or_insert(next);
                if id == next {
                    let ranks = members.iter().copied().map(Rank);
                    self.data.communicators.push(Communicator {
                        parent: Some(CommId::WORLD),
                        sequence: 0,
                        group: RankSet::from_ranks(ranks),
                    });
                    self.groups = groups(&self.data).map_err(|error| error.to_string())?;
                }
                id
            }
        };
        self.by_rank.insert((context, rank), id);
        Ok(id)
    }

    /// The steps of a collective that the call takes, and the schedule of one that is started.
    pub(super) fn collective(
        &mut self,
        rank: u32,
        (row, slot): (u32, Option<Slot>),
        communicator: CommId,
        operation: &Operation,
    ) -> Result<(Vec<Step>, Vec<Step>), String> {
        let request = slot.map(RequestId);
        let site = CallSiteId(row);
        let call = self.call_of(communicator, operation, request);
        let (platform, ranks) = (self.platform, (rank, Rank(rank)));
        let link = move |a: u32, b: u32| platform.link(Rank(a), Rank(b));
        let target = Target::of(platform, &link, &self.nodes);
        let open = &mut self.open[ranks.0 as usize];
        open.list.steps.clear();
        open.schedules = Numbered::default();
        let stream = [Op::Call { site, call }];
        let mut lowering = RankLowering {
            data: &self.data,
            sites: CallSites::OfTable(&self.data.table.call_sites),
            target: &target,
            groups: &self.groups,
            tables: &mut self.tables,
            rank: ranks.1,
            position: 0,
            stream: &stream,
            open,
        };
        let lowered = match &stream[0] {
            Op::Call {
                call: Call::MakeCommunicator { parent, .. },
                ..
            } => collectives::make_communicator(&mut lowering, site, *parent),
            Op::Call { call, .. } => collectives::lower(&mut lowering, site, call),
            Op::Loop { .. } | Op::Block { .. } | Op::Mark(_) => Ok(()),
        };
        lowered.map_err(|error| error.to_string())?;
        let mut started = std::mem::take(&mut lowering.open.list.steps);
        lowering.open.requests.collectives.clear();
        let mut schedules = std::mem::take(&mut lowering.open.schedules).into_values();
        for step in &mut started {
            if let (Step::StartSchedule { schedule }, Some(slot)) = (step, slot) {
                *schedule = slot;
            }
        }
        // Channels of collectives keep no numbers of messages.
        while self.matches.channels.len() < self.tables.channels.values().len() {
            self.matches.channels.push(None);
        }
        Ok((started, schedules.pop().unwrap_or_default()))
    }

    fn call_of(
        &mut self,
        communicator: CommId,
        operation: &Operation,
        request: Option<RequestId>,
    ) -> Call {
        let communicator = Operand::Constant(communicator.0.into());
        let Operation::Data {
            kind,
            root,
            sent,
            received,
            datatype,
            reduce_op,
        } = operation
        else {
            return Call::MakeCommunicator {
                parent: communicator,
                made: Operand::Constant(-1),
            };
        };
        // Only this call needs its counts.
        self.data.count_tables.clear();
        Call::Collective {
            kind: *kind,
            communicator,
            root: root.map(|root| Operand::Constant(root.into())),
            counts: self.counts(sent),
            receive_counts: received.as_ref().map(|received| self.counts(received)),
            datatype: self.datatype(datatype),
            reduce_op: *reduce_op,
            request,
        }
    }

    fn counts(&mut self, elements: &ElementCounts) -> Counts {
        match elements {
            ElementCounts::Same(count) => Counts::Same(Operand::Constant(*count as i64)),
            ElementCounts::Each(counts) => {
                self.data.count_tables.push(vec![counts.clone()]);
                Counts::PerRank(self.data.count_tables.len() as u32 - 1)
            }
        }
    }

    fn datatype(&mut self, datatype: &Datatype) -> u32 {
        let known = self
            .data
            .datatypes
            .iter()
            .position(|known| known == datatype);
        let number = known.unwrap_or_else(|| {
            self.data.datatypes.push(datatype.clone());
            self.data.datatypes.len() - 1
        });
        number as u32
    }

    /// Gives the messages of a collective slots that no other transfer of the rank has.
    pub(super) fn with_own_slots(
        &mut self,
        rank: u32,
        mut started: Vec<Step>,
        mut schedule: Vec<Step>,
    ) -> (Vec<Step>, Vec<Step>, Vec<u32>) {
        let process = self.process(rank);
        let mut own: BTreeMap<u32, u32> = BTreeMap::new();
        for step in started.iter_mut().chain(&mut schedule) {
            if let Step::Send { slot, .. }
            | Step::Receive { slot, .. }
            | Step::ReceiveAny { slot, .. }
            | Step::NoTransfer { slot }
            | Step::Finish { slot, .. } = step
            {
                *slot = *own.entry(*slot).or_insert_with(|| {
                    process.free.pop().unwrap_or_else(|| {
                        process.scratch += 1;
                        scratch_slot(process.scratch - 1)
                    })
                });
            }
        }
        (started, schedule, own.into_values().collect())
    }
}
