//! The words and the files that all parts of mpiete agree on: ids, time, the table of MPI
//! functions, block tables, the three kinds of base data, platforms, estimates, observations,
//! and the container every file is written in.
//!
//! The crate does no I/O and does not slice, replay or fit. It depends on no other crate of the
//! workspace.
#![forbid(unsafe_code)]

pub mod assumption;
pub mod block_table;
pub mod comm_data;
pub mod compute_data;
pub mod distribution;
pub mod emulation;
pub mod estimate_file;
pub mod explanation;
mod file_contents;
pub mod format;
mod format_migration;
pub mod formula;
pub mod hashing;
pub mod ids;
pub mod mpi;
pub mod observation;
pub mod platform_file;
pub mod profiling;
mod program_check;
pub mod program_data;
pub mod program_text;
pub mod provenance;
pub mod rank_recording;
pub mod rank_set;
pub mod split_mix;
pub mod stream;
pub mod stream_difference;
pub mod time;
pub mod toml_words;

pub use ids::{
    BlockId, CallSiteId, CommId, Digest, FormulaId, LoopId, Rank, RequestId, TableId, VariantId,
};
pub use rank_set::RankSet;
pub use time::Time;
