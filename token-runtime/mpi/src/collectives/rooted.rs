//! Plans of collectives with a root that move data and combine none. On an intercommunicator the root
//! stands in one group and exchanges data with the other; the rest of its own group has no part.

use super::buffer_segments::{BufferSegment, BufferSegments};
use super::data_movement::is_in_place;
use super::members::{Members, Role};
use super::plan::{Dependency, Incoming, IncomingPiece, Outgoing, Piece, Plan, Planned};
use super::recording::{Elements, RecordedAs, RecordedCollective};
use crate::arguments::{Buffer, Count, Counts, Displacements, Int};
use crate::failure::Failure;
use crate::process::Process;
use base_data::program_data::CollectiveKind;

fn recorded(
    kind: CollectiveKind,
    (members, role): (&Members, Role),
    (sent, received): (Elements, Option<Elements>),
    segments: &BufferSegments,
) -> Option<RecordedAs> {
    let moved = RecordedCollective::moved(kind, sent, segments)?;
    Some(RecordedCollective { received, ..moved }.recorded_as(members, Some(role)))
}

pub fn broadcast(
    process: &Process,
    buffer: Buffer,
    count: Count,
    datatype: Int,
    root: Int,
    comm: Int,
) -> Planned {
    let communicator = process.communicator_index(comm.0)?;
    let members = process.members(communicator);
    let role = members.role(root)?;
    let Some(root) = role.root else {
        return Ok(Plan::not_involved(communicator));
    };
    let segment = BufferSegment::new(process, buffer, count, datatype)?;
    let segments = BufferSegments::Same(segment.clone());
    let counts = (Elements::Same(segment.count), None);
    let common = Plan {
        root: role.root,
        bytes: Some(segment.bytes()),
        recorded: recorded(
            CollectiveKind::Broadcast,
            (&members, role),
            counts,
            &segments,
        ),
        ..Plan::nothing(communicator)
    };
    Ok(if role.is_root {
        let readers = members.partners - u32::from(role.is_leaf);
        Plan {
            outgoing: Some(Outgoing::one(segment)).filter(|_| readers > 0),
            readers: readers.into(),
            ..common
        }
    } else {
        Plan {
            dependencies: Dependency::Member(root),
            incoming: Incoming::from(root),
            into: Some(segments),
            ..common
        }
    })
}

/// Which areas the root has: the same for each partner, whose length all know, or a list of its own.
type RootSegments<'a> = &'a dyn Fn(&Members) -> Result<BufferSegments, Failure>;

/// The area of the root that stands for one partner: its own, where it is one.
fn segment_of_root(members: &Members, segments: &BufferSegments) -> BufferSegment {
    segments.get(if members.is_inter {
        0
    } else {
        members.rank.into()
    })
}

fn gathered(
    process: &Process,
    (root, comm): (Int, Int),
    (sendbuf, sendcount, sendtype): (Buffer, Count, Int),
    into: RootSegments<'_>,
    is_same: bool,
) -> Planned {
    let communicator = process.communicator_index(comm.0)?;
    let members = process.members(communicator);
    let role = members.role(root)?;
    let into = if role.is_root {
        Some(into(&members)?)
    } else {
        None
    };
    let in_place = role.is_root && role.is_leaf && is_in_place(&members, sendbuf)?;
    let own = match role.is_leaf && !in_place {
        true => Some(BufferSegment::new(process, sendbuf, sendcount, sendtype)?),
        false => None,
    };
    let Some(named) = own
        .clone()
        .or_else(|| into.as_ref().map(|into| segment_of_root(&members, into)))
    else {
        return Ok(Plan::not_involved(communicator));
    };
    let received = into
        .as_ref()
        .filter(|_| !is_same)
        .map(|into| Elements::Each(into.counts(members.partners)));
    let counts = (Elements::Same(named.count), received);
    let segments = BufferSegments::Same(named.clone());
    let common = Plan {
        root: role.root,
        bytes: is_same.then(|| named.bytes()),
        recorded: recorded(CollectiveKind::Gather, (&members, role), counts, &segments),
        readers: own.is_some().into(),
        outgoing: own.map(Outgoing::one),
        ..Plan::nothing(communicator)
    };
    Ok(if role.is_root {
        let incoming = Incoming::from_partners(&members, 0, in_place.then_some(members.own));
        Plan {
            dependencies: Dependency::Group(members.partner_group),
            incoming,
            into,
            ..common
        }
    } else {
        common
    })
}

#[allow(clippy::too_many_arguments)]
pub fn gather(
    process: &Process,
    sendbuf: Buffer,
    sendcount: Count,
    sendtype: Int,
    recvbuf: Buffer,
    recvcount: Count,
    recvtype: Int,
    root: Int,
    comm: Int,
) -> Planned {
    let into = |_: &Members| {
        Ok(BufferSegments::Same(BufferSegment::new(
            process, recvbuf, recvcount, recvtype,
        )?))
    };
    gathered(
        process,
        (root, comm),
        (sendbuf, sendcount, sendtype),
        &into,
        true,
    )
}

