//! Time-independent traces of SMPI: one line per call, all ranks in one file. Collectives are not
//! expanded. Partners are ranks of the world; a tag of another communicator gets a number of its own.

use super::tags::Tags;
use super::ti_collectives;
use super::{Clock, ExportError, Prepared, prepare};
use crate::import::ti_datatypes;
use crate::replay::groups::Groups;
use crate::replay::program::ChannelTag;
use crate::{EstimateError, Inputs};
use base_data::mpi::{BasicDatatype, Datatype};
use base_data::program_data::{
    Call, Completion, Mark, ObservedMatch, Op, Operand, Peer, ProgramData, SendMode, Tag, Transfer,
};
use base_data::{CallSiteId, CommId, Rank, RequestId, Time, stream};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

/// Writes a trace.
pub(crate) fn export(inputs: &Inputs<'_>, out: &mut dyn Write) -> Result<Vec<String>, ExportError> {
    let prepared = prepare(inputs)?;
    let data = inputs.program;
    let groups = Groups::of(data).map_err(|reason| EstimateError::Program {
        place: "program data".into(),
        reason,
    })?;
    let tags = Tags::of(&prepared.steps);
    let mut lost = BTreeSet::new();
    for rank in (0..data.ranks).map(Rank) {
        let mut writer = RankWriter::new(data, &prepared, &groups, &tags, rank);
        writer.entries()?;
        for line in &writer.lines {
            writeln!(out, "{rank} {line}")?;
        }
        lost.append(&mut writer.lost);
    }
    let mut remarks = prepared.remarks;
    remarks.extend(
        lost.into_iter()
            .map(|lost| format!("time-independent traces have no {lost}")),
    );
    Ok(remarks)
}

/// What a request stands for.
#[derive(Clone, Copy)]
enum Request {
    /// Nothing to wait for.
    Nothing,
    /// A transfer: sender, receiver, tag.
    Transfer(Ends),
    /// A receive whose line is not known yet.
    Wildcard { line: usize, transfer: Transfer },
}

/// Sender, receiver and tag.
type Ends = (u32, u32, i64);

pub(super) struct RankWriter<'a> {
    pub(super) data: &'a ProgramData,
    pub(super) groups: &'a Groups,
    tags: &'a Tags,
    clock: Clock<'a>,
    pub(super) rank: Rank,
    pub(super) position: usize,
    pub(super) site: CallSiteId,
    pub(super) lines: Vec<String>,
    requests: BTreeMap<RequestId, Request>,
    persistent: BTreeMap<RequestId, (Option<SendMode>, Transfer)>,
    /// What the format cannot hold.
    pub(super) lost: BTreeSet<&'static str>,
}

type Written = Result<(), ExportError>;

impl<'a> RankWriter<'a> {
    fn new(
        data: &'a ProgramData,
        prepared: &'a Prepared,
        groups: &'a Groups,
        tags: &'a Tags,
        rank: Rank,
    ) -> Self {
        Self {
            data,
            groups,
            tags,
            clock: Clock::new(prepared, rank.0),
            rank,
            position: data.class_of(rank).map_or(0, |(_, position)| position),
            site: CallSiteId(0),
            lines: Vec::new(),
            requests: BTreeMap::new(),
            persistent: BTreeMap::new(),
            lost: BTreeSet::new(),
        }
    }

    fn entries(&mut self) -> Written {
        let mut is_started = false;
        for op in stream::entries(self.data, self.rank) {
            match op {
                Op::Block { variant, .. } => {
                    let variant = self.data.variant(*variant, self.rank, self.position);
                    self.clock.compute(variant.map_or(0, |variant| variant.0));
                }
                Op::Mark(Mark::Clock { .. }) | Op::Loop { .. } => {}
                Op::Mark(Mark::SectionBegin | Mark::SectionEnd) => {
                    self.lost
                        .insert("sections: the trace is that of the whole run");
                }
                Op::Call {
                    call: Call::Finalize,
                    ..
                } => break,
                Op::Call {
                    call: Call::Init, ..
                } => {
                    self.clock.begin();
                    self.lines.push("init".into());
                    is_started = true;
                }
                Op::Call { site, call } => {
                    // A trace begins with this line, also for a program without MPI_Init.
                    if !is_started && self.lines.is_empty() {
                        self.lines.push("init".into());
                    }
                    self.compute();
                    self.site = *site;
                    self.call(call)?;
                }
            }
        }
        if self.lines.is_empty() {
            self.lines.push("init".into());
        }
        self.compute();
        self.lines.push("finalize".into());
        Ok(())
    }

