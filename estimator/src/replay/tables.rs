//! The tables that steps refer to by number, so that the replay needs no lookup.

use super::channels::Channels;
use super::measured_collectives::Uses;
use super::program::{Clock, LocalTime, Pattern, Signature, Size};
use crate::numbered::Numbered;
use base_data::CommId;
use base_data::program_data::CollectiveKind;
use std::collections::BTreeMap;
use std::rc::Rc;

/// All tables of a program.
#[derive(Debug, Default)]
pub(super) struct Tables {
    pub(super) channels: Channels,
    pub(super) patterns: Numbered<Pattern>,
    pub(super) sizes: Numbered<Size>,
    pub(super) signatures: Numbered<Signature>,
    pub(super) local_times: Numbered<LocalTime>,
    pub(super) clocks: Numbered<Clock>,
    /// Node of each rank of a communicator whose ranks share nodes, empty for others.
    pub(super) nodes: BTreeMap<CommId, Rc<[u32]>>,
    /// Whether a collective occurs with a count per rank under a function name that does not say so.
    pub(super) unnamed_counts: BTreeMap<CollectiveKind, bool>,
    /// Use of measured times.
    pub(super) measured: Uses,
}
