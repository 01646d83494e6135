//! Whether the stream of a class is whole: loops nest, ids are within their tables.

use super::operands::{Budget, Operands};
use super::{Checked, within};
use crate::ids::RequestId;
use crate::program_data::{
    Call, CollectiveKind, Completion, Count, Counts, Mark, Op, Operand, ProgramData, RankClass,
    Tag, Transfer,
};
use std::collections::HashSet;

/// Loops nest this deep at most, so that replay may recurse.
const DEEPEST: usize = 64;

/// Checks one class; the error continues "class N, …".
pub(super) fn check_class(data: &ProgramData, class: &RankClass, budget: &mut Budget) -> Checked {
    check_loops(&class.stream)?;
    let started: HashSet<RequestId> = class.stream.iter().filter_map(started_request).collect();
    // Entries, not executions: an entry starts the same request in each iteration of a loop.
    let starts = class.stream.iter().filter_map(started_request).count();
    let mut check = Check {
        data,
        operands: Operands::of(data, class, budget),
        started,
        starts,
    };
    class.stream.iter().enumerate().try_for_each(|(i, op)| {
        check
            .entry(op)
            .map_err(|what| format!("entry {i} ({}): {what}", place(data, op)))
    })
}

fn place(data: &ProgramData, op: &Op) -> String {
    match op {
        Op::Loop { .. } => "loop".into(),
        Op::Block { .. } => "block".into(),
        Op::Mark(Mark::Clock { .. }) => "clock".into(),
        Op::Mark(Mark::SectionBegin | Mark::SectionEnd) => "section".into(),
        Op::Call { site, .. } => data.table.site_place(*site),
    }
}

fn check_loops(stream: &[Op]) -> Checked {
    // End of the body and executions of it, for each open loop.
    let mut open: Vec<(usize, u64)> = Vec::new();
    for (i, op) in stream.iter().enumerate() {
        // Several loops may end at the same entry.
        while open.last().is_some_and(|&(end, _)| end <= i) {
            open.pop();
        }
        let Op::Loop { count, body } = op else {
            continue;
        };
        let (limit, around) = open.last().copied().unwrap_or((stream.len(), 1));
        let end = i + 1 + *body as usize;
        // A body that crosses the end of the loop around it has no meaning, and an empty one would not
        // advance.
        if *body == 0 || end > limit {
            return Err(format!(
                "entry {i}: a loop over {body} entries where {} follow",
                limit - i - 1
            ));
        }
        let executions = around
            .checked_mul(count.get())
            // Counts of executions are summed as signed numbers.
            .filter(|&count| count <= i64::MAX as u64);
        let executions =
            executions.ok_or_else(|| format!("entry {i}: a loop that runs 2^63 times or more"))?;
        open.push((end, executions));
        if open.len() > DEEPEST {
            return Err(format!("entry {i}: loops nest deeper than {DEEPEST}"));
        }
    }
    Ok(())
}

/// The request an entry starts or makes.
fn started_request(op: &Op) -> Option<RequestId> {
    match op {
        Op::Call { call, .. } => call.started_request(),
        Op::Loop { .. } | Op::Block { .. } | Op::Mark(_) => None,
    }
}

struct Check<'a> {
    data: &'a ProgramData,
    operands: Operands<'a>,
    started: HashSet<RequestId>,
    /// Entries that start a request.
    starts: usize,
}

