//! Nonblocking substitute of each MPI function for serialised execution: derived from the
//! table, once, when a run begins. [`super::waiting`] calls it.

use super::exchange::Exchange;
use super::substitute_function::SubstituteFunction;
use crate::passed_arguments::Binding;
use crate::rows::{CallKind, Completed, Row};
use base_data::program_data::SendMode;

/// What is done for a call of one function. Positions are those of the function's own arguments.
#[derive(Debug)]
pub enum NonblockingSubstitute {
    /// The function itself: it does not wait for other ranks.
    Itself,
    /// The function itself while this rank does without the token: it has no form that does not wait.
    WithoutToken,
    /// The same as soon as all members of a communicator are there, which is waited for first.
    AfterBarrier {
        /// `MPI_Ibarrier`.
        barrier: SubstituteFunction,
        communicator: usize,
    },
    /// A form that gives a request, then tests of it.
    Start {
        form: SubstituteFunction,
        /// The status, which the form does not take and the test does.
        status: Option<usize>,
        /// The other rank, if there is one.
        peer: Option<usize>,
    },
    /// The same in both directions.
    Exchange(Box<Exchange>),
    /// A form that looks without waiting, again and again: it takes a flag before its last
    /// argument, a status.
    Look(SubstituteFunction),
    /// The same for a form with an output count of complete requests, at this position.
    LookForSome(SubstituteFunction, usize),
    /// The function itself; if it says, here, that nothing has happened yet, others get the token.
    LookOnce(usize),
}

impl NonblockingSubstitute {
    /// Whether the MPI library has what is to be called.
    pub fn exists(&self, binding: Binding) -> bool {
        match self {
            NonblockingSubstitute::Itself
            | NonblockingSubstitute::WithoutToken
            | NonblockingSubstitute::LookOnce(_) => true,
            NonblockingSubstitute::AfterBarrier { barrier: form, .. }
            | NonblockingSubstitute::Start { form, .. }
            | NonblockingSubstitute::Look(form)
            | NonblockingSubstitute::LookForSome(form, _) => form.exists(binding),
            NonblockingSubstitute::Exchange(exchange) => exchange.exists(binding),
        }
    }
}

/// For a row of the table.
pub fn of(row: &Row) -> NonblockingSubstitute {
    let name = row.function.name;
    match row.what {
        CallKind::Send { mode: SendMode::Buffered, .. } => NonblockingSubstitute::Itself,
        CallKind::Send { request: None, transfer, .. } => start(name, None, Some(transfer.peer)),
        CallKind::Receive { request: None, transfer, status } => start(name, status, Some(transfer.peer)),
        CallKind::Collective { request: None, .. } => start(name, None, None),
        // What is sent and what is received share a buffer.
        CallKind::SendReceive { send, receive, .. } if send.count == receive.count => NonblockingSubstitute::WithoutToken,
        CallKind::SendReceive { send, receive, status } => {
            NonblockingSubstitute::Exchange(Box::new(Exchange::new(send, receive, status)))
        }
        CallKind::Probe { flag: None, .. } => NonblockingSubstitute::Look(immediate(name)),
        CallKind::Probe { flag: Some(flag), .. } => NonblockingSubstitute::LookOnce(flag),
        CallKind::Wait { completed: Completed::Indices(number, _), .. } => {
            NonblockingSubstitute::LookForSome(testing(name), number)
        }
        CallKind::Wait { completed: Completed::All | Completed::AllIf(_) | Completed::Index(_), .. } => {
            NonblockingSubstitute::Look(testing(name))
        }
        CallKind::Test { completed, .. } => look_once(completed),
        CallKind::MakeCommunicator { .. } if name.starts_with("MPI_Comm_dup") => NonblockingSubstitute::Start {
            form: SubstituteFunction::new(name.replacen("dup", "idup", 1)),
            status: None,
            peer: None,
        },
        CallKind::MakeCommunicator { parent, .. } => {
            NonblockingSubstitute::AfterBarrier { barrier: SubstituteFunction::new("MPI_Ibarrier"), communicator: parent }
        }
        CallKind::Send { request: Some(_), .. }
        | CallKind::Receive { request: Some(_), .. }
        | CallKind::Collective { request: Some(_), .. }
        | CallKind::MakePersistent { .. }
        | CallKind::StartPersistent { .. }
        // Collective, but libraries do not wait in it.
        | CallKind::FreeCommunicator(_)
        | CallKind::FreeDatatype(_)
        | CallKind::FreeRequest(_)
        | CallKind::Start
        | CallKind::End
        | CallKind::Abort { .. }
        | CallKind::Unrecorded => NonblockingSubstitute::Itself,
    }
}

