//! Visits the operands of a stream's entries: the only list of them, for merging.

use base_data::program_data::{Call, Counts, Op, Operand, Peer, Tag, Transfer};

/// What an operand refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// An index into the variants.
    Variant,
    /// An index into the communicators, or −1.
    Communicator,
    /// A number that means the same on every rank.
    Number,
}

/// Calls `visit` for each operand of an entry, always in the same order.
pub(crate) fn each(op: &mut Op, visit: &mut impl FnMut(&mut Operand, Meaning)) {
    match op {
        Op::Block { variant, .. } => visit(variant, Meaning::Variant),
        Op::Call { call, .. } => each_of_call(call, visit),
        Op::Loop { .. } | Op::Mark(_) => {}
    }
}

fn each_of_call(call: &mut Call, visit: &mut impl FnMut(&mut Operand, Meaning)) {
    match call {
        Call::Init | Call::Finalize | Call::Abort => {}
        Call::Wait { .. } | Call::Test { .. } | Call::StartPersistent { .. } => {}
        Call::Send { transfer, .. }
        | Call::Receive { transfer, .. }
        | Call::Probe { transfer, .. }
        | Call::MakePersistent { transfer, .. } => each_of_transfer(transfer, visit),
        Call::SendReceive { send, receive, .. } => {
            each_of_transfer(send, visit);
            each_of_transfer(receive, visit);
        }
        Call::Collective {
            communicator,
            root,
            counts,
            receive_counts,
            ..
        } => {
            visit(communicator, Meaning::Communicator);
            root.iter_mut()
                .for_each(|root| visit(root, Meaning::Number));
            each_of_counts(counts, visit);
            receive_counts
                .iter_mut()
                .for_each(|counts| each_of_counts(counts, visit));
        }
        Call::MakeCommunicator { parent, made } => {
            visit(parent, Meaning::Communicator);
            visit(made, Meaning::Communicator);
        }
    }
}

fn each_of_transfer(transfer: &mut Transfer, visit: &mut impl FnMut(&mut Operand, Meaning)) {
    match &mut transfer.peer {
        Peer::Rank(rank) => visit(rank, Meaning::Number),
        Peer::Null | Peer::Any => {}
    }
    match &mut transfer.tag {
        Tag::Value(tag) => visit(tag, Meaning::Number),
        Tag::Any => {}
    }
    visit(&mut transfer.count, Meaning::Number);
    visit(&mut transfer.communicator, Meaning::Communicator);
}

fn each_of_counts(counts: &mut Counts, visit: &mut impl FnMut(&mut Operand, Meaning)) {
    match counts {
        Counts::Same(count) => visit(count, Meaning::Number),
        Counts::PerRank(_) => {}
    }
}

/// Calls `visit` for each index into the datatypes.
pub(crate) fn each_datatype(op: &mut Op, visit: &mut impl FnMut(&mut u32)) {
    let Op::Call { call, .. } = op else { return };
    match call {
        Call::Send { transfer, .. }
        | Call::Receive { transfer, .. }
        | Call::Probe { transfer, .. }
        | Call::MakePersistent { transfer, .. } => visit(&mut transfer.datatype),
        Call::SendReceive { send, receive, .. } => {
            visit(&mut send.datatype);
            visit(&mut receive.datatype);
        }
        // A barrier moves nothing, its datatype says nothing.
        Call::Collective { datatype, .. } => visit(datatype),
        Call::Init
        | Call::Finalize
        | Call::Abort
        | Call::Wait { .. }
        | Call::Test { .. }
        | Call::StartPersistent { .. }
        | Call::MakeCommunicator { .. } => {}
    }
}

/// Calls `visit` for each index into the lists of counts per rank, always in the same order.
pub(crate) fn each_count_list(op: &mut Op, visit: &mut impl FnMut(&mut u32)) {
    let Op::Call {
        call:
            Call::Collective {
                counts,
                receive_counts,
                ..
            },
        ..
    } = op
    else {
        return;
    };
    for counts in std::iter::once(counts).chain(receive_counts) {
        match counts {
            Counts::PerRank(list) => visit(list),
            Counts::Same(_) => {}
        }
    }
}

/// The stream with all operands blanked out: equal for ranks of one class.
pub(crate) fn shape(stream: &[Op]) -> Vec<Op> {
    let blank = |op: &Op| {
        let mut op = op.clone();
        each(&mut op, &mut |operand, _| *operand = Operand::Constant(0));
        each_count_list(&mut op, &mut |list| *list = 0);
        op
    };
    stream.iter().map(blank).collect()
}