    /// Writes what was computed since the last call, in nanoseconds.
    fn compute(&mut self) {
        let time = self.clock.take();
        if time > Time::ZERO {
            // The unit of `compute` is an operation of 1 ns ([`crate::import::ti_actions`]); decimals keep
            // picoseconds.
            let (whole, part) = (time.picoseconds() / 1000, time.picoseconds() % 1000);
            self.lines.push(match part {
                0 => format!("compute {whole}"),
                part => format!("compute {whole}.{part:03}"),
            });
        }
    }

    fn call(&mut self, call: &Call) -> Written {
        match call {
            Call::Init | Call::Finalize | Call::Abort => Ok(()),
            Call::Send {
                mode,
                transfer,
                request,
            } => self.send(*mode, transfer, *request),
            Call::Receive {
                transfer,
                request,
                observed,
            } => self.receive(transfer, *request, *observed),
            Call::SendReceive {
                send,
                receive,
                observed,
            } => {
                let received = self.received(receive, *observed)?;
                if let Some((line, _)) = &received {
                    self.lines.push(format!("irecv {line}"));
                }
                if let Some((line, _)) = self.sent(SendMode::Standard, send)? {
                    self.lines.push(format!("send {line}"));
                }
                received
                    .into_iter()
                    .for_each(|(_, ends)| self.wait_for(ends));
                Ok(())
            }
            Call::Wait {
                completion: Completion::All,
                requests,
                observed,
                ..
            } => self.complete(requests, observed),
            Call::Wait {
                completion: Completion::Any | Completion::Some,
                completed,
                observed,
                ..
            } => self.complete(completed, observed),
            Call::Test { completed, .. } => self.complete(completed, &[]),
            Call::Probe { .. } => {
                self.lost.insert("probes: they are left out");
                Ok(())
            }
            Call::MakePersistent {
                send,
                transfer,
                request,
            } => {
                self.persistent.insert(*request, (*send, *transfer));
                Ok(())
            }
            Call::StartPersistent { requests } => self.start(requests),
            Call::Collective { request, .. } => {
                if let Some(request) = request {
                    self.lost
                        .insert("nonblocking collectives: they are blocking ones at the call");
                    self.requests.insert(*request, Request::Nothing);
                }
                ti_collectives::write(self, call)
            }
            Call::MakeCommunicator { .. } => {
                self.lost
                    .insert("communicators: their making is left out, their messages are those of the world");
                Ok(())
            }
        }
    }

    fn send(&mut self, mode: SendMode, transfer: &Transfer, request: Option<RequestId>) -> Written {
        let sent = self.sent(mode, transfer)?;
        let word = if request.is_some() { "isend" } else { "send" };
        self.lines
            .extend(sent.iter().map(|(line, _)| format!("{word} {line}")));
        if let Some(request) = request {
            self.requests.insert(
                request,
                sent.map_or(Request::Nothing, |(_, ends)| Request::Transfer(ends)),
            );
        }
        Ok(())
    }

    fn receive(
        &mut self,
        transfer: &Transfer,
        request: Option<RequestId>,
        observed: Option<ObservedMatch>,
    ) -> Written {
        let is_open =
            observed.is_none() && (transfer.peer == Peer::Any || transfer.tag == Tag::Any);
        if let Some(request) = request
            && is_open
            && transfer.peer != Peer::Null
        {
            self.requests.insert(
                request,
                Request::Wildcard {
                    line: self.lines.len(),
                    transfer: *transfer,
                },
            );
            // The line keeps its place; the call that completes the receive knows the message and fills it
            // in.
            self.lines.push(String::new());
            return Ok(());
        }
        let received = self.received(transfer, observed)?;
        let word = if request.is_some() { "irecv" } else { "recv" };
        self.lines
            .extend(received.iter().map(|(line, _)| format!("{word} {line}")));
        if let Some(request) = request {
            let stands_for = received.map_or(Request::Nothing, |(_, ends)| Request::Transfer(ends));
            self.requests.insert(request, stands_for);
        }
        Ok(())
    }

    fn start(&mut self, requests: &[RequestId]) -> Written {
        for request in requests {
            match self.persistent.get(request).copied() {
                Some((Some(mode), transfer)) => self.send(mode, &transfer, Some(*request))?,
                Some((None, transfer)) => self.receive(&transfer, Some(*request), None)?,
                None => {}
            }
        }
        Ok(())
    }

