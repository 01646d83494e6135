//! Error handlers, and what becomes of an error: the handler of the communicator concerned decides.
//! Classes, codes and their texts are in `error_codes`.

use crate::arguments::{Function, Int, Language, Out, TextIn};
use crate::entry_guard;
use crate::failure::{Failure, Outcome, wrong};
use crate::handle_tables::Basics;
use crate::process::Process;
use std::ffi::c_int;
use std::rc::Rc;
use token_runtime::mpich::{ERRHANDLER_NULL, ERRORS_ABORT, ERRORS_ARE_FATAL, ERRORS_RETURN, class};
use token_runtime::termination::Termination;
use token_runtime::warnings::Warning;

/// What becomes of an error, with the handle that the program knows it by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handler {
    pub handle: i32,
    action: Action,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    /// The run ends.
    End,
    /// The call returns the error.
    Return,
    /// A function of the program is called, then the call returns the error.
    Call(Function),
}

/// A handler with the number of times that the program has got its handle and not freed it.
pub struct HandlerReferences {
    handler: Rc<Handler>,
    times: u32,
}

impl Default for Handler {
    fn default() -> Self {
        Self {
            handle: ERRORS_ARE_FATAL,
            action: Action::End,
        }
    }
}

/// A handler of C, and one of Fortran.
type CHandler = unsafe extern "C" fn(*mut c_int, *mut c_int, ...);
type FortranHandler = unsafe extern "C" fn(*mut c_int, *mut c_int);

impl Process {
    /// What a call that failed returns, if it returns.
    pub fn failed(&mut self, failure: Failure) -> i32 {
        match failure {
            Failure::Argument(code, sentence) => {
                let session = self.tables.current_session.get();
                let session =
                    session.and_then(|handle| Some((handle, self.tables.sessions.get(handle)?)));
                match session.map(|(handle, session)| (handle, session.error_handler.clone())) {
                    Some((handle, handler)) => self.raise(&handler, handle, code, sentence),
                    None => self.raise_of_communicator(
                        self.tables.current_communicator.get(),
                        code,
                        sentence,
                    ),
                }
            }
            Failure::Fatal(termination) => self.end(termination),
        }
    }

    /// An error that concerns a communicator: gives the code if its handler lets the run go on.
    fn raise_of_communicator(&mut self, communicator: usize, code: i32, sentence: String) -> i32 {
        let alive = self
            .communicators
            .get(communicator)
            .is_some_and(Option::is_some);
        let communicator = if alive { communicator } else { 0 };
        let handler = self.properties[communicator].error_handler.clone();
        self.raise(
            &handler,
            self.communicator_handle(communicator),
            code,
            sentence,
        )
    }

    /// An error that concerns the communicator or session with this handle.
    fn raise(&mut self, handler: &Handler, handle: i32, code: i32, sentence: String) -> i32 {
        match handler.action {
            Action::End => self.end(Termination::Failure(sentence)),
            Action::Return => {}
            Action::Call(function) => {
                let (mut handle, mut code) = (handle, code);
                // SAFETY: the program said that this is a handler of its language.
                entry_guard::call_user_function(self, || unsafe {
                    call(function, &mut handle, &mut code)
                });
            }
        }
        code
    }

    /// A function is called that the library does not have. Where the program has asked for errors, it gets one;
    /// but what it does then is not what it does under a real MPI, so nothing is recorded or measured of it.
    pub fn unsupported_call(&mut self, name: &str, communicator: Option<i32>) -> i32 {
        let known = communicator.and_then(|handle| self.communicator_index(handle).ok());
        let index = known.unwrap_or(0);
        let handler = self.properties[index].error_handler.clone();
        let has_program_data = self.stream.is_some() || self.measure.is_some();
        if has_program_data || handler.action == Action::End {
            self.end(Termination::Missing {
                name: name.into(),
                place: self.place(),
            });
        }
        self.warn(Warning::Missing {
            name: name.into(),
            place: self.place(),
        });
        let sentence = format!("mpiete's MPI library does not have {name} yet");
        let (handle, code) = (
            self.communicator_handle(index),
            class::UNSUPPORTED_OPERATION,
        );
        self.raise(&handler, handle, code, sentence)
    }

    /// The handler of a handle.
    pub fn handler(&self, handle: i32) -> Result<Rc<Handler>, Failure> {
        let action = match handle {
            ERRORS_ARE_FATAL | ERRORS_ABORT => Action::End,
            ERRORS_RETURN => Action::Return,
            _ => {
                let made = self
                    .tables
                    .basics
                    .error_handlers
                    .get(handle)
                    .map(|held| held.handler.clone());
                return made.map_or_else(|| no_handler(handle), Ok);
            }
        };
        Ok(Rc::new(Handler { handle, action }))
    }
}

impl Process {
    /// The program gets the handle of a handler once more; one that was freed but is still at work gets it
    /// back.
    fn add_reference(&mut self, handler: &Rc<Handler>) {
        match handler.action {
            Action::End | Action::Return => {}
            Action::Call(_) => match self.tables.basics.error_handlers.get_mut(handler.handle) {
                Some(held) => held.times += 1,
                None => {
                    let held = HandlerReferences {
                        handler: handler.clone(),
                        times: 1,
                    };
                    self.tables
                        .basics
                        .error_handlers
                        .restore(handler.handle, held);
                }
            },
        }
    }
}

