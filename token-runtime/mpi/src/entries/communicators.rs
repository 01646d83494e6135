//! Communicators.

use crate::arguments::{Int, Out};
use crate::communicators;
use crate::entries::entries;

entries! {
    every Comm_rank = communicators::rank: (comm: Int, rank: Out);
    every Comm_size = communicators::size: (comm: Int, size: Out);
    every Comm_dup = communicators::duplicate: (comm: Int, newcomm: Out);
    every Comm_split = communicators::split: (comm: Int, color: Int, key: Int, newcomm: Out);
    every Comm_free = communicators::free: (comm: Out);
}
