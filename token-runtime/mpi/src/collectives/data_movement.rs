//! Plans of collectives without a root that move data and combine none. On an intercommunicator the
//! partners are the other group; both cases are one here.

use super::buffer_segments::{BufferSegment, BufferSegments};
use super::members::Members;
use super::plan::{Dependency, Incoming, Outgoing, Plan, Planned};
use super::recording::{RecordedCollective, RecordedCounts};
use crate::arguments::{Blocks, Buffer, Data, Displacements, Int, TypedBlocks};
use crate::failure::{Failure, wrong};
use crate::process::Process;
use base_data::program_data::CollectiveKind;
use token_runtime::mpich::class;

/// Whether a buffer is `MPI_IN_PLACE`, which has no use on an intercommunicator.
pub fn is_in_place(members: &Members, buffer: Buffer) -> Result<bool, Failure> {
    match buffer {
        Buffer::InPlace if members.is_inter => wrong(
            class::BUFFER,
            "MPI_IN_PLACE is not allowed on an intercommunicator",
        ),
        Buffer::InPlace => Ok(true),
        Buffer::At(_) | Buffer::Section(_) => Ok(false),
    }
}

pub fn barrier(process: &Process, comm: Int) -> Planned {
    let communicator = process.communicator_index(comm.0)?;
    let members = process.members(communicator);
    let nothing = BufferSegments::Same(BufferSegment::none(process)?);
    Ok(Plan {
        dependencies: Dependency::Group(members.partner_group),
        recorded: RecordedCollective::moved(
            CollectiveKind::Barrier,
            RecordedCounts::Same(0),
            &nothing,
        )
        .map(|recorded| recorded.recorded_as(&members, None)),
        ..Plan::nothing(communicator)
    })
}

/// Each gives one piece to all partners.
fn gathered_by_all(
    process: &Process,
    communicator: usize,
    send: Data,
    into: BufferSegments,
) -> Planned {
    let members = process.members(communicator);
    let own = match is_in_place(&members, send.buffer)? {
        true => into.get(members.rank.into()),
        false => BufferSegment::new(process, send)?,
    };
    // The two groups of an intercommunicator may pass different counts.
    let is_same = matches!(into, BufferSegments::Same(_)) && !members.is_inter;
    let received = if is_same {
        None
    } else {
        Some(RecordedCounts::Each(into.counts(members.partners)))
    };
    let recorded = RecordedCollective::moved(
        CollectiveKind::Allgather,
        RecordedCounts::Same(own.count),
        &BufferSegments::Same(own.clone()),
    );
    Ok(Plan {
        bytes: if is_same { Some(own.bytes()) } else { None },
        recorded: recorded.map(|recorded| {
            RecordedCollective {
                received,
                ..recorded
            }
            .recorded_as(&members, None)
        }),
        outgoing: Some(Outgoing::one(own)),
        readers: members.partners.into(),
        dependencies: Dependency::Group(members.partner_group),
        incoming: Incoming::from_partners(&members, 0, None),
        into: Some(into),
        ..Plan::nothing(communicator)
    })
}

pub fn allgather(process: &Process, send: Data, receive: Data, comm: Int) -> Planned {
    let communicator = process.communicator_index(comm.0)?;
    let into = BufferSegments::Same(BufferSegment::new(process, receive)?);
    gathered_by_all(process, communicator, send, into)
}

pub fn allgatherv(process: &Process, send: Data, receive: Blocks, comm: Int) -> Planned {
    let communicator = process.communicator_index(comm.0)?;
    let partners = process.members(communicator).partners;
    let into = BufferSegments::listed(process, partners, receive)?;
    gathered_by_all(process, communicator, send, into)
}

/// Each gives each partner a piece of its own; what is given stands where it arrives without `from`.
fn exchanged(
    process: &Process,
    communicator: usize,
    from: Option<BufferSegments>,
    into: BufferSegments,
) -> Planned {
    let members = process.members(communicator);
    let is_same = matches!(into, BufferSegments::Same(_));
    let sent = from.as_ref().unwrap_or(&into);
    let elements = |segments: &BufferSegments| match segments {
        BufferSegments::Same(segment) => RecordedCounts::Same(segment.count),
        BufferSegments::Listed(..) | BufferSegments::Typed(..) => {
            RecordedCounts::Each(segments.counts(members.partners))
        }
    };
    // Datatypes of each partner's own are recorded in bytes.
    let (sent_plainly, into_plainly) = (sent.of_one_type(process)?, into.of_one_type(process)?);
    let sent_elements = elements(&sent_plainly);
    let recorded =
        RecordedCollective::moved(CollectiveKind::Alltoall, sent_elements, &sent_plainly);
    let bytes = if is_same && !members.is_inter {
        Some(sent.get(0).bytes())
    } else {
        None
    };
    Ok(Plan {
        bytes,
        recorded: recorded.map(|recorded| {
            let received = from
                .as_ref()
                .filter(|_| !is_same)
                .map(|_| elements(&into_plainly));
            RecordedCollective {
                received,
                ..recorded
            }
            .recorded_as(&members, None)
        }),
        outgoing: Some(Outgoing::each(sent.clone(), members.partners)),
        readers: members.partners.into(),
        dependencies: Dependency::Group(members.partner_group),
        incoming: Incoming::from_partners(&members, members.rank, None),
        into: Some(into),
        ..Plan::nothing(communicator)
    })
}

pub fn alltoall(process: &Process, send: Data, receive: Data, comm: Int) -> Planned {
    let communicator = process.communicator_index(comm.0)?;
    let from = match is_in_place(&process.members(communicator), send.buffer)? {
        true => None,
        false => Some(BufferSegments::Same(BufferSegment::new(process, send)?)),
    };
    let into = BufferSegments::Same(BufferSegment::new(process, receive)?);
    exchanged(process, communicator, from, into)
}

pub fn alltoallv(process: &Process, send: Blocks, receive: Blocks, comm: Int) -> Planned {
    let communicator = process.communicator_index(comm.0)?;
    let members = process.members(communicator);
    let from = match is_in_place(&members, send.buffer)? {
        true => None,
        false => Some(BufferSegments::listed(process, members.partners, send)?),
    };
    let into = BufferSegments::listed(process, members.partners, receive)?;
    exchanged(process, communicator, from, into)
}

pub fn alltoallw(
    process: &Process,
    send: TypedBlocks<Displacements>,
    receive: TypedBlocks<Displacements>,
    comm: Int,
) -> Planned {
    let communicator = process.communicator_index(comm.0)?;
    let members = process.members(communicator);
    let from = match is_in_place(&members, send.buffer)? {
        true => None,
        false => Some(BufferSegments::typed(process, members.partners, send)?),
    };
    let into = BufferSegments::typed(process, members.partners, receive)?;
    exchanged(process, communicator, from, into)
}