    fn complete(&mut self, requests: &[RequestId], observed: &[ObservedMatch]) -> Written {
        let mut observed = observed.iter();
        for request in requests {
            match self.requests.remove(request) {
                None | Some(Request::Nothing) => {}
                Some(Request::Transfer(ends)) => self.wait_for(ends),
                Some(Request::Wildcard { line, transfer }) => {
                    if let Some((text, ends)) =
                        self.received(&transfer, observed.next().copied())?
                    {
                        self.lines[line] = format!("irecv {text}");
                        self.wait_for(ends);
                    }
                }
            }
        }
        Ok(())
    }

    fn wait_for(&mut self, (source, destination, tag): Ends) {
        self.lines
            .push(format!("wait {source} {destination} {tag}"));
    }

    /// The words of a send after its name, and its ends; `None` for a send to `MPI_PROC_NULL`.
    fn sent(
        &mut self,
        mode: SendMode,
        transfer: &Transfer,
    ) -> Result<Option<(String, Ends)>, ExportError> {
        match mode {
            SendMode::Standard | SendMode::Ready => {}
            SendMode::Synchronous | SendMode::Buffered => {
                self.lost
                    .insert("synchronous and buffered sends: they are standard ones");
            }
        }
        let (Peer::Rank(peer), Tag::Value(tag)) = (transfer.peer, transfer.tag) else {
            return Ok(None);
        };
        let (to, tag) = self.world(transfer, self.value(peer), self.value(tag))?;
        Ok(Some((
            self.words(to, tag, transfer),
            (self.rank.0, to, tag),
        )))
    }

    /// The same of a receive.
    fn received(
        &self,
        transfer: &Transfer,
        observed: Option<ObservedMatch>,
    ) -> Result<Option<(String, Ends)>, ExportError> {
        let unknown = || {
            self.cannot(
                "receives from MPI_ANY_SOURCE or with MPI_ANY_TAG, and the recording does \
                not contain the matched sender",
            )
        };
        let peer = match (transfer.peer, observed) {
            (Peer::Null, _) => return Ok(None),
            (Peer::Rank(peer), _) => self.value(peer),
            (Peer::Any, Some(found)) => found.source,
            (Peer::Any, None) => return Err(unknown()),
        };
        let tag = match (transfer.tag, observed) {
            (Tag::Value(tag), _) => self.value(tag),
            (Tag::Any, Some(found)) => found.tag,
            (Tag::Any, None) => return Err(unknown()),
        };
        let (from, tag) = self.world(transfer, peer, tag)?;
        Ok(Some((
            self.words(from, tag, transfer),
            (from, self.rank.0, tag),
        )))
    }

    /// World rank of a partner, and the number of a tag.
    fn world(&self, transfer: &Transfer, peer: i64, tag: i64) -> Result<(u32, i64), ExportError> {
        let communicator = CommId(u32::try_from(self.value(transfer.communicator)).unwrap_or(0));
        let world = self.groups.world_rank(communicator, peer, self.rank.0);
        let world = world.ok_or_else(|| self.cannot("names a partner that there is not"))?;
        Ok((
            world,
            self.tags.number(communicator, ChannelTag::Value(tag)),
        ))
    }

    fn words(&self, partner: u32, tag: i64, transfer: &Transfer) -> String {
        let (count, datatype) = self.elements(self.value(transfer.count), transfer.datatype);
        format!("{partner} {tag} {count} {datatype}")
    }

    /// A number of elements that SMPI knows, and the number of their datatype: bytes where it knows none.
    pub(super) fn elements(&self, count: i64, datatype: u32) -> (u64, u32) {
        let count = u64::try_from(count).unwrap_or(0);
        let datatype = self.data.datatypes.get(datatype as usize);
        let basic = datatype.and_then(|datatype| match datatype.runs.as_slice() {
            [(element, 1, 0)] => ti_datatypes::number(*element),
            _ => None,
        });
        let bytes = ti_datatypes::number(BasicDatatype::Byte).unwrap_or(0);
        basic.map_or_else(
            || {
                (
                    count.saturating_mul(datatype.map_or(1, Datatype::bytes)),
                    bytes,
                )
            },
            |number| (count, number),
        )
    }

    /// The value of an operand; the check of the calls has made sure that there is one.
    pub(super) fn value(&self, operand: Operand) -> i64 {
        self.data
            .value(operand, self.rank, self.position)
            .unwrap_or(0)
    }

    /// The call of now cannot be written.
    pub(super) fn cannot(&self, reason: &str) -> ExportError {
        ExportError::Format {
            place: self.data.table.site_place(self.site),
            reason: reason.into(),
        }
    }
}