#[allow(clippy::too_many_arguments)]
pub fn gatherv(
    process: &Process,
    sendbuf: Buffer,
    sendcount: Count,
    sendtype: Int,
    recvbuf: Buffer,
    recvcounts: Counts,
    displs: Displacements,
    recvtype: Int,
    root: Int,
    comm: Int,
) -> Planned {
    let into = |members: &Members| {
        BufferSegments::listed(
            process,
            recvbuf,
            members.partners,
            (recvcounts, displs, recvtype),
        )
    };
    gathered(
        process,
        (root, comm),
        (sendbuf, sendcount, sendtype),
        &into,
        false,
    )
}

fn scattered(
    process: &Process,
    (root, comm): (Int, Int),
    (recvbuf, recvcount, recvtype): (Buffer, Count, Int),
    from: RootSegments<'_>,
    is_same: bool,
) -> Planned {
    let communicator = process.communicator_index(comm.0)?;
    let members = process.members(communicator);
    let role = members.role(root)?;
    let Some(root) = role.root else {
        return Ok(Plan::not_involved(communicator));
    };
    let from = if role.is_root {
        Some(from(&members)?)
    } else {
        None
    };
    let in_place = role.is_root && role.is_leaf && is_in_place(&members, recvbuf)?;
    let own = match role.is_leaf && !in_place {
        true => Some(BufferSegment::new(process, recvbuf, recvcount, recvtype)?),
        false => None,
    };
    let named = own
        .clone()
        .or_else(|| from.as_ref().map(|from| segment_of_root(&members, from)));
    let plan = Plan {
        root: role.root,
        bytes: named.as_ref().filter(|_| is_same).map(BufferSegment::bytes),
        recorded: scatter_recorded((&members, role), from.as_ref(), own.as_ref(), is_same),
        readers: if role.is_root {
            u64::from(members.partners) - u64::from(in_place)
        } else {
            0
        },
        outgoing: from.map(|from| Outgoing::each(from, members.partners)),
        dependencies: if role.is_root {
            Dependency::Nothing
        } else {
            Dependency::Member(root)
        },
        ..Plan::nothing(communicator)
    };
    let piece = Piece::Number(members.rank.into());
    Ok(match own {
        Some(own) => {
            let incoming = Incoming::One(IncomingPiece {
                member: root,
                piece,
                segment: 0,
            });
            Plan {
                incoming,
                into: Some(BufferSegments::Same(own)),
                ..plan
            }
        }
        None => plan,
    })
}

fn scatter_recorded(
    caller_of: (&Members, Role),
    from: Option<&BufferSegments>,
    own: Option<&BufferSegment>,
    is_same: bool,
) -> Option<RecordedAs> {
    let own_count = own.map(|own| Elements::Same(own.count));
    let kind = CollectiveKind::Scatter;
    match from {
        Some(from @ BufferSegments::Same(segment)) => {
            recorded(kind, caller_of, (Elements::Same(segment.count), None), from)
        }
        Some(from) => {
            let received = own_count.filter(|_| !is_same);
            recorded(
                kind,
                caller_of,
                (Elements::Each(from.counts(caller_of.0.partners)), received),
                from,
            )
        }
        None => recorded(
            kind,
            caller_of,
            (own_count?, None),
            &BufferSegments::Same(own?.clone()),
        ),
    }
}

#[allow(clippy::too_many_arguments)]
pub fn scatter(
    process: &Process,
    sendbuf: Buffer,
    sendcount: Count,
    sendtype: Int,
    recvbuf: Buffer,
    recvcount: Count,
    recvtype: Int,
    root: Int,
    comm: Int,
) -> Planned {
    let from = |_: &Members| {
        Ok(BufferSegments::Same(BufferSegment::new(
            process, sendbuf, sendcount, sendtype,
        )?))
    };
    scattered(
        process,
        (root, comm),
        (recvbuf, recvcount, recvtype),
        &from,
        true,
    )
}

#[allow(clippy::too_many_arguments)]
pub fn scatterv(
    process: &Process,
    sendbuf: Buffer,
    sendcounts: Counts,
    displs: Displacements,
    sendtype: Int,
    recvbuf: Buffer,
    recvcount: Count,
    recvtype: Int,
    root: Int,
    comm: Int,
) -> Planned {
    let from = |members: &Members| {
        BufferSegments::listed(
            process,
            sendbuf,
            members.partners,
            (sendcounts, displs, sendtype),
        )
    };
    scattered(
        process,
        (root, comm),
        (recvbuf, recvcount, recvtype),
        &from,
        false,
    )
}
