//! Blocking calls by nonblocking substitutes: the started operation is tested until it is complete, and
//! between two tests every rank of the computer that waits for the token has it once. While one
//! computes, the others sleep.

use super::nonblocking_substitute::NonblockingSubstitute;
use super::substitute_function::SubstituteFunction;
use super::token::Token;
use crate::entry_lock::{ObserverLock, State};
use crate::family::Numbers;
use crate::passed_arguments::{Binding, PassedArguments};
use crate::real_functions::InterposedFunction;
use std::time::Duration;

/// Buffer for a status that the program ignores; larger than the status of any supported library.
pub const UNWANTED_STATUS: [u64; 16] = [0; 16];

/// How long a thread beside the one that is observed sleeps between two tests: little, and the
/// processor is free for who has the token.
const UNOBSERVED_POLL_INTERVAL: Duration = Duration::from_micros(20);

/// A call of the program.
#[derive(Clone, Copy)]
pub struct Called<'a> {
    pub entry: &'a InterposedFunction,
    pub passed: &'a PassedArguments<'a>,
    /// How many arguments there are without Fortran's `ierror`, which stands behind them.
    pub arguments: usize,
    pub numbers: &'a Numbers,
}

impl<'a> Called<'a> {
    /// How the arguments were passed.
    pub fn binding(self) -> Binding {
        self.entry.binding
    }

    fn arguments(self) -> &'a [usize] {
        &self.passed.words()[..self.arguments]
    }

    /// An argument as it was passed.
    pub fn word(self, at: usize) -> usize {
        self.passed.words()[at]
    }

    /// Some of them.
    pub fn pick<const N: usize>(self, places: [usize; N]) -> [usize; N] {
        places.map(|at| self.word(at))
    }

    /// Whether this rank is `MPI_PROC_NULL`.
    pub fn is_proc_null(self, at: usize) -> bool {
        self.passed.int(at) == self.numbers.proc_null
    }

    /// Calls what the program has called.
    unsafe fn itself(self) -> usize {
        // SAFETY: the words are the arguments that the program passed to this entry's function, and go to it
        // unchanged.
        unsafe { self.entry.call(self.passed.words()) }
    }

    /// Gives the program an error code, 0 for none.
    unsafe fn give(self, error: i32) -> usize {
        match self.binding() {
            Binding::C => error as usize,
            Binding::Fortran | Binding::Fortran2008 => {
                let place = self.word(self.arguments) as *mut i32;
                if !place.is_null() {
                    // SAFETY: Fortran passes the address of an integer; 0 where it is left out.
                    unsafe { place.write(error) };
                }
                0
            }
        }
    }
}

/// What it takes to wait.
pub struct Waiting<'a> {
    /// The token, which this rank has; a thread beside the one that is observed goes without.
    pub token: Option<&'a mut Token>,
    /// `MPI_Test`.
    pub test: &'a SubstituteFunction,
}

