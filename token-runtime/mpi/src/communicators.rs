//! Communicators: rank, size, and their constructors, which are always carried out, whatever the
//! level of the call.

use crate::arguments::{Int, Out};
use crate::failure::{Outcome, wrong};
use crate::process::Process;
use base_data::ids::{CommId, Rank};
use base_data::program_data::{Call, Communicator as Recorded, Operand};
use base_data::rank_set::RankSet;
use token_runtime::kernel::communicator::Communicator;
use token_runtime::mpich::{COMM_NULL, ERRORS_RETURN, UNDEFINED, class};

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

pub fn duplicate(process: &mut Process, comm: Int, newcomm: Out) -> Outcome {
    let parent = process.communicator_index(comm.0)?;
    process.exchange(parent, &[])?;
    let made = |parent: &Communicator, sequence| Some(parent.duplicate(sequence));
    newcomm.set(make(process, parent, made));
    Ok(())
}

pub fn split(process: &mut Process, comm: Int, color: Int, key: Int, newcomm: Out) -> Outcome {
    let parent = process.communicator_index(comm.0)?;
    if color.0 < 0 && color.0 != UNDEFINED {
        return wrong(
            class::ARG,
            format!("the colour is {}; it must be MPI_UNDEFINED or not negative", color.0),
        );
    }
    let choices = process.exchange(parent, &[i64::from(color.0), i64::from(key.0)])?;
    let choices: Vec<(i64, i64)> = choices.iter().map(|choice| (choice[0], choice[1])).collect();
    newcomm.set(make(process, parent, |parent, sequence| parent.split(sequence, &choices)));
    Ok(())
}

/// Carries out a constructor on `parent` and records it; gives the new handle.
fn make(
    process: &mut Process,
    parent: usize,
    construct: impl FnOnce(&Communicator, u32) -> Option<Communicator>,
) -> i32 {
    let sequence = process.communicator(parent).made;
    process.communicator_mut(parent).made += 1;
    let made = construct(process.communicator(parent), sequence);
    let group = made.as_ref().map(|made| RankSet::from_ranks(made.group.iter().map(|&rank| Rank(rank))));
    process.record(|stream| {
        let parent_id = Some(CommId::from_index(parent));
        let made = group.map_or(-1, |group| {
            i64::from(stream.recorder.add_communicator(Recorded { parent: parent_id, sequence, group }))
        });
        Call::MakeCommunicator { parent: Operand::Constant(parent as i64), made: Operand::Constant(made) }
    });
    let errors_return = process.errors_return[parent];
    made.map_or(COMM_NULL, |made| process.add_communicator(made, errors_return))
}

pub fn free(process: &mut Process, comm: Out) -> Outcome {
    let index = process.communicator_index(comm.get())?;
    if index < 2 {
        return wrong(class::COMM, "MPI_COMM_WORLD and MPI_COMM_SELF cannot be freed");
    }
    process.communicators[index] = None;
    comm.set(COMM_NULL);
    Ok(())
}

pub fn set_errhandler(process: &mut Process, comm: Int, errhandler: Int) -> Outcome {
    let index = process.communicator_index(comm.0)?;
    process.errors_return[index] = errhandler.0 == ERRORS_RETURN;
    Ok(())
}
