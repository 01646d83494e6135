//! GOAL schedules, in text form: the steps of the replay, with loops unrolled and collectives as the
//! messages of mpiete's own schedules. A blocking call is an operation that the next one requires; a
//! call that starts a transfer is one that the next one follows (`irequires`); a wait is a `calc 0` that
//! requires the transfer.

use super::expanded_loops::WrittenOut;
use super::tags::Tags;
use super::{Clock, ExportError, Prepared, prepare};
use crate::Inputs;
use crate::replay::program::{Channel, ChannelTag, Step, Steps};
use base_data::block_table::BlockTable;
use std::io::Write;

/// Writes a schedule.
pub(crate) fn export(inputs: &Inputs<'_>, out: &mut dyn Write) -> Result<Vec<String>, ExportError> {
    let mut prepared = prepare(inputs)?;
    let tags = Tags::of(&prepared.steps);
    writeln!(out, "num_ranks {}", inputs.program.ranks)?;
    let mut probes = false;
    for rank in 0..inputs.program.ranks {
        writeln!(out, "\nrank {rank} {{")?;
        let clock = Clock::new(&prepared, rank);
        let steps = &prepared.steps;
        let table = &inputs.program.table;
        let slots =
            vec![None; steps.lists[steps.ranks[rank as usize].list as usize].slots as usize];
        let mut writer = RankWriter {
            out,
            steps,
            table,
            tags: &tags,
            clock,
            rank,
            labels: 0,
            last: Last::Nothing,
            slots,
            site: 0,
        };
        probes |= writer.write()?;
        writeln!(out, "}}")?;
    }
    remark(&mut prepared, probes);
    Ok(prepared.remarks)
}

/// Lists the parts of a program that a schedule cannot contain.
fn remark(prepared: &mut Prepared, probes: bool) {
    if !prepared.steps.local_times.is_empty() {
        prepared
            .remarks
            .push("GOAL has no reductions: combining operands takes no time in it".into());
    }
    if probes {
        prepared
            .remarks
            .push("GOAL has no probes: they are left out".into());
    }
    if prepared.steps.has_section {
        prepared
            .remarks
            .push("GOAL has no sections: the schedule is that of the whole run".into());
    }
}

/// What the next operation comes after.
#[derive(Clone, Copy)]
enum Last {
    Nothing,
    /// The end of this operation.
    End(u64),
    /// The start of this operation.
    Start(u64),
}

struct RankWriter<'a, 'o> {
    out: &'o mut dyn Write,
    steps: &'a Steps,
    table: &'a BlockTable,
    tags: &'a Tags,
    clock: Clock<'a>,
    rank: u32,
    labels: u64,
    last: Last,
    /// The transfer of each slot.
    slots: Vec<Option<u64>>,
    site: u32,
}

impl RankWriter<'_, '_> {
    /// Writes all operations of the rank; gives whether probes were left out.
    fn write(&mut self) -> Result<bool, ExportError> {
        let list = self.steps.of(self.rank as usize);
        let mut probes = false;
        for step in WrittenOut::of(list) {
            match step {
                Step::Compute { variant, .. } => self.clock.compute(variant),
                Step::Begin => self.clock.begin(),
                // What a rank does after MPI_Finalize is not part of the run.
                Step::End => break,
                Step::Enter { site } => self.site = site,
                Step::Send {
                    channel,
                    size,
                    slot,
                    ..
                } => {
                    let to = self.channel(channel);
                    let tag = self.tags.number(to.communicator, to.tag);
                    let bytes = self.bytes(size);
                    self.start(
                        slot,
                        &format!("send {bytes}b to {} tag {tag}", to.destination),
                    )?;
                }
                Step::Receive {
                    channel,
                    size,
                    slot,
                    ..
                } => {
                    let from = self.channel(channel);
                    let tag = self.tags.number(from.communicator, from.tag);
                    let bytes = self.bytes(size);
                    self.start(
                        slot,
                        &format!("recv {bytes}b from {} tag {tag}", from.source),
                    )?;
                }
                Step::ReceiveAny {
                    pattern,
                    size,
                    slot,
                    ..
                } => self.receive_any(pattern, size, slot)?,
                Step::NoTransfer { slot } => self.slots[slot as usize] = None,
                Step::Finish { slot, blocking, .. } => self.finish(slot, blocking)?,
                Step::Probe { .. } | Step::ProbeAny { .. } => probes = true,
                Step::Repeat { .. }
                | Step::Clock { .. }
                | Step::Section { .. }
                | Step::Collective { .. }
                | Step::Combine { .. }
                | Step::StartSchedule { .. }
                | Step::FinishSchedule { .. }
                | Step::Proceed => {}
            }
        }
        self.compute()?;
        Ok(probes)
    }

    fn channel(&self, own: u32) -> Channel {
        self.steps.channels[self.steps.channel(self.rank, own) as usize]
    }

    fn bytes(&self, size: u32) -> u64 {
        self.steps.sizes[size as usize].bytes
    }

    fn receive_any(&mut self, pattern: u32, size: u32, slot: u32) -> Result<(), ExportError> {
        let pattern = self.steps.patterns[pattern as usize];
        let from = pattern.source.map_or(-1, i64::from);
        let tag = match pattern.tag {
            Some(tag) => self
                .tags
                .number(pattern.communicator, ChannelTag::Value(tag)),
            // GOAL's wildcard takes any message, which is right only if all are messages of calls on the
            // world.
            None if self.tags.world_only => -1,
            None => {
                let place = self.table.site_place(base_data::CallSiteId(self.site));
                let reason = "receives with MPI_ANY_TAG; GOAL's any tag would take messages of collectives and \
                              other communicators, too; name the tag";
                return Err(ExportError::Format {
                    place,
                    reason: reason.into(),
                });
            }
        };
        let bytes = self.bytes(size);
        self.start(slot, &format!("recv {bytes}b from {from} tag {tag}"))
    }

    /// Writes what was computed since the last call.
    fn compute(&mut self) -> Result<(), ExportError> {
        match self.clock.take_nanoseconds() {
            0 => Ok(()),
            time => {
                let label = self.operation(&format!("calc {time}"))?;
                self.last = Last::End(label);
                Ok(())
            }
        }
    }

    /// Writes the start of a transfer.
    fn start(&mut self, slot: u32, text: &str) -> Result<(), ExportError> {
        self.compute()?;
        let label = self.operation(text)?;
        self.last = Last::Start(label);
        self.slots[slot as usize] = Some(label);
        Ok(())
    }

    /// Writes the wait for a transfer; the end of a blocking call is no operation.
    fn finish(&mut self, slot: u32, blocking: bool) -> Result<(), ExportError> {
        let Some(transfer) = self.slots[slot as usize].take() else {
            return Ok(());
        };
        // The next operation requires the end of the transfer, which is all that a blocking call means.
        if blocking {
            self.last = Last::End(transfer);
            return Ok(());
        }
        self.compute()?;
        let label = self.operation("calc 0")?;
        writeln!(self.out, "l{label} requires l{transfer}")?;
        self.last = Last::End(label);
        Ok(())
    }

    fn operation(&mut self, text: &str) -> Result<u64, ExportError> {
        self.labels += 1;
        let label = self.labels;
        writeln!(self.out, "l{label}: {text}")?;
        match self.last {
            Last::Nothing => {}
            Last::End(before) => writeln!(self.out, "l{label} requires l{before}")?,
            Last::Start(before) => writeln!(self.out, "l{label} irequires l{before}")?,
        }
        Ok(label)
    }
}
