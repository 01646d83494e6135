//! Sessions: ways into MPI beside `MPI_Init`, each with an error handler of its own. All lead to the same
//! ranks: the process takes part from the first of them until the program ends (`start`). Communicators of
//! groups need no other communicator; their members know them by the group and a text.

use crate::arguments::{Int, Out, TextIn, TextOut};
use crate::communicators::intercommunicators;
use crate::errors::Handler;
use crate::failure::{Failure, Outcome, wrong};
use crate::info::Info;
use crate::process::Process;
use crate::send_buffers::Attached;
use crate::threads;
use base_data::split_mix::mixed;
use std::rc::Rc;
use token_runtime::mpich::{COMM_NULL, SESSION_NULL, class};

/// The sets of processes that there are.
const SETS: [&str; 2] = ["mpi://WORLD", "mpi://SELF"];
/// Levels of threads by their values.
const LEVELS: [&str; 4] = [
    "MPI_THREAD_SINGLE",
    "MPI_THREAD_FUNNELED",
    "MPI_THREAD_SERIALIZED",
    "MPI_THREAD_MULTIPLE",
];
/// The key that asks for one, and says which there is.
const THREAD_LEVEL: &[u8] = b"thread_level";
/// Distinguishes communicators of groups from those that `MPI_Comm_create_group` makes, whose tags are not
/// negative.
const OF_A_GROUP: i32 = i32::MIN;

/// A session.
pub struct Session {
    pub error_handler: Rc<Handler>,
    info: Info,
    /// Its own buffer for buffered sends.
    pub attached: Option<Attached>,
}

pub fn open(process: &mut Process, info: Int, errhandler: Int, session: Out) -> Outcome {
    let mut info = process.info(info.0)?;
    let error_handler = process.handler(errhandler.0)?;
    let asked = info
        .get(THREAD_LEVEL)
        .and_then(|asked| LEVELS.iter().position(|level| level.as_bytes() == asked));
    let provided = threads::provide(asked.unwrap_or(0) as i32);
    info.set(
        THREAD_LEVEL,
        LEVELS[provided as usize % LEVELS.len()].as_bytes(),
    );
    session.set(process.tables.sessions.add(Session {
        error_handler,
        info,
        attached: None,
    }));
    process.tables.open_sessions += 1;
    Ok(())
}

pub fn close(process: &mut Process, session: Out) -> Outcome {
    process.session(Int(session.get()))?;
    process.tables.current_session.set(None);
    process.tables.sessions.remove(session.get());
    process.tables.open_sessions -= 1;
    session.set(SESSION_NULL);
    Ok(())
}

impl Process {
    /// The session of a handle, which errors of the call concern from now on.
    pub fn session(&mut self, handle: Int) -> Result<&mut Session, Failure> {
        match self.tables.sessions.get_mut(handle.0) {
            Some(session) => {
                self.tables.current_session.set(Some(handle.0));
                Ok(session)
            }
            None => wrong(
                class::SESSION,
                format!("{:#x} is no session of this rank", handle.0),
            ),
        }
    }

    fn set_of(&mut self, session: Int, name: &TextIn) -> Result<Vec<u32>, Failure> {
        self.session(session)?;
        match SETS
            .iter()
            .position(|set| set.as_bytes().eq_ignore_ascii_case(name.bytes()))
        {
            Some(0) => Ok((0..self.ranks).collect()),
            Some(_) => Ok(vec![self.rank]),
            None => wrong(
                class::ARG,
                format!(
                    "there is no set of processes with the name {:?}",
                    name.text()
                ),
            ),
        }
    }

    /// The communicator of a group by its members alone; `tag` distinguishes several.
    fn communicator_of_group(
        &mut self,
        members: &[u32],
        tag: &[u8],
        errhandler: Int,
    ) -> Result<i32, Failure> {
        let error_handler = self.handler(errhandler.0)?;
        let number = tag
            .iter()
            .fold(0, |number, &byte| mixed(number ^ u64::from(byte)));
        let handle = self.make_of_group(0, members, number as i32 | OF_A_GROUP)?;
        if handle != COMM_NULL {
            let index = self.communicator_index(Int(handle).0)?;
            self.properties[index].error_handler = error_handler;
        }
        Ok(handle)
    }
}

