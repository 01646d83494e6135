//! Constructors of communicators out of one communicator. They are always carried out, whatever the level of
//! the call, and recorded as the making of a communicator.

use crate::arguments::{Int, Out};
use crate::attributes::{Attributes, Object};
use crate::completion::request_handle;
use crate::failure::{Failure, Outcome, wrong};
use crate::handle_tables::CommunicatorProperties;
use crate::process::Process;
use crate::requests::Request;
use token_runtime::kernel::communicator::{Communicator, Remote};
use token_runtime::kernel::group;
use token_runtime::mpich::status::Envelope;
use token_runtime::mpich::{
    COMM_NULL, COMM_TYPE_HW_GUIDED, COMM_TYPE_HW_UNGUIDED, COMM_TYPE_SHARED, UNDEFINED, class,
};

/// Words of the key and value that ask for the ranks of one node (`MPI_COMM_TYPE_HW_GUIDED`).
const RESOURCE: &[u8] = b"mpi_hw_resource_type";
const SHARED_MEMORY: &[u8] = b"mpi_shared_memory";

impl Process {
    /// Carries out a constructor on `parent` and records it; gives the new handle.
    pub fn make_communicator(
        &mut self,
        parent: usize,
        construct: impl FnOnce(&Communicator, u32) -> Option<Communicator>,
    ) -> i32 {
        let properties = self.properties[parent].inherited();
        self.make_communicator_with(parent, properties, construct)
    }

    fn make_communicator_with(
        &mut self,
        parent: usize,
        properties: CommunicatorProperties,
        construct: impl FnOnce(&Communicator, u32) -> Option<Communicator>,
    ) -> i32 {
        let made = self.construct(parent, properties, construct);
        self.record_construction(parent, made);
        made.map_or(COMM_NULL, |made| self.communicator_handle(made))
    }

    /// Carries out a constructor on `parent`; gives the new index.
    fn construct(
        &mut self,
        parent: usize,
        properties: CommunicatorProperties,
        construct: impl FnOnce(&Communicator, u32) -> Option<Communicator>,
    ) -> Option<usize> {
        let sequence = self.communicator(parent).made;
        self.communicator_mut(parent).made += 1;
        let made = construct(self.communicator(parent), sequence)?;
        self.stream
            .iter_mut()
            .for_each(|stream| stream.add_made(&made, parent, sequence));
        self.add_communicator(made, properties);
        Some(self.communicators.len() - 1)
    }

    /// A communicator of one group only, for constructors that need one.
    pub fn intracommunicator(&self, handle: Int) -> Result<usize, Failure> {
        let index = self.communicator_index(handle.0)?;
        match self.communicator(index).remote {
            None => Ok(index),
            Some(_) => wrong(class::COMM, "the communicator is an intercommunicator"),
        }
    }

    /// What the copy of a communicator has.
    fn copied_properties(&mut self, parent: usize) -> Result<CommunicatorProperties, Failure> {
        let attributes: Attributes = self.copied_attributes(Object::Communicator(parent))?;
        let own = &self.properties[parent];
        Ok(CommunicatorProperties {
            attributes,
            info: own.info.clone(),
            ..own.inherited()
        })
    }

    fn copy(&mut self, parent: usize, properties: CommunicatorProperties) -> i32 {
        self.make_communicator_with(parent, properties, |parent, sequence| {
            Some(parent.duplicate(sequence))
        })
    }

    /// The copy needs no other rank, so the request is complete.
    fn start_copy(
        &mut self,
        parent: usize,
        properties: CommunicatorProperties,
        newcomm: Out,
        request: Out,
    ) {
        let made = self.construct(parent, properties, |parent, sequence| {
            Some(parent.duplicate(sequence))
        });
        newcomm.set(made.map_or(COMM_NULL, |made| self.communicator_handle(made)));
        let number = self.requests.add(Request::Done(Envelope::EMPTY));
        self.record_started_construction(parent, number);
        request.set(request_handle(number));
    }
}

pub fn duplicate(process: &mut Process, comm: Int, newcomm: Out) -> Outcome {
    let parent = process.communicator_index(comm.0)?;
    newcomm.set(COMM_NULL);
    let properties = process.copied_properties(parent)?;
    process.exchange(parent, &[])?;
    newcomm.set(process.copy(parent, properties));
    Ok(())
}

pub fn duplicate_with_info(process: &mut Process, comm: Int, info: Int, newcomm: Out) -> Outcome {
    let parent = process.communicator_index(comm.0)?;
    let info = process.info(info.0)?;
    let properties = CommunicatorProperties {
        info,
        ..process.copied_properties(parent)?
    };
    process.exchange(parent, &[])?;
    newcomm.set(process.copy(parent, properties));
    Ok(())
}

pub fn start_duplicate(process: &mut Process, comm: Int, newcomm: Out, request: Out) -> Outcome {
    let parent = process.communicator_index(comm.0)?;
    let properties = process.copied_properties(parent)?;
    process.start_copy(parent, properties, newcomm, request);
    Ok(())
}

pub fn start_duplicate_with_info(
    process: &mut Process,
    comm: Int,
    info: Int,
    newcomm: Out,
    request: Out,
) -> Outcome {
    let parent = process.communicator_index(comm.0)?;
    let info = process.info(info.0)?;
    let properties = CommunicatorProperties {
        info,
        ..process.copied_properties(parent)?
    };
    process.start_copy(parent, properties, newcomm, request);
    Ok(())
}

