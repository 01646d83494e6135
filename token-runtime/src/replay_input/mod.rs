//! What a representative is fed: a rank that measures its blocks while no other rank runs, so that what
//! it receives has to come from somewhere. `message_log` is what calls brought to the rank in a run of all ranks,
//! `echo` what the rank itself last gave, `root_data` what earlier representatives gave to all others, `sanitize`
//! makes values of memory that nobody has defined; `divergence` tells when that leads nowhere.
//!
//! Not here: which calls are fed what, which is the MPI library's to say, and which ranks are
//! representatives (`representatives`).

mod divergence;
mod echo;
mod message_log;
mod root_data;
mod sanitize;

pub use divergence::{DivergenceMonitor, RecordedCallCounts};
pub use echo::{Echo, repeated_to_length};
pub use message_log::{CallCounters, CallInstance, CallOutput, MessageLog};
pub use root_data::{CollectiveOccurrence, RootData};
pub use sanitize::sanitize;

use base_data::program_data::Variant;
use std::path::{Path, PathBuf};

/// Which ranks keep what calls bring to them, in the folder that they keep it in; all do if it says nothing.
pub fn logged_ranks_path(folder: &Path) -> PathBuf {
    folder.join("asked")
}

/// What calls bring that the sequence of calls depends on, as the program probe says.
pub fn live_log_path(folder: &Path, rank: u32) -> PathBuf {
    folder.join(format!("live-{rank}"))
}

/// How often each call of a rank was recorded: [`RecordedCallCounts`].
pub fn call_counts_path(folder: &Path, rank: u32) -> PathBuf {
    folder.join(format!("recorded-{rank}"))
}

/// What all calls bring, as the compute probe says; there only where ranks are fed from it.
pub fn message_log_path(folder: &Path, rank: u32) -> PathBuf {
    folder.join(format!("log-{rank}"))
}

/// What a representative gave to others.
pub fn root_data_path(folder: &Path, rank: u32) -> PathBuf {
    folder.join(format!("given-{rank}"))
}

/// There if whatever ranks are fed may be their own; otherwise that goes for floating point only, which decides
/// less often how much is computed than sizes and indices do.
pub fn echo_all_types_path(folder: &Path) -> PathBuf {
    folder.join("echoes-all")
}

/// Variants that earlier representatives have measured well enough: a list of [`Variant`].
pub fn known_variants_path(folder: &Path) -> PathBuf {
    folder.join("known")
}

/// Reads what [`known_variants_path`] names; nothing is known if it is not there.
pub fn known(folder: &Path) -> Vec<Variant> {
    crate::termination::read(&known_variants_path(folder)).unwrap_or_default()
}
