//! The tables that steps refer to by number, so that the replay needs no lookup.

use super::program::{Channel, Clock, Combination, Pattern, Signature, Size};
use crate::numbered::Numbered;

/// All tables of a program.
#[derive(Debug, Default)]
pub(super) struct Tables {
    pub(super) channels: Numbered<Channel>,
    pub(super) patterns: Numbered<Pattern>,
    pub(super) sizes: Numbered<Size>,
    pub(super) signatures: Numbered<Signature>,
    pub(super) combinations: Numbered<Combination>,
    pub(super) clocks: Numbered<Clock>,
}