/// `MPI_Comm_split`.
pub fn split(process: &mut Process, comm: Int, color: Int, key: Int, newcomm: Out) -> Outcome {
    let parent = process.communicator_index(comm.0)?;
    if color.0 < 0 && color.0 != UNDEFINED {
        return wrong(
            class::ARG,
            format!(
                "the colour is {}; it must be MPI_UNDEFINED or not negative",
                color.0
            ),
        );
    }
    split_by(process, parent, (color.0, key.0), newcomm)
}

fn split_by(
    process: &mut Process,
    parent: usize,
    (colour, key): (i32, i32),
    newcomm: Out,
) -> Outcome {
    let choices = process.exchange(parent, &[colour.into(), key.into()])?;
    let choices: Vec<(i64, i64)> = choices
        .into_iter()
        .map(|choice| (choice[0], choice[1]))
        .collect();
    newcomm.set(
        process.make_communicator(parent, |parent, sequence| parent.split(sequence, &choices)),
    );
    Ok(())
}

/// `MPI_Comm_split_type`: all ranks are on one node, but in an emulation; no smaller domains are distinguished.
pub fn split_type(
    process: &mut Process,
    comm: Int,
    split_type: Int,
    key: Int,
    info: Int,
    newcomm: Out,
) -> Outcome {
    let parent = process.communicator_index(comm.0)?;
    let info = process.info(info.0)?;
    let colour = match split_type.0 {
        COMM_TYPE_SHARED => process.node as i32,
        COMM_TYPE_HW_GUIDED if info.get(RESOURCE) == Some(SHARED_MEMORY) => process.node as i32,
        COMM_TYPE_HW_GUIDED | COMM_TYPE_HW_UNGUIDED | UNDEFINED => UNDEFINED,
        unknown => {
            return wrong(
                class::ARG,
                format!("{unknown} is no type by which communicators can be split"),
            );
        }
    };
    split_by(process, parent, (colour, key.0), newcomm)
}

pub fn create(process: &mut Process, comm: Int, group: Int, newcomm: Out) -> Outcome {
    let parent = process.communicator_index(comm.0)?;
    let members = process.group(group.0)?;
    let ranks = process.ranks_of(parent, &members)?;
    if process.communicator(parent).remote.is_some() {
        return create_of_both(process, parent, &members, newcomm);
    }
    process.exchange(parent, &[])?;
    newcomm
        .set(process.make_communicator(parent, |parent, sequence| parent.subset(sequence, &ranks)));
    Ok(())
}

/// Both groups of an intercommunicator choose members.
fn create_of_both(process: &mut Process, parent: usize, members: &[u32], newcomm: Out) -> Outcome {
    let words: Vec<i64> = members.iter().map(|&member| i64::from(member)).collect();
    let chosen = process.exchange(parent, &words)?;
    let partner = process.communicator(parent).partner_place(0) as usize;
    let remote: Vec<u32> = chosen[partner]
        .iter()
        .map(|&member| member as u32)
        .collect();
    newcomm.set(process.make_communicator(parent, |parent, sequence| {
        let is_second = parent
            .remote
            .as_ref()
            .is_some_and(|remote| remote.is_second);
        let ranks: Vec<u32> = group::translated(members, &parent.group)
            .into_iter()
            .flatten()
            .collect();
        let made = parent
            .subset(sequence, &ranks)
            .filter(|_| !remote.is_empty())?;
        Some(Communicator {
            remote: Some(Remote {
                group: remote,
                is_second,
            }),
            ..made
        })
    }));
    Ok(())
}

impl Process {
    /// The ranks that the members of a group have in a communicator's local group.
    fn ranks_of(&self, communicator: usize, members: &[u32]) -> Result<Vec<u32>, Failure> {
        let ranks = group::translated(members, &self.communicator(communicator).group);
        match ranks.into_iter().collect::<Option<Vec<u32>>>() {
            Some(ranks) => Ok(ranks),
            None => wrong(
                class::GROUP,
                "the group has members that are not in the communicator",
            ),
        }
    }

    /// Makes a communicator of a group by its members alone: no other rank takes part.
    pub fn make_of_group(
        &mut self,
        parent: usize,
        members: &[u32],
        tag: i32,
    ) -> Result<i32, Failure> {
        if !members.contains(&self.rank) {
            return Ok(COMM_NULL);
        }
        let key = Communicator::group_key(tag, members);
        let number = self
            .communicator_mut(parent)
            .made_of_groups
            .entry(key)
            .or_default();
        *number += 1;
        let number = *number;
        let made = self
            .communicator(parent)
            .part_of_group(number, tag, members);
        let properties = self.properties[parent].inherited();
        let Some(made) = made else {
            return wrong(
                class::GROUP,
                "the group has members that are not in the communicator",
            );
        };
        let handle = self.add_communicator(made, properties);
        let index = self.communicator_index(handle)?;
        self.exchange(index, &[])?;
        // The constructor is collective over the new group only; other ranks of the parent do not call it.
        self.record_construction(index, Some(index));
        Ok(handle)
    }
}

pub fn create_group(
    process: &mut Process,
    comm: Int,
    group: Int,
    tag: Int,
    newcomm: Out,
) -> Outcome {
    let parent = process.intracommunicator(comm)?;
    let members = process.group(group.0)?;
    if tag.0 < 0 {
        return wrong(
            class::TAG,
            format!("the tag is {}; it must not be negative", tag.0),
        );
    }
    newcomm.set(process.make_of_group(parent, &members, tag.0)?);
    Ok(())
}
