//! Functions of the C library that stand here, too, and come first, since this library is loaded before all others: what
//! the program does with them before `MPI_Init` decides whether its process may become all ranks (`fork_safety`), and where an MPI
//! library that it loads by path comes from (`loading`), and programs that it starts stay in the run (`programs`). They hand on to the C library.

mod files;
mod identity;
mod inheritance;
mod input;
pub mod loading;
pub mod processor_times;
pub mod programs;
mod random;
mod sleeping;
pub mod system_calls;

use std::ffi::{CStr, c_void};
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};
use token_runtime::fork_events::ForkObstacle;

/// The first thing that the program did that is its process's own, plus 1; 0 for nothing.
static FORK_OBSTACLE: AtomicU32 = AtomicU32::new(0);

/// The program does something that is its process's own.
pub fn report_obstacle(own: ForkObstacle) {
    // Later ones change nothing; and a plain load is all that most calls cost.
    if FORK_OBSTACLE.load(Ordering::Relaxed) == 0 {
        FORK_OBSTACLE.store(own as u32 + 1, Ordering::Relaxed);
    }
}

/// What the program did that is its process's own, if anything.
pub fn reported_obstacle() -> Option<ForkObstacle> {
    let place = FORK_OBSTACLE.load(Ordering::Relaxed).checked_sub(1)?;
    ForkObstacle::ALL.get(place as usize).copied()
}

/// Runs a part of this library, whose own calls say nothing of the program.
pub fn without_reporting<T>(body: impl FnOnce() -> T) -> T {
    let before = FORK_OBSTACLE.load(Ordering::Relaxed);
    let value = body();
    FORK_OBSTACLE.store(before, Ordering::Relaxed);
    value
}

/// Whether the program's calls come here: another library may come first, or the program have its C library inside.
pub fn is_interposing() -> bool {
    let ours = identity::getpid as *const c_void;
    // SAFETY: a `CStr` ends with a zero byte, and looking up a symbol runs no code of the library.
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"getpid".as_ptr()) };
    std::ptr::eq(found, ours)
}

/// The next function of this name behind this library's, looked up once.
struct Next {
    name: &'static CStr,
    found: AtomicPtr<c_void>,
}

impl Next {
    const fn new(name: &'static CStr) -> Self {
        Self {
            name,
            found: AtomicPtr::new(std::ptr::null_mut()),
        }
    }

    /// Null if there is none.
    fn get(&self) -> *mut c_void {
        let known = self.found.load(Ordering::Relaxed);
        if !known.is_null() {
            return known;
        }
        // SAFETY: a `CStr` ends with a zero byte, and looking up a symbol runs no code of the library.
        let found = unsafe { libc::dlsym(libc::RTLD_NEXT, self.name.as_ptr()) };
        self.found.store(found, Ordering::Relaxed);
        found
    }
}

/// Defines a C function that executes `$first`, which may return from it, and then hands on to the next function of its name.
/// `otherwise` is for a C library without the function.
macro_rules! hand_on {
    ($symbol:ident($($name:ident: $kind:ty),*) -> $result:ty, first $first:expr, otherwise $otherwise:expr) => {
            /// What the C library's function does.
            ///
            /// # Safety
            ///
            /// As the C library's.
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $symbol($($name: $kind),*) -> $result {
                static NEXT: $crate::interposed::Next = $crate::interposed::Next::new(
                    match std::ffi::CStr::from_bytes_with_nul(concat!(stringify!($symbol), "\0").as_bytes()) {
                        Ok(name) => name,
                        Err(_) => panic!("a name has no zero byte"),
                    },
                );
                $first;
                let next = NEXT.get();
                if next.is_null() {
                    return $otherwise;
                }
                // SAFETY: the function of this name that comes next has the same signature; the program guarantees its arguments.
                unsafe {
                    std::mem::transmute::<*mut std::ffi::c_void, unsafe extern "C" fn($($kind),*) -> $result>(next)(
                        $($name),*
                    )
                }
            }
    };
}
use hand_on;

/// Defines C functions that notice something and hand on.
macro_rules! interpose {
    ($($own:expr => $symbol:ident($($name:ident: $kind:ty),*) -> $result:ty, otherwise $otherwise:expr;)+) => {
        $(
            $crate::interposed::hand_on! {
                $symbol($($name: $kind),*) -> $result,
                first if let Some(own) = $own {
                    $crate::interposed::report_obstacle(own);
                },
                otherwise $otherwise
            }
        )+
    };
}
use interpose;
