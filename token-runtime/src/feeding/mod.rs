//! What a representative is fed: a rank that measures its blocks while no other rank runs, so that what
//! it receives has to come from somewhere. `log` is what calls brought to the rank in a run of all ranks,
//! `echo` what the rank itself last gave, `given` what earlier representatives gave to all others, `sane`
//! makes values of memory that nobody has defined; `astray` tells when that leads nowhere.
//!
//! Not here: which calls are fed what, which is the MPI library's to say, and which ranks are
//! representatives (`representatives`).

mod astray;
mod echo;
mod given;
mod log;
mod sane;

pub use astray::{Recorded, Way};
pub use echo::{Echo, fitted};
pub use given::{Given, Occasion};
pub use log::{Brought, Log, Ticket, Tickets};
pub use sane::make_sane;

use base_data::program_data::Variant;
use std::path::{Path, PathBuf};

/// Which ranks keep what calls bring to them, in the folder that they keep it in; all do if it says nothing.
pub fn asked_path(folder: &Path) -> PathBuf {
    folder.join("asked")
}

/// What calls bring that the sequence of calls hangs on, as the program probe says.
pub fn live_path(folder: &Path, rank: u32) -> PathBuf {
    folder.join(format!("live-{rank}"))
}

/// How often each call of a rank was recorded: [`Recorded`].
pub fn recorded_path(folder: &Path, rank: u32) -> PathBuf {
    folder.join(format!("recorded-{rank}"))
}

/// What all calls bring, as the compute probe says; there only where ranks are fed from it.
pub fn log_path(folder: &Path, rank: u32) -> PathBuf {
    folder.join(format!("log-{rank}"))
}

/// What a representative gave to others.
pub fn given_path(folder: &Path, rank: u32) -> PathBuf {
    folder.join(format!("given-{rank}"))
}

/// There if whatever ranks are fed may be their own; otherwise that goes for floating point only, which decides
/// less often how much is computed than sizes and indices do.
pub fn echoes_all_path(folder: &Path) -> PathBuf {
    folder.join("echoes-all")
}

/// Variants that earlier representatives have measured well enough: a list of [`Variant`].
pub fn known_path(folder: &Path) -> PathBuf {
    folder.join("known")
}

/// Reads what [`known_path`] names; nothing is known if it is not there.
pub fn known(folder: &Path) -> Vec<Variant> {
    crate::ending::read(&known_path(folder)).unwrap_or_default()
}
