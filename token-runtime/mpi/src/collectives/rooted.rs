//! Plans of collectives with a root that move data and combine none. On an intercommunicator the root
//! stands in one group and exchanges data with the other; the rest of its own group has no part.

use super::buffer_segments::{BufferSegment, BufferSegments};
use super::data_movement::is_in_place;
use super::members::{Members, Role};
use super::plan::{Dependency, Incoming, IncomingPiece, Outgoing, PieceSelector, Plan, Planned};
use super::recording::{RecordedAs, RecordedCollective, RecordedCounts};
use crate::arguments::{Blocks, Data, Int};
use crate::failure::Failure;
use crate::process::Process;
use base_data::program_data::CollectiveKind;

fn recorded(
    kind: CollectiveKind,
    (members, role): (&Members, Role),
    (sent, received): (RecordedCounts, Option<RecordedCounts>),
    segments: &BufferSegments,
) -> Option<RecordedAs> {
    let moved = RecordedCollective::moved(kind, sent, segments)?;
    Some(RecordedCollective { received, ..moved }.recorded_as(members, Some(role)))
}

pub fn broadcast(process: &Process, data: Data, root: Int, comm: Int) -> Planned {
    let communicator = process.communicator_index(comm.0)?;
    let members = process.members(communicator);
    let role = members.role(root)?;
    let Some(root) = role.root else {
        return Ok(Plan::not_involved(communicator));
    };
    let segment = BufferSegment::new(process, data)?;
    let segments = BufferSegments::Same(segment.clone());
    let counts = (RecordedCounts::Same(segment.count), None);
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

/// The root's arguments of a gather or scatter, which are significant on the root alone.
enum RootData {
    /// As many elements for each partner: every rank knows the length of a block.
    Same(Data),
    /// Counts and displacements that only the root knows.
    Blocks(Blocks),
}

impl RootData {
    fn is_same(&self) -> bool {
        matches!(self, RootData::Same(_))
    }

    fn segments(&self, process: &Process, members: &Members) -> Result<BufferSegments, Failure> {
        match *self {
            RootData::Same(data) => Ok(BufferSegments::Same(BufferSegment::new(process, data)?)),
            RootData::Blocks(blocks) => BufferSegments::listed(process, members.partners, blocks),
        }
    }
}

/// The area of the root that stands for one partner: its own, where it is one.
fn segment_of_root(members: &Members, segments: &BufferSegments) -> BufferSegment {
    segments.get(if members.is_inter {
        0
    } else {
        members.rank.into()
    })
}

fn gathered(process: &Process, root: Int, comm: Int, send: Data, receive: RootData) -> Planned {
    let communicator = process.communicator_index(comm.0)?;
    let members = process.members(communicator);
    let role = members.role(root)?;
    let is_same = receive.is_same();
    let into = if role.is_root {
        Some(receive.segments(process, &members)?)
    } else {
        None
    };
    let in_place = role.is_root && role.is_leaf && is_in_place(&members, send.buffer)?;
    let own = match role.is_leaf && !in_place {
        true => Some(BufferSegment::new(process, send)?),
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
        .map(|into| RecordedCounts::Each(into.counts(members.partners)));
    let counts = (RecordedCounts::Same(named.count), received);
    let segments = BufferSegments::Same(named.clone());
    let common = Plan {
        root: role.root,
        bytes: if is_same { Some(named.bytes()) } else { None },
        recorded: recorded(CollectiveKind::Gather, (&members, role), counts, &segments),
        readers: own.is_some().into(),
        outgoing: own.map(Outgoing::one),
        ..Plan::nothing(communicator)
    };
    Ok(if role.is_root {
        let without = if in_place { Some(members.own) } else { None };
        let incoming = Incoming::from_partners(&members, 0, without);
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

pub fn gather(process: &Process, send: Data, receive: Data, root: Int, comm: Int) -> Planned {
    gathered(process, root, comm, send, RootData::Same(receive))
}

pub fn gatherv(process: &Process, send: Data, receive: Blocks, root: Int, comm: Int) -> Planned {
    gathered(process, root, comm, send, RootData::Blocks(receive))
}

fn scattered(process: &Process, root: Int, comm: Int, send: RootData, receive: Data) -> Planned {
    let communicator = process.communicator_index(comm.0)?;
    let members = process.members(communicator);
    let role = members.role(root)?;
    let Some(root) = role.root else {
        return Ok(Plan::not_involved(communicator));
    };
    let is_same = send.is_same();
    let from = if role.is_root {
        Some(send.segments(process, &members)?)
    } else {
        None
    };
    let in_place = role.is_root && role.is_leaf && is_in_place(&members, receive.buffer)?;
    let own = match role.is_leaf && !in_place {
        true => Some(BufferSegment::new(process, receive)?),
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
    let piece = PieceSelector::Number(members.rank.into());
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
    let own_count = own.map(|own| RecordedCounts::Same(own.count));
    let kind = CollectiveKind::Scatter;
    match from {
        Some(from @ BufferSegments::Same(segment)) => recorded(
            kind,
            caller_of,
            (RecordedCounts::Same(segment.count), None),
            from,
        ),
        Some(from) => {
            let received = own_count.filter(|_| !is_same);
            recorded(
                kind,
                caller_of,
                (
                    RecordedCounts::Each(from.counts(caller_of.0.partners)),
                    received,
                ),
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

pub fn scatter(process: &Process, send: Data, receive: Data, root: Int, comm: Int) -> Planned {
    scattered(process, root, comm, RootData::Same(send), receive)
}

pub fn scatterv(process: &Process, send: Blocks, receive: Data, root: Int, comm: Int) -> Planned {
    scattered(process, root, comm, RootData::Blocks(send), receive)
}
