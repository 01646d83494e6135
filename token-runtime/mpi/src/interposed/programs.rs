//! Programs that a process starts before it is a rank, such as a script's: they get the variables of the run
//! also where the process has taken them out of their environment (`env -i`, `unset LD_PRELOAD`). Without them the program
//! would find another MPI library, and each rank would run as the only one.
//!
//! `rank_process` determines which process is the rank. A child between `fork` and `exec` may come here, so all that takes a
//! lock of the loader happens when the library is loaded.

use super::Next;
use crate::rank_process;
use std::ffi::{CStr, CString, OsString, c_char, c_int, c_void};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::sync::OnceLock;
use token_runtime::environment::{LIBRARIES, SEGMENT};

type Texts = *const *const c_char;

unsafe extern "C" {
    static mut environ: Texts;
}

/// What variables of a run begin with.
const OF_RUN: &[u8] = b"MPIETE_";
/// Lists of paths that begin with those of the run.
const LISTS: [&str; 2] = ["LD_PRELOAD", "LD_LIBRARY_PATH"];

/// A variable that a program of the run needs.
struct Needed {
    /// The name and an equals sign.
    name: Vec<u8>,
    value: Vec<u8>,
    /// Whether a value is a list that only has to contain this one.
    is_list: bool,
}

/// What programs need that may become the rank.
static NEEDED: OnceLock<Vec<Needed>> = OnceLock::new();

/// When the library is loaded.
pub fn on_load() {
    for next in [
        &EXECVE,
        &EXECVPE,
        &FEXECVE,
        &SPAWN,
        &SPAWN_BY_NAME,
        &SYSTEM,
        &OPEN_PIPE,
    ] {
        next.get();
    }
    if std::env::var_os(SEGMENT).is_none() || !rank_process::may_be_rank() {
        return;
    }
    let _ = NEEDED.set(needed());
}

fn needed() -> Vec<Needed> {
    let of_run = std::env::vars_os().filter(|(name, _)| name.as_bytes().starts_with(OF_RUN));
    let whole = |(name, value): (OsString, OsString)| Needed {
        name: with_equals_sign(name.as_bytes()),
        value: value.into_vec(),
        is_list: false,
    };
    let mut needed: Vec<Needed> = of_run.map(whole).collect();
    let Some(folder) = std::env::var_os(LIBRARIES) else {
        return needed;
    };
    for name in LISTS {
        let list = std::env::var_os(name).unwrap_or_default();
        let is_ours = |path: &&[u8]| path.starts_with(folder.as_bytes());
        let ours: Vec<&[u8]> = list
            .as_bytes()
            .split(|&byte| byte == b':')
            .filter(is_ours)
            .collect();
        if !ours.is_empty() {
            let name = with_equals_sign(name.as_bytes());
            needed.push(Needed {
                name,
                value: ours.join(&b':'),
                is_list: true,
            });
        }
    }
    needed
}

fn with_equals_sign(name: &[u8]) -> Vec<u8> {
    [name, b"="].concat()
}

/// An environment with what a program of the run needs.
struct Completed {
    /// Ends with a null pointer.
    pointers: Vec<*const c_char>,
    /// What some of them point at.
    _texts: Vec<CString>,
}

/// `None` if nothing is to be added.
///
/// # Safety
///
/// `environment` is null or a list of texts that ends with a null pointer.
unsafe fn completed(environment: Texts, is_same_process: bool) -> Option<Completed> {
    let needed = NEEDED.get()?;
    if !rank_process::may_become_rank(is_same_process) {
        return None;
    }
    // SAFETY: the program guarantees what the C library's function requires: each text ends with a zero byte,
    // each list with a null pointer.
    let given = unsafe { texts(environment) };
    let value = |of: &Needed| {
        given
            .iter()
            .rev()
            .find_map(|text| text.to_bytes().strip_prefix(&of.name[..]))
    };
    let segment = needed
        .iter()
        .find(|one| one.name.strip_suffix(b"=") == Some(SEGMENT.as_bytes()))?;
    // A rank of a run that this process has started.
    if value(segment).is_some_and(|value| value != segment.value) {
        return None;
    }
    let mut added: Vec<(&Needed, CString)> = Vec::new();
    for one in needed {
        let text = match value(one) {
            None => [&one.name[..], &one.value].concat(),
            Some(value) if one.is_list && !contains(value, &one.value) => {
                [&one.name[..], &one.value, b":", value].concat()
            }
            Some(_) => continue,
        };
        added.push((one, CString::new(text).ok()?));
    }
    if added.is_empty() {
        return None;
    }
    let is_replaced = |text: &CStr| {
        added
            .iter()
            .any(|(one, _)| text.to_bytes().starts_with(&one.name))
    };
    let kept = given
        .iter()
        .filter(|text| !is_replaced(text))
        .map(|text| text.as_ptr());
    let mut pointers: Vec<*const c_char> = kept.collect();
    pointers.extend(added.iter().map(|(_, text)| text.as_ptr()));
    pointers.push(std::ptr::null());
    Some(Completed {
        pointers,
        _texts: added.into_iter().map(|(_, text)| text).collect(),
    })
}

