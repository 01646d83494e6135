//! GOAL schedules of LogGOPSim and ATLAHS, in text form. A rank's operations depend on each other; its
//! stream has one order ([`super::dependencies`]). Collectives are messages there and stay messages.

use super::dependencies::{self, Ordered};
use super::goal_statements::{self, Action, Operation, RankSchedule};
use super::trace_builder::{TraceBuilder, transfer};
use super::{ImportError, Imported, has_ending, is_text};
use crate::formats::{LoadTrace, RECOGNISED_BYTES, TraceFile};
use crate::trace_sites::TraceLine;
use base_data::RequestId;
use base_data::mpi::BasicDatatype;
use base_data::program_data::{Call, Completion, Op, Operand, Peer, SendMode, Tag};
use std::io::BufRead;

/// Whether the first words of a text are those of a schedule, if misspelt, or its name says that it is one.
pub(crate) fn recognises(file: &TraceFile<'_>, _: LoadTrace<'_>) -> bool {
    let start =
        String::from_utf8_lossy(&file.bytes[..file.bytes.len().min(RECOGNISED_BYTES)]).into_owned();
    let starts = goal_statements::without_comments(&start)
        .trim_start()
        .starts_with("num_rank");
    starts || is_text(file.bytes) && has_ending(file, "goal")
}

/// Makes base data of a schedule.
pub(crate) fn import(file: &TraceFile<'_>, load: LoadTrace<'_>) -> Result<Imported, ImportError> {
    let mut builder = TraceBuilder::new(file.name);
    read_into(&mut builder, file.name, &mut { file.bytes }, load)?;
    builder.finish("converted from a GOAL schedule")
}

/// Reads a schedule, one rank after the other.
pub(crate) fn read_into(
    builder: &mut TraceBuilder<'_>,
    name: &str,
    content: &mut dyn BufRead,
    _: LoadTrace<'_>,
) -> Result<(), ImportError> {
    let (mut unordered, mut interfaces, mut number) = (0, false, 0);
    goal_statements::read(name, content, &mut |ranks, rank| {
        if number == 0 {
            builder.begin(ranks);
        }
        let free = dependencies::order(rank, &mut |step| add(builder, number, rank, step))?
            .map_err(|stuck| ImportError::Line {
                file: name.into(),
                line: rank.operations[stuck as usize].line as usize,
                found: "an operation that requires itself in the end".into(),
                expected: "dependencies without a cycle".into(),
                remedy: super::MAKE_AGAIN,
            })?;
        unordered += free;
        interfaces |= rank.several_interfaces;
        number += 1;
        builder.end_rank()
    })?;
    if unordered > 0 {
        builder.remarks.push(format!(
            "{unordered} operations may run in another order in GOAL; here each rank has one order: what waits \
             for no message first, then that of the file"
        ));
    }
    if interfaces {
        builder
            .remarks
            .push("several network interfaces of a rank are taken as one".into());
    }
    Ok(())
}

/// Adds a step of a rank's order to its stream.
fn add(
    builder: &mut TraceBuilder<'_>,
    rank: u32,
    schedule: &RankSchedule,
    step: &Ordered,
) -> Result<(), ImportError> {
    let place = |number: u32| TraceLine {
        file: 0,
        line: schedule.operations[number as usize].line,
        rank: Some(rank),
    };
    let (number, request) = match step {
        Ordered::Do(number) => (*number, None),
        Ordered::Start(number, request) => (*number, Some(RequestId(*request))),
        Ordered::Wait(number, requests) => {
            let requests = requests.iter().map(|&request| RequestId(request)).collect();
            let wait = builder.call(place(*number), "MPI_Waitall", wait(requests));
            return builder.add(wait);
        }
    };
    let operation = &schedule.operations[number as usize];
    match done(builder, place(number), operation, request) {
        Some(op) => builder.add(op),
        None => Ok(()),
    }
}

fn wait(requests: Vec<RequestId>) -> Call {
    Call::Wait {
        completion: Completion::All,
        requests,
        completed: Vec::new(),
        observed: Vec::new(),
    }
}

/// The entry of an operation; none for computation that takes no time.
fn done(
    builder: &mut TraceBuilder<'_>,
    place: TraceLine,
    operation: &Operation,
    request: Option<RequestId>,
) -> Option<Op> {
    let bytes_of = |builder: &mut TraceBuilder<'_>| builder.datatype(BasicDatatype::Byte);
    let constant = |value: i64| Operand::Constant(value);
    match operation.action {
        // `calc 0` only joins dependencies, which the order of the stream has already.
        Action::Compute(0) => None,
        // GOAL counts nanoseconds.
        Action::Compute(nanoseconds) => Some(builder.work(nanoseconds.saturating_mul(1000))),
        Action::Send { bytes, to, tag } => {
            let datatype = bytes_of(builder);
            let (peer, tag) = (Peer::Rank(constant(to.into())), Tag::Value(constant(tag)));
            let transfer = transfer(peer, tag, bytes, datatype);
            let function = if request.is_some() {
                "MPI_Isend"
            } else {
                "MPI_Send"
            };
            Some(builder.call(
                place,
                function,
                Call::Send {
                    mode: SendMode::Standard,
                    transfer,
                    request,
                },
            ))
        }
        Action::Receive { bytes, from, tag } => {
            let datatype = bytes_of(builder);
            let peer = from.map_or(Peer::Any, |from| Peer::Rank(constant(from.into())));
            let tag = tag.map_or(Tag::Any, |tag| Tag::Value(constant(tag)));
            let transfer = transfer(peer, tag, bytes, datatype);
            let function = if request.is_some() {
                "MPI_Irecv"
            } else {
                "MPI_Recv"
            };
            Some(builder.call(
                place,
                function,
                Call::Receive {
                    transfer,
                    request,
                    observed: None,
                },
            ))
        }
    }
}
