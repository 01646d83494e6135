//! Plans of collectives with a root that move data and combine none. On an intercommunicator the root
//! stands in one group and exchanges data with the other; the rest of its own group has no part.

use super::areas::{Area, Areas};
use super::members::{Members, Role};
use super::movement::is_in_place;
use super::plan::{Gives, Need, Piece, Plan, Planned, Take, Takes};
use super::recording::{Elements, Form, Recorded};
use crate::arguments::{Buffer, Count, Counts, Displacements, Int};
use crate::failure::Failure;
use crate::process::Process;
use base_data::program_data::CollectiveKind;

fn recorded(
    kind: CollectiveKind,
    (members, role): (&Members, Role),
    (sent, received): (Elements, Option<Elements>),
    areas: &Areas,
) -> Option<Form> {
    let moved = Recorded::moved(kind, sent, areas)?;
    Some(Recorded { received, ..moved }.form(members, Some(role)))
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
    let Some(root) = role.root else { return Ok(Plan::no_part(communicator)) };
    let area = Area::new(process, buffer, count, datatype)?;
    let areas = Areas::Same(area.clone());
    let counts = (Elements::Same(area.count), None);
    let common = Plan {
        root: role.root,
        bytes: Some(area.bytes()),
        recorded: recorded(CollectiveKind::Broadcast, (&members, role), counts, &areas),
        ..Plan::nothing(communicator)
    };
    Ok(if role.is_root {
        let readers = members.partners - u32::from(role.is_leaf);
        Plan { gives: Some(Gives::one(area)).filter(|_| readers > 0), readers: readers.into(), ..common }
    } else {
        Plan { needs: Need::Member(root), takes: Takes::from(root), into: Some(areas), ..common }
    })
}

/// Which areas the root has: the same for each partner, whose length all know, or a list of its own.
type RootAreas<'a> = &'a dyn Fn(&Members) -> Result<Areas, Failure>;

/// The area of the root that stands for one partner: its own, where it is one.
fn area_of_root(members: &Members, areas: &Areas) -> Area {
    areas.get(if members.is_inter { 0 } else { members.rank.into() })
}

fn gathered(
    process: &Process,
    (root, comm): (Int, Int),
    (sendbuf, sendcount, sendtype): (Buffer, Count, Int),
    into: RootAreas<'_>,
    is_same: bool,
) -> Planned {
    let communicator = process.communicator_index(comm.0)?;
    let members = process.members(communicator);
    let role = members.role(root)?;
    let into = if role.is_root { Some(into(&members)?) } else { None };
    let in_place = role.is_root && role.is_leaf && is_in_place(&members, sendbuf)?;
    let own = match role.is_leaf && !in_place {
        true => Some(Area::new(process, sendbuf, sendcount, sendtype)?),
        false => None,
    };
    let Some(named) = own.clone().or_else(|| into.as_ref().map(|into| area_of_root(&members, into))) else {
        return Ok(Plan::no_part(communicator));
    };
    let received =
        into.as_ref().filter(|_| !is_same).map(|into| Elements::Each(into.counts(members.partners)));
    let counts = (Elements::Same(named.count), received);
    let areas = Areas::Same(named.clone());
    let common = Plan {
        root: role.root,
        bytes: is_same.then(|| named.bytes()),
        recorded: recorded(CollectiveKind::Gather, (&members, role), counts, &areas),
        readers: own.is_some().into(),
        gives: own.map(Gives::one),
        ..Plan::nothing(communicator)
    };
    Ok(if role.is_root {
        let takes = Takes::from_partners(&members, 0, in_place.then_some(members.own));
        Plan { needs: Need::Group(members.partner_group), takes, into, ..common }
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
    let into = |_: &Members| Ok(Areas::Same(Area::new(process, recvbuf, recvcount, recvtype)?));
    gathered(process, (root, comm), (sendbuf, sendcount, sendtype), &into, true)
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
    let into =
        |members: &Members| Areas::listed(process, recvbuf, members.partners, (recvcounts, displs, recvtype));
    gathered(process, (root, comm), (sendbuf, sendcount, sendtype), &into, false)
}

fn scattered(
    process: &Process,
    (root, comm): (Int, Int),
    (recvbuf, recvcount, recvtype): (Buffer, Count, Int),
    from: RootAreas<'_>,
    is_same: bool,
) -> Planned {
    let communicator = process.communicator_index(comm.0)?;
    let members = process.members(communicator);
    let role = members.role(root)?;
    let Some(root) = role.root else { return Ok(Plan::no_part(communicator)) };
    let from = if role.is_root { Some(from(&members)?) } else { None };
    let in_place = role.is_root && role.is_leaf && is_in_place(&members, recvbuf)?;
    let own = match role.is_leaf && !in_place {
        true => Some(Area::new(process, recvbuf, recvcount, recvtype)?),
        false => None,
    };
    let named = own.clone().or_else(|| from.as_ref().map(|from| area_of_root(&members, from)));
    let plan = Plan {
        root: role.root,
        bytes: named.as_ref().filter(|_| is_same).map(Area::bytes),
        recorded: scatter_recorded((&members, role), from.as_ref(), own.as_ref(), is_same),
        readers: if role.is_root { u64::from(members.partners) - u64::from(in_place) } else { 0 },
        gives: from.map(|from| Gives::each(from, members.partners)),
        needs: if role.is_root { Need::Nothing } else { Need::Member(root) },
        ..Plan::nothing(communicator)
    };
    let piece = Piece::Number(members.rank.into());
    Ok(match own {
        Some(own) => {
            let takes = Takes::One(Take { member: root, piece, area: 0 });
            Plan { takes, into: Some(Areas::Same(own)), ..plan }
        }
        None => plan,
    })
}

fn scatter_recorded(
    who: (&Members, Role),
    from: Option<&Areas>,
    own: Option<&Area>,
    is_same: bool,
) -> Option<Form> {
    let own_count = own.map(|own| Elements::Same(own.count));
    let kind = CollectiveKind::Scatter;
    match from {
        Some(from @ Areas::Same(area)) => recorded(kind, who, (Elements::Same(area.count), None), from),
        Some(from) => {
            let received = own_count.filter(|_| !is_same);
            recorded(kind, who, (Elements::Each(from.counts(who.0.partners)), received), from)
        }
        None => recorded(kind, who, (own_count?, None), &Areas::Same(own?.clone())),
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
    let from = |_: &Members| Ok(Areas::Same(Area::new(process, sendbuf, sendcount, sendtype)?));
    scattered(process, (root, comm), (recvbuf, recvcount, recvtype), &from, true)
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
    let from =
        |members: &Members| Areas::listed(process, sendbuf, members.partners, (sendcounts, displs, sendtype));
    scattered(process, (root, comm), (recvbuf, recvcount, recvtype), &from, false)
}
