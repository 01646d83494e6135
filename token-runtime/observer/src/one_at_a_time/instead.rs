//! What is called instead of each MPI function while one rank at a time computes: derived from the
//! table, once, when a run begins. Calling it is the task of [`super::waiting`].

use super::exchange::Exchange;
use super::form::Form;
use crate::passed::Binding;
use crate::rows::{Completed, Row, What};
use base_data::program_data::SendMode;

/// What is done for a call of one function. Positions are those of the function's own arguments.
#[derive(Debug)]
pub enum Instead {
    /// The function itself: it does not wait for other ranks.
    Itself,
    /// The function itself while this rank does without the token: it has no form that does not wait.
    WithoutToken,
    /// The same as soon as all members of a communicator are there, which is waited for first.
    Together {
        /// `MPI_Ibarrier`.
        barrier: Form,
        communicator: usize,
    },
    /// A form that gives a request, then tests of it.
    Start {
        form: Form,
        /// The status, which the form does not take and the test does.
        status: Option<usize>,
        /// The other rank, if there is one.
        peer: Option<usize>,
    },
    /// The same in both directions.
    Exchange(Box<Exchange>),
    /// A form that looks without waiting, again and again: it takes a flag before its last
    /// argument, a status.
    Look(Form),
    /// The same of a form that tells how many are complete, at this place.
    LookForSome(Form, usize),
    /// The function itself; if it says, here, that nothing has happened yet, others get the token.
    LookOnce(usize),
}

impl Instead {
    /// Whether the MPI library has what is to be called.
    pub fn exists(&self, binding: Binding) -> bool {
        match self {
            Instead::Itself | Instead::WithoutToken | Instead::LookOnce(_) => true,
            Instead::Together { barrier: form, .. }
            | Instead::Start { form, .. }
            | Instead::Look(form)
            | Instead::LookForSome(form, _) => form.exists(binding),
            Instead::Exchange(exchange) => exchange.exists(binding),
        }
    }
}

/// For a row of the table.
pub fn of(row: &Row) -> Instead {
    let name = row.function.name;
    match row.what {
        What::Send { mode: SendMode::Buffered, .. } => Instead::Itself,
        What::Send { request: None, transfer, .. } => start(name, None, Some(transfer.peer)),
        What::Receive { request: None, transfer, status } => start(name, status, Some(transfer.peer)),
        What::Collective { request: None, .. } => start(name, None, None),
        // What is sent and what is received share a buffer.
        What::SendReceive { send, receive, .. } if send.count == receive.count => Instead::WithoutToken,
        What::SendReceive { send, receive, status } => {
            Instead::Exchange(Box::new(Exchange::new(send, receive, status)))
        }
        What::Probe { flag: None, .. } => Instead::Look(immediate(name)),
        What::Probe { flag: Some(flag), .. } => Instead::LookOnce(flag),
        What::Wait { completed: Completed::Indices(number, _), .. } => {
            Instead::LookForSome(testing(name), number)
        }
        What::Wait { completed: Completed::All | Completed::AllIf(_) | Completed::Index(_), .. } => {
            Instead::Look(testing(name))
        }
        What::Test { completed, .. } => look_once(completed),
        What::MakeCommunicator { .. } if name.starts_with("MPI_Comm_dup") => Instead::Start {
            form: Form::new(name.replacen("dup", "idup", 1)),
            status: None,
            peer: None,
        },
        What::MakeCommunicator { parent, .. } => {
            Instead::Together { barrier: Form::new("MPI_Ibarrier"), communicator: parent }
        }
        What::Send { request: Some(_), .. }
        | What::Receive { request: Some(_), .. }
        | What::Collective { request: Some(_), .. }
        | What::MakePersistent { .. }
        | What::StartPersistent { .. }
        // Collective, but libraries do not wait in it.
        | What::FreeCommunicator(_)
        | What::FreeDatatype(_)
        | What::FreeRequest(_)
        | What::Start
        | What::End
        | What::Abort { .. }
        | What::Unrecorded => Instead::Itself,
    }
}

fn start(name: &str, status: Option<usize>, peer: Option<usize>) -> Instead {
    Instead::Start { form: immediate(name), status, peer }
}

/// Where a test says whether anything is complete; behind the index of `MPI_Testany` is a flag that
/// also tells whether there was anything to test.
fn look_once(completed: Completed) -> Instead {
    match completed {
        Completed::All => Instead::Itself,
        Completed::AllIf(flag) => Instead::LookOnce(flag),
        Completed::Index(index) => Instead::LookOnce(index + 1),
        Completed::Indices(number, _) => Instead::LookOnce(number),
    }
}

/// `MPI_Irecv` for `MPI_Recv`.
fn immediate(name: &str) -> Form {
    let function = name.trim_start_matches("MPI_").to_ascii_lowercase();
    Form::new(format!("MPI_I{function}"))
}

/// `MPI_Testall` for `MPI_Waitall`.
fn testing(name: &str) -> Form {
    Form::new(name.replacen("Wait", "Test", 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::rows;
    use base_data::mpi::functions::find;

    /// Name of what is called for a function, and what else is decided.
    fn said(name: &str) -> String {
        let row = rows().into_iter().find(|row| row.function.name == name).unwrap();
        match of(&row) {
            Instead::Itself => "itself".into(),
            Instead::WithoutToken => "itself without token".into(),
            Instead::Together { barrier, communicator } => format!("{} {communicator}", barrier.name()),
            Instead::Start { form, status, peer } => format!("{} {status:?} {peer:?}", form.name()),
            Instead::Exchange(_) => "exchange".into(),
            Instead::Look(form) => form.name().into(),
            Instead::LookForSome(form, number) => format!("{} {number}", form.name()),
            Instead::LookOnce(at) => format!("once {at}"),
        }
    }

    #[test]
    fn every_kind_of_function() {
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
            ("MPI_Reduce_scatter_block", "MPI_Ireduce_scatter_block None None"),
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
    fn forms_take_the_same_arguments() {
        for row in rows() {
            let (form, given) = match of(&row) {
                Instead::Start { form, status, .. } => (form, if status.is_some() { 0 } else { 1 }),
                Instead::Look(form) => (form, 1),
                Instead::LookForSome(form, _) => (form, 0),
                _ => continue,
            };
            let name = form.name();
            // Not in the table.
            if name.starts_with("MPI_Comm_idup") {
                continue;
            }
            let function = find(name).unwrap_or_else(|| panic!("{name} is not in the table"));
            assert_eq!(function.arguments.len(), row.function.arguments.len() + given, "{name}");
        }
    }
}
