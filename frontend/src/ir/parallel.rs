//! Independent work on several processors.

use std::sync::{Mutex, PoisonError};

/// The stack of a thread, as large as that of most main threads: statements and expressions nest as deeply as a program's author
/// likes, and the work recurses over them.
const STACK_BYTES: usize = 8 << 20;

/// The results of two computations, the second of which runs in a thread of its own meanwhile. Where no thread can be started, it
/// runs behind the first one.
pub(crate) fn both<A, B: Send>(
    here: impl FnOnce() -> A,
    beside: impl FnOnce() -> B + Send,
) -> (A, B) {
    let pending = Mutex::new(Some(beside));
    let run = || {
        let mut pending = pending.lock().unwrap_or_else(PoisonError::into_inner);
        let work = pending.take();
        drop(pending);
        work.map(|work| work())
    };
    std::thread::scope(|scope| {
        let builder = std::thread::Builder::new().stack_size(STACK_BYTES);
        let thread = builder.spawn_scoped(scope, run);
        let first = here();
        let second = match thread {
            Ok(thread) => match thread.join() {
                Ok(second) => second,
                Err(panic) => std::panic::resume_unwind(panic),
            },
            Err(_) => run(),
        };
        // The work is taken once: by the thread, or here where there is none.
        (first, second.expect("nothing else takes the work"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_returns_the_results_in_order() {
        let text = String::from("text");
        let mut written = 0;
        let (first, second) = both(
            || {
                written = 1;
                text.len()
            },
            || text.to_uppercase(),
        );
        assert_eq!((first, second.as_str(), written), (4, "TEXT", 1));
    }

    #[test]
    #[should_panic(expected = "of the thread")]
    fn panic_of_the_thread_is_passed_on() {
        both(|| (), || panic!("of the thread"));
    }
}
