//! System calls by number (`syscall`): some of them are clocks, others say that a process is its own.

use crate::program_clocks;
use std::ffi::{c_long, c_void};
use token_runtime::fork_events::ForkObstacle;

/// The C library's function, which the program calls for what is no clock.
///
/// # Safety
///
/// As the C library's.
#[cfg_attr(not(target_arch = "x86_64"), unsafe(export_name = "syscall"))]
pub unsafe extern "C" fn system_call(
    number: c_long,
    a: c_long,
    b: c_long,
    c: c_long,
    d: c_long,
    e: c_long,
    f: c_long,
) -> c_long {
    static NEXT: super::Next = super::Next::new(c"syscall");
    match number {
        libc::SYS_getrandom => super::report_obstacle(ForkObstacle::Random),
        libc::SYS_clock_gettime | libc::SYS_gettimeofday => {
            super::report_obstacle(ForkObstacle::Clock)
        }
        libc::SYS_getpid | libc::SYS_gettid | libc::SYS_getppid => {
            super::report_obstacle(ForkObstacle::ProcessId)
        }
        _ => {}
    }
    type Calls =
        unsafe extern "C" fn(c_long, c_long, c_long, c_long, c_long, c_long, c_long) -> c_long;
    // SAFETY: the C library has it, with as many arguments as a call takes, those that it takes not being looked at; the
    // program guarantees them.
    unsafe { std::mem::transmute::<*mut c_void, Calls>(NEXT.get())(number, a, b, c, d, e, f) }
}

/// Clocks get the address that the call returns to, as their functions do (`program_clocks`). Everything else keeps its
/// arguments, the last of which is on the stack.
///
/// # Safety
///
/// As the C library's.
#[cfg(target_arch = "x86_64")]
#[unsafe(no_mangle)]
#[unsafe(naked)]
unsafe extern "C" fn syscall() -> c_long {
    std::arch::naked_asm!(
        "cmp rdi, {clock_gettime}",
        "je 2f",
        "cmp rdi, {gettimeofday}",
        "je 2f",
        "cmp rdi, {time}",
        "je 2f",
        "cmp rdi, {times}",
        "je 2f",
        "cmp rdi, {getrusage}",
        "je 2f",
        "jmp {other}",
        "2:",
        "mov rcx, qword ptr [rsp]",
        "jmp {clock}",
        clock_gettime = const libc::SYS_clock_gettime,
        gettimeofday = const libc::SYS_gettimeofday,
        time = const libc::SYS_time,
        times = const libc::SYS_times,
        getrusage = const libc::SYS_getrusage,
        other = sym system_call,
        clock = sym program_clocks::read_by_number,
    )
}
