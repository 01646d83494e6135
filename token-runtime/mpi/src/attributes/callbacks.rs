//! Calling the program's copy and delete functions; those that MPI provides are in `entries::modules`.

use super::keyvals::Form;
use super::{Attribute, Value};
use crate::entry_guard;
use crate::failure::{Failure, Outcome, wrong};
use crate::process::Process;
use std::ffi::{c_int, c_void};

type CCopy =
    unsafe extern "C" fn(c_int, c_int, *mut c_void, *mut c_void, *mut c_void, *mut c_int) -> c_int;
type CDelete = unsafe extern "C" fn(c_int, c_int, *mut c_void, *mut c_void) -> c_int;
type FortranCopy<T> = unsafe extern "C" fn(
    *const c_int,
    *const c_int,
    *const T,
    *const T,
    *mut T,
    *mut c_int,
    *mut c_int,
);
type FortranDelete<T> =
    unsafe extern "C" fn(*const c_int, *const c_int, *const T, *const T, *mut c_int);

unsafe extern "C" {
    /// C's `MPI_COMM_DUP_FN` as the program knows it. It is not called: what C would copy of a value that
    /// Fortran has set is the address of the original.
    fn MPIR_Dup_fn();
}

/// What the copy of an object has of an attribute of the original, whose handle is `object`; `None` if nothing.
pub fn copied(
    process: &mut Process,
    object: i32,
    attribute: &Attribute,
) -> Result<Option<Value>, Failure> {
    let function = attribute.keyval.copy;
    if function.address == 0 {
        return Ok(None);
    }
    if function.address == MPIR_Dup_fn as *const () as usize {
        return Ok(Some(attribute.value.clone()));
    }
    // SAFETY: the program said that this is a copy function of its language.
    let (code, flag, word) =
        entry_guard::call_user_function(process, || unsafe { call_copy(object, attribute) });
    if code != 0 {
        return wrong(
            code,
            format!("the copy function of an attribute gave the error {code}"),
        );
    }
    // A copy function that leaves the flag at 0 does not copy the attribute (MPI-4.1, 7.7.2).
    if flag == 0 {
        return Ok(None);
    }
    Ok(Some(Value::of(word, attribute.keyval.form.language())))
}

/// Calls the program's delete callback for an attribute of the object with this handle.
pub fn deleted(process: &mut Process, object: i32, attribute: &Attribute) -> Outcome {
    if attribute.keyval.delete.address == 0 {
        return Ok(());
    }
    // SAFETY: the program said that this is a delete function of its language.
    match entry_guard::call_user_function(process, || unsafe { call_delete(object, attribute) }) {
        0 => Ok(()),
        code => wrong(
            code,
            format!("the delete function of an attribute gave the error {code}"),
        ),
    }
}

/// Gives the function's error code, whether the copy has the attribute, and its value.
///
/// # Safety
///
/// The function must be a copy function of its language.
unsafe fn call_copy(object: i32, attribute: &Attribute) -> (i32, i32, i64) {
    let Attribute { key, keyval, value } = attribute;
    let (address, extra) = (keyval.copy.address, keyval.extra_state);
    let (mut code, mut flag, mut copy) = (0, 0, 0i64);
    let value = value.seen_by(keyval.form.language());
    // SAFETY: the caller guarantees the address of a callback with this signature, and x86-64 represents function pointers by their address.
    unsafe {
        match keyval.form {
            Form::C => {
                let function: CCopy = std::mem::transmute::<usize, CCopy>(address);
                let place = (&raw mut copy).cast();
                code = function(
                    object,
                    *key,
                    extra as *mut c_void,
                    value as *mut c_void,
                    place,
                    &mut flag,
                );
            }
            Form::Fortran => {
                let function = std::mem::transmute::<usize, FortranCopy<i64>>(address);
                function(
                    &object, key, &extra, &value, &mut copy, &mut flag, &mut code,
                );
            }
            Form::OldFortran => {
                let function = std::mem::transmute::<usize, FortranCopy<c_int>>(address);
                let (extra, value, mut short) = (extra as c_int, value as c_int, 0);
                function(
                    &object, key, &extra, &value, &mut short, &mut flag, &mut code,
                );
                copy = i64::from(short);
            }
        }
    }
    (code, flag, copy)
}

/// Gives the function's error code.
///
/// # Safety
///
/// The function must be a delete function of its language.
unsafe fn call_delete(object: i32, attribute: &Attribute) -> i32 {
    let Attribute { key, keyval, value } = attribute;
    let (address, extra) = (keyval.delete.address, keyval.extra_state);
    let mut code = 0;
    let value = value.seen_by(keyval.form.language());
    // SAFETY: the address is that of a delete function (see Safety), and the form says in which language, which determines
    // the signature. `code` is a local variable for its result.
    unsafe {
        match keyval.form {
            Form::C => {
                let function = std::mem::transmute::<usize, CDelete>(address);
                code = function(object, *key, value as *mut c_void, extra as *mut c_void);
            }
            Form::Fortran => {
                let function = std::mem::transmute::<usize, FortranDelete<i64>>(address);
                function(&object, key, &value, &extra, &mut code);
            }
            Form::OldFortran => {
                let function = std::mem::transmute::<usize, FortranDelete<c_int>>(address);
                function(
                    &object,
                    key,
                    &(value as c_int),
                    &(extra as c_int),
                    &mut code,
                );
            }
        }
    }
    code
}
