//! Message replay for a solo rank: a representative measures its blocks while no other rank runs, so the data
//! that it receives need a source. `message_log` is the output of its calls in a run of all ranks,
//! `echo` the data that the rank itself last sent, `root_data` the data that earlier representatives distributed,
//! `sanitize` replaces undefined memory by valid values; `divergence` detects that a rank no longer follows its recording.
//!
//! The MPI library selects the source of each call; `representatives` selects the ranks.

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

/// Log of the outputs on which the sequence of calls depends, from the run with the program probe.
pub fn live_log_path(folder: &Path, rank: u32) -> PathBuf {
    folder.join(format!("live-{rank}"))
}

/// How often each call of a rank was recorded: [`RecordedCallCounts`].
pub fn call_counts_path(folder: &Path, rank: u32) -> PathBuf {
    folder.join(format!("recorded-{rank}"))
}

/// Log of the outputs of all calls, from the run with the compute probe; exists only if ranks replay it.
pub fn message_log_path(folder: &Path, rank: u32) -> PathBuf {
    folder.join(format!("log-{rank}"))
}

/// Data that a representative sent as the root of collectives.
pub fn root_data_path(folder: &Path, rank: u32) -> PathBuf {
    folder.join(format!("given-{rank}"))
}

/// Marker file: if it exists, the echo serves data of all types; otherwise floating-point data only, which
/// determine the amount of work less often than sizes and indices do.
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