impl Check<'_> {
    fn entry(&mut self, op: &Op) -> Checked {
        let sites = self.data.table.call_sites.len();
        match op {
            Op::Loop {
                count: Count::Assumed { assumption, .. },
                ..
            } => within(
                "assumption",
                *assumption as usize,
                self.data.assumptions.len(),
            ),
            Op::Loop {
                count: Count::Constant(_) | Count::Invariant(_),
                ..
            } => Ok(()),
            Op::Block { block, variant } => {
                within("block", block.index(), self.data.table.blocks.len())?;
                self.operands.variants(*variant, *block)
            }
            Op::Mark(Mark::SectionBegin | Mark::SectionEnd) => Ok(()),
            Op::Mark(Mark::Clock { site, path }) => {
                within("call site", site.index(), sites)?;
                let paths = self.data.call_paths.len();
                path.map_or(Ok(()), |path| within("call path", path as usize, paths))
            }
            Op::Call { site, call } => {
                within("call site", site.index(), sites)?;
                started_request(op).map_or(Ok(()), |request| self.starts(request))?;
                self.call(call)
            }
        }
    }

    fn call(&mut self, call: &Call) -> Checked {
        match call {
            Call::Init | Call::Finalize | Call::Abort => Ok(()),
            Call::Send { transfer, .. }
            | Call::Receive { transfer, .. }
            | Call::Probe { transfer, .. }
            | Call::MakePersistent { transfer, .. } => self.transfer(transfer),
            Call::SendReceive { send, receive, .. } => {
                self.transfer(send)?;
                self.transfer(receive)
            }
            Call::Wait {
                completion,
                requests,
                completed,
                observed,
            } => {
                let (found, most) = (observed.len(), requests.len());
                // Each match belongs to one request of the call.
                if found > most {
                    return Err(format!("it observed {found} matches of {most} requests"));
                }
                self.completion(*completion, requests, completed)
            }
            Call::Test {
                completion,
                requests,
                completed,
            } => self.completion(*completion, requests, completed),
            Call::StartPersistent { requests } => self.known(requests),
            Call::Collective { .. } => self.collective(call),
            Call::MakeCommunicator { parent, made } => {
                self.operands.communicator(*parent)?;
                self.operands
                    .in_range("communicator", *made, -1, self.data.communicators.len())?;
                self.operands.members(*made)
            }
        }
    }

    fn transfer(&mut self, transfer: &Transfer) -> Checked {
        within(
            "datatype",
            transfer.datatype as usize,
            self.data.datatypes.len(),
        )?;
        self.operands.communicator(transfer.communicator)?;
        self.operands.peer(transfer.peer, transfer.communicator)?;
        if let Tag::Value(tag) = transfer.tag {
            self.operands.bounds(tag)?;
        }
        self.operands.not_negative("count", transfer.count)
    }

    fn collective(&mut self, call: &Call) -> Checked {
        let Call::Collective {
            kind,
            communicator,
            root,
            counts,
            receive_counts,
            datatype,
            reduce_op,
            ..
        } = call
        else {
            return Ok(());
        };
        self.operands.communicator(*communicator)?;
        if needs_root(*kind) && root.is_none() {
            return Err("its root is missing".into());
        }
        if kind.reduces() && reduce_op.is_none() {
            return Err("its reduction operation is missing".into());
        }
        root.map_or(Ok(()), |root: Operand| {
            self.operands.rank_of("root", root, *communicator)
        })?;
        if *kind != CollectiveKind::Barrier {
            within("datatype", *datatype as usize, self.data.datatypes.len())?;
        }
        let all: [Option<Counts>; 2] = [Some(*counts), *receive_counts];
        all.into_iter()
            .flatten()
            .try_for_each(|counts| self.operands.counts(counts, *communicator))
    }

    /// Requests get the lowest free number, so that there are no more numbers than starts.
    fn starts(&self, request: RequestId) -> Checked {
        if request.index() < self.starts {
            return Ok(());
        }
        // At least 0, since the present entry starts one.
        let most = self.starts - 1;
        Err(format!(
            "request {request} is started, but the lowest free number is at most {most} in this class"
        ))
    }

    fn completion(
        &self,
        completion: Completion,
        requests: &[RequestId],
        completed: &[RequestId],
    ) -> Checked {
        self.known(requests)?;
        let listed: HashSet<&RequestId> = requests.iter().collect();
        if let Some(stray) = completed.iter().find(|id| !listed.contains(id)) {
            return Err(format!("request {stray} is completed but not waited for"));
        }
        match completion {
            Completion::Any if completed.len() > 1 => {
                Err("it completes more than one request".into())
            }
            Completion::All | Completion::Any | Completion::Some => Ok(()),
        }
    }

    fn known(&self, requests: &[RequestId]) -> Checked {
        // In any order: an iteration may wait for what the one before it started.
        match requests.iter().find(|id| !self.started.contains(id)) {
            Some(stray) => Err(format!("request {stray} is never started in this class")),
            None => Ok(()),
        }
    }
}

fn needs_root(kind: CollectiveKind) -> bool {
    match kind {
        CollectiveKind::Broadcast
        | CollectiveKind::Reduce
        | CollectiveKind::Gather
        | CollectiveKind::Scatter => true,
        CollectiveKind::Barrier
        | CollectiveKind::Allreduce
        | CollectiveKind::Allgather
        | CollectiveKind::Alltoall
        | CollectiveKind::ReduceScatter
        | CollectiveKind::Scan
        | CollectiveKind::ExclusiveScan => false,
    }
}
