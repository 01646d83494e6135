//! Signals such as Ctrl-C while ranks run: the run ends in order and leaves no rank, no copied folder and no incomplete file.

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

/// The flag that becomes true on the first signal. After the first call of this function, one signal alone does not end the
/// program.
pub fn flag() -> Result<Arc<AtomicBool>> {
    if let Some(flag) = FLAG.get() {
        return Ok(flag.clone());
    }
    let (flag, last) = (
        Arc::new(AtomicBool::new(false)),
        SIGNAL.get_or_init(Arc::default),
    );
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        // Handlers run in the order of registration. The shutdown comes first and ends the program only if the flag is already
        // true, which it is from the second signal on.
        register_conditional_shutdown(signal, SECOND_SIGNAL_CODE, flag.clone())
            .context("signals cannot be watched")?;
        register_usize(signal, last.clone(), signal as usize)
            .context("signals cannot be watched")?;
        register(signal, flag.clone()).context("signals cannot be watched")?;
    }
    Ok(FLAG.get_or_init(|| flag).clone())
}

/// Whether a signal that ends the command was received.
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

/// Flags of the signals that are forwarded to the ranks.
pub fn forwarded_signals() -> Result<Vec<(i32, Arc<AtomicBool>)>> {
    let watch = |signal| {
        let flag = Arc::new(AtomicBool::new(false));
        register(signal, flag.clone()).context("signals cannot be watched")?;
        Ok((signal, flag))
    };
    [SIGUSR1, SIGUSR2].into_iter().map(watch).collect()
}
