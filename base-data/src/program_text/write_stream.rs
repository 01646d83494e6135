//! Program data to text: the entries of a stream, one a line, loop bodies indented.

use super::lines::joined;
use super::spelling::{self, Spelled, operand};
use crate::ids::RequestId;
use crate::mpi::ReduceOp;
use crate::program_data::{
    Call, Count, Counts, Mark, ObservedMatch, Op, Operand, SendMode, Transfer,
};
use std::fmt::Display;

pub(super) fn write(stream: &[Op], lines: &mut Vec<String>) {
    // Index behind the body of each loop that is open.
    let mut open: Vec<usize> = Vec::new();
    for (i, op) in stream.iter().enumerate() {
        close(&mut open, i, lines);
        lines.push(format!("{}{}", indent(open.len()), entry(op)));
        if let Op::Loop { body, .. } = op {
            // A body is a number of entries in the stream, nested loops and their bodies included.
            open.push(i + 1 + *body as usize);
        }
    }
    // Loops that end with the stream.
    close(&mut open, usize::MAX, lines);
}

fn close(open: &mut Vec<usize>, at: usize, lines: &mut Vec<String>) {
    while open.last().is_some_and(|&end| end <= at) {
        open.pop();
        lines.push(format!("{}end", indent(open.len())));
    }
}

fn indent(depth: usize) -> String {
    "  ".repeat(depth + 1)
}

fn entry(op: &Op) -> String {
    match op {
        Op::Loop {
            count: Count::Constant(count),
            ..
        } => format!("loop {count}"),
        Op::Loop {
            count: Count::Invariant(count),
            ..
        } => format!("loop {count} invariant"),
        Op::Loop {
            count: Count::Assumed { count, assumption },
            ..
        } => {
            format!("loop {count} assumed {assumption}")
        }
        Op::Block { block, variant } => format!("block {block} variant {}", operand(*variant)),
        Op::Mark(Mark::Clock { site, path }) => {
            format!("clock site={site}{}", optional("path", *path))
        }
        Op::Mark(Mark::SectionBegin) => "section begin".into(),
        Op::Mark(Mark::SectionEnd) => "section end".into(),
        Op::Call { site, call } => {
            let (name, rest) = split_call(call);
            format!("{name} site={site}{rest}")
        }
    }
}

/// The first word of a call and what follows its site.
fn split_call(call: &Call) -> (&'static str, String) {
    match call {
        Call::Init => ("init", String::new()),
        Call::Finalize => ("finalize", String::new()),
        Call::Abort => ("abort", String::new()),
        Call::Send {
            mode,
            transfer: t,
            request,
        } => (
            "send",
            format!(
                "{}{}{}",
                mode_of(*mode),
                transfer(t),
                optional("request", *request)
            ),
        ),
        Call::Receive {
            transfer: t,
            request,
            observed,
        } => {
            let found = observation(observed.as_slice());
            (
                "receive",
                format!("{}{}{found}", transfer(t), optional("request", *request)),
            )
        }
        Call::SendReceive {
            send,
            receive,
            observed,
        } => {
            let found = observation(observed.as_slice());
            (
                "send-receive",
                format!("{} receive{}{found}", transfer(send), transfer(receive)),
            )
        }
        Call::Wait {
            completion,
            requests,
            completed,
            observed,
        } => {
            let rest = observation(observed);
            (
                "wait",
                format!(
                    " {}{}{}{rest}",
                    completion.word(),
                    ids(requests),
                    done(completed)
                ),
            )
        }
        Call::Test {
            completion,
            requests,
            completed,
        } => (
            "test",
            format!(" {}{}{}", completion.word(), ids(requests), done(completed)),
        ),
        Call::Probe {
            transfer: t,
            blocking,
            observed,
        } => {
            let blocking = if *blocking { "" } else { " nonblocking" };
            (
                "probe",
                format!(
                    "{blocking}{}{}",
                    transfer(t),
                    observation(observed.as_slice())
                ),
            )
        }
        Call::MakePersistent {
            send,
            transfer: t,
            request,
        } => {
            let kind = send.map_or(" receive".into(), |mode| format!(" send{}", mode_of(mode)));
            (
                "persistent",
                format!("{kind}{} request={request}", transfer(t)),
            )
        }
        Call::StartPersistent { requests } => ("start", ids(requests)),
        Call::MakeCommunicator { parent, made } => (
            "make-communicator",
            format!(" parent={} made={}", operand(*parent), operand(*made)),
        ),
        Call::Collective {
            kind,
            communicator,
            root,
            counts,
            receive_counts,
            datatype,
            reduce_op,
            request,
        } => {
            let size = Size {
                counts: *counts,
                receive: *receive_counts,
                datatype: *datatype,
                op: *reduce_op,
            };
            (
                kind.word(),
                format!(
                    "{}{}",
                    collective(*communicator, *root, size),
                    optional("request", *request)
                ),
            )
        }
    }
}

struct Size {
    counts: Counts,
    receive: Option<Counts>,
    datatype: u32,
    op: Option<ReduceOp>,
}

fn collective(communicator: Operand, root: Option<Operand>, size: Size) -> String {
    format!(
        " comm={}{}{}{} type={}{}",
        operand(communicator),
        optional("root", root.map(operand)),
        counts("", size.counts),
        size.receive
            .map_or(String::new(), |receive| counts("receive-", receive)),
        size.datatype,
        optional("op", size.op.map(spelling::reduce_op)),
    )
}

fn counts(prefix: &str, counts: Counts) -> String {
    match counts {
        Counts::Same(count) => format!(" {prefix}count={}", operand(count)),
        Counts::PerRank(table) => format!(" {prefix}counts={table}"),
    }
}

fn transfer(transfer: &Transfer) -> String {
    format!(
        " peer={} tag={} count={} type={} comm={}",
        spelling::peer(transfer.peer),
        spelling::tag(transfer.tag),
        operand(transfer.count),
        transfer.datatype,
        operand(transfer.communicator),
    )
}

fn mode_of(mode: SendMode) -> String {
    if mode == SendMode::Standard {
        String::new()
    } else {
        format!(" mode={}", mode.word())
    }
}

fn observation(found: &[ObservedMatch]) -> String {
    list("observed", found.iter().map(spelling::observed))
}

fn done(completed: &[RequestId]) -> String {
    list("completed", completed)
}

fn ids(requests: &[RequestId]) -> String {
    requests.iter().map(|id| format!(" {id}")).collect()
}

/// A list with commas; nothing for an empty one.
fn list(key: &str, items: impl IntoIterator<Item = impl Display>) -> String {
    let text = joined(items, ",");
    if text.is_empty() {
        String::new()
    } else {
        format!(" {key}={text}")
    }
}

fn optional(key: &str, value: Option<impl Display>) -> String {
    value.map_or(String::new(), |value| format!(" {key}={value}"))
}
