//! Plans of collectives that combine data. The combination of a group stands in the parcel of its last
//! member (`kernel::collective::chain`); on an intercommunicator each group gets that of the other.

use super::buffer_segments::{BufferSegment, BufferSegments};
use super::data_movement::is_in_place;
use super::members::{Members, Role};
use super::plan::{Dependency, Incoming, IncomingPiece, Outgoing, PieceSelector, Plan, Planned};
use super::recording::{RecordedAs, RecordedCollective, RecordedCounts};
use super::reduction_chain::ReductionSpec;
use crate::arguments::{Buffer, Count, Counts, Data, Int, Reduction};
use crate::failure::Failure;
use crate::process::{self, Process};
use base_data::program_data::CollectiveKind;
use std::rc::Rc;

/// What all calls here begin with: this rank's data and what is done with them.
struct Operands {
    members: Members,
    own: BufferSegment,
    reduction_spec: Rc<ReductionSpec>,
}

fn operands(
    process: &Process,
    communicator: usize,
    reduction: Reduction<Count>,
) -> Result<Operands, Failure> {
    let Reduction {
        sendbuf,
        recvbuf,
        count,
        datatype,
        op,
    } = reduction;
    let members = process.members(communicator);
    let from = if is_in_place(&members, sendbuf)? {
        recvbuf
    } else {
        sendbuf
    };
    let own = BufferSegment::new(process, Data::new(from, count, datatype))?;
    let reduction_spec = Rc::new(ReductionSpec::new(process, op.0, own.count, &own.datatype)?);
    Ok(Operands {
        members,
        own,
        reduction_spec,
    })
}

impl Operands {
    /// This rank's data go into the chain, which reads those of all but the last of the group; `last`
    /// says how often the last one's are read.
    fn chained(&self, communicator: usize, kind: CollectiveKind, last: u32) -> Plan {
        Plan {
            // The two groups of an intercommunicator may pass different counts.
            bytes: if self.members.is_inter {
                None
            } else {
                Some(self.own.bytes())
            },
            reduction_spec: Some(self.reduction_spec.clone()),
            outgoing: Some(Outgoing::one(self.own.clone())),
            readers: if self.members.is_last() {
                last.into()
            } else {
                1
            },
            recorded: self.recorded(kind, RecordedCounts::Same(self.own.count), None),
            ..Plan::nothing(communicator)
        }
    }

    fn recorded(
        &self,
        kind: CollectiveKind,
        counts: RecordedCounts,
        role: Option<Role>,
    ) -> Option<RecordedAs> {
        let segments = BufferSegments::Same(self.own.clone());
        let moved = RecordedCollective::moved(kind, counts, &segments)?;
        let reduce_op = Some(self.reduction_spec.reduce_op());
        Some(RecordedCollective { reduce_op, ..moved }.recorded_as(&self.members, role))
    }

    /// The elements of this call in a buffer.
    fn elements_in(&self, buffer: Buffer) -> Result<Option<BufferSegments>, Failure> {
        Ok(Some(BufferSegments::Same(self.own.elsewhere(buffer)?)))
    }
}

pub fn reduce(process: &Process, reduction: Reduction<Count>, root: Int, comm: Int) -> Planned {
    let communicator = process.communicator_index(comm.0)?;
    let members = process.members(communicator);
    let role = members.role(root)?;
    if role.root.is_none() {
        return Ok(Plan::not_involved(communicator));
    }
    let Reduction {
        sendbuf, recvbuf, ..
    } = reduction;
    // MPI_IN_PLACE is for a root that contributes data itself. The root of an intercommunicator contributes
    // none, so its send buffer is not significant; on all other ranks the receive buffer is not.
    let significant = match (role.is_root, role.is_leaf) {
        (true, true) => reduction,
        (true, false) => Reduction {
            sendbuf: recvbuf,
            ..reduction
        },
        (false, _) => Reduction {
            sendbuf: not_in_place(sendbuf)?,
            recvbuf: sendbuf,
            ..reduction
        },
    };
    let operands = operands(process, communicator, significant)?;
    let plan = operands.chained(communicator, CollectiveKind::Reduce, 1);
    let plan = Plan {
        root: role.root,
        bytes: Some(operands.own.bytes()),
        recorded: operands.recorded(
            CollectiveKind::Reduce,
            RecordedCounts::Same(operands.own.count),
            Some(role),
        ),
        outgoing: plan.outgoing.filter(|_| role.is_leaf),
        readers: if role.is_leaf { plan.readers } else { 0 },
        ..plan
    };
    Ok(if role.is_root {
        Plan {
            dependencies: Dependency::Group(members.partner_group),
            incoming: Incoming::from(members.last_partner()),
            into: operands.elements_in(reduction.recvbuf)?,
            ..plan
        }
    } else {
        plan
    })
}