fn contains(value: &[u8], part: &[u8]) -> bool {
    part.is_empty() || value.windows(part.len()).any(|window| window == part)
}

/// # Safety
///
/// `list` is null or a list of texts that ends with a null pointer; they stay as they are while the result is used.
unsafe fn texts<'a>(list: Texts) -> Vec<&'a CStr> {
    let mut all = Vec::new();
    if list.is_null() {
        return all;
    }
    for place in 0.. {
        // SAFETY: no pointer before this one was null.
        let text = unsafe { *list.add(place) };
        if text.is_null() {
            break;
        }
        // SAFETY: the caller guarantees that each text ends with a zero byte and outlives the result.
        all.push(unsafe { CStr::from_ptr(text) });
    }
    all
}

static EXECVE: Next = Next::new(c"execve");
static EXECVPE: Next = Next::new(c"execvpe");
static FEXECVE: Next = Next::new(c"fexecve");
static SPAWN: Next = Next::new(c"posix_spawn");
static SPAWN_BY_NAME: Next = Next::new(c"posix_spawnp");
static SYSTEM: Next = Next::new(c"system");
static OPEN_PIPE: Next = Next::new(c"popen");

/// Hands on to a function of the `exec` family.
///
/// # Safety
///
/// `next` is one whose first argument has the type `A`; the arguments are as the C library wants them.
unsafe fn execute<A>(next: &Next, program: A, arguments: Texts, environment: Texts) -> c_int {
    // SAFETY: the program guarantees what the C library's function requires: each text ends with a zero byte,
    // each list with a null pointer.
    let completed = unsafe { completed(environment, true) };
    let environment = completed
        .as_ref()
        .map_or(environment, |completed| completed.pointers.as_ptr());
    // SAFETY: the caller guarantees that `next` has this signature, and arguments that the C library accepts.
    unsafe {
        let next: unsafe extern "C" fn(A, Texts, Texts) -> c_int = std::mem::transmute(next.get());
        next(program, arguments, environment)
    }
}

/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
unsafe extern "C" fn execve(path: *const c_char, arguments: Texts, environment: Texts) -> c_int {
    // SAFETY: the program calls this in place of the C library's function, whose requirements `execute` has,
    // too.
    unsafe { execute(&EXECVE, path, arguments, environment) }
}

/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
unsafe extern "C" fn execv(path: *const c_char, arguments: Texts) -> c_int {
    // SAFETY: the program calls this in place of the C library's function, whose requirements `execute` has,
    // too.
    unsafe { execute(&EXECVE, path, arguments, environ) }
}

/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
unsafe extern "C" fn execvp(name: *const c_char, arguments: Texts) -> c_int {
    // SAFETY: the program calls this in place of the C library's function, whose requirements `execute` has,
    // too.
    unsafe { execute(&EXECVPE, name, arguments, environ) }
}

/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
unsafe extern "C" fn execvpe(name: *const c_char, arguments: Texts, environment: Texts) -> c_int {
    // SAFETY: the program calls this in place of the C library's function, whose requirements `execute` has,
    // too.
    unsafe { execute(&EXECVPE, name, arguments, environment) }
}

/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
unsafe extern "C" fn fexecve(file: c_int, arguments: Texts, environment: Texts) -> c_int {
    // SAFETY: the program calls this in place of the C library's function, whose requirements `execute` has,
    // too.
    unsafe { execute(&FEXECVE, file, arguments, environment) }
}

