//! `MPI_Sendrecv` by functions that do not wait: both directions as persistent requests, so that
//! nothing is under way before the arguments of both are known to be good.

use super::substitute_function::SubstituteFunction;
use super::waiting::{Called, UNWANTED_STATUS, Waiting, begin, look, place};
use crate::passed_arguments::Binding;
use crate::rows::TransferArguments;

/// What is called, and with what.
#[derive(Debug)]
pub struct Exchange {
    make_send: SubstituteFunction,
    make_receive: SubstituteFunction,
    start: SubstituteFunction,
    free: SubstituteFunction,
    /// `MPI_Isend`, `MPI_Irecv` and `MPI_Recv`, where one side is `MPI_PROC_NULL`.
    send: SubstituteFunction,
    receive: SubstituteFunction,
    receive_nothing: SubstituteFunction,
    /// Positions of the arguments of each direction, buffer first.
    sent: [usize; 6],
    received: [usize; 6],
    status: usize,
}

/// Where the rank is in such a list.
const PEER: usize = 3;

impl Exchange {
    /// For a function with its arguments at these positions.
    pub fn new(send: TransferArguments, receive: TransferArguments, status: usize) -> Self {
        Self {
            make_send: SubstituteFunction::new("MPI_Send_init"),
            make_receive: SubstituteFunction::new("MPI_Recv_init"),
            start: SubstituteFunction::new("MPI_Start"),
            free: SubstituteFunction::new("MPI_Request_free"),
            send: SubstituteFunction::new("MPI_Isend"),
            receive: SubstituteFunction::new("MPI_Irecv"),
            receive_nothing: SubstituteFunction::new("MPI_Recv"),
            sent: places(send),
            received: places(receive),
            status,
        }
    }

    /// Whether the MPI library has all that is called.
    pub fn exists(&self, binding: Binding) -> bool {
        let Self {
            make_send,
            make_receive,
            start,
            free,
            send,
            receive,
            receive_nothing,
            ..
        } = self;
        let forms = [
            make_send,
            make_receive,
            start,
            free,
            send,
            receive,
            receive_nothing,
        ];
        forms.into_iter().all(|form| form.exists(binding))
    }
}

/// Positions of one direction; its buffer stands before its count.
fn places(at: TransferArguments) -> [usize; 6] {
    [
        at.count - 1,
        at.count,
        at.datatype,
        at.peer,
        at.tag,
        at.communicator,
    ]
}

impl Waiting<'_> {
    /// Sends and receives at once; gives the error code.
    ///
    /// # Safety
    ///
    /// The program has called the function that `exchange` was made for.
    pub unsafe fn exchange(&mut self, called: Called, exchange: &Exchange) -> i32 {
        let (sent, received) = (called.pick(exchange.sent), called.pick(exchange.received));
        let (binding, status) = (called.binding(), called.word(exchange.status));
        let is_null = [exchange.sent, exchange.received].map(|at| called.is_proc_null(at[PEER]));
        // SAFETY: the positions in `exchange` select, from the arguments of the program's call, those of a send, of a receive
        // and the status, and each function below takes these in this order and binding.
        unsafe {
            match is_null {
                [false, false] => self.both(binding, exchange, [&received, &sent], status),
                [true, false] => self.complete(binding, &exchange.receive, &received, status),
                [sends_to_null, true] => {
                    let mut unwanted = UNWANTED_STATUS;
                    let error = match sends_to_null {
                        true => 0,
                        false => {
                            self.complete(binding, &exchange.send, &sent, place(&mut unwanted))
                        }
                    };
                    // A receive from MPI_PROC_NULL returns at once and sets the status to the empty one.
                    let received = [&received[..], &[status]].concat();
                    first_of([error, exchange.receive_nothing.call(binding, &received)])
                }
            }
        }
    }

    /// # Safety
    ///
    /// The arguments are those of receive and send in this binding.
    unsafe fn both(
        &mut self,
        binding: Binding,
        exchange: &Exchange,
        [received, sent]: [&[usize]; 2],
        status: usize,
    ) -> i32 {
        let [mut receive, mut send] = [0, 0];
        // SAFETY: both lists are the arguments of the constructors but for the request, which `begin` adds (see Safety).
        // The requests are local variables that outlive the calls, and are freed once only if they were made.
        unsafe {
            let error = begin(&exchange.make_receive, binding, received, &mut receive);
            if error != 0 {
                return error;
            }
            let error = match begin(&exchange.make_send, binding, sent, &mut send) {
                0 => {
                    let error =
                        self.run(binding, &exchange.start, [&mut receive, &mut send], status);
                    exchange.free.call(binding, &[place(&mut send)]);
                    error
                }
                error => error,
            };
            exchange.free.call(binding, &[place(&mut receive)]);
            error
        }
    }

    /// Starts two persistent requests and waits until both are complete.
    ///
    /// # Safety
    ///
    /// They were made in this binding, a receive and a send.
    unsafe fn run(
        &mut self,
        binding: Binding,
        start: &SubstituteFunction,
        requests: [&mut usize; 2],
        status: usize,
    ) -> i32 {
        let test = self.test;
        let mut unwanted = UNWANTED_STATUS;
        let [receive, send] = requests.map(place);
        let mut errors = [None; 2];
        // SAFETY: both requests are persistent and inactive, so they may be started (see Safety). A request is tested only
        // until it is complete; `unwanted` outlives the tests.
        unsafe {
            for request in [receive, send] {
                start.call(binding, &[request]);
            }
            self.until(|| {
                errors[0] = errors[0].or_else(|| look(test, binding, &[receive, status]));
                errors[1] =
                    errors[1].or_else(|| look(test, binding, &[send, place(&mut unwanted)]));
                Some(first_of([errors[0]?, errors[1]?]))
            })
        }
    }
}

/// The first error code that is one.
fn first_of(errors: [i32; 2]) -> i32 {
    errors.into_iter().find(|&error| error != 0).unwrap_or(0)
}