/// Calls a handler.
///
/// # Safety
///
/// The function must be a handler of its language.
unsafe fn call(function: Function, handle: &mut i32, code: &mut i32) {
    // SAFETY: the caller guarantees the address of an error handler with this signature, and x86-64 represents function pointers by their address.
    unsafe {
        match function.language {
            Language::C => std::mem::transmute::<usize, CHandler>(function.address)(handle, code),
            Language::Fortran => {
                std::mem::transmute::<usize, FortranHandler>(function.address)(handle, code)
            }
        }
    }
}

pub fn create_handler(basics: &mut Basics, function: Function, errhandler: Out) -> Outcome {
    if function.address == 0 {
        return wrong(class::ARG, "the error handler's function is a null pointer");
    }
    let handlers = &mut basics.error_handlers;
    let handle = handlers.next();
    let handler = Rc::new(Handler {
        handle,
        action: Action::Call(function),
    });
    errhandler.set(handlers.add(HandlerReferences { handler, times: 1 }));
    Ok(())
}

pub fn create_communicator_handler(
    process: &mut Process,
    function: Function,
    errhandler: Out,
) -> Outcome {
    create_handler(&mut process.tables.basics, function, errhandler)
}

pub fn free_handler(basics: &mut Basics, errhandler: Out) -> Outcome {
    let handle = errhandler.get();
    if ![ERRORS_ARE_FATAL, ERRORS_RETURN, ERRORS_ABORT].contains(&handle) {
        let handlers = &mut basics.error_handlers;
        let Some(held) = handlers.get_mut(handle) else {
            return no_handler(handle);
        };
        held.times -= 1;
        if held.times == 0 {
            handlers.remove(handle);
        }
    }
    errhandler.set(ERRHANDLER_NULL);
    Ok(())
}

fn no_handler<T>(handle: i32) -> Result<T, Failure> {
    wrong(
        class::ARG,
        format!("{handle:#x} is no error handler of this rank"),
    )
}

pub fn set_handler(process: &mut Process, comm: Int, errhandler: Int) -> Outcome {
    let index = process.communicator_index(comm.0)?;
    process.properties[index].error_handler = process.handler(errhandler.0)?;
    Ok(())
}

pub fn get_handler(process: &mut Process, comm: Int, errhandler: Out) -> Outcome {
    let index = process.communicator_index(comm.0)?;
    let handler = process.properties[index].error_handler.clone();
    process.add_reference(&handler);
    errhandler.set(handler.handle);
    Ok(())
}

pub fn call_handler(process: &mut Process, comm: Int, errorcode: Int) -> Outcome {
    let index = process.communicator_index(comm.0)?;
    process.raise_of_communicator(index, errorcode.0, process.reported(errorcode));
    Ok(())
}

impl Process {
    fn reported(&self, code: Int) -> String {
        let text = self.tables.basics.error_codes.text(code.0);
        format!("the program reported the error {} ({text})", code.0)
    }
}

pub fn set_session_handler(process: &mut Process, session: Int, errhandler: Int) -> Outcome {
    let handler = process.handler(errhandler.0)?;
    process.session(session)?.error_handler = handler;
    Ok(())
}

pub fn get_session_handler(process: &mut Process, session: Int, errhandler: Out) -> Outcome {
    let handler = process.session(session)?.error_handler.clone();
    process.add_reference(&handler);
    errhandler.set(handler.handle);
    Ok(())
}

pub fn call_session_handler(process: &mut Process, session: Int, errorcode: Int) -> Outcome {
    let handler = process.session(session)?.error_handler.clone();
    process.raise(
        &handler,
        session.0,
        errorcode.0,
        process.reported(errorcode),
    );
    Ok(())
}

pub fn class_of(basics: &mut Basics, errorcode: Int, errorclass: Out) -> Outcome {
    errorclass.set(basics.error_codes.class(errorcode.0));
    Ok(())
}

pub fn add_class(basics: &mut Basics, errorclass: Out) -> Outcome {
    errorclass.set(basics.error_codes.add_class());
    Ok(())
}

pub fn add_code(basics: &mut Basics, errorclass: Int, errorcode: Out) -> Outcome {
    errorcode.set(basics.error_codes.add_code(errorclass.0));
    Ok(())
}

pub fn add_text(basics: &mut Basics, errorcode: Int, string: TextIn) -> Outcome {
    if basics.error_codes.add_text(errorcode.0, string.bytes()) {
        return Ok(());
    }
    wrong(
        class::ARG,
        format!(
            "{} is no error code or class that the program has added",
            errorcode.0
        ),
    )
}

pub fn remove_class(basics: &mut Basics, errorclass: Int) -> Outcome {
    removed(basics.error_codes.remove_class(errorclass.0), errorclass)
}

pub fn remove_code(basics: &mut Basics, errorcode: Int) -> Outcome {
    removed(basics.error_codes.remove_code(errorcode.0), errorcode)
}

pub fn remove_text(basics: &mut Basics, errorcode: Int) -> Outcome {
    removed(basics.error_codes.remove_text(errorcode.0), errorcode)
}

fn removed(result: Result<(), &str>, code: Int) -> Outcome {
    result.or_else(|reason| wrong(class::ARG, format!("{} {reason}", code.0)))
}
