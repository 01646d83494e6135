//! Communicators: what programs ask of them and set, and freeing them. Making them is in `constructors`, in
//! `intercommunicators` and in `topologies`.

pub mod constructors;
pub mod intercommunicators;
mod labels;
mod recording;

use crate::arguments::{Int, Out, TextIn, TextOut};
use crate::attributes::Object;
use crate::failure::{Failure, Outcome, wrong};
use crate::info::Info;
use crate::process::Process;
use token_runtime::kernel::collective::contexts;
use token_runtime::kernel::communicator::Communicator;
use token_runtime::kernel::group::{self, GroupComparison};
use token_runtime::mpich::{COMM_NULL, class};

/// Longest name, without the zero byte: `MPI_MAX_OBJECT_NAME` of the ABI.
const LONGEST_NAME: usize = 127;
/// `MPI_CONGRUENT`.
const CONGRUENT: i32 = 1;

pub fn rank(process: &mut Process, comm: Int, rank: Out) -> Outcome {
    let index = process.communicator_index(comm.0)?;
    rank.set(process.communicator(index).rank as i32);
    Ok(())
}

pub fn size(process: &mut Process, comm: Int, size: Out) -> Outcome {
    let index = process.communicator_index(comm.0)?;
    size.set(process.communicator(index).size() as i32);
    Ok(())
}

pub fn group(process: &mut Process, comm: Int, group: Out) -> Outcome {
    let index = process.communicator_index(comm.0)?;
    let members = process.communicator(index).group.clone();
    group.set(process.add_group(&members));
    Ok(())
}

impl Process {
    /// The remote group of an intercommunicator.
    fn remote(&self, handle: Int) -> Result<Vec<u32>, Failure> {
        let index = self.communicator_index(handle.0)?;
        match &self.communicator(index).remote {
            Some(remote) => Ok(remote.group.clone()),
            None => wrong(class::COMM, "the communicator is no intercommunicator"),
        }
    }
}

pub fn remote_size(process: &mut Process, comm: Int, size: Out) -> Outcome {
    size.set(process.remote(comm)?.len() as i32);
    Ok(())
}

pub fn remote_group(process: &mut Process, comm: Int, group: Out) -> Outcome {
    let members = process.remote(comm)?;
    group.set(process.add_group(&members));
    Ok(())
}

pub fn test_inter(process: &mut Process, comm: Int, flag: Out) -> Outcome {
    let index = process.communicator_index(comm.0)?;
    flag.set(process.communicator(index).remote.is_some().into());
    Ok(())
}

pub fn compare(process: &mut Process, comm1: Int, comm2: Int, result: Out) -> Outcome {
    let (first, second) = (
        process.communicator_index(comm1.0)?,
        process.communicator_index(comm2.0)?,
    );
    result.set(if first == second {
        GroupComparison::Identical as i32
    } else {
        comparison(process.communicator(first), process.communicator(second))
    });
    Ok(())
}

/// How alike two different communicators are.
fn comparison(first: &Communicator, second: &Communicator) -> i32 {
    if first.remote.is_some() != second.remote.is_some() {
        return GroupComparison::Unequal as i32;
    }
    let pairs = [
        (&first.group[..], &second.group[..]),
        (first.partners(), second.partners()),
    ];
    let groups = pairs.map(|(first, second)| group::compare(first, second));
    if groups.contains(&GroupComparison::Unequal) {
        GroupComparison::Unequal as i32
    } else if groups.contains(&GroupComparison::Similar) {
        GroupComparison::Similar as i32
    } else {
        CONGRUENT
    }
}

pub fn set_name(process: &mut Process, comm: Int, comm_name: TextIn) -> Outcome {
    let index = process.communicator_index(comm.0)?;
    let name = comm_name.bytes();
    process.properties[index].name = name[..name.len().min(LONGEST_NAME)].to_vec();
    process.relabel(index);
    Ok(())
}

pub fn get_name(process: &mut Process, comm: Int, comm_name: TextOut, resultlen: Out) -> Outcome {
    let index = process.communicator_index(comm.0)?;
    comm_name.set_with_length(&process.properties[index].name, resultlen);
    Ok(())
}

pub fn set_info(process: &mut Process, comm: Int, info: Int) -> Outcome {
    let index = process.communicator_index(comm.0)?;
    let given = process.info(info.0)?;
    process.properties[index].info.set_all(&given);
    Ok(())
}

pub fn get_info(process: &mut Process, comm: Int, info_used: Out) -> Outcome {
    let index = process.communicator_index(comm.0)?;
    let mut used = Info::default();
    // The standard's hints; none is made use of.
    for hint in [
        "no_any_tag",
        "no_any_source",
        "exact_length",
        "allow_overtaking",
    ] {
        used.set(format!("mpi_assert_{hint}").as_bytes(), b"false");
    }
    used.set_all(&process.properties[index].info);
    info_used.set(process.tables.basics.infos.add(used));
    Ok(())
}

/// Frees a communicator, also `MPI_Comm_disconnect`, which would wait for messages on their way: sent
/// ones are kept for their receivers.
pub fn free(process: &mut Process, comm: Out) -> Outcome {
    process.invalidate_call_cache();
    let index = process.communicator_index(comm.get())?;
    if index < 2 {
        return wrong(
            class::COMM,
            "MPI_COMM_WORLD and MPI_COMM_SELF cannot be freed",
        );
    }
    process.drop_attributes(Object::Communicator(index))?;
    process.forget_communicator(index);
    comm.set(COMM_NULL);
    Ok(())
}

impl Process {
    /// Lets go of a communicator.
    pub fn forget_communicator(&mut self, index: usize) {
        let members = self.members(index);
        if let Some(Communicator {
            shared: state @ 1..,
            ..
        }) = self.communicators[index].take()
        {
            contexts::free(self.memory(), state, members.sizes[0] + members.sizes[1]);
        }
        self.properties[index] = Default::default();
        self.relabel(index);
        // A recording numbers all communicators that there ever were.
        while self.stream.is_none() && self.communicators.last().is_some_and(Option::is_none) {
            self.communicators.pop();
            self.properties.pop();
        }
    }
}

pub fn parent(_: &mut Process, parent: Out) -> Outcome {
    parent.set(COMM_NULL);
    Ok(())
}
