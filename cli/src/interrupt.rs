//! Ctrl-C and its like while ranks run: the run ends in order, so that no rank, no copied folder and no
//! half-written file stays behind.

use anyhow::{Context, Result};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGUSR1, SIGUSR2};
use signal_hook::flag::{register, register_conditional_shutdown, register_usize};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

/// Exit code after a second signal, which ends the program at once.
const SECOND_SIGNAL_CODE: i32 = 130;

/// What a shell adds to the number of the signal that ended a command.
pub const BY_SIGNAL: u8 = 128;

static FLAG: OnceLock<Arc<AtomicBool>> = OnceLock::new();
/// The last signal; 0 before the first.
static SIGNAL: OnceLock<Arc<AtomicUsize>> = OnceLock::new();

/// The flag that becomes true on the first signal. From the first call on, a signal no longer ends the
/// program by itself.
pub fn flag() -> Result<Arc<AtomicBool>> {
    if let Some(flag) = FLAG.get() {
        return Ok(flag.clone());
    }
    let (flag, last) = (
        Arc::new(AtomicBool::new(false)),
        SIGNAL.get_or_init(Arc::default),
    );
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        // In this order: the first signal finds the flag still down.
        register_conditional_shutdown(signal, SECOND_SIGNAL_CODE, flag.clone())
            .context("signals cannot be watched")?;
        register_usize(signal, last.clone(), signal as usize)
            .context("signals cannot be watched")?;
        register(signal, flag.clone()).context("signals cannot be watched")?;
    }
    Ok(FLAG.get_or_init(|| flag).clone())
}

/// Whether a signal has come that ends the command.
pub fn is_interrupted() -> bool {
    FLAG.get().is_some_and(|flag| flag.load(Ordering::Relaxed))
}

/// The exit code of a command that a signal has ended, as shells report it: 130 after Ctrl-C.
pub fn exit_code() -> Option<u8> {
    let signal = SIGNAL
        .get()
        .filter(|_| is_interrupted())?
        .load(Ordering::Relaxed);
    u8::try_from(signal).ok()?.checked_add(BY_SIGNAL)
}

/// Flags that become true when a signal comes that is the ranks' and not the host's.
pub fn forwarded_signals() -> Result<Vec<(i32, Arc<AtomicBool>)>> {
    let watch = |signal| {
        let flag = Arc::new(AtomicBool::new(false));
        register(signal, flag.clone()).context("signals cannot be watched")?;
        Ok((signal, flag))
    };
    [SIGUSR1, SIGUSR2].into_iter().map(watch).collect()
}