/// `execle`, whose environment stands behind the null pointer that ends the arguments.
#[cfg(target_arch = "x86_64")]
unsafe extern "C" fn execve_behind(path: *const c_char, arguments: Texts) -> c_int {
    // SAFETY: the program calls this in place of the C library's function, whose requirements `execute` has,
    // too.
    unsafe {
        let count = texts(arguments).len();
        execve(path, arguments, (*arguments.add(count + 1)).cast())
    }
}

/// Exports a function with any number of arguments. The first of them come in registers: they are put on the stack before the
/// others, where together they are the list that the body takes. The return address stands between and moves behind.
#[cfg(target_arch = "x86_64")]
macro_rules! with_list {
    ($($symbol:ident => $body:path;)+) => {
        $(
            /// # Safety
            ///
            /// As the C library's.
            #[unsafe(no_mangle)]
            #[unsafe(naked)]
            unsafe extern "C" fn $symbol() -> c_int {
                std::arch::naked_asm!(
                    "pop rax",
                    "push r9",
                    "push r8",
                    "push rcx",
                    "push rdx",
                    "push rsi",
                    "mov rsi, rsp",
                    "push rax",
                    "call {body}",
                    "pop rcx",
                    "add rsp, 40",
                    "push rcx",
                    "ret",
                    body = sym $body,
                )
            }
        )+
    };
}

#[cfg(target_arch = "x86_64")]
with_list! {
    execl => execv;
    execlp => execvp;
    execle => execve_behind;
}

/// Hands on to a function of the `posix_spawn` family.
///
/// # Safety
///
/// The arguments are as the C library wants them.
unsafe fn spawn(
    next: &Next,
    (process, program): (*mut libc::pid_t, *const c_char),
    (files, attributes): (*const c_void, *const c_void),
    (arguments, environment): (Texts, Texts),
) -> c_int {
    type Spawns = unsafe extern "C" fn(
        *mut libc::pid_t,
        *const c_char,
        *const c_void,
        *const c_void,
        Texts,
        Texts,
    ) -> c_int;
    // SAFETY: both functions of the C library have this signature; the program guarantees their arguments.
    unsafe {
        let completed = completed(environment, false);
        let environment = completed
            .as_ref()
            .map_or(environment, |completed| completed.pointers.as_ptr());
        let next: Spawns = std::mem::transmute(next.get());
        next(process, program, files, attributes, arguments, environment)
    }
}

/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
unsafe extern "C" fn posix_spawn(
    process: *mut libc::pid_t,
    path: *const c_char,
    files: *const c_void,
    attributes: *const c_void,
    arguments: Texts,
    environment: Texts,
) -> c_int {
    // SAFETY: the program calls this in place of the C library's function, whose requirements `execute` has,
    // too.
    unsafe {
        spawn(
            &SPAWN,
            (process, path),
            (files, attributes),
            (arguments, environment),
        )
    }
}

/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
unsafe extern "C" fn posix_spawnp(
    process: *mut libc::pid_t,
    name: *const c_char,
    files: *const c_void,
    attributes: *const c_void,
    arguments: Texts,
    environment: Texts,
) -> c_int {
    // SAFETY: the program calls this in place of the C library's function, whose requirements `execute` has,
    // too.
    unsafe {
        spawn(
            &SPAWN_BY_NAME,
            (process, name),
            (files, attributes),
            (arguments, environment),
        )
    }
}

/// Runs `body`, which starts a program with this process's environment.
fn with_environment<T>(body: impl FnOnce() -> T) -> T {
    // SAFETY: the environment is a list of texts; where another thread changes it, the program errs.
    unsafe {
        let before = environ;
        let Some(completed) = completed(before, false) else {
            return body();
        };
        environ = completed.pointers.as_ptr();
        let value = body();
        environ = before;
        value
    }
}

/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
unsafe extern "C" fn system(command: *const c_char) -> c_int {
    // SAFETY: the C library's function of this name, which has this signature; the program guarantees its argument.
    with_environment(|| unsafe {
        let next: unsafe extern "C" fn(*const c_char) -> c_int = std::mem::transmute(SYSTEM.get());
        next(command)
    })
}

/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
unsafe extern "C" fn popen(command: *const c_char, mode: *const c_char) -> *mut libc::FILE {
    type Opens = unsafe extern "C" fn(*const c_char, *const c_char) -> *mut libc::FILE;
    // SAFETY: the C library's function of this name, which has this signature; the program guarantees its arguments.
    with_environment(|| unsafe {
        let next: Opens = std::mem::transmute(OPEN_PIPE.get());
        next(command, mode)
    })
}
