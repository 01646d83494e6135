//! Groups: bodies of the functions; `token_runtime::kernel::group` computes the results.

use crate::arguments::{Int, Ints, Out};
use crate::failure::{Failure, Outcome, wrong};
use crate::process::Process;
use std::rc::Rc;
use token_runtime::kernel::group;
use token_runtime::mpich::{GROUP_EMPTY, GROUP_NULL, PROC_NULL, UNDEFINED, class};

impl Process {
    /// World ranks of a group.
    pub fn group(&self, handle: i32) -> Result<Rc<[u32]>, Failure> {
        if handle == GROUP_EMPTY {
            return Ok(Rc::from([]));
        }
        match self.tables.groups.get(handle) {
            Some(group) => Ok(group.clone()),
            None => wrong(
                class::GROUP,
                format!("{handle:#x} is no group of this rank"),
            ),
        }
    }

    /// Adds a group; gives its handle.
    pub fn add_group(&mut self, members: &[u32]) -> i32 {
        if members.is_empty() {
            GROUP_EMPTY
        } else {
            self.tables.groups.add(members.into())
        }
    }
}

fn length(n: Int) -> Result<usize, Failure> {
    match usize::try_from(n.0) {
        Ok(length) => Ok(length),
        Err(_) => wrong(
            class::ARG,
            format!("the length of the list is {}; it must not be negative", n.0),
        ),
    }
}

fn checked<T>(members: Result<T, String>, class: i32) -> Result<T, Failure> {
    members.or_else(|sentence| wrong(class, sentence))
}

pub fn size(process: &mut Process, group: Int, size: Out) -> Outcome {
    size.set(process.group(group.0)?.len() as i32);
    Ok(())
}

pub fn rank(process: &mut Process, group: Int, rank: Out) -> Outcome {
    let place = process
        .group(group.0)?
        .iter()
        .position(|&member| member == process.rank);
    rank.set(place.map_or(UNDEFINED, |place| place as i32));
    Ok(())
}

pub fn translate(
    process: &mut Process,
    group1: Int,
    n: Int,
    ranks1: Ints,
    group2: Int,
    ranks2: Out,
) -> Outcome {
    let (first, second) = (process.group(group1.0)?, process.group(group2.0)?);
    let world = |rank: i32| match usize::try_from(rank).ok().and_then(|rank| first.get(rank)) {
        Some(&member) => Ok(Some(member)),
        None if rank == PROC_NULL => Ok(None),
        None => wrong(
            class::RANK,
            format!("rank {rank} is none of the group's {}", first.len()),
        ),
    };
    let members = ranks1
        .all(length(n)?)
        .map(world)
        .collect::<Result<Vec<_>, Failure>>()?;
    let known: Vec<u32> = members.iter().copied().flatten().collect();
    let mut places = group::translated(&known, &second).into_iter();
    for (at, member) in members.iter().enumerate() {
        let place = member.and_then(|_| places.next());
        ranks2.set_at(
            at,
            place.map_or(PROC_NULL, |place| {
                place.map_or(UNDEFINED, |place| place as i32)
            }),
        );
    }
    Ok(())
}

pub fn compare(process: &mut Process, group1: Int, group2: Int, result: Out) -> Outcome {
    result.set(group::compare(&process.group(group1.0)?, &process.group(group2.0)?) as i32);
    Ok(())
}

fn combine(
    process: &mut Process,
    (group1, group2): (Int, Int),
    newgroup: Out,
    how: impl FnOnce(&[u32], &[u32]) -> Vec<u32>,
) -> Outcome {
    let members = how(&process.group(group1.0)?, &process.group(group2.0)?);
    newgroup.set(process.add_group(&members));
    Ok(())
}

pub fn union(process: &mut Process, group1: Int, group2: Int, newgroup: Out) -> Outcome {
    combine(process, (group1, group2), newgroup, group::union)
}

pub fn intersection(process: &mut Process, group1: Int, group2: Int, newgroup: Out) -> Outcome {
    combine(process, (group1, group2), newgroup, group::intersection)
}

pub fn difference(process: &mut Process, group1: Int, group2: Int, newgroup: Out) -> Outcome {
    combine(process, (group1, group2), newgroup, group::difference)
}

pub fn include(process: &mut Process, group: Int, n: Int, ranks: Ints, newgroup: Out) -> Outcome {
    let ranks: Vec<i32> = ranks.all(length(n)?).collect();
    let members = checked(
        group::included(&process.group(group.0)?, &ranks),
        class::RANK,
    )?;
    newgroup.set(process.add_group(&members));
    Ok(())
}

pub fn exclude(process: &mut Process, group: Int, n: Int, ranks: Ints, newgroup: Out) -> Outcome {
    let ranks: Vec<i32> = ranks.all(length(n)?).collect();
    let members = checked(
        group::excluded(&process.group(group.0)?, &ranks),
        class::RANK,
    )?;
    newgroup.set(process.add_group(&members));
    Ok(())
}

fn ranges(n: Int, ranges: Ints) -> Result<Vec<i32>, Failure> {
    let numbers: Vec<i32> = ranges.all(length(n)? * 3).collect();
    let triples: Vec<[i32; 3]> = numbers
        .chunks_exact(3)
        .map(|range| [range[0], range[1], range[2]])
        .collect();
    checked(group::ranges(&triples), class::ARG)
}

pub fn include_ranges(
    process: &mut Process,
    group: Int,
    n: Int,
    triples: Ints,
    newgroup: Out,
) -> Outcome {
    let members = checked(
        group::included(&process.group(group.0)?, &ranges(n, triples)?),
        class::RANK,
    )?;
    newgroup.set(process.add_group(&members));
    Ok(())
}

pub fn exclude_ranges(
    process: &mut Process,
    group: Int,
    n: Int,
    triples: Ints,
    newgroup: Out,
) -> Outcome {
    let members = checked(
        group::excluded(&process.group(group.0)?, &ranges(n, triples)?),
        class::RANK,
    )?;
    newgroup.set(process.add_group(&members));
    Ok(())
}

pub fn free(process: &mut Process, group: Out) -> Outcome {
    if group.get() != GROUP_EMPTY && process.tables.groups.remove(group.get()).is_none() {
        return wrong(
            class::GROUP,
            format!("{:#x} is no group of this rank", group.get()),
        );
    }
    group.set(GROUP_NULL);
    Ok(())
}
