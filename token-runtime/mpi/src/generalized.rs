//! Generalized requests: the program itself says when they are complete.

use crate::arguments::{Function, Int, Language, Out, Word};
use crate::completion::{request_handle, request_number};
use crate::entry_guard;
use crate::failure::{Failure, Outcome, wrong};
use crate::process::Process;
use crate::requests::{Cancellation, Pending, Request};
use std::cell::Cell;
use std::ffi::{c_int, c_void};
use token_runtime::kernel::slot;
use token_runtime::mpich::class;
use token_runtime::mpich::status::{self, Envelope};

/// A generalized request. A Fortran program's functions get the variable that was passed as state, which
/// they may change, as with MPICH.
struct Generalized {
    query: Function,
    free: Function,
    cancel: Function,
    extra_state: Word,
    is_complete: Cell<bool>,
    is_waited_for: Cell<bool>,
}

/// How C and Fortran declare the program's functions.
type QueryC = unsafe extern "C" fn(*mut c_void, *mut c_int) -> c_int;
type FreeC = unsafe extern "C" fn(*mut c_void) -> c_int;
type CancelC = unsafe extern "C" fn(*mut c_void, c_int) -> c_int;
type QueryFortran = unsafe extern "C" fn(*const i64, *mut c_int, *mut c_int);
type FreeFortran = unsafe extern "C" fn(*const i64, *mut c_int);
type CancelFortran = unsafe extern "C" fn(*const i64, *const c_int, *mut c_int);

/// Calls a function of the program by the signature of its language.
macro_rules! call {
    ($process:expr, $function:expr, $c:ty, $fortran:ty, $state:expr, ($($by_value:expr),*), ($($by_reference:expr),*)) => {{
        let (function, state): (Function, Word) = ($function, $state);
        entry_guard::call_user_function($process, || {
            // SAFETY: the program passed this function for this purpose, in this language.
            unsafe {
                match function.language {
                    Language::C => {
                        let call = std::mem::transmute::<usize, $c>(function.address);
                        call(state.value as *mut c_void, $($by_value),*)
                    }
                    Language::Fortran => {
                        let call = std::mem::transmute::<usize, $fortran>(function.address);
                        let mut error = 0;
                        call(state.variable, $($by_reference,)* &raw mut error);
                        error
                    }
                }
            }
        })
    }};
}

/// What a function of the program returned.
fn outcome(code: c_int, name: &str) -> Outcome {
    if code == 0 {
        Ok(())
    } else {
        wrong(
            code,
            format!("the {name} function returned error code {code}"),
        )
    }
}

impl Pending for Generalized {
    fn is_complete(&self, _: &Process) -> bool {
        self.is_complete.get()
    }

    fn wait_for(&self, _: &Process) {
        self.is_waited_for.set(true);
    }

    fn forget(&self, _: &Process) {
        self.is_waited_for.set(false);
    }

    fn finish(self: Box<Self>, process: &mut Process) -> Result<Envelope, Failure> {
        let mut words = [0; status::SIZE];
        let [low, high, source, tag] = Envelope::EMPTY.words();
        words[..4].copy_from_slice(&[low, high, source, tag]);
        let place = words.as_mut_ptr();
        let code = call!(
            process,
            self.query,
            QueryC,
            QueryFortran,
            self.extra_state,
            (place),
            (place)
        );
        outcome(code, "query")?;
        let code = call!(
            process,
            self.free,
            FreeC,
            FreeFortran,
            self.extra_state,
            (),
            ()
        );
        outcome(code, "free")?;
        let [low, high, source, tag, _] = words;
        Ok(Envelope::of_words([low, high, source, tag]))
    }

    fn cancellation(&self) -> Option<Cancellation> {
        let (cancel, state, complete) = (
            self.cancel,
            self.extra_state,
            i32::from(self.is_complete.get()),
        );
        Some(Box::new(move |process| {
            let flag = &raw const complete;
            outcome(
                call!(
                    process,
                    cancel,
                    CancelC,
                    CancelFortran,
                    state,
                    (complete),
                    (flag)
                ),
                "cancel",
            )
        }))
    }

    fn declare_complete(&self, process: &Process) -> bool {
        self.is_complete.set(true);
        if self.is_waited_for.take() {
            slot::complete_one(process.memory(), process.rank);
        }
        true
    }

    fn described(&self) -> String {
        "a generalized request".into()
    }
}

pub fn start(
    process: &mut Process,
    query: Function,
    free: Function,
    cancel: Function,
    extra_state: Word,
    request: Out,
) -> Outcome {
    let generalized = Generalized {
        query,
        free,
        cancel,
        extra_state,
        is_complete: Cell::new(false),
        is_waited_for: Cell::new(false),
    };
    let number = process
        .requests
        .add(Request::Pending(Box::new(generalized)));
    // Recordings know of no work of the program's own that goes on beside it.
    process.make_composite(number, 0);
    request.set(request_handle(number));
    Ok(())
}

pub fn complete(process: &mut Process, request: Int) -> Outcome {
    let number = request_number(process, request.0)?;
    match process.requests.get(number) {
        Some(Request::Pending(pending)) if pending.declare_complete(process) => Ok(()),
        Some(_) | None => wrong(class::REQUEST, "the request is no generalized one"),
    }
}