fn not_in_place(buffer: Buffer) -> Result<Buffer, Failure> {
    match buffer {
        Buffer::InPlace => crate::failure::wrong(
            token_runtime::mpich::class::BUFFER,
            "MPI_IN_PLACE is not allowed on ranks other than the root",
        ),
        Buffer::At(_) | Buffer::Section(_) => Ok(buffer),
    }
}

pub fn allreduce(process: &Process, reduction: Reduction<Count>, comm: Int) -> Planned {
    let communicator = process.communicator_index(comm.0)?;
    let operands = operands(process, communicator, reduction)?;
    let members = &operands.members;
    Ok(Plan {
        bytes: Some(operands.own.bytes()),
        dependencies: Dependency::Group(members.partner_group),
        incoming: Incoming::from(members.last_partner()),
        into: operands.elements_in(reduction.recvbuf)?,
        ..operands.chained(communicator, CollectiveKind::Allreduce, members.partners)
    })
}

/// A reduction of which each rank of a group gets a part; the counts are those of the ranks.
fn scattered(
    process: &Process,
    communicator: usize,
    reduction: Reduction<&[u64]>,
) -> Result<(Operands, Plan), Failure> {
    let counts = reduction.count;
    let total = Count(counts.iter().sum::<u64>() as i64);
    let reduction = reduction.with_count(total);
    let operands = operands(process, communicator, reduction)?;
    let members = &operands.members;
    let (before, rest) = counts.split_at(members.rank as usize);
    let offset = operands.own.datatype.bytes(before.iter().sum());
    let piece = PieceSelector::Part {
        offset,
        whole: operands.own.bytes(),
    };
    let take = IncomingPiece {
        member: members.last_partner(),
        piece,
        segment: 0,
    };
    let into = BufferSegment {
        count: rest[0],
        ..operands.own.elsewhere(reduction.recvbuf)?
    };
    let plan = Plan {
        bytes: Some(operands.own.bytes()),
        dependencies: Dependency::Group(members.partner_group),
        incoming: Incoming::One(take),
        into: Some(BufferSegments::Same(into)),
        ..operands.chained(
            communicator,
            CollectiveKind::ReduceScatter,
            members.partners,
        )
    };
    Ok((operands, plan))
}

pub fn reduce_scatter(process: &Process, reduction: Reduction<Counts>, comm: Int) -> Planned {
    let communicator = process.communicator_index(comm.0)?;
    let ranks = process.members(communicator).size as usize;
    let counts: Result<Vec<u64>, _> = reduction.count.all(ranks).map(process::count).collect();
    let counts = counts?;
    let of_ranks = reduction.with_count(&counts[..]);
    let (operands, plan) = scattered(process, communicator, of_ranks)?;
    let recorded = operands.recorded(
        CollectiveKind::ReduceScatter,
        RecordedCounts::Each(counts),
        None,
    );
    Ok(Plan { recorded, ..plan })
}

pub fn reduce_scatter_block(process: &Process, reduction: Reduction<Count>, comm: Int) -> Planned {
    let communicator = process.communicator_index(comm.0)?;
    let count = process::count(reduction.count.0)?;
    let counts = vec![count; process.members(communicator).size as usize];
    let of_ranks = reduction.with_count(&counts[..]);
    let (operands, plan) = scattered(process, communicator, of_ranks)?;
    let recorded = operands.recorded(
        CollectiveKind::ReduceScatter,
        RecordedCounts::Same(count),
        None,
    );
    Ok(Plan { recorded, ..plan })
}

/// Refuses an intercommunicator, where ranks have no common order.
fn single_group(process: &Process, comm: Int) -> Result<usize, Failure> {
    let communicator = process.communicator_index(comm.0)?;
    match process.members(communicator).is_inter {
        true => crate::failure::wrong(
            token_runtime::mpich::class::COMM,
            "scans are not defined on an intercommunicator",
        ),
        false => Ok(communicator),
    }
}

pub fn scan(process: &Process, reduction: Reduction<Count>, comm: Int) -> Planned {
    let communicator = single_group(process, comm)?;
    let operands = operands(process, communicator, reduction)?;
    let plan = operands.chained(communicator, CollectiveKind::Scan, 0);
    Ok(Plan {
        // The chain reads them, and this rank.
        readers: plan.readers + 1,
        dependencies: Dependency::Link,
        incoming: Incoming::from(operands.members.own),
        into: operands.elements_in(reduction.recvbuf)?,
        ..plan
    })
}

pub fn exscan(process: &Process, reduction: Reduction<Count>, comm: Int) -> Planned {
    let communicator = single_group(process, comm)?;
    let operands = operands(process, communicator, reduction)?;
    let plan = operands.chained(communicator, CollectiveKind::ExclusiveScan, 0);
    // The chain reads them, and the next rank.
    let readers = 2 * plan.readers;
    Ok(match operands.members.own.checked_sub(1) {
        None => Plan { readers, ..plan },
        Some(before) => Plan {
            readers,
            dependencies: Dependency::Link,
            incoming: Incoming::from(before),
            into: operands.elements_in(reduction.recvbuf)?,
            ..plan
        },
    })
}