pub fn info(process: &mut Process, session: Int, info_used: Out) -> Outcome {
    let used = process.session(session)?.info.clone();
    info_used.set(process.tables.basics.infos.add(used));
    Ok(())
}

pub fn count_sets(process: &mut Process, session: Int, _info: Int, count: Out) -> Outcome {
    process.session(session)?;
    count.set(SETS.len() as i32);
    Ok(())
}

pub fn set_by_number(
    process: &mut Process,
    session: Int,
    _info: Int,
    n: Int,
    length: Out,
    name: TextOut,
) -> Outcome {
    process.session(session)?;
    let Some(set) = usize::try_from(n.0).ok().and_then(|n| SETS.get(n)) else {
        return wrong(
            class::ARG,
            format!("there is no set of processes with the number {}", n.0),
        );
    };
    let room = length.get();
    if room > 0 {
        name.set_within(set.as_bytes(), room as usize);
    }
    length.set((set.len() + name.terminator()) as i32);
    Ok(())
}

pub fn info_of_set(process: &mut Process, session: Int, name: TextIn, info: Out) -> Outcome {
    let members = process.set_of(session, &name)?;
    let mut known = Info::default();
    known.set(b"mpi_size", members.len().to_string().as_bytes());
    info.set(process.tables.basics.infos.add(known));
    Ok(())
}

pub fn group_of_set(process: &mut Process, session: Int, name: TextIn, newgroup: Out) -> Outcome {
    let members = process.set_of(session, &name)?;
    newgroup.set(process.add_group(&members));
    Ok(())
}

pub fn communicator_of_group(
    process: &mut Process,
    group: Int,
    stringtag: TextIn,
    info: Int,
    errhandler: Int,
    newcomm: Out,
) -> Outcome {
    process.info(info.0)?;
    let members = process.group(group.0)?;
    newcomm.set(process.communicator_of_group(&members, stringtag.bytes(), errhandler)?);
    Ok(())
}

/// A group, and the rank of its leader in it.
pub struct GroupLeader {
    pub group: Int,
    pub leader: Int,
}

/// The leaders exchange over a communicator of the two of them. Only they need to know the other group.
pub fn intercommunicator_of_groups(
    process: &mut Process,
    local: GroupLeader,
    remote: GroupLeader,
    stringtag: TextIn,
    info: Int,
    errhandler: Int,
    newintercomm: Out,
) -> Outcome {
    process.info(info.0)?;
    let members = process.group(local.group.0)?;
    let tag = stringtag.bytes();
    let local_comm =
        process.communicator_of_group(&members, &[tag, b" group"].concat(), errhandler)?;
    let leader = usize::try_from(local.leader.0)
        .ok()
        .and_then(|leader| members.get(leader).copied());
    let (mut peer, mut partner) = (COMM_NULL, 0);
    if leader == Some(process.rank) {
        let remote_members = process.group(remote.group.0)?;
        let Some(&other) = usize::try_from(remote.leader.0)
            .ok()
            .and_then(|leader| remote_members.get(leader))
        else {
            return wrong(
                class::RANK,
                "the remote leader is no rank of the remote group",
            );
        };
        let leaders = [other.min(process.rank), other.max(process.rank)];
        peer = process.communicator_of_group(&leaders, &[tag, b" leaders"].concat(), errhandler)?;
        partner = i32::from(other > process.rank);
    }
    intercommunicators::create(
        process,
        Int(local_comm),
        local.leader,
        Int(peer),
        Int(partner),
        Int(0),
        newintercomm,
    )?;
    // Ranks other than the leader have no communicator of the leaders.
    for comm in [local_comm, peer] {
        if comm != COMM_NULL {
            let index = process.communicator_index(comm)?;
            process.forget_communicator(index);
        }
    }
    Ok(())
}