fn start(name: &str, status: Option<usize>, peer: Option<usize>) -> NonblockingSubstitute {
    NonblockingSubstitute::Start {
        form: immediate(name),
        status,
        peer,
    }
}

/// The argument in which a test returns whether anything is complete. `MPI_Testany` has a flag behind its index, which
/// is also set if there was no active request.
fn look_once(completed: Completed) -> NonblockingSubstitute {
    match completed {
        Completed::All => NonblockingSubstitute::Itself,
        Completed::AllIf(flag) => NonblockingSubstitute::LookOnce(flag),
        Completed::Index(index) => NonblockingSubstitute::LookOnce(index + 1),
        Completed::Indices(number, _) => NonblockingSubstitute::LookOnce(number),
    }
}

/// `MPI_Irecv` for `MPI_Recv`.
fn immediate(name: &str) -> SubstituteFunction {
    let function = name.trim_start_matches("MPI_").to_ascii_lowercase();
    SubstituteFunction::new(format!("MPI_I{function}"))
}

/// `MPI_Testall` for `MPI_Waitall`.
fn testing(name: &str) -> SubstituteFunction {
    SubstituteFunction::new(name.replacen("Wait", "Test", 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::rows;
    use base_data::mpi::functions::find;

    /// Name of what is called for a function, and what else is decided.
    fn said(name: &str) -> String {
        let row = rows()
            .into_iter()
            .find(|row| row.function.name == name)
            .unwrap();
        match of(&row) {
            NonblockingSubstitute::Itself => "itself".into(),
            NonblockingSubstitute::WithoutToken => "itself without token".into(),
            NonblockingSubstitute::AfterBarrier {
                barrier,
                communicator,
            } => format!("{} {communicator}", barrier.name()),
            NonblockingSubstitute::Start { form, status, peer } => {
                format!("{} {status:?} {peer:?}", form.name())
            }
            NonblockingSubstitute::Exchange(_) => "exchange".into(),
            NonblockingSubstitute::Look(form) => form.name().into(),
            NonblockingSubstitute::LookForSome(form, number) => format!("{} {number}", form.name()),
            NonblockingSubstitute::LookOnce(at) => format!("once {at}"),
        }
    }

    #[test]
    fn substitute_of_each_kind_of_function() {
        for (name, expected) in [
            ("MPI_Send", "MPI_Isend None Some(3)"),
            ("MPI_Rsend", "MPI_Irsend None Some(3)"),
            ("MPI_Bsend", "itself"),
            ("MPI_Recv", "MPI_Irecv Some(6) Some(3)"),
            ("MPI_Sendrecv", "exchange"),
            ("MPI_Sendrecv_replace", "itself without token"),
            ("MPI_Probe", "MPI_Iprobe"),
            ("MPI_Iprobe", "once 3"),
            ("MPI_Wait", "MPI_Test"),
            ("MPI_Waitall", "MPI_Testall"),
            ("MPI_Waitany", "MPI_Testany"),
            ("MPI_Waitsome", "MPI_Testsome 2"),
            ("MPI_Test", "once 1"),
            ("MPI_Testall", "once 2"),
            ("MPI_Testany", "once 3"),
            ("MPI_Testsome", "once 2"),
            (
                "MPI_Reduce_scatter_block",
                "MPI_Ireduce_scatter_block None None",
            ),
            ("MPI_Comm_split", "MPI_Ibarrier 0"),
            ("MPI_Comm_dup", "MPI_Comm_idup None None"),
            ("MPI_Ibcast", "itself"),
            ("MPI_Startall", "itself"),
            ("MPI_Comm_rank", "itself"),
        ] {
            assert_eq!(said(name), expected, "{name}");
        }
    }

    /// A form takes the arguments of its function in their order, and what it gives behind them.
    #[test]
    fn substitutes_take_the_same_arguments() {
        for row in rows() {
            let (form, given) = match of(&row) {
                NonblockingSubstitute::Start { form, status, .. } => {
                    (form, if status.is_some() { 0 } else { 1 })
                }
                NonblockingSubstitute::Look(form) => (form, 1),
                NonblockingSubstitute::LookForSome(form, _) => (form, 0),
                _ => continue,
            };
            let name = form.name();
            // Not in the table.
            if name.starts_with("MPI_Comm_idup") {
                continue;
            }
            let function = find(name).unwrap_or_else(|| panic!("{name} is not in the table"));
            assert_eq!(
                function.arguments.len(),
                row.function.arguments.len() + given,
                "{name}"
            );
        }
    }
}