impl Waiting<'_> {
    /// Does what a call asks for.
    ///
    /// # Safety
    ///
    /// The program has made this call, and `substitute` is what belongs to its function.
    pub unsafe fn call(&mut self, substitute: &NonblockingSubstitute, called: Called) -> usize {
        let (binding, arguments) = (called.binding(), called.arguments());
        // SAFETY: the program's arguments go where the table says, to functions of their binding.
        unsafe {
            match substitute {
                NonblockingSubstitute::Itself => called.itself(),
                NonblockingSubstitute::LookOnce(at) => self.look_once(called, *at),
                other if !other.exists(binding) => self.without_token(called),
                NonblockingSubstitute::WithoutToken => self.without_token(called),
                NonblockingSubstitute::AfterBarrier {
                    barrier,
                    communicator,
                } => {
                    self.gather(binding, barrier, arguments[*communicator]);
                    self.without_token(called)
                }
                // It does not wait, and says in a status that nothing came.
                NonblockingSubstitute::Start {
                    peer: Some(peer), ..
                } if called.is_proc_null(*peer) => called.itself(),
                NonblockingSubstitute::Start { form, status, .. } => {
                    called.give(self.start(called, form, *status))
                }
                NonblockingSubstitute::Exchange(exchange) => {
                    called.give(self.exchange(called, exchange))
                }
                NonblockingSubstitute::Look(form) => {
                    called.give(self.until(|| look(form, binding, arguments)))
                }
                NonblockingSubstitute::LookForSome(form, number) => {
                    called.give(self.until(|| look_for_some(form, binding, arguments, *number)))
                }
            }
        }
    }

    /// Looks until there is something to see.
    pub fn until(&mut self, mut look: impl FnMut() -> Option<i32>) -> i32 {
        loop {
            match look() {
                Some(error) => return error,
                None => self.pass(),
            }
        }
    }

    fn pass(&mut self) {
        match &mut self.token {
            Some(token) => token.yield_to_waiters(),
            None if pass_for_all_threads() => {}
            None => std::thread::sleep(UNOBSERVED_POLL_INTERVAL),
        }
    }

    /// # Safety
    ///
    /// As for [`Waiting::call`].
    unsafe fn without_token(&mut self, called: Called) -> usize {
        // SAFETY: `itself` forwards the words of `called` to the function that they were passed to, once: `wait` runs in
        // exactly one of the branches below.
        let wait = || unsafe { called.itself() };
        match &mut self.token {
            Some(token) => token.without(wait),
            None => wait(),
        }
    }

    /// Waits for all members of a communicator.
    ///
    /// # Safety
    ///
    /// The communicator is passed as in this binding; `barrier` is `MPI_Ibarrier` and exists.
    pub unsafe fn gather(
        &mut self,
        binding: Binding,
        barrier: &SubstituteFunction,
        communicator: usize,
    ) {
        let mut status = UNWANTED_STATUS;
        // SAFETY: `MPI_Ibarrier` takes a communicator and a request, which `complete` adds; `status` lives until the
        // call returns. An error is left to the next call on the communicator.
        unsafe { self.complete(binding, barrier, &[communicator], place(&mut status)) };
    }

    /// # Safety
    ///
    /// As for [`Waiting::call`].
    unsafe fn look_once(&mut self, called: Called, at: usize) -> usize {
        // SAFETY: `itself` forwards the words of `called` to the function that they were passed to.
        let result = unsafe { called.itself() };
        if called.passed.written(at, 0) == 0 {
            self.pass();
        }
        result
    }

    /// # Safety
    ///
    /// As for [`Waiting::call`].
    unsafe fn start(
        &mut self,
        called: Called,
        form: &SubstituteFunction,
        status: Option<usize>,
    ) -> i32 {
        let mut unwanted = UNWANTED_STATUS;
        let arguments = &called.arguments()[..status.unwrap_or(called.arguments)];
        let status = status.map_or_else(|| place(&mut unwanted), |at| called.word(at));
        // SAFETY: a status is the last argument of functions that have one.
        unsafe { self.complete(called.binding(), form, arguments, status) }
    }

    /// Starts something and waits until it is complete.
    ///
    /// # Safety
    ///
    /// `arguments` are those of the form but for the request it gives.
    pub unsafe fn complete(
        &mut self,
        binding: Binding,
        form: &SubstituteFunction,
        arguments: &[usize],
        status: usize,
    ) -> i32 {
        let mut request = 0;
        let test = self.test;
        // SAFETY: the caller guarantees the arguments of the function that is called; the request is tested
        // in the binding that has made it.
        unsafe {
            match begin(form, binding, arguments, &mut request) {
                0 => self.until(|| look(test, binding, &[place(&mut request), status])),
                error => error,
            }
        }
    }
}

/// Lets other ranks have the token while no thread of this one is inside MPI as the observed one: the
/// others may all wait for what this thread waits for. `false` if one is, which passes it itself.
fn pass_for_all_threads() -> bool {
    let Some(mut lock) = ObserverLock::take() else {
        return false;
    };
    let State::Observing(observer) = lock.state() else {
        return false;
    };
    let Some(one_at_a_time) = &mut observer.one_at_a_time else {
        return false;
    };
    one_at_a_time.token.yield_to_waiters();
    true
}

/// Calls a form that gives a request; gives the error code.
///
/// # Safety
///
/// `arguments` are those of the form but for the request.
pub unsafe fn begin(
    form: &SubstituteFunction,
    binding: Binding,
    arguments: &[usize],
    request: &mut usize,
) -> i32 {
    let arguments = [arguments, &[place(request)]].concat();
    // SAFETY: the caller guarantees the arguments of the function that is called; a handle of any binding has
    // room in a word.
    unsafe { form.call(binding, &arguments) }
}

/// Looks once; gives the error code when there is something to see.
///
/// # Safety
///
/// `arguments` are those of the form but for the flag, which stands before the last.
pub unsafe fn look(
    form: &SubstituteFunction,
    binding: Binding,
    arguments: &[usize],
) -> Option<i32> {
    let (status, others) = arguments.split_last()?;
    let mut flag = 0i32;
    let arguments = [others, &[place(&mut flag), *status]].concat();
    // SAFETY: with the address of `flag` before the last argument, the list is complete (see Safety); `flag` lives
    // until the call has returned.
    let error = unsafe { form.call(binding, &arguments) };
    if error != 0 || flag != 0 {
        Some(error)
    } else {
        None
    }
}

/// # Safety
///
/// `arguments` are those of the form; at `number` is the address of an integer.
unsafe fn look_for_some(
    form: &SubstituteFunction,
    binding: Binding,
    arguments: &[usize],
    number: usize,
) -> Option<i32> {
    // SAFETY: the arguments are those of the form (see Safety). The call writes the integer at `number`, which is read
    // only after it has returned.
    let (error, complete) = unsafe {
        (
            form.call(binding, arguments),
            (arguments[number] as *const i32).read(),
        )
    };
    if error != 0 || complete != 0 {
        Some(error)
    } else {
        None
    }
}

/// The address of a place for a call to write to.
pub fn place<T>(variable: &mut T) -> usize {
    (&raw mut *variable).expose_provenance()
}
