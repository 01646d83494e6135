//! Compute blocks of a slice in an emulation. The slice has their marks in the place of what they compute, and each takes the
//! time that compute data give for it. What the slice computes itself is a part of these blocks, so it takes no time.

use crate::virtual_clock;
use base_data::BlockId;
use base_data::emulation::SlicedBlocks;
use base_data::program_data::Variant;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use token_runtime::emulation::{SLICED_BLOCKS, sliced_blocks_path};
use token_runtime::termination;

static BLOCKS: Mutex<Blocks> = Mutex::new(Blocks {
    given: None,
    untimed: BTreeSet::new(),
});

struct Blocks {
    /// `None` if the program is no slice.
    given: Option<SlicedBlocks>,
    /// Blocks without a time that were executed.
    untimed: BTreeSet<Variant>,
}

fn blocks() -> MutexGuard<'static, Blocks> {
    BLOCKS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Reads the times of a rank's blocks; whether the program is a slice.
pub fn prepare(rank: u32) -> bool {
    let Some(folder) = std::env::var_os(SLICED_BLOCKS) else {
        return false;
    };
    let given = termination::read(&sliced_blocks_path(Path::new(&folder), rank));
    blocks().given = Some(given.unwrap_or_default());
    true
}

/// Whether the program is a slice.
pub fn is_sliced() -> bool {
    blocks().given.is_some()
}

/// A block is executed with these work terms. One without a time takes none.
pub fn pass(block: u32, terms: &[i64]) {
    let blocks = &mut *blocks();
    let Some(given) = &blocks.given else {
        return;
    };
    let block = BlockId(block);
    let place = given.times.binary_search_by(|(known, _)| {
        let known = (known.block, &known.terms[..]);
        known.cmp(&(block, terms))
    });
    match place {
        Ok(place) => virtual_clock::pass(given.times[place].1),
        Err(_) => {
            let terms = terms.to_vec();
            blocks.untimed.insert(Variant { block, terms });
        }
    }
}

/// The blocks that took no time, for want of one.
pub fn take_untimed() -> Vec<Variant> {
    std::mem::take(&mut blocks().untimed).into_iter().collect()
}
